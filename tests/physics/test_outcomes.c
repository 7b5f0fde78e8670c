/* Claim: an instance that is called ok is right, and a regular one is not called anything else, in cases where that was once not
 * so. The truths are angles of cranks from an equation in one coordinate of the same chains, solved in 64 bits of mantissa by
 * another program, with steps of two tolerances that agree to 1e-10 rad. Where one loop is exactly singular they are those of the
 * branch that goes straight on there. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "plan/plan.h"
#include "tests/support/mechanism.h"

enum { MAX_N = 21, MAX_CRANKS = 4, N_LENGTHS = 7 };

typedef enum promise { IS_RIGHT, IS_RIGHT_OR_MARKED } promise;

/* A chain of cranks, 1 m apart, and couplers at 2 s: lengths of the cranks, of the couplers (0: 1 m), angle and speed of crank 1.
 */
typedef struct chain {
    const char *name, *gravity;
    int n_cranks;
    double lengths[N_LENGTHS];
    double angle, speed;
    double truth[MAX_CRANKS]; /* rad */
} chain;

/* Lengths that are off by 1e-12 to 1e-8: all of them; one alone, which leaves the other loop exactly singular. */
static const chain folded = {"two folded loops run into the change point of the third",
                             "[0, 0]",
                             4,
                             {0.9999999999942673, 1.000000000002488, 1.0000000000061122, 1.0000000000080147, 1.0000000000158404,
                              1.0000000000144589, 1.0000000000133968},
                             1.208967713943207,
                             -6.477693240195515,
                             {-1.342024961609915e-11, 1.5824725770332109, 1.582472577018709, 1.5824725770052888}};
static const chain folded_again = {"the same with other lengths",
                                   "[0, 0]",
                                   4,
                                   {0.9999999999955043, 0.9999999999977689, 0.999999999998234, 1.000000000003751, 1.00000000000247,
                                    1.000000000000985, 1.0000000000033369},
                                   1.054757334943379,
                                   -8.052020176106186,
                                   {2.438396606784864, 2.4383966067783733, 2.438396606776301, 2.438396606764633}};
static const chain narrow = {"a bend that long steps jump",
                             "[0, 0]",
                             3,
                             {0.99999999992053501, 1.0000000002380984, 1.0000000007510423},
                             1.0,
                             -7.0,
                             {0.047353184487592376, 0.04735319118885246, 0.04735320201305318}};
static const chain last_is_short = {
    "one loop exactly singular, the other off by 2.7e-9 m",         "[0, -9.81]", 3, {1.0, 1.0, 1.0 - 2.7e-9}, 1.0, -7.0,
    {0.15792626997233083, 0.15792626997233083, 0.15792625301811575}};
static const chain first_is_short = {
    "one loop exactly singular, the other off by 3.9e-9 m",         "[0, -9.81]", 3, {1.0 - 3.9e-9, 1.0, 1.0}, 1.0, -7.0,
    {0.15783218906597676, 0.15783221357024188, 0.15783221357024185}};

static const char by_default[] = "{t_end: 2}";
static const char rk4[] = "{method: rk4, dt: 1e-3, t_end: 2}";
static const char rk4_coarse[] = "{method: rk4, dt: 2e-2, t_end: 2}";
static const char verner65[] = "{method: verner65, t_end: 2, rtol: 1e-11, atol: 1e-11}";
static const char closed[] = "{}", loose[] = "{projection: none}", tolerant[] = "{projection: {tolerance: 1e-8}}";
static const char damped[] = "{baumgarte: {alpha: 10, beta: 10}}";

static const struct chain_case {
    const chain *chain;
    const char *integrator, *dynamics;
    promise promise;
} cases[] = {
    {&folded, by_default, closed, IS_RIGHT},
    {&folded, rk4, closed, IS_RIGHT},
    {&folded, verner65, closed, IS_RIGHT},
    {&folded_again, by_default, closed, IS_RIGHT},
    {&folded_again, rk4, closed, IS_RIGHT},
    {&narrow, rk4_coarse, closed, IS_RIGHT},
    {&narrow, by_default, loose, IS_RIGHT_OR_MARKED},
    {&narrow, by_default, tolerant, IS_RIGHT_OR_MARKED},
    {&narrow, by_default, damped, IS_RIGHT_OR_MARKED},
    {&narrow, rk4, loose, IS_RIGHT_OR_MARKED},
    {&narrow, rk4, tolerant, IS_RIGHT_OR_MARKED},
    {&narrow, rk4, damped, IS_RIGHT_OR_MARKED},
    {&last_is_short, by_default, closed, IS_RIGHT_OR_MARKED},
    {&last_is_short, verner65, closed, IS_RIGHT_OR_MARKED},
    {&first_is_short, rk4, closed, IS_RIGHT_OR_MARKED},
    {&first_is_short, verner65, closed, IS_RIGHT_OR_MARKED},
};

enum { MAX_OVERRIDES = 24, LENGTH_OF_TEXT = 40 };

/* scenarios/change_point.yaml has three cranks, the tests' own file four. */
static mechanism open_chain(const struct chain_case *how) {
    static char paths[MAX_OVERRIDES][LENGTH_OF_TEXT], values[MAX_OVERRIDES][LENGTH_OF_TEXT];
    sarrus_override overrides[MAX_OVERRIDES] = {{"integrator", how->integrator},
                                                {"dynamics", how->dynamics},
                                                {"gravity", how->chain->gravity},
                                                {"output", "{interval: 2}"}};
    const chain *subject = how->chain;
    const bool has_couplers = subject->n_cranks == 4;
    int n = 4;
    for (int i = 0; i < (has_couplers ? N_LENGTHS : subject->n_cranks); ++i, ++n) {
        const bool is_crank = i < subject->n_cranks;
        snprintf(paths[n], LENGTH_OF_TEXT, "parameters.%c%d", is_crank ? 'a' : 'b', is_crank ? i + 1 : i + 1 - subject->n_cranks);
        snprintf(values[n], LENGTH_OF_TEXT, "%.17g", subject->lengths[i]);
        overrides[n] = (sarrus_override){paths[n], values[n]};
    }
    snprintf(values[0], LENGTH_OF_TEXT, "%.17g", subject->angle);
    snprintf(values[1], LENGTH_OF_TEXT, "%.17g", subject->speed);
    overrides[n++] = (sarrus_override){"parameters.t1", values[0]};
    overrides[n++] = (sarrus_override){"parameters.w1", values[1]};
    if (!has_couplers) {
        overrides[n++] = (sarrus_override){"batch.parameters", "[]"};
        overrides[n++] = (sarrus_override){"joints.A1.damping", "0"};
    }
    return mechanism_open_file(has_couplers ? "../tests/support/four_cranks.yaml" : "change_point.yaml", overrides);
}

/* rad, between angles that may have turned by whole turns. */
static double apart(double a, double b) {
    return fabs(remainder(a - b, 2.0 * M_PI));
}

/* Another branch is off by radians; a bend that is passed with errors of 1e-8 a step, by 1e-2 at most (test_change_points.c). */
static void chains_near_their_change_points_are_right_or_marked(void **state) {
    (void)state;
    int n_broken = 0;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const struct chain_case *how = &cases[i];
        double q[MAX_N], v[MAX_N], error = 0.0;
        mechanism m = open_chain(how);
        sarrus_batch *batch = mechanism_batch(&m, NULL, 1, 1, NULL);
        assert_int_equal(sarrus_batch_advance(batch, m.plan->n_steps), SARRUS_OK);
        assert_int_equal(sarrus_batch_state(batch, 0, q, v), SARRUS_OK);
        for (int k = 0; k < how->chain->n_cranks; ++k) {
            error = fmax(error, apart(q[3 * k + 2], how->chain->truth[k]));
        }
        const sarrus_instance_status status = sarrus_batch_status(batch, 0);
        print_message("%s, %.22s..., %s: %s, %.1e rad\n", how->chain->name, how->integrator, how->dynamics,
                      sarrus_instance_status_word(status), error);
        n_broken += status == SARRUS_INSTANCE_OK ? !(error <= 1e-2) : how->promise == IS_RIGHT;
        sarrus_batch_destroy(batch);
        mechanism_close(&m);
    }
    assert_int_equal(n_broken, 0);
}

/* Bodies without energy to compare with, a drive that begins just behind the end, a mechanism that turns round in its change point.
 */
static const char pulled[] = "sarrus: 1\n"
                             "space: planar\n"
                             "gravity: [0, 0]\n"
                             "bodies:\n"
                             "  - {name: p, mass: 1.3, inertia: 0.1, position: [0.37, -0.13], orientation: 0.3}\n"
                             "joints: [{name: A, type: revolute, bodies: [ground, p], at: [0.2, 0.1]}]\n"
                             "forces:\n"
                             "  - {name: F, type: force, body: p, at: [-0.09443755561924494, 0.2699658276313171], value: [3, -5]}\n"
                             "integrator: {t_end: 2}\n"
                             "output: {interval: 0.05}\n";
static const char late_drive[] = "sarrus: 1\n"
                                 "space: planar\n"
                                 "gravity: [0, 0]\n"
                                 "bodies: [{name: crank, mass: 3, inertia: 0.0225, position: [0, 0.15]}]\n"
                                 "joints:\n"
                                 "  - {name: A, type: revolute, bodies: [ground, crank], at: [0, 0],\n"
                                 "     drive: {signal: {ramp: {slope: 3, start: 1.0000001}}}}\n"
                                 "integrator: {t_end: 1}\n"
                                 "output: {interval: 0.1}\n";

/* It comes to rest within a second; what moves then is round-off. */
static const char resting[] =
    "sarrus: 1\n"
    "space: planar\n"
    "gravity: [0, 0]\n"
    "bodies:\n"
    "  - {name: b0, mass: 1.28, inertia: 0.0687, position: [-0.14413805744982, 1.3083009934108822]}\n"
    "  - {name: b1, mass: 0.56, inertia: 0.2844, position: [-0.4865570405228925, 0.4598289654661833]}\n"
    "  - {name: b2, mass: 0.73, inertia: 0.000668, position: [-0.321395615111, -0.514478951860974], orientation: "
    "1.0402266043358246}\n"
    "joints:\n"
    "  - {name: J0, type: revolute, bodies: [ground, b0], at: [0.2520117539601461, 1.2002715124608474], stiffness: 2.95, rest: 0}\n"
    "  - {name: J1, type: revolute, bodies: [b1, b0], at: [-0.5948259585650377, 1.4920145907063052]}\n"
    "  - {name: J2, type: revolute, bodies: [b1, b2], at: [-0.3782881224807473, -0.5723566597739386], damping: 0.35}\n"
    "  - {name: J3, type: prismatic, bodies: [ground, b2], at: [-0.3782881224807473, -0.5723566597739386],\n"
    "     axis: [-0.044541885718702566, -0.9990075176977509], damping: 1.32}\n"
    "forces: [{name: F1, type: torque, body: b2, value: 1.3147952342549882}]\n"
    "dynamics: {baumgarte: {alpha: 10, beta: 10}}\n"
    "integrator: {t_end: 2}\n"
    "output: {interval: 0.02}\n";

/* A drive, or a load, that lifts from rest: the work of the first steps is little beside what they have lifted. */
#define LIFTED(joint, rest)                                                                                                        \
    "sarrus: 1\nspace: planar\ngravity: [0, -9.81]\n"                                                                              \
    "bodies: [{name: lift, mass: 3, inertia: 0.1, position: [0, 0]}]\n"                                                            \
    "joints: [{name: P, type: prismatic, bodies: [ground, lift], at: [0, 0], axis: [0, 1]" joint "}]\n" rest                       \
    "integrator: {t_end: 1}\n"                                                                                                     \
    "output: {interval: 0.1}\n"
static const char lifted[] = LIFTED(", drive: {signal: {polynomial: [0, 0, 0, 0.2]}}", "");
static const char hauled[] = LIFTED("", "forces: [{name: F, type: force, body: lift, at: [0, 0], value: [0, 29.6]}]\n");
/* The same on a spring that no step of a hundredth of a second resolves. */
static const char exploding[] =
    LIFTED(", stiffness: 1e6, rest: 1e-3", "forces: [{name: F, type: force, body: lift, at: [0, 0], value: [0, 29.6]}]\n");

static const struct regular_case {
    const char *text, *file, *integrator;
} regular[] = {
    {pulled, NULL, "{t_end: 2}"},
    {pulled, NULL, "{method: rk4, dt: 1e-3, t_end: 2}"},
    {pulled, NULL, "{method: adams-moulton, t_end: 2}"},
    {resting, NULL, "{method: rk4, dt: 5e-3, t_end: 2}"},
    {lifted, NULL, "{method: semi-implicit, dt: 1e-2, t_end: 1}"},
    {lifted, NULL, "{method: semi-implicit, dt: 1e-4, t_end: 1}"},
    {hauled, NULL, "{method: semi-implicit, dt: 1e-2, t_end: 1}"},
    {NULL, "stewart_platform.yaml", "{method: semi-implicit, dt: 1e-3, t_end: 0.05}"},
    {late_drive, NULL, "{t_end: 1}"},
    {late_drive, NULL, "{method: verner65, t_end: 1}"},
    {late_drive, NULL, "{method: adams-moulton, t_end: 1}"},
    {NULL, "five_bar_singular.yaml", "{t_end: 10}"},
    {NULL, "five_bar_singular.yaml", "{method: dopri5, rtol: 1e-9, atol: 1e-9, t_end: 10}"},
    {NULL, "five_bar_singular.yaml", "{method: verner65, rtol: 1e-9, atol: 1e-9, t_end: 10}"},
    {NULL, "five_bar_singular.yaml", "{method: adams-moulton, rtol: 1e-9, atol: 1e-9, t_end: 10}"},
};

static void regular_motions_are_not_marked(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof regular / sizeof regular[0]; ++i) {
        const struct regular_case *how = &regular[i];
        const sarrus_override overrides[] = {{"integrator", how->integrator}, {NULL, NULL}};
        mechanism m = how->text ? mechanism_open_text(how->text, overrides) : mechanism_open_file(how->file, overrides);
        sarrus_batch *batch = mechanism_batch(&m, NULL, 1, 1, NULL);
        assert_int_equal(sarrus_batch_advance(batch, m.plan->n_steps), SARRUS_OK);
        if (sarrus_batch_status(batch, 0) != SARRUS_INSTANCE_OK) {
            fail_msg("%s, %s: %s", how->text ? how->text : how->file, how->integrator,
                     sarrus_instance_status_word(sarrus_batch_status(batch, 0)));
        }
        sarrus_batch_destroy(batch);
        mechanism_close(&m);
    }
}

/* What is allowed in the first steps from rest allows nothing later. */
static void explosions_are_told(void **state) {
    (void)state;
    const sarrus_override overrides[] = {{"integrator", "{method: semi-implicit, dt: 1e-2, t_end: 0.1}"}, {NULL, NULL}};
    mechanism m = mechanism_open_text(exploding, overrides);
    sarrus_batch *batch = mechanism_batch(&m, NULL, 1, 1, NULL);
    assert_int_equal(sarrus_batch_advance(batch, m.plan->n_steps), SARRUS_OK);
    assert_int_equal(sarrus_batch_status(batch, 0), SARRUS_INSTANCE_ENERGY_MISMATCH);
    sarrus_batch_destroy(batch);
    mechanism_close(&m);
}

/* A limit of the energy that is given in the scenario is the limit, whatever the method's own motion may be off in passing. */
static void a_limit_of_the_energy_is_taken_at_its_word(void **state) {
    (void)state;
    static const char *const integrators[] = {"{method: dopri5, dt: 1e-2, t_end: 1}", "{method: semi-implicit, dt: 1e-2, t_end: 1}",
                                              "{method: rk4, dt: 1e-2, t_end: 1}"};
    for (int i = 0; i < 3; ++i) {
        const sarrus_override overrides[] = {
            {"integrator", integrators[i]}, {"output", "{}"}, {"limits", "{energy: 1e-12}"}, {NULL, NULL}};
        mechanism m = mechanism_open_file("four_bar.yaml", overrides);
        sarrus_batch *batch = mechanism_batch(&m, NULL, 1, 1, NULL);
        assert_int_equal(sarrus_batch_advance(batch, m.plan->n_steps), SARRUS_OK);
        assert_int_equal(sarrus_batch_status(batch, 0), SARRUS_INSTANCE_ENERGY_MISMATCH);
        sarrus_batch_destroy(batch);
        mechanism_close(&m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chains_near_their_change_points_are_right_or_marked),
        cmocka_unit_test(regular_motions_are_not_marked),
        cmocka_unit_test(explosions_are_told),
        cmocka_unit_test(a_limit_of_the_energy_is_taken_at_its_word),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

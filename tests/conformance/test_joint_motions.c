/* Claim, of every row of joint.def with every optional property: over a motion the energy changes by the work that is reported; a
 * joint closes a loop as it would hang in a chain, whatever the order of bodies, joints and elimination, whichever of its bodies is
 * called the parent, and when it stands there twice; specialized kernels give the same bits, and
 * instruction sets the same numbers. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "plan/build.h"
#include "tests/support/joint_cases.h"
#include "tests/tolerances.h"

enum { TEXT_SIZE = 16384 };

/* --- Energy ----------------------------------------------------------------------------------------------------------- */

enum { N_TIMES = 11, MAX_N = 6 };
#define STEP_TOLERANCE 1e-10
static const char *const OWN_STEPS = "integrator: {method: dopri5, dt: 0.02, t_end: 0.2, rtol: 1e-10, atol: 1e-10}";

/* E is that of the state, E - E0 = W; and nothing but dampers and drives does work. */
static void check_balance(const joint_case *what, const mechanism *m) {
    double energy[N_TIMES], work[N_TIMES], q[N_TIMES * MAX_N], v[N_TIMES * MAX_N], largest = 1.0, most = 0.0;
    sarrus_batch *batch = mechanism_batch(m, NULL, 1, 1, NULL);
    sarrus_observation o = {.n_times = N_TIMES, .every_steps = 1, .observe_first = 1, .n_times_stride = N_TIMES};
    o.destination[SARRUS_OBSERVE_ENERGY] = energy;
    o.destination[SARRUS_OBSERVE_WORK] = work;
    o.destination[SARRUS_OBSERVE_Q] = q;
    o.destination[SARRUS_OBSERVE_V] = v;
    assert_int_equal(sarrus_batch_observe(batch, &o), SARRUS_OK);
    assert_int_equal(sarrus_batch_status(batch, 0), SARRUS_INSTANCE_OK);
    for (int k = 0; k < N_TIMES; ++k) {
        const double *at_q = q + k * m->n, *at_v = v + k * m->n;
        double scale = 0.0;
        for (int i = 0; i < m->n; ++i) {
            scale += m->ref->mass[i] * (at_v[i] * at_v[i] + 10.0 * fabs(at_q[i]));
        }
        const double of_state = reference_energy(m->ref, 0.02 * k, at_q, at_v);
        if (!(fabs(energy[k] - of_state) <= (TOLERANCE_SUM(m->n) + TOLERANCE_SINCOS) * (scale + fabs(of_state)))) {
            fail_msg("%s: energy %.15g, of the state %.15g", joint_case_name(what), energy[k], of_state);
        }
        largest = fmax(largest, fabs(energy[k] - energy[0]) + fabs(work[k]));
        most = fmax(most, fabs(work[k]));
    }
    for (int k = 0; k < N_TIMES; ++k) {
        const double gap = fabs(energy[k] - energy[0] - work[k]);
        if (!(gap <= TOLERANCE_OF_TOLERANCE * STEP_TOLERANCE * largest)) {
            fail_msg("%s: %g J from nowhere of %g J", joint_case_name(what), gap, largest);
        }
    }
    const bool can_work = what->properties & (JOINT_WITH_DAMPER | JOINT_WITH_DRIVE);
    if (can_work ? !(most > 1e-9) : most != 0.0) {
        fail_msg("%s: work of %g J", joint_case_name(what), most);
    }
    sarrus_batch_destroy(batch);
}

/* What is held fast by its drive and ground alone does work only against what the drive moves: always something here. */
static void energy_changes_by_the_work(void **state) {
    (void)state;
    static char text[TEXT_SIZE];
    uint64_t seed = 31;
    for (int k = 0; k < SARRUS_N_PLANAR_JOINT_TYPES * N_JOINT_PROPERTIES * N_JOINT_GROUNDINGS; ++k) {
        const joint_case what = {.type = (sarrus_joint_type)(k / N_JOINT_PROPERTIES / N_JOINT_GROUNDINGS),
                                 .properties = (unsigned)(k % N_JOINT_PROPERTIES),
                                 .grounding = (joint_grounding)(k / N_JOINT_PROPERTIES % N_JOINT_GROUNDINGS),
                                 .place = k % 2 ? JOINT_BY_POINTS : 0};
        if (!joint_case_exists(&what)) {
            continue;
        }
        joint_case_write(&what, &seed, "", OWN_STEPS, sizeof text, text);
        mechanism m = mechanism_open_text(text, NULL);
        check_balance(&what, &m);
        mechanism_close(&m);
    }
}

/* --- The same loop, written in other ways ------------------------------------------------------------------------------ */

enum { N_LINKS = 4, LOOP_N = 3 * N_LINKS, N_STEPS = 200 };

typedef enum writing {
    AS_IT_IS,
    BODIES_REVERSED, /* in the scenario's list */
    JOINT_FIRST,     /* in the list: the chain's pins close the loop then */
    JOINT_TURNED,    /* parent and child change places: the coordinate changes its sign */
    JOINT_TWICE,     /* a second one at the same place, redundant in all its rows */
    N_WRITINGS
} writing;

static size_t write_link(int i, size_t size, char *text) {
    /* A zigzag from (0, 0) to (2.4, 0.3), all links of length 1 or so. */
    static const double corner[N_LINKS + 1][2] = {{0.0, 0.0}, {0.5, 0.8}, {1.2, 0.1}, {1.8, 0.9}, {2.4, 0.3}};
    const double dx = corner[i + 1][0] - corner[i][0], dy = corner[i + 1][1] - corner[i][1];
    return (size_t)snprintf(text, size, "  - {name: L%d, mass: %g, inertia: %g, position: [%.17g, %.17g], orientation: %.17g}\n", i,
                            1.0 + 0.25 * i, 0.1 + 0.02 * i, corner[i][0] + 0.5 * dx, corner[i][1] + 0.5 * dy, atan2(dy, dx));
}

/* The joint that closes the loop: between the last link and ground, in the scenario's words. */
static size_t write_closure(const joint_case *what, bool is_turned, const char *name, bool is_bare, size_t size, char *text) {
    char key[512];
    const double sign = is_turned ? -1.0 : 1.0;
    joint_geometry_write(what->type, 2.4, 0.3, 0.7, sizeof key, key);
    size_t at = (size_t)snprintf(text, size, "  - {name: %s, type: %s, bodies: [%s], ", name, sarrus_joint_word(what->type),
                                 is_turned ? "L3, ground" : "ground, L3");
    if (is_turned && what->type == SARRUS_JOINT_DISTANCE) { /* the points go with the bodies: those of the turned one are turned */
        joint_geometry_write(what->type, 2.4 + 0.8 * 0.7, 0.3 + 0.6 * 0.7, -0.7, sizeof key, key);
    }
    at += (size_t)snprintf(text + at, size - at, "%s", key);
    if (!is_bare && what->properties & JOINT_WITH_SPRING) {
        at += (size_t)snprintf(text + at, size - at, ", stiffness: 12, rest: %g", 0.2 * sign);
    }
    if (!is_bare && what->properties & JOINT_WITH_DAMPER) {
        at += (size_t)snprintf(text + at, size - at, ", damping: 0.7");
    }
    if (!is_bare && what->properties & JOINT_WITH_DRIVE) {
        at += (size_t)snprintf(text + at, size - at, ", drive: {signal: {sine: {amplitude: %g, frequency: 0.7}}}", 0.3 * sign);
    }
    return at + (size_t)snprintf(text + at, size - at, "}\n");
}

static void write_loop(const joint_case *what, writing how, size_t size, char *text) {
    const bool is_turned = how == JOINT_TURNED;
    size_t at = (size_t)snprintf(text, size, "sarrus: 1\nspace: planar\ngravity: [0, -9.81]\nbodies:\n");
    for (int i = 0; i < N_LINKS; ++i) {
        at += write_link(how == BODIES_REVERSED ? N_LINKS - 1 - i : i, size - at, text + at);
    }
    at += (size_t)snprintf(text + at, size - at, "joints:\n");
    if (how == JOINT_FIRST) {
        at += write_closure(what, is_turned, "J", false, size - at, text + at);
    }
    at += (size_t)snprintf(text + at, size - at,
                           "  - {name: P0, type: revolute, bodies: [ground, L0], at: [0, 0]}\n"
                           "  - {name: P1, type: revolute, bodies: [L0, L1], at: [0.5, 0.8]}\n"
                           "  - {name: P2, type: revolute, bodies: [L1, L2], at: [1.2, 0.1]}\n"
                           "  - {name: P3, type: revolute, bodies: [L2, L3], at: [1.8, 0.9]}\n");
    if (how != JOINT_FIRST) {
        at += write_closure(what, is_turned, "J", false, size - at, text + at);
    }
    if (how == JOINT_TWICE) {
        at += write_closure(what, is_turned, "K", true, size - at, text + at);
    }
    at += (size_t)snprintf(text + at, size - at, "integrator: {method: rk4, dt: 1.0e-3, t_end: 1, substeps: off}\nlimits: off\n");
    assert_true(at < size);
}

/* q and v of the four links in the order of their names, after N_STEPS steps; returns the condition at the start, squared. */
static double run_loop(const joint_case *what, writing how, sarrus_order_kind order, double state[2][LOOP_N]) {
    static char text[TEXT_SIZE];
    double q[LOOP_N], v[LOOP_N];
    write_loop(what, how, sizeof text, text);
    mechanism m = mechanism_open_text(text, NULL);
    assert_int_equal(m.n, LOOP_N);
    sarrus_plan_destroy(m.plan);
    assert_int_equal(sarrus_plan_create_in_order(m.context, m.model, order, NULL, &m.plan), SARRUS_OK);
    const double condition = reference_condition(m.ref, 0.0, m.ref->q0, 1e-6);
    sarrus_batch *batch = mechanism_batch(&m, NULL, 1, 1, NULL);
    assert_int_equal(sarrus_batch_advance(batch, N_STEPS), SARRUS_OK);
    assert_int_equal(sarrus_batch_status(batch, 0), SARRUS_INSTANCE_OK);
    assert_int_equal(sarrus_batch_state(batch, 0, q, v), SARRUS_OK);
    for (int i = 0; i < N_LINKS; ++i) {
        char name[8];
        (void)snprintf(name, sizeof name, "L%d", i);
        const int body = sarrus_model_body_find(m.model, name);
        memcpy(state[0] + 3 * i, q + 3 * body, 3 * sizeof(double));
        memcpy(state[1] + 3 * i, v + 3 * body, 3 * sizeof(double));
    }
    sarrus_batch_destroy(batch);
    mechanism_close(&m);
    return condition * condition;
}

/* Round-off of an evaluation is (n + m) eps condition^2 of accelerations of up to 100 m/s^2 or rad/s^2; 0.2 s gather it, and the
 * motion of a chain (rates of some 10/s) carries it on by e^2 at most. */
static double assert_same_motion(const joint_case *what, const char *how, double squared, double state[2][LOOP_N],
                                 double wanted[2][LOOP_N]) {
    const double off = mechanism_distance(state[0], wanted[0], 2 * LOOP_N);
    const double bound = TOLERANCE_SOLVE(2 * LOOP_N, squared) * 100.0 * 0.2 * 7.4;
    if (!(off <= bound)) {
        fail_msg("%s, %s: another motion by %.2e > %.1e", joint_case_name(what), how, off, bound);
    }
    return off / bound;
}

static void loops_do_not_depend_on_how_they_are_written(void **state) {
    (void)state;
    static const char *const writings[N_WRITINGS] = {"again", "bodies reversed", "joint first", "joint turned", "joint twice"};
    double worst = 0.0;
    for (int k = 0; k < SARRUS_N_PLANAR_JOINT_TYPES * N_JOINT_PROPERTIES; ++k) {
        const joint_case what = {.type = (sarrus_joint_type)(k / N_JOINT_PROPERTIES),
                                 .properties = (unsigned)(k % N_JOINT_PROPERTIES),
                                 .grounding = JOINT_PARENT_ON_GROUND};
        double wanted[2][LOOP_N], found[2][LOOP_N];
        if (!joint_case_exists(&what)) {
            continue;
        }
        const double squared = run_loop(&what, AS_IT_IS, SARRUS_ORDER_BEST, wanted);
        for (int how = BODIES_REVERSED; how < N_WRITINGS; ++how) {
            if (how == JOINT_TURNED && what.type == SARRUS_JOINT_SLOT) {
                continue; /* whose line is the parent's: turned it is another joint */
            }
            (void)run_loop(&what, (writing)how, SARRUS_ORDER_BEST, found);
            worst = fmax(worst, assert_same_motion(&what, writings[how], squared, found, wanted));
        }
        for (int order = 0; order < SARRUS_N_ORDERS; ++order) {
            (void)run_loop(&what, order % 2 ? JOINT_FIRST : AS_IT_IS, (sarrus_order_kind)order, found);
            worst = fmax(worst, assert_same_motion(&what, "eliminated in another order", squared, found, wanted));
        }
    }
    print_message("the same loops differ by %.1e of the bound\n", worst);
}

/* --- Bits --------------------------------------------------------------------------------------------------------------- */

enum { N_BIT_INSTANCES = 11, N_BIT_STEPS = 40, N_BIT_CASES = 7 };

/* Joints of one type side by side, each with bodies of its own: in all groundings, elastic and driven where they can be. */
static void write_row_of_joints(sarrus_joint_type type, size_t size, char *text) {
    static const struct {
        unsigned properties;
        joint_grounding grounding;
    } row[N_BIT_CASES] = {{0, JOINT_BETWEEN_BODIES},
                          {0, JOINT_PARENT_ON_GROUND},
                          {0, JOINT_CHILD_ON_GROUND},
                          {JOINT_WITH_SPRING | JOINT_WITH_DAMPER, JOINT_BETWEEN_BODIES},
                          {JOINT_WITH_DRIVE, JOINT_PARENT_ON_GROUND},
                          {JOINT_WITH_DRIVE | JOINT_WITH_SPRING, JOINT_BETWEEN_BODIES},
                          {JOINT_WITH_DAMPER, JOINT_CHILD_ON_GROUND}};
    static char bodies[TEXT_SIZE / 2], joints[TEXT_SIZE / 2];
    uint64_t seed = 5;
    bodies[0] = joints[0] = '\0';
    for (int i = 0; i < N_BIT_CASES; ++i) {
        const joint_case what = {.type = type, .properties = row[i].properties, .grounding = row[i].grounding};
        if (joint_case_exists(&what)) {
            joint_case_append(&what, i, &seed, sizeof bodies, bodies, joints);
        }
    }
    const int length = snprintf(text, size,
                                "sarrus: 1\nspace: planar\ngravity: [0.3, -9.81]\nbodies:\n%sjoints:\n%s"
                                "dynamics: {formulation: udwadia-kalaba}\nintegrator: {method: rk4, dt: 1.0e-3, t_end: 1}\n",
                                bodies, joints);
    assert_true(length > 0 && (size_t)length < size);
}

/* All observables of N_BIT_INSTANCES instances, one behind the other, singular values last. */
typedef struct numbers {
    size_t count, i_singular;
    double *all;
} numbers;

/* At the start, each instance with velocities of its own, and after N_BIT_STEPS steps. `all` is the caller's. */
static numbers numbers_of(const mechanism *m, const char *isa, sarrus_specialize specialize) {
    const sarrus_batch_options options = {
        .isa = isa, .n_threads = 1, .specialize = specialize, .cache_dir = getenv("SARRUS_CACHE_DIR")};
    sarrus_batch *batch;
    sarrus_specialization told;
    uint64_t seed = 8;
    assert_int_equal(sarrus_batch_create(m->context, m->plan, &options, N_BIT_INSTANCES, NULL, &batch), SARRUS_OK);
    sarrus_batch_specialization(batch, &told);
    if (specialize == SARRUS_SPECIALIZE_ON && told.state != SARRUS_SPECIALIZATION_READY) {
        fail_msg("not specialized: %s", told.note);
    }
    sarrus_observation o = {.n_times = 2, .every_steps = N_BIT_STEPS, .observe_first = 1, .n_times_stride = 2};
    numbers out = {0, 0, calloc(2 * N_BIT_INSTANCES * (size_t)(4 * m->n + 3 * m->n_joints + m->n_drives + 16), sizeof(double))};
    double *v = calloc((size_t)m->n, sizeof *v);
    assert_true(out.all && v);
    for (int is_singular = 0; is_singular < 2; ++is_singular) {
        out.i_singular = out.count;
        for (int k = 0; k < SARRUS_N_OBSERVABLES; ++k) {
            const size_t width = (size_t)sarrus_batch_observable_width(batch, (sarrus_observable)k);
            if ((k == SARRUS_OBSERVE_KEPT || k == SARRUS_OBSERVE_DROPPED) == is_singular) {
                o.destination[k] = width > 0 ? out.all + out.count : NULL;
                out.count += 2 * N_BIT_INSTANCES * width;
            }
        }
    }
    for (uint64_t i = 0; i < N_BIT_INSTANCES; ++i) {
        assert_int_equal(sarrus_batch_state(batch, i, NULL, v), SARRUS_OK);
        for (int k = 0; k < m->n; ++k) {
            v[k] *= 1.0 + 0.2 * mechanism_random(&seed);
        }
        mechanism_set_state(batch, i, NULL, v);
    }
    assert_int_equal(sarrus_batch_observe(batch, &o), SARRUS_OK);
    free(v);
    sarrus_batch_destroy(batch);
    return out;
}

/* How far numbers may be off, and singular values, relative to the numbers' own size or 1. 0: to the bit. */
typedef struct slack {
    double of_all, of_singular_values;
} slack;

static void assert_same_numbers(sarrus_joint_type type, const char *what, slack allowed, const numbers *a, const numbers *b) {
    for (size_t i = 0; i < a->count; ++i) {
        const double off = (i < a->i_singular ? allowed.of_all : allowed.of_singular_values) * fmax(1.0, fabs(a->all[i]));
        if (memcmp(&a->all[i], &b->all[i], sizeof *a->all) != 0 && !(fabs(a->all[i] - b->all[i]) <= off && off > 0.0)) {
            fail_msg("%s, %s: number %zu is %.17g, not %.17g", sarrus_joint_word(type), what, i, b->all[i], a->all[i]);
        }
    }
}

/* avx512 and avx2 round alike, but for the reciprocal square root in a rotation of the singular values, which is that of the
 * instruction set. baseline rounds a product before it is added: (n + m) eps condition^2 of an evaluation, of which 40 steps make
 * 1/25 each; at most 80 coordinates and rows here, and conditions of up to 30. */
static slack slack_of(const char *isa) {
    const double evaluation = TOLERANCE_SOLVE(80, 900.0), two_units = 16.0 * DBL_EPSILON;
    return strcmp(isa, "baseline") == 0 ? (slack){evaluation, evaluation} : (slack){0.0, two_units};
}

static void numbers_are_the_same(bool is_specialized) {
    static char text[TEXT_SIZE];
    static const char *const isas[] = {"avx512", "avx2", "baseline"};
    for (int type = 0; type < SARRUS_N_PLANAR_JOINT_TYPES; ++type) {
        write_row_of_joints((sarrus_joint_type)type, sizeof text, text);
        mechanism m = mechanism_open_text(text, NULL);
        const numbers wanted = numbers_of(&m, NULL, SARRUS_SPECIALIZE_OFF);
        for (int k = 0; k < 3 && !is_specialized; ++k) {
            if (mechanism_has_isa(isas[k])) {
                const numbers found = numbers_of(&m, isas[k], SARRUS_SPECIALIZE_OFF);
                assert_same_numbers((sarrus_joint_type)type, isas[k], slack_of(isas[k]), &wanted, &found);
                free(found.all);
            }
        }
        if (is_specialized) {
            const numbers found = numbers_of(&m, NULL, SARRUS_SPECIALIZE_ON);
            assert_same_numbers((sarrus_joint_type)type, "specialized", (slack){0.0, 0.0}, &wanted, &found);
            free(found.all);
        }
        free(wanted.all);
        mechanism_close(&m);
    }
}

static void instruction_sets_agree(void **state) {
    (void)state;
    numbers_are_the_same(false);
}

/* Kernels are compiled by the system's compiler; without one there is nothing to test. */
static void specialized_kernels_agree(void **state) {
    (void)state;
    if (system("cc --version >/dev/null 2>&1") != 0) {
        skip();
    }
    numbers_are_the_same(true);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(energy_changes_by_the_work),
        cmocka_unit_test(loops_do_not_depend_on_how_they_are_written),
        cmocka_unit_test(instruction_sets_agree),
        cmocka_unit_test(specialized_kernels_agree),
    };
    return cmocka_run_group_tests_name("conformance.joint_motions", tests, NULL, NULL);
}

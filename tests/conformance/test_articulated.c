/* Open trees whose chains are so long that accelerations are found by articulated bodies (kernels/body/relative/articulated.h) move
 * as in absolute coordinates, whatever the joints, by every kind of method, in generic kernels and in those of one plan. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "plan/plan.h"
#include "tests/support/mechanism.h"

/* Two formulations by one method, whose local errors are 1e-10 in some hundred steps, or (5e-3)^5 in 200 of rk4 with rates of some
 * 10/s; a chain of a dozen bodies makes thousands of times as much of them. */
#define TOLERANCE 1e-6
static const char *const integrators[] = {"{method: dopri5, dt: 0.02, t_end: 0.1, rtol: 1e-10, atol: 1e-12}",
                                          "{method: adams-moulton, dt: 0.02, t_end: 0.1, rtol: 1e-10, atol: 1e-12}",
                                          "{method: rk4, dt: 5e-4, t_end: 0.1}"};
static const uint64_t n_steps[] = {5, 5, 200};
enum { N_METHODS = 3, N_TEXT = 16384, N_LINKS = 12, N_STATE = 7 * N_LINKS };

/* Joints of a chain, by turns; every third is taken from its child. */
static const char *const planar_joints[] = {"type: revolute", "type: prismatic, axis: [1, 0.5], stiffness: 400, damping: 3",
                                            "type: revolute, stiffness: 5, damping: 0.3, rest: 0.2", "type: fixed",
                                            "type: revolute, damping: 0.1"};
static const char *const spatial_joints[] = {"type: revolute, axis: [0, 0, 1]",
                                             "type: universal, axes: [[1, 0, 0], [0, 1, 0]]",
                                             "type: cylindrical, axis: [0, 1, 0]",
                                             "type: spherical",
                                             "type: revolute, axis: [1, 2, 0], stiffness: 4, damping: 0.3",
                                             "type: screw, axis: [0, 1, 0], pitch: 0.05",
                                             "type: prismatic, axis: [0, 1, 1], stiffness: 500, damping: 4",
                                             "type: planar, axis: [0, 0, 1]"};
enum { N_PLANAR = 5, N_SPATIAL = 8 };

static void bodies_write(FILE *out, bool is_spatial) {
    fprintf(out, "bodies:\n");
    for (int i = 0; i < N_LINKS; ++i) {
        const double mass = 1.0 + 0.1 * i, x = 0.2 * i + 0.1;
        if (is_spatial)
            fprintf(out,
                    "  - {name: b%d, mass: %.2f, inertia: [0.02, 0.03, 0.04, 0.001, 0, 0.002], position: [%.2f, 0.05, 0.02]%s}\n",
                    i, mass, x, i == 4 ? ", rotor: [0, 0.3, 0]" : "");
        else
            fprintf(out, "  - {name: b%d, mass: %.2f, inertia: 0.02, position: [%.2f, 0.05]}\n", i, mass, x);
    }
}

/* Joint i of a chain that begins with the joint `first` of the list; a twig hangs on its third body. */
static void joint_write(FILE *out, bool is_spatial, int first, int i) {
    const char *joint = is_spatial ? spatial_joints[(i + first) % N_SPATIAL] : planar_joints[(i + first) % N_PLANAR];
    const int on = i == N_LINKS - 1 ? 2 : i - 1;
    char inboard[16] = "ground", outboard[16];
    if (i > 0)
        (void)snprintf(inboard, sizeof inboard, "b%d", on);
    (void)snprintf(outboard, sizeof outboard, "b%d", i);
    fprintf(out, "  - {name: j%d, %s, bodies: [%s, %s], at: [%.2f, 0%s]}\n", i, joint, i % 3 == 2 ? outboard : inboard,
            i % 3 == 2 ? inboard : outboard, 0.2 * i, is_spatial ? ", 0" : "");
}

static mechanism chain_open(bool is_spatial, bool is_free, int first, int method, const char *formulation) {
    char text[N_TEXT] = "";
    FILE *out = fmemopen(text, sizeof text, "w");
    assert_non_null(out);
    fprintf(out, "sarrus: 1\nspace: %s\ngravity: [0, %s-9.81]\n", is_spatial ? "spatial" : "planar", is_spatial ? "0, " : "");
    bodies_write(out, is_spatial);
    fprintf(out, "joints:\n");
    for (int i = is_free; i < N_LINKS; ++i)
        joint_write(out, is_spatial, first, i);
    fprintf(out, "dynamics: {formulation: %s}\nintegrator: %s\n", formulation, integrators[method]);
    assert_int_equal(fclose(out), 0);
    return mechanism_open_text(text, NULL);
}

/* q, v and energies of the bodies after the steps of a method. */
typedef struct outcome {
    double q[N_STATE], v[N_STATE], energy[2];
} outcome;

static outcome chain_run(const mechanism *m, int method, sarrus_specialize specialize) {
    const sarrus_batch_options options = {
        .backend = SARRUS_BACKEND_CPU, .n_threads = 1, .specialize = specialize, .cache_dir = "articulated_cache"};
    outcome out = {{0.0}, {0.0}, {0.0}};
    sarrus_batch *batch = NULL;
    assert_int_equal(sarrus_batch_create(m->context, m->plan, &options, 1, NULL, &batch), SARRUS_OK);
    assert_int_equal(sarrus_batch_advance(batch, n_steps[method]), SARRUS_OK);
    sarrus_specialization own;
    sarrus_batch_specialization(batch, &own);
    assert_true(specialize == SARRUS_SPECIALIZE_OFF || own.step_share == 1.0);
    assert_int_equal(sarrus_batch_status(batch, 0), SARRUS_INSTANCE_OK);
    assert_int_equal(sarrus_batch_state(batch, 0, out.q, out.v), SARRUS_OK);
    mechanism_observe(batch, SARRUS_OBSERVE_ENERGY, out.energy);
    sarrus_batch_destroy(batch);
    return out;
}

static void outcomes_compare(const char *what, const outcome *a, const outcome *b) {
    const double of_v = mechanism_size(b->v, N_STATE);
    if (!(mechanism_distance(a->q, b->q, N_STATE) < TOLERANCE) || !(mechanism_distance(a->v, b->v, N_STATE) < TOLERANCE * of_v) ||
        !(mechanism_distance(a->energy, b->energy, 2) < TOLERANCE * mechanism_size(b->energy, 2)))
        fail_msg("%s: q off by %g, v by %g of %g, energies by %g", what, mechanism_distance(a->q, b->q, N_STATE),
                 mechanism_distance(a->v, b->v, N_STATE), of_v, mechanism_distance(a->energy, b->energy, 2));
}

static void chain_compare(bool is_spatial, bool is_free, int first, int method) {
    char what[96];
    mechanism absolute = chain_open(is_spatial, is_free, first, method, "udwadia-kalaba");
    mechanism relative = chain_open(is_spatial, is_free, first, method, "relative");
    assert_int_equal(relative.plan->relative->mech.tree.is_articulated, 1);
    assert_int_equal(relative.plan->relative->mech.tree.n_steps, 0);
    const outcome a = chain_run(&absolute, method, SARRUS_SPECIALIZE_OFF), r = chain_run(&relative, method, SARRUS_SPECIALIZE_OFF);
    (void)snprintf(what, sizeof what, "%s, %s, first %d, %.24s", is_spatial ? "space" : "plane", is_free ? "free" : "held", first,
                   integrators[method]);
    outcomes_compare(what, &r, &a);
    mechanism_close(&absolute);
    mechanism_close(&relative);
}

static void chains_move_as_in_absolute_coordinates(void **state) {
    (void)state;
    for (int method = 0; method < N_METHODS; ++method) {
        for (int first = 0; first < N_SPATIAL; ++first) {
            if (first < N_PLANAR)
                chain_compare(false, first % 2 != 0, first, method);
            chain_compare(true, first % 2 != 0, first, method);
        }
    }
}

/* A plane chain is short enough for straight code. */
static void kernels_of_one_plan_have_the_same_bits(void **state) {
    (void)state;
    for (int method = 0; method < N_METHODS; ++method) {
        mechanism m = chain_open(false, method == 1, method, method, "relative");
        const outcome generic = chain_run(&m, method, SARRUS_SPECIALIZE_OFF), own = chain_run(&m, method, SARRUS_SPECIALIZE_ON);
        assert_memory_equal(&generic, &own, sizeof own);
        mechanism_close(&m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chains_move_as_in_absolute_coordinates),
        cmocka_unit_test(kernels_of_one_plan_have_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

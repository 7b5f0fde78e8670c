/* Claim: an instance that cannot be assembled, one with a NaN in its numbers, one whose force becomes NaN on the way and one that
 * diverges each get their own status; every other instance's bits are those of a batch without them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/mechanism.h"

/* A four-bar given by lengths, a force that is the root of a drawn number, a spring whose stiffness is drawn, an input. */
static const char *const TEXT =
    "sarrus: 1\n"
    "name: isolation\n"
    "parameters: {l: 1.0, k: 4.0, c: 10.0}\n"
    "space: planar\n"
    "gravity: [0, -9.81]\n"
    "bodies:\n"
    "  - {name: crank, mass: 3.0, inertia: 0.0225, position: [0.0, 0.15], angular_velocity: 7.0}\n"
    "  - {name: coupler, mass: 1.0, inertia: 0.0833, position: [0.4, 0.6], orientation: 0.6435}\n"
    "  - {name: rocker, mass: 0.9, inertia: 0.06375, position: [0.9, 0.45], orientation: 0.2187}\n"
    "  - {name: loose, mass: 1.0, inertia: 0.1, position: [3.0, 0.0]}\n"
    "joints:\n"
    "  - {name: A, type: revolute, bodies: [ground, crank], points: [[0, 0], [0, -0.15]]}\n"
    "  - {name: B, type: revolute, bodies: [crank, coupler], points: [[0, 0.15], [\"=-l/2\", 0]]}\n"
    "  - {name: C, type: revolute, bodies: [coupler, rocker], points: [[\"=l/2\", 0], [0, 0.461]]}\n"
    "  - {name: D, type: revolute, bodies: [ground, rocker], points: [[1, 0], [0, -0.461]]}\n"
    "forces:\n"
    "  - {name: push, type: force, body: coupler, at: [0, 0], value: [\"=sqrt(k)\", {input: 0}], frame: inertial}\n"
    "  - {name: pull, type: spring, between: [[loose, [0.1, 0]], [ground, [3, -1]]], stiffness: \"=c\", rest_length: 1.0}\n"
    "integrator: {method: rk4, dt: 1.0e-3, t_end: 1.0}\n"
    "batch:\n"
    "  instances: 40\n"
    "  parameters:\n"
    "    - {name: l, distribution: uniform, low: 0.95, high: 1.05}\n"
    "    - {name: k, distribution: uniform, low: 1, high: 9}\n"
    "    - {name: c, distribution: uniform, low: 5, high: 15}\n";

enum { N = 12, N_INSTANCES = 40, N_STEPS = 60, N_TIMES = 4 };

enum { PLACE_IMPOSSIBLE = 3, PLACE_NAN_PARAMETER = 5, PLACE_NAN_INPUT = 12, PLACE_DIVERGING = 22 };

static bool is_spoiled(int i) {
    return i == PLACE_IMPOSSIBLE || i == PLACE_NAN_PARAMETER || i == PLACE_NAN_INPUT || i == PLACE_DIVERGING;
}

/* Runs the batch; `spoil` puts the bad ones in. q [N_INSTANCES][N_TIMES][N] and status. */
static void run(const mechanism *m, const char *isa, bool spoil, double *q, sarrus_instance_status *status, uint64_t *failed_step) {
    const double nan_input = NAN;
    sarrus_draws *draws = mechanism_draws_by_hand(m, N_INSTANCES);
    for (uint64_t i = 0; i < N_INSTANCES; ++i) {
        draws->values[i] = 0.95 + 0.0025 * (double)i;
        draws->values[N_INSTANCES + i] = 1.0 + 0.2 * (double)i;
        draws->values[2 * N_INSTANCES + i] = 5.0 + 0.25 * (double)i;
    }
    if (spoil) {
        draws->values[PLACE_IMPOSSIBLE] = 3.0;                   /* the coupler spans no pair of tips */
        draws->values[N_INSTANCES + PLACE_NAN_PARAMETER] = -1.0; /* sqrt(-1) */
        draws->values[2 * N_INSTANCES + PLACE_DIVERGING] = -1e6; /* pushes ever harder: e-fold in 1 ms */
    }
    sarrus_batch *batch = mechanism_batch(m, isa, 2, N_INSTANCES, draws);
    if (spoil) {
        mechanism_set_inputs(batch, PLACE_NAN_INPUT, &nan_input);
    }
    sarrus_observation o = {.n_times = N_TIMES, .every_steps = N_STEPS / 3, .observe_first = 1, .n_times_stride = N_TIMES};
    o.destination[SARRUS_OBSERVE_Q] = q;
    assert_int_equal(sarrus_batch_observe(batch, &o), SARRUS_OK);
    for (uint64_t i = 0; i < N_INSTANCES; ++i) {
        status[i] = sarrus_batch_status(batch, i);
        failed_step[i] = sarrus_batch_failed_step(batch, i);
    }
    sarrus_batch_destroy(batch);
    mechanism_draws_free(draws);
}

static void check_isa(const char *isa, const char *pinv) {
    static double clean[N_INSTANCES][N_TIMES][N], mixed[N_INSTANCES][N_TIMES][N];
    sarrus_instance_status clean_status[N_INSTANCES], status[N_INSTANCES];
    uint64_t clean_step[N_INSTANCES], step[N_INSTANCES];
    sarrus_override overrides[] = {{"dynamics.pinv", pinv}, {NULL, NULL}};
    mechanism m = mechanism_open_text(TEXT, overrides);
    run(&m, isa, false, &clean[0][0][0], clean_status, clean_step);
    run(&m, isa, true, &mixed[0][0][0], status, step);
    for (int i = 0; i < N_INSTANCES; ++i) {
        assert_int_equal(clean_status[i], SARRUS_INSTANCE_OK);
        assert_true(isfinite(clean[i][N_TIMES - 1][0]));
        if (!is_spoiled(i)) {
            assert_int_equal(status[i], SARRUS_INSTANCE_OK);
            assert_memory_equal(clean[i], mixed[i], sizeof clean[i]);
        } else { /* NaN from the failure on */
            assert_true(isnan(mixed[i][N_TIMES - 1][0]));
        }
    }
    assert_int_equal(status[PLACE_IMPOSSIBLE], SARRUS_INSTANCE_ASSEMBLY_FAILED);
    assert_int_equal(status[PLACE_NAN_PARAMETER], SARRUS_INSTANCE_INVALID_PARAMETER);
    assert_int_equal(status[PLACE_NAN_INPUT], SARRUS_INSTANCE_NONFINITE_FORCE);
    assert_int_equal(status[PLACE_DIVERGING], SARRUS_INSTANCE_DIVERGED);
    assert_int_equal(step[PLACE_IMPOSSIBLE], 0);
    assert_int_equal(step[PLACE_NAN_PARAMETER], 0);
    assert_int_equal(step[PLACE_NAN_INPUT], 1);
    assert_true(step[PLACE_DIVERGING] > 10 && step[PLACE_DIVERGING] < N_STEPS);
    assert_true(isnan(mixed[PLACE_IMPOSSIBLE][0][0]) && isnan(mixed[PLACE_NAN_PARAMETER][0][0]));
    mechanism_close(&m);
}

static void bad_instances_leave_the_others_alone(void **state) {
    (void)state;
    const char *isas[] = {"avx512", "avx2", "baseline"};
    for (int k = 0; k < 3; ++k) {
        for (int p = 0; p < SARRUS_N_PINV_HOST_METHODS && mechanism_has_isa(isas[k]); ++p) {
            check_isa(isas[k], sarrus_pinv_method_word((sarrus_pinv_method)p));
        }
    }
}

/* A failed instance keeps its status through more steps, and a reset takes it away with the cause. */
static void status_is_sticky_until_reset(void **state) {
    (void)state;
    double input = NAN;
    mechanism m = mechanism_open_text(TEXT, NULL);
    sarrus_batch *batch = mechanism_batch(&m, NULL, 1, 2, NULL);
    mechanism_set_inputs(batch, 1, &input);
    assert_int_equal(sarrus_batch_advance(batch, 2), SARRUS_OK);
    assert_int_equal(sarrus_batch_status(batch, 1), SARRUS_INSTANCE_NONFINITE_FORCE);
    input = 0.0;
    mechanism_set_inputs(batch, 1, &input);
    assert_int_equal(sarrus_batch_advance(batch, 2), SARRUS_OK);
    assert_int_equal(sarrus_batch_status(batch, 1), SARRUS_INSTANCE_NONFINITE_FORCE);
    assert_int_equal(sarrus_batch_failed_step(batch, 1), 1);
    sarrus_instance_statistics healthy, failed;
    assert_int_equal(sarrus_batch_statistics(batch, 0, &healthy), SARRUS_OK);
    assert_int_equal(sarrus_batch_statistics(batch, 1, &failed), SARRUS_OK);
    assert_int_equal(healthy.n_steps, 4);
    assert_int_equal(healthy.n_evaluations, 16);
    assert_int_equal(failed.n_steps, 0); /* the step that failed was not taken, its accelerations were computed */
    assert_int_equal(failed.n_evaluations, 4);
    assert_int_equal(sarrus_batch_reset(batch), SARRUS_OK);
    mechanism_set_inputs(batch, 1, &input);
    assert_int_equal(sarrus_batch_advance(batch, 4), SARRUS_OK);
    assert_int_equal(sarrus_batch_status(batch, 1), SARRUS_INSTANCE_OK);
    double q[2][N];
    mechanism_observe(batch, SARRUS_OBSERVE_Q, &q[0][0]);
    assert_memory_equal(q[0], q[1], sizeof q[0]);
    sarrus_batch_destroy(batch);
    mechanism_close(&m);
}

/* Square roots of masses and products of them leave the range of numbers long before a mass does: in space the projection of the
 * speeds then has none left, though the positions were closed. Such an instance was not assembled. */
static void speeds_that_are_no_numbers_were_not_assembled(void **state) {
    (void)state;
    enum { N_HEAVY = 7, N_SPATIAL = 18 };
    const double mass[N_HEAVY] = {3.0, 1e-155, 3.1, 1e-200, 3.2, 1e200, 3.3};
    sarrus_override overrides[] = {
        {"batch", "{instances: 7, parameters: [{path: bodies.crank.mass, distribution: uniform, low: 1, high: 4}]}"}, {NULL, NULL}};
    mechanism m = mechanism_open_file("spatial_four_bar.yaml", overrides);
    sarrus_draws *draws = mechanism_draws_by_hand(&m, N_HEAVY);
    memcpy(draws->values, mass, sizeof mass);
    sarrus_batch *batch = mechanism_batch(&m, NULL, 1, N_HEAVY, draws);
    for (uint64_t i = 0; i < N_HEAVY; ++i) {
        double v[N_SPATIAL];
        bool is_finite = true;
        assert_int_equal(sarrus_batch_state(batch, i, NULL, v), SARRUS_OK);
        for (int k = 0; k < N_SPATIAL; ++k)
            is_finite = is_finite && isfinite(v[k]);
        const sarrus_instance_status found = sarrus_batch_status(batch, i);
        assert_int_equal(found, is_finite ? SARRUS_INSTANCE_OK : SARRUS_INSTANCE_ASSEMBLY_FAILED);
        assert_int_equal(is_finite, mass[i] > 1.0);
    }
    sarrus_batch_destroy(batch);
    mechanism_draws_free(draws);
    mechanism_close(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_instances_leave_the_others_alone),
        cmocka_unit_test(status_is_sticky_until_reset),
        cmocka_unit_test(speeds_that_are_no_numbers_were_not_assembled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The yardstick of the specialised kernels (bench/prototype_five_bar.h) solves the same problem as the batch, and rightly: against
 * the closed form, against sarrus_batch on the same scenario, with other masses, and whatever the threads. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "bench/prototype_five_bar.h"
#include "tests/support/closed_form.h"
#include "tests/support/mechanism.h"
#include "tests/tolerances.h"

static const double START = 0.7853981633974483, DT = 1e-3;
enum { N_STEPS = 2000, N = SARRUS_PROTOTYPE_N };

static const char *const isas[] = {"avx512", "avx2", "baseline"};
enum { N_ISAS = 3, N_KINDS = 2 };

/* RK4's own error over 2 s is below 1e-11 rad (TOLERANCE_FIVE_BAR_ANGLE derives 5e-11 for 20 s). */
static const double CLOSED_FORM_BOUND = 1e-10;

/* Two solvers of accelerations below 10 m/s² or rad/s² on eleven rows: each is off by at most 10 · size · eps · condition with the
 * 23 of rows and coordinates and cond(S) < 70 over this swing (masses of either test). Unstabilised, an error e of the acceleration
 * moves a coordinate by e t²/2. Two orders of summing 2000 steps add less than their number in ulps of coordinates below 4. */
static double batch_bound(double t) {
    return 2.0 * 10.0 * TOLERANCE_SOLVE(23, 70.0) * 0.5 * t * t + 2.0 * N_STEPS * 4.0 * DBL_EPSILON;
}

/* q and v of the last of `n_instances` after 2 s. */
static void run_prototype(int kind, const char *isa, int n_threads, uint64_t n_instances, const sarrus_prototype_instance *instance,
                          double state[2 * N]) {
    sarrus_prototype *prototype = sarrus_prototype_create((sarrus_prototype_kind)kind, isa, n_threads, n_instances, DT, instance);
    assert_non_null(prototype);
    assert_true(sarrus_prototype_position_error(prototype, n_instances - 1) <= 1e-15);
    assert_true(sarrus_prototype_advance(prototype, N_STEPS));
    sarrus_prototype_state(prototype, n_instances - 1, state, state + N);
    assert_true(sarrus_prototype_position_error(prototype, n_instances - 1) <= CLOSED_FORM_BOUND);
    sarrus_prototype_destroy(prototype);
}

static void test_closed_form(void **state) {
    (void)state;
    closed_form_pendulum pendulum = closed_form_pendulum_create(3.5L * 9.81L / 3.05L, START, 0.0L);
    long double angle, speed;
    closed_form_pendulum_state(&pendulum, (long double)N_STEPS * (long double)DT, &angle, &speed);
    sarrus_prototype_instance instance, expected;
    sarrus_prototype_parallelogram(START, &instance);
    sarrus_prototype_parallelogram((double)angle, &expected);
    for (int i = 0; i < N_ISAS * N_KINDS; i++) {
        if (!mechanism_has_isa(isas[i / N_KINDS])) {
            continue;
        }
        double found[2 * N];
        run_prototype(i % N_KINDS, isas[i / N_KINDS], 1, 1, &instance, found);
        const double error = mechanism_distance(found, expected.q, N), speed_error = fabs(found[N + 2] - (double)speed);
        print_message("%s, kind %d: off the closed form by %.1e\n", isas[i / N_KINDS], i % N_KINDS, error);
        assert_true(error <= CLOSED_FORM_BOUND);
        assert_true(speed_error <= 10.0 * CLOSED_FORM_BOUND); /* rates of this swing are below 10/s */
    }
}

static void assert_batch_agrees(const sarrus_override *overrides, const sarrus_prototype_instance *instance) {
    mechanism m = mechanism_open_file("five_bar.yaml", overrides);
    sarrus_batch *batch = mechanism_batch(&m, NULL, 1, 1, NULL);
    double expected[2 * N];
    assert_int_equal(sarrus_batch_advance(batch, N_STEPS), SARRUS_OK);
    assert_int_equal(sarrus_batch_state(batch, 0, expected, expected + N), SARRUS_OK);
    for (int i = 0; i < N_ISAS * N_KINDS; i++) {
        if (!mechanism_has_isa(isas[i / N_KINDS])) {
            continue;
        }
        double found[2 * N];
        run_prototype(i % N_KINDS, isas[i / N_KINDS], 1, 1, instance, found);
        const double difference = mechanism_distance(found, expected, N);
        print_message("%s, kind %d: off the batch by %.1e\n", isas[i / N_KINDS], i % N_KINDS, difference);
        assert_true(difference <= batch_bound(N_STEPS * DT));
        assert_true(mechanism_size(found + N, N) > 0.1); /* it moves: at rest in the beginning, and not a whole swing later */
    }
    sarrus_batch_destroy(batch);
    mechanism_close(&m);
}

static void test_batch(void **state) {
    const sarrus_override overrides[] = {{"dynamics.projection", "none"}, {NULL, NULL}};
    sarrus_prototype_instance instance;
    (void)state;
    sarrus_prototype_parallelogram(START, &instance);
    assert_batch_agrees(overrides, &instance);
}

/* Masses are an instance's own, not constants of the prototype. */
static void test_other_masses(void **state) {
    const sarrus_override overrides[] = {
        {"dynamics.projection", "none"}, {"bodies.crank_a.mass", "1.5"}, {"bodies.crank_b.inertia", "0.3"}, {NULL, NULL}};
    sarrus_prototype_instance instance;
    (void)state;
    sarrus_prototype_parallelogram(START, &instance);
    instance.mass[0] = 1.5;
    instance.inertia[1] = 0.3;
    assert_batch_agrees(overrides, &instance);
}

static void test_threads(void **state) {
    sarrus_prototype_instance instance;
    double one[2 * N], last[2 * N];
    (void)state;
    sarrus_prototype_parallelogram(START, &instance);
    run_prototype(SARRUS_PROTOTYPE_SPARSE, "baseline", 1, 1, &instance, one);
    run_prototype(SARRUS_PROTOTYPE_SPARSE, "baseline", 3, 19, &instance, last);
    assert_memory_equal(one, last, sizeof one);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_closed_form),
        cmocka_unit_test(test_batch),
        cmocka_unit_test(test_other_masses),
        cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* What is observed of an instance that is ok is a number, at t = 0 and for states that are put in from outside too: where something
 * is NaN or infinite, that instance ends, and no other one hears of it. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "tests/support/mechanism.h"

enum { N = 11, I_STIFF = 3, I_FAST = 6, N_STEPS = 5 };

static const char text[] =
    "sarrus: 1\nspace: planar\ngravity: [0, -9.81]\nparameters: {k: 1.0}\n"
    "bodies: [{name: rod, mass: 1, inertia: 0.1, position: [0, -0.5]}]\n"
    "joints: [{name: A, type: revolute, bodies: [ground, rod], at: [0, 0], stiffness: '=k', rest: 3}]\n"
    "dynamics: {formulation: udwadia-kalaba}\n" /* a speed is put in that the joint does not let the rod have */
    "integrator: {method: rk4, dt: 0.001, t_end: 1}\n"
    "batch: {instances: 11, parameters: [{name: k, distribution: uniform, low: 1, high: 2}]}\n"
    "output: {channels: [state, energy, reactions]}\n";

/* Springs of 1 … 2 N m/rad, one of them of 1e308: rest² k/2 is infinite. */
static sarrus_draws *draws_make(const mechanism *m, double stiff) {
    sarrus_draws *draws = mechanism_draws_by_hand(m, N);
    for (int i = 0; i < N; ++i)
        draws->values[i] = i == I_STIFF ? stiff : 1.0 + 0.1 * i;
    return draws;
}

static void rows_check(sarrus_batch *batch, const char *channel, sarrus_observable observable, int i_bad, const double *expected) {
    double seen[3 * N];
    const int width = sarrus_batch_observable_width(batch, observable);
    assert_in_range(width, 1, 3);
    mechanism_observe(batch, observable, seen);
    for (int i = 0; i < N; ++i)
        for (int k = 0; k < width; ++k) {
            const double x = seen[i * width + k];
            if (i == i_bad ? !isnan(x) : memcmp(&x, &expected[i * width + k], sizeof x) != 0)
                fail_msg("%s of instance %d is %g", channel, i, x);
        }
}

static void the_first_observation_is_judged(void **state) {
    (void)state;
    mechanism m = mechanism_open_text(text, NULL);
    const sarrus_observable observables[] = {SARRUS_OBSERVE_ENERGY, SARRUS_OBSERVE_REACTIONS};
    for (int o = 0; o < 2; ++o) {
        sarrus_draws *soft = draws_make(&m, 1.0), *stiff = draws_make(&m, 1e308);
        sarrus_batch *good = mechanism_batch(&m, NULL, 2, N, soft), *batch = mechanism_batch(&m, NULL, 2, N, stiff);
        double expected[3 * N];
        mechanism_observe(good, observables[o], expected);
        rows_check(batch, "the first row", observables[o], I_STIFF, expected);
        for (int i = 0; i < N; ++i)
            assert_int_equal(sarrus_batch_status(batch, (uint64_t)i),
                             i == I_STIFF ? SARRUS_INSTANCE_NONFINITE_FORCE : SARRUS_INSTANCE_OK);
        assert_int_equal(sarrus_batch_failed_step(batch, I_STIFF), 0);
        assert_int_equal(sarrus_batch_advance(good, N_STEPS), SARRUS_OK);
        assert_int_equal(sarrus_batch_advance(batch, N_STEPS), SARRUS_OK);
        mechanism_observe(good, observables[o], expected);
        rows_check(batch, "a later row", observables[o], I_STIFF, expected);
        sarrus_batch_destroy(batch);
        sarrus_batch_destroy(good);
        mechanism_draws_free(stiff);
        mechanism_draws_free(soft);
    }
    mechanism_close(&m);
}

/* A speed of 1e200 m/s is a number, its energy is none. */
static void a_state_put_in_is_judged(void **state) {
    (void)state;
    mechanism m = mechanism_open_text(text, NULL);
    sarrus_draws *soft = draws_make(&m, 1.0);
    sarrus_batch *batch = mechanism_batch(&m, NULL, 2, N, soft);
    const double v[3] = {1e200, 0.0, 0.0};
    double expected[N];
    assert_int_equal(sarrus_batch_advance(batch, N_STEPS), SARRUS_OK);
    mechanism_observe(batch, SARRUS_OBSERVE_ENERGY, expected);
    mechanism_set_state(batch, I_FAST, NULL, v);
    rows_check(batch, "energy", SARRUS_OBSERVE_ENERGY, I_FAST, expected);
    assert_int_equal(sarrus_batch_status(batch, I_FAST), SARRUS_INSTANCE_NONFINITE_FORCE);
    assert_int_equal(sarrus_batch_failed_step(batch, I_FAST), N_STEPS);
    assert_int_equal(sarrus_batch_reset(batch), SARRUS_OK);
    assert_int_equal(sarrus_batch_status(batch, I_FAST), SARRUS_INSTANCE_OK);
    sarrus_batch_destroy(batch);
    mechanism_draws_free(soft);
    mechanism_close(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_observation_is_judged),
        cmocka_unit_test(a_state_put_in_is_judged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

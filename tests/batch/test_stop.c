/* Claim: a batch stops soon after its owner's flag is set, in whatever it is doing, and leaves nothing half made: every instance
 * stands where some step of the undisturbed motion ends, no instance has failed, and after a reset the batch does what a new one
 * does. */
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "core/monotonic.h"
#include "plan/plan.h"
#include "tests/support/mechanism.h"

enum { N_INSTANCES = 40, N = 15, MANY = 1 << 30 };

/* s. A stop takes milliseconds; the machine may be busy. What would go on without it takes hours. */
static const double SOON = 2.0;

/* Sets a flag after a while. */
typedef struct stopper {
    pthread_t thread;
    volatile int32_t flag;
    double seconds;
} stopper;

static void *stop_later(void *user) {
    stopper *s = user;
    const struct timespec pause = {(time_t)s->seconds, (long)(1e9 * fmod(s->seconds, 1.0))};
    (void)nanosleep(&pause, NULL);
    __atomic_store_n(&s->flag, 1, __ATOMIC_RELAXED);
    return NULL;
}

static void stopper_start(stopper *s, double seconds) {
    s->seconds = seconds;
    assert_int_equal(pthread_create(&s->thread, NULL, stop_later, s), 0);
}

static void stopper_join(stopper *s) {
    assert_int_equal(pthread_join(s->thread, NULL), 0);
}

static sarrus_batch *batch_with(const mechanism *m, const volatile int32_t *stop, int n_threads) {
    const sarrus_batch_options options = {.backend = SARRUS_BACKEND_CPU, .n_threads = n_threads, .stop = stop};
    sarrus_batch *batch = NULL;
    assert_int_equal(sarrus_batch_create(m->context, m->plan, &options, N_INSTANCES, NULL, &batch), SARRUS_OK);
    return batch;
}

static mechanism open_with(const char *method, const char *dynamics) {
    const sarrus_override overrides[] = {
        {"integrator.method", method},
        {"integrator.rtol", "1e-11"},
        {"integrator.atol", "1e-11"},
        {"integrator.max_steps", "1000000000000"},
        {"integrator.substeps", "off"},                          /* rows are counted by whole steps */
        {"limits", "{violation: off, energy: off, error: off}"}, /* hours bring any method to an end */
        {"dynamics", dynamics},
        {"output", "{interval: 0.25}"},
        {NULL, NULL}};
    return mechanism_open_file("n_four_bar_2.yaml", overrides);
}

static void a_set_flag_makes_no_batch(void **state) {
    (void)state;
    const int32_t stop = 1;
    mechanism m = open_with("rk4", "{projection: every_step}");
    const sarrus_batch_options options = {.backend = SARRUS_BACKEND_CPU, .n_threads = 2, .stop = &stop};
    sarrus_batch *batch = NULL;
    assert_int_equal(sarrus_batch_create(m.context, m.plan, &options, N_INSTANCES, NULL, &batch), SARRUS_INTERRUPTED);
    assert_null(batch);
    assert_int_equal(sarrus_context_n_diagnostics(m.context), 0); /* nothing is wrong */
    mechanism_close(&m);
}

/* Every instance stands where it did before the call, or where a step of fixed size, or the whole call, has brought it. */
static void check_states(sarrus_batch *batch, const mechanism *m, uint64_t n_steps_of_call) {
    sarrus_batch *undisturbed = mechanism_batch(m, NULL, 1, 1, NULL);
    uint64_t n_done = 0;
    for (uint64_t i = 0; i < N_INSTANCES; ++i) {
        double q[2][N], v[2][N];
        sarrus_instance_statistics is;
        assert_int_equal(sarrus_batch_status(batch, i), SARRUS_INSTANCE_OK);
        assert_int_equal(sarrus_batch_statistics(batch, i, &is), SARRUS_OK);
        assert_int_equal(sarrus_batch_state(batch, i, q[0], v[0]), SARRUS_OK);
        const bool is_adaptive = m->plan->mech.integrator.is_adaptive;
        const uint64_t n_here = is_adaptive ? 0 : is.n_steps;
        if (n_here < n_done) { /* instances of one tile stand together; those of another may be behind */
            assert_int_equal(sarrus_batch_reset(undisturbed), SARRUS_OK);
            n_done = 0;
        }
        assert_true(n_here < n_steps_of_call);
        assert_int_equal(sarrus_batch_advance(undisturbed, n_here - n_done), SARRUS_OK);
        n_done = n_here;
        assert_int_equal(sarrus_batch_state(undisturbed, 0, q[1], v[1]), SARRUS_OK);
        assert_memory_equal(q[0], q[1], (size_t)m->n * sizeof(double));
        assert_memory_equal(v[0], v[1], (size_t)m->n * sizeof(double));
        if (m->plan->mech.integrator.method == SARRUS_INTEGRATOR_RK4)
            assert_int_equal(is.n_evaluations, 4 * is.n_steps);
    }
    sarrus_batch_destroy(undisturbed);
}

static void check_reset(sarrus_batch *batch, const mechanism *m, stopper *s) {
    double q[2][N], v[2][N];
    sarrus_batch *fresh = mechanism_batch(m, NULL, 1, 1, NULL);
    s->flag = 0;
    assert_int_equal(sarrus_batch_advance(batch, 1), SARRUS_INTERRUPTED); /* until it is reset */
    assert_int_equal(sarrus_batch_reset(batch), SARRUS_OK);
    assert_int_equal(sarrus_batch_advance(batch, 3), SARRUS_OK);
    assert_int_equal(sarrus_batch_advance(fresh, 3), SARRUS_OK);
    assert_int_equal(sarrus_batch_state(fresh, 0, q[1], v[1]), SARRUS_OK);
    for (uint64_t i = 0; i < N_INSTANCES; i += 13) {
        assert_int_equal(sarrus_batch_state(batch, i, q[0], v[0]), SARRUS_OK);
        assert_memory_equal(q[0], q[1], (size_t)m->n * sizeof(double));
        assert_memory_equal(v[0], v[1], (size_t)m->n * sizeof(double));
    }
    sarrus_batch_destroy(fresh);
}

/* One call that would take hours, stopped after `seconds`; as an advance, or as one with rows. */
static void check_stop(const char *method, const char *dynamics, double seconds, bool has_rows) {
    stopper s = {.flag = 0};
    mechanism m = open_with(method, dynamics);
    assert_true(m.n <= N);
    sarrus_batch *batch = batch_with(&m, &s.flag, 2);
    static double energy[N_INSTANCES];
    sarrus_observation o = {.n_times = 1, .every_steps = MANY, .n_times_stride = 1};
    o.destination[SARRUS_OBSERVE_ENERGY] = energy;
    for (int i = 0; i < N_INSTANCES; ++i)
        energy[i] = -1.5;
    stopper_start(&s, seconds);
    const double began = sarrus_monotonic_seconds();
    const sarrus_status status = has_rows ? sarrus_batch_observe(batch, &o) : sarrus_batch_advance(batch, MANY);
    const double took = sarrus_monotonic_seconds() - began;
    stopper_join(&s);
    assert_int_equal(status, SARRUS_INTERRUPTED);
    if (took - seconds > SOON)
        fail_msg("%s %s: stopped after %.2f s instead of %.2f s", method, dynamics, took, seconds);
    for (int i = 0; i < N_INSTANCES; ++i)
        assert_true(energy[i] == -1.5); /* no row */
    assert_true(sarrus_batch_time(batch) == 0.0 && sarrus_batch_step(batch) == 0);
    assert_int_equal(sarrus_batch_observe(batch, &o), SARRUS_INTERRUPTED);
    check_states(batch, &m, MANY);
    check_reset(batch, &m, &s);
    sarrus_batch_destroy(batch);
    mechanism_close(&m);
}

static void steps_are_stopped_between(void **state) {
    (void)state;
    static const char *const methods[] = {"rk4", "semi-implicit", "dopri5", "verner65", "adams-moulton"};
    for (int i = 0; i < 5; ++i) {
        check_stop(methods[i], "{projection: every_step}", 0.02, false);
        check_stop(methods[i], "{baumgarte: {alpha: 20, beta: 20}, projection: every_step}", 0.01, true);
    }
}

/* Nearly all the time goes into decompositions here: a stop falls into one, and what that leaves is not taken for a result. */
static void decompositions_are_stopped_within(void **state) {
    (void)state;
    static const char *const dynamics[] = {"{pinv: svd, projection: every_step}", "{pinv: jacobi, rank: {method: gap}}",
                                           "{pinv: lapack}"};
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 6; ++k) {
            check_stop("rk4", dynamics[i], 0.01 + 0.003 * k, k % 2 == 1);
            check_stop(k % 2 ? "dopri5" : "adams-moulton", dynamics[i], 0.01 + 0.003 * k, false);
        }
    }
}

/* Matrices of 242 rows: without a stop within them a step takes a second, of which half is to be waited for in the mean. */
static void a_large_decomposition_does_not_hold_it_up(void **state) {
    (void)state;
    const sarrus_override overrides[] = {{"dynamics", "{pinv: jacobi, rank: {method: gap}, projection: every_step}"},
                                         {"integrator.method", "verner65"},
                                         {NULL, NULL}};
    mechanism m = mechanism_open_file("n_four_bar_40.yaml", overrides);
    double waited = 0.0;
    for (int k = 0; k < 4; ++k) {
        stopper s = {.flag = 0};
        const sarrus_batch_options options = {.backend = SARRUS_BACKEND_CPU, .n_threads = 1, .stop = &s.flag};
        sarrus_batch *batch = NULL;
        assert_int_equal(sarrus_batch_create(m.context, m.plan, &options, 1, NULL, &batch), SARRUS_OK);
        stopper_start(&s, 0.3 + 0.23 * k);
        const double began = sarrus_monotonic_seconds();
        assert_int_equal(sarrus_batch_advance(batch, MANY), SARRUS_INTERRUPTED);
        waited += sarrus_monotonic_seconds() - began - s.seconds;
        stopper_join(&s);
        assert_int_equal(sarrus_batch_status(batch, 0), SARRUS_INSTANCE_OK);
        sarrus_batch_destroy(batch);
    }
    print_message("four stops within %.0f ms\n", 1e3 * waited);
    assert_true(waited < 0.5);
    mechanism_close(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_set_flag_makes_no_batch),
        cmocka_unit_test(steps_are_stopped_between),
        cmocka_unit_test(decompositions_are_stopped_within),
        cmocka_unit_test(a_large_decomposition_does_not_hold_it_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Claim: the five-bar parallelogram follows its closed form. 20 s from 45 degrees to 1e-8 rad with and without projection,
 * order 4, the parallel branch from exactly 90 degrees, and every instance of the Monte Carlo study its own pendulum. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/support/closed_form.h"
#include "tests/support/mechanism.h"
#include "tests/tolerances.h"

enum { N = 12 };

static const double START = 0.7853981633974483;

/* Observations of one instance: q, v, a [n_times][12], energy and rank [n_times]; row 0 is the start. */
typedef struct history {
    size_t n_times;
    double *q, *v, *a, *energy, *rank;
} history;

static history history_record(sarrus_batch *batch, size_t n_times, uint64_t every) {
    history h = {.n_times = n_times, .q = calloc(n_times * (3 * N + 2), sizeof *h.q)};
    assert_non_null(h.q);
    h.v = h.q + N * n_times;
    h.a = h.v + N * n_times;
    h.energy = h.a + N * n_times;
    h.rank = h.energy + n_times;
    sarrus_observation o = {.n_times = n_times, .every_steps = every, .observe_first = 1, .n_times_stride = n_times};
    o.destination[SARRUS_OBSERVE_Q] = h.q;
    o.destination[SARRUS_OBSERVE_V] = h.v;
    o.destination[SARRUS_OBSERVE_ACCELERATION] = h.a;
    o.destination[SARRUS_OBSERVE_ENERGY] = h.energy;
    o.destination[SARRUS_OBSERVE_RANK] = h.rank;
    assert_int_equal(sarrus_batch_observe(batch, &o), SARRUS_OK);
    assert_int_equal(sarrus_batch_status(batch, 0), SARRUS_INSTANCE_OK);
    return h;
}

/* Largest distance of the three cranks' angles from the pendulum, over all rows `step` seconds apart. */
static double angle_error(const history *h, double step, long double phi0) {
    closed_form_pendulum p = closed_form_pendulum_create(3.5L * 9.81L / 3.05L, phi0, 0.0L);
    double worst = 0.0;
    for (size_t k = 0; k < h->n_times; ++k) {
        long double phi, speed;
        closed_form_pendulum_state(&p, (long double)k * (long double)step, &phi, &speed);
        for (int crank = 0; crank < 3; ++crank) {
            double error = fabs((double)(h->q[N * k + 3 * (size_t)crank + 2] - phi));
            worst = error <= worst ? worst : error; /* NaN comes through */
        }
    }
    return worst;
}

/* Largest angle between two cranks, or of the coupler. */
static double parting(const history *h) {
    double worst = 0.0;
    for (size_t k = 0; k < h->n_times; ++k) {
        const double *q = h->q + N * k;
        double apart = fmax(fmax(fabs(q[5] - q[2]), fabs(q[8] - q[2])), fabs(q[11]));
        worst = apart <= worst ? worst : apart;
    }
    return worst;
}

static void run_20_s(const char *projection) {
    sarrus_override overrides[] = {{"dynamics.projection", projection}, {NULL, NULL}};
    mechanism m = mechanism_open_file("five_bar.yaml", overrides);
    sarrus_batch *batch = mechanism_batch(&m, NULL, 1, 1, NULL);
    history h = history_record(batch, 2001, 10);
    double error = angle_error(&h, 0.01, START);
    print_message("five_bar 20 s, projection %s: angle error %.2e rad, energy drift %.2e J, apart %.2e rad\n", projection, error,
                  fabs(h.energy[2000] - h.energy[0]), parting(&h));
    assert_true(error <= TOLERANCE_FIVE_BAR_ANGLE);
    assert_true(parting(&h) <= TOLERANCE_FIVE_BAR_ANGLE);
    for (size_t k = 0; k < h.n_times; ++k) {
        assert_true(h.rank[k] == 11.0);
    }
    free(h.q);
    sarrus_batch_destroy(batch);
    mechanism_close(&m);
}

static void follows_the_pendulum_for_20_s(void **state) {
    (void)state;
    run_20_s("none");
    run_20_s("every_step");
    run_20_s("{tolerance: 1.0e-10}");
}

/* Two lanes, as the host solves one by one. Tikhonov's method pulls every acceleration towards zero by the square of its
 * parameter, 1e-5 of the smallest singular value: far below the bound too. */
static void follows_the_pendulum_with_every_pinv(void **state) {
    (void)state;
    for (int p = 0; p < SARRUS_N_PINV_HOST_METHODS; ++p) {
        const char *pinv = sarrus_pinv_method_word((sarrus_pinv_method)p);
        sarrus_override overrides[] = {{"dynamics.pinv", pinv}, {NULL, NULL}};
        mechanism m = mechanism_open_file("five_bar.yaml", overrides);
        sarrus_batch *batch = mechanism_batch(&m, "baseline", 1, 1, NULL);
        history h = history_record(batch, 201, 10);
        double error = angle_error(&h, 0.01, START);
        print_message("five_bar 2 s, %s: angle error %.2e rad, apart %.2e rad\n", pinv, error, parting(&h));
        assert_true(error <= TOLERANCE_FIVE_BAR_ANGLE);
        assert_true(parting(&h) <= TOLERANCE_PARALLEL);
        free(h.q);
        sarrus_batch_destroy(batch);
        mechanism_close(&m);
    }
}

static double error_at_step(const char *dt, double step, double t_end) {
    sarrus_override overrides[] = {{"dynamics.projection", "none"},
                                   {"integrator.dt", dt},
                                   {"integrator.t_end", "4.0"},
                                   {"output", "{every: 1, channels: [state]}"},
                                   {NULL, NULL}};
    mechanism m = mechanism_open_file("five_bar.yaml", overrides);
    sarrus_batch *batch = mechanism_batch(&m, NULL, 1, 1, NULL);
    uint64_t every = (uint64_t)lround(0.02 / step);
    history h = history_record(batch, (size_t)lround(t_end / 0.02) + 1, every);
    double error = angle_error(&h, 0.02, START);
    free(h.q);
    sarrus_batch_destroy(batch);
    mechanism_close(&m);
    return error;
}

/* dt from 4e-3 to 5e-4: the smallest error, 1e-12 rad, is still a thousand times the round-off of the angle. */
static void has_order_four(void **state) {
    (void)state;
    const char *dt[] = {"4.0e-3", "2.0e-3", "1.0e-3", "5.0e-4"};
    double error[4], mean_x = 0.0, mean_y = 0.0, sxy = 0.0, sxx = 0.0;
    for (int i = 0; i < 4; ++i) {
        error[i] = error_at_step(dt[i], 4e-3 / (1 << i), 4.0);
        print_message("dt %s: %.3e rad\n", dt[i], error[i]);
        mean_x += -(double)i / 4.0;
        mean_y += log2(error[i]) / 4.0;
    }
    for (int i = 0; i < 4; ++i) {
        sxy += (-(double)i - mean_x) * (log2(error[i]) - mean_y);
        sxx += (-(double)i - mean_x) * (-(double)i - mean_x);
    }
    print_message("observed order %.3f\n", sxy / sxx);
    assert_true(fabs(sxy / sxx - 4.0) <= TOLERANCE_ORDER);
}

static void stays_on_the_parallel_branch_from_90_degrees(void **state) {
    (void)state;
    mechanism m = mechanism_open_file("five_bar_singular.yaml", NULL);
    sarrus_plan_sizes sizes;
    sarrus_plan_sizes_get(m.plan, &sizes);
    assert_int_equal(sizes.rank, 11);
    assert_int_equal(sizes.rank_at_t0, 10);
    sarrus_batch *batch = mechanism_batch(&m, NULL, 1, 1, NULL);
    history h = history_record(batch, 2001, 10);
    for (size_t i = 0; i < N * h.n_times; ++i) {
        assert_true(isfinite(h.a[i]));
    }
    /* at the start the rank is 10 and Gauss's principle gives the parallel branch: phi'' = -3.5 g/3.05 */
    for (int crank = 0; crank < 3; ++crank) {
        assert_true(fabs(h.a[3 * crank + 2] + 3.5 * 9.81 / 3.05) <= 1e-12);
    }
    double error = angle_error(&h, 0.01, 1.5707963267948966L);
    print_message("five_bar_singular 20 s: angle error %.2e rad, apart %.2e rad\n", error, parting(&h));
    assert_true(parting(&h) <= TOLERANCE_PARALLEL);
    assert_true(error <= TOLERANCE_FIVE_BAR_ANGLE);
    free(h.q);
    sarrus_batch_destroy(batch);
    mechanism_close(&m);
}

/* The pendulum of an instance with its own masses and size. */
static closed_form_pendulum pendulum_of(const reference *ref, double length, double phi0) {
    double inertia = 0.0, weight = 0.0;
    for (int body = 0; body < 4; ++body) {
        double arm = body < 3 ? 0.5 * length : length;
        inertia += ref->mass[3 * body] * arm * arm + (body < 3 ? ref->mass[3 * body + 2] : 0.0);
        weight += ref->mass[3 * body] * arm;
    }
    return closed_form_pendulum_create((long double)(weight * 9.81 / inertia), phi0, 0.0L);
}

static void every_drawn_instance_is_its_own_pendulum(void **state) {
    (void)state;
    enum { N_INSTANCES = 100, N_STEPS = 2000 };
    static double q[N_INSTANCES][N];
    mechanism m = mechanism_open_file("five_bar_monte_carlo.yaml", NULL);
    sarrus_draws *draws = NULL;
    assert_int_equal(sarrus_draws_create(m.context, m.model, 1, N_INSTANCES, &draws), SARRUS_OK);
    assert_int_equal(sarrus_draws_n_parameters(draws), 6);
    assert_string_equal(sarrus_draws_label(draws, 5), "phi");
    const double *length = sarrus_draws_values(draws, 4), *phi0 = sarrus_draws_values(draws, 5);
    sarrus_batch *batch = mechanism_batch(&m, NULL, 2, N_INSTANCES, draws);
    assert_int_equal(sarrus_batch_advance(batch, N_STEPS), SARRUS_OK);
    mechanism_observe(batch, SARRUS_OBSERVE_Q, &q[0][0]);
    double worst = 0.0;
    for (uint64_t i = 0; i < N_INSTANCES; ++i) {
        long double phi, speed;
        reference *ref = mechanism_reference(&m, draws, i);
        closed_form_pendulum p = pendulum_of(ref, length[i], phi0[i]);
        closed_form_pendulum_state(&p, 2.0L, &phi, &speed);
        assert_int_equal(sarrus_batch_status(batch, i), SARRUS_INSTANCE_OK);
        for (int crank = 0; crank < 3; ++crank) {
            double error = fabs((double)(q[i][3 * crank + 2] - phi));
            worst = error <= worst ? worst : error;
        }
        reference_destroy(ref);
    }
    print_message("five_bar_monte_carlo, %d instances, 2 s: angle error %.2e rad\n", N_INSTANCES, worst);
    assert_true(worst <= TOLERANCE_FIVE_BAR_ANGLE);
    sarrus_batch_destroy(batch);
    sarrus_draws_destroy(draws);
    mechanism_close(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(follows_the_pendulum_for_20_s),
        cmocka_unit_test(follows_the_pendulum_with_every_pinv),
        cmocka_unit_test(has_order_four),
        cmocka_unit_test(stays_on_the_parallel_branch_from_90_degrees),
        cmocka_unit_test(every_drawn_instance_is_its_own_pendulum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

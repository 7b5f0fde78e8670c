/* Claim: what docs/rank.md derives about the five-bar off its constraints. A pseudoinverse of all rows at the right rank leaves the
 * violation ξ along the turning null vector to ξ'' = φ'² ξ, which grows exponentially; a fixed independent row set keeps it within
 * a constant factor; and the redundant singular value of J M^{-1/2} is |ξ|/√3.05. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "bench/s5_study/five_bar.h"
#include "tests/support/mechanism.h"

enum { N = 12, M = 12 };

static const double START = 0.7853981633974483;

/* Crank b is turned about its pivot, which leaves its tip off the coupler. */
static void turn_crank(sarrus_batch *batch, double offset) {
    sarrus_view view;
    assert_int_equal(sarrus_batch_view(batch, SARRUS_FIELD_Q, &view), SARRUS_OK);
    view.base[3 * view.width] = 1.0 + 0.5 * sin(START + offset);
    view.base[4 * view.width] = -0.5 * cos(START + offset);
    view.base[5 * view.width] = START + offset;
}

/* Φ, J and ξ at the batch's state. */
static double across_now(const sarrus_batch *batch, double *jacobian, double *violation) {
    double q[N], v[N], gamma[M];
    assert_int_equal(sarrus_batch_state(batch, 0, q, v), SARRUS_OK);
    sarrus_five_bar_rows(q, v, violation, jacobian, gamma);
    return sarrus_five_bar_across(q, violation);
}

/* The twelfth singular value of J M^{-1/2}. */
static double redundant_value(sarrus_context *context, const double *jacobian) {
    double d[M * N], x[N * M], mass[N], dropped = 0.0;
    const int32_t max_rank = 11;
    sarrus_five_bar_mass(mass);
    for (int i = 0; i < M * N; ++i)
        d[i] = jacobian[i] / sqrt(mass[i % N]);
    const sarrus_pinv_options options = {.method = SARRUS_PINV_LAPACK, .n_threads = 1};
    const sarrus_pinv_batch one = {.n_matrices = 1, .m = M, .n = N, .a = d, .x = x, .max_rank = &max_rank, .dropped = &dropped};
    assert_int_equal(sarrus_pinv_compute(context, &options, &one), SARRUS_OK);
    return dropped;
}

/* φ'' = −ω² sin φ, ξ'' = φ'² ξ over one second, a thousand steps of RK4; y = φ, φ', ξ, ξ'. */
static void predict(double y[4]) {
    const double omega2 = 3.5 * 9.81 / 3.05, h = 1e-3;
    for (int i = 0; i < 1000; ++i) {
        double k[5][4] = {{0.0}}, sum[4] = {0.0};
        for (int stage = 1; stage <= 4; ++stage) {
            const double c = stage == 1 ? 0.0 : stage == 4 ? h : 0.5 * h, weight = stage == 1 || stage == 4 ? 1.0 : 2.0;
            double z[4];
            for (int j = 0; j < 4; ++j)
                z[j] = y[j] + c * k[stage - 1][j];
            const double rate[4] = {z[1], -omega2 * sin(z[0]), z[3], z[1] * z[1] * z[2]};
            for (int j = 0; j < 4; ++j) {
                k[stage][j] = rate[j];
                sum[j] += weight * rate[j];
            }
        }
        for (int j = 0; j < 4; ++j)
            y[j] += h / 6.0 * sum[j];
    }
}

/* From ξ of 6e-10 to about 1e-5 in six seconds. The theory is of first order in the violation, so the relative deviation may be of
 * the size of ξ over the smallest true singular value, 1e-5/0.1; RK4 adds (ω h)⁴ t and the deviation before counts on: 1e-3. */
static void dropped_combination_grows_as_derived(void **state) {
    (void)state;
    sarrus_override overrides[] = {
        {"dynamics.projection", "none"}, {"dynamics.pinv", "svd"}, {"dynamics.rank", "{method: tracked}"}, {NULL, NULL}};
    mechanism m = mechanism_open_file("five_bar.yaml", overrides);
    sarrus_batch *batch = mechanism_batch(&m, NULL, 1, 1, NULL);
    double jacobian[M * N], violation[M];
    turn_crank(batch, 1e-9);
    double y[4] = {START, 0.0, across_now(batch, jacobian, violation), 0.0};
    const double before = y[2];
    for (int second = 1; second <= 6; ++second) {
        assert_int_equal(sarrus_batch_advance(batch, 1000), SARRUS_OK);
        predict(y);
        const double across = across_now(batch, jacobian, violation), sigma = redundant_value(m.context, jacobian);
        print_message("%d s: xi %.6e, predicted %.6e, sigma/|xi| %.8f\n", second, across, y[2], sigma / fabs(across));
        assert_true(fabs(across - y[2]) <= 1e-3 * fabs(y[2]));
        /* second order in the violation, and the round-off of a singular value, 12 ε σ₁ */
        assert_true(fabs(sigma - fabs(across) / sqrt(3.05)) <= 1e-3 * sigma + 1e-14);
    }
    assert_true(fabs(y[2]) >= 1e4 * fabs(before)); /* the growth is there */
    sarrus_batch_destroy(batch);
    mechanism_close(&m);
}

/* E.x stays violated by δ cos φ₀ and E.y follows, Φ_E = δ cos φ₀ / cos φ along the crank's normal: at most δ, as |φ| ≤ φ₀. The
 * integrator's own drift over 20 s is 3e-10 (docs/verification.md). */
static void independent_rows_do_not_grow(void **state) {
    (void)state;
    const char *pinvs[] = {"auto", "householder"};
    for (int i = 0; i < 2; ++i) {
        sarrus_override overrides[] = {{"dynamics.projection", "none"}, {"dynamics.pinv", pinvs[i]}, {NULL, NULL}};
        mechanism m = mechanism_open_file("five_bar.yaml", overrides);
        sarrus_batch *batch = mechanism_batch(&m, NULL, 1, 1, NULL);
        double jacobian[M * N], violation[M], largest = 0.0;
        turn_crank(batch, 1e-6);
        for (int second = 0; second <= 20; ++second) {
            double norm = 0.0;
            (void)across_now(batch, jacobian, violation);
            for (int row = 0; row < M; ++row)
                norm = hypot(norm, violation[row]);
            largest = fmax(largest, norm);
            if (second < 20)
                assert_int_equal(sarrus_batch_advance(batch, 1000), SARRUS_OK);
        }
        print_message("%s: largest violation in 20 s %.6e\n", pinvs[i], largest);
        assert_true(largest >= 0.99e-6 && largest <= 1.01e-6);
        sarrus_batch_destroy(batch);
        mechanism_close(&m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dropped_combination_grows_as_derived),
        cmocka_unit_test(independent_rows_do_not_grow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

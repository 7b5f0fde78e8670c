/* Elementary effects of what is known exactly; rank correlations against their definition by pairs and ranks in plain sight. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include "study/elementary_effects.h"
#include "study/rank_correlation.h"
#include "study/resample.h"

enum { D = 3, N = 40 };

/* Trajectories of y = 3 u_0 − 2 u_1 + 8 u_0 u_2 with steps of 2/3, up or down, in a turning order. */
static void trajectories_fill(double units[D][N * (D + 1)], double *y) {
    for (int i = 0; i < N; ++i) {
        double u[D] = {i % 2 ? 0.0 : 1.0, i % 3 ? 1.0 / 3.0 : 2.0 / 3.0, i % 5 ? 0.0 : 1.0};
        for (int k = 0; k <= D; ++k) {
            const int j = (k + i) % D;
            for (int c = 0; c < D; ++c)
                units[c][i * (D + 1) + k] = u[c];
            y[i * (D + 1) + k] = 3.0 * u[0] - 2.0 * u[1] + 8.0 * u[0] * u[2];
            u[j] += u[j] < 0.5 ? 2.0 / 3.0 : -2.0 / 3.0;
        }
    }
}

static void test_elementary_effects(void **state) {
    static double units[D][N * (D + 1)], y[N * (D + 1)], effects[D * N], estimates[SARRUS_RESAMPLES * D];
    static uint32_t weights[N];
    uint64_t i_row[N];
    const double *columns[D];
    double mu[D], mu_star[D], mu_star_confidence[D], sigma[D];
    (void)state;
    trajectories_fill(units, y);
    for (uint64_t i = 0; i < N; ++i)
        i_row[i] = i * (D + 1);
    for (int j = 0; j < D; ++j)
        columns[j] = units[j];
    sarrus_trajectories of = {.n_parameters = D,
                              .n_trajectories = N,
                              .y = y,
                              .units = columns,
                              .i_row = i_row,
                              .seed = 1,
                              .weights = weights,
                              .effects = effects,
                              .estimates = estimates};
    const sarrus_elementary_effects out = {mu, mu_star, mu_star_confidence, sigma};
    sarrus_elementary_effects_find(&of, &out);
    /* u_1 has the effect −2 everywhere: 1e-15 is some ulps of y over the step */
    assert_true(fabs(mu[1] + 2.0) < 1e-13 && fabs(mu_star[1] - 2.0) < 1e-13 && sigma[1] < 1e-13 && mu_star_confidence[1] < 1e-13);
    /* u_0: 3 + 8 u_2, u_2: 8 u_0, at the step */
    for (int j = 0; j < D; j += 2) {
        double sum = 0, squares = 0, effect[N];
        for (int i = 0; i < N; ++i) {
            int k = 0;
            while (units[j][i * (D + 1) + k] == units[j][i * (D + 1) + k + 1])
                ++k;
            effect[i] = j == 0 ? 3.0 + 8.0 * units[2][i * (D + 1) + k] : 8.0 * units[0][i * (D + 1) + k];
            sum += effect[i] / N;
        }
        for (int i = 0; i < N; ++i)
            squares += (effect[i] - sum) * (effect[i] - sum);
        assert_true(fabs(mu[j] - sum) < 1e-13 && fabs(mu_star[j] - sum) < 1e-13);
        assert_true(fabs(sigma[j] - sqrt(squares / (N - 1))) < 1e-13);
        /* a bootstrap of the mean: sd of the population over sqrt(N), which 100 resamples tell to 4 / sqrt(200) */
        assert_true(fabs(mu_star_confidence[j] / (1.96 * sqrt(squares / N / N)) - 1.0) < 4.0 / sqrt(200.0));
    }
    /* tiny and huge numbers have the same effects but for their size */
    const double first[3] = {mu[0], sigma[0], mu_star_confidence[0]};
    for (int e = -1000; e <= 1000; e += 2000) {
        for (int i = 0; i < N * (D + 1); ++i)
            y[i] = ldexp(y[i], e);
        sarrus_elementary_effects_find(&of, &out);
        assert_true(fabs(ldexp(mu[0], -e) - first[0]) < 1e-13 && fabs(ldexp(sigma[0], -e) - first[1]) < 1e-13);
        assert_true(fabs(ldexp(mu_star_confidence[0], -e) - first[2]) < 1e-13);
        for (int i = 0; i < N * (D + 1); ++i)
            y[i] = ldexp(y[i], -e);
    }
    of.n_trajectories = 1;
    sarrus_elementary_effects_find(&of, &out);
    assert_true(fabs(mu[1] + 2.0) < 1e-13 && isnan(sigma[1]) && isnan(mu_star_confidence[1]));
    of.n_trajectories = 0;
    sarrus_elementary_effects_find(&of, &out);
    assert_true(isnan(mu[1]) && isnan(mu_star[0]));
}

static void test_ranks(void **state) {
    static const double x[] = {3.0, -1.0, 3.0, 0.0, -0.0, 3.0, 1e300};
    static const double ranks[] = {5.0, 1.0, 5.0, 2.5, 2.5, 5.0, 7.0}; /* from 1 to 7 */
    sarrus_ranked scratch[7];
    double found[7];
    (void)state;
    sarrus_ranks_find(x, 7, scratch, found);
    for (int i = 0; i < 7; ++i)
        assert_true(fabs(found[i] - (ranks[i] - 4.0) / 3.0) < 1e-15);
    sarrus_ranks_find(x, 1, scratch, found);
    assert_true(found[0] == 0.0);
}

/* Without ties Spearman's is 1 − 6 Σd² / (n (n² − 1)); its interval has the ends of the formula, and holds the value. */
static void test_rank_correlation(void **state) {
    sarrus_ranked scratch[N];
    double x[N], y[N], a[N], b[N], distance = 0;
    (void)state;
    for (int i = 0; i < N; ++i) {
        x[i] = i;
        y[i] = exp((double)(i * 17 % 40) / 4.0);
        distance += (i - i * 17 % 40) * (i - i * 17 % 40);
    }
    sarrus_ranks_find(x, N, scratch, a);
    sarrus_ranks_find(y, N, scratch, b);
    const sarrus_rank_correlation found = sarrus_rank_correlation_of(a, b, N), same = sarrus_rank_correlation_of(a, a, N);
    assert_true(fabs(found.value - (1.0 - 6.0 * distance / (N * (N * N - 1.0)))) < 1e-14);
    const double half = 1.959963984540054 * sqrt((1.0 + found.value * found.value / 2.0) / (N - 3));
    assert_true(fabs(atanh(found.low) - (atanh(found.value) - half)) < 1e-13);
    assert_true(fabs(atanh(found.high) - (atanh(found.value) + half)) < 1e-13);
    assert_true(fabs(same.value - 1.0) < 1e-15 && same.low <= 1.0 && same.high <= 1.0 && !isnan(same.low) && !isnan(same.high));
    for (int i = 0; i < N; ++i)
        x[i] = 1.0;
    sarrus_ranks_find(x, N, scratch, a);
    assert_true(isnan(sarrus_rank_correlation_of(a, b, N).value) && isnan(sarrus_rank_correlation_of(a, b, N).low));
    assert_true(isnan(sarrus_rank_correlation_of(b, b, 3).low) && isnan(sarrus_rank_correlation_of(b, b, 0).value));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_elementary_effects),
        cmocka_unit_test(test_ranks),
        cmocka_unit_test(test_rank_correlation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Sobol' indices against the definitions in long double, against exact answers, and the bootstrap's interval against its own. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include "study/resample.h"
#include "study/sobol_indices.h"

enum { D = 3, MOST = 3000, MOST_ROWS = 2 * D + 2, MEMBERS = 3 };

static double noise(uint64_t x) {
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return (double)((x ^ x >> 31) >> 11) * 0x1p-53;
}

/* Ishigami's function, a = 7, b = 0.1, of points in the unit cube. */
static double ishigami(const double u[D]) {
    double x[D];
    for (int j = 0; j < D; ++j)
        x[j] = 3.14159265358979323846 * (2.0 * u[j] - 1.0);
    return sin(x[0]) + 7.0 * sin(x[1]) * sin(x[1]) + 0.1 * pow(x[2], 4) * sin(x[0]);
}

/* Rows A, AB_j, BA_j, B of block i, from random points. */
static void block_fill(uint64_t i, bool has_second, double shift, double scale, double *y) {
    double a[D], b[D], row[D];
    for (uint64_t j = 0; j < D; ++j) {
        a[j] = noise(i * 64 + j);
        b[j] = noise(i * 64 + 32 + j);
    }
    int n = 0;
    y[n++] = ishigami(a);
    for (int from_b = 1; from_b >= (has_second ? 0 : 1); --from_b)
        for (int j = 0; j < D; ++j) {
            for (int k = 0; k < D; ++k)
                row[k] = (k == j) == (from_b == 1) ? b[k] : a[k];
            y[n++] = ishigami(row);
        }
    y[n++] = ishigami(b);
    for (int k = 0; k < n; ++k)
        y[k] = shift + scale * y[k];
}

typedef struct found {
    double first[D], first_confidence[D], total[D], total_confidence[D], second[D * D], second_confidence[D * D];
} found;

static void indices_find(const double *y, uint64_t n, bool has_second, int n_members, found *out) {
    sarrus_context *context = NULL;
    sarrus_crew *crew = NULL;
    uint32_t *weights[MEMBERS];
    double *tiles[MEMBERS], *estimates = calloc((1 + SARRUS_RESAMPLES) * sarrus_sobol_estimates(D, has_second), sizeof *estimates);
    assert_int_equal(sarrus_context_create(&context), SARRUS_OK);
    assert_int_equal(sarrus_crew_create(context, n_members, 0, &crew), SARRUS_OK);
    for (int i = 0; i < MEMBERS; ++i) {
        weights[i] = calloc((size_t)n + 1, sizeof **weights);
        tiles[i] = calloc(sarrus_sobol_tile(D, has_second), sizeof **tiles);
    }
    const sarrus_sobol_blocks blocks = {.n_parameters = D,
                                        .has_second_order = has_second,
                                        .n_blocks = n,
                                        .y = y,
                                        .seed = 5,
                                        .crew = crew,
                                        .n_members = n_members,
                                        .weights = weights,
                                        .tiles = tiles,
                                        .estimates = estimates};
    const sarrus_sobol_indices indices = {out->first,  out->first_confidence, out->total, out->total_confidence,
                                          out->second, out->second_confidence};
    sarrus_sobol_indices_find(&blocks, &indices);
    for (int i = 0; i < MEMBERS; ++i) {
        free(weights[i]);
        free(tiles[i]);
    }
    free(estimates);
    sarrus_crew_destroy(crew);
    sarrus_context_destroy(context);
}

/* The definitions, with how often each block counts; returns index `which`: first 0 … D − 1, total D … 2 D − 1, then pairs. */
static long double defined(const double *y, uint64_t n, bool has_second, const uint32_t *weights, int which) {
    const int n_rows = sarrus_sobol_rows(D, has_second);
    long double all = 0, mean = 0, variance = 0, sum = 0;
    for (uint64_t i = 0; i < n * (uint64_t)n_rows; ++i)
        all += y[i] / (long double)(n * (uint64_t)n_rows);
    for (int pass = 0; pass < 3; ++pass)
        for (uint64_t i = 0; i < n; ++i) {
            const double *row = y + i * (uint64_t)n_rows;
            const long double w = (weights != NULL ? weights[i] : 1.0L) / (long double)n, a = row[0] - all,
                              b = row[n_rows - 1] - all;
            if (pass == 0)
                mean += w * (a + b) / 2;
            else if (pass == 1)
                variance += w * ((a - mean) * (a - mean) + (b - mean) * (b - mean)) / 2;
            else if (which < D)
                sum += w * b * (row[1 + which] - all - a);
            else if (which < 2 * D)
                sum += w * (row[1 + which - D] - all - a) * (row[1 + which - D] - all - a) / 2;
            else {
                const int j = which == 2 * D + 2 ? 1 : 0, k = which == 2 * D ? 1 : 2;
                sum += w * ((row[1 + D + j] - all) * (row[1 + k] - all) - a * b);
            }
        }
    const int j = which == 2 * D + 2 ? 1 : 0, k = which == 2 * D ? 1 : 2;
    return which < 2 * D ? sum / variance
                         : sum / variance - defined(y, n, has_second, weights, j) - defined(y, n, has_second, weights, k);
}

/* Sums of n products that are at most some 10 variances, round-off 2^-53 of each addition in a tile and of tiles: n is 3,000, of
 * which 64 + 47 additions are one behind the other; and the definition's own mean. */
static const double bound = 10.0 * (64 + 47) * 0x1p-53 * 4;

static void test_definition(void **state) {
    static double y[MOST * MOST_ROWS];
    static uint32_t weights[MOST];
    (void)state;
    for (int has_second = 0; has_second < 2; ++has_second)
        for (int size = 0; size < 3; ++size) {
            const uint64_t n = size == 0 ? 2 : size == 1 ? 64 : MOST;
            for (uint64_t i = 0; i < n; ++i)
                block_fill(i, has_second, 3.0, 2.0, y + i * (uint64_t)sarrus_sobol_rows(D, has_second));
            found out = {0}, other = {0};
            indices_find(y, n, has_second, 1, &out);
            indices_find(y, n, has_second, MEMBERS, &other);
            assert_memory_equal(&out, &other, sizeof out); /* whoever shares the work */
            for (int j = 0; j < D; ++j) {
                assert_true(fabsl(out.first[j] - defined(y, n, has_second, NULL, j)) <= bound);
                assert_true(fabsl(out.total[j] - defined(y, n, has_second, NULL, D + j)) <= bound);
            }
            for (int i_pair = 0; has_second && i_pair < 3; ++i_pair) {
                const int j = i_pair == 2 ? 1 : 0, k = i_pair == 0 ? 1 : 2;
                assert_true(fabsl(out.second[j * D + k] - defined(y, n, true, NULL, 2 * D + i_pair)) <= bound);
                assert_true(isnan(out.second[k * D + j]) && isnan(out.second_confidence[k * D + j]) &&
                            isnan(out.second[j * D + j]));
            }
            /* the interval: 1.96 sd of the same index of every resample */
            long double sum = 0, squares = 0, of[SARRUS_RESAMPLES];
            for (int r = 0; r < SARRUS_RESAMPLES; ++r) {
                sarrus_resample(5, r, n, weights);
                of[r] = defined(y, n, has_second, weights, D);
                sum += of[r] / SARRUS_RESAMPLES;
            }
            for (int r = 0; r < SARRUS_RESAMPLES; ++r)
                squares += (of[r] - sum) * (of[r] - sum);
            const long double half = 1.959963984540054L * sqrtl(squares / (SARRUS_RESAMPLES - 1));
            /* of two blocks, one twice may have no variance at all, or hardly any */
            assert_true(n == 2 || fabsl(out.total_confidence[0] - half) <= 1e-12L);
        }
}

/* 0.3139, 0.4424, 0; 0.5576, 0.4424, 0.2437; pair a, c 0.2437: within four of their standard errors. */
static void test_ishigami(void **state) {
    static double y[MOST * MOST_ROWS];
    static const double first[D] = {0.313905, 0.442411, 0.0}, total[D] = {0.557589, 0.442411, 0.243684};
    (void)state;
    for (uint64_t i = 0; i < MOST; ++i)
        block_fill(i, true, 0.0, 1.0, y + i * MOST_ROWS);
    found out = {0};
    indices_find(y, MOST, true, 2, &out);
    for (int j = 0; j < D; ++j) {
        assert_true(out.first_confidence[j] > 0.0 && out.first_confidence[j] < 0.1);
        assert_true(fabs(out.first[j] - first[j]) < out.first_confidence[j] * 4.0 / 1.96);
        assert_true(fabs(out.total[j] - total[j]) < out.total_confidence[j] * 4.0 / 1.96);
    }
    assert_true(fabs(out.second[2] - 0.243684) < out.second_confidence[2] * 4.0 / 1.96);
    assert_true(fabs(out.second[1]) < out.second_confidence[1] * 4.0 / 1.96);
}

/* Indices have no unit: where the numbers are far from 0, tiny or huge, they are the same. */
static void test_scales(void **state) {
    static double y[MOST * MOST_ROWS];
    static const double shifts[] = {1e6, 0.0, 0.0}, scales[] = {1.0, 0x1p-1000, 0x1p1000};
    (void)state;
    found first = {0}, out = {0};
    for (uint64_t i = 0; i < MOST; ++i)
        block_fill(i, true, 0.0, 1.0, y + i * MOST_ROWS);
    indices_find(y, MOST, true, 1, &first);
    for (int k = 0; k < 3; ++k) {
        for (uint64_t i = 0; i < MOST; ++i)
            block_fill(i, true, shifts[k], scales[k], y + i * MOST_ROWS);
        indices_find(y, MOST, true, 1, &out);
        for (int j = 0; j < D; ++j) /* 1e6 + y keeps 1e-10 of y, whose range is some 28, its sd 3.7 */
            assert_true(fabs(out.total[j] - first.total[j]) < (k == 0 ? 1e-8 : bound));
    }
}

/* A rare event, which some resamples of 33 blocks lack: these have no indices, and the intervals are those of the others. */
static void test_rare_event(void **state) {
    enum { N_RARE = 33 };
    static double y[N_RARE * MOST_ROWS];
    found out = {0};
    (void)state;
    for (int i = 0; i < N_RARE * MOST_ROWS; ++i)
        y[i] = 0.0;
    y[5 * MOST_ROWS] = 1.0; /* in one of three resamples block 5 is not drawn */
    y[5 * MOST_ROWS + 1] = 0.5;
    indices_find(y, N_RARE, true, 1, &out);
    for (int j = 0; j < D; ++j)
        assert_true(isfinite(out.first_confidence[j]) && isfinite(out.total_confidence[j]) && out.total_confidence[j] < 1.0);
}

static void test_no_variance(void **state) {
    static double y[64 * MOST_ROWS];
    (void)state;
    found out = {0};
    for (int i = 0; i < 64 * MOST_ROWS; ++i)
        y[i] = 0.1;
    indices_find(y, 64, true, 1, &out);
    for (int j = 0; j < D; ++j)
        assert_true(isnan(out.first[j]) && isnan(out.total[j]) && isnan(out.first_confidence[j]));
    indices_find(y, 0, true, 1, &out);
    assert_true(isnan(out.first[0]) && isnan(out.second[1]) && isnan(out.second_confidence[1]));
    block_fill(1, true, 0.0, 1.0, y);
    indices_find(y, 1, true, 1, &out);
    assert_true(isfinite(out.total[0]) && isnan(out.total_confidence[0]));
}

/* n draws of n things: their sum is n, each is drawn once on the average with variance 1 − 1/n. */
static void test_resamples(void **state) {
    static uint32_t weights[MOST], again[MOST];
    (void)state;
    for (int r = 0; r < 20; ++r) {
        double squares = 0, sum = 0;
        sarrus_resample(9, r, MOST, weights);
        sarrus_resample(9, r, MOST, again);
        assert_memory_equal(weights, again, sizeof weights);
        for (int i = 0; i < MOST; ++i) {
            sum += weights[i];
            squares += (weights[i] - 1.0) * (weights[i] - 1.0);
        }
        assert_true(sum == MOST);
        /* the variance of a Poisson number's square deviation is 2 + 1 */
        assert_true(fabs(squares / MOST - 1.0) < 5.0 * sqrt(3.0 / MOST));
    }
    sarrus_resample(10, 0, MOST, again);
    assert_memory_not_equal(weights, again, sizeof weights);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_definition),  cmocka_unit_test(test_ishigami),   cmocka_unit_test(test_scales),
        cmocka_unit_test(test_no_variance), cmocka_unit_test(test_rare_event), cmocka_unit_test(test_resamples),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Rank rules on spectra made for them, method by method, and the methods that weigh singular values in their own way. Every
 * instruction set has the same text (test_pinv_methods runs them all), so the widest one stands for all here. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "sarrus/sarrus.h"
#include "tests/support/matrices.h"
#include "tests/support/pinv_traits.h"

enum { M = 8, N = 7, N_SIGMA = 6, N_MATRICES = 5 };

/* Three pairs far apart, and a zero. */
static const double sigma[N_SIGMA] = {4.0, 2.0, 1e-3, 5e-4, 1e-7, 5e-8};

static double matrices[N_MATRICES][M * N];

static int create_matrices(void **state) {
    uint64_t random = 9;
    (void)state;
    for (int i = 0; i < N_MATRICES; ++i)
        matrix_spectrum(M, N, sigma, N_SIGMA, &random, matrices[i]);
    return 0;
}

/* A rule and what it must find. `scale`: the matrix is multiplied by it. */
typedef struct rule_case {
    sarrus_rank_method rule;
    double tolerance;
    int32_t max_rank; /* −1: not given */
    double violation;
    double scale;
    int rank;
} rule_case;

/* Pivots of a pivoted elimination of this size stand within this factor of the singular values. */
#define PIVOT_FACTOR 30.0

typedef struct decision {
    double x[N_MATRICES][N * M];
    int32_t rank[N_MATRICES];
    double kept[N_MATRICES], dropped[N_MATRICES];
} decision;

static void decide(sarrus_pinv_method method, const rule_case *rule, decision *out) {
    double a[N_MATRICES][M * N], violation[N_MATRICES];
    int32_t max_rank[N_MATRICES];
    for (int i = 0; i < N_MATRICES; ++i) {
        for (int k = 0; k < M * N; ++k)
            a[i][k] = rule->scale * matrices[i][k];
        max_rank[i] = rule->max_rank;
        violation[i] = rule->violation;
    }
    const sarrus_pinv_options options = {
        .method = method, .rank_method = rule->rule, .rank_tolerance = rule->tolerance, .n_threads = 1};
    const sarrus_pinv_batch batch = {.n_matrices = N_MATRICES,
                                     .m = M,
                                     .n = N,
                                     .a = a[0],
                                     .x = out->x[0],
                                     .max_rank = rule->max_rank < 0 ? NULL : max_rank,
                                     .violation = rule->violation > 0.0 ? violation : NULL,
                                     .rank = out->rank,
                                     .kept = out->kept,
                                     .dropped = out->dropped};
    assert_int_equal(sarrus_pinv_compute(NULL, &options, &batch), SARRUS_OK);
}

/* A size that is to be `value`: singular values to round-off of the largest, pivots to their factor; 0 to either. */
static bool is_size(double found, double value, bool has_sigma, double scale) {
    const double round_off = 10.0 * M * DBL_EPSILON * sigma[0] * scale;
    if (has_sigma || value == 0.0)
        return fabs(found - value) <= (has_sigma ? round_off : PIVOT_FACTOR * round_off);
    return found <= PIVOT_FACTOR * value && value <= PIVOT_FACTOR * found;
}

static void check_rule(const rule_case *rule) {
    static decision got;
    for (int k = 0; k < SARRUS_N_PINV_METHODS; ++k) {
        const sarrus_pinv_method method = (sarrus_pinv_method)k;
        const pinv_trait trait = pinv_trait_of(method);
        /* What a squaring method cannot see; methods that answer another question are below. */
        if (trait.claim != PINV_IS_PSEUDOINVERSE || sigma[rule->rank - 1] < trait.least * sigma[0])
            continue;
        decide(method, rule, &got);
        const double kept = rule->scale * sigma[rule->rank - 1],
                     dropped = rule->rank < N_SIGMA ? rule->scale * sigma[rule->rank] : 0.0;
        const bool sees_dropped = dropped >= trait.least * sigma[0] * rule->scale;
        for (int i = 0; i < N_MATRICES; ++i) {
            if (got.rank[i] != rule->rank || !is_size(got.kept[i], kept, trait.has_sigma, rule->scale) ||
                (sees_dropped && !is_size(got.dropped[i], dropped, trait.has_sigma, rule->scale))) {
                fail_msg("%s, %s, tolerance %g: rank %d, kept %g, dropped %g; expected %d, %g, %g", sarrus_pinv_method_word(method),
                         sarrus_rank_method_word(rule->rule), rule->tolerance, got.rank[i], got.kept[i], got.dropped[i], rule->rank,
                         kept, dropped);
            }
            /* Nothing that was dropped has come back through A⁺: its norm is that of the kept ones. */
            const double norm = matrix_norm(got.x[i], M * N) * kept;
            if (!(norm >= 1.0 / PIVOT_FACTOR && norm <= PIVOT_FACTOR))
                fail_msg("%s, %s: |A+| sigma_r is %g", sarrus_pinv_method_word(method), sarrus_rank_method_word(rule->rule), norm);
        }
    }
}

static void check_rules(const rule_case *rules, size_t n_rules) {
    for (size_t i = 0; i < n_rules; ++i)
        check_rule(&rules[i]);
}

static void test_relative(void **state) {
    const rule_case rules[] = {{SARRUS_RANK_RELATIVE, 1e-2, -1, 0, 1, 2},       {SARRUS_RANK_RELATIVE, 2e-6, -1, 0, 1, 4},
                               {SARRUS_RANK_RELATIVE, 2e-6, -1, 0, 0x1p500, 4}, {SARRUS_RANK_RELATIVE, 2e-6, -1, 0, 0x1p-500, 4},
                               {SARRUS_RANK_RELATIVE, 0, -1, 0, 1, 6}, /* the default is 1e-10 */
                               {SARRUS_RANK_RELATIVE, 2e-6, 1, 0, 1, 4}};
    (void)state;
    check_rules(rules, sizeof rules / sizeof *rules);
}

static void test_absolute(void **state) {
    const rule_case rules[] = {{SARRUS_RANK_ABSOLUTE, 0.04, -1, 0, 1, 2},
                               {SARRUS_RANK_ABSOLUTE, 8e-6, -1, 0, 1, 4},
                               {SARRUS_RANK_ABSOLUTE, 0.04 * 0x1p40, -1, 0, 0x1p40, 2},
                               {SARRUS_RANK_ABSOLUTE, 0.04 * 0x1p-40, -1, 0, 0x1p-40, 2},
                               {SARRUS_RANK_ABSOLUTE, 0.04 * 0x1p-40, -1, 0, 1, 6}};
    (void)state;
    check_rules(rules, sizeof rules / sizeof *rules);
}

static void test_gap(void **state) {
    const rule_case rules[] = {{SARRUS_RANK_GAP, 1e-2, -1, 0, 1, 2}, {SARRUS_RANK_GAP, 1e-5, -1, 0, 1, 6}};
    (void)state;
    check_rules(rules, sizeof rules / sizeof *rules);
}

static void test_tracked(void **state) {
    const rule_case rules[] = {{SARRUS_RANK_TRACKED, 2e-6, -1, 0, 1, 4},
                               {SARRUS_RANK_TRACKED, 2e-6, 6, 0, 1, 4},
                               {SARRUS_RANK_TRACKED, 2e-6, 3, 0, 1, 3},
                               {SARRUS_RANK_TRACKED, 1e-2, 4, 0, 1, 2}};
    (void)state;
    check_rules(rules, sizeof rules / sizeof *rules);
}

static void test_violation(void **state) {
    const rule_case rules[] = {{SARRUS_RANK_VIOLATION, 0, -1, 2e-7, 1, 4}, /* times 10 */
                               {SARRUS_RANK_VIOLATION, 1, -1, 1e-2, 1, 2},
                               {SARRUS_RANK_VIOLATION, 0, -1, 0, 1, 6},
                               {SARRUS_RANK_VIOLATION, 1, -1, 1e-2, 0x1p40, 2}};
    (void)state;
    check_rules(rules, sizeof rules / sizeof *rules);
}

static void test_auto(void **state) {
    const rule_case rules[] = {
        {SARRUS_RANK_AUTO, 0, -1, 0, 1, 6}, {SARRUS_RANK_AUTO, 0, 2, 0, 1, 2}, {SARRUS_RANK_AUTO, 2e-6, 6, 0, 1, 4}};
    (void)state;
    check_rules(rules, sizeof rules / sizeof *rules);
}

/* max_rank and violation belong to one matrix each; what is out of range counts as its nearest. */
static void test_limits_are_of_one_matrix(void **state) {
    const int32_t max_rank[N_MATRICES] = {1, 4, -3, 100, 2}, expected[N_MATRICES] = {1, 4, 0, 6, 2};
    const double violation[N_MATRICES] = {1e-2, 0, 2e-6, 1e-2, 0}, of_violation[N_MATRICES] = {2, 6, 4, 2, 6};
    static double x[N_MATRICES][N * M];
    int32_t rank[N_MATRICES];
    (void)state;
    for (int k = 0; k < SARRUS_N_PINV_METHODS; ++k) {
        const sarrus_pinv_method method = (sarrus_pinv_method)k;
        const pinv_trait trait = pinv_trait_of(method);
        if (trait.claim != PINV_IS_PSEUDOINVERSE || trait.least > 0.0)
            continue;
        sarrus_pinv_options options = {.method = method, .n_threads = 1};
        const sarrus_pinv_batch batch = {.n_matrices = N_MATRICES,
                                         .m = M,
                                         .n = N,
                                         .a = matrices[0],
                                         .x = x[0],
                                         .max_rank = max_rank,
                                         .violation = violation,
                                         .rank = rank};
        assert_int_equal(sarrus_pinv_compute(NULL, &options, &batch), SARRUS_OK);
        assert_memory_equal(rank, expected, sizeof rank);
        for (int i = 0; i < N * M; ++i)
            assert_true(x[2][i] == 0.0);
        options.rank_method = SARRUS_RANK_VIOLATION;
        options.rank_tolerance = 1.0;
        assert_int_equal(sarrus_pinv_compute(NULL, &options, &batch), SARRUS_OK);
        for (int i = 0; i < N_MATRICES; ++i)
            assert_true(rank[i] == of_violation[i]);
    }
}

/* --- Singular values weighed in other ways ------------------------------------------------------------------------------- */

/* The k largest, whatever their size, as the reference has them. The edge is as sharp as the fall at it: the bound is that of an
 * exact A⁺ of rank k times σ_k / (σ_k − σ_{k+1}) <= 2. */
static void test_truncated(void **state) {
    double x[N * M], svd[N * M], kept, dropped;
    int32_t rank;
    (void)state;
    for (int32_t k = 0; k <= N_SIGMA; ++k) {
        sarrus_pinv_options options = {.method = SARRUS_PINV_TRUNCATED, .n_threads = 1};
        sarrus_pinv_batch batch = {.n_matrices = 1,
                                   .m = M,
                                   .n = N,
                                   .a = matrices[0],
                                   .x = x,
                                   .max_rank = &k,
                                   .rank = &rank,
                                   .kept = &kept,
                                   .dropped = &dropped};
        assert_int_equal(sarrus_pinv_compute(NULL, &options, &batch), SARRUS_OK);
        assert_int_equal(rank, k);
        assert_true(is_size(kept, k > 0 ? sigma[k - 1] : 0.0, true, 1.0) &&
                    is_size(dropped, k < N_SIGMA ? sigma[k] : 0.0, true, 1.0));
        sarrus_multiprecision *reference = sarrus_multiprecision_create(matrices[0], M, N, k, 0.0);
        assert_non_null(reference);
        sarrus_multiprecision_error e;
        assert_int_equal(sarrus_multiprecision_measure(reference, x, &e), 0);
        const double bound = k > 0 ? 2.0 * 10.0 * M * DBL_EPSILON * sigma[0] / sigma[k - 1] : 0.0;
        assert_true(e.forward <= bound && e.ax <= bound && e.xa <= bound);
        sarrus_multiprecision_destroy(reference);
        options.method = SARRUS_PINV_SVD;
        batch.x = svd;
        assert_int_equal(sarrus_pinv_compute(NULL, &options, &batch), SARRUS_OK);
        for (int i = 0; i < N * M; ++i)
            assert_true(fabs(x[i] - svd[i]) <= bound * matrix_norm(svd, N * M));
    }
}

/* x [n][m] = Aᵀ (A Aᵀ + t² 1)⁻¹ by Cholesky in long double: what the condition sigma_1² / t² <= 1e6 costs of its 19 digits does
 * not show. */
static void tikhonov_formula(const double *a, double t, double *x) {
    long double s[M * M], row[M];
    for (int i = 0; i < M; ++i) {
        for (int j = 0; j <= i; ++j) {
            long double sum = i == j ? (long double)t * t : 0.0L;
            for (int k = 0; k < N; ++k)
                sum += (long double)a[i * N + k] * a[j * N + k];
            for (int k = 0; k < j; ++k)
                sum -= s[i * M + k] * s[j * M + k];
            s[i * M + j] = i == j ? sqrtl(sum) : sum / s[j * M + j];
        }
    }
    for (int k = 0; k < N; ++k) {
        for (int i = 0; i < M; ++i) {
            row[i] = a[i * N + k];
            for (int j = 0; j < i; ++j)
                row[i] -= s[i * M + j] * row[j];
            row[i] /= s[i * M + i];
        }
        for (int i = M - 1; i >= 0; --i) {
            for (int j = i + 1; j < M; ++j)
                row[i] -= s[j * M + i] * row[j];
            row[i] /= s[i * M + i];
            x[k * M + i] = (double)row[i];
        }
    }
}

/* s / (s² + t²) moves by at most |ds| / t²; singular values and vectors are off by 10 max(m, n) eps sigma_1. */
static void check_tikhonov(const sarrus_pinv_options *options, double scale, double t) {
    static double a[N_MATRICES][M * N], x[N_MATRICES][N * M], identity[N_MATRICES][M * M], applied[N_MATRICES][N * M];
    double expected[N * M];
    for (int i = 0; i < N_MATRICES; ++i) {
        for (int k = 0; k < M * N; ++k)
            a[i][k] = scale * matrices[i][k];
        for (int k = 0; k < M * M; ++k)
            identity[i][k] = k % (M + 1) == 0 ? 1.0 : 0.0;
    }
    sarrus_pinv_batch batch = {.n_matrices = N_MATRICES, .m = M, .n = N, .a = a[0], .x = x[0]};
    assert_int_equal(sarrus_pinv_compute(NULL, options, &batch), SARRUS_OK);
    batch.n_rhs = M;
    batch.b = identity[0];
    batch.x = applied[0];
    assert_int_equal(sarrus_pinv_compute(NULL, options, &batch), SARRUS_OK);
    const double bound = 10.0 * M * DBL_EPSILON * sigma[0] * scale / (t * t);
    for (int i = 0; i < N_MATRICES; ++i) {
        tikhonov_formula(a[i], t, expected);
        for (int k = 0; k < N * M; ++k) {
            assert_true(fabs(x[i][k] - expected[k]) <= bound);
            assert_true(fabs(applied[i][k] - expected[k]) <= bound);
        }
    }
}

static void test_tikhonov(void **state) {
    sarrus_pinv_options options = {.method = SARRUS_PINV_TIKHONOV, .rank_method = SARRUS_RANK_RELATIVE, .n_threads = 1};
    (void)state;
    for (double tolerance = 1e-3; tolerance < 2.0; tolerance *= 10.0) {
        options.rank_tolerance = tolerance;
        check_tikhonov(&options, 1.0, tolerance * sigma[0]);
        check_tikhonov(&options, 0x1p-30, tolerance * sigma[0] * 0x1p-30);
    }
    options.rank_method = SARRUS_RANK_ABSOLUTE;
    options.rank_tolerance = 0.25;
    check_tikhonov(&options, 1.0, 0.25);
    options.rank_tolerance = 0.25 * 0x1p20;
    check_tikhonov(&options, 0x1p20, 0.25 * 0x1p20);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_relative),
        cmocka_unit_test(test_absolute),
        cmocka_unit_test(test_gap),
        cmocka_unit_test(test_tracked),
        cmocka_unit_test(test_violation),
        cmocka_unit_test(test_auto),
        cmocka_unit_test(test_limits_are_of_one_matrix),
        cmocka_unit_test(test_truncated),
        cmocka_unit_test(test_tikhonov),
    };
    return cmocka_run_group_tests_name("kernels.pinv_rules", tests, create_matrices, NULL);
}

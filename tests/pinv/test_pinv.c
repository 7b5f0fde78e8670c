/* The public call for many matrices (sarrus/pinv.h): what it refuses, that a matrix's bits are its own, and the LAPACK path. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sarrus/sarrus.h"
#include "tests/support/matrices.h"

static const char *const isas[] = {"avx512", "avx2", "baseline"};

static double *numbers(size_t count) {
    double *x = calloc(count > 0 ? count : 1, sizeof *x);
    assert_non_null(x);
    return x;
}

static double *random_numbers(size_t count, uint64_t seed) {
    double *x = numbers(count);
    for (size_t i = 0; i < count; ++i)
        x[i] = matrix_number(&seed);
    return x;
}

static bool has_isa(const char *isa) {
    const double a = 1.0;
    double x = 0.0;
    const sarrus_pinv_options options = {.isa = isa, .n_threads = 1};
    const sarrus_pinv_batch batch = {.n_matrices = 1, .m = 1, .n = 1, .a = &a, .x = &x};
    return sarrus_pinv_compute(NULL, &options, &batch) == SARRUS_OK;
}

/* --- What is refused -------------------------------------------------------------------------------------------------- */

static double given[6] = {1, 2, 3, 4, 5, 6}, right_sides[2] = {1, 2}, result[6];
static int32_t result_rank[1];

static const sarrus_pinv_batch good = {.n_matrices = 1, .m = 2, .n = 3, .a = given, .x = result, .rank = result_rank};

/* The call is refused with `expected` and one diagnostic of that kind, and nothing is written. */
static void assert_refused(sarrus_status expected, const sarrus_pinv_options *options, const sarrus_pinv_batch *batch) {
    sarrus_context *context = NULL;
    assert_int_equal(sarrus_context_create(&context), SARRUS_OK);
    for (int i = 0; i < 6; ++i)
        result[i] = 7.0;
    result_rank[0] = 7;
    assert_int_equal(sarrus_pinv_compute(context, options, batch), expected);
    assert_int_equal(sarrus_pinv_compute(NULL, options, batch), expected);
    assert_int_equal(sarrus_context_n_diagnostics(context), 1);
    assert_int_equal(sarrus_context_diagnostic(context, 0)->status, expected);
    for (int i = 0; i < 6; ++i)
        assert_true(result[i] == 7.0);
    assert_int_equal(result_rank[0], 7);
    sarrus_context_destroy(context);
}

static void test_options_refused(void **state) {
    const sarrus_pinv_options bad[] = {
        {.method = (sarrus_pinv_method)SARRUS_N_PINV_METHODS},
        {.method = (sarrus_pinv_method)-1},
        {.rank_method = (sarrus_rank_method)SARRUS_N_RANK_METHODS},
        {.rank_method = (sarrus_rank_method)-1},
        {.rank_tolerance = -1e-3},
        {.rank_tolerance = (double)NAN},
        {.rank_tolerance = (double)INFINITY},
        {.n_threads = -1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i)
        assert_refused(SARRUS_BAD_ARGUMENT, &bad[i], &good);
    const sarrus_pinv_options unknown = {.isa = "mmx"}, empty = {.isa = ""};
    assert_refused(SARRUS_NO_BACKEND, &unknown, &good);
    assert_refused(SARRUS_NO_BACKEND, &empty, &good);
}

static void test_batches_refused(void **state) {
    const sarrus_pinv_options options = {.method = SARRUS_PINV_AUTO};
    sarrus_pinv_batch bad[8];
    (void)state;
    for (int i = 0; i < 8; ++i)
        bad[i] = good;
    bad[0].m = 0;
    bad[1].n = 0;
    bad[2].n = -3;
    bad[3].n_rhs = -1;
    bad[4].a = NULL;
    bad[5].x = NULL;
    bad[6].n_rhs = 1; /* b is NULL */
    for (int i = 0; i < 7; ++i)
        assert_refused(SARRUS_BAD_ARGUMENT, &options, &bad[i]);
    assert_refused(SARRUS_BAD_ARGUMENT, &options, NULL);
    bad[7].m = 4097;
    assert_refused(SARRUS_UNSUPPORTED, &options, &bad[7]);
    bad[7].m = 2;
    bad[7].n_rhs = 4097;
    bad[7].b = right_sides;
    assert_refused(SARRUS_UNSUPPORTED, &options, &bad[7]);
    /* Above 64 only auto and lapack. */
    for (int method = 1; method < SARRUS_N_PINV_HOST_METHODS; ++method) {
        const sarrus_pinv_options one = {.method = (sarrus_pinv_method)method};
        bad[0] = good;
        bad[0].n = 65;
        if (one.method != SARRUS_PINV_LAPACK)
            assert_refused(SARRUS_UNSUPPORTED, &one, &bad[0]);
    }
}

/* Methods that would invert round-off unless they are told more: each option that says too little, and the same with enough. The
 * least damping of 2×3 is √(3 ε) = 2.58e-8. */
static void test_noise_is_not_inverted(void **state) {
    const struct {
        sarrus_rank_method rule;
        double too_little, enough; /* 0: nothing is enough */
    } rules[] = {{SARRUS_RANK_AUTO, 0.0, 2.6e-8},     {SARRUS_RANK_AUTO, 2.5e-8, 1e-5},   {SARRUS_RANK_RELATIVE, 0.0, 1e-5},
                 {SARRUS_RANK_RELATIVE, 1e-12, 1e-5}, {SARRUS_RANK_TRACKED, 0.0, 2.6e-8}, {SARRUS_RANK_ABSOLUTE, 0.0, 1e-300},
                 {SARRUS_RANK_GAP, 0.0, 0.0},         {SARRUS_RANK_GAP, 1e-3, 0.0},       {SARRUS_RANK_VIOLATION, 1e-2, 10.0},
                 {SARRUS_RANK_VIOLATION, 2.5, 2.6}};
    const double violation = 1e-8, no_violation = 0.0;
    const int32_t one = 1;
    sarrus_pinv_options options = {.method = SARRUS_PINV_TRUNCATED};
    sarrus_pinv_batch batch = good;
    (void)state;
    assert_refused(SARRUS_BAD_ARGUMENT, &options, &batch);
    batch.max_rank = &one;
    assert_int_equal(sarrus_pinv_compute(NULL, &options, &batch), SARRUS_OK);
    assert_int_equal(result_rank[0], 1);
    options.method = SARRUS_PINV_TIKHONOV;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; ++i) {
        options.rank_method = rules[i].rule;
        options.rank_tolerance = rules[i].too_little;
        batch.violation = &violation;
        assert_refused(SARRUS_BAD_ARGUMENT, &options, &batch);
        options.rank_tolerance = rules[i].enough;
        batch.violation = rules[i].rule == SARRUS_RANK_VIOLATION ? &violation : NULL;
        if (rules[i].enough > 0.0)
            assert_int_equal(sarrus_pinv_compute(NULL, &options, &batch), SARRUS_OK);
    }
    options.rank_method = SARRUS_RANK_VIOLATION;
    batch.violation = &no_violation;
    assert_refused(SARRUS_BAD_ARGUMENT, &options, &batch);
    batch.violation = NULL;
    assert_refused(SARRUS_BAD_ARGUMENT, &options, &batch);
}

static void test_empty_batch_and_default_options(void **state) {
    (void)state;
    const sarrus_pinv_batch empty = {.n_matrices = 0, .m = 3, .n = 2};
    assert_int_equal(sarrus_pinv_compute(NULL, NULL, &empty), SARRUS_OK);
    assert_int_equal(sarrus_pinv_compute(NULL, NULL, &good), SARRUS_OK);
    assert_int_equal(result_rank[0], 2);
    sarrus_multiprecision *reference = sarrus_multiprecision_create(given, 2, 3, 2, 0.0);
    assert_non_null(reference);
    for (int i = 0; i < 6; ++i)
        assert_true(fabs(result[i] - sarrus_multiprecision_x(reference)[i]) < 1e-14);
    sarrus_multiprecision_destroy(reference);
}

static void test_resolved_options(void **state) {
    const sarrus_pinv_options tracked = {.method = SARRUS_PINV_SVD, .rank_method = SARRUS_RANK_TRACKED, .n_threads = 3};
    const sarrus_pinv_options none = {.rank_tolerance = -1.0}, small = sarrus_pinv_options_resolve(NULL, 64, 12),
                              large = sarrus_pinv_options_resolve(NULL, 12, 65), same = sarrus_pinv_options_resolve(&tracked, 3, 3);
    (void)state;
    assert_true(small.method == SARRUS_PINV_HOUSEHOLDER && small.rank_tolerance == 10.0 * 64 * DBL_EPSILON);
    assert_true(large.method == SARRUS_PINV_LAPACK && large.rank_tolerance == 10.0 * 65 * DBL_EPSILON);
    assert_true(same.method == SARRUS_PINV_SVD && same.rank_tolerance == 1e-10 && same.n_threads == 3);
    assert_true(sarrus_pinv_options_resolve(&none, 3, 3).rank_tolerance == -1.0);
}

/* --- A matrix's bits are its own -------------------------------------------------------------------------------------- */

enum { N_MANY = 403, ROWS = 7, COLUMNS = 5, N_RHS = 2 }; /* not a multiple of any width */

/* All that comes back for N_MANY matrices. */
typedef struct many {
    double x[N_MANY * COLUMNS * ROWS]; /* [N_MANY][COLUMNS][N_RHS | ROWS] */
    int32_t rank[N_MANY];
    double kept[N_MANY], dropped[N_MANY], n_sweeps[N_MANY];
} many;

static void compute_many(const sarrus_pinv_options *options, const double *a, const double *b, uint64_t n, many *out) {
    memset(out, 0, sizeof *out);
    const sarrus_pinv_batch batch = {.n_matrices = n,
                                     .m = ROWS,
                                     .n = COLUMNS,
                                     .n_rhs = b ? N_RHS : 0,
                                     .a = a,
                                     .b = b,
                                     .x = out->x,
                                     .rank = out->rank,
                                     .kept = out->kept,
                                     .dropped = out->dropped,
                                     .n_sweeps = out->n_sweeps};
    assert_int_equal(sarrus_pinv_compute(NULL, options, &batch), SARRUS_OK);
}

/* Random matrices, some of lower rank. */
static double *many_matrices(void) {
    double *a = numbers((size_t)N_MANY * ROWS * COLUMNS);
    uint64_t random = 3;
    for (int i = 0; i < N_MANY; ++i)
        matrix_product(ROWS, COLUMNS, i % 4 == 0 ? COLUMNS - 1 : COLUMNS, &random, a + (size_t)i * ROWS * COLUMNS);
    return a;
}

static const sarrus_pinv_method some_methods[] = {SARRUS_PINV_AUTO, SARRUS_PINV_SVD, SARRUS_PINV_LAPACK, SARRUS_PINV_MGS};

static void test_threads_and_batch_size(void **state) {
    static many expected, got, one;
    double *a = many_matrices(), *b = random_numbers((size_t)N_MANY * ROWS * N_RHS, 4);
    (void)state;
    for (size_t k = 0; k < 4 * 3 * 2; ++k) {
        const double *bs = k % 2 ? b : NULL;
        const size_t n_x = bs ? COLUMNS * N_RHS : COLUMNS * ROWS;
        sarrus_pinv_options options = {.method = some_methods[k / 6], .isa = isas[k / 2 % 3], .n_threads = 1};
        if (!has_isa(options.isa))
            continue;
        compute_many(&options, a, bs, N_MANY, &expected);
        for (int i = 0; i < N_MANY; ++i)
            assert_int_equal(expected.rank[i], i % 4 == 0 ? COLUMNS - 1 : COLUMNS);
        for (int n_threads = 5; n_threads >= 0; --n_threads) { /* a team that grows leaks in LLVM's run-time library */
            options.n_threads = n_threads;
            compute_many(&options, a, bs, N_MANY, &got);
            assert_memory_equal(&got, &expected, sizeof got);
        }
        /* Another place, another batch size: the same numbers. */
        for (int first = 1; first < N_MANY; first += 97) {
            const uint64_t n = (uint64_t)(N_MANY - first) / (first % 2 ? 1 : 3);
            compute_many(&options, a + (size_t)first * ROWS * COLUMNS, bs ? bs + (size_t)first * ROWS * N_RHS : NULL, n, &one);
            assert_memory_equal(one.x, expected.x + (size_t)first * n_x, n * n_x * sizeof(double));
            assert_memory_equal(one.kept, expected.kept + first, n * sizeof(double));
            assert_memory_equal(one.n_sweeps, expected.n_sweeps + first, n * sizeof(double));
        }
    }
    free(a);
    free(b);
}

/* The matrices marked give NaN and rank 0, or NaN alone where only the right side is not finite; the others their own bits. */
static void test_nan_is_isolated(void **state) {
    static many expected, got;
    double *a = many_matrices(), *b = random_numbers((size_t)N_MANY * ROWS * N_RHS, 4);
    double *bad_a = numbers((size_t)N_MANY * ROWS * COLUMNS), *bad_b = numbers((size_t)N_MANY * ROWS * N_RHS);
    (void)state;
    memcpy(bad_a, a, sizeof(double) * N_MANY * ROWS * COLUMNS);
    memcpy(bad_b, b, sizeof(double) * N_MANY * ROWS * N_RHS);
    for (int i = 0; i < N_MANY; ++i) {
        if (i % 5 == 2)
            bad_a[i * ROWS * COLUMNS + i % (ROWS * COLUMNS)] = i % 2 ? (double)NAN : (double)-INFINITY;
        if (i % 7 == 3)
            bad_b[i * ROWS * N_RHS + i % (ROWS * N_RHS)] = i % 2 ? (double)NAN : (double)INFINITY;
    }
    for (size_t k = 0; k < 4 * 3 * 2; ++k) {
        const bool is_applied = k % 2 == 1;
        const int n_x = is_applied ? COLUMNS * N_RHS : COLUMNS * ROWS;
        const sarrus_pinv_options options = {.method = some_methods[k / 6], .isa = isas[k / 2 % 3], .n_threads = 2};
        if (!has_isa(options.isa))
            continue;
        compute_many(&options, a, is_applied ? b : NULL, N_MANY, &expected);
        compute_many(&options, bad_a, is_applied ? bad_b : NULL, N_MANY, &got);
        for (int i = 0; i < N_MANY; ++i) {
            const double *x = got.x + i * n_x;
            const bool spoilt = i % 5 == 2, half_spoilt = is_applied && i % 7 == 3;
            for (int j = 0; (spoilt || half_spoilt) && j < n_x; ++j)
                assert_true(isnan(x[j]));
            if (!spoilt && !half_spoilt)
                assert_memory_equal(x, expected.x + i * n_x, (size_t)n_x * sizeof *x);
            assert_int_equal(got.rank[i], spoilt ? 0 : expected.rank[i]);
            assert_true(spoilt ? isnan(got.kept[i]) : got.kept[i] == expected.kept[i]);
        }
    }
    free(a);
    free(b);
    free(bad_a);
    free(bad_b);
}

/* --- LAPACK, and beyond 64 -------------------------------------------------------------------------------------------- */

/* A⁺ and A⁺ B of a matrix of known rank, by the method, against residuals of 10 max(m, n) eps; the right sides are 1, so that
 * A⁺ 1 must have them too. */
static void check_large(sarrus_pinv_method method, int m, int n, int rank_made) {
    uint64_t random = 5;
    const size_t n_a = (size_t)(m * n);
    double *a = numbers(n_a), *x = numbers(n_a), *applied = numbers(n_a), *identity = numbers((size_t)(m * m));
    int32_t rank[2] = {-1, -1};
    matrix_product(m, n, rank_made, &random, a);
    for (int i = 0; i < m; ++i)
        identity[i * m + i] = 1.0;
    const sarrus_pinv_options options = {.method = method};
    sarrus_pinv_batch batch = {.n_matrices = 1, .m = m, .n = n, .a = a, .x = x, .rank = &rank[0]};
    assert_int_equal(sarrus_pinv_compute(NULL, &options, &batch), SARRUS_OK);
    batch.n_rhs = m;
    batch.b = identity;
    batch.x = applied;
    batch.rank = &rank[1];
    assert_int_equal(sarrus_pinv_compute(NULL, &options, &batch), SARRUS_OK);
    const double bound = 10.0 * (m > n ? m : n) * DBL_EPSILON;
    for (int form = 0; form < 2; ++form) {
        sarrus_multiprecision_error e;
        assert_int_equal(rank[form], rank_made);
        matrix_measure(m, n, a, form ? applied : x, x, &e);
        assert_true(e.axa <= bound && e.xax <= bound && e.ax <= bound && e.xa <= bound);
        assert_true(e.forward <= 1e4 * bound); /* the two forms agree to the condition, some 1e3 of such matrices */
    }
    free(a);
    free(x);
    free(applied);
    free(identity);
}

static void test_lapack_and_large(void **state) {
    (void)state;
    check_large(SARRUS_PINV_LAPACK, 12, 12, 11);
    check_large(SARRUS_PINV_LAPACK, 5, 9, 5);
    check_large(SARRUS_PINV_LAPACK, 9, 5, 3);
    check_large(SARRUS_PINV_AUTO, 65, 20, 20);
    check_large(SARRUS_PINV_AUTO, 20, 70, 13);
    check_large(SARRUS_PINV_AUTO, 100, 100, 90);
    check_large(SARRUS_PINV_LAPACK, 1, 200, 1);
}

/* Of any scale, as the lanes do; a zero matrix has rank 0. */
static void test_lapack_scales(void **state) {
    const double scale[] = {1e-300, 1e-150, 1.0, 1e150, 1e300, 0.0};
    double a[6][12], x[6][12], kept[6];
    int32_t rank[6];
    uint64_t random = 8;
    (void)state;
    matrix_product(4, 3, 2, &random, a[2]);
    for (int i = 0; i < 6; ++i) {
        for (int k = 0; k < 12; ++k)
            a[i][k] = scale[i] * a[2][k];
    }
    const sarrus_pinv_options options = {.method = SARRUS_PINV_LAPACK};
    const sarrus_pinv_batch batch = {.n_matrices = 6, .m = 4, .n = 3, .a = a[0], .x = x[0], .rank = rank, .kept = kept};
    assert_int_equal(sarrus_pinv_compute(NULL, &options, &batch), SARRUS_OK);
    for (int i = 0; i < 6; ++i) {
        assert_int_equal(rank[i], i < 5 ? 2 : 0);
        /* Two roundings in scaling each matrix, and the conditions of some 10. */
        assert_true(fabs(kept[i] - scale[i] * kept[2]) <= 1e-14 * scale[i] * kept[2]);
        for (int k = 0; k < 12; ++k) {
            const double expected = i < 5 ? x[2][k] / scale[i] : 0.0;
            assert_true(fabs(x[i][k] - expected) <= (i < 5 ? 1e-13 * matrix_norm(x[2], 12) / scale[i] : 0.0));
        }
    }
}

/* --- Flops ------------------------------------------------------------------------------------------------------------ */

static void test_flops(void **state) {
    sarrus_pinv_options options = {.method = SARRUS_PINV_AUTO};
    (void)state;
    const double explicit_form = sarrus_pinv_count_flops(&options, 12, 12, 0, 11, 0.0);
    const double applied = sarrus_pinv_count_flops(&options, 12, 12, 1, 11, 0.0);
    options.method = SARRUS_PINV_HOUSEHOLDER;
    assert_true(sarrus_pinv_count_flops(&options, 12, 12, 0, 11, 0.0) == explicit_form);
    /* A QR of 12 columns is 4/3 12³ = 2304; A⁺ takes at least as much again, one right side a tenth of it. */
    assert_true(applied > 2000.0 && applied < 6000.0);
    assert_true(explicit_form > applied + 1000.0 && explicit_form < 20000.0);
    assert_true(sarrus_pinv_count_flops(NULL, 12, 12, 0, 11, 0.0) == explicit_form);
    options.method = SARRUS_PINV_SVD;
    assert_true(sarrus_pinv_count_flops(&options, 12, 12, 0, 11, 6.0) > sarrus_pinv_count_flops(&options, 12, 12, 0, 11, 5.0));
    options.method = SARRUS_PINV_LAPACK;
    assert_true(isnan(sarrus_pinv_count_flops(&options, 12, 12, 0, 11, 0.0)));
    options.method = SARRUS_PINV_AUTO;
    assert_true(isnan(sarrus_pinv_count_flops(&options, 65, 12, 0, 11, 0.0)));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_options_refused),
        cmocka_unit_test(test_batches_refused),
        cmocka_unit_test(test_noise_is_not_inverted),
        cmocka_unit_test(test_resolved_options),
        cmocka_unit_test(test_empty_batch_and_default_options),
        cmocka_unit_test(test_threads_and_batch_size),
        cmocka_unit_test(test_nan_is_isolated),
        cmocka_unit_test(test_lapack_and_large),
        cmocka_unit_test(test_lapack_scales),
        cmocka_unit_test(test_flops),
    };
    return cmocka_run_group_tests_name("pinv.pinv", tests, NULL, NULL);
}

/* Claim, of every row of pinv_methods.def: what it makes of a random matrix, tall, wide or square, of full rank or less, satisfies
 * Penrose's four conditions
 *
 *   A X A = A,   X A X = X,   (A X)ᵀ = A X,   (X A)ᵀ = X A
 *
 * to a bound that follows from the condition alone, at the rank that is there; the two forms are one; with every row of
 * rank_methods.def it finds a rank that has a clear gap; and a matrix's bits do not depend on its place. Methods that answer
 * another question are held to that. tests/kernels/test_pinv_methods.c has more classes of matrices, judged with 50 digits,
 * test_pinv_rules.c the rules' edges, test_pinv_lanes.c stranger neighbors. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sarrus/sarrus.h"
#include "tests/support/matrices.h"
#include "tests/support/pinv_traits.h"

enum { LARGEST = 64, AREA = LARGEST * LARGEST, N_RHS = 3 };

/* Rows, columns, rank. Those of 40 and more are taken by blocks. */
static const int shapes[][3] = {{1, 1, 1},    {1, 7, 1},    {7, 1, 1},    {3, 3, 3},    {4, 9, 3},    {9, 4, 4},
                                {9, 4, 2},    {12, 12, 12}, {12, 12, 11}, {12, 12, 1},  {11, 12, 11}, {20, 21, 20},
                                {21, 20, 13}, {6, 30, 5},   {30, 6, 6},   {48, 44, 40}, {44, 48, 44}, {64, 64, 63}};
/* σ₁ / σ_r. */
static const double conditions[] = {2.0, 1e3, 1e6};
enum { N_SHAPES = sizeof shapes / sizeof *shapes, N_CONDITIONS = sizeof conditions / sizeof *conditions };

static sarrus_pinv_method method_of(void **state) {
    return *(const sarrus_pinv_method *)*state;
}

/* a [m][n] of singular values from 1 to 1/condition, in equal steps of their logarithm. */
static void make_matrix(const int shape[3], double condition, uint64_t *random, double *a) {
    double sigma[LARGEST];
    for (int i = 0; i < shape[2]; ++i)
        sigma[i] = pow(condition, shape[2] > 1 ? -(double)i / (shape[2] - 1) : 0.0);
    matrix_spectrum(shape[0], shape[1], sigma, shape[2], random, a);
}

/* Decided as it must be to be the rank of the matrix: the methods that are told get it. */
static sarrus_pinv_options options_of(sarrus_pinv_method method) {
    return (sarrus_pinv_options){.method = method, .rank_method = SARRUS_RANK_RELATIVE, .rank_tolerance = 1e-9, .n_threads = 1};
}

static int32_t compute(const sarrus_pinv_options *options, const int shape[3], int n_rhs, const double *a, const double *b,
                       double *x) {
    int32_t rank = -1;
    const int32_t wanted = shape[2];
    const sarrus_pinv_batch batch = {
        .n_matrices = 1, .m = shape[0], .n = shape[1], .n_rhs = n_rhs, .a = a, .b = b, .x = x, .max_rank = &wanted, .rank = &rank};
    assert_int_equal(sarrus_pinv_compute(NULL, options, &batch), SARRUS_OK);
    return rank;
}

static void assert_below(sarrus_pinv_method method, const int shape[3], const char *what, double value, double bound) {
    if (!(value <= bound))
        fail_msg("%s, %dx%d of rank %d: %s is %.2e, at most %.1e", sarrus_pinv_method_word(method), shape[0], shape[1], shape[2],
                 what, value, bound);
}

/* --- Penrose ------------------------------------------------------------------------------------------------------------- */

/* The explicit form is X; the other, A⁺ b, equals X b within the residual of either over σ_r twice. */
static void check_penrose(sarrus_pinv_method method, const int shape[3], double condition, uint64_t *random) {
    static double a[AREA], x[AREA], b[LARGEST * N_RHS], applied[LARGEST * N_RHS], product[LARGEST * N_RHS];
    const int m = shape[0], n = shape[1], largest = m > n ? m : n;
    const sarrus_pinv_options options = options_of(method);
    const double bound = 10.0 * largest * DBL_EPSILON * pow(condition, pinv_trait_of(method).power);
    sarrus_multiprecision_error e;
    make_matrix(shape, condition, random, a);
    for (int i = 0; i < m * N_RHS; ++i)
        b[i] = matrix_number(random);
    assert_int_equal(compute(&options, shape, 0, a, NULL, x), shape[2]);
    assert_int_equal(compute(&options, shape, N_RHS, a, b, applied), shape[2]);
    matrix_measure(m, n, a, x, x, &e);
    assert_below(method, shape, "A X A - A", e.axa, bound);
    assert_below(method, shape, "X A X - X", e.xax, bound);
    assert_below(method, shape, "A X - its transpose", e.ax, bound);
    assert_below(method, shape, "X A - its transpose", e.xa, bound);
    for (int i = 0; i < n * N_RHS; ++i) {
        product[i] = -applied[i];
        for (int k = 0; k < m; ++k)
            product[i] += x[i / N_RHS * m + k] * b[k * N_RHS + i % N_RHS];
    }
    const double most = 2.0 * bound * matrix_norm(a, m * n) * matrix_norm(b, m * N_RHS) * condition * condition;
    assert_below(method, shape, "X b - A+ b", matrix_norm(product, n * N_RHS), most);
}

/* (AᵀA + t²) X = Aᵀ: what is left of it is round-off of the terms' sizes, to the same factor as above. */
static void check_regularised(sarrus_pinv_method method, const int shape[3], double condition, uint64_t *random) {
    static double a[AREA], x[AREA], ax[AREA];
    const int m = shape[0], n = shape[1], largest = m > n ? m : n;
    const double t = 0.1;
    const sarrus_pinv_options options = {
        .method = method, .rank_method = SARRUS_RANK_ABSOLUTE, .rank_tolerance = t, .n_threads = 1};
    double left = 0.0;
    make_matrix(shape, condition, random, a);
    (void)compute(&options, shape, 0, a, NULL, x);
    for (int i = 0; i < m * m; ++i) {
        ax[i] = i % (m + 1) == 0 ? -1.0 : 0.0;
        for (int k = 0; k < n; ++k)
            ax[i] += a[i / m * n + k] * x[k * m + i % m];
    }
    for (int i = 0; i < n * m; ++i) {
        double sum = t * t * x[i];
        for (int k = 0; k < m; ++k)
            sum += a[k * n + i / m] * ax[k * m + i % m];
        left += sum * sum;
    }
    const double norm_a = matrix_norm(a, m * n), norm_x = matrix_norm(x, n * m);
    assert_below(method, shape, "(A'A + t^2) X - A'", sqrt(left),
                 10.0 * largest * DBL_EPSILON * ((norm_a * norm_a + t * t) * norm_x + norm_a));
}

static void check_refused(sarrus_pinv_method method) {
    const double a = 1.0;
    double x = 7.0;
    const sarrus_pinv_options options = {.method = method, .n_threads = 1};
    const sarrus_pinv_batch batch = {.n_matrices = 1, .m = 1, .n = 1, .a = &a, .x = &x};
    assert_int_equal(sarrus_pinv_compute(NULL, &options, &batch), SARRUS_UNSUPPORTED);
    assert_true(x == 7.0);
}

static void satisfies_its_equations(void **state) {
    const sarrus_pinv_method method = method_of(state);
    const pinv_trait trait = pinv_trait_of(method);
    uint64_t random = 1;
    int n_checked = 0;
    if (trait.claim == PINV_NEEDS_A_DEVICE) {
        check_refused(method);
        return;
    }
    for (int i = 0; i < N_SHAPES; ++i) {
        for (int k = 0; k < N_CONDITIONS; ++k) {
            if (trait.claim == PINV_IS_REGULARISED) {
                check_regularised(method, shapes[i], conditions[k], &random);
            } else if (conditions[k] * trait.least < 0.1) {
                check_penrose(method, shapes[i], conditions[k], &random);
            } else { /* beyond the method: the bound would say nothing */
                continue;
            }
            ++n_checked;
        }
    }
    assert_true(n_checked >= (N_CONDITIONS - 1) * N_SHAPES);
}

/* --- Ranks --------------------------------------------------------------------------------------------------------------- */

/* Sizes stand within this factor of the singular values: pivots of an elimination of this size, and those of rows in the order in
 * which they come, which multiply by the condition of the first ones. */
static double size_factor(pinv_trait trait) {
    return trait.has_sigma ? 1.01 : trait.takes_rows_as_they_come ? 300.0 : 30.0;
}

enum { M = 7, N = 6, RANK = 4, N_PLACES = 11 }; /* places: a tile of 8 and a part of the next */

/* Four singular values of a size of 1, two of `tail`. */
static void make_gap(double tail, uint64_t *random, double *a) {
    const double sigma[N] = {1.0, 0.8, 0.5, 0.4, tail, 0.7 * tail};
    matrix_spectrum(M, N, sigma, tail > 0.0 ? N : RANK, random, a);
}

/* A threshold within the gap, by every rule in its own way; the tail is some 1e-7, or 0. */
static double tolerance_of(sarrus_pinv_method method, sarrus_rank_method rule) {
    switch (rule) {
    case SARRUS_RANK_AUTO: /* takes the rank that it is given, as the largest; who damps must have a threshold */
        return pinv_trait_of(method).claim == PINV_IS_REGULARISED ? 1e-4 : 0.0;
    case SARRUS_RANK_RELATIVE:
    case SARRUS_RANK_ABSOLUTE:
    case SARRUS_RANK_TRACKED:
        return 1e-4;
    case SARRUS_RANK_GAP:
        return 1e-3;
    case SARRUS_RANK_VIOLATION: /* times the violation, 1e-5 */
        return 10.0;
    }
    return -1.0; /* no rule of the table */
}

/* What damps by the threshold of a rule needs one that has a threshold. */
static bool goes_with(sarrus_pinv_method method, sarrus_rank_method rule) {
    return pinv_trait_of(method).claim != PINV_IS_REGULARISED || rule != SARRUS_RANK_GAP;
}

typedef struct decision {
    double x[N * M];
    int32_t rank;
    double kept, dropped;
} decision;

/* Matrices [n_matrices][M][N] by a method and a rule. */
static void decide(sarrus_pinv_method method, sarrus_rank_method rule, int n_matrices, const double *a, decision *out) {
    double x[N_PLACES][N * M], kept[N_PLACES], dropped[N_PLACES], violation[N_PLACES];
    int32_t rank[N_PLACES], max_rank[N_PLACES];
    for (int i = 0; i < n_matrices; ++i) {
        violation[i] = 1e-5;
        max_rank[i] = RANK;
    }
    const sarrus_pinv_options options = {
        .method = method, .rank_method = rule, .rank_tolerance = tolerance_of(method, rule), .n_threads = 1};
    const sarrus_pinv_batch batch = {.n_matrices = (uint64_t)n_matrices,
                                     .m = M,
                                     .n = N,
                                     .a = a,
                                     .x = x[0],
                                     .max_rank = max_rank,
                                     .violation = violation,
                                     .rank = rank,
                                     .kept = kept,
                                     .dropped = dropped};
    assert_int_equal(sarrus_pinv_compute(NULL, &options, &batch), SARRUS_OK);
    memset(out, 0, (size_t)n_matrices * sizeof *out);
    for (int i = 0; i < n_matrices; ++i) {
        memcpy(out[i].x, x[i], sizeof x[i]);
        out[i].rank = rank[i];
        out[i].kept = kept[i];
        out[i].dropped = dropped[i];
    }
}

/* Every rule finds it; and nothing of the tail comes back through X, which would be as large as its inverse. A regularised inverse
 * lets s/(s² + t²) <= 1/2t through. */
static void finds_a_rank_with_a_gap(void **state) {
    const sarrus_pinv_method method = method_of(state);
    const pinv_trait trait = pinv_trait_of(method);
    static const double tails[] = {0.0, 1e-7};
    const double factor = size_factor(trait);
    uint64_t random = 3;
    if (trait.claim == PINV_NEEDS_A_DEVICE)
        return;
    for (int rule = 0; rule < SARRUS_N_RANK_METHODS; ++rule) {
        for (int k = 0; k < 2 * 5 && goes_with(method, (sarrus_rank_method)rule); ++k) {
            double a[M * N];
            decision found;
            make_gap(tails[k % 2], &random, a);
            decide(method, (sarrus_rank_method)rule, 1, a, &found);
            if (found.rank != RANK || !(found.kept >= 0.4 / factor && found.dropped <= 1e-7 * factor))
                fail_msg("%s, %s: rank %d, kept %g, dropped %g; expected %d", sarrus_pinv_method_word(method),
                         sarrus_rank_method_word((sarrus_rank_method)rule), found.rank, found.kept, found.dropped, RANK);
            if (trait.claim != PINV_IS_REGULARISED && !(matrix_norm(found.x, N * M) <= 2.0 / 0.4 * sqrt(RANK)))
                fail_msg("%s, %s: |X| is %g", sarrus_pinv_method_word(method), sarrus_rank_method_word((sarrus_rank_method)rule),
                         matrix_norm(found.x, N * M));
        }
    }
}

/* One matrix among others, at each place of a tile and alone. */
static void bits_do_not_depend_on_the_place(void **state) {
    const sarrus_pinv_method method = method_of(state);
    uint64_t random = 4;
    if (pinv_trait_of(method).claim == PINV_NEEDS_A_DEVICE)
        return;
    for (int rule = 0; rule < SARRUS_N_RANK_METHODS; ++rule) {
        double mine[M * N], all[N_PLACES][M * N];
        decision alone, found[N_PLACES];
        if (!goes_with(method, (sarrus_rank_method)rule))
            continue;
        make_gap(1e-7, &random, mine);
        decide(method, (sarrus_rank_method)rule, 1, mine, &alone);
        for (int place = 0; place < N_PLACES; ++place) {
            for (int i = 0; i < N_PLACES; ++i)
                make_gap(i % 3 == 0 ? 0.3 : i % 3 == 1 ? 0.0 : 1e-7, &random, all[i]);
            memcpy(all[place], mine, sizeof mine);
            decide(method, (sarrus_rank_method)rule, N_PLACES, all[0], found);
            if (memcmp(&found[place], &alone, sizeof alone) != 0)
                fail_msg("%s, %s: other bits at place %d", sarrus_pinv_method_word(method),
                         sarrus_rank_method_word((sarrus_rank_method)rule), place);
        }
    }
}

static sarrus_pinv_method methods[SARRUS_N_PINV_METHODS] = {
#define SARRUS_PINV_METHOD(name, value, word, kernel, text) [value] = SARRUS_PINV_##name,
#include "sarrus/pinv_methods.def"
};

int main(void) {
    const struct CMUnitTest tests[] = {
#define SARRUS_PINV_METHOD(name, value, word, kernel, text)                                                                        \
    {word " satisfies its equations", satisfies_its_equations, NULL, NULL, &methods[value]},                                       \
        {word " finds a rank with a gap", finds_a_rank_with_a_gap, NULL, NULL, &methods[value]},                                   \
        {word " gives the same bits in every place", bits_do_not_depend_on_the_place, NULL, NULL, &methods[value]},
#include "sarrus/pinv_methods.def"
    };
    return cmocka_run_group_tests_name("conformance.pinv", tests, NULL, NULL);
}

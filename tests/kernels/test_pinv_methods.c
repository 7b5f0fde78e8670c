/* Every pseudoinverse method of the lanes (kernels/pinv) on every class of matrices, with every instruction set that this machine
 * has, in both forms. The truth is a decomposition with 70 digits or more. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sarrus/sarrus.h"
#include "tests/support/matrices.h"
#include "tests/support/pinv_cases.h"
#include "tests/support/pinv_traits.h"

enum { N_SCALES = 3, LARGEST = PINV_CASE_LARGEST };

typedef struct rule_choice {
    sarrus_rank_method rule;
    double tolerance; /* 0: the default */
} rule_choice;

static const int scales[N_SCALES] = {0, 498, -498}; /* powers of two: 1, 1e150, 1e-150 */

static const char *const isas[] = {"avx512", "avx2", "baseline"};

static bool has_isa(const char *isa) {
    const double a = 1.0;
    double x = 0.0;
    const sarrus_pinv_options options = {.isa = isa, .n_threads = 1};
    const sarrus_pinv_batch batch = {.n_matrices = 1, .m = 1, .n = 1, .a = &a, .x = &x};
    return sarrus_pinv_compute(NULL, &options, &batch) == SARRUS_OK;
}

/* Failures of one test; the first of a case is printed. */
static int n_failures, n_printed;
static const pinv_case *last_printed;

static void fail_later(const pinv_case *c, sarrus_pinv_method method, const char *isa, const char *what, const double *values) {
    ++n_failures;
    if (c == last_printed || n_printed == 40)
        return;
    last_printed = c;
    ++n_printed;
    print_error("%s %s: %dx%d %s, rank %d, condition %.1e: %s: %.3g, at most %.3g\n", sarrus_pinv_method_word(method), isa, c->m,
                c->n, pinv_class_word(c->class), c->rank, c->condition, what, values[0], values[1]);
}

static void assert_no_failures(void) {
    const int n = n_failures;
    n_failures = n_printed = 0;
    last_printed = NULL;
    assert_int_equal(n, 0);
}

/* What comes back for the case at N_SCALES scales, in the scale of the case. */
typedef struct answer {
    double x[N_SCALES][LARGEST * LARGEST];
    int32_t rank[N_SCALES];
    double kept[N_SCALES], dropped[N_SCALES];
} answer;

static double *numbers(size_t count) {
    double *x = malloc((count > 0 ? count : 1) * sizeof *x);
    assert_non_null(x);
    return x;
}

/* b [m][n_rhs]; n_rhs 0: the explicit form. */
static void compute(const pinv_case *c, const sarrus_pinv_options *options, int n_rhs, const double *b, answer *out) {
    const size_t n_a = (size_t)(c->m * c->n), n_b = (size_t)(c->m * n_rhs), n_x = (size_t)(c->n * (n_rhs > 0 ? n_rhs : c->m));
    double *a = numbers(N_SCALES * n_a), *bs = numbers(N_SCALES * n_b), *x = numbers(N_SCALES * n_x);
    int32_t max_rank[N_SCALES];
    for (int s = 0; s < N_SCALES; ++s) {
        max_rank[s] = c->m < c->n ? c->m : c->n;
        for (size_t i = 0; i < n_a; ++i)
            a[(size_t)s * n_a + i] = ldexp(c->a[i], scales[s]);
        for (size_t i = 0; i < n_b; ++i)
            bs[(size_t)s * n_b + i] = b[i];
    }
    memset(out, 0, sizeof *out);
    const sarrus_pinv_batch batch = {.n_matrices = N_SCALES,
                                     .m = c->m,
                                     .n = c->n,
                                     .n_rhs = n_rhs,
                                     .a = a,
                                     .b = bs,
                                     .x = x,
                                     .max_rank = max_rank,
                                     .rank = out->rank,
                                     .kept = out->kept,
                                     .dropped = out->dropped};
    assert_int_equal(sarrus_pinv_compute(NULL, options, &batch), SARRUS_OK);
    for (int s = 0; s < N_SCALES; ++s) {
        for (size_t i = 0; i < n_x; ++i)
            out->x[s][i] = ldexp(x[(size_t)s * n_x + i], scales[s]);
    }
    free(a);
    free(bs);
    free(x);
}
/* --- What is checked -------------------------------------------------------------------------------------------------- */

/* Nothing but numbers, and infinities only where A⁺ itself is close to the range's end. */
static void check_numbers(const pinv_case *c, sarrus_pinv_method method, const char *isa, const double *x, int count) {
    const double largest = c->norm_x < 1e290 ? 1e300 : (double)INFINITY;
    for (int i = 0; i < count; ++i) {
        if (!(fabs(x[i]) <= largest)) {
            fail_later(c, method, isa, "an entry of the result", (double[]){x[i], largest});
            return;
        }
    }
}

/* 10 max(m, n) eps condition^power, and whether it says anything. */
static bool bound_of(const pinv_case *c, sarrus_pinv_method method, double *bound) {
    *bound = 10.0 * (c->m > c->n ? c->m : c->n) * DBL_EPSILON * pow(c->condition, pinv_trait_of(method).power);
    const bool is_graded = c->class == PINV_ROWS || c->class == PINV_EXTREME;
    return c->is_clear && c->class != PINV_TINY && !(pinv_trait_of(method).takes_rows_as_they_come && is_graded) && *bound < 1e-3;
}

static void check_residuals(const pinv_case *c, sarrus_pinv_method method, const char *isa, const double *x, bool is_applied) {
    double bound;
    sarrus_multiprecision_error e;
    if (!bound_of(c, method, &bound))
        return;
    matrix_measure(c->m, c->n, c->a, x, c->x, &e);
    const double found[] = {e.axa, e.xax, e.ax, e.xa, e.forward};
    static const char *const names[2][5] = {{"AXA - A", "XAX - X", "AX", "XA", "forward"},
                                            {"AXA - A (apply)", "XAX - X (apply)", "AX (apply)", "XA (apply)", "forward (apply)"}};
    for (int i = 0; i < 5; ++i) {
        const double most = i < 4 ? bound : bound * c->condition; /* A⁺ is as sensitive as that */
        if (!(found[i] <= most))
            fail_later(c, method, isa, names[is_applied][i], (double[]){found[i], most});
    }
}

/* Rank and smallest kept size of the matrix as scaled by 2^scale. A pivot is that much off a singular value at most in practice;
 * singular values of backward stable methods move by c max(m, n) eps σ₁. */
static void check_rank(const pinv_case *c, sarrus_pinv_method method, const char *isa, const answer *got, int s) {
    double bound;
    if (!bound_of(c, method, &bound))
        return;
    if (got->rank[s] != c->rank)
        fail_later(c, method, isa, "rank", (double[]){got->rank[s], c->rank});
    const bool has_sigma = pinv_trait_of(method).has_sigma;
    const double kept = ldexp(got->kept[s], -scales[s]), off = fabs(kept - c->kept);
    if (has_sigma && !(off <= bound * c->condition * c->kept))
        fail_later(c, method, isa, "smallest kept singular value is off", (double[]){off, bound * c->condition * c->kept});
    if (!(kept <= 300.0 * c->kept && c->kept <= 300.0 * kept))
        fail_later(c, method, isa, "smallest kept size", (double[]){kept, 300.0 * c->kept});
}

/* The bound on z = A⁺ b is that on A⁺ times its norm and that of b: a right side that no solution satisfies makes the error of z
 * grow with the square of the condition (Wedin), which ‖A⁺‖‖b‖ holds already. */
static void check_solution(const pinv_case *c, sarrus_pinv_method method, const char *isa, const double *z) {
    double bound, square = 0.0;
    if (!bound_of(c, method, &bound))
        return;
    for (int i = 0; i < c->n; ++i) {
        double sum = 0.0;
        for (int j = 0; j < c->m; ++j)
            sum += c->x[i * c->m + j] * c->b[j];
        square += (z[i] - sum) * (z[i] - sum) / c->norm_x / c->norm_x;
    }
    const double off = sqrt(square), most = bound * c->condition * matrix_norm(c->b, c->m);
    if (c->rank > 0 && !(off <= most))
        fail_later(c, method, isa, "solution", (double[]){off, most});
}

static void check_case(const pinv_case *c, sarrus_pinv_method method, const char *isa) {
    static answer got;
    static double identity[LARGEST * LARGEST];
    /* The threshold is the reference's own; the default of `auto`. */
    const sarrus_pinv_options options = {.method = method, .isa = isa, .n_threads = 1};
    for (int i = 0; i < c->m * c->m; ++i)
        identity[i] = i % (c->m + 1) == 0 ? 1.0 : 0.0;
    for (int form = 0; form < 3; ++form) {
        const int n_rhs = form == 0 ? 0 : form == 1 ? c->m : 1;
        compute(c, &options, n_rhs, form == 1 ? identity : c->b, &got);
        for (int s = 0; s < N_SCALES; ++s) {
            if (c->class == PINV_TINY && scales[s] < 0)
                continue;
            check_numbers(c, method, isa, got.x[s], form == 2 ? c->n : c->n * c->m);
            check_rank(c, method, isa, &got, s);
            if (form == 2)
                check_solution(c, method, isa, got.x[s]);
            else
                check_residuals(c, method, isa, got.x[s], form == 1);
        }
    }
}

/* --- The cases -------------------------------------------------------------------------------------------------------- */

static const int shapes[][2] = {{1, 1},  {1, 5},  {5, 1},   {2, 2},   {2, 3},   {3, 2},   {3, 3},   {4, 4},
                                {5, 8},  {8, 5},  {7, 7},   {6, 24},  {24, 6},  {12, 12}, {11, 12}, {12, 11},
                                {9, 17}, {17, 9}, {16, 16}, {20, 24}, {24, 20}, {24, 24}};
static const struct {
    pinv_class class;
    int m, n;
} large_cases[] = {{PINV_FULL, 1, 64},  {PINV_FULL, 64, 1},  {PINV_HALF, 20, 64},    {PINV_LESS_ONE, 64, 20},
                   {PINV_ZERO, 64, 64}, {PINV_FULL, 33, 41}, {PINV_LESS_ONE, 64, 64}};
enum {
    N_SHAPES = sizeof shapes / sizeof *shapes,
    N_LARGE = sizeof large_cases / sizeof *large_cases,
    N_CASES = N_SHAPES * N_PINV_CLASSES + N_LARGE
};

static pinv_case cases[N_CASES];

static int create_cases(void **state) {
    int n = 0;
    (void)state;
    for (int i = 0; i < N_SHAPES; ++i) {
        for (int class = 0; class < N_PINV_CLASSES; ++class)
            pinv_case_create((pinv_class) class, shapes[i][0], shapes[i][1], 1, &cases[n++]);
    }
    for (int i = 0; i < N_LARGE; ++i)
        pinv_case_create(large_cases[i].class, large_cases[i].m, large_cases[i].n, 1, &cases[n++]);
    return n == N_CASES ? 0 : -1;
}

static int free_cases(void **state) {
    (void)state;
    for (int i = 0; i < N_CASES; ++i)
        pinv_case_free(&cases[i]);
    return 0;
}

/* Most cases have a well-defined rank, or the checks below would be idle. */
static void test_cases_say_something(void **state) {
    int n_clear = 0, n_deficient = 0;
    (void)state;
    for (int i = 0; i < N_CASES; ++i) {
        const int k = cases[i].m < cases[i].n ? cases[i].m : cases[i].n;
        n_clear += cases[i].is_clear;
        n_deficient += cases[i].is_clear && cases[i].rank < k;
    }
    assert_true(n_clear > 3 * N_CASES / 4);
    assert_true(n_deficient > N_CASES / 4);
}

static sarrus_pinv_method methods[SARRUS_N_PINV_METHODS] = {
#define SARRUS_PINV_METHOD(name, value, word, kernel, text) [value] = SARRUS_PINV_##name,
#include "sarrus/pinv_methods.def"
};

/* Whether the lanes have it: others are a library's, or stand for one of these. */
static bool is_of_the_lanes(sarrus_pinv_method method) {
    static const char *const kernels[SARRUS_N_PINV_METHODS] = {
#define SARRUS_PINV_METHOD(name, value, word, kernel, text) [value] = #kernel,
#include "sarrus/pinv_methods.def"
    };
    return strcmp(kernels[method], "elsewhere") != 0;
}

static void test_method(void **state) {
    const sarrus_pinv_method method = *(const sarrus_pinv_method *)*state;
    if (!is_of_the_lanes(method) || pinv_trait_of(method).claim != PINV_IS_PSEUDOINVERSE)
        skip();
    for (int k = 0; k < 3; ++k) {
        for (int i_case = 0; i_case < N_CASES && has_isa(isas[k]); ++i_case)
            check_case(&cases[i_case], method, isas[k]);
    }
    assert_no_failures();
}

/* A method that damps by the threshold is refused without a useful one: it takes the rules that can have one, with 1e-5. */
static bool choose(sarrus_pinv_method method, rule_choice rule, sarrus_pinv_options *out) {
    *out = (sarrus_pinv_options){.method = method, .rank_method = rule.rule, .rank_tolerance = rule.tolerance, .n_threads = 1};
    if (pinv_trait_of(method).claim != PINV_IS_REGULARISED)
        return true;
    out->rank_tolerance = 1e-5;
    return rule.rule != SARRUS_RANK_GAP && rule.rule != SARRUS_RANK_VIOLATION;
}

/* Whatever is decided, and be it that noise counts: numbers, and finite ones where no entry of A is subnormal in size. */
static void test_numbers_under_every_rule(void **state) {
    static answer got;
    const rule_choice rules[] = {{SARRUS_RANK_AUTO, 0.0},      {SARRUS_RANK_RELATIVE, 0.0}, {SARRUS_RANK_RELATIVE, 1e-300},
                                 {SARRUS_RANK_ABSOLUTE, 0.0},  {SARRUS_RANK_GAP, 0.0},      {SARRUS_RANK_GAP, 1e-300},
                                 {SARRUS_RANK_VIOLATION, 0.0}, {SARRUS_RANK_TRACKED, 0.0},  {SARRUS_RANK_TRACKED, 1e-300}};
    const int n_rules = sizeof rules / sizeof *rules;
    (void)state;
    for (int i = 0; i < N_CASES * n_rules; ++i) {
        const pinv_case *c = &cases[i / n_rules];
        for (int method = 1; method < SARRUS_N_PINV_HOST_METHODS && c->m <= 8 && c->n <= 8; ++method) {
            sarrus_pinv_options options;
            const bool is_taken = choose((sarrus_pinv_method)method, rules[i % n_rules], &options);
            const char *rule = sarrus_rank_method_word(options.rank_method);
            for (int n_rhs = 0; n_rhs < 2 && is_taken; ++n_rhs) {
                compute(c, &options, n_rhs, c->b, &got);
                for (int s = 0; s < N_SCALES; ++s) {
                    for (int k = 0; k < c->n * (n_rhs > 0 ? 1 : c->m); ++k) {
                        if (isnan(got.x[s][k]) || (c->class != PINV_TINY && isinf(got.x[s][k])))
                            fail_later(c, (sarrus_pinv_method)method, rule, "an entry",
                                       (double[]){got.x[s][k], rules[i % n_rules].tolerance});
                    }
                }
            }
        }
    }
    assert_no_failures();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases_say_something),
#define SARRUS_PINV_METHOD(name, value, word, kernel, text) {word, test_method, NULL, NULL, &methods[value]},
#include "sarrus/pinv_methods.def"
        cmocka_unit_test(test_numbers_under_every_rule),
    };
    return cmocka_run_group_tests_name("kernels.pinv_methods", tests, create_cases, free_cases);
}

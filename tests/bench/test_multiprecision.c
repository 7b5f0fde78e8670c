/* The yardstick (bench/measure/multiprecision.h) on matrices whose pseudoinverse is known in closed form. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bench/measure/multiprecision.h"
#include "tests/support/matrices.h"

static sarrus_multiprecision *create(const double *a, int m, int n, int rank, double tolerance) {
    sarrus_multiprecision *reference = sarrus_multiprecision_create(a, m, n, rank, tolerance);
    assert_non_null(reference);
    return reference;
}

/* Rounded once, so within half a unit of the last place; the expected values here may be off by as much again. */
static void assert_rounded(double found, double expected) {
    assert_true(fabs(found - expected) <= DBL_EPSILON * fabs(expected));
}

static void test_diagonal(void **state) {
    const double a[3 * 4] = {0, 0, 3, 0, 0.5, 0, 0, 0, 0, 0, 0, 0};
    const double expected[4 * 3] = {0, 2, 0, 0, 0, 0, 1.0 / 3.0, 0, 0, 0, 0, 0};
    sarrus_multiprecision *reference = create(a, 3, 4, -1, 0.0);
    (void)state;
    assert_int_equal(sarrus_multiprecision_rank(reference), 2);
    assert_true(sarrus_multiprecision_sigma(reference)[0] == 3.0);
    assert_true(sarrus_multiprecision_sigma(reference)[1] == 0.5);
    assert_true(sarrus_multiprecision_sigma(reference)[2] == 0.0);
    for (int i = 0; i < 12; ++i)
        assert_true(sarrus_multiprecision_x(reference)[i] == expected[i]);
    sarrus_multiprecision_destroy(reference);
}

/* Binomial coefficient, exact for what is asked here. */
static double choose(int n, int k) {
    double c = 1.0;
    for (int i = 1; i <= k; ++i)
        c = c * (n - k + i) / i;
    return c;
}

/* Hilbert's matrix times the common denominator of its entries, 360360, is one of integers, of condition 1.5e10; its inverse has
 * (−1)^(i+j) (i+j+1) C(n+i, n−j−1) C(n+j, n−i−1) C(i+j, i)² / 360360. */
static void test_hilbert(void **state) {
    enum { N = 8 };
    double a[N * N];
    (void)state;
    for (int i = 0; i < N * N; ++i)
        a[i] = 360360.0 / (i / N + i % N + 1);
    sarrus_multiprecision *reference = create(a, N, N, -1, 0.0);
    assert_int_equal(sarrus_multiprecision_rank(reference), N);
    for (int i = 0; i < N; ++i) {
        for (int j = 0; j < N; ++j) {
            const double square = choose(i + j, i) * choose(i + j, i), sign = (i + j) % 2 ? -1.0 : 1.0;
            const double inverse = sign * (i + j + 1) * choose(N + i, N - j - 1) * choose(N + j, N - i - 1) * square;
            assert_rounded(sarrus_multiprecision_x(reference)[i * N + j], inverse / 360360.0);
        }
    }
    sarrus_multiprecision_destroy(reference);
}

/* Rows of any size: A = D M has the inverse M⁻¹ D⁻¹, here M = [2 1 0; 1 1 0; 0 1 1], M⁻¹ = [1 −1 0; −1 2 0; 1 −2 1]. */
static void test_graded(void **state) {
    const double d[] = {0x1p-500, 1.0, 0x1p500}, m[] = {2, 1, 0, 1, 1, 0, 0, 1, 1}, inverse[] = {1, -1, 0, -1, 2, 0, 1, -2, 1};
    double a[9];
    (void)state;
    for (int i = 0; i < 9; ++i)
        a[i] = d[i / 3] * m[i];
    sarrus_multiprecision *reference = create(a, 3, 3, -1, 0.0);
    assert_int_equal(sarrus_multiprecision_rank(reference), 3);
    for (int i = 0; i < 9; ++i)
        assert_rounded(sarrus_multiprecision_x(reference)[i], inverse[i] / d[i % 3]);
    sarrus_multiprecision_destroy(reference);
    reference = create(a, 3, 3, -1, 1e-16);
    assert_int_equal(sarrus_multiprecision_rank(reference), 1);
    sarrus_multiprecision_destroy(reference);
}

/* The rank is taken as given, at most min(m, n), and decided otherwise; an exact dependence is seen. */
static void test_rank(void **state) {
    uint64_t random = 1;
    double a[6 * 5];
    const double sigma[] = {1.0, 1e-4, 1e-9};
    (void)state;
    matrix_spectrum(6, 5, sigma, 3, &random, a);
    const struct {
        int given;
        double tolerance;
        int expected;
    } cases[] = {{2, 0.0, 2}, {0, 0.0, 0}, {9, 0.0, 5}, {-1, 1e-12, 3}, {-1, 1e-6, 2}, {-1, 1e-2, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        sarrus_multiprecision *reference = create(a, 6, 5, cases[i].given, cases[i].tolerance);
        assert_int_equal(sarrus_multiprecision_rank(reference), cases[i].expected);
        sarrus_multiprecision_destroy(reference);
    }
    for (int j = 0; j < 5; ++j) {
        a[5 + j] = matrix_number(&random);
        a[j] = -4.0 * a[5 + j];
        a[25 + j] = 0.0;
        a[20 + j] = a[15 + j];
    }
    sarrus_multiprecision *reference = create(a, 6, 5, -1, 0.0);
    assert_int_equal(sarrus_multiprecision_rank(reference), 3);
    sarrus_multiprecision_destroy(reference);
}

/* Residuals of the rounded A⁺ are those of rounding; and the quick ones in long double are the same numbers. */
static void test_measure(void **state) {
    enum { M = 7, N = 5 };
    uint64_t random = 2;
    double a[M * N], x[N * M];
    (void)state;
    for (int rank = 1; rank <= N; ++rank) {
        matrix_product(M, N, rank, &random, a);
        sarrus_multiprecision *reference = create(a, M, N, rank, 0.0);
        const double *x_true = sarrus_multiprecision_x(reference);
        sarrus_multiprecision_error e, quick;
        assert_int_equal(sarrus_multiprecision_measure(reference, x_true, &e), 0);
        assert_true(e.axa <= DBL_EPSILON && e.xax <= DBL_EPSILON && e.ax <= DBL_EPSILON && e.xa <= DBL_EPSILON);
        assert_true(e.forward <= 0.5 * DBL_EPSILON);
        for (int i = 0; i < N * M; ++i)
            x[i] = x_true[i] * (1.0 + 1e-6 * matrix_number(&random));
        assert_int_equal(sarrus_multiprecision_measure(reference, x, &e), 0);
        matrix_measure(M, N, a, x, x_true, &quick);
        const double found[] = {e.axa, e.xax, e.ax, e.xa, e.forward};
        const double again[] = {quick.axa, quick.xax, quick.ax, quick.xa, quick.forward};
        for (int i = 0; i < 5; ++i) {
            assert_true(found[i] > 0.0 && found[i] < 1e-6);
            assert_true(fabs(found[i] - again[i]) <= DBL_EPSILON);
        }
        sarrus_multiprecision_destroy(reference);
    }
}

/* A residual of each kind, known by hand: A = diag(1, 1). */
static void test_measure_by_hand(void **state) {
    const double a[] = {1, 0, 0, 1}, x[] = {1, 0.25, 0, 1}, zero[] = {0, 0, 0, 0}, bad[] = {1, 0, 0, (double)NAN};
    const double norm_x = sqrt(2.0625), norm_a = sqrt(2.0);
    sarrus_multiprecision_error e;
    sarrus_multiprecision *reference = create(a, 2, 2, -1, 0.0);
    (void)state;
    assert_int_equal(sarrus_multiprecision_measure(reference, x, &e), 0);
    assert_rounded(e.axa, 0.25 / (norm_a * norm_a * norm_x));
    assert_true(fabs(e.xax - 0.25 / (norm_a * norm_x * norm_x)) <= 1e-16);
    assert_true(fabs(e.ax - 0.25 * sqrt(2.0) / (norm_a * norm_x)) <= 1e-16);
    assert_true(fabs(e.xa - 0.25 * sqrt(2.0) / (norm_a * norm_x)) <= 1e-16);
    assert_true(fabs(e.forward - 0.25 / sqrt(2.0)) <= 1e-16);
    assert_int_equal(sarrus_multiprecision_measure(reference, zero, &e), 0);
    assert_true(isinf(e.axa) && e.xax == 0.0 && e.ax == 0.0 && e.xa == 0.0 && e.forward == 1.0);
    assert_int_equal(sarrus_multiprecision_measure(reference, bad, &e), 0);
    assert_true(isnan(e.axa) && isnan(e.forward));
    sarrus_multiprecision_destroy(reference);
    reference = create(zero, 2, 2, -1, 0.0);
    assert_int_equal(sarrus_multiprecision_measure(reference, zero, &e), 0);
    assert_true(e.axa == 0.0 && e.xax == 0.0 && e.ax == 0.0 && e.xa == 0.0 && e.forward == 0.0);
    assert_int_equal(sarrus_multiprecision_measure(reference, a, &e), 0);
    assert_true(isinf(e.forward));
    sarrus_multiprecision_destroy(reference);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_diagonal), cmocka_unit_test(test_hilbert), cmocka_unit_test(test_graded),
        cmocka_unit_test(test_rank),     cmocka_unit_test(test_measure), cmocka_unit_test(test_measure_by_hand),
    };
    return cmocka_run_group_tests_name("bench.multiprecision", tests, NULL, NULL);
}

/* Mean, standard deviation, extremes and quantiles against sums in long double and against sorted numbers. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include "study/spread.h"

enum { MOST = 20000 };

typedef enum kind { UNIFORM, FAR_OFF, OUTLIER, TIES, RISING, TINY, N_KINDS } kind;

static double noise(uint64_t x) {
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return (double)((x ^ x >> 31) >> 11) * 0x1p-53;
}

static double number(kind what, uint64_t i, uint64_t n) {
    const double x = noise(i * 7919 + (uint64_t)what);
    switch (what) {
    case UNIFORM:
        return x - 0.5;
    case FAR_OFF: /* digits that a sum of squares would lose */
        return 1e9 + x;
    case OUTLIER: /* all others share a bucket */
        return i == n / 2 ? 1e12 : x;
    case TIES:
        return floor(5.0 * x);
    case RISING:
        return (double)i;
    case TINY: /* a range so small that the number of buckets over it is infinite */
        return x * 0x1p-1060;
    case N_KINDS:
        break;
    }
    return NAN;
}

static int compare(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The bounds of the header. */
static void moments_check(const sarrus_spread *found, const double *x, uint64_t n) {
    long double sum = 0.0L, squares = 0.0L, cubes = 0.0L, distances = 0.0L, third = 0.0L;
    /* About the first number: cubes feel an error of the mean, which beside 1e9 has 2^-35 in long double too. */
    for (uint64_t i = 0; i < n; ++i)
        sum += (long double)x[i] - x[0];
    const long double rest = sum / (long double)n, mean = x[0] + rest;
    for (uint64_t i = 0; i < n; ++i) {
        const long double d = (long double)x[i] - x[0] - rest;
        squares += d * d;
        distances += fabsl(d);
        cubes += d * d * d;
        third += fabsl(d * d * d);
    }
    const long double u = 0x1p-53L, a = (30.0L + 20.0L * log2l((long double)n)) * u;
    /* Below the normal numbers each of two divisions a level is off by up to one of their steps. */
    const long double step = (2.0L + 2.0L * log2l((long double)n)) * 0x1p-1074L;
    assert_true(fabsl(found->mean - mean) <= 2.0L * u * fabsl(mean) + a * distances / (long double)n + step);
    if (n == 1)
        assert_true(isnan(found->sd));
    else if (squares > 0x1p-900L) { /* else they underflow */
        const long double sd = sqrtl(squares / (long double)(n - 1));
        assert_true(fabsl(found->sd - sd) <= a * sd);
        const long double variance = squares / (long double)n, scale = (long double)n * variance * sqrtl(variance);
        if (variance * sqrtl(variance) > 0x1p-900L)
            assert_true(fabsl(found->skewness - cubes / scale) <= 4.0L * a * (1.0L + third / scale));
    }
    if (n == 1 || squares == 0.0L)
        assert_true(isnan(found->skewness));
}

static void quantiles_check(const sarrus_spread *found, const double *x, const double *sorted, uint64_t n) {
    static const double levels[] = {0.95, 0.0, 0.5, 1.0, 0.05, 1.0 / 3.0, 0.999};
    enum { N_LEVELS = sizeof levels / sizeof levels[0] };
    static double scratch[MOST];
    double out[N_LEVELS];
    sarrus_spread_quantiles(x, n, found, levels, N_LEVELS, scratch, out);
    for (int i = 0; i < N_LEVELS; ++i) {
        const double place = (double)(n - 1) * levels[i];
        const uint64_t low = (uint64_t)place;
        const double a = sorted[low], b = sorted[low + 1 < n ? low + 1 : n - 1], t = place - (double)low;
        const double wanted = t < 0.5 ? a + (b - a) * t : b - (b - a) * (1.0 - t);
        assert_true(out[i] == wanted);
    }
}

static void numbers_are_described(void **state) {
    (void)state;
    static const uint64_t sizes[] = {1, 2, 3, 7, 8, 17, 63, 64, 65, 127, 129, 1000, 1025, MOST};
    static double x[MOST], sorted[MOST];
    for (int what = 0; what < N_KINDS; ++what) {
        for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; ++k) {
            const uint64_t n = sizes[k];
            for (uint64_t i = 0; i < n; ++i)
                sorted[i] = x[i] = number((kind)what, i, n);
            qsort(sorted, n, sizeof *sorted, compare);
            const sarrus_spread found = sarrus_spread_of(x, n);
            assert_true(found.min == sorted[0] && found.max == sorted[n - 1]);
            moments_check(&found, x, n);
            quantiles_check(&found, x, sorted, n);
        }
    }
}

/* What is alike has no spread at all, whatever the rounding of its sum. */
static void numbers_that_are_alike_have_none(void **state) {
    (void)state;
    static double x[1000], scratch[1000];
    const double levels[] = {0.3};
    double out;
    for (int i = 0; i < 1000; ++i)
        x[i] = 0.1;
    const sarrus_spread found = sarrus_spread_of(x, 1000);
    assert_true(found.mean == 0.1 && found.sd == 0.0 && found.min == 0.1 && found.max == 0.1);
    sarrus_spread_quantiles(x, 1000, &found, levels, 1, scratch, &out);
    assert_true(out == 0.1);
}

static void numbers_that_are_none_are_left_out(void **state) {
    (void)state;
    double x[] = {NAN, 2.0, NAN, NAN, 1.0, INFINITY, NAN}, scratch[7], out[2];
    const double levels[] = {0.0, 1.0};
    sarrus_moment_tree tree;
    sarrus_moment_tree_begin(&tree, 0);
    assert_int_equal(sarrus_moment_tree_column(&tree, x, 7), 3);
    assert_true(x[0] == 2.0 && x[1] == 1.0 && isinf(x[2]));
    sarrus_spread found = sarrus_spread_of(x, 3);
    assert_true(isinf(found.mean) && isnan(found.sd) && found.min == 1.0 && isinf(found.max));
    sarrus_spread_quantiles(x, 3, &found, levels, 2, scratch, out);
    assert_true(out[0] == 1.0 && isinf(out[1]));
    found = sarrus_spread_of(x, 0);
    assert_true(isnan(found.mean) && isnan(found.sd) && isnan(found.min) && isnan(found.max));
    sarrus_spread_quantiles(x, 0, &found, levels, 2, scratch, out);
    assert_true(isnan(out[0]) && isnan(out[1]));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_described),
        cmocka_unit_test(numbers_that_are_alike_have_none),
        cmocka_unit_test(numbers_that_are_none_are_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

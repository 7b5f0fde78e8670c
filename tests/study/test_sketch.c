/* Counts by intervals: those of parts add up to those of the whole, and quantiles made of them are within their errors. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "study/sketch.h"

enum { N = 3000, BINS = SARRUS_SKETCH_BINS };

static double noise(uint64_t x) {
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return (double)((x ^ x >> 31) >> 11) * 0x1p-53;
}

typedef enum kind { UNIFORM, FAR_OFF, OVER_ZERO, OUTLIERS, BELOW, MAGNITUDES, TINY, WITH_ZEROS, N_KINDS } kind;

static double number(kind what, uint64_t i) {
    const double x = noise(8 * i + (uint64_t)what);
    switch (what) {
    case UNIFORM:
        return x;
    case FAR_OFF:
        return 1e9 + x;
    case OVER_ZERO:
        return x - 0.3;
    case OUTLIERS:
        return i % 997 == 5 ? 1e12 * x : x - 0.5;
    case BELOW:
        return -3.0 - x;
    case MAGNITUDES:
        return (i % 2 == 0 ? 1.0 : -1.0) * exp2(2000.0 * x - 1000.0);
    case TINY:
        return x * 0x1p-1040;
    case WITH_ZEROS:
        return i % 3 == 0 ? 0.0 : i % 3 == 1 ? -0.0 : x - 1.0;
    case N_KINDS:
        break;
    }
    return NAN;
}

static int compare(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void parts_add_up(void **state) {
    (void)state;
    static double x[N], whole[BINS], joined[BINS], handed[SARRUS_SKETCH_NUMBERS];
    for (int what = 0; what < N_KINDS; ++what) {
        for (uint64_t i = 0; i < N; ++i)
            x[i] = number((kind)what, i);
        const sarrus_extremes extremes = sarrus_extremes_of(x, N);
        const sarrus_sketch_grid grid = sarrus_sketch_grid_of(extremes);
        memset(whole, 0, sizeof whole);
        sarrus_sketch_count(&grid, x, N, whole);
        for (uint64_t n_each = 1; n_each <= N; n_each = 3 * n_each + 1) {
            memset(joined, 0, sizeof joined);
            for (uint64_t i = 0; i < N; i += n_each) {
                const uint64_t n = N - i < n_each ? N - i : n_each;
                const sarrus_sketch_grid own = sarrus_sketch_grid_of(sarrus_extremes_of(x + i, n));
                sarrus_sketch_put(&own, x + i, n, handed);
                sarrus_sketch_add(&grid, handed, joined);
            }
            assert_memory_equal(whole, joined, sizeof whole);
        }
    }
}

static void quantiles_are_within_their_errors(void **state) {
    (void)state;
    static double x[N], counts[BINS], scratch[N];
    static const double levels[] = {0.0, 0.001, 0.05, 1.0 / 3.0, 0.5, 0.9, 0.999, 1.0};
    enum { N_LEVELS = sizeof levels / sizeof levels[0] };
    for (int what = 0; what < N_KINDS; ++what) {
        for (uint64_t n = 1; n <= N; n = n < N && 2 * n > N ? N : 2 * n) {
            double exact[N_LEVELS], found[N_LEVELS], errors[N_LEVELS];
            for (uint64_t i = 0; i < n; ++i)
                x[i] = number((kind)what, i);
            const sarrus_spread spread = sarrus_spread_of(x, n);
            const sarrus_extremes extremes = {spread.min, spread.max};
            const sarrus_sketch_grid grid = sarrus_sketch_grid_of(extremes);
            memset(counts, 0, sizeof counts);
            sarrus_sketch_count(&grid, x, n, counts);
            sarrus_sketch_quantiles(&grid, counts, extremes, (sarrus_sketch_levels){N_LEVELS, levels}, found, errors);
            qsort(x, n, sizeof *x, compare);
            sarrus_spread_quantiles(x, n, &spread, levels, N_LEVELS, scratch, exact);
            const double largest = fmax(fabs(extremes.min), fabs(extremes.max));
            for (int i = 0; i < N_LEVELS; ++i) {
                const double place = (double)(n - 1) * levels[i];
                const double next = x[(uint64_t)place + 1 < n ? (uint64_t)place + 1 : n - 1];
                const double size = fmax(fmax(fabs(x[(uint64_t)place]), fabs(next)), 0x1p-12 * largest);
                assert_true(fabs(found[i] - exact[i]) <= errors[i] + 0x1p-50 * largest);
                assert_true(errors[i] <= 0x1p-7 * size + 0x1p-1000);
            }
            assert_true(found[0] == extremes.min && found[N_LEVELS - 1] == extremes.max && errors[0] == 0.0);
            if (what == FAR_OFF && n == N) /* within an octave a 2,000th of the range */
                assert_true(errors[4] <= 1.0 / 2000.0);
            if (n == N)
                break;
        }
    }
}

static void what_is_infinite_has_none(void **state) {
    (void)state;
    static double counts[BINS];
    double x[] = {1.0, INFINITY}, level = 0.5, out, error;
    const sarrus_extremes extremes = sarrus_extremes_of(x, 2);
    const sarrus_sketch_grid grid = sarrus_sketch_grid_of(extremes), nothing = sarrus_sketch_grid_of(sarrus_extremes_of(x, 0));
    assert_true(grid.is_none && nothing.is_none);
    sarrus_sketch_quantiles(&grid, counts, extremes, (sarrus_sketch_levels){1, &level}, &out, &error);
    assert_true(isnan(out) && isnan(error));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_add_up),
        cmocka_unit_test(quantiles_are_within_their_errors),
        cmocka_unit_test(what_is_infinite_has_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

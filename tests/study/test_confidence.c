/* Intervals against tables of Student's t, and against sums over binomials; histograms of numbers at their edges. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include "study/confidence.h"
#include "study/histogram.h"

static void means_have_students_t(void **state) {
    (void)state;
    /* t of 0.975, as printed with three digits behind the point */
    static const struct {
        uint64_t n;
        double t;
    } table[] = {{2, 12.706}, {3, 4.303}, {6, 2.571}, {11, 2.228}, {31, 2.042}, {121, 1.980}, {UINT64_C(1) << 40, 1.960}};
    for (size_t i = 0; i < sizeof table / sizeof table[0]; ++i)
        assert_true(fabs(sarrus_confidence_of_mean(table[i].n) * sqrt((double)table[i].n) - table[i].t) <= 0.0006);
    assert_true(isnan(sarrus_confidence_of_mean(0)) && isnan(sarrus_confidence_of_mean(1)));
}

/* Of `n`, at most k below the quantile. */
static double share_at_most(uint64_t n, double level, uint64_t k) {
    double share = 0.0;
    for (uint64_t i = 0; i <= k; ++i)
        share += exp(lgamma((double)n + 1.0) - lgamma((double)i + 1.0) - lgamma((double)(n - i) + 1.0) + (double)i * log(level) +
                     (double)(n - i) * log1p(-level));
    return share;
}

static void ranks_have_binomials(void **state) {
    (void)state;
    static const uint64_t sizes[] = {1, 5, 6, 20, 73, 400};
    static const double levels[] = {0.01, 0.3, 0.5, 0.95};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; ++s) {
        for (size_t l = 0; l < sizeof levels / sizeof levels[0]; ++l) {
            const uint64_t n = sizes[s];
            const sarrus_confidence_ranks found = sarrus_confidence_of_quantile(n, levels[l]);
            assert_true(found.has_low == (share_at_most(n, levels[l], 0) <= 0.025));
            assert_true(found.has_high == (share_at_most(n, levels[l], n - 1) >= 0.975));
            if (found.has_low)
                assert_true(share_at_most(n, levels[l], found.low) <= 0.025 && share_at_most(n, levels[l], found.low + 1) > 0.025);
            if (found.has_high)
                assert_true(share_at_most(n, levels[l], found.high) >= 0.975 &&
                            (found.high == 0 || share_at_most(n, levels[l], found.high - 1) < 0.975));
        }
    }
    /* far above what can be summed: by the normal distribution, to some ranks in 2,000 */
    const sarrus_confidence_ranks many = sarrus_confidence_of_quantile(UINT64_C(1000000), 0.5);
    assert_true(llabs((long long)many.low - 499020) < 3 && llabs((long long)many.high - 500980) < 3);
    assert_false(sarrus_confidence_of_quantile(100, 0.0).has_low || sarrus_confidence_of_quantile(100, 1.0).has_high);
}

/* In two pieces. */
static void histogram_make(const double *x, uint64_t n, int n_bins, double *edges, double *counts) {
    const sarrus_extremes extremes = sarrus_extremes_of(x, n);
    sarrus_histogram_begin(extremes, n_bins, edges, counts);
    sarrus_histogram_add(x, n / 2, extremes, n_bins, edges, counts);
    sarrus_histogram_add(x + n / 2, n - n / 2, extremes, n_bins, edges, counts);
}

static void numbers_at_edges_go_up(void **state) {
    (void)state;
    const double x[] = {0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0}, same[] = {2.0, 2.0}, far[] = {-1.5e308, 1.5e308};
    double edges[11], counts[10];
    histogram_make(x, 11, 10, edges, counts);
    for (int i = 0; i < 10; ++i) {
        double n = 0.0;
        for (int k = 0; k < 11; ++k)
            n += x[k] >= edges[i] && (x[k] < edges[i + 1] || (i == 9 && x[k] == 1.0)) ? 1.0 : 0.0;
        assert_true(counts[i] == n);
    }
    assert_true(edges[0] == 0.0 && edges[10] == 1.0);
    histogram_make(same, 2, 2, edges, counts);
    assert_true(edges[0] == 1.5 && edges[2] == 2.5 && counts[0] == 0.0 && counts[1] == 2.0);
    histogram_make(far, 2, 4, edges, counts);
    assert_true(counts[0] == 1.0 && counts[3] == 1.0 && edges[4] == 1.5e308);
    histogram_make(x, 0, 3, edges, counts);
    assert_true(isnan(edges[0]) && isnan(edges[3]) && counts[0] == 0.0 && counts[2] == 0.0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(means_have_students_t),
        cmocka_unit_test(ranks_have_binomials),
        cmocka_unit_test(numbers_at_edges_go_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

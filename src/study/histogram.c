#include "study/histogram.h"

#include <math.h>

typedef struct range {
    double low, high, width; /* of a bin */
} range;

static range range_of(sarrus_extremes extremes, int n_bins) {
    const bool is_alike = extremes.min == extremes.max;
    const double low = is_alike ? extremes.min - 0.5 : extremes.min, high = is_alike ? extremes.max + 0.5 : extremes.max;
    return (range){low, high, high / n_bins - low / n_bins}; /* the range itself may overflow */
}

void sarrus_histogram_begin(sarrus_extremes extremes, int n_bins, double *edges, double *counts) {
    const range all = range_of(extremes, n_bins);
    for (int i = 0; i < n_bins; ++i)
        counts[i] = 0.0;
    for (int i = 0; i <= n_bins; ++i)
        edges[i] = !isfinite(all.width) ? (double)NAN
                   : 2 * i <= n_bins    ? all.low + i * all.width
                                        : all.high - (n_bins - i) * all.width;
}

void sarrus_histogram_add(const double *x, uint64_t n, sarrus_extremes extremes, int n_bins, const double *edges, double *counts) {
    const range all = range_of(extremes, n_bins);
    if (!isfinite(all.width))
        return;
    for (uint64_t k = 0; k < n; ++k) {
        const double place = (x[k] - all.low) / all.width;
        int i = place < n_bins - 1 ? (int)place : n_bins - 1;
        /* edges are rounded, and so is the place */
        while (i > 0 && x[k] < edges[i])
            --i;
        while (i < n_bins - 1 && x[k] >= edges[i + 1])
            ++i;
        counts[i] += 1.0;
    }
}

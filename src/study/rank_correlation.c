#include "study/rank_correlation.h"

#include <math.h>
#include <stdlib.h>

static int ranked_compare(const void *a, const void *b) {
    const sarrus_ranked *x = a, *y = b;
    return (x->value > y->value) - (x->value < y->value);
}

void sarrus_ranks_find(const double *x, uint64_t n, sarrus_ranked *scratch, double *ranks) {
    for (uint64_t i = 0; i < n; ++i)
        scratch[i] = (sarrus_ranked){x[i], i};
    qsort(scratch, (size_t)n, sizeof *scratch, ranked_compare);
    for (uint64_t i = 0, i_end = 0; i < n; i = i_end) {
        while (i_end < n && scratch[i_end].value == scratch[i].value)
            ++i_end;
        const double rank = 0.5 * ((double)i + (double)(i_end - 1)), middle = 0.5 * (double)(n - 1);
        for (uint64_t k = i; k < i_end; ++k)
            ranks[scratch[k].i] = n > 1 ? (rank - middle) / middle : 0.0;
    }
}

/* Means of ranks are 0: the sums are those of a covariance. */
sarrus_rank_correlation sarrus_rank_correlation_of(const double *a, const double *b, uint64_t n) {
    const double normal_quantile = 1.959963984540054; /* of 0.975 */
    double aa = 0, bb = 0, ab = 0;
    for (uint64_t i = 0; i < n; ++i) {
        aa += a[i] * a[i];
        bb += b[i] * b[i];
        ab += a[i] * b[i];
    }
    const double value = aa > 0 && bb > 0 ? fmin(fmax(ab / (sqrt(aa) * sqrt(bb)), -1.0), 1.0) : (double)NAN;
    if (n < 4)
        return (sarrus_rank_correlation){value, (double)NAN, (double)NAN};
    const double half = normal_quantile * sqrt((1.0 + 0.5 * value * value) / (double)(n - 3));
    return (sarrus_rank_correlation){value, tanh(atanh(value) - half), tanh(atanh(value) + half)};
}

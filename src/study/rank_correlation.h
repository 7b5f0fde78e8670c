/* Spearman's rank correlation of two numbers of instances, which any sample tells: 1 where one rises with the other, whatever the
 * curve. Equal numbers share the mean of their ranks. */
#ifndef SARRUS_STUDY_RANK_CORRELATION_H
#define SARRUS_STUDY_RANK_CORRELATION_H

#include <stdint.h>

/* A number and where it stands. */
typedef struct sarrus_ranked {
    double value;
    uint64_t i;
} sarrus_ranked;

/* ranks[n], from −1 to 1 instead of 1 to n, of x[n], which has no NaN. `scratch` [n] is overwritten. */
void sarrus_ranks_find(const double *x, uint64_t n, sarrus_ranked *scratch, double *ranks);

typedef struct sarrus_rank_correlation {
    double value;
    /* The 95 % interval: tanh(atanh(value) ± 1.96 sqrt((1 + value²/2) / (n − 3))).
     * Source: Bonett, Wright, Psychometrika 65 (2000) 23, (4). */
    double low, high;
} sarrus_rank_correlation;

/* Of the ranks a[n] and b[n]. NaN where all of one are equal, the interval also of fewer than four. */
sarrus_rank_correlation sarrus_rank_correlation_of(const double *a, const double *b, uint64_t n);

#endif

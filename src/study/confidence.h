/* 95 % intervals of what is estimated from n independent numbers. */
#ifndef SARRUS_STUDY_CONFIDENCE_H
#define SARRUS_STUDY_CONFIDENCE_H

#include <stdbool.h>
#include <stdint.h>

/* Half the width of the interval of a mean over sd: Student's t of n − 1 degrees of freedom over √n. NaN of less than two. */
double sarrus_confidence_of_mean(uint64_t n);

/* The ranks, from 0 on, of the two of n numbers in order between which the quantile of their distribution at `level` is with 95 %,
 * at least 97.5 % on each side, whatever the distribution: by the binomial number of those below. False for a side that has no such
 * rank. Source: H. A. David, H. N. Nagaraja, Order Statistics, 3rd ed. (2003), 7.1. */
typedef struct sarrus_confidence_ranks {
    bool has_low, has_high;
    uint64_t low, high;
} sarrus_confidence_ranks;
sarrus_confidence_ranks sarrus_confidence_of_quantile(uint64_t n, double level);

#endif

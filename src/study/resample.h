/* The bootstrap: how much an estimate from n independent things would differ, had they been others. The things are drawn again with
 * replacement, n of them, and the estimate is made of these.
 * Source: B. Efron, R. J. Tibshirani, "An introduction to the bootstrap", Chapman & Hall (1993), chapters 6 and 13. */
#ifndef SARRUS_STUDY_RESAMPLE_H
#define SARRUS_STUDY_RESAMPLE_H

#include <stdint.h>

/* As many as SALib takes by default: the sd of an estimate is then known to one part in 14. */
enum { SARRUS_RESAMPLES = 100 };

/* How often each of n things is drawn in resample `i_resample`, weights[n], from the seed alone. n < 2^32. */
void sarrus_resample(uint64_t seed, int i_resample, uint64_t n, uint32_t *weights);

/* Half the width of the 95 % interval of an estimate that is normal: 1.96 sd of estimates[SARRUS_RESAMPLES], which are `stride`
 * numbers apart; of those that are finite, as a resample may have nothing to estimate. NaN of fewer than two. */
double sarrus_resample_half_width(const double *estimates, uint64_t stride);

#endif

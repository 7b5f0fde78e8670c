/* What numbers have in common: mean, standard deviation, extremes, quantiles. All of it depends on the numbers and their order
 * alone. */
#ifndef SARRUS_STUDY_SPREAD_H
#define SARRUS_STUDY_SPREAD_H

#include <stdint.h>

#include "study/moments.h"

/* sd with n − 1; skewness g1 = m3 / m2^(3/2) of the moments with n. All are NaN without numbers, sd of a single one too, skewness
 * where all are alike. */
typedef struct sarrus_spread {
    double mean, sd, skewness, min, max;
} sarrus_spread;

/* Of x[n], which has no NaN, as of the first n instances of a study. With u = 2^-53, a = (30 + 20 log2 n) u, d the mean of
 * |x - mean| and t that of its cubes over sd^3, while nothing over- or underflows: |mean - exact| <= 2 u |mean| + a d,
 * |sd - exact| <= a sd and |skewness - exact| <= 4 a (1 + t). (A leaf has 12 roundings a term. A join has 9 more, and shares the
 * error of its means, at most 3 u of their distance, whose product with the cross terms is below as much again.) */
sarrus_spread sarrus_spread_of(const double *x, uint64_t n);

/* The smallest and the largest of x[n], which has no NaN; NaN without numbers. */
typedef struct sarrus_extremes {
    double min, max;
} sarrus_extremes;
sarrus_extremes sarrus_extremes_of(const double *x, uint64_t n);

/* Of numbers with these sums and these extremes. */
sarrus_spread sarrus_spread_with(const sarrus_moments *total, sarrus_extremes extremes);

/* The quantiles of x[n], which has no NaN and the extremes of `spread`, at levels[n_levels] from 0 to 1, exact, with linear
 * interpolation between the two numbers beside (n - 1) level: the default of numpy.quantile, bit for bit. NaN without numbers.
 * `scratch` [n] is overwritten. At most SARRUS_SPREAD_LEVELS levels. */
enum { SARRUS_SPREAD_LEVELS = 64 };
void sarrus_spread_quantiles(const double *x, uint64_t n, const sarrus_spread *spread, const double *levels, int n_levels,
                             double *scratch, double *out);

/* Between which of n numbers in order, n at least 1, their quantile is, and which share of the way; and where, of these two. */
typedef struct sarrus_quantile_place {
    uint64_t low, high;
    double share;
} sarrus_quantile_place;
sarrus_quantile_place sarrus_quantile_place_of(uint64_t n, double level);
double sarrus_quantile_between(const sarrus_quantile_place *place, double a, double b);

/* The numbers of ranks[n_ranks], ascending, each from 0 to n − 1, of x[n], n at least 1, as above; at most 2 SARRUS_SPREAD_LEVELS
 * of them. */
void sarrus_spread_ranks(const double *x, uint64_t n, const sarrus_spread *spread, const uint64_t *ranks, int n_ranks,
                         double *scratch, double *out);

#endif

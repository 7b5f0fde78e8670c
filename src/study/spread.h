/* What numbers have in common: mean, standard deviation, extremes, quantiles. All of it depends on the numbers and their order
 * alone. */
#ifndef SARRUS_STUDY_SPREAD_H
#define SARRUS_STUDY_SPREAD_H

#include <stdint.h>

typedef struct sarrus_spread {
    double mean, sd, min, max; /* sd with n − 1. NaN without numbers, sd also of a single one */
} sarrus_spread;

/* Moves what is no NaN in x[n] to the front, in its order; returns how many there are. */
uint64_t sarrus_spread_numbers(double *x, uint64_t n);

/* Of x[n], which has no NaN. With u = 2^-53, a = (20 + log2 n) u and d the mean of |x - mean|, while nothing overflows:
 * |mean - exact| <= 2 u |mean| + a d and |sd - exact| <= a sd. */
sarrus_spread sarrus_spread_of(const double *x, uint64_t n);

/* The quantiles of x[n], which has no NaN and the extremes of `spread`, at levels[n_levels] from 0 to 1, exact, with linear
 * interpolation between the two numbers beside (n - 1) level: the default of numpy.quantile, bit for bit. NaN without numbers.
 * `scratch` [n] is overwritten. At most SARRUS_SPREAD_LEVELS levels. */
enum { SARRUS_SPREAD_LEVELS = 64 };
void sarrus_spread_quantiles(const double *x, uint64_t n, const sarrus_spread *spread, const double *levels, int n_levels,
                             double *scratch, double *out);

#endif

/* Counts of numbers by intervals, from which quantiles are told where the numbers are gone. The intervals depend on the smallest
 * and the largest number alone, and those of fewer numbers are parts of those of more: counts of parts of a study add up to
 * those of the whole, to the last one, however it was cut.
 *
 * With E the exponent of the largest magnitude, magnitudes of 2^F and more, F = E − 12, have 2^m equal intervals in each octave,
 * those below 2^F as many together; 2^m is the largest power of two with which all numbers have at most 4096 intervals. As is
 * seen from the range alone: it spans S octaves as counted by steps of doubles, at most 14, 28 where it goes over 0, and S 2^m +
 * 2 <= 4096. Both F and 1 / 2^m are never less for a range that holds another, so that its intervals are made of whole ones of
 * the other. An interval at x is at most 2^-m max(|x|, 2^F) wide: 2^-7 of it at worst, and of a range within an octave a 2,000th
 * of the range. The octaves are those of DDSketch: C. Masson, J. E. Rim, H. K. Lee, DDSketch, Proc. VLDB Endowment 12 (2019)
 * 2195-2205. */
#ifndef SARRUS_STUDY_SKETCH_H
#define SARRUS_STUDY_SKETCH_H

#include <stdbool.h>
#include <stdint.h>

#include "study/spread.h"

enum { SARRUS_SKETCH_BINS = 4096, SARRUS_SKETCH_HEAD = 4, SARRUS_SKETCH_NUMBERS = SARRUS_SKETCH_HEAD + SARRUS_SKETCH_BINS };

typedef struct sarrus_sketch_grid {
    bool is_none; /* without numbers, or with infinite ones */
    int floor, bits;
    int64_t first; /* interval of the smallest number */
} sarrus_sketch_grid;

sarrus_sketch_grid sarrus_sketch_grid_of(sarrus_extremes extremes);

/* Adds numbers x[n] without NaN, between the extremes of the grid, to counts[SARRUS_SKETCH_BINS]. */
void sarrus_sketch_count(const sarrus_sketch_grid *grid, const double *x, uint64_t n, double *counts);

/* What a part hands on [SARRUS_SKETCH_NUMBERS]: floor, bits and first in two numbers, NaN where there is no grid, then counts. */
void sarrus_sketch_put(const sarrus_sketch_grid *grid, const double *x, uint64_t n, double *out);

/* Adds counts that a part has handed on to those of a grid over more numbers. */
void sarrus_sketch_add(const sarrus_sketch_grid *grid, const double *numbers, double *counts);

/* The quantiles of the counted numbers, as sarrus_spread_quantiles has them, out[n_levels], and how far these may be off, at most,
 * but for round-off: errors[n_levels]. The smallest and the largest number are exact. All are NaN without a grid. */
typedef struct sarrus_sketch_levels {
    int n;
    const double *values; /* [n] */
} sarrus_sketch_levels;
void sarrus_sketch_quantiles(const sarrus_sketch_grid *grid, const double *counts, sarrus_extremes extremes,
                             sarrus_sketch_levels levels, double *out, double *errors);

#endif

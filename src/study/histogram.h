/* Counts of numbers in equal bins. */
#ifndef SARRUS_STUDY_HISTOGRAM_H
#define SARRUS_STUDY_HISTOGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "study/spread.h"

/* Of x[n], which has no NaN and these extremes: edges[n_bins + 1] from the smallest to the largest number, half a unit to each side
 * where they are alike, and counts[n_bins] of the numbers from an edge up to the next, the last one with it: as numpy.histogram.
 * Without numbers, or with infinite ones, edges are NaN and counts 0. */
void sarrus_histogram_make(const double *x, uint64_t n, sarrus_extremes extremes, int n_bins, double *edges, double *counts);

#endif

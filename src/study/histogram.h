/* Counts of numbers in equal bins. */
#ifndef SARRUS_STUDY_HISTOGRAM_H
#define SARRUS_STUDY_HISTOGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "study/spread.h"

/* Of numbers with these extremes: edges[n_bins + 1] from the smallest to the largest number, half a unit to each side where they
 * are alike, and counts[n_bins] of none. Without numbers, or with infinite ones, edges are NaN and counts stay 0. */
void sarrus_histogram_begin(sarrus_extremes extremes, int n_bins, double *edges, double *counts);

/* Counts x[n] of them, without NaN: those from an edge up to the next, the last one with it, as numpy.histogram. */
void sarrus_histogram_add(const double *x, uint64_t n, sarrus_extremes extremes, int n_bins, const double *edges, double *counts);

#endif

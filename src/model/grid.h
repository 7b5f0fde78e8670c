/* Numbers of points on grids with the same number of levels along each of d axes. */
#ifndef SARRUS_MODEL_GRID_H
#define SARRUS_MODEL_GRID_H

#include <stdint.h>

/* k^d; UINT64_MAX where it is larger. */
uint64_t sarrus_grid_points(uint64_t k, int d);

/* The largest k with k^d <= n, for n, d >= 1. */
uint64_t sarrus_grid_levels(uint64_t n, int d);

#endif

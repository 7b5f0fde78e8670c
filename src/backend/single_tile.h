/* Steps in single precision: two tiles of doubles, side by side, are one of floats while they are stepped, which has twice the
 * lanes. States go over to 48 bits: the floats, and what they lack (kernels/step/carry.h). What steps do not write stays as it is
 * in the doubles. A device does the same for a lane (kernels/cuda/lane_memory.cuh). */
#ifndef SARRUS_BACKEND_SINGLE_TILE_H
#define SARRUS_BACKEND_SINGLE_TILE_H

#include <stddef.h>

#include "kernels/body/mechanism.h"

/* Tiles of the mechanism whose steps are made. */
typedef struct sarrus_single_tiles {
    const sarrus_mechanism *mech;
    int32_t width; /* of tiles of doubles */
} sarrus_single_tiles;

/* Lane arrays of a tile of floats: the fields, and the carry of q and v. */
size_t sarrus_single_tile_arrays(const sarrus_mechanism *mech);

/* to [sarrus_single_tile_arrays][2 width] ← `tiles` [n][n_arrays][width], n = 1 or 2; of one tile the other half repeats it. The
 * floats count steps from `step` of the grid, so that instances that began late know theirs. */
void sarrus_single_tile_take(const sarrus_single_tiles *how, const double *tiles, int32_t n, uint64_t step, float *to);

/* And back: the fields that steps write. */
void sarrus_single_tile_give(const sarrus_single_tiles *how, const float *from, int32_t n, double *tiles);

#endif

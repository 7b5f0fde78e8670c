/* Steps in single precision: two tiles of doubles, side by side, are one of floats while they are stepped, which has twice the
 * lanes. States go over to 48 bits: the floats, and what they lack (kernels/step/carry.h). What steps do not write stays as it is
 * in the doubles. */
#ifndef SARRUS_BACKEND_SINGLE_TILE_H
#define SARRUS_BACKEND_SINGLE_TILE_H

#include <stddef.h>

#include "kernels/cpu/kernels.h"
#include "plan/fields.h"

/* Between tiles of `width` doubles and of 2 width floats, of the mechanism whose steps are made. */
typedef struct sarrus_single_tiles {
    int32_t width;
    int32_t n_q, n_v, q, v, n_arrays;
    sarrus_tile_field field[SARRUS_N_FIELDS];
} sarrus_single_tiles;

void sarrus_single_tiles_make(const sarrus_mechanism *mech, int32_t width, sarrus_single_tiles *out);

/* Lane arrays of a tile of floats: the fields, and the carry of q and v. */
size_t sarrus_single_tile_arrays(const sarrus_mechanism *mech);

/* to [sarrus_single_tile_arrays][2 width] ← `tiles` [n][n_arrays][width], n = 1 or 2; of one tile the other half repeats it. */
void sarrus_single_tile_take(const sarrus_single_tiles *how, const double *tiles, int32_t n, float *to);

/* And back: the fields that steps write. */
void sarrus_single_tile_give(const sarrus_single_tiles *how, const float *from, int32_t n, double *tiles);

#endif

/* A tile of the prototype: as many instances as a vector has lanes. */
#ifndef SARRUS_BENCH_PROTOTYPE_FIVE_BAR_TILE_H
#define SARRUS_BENCH_PROTOTYPE_FIVE_BAR_TILE_H

#include <stdint.h>

#include "prototype_five_bar.h"

/* Places of a tile, each of `lanes` doubles. */
enum {
    PROTOTYPE_Q = 0,                                                   /* [12] m | rad */
    PROTOTYPE_V = PROTOTYPE_Q + SARRUS_PROTOTYPE_N,                    /* [12] m/s | rad/s */
    PROTOTYPE_WEIGHT = PROTOTYPE_V + SARRUS_PROTOTYPE_N,               /* [4][2] 1/m, 1/I */
    PROTOTYPE_POINT = PROTOTYPE_WEIGHT + 8,                            /* [9][2] m */
    PROTOTYPE_GRAVITY = PROTOTYPE_POINT + 2 * SARRUS_PROTOTYPE_N_ENDS, /* [2] m/s² */
    PROTOTYPE_N_PLACES = PROTOTYPE_GRAVITY + 2,
};

/* Advances one tile by n_steps of dt. One expansion of prototype_five_bar_body.h per instruction set and kind. */
typedef void sarrus_prototype_advance_tile(double *tile, uint64_t n_steps, double dt);

sarrus_prototype_advance_tile sarrus_prototype_dense_avx512, sarrus_prototype_sparse_avx512;
sarrus_prototype_advance_tile sarrus_prototype_dense_avx2, sarrus_prototype_sparse_avx2;
sarrus_prototype_advance_tile sarrus_prototype_dense_baseline, sarrus_prototype_sparse_baseline;

#endif

/* Instances between a tile in relative coordinates, which steps are made in, and one in those of the bodies, in which they are
 * filled, assembled and observed: so these are the same whatever coordinates steps are made in. */
#ifndef SARRUS_BACKEND_CPU_RELATIVE_TILE_H
#define SARRUS_BACKEND_CPU_RELATIVE_TILE_H

#include "backend/relative_moves.h"
#include "kernels/cpu/kernels.h"

typedef struct sarrus_relative_tiles {
    const sarrus_mechanism *relative, *bodies;
    const sarrus_kernels *kernels; /* of relative coordinates */
    sarrus_tile_move move[SARRUS_N_FIELDS];
    int n_moves;
} sarrus_relative_tiles;

/* Both mechanisms must outlive it. */
void sarrus_relative_tiles_make(const sarrus_mechanism *relative, const sarrus_mechanism *bodies, const sarrus_kernels *kernels,
                                sarrus_relative_tiles *out);

/* The call's tile, all zero before, from a tile of bodies that was assembled. */
void sarrus_relative_tile_begin(const sarrus_relative_tiles *tiles, sarrus_kernel_call *call, const double *bodies);

/* q and v of the call's tile from those of a tile of bodies, as far as the joints of the tree let them. */
void sarrus_relative_tile_take(const sarrus_relative_tiles *tiles, sarrus_kernel_call *call, const double *bodies);

/* q and v of a tile of bodies from the call's tile; and what an observation looks at besides. */
void sarrus_relative_tile_place(const sarrus_relative_tiles *tiles, sarrus_kernel_call *call, double *bodies);
void sarrus_relative_tile_show(const sarrus_relative_tiles *tiles, const sarrus_kernel_call *call, double *bodies);

/* The status that an observation has left in the tile of bodies, into the call's tile. */
void sarrus_relative_tile_end_failed(const sarrus_relative_tiles *tiles, const double *bodies, sarrus_kernel_call *call);

/* The rank into the observation of bodies, where it is wanted: that by which steps are made, which know what they cross. */
void sarrus_relative_tile_rank(const sarrus_relative_tiles *tiles, sarrus_kernel_call *call, const sarrus_observe_request *want,
                               double *observed);

#endif

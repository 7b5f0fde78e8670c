/* What a tile in relative coordinates and one in those of the bodies have in common. */
#ifndef SARRUS_BACKEND_RELATIVE_MOVES_H
#define SARRUS_BACKEND_RELATIVE_MOVES_H

#include "kernels/body/relative/tile_move.h"
#include "plan/fields.h"

/* The arrays that mean the same in both, as few pieces as there are. Returns their number. */
int sarrus_relative_moves_make(const sarrus_mechanism *relative, const sarrus_mechanism *bodies,
                               sarrus_tile_move out[SARRUS_N_FIELDS]);

#endif

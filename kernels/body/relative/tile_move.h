/* Lane arrays that mean the same in a tile in relative coordinates and in one in those of the bodies. */
#ifndef SARRUS_BODY_RELATIVE_TILE_MOVE_H
#define SARRUS_BODY_RELATIVE_TILE_MOVE_H

#include <stdint.h>

typedef struct sarrus_tile_move {
    int32_t relative, bodies; /* where they begin */
    int32_t n;
} sarrus_tile_move;

#endif

/* Where a body has its numbers among those of all, in the space of the translation unit. */
#ifndef SARRUS_SPACE_INDEX_H
#define SARRUS_SPACE_INDEX_H

#include "kernels/lane/lane.h"
#include "kernels/space/sizes.h"

/* Of a body: coordinates, speeds, and where among both those begin that turn it, behind those of its centre of mass. */
#if defined(SARRUS_KERNELS_SPATIAL)
enum { SPACE_NQ = SARRUS_SPATIAL_NQ, SPACE_NV = SARRUS_SPATIAL_NV, SPACE_TURN = SARRUS_SPATIAL_TURN };
enum { SPACE_DIMENSION = SARRUS_SPATIAL_DIMENSION, SPACE_N_TURN = SARRUS_SPATIAL_N_TURN };
#else
enum { SPACE_NQ = SARRUS_PLANAR_NQ, SPACE_NV = SARRUS_PLANAR_NV, SPACE_TURN = SARRUS_PLANAR_TURN };
enum { SPACE_DIMENSION = SARRUS_PLANAR_DIMENSION, SPACE_N_TURN = SARRUS_PLANAR_N_TURN };
#endif

/* Where the coordinates and the speeds of a body begin among those of all. */
LANE_FUNCTION int32_t space_q(int32_t body) {
    return SPACE_NQ * body;
}
LANE_FUNCTION int32_t space_v(int32_t body) {
    return SPACE_NV * body;
}

/* Of speed i: the body that it moves, and whether it turns it. */
LANE_FUNCTION int32_t space_body_of(int32_t i) {
    return i / SPACE_NV;
}
LANE_FUNCTION int space_is_turn(int32_t i) {
    return i % SPACE_NV >= SPACE_TURN;
}

#endif

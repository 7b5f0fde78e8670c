/* How many numbers a body has in each space, for the host too. */
#ifndef SARRUS_SPACE_SIZES_H
#define SARRUS_SPACE_SIZES_H

/* Coordinates, speeds, and where among both those begin that turn it; numbers of a vector, and speeds that turn. */
enum { SARRUS_PLANAR_NQ = 3, SARRUS_PLANAR_NV = 3, SARRUS_PLANAR_TURN = 2, SARRUS_PLANAR_DIMENSION = 2, SARRUS_PLANAR_N_TURN = 1 };
enum {
    SARRUS_SPATIAL_NQ = 7,
    SARRUS_SPATIAL_NV = 6,
    SARRUS_SPATIAL_TURN = 3,
    SARRUS_SPATIAL_DIMENSION = 3,
    SARRUS_SPATIAL_N_TURN = 3
};

#endif

/* Where the factor has all independent rows, as it does over a tree and in space; in the plane those of crank pins are apart. */
#ifndef SARRUS_FORMULATION_ROWS_IN_FACTOR_H
#define SARRUS_FORMULATION_ROWS_IN_FACTOR_H

#include "kernels/body/workspace.h"

/* The right side as the rows of the factor see it, and the multipliers of independent rows that are not in it: there are none. */
LANE_FUNCTION const real *sarrus_rows_right(const sarrus_mechanism *mech, const real *parameter, const sarrus_workspace *ws,
                                            const real *rhs) {
    (void)mech;
    (void)parameter;
    (void)ws;
    return rhs;
}
LANE_FUNCTION void sarrus_rows_loads(const sarrus_mechanism *mech, const real *parameter, const sarrus_workspace *ws,
                                     const real *b) {
    (void)mech;
    (void)parameter;
    (void)ws;
    (void)b;
}

#endif

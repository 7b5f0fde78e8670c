/* The dense formulations for the steps: in a unit of their own that is linked, as the pseudoinverse methods are
 * (kernels/pinv/call.h). The including file names that unit's function SARRUS_DENSE_RUN; a unit that does not has none, and no plan
 * with such a formulation comes to it. */
#ifndef SARRUS_FORMULATION_DENSE_CALL_H
#define SARRUS_FORMULATION_DENSE_CALL_H

#include "kernels/formulation/dense/problem.h"

void SARRUS_DENSE_RUN(const sarrus_dense_shape *shape, sarrus_dense_lanes *lanes);

LANE_FUNCTION void sarrus_dense_run(const sarrus_dense_shape *shape, sarrus_dense_lanes *lanes) {
    SARRUS_DENSE_RUN(shape, lanes);
}

#endif

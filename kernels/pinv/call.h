/* The methods for the formulations: compiled in, or in a unit of their own that is linked. The including file names that unit's
 * functions SARRUS_PINV_WORK and SARRUS_PINV_RUN to have them linked: nothing of a method is worth being inlined into a step, and
 * compiling all methods once for each instruction set is enough. A unit whose plans are never solved by a method defines
 * SARRUS_PINV_NONE and compiles none. */
#ifndef SARRUS_PINV_CALL_H
#define SARRUS_PINV_CALL_H

#if defined(SARRUS_PINV_RUN)

#include "kernels/pinv/problem.h"

size_t SARRUS_PINV_WORK(const sarrus_pinv_shape *shape);
void SARRUS_PINV_RUN(const sarrus_pinv_shape *shape, sarrus_pinv_lanes *lanes);

LANE_FUNCTION size_t sarrus_pinv_work(const sarrus_pinv_shape *shape) {
    return SARRUS_PINV_WORK(shape);
}
LANE_FUNCTION void sarrus_pinv_run(const sarrus_pinv_shape *shape, sarrus_pinv_lanes *lanes) {
    SARRUS_PINV_RUN(shape, lanes);
}

#elif defined(SARRUS_PINV_NONE)

#include "kernels/pinv/problem.h"

LANE_FUNCTION size_t sarrus_pinv_work(const sarrus_pinv_shape *shape) {
    (void)shape;
    return 0;
}
LANE_FUNCTION void sarrus_pinv_run(const sarrus_pinv_shape *shape, sarrus_pinv_lanes *lanes) {
    (void)shape;
    lanes->found.rank = lanes->found.kept = lanes->found.dropped = real_set(0.0);
}

#else
#include "kernels/pinv/methods.h"
#endif

#endif

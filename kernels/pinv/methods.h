/* All methods behind one call. Branches on the shape only. */
#ifndef SARRUS_PINV_METHODS_H
#define SARRUS_PINV_METHODS_H

#include "kernels/pinv/householder.h"
#include "kernels/pinv/varga.h"

/* Lane arrays of scratch. */
LANE_BODY size_t sarrus_pinv_work(const sarrus_pinv_shape *shape) {
    switch (shape->method) {
    case SARRUS_PINV_HOUSEHOLDER:
        return sarrus_pinv_householder_work(shape);
    case SARRUS_PINV_VARGA:
        return sarrus_pinv_varga_work(shape);
    default:
        return 0;
    }
}

/* Additions and multiplications for one matrix of this rank (an FMA is two), n_sweeps sweeps of an iterative method. */
LANE_BODY double sarrus_pinv_flops(const sarrus_pinv_shape *shape, int32_t rank, double n_sweeps) { /* plan */
    (void)n_sweeps;
    switch (shape->method) {
    case SARRUS_PINV_HOUSEHOLDER:
        return sarrus_pinv_householder_flops(shape, rank);
    case SARRUS_PINV_VARGA:
        return sarrus_pinv_varga_flops(shape, rank);
    default:
        return 0.0;
    }
}

/* X and the rank decision. */
LANE_BODY void sarrus_pinv_run(const sarrus_pinv_shape *shape, sarrus_pinv_lanes *lanes) {
    switch (shape->method) {
    case SARRUS_PINV_HOUSEHOLDER:
        sarrus_pinv_householder(shape, lanes);
        break;
    case SARRUS_PINV_VARGA:
        sarrus_pinv_varga(shape, lanes);
        break;
    default:
        break;
    }
}

#endif

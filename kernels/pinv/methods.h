/* All methods behind one call. Branches on the shape only. */
#ifndef SARRUS_PINV_METHODS_H
#define SARRUS_PINV_METHODS_H

#include "kernels/pinv/cholesky.h"
#include "kernels/pinv/svd_weights.h"
#include "kernels/pinv/gram_schmidt.h"
#include "kernels/pinv/greville.h"
#include "kernels/pinv/householder.h"
#include "kernels/pinv/normal.h"
#include "kernels/pinv/svd.h"
#include "kernels/pinv/varga.h"

/* What a library does is not done here. */
LANE_FUNCTION size_t sarrus_pinv_elsewhere_work(const sarrus_pinv_shape *shape) {
    (void)shape;
    return 0;
}
LANE_FUNCTION double sarrus_pinv_elsewhere_flops(const sarrus_pinv_shape *shape, int32_t rank, double n_sweeps) { /* plan */
    (void)shape;
    (void)rank;
    (void)n_sweeps;
    return 0.0; /* plan */
}
LANE_FUNCTION void sarrus_pinv_elsewhere(const sarrus_pinv_shape *shape, sarrus_pinv_lanes *lanes) {
    (void)shape;
    (void)lanes;
}

/* Lane arrays of scratch. */
LANE_BODY size_t sarrus_pinv_work(const sarrus_pinv_shape *shape) {
    switch ((sarrus_pinv_method)shape->method) {
#define SARRUS_PINV_METHOD(name, value, word, kernel, text)                                                                        \
    case SARRUS_PINV_##name:                                                                                                       \
        return sarrus_pinv_##kernel##_work(shape);
#include "sarrus/pinv_methods.def"
    }
    return 0;
}

/* Additions and multiplications for one matrix of this rank (an FMA is two), n_sweeps sweeps of an iterative method. */
LANE_BODY double sarrus_pinv_flops(const sarrus_pinv_shape *shape, int32_t rank, double n_sweeps) { /* plan */
    switch ((sarrus_pinv_method)shape->method) {
#define SARRUS_PINV_METHOD(name, value, word, kernel, text)                                                                        \
    case SARRUS_PINV_##name:                                                                                                       \
        return sarrus_pinv_##kernel##_flops(shape, rank, n_sweeps);
#include "sarrus/pinv_methods.def"
    }
    return 0.0; /* plan */
}

/* X and the rank decision. */
LANE_BODY void sarrus_pinv_run(const sarrus_pinv_shape *shape, sarrus_pinv_lanes *lanes) {
    lanes->found.rank = lanes->found.kept = lanes->found.dropped = lanes->n_sweeps = real_set(0.0);
    switch ((sarrus_pinv_method)shape->method) {
#define SARRUS_PINV_METHOD(name, value, word, kernel, text)                                                                        \
    case SARRUS_PINV_##name:                                                                                                       \
        sarrus_pinv_##kernel(shape, lanes);                                                                                        \
        break;
#include "sarrus/pinv_methods.def"
    }
}

#endif

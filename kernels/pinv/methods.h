/* All methods behind one call. Branches on the shape only. */
#ifndef SARRUS_PINV_METHODS_H
#define SARRUS_PINV_METHODS_H

#include "kernels/pinv/cholesky.h"
#include "kernels/pinv/filtered.h"
#include "kernels/pinv/gram_schmidt.h"
#include "kernels/pinv/greville.h"
#include "kernels/pinv/householder.h"
#include "kernels/pinv/normal.h"
#include "kernels/pinv/svd.h"
#include "kernels/pinv/varga.h"

/* Lane arrays of scratch. */
LANE_BODY size_t sarrus_pinv_work(const sarrus_pinv_shape *shape) {
    switch (shape->method) {
    case SARRUS_PINV_SVD:
    case SARRUS_PINV_TIKHONOV:
    case SARRUS_PINV_TRUNCATED:
        return sarrus_pinv_svd_work(shape);
    case SARRUS_PINV_JACOBI:
        return sarrus_pinv_jacobi_work(shape);
    case SARRUS_PINV_VARGA:
        return sarrus_pinv_varga_work(shape);
    case SARRUS_PINV_GREVILLE:
        return sarrus_pinv_greville_work(shape);
    case SARRUS_PINV_HOUSEHOLDER:
        return sarrus_pinv_householder_work(shape);
    case SARRUS_PINV_MGS:
    case SARRUS_PINV_MGS2:
        return sarrus_pinv_gram_schmidt_work(shape);
    case SARRUS_PINV_NORMAL:
        return sarrus_pinv_normal_work(shape);
    case SARRUS_PINV_CHOLESKY:
        return sarrus_pinv_cholesky_work(shape);
    default:
        return 0;
    }
}

/* Additions and multiplications for one matrix of this rank (an FMA is two), n_sweeps sweeps of an iterative method. */
LANE_BODY double sarrus_pinv_flops(const sarrus_pinv_shape *shape, int32_t rank, double n_sweeps) { /* plan */
    switch (shape->method) {
    case SARRUS_PINV_SVD:
        return sarrus_pinv_svd_flops(shape, rank, n_sweeps);
    case SARRUS_PINV_TIKHONOV:
    case SARRUS_PINV_TRUNCATED:
        return sarrus_pinv_filtered_flops(shape, rank, n_sweeps);
    case SARRUS_PINV_JACOBI:
        return sarrus_pinv_jacobi_flops(shape, rank, n_sweeps);
    case SARRUS_PINV_VARGA:
        return sarrus_pinv_varga_flops(shape, rank);
    case SARRUS_PINV_GREVILLE:
        return sarrus_pinv_greville_flops(shape, rank);
    case SARRUS_PINV_HOUSEHOLDER:
        return sarrus_pinv_householder_flops(shape, rank);
    case SARRUS_PINV_MGS:
    case SARRUS_PINV_MGS2:
        return sarrus_pinv_gram_schmidt_flops(shape, rank);
    case SARRUS_PINV_NORMAL:
        return sarrus_pinv_normal_flops(shape, rank);
    case SARRUS_PINV_CHOLESKY:
        return sarrus_pinv_cholesky_flops(shape, rank);
    default:
        return 0.0;
    }
}

/* X and the rank decision. */
LANE_BODY void sarrus_pinv_run(const sarrus_pinv_shape *shape, sarrus_pinv_lanes *lanes) {
    lanes->found.rank = lanes->found.kept = lanes->found.dropped = lanes->n_sweeps = real_set(0.0);
    switch (shape->method) {
    case SARRUS_PINV_SVD:
        sarrus_pinv_svd(shape, lanes);
        break;
    case SARRUS_PINV_TIKHONOV:
        sarrus_pinv_tikhonov(shape, lanes);
        break;
    case SARRUS_PINV_TRUNCATED:
        sarrus_pinv_truncated(shape, lanes);
        break;
    case SARRUS_PINV_JACOBI:
        sarrus_pinv_jacobi(shape, lanes);
        break;
    case SARRUS_PINV_VARGA:
        sarrus_pinv_varga(shape, lanes);
        break;
    case SARRUS_PINV_GREVILLE:
        sarrus_pinv_greville(shape, lanes);
        break;
    case SARRUS_PINV_HOUSEHOLDER:
        sarrus_pinv_householder(shape, lanes);
        break;
    case SARRUS_PINV_MGS:
    case SARRUS_PINV_MGS2:
        sarrus_pinv_gram_schmidt(shape, lanes);
        break;
    case SARRUS_PINV_NORMAL:
        sarrus_pinv_normal(shape, lanes);
        break;
    case SARRUS_PINV_CHOLESKY:
        sarrus_pinv_cholesky(shape, lanes);
        break;
    default:
        break;
    }
}

#endif

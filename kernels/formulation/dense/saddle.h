/* The whole system at once (S1 26, μ = 0), M semi-definite and definite on the motions that J leaves:
 *
 *   [a; λ] = [M Jᵀ; J 0]⁺ [F; γ]
 *
 * a is unique, λ of least norm (S1, result 3). */
#ifndef SARRUS_FORMULATION_DENSE_SADDLE_H
#define SARRUS_FORMULATION_DENSE_SADDLE_H

#include "kernels/formulation/dense/problem.h"

/* k [n + m][n + m] ← [M Jᵀ; J 0]. */
LANE_BODY void sarrus_dense_saddle_fill(const sarrus_dense_shape *shape, const sarrus_dense_lanes *lanes, real *k) {
    const int32_t m = shape->m, n = shape->n, size = n + m;
    for (int32_t i = 0; i < size * size; ++i)
        lane_at(k, i) = real_set(0.0);
    for (int32_t i = 0; i < n; ++i)
        sarrus_dense_copy(lane_from(lanes->mass, i * n), n, lane_from(k, i * size));
    for (int32_t i = 0; i < m; ++i) {
        for (int32_t j = 0; j < n; ++j)
            lane_at(k, (n + i) * size + j) = lane_at(k, j * size + n + i) = lane_at(lanes->jacobian, i * n + j);
    }
}

LANE_BODY void sarrus_dense_saddle(const sarrus_dense_shape *shape, sarrus_dense_lanes *lanes) {
    const int32_t m = shape->m, n = shape->n;
    sarrus_dense_pinv pinv;
    sarrus_dense_pinv_prepare(shape, n + m, n + m, 0, lanes, &pinv);
    pinv.shape.rule.is_squared = 1;
    if (!lanes->work)
        return;
    sarrus_dense_saddle_fill(shape, lanes, pinv.lanes.a);
    sarrus_dense_copy(lanes->force, n, pinv.lanes.b);
    sarrus_dense_copy(lanes->gamma, m, lane_from(pinv.lanes.b, n));
    const real all = real_set((real_scalar)n) + lanes->limit.max_rank;
    sarrus_dense_pinv_run(lanes, all, &pinv);
    lanes->found = pinv.lanes.found;
    lanes->found.rank = lanes->found.rank - real_set((real_scalar)n);
    sarrus_dense_copy(pinv.lanes.x, n, lanes->a);
    if (lanes->lambda)
        sarrus_dense_copy(lane_from(pinv.lanes.x, n), m, lanes->lambda);
}

#endif

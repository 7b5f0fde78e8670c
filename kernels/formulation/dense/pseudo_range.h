/* Constraint forces by the pseudoinverse of the normal equations (S5 35; S1 14, 18), M definite:
 *
 *   λ = (J M⁻¹ Jᵀ)⁺ (J a_f − γ),   a = a_f − M⁻¹Jᵀλ
 *
 * Singular values are squared: what is below √ε of the largest one is lost. */
#ifndef SARRUS_FORMULATION_DENSE_PSEUDO_RANGE_H
#define SARRUS_FORMULATION_DENSE_PSEUDO_RANGE_H

#include "kernels/formulation/dense/mass_root.h"

/* out [m][m] ← D Dᵀ, D [m][n]. */
LANE_BODY void sarrus_dense_square(sarrus_dense_lanes *lanes, const real *d, int32_t m, int32_t n, real *out) {
    for (int32_t i = 0; i < m; ++i) {
        for (int32_t k = 0; k <= i; ++k) {
            real sum = real_set(0.0);
            for (int32_t l = 0; l < n; ++l)
                sum = real_fma(lane_at(d, i * n + l), lane_at(d, k * n + l), sum);
            lane_at(out, i * m + k) = lane_at(out, k * m + i) = sum;
        }
    }
    lanes->flops += (double)m * (m + 1) * n; /* plan */
}

LANE_BODY void sarrus_dense_pseudo_range(const sarrus_dense_shape *shape, sarrus_dense_lanes *lanes) {
    const int32_t m = shape->m, n = shape->n;
    real *root = sarrus_dense_root_take(shape, lanes), *d = sarrus_dense_take(lanes, m * n);
    real *a_f = sarrus_dense_take(lanes, n), *x = sarrus_dense_take(lanes, n);
    sarrus_dense_pinv pinv;
    sarrus_dense_pinv_prepare(shape, m, m, 0, lanes, &pinv);
    pinv.shape.rule.is_squared = 1;
    if (!lanes->work)
        return;
    sarrus_dense_root_make(shape, lanes, root);
    sarrus_dense_rows_weigh(shape, lanes, root, d);
    sarrus_dense_free(shape, lanes, root, a_f, pinv.lanes.b);
    sarrus_dense_square(lanes, d, m, n, pinv.lanes.a);
    sarrus_dense_pinv_run(lanes, lanes->limit.max_rank, &pinv);
    lanes->found = pinv.lanes.found;
    sarrus_dense_push(shape, lanes, root, a_f, pinv.lanes.x, x);
    if (lanes->lambda)
        sarrus_dense_copy(pinv.lanes.x, m, lanes->lambda);
}

#endif

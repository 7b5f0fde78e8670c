/* Constraint forces first (S2 14, 50, by its appendix: the normal equations are not made, D Dᵀ being inverted by D⁺ twice), M
 * definite:
 *
 *   λ = (Dᵀ)⁺ D⁺ (J a_f − γ),   a = a_f − M⁻¹Jᵀλ,   D = J M^{-1/2} */
#ifndef SARRUS_FORMULATION_DENSE_RANGE_SPACE_H
#define SARRUS_FORMULATION_DENSE_RANGE_SPACE_H

#include "kernels/formulation/dense/mass_root.h"

LANE_BODY void sarrus_dense_range_space(const sarrus_dense_shape *shape, sarrus_dense_lanes *lanes) {
    const int32_t m = shape->m, n = shape->n;
    real *root = sarrus_dense_root_take(shape, lanes), *d = sarrus_dense_take(lanes, m * n);
    real *a_f = sarrus_dense_take(lanes, n), *x = sarrus_dense_take(lanes, n);
    sarrus_dense_pinv first, second;
    sarrus_dense_pinv_prepare(shape, m, n, 0, lanes, &first);
    sarrus_dense_pinv_prepare(shape, n, m, 0, lanes, &second);
    if (!lanes->work)
        return;
    sarrus_dense_root_make(shape, lanes, root);
    sarrus_dense_rows_weigh(shape, lanes, root, d);
    sarrus_dense_free(shape, lanes, root, a_f, first.lanes.b);
    sarrus_dense_copy(d, m * n, first.lanes.a);
    sarrus_dense_pinv_run(lanes, lanes->limit.max_rank, &first);
    lanes->found = first.lanes.found;
    sarrus_dense_transpose(d, m, n, second.lanes.a);
    sarrus_dense_copy(first.lanes.x, n, second.lanes.b);
    sarrus_dense_pinv_run(lanes, lanes->found.rank, &second);
    sarrus_dense_push(shape, lanes, root, a_f, second.lanes.x, x);
    if (lanes->lambda)
        sarrus_dense_copy(second.lanes.x, m, lanes->lambda);
}

#endif

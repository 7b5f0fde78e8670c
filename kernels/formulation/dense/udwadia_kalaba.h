/* Udwadia and Kalaba (S5 31, 32; S1 22), M definite:
 *
 *   a = a_f + M^{-1/2} D⁺ (γ − J a_f),   D = J M^{-1/2},   λ = −(Dᵀ)⁺ D⁺ (γ − J a_f) */
#ifndef SARRUS_FORMULATION_DENSE_UDWADIA_KALABA_H
#define SARRUS_FORMULATION_DENSE_UDWADIA_KALABA_H

#include "kernels/formulation/dense/mass_root.h"

LANE_BODY void sarrus_dense_udwadia_kalaba(const sarrus_dense_shape *shape, sarrus_dense_lanes *lanes) {
    const int32_t m = shape->m, n = shape->n;
    real *root = sarrus_dense_root_take(shape, lanes), *d = sarrus_dense_take(lanes, m * n), *a_f = sarrus_dense_take(lanes, n);
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
    if (lanes->lambda) {
        sarrus_dense_transpose(d, m, n, second.lanes.a);
        sarrus_dense_copy(first.lanes.x, n, second.lanes.b);
        sarrus_dense_pinv_run(lanes, lanes->found.rank, &second);
        sarrus_dense_copy(second.lanes.x, m, lanes->lambda);
    }
    sarrus_dense_root_times(shape, lanes, root, first.lanes.x, first.lanes.x);
    sarrus_dense_subtract(lanes, a_f, first.lanes.x, n, lanes->a);
}

#endif

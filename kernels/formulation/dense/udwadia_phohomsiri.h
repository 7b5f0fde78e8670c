/* Udwadia and Phohomsiri (S5 42, 43), M semi-definite:
 *
 *   a = [R M; J]⁺ [F; γ],   R = I − J⁺J
 *
 * where [M; J] has full column rank, which makes a unique. */
#ifndef SARRUS_FORMULATION_DENSE_UDWADIA_PHOHOMSIRI_H
#define SARRUS_FORMULATION_DENSE_UDWADIA_PHOHOMSIRI_H

#include "kernels/formulation/dense/problem.h"

LANE_BODY void sarrus_dense_udwadia_phohomsiri(const sarrus_dense_shape *shape, sarrus_dense_lanes *lanes) {
    const int32_t m = shape->m, n = shape->n;
    real *r = sarrus_dense_take(lanes, n * n);
    sarrus_dense_pinv first, second, third;
    sarrus_dense_pinv_prepare(shape, m, n, 1, lanes, &first);
    sarrus_dense_pinv_prepare(shape, n + m, n, 0, lanes, &second);
    second.shape.rule.is_squared = 1; /* the rank is known: masses on the free motions beside J */
    sarrus_dense_pinv_prepare(shape, n, m, 0, lanes, &third);
    if (!lanes->work)
        return;
    sarrus_dense_copy(lanes->jacobian, m * n, first.lanes.a);
    sarrus_dense_pinv_run(lanes, lanes->limit.max_rank, &first);
    lanes->found = first.lanes.found;
    sarrus_dense_complement(lanes, first.lanes.x, lanes->jacobian, n, m, r);
    for (int32_t i = 0; i < n; ++i) /* R is symmetric */
        sarrus_dense_mass_times(shape, lanes, lane_from(r, i * n), lane_from(second.lanes.a, i * n));
    sarrus_dense_copy(lanes->jacobian, m * n, lane_from(second.lanes.a, n * n));
    sarrus_dense_copy(lanes->force, n, second.lanes.b);
    sarrus_dense_copy(lanes->gamma, m, lane_from(second.lanes.b, n));
    const real all = real_set((real_scalar)n);
    sarrus_dense_pinv_run(lanes, all, &second);
    lanes->is_unsolvable = mask_and(lanes->active, real_lt(second.lanes.found.rank, all));
    sarrus_dense_copy(second.lanes.x, n, lanes->a);
    sarrus_dense_multipliers(shape, lanes, &third);
}

#endif

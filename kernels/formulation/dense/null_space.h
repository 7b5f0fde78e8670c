/* Accelerations within what the constraints leave free (S5 41; S2 40, A-2), M definite there, else of any kind:
 *
 *   a = x + (E M E)⁺ (F − M x),   x = J⁺γ,   E = I − J⁺J
 *
 * x is S2's part in the range space, by Y = J⁺, and E M E is Zᵀ M Z of any orthonormal Z, carried back by Z. */
#ifndef SARRUS_FORMULATION_DENSE_NULL_SPACE_H
#define SARRUS_FORMULATION_DENSE_NULL_SPACE_H

#include "kernels/formulation/dense/problem.h"

/* out [n][n] ← E M E; `half` [n][n] is scratch. */
LANE_BODY void sarrus_dense_confine(const sarrus_dense_shape *shape, sarrus_dense_lanes *lanes, const real *e, real *half,
                                    real *out) {
    const int32_t n = shape->n;
    for (int32_t i = 0; i < n; ++i) /* E is symmetric: rows of E M are M times its rows */
        sarrus_dense_mass_times(shape, lanes, lane_from(e, i * n), lane_from(half, i * n));
    for (int32_t i = 0; i < n; ++i) {
        for (int32_t k = 0; k <= i; ++k) {
            real sum = real_set(0.0);
            for (int32_t l = 0; l < n; ++l)
                sum = real_fma(lane_at(half, i * n + l), lane_at(e, k * n + l), sum);
            lane_at(out, i * n + k) = lane_at(out, k * n + i) = sum;
        }
    }
    lanes->flops += (double)n * (n + 1) * n; /* plan */
}

LANE_BODY void sarrus_dense_null_space(const sarrus_dense_shape *shape, sarrus_dense_lanes *lanes) {
    const int32_t m = shape->m, n = shape->n;
    real *x = sarrus_dense_take(lanes, n), *e = sarrus_dense_take(lanes, n * n), *half = sarrus_dense_take(lanes, n * n);
    sarrus_dense_pinv first, second, third;
    sarrus_dense_pinv_prepare(shape, m, n, 1, lanes, &first);
    sarrus_dense_pinv_prepare(shape, n, n, 0, lanes, &second);
    second.shape.rule.is_squared = 1; /* sizes of masses, whose rank is known */
    sarrus_dense_pinv_prepare(shape, n, m, 0, lanes, &third);
    if (!lanes->work)
        return;
    sarrus_dense_copy(lanes->jacobian, m * n, first.lanes.a);
    sarrus_dense_pinv_run(lanes, lanes->limit.max_rank, &first);
    lanes->found = first.lanes.found;
    sarrus_dense_times(lanes, first.lanes.x, n, m, lanes->gamma, x);
    sarrus_dense_complement(lanes, first.lanes.x, lanes->jacobian, n, m, e);
    sarrus_dense_confine(shape, lanes, e, half, second.lanes.a);
    sarrus_dense_mass_times(shape, lanes, x, half);
    sarrus_dense_subtract(lanes, lanes->force, half, n, half);
    sarrus_dense_times(lanes, e, n, n, half, second.lanes.b); /* E M E sees no more of it than this */
    const real n_free = real_set((real_scalar)n) - lanes->found.rank;
    sarrus_dense_pinv_run(lanes, n_free, &second);
    lanes->is_unsolvable = mask_and(lanes->active, real_lt(second.lanes.found.rank, n_free));
    for (int32_t i = 0; i < n; ++i)
        lane_at(lanes->a, i) = lane_at(x, i) + lane_at(second.lanes.x, i);
    lanes->flops += n;
    sarrus_dense_multipliers(shape, lanes, &third);
}

#endif

/* Shifts eliminated, turns and constraint forces left (S2 15), masses definite, inertias semi-definite: with the speeds sorted into
 * shifts r and turns w,
 *
 *   [I Jwᵀ; Jw −Jr m⁻¹ Jrᵀ] [ẇ; λ] = [Fw; γ − Jr m⁻¹ Fr],   r̈ = m⁻¹ (Fr − Jrᵀ λ)
 *
 * solved by the pseudoinverse of the matrix, so that rows may depend on one another. S2 goes on to invert Jr m⁻¹ Jrᵀ (16), which
 * rows that hold turns alone make singular. */
#ifndef SARRUS_FORMULATION_DENSE_PARTIAL_H
#define SARRUS_FORMULATION_DENSE_PARTIAL_H

#include "kernels/formulation/dense/problem.h"

LANE_FUNCTION int32_t sarrus_dense_turn_of(const sarrus_dense_shape *shape, int32_t k) {
    return k / shape->block * (shape->block - shape->turn) + k % shape->block - shape->turn;
}

/* The corner −Jr m⁻¹ Jrᵀ of k [size][size], and below it the right side γ − Jr m⁻¹ Fr of b. */
LANE_BODY void sarrus_dense_partial_shifts(const sarrus_dense_shape *shape, sarrus_dense_lanes *lanes, int32_t n_turns, real *k,
                                           real *b) {
    const int32_t m = shape->m, n = shape->n, size = n_turns + m, n_shifts = n - n_turns;
    for (int32_t i = 0; i < m; ++i) {
        lane_at(b, n_turns + i) = lane_at(lanes->gamma, i);
        for (int32_t j = 0; j <= i; ++j)
            lane_at(k, (n_turns + i) * size + n_turns + j) = real_set(0.0);
        for (int32_t l = 0; l < n; ++l) {
            if (sarrus_dense_is_turn(shape, l))
                continue;
            const real share = lane_at(lanes->jacobian, i * n + l) / lane_at(lanes->mass, l * (n + 1));
            lane_at(b, n_turns + i) = real_fnma(share, lane_at(lanes->force, l), lane_at(b, n_turns + i));
            for (int32_t j = 0; j <= i; ++j) {
                real *entry = lane_from(k, (n_turns + i) * size + n_turns + j);
                *entry = real_fnma(share, lane_at(lanes->jacobian, j * n + l), *entry);
            }
        }
        for (int32_t j = 0; j < i; ++j)
            lane_at(k, (n_turns + j) * size + n_turns + i) = lane_at(k, (n_turns + i) * size + n_turns + j);
    }
    lanes->flops += (double)n_shifts * m * (m + 3); /* plan */
}

/* The inertias in the first corner of k [size][size], and Fw in b. */
LANE_BODY void sarrus_dense_turns_fill(const sarrus_dense_shape *shape, const sarrus_dense_lanes *lanes, int32_t size, real *k,
                                       real *b) {
    const int32_t n = shape->n;
    for (int32_t l = 0; l < n; ++l) {
        const int32_t at = sarrus_dense_turn_of(shape, l);
        if (!sarrus_dense_is_turn(shape, l))
            continue;
        lane_at(b, at) = lane_at(lanes->force, l);
        for (int32_t j = 0; j < n; ++j) {
            if (sarrus_dense_is_turn(shape, j))
                lane_at(k, at * size + sarrus_dense_turn_of(shape, j)) = lane_at(lanes->mass, l * n + j);
        }
    }
}

/* The rows Jw with their transposes. */
LANE_BODY void sarrus_dense_partial_rows(const sarrus_dense_shape *shape, const sarrus_dense_lanes *lanes, int32_t n_turns,
                                         real *k) {
    const int32_t m = shape->m, n = shape->n, size = n_turns + m;
    for (int32_t l = 0; l < n; ++l) {
        const int32_t at = sarrus_dense_turn_of(shape, l);
        for (int32_t i = 0; sarrus_dense_is_turn(shape, l) && i < m; ++i)
            lane_at(k, (n_turns + i) * size + at) = lane_at(k, at * size + n_turns + i) = lane_at(lanes->jacobian, i * n + l);
    }
}

LANE_BODY void sarrus_dense_partial(const sarrus_dense_shape *shape, sarrus_dense_lanes *lanes) {
    const int32_t m = shape->m, n = shape->n, n_turns = n / shape->block * (shape->block - shape->turn);
    real *x = sarrus_dense_take(lanes, n);
    sarrus_dense_pinv pinv;
    sarrus_dense_pinv_prepare(shape, n_turns + m, n_turns + m, 0, lanes, &pinv);
    pinv.shape.rule.is_squared = 1;
    if (!lanes->work)
        return;
    for (int32_t l = 0; l < n; l += shape->block)
        lanes->is_unsolvable = mask_or(lanes->is_unsolvable, mask_not(real_lt(real_set(0.0), lane_at(lanes->mass, l * (n + 1)))));
    lanes->is_unsolvable = mask_and(lanes->active, lanes->is_unsolvable);
    sarrus_dense_partial_shifts(shape, lanes, n_turns, pinv.lanes.a, pinv.lanes.b);
    sarrus_dense_turns_fill(shape, lanes, n_turns + m, pinv.lanes.a, pinv.lanes.b);
    sarrus_dense_partial_rows(shape, lanes, n_turns, pinv.lanes.a);
    sarrus_dense_pinv_run(lanes, real_set((real_scalar)n_turns) + lanes->limit.max_rank, &pinv);
    lanes->found = pinv.lanes.found;
    lanes->found.rank = lanes->found.rank - real_set((real_scalar)n_turns);
    const real *lambda = lane_from(pinv.lanes.x, n_turns);
    sarrus_dense_times_transposed(lanes, lanes->jacobian, m, n, lambda, x);
    for (int32_t l = 0; l < n; ++l) {
        const real shift = (lane_at(lanes->force, l) - lane_at(x, l)) / lane_at(lanes->mass, l * (n + 1));
        lane_at(lanes->a, l) = sarrus_dense_is_turn(shape, l) ? lane_at(pinv.lanes.x, sarrus_dense_turn_of(shape, l)) : shift;
    }
    lanes->flops += n - n_turns;
    if (lanes->lambda)
        sarrus_dense_copy(lambda, m, lanes->lambda);
}

#endif

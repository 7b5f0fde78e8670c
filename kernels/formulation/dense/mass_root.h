/* R = M^{-1/2}, the symmetric root by the eigenvectors of each body's block (S1 22), and M⁻¹ = R R. */
#ifndef SARRUS_FORMULATION_DENSE_MASS_ROOT_H
#define SARRUS_FORMULATION_DENSE_MASS_ROOT_H

#include "kernels/formulation/dense/problem.h"

/* An eigenvalue of a block below this share of its largest one is round-off. */
#define SARRUS_DENSE_DEFINITE 1e-14

/* Lane arrays of the root of one body: of the mass, and of the block, row by row. */
LANE_FUNCTION int32_t sarrus_dense_root_size(const sarrus_dense_shape *shape) {
    const int32_t k = shape->block - shape->turn;
    return 1 + k * k;
}
LANE_FUNCTION real *sarrus_dense_root_take(const sarrus_dense_shape *shape, sarrus_dense_lanes *lanes) {
    return sarrus_dense_take(lanes, shape->n / shape->block * sarrus_dense_root_size(shape));
}

/* One of Jacobi's rotations: b [3][3] ← Gᵀ b G with b_pq = 0, v ← v G. */
LANE_BODY void sarrus_dense_rotate(int32_t p, int32_t q, real *b, real *v) {
    const real zero = real_set(0.0), one = real_set(1.0), off = b[3 * p + q];
    const real theta = (b[3 * q + q] - b[3 * p + p]) * real_inverse_or_zero(off + off);
    const real size = real_abs(theta) + real_sqrt(real_fma(theta, theta, one));
    real t = real_select(real_lt(theta, zero), -one / size, one / size);
    t = real_select(real_eq(off, zero), zero, t);
    const real c = one / real_sqrt(real_fma(t, t, one)), s = c * t;
    for (int32_t i = 0; i < 3; ++i) {
        const real x = b[3 * i + p], y = b[3 * i + q], z = v[3 * i + p], w = v[3 * i + q];
        b[3 * i + p] = c * x - s * y;
        b[3 * i + q] = s * x + c * y;
        v[3 * i + p] = c * z - s * w;
        v[3 * i + q] = s * z + c * w;
    }
    for (int32_t i = 0; i < 3; ++i) {
        const real x = b[3 * p + i], y = b[3 * q + i];
        b[3 * p + i] = c * x - s * y;
        b[3 * q + i] = s * x + c * y;
    }
}

/* root [3][3] ← V diag(w^{-1/2}) Vᵀ of a block of M at `at`; returns the lanes in which it is not definite. Jacobi's method
 * converges quadratically: six sweeps leave nothing beside the diagonal. */
LANE_BODY mask sarrus_dense_root_of_block(const real *mass, int32_t n, int32_t at, real *root) {
    real b[9], v[9], w[3];
    for (int32_t i = 0; i < 9; ++i) {
        b[i] = lane_at(mass, (at + i / 3) * n + at + i % 3);
        v[i] = real_set(i % 4 == 0 ? 1.0 : 0.0);
    }
    for (int32_t sweep = 0; sweep < 6; ++sweep) {
        sarrus_dense_rotate(0, 1, b, v);
        sarrus_dense_rotate(0, 2, b, v);
        sarrus_dense_rotate(1, 2, b, v);
    }
    const real largest = real_max(b[0], real_max(b[4], b[8])), least = real_min(b[0], real_min(b[4], b[8]));
    const mask is_definite = real_lt(largest * real_set(SARRUS_DENSE_DEFINITE), least);
    for (int32_t k = 0; k < 3; ++k)
        w[k] = real_set(1.0) / real_sqrt(real_select(is_definite, b[4 * k], real_set(1.0)));
    for (int32_t i = 0; i < 9; ++i) {
        real sum = real_set(0.0);
        for (int32_t k = 0; k < 3; ++k)
            sum = real_fma(v[3 * (i / 3) + k] * w[k], v[3 * (i % 3) + k], sum);
        lane_at(root, i) = sum;
    }
    return mask_not(is_definite);
}

/* root [n / block][root_size] ← R, and lanes->is_unsolvable where M has none. */
LANE_BODY void sarrus_dense_root_make(const sarrus_dense_shape *shape, sarrus_dense_lanes *lanes, real *root) {
    const real one = real_set(1.0), zero = real_set(0.0);
    const int32_t n = shape->n, size = sarrus_dense_root_size(shape);
    for (int32_t first = 0, at = 0; first < n; first += shape->block, at += size) {
        const real m = lane_at(lanes->mass, first * n + first);
        mask is_lacking = mask_not(real_lt(zero, m));
        lane_at(root, at) = one / real_sqrt(real_select(is_lacking, one, m));
        if (shape->block - shape->turn == 1) {
            const real i = lane_at(lanes->mass, (first + shape->turn) * (n + 1));
            is_lacking = mask_or(is_lacking, mask_not(real_lt(zero, i)));
            lane_at(root, at + 1) = one / real_sqrt(real_select(real_lt(zero, i), i, one));
        } else {
            is_lacking =
                mask_or(is_lacking, sarrus_dense_root_of_block(lanes->mass, n, first + shape->turn, lane_from(root, at + 1)));
        }
        lanes->is_unsolvable = mask_or(lanes->is_unsolvable, mask_and(lanes->active, is_lacking));
    }
}

/* out [n] ← R x; may be x. */
LANE_BODY void sarrus_dense_root_times(const sarrus_dense_shape *shape, sarrus_dense_lanes *lanes, const real *root, const real *x,
                                       real *out) {
    const int32_t n_turns = shape->block - shape->turn, size = sarrus_dense_root_size(shape);
    for (int32_t first = 0, at = 0; first < shape->n; first += shape->block, at += size) {
        real y[3];
        for (int32_t i = 0; i < n_turns; ++i) {
            y[i] = real_set(0.0);
            for (int32_t k = 0; k < n_turns; ++k)
                y[i] = real_fma(lane_at(root, at + 1 + i * n_turns + k), lane_at(x, first + shape->turn + k), y[i]);
        }
        for (int32_t k = 0; k < shape->turn; ++k)
            lane_at(out, first + k) = lane_at(root, at) * lane_at(x, first + k);
        for (int32_t i = 0; i < n_turns; ++i)
            lane_at(out, first + shape->turn + i) = y[i];
    }
    lanes->flops += (double)(shape->n / shape->block) * (shape->turn + 2 * n_turns * n_turns); /* plan */
}

/* d [m][n] ← J R. */
LANE_BODY void sarrus_dense_rows_weigh(const sarrus_dense_shape *shape, sarrus_dense_lanes *lanes, const real *root, real *d) {
    for (int32_t i = 0; i < shape->m; ++i)
        sarrus_dense_root_times(shape, lanes, root, lane_from(lanes->jacobian, i * shape->n), lane_from(d, i * shape->n));
}

/* a_f [n] ← M⁻¹F, y [m] ← J a_f − γ. */
LANE_BODY void sarrus_dense_free(const sarrus_dense_shape *shape, sarrus_dense_lanes *lanes, const real *root, real *a_f, real *y) {
    sarrus_dense_root_times(shape, lanes, root, lanes->force, a_f);
    sarrus_dense_root_times(shape, lanes, root, a_f, a_f);
    sarrus_dense_times(lanes, lanes->jacobian, shape->m, shape->n, a_f, y);
    sarrus_dense_subtract(lanes, y, lanes->gamma, shape->m, y);
}

/* a ← a_f − M⁻¹Jᵀλ; `x` [n] is scratch. */
LANE_BODY void sarrus_dense_push(const sarrus_dense_shape *shape, sarrus_dense_lanes *lanes, const real *root, const real *a_f,
                                 const real *lambda, real *x) {
    sarrus_dense_times_transposed(lanes, lanes->jacobian, shape->m, shape->n, lambda, x);
    sarrus_dense_root_times(shape, lanes, root, x, x);
    sarrus_dense_root_times(shape, lanes, root, x, x);
    sarrus_dense_subtract(lanes, a_f, x, shape->n, lanes->a);
}

#endif

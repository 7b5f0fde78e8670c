/* Varga's two QR factorisations (S5 eqs 20, 21):
 *
 *   A P = U [G1; 0],  G1ᵀ = V [G2ᵀ; 0],  X = P V [G2⁻¹ U1ᵀ B; 0]
 *
 * The first with column pivoting, cut at the rank that is decided on its diagonal; the second of the r rows that are left. G2 is
 * lower triangular, so nothing that belongs to a lane looks at rows beyond its rank: there, solutions are zero and reflections off.
 */
#ifndef SARRUS_PINV_VARGA_H
#define SARRUS_PINV_VARGA_H

#include "kernels/pinv/householder.h"

typedef struct sarrus_varga {
    sarrus_qr first;     /* of A */
    sarrus_qr second;    /* of G1ᵀ; its f [highest][height] becomes G2ᵀ and the reflections of V */
    int32_t n_columns;   /* of X */
    int32_t row, column; /* strides of y */
    int32_t highest;     /* rank in the tile */
    real rank;
    real *y; /* [n][n_columns] in these strides: U1ᵀ B, becomes Pᵀ X */
} sarrus_varga;

LANE_BODY size_t sarrus_pinv_varga_work(const sarrus_pinv_shape *shape) {
    const size_t m = (size_t)shape->m, n = (size_t)shape->n, height = m > n ? m : n;
    const size_t y = shape->is_explicit ? n * (size_t)sarrus_apart(shape->m) : height * (size_t)shape->n_rhs;
    return sarrus_qr_work(shape->m, shape->n) + 4 * (size_t)sarrus_qr_steps(shape->m, shape->n) + y;
}

/* Cuts the scratch up; G1ᵀ takes the place of A. */
LANE_FUNCTION void sarrus_varga_cut(const sarrus_pinv_shape *shape, const sarrus_pinv_lanes *lanes, sarrus_varga *at) {
    const int32_t m = shape->m, n = shape->n, steps = sarrus_qr_steps(m, n);
    at->second.size = sarrus_qr_cut(&at->first, m, n, lanes->a, lanes->work);
    at->second.inverse = lane_from(at->second.size, steps);
    at->second.head = lane_from(at->second.inverse, steps);
    at->second.beta = lane_from(at->second.head, steps);
    at->second.m = n;
    at->second.f = at->first.w;
    at->second.height = steps * sarrus_apart(n) <= n * at->first.apart ? sarrus_apart(n) : n; /* as far as w has room */
    at->y = lane_from(at->second.beta, steps);
    at->n_columns = sarrus_pinv_columns(shape);
    at->row = shape->is_explicit ? sarrus_apart(m) : 1;
    at->column = shape->is_explicit ? 1 : (m > n ? m : n);
    if (shape->is_explicit)
        return;
    at->first.b = at->y;
    at->first.height = at->column;
    at->first.n_rhs = shape->n_rhs;
    sarrus_qr_load_sides(&at->first, lanes->b);
}

/* G1ᵀ from R, by columns. */
LANE_BODY void sarrus_varga_turn(const sarrus_varga *at) {
    const int32_t m = at->first.m, n = at->first.n;
    for (int32_t i = 0; i < at->highest; ++i) {
        real *g = lane_from(at->second.f, i * at->second.height);
        for (int32_t j = 0; j < i; ++j)
            lane_at(g, j) = real_set(0.0);
        for (int32_t j = i; j < n; ++j)
            lane_at(g, j) = lane_at(at->first.f, j * m + i);
    }
}

/* G1ᵀ = V [G2ᵀ; 0], without pivoting. */
LANE_BODY void sarrus_varga_factor(const sarrus_varga *at) {
    const int32_t n = at->first.n;
    sarrus_qr_step step;
    for (int32_t k = 0; k < at->highest; ++k) {
        int32_t j = k + 1;
        step.k = k;
        step.x = lane_from(at->second.f, k * at->second.height);
        for (int32_t c = 0; c < 4; ++c)
            step.square[c] = real_set(0.0);
        for (int32_t i = k; i < n; ++i)
            step.square[(i - k) % 4] = real_fma(lane_at(step.x, i), lane_at(step.x, i), step.square[(i - k) % 4]);
        real corner = sarrus_qr_reflection(&at->second, &step);
        for (; j + 4 <= at->highest; j += 4)
            sarrus_qr_reflect(&at->second, &step, lane_from(at->second.f, j * at->second.height), 4);
        for (; j < at->highest; ++j)
            sarrus_qr_reflect(&at->second, &step, lane_from(at->second.f, j * at->second.height), 1);
        mask is_row = real_lt(real_set((real_scalar)k), at->rank);
        lane_at(at->second.beta, k) = real_select(is_row, lane_at(at->second.beta, k), real_set(0.0));
        lane_at(step.x, k) = corner;
    }
}

/* y ← [G2⁻¹ y; 0] for a group of columns. */
LANE_FUNCTION void sarrus_varga_solve(const sarrus_varga *at, real *y, const int32_t count) {
    const real zero = real_set(0.0);
    const int32_t n = at->first.n, row = at->row, column = at->column;
    for (int32_t i = 0; i < at->highest; ++i) {
        const real *g = lane_from(at->second.f, i * at->second.height);
        const mask is_row = real_lt(real_set((real_scalar)i), at->rank);
        real sum[8];
        for (int32_t c = 0; c < count; ++c)
            sum[c] = lane_at(y, i * row + c * column);
        for (int32_t j = 0; j < i; ++j) {
            const real factor = lane_at(g, j);
            for (int32_t c = 0; c < count; ++c)
                sum[c] = real_fnma(factor, lane_at(y, j * row + c * column), sum[c]);
        }
        for (int32_t c = 0; c < count; ++c) {
            sum[c] = real_fma(sum[c], lane_at(at->second.inverse, i), zero); /* + 0: never −0 */
            lane_at(y, i * row + c * column) = real_select(is_row, sum[c], zero);
        }
    }
    for (int32_t i = at->highest; i < n; ++i) {
        for (int32_t c = 0; c < count; ++c)
            lane_at(y, i * row + c * column) = zero;
    }
}

/* y ← V y for a group of columns: the reflections from the last to the first. */
LANE_FUNCTION void sarrus_varga_reflect(const sarrus_varga *at, real *y, const int32_t count) {
    const int32_t n = at->first.n, row = at->row, column = at->column;
    for (int32_t k = at->highest - 1; k >= 0; --k) {
        const real *v = lane_from(at->second.f, k * at->second.height);
        const real head = lane_at(at->second.head, k);
        real factor[8];
        for (int32_t c = 0; c < count; ++c)
            factor[c] = real_set(0.0);
        for (int32_t i = k + 1; i < n; ++i) {
            const real vi = lane_at(v, i);
            for (int32_t c = 0; c < count; ++c)
                factor[c] = real_fma(vi, lane_at(y, i * row + c * column), factor[c]);
        }
        for (int32_t c = 0; c < count; ++c) {
            real *own = lane_from(y, k * row + c * column);
            factor[c] = lane_at(at->second.beta, k) * real_fma(head, *own, factor[c]);
            *own = real_fnma(factor[c], head, *own);
        }
        for (int32_t i = k + 1; i < n; ++i) {
            const real vi = lane_at(v, i);
            for (int32_t c = 0; c < count; ++c)
                lane_at(y, i * row + c * column) = real_fnma(factor[c], vi, lane_at(y, i * row + c * column));
        }
    }
}

LANE_FUNCTION void sarrus_varga_finish(const sarrus_varga *at, int32_t q, const int32_t count) {
    real *y = lane_from(at->y, q * at->column);
    sarrus_varga_solve(at, y, count);
    sarrus_varga_reflect(at, y, count);
}

LANE_BODY void sarrus_pinv_varga(const sarrus_pinv_shape *shape, sarrus_pinv_lanes *lanes) {
    const int32_t m = shape->m, n = shape->n, steps = sarrus_qr_steps(m, n);
    sarrus_varga at;
    int32_t lowest = 0, q = 0;
    sarrus_varga_cut(shape, lanes, &at);
    const real scale = sarrus_qr_load_scaled(&at.first, lanes->a, lanes->active);
    sarrus_qr_factor(&at.first);
    lanes->limit.unit = scale;
    lanes->found = sarrus_rank_decide(&shape->rule, &lanes->limit, m, n, at.first.size, 1, steps);
    lanes->n_sweeps = real_set(0.0);
    at.rank = lanes->found.rank;
    sarrus_rank_range(lanes->active, at.rank, steps, &lowest, &at.highest);
    sarrus_varga_turn(&at);
    sarrus_varga_factor(&at);
    if (shape->is_explicit)
        sarrus_qr_form(&at.first, at.highest, at.y, at.row);
    for (; q + 8 <= at.n_columns; q += 8)
        sarrus_varga_finish(&at, q, 8);
    for (; q + 4 <= at.n_columns; q += 4)
        sarrus_varga_finish(&at, q, 4);
    for (; q < at.n_columns; ++q)
        sarrus_varga_finish(&at, q, 1);
    if (shape->is_explicit)
        sarrus_qr_restore(&at.first, at.n_columns, at.y, at.row, scale, lanes->x);
    for (q = 0; !shape->is_explicit && q < at.n_columns; ++q)
        sarrus_qr_restore_column(&at.first, lane_from(at.y, q * at.column), scale, lane_from(lanes->x, q), at.n_columns);
}

LANE_BODY double sarrus_pinv_varga_flops(const sarrus_pinv_shape *shape, int32_t rank, double n_sweeps) { /* plan */
    (void)n_sweeps;
    const int32_t m = shape->m, n = shape->n, columns = sarrus_pinv_columns(shape);
    real_scalar flops = sarrus_qr_flops(m, n, shape->is_explicit ? 0 : shape->n_rhs, rank);
    if (shape->is_explicit)
        flops += sarrus_qr_form_flops(m, sarrus_qr_steps(m, n), rank);
    for (int32_t k = 0; k < rank; ++k) {
        flops += 6.0 + 2.0 * (n - k) + (rank - 1.0 - k) * (4.0 * (n - k) + 2.0);
        flops += columns * (2.0 * k + 2.0 + 4.0 * (n - k - 1) + 5.0);
    }
    return flops + 1.0 * columns * n;
}

#endif

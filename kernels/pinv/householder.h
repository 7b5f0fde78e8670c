/* Least squares by Householder QR with column pivoting and the complete orthogonal decomposition (S5 eqs 12 to 17; dgelsy's
 * mathematics):
 *
 *   A P = Q [R11 R12; 0 0],  [R11 R12] = [T 0] Z,  X = P Zᵀ [T⁻¹ Q1ᵀ B; 0]
 *
 * with R11 of the rank that is decided on |R_kk|, and Z reflections from the right: the last row first, each clears its part of
 * R12. A lane that lacks one of n has a single null vector, z = [R11⁻¹ R12; −1], and needs no Z:
 *
 *   y = [R11⁻¹ Q1ᵀ B; 0],   X = P (y − z (zᵀ y) / (zᵀ z))
 *
 * where column pivoting keeps z below 2^r. Apply carries B along (Q is never formed); explicit forms Q1 and has Q1ᵀ in its place.
 * Ranks differ between lanes: row i belongs to a lane where i < r, column j to its R12 where j ≥ r; R12 is kept apart with zeros
 * for what is not, and only the columns from the smallest rank of the tile on have one. Sums begin at +0 and so stay: a zero more
 * does not change them. */
#ifndef SARRUS_PINV_HOUSEHOLDER_H
#define SARRUS_PINV_HOUSEHOLDER_H

#include "kernels/pinv/qr_form.h"
#include "kernels/pinv/qr_restore.h"

typedef struct sarrus_householder {
    sarrus_qr qr;
    int32_t n_columns;       /* of X */
    int32_t row, column;     /* strides of y: one row to the next, one column to the next */
    int32_t highest;         /* largest rank in the tile */
    int32_t lowest;          /* smallest rank in the tile of lanes that need Z, n when none does */
    int32_t has_single;      /* some lane has a single null vector */
    mask is_single, is_wide; /* r = n − 1; r < n − 1: needs Z */
    real rank;
    real *y;    /* [n][n_columns] in these strides: Q1ᵀ B, becomes Pᵀ X */
    real *tail; /* [n][min(m, n)] by columns from `lowest` on: R12, becomes the reflections of Z */
    real *head; /* [min(m, n)] entry i of the reflection that clears row i */
    real *beta; /* [min(m, n)] */
    real *null; /* [n] z without its last entry, −1 */
    real null2; /* 1 / zᵀz */
} sarrus_householder;

/* The smallest and the largest rank among the lanes that count. */
LANE_FUNCTION void sarrus_rank_range(mask active, real rank, int32_t steps, int32_t *lowest, int32_t *highest) {
    *lowest = *highest = steps;
    while (*highest > 0 && !mask_any(mask_and(active, real_lt(real_set((real_scalar)(*highest - 1)), rank))))
        --*highest;
    while (*lowest > 0 && mask_any(mask_and(active, real_lt(rank, real_set((real_scalar)*lowest)))))
        --*lowest;
}

/* Column j from `lowest` on of the tail. */
LANE_FUNCTION real *sarrus_householder_tail(const sarrus_householder *at, int32_t j) {
    return lane_from(at->tail, (j - at->lowest) * sarrus_qr_steps(at->qr.m, at->qr.n));
}

/* Copies R12 of every lane into the tail, zeros elsewhere. */
LANE_BODY void sarrus_householder_split(const sarrus_householder *at) {
    const real zero = real_set(0.0);
    for (int32_t j = at->lowest; j < at->qr.n; ++j) {
        real *tail = sarrus_householder_tail(at, j);
        const real *r = lane_from(at->qr.f, j * at->qr.m);
        mask is_beyond = mask_and(at->is_wide, real_le(at->rank, real_set((real_scalar)j)));
        for (int32_t i = 0; i < at->highest; ++i) {
            mask is_row = real_lt(real_set((real_scalar)i), at->rank);
            lane_at(tail, i) = real_select(mask_and(is_row, is_beyond), lane_at(r, i), zero);
        }
    }
}

/* The reflection i on rows l … l + count − 1 (l < i) of R, where `on`. */
LANE_FUNCTION void sarrus_householder_rows(const sarrus_householder *at, int32_t i, int32_t l, mask on, const int32_t count) {
    real factor[4], head = lane_at(at->head, i), *r = lane_from(at->qr.f, i * at->qr.m + l);
    for (int32_t c = 0; c < count; ++c)
        factor[c] = real_set(0.0);
    for (int32_t j = at->lowest; j < at->qr.n; ++j) {
        const real *tail = sarrus_householder_tail(at, j);
        for (int32_t c = 0; c < count; ++c)
            factor[c] = real_fma(lane_at(tail, i), lane_at(tail, l + c), factor[c]);
    }
    for (int32_t c = 0; c < count; ++c) {
        factor[c] = lane_at(at->beta, i) * real_fma(head, lane_at(r, c), factor[c]);
        lane_at(r, c) = real_select(on, real_fnma(factor[c], head, lane_at(r, c)), lane_at(r, c));
    }
    for (int32_t j = at->lowest; j < at->qr.n; ++j) {
        real *tail = sarrus_householder_tail(at, j);
        for (int32_t c = 0; c < count; ++c) {
            real x = lane_at(tail, l + c);
            lane_at(tail, l + c) = real_select(on, real_fnma(factor[c], lane_at(tail, i), x), x);
        }
    }
}

/* Clears row i of R12 in the lanes that have one: R ← R (I − β v vᵀ), v = (R_ii + sign(R_ii) |row|) e_i + row i of R12. */
LANE_FUNCTION void sarrus_householder_clear(const sarrus_householder *at, int32_t i) {
    const real zero = real_set(0.0), one = real_set(1.0);
    real *corner = lane_from(at->qr.f, i * at->qr.m + i), top = *corner, norm2 = top * top;
    mask on = mask_and(real_lt(real_set((real_scalar)i), at->rank), at->is_wide);
    for (int32_t j = at->lowest; j < at->qr.n; ++j) {
        real x = lane_at(sarrus_householder_tail(at, j), i);
        norm2 = real_fma(x, x, norm2);
    }
    real safe = real_select(on, norm2, one), inverse = real_rsqrt(safe), norm = safe * inverse;
    mask is_negative = real_lt(top, zero);
    real shift = real_select(is_negative, -norm, norm);
    lane_at(at->head, i) = top + shift;
    lane_at(at->beta, i) = real_select(on, one / real_fma(real_abs(top), norm, safe), zero);
    *corner = real_select(on, -shift, top);
    lane_at(at->qr.inverse, i) = real_select(on, real_select(is_negative, inverse, -inverse), lane_at(at->qr.inverse, i));
    int32_t l = 0;
    for (; l + 4 <= i; l += 4)
        sarrus_householder_rows(at, i, l, on, 4);
    for (; l < i; ++l)
        sarrus_householder_rows(at, i, l, on, 1);
}

/* y_i = (b_i − Σ_{j > i} T_ij y_j) / T_ii for the right sides of one group; rows beyond the rank become 0. */
LANE_FUNCTION void sarrus_householder_solve(const sarrus_householder *at, real *y, int32_t i, const int32_t count) {
    const int32_t m = at->qr.m;
    real sum[8];
    mask is_row = real_lt(real_set((real_scalar)i), at->rank);
    for (int32_t c = 0; c < count; ++c)
        sum[c] = lane_at(y, i * at->row + c);
    for (int32_t j = at->highest - 1; j > i; --j) {
        real t = lane_at(at->qr.f, j * m + i);
        for (int32_t c = 0; c < count; ++c)
            sum[c] = real_fnma(t, lane_at(y, j * at->row + c), sum[c]);
    }
    for (int32_t c = 0; c < count; ++c) {
        sum[c] = real_fma(sum[c], lane_at(at->qr.inverse, i), real_set(0.0)); /* + 0: never −0 */
        lane_at(y, i * at->row + c) = real_select(is_row, sum[c], real_set(0.0));
    }
}

/* The same for rows i … i + 3 of four right sides: what comes from the rows below them is summed together, each entry of T and of y
 * loaded once for four operations. The sums have the order of single rows, and so their bits. */
LANE_FUNCTION void sarrus_householder_solve_block(const sarrus_householder *at, real *y, int32_t i) {
    const int32_t m = at->qr.m;
    real sum[4][4];
    for (int32_t r = 0; r < 4; ++r) {
        for (int32_t c = 0; c < 4; ++c)
            sum[r][c] = lane_at(y, (i + r) * at->row + c);
    }
    for (int32_t j = at->highest - 1; j > i + 3; --j) {
        const real *t = lane_from(at->qr.f, j * m + i), *own = lane_from(y, j * at->row);
        for (int32_t r = 0; r < 4; ++r) {
            for (int32_t c = 0; c < 4; ++c)
                sum[r][c] = real_fnma(lane_at(t, r), lane_at(own, c), sum[r][c]);
        }
    }
    for (int32_t r = 3; r >= 0; --r) {
        const mask is_row = real_lt(real_set((real_scalar)(i + r)), at->rank);
        for (int32_t c = 0; c < 4; ++c) {
            const real found = real_fma(sum[r][c], lane_at(at->qr.inverse, i + r), real_set(0.0));
            sum[r][c] = real_select(is_row, found, real_set(0.0));
            lane_at(y, (i + r) * at->row + c) = sum[r][c];
        }
        for (int32_t l = 0; l < r; ++l) {
            const real t = lane_at(at->qr.f, (i + r) * m + i + l);
            for (int32_t c = 0; c < 4; ++c)
                sum[l][c] = real_fnma(t, sum[r][c], sum[l][c]);
        }
    }
}

/* The same for one contiguous right side, which is updated below the diagonal as soon as an entry is known. */
LANE_FUNCTION void sarrus_householder_solve_entry(const sarrus_householder *at, real *y, int32_t i) {
    const real *t = lane_from(at->qr.f, i * at->qr.m);
    mask is_row = real_lt(real_set((real_scalar)i), at->rank);
    real found = real_fma(lane_at(y, i), lane_at(at->qr.inverse, i), real_set(0.0));
    found = real_select(is_row, found, real_set(0.0));
    lane_at(y, i) = found;
    for (int32_t l = 0; l < i; ++l)
        lane_at(y, l) = real_fnma(lane_at(t, l), found, lane_at(y, l));
}

/* y ← Zᵀ y for a group of columns. */
LANE_FUNCTION void sarrus_householder_turn(const sarrus_householder *at, real *y, const int32_t count) {
    for (int32_t i = 0; i < at->highest; ++i) {
        real factor[8], head = lane_at(at->head, i), *own = lane_from(y, i * at->row);
        mask on = mask_and(real_lt(real_set((real_scalar)i), at->rank), at->is_wide);
        for (int32_t c = 0; c < count; ++c)
            factor[c] = real_set(0.0);
        for (int32_t j = at->lowest; j < at->qr.n; ++j) {
            real t = lane_at(sarrus_householder_tail(at, j), i);
            for (int32_t c = 0; c < count; ++c)
                factor[c] = real_fma(t, lane_at(y, j * at->row + c * at->column), factor[c]);
        }
        for (int32_t c = 0; c < count; ++c) {
            real x = lane_at(own, c * at->column);
            factor[c] = lane_at(at->beta, i) * real_fma(head, x, factor[c]);
            lane_at(own, c * at->column) = real_select(on, real_fnma(factor[c], head, x), x);
        }
        for (int32_t j = at->lowest; j < at->qr.n; ++j) {
            real t = lane_at(sarrus_householder_tail(at, j), i);
            mask is_tail = mask_and(on, real_le(at->rank, real_set((real_scalar)j)));
            for (int32_t c = 0; c < count; ++c) {
                real *x = lane_from(y, j * at->row + c * at->column);
                *x = real_select(is_tail, real_fnma(factor[c], t, *x), *x);
            }
        }
    }
}

/* R12 of the lanes with a single null vector, on which T⁻¹ is to work. */
LANE_FUNCTION void sarrus_householder_null_begin(const sarrus_householder *at) {
    const real *r = lane_from(at->qr.f, (at->qr.n - 1) * at->qr.m);
    for (int32_t i = 0; i < at->qr.n - 1; ++i)
        lane_at(at->null, i) = lane_at(r, i);
}

/* 1 / zᵀz, once T⁻¹ R12 is known. */
LANE_FUNCTION void sarrus_householder_null_end(sarrus_householder *at) {
    real sum = real_set(1.0), other = real_set(0.0);
    int32_t i = 0;
    for (; i + 2 < at->qr.n; i += 2) {
        sum = real_fma(lane_at(at->null, i), lane_at(at->null, i), sum);
        other = real_fma(lane_at(at->null, i + 1), lane_at(at->null, i + 1), other);
    }
    if (i < at->qr.n - 1)
        sum = real_fma(lane_at(at->null, i), lane_at(at->null, i), sum);
    at->null2 = real_set(1.0) / (sum + other);
}

/* y ← y − z (zᵀ y) / (zᵀ z) for a group of columns whose last entry is 0. */
LANE_FUNCTION void sarrus_householder_null_remove(const sarrus_householder *at, real *y, const int32_t count) {
    real factor[8];
    const int32_t last = at->qr.n - 1;
    for (int32_t c = 0; c < count; ++c)
        factor[c] = real_set(0.0);
    for (int32_t j = 0; j < last; ++j) {
        const real z = lane_at(at->null, j);
        for (int32_t c = 0; c < count; ++c)
            factor[c] = real_fma(z, lane_at(y, j * at->row + c * at->column), factor[c]);
    }
    for (int32_t c = 0; c < count; ++c) {
        real *end = lane_from(y, last * at->row + c * at->column);
        factor[c] = factor[c] * at->null2;
        *end = real_select(at->is_single, factor[c], *end);
    }
    for (int32_t j = 0; j < last; ++j) {
        const real z = lane_at(at->null, j);
        for (int32_t c = 0; c < count; ++c) {
            real *x = lane_from(y, j * at->row + c * at->column);
            *x = real_select(at->is_single, real_fnma(factor[c], z, *x), *x);
        }
    }
}

LANE_BODY size_t sarrus_pinv_householder_work(const sarrus_pinv_shape *shape) {
    const size_t m = (size_t)shape->m, n = (size_t)shape->n, steps = (size_t)sarrus_qr_steps(shape->m, shape->n);
    const size_t height = m > n ? m : n, rhs = shape->is_explicit ? 0 : height * (size_t)shape->n_rhs;
    return sarrus_qr_work(shape->m, shape->n) + n * steps + 2 * steps + n + rhs;
}

/* Cuts the scratch up. Explicit: y takes the place of w, which the factorisation leaves behind. */
LANE_FUNCTION void sarrus_householder_cut(const sarrus_pinv_shape *shape, const sarrus_pinv_lanes *lanes, sarrus_householder *at) {
    const int32_t m = shape->m, n = shape->n, steps = sarrus_qr_steps(m, n);
    at->tail = sarrus_qr_cut(&at->qr, m, n, lanes->a, lanes->work);
    at->head = lane_from(at->tail, n * steps);
    at->beta = lane_from(at->head, steps);
    at->null = lane_from(at->beta, steps);
    at->n_columns = sarrus_pinv_columns(shape);
    if (shape->is_explicit) {
        at->y = at->qr.w;
        at->row = at->qr.apart;
        at->column = 1;
        return;
    }
    at->y = at->qr.b = lane_from(at->null, n);
    at->row = 1;
    at->column = at->qr.height = m > n ? m : n;
    at->qr.n_rhs = shape->n_rhs;
    sarrus_qr_load_sides(&at->qr, lanes->b);
}

/* Rows from the largest rank on are nothing but zeros so far. */
LANE_FUNCTION void sarrus_householder_blank(const sarrus_householder *at) {
    for (int32_t j = at->highest; j < at->qr.n; ++j) {
        for (int32_t q = 0; q < at->n_columns; ++q)
            lane_at(at->y, j * at->row + q * at->column) = real_set(0.0);
    }
}

/* y ← Zᵀ [T⁻¹ y; 0] of the explicit form, a few columns at a time. */
LANE_FUNCTION void sarrus_householder_finish(const sarrus_householder *at, real *y, const int32_t count) {
    int32_t i = at->highest - 1;
    for (; i >= 3 && count >= 4; i -= 4) {
        for (int32_t c = 0; c + 4 <= count; c += 4)
            sarrus_householder_solve_block(at, lane_from(y, c), i - 3);
    }
    for (; i >= 0; --i)
        sarrus_householder_solve(at, y, i, count);
    if (at->has_single)
        sarrus_householder_null_remove(at, y, count);
    if (at->lowest < at->qr.n)
        sarrus_householder_turn(at, y, count);
}

LANE_FUNCTION void sarrus_householder_explicit(sarrus_householder *at) {
    int32_t q = 0;
    sarrus_qr_form(&at->qr, at->highest, at->y, at->row);
    sarrus_householder_blank(at);
    if (at->has_single) {
        sarrus_householder_null_begin(at);
        for (int32_t i = at->qr.n - 2; i >= 0; --i)
            sarrus_householder_solve_entry(at, at->null, i);
        sarrus_householder_null_end(at);
    }
    for (int32_t i = at->highest - 1; at->lowest < at->qr.n && i >= 0; --i)
        sarrus_householder_clear(at, i);
    for (; q + 8 <= at->n_columns; q += 8)
        sarrus_householder_finish(at, lane_from(at->y, q), 8);
    for (; q + 4 <= at->n_columns; q += 4)
        sarrus_householder_finish(at, lane_from(at->y, q), 4);
    for (; q < at->n_columns; ++q)
        sarrus_householder_finish(at, lane_from(at->y, q), 1);
}

/* The triangle is solved while Z is found: one waits for its square roots, the other has work to do. */
LANE_FUNCTION void sarrus_householder_apply(sarrus_householder *at) {
    int32_t q = 0;
    if (at->has_single)
        sarrus_householder_null_begin(at);
    for (int32_t i = at->highest - 1; i >= 0; --i) {
        if (at->has_single && i < at->qr.n - 1)
            sarrus_householder_solve_entry(at, at->null, i);
        if (at->lowest < at->qr.n)
            sarrus_householder_clear(at, i);
        for (q = 0; q < at->n_columns; ++q)
            sarrus_householder_solve_entry(at, lane_from(at->y, q * at->column), i);
    }
    sarrus_householder_blank(at);
    if (at->has_single) {
        sarrus_householder_null_end(at);
        for (q = 0; q < at->n_columns; ++q)
            sarrus_householder_null_remove(at, lane_from(at->y, q * at->column), 1);
    }
    if (at->lowest == at->qr.n)
        return;
    for (q = 0; q + 4 <= at->n_columns; q += 4)
        sarrus_householder_turn(at, lane_from(at->y, q * at->column), 4);
    for (; q < at->n_columns; ++q)
        sarrus_householder_turn(at, lane_from(at->y, q * at->column), 1);
}

/* X ← P y, unscaled. */
LANE_FUNCTION void sarrus_householder_store(const sarrus_householder *at, const sarrus_pinv_shape *shape, real scale, real *x) {
    if (shape->is_explicit) {
        sarrus_qr_restore(&at->qr, at->n_columns, at->y, at->row, scale, x);
        return;
    }
    for (int32_t q = 0; q < at->n_columns; ++q)
        sarrus_qr_restore_column(&at->qr, lane_from(at->y, q * at->column), scale, lane_from(x, q), at->n_columns);
}

LANE_BODY void sarrus_pinv_householder(const sarrus_pinv_shape *shape, sarrus_pinv_lanes *lanes) {
    const int32_t m = shape->m, n = shape->n, steps = sarrus_qr_steps(m, n);
    sarrus_householder at;
    sarrus_householder_cut(shape, lanes, &at);
    const real scale = sarrus_qr_load_scaled(&at.qr, lanes->a, lanes->active);
    sarrus_qr_factor(&at.qr);
    lanes->limit.unit = scale;
    lanes->found = sarrus_rank_decide(&shape->rule, &lanes->limit, m, n, at.qr.size, 1, steps);
    lanes->n_sweeps = real_set(0.0);
    at.rank = lanes->found.rank;
    at.is_single = real_eq(at.rank, real_set((real_scalar)(n - 1)));
    at.is_wide = real_lt(at.rank, real_set((real_scalar)(n - 1)));
    at.has_single = mask_any(mask_and(lanes->active, at.is_single));
    sarrus_rank_range(lanes->active, at.rank, steps, &at.lowest, &at.highest);
    if (!mask_any(mask_and(lanes->active, at.is_wide)))
        at.lowest = n;
    sarrus_householder_split(&at);
    if (shape->is_explicit)
        sarrus_householder_explicit(&at);
    else
        sarrus_householder_apply(&at);
    sarrus_householder_store(&at, shape, scale, lanes->x);
}

LANE_BODY double sarrus_pinv_householder_flops(const sarrus_pinv_shape *shape, int32_t rank, double n_sweeps) { /* plan */
    (void)n_sweeps;
    const int32_t m = shape->m, n = shape->n, columns = sarrus_pinv_columns(shape);
    const real_scalar r = rank, cut = n - rank, below = 0.5 * r * (r - 1.0);
    real_scalar flops = sarrus_qr_flops(m, n, shape->is_explicit ? 0 : shape->n_rhs, rank);
    if (shape->is_explicit)
        flops += sarrus_qr_form_flops(m, sarrus_qr_steps(m, n), rank);
    if (rank == n - 1)
        flops += 2.0 * below + 2.0 * r + (2.0 * r + 1.0) + columns * (4.0 * r + 1.0);
    if (rank < n - 1)
        flops += r * (5.0 + 2.0 * cut) + below * (5.0 + 4.0 * cut) + columns * r * (5.0 + 4.0 * cut);
    return flops + columns * (2.0 * r + 2.0 * below + n);
}

#endif

/* Cholesky with complete pivoting of S = A Aᵀ (m ≤ n; S5 eq 11, 30) or Aᵀ A (m > n; S5 eq 6), cut at the rank:
 * S ≈ L Lᵀ, L [p][r].
 *
 *   at step k the largest remaining diagonal entry d_i is the pivot,   l_ik = (S_i,pivot − Σ_{j<k} l_ij l_pivot,j) / √d_pivot,
 *   d_i ← d_i − l_ik²
 *
 * The rank is decided on √d_pivot. Rows stay where they are: a lane's pivot row of S and of L is read by selections, and L comes
 * out with its rows in the order of A's. A⁺ follows by gram_factor.h. */
#ifndef SARRUS_PINV_CHOLESKY_H
#define SARRUS_PINV_CHOLESKY_H

#include "kernels/pinv/gram_factor.h"

/* Up to so many rows a pivot's row is read by selections among all. */
enum { SARRUS_CHOLESKY_FEW = 16 };

LANE_BODY size_t sarrus_pinv_cholesky_work(const sarrus_pinv_shape *shape) {
    sarrus_gram_factor g;
    return sarrus_gram_factor_place(shape, (real *)0, &g);
}

/* Rows that are the pivot of some lane; all of few rows, where looking costs more. */
typedef struct sarrus_cholesky_rows {
    int32_t count, at[(LANE_WIDTH > SARRUS_CHOLESKY_FEW ? LANE_WIDTH : SARRUS_CHOLESKY_FEW) + 1];
} sarrus_cholesky_rows;

LANE_BODY void sarrus_cholesky_look(int32_t p, real pivot, sarrus_cholesky_rows *rows) {
    rows->count = 0;
    for (int32_t i = 0; i < p; ++i) {
        rows->at[rows->count] = i;
        rows->count += p <= SARRUS_CHOLESKY_FEW || mask_any(real_eq(pivot, real_set((real_scalar)i))) ? 1 : 0;
    }
}

/* to[w] ← element w of the row `pivot` of from, whose rows are `apart`, `width` of them. */
LANE_FUNCTION void sarrus_cholesky_gather(const sarrus_cholesky_rows *rows, const real *from, int32_t apart, real pivot, real *to,
                                          int32_t width) {
    real x[8];
    for (int32_t w = 0; w < width; ++w)
        x[w] = lane_at(from, rows->at[0] * apart + w);
    for (int32_t r = 1; r < rows->count; ++r) {
        const int32_t i = rows->at[r];
        mask here = real_eq(pivot, real_set((real_scalar)i));
        for (int32_t w = 0; w < width; ++w)
            x[w] = real_select(here, lane_at(from, i * apart + w), x[w]);
    }
    for (int32_t w = 0; w < width; ++w)
        lane_at(to, w) = x[w];
}

LANE_BODY void sarrus_cholesky_gather_row(const sarrus_cholesky_rows *rows, const real *from, int32_t apart, real pivot, real *to,
                                          int32_t count) {
    int32_t j = 0;
    for (; j + 8 <= count; j += 8)
        sarrus_cholesky_gather(rows, lane_from(from, j), apart, pivot, lane_from(to, j), 8);
    for (; j + 4 <= count; j += 4)
        sarrus_cholesky_gather(rows, lane_from(from, j), apart, pivot, lane_from(to, j), 4);
    for (; j < count; ++j)
        sarrus_cholesky_gather(rows, lane_from(from, j), apart, pivot, lane_from(to, j), 1);
}

/* Column k of L for rows i … i + width − 1, and what it leaves of the diagonal; rows that were pivots before get 0. */
LANE_FUNCTION void sarrus_cholesky_column(const sarrus_gram_factor *g, int32_t k, int32_t i, int32_t width, real pivot,
                                          real inverse) {
    const int32_t apart = g->row_apart;
    const real zero = real_set(0.0), *own = lane_from(g->row, g->p);
    real *row = lane_from(g->l, i * apart);
    real x[4];
    for (int32_t w = 0; w < width; ++w)
        x[w] = lane_at(g->row, i + w);
    for (int32_t j = 0; j < k; ++j) {
        real y = lane_at(own, j);
        for (int32_t w = 0; w < width; ++w)
            x[w] = real_fnma(y, lane_at(row, w * apart + j), x[w]);
    }
    for (int32_t w = 0; w < width; ++w) {
        real rest = lane_at(g->rest, i + w);
        mask here = mask_and(real_eq(pivot, real_set((real_scalar)(i + w))), real_lt(zero, inverse));
        real l = real_select(here, rest, x[w]) * inverse;
        l = real_select(real_lt(rest, zero), zero, l);
        lane_at(row, w * apart + k) = l;
        real left = real_max(real_fnma(l, l, rest), zero);
        left = real_select(mask_or(here, real_lt(rest, zero)), real_set(-1.0), left);
        lane_at(g->rest, i + w) = left;
    }
}

/* L and its sizes; g->c is the number of steps that some lane has taken. */
LANE_BODY void sarrus_cholesky_factor(sarrus_gram_factor *g, const sarrus_pinv_shape *shape, const sarrus_pinv_lanes *lanes) {
    const int32_t p = g->p, apart = g->row_apart;
    const real zero = real_set(0.0);
    mask open = lanes->active;
    for (int32_t i = 0; i < p; ++i)
        lane_at(g->rest, i) = lane_at(g->s, i * apart + i);
    for (g->c = 0; g->c < p; ++g->c) {
        const int32_t k = g->c;
        real best = zero, pivot = zero, entry = zero;
        for (int32_t i = 0; i < p; ++i) {
            mask larger = real_lt(best, lane_at(g->rest, i));
            best = real_select(larger, lane_at(g->rest, i), best);
            entry = real_select(larger, lane_at(g->s, i * apart + i), entry);
            pivot = real_select(larger, real_set((real_scalar)i), pivot);
        }
        mask exact = mask_and(open, real_lt(sarrus_gram_floor(g, entry), best));
        real inverse = sarrus_inverse_length(exact, best), size = best * inverse;
        if (k > 0)
            size = real_select(real_lt(lane_at(g->size, k - 1), size), lane_at(g->size, k - 1), size);
        lane_at(g->size, k) = size;
        open = mask_and(open, sarrus_size_counts(&shape->rule, &lanes->limit, shape->m, shape->n, g->size, k));
        if (!mask_any(open))
            break;
        inverse = real_select(open, inverse, zero);
        sarrus_cholesky_rows rows;
        sarrus_cholesky_look(p, pivot, &rows);
        sarrus_cholesky_gather_row(&rows, g->s, apart, pivot, g->row, p);
        sarrus_cholesky_gather_row(&rows, g->l, apart, pivot, lane_from(g->row, p), k);
        int32_t i = 0;
        for (; i + 4 <= p; i += 4)
            sarrus_cholesky_column(g, k, i, 4, pivot, inverse);
        for (; i < p; ++i)
            sarrus_cholesky_column(g, k, i, 1, pivot, inverse);
    }
    for (int32_t k = g->c + 1; k < p; ++k)
        lane_at(g->size, k) = zero;
}

LANE_BODY void sarrus_pinv_cholesky(const sarrus_pinv_shape *shape, sarrus_pinv_lanes *lanes) {
    const real zero = real_set(0.0);
    sarrus_gram_factor g;
    sarrus_gram_factor_place(shape, lanes->work, &g);
    const real scale = sarrus_pinv_scale(lanes->a, shape->m * shape->n);
    lanes->limit.unit = scale;
    lanes->n_sweeps = zero;
    sarrus_gram_factor_form(&g, shape, lanes->a);
    sarrus_cholesky_factor(&g, shape, lanes);
    lanes->found = sarrus_rank_decide(&shape->rule, &lanes->limit, shape->m, shape->n, g.size, 1, g.p);
    for (int32_t k = 0; k < g.c; ++k) {
        mask counts = real_lt(real_set((real_scalar)k), lanes->found.rank);
        for (int32_t i = 0; i < g.p; ++i)
            lane_at(g.l, i * g.row_apart + k) = real_select(counts, lane_at(g.l, i * g.row_apart + k), zero);
    }
    g.triangle = mask_none();
    g.any_triangle = 0;
    g.any_other = 1;
    sarrus_gram_factor_finish(&g, shape, lanes);
}

LANE_BODY double sarrus_pinv_cholesky_flops(const sarrus_pinv_shape *shape, int32_t rank, double n_sweeps) { /* plan */
    (void)n_sweeps;
    const int32_t m = shape->m, n = shape->n, p = m < n ? m : n, length = m < n ? n : m;
    double sum = 1.0 * m * n + sarrus_gram_factor_form_flops(p, length); /* plan */
    sum += sarrus_sizes_flops(&shape->rule, rank, p) + 2.0 * (rank < p ? rank + 1 : p) + sarrus_decide_flops(&shape->rule, p);
    for (int32_t k = 0; k < rank; ++k)
        sum += p * (2.0 * k + 3.0);
    return sum + sarrus_gram_factor_finish_flops(shape, rank, 0);
}

#endif

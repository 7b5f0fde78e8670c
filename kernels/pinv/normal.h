/* Normal equations (S5 eqs 6, 11, 30), a warning example:  A⁺ = Aᵀ (A Aᵀ)⁺ (m ≤ n), (Aᵀ A)⁺ Aᵀ (m > n), by a Cholesky
 * without pivoting.
 *
 *   l_kk² = S_kk − Σ_{j<k} l_kj²,   l_ik = (S_ik − Σ_{j<k} l_ij l_kj) / l_kk
 *
 * A row (or column, m > n) whose l_kk is not above the threshold of the rule for x₁ = the longest row, or is round-off, is left
 * out: it has no column of L, but entries in those of the rows before. Rules that must see all rows first decide on row_order.h; a
 * row left out may then come before the rows that it depends on, and has entries in their columns too. Either way S = L Lᵀ when the
 * dependence is exact, and gram_factor.h gives the Moore-Penrose inverse. */
#ifndef SARRUS_PINV_NORMAL_H
#define SARRUS_PINV_NORMAL_H

#include "kernels/pinv/gram_factor.h"

LANE_BODY size_t sarrus_pinv_normal_work(const sarrus_pinv_shape *shape) {
    sarrus_gram_factor g;
    size_t order = sarrus_row_order_is_needed(&shape->rule) ? 1 : 0;
    size_t used = sarrus_gram_factor_place(shape, (real *)0, &g);
    return used + order * sarrus_row_order_work(g.p, g.length);
}

/* Column k of L for rows i … i + width − 1 in the lanes of `on`, 0 elsewhere. */
LANE_FUNCTION void sarrus_normal_column(const sarrus_gram_factor *g, int32_t k, int32_t i, int32_t width, mask on) {
    const int32_t apart = g->row_apart;
    const real *own = lane_from(g->l, k * apart);
    real *row = lane_from(g->l, i * apart);
    const real inverse = lane_at(g->inverse, k);
    real x[4];
    for (int32_t w = 0; w < width; ++w)
        x[w] = lane_at(g->s, (i + w) * apart + k);
    for (int32_t j = 0; j < k; ++j) {
        real y = lane_at(own, j);
        for (int32_t w = 0; w < width; ++w)
            x[w] = real_fnma(y, lane_at(row, w * apart + j), x[w]);
    }
    for (int32_t w = 0; w < width; ++w)
        lane_at(row, w * apart + k) = real_select(on, x[w] * inverse, real_set(0.0));
}

/* Squared pivot k, which is what the rows before leave of S_kk, and the round-off in it: that of S_kk, and what each pivot before,
 * itself inexact, hands on. Cancellation against small pivots makes it grow. */
LANE_FUNCTION real sarrus_normal_pivot(const sarrus_gram_factor *g, int32_t k, real *noise) {
    const real *own = lane_from(g->l, k * g->row_apart);
    real d = lane_at(g->s, k * g->row_apart + k);
    *noise = sarrus_gram_floor(g, d);
    for (int32_t j = 0; j < k; ++j) {
        real square = lane_at(own, j) * lane_at(own, j);
        *noise = real_fma(square, lane_at(g->noise, j), *noise);
        d = d - square;
    }
    return d;
}

/* L, with rest [p] the rows kept (1 or 0) of the row order, all 1 without it; low2 is the square of the threshold. */
LANE_BODY void sarrus_normal_factor(const sarrus_gram_factor *g, int32_t is_ordered, real low2, sarrus_rank_decision *found) {
    const int32_t p = g->p, apart = g->row_apart;
    const real zero = real_set(0.0), one = real_set(1.0);
    for (int32_t k = 0; k < p; ++k) {
        real noise, d = sarrus_normal_pivot(g, k, &noise);
        mask keep = mask_and(mask_and(real_lt(zero, lane_at(g->rest, k)), real_lt(noise, d)), real_lt(low2, d));
        real inverse = sarrus_inverse_length(keep, d);
        keep = real_lt(zero, inverse);
        lane_at(g->inverse, k) = inverse;
        lane_at(g->noise, k) = noise * (inverse * inverse);
        lane_at(g->l, k * apart + k) = d * inverse;
        for (int32_t i = 0; i < k; ++i) {
            mask on = mask_and(keep, real_eq(lane_at(g->rest, i), zero));
            lane_at(g->l, i * apart + k) = zero;
            if (is_ordered && mask_any(on))
                sarrus_normal_column(g, k, i, 1, on);
        }
        int32_t i = k + 1;
        for (; i + 4 <= p; i += 4)
            sarrus_normal_column(g, k, i, 4, keep);
        for (; i < p; ++i)
            sarrus_normal_column(g, k, i, 1, keep);
        found->rank = found->rank + real_select(keep, one, zero);
        mask least = mask_and(keep, mask_or(real_eq(found->kept, zero), real_lt(d, found->kept)));
        found->kept = real_select(least, d, found->kept);
        found->dropped = real_select(mask_and(mask_not(keep), real_lt(found->dropped, d)), d, found->dropped);
    }
}

LANE_BODY void sarrus_pinv_normal(const sarrus_pinv_shape *shape, sarrus_pinv_lanes *lanes) {
    const real zero = real_set(0.0);
    const int32_t is_ordered = sarrus_row_order_is_needed(&shape->rule);
    sarrus_gram_factor g;
    sarrus_gram_factor_place(shape, lanes->work, &g);
    const real scale = sarrus_pinv_scale(lanes->a, shape->m * shape->n);
    lanes->limit.unit = scale;
    lanes->n_sweeps = zero;
    sarrus_gram_factor_form(&g, shape, lanes->a);
    real low2 = zero;
    if (is_ordered) {
        sarrus_orthogonal o = {g.p, g.length, 0, g.length, g.length, 0, 0, 0, g.v, (real *)0, (real *)0, (real *)0, (real *)0};
        lanes->found = sarrus_row_order(&o, shape, lanes, g.order, g.rest);
    } else {
        real low = sarrus_rank_threshold(&shape->rule, &lanes->limit, shape->m, shape->n, real_sqrt(g.largest));
        low2 = low * low;
        for (int32_t i = 0; i < g.p; ++i)
            lane_at(g.rest, i) = real_set(1.0);
    }
    sarrus_rank_decision found = {zero, zero, zero};
    sarrus_normal_factor(&g, is_ordered, low2, &found);
    if (!is_ordered) {
        lanes->found.kept = real_sqrt(found.kept) / scale;
        lanes->found.dropped = real_sqrt(found.dropped) / scale;
    }
    lanes->found.rank = found.rank;
    g.c = g.p;
    g.triangle = real_eq(found.rank, real_set((real_scalar)g.p));
    g.any_triangle = mask_any(mask_and(g.triangle, lanes->active));
    g.any_other = mask_any(mask_and(mask_not(g.triangle), lanes->active));
    sarrus_gram_factor_finish(&g, shape, lanes);
}

/* As if the first rows were those kept: one left out earlier, by the row order, costs a little more. */
LANE_BODY double sarrus_pinv_normal_flops(const sarrus_pinv_shape *shape, int32_t rank, double n_sweeps) { /* plan */
    (void)n_sweeps;
    const int32_t m = shape->m, n = shape->n, p = m < n ? m : n, length = m < n ? n : m;
    double sum = 1.0 * m * n + sarrus_gram_factor_form_flops(p, length); /* plan */
    if (sarrus_row_order_is_needed(&shape->rule))
        sum += sarrus_row_order_flops(p, length, &shape->rule, rank);
    else
        sum += sarrus_threshold_flops(&shape->rule) + 1.0;
    for (int32_t k = 0; k < p; ++k)
        sum += 2.0 + 4.0 * k + 4.0 + (p - 1.0 - k) * (2.0 * k + 1.0);
    return sum + sarrus_gram_factor_finish_flops(shape, p, rank == p);
}

#endif

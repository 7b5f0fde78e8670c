/* Greville's recursion, row by row (S5 eq 22; the paper's line for A_i⁺ has a bracket and a transpose astray):
 *
 *   A_i = [A_{i−1}; a_i],   A_i⁺ = [A_{i−1}⁺ − b d, b],   d = a_i A_{i−1}⁺,   c = a_i − d A_{i−1},
 *   b = c' / (c c') where the row is independent of those before it,   b = A_{i−1}⁺ d' / (1 + d d') where c counts as 0
 *
 * A row is independent when |c| is above the threshold of the rule for x₁ = the longest row. Rules that must see all rows first
 * decide on row_order.h: then the rows kept are passed in their order, and after them the others, all as dependent ones: a row
 * dropped may come before the rows that it depends on. A row whose c is 2^-400 of |d| or less would leave no digit of A⁺ and
 * counts as dependent as well. Nothing is reorthogonalised: what d A_{i−1} loses to cancellation is lost, as in the paper. */
#ifndef SARRUS_PINV_GREVILLE_H
#define SARRUS_PINV_GREVILLE_H

#include "kernels/pinv/row_order.h"

typedef struct sarrus_greville {
    int32_t m, n;
    int32_t row;   /* from one row of X to the next */
    int32_t a_row; /* from one row of A to the next */
    real *a;       /* [m][a_row] A, scaled; its own place where rows need not be apart, as X */
    real *x;       /* [n][row] columns j of A_i⁺, 0 where row j is still to come */
    real *d;       /* [m] */
    real *b;       /* [n] c, then b */
    real *keep;    /* [m] of the row order */
    real *order;   /* scratch of the row order */
} sarrus_greville;

/* Where everything lies in `work`; returns its size. */
LANE_BODY size_t sarrus_greville_place(const sarrus_pinv_shape *shape, real *work, sarrus_greville *g) {
    const int32_t m = shape->m, n = shape->n;
    const int32_t row = sarrus_apart(m), a_row = sarrus_apart(n);
    const int32_t size[5] = {m, n, m, shape->is_explicit && row == m ? 0 : n * row, a_row == n ? 0 : m * a_row};
    real **const array[5] = {&g->d, &g->b, &g->keep, &g->x, &g->a};
    size_t used = 0;
    for (int32_t i = 0; i < 5; ++i) {
        *array[i] = work ? lane_from(work, used) : (real *)0;
        used += (size_t)size[i];
    }
    g->order = work ? lane_from(work, used) : (real *)0;
    g->m = m;
    g->n = n;
    g->row = row;
    g->a_row = a_row;
    return used + (sarrus_row_order_is_needed(&shape->rule) ? sarrus_row_order_work(m, n) : 0);
}

LANE_BODY size_t sarrus_pinv_greville_work(const sarrus_pinv_shape *shape) {
    sarrus_greville g;
    return sarrus_greville_place(shape, (real *)0, &g);
}

/* d ← a_i X on the first `count` columns, in the lanes of `on`; returns d d'. */
LANE_FUNCTION real sarrus_greville_share(const sarrus_greville *g, int32_t i, int32_t count, mask on) {
    const real *row = lane_from(g->a, i * g->a_row);
    real s[4], sum = real_set(0.0);
    for (int32_t j = 0; j < count; j += 4) {
        const int32_t width = count - j < 4 ? count - j : 4;
        if (width == 4)
            sarrus_products(row, lane_from(g->x, j), 1, g->row, g->n, 4, s);
        else if (width == 3)
            sarrus_products(row, lane_from(g->x, j), 1, g->row, g->n, 3, s);
        else if (width == 2)
            sarrus_products(row, lane_from(g->x, j), 1, g->row, g->n, 2, s);
        else
            sarrus_products(row, lane_from(g->x, j), 1, g->row, g->n, 1, s);
        for (int32_t w = 0; w < width; ++w) {
            real d = real_select(on, s[w], real_set(0.0));
            lane_at(g->d, j + w) = d;
            sum = real_fma(d, d, sum);
        }
    }
    return sum;
}

/* Elements k … k + width − 1 of c = a_i − d A_{i−1}; returns `sum` with their squares. */
LANE_FUNCTION real sarrus_greville_rest(const sarrus_greville *g, int32_t i, int32_t k, int32_t width, real sum) {
    real c[4];
    for (int32_t w = 0; w < width; ++w)
        c[w] = lane_at(g->a, i * g->a_row + k + w);
    for (int32_t j = 0; j < i; ++j) {
        real d = lane_at(g->d, j);
        for (int32_t w = 0; w < width; ++w)
            c[w] = real_fnma(d, lane_at(g->a, j * g->a_row + k + w), c[w]);
    }
    for (int32_t w = 0; w < width; ++w) {
        lane_at(g->b, k + w) = c[w];
        sum = real_fma(c[w], c[w], sum);
    }
    return sum;
}

/* Elements k … k + width − 1 of b of a dependent row, in the lanes of `on`: factor X d'. */
LANE_FUNCTION void sarrus_greville_dependent(const sarrus_greville *g, int32_t count, int32_t k, int32_t width, mask on,
                                             real factor) {
    real s[4];
    sarrus_products(g->d, lane_from(g->x, k * g->row), g->row, 1, count, width, s);
    for (int32_t w = 0; w < width; ++w)
        lane_at(g->b, k + w) = real_select(on, s[w] * factor, lane_at(g->b, k + w));
}

/* X ← X − b d on rows k … k + width − 1 and the first `count` columns. */
LANE_FUNCTION void sarrus_greville_update(const sarrus_greville *g, int32_t count, int32_t k, int32_t width) {
    real *x = lane_from(g->x, k * g->row);
    real b[4];
    for (int32_t w = 0; w < width; ++w)
        b[w] = lane_at(g->b, k + w);
    for (int32_t j = 0; j < count; ++j) {
        real d = lane_at(g->d, j);
        for (int32_t w = 0; w < width; ++w)
            lane_at(x, w * g->row + j) = real_fnma(b[w], d, lane_at(x, w * g->row + j));
    }
}

/* b of a dependent row in the lanes of `on`, from the first `count` columns. */
LANE_BODY void sarrus_greville_dependents(const sarrus_greville *g, int32_t count, mask on, real dd) {
    real factor = real_set(1.0) / (real_set(1.0) + dd);
    int32_t k = 0;
    for (; k + 4 <= g->n; k += 4)
        sarrus_greville_dependent(g, count, k, 4, on, factor);
    for (; k < g->n; ++k)
        sarrus_greville_dependent(g, count, k, 1, on, factor);
}

/* Takes b into X as column i, in the lanes of `on`. */
LANE_BODY void sarrus_greville_take(const sarrus_greville *g, int32_t i, int32_t count, mask on) {
    int32_t k = 0;
    for (; k + 4 <= g->n; k += 4)
        sarrus_greville_update(g, count, k, 4);
    for (; k < g->n; ++k)
        sarrus_greville_update(g, count, k, 1);
    for (k = 0; k < g->n; ++k)
        lane_at(g->x, k * g->row + i) = real_select(on, lane_at(g->b, k), lane_at(g->x, k * g->row + i));
}

/* Row i where it is independent, in the lanes of `on`; where it turns out not to be and `may_depend`, as a dependent one. `low2` is
 * the threshold's square. found collects the rank, and the squares of kept and dropped. */
LANE_BODY void sarrus_greville_row(const sarrus_greville *g, int32_t i, mask on, real low2, mask active,
                                   sarrus_rank_decision *found) {
    const real zero = real_set(0.0), one = real_set(1.0);
    real dd = sarrus_greville_share(g, i, i, on), cc = zero;
    int32_t k = 0;
    for (; k + 4 <= g->n; k += 4)
        cc = sarrus_greville_rest(g, i, k, 4, cc);
    for (; k < g->n; ++k)
        cc = sarrus_greville_rest(g, i, k, 1, cc);
    mask large = mask_and(real_lt(real_set(SARRUS_ORTHOGONAL_TINY), cc), real_lt(dd * real_set(0x1p-800), cc));
    const real most = real_set((real_scalar)(g->m < g->n ? g->m : g->n));
    mask independent = mask_and(mask_and(on, real_lt(found->rank, most)), mask_and(large, real_lt(low2, cc)));
    mask dependent = mask_and(on, mask_not(independent));
    real factor = real_select(independent, one / real_select(independent, cc, one), zero);
    for (k = 0; k < g->n; ++k)
        lane_at(g->b, k) = lane_at(g->b, k) * factor;
    if (i > 0 && mask_any(mask_and(dependent, active)))
        sarrus_greville_dependents(g, i, dependent, dd);
    sarrus_greville_take(g, i, i, on);
    found->rank = found->rank + real_select(independent, one, zero);
    mask least = mask_and(independent, mask_or(real_eq(found->kept, zero), real_lt(cc, found->kept)));
    found->kept = real_select(least, cc, found->kept);
    found->dropped = real_select(mask_and(dependent, real_lt(found->dropped, cc)), cc, found->dropped);
}

/* All rows, each judged as it comes. */
LANE_BODY void sarrus_greville_judge(const sarrus_greville *g, const sarrus_pinv_shape *shape, sarrus_pinv_lanes *lanes) {
    const real zero = real_set(0.0);
    const mask all = real_eq(zero, zero);
    real longest = zero;
    for (int32_t i = 0; i < g->m && shape->rule.method != SARRUS_RANK_ABSOLUTE; ++i) {
        real sum[4];
        const real *row = lane_from(g->a, i * g->a_row);
        sarrus_products(row, row, 0, 1, g->n, 1, sum);
        longest = real_max(sum[0], longest);
    }
    const real low = sarrus_rank_threshold(&shape->rule, &lanes->limit, g->m, g->n, real_sqrt(longest));
    const real low2 = low * low, unit = real_set(1.0) / lanes->limit.unit;
    sarrus_rank_decision found = {zero, zero, zero};
    for (int32_t i = 0; i < g->m; ++i)
        sarrus_greville_row(g, i, all, low2, lanes->active, &found);
    found.kept = real_sqrt(found.kept) * unit;
    found.dropped = real_sqrt(found.dropped) * unit;
    lanes->found = found;
}

/* The rows kept by the row order, then the others. */
LANE_BODY void sarrus_greville_ordered(const sarrus_greville *g, const sarrus_pinv_shape *shape, sarrus_pinv_lanes *lanes) {
    const real zero = real_set(0.0);
    sarrus_orthogonal o = {g->m, g->n, 0, g->a_row, g->a_row, 0, 0, 0, g->a, (real *)0, (real *)0, (real *)0, (real *)0};
    sarrus_rank_decision found = {zero, zero, zero};
    lanes->found = sarrus_row_order(&o, shape, lanes, g->order, g->keep);
    for (int32_t i = 0; i < g->m; ++i) {
        mask on = mask_and(real_lt(zero, lane_at(g->keep, i)), lanes->active);
        if (mask_any(on))
            sarrus_greville_row(g, i, on, zero, lanes->active, &found);
    }
    lanes->found.rank = found.rank;
    for (int32_t i = 0; i < g->m; ++i) {
        mask on = mask_and(real_eq(zero, lane_at(g->keep, i)), lanes->active);
        if (!mask_any(on))
            continue;
        real dd = sarrus_greville_share(g, i, g->m, on);
        for (int32_t k = 0; k < g->n; ++k)
            lane_at(g->b, k) = zero;
        sarrus_greville_dependents(g, g->m, on, dd);
        sarrus_greville_take(g, i, g->m, on);
    }
}

/* Rows k … k + width − 1 and columns j of A⁺ B. */
LANE_FUNCTION void sarrus_greville_apply(const sarrus_greville *g, const real *b, real *x, int32_t n_rhs, int32_t k, int32_t j,
                                         int32_t width) {
    real sum[4];
    for (int32_t w = 0; w < width; ++w)
        sum[w] = real_set(0.0);
    for (int32_t i = 0; i < g->m; ++i) {
        real bi = lane_at(b, i * n_rhs + j);
        for (int32_t w = 0; w < width; ++w)
            sum[w] = real_fma(bi, lane_at(g->x, (k + w) * g->row + i), sum[w]);
    }
    for (int32_t w = 0; w < width; ++w)
        lane_at(x, (k + w) * n_rhs + j) = sum[w];
}

LANE_BODY void sarrus_pinv_greville(const sarrus_pinv_shape *shape, sarrus_pinv_lanes *lanes) {
    const int32_t m = shape->m, n = shape->n, n_rhs = shape->n_rhs;
    sarrus_greville g;
    sarrus_greville_place(shape, lanes->work, &g);
    const real scale = sarrus_pinv_scale_find(lanes->a, m * n);
    lanes->limit.unit = scale;
    lanes->n_sweeps = real_set(0.0);
    g.a = sarrus_pinv_scale_rows(lanes->a, m, n, scale, g.a_row, g.a);
    if (shape->is_explicit && g.row == m)
        g.x = lanes->x;
    for (int32_t i = 0; i < n * g.row; ++i)
        lane_at(g.x, i) = real_set(0.0);
    if (sarrus_row_order_is_needed(&shape->rule))
        sarrus_greville_ordered(&g, shape, lanes);
    else
        sarrus_greville_judge(&g, shape, lanes);
    for (int32_t j = 0; !shape->is_explicit && j < n_rhs; ++j) {
        int32_t k = 0;
        for (; k + 4 <= n; k += 4)
            sarrus_greville_apply(&g, lanes->b, lanes->x, n_rhs, k, j, 4);
        for (; k < n; ++k)
            sarrus_greville_apply(&g, lanes->b, lanes->x, n_rhs, k, j, 1);
    }
    /* Adding zero leaves no negative one, whose sign could be a neighbour's doing. */
    const real *from = shape->is_explicit ? g.x : lanes->x;
    const int32_t columns = sarrus_pinv_columns(shape), from_row = shape->is_explicit ? g.row : columns;
    for (int32_t i = 0; i < n; ++i) {
        for (int32_t j = 0; j < columns; ++j)
            lane_at(lanes->x, i * columns + j) = real_fma(scale, lane_at(from, i * from_row + j), real_set(0.0));
    }
}

/* As if the first rows were the independent ones: a dependent row that comes earlier costs less, as its d is shorter, but takes
 * part in more of the d that follow. */
LANE_BODY double sarrus_pinv_greville_flops(const sarrus_pinv_shape *shape, int32_t rank, double n_sweeps) { /* plan */
    (void)n_sweeps;
    const int32_t m = shape->m, n = shape->n, is_ordered = sarrus_row_order_is_needed(&shape->rule);
    double sum = 1.0 * m * n + 2.0 * n * sarrus_pinv_columns(shape); /* plan */
    if (!shape->is_explicit)
        sum += 2.0 * m * n * shape->n_rhs;
    if (is_ordered)
        sum += sarrus_row_order_flops(m, n, &shape->rule, rank);
    else
        sum +=
            (shape->rule.method == SARRUS_RANK_ABSOLUTE ? 0.0 : m * (2.0 * n + 3.0)) + sarrus_threshold_flops(&shape->rule) + 3.0;
    for (int32_t i = 0; i < (is_ordered ? rank : m); ++i)
        sum += sarrus_products_flops(i, n) + 2.0 * i + 1.0 + n * (2.0 * i + 3.0) + 2.0 * i * n + 1.0;
    for (int32_t i = rank; i < m; ++i) {
        const int32_t count = is_ordered ? m : i;
        if (is_ordered)
            sum += sarrus_products_flops(m, n) + 2.0 * m + 2.0 * m * n;
        if (count > 0)
            sum += 1.0 + 2.0 * n * count + 3.0 * (n % 4) + n;
    }
    return sum;
}

#endif

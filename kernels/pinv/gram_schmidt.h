/* Modified Gram-Schmidt with column pivoting, and a second one for the least norm (S5, "Least squares"):
 *
 *   A P = Q R,   R = [R11 R12] of r rows,   Rᵀ = Z T,   A⁺ = P Z T⁻ᵀ Qᵀ
 *
 * The rank is decided on r_kk. The rows of R are taken from the last to the first, since row k is zero before k and so is z_k then.
 * Right sides are orthogonalised like columns of A, and x is built up as x ← x + (y_k − z_k·x) z_k: both make up for most of the
 * orthogonality that Q and Z lose as the condition of A grows. The explicit form has neither, and shows the loss.
 * mgs2 makes every vector orthogonal twice. */
#ifndef SARRUS_PINV_GRAM_SCHMIDT_H
#define SARRUS_PINV_GRAM_SCHMIDT_H

#include "kernels/pinv/orthogonalise.h"

typedef struct sarrus_gram_schmidt {
    int32_t m, n, s; /* s: steps taken, the largest rank of a lane or more */
    int32_t row;     /* from one row of q and y to the next */
    int32_t r_row;   /* from one row of v and r to the next */
    int32_t is_twice;
    real rank;
    real *v;       /* [m][r_row] A, scaled; its own place where rows need not be apart */
    real *q;       /* [min(m, n)][row] Q, then T⁻ᵀ Qᵀ */
    real *r;       /* [min(m, n)][r_row] R, then Z by rows; row k from element k on */
    real *t;       /* [min(m, n)][min(m, n)] T: [k][i], i < k, belongs to z_k in row i of R */
    real *inverse; /* [min(m, n)] 1/t_kk, 0 from the rank on */
    real *place;   /* [n] */
    real *size;    /* [min(m, n)] */
    real *c;       /* apply: [min(m, n)][n_rhs] Qᵀ b, then T⁻ᵀ Qᵀ b */
    real *y;       /* [n][row | n_rhs] P⁻¹ X */
} sarrus_gram_schmidt;

/* Where everything lies in `work`; returns its size. */
LANE_BODY size_t sarrus_gram_schmidt_place(const sarrus_pinv_shape *shape, real *work, sarrus_gram_schmidt *gs) {
    const int32_t m = shape->m, n = shape->n, p = m < n ? m : n;
    const int32_t row = sarrus_apart(m), r_row = sarrus_apart(n), y_row = shape->is_explicit ? row : shape->n_rhs;
    const int32_t size[9] = {
        r_row == n ? 0 : m * r_row, p * row, p * r_row, p * p, p, n, p, shape->is_explicit ? 0 : p * shape->n_rhs, n * y_row};
    real **const array[9] = {&gs->v, &gs->q, &gs->r, &gs->t, &gs->inverse, &gs->place, &gs->size, &gs->c, &gs->y};
    size_t used = 0;
    for (int32_t i = 0; i < 9; ++i) {
        *array[i] = work ? lane_from(work, used) : (real *)0;
        used += (size_t)size[i];
    }
    gs->m = m;
    gs->n = n;
    gs->row = row;
    gs->r_row = r_row;
    gs->s = 0;
    gs->is_twice = shape->method == SARRUS_PINV_MGS2;
    return used;
}

LANE_BODY size_t sarrus_pinv_gram_schmidt_work(const sarrus_pinv_shape *shape) {
    sarrus_gram_schmidt gs;
    return sarrus_gram_schmidt_place(shape, (real *)0, &gs);
}

/* y_w ← y_w − c_w x for `width` vectors of contiguous elements, `between` apart. */
LANE_FUNCTION void sarrus_project_rows(const real *x, const real *c, real *y, int32_t between, int32_t length, int32_t width) {
    for (int32_t e = 0; e < length; ++e) {
        real xe = lane_at(x, e);
        for (int32_t w = 0; w < width; ++w)
            lane_at(y, w * between + e) = real_fnma(c[w], xe, lane_at(y, w * between + e));
    }
}

/* Rows i … i + width − 1 of R lose their part along z_k, which becomes t. */
LANE_FUNCTION void sarrus_gram_schmidt_rows(const sarrus_gram_schmidt *gs, int32_t k, int32_t i, int32_t width) {
    const real *z = lane_from(gs->r, k * gs->r_row + k);
    real *row = lane_from(gs->r, i * gs->r_row + k);
    real c[4];
    sarrus_products(z, row, gs->r_row, 1, gs->n - k, width, c);
    sarrus_project_rows(z, c, row, gs->r_row, gs->n - k, width);
    for (int32_t w = 0; w < width; ++w)
        lane_at(gs->t, k * gs->s + i + w) = c[w];
}

/* Row k once more against z_k+1 … z_s−1, before it becomes z_k. */
LANE_BODY void sarrus_gram_schmidt_again(const sarrus_gram_schmidt *gs, int32_t k) {
    for (int32_t j = gs->s - 1; j > k; --j) {
        const real *z = lane_from(gs->r, j * gs->r_row + j);
        real *row = lane_from(gs->r, k * gs->r_row + j);
        real c[4];
        sarrus_products(z, row, 0, 1, gs->n - j, 1, c);
        sarrus_project_rows(z, c, row, 0, gs->n - j, 1);
        lane_at(gs->t, j * gs->s + k) = lane_at(gs->t, j * gs->s + k) + c[0];
    }
}

/* Rᵀ = Z T on the rows before the rank; the others count as zero. */
LANE_BODY void sarrus_gram_schmidt_norm(const sarrus_gram_schmidt *gs) {
    const int32_t n = gs->n, s = gs->s;
    for (int32_t k = s - 1; k >= 0; --k) {
        real *z = lane_from(gs->r, k * gs->r_row + k);
        real sum[4];
        if (gs->is_twice)
            sarrus_gram_schmidt_again(gs, k);
        sarrus_products(z, z, 0, 1, n - k, 1, sum);
        real inverse = sarrus_inverse_length(real_lt(real_set((real_scalar)k), gs->rank), sum[0]);
        lane_at(gs->inverse, k) = inverse;
        for (int32_t e = 0; e < n - k; ++e)
            lane_at(z, e) = lane_at(z, e) * inverse;
        int32_t i = 0;
        for (; i + 4 <= k; i += 4)
            sarrus_gram_schmidt_rows(gs, k, i, 4);
        if (k - i == 3)
            sarrus_gram_schmidt_rows(gs, k, i, 3);
        else if (k - i == 2)
            sarrus_gram_schmidt_rows(gs, k, i, 2);
        else if (k - i == 1)
            sarrus_gram_schmidt_rows(gs, k, i, 1);
    }
}

/* Columns j … j + width − 1 of y = Z T⁻ᵀ Qᵀ. */
LANE_FUNCTION void sarrus_gram_schmidt_invert(const sarrus_gram_schmidt *gs, int32_t j, int32_t width) {
    const int32_t row = gs->row, n = gs->n, s = gs->s;
    real x[4];
    for (int32_t k = s - 1; k >= 0; --k) {
        real *q = lane_from(gs->q, k * row + j);
        for (int32_t w = 0; w < width; ++w)
            x[w] = lane_at(q, w);
        for (int32_t i = k + 1; i < s; ++i) {
            real t = lane_at(gs->t, i * s + k);
            for (int32_t w = 0; w < width; ++w)
                x[w] = real_fnma(t, lane_at(gs->q, i * row + j + w), x[w]);
        }
        for (int32_t w = 0; w < width; ++w)
            lane_at(q, w) = x[w] * lane_at(gs->inverse, k);
    }
    for (int32_t i = 0; i < n; ++i) {
        for (int32_t w = 0; w < width; ++w)
            x[w] = real_set(0.0);
        for (int32_t k = 0; k < s && k <= i; ++k) {
            real z = lane_at(gs->r, k * gs->r_row + i);
            for (int32_t w = 0; w < width; ++w)
                x[w] = real_fma(z, lane_at(gs->q, k * row + j + w), x[w]);
        }
        for (int32_t w = 0; w < width; ++w)
            lane_at(gs->y, i * row + j + w) = x[w];
    }
}

/* Right sides j … j + width − 1: c ← Qᵀ b as if they were columns of A, then y = Z T⁻ᵀ c. */
LANE_FUNCTION void sarrus_gram_schmidt_solve(const sarrus_gram_schmidt *gs, real *b, int32_t n_rhs, int32_t j, int32_t width) {
    const int32_t m = gs->m, n = gs->n, s = gs->s;
    real c[4], *y = lane_from(gs->y, j);
    for (int32_t pass = 0; pass <= gs->is_twice; ++pass) {
        for (int32_t k = 0; k < s; ++k) {
            const mask counts = real_lt(real_set((real_scalar)k), gs->rank);
            const real *q = lane_from(gs->q, k * gs->row);
            sarrus_products(q, lane_from(b, j), 1, n_rhs, m, width, c);
            for (int32_t w = 0; w < width; ++w) {
                c[w] = real_select(counts, c[w], real_set(0.0));
                real *sum = &lane_at(gs->c, k * n_rhs + j + w);
                *sum = pass == 0 ? c[w] : *sum + c[w];
                for (int32_t i = 0; i < m; ++i)
                    lane_at(b, i * n_rhs + j + w) = real_fnma(c[w], lane_at(q, i), lane_at(b, i * n_rhs + j + w));
            }
        }
    }
    for (int32_t k = s - 1; k >= 0; --k) {
        for (int32_t w = 0; w < width; ++w) {
            real *ck = lane_from(gs->c, j + w);
            real x = lane_at(ck, k * n_rhs) * lane_at(gs->inverse, k);
            lane_at(ck, k * n_rhs) = x;
            for (int32_t i = 0; i < k; ++i)
                lane_at(ck, i * n_rhs) = real_fnma(lane_at(gs->t, k * s + i), x, lane_at(ck, i * n_rhs));
        }
    }
    for (int32_t i = 0; i < n; ++i) {
        for (int32_t w = 0; w < width; ++w)
            lane_at(y, i * n_rhs + w) = real_set(0.0);
    }
    for (int32_t k = 0; k < s; ++k) {
        const mask counts = real_lt(real_set((real_scalar)k), gs->rank);
        const real *z = lane_from(gs->r, k * gs->r_row + k);
        sarrus_products(z, lane_from(y, k * n_rhs), 1, n_rhs, n - k, width, c);
        for (int32_t w = 0; w < width; ++w) {
            real f = real_select(counts, lane_at(gs->c, k * n_rhs + j + w) - c[w], real_set(0.0));
            for (int32_t i = k; i < n; ++i)
                lane_at(y, i * n_rhs + w) = real_fma(f, lane_at(z, i - k), lane_at(y, i * n_rhs + w));
        }
    }
}

/* x ← s P y for columns j … j + width − 1; adding zero leaves no negative one, whose sign could be a neighbour's doing. */
LANE_FUNCTION void sarrus_gram_schmidt_return(const sarrus_gram_schmidt *gs, real scale, real *x, int32_t columns, int32_t y_row,
                                              int32_t j, int32_t width) {
    for (int32_t i = 0; i < gs->n; ++i) {
        const real own = real_set((real_scalar)i);
        real sum[8];
        for (int32_t w = 0; w < width; ++w)
            sum[w] = real_set(0.0);
        for (int32_t k = 0; k < gs->n; ++k) {
            mask here = real_eq(lane_at(gs->place, k), own);
            for (int32_t w = 0; w < width; ++w)
                sum[w] = real_select(here, lane_at(gs->y, k * y_row + j + w), sum[w]);
        }
        for (int32_t w = 0; w < width; ++w)
            lane_at(x, i * columns + j + w) = real_fma(scale, sum[w], real_set(0.0));
    }
}

LANE_BODY void sarrus_pinv_gram_schmidt(const sarrus_pinv_shape *shape, sarrus_pinv_lanes *lanes) {
    const int32_t m = shape->m, n = shape->n, p = m < n ? m : n, columns = sarrus_pinv_columns(shape);
    sarrus_gram_schmidt gs;
    sarrus_gram_schmidt_place(shape, lanes->work, &gs);
    const int32_t y_row = shape->is_explicit ? gs.row : columns;
    const real scale = sarrus_pinv_scale_find(lanes->a, m * n);
    gs.v = sarrus_pinv_scale_rows(lanes->a, m, n, scale, gs.r_row, gs.v);
    lanes->limit.unit = scale;
    lanes->n_sweeps = real_set(0.0);
    sarrus_orthogonal o = {n, m, 1, gs.r_row, gs.row, gs.r_row, gs.is_twice, 0, gs.v, gs.q, gs.r, gs.place, gs.size};
    sarrus_orthogonalise(&o, &shape->rule, &lanes->limit, lanes->active);
    lanes->found = sarrus_rank_decide(&shape->rule, &lanes->limit, m, n, gs.size, 1, p);
    gs.rank = lanes->found.rank;
    gs.s = o.n_steps;
    sarrus_gram_schmidt_norm(&gs);
    int32_t j = 0;
    for (; j + 4 <= columns; j += 4) {
        if (shape->is_explicit)
            sarrus_gram_schmidt_invert(&gs, j, 4);
        else
            sarrus_gram_schmidt_solve(&gs, lanes->b, columns, j, 4);
    }
    for (; j < columns; ++j) {
        if (shape->is_explicit)
            sarrus_gram_schmidt_invert(&gs, j, 1);
        else
            sarrus_gram_schmidt_solve(&gs, lanes->b, columns, j, 1);
    }
    for (j = 0; j + 8 <= columns; j += 8)
        sarrus_gram_schmidt_return(&gs, scale, lanes->x, columns, y_row, j, 8);
    for (; j + 4 <= columns; j += 4)
        sarrus_gram_schmidt_return(&gs, scale, lanes->x, columns, y_row, j, 4);
    for (; j < columns; ++j)
        sarrus_gram_schmidt_return(&gs, scale, lanes->x, columns, y_row, j, 1);
}

LANE_BODY double sarrus_pinv_gram_schmidt_flops(const sarrus_pinv_shape *shape, int32_t rank, double n_sweeps) { /* plan */
    (void)n_sweeps;
    const int32_t m = shape->m, n = shape->n, r = rank, is_twice = shape->method == SARRUS_PINV_MGS2;
    const int32_t columns = sarrus_pinv_columns(shape);
    const sarrus_orthogonal o = {n, m, 1, n, m, n, is_twice, 0, (real *)0, (real *)0, (real *)0, (real *)0, (real *)0};
    double sum = 1.0 * m * n + sarrus_orthogonalise_flops(&o, &shape->rule, r, 1) + 2.0 * n * columns; /* plan */
    double each = 0.0; /* plan */                                                                      /* of one column of X */
    sum += sarrus_decide_flops(&shape->rule, m < n ? m : n);
    for (int32_t k = 0; k < r; ++k) {
        sum += 3.0 * (n - k) + 3.0 + sarrus_products_flops(k, n - k) + 2.0 * k * (n - k);
        for (int32_t j = k + 1; is_twice && j < r; ++j)
            sum += 4.0 * (n - j) + 4.0;
        if (shape->is_explicit)
            each += 2.0 * (r - 1 - k) + 1.0 + 2.0 * (n - k);
        else
            each += (1 + is_twice) * 4.0 * m + is_twice + 1.0 + 2.0 * k + 4.0 * (n - k) + 1.0;
    }
    if (!shape->is_explicit)
        sum += (columns % 4) * r * 3.0 * (2 + is_twice);
    return sum + each * columns;
}

#endif

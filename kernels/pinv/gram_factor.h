/* S⁺ t from a full-rank factor S = L Lᵀ, L [p][c] with zero columns allowed, for the methods on the Gram matrix:
 *
 *   S = V Vᵀ,   V = A (m ≤ n), A⁺ = Vᵀ S⁺     or     V = Aᵀ (m > n), A⁺ = S⁺ V
 *   S⁺ t = L (Lᵀ L)⁻² Lᵀ t,   Lᵀ L = K Kᵀ   or, where L is a lower triangle with no zero on its diagonal,   S⁺ t = L⁻ᵀ L⁻¹ t
 *
 * The condition of S is the square of that of A: what A has below √ε of its largest is round-off in S, and whatever the rule
 * says, a squared pivot that is round-off of the diagonal entry it was is left out. */
#ifndef SARRUS_PINV_GRAM_FACTOR_H
#define SARRUS_PINV_GRAM_FACTOR_H

#include "kernels/pinv/row_order.h"

/* Vectors from which on triangles are solved four rows at a time. */
enum { SARRUS_GRAM_BLOCKED = 24 };

typedef struct sarrus_gram_factor {
    int32_t p, length; /* vectors, their elements: min(m, n), max(m, n) */
    int32_t row_apart; /* from one row of s, of l to the next */
    int32_t c;         /* columns of L in use */
    int32_t any_triangle, any_other;
    real largest;    /* diagonal entry of S: the square of the longest vector */
    mask triangle;   /* lanes whose L is a lower triangle of full rank */
    real *v;         /* [p][length] */
    real *s;         /* [p][row_apart] S, then K */
    real *l;         /* [p][row_apart] L by rows */
    real *inverse;   /* [p] 1/l_kk of a triangle, 0 where column k is zero */
    real *inverse_k; /* [p] 1/K_kk, or 0 */
    real *size;      /* [p] √pivot */
    real *rest;      /* [p] what is left of S's diagonal; the rows kept */
    real *noise;     /* [p] scratch: round-off in the pivots, over them */
    real *row;       /* [2][p] scratch */
    real *group;     /* [2][p][4] scratch: four columns of t */
    real *order;     /* scratch of the row order */
} sarrus_gram_factor;

/* Where everything lies in `work`; returns its size. V is A itself where m ≤ n. */
LANE_BODY size_t sarrus_gram_factor_place(const sarrus_pinv_shape *shape, real *work, sarrus_gram_factor *g) {
    const int32_t m = shape->m, n = shape->n, p = m < n ? m : n;
    const int32_t row = sarrus_apart(p);
    const int32_t size[10] = {m > n ? m * n : 0, p * row, p * row, p, p, p, p, p, 2 * p, 8 * p};
    real **const array[10] = {&g->v, &g->s, &g->l, &g->inverse, &g->inverse_k, &g->size, &g->rest, &g->noise, &g->row, &g->group};
    size_t used = 0;
    for (int32_t i = 0; i < 10; ++i) {
        *array[i] = work ? lane_from(work, used) : (real *)0;
        used += (size_t)size[i];
    }
    g->order = work ? lane_from(work, used) : (real *)0;
    g->p = p;
    g->row_apart = row;
    g->length = m < n ? n : m;
    return used;
}

/* V and S, both triangles, and its largest diagonal entry. */
LANE_BODY void sarrus_gram_factor_form(sarrus_gram_factor *g, const sarrus_pinv_shape *shape, real *a) {
    const int32_t m = shape->m, n = shape->n, p = g->p, row = g->row_apart, length = g->length;
    if (m <= n)
        g->v = a;
    for (int32_t i = 0; m > n && i < m; ++i) {
        for (int32_t k = 0; k < n; ++k)
            lane_at(g->v, k * m + i) = lane_at(a, i * n + k);
    }
    real sum[4];
    g->largest = real_set(0.0);
    for (int32_t i = 0; i < p; ++i) {
        const real *x = lane_from(g->v, i * length);
        for (int32_t j = 0; j <= i; j += 4) {
            const int32_t width = i + 1 - j < 4 ? i + 1 - j : 4;
            const real *y = lane_from(g->v, j * length);
            if (width == 4)
                sarrus_products(x, y, length, 1, length, 4, sum);
            else if (width == 3)
                sarrus_products(x, y, length, 1, length, 3, sum);
            else if (width == 2)
                sarrus_products(x, y, length, 1, length, 2, sum);
            else
                sarrus_products(x, y, length, 1, length, 1, sum);
            for (int32_t w = 0; w < width; ++w) {
                lane_at(g->s, i * row + j + w) = sum[w];
                lane_at(g->s, (j + w) * row + i) = sum[w];
            }
        }
        g->largest = real_max(lane_at(g->s, i * row + i), g->largest);
    }
}

/* The round-off in a squared pivot from this diagonal entry of S: a sum of `length` products, of which the elimination makes some
 * ten times as much where A's condition is a hundred (random 12×12 matrices of rank 11: 29 of 4096 wrong with a factor of 2, none
 * with 16). And not below 2^-200 of the largest, whose second power S⁺ could not take in. */
LANE_FUNCTION real sarrus_gram_floor(const sarrus_gram_factor *g, real entry) {
    return real_max(real_set(16 * 2.220446049250313e-16 * g->length) * entry, g->largest * real_set(0x1p-200));
}

/* Rows i … i + width − 1, column k of the Cholesky factor of K (in place, lower triangle). */
LANE_FUNCTION void sarrus_gram_factor_column(const sarrus_gram_factor *g, int32_t k, int32_t i, int32_t width, real inverse) {
    const int32_t apart = g->row_apart;
    real *row = lane_from(g->s, i * apart);
    const real *own = lane_from(g->s, k * apart);
    real x[4];
    for (int32_t w = 0; w < width; ++w)
        x[w] = lane_at(row, w * apart + k);
    for (int32_t j = 0; j < k; ++j) {
        real y = lane_at(own, j);
        for (int32_t w = 0; w < width; ++w)
            x[w] = real_fnma(y, lane_at(row, w * apart + j), x[w]);
    }
    for (int32_t w = 0; w < width; ++w)
        lane_at(row, w * apart + k) = x[w] * inverse;
}

/* Entries (a, b) … (a + rows − 1, b + columns − 1) of Lᵀ L, those on and below the diagonal kept. */
LANE_FUNCTION void sarrus_gram_factor_block(const sarrus_gram_factor *g, int32_t a, int32_t b, const int32_t rows,
                                            const int32_t columns) {
    real sum[4][4];
    for (int32_t r = 0; r < rows; ++r) {
        for (int32_t w = 0; w < columns; ++w)
            sum[r][w] = real_set(0.0);
    }
    for (int32_t i = 0; i < g->p; ++i) {
        const real *row = lane_from(g->l, i * g->row_apart);
        for (int32_t w = 0; w < columns; ++w) {
            const real x = lane_at(row, b + w);
            for (int32_t r = 0; r < rows; ++r)
                sum[r][w] = real_fma(x, lane_at(row, a + r), sum[r][w]);
        }
    }
    for (int32_t r = 0; r < rows; ++r) {
        for (int32_t w = 0; w < columns && b + w <= a + r; ++w)
            lane_at(g->s, (a + r) * g->row_apart + b + w) = sum[r][w];
    }
}

/* K Kᵀ = Lᵀ L on the c columns in use. A pivot that is round-off of its diagonal entry, and any of a zero column, gives 0. */
LANE_BODY void sarrus_gram_factor_again(const sarrus_gram_factor *g) {
    const int32_t c = g->c;
    int32_t a = 0;
    for (; a + 4 <= c; a += 4) {
        for (int32_t b = 0; b <= a; b += 4)
            sarrus_gram_factor_block(g, a, b, 4, 4);
    }
    for (; a < c; ++a) {
        for (int32_t b = 0; b <= a; ++b)
            sarrus_gram_factor_block(g, a, b, 1, 1);
    }
    for (int32_t k = 0; k < c; ++k) {
        real *own = lane_from(g->s, k * g->row_apart);
        real diagonal = lane_at(own, k), sum[4];
        sarrus_products(own, own, 0, 1, k, 1, sum);
        real d = diagonal - sum[0];
        mask ok = mask_and(real_lt(diagonal * real_set(2.220446049250313e-16), d), real_lt(real_set(SARRUS_ORTHOGONAL_TINY), d));
        real inverse = sarrus_inverse_length(ok, d);
        lane_at(g->inverse_k, k) = inverse;
        int32_t i = k + 1;
        for (; i + 4 <= c; i += 4)
            sarrus_gram_factor_column(g, k, i, 4, inverse);
        for (; i < c; ++i)
            sarrus_gram_factor_column(g, k, i, 1, inverse);
    }
}

/* Rows k … k + 3 of y ← T⁻¹ y for four columns: what comes from the rows before is summed together. The sums have the order of
 * single rows, and so their bits. */
LANE_FUNCTION void sarrus_triangle_down(const real *t, const real *inverse, int32_t between, int32_t k, real *y) {
    real x[4][4];
    for (int32_t r = 0; r < 4; ++r) {
        for (int32_t w = 0; w < 4; ++w)
            x[r][w] = lane_at(y, 4 * (k + r) + w);
    }
    for (int32_t j = 0; j < k; ++j) {
        for (int32_t r = 0; r < 4; ++r) {
            const real e = lane_at(t, (k + r) * between + j);
            for (int32_t w = 0; w < 4; ++w)
                x[r][w] = real_fnma(e, lane_at(y, 4 * j + w), x[r][w]);
        }
    }
    for (int32_t r = 0; r < 4; ++r) {
        for (int32_t l = 0; l < r; ++l) {
            const real e = lane_at(t, (k + r) * between + k + l);
            for (int32_t w = 0; w < 4; ++w)
                x[r][w] = real_fnma(e, x[l][w], x[r][w]);
        }
        for (int32_t w = 0; w < 4; ++w)
            lane_at(y, 4 * (k + r) + w) = x[r][w] = x[r][w] * lane_at(inverse, k + r);
    }
}

/* Rows k … k + 3, k a multiple of four, of y ← T⁻ᵀ y for four columns, the rows behind them first. Rows beyond a lane's rank are
 * zero, so that its sums do not know how many of them there are. */
LANE_FUNCTION void sarrus_triangle_up(const real *t, const real *inverse, int32_t between, int32_t count, int32_t k, real *y) {
    real x[4][4];
    for (int32_t r = 0; r < 4; ++r) {
        for (int32_t w = 0; w < 4; ++w)
            x[r][w] = lane_at(y, 4 * (k + r) + w);
    }
    for (int32_t j = k + 4; j < count; ++j) {
        for (int32_t r = 0; r < 4; ++r) {
            const real e = lane_at(t, j * between + k + r);
            for (int32_t w = 0; w < 4; ++w)
                x[r][w] = real_fnma(e, lane_at(y, 4 * j + w), x[r][w]);
        }
    }
    for (int32_t r = 3; r >= 0; --r) {
        for (int32_t l = r + 1; l < 4; ++l) {
            const real e = lane_at(t, (k + l) * between + k + r);
            for (int32_t w = 0; w < 4; ++w)
                x[r][w] = real_fnma(e, x[l][w], x[r][w]);
        }
        for (int32_t w = 0; w < 4; ++w)
            lane_at(y, 4 * (k + r) + w) = x[r][w] = x[r][w] * lane_at(inverse, k + r);
    }
}

/* Row k of y ← T⁻¹ y, and of y ← T⁻ᵀ y, for `width` columns. */
LANE_FUNCTION void sarrus_triangle_down_row(const real *t, const real *inverse, int32_t between, int32_t k, real *y,
                                            int32_t width) {
    real x[4];
    for (int32_t w = 0; w < width; ++w)
        x[w] = lane_at(y, 4 * k + w);
    for (int32_t j = 0; j < k; ++j) {
        real e = lane_at(t, k * between + j);
        for (int32_t w = 0; w < width; ++w)
            x[w] = real_fnma(e, lane_at(y, 4 * j + w), x[w]);
    }
    for (int32_t w = 0; w < width; ++w)
        lane_at(y, 4 * k + w) = x[w] * lane_at(inverse, k);
}

LANE_FUNCTION void sarrus_triangle_up_row(const real *t, const real *inverse, int32_t between, int32_t count, int32_t k, real *y,
                                          int32_t width) {
    real x[4];
    for (int32_t w = 0; w < width; ++w)
        x[w] = lane_at(y, 4 * k + w);
    for (int32_t j = k + 1; j < count; ++j) {
        real e = lane_at(t, j * between + k);
        for (int32_t w = 0; w < width; ++w)
            x[w] = real_fnma(e, lane_at(y, 4 * j + w), x[w]);
    }
    for (int32_t w = 0; w < width; ++w)
        lane_at(y, 4 * k + w) = x[w] * lane_at(inverse, k);
}

/* y ← T⁻ᵀ T⁻¹ y for `width` columns of y [count][4], T a lower triangle of rows `between` apart, its diagonal given inverted. Of
 * large matrices four rows together. */
LANE_FUNCTION void sarrus_triangle_solve(const real *t, const real *inverse, int32_t between, int32_t count, real *y,
                                         int32_t width) {
    const int32_t n_blocked = width == 4 && between >= SARRUS_GRAM_BLOCKED ? count / 4 * 4 : 0;
    for (int32_t k = 0; k < n_blocked; k += 4)
        sarrus_triangle_down(t, inverse, between, k, y);
    for (int32_t k = n_blocked; k < count; ++k)
        sarrus_triangle_down_row(t, inverse, between, k, y, width);
    for (int32_t k = count - 1; k >= n_blocked; --k)
        sarrus_triangle_up_row(t, inverse, between, count, k, y, width);
    for (int32_t k = n_blocked - 4; k >= 0; k -= 4)
        sarrus_triangle_up(t, inverse, between, count, k, y);
}

/* t ← S⁺ t for `width` columns of t [p][columns]. */
LANE_FUNCTION void sarrus_gram_factor_group(const sarrus_gram_factor *g, real *t, int32_t columns, int32_t width) {
    const int32_t p = g->p, row = g->row_apart, c = g->c;
    real *y = g->group, *u = lane_from(g->group, 4 * p);
    real x[4];
    for (int32_t i = 0; i < p; ++i) {
        for (int32_t w = 0; w < width; ++w)
            lane_at(y, 4 * i + w) = lane_at(t, i * columns + w);
    }
    if (g->any_other) {
        for (int32_t k = 0; k < c; ++k) {
            for (int32_t w = 0; w < width; ++w)
                x[w] = real_set(0.0);
            for (int32_t i = 0; i < p; ++i) {
                real e = lane_at(g->l, i * row + k);
                for (int32_t w = 0; w < width; ++w)
                    x[w] = real_fma(e, lane_at(y, 4 * i + w), x[w]);
            }
            for (int32_t w = 0; w < width; ++w)
                lane_at(u, 4 * k + w) = x[w];
        }
        sarrus_triangle_solve(g->s, g->inverse_k, row, c, u, width);
        sarrus_triangle_solve(g->s, g->inverse_k, row, c, u, width);
    }
    if (g->any_triangle)
        sarrus_triangle_solve(g->l, g->inverse, row, p, y, width);
    for (int32_t i = 0; i < p; ++i) {
        for (int32_t w = 0; w < width; ++w)
            x[w] = real_set(0.0);
        for (int32_t k = 0; g->any_other && k < c; ++k) {
            real e = lane_at(g->l, i * row + k);
            for (int32_t w = 0; w < width; ++w)
                x[w] = real_fma(e, lane_at(u, 4 * k + w), x[w]);
        }
        for (int32_t w = 0; w < width; ++w)
            lane_at(t, i * columns + w) = g->any_triangle ? real_select(g->triangle, lane_at(y, 4 * i + w), x[w]) : x[w];
    }
}

/* t ← S⁺ t for t [p][columns]. */
LANE_BODY void sarrus_gram_factor_solve(const sarrus_gram_factor *g, real *t, int32_t columns) {
    int32_t j = 0;
    for (; j + 4 <= columns; j += 4)
        sarrus_gram_factor_group(g, lane_from(t, j), columns, 4);
    if (columns - j == 3)
        sarrus_gram_factor_group(g, lane_from(t, j), columns, 3);
    else if (columns - j == 2)
        sarrus_gram_factor_group(g, lane_from(t, j), columns, 2);
    else if (columns - j == 1)
        sarrus_gram_factor_group(g, lane_from(t, j), columns, 1);
}

/* y ← C b for the rows of C [p][length] (or its columns, is_transposed) and b [length or p][n_rhs]. */
LANE_BODY void sarrus_gram_factor_times(const sarrus_gram_factor *g, int32_t is_transposed, const real *b, int32_t n_rhs, real *y) {
    const int32_t rows = is_transposed ? g->length : g->p, inner = is_transposed ? g->p : g->length;
    const int32_t down = is_transposed ? 1 : g->length, right = is_transposed ? g->length : 1;
    for (int32_t i = 0; i < rows; ++i) {
        for (int32_t l = 0; l < n_rhs; ++l)
            lane_at(y, i * n_rhs + l) = real_set(0.0);
        for (int32_t k = 0; k < inner; ++k) {
            real e = lane_at(g->v, i * down + k * right);
            for (int32_t l = 0; l < n_rhs; ++l)
                lane_at(y, i * n_rhs + l) = real_fma(e, lane_at(b, k * n_rhs + l), lane_at(y, i * n_rhs + l));
        }
    }
}

/* X = s A⁺ or s A⁺ B once L is there. Adding zero leaves no negative one, whose sign could be a neighbour's doing. */
LANE_BODY void sarrus_gram_factor_finish(const sarrus_gram_factor *g, const sarrus_pinv_shape *shape, sarrus_pinv_lanes *lanes) {
    const int32_t m = shape->m, n = shape->n, n_rhs = shape->n_rhs;
    const real scale = lanes->limit.unit, zero = real_set(0.0);
    real *x = lanes->x;
    if (g->any_other)
        sarrus_gram_factor_again(g);
    if (shape->is_explicit) {
        sarrus_gram_factor_solve(g, g->v, g->length);
        for (int32_t i = 0; i < n; ++i) {
            for (int32_t j = 0; j < m; ++j)
                lane_at(x, i * m + j) = real_fma(scale, lane_at(g->v, m <= n ? j * n + i : i * m + j), zero);
        }
        return;
    }
    if (m <= n) {
        sarrus_gram_factor_solve(g, lanes->b, n_rhs);
        sarrus_gram_factor_times(g, 1, lanes->b, n_rhs, x);
    } else {
        sarrus_gram_factor_times(g, 0, lanes->b, n_rhs, x);
        sarrus_gram_factor_solve(g, x, n_rhs);
    }
    for (int32_t i = 0; i < n * n_rhs; ++i)
        lane_at(x, i) = real_fma(scale, lane_at(x, i), zero);
}

/* Operations of S. */
LANE_BODY double sarrus_gram_factor_form_flops(int32_t p, int32_t length) { /* plan */
    double sum = 0.0;                                                       /* plan */
    for (int32_t i = 0; i < p; ++i)
        sum += sarrus_products_flops(i + 1, length);
    return sum;
}

/* Operations from L, of c columns, to X. */
LANE_BODY double sarrus_gram_factor_finish_flops(const sarrus_pinv_shape *shape, int32_t c, int32_t is_triangle) { /* plan */
    const int32_t m = shape->m, n = shape->n, p = m < n ? m : n, length = m < n ? n : m;
    double sum = 2.0 * n * sarrus_pinv_columns(shape);                 /* plan */
    double each = is_triangle ? 2.0 * c * c : 4.0 * c * (p + 1.0 * c); /* plan */
    for (int32_t k = 0; !is_triangle && k < c; ++k)
        sum += 2.0 * p * (c - k) + 2.0 * k + 5.0 + (c - k - 1.0) * (2.0 * k + 1.0);
    if (shape->is_explicit)
        return sum + each * length;
    return sum + (each + 2.0 * p * length) * shape->n_rhs;
}

#endif

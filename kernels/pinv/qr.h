/* A P = Q R by Householder reflections with column pivoting, every lane with its own permutation.
 *
 *   step k: the longest remaining column comes to k (among equals the first), x = its rows k…
 *           v = x + sign(x_k) |x| e_k,  β = 2 / vᵀv,  A ← (I − β v vᵀ) A,  R_kk = −sign(x_k) |x|
 *
 * The lengths of the remaining columns are summed anew while a step updates them, so no cancellation spoils the choice of a
 * pivot; and as |x| is known before x is, one reciprocal square root and one division make a reflection. A lane's exchange of
 * columns is a selection inside that same pass: every element is loaded and stored once a step. Lanes that agree on the pivot
 * (instances of one mechanism mostly do) exchange columns plainly; the numbers are the same.
 * A remaining length below 2^-450 counts as zero (matrices are scaled to a largest entry in [1, 2)): R_kk = 0 from there on. */
#ifndef SARRUS_PINV_QR_H
#define SARRUS_PINV_QR_H

#include "kernels/pinv/problem.h"

/* Columns are contiguous: element (i, j) of an array [n][m] is at j·m + i. */
typedef struct sarrus_qr {
    int32_t m, n;
    int32_t n_rhs, height; /* right sides to be carried along, and the stride from one to the next (≥ m) */
    real *w;               /* [n][m] columns of A; destroyed */
    real *f;               /* [n][m] out, not w: R on and above the diagonal, the rows k + 1… of v_k below R_kk */
    real *b;               /* [n_rhs][height] becomes Qᵀ B; not used when n_rhs is 0 */
    real *place;           /* [n] out: column j of A P is column place_j of A */
    real *size;            /* [min(m, n)] out: |R_kk| */
    real *inverse;         /* [min(m, n)] out: 1/R_kk, 0 where R_kk = 0 */
    real *head;            /* [min(m, n)] out: element k of v_k */
    real *beta;            /* [min(m, n)] out: 0 where R_kk = 0 */
    real longest;          /* squared length of the longest remaining column */
    real pivot;            /* and its place */
} sarrus_qr;

/* What a step does to every column. */
typedef struct sarrus_qr_step {
    int32_t k;
    const real *x;   /* [m] the pivot's column */
    const real *old; /* [m] the column that stood at k */
    real pivot;      /* where the pivot stood */
    real product;    /* xᵀ old, rows k… */
    real shift;      /* v = x + shift e_k */
    real beta;
} sarrus_qr_step;

LANE_FUNCTION int32_t sarrus_qr_steps(int32_t m, int32_t n) {
    return m < n ? m : n;
}

/* Lane arrays of scratch; f and b are the caller's. */
LANE_FUNCTION size_t sarrus_qr_work(int32_t m, int32_t n) {
    return (size_t)m * (size_t)n + (size_t)n + 4 * (size_t)sarrus_qr_steps(m, n);
}

/* Cuts `work` up for an m×n matrix and returns what follows. */
LANE_FUNCTION real *sarrus_qr_cut(sarrus_qr *qr, int32_t m, int32_t n, real *f, real *work) {
    const int32_t steps = sarrus_qr_steps(m, n);
    qr->m = m;
    qr->n = n;
    qr->n_rhs = 0;
    qr->height = m;
    qr->f = f;
    qr->b = f;
    qr->w = work;
    qr->place = lane_from(qr->w, m * n);
    qr->size = lane_from(qr->place, n);
    qr->inverse = lane_from(qr->size, steps);
    qr->head = lane_from(qr->inverse, steps);
    qr->beta = lane_from(qr->head, steps);
    return lane_from(qr->beta, steps);
}

/* The column at j, of this squared length, joins the choice of the next pivot. */
LANE_FUNCTION void sarrus_qr_offer(sarrus_qr *qr, int32_t j, real norm2) {
    mask longer = real_lt(qr->longest, norm2);
    qr->longest = real_select(longer, norm2, qr->longest);
    qr->pivot = real_select(longer, real_set((real_scalar)j), qr->pivot);
}

/* Begins the choice of a pivot among the columns from k on. */
LANE_FUNCTION void sarrus_qr_choose(sarrus_qr *qr, int32_t k) {
    qr->longest = real_set(-1.0);
    qr->pivot = real_set((real_scalar)k);
}

LANE_FUNCTION void sarrus_qr_load_columns(sarrus_qr *qr, const real *a, int32_t row, real scale, int32_t j, const int32_t count) {
    real norm2[4];
    for (int32_t c = 0; c < count; ++c)
        norm2[c] = real_set(0.0);
    for (int32_t i = 0; i < qr->m; ++i) {
        for (int32_t c = 0; c < count; ++c) {
            real x = lane_at(a, i * row + c) * scale;
            lane_at(qr->w, (j + c) * qr->m + i) = x;
            norm2[c] = real_fma(x, x, norm2[c]);
        }
    }
    for (int32_t c = 0; c < count; ++c) {
        sarrus_qr_offer(qr, j + c, norm2[c]);
        lane_at(qr->place, j + c) = real_set((real_scalar)(j + c));
    }
}

/* w ← scale · A, with A in rows [m][n]. */
LANE_BODY void sarrus_qr_load(sarrus_qr *qr, const real *a, real scale) {
    int32_t j = 0;
    sarrus_qr_choose(qr, 0);
    for (; j + 4 <= qr->n; j += 4)
        sarrus_qr_load_columns(qr, lane_from(a, j), qr->n, scale, j, 4);
    for (; j < qr->n; ++j)
        sarrus_qr_load_columns(qr, lane_from(a, j), qr->n, scale, j, 1);
}

/* w ← scale · Aᵀ, with A in rows: the rows of A [n][m] are the columns. */
LANE_BODY void sarrus_qr_load_transposed(sarrus_qr *qr, const real *a, real scale) {
    sarrus_qr_choose(qr, 0);
    for (int32_t j = 0; j < qr->n; ++j)
        sarrus_qr_load_columns(qr, lane_from(a, j * qr->m), 1, scale, j, 1);
}

/* Rows i … i + count − 1 of every lane's pivot column into f. */
LANE_FUNCTION void sarrus_qr_gather_rows(const sarrus_qr *qr, int32_t k, int32_t i, const int32_t count) {
    real x[8];
    for (int32_t c = 0; c < count; ++c)
        x[c] = lane_at(qr->w, k * qr->m + i + c);
    for (int32_t j = k + 1; j < qr->n; ++j) {
        const real *column = lane_from(qr->w, j * qr->m + i);
        mask here = real_eq(qr->pivot, real_set((real_scalar)j));
        for (int32_t c = 0; c < count; ++c)
            x[c] = real_select(here, lane_at(column, c), x[c]);
    }
    for (int32_t c = 0; c < count; ++c)
        lane_at(qr->f, k * qr->m + i + c) = x[c];
}

/* Brings the pivot column into column k of f. Returns 0 when all lanes agreed and the old column k of w has been moved to
 * where the pivot stood; 1 when that is left to the step. */
LANE_FUNCTION int32_t sarrus_qr_gather(const sarrus_qr *qr, int32_t k) {
    int32_t n_places = 0, where = 0, i = 0;
    for (int32_t j = k; j < qr->n; ++j) {
        int32_t is_here = mask_any(real_eq(qr->pivot, real_set((real_scalar)j))) ? 1 : 0;
        n_places += is_here;
        where += is_here * j;
    }
    real old_place = lane_at(qr->place, k), new_place = old_place;
    for (int32_t j = k + 1; j < qr->n; ++j) {
        mask here = real_eq(qr->pivot, real_set((real_scalar)j));
        real place = lane_at(qr->place, j);
        new_place = real_select(here, place, new_place);
        lane_at(qr->place, j) = real_select(here, old_place, place);
    }
    lane_at(qr->place, k) = new_place;
    if (n_places == 1) {
        real *from = lane_from(qr->w, where * qr->m), *old = lane_from(qr->w, k * qr->m), *to = lane_from(qr->f, k * qr->m);
        for (; i < qr->m; ++i) {
            lane_at(to, i) = lane_at(from, i);
            lane_at(from, i) = lane_at(old, i);
        }
        return 0;
    }
    for (; i + 8 <= qr->m; i += 8)
        sarrus_qr_gather_rows(qr, k, i, 8);
    for (; i + 4 <= qr->m; i += 4)
        sarrus_qr_gather_rows(qr, k, i, 4);
    for (; i < qr->m; ++i)
        sarrus_qr_gather_rows(qr, k, i, 1);
    return 1;
}

/* factor_c = xᵀ a_c over rows begin … end − 1, in two interleaved sums. */
LANE_FUNCTION void sarrus_qr_products(const real *x, const real *a, int32_t stride, int32_t begin, int32_t end, real *factor,
                                      const int32_t count) {
    real other[4];
    int32_t i = begin;
    for (int32_t c = 0; c < count; ++c)
        factor[c] = other[c] = real_set(0.0);
    for (; i + 2 <= end; i += 2) {
        for (int32_t c = 0; c < count; ++c) {
            factor[c] = real_fma(lane_at(x, i), lane_at(a, c * stride + i), factor[c]);
            other[c] = real_fma(lane_at(x, i + 1), lane_at(a, c * stride + i + 1), other[c]);
        }
    }
    if (i < end) {
        for (int32_t c = 0; c < count; ++c)
            factor[c] = real_fma(lane_at(x, i), lane_at(a, c * stride + i), factor[c]);
    }
    for (int32_t c = 0; c < count; ++c)
        factor[c] = factor[c] + other[c];
}

/* The reflection of one group of columns a (at j, j + 1, … of the matrix). With `is_mixed` lanes whose pivot is one of them take
 * the column `old` in its stead, in all rows; with `is_offered` the columns are candidates for the next pivot. */
LANE_FUNCTION void sarrus_qr_reflect(sarrus_qr *qr, const sarrus_qr_step *step, real *a, int32_t stride, int32_t j,
                                     const int32_t count, const int32_t kind) {
    const int32_t k = step->k, m = qr->m, is_mixed = kind == 2, is_offered = kind != 0;
    const real *x = step->x, *old = step->old;
    real factor[4], norm2[4];
    mask moved[4];
    sarrus_qr_products(x, a, stride, k, m, factor, count);
    for (int32_t c = 0; c < count; ++c) {
        norm2[c] = real_set(0.0);
        real top = lane_at(a, c * stride + k);
        if (is_mixed) {
            moved[c] = real_eq(step->pivot, real_set((real_scalar)(j + c)));
            top = real_select(moved[c], lane_at(old, k), top);
            factor[c] = real_select(moved[c], step->product, factor[c]);
        }
        factor[c] = step->beta * real_fma(step->shift, top, factor[c]);
        lane_at(a, c * stride + k) = real_fnma(factor[c], lane_at(x, k) + step->shift, top);
    }
    for (int32_t i = 0; is_mixed && i < k; ++i) {
        for (int32_t c = 0; c < count; ++c)
            lane_at(a, c * stride + i) = real_select(moved[c], lane_at(old, i), lane_at(a, c * stride + i));
    }
    for (int32_t i = k + 1; i < m; ++i) {
        for (int32_t c = 0; c < count; ++c) {
            real y = lane_at(a, c * stride + i);
            if (is_mixed)
                y = real_select(moved[c], lane_at(old, i), y);
            y = real_fnma(factor[c], lane_at(x, i), y);
            lane_at(a, c * stride + i) = y;
            if (is_offered)
                norm2[c] = real_fma(y, y, norm2[c]);
        }
    }
    for (int32_t c = 0; is_offered && c < count; ++c)
        sarrus_qr_offer(qr, j + c, norm2[c]);
}

/* All columns from `first` on, by fours. kind 0: right sides, 1: columns, 2: columns with exchanges to be made. */
LANE_FUNCTION void sarrus_qr_reflect_all(sarrus_qr *qr, const sarrus_qr_step *step, int32_t first, const int32_t kind) {
    real *a = kind == 0 ? qr->b : qr->w;
    const int32_t stride = kind == 0 ? qr->height : qr->m, n = kind == 0 ? qr->n_rhs : qr->n;
    int32_t j = first;
    for (; j + 4 <= n; j += 4)
        sarrus_qr_reflect(qr, step, lane_from(a, j * stride), stride, j, 4, kind);
    if (j + 2 <= n) {
        sarrus_qr_reflect(qr, step, lane_from(a, j * stride), stride, j, 2, kind);
        j += 2;
    }
    if (j < n)
        sarrus_qr_reflect(qr, step, lane_from(a, j * stride), stride, j, 1, kind);
}

/* The reflection that brings x onto e_k, from |x|² and x_k; leaves it in head, beta, size, inverse. Returns its shift. */
LANE_FUNCTION real sarrus_qr_reflection(const sarrus_qr *qr, int32_t k, real norm2, real top) {
    const real zero = real_set(0.0), one = real_set(1.0);
    mask is_zero = real_lt(norm2, real_set(0x1p-900));
    real safe = real_select(is_zero, one, norm2);
    real inverse = real_rsqrt(safe), norm = safe * inverse;
    mask is_negative = real_lt(top, zero);
    real shift = real_select(is_zero, zero, real_select(is_negative, -norm, norm));
    lane_at(qr->size, k) = real_select(is_zero, zero, norm);
    lane_at(qr->inverse, k) = real_select(is_zero, zero, real_select(is_negative, inverse, -inverse));
    lane_at(qr->head, k) = top + shift;
    lane_at(qr->beta, k) = real_select(is_zero, zero, one / real_fma(real_abs(top), norm, safe));
    return shift;
}

/* Step k of the factorisation with pivoting. */
LANE_FUNCTION void sarrus_qr_advance(sarrus_qr *qr, int32_t k) {
    sarrus_qr_step step;
    const int32_t is_mixed = sarrus_qr_gather(qr, k);
    step.k = k;
    step.x = lane_from(qr->f, k * qr->m);
    step.old = lane_from(qr->w, k * qr->m);
    step.pivot = qr->pivot;
    step.shift = sarrus_qr_reflection(qr, k, qr->longest, lane_at(step.x, k));
    step.beta = lane_at(qr->beta, k);
    sarrus_qr_choose(qr, k + 1);
    if (is_mixed) {
        sarrus_qr_products(step.x, step.old, 0, k, qr->m, &step.product, 1);
        sarrus_qr_reflect_all(qr, &step, k + 1, 2);
    } else {
        step.product = real_set(0.0);
        sarrus_qr_reflect_all(qr, &step, k + 1, 1);
    }
    sarrus_qr_reflect_all(qr, &step, 0, 0);
    lane_at(qr->f, k * qr->m + k) = -step.shift;
}

/* The factorisation of what sarrus_qr_load has left in w. */
LANE_BODY void sarrus_qr_factor(sarrus_qr *qr) {
    const int32_t steps = sarrus_qr_steps(qr->m, qr->n);
    for (int32_t k = 0; k < steps; ++k)
        sarrus_qr_advance(qr, k);
    for (int32_t i = steps * qr->m; i < qr->n * qr->m; ++i)
        lane_at(qr->f, i) = lane_at(qr->w, i);
}

/* Columns q of a group ← (I − β v vᵀ) q for rows k…, given that row k of them is zero. */
LANE_FUNCTION void sarrus_qr_form_columns(const sarrus_qr *qr, int32_t k, real *q, const int32_t count) {
    const int32_t m = qr->m;
    const real *v = lane_from(qr->f, k * m);
    real factor[4];
    sarrus_qr_products(v, q, m, k + 1, m, factor, count);
    for (int32_t c = 0; c < count; ++c) {
        factor[c] = lane_at(qr->beta, k) * factor[c];
        lane_at(q, c * m + k) = -(factor[c] * lane_at(qr->head, k));
    }
    for (int32_t i = k + 1; i < m; ++i) {
        for (int32_t c = 0; c < count; ++c)
            lane_at(q, c * m + i) = real_fnma(factor[c], lane_at(v, i), lane_at(q, c * m + i));
    }
}

/* q [count][m] ← the first `count` columns of Q, from the last reflection that reaches them to the first. q is not f. */
LANE_BODY void sarrus_qr_form(const sarrus_qr *qr, int32_t count, real *q) {
    const int32_t m = qr->m;
    for (int32_t k = count - 1; k >= 0; --k) {
        const real *v = lane_from(qr->f, k * m);
        real *own = lane_from(q, k * m), factor = lane_at(qr->beta, k) * lane_at(qr->head, k);
        int32_t j = k + 1;
        for (int32_t i = 0; i < k; ++i)
            lane_at(own, i) = real_set(0.0);
        lane_at(own, k) = real_fnma(factor, lane_at(qr->head, k), real_set(1.0));
        for (int32_t i = k + 1; i < m; ++i)
            lane_at(own, i) = -(factor * lane_at(v, i));
        for (; j + 4 <= count; j += 4)
            sarrus_qr_form_columns(qr, k, lane_from(q, j * m), 4);
        for (; j < count; ++j)
            sarrus_qr_form_columns(qr, k, lane_from(q, j * m), 1);
    }
}

/* Row o of X = s P Y, `count` columns of it: row j of Y with place_j = o, times s. */
LANE_FUNCTION void sarrus_qr_restore_row(const sarrus_qr *qr, int32_t o, const real *y, int32_t stride, real scale, real *x,
                                         const int32_t count) {
    real found[8];
    for (int32_t c = 0; c < count; ++c)
        found[c] = real_set(0.0);
    for (int32_t j = 0; j < qr->n; ++j) {
        mask here = real_eq(lane_at(qr->place, j), real_set((real_scalar)o));
        for (int32_t c = 0; c < count; ++c)
            found[c] = real_select(here, lane_at(y, j * stride + c), found[c]);
    }
    for (int32_t c = 0; c < count; ++c)
        lane_at(x, c) = found[c] * scale;
}

/* X ← s P Y: Y and X in rows [n][n_columns]. */
LANE_BODY void sarrus_qr_restore(const sarrus_qr *qr, int32_t n_columns, const real *y, real scale, real *x) {
    for (int32_t o = 0; o < qr->n; ++o) {
        real *row = lane_from(x, o * n_columns);
        int32_t c = 0;
        for (; c + 8 <= n_columns; c += 8)
            sarrus_qr_restore_row(qr, o, lane_from(y, c), n_columns, scale, lane_from(row, c), 8);
        for (; c + 4 <= n_columns; c += 4)
            sarrus_qr_restore_row(qr, o, lane_from(y, c), n_columns, scale, lane_from(row, c), 4);
        for (; c < n_columns; ++c)
            sarrus_qr_restore_row(qr, o, lane_from(y, c), n_columns, scale, lane_from(row, c), 1);
    }
}

/* One column of X, whose entries are `stride` apart, from one column of Y, whose entries are contiguous. */
LANE_BODY void sarrus_qr_restore_column(const sarrus_qr *qr, const real *y, real scale, real *x, int32_t stride) {
    for (int32_t o = 0; o < qr->n; ++o) {
        real found = real_set(0.0);
        for (int32_t j = 0; j < qr->n; ++j)
            found = real_select(real_eq(lane_at(qr->place, j), real_set((real_scalar)o)), lane_at(y, j), found);
        lane_at(x, o * stride) = found * scale;
    }
}

#endif

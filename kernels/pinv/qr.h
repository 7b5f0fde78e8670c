/* A P = Q R by Householder reflections with column pivoting, every lane with its own permutation.
 *
 *   step k: the longest remaining column comes to k, x = its rows k…,  R_kk = −sign(x_k) |x|,  v = x − R_kk e_k
 *           R_kj = xᵀa_j / R_kk  and, below row k,  a_j ← a_j − x (a_kj − R_kj) / v_k
 *           which is  A ← (I − β v vᵀ) A,  β = 2 / vᵀv
 *
 * What a step subtracts from the rows below k stays pending until the next step passes over them: that one pass subtracts, and sums
 * the products with the next x, so that every element is loaded and stored once a step, and the square root and the division of
 * the next reflection are hidden behind it. For this the next pivot must be known before: squared lengths are reduced by R_kj².
 * Their error is relative to the length at which they were last summed; a lane whose longest column has shrunk to 1e-10 of that
 * (squared) has them summed anew, so a choice is never made among round-off. Columns are exchanged while the pivot's is taken,
 * those alone that are the pivot of some lane; lanes mostly agree where they are instances of one mechanism, which saves the
 * selections; the numbers are the same. A remaining length below 2^-450 counts as zero (matrices are scaled to a largest entry
 * near 1): R_kk = 0 from there on. */
#ifndef SARRUS_PINV_QR_H
#define SARRUS_PINV_QR_H

#include "kernels/pinv/problem.h"

/* Columns are contiguous: element (i, j) of an array [n][m] is at j·m + i, of w at j·apart + i. */
typedef struct sarrus_qr {
    int32_t m, n;
    int32_t apart;         /* from one column of w to the next, ≥ m */
    int32_t n_rhs, height; /* right sides to be carried along, and the stride from one to the next (≥ m) */
    real *w;               /* [n][apart] columns of A; destroyed */
    real *f;               /* [n][m] out, not w: R on and above the diagonal, the rows k + 1… of v_k below R_kk */
    real *b;               /* [n_rhs][height] becomes Qᵀ B; not used when n_rhs is 0 */
    real *place;           /* [n] out: column j of A P is column place_j of A */
    real *size;            /* [min(m, n)] out: |R_kk| */
    real *inverse;         /* [min(m, n)] out: 1/R_kk, 0 where R_kk = 0 */
    real *head;            /* [min(m, n)] out: element k of v_k */
    real *beta;            /* [min(m, n)] out: 0 where R_kk = 0 */
    real *index;           /* [n] 0, 1, 2, …: places to compare with */
    real *norm2;           /* [n] squared lengths of the remaining columns */
    real *factor;          /* [n] what is pending: column j ← column j − factor_j x of the step before */
    real longest, pivot;   /* the largest of norm2, and its place */
    real summed;           /* the largest when they were last summed */
} sarrus_qr;

/* What a step does to every column. */
typedef struct sarrus_qr_step {
    int32_t k;
    real *x;                    /* [m] the pivot's column */
    const real *last;           /* [m] that of the step before, of which multiples are pending */
    const real *old;            /* [m] the column that stood at k */
    real pivot;                 /* where the pivot stood */
    real factor, norm2, place;  /* of the old column */
    real own_factor, own_place; /* of the pivot's */
    real square[4];             /* |x|² in four sums */
    real inverse;               /* 1/R_kk */
    real inverse_head;          /* 1/v_k */
} sarrus_qr_step;

/* Columns that are the pivot of some lane. */
typedef struct sarrus_qr_hits {
    int32_t count, at[LANE_WIDTH + 1];
} sarrus_qr_hits;

LANE_FUNCTION int32_t sarrus_qr_steps(int32_t m, int32_t n) {
    return m < n ? m : n;
}

/* Lane arrays of scratch; f and b are the caller's. */
LANE_FUNCTION size_t sarrus_qr_work(int32_t m, int32_t n) {
    return (size_t)sarrus_apart(m) * (size_t)n + 4 * (size_t)n + 4 * (size_t)sarrus_qr_steps(m, n);
}

/* Cuts `work` up for an m×n matrix and returns what follows. */
LANE_FUNCTION real *sarrus_qr_cut(sarrus_qr *qr, int32_t m, int32_t n, real *f, real *work) {
    const int32_t steps = sarrus_qr_steps(m, n);
    qr->m = m;
    qr->n = n;
    qr->apart = sarrus_apart(m);
    qr->n_rhs = 0;
    qr->height = m;
    qr->f = f;
    qr->b = f;
    qr->w = work;
    qr->place = lane_from(qr->w, qr->apart * n);
    qr->size = lane_from(qr->place, n);
    qr->inverse = lane_from(qr->size, steps);
    qr->head = lane_from(qr->inverse, steps);
    qr->beta = lane_from(qr->head, steps);
    qr->index = lane_from(qr->beta, steps);
    qr->norm2 = lane_from(qr->index, n);
    qr->factor = lane_from(qr->norm2, n);
    return lane_from(qr->factor, n);
}

/* The choice of the next pivot, in four chains so that one comparison need not wait for the one before. */
typedef struct sarrus_qr_choice {
    real longest[4], pivot[4];
} sarrus_qr_choice;

LANE_FUNCTION void sarrus_qr_choice_begin(sarrus_qr_choice *choice, int32_t k) {
    for (int32_t c = 0; c < 4; ++c) {
        choice->longest[c] = real_set(-1.0);
        choice->pivot[c] = real_set((real_scalar)k);
    }
}

/* A column at `place`, of this squared length, joins chain c. */
LANE_FUNCTION void sarrus_qr_choice_offer(sarrus_qr_choice *choice, int32_t c, real place, real norm2) {
    mask longer = real_lt(choice->longest[c], norm2);
    choice->longest[c] = real_select(longer, norm2, choice->longest[c]);
    choice->pivot[c] = real_select(longer, place, choice->pivot[c]);
}

LANE_FUNCTION void sarrus_qr_choice_end(sarrus_qr_choice *choice) {
    sarrus_qr_choice_offer(choice, 0, choice->pivot[1], choice->longest[1]);
    sarrus_qr_choice_offer(choice, 2, choice->pivot[3], choice->longest[3]);
    sarrus_qr_choice_offer(choice, 0, choice->pivot[2], choice->longest[2]);
}

LANE_FUNCTION void sarrus_qr_load_columns(const sarrus_qr *qr, const real *a, int32_t row, real scale, int32_t j,
                                          const int32_t count, sarrus_qr_choice *choice) {
    real norm2[4];
    for (int32_t c = 0; c < count; ++c)
        norm2[c] = real_set(0.0);
    for (int32_t i = 0; i < qr->m; ++i) {
        for (int32_t c = 0; c < count; ++c) {
            real x = lane_at(a, i * row + c) * scale;
            lane_at(qr->w, (j + c) * qr->apart + i) = x;
            norm2[c] = real_fma(x, x, norm2[c]);
        }
    }
    for (int32_t c = 0; c < count; ++c) {
        const real place = real_set((real_scalar)(j + c));
        lane_at(qr->place, j + c) = lane_at(qr->index, j + c) = place;
        lane_at(qr->norm2, j + c) = norm2[c];
        lane_at(qr->factor, j + c) = real_set(0.0);
        sarrus_qr_choice_offer(choice, c, place, norm2[c]);
    }
}

LANE_FUNCTION void sarrus_qr_load_end(sarrus_qr *qr, sarrus_qr_choice *choice) {
    sarrus_qr_choice_end(choice);
    qr->longest = qr->summed = choice->longest[0];
    qr->pivot = choice->pivot[0];
}

/* w ← scale · A, with A in rows [m][n]. */
LANE_BODY void sarrus_qr_load(sarrus_qr *qr, const real *a, real scale) {
    sarrus_qr_choice choice;
    int32_t j = 0;
    sarrus_qr_choice_begin(&choice, 0);
    for (; j + 4 <= qr->n; j += 4)
        sarrus_qr_load_columns(qr, lane_from(a, j), qr->n, scale, j, 4, &choice);
    for (; j < qr->n; ++j)
        sarrus_qr_load_columns(qr, lane_from(a, j), qr->n, scale, j, 1, &choice);
    sarrus_qr_load_end(qr, &choice);
}

/* w ← scale · Aᵀ, with A in rows: the rows of A [n][m] are the columns. */
LANE_BODY void sarrus_qr_load_transposed(sarrus_qr *qr, const real *a, real scale) {
    sarrus_qr_choice choice;
    sarrus_qr_choice_begin(&choice, 0);
    for (int32_t j = 0; j < qr->n; ++j)
        sarrus_qr_load_columns(qr, lane_from(a, j * qr->m), 1, scale, j, 1, &choice);
    sarrus_qr_load_end(qr, &choice);
}

/* w ← s A, with the power of two s that is returned: 1 where the longest column is within 2^±100, where nothing can overflow and
 * what underflows is round-off; sarrus_pinv_scale_find's elsewhere. */
LANE_BODY real sarrus_qr_load_scaled(sarrus_qr *qr, const real *a, mask active) {
    const real one = real_set(1.0);
    sarrus_qr_load(qr, a, one);
    mask is_fit = mask_and(real_le(real_set(0x1p-200), qr->longest), real_le(qr->longest, real_set(0x1p200)));
    if (!mask_any(mask_and(active, mask_not(is_fit))))
        return one;
    real scale = real_select(is_fit, one, sarrus_pinv_scale_find(a, qr->m * qr->n));
    sarrus_qr_load(qr, a, scale);
    return scale;
}

/* Right sides in rows [m][n_rhs], to be carried along. */
LANE_BODY void sarrus_qr_load_sides(const sarrus_qr *qr, const real *b) {
    for (int32_t i = 0; i < qr->m; ++i) {
        for (int32_t q = 0; q < qr->n_rhs; ++q)
            lane_at(qr->b, q * qr->height + i) = lane_at(b, i * qr->n_rhs + q);
    }
}

/* Rows i … i + count − 1 of every lane's pivot column from w into x; those of the old column k take their place. Plain: lanes agree
 * on the pivot. Rows from k on (is_below) have what is pending subtracted and join |x|². */
LANE_FUNCTION void sarrus_qr_take_rows(const sarrus_qr *qr, sarrus_qr_step *step, const sarrus_qr_hits *hits, int32_t i,
                                       const int32_t count, const int32_t is_plain, const int32_t is_below) {
    real found[8], old[8];
    for (int32_t c = 0; c < count; ++c)
        found[c] = old[c] = lane_at(step->old, i + c);
    for (int32_t t = 0; t < (is_plain ? 1 : hits->count); ++t) {
        real *column = lane_from(qr->w, hits->at[t] * qr->apart + i);
        mask here = real_eq(step->pivot, lane_at(qr->index, hits->at[t]));
        for (int32_t c = 0; c < count; ++c) {
            found[c] = is_plain ? lane_at(column, c) : real_select(here, lane_at(column, c), found[c]);
            if (is_plain)
                lane_at(column, c) = old[c];
            else
                real_put(here, old[c], &lane_at(column, c));
        }
    }
    for (int32_t c = 0; is_below && c < count; ++c) {
        if (step->k > 0)
            found[c] = real_fnma(step->own_factor, lane_at(step->last, i + c), found[c]);
        step->square[c % 4] = real_fma(found[c], found[c], step->square[c % 4]);
    }
    for (int32_t c = 0; c < count; ++c)
        lane_at(step->x, i + c) = found[c];
}

/* All rows of it, those from k on first. */
LANE_FUNCTION void sarrus_qr_take(const sarrus_qr *qr, sarrus_qr_step *step, const sarrus_qr_hits *hits, const int32_t is_plain) {
    int32_t i = step->k;
    for (; i + 8 <= qr->m; i += 8)
        sarrus_qr_take_rows(qr, step, hits, i, 8, is_plain, 1);
    if (i + 4 <= qr->m) {
        sarrus_qr_take_rows(qr, step, hits, i, 4, is_plain, 1);
        i += 4;
    }
    for (; i < qr->m; ++i)
        sarrus_qr_take_rows(qr, step, hits, i, 1, is_plain, 1);
    for (i = 0; i + 8 <= step->k; i += 8)
        sarrus_qr_take_rows(qr, step, hits, i, 8, is_plain, 0);
    if (i + 4 <= step->k) {
        sarrus_qr_take_rows(qr, step, hits, i, 4, is_plain, 0);
        i += 4;
    }
    for (; i < step->k; ++i)
        sarrus_qr_take_rows(qr, step, hits, i, 1, is_plain, 0);
}

/* Brings the pivot column into column k of f, with what was pending done, and sums its squared length; the old column k of w, and
 * what belongs to it, move to where the pivot stood. */
LANE_FUNCTION void sarrus_qr_gather(const sarrus_qr *qr, sarrus_qr_step *step) {
    sarrus_qr_hits hits;
    hits.count = 0;
    step->own_factor = step->factor;
    step->own_place = step->place;
    for (int32_t j = step->k; j < qr->n; ++j) {
        real *factor = lane_from(qr->factor, j), *norm2 = lane_from(qr->norm2, j), *place = lane_from(qr->place, j);
        mask here = real_eq(step->pivot, lane_at(qr->index, j));
        hits.at[hits.count] = j;
        hits.count += mask_any(here) ? 1 : 0;
        step->own_place = real_select(here, *place, step->own_place);
        step->own_factor = real_select(here, *factor, step->own_factor);
        real_put(here, step->place, place);
        real_put(here, step->factor, factor);
        real_put(here, step->norm2, norm2);
    }
    lane_at(qr->place, step->k) = step->own_place;
    for (int32_t c = 0; c < 4; ++c)
        step->square[c] = real_set(0.0);
    if (hits.count == 1)
        sarrus_qr_take(qr, step, &hits, 1);
    else
        sarrus_qr_take(qr, step, &hits, 0);
}

/* factor_c = xᵀ a_c over rows begin … end − 1, in two interleaved sums. */
LANE_FUNCTION void sarrus_qr_products(const real *x, const real *a, int32_t stride, int32_t begin, int32_t end, real *factor,
                                      const int32_t count) {
    real other[4];
    int32_t i = begin;
    for (int32_t c = 0; c < count; ++c)
        factor[c] = other[c] = real_set(0.0);
    for (; i + 2 <= end; i += 2) {
        const real x0 = lane_at(x, i), x1 = lane_at(x, i + 1);
        for (int32_t c = 0; c < count; ++c) {
            const real *column = lane_from(a, c * stride);
            factor[c] = real_fma(x0, lane_at(column, i), factor[c]);
            other[c] = real_fma(x1, lane_at(column, i + 1), other[c]);
        }
    }
    if (i < end) {
        for (int32_t c = 0; c < count; ++c)
            factor[c] = real_fma(lane_at(x, i), lane_at(a, c * stride + i), factor[c]);
    }
    for (int32_t c = 0; c < count; ++c)
        factor[c] = factor[c] + other[c];
}

/* One row of a pass over `count` columns of w: subtracts what is pending, and sums the products with x. */
LANE_FUNCTION void sarrus_qr_pass_row(const sarrus_qr *qr, const sarrus_qr_step *step, int32_t j, int32_t i, const real *factor,
                                      real *sum, const int32_t count, const int32_t is_first) {
    real *a = lane_from(qr->w, j * qr->apart + i);
    const real x = lane_at(step->x, i), last = lane_at(step->last, i);
    for (int32_t c = 0; c < count; ++c) {
        real y = lane_at(a, c * qr->apart);
        if (!is_first) {
            y = real_fnma(factor[c], last, y);
            lane_at(a, c * qr->apart) = y;
        }
        sum[c] = real_fma(x, y, sum[c]);
    }
}

/* The pass of a step over the columns j … j + count − 1; leaves xᵀ a_j in factor_j. */
LANE_FUNCTION void sarrus_qr_pass(const sarrus_qr *qr, const sarrus_qr_step *step, int32_t j, const int32_t count,
                                  const int32_t is_first) {
    real factor[4], even[4], odd[4];
    int32_t i = step->k;
    for (int32_t c = 0; c < count; ++c) {
        factor[c] = lane_at(qr->factor, j + c);
        even[c] = odd[c] = real_set(0.0);
    }
    for (; i + 2 <= qr->m; i += 2) {
        sarrus_qr_pass_row(qr, step, j, i, factor, even, count, is_first);
        sarrus_qr_pass_row(qr, step, j, i + 1, factor, odd, count, is_first);
    }
    if (i < qr->m)
        sarrus_qr_pass_row(qr, step, j, i, factor, even, count, is_first);
    for (int32_t c = 0; c < count; ++c)
        lane_at(qr->factor, j + c) = even[c] + odd[c];
}

/* The pass over all columns after k, by fours. */
LANE_FUNCTION void sarrus_qr_pass_all(const sarrus_qr *qr, const sarrus_qr_step *step, const int32_t is_first) {
    int32_t j = step->k + 1;
    for (; j + 4 <= qr->n; j += 4)
        sarrus_qr_pass(qr, step, j, 4, is_first);
    if (j + 2 <= qr->n) {
        sarrus_qr_pass(qr, step, j, 2, is_first);
        j += 2;
    }
    if (j < qr->n)
        sarrus_qr_pass(qr, step, j, 1, is_first);
}

LANE_FUNCTION void sarrus_qr_finish_columns(const sarrus_qr *qr, const sarrus_qr_step *step, int32_t j, const int32_t count,
                                            sarrus_qr_choice *choice) {
    const int32_t k = step->k;
    for (int32_t c = 0; c < count; ++c) {
        real *corner = lane_from(qr->w, (j + c) * qr->apart + k);
        real r = step->inverse * lane_at(qr->factor, j + c), place = lane_at(qr->index, j + c);
        const real norm2 = real_fnma(r, r, lane_at(qr->norm2, j + c));
        lane_at(qr->factor, j + c) = (*corner - r) * step->inverse_head;
        *corner = r;
        lane_at(qr->norm2, j + c) = norm2;
        sarrus_qr_choice_offer(choice, c, place, norm2);
    }
}

/* Row k of R from the products, and what is pending; lengths are reduced, and the next pivot is chosen. */
LANE_FUNCTION void sarrus_qr_finish(sarrus_qr *qr, const sarrus_qr_step *step) {
    const int32_t k = step->k;
    sarrus_qr_choice choice;
    sarrus_qr_choice_begin(&choice, k + 1);
    int32_t j = k + 1;
    for (; j + 4 <= qr->n; j += 4)
        sarrus_qr_finish_columns(qr, step, j, 4, &choice);
    for (; j < qr->n; ++j)
        sarrus_qr_finish_columns(qr, step, j, 1, &choice);
    sarrus_qr_choice_end(&choice);
    qr->longest = choice.longest[0];
    qr->pivot = choice.pivot[0];
}

/* Sums the lengths of the columns from k on anew, with what is pending, in the lanes that need it. */
LANE_BODY void sarrus_qr_sum(sarrus_qr *qr, int32_t k, const real *last, mask needed) {
    sarrus_qr_choice choice;
    sarrus_qr_choice_begin(&choice, k);
    for (int32_t j = k; j < qr->n; ++j) {
        const real *a = lane_from(qr->w, j * qr->apart);
        real factor = lane_at(qr->factor, j), norm2 = real_set(0.0);
        for (int32_t i = k; i < qr->m; ++i) {
            real y = real_fnma(factor, lane_at(last, i), lane_at(a, i));
            norm2 = real_fma(y, y, norm2);
        }
        lane_at(qr->norm2, j) = real_select(needed, norm2, lane_at(qr->norm2, j));
        sarrus_qr_choice_offer(&choice, 0, lane_at(qr->index, j), norm2);
    }
    qr->longest = real_select(needed, choice.longest[0], qr->longest);
    qr->pivot = real_select(needed, choice.pivot[0], qr->pivot);
    qr->summed = real_select(needed, choice.longest[0], qr->summed);
}

/* b ← (I − β v vᵀ) b for a group of right sides. */
LANE_FUNCTION void sarrus_qr_reflect(const sarrus_qr *qr, const sarrus_qr_step *step, real *b, const int32_t count) {
    const int32_t k = step->k, stride = qr->height;
    const real *x = step->x;
    real factor[4];
    sarrus_qr_products(x, b, stride, k, qr->m, factor, count);
    for (int32_t c = 0; c < count; ++c) {
        real r = step->inverse * factor[c];
        factor[c] = (lane_at(b, c * stride + k) - r) * step->inverse_head;
        lane_at(b, c * stride + k) = r;
    }
    for (int32_t i = k + 1; i < qr->m; ++i) {
        for (int32_t c = 0; c < count; ++c)
            lane_at(b, c * stride + i) = real_fnma(factor[c], lane_at(x, i), lane_at(b, c * stride + i));
    }
}

/* The reflection that brings x onto e_k, from |x|² and x_k; leaves it in head, beta, size, inverse. Returns R_kk. */
LANE_FUNCTION real sarrus_qr_reflection(const sarrus_qr *qr, sarrus_qr_step *step) {
    const real zero = real_set(0.0), one = real_set(1.0), top = lane_at(step->x, step->k);
    real norm2 = (step->square[0] + step->square[1]) + (step->square[2] + step->square[3]);
    mask is_zero = real_lt(norm2, real_set(0x1p-900)), is_negative = real_lt(top, zero);
    real safe = real_select(is_zero, one, norm2);
    real inverse = real_rsqrt(safe), norm = safe * inverse;
    inverse = real_select(is_zero, zero, real_select(is_negative, inverse, -inverse));
    norm = real_select(is_zero, zero, norm);
    real corner = real_select(is_negative, norm, -norm), head = top - corner;
    step->inverse = inverse;
    step->inverse_head = real_select(is_zero, zero, one / real_select(is_zero, one, head));
    lane_at(qr->size, step->k) = norm;
    lane_at(qr->inverse, step->k) = inverse;
    lane_at(qr->head, step->k) = head;
    lane_at(qr->beta, step->k) = real_abs(inverse * step->inverse_head);
    return corner;
}

/* Step k of the factorisation. */
LANE_FUNCTION void sarrus_qr_advance(sarrus_qr *qr, int32_t k) {
    sarrus_qr_step step;
    int32_t q = 0;
    step.k = k;
    step.x = lane_from(qr->f, k * qr->m);
    step.last = lane_from(qr->f, (k > 0 ? k - 1 : 0) * qr->m);
    step.old = lane_from(qr->w, k * qr->apart);
    mask needed = real_lt(qr->longest, real_set(1e-10) * qr->summed);
    if (k + 1 < qr->n && mask_any(needed))
        sarrus_qr_sum(qr, k, step.last, needed);
    step.pivot = qr->pivot;
    step.factor = lane_at(qr->factor, k);
    step.norm2 = lane_at(qr->norm2, k);
    step.place = lane_at(qr->place, k);
    sarrus_qr_gather(qr, &step);
    const real corner = sarrus_qr_reflection(qr, &step);
    if (k == 0)
        sarrus_qr_pass_all(qr, &step, 1);
    else
        sarrus_qr_pass_all(qr, &step, 0);
    sarrus_qr_finish(qr, &step);
    for (; q + 4 <= qr->n_rhs; q += 4)
        sarrus_qr_reflect(qr, &step, lane_from(qr->b, q * qr->height), 4);
    for (; q < qr->n_rhs; ++q)
        sarrus_qr_reflect(qr, &step, lane_from(qr->b, q * qr->height), 1);
    lane_at(qr->f, k * qr->m + k) = corner;
}

/* The factorisation of what sarrus_qr_load has left in w. */
LANE_BODY void sarrus_qr_factor(sarrus_qr *qr) {
    const int32_t steps = sarrus_qr_steps(qr->m, qr->n);
    for (int32_t k = 0; k < steps; ++k)
        sarrus_qr_advance(qr, k);
    for (int32_t j = steps; j < qr->n; ++j) {
        for (int32_t i = 0; i < qr->m; ++i)
            lane_at(qr->f, j * qr->m + i) = lane_at(qr->w, j * qr->apart + i);
    }
}

/* Additions and multiplications of sarrus_qr_load_scaled (where no scale is needed), sarrus_qr_factor and the decision of a
 * rank `rank` on it: what is left then is round-off, whose lengths are summed anew once. */
LANE_FUNCTION real_scalar sarrus_qr_flops(int32_t m, int32_t n, int32_t n_rhs, int32_t rank) {
    const int32_t steps = sarrus_qr_steps(m, n);
    real_scalar flops = (rank > 0 ? 3.0 : 6.0) * m * n + 1.0 + 3.0 * steps; /* a zero matrix is loaded twice */
    for (int32_t k = 0; k < steps; ++k) {
        const int32_t rows = m - k, per_entry = k > 0 ? 4 : 2;
        flops += 7.0 + per_entry * rows + (n - k - 1.0) * (per_entry * rows + 6.0);
        flops += n_rhs * (rows > 1 ? 4.0 * rows + 2.0 : 4.0); /* below the last row nothing is left to subtract */
        if (k > 0 && k == rank && k + 1 < n)
            flops += 4.0 * rows * (n - k);
    }
    return flops;
}

#endif

/* Modified Gram-Schmidt with pivoting on `count` vectors of `length` elements, a pivot order a lane:
 *
 *   v_place(j) = Σ_{k ≤ j} r_kj q_k,   r_kk = |v'| of the longest remainder v' at step k,   q_k = v' / r_kk,   v'_j ← v'_j − r_kj
 * q_k
 *
 * A lane's pivot is a number, not an address: it is read by selections over all remainders, and its exchange with vector k is a
 * selection inside the pass that projects them anyway. The squared lengths are summed afresh in the same pass, so they never
 * suffer the cancellation of updating them. A remainder below 2^-500 counts as zero (its square is no normal number; the
 * caller has scaled the largest entry to 1). A lane takes steps until its sizes r_kk stop counting (rank.h); from there on its
 * q_k are zero and its numbers stay as they are, up to the sign of zeros. */
#ifndef SARRUS_PINV_ORTHOGONALISE_H
#define SARRUS_PINV_ORTHOGONALISE_H

#include "kernels/pinv/problem.h"

#define SARRUS_ORTHOGONAL_TINY 0x1p-1000

typedef struct sarrus_orthogonal {
    int32_t count, length;
    int32_t is_columns; /* element i of vector j is v[i·row + j], else v[j·row + i] */
    int32_t row;        /* from one row of v to the next */
    int32_t q_row;      /* from one q_k to the next */
    int32_t r_row;      /* from one row of r to the next */
    int32_t is_twice;   /* every q_k is made orthogonal to those before it a second time; needs r */
    int32_t n_steps;    /* out: steps that some lane has taken */
    real *v;            /* [count or length][row] destroyed */
    real *q;            /* [min(count, length)][q_row] out */
    real *r;            /* [min(count, length)][r_row] out, from r_kk on; NULL: not kept */
    real *place;        /* [count] out: which vector stands at place j after the exchanges */
    real *size;         /* [min(count, length)] out: falling; 0 where a lane looked no further */
} sarrus_orthogonal;

/* What one step knows. */
typedef struct sarrus_orthogonal_step {
    int32_t k;
    int32_t is_last; /* no other follows: the remainders need no projection */
    mask open;       /* lanes that take it */
    real pivot;      /* place of the longest remainder */
    real best;       /* its squared length */
    real own;        /* q_k · (the remainder at place k before the exchange) */
    real place;      /* place[k] before the exchange */
    real factor;     /* 1/√best, 0 in lanes that do not take the step */
} sarrus_orthogonal_step;

/* sum[w] ← x · y_w for `width` ≤ 4 vectors y_w (w-th: y[w·between], elements `along` apart); one alone is summed in four parts. */
LANE_FUNCTION void sarrus_products(const real *x, const real *y, int32_t between, int32_t along, int32_t length, int32_t width,
                                   real sum[4]) {
    for (int32_t w = 0; w < 4; ++w)
        sum[w] = real_set(0.0);
    int32_t i = 0;
    if (width == 1) {
        for (; i + 4 <= length; i += 4) {
            for (int32_t w = 0; w < 4; ++w)
                sum[w] = real_fma(lane_at(x, i + w), lane_at(y, (i + w) * along), sum[w]);
        }
    }
    for (; i < length; ++i) {
        real xi = lane_at(x, i);
        for (int32_t w = 0; w < width; ++w)
            sum[w] = real_fma(xi, lane_at(y, w * between + i * along), sum[w]);
    }
    if (width == 1)
        sum[0] = (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/* Additions and multiplications of the products of one vector with n others of its length. */
LANE_BODY double sarrus_products_flops(int32_t n, int32_t length) { /* plan */
    return 2.0 * n * length + (n % 4 == 1 ? 3.0 : 0.0);
}

/* The lanes in which size k of an m×n matrix counts, as far as can be said before the rank is decided on all of them. */
LANE_FUNCTION mask sarrus_size_counts(const sarrus_rank_rule *rule, const sarrus_rank_limit *limit, int32_t m, int32_t n,
                                      const real *size, int32_t k) {
    real x = lane_at(size, k);
    mask counts = mask_and(real_lt(sarrus_rank_threshold(rule, limit, m, n, lane_at(size, 0)), x), real_lt(real_set(0.0), x));
    if (rule->method == SARRUS_RANK_GAP && k > 0)
        counts = mask_and(counts, real_lt(real_set(rule->tolerance) * lane_at(size, k - 1), x));
    if (rule->method == SARRUS_RANK_AUTO || rule->method == SARRUS_RANK_TRACKED)
        counts = mask_and(counts, real_lt(real_set((real_scalar)k), limit->max_rank));
    return counts;
}

/* Keeps the longest of what `step` has and vectors j … j + width − 1, of these squared lengths. */
LANE_FUNCTION void sarrus_orthogonal_longest(sarrus_orthogonal_step *step, int32_t j, int32_t width, const real *norm2) {
    for (int32_t w = 0; w < width; ++w) {
        mask longer = real_lt(step->best, norm2[w]);
        step->best = real_select(longer, norm2[w], step->best);
        step->pivot = real_select(longer, real_set((real_scalar)(j + w)), step->pivot);
    }
}

/* The longest of vectors j … j + width − 1 as they are given. */
LANE_FUNCTION void sarrus_orthogonal_lengths(const sarrus_orthogonal *o, sarrus_orthogonal_step *step, int32_t j, int32_t between,
                                             int32_t along, int32_t width) {
    const real *v = lane_from(o->v, j * between);
    real sum[4];
    for (int32_t w = 0; w < width; ++w)
        sum[w] = real_set(0.0);
    for (int32_t i = 0; i < o->length; ++i) {
        for (int32_t w = 0; w < width; ++w) {
            real x = lane_at(v, w * between + i * along);
            sum[w] = real_fma(x, x, sum[w]);
        }
    }
    for (int32_t w = 0; w < width; ++w)
        lane_at(o->place, j + w) = real_set((real_scalar)(j + w));
    sarrus_orthogonal_longest(step, j, width, sum);
}

/* Elements i … i + width − 1 of the longest remainder, times `factor`, into q_k. */
LANE_FUNCTION void sarrus_orthogonal_gather(const sarrus_orthogonal *o, const sarrus_orthogonal_step *step, int32_t i,
                                            int32_t between, int32_t along, int32_t width) {
    const real *v = lane_from(o->v, i * along);
    real *q = lane_from(o->q, step->k * o->q_row + i);
    real x[8];
    for (int32_t w = 0; w < width; ++w)
        x[w] = lane_at(v, step->k * between + w * along);
    for (int32_t j = step->k + 1; j < o->count; ++j) {
        mask here = real_eq(step->pivot, real_set((real_scalar)j));
        for (int32_t w = 0; w < width; ++w)
            x[w] = real_select(here, lane_at(v, j * between + w * along), x[w]);
    }
    for (int32_t w = 0; w < width; ++w)
        lane_at(q, w) = x[w] * step->factor;
}

/* Exchanges the names of vectors k and pivot, should that be vector j. */
LANE_FUNCTION void sarrus_orthogonal_name(const sarrus_orthogonal *o, const sarrus_orthogonal_step *step, int32_t j) {
    mask here = real_eq(step->pivot, real_set((real_scalar)j));
    real name = lane_at(o->place, j);
    lane_at(o->place, step->k) = real_select(here, name, lane_at(o->place, step->k));
    lane_at(o->place, j) = real_select(here, step->place, name);
}

/* Projects vectors j … j + width − 1, after the exchange; sums their squared lengths and keeps the longest for the next step. */
LANE_FUNCTION void sarrus_orthogonal_project(const sarrus_orthogonal *o, const sarrus_orthogonal_step *step,
                                             sarrus_orthogonal_step *next, int32_t j, int32_t between, int32_t along,
                                             int32_t width) {
    const real *q = lane_from(o->q, step->k * o->q_row), *old = lane_from(o->v, step->k * between);
    real *v = lane_from(o->v, j * between);
    real c[4], sum[4];
    mask here[4];
    sarrus_products(q, v, between, along, o->length, width, c);
    for (int32_t w = 0; w < width; ++w) {
        here[w] = real_eq(step->pivot, real_set((real_scalar)(j + w)));
        c[w] = real_select(here[w], step->own, c[w]);
        sum[w] = real_set(0.0);
    }
    for (int32_t w = 0; o->r && w < width; ++w)
        lane_at(o->r, step->k * o->r_row + j + w) = c[w];
    for (int32_t i = 0; i < o->length && !step->is_last; ++i) {
        real qi = lane_at(q, i), vk = lane_at(old, i * along);
        for (int32_t w = 0; w < width; ++w) {
            real x = real_select(here[w], vk, lane_at(v, w * between + i * along));
            x = real_fnma(qi, c[w], x);
            lane_at(v, w * between + i * along) = x;
            sum[w] = real_fma(x, x, sum[w]);
        }
    }
    for (int32_t w = 0; w < width; ++w)
        sarrus_orthogonal_name(o, step, j + w);
    sarrus_orthogonal_longest(next, j, width, sum);
}

/* Exchanges columns k and pivot, of columns j … j + width − 1, of the rows of r before k. */
LANE_FUNCTION void sarrus_orthogonal_exchange(const sarrus_orthogonal *o, const sarrus_orthogonal_step *step, int32_t j,
                                              int32_t width) {
    mask here[4];
    for (int32_t w = 0; w < width; ++w)
        here[w] = real_eq(step->pivot, real_set((real_scalar)(j + w)));
    for (int32_t i = 0; i < step->k; ++i) {
        real *row = lane_from(o->r, i * o->r_row);
        real old = lane_at(row, step->k), x = old;
        for (int32_t w = 0; w < width; ++w) {
            real y = lane_at(row, j + w);
            x = real_select(here[w], y, x);
            lane_at(row, j + w) = real_select(here[w], old, y);
        }
        lane_at(row, step->k) = x;
    }
}

/* w ← w − Σ_{i < k} (q_i · w) q_i for w in the place of q_k; what was still there is added to r. */
LANE_BODY void sarrus_orthogonal_again(const sarrus_orthogonal *o, int32_t k) {
    real *w = lane_from(o->q, k * o->q_row);
    for (int32_t i = 0; i < k; i += 4) {
        const real *q = lane_from(o->q, i * o->q_row);
        real c[4];
        if (k - i >= 4) {
            sarrus_products(w, q, o->q_row, 1, o->length, 4, c);
            for (int32_t e = 0; e < o->length; ++e) {
                real x = lane_at(w, e);
                for (int32_t p = 0; p < 4; ++p)
                    x = real_fnma(c[p], lane_at(q, p * o->q_row + e), x);
                lane_at(w, e) = x;
            }
            for (int32_t p = 0; p < 4; ++p)
                lane_at(o->r, (i + p) * o->r_row + k) = lane_at(o->r, (i + p) * o->r_row + k) + c[p];
            continue;
        }
        for (int32_t p = 0; p < k - i; ++p) {
            sarrus_products(w, lane_from(q, p * o->q_row), 0, 1, o->length, 1, c);
            for (int32_t e = 0; e < o->length; ++e)
                lane_at(w, e) = real_fnma(c[0], lane_at(q, p * o->q_row + e), lane_at(w, e));
            lane_at(o->r, (i + p) * o->r_row + k) = lane_at(o->r, (i + p) * o->r_row + k) + c[0];
        }
    }
}

/* 1/√x where x is large enough to count, else 0. */
LANE_FUNCTION real sarrus_inverse_length(mask open, real x) {
    mask ok = mask_and(open, real_lt(real_set(SARRUS_ORTHOGONAL_TINY), x));
    return real_select(ok, real_rsqrt(real_select(ok, x, real_set(1.0))), real_set(0.0));
}

/* q_k, r_kk and the exchange in the rows of r before k. */
LANE_FUNCTION void sarrus_orthogonal_begin(const sarrus_orthogonal *o, const sarrus_orthogonal_step *step, int32_t between,
                                           int32_t along) {
    const int32_t k = step->k;
    int32_t i = 0;
    for (; i + 8 <= o->length; i += 8)
        sarrus_orthogonal_gather(o, step, i, between, along, 8);
    for (; i + 4 <= o->length; i += 4)
        sarrus_orthogonal_gather(o, step, i, between, along, 4);
    for (; i < o->length; ++i)
        sarrus_orthogonal_gather(o, step, i, between, along, 1);
    if (!o->r)
        return;
    int32_t j = k + 1;
    for (; j + 4 <= o->count; j += 4)
        sarrus_orthogonal_exchange(o, step, j, 4);
    for (; j < o->count; ++j)
        sarrus_orthogonal_exchange(o, step, j, 1);
    real norm2 = step->best, factor = step->factor;
    if (o->is_twice) {
        real *q = lane_from(o->q, k * o->q_row);
        sarrus_orthogonal_again(o, k);
        real sum[4];
        sarrus_products(q, q, 0, 1, o->length, 1, sum);
        norm2 = sum[0];
        factor = sarrus_inverse_length(step->open, norm2);
        for (i = 0; i < o->length; ++i)
            lane_at(q, i) = lane_at(q, i) * factor;
    }
    lane_at(o->r, k * o->r_row + k) = norm2 * factor;
}

/* The step on all vectors after k; returns what the next one starts from. */
LANE_FUNCTION sarrus_orthogonal_step sarrus_orthogonal_finish(const sarrus_orthogonal *o, sarrus_orthogonal_step *step,
                                                              int32_t between, int32_t along) {
    const int32_t k = step->k;
    sarrus_orthogonal_step next = *step;
    next.k = k + 1;
    next.pivot = real_set((real_scalar)(k + 1));
    next.best = real_set(0.0);
    if (k + 1 == o->count)
        return next;
    if (step->is_last && !o->r) {
        /* Nothing is left to project for, but the last vector kept has to be known. */
        for (int32_t i = k + 1; i < o->count; ++i)
            sarrus_orthogonal_name(o, step, i);
        return next;
    }
    real own[4];
    sarrus_products(lane_from(o->q, k * o->q_row), lane_from(o->v, k * between), 0, along, o->length, 1, own);
    step->own = own[0];
    int32_t j = k + 1;
    for (; j + 4 <= o->count; j += 4)
        sarrus_orthogonal_project(o, step, &next, j, between, along, 4);
    if (o->count - j == 3)
        sarrus_orthogonal_project(o, step, &next, j, between, along, 3);
    else if (o->count - j == 2)
        sarrus_orthogonal_project(o, step, &next, j, between, along, 2);
    else if (o->count - j == 1)
        sarrus_orthogonal_project(o, step, &next, j, between, along, 1);
    return next;
}

LANE_FUNCTION void sarrus_orthogonalise_along(sarrus_orthogonal *o, const sarrus_rank_rule *rule, const sarrus_rank_limit *limit,
                                              mask active, int32_t between, int32_t along) {
    const int32_t most = o->count < o->length ? o->count : o->length;
    const real zero = real_set(0.0);
    sarrus_orthogonal_step step = {0, 0, active, zero, zero, zero, zero, zero};
    int32_t j = 0;
    for (; j + 4 <= o->count; j += 4)
        sarrus_orthogonal_lengths(o, &step, j, between, along, 4);
    for (; j < o->count; ++j)
        sarrus_orthogonal_lengths(o, &step, j, between, along, 1);
    for (o->n_steps = 0; o->n_steps < most; ++o->n_steps) {
        const int32_t k = o->n_steps;
        real inverse = sarrus_inverse_length(step.open, step.best), size = step.best * inverse;
        if (k > 0)
            size = real_select(real_lt(lane_at(o->size, k - 1), size), lane_at(o->size, k - 1), size);
        lane_at(o->size, k) = size;
        step.open = mask_and(step.open, sarrus_size_counts(rule, limit, o->length, o->count, o->size, k));
        if (!mask_any(step.open))
            break;
        step.is_last = k + 1 == most;
        step.pivot = real_select(step.open, step.pivot, real_set((real_scalar)k));
        step.place = lane_at(o->place, k);
        step.factor = real_select(step.open, o->is_twice ? real_set(1.0) : inverse, zero);
        sarrus_orthogonal_begin(o, &step, between, along);
        step = sarrus_orthogonal_finish(o, &step, between, along);
    }
    for (int32_t k = o->n_steps + 1; k < most; ++k)
        lane_at(o->size, k) = zero;
}

/* Takes the steps. */
LANE_BODY void sarrus_orthogonalise(sarrus_orthogonal *o, const sarrus_rank_rule *rule, const sarrus_rank_limit *limit,
                                    mask active) {
    if (o->is_columns)
        sarrus_orthogonalise_along(o, rule, limit, active, 1, o->row);
    else
        sarrus_orthogonalise_along(o, rule, limit, active, o->row, 1);
}

/* Operations of one threshold of the rule. */
LANE_BODY int32_t sarrus_threshold_flops(const sarrus_rank_rule *rule) {
    return rule->method == SARRUS_RANK_VIOLATION ? 3 : 1;
}

/* Operations of sarrus_rank_decide on `count` sizes. */
LANE_BODY int32_t sarrus_decide_flops(const sarrus_rank_rule *rule, int32_t count) {
    int32_t each = rule->method == SARRUS_RANK_TRACKED ? 4 : 3;
    return sarrus_threshold_flops(rule) + each * count + (rule->method == SARRUS_RANK_GAP && count > 0 ? count - 1 : 0);
}

/* Operations of the sizes that a pivoting method looks at one by one, and stops at the first that does not count. */
LANE_BODY int32_t sarrus_sizes_flops(const sarrus_rank_rule *rule, int32_t rank, int32_t most) {
    int32_t seen = rank < most ? rank + 1 : most;
    return seen * (1 + sarrus_threshold_flops(rule)) + (rule->method == SARRUS_RANK_GAP && seen > 0 ? seen - 1 : 0);
}

/* Operations of the second orthogonalisation of q_k, and of its length. */
LANE_BODY double sarrus_orthogonal_again_flops(int32_t k, int32_t length) { /* plan */
    return (4.0 * length + 1.0) * k + 3.0 * (k % 4) + 3.0 * length + 3.0;
}

/* Operations of sarrus_orthogonalise where every lane takes `rank` steps. */
LANE_BODY double sarrus_orthogonalise_flops(const sarrus_orthogonal *o, const sarrus_rank_rule *rule, int32_t rank, /* plan */
                                            int32_t has_r) {
    const int32_t most = o->count < o->length ? o->count : o->length;
    double sum = 2.0 * o->count * o->length + sarrus_sizes_flops(rule, rank, most); /* plan */
    for (int32_t k = 0; k < rank; ++k) {
        const int32_t is_last = k + 1 == most, n_after = o->count - k - 1;
        sum += o->length + has_r;
        if (o->is_twice)
            sum += sarrus_orthogonal_again_flops(k, o->length);
        if (n_after == 0 || (is_last && !has_r))
            continue;
        sum += sarrus_products_flops(1, o->length) + sarrus_products_flops(n_after, o->length);
        if (!is_last)
            sum += 4.0 * o->length * n_after;
    }
    return sum;
}

#endif

/* What every pseudoinverse method is given: one m×n matrix a lane, and either right sides (apply) or nothing (explicit).
 *
 *   apply      X = A⁺ B        B [m][n_rhs]       the least-squares solutions of least norm; A⁺ is not formed
 *   explicit   X = A⁺          X [n][m]
 *
 * A method is one file with
 *   sarrus_pinv_NAME(shape, lanes)     the arithmetic
 *   sarrus_pinv_NAME_work(shape)       lane arrays of scratch that it needs
 *   sarrus_pinv_NAME_flops(shape, …)   operations for one matrix (additions and multiplications; an FMA is two), exact for a tile
 *                                      whose lanes all have that rank: comparisons, selections, maxima and magnitudes are none,
 *                                      divisions and square roots are not counted
 * It may branch on the shape and on whether ANY lane needs a path; what a lane gets must not depend on its neighbours: lanes
 * that do not need a path keep their bits by selection. Finite matrices give finite results (∞ only where A⁺ itself
 * overflows), of any scaling: methods scale by sarrus_pinv_scale first. */
#ifndef SARRUS_PINV_PROBLEM_H
#define SARRUS_PINV_PROBLEM_H

#include "kernels/pinv/rank.h"

/* The same for every lane. */
typedef struct sarrus_pinv_shape {
    int32_t method; /* sarrus_pinv_method */
    int32_t m, n;
    int32_t n_rhs;       /* apply: right sides; explicit: not used */
    int32_t is_explicit; /* 1: X becomes A⁺ */
    sarrus_rank_rule rule;
} sarrus_pinv_shape;

typedef struct sarrus_pinv_lanes {
    real *a;                      /* [m][n] destroyed */
    real *b;                      /* [m][n_rhs] destroyed; not used by the explicit form */
    real *x;                      /* [n][n_rhs] | [n][m] out */
    real *work;                   /* [sarrus_pinv_NAME_work] */
    mask active;                  /* lanes that count; the others may hold anything and get anything */
    sarrus_rank_limit limit;      /* unit is the method's to set */
    sarrus_rank_decision found;   /* out */
    real n_sweeps;                /* out: sweeps of an iterative method (rotations per pair of rows), 0 of others */
    const volatile int32_t *stop; /* non-zero: an iterative method gives up, and what it gives is good for nothing; NULL: none */
} sarrus_pinv_lanes;

/* Length from which on rows and columns of scratch are apart by an odd number of lane arrays. */
enum { SARRUS_LONG = 32 };

/* How far vectors of this length are apart in scratch. Some that are 4,096 bytes apart, or half of it, would be one another to a
 * processor where the one is stored and the next loaded, and share their places in its first cache. */
LANE_FUNCTION int32_t sarrus_apart(int32_t length) {
    return length < SARRUS_LONG ? length : length | 1;
}

/* Columns of X: right sides, or columns of A⁺. */
LANE_FUNCTION int32_t sarrus_pinv_columns(const sarrus_pinv_shape *shape) {
    return shape->is_explicit ? shape->m : shape->n_rhs;
}

/* The power of two s that brings A's largest entry into [1, 2); 1 for a zero matrix. Entries below 2^-1000 count as that, so that s
 * stays finite. */
LANE_BODY real sarrus_pinv_scale_find(const real *a, int32_t count) {
    real largest[4];
    for (int32_t c = 0; c < 4; ++c)
        largest[c] = real_set(0.0);
    int32_t i = 0;
    for (; i + 4 <= count; i += 4) {
        for (int32_t c = 0; c < 4; ++c)
            largest[c] = real_max(real_abs(lane_at(a, i + c)), largest[c]);
    }
    for (; i < count; ++i)
        largest[0] = real_max(real_abs(lane_at(a, i)), largest[0]);
    largest[0] = real_max(real_max(largest[0], largest[1]), real_max(largest[2], largest[3]));
    real power = real_max(real_exponent_part(largest[0]), real_set(0x1p-1000));
    power = real_select(real_lt(real_set(0x1p1000), power), real_set(0x1p1000), power);
    power = real_select(real_eq(largest[0], real_set(0.0)), real_set(1.0), power);
    return real_set(1.0) / power;
}

/* A ← s A with that s, which is returned (exact). Then A⁺ = s (s A)⁺, see sarrus_pinv_unscale. */
LANE_BODY real sarrus_pinv_scale(real *a, int32_t count) {
    real scale = sarrus_pinv_scale_find(a, count);
    for (int32_t i = 0; i < count; ++i)
        lane_at(a, i) = lane_at(a, i) * scale;
    return scale;
}

/* The rows of s A (m×n), `row` apart: at `to`, or where A is when they need not move. */
LANE_BODY real *sarrus_pinv_scale_rows(real *a, int32_t m, int32_t n, real scale, int32_t row, real *to) {
    real *rows = row == n ? a : to;
    for (int32_t i = 0; i < m; ++i) {
        for (int32_t k = 0; k < n; ++k)
            lane_at(rows, i * row + k) = lane_at(a, i * n + k) * scale;
    }
    return rows;
}

/* X ← s X. */
LANE_BODY void sarrus_pinv_unscale(real scale, real *x, int32_t count) {
    for (int32_t i = 0; i < count; ++i)
        lane_at(x, i) = lane_at(x, i) * scale;
}

#endif

/* Gᵀ D = Σ Vᵀ by plane rotations of the rows of D (one-sided Jacobi).
 *
 *   (x, y) ← (c x + g y, c y − g x),  tan 2θ = 2 x·y / (|x|² − |y|²),  the longer row first (de Rijk's order)
 *
 * A sweep takes the pairs i < j in the order of (i + j) mod count, which converges like the order by rows, but gives count rounds
 * of disjoint pairs: their products, their angles and their rotations are independent, so that no latency is waited for. Angles
 * need no division: with h = ((|x|² − |y|²)² + 4 (x·y)²)^½,  cos² θ = (1 + ||x|² − |y|²| / h) / 2  and  sin θ = x·y / (h cos θ),
 * both by reciprocal square roots.
 *
 * Every lane runs until the slowest has converged. A lane that does not need a rotation gets c = 1, g = 0, which leaves its
 * numbers as they are (−0 may become 0; nothing here depends on the sign of a zero, so the bits of sums do not either). */
#ifndef SARRUS_PINV_SWEEP_H
#define SARRUS_PINV_SWEEP_H

#include "kernels/lane/lane.h"

/* Sweeps at most: the slowest known matrices need 12. */
#define SARRUS_SWEEP_CAP 40
/* Pairs whose angles are computed together. */
#define SARRUS_SWEEP_GROUP 8
/* Arrays of rows that are rotated along. */
#define SARRUS_SWEEP_COMPANIONS 2

typedef struct sarrus_sweep_rows {
    int32_t count;                            /* rows */
    int32_t width;                            /* of a row of D */
    real *d;                                  /* [count][width] becomes Σ Vᵀ */
    real *norm2;                              /* [count] σ² */
    int32_t n_along[SARRUS_SWEEP_COMPANIONS]; /* widths of the companions; 0 where there is none */
    real *along[SARRUS_SWEEP_COMPANIONS];     /* [count][n_along] E becomes Gᵀ E */
} sarrus_sweep_rows;

typedef struct sarrus_sweep_pair {
    int32_t i, j;
    mask on;
    real product, c, g;
} sarrus_sweep_pair;

/* The pairs of the current group, and those of the group before, whose companions are still to be rotated. */
typedef struct sarrus_sweep_queue {
    int32_t current;
    int32_t n_pairs[2];
    sarrus_sweep_pair pair[2][SARRUS_SWEEP_GROUP];
    real n_rotations;
} sarrus_sweep_queue;

LANE_FUNCTION real sarrus_row_product(const real *x, const real *y, int32_t n) {
    real s0 = real_set(0.0), s1 = real_set(0.0), s2 = real_set(0.0), s3 = real_set(0.0);
    int32_t k = 0;
    for (; k + 3 < n; k += 4) {
        s0 = real_fma(lane_at(x, k), lane_at(y, k), s0);
        s1 = real_fma(lane_at(x, k + 1), lane_at(y, k + 1), s1);
        s2 = real_fma(lane_at(x, k + 2), lane_at(y, k + 2), s2);
        s3 = real_fma(lane_at(x, k + 3), lane_at(y, k + 3), s3);
    }
    for (; k < n; ++k)
        s0 = real_fma(lane_at(x, k), lane_at(y, k), s0);
    return (s0 + s1) + (s2 + s3);
}

/* (x, y) ← (c x + g y, c y − g x). */
LANE_FUNCTION void sarrus_rows_rotate(real *x, real *y, int32_t n, real c, real g) {
    int32_t k = 0;
    for (; k + 1 < n; k += 2) {
        real x0 = lane_at(x, k), y0 = lane_at(y, k), x1 = lane_at(x, k + 1), y1 = lane_at(y, k + 1);
        lane_at(x, k) = real_fma(g, y0, c * x0);
        lane_at(y, k) = real_fnma(g, x0, c * y0);
        lane_at(x, k + 1) = real_fma(g, y1, c * x1);
        lane_at(y, k + 1) = real_fnma(g, x1, c * y1);
    }
    if (k < n) {
        real x0 = lane_at(x, k), y0 = lane_at(y, k);
        lane_at(x, k) = real_fma(g, y0, c * x0);
        lane_at(y, k) = real_fnma(g, x0, c * y0);
    }
}

/* The angle of a pair, and the norms as they will be. Lanes that do not rotate have product 0. */
LANE_FUNCTION void sarrus_sweep_angle(const sarrus_sweep_rows *rows, sarrus_sweep_pair *pair) {
    const real one = real_set(1.0), half = real_set(0.5);
    const mask on = pair->on;
    real alpha = lane_at(rows->norm2, pair->i), beta = lane_at(rows->norm2, pair->j), p = pair->product;
    real d = alpha - beta, p2 = p + p;
    real y = real_rsqrt(real_select(on, real_fma(d, d, p2 * p2), one));
    mask swap = mask_and(on, real_lt(alpha, beta));
    real c2 = real_fma(half * real_abs(d), y, half);
    real inverse_c = real_rsqrt(c2);
    real c = real_select(on, c2 * inverse_c, one), s = (p * y) * inverse_c;
    real gain = s * inverse_c * p; /* what the longer row's square gains */
    lane_at(rows->norm2, pair->i) = real_select(swap, beta, alpha) + gain;
    lane_at(rows->norm2, pair->j) = real_select(swap, alpha, beta) - gain;
    pair->c = real_select(swap, s, c);
    pair->g = real_select(swap, c, s);
}

/* Rows i and j of the companions. */
LANE_FUNCTION void sarrus_sweep_along(const sarrus_sweep_rows *rows, const sarrus_sweep_pair *pair) {
    for (int32_t a = 0; a < SARRUS_SWEEP_COMPANIONS; ++a) {
        const int32_t width = rows->n_along[a];
        if (width > 0)
            sarrus_rows_rotate(lane_from(rows->along[a], pair->i * width), lane_from(rows->along[a], pair->j * width), width,
                               pair->c, pair->g);
    }
}

/* Angles and rotations of the current group. Nothing waits for the companions: they are rotated a group later, among the angles
 * of the next group, which are long chains of operations and leave room. */
LANE_FUNCTION void sarrus_sweep_flush(const sarrus_sweep_rows *rows, sarrus_sweep_queue *queue) {
    sarrus_sweep_pair *pair = queue->pair[queue->current], *before = queue->pair[1 - queue->current];
    const int32_t n_pairs = queue->n_pairs[queue->current], n_before = queue->n_pairs[1 - queue->current];
    for (int32_t k = 0; k < n_pairs || k < n_before; ++k) {
        if (k < n_pairs)
            sarrus_sweep_angle(rows, pair + k);
        if (k < n_before)
            sarrus_sweep_along(rows, before + k);
    }
    for (int32_t k = 0; k < n_pairs; ++k)
        sarrus_rows_rotate(lane_from(rows->d, pair[k].i * rows->width), lane_from(rows->d, pair[k].j * rows->width), rows->width,
                           pair[k].c, pair[k].g);
    queue->current = 1 - queue->current;
    queue->n_pairs[queue->current] = 0;
}

/* One round: the pairs i < j with i + j ≡ round. Returns the lanes that were rotated. */
LANE_BODY mask sarrus_sweep_round(const sarrus_sweep_rows *rows, int32_t round, real noise, mask active,
                                  sarrus_sweep_queue *queue) {
    const real_scalar relative = 2.220446049250313e-16 * rows->width;
    const real tolerance = real_set(relative * relative), one = real_set(1.0), zero = real_set(0.0);
    mask rotated = mask_none();
    for (int32_t i = 0; i < rows->count; ++i) {
        const int32_t j = i <= round ? round - i : round - i + rows->count;
        if (j <= i)
            continue;
        real alpha = lane_at(rows->norm2, i), beta = lane_at(rows->norm2, j);
        mask on = mask_and(active, mask_and(real_lt(noise, alpha), real_lt(noise, beta)));
        if (!mask_any(on))
            continue;
        real p = sarrus_row_product(lane_from(rows->d, i * rows->width), lane_from(rows->d, j * rows->width), rows->width);
        on = mask_and(on, real_lt(tolerance * (alpha * beta), p * p));
        if (!mask_any(on))
            continue;
        rotated = mask_or(rotated, on);
        queue->n_rotations = queue->n_rotations + real_select(on, one, zero);
        sarrus_sweep_pair *pair = &queue->pair[queue->current][queue->n_pairs[queue->current]++];
        pair->i = i;
        pair->j = j;
        pair->on = on;
        pair->product = real_select(on, p, zero);
        if (queue->n_pairs[queue->current] == SARRUS_SWEEP_GROUP)
            sarrus_sweep_flush(rows, queue);
    }
    if (queue->n_pairs[queue->current] > 0)
        sarrus_sweep_flush(rows, queue);
    return rotated;
}

/* norm2 from the rows; returns the largest. */
LANE_BODY real sarrus_sweep_norms(const sarrus_sweep_rows *rows) {
    real largest = real_set(0.0);
    for (int32_t i = 0; i < rows->count; ++i) {
        const real *x = lane_from(rows->d, i * rows->width);
        real square = sarrus_row_product(x, x, rows->width);
        lane_at(rows->norm2, i) = square;
        largest = real_max(square, largest);
    }
    return largest;
}

/* Runs the sweeps for the lanes of `active`. Two rows are orthogonal when |x·y| ≤ width ε |x||y|; a row not above noise² of the
 * largest square is round-off that no rotation can improve. Returns the rotations, in sweeps (all pairs once). */
LANE_BODY real sarrus_sweep_run(const sarrus_sweep_rows *rows, real_scalar noise2, mask active) {
    const int32_t count = rows->count, n_pairs = count * (count - 1) / 2;
    sarrus_sweep_queue queue;
    queue.current = 0;
    queue.n_pairs[0] = queue.n_pairs[1] = 0;
    queue.n_rotations = real_set(0.0);
    for (int32_t sweep = 0; sweep < SARRUS_SWEEP_CAP; ++sweep) {
        real noise = sarrus_sweep_norms(rows) * real_set(noise2);
        mask rotated = mask_none();
        for (int32_t round = 1; round <= count; ++round)
            rotated = mask_or(rotated, sarrus_sweep_round(rows, round % count, noise, active, &queue));
        active = mask_and(active, rotated);
        if (!mask_any(active))
            break;
    }
    sarrus_sweep_flush(rows, &queue);
    (void)sarrus_sweep_norms(rows);
    return queue.n_rotations * real_set(1.0 / (n_pairs > 0 ? n_pairs : 1));
}

/* Operations of sarrus_sweep_run when n_sweeps says how many rotations there were and n_alive rows were above the noise: a lane
 * converges in the last sweep that rotates something, and one more finds nothing to do. */
LANE_BODY double sarrus_sweep_flops(int32_t count, int32_t width, int32_t n_along, int32_t n_alive, double n_sweeps) { /* plan */
    const double n_pairs = 0.5 * count * (count - 1), alive_pairs = 0.5 * n_alive * (n_alive - 1);                     /* plan */
    const double n_rotations = n_sweeps * n_pairs, product = 2.0 * width + 3.0;                                        /* plan */
    double n_runs = alive_pairs > 0.0 ? n_rotations / alive_pairs : 0.0;                                               /* plan */
    n_runs = (double)(int64_t)(n_runs + 0.999) + 1.0;                                                                  /* plan */
    return (n_runs + 1.0) * count * product + n_runs * (alive_pairs * (product + 3.0) + 1.0) +
           n_rotations * (16.0 + 6.0 * (width + n_along)) + 1.0;
}

#endif

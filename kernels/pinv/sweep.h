/* Gᵀ D = Σ Vᵀ by plane rotations of the rows of D (one-sided Jacobi).
 *
 *   (x, y) ← (c x + g y, c y − g x),  tan 2θ = 2 x·y / (|x|² − |y|²),  the longer row first (de Rijk's order)
 *
 * A sweep takes the pairs i < j in the order of (i + j) mod count, which converges like the order by rows, but gives count rounds
 * of disjoint pairs: their products, their angles and their rotations are independent, so that no latency is waited for. Rows
 * that outgrow the first cache may be taken by blocks instead: all pairs of two blocks while they are in it.
 *
 * Angles need no division: with h = ((|x|² − |y|²)² + 4 (x·y)²)^½,  cos² θ = (1 + ||x|² − |y|²| / h) / 2  and
 * sin θ = x·y / (h cos θ), both by reciprocal square roots.
 *
 * Every lane runs until the slowest has converged. A lane that does not need a rotation gets c = 1, g = 0, which leaves its
 * numbers as they are (−0 may become 0; nothing here depends on the sign of a zero, so the bits of sums do not either). */
#ifndef SARRUS_PINV_SWEEP_H
#define SARRUS_PINV_SWEEP_H

#include "kernels/lane/lane.h"

/* Sweeps at most: the slowest known matrices need 12. */
#define SARRUS_SWEEP_CAP 40
/* Pairs whose angles are computed together; rotations that may wait for the companions; columns of a strip of them. */
#define SARRUS_SWEEP_GROUP 8
#define SARRUS_SWEEP_PENDING 64
#define SARRUS_SWEEP_STRIP 16
/* Arrays of rows that are rotated along. */
#define SARRUS_SWEEP_COMPANIONS 2
/* Bytes of rows that are taken in rounds over all of them; bytes that two blocks may have. */
#define SARRUS_SWEEP_CACHE 49152
#define SARRUS_SWEEP_BLOCKS 36864

typedef struct sarrus_sweep_rows {
    int32_t count;                            /* rows */
    int32_t width;                            /* of a row of D */
    int32_t may_block;                        /* rows that outgrow the first cache are taken by blocks */
    real *d;                                  /* [count][width] becomes Σ Vᵀ */
    real *norm2;                              /* [count] σ² */
    int32_t n_along[SARRUS_SWEEP_COMPANIONS]; /* widths of the companions; 0 where there is none */
    real *along[SARRUS_SWEEP_COMPANIONS];     /* [count][n_along] E becomes Gᵀ E */
    const volatile int32_t *stop;             /* non-zero: rows are left as they are, and good for nothing; NULL: there is none */
} sarrus_sweep_rows;

typedef struct sarrus_sweep_pair {
    int32_t i, j;
    mask on;
    real product;
} sarrus_sweep_pair;

typedef struct sarrus_sweep_rotation {
    int32_t i, j;
    real c, g;
} sarrus_sweep_rotation;

/* A sweep under way. */
typedef struct sarrus_sweep_state {
    const sarrus_sweep_rows *rows;
    int32_t is_blocked, n_pairs;
    int32_t first_pending, n_pending;
    mask active, rotated;
    real noise, tolerance; /* squares */
    real n_rotations;
    sarrus_sweep_pair pair[SARRUS_SWEEP_GROUP];          /* to be rotated together */
    sarrus_sweep_rotation pending[SARRUS_SWEEP_PENDING]; /* D's rows are rotated, the companions' are not yet */
} sarrus_sweep_state;

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
LANE_FUNCTION void sarrus_sweep_angle(const sarrus_sweep_rows *rows, const sarrus_sweep_pair *pair, sarrus_sweep_rotation *out) {
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
    out->i = pair->i;
    out->j = pair->j;
    out->c = real_select(swap, s, c);
    out->g = real_select(swap, c, s);
}

/* The companions' rows i and j, columns first … first + count − 1 where they have them. */
LANE_FUNCTION void sarrus_sweep_along(const sarrus_sweep_rows *rows, const sarrus_sweep_rotation *by, int32_t first,
                                      int32_t count) {
    for (int32_t a = 0; a < SARRUS_SWEEP_COMPANIONS; ++a) {
        const int32_t width = rows->n_along[a], n_columns = width - first < count ? width - first : count;
        if (n_columns > 0)
            sarrus_rows_rotate(lane_from(rows->along[a], by->i * width + first), lane_from(rows->along[a], by->j * width + first),
                               n_columns, by->c, by->g);
    }
}

/* Rotates the companions by all that is pending, strip by strip. */
LANE_BODY void sarrus_sweep_settle(sarrus_sweep_state *state) {
    const sarrus_sweep_rows *rows = state->rows;
    const int32_t width = rows->n_along[0] > rows->n_along[1] ? rows->n_along[0] : rows->n_along[1];
    for (int32_t first = 0; first < width; first += SARRUS_SWEEP_STRIP) {
        for (int32_t k = 0; k < state->n_pending; ++k)
            sarrus_sweep_along(rows, state->pending + state->first_pending + k, first, SARRUS_SWEEP_STRIP);
    }
    state->n_pending = 0;
}

/* Angles and rotations of the group. Nothing waits for the companions: in rounds over all rows they are rotated a group later,
 * among the angles of that group, which are long chains of operations and leave room. */
LANE_FUNCTION void sarrus_sweep_flush(sarrus_sweep_state *state) {
    const sarrus_sweep_rows *rows = state->rows;
    const int32_t n_pairs = state->n_pairs, n_before = state->is_blocked ? 0 : state->n_pending;
    const sarrus_sweep_rotation *before = state->pending + state->first_pending;
    if (!state->is_blocked) {
        state->first_pending = SARRUS_SWEEP_GROUP - state->first_pending; /* two places in turn */
        state->n_pending = 0;
    }
    sarrus_sweep_rotation *next = state->pending + state->first_pending + state->n_pending;
    for (int32_t k = 0; k < n_pairs || k < n_before; ++k) {
        if (k < n_pairs)
            sarrus_sweep_angle(rows, state->pair + k, next + k);
        if (k < n_before)
            sarrus_sweep_along(rows, before + k, 0, INT32_MAX);
    }
    for (int32_t k = 0; k < n_pairs; ++k)
        sarrus_rows_rotate(lane_from(rows->d, next[k].i * rows->width), lane_from(rows->d, next[k].j * rows->width), rows->width,
                           next[k].c, next[k].g);
    state->n_pending += n_pairs;
    state->n_pairs = 0;
}

/* Rows i and j join the group when a lane needs them rotated. */
LANE_FUNCTION void sarrus_sweep_offer(sarrus_sweep_state *state, int32_t i, int32_t j) {
    const sarrus_sweep_rows *rows = state->rows;
    real alpha = lane_at(rows->norm2, i), beta = lane_at(rows->norm2, j);
    mask on = mask_and(state->active, mask_and(real_lt(state->noise, alpha), real_lt(state->noise, beta)));
    if (!mask_any(on))
        return;
    real p = sarrus_row_product(lane_from(rows->d, i * rows->width), lane_from(rows->d, j * rows->width), rows->width);
    on = mask_and(on, real_lt(state->tolerance * (alpha * beta), p * p));
    if (!mask_any(on))
        return;
    state->rotated = mask_or(state->rotated, on);
    state->n_rotations = state->n_rotations + real_select(on, real_set(1.0), real_set(0.0));
    sarrus_sweep_pair *pair = state->pair + state->n_pairs++;
    pair->i = i;
    pair->j = j;
    pair->on = on;
    pair->product = real_select(on, p, real_set(0.0));
    if (state->n_pairs == SARRUS_SWEEP_GROUP)
        sarrus_sweep_flush(state);
}

/* One round: the pairs i < j with i + j ≡ round, of the `count` rows from `first` on. */
LANE_BODY void sarrus_sweep_round(sarrus_sweep_state *state, int32_t first, int32_t count, int32_t round) {
    for (int32_t i = 0; i < count; ++i) {
        const int32_t j = i <= round ? round - i : round - i + count;
        if (i < j)
            sarrus_sweep_offer(state, first + i, first + j);
    }
    if (state->n_pairs > 0)
        sarrus_sweep_flush(state);
}

/* A sweep by blocks of `block` rows: each with itself, then with those after it. */
LANE_BODY void sarrus_sweep_by_blocks(sarrus_sweep_state *state, int32_t block) {
    const int32_t count = state->rows->count;
    for (int32_t first = 0; first < count && !lane_is_stopped(state->rows->stop); first += block) {
        const int32_t n_first = count - first < block ? count - first : block;
        for (int32_t round = 1; round <= n_first; ++round)
            sarrus_sweep_round(state, first, n_first, round % n_first);
        sarrus_sweep_settle(state);
        for (int32_t second = first + block; second < count; second += block) {
            for (int32_t shift = 0; shift < block; ++shift) {
                for (int32_t k = 0; k < block; ++k) {
                    const int32_t j = second + (k + shift) % block;
                    if (j < count)
                        sarrus_sweep_offer(state, first + k, j);
                }
                if (state->n_pairs > 0)
                    sarrus_sweep_flush(state);
            }
            sarrus_sweep_settle(state);
        }
    }
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
    const int32_t bytes = (int32_t)sizeof(real) * rows->width,
                  along = (int32_t)sizeof(real) * (rows->n_along[0] + rows->n_along[1]);
    const int32_t block = 2 * SARRUS_SWEEP_GROUP * bytes <= SARRUS_SWEEP_BLOCKS ? SARRUS_SWEEP_GROUP : SARRUS_SWEEP_GROUP / 2;
    const real_scalar relative = 2.220446049250313e-16 * rows->width;
    sarrus_sweep_state state;
    state.rows = rows;
    state.is_blocked = rows->may_block && count * (bytes + along) > SARRUS_SWEEP_CACHE;
    state.n_pairs = state.first_pending = state.n_pending = 0;
    state.active = active;
    state.tolerance = real_set(relative * relative);
    state.n_rotations = real_set(0.0);
    int32_t sweep = 0;
    for (; sweep < SARRUS_SWEEP_CAP; ++sweep) {
        state.noise = sarrus_sweep_norms(rows) * real_set(noise2);
        state.rotated = mask_none();
        if (state.is_blocked) {
            sarrus_sweep_by_blocks(&state, block);
        } else {
            for (int32_t round = 1; round <= count && !lane_is_stopped(rows->stop); ++round)
                sarrus_sweep_round(&state, 0, count, round % count);
        }
        state.active = mask_and(state.active, state.rotated);
        if (!mask_any(state.active) || lane_is_stopped(rows->stop))
            break;
    }
    sarrus_sweep_settle(&state);
    if (sweep == SARRUS_SWEEP_CAP) /* otherwise the last sweep has left the norms as it found them: summed anew */
        (void)sarrus_sweep_norms(rows);
    return state.n_rotations * real_set(1.0 / (n_pairs > 0 ? n_pairs : 1));
}

/* Operations of sarrus_sweep_run when n_sweeps says how many rotations there were and n_alive rows were above the noise: a lane
 * converges in the last sweep that rotates something, and one more finds nothing to do. */
LANE_BODY double sarrus_sweep_flops(int32_t count, int32_t width, int32_t n_along, int32_t n_alive, double n_sweeps) { /* plan */
    const double n_pairs = 0.5 * count * (count - 1), alive_pairs = 0.5 * n_alive * (n_alive - 1);                     /* plan */
    const double n_rotations = n_sweeps * n_pairs, product = 2.0 * width + 3.0;                                        /* plan */
    double n_runs = alive_pairs > 0.0 ? n_rotations / alive_pairs : 0.0;                                               /* plan */
    n_runs = (double)(int64_t)(n_runs + 0.999) + 1.0;                                                                  /* plan */
    return n_runs * count * product + n_runs * (alive_pairs * (product + 3.0) + 1.0) +
           n_rotations * (16.0 + 6.0 * (width + n_along)) + 1.0;
}

#endif

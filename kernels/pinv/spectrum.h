/* From orthogonal rows to a pseudoinverse. With Gᵀ D = Σ Vᵀ (rows d_i = σ_i v_iᵀ) and E the companion that was rotated along,
 *
 *   X = Σ_i f_i d_iᵀ e_i     f_i = 1/σ_i² of the σ that count, 0 of the others
 *
 * or with d and e exchanged, where E holds the rows that X's rows are combined from. The rank decision sees σ in the units of the
 * scaled matrix (limit.unit). */
#ifndef SARRUS_PINV_SPECTRUM_H
#define SARRUS_PINV_SPECTRUM_H

#include "kernels/pinv/problem.h"
#include "kernels/pinv/sweep.h"

/* Squares below this have lost digits to underflow; σ, relative to an A of about 1, counts as 0 there. */
#define SARRUS_SPECTRUM_TINY 0x1p-1000

/* What the methods by singular values share: the rows, and where things are. */
typedef struct sarrus_spectrum {
    sarrus_sweep_rows rows;
    real *sigma;  /* [count] of the rows, in their order */
    real *sorted; /* [count] falling */
    real scale;   /* the rows are those of scale·A */
} sarrus_spectrum;

/* Lane arrays of the vectors of `count` rows. */
LANE_FUNCTION size_t sarrus_spectrum_work(int32_t count) {
    return 3 * (size_t)count;
}

/* Cuts the vectors of `count` rows from work; returns what follows. */
LANE_FUNCTION real *sarrus_spectrum_cut(sarrus_spectrum *spectrum, int32_t count, real *work) {
    spectrum->rows.count = count;
    spectrum->rows.norm2 = work;
    spectrum->sigma = lane_from(work, count);
    spectrum->sorted = lane_from(work, 2 * count);
    return lane_from(work, 3 * count);
}

/* Runs the sweeps, then σ in both orders. Rows at the round-off of the largest are noise: what an angle between them is off by
 * stays below the residuals that κ(A) ε allows. */
LANE_BODY real sarrus_spectrum_find(const sarrus_spectrum *spectrum, int32_t m, int32_t n, mask active) {
    const sarrus_sweep_rows *rows = &spectrum->rows;
    const real_scalar floor = 2.220446049250313e-16 * (m > n ? m : n);
    real n_sweeps = sarrus_sweep_run(rows, floor * floor, active);
    for (int32_t i = 0; i < rows->count; ++i) {
        real square = lane_at(rows->norm2, i);
        square = real_select(real_lt(square, real_set(SARRUS_SPECTRUM_TINY)), real_set(0.0), square);
        lane_at(rows->norm2, i) = square;
        lane_at(spectrum->sigma, i) = lane_at(spectrum->sorted, i) = real_sqrt(square);
    }
    sarrus_rank_sort(spectrum->sorted, rows->count);
    return n_sweeps;
}

/* The largest σ that a rank leaves out, 0 when it leaves out none: rows above it count. */
LANE_BODY real sarrus_spectrum_edge(const sarrus_spectrum *spectrum, real rank) {
    real edge = real_set(0.0);
    for (int32_t i = 0; i < spectrum->rows.count; ++i)
        edge = real_select(real_eq(rank, real_set((real_scalar)i)), lane_at(spectrum->sorted, i), edge);
    return edge;
}

/* d_i ← f_i d_i. */
LANE_FUNCTION void sarrus_spectrum_weigh(const sarrus_spectrum *spectrum, int32_t i, real f) {
    real *x = lane_from(spectrum->rows.d, i * spectrum->rows.width);
    for (int32_t k = 0; k < spectrum->rows.width; ++k)
        lane_at(x, k) = lane_at(x, k) * f;
}

/* The rank decision, and the rows weighed by it. Of rows whose σ equals the largest dropped, none counts. */
LANE_BODY sarrus_rank_decision sarrus_spectrum_keep(const sarrus_spectrum *spectrum, const sarrus_pinv_shape *shape,
                                                    const sarrus_rank_limit *limit) {
    const int32_t count = spectrum->rows.count;
    const real zero = real_set(0.0), one = real_set(1.0);
    sarrus_rank_decision found = sarrus_rank_decide(&shape->rule, limit, shape->m, shape->n, spectrum->sorted, 1, count);
    real edge = sarrus_spectrum_edge(spectrum, found.rank);
    found.rank = zero;
    for (int32_t i = 0; i < count; ++i) {
        mask keep = real_lt(edge, lane_at(spectrum->sigma, i));
        found.rank = found.rank + real_select(keep, one, zero);
        real square = real_select(keep, lane_at(spectrum->rows.norm2, i), one);
        sarrus_spectrum_weigh(spectrum, i, real_select(keep, one / square, zero));
    }
    return found;
}

/* X[k][j] ← Σ_i left[i][k] right[i][j] for a block of rows × columns of X; the compiler unrolls it. */
LANE_FUNCTION void sarrus_combine_block(const real *left, int32_t n_left, const real *right, int32_t n_right, int32_t count,
                                        int32_t rows, int32_t columns, real *x) {
    real sum[4][4];
    for (int32_t a = 0; a < rows; ++a) {
        for (int32_t b = 0; b < columns; ++b)
            sum[a][b] = real_set(0.0);
    }
    for (int32_t i = 0; i < count; ++i) {
        const real *p = lane_from(left, i * n_left), *q = lane_from(right, i * n_right);
        for (int32_t a = 0; a < rows; ++a) {
            for (int32_t b = 0; b < columns; ++b)
                sum[a][b] = real_fma(lane_at(p, a), lane_at(q, b), sum[a][b]);
        }
    }
    for (int32_t a = 0; a < rows; ++a) {
        for (int32_t b = 0; b < columns; ++b)
            lane_at(x, a * n_right + b) = sum[a][b];
    }
}

/* X [n_left][n_right] ← Σ_i left_iᵀ right_i over `count` rows. */
LANE_BODY void sarrus_combine(const real *left, int32_t n_left, const real *right, int32_t n_right, int32_t count, real *x) {
    int32_t k = 0;
    for (; k + 3 < n_left; k += 4) {
        const real *p = lane_from(left, k);
        real *out = lane_from(x, k * n_right);
        int32_t j = 0;
        for (; j + 3 < n_right; j += 4)
            sarrus_combine_block(p, n_left, lane_from(right, j), n_right, count, 4, 4, lane_from(out, j));
        for (; j < n_right; ++j)
            sarrus_combine_block(p, n_left, lane_from(right, j), n_right, count, 4, 1, lane_from(out, j));
    }
    for (; k < n_left; ++k) {
        for (int32_t j = 0; j < n_right; ++j)
            sarrus_combine_block(lane_from(left, k), n_left, lane_from(right, j), n_right, count, 1, 1,
                                 lane_from(x, k * n_right + j));
    }
}

#endif

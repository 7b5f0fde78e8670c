/* The arithmetic of the prototype, expanded once per instruction set: the including file defines SARRUS_LANE_WIDTH,
 * SARRUS_PROTOTYPE_DENSE_TILE and SARRUS_PROTOTYPE_SPARSE_TILE (function names), and is compiled with the flags of its set.
 *
 * Vectors of GCC with plain operators, which the compiler may contract; every loop has constant bounds and unrolls altogether.
 * Sines and cosines are those of the lane vocabulary: as good as SLEEF's to an ulp, and no library to depend on. */
#include <stdbool.h>

#include "kernels/lane/lane.h"

#include "prototype_five_bar_tile.h"

enum { N = SARRUS_PROTOTYPE_N, N_ROWS = SARRUS_PROTOTYPE_N_ROWS, N_ENDS = SARRUS_PROTOTYPE_N_ENDS };
enum { N_BODIES = SARRUS_PROTOTYPE_N_BODIES };

/* Joint, body and sign of each end; joints 0 … 2: ground and crank; 3 … 5: crank and coupler. */
static const int end_joint[N_ENDS] = {0, 1, 2, 3, 4, 5, 3, 4, 5};
static const int end_body[N_ENDS] = {0, 1, 2, 0, 1, 2, 3, 3, 3};
static const double end_sign[N_ENDS] = {1, 1, 1, -1, -1, -1, 1, 1, 1};

/* Entries of S and of L that are not zero: joints that share a body, and no more. */
static const bool is_coupled[6][6] = {
    {1, 0, 0, 1, 0, 0}, {0, 1, 0, 0, 1, 0}, {0, 0, 1, 0, 0, 1}, {1, 0, 0, 1, 1, 1}, {0, 1, 0, 1, 1, 1}, {0, 0, 1, 1, 1, 1},
};

/* What one evaluation works on; every index is a constant once the loops are unrolled, so all of it may live in registers. */
typedef struct evaluation {
    real jacobian[N_ENDS][2][3]; /* ∂(pin rows)/∂(x, y, θ of the end's body) */
    real s[N_ROWS][N_ROWS];      /* lower triangle: S, then L below the diagonal, 1/D on it */
    real y[N_ROWS];              /* right side, then multipliers */
} evaluation;

#define PROTOTYPE_FUNCTION static inline __attribute__((always_inline))

/* Whether entry (row, column) of an end's block can be anything but zero. */
PROTOTYPE_FUNCTION bool is_used(bool is_sparse, int row, int column) {
    return !is_sparse || column == 2 || row == column;
}

PROTOTYPE_FUNCTION bool is_filled(bool is_sparse, int row, int column) {
    return !is_sparse || is_coupled[row / 2][column / 2];
}

PROTOTYPE_FUNCTION real weight(const real *tile, int body, int column) {
    return tile[PROTOTYPE_WEIGHT + 2 * body + column / 2];
}

/* Blocks of J, and the right side y = γ − J a₀ with a₀ the gravity. */
PROTOTYPE_FUNCTION void fill_rows(bool is_sparse, const real *tile, const real *q, const real *v, evaluation *self) {
    real sine[N_BODIES], cosine[N_BODIES], square[N_BODIES];
#pragma GCC unroll 16
    for (int b = 0; b < N_BODIES; b++) {
        real_sincos(q[3 * b + 2], &sine[b], &cosine[b]);
        square[b] = v[3 * b + 2] * v[3 * b + 2];
    }
#pragma GCC unroll 16
    for (int i = 0; i < N_ROWS; i++) {
        self->y[i] = real_set(0.0);
    }
#pragma GCC unroll 16
    for (int e = 0; e < N_ENDS; e++) {
        const int b = end_body[e], row = 2 * end_joint[e];
        const real x = tile[PROTOTYPE_POINT + 2 * e], y = tile[PROTOTYPE_POINT + 2 * e + 1], sign = real_set(end_sign[e]);
        const real arm[2] = {cosine[b] * x - sine[b] * y, sine[b] * x + cosine[b] * y};
        self->jacobian[e][0][0] = self->jacobian[e][1][1] = sign;
        self->jacobian[e][0][1] = self->jacobian[e][1][0] = real_set(0.0);
        self->jacobian[e][0][2] = end_sign[e] > 0 ? -arm[1] : arm[1];
        self->jacobian[e][1][2] = end_sign[e] > 0 ? arm[0] : -arm[0];
#pragma GCC unroll 2
        for (int i = 0; i < 2; i++) {
            if (row + i >= N_ROWS) {
                continue;
            }
            self->y[row + i] += end_sign[e] > 0 ? square[b] * arm[i] : -(square[b] * arm[i]);
#pragma GCC unroll 2
            for (int k = 0; k < 2; k++) {
                if (is_used(is_sparse, i, k)) {
                    self->y[row + i] -= self->jacobian[e][i][k] * tile[PROTOTYPE_GRAVITY + k];
                }
            }
        }
    }
}

/* S += J_e M⁻¹ J_fᵀ over the ends e, f that share a body, on and below the diagonal. */
PROTOTYPE_FUNCTION void fill_s(bool is_sparse, const real *tile, evaluation *self) {
#pragma GCC unroll 16
    for (int i = 0; i < N_ROWS; i++) {
#pragma GCC unroll 16
        for (int j = 0; j <= i; j++) {
            self->s[i][j] = real_set(0.0);
        }
    }
#pragma GCC unroll 16
    for (int f = 0; f < N_ENDS; f++) {
        const int b = end_body[f], column = 2 * end_joint[f];
#pragma GCC unroll 2
        for (int j = 0; j < 2; j++) {
            if (column + j >= N_ROWS) {
                continue;
            }
            real weighted[3];
#pragma GCC unroll 3
            for (int k = 0; k < 3; k++) {
                weighted[k] = self->jacobian[f][j][k] * weight(tile, b, k);
            }
#pragma GCC unroll 16
            for (int e = 0; e < N_ENDS; e++) {
                const int row = 2 * end_joint[e];
#pragma GCC unroll 2
                for (int i = 0; i < 2; i++) {
                    if (end_body[e] != b || row + i < column + j || row + i >= N_ROWS) {
                        continue;
                    }
#pragma GCC unroll 3
                    for (int k = 0; k < 3; k++) {
                        if (is_used(is_sparse, i, k) && is_used(is_sparse, j, k)) {
                            self->s[row + i][column + j] += self->jacobian[e][i][k] * weighted[k];
                        }
                    }
                }
            }
        }
    }
}

/* S = L D Lᵀ in place, rows as they come, and y ← S⁻¹ y. */
PROTOTYPE_FUNCTION void solve(bool is_sparse, evaluation *self) {
#pragma GCC unroll 16
    for (int k = 0; k < N_ROWS; k++) {
        const real inverse = real_set(1.0) / self->s[k][k];
        self->s[k][k] = inverse;
#pragma GCC unroll 16
        for (int j = k + 1; j < N_ROWS; j++) {
            if (!is_filled(is_sparse, j, k)) {
                continue;
            }
            const real l = self->s[j][k] * inverse;
#pragma GCC unroll 16
            for (int i = j; i < N_ROWS; i++) {
                if (is_filled(is_sparse, i, k)) {
                    self->s[i][j] -= self->s[i][k] * l;
                }
            }
            self->y[j] -= l * self->y[k];
            self->s[j][k] = l;
        }
    }
#pragma GCC unroll 16
    for (int k = N_ROWS - 1; k >= 0; k--) {
        real sum = self->y[k] * self->s[k][k];
#pragma GCC unroll 16
        for (int j = k + 1; j < N_ROWS; j++) {
            if (is_filled(is_sparse, j, k)) {
                sum -= self->s[j][k] * self->y[j];
            }
        }
        self->y[k] = sum;
    }
}

/* a = a₀ + M⁻¹ Jᵀ λ. */
PROTOTYPE_FUNCTION void evaluate(bool is_sparse, const real *tile, const real *q, const real *v, real *a) {
    evaluation self;
    fill_rows(is_sparse, tile, q, v, &self);
    fill_s(is_sparse, tile, &self);
    solve(is_sparse, &self);
#pragma GCC unroll 16
    for (int b = 0; b < N_BODIES; b++) {
#pragma GCC unroll 3
        for (int k = 0; k < 3; k++) {
            real load = real_set(0.0);
#pragma GCC unroll 16
            for (int e = 0; e < N_ENDS; e++) {
#pragma GCC unroll 2
                for (int i = 0; i < 2; i++) {
                    if (end_body[e] == b && 2 * end_joint[e] + i < N_ROWS && is_used(is_sparse, i, k)) {
                        load += self.jacobian[e][i][k] * self.y[2 * end_joint[e] + i];
                    }
                }
            }
            load *= weight(tile, b, k);
            a[3 * b + k] = k < 2 ? load + tile[PROTOTYPE_GRAVITY + k] : load;
        }
    }
}

/* One function for the four stages, so that the loop over the steps stays in the instruction cache. */
static __attribute__((noinline)) void evaluate_dense(const real *tile, const real *q, const real *v, real *a) {
    evaluate(false, tile, q, v, a);
}

static __attribute__((noinline)) void evaluate_sparse(const real *tile, const real *q, const real *v, real *a) {
    evaluate(true, tile, q, v, a);
}

typedef void evaluate_function(const real *tile, const real *q, const real *v, real *a);

/* The state that a stage begins with: y₀ + h k, with k = (v, a) of the stage before. */
PROTOTYPE_FUNCTION void shift(real h, const real *q0, const real *v0, const real *v, const real *a, real *q_out, real *v_out) {
#pragma GCC unroll 16
    for (int i = 0; i < N; i++) {
        const real speed = v[i]; /* v_out may be v */
        q_out[i] = q0[i] + h * speed;
        v_out[i] = v0[i] + h * a[i];
    }
}

PROTOTYPE_FUNCTION void advance(evaluate_function *evaluate_kind, double *places, uint64_t n_steps, double dt) {
    real *tile = (real *)(void *)places, *q0 = tile + PROTOTYPE_Q, *v0 = tile + PROTOTYPE_V;
    const real half = real_set(0.5 * dt), whole = real_set(dt), sixth = real_set(dt / 6.0), two = real_set(2.0);
    for (uint64_t i_step = 0; i_step < n_steps; i_step++) {
        real q[N], v[N], a[N], sum_v[N], sum_a[N];
        evaluate_kind(tile, q0, v0, a);
#pragma GCC unroll 16
        for (int i = 0; i < N; i++) {
            sum_v[i] = v0[i];
            sum_a[i] = a[i];
        }
        shift(half, q0, v0, v0, a, q, v);
        for (int i_stage = 1; i_stage < 3; i_stage++) {
            evaluate_kind(tile, q, v, a);
#pragma GCC unroll 16
            for (int i = 0; i < N; i++) {
                sum_v[i] += two * v[i];
                sum_a[i] += two * a[i];
            }
            shift(i_stage == 1 ? half : whole, q0, v0, v, a, q, v);
        }
        evaluate_kind(tile, q, v, a);
#pragma GCC unroll 16
        for (int i = 0; i < N; i++) {
            q0[i] += sixth * (sum_v[i] + v[i]);
            v0[i] += sixth * (sum_a[i] + a[i]);
        }
    }
}

void SARRUS_PROTOTYPE_DENSE_TILE(double *tile, uint64_t n_steps, double dt) {
    advance(evaluate_dense, tile, n_steps, dt);
}

void SARRUS_PROTOTYPE_SPARSE_TILE(double *tile, uint64_t n_steps, double dt) {
    advance(evaluate_sparse, tile, n_steps, dt);
}

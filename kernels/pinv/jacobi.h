/* z = D⁺ b by one-sided Jacobi on the rows of D (m×n, any shape, any rank).
 *
 * Plane rotations from the left make the rows of D orthogonal: Gᵀ D = Σ Vᵀ, and the same rotations turn b into Gᵀ b. Row i is
 * then σ_i v_iᵀ, and  z = Σ_kept (b_i / σ_i²) row_i  (S5 eq 19, applied instead of formed; U and V are never needed for z).
 * Which σ are kept is decided apart (sarrus_jacobi_keep). Every lane runs until the slowest has converged; a converged lane's
 * rotations are switched off, so its bits do not depend on its neighbours. */
#ifndef SARRUS_PINV_JACOBI_H
#define SARRUS_PINV_JACOBI_H

#include "kernels/pinv/rank.h"

/* Two rows are orthogonal when |p·q| ≤ n ε |p||q|; a row below ε σ_max is noise that no rotation can improve. */
#define SARRUS_JACOBI_SWEEPS 40

typedef struct sarrus_jacobi_problem {
    int32_t m, n;
    real *d;     /* [m][n] destroyed: rows become σ_i v_iᵀ */
    real *b;     /* [m] becomes Gᵀ b */
    real *norm2; /* [m] out: σ_i² */
    real *sigma; /* [m] out of the rank decision: σ, falling */
    real *u;     /* [m][m] NULL, or out: column i is u_i, kept as row i */
} sarrus_jacobi_problem;

LANE_FUNCTION real sarrus_row_product(const real *x, const real *y, int32_t n) {
    real s0 = real_set(0.0), s1 = real_set(0.0);
    int32_t k = 0;
    for (; k + 1 < n; k += 2) {
        s0 = real_fma(lane_at(x, k), lane_at(y, k), s0);
        s1 = real_fma(lane_at(x, k + 1), lane_at(y, k + 1), s1);
    }
    if (k < n)
        s0 = real_fma(lane_at(x, k), lane_at(y, k), s0);
    return s0 + s1;
}

/* (x, y) ← (c x − s y, s x + c y) where `on`. */
LANE_FUNCTION void sarrus_rows_rotate(real *x, real *y, int32_t n, real c, real s, mask on) {
    for (int32_t k = 0; k < n; ++k) {
        real xk = lane_at(x, k), yk = lane_at(y, k);
        lane_at(x, k) = real_select(on, real_fnma(s, yk, c * xk), xk);
        lane_at(y, k) = real_select(on, real_fma(s, xk, c * yk), yk);
    }
}

/* One pair of rows; returns the lanes that were rotated. The larger row comes out first (de Rijk's order). */
LANE_BODY mask sarrus_jacobi_pair(const sarrus_jacobi_problem *svd, int32_t i, int32_t j, real noise, mask active) {
    real *x = lane_from(svd->d, i * svd->n), *y = lane_from(svd->d, j * svd->n);
    real alpha = lane_at(svd->norm2, i), beta = lane_at(svd->norm2, j);
    real product = sarrus_row_product(x, y, svd->n);
    real tolerance = real_set(2.220446049250313e-16 * svd->n);
    mask small = real_le(product * product, tolerance * tolerance * (alpha * beta));
    mask is_noise = mask_or(real_le(alpha, noise), real_le(beta, noise));
    mask swap = mask_and(real_lt(alpha, beta), mask_not(is_noise));
    mask on = mask_and(active, mask_not(mask_or(small, is_noise)));
    if (!mask_any(on))
        return on;
    real safe = real_select(on, product, real_set(1.0));
    real zeta = (beta - alpha) / (safe + safe);
    real root = real_sqrt(real_fma(zeta, zeta, real_set(1.0)));
    mask negative = real_lt(zeta, real_set(0.0));
    real t = real_set(1.0) / (real_abs(zeta) + root);
    t = real_select(negative, -t, t);
    /* The other root of t² + 2ζt − 1 exchanges the rows as well. */
    t = real_select(swap, real_set(-1.0) / real_select(on, t, real_set(1.0)), t);
    real c = real_set(1.0) / real_sqrt(real_fma(t, t, real_set(1.0)));
    real s = c * t;
    sarrus_rows_rotate(x, y, svd->n, c, s, on);
    sarrus_rows_rotate(lane_from(svd->b, i), lane_from(svd->b, j), 1, c, s, on);
    if (svd->u)
        sarrus_rows_rotate(lane_from(svd->u, i * svd->m), lane_from(svd->u, j * svd->m), svd->m, c, s, on);
    lane_at(svd->norm2, i) = real_select(on, real_fnma(t, product, alpha), alpha);
    lane_at(svd->norm2, j) = real_select(on, real_fma(t, product, beta), beta);
    return on;
}

/* Runs the sweeps for the lanes of `active`. */
LANE_BODY void sarrus_jacobi_run(const sarrus_jacobi_problem *svd, mask active) {
    if (svd->u) {
        for (int32_t i = 0; i < svd->m * svd->m; ++i)
            lane_at(svd->u, i) = real_set(i % (svd->m + 1) == 0 ? 1.0 : 0.0);
    }
    for (int32_t sweep = 0; sweep < SARRUS_JACOBI_SWEEPS; ++sweep) {
        real largest = real_set(0.0);
        for (int32_t i = 0; i < svd->m; ++i) {
            const real *x = lane_from(svd->d, i * svd->n);
            lane_at(svd->norm2, i) = sarrus_row_product(x, x, svd->n);
            largest = real_max(lane_at(svd->norm2, i), largest);
        }
        real noise = real_set(1e-34) * largest;
        mask rotated = mask_none();
        for (int32_t i = 0; i < svd->m; ++i) {
            for (int32_t j = i + 1; j < svd->m; ++j)
                rotated = mask_or(rotated, sarrus_jacobi_pair(svd, i, j, noise, active));
        }
        active = mask_and(active, rotated);
        if (!mask_any(active))
            break;
    }
    for (int32_t i = 0; i < svd->m; ++i) {
        const real *x = lane_from(svd->d, i * svd->n);
        lane_at(svd->norm2, i) = sarrus_row_product(x, x, svd->n);
    }
}

/* The rank decision on the singular values of all rows. Overwrites norm2 of the rows that do not count by 0. */
LANE_BODY sarrus_rank_decision sarrus_jacobi_keep(const sarrus_jacobi_problem *svd, const sarrus_rank_rule *rule,
                                                  const sarrus_rank_limit *limit) {
    for (int32_t i = 0; i < svd->m; ++i)
        lane_at(svd->sigma, i) = real_sqrt(lane_at(svd->norm2, i));
    sarrus_rank_sort(svd->sigma, svd->m);
    const int32_t count = svd->m < svd->n ? svd->m : svd->n; /* no matrix has more */
    sarrus_rank_decision found = sarrus_rank_decide(rule, limit, svd->m, svd->n, svd->sigma, 1, count);
    real edge = found.dropped * limit->unit;
    found.rank = real_set(0.0);
    for (int32_t i = 0; i < svd->m; ++i) {
        real x = lane_at(svd->norm2, i);
        mask keep = mask_and(real_lt(edge, real_sqrt(x)), real_le(lane_at(svd->sigma, count - 1), real_sqrt(x)));
        lane_at(svd->norm2, i) = real_select(keep, x, real_set(0.0));
        found.rank = found.rank + real_select(keep, real_set(1.0), real_set(0.0));
    }
    return found;
}

/* z = Σ_kept (b_i / σ_i²) row_i. */
LANE_BODY void sarrus_jacobi_apply(const sarrus_jacobi_problem *svd, real *z) {
    for (int32_t k = 0; k < svd->n; ++k)
        lane_at(z, k) = real_set(0.0);
    for (int32_t i = 0; i < svd->m; ++i) {
        const real *x = lane_from(svd->d, i * svd->n);
        real f = lane_at(svd->b, i) * real_inverse_or_zero(lane_at(svd->norm2, i));
        for (int32_t k = 0; k < svd->n; ++k)
            lane_at(z, k) = real_fma(f, lane_at(x, k), lane_at(z, k));
    }
}

#endif

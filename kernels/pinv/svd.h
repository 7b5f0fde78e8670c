/* z = D⁺ b by one-sided Jacobi on the rows of D (m×n, any shape, any rank).
 *
 * Plane rotations from the left make the rows of D orthogonal: Gᵀ D = Σ Vᵀ, and the same rotations turn b into Gᵀ b. Row i is
 * then σ_i v_iᵀ, and  z = Σ_kept (b_i / σ_i²) row_i  (S5 eq 19, applied instead of formed; U and V are never needed for z).
 * Which σ are kept is decided apart (sarrus_svd_keep). Every lane runs until the slowest has converged; a converged lane's
 * rotations are switched off, so its bits do not depend on its neighbours. */
#ifndef SARRUS_PINV_SVD_H
#define SARRUS_PINV_SVD_H

#include "kernels/body/workspace.h"

/* Two rows are orthogonal when |p·q| ≤ n ε |p||q|; a row below ε σ_max is noise that no rotation can improve. */
#define SARRUS_SVD_SWEEPS 40

typedef struct sarrus_svd_problem {
    int32_t m, n;
    real *d;     /* [m][n] destroyed: rows become σ_i v_iᵀ */
    real *b;     /* [m] becomes Gᵀ b */
    real *norm2; /* [m] out: σ_i² */
    real *u;     /* [m][m] NULL, or out: column i is u_i, kept as row i */
} sarrus_svd_problem;

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
LANE_BODY mask sarrus_svd_pair(const sarrus_svd_problem *svd, int32_t i, int32_t j, real noise, mask active) {
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
LANE_BODY void sarrus_svd_run(const sarrus_svd_problem *svd, mask active) {
    if (svd->u) {
        for (int32_t i = 0; i < svd->m * svd->m; ++i)
            lane_at(svd->u, i) = real_set(i % (svd->m + 1) == 0 ? 1.0 : 0.0);
    }
    for (int32_t sweep = 0; sweep < SARRUS_SVD_SWEEPS; ++sweep) {
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
                rotated = mask_or(rotated, sarrus_svd_pair(svd, i, j, noise, active));
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

/* The rank decision on σ² of all rows. A singular value is kept when it is above the threshold and is among the max_rank
 * largest: off the constraint manifold the redundant ones are as large as the violation, so no threshold alone can tell
 * them (PHYSICS of S5), but how many there are was settled where the instance was assembled.
 * Overwrites norm2 of dropped rows by 0; returns the rank. */
LANE_BODY real sarrus_svd_keep(const sarrus_mechanism *mech, const sarrus_svd_problem *svd, real max_rank) {
    real largest = real_set(0.0), rank = real_set(0.0);
    for (int32_t i = 0; i < svd->m; ++i)
        largest = real_max(lane_at(svd->norm2, i), largest);
    real tolerance = real_set(mech->threshold_tolerance);
    real floor2 = mech->threshold == SARRUS_THRESHOLD_ABSOLUTE ? tolerance * tolerance : tolerance * tolerance * largest;
    for (int32_t i = 0; i < svd->m; ++i) {
        real x = lane_at(svd->norm2, i), larger = real_set(0.0);
        for (int32_t j = 0; j < svd->m; ++j) {
            real y = real_abs(lane_at(svd->norm2, j)); /* dropped rows keep their size in the sign until all are judged */
            mask before = j < i ? real_le(x, y) : real_lt(x, y);
            larger = larger + real_select(before, real_set(1.0), real_set(0.0));
        }
        mask keep = mask_and(real_lt(floor2, x), real_lt(real_set(0.0), x));
        if (mech->threshold == SARRUS_THRESHOLD_AUTO)
            keep = mask_and(keep, real_lt(larger, max_rank));
        lane_at(svd->norm2, i) = real_select(keep, x, -x);
        rank = rank + real_select(keep, real_set(1.0), real_set(0.0));
    }
    for (int32_t i = 0; i < svd->m; ++i)
        lane_at(svd->norm2, i) = real_max(lane_at(svd->norm2, i), real_set(0.0));
    return rank;
}

/* z = Σ_kept (b_i / σ_i²) row_i. */
LANE_BODY void sarrus_svd_apply(const sarrus_svd_problem *svd, real *z) {
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

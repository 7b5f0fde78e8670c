/* The solver of the rank path: z = D⁺ b by one-sided Jacobi on the rows of D (m×n, any shape, any rank), with the rank decision.
 * The methods `svd` and `jacobi` that a scenario may choose are in svd.h.
 *
 * Plane rotations from the left make the rows of D orthogonal: Gᵀ D = Σ Vᵀ, and the same rotations turn b into Gᵀ b. Row i is
 * then σ_i v_iᵀ, and  z = Σ_kept (b_i / σ_i²) row_i  (S5 eq 19, applied instead of formed; U and V are never needed for z).
 * Which σ are kept is decided apart (sarrus_rank_solve_keep). Every lane runs until the slowest has converged; a converged lane's
 * rotations are switched off, so its bits do not depend on its neighbours. */
#ifndef SARRUS_PINV_RANK_SOLVE_H
#define SARRUS_PINV_RANK_SOLVE_H

#include "kernels/pinv/rank.h"
#include "kernels/pinv/sweep.h"

typedef struct sarrus_rank_solve_problem {
    int32_t m, n;
    real *d;                      /* [m][n] destroyed: rows become σ_i v_iᵀ */
    real *b;                      /* [m] becomes Gᵀ b */
    real *norm2;                  /* [m] out: σ_i² */
    real *sigma;                  /* [m] out of the rank decision: σ, falling */
    real *u;                      /* [m][m] NULL, or out: column i is u_i, kept as row i */
    const volatile int32_t *stop; /* as in sarrus_sweep_rows */
} sarrus_rank_solve_problem;

/* Runs the sweeps for the lanes of `active`. */
LANE_BODY void sarrus_rank_solve_rotate(const sarrus_rank_solve_problem *svd, mask active) {
    sarrus_sweep_rows rows = {svd->m, svd->n, 0, svd->d, svd->norm2, {1, 0}, {svd->b, (real *)0}, svd->stop};
    if (svd->u) {
        for (int32_t i = 0; i < svd->m * svd->m; ++i)
            lane_at(svd->u, i) = real_set(i % (svd->m + 1) == 0 ? 1.0 : 0.0);
        rows.n_along[1] = svd->m;
        rows.along[1] = svd->u;
    }
    (void)sarrus_sweep_run(&rows, 1e-34, active);
}

/* The rank decision on the singular values of all rows. Overwrites norm2 of the rows that do not count by 0. */
LANE_BODY sarrus_rank_decision sarrus_rank_solve_keep(const sarrus_rank_solve_problem *svd, const sarrus_rank_rule *rule,
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
LANE_BODY void sarrus_rank_solve_apply(const sarrus_rank_solve_problem *svd, real *z) {
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

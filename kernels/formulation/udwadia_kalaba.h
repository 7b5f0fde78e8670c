/* Udwadia-Kalaba accelerations (S5 eqs 31, 32):
 *
 *   a = a_f + M^{-1/2} D⁺ (γ − 2αΦ̇ − β²Φ − J a_f),   D = J M^{-1/2}
 *
 * The same correction  x ↦ M^{-1/2} D⁺ x  also projects positions (x = −Φ) and velocities (x = −Φ̇): the smallest change in
 * the metric of M. Three ways to apply it, chosen by the plan:
 *   auto      M⁻¹ J_Iᵀ (J_I M⁻¹ J_Iᵀ)⁻¹ on an independent row set I by sparse LDLᵀ, which equals the pseudoinverse when x is
 *             consistent; a lane whose pivot is refused, or whose rank is not that of I, is redone by the SVD;
 *   svd       one-sided Jacobi on all rows;
 *   external  a host library's solver (LAPACK), the reference. */
#ifndef SARRUS_FORMULATION_UDWADIA_KALABA_H
#define SARRUS_FORMULATION_UDWADIA_KALABA_H

#include "kernels/body/forces.h"
#include "kernels/body/signals.h"
#include "kernels/formulation/gram.h"
#include "kernels/pinv/ldlt.h"
#include "kernels/pinv/jacobi.h"

/* What a kernel call carries along besides the plan. */
typedef struct sarrus_evaluation {
    const sarrus_mechanism *mech;
    const sarrus_workspace *ws;
    const real *parameter; /* [n_parameters] */
    const real *input;     /* [n_inputs] */
    real max_rank;         /* of the rank decision */
    mask healthy;          /* lanes that count: others may hold anything */
    sarrus_external_solve external;
    void *external_user;
    int32_t is_configured;    /* rotations and signals are those of the configuration that comes next */
    int32_t is_factored;      /* the factor is that of the present rows */
    int64_t n_evaluations;    /* corrections applied to this tile */
    int64_t n_rank_revealing; /* of which some lane took the rank-revealing path */
} sarrus_evaluation;

/* Rotations and signals at (t, q). Whatever is evaluated next at the same place finds them there. */
LANE_BODY void sarrus_configure(sarrus_evaluation *ev, real t, const real *q) {
    sarrus_rotations(ev->mech, q, ev->ws);
    sarrus_signals(ev->mech, ev->parameter, t, ev->ws);
    ev->is_configured = 1;
    ev->is_factored = 0;
}

/* Rotations, signals and rows at (t, q, v). */
LANE_BODY void sarrus_evaluate_rows(sarrus_evaluation *ev, real t, const real *q, const real *v, int want_errors) {
    sarrus_configure(ev, t, q);
    sarrus_rows(ev->mech, ev->parameter, q, v, ev->ws, want_errors);
}

/* out ← M^{-1/2} D⁺ rhs through the SVD of all rows; multipliers too when asked: λ' = (Dᵀ)⁺ D⁺ rhs (so λ = −λ').
 * Returns the rank. */
LANE_BODY real sarrus_correct_svd(const sarrus_evaluation *ev, const real *rhs, real max_rank, mask active, real *out,
                                  real *multiplier) {
    const sarrus_mechanism *mech = ev->mech;
    const sarrus_workspace *ws = ev->ws;
    sarrus_jacobi_problem svd;
    svd.m = mech->m;
    svd.n = mech->n;
    svd.d = ws->d;
    svd.b = ws->d_rhs;
    svd.norm2 = ws->norm2;
    svd.sigma = ws->sigma;
    svd.u = multiplier ? ws->u : (real *)0;
    sarrus_dense_rows(mech, ev->parameter, ws, ws->d);
    for (int32_t i = 0; i < mech->m; ++i)
        lane_at(ws->d_rhs, i) = lane_at(rhs, i);
    sarrus_jacobi_run(&svd, active);
    sarrus_rank_limit limit = {max_rank, max_rank, real_set(0.0), real_set(1.0)};
    real rank = sarrus_jacobi_keep(&svd, &mech->rank, &limit).rank;
    sarrus_jacobi_apply(&svd, ws->z);
    if (multiplier) {
        for (int32_t i = 0; i < mech->m; ++i)
            lane_at(multiplier, i) = real_set(0.0);
        for (int32_t i = 0; i < mech->m; ++i) {
            real f = sarrus_row_product(lane_from(ws->d, i * mech->n), ws->z, mech->n);
            f = f * real_inverse_or_zero(lane_at(ws->norm2, i));
            for (int32_t j = 0; j < mech->m; ++j) {
                lane_at(multiplier, j) = real_fma(f, lane_at(ws->u, i * mech->m + j), lane_at(multiplier, j));
            }
        }
    }
    sarrus_unweight(mech, ev->parameter, ws->z, out);
    return rank;
}

/* ws->multiplier ← S⁻¹ rhs by row; returns the lanes that need the rank-revealing path. S is formed and factored with the right
 * side carried along, unless the factor of the present rows is there already: that gives the same bits. */
LANE_BODY mask sarrus_correct_fast(sarrus_evaluation *ev, const real *rhs) {
    const sarrus_mechanism *mech = ev->mech;
    const sarrus_workspace *ws = ev->ws;
    const sarrus_mech_factor *f = &mech->factor;
    for (int32_t k = 0; f->n_pads > 0 && k < 2 * f->n_blocks; ++k)
        lane_at(ws->solution, k) = real_set(0.0);
    for (int32_t k = 0; k < f->n_independent; ++k)
        lane_place(ws->solution, mech->lane.at[k]) = lane_place(rhs, mech->lane.row[k]);
    if (ev->is_factored) {
        sarrus_ldlt_forward(mech, ws, ws->solution);
    } else {
        sarrus_push(mech, ev->parameter, ws);
        sarrus_gram(mech, ev->parameter, ws);
        lane_at(ws->refused, 0) = real_select(sarrus_ldlt_factor(mech, ws), real_set(1.0), real_set(0.0));
        ev->is_factored = 1;
    }
    sarrus_ldlt_backward(mech, ws, ws->solution);
    for (int32_t k = 0; k < f->n_independent; ++k)
        lane_place(ws->multiplier, mech->lane.row[k]) = lane_place(ws->solution, mech->lane.at[k]);
    for (int32_t k = 0; k < f->n_dependent; ++k)
        lane_place(ws->multiplier, mech->lane.dependent[k]) = real_set(0.0);
    mask refused = real_lt(real_set(0.0), lane_at(ws->refused, 0));
    return mask_or(refused, mask_not(real_eq(ev->max_rank, real_set((real_scalar)f->n_independent))));
}

/* out ← base + M^{-1/2} D⁺ rhs, by the plan's way. ws->rhs may be `rhs`; `out` may be `base`. */
LANE_BODY void sarrus_correct(sarrus_evaluation *ev, const real *rhs, const real *base, real *out) {
    const sarrus_mechanism *mech = ev->mech;
    const sarrus_workspace *ws = ev->ws;
    mask slow = ev->healthy;
    ++ev->n_evaluations;
    if (mech->m == 0) {
        for (int32_t i = 0; i < mech->n; ++i)
            lane_at(out, i) = lane_at(base, i);
        return;
    }
    if (mech->solve == SARRUS_SOLVE_EXTERNAL) {
        sarrus_dense_rows(mech, ev->parameter, ws, ws->d);
        ev->external(ev->external_user, mech->m, mech->n, LANE_WIDTH, ws->d, rhs, &ev->max_rank, ws->z);
        sarrus_unweight(mech, ev->parameter, ws->z, ws->z);
        for (int32_t i = 0; i < mech->n; ++i)
            lane_at(out, i) = lane_at(base, i) + lane_at(ws->z, i);
        return;
    }
    if (mech->solve == SARRUS_SOLVE_AUTO) {
        slow = mask_and(sarrus_correct_fast(ev, rhs), ev->healthy);
        if (mask_any(slow)) {
            ++ev->n_rank_revealing;
            sarrus_correct_svd(ev, rhs, ev->max_rank, slow, ws->z, (real *)0);
        }
        int any_slow = mask_any(slow);
        for (int32_t i = 0; i < mech->n; ++i) {
            real b = lane_at(base, i);
            lane_at(out, i) = b;
            if (any_slow)
                lane_at(ws->z, i) = lane_at(ws->z, i) + b;
        }
        sarrus_rows_push(mech, ev->parameter, ws, ws->multiplier, out);
        if (any_slow) {
            for (int32_t i = 0; i < mech->n; ++i)
                lane_at(out, i) = real_select(slow, lane_at(ws->z, i), lane_at(out, i));
        }
        return;
    }
    ++ev->n_rank_revealing;
    sarrus_correct_svd(ev, rhs, ev->max_rank, slow, ws->z, (real *)0);
    for (int32_t i = 0; i < mech->n; ++i)
        lane_at(out, i) = lane_at(base, i) + lane_at(ws->z, i);
}

/* a(t, q, v) into `a`; ws->force holds a_f afterwards. Rotations, signals and factor of a projection at the same place are used. */
LANE_BODY void sarrus_accelerate(sarrus_evaluation *ev, real t, const real *q, const real *v, real *a) {
    const sarrus_mechanism *mech = ev->mech;
    const sarrus_workspace *ws = ev->ws;
    if (!ev->is_configured)
        sarrus_configure(ev, t, q);
    sarrus_free_acceleration(mech, ev->parameter, ev->input, q, v, ws);
    sarrus_rows(mech, ev->parameter, q, v, ws, mech->has_baumgarte);
    if (mech->has_baumgarte)
        sarrus_baumgarte(mech, ev->parameter, ws);
    sarrus_rows_subtract(mech, ws, ws->gamma, ws->force, ws->rhs);
    sarrus_correct(ev, ws->rhs, ws->force, a);
    ev->is_configured = 0; /* the state moves on */
}

#endif

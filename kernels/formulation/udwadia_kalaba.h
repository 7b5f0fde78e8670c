/* Udwadia-Kalaba accelerations (S5 eqs 31, 32):
 *
 *   a = a_f + M^{-1/2} D⁺ (γ − 2αΦ̇ − β²Φ − J a_f),   D = J M^{-1/2}
 *
 * The same correction  x ↦ M^{-1/2} D⁺ x  also projects positions (x = −Φ) and velocities (x = −Φ̇): the smallest change in
 * the metric of M. Three ways to apply it, chosen by the plan:
 *   auto      M⁻¹ J_Iᵀ (J_I M⁻¹ J_Iᵀ)⁻¹ on an independent row set I by sparse LDLᵀ, which equals the pseudoinverse when x is
 *             consistent; a lane whose pivot is refused, or whose rank is not that of I, is redone by the SVD;
 *   method    a pseudoinverse method of kernels/pinv on dense D;
 *   external  a host library's solver (LAPACK), the reference.
 *
 * With the automatic rank decision method and external see the rows I as well: off the manifold a dependent row holds nothing but
 * the violation, and a pseudoinverse of all rows leaves the combination that it drops to itself, which then grows (docs/rank.md).
 * Every other decision is made on all rows. A lane in which the dependence does not hold has all rows decided. */
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
    real *tile;
    real alpha, beta;           /* Baumgarte's gains, 1/s */
    const real *held;           /* [2m] Φ, Φ̇ that they act on; NULL: the present ones */
    real max_rank;              /* of the rank decision */
    real rank_now;              /* the decision where this step began; the assembled rank before the first */
    sarrus_rank_decision found; /* by the last correction */
    mask healthy;               /* lanes that count: others may hold anything */
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

/* ‖x‖₂ of a row vector. */
LANE_FUNCTION real sarrus_rows_norm(const sarrus_mechanism *mech, const real *x) {
    real sum = real_set(0.0);
    for (int32_t i = 0; i < mech->m; ++i)
        sum = real_fma(lane_at(x, i), lane_at(x, i), sum);
    return real_sqrt(sum);
}

/* What the rank decision may know: max_rank, the decision where the step began, and the violation, for the rule that asks. */
LANE_BODY sarrus_rank_limit sarrus_rank_limits(const sarrus_evaluation *ev, real max_rank) {
    sarrus_rank_limit limit;
    limit.max_rank = max_rank;
    limit.previous = ev->rank_now;
    limit.violation = real_set(0.0);
    if (ev->mech->rank.method == SARRUS_RANK_VIOLATION)
        limit.violation = sarrus_rows_norm(ev->mech, ev->ws->phi);
    limit.unit = real_set(1.0);
    return limit;
}

/* out ← M^{-1/2} D⁺ rhs through the SVD of all rows; multipliers too when asked: λ' = (Dᵀ)⁺ D⁺ rhs (so λ = −λ'). */
LANE_BODY sarrus_rank_decision sarrus_correct_svd(const sarrus_evaluation *ev, const real *rhs, real max_rank, mask active,
                                                  real *out, real *multiplier) {
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
    sarrus_dense_rows(mech, ev->parameter, ws, 0, ws->d);
    for (int32_t i = 0; i < mech->m; ++i)
        lane_at(ws->d_rhs, i) = lane_at(rhs, i);
    sarrus_jacobi_run(&svd, active);
    sarrus_rank_limit limit = sarrus_rank_limits(ev, max_rank);
    sarrus_rank_decision found = sarrus_jacobi_keep(&svd, &mech->rank, &limit);
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
    return found;
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

/* The decision of `on` lanes replaced by another. */
LANE_FUNCTION void sarrus_found_replace(sarrus_evaluation *ev, mask on, const sarrus_rank_decision *found) {
    ev->found.rank = real_select(on, found->rank, ev->found.rank);
    ev->found.kept = real_select(on, found->kept, ev->found.kept);
    ev->found.dropped = real_select(on, found->dropped, ev->found.dropped);
}

/* ws->z ← D⁺ rhs of a dense problem by the plan's method or the external solver, for the lanes of `active`. */
LANE_BODY sarrus_rank_decision sarrus_solve_dense(sarrus_evaluation *ev, const real *rhs, int is_independent, mask active) {
    const sarrus_mechanism *mech = ev->mech;
    const sarrus_workspace *ws = ev->ws;
    const int32_t n_rows = sarrus_rows_count(mech, is_independent);
    sarrus_rank_limit limit = sarrus_rank_limits(ev, ev->max_rank);
    sarrus_dense_rows(mech, ev->parameter, ws, is_independent, ws->d);
    for (int32_t k = 0; k < n_rows; ++k)
        lane_at(ws->d_rhs, k) = lane_at(rhs, sarrus_rows_at(mech, is_independent, k));
    if (mech->solve == SARRUS_SOLVE_EXTERNAL) {
        sarrus_rank_decision found;
        sarrus_external_problem problem;
        problem.m = n_rows;
        problem.n = mech->n;
        problem.width = LANE_WIDTH;
        problem.d = ws->d;
        problem.b = ws->d_rhs;
        problem.max_rank = &limit.max_rank;
        problem.previous = &limit.previous;
        problem.violation = &limit.violation;
        problem.z = ws->z;
        problem.rank = &found.rank;
        problem.kept = &found.kept;
        problem.dropped = &found.dropped;
        ev->external(ev->external_user, &problem);
        return found;
    }
    sarrus_pinv_shape shape = sarrus_method_shape(mech, n_rows);
    sarrus_pinv_lanes lanes;
    lanes.a = ws->d;
    lanes.b = ws->d_rhs;
    lanes.x = ws->z;
    lanes.work = ws->pinv;
    lanes.active = active;
    lanes.limit = limit;
    sarrus_pinv_run(&shape, &lanes);
    return lanes.found;
}

/* ws->z ← M^{-1/2} D⁺ rhs by the plan's method or the external solver; the decision into ev->found. */
LANE_BODY void sarrus_correct_dense(sarrus_evaluation *ev, const real *rhs) {
    const sarrus_mechanism *mech = ev->mech;
    const sarrus_workspace *ws = ev->ws;
    const int is_auto = mech->rank.method == SARRUS_RANK_AUTO;
    ++ev->n_rank_revealing;
    ev->found = sarrus_solve_dense(ev, rhs, is_auto, ev->healthy);
    sarrus_unweight(mech, ev->parameter, ws->z, ws->z);
    if (!is_auto)
        return;
    /* The rows I are those of another rank, or have lost a direction that all rows together may still hold. */
    mask is_generic = real_eq(ev->max_rank, real_set((real_scalar)mech->factor.n_independent));
    mask other = mask_and(ev->healthy, mask_not(mask_and(is_generic, real_eq(ev->found.rank, ev->max_rank))));
    if (!mask_any(other))
        return;
    for (int32_t i = 0; i < mech->n; ++i)
        lane_at(ws->z_other, i) = lane_at(ws->z, i);
    sarrus_rank_decision found = sarrus_solve_dense(ev, rhs, 0, other);
    sarrus_unweight(mech, ev->parameter, ws->z, ws->z);
    sarrus_found_replace(ev, other, &found);
    for (int32_t i = 0; i < mech->n; ++i)
        lane_at(ws->z, i) = real_select(other, lane_at(ws->z, i), lane_at(ws->z_other, i));
}

/* out ← base + M^{-1/2} D⁺ rhs by the sparse factor of the independent rows, with the SVD for the lanes that need it. */
LANE_BODY void sarrus_correct_auto(sarrus_evaluation *ev, const real *rhs, const real *base, real *out) {
    const sarrus_mechanism *mech = ev->mech;
    const sarrus_workspace *ws = ev->ws;
    mask slow = mask_and(sarrus_correct_fast(ev, rhs), ev->healthy);
    int any_slow = mask_any(slow);
    ev->found.rank = ev->max_rank;
    ev->found.kept = ev->found.dropped = real_set(0.0);
    if (any_slow) {
        ++ev->n_rank_revealing;
        sarrus_rank_decision found = sarrus_correct_svd(ev, rhs, ev->max_rank, slow, ws->z, (real *)0);
        sarrus_found_replace(ev, slow, &found);
    }
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
}

/* out ← base + M^{-1/2} D⁺ rhs, by the plan's way; the rank decision into ev->found. ws->rhs may be `rhs`; `out` may be `base`. */
LANE_BODY void sarrus_correct(sarrus_evaluation *ev, const real *rhs, const real *base, real *out) {
    ++ev->n_evaluations;
    if (ev->mech->m == 0) {
        ev->found.rank = ev->found.kept = ev->found.dropped = real_set(0.0);
        for (int32_t i = 0; i < ev->mech->n; ++i)
            lane_at(out, i) = lane_at(base, i);
    } else if (ev->mech->solve == SARRUS_SOLVE_AUTO) {
        sarrus_correct_auto(ev, rhs, base, out);
    } else {
        sarrus_correct_dense(ev, rhs);
        for (int32_t i = 0; i < ev->mech->n; ++i)
            lane_at(out, i) = lane_at(base, i) + lane_at(ev->ws->z, i);
    }
}

/* held[2m] ← Φ, Φ̇ of the rows in the workspace, in the lanes of `on`. Gains that follow the step act, in all its stages, on the
 * violation that it began with: a stage lies off the constraints by h², which β² = (gain/h)² would turn into an acceleration that
 * no step size makes small. */
LANE_FUNCTION void sarrus_violation_hold(const sarrus_evaluation *ev, mask on, real *held) {
    const int32_t m = ev->mech->m;
    for (int32_t i = 0; i < m; ++i) {
        lane_at(held, i) = real_select(on, lane_at(ev->ws->phi, i), lane_at(held, i));
        lane_at(held, m + i) = real_select(on, lane_at(ev->ws->phi_dot, i), lane_at(held, m + i));
    }
}

/* a(t, q, v) into `a`; ws->force holds a_f afterwards. Rotations, signals and factor of a projection at the same place are used. */
LANE_BODY void sarrus_accelerate(sarrus_evaluation *ev, real t, const real *q, const real *v, real *a) {
    const sarrus_mechanism *mech = ev->mech;
    const sarrus_workspace *ws = ev->ws;
    if (!ev->is_configured)
        sarrus_configure(ev, t, q);
    sarrus_free_acceleration(mech, ev->parameter, ev->input, q, v, ws);
    sarrus_rows(mech, ev->parameter, q, v, ws, mech->has_baumgarte || mech->rank.method == SARRUS_RANK_VIOLATION);
    if (mech->has_baumgarte) {
        const real *phi = ev->held ? ev->held : ws->phi, *phi_dot = ev->held ? lane_from(ev->held, mech->m) : ws->phi_dot;
        sarrus_baumgarte(mech, ev->alpha, ev->beta, phi, phi_dot, ws);
    }
    sarrus_rows_subtract(mech, ws, ws->gamma, ws->force, ws->rhs);
    sarrus_correct(ev, ws->rhs, ws->force, a);
    ev->is_configured = 0; /* the state moves on */
}

#endif

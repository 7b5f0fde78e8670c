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

#include "kernels/formulation/reveal.h"
#include "kernels/pinv/ldlt.h"

/* ws->multiplier ← S⁻¹ rhs by row of the factor, and the swings of the cranks (crank.h) that go with it; returns the lanes that
 * need the rank-revealing path. S is formed and factored with the right side carried along, unless the factor of the present rows
 * is there already: that gives the same bits. */
PLAN_BODY mask sarrus_correct_fast(sarrus_evaluation *ev, const real *rhs) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    sarrus_workspace *ws = ev->ws;
    const real *right = rhs;
    if (!ev->is_factored)
        sarrus_push(mech, ev->parameter, ws);
    if (mech->n_cranks > 0) {
        sarrus_cranks_begin(mech, ev->parameter, ws, rhs, ws->multiplier);
        right = ws->multiplier;
    }
    if (mech->factor.n_pads > 0) {
        PLAN_EACH (k, 0, 2 * mech->factor.n_blocks)
            frame_at(ws->solution, k) = real_set(0.0);
    }
    PLAN_RUNS(FACTORED, k, lap, 0, mech->factor.n_rows,
              frame_place(ws->solution, PLAN_AT(mech, at, k, lap), 0) = frame_place(right, PLAN_AT(mech, row, k, lap), 0))
    if (ev->is_factored) {
        sarrus_ldlt_forward(mech, ws, ws->solution);
    } else {
        sarrus_gram(mech, ev->parameter, ws);
        sarrus_ldlt_scales(mech, ev->parameter, ws);
        frame_at(ws->refused, 0) = real_select(sarrus_ldlt_factor(mech, ws), real_set(1.0), real_set(0.0));
        ev->is_factored = 1;
    }
    sarrus_ldlt_backward(mech, ws, ws->solution);
    PLAN_RUNS(FACTORED, k, lap, 0, mech->factor.n_rows,
              frame_place(ws->multiplier, PLAN_AT(mech, row, k, lap), 0) = frame_place(ws->solution, PLAN_AT(mech, at, k, lap), 0))
    PLAN_EACH (k, 0, mech->factor.n_dependent)
        frame_place(ws->multiplier, mech->lane.dependent[k], 0) = real_set(0.0);
    mask refused = real_lt(real_set(0.0), frame_at(ws->refused, 0));
    return mask_or(refused, mask_not(real_eq(ev->max_rank, real_set((real_scalar)mech->factor.n_independent))));
}

/* out ← base + M^{-1/2} D⁺ rhs by the sparse factor of the independent rows, with the SVD for the lanes that need it. */
PLAN_BODY void sarrus_correct_auto(sarrus_evaluation *ev, const real *rhs, const real *base, real *out) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    sarrus_workspace *ws = ev->ws;
    mask slow = mask_and(sarrus_correct_fast(ev, rhs), ev->healthy);
    int any_slow = mask_any(slow);
    ev->found.rank = ev->max_rank;
    ev->found.kept = ev->found.dropped = real_set(0.0);
    if (any_slow) {
        ++ev->n_rank_revealing;
        sarrus_rank_decision found = sarrus_reveal(ev, rhs, slow);
        sarrus_found_replace(ev, slow, &found);
        PLAN_EACH (i, 0, mech->n)
            frame_at(ws->z, i) = frame_at(ws->z, i) + frame_at(base, i);
    }
    PLAN_EACH (i, 0, mech->n)
        frame_at(out, i) = frame_at(base, i);
    sarrus_rows_push(mech, ev->parameter, ws, rhs, ws->multiplier, out);
    if (any_slow) {
        PLAN_EACH (i, 0, mech->n)
            frame_at(out, i) = real_select(slow, frame_at(ws->z, i), frame_at(out, i));
    }
}

/* out ← base + M^{-1/2} D⁺ rhs, by the plan's way; the rank decision into ev->found. ws->rhs may be `rhs`. */
PLAN_BODY void sarrus_correct(sarrus_evaluation *ev, const real *rhs, const real *base, real *out) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    ++ev->n_evaluations;
    if (mech->m == 0) {
        ev->found.rank = ev->found.kept = ev->found.dropped = real_set(0.0);
        PLAN_EACH (i, 0, mech->n)
            frame_at(out, i) = frame_at(base, i);
    } else if (mech->solve == SARRUS_SOLVE_AUTO) {
        sarrus_correct_auto(ev, rhs, base, out);
    } else {
        sarrus_correct_dense(ev, rhs);
        PLAN_EACH (i, 0, mech->n)
            frame_at(out, i) = frame_at(base, i) + frame_at(ev->ws->z, i);
    }
}

/* a(t, q, v) into `a`; ws->force holds a_f afterwards. Rotations, signals and factor of a projection at the same place are used. */
PLAN_BODY void sarrus_accelerate_body(sarrus_evaluation *ev, real t, const real *q, const real *v, real *a) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    sarrus_workspace *ws = ev->ws;
    if (!ev->is_configured)
        sarrus_configure(ev, t, q);
    sarrus_free_acceleration(mech, ev->parameter, ev->input, q, v, ws);
    if (mech->has_baumgarte || mech->rank.method == SARRUS_RANK_VIOLATION) {
        sarrus_rows(mech, ev->parameter, q, v, ws, SARRUS_WANT_ERRORS | SARRUS_WANT_GAMMA);
        if (mech->has_baumgarte)
            sarrus_baumgarte(mech, ev->alpha, ev->beta, ev->held, ws);
        sarrus_rows_subtract(mech, ws, ws->gamma, ws->force, ws->rhs);
    } else {
        sarrus_rows_residual(mech, ev->parameter, q, v, ws);
    }
    sarrus_correct(ev, ws->rhs, ws->force, a);
    ev->is_configured = 0; /* the state moves on */
}

/* out ← M^{-1/2} D⁺ rhs for a projection, on the independent rows.
 *
 * Near a singular configuration a correction along the direction that is being lost is noise: the right side holds round-off
 * of some ε, its smallest singular value goes to 0, and ε/σ would be written into the state, where the velocities then take
 * the bent configuration for a turn of the motion. So a row whose pivot is refused is left out until the
 * passage is over; what it is violated by then is of the order of ε and is corrected afterwards. Lanes that have another rank
 * than the plan go through the SVD. */
PLAN_BODY void sarrus_correct_projection_body(sarrus_evaluation *ev, const real *rhs, mask active, real *out) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    sarrus_workspace *ws = ev->ws;
    mask slow = mask_and(active, mask_not(real_eq(ev->max_rank, real_set((real_scalar)mech->factor.n_independent))));
    ++ev->n_evaluations;
    (void)sarrus_correct_fast(ev, rhs);
    PLAN_EACH (i, 0, mech->n)
        frame_at(out, i) = real_set(0.0);
    sarrus_rows_push(mech, ev->parameter, ws, rhs, ws->multiplier, out);
    if (!mask_any(slow))
        return;
    ++ev->n_rank_revealing;
    (void)sarrus_reveal(ev, rhs, slow);
    PLAN_EACH (i, 0, mech->n)
        frame_at(out, i) = real_select(slow, frame_at(ws->z, i), frame_at(out, i));
}

#endif

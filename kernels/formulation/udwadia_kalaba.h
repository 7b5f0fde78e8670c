/* Udwadia-Kalaba accelerations (S5 eqs 31, 32):
 *
 *   a = a_f + M^{-1/2} D⁺ (γ − 2αΦ̇ − β²Φ − J a_f),   D = J M^{-1/2}
 *
 * The same correction  x ↦ M^{-1/2} D⁺ x  also projects positions (x = −Φ) and velocities (x = −Φ̇): the smallest change in
 * the metric of M. Three ways to apply it, chosen by the plan:
 *   auto      M⁻¹ J_Iᵀ (J_I M⁻¹ J_Iᵀ)⁻¹ on an independent row set I by sparse LDLᵀ, which equals the pseudoinverse when x is
 *             consistent; of a lane whose pivot is refused, or whose rank is not that of I, the rows in doubt are solved for apart;
 *   method    a pseudoinverse method of kernels/pinv on dense D;
 *   external  a host library's solver (LAPACK), the reference.
 *
 * With the automatic rank decision method and external see the rows I as well: off the manifold a dependent row holds nothing but
 * the violation, and a pseudoinverse of all rows leaves the combination that it drops to itself, which then grows (docs/rank.md).
 * Every other decision is made on all rows. A lane in which the dependence does not hold has all rows decided. */
#ifndef SARRUS_FORMULATION_UDWADIA_KALABA_H
#define SARRUS_FORMULATION_UDWADIA_KALABA_H

#include "kernels/body/baumgarte.h"
#include "kernels/formulation/rank_path.h"
#include "kernels/formulation/semi_definite.h"
#include "kernels/formulation/standing_rows.h"

/* After a factorisation: closeness by all rows, where that of the plan's says that a change point may be near. */
LANE_FUNCTION void sarrus_closeness_look(sarrus_evaluation *ev, const real *rhs) {
    if (!LANE_IS_SINGLE && mask_any(sarrus_closeness_is_near(ev)))
        (void)sarrus_rank_path(ev, rhs, mask_none(), SARRUS_DOUBT_NONE);
}

/* out ← base + M^{-1/2} D⁺ rhs by the sparse factor of the independent rows. Returns the lanes of ev->healthy whose rows are in
 * doubt. */
LANE_FUNCTION mask sarrus_correct_by_factor(sarrus_evaluation *ev, const real *rhs, const real *base, real *out) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    sarrus_workspace *ws = ev->ws;
    const mask slow = mask_and(sarrus_correct_fast(ev, rhs), ev->healthy);
    ev->is_slow = slow;
    ev->found.rank = ev->max_rank;
    ev->found.kept = ev->found.dropped = real_set(0.0);
    if (mech->has_work)
        ev->power = sarrus_motions_power(mech, ws);
    PLAN_EACH (i, 0, mech->n_v)
        frame_at(out, i) = frame_at(base, i);
    sarrus_rows_push(mech, ev->parameter, ws, rhs, ws->multiplier, out);
    return slow;
}

/* The same, with the rank-revealing path for the lanes that need it. */
PLAN_BODY void sarrus_correct_auto(sarrus_evaluation *ev, const real *rhs, const real *base, real *out) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    sarrus_workspace *ws = ev->ws;
    const int is_fresh = !ev->is_factored;
    const mask slow = sarrus_correct_by_factor(ev, rhs, base, out);
    if (!mask_any(slow)) {
        if (is_fresh)
            sarrus_closeness_look(ev, rhs);
        return;
    }
    if (LANE_IS_SINGLE) {
        ev->is_blurred = mask_or(ev->is_blurred, slow);
        return;
    }
    ++ev->n_rank_revealing;
    if (mech->integrator.is_adaptive && ev->at_q) /* Φ in the workspace may be that of another state */
        ev->stage_violation = real_sqrt(sarrus_state_violation_squared(mech, ev->parameter, ws, ev->at_q, ev->at_v));
    const sarrus_rank_decision found = sarrus_rank_path(ev, rhs, slow, SARRUS_DOUBT_ACCELERATION);
    sarrus_found_replace(ev, slow, &found);
    PLAN_EACH (i, 0, mech->n_v)
        frame_at(out, i) = real_select(slow, frame_at(ws->z, i) + frame_at(base, i), frame_at(out, i));
}

/* out ← base + M^{-1/2} D⁺ rhs, by the plan's way; the rank decision into ev->found. ws->rhs may be `rhs`. */
PLAN_BODY void sarrus_correct(sarrus_evaluation *ev, const real *rhs, const real *base, real *out) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    ++ev->n_evaluations;
    ev->is_slow = mask_none();
    ev->power = real_set(0.0);
    if (mech->m == 0) {
        ev->found.rank = ev->found.kept = ev->found.dropped = real_set(0.0);
        PLAN_EACH (i, 0, mech->n_v)
            frame_at(out, i) = frame_at(base, i);
    } else if (mech->solve == SARRUS_SOLVE_AUTO || ev->is_looking) {
        sarrus_correct_auto(ev, rhs, base, out);
    } else {
        ++ev->n_rank_revealing;
        sarrus_correct_dense(ev, rhs);
        ev->is_slow = ev->healthy;
        PLAN_EACH (i, 0, mech->n_v)
            frame_at(out, i) = frame_at(base, i) + frame_at(ev->ws->z, i);
    }
}

/* vᵀM(a − a_f): the power of the constraint forces. On the constraints it is that of the drives and of a ground that moves; off
 * them Baumgarte's terms have theirs. */
LANE_FUNCTION real sarrus_constraints_power(const sarrus_evaluation *ev, const real *v, const real *a) {
    return sarrus_state_power_beyond(sarrus_plan_of(ev), ev->parameter, ev->ws, v, a);
}

/* The power of drives and of ground after a correction to `a`. */
LANE_FUNCTION real sarrus_motions_power_of(const sarrus_evaluation *ev, const real *v, const real *a) {
    if (!sarrus_is_rheonomic(sarrus_plan_of(ev)) || !mask_any(ev->is_slow))
        return ev->power;
    return real_select(ev->is_slow, sarrus_constraints_power(ev, v, a), ev->power);
}

/* From a, made in the metric of M + E from ws->before with J a = γ, to what the masses alone make of it; rows and γ are in the
 * workspace (semi_definite.h). Many lanes sweep as one: those that are through keep what they have. Returns the lanes in which a
 * does not come to stand. */
LANE_BODY mask sarrus_sweep_all(sarrus_evaluation *ev, real *a) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    sarrus_workspace *ws = ev->ws;
    const int64_t n_evaluations = ev->n_evaluations, n_rank_revealing = ev->n_rank_revealing;
    mask open = ev->healthy;
    real before = real_set(1e300);
    for (int32_t k = 0; k < SARRUS_MOST_SWEEPS && mask_any(open) && !lane_is_stopped(ev->stop); ++k) {
        sarrus_sweep_carry(mech, ev->parameter, ws, open, a);
        sarrus_rows_subtract(mech, ws, ws->gamma, ws->carried, ws->rhs);
        sarrus_correct(ev, ws->rhs, ws->carried, a);
        PLAN_EACH (i, 0, mech->n_v)
            frame_at(a, i) = real_select(open, frame_at(a, i), frame_at(ws->before, i));
        const real change = sarrus_sweep_size(mech, a, ws->before);
        open = sarrus_sweep_goes_on(mech, ws, open, a, change, before);
        before = change;
    }
    ev->n_evaluations = n_evaluations;
    ev->n_rank_revealing = n_rank_revealing;
    const real size = sarrus_sweep_size(mech, a, (const real *)0) + sarrus_sweep_size(mech, ws->force, (const real *)0);
    return mask_and(open, mask_not(real_le(before, real_set(SARRUS_DETERMINATE) * size)));
}

/* From a_1, with its rows and γ in the workspace, to the acceleration of the masses alone. */
LANE_BODY void sarrus_sweep_acceleration(sarrus_evaluation *ev, const real *v, real *a) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    sarrus_sweeps_begin(mech, ev->parameter, ev->ws);
    const mask open = sarrus_sweep_all(ev, a);
    if (mask_any(open))
        sarrus_sweeps_give_up(ev, open, a);
    sarrus_rows_subtract(mech, ev->ws, ev->ws->gamma, ev->ws->force, ev->ws->rhs);
    ev->power = sarrus_is_rheonomic(mech) ? sarrus_constraints_power(ev, v, a) : real_set(0.0);
}

/* From the smallest x in the metric of M + E with J x = b to the smallest one in that of M. */
LANE_BODY void sarrus_sweep_projection(sarrus_evaluation *ev, const real *b, real *x) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    sarrus_workspace *ws = ev->ws;
    for (int32_t i = 0; i < mech->n_v; ++i)
        frame_at(ws->before, i) = frame_at(ws->force, i) = real_set(0.0);
    for (int32_t i = 0; i < mech->m; ++i)
        frame_at(ws->gamma, i) = frame_at(b, i);
    (void)sarrus_sweep_all(ev, x);
}

/* The lanes of `on` in which the masses leave a motion of the present rows open, or so nearly that no acceleration comes to
 * stand: what is left of some motion y by many sweeps without forces. An acceleration alone does not tell: where no force acts
 * along the open motion any one will do. Uses ws->a and ws->force. */
LANE_BODY mask sarrus_open_motions(sarrus_evaluation *ev, mask on) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    sarrus_workspace *ws = ev->ws;
    const int64_t n_evaluations = ev->n_evaluations, n_rank_revealing = ev->n_rank_revealing;
    real half_way = real_set(0.0);
    for (int32_t i = 0; i < mech->n_v; ++i) {
        frame_at(ws->a, i) = real_set((real_scalar)(1 + 3 * i % 7));
        frame_at(ws->before, i) = real_set(0.0);
    }
    for (int32_t i = 0; i < mech->m; ++i)
        frame_at(ws->gamma, i) = real_set(0.0);
    for (int32_t k = 0; k < SARRUS_TRIAL_SWEEPS; ++k) {
        half_way = k == SARRUS_TRIAL_SWEEPS / 2 ? sarrus_sweep_size(mech, ws->a, (const real *)0) : half_way;
        sarrus_sweep_shrink(mech, ev->parameter, ws, ws->a);
        sarrus_rows_subtract(mech, ws, ws->gamma, ws->carried, ws->rhs);
        sarrus_correct(ev, ws->rhs, ws->carried, ws->a);
    }
    ev->n_evaluations = n_evaluations;
    ev->n_rank_revealing = n_rank_revealing;
    const real left = sarrus_sweep_size(mech, ws->a, (const real *)0);
    return mask_and(on, mask_not(real_le(left, real_set(SARRUS_TRIAL_LEFT) * half_way)));
}

/* What comes before the factor: ws->force ← a_f, the rows, and ws->rhs. Returns the power of dampers and loads. */
LANE_FUNCTION real sarrus_udwadia_kalaba_rows(sarrus_evaluation *ev, real t, const real *q, const real *v) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    sarrus_workspace *ws = ev->ws;
    /* ---- position: rotations and signals ---- */
    if (!ev->is_configured)
        sarrus_prepare(ev, t, q);
    /* ---- forces: a_f = g + M⁻¹F ---- */
    const real power = sarrus_state_free_acceleration(mech, ev->parameter, ev->input, q, v, ws);
    /* ---- rows: J and γ − 2αΦ̇ − β²Φ − J a_f ---- */
    const int wanted = SARRUS_WANT_GAMMA | (ev->is_factored ? SARRUS_HAVE_PARTS : 0);
    if (mech->has_baumgarte || mech->rank.method == SARRUS_RANK_VIOLATION) {
        sarrus_state_rows(mech, ev->parameter, q, v, ws, SARRUS_WANT_ERRORS | wanted);
        if (mech->has_baumgarte)
            sarrus_baumgarte(mech, ev->alpha, ev->beta, ev->held, ws);
        sarrus_rows_subtract(mech, ws, ws->gamma, ws->force, ws->rhs);
    } else {
        sarrus_rows_residual(mech, ev->parameter, q, v, ws, wanted);
    }
    return power;
}

/* What comes behind it: the power that the energy must balance. */
LANE_FUNCTION void sarrus_udwadia_kalaba_observe(sarrus_evaluation *ev, const real *v, const real *a, real power) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    if (mech->has_baumgarte)
        ev->power = sarrus_constraints_power(ev, v, a) + power;
    else if (mech->has_work)
        ev->power = sarrus_motions_power_of(ev, v, a) + power;
    ev->is_configured = 0; /* the state moves on */
}

/* a(t, q, v) into `a`; ws->force holds a_f afterwards. Rotations, signals and factor of a projection at the same place are used. */
PLAN_BODY void sarrus_udwadia_kalaba_accelerate(sarrus_evaluation *ev, real t, const real *q, const real *v, real *a) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    sarrus_workspace *ws = ev->ws;
    const real power = sarrus_udwadia_kalaba_rows(ev, t, q, v);
    /* ---- factor and solve ---- */
    ev->at_q = q;
    ev->at_v = v;
    sarrus_correct(ev, ws->rhs, ws->force, a);
    if (mech->n_lacking > 0)
        sarrus_sweep_acceleration(ev, v, a);
    ev->at_q = ev->at_v = (const real *)0;
    sarrus_udwadia_kalaba_observe(ev, v, a, power);
}

/* out ← M^{-1/2} D⁺ rhs for a projection, by the factor of the independent rows. Returns the lanes of `active` whose rows are in
 * doubt. */
LANE_FUNCTION mask sarrus_project_by_factor(sarrus_evaluation *ev, const real *rhs, mask active, real *out) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    sarrus_workspace *ws = ev->ws;
    mask slow = mask_not(real_eq(ev->max_rank, real_set((real_scalar)mech->factor.n_independent)));
    ++ev->n_evaluations;
    (void)sarrus_correct_fast(ev, rhs);
    if (!ev->sits_out)
        slow = mask_or(slow, real_lt(real_set(0.0), frame_at(ws->refused, 0)));
    slow = mask_and(active, slow);
    PLAN_EACH (i, 0, mech->n_v)
        frame_at(out, i) = real_set(0.0);
    sarrus_rows_push(mech, ev->parameter, ws, rhs, ws->multiplier, out);
    return slow;
}

/* out ← M^{-1/2} D⁺ rhs for a projection, on the independent rows.
 *
 * At a change point that is crossed exactly a correction along the direction that is being lost is noise: the right side holds
 * round-off of some ε, its smallest singular value goes to 0, and ε/σ would be written into the state, where the velocities then
 * take the bent configuration for a turn of the motion. So a crossed row that is nearly lost is left out until the passage is over;
 * what it is violated by then is of the order of ε and is corrected afterwards. In a bend the same correction is what keeps the
 * motion on its branch, and such rows are held apart. */
PLAN_BODY void sarrus_udwadia_kalaba_project(sarrus_evaluation *ev, const real *rhs, mask active, real *out) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    sarrus_workspace *ws = ev->ws;
    const int is_fresh = !ev->is_factored;
    const mask slow = sarrus_project_by_factor(ev, rhs, active, out);
    if (!mask_any(slow)) {
        if (is_fresh)
            sarrus_closeness_look(ev, rhs);
        return;
    }
    if (LANE_IS_SINGLE) {
        ev->is_blurred = mask_or(ev->is_blurred, slow);
        return;
    }
    ++ev->n_rank_revealing;
    (void)sarrus_rank_path(ev, rhs, slow, ev->sees_all_rows ? SARRUS_DOUBT_ACCELERATION : SARRUS_DOUBT_PROJECTION);
    PLAN_EACH (i, 0, mech->n_v)
        frame_at(out, i) = real_select(slow, frame_at(ws->z, i), frame_at(out, i));
}

#endif

/* Mass-weighted projection onto the constraints (the "mass orthogonal projections" of S1; Newton with the correction of
 * udwadia_kalaba.h):
 *   q ← q − M^{-1/2} D⁺ Φ(q, t)  until ‖Φ‖ is small,   v ← v − M^{-1/2} D⁺ Φ̇(q, v, t). */
#ifndef SARRUS_STEP_PROJECT_H
#define SARRUS_STEP_PROJECT_H

#include "kernels/formulation/phase.h"

/* rad */
#define SARRUS_PROJECT_TURN 0.5

/* q ← q ⊞ (−scale·correction) where `on`; no angle turns by more than half a radian in one iteration, so that a far start
 * does not overshoot. */
PLAN_BODY void sarrus_project_step(const sarrus_evaluation *ev, const real *correction, mask on, real *q) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    real largest = real_set(0.0);
    PLAN_EACH (i, 0, mech->n_v)
        largest = sarrus_state_is_turn(mech, i) ? real_max(real_abs(lane_at(correction, i)), largest) : largest;
    real limit = real_set(SARRUS_PROJECT_TURN);
    mask far = real_lt(limit, largest);
    real scale = real_select(far, limit / real_select(far, largest, limit), real_set(1.0));
    sarrus_state_move(mech, -scale, correction, on, q);
}

/* Positions of the lanes of `active`: at most n_iterations, a lane stops at ‖Φ‖ ≤ tolerance. The rows of the workspace and
 * ev->state_violation, ‖Φ‖, are those of the final q. */
LANE_BODY void sarrus_project_positions(sarrus_evaluation *ev, real t, real tolerance, int32_t n_iterations, mask active, real *q,
                                        const real *v) {
    sarrus_workspace *ws = ev->ws;
    mask open = active;
    for (int32_t iteration = 0;; ++iteration) {
        sarrus_evaluate_rows(ev, t, q, v);
        ev->state_violation = sarrus_rows_norm(sarrus_plan_of(ev), ws->phi);
        open = mask_and(open, mask_not(real_le(ev->state_violation, tolerance)));
        if (iteration == n_iterations || !mask_any(open))
            return;
        sarrus_correct_projection(ev, ws->phi, open, ws->a);
        sarrus_project_step(ev, ws->a, open, q);
    }
}

/* Velocities of the lanes of `active`; the rows of the workspace must be those of (q, v). */
LANE_BODY void sarrus_project_velocities(sarrus_evaluation *ev, mask active, real *v) {
    sarrus_workspace *ws = ev->ws;
    sarrus_correct_projection(ev, ws->phi_dot, active, ws->a);
    PLAN_EACH (i, 0, sarrus_plan_of(ev)->n_v) {
        real vi = lane_at(v, i);
        lane_at(v, i) = real_select(active, vi - lane_at(ws->a, i), vi);
    }
}

/* Round-off of Φ at coordinates that are `stride` apart: about an ε of the largest one in each of m rows. */
LANE_FUNCTION real sarrus_round_off(const sarrus_evaluation *ev, const real *q, size_t stride) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    const real scale = sarrus_state_scale(mech, ev->parameter, q, stride);
    return real_set(LANE_PRECISE(2.2e-16, LANE_EPSILON)) * real_sqrt(real_set((real_scalar)sarrus_state_n_rows(mech))) * scale;
}

/* What ‖Φ‖ is brought down to: its round-off. A looser goal would be felt: near a change point what is
 * left of Φ stands for an angle Φ/σ, and the velocities follow the bent configuration. In a bend the same round-off, written into
 * every state anew, would put each of them on a bend of its own; there a state that is within some round-off stays as it is. */
LANE_FUNCTION real sarrus_project_goal(const sarrus_evaluation *ev, const real *q) {
    const mask is_bend = real_lt(real_set(0.0), lane_at(ev->tile, sarrus_plan_of(ev)->layout.passage.is_bend));
    const real goal = sarrus_round_off(ev, q, LANE_STRIDE);
    return real_select(is_bend, real_set(16.0) * goal, goal);
}

/* Lanes that cross a change point exactly by steps of their own choice. What is off the constraints by e there, state or stage, has
 * the direction of its motion off by e/σ² of it: no step is short enough for that, and errors of a stage and drift alike decide
 * which way the motion goes. On the constraints the motion is smooth. So these lanes are put there for as long as they cross,
 * whatever else the plan projects. So are those in which other rows stand in for rows of the plan: what the ones hold off does not
 * stay off by the others. */
LANE_BODY mask sarrus_project_crossing(const sarrus_evaluation *ev) {
    if (!sarrus_plan_of(ev)->integrator.is_adaptive)
        return mask_none();
    const mask is_bend = real_lt(real_set(0.0), lane_at(ev->tile, sarrus_plan_of(ev)->layout.passage.is_bend));
    const mask is_crossing = mask_and(sarrus_is_crossing(ev), mask_not(is_bend));
    return mask_and(ev->healthy, mask_or(is_crossing, ev->is_swapped));
}

/* Stage velocities onto the stage's own constraints, when every step is projected, and positions too where a change point is
 * crossed. A stage lies off the manifold by h²; near a singular configuration what is left across the direction being lost, v⊥,
 * enters γ as 2ωv⊥ and the stage's acceleration as 2ωv⊥/σ, and the next stage multiplies it again. On the manifold nothing changes,
 * so this is one more extension of the vector field off it, and the order stays what it is. */
LANE_FUNCTION void sarrus_stage_velocities(sarrus_evaluation *ev, real t) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    sarrus_workspace *ws = ev->ws;
    const mask crossing = sarrus_project_crossing(ev);
    const int is_closed = mech->project == SARRUS_PROJECTION_EVERY_STEP;
    if (mech->m == 0 || !(is_closed || mask_any(crossing)))
        return;
    if (mask_any(crossing))
        sarrus_project_positions(ev, t, sarrus_project_goal(ev, ws->q), 2, crossing, ws->q, ws->v);
    else
        sarrus_evaluate_rows(ev, t, ws->q, ws->v);
    sarrus_project_velocities(ev, is_closed ? ev->healthy : crossing, ws->v);
}

/* What coordinates must be anyway, and the plan's projection, after a step. */
LANE_BODY void sarrus_project(sarrus_evaluation *ev, real t, real *q, real *v) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    mask active = ev->healthy;
    sarrus_state_settle(mech, q);
    if (mech->m == 0)
        return;
    if (mech->project != SARRUS_PROJECTION_EVERY_STEP) {
        active = sarrus_project_crossing(ev);
        if (mech->project == SARRUS_PROJECTION_TOLERANCE) {
            sarrus_evaluate_rows(ev, t, q, v);
            ev->state_violation = sarrus_rows_norm(mech, ev->ws->phi);
            active =
                mask_or(active, mask_and(ev->healthy, mask_not(real_le(ev->state_violation, real_set(mech->project_tolerance)))));
        }
        if (!mask_any(active))
            return;
    }
    sarrus_project_positions(ev, t, sarrus_project_goal(ev, q), 2, active, q, v);
    sarrus_project_velocities(ev, active, v);
    /* Whether a lane finds a factor in place may not depend on whether a neighbour was projected: rows in doubt are looked at where
     * a factor is made, by those whom it is made for. */
    if (mech->project == SARRUS_PROJECTION_TOLERANCE)
        ev->is_factored = 0;
}

#endif

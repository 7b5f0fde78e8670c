/* What a state shows: energy, constraint errors, rank, accelerations, reactions by the λ of S5 eq 27, motor loads. Changes
 * nothing but the status of a lane of which something is no number. */
#ifndef SARRUS_STEP_OBSERVE_H
#define SARRUS_STEP_OBSERVE_H

#include "kernels/body/mechanics.h"
#include "kernels/formulation/state_operations.h"
#include "kernels/step/assemble.h"
#include "kernels/step/finite.h"
#include "kernels/step/passage.h"
#include "sarrus/status.h"

/* The singular values of J M^{-1/2} between which the rank decision falls, all rows in view. */
LANE_BODY void sarrus_margin(sarrus_evaluation *ev, const sarrus_observe_request *want, real *out) {
    sarrus_rank_decision found;
    found.kept = found.dropped = real_set(0.0);
    if (sarrus_plan_of(ev)->m > 0)
        found = sarrus_correct_svd(ev, ev->ws->phi, ev->max_rank, ev->healthy, ev->ws->z, (real *)0);
    if (want->at[SARRUS_OBSERVE_KEPT] >= 0)
        lane_at(out, want->at[SARRUS_OBSERVE_KEPT]) = found.kept;
    if (want->at[SARRUS_OBSERVE_DROPPED] >= 0)
        lane_at(out, want->at[SARRUS_OBSERVE_DROPPED]) = found.dropped;
}

/* out[n_computed]. */
LANE_BODY void sarrus_observe_state(sarrus_evaluation *ev, const real *tile, const sarrus_observe_request *want, real *out) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    sarrus_workspace *ws = ev->ws;
    const real *q = lane_from(tile, mech->layout.q), *v = lane_from(tile, mech->layout.v);
    const real t = sarrus_lane_time(mech, tile, &want->clock, want->clock.step);
    ev->wants_closeness = 1; /* the next step may find the factor in place */
    if (!ev->is_configured)
        sarrus_configure(ev, t, q);
    const int32_t at_x = want->at[SARRUS_OBSERVE_JOINT_COORDINATES], at_rate = want->at[SARRUS_OBSERVE_JOINT_SPEEDS];
    if (at_x >= 0 || at_rate >= 0)
        sarrus_joints_show(mech, ev->parameter, ws, q, v, at_x >= 0 ? lane_from(out, at_x) : (real *)0,
                           at_rate >= 0 ? lane_from(out, at_rate) : (real *)0);
    if (want->at[SARRUS_OBSERVE_WORK] >= 0)
        lane_at(out, want->at[SARRUS_OBSERVE_WORK]) = lane_at(tile, mech->layout.verdict.work);
    if (want->at[SARRUS_OBSERVE_ENERGY] >= 0) {
        ev->wants_violation = 0;
        sarrus_measure(ev, t, q, v);
        lane_at(out, want->at[SARRUS_OBSERVE_ENERGY]) = ev->state.kinetic + ev->state.potential;
    }
    sarrus_state_rows(mech, ev->parameter, q, v, ws, 1);
    if (want->at[SARRUS_OBSERVE_POSITION_ERROR] >= 0)
        lane_at(out, want->at[SARRUS_OBSERVE_POSITION_ERROR]) = sarrus_rows_norm(mech, ws->phi);
    if (want->at[SARRUS_OBSERVE_VELOCITY_ERROR] >= 0)
        lane_at(out, want->at[SARRUS_OBSERVE_VELOCITY_ERROR]) = sarrus_rows_norm(mech, ws->phi_dot);
    if (want->at[SARRUS_OBSERVE_RANK] >= 0)
        lane_at(out, want->at[SARRUS_OBSERVE_RANK]) = sarrus_rank(ev);
    if (want->at[SARRUS_OBSERVE_KEPT] >= 0 || want->at[SARRUS_OBSERVE_DROPPED] >= 0)
        sarrus_margin(ev, want, out);
    const int wants_loads = want->at[SARRUS_OBSERVE_REACTIONS] >= 0 || want->at[SARRUS_OBSERVE_DRIVES] >= 0 ||
                            want->at[SARRUS_OBSERVE_CONSTRAINTS] >= 0;
    if (!wants_loads && want->at[SARRUS_OBSERVE_ACCELERATION] < 0)
        return;
    sarrus_accelerate(ev, t, q, v, ws->a);
    ev->is_configured = 1; /* here the state stays */
    for (int32_t i = 0; want->at[SARRUS_OBSERVE_ACCELERATION] >= 0 && i < mech->n_v; ++i)
        lane_at(out, want->at[SARRUS_OBSERVE_ACCELERATION] + i) = lane_at(ws->a, i);
    if (!wants_loads)
        return;
    if (mech->m > 0) /* joints that hold nothing have reactions of 0 */
        sarrus_multipliers(ev);
    for (int32_t i = 0; want->at[SARRUS_OBSERVE_REACTIONS] >= 0 && i < mech->n_joints; ++i) {
        sarrus_joint_reaction(mech, ev->parameter, ws, i, q, v,
                              lane_from(out, want->at[SARRUS_OBSERVE_REACTIONS] + SARRUS_REACTION_NUMBERS * i));
    }
    if (want->at[SARRUS_OBSERVE_DRIVES] >= 0)
        sarrus_motor_loads(mech, ws, lane_from(out, want->at[SARRUS_OBSERVE_DRIVES]));
    for (int32_t i = 0; want->at[SARRUS_OBSERVE_CONSTRAINTS] >= 0 && i < mech->n_constraints; ++i)
        sarrus_constraint_load(mech, ws, i, lane_from(out, want->at[SARRUS_OBSERVE_CONSTRAINTS] + SARRUS_LOAD_NUMBERS * i));
}

/* The same; a lane of which something is NaN or infinite ends here: a step judges where it comes to, and nobody has judged the
 * state at t = 0, or one that the user has put in. What an end was asked for under way says nothing. */
LANE_BODY void sarrus_observe(sarrus_evaluation *ev, const real *tile, const sarrus_observe_request *want, real *out) {
    const sarrus_tile_layout *layout = &sarrus_plan_of(ev)->layout;
    const int32_t was_factored = ev->is_factored;
    ev->is_indeterminate = mask_none();
    sarrus_observe_state(ev, tile, want, out);
    /* The next step makes the factor that it would have made: one that was made here has looked at closeness and at rows in doubt
     * in another order, and what is observed may not move anything. */
    ev->is_factored = was_factored && ev->is_factored;
    const mask bad = mask_and(ev->healthy, mask_not(sarrus_all_are_finite(out, want->n_computed)));
    if (lane_is_stopped(ev->stop) || !mask_any(bad))
        return;
    const real word = sarrus_status_unless_open(ev, real_set((real_scalar)SARRUS_INSTANCE_NONFINITE_FORCE));
    sarrus_lane_set(lane_from(ev->tile, layout->status), bad, word);
    sarrus_lane_set(lane_from(ev->tile, layout->failed_step), bad, sarrus_lane_steps(sarrus_plan_of(ev), tile, want->clock.step));
}

#endif

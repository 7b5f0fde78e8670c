/* A step of a fixed-step method cut at its accelerations, for devices where somebody else solves for them in between:
 *   for stage = 0 … n − 1:  sarrus_stage_accelerate, sarrus_stage_end;   then sarrus_stages_finish
 * is one step of sarrus_advance_fixed, operation by operation, without parts: an instance that would need them ends as unresolved.
 * What a stage leaves for the next one stands in the workspace. */
#ifndef SARRUS_STEP_STAGES_H
#define SARRUS_STEP_STAGES_H

#include "kernels/step/fixed.h"

/* Accelerations of one step. */
LANE_FUNCTION int32_t sarrus_step_stages(const sarrus_mechanism *mech) {
    return sarrus_method_is_rk4(mech) ? 4 : 1;
}

/* The watch for change points at the beginning of a step. */
LANE_BODY void sarrus_stage_watch(sarrus_evaluation *ev, real t, real h, const real *q, const real *v) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    sarrus_passage lanes;
    if (!mech->is_watched)
        return;
    sarrus_passage_view(ev, &lanes);
    ev->wants_closeness = 1;
    sarrus_evaluate_rows(ev, t, q, v);
    sarrus_closeness_take(ev);
    ev->wants_closeness = 0;
    const sarrus_station from = sarrus_station_here(ev, t, h, q, v);
    sarrus_nearest_keep(ev, ev->healthy, t, from.near[1]);
    (void)sarrus_passage_watch(ev, &lanes, ev->healthy, &from);
    ev->is_configured = ev->is_factored = 0;
}

/* The acceleration of a stage of the step from t into ws->a. With stage 0 the lanes whose a_f is finite. */
LANE_BODY void sarrus_stage_accelerate(sarrus_evaluation *ev, int32_t stage, real t, real h, const real *tile,
                                       mask *force_is_finite) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    sarrus_workspace *ws = ev->ws;
    const real *q = lane_from(tile, mech->layout.q), *v = lane_from(tile, mech->layout.v);
    const sarrus_rk4_times at = sarrus_rk4_times_of(t, h);
    if (stage == 0) {
        sarrus_fixed_begin(ev, t);
        sarrus_stage_watch(ev, t, h, q, v);
        sarrus_accelerate_checked(ev, t, q, v, force_is_finite);
    } else
        sarrus_accelerate(ev, stage == 3 ? at.t_end : at.t_half, ws->q, ws->v, ws->a);
}

/* What follows it. ev->found is the decision of that acceleration. */
LANE_BODY void sarrus_stage_end(sarrus_evaluation *ev, int32_t stage, real t, real h, const real *tile) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    const real *q = lane_from(tile, mech->layout.q), *v = lane_from(tile, mech->layout.v);
    const sarrus_rk4_times at = sarrus_rk4_times_of(t, h);
    const sarrus_rk4_state from = {q, v, ev->ws->a};
    /* The acceleration may have been finished elsewhere; rotations and signals are still those of the stage. */
    if (mech->has_work) {
        const real *q_here = stage == 0 ? q : ev->ws->q, *v_here = stage == 0 ? v : ev->ws->v;
        ev->power = sarrus_state_free_acceleration(mech, ev->parameter, ev->input, q_here, v_here, ev->ws);
        if (sarrus_is_rheonomic(mech) || mech->has_baumgarte)
            ev->power = ev->power + sarrus_constraints_power(ev, v_here, ev->ws->a);
    }
    for (int32_t i = 0; stage == 1 && i < mech->n_v; ++i)
        lane_at(ev->ws->a_middle, i) = lane_at(ev->ws->a, i);
    if (sarrus_method_is_rk4(mech))
        sarrus_rk4_stage_end(ev, stage, &at, &from);
    else
        sarrus_semi_implicit(ev, t, h, q, v);
}

/* The end of the step to clock time `step`. */
LANE_BODY void sarrus_stages_finish(sarrus_evaluation *ev, const sarrus_clock *clock, uint64_t step, mask force_is_finite) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    const real t_end = sarrus_lane_time(mech, ev->tile, clock, step), h = t_end - sarrus_lane_time(mech, ev->tile, clock, step - 1);
    sarrus_passage lanes;
    sarrus_passage_view(ev, &lanes);
    if (sarrus_method_is_rk4(mech))
        (void)sarrus_fixed_look(ev, &lanes, h, real_set(mech->integrator.dt));
    const sarrus_fixed_outcome end = sarrus_fixed_end(ev, t_end, step, force_is_finite, mask_none());
    sarrus_lane_set(lanes.stride, end.moved, h);
    const mask is_limited = real_lt(real_set(mech->limit_error), real_set(SARRUS_NO_LIMIT));
    mask is_long = real_lt(sarrus_bend_step(&lanes, real_set(SARRUS_BEND_STEP)), h);
    is_long = mask_or(mask_and(is_limited, is_long), sarrus_passage_is_lost(ev, &lanes));
    const mask lost = mask_and(end.moved, mask_or(is_long, sarrus_fixed_is_lost(ev)));
    if (mask_any(lost))
        sarrus_fixed_fail(ev, step, lost, real_set((real_scalar)SARRUS_INSTANCE_UNRESOLVED));
}

#endif

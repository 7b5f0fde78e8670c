/* A step of a fixed-step method cut at its accelerations, for devices where somebody else solves for them in between:
 *   for stage = 0 … n − 1:  sarrus_stage_accelerate, sarrus_stage_end;   then sarrus_fixed_end
 * is one step of sarrus_advance_fixed, operation by operation. What a stage leaves for the next one stands in the workspace. */
#ifndef SARRUS_STEP_STAGES_H
#define SARRUS_STEP_STAGES_H

#include "kernels/step/fixed.h"

/* Accelerations of one step. */
LANE_FUNCTION int32_t sarrus_step_stages(const sarrus_mechanism *mech) {
    return sarrus_method_is_rk4(mech) ? 4 : 1;
}

/* The acceleration of a stage of the step from t into ws->a. With stage 0 the lanes whose a_f is finite. */
LANE_BODY void sarrus_stage_accelerate(sarrus_evaluation *ev, int32_t stage, real t, real h, const real *tile,
                                       mask *force_is_finite) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    sarrus_workspace *ws = ev->ws;
    const real *q = lane_from(tile, mech->layout.q), *v = lane_from(tile, mech->layout.v);
    const sarrus_rk4_times at = sarrus_rk4_times_of(t, h);
    if (stage == 0)
        sarrus_accelerate_checked(ev, t, q, v, force_is_finite);
    else
        sarrus_accelerate(ev, stage == 3 ? at.t_end : at.t_half, ws->q, ws->v, ws->a);
}

/* What follows it. ev->found is the decision of that acceleration. */
LANE_BODY void sarrus_stage_end(sarrus_evaluation *ev, int32_t stage, real t, real h, const real *tile) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    const real *q = lane_from(tile, mech->layout.q), *v = lane_from(tile, mech->layout.v);
    const sarrus_rk4_times at = sarrus_rk4_times_of(t, h);
    if (sarrus_method_is_rk4(mech))
        sarrus_rk4_stage_end(ev, stage, &at, q, v);
    else
        sarrus_semi_implicit_end(ev, t, h, q, v);
}

#endif

/* Brings one tile forward: by steps of dt, or, by a method that chooses its steps, to a multiple of dt. */
#ifndef SARRUS_STEP_ADVANCE_H
#define SARRUS_STEP_ADVANCE_H

#include "kernels/step/fixed.h"
#include "kernels/step/adaptive_tile.h"

/* Baumgarte's gains where no step is being made: those of the parameters, or what the step makes of them. */
LANE_FUNCTION void sarrus_gains_begin(sarrus_evaluation *ev) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    const sarrus_mech_integrator *how = &mech->integrator;
    ev->held = (const real *)0;
    ev->alpha = lane_at(ev->parameter, mech->p_baumgarte);
    ev->beta = lane_at(ev->parameter, mech->p_baumgarte + 1);
    if (!how->has_step_gains)
        return;
    ev->alpha = real_set(how->gain[sarrus_method_is_adams(mech) ? 1 : 0] / how->dt);
    if (how->is_adaptive) {
        real gain = lane_at(ev->tile, mech->layout.adaptive.gain);
        ev->alpha = real_select(real_lt(real_set(0.0), gain), gain, ev->alpha);
    }
    ev->beta = ev->alpha;
}

/* The parts of a tile that a kernel call works on. */
LANE_FUNCTION void sarrus_evaluation_begin(sarrus_evaluation *ev, const sarrus_mechanism *mech, sarrus_workspace *ws, real *tile) {
    ev->mech = mech;
    ev->ws = ws;
    ev->tile = tile;
    ev->parameter = lane_from(tile, mech->layout.parameter);
    ev->input = lane_from(tile, mech->layout.input);
    ws->seen = lane_from(tile, mech->layout.seen);
    ev->max_rank = lane_at(tile, mech->layout.rank);
    ev->rank_now = lane_at(tile, mech->layout.rank_now);
    ev->rank_now = real_select(real_lt(ev->rank_now, real_set(0.0)), ev->max_rank, ev->rank_now);
    ev->found.rank = ev->found.kept = ev->found.dropped = real_set(0.0);
    ev->healthy = real_eq(lane_at(tile, mech->layout.status), real_set((real_scalar)SARRUS_INSTANCE_OK));
    ev->is_slow = ev->is_blurred = ev->is_indeterminate = ev->asks_all = mask_none();
    ev->is_swapped = sarrus_swapped_now(ev);
    ev->power = ev->state_violation = real_set(0.0);
    ev->crossed = (const real *)0;
    ev->at_q = ev->at_v = (const real *)0;
    ev->stage_violation = real_set(0.0);
    if (mask_any(real_lt(real_set(0.0), lane_at(tile, mech->layout.passage.is_on))))
        sarrus_crossings_show(ev);
    ev->is_configured = ev->is_factored = ev->is_looking = ev->sits_out = ev->sees_all_rows = ev->is_strict = 0;
    ev->is_in_stretch = 0;
    ev->wants_force = ev->wants_closeness = ev->wants_violation = 0;
    ev->outside = (sarrus_evaluation *)0;
    ev->stop = (const volatile int32_t *)0;
    ev->n_evaluations = ev->n_rank_revealing = 0;
    sarrus_gains_begin(ev);
}

/* Returns the number of steps done: fewer than n_steps when changes of rank wait to be fetched first, or an end is asked for. */
LANE_BODY uint64_t sarrus_advance(sarrus_evaluation *ev, real *tile, const sarrus_clock *clock, uint64_t n_steps) {
    if (!LANE_IS_SINGLE && sarrus_plan_of(ev)->integrator.is_adaptive)
        return sarrus_advance_adaptive(ev, tile, clock, n_steps);
    const uint64_t n_done = sarrus_advance_fixed(ev, clock, n_steps);
    sarrus_swapped_keep(ev, mask_not(mask_none())); /* the next call goes on with the same rows */
    return n_done;
}

#endif

/* What every method that chooses its steps keeps in the tile, and how a lane begins, fails and shows itself.
 *
 * Each lane has its own time and step size and runs past the time that is asked for; what q and v of the tile show is interpolated.
 * So the steps of an instance depend on nothing but the instance: neither on when it is looked at nor on its neighbours. */
#ifndef SARRUS_STEP_ADAPTIVE_H
#define SARRUS_STEP_ADAPTIVE_H

#include "kernels/step/control.h"
#include "kernels/step/events.h"

/* The fields of sarrus_adaptive_layout that all methods use. */
typedef struct sarrus_adaptive {
    real *t_now, *t_before, *step, *gain, *rank;
    real *now; /* [2n] */
    real *is_started, *is_rejected, *memory;
    real *shown; /* [2n] */
    real *input; /* [n_inputs] */
} sarrus_adaptive;

LANE_FUNCTION void sarrus_adaptive_view(const sarrus_mechanism *mech, real *tile, sarrus_adaptive *lanes) {
    const sarrus_adaptive_layout *at = &mech->layout.adaptive;
    lanes->t_now = lane_from(tile, at->t_now);
    lanes->t_before = lane_from(tile, at->t_before);
    lanes->step = lane_from(tile, at->step);
    lanes->gain = lane_from(tile, at->gain);
    lanes->rank = lane_from(tile, at->rank);
    lanes->now = lane_from(tile, at->now);
    lanes->is_started = lane_from(tile, at->is_started);
    lanes->is_rejected = lane_from(tile, at->is_rejected);
    lanes->memory = lane_from(tile, at->memory);
    lanes->shown = lane_from(tile, at->shown);
    lanes->input = lane_from(tile, at->input);
}

/* to[n] ← from[n] where `on`. */
LANE_FUNCTION void sarrus_lanes_copy(mask on, const real *from, int32_t n, real *to) {
    for (int32_t i = 0; i < n; ++i)
        lane_at(to, i) = real_select(on, lane_at(from, i), lane_at(to, i));
}

/* Lanes in which some of a[n] is not that of b. */
LANE_BODY mask sarrus_lanes_differ(const real *a, const real *b, int32_t n) {
    mask differ = mask_none();
    for (int32_t i = 0; i < n; ++i)
        differ = mask_or(differ, mask_not(real_eq(lane_at(a, i), lane_at(b, i))));
    return differ;
}

/* The lanes of `fail` end with a status, at the first grid time behind their last good one. */
LANE_BODY void sarrus_adaptive_fail(const sarrus_evaluation *ev, const sarrus_clock *clock, mask fail, int32_t status) {
    const sarrus_tile_layout *layout = &sarrus_plan_of(ev)->layout;
    real *word = lane_from(ev->tile, layout->status), *failed_step = lane_from(ev->tile, layout->failed_step);
    if (!mask_any(fail))
        return;
    real step = sarrus_clock_step_after(clock, lane_at(ev->tile, layout->adaptive.t_now));
    lane_at(word, 0) = real_select(fail, real_set((real_scalar)status), lane_at(word, 0));
    lane_at(failed_step, 0) = real_select(fail, step, lane_at(failed_step, 0));
}

/* Gains that follow the step: α = β = gain / h in the lanes of `on`. */
LANE_FUNCTION void sarrus_adaptive_gains(sarrus_evaluation *ev, const sarrus_adaptive *lanes, real gain, real h, mask on) {
    if (!sarrus_plan_of(ev)->integrator.has_step_gains)
        return;
    lane_at(lanes->gain, 0) = real_select(on, gain / h, lane_at(lanes->gain, 0));
    ev->alpha = ev->beta = lane_at(lanes->gain, 0);
}

/* Whether the derivative may jump from one call to the next, so that no step may reach over. */
LANE_FUNCTION int sarrus_calls_cut_steps(const sarrus_mechanism *mech) {
    return mech->n_inputs > 0;
}

#endif

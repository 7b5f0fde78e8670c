/* Many steps of one tile: integrate, stabilise, judge. A lane whose step leaves the finite range keeps its last good state,
 * gets its status and is frozen; the others never notice. */
#ifndef SARRUS_STEP_ADVANCE_H
#define SARRUS_STEP_ADVANCE_H

#include "kernels/step/project.h"
#include "kernels/step/rk4.h"
#include "sarrus/status.h"

/* Coordinates and speeds beyond this, in SI units, are not a motion any more. */
#define SARRUS_FINITE_RANGE 1e12

LANE_FUNCTION real_scalar sarrus_clock_time(const sarrus_clock *clock, uint64_t step) {
    return step == clock->n_total ? clock->t_end : (real_scalar)step * clock->dt;
}

/* The parts of a tile that a kernel call works on. */
LANE_FUNCTION void sarrus_evaluation_begin(sarrus_evaluation *ev, const sarrus_mechanism *mech, const sarrus_workspace *ws,
                                           real *tile) {
    ev->mech = mech;
    ev->ws = ws;
    ev->tile = tile;
    ev->parameter = lane_from(tile, mech->layout.parameter);
    ev->input = lane_from(tile, mech->layout.input);
    ev->max_rank = lane_at(tile, mech->layout.rank);
    ev->rank_now = lane_at(tile, mech->layout.rank_now);
    ev->rank_now = real_select(real_lt(ev->rank_now, real_set(0.0)), ev->max_rank, ev->rank_now);
    ev->found.rank = ev->found.kept = ev->found.dropped = real_set(0.0);
    ev->healthy = real_eq(lane_at(tile, mech->layout.status), real_set((real_scalar)SARRUS_INSTANCE_OK));
    ev->is_configured = ev->is_factored = 0;
    ev->n_evaluations = ev->n_rank_revealing = 0;
}

/* Lanes whose ws->q, ws->v are all within the finite range. */
LANE_BODY mask sarrus_state_is_finite(const sarrus_mechanism *mech, const real *q, const real *v) {
    real range = real_set(SARRUS_FINITE_RANGE);
    mask ok = real_eq(range, range);
    for (int32_t i = 0; i < mech->n; ++i) {
        ok = mask_and(ok, mask_and(real_le(real_abs(lane_at(q, i)), range), real_le(real_abs(lane_at(v, i)), range)));
    }
    return ok;
}

/* Returns the number of steps done: fewer than n_steps when changes of rank wait to be fetched first. */
LANE_BODY uint64_t sarrus_advance(sarrus_evaluation *ev, real *tile, const sarrus_clock *clock, uint64_t n_steps) {
    const sarrus_mechanism *mech = ev->mech;
    const sarrus_workspace *ws = ev->ws;
    real *q = lane_from(tile, mech->layout.q), *v = lane_from(tile, mech->layout.v);
    real *status = lane_from(tile, mech->layout.status), *failed_step = lane_from(tile, mech->layout.failed_step);
    for (uint64_t k = 0; k < n_steps && mask_any(ev->healthy); ++k) {
        if (sarrus_events_are_full(ev))
            return k;
        uint64_t step = clock->step + k;
        real_scalar t = sarrus_clock_time(clock, step), t_next = sarrus_clock_time(clock, step + 1);
        mask force_is_finite;
        sarrus_rk4(ev, real_set(t), real_set(t_next - t), q, v, &force_is_finite);
        sarrus_project(ev, real_set(t_next), ws->q, ws->v);
        sarrus_count(ev, mech->layout.n_steps, 1.0, ev->healthy);
        sarrus_count(ev, mech->layout.n_evaluations, 4.0, ev->healthy);
        mask good = mask_and(sarrus_state_is_finite(mech, ws->q, ws->v), force_is_finite);
        mask move = mask_and(ev->healthy, good), fail = mask_and(ev->healthy, mask_not(good));
        for (int32_t i = 0; i < mech->n; ++i) {
            lane_at(q, i) = real_select(move, lane_at(ws->q, i), lane_at(q, i));
            lane_at(v, i) = real_select(move, lane_at(ws->v, i), lane_at(v, i));
        }
        if (mask_any(fail)) {
            real word = real_select(force_is_finite, real_set((real_scalar)SARRUS_INSTANCE_DIVERGED),
                                    real_set((real_scalar)SARRUS_INSTANCE_NONFINITE_FORCE));
            lane_at(status, 0) = real_select(fail, word, lane_at(status, 0));
            lane_at(failed_step, 0) = real_select(fail, real_set((real_scalar)(step + 1)), lane_at(failed_step, 0));
            ev->healthy = move;
        }
    }
    return n_steps;
}

#endif

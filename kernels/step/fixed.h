/* Many steps of one tile by a method of fixed step. A lane whose step leaves the finite range keeps its last good state, gets its
 * status and is frozen; the others never notice. */
#ifndef SARRUS_STEP_FIXED_H
#define SARRUS_STEP_FIXED_H

#include "kernels/step/clock.h"
#include "kernels/step/rk4.h"
#include "kernels/step/semi_implicit.h"

LANE_FUNCTION int sarrus_method_is_rk4(const sarrus_mechanism *mech) {
    return mech->integrator.method == SARRUS_INTEGRATOR_RK4;
}

/* The new state of the step from clock time `step`, in ws->q and ws->v, projected and taken over by the lanes where it is one. 0:
 * by none, as an end is asked for. */
LANE_FUNCTION int sarrus_fixed_end(sarrus_evaluation *ev, real *tile, const sarrus_clock *clock, uint64_t step,
                                   mask force_is_finite) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    sarrus_workspace *ws = ev->ws;
    real *q = lane_from(tile, mech->layout.q), *v = lane_from(tile, mech->layout.v);
    real *status = lane_from(tile, mech->layout.status), *failed_step = lane_from(tile, mech->layout.failed_step);
    sarrus_project(ev, real_set(sarrus_clock_time(clock, step + 1)), ws->q, ws->v);
    if (lane_is_stopped(ev->stop))
        return 0;
    sarrus_count(ev, mech->layout.n_evaluations, sarrus_method_is_rk4(mech) ? 4.0 : 1.0, ev->healthy);
    mask good = mask_and(sarrus_state_is_finite(mech, ws->q, ws->v), force_is_finite);
    mask move = mask_and(ev->healthy, good), fail = mask_and(ev->healthy, mask_not(good));
    sarrus_count(ev, mech->layout.n_steps, 1.0, move);
    PLAN_EACH (i, 0, mech->n) {
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
    return 1;
}

/* As sarrus_advance, for the methods of fixed step. */
LANE_BODY uint64_t sarrus_advance_fixed(sarrus_evaluation *ev, real *tile, const sarrus_clock *clock, uint64_t n_steps) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    real *q = lane_from(tile, mech->layout.q), *v = lane_from(tile, mech->layout.v);
    for (uint64_t k = 0; k < n_steps && mask_any(ev->healthy); ++k) {
        if (sarrus_events_are_full(ev))
            return k;
        uint64_t step = clock->step + k;
        real_scalar t = sarrus_clock_time(clock, step), h = sarrus_clock_time(clock, step + 1) - t;
        mask force_is_finite;
        if (sarrus_method_is_rk4(mech))
            sarrus_rk4(ev, real_set(t), real_set(h), q, v, &force_is_finite);
        else
            sarrus_semi_implicit(ev, real_set(t), real_set(h), q, v, &force_is_finite);
        if (!sarrus_fixed_end(ev, tile, clock, step, force_is_finite))
            return k;
    }
    return n_steps;
}

#endif

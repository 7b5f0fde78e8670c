/* Grid times: multiples of dt, with t_end among them. */
#ifndef SARRUS_STEP_CLOCK_H
#define SARRUS_STEP_CLOCK_H

#include "kernels/body/workspace.h"

/* Steps that the lanes of a tile have made by step `step` of the grid: each counts from where its own time began. */
LANE_FUNCTION real sarrus_lane_steps(const sarrus_mechanism *mech, const real *tile, uint64_t step) {
    return real_set((real_scalar)step) - lane_at(tile, mech->layout.begun);
}

/* s, the lanes' own times then. */
LANE_FUNCTION real sarrus_lane_time(const sarrus_mechanism *mech, const real *tile, const sarrus_clock *clock, uint64_t step) {
    const real steps = sarrus_lane_steps(mech, tile, step);
    const mask is_end = real_eq(steps, real_set((real_scalar)clock->n_total));
    return real_select(is_end, real_set(clock->t_end), steps * real_set(clock->dt));
}

/* s, the length of the step from t to t_next, lanes' own times at clock times `step` and the next. Floats that are apart by a step
 * do not tell how far. */
LANE_FUNCTION real sarrus_lane_stride(const sarrus_mechanism *mech, const real *tile, const sarrus_clock *clock, uint64_t step,
                                      real t, real t_next) {
    if (!LANE_IS_SINGLE)
        return t_next - t;
    const mask is_last = real_eq(sarrus_lane_steps(mech, tile, step + 1), real_set((real_scalar)clock->n_total));
    const real_scalar last = clock->t_end - (real_scalar)(clock->n_total - 1) * clock->dt;
    return real_select(is_last, real_set(last), real_set(clock->dt));
}

/* The first grid step behind time t: the smallest s with time(s) > t, for t ≥ 0. */
LANE_BODY real sarrus_clock_step_after(const sarrus_clock *clock, real t) {
    const real magic = real_set(4503599627370496.0); /* 2^52: adding it rounds to an integer */
    const real one = real_set(1.0), n_total = real_set((real_scalar)clock->n_total), t_end = real_set(clock->t_end);
    real step = (t / real_set(clock->dt) + magic) - magic - one; /* at most the right one */
    for (int k = 0; k < 3; ++k) {
        real at = real_select(real_eq(step, n_total), t_end, step * real_set(clock->dt));
        step = real_select(real_le(at, t), step + one, step);
    }
    return step;
}

#endif

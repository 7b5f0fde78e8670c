/* Grid times: multiples of dt, with t_end among them. */
#ifndef SARRUS_STEP_CLOCK_H
#define SARRUS_STEP_CLOCK_H

#include "kernels/body/workspace.h"

LANE_FUNCTION real_scalar sarrus_clock_time(const sarrus_clock *clock, uint64_t step) {
    return step == clock->n_total ? clock->t_end : (real_scalar)step * clock->dt;
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

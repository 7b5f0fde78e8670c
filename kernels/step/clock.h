/* Grid times: multiples of dt, with t_end among them. */
#ifndef SARRUS_STEP_CLOCK_H
#define SARRUS_STEP_CLOCK_H

#include "kernels/formulation/udwadia_kalaba.h"
#include "sarrus/status.h"

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

/* held[2m] ← Φ, Φ̇ of the rows in the workspace, in the lanes of `on`. Gains that follow the step act, in all its stages, on the
 * violation that it began with: a stage lies off the constraints by h², which β² = (gain/h)² would turn into an acceleration that
 * no step size makes small. */
LANE_FUNCTION void sarrus_violation_hold(const sarrus_evaluation *ev, mask on, real *held) {
    const int32_t m = ev->mech->m;
    for (int32_t i = 0; i < m; ++i) {
        lane_at(held, i) = real_select(on, lane_at(ev->ws->phi, i), lane_at(held, i));
        lane_at(held, m + i) = real_select(on, lane_at(ev->ws->phi_dot, i), lane_at(held, m + i));
    }
}

/* Coordinates and speeds beyond this, in SI units, are not a motion any more. */
#define SARRUS_FINITE_RANGE 1e12

/* Lanes whose q, v are all within the finite range. */
LANE_BODY mask sarrus_state_is_finite(const sarrus_mechanism *mech, const real *q, const real *v) {
    real range = real_set(SARRUS_FINITE_RANGE);
    mask ok = real_eq(range, range);
    for (int32_t i = 0; i < mech->n; ++i) {
        ok = mask_and(ok, mask_and(real_le(real_abs(lane_at(q, i)), range), real_le(real_abs(lane_at(v, i)), range)));
    }
    return ok;
}

/* Lanes in which all of x[n] are numbers. */
LANE_BODY mask sarrus_all_are_finite(const real *x, int32_t n) {
    real zero = real_set(0.0);
    for (int32_t i = 0; i < n; ++i)
        zero = real_fma(lane_at(x, i), real_set(0.0), zero); /* NaN from any NaN or ∞ */
    return real_eq(zero, real_set(0.0));
}

/* The smaller of a and b; a NaN in `a` is passed over. */
LANE_FUNCTION real sarrus_smaller(real a, real b) {
    return real_select(real_lt(a, b), a, b);
}

#endif

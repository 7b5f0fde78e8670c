/* What counts as a motion: lanes whose numbers are finite and within range. */
#ifndef SARRUS_STEP_FINITE_H
#define SARRUS_STEP_FINITE_H

#include "kernels/formulation/phase.h"
#include "sarrus/status.h"

/* Coordinates and speeds beyond this, in SI units, are not a motion any more. */
#define SARRUS_FINITE_RANGE 1e12

/* Lanes whose q, v are all within the finite range. */
PLAN_BODY mask sarrus_state_is_finite(const sarrus_mechanism *mech, const real *q, const real *v) {
    real range = real_set(SARRUS_FINITE_RANGE);
    mask ok = real_eq(range, range);
    PLAN_EACH (i, 0, mech->n_q)
        ok = mask_and(ok, real_le(real_abs(lane_at(q, i)), range));
    PLAN_EACH (i, 0, mech->n_v)
        ok = mask_and(ok, real_le(real_abs(lane_at(v, i)), range));
    return ok;
}

/* Lanes in which all of x[n] are numbers. */
LANE_BODY mask sarrus_all_are_finite(const real *x, int32_t n) {
    real zero = real_set(0.0);
    for (int32_t i = 0; i < n; ++i)
        zero = real_fma(lane_at(x, i), real_set(0.0), zero); /* NaN from any NaN or ∞ */
    return real_eq(zero, real_set(0.0));
}

/* The status of lanes that have come to no motion for another reason, `word`, unless it is that the masses leave one open. */
LANE_FUNCTION real sarrus_status_unless_open(const sarrus_evaluation *ev, real word) {
    if (sarrus_plan_of(ev)->n_lacking == 0)
        return word;
    return real_select(ev->is_indeterminate, real_set((real_scalar)SARRUS_INSTANCE_INDETERMINATE), word);
}

/* As sarrus_accelerate; the lanes whose a_f, an array of the evaluation, is finite into *force_is_finite. */
LANE_FUNCTION void sarrus_accelerate_checked(sarrus_evaluation *ev, real t, const real *q, const real *v, mask *force_is_finite) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    real zero = real_set(0.0);
    ev->wants_force = 1;
    sarrus_accelerate(ev, t, q, v, ev->ws->a);
    ev->wants_force = 0;
    PLAN_EACH (i, 0, mech->n_v)
        zero = real_fma(frame_at(ev->ws->force, i), real_set(0.0), zero); /* NaN from any NaN or ∞ */
    *force_is_finite = real_eq(zero, real_set(0.0));
}

#endif

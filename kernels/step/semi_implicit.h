/* Semi-implicit (symplectic) Euler for q̇ = v, v̇ = a(t, q, v):   v⁺ = v + h a(t, q, v),   q⁺ = q + h v⁺. */
#ifndef SARRUS_STEP_SEMI_IMPLICIT_H
#define SARRUS_STEP_SEMI_IMPLICIT_H

#include "kernels/step/events.h"
#include "kernels/step/finite.h"

/* What follows the acceleration: the new state into ws->q, ws->v. */
LANE_FUNCTION void sarrus_semi_implicit_end(sarrus_evaluation *ev, real t, real h, const real *q, const real *v) {
    sarrus_workspace *ws = ev->ws;
    sarrus_rank_note(ev, t, ev->healthy);
    PLAN_EACH (i, 0, sarrus_plan_of(ev)->n) {
        real v_new = real_fma(h, lane_at(ws->a, i), lane_at(v, i));
        lane_at(ws->v, i) = v_new;
        lane_at(ws->q, i) = real_fma(h, v_new, lane_at(q, i));
    }
}

/* The new state into ws->q, ws->v. Returns in *force_is_finite the lanes whose a_f was finite. */
LANE_BODY void sarrus_semi_implicit(sarrus_evaluation *ev, real t, real h, const real *q, const real *v, mask *force_is_finite) {
    sarrus_accelerate_checked(ev, t, q, v, force_is_finite);
    sarrus_semi_implicit_end(ev, t, h, q, v);
}

#endif

/* Semi-implicit (symplectic) Euler, with the rates q̇(q, v) of the coordinates and v̇ = a(t, q, v):
 *
 *   v⁺ = v + h a(t, q, v),   q⁺ = q + h q̇(q, v⁺),   W⁺ = W + h P. */
#ifndef SARRUS_STEP_SEMI_IMPLICIT_H
#define SARRUS_STEP_SEMI_IMPLICIT_H

#include "kernels/step/carry.h"
#include "kernels/step/rank_changes.h"
#include "kernels/step/finite.h"

/* What follows the acceleration at (t, q, v): the new state into ws->q, ws->v, the new work into ws->sum_w[1]. */
LANE_FUNCTION void sarrus_semi_implicit(sarrus_evaluation *ev, real t, real h, const real *q, const real *v) {
    sarrus_workspace *ws = ev->ws;
    sarrus_rank_note(ev, t, ev->healthy);
    lane_at(ws->sum_w, 1) = lane_at(ev->tile, sarrus_plan_of(ev)->layout.verdict.work);
    if (sarrus_plan_of(ev)->has_work)
        lane_at(ws->sum_w, 1) = real_fma(h, ev->power, lane_at(ws->sum_w, 1));
    lane_at(ws->sum_w, 2) = real_set(0.0);
    PLAN_EACH (i, 0, sarrus_plan_of(ev)->n_v)
        sarrus_carry_v(ev, i, h, lane_at(ws->a, i), v);
    const real *rates = sarrus_rates(ev, q, ws->v);
    PLAN_EACH (i, 0, sarrus_plan_of(ev)->n_q)
        sarrus_carry_q(ev, i, h, lane_at(rates, i), q);
}

#endif

/* The classical Runge-Kutta step of order 4 for q̇ = v, v̇ = a(t, q, v):
 *   v ← v + h/6 (a₁ + 2a₂ + 2a₃ + a₄),   q ← q + h/6 (v + 2v₂ + 2v₃ + v₄),   v_{s+1} = v + c h a_s,  q_{s+1} = q + c h v_s. */
#ifndef SARRUS_STEP_RK4_H
#define SARRUS_STEP_RK4_H

#include "kernels/step/events.h"
#include "kernels/step/finite.h"
#include "kernels/step/project.h"

/* One stage's end: adds weight·(v_s, a_s) to the sums and puts (q + c v_s, v + c a_s) into the stage state. */
LANE_FUNCTION void sarrus_rk4_stage(const sarrus_evaluation *ev, const real *q, const real *v, real weight, real c, int is_first) {
    sarrus_workspace *ws = ev->ws;
    PLAN_EACH (i, 0, sarrus_plan_of(ev)->n) {
        real rate = is_first ? lane_at(v, i) : lane_at(ws->v, i);
        real a = lane_at(ws->a, i);
        lane_at(ws->sum_q, i) = is_first ? rate : real_fma(weight, rate, lane_at(ws->sum_q, i));
        lane_at(ws->sum_v, i) = is_first ? a : real_fma(weight, a, lane_at(ws->sum_v, i));
        lane_at(ws->q, i) = real_fma(c, rate, lane_at(q, i));
        lane_at(ws->v, i) = real_fma(c, a, lane_at(v, i));
    }
}

/* The times of a step from t, and its length. */
typedef struct sarrus_rk4_times {
    real t, t_half, t_end;
    real half, h;
} sarrus_rk4_times;

LANE_FUNCTION sarrus_rk4_times sarrus_rk4_times_of(real t, real h) {
    sarrus_rk4_times at;
    at.t = t;
    at.h = h;
    at.half = real_set(0.5) * h;
    at.t_half = t + at.half;
    at.t_end = t + h;
    return at;
}

/* What follows the acceleration of stage 0 … 3 of a step from t: the state and the stage velocities of the next stage, or the new
 * state into ws->q, ws->v. */
LANE_FUNCTION void sarrus_rk4_stage_end(sarrus_evaluation *ev, int32_t stage, const sarrus_rk4_times *at, const real *q,
                                        const real *v) {
    sarrus_workspace *ws = ev->ws;
    if (stage == 0) {
        sarrus_rank_note(ev, at->t, ev->healthy);
        if (sarrus_plan_of(ev)->integrator.has_step_gains) {
            sarrus_violation_hold(ev, ev->healthy, ws->held);
            ev->held = ws->held;
        }
    }
    if (stage < 3) {
        sarrus_rk4_stage(ev, q, v, real_set(stage == 0 ? 1.0 : 2.0), stage == 2 ? at->h : at->half, stage == 0);
        sarrus_stage_velocities(ev, stage == 2 ? at->t_end : at->t_half);
        return;
    }
    ev->held = (const real *)0;
    real sixth = at->h / real_set(6.0);
    PLAN_EACH (i, 0, sarrus_plan_of(ev)->n) {
        lane_at(ws->q, i) = real_fma(sixth, lane_at(ws->sum_q, i) + lane_at(ws->v, i), lane_at(q, i));
        lane_at(ws->v, i) = real_fma(sixth, lane_at(ws->sum_v, i) + lane_at(ws->a, i), lane_at(v, i));
    }
}

/* The new state into ws->q, ws->v. Returns in *force_is_finite the lanes whose a_f was finite at the start of the step. */
LANE_BODY void sarrus_rk4(sarrus_evaluation *ev, real t, real h, const real *q, const real *v, mask *force_is_finite) {
    sarrus_workspace *ws = ev->ws;
    const sarrus_rk4_times at = sarrus_rk4_times_of(t, h);
    sarrus_accelerate_checked(ev, t, q, v, force_is_finite);
    sarrus_rk4_stage_end(ev, 0, &at, q, v);
    sarrus_accelerate(ev, at.t_half, ws->q, ws->v, ws->a);
    sarrus_rk4_stage_end(ev, 1, &at, q, v);
    sarrus_accelerate(ev, at.t_half, ws->q, ws->v, ws->a);
    sarrus_rk4_stage_end(ev, 2, &at, q, v);
    sarrus_accelerate(ev, at.t_end, ws->q, ws->v, ws->a);
    sarrus_rk4_stage_end(ev, 3, &at, q, v);
}

#endif

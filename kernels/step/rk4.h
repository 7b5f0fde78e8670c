/* The classical Runge-Kutta step of order 4 for q̇ = q̇(q, v), v̇ = a(t, q, v):
 *   v ← v + h/6 (a₁ + 2a₂ + 2a₃ + a₄),   q ← q + h/6 (q̇₁ + 2q̇₂ + 2q̇₃ + q̇₄),   v_{s+1} = v + c h a_s,  q_{s+1} = q + c h q̇_s,
 *   W ← W + h/6 (P₁ + 2P₂ + 2P₃ + P₄). */
#ifndef SARRUS_STEP_RK4_H
#define SARRUS_STEP_RK4_H

#include "kernels/step/carry.h"
#include "kernels/step/rank_changes.h"
#include "kernels/step/finite.h"
#include "kernels/step/project.h"

/* Spreads below this, squared and relative, are not worth an error (fixed.h): (e / 1e-8)^{2/3}, squared. */
#define SARRUS_SPREAD_SMALL 2.2e-11

/* Where a step begins, and the acceleration of the stage that ends. */
typedef struct sarrus_rk4_state {
    const real *q, *v, *a;
} sarrus_rk4_state;

/* One stage's end: adds weight·(q̇_s, a_s) to the sums and puts (q + c q̇_s, v + c a_s) into the stage state. */
LANE_FUNCTION void sarrus_rk4_stage(const sarrus_evaluation *ev, const sarrus_rk4_state *from, real weight, real c, int is_first) {
    sarrus_workspace *ws = ev->ws;
    const real *q = from->q, *v = from->v, *rates = is_first ? sarrus_rates(ev, q, v) : sarrus_rates(ev, ws->q, ws->v);
    PLAN_EACH (i, 0, sarrus_plan_of(ev)->n_q) {
        const real rate = lane_at(rates, i);
        lane_at(ws->sum_q, i) = is_first ? rate : real_fma(weight, rate, lane_at(ws->sum_q, i));
        lane_at(ws->q, i) = real_fma(c, rate, lane_at(q, i));
    }
    PLAN_EACH (i, 0, sarrus_plan_of(ev)->n_v) {
        const real a = lane_at(from->a, i);
        lane_at(ws->sum_v, i) = is_first ? a : real_fma(weight, a, lane_at(ws->sum_v, i));
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

/* The accelerations of the two stages in the middle of a step differ by h² terms; what they do to the speeds, h |a₃ − a₂|, is an
 * estimate of how well the step resolves the motion that costs nothing else (fixed.h makes an error of it). ws->sum_w[2] ← its
 * square, weighted by the masses; a₂ is in ws->a_middle. */
LANE_FUNCTION void sarrus_rk4_spread(const sarrus_evaluation *ev, real h) {
    lane_at(ev->ws->sum_w, 2) = h * h * sarrus_state_square(sarrus_plan_of(ev), ev->parameter, ev->ws, ev->ws->a, ev->ws->a_middle);
}

/* The work of a step beside the state. */
LANE_FUNCTION void sarrus_rk4_work(const sarrus_evaluation *ev, int32_t stage, real h) {
    real *sum = ev->ws->sum_w, *work = lane_from(ev->tile, sarrus_plan_of(ev)->layout.verdict.work);
    if (!sarrus_plan_of(ev)->has_work) {
        if (stage == 3)
            lane_at(sum, 1) = lane_at(work, 0);
    } else if (stage < 3) {
        lane_at(sum, 0) = stage == 0 ? ev->power : real_fma(real_set(2.0), ev->power, lane_at(sum, 0));
    } else {
        lane_at(sum, 1) = real_fma(h / real_set(6.0), lane_at(sum, 0) + ev->power, lane_at(work, 0));
    }
}

/* What follows the acceleration of stage 0 … 3 of a step from t: the state and the stage velocities of the next stage, or the new
 * state into ws->q, ws->v. */
LANE_FUNCTION void sarrus_rk4_stage_end(sarrus_evaluation *ev, int32_t stage, const sarrus_rk4_times *at,
                                        const sarrus_rk4_state *from) {
    sarrus_workspace *ws = ev->ws;
    sarrus_rk4_work(ev, stage, at->h);
    if (stage == 2 && sarrus_plan_of(ev)->wants_error)
        sarrus_rk4_spread(ev, at->h);
    if (stage == 0) {
        sarrus_rank_note(ev, at->t, ev->healthy);
        if (sarrus_plan_of(ev)->integrator.has_step_gains) {
            sarrus_violation_hold(ev, ev->healthy, ws->held);
            ev->held = ws->held;
        }
    }
    if (stage < 3) {
        sarrus_rk4_stage(ev, from, real_set(stage == 0 ? 1.0 : 2.0), stage == 2 ? at->h : at->half, stage == 0);
        sarrus_stage_velocities(ev, stage == 2 ? at->t_end : at->t_half);
        return;
    }
    ev->held = (const real *)0;
    real sixth = at->h / real_set(6.0);
    const real *rates = sarrus_rates(ev, ws->q, ws->v);
    PLAN_EACH (i, 0, sarrus_plan_of(ev)->n_q)
        sarrus_carry_q(ev, i, sixth, lane_at(ws->sum_q, i) + lane_at(rates, i), from->q);
    PLAN_EACH (i, 0, sarrus_plan_of(ev)->n_v)
        sarrus_carry_v(ev, i, sixth, lane_at(ws->sum_v, i) + lane_at(from->a, i), from->v);
}

/* The new state into ws->q, ws->v, the new work into ws->sum_w[1]; the acceleration at (t, q, v) is in ws->a. */
LANE_BODY void sarrus_rk4(sarrus_evaluation *ev, real t, real h, const real *q, const real *v) {
    sarrus_workspace *ws = ev->ws;
    const sarrus_rk4_times at = sarrus_rk4_times_of(t, h);
    const sarrus_rk4_state from = {q, v, ws->a}, from_middle = {q, v, ws->a_middle};
    sarrus_rk4_stage_end(ev, 0, &at, &from);
    sarrus_accelerate(ev, at.t_half, ws->q, ws->v, ws->a_middle);
    sarrus_rk4_stage_end(ev, 1, &at, &from_middle);
    sarrus_accelerate(ev, at.t_half, ws->q, ws->v, ws->a);
    sarrus_rk4_stage_end(ev, 2, &at, &from);
    sarrus_accelerate(ev, at.t_end, ws->q, ws->v, ws->a);
    sarrus_rk4_stage_end(ev, 3, &at, &from);
}

#endif

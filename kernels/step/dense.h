/* What lies between the ends of a step of a Runge-Kutta pair.
 *
 * Both ends have q, v and a. The quintic of them is off by O(h⁶) in q and O(h⁵) in v, which is below the order of the pairs. So,
 * when an output falls into a step, accelerations are computed inside of it (Enright, Jackson, Nørsett and Thomsen, ACM TOMS 12
 * (1986), call that bootstrapping), at places x of the step that the plan has (sarrus_mech_dense):
 *
 *   v(x) = v₀ + V_d(x) (v₁ − v₀) + h Σ_k V_k(x) a_k,
 *   q(x) = q₀ + h x q̇₀ + S(x) (q₁ − q₀ − h q̇₀) + h (Q_d(x) (q̇₁ − q̇₀) + h Σ_k Q_k(x) q̈_k),   S = 10x³ − 15x⁴ + 6x⁵,
 *
 * and the work W(x) from its power as v from a; a_k being those at x = 0, at the nodes and at x = 1. v is not made the derivative
 * of q, which would divide the error of q₁ − q₀ by h. The accelerations are those of states of the quintic, good to O(h⁵), or, when
 * has_first is set, of the sextic that has the acceleration at x = ½ as well: q₅ − (8/3) x³(1 − x)³ h² (a_½ − q̈₅(½)), good to
 * O(h⁶).
 *
 * All that is a function of the step alone, and done once a step: where and when an output falls into it changes nothing. */
#ifndef SARRUS_STEP_DENSE_H
#define SARRUS_STEP_DENSE_H

#include "kernels/step/adaptive.h"

/* The last accepted step of each lane. */
typedef struct sarrus_dense_step {
    const real *before, *a_before;          /* [n_y] [n_v] */
    const real *now, *a_now;                /* [n_y] [n_v] */
    const real *work_before, *work_now;     /* [1] J */
    const real *power_before, *power_now;   /* [1] W */
    const real *rate_before, *rate_now;     /* [n_q] q̇ */
    const real *second_before, *second_now; /* [n_q] q̈ */
    real t_before, h;
    real *inner;        /* [n_nodes][n_v + 1] accelerations at the nodes, and the power there */
    real *inner_second; /* [n_nodes][n_q] q̈ there, in spaces where they are not the accelerations */
    real *is_dense;
} sarrus_dense_step;

/* q̇ and q̈ at both ends. In spaces where speeds are the rates they stand there already. */
LANE_FUNCTION void sarrus_dense_curve(const sarrus_evaluation *ev, sarrus_dense_step *step) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    const int32_t n_q = mech->n_q;
    const real *v[2] = {lane_from(step->before, n_q), lane_from(step->now, n_q)};
    if (SPACE_NQ == SPACE_NV) {
        step->rate_before = v[0];
        step->rate_now = v[1];
        step->second_before = step->a_before;
        step->second_now = step->a_now;
        return;
    }
    const real *q[2] = {step->before, step->now}, *a[2] = {step->a_before, step->a_now}, *rate[2];
    for (int32_t end = 0; end < 2; ++end) {
        real *place = lane_from(ev->ws->curve, 2 * end * n_q);
        rate[end] = sarrus_state_rates(mech, q[end], v[end], place);
        sarrus_state_second_rates(mech, q[end], v[end], a[end], lane_from(place, n_q));
    }
    step->rate_before = rate[0];
    step->second_before = lane_from(ev->ws->curve, n_q);
    step->rate_now = rate[1];
    step->second_now = lane_from(ev->ws->curve, 3 * n_q);
}

LANE_FUNCTION void sarrus_dense_view(const sarrus_evaluation *ev, const sarrus_adaptive *lanes, sarrus_dense_step *step) {
    const sarrus_adaptive_layout *at = &sarrus_plan_of(ev)->layout.adaptive;
    step->before = lane_from(ev->tile, at->before);
    step->a_before = lane_from(ev->tile, at->a_before);
    step->now = lanes->now;
    step->a_now = lane_from(ev->tile, at->a_now);
    step->work_before = lanes->work_before;
    step->work_now = lanes->work_now;
    step->power_before = lanes->power_before;
    step->power_now = lanes->power_now;
    step->t_before = lane_at(lanes->t_before, 0);
    step->h = lane_at(lanes->t_now, 0) - step->t_before;
    step->inner = lane_from(ev->tile, at->inner);
    step->inner_second = lane_from(ev->tile, at->inner_second);
    sarrus_dense_curve(ev, step);
    step->is_dense = lane_from(ev->tile, at->is_dense);
}

/* The last step of the lanes of `on` is another one now. */
LANE_FUNCTION void sarrus_dense_forget(const sarrus_evaluation *ev, mask on) {
    real *is_dense = lane_from(ev->tile, sarrus_plan_of(ev)->layout.adaptive.is_dense);
    lane_at(is_dense, 0) = real_select(on, real_set((real_scalar)SARRUS_DENSE_NONE), lane_at(is_dense, 0));
}

/* The quintic of one coordinate at the part x of a step of size h, from q, v, a of both ends. */
LANE_FUNCTION void sarrus_quintic(real x, real h, const real *before, const real *now, real *q, real *v) {
    const real two = real_set(2.0), half = real_set(0.5);
    real y = real_set(1.0) - x, xy = x * y, x2 = x * x, y2 = y * y, xy2 = xy * xy;
    real rise = now[0] - before[0];
    /* Weights of q⁺ − q, v, v⁺, a, a⁺ and their derivatives. */
    real w_q = x2 * x * real_fma(x, real_fma(real_set(6.0), x, real_set(-15.0)), real_set(10.0));
    real w_v = x * y2 * y * real_fma(real_set(3.0), x, real_set(1.0));
    real w_v1 = -(x2 * x * y * real_fma(real_set(3.0), y, real_set(1.0)));
    real w_a = half * x2 * y2 * y, w_a1 = half * x2 * x * y2;
    real d_q = real_set(30.0) * xy2;
    real d_v = y2 * real_fnma(real_set(15.0), x2, real_fma(two, x, real_set(1.0)));
    real d_v1 = x2 * real_fnma(real_set(15.0), y2, real_fma(two, y, real_set(1.0)));
    real d_a = half * x * y2 * real_fnma(real_set(5.0), x, two), d_a1 = -(half * x2 * y * real_fnma(real_set(5.0), y, two));
    real s = real_fma(w_v, before[1], real_fma(w_v1, now[1], h * real_fma(w_a, before[2], w_a1 * now[2])));
    *q = real_fma(w_q, rise, real_fma(h, s, before[0]));
    s = real_fma(d_v, before[1], real_fma(d_v1, now[1], h * real_fma(d_a, before[2], d_a1 * now[2])));
    *v = real_fma(d_q, rise * real_inverse_or_zero(h), s);
}

/* q, v at x by the quintic, or, with bend[n_q] = q̈_½ − q̈₅(½) (else NULL), by the sextic. */
LANE_BODY void sarrus_dense_guess(const sarrus_evaluation *ev, const sarrus_dense_step *step, real x, const real *bend, real *q,
                                  real *v) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    const real y = real_set(1.0) - x, xy = x * y, h = step->h;
    const real by_q = real_set(-8.0 / 3.0) * (xy * xy * xy), by_v = real_set(-8.0) * (xy * xy * (y - x));
    real *rate = SPACE_NQ == SPACE_NV ? v : lane_from(ev->ws->curve, 4 * mech->n_q);
    for (int32_t i = 0; i < mech->n_q; ++i) {
        const real first[3] = {lane_at(step->before, i), lane_at(step->rate_before, i), lane_at(step->second_before, i)};
        const real last[3] = {lane_at(step->now, i), lane_at(step->rate_now, i), lane_at(step->second_now, i)};
        real qi, vi;
        sarrus_quintic(x, h, first, last, &qi, &vi);
        if (bend) {
            real change = h * lane_at(bend, i);
            qi = real_fma(by_q * h, change, qi);
            vi = real_fma(by_v, change, vi);
        }
        lane_at(q, i) = qi;
        lane_at(rate, i) = vi;
    }
    const real *speeds = SPACE_NQ == SPACE_NV ? v : sarrus_state_speeds(mech, q, rate, v);
    for (int32_t i = 0; speeds != v && i < mech->n_v; ++i) /* the rates are the speeds */
        lane_at(v, i) = lane_at(speeds, i);
}

/* The acceleration at x into ws->a; returns the lanes in which it is one. As in a stage, velocities are put onto the constraints
 * when every step is. */
LANE_BODY mask sarrus_dense_accelerate(sarrus_evaluation *ev, const sarrus_dense_step *step, real x, const real *bend) {
    sarrus_workspace *ws = ev->ws;
    real t = real_fma(x, step->h, step->t_before);
    sarrus_dense_guess(ev, step, x, bend, ws->q, ws->v);
    sarrus_stage_velocities(ev, t);
    sarrus_accelerate(ev, t, ws->q, ws->v, ws->a);
    return sarrus_all_are_finite(ws->a, sarrus_plan_of(ev)->n_v);
}

/* q̈ [n_q] at the state of the workspace: ws->a itself, or into `out`. */
LANE_FUNCTION const real *sarrus_dense_second(const sarrus_evaluation *ev, real *out) {
    const sarrus_workspace *ws = ev->ws;
    if (SPACE_NQ == SPACE_NV)
        return ws->a;
    sarrus_state_second_rates(sarrus_plan_of(ev), ws->q, ws->v, ws->a, out);
    return out;
}

/* bend[n_q] ← q̈ − q̈₅(½), with q̈₅(½) = (3/2)(q̇₁ − q̇₀)/h − (q̈₀ + q̈₁)/4. */
LANE_BODY void sarrus_dense_bend(const sarrus_evaluation *ev, const sarrus_dense_step *step, const real *second, real *bend) {
    const real rate = real_set(1.5) * real_inverse_or_zero(step->h);
    for (int32_t i = 0; i < sarrus_plan_of(ev)->n_q; ++i) {
        real rise = lane_at(step->rate_now, i) - lane_at(step->rate_before, i);
        real ends = lane_at(step->second_before, i) + lane_at(step->second_now, i);
        lane_at(bend, i) = real_fma(real_set(0.25), ends, real_fnma(rate, rise, lane_at(second, i)));
    }
}

/* The accelerations inside the last step of the lanes of `on`. Nothing of a lane but `inner` and is_dense is touched: its steps and
 * what is counted of them go on as if nobody had looked. */
LANE_BODY void sarrus_dense_make(sarrus_evaluation *ev, const sarrus_dense_step *step, mask on) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    const sarrus_mech_dense *dense = &mech->integrator.dense;
    sarrus_workspace *ws = ev->ws;
    const int32_t n = mech->n_v, n_q = mech->n_q;
    const mask alive = ev->healthy;
    real *second = lane_from(ws->curve, 4 * n_q);
    const real *bend = (const real *)0;
    mask good = on;
    ev->healthy = on;
    if (mech->integrator.has_step_gains) { /* they act on the violation that the step began with */
        sarrus_evaluate_rows(ev, step->t_before, step->before, lane_from(step->before, n_q));
        sarrus_violation_hold(ev, on, ws->held);
        ev->held = ws->held;
        ev->is_configured = ev->is_factored = 0; /* what comes next is elsewhere */
    }
    if (dense->has_first) {
        good = mask_and(good, sarrus_dense_accelerate(ev, step, real_set(0.5), bend));
        sarrus_dense_bend(ev, step, sarrus_dense_second(ev, second), ws->error);
        bend = ws->error;
    }
    for (int32_t k = 0; k < dense->n_nodes; ++k) {
        good = mask_and(good, sarrus_dense_accelerate(ev, step, real_set(dense->node[k]), bend));
        sarrus_lanes_copy(on, ws->a, n, lane_from(step->inner, (n + 1) * k));
        sarrus_lane_set(lane_from(step->inner, (n + 1) * k + n), on, ev->power);
        if (SPACE_NQ != SPACE_NV)
            sarrus_lanes_copy(on, sarrus_dense_second(ev, second), n_q, lane_from(step->inner_second, n_q * k));
    }
    ev->held = (const real *)0;
    ev->healthy = alive;
    ev->is_configured = ev->is_factored = 0;
    real found = real_select(good, real_set((real_scalar)SARRUS_DENSE_READY), real_set((real_scalar)SARRUS_DENSE_FAILED));
    lane_at(step->is_dense, 0) = real_select(on, found, lane_at(step->is_dense, 0));
}

/* Σ_j weight_j x^j */
LANE_FUNCTION real sarrus_dense_weight(const real_scalar *weight, real x) {
    real sum = real_set(weight[SARRUS_DENSE_DEGREE]);
    for (int32_t j = SARRUS_DENSE_DEGREE - 1; j >= 0; --j)
        sum = real_fma(sum, x, real_set(weight[j]));
    return sum;
}

/* The work at the part x of the step. */
LANE_BODY real sarrus_dense_work(const sarrus_evaluation *ev, const sarrus_dense_step *step, real x) {
    const sarrus_mech_dense *dense = &sarrus_plan_of(ev)->integrator.dense;
    const int32_t n = sarrus_plan_of(ev)->n_v, last = dense->n_nodes + 2;
    const real before = lane_at(step->work_before, 0), gain = lane_at(step->work_now, 0) - before;
    real sum = sarrus_dense_weight(dense->v[1], x) * lane_at(step->power_before, 0);
    sum = real_fma(sarrus_dense_weight(dense->v[last], x), lane_at(step->power_now, 0), sum);
    for (int32_t k = 0; k < dense->n_nodes; ++k)
        sum = real_fma(sarrus_dense_weight(dense->v[k + 2], x), lane_at(step->inner, (n + 1) * k + n), sum);
    return before + real_fma(sarrus_dense_weight(dense->v[0], x), gain, step->h * sum);
}

/* Σ_k w_k f_k of f at the step's beginning, at its nodes (node[n_nodes][stride]) and at its end. */
LANE_FUNCTION real sarrus_dense_sum(const real *w, int32_t n_nodes, const real *node, int32_t stride, real first, real last) {
    real sum = real_fma(w[1], first, w[n_nodes + 2] * last);
    for (int32_t k = 0; k < n_nodes; ++k)
        sum = real_fma(w[k + 2], lane_at(node, stride * k), sum);
    return sum;
}

/* q, v at the part x of the step. */
LANE_BODY void sarrus_dense_at(const sarrus_evaluation *ev, const sarrus_dense_step *step, real x, real *q, real *v) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    const sarrus_mech_dense *dense = &mech->integrator.dense;
    const int32_t n_q = mech->n_q, n_v = mech->n_v, n_nodes = dense->n_nodes, is_same = SPACE_NQ == SPACE_NV;
    const real h = step->h, *second = is_same ? step->inner : step->inner_second;
    real w_q[SARRUS_DENSE_WEIGHTS], w_v[SARRUS_DENSE_WEIGHTS]; /* of v₁ − v₀, of a₀, at the nodes, of a₁ */
    for (int32_t k = 0; k <= n_nodes + 2; ++k) {
        w_q[k] = sarrus_dense_weight(dense->q[k], x);
        w_v[k] = sarrus_dense_weight(dense->v[k], x);
    }
    real w_rise = x * x * x * real_fma(x, real_fma(real_set(6.0), x, real_set(-15.0)), real_set(10.0));
    for (int32_t i = 0; i < n_q; ++i) {
        const real q0 = lane_at(step->before, i), rate0 = lane_at(step->rate_before, i);
        const real rise = lane_at(step->now, i) - q0, gain = lane_at(step->rate_now, i) - rate0;
        const real sum = sarrus_dense_sum(w_q, n_nodes, lane_from(second, i), is_same ? n_v + 1 : n_q,
                                          lane_at(step->second_before, i), lane_at(step->second_now, i));
        const real bent = real_fma(w_rise, real_fnma(h, rate0, rise), h * real_fma(w_q[0], gain, h * sum));
        lane_at(q, i) = q0 + real_fma(h * x, rate0, bent);
    }
    for (int32_t i = 0; i < n_v; ++i) {
        const real v0 = lane_at(step->before, n_q + i), gain = lane_at(step->now, n_q + i) - v0;
        const real sum =
            sarrus_dense_sum(w_v, n_nodes, lane_from(step->inner, i), n_v + 1, lane_at(step->a_before, i), lane_at(step->a_now, i));
        lane_at(v, i) = v0 + real_fma(w_v[0], gain, h * sum);
    }
}

/* The state at time t, t_before < t ≤ t_now, into q, v and the work of the lanes of `on`. */
LANE_BODY void sarrus_dense_show(sarrus_evaluation *ev, const sarrus_adaptive *lanes, real t, mask on, real *q, real *v) {
    const int32_t n_q = sarrus_plan_of(ev)->n_q, n_v = sarrus_plan_of(ev)->n_v;
    sarrus_workspace *ws = ev->ws;
    sarrus_dense_step step;
    sarrus_dense_view(ev, lanes, &step);
    mask at_end = mask_and(on, real_le(lane_at(lanes->t_now, 0), t)), inside = mask_and(on, mask_not(at_end));
    sarrus_lanes_copy(at_end, step.now, n_q, q);
    sarrus_lanes_copy(at_end, lane_from(step.now, n_q), n_v, v);
    real *work = lane_from(ev->tile, sarrus_plan_of(ev)->layout.verdict.work);
    if (sarrus_plan_of(ev)->has_work)
        sarrus_lane_set(work, at_end, lane_at(step.work_now, 0));
    if (!mask_any(inside))
        return;
    mask is_new = real_eq(lane_at(step.is_dense, 0), real_set((real_scalar)SARRUS_DENSE_NONE));
    if (mask_any(mask_and(inside, is_new)))
        sarrus_dense_make(ev, &step, mask_and(inside, is_new));
    real x = (t - step.t_before) * real_inverse_or_zero(step.h);
    sarrus_dense_at(ev, &step, x, ws->q, ws->v);
    sarrus_lanes_copy(inside, ws->q, n_q, q);
    sarrus_lanes_copy(inside, ws->v, n_v, v);
    mask has_failed = mask_and(inside, real_eq(lane_at(step.is_dense, 0), real_set((real_scalar)SARRUS_DENSE_FAILED)));
    if (sarrus_plan_of(ev)->has_work)
        sarrus_lane_set(work, mask_and(inside, mask_not(has_failed)), sarrus_dense_work(ev, &step, x));
    if (!mask_any(has_failed))
        return;
    sarrus_lane_set(work, has_failed,
                    real_fma(x, lane_at(step.work_now, 0) - lane_at(step.work_before, 0), lane_at(step.work_before, 0)));
    sarrus_dense_guess(ev, &step, x, (const real *)0, ws->q, ws->v);
    sarrus_lanes_copy(has_failed, ws->q, n_q, q);
    sarrus_lanes_copy(has_failed, ws->v, n_v, v);
}

#endif

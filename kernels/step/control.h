/* What all adaptive methods share: the size of an error, how far a step may grow, and what stabilisation does to both. */
#ifndef SARRUS_STEP_CONTROL_H
#define SARRUS_STEP_CONTROL_H

#include "kernels/step/clock.h"
#include "kernels/step/finite.h"
#include "kernels/step/project.h"

/* A step may not be shorter than this many ε of the time (or of dt, near t = 0). */
#define SARRUS_SHORTEST_STEP (16.0 * 2.220446049250313e-16)

/* Element k of a constant table, lane by lane: 1 ≤ k ≤ n. */
LANE_FUNCTION real sarrus_table_at(const real_scalar *table, real k, int32_t n) {
    real x = real_set(table[1]);
    for (int32_t i = 2; i <= n; ++i)
        x = real_select(real_eq(k, real_set((real_scalar)i)), real_set(table[i]), x);
    return x;
}

/* y^k for whole k, 1 ≤ k ≤ n. */
LANE_FUNCTION real sarrus_whole_power(real y, real k, int32_t n) {
    real x = y;
    for (int32_t i = 2; i <= n; ++i)
        x = real_select(real_le(real_set((real_scalar)i), k), x * y, x);
    return x;
}

/* y = x^(−1/k) between 1/8 and 16, for whole k ≤ n: bisection of the exponent, then two Newton steps on y^k x = 1. It takes part in
 * no result but the choice of a step, and must be the same on all lanes; NaN and ∞ give 1/8. */
LANE_BODY real sarrus_root(real x, real k, int32_t n) {
    const real_scalar factor[7] = {16.0,
                                   4.0,
                                   2.0,
                                   1.41421356237309505,
                                   1.18920711500272107,
                                   1.09050773266525766,
                                   1.04427378242741384}; /* 2^(4, 2, 1, ½, ¼, ⅛, 1/16) */
    const real one = real_set(1.0);
    real y = real_set(0.125);
    mask is_in_range = real_le(sarrus_whole_power(y, k, n) * x, one);
    for (int i = 0; i < 7; ++i) {
        real next = y * real_set(factor[i]);
        y = real_select(real_le(sarrus_whole_power(next, k, n) * x, one), next, y);
    }
    real z = y;
    for (int i = 0; i < 2; ++i)
        z = real_fma(z, real_fnma(sarrus_whole_power(z, k, n), x, one) / k, z);
    z = real_select(is_in_range, z, y);
    return real_min(z, real_set(16.0));
}

/* Numbers of a state (q, v). */
LANE_FUNCTION int32_t sarrus_n_y(const sarrus_mechanism *mech) {
    return mech->n_q + mech->n_v;
}

/* 1 / (atol + rtol·max(|y|, |y⁺|)). */
LANE_FUNCTION real sarrus_error_weight(const sarrus_mech_integrator *how, real y, real y_new) {
    real size = real_max(real_abs(y), real_abs(y_new));
    return real_set(1.0) / real_fma(real_set(how->rtol), size, real_set(how->atol));
}

/* √(1/n_y Σ (x_i w_i)²) over q and v; x [n_y], y [n_y], the new state in two parts. */
LANE_BODY real sarrus_error_norm(const sarrus_mechanism *mech, const real *x, const real *y, const real *q_new, const real *v_new) {
    real sum = real_set(0.0);
    for (int32_t i = 0; i < mech->n_q; ++i) {
        if (i < mech->n_v) {
            const int32_t k = mech->n_q + i;
            real at_v = lane_at(x, k) * sarrus_error_weight(&mech->integrator, lane_at(y, k), lane_at(v_new, i));
            sum = real_fma(at_v, at_v, sum);
        }
        real at_q = lane_at(x, i) * sarrus_error_weight(&mech->integrator, lane_at(y, i), lane_at(q_new, i));
        sum = real_fma(at_q, at_q, sum);
    }
    return real_sqrt(sum / real_set((real_scalar)sarrus_n_y(mech)));
}

/* Lanes in which round-off of the state, ε‖y‖, is above the tolerance: no step can meet it. */
LANE_BODY mask sarrus_tolerance_is_lost(const sarrus_mechanism *mech, const real *y) {
    const real *v = lane_from(y, mech->n_q);
    return real_lt(real_set(1.0), real_set(2.220446049250313e-16) * sarrus_error_norm(mech, y, y, y, v));
}

/* An error across the constraints counts this much of one along them. */
#define SARRUS_ACROSS_WEIGHT 1e-3

/* The norm of an error x [n_y], of which stabilisation leaves the part along the constraints of the workspace's rows:
 *   x − M⁻¹Jᵀ(J M⁻¹ Jᵀ)⁻¹ J x   for q and for v.
 * What lies across them it makes and removes itself. That must not be let go altogether: where nothing is free to move, no error
 * would be left to limit a step. Destroys x. */
LANE_BODY real sarrus_error_size(sarrus_evaluation *ev, real *x, const real *y, const real *q_new, const real *v_new) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    sarrus_workspace *ws = ev->ws;
    real whole = sarrus_error_norm(mech, x, y, q_new, v_new);
    if (!mech->integrator.is_tangential || mech->m == 0)
        return whole;
    /* Nor is an error looked at along a direction that is lost for the moment: the constraints take it back after the passage. */
    const real *crossed = ev->crossed;
    const real closeness[SARRUS_N_CLOSENESS] = {frame_at(ws->closeness, 0), frame_at(ws->closeness, 1)};
    ev->crossed = (const real *)0;
    for (int32_t half = 0; half < 2; ++half) {
        const int32_t n = half == 0 ? mech->n_q : mech->n_v;
        real *part = half == 0 ? x : lane_from(x, mech->n_q);
        sarrus_rows_oppose(ev, half == 0 ? sarrus_state_speeds(mech, q_new, x, ws->rate) : part);
        sarrus_correct_projection(ev, ws->rhs, ev->healthy, ws->normal);
        const real *change = half == 0 ? sarrus_rates(ev, q_new, ws->normal) : ws->normal;
        for (int32_t i = 0; i < n; ++i)
            lane_at(part, i) = lane_at(part, i) + lane_at(change, i);
    }
    ev->crossed = crossed;
    for (int32_t k = 0; k < SARRUS_N_CLOSENESS; ++k)
        frame_at(ws->closeness, k) = closeness[k];
    return real_max(sarrus_error_norm(mech, x, y, q_new, v_new), real_set(SARRUS_ACROSS_WEIGHT) * whole);
}

/* What round-off makes of an error in a bend, in the same norm. There accelerations, and velocities brought onto the constraints,
 * are known as well as the direction across the motion. No step can do better, and the geometry holds the step (change_point.h).
 * Uses ws->error. */
LANE_BODY real sarrus_error_noise(const sarrus_evaluation *ev, real h, real closeness, const real *y, const real *v_new) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    const sarrus_workspace *ws = ev->ws;
    const real share = sarrus_direction_noise(mech, closeness) * h;
    const real *rates = sarrus_rates(ev, y, v_new);
    for (int32_t i = 0; i < mech->n_q; ++i)
        lane_at(ws->error, i) = share * real_abs(lane_at(rates, i));
    for (int32_t i = 0; i < mech->n_v; ++i)
        lane_at(ws->error, mech->n_q + i) = share * real_abs(lane_at(ws->a, i));
    return sarrus_error_norm(mech, ws->error, y, y, v_new);
}

/* The largest |λ| of the violation's own motion ξ̈ + 2αξ̇ + β²ξ = 0. Its error is not looked at, so that h|λ| has to stay below the
 * method's limit of stability: `damped` on the negative real axis, `ringing` within 80° of it. 0 without gains or with such as
 * follow the step. */
LANE_FUNCTION real sarrus_violation_rate(const sarrus_evaluation *ev, mask *is_ringing) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    *is_ringing = mask_none();
    if (!mech->has_baumgarte || mech->integrator.has_step_gains)
        return real_set(0.0);
    real alpha = ev->alpha, beta = ev->beta, square = real_fnma(beta, beta, alpha * alpha);
    *is_ringing = real_lt(square, real_set(0.0));
    real rate = alpha + real_sqrt(real_select(*is_ringing, real_set(0.0), square));
    return real_select(*is_ringing, beta, rate);
}

/* The longest step that a limit of stability allows; 1e300 s when there is nothing to be kept stable. */
LANE_FUNCTION real sarrus_stable_step(real limit, real rate) {
    mask is_free = real_le(rate, real_set(0.0));
    return real_select(is_free, real_set(1e300), limit / real_select(is_free, real_set(1.0), rate));
}

#endif

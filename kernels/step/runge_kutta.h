/* Embedded Runge-Kutta pairs with error control (coefficients: sarrus_mech_integrator; dopri5, verner65):
 *   f_s = f(t + c_s h, y + h Σ_j a_sj f_j),   y⁺ = y + h Σ_j b_j f_j,   err = h Σ_j e_j f_j,   h⁺ = h·min(10, max(0.2, 0.9
 * ‖err‖^{-1/p})). y = (q, v), f = (q̇, a). The last stage lies at the new state, after its projection, and is the first one of the
 * next step. What lies between the ends of a step: dense.h. */
#ifndef SARRUS_STEP_RUNGE_KUTTA_H
#define SARRUS_STEP_RUNGE_KUTTA_H

#include "kernels/step/dense.h"

LANE_FUNCTION real sarrus_runge_kutta_stable_step(const sarrus_evaluation *ev) {
    const sarrus_mech_integrator *how = &sarrus_plan_of(ev)->integrator;
    mask is_ringing;
    real rate = sarrus_violation_rate(ev, &is_ringing);
    return sarrus_stable_step(real_select(is_ringing, real_set(how->ringing[0]), real_set(how->damped[0])), rate);
}

/* Derivative s of the present trial: q̇ [n_q], a [n_v]. */
LANE_FUNCTION real *sarrus_stage(const sarrus_evaluation *ev, int32_t s) {
    return lane_from(ev->ws->stage, sarrus_n_y(sarrus_plan_of(ev)) * s);
}

/* (out_q, out_v) ← base + h Σ_j weight_j f_j over the first n_stages; base [n_y] or NULL: nothing. */
LANE_BODY void sarrus_stages_sum(const sarrus_evaluation *ev, const real_scalar *weight, int32_t n_stages, real h, const real *base,
                                 real *out_q, real *out_v) {
    const int32_t n_q = sarrus_plan_of(ev)->n_q, n_y = sarrus_n_y(sarrus_plan_of(ev));
    for (int32_t i = 0; i < n_y; ++i) {
        real sum = real_set(0.0);
        for (int32_t j = 0; j < n_stages; ++j) {
            if (weight[j] != 0.0)
                sum = real_fma(real_set(weight[j]), lane_at(sarrus_stage(ev, j), i), sum);
        }
        real *out = i < n_q ? lane_from(out_q, i) : lane_from(out_v, i - n_q);
        lane_at(out, 0) = base ? real_fma(h, sum, lane_at(base, i)) : h * sum;
    }
}

LANE_FUNCTION void sarrus_stage_keep(const sarrus_evaluation *ev, int32_t s, const real *q, const real *v, const real *a) {
    const int32_t n_q = sarrus_plan_of(ev)->n_q, n_v = sarrus_plan_of(ev)->n_v;
    const real *rates = sarrus_rates(ev, q, v);
    real *f = sarrus_stage(ev, s);
    for (int32_t i = 0; i < n_q; ++i)
        lane_at(f, i) = lane_at(rates, i);
    for (int32_t i = 0; i < n_v; ++i)
        lane_at(f, n_q + i) = lane_at(a, i);
}

/* The new state into ws->q, ws->v, its acceleration into ws->a, the error into ws->error. Returns the lanes whose step reaches too
 * far. */
LANE_BODY mask sarrus_runge_kutta_stages(sarrus_evaluation *ev, const sarrus_adaptive *lanes, real h, real t_new) {
    const sarrus_mech_integrator *how = &sarrus_plan_of(ev)->integrator;
    sarrus_workspace *ws = ev->ws;
    const int32_t n_q = sarrus_plan_of(ev)->n_q, last = how->n_stages - 1, is_watched = sarrus_plan_of(ev)->is_watched;
    real distance[SARRUS_MAX_STAGES];
    distance[0] = sarrus_distance(lane_at(lanes->passage.now, 1));
    sarrus_stage_keep(ev, 0, lanes->now, lane_from(lanes->now, n_q),
                      lane_from(ev->tile, sarrus_plan_of(ev)->layout.adaptive.a_now));
    lane_at(ws->stage_power, 0) = lane_at(lanes->power_now, 0);
    for (int32_t s = 1; s <= last; ++s) {
        ev->held =
            how->has_step_gains && s < last ? lane_from(ev->tile, sarrus_plan_of(ev)->layout.adaptive.held) : (const real *)0;
        real t = s == last ? t_new : real_fma(real_set(how->c[s]), h, lane_at(lanes->t_now, 0));
        sarrus_stages_sum(ev, how->a[s], s, h, lanes->now, ws->q, ws->v);
        ev->wants_closeness = is_watched || s == last;
        if (s == last)
            sarrus_project(ev, t, ws->q, ws->v);
        else
            sarrus_stage_velocities(ev, t);
        sarrus_accelerate(ev, t, ws->q, ws->v, ws->a);
        sarrus_stage_keep(ev, s, ws->q, ws->v, ws->a);
        lane_at(ws->stage_power, s) = ev->power;
        if (ev->wants_closeness)
            sarrus_closeness_take(ev);
        distance[s] = sarrus_distance(frame_at(ws->closeness, 1));
    }
    sarrus_stages_sum(ev, how->e, how->n_stages, h, (const real *)0, ws->error, lane_from(ws->error, n_q));
    return is_watched ? sarrus_step_reaches_over(ev, &lanes->passage, h, lanes->now, distance, how->c, how->n_stages) : mask_none();
}

/* The lanes of `accept` move on to the state in the workspace. */
LANE_BODY void sarrus_runge_kutta_accept(const sarrus_evaluation *ev, const sarrus_adaptive *lanes, real t_new, mask accept) {
    const sarrus_adaptive_layout *at = &sarrus_plan_of(ev)->layout.adaptive;
    sarrus_workspace *ws = ev->ws;
    const int32_t n_q = sarrus_plan_of(ev)->n_q, n_v = sarrus_plan_of(ev)->n_v;
    real *a_now = lane_from(ev->tile, at->a_now);
    sarrus_lanes_copy(accept, lanes->t_now, 1, lanes->t_before);
    sarrus_lanes_copy(accept, lanes->now, n_q + n_v, lane_from(ev->tile, at->before));
    sarrus_lanes_copy(accept, a_now, n_v, lane_from(ev->tile, at->a_before));
    sarrus_lanes_copy(accept, ws->q, n_q, lanes->now);
    sarrus_lanes_copy(accept, ws->v, n_v, lane_from(lanes->now, n_q));
    sarrus_lanes_copy(accept, ws->a, n_v, a_now);
    sarrus_turns_go_on(ev, t_new, accept);
    sarrus_dense_forget(ev, accept);
    sarrus_swapped_keep(ev, accept);
    if (sarrus_plan_of(ev)->integrator.has_step_gains)
        sarrus_violation_hold(ev, accept, lane_from(ev->tile, at->held));
    lane_at(lanes->t_now, 0) = real_select(accept, t_new, lane_at(lanes->t_now, 0));
    lane_at(lanes->rank, 0) = real_select(accept, ev->found.rank, lane_at(lanes->rank, 0));
}

/* The next step from the one that would have had an error of 0.9^p, h·wish. A good step is changed by the mean of what it and the
 * one before it ask for (the digital filter H211b of Söderlind, b = 2): where the error passes through zero the step must not leap.
 */
LANE_FUNCTION void sarrus_runge_kutta_resize(const sarrus_adaptive *lanes, real h, real wish, mask accept, mask reject) {
    const real one = real_set(1.0), zero = real_set(0.0);
    real meant = lane_at(lanes->step, 0), memory = lane_at(lanes->memory, 0);
    mask was_rejected = real_lt(zero, lane_at(lanes->is_rejected, 0));
    mask has_memory = mask_and(real_lt(zero, memory), mask_not(was_rejected));
    real factor = real_sqrt(wish * real_select(has_memory, memory, wish));
    factor = real_max(real_min(factor, real_select(was_rejected, one, real_set(5.0))), real_set(0.2));
    real shrink = real_max(real_min(wish, real_set(0.9)), real_set(0.2));
    real next = h * real_select(reject, shrink, factor);
    /* A step cut short by the end of a call says nothing against the size that was meant. */
    mask is_short = mask_and(accept, mask_and(real_lt(h, meant), real_le(one, factor)));
    lane_at(lanes->step, 0) = real_select(mask_or(accept, reject), real_select(is_short, real_max(meant, next), next), meant);
    lane_at(lanes->is_rejected, 0) = real_select(accept, zero, real_select(reject, one, lane_at(lanes->is_rejected, 0)));
    lane_at(lanes->memory, 0) = real_select(accept, wish / factor, memory);
}

/* The work at the end of the present trial, W + h Σ_j b_j P_j. */
LANE_BODY real sarrus_runge_kutta_work(const sarrus_evaluation *ev, const sarrus_adaptive *lanes, real h) {
    const sarrus_mech_integrator *how = &sarrus_plan_of(ev)->integrator;
    const real_scalar *b = how->a[how->n_stages - 1];
    real sum = real_set(0.0);
    if (!sarrus_plan_of(ev)->has_work)
        return lane_at(lanes->work_now, 0);
    for (int32_t j = 0; j < how->n_stages - 1; ++j)
        sum = real_fma(real_set(b[j]), lane_at(ev->ws->stage_power, j), sum);
    return real_fma(h, sum, lane_at(lanes->work_now, 0));
}

/* J, its estimated error, h Σ_j e_j P_j. */
LANE_BODY real sarrus_runge_kutta_work_error(const sarrus_evaluation *ev, real h) {
    const sarrus_mech_integrator *how = &sarrus_plan_of(ev)->integrator;
    real sum = real_set(0.0);
    for (int32_t j = 0; sarrus_plan_of(ev)->has_work && j < how->n_stages; ++j)
        sum = real_fma(real_set(how->e[j]), lane_at(ev->ws->stage_power, j), sum);
    return h * sum;
}

/* One trial step of the lanes of ev->healthy, of size h to t_new; without consequences when an end is asked for. */
LANE_BODY sarrus_trial_outcome sarrus_runge_kutta_try(sarrus_evaluation *ev, const sarrus_adaptive *lanes, real h, real t_new) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    const sarrus_mech_integrator *how = &mech->integrator;
    sarrus_workspace *ws = ev->ws;
    const real one = real_set(1.0);
    const mask go = ev->healthy;
    sarrus_trial_outcome end = {mask_none(), real_set(0.0)};
    sarrus_adaptive_gains(ev, lanes, real_set(how->gain[0]), h, go);
    const mask over = sarrus_runge_kutta_stages(ev, lanes, h, t_new);
    real error = sarrus_error_size(ev, ws->error, lanes->now, ws->q, ws->v);
    if (lane_is_stopped(ev->stop))
        return end;
    sarrus_count(ev, mech->layout.n_evaluations, (real_scalar)(how->n_stages - 1), go);
    const real work = sarrus_runge_kutta_work(ev, lanes, h);
    error = real_max(error, sarrus_work_error(ev, sarrus_runge_kutta_work_error(ev, h), work - lane_at(lanes->work_now, 0)));
    error = sarrus_error_less_noise(ev, lanes, h, error);
    mask good = mask_and(real_le(error, one), sarrus_all_are_finite(ws->a, mech->n_v));
    good = mask_and(good, mask_and(sarrus_all_are_finite(ws->q, mech->n_q), sarrus_all_are_finite(ws->v, mech->n_v)));
    good = mask_and(good, mask_not(over));
    const mask reject = mask_and(go, mask_not(good));
    const mask accept = sarrus_trial_judge(ev, lanes, mask_and(go, good), h, t_new, work, &end);

    real wish = real_set(0.9) * sarrus_root(error, real_set((real_scalar)how->error_order), how->error_order);
    wish = real_select(over, real_min(wish, real_set(0.5)), wish);
    sarrus_runge_kutta_resize(lanes, h, wish, accept, reject);
    sarrus_count(ev, mech->layout.n_steps, 1.0, accept);
    sarrus_count(ev, mech->layout.n_rejected, 1.0, reject);
    sarrus_runge_kutta_accept(ev, lanes, t_new, accept);
    return end;
}

/* The lanes of `on` begin anew: the state and its acceleration are in lanes->now and ws->a. */
LANE_BODY void sarrus_runge_kutta_begin(const sarrus_evaluation *ev, mask on) {
    sarrus_dense_forget(ev, on);
    sarrus_lanes_copy(on, ev->ws->a, sarrus_plan_of(ev)->n_v, lane_from(ev->tile, sarrus_plan_of(ev)->layout.adaptive.a_now));
    if (sarrus_plan_of(ev)->integrator.has_step_gains)
        sarrus_violation_hold(ev, on, lane_from(ev->tile, sarrus_plan_of(ev)->layout.adaptive.held));
}

#endif

/* Adams-Bashforth-Moulton PECE of orders 1 to 12 in modified divided differences φ_i, step and order chosen from step to step, with
 * local extrapolation (Shampine and Gordon, Computer Solution of Ordinary Differential Equations, 1975):
 *
 *   φ*_i = β_i φ_i,   p = y + h Σ_{i≤k} g_i φ*_i,   φᵉ_i = φ*_i + φᵉ_{i+1},   d = f(t + h, p) − φᵉ_1,
 *   y⁺ = p + h g_{k+1} d,   φ⁺_{k+1} = f(t + h, y⁺) − φᵉ_1,   φ⁺_i = φᵉ_i + φ⁺_{k+1},
 *   err = h (g_k − g_{k+1}) ‖d‖,   err_k = h γ*_k σ_{k+1} ‖d‖,   err_{k−1} = h γ*_{k−1} σ_k ‖φᵉ_k + d‖, …
 *
 * y = (q, v, W), f = (q̇, a, P). The corrected state is projected before its derivative is taken; the error is that of q and v. */
#ifndef SARRUS_STEP_ADAMS_H
#define SARRUS_STEP_ADAMS_H

#include "kernels/step/adams_terms.h"

/* What a trial says about the order. Norms are relative to the tolerance. */
typedef struct sarrus_adams_trial {
    real error;                    /* of the step */
    real at_order, below, below_2; /* as if all steps had been of this size, at orders k, k − 1, k − 2 */
    mask good;
} sarrus_adams_trial;

/* The limit of h|λ| at an order. */
LANE_FUNCTION real sarrus_adams_limit(const sarrus_mechanism *mech, real order, mask is_ringing) {
    const sarrus_mech_integrator *how = &mech->integrator;
    return real_select(is_ringing, sarrus_table_at(how->ringing, order, how->max_order),
                       sarrus_table_at(how->damped, order, how->max_order));
}

LANE_FUNCTION real sarrus_adams_stable_step(const sarrus_evaluation *ev) {
    mask is_ringing;
    real rate = sarrus_violation_rate(ev, &is_ringing);
    real order = lane_at(ev->tile, sarrus_plan_of(ev)->layout.adaptive.order);
    return sarrus_stable_step(sarrus_adams_limit(sarrus_plan_of(ev), order, is_ringing), rate);
}

/* Columns of the differences. */
LANE_FUNCTION int32_t sarrus_adams_columns(const sarrus_evaluation *ev) {
    return sarrus_n_y(sarrus_plan_of(ev)) + 1;
}

/* Row i of the predicted differences φᵉ. */
LANE_FUNCTION real *sarrus_predicted(const sarrus_evaluation *ev, int32_t i) {
    return lane_from(ev->ws->stage, sarrus_adams_columns(ev) * (i - 1));
}

/* Column l of the derivative that was taken last; `rates` is q̇. */
LANE_FUNCTION real sarrus_adams_derivative(const sarrus_evaluation *ev, const real *rates, int32_t l) {
    const int32_t n_q = sarrus_plan_of(ev)->n_q;
    return l < n_q ? lane_at(rates, l) : l < sarrus_n_y(sarrus_plan_of(ev)) ? lane_at(ev->ws->a, l - n_q) : ev->power;
}

/* p into ws->sum_q, ws->sum_v, ws->sum_w[0] and ws->q, ws->v; φᵉ into the workspace. */
LANE_BODY void sarrus_adams_predict(const sarrus_evaluation *ev, const sarrus_adaptive *lanes, const sarrus_adams *history,
                                    const sarrus_adams_terms *terms) {
    sarrus_workspace *ws = ev->ws;
    const int32_t n_q = sarrus_plan_of(ev)->n_q, n_y = sarrus_n_y(sarrus_plan_of(ev)), n_columns = sarrus_adams_columns(ev);
    for (int32_t l = 0; l < n_columns; ++l) {
        real sum = real_set(0.0), e = real_set(0.0);
        for (int32_t i = terms->top; i >= 1; --i) {
            real star = terms->beta[i] * lane_at(history->phi, n_columns * (i - 1) + l);
            sum = real_select(terms->within[i], real_fma(terms->g[i], star, sum), sum);
            e = real_select(terms->within[i], star + e, e);
            lane_at(sarrus_predicted(ev, i), l) = e;
        }
        real now = l < n_y ? lane_at(lanes->now, l) : lane_at(lanes->work_now, 0), p = real_fma(terms->psi[1], sum, now);
        if (l == n_y) {
            lane_at(ws->sum_w, 0) = p;
            continue;
        }
        real *out = l < n_q ? lane_from(ws->sum_q, l) : lane_from(ws->sum_v, l - n_q);
        real *copy = l < n_q ? lane_from(ws->q, l) : lane_from(ws->v, l - n_q);
        lane_at(out, 0) = lane_at(copy, 0) = p;
    }
}

/* ws->error ← d, φᵉ_k + d, φᵉ_{k−1} + d, each lane of its own order k; ws->stage_power the same of the work. */
LANE_BODY void sarrus_adams_differences(const sarrus_evaluation *ev, const sarrus_adams_terms *terms, real order) {
    sarrus_workspace *ws = ev->ws;
    const int32_t n_y = sarrus_n_y(sarrus_plan_of(ev));
    const real *rates = sarrus_rates(ev, ws->q, ws->v);
    for (int32_t l = 0; l < sarrus_adams_columns(ev); ++l) {
        real d = sarrus_adams_derivative(ev, rates, l) - lane_at(sarrus_predicted(ev, 1), l), at_k = real_set(0.0),
             at_below = real_set(0.0);
        for (int32_t i = 1; i <= terms->top; ++i) {
            real e = lane_at(sarrus_predicted(ev, i), l);
            at_k = real_select(real_eq(order, sarrus_whole(i)), e, at_k);
            at_below = real_select(real_eq(order, sarrus_whole(i + 1)), e, at_below);
        }
        real *out = l < n_y ? lane_from(ws->error, l) : ws->stage_power;
        const int32_t n_rows = l < n_y ? n_y : 1;
        lane_at(out, 0) = d;
        lane_at(out, n_rows) = at_k + d;
        lane_at(out, 2 * n_rows) = at_below + d;
    }
}

/* The errors of the present trial. */
LANE_BODY void sarrus_adams_judge(sarrus_evaluation *ev, const sarrus_adaptive *lanes, const sarrus_adams_terms *terms, real order,
                                  sarrus_adams_trial *trial) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    sarrus_workspace *ws = ev->ws;
    const int32_t n_y = sarrus_n_y(mech);
    const real one = real_set(1.0), h = terms->psi[1];
    real norm[3];
    for (int32_t k = 0; k < 3; ++k) {
        real *x = lane_from(ws->error, n_y * k);
        norm[k] = h * sarrus_error_size(ev, x, lanes->now, ws->sum_q, ws->sum_v);
    }
    const real share = sarrus_error_less_noise(ev, lanes, h, one);
    for (int32_t k = 0; k < 3; ++k) {
        const real work =
            sarrus_work_error(ev, h * lane_at(ws->stage_power, k), lane_at(ws->sum_w, 0) - lane_at(lanes->work_now, 0));
        norm[k] = real_max(norm[k], work) * share;
    }
    real gamma[3];
    for (int32_t k = 0; k < 3; ++k) {
        real below = real_max(order - sarrus_whole(k), one);
        gamma[k] = sarrus_table_at(mech->integrator.gamma_star, below, SARRUS_MAX_ORDER);
    }
    real at_k = sarrus_own_term(terms->g, order, 1, terms->top);
    real at_next = sarrus_own_term(terms->g, order + one, 2, terms->top + 1);
    trial->error = norm[0] * (at_k - at_next);
    trial->at_order = norm[0] * gamma[0] * sarrus_own_term(terms->sigma, order + one, 2, terms->top + 1);
    trial->below = norm[1] * gamma[1] * sarrus_own_term(terms->sigma, order, 1, terms->top + 1);
    trial->below_2 = norm[2] * gamma[2] * sarrus_own_term(terms->sigma, real_max(order - one, one), 1, terms->top + 1);
    trial->good = real_le(trial->error, one);
}

/* y⁺ = p + h g_{k+1} d into ws->q, ws->v, projected, and ws->sum_w[1]; its acceleration into ws->a. */
LANE_BODY void sarrus_adams_correct(sarrus_evaluation *ev, const sarrus_adams_terms *terms, real order, real t_new) {
    sarrus_workspace *ws = ev->ws;
    const int32_t n_q = sarrus_plan_of(ev)->n_q, n_v = sarrus_plan_of(ev)->n_v;
    real weight = terms->psi[1] * sarrus_own_term(terms->g, order + real_set(1.0), 2, terms->top + 1);
    const real *e = sarrus_predicted(ev, 1);
    const real *rates = sarrus_rates(ev, ws->q, ws->v);
    for (int32_t i = 0; i < n_q; ++i)
        lane_at(ws->q, i) = real_fma(weight, lane_at(rates, i) - lane_at(e, i), lane_at(ws->sum_q, i));
    for (int32_t i = 0; i < n_v; ++i)
        lane_at(ws->v, i) = real_fma(weight, lane_at(ws->a, i) - lane_at(e, n_q + i), lane_at(ws->sum_v, i));
    lane_at(ws->sum_w, 1) = real_fma(weight, lane_at(ws->stage_power, 0), lane_at(ws->sum_w, 0));
    ev->wants_closeness = 1;
    sarrus_project(ev, t_new, ws->q, ws->v);
    sarrus_accelerate(ev, t_new, ws->q, ws->v, ws->a);
    sarrus_closeness_take(ev);
    ev->wants_closeness = 0;
}

/* The new differences of the lanes of `accept`; returns the norm of φ_{k+2}. */
LANE_BODY real sarrus_adams_update(sarrus_evaluation *ev, const sarrus_adaptive *lanes, const sarrus_adams *history,
                                   const sarrus_adams_terms *terms, mask accept) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    sarrus_workspace *ws = ev->ws;
    const int32_t n_y = sarrus_n_y(mech), n_columns = sarrus_adams_columns(ev);
    const real *rates = sarrus_rates(ev, ws->q, ws->v);
    real order = lane_at(history->order, 0);
    for (int32_t l = 0; l < n_columns; ++l) {
        real d = sarrus_adams_derivative(ev, rates, l) - lane_at(sarrus_predicted(ev, 1), l), next = real_set(0.0);
        for (int32_t i = 2; i <= terms->top + 1; ++i)
            next = real_select(real_eq(order, sarrus_whole(i - 1)), d - lane_at(history->phi, n_columns * (i - 1) + l), next);
        for (int32_t i = 1; i <= terms->top + 2; ++i) {
            real *phi = lane_from(history->phi, n_columns * (i - 1) + l);
            real x = i <= terms->top ? lane_at(sarrus_predicted(ev, i), l) + d : d;
            x = real_select(terms->within[i], x, real_select(real_eq(order, sarrus_whole(i - 1)), d, lane_at(phi, 0)));
            x = real_select(real_eq(order, sarrus_whole(i - 2)), next, x);
            lane_at(phi, 0) = real_select(accept, x, lane_at(phi, 0));
        }
        if (l < n_y)
            lane_at(ws->error, l) = next;
    }
    for (int32_t i = 1; i <= terms->top; ++i) {
        real *psi = lane_from(history->psi, i - 1);
        lane_at(psi, 0) = real_select(mask_and(accept, terms->within[i]), terms->psi[i], lane_at(psi, 0));
    }
    return terms->psi[1] * sarrus_error_size(ev, ws->error, lanes->now, ws->q, ws->v);
}

/* Order and step after a step that failed: half the step, order 1 from the third time on, then what the error asks for. */
LANE_BODY void sarrus_adams_reject(const sarrus_adaptive *lanes, const sarrus_adams *history, const sarrus_adams_trial *trial,
                                   real h, mask lower, mask reject) {
    const real one = real_set(1.0), half = real_set(0.5);
    real order = lane_at(history->order, 0), n_failures = lane_at(history->n_failures, 0) + one;
    real next = real_select(lower, order - one, order);
    next = real_select(real_le(real_set(3.0), n_failures), one, next);
    mask is_far = mask_and(real_lt(real_set(3.0), n_failures), real_lt(half, real_set(0.25) * trial->at_order));
    is_far = mask_and(is_far, real_lt(trial->at_order, real_set(1e300)));
    real factor = real_select(is_far, real_sqrt(half / real_select(is_far, trial->at_order, one)), half);
    lane_at(history->order, 0) = real_select(reject, next, order);
    lane_at(history->n_failures, 0) = real_select(reject, n_failures, lane_at(history->n_failures, 0));
    lane_at(history->is_rising, 0) = real_select(reject, real_set(0.0), lane_at(history->is_rising, 0));
    lane_at(lanes->step, 0) = real_select(reject, h * factor, lane_at(lanes->step, 0));
}

/* Lanes for which the stability of the violation, not the error, limits the step, and to which the next lower order would allow a
 * longer one. */
LANE_BODY mask sarrus_adams_is_held(const sarrus_evaluation *ev, const sarrus_adams_trial *trial, real order, real h) {
    const int32_t max_order = sarrus_plan_of(ev)->integrator.max_order;
    const real one = real_set(1.0);
    mask is_ringing;
    real rate = sarrus_violation_rate(ev, &is_ringing);
    real limit = sarrus_stable_step(sarrus_adams_limit(sarrus_plan_of(ev), order, is_ringing), rate);
    real below = sarrus_adams_limit(sarrus_plan_of(ev), real_max(order - one, one), is_ringing);
    real longer = real_set(1.2) * limit;
    mask held = mask_and(real_le(limit, real_set(1.001) * h), real_le(longer, sarrus_stable_step(below, rate)));
    held = mask_and(held, mask_and(real_lt(one, order), real_lt(real_set(0.0), rate)));
    real ratio = real_select(held, longer / h, one);
    return mask_and(held, real_le(trial->below * sarrus_whole_power(ratio, order, max_order), real_set(0.5)));
}

/* Order and step after a good step; `above` is the error as it would have been at order k + 1. */
LANE_BODY void sarrus_adams_choose(const sarrus_evaluation *ev, const sarrus_adaptive *lanes, const sarrus_adams *history,
                                   const sarrus_adams_trial *trial, real h, real above, mask lower, mask accept) {
    const sarrus_mech_integrator *how = &sarrus_plan_of(ev)->integrator;
    const real one = real_set(1.0), half = real_set(0.5);
    real order = lane_at(history->order, 0);
    mask is_ringing;
    real rate = sarrus_violation_rate(ev, &is_ringing);
    real limit = sarrus_adams_limit(sarrus_plan_of(ev), real_min(order + one, sarrus_whole(how->max_order)), is_ringing);
    mask may_raise = mask_and(real_lt(order, sarrus_whole(how->max_order)), real_le(h, sarrus_stable_step(limit, rate)));
    lower = mask_or(lower, sarrus_adams_is_held(ev, trial, order, h));
    mask rising = mask_and(real_lt(real_set(0.0), lane_at(history->is_rising, 0)), mask_and(may_raise, mask_not(lower)));

    /* The error at order k + 1 can be told after k + 1 steps of one size. */
    mask is_known = mask_and(real_le(order + one, lane_at(history->n_equal, 0)), mask_not(lower));
    mask is_first = real_le(order, one);
    mask raise = mask_and(is_known, real_lt(above, real_select(is_first, half * trial->at_order, trial->at_order)));
    mask drop = mask_and(mask_and(is_known, mask_not(is_first)),
                         mask_and(real_le(trial->below, trial->at_order), real_le(trial->below, above)));
    raise = mask_or(rising, mask_and(may_raise, mask_and(raise, mask_not(drop))));
    lower = mask_and(mask_or(lower, drop), mask_not(raise));
    real next = real_select(raise, order + one, real_select(lower, order - one, order));
    real error = real_select(raise, above, real_select(lower, trial->below, trial->at_order));
    const mask is_blind = sarrus_is_blind(ev, &lanes->passage);
    const real most = sarrus_whole(SARRUS_BEND_ORDER_BLIND);
    next = real_select(is_blind, real_min(most, real_max(next, real_min(order, most))), next);

    real power = next + one;
    mask is_fine = mask_or(rising, real_le(error * sarrus_whole_power(real_set(2.0), power, SARRUS_MAX_ORDER + 1), half));
    real factor = sarrus_root(error + error, power, SARRUS_MAX_ORDER + 1);
    factor = real_max(real_min(factor, real_set(0.9)), half);
    factor = real_select(real_le(error, half), one, factor);
    factor = real_select(is_fine, real_set(2.0), factor);
    /* A step cut short by the end of a call says nothing against the size that was meant. */
    real meant = lane_at(lanes->step, 0), step = h * factor;
    step = real_select(mask_and(real_lt(h, meant), real_le(one, factor)), real_max(step, real_min(meant, h + h)), step);
    lane_at(lanes->step, 0) = real_select(accept, step, meant);
    lane_at(history->last_order, 0) = real_select(accept, order, lane_at(history->last_order, 0));
    lane_at(history->order, 0) = real_select(accept, next, order);
    lane_at(history->last_step, 0) = real_select(accept, h, lane_at(history->last_step, 0));
    lane_at(history->n_failures, 0) = real_select(accept, real_set(0.0), lane_at(history->n_failures, 0));
    lane_at(history->is_rising, 0) = real_select(accept, real_select(rising, one, real_set(0.0)), lane_at(history->is_rising, 0));
}

/* The lanes of `accept` move on to the state in the workspace. */
LANE_BODY void sarrus_adams_accept(const sarrus_evaluation *ev, const sarrus_adaptive *lanes, real t_new, mask accept) {
    sarrus_workspace *ws = ev->ws;
    const int32_t n_q = sarrus_plan_of(ev)->n_q;
    sarrus_lanes_copy(accept, lanes->t_now, 1, lanes->t_before);
    sarrus_lanes_copy(accept, ws->q, n_q, lanes->now);
    sarrus_lanes_copy(accept, ws->v, sarrus_plan_of(ev)->n_v, lane_from(lanes->now, n_q));
    sarrus_turns_go_on(ev, t_new, accept);
    lane_at(lanes->t_now, 0) = real_select(accept, t_new, lane_at(lanes->t_now, 0));
    sarrus_swapped_keep(ev, accept);
}

/* Lanes whose step of size h reaches over a change point, by the distances at its beginning and where it is predicted to end. */
LANE_FUNCTION mask sarrus_adams_reaches_over(const sarrus_evaluation *ev, const sarrus_adaptive *lanes, real h, real predicted) {
    static const real_scalar ends[2] = {0.0, 1.0};
    const real distance[2] = {sarrus_distance(lane_at(lanes->passage.now, 1)), predicted};
    return sarrus_step_reaches_over(ev, &lanes->passage, h, lanes->now, distance, ends, 2);
}

/* One trial step of the lanes of ev->healthy, of size h to t_new; without a new state when an end is asked for. */
LANE_BODY sarrus_trial_outcome sarrus_adams_try(sarrus_evaluation *ev, const sarrus_adaptive *lanes, real h, real t_new) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    sarrus_workspace *ws = ev->ws;
    const int32_t max_order = mech->integrator.max_order;
    const real one = real_set(1.0);
    const mask go = ev->healthy;
    sarrus_adams history;
    sarrus_adams_terms terms;
    sarrus_adams_trial trial;
    sarrus_adams_view(mech, ev->tile, &history);
    real order = lane_at(history.order, 0);
    real n_equal = real_select(real_eq(h, lane_at(history.last_step, 0)), lane_at(history.n_equal, 0), real_set(0.0));
    n_equal = real_select(real_le(n_equal, lane_at(history.last_order, 0)), n_equal + one, n_equal);
    sarrus_adaptive_gains(ev, lanes, sarrus_table_at(mech->integrator.gain, order, max_order), h, go);
    sarrus_adams_terms_make(&history, max_order, h, go, &terms);
    sarrus_adams_predict(ev, lanes, &history, &terms);
    ev->wants_closeness = 1;
    sarrus_stage_velocities(ev, t_new);
    sarrus_accelerate(ev, t_new, ws->q, ws->v, ws->a);
    sarrus_closeness_take(ev);
    ev->wants_closeness = 0;
    const real predicted = sarrus_distance(frame_at(ws->closeness, 1));
    sarrus_adams_differences(ev, &terms, order);
    sarrus_adams_judge(ev, lanes, &terms, order, &trial);
    if (mech->is_watched)
        trial.good = mask_and(trial.good, mask_not(sarrus_adams_reaches_over(ev, lanes, h, predicted)));
    sarrus_trial_outcome end = {mask_none(), real_set(0.0)};
    if (lane_is_stopped(ev->stop))
        return end;
    sarrus_count(ev, mech->layout.n_evaluations, 1.0, go);
    mask lower = mask_and(real_le(real_set(3.0), order), real_le(real_max(trial.below, trial.below_2), trial.at_order));
    lower = mask_or(lower, mask_and(real_eq(order, real_set(2.0)), real_le(trial.below, real_set(0.5) * trial.at_order)));

    mask accept = mask_and(go, trial.good);
    if (mask_any(accept)) {
        ev->healthy = accept;
        sarrus_adams_correct(ev, &terms, order, t_new);
        if (lane_is_stopped(ev->stop))
            return end;
        sarrus_count(ev, mech->layout.n_evaluations, 1.0, accept);
        accept = mask_and(accept, mask_and(sarrus_all_are_finite(ws->q, mech->n_q), sarrus_all_are_finite(ws->v, mech->n_v)));
        accept = mask_and(accept, sarrus_all_are_finite(ws->a, mech->n_v));
        lane_at(lanes->rank, 0) = real_select(accept, ev->found.rank, lane_at(lanes->rank, 0));
        lane_at(history.n_equal, 0) = real_select(accept, n_equal, lane_at(history.n_equal, 0));
        real above = sarrus_adams_update(ev, lanes, &history, &terms, accept);
        accept = sarrus_trial_judge(ev, lanes, accept, h, t_new,
                                    sarrus_plan_of(ev)->has_work ? lane_at(ws->sum_w, 1) : lane_at(lanes->work_now, 0), &end);
        above = above * sarrus_table_at(mech->integrator.gamma_star, order + one, SARRUS_MAX_ORDER + 1);
        sarrus_adams_choose(ev, lanes, &history, &trial, h, above, lower, accept);
        sarrus_adams_accept(ev, lanes, t_new, accept);
        sarrus_count(ev, mech->layout.n_steps, 1.0, accept);
    }
    mask reject = mask_and(go, mask_not(mask_or(accept, end.lost)));
    sarrus_count(ev, mech->layout.n_rejected, 1.0, reject);
    sarrus_adams_reject(lanes, &history, &trial, h, lower, reject);
    return end;
}

/* The state at time t, t_before < t ≤ t_now, into q, v and the work of the lanes of `on`. */
LANE_BODY void sarrus_adams_show(const sarrus_evaluation *ev, const sarrus_adaptive *lanes, real t, mask on, real *q, real *v) {
    const int32_t n_q = sarrus_plan_of(ev)->n_q, n_y = sarrus_n_y(sarrus_plan_of(ev)),
                  max_order = sarrus_plan_of(ev)->integrator.max_order;
    const int32_t n_columns = sarrus_adams_columns(ev);
    real *work = lane_from(ev->tile, sarrus_plan_of(ev)->layout.verdict.work);
    sarrus_adams history;
    sarrus_adams_view(sarrus_plan_of(ev), ev->tile, &history);
    real n_terms = lane_at(history.last_order, 0) + real_set(1.0), hi = t - lane_at(lanes->t_now, 0);
    real g[SARRUS_MAX_ORDER + 2];
    mask within[SARRUS_MAX_ORDER + 2];
    int32_t top = 1;
    for (int32_t i = 1; i <= max_order + 1; ++i) {
        within[i] = real_le(sarrus_whole(i), n_terms);
        if (mask_any(mask_and(on, within[i])))
            top = i;
    }
    sarrus_adams_terms_between(&history, hi, top, g);
    mask at_end = mask_not(real_lt(hi, real_set(0.0)));
    for (int32_t l = 0; l < n_columns; ++l) {
        real sum = real_set(0.0), now = l < n_y ? lane_at(lanes->now, l) : lane_at(lanes->work_now, 0);
        for (int32_t i = top; i >= 1; --i)
            sum = real_select(within[i], real_fma(g[i], lane_at(history.phi, n_columns * (i - 1) + l), sum), sum);
        real x = real_select(at_end, now, real_fma(hi, sum, now));
        real *out = l < n_q ? lane_from(q, l) : l < n_y ? lane_from(v, l - n_q) : work;
        lane_at(out, 0) = real_select(on, x, lane_at(out, 0));
    }
}

/* The lanes of `on` begin anew at order 1: the state is in lanes->now, its acceleration in ws->a. The first step is such that the
 * change of the derivative, were it as large as the derivative, would be a quarter of the tolerance. */
LANE_BODY void sarrus_adams_begin(const sarrus_evaluation *ev, const sarrus_adaptive *lanes, mask on) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    sarrus_workspace *ws = ev->ws;
    const int32_t n_q = mech->n_q, n_v = mech->n_v;
    const real one = real_set(1.0), zero = real_set(0.0);
    const real *v_now = lane_from(lanes->now, n_q), *rates = sarrus_rates(ev, lanes->now, v_now);
    sarrus_adams history;
    sarrus_adams_view(mech, ev->tile, &history);
    for (int32_t i = 0; i < n_q; ++i)
        lane_at(ws->error, i) = lane_at(rates, i);
    for (int32_t i = 0; i < n_v; ++i)
        lane_at(ws->error, n_q + i) = lane_at(ws->a, i);
    sarrus_lanes_copy(on, ws->error, n_q + n_v, history.phi);
    sarrus_lane_set(lane_from(history.phi, n_q + n_v), on, ev->power);
    for (int32_t l = 0; l < sarrus_adams_columns(ev); ++l)
        sarrus_lane_set(lane_from(history.phi, sarrus_adams_columns(ev) + l), on, zero);
    real size = sarrus_error_norm(mech, ws->error, lanes->now, lanes->now, v_now), h = lane_at(lanes->step, 0);
    mask is_long = real_lt(one, real_set(16.0) * size * h * h);
    h = real_select(is_long, real_set(0.25) / real_sqrt(real_select(is_long, size, one)), h);
    lane_at(lanes->step, 0) = real_select(on, h, lane_at(lanes->step, 0));
    lane_at(history.order, 0) = real_select(on, one, lane_at(history.order, 0));
    lane_at(history.last_order, 0) = real_select(on, zero, lane_at(history.last_order, 0));
    lane_at(history.n_equal, 0) = real_select(on, zero, lane_at(history.n_equal, 0));
    lane_at(history.last_step, 0) = real_select(on, zero, lane_at(history.last_step, 0));
    lane_at(history.is_rising, 0) = real_select(on, one, lane_at(history.is_rising, 0));
    lane_at(history.n_failures, 0) = real_select(on, zero, lane_at(history.n_failures, 0));
}

#endif

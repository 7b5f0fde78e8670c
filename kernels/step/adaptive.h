/* What every method that chooses its steps keeps in the tile, and how a lane begins, fails and shows itself.
 *
 * Each lane has its own time and step size and runs past the time that is asked for; what q and v of the tile show is interpolated.
 * So the steps of an instance depend on nothing but the instance: neither on when it is looked at nor on its neighbours. */
#ifndef SARRUS_STEP_ADAPTIVE_H
#define SARRUS_STEP_ADAPTIVE_H

#include "kernels/step/change_point.h"
#include "kernels/step/control.h"
#include "kernels/step/rank_changes.h"
#include "kernels/step/verdict.h"

/* Where the fields are that all of these methods use. */
typedef struct sarrus_adaptive {
#define SARRUS_ADAPTIVE_FIELD(name, ...) real *name;
#include "sarrus/field.def"
    real t_end; /* s, behind which nothing is judged: drives may jump there */
    sarrus_passage passage;
} sarrus_adaptive;

LANE_FUNCTION void sarrus_adaptive_view(const sarrus_mechanism *mech, real *tile, sarrus_adaptive *lanes) {
    const sarrus_adaptive_layout *at = &mech->layout.adaptive;
#define SARRUS_ADAPTIVE_FIELD(name, ...) lanes->name = lane_from(tile, at->name);
#include "sarrus/field.def"
}

/* Lanes in which some of a[n] is not that of b. */
LANE_BODY mask sarrus_lanes_differ(const real *a, const real *b, int32_t n) {
    mask differ = mask_none();
    for (int32_t i = 0; i < n; ++i)
        differ = mask_or(differ, mask_not(real_eq(lane_at(a, i), lane_at(b, i))));
    return differ;
}

/* The lanes of `fail` end with a status, at the first grid time behind their last good one. They show the state there: what was
 * shown last depends on when somebody looked. */
LANE_BODY void sarrus_adaptive_end(const sarrus_evaluation *ev, const sarrus_clock *clock, mask fail, real word) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    const sarrus_tile_layout *layout = &mech->layout;
    const real *now = lane_from(ev->tile, layout->adaptive.now);
    if (!mask_any(fail))
        return;
    sarrus_lanes_copy(fail, now, mech->n_q, lane_from(ev->tile, layout->q));
    sarrus_lanes_copy(fail, lane_from(now, mech->n_q), mech->n_v, lane_from(ev->tile, layout->v));
    if (mech->has_work)
        sarrus_lane_set(lane_from(ev->tile, layout->verdict.work), fail, lane_at(ev->tile, layout->adaptive.work_now));
    sarrus_lane_set(lane_from(ev->tile, layout->status), fail, word);
    sarrus_lane_set(lane_from(ev->tile, layout->failed_step), fail,
                    sarrus_clock_step_after(clock, lane_at(ev->tile, layout->adaptive.t_now)));
}
LANE_FUNCTION void sarrus_adaptive_fail(const sarrus_evaluation *ev, const sarrus_clock *clock, mask fail, int32_t status) {
    sarrus_adaptive_end(ev, clock, fail, real_set((real_scalar)status));
}

/* What has become of a trial step. */
typedef struct sarrus_trial_outcome {
    mask lost; /* lanes that end */
    real word; /* with this status */
} sarrus_trial_outcome;

/* J, what errors of a thousand absolute tolerances are worth at ws->v, ws->a. A motion below its tolerance has no better energy. */
LANE_BODY real sarrus_trial_swing(const sarrus_evaluation *ev) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    const sarrus_workspace *ws = ev->ws;
    real sum = real_set(0.0);
    for (int32_t i = 0; i < mech->n_v; ++i)
        sum = real_fma(sarrus_state_inertia_at(mech, ev->parameter, ev->ws, i),
                       real_abs(lane_at(ws->v, i)) + real_abs(lane_at(ws->a, i)), sum);
    return real_set(1e3 * mech->integrator.atol) * sum;
}

/* Of the lanes of `good`, whose trial step of length h has come to ws->q, ws->v with the acceleration in ws->a and with the work
 * `work`: those that may move on. The others end. */
LANE_BODY mask sarrus_trial_judge(sarrus_evaluation *ev, const sarrus_adaptive *lanes, mask good, real h, real t_new, real work,
                                  sarrus_trial_outcome *end) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    sarrus_workspace *ws = ev->ws;
    const sarrus_passage *passage = &lanes->passage;
    const mask is_motion = sarrus_state_is_finite(mech, ws->q, ws->v);
    ev->is_configured = 1; /* rotations and signals are those of the acceleration */
    const sarrus_verdict_state here = {t_new, ws->q, ws->v, work, sarrus_trial_swing(ev), LANE_STRIDE};
    const mask is_within = real_le(t_new, lanes->t_end);
    const sarrus_judgement found = sarrus_judge(ev, mask_and(mask_and(good, is_motion), is_within), &here);
    ev->is_configured = ev->is_factored = 0;
    const mask is_bad = mask_and(mask_or(found.is_open, found.is_unbalanced), is_within);
    const mask accept = mask_and(mask_and(good, is_motion), mask_not(is_bad));
    end->lost = mask_and(good, mask_not(accept));
    end->word = real_select(is_motion, sarrus_judgement_status(&found), real_set((real_scalar)SARRUS_INSTANCE_DIVERGED));
    sarrus_lane_set(lane_from(ev->tile, mech->layout.verdict.balance), accept, found.balance);
    sarrus_lane_set(lanes->work_before, accept, lane_at(lanes->work_now, 0));
    sarrus_lane_set(lanes->work_now, accept, work);
    sarrus_lane_set(lanes->power_before, accept, lane_at(lanes->power_now, 0));
    sarrus_lane_set(lanes->power_now, accept, ev->power);
    sarrus_lane_set(passage->stride, accept, h);
    const real way = sarrus_distance(frame_at(ws->closeness, 1)) - sarrus_distance(lane_at(passage->now, 1));
    sarrus_lane_set(passage->pitch, accept, real_abs(way) / h);
    for (int32_t k = 0; k < SARRUS_N_CLOSENESS; ++k)
        sarrus_lane_set(lane_from(passage->now, k), accept, frame_at(ws->closeness, k));
    const mask is_on = mask_and(accept, real_lt(real_set(0.0), lane_at(passage->is_on, 0)));
    if (mask_any(is_on))
        sarrus_lanes_copy(is_on, passage->row_seen, 2 * mech->factor.n_blocks, passage->row_now);
    sarrus_nearest_keep(ev, accept, t_new, frame_at(ws->closeness, 1));
    return accept;
}

/* The error of the work [J] of a trial step by its tolerance, `gain` being the work of the step. An energy is as good as the
 * speeds: to rtol (max T + max V − min V + |gain|) + atol Σ m (|v| + atol). */
LANE_BODY real sarrus_work_error(const sarrus_evaluation *ev, real error, real gain) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    const real atol = real_set(mech->integrator.atol);
    sarrus_verdict lanes;
    real sum = real_set(0.0);
    if (!mech->has_work || mech->integrator.has_step_gains)
        return sum;
    for (int32_t i = 0; i < mech->n_v; ++i)
        sum = real_fma(sarrus_state_inertia_at(mech, ev->parameter, ev->ws, i), real_abs(lane_at(ev->ws->v, i)) + atol, sum);
    sarrus_verdict_view(ev, &lanes);
    const real turned = lane_at(lanes.kinetic, 0) + (lane_at(lanes.high, 0) - lane_at(lanes.low, 0)) + real_abs(gain);
    const real scale = real_fma(real_set(mech->integrator.rtol), turned, atol * sum);
    return real_abs(error) / real_max(scale, real_set(1e-300)); /* what has no coordinates does no work either */
}

/* An error as it counts in a bend, where round-off has a part in it. */
LANE_BODY real sarrus_error_less_noise(const sarrus_evaluation *ev, const sarrus_adaptive *lanes, real h, real error) {
    const mask is_bend = mask_and(ev->healthy, real_lt(real_set(0.0), lane_at(lanes->passage.is_bend, 0)));
    if (!mask_any(is_bend))
        return error;
    const real closeness = real_max(frame_at(ev->ws->closeness, 0), lane_at(lanes->passage.now, 0));
    const real noise = sarrus_error_noise(ev, h, closeness, lanes->now, ev->ws->v);
    return real_select(is_bend, error / (real_set(1.0) + noise), error);
}

/* Gains that follow the step: α = β = gain / h in the lanes of `on`. Round-off of Φ, ε of the size, is an acceleration of β² times
 * that, and β² h times that an error of v which no shorter step makes smaller: stages of Runge-Kutta methods all see the same and
 * take no notice, an order of Adams and the one below it do. They are given no more than leaves a tenth of the tolerance of what is
 * at rest: the gain of a step of 10 ε size/atol. */
LANE_FUNCTION void sarrus_adaptive_gains(sarrus_evaluation *ev, const sarrus_adaptive *lanes, real gain, real h, mask on) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    if (!mech->integrator.has_step_gains)
        return;
    real step = h;
    if (mech->integrator.method == SARRUS_INTEGRATOR_ADAMS_MOULTON)
        step = real_max(h, real_set((real_scalar)(10.0 * LANE_EPSILON * mech->size / mech->integrator.atol)));
    lane_at(lanes->gain, 0) = real_select(on, gain / step, lane_at(lanes->gain, 0));
    ev->alpha = ev->beta = lane_at(lanes->gain, 0);
}

/* Whether the derivative may jump from one call to the next, so that no step may reach over. */
LANE_FUNCTION int sarrus_calls_cut_steps(const sarrus_mechanism *mech) {
    return mech->n_inputs > 0;
}

#endif

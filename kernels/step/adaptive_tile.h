/* A tile of lanes that choose their own steps, brought to a common time: lanes behind it try steps until none is behind, then all
 * show their interpolated state. */
#ifndef SARRUS_STEP_ADAPTIVE_TILE_H
#define SARRUS_STEP_ADAPTIVE_TILE_H

#include "kernels/step/adams.h"
#include "kernels/step/runge_kutta.h"

/* The plan's method as the loop below sees it. */
LANE_FUNCTION int sarrus_method_is_adams(const sarrus_mechanism *mech) {
    return mech->integrator.method == SARRUS_INTEGRATOR_ADAMS_MOULTON;
}

/* The lanes of `on` stand at t with the tile's q, v and inputs, and know nothing of steps before; those of `moved` begin with
 * dt. */
LANE_BODY void sarrus_adaptive_stand(const sarrus_evaluation *ev, const sarrus_adaptive *lanes, real t, mask on, mask moved) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    const int32_t n_q = mech->n_q, n_v = mech->n_v;
    const real *q = lane_from(ev->tile, mech->layout.q), *v = lane_from(ev->tile, mech->layout.v);
    sarrus_lanes_copy(on, q, n_q, lanes->now);
    sarrus_lanes_copy(on, v, n_v, lane_from(lanes->now, n_q));
    sarrus_lanes_copy(on, q, n_q, lanes->shown);
    sarrus_lanes_copy(on, v, n_v, lane_from(lanes->shown, n_q));
    sarrus_lanes_copy(on, ev->input, mech->n_inputs, lanes->input);
    lane_at(lanes->t_now, 0) = real_select(on, t, lane_at(lanes->t_now, 0));
    lane_at(lanes->t_before, 0) = real_select(on, t, lane_at(lanes->t_before, 0));
    lane_at(lanes->is_started, 0) = real_select(on, real_set(1.0), lane_at(lanes->is_started, 0));
    lane_at(lanes->is_rejected, 0) = real_select(on, real_set(0.0), lane_at(lanes->is_rejected, 0));
    lane_at(lanes->memory, 0) = real_select(on, real_set(0.0), lane_at(lanes->memory, 0));
    lane_at(lanes->step, 0) = real_select(moved, real_set(mech->integrator.dt), lane_at(lanes->step, 0));
}

/* Lanes that were never started, or whose state or inputs are not as the last call left them, begin at t with the tile's q, v. */
LANE_BODY void sarrus_adaptive_begin(sarrus_evaluation *ev, const sarrus_adaptive *lanes, const sarrus_clock *clock, real t) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    sarrus_workspace *ws = ev->ws;
    const int32_t n_q = mech->n_q, n_v = mech->n_v;
    const real *q = lane_from(ev->tile, mech->layout.q), *v = lane_from(ev->tile, mech->layout.v);
    const mask alive = ev->healthy;
    mask moved = mask_or(sarrus_lanes_differ(q, lanes->shown, n_q), sarrus_lanes_differ(v, lane_from(lanes->shown, n_q), n_v));
    moved = mask_or(moved, mask_not(real_lt(real_set(0.0), lane_at(lanes->is_started, 0))));
    mask on = mask_and(alive, mask_or(moved, sarrus_lanes_differ(ev->input, lanes->input, mech->n_inputs)));
    if (!mask_any(on))
        return;
    moved = mask_and(on, moved);
    sarrus_adaptive_stand(ev, lanes, t, on, moved);
    ev->healthy = on;
    sarrus_adaptive_gains(ev, lanes, real_set(mech->integrator.gain[sarrus_method_is_adams(mech) ? 1 : 0]),
                          real_set(mech->integrator.dt), on);
    const real work = lane_at(ev->tile, mech->layout.verdict.work);
    sarrus_lane_set(lanes->work_now, on, work);
    sarrus_lane_set(lanes->work_before, on, work);
    (void)sarrus_verdict_begin(ev, on, t, q, v, work);
    mask fail = ev->is_indeterminate = mask_none();
    ev->wants_closeness = 1;
    sarrus_accelerate_checked(ev, t, q, v, &fail);
    sarrus_closeness_take(ev);
    ev->wants_closeness = 0;
    if (lane_is_stopped(ev->stop)) {
        ev->healthy = alive;
        return;
    }
    sarrus_lane_set(lanes->power_now, on, ev->power);
    sarrus_lane_set(lanes->power_before, on, ev->power);
    sarrus_passage_end(ev, &lanes->passage, moved);
    sarrus_lane_set(lanes->passage.closeness, moved, real_set(0.0));
    sarrus_lane_set(lanes->passage.pitch, moved, real_set(0.0));
    for (int32_t k = 0; k < SARRUS_N_CLOSENESS; ++k)
        sarrus_lane_set(lane_from(lanes->passage.now, k), on, frame_at(ws->closeness, k));
    sarrus_nearest_keep(ev, on, t, frame_at(ws->closeness, 1));
    sarrus_swapped_keep(ev, on);
    sarrus_count(ev, mech->layout.n_evaluations, 1.0, on);
    lane_at(lanes->rank, 0) = real_select(on, ev->found.rank, lane_at(lanes->rank, 0));
    mask astray = mask_and(on, mask_not(sarrus_state_is_finite(mech, q, v)));
    fail = mask_and(fail, sarrus_all_are_finite(ws->a, n_v));
    fail = mask_and(mask_and(on, mask_not(astray)), mask_not(fail));
    sarrus_adaptive_fail(ev, clock, astray, SARRUS_INSTANCE_DIVERGED);
    sarrus_adaptive_end(ev, clock, fail, sarrus_status_unless_open(ev, real_set((real_scalar)SARRUS_INSTANCE_NONFINITE_FORCE)));
    if (sarrus_method_is_adams(mech))
        sarrus_adams_begin(ev, lanes, on);
    else
        sarrus_runge_kutta_begin(ev, on);
    ev->healthy = mask_and(alive, mask_not(mask_or(astray, fail)));
}

/* The lanes of `go` that may not go on are given their status; returns the others. */
LANE_BODY mask sarrus_adaptive_retire(const sarrus_evaluation *ev, const sarrus_adaptive *lanes, const sarrus_clock *clock,
                                      mask go) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    const sarrus_tile_layout *at = &mech->layout;
    real scale = real_max(real_abs(lane_at(lanes->t_now, 0)), real_set(mech->integrator.dt));
    real n_tried = lane_at(ev->tile, at->n_steps) + lane_at(ev->tile, at->n_rejected);
    mask vanished = mask_not(real_le(real_set(SARRUS_SHORTEST_STEP) * scale, lane_at(lanes->step, 0)));
    vanished = mask_and(go, mask_or(vanished, sarrus_tolerance_is_lost(mech, lanes->now)));
    mask spent = mask_and(go, real_le(real_set(mech->integrator.max_steps), n_tried));
    spent = mask_and(spent, mask_not(vanished));
    sarrus_adaptive_fail(ev, clock, vanished, SARRUS_INSTANCE_STEP_UNDERFLOW);
    sarrus_adaptive_fail(ev, clock, spent, SARRUS_INSTANCE_STEP_LIMIT);
    mask weak = mask_and(go, sarrus_passage_is_lost(ev, &lanes->passage));
    weak = mask_and(weak, mask_not(mask_or(vanished, spent)));
    sarrus_adaptive_fail(ev, clock, weak, SARRUS_INSTANCE_UNRESOLVED);
    return mask_and(go, mask_not(mask_or(weak, mask_or(vanished, spent))));
}

/* The watch for change points before a step, and how long the step may be. */
LANE_BODY real sarrus_adaptive_watch(sarrus_evaluation *ev, const sarrus_adaptive *lanes, real h) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    const sarrus_passage *passage = &lanes->passage;
    if (!mech->is_watched)
        return h;
    const sarrus_station from = {lane_at(lanes->t_now, 0),
                                 h,
                                 lanes->now,
                                 lane_from(lanes->now, mech->n_q),
                                 {lane_at(passage->now, 0), lane_at(passage->now, 1)},
                                 passage->row_now};
    (void)sarrus_passage_watch(ev, passage, ev->healthy, &from);
    ev->is_configured = ev->is_factored = 0;
    sarrus_ground_look(ev, from.t);
    h = real_min(sarrus_step_within_reach(ev, lanes->now), h);
    h = sarrus_step_across(ev, passage, h);
    const mask is_bend = real_lt(real_set(0.0), lane_at(passage->is_bend, 0));
    if (!mask_any(is_bend))
        return h;
    const real_scalar blind = sarrus_method_is_adams(mech) ? SARRUS_BEND_STEP_BLIND_ADAMS : SARRUS_BEND_STEP_BLIND;
    const real share = real_select(sarrus_is_blind(ev, passage), real_set(blind), real_set(SARRUS_BEND_STEP));
    return real_min(sarrus_bend_step(passage, share), h);
}

/* A lane whose masses leave its acceleration open tries shorter steps, as it does after any step that is none; from this share of
 * its time on it ends. */
#define SARRUS_SHORTEST_OPEN_STEP 1e-9

/* The lanes of `go` that end so after a trial step of length h. */
LANE_BODY void sarrus_adaptive_end_open(const sarrus_evaluation *ev, const sarrus_adaptive *lanes, mask go, real h,
                                        sarrus_trial_outcome *end) {
    const real scale = real_max(real_abs(lane_at(lanes->t_now, 0)), real_set(sarrus_plan_of(ev)->integrator.dt));
    const mask is_short = real_le(h, real_set(SARRUS_SHORTEST_OPEN_STEP) * scale);
    const mask lost = mask_and(mask_and(go, ev->is_indeterminate), is_short);
    end->word = real_select(lost, real_set((real_scalar)SARRUS_INSTANCE_INDETERMINATE), end->word);
    end->lost = mask_or(end->lost, lost);
}

/* A kink nearer than this share of the time is where the lane stands: several shortest steps. */
#define SARRUS_KINK_HERE (4.0 * SARRUS_SHORTEST_STEP)

/* The next kink of a signal after t_now, s. */
LANE_BODY real sarrus_adaptive_next_kink(const sarrus_evaluation *ev, real t_now) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    const real scale = real_max(real_abs(t_now), real_set(mech->integrator.dt));
    return sarrus_signals_next_kink(mech, ev->parameter, real_fma(real_set(SARRUS_KINK_HERE), scale, t_now));
}

/* The longest step that sees what signals and curves do. */
LANE_BODY real sarrus_adaptive_in_sight(sarrus_evaluation *ev, const sarrus_adaptive *lanes) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    const real h = sarrus_signals_longest_step(mech, ev->parameter);
    if (sarrus_constraints_count(mech) == 0 || mech->n_curves == 0)
        return h;
    sarrus_ground_look(ev, lane_at(lanes->t_now, 0));
    ev->is_configured = ev->is_factored = 0;
    return real_min(sarrus_state_feet_time(mech, ev->parameter, ev->ws, lanes->now, lane_from(lanes->now, mech->n_q)), h);
}

/* One trial step of the lanes of ev->healthy, not beyond t_cut nor across a kink of a signal. */
LANE_BODY sarrus_trial_outcome sarrus_adaptive_try(sarrus_evaluation *ev, const sarrus_adaptive *lanes, real t_cut) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    const int is_adams = sarrus_method_is_adams(mech);
    real h = lane_at(lanes->step, 0), t_now = lane_at(lanes->t_now, 0);
    h = real_min(is_adams ? sarrus_adams_stable_step(ev) : sarrus_runge_kutta_stable_step(ev), h);
    h = real_min(sarrus_adaptive_in_sight(ev, lanes), h);
    h = sarrus_adaptive_watch(ev, lanes, h);
    /* Not beyond a kink either; of the last two steps to one neither is a sliver, from which steps would have to grow again. */
    const real kink = sarrus_adaptive_next_kink(ev, t_now), to_kink = kink - t_now;
    const mask is_last_but_one = mask_and(real_lt(real_set(1.01) * h, to_kink), real_lt(to_kink, h + h));
    h = real_select(is_last_but_one, real_set(0.5) * to_kink, h);
    t_cut = real_min(kink, t_cut);
    const real left = t_cut - t_now;
    const mask is_last = real_le(left, real_set(1.01) * h); /* a hundredth of a step is not worth a step of its own */
    h = real_select(is_last, left, h);
    const real t_new = real_select(is_last, t_cut, t_now + h);
    const mask go = ev->healthy;
    ev->is_indeterminate = mask_none();
    ev->is_swapped = sarrus_swapped_now(ev); /* whatever a step tried in vain has seen */
    sarrus_trial_outcome end = is_adams ? sarrus_adams_try(ev, lanes, h, t_new) : sarrus_runge_kutta_try(ev, lanes, h, t_new);
    if (mask_any(ev->is_indeterminate))
        sarrus_adaptive_end_open(ev, lanes, go, h, &end);
    return end;
}

/* q, v of the tile at the time that was asked for, on the constraints when every step is; as they were when an end is asked for. */
LANE_BODY void sarrus_adaptive_show(sarrus_evaluation *ev, const sarrus_adaptive *lanes, real t) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    const int32_t n_q = mech->n_q, n_v = mech->n_v;
    real *q = lane_from(ev->tile, mech->layout.q), *v = lane_from(ev->tile, mech->layout.v);
    real *q_new = ev->ws->sum_q, *v_new = ev->ws->sum_v;
    /* A state inside a step that crosses a change point has rows of its own, as the stages have; which ones the next step takes is
     * not for it to say. */
    ev->wants_closeness = mech->factor.n_dependent > 0;
    ev->is_swapped = sarrus_swapped_now(ev);
    for (int32_t i = 0; i < n_q; ++i)
        lane_at(q_new, i) = lane_at(q, i);
    for (int32_t i = 0; i < n_v; ++i)
        lane_at(v_new, i) = lane_at(v, i);
    if (sarrus_method_is_adams(mech))
        sarrus_adams_show(ev, lanes, t, ev->healthy, q_new, v_new);
    else
        sarrus_dense_show(ev, lanes, t, ev->healthy, q_new, v_new);
    ev->is_configured = ev->is_factored = 0;
    if (mech->project == SARRUS_PROJECTION_EVERY_STEP)
        sarrus_project(ev, t, q_new, v_new);
    else
        sarrus_state_settle(mech, q_new);
    ev->wants_closeness = 0;
    ev->is_swapped = sarrus_swapped_now(ev);
    if (lane_is_stopped(ev->stop))
        return;
    sarrus_lanes_copy(ev->healthy, q_new, n_q, q);
    sarrus_lanes_copy(ev->healthy, v_new, n_v, v);
    sarrus_lanes_copy(ev->healthy, q_new, n_q, lanes->shown);
    sarrus_lanes_copy(ev->healthy, v_new, n_v, lane_from(lanes->shown, n_q));
}

/* As sarrus_advance, for the methods that choose their steps. All the way or, when changes of rank wait to be fetched or an end is
 * asked for, not at all: the lanes then stand somewhere between, and the next call goes on from there. */
LANE_BODY uint64_t sarrus_advance_adaptive(sarrus_evaluation *ev, real *tile, const sarrus_clock *clock, uint64_t n_steps) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    const uint64_t last = clock->step + n_steps;
    const real t_target = sarrus_lane_time(mech, tile, clock, last);
    const real t_cut = sarrus_calls_cut_steps(mech) ? t_target : real_set(1e300);
    sarrus_adaptive lanes;
    if (n_steps == 0 || !mask_any(ev->healthy))
        return n_steps;
    sarrus_adaptive_view(mech, tile, &lanes);
    const mask is_within = real_le(sarrus_lane_steps(mech, tile, last), real_set((real_scalar)clock->n_total));
    lanes.t_end = real_select(is_within, real_set(clock->t_end), real_set(1e300));
    sarrus_passage_view(ev, &lanes.passage);
    sarrus_adaptive_begin(ev, &lanes, clock, sarrus_lane_time(mech, tile, clock, clock->step));
    ev->is_configured = ev->is_factored = 0; /* what comes next is evaluated at a lane's own time */
    mask alive = ev->healthy;
    for (;;) {
        mask go = mask_and(alive, real_lt(lane_at(lanes.t_now, 0), t_target));
        if (!mask_any(go))
            break;
        if (sarrus_rank_changes_are_full(ev) || lane_is_stopped(ev->stop))
            return 0;
        mask stay = sarrus_adaptive_retire(ev, &lanes, clock, go);
        alive = mask_and(alive, mask_or(stay, mask_not(go)));
        ev->healthy = go = stay;
        if (!mask_any(go))
            continue;
        ev->found.rank = lane_at(lanes.rank, 0);
        sarrus_rank_note(ev, lane_at(lanes.t_now, 0), go);
        const sarrus_trial_outcome end = sarrus_adaptive_try(ev, &lanes, t_cut);
        sarrus_adaptive_end(ev, clock, end.lost, end.word);
        alive = mask_and(alive, mask_not(end.lost));
    }
    ev->healthy = alive;
    sarrus_adaptive_show(ev, &lanes, t_target);
    return lane_is_stopped(ev->stop) ? 0 : n_steps;
}

#endif

/* Many steps of one tile by a method of fixed step. A lane whose step leaves the finite range, or breaks a limit (verdict.h), keeps
 * its last good state, gets its status and is frozen; the others never notice.
 *
 * A step that does not resolve the motion is made in parts, each lane by itself. What says so is
 *
 *   e = h |a₃ − a₂| / √(2 max T)   (norm weighted by the masses),   in space h |ṗ₃ − ṗ₂| too,   error of the step ≈ 0.1 e^{3/2},
 *
 * which was held against the true error of steps in bends and in smooth motions: right to a factor of ten from 1e-9 to 1, and near
 * a change point what a bend allows (change_point.h). Semi-implicit Euler has no such estimate and follows the bends alone. */
#ifndef SARRUS_STEP_FIXED_H
#define SARRUS_STEP_FIXED_H

#include "kernels/step/change_point.h"
#include "kernels/step/control.h"
#include "kernels/step/rk4.h"
#include "kernels/step/semi_implicit.h"
#include "kernels/step/single.h"
#include "kernels/step/stretch.h"
#include "kernels/step/verdict.h"

/* The largest error that a step of rk4 may have without being made in parts; and in a bend, whose outcome depends on it most. */
#define SARRUS_STEP_ERROR 1e-6
#define SARRUS_STEP_ERROR_IN_BEND 1e-8
/* The shortest part of a step, as a share of it. */
#define SARRUS_SHORTEST_PART 0x1p-24
/* The parts of one step that a lane may try. Bends take some hundreds of them; a load of no sense asks for as many as there are
 * shortest ones, for minutes. */
#define SARRUS_MOST_PARTS 10000

LANE_FUNCTION int sarrus_method_is_rk4(const sarrus_mechanism *mech) {
    return mech->integrator.method == SARRUS_INTEGRATOR_RK4;
}

/* The lanes of `fail` end with `word`, in the step to clock time `step`. */
LANE_FUNCTION void sarrus_fixed_fail(const sarrus_evaluation *ev, uint64_t step, mask fail, real word) {
    const sarrus_tile_layout *layout = &sarrus_plan_of(ev)->layout;
    sarrus_lane_set(lane_from(ev->tile, layout->status), fail, word);
    sarrus_lane_set(lane_from(ev->tile, layout->failed_step), fail, sarrus_lane_steps(sarrus_plan_of(ev), ev->tile, step));
}

/* How a step, or a part of one, has ended. */
typedef struct sarrus_fixed_outcome {
    mask moved;  /* the new state is the tile's */
    mask failed; /* lanes that have got a status */
} sarrus_fixed_outcome;

/* Semi-implicit Euler keeps T + V − ½ h dT/dt, so that T + V of its motion is off by as much; with a margin, h |dT/dt| of the step
 * to ws->v. What starts from rest has no other energy yet. */
LANE_FUNCTION real sarrus_fixed_swing(const sarrus_evaluation *ev) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    const real *v = ev->ws->v, *before = lane_from(ev->tile, mech->layout.v);
    if (sarrus_method_is_rk4(mech))
        return real_set(0.0);
    return real_abs(sarrus_state_gain(mech, ev->parameter, ev->ws, v, before));
}

/* The new state in ws->q, ws->v of the lanes of ev->healthy but `refused` at time t, of the step to clock time `step`: projected,
 * judged and taken over where it is one; nowhere when an end is asked for. */
LANE_FUNCTION sarrus_fixed_outcome sarrus_fixed_end(sarrus_evaluation *ev, real t, uint64_t step, mask force_is_finite,
                                                    mask refused) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    sarrus_workspace *ws = ev->ws;
    real *q = lane_from(ev->tile, mech->layout.q), *v = lane_from(ev->tile, mech->layout.v);
    sarrus_fixed_outcome end;
    ev->wants_closeness = 1;
    sarrus_project(ev, t, ws->q, ws->v);
    if (lane_is_stopped(ev->stop)) {
        end.moved = end.failed = mask_none();
        return end;
    }
    sarrus_count(ev, mech->layout.n_evaluations, sarrus_method_is_rk4(mech) ? 4.0 : 1.0, ev->healthy);
    const mask on = mask_and(ev->healthy, mask_not(refused));
    const mask is_motion = mask_and(sarrus_state_is_finite(mech, ws->q, ws->v), force_is_finite);
    const real work = lane_at(ws->sum_w, 1);
    const sarrus_verdict_state here = {t, ws->q, ws->v, work, sarrus_fixed_swing(ev), LANE_STRIDE};
    const sarrus_judgement found = sarrus_judge(ev, mask_and(on, is_motion), &here);
    const mask good = mask_and(is_motion, mask_not(mask_or(found.is_open, found.is_unbalanced)));
    end.moved = mask_and(on, good);
    end.failed = mask_and(on, mask_not(good));
    sarrus_count(ev, mech->layout.n_steps, 1.0, end.moved);
    PLAN_EACH (i, 0, mech->n_q)
        lane_at(q, i) = real_select(end.moved, lane_at(ws->q, i), lane_at(q, i));
    PLAN_EACH (i, 0, mech->n_v)
        lane_at(v, i) = real_select(end.moved, lane_at(ws->v, i), lane_at(v, i));
    sarrus_carry_keep(ev, end.moved);
    sarrus_turns_go_on(ev, t, end.moved);
    sarrus_lane_set(lane_from(ev->tile, mech->layout.verdict.balance), end.moved, found.balance);
    if (mech->has_work)
        sarrus_lane_set(lane_from(ev->tile, mech->layout.verdict.work), end.moved, work);
    if (mask_any(end.failed)) {
        real word = real_select(force_is_finite, real_set((real_scalar)SARRUS_INSTANCE_DIVERGED),
                                real_set((real_scalar)SARRUS_INSTANCE_NONFINITE_FORCE));
        word = sarrus_status_unless_open(ev, word);
        sarrus_fixed_fail(ev, step, end.failed, real_select(is_motion, sarrus_judgement_status(&found), word));
    }
    return end;
}

/* The longest part of what is `left` of a step of length `whole` that the lane allows. Where that is too short, *is_lost. */
LANE_BODY real sarrus_part_choose(const sarrus_evaluation *ev, const sarrus_passage *lanes, real left, real whole, mask *is_lost) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    const real zero = real_set(0.0), part = lane_at(lanes->part, 0), floor = real_set(SARRUS_SHORTEST_PART) * whole;
    real want = sarrus_bend_step(lanes, real_set(SARRUS_BEND_STEP));
    want = real_select(real_lt(zero, part), real_min(part, want), want);
    *is_lost = real_lt(want, floor);
    if (!mech->has_parts) {
        *is_lost = real_lt(want, left);
        return left;
    }
    want = real_max(want, floor);
    /* Two halves rather than a part and a sliver. */
    const real half = real_set(0.5) * left;
    want = real_select(mask_and(real_lt(half, want), real_lt(want, left)), half, want);
    return real_min(want, left);
}

/* The error of the step of rk4 that ws->sum_w[2] tells of. */
LANE_BODY real sarrus_fixed_error(const sarrus_evaluation *ev, real h) {
    sarrus_workspace *ws = ev->ws;
    const real spread2 = lane_at(ws->sum_w, 2), zero = real_set(0.0);
    real scale2 = real_set(2.0) * lane_at(ev->tile, sarrus_plan_of(ev)->layout.verdict.kinetic);
    /* What starts from rest is measured by what it gains. */
    for (int32_t i = 0; i < sarrus_plan_of(ev)->n_v; ++i)
        lane_at(ws->sum_v, i) = zero;
    scale2 = real_max(h * h * sarrus_state_square(sarrus_plan_of(ev), ev->parameter, ws, ws->a_middle, ws->sum_v), scale2);
    scale2 = real_max(real_set(2.0 * sarrus_plan_of(ev)->energy_floor), scale2); /* less is rest */
    const mask has_scale = real_lt(zero, scale2);
    real e2 = real_select(has_scale, spread2 / real_select(has_scale, scale2, real_set(1.0)), zero);
    if (SPACE_NQ != SPACE_NV)
        e2 = real_max(sarrus_state_turn_spread2(sarrus_plan_of(ev), h, ws->v), e2);
    const real e = real_sqrt(e2);
    return real_set(0.1) * e * real_sqrt(e);
}

/* Of the lanes of `on` those whose step of length h of rk4 is to be made in parts; sets the length of the parts to come, and adds
 * to the sum of errors. */
LANE_BODY mask sarrus_fixed_refuse(const sarrus_evaluation *ev, const sarrus_passage *lanes, mask on, real h, real whole) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    const real zero = real_set(0.0), error = sarrus_fixed_error(ev, h);
    const mask is_bend = real_lt(zero, lane_at(lanes->is_bend, 0));
    const real goal = real_select(is_bend, real_set(SARRUS_STEP_ERROR_IN_BEND), real_set(SARRUS_STEP_ERROR));
    const mask may = mask_and(mech->has_parts ? on : mask_none(), real_lt(real_set(SARRUS_SHORTEST_PART) * whole, h));
    const mask refused = mask_and(may, mask_not(real_le(error, goal)));
    const real root = sarrus_root(real_max(error / goal, real_set(1e-8)), real_set(4.0), 4);
    real next = h * real_max(real_min(real_set(0.8) * root, real_set(4.0)), real_set(0.1));
    next = real_select(refused, real_min(next, real_set(0.5) * h), next);
    const mask in_parts = mask_or(refused, mask_or(is_bend, real_lt(zero, lane_at(lanes->part, 0))));
    next = real_select(mask_and(in_parts, real_lt(next, whole)), next, zero);
    sarrus_lane_set(lanes->part, on, next);
    real *sum = lane_from(ev->tile, mech->layout.verdict.error);
    sarrus_lane_set(sum, mask_and(on, mask_not(refused)), lane_at(sum, 0) + error);
    return refused;
}

/* Lanes of ev->healthy whose step does not resolve the motion. */
LANE_FUNCTION mask sarrus_fixed_look(const sarrus_evaluation *ev, const sarrus_passage *lanes, real h, real whole) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    const real zero = real_set(0.0), kinetic = lane_at(ev->tile, mech->layout.verdict.kinetic);
    if (!mech->wants_error || lane_is_stopped(ev->stop))
        return mask_none();
    mask due = mask_not(real_le(lane_at(ev->ws->sum_w, 2), real_set(2.0 * SARRUS_SPREAD_SMALL) * kinetic));
    if (SPACE_NQ != SPACE_NV)
        due = mask_or(due, real_lt(real_set(SARRUS_SPREAD_SMALL), sarrus_state_turn_spread2(mech, h, ev->ws->v)));
    due = mask_or(due, real_lt(zero, lane_at(lanes->part, 0) + lane_at(lanes->is_bend, 0)));
    due = mask_and(ev->healthy, due);
    return mask_any(due) ? sarrus_fixed_refuse(ev, lanes, due, h, whole) : mask_none();
}

/* Lanes whose errors have added up to more than an instance may have. */
LANE_FUNCTION mask sarrus_fixed_is_lost(const sarrus_evaluation *ev) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    return real_lt(real_set(mech->limit_error), lane_at(ev->tile, mech->layout.verdict.error));
}

/* A part of a step that was made but not yet judged. */
typedef struct sarrus_fixed_trial {
    real h;               /* s, its length */
    mask force_is_finite; /* lanes whose a_f is */
    mask is_lost;         /* ... that need shorter parts than they may have */
    mask refused;         /* ... whose part is too long */
} sarrus_fixed_trial;

/* The new state of the lanes of ev->healthy, by a part of the step from t that is at most `left` long, into ws->q, ws->v. */
LANE_FUNCTION sarrus_fixed_trial sarrus_fixed_try(sarrus_evaluation *ev, const sarrus_passage *lanes, real t, real left) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    const real *q = lane_from(ev->tile, mech->layout.q), *v = lane_from(ev->tile, mech->layout.v);
    const real whole = real_set(mech->integrator.dt);
    sarrus_fixed_trial trial;
    trial.h = left;
    trial.is_lost = trial.refused = ev->is_indeterminate = ev->is_blurred = mask_none();
    ev->wants_closeness = 1;
    sarrus_accelerate_checked(ev, t, q, v, &trial.force_is_finite);
    if (mech->is_watched && LANE_IS_SINGLE) {
        trial.is_lost = sarrus_single_watch(ev, lanes, t, left);
    } else if (mech->is_watched) {
        sarrus_closeness_take(ev);
        const sarrus_station from = sarrus_station_here(ev, t, left, q, v);
        if (!lane_is_stopped(ev->stop))
            sarrus_nearest_keep(ev, ev->healthy, t, from.near[1]);
        if (sarrus_passage_watch(ev, lanes, ev->healthy, &from))
            sarrus_accelerate_checked(ev, t, q, v, &trial.force_is_finite);
    }
    if (mech->is_watched || mech->has_parts) {
        mask is_short;
        trial.h = sarrus_part_choose(ev, lanes, left, whole, &is_short);
        trial.is_lost = mask_or(trial.is_lost, is_short);
    }
    ev->wants_closeness = 0;
    if (sarrus_method_is_rk4(mech)) {
        sarrus_rk4(ev, t, trial.h, q, v);
        trial.refused = mask_and(sarrus_fixed_look(ev, lanes, trial.h, whole), trial.force_is_finite);
    } else {
        sarrus_semi_implicit(ev, t, trial.h, q, v);
    }
    return trial;
}

/* A part of the step from t, at most `left` long, of the lanes of ev->healthy; *h is what it was. */
LANE_FUNCTION sarrus_fixed_outcome sarrus_fixed_part(sarrus_evaluation *ev, const sarrus_passage *lanes, real t, real left,
                                                     real t_end, uint64_t step, real *h) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    const mask on = ev->healthy;
    const sarrus_fixed_trial trial = sarrus_fixed_try(ev, lanes, t, left);
    *h = trial.h;
    const real t_new = real_select(real_eq(*h, left), t_end, t + *h);
    sarrus_fixed_outcome end = sarrus_fixed_end(ev, t_new, step, trial.force_is_finite, trial.refused);
    sarrus_lane_set(lanes->stride, end.moved, *h);
    const mask is_lost = mask_and(trial.is_lost, real_lt(real_set(mech->limit_error), real_set(SARRUS_NO_LIMIT)));
    mask lost = mask_or(is_lost, sarrus_fixed_is_lost(ev));
    if (LANE_IS_SINGLE)
        lost = mask_and(end.moved, mask_or(lost, mech->is_judged ? ev->is_blurred : mask_none()));
    else
        lost = mask_and(end.moved, mask_or(lost, sarrus_passage_is_lost(ev, lanes)));
    if (mask_any(lost)) {
        sarrus_fixed_fail(ev, step, lost, real_set((real_scalar)SARRUS_INSTANCE_UNRESOLVED));
        end.failed = mask_or(end.failed, lost);
    }
    if (mask_any(mask_and(on, mask_not(end.moved)))) /* the rows in the workspace are not those of the tile's state */
        ev->is_configured = ev->is_factored = 0;
    return end;
}

/* Tallies the parts of the lanes of ev->healthy that were tried in vain. Lanes that have tried more parts, besides one for each
 * step, than an instance may try steps of methods that choose them, or all n_parts that a step may have, end; they are returned. */
LANE_BODY mask sarrus_fixed_spend(sarrus_evaluation *ev, uint64_t step, mask moved, int32_t n_parts) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    sarrus_count(ev, mech->layout.n_rejected, 1.0, mask_and(ev->healthy, mask_not(moved)));
    const real n_tried = lane_at(ev->tile, mech->layout.n_steps) + lane_at(ev->tile, mech->layout.n_rejected);
    mask spent =
        mask_and(ev->healthy, real_lt(sarrus_lane_steps(mech, ev->tile, step) + real_set(mech->integrator.max_steps), n_tried));
    if (n_parts >= SARRUS_MOST_PARTS)
        spent = ev->healthy;
    if (mask_any(spent))
        sarrus_fixed_fail(ev, step, spent, real_set((real_scalar)SARRUS_INSTANCE_STEP_LIMIT));
    return spent;
}

/* One step of the lanes of ev->healthy, to clock time `step`. */
LANE_FUNCTION void sarrus_fixed_step(sarrus_evaluation *ev, const sarrus_clock *clock, uint64_t step) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    const real t_begin = sarrus_lane_time(mech, ev->tile, clock, step - 1), t_end = sarrus_lane_time(mech, ev->tile, clock, step);
    sarrus_passage lanes;
    sarrus_passage_view(ev, &lanes);
    mask alive = ev->healthy;
    int32_t n_parts = 0; /* of every lane that is not through yet: none of them has waited for another */
    real t = t_begin, left = sarrus_lane_stride(mech, ev->tile, clock, step - 1, t_begin, t_end), h;
    while (mask_any(ev->healthy)) {
        const sarrus_fixed_outcome end = sarrus_fixed_part(ev, &lanes, t, left, t_end, step, &h);
        if (lane_is_stopped(ev->stop))
            break;
        const mask is_done = mask_and(end.moved, real_eq(h, left));
        alive = mask_and(alive, mask_not(end.failed));
        ev->healthy = mask_and(mask_and(ev->healthy, alive), mask_not(is_done));
        if (!mask_any(ev->healthy))
            break;
        ++n_parts;
        t = real_select(end.moved, t + h, t);
        left = real_select(end.moved, LANE_IS_SINGLE ? left - h : t_end - t, left);
        alive = mask_and(alive, mask_not(sarrus_fixed_spend(ev, step, end.moved, n_parts)));
        ev->healthy = mask_and(ev->healthy, alive);
    }
    ev->healthy = alive;
    if (n_parts >
        0) /* lanes that were through have gone on with nothing to do: what is left in the workspace is not their state's */
        ev->is_configured = ev->is_factored = 0;
}

/* Before the first step of a call: lanes whose state was changed from outside. */
LANE_BODY void sarrus_fixed_begin(sarrus_evaluation *ev, real t) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    const real *q = lane_from(ev->tile, mech->layout.q), *v = lane_from(ev->tile, mech->layout.v);
    const real work = lane_at(ev->tile, mech->layout.verdict.work);
    const mask moved = sarrus_verdict_begin(ev, ev->healthy, t, q, v, work);
    if (!mask_any(moved))
        return;
    sarrus_passage lanes;
    sarrus_passage_view(ev, &lanes);
    sarrus_passage_end(ev, &lanes, moved);
    sarrus_lane_set(lanes.closeness, moved, real_set(0.0));
    sarrus_lane_set(lanes.part, moved, real_set(0.0));
}

/* As sarrus_advance, for the methods of fixed step. */
LANE_BODY uint64_t sarrus_advance_fixed(sarrus_evaluation *ev, const sarrus_clock *clock, uint64_t n_steps) {
    if (n_steps > 0 && mask_any(ev->healthy))
        sarrus_fixed_begin(ev, sarrus_lane_time(sarrus_plan_of(ev), ev->tile, clock, clock->step));
    int32_t rest = 0; /* steps until a stretch is tried again */
    for (uint64_t k = 0; k < n_steps && mask_any(ev->healthy); ++k) {
        if (sarrus_rank_changes_are_full(ev))
            return k;
        if (rest > 0) {
            --rest;
        } else if (sarrus_stretches_fit(sarrus_plan_of(ev))) {
            const uint64_t n = sarrus_stretch_go(ev, clock, clock->step + k, n_steps - k);
            rest = n > 0 ? 0 : SARRUS_STRETCH_REST;
            k += n;
            if (k == n_steps)
                break;
        }
        sarrus_fixed_step(ev, clock, clock->step + k + 1);
        if (lane_is_stopped(ev->stop))
            return k;
    }
    return n_steps;
}

#endif

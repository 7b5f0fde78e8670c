/* Change points: configurations in which a row loses its independence and the mechanism may branch (docs/change_points.md).
 *
 * How far away one is, is told by the pivots of the factor: distance = √(min d_k), each relative to its ordinary one. Along a
 * motion that passes a change point it falls like a straight line to zero and rises again; in a mechanism whose lengths miss it by
 * δ, it rounds off at √δ, and there the motion bends. A step that is not short against the bend jumps it and lands on another
 * branch, which satisfies all constraints as well. So, where the distance falls towards zero within a few steps, a lane looks ahead
 * (look_ahead.h) and learns which of the two it is:
 *
 *   A crossing. Directions may be lost for the moment: projections leave such a row out, and steps that are chosen by their error
 *   go across with all their stages away from the change point.
 *   A bend. Every direction counts, and a step is held to SARRUS_BEND_STEP of distance/rate. The rate is the largest seen in the
 *   passage, and fades over some distance/rate. Each row has a distance and a rate of its own, since a motion beside one change
 *   point may run into another; all of them hold the step.
 *
 * A motion that goes on where its distance is round-off, parked there, has lost its direction: the instance is unresolved. */
#ifndef SARRUS_STEP_CHANGE_POINT_H
#define SARRUS_STEP_CHANGE_POINT_H

#include "kernels/step/look_ahead.h"

/* A lane looks ahead when its distance would be zero within so many steps: of a fixed method, of one that chooses its steps. */
#define SARRUS_LOOK_FIXED 8.0
#define SARRUS_LOOK_ADAPTIVE 3.0
/* ... and again whenever the distance has come down to this part of what it was then: in a bend, and where none was found. */
#define SARRUS_LOOK_AGAIN 0.1
#define SARRUS_LOOK_AGAIN_SOON 0.5
/* Below this distance, without a past; and while it falls, where steps are not projected: they get shorter with it, and would never
 * be long enough. */
#define SARRUS_LOOK_FIRST 0.2
/* Loops may stand open by this part of distance² in a bend: otherwise they do not tell a motion from its neighbours, which lie
 * ½ distance² off the constraints. And by that part of the mechanism's size where a row is crossed and nobody closes them again. */
#define SARRUS_BEND_OPEN 0.5
#define SARRUS_BEND_OPEN_LOOSE 0.02 /* nearer than NARROW where no projection closes the loops again, and errors add up */
#define SARRUS_BEND_NARROW 2e-3
#define SARRUS_CROSSING_OPEN 1e-10
#define SARRUS_CROSSING_NEAR 0.05 /* from here on: what was seen ahead may not come */
/* Distances in a bend below which the direction is round-off; those elsewhere are below SARRUS_LOST. A motion that crosses, starts
 * or turns round there does not travel far. Who does, by so many rad or parts of the size, is lost. */
#define SARRUS_BEND_NOISE 5e-7
#define SARRUS_PARKED_LONG 1e-2
/* What is forgotten of the rate of the distance in x/rate. */
#define SARRUS_RATE_FADES 0.1
/* Steps in a bend, as a part of distance/rate: in general, and where round-off in the direction of the bend drowns the estimate of
 * the error and the geometry alone has to hold the step. */
#define SARRUS_BEND_STEP 0.25
#define SARRUS_BEND_STEP_BLIND 0.06
/* A step that nobody holds may not lose more than this part of the distance, nor may the distance, falling and rising as fast as it
 * does elsewhere in the step, come down to that part of it between two looks: there may be a change point that nobody has seen. */
#define SARRUS_REACH_LOSES 0.5
#define SARRUS_REACH_BETWEEN 0.2
/* rad, or parts of the mechanism's size, that joints on loops may turn or give way in it: the dip of a row that another one hides
 * is some two of what that other one leaves. */
#define SARRUS_REACH_TURN 0.5
#define SARRUS_REACH_TURN_ADAMS 0.12 /* which looks at the ends of its steps alone */
#define SARRUS_REACH_LEAP 0.01       /* parts of that below which a leap of the distance is no reason to shorten the step */
#define SARRUS_REACH_NEAR 0.05       /* distances below which it was seen before */
#define SARRUS_REACH_CLOSE 0.05      /* parts of a step that are too short to tell a rate from */
/* For adams-moulton, whose differences of high order would be of noise alone: it goes by shorter steps of a lower order. */
#define SARRUS_BEND_STEP_BLIND_ADAMS 0.01
#define SARRUS_BEND_ORDER_BLIND 5

/* Lanes that have to look ahead: their distance would be zero within some steps. */
LANE_BODY mask sarrus_passage_calls(const sarrus_evaluation *ev, const sarrus_passage *lanes, real x, real slope, mask has_past,
                                    real h) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    const real zero = real_set(0.0), looked = lane_at(lanes->looked, 0);
    const real n_steps = real_set(mech->integrator.is_adaptive ? SARRUS_LOOK_ADAPTIVE : SARRUS_LOOK_FIXED);
    const mask falls = mask_and(has_past, real_lt(slope, zero));
    mask calls = mask_and(falls, real_lt(x, -slope * n_steps * h));
    const mask is_near = real_lt(x, real_set(SARRUS_LOOK_FIRST));
    const mask is_on = real_lt(zero, lane_at(lanes->is_on, 0)), is_bend = real_lt(zero, lane_at(lanes->is_bend, 0));
    const real again = real_select(is_bend, real_set(SARRUS_LOOK_AGAIN), real_set(SARRUS_LOOK_AGAIN_SOON));
    const mask is_asked = mech->project == SARRUS_PROJECTION_EVERY_STEP ? mask_not(has_past) : mask_or(falls, mask_not(has_past));
    calls = mask_or(calls, mask_and(is_asked, is_near));
    return mask_and(calls, mask_or(mask_not(is_on), real_lt(x, again * looked)));
}

/* The rate that counts after a step of length `stride` to the distance x: that of the last few x/rate. A bend is passed in as long;
 * but a motion may also stay beside a change point, with links that have folded onto one another and turn as one. */
LANE_FUNCTION real sarrus_rate_faded(real rate, real stride, real x) {
    return rate / real_fma(real_set(SARRUS_RATE_FADES), stride * rate / x, real_set(1.0));
}

/* d/dt of the distance over the last step, of length `stride`, from `before` to `now`; 0 where it is not known. */
LANE_FUNCTION real sarrus_distance_slope(const sarrus_mechanism *mech, real before, real now, real stride) {
    const real zero = real_set(0.0);
    const mask has_past =
        mask_and(mask_and(real_lt(zero, before), real_lt(zero, stride)), sarrus_closeness_is_alike(mech, before, now));
    const real way = sarrus_distance(now) - sarrus_distance(before);
    return real_select(has_past, way / real_select(has_past, stride, real_set(1.0)), zero);
}

/* Adds the last step of the lanes of `on`, that came to `from`, to what they have travelled where the distance is round-off; in
 * a bend also where a row is left out because it is crossed, whose closeness is `crossed`: that is soon over, or the direction
 * lost. A step that came there from outside has travelled elsewhere, however near to the change point it has ended by chance;
 * and who tries again from the same place has made none. */
LANE_BODY void sarrus_parked_add(const sarrus_evaluation *ev, const sarrus_passage *lanes, mask on, const sarrus_station *from,
                                 real crossed) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    const mask is_bend = real_lt(real_set(0.0), lane_at(lanes->is_bend, 0));
    const real noise = real_select(is_bend, real_set(SARRUS_BEND_NOISE), real_set(SARRUS_LOST));
    const real before = lane_at(lanes->all, 0);
    mask here = real_lt(sarrus_distance(from->near[1]), noise);
    const mask comes = mask_and(here, mask_not(real_lt(sarrus_distance(before), noise)));
    const mask stays = mask_or(comes, real_eq(before, from->near[1]));
    here = mask_or(here, mask_and(is_bend, real_lt(sarrus_distance(crossed), real_set(SARRUS_LEFT_OUT))));
    const real step = real_select(stays, real_set(0.0), lane_at(lanes->stride, 0));
    const real way = real_fma(sarrus_speed_of(mech, from->v), step, lane_at(lanes->parked, 0));
    sarrus_lane_set(lanes->parked, on, real_select(here, way, real_set(0.0)));
}

/* The rows of the lanes of `on`, whose closeness is `rows` where the step begins: their rates, and the pace that they ask for.
 * Returns the largest closeness of those that are crossed. */
LANE_BODY real sarrus_rows_take(const sarrus_evaluation *ev, const sarrus_passage *lanes, mask on, const real *rows) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    const real zero = real_set(0.0), stride = lane_at(lanes->stride, 0);
    real pace = zero, nearest = zero;
    /* A pivot leaps where one before it begins to be refused: that is no motion of its row. */
    mask is_same = on;
    for (int32_t k = 0; k < 2 * mech->factor.n_blocks && mask_any(is_same); ++k)
        is_same = mask_and(is_same, sarrus_closeness_is_alike(mech, lane_at(lanes->row, k), lane_at(rows, k)));
    for (int32_t k = 0; k < 2 * mech->factor.n_blocks && mask_any(on); ++k) {
        const real now = lane_at(rows, k), x = sarrus_distance(now);
        const real slope = sarrus_distance_slope(mech, lane_at(lanes->row, k), now, stride);
        const real rate =
            real_max(real_select(is_same, real_abs(slope), zero), sarrus_rate_faded(lane_at(lanes->row_rate, k), stride, x));
        sarrus_lane_set(lane_from(lanes->row_rate, k), on, rate);
        sarrus_lane_set(lane_from(lanes->row, k), on, now);
        const mask is_crossed = real_lt(zero, lane_at(lanes->crossed, k));
        pace = real_max(real_select(is_crossed, zero, rate / x), pace);
        nearest = real_max(real_select(is_crossed, now, zero), nearest);
    }
    sarrus_lane_set(lanes->pace, on, pace);
    return nearest;
}

/* What happens to lanes near a change point, where a step begins. Returns whether someone has looked ahead: the workspace then
 * holds nothing of the present state. */
LANE_PHASE int sarrus_passage_go(sarrus_evaluation *ev, const sarrus_passage *lanes, mask on, const sarrus_station *from) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    const real zero = real_set(0.0), stride = lane_at(lanes->stride, 0), before = lane_at(lanes->closeness, 0);
    const mask has_past = mask_and(real_lt(zero, before), real_lt(zero, stride));
    const real x = sarrus_distance(from->near[0]), x_all = sarrus_distance(from->near[1]);
    const real slope = sarrus_distance_slope(mech, before, from->near[0], stride);
    mask is_on = mask_and(on, real_lt(zero, lane_at(lanes->is_on, 0)));
    sarrus_lane_set(lanes->rate, is_on, real_max(real_abs(slope), sarrus_rate_faded(lane_at(lanes->rate, 0), stride, x)));
    sarrus_parked_add(ev, lanes, is_on, from, sarrus_rows_take(ev, lanes, is_on, from->rows));
    const mask is_over = mask_and(is_on, real_lt(lane_at(lanes->entry, 0), x_all));
    if (mask_any(is_over))
        sarrus_passage_end(ev, lanes, is_over);
    const real falls = -sarrus_distance_slope(mech, lane_at(lanes->all, 0), from->near[1], stride);
    const mask is_known = real_lt(zero, falls);
    sarrus_lane_set(lanes->ahead, on, real_select(is_known, x_all / real_select(is_known, falls, real_set(1.0)), real_set(1e300)));
    const mask calls = mask_and(on, mask_and(sarrus_passage_calls(ev, lanes, x, slope, has_past, from->h), mask_not(is_over)));
    if (!mask_any(calls))
        return 0;
    sarrus_look_ahead(ev, lanes, calls, from);
    return 1;
}

/* Lanes of `on` that a closer look is due to: near a change point or falling towards one by the seventh part of the distance in a
 * step, in a passage, or without a past. */
LANE_FUNCTION mask sarrus_passage_is_due(const sarrus_passage *lanes, mask on, real now) {
    const real zero = real_set(0.0), before = lane_at(lanes->closeness, 0);
    const real near = real_set(1.0 / (SARRUS_LOOK_FIRST * SARRUS_LOOK_FIRST));
    mask due = mask_or(real_lt(real_set(1.1) * before, now), real_lt(zero, lane_at(lanes->is_on, 0)));
    due = mask_and(due, mask_or(real_lt(zero, before), real_lt(near, now)));
    return mask_and(on, due);
}

/* The watch at the beginning of a step of the lanes of `on`. Returns whether the workspace was used for something else. */
LANE_FUNCTION int sarrus_passage_watch(sarrus_evaluation *ev, const sarrus_passage *lanes, mask on, const sarrus_station *from) {
    const mask due = sarrus_passage_is_due(lanes, on, from->near[0]);
    const real was_on = lane_at(lanes->is_on, 0);
    const int has_looked = mask_any(due) ? sarrus_passage_go(ev, lanes, due, from) : 0;
    const mask is_over = real_lt(lane_at(lanes->is_on, 0), was_on); /* all rows are in view again */
    sarrus_lane_set(lanes->closeness, on, real_select(is_over, from->near[1], from->near[0]));
    sarrus_lane_set(lanes->all, on, from->near[1]);
    return has_looked;
}

/* 1/s, the fastest of what the joints on loops do: the turn of one body against the other, or, for a rod, the way of one past the
 * other. */
LANE_BODY real sarrus_loops_speed(const sarrus_evaluation *ev, const real *q, const real *v) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    real speed = real_set(0.0);
    for (int32_t i = 0; i < mech->n_joints; ++i) {
        const sarrus_mech_joint *joint = &mech->joint[i];
        const real_scalar unit = SARRUS_JOINT_AMONG(SARRUS_JOINTS_WITH_LENGTH, joint->kind) ? 1.0 / mech->size : 0.0;
        if (joint->is_in_loop)
            speed = real_max(sarrus_state_joint_speed(mech, ev->ws, joint, unit, q, v), speed);
    }
    return speed;
}

/* The longest step of a lane that nobody holds and that nothing may escape, from the state y [n_q + n_v] on. */
LANE_BODY real sarrus_step_within_reach(const sarrus_evaluation *ev, const real *y) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    const int is_adams = mech->integrator.method == SARRUS_INTEGRATOR_ADAMS_MOULTON;
    const real turn = real_set(is_adams ? SARRUS_REACH_TURN_ADAMS : SARRUS_REACH_TURN);
    return turn / real_max(sarrus_loops_speed(ev, y, lane_from(y, mech->n_q)), real_set(1e-300));
}

/* Lanes whose trial step of length h from the state y on reaches over what may be a change point. x [n]: the distances at the parts
 * c [n] of the step. The step before tells a rate as well. */
LANE_BODY mask sarrus_step_reaches_over(const sarrus_evaluation *ev, const sarrus_passage *lanes, real h, const real *y,
                                        const real *x, const real_scalar *c, int32_t n) {
    const real half = real_set(0.5);
    mask over = mask_none();
    real fastest = h * lane_at(lanes->pitch, 0);
    for (int32_t s = 1; s < n; ++s) {
        const real_scalar gap = c[s] > c[s - 1] ? c[s] - c[s - 1] : c[s - 1] - c[s];
        if (gap > SARRUS_REACH_CLOSE)
            fastest = real_max(real_abs(x[s] - x[s - 1]) * real_set(1.0 / gap), fastest);
    }
    for (int32_t s = 1; s < n; ++s) {
        const real_scalar gap = c[s] > c[s - 1] ? c[s] - c[s - 1] : c[s - 1] - c[s];
        const real between = half * real_fnma(fastest, real_set(gap), x[s] + x[s - 1]);
        over = mask_or(over, real_lt(between, real_set(SARRUS_REACH_BETWEEN) * real_min(x[s], x[s - 1])));
        over = mask_or(over, real_lt(x[s], real_set(SARRUS_REACH_LOSES) * x[0]));
    }
    /* Where the choice of rows makes the distance, it may leap, however short the step. */
    mask may_leap = mask_or(ev->is_swapped, sarrus_swapped_now(ev));
    if (SPACE_DIMENSION == 3 && mask_any(mask_and(over, may_leap)))
        may_leap = mask_and(may_leap, real_lt(h, real_set(SARRUS_REACH_LEAP) * sarrus_step_within_reach(ev, y)));
    over = mask_and(over, mask_not(mask_or(may_leap, sarrus_is_crossing(ev))));
    return mask_and(over, real_lt(real_set(SARRUS_REACH_NEAR), x[0]));
}

/* Lanes in a bend so near to a change point that the direction of their acceleration is known less well than the tolerance asks
 * for. */
LANE_FUNCTION mask sarrus_is_blind(const sarrus_evaluation *ev, const sarrus_passage *lanes) {
    const real noise = sarrus_direction_noise(sarrus_plan_of(ev), lane_at(lanes->closeness, 0));
    const mask is_bend = real_lt(real_set(0.0), lane_at(lanes->is_bend, 0));
    return mask_and(is_bend, real_lt(real_set(sarrus_plan_of(ev)->integrator.rtol), noise));
}

/* Lanes in a passage in which nobody knows where the motion goes: the plan's dense method cannot follow the bend, the loops are not
 * closed well enough to tell the branches apart, or it stays where its direction is lost. */
LANE_FUNCTION mask sarrus_passage_is_lost(const sarrus_evaluation *ev, const sarrus_passage *lanes) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    const real zero = real_set(0.0), x = sarrus_distance(lane_at(lanes->closeness, 0));
    const mask is_on = real_lt(zero, lane_at(lanes->is_on, 0)), is_bend = real_lt(zero, lane_at(lanes->is_bend, 0));
    /* Among rows of speeds nothing is crossed that they take part in (look_ahead.h), and nearer than this no way is told. */
    const int is_told = !mech->is_judged || !sarrus_holds_speeds(mech);
    const mask astray = is_told ? mask_none() : real_lt(x, real_set(SARRUS_DISTANCE_NOISE));
    if (!mech->is_judged || !mask_any(is_on))
        return astray;
    const real open = lane_at(ev->tile, mech->layout.verdict.violation) * real_set(1.0 / mech->violation_unit);
    const mask is_crossing = mask_and(sarrus_is_crossing(ev), mask_not(is_bend));
    const real x_all = sarrus_distance(lane_at(lanes->all, 0));
    const mask is_there = mask_and(is_crossing, real_lt(x_all, real_set(SARRUS_CROSSING_NEAR)));
    /* Projections at every step close all loops but those that are left out for the moment, and these after the passage. Methods
     * that choose their steps are projected where they cross, whatever the plan says (sarrus_project_crossing). */
    const int is_closed = mech->project == SARRUS_PROJECTION_EVERY_STEP;
    const int is_closed_there = is_closed || mech->integrator.is_adaptive;
    const mask is_loose = is_closed ? mask_none() : real_lt(x, real_set(SARRUS_BEND_NARROW));
    const real open_part = real_select(is_loose, real_set(SARRUS_BEND_OPEN_LOOSE), real_set(SARRUS_BEND_OPEN));
    const real_scalar open_most = is_closed_there ? SARRUS_NO_LIMIT : SARRUS_CROSSING_OPEN;
    real goal = real_select(is_there, real_set(open_most), real_set(SARRUS_NO_LIMIT));
    goal = real_select(is_bend, open_part * (x * x), goal);
    mask lost = mask_or(real_lt(goal, open), real_lt(real_set(SARRUS_PARKED_LONG), lane_at(lanes->parked, 0)));
    lost = mask_or(lost, mask_and(is_bend, real_lt(x, real_set(mech->weak_distance))));
    lost = mask_or(lost, mask_and(is_crossing, real_lt(x_all, real_set(mech->weak_crossing))));
    return mask_or(mask_and(is_on, lost), astray);
}

/* A step that is chosen by its error goes across a change point so that all its stages stay away from it: a direction that is lost
 * in one of them would count as an error. What h is for that, or for getting to where such a step may begin; h itself elsewhere. */
LANE_BODY real sarrus_step_across(const sarrus_evaluation *ev, const sarrus_passage *lanes, real h) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    if (!ev->crossed)
        return h;
    const real across = real_set(mech->integrator.across), ahead = lane_at(lanes->ahead, 0);
    const mask is_crossing = mask_and(sarrus_is_crossing(ev), real_eq(lane_at(lanes->is_bend, 0), real_set(0.0)));
    const real whole = ahead / across;
    const mask is_near = mask_and(is_crossing, real_le(whole, real_set(1.05) * h));
    const mask is_coming = mask_and(is_crossing, real_lt(ahead, real_fma(across, h, h)));
    return real_select(is_near, whole, real_select(is_coming, real_fnma(across, h, ahead), h));
}

/* The longest step that a bend allows, 1e300 s outside of one. */
LANE_FUNCTION real sarrus_bend_step(const sarrus_passage *lanes, real share) {
    const mask is_bend = real_lt(real_set(0.0), lane_at(lanes->is_bend, 0));
    if (!mask_any(is_bend))
        return real_set(1e300);
    const real nearest = lane_at(lanes->rate, 0) / sarrus_distance(lane_at(lanes->closeness, 0));
    const real pace = real_max(nearest, lane_at(lanes->pace, 0));
    const mask is_limited = mask_and(is_bend, real_lt(real_set(0.0), pace));
    return real_select(is_limited, share / real_select(is_limited, pace, real_set(1.0)), real_set(1e300));
}

#endif

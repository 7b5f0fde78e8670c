/* Change points: configurations in which a row loses its independence and the mechanism may branch (docs/change_points.md).
 *
 * How far away one is, is told by the pivots of the factor: distance = √(min d_k/S_kk), relative to the ordinary one. Along a
 * motion that passes a change point it falls like a straight line to zero and rises again; in a mechanism whose lengths miss it by
 * δ, it rounds off at √δ, and there the motion bends. A step that is not short against the bend jumps it and lands on another
 * branch, which satisfies all constraints as well. So, where the distance falls towards zero within a few steps, a lane looks
 * ahead:
 *
 *   1. along its motion, q + τv + ½τ²a brought back onto the constraints, half or three quarters of the way each time, until the
 * distance has come down to 3e-4 (or rises: a bend);
 *   2. at the place where it would be zero, the rows whose pivots are refused there sit out and the others are closed. What stays
 * open of a row, c, is by how much the mechanism misses its change point: a length, known to ε.
 *
 * A row with c at round-off is crossed: its direction may be lost for the moment, projections leave it out, and steps go across.
 * Otherwise the passage is a bend, in which every direction counts and steps are held to SARRUS_BEND_STEP of distance/rate. */
#ifndef SARRUS_STEP_CHANGE_POINT_H
#define SARRUS_STEP_CHANGE_POINT_H

#include "kernels/step/clock.h"
#include "kernels/step/project.h"

/* A lane looks ahead when its distance would be zero within so many steps: of a fixed method, of one that chooses its steps. */
#define SARRUS_LOOK_FIXED 8.0
#define SARRUS_LOOK_ADAPTIVE 3.0
/* ... and again whenever the distance has come down to this part of what it was then: in a bend, and where none was found. */
#define SARRUS_LOOK_AGAIN 0.1
#define SARRUS_LOOK_AGAIN_SOON 0.5
/* The longest move of a look ahead, rad or that part of the mechanism's size. */
#define SARRUS_LOOK_FAR 0.3
/* Without a past, when the distance is below this. */
#define SARRUS_LOOK_FIRST 0.2
/* Where a look ahead decides, and how many moves it makes to get there. */
#define SARRUS_LOOK_NEAR 3e-4
#define SARRUS_LOOK_MOVES 16
/* The distance falls along a straight line from here on. */
#define SARRUS_LOOK_STRAIGHT 0.05
/* What is left of the distance there where it would be zero. */
#define SARRUS_LOOK_THERE 0.05
/* A distance that only an exact change point has: the square root of round-off, with a margin. */
#define SARRUS_DISTANCE_NOISE 3e-7
/* c is round-off up to so many ε of the coordinates. A bend of δ ≥ 1e-12 in a mechanism of unit size is a hundred times that. */
#define SARRUS_OPEN_NOISE (48.0 * 2.220446049250313e-16)
/* A bend that keeps this far away is left to the control of errors. */
#define SARRUS_BEND_WIDE 0.1
/* Nearer than that a motion is not told from its neighbours, of ‖Φ‖ = ½ x² off the constraints either. Who travels so far there is
 * lost: a motion that crosses, starts or turns round there does not. */
#define SARRUS_BEND_NOISE 5e-7
#define SARRUS_BEND_OPEN 0.5
#define SARRUS_CROSSING_OPEN 1e-10
#define SARRUS_PARKED_LONG 1e-2
/* What is forgotten of the rate of the distance in x/rate. */
#define SARRUS_RATE_FADES 0.1
/* Steps in a bend, as a part of distance/rate: in general, and where round-off in the direction of the bend drowns the estimate of
 * the error and the geometry alone has to hold the step. */
#define SARRUS_BEND_STEP 0.25
#define SARRUS_BEND_STEP_BLIND 0.06
/* The same for adams-moulton, whose differences of high order would be of noise alone: it goes by shorter steps of a lower order.
 */
#define SARRUS_BEND_STEP_BLIND_ADAMS 0.01
#define SARRUS_BEND_ORDER_BLIND 5

/* The fields of sarrus_passage_layout. */
typedef struct sarrus_passage {
    real *now; /* [3] */
    real *closeness, *stride, *is_on, *is_bend, *rate, *entry, *looked, *second, *second_rate, *all, *ahead, *parked, *part;
    real *crossed; /* [2 n_blocks] */
} sarrus_passage;

LANE_FUNCTION void sarrus_passage_view(const sarrus_evaluation *ev, sarrus_passage *lanes) {
    const sarrus_passage_layout *at = &sarrus_plan_of(ev)->layout.passage;
    lanes->now = lane_from(ev->tile, at->now);
    lanes->closeness = lane_from(ev->tile, at->closeness);
    lanes->stride = lane_from(ev->tile, at->stride);
    lanes->is_on = lane_from(ev->tile, at->is_on);
    lanes->is_bend = lane_from(ev->tile, at->is_bend);
    lanes->rate = lane_from(ev->tile, at->rate);
    lanes->entry = lane_from(ev->tile, at->entry);
    lanes->looked = lane_from(ev->tile, at->looked);
    lanes->second = lane_from(ev->tile, at->second);
    lanes->second_rate = lane_from(ev->tile, at->second_rate);
    lanes->all = lane_from(ev->tile, at->all);
    lanes->ahead = lane_from(ev->tile, at->ahead);
    lanes->parked = lane_from(ev->tile, at->parked);
    lanes->part = lane_from(ev->tile, at->part);
    lanes->crossed = lane_from(ev->tile, at->crossed);
}

LANE_FUNCTION void sarrus_lane_set(real *to, mask on, real x) {
    lane_at(to, 0) = real_select(on, x, lane_at(to, 0));
}

/* 1/√closeness, relative to the ordinary distance. */
LANE_FUNCTION real sarrus_distance(const sarrus_mechanism *mech, real closeness) {
    const mask is_known = real_lt(real_set(0.0), closeness);
    real x = real_set(1.0 / mech->ordinary_root) / real_sqrt(real_select(is_known, closeness, real_set(1.0)));
    return real_select(is_known, x, real_set(1e30));
}

/* Says which rows the lanes cross, after their flags have changed. */
LANE_FUNCTION void sarrus_crossings_show(sarrus_evaluation *ev) {
    ev->crossed = lane_from(ev->tile, sarrus_plan_of(ev)->layout.passage.crossed);
    if (!mask_any(sarrus_is_crossing(ev)))
        ev->crossed = (const real *)0;
}

/* The passages of the lanes of `on` are over. */
LANE_BODY void sarrus_passage_end(sarrus_evaluation *ev, const sarrus_passage *lanes, mask on) {
    const real zero = real_set(0.0);
    sarrus_lane_set(lanes->is_on, on, zero);
    sarrus_lane_set(lanes->is_bend, on, zero);
    sarrus_lane_set(lanes->looked, on, zero);
    sarrus_lane_set(lanes->second_rate, on, zero);
    sarrus_lane_set(lanes->parked, on, zero);
    for (int32_t k = 0; k < 2 * sarrus_plan_of(ev)->factor.n_blocks; ++k)
        sarrus_lane_set(lane_from(lanes->crossed, k), on, zero);
    sarrus_crossings_show(ev);
}

/* Lanes in which two closenesses were told in the same way: both by a pivot, which looks at the rows eliminated before, or both by
 * what all other rows leave (doubtful_rows.h). Where the factor begins to refuse, closeness makes a little leap, which is no
 * motion. */
LANE_FUNCTION mask sarrus_closeness_is_alike(const sarrus_mechanism *mech, real a, real b) {
    const real edge = real_set(1.0 / mech->guard);
    return mask_not(mask_xor(real_lt(a, edge), real_lt(b, edge)));
}

/* The largest speed of v [n], rad/s or parts of the mechanism's size a second. */
LANE_BODY real sarrus_speed_of(const sarrus_mechanism *mech, const real *v) {
    real speed = real_set(0.0);
    for (int32_t i = 0; i < mech->n; ++i)
        speed = real_max(real_abs(lane_at(v, i)) * real_set(i % 3 == 2 ? 1.0 : 1.0 / mech->size), speed);
    return speed;
}

/* A look ahead on its way: the place that has been reached stands in ws->sum_q, ws->sum_v. */
typedef struct sarrus_look {
    mask open;  /* on their way */
    mask ready; /* as near as they need to be */
    real t;     /* s, of the place */
    real x;     /* distance there */
    real least; /* the smallest distance met */
    real left;  /* s from there to where the distance would be zero */
    real rate;  /* 1/s, the largest met */
} sarrus_look;

/* Sees to it that ws->closeness is that of the rows in the workspace, after an acceleration. Dense methods have no factor: theirs
 * is made here. */
LANE_FUNCTION void sarrus_closeness_take(sarrus_evaluation *ev) {
    if (sarrus_plan_of(ev)->solve != SARRUS_SOLVE_AUTO && !ev->is_factored)
        sarrus_correct_projection(ev, ev->ws->rhs, ev->healthy, ev->ws->z_other);
}

/* The distance that the last factor tells. */
LANE_FUNCTION real sarrus_look_distance(const sarrus_evaluation *ev) {
    return sarrus_distance(sarrus_plan_of(ev), frame_at(ev->ws->closeness, 0));
}

/* How long it takes to change the configuration by `way` radians, or that much of the mechanism's size. */
LANE_BODY real sarrus_look_time(const sarrus_evaluation *ev, real way) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    const sarrus_workspace *ws = ev->ws;
    const real speed = sarrus_speed_of(mech, ws->sum_v), pull = sarrus_speed_of(mech, ws->a);
    return real_min(way / real_max(speed + real_sqrt(way * pull), real_set(1e-30)), real_set(1.0));
}

/* ws->q, ws->v ← q + τv + ½τ²a, v + τa from the place that has been reached. */
LANE_BODY void sarrus_look_move(sarrus_evaluation *ev, real tau) {
    sarrus_workspace *ws = ev->ws;
    const real half = real_set(0.5) * tau;
    for (int32_t i = 0; i < sarrus_plan_of(ev)->n; ++i) {
        const real v = lane_at(ws->sum_v, i), a = lane_at(ws->a, i);
        lane_at(ws->q, i) = real_fma(tau, real_fma(half, a, v), lane_at(ws->sum_q, i));
        lane_at(ws->v, i) = real_fma(tau, a, v);
    }
    ev->is_configured = ev->is_factored = 0;
}

/* At the place that has been reached: the acceleration into ws->a, the distance, and by a short move when it would be zero. Lanes
 * whose distance does not fall have seen the least of it. */
LANE_BODY void sarrus_look_around(sarrus_evaluation *ev, sarrus_look *look) {
    sarrus_workspace *ws = ev->ws;
    ev->is_configured = ev->is_factored = 0;
    sarrus_accelerate(ev, look->t, ws->sum_q, ws->sum_v, ws->a);
    const real near = frame_at(ws->closeness, 0), x = sarrus_look_distance(ev);
    const real short_move = sarrus_look_time(ev, real_set(1e-3) * x);
    sarrus_look_move(ev, short_move);
    sarrus_evaluate_rows(ev, look->t + short_move, ws->q, ws->v);
    sarrus_correct_projection(ev, ws->phi, look->open, ws->z_other);
    real rate = (x - sarrus_look_distance(ev)) / short_move;
    rate = real_select(sarrus_closeness_is_alike(sarrus_plan_of(ev), near, frame_at(ws->closeness, 0)), rate, look->rate);
    const mask falls = mask_and(look->open, real_lt(real_set(0.0), rate));
    look->x = real_select(look->open, x, look->x);
    look->least = real_select(look->open, real_min(x, look->least), look->least);
    look->left = real_select(falls, x / real_select(falls, rate, real_set(1.0)), look->left);
    look->rate = real_select(falls, real_max(rate, look->rate), look->rate);
    look->open = falls;
}

/* One move of the lanes of look->open: half of the way that is left, three quarters once the line is straight. */
LANE_BODY void sarrus_look_once(sarrus_evaluation *ev, sarrus_look *look) {
    sarrus_workspace *ws = ev->ws;
    sarrus_look_around(ev, look);
    const mask near = real_lt(look->x, real_set(SARRUS_LOOK_NEAR));
    look->ready = mask_or(look->ready, mask_and(look->open, near));
    look->open = mask_and(look->open, mask_not(near));
    if (!mask_any(look->open))
        return;
    const real share = real_select(real_lt(look->x, real_set(SARRUS_LOOK_STRAIGHT)), real_set(0.75), real_set(0.5));
    const real move = real_min(share * look->left, sarrus_look_time(ev, real_set(SARRUS_LOOK_FAR)));
    sarrus_look_move(ev, move);
    sarrus_project_positions(ev, look->t + move, sarrus_project_goal(ev, ws->q), 4, look->open, ws->q, ws->v);
    sarrus_project_velocities(ev, look->open, ws->v);
    for (int32_t i = 0; i < sarrus_plan_of(ev)->n; ++i) {
        lane_at(ws->sum_q, i) = real_select(look->open, lane_at(ws->q, i), lane_at(ws->sum_q, i));
        lane_at(ws->sum_v, i) = real_select(look->open, lane_at(ws->v, i), lane_at(ws->sum_v, i));
    }
    look->t = real_select(look->open, look->t + move, look->t);
}

/* Round-off of a row's Φ: some ε of the coordinates that it is made of. */
LANE_BODY real sarrus_open_noise(const sarrus_evaluation *ev, const real *q, int is_angle) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    real length = real_set(mech->size), angle = real_set(1.0);
    for (int32_t b = 0; b < mech->n_bodies; ++b) {
        length = real_max(real_max(real_abs(lane_at(q, 3 * b)), real_abs(lane_at(q, 3 * b + 1))), length);
        angle = real_max(real_abs(lane_at(q, 3 * b + 2)), angle);
    }
    length = real_max(angle * real_set(mech->size), length);
    return real_set(SARRUS_OPEN_NOISE) * (is_angle ? angle : length);
}

/* Row i of the mechanism, element `at` in elimination order, in the lanes of `ready`: refused at the change point and closed to
 * round-off it is crossed; refused and open it makes a bend. Returns the lanes where it was refused. */
LANE_FUNCTION mask sarrus_look_judge_row(const sarrus_evaluation *ev, const sarrus_passage *lanes, int32_t i, int32_t at,
                                         mask ready, const real *noise, mask *is_open) {
    const int is_angle = sarrus_plan_of(ev)->row[i].kind == SARRUS_ROW_ANGLE;
    const mask refused = mask_and(ready, real_eq(frame_at(ev->ws->inverse, at), real_set(0.0)));
    const mask closed = real_le(real_abs(frame_at(ev->ws->phi, i)), noise[is_angle]);
    sarrus_lane_set(lane_from(lanes->crossed, at), mask_and(refused, closed), real_set(1.0));
    *is_open = mask_or(*is_open, mask_and(refused, mask_not(closed)));
    return refused;
}

/* At the place of the lanes of `ready` that is `left` ahead and where the distance would be zero: those where it is. A bend is
 * found there by those of *is_bend. */
LANE_BODY mask sarrus_look_judge(sarrus_evaluation *ev, const sarrus_passage *lanes, const sarrus_look *look, real left,
                                 mask *is_bend) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    sarrus_workspace *ws = ev->ws;
    ev->is_configured = ev->is_factored = 0;
    sarrus_accelerate(ev, look->t, ws->sum_q, ws->sum_v, ws->a);
    sarrus_look_move(ev, left);
    const real t = look->t + left;
    ev->sits_out = 1;
    sarrus_project_positions(ev, t, real_set(0.0), 3, look->ready, ws->q, ws->v);
    sarrus_correct_projection(ev, ws->phi, look->ready, ws->a);
    ev->sits_out = 0;
    /* From within a bend the straight way ahead stays close to the constraints for a while, but it does not come to a change point.
     */
    sarrus_correct_projection(ev, ws->phi, look->ready, ws->a);
    const real x = sarrus_look_distance(ev),
               nearest = real_max(real_set(SARRUS_LOOK_THERE) * look->x, real_set(SARRUS_DISTANCE_NOISE));
    const mask is_there = mask_and(look->ready, real_le(x, nearest));
    const real noise[2] = {sarrus_open_noise(ev, ws->q, 0), sarrus_open_noise(ev, ws->q, 1)};
    mask is_open = mask_none(), is_refused = mask_none();
    PLAN_RUNS(FACTORED, k, lap, 0, mech->factor.n_rows,
              is_refused =
                  mask_or(is_refused, sarrus_look_judge_row(ev, lanes, PLAN_INDEX(PLAN_AT(mech, row, k, lap)),
                                                            PLAN_INDEX(PLAN_AT(mech, at, k, lap)), is_there, noise, &is_open)))
    *is_bend = is_open;
    return is_refused;
}

/* Where the next judgement is to look, `seen` being the distance found by the first one, at look->left. */
LANE_BODY real sarrus_look_next(const sarrus_look *look, real seen, int k) {
    const real one = real_set(1.0), part = seen / real_max(look->x, real_set(1e-300));
    const mask is_less = real_lt(part, real_set(0.75));
    if (k == 1)
        return look->left + look->left;
    /* on this side of the zero; beyond it */
    const real rest = k == 2 ? one - real_select(is_less, part, real_set(0.75)) : one + part;
    return look->left / rest;
}

/* The lanes of look->ready in which a bend is ahead, and not a change point to be crossed. Where the motion turns round in a change
 * point, as it does after a start from one, the distance is a parabola, whose zero is twice as far away as that of its tangent; or,
 * as the speed goes to zero there as well, somewhere between: it is looked for along the line through the first two. */
LANE_BODY mask sarrus_look_decide(sarrus_evaluation *ev, const sarrus_passage *lanes, sarrus_look *look) {
    const mask ready = look->ready;
    mask bend, bend_here;
    mask there = sarrus_look_judge(ev, lanes, look, look->left, &bend);
    const real seen = sarrus_look_distance(ev);
    for (int k = 1; k <= 3; ++k) {
        look->ready = mask_and(ready, mask_not(there));
        if (!mask_any(look->ready))
            break;
        there = mask_or(there, sarrus_look_judge(ev, lanes, look, sarrus_look_next(look, seen, k), &bend_here));
        bend = mask_or(bend, bend_here);
    }
    look->ready = ready;
    return mask_and(ready, mask_or(bend, mask_not(there)));
}

/* A place where a step begins: its state, and what is known there of the distance. */
typedef struct sarrus_station {
    real t, h; /* s; the longest that the step may be */
    const real *q, *v;
    real near[SARRUS_N_CLOSENESS]; /* closeness */
} sarrus_station;

/* The place that the rows in the workspace are of. */
LANE_FUNCTION sarrus_station sarrus_station_here(const sarrus_evaluation *ev, real t, real h, const real *q, const real *v) {
    const sarrus_station here = {
        t, h, q, v, {frame_at(ev->ws->closeness, 0), frame_at(ev->ws->closeness, 1), frame_at(ev->ws->closeness, 2)}};
    return here;
}

/* The lanes of `on` look ahead. Uses most of the workspace. */
LANE_PHASE void sarrus_look_ahead(sarrus_evaluation *ev, const sarrus_passage *lanes, mask on, const sarrus_station *from) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    sarrus_workspace *ws = ev->ws;
    const mask healthy = ev->healthy;
    const real x = sarrus_distance(mech, from->near[0]);
    const mask is_there = mask_and(on, real_lt(x, real_set(SARRUS_DISTANCE_NOISE)));
    sarrus_look look;
    look.open = mask_and(on, mask_not(is_there));
    look.ready = is_there;
    look.t = from->t;
    look.x = look.least = x;
    look.left = look.rate = real_set(0.0);
    for (int32_t i = 0; i < mech->n; ++i) {
        lane_at(ws->sum_q, i) = lane_at(from->q, i);
        lane_at(ws->sum_v, i) = lane_at(from->v, i);
    }
    ev->healthy = on;
    ev->wants_closeness = ev->is_looking = 1;
    for (int k = 0; k < SARRUS_LOOK_MOVES && mask_any(look.open); ++k)
        sarrus_look_once(ev, &look);
    mask bend = mask_and(mask_and(on, mask_not(look.ready)), real_lt(look.least, real_set(SARRUS_BEND_WIDE)));
    if (mask_any(look.ready))
        bend = mask_or(bend, sarrus_look_decide(ev, lanes, &look));
    ev->healthy = healthy;
    ev->is_looking = 0;
    const mask was_off = mask_and(on, real_eq(lane_at(lanes->is_on, 0), real_set(0.0)));
    sarrus_lane_set(lanes->entry, was_off, real_max(x, real_set(0.05)));
    sarrus_lane_set(lanes->rate, was_off, real_set(0.0));
    sarrus_lane_set(lanes->rate, on, real_max(look.rate, lane_at(lanes->rate, 0)));
    sarrus_lane_set(lanes->is_on, on, real_set(1.0));
    sarrus_lane_set(lanes->is_bend, on, real_select(bend, real_set(1.0), real_set(0.0)));
    sarrus_lane_set(lanes->looked, on, x);
    sarrus_crossings_show(ev);
    ev->is_configured = ev->is_factored = 0;
}

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
    calls = mask_or(calls, mask_and(mask_not(has_past), is_near));
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
    const real way = sarrus_distance(mech, now) - sarrus_distance(mech, before);
    return real_select(has_past, way / real_select(has_past, stride, real_set(1.0)), zero);
}

/* Adds the last step of the lanes of `on`, that came to `from`, to what they have travelled where the distance is round-off. */
LANE_BODY void sarrus_parked_add(const sarrus_evaluation *ev, const sarrus_passage *lanes, mask on, const sarrus_station *from) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    const mask is_bend = real_lt(real_set(0.0), lane_at(lanes->is_bend, 0));
    const real noise = real_select(is_bend, real_set(SARRUS_BEND_NOISE), real_set(SARRUS_LOST));
    const mask here = real_lt(sarrus_distance(mech, from->near[1]), noise);
    const real way = real_fma(sarrus_speed_of(mech, from->v), lane_at(lanes->stride, 0), lane_at(lanes->parked, 0));
    sarrus_lane_set(lanes->parked, on, real_select(here, way, real_set(0.0)));
}

/* What happens to lanes near a change point, where a step begins. Returns whether someone has looked ahead: the workspace then
 * holds nothing of the present state. */
LANE_PHASE int sarrus_passage_go(sarrus_evaluation *ev, const sarrus_passage *lanes, mask on, const sarrus_station *from) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    const real zero = real_set(0.0), stride = lane_at(lanes->stride, 0), before = lane_at(lanes->closeness, 0);
    const mask has_past = mask_and(real_lt(zero, before), real_lt(zero, stride));
    const real x = sarrus_distance(mech, from->near[0]), x_all = sarrus_distance(mech, from->near[1]);
    const real slope = sarrus_distance_slope(mech, before, from->near[0], stride);
    mask is_on = mask_and(on, real_lt(zero, lane_at(lanes->is_on, 0)));
    sarrus_lane_set(lanes->rate, is_on, real_max(real_abs(slope), sarrus_rate_faded(lane_at(lanes->rate, 0), stride, x)));
    real second = sarrus_distance_slope(mech, lane_at(lanes->second, 0), from->near[2], stride);
    second = real_select(sarrus_closeness_is_alike(mech, before, from->near[0]), second, zero);
    const real faded = sarrus_rate_faded(lane_at(lanes->second_rate, 0), stride, sarrus_distance(mech, from->near[2]));
    sarrus_lane_set(lanes->second_rate, is_on, real_max(real_abs(second), faded));
    sarrus_parked_add(ev, lanes, is_on, from);
    const mask is_over = mask_and(is_on, real_le(lane_at(lanes->entry, 0), x_all));
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
LANE_FUNCTION mask sarrus_passage_is_due(const sarrus_evaluation *ev, const sarrus_passage *lanes, mask on, real now) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    const real zero = real_set(0.0), before = lane_at(lanes->closeness, 0);
    const real near = real_set(1.0 / (SARRUS_LOOK_FIRST * SARRUS_LOOK_FIRST * mech->ordinary));
    mask due = mask_or(real_lt(real_set(1.1) * before, now), real_lt(zero, lane_at(lanes->is_on, 0)));
    due = mask_and(due, mask_or(real_lt(zero, before), real_lt(near, now)));
    return mask_and(on, due);
}

/* The watch at the beginning of a step of the lanes of `on`. Returns whether the workspace was used for something else. */
LANE_FUNCTION int sarrus_passage_watch(sarrus_evaluation *ev, const sarrus_passage *lanes, mask on, const sarrus_station *from) {
    const mask due = sarrus_passage_is_due(ev, lanes, on, from->near[0]);
    const real was_on = lane_at(lanes->is_on, 0);
    const int has_looked = mask_any(due) ? sarrus_passage_go(ev, lanes, due, from) : 0;
    const mask is_over = real_lt(lane_at(lanes->is_on, 0), was_on); /* all rows are in view again */
    sarrus_lane_set(lanes->closeness, on, real_select(is_over, from->near[1], from->near[0]));
    sarrus_lane_set(lanes->second, on, from->near[2]);
    sarrus_lane_set(lanes->all, on, from->near[1]);
    return has_looked;
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
    const real zero = real_set(0.0), x = sarrus_distance(mech, lane_at(lanes->closeness, 0));
    const mask is_on = real_lt(zero, lane_at(lanes->is_on, 0)), is_bend = real_lt(zero, lane_at(lanes->is_bend, 0));
    if (!mech->is_judged || !mask_any(is_on))
        return mask_none();
    const real open = lane_at(ev->tile, mech->layout.verdict.violation) * real_set(1.0 / mech->violation_unit);
    real goal = real_select(sarrus_is_crossing(ev), real_set(SARRUS_CROSSING_OPEN), real_set(SARRUS_NO_LIMIT));
    goal = real_select(is_bend, real_set(SARRUS_BEND_OPEN) * (x * x), goal);
    mask lost = mask_or(real_lt(goal, open), real_lt(real_set(SARRUS_PARKED_LONG), lane_at(lanes->parked, 0)));
    lost = mask_or(lost, mask_and(is_bend, real_lt(x, real_set(mech->weak_distance))));
    return mask_and(is_on, lost);
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

/* distance/rate, 1e300 s where that is without bounds. */
LANE_FUNCTION real sarrus_bend_share(const sarrus_mechanism *mech, real closeness, real rate) {
    const mask is_limited = real_lt(real_set(0.0), rate);
    return real_select(is_limited, sarrus_distance(mech, closeness) / real_select(is_limited, rate, real_set(1.0)),
                       real_set(1e300));
}

/* The longest step that a bend allows, 1e300 s outside of one. */
LANE_FUNCTION real sarrus_bend_step(const sarrus_evaluation *ev, const sarrus_passage *lanes, real share) {
    const mask is_bend = real_lt(real_set(0.0), lane_at(lanes->is_bend, 0));
    if (!mask_any(is_bend))
        return real_set(1e300);
    const real nearest = sarrus_bend_share(sarrus_plan_of(ev), lane_at(lanes->closeness, 0), lane_at(lanes->rate, 0));
    /* Beside a change point a motion may run into another one. */
    const real second = sarrus_bend_share(sarrus_plan_of(ev), lane_at(lanes->second, 0), lane_at(lanes->second_rate, 0));
    return real_select(is_bend, share * real_min(nearest, second), real_set(1e300));
}

#endif

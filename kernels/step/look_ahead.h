/* The look ahead of a lane that comes near a change point, in two parts:
 *
 *   1. Along its motion, q + τv + ½τ²a brought back onto the constraints, half or three quarters of the way each time, until the
 *      distance has come down to 3e-4 (or rises: a bend). The distance by the plan's rows of a redundant loop is no straight line,
 *      and half of the way may be more than all of it: where it rises the lane goes back and makes half of the move.
 *   2. At the place where it would be zero, the rows whose pivots are refused there sit out and the others are closed. What stays
 *      open of a row, c, is by how much the mechanism misses its change point: a length, known to ε. A row with c at round-off is
 *      crossed; one that stays open makes a bend. */
#ifndef SARRUS_STEP_LOOK_AHEAD_H
#define SARRUS_STEP_LOOK_AHEAD_H

#include "kernels/step/passage.h"

/* The longest move of a look ahead, rad or that part of the mechanism's size. */
#define SARRUS_LOOK_FAR 0.3
/* Where a look ahead decides, and how many moves it makes to get there. */
#define SARRUS_LOOK_NEAR 3e-4
#define SARRUS_LOOK_MOVES 16
/* How often a lane goes back, and what it may take more moves for. */
#define SARRUS_LOOK_BACK 5
#define SARRUS_LOOK_MOVES_BACK 24
/* The distance falls along a straight line from here on. */
#define SARRUS_LOOK_STRAIGHT 0.05
/* What is left of the distance there where it would be zero. */
#define SARRUS_LOOK_THERE 0.05
/* A distance that only an exact change point has: the square root of round-off, with a margin. */
#define SARRUS_DISTANCE_NOISE 3e-7
/* c is round-off up to so many ε of the coordinates. A bend of δ ≥ 1e-12 in a mechanism of unit size is a hundred times that. */
#define SARRUS_OPEN_NOISE (48.0 * 2.220446049250313e-16)
/* What part a row has in another one that is made of it and others: round-off has less. */
#define SARRUS_LOOK_PART 1e-6
/* A bend that keeps this far away is left to the control of errors. */
#define SARRUS_BEND_WIDE 0.1
/* A passage is over where the distance is again what it was when it began, at least this. */
#define SARRUS_PASSAGE_ENTRY 0.05

/* A look ahead on its way: the place that has been reached stands in ws->sum_q, ws->sum_v. */
typedef struct sarrus_look {
    mask open;  /* on their way */
    mask ready; /* as near as they need to be */
    real t;     /* s, of the place */
    real x;     /* distance there */
    real least; /* the smallest distance met */
    real left;  /* s from there to where the distance would be zero */
    real rate;  /* 1/s, the largest met */
    /* Where the plan has dependent rows, a lane that is not at its first place may go back to the one before. */
    real before; /* s, of that place */
    real most;   /* s, of the nearest place where the distance was seen to rise */
    real n_back; /* how often it may still go back */
} sarrus_look;

/* Sees to it that ws->closeness is that of the rows in the workspace, after an acceleration. Dense methods have no factor: theirs
 * is made here. */
LANE_FUNCTION void sarrus_closeness_take(sarrus_evaluation *ev) {
    if (sarrus_plan_of(ev)->solve != SARRUS_SOLVE_AUTO && !ev->is_factored)
        sarrus_correct_projection(ev, ev->ws->rhs, ev->healthy, ev->ws->z_other);
}

/* The distance that the last factor tells. */
LANE_FUNCTION real sarrus_look_distance(const sarrus_evaluation *ev) {
    return sarrus_distance(frame_at(ev->ws->closeness, 0));
}

/* How long it takes to change the configuration by `way` radians, or that much of the mechanism's size. */
LANE_BODY real sarrus_look_time(const sarrus_evaluation *ev, real way) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    const sarrus_workspace *ws = ev->ws;
    const real speed = sarrus_speed_of(mech, ws->sum_v), pull = sarrus_speed_of(mech, ws->a);
    return real_min(way / real_max(speed + real_sqrt(way * pull), real_set(1e-30)), real_set(1.0));
}

/* ws->q, ws->v ← q ⊞ (τv + ½τ²a), v + τa from the place that has been reached. */
LANE_BODY void sarrus_look_move(sarrus_evaluation *ev, real tau) {
    sarrus_workspace *ws = ev->ws;
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    const real half = real_set(0.5) * tau;
    for (int32_t i = 0; i < mech->n_q; ++i)
        lane_at(ws->q, i) = lane_at(ws->sum_q, i);
    for (int32_t i = 0; i < mech->n_v; ++i)
        lane_at(ws->v, i) = real_fma(half, lane_at(ws->a, i), lane_at(ws->sum_v, i));
    sarrus_state_move(mech, tau, ws->v, mask_not(mask_none()), ws->q);
    for (int32_t i = 0; i < mech->n_v; ++i)
        lane_at(ws->v, i) = real_fma(tau, lane_at(ws->a, i), lane_at(ws->sum_v, i));
    ev->is_configured = ev->is_factored = 0;
}

/* At the place that has been reached: the acceleration into ws->a, the distance, and by a short move how fast it falls. */
LANE_BODY real sarrus_look_measure(sarrus_evaluation *ev, const sarrus_look *look, real *rate) {
    sarrus_workspace *ws = ev->ws;
    ev->is_configured = ev->is_factored = 0;
    sarrus_accelerate(ev, look->t, ws->sum_q, ws->sum_v, ws->a);
    const real near = frame_at(ws->closeness, 0), x = sarrus_look_distance(ev);
    const real short_move = sarrus_look_time(ev, real_set(1e-3) * x);
    sarrus_look_move(ev, short_move);
    sarrus_evaluate_rows(ev, look->t + short_move, ws->q, ws->v);
    sarrus_correct_projection(ev, ws->phi, look->open, ws->z_other);
    *rate = (x - sarrus_look_distance(ev)) / short_move;
    *rate = real_select(sarrus_closeness_is_alike(sarrus_plan_of(ev), near, frame_at(ws->closeness, 0)), *rate, look->rate);
    return x;
}

/* Lanes of `risen` may have leapt a change point by their last move: those that may still go back do so, to where they came from,
 * and go no farther from there than half of that way. Returns them. */
LANE_BODY mask sarrus_look_back(sarrus_evaluation *ev, sarrus_look *look, mask risen) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    sarrus_workspace *ws = ev->ws;
    if (mech->factor.n_dependent == 0)
        return mask_none();
    const mask back = mask_and(mask_and(risen, real_lt(real_set(0.0), look->n_back)), real_lt(look->before, look->t));
    if (!mask_any(back))
        return back;
    sarrus_lanes_copy(back, ws->back_q, mech->n_q, ws->sum_q);
    sarrus_lanes_copy(back, ws->back_v, mech->n_v, ws->sum_v);
    look->most = real_select(back, look->t, look->most);
    look->t = real_select(back, look->before, look->t);
    look->n_back = real_select(back, look->n_back - real_set(1.0), look->n_back);
    return back;
}

/* What there is to be seen from the place that has been reached: when the distance would be zero. Lanes whose distance does not
 * fall have seen the least of it, but for those that go back, which are returned. By the pivots it also rises behind a place where
 * only the plan's rows depend on one another, with the change point still to come: from there on such a lane asks all rows. */
LANE_BODY mask sarrus_look_around(sarrus_evaluation *ev, sarrus_look *look) {
    real rate, x = sarrus_look_measure(ev, look, &rate);
    mask falls = mask_and(look->open, real_lt(real_set(0.0), rate));
    const mask rises = mask_and(look->open, mask_not(mask_or(falls, ev->asks_all)));
    if (sarrus_plan_of(ev)->factor.n_dependent > 0 && mask_any(rises)) {
        ev->asks_all = mask_or(ev->asks_all, rises);
        x = sarrus_look_measure(ev, look, &rate);
        falls = mask_and(look->open, real_lt(real_set(0.0), rate));
    }
    const mask back = sarrus_look_back(ev, look, mask_and(look->open, mask_not(falls)));
    const mask here = mask_and(look->open, mask_not(back));
    look->x = real_select(here, x, look->x);
    look->least = real_select(here, real_min(x, look->least), look->least);
    look->left = real_select(falls, x / real_select(falls, rate, real_set(1.0)), look->left);
    look->rate = real_select(falls, real_max(rate, look->rate), look->rate);
    look->open = falls;
    return back;
}

/* A move of the lanes of look->open: half of the way that is left, three quarters once the line is straight; half of it to where
 * the distance was seen to rise. */
LANE_BODY void sarrus_look_go(sarrus_evaluation *ev, sarrus_look *look) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    sarrus_workspace *ws = ev->ws;
    const real share = real_select(real_lt(look->x, real_set(SARRUS_LOOK_STRAIGHT)), real_set(0.75), real_set(0.5));
    const real wanted = real_min(share * look->left, real_set(0.5) * (look->most - look->t));
    const real move = real_min(wanted, sarrus_look_time(ev, real_set(SARRUS_LOOK_FAR)));
    sarrus_look_move(ev, move);
    sarrus_project_positions(ev, look->t + move, sarrus_project_goal(ev, ws->q), 4, look->open, ws->q, ws->v);
    sarrus_project_velocities(ev, look->open, ws->v);
    if (mech->factor.n_dependent > 0) {
        sarrus_lanes_copy(look->open, ws->sum_q, mech->n_q, ws->back_q);
        sarrus_lanes_copy(look->open, ws->sum_v, mech->n_v, ws->back_v);
    }
    sarrus_lanes_copy(look->open, ws->q, mech->n_q, ws->sum_q);
    sarrus_lanes_copy(look->open, ws->v, mech->n_v, ws->sum_v);
    look->before = real_select(look->open, look->t, look->before);
    look->t = real_select(look->open, look->t + move, look->t);
}

/* Looks around, and moves on. */
LANE_BODY void sarrus_look_once(sarrus_evaluation *ev, sarrus_look *look) {
    const mask back = sarrus_look_around(ev, look);
    const mask near = real_lt(look->x, real_set(SARRUS_LOOK_NEAR));
    look->ready = mask_or(look->ready, mask_and(look->open, near));
    look->open = mask_and(look->open, mask_not(near));
    if (mask_any(look->open))
        sarrus_look_go(ev, look);
    look->open = mask_or(look->open, back);
}

/* Round-off of a row's Φ: some ε of the coordinates that it is made of. */
LANE_BODY real sarrus_open_noise(const sarrus_evaluation *ev, const real *q, int is_angle) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    real length = real_set(mech->size), angle = real_set(1.0);
    sarrus_state_extent(mech, ev->parameter, ev->ws, q, &length, &angle);
    length = real_max(angle * real_set(mech->size), length);
    return real_set(SARRUS_OPEN_NOISE) * (is_angle ? angle : length);
}

/* The square of the noise of row k of the factor as row i feels it: its multiplier, w_k, times the noise. */
LANE_FUNCTION real sarrus_open_part(const sarrus_evaluation *ev, int32_t k, const real *noise) {
    const real part = frame_at(ev->ws->multiplier, k) * noise[sarrus_plan_of(ev)->row[k].kind == SARRUS_ROW_ANGLE];
    return part * part;
}

/* Round-off of what stays open of row i when the standing rows R are closed: w of J_i = Σ_k w_k J_k, as it is where the row is
 * lost, tells what is left of the round-off of these in it, so
 *   noise = max(noise_i, √(Σ_k w_k² noise_k²)/16),   w = (J_R M⁻¹ J_Rᵀ)⁻¹ J_R M⁻¹ J_iᵀ.
 * Rows that hold one another badly make large w, such as the ones that the plan has chosen of a redundant loop: up to 1,000 in
 * parallelograms in space (python.exact_crossings), of which 1/50 of the root has been seen in c. */
LANE_BODY real sarrus_open_noise_of_row(sarrus_evaluation *ev, int32_t i, const real *noise) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    sarrus_workspace *ws = ev->ws;
    real sum = real_set(0.0);
    sarrus_rows_complete(ws);
    sarrus_row_weigh(mech, ev->parameter, ws, i, ws->apart);
    PLAN_EACH (k, 0, mech->m)
        frame_at(ws->apart_rhs, k) = real_set(0.0);
    sarrus_rows_subtract(mech, ws, ws->apart_rhs, ws->apart, ws->apart_rhs);
    (void)sarrus_correct_fast(ev, ws->apart_rhs);
    PLAN_RUNS(FACTORED, k, lap, 0, mech->factor.n_rows,
              sum = sum + sarrus_open_part(ev, PLAN_INDEX(PLAN_AT(mech, row, k, lap)), noise))
    return real_max(real_set(1.0 / 16.0) * real_sqrt(sum), noise[mech->row[i].kind == SARRUS_ROW_ANGLE]);
}

/* Lanes in which row i is one of speeds, or is made of such rows among others: |w_k| above round-off, after its noise was asked
 * for. */
LANE_FUNCTION mask sarrus_look_sees_speeds(const sarrus_evaluation *ev, int32_t i) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    mask sees = sarrus_row_holds_speed(mech, i) ? mask_not(mask_none()) : mask_none();
    PLAN_EACH (k, 0, mech->m) {
        if (k != i && sarrus_row_holds_speed(mech, k))
            sees = mask_or(sees, real_lt(real_set(SARRUS_LOOK_PART), real_abs(frame_at(ev->ws->multiplier, k))));
    }
    return sees;
}

/* Row i of the mechanism, element `at` in elimination order, in the lanes of `ready`: refused at the change point and closed to
 * round-off it is crossed; refused and open it makes a bend. A row of speeds has no Φ that would tell, and no manifold that motions
 * would all cross at the same place: they come by it, each at a distance of its own, however small. Returns the lanes where it was
 * refused. */
LANE_BODY mask sarrus_look_judge_row(sarrus_evaluation *ev, const sarrus_passage *lanes, int32_t i, int32_t at, mask ready,
                                     const real *noise, mask *is_open) {
    const mask refused = mask_and(ready, real_eq(frame_at(ev->ws->inverse, at), real_set(0.0)));
    if (!mask_any(refused))
        return refused;
    mask closed = real_le(real_abs(frame_at(ev->ws->phi, i)), sarrus_open_noise_of_row(ev, i, noise));
    if (sarrus_holds_speeds(sarrus_plan_of(ev)))
        closed = mask_and(closed, mask_not(sarrus_look_sees_speeds(ev, i)));
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
    /* From within a bend the straight way ahead stays near the constraints for a while, but does not come to a change point. */
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
    const real *rows;              /* ... of each row of the factor, of lanes in a passage */
} sarrus_station;

/* The place that the rows in the workspace are of. */
LANE_FUNCTION sarrus_station sarrus_station_here(const sarrus_evaluation *ev, real t, real h, const real *q, const real *v) {
    const sarrus_station here = {t,
                                 h,
                                 q,
                                 v,
                                 {frame_at(ev->ws->closeness, 0), frame_at(ev->ws->closeness, 1)},
                                 lane_from(ev->tile, sarrus_plan_of(ev)->layout.passage.row_seen)};
    return here;
}

/* The lanes of `on` look ahead. Uses most of the workspace. */
LANE_PHASE void sarrus_look_ahead(sarrus_evaluation *ev, const sarrus_passage *lanes, mask on, const sarrus_station *from) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    sarrus_workspace *ws = ev->ws;
    const mask healthy = ev->healthy, is_swapped = ev->is_swapped;
    const real x = sarrus_distance(from->near[0]);
    const mask is_there = mask_and(on, real_lt(x, real_set(SARRUS_DISTANCE_NOISE)));
    sarrus_look look;
    look.open = mask_and(on, mask_not(is_there));
    look.ready = is_there;
    look.t = from->t;
    look.x = look.least = x;
    look.left = look.rate = real_set(0.0);
    look.before = look.t;
    look.most = real_set(1e300);
    look.n_back = real_set(SARRUS_LOOK_BACK);
    for (int32_t i = 0; i < mech->n_q; ++i)
        lane_at(ws->sum_q, i) = lane_at(from->q, i);
    for (int32_t i = 0; i < mech->n_v; ++i)
        lane_at(ws->sum_v, i) = lane_at(from->v, i);
    ev->healthy = on;
    ev->wants_closeness = ev->is_looking = 1;
    const int n_moves = SARRUS_LOOK_MOVES + (mech->factor.n_dependent > 0 ? SARRUS_LOOK_MOVES_BACK : 0);
    for (int k = 0; k < n_moves && mask_any(look.open); ++k)
        sarrus_look_once(ev, &look);
    mask bend = mask_and(mask_and(on, mask_not(look.ready)), real_lt(look.least, real_set(SARRUS_BEND_WIDE)));
    if (mask_any(look.ready))
        bend = mask_or(bend, sarrus_look_decide(ev, lanes, &look));
    ev->healthy = healthy;
    ev->is_swapped = is_swapped;
    ev->asks_all = mask_none();
    ev->is_looking = 0;
    const mask was_off = mask_and(on, real_eq(lane_at(lanes->is_on, 0), real_set(0.0)));
    sarrus_lane_set(lanes->entry, was_off, real_max(x, real_set(SARRUS_PASSAGE_ENTRY)));
    sarrus_lane_set(lanes->rate, was_off, real_set(0.0));
    sarrus_lane_set(lanes->rate, on, real_max(look.rate, lane_at(lanes->rate, 0)));
    sarrus_lane_set(lanes->is_on, on, real_set(1.0));
    sarrus_lane_set(lanes->is_bend, on, real_select(bend, real_set(1.0), real_set(0.0)));
    sarrus_lane_set(lanes->looked, on, x);
    sarrus_crossings_show(ev);
    ev->is_configured = ev->is_factored = 0;
}

#endif

/* Stretches: steps of rk4 in which nothing out of the ordinary happens, one after another with the state in local arrays.
 *
 * Almost all steps are such. Kernels that are specialised as straight code make them in one piece: four accelerations in a loop
 * that is not unrolled, the state, its sums and what a lane is judged by in registers or close by, and nothing of the tile written
 * before the stretch ends. On a device, where every thread has a tile's lane and a multiprocessor 1 KiB of first-level cache a
 * thread, it is the difference between waiting for memory and computing (docs/cuda.md).
 *
 * The operations are those of fixed.h, rk4.h, project.h and verdict.h in the same order, so a stretch gives the same bits. What
 * would take another way there ends the stretch before that step, and fixed.h makes it from the state where it begins: rows in
 * doubt or near dependence, a passage by a change point, a step to be made in parts, a limit that is broken, a number that is
 * none. */
#ifndef SARRUS_STEP_STRETCH_H
#define SARRUS_STEP_STRETCH_H

#include "kernels/step/change_point.h"
#include "kernels/step/control.h"
#include "kernels/step/rk4.h"
#include "kernels/step/single.h"
#include "kernels/step/verdict.h"

/* Steps that are made one by one after a stretch has come to nothing, before the next one is tried. */
#define SARRUS_STRETCH_REST 16

#if defined(SARRUS_CONSTANT_PLAN) && !defined(SARRUS_PLAN_IN_RUNS) && !defined(SARRUS_KERNELS_SPATIAL)

/* Whether M is never put together. */
LANE_FUNCTION int sarrus_stretch_is_articulated(const sarrus_mechanism *mech) {
#if defined(SARRUS_KERNELS_RELATIVE)
    return mech->tree.is_articulated || mech->tree.is_recursive;
#else
    (void)mech;
    return 0;
#endif
}

/* Speeds up to which the lanes of a processor gain by stretches: five-bars, Andrews' mechanism and four loops in a chain do, by 1.1
 * to 2 times; six loops in a chain, 39 speeds, lose a quarter: a stretch holds more at once than a phase. */
#define SARRUS_STRETCH_SPEEDS 30

/* Whether the plan's steps may be made in stretches: by the factor alone, with speeds that are the rates of the coordinates. */
LANE_FUNCTION int sarrus_stretches_fit(const sarrus_mechanism *mech) {
    return (LANE_IS_THREAD || mech->n_v <= SARRUS_STRETCH_SPEEDS) && mech->integrator.method == SARRUS_INTEGRATOR_RK4 &&
           mech->solve == SARRUS_SOLVE_AUTO && mech->n_lacking == 0 && !mech->integrator.has_step_gains && mech->n_free == 0 &&
           mech->n_curves == 0 && !sarrus_stretch_is_articulated(mech);
}

/* Whether states and the speeds of stages are put onto the constraints. */
LANE_FUNCTION int sarrus_stretch_is_closed(const sarrus_mechanism *mech) {
    return mech->project == SARRUS_PROJECTION_EVERY_STEP && mech->m > 0;
}

/* Sums are touched once a stage. A device's multiprocessor hands every store to local memory on to the second-level cache, whose
 * bandwidth then is what bounds the rate, but has memory of its own that threads share: there they stand, if that of as many
 * blocks as are to be held at once has room for them. */
enum { SARRUS_STRETCH_SUMS = SARRUS_PLAN_N_COORDINATES + 2 * SARRUS_PLAN_N_SPEEDS };
enum { SARRUS_STRETCH_CARRY = LANE_IS_SINGLE ? SARRUS_PLAN_N_COORDINATES + SARRUS_PLAN_N_SPEEDS : 1 };
#if LANE_IS_THREAD
#define SARRUS_STRETCH_BYTES                                                                                                       \
    ((LANE_IS_SINGLE ? 4 : 8) * SARRUS_BLOCK_THREADS * (SARRUS_PLAN_N_COORDINATES + 2 * SARRUS_PLAN_N_SPEEDS))
#define SARRUS_SUMS_ARE_SHARED (SARRUS_STRETCH_BYTES <= 48 * 1024 && SARRUS_STRETCH_BYTES * SARRUS_BLOCKS <= 144 * 1024)
#else
#define SARRUS_SUMS_ARE_SHARED 0
#endif
#if SARRUS_SUMS_ARE_SHARED
#define STRETCH_STRIDE SARRUS_BLOCK_THREADS
#else
#define STRETCH_STRIDE 1
#endif
#define stretch_at(array, i) ((array)[(size_t)(i)*STRETCH_STRIDE])

/* What changes from step to step. The fields stand for those of the tile by the same names. */
typedef struct sarrus_stretch {
    real q[SARRUS_PLAN_N_COORDINATES], v[SARRUS_PLAN_N_SPEEDS];             /* where a step begins */
    real stage_q[SARRUS_PLAN_N_COORDINATES], stage_v[SARRUS_PLAN_N_SPEEDS]; /* of a stage, then of the end */
    real a[SARRUS_PLAN_N_SPEEDS];                                           /* of this stage */
    real *sum_q, *sum_v, *before;  /* [n_q], [n_v], [n_v] sums of the stages, and the acceleration of the one before */
    real sum_w, spread2;           /* W, J: rk4.h's sum_w[0] and [2] */
    real near[SARRUS_N_CLOSENESS]; /* closeness where the step begins */
    mask force_is_finite, on;
#define SARRUS_VERDICT_FIELD(name, ...) real name;
#include "sarrus/field.def"
    real closeness, is_on, stride;
    real past; /* s, the length of the step before */
    real carry[SARRUS_STRETCH_CARRY],
        rest[SARRUS_STRETCH_CARRY]; /* of q and v where the step begins, and where it ends (carry.h) */
} sarrus_stretch;

/* The fields by which a lane is judged, in place of those of the tile. */
LANE_FUNCTION void sarrus_stretch_verdict(sarrus_stretch *s, sarrus_verdict *lanes) {
#define SARRUS_VERDICT_FIELD(name, ...) lanes->name = &s->name;
#include "sarrus/field.def"
}

/* Lanes of a tile that begin an ordinary step as far as can be told without making it. */
LANE_FUNCTION mask sarrus_stretch_may_begin(const sarrus_evaluation *ev) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    const sarrus_passage_layout *passage = &mech->layout.passage;
    const sarrus_verdict_layout *verdict = &mech->layout.verdict;
    const real *tile = ev->tile, zero = real_set(0.0), balance = lane_at(tile, verdict->balance);
    const real rank = lane_at(tile, mech->layout.rank), marks = lane_at(tile, passage->is_on) + lane_at(tile, passage->is_bend);
    mask may = real_eq(marks + lane_at(tile, passage->part) + lane_at(tile, passage->swapped), zero);
    may = mask_and(may, real_eq(lane_at(tile, mech->layout.rank_now), rank));
    may = mask_and(may, mask_not(real_eq(balance, real_set(SARRUS_NO_LIMIT))));
    may = mask_and(may, mask_not(real_lt(real_set(mech->limit_error), lane_at(tile, verdict->error))));
    if (mech->m > 0)
        may = mask_and(may, real_eq(rank, real_set((real_scalar)mech->factor.n_independent)));
    return may;
}

LANE_FUNCTION void sarrus_stretch_load(const sarrus_evaluation *ev, sarrus_stretch *s) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    const real *q = lane_from(ev->tile, mech->layout.q), *v = lane_from(ev->tile, mech->layout.v);
    PLAN_EACH (i, 0, mech->n_q)
        s->q[i] = s->stage_q[i] = lane_at(q, i);
    PLAN_EACH (i, 0, mech->n_v)
        s->v[i] = s->stage_v[i] = lane_at(v, i);
#define SARRUS_VERDICT_FIELD(name, ...) s->name = lane_at(ev->tile, mech->layout.verdict.name);
#include "sarrus/field.def"
    s->closeness = lane_at(ev->tile, mech->layout.passage.closeness);
    s->past = lane_at(ev->tile, mech->layout.passage.stride);
    PLAN_EACH (i, 0, LANE_IS_SINGLE ? mech->n_q + mech->n_v : 0)
        s->carry[i] = lane_at(sarrus_carry_of(ev), i);
    s->near[0] = s->near[1] = s->is_on = real_set(0.0);
}

LANE_FUNCTION void sarrus_stretch_place(real *sums, sarrus_stretch *s) {
    s->sum_q = sums;
    s->sum_v = &stretch_at(sums, SARRUS_PLAN_N_COORDINATES);
    s->before = &stretch_at(sums, SARRUS_PLAN_N_COORDINATES + SARRUS_PLAN_N_SPEEDS);
}

/* The fields that ordinary steps write, after n of them. */
LANE_FUNCTION void sarrus_stretch_store(const sarrus_evaluation *ev, const sarrus_stretch *s, uint64_t n) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    const sarrus_tile_layout *layout = &mech->layout;
    real *q = lane_from(ev->tile, layout->q), *v = lane_from(ev->tile, layout->v);
    PLAN_EACH (i, 0, mech->n_q)
        lane_at(q, i) = real_select(s->on, s->q[i], lane_at(q, i));
    PLAN_EACH (i, 0, mech->n_v)
        lane_at(v, i) = real_select(s->on, s->v[i], lane_at(v, i));
#define SARRUS_VERDICT_FIELD(name, ...) sarrus_lane_set(lane_from(ev->tile, layout->verdict.name), s->on, s->name);
#include "sarrus/field.def"
    PLAN_EACH (i, 0, LANE_IS_SINGLE ? mech->n_q + mech->n_v : 0)
        sarrus_lane_set(lane_from(sarrus_carry_of(ev), i), s->on, s->carry[i]);
    if (mech->is_watched) {
        sarrus_lane_set(lane_from(ev->tile, layout->passage.closeness), s->on, s->closeness);
        sarrus_lane_set(lane_from(ev->tile, layout->passage.all), s->on, s->near[1]);
    }
    sarrus_lane_set(lane_from(ev->tile, layout->passage.stride), s->on, s->stride);
    sarrus_count(ev, layout->n_steps, (real_scalar)n, s->on);
    sarrus_count(ev, layout->n_evaluations, 4.0 * (real_scalar)n, s->on);
}

/* Lanes of a fresh factor whose rows may be near dependence (sarrus_closeness_is_near). */
LANE_FUNCTION mask sarrus_stretch_comes_near(const sarrus_evaluation *ev) {
    if (LANE_IS_SINGLE || !sarrus_closeness_asks_rows(sarrus_plan_of(ev)))
        return mask_none();
    return real_lt(real_set(SARRUS_CLOSENESS_NEAR), frame_at(ev->ws->closeness, 1));
}

/* After the first acceleration, whose a_f is in the workspace. */
LANE_FUNCTION void sarrus_stretch_look_at_force(const sarrus_evaluation *ev, sarrus_stretch *s) {
    real zero = real_set(0.0);
    PLAN_EACH (i, 0, sarrus_plan_of(ev)->n_v)
        zero = real_fma(frame_at(ev->ws->force, i), real_set(0.0), zero); /* NaN from any NaN or ∞ */
    s->force_is_finite = real_eq(zero, real_set(0.0));
}

/* With the first factor of a step of length h from time t: the lanes in which something is out of the ordinary where it begins. */
LANE_FUNCTION mask sarrus_stretch_look(const sarrus_evaluation *ev, sarrus_stretch *s, real t, real h) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    s->near[0] = frame_at(ev->ws->closeness, 0);
    s->near[1] = frame_at(ev->ws->closeness, 1);
    const mask is_near = sarrus_stretch_comes_near(ev);
    if (!mech->is_watched)
        return is_near;
    sarrus_verdict verdict;
    sarrus_passage passage;
    sarrus_stretch_verdict(s, &verdict);
    sarrus_nearest_note(&verdict, s->on, t, s->near[1]);
    if (LANE_IS_SINGLE)
        return sarrus_single_is_near(mech, s->closeness, s->near[0], s->past, h);
    passage.closeness = &s->closeness;
    passage.is_on = &s->is_on;
    return mask_or(is_near, sarrus_passage_is_due(&passage, s->on, s->near[0]));
}

/* sarrus_rk4_spread after the third stage. */
LANE_FUNCTION real sarrus_stretch_spread(const sarrus_evaluation *ev, const sarrus_stretch *s, real h) {
    real before[SARRUS_PLAN_N_SPEEDS];
    PLAN_EACH (i, 0, sarrus_plan_of(ev)->n_v)
        before[i] = stretch_at(s->before, i);
    return h * h * sarrus_state_square_here(sarrus_plan_of(ev), ev->parameter, ev->ws, s->a, before);
}

/* The new state into stage_q, stage_v. */
LANE_FUNCTION void sarrus_stretch_end(const sarrus_mechanism *mech, sarrus_stretch *s, real sixth) {
    PLAN_EACH (i, 0, mech->n_q) {
        const real rate = stretch_at(s->sum_q, i) + s->stage_v[i];
        s->stage_q[i] =
            LANE_IS_SINGLE ? sarrus_carried_sum(sixth, rate, s->q[i], s->carry[i], &s->rest[i]) : real_fma(sixth, rate, s->q[i]);
    }
    PLAN_EACH (i, 0, mech->n_v) {
        const real rate = stretch_at(s->sum_v, i) + s->a[i];
        const int32_t k = mech->n_q + i;
        s->stage_v[i] =
            LANE_IS_SINGLE ? sarrus_carried_sum(sixth, rate, s->v[i], s->carry[k], &s->rest[k]) : real_fma(sixth, rate, s->v[i]);
    }
}

/* rk4.h's end of stage k: its place among the sums, and the state of the next stage or of the end into stage_q, stage_v. */
LANE_FUNCTION void sarrus_stretch_stage(const sarrus_evaluation *ev, sarrus_stretch *s, int32_t k, const sarrus_rk4_times *at) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    const real weight = real_set(k == 0 ? 1.0 : 2.0), c = k == 2 ? at->h : at->half, sixth = at->h / real_set(6.0);
    if (k == 2 && mech->wants_error)
        s->spread2 = sarrus_stretch_spread(ev, s, at->h);
    if (mech->has_work)
        s->sum_w = k == 0   ? ev->power
                   : k == 3 ? real_fma(sixth, s->sum_w + ev->power, s->work)
                            : real_fma(real_set(2.0), ev->power, s->sum_w);
    if (k == 3) {
        sarrus_stretch_end(mech, s, sixth);
        return;
    }
    PLAN_EACH (i, 0, mech->n_q) {
        const real rate = s->stage_v[i];
        stretch_at(s->sum_q, i) = k == 0 ? rate : real_fma(weight, rate, stretch_at(s->sum_q, i));
        s->stage_q[i] = real_fma(c, rate, s->q[i]);
    }
    PLAN_EACH (i, 0, mech->n_v) {
        const real a = stretch_at(s->before, i) = s->a[i];
        stretch_at(s->sum_v, i) = k == 0 ? a : real_fma(weight, a, stretch_at(s->sum_v, i));
        s->stage_v[i] = real_fma(c, a, s->v[i]);
    }
}

/* sarrus_udwadia_kalaba_accelerate at the poses of the workspace, and with its factor where there is one, into s->a. Returns the
 * lanes whose rows are in doubt. */
LANE_FUNCTION mask sarrus_stretch_accelerate(sarrus_evaluation *ev, real t, sarrus_stretch *s, int is_factored) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    sarrus_workspace *ws = ev->ws;
    ev->is_configured = 1;
    ev->is_factored = is_factored;
    ++ev->n_evaluations;
    ev->power = real_set(0.0);
    const real power = sarrus_udwadia_kalaba_rows(ev, t, s->stage_q, s->stage_v);
    mask unusual = mask_none();
    if (mech->m == 0) {
        PLAN_EACH (i, 0, mech->n_v)
            s->a[i] = frame_at(ws->force, i);
    } else {
        unusual = sarrus_correct_by_factor(ev, ws->rhs, ws->force, s->a);
    }
    sarrus_udwadia_kalaba_observe(ev, s->stage_v, s->a, power);
    return unusual;
}

/* The time of stage k. */
LANE_FUNCTION real sarrus_stretch_time(const sarrus_rk4_times *at, int32_t k) {
    return k == 0 ? at->t : k == 3 ? at->t_end : at->t_half;
}

/* Lanes whose step does not resolve the motion by itself (sarrus_fixed_look). */
LANE_FUNCTION mask sarrus_stretch_is_coarse(const sarrus_evaluation *ev, const sarrus_stretch *s) {
    if (!sarrus_plan_of(ev)->wants_error)
        return mask_none();
    return mask_not(real_le(s->spread2, real_set(2.0 * SARRUS_SPREAD_SMALL) * s->kinetic));
}

/* Judges the state that a step has come to at time t, when ‖Φ‖ of it is known or not wanted; the lanes in which it is no ordinary
 * one are returned, the others' fields follow. */
LANE_FUNCTION mask sarrus_stretch_judge(sarrus_evaluation *ev, sarrus_stretch *s, real t) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    const real range = real_set(SARRUS_FINITE_RANGE), work = mech->has_work ? s->sum_w : s->work;
    mask is_motion = s->force_is_finite;
    PLAN_EACH (i, 0, mech->n_q)
        is_motion = mask_and(is_motion, real_le(real_abs(s->stage_q[i]), range));
    PLAN_EACH (i, 0, mech->n_v)
        is_motion = mask_and(is_motion, real_le(real_abs(s->stage_v[i]), range));
    ev->wants_violation = sarrus_judge_wants_violation(mech);
    sarrus_measure_body(ev, t, s->stage_q, s->stage_v);
    sarrus_verdict lanes;
    sarrus_stretch_verdict(s, &lanes);
    const sarrus_verdict_state here = {t, s->stage_q, s->stage_v, work, real_set(0.0), 1};
    const sarrus_judgement found = sarrus_judge_measured(ev, &lanes, s->on, &here);
    s->balance = found.balance;
    s->work = work;
    return mask_or(mask_not(is_motion), mask_or(found.is_open, found.is_unbalanced));
}

/* The state that was judged is where the next step begins. */
LANE_FUNCTION void sarrus_stretch_take(const sarrus_evaluation *ev, sarrus_stretch *s) {
    s->closeness = s->near[0];
    s->past = s->stride;
    PLAN_EACH (i, 0, LANE_IS_SINGLE ? sarrus_plan_of(ev)->n_q : 0)
        s->carry[i] = sarrus_carry_fit(s->stage_q[i], s->rest[i]);
    PLAN_EACH (i, 0, LANE_IS_SINGLE ? sarrus_plan_of(ev)->n_v : 0)
        s->carry[sarrus_plan_of(ev)->n_q + i] = sarrus_carry_fit(s->stage_v[i], s->rest[sarrus_plan_of(ev)->n_q + i]);
    PLAN_EACH (i, 0, sarrus_plan_of(ev)->n_q)
        s->q[i] = s->stage_q[i];
    PLAN_EACH (i, 0, sarrus_plan_of(ev)->n_v)
        s->v[i] = s->stage_v[i];
}

/* A stretch on its way: n_done of n_steps steps from clock time `step` on, and the corrections of theirs behind the n_before that
 * were counted before. */
typedef struct sarrus_stretch_way {
    const sarrus_clock *clock;
    uint64_t step, n_steps, n_done;
    int64_t n_before, n_counted;
} sarrus_stretch_way;

LANE_FUNCTION real sarrus_stretch_time_at(const sarrus_evaluation *ev, const sarrus_stretch_way *way, uint64_t i) {
    return sarrus_lane_time(sarrus_plan_of(ev), ev->tile, way->clock, way->step + i);
}

/* s, of the step from t, behind i steps, to t_next. */
LANE_FUNCTION real sarrus_stretch_length(const sarrus_evaluation *ev, const sarrus_stretch_way *way, uint64_t i, real t,
                                         real t_next) {
    return sarrus_lane_stride(sarrus_plan_of(ev), ev->tile, way->clock, way->step + i, t, t_next);
}

/* ---- states that are left as they come ---- */

/* The four stages of a step; the poses of its beginning are in the workspace. Returns the lanes in which it is not an ordinary
 * one. */
LANE_FUNCTION mask sarrus_stretch_stages(sarrus_evaluation *ev, sarrus_stretch *s, const sarrus_rk4_times *at) {
    mask unusual = mask_none();
    LANE_ROLLED
    for (int32_t k = 0; k < 4; ++k) {
        const real t = sarrus_stretch_time(at, k);
        if (k > 0)
            sarrus_prepare(ev, t, s->stage_q);
        ev->wants_closeness = k == 0;
        unusual = mask_or(unusual, sarrus_stretch_accelerate(ev, t, s, 0));
        if (k == 0) {
            sarrus_stretch_look_at_force(ev, s);
            unusual = mask_or(unusual, sarrus_stretch_look(ev, s, t, at->h));
        }
        sarrus_stretch_stage(ev, s, k, at);
    }
    return mask_or(unusual, sarrus_stretch_is_coarse(ev, s));
}

/* ‖Φ‖ of the new state, where the plan projects what exceeds a tolerance; lanes in which it does. */
LANE_FUNCTION mask sarrus_stretch_is_open(sarrus_evaluation *ev, const sarrus_stretch *s, real t) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    ev->is_configured = 0;
    if (mech->m == 0)
        ev->state_violation = real_set(0.0);
    if (mech->m == 0 || mech->project != SARRUS_PROJECTION_TOLERANCE)
        return mask_none();
    sarrus_evaluate_rows_body(ev, t, s->stage_q, s->stage_v);
    ev->state_violation = sarrus_rows_norm(mech, ev->ws->phi);
    return mask_not(real_le(ev->state_violation, real_set(mech->project_tolerance)));
}

LANE_FUNCTION void sarrus_stretch_open(sarrus_evaluation *ev, sarrus_stretch_way *way, sarrus_stretch *now) {
    real t = sarrus_stretch_time_at(ev, way, 0);
    sarrus_configure(ev, t, now->q);
    LANE_ROLLED
    while (way->n_done < way->n_steps && !lane_is_stopped(ev->stop)) {
        const real t_next = sarrus_stretch_time_at(ev, way, way->n_done + 1);
        const sarrus_rk4_times at = sarrus_rk4_times_of(t, sarrus_stretch_length(ev, way, way->n_done, t, t_next));
        sarrus_stretch next = *now;
        next.stride = at.h;
        mask unusual = sarrus_stretch_stages(ev, &next, &at);
        unusual = mask_or(unusual, sarrus_stretch_is_open(ev, &next, t_next));
        unusual = mask_or(unusual, sarrus_stretch_judge(ev, &next, t_next));
        if (mask_any(mask_and(next.on, unusual)))
            break;
        sarrus_stretch_take(ev, &next);
        *now = next;
        t = t_next;
        ++way->n_done;
        way->n_counted = ev->n_evaluations - way->n_before;
    }
}

/* ---- states and speeds of stages on the constraints ---- */

/* sarrus_udwadia_kalaba_project by a fresh factor. Returns the lanes of `active` in which something is out of the ordinary. */
LANE_FUNCTION mask sarrus_stretch_project(sarrus_evaluation *ev, const real *rhs, mask active, real *out) {
    const mask slow = sarrus_project_by_factor(ev, rhs, active, out);
    return ev->wants_closeness ? mask_or(slow, sarrus_stretch_comes_near(ev)) : slow;
}

/* sarrus_project_velocities of a stage, or of the state that a step has come to, in the lanes of `on`. */
LANE_FUNCTION mask sarrus_stretch_close_speeds(sarrus_evaluation *ev, sarrus_stretch *s, mask on) {
    real x[SARRUS_PLAN_N_SPEEDS];
    const mask unusual = sarrus_stretch_project(ev, ev->ws->phi_dot, s->on, x);
    PLAN_EACH (i, 0, sarrus_plan_of(ev)->n_v)
        s->stage_v[i] = real_select(on, s->stage_v[i] - x[i], s->stage_v[i]);
    return unusual;
}

/* sarrus_project_positions of the state that a step has come to. */
LANE_FUNCTION mask sarrus_stretch_close_positions(sarrus_evaluation *ev, sarrus_stretch *s, real t) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    const real goal = sarrus_round_off(ev, s->stage_q, 1);
    mask open = s->on, unusual = mask_none();
    ev->wants_closeness = 1;
    LANE_ROLLED
    for (int32_t iteration = 0; iteration <= 2; ++iteration) {
        real x[SARRUS_PLAN_N_SPEEDS];
        sarrus_evaluate_rows_body(ev, t, s->stage_q, s->stage_v);
        ev->state_violation = sarrus_rows_norm(mech, ev->ws->phi);
        open = mask_and(open, mask_not(real_le(ev->state_violation, goal)));
        if (iteration == 2 || !mask_any(open))
            break;
        unusual = mask_or(unusual, mask_and(open, sarrus_stretch_project(ev, ev->ws->phi, open, x)));
        PLAN_EACH (i, 0, mech->n_v) {
            if (sarrus_state_is_turn(mech, i))
                unusual = mask_or(unusual, mask_and(open, real_lt(real_set(SARRUS_PROJECT_TURN), real_abs(x[i]))));
            s->stage_q[i] = real_select(open, real_fma(real_set(-1.0), x[i], s->stage_q[i]), s->stage_q[i]);
        }
    }
    return unusual;
}

/* The state in stage_q, stage_v, behind i steps, with its rows in the workspace: its speeds are closed, it is judged and kept. The
 * first one is where the stretch begins, of which the factor alone is wanted. Returns whether a step is to be made from there; h is
 * its length. */
LANE_FUNCTION int sarrus_stretch_arrive(sarrus_evaluation *ev, sarrus_stretch_way *way, uint64_t i, real h, sarrus_stretch *s,
                                        sarrus_stretch *now) {
    const real t = sarrus_stretch_time_at(ev, way, i);
    mask unusual = sarrus_stretch_close_speeds(ev, s, i > 0 ? s->on : mask_none());
    if (i > 0) {
        unusual = mask_or(unusual, sarrus_stretch_judge(ev, s, t));
        if (mask_any(mask_and(s->on, unusual)))
            return 0;
        sarrus_stretch_take(ev, s);
        *now = *s;
        way->n_done = i;
        way->n_counted = ev->n_evaluations - way->n_before;
    } else {
        way->n_before = ev->n_evaluations;
    }
    unusual = mask_or(unusual, sarrus_stretch_look(ev, s, t, h));
    return i < way->n_steps && !mask_any(mask_and(s->on, unusual)) && !lane_is_stopped(ev->stop);
}

LANE_FUNCTION void sarrus_stretch_closed(sarrus_evaluation *ev, sarrus_stretch_way *way, sarrus_stretch *now) {
    sarrus_stretch s = *now;
    int goes_on = 1;
    sarrus_evaluate_rows_body(ev, sarrus_stretch_time_at(ev, way, 0), s.q, s.v);
    LANE_ROLLED
    for (uint64_t i = 0; goes_on; ++i) {
        const real t_begin = sarrus_stretch_time_at(ev, way, i), t_next = sarrus_stretch_time_at(ev, way, i + 1);
        const sarrus_rk4_times at = sarrus_rk4_times_of(t_begin, sarrus_stretch_length(ev, way, i, t_begin, t_next));
        mask unusual = mask_none();
        LANE_ROLLED
        for (int32_t k = 0; k < 4; ++k) {
            const real t = sarrus_stretch_time(&at, k);
            ev->wants_closeness = k == 0;
            if (k == 0) {
                goes_on = sarrus_stretch_arrive(ev, way, i, at.h, &s, now);
                if (!goes_on)
                    break;
            } else {
                sarrus_evaluate_rows_body(ev, t, s.stage_q, s.stage_v);
                unusual = mask_or(unusual, sarrus_stretch_close_speeds(ev, &s, s.on));
            }
            unusual = mask_or(unusual, sarrus_stretch_accelerate(ev, t, &s, 1));
            if (k == 0)
                sarrus_stretch_look_at_force(ev, &s);
            sarrus_stretch_stage(ev, &s, k, &at);
        }
        if (!goes_on)
            break;
        s.stride = at.h;
        unusual = mask_or(unusual, sarrus_stretch_is_coarse(ev, &s));
        unusual = mask_or(unusual, sarrus_stretch_close_positions(ev, &s, t_next));
        goes_on = !mask_any(mask_and(s.on, unusual));
    }
}

/* Up to n_steps ordinary steps of the lanes of ev->healthy from clock time `step` on. Returns how many were made. */
LANE_PHASE uint64_t sarrus_stretch_go(sarrus_evaluation *outside, const sarrus_clock *clock, uint64_t step, uint64_t n_steps) {
    sarrus_workspace ws;
    sarrus_evaluation ev;
    sarrus_stretch now;
    sarrus_stretch_way way = {clock, step, n_steps, 0, outside->n_evaluations, 0};
#if SARRUS_SUMS_ARE_SHARED
    LANE_SHARED real sums_of_block[SARRUS_STRETCH_SUMS * SARRUS_BLOCK_THREADS];
    real *const sums = sums_of_block + lane_thread();
#else
    real sums[SARRUS_STRETCH_SUMS];
#endif
    if (mask_any(mask_and(outside->healthy, mask_not(sarrus_stretch_may_begin(outside)))))
        return 0;
    sarrus_frame_open(outside, &ws, &ev);
    sarrus_frame_directions(&ws);
    ev.is_in_stretch = 1;
    ev.is_swapped = mask_none();
    ev.crossed = (const real *)0;
    ev.is_looking = ev.sits_out = ev.sees_all_rows = 0;
    sarrus_stretch_load(outside, &now);
    sarrus_stretch_place(sums, &now);
    now.on = outside->healthy;
    if (sarrus_stretch_is_closed(&sarrus_constant_plan))
        sarrus_stretch_closed(&ev, &way, &now);
    else
        sarrus_stretch_open(&ev, &way, &now);
    if (way.n_done == 0)
        return 0;
    sarrus_stretch_store(outside, &now, way.n_done);
    outside->is_configured = outside->is_factored = 0;
    outside->is_swapped = mask_and(outside->is_swapped, mask_not(outside->healthy)); /* as a fresh factor sees to it */
    outside->n_evaluations += way.n_counted;
    return way.n_done;
}

#else

LANE_FUNCTION int sarrus_stretches_fit(const sarrus_mechanism *mech) {
    (void)mech;
    return 0;
}
LANE_FUNCTION uint64_t sarrus_stretch_go(sarrus_evaluation *outside, const sarrus_clock *clock, uint64_t step, uint64_t n_steps) {
    (void)outside;
    (void)clock;
    (void)step;
    (void)n_steps;
    return 0;
}

#endif

#endif

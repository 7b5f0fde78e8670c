/* Where the lanes go whose factor has rows in doubt: ws->z ← M^{-1/2} D⁺ rhs by doubtful_rows.h, or, when the scenario has a rank
 * rule of its own, by the SVD of all rows, on which the rule decides; and those whose rows come near dependence, to be told by all
 * rows how near a change point is (closeness_of_all.h), or by those of their joint (joint_rows.h).
 *
 * Generic kernels do it in place. Specialised kernels hold the rows in registers and hardly ever need it, so they hand the rows out
 * to the generic kernels: the same arithmetic, and nothing of it to compile. A device cannot call back (SARRUS_RANK_PATH_INSIDE):
 * there it is part of the unit, and works on the arrays that the rows are handed out to. */
#ifndef SARRUS_FORMULATION_RANK_PATH_H
#define SARRUS_FORMULATION_RANK_PATH_H

#if LANE_IS_SINGLE

#include "kernels/formulation/standing_rows.h"
enum { SARRUS_DOUBT_ACCELERATION = 0, SARRUS_DOUBT_PROJECTION = 1, SARRUS_DOUBT_NONE = 2 };

/* Floats do not tell rows in doubt apart: their lanes take what the factor gives, and end with the step (is_blurred,
 * step/single.h). Nobody comes here. */
LANE_FUNCTION void sarrus_rank_path_outside(sarrus_evaluation *ev, mask slow, int how) {
    (void)ev;
    (void)slow;
    (void)how;
}
LANE_FUNCTION sarrus_rank_decision sarrus_rank_path(sarrus_evaluation *ev, const real *rhs, mask slow, int how) {
    const sarrus_rank_decision found = {ev->max_rank, real_set(0.0), real_set(0.0)};
    (void)rhs;
    (void)slow;
    (void)how;
    return found;
}
LANE_FUNCTION void sarrus_correct_dense(sarrus_evaluation *ev, const real *rhs) {
    (void)ev;
    (void)rhs;
}

#else

#if defined(SARRUS_CONSTANT_PLAN) && !defined(SARRUS_RANK_PATH_INSIDE)
#include "kernels/formulation/standing_rows.h"
/* As doubtful_rows.h has them. */
enum { SARRUS_DOUBT_ACCELERATION = 0, SARRUS_DOUBT_PROJECTION = 1, SARRUS_DOUBT_NONE = 2 };
#else
#include "kernels/formulation/closeness_of_all.h"
#include "kernels/formulation/rank_path_dense.h"

LANE_BODY sarrus_rank_decision sarrus_rank_path_here(sarrus_evaluation *ev, const real *rhs, mask slow, int how) {
    const real zero = real_set(0.0);
    sarrus_rank_decision found = {ev->max_rank, zero, zero};
    if (how != SARRUS_DOUBT_NONE)
        found = sarrus_correct_doubtful(ev, rhs, slow, how);
    if (how != SARRUS_DOUBT_NONE && sarrus_plan_of(ev)->rank.method != SARRUS_RANK_AUTO)
        found = sarrus_correct_svd(ev, rhs, ev->max_rank, slow, ev->ws->z, (real *)0);
    sarrus_closeness_mend(ev, rhs);
    return found;
}
#endif

#if defined(SARRUS_CONSTANT_PLAN)

#if defined(SARRUS_RANK_PATH_INSIDE)

/* Rows and right side stand in the arrays of `ev`, in memory; so does the result. */
LANE_PHASE void sarrus_rank_path_outside(sarrus_evaluation *ev, mask slow, int how) {
    if (sarrus_plan_of(ev)->n_general_rows == 0)
        sarrus_constant_directions(sarrus_plan_of(ev), ev->ws);
#if defined(SARRUS_KERNELS_RELATIVE)
    sarrus_tree_reach(sarrus_plan_of(ev), ev->ws);
#endif
    ev->is_factored = 0;
    if (how == SARRUS_DOUBT_NONE) /* closeness is where the factor was made: not here */
        (void)sarrus_correct_fast(ev, ev->ws->rhs);
    ev->found = sarrus_rank_path_here(ev, ev->ws->rhs, slow, how);
}

#else

/* Rows and right side stand in the arrays of `ev`, in memory; so does the result. */
LANE_PHASE void sarrus_rank_path_outside(sarrus_evaluation *ev, mask slow, int how) {
    sarrus_workspace *ws = ev->ws;
    real wanted = real_select(slow, real_set(1.0), real_set(0.0));
    const real healthy = real_select(ev->healthy, real_set(1.0), real_set(0.0));
    real swapped = real_select(ev->is_swapped, real_set(1.0), real_set(0.0));
    const real asks_all = real_select(ev->asks_all, real_set(1.0), real_set(0.0));
    sarrus_rank_path_problem problem;
    problem.turn = ws->turn;
    problem.direction = sarrus_plan_of(ev)->n_general_rows > 0 ? ws->direction : (const real *)0;
#if defined(SARRUS_KERNELS_RELATIVE)
    problem.leg = ws->leg;
    problem.whole = ws->whole;
    problem.share = ws->share;
    problem.lightness = ws->lightness;
    problem.hold = ws->hold;
    problem.motion = ws->motion;
#endif
    problem.phi = sarrus_plan_of(ev)->rank.method == SARRUS_RANK_VIOLATION ? ws->phi : (const real *)0;
    problem.stage_violation = &ev->stage_violation;
    problem.rhs = ws->rhs;
    problem.max_rank = &ev->max_rank;
    problem.rank_now = &ev->rank_now;
    problem.has_crossed = ev->crossed ? 1 : 0;
    problem.how = how;
    problem.slow = &wanted;
    problem.healthy = &healthy;
    problem.wants_closeness = ev->wants_closeness;
    problem.is_looking = ev->is_looking;
    problem.swapped = &swapped;
    problem.asks_all = &asks_all;
    problem.z = ws->z;
    problem.closeness = ws->closeness;
    problem.rank = &ev->found.rank;
    ev->found.kept = ev->found.dropped = real_set(0.0);
    ev->rank_path(ev->rank_path_user, &problem);
    ev->is_swapped = real_lt(real_set(0.0), swapped);
}

#endif

/* Plans that are solved densely have nothing to gain from constants and are not specialised. */
LANE_FUNCTION void sarrus_correct_dense(sarrus_evaluation *ev, const real *rhs) {
    (void)ev;
    (void)rhs;
}

/* Arrays that stand in memory are where they have to be, but the multipliers are in use. */
#if defined(SARRUS_PLAN_IN_RUNS)

LANE_FUNCTION sarrus_rank_decision sarrus_rank_path(sarrus_evaluation *ev, const real *rhs, mask slow, int how) {
    const sarrus_rank_decision before = ev->found;
    PLAN_EACH (i, 0, sarrus_plan_of(ev)->m)
        frame_at(ev->ws->rhs, i) = frame_at(rhs, i);
    sarrus_rank_path_outside(ev, slow, how);
    const sarrus_rank_decision found = ev->found;
    ev->found = before;
    ev->is_factored = 1;
    return found;
}

#else

LANE_FUNCTION sarrus_rank_decision sarrus_rank_path(sarrus_evaluation *ev, const real *rhs, mask slow, int how) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    sarrus_evaluation *outside = ev->outside;
#if defined(SARRUS_KERNELS_RELATIVE)
    PLAN_EACH (n, 0, mech->tree.n_entries)
        frame_at(outside->ws->leg, n) = frame_at(ev->ws->leg, n);
    PLAN_EACH (i, 0, mech->m)
        frame_at(outside->ws->whole, i) = frame_at(ev->ws->whole, i);
    PLAN_EACH (r, 0, mech->tree.n_chain) {
        if (mech->tree.chain[r] != mech->tree.owner[r])
            frame_at(outside->ws->share, r) = frame_at(ev->ws->share, r);
    }
    PLAN_EACH (i, 0, mech->n_v)
        frame_at(outside->ws->lightness, i) = frame_at(ev->ws->lightness, i);
    PLAN_EACH (i, 0, mech->tree.is_recursive ? SPACE_NV * mech->n_v : 0) {
        frame_at(outside->ws->hold, i) = frame_at(ev->ws->hold, i);
        frame_at(outside->ws->motion, i) = frame_at(ev->ws->motion, i);
    }
#elif !defined(SARRUS_KERNELS_SPATIAL) /* there the factor was made of what stands outside */
    PLAN_EACH (i, 0, 2 * mech->m)
        frame_at(outside->ws->turn, i) = frame_at(ev->ws->turn, i);
    if (mech->n_general_rows > 0) {
        PLAN_EACH (i, 0, 2 * mech->m)
            frame_at(outside->ws->direction, i) = frame_at(ev->ws->direction, i);
    }
#endif
    if (mech->rank.method == SARRUS_RANK_VIOLATION) {
        PLAN_EACH (i, 0, mech->m)
            frame_at(outside->ws->phi, i) = frame_at(ev->ws->phi, i);
    }
    PLAN_EACH (i, 0, mech->m)
        frame_at(outside->ws->rhs, i) = frame_at(rhs, i);
    outside->max_rank = ev->max_rank;
    outside->rank_now = ev->rank_now;
    outside->stage_violation = ev->stage_violation;
    const int32_t wants_closeness = outside->wants_closeness;
    outside->is_swapped = ev->is_swapped;
    outside->wants_closeness = ev->wants_closeness;
    sarrus_rank_path_outside(outside, slow, how);
    outside->wants_closeness = wants_closeness;
    ev->is_swapped = outside->is_swapped;
    PLAN_EACH (i, 0, mech->n_v)
        frame_at(ev->ws->z, i) = frame_at(outside->ws->z, i);
    /* The factor was made there again, with the same bits: what the others have is theirs. */
    PLAN_EACH (k, 0, SARRUS_N_CLOSENESS)
        frame_at(ev->ws->closeness, k) = frame_at(outside->ws->closeness, k);
    return outside->found;
}

#endif

#else

LANE_FUNCTION sarrus_rank_decision sarrus_rank_path(sarrus_evaluation *ev, const real *rhs, mask slow, int how) {
    return sarrus_rank_path_here(ev, rhs, slow, how);
}

#endif

#endif

#endif

/* Where the lanes go whose factor refuses a pivot: ws->z ← M^{-1/2} D⁺ rhs through the SVD of all rows.
 *
 * Generic kernels do it in place. Specialised kernels hold the rows in registers and hardly ever need it, so they hand the rows out
 * to the generic kernels: the same arithmetic, and nothing of it to compile. A device cannot call back (SARRUS_REVEAL_INSIDE):
 * there the SVD is part of the unit, and works on the arrays that the rows are handed out to. */
#ifndef SARRUS_FORMULATION_REVEAL_H
#define SARRUS_FORMULATION_REVEAL_H

#if defined(SARRUS_CONSTANT_PLAN)

#include "kernels/formulation/evaluation.h"
#include "kernels/formulation/gram.h"

#if defined(SARRUS_REVEAL_INSIDE)

#include "kernels/formulation/rank_revealing.h"

/* Rows and right side stand in the arrays of `ev`, in memory; so does the result. */
LANE_PHASE void sarrus_reveal_outside(sarrus_evaluation *ev, mask slow) {
    if (sarrus_plan_of(ev)->n_general_rows == 0)
        sarrus_constant_directions(sarrus_plan_of(ev), ev->ws);
    ev->found = sarrus_correct_svd(ev, ev->ws->rhs, ev->max_rank, slow, ev->ws->z, (real *)0);
}

#else

/* Rows and right side stand in the arrays of `ev`, in memory; so does the result. */
LANE_PHASE void sarrus_reveal_outside(sarrus_evaluation *ev, mask slow) {
    sarrus_workspace *ws = ev->ws;
    real wanted = real_select(slow, real_set(1.0), real_set(0.0));
    sarrus_reveal_problem problem;
    problem.turn = ws->turn;
    problem.direction = sarrus_plan_of(ev)->n_general_rows > 0 ? ws->direction : (const real *)0;
    problem.phi = sarrus_plan_of(ev)->rank.method == SARRUS_RANK_VIOLATION ? ws->phi : (const real *)0;
    problem.rhs = ws->rhs;
    problem.max_rank = &ev->max_rank;
    problem.rank_now = &ev->rank_now;
    problem.slow = &wanted;
    problem.z = ws->z;
    problem.rank = &ev->found.rank;
    problem.kept = &ev->found.kept;
    problem.dropped = &ev->found.dropped;
    ev->reveal(ev->reveal_user, &problem);
}

#endif

/* Plans that are solved densely have nothing to gain from constants and are not specialised. */
LANE_FUNCTION void sarrus_correct_dense(sarrus_evaluation *ev, const real *rhs) {
    (void)ev;
    (void)rhs;
}

/* Arrays that stand in memory are where they have to be. */
#if defined(SARRUS_PLAN_IN_RUNS)

LANE_FUNCTION sarrus_rank_decision sarrus_reveal(sarrus_evaluation *ev, const real *rhs, mask slow) {
    PLAN_EACH (i, 0, sarrus_plan_of(ev)->m)
        frame_at(ev->ws->rhs, i) = frame_at(rhs, i);
    sarrus_reveal_outside(ev, slow);
    return ev->found;
}

#else

LANE_FUNCTION sarrus_rank_decision sarrus_reveal(sarrus_evaluation *ev, const real *rhs, mask slow) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    sarrus_evaluation *outside = ev->outside;
    PLAN_EACH (i, 0, 2 * mech->m)
        frame_at(outside->ws->turn, i) = frame_at(ev->ws->turn, i);
    if (mech->n_general_rows > 0) {
        PLAN_EACH (i, 0, 2 * mech->m)
            frame_at(outside->ws->direction, i) = frame_at(ev->ws->direction, i);
    }
    if (mech->rank.method == SARRUS_RANK_VIOLATION) {
        PLAN_EACH (i, 0, mech->m)
            frame_at(outside->ws->phi, i) = frame_at(ev->ws->phi, i);
    }
    PLAN_EACH (i, 0, mech->m)
        frame_at(outside->ws->rhs, i) = frame_at(rhs, i);
    outside->max_rank = ev->max_rank;
    outside->rank_now = ev->rank_now;
    sarrus_reveal_outside(outside, slow);
    PLAN_EACH (i, 0, mech->n)
        frame_at(ev->ws->z, i) = frame_at(outside->ws->z, i);
    return outside->found;
}

#endif

#else

#include "kernels/formulation/rank_revealing.h"

LANE_FUNCTION sarrus_rank_decision sarrus_reveal(sarrus_evaluation *ev, const real *rhs, mask slow) {
    return sarrus_correct_svd(ev, rhs, ev->max_rank, slow, ev->ws->z, (real *)0);
}

#endif

#endif

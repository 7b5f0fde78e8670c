/* How near a change point lanes in space are, by all rows of a joint.
 *
 * On a dependency Σ u_j (row j) = 0 the pivot of its last row k is σ²/u_k²: u is the force along the line of the links, and of a
 * joint's three rows along the axes one or two may have next to no part in it. In the plane the two rows of a pin are a block of
 * the factor, which tells of both (ldlt.h). A spherical or universal joint has its third row in a block with another one. Then row
 * k's own pivot falls only when the place is reached.
 *
 * w = L⁻ᵀ e_k is the combination of rows whose square, wᵀ S w, is d_k: near the place it is u, in units of u_k. So the joint is
 * nearer than row k tells by s = Σ_j (own size of j) w_j² / (own size of k) over its rows j. Rows of other joints stay out of it: a
 * body that is light beside its neighbours has rows with large w, whatever becomes of the loop.
 *
 * Where there are dependent rows closeness is told by those (closeness_of_all.h), and looks ahead go back where x rises: loops that
 * are not redundant beside one that is need none of this. */
#ifndef SARRUS_FORMULATION_JOINT_ROWS_H
#define SARRUS_FORMULATION_JOINT_ROWS_H

#include "kernels/formulation/standing_rows.h"

/* own size of row j times w_j², w_j being element `at` of ws->along; 0 where it is of another joint than row i. */
LANE_FUNCTION real sarrus_joint_part(const sarrus_evaluation *ev, int32_t i, int32_t j, int32_t at) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    const real w = frame_at(ev->ws->along, at);
    return mech->row[j].joint == mech->row[i].joint ? w * w * frame_at(ev->ws->diagonal, at) : real_set(0.0);
}

/* s of row i of the factor, element `at` in elimination order, at least 1. The factor is that of the workspace; whether the row's
 * own pivot stands does not matter. */
LANE_PHASE real sarrus_joint_excess(const sarrus_evaluation *ev, int32_t i, int32_t at) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    sarrus_workspace *ws = ev->ws;
    const real inverse = frame_at(ws->inverse, at), one = real_set(1.0);
    real sum = real_set(0.0);
    PLAN_EACH (k, 0, 2 * mech->factor.n_blocks)
        frame_at(ws->along, k) = real_set(0.0);
    frame_at(ws->along, at) = frame_at(ws->inverse, at) = one;
    sarrus_ldlt_backward(mech, ws, ws->along);
    frame_at(ws->inverse, at) = inverse;
    PLAN_RUNS(FACTORED, k, lap, 0, mech->factor.n_rows,
              sum = sum + sarrus_joint_part(ev, i, PLAN_INDEX(PLAN_AT(mech, row, k, lap)), PLAN_INDEX(PLAN_AT(mech, at, k, lap))))
    return real_max(sum / frame_at(ws->diagonal, at), one);
}

/* Row i of the factor, element `at`: where its pivot has sunk its closeness c becomes c + (c − near)(s − 1), so that the distance
 * does not leap. The ramp is of the pivot's own c; what its block tells stays if it is more. */
LANE_FUNCTION void sarrus_closeness_join(sarrus_evaluation *ev, int32_t i, int32_t at, mask near, real *rows) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    sarrus_workspace *ws = ev->ws;
    const real zero = real_set(0.0), edge = real_set(SARRUS_CLOSENESS_NEAR);
    const real own = frame_at(ws->inverse, at) * frame_at(ws->diagonal, at) * real_set(1.0 / mech->guard);
    const mask here = mask_and(near, real_lt(edge, own));
    if (!mask_any(here))
        return;
    const real closeness = real_min(real_fma(own - edge, sarrus_joint_excess(ev, i, at) - real_set(1.0), own), real_set(1e30));
    const real now = real_select(here, closeness, zero);
    const mask is_crossed = ev->crossed ? real_lt(zero, lane_at(ev->crossed, at)) : mask_none();
    frame_at(ws->closeness, 0) = real_max(real_select(is_crossed, zero, now), frame_at(ws->closeness, 0));
    frame_at(ws->closeness, 1) = real_max(now, frame_at(ws->closeness, 1));
    if (rows)
        lane_at(rows, at) = real_max(now, lane_at(rows, at));
}

/* ws->closeness, by the factor of the plan's rows in the workspace, becomes that of joints where pivots have sunk. */
LANE_BODY void sarrus_closeness_of_joints(sarrus_evaluation *ev) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    const mask near = sarrus_closeness_is_near(ev);
    real *const rows = sarrus_rows_seen(ev);
    if (!mask_any(near))
        return;
    PLAN_RUNS(FACTORED, k, lap, 0, mech->factor.n_rows,
              sarrus_closeness_join(ev, PLAN_INDEX(PLAN_AT(mech, row, k, lap)), PLAN_INDEX(PLAN_AT(mech, at, k, lap)), near, rows))
}

#endif

/* Solutions with the factor of S = J M⁻¹ Jᵀ: on the rows whose pivots stand. A refused pivot leaves its row out. */
#ifndef SARRUS_FORMULATION_STANDING_ROWS_H
#define SARRUS_FORMULATION_STANDING_ROWS_H

#include "kernels/formulation/evaluation.h"
#include "kernels/formulation/gram.h"
#include "kernels/pinv/ldlt.h"

/* Where the closeness of each row is kept (kernels/step/passage.h) while a lane of the tile is in a passage, else NULL. */
LANE_FUNCTION real *sarrus_rows_seen(const sarrus_evaluation *ev) {
    const sarrus_passage_layout *at = &sarrus_plan_of(ev)->layout.passage;
    const int is_on = !sarrus_is_in_stretch(ev) && mask_any(real_lt(real_set(0.0), lane_at(ev->tile, at->is_on)));
    return is_on ? lane_from(ev->tile, at->row_seen) : (real *)0;
}

/* Closeness from which on a change point may be near: that of the distance where looks ahead begin without a past. */
#define SARRUS_CLOSENESS_NEAR 25.0
/* A pivot that has sunk, relative to its ordinary one: a little less near. And one that has sunk so far that another row shall
 * stand in for it: nearer, errors of the state come back from it many times. */
#define SARRUS_SUNK (1.0 / 16.0)
#define SARRUS_SWAPPED 1e-2

/* Whether near a change point all rows of a joint are asked (joint_rows.h): in space, where no rows are redundant. */
LANE_FUNCTION int sarrus_closeness_asks_joints(const sarrus_mechanism *mech) {
    return SPACE_DIMENSION == 3 && mech->factor.n_dependent == 0;
}
/* Whether others than the row itself and its block are: these, or dependent rows (closeness_of_all.h). */
LANE_FUNCTION int sarrus_closeness_asks_rows(const sarrus_mechanism *mech) {
    return sarrus_closeness_asks_joints(mech) || mech->factor.n_dependent > 0;
}

/* The lanes whose closeness is that of the plan's rows and may be another one of all, or of joints. */
LANE_FUNCTION mask sarrus_closeness_is_near(const sarrus_evaluation *ev) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    if (!ev->wants_closeness || !sarrus_closeness_asks_rows(mech))
        return mask_none();
    const mask is_near = real_lt(real_set(SARRUS_CLOSENESS_NEAR), frame_at(ev->ws->closeness, 1));
    if (!mask_any(is_near))
        return is_near;
    if (sarrus_closeness_asks_joints(mech))
        return mask_and(is_near, ev->healthy);
    const mask is_generic = real_eq(ev->max_rank, real_set((real_scalar)mech->factor.n_independent));
    /* a row that bends beside one that is crossed has a distance of its own */
    const mask is_bend = real_lt(real_set(0.0), lane_at(ev->tile, mech->layout.passage.is_bend));
    const mask is_both = mask_and(sarrus_is_crossing(ev), is_bend);
    return mask_and(mask_and(is_near, ev->healthy), mask_and(is_generic, mask_not(is_both)));
}

/* Some lane that counts has other rows than the plan's. */
LANE_FUNCTION int sarrus_some_are_swapped(const sarrus_evaluation *ev) {
    return sarrus_plan_of(ev)->factor.n_dependent > 0 && mask_any(mask_and(ev->is_swapped, ev->healthy));
}
/* After closeness was asked for: whoever used the factor does so again with these rows. */
LANE_FUNCTION int sarrus_rows_are_swapped(const sarrus_evaluation *ev) {
    return ev->wants_closeness && sarrus_some_are_swapped(ev);
}

/* The guard of the pivots now, relative to ordinary pivots: more of it refuses pivots sooner. */
LANE_FUNCTION real sarrus_factor_guard(const sarrus_evaluation *ev) {
    const real guard = real_set(sarrus_plan_of(ev)->guard);
    if (ev->is_strict)
        return real_set(SARRUS_SUNK);
    return real_select(ev->is_swapped, real_set(SARRUS_SWAPPED), guard);
}
LANE_FUNCTION void sarrus_factor_be_strict(const sarrus_evaluation *ev) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    if (mech->factor.n_dependent == 0 || (!ev->is_strict && !mask_any(ev->is_swapped)))
        return;
    const mask other = ev->is_strict ? mask_not(mask_none()) : ev->is_swapped;
    const real more = real_select(other, real_set(1.0 / mech->guard) * sarrus_factor_guard(ev), real_set(1.0)); /* not by others */
    PLAN_EACH (k, 0, 2 * mech->factor.n_blocks)
        frame_at(ev->ws->diagonal, k) = more * frame_at(ev->ws->diagonal, k);
}

/* ws->multiplier ← S⁻¹ rhs by row of the factor, and the swings of the cranks (crank.h) that go with it; returns the lanes that
 * have rows in doubt. S is formed and factored with the right side carried along, unless the factor of the present rows
 * is there already: that gives the same bits. */
PLAN_PIECE mask sarrus_correct_fast(sarrus_evaluation *ev, const real *rhs) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    sarrus_workspace here, *outside = ev->ws, *ws = ev->ws = sarrus_workspace_here(outside, &here);
    if (!ev->is_factored)
        sarrus_push(mech, ev->parameter, ws);
    const real *right = sarrus_rows_right(mech, ev->parameter, ws, rhs);
    if (mech->factor.n_pads > 0) {
        PLAN_EACH (k, 0, 2 * mech->factor.n_blocks)
            frame_at(ws->solution, k) = real_set(0.0);
    }
    PLAN_RUNS(FACTORED, k, lap, 0, mech->factor.n_rows,
              frame_at_offset(ws->solution, PLAN_AT(mech, at, k, lap), 0) = frame_at_offset(right, PLAN_AT(mech, row, k, lap), 0))
    if (ev->is_factored) {
        sarrus_ldlt_forward(mech, ws, ws->solution);
    } else {
        if (ev->wants_closeness) /* is told by the plan's own rows */
            ev->is_swapped = mask_and(ev->is_swapped, mask_not(ev->healthy));
        sarrus_gram(mech, ev->parameter, ws);
        sarrus_ldlt_scales(mech, ev->parameter, ws);
        sarrus_factor_be_strict(ev);
        frame_at(ws->refused, 0) = real_select(sarrus_ldlt_factor(mech, ws), real_set(1.0), real_set(0.0));
        ev->is_factored = 1;
        if (ev->wants_closeness)
            sarrus_ldlt_closeness(mech, ws, ev->crossed, sarrus_rows_seen(ev));
    }
    sarrus_ldlt_backward(mech, ws, ws->solution);
    PLAN_RUNS(FACTORED, k, lap, 0, mech->factor.n_rows,
              frame_at_offset(ws->multiplier, PLAN_AT(mech, row, k, lap), 0) =
                  frame_at_offset(ws->solution, PLAN_AT(mech, at, k, lap), 0))
    PLAN_EACH (k, 0, mech->factor.n_dependent)
        frame_at_offset(ws->multiplier, mech->lane.dependent[k], 0) = real_set(0.0);
    mask refused = real_lt(real_set(0.0), frame_at(ws->refused, 0));
    ev->ws = outside;
    return mask_or(refused, mask_not(real_eq(ev->max_rank, real_set((real_scalar)mech->factor.n_independent))));
}

/* x [n] ← M⁻¹J_Rᵀ (J_R M⁻¹ J_Rᵀ)⁻¹ b_R: the smallest x with J_R x = b_R. */
LANE_PHASE void sarrus_standing_solve(sarrus_evaluation *ev, const real *b, real *x) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    (void)sarrus_correct_fast(ev, b);
    PLAN_EACH (k, 0, mech->n_v)
        frame_at(x, k) = real_set(0.0);
    sarrus_rows_push(mech, ev->parameter, ev->ws, b, ev->ws->multiplier, x);
}

#endif

/* Solutions with the factor of S = J M⁻¹ Jᵀ: on the rows whose pivots stand. A refused pivot leaves its row out. */
#ifndef SARRUS_FORMULATION_STANDING_ROWS_H
#define SARRUS_FORMULATION_STANDING_ROWS_H

#include "kernels/formulation/evaluation.h"
#include "kernels/formulation/gram.h"
#include "kernels/pinv/ldlt.h"

/* Where the closeness of each row is kept (kernels/step/passage.h) while a lane of the tile is in a passage, else NULL. */
LANE_FUNCTION real *sarrus_rows_seen(const sarrus_evaluation *ev) {
    const sarrus_passage_layout *at = &sarrus_plan_of(ev)->layout.passage;
    const int is_on = mask_any(real_lt(real_set(0.0), lane_at(ev->tile, at->is_on)));
    return is_on ? lane_from(ev->tile, at->row_seen) : (real *)0;
}

/* ws->multiplier ← S⁻¹ rhs by row of the factor, and the swings of the cranks (crank.h) that go with it; returns the lanes that
 * have rows in doubt. S is formed and factored with the right side carried along, unless the factor of the present rows
 * is there already: that gives the same bits. */
PLAN_BODY mask sarrus_correct_fast(sarrus_evaluation *ev, const real *rhs) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    sarrus_workspace *ws = ev->ws;
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
        sarrus_gram(mech, ev->parameter, ws);
        sarrus_ldlt_scales(mech, ev->parameter, ws);
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
    return mask_or(refused, mask_not(real_eq(ev->max_rank, real_set((real_scalar)mech->factor.n_independent))));
}

/* x [n] ← x + a part of M⁻¹ J_iᵀ. */
LANE_BODY void sarrus_row_weigh_part(const sarrus_evaluation *ev, int32_t part, real *x) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    for (int32_t side = 0; side < 2; ++side) {
        const int32_t body = side ? mech->row[part].child : mech->row[part].parent;
        real before[SPACE_NV];
        if (body < 0)
            continue;
        for (int32_t k = 0; k < SPACE_NV; ++k) {
            before[k] = frame_at(x, space_v(body) + k);
            frame_at(x, space_v(body) + k) = real_set(0.0);
        }
        sarrus_row_weigh_side(mech, ev->parameter, ev->ws, 2 * part + side, x);
        for (int32_t k = 0; k < SPACE_NV; ++k)
            frame_at(x, space_v(body) + k) = before[k] + frame_at(x, space_v(body) + k);
    }
}

/* x [n] ← M⁻¹ J_iᵀ. */
LANE_BODY void sarrus_row_weigh(const sarrus_evaluation *ev, int32_t i, real *x) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    for (int32_t k = 0; k < mech->n_v; ++k)
        frame_at(x, k) = real_set(0.0);
    for (int32_t side = 0; side < 2; ++side) {
        if ((side ? mech->row[i].child : mech->row[i].parent) >= 0)
            sarrus_row_weigh_side(mech, ev->parameter, ev->ws, 2 * i + side, x);
    }
    if (sarrus_row_part(mech, i) >= 0)
        sarrus_row_weigh_part(ev, sarrus_row_part(mech, i), x);
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

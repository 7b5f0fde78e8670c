/* S = J M⁻¹ Jᵀ over the speeds of a tree, from the products of rows with the factor of M, and products with J and M⁻¹Jᵀ
 * (kernels/body/relative/rows.h). */
#ifndef SARRUS_FORMULATION_GRAM_RELATIVE_H
#define SARRUS_FORMULATION_GRAM_RELATIVE_H

#include "kernels/body/state.h"
#include "kernels/formulation/rows_in_factor.h"

/* What rows do to the factor of M stands with the rows. */
LANE_FUNCTION void sarrus_push(const sarrus_mechanism *mech, const real *parameter, sarrus_workspace *ws) {
    (void)mech;
    (void)parameter;
    (void)ws;
}

#if defined(SARRUS_CONSTANT_PLAN)
LANE_FUNCTION void sarrus_gram_share(sarrus_workspace *ws, const sarrus_lane_share *share, int is_first) {
    const real a = frame_at_offset(ws->over, share->push, 0), b = frame_at_offset(ws->reach, share->turn, 0);
    frame_at_offset(ws->factor, share->destination, 0) =
        is_first ? a * b : real_fma(a, b, frame_at_offset(ws->factor, share->destination, 0));
}

/* Products of rows with the factor of M, the first at their destinations or not. Its bounds are constants of their own: a loop
 * around it would keep compilers from unrolling this one. */
LANE_FUNCTION void sarrus_gram_shares(const sarrus_mechanism *mech, sarrus_workspace *ws, int is_first) {
    const int32_t segment = is_first ? SARRUS_LANE_ROTATION : SARRUS_N_LANE_KINDS + SARRUS_LANE_ROTATION;
    sarrus_lane_share now;
    PLAN_RUNS(SHARES, i, lap, mech->lane.segment[segment], mech->lane.segment[segment + 1],
              sarrus_gram_share(ws, sarrus_share_at(mech, i, lap, &now), is_first))
}
#endif

/* ws->factor ← the lower triangle of S over the rows of the factor, in elimination order. */
PLAN_BODY void sarrus_gram(const sarrus_mechanism *mech, const real *parameter, sarrus_workspace *ws) {
    (void)parameter;
    PLAN_RUNS(FILL, i, lap, 0, mech->factor.n_fill, frame_at_offset(ws->factor, PLAN_AT(mech, fill, i, lap), 0) = real_set(0.0))
    PLAN_RUNS(PADS, i, lap, 0, mech->factor.n_pads, frame_at_offset(ws->factor, PLAN_AT(mech, pad, i, lap), 0) = real_set(1.0))
#if !defined(SARRUS_CONSTANT_PLAN)
    sarrus_blocks_meet(mech, ws);
#else
    sarrus_gram_shares(mech, ws, 1);
    sarrus_gram_shares(mech, ws, 0);
#endif
}

/* J_i x of row i. */
LANE_FUNCTION real sarrus_row_times(const sarrus_mechanism *mech, const sarrus_workspace *ws, int32_t i, const real *x) {
    real sum = real_set(0.0);
    PLAN_EACH (n, mech->tree.row_start[i], mech->tree.row_start[i + 1]) {
        if (mech->tree.entry[n].side >= 0)
            sum = real_fma(frame_at(ws->leg, n), frame_at(x, mech->tree.entry[n].speed), sum);
    }
    return sum;
}

/* What entry n takes part in: J x, and Jᵀ μ over the factor. */
LANE_FUNCTION void sarrus_entry_subtract(const sarrus_workspace *ws, int32_t n, const sarrus_mech_entry *entry, const real *x,
                                         real *out) {
    if (entry->side >= 0)
        frame_at(out, entry->row) = real_fnma(frame_at(ws->leg, n), frame_at(x, entry->speed), frame_at(out, entry->row));
}
LANE_FUNCTION void sarrus_entry_push(sarrus_workspace *ws, int32_t n, const sarrus_mech_entry *entry, const real *mu) {
    frame_at(ws->pushed, entry->speed) =
        real_fma(frame_at(ws->over, n), frame_at(mu, entry->row), frame_at(ws->pushed, entry->speed));
}

/* out ← base − J x. */
PLAN_BODY void sarrus_rows_subtract(const sarrus_mechanism *mech, sarrus_workspace *ws, const real *base, const real *x,
                                    real *out) {
    PLAN_EACH (i, 0, mech->m)
        frame_at(out, i) = frame_at(base, i);
#if !defined(SARRUS_CONSTANT_PLAN)
    sarrus_blocks_subtract_rows(mech, ws, x, out);
#else
    sarrus_mech_entry now;
    PLAN_RUNS(TREE_ENTRIES, n, lap, 0, mech->tree.n_entries,
              sarrus_entry_subtract(ws, TREE_NUMBER(entry, n, lap), sarrus_entry_at(mech, n, lap, &now), x, out))
#endif
}

/* ws->rhs ← γ − J a_f, with the rows; the bodies move as the free acceleration has left them. */
PLAN_BODY void sarrus_rows_residual(const sarrus_mechanism *mech, const real *parameter, const real *q, const real *v,
                                    sarrus_workspace *ws, int wanted) {
    (void)q;
    (void)v;
    sarrus_tree_rows(mech, parameter, ws, wanted);
    sarrus_rows_subtract(mech, ws, ws->gamma, ws->force, ws->rhs);
}

/* out ← out + M⁻¹ Jᵀ μ. All rows that have multipliers stand in the factor: b, the right side, says nothing more. */
PLAN_BODY void sarrus_rows_push(const sarrus_mechanism *mech, const real *parameter, sarrus_workspace *ws, const real *b,
                                const real *mu, real *out) {
    (void)parameter;
    (void)b;
    PLAN_EACH (i, 0, mech->n_v)
        frame_at(ws->pushed, i) = real_set(0.0);
#if !defined(SARRUS_CONSTANT_PLAN)
    sarrus_blocks_push_rows(mech, ws, mu, ws->pushed);
#else
    sarrus_mech_entry now;
    PLAN_RUNS(TREE_ENTRIES, n, lap, 0, mech->tree.n_entries,
              sarrus_entry_push(ws, TREE_NUMBER(entry, n, lap), sarrus_entry_at(mech, n, lap, &now), mu))
#endif
    sarrus_tree_solve(mech, ws, ws->pushed);
    PLAN_EACH (i, 0, mech->n_v)
        frame_at(out, i) = frame_at(out, i) + frame_at(ws->pushed, i);
}

/* d [n_v] ← J_i M^{-1/2} where d is zero, with M^{1/2} = D^{1/2} L. */
LANE_FUNCTION void sarrus_dense_row(const sarrus_mechanism *mech, const real *parameter, const sarrus_workspace *ws, int32_t i,
                                    real *d) {
    (void)parameter;
    for (int32_t n = mech->tree.row_start[i]; n < mech->tree.row_start[i + 1]; ++n) {
        const int32_t speed = mech->tree.entry[n].speed;
        lane_at(d, speed) = real_sqrt(frame_at(ws->lightness, speed)) * frame_at(ws->reach, n);
    }
}

/* x [n_v] ← M⁻¹ J_iᵀ. */
LANE_BODY void sarrus_row_weigh(const sarrus_mechanism *mech, const real *parameter, const sarrus_workspace *ws, int32_t i,
                                real *x) {
    (void)parameter;
    for (int32_t k = 0; k < mech->n_v; ++k)
        frame_at(x, k) = real_set(0.0);
    for (int32_t n = mech->tree.row_start[i]; n < mech->tree.row_start[i + 1]; ++n)
        frame_at(x, mech->tree.entry[n].speed) = frame_at(ws->over, n);
    sarrus_tree_solve(mech, ws, x);
}

#endif

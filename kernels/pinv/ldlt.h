/* S = L D Lᵀ, the S of S1 eq 14 on independent rows (S5 eqs 26, 27), by 2×2 blocks on the sparsity that the plan found, and
 * solutions with it. The arithmetic is that of the scalar LDLᵀ in the same order; blocks let every place that is looked up serve
 * four entries.
 *
 * A pivot D_k is the squared distance, in the metric of M⁻¹, of row k from the span of the rows before it (those of crank pins,
 * which are eliminated in closed form, come before all others); relative to the whole S_kk it says how independent the row still is
 * in this state. S_kk/d_k, the closeness of a row, is the inverse of that square. Pivots at or below guard·S_kk are refused: their
 * row is left out (inverse 0), so nothing becomes infinite, and the lane is marked for the rank-revealing path. */
#ifndef SARRUS_PINV_LDLT_H
#define SARRUS_PINV_LDLT_H

#include "kernels/body/plan_runs.h"

/* The inverse pivots of block k, (S_00, S_10, S_11) = (a, b, c), and l:
 *   l = b/a,   1/d0 = 1/a,   1/d1 = 1/(c − b²/a) = a²/(a det),   det = ac − b²,
 * from one division, 1/(a det): divisions are the longest wait of a factorisation, and its pivots wait for one another. The
 * rounding of det is that of c − b²/a. The product of three entries stays in range for entries between 1e-100 and 1e100 (1/kg). */
LANE_FUNCTION mask sarrus_ldlt_pivots(sarrus_workspace *ws, int32_t k) {
    real zero = real_set(0.0), one = real_set(1.0);
    real d0 = frame_at(ws->factor, 4 * k);
    mask low0 = mask_not(real_lt(frame_at(ws->diagonal, 2 * k), d0)); /* NaN counts as low */
    real a = real_select(low0, one, d0), b = real_select(low0, zero, frame_at(ws->factor, 4 * k + 1));
    real det = real_fnma(b, b, a * frame_at(ws->factor, 4 * k + 2));
    mask low1 = mask_not(real_lt(frame_at(ws->diagonal, 2 * k + 1) * a, det));
    det = real_select(low1, one, det);
    real inverse = one / (a * det);
    real inverse0 = real_select(low0, zero, det * inverse);
    frame_at(ws->inverse, 2 * k) = inverse0;
    frame_at(ws->inverse, 2 * k + 1) = real_select(low1, zero, a * a * inverse);
    frame_at(ws->factor, 4 * k + 1) = b * inverse0;
    return mask_or(low0, low1);
}

/* A 2×2 block, row by row, that the entries of a column are multiplied with. */
typedef struct sarrus_block {
    real b00, b01, b10, b11;
} sarrus_block;

/* factor[target] −= factor[x] bᵀ, blocks row by row. */
LANE_FUNCTION void sarrus_block_subtract(sarrus_workspace *ws, sarrus_lane_offset target, int32_t x, const sarrus_block *b) {
    real a00 = frame_at(ws->factor, x), a01 = frame_at(ws->factor, x + 1);
    real a10 = frame_at(ws->factor, x + 2), a11 = frame_at(ws->factor, x + 3);
    real t00 = real_fnma(a00, b->b00, frame_at_offset(ws->factor, target, 0));
    real t01 = real_fnma(a00, b->b10, frame_at_offset(ws->factor, target, 1));
    real t10 = real_fnma(a10, b->b00, frame_at_offset(ws->factor, target, 2));
    real t11 = real_fnma(a10, b->b10, frame_at_offset(ws->factor, target, 3));
    frame_at_offset(ws->factor, target, 0) = real_fnma(a01, b->b01, t00);
    frame_at_offset(ws->factor, target, 1) = real_fnma(a01, b->b11, t01);
    frame_at_offset(ws->factor, target, 2) = real_fnma(a11, b->b01, t10);
    frame_at_offset(ws->factor, target, 3) = real_fnma(a11, b->b11, t11);
}

/* The same on a diagonal block, which keeps (00, 10, 11). */
LANE_FUNCTION void sarrus_block_subtract_own(sarrus_workspace *ws, sarrus_lane_offset target, int32_t x, const sarrus_block *b) {
    real a00 = frame_at(ws->factor, x), a01 = frame_at(ws->factor, x + 1);
    real a10 = frame_at(ws->factor, x + 2), a11 = frame_at(ws->factor, x + 3);
    real t00 = real_fnma(a00, b->b00, frame_at_offset(ws->factor, target, 0));
    real t10 = real_fnma(a10, b->b00, frame_at_offset(ws->factor, target, 1));
    real t11 = real_fnma(a10, b->b10, frame_at_offset(ws->factor, target, 2));
    frame_at_offset(ws->factor, target, 0) = real_fnma(a01, b->b01, t00);
    frame_at_offset(ws->factor, target, 1) = real_fnma(a11, b->b01, t10);
    frame_at_offset(ws->factor, target, 2) = real_fnma(a11, b->b11, t11);
}

/* What a column's own pivots and right side hand to its entries. Column and entries are those of the plan's list, in a lap. */
typedef struct sarrus_ldlt_head {
    int32_t k, lap;
    real l, i0, i1, y0, y1;
} sarrus_ldlt_head;

/* Where entry p of column k stands in the factor in a lap. */
LANE_FUNCTION int32_t sarrus_ldlt_place(const sarrus_mechanism *mech, int32_t k, int32_t lap, int32_t p) {
    return 4 * (mech->factor.n_blocks + p + sarrus_column_shift(k, lap));
}

/* Entry p of a column: its second part without the first. */
LANE_FUNCTION void sarrus_ldlt_clear(const sarrus_mechanism *mech, sarrus_workspace *ws, const sarrus_ldlt_head *head, int32_t p) {
    const int32_t x = sarrus_ldlt_place(mech, head->k, head->lap, p);
    frame_at(ws->factor, x + 1) = real_fnma(head->l, frame_at(ws->factor, x), frame_at(ws->factor, x + 1));
    frame_at(ws->factor, x + 3) = real_fnma(head->l, frame_at(ws->factor, x + 2), frame_at(ws->factor, x + 3));
}

/* Entry p of a column: what it subtracts from the columns behind and from the right side, and its L. */
LANE_FUNCTION void sarrus_ldlt_entry(const sarrus_mechanism *mech, sarrus_workspace *ws, const sarrus_ldlt_head *head, int32_t p) {
    const int32_t x = sarrus_ldlt_place(mech, head->k, head->lap, p), update = mech->lane.first_update[p];
    const sarrus_lane_offset row = PLAN_AT(mech, entry_row, p, head->lap);
    sarrus_block b;
    b.b00 = frame_at(ws->factor, x) * head->i0;
    b.b01 = frame_at(ws->factor, x + 1) * head->i1;
    b.b10 = frame_at(ws->factor, x + 2) * head->i0;
    b.b11 = frame_at(ws->factor, x + 3) * head->i1;
    sarrus_block_subtract_own(ws, PLAN_AT(mech, update, update, head->lap), x, &b);
    PLAN_EACH_ENTRY(a, p + 1, mech->factor.column[head->k + 1],
                    sarrus_block_subtract(ws, PLAN_AT(mech, update, update + a - p, head->lap),
                                          sarrus_ldlt_place(mech, head->k, head->lap, a), &b))
    real s0 = real_fnma(b.b00, head->y0, frame_at_offset(ws->solution, row, 0));
    real s1 = real_fnma(b.b10, head->y0, frame_at_offset(ws->solution, row, 1));
    frame_at_offset(ws->solution, row, 0) = real_fnma(b.b01, head->y1, s0);
    frame_at_offset(ws->solution, row, 1) = real_fnma(b.b11, head->y1, s1);
    frame_at(ws->factor, x) = b.b00;
    frame_at(ws->factor, x + 1) = b.b01;
    frame_at(ws->factor, x + 2) = b.b10;
    frame_at(ws->factor, x + 3) = b.b11;
}

/* Column k: its pivots and what is below them, the right side carried along. Returns the lanes that have a refused pivot. */
LANE_FUNCTION mask sarrus_ldlt_column(const sarrus_mechanism *mech, sarrus_workspace *ws, int32_t k, int32_t lap) {
    const int32_t number = sarrus_column_number(k, lap);
    const mask refused = sarrus_ldlt_pivots(ws, number);
    sarrus_ldlt_head head;
    head.k = k;
    head.lap = lap;
    head.l = frame_at(ws->factor, 4 * number + 1);
    head.i0 = frame_at(ws->inverse, 2 * number);
    head.i1 = frame_at(ws->inverse, 2 * number + 1);
    head.y0 = frame_at(ws->solution, 2 * number);
    head.y1 = real_fnma(head.l, head.y0, frame_at(ws->solution, 2 * number + 1));
    frame_at(ws->solution, 2 * number + 1) = head.y1;
    PLAN_EACH_ENTRY(p, mech->factor.column[k], mech->factor.column[k + 1], sarrus_ldlt_clear(mech, ws, &head, p))
    PLAN_EACH_ENTRY(p, mech->factor.column[k], mech->factor.column[k + 1], sarrus_ldlt_entry(mech, ws, &head, p))
    return refused;
}

/* diagonal ← guard_k S_kk, the 1/m of cranks included. That counts of a crank what the elimination of its pin takes off S_kk or
 * more; by how much more is a matter of its shape, and the guard is a matter of powers of ten. */
LANE_FUNCTION void sarrus_ldlt_scale(const sarrus_mechanism *mech, const real *parameter, sarrus_workspace *ws,
                                     const sarrus_lane_scale *scale) {
    const real guard = real_set(mech->factor.guard[PLAN_INDEX(scale->at)]);
    frame_at_offset(ws->diagonal, scale->at, 0) =
        real_fma(parameter_at_offset(parameter, scale->mass), guard, frame_at_offset(ws->diagonal, scale->at, 0));
}
PLAN_BODY void sarrus_ldlt_scales(const sarrus_mechanism *mech, const real *parameter, sarrus_workspace *ws) {
    sarrus_lane_scale now;
    PLAN_EACH (k, 0, mech->factor.n_blocks) {
        frame_at(ws->diagonal, 2 * k) = frame_at(ws->factor, 4 * k) * real_set(mech->factor.guard[2 * k]);
        frame_at(ws->diagonal, 2 * k + 1) = frame_at(ws->factor, 4 * k + 2) * real_set(mech->factor.guard[2 * k + 1]);
    }
    PLAN_RUNS(SCALES, i, lap, 0, mech->factor.n_scales, sarrus_ldlt_scale(mech, parameter, ws, sarrus_scale_at(mech, i, lap, &now)))
#if defined(SARRUS_KERNELS_RELATIVE)
    PLAN_EACH (k, 0, mech->factor.n_rows) {
        const int32_t at = PLAN_INDEX(mech->lane.at[k]);
        frame_at(ws->diagonal, at) = frame_at_offset(ws->whole, mech->lane.row[k], 0) * real_set(mech->factor.guard[at]);
    }
#endif
}

/* Factors ws->factor in place and returns the lanes that have a refused pivot. ws->solution holds a right side in elimination
 * order, which is carried along: on return it is L⁻¹ rhs. */
PLAN_BODY mask sarrus_ldlt_factor(const sarrus_mechanism *mech, sarrus_workspace *ws) {
    mask refused = mask_none();
    PLAN_RUNS(COLUMNS, k, lap, 0, mech->factor.n_blocks, refused = mask_or(refused, sarrus_ldlt_column(mech, ws, k, lap)))
    return refused;
}

/* Which of the two rows of a block comes to depend on the other is a matter of the axes: with a row that nearly vanishes first, d0
 * stays at what is left of it while 1/d1 grows by l² less than 1/d0 would with the rows the other way round. So the first row is
 * judged by [D⁻¹]_00 = 1/d0 + l²/d1 of its block D, and the second one, whose [D⁻¹]_11 is 1/d1, by what that makes of the first.
 *
 * Row k of the factor: (own size)·[D⁻¹]_kk, beside the guard; without the other row of its block where that is crossed. */
LANE_FUNCTION real sarrus_ldlt_nearness(const sarrus_workspace *ws, int32_t k, mask without_other) {
    const real own = frame_at(ws->inverse, k) * frame_at(ws->diagonal, k);
    if (k % 2 != 0)
        return own;
    const real l = frame_at(ws->factor, 2 * k + 1), other = l * l * frame_at(ws->inverse, k + 1) * frame_at(ws->diagonal, k);
    return own + real_select(without_other, real_set(0.0), other);
}

/* By how much nearer its block comes to losing a direction than the pivot of row k tells: of a second row l² (own size of the first
 * one)/(own size), at least 1. */
LANE_FUNCTION real sarrus_ldlt_excess(const sarrus_workspace *ws, int32_t k) {
    if (k % 2 == 0)
        return real_set(1.0);
    const real l = frame_at(ws->factor, 2 * k - 1);
    return real_max(l * l * frame_at(ws->diagonal, k - 1) / frame_at(ws->diagonal, k), real_set(1.0));
}

/* ws->closeness ← the largest (ordinary pivot)/d_k, as sarrus_ldlt_nearness has it, of the rows whose pivots stand, [0] of those
 * that are not crossed and [1] of all; `crossed` [2 n_blocks] says which are, NULL: none. That of each row into `rows`
 * [2 n_blocks], unless that is NULL. Refused rows are measured elsewhere (doubtful_rows.h). */
PLAN_BODY void sarrus_ldlt_closeness(const sarrus_mechanism *mech, sarrus_workspace *ws, const real *crossed, real *rows) {
    const real zero = real_set(0.0), scale = real_set(1.0 / mech->guard);
    real most = zero, others = zero;
    PLAN_EACH (k, 0, 2 * mech->factor.n_blocks)
        most = real_max(sarrus_ldlt_nearness(ws, k, mask_none()), most);
    frame_at(ws->closeness, 0) = frame_at(ws->closeness, 1) = most * scale;
    if (!rows)
        return;
    PLAN_EACH (k, 0, 2 * mech->factor.n_blocks) {
        const mask is_crossed = crossed ? real_lt(zero, lane_at(crossed, k)) : mask_none();
        const mask other_is = crossed ? real_lt(zero, lane_at(crossed, k ^ 1)) : mask_none();
        const real here = sarrus_ldlt_nearness(ws, k, other_is);
        others = real_max(real_select(is_crossed, zero, here), others);
        lane_at(rows, k) = here * scale;
    }
    frame_at(ws->closeness, 0) = others * scale;
}

/* Row by row of entry p: y −= L_p (y0, y1). */
LANE_FUNCTION void sarrus_ldlt_forward_entry(const sarrus_mechanism *mech, sarrus_workspace *ws, const sarrus_ldlt_head *head,
                                             int32_t p, real *y) {
    const int32_t x = sarrus_ldlt_place(mech, head->k, head->lap, p);
    const sarrus_lane_offset row = PLAN_AT(mech, entry_row, p, head->lap);
    real s0 = real_fnma(frame_at(ws->factor, x), head->y0, frame_at_offset(y, row, 0));
    real s1 = real_fnma(frame_at(ws->factor, x + 2), head->y0, frame_at_offset(y, row, 1));
    frame_at_offset(y, row, 0) = real_fnma(frame_at(ws->factor, x + 1), head->y1, s0);
    frame_at_offset(y, row, 1) = real_fnma(frame_at(ws->factor, x + 3), head->y1, s1);
}

LANE_FUNCTION void sarrus_ldlt_forward_column(const sarrus_mechanism *mech, sarrus_workspace *ws, int32_t k, int32_t lap, real *y) {
    const int32_t number = sarrus_column_number(k, lap);
    sarrus_ldlt_head head;
    head.k = k;
    head.lap = lap;
    head.y0 = frame_at(y, 2 * number);
    head.y1 = real_fnma(frame_at(ws->factor, 4 * number + 1), head.y0, frame_at(y, 2 * number + 1));
    frame_at(y, 2 * number + 1) = head.y1;
    PLAN_EACH_ENTRY(p, mech->factor.column[k], mech->factor.column[k + 1], sarrus_ldlt_forward_entry(mech, ws, &head, p, y))
}

/* y ← L⁻¹ y, for a right side that was not carried along. */
PLAN_BODY void sarrus_ldlt_forward(const sarrus_mechanism *mech, sarrus_workspace *ws, real *y){
    PLAN_RUNS(COLUMNS, k, lap, 0, mech->factor.n_blocks, sarrus_ldlt_forward_column(mech, ws, k, lap, y))}

/* (t0, t1) −= L_pᵀ y of the entry at x of the factor, y at `row`. */
LANE_FUNCTION void sarrus_ldlt_backward_entry(sarrus_workspace *ws, int32_t x, sarrus_lane_offset row, const real *y, real *t) {
    t[0] = real_fnma(frame_at(ws->factor, x), frame_at_offset(y, row, 0), t[0]);
    t[0] = real_fnma(frame_at(ws->factor, x + 2), frame_at_offset(y, row, 1), t[0]);
    t[1] = real_fnma(frame_at(ws->factor, x + 1), frame_at_offset(y, row, 0), t[1]);
    t[1] = real_fnma(frame_at(ws->factor, x + 3), frame_at_offset(y, row, 1), t[1]);
}

LANE_FUNCTION void sarrus_ldlt_backward_column(const sarrus_mechanism *mech, sarrus_workspace *ws, int32_t k, int32_t lap,
                                               real *y) {
    const int32_t number = sarrus_column_number(k, lap);
    real t[2];
    t[0] = frame_at(y, 2 * number) * frame_at(ws->inverse, 2 * number);
    t[1] = frame_at(y, 2 * number + 1) * frame_at(ws->inverse, 2 * number + 1);
    PLAN_EACH_ENTRY(p, mech->factor.column[k], mech->factor.column[k + 1],
                    sarrus_ldlt_backward_entry(ws, sarrus_ldlt_place(mech, k, lap, p), PLAN_AT(mech, entry_row, p, lap), y, t))
    frame_at(y, 2 * number + 1) = t[1];
    frame_at(y, 2 * number) = real_fnma(frame_at(ws->factor, 4 * number + 1), t[1], t[0]);
}

/* y ← L⁻ᵀ D⁻¹ y. */
PLAN_BODY void sarrus_ldlt_backward(const sarrus_mechanism *mech, sarrus_workspace *ws, real *y) {
    PLAN_RUNS_BACK(COLUMNS, k, lap, 0, mech->factor.n_blocks, sarrus_ldlt_backward_column(mech, ws, k, lap, y))
}

#endif

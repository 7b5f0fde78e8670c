/* S = L D Lᵀ by 2×2 blocks on the sparsity that the plan found, and solutions with it. The arithmetic is that of the scalar
 * LDLᵀ in the same order; blocks let every place that is looked up serve four entries.
 *
 * A pivot D_k is the squared distance, in the metric of M⁻¹, of row k from the span of the rows before it; relative to
 * S_kk it says how independent the row still is in this state. Pivots at or below guard·S_kk are refused: their row is
 * left out (inverse 0), so nothing becomes infinite, and the lane is marked for the rank-revealing path. */
#ifndef SARRUS_PINV_LDLT_H
#define SARRUS_PINV_LDLT_H

#include "kernels/body/workspace.h"

/* The pivots of block k: (d0, l, d1) with l = S_10/d0, d1 = S_11 − l S_10. Leaves l in place and the inverses in ws->inverse. */
LANE_FUNCTION mask sarrus_ldlt_pivots(const sarrus_workspace *ws, int32_t k) {
    real *block = lane_from(ws->factor, 4 * k);
    real zero = real_set(0.0), one = real_set(1.0);
    real d0 = lane_at(block, 0), s10 = lane_at(block, 1);
    mask low0 = mask_not(real_lt(lane_at(ws->diagonal, 2 * k), d0)); /* NaN counts as low */
    real inverse0 = real_select(low0, zero, one / real_select(low0, one, d0));
    real l = s10 * inverse0;
    real d1 = real_fnma(l, s10, lane_at(block, 2));
    mask low1 = mask_not(real_lt(lane_at(ws->diagonal, 2 * k + 1), d1));
    lane_at(ws->inverse, 2 * k) = inverse0;
    lane_at(ws->inverse, 2 * k + 1) = real_select(low1, zero, one / real_select(low1, one, d1));
    lane_at(block, 1) = l;
    return mask_or(low0, low1);
}

/* target −= a bᵀ of 2×2 blocks (row by row: 00, 01, 10, 11). */
LANE_FUNCTION void sarrus_block_subtract(real *target, const real *a, real b00, real b01, real b10, real b11) {
    real a00 = lane_at(a, 0), a01 = lane_at(a, 1), a10 = lane_at(a, 2), a11 = lane_at(a, 3);
    lane_at(target, 0) = real_fnma(a01, b01, real_fnma(a00, b00, lane_at(target, 0)));
    lane_at(target, 1) = real_fnma(a01, b11, real_fnma(a00, b10, lane_at(target, 1)));
    lane_at(target, 2) = real_fnma(a11, b01, real_fnma(a10, b00, lane_at(target, 2)));
    lane_at(target, 3) = real_fnma(a11, b11, real_fnma(a10, b10, lane_at(target, 3)));
}

/* The same on a diagonal block, which keeps (00, 10, 11). */
LANE_FUNCTION void sarrus_block_subtract_own(real *target, const real *a, real b00, real b01, real b10, real b11) {
    real a00 = lane_at(a, 0), a01 = lane_at(a, 1), a10 = lane_at(a, 2), a11 = lane_at(a, 3);
    lane_at(target, 0) = real_fnma(a01, b01, real_fnma(a00, b00, lane_at(target, 0)));
    lane_at(target, 1) = real_fnma(a11, b01, real_fnma(a10, b00, lane_at(target, 1)));
    lane_at(target, 2) = real_fnma(a11, b11, real_fnma(a10, b10, lane_at(target, 2)));
}

/* Factors ws->factor in place and returns the lanes that have a refused pivot. ws->solution holds a right side in elimination
 * order, which is carried along: on return it is L⁻¹ rhs. */
LANE_BODY mask sarrus_ldlt_factor(const sarrus_mechanism *mech, const sarrus_workspace *ws) {
    const sarrus_mech_factor *f = &mech->factor;
    const sarrus_lane_place *update = mech->lane.update;
    const real guard = real_set(mech->guard);
    mask refused = mask_none();
    for (int32_t k = 0; k < f->n_blocks; ++k) {
        lane_at(ws->diagonal, 2 * k) = lane_at(ws->factor, 4 * k) * guard;
        lane_at(ws->diagonal, 2 * k + 1) = lane_at(ws->factor, 4 * k + 2) * guard;
    }
    for (int32_t k = 0; k < f->n_blocks; ++k) {
        const int32_t count = f->column[k + 1] - f->column[k];
        const sarrus_lane_place *entry_row = mech->lane.entry_row + f->column[k];
        real *entry = lane_from(ws->factor, 4 * (f->n_blocks + f->column[k]));
        refused = mask_or(refused, sarrus_ldlt_pivots(ws, k));
        real l = lane_at(ws->factor, 4 * k + 1);
        real i0 = lane_at(ws->inverse, 2 * k), i1 = lane_at(ws->inverse, 2 * k + 1);
        real y0 = lane_at(ws->solution, 2 * k), y1 = real_fnma(l, y0, lane_at(ws->solution, 2 * k + 1));
        lane_at(ws->solution, 2 * k + 1) = y1;
        for (int32_t a = 0; a < count; ++a) {
            real *x = lane_from(entry, 4 * a);
            lane_at(x, 1) = real_fnma(l, lane_at(x, 0), lane_at(x, 1));
            lane_at(x, 3) = real_fnma(l, lane_at(x, 2), lane_at(x, 3));
        }
        for (int32_t b = 0; b < count; ++b) {
            real *x = lane_from(entry, 4 * b);
            real l00 = lane_at(x, 0) * i0, l01 = lane_at(x, 1) * i1, l10 = lane_at(x, 2) * i0, l11 = lane_at(x, 3) * i1;
            sarrus_block_subtract_own(&lane_place(ws->factor, *update++), x, l00, l01, l10, l11);
            for (int32_t a = b + 1; a < count; ++a) {
                sarrus_block_subtract(&lane_place(ws->factor, *update++), lane_from(entry, 4 * a), l00, l01, l10, l11);
            }
            real *y = &lane_place(ws->solution, entry_row[b]);
            lane_at(y, 0) = real_fnma(l01, y1, real_fnma(l00, y0, lane_at(y, 0)));
            lane_at(y, 1) = real_fnma(l11, y1, real_fnma(l10, y0, lane_at(y, 1)));
            lane_at(x, 0) = l00;
            lane_at(x, 1) = l01;
            lane_at(x, 2) = l10;
            lane_at(x, 3) = l11;
        }
    }
    return refused;
}

/* y ← L⁻¹ y, for a right side that was not carried along. */
LANE_BODY void sarrus_ldlt_forward(const sarrus_mechanism *mech, const sarrus_workspace *ws, real *y) {
    const sarrus_mech_factor *f = &mech->factor;
    for (int32_t k = 0; k < f->n_blocks; ++k) {
        real y0 = lane_at(y, 2 * k), y1 = real_fnma(lane_at(ws->factor, 4 * k + 1), y0, lane_at(y, 2 * k + 1));
        lane_at(y, 2 * k + 1) = y1;
        for (int32_t p = f->column[k]; p < f->column[k + 1]; ++p) {
            const real *x = lane_from(ws->factor, 4 * (f->n_blocks + p));
            real *yp = &lane_place(y, mech->lane.entry_row[p]);
            lane_at(yp, 0) = real_fnma(lane_at(x, 1), y1, real_fnma(lane_at(x, 0), y0, lane_at(yp, 0)));
            lane_at(yp, 1) = real_fnma(lane_at(x, 3), y1, real_fnma(lane_at(x, 2), y0, lane_at(yp, 1)));
        }
    }
}

/* y ← L⁻ᵀ D⁻¹ y. */
LANE_BODY void sarrus_ldlt_backward(const sarrus_mechanism *mech, const sarrus_workspace *ws, real *y) {
    const sarrus_mech_factor *f = &mech->factor;
    for (int32_t k = f->n_blocks - 1; k >= 0; --k) {
        real t0 = lane_at(y, 2 * k) * lane_at(ws->inverse, 2 * k);
        real t1 = lane_at(y, 2 * k + 1) * lane_at(ws->inverse, 2 * k + 1);
        for (int32_t p = f->column[k]; p < f->column[k + 1]; ++p) {
            const real *x = lane_from(ws->factor, 4 * (f->n_blocks + p));
            const real *yp = &lane_place(y, mech->lane.entry_row[p]);
            t0 = real_fnma(lane_at(x, 2), lane_at(yp, 1), real_fnma(lane_at(x, 0), lane_at(yp, 0), t0));
            t1 = real_fnma(lane_at(x, 3), lane_at(yp, 1), real_fnma(lane_at(x, 1), lane_at(yp, 0), t1));
        }
        lane_at(y, 2 * k + 1) = t1;
        lane_at(y, 2 * k) = real_fnma(lane_at(ws->factor, 4 * k + 1), t1, t0);
    }
}

#endif

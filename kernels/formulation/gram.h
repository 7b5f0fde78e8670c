/* The sparse algebra of the constraint rows in the coordinates and the space of the translation unit: S = J M⁻¹ Jᵀ, and products
 * with
 * J and M⁻¹Jᵀ. */
#ifndef SARRUS_FORMULATION_GRAM_H
#define SARRUS_FORMULATION_GRAM_H

#if defined(SARRUS_KERNELS_RELATIVE)
#include "kernels/formulation/gram_relative.h"
#elif defined(SARRUS_KERNELS_SPATIAL)
#include "kernels/formulation/gram_spatial.h"
#else
#include "kernels/formulation/gram_planar.h"
#endif

/* Which rows a dense problem is made of: all, or the independent ones. */
LANE_FUNCTION int32_t sarrus_rows_count(const sarrus_mechanism *mech, int is_independent) {
    return is_independent ? mech->factor.n_independent : mech->m;
}
LANE_FUNCTION int32_t sarrus_rows_at(const sarrus_mechanism *mech, int is_independent, int32_t k) {
    return is_independent ? mech->independent[k] : k;
}

/* The part of row i that stands behind all rows, −1: there is none. */
LANE_FUNCTION int32_t sarrus_row_part(const sarrus_mechanism *mech, int32_t i) {
    if (sarrus_constraints_count(mech) == 0 || mech->row[i].joint < mech->n_joints)
        return -1;
    return mech->constraint[mech->row[i].joint - mech->n_joints].part;
}

/* J_i x of row i with its part; over a tree rows have theirs in their entries. */
LANE_FUNCTION real sarrus_whole_row_times(const sarrus_mechanism *mech, sarrus_workspace *ws, int32_t i, const real *x) {
    const real sum = sarrus_row_times(mech, ws, i, x);
#if defined(SARRUS_KERNELS_RELATIVE)
    return sum;
#else
    const int32_t part = sarrus_row_part(mech, i);
    return part < 0 ? sum : sum + sarrus_row_times(mech, ws, part, x);
#endif
}

/* What row i is judged by, with x = M⁻¹ J_iᵀ: J_i x, or over a tree what that would be of free bodies. */
LANE_FUNCTION real sarrus_row_size(const sarrus_mechanism *mech, sarrus_workspace *ws, int32_t i, const real *x) {
#if defined(SARRUS_KERNELS_RELATIVE)
    (void)mech;
    (void)x;
    return frame_at(ws->whole, i);
#else
    return sarrus_whole_row_times(mech, ws, i, x);
#endif
}

#if !defined(SARRUS_KERNELS_RELATIVE)

/* d [n] ← d + a part of a row of J M^{-1/2}: its bodies may be those of the row. */
LANE_BODY void sarrus_dense_part(const sarrus_mechanism *mech, const real *parameter, const sarrus_workspace *ws, int32_t part,
                                 real *d) {
    for (int32_t side = 0; side < 2; ++side) {
        const int32_t body = side ? mech->row[part].child : mech->row[part].parent;
        real before[SPACE_NV];
        if (body < 0)
            continue;
        for (int32_t k = 0; k < SPACE_NV; ++k) {
            before[k] = lane_at(d, space_v(body) + k);
            lane_at(d, space_v(body) + k) = real_set(0.0);
        }
        sarrus_dense_side(mech, parameter, ws, 2 * part + side, lane_from(d, space_v(body)));
        for (int32_t k = 0; k < SPACE_NV; ++k)
            lane_at(d, space_v(body) + k) = before[k] + lane_at(d, space_v(body) + k);
    }
}

/* d [n_v] ← J_i M^{-1/2} where d is zero. */
LANE_FUNCTION void sarrus_dense_row(const sarrus_mechanism *mech, const real *parameter, const sarrus_workspace *ws, int32_t i,
                                    real *d) {
    for (int32_t side = 0; side < 2; ++side) {
        const int32_t body = side ? mech->row[i].child : mech->row[i].parent;
        if (body >= 0)
            sarrus_dense_side(mech, parameter, ws, 2 * i + side, lane_from(d, space_v(body)));
    }
    if (sarrus_row_part(mech, i) >= 0)
        sarrus_dense_part(mech, parameter, ws, sarrus_row_part(mech, i), d);
}

/* x [n] ← x + a part of M⁻¹ J_iᵀ. */
LANE_BODY void sarrus_row_weigh_part(const sarrus_mechanism *mech, const real *parameter, const sarrus_workspace *ws, int32_t part,
                                     real *x) {
    for (int32_t side = 0; side < 2; ++side) {
        const int32_t body = side ? mech->row[part].child : mech->row[part].parent;
        real before[SPACE_NV];
        if (body < 0)
            continue;
        for (int32_t k = 0; k < SPACE_NV; ++k) {
            before[k] = frame_at(x, space_v(body) + k);
            frame_at(x, space_v(body) + k) = real_set(0.0);
        }
        sarrus_row_weigh_side(mech, parameter, ws, 2 * part + side, x);
        for (int32_t k = 0; k < SPACE_NV; ++k)
            frame_at(x, space_v(body) + k) = before[k] + frame_at(x, space_v(body) + k);
    }
}

/* x [n_v] ← M⁻¹ J_iᵀ. */
LANE_BODY void sarrus_row_weigh(const sarrus_mechanism *mech, const real *parameter, const sarrus_workspace *ws, int32_t i,
                                real *x) {
    for (int32_t k = 0; k < mech->n_v; ++k)
        frame_at(x, k) = real_set(0.0);
    for (int32_t side = 0; side < 2; ++side) {
        if ((side ? mech->row[i].child : mech->row[i].parent) >= 0)
            sarrus_row_weigh_side(mech, parameter, ws, 2 * i + side, x);
    }
    if (sarrus_row_part(mech, i) >= 0)
        sarrus_row_weigh_part(mech, parameter, ws, sarrus_row_part(mech, i), x);
}

#endif

/* d [n_rows][n_v] ← J M^{-1/2}, dense. */
LANE_BODY void sarrus_dense_rows(const sarrus_mechanism *mech, const real *parameter, sarrus_workspace *ws, int is_independent,
                                 real *d) {
    const int32_t n = mech->n_v, n_rows = sarrus_rows_count(mech, is_independent);
    for (int32_t i = 0; i < n_rows * n; ++i)
        lane_at(d, i) = real_set(0.0);
    for (int32_t k = 0; k < n_rows; ++k)
        sarrus_dense_row(mech, parameter, ws, sarrus_rows_at(mech, is_independent, k), lane_from(d, k * n));
}

#endif

/* The sparse algebra of the constraint rows in the coordinates and the space of the translation unit: S = J M⁻¹ Jᵀ, and products with
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

/* What row i is judged by, with x = M⁻¹ J_iᵀ: J_i x, or over a tree what that would be of free bodies. */
LANE_FUNCTION real sarrus_row_size(const sarrus_mechanism *mech, sarrus_workspace *ws, int32_t i, const real *x) {
#if defined(SARRUS_KERNELS_RELATIVE)
    (void)mech;
    (void)x;
    return frame_at(ws->whole, i);
#else
    return sarrus_row_times(mech, ws, i, x);
#endif
}

#if !defined(SARRUS_KERNELS_RELATIVE)

/* d [n_v] ← J_i M^{-1/2} where d is zero. */
LANE_FUNCTION void sarrus_dense_row(const sarrus_mechanism *mech, const real *parameter, const sarrus_workspace *ws, int32_t i,
                                    real *d) {
    for (int32_t side = 0; side < 2; ++side) {
        const int32_t body = side ? mech->row[i].child : mech->row[i].parent;
        if (body >= 0)
            sarrus_dense_side(mech, parameter, ws, 2 * i + side, lane_from(d, space_v(body)));
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

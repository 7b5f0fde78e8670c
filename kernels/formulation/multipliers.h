/* What Udwadia-Kalaba's formulation says of a state besides its acceleration: multipliers of least norm (S5 eq 27), in the weights
 * of the plan, and the rank decision. */
#ifndef SARRUS_FORMULATION_MULTIPLIERS_H
#define SARRUS_FORMULATION_MULTIPLIERS_H

#include "kernels/formulation/dependence.h"
#include "kernels/formulation/phase.h"

/* Σ w² a b over the rows, w = 1 where the plan says nothing else. */
LANE_BODY real sarrus_multipliers_product(const sarrus_mechanism *mech, const real *a, const real *b) {
    real sum = real_set(0.0);
    if (!mech->row_weight)
        return sarrus_row_product(a, b, mech->m);
    for (int32_t i = 0; i < mech->m; ++i)
        sum = real_fma(real_set((real_scalar)mech->row_weight[i]) * lane_at(a, i), lane_at(b, i), sum);
    return sum;
}

/* Removes from the multipliers [m] their part in the null space of Jᵀ, so that they have the least norm: with the null vectors W of
 * the dependent rows, λ ← λ − W (WᵀW)⁻¹ Wᵀ λ by Cholesky (WᵀW ⪰ 1), products as above. Uses the factor in the workspace. */
LANE_BODY void sarrus_least_norm(sarrus_evaluation *ev, real *multiplier) {
    sarrus_workspace *ws = ev->ws;
    const int32_t m = sarrus_plan_of(ev)->m, n_d = sarrus_plan_of(ev)->factor.n_dependent, stride = n_d + 1;
    for (int32_t d = 0; d < n_d; ++d) {
        real *w = lane_from(ws->null_vector, d * m), *g = lane_from(ws->null_gram, d * stride);
        (void)sarrus_dependence_find(ev, d, w);
        for (int32_t e = 0; e <= d; ++e)
            lane_at(g, e) = sarrus_multipliers_product(sarrus_plan_of(ev), w, lane_from(ws->null_vector, e * m));
        lane_at(g, n_d) = sarrus_multipliers_product(sarrus_plan_of(ev), w, multiplier);
    }
    for (int32_t d = 0; d < n_d; ++d) { /* Gram = C Cᵀ, right side carried along in the last column */
        real *g = lane_from(ws->null_gram, d * stride);
        for (int32_t e = 0; e <= d; ++e) {
            const real *h = lane_from(ws->null_gram, e * stride);
            real sum = lane_at(g, e);
            for (int32_t k = 0; k < e; ++k)
                sum = real_fnma(lane_at(g, k), lane_at(h, k), sum);
            lane_at(g, e) = e == d ? real_sqrt(sum) : sum / lane_at(h, e);
        }
        real y = lane_at(g, n_d);
        for (int32_t k = 0; k < d; ++k)
            y = real_fnma(lane_at(g, k), lane_at(ws->null_gram, k * stride + n_d), y);
        lane_at(g, n_d) = y / lane_at(g, d);
    }
    for (int32_t d = n_d - 1; d >= 0; --d) {
        real x = lane_at(ws->null_gram, d * stride + n_d);
        for (int32_t e = d + 1; e < n_d; ++e) {
            x = real_fnma(lane_at(ws->null_gram, e * stride + d), lane_at(ws->null_gram, e * stride + n_d), x);
        }
        x = x / lane_at(ws->null_gram, d * stride + d);
        lane_at(ws->null_gram, d * stride + n_d) = x;
    }
    for (int32_t d = 0; d < n_d; ++d) {
        real x = lane_at(ws->null_gram, d * stride + n_d);
        const real *w = lane_from(ws->null_vector, d * m);
        for (int32_t i = 0; i < m; ++i)
            lane_at(multiplier, i) = real_fnma(x, lane_at(w, i), lane_at(multiplier, i));
    }
}

/* The same behind sarrus_correct_svd, whose multipliers have the least norm with w = 1: the columns of U that do not count span the
 * null space of Jᵀ. Made orthogonal in the products above, one after another, each takes its part away. */
LANE_BODY void sarrus_least_norm_by_svd(sarrus_evaluation *ev, real *multiplier) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    const sarrus_workspace *ws = ev->ws;
    const int32_t m = mech->m;
    if (!mech->row_weight || mech->n_rows_short > 0)
        return;
    for (int32_t i = 0; i < m; ++i) {
        real *u = lane_from(ws->u, i * m);
        const mask counts = real_lt(real_set(0.0), lane_at(ws->norm2, i));
        for (int32_t k = 0; k < m; ++k)
            lane_at(u, k) = real_select(counts, real_set(0.0), lane_at(u, k));
        for (int32_t j = 0; j < i; ++j) {
            const real *before = lane_from(ws->u, j * m);
            const real along = sarrus_multipliers_product(mech, before, u);
            for (int32_t k = 0; k < m; ++k)
                lane_at(u, k) = real_fnma(along, lane_at(before, k), lane_at(u, k));
        }
        const real scale = real_sqrt(real_inverse_or_zero(sarrus_multipliers_product(mech, u, u)));
        for (int32_t k = 0; k < m; ++k)
            lane_at(u, k) = lane_at(u, k) * scale;
        const real along = sarrus_multipliers_product(mech, u, multiplier);
        for (int32_t k = 0; k < m; ++k)
            lane_at(multiplier, k) = real_fnma(along, lane_at(u, k), lane_at(multiplier, k));
    }
}

/* μ = −λ of least norm into ws->multiplier, the acceleration into ws->a, at the rows that sarrus_accelerate left. */
LANE_BODY void sarrus_udwadia_kalaba_multipliers(sarrus_evaluation *ev) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    sarrus_workspace *ws = ev->ws;
    mask slow = ev->healthy;
    if (mech->solve == SARRUS_SOLVE_AUTO) {
        slow = mask_and(sarrus_independent_multipliers(ev, ws->rhs), ev->healthy);
        for (int32_t i = 0; i < mech->m; ++i)
            lane_at(ws->norm2, i) = frame_at(ws->multiplier, i);
        sarrus_least_norm(ev, ws->norm2);
        for (int32_t i = 0; i < mech->m; ++i)
            frame_at(ws->multiplier, i) = lane_at(ws->norm2, i);
        if (!mask_any(slow))
            return;
    }
    (void)sarrus_correct_svd(ev, ws->rhs, ev->max_rank, slow, ws->z, ws->u_rhs);
    sarrus_least_norm_by_svd(ev, ws->u_rhs);
    for (int32_t i = 0; i < mech->m; ++i) {
        frame_at(ws->multiplier, i) = real_select(slow, lane_at(ws->u_rhs, i), frame_at(ws->multiplier, i));
    }
}

/* The rank decision at the present state: that of the plan's way to the accelerations. */
LANE_BODY real sarrus_udwadia_kalaba_rank(sarrus_evaluation *ev) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    sarrus_workspace *ws = ev->ws;
    if (mech->m == 0)
        return real_set(0.0);
    if (mech->solve == SARRUS_SOLVE_AUTO && mech->rank.method != SARRUS_RANK_AUTO)
        return sarrus_correct_svd(ev, ws->phi, ev->max_rank, ev->healthy, ws->z, (real *)0).rank;
    if (mech->solve == SARRUS_SOLVE_AUTO) {
        ev->stage_violation = sarrus_rows_norm(mech, ws->phi);
        const int is_fresh = !ev->is_factored;
        mask slow = mask_and(ev->healthy, sarrus_correct_fast(ev, ws->phi));
        if (is_fresh)
            sarrus_closeness_look(ev, ws->phi);
        if (is_fresh && sarrus_rows_are_swapped(ev)) /* whoever is next finds the factor of these rows */
            slow = mask_and(ev->healthy, sarrus_correct_fast(ev, ws->phi));
        if (!mask_any(slow))
            return ev->max_rank;
        const int32_t wants_closeness = ev->wants_closeness;
        ev->wants_closeness = 0; /* it has been looked at */
        const real rank = sarrus_rank_path(ev, ws->phi, slow, SARRUS_DOUBT_ACCELERATION).rank;
        ev->wants_closeness = wants_closeness;
        return real_select(slow, rank, ev->max_rank);
    }
    sarrus_correct_dense(ev, ws->phi);
    return ev->found.rank;
}

/* The same of formulations that are written out in full (in_full.h). */
#if defined(SARRUS_DENSE_RUN)
LANE_PHASE void sarrus_in_full_multipliers(sarrus_evaluation *ev) {
    sarrus_udwadia_kalaba_multipliers(ev);
}
LANE_PHASE real sarrus_in_full_rank(sarrus_evaluation *ev) {
    return sarrus_udwadia_kalaba_rank(ev);
}
#else
LANE_FUNCTION void sarrus_in_full_multipliers(sarrus_evaluation *ev) {
    (void)ev;
}
LANE_FUNCTION real sarrus_in_full_rank(sarrus_evaluation *ev) {
    (void)ev;
    return sarrus_nan_lanes();
}
#endif

#endif

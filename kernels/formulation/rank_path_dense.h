/* The rank-revealing ways to  z = M^{-1/2} D⁺ rhs,  D = J M^{-1/2}: the singular value decomposition of all rows, and the plan's
 * method or an external solver on dense D. */
#ifndef SARRUS_FORMULATION_RANK_PATH_DENSE_H
#define SARRUS_FORMULATION_RANK_PATH_DENSE_H

#include "kernels/formulation/evaluation.h"
#include "kernels/formulation/gram.h"
#include "kernels/pinv/rank_solve.h"

/* Where the work space has no room for all rows nothing is known: NaN. */
LANE_BODY sarrus_rank_decision sarrus_svd_forgo(const sarrus_mechanism *mech, real *out, real *multiplier) {
    const real nothing = sarrus_nan_lanes();
    sarrus_rank_decision found;
    for (int32_t i = 0; i < mech->n_v; ++i)
        frame_at(out, i) = nothing;
    for (int32_t i = 0; multiplier && i < mech->m; ++i)
        lane_at(multiplier, i) = nothing;
    found.rank = found.kept = found.dropped = nothing;
    return found;
}

/* out ← M^{-1/2} D⁺ rhs through the SVD of all rows; multipliers too when asked: λ' = (Dᵀ)⁺ D⁺ rhs (so λ = −λ'). */
LANE_BODY sarrus_rank_decision sarrus_correct_svd(const sarrus_evaluation *ev, const real *rhs, real max_rank, mask active,
                                                  real *out, real *multiplier) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    sarrus_workspace *ws = ev->ws;
    sarrus_rank_solve_problem svd;
    if (mech->n_rows_short > 0)
        return sarrus_svd_forgo(mech, out, multiplier);
    svd.m = mech->m;
    svd.n = mech->n_v;
    svd.d = ws->d;
    svd.b = ws->d_rhs;
    svd.norm2 = ws->norm2;
    svd.sigma = ws->sigma;
    svd.u = multiplier ? ws->u : (real *)0;
    svd.stop = ev->stop;
    sarrus_dense_rows(mech, ev->parameter, ws, 0, ws->d);
    for (int32_t i = 0; i < mech->m; ++i)
        lane_at(ws->d_rhs, i) = frame_at(rhs, i);
    sarrus_rank_solve_rotate(&svd, active);
    sarrus_rank_limit limit = sarrus_rank_limits(ev, max_rank);
    sarrus_rank_decision found = sarrus_rank_solve_keep(&svd, &mech->rank, &limit);
    sarrus_rank_solve_apply(&svd, ws->z_other);
    if (multiplier) {
        for (int32_t i = 0; i < mech->m; ++i)
            lane_at(multiplier, i) = real_set(0.0);
        for (int32_t i = 0; i < mech->m; ++i) {
            real f = sarrus_row_product(lane_from(ws->d, i * mech->n_v), ws->z_other, mech->n_v);
            f = f * real_inverse_or_zero(lane_at(ws->norm2, i));
            for (int32_t j = 0; j < mech->m; ++j) {
                lane_at(multiplier, j) = real_fma(f, lane_at(ws->u, i * mech->m + j), lane_at(multiplier, j));
            }
        }
    }
    sarrus_state_unweigh(mech, ev->parameter, ws, ws->z_other, out);
    return found;
}

#if !defined(SARRUS_CONSTANT_PLAN)

#if defined(SARRUS_KERNELS_RELATIVE)
/* Over a tree rows may depend on nothing but its joints: all are left out then. */
LANE_BODY sarrus_rank_decision sarrus_solve_nothing(const sarrus_evaluation *ev) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    sarrus_rank_decision found;
    for (int32_t i = 0; i < mech->n_v; ++i)
        frame_at(ev->ws->z, i) = real_set(0.0);
    found.rank = found.kept = found.dropped = real_set(0.0);
    return found;
}
#endif

/* On a device an external solver is a function of the unit that it calls by name, SARRUS_EXTERNAL_DIRECT, or there is none: a call
 * through a pointer costs a stack for whatever might be behind it. */
#if LANE_IS_THREAD && !defined(SARRUS_EXTERNAL_DIRECT)
#define SARRUS_HAS_EXTERNAL 0
#else
#define SARRUS_HAS_EXTERNAL 1
#endif

/* ws->z ← D⁺ rhs of a dense problem by the plan's method or the external solver, for the lanes of `active`. */
LANE_BODY sarrus_rank_decision sarrus_solve_dense(sarrus_evaluation *ev, const real *rhs, int is_independent, mask active) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    sarrus_workspace *ws = ev->ws;
    const int32_t n_rows = sarrus_rows_count(mech, is_independent);
#if defined(SARRUS_KERNELS_RELATIVE)
    if (n_rows == 0)
        return sarrus_solve_nothing(ev);
#endif
    sarrus_rank_limit limit = sarrus_rank_limits(ev, ev->max_rank);
    const real bend = lane_at(ev->tile, mech->layout.passage.is_bend);
    const mask may_lose = mask_and(sarrus_is_crossing(ev), real_eq(bend, real_set(0.0)));
    limit.share = real_select(may_lose, limit.share, real_set(SARRUS_NOISE / SARRUS_LOST));
    sarrus_dense_rows(mech, ev->parameter, ws, is_independent, ws->d);
    for (int32_t k = 0; k < n_rows; ++k)
        lane_at(ws->d_rhs, k) = lane_at(rhs, sarrus_rows_at(mech, is_independent, k));
#if SARRUS_HAS_EXTERNAL
    if (mech->solve == SARRUS_SOLVE_EXTERNAL) {
        sarrus_rank_decision found;
        sarrus_external_problem problem;
        const real wanted = real_select(active, real_set(1.0), real_set(0.0));
        problem.m = n_rows;
        problem.n = mech->n_v;
        problem.width = LANE_WIDTH;
        problem.d = ws->d;
        problem.b = ws->d_rhs;
        problem.max_rank = &limit.max_rank;
        problem.previous = &limit.previous;
        problem.violation = &limit.violation;
        problem.share = &limit.share;
        problem.active = &wanted;
        problem.z = ws->z;
        problem.rank = &found.rank;
        problem.kept = &found.kept;
        problem.dropped = &found.dropped;
#if defined(SARRUS_EXTERNAL_DIRECT)
        SARRUS_EXTERNAL_DIRECT(ev->external_user, &problem);
#else
        ev->external(ev->external_user, &problem);
#endif
        return found;
    }
#endif
    sarrus_pinv_shape shape = sarrus_method_shape(mech, n_rows);
    sarrus_pinv_lanes lanes;
    lanes.a = ws->d;
    lanes.b = ws->d_rhs;
    lanes.x = ws->z;
    lanes.work = ws->pinv;
    lanes.active = active;
    lanes.limit = limit;
    lanes.stop = ev->stop;
    sarrus_pinv_run(&shape, &lanes);
    return lanes.found;
}

/* ws->z ← M^{-1/2} D⁺ rhs by the plan's method or the external solver; the decision into ev->found. */
LANE_BODY void sarrus_correct_dense(sarrus_evaluation *ev, const real *rhs) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    sarrus_workspace *ws = ev->ws;
    const int is_auto = mech->rank.method == SARRUS_RANK_AUTO;
    ev->found = sarrus_solve_dense(ev, rhs, is_auto, ev->healthy);
    sarrus_state_unweigh(mech, ev->parameter, ws, ws->z, ws->z);
    if (!is_auto)
        return;
    /* The rows I are those of another rank, or have lost a direction that all rows together may still hold. */
    mask is_generic = real_eq(ev->max_rank, real_set((real_scalar)mech->factor.n_independent));
    mask other = mask_and(ev->healthy, mask_not(mask_and(is_generic, real_eq(ev->found.rank, ev->max_rank))));
    if (!mask_any(other))
        return;
    for (int32_t i = 0; i < mech->n_v; ++i)
        lane_at(ws->z_other, i) = frame_at(ws->z, i);
    sarrus_rank_decision found = sarrus_solve_dense(ev, rhs, 0, other);
    sarrus_state_unweigh(mech, ev->parameter, ws, ws->z, ws->z);
    sarrus_found_replace(ev, other, &found);
    for (int32_t i = 0; i < mech->n_v; ++i)
        frame_at(ws->z, i) = real_select(other, frame_at(ws->z, i), lane_at(ws->z_other, i));
}

#endif

#endif

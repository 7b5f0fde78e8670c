/* Corrections of lanes with rows in doubt (K): those whose pivots the factor has refused, and the dependent ones, since where one
 * of the plan's rows is lost another one may still hold its direction. The other rows stand (R): the factor holds exactly them,
 * since a refused pivot is left out. With the projection P onto what R leaves free, in the metric of M,
 *
 *   x = x_R + x_K,   x_R = M⁻¹J_Rᵀ (J_R M⁻¹ J_Rᵀ)⁻¹ b_R,   r_k = P M⁻¹ J_kᵀ,   x_K = Σ_k r_k (…) with J_k x_K = b_k − J_k x_R.
 *
 * r_k is what tells row k from the standing ones: |r_k| is its singular value, known to ε and not to √ε as from a pivot of S,
 * because P is applied to it twice. The few r_k are made orthogonal by Gram-Schmidt, the largest first; one that is too small does
 * not count. The cost is two solutions with the factor a row in doubt, and nothing for the others. */
#ifndef SARRUS_FORMULATION_DOUBTFUL_ROWS_H
#define SARRUS_FORMULATION_DOUBTFUL_ROWS_H

#include "kernels/formulation/joint_rows.h"

/* What a correction does with a row in doubt that is crossed exactly: an acceleration keeps it until it is lost, a projection
 * leaves it out earlier. NONE: nobody has rows in doubt, and only closeness is asked for. */
enum { SARRUS_DOUBT_ACCELERATION = 0, SARRUS_DOUBT_PROJECTION = 1, SARRUS_DOUBT_NONE = 2 };

/* The rows in doubt of a tile: vectors r_k in ws->d [n_rows][n], weighted to M^{1/2} r; per row what is left of the right side
 * (ws->u_rhs), |r|² (ws->norm2) and the size from which on it counts (ws->sigma). */
typedef struct sarrus_doubt {
    const real *rhs; /* [m] */
    int32_t n_rows;
    mask is_over;                       /* lanes with more of them than the work space holds */
    real n_refused, n_crossed;          /* rows of the factor among them, and those that are crossed */
    real closeness[SARRUS_N_CLOSENESS]; /* (ordinary size)/|r_k|² of these, as ws->closeness has it of the others */
} sarrus_doubt;

/* ws->apart ← P M⁻¹ J_iᵀ; returns J_i M⁻¹ J_iᵀ, the row's own. */
LANE_PHASE real sarrus_row_apart(sarrus_evaluation *ev, int32_t i) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    sarrus_workspace *ws = ev->ws;
    sarrus_row_weigh(mech, ev->parameter, ws, i, ws->apart);
    const real own = sarrus_row_size(mech, ws, i, ws->apart);
    for (int pass = 0; pass < 2; ++pass) {
        PLAN_EACH (k, 0, mech->m)
            frame_at(ws->apart_rhs, k) = real_set(0.0);
        sarrus_rows_subtract(mech, ws, ws->apart_rhs, ws->apart, ws->apart_rhs);
        sarrus_standing_solve(ev, ws->apart_rhs, ws->within);
        PLAN_EACH (k, 0, mech->n_v)
            frame_at(ws->apart, k) = frame_at(ws->apart, k) + frame_at(ws->within, k);
    }
    return own;
}

/* The ordinary |r|² of row i: its ordinary pivot times what that is relative to, and as much more as its block, or in space its
 * joint (joint_rows.h), is nearer to losing a direction than the row alone tells. In the factor it is element `at` of vectors in
 * elimination order, judged as its pivot is; −1: it is a dependent one. `own`: J_i M⁻¹ J_iᵀ. */
LANE_FUNCTION real sarrus_doubt_ordinary(const sarrus_evaluation *ev, int32_t i, int32_t at, real own) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    if (at < 0)
        return own * real_set(mech->ordinary);
    const real guard = sarrus_factor_guard(ev), unit = real_set(1.0) / guard, more = guard / real_set(mech->guard);
    const real size = unit * real_max(frame_at(ev->ws->diagonal, at), own * real_set(mech->factor.guard[at]) * more);
    return size * (sarrus_closeness_asks_joints(mech) ? sarrus_joint_excess(ev, i, at) : sarrus_ldlt_excess(ev->ws, at));
}

/* Takes row i (element `place`, see above) in, in the lanes of `here`, and returns its closeness. `share` of its ordinary size has
 * to be left for the row to count. */
LANE_BODY real sarrus_doubt_take(sarrus_evaluation *ev, int32_t i, int32_t place, mask here, real share, sarrus_doubt *doubt) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    sarrus_workspace *ws = ev->ws;
    const real zero = real_set(0.0);
    if (doubt->n_rows == mech->m - mech->n_rows_short) {
        doubt->is_over = mask_or(doubt->is_over, here);
        return zero;
    }
    const int32_t at = doubt->n_rows++;
    const real rest = frame_at(doubt->rhs, i) - sarrus_whole_row_times(mech, ws, i, ws->z);
    real size = zero;
    const real ordinary = sarrus_doubt_ordinary(ev, i, place, sarrus_row_apart(ev, i));
    real *r = lane_from(ws->d, at * mech->n_v);
    sarrus_state_weigh(mech, ev->parameter, ws, ws->apart, r);
    for (int32_t k = 0; k < mech->n_v; ++k) {
        lane_at(r, k) = real_select(here, lane_at(r, k), zero);
        size = real_fma(lane_at(r, k), lane_at(r, k), size);
    }
    lane_at(ws->norm2, at) = size;
    lane_at(ws->sigma, at) = share * ordinary;
    lane_at(ws->u_rhs, at) = real_select(here, rest, zero);
    const real closeness = real_select(here, real_min(ordinary / real_max(size, real_set(1e-300)), real_set(1e30)), zero);
    return closeness;
}

/* The share of |r|² from which on a row counts, where it is crossed exactly and elsewhere. Where another row bends meanwhile the
 * steps are short: a row that was left out as early as in a crossing alone would be so for many of them. */
LANE_BODY real sarrus_doubt_share(const sarrus_evaluation *ev, mask is_crossed, int how) {
    const mask is_bend = real_lt(real_set(0.0), lane_at(ev->tile, sarrus_plan_of(ev)->layout.passage.is_bend));
    real least;
    if (how == SARRUS_DOUBT_PROJECTION)
        least = real_select(is_bend, real_set(SARRUS_LEFT_OUT_IN_BEND), real_set(SARRUS_LEFT_OUT));
    else
        least = real_select(is_bend, real_set(SARRUS_LOST_LEAST), sarrus_lost_share(ev));
    return real_select(is_crossed, least * least, real_set(SARRUS_NOISE * SARRUS_NOISE));
}

/* Row i of the factor, element `at` of vectors in elimination order. */
LANE_PHASE void sarrus_doubt_take_factored(sarrus_evaluation *ev, int32_t i, int32_t at, mask slow, int how, sarrus_doubt *doubt) {
    sarrus_workspace *ws = ev->ws;
    const real zero = real_set(0.0);
    const mask is_crossed = ev->crossed ? real_lt(zero, lane_at(ev->crossed, at)) : mask_none();
    const mask here = mask_and(slow, real_eq(frame_at(ws->inverse, at), zero));
    /* where rows are swapped, what is lost may be left in any one of them */
    const mask may_cross = mask_or(is_crossed, mask_and(ev->is_swapped, sarrus_is_crossing(ev)));
    doubt->n_refused = doubt->n_refused + real_select(here, real_set(1.0), zero);
    if (!mask_any(here))
        return;
    const real closeness = sarrus_doubt_take(ev, i, at, here, sarrus_doubt_share(ev, may_cross, how), doubt);
    doubt->closeness[0] = real_max(real_select(is_crossed, zero, closeness), doubt->closeness[0]);
    doubt->closeness[1] = real_max(closeness, doubt->closeness[1]);
    real *const rows = sarrus_rows_seen(ev);
    if (rows) /* where rows are swapped theirs is known */
        lane_at(rows, at) = real_select(mask_and(here, mask_not(ev->is_swapped)), closeness, lane_at(rows, at));
}

/* All rows in doubt of the lanes of `slow`; ws->z holds x_R. A projection sees the plan's rows alone, except in an instance of
 * another rank. */
LANE_BODY void sarrus_doubt_gather(sarrus_evaluation *ev, const real *rhs, mask slow, int how, sarrus_doubt *doubt) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    mask other = mask_and(slow, mask_not(real_eq(ev->max_rank, real_set((real_scalar)mech->factor.n_independent))));
    other = mask_or(other, mask_and(slow, ev->is_swapped));
    if (how == SARRUS_DOUBT_ACCELERATION)
        other = slow;
    doubt->rhs = rhs;
    doubt->n_rows = 0;
    doubt->is_over = mask_none();
    doubt->n_refused = doubt->closeness[0] = doubt->closeness[1] = real_set(0.0);
    PLAN_RUNS(FACTORED, k, lap, 0, mech->factor.n_rows,
              sarrus_doubt_take_factored(ev, PLAN_INDEX(PLAN_AT(mech, row, k, lap)), PLAN_INDEX(PLAN_AT(mech, at, k, lap)), slow,
                                         how, doubt))
    for (int32_t d = 0; d < mech->factor.n_dependent && mask_any(other); ++d) {
        (void)sarrus_doubt_take(ev, mech->factor.dependent[d], -1, other, sarrus_doubt_share(ev, sarrus_is_crossing(ev), how),
                                doubt);
    }
}

/* Rows a and b of the rows in doubt exchanged where `on`. */
LANE_BODY void sarrus_doubt_exchange(const sarrus_evaluation *ev, int32_t a, int32_t b, mask on) {
    sarrus_workspace *ws = ev->ws;
    const int32_t n = sarrus_plan_of(ev)->n_v;
    real *const numbers[3] = {ws->norm2, ws->sigma, ws->u_rhs};
    for (int32_t k = 0; k < 3; ++k) {
        real x = lane_at(numbers[k], a), y = lane_at(numbers[k], b);
        lane_at(numbers[k], a) = real_select(on, y, x);
        lane_at(numbers[k], b) = real_select(on, x, y);
    }
    for (int32_t k = 0; k < n; ++k) {
        real x = lane_at(ws->d, a * n + k), y = lane_at(ws->d, b * n + k);
        lane_at(ws->d, a * n + k) = real_select(on, y, x);
        lane_at(ws->d, b * n + k) = real_select(on, x, y);
    }
}

LANE_BODY real sarrus_lanes_product(const real *x, const real *y, int32_t n) {
    real sum = real_set(0.0);
    for (int32_t k = 0; k < n; ++k)
        sum = real_fma(lane_at(x, k), lane_at(y, k), sum);
    return sum;
}

/* Row b less its part along row a, whose right side comes with it. */
LANE_BODY void sarrus_doubt_reduce(const sarrus_evaluation *ev, int32_t a, int32_t b, real inverse) {
    sarrus_workspace *ws = ev->ws;
    const int32_t n = sarrus_plan_of(ev)->n_v;
    const real *along = lane_from(ws->d, a * n);
    real *r = lane_from(ws->d, b * n), taken = real_set(0.0);
    for (int pass = 0; pass < 2; ++pass) {
        real part = sarrus_lanes_product(along, r, n) * inverse;
        for (int32_t k = 0; k < n; ++k)
            lane_at(r, k) = real_fnma(part, lane_at(along, k), lane_at(r, k));
        taken = taken + part;
    }
    lane_at(ws->norm2, b) = sarrus_lanes_product(r, r, n);
    lane_at(ws->u_rhs, b) = real_fnma(taken, lane_at(ws->u_rhs, a), lane_at(ws->u_rhs, b));
}

/* ws->z_other ← M^{1/2} x_K from the rows in doubt, and how many count, the largest first. */
LANE_BODY real sarrus_doubt_solve(const sarrus_evaluation *ev, int32_t n_rows, real n_most) {
    const int32_t n = sarrus_plan_of(ev)->n_v;
    sarrus_workspace *ws = ev->ws;
    const real zero = real_set(0.0), one = real_set(1.0);
    real n_kept = zero;
    for (int32_t k = 0; k < n; ++k)
        lane_at(ws->z_other, k) = zero;
    for (int32_t s = 0; s < n_rows; ++s) {
        for (int32_t j = s + 1; j < n_rows; ++j)
            sarrus_doubt_exchange(ev, s, j, real_lt(lane_at(ws->norm2, s), lane_at(ws->norm2, j)));
        real size = lane_at(ws->norm2, s);
        const mask keep = mask_and(real_lt(lane_at(ws->sigma, s), size), real_lt(n_kept, n_most));
        real inverse = real_select(keep, one / real_select(keep, size, one), zero), f = lane_at(ws->u_rhs, s) * inverse;
        n_kept = n_kept + real_select(keep, one, zero);
        for (int32_t k = 0; k < n; ++k)
            lane_at(ws->z_other, k) = real_fma(f, lane_at(ws->d, s * n + k), lane_at(ws->z_other, k));
        for (int32_t j = s + 1; j < n_rows; ++j)
            sarrus_doubt_reduce(ev, s, j, inverse);
    }
    return n_kept;
}

/* The closeness of the rows in doubt joins that of the others, in the lanes of `slow`; where rows are swapped it is known. */
LANE_BODY void sarrus_doubt_show_closeness(sarrus_workspace *ws, mask slow, const sarrus_doubt *doubt) {
    for (int32_t k = 0; k < SARRUS_N_CLOSENESS; ++k)
        frame_at(ws->closeness, k) = real_max(real_select(slow, doubt->closeness[k], real_set(0.0)), frame_at(ws->closeness, k));
}

/* ws->z ← x for the lanes of `slow`, in which the factor of the present rows has refused a pivot or the rank is another one. Leaves
 * ws->closeness as it is in these lanes, the rows in doubt included; overwrites ws->multiplier and the swings of the cranks. */
LANE_BODY sarrus_rank_decision sarrus_correct_doubtful(sarrus_evaluation *ev, const real *rhs, mask slow, int how) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    sarrus_workspace *ws = ev->ws;
    const real zero = real_set(0.0);
    sarrus_doubt doubt;
    sarrus_rank_decision found;
    sarrus_standing_solve(ev, rhs, ws->z);
    sarrus_doubt_gather(ev, rhs, slow, how, &doubt);
    if (!mask_any(mask_and(slow, mask_not(doubt.is_over)))) /* nobody is left whose rows count */
        doubt.n_rows = 0;
    real n_standing = real_set((real_scalar)mech->factor.n_independent) - doubt.n_refused;
    found.rank = n_standing + sarrus_doubt_solve(ev, doubt.n_rows, ev->max_rank - n_standing);
    found.kept = found.dropped = zero;
    sarrus_state_unweigh(mech, ev->parameter, ws, ws->z_other, ws->within);
    for (int32_t k = 0; k < mech->n_v; ++k)
        frame_at(ws->z, k) = frame_at(ws->z, k) + real_select(doubt.is_over, sarrus_nan_lanes(), frame_at(ws->within, k));
    sarrus_doubt_show_closeness(ws, mask_and(slow, mask_not(ev->is_swapped)), &doubt);
    return found;
}

#endif

/* How near a change point lanes are whose plan's rows say so while other rows do not.
 *
 * The pivots of the factor tell how near the plan's rows come to depending on one another. Where a loop has redundant rows they may
 * do so in a configuration in which all rows together lose nothing: a dependent row holds the direction there, no branch leaves it,
 * and whoever took it for a change point would stop a motion that is as regular as any. So rows whose pivots have sunk (K, by the
 * factor with a larger guard) are held against the dependent ones (D): r = P M⁻¹Jᵀ of each, as doubtful_rows.h has them, made
 * orthogonal by Gram-Schmidt, at every turn the one first that has the largest part of its ordinary size. As many as are missing
 * from the rank are taken; the last one's (ordinary size)/|r|² is the closeness of all rows. Where some of the plan's rows are
 * crossed exactly, that of the others is told with as many less.
 *
 * Closeness by pivots stays where the two tell the same but for a factor: the order of elimination makes as much. Where they do not
 * it is that factor times the closeness of all rows, or by that factor less where the pivots tell less: the ordinary pivot of a row
 * that nearly depends on another one is small, and it seems far away until it is almost there. Dependent rows stand in for the sunk
 * ones then until closeness is asked for again, in all that the step does: errors of the state, which all rows hold off alike,
 * would come back from sunk ones many times.
 */
#ifndef SARRUS_FORMULATION_CLOSENESS_OF_ALL_H
#define SARRUS_FORMULATION_CLOSENESS_OF_ALL_H

#include "kernels/formulation/doubtful_rows.h"

/* By what closeness may differ for other reasons than the choice of rows. */
#define SARRUS_CLOSENESS_ALIKE 4.0
/* How much faster than the distance by pivots falls that of all rows is let in. */
#define SARRUS_CLOSENESS_RISE 8.0

/* Takes row i (element `at` in elimination order, −1: a dependent one) in, in the lanes of `here`: r into ws->d, |r|² and the
 * ordinary one into ws->norm2 and ws->sigma. */
LANE_PHASE void sarrus_closeness_take_row(sarrus_evaluation *ev, int32_t i, int32_t at, mask here, sarrus_doubt *doubt) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    sarrus_workspace *ws = ev->ws;
    const real zero = real_set(0.0);
    if (doubt->n_rows == mech->m - mech->n_rows_short) {
        doubt->is_over = mask_or(doubt->is_over, here);
        return;
    }
    const int32_t k = doubt->n_rows++;
    const real ordinary = sarrus_doubt_ordinary(ev, i, at, sarrus_row_apart(ev, i));
    real *r = lane_from(ws->d, k * mech->n_v), size = zero;
    sarrus_state_weigh(mech, ev->parameter, ws, ws->apart, r);
    for (int32_t n = 0; n < mech->n_v; ++n) {
        lane_at(r, n) = real_select(here, lane_at(r, n), zero);
        size = real_fma(lane_at(r, n), lane_at(r, n), size);
    }
    lane_at(ws->norm2, k) = size;
    lane_at(ws->sigma, k) = real_select(here, ordinary, real_set(1.0));
    lane_at(ws->u_rhs, k) = zero;
}

/* Row i of the factor, element `at`, where its pivot has sunk. */
LANE_FUNCTION void sarrus_closeness_take_sunk(sarrus_evaluation *ev, int32_t i, int32_t at, mask near, sarrus_doubt *doubt) {
    const mask here = mask_and(near, real_eq(frame_at(ev->ws->inverse, at), real_set(0.0)));
    const mask is_crossed = ev->crossed ? real_lt(real_set(0.0), lane_at(ev->crossed, at)) : mask_none();
    doubt->n_refused = doubt->n_refused + real_select(here, real_set(1.0), real_set(0.0));
    doubt->n_crossed = doubt->n_crossed + real_select(mask_and(here, is_crossed), real_set(1.0), real_set(0.0));
    if (mask_any(here))
        sarrus_closeness_take_row(ev, i, at, here, doubt);
}

/* Closeness of the rows that have been taken in, by Gram-Schmidt: all[1] of as many as the rank needs, all[0] without those that
 * are crossed. */
LANE_BODY void sarrus_closeness_rest(const sarrus_evaluation *ev, const sarrus_doubt *doubt, real *all) {
    sarrus_workspace *ws = ev->ws;
    const real zero = real_set(0.0), one = real_set(1.0), least = real_set(1e-300);
    const real n_wanted[SARRUS_N_CLOSENESS] = {doubt->n_refused - doubt->n_crossed, doubt->n_refused};
    all[0] = all[1] = zero;
    for (int32_t s = 0; s < doubt->n_rows; ++s) {
        for (int32_t j = s + 1; j < doubt->n_rows; ++j)
            sarrus_doubt_exchange(
                ev, s, j, real_lt(lane_at(ws->norm2, s) * lane_at(ws->sigma, j), lane_at(ws->norm2, j) * lane_at(ws->sigma, s)));
        const real size = lane_at(ws->norm2, s);
        const mask is_left = real_lt(least, size);
        const real closeness = real_min(lane_at(ws->sigma, s) / real_max(size, least), real_set(1e30));
        for (int32_t k = 0; k < SARRUS_N_CLOSENESS; ++k)
            all[k] = real_max(real_select(real_lt(real_set((real_scalar)s), n_wanted[k]), closeness, zero), all[k]);
        const real inverse = real_select(is_left, one / real_select(is_left, size, one), zero);
        for (int32_t j = s + 1; j < doubt->n_rows; ++j)
            sarrus_doubt_reduce(ev, s, j, inverse);
    }
}

/* What closeness by pivots, in the lanes where it is more than SARRUS_CLOSENESS_NEAR, may become at least: the distance x rises
 * from there to that of all rows, and does not leap. It must not stand still either: a change point that all rows come to fast
 * would not be seen to come. A look ahead takes that of all rows as it is. In the plane both fall alike, and x stays. */
LANE_FUNCTION real sarrus_closeness_ramp(real closeness) {
    if (SPACE_DIMENSION == 2)
        return real_set(SARRUS_CLOSENESS_NEAR);
    const real edge = real_set(0.2), one = real_set(1.0); /* edge: 1/√SARRUS_CLOSENESS_NEAR */
    const real x = real_fma(real_set(SARRUS_CLOSENESS_RISE), edge - real_min(one / real_sqrt(closeness), edge), edge);
    return one / (x * x);
}

/* least, all ← what closeness has to be between in the lanes of `near`, whose factor is made with the larger guard, by all rows;
 * without bounds where there is no room for them. */
LANE_BODY void sarrus_closeness_of_all(sarrus_evaluation *ev, mask near, real *least, real *all) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    sarrus_doubt doubt;
    doubt.n_rows = 0;
    doubt.is_over = mask_none();
    doubt.n_refused = doubt.n_crossed = real_set(0.0);
    PLAN_RUNS(
        FACTORED, k, lap, 0, mech->factor.n_rows,
        sarrus_closeness_take_sunk(ev, PLAN_INDEX(PLAN_AT(mech, row, k, lap)), PLAN_INDEX(PLAN_AT(mech, at, k, lap)), near, &doubt))
    for (int32_t d = 0; d < mech->factor.n_dependent; ++d)
        sarrus_closeness_take_row(ev, mech->factor.dependent[d], -1, near, &doubt);
    sarrus_closeness_rest(ev, &doubt, all);
    const real ramp = sarrus_closeness_ramp(frame_at(ev->ws->closeness, 1));
    for (int32_t k = 0; k < SARRUS_N_CLOSENESS; ++k) {
        least[k] = real_select(doubt.is_over, real_set(0.0), real_set(1.0 / SARRUS_CLOSENESS_ALIKE) * all[k]);
        all[k] = real_select(doubt.is_over, real_set(1e30), real_set(SARRUS_CLOSENESS_ALIKE) * all[k]);
        all[k] = real_max(all[k], ev->is_looking && SPACE_DIMENSION == 3 ? real_set(1.0) : ramp);
    }
}

/* ws->closeness becomes that of all rows where that of the plan's rows is another one. Uses `rhs` for a right side; the factor is
 * that of the rows that stand then. Overwrites ws->multiplier and what rows in doubt use, but for ws->z. */
LANE_BODY void sarrus_closeness_mend(sarrus_evaluation *ev, const real *rhs) {
    sarrus_workspace *ws = ev->ws;
    if (sarrus_closeness_asks_joints(sarrus_plan_of(ev))) {
        sarrus_closeness_of_joints(ev);
        return;
    }
    const mask near = sarrus_closeness_is_near(ev), asked = mask_and(near, ev->asks_all);
    const int32_t wants_closeness = ev->wants_closeness;
    real all[SARRUS_N_CLOSENESS], least[SARRUS_N_CLOSENESS];
    mask other = mask_none();
    if (!mask_any(near))
        return;
    ev->wants_closeness = 0;
    ev->is_factored = 0;
    ev->is_strict = 1;
    (void)sarrus_correct_fast(ev, rhs);
    sarrus_closeness_of_all(ev, near, least, all);
    for (int32_t k = 0; k < SARRUS_N_CLOSENESS; ++k)
        other = mask_or(other, mask_and(near, mask_or(real_lt(all[k], frame_at(ws->closeness, k)),
                                                      real_lt(frame_at(ws->closeness, k), least[k]))));
    for (int32_t k = 0; k < SARRUS_N_CLOSENESS; ++k) {
        const real held = real_max(real_min(all[k], frame_at(ws->closeness, k)), least[k]);
        const real now = real_select(other, held, frame_at(ws->closeness, k));
        frame_at(ws->closeness, k) = real_select(asked, all[k], now);
    }
    real *const rows = sarrus_rows_seen(ev);
    for (int32_t k = 0; rows && k < 2 * sarrus_plan_of(ev)->factor.n_blocks; ++k) {
        const mask is_crossed = ev->crossed ? real_lt(real_set(0.0), lane_at(ev->crossed, k)) : mask_none();
        const real most = real_select(is_crossed, all[1], all[0]);
        lane_at(rows, k) = real_select(other, real_min(most, lane_at(rows, k)), lane_at(rows, k));
    }
    ev->is_swapped = mask_or(ev->is_swapped, other);
    ev->is_strict = 0;
    ev->is_factored = 0;
    (void)sarrus_correct_fast(ev, rhs);
    ev->wants_closeness = wants_closeness;
}

#endif

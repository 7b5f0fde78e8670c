/* How a dependent row hangs on the independent ones: with x_d = M⁻¹ J_dᵀ the null vector of Jᵀ is
 *
 *   w = (S_I⁻¹ J_I x_d on the rows I, −1 on d),   and   J_d x_d − (J_I x_d)·w_I
 *
 * is the part of J_d M⁻¹ J_dᵀ that lies outside the span of I: 0 where the dependence holds. */
#ifndef SARRUS_FORMULATION_DEPENDENCE_H
#define SARRUS_FORMULATION_DEPENDENCE_H

#include "kernels/formulation/udwadia_kalaba.h"

/* ws->multiplier ← S_I⁻¹ b on all rows I, those of crank pins included; uses ws->z. Returns the lanes whose factor is refused. */
LANE_BODY mask sarrus_independent_multipliers(sarrus_evaluation *ev, const real *b) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    sarrus_workspace *ws = ev->ws;
    mask slow = sarrus_correct_fast(ev, b);
    for (int32_t i = 0; i < mech->n_v; ++i)
        frame_at(ws->z, i) = real_set(0.0);
    sarrus_rows_loads(mech, ev->parameter, ws, b);
    return slow;
}

/* What of a dependent row lies in the span of the rows I and what does not. */
typedef struct sarrus_dependence {
    real own, outside; /* J_d M⁻¹ J_dᵀ, and its part outside the span */
} sarrus_dependence;

/* w [m] ← the null vector of dependent row d of the plan's list; uses ws->z, ws->z_other, ws->d_rhs and ws->multiplier. */
LANE_BODY sarrus_dependence sarrus_dependence_find(sarrus_evaluation *ev, int32_t d, real *w) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    sarrus_workspace *ws = ev->ws;
    const int32_t row = mech->factor.dependent[d];
    sarrus_dependence found;
    sarrus_row_weigh(mech, ev->parameter, ws, row, ws->z_other);
    for (int32_t i = 0; i < mech->m; ++i)
        lane_at(w, i) = real_set(0.0);
    sarrus_rows_subtract(mech, ws, w, ws->z_other, ws->d_rhs);
    for (int32_t i = 0; i < mech->m; ++i)
        lane_at(ws->d_rhs, i) = -lane_at(ws->d_rhs, i);
    (void)sarrus_independent_multipliers(ev, ws->d_rhs);
    found.own = found.outside = lane_at(ws->d_rhs, row);
    for (int32_t k = 0; k < mech->factor.n_independent; ++k) {
        const int32_t i = mech->independent[k];
        lane_at(w, i) = frame_at(ws->multiplier, i);
        found.outside = real_fnma(lane_at(ws->d_rhs, i), lane_at(w, i), found.outside);
    }
    lane_at(w, row) = real_set(-1.0);
    return found;
}

#endif

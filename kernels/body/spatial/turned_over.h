/* Joints whose rows are met by other directions than theirs: p_i·c_j = 0 holds of c_j and of −c_j. No motion leads from one to the
 * other, but a projection from far away may end there. */
#ifndef SARRUS_BODY_SPATIAL_TURNED_OVER_H
#define SARRUS_BODY_SPATIAL_TURNED_OVER_H

#include "kernels/body/spatial/rows.h"

/* p_k·c_k that is as good as 1: what rows leave of it is the square of their error. */
#define SARRUS_AXES_ARE_ONE 0.999

/* Whether a joint holds turns about axis k = 1, 2, 3, by a row ACROSS of the two others: 12, 23, 31, 13, 21, 32 leave out 3, 1, 2,
 * 2, 3, 1. */
LANE_FUNCTION int sarrus_joint_holds_turn(const sarrus_mechanism *mech, const sarrus_mech_joint *joint, int32_t k) {
    int is_held = 0;
    for (int32_t i = joint->row; i < joint->row + joint->n_rows; ++i) {
        const int32_t n = mech->row[i].form - SARRUS_SPATIAL_ROW_ACROSS_12;
        is_held = is_held || (n >= 0 && n < 6 && k == (n < 3 ? n + 2 : n + 1) % 3 + 1);
    }
    return is_held;
}

/* Lanes in which a joint that holds turns about two axes has its third one, p_k and c_k, apart; about three, any. */
LANE_BODY mask sarrus_joints_turned_over(const sarrus_mechanism *mech, const real *parameter, sarrus_workspace *ws, const real *q,
                                         const real *v) {
    mask over = mask_none();
    sarrus_rotations(mech, q, ws);
    for (int32_t j = 0; j < mech->n_joints; ++j) {
        const sarrus_mech_joint *joint = &mech->joint[j];
        int n_held = 0;
        for (int32_t k = 1; k <= 3; ++k)
            n_held += sarrus_joint_holds_turn(mech, joint, k);
        if (n_held < 2)
            continue;
        sarrus_joint_here at;
        sarrus_joint_look(ws, parameter, joint, q, v, &at);
        for (int32_t k = 1; k <= 3; ++k)
            if (n_held == 3 || !sarrus_joint_holds_turn(mech, joint, k)) {
                const real one = space_dot(sarrus_parent_axis(&at, k), sarrus_child_axis(&at, k));
                over = mask_or(over, real_lt(one, real_set(SARRUS_AXES_ARE_ONE)));
            }
    }
    return over;
}

#endif

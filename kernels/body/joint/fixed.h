/* Fixed: the rows of a revolute joint, and Φ = θ_child − θ_parent − θ0. */
#ifndef SARRUS_BODY_JOINT_FIXED_H
#define SARRUS_BODY_JOINT_FIXED_H

#include "kernels/body/joint/revolute.h"

LANE_FUNCTION void sarrus_fixed_rows(sarrus_workspace *ws, const sarrus_joint_here *at, int wanted) {
    sarrus_revolute_rows(ws, at, wanted);
    sarrus_row_angle(ws, at->joint->row + 2, at->joint, lane_at(at->p, SARRUS_PJ_ANGLE0), at->q, at->v);
}

/* sum + |Φ|². */
LANE_FUNCTION real sarrus_fixed_violation_squared(sarrus_workspace *ws, const sarrus_joint_here *at, real sum) {
    const real angle = sarrus_joint_angle(ws, at->joint, lane_at(at->p, SARRUS_PJ_ANGLE0), at->q);
    return real_fma(angle, angle, sarrus_revolute_violation_squared(ws, at, sum));
}

#endif

/* Revolute: Φ = p_child − p_parent, two rows. */
#ifndef SARRUS_BODY_JOINT_REVOLUTE_H
#define SARRUS_BODY_JOINT_REVOLUTE_H

#include "kernels/body/kinematics.h"

LANE_FUNCTION void sarrus_revolute_rows(sarrus_workspace *ws, const sarrus_joint_here *at, int wanted) {
    sarrus_rows_pin(ws, at->joint->row, &at->parent, &at->child, wanted);
}

/* sum + |Φ|². */
LANE_FUNCTION real sarrus_revolute_open2(sarrus_workspace *ws, const sarrus_joint_here *at, real sum) {
    const real dx = at->child.x - at->parent.x, dy = at->child.y - at->parent.y;
    (void)ws;
    return real_fma(dx, dx, real_fma(dy, dy, sum));
}

#endif

/* Free coordinates of joints in the plane and their rates, as springs and drives see them, to be shown. */
#ifndef SARRUS_BODY_JOINT_MOTION_H
#define SARRUS_BODY_JOINT_MOTION_H

#include "kernels/body/row_parts.h"

/* x [n_joint_numbers] of all joints that have a free coordinate, and the rates of it; NULL: not wanted. The rotations and ground
 * are there. */
LANE_BODY void sarrus_joints_show(const sarrus_mechanism *mech, const real *parameter, sarrus_workspace *ws, const real *q,
                                  const real *v, real *x, real *rate) {
    int32_t n = 0;
    for (int32_t i = 0; i < mech->n_joints; ++i) {
        const sarrus_mech_joint *joint = &mech->joint[i];
        const int slides = SARRUS_JOINT_AMONG(SARRUS_JOINTS_THAT_SLIDE, joint->kind);
        if (!slides && !SARRUS_JOINT_AMONG(SARRUS_JOINTS_THAT_TURN, joint->kind))
            continue;
        const real *p = lane_from(parameter, joint->p);
        real here, now;
        if (slides) {
            const sarrus_joint_here at = sarrus_joint_find(ws, parameter, joint, q, v);
            real ux, uy;
            sarrus_vector_of(ws, joint->parent, lane_at(p, SARRUS_PJ_AXIS_X), lane_at(p, SARRUS_PJ_AXIS_Y), &ux, &uy);
            const sarrus_row_value row = sarrus_row_along(&at.parent, &at.child, ux, uy);
            here = row.phi - lane_at(p, SARRUS_PJ_SHIFT0);
            now = row.phi_dot;
        } else {
            here = sarrus_joint_angle(ws, joint, lane_at(p, SARRUS_PJ_ANGLE0), q);
            now = sarrus_joint_turning(ws, joint, v);
        }
        if (x)
            lane_at(x, n) = here;
        if (rate)
            lane_at(rate, n) = now;
        ++n;
    }
}

#endif

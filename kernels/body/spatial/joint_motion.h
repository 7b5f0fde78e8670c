/* Free coordinates of joints in space and their rates, as springs, dampers and drives see them, to be shown. */
#ifndef SARRUS_BODY_SPATIAL_JOINT_MOTION_H
#define SARRUS_BODY_SPATIAL_JOINT_MOTION_H

#include "kernels/body/spatial/elastic.h"

/* A rotation vector or, of VECTOR_k, its part k. Its rate is the turning of the child seen from the parent, in the parent's axes:
 * what dampers see, and the derivative only as long as the axis stays. */
LANE_FUNCTION void sarrus_ball_show(const sarrus_mech_freedom *freedom, space_vector s, real *out) {
    if (freedom->form == SARRUS_FREEDOM_BALL)
        space_vector_put(s, lane_from(out, freedom->at));
    else
        lane_at(out, freedom->at) = sarrus_component(s, freedom->form - SARRUS_FREEDOM_VECTOR_1);
}

/* x [n_joint_numbers] of all joints, and the rates; NULL: not wanted. Angles are followed from where they were seen last. The
 * rotations and ground are there. */
LANE_BODY void sarrus_joints_show(const sarrus_mechanism *mech, const real *parameter, sarrus_workspace *ws, const real *q,
                                  const real *v, real *x, real *rate) {
    for (int32_t i = 0; i < mech->n_freedoms; ++i) {
        const sarrus_mech_freedom *freedom = &mech->freedom[i];
        sarrus_joint_here at;
        sarrus_joint_look(ws, parameter, &mech->joint[freedom->joint], q, v, &at);
        if (!sarrus_freedom_has_row(freedom->form)) {
            if (x)
                sarrus_ball_show(freedom, sarrus_rotation_vector(&at), x);
            if (rate)
                sarrus_ball_show(freedom, sarrus_into_axes(&at, sarrus_vector_less(at.child.omega, at.parent.omega)), rate);
            continue;
        }
        const sarrus_row_value row = sarrus_freedom_row(ws, parameter, &at, freedom);
        if (x)
            lane_at(x, freedom->at) = row.phi;
        if (rate)
            lane_at(rate, freedom->at) = row.phi_dot;
    }
}

#endif

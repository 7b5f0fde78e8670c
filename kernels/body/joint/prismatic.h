/* Prismatic: Φ = n·(p_child − p_parent), n across the axis and turning with the parent, and Φ = θ_child − θ_parent − θ0. */
#ifndef SARRUS_BODY_JOINT_PRISMATIC_H
#define SARRUS_BODY_JOINT_PRISMATIC_H

#include "kernels/body/row_parts.h"

/* The row along n. */
LANE_FUNCTION sarrus_row_value sarrus_prismatic_normal(sarrus_workspace *ws, const sarrus_joint_here *at) {
    real nx, ny;
    sarrus_vector_of(ws, at->joint->parent, -lane_at(at->p, SARRUS_PJ_AXIS_Y), lane_at(at->p, SARRUS_PJ_AXIS_X), &nx, &ny);
    return sarrus_row_along(&at->parent, &at->child, nx, ny);
}

LANE_FUNCTION void sarrus_prismatic_rows(sarrus_workspace *ws, const sarrus_joint_here *at, int wanted) {
    const sarrus_row_value row = sarrus_prismatic_normal(ws, at);
    (void)wanted;
    sarrus_row_store(ws, at->joint->row, &row);
    sarrus_row_angle(ws, at->joint->row + 1, at->joint, lane_at(at->p, SARRUS_PJ_ANGLE0), at->q, at->v);
}

/* sum + |Φ|². */
LANE_FUNCTION real sarrus_prismatic_violation_squared(sarrus_workspace *ws, const sarrus_joint_here *at, real sum) {
    const real phi = sarrus_prismatic_normal(ws, at).phi;
    const real angle = sarrus_joint_angle(ws, at->joint, lane_at(at->p, SARRUS_PJ_ANGLE0), at->q);
    return real_fma(angle, angle, real_fma(phi, phi, sum));
}

#endif

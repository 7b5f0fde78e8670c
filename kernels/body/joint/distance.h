/* Distance: the two points keep their distance, one row. */
#ifndef SARRUS_BODY_JOINT_DISTANCE_H
#define SARRUS_BODY_JOINT_DISTANCE_H

#include "kernels/body/row_parts.h"

/* Φ = |d| − L with w = d/|d|:  Φ̇ = w·ḋ,  γ = ω_c² w·ρ_c − ω_p² w·ρ_p − (|ḋ|² − Φ̇²)/|d|. At d = 0 the row is zero. */
LANE_FUNCTION sarrus_row_value sarrus_row_distance(const sarrus_point *p, const sarrus_point *c, real length) {
    sarrus_row_value row;
    real dx = c->x - p->x, dy = c->y - p->y;
    real dvx = c->vx - p->vx, dvy = c->vy - p->vy;
    real distance = real_sqrt(real_fma(dx, dx, dy * dy));
    real inverse = real_inverse_or_zero(distance);
    real wx = dx * inverse, wy = dy * inverse;
    row.ex = wx;
    row.ey = wy;
    row.phi = distance - length;
    row.phi_dot = real_fma(wx, dvx, wy * dvy);
    row.turn_child = real_fnma(wx, c->arm_y, wy * c->arm_x);
    row.turn_parent = -real_fnma(wx, p->arm_y, wy * p->arm_x);
    real along_c = real_fma(wx, c->arm_x, wy * c->arm_y), along_p = real_fma(wx, p->arm_x, wy * p->arm_y);
    real sideways2 = real_fnma(row.phi_dot, row.phi_dot, real_fma(dvx, dvx, dvy * dvy));
    row.gamma = real_fnma(sideways2, inverse, real_fnma(p->omega * p->omega, along_p, c->omega * c->omega * along_c));
    return row;
}

LANE_FUNCTION void sarrus_distance_rows(sarrus_workspace *ws, const sarrus_joint_here *at, int wanted) {
    const sarrus_row_value row = sarrus_row_distance(&at->parent, &at->child, lane_at(at->p, SARRUS_PJ_SHIFT0));
    (void)wanted;
    sarrus_row_store(ws, at->joint->row, &row);
}

/* sum + Φ². */
LANE_FUNCTION real sarrus_distance_violation_squared(sarrus_workspace *ws, const sarrus_joint_here *at, real sum) {
    const real phi = sarrus_row_distance(&at->parent, &at->child, lane_at(at->p, SARRUS_PJ_SHIFT0)).phi;
    (void)ws;
    return real_fma(phi, phi, sum);
}

#endif

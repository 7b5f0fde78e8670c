/* Revolute: Φ = p_child − p_parent, two rows. */
#ifndef SARRUS_BODY_JOINT_REVOLUTE_H
#define SARRUS_BODY_JOINT_REVOLUTE_H

#include "kernels/body/row_parts.h"

/* Φ = p_child − p_parent (two rows):  t_child = (−ρ_y, ρ_x), t_parent = (ρ_y, −ρ_x),  γ = ω_c² ρ_c − ω_p² ρ_p. */
LANE_FUNCTION void sarrus_rows_pin(sarrus_workspace *ws, int32_t i, const sarrus_point *p, const sarrus_point *c, int wanted) {
    frame_at(ws->turn, 2 * i) = p->arm_y;
    frame_at(ws->turn, 2 * i + 1) = -c->arm_y;
    frame_at(ws->turn, 2 * i + 2) = -p->arm_x;
    frame_at(ws->turn, 2 * i + 3) = c->arm_x;
    if (wanted & SARRUS_WANT_GAMMA) {
        real c2 = c->omega * c->omega, p2 = p->omega * p->omega;
        frame_at(ws->gamma, i) = real_fnma(p2, p->arm_x, c2 * c->arm_x);
        frame_at(ws->gamma, i + 1) = real_fnma(p2, p->arm_y, c2 * c->arm_y);
    }
    if (wanted & SARRUS_WANT_ERRORS) {
        frame_at(ws->phi, i) = c->x - p->x;
        frame_at(ws->phi, i + 1) = c->y - p->y;
        frame_at(ws->phi_dot, i) = c->vx - p->vx;
        frame_at(ws->phi_dot, i + 1) = c->vy - p->vy;
    }
}

LANE_FUNCTION void sarrus_revolute_rows(sarrus_workspace *ws, const sarrus_joint_here *at, int wanted) {
    sarrus_rows_pin(ws, at->joint->row, &at->parent, &at->child, wanted);
}

/* sum + |Φ|². */
LANE_FUNCTION real sarrus_revolute_violation_squared(sarrus_workspace *ws, const sarrus_joint_here *at, real sum) {
    const real dx = at->child.x - at->parent.x, dy = at->child.y - at->parent.y;
    (void)ws;
    return real_fma(dx, dx, real_fma(dy, dy, sum));
}

#endif

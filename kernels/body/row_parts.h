/* What the rows of joints in the plane are made of: e, t_parent, t_child, Φ, Φ̇ and γ of a row along a vector and of one that holds
 * an angle, and the free coordinate of a joint with its row. Rows that one type of joint alone has are in joint/. */
#ifndef SARRUS_BODY_ROW_PARTS_H
#define SARRUS_BODY_ROW_PARTS_H

#include "kernels/body/kinematics.h"

/* A vector of the inertial frame in that of a body or of ground. */
LANE_FUNCTION space_vector sarrus_into_frame(const sarrus_workspace *ws, int32_t body, space_vector u) {
    if (body >= 0) {
        const space_rotation turned = {frame_at(ws->sine, body), frame_at(ws->cosine, body)};
        return space_rotate_back(&turned, u);
    }
    if (sarrus_ground_moves(ws)) {
        const space_rotation turned = {frame_at(ws->ground, SARRUS_GROUND_SINE), frame_at(ws->ground, SARRUS_GROUND_COSINE)};
        return space_rotate_back(&turned, u);
    }
    return u;
}

/* A row Φ = w·d with d = p_child − p_parent and w turning with the parent at rate `spin` (0: see the distance joint):
 *   Φ̇ = w·ḋ + spin w^⊥·d,   e = w,   t_child = w·ρ_c^⊥,   t_parent = −w·ρ_p^⊥ (+ w^⊥·d),
 *   γ = ω_c² w·ρ_c − ω_p² w·ρ_p − 2 spin w^⊥·ḋ + spin² w·d. */
typedef struct sarrus_row_value {
    real ex, ey, turn_parent, turn_child, phi, phi_dot, gamma;
} sarrus_row_value;

LANE_FUNCTION sarrus_row_value sarrus_row_along(const sarrus_point *p, const sarrus_point *c, real wx, real wy) {
    sarrus_row_value row;
    real dx = c->x - p->x, dy = c->y - p->y;
    real dvx = c->vx - p->vx, dvy = c->vy - p->vy;
    real across = real_fnma(wy, dx, wx * dy); /* w^⊥·d = −w_y d_x + w_x d_y */
    real across_v = real_fnma(wy, dvx, wx * dvy);
    row.ex = wx;
    row.ey = wy;
    row.phi = real_fma(wx, dx, wy * dy);
    row.phi_dot = real_fma(p->omega, across, real_fma(wx, dvx, wy * dvy));
    row.turn_child = real_fnma(wx, c->arm_y, wy * c->arm_x);
    row.turn_parent = across - real_fnma(wx, p->arm_y, wy * p->arm_x);
    real along_c = real_fma(wx, c->arm_x, wy * c->arm_y), along_p = real_fma(wx, p->arm_x, wy * p->arm_y);
    real omega2 = p->omega * p->omega;
    row.gamma = real_fma(c->omega * c->omega, along_c, omega2 * (row.phi - along_p)) - real_set(2.0) * p->omega * across_v;
    return row;
}

LANE_FUNCTION void sarrus_row_store(sarrus_workspace *ws, int32_t i, const sarrus_row_value *row) {
    frame_at(ws->turn, 2 * i) = row->turn_parent;
    frame_at(ws->turn, 2 * i + 1) = row->turn_child;
    frame_at(ws->direction, 2 * i) = row->ex;
    frame_at(ws->direction, 2 * i + 1) = row->ey;
    frame_at(ws->phi, i) = row->phi;
    frame_at(ws->phi_dot, i) = row->phi_dot;
    frame_at(ws->gamma, i) = row->gamma;
}

/* θ_child − θ_parent − θ0. */
LANE_FUNCTION real sarrus_joint_angle(const sarrus_workspace *ws, const sarrus_mech_joint *joint, real angle0, const real *q) {
    real angle = -angle0;
    if (joint->child >= 0)
        angle = frame_at(q, space_q(joint->child) + SPACE_TURN) - angle0;
    else if (sarrus_ground_moves(ws))
        angle = sarrus_ground_angle(ws) - angle0;
    if (joint->parent >= 0)
        angle = angle - frame_at(q, space_q(joint->parent) + SPACE_TURN);
    else if (sarrus_ground_moves(ws))
        angle = angle - sarrus_ground_angle(ws);
    return angle;
}

/* The rate of that. */
LANE_FUNCTION real sarrus_joint_turning(const sarrus_workspace *ws, const sarrus_mech_joint *joint, const real *v) {
    real rate = real_set(0.0);
    if (joint->child >= 0)
        rate = frame_at(v, space_v(joint->child) + SPACE_TURN);
    else if (sarrus_ground_moves(ws))
        rate = sarrus_ground_rate(ws);
    if (joint->parent >= 0)
        rate = rate - frame_at(v, space_v(joint->parent) + SPACE_TURN);
    else if (sarrus_ground_moves(ws))
        rate = rate - sarrus_ground_rate(ws);
    return rate;
}

/* Φ = θ_child − θ_parent − θ0. */
LANE_FUNCTION void sarrus_row_angle(sarrus_workspace *ws, int32_t i, const sarrus_mech_joint *joint, real angle0, const real *q,
                                    const real *v) {
    frame_at(ws->turn, 2 * i) = real_set(-1.0);
    frame_at(ws->turn, 2 * i + 1) = real_set(1.0);
    frame_at(ws->gamma, i) = real_set(0.0);
    frame_at(ws->phi, i) = sarrus_joint_angle(ws, joint, angle0, q);
    frame_at(ws->phi_dot, i) = sarrus_joint_turning(ws, joint, v);
}

/* What of Φ̇ in the line i of a row is ground's, which moves with x [3] of an evaluation: its part of J times x. */
LANE_FUNCTION real sarrus_row_of_ground(const sarrus_mechanism *mech, const sarrus_workspace *ws, int32_t i, const real *x) {
    const sarrus_mech_row *row = &mech->row[i];
    real sum = real_set(0.0), along = real_set(0.0);
    if (row->kind == SARRUS_ROW_X)
        along = frame_at(x, 0);
    if (row->kind == SARRUS_ROW_Y)
        along = frame_at(x, 1);
    if (row->kind == SARRUS_ROW_GENERAL)
        along = real_fma(frame_at(ws->direction, 2 * i), frame_at(x, 0), frame_at(ws->direction, 2 * i + 1) * frame_at(x, 1));
    if (row->parent < 0)
        sum = real_fma(frame_at(ws->turn, 2 * i), frame_at(x, 2), -along);
    if (row->child < 0)
        sum = real_fma(frame_at(ws->turn, 2 * i + 1), frame_at(x, 2), sum + along);
    return sum;
}

/* γ of the line i of a row, which is row `to`, less what ground's acceleration has of Φ̈. */
LANE_FUNCTION void sarrus_row_drag(const sarrus_mechanism *mech, sarrus_workspace *ws, int32_t i, int32_t to) {
    const real part = sarrus_row_of_ground(mech, ws, i, frame_from(ws->ground, SARRUS_GROUND_ACCELERATIONS));
    frame_at(ws->gamma, to) = frame_at(ws->gamma, to) - part;
}

/* The free coordinate of a joint, less its zero: angle of a revolute, shift along the axis of a prismatic. */
LANE_FUNCTION real sarrus_free_coordinate(sarrus_workspace *ws, const sarrus_mech_joint *joint, const real *p, const real *q,
                                          const sarrus_point *parent, const sarrus_point *child) {
    if (!SARRUS_JOINT_AMONG(SARRUS_JOINTS_THAT_SLIDE, joint->kind))
        return sarrus_joint_angle(ws, joint, lane_at(p, SARRUS_PJ_ANGLE0), q);
    real ux, uy;
    sarrus_vector_of(ws, joint->parent, lane_at(p, SARRUS_PJ_AXIS_X), lane_at(p, SARRUS_PJ_AXIS_Y), &ux, &uy);
    return sarrus_row_along(parent, child, ux, uy).phi - lane_at(p, SARRUS_PJ_SHIFT0);
}

/* Its row. */
LANE_FUNCTION void sarrus_row_free(sarrus_workspace *ws, int32_t i, const sarrus_mech_joint *joint, const real *p, const real *q,
                                   const real *v, const sarrus_point *parent, const sarrus_point *child) {
    if (SARRUS_JOINT_AMONG(SARRUS_JOINTS_THAT_SLIDE, joint->kind)) {
        real ux, uy;
        sarrus_vector_of(ws, joint->parent, lane_at(p, SARRUS_PJ_AXIS_X), lane_at(p, SARRUS_PJ_AXIS_Y), &ux, &uy);
        sarrus_row_value row = sarrus_row_along(parent, child, ux, uy);
        row.phi = row.phi - lane_at(p, SARRUS_PJ_SHIFT0);
        sarrus_row_store(ws, i, &row);
    } else {
        sarrus_row_angle(ws, i, joint, lane_at(p, SARRUS_PJ_ANGLE0), q, v);
    }
}

#endif

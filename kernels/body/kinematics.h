/* Points of bodies, and what the rows of the constraints are made of: e, t_parent, t_child, Φ, Φ̇ and γ. */
#ifndef SARRUS_BODY_KINEMATICS_H
#define SARRUS_BODY_KINEMATICS_H

#include "kernels/body/plan_runs.h"

/* A point fixed in a body. `arm` ρ = A(θ) s from the centre of mass (ground: the point itself), position p = r + ρ, velocity
 * ṗ = ṙ + ω ρ^⊥. */
typedef struct sarrus_point {
    real arm_x, arm_y;
    real x, y;
    real vx, vy;
    real omega;
} sarrus_point;

/* sine, cosine of every body's angle. */
PLAN_BODY void sarrus_rotations(const sarrus_mechanism *mech, const real *q, sarrus_workspace *ws) {
    PLAN_EACH (b, 0, mech->n_bodies) {
        real_sincos(frame_at(q, space_q(b) + SPACE_TURN), &frame_at(ws->sine, b), &frame_at(ws->cosine, b));
    }
}

/* The point (sx, sy) of `body`, in the body's frame. */
LANE_FUNCTION sarrus_point sarrus_point_of(sarrus_workspace *ws, const real *q, const real *v, int32_t body, real sx, real sy) {
    sarrus_point p;
    if (body < 0) {
        p.arm_x = p.x = sx;
        p.arm_y = p.y = sy;
        p.vx = p.vy = p.omega = real_set(0.0);
        return p;
    }
    const space_rotation a = {frame_at(ws->sine, body), frame_at(ws->cosine, body)};
    const space_vector s = {sx, sy}, arm = space_rotate(&a, s);
    const space_vector centre = {frame_at(v, space_v(body)), frame_at(v, space_v(body) + 1)};
    p.omega = frame_at(v, space_v(body) + SPACE_TURN);
    const space_vector velocity = space_velocity(centre, p.omega, arm);
    p.arm_x = arm.x;
    p.arm_y = arm.y;
    p.x = frame_at(q, space_q(body)) + arm.x;
    p.y = frame_at(q, space_q(body) + 1) + arm.y;
    p.vx = velocity.x;
    p.vy = velocity.y;
    return p;
}

/* The parent's and the child's point of a joint. */
LANE_FUNCTION void sarrus_joint_points(sarrus_workspace *ws, const real *parameter, const sarrus_mech_joint *joint, const real *q,
                                       const real *v, sarrus_point *parent, sarrus_point *child) {
    const real *p = lane_from(parameter, joint->p);
    *parent = sarrus_point_of(ws, q, v, joint->parent, lane_at(p, SARRUS_PJ_PARENT_X), lane_at(p, SARRUS_PJ_PARENT_Y));
    *child = sarrus_point_of(ws, q, v, joint->child, lane_at(p, SARRUS_PJ_CHILD_X), lane_at(p, SARRUS_PJ_CHILD_Y));
}

/* A joint at the state (q, v): its parameters and its two points. */
typedef struct sarrus_joint_here {
    const sarrus_mech_joint *joint;
    const real *p, *q, *v;
    sarrus_point parent, child;
} sarrus_joint_here;

LANE_FUNCTION sarrus_joint_here sarrus_joint_find(sarrus_workspace *ws, const real *parameter, const sarrus_mech_joint *joint,
                                                  const real *q, const real *v) {
    sarrus_joint_here at;
    at.joint = joint;
    at.p = lane_from(parameter, joint->p);
    at.q = q;
    at.v = v;
    sarrus_joint_points(ws, parameter, joint, q, v, &at.parent, &at.child);
    return at;
}

/* The fastest of what a joint's child does seen from its parent: its turn in rad/s and, in parts 1/unit of a length, its way; of
 * arrays of the tile. */
LANE_FUNCTION real sarrus_joint_speed(const sarrus_mech_joint *joint, real_scalar unit, const real *q, const real *v) {
    real speed = real_set(0.0);
    (void)q;
    for (int32_t k = 0; k < SPACE_NV; ++k) {
        const real child = joint->child < 0 ? real_set(0.0) : lane_at(v, space_v(joint->child) + k);
        const real parent = joint->parent < 0 ? real_set(0.0) : lane_at(v, space_v(joint->parent) + k);
        speed = real_max(real_abs(child - parent) * real_set(space_is_turn(k) ? 1.0 : unit), speed);
    }
    return speed;
}

/* A vector (x, y) of `body` in the inertial frame. */
LANE_FUNCTION void sarrus_vector_of(sarrus_workspace *ws, int32_t body, real x, real y, real *out_x, real *out_y) {
    if (body < 0) {
        *out_x = x;
        *out_y = y;
        return;
    }
    const space_rotation a = {frame_at(ws->sine, body), frame_at(ws->cosine, body)};
    const space_vector of_body = {x, y}, turned = space_rotate(&a, of_body);
    *out_x = turned.x;
    *out_y = turned.y;
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

/* θ_child − θ_parent − θ0. */
LANE_FUNCTION real sarrus_joint_angle(const sarrus_mech_joint *joint, real angle0, const real *q) {
    real angle = -angle0;
    if (joint->child >= 0)
        angle = frame_at(q, space_q(joint->child) + SPACE_TURN) - angle0;
    if (joint->parent >= 0)
        angle = angle - frame_at(q, space_q(joint->parent) + SPACE_TURN);
    return angle;
}

/* Φ = θ_child − θ_parent − θ0. */
LANE_FUNCTION void sarrus_row_angle(sarrus_workspace *ws, int32_t i, const sarrus_mech_joint *joint, real angle0, const real *q,
                                    const real *v) {
    real rate = real_set(0.0);
    if (joint->child >= 0)
        rate = frame_at(v, space_v(joint->child) + SPACE_TURN);
    if (joint->parent >= 0)
        rate = rate - frame_at(v, space_v(joint->parent) + SPACE_TURN);
    frame_at(ws->turn, 2 * i) = real_set(-1.0);
    frame_at(ws->turn, 2 * i + 1) = real_set(1.0);
    frame_at(ws->gamma, i) = real_set(0.0);
    frame_at(ws->phi, i) = sarrus_joint_angle(joint, angle0, q);
    frame_at(ws->phi_dot, i) = rate;
}

/* The free coordinate of a joint, less its zero: angle of a revolute, shift along the axis of a prismatic. */
LANE_FUNCTION real sarrus_free_coordinate(sarrus_workspace *ws, const sarrus_mech_joint *joint, const real *p, const real *q,
                                          const sarrus_point *parent, const sarrus_point *child) {
    if (!SARRUS_JOINT_AMONG(SARRUS_JOINTS_THAT_SLIDE, joint->kind))
        return sarrus_joint_angle(joint, lane_at(p, SARRUS_PJ_ANGLE0), q);
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

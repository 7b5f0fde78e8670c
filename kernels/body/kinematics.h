/* Points of bodies and joints in the plane. What rows are made of at such points: row_parts.h. */
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

#endif

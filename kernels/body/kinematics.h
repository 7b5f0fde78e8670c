/* Points of bodies and joints in the plane, on a ground that signals move, too (S2 eq 41). What rows are made of at such points:
 * row_parts.h. */
#ifndef SARRUS_BODY_KINEMATICS_H
#define SARRUS_BODY_KINEMATICS_H

#include "kernels/body/plan_runs.h"
#include "kernels/body/signals.h"

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

/* ws->ground at the signals of the workspace: o + d + ρ with ρ = −A o, o the point that it turns about and d the shift. */
LANE_FUNCTION void sarrus_ground_find(const sarrus_mechanism *mech, const real *parameter, sarrus_workspace *ws) {
    if (!mech->moves_ground)
        return;
    const real *about = lane_from(parameter, mech->p_ground);
    const real *x = sarrus_ground_signal(mech, ws, 0), *y = sarrus_ground_signal(mech, ws, 1);
    const real *angle = sarrus_ground_signal(mech, ws, 2);
    space_rotation a;
    const space_vector o = {lane_at(about, SARRUS_PG_ABOUT_X), lane_at(about, SARRUS_PG_ABOUT_Y)};
    real_sincos(sarrus_signal_part(angle, 0), &a.sine, &a.cosine);
    const real omega = sarrus_signal_part(angle, 1), alpha = sarrus_signal_part(angle, 2), omega2 = omega * omega;
    const space_vector turned = space_rotate(&a, o);
    const space_vector shift = {sarrus_signal_part(x, 0), sarrus_signal_part(y, 0)};
    const space_vector speed = {sarrus_signal_part(x, 1), sarrus_signal_part(y, 1)};
    real *g = ws->ground;
    frame_at(g, SARRUS_GROUND_X) = shift.x + (o.x - turned.x);
    frame_at(g, SARRUS_GROUND_Y) = shift.y + (o.y - turned.y);
    frame_at(g, SARRUS_GROUND_ANGLE) = sarrus_signal_part(angle, 0);
    frame_at(g, SARRUS_GROUND_SINE) = a.sine;
    frame_at(g, SARRUS_GROUND_COSINE) = a.cosine;
    frame_at(g, SARRUS_GROUND_SPEEDS) = real_fma(omega, turned.y, speed.x);
    frame_at(g, SARRUS_GROUND_SPEEDS + 1) = real_fnma(omega, turned.x, speed.y);
    frame_at(g, SARRUS_GROUND_SPEEDS + 2) = omega;
    frame_at(g, SARRUS_GROUND_ACCELERATIONS) = real_fma(omega2, turned.x, real_fma(alpha, turned.y, sarrus_signal_part(x, 2)));
    frame_at(g, SARRUS_GROUND_ACCELERATIONS + 1) = real_fma(omega2, turned.y, real_fnma(alpha, turned.x, sarrus_signal_part(y, 2)));
    frame_at(g, SARRUS_GROUND_ACCELERATIONS + 2) = alpha;
    frame_at(g, SARRUS_GROUND_POWER) = real_set(0.0);
}

/* Angle and rate of a body; of ground where it moves. */
LANE_FUNCTION real sarrus_ground_angle(const sarrus_workspace *ws) {
    return frame_at(ws->ground, SARRUS_GROUND_ANGLE);
}
LANE_FUNCTION real sarrus_ground_rate(const sarrus_workspace *ws) {
    return frame_at(ws->ground, SARRUS_GROUND_SPEEDS + 2);
}

/* A vector of the frame of a ground that moves, in the inertial one. */
LANE_FUNCTION space_vector sarrus_out_of_ground(const sarrus_workspace *ws, real x, real y) {
    const space_rotation a = {frame_at(ws->ground, SARRUS_GROUND_SINE), frame_at(ws->ground, SARRUS_GROUND_COSINE)};
    const space_vector of_ground = {x, y};
    return space_rotate(&a, of_ground);
}

/* A point of a ground that moves. */
LANE_FUNCTION sarrus_point sarrus_ground_point(const sarrus_workspace *ws, real sx, real sy) {
    sarrus_point p;
    const space_vector arm = sarrus_out_of_ground(ws, sx, sy);
    const space_vector origin = {frame_at(ws->ground, SARRUS_GROUND_SPEEDS), frame_at(ws->ground, SARRUS_GROUND_SPEEDS + 1)};
    p.omega = sarrus_ground_rate(ws);
    const space_vector velocity = space_velocity(origin, p.omega, arm);
    p.arm_x = arm.x;
    p.arm_y = arm.y;
    p.x = frame_at(ws->ground, SARRUS_GROUND_X) + arm.x;
    p.y = frame_at(ws->ground, SARRUS_GROUND_Y) + arm.y;
    p.vx = velocity.x;
    p.vy = velocity.y;
    return p;
}

/* The point (sx, sy) of `body`, in the body's frame. */
LANE_FUNCTION sarrus_point sarrus_point_of(sarrus_workspace *ws, const real *q, const real *v, int32_t body, real sx, real sy) {
    sarrus_point p;
    if (body < 0 && sarrus_ground_moves(ws))
        return sarrus_ground_point(ws, sx, sy);
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

/* Speed k of a body, or of ground; of an array of the tile. */
LANE_FUNCTION real sarrus_body_pace(const sarrus_workspace *ws, int32_t body, int32_t k, const real *v) {
    if (body < 0)
        return sarrus_ground_moves(ws) ? frame_at(ws->ground, SARRUS_GROUND_SPEEDS + k) : real_set(0.0);
    return lane_at(v, space_v(body) + k);
}

/* The fastest of what a joint's child does seen from its parent: its turn in rad/s and, in parts 1/unit of a length, its way; of
 * arrays of the tile. */
LANE_FUNCTION real sarrus_joint_speed(const sarrus_workspace *ws, const sarrus_mech_joint *joint, real_scalar unit, const real *q,
                                      const real *v) {
    real speed = real_set(0.0);
    (void)q;
    for (int32_t k = 0; k < SPACE_NV; ++k) {
        const real child = sarrus_body_pace(ws, joint->child, k, v), parent = sarrus_body_pace(ws, joint->parent, k, v);
        speed = real_max(real_abs(child - parent) * real_set(space_is_turn(k) ? 1.0 : unit), speed);
    }
    return speed;
}

/* A vector (x, y) of `body` in the inertial frame. */
LANE_FUNCTION void sarrus_vector_of(sarrus_workspace *ws, int32_t body, real x, real y, real *out_x, real *out_y) {
    if (body < 0 && sarrus_ground_moves(ws)) {
        const space_vector turned = sarrus_out_of_ground(ws, x, y);
        *out_x = turned.x;
        *out_y = turned.y;
        return;
    }
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

/* Bodies in space as the rows and forces see them: rotations, points and their velocities, vectors fixed in bodies; of a ground
 * that signals move, too (S2 eq 41). Vectors are in the inertial frame unless something else is said. */
#ifndef SARRUS_BODY_SPATIAL_KINEMATICS_H
#define SARRUS_BODY_SPATIAL_KINEMATICS_H

#include "kernels/body/plan_runs.h"
#include "kernels/body/signals.h"
#include "kernels/lane/angle.h"

/* Components of a vector that is an array of an evaluation, and of one among parameters. */
LANE_FUNCTION space_vector sarrus_frame_vector(const real *array, int32_t i) {
    space_vector out;
    out.x = frame_at(array, i);
    out.y = frame_beyond(array, i, 1);
    out.z = frame_beyond(array, i, 2);
    return out;
}
LANE_FUNCTION void sarrus_frame_vector_put(space_vector a, real *array, int32_t i) {
    frame_at(array, i) = a.x;
    frame_beyond(array, i, 1) = a.y;
    frame_beyond(array, i, 2) = a.z;
}
LANE_FUNCTION void sarrus_frame_vector_add(space_vector a, real *array, int32_t i) {
    frame_at(array, i) = frame_at(array, i) + a.x;
    frame_beyond(array, i, 1) = frame_beyond(array, i, 1) + a.y;
    frame_beyond(array, i, 2) = frame_beyond(array, i, 2) + a.z;
}
LANE_FUNCTION space_vector sarrus_parameter_vector(const real *p, int32_t i) {
    return space_vector_at(lane_from(p, i));
}

LANE_FUNCTION space_vector sarrus_no_vector(void) {
    space_vector out;
    out.x = out.y = out.z = real_set(0.0);
    return out;
}
LANE_FUNCTION space_vector sarrus_vector_scale(real s, space_vector a) {
    space_vector out;
    out.x = s * a.x;
    out.y = s * a.y;
    out.z = s * a.z;
    return out;
}
LANE_FUNCTION space_vector sarrus_vector_less(space_vector a, space_vector b) {
    space_vector out;
    out.x = a.x - b.x;
    out.y = a.y - b.y;
    out.z = a.z - b.z;
    return out;
}
/* Component k of a vector: x, y, z. */
LANE_FUNCTION real sarrus_component(space_vector a, int32_t k) {
    return k == 0 ? a.x : k == 1 ? a.y : a.z;
}

/* The rotations of all bodies: rotation[n_bodies][3][3]. */
PLAN_BODY void sarrus_rotations(const sarrus_mechanism *mech, const real *q, sarrus_workspace *ws) {
    PLAN_EACH (b, 0, mech->n_bodies) {
        real p[4];
        LANE_EACH (k, 4)
            p[k] = frame_beyond(q, space_q(b), SPACE_TURN + k);
        const space_rotation a = space_rotation_of_numbers(p);
        LANE_EACH (k, 3)
            sarrus_frame_vector_put(a.row[k], ws->rotation, 9 * b + 3 * k);
    }
}

/* A s, of a turn by an angle about the unit vector n: cos s + (1 − cos) (n·s) n + sin n × s. */
LANE_FUNCTION space_vector sarrus_turned_about(space_vector n, real sine, real cosine, space_vector s) {
    const real along = (real_set(1.0) - cosine) * space_dot(n, s);
    return space_add(space_add(sarrus_vector_scale(cosine, s), along, n), sine, space_cross(n, s));
}

/* ws->ground at the signals of the workspace: o + d + ρ with ρ = −A o, o a point of the axis and d the shift. */
LANE_FUNCTION void sarrus_ground_find(const sarrus_mechanism *mech, const real *parameter, sarrus_workspace *ws) {
    if (!mech->moves_ground)
        return;
    const real *p = lane_from(parameter, mech->p_ground), one = real_set(1.0), minus = real_set(-1.0);
    const space_vector n = sarrus_parameter_vector(p, SARRUS_SG_AXIS), about = sarrus_parameter_vector(p, SARRUS_SG_ABOUT);
    const real *x = sarrus_ground_signal(mech, ws, 0), *y = sarrus_ground_signal(mech, ws, 1);
    const real *z = sarrus_ground_signal(mech, ws, 2), *angle = sarrus_ground_signal(mech, ws, 3);
    real sine, cosine, *g = ws->ground;
    space_vector shift[3];
    real_sincos(sarrus_signal_part(angle, 0), &sine, &cosine);
    LANE_EACH (k, 3) {
        shift[k].x = sarrus_signal_part(x, k);
        shift[k].y = sarrus_signal_part(y, k);
        shift[k].z = sarrus_signal_part(z, k);
        space_vector axis = sarrus_no_vector(), row;
        axis.x = real_set(k == 0 ? 1.0 : 0.0);
        axis.y = real_set(k == 1 ? 1.0 : 0.0);
        axis.z = real_set(k == 2 ? 1.0 : 0.0);
        row = sarrus_turned_about(n, -sine, cosine, axis); /* of A: Aᵀ e_k */
        sarrus_frame_vector_put(row, g, SARRUS_SPATIAL_GROUND_ROTATION + 3 * k);
    }
    const space_vector arm = sarrus_vector_scale(minus, sarrus_turned_about(n, sine, cosine, about));
    const space_vector omega = sarrus_vector_scale(sarrus_signal_part(angle, 1), n);
    const space_vector alpha = sarrus_vector_scale(sarrus_signal_part(angle, 2), n), turning = space_cross(omega, arm);
    const space_vector speed = space_add(shift[1], one, turning);
    space_vector acceleration = space_add(shift[2], one, space_cross(alpha, arm));
    acceleration = space_add(acceleration, one, space_cross(omega, turning));
    sarrus_frame_vector_put(space_add(space_add(about, one, arm), one, shift[0]), g, SARRUS_SPATIAL_GROUND_AT);
    sarrus_frame_vector_put(speed, g, SARRUS_SPATIAL_GROUND_SPEEDS);
    sarrus_frame_vector_put(omega, g, SARRUS_SPATIAL_GROUND_SPEEDS + 3);
    sarrus_frame_vector_put(acceleration, g, SARRUS_SPATIAL_GROUND_ACCELERATIONS);
    sarrus_frame_vector_put(alpha, g, SARRUS_SPATIAL_GROUND_ACCELERATIONS + 3);
    frame_at(g, SARRUS_SPATIAL_GROUND_POWER) = real_set(0.0);
}

/* The power of a force and a torque on a ground that moves: whoever moves it takes it up. */
LANE_FUNCTION void sarrus_ground_load(sarrus_workspace *ws, real power) {
    frame_at(ws->ground, SARRUS_SPATIAL_GROUND_POWER) = frame_at(ws->ground, SARRUS_SPATIAL_GROUND_POWER) + power;
}
LANE_FUNCTION space_vector sarrus_ground_rate(const sarrus_workspace *ws) {
    return sarrus_frame_vector(ws->ground, SARRUS_SPATIAL_GROUND_SPEEDS + 3);
}

/* A body at a state. Of ground: at rest in the inertial frame, unless it moves. */
typedef struct sarrus_body_here {
    int32_t is_ground;
    space_rotation a;  /* from its frame to the inertial one */
    space_vector r, v; /* centre of mass */
    space_vector omega;
} sarrus_body_here;

/* By address: what is returned by value is copied through memory. */
LANE_FUNCTION void sarrus_body_look(const sarrus_workspace *ws, int32_t body, const real *q, const real *v, sarrus_body_here *at) {
    at->is_ground = body < 0 && !sarrus_ground_moves(ws);
    if (body < 0 && sarrus_ground_moves(ws)) {
        LANE_EACH (k, 3)
            at->a.row[k] = sarrus_frame_vector(ws->ground, SARRUS_SPATIAL_GROUND_ROTATION + 3 * k);
        at->r = sarrus_frame_vector(ws->ground, SARRUS_SPATIAL_GROUND_AT);
        at->v = sarrus_frame_vector(ws->ground, SARRUS_SPATIAL_GROUND_SPEEDS);
        at->omega = sarrus_ground_rate(ws);
        return;
    }
    if (body < 0) {
        at->r = at->v = at->omega = at->a.row[0] = at->a.row[1] = at->a.row[2] = sarrus_no_vector();
        at->a.row[0].x = at->a.row[1].y = at->a.row[2].z = real_set(1.0);
        return;
    }
    LANE_EACH (k, 3)
        at->a.row[k] = sarrus_frame_vector(ws->rotation, 9 * body + 3 * k);
    at->r = sarrus_frame_vector(q, space_q(body));
    at->v = sarrus_frame_vector(v, space_v(body));
#if defined(SARRUS_KERNELS_RELATIVE)
    at->omega = sarrus_frame_vector(ws->twist, SPACE_NV * body);
#else
    at->omega = space_rotate(&at->a, sarrus_frame_vector(v, space_v(body) + SPACE_TURN));
#endif
}
LANE_FUNCTION sarrus_body_here sarrus_body_find(const sarrus_workspace *ws, int32_t body, const real *q, const real *v) {
    sarrus_body_here at;
    sarrus_body_look(ws, body, q, v, &at);
    return at;
}

/* A vector of a body's frame in the inertial one, and back. */
LANE_FUNCTION space_vector sarrus_out_of_body(const sarrus_body_here *body, space_vector s) {
    return body->is_ground ? s : space_rotate(&body->a, s);
}
LANE_FUNCTION space_vector sarrus_into_body(const sarrus_body_here *body, space_vector s) {
    return body->is_ground ? s : space_rotate_back(&body->a, s);
}

/* Turning parts of rows and torques on bodies stand in the frames of bodies, where their inertia is known; over a tree in the
 * inertial frame, where its screws are. From the inertial frame to where they stand, and back. */
LANE_FUNCTION space_vector sarrus_turn_stored(const sarrus_body_here *body, space_vector s) {
    return SARRUS_HAS_TREE ? s : sarrus_into_body(body, s);
}
LANE_FUNCTION space_vector sarrus_turn_shown(const sarrus_body_here *body, space_vector s) {
    return SARRUS_HAS_TREE ? s : sarrus_out_of_body(body, s);
}

/* A point fixed in a body: ρ = A s from the centre of mass, p = r + ρ, ṗ = ṙ + ω × ρ, and ω × (ω × ρ). */
typedef struct sarrus_point {
    space_vector of_body; /* s */
    space_vector arm, at, v, centripetal;
} sarrus_point;

LANE_FUNCTION void sarrus_point_look(const sarrus_body_here *body, space_vector s, sarrus_point *p) {
    p->of_body = s;
    p->arm = sarrus_out_of_body(body, s);
    if (body->is_ground) {
        p->at = p->arm;
        p->v = p->centripetal = sarrus_no_vector();
        return;
    }
    const space_vector turning = space_cross(body->omega, p->arm);
    p->at = space_add(body->r, real_set(1.0), p->arm);
    p->v = space_add(body->v, real_set(1.0), turning);
    p->centripetal = space_cross(body->omega, turning);
}
LANE_FUNCTION sarrus_point sarrus_point_of(const sarrus_body_here *body, space_vector s) {
    sarrus_point p;
    sarrus_point_look(body, s, &p);
    return p;
}

/* A joint at the state (q, v): its bodies, its points, and d from the parent's to the child's. */
typedef struct sarrus_joint_here {
    const sarrus_mech_joint *joint;
    const real *p;
    sarrus_body_here parent, child;
    sarrus_point from, to;
    space_vector d, d_dot, d_centripetal;
} sarrus_joint_here;

LANE_FUNCTION void sarrus_joint_look(const sarrus_workspace *ws, const real *parameter, const sarrus_mech_joint *joint,
                                     const real *q, const real *v, sarrus_joint_here *at) {
    at->joint = joint;
    at->p = lane_from(parameter, joint->p);
    sarrus_body_look(ws, joint->parent, q, v, &at->parent);
    sarrus_body_look(ws, joint->child, q, v, &at->child);
    sarrus_point_look(&at->parent, sarrus_parameter_vector(at->p, SARRUS_SJ_PARENT), &at->from);
    sarrus_point_look(&at->child, sarrus_parameter_vector(at->p, SARRUS_SJ_CHILD), &at->to);
    at->d = sarrus_vector_less(at->to.at, at->from.at);
    at->d_dot = sarrus_vector_less(at->to.v, at->from.v);
    at->d_centripetal = sarrus_vector_less(at->to.centripetal, at->from.centripetal);
}

/* The joint's axes: p_k fixed in the parent, c_k fixed in the child, k = 1, 2, 3. */
LANE_FUNCTION space_vector sarrus_parent_axis(const sarrus_joint_here *at, int32_t k) {
    return sarrus_out_of_body(&at->parent, sarrus_parameter_vector(at->p, SARRUS_SJ_PARENT_AXES + 3 * (k - 1)));
}
LANE_FUNCTION space_vector sarrus_child_axis(const sarrus_joint_here *at, int32_t k) {
    return sarrus_out_of_body(&at->child, sarrus_parameter_vector(at->p, SARRUS_SJ_CHILD_AXES + 3 * (k - 1)));
}
/* The axis that follows another one: 1, 2, 3, 1 … */
LANE_FUNCTION int32_t sarrus_axis_after(int32_t k) {
    return k == 3 ? 1 : k + 1;
}

/* Centre's velocity and angular velocity of a body of the tile. */
typedef struct sarrus_twist {
    space_vector v, omega;
} sarrus_twist;
LANE_FUNCTION sarrus_twist sarrus_twist_of(const sarrus_workspace *ws, int32_t body, const real *q, const real *v) {
    sarrus_twist out;
    out.v = out.omega = sarrus_no_vector();
    if (body < 0 && sarrus_ground_moves(ws)) {
        out.v = sarrus_frame_vector(ws->ground, SARRUS_SPATIAL_GROUND_SPEEDS);
        out.omega = sarrus_ground_rate(ws);
    }
    if (body < 0)
        return out;
    const space_rotation a = space_rotation_of(lane_from(q, space_q(body) + SPACE_TURN));
    out.v = space_vector_at(lane_from(v, space_v(body)));
    out.omega = space_rotate(&a, space_vector_at(lane_from(v, space_v(body) + SPACE_TURN)));
    return out;
}

/* The fastest of what a joint's child does seen from its parent: its turn in rad/s and, in parts 1/unit of a length, its way; of
 * arrays of the tile. */
LANE_FUNCTION real sarrus_joint_speed(const sarrus_workspace *ws, const sarrus_mech_joint *joint, real_scalar unit, const real *q,
                                      const real *v) {
    const sarrus_twist child = sarrus_twist_of(ws, joint->child, q, v), parent = sarrus_twist_of(ws, joint->parent, q, v);
    const space_vector turn = sarrus_vector_less(child.omega, parent.omega), way = sarrus_vector_less(child.v, parent.v);
    return real_max(real_sqrt(space_dot(turn, turn)), real_set(unit) * real_sqrt(space_dot(way, way)));
}

#endif

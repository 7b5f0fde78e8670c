/* Springs and dampers along the free coordinates of joints in space. */
#ifndef SARRUS_BODY_SPATIAL_ELASTIC_H
#define SARRUS_BODY_SPATIAL_ELASTIC_H

#include "kernels/body/spatial/row_forms.h"

/* The angle phi, −π … π, of the turn that is nearest to where the coordinate was seen last. */
LANE_FUNCTION real sarrus_angle_follow(const sarrus_workspace *ws, const sarrus_mech_freedom *freedom, real phi) {
    const real turns = real_nearest((lane_at(ws->seen, freedom->at) - phi) * real_set(1.59154943091895335769e-01));
    return real_fma(turns, real_set(6.28318530717958623200e+00), phi);
}

/* The row of a free coordinate that has one, with the angle followed beyond a turn. */
LANE_FUNCTION sarrus_row_value sarrus_freedom_row(const sarrus_workspace *ws, const real *parameter, const sarrus_joint_here *at,
                                                  const sarrus_mech_freedom *freedom) {
    sarrus_row_value row = sarrus_row_of_freedom(at, freedom->form, lane_from(parameter, freedom->p));
    if (sarrus_freedom_is_turn(freedom->form))
        row.phi = sarrus_angle_follow(ws, freedom, row.phi);
    return row;
}

/* Three stiffnesses, or dampings, of rotation: those of a ball joint are one. */
LANE_FUNCTION space_vector sarrus_ball_numbers(const real *f, int32_t form, int32_t which) {
    const int32_t step = form == SARRUS_FREEDOM_BALL ? 0 : SARRUS_SQ_N;
    space_vector out;
    out.x = lane_at(f, which);
    out.y = lane_at(f, which + step);
    out.z = lane_at(f, which + 2 * step);
    return out;
}

LANE_FUNCTION space_vector sarrus_each_times(space_vector a, space_vector b) {
    space_vector out;
    out.x = a.x * b.x;
    out.y = a.y * b.y;
    out.z = a.z * b.z;
    return out;
}

/* c(φ²) = (1 − ½φ cot ½φ)/φ² = 1/12 + φ²/720 + φ⁴/30240 + …; what is left out of the series is below ε for φ² ≤ ¼. */
LANE_FUNCTION real sarrus_ball_factor(real phi2) {
    const real half = real_set(0.5) * real_sqrt(phi2), one = real_set(1.0);
    real sine, cosine;
    real_sincos(half, &sine, &cosine);
    real series = real_fma(phi2, real_set(1.0 / 74724249600.0), real_set(691.0 / 1307674368000.0));
    series = real_fma(phi2, series, real_set(1.0 / 47900160.0));
    series = real_fma(phi2, series, real_set(1.0 / 1209600.0));
    series = real_fma(phi2, series, real_set(1.0 / 30240.0));
    series = real_fma(phi2, series, real_set(1.0 / 720.0));
    series = real_fma(phi2, series, real_set(1.0 / 12.0));
    const mask is_small = real_lt(phi2, real_set(0.25));
    const real closed = (one - half * cosine * real_inverse_or_zero(sine)) / real_select(is_small, one, phi2);
    return real_select(is_small, series, closed);
}

/* Torque on the child, in the parent's axes, of a spring with V = ½ Σ k_i θ_i² of the rotation vector θ:
 *   τ = −(1 + ½ θ̃ + c θ̃θ̃) K θ,   and of a damper −C ω, ω the child's turning seen from the parent. */
LANE_FUNCTION space_vector sarrus_ball_torque(space_vector theta, space_vector k, space_vector c, space_vector omega) {
    const space_vector load = sarrus_each_times(k, theta), once = space_cross(theta, load), twice = space_cross(theta, once);
    const real factor = sarrus_ball_factor(space_dot(theta, theta)), minus = real_set(-1.0);
    space_vector out = space_add(space_add(load, real_set(0.5), once), factor, twice);
    out = space_add(out, real_set(1.0), sarrus_each_times(c, omega));
    return sarrus_vector_scale(minus, out);
}

/* A vector in the parent's joint axes out of the inertial frame, and back. */
LANE_FUNCTION space_vector sarrus_into_axes(const sarrus_joint_here *at, space_vector s) {
    space_vector out;
    out.x = space_dot(sarrus_parent_axis(at, 1), s);
    out.y = space_dot(sarrus_parent_axis(at, 2), s);
    out.z = space_dot(sarrus_parent_axis(at, 3), s);
    return out;
}
LANE_FUNCTION space_vector sarrus_out_of_axes(const sarrus_joint_here *at, space_vector s) {
    const space_vector along = sarrus_vector_scale(s.x, sarrus_parent_axis(at, 1));
    return space_add(space_add(along, s.y, sarrus_parent_axis(at, 2)), s.z, sarrus_parent_axis(at, 3));
}

/* A torque on a body, in the inertial frame. */
LANE_FUNCTION void sarrus_torque_on(sarrus_workspace *ws, const sarrus_body_here *body, int32_t i_body, space_vector torque) {
    if (i_body >= 0)
        sarrus_frame_vector_add(sarrus_turn_stored(body, torque), ws->force, space_v(i_body) + SPACE_TURN);
    else if (sarrus_ground_moves(ws))
        sarrus_ground_load(ws, space_dot(torque, sarrus_ground_rate(ws)));
}

/* Spring and damper of a rotation vector; returns the power of the damper. */
LANE_FUNCTION real sarrus_force_ball(sarrus_workspace *ws, const real *parameter, const sarrus_joint_here *at,
                                     const sarrus_mech_freedom *freedom) {
    const real *f = lane_from(parameter, freedom->p);
    const space_vector k = sarrus_ball_numbers(f, freedom->form, SARRUS_SQ_STIFFNESS);
    const space_vector c = sarrus_ball_numbers(f, freedom->form, SARRUS_SQ_DAMPING);
    const space_vector omega = sarrus_into_axes(at, sarrus_vector_less(at->child.omega, at->parent.omega));
    const space_vector torque = sarrus_out_of_axes(at, sarrus_ball_torque(sarrus_rotation_vector(at), k, c, omega));
    sarrus_torque_on(ws, &at->child, at->joint->child, torque);
    sarrus_torque_on(ws, &at->parent, at->joint->parent, sarrus_vector_scale(real_set(-1.0), torque));
    return -space_dot(omega, sarrus_each_times(c, omega));
}

/* The power on ground, which moves, of the load `load` along a row, against it. */
LANE_FUNCTION real sarrus_row_load_on_ground(const sarrus_workspace *ws, const sarrus_mech_joint *joint,
                                             const sarrus_row_value *row, real load) {
    const real along = space_dot(row->e, sarrus_frame_vector(ws->ground, SARRUS_SPATIAL_GROUND_SPEEDS));
    real rate = real_set(0.0);
    if (joint->parent < 0)
        rate = space_dot(row->turn_parent, sarrus_ground_rate(ws)) - along;
    if (joint->child < 0)
        rate = rate + space_dot(row->turn_child, sarrus_ground_rate(ws)) + along;
    return -(load * rate);
}

/* The load `load` along a row, against it: −load·(e, t) on both bodies. */
LANE_FUNCTION void sarrus_row_load(sarrus_workspace *ws, const sarrus_mech_joint *joint, const sarrus_row_value *row, real load) {
    if (joint->parent >= 0) {
        sarrus_frame_vector_add(sarrus_vector_scale(load, row->e), ws->force, space_v(joint->parent));
        sarrus_frame_vector_add(sarrus_vector_scale(-load, row->turn_parent), ws->force, space_v(joint->parent) + SPACE_TURN);
    }
    if (joint->child >= 0) {
        sarrus_frame_vector_add(sarrus_vector_scale(-load, row->e), ws->force, space_v(joint->child));
        sarrus_frame_vector_add(sarrus_vector_scale(-load, row->turn_child), ws->force, space_v(joint->child) + SPACE_TURN);
    }
    if (sarrus_ground_moves(ws))
        sarrus_ground_load(ws, sarrus_row_load_on_ground(ws, joint, row, load));
}

/* Springs and dampers of one free coordinate x: load −(k(x − rest) + c ẋ); returns the power of the damper. */
LANE_FUNCTION real sarrus_force_elastic(sarrus_workspace *ws, const sarrus_mechanism *mech, const real *parameter,
                                        const sarrus_mech_freedom *freedom, const real *q, const real *v) {
    const sarrus_mech_joint *joint = &mech->joint[freedom->joint];
    sarrus_joint_here at;
    sarrus_joint_look(ws, parameter, joint, q, v, &at);
    const real *f = lane_from(parameter, freedom->p);
    if (!sarrus_freedom_has_row(freedom->form))
        return sarrus_force_ball(ws, parameter, &at, freedom);
    const sarrus_row_value row = sarrus_freedom_row(ws, parameter, &at, freedom);
    const real drag = lane_at(f, SARRUS_SQ_DAMPING) * row.phi_dot;
    sarrus_row_load(ws, joint, &row, real_fma(lane_at(f, SARRUS_SQ_STIFFNESS), row.phi - lane_at(f, SARRUS_SQ_REST), drag));
    return -(drag * row.phi_dot);
}

/* ½k(x − rest)². */
LANE_FUNCTION real sarrus_elastic_energy(const sarrus_workspace *ws, const sarrus_mechanism *mech, const real *parameter,
                                         const sarrus_mech_freedom *freedom, const real *q, const real *v) {
    sarrus_joint_here at;
    sarrus_joint_look(ws, parameter, &mech->joint[freedom->joint], q, v, &at);
    const real *f = lane_from(parameter, freedom->p), half = real_set(0.5);
    if (!sarrus_freedom_has_row(freedom->form)) {
        const space_vector theta = sarrus_rotation_vector(&at);
        return half * space_dot(theta, sarrus_each_times(sarrus_ball_numbers(f, freedom->form, SARRUS_SQ_STIFFNESS), theta));
    }
    const real stretch = sarrus_freedom_row(ws, parameter, &at, freedom).phi - lane_at(f, SARRUS_SQ_REST);
    return half * lane_at(f, SARRUS_SQ_STIFFNESS) * (stretch * stretch);
}

/* Parts 2 and 3 of a rotation vector go with part 1. */
LANE_FUNCTION int sarrus_freedom_is_elastic(const sarrus_mech_freedom *freedom) {
    return freedom->elastic == SARRUS_ELASTIC_BY_BODIES && freedom->form != SARRUS_FREEDOM_VECTOR_2 &&
           freedom->form != SARRUS_FREEDOM_VECTOR_3;
}

#endif

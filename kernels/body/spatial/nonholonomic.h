/* Bodies A and B that do not slip at a place x, in space (S1 eq 9: rows in the velocities alone; S3 5.3.2). With u the velocity of
 * B less that of A there, and e and b vectors that one of them carries along,
 *
 *   Φ̇ = e·u + b·(ω_B − ω_A) − g(t) = 0,   t_B = ρ_B × e + b,   t_A = −ρ_A × e − b,
 *   γ = ġ − e·(c_B − c_A + ω_B × (ẋ − ṙ_B) − ω_A × (ẋ − ṙ_A)) − ė·u − ḃ·(ω_B − ω_A),
 *
 * where c = ω × (ω × ρ) and ṙ is the velocity of the body's own point at x. Of a knife edge and a linear relation x is a point of
 * B, which carries e and b. What rolls on a plane of A touches it at x = c + ρ; A carries e, the normal and two directions of its
 * plane:
 *
 *   a ball:  ρ = −R n,   a disc with the axis d:  ρ = −R s/|s|,  s = n − (n·d) d.
 *
 * The row along n is the derivative of Φ = n·(x − p), the others say nothing of positions: Φ = 0. */
#ifndef SARRUS_BODY_SPATIAL_NONHOLONOMIC_H
#define SARRUS_BODY_SPATIAL_NONHOLONOMIC_H

#include "kernels/body/spatial/row_forms.h"

enum { SARRUS_ROLL_ROWS = 3 };

/* The bodies with their own points at x, which moves with the velocity `pace`, and u. */
typedef struct sarrus_slip_here {
    sarrus_joint_here at;
    space_vector x, pace, slip;
} sarrus_slip_here;

LANE_FUNCTION void sarrus_slip_meet(sarrus_slip_here *here) {
    sarrus_joint_here *at = &here->at;
    sarrus_point_look(&at->parent, sarrus_into_body(&at->parent, sarrus_vector_less(here->x, at->parent.r)), &at->from);
    sarrus_point_look(&at->child, sarrus_into_body(&at->child, sarrus_vector_less(here->x, at->child.r)), &at->to);
    here->slip = sarrus_vector_less(at->to.v, at->from.v);
}

/* From the center of what rolls to where it touches the plane with the normal n, and its rate. */
LANE_FUNCTION void sarrus_roll_radius(const sarrus_mech_constraint *constraint, const sarrus_joint_here *at, space_vector n,
                                      space_vector *rho, space_vector *rate) {
    const real radius = lane_at(at->p, SARRUS_SN_RADIUS);
    space_vector down = n, turning = space_cross(at->parent.omega, n); /* of unit length */
    if (constraint->rolls == SARRUS_ROLL_DISC) {
        const space_vector d = sarrus_out_of_body(&at->child, sarrus_parameter_vector(at->p, SARRUS_SN_AXIS));
        const space_vector d_dot = space_cross(at->child.omega, d);
        const real tilt = space_dot(n, d), tilt_dot = space_dot(turning, d) + space_dot(n, d_dot);
        const space_vector s = space_add(n, -tilt, d);
        const space_vector s_dot = space_add(space_add(turning, -tilt_dot, d), -tilt, d_dot);
        const real inverse = real_set(1.0) / real_sqrt(space_dot(s, s)); /* of a disc that lies flat NaN comes */
        down = sarrus_vector_scale(inverse, s);
        turning = sarrus_vector_scale(inverse, space_add(s_dot, -space_dot(down, s_dot), down));
    }
    *rho = sarrus_vector_scale(-radius, down);
    *rate = sarrus_vector_scale(-radius, turning);
}

LANE_BODY void sarrus_slip_look(const sarrus_workspace *ws, const real *parameter, const sarrus_mech_constraint *constraint,
                                const real *q, const real *v, sarrus_slip_here *here) {
    sarrus_joint_here *at = &here->at;
    const real one = real_set(1.0);
    sarrus_point centre;
    at->joint = &constraint->of[0];
    at->p = lane_from(parameter, constraint->p);
    sarrus_body_look(ws, at->joint->parent, q, v, &at->parent);
    sarrus_body_look(ws, at->joint->child, q, v, &at->child);
    sarrus_point_look(&at->child, sarrus_parameter_vector(at->p, SARRUS_SN_POINT), &centre);
    here->x = centre.at;
    here->pace = centre.v;
    if (constraint->rolls != SARRUS_ROLL_NONE) {
        const space_vector n = sarrus_out_of_body(&at->parent, sarrus_parameter_vector(at->p, SARRUS_SN_NORMAL));
        space_vector rho, rate;
        sarrus_roll_radius(constraint, at, n, &rho, &rate);
        here->x = space_add(here->x, one, rho);
        here->pace = space_add(here->pace, one, rate);
    }
    sarrus_slip_meet(here);
}

/* The row along e with its rate, and about b with its. */
LANE_FUNCTION sarrus_row_value sarrus_row_slip(const sarrus_slip_here *here, space_vector e, space_vector e_dot, space_vector b,
                                               space_vector b_dot) {
    const sarrus_joint_here *at = &here->at;
    const real one = real_set(1.0);
    const space_vector turning = sarrus_vector_less(at->child.omega, at->parent.omega);
    const space_vector of_child = space_cross(at->child.omega, sarrus_vector_less(here->pace, at->to.v));
    const space_vector of_parent = space_cross(at->parent.omega, sarrus_vector_less(here->pace, at->from.v));
    space_vector rest = sarrus_vector_less(at->to.centripetal, at->from.centripetal);
    rest = sarrus_vector_less(space_add(rest, one, of_child), of_parent);
    sarrus_row_value row;
    row.e = e;
    sarrus_row_turns(at, sarrus_vector_less(space_cross(e, at->from.arm), b), space_add(space_cross(at->to.arm, e), one, b), &row);
    row.phi = real_set(0.0);
    row.phi_dot = space_dot(e, here->slip) + space_dot(b, turning);
    row.gamma = -(space_dot(e, rest) + space_dot(e_dot, here->slip) + space_dot(b_dot, turning));
    return row;
}

/* Row k of a constraint that does not slip. */
LANE_FUNCTION sarrus_row_value sarrus_slip_row(const sarrus_mech_constraint *constraint, const sarrus_workspace *ws,
                                               const sarrus_slip_here *here, int32_t k) {
    const sarrus_joint_here *at = &here->at;
    if (constraint->rolls != SARRUS_ROLL_NONE) {
        const space_vector e = sarrus_out_of_body(&at->parent, sarrus_parameter_vector(at->p, SARRUS_SN_NORMAL + 3 * k));
        const space_vector none = sarrus_no_vector();
        sarrus_row_value row = sarrus_row_slip(here, e, space_cross(at->parent.omega, e), none, none);
        if (k == 0) {
            const space_vector s = sarrus_parameter_vector(at->p, SARRUS_SN_PLANE);
            const space_vector plane = sarrus_point_of(&at->parent, s).at;
            row.phi = space_dot(e, sarrus_vector_less(here->x, plane));
        }
        return row;
    }
    const space_vector e = sarrus_out_of_body(&at->child, sarrus_parameter_vector(at->p, SARRUS_SN_ALONG));
    const space_vector b = sarrus_out_of_body(&at->child, sarrus_parameter_vector(at->p, SARRUS_SN_ABOUT));
    sarrus_row_value row = sarrus_row_slip(here, e, space_cross(at->child.omega, e), b, space_cross(at->child.omega, b));
    if (constraint->signal >= 0) {
        row.phi_dot = row.phi_dot - frame_at(ws->signal, 3 * constraint->signal);
        row.gamma = row.gamma + frame_at(ws->signal, 3 * constraint->signal + 1);
    }
    return row;
}

#endif

/* Points on curves in space: a point of body B stays on a curve c(s) in the frame of body A (kernels/body/constraint/foot.h). With
 * u the point in A's frame, s its foot, and n_1, n_2 normals there,
 *
 *   Φ_k = n_k·(u − c),   ∂Φ_k/∂u = n_k,
 *   γ_k = γ of the same row with n_k and c held in A + (n_k·c″)(c′·u̇) ṡ/|c′|²,   ṡ = c′·u̇/(|c′|² − c″·(u − c)),
 *
 * exactly, on the curve and off it, where the normals do not turn about the tangent along the curve: then
 * n_k′ = −(n_k·c″) c′/|c′|².
 * At one state any two normals are those of such a frame, and no number is carried from one state to another; so the first one is
 * the part across the tangent of an axis of A, which no tangent comes near to, and that changes smoothly along the curve. */
#ifndef SARRUS_BODY_SPATIAL_CURVE_H
#define SARRUS_BODY_SPATIAL_CURVE_H

#include "kernels/body/constraint/foot.h"
#include "kernels/body/spatial/row_forms.h"

enum { SARRUS_CURVE_ROWS = 2 };

/* The point and its curve at a state: the foot, body A with the curve's point there and body B with its own; c′, c″ and the normals
 * in the inertial frame. */
typedef struct sarrus_curve_here {
    real foot;
    sarrus_joint_here at;
    space_vector tangent, bend, normal[SARRUS_CURVE_ROWS];
} sarrus_curve_here;

/* Derivative i of the place's coordinates, in A's frame. */
LANE_FUNCTION space_vector sarrus_curve_vector(const sarrus_curve_place *place, int32_t i) {
    space_vector out;
    out.x = place->x[0][i];
    out.y = place->x[1][i];
    out.z = place->x[2][i];
    return out;
}

LANE_BODY void sarrus_curve_look(const sarrus_workspace *ws, const real *parameter, const sarrus_mech_constraint *constraint,
                                 const real *q, const real *v, sarrus_curve_here *here) {
    const real *p = lane_from(parameter, constraint->p);
    sarrus_joint_here *at = &here->at;
    at->joint = &constraint->of[0];
    at->p = p;
    sarrus_body_look(ws, at->joint->parent, q, v, &at->parent);
    sarrus_body_look(ws, at->joint->child, q, v, &at->child);
    sarrus_point_look(&at->child, sarrus_parameter_vector(p, SARRUS_SC_POINT), &at->to);
    const space_vector u = sarrus_into_body(&at->parent, sarrus_vector_less(at->to.at, at->parent.r));
    const real of_point[SPACE_DIMENSION] = {u.x, u.y, u.z};
    const sarrus_curve_foot found = sarrus_curve_foot_find(constraint, p, of_point, lane_at(ws->seen, constraint->seen));
    here->foot = found.s;
    sarrus_point_look(&at->parent, sarrus_curve_vector(&found.at, 0), &at->from);
    at->d = sarrus_vector_less(at->to.at, at->from.at);
    at->d_dot = sarrus_vector_less(at->to.v, at->from.v);
    at->d_centripetal = sarrus_vector_less(at->to.centripetal, at->from.centripetal);
    const space_vector along = sarrus_curve_vector(&found.at, 1), axis = sarrus_parameter_vector(p, SARRUS_SC_AXIS);
    const space_vector t = sarrus_vector_scale(real_inverse_or_zero(real_sqrt(space_dot(along, along))), along);
    const space_vector across = space_add(axis, -space_dot(axis, t), t);
    const space_vector n = sarrus_vector_scale(real_inverse_or_zero(real_sqrt(space_dot(across, across))), across);
    here->tangent = sarrus_out_of_body(&at->parent, along);
    here->bend = sarrus_out_of_body(&at->parent, sarrus_curve_vector(&found.at, 2));
    here->normal[0] = sarrus_out_of_body(&at->parent, n);
    here->normal[1] = sarrus_out_of_body(&at->parent, space_cross(t, n));
}

LANE_FUNCTION sarrus_row_value sarrus_row_curve(const sarrus_curve_here *here, int32_t k) {
    const sarrus_joint_here *at = &here->at;
    sarrus_row_value row = sarrus_row_along(at, here->normal[k]);
    const space_vector rate = sarrus_vector_less(at->d_dot, space_cross(at->parent.omega, at->d)); /* u̇, out of A's frame */
    const real along = space_dot(here->tangent, rate), speed2 = space_dot(here->tangent, here->tangent);
    const real slope = speed2 - space_dot(here->bend, at->d);
    row.gamma = row.gamma + space_dot(here->normal[k], here->bend) * (along * along) / (slope * speed2);
    return row;
}

/* The longest step in which no point passes more of its curve than it sees, s (sarrus_curve_time). */
LANE_BODY real sarrus_feet_time(const sarrus_mechanism *mech, const real *parameter, const sarrus_workspace *ws, const real *q,
                                const real *v) {
    real least = real_set(1e300);
    for (int32_t i = 0; i < sarrus_constraints_count(mech); ++i) {
        const sarrus_mech_constraint *constraint = &mech->constraint[i];
        if (constraint->type != SARRUS_CONSTRAINT_CURVE)
            continue;
        sarrus_curve_here here;
        sarrus_curve_look(ws, parameter, constraint, q, v, &here);
        const real speed = real_sqrt(space_dot(here.at.d_dot, here.at.d_dot));
        least = real_min(sarrus_curve_time(constraint, here.at.p, here.foot, speed), least);
    }
    return least;
}

/* seen [n_free + n_curves] follows the feet on curves at the state q, v, in the lanes of `on`. The rotations are there. */
LANE_BODY void sarrus_feet_follow(const sarrus_mechanism *mech, const real *parameter, const sarrus_workspace *ws, const real *q,
                                  const real *v, mask on, real *seen) {
    for (int32_t i = 0; i < sarrus_constraints_count(mech); ++i) {
        const sarrus_mech_constraint *constraint = &mech->constraint[i];
        if (constraint->type != SARRUS_CONSTRAINT_CURVE)
            continue;
        sarrus_curve_here here;
        sarrus_curve_look(ws, parameter, constraint, q, v, &here);
        lane_at(seen, constraint->seen) = real_select(on, here.foot, lane_at(seen, constraint->seen));
    }
}

#endif

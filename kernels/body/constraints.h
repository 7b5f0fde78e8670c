/* The rows of constraints beside joints. Those that couple coordinates have two parts with two bodies each: Φ = x_A − f(x_B),
 *
 *   J = J_A − f′ J_B,   Φ̇ = ẋ_A − f′ ẋ_B,   γ = γ_A − f′ γ_B + f″ ẋ_B²,
 *
 * where ẍ = J a − γ of either coordinate. One of the table that lacks its law does not compile. That of a point on a curve, and of
 * bodies that do not slip, has one part, with two bodies. */
#ifndef SARRUS_BODY_CONSTRAINTS_H
#define SARRUS_BODY_CONSTRAINTS_H

#include "kernels/body/constraint/cam.h"
#include "kernels/body/constraint/curve.h"
#include "kernels/body/constraint/gear.h"
#include "kernels/body/constraint/nonholonomic.h"
#include "kernels/body/joint/distance.h"

/* The coordinate of a joint, less its zero, as a row; of a kind with a length the distance of its two points. */
LANE_FUNCTION sarrus_row_value sarrus_row_coordinate(const real *parameter, const sarrus_mech_joint *joint, const real *q,
                                                     const real *v, sarrus_workspace *ws) {
    const sarrus_joint_here at = sarrus_joint_find(ws, parameter, joint, q, v);
    sarrus_row_value row;
    if (SARRUS_JOINT_AMONG(SARRUS_JOINTS_WITH_LENGTH, joint->kind))
        return sarrus_row_distance(&at.parent, &at.child, real_set(0.0));
    if (SARRUS_JOINT_AMONG(SARRUS_JOINTS_THAT_SLIDE, joint->kind)) {
        real ux, uy;
        sarrus_vector_of(ws, joint->parent, lane_at(at.p, SARRUS_PJ_AXIS_X), lane_at(at.p, SARRUS_PJ_AXIS_Y), &ux, &uy);
        row = sarrus_row_along(&at.parent, &at.child, ux, uy);
        row.phi = row.phi - lane_at(at.p, SARRUS_PJ_SHIFT0);
        return row;
    }
    row.ex = row.ey = row.gamma = real_set(0.0);
    row.turn_parent = real_set(-1.0);
    row.turn_child = real_set(1.0);
    row.phi = sarrus_joint_angle(ws, joint, lane_at(at.p, SARRUS_PJ_ANGLE0), q);
    row.phi_dot = at.child.omega - at.parent.omega;
    return row;
}

LANE_FUNCTION sarrus_law sarrus_law_find(const sarrus_mechanism *mech, const real *parameter,
                                         const sarrus_mech_constraint *constraint, real x) {
    const real *p = lane_from(parameter, constraint->p);
    sarrus_law law = {x, x, x};
#define SARRUS_COUPLING(name, kernel)                                                                                              \
    if (constraint->type == SARRUS_CONSTRAINT_##name)                                                                              \
        law = sarrus_##kernel##_law(mech, constraint, p, x);
#include "sarrus/constraint.def"
    return law;
}

/* What of J stands in one part of a row. */
LANE_FUNCTION void sarrus_part_store(sarrus_workspace *ws, int32_t i, real scale, const sarrus_row_value *row) {
    frame_at(ws->turn, 2 * i) = scale * row->turn_parent;
    frame_at(ws->turn, 2 * i + 1) = scale * row->turn_child;
    frame_at(ws->direction, 2 * i) = scale * row->ex;
    frame_at(ws->direction, 2 * i + 1) = scale * row->ey;
}

/* The row of a constraint that holds two bodies. */
LANE_FUNCTION sarrus_row_value sarrus_row_of_pair(const real *parameter, const sarrus_mech_constraint *constraint, const real *q,
                                                  const real *v, sarrus_workspace *ws) {
    if (constraint->type == SARRUS_CONSTRAINT_NONHOLONOMIC)
        return sarrus_row_slip(parameter, constraint, q, v, ws);
    const sarrus_curve_here at = sarrus_curve_find(parameter, constraint, q, v, ws);
    return sarrus_row_curve(&at);
}

LANE_BODY void sarrus_constraint_row(const sarrus_mechanism *mech, const real *parameter, const sarrus_mech_constraint *constraint,
                                     const real *q, const real *v, sarrus_workspace *ws) {
    const int32_t i = constraint->row;
    if (constraint->part < 0) {
        const sarrus_row_value row = sarrus_row_of_pair(parameter, constraint, q, v, ws);
        sarrus_row_store(ws, i, &row);
        if (sarrus_ground_moves(ws))
            sarrus_row_drag(mech, ws, i, i);
        return;
    }
    const sarrus_row_value a = sarrus_row_coordinate(parameter, &constraint->of[0], q, v, ws);
    const sarrus_row_value b = sarrus_row_coordinate(parameter, &constraint->of[1], q, v, ws);
    const sarrus_law law = sarrus_law_find(mech, parameter, constraint, b.phi);
    sarrus_part_store(ws, i, real_set(1.0), &a);
    sarrus_part_store(ws, constraint->part, -law.slope, &b);
    frame_at(ws->phi, i) = a.phi - law.value;
    frame_at(ws->phi_dot, i) = real_fnma(law.slope, b.phi_dot, a.phi_dot);
    frame_at(ws->gamma, i) = real_fma(law.bend, b.phi_dot * b.phi_dot, real_fnma(law.slope, b.gamma, a.gamma));
    if (sarrus_ground_moves(ws)) {
        sarrus_row_drag(mech, ws, i, i);
        sarrus_row_drag(mech, ws, constraint->part, i);
    }
}

LANE_FUNCTION void sarrus_constraint_rows(const sarrus_mechanism *mech, const real *parameter, const real *q, const real *v,
                                          sarrus_workspace *ws) {
    PLAN_EACH (i, 0, sarrus_constraints_count(mech))
        sarrus_constraint_row(mech, parameter, &mech->constraint[i], q, v, ws);
}

/* Φ alone. */
LANE_BODY real sarrus_constraint_phi(const sarrus_mechanism *mech, const real *parameter, const sarrus_mech_constraint *constraint,
                                     const real *q, const real *v, sarrus_workspace *ws) {
    if (constraint->part < 0)
        return sarrus_row_of_pair(parameter, constraint, q, v, ws).phi;
    const real x = sarrus_row_coordinate(parameter, &constraint->of[1], q, v, ws).phi;
    const real y = sarrus_row_coordinate(parameter, &constraint->of[0], q, v, ws).phi;
    return y - sarrus_law_find(mech, parameter, constraint, x).value;
}

/* sum + the squares of Φ. */
LANE_FUNCTION real sarrus_constraints_violation_squared(const sarrus_mechanism *mech, const real *parameter, sarrus_workspace *ws,
                                                        const real *q, const real *v, real sum) {
    PLAN_EACH (i, 0, sarrus_constraints_count(mech)) {
        const real phi = sarrus_constraint_phi(mech, parameter, &mech->constraint[i], q, v, ws);
        sum = real_fma(phi, phi, sum);
    }
    return sum;
}

/* Σ Φ̇² of constraints that hold speeds; the poses are there. */
LANE_BODY real sarrus_slips_squared(const sarrus_mechanism *mech, const real *parameter, sarrus_workspace *ws, const real *q,
                                    const real *v) {
    real sum = real_set(0.0);
    for (int32_t i = 0; i < sarrus_constraints_count(mech); ++i) {
        const sarrus_mech_constraint *constraint = &mech->constraint[i];
        if (constraint->type != SARRUS_CONSTRAINT_NONHOLONOMIC)
            continue;
        const real slip = sarrus_row_slip(parameter, constraint, q, v, ws).phi_dot;
        sum = real_fma(slip, slip, sum);
    }
    return sum;
}

/* The longest step in which no point passes more of its curve than it sees, s (sarrus_curve_time). */
LANE_BODY real sarrus_feet_time(const sarrus_mechanism *mech, const real *parameter, sarrus_workspace *ws, const real *q,
                                const real *v) {
    real least = real_set(1e300);
    for (int32_t i = 0; i < sarrus_constraints_count(mech); ++i) {
        const sarrus_mech_constraint *constraint = &mech->constraint[i];
        if (constraint->type != SARRUS_CONSTRAINT_CURVE)
            continue;
        const sarrus_curve_here at = sarrus_curve_find(parameter, constraint, q, v, ws);
        const real ux = at.point.vx - at.on.vx, uy = at.point.vy - at.on.vy, speed = real_sqrt(real_fma(ux, ux, uy * uy));
        least = real_min(sarrus_curve_time(constraint, lane_from(parameter, constraint->p), at.foot, speed), least);
    }
    return least;
}

/* seen [n_free + n_curves] follows the feet on curves at the state q, v, in the lanes of `on`. The rotations are there. */
LANE_BODY void sarrus_feet_follow(const sarrus_mechanism *mech, const real *parameter, sarrus_workspace *ws, const real *q,
                                  const real *v, mask on, real *seen) {
    for (int32_t i = 0; mech->n_curves > 0 && i < sarrus_constraints_count(mech); ++i) {
        const sarrus_mech_constraint *constraint = &mech->constraint[i];
        if (constraint->type != SARRUS_CONSTRAINT_CURVE)
            continue;
        const real foot = sarrus_curve_find(parameter, constraint, q, v, ws).foot;
        lane_at(seen, constraint->seen) = real_select(on, foot, lane_at(seen, constraint->seen));
    }
}

#endif

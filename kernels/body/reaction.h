/* Reactions and motor loads in the plane, from the multipliers. */
#ifndef SARRUS_BODY_REACTION_H
#define SARRUS_BODY_REACTION_H

#include "kernels/body/constraints.h"
#include "kernels/body/kinematics.h"

/* Fx, Fy, M. */
enum { SARRUS_REACTION_NUMBERS = 3 };

/* Force and moment of joint i on its child at the child's joint point, from μ = −λ: F = Σ μ e, M = Σ μ t_child − ρ_c × F. The
 * drive's row is left out (its load is reported as the drive's). On ground as child the parent's load is turned round. */
LANE_BODY void sarrus_joint_reaction(const sarrus_mechanism *mech, const real *parameter, sarrus_workspace *ws, int32_t i_joint,
                                     const real *q, const real *v, real *out) {
    const sarrus_mech_joint *joint = &mech->joint[i_joint];
    int32_t n_rows = joint->signal >= 0 ? joint->n_rows - 1 : joint->n_rows;
    int32_t side = joint->child >= 0 ? 1 : 0;
    real fx = real_set(0.0), fy = real_set(0.0), moment = real_set(0.0);
    for (int32_t i = joint->row; i < joint->row + n_rows; ++i) {
        real mu = frame_at(ws->multiplier, i);
        fx = real_fma(mu, frame_at(ws->direction, 2 * i), fx);
        fy = real_fma(mu, frame_at(ws->direction, 2 * i + 1), fy);
        moment = real_fma(mu, frame_at(ws->turn, 2 * i + side), moment);
    }
    sarrus_point parent, child;
    sarrus_joint_points(ws, parameter, joint, q, v, &parent, &child);
    real arm_x = child.arm_x, arm_y = child.arm_y;
    if (!side) { /* moment about the parent's centre, of the opposite load */
        moment = -moment;
        arm_x = child.x - lane_at(q, space_q(joint->parent));
        arm_y = child.y - lane_at(q, space_q(joint->parent) + 1);
    }
    lane_at(out, 0) = fx;
    lane_at(out, 1) = fy;
    lane_at(out, 2) = moment - real_fnma(arm_y, fx, arm_x * fy);
}

/* Load of a constraint on the coordinate that follows, or on a point along the normal of its curve. */
enum { SARRUS_LOAD_NUMBERS = 1 };
LANE_FUNCTION void sarrus_constraint_load(const sarrus_mechanism *mech, const sarrus_workspace *ws, int32_t i_constraint,
                                          real *out) {
    lane_at(out, 0) = frame_at(ws->multiplier, mech->constraint[i_constraint].row);
}

/* Motor loads: force or moment along the free coordinate on the child, μ of the drive's row. */
LANE_BODY void sarrus_motor_loads(const sarrus_mechanism *mech, const sarrus_workspace *ws, real *out) {
    int32_t i_drive = 0;
    for (int32_t i = 0; i < mech->n_joints; ++i) {
        const sarrus_mech_joint *joint = &mech->joint[i];
        if (joint->signal < 0)
            continue;
        lane_at(out, i_drive++) = frame_at(ws->multiplier, joint->row + joint->n_rows - 1);
    }
}

/* Σ μ ṡ of the drives, and μ g of constraints that slip at a given speed: what they do through their rows. Dependent rows have none
 * to do (wᵀJ = 0 makes wᵀṡ = 0). */
LANE_FUNCTION real sarrus_drives_power(const sarrus_mechanism *mech, const sarrus_workspace *ws) {
    real power = real_set(0.0);
    PLAN_EACH (i, 0, mech->n_drives > 0 ? mech->n_joints : 0) {
        const sarrus_mech_joint *joint = &mech->joint[i];
        if (sarrus_joint_has_drive(mech, joint))
            power = real_fma(frame_at(ws->multiplier, joint->row + joint->n_rows - 1), frame_at(ws->signal, 3 * joint->signal + 1),
                             power);
    }
    PLAN_EACH (i, 0, sarrus_constraints_count(mech)) {
        const sarrus_mech_constraint *constraint = &mech->constraint[i];
        if (constraint->signal >= 0)
            power = real_fma(frame_at(ws->multiplier, constraint->row), frame_at(ws->signal, 3 * constraint->signal), power);
    }
    return power;
}

/* The same of all that moves by signals: drives, and ground, whose power is −Σ μ J_ground ẋ_ground. */
LANE_FUNCTION real sarrus_motions_power(const sarrus_mechanism *mech, const sarrus_workspace *ws) {
    real power = sarrus_drives_power(mech, ws);
    if (!mech->moves_ground)
        return power;
    const real *speeds = frame_from(ws->ground, SARRUS_GROUND_SPEEDS);
    PLAN_EACH (i, 0, mech->m)
        power = real_fnma(frame_at(ws->multiplier, i), sarrus_row_of_ground(mech, ws, i, speeds), power);
    PLAN_EACH (k, 0, sarrus_constraints_count(mech)) {
        const sarrus_mech_constraint *constraint = &mech->constraint[k];
        if (constraint->part >= 0)
            power = real_fnma(frame_at(ws->multiplier, constraint->row), sarrus_row_of_ground(mech, ws, constraint->part, speeds),
                              power);
    }
    return power;
}

/* Angles of the plane are coordinates, which turn as far as they like: only feet on curves have to be followed. */
LANE_FUNCTION void sarrus_turns_follow(const sarrus_mechanism *mech, const real *parameter, sarrus_workspace *ws, const real *q,
                                       const real *v, mask on, real *seen) {
    sarrus_feet_follow(mech, parameter, ws, q, v, on, seen);
}
/* The same where a step ends; leaves the rotations of that state. */
LANE_FUNCTION void sarrus_turns_see(const sarrus_mechanism *mech, const real *parameter, sarrus_workspace *ws, const real *q,
                                    const real *v, mask on, real *seen) {
    if (mech->n_curves == 0)
        return;
    sarrus_rotations(mech, q, ws);
    sarrus_turns_follow(mech, parameter, ws, q, v, on, seen);
}
LANE_FUNCTION void sarrus_turns_begin(const sarrus_mechanism *mech, const real *parameter, sarrus_workspace *ws, const real *q,
                                      const real *v, real *seen) {
    sarrus_turns_see(mech, parameter, ws, q, v, mask_not(mask_none()), seen);
}

#endif

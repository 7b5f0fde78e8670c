/* Reactions and motor loads in space, from the multipliers (S3 5.2.9). */
#ifndef SARRUS_BODY_SPATIAL_REACTION_H
#define SARRUS_BODY_SPATIAL_REACTION_H

#include "kernels/body/spatial/elastic.h"
#include "kernels/body/spatial/rows.h"

/* Fx, Fy, Fz, Mx, My, Mz. */
enum { SARRUS_REACTION_NUMBERS = 6 };

/* Force and torque of joint i on its child at the child's joint point, in the inertial frame, from μ = −λ: F = Σ μ e,
 * M = Σ μ t_child − ρ_c × F. Rows of drives are left out (their loads are reported as the drives'). On ground as child the parent's
 * load is turned round: M = −Σ μ t_parent − ρ × F, ρ from the parent's centre to the child's point. */
LANE_BODY void sarrus_joint_reaction(const sarrus_mechanism *mech, const real *parameter, const sarrus_workspace *ws,
                                     int32_t i_joint, const real *q, const real *v, real *out) {
    const sarrus_mech_joint *joint = &mech->joint[i_joint];
    sarrus_joint_here at;
    sarrus_joint_look(ws, parameter, joint, q, v, &at);
    const int32_t side = joint->child >= 0 ? 1 : 0;
    space_vector force = sarrus_no_vector(), torque = sarrus_no_vector();
    for (int32_t i = joint->row; i < joint->row + joint->n_rows; ++i) {
        if (mech->row[i].form == SARRUS_SPATIAL_ROW_DRIVE)
            continue;
        const real mu = frame_at(ws->multiplier, i);
        force = space_add(force, mu, sarrus_frame_vector(ws->direction, 3 * i));
        torque = space_add(torque, side ? mu : -mu, sarrus_frame_vector(ws->turn, 3 * (2 * i + side)));
    }
    torque = sarrus_turn_shown(side ? &at.child : &at.parent, torque);
    const space_vector arm = side ? at.to.arm : sarrus_vector_less(at.to.at, at.parent.r);
    space_vector_put(force, out);
    space_vector_put(sarrus_vector_less(torque, space_cross(arm, force)), lane_from(out, 3));
}

/* Loads of constraints: the force on the point of each curve, or where B does not slip on B, in the inertial frame. */
enum { SARRUS_LOAD_NUMBERS = 3 };
LANE_BODY void sarrus_constraint_load(const sarrus_mechanism *mech, const sarrus_workspace *ws, int32_t i_constraint, real *out) {
    const int32_t i = mech->constraint[i_constraint].row;
    space_vector force = sarrus_no_vector();
    for (int32_t k = i; k < i + mech->joint[mech->row[i].joint].n_rows; ++k)
        force = space_add(force, frame_at(ws->multiplier, k), sarrus_frame_vector(ws->direction, 3 * k));
    space_vector_put(force, out);
}

/* Motor loads: force or torque along the free coordinate on the child, μ of the drive's row. */
LANE_BODY void sarrus_motor_loads(const sarrus_mechanism *mech, const sarrus_workspace *ws, real *out) {
    int32_t i_drive = 0;
    for (int32_t i = 0; i < mech->n_freedoms; ++i) {
        if (mech->freedom[i].row >= 0)
            lane_at(out, i_drive++) = frame_at(ws->multiplier, mech->freedom[i].row);
    }
}

/* Σ μ ṡ of the drives, and μ g of constraints that slip at a given speed: what they do through their rows. Dependent rows have none
 * to do (wᵀJ = 0 makes wᵀṡ = 0). */
LANE_FUNCTION real sarrus_drives_power(const sarrus_mechanism *mech, const sarrus_workspace *ws) {
    real power = real_set(0.0);
    const int32_t n_freedoms = mech->n_drives > 0 ? mech->n_freedoms : 0;
    PLAN_EACH (i, 0, n_freedoms) {
        const sarrus_mech_freedom *freedom = &mech->freedom[i];
        if (freedom->row >= 0)
            power = real_fma(frame_at(ws->multiplier, freedom->row), frame_at(ws->signal, 3 * freedom->signal + 1), power);
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
    const space_vector shift = sarrus_frame_vector(ws->ground, SARRUS_SPATIAL_GROUND_SPEEDS), turn = sarrus_ground_rate(ws);
    PLAN_EACH (i, 0, mech->m) {
        sarrus_row_value parts;
        parts.e = sarrus_row_direction(mech, ws, i);
        parts.turn_parent = sarrus_frame_vector(ws->turn, 6 * i);
        parts.turn_child = sarrus_frame_vector(ws->turn, 6 * i + 3);
        power = real_fnma(frame_at(ws->multiplier, i), sarrus_row_of_ground(&mech->row[i], &parts, shift, turn), power);
    }
    return power;
}

/* The angles of joints and the feet on curves at the state q, v, in the lanes of `on`: seen[n_free + n_curves] follows the angles
 * beyond whole turns, but for those that are coordinates of a tree. The rotations are there. */
LANE_BODY void sarrus_turns_follow(const sarrus_mechanism *mech, const real *parameter, sarrus_workspace *ws, const real *q,
                                   const real *v, mask on, real *seen) {
    for (int32_t i = 0; i < mech->n_freedoms; ++i) {
        const sarrus_mech_freedom *freedom = &mech->freedom[i];
        if (!sarrus_freedom_is_turn(freedom->form) || mech->joint[freedom->joint].is_within)
            continue;
        sarrus_joint_here at;
        sarrus_joint_look(ws, parameter, &mech->joint[freedom->joint], q, v, &at);
        const real angle = sarrus_freedom_row(ws, parameter, &at, freedom).phi;
        lane_at(seen, freedom->at) = real_select(on, angle, lane_at(seen, freedom->at));
    }
    if (mech->n_curves > 0)
        sarrus_feet_follow(mech, parameter, ws, q, v, on, seen);
}

/* The same where a step ends; leaves the rotations of that state. */
LANE_BODY void sarrus_turns_see(const sarrus_mechanism *mech, const real *parameter, sarrus_workspace *ws, const real *q,
                                const real *v, mask on, real *seen) {
    int is_followed = mech->n_curves > 0;
    for (int32_t i = 0; i < mech->n_freedoms; ++i)
        is_followed = is_followed || sarrus_freedom_is_turn(mech->freedom[i].form);
    if (!is_followed)
        return;
    sarrus_rotations(mech, q, ws);
    sarrus_turns_follow(mech, parameter, ws, q, v, on, seen);
}

/* The same where the motion begins, with the signals of t = 0 in the workspace: an angle that is driven is of the turn that its
 * signal says, any other one lies between −π and π. */
LANE_BODY void sarrus_turns_begin(const sarrus_mechanism *mech, const real *parameter, sarrus_workspace *ws, const real *q,
                                  const real *v, real *seen) {
    for (int32_t i = 0; i < mech->n_freedoms; ++i) {
        const sarrus_mech_freedom *freedom = &mech->freedom[i];
        if (sarrus_freedom_is_turn(freedom->form))
            lane_at(seen, freedom->at) = freedom->row >= 0 ? frame_at(ws->signal, 3 * freedom->signal) : real_set(0.0);
    }
    sarrus_turns_see(mech, parameter, ws, q, v, mask_not(mask_none()), seen);
}

#endif

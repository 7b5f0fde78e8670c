/* The rows of all joints and constraints in space, J and γ (S5 eq 23), and how far their loops are open. */
#ifndef SARRUS_BODY_SPATIAL_ROWS_H
#define SARRUS_BODY_SPATIAL_ROWS_H

#include "kernels/body/spatial/constraints.h"

/* A driven coordinate less its signal: Φ − s, Φ̇ − ṡ, γ + s̈. An angle is driven up to whole turns. */
LANE_FUNCTION sarrus_row_value sarrus_row_drive(const sarrus_mechanism *mech, const real *parameter, const sarrus_joint_here *at,
                                                const sarrus_workspace *ws, int32_t i_freedom) {
    const sarrus_mech_freedom *freedom = &mech->freedom[i_freedom];
    sarrus_row_value row = sarrus_row_of_freedom(at, freedom->form, lane_from(parameter, freedom->p));
    const real *s = frame_from(ws->signal, 3 * freedom->signal);
    row.phi = row.phi - frame_at(s, 0);
    if (sarrus_freedom_is_turn(freedom->form))
        row.phi = real_less_turns(row.phi);
    row.phi_dot = row.phi_dot - frame_at(s, 1);
    row.gamma = row.gamma + frame_at(s, 2);
    return row;
}

/* Row i of the mechanism, one of the joint's, of this form. */
LANE_FUNCTION sarrus_row_value sarrus_row_find(const sarrus_mechanism *mech, const real *parameter, const sarrus_joint_here *at,
                                               const sarrus_workspace *ws, int32_t i, int32_t form) {
    if (form <= SARRUS_SPATIAL_ROW_PIN_Z)
        return sarrus_row_pin(at, form - SARRUS_SPATIAL_ROW_PIN_X);
    if (form <= SARRUS_SPATIAL_ROW_ALONG_3)
        return sarrus_row_along(at, sarrus_parent_axis(at, form - SARRUS_SPATIAL_ROW_ALONG_1 + 1));
    if (form <= SARRUS_SPATIAL_ROW_ACROSS_31) {
        const int32_t first = form - SARRUS_SPATIAL_ROW_ACROSS_12 + 1;
        return sarrus_row_across(at, first, sarrus_axis_after(first));
    }
    if (form <= SARRUS_SPATIAL_ROW_ACROSS_32) {
        const int32_t first = form - SARRUS_SPATIAL_ROW_ACROSS_13 + 1;
        return sarrus_row_across(at, first, sarrus_axis_after(sarrus_axis_after(first)));
    }
    if (form == SARRUS_SPATIAL_ROW_LENGTH)
        return sarrus_row_length(at);
    if (form == SARRUS_SPATIAL_ROW_HELIX)
        return sarrus_row_helix(at);
    return sarrus_row_drive(mech, parameter, at, ws, mech->row[i].freedom);
}

/* All rows of a joint. */
PLAN_BODY void sarrus_joint_rows(const sarrus_mechanism *mech, const real *parameter, const sarrus_mech_joint *joint, const real *q,
                                 const real *v, sarrus_workspace *ws, int wanted) {
    if (joint->n_rows == 0)
        return;
    sarrus_joint_here at;
    sarrus_joint_look(ws, parameter, joint, q, v, &at);
    const int32_t first = joint->row - joint->lap_rows;
    PLAN_WITHIN(k, first, first + joint->n_rows) {
        const sarrus_mech_row *like = &mech->row[k];
        const int32_t i = k + joint->lap_rows;
        sarrus_row_value row = sarrus_row_find(mech, parameter, &at, ws, i, like->form);
        if (sarrus_ground_moves(ws))
            sarrus_row_drag(mech, ws, i, &row);
        sarrus_row_store(like, ws, i, &row, wanted);
    }
}

/* Rows of all joints and constraints at (q, v); the rotations and signals are there already. */
PLAN_BODY void sarrus_rows(const sarrus_mechanism *mech, const real *parameter, const real *q, const real *v, sarrus_workspace *ws,
                           int wanted) {
    PLAN_EACH (i, 0, mech->n_joints)
        sarrus_joint_rows(mech, parameter, &mech->joint[i], q, v, ws, wanted);
    PLAN_EACH (i, 0, sarrus_constraints_count(mech))
        sarrus_constraint_row(mech, parameter, &mech->constraint[i], q, v, ws, wanted);
}

/* ‖Φ‖². */
PLAN_BODY real sarrus_violation_squared(const sarrus_mechanism *mech, const real *parameter, sarrus_workspace *ws, const real *q,
                                        const real *v) {
    real sum = real_set(0.0);
    PLAN_EACH (j, 0, mech->n_joints) {
        const sarrus_mech_joint *joint = &mech->joint[j];
        if (joint->n_rows == 0)
            continue;
        sarrus_joint_here at;
        sarrus_joint_look(ws, parameter, joint, q, v, &at);
        PLAN_EACH (i, joint->row, joint->row + joint->n_rows) {
            const real phi = sarrus_row_find(mech, parameter, &at, ws, i, mech->row[i].form).phi;
            sum = real_fma(phi, phi, sum);
        }
    }
    PLAN_EACH (i, 0, sarrus_constraints_count(mech))
        sum = sarrus_constraint_violation_squared(parameter, &mech->constraint[i], q, v, ws, sum);
    return sum;
}

/* e of the constant rows, once per workspace. */
PLAN_BODY void sarrus_constant_directions(const sarrus_mechanism *mech, sarrus_workspace *ws) {
    PLAN_EACH (i, 0, mech->m) {
        const int32_t kind = mech->row[i].kind;
        if (kind == SARRUS_ROW_GENERAL)
            continue;
        frame_at(ws->direction, 3 * i) = real_set(kind == SARRUS_ROW_X ? 1.0 : 0.0);
        frame_at(ws->direction, 3 * i + 1) = real_set(kind == SARRUS_ROW_Y ? 1.0 : 0.0);
        frame_at(ws->direction, 3 * i + 2) = real_set(kind == SARRUS_ROW_Z ? 1.0 : 0.0);
    }
}

#endif

/* The rows of all joints and constraints, J and γ (S5 eq 23), and how far their loops are open. A joint of the table that lacks
 * its functions does not compile. */
#ifndef SARRUS_BODY_ROWS_H
#define SARRUS_BODY_ROWS_H

#include "kernels/body/constraints.h"
#include "kernels/body/joint/fixed.h"
#include "kernels/body/joint/prismatic.h"
#include "kernels/body/joint/revolute.h"
#include "kernels/body/joint/slot.h"

/* All rows of a joint. A drive s(t) adds the free coordinate's row with Φ − s, Φ̇ − ṡ, γ + s̈. Of a ground that moves Φ and Φ̇ see
 * the points, and γ its acceleration besides. */
PLAN_BODY void sarrus_joint_rows(const sarrus_mechanism *mech, const real *parameter, const sarrus_mech_joint *joint, const real *q,
                                 const real *v, sarrus_workspace *ws, int wanted) {
    if (joint->n_rows == 0)
        return;
    const sarrus_joint_here at = sarrus_joint_find(ws, parameter, joint, q, v);
#define SARRUS_JOINT(name, value, word, kernel, n_rows, row_0, row_1, row_2, label_0, label_1, label_2, free, needs, text)         \
    if (!joint->is_within && sarrus_joint_is(mech, joint, SARRUS_JOINT_##name))                                                    \
        sarrus_##kernel##_rows(ws, &at, wanted);
#include "sarrus/joint.def"
    if (sarrus_joint_has_drive(mech, joint)) {
        const int32_t i = joint->row + joint->n_rows - 1;
        const real *s = frame_from(ws->signal, 3 * joint->signal);
        sarrus_row_free(ws, i, joint, at.p, q, v, &at.parent, &at.child);
        frame_at(ws->phi, i) = frame_at(ws->phi, i) - frame_at(s, 0);
        frame_at(ws->phi_dot, i) = frame_at(ws->phi_dot, i) - frame_at(s, 1);
        frame_at(ws->gamma, i) = frame_at(ws->gamma, i) + frame_at(s, 2);
    }
    if (sarrus_ground_moves(ws) && (wanted & SARRUS_WANT_GAMMA) && (joint->parent < 0 || joint->child < 0)) {
        PLAN_EACH (i, joint->row, joint->row + joint->n_rows)
            sarrus_row_drag(mech, ws, i, i);
    }
}

/* sum + the squares of the Φ of a joint's rows. */
LANE_FUNCTION real sarrus_joint_violation_squared(const sarrus_mechanism *mech, const real *parameter,
                                                  const sarrus_mech_joint *joint, sarrus_workspace *ws, const real *q,
                                                  const real *v, real sum) {
    if (joint->n_rows == 0)
        return sum;
    const sarrus_joint_here at = sarrus_joint_find(ws, parameter, joint, q, v);
#define SARRUS_JOINT(name, value, word, kernel, n_rows, row_0, row_1, row_2, label_0, label_1, label_2, free, needs, text)         \
    if (!joint->is_within && sarrus_joint_is(mech, joint, SARRUS_JOINT_##name))                                                    \
        sum = sarrus_##kernel##_violation_squared(ws, &at, sum);
#include "sarrus/joint.def"
    if (sarrus_joint_has_drive(mech, joint)) {
        real phi = sarrus_free_coordinate(ws, joint, at.p, q, &at.parent, &at.child) - frame_at(ws->signal, 3 * joint->signal);
        sum = real_fma(phi, phi, sum);
    }
    return sum;
}

/* ‖Φ‖². */
LANE_FUNCTION real sarrus_violation_squared(const sarrus_mechanism *mech, const real *parameter, sarrus_workspace *ws,
                                            const real *q, const real *v) {
    real sum = real_set(0.0);
    sarrus_mech_joint now;
    PLAN_RUNS(JOINTS, i, lap, 0, mech->n_joints,
              sum = sarrus_joint_violation_squared(mech, parameter, sarrus_joint_at(mech, i, lap, &now), ws, q, v, sum))
    return sarrus_constraints_violation_squared(mech, parameter, ws, q, v, sum);
}

/* Rows of all joints and constraints at (q, v); the rotations and signals are there already. Directions of constant rows of joints
 * are written only when the plan has general rows (nothing else reads them on the fast path). */
PLAN_BODY void sarrus_rows(const sarrus_mechanism *mech, const real *parameter, const real *q, const real *v, sarrus_workspace *ws,
                           int wanted) {
    sarrus_mech_joint now;
    PLAN_RUNS(JOINTS, i, lap, 0, mech->n_joints,
              sarrus_joint_rows(mech, parameter, sarrus_joint_at(mech, i, lap, &now), q, v, ws, wanted))
    sarrus_constraint_rows(mech, parameter, q, v, ws);
}

/* e of the constant rows, once per workspace: nothing overwrites it. */
PLAN_BODY void sarrus_constant_directions(const sarrus_mechanism *mech, sarrus_workspace *ws) {
    PLAN_EACH (i, 0, mech->m) {
        int32_t kind = mech->row[i].kind;
        if (kind == SARRUS_ROW_GENERAL)
            continue;
        frame_at(ws->direction, 2 * i) = real_set(kind == SARRUS_ROW_X ? 1.0 : 0.0);
        frame_at(ws->direction, 2 * i + 1) = real_set(kind == SARRUS_ROW_Y ? 1.0 : 0.0);
    }
}

#endif

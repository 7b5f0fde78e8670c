/* Slot: Φ = n·(p_child − p_parent), n across the axis and turning with the parent: a pin of the child on a line of the parent. */
#ifndef SARRUS_BODY_JOINT_SLOT_H
#define SARRUS_BODY_JOINT_SLOT_H

#include "kernels/body/joint/prismatic.h"

LANE_FUNCTION void sarrus_slot_rows(sarrus_workspace *ws, const sarrus_joint_here *at, int wanted) {
    const sarrus_row_value row = sarrus_prismatic_normal(ws, at);
    (void)wanted;
    sarrus_row_store(ws, at->joint->row, &row);
}

/* sum + Φ². */
LANE_FUNCTION real sarrus_slot_violation_squared(sarrus_workspace *ws, const sarrus_joint_here *at, real sum) {
    const real phi = sarrus_prismatic_normal(ws, at).phi;
    return real_fma(phi, phi, sum);
}

#endif

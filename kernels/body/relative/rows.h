/* Rows over the speeds of a tree. A row of joints is a wrench on each of its two bodies; its number at a speed is the power that this
 * wrench has with the twist of the speed. Speeds that move both bodies alike have none, exactly.
 *
 *   J_ik = s_k · (wrench of row i on the side that k moves),   γ_i = γ of the bodies − J_bodies (their accelerations by the speeds alone)
 *   reach_i = L⁻ᵀ J_iᵀ,   over_i = D⁻¹ reach_i:   M⁻¹ J_iᵀ = L⁻¹ over_i,   S_ij = over_i · reach_j */
#ifndef SARRUS_BODY_RELATIVE_ROWS_H
#define SARRUS_BODY_RELATIVE_ROWS_H

#include "kernels/body/relative/tree.h"

LANE_FUNCTION space_vector sarrus_tree_gravity(const sarrus_mechanism *mech, const real *parameter) {
    space_vector out;
    out.x = lane_at(parameter, mech->p_gravity);
    out.y = lane_at(parameter, mech->p_gravity + 1);
#if defined(SARRUS_KERNELS_SPATIAL)
    out.z = lane_at(parameter, mech->p_gravity + 2);
#endif
    return out;
}

/* Side i_side = 2·row + (0 parent, 1 child) of a row: the force on its body, the power of row and body with the accelerations that
 * the speeds alone make, and the row's J_i M⁻¹ J_iᵀ on the free body. */
typedef struct sarrus_side {
    space_wrench wrench;
    real bias, whole;
} sarrus_side;

LANE_FUNCTION sarrus_side sarrus_side_of(const sarrus_mechanism *mech, const real *parameter, const sarrus_workspace *ws,
                                         int32_t i_side, int32_t body) {
    sarrus_side out;
    const real *p = sarrus_body_parameters(mech, parameter, body);
    const space_vector e = sarrus_tree_vector(ws->direction, SPACE_DIMENSION * (i_side / 2));
    const space_vector force = space_scaled(real_set(i_side & 1 ? 1.0 : -1.0), e), arm = sarrus_tree_arm(mech, ws, body);
    const int32_t turn = space_v(body) + SPACE_TURN;
    out.bias = space_inner(force, sarrus_tree_vector(ws->body_drift, space_v(body)));
#if defined(SARRUS_KERNELS_SPATIAL)
    const space_rotation a = sarrus_tree_rotation(ws, body);
    const space_vector torque = sarrus_frame_vector(ws->turn, 3 * i_side);
    out.bias = out.bias + space_dot(torque, sarrus_frame_vector(ws->body_drift, turn));
    out.whole = real_fma(lane_at(p, SARRUS_SB_MINV), space_dot(e, e), space_dot(torque, sarrus_inertia_solve(p, torque)));
    out.wrench = space_wrench_at(arm, force, space_rotate(&a, torque));
#else
    const real torque = frame_at(ws->turn, i_side);
    out.bias = real_fma(torque, frame_at(ws->body_drift, turn), out.bias);
    out.whole = real_fma(lane_at(p, SARRUS_PB_MINV), space_inner(e, e), lane_at(p, SARRUS_PB_IINV) * torque * torque);
    out.wrench = space_wrench_at(arm, force, torque);
#endif
    return out;
}

/* The sides of all rows, their γ, and their sizes on free bodies, by which they are judged: a row over the tree's speeds may shrink to
 * nothing where it is lost. */
PLAN_BODY void sarrus_tree_sides(const sarrus_mechanism *mech, const real *parameter, sarrus_workspace *ws) {
    PLAN_EACH (i, 0, mech->m)
        frame_at(ws->whole, i) = real_set(0.0);
    PLAN_EACH (i_side, 0, 2 * mech->m) {
        const int32_t i = i_side / 2, body = i_side & 1 ? mech->row[i].child : mech->row[i].parent;
        if (body < 0)
            continue;
        const sarrus_side of = sarrus_side_of(mech, parameter, ws, i_side, body);
        frame_at(ws->gamma, i) = frame_at(ws->gamma, i) - of.bias;
        frame_at(ws->whole, i) = frame_at(ws->whole, i) + of.whole;
        sarrus_wrench_put(ws->side, i_side, of.wrench);
    }
}

/* Rows over the tree's speeds, from their sides. */
PLAN_BODY void sarrus_tree_entries(const sarrus_mechanism *mech, sarrus_workspace *ws) {
    const sarrus_mech_tree *tree = &mech->tree;
    PLAN_EACH (n, 0, tree->n_entries) {
        const sarrus_mech_entry *entry = &tree->entry[n];
        if (entry->side >= 0)
            frame_at(ws->leg, n) = sarrus_speed_power(mech, ws, entry->speed, sarrus_wrench_take(ws->side, entry->side));
        else
            frame_at(ws->leg, n) = real_set(0.0);
        frame_at(ws->reach, n) = frame_at(ws->leg, n);
    }
    PLAN_EACH (n, 0, tree->n_carries) {
        const sarrus_mech_carry *carry = &tree->carry[n];
        frame_at(ws->reach, carry->to) =
            real_fnma(frame_at(ws->share, carry->at), frame_at(ws->reach, carry->from), frame_at(ws->reach, carry->to));
    }
    PLAN_EACH (n, 0, tree->n_entries)
        frame_at(ws->over, n) = frame_at(ws->lightness, tree->entry[n].speed) * frame_at(ws->reach, n);
}

/* All rows of the joints at the bodies' poses and velocities, over the speeds of the tree. Those of the same configuration with
 * another γ have their entries already. */
PLAN_BODY void sarrus_tree_rows(const sarrus_mechanism *mech, const real *parameter, sarrus_workspace *ws, int wanted) {
    sarrus_rows(mech, parameter, ws->body_q, ws->body_v, ws, wanted & ~SARRUS_HAVE_PARTS);
    sarrus_tree_sides(mech, parameter, ws);
    if (!(wanted & SARRUS_HAVE_PARTS))
        sarrus_tree_entries(mech, ws);
}

#endif

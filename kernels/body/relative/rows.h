/* Rows over the speeds of a tree, of its cut joints among others (S2 eqs 70 to 73; S3 5.3). A row of joints is a wrench on each of
 * its two bodies; its number at a speed is the power that this wrench has with the twist of the speed. Speeds that move both bodies
 * alike have none, exactly.
 *
 *   J_ik = s_k · (wrench of row i on the side that k moves)
 *   γ_i = γ of the bodies − J_bodies (their accelerations by the speeds alone)
 *   reach_i = L⁻ᵀ J_iᵀ,   over_i = D⁻¹ reach_i:   M⁻¹ J_iᵀ = L⁻¹ over_i,   S_ij = over_i · reach_j */
#ifndef SARRUS_BODY_RELATIVE_ROWS_H
#define SARRUS_BODY_RELATIVE_ROWS_H

#include "kernels/body/relative/row_blocks.h"

LANE_FUNCTION space_vector sarrus_tree_gravity(const sarrus_mechanism *mech, const real *parameter) {
    space_vector out;
    out.x = lane_at(parameter, mech->p_gravity);
    out.y = lane_at(parameter, mech->p_gravity + 1);
#if defined(SARRUS_KERNELS_SPATIAL)
    out.z = lane_at(parameter, mech->p_gravity + 2);
#endif
    return out;
}

/* Side i_side = 2·row + (0 parent, 1 child) of a row of a kind: the force on its body, the power of row and body with the
 * accelerations that the speeds alone make, and the row's J_i M⁻¹ J_iᵀ on the free body. */
typedef struct sarrus_side {
    space_wrench wrench;
    real bias, whole;
} sarrus_side;

LANE_FUNCTION sarrus_side sarrus_side_of(const sarrus_mechanism *mech, const real *parameter, const sarrus_workspace *ws,
                                         int32_t i_side, int32_t body, int32_t kind) {
    sarrus_side out;
    const real *p = sarrus_body_parameters(mech, parameter, body);
    const space_vector e = sarrus_tree_vector(ws->direction, SPACE_DIMENSION * (i_side / 2));
    const space_vector force = space_scaled(real_set(i_side & 1 ? 1.0 : -1.0), e), arm = sarrus_tree_arm(ws, body);
    const int32_t turn = space_v(body) + SPACE_TURN;
    out.bias = space_inner(force, sarrus_tree_vector(ws->body_drift, space_v(body)));
#if defined(SARRUS_KERNELS_SPATIAL)
    const space_rotation a = sarrus_tree_rotation(ws, body);
    const space_vector torque = sarrus_frame_vector(ws->turn, 3 * i_side), of_body = space_rotate_back(&a, torque);
    const real along = space_dot(torque, sarrus_twist_take(ws->drift, body).omega);
    const real of_turn = space_dot(of_body, sarrus_inertia_solve(p, of_body));
    (void)turn;
    if (kind == SARRUS_ROW_ANGLE) {
        out.bias = along;
        out.whole = of_turn;
        out.wrench.force = space_nothing();
        out.wrench.moment = torque;
        return out;
    }
    out.bias = out.bias + along;
    out.whole = real_fma(lane_at(p, SARRUS_SB_MINV), space_dot(e, e), of_turn);
    out.wrench = space_wrench_at(arm, force, torque);
#else
    (void)kind;
    const real torque = frame_at(ws->turn, i_side);
    out.bias = real_fma(torque, frame_at(ws->body_drift, turn), out.bias);
    out.whole = real_fma(lane_at(p, SARRUS_PB_MINV), space_inner(e, e), lane_at(p, SARRUS_PB_IINV) * torque * torque);
    out.wrench = space_wrench_at(arm, force, torque);
#endif
    return out;
}

/* Whether a row drives a joint of the tree. */
LANE_FUNCTION int sarrus_row_is_within(const sarrus_mechanism *mech, int32_t i) {
    return mech->n_drives > 0 && mech->joint[mech->row[i].joint].is_within;
}

/* Side i_side, on `body`, of row i, which is of the kind of row `like`: its wrench, and its parts of the row's γ and size. */
LANE_FUNCTION void sarrus_side_take(const sarrus_mechanism *mech, const real *parameter, sarrus_workspace *ws, int32_t i,
                                    int32_t i_side, int32_t body, int32_t like) {
    const sarrus_side of = sarrus_side_of(mech, parameter, ws, i_side, body, mech->row[like].kind);
    frame_at(ws->gamma, i) = frame_at(ws->gamma, i) - of.bias;
    if (!sarrus_row_is_within(mech, like))
        frame_at(ws->whole, i) = frame_at(ws->whole, i) + of.whole;
    sarrus_wrench_put(ws->side, i_side, of.wrench);
}

/* The sides of a joint's rows, their γ, and their sizes on free bodies, by which they are judged: a row over the tree's speeds may
 * shrink to nothing where it is lost. One that drives a joint of the tree does not: it is one of the speeds, and is judged by what
 * that one meets (sarrus_tree_driven_sizes). */
LANE_FUNCTION void sarrus_tree_sides(const sarrus_mechanism *mech, const real *parameter, sarrus_workspace *ws,
                                     const sarrus_mech_joint *joint) {
    const int32_t first = joint->row - joint->lap_rows, end = first + joint->n_rows;
    PLAN_WITHIN(like, first, end) {
        if (!sarrus_row_is_within(mech, like))
            frame_at(ws->whole, like + joint->lap_rows) = real_set(0.0);
    }
    PLAN_WITHIN(like_side, 2 * first, 2 * end) {
        const int32_t like = like_side / 2, body = like_side & 1 ? joint->child : joint->parent;
        if (body >= 0)
            sarrus_side_take(mech, parameter, ws, like + joint->lap_rows, like_side + 2 * joint->lap_rows, body, like);
    }
}

#if !defined(SARRUS_KERNELS_SPATIAL)

/* Two rows of a pin and no others. */
LANE_FUNCTION int sarrus_joint_is_pin(const sarrus_mech_joint *joint) {
    return !joint->is_within && joint->kind == SARRUS_JOINT_REVOLUTE && joint->n_rows == 2;
}

/* One side of a pin: the point, its velocity, its acceleration by the speeds alone, and what the rows along x and y are on the free
 * body. A side on ground has a place and nothing else. */
typedef struct sarrus_pin_side {
    int32_t is_ground;
    space_vector place, velocity, drift, whole;
} sarrus_pin_side;

/* J = ± (e, p × e) about the origin of the tree, p the point from there; of the wrench only the moment is put. */
LANE_FUNCTION sarrus_pin_side sarrus_tree_pin_side(const sarrus_mechanism *mech, const real *parameter, sarrus_workspace *ws,
                                                   const sarrus_mech_joint *joint, int32_t side) {
    const real *p = lane_from(parameter, joint->p);
    const int32_t body = side ? joint->child : joint->parent, at_x = side ? SARRUS_PJ_CHILD_X : SARRUS_PJ_PARENT_X;
    const space_vector s = {lane_at(p, at_x), lane_at(p, at_x + 1)};
    sarrus_pin_side out;
    out.is_ground = body < 0;
    out.place = out.velocity = out.drift = out.whole = s;
    if (body < 0)
        return out;
    const real *of_body = sarrus_body_parameters(mech, parameter, body);
    const real m_inverse = lane_at(of_body, SARRUS_PB_MINV), i_inverse = lane_at(of_body, SARRUS_PB_IINV);
    const sarrus_tree_point point = sarrus_tree_point_of(ws, body, s);
    out.place = space_sum(sarrus_tree_origin_of(mech, parameter, ws, body), point.at);
    out.velocity = sarrus_tree_point_velocity(mech, ws, body, &point);
    out.drift = sarrus_tree_point_drift(mech, ws, body, &point);
    out.whole.x = real_fma(i_inverse * point.arm.y, point.arm.y, m_inverse);
    out.whole.y = real_fma(i_inverse * point.arm.x, point.arm.x, m_inverse);
    frame_at(ws->side, SPACE_NV * (2 * joint->row + side)) = side ? -point.at.y : point.at.y;
    frame_at(ws->side, SPACE_NV * (2 * joint->row + 2 + side)) = side ? point.at.x : -point.at.x;
    return out;
}

/* a − b, of which those on ground are nothing; not both are. */
LANE_FUNCTION space_vector sarrus_side_less(const sarrus_pin_side *a, space_vector of_a, const sarrus_pin_side *b,
                                            space_vector of_b) {
    const space_vector minus = {-of_b.x, -of_b.y};
    return a->is_ground ? minus : b->is_ground ? of_a : space_less(of_a, of_b);
}

/* The rows of a pin, from the origins of the trees of its bodies:  Φ = p_child − p_parent. */
LANE_FUNCTION void sarrus_tree_pin(const sarrus_mechanism *mech, const real *parameter, sarrus_workspace *ws,
                                   const sarrus_mech_joint *joint, int wanted) {
    const sarrus_pin_side parent = sarrus_tree_pin_side(mech, parameter, ws, joint, 0);
    const sarrus_pin_side child = sarrus_tree_pin_side(mech, parameter, ws, joint, 1);
    const int32_t i = joint->row;
    const space_vector both = space_sum(parent.whole, child.whole);
    sarrus_tree_vector_put(parent.is_ground ? child.whole : child.is_ground ? parent.whole : both, ws->whole, i);
    sarrus_tree_vector_put(sarrus_side_less(&parent, parent.drift, &child, child.drift), ws->gamma, i);
    if (wanted & SARRUS_WANT_ERRORS) {
        sarrus_tree_vector_put(space_less(child.place, parent.place), ws->phi, i);
        sarrus_tree_vector_put(sarrus_side_less(&child, child.velocity, &parent, parent.velocity), ws->phi_dot, i);
    }
}

#endif

/* J at an entry of a row whose lines both move with the speed. A piece of code of its own: it is rare. */
LANE_PHASE real sarrus_entry_sum(const sarrus_mechanism *mech, const sarrus_workspace *ws, const sarrus_mech_entry *entry) {
    if (sarrus_constraints_count(mech) == 0)
        return real_set(0.0);
    const int32_t part = mech->constraint[mech->row[entry->row].joint - mech->n_joints].part;
    const space_wrench own = sarrus_wrench_take(ws->side, entry->side);
    const space_wrench other = sarrus_wrench_take(ws->side, 2 * part + entry->way - SARRUS_ENTRY_SUM);
    return sarrus_speed_power(&mech->tree.speed[entry->speed], ws, entry->speed, space_wrench_add(own, other));
}

/* J at an entry, whose speed is of the kind of speed `like`. */
LANE_FUNCTION real sarrus_entry_find(const sarrus_mechanism *mech, const sarrus_workspace *ws, const sarrus_mech_entry *entry,
                                     int32_t like) {
    if (entry->way == SARRUS_ENTRY_NOTHING)
        return real_set(0.0);
    if (entry->way == SARRUS_ENTRY_POWER)
        return sarrus_speed_power(&mech->tree.speed[like], ws, entry->speed, sarrus_wrench_take(ws->side, entry->side));
    const real moment = frame_at(ws->side, SPACE_NV * entry->side);
    if (entry->way == SARRUS_ENTRY_MOMENT)
        return moment;
    const space_vector at = sarrus_motion_of(ws, entry->speed).at;
    switch (entry->way) {
    case SARRUS_ENTRY_TURN_X:
        return moment + at.x;
    case SARRUS_ENTRY_TURN_X + 1:
        return moment - at.x;
    case SARRUS_ENTRY_TURN_Y:
        return moment + at.y;
    case SARRUS_ENTRY_TURN_Y + 1:
        return moment - at.y;
    case SARRUS_ENTRY_ALONG_X:
        return at.x;
    case SARRUS_ENTRY_ALONG_X + 1:
        return -at.x;
    case SARRUS_ENTRY_ALONG_Y:
        return at.y;
    case SARRUS_ENTRY_ALONG_Y + 1:
        return -at.y;
    default:
        return sarrus_entry_sum(mech, ws, entry);
    }
}

/* The same over articulated bodies: a speed hands a wrench on to the one before it, not numbers to all of its chain. With w the
 * wrench that a speed is handed:  reach_k = J_ik − s_k·w,  over_k = reach_k/d_k,  w + U_k over_k goes on. Uses ws->momentum. */
PLAN_BODY void sarrus_tree_reach_by_bodies(const sarrus_mechanism *mech, sarrus_workspace *ws) {
    const sarrus_mech_tree *tree = &mech->tree;
    real w[SPACE_NV], s[SPACE_NV], hold[SPACE_NV];
    PLAN_EACH (row, 0, mech->m) {
        LANE_EACH (k, SPACE_NV)
            w[k] = real_set(0.0);
        PLAN_EACH (n, tree->row_start[row], tree->row_start[row + 1])
            sarrus_numbers_put(w, SPACE_NV, ws->momentum, tree->entry[n].speed);
        PLAN_EACH (n, tree->row_start[row], tree->row_start[row + 1]) {
            const int32_t i = tree->entry[n].speed, after = tree->chain_start[i] + 1;
            sarrus_numbers_take(ws->momentum, i, SPACE_NV, w);
            sarrus_numbers_take(ws->motion, i, SPACE_NV, s);
            sarrus_numbers_take(ws->hold, i, SPACE_NV, hold);
            const real reach = frame_at(ws->leg, n) - sarrus_numbers_dot(s, w), over = frame_at(ws->lightness, i) * reach;
            frame_at(ws->reach, n) = reach;
            frame_at(ws->over, n) = over;
            if (after >= tree->chain_start[i + 1])
                continue;
            LANE_EACH (k, SPACE_NV)
                w[k] = real_fma(hold[k], over, w[k]);
            sarrus_numbers_add(w, SPACE_NV, ws->momentum, tree->chain[after]);
        }
    }
}

/* What entry n, which is of the kind of entry `like`, has of its row's size, where that drives a joint of the tree. */
LANE_FUNCTION void sarrus_driven_size_add(const sarrus_mechanism *mech, sarrus_workspace *ws, int32_t like, int32_t n,
                                          int32_t row) {
    if (sarrus_row_is_within(mech, mech->tree.entry[like].row))
        frame_at(ws->whole, row) = real_fma(frame_at(ws->over, n), frame_at(ws->reach, n), frame_at(ws->whole, row));
}

/* The sizes of rows that drive joints of the tree: S_ii. Entries one by one, and none where nothing is driven: with a loop for each
 * row straight code would keep every number of the rows in memory. */
LANE_FUNCTION void sarrus_tree_driven_sizes(const sarrus_mechanism *mech, sarrus_workspace *ws) {
    const int32_t n_rows = mech->n_drives > 0 ? mech->m : 0, n_entries = mech->n_drives > 0 ? mech->tree.n_entries : 0;
    PLAN_EACH (i, 0, n_rows) {
        if (sarrus_row_is_within(mech, i))
            frame_at(ws->whole, i) = real_set(0.0);
    }
    sarrus_mech_entry now;
    PLAN_RUNS(TREE_ENTRIES, n, lap, 0, n_entries,
              sarrus_driven_size_add(mech, ws, n, TREE_NUMBER(entry, n, lap), sarrus_entry_at(mech, n, lap, &now)->row))
}

/* The steps of that by themselves, for a constant plan. */
LANE_FUNCTION void sarrus_reach_carry(sarrus_workspace *ws, const sarrus_mech_carry *carry) {
    frame_at(ws->reach, carry->to) =
        real_fnma(frame_at(ws->share, carry->at), frame_at(ws->reach, carry->from), frame_at(ws->reach, carry->to));
}
LANE_FUNCTION void sarrus_over_find(sarrus_workspace *ws, int32_t n, const sarrus_mech_entry *entry) {
    frame_at(ws->over, n) = frame_at(ws->lightness, entry->speed) * frame_at(ws->reach, n);
}

/* What rows do to the factor of M: reach and over. */
PLAN_BODY void sarrus_tree_reach(const sarrus_mechanism *mech, sarrus_workspace *ws) {
    const sarrus_mech_tree *tree = &mech->tree;
    if (tree->is_recursive) {
        sarrus_tree_reach_by_bodies(mech, ws);
        sarrus_tree_driven_sizes(mech, ws);
        return;
    }
#if !defined(SARRUS_CONSTANT_PLAN)
    sarrus_blocks_reach(mech, ws);
#else
    sarrus_mech_carry carry;
    sarrus_mech_entry entry;
    PLAN_EACH (n, 0, tree->n_entries)
        frame_at(ws->reach, n) = frame_at(ws->leg, n);
    PLAN_RUNS(CARRIES, n, lap, 0, tree->n_carries, sarrus_reach_carry(ws, sarrus_carry_at(mech, n, lap, &carry)))
    PLAN_RUNS(TREE_ENTRIES, n, lap, 0, tree->n_entries,
              sarrus_over_find(ws, TREE_NUMBER(entry, n, lap), sarrus_entry_at(mech, n, lap, &entry)))
#endif
    sarrus_tree_driven_sizes(mech, ws);
}

#if !defined(SARRUS_CONSTANT_PLAN) && defined(SARRUS_KERNELS_SPATIAL)

/* J of a block's rows: the twist of a speed stays in registers. */
LANE_FUNCTION void sarrus_block_entries(const sarrus_mechanism *mech, sarrus_workspace *ws, const sarrus_mech_row_block *block,
                                        int32_t n) {
    const sarrus_block_rows leg = sarrus_block_rows_of(ws->leg, block, n);
    for (int32_t e = block->entry; e < block->entry + block->n_entries; ++e) {
        const sarrus_mech_entry *entry = &mech->tree.entry[e];
        real found[SARRUS_MOST_IN_BLOCK];
        if (entry->way == SARRUS_ENTRY_POWER) {
            LANE_EACH (r, n)
                found[r] = sarrus_speed_power(&mech->tree.speed[entry->speed], ws, entry->speed,
                                              sarrus_wrench_take(ws->side, entry->side + 2 * r));
        } else {
            LANE_EACH (r, n)
                found[r] = sarrus_entry_find(mech, ws, entry + r * block->n_entries, entry->speed);
        }
        LANE_EACH (r, n)
            frame_at(leg.row[r], e) = found[r];
    }
}
PLAN_BODY void sarrus_tree_legs(const sarrus_mechanism *mech, sarrus_workspace *ws) {
    for (int32_t b = 0; b < mech->tree.n_row_blocks; ++b) {
        const sarrus_mech_row_block *block = &mech->tree.row_block[b];
        if (block->n_rows == 3)
            sarrus_block_entries(mech, ws, block, 3);
        else if (block->n_rows == 2)
            sarrus_block_entries(mech, ws, block, 2);
        else
            sarrus_block_entries(mech, ws, block, 1);
    }
}

#else

PLAN_BODY void sarrus_tree_legs(const sarrus_mechanism *mech, sarrus_workspace *ws) {
    sarrus_mech_entry now;
    PLAN_RUNS(TREE_ENTRIES, n, lap, 0, mech->tree.n_entries,
              frame_at(ws->leg, TREE_NUMBER(entry, n, lap)) =
                  sarrus_entry_find(mech, ws, sarrus_entry_at(mech, n, lap, &now), mech->tree.entry[n].speed))
}

#endif

/* Rows over the tree's speeds, from their sides. */
PLAN_BODY void sarrus_tree_entries(const sarrus_mechanism *mech, sarrus_workspace *ws) {
    sarrus_tree_legs(mech, ws);
    sarrus_tree_reach(mech, ws);
}

#if !defined(SARRUS_KERNELS_SPATIAL)

/* Twice what a side of a row and one of its part, both on `body`, have in common of J M⁻¹ Jᵀ on that body. */
LANE_FUNCTION real sarrus_sides_shared(const sarrus_mechanism *mech, const real *parameter, const sarrus_workspace *ws,
                                       int32_t i_side, int32_t j_side, int32_t body) {
    const real *p = sarrus_body_parameters(mech, parameter, body);
    const space_vector e_i = sarrus_tree_vector(ws->direction, SPACE_DIMENSION * (i_side / 2));
    const space_vector e_j = sarrus_tree_vector(ws->direction, SPACE_DIMENSION * (j_side / 2));
    const real along = lane_at(p, SARRUS_PB_MINV) * space_inner(e_i, e_j);
    const real about = lane_at(p, SARRUS_PB_IINV) * frame_at(ws->turn, i_side) * frame_at(ws->turn, j_side);
    return real_set(2.0) * (((i_side ^ j_side) & 1) != 0 ? about - along : about + along);
}

/* A constraint beside joints: the lines of its row are two where it couples coordinates. A piece of code of its own: mechanisms
 * without any do not pay for it. */
LANE_PHASE void sarrus_tree_constraint(const sarrus_mechanism *mech, const real *parameter, sarrus_workspace *ws,
                                       const sarrus_mech_constraint *constraint, int wanted) {
    const int32_t i = constraint->row, n_sides = constraint->part < 0 ? 2 : 4;
    int32_t bodies[4];
    (void)wanted;
    sarrus_constraint_row(mech, parameter, constraint, ws->body_q, ws->body_v, ws);
    frame_at(ws->whole, i) = real_set(0.0);
    for (int32_t k = 0; k < n_sides; ++k) {
        const int32_t line = k < 2 ? i : constraint->part, i_side = 2 * line + (k & 1);
        const int32_t body = bodies[k] = k & 1 ? mech->row[line].child : mech->row[line].parent;
        if (body < 0)
            continue;
        sarrus_side_take(mech, parameter, ws, i, i_side, body, i);
        for (int32_t before = 0; k > 1 && before < 2; ++before) {
            if (bodies[before] == body)
                frame_at(ws->whole, i) =
                    frame_at(ws->whole, i) + sarrus_sides_shared(mech, parameter, ws, 2 * i + before, i_side, body);
        }
    }
}

#else

/* A point on a curve, whose rows are as those of a joint. */
LANE_PHASE void sarrus_tree_constraint(const sarrus_mechanism *mech, const real *parameter, sarrus_workspace *ws,
                                       const sarrus_mech_constraint *constraint, int wanted) {
    sarrus_constraint_row(mech, parameter, constraint, ws->body_q, ws->body_v, ws, wanted & ~SARRUS_HAVE_PARTS);
    sarrus_tree_sides(mech, parameter, ws, &mech->joint[mech->row[constraint->row].joint]);
}

#endif

/* The rows of a joint. */
LANE_FUNCTION void sarrus_tree_joint(const sarrus_mechanism *mech, const real *parameter, sarrus_workspace *ws,
                                     const sarrus_mech_joint *joint, int wanted) {
    if (joint->n_rows == 0)
        return;
#if !defined(SARRUS_KERNELS_SPATIAL)
    if (sarrus_joint_is_pin(joint)) {
        sarrus_tree_pin(mech, parameter, ws, joint, wanted);
        return;
    }
#endif
    sarrus_joint_rows(mech, parameter, joint, ws->body_q, ws->body_v, ws, wanted & ~SARRUS_HAVE_PARTS);
    sarrus_tree_sides(mech, parameter, ws, joint);
}

/* All rows at the bodies' poses and velocities, over the speeds of the tree. Those of the same configuration with
 * another γ have their entries already. */
PLAN_PIECE void sarrus_tree_rows(const sarrus_mechanism *mech, const real *parameter, sarrus_workspace *ws, int wanted) {
    sarrus_workspace here;
    mech = sarrus_plan_here(mech);
    ws = sarrus_workspace_here(ws, &here);
    sarrus_mech_joint now;
    PLAN_RUNS(JOINTS, j, lap, 0, mech->n_joints,
              sarrus_tree_joint(mech, parameter, ws, sarrus_joint_at(mech, j, lap, &now), wanted))
    PLAN_EACH (i, 0, sarrus_constraints_count(mech))
        sarrus_tree_constraint(mech, parameter, ws, &mech->constraint[i], wanted);
    if (!(wanted & SARRUS_HAVE_PARTS))
        sarrus_tree_entries(mech, ws);
}

#endif

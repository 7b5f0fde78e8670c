/* S = J M⁻¹ Jᵀ from the shares of the bodies, and products with J and M⁻¹Jᵀ: the sparse algebra of the constraint rows. */
#ifndef SARRUS_FORMULATION_GRAM_H
#define SARRUS_FORMULATION_GRAM_H

#include "kernels/body/workspace.h"

LANE_FUNCTION real sarrus_body_minv(const sarrus_mechanism *mech, const real *parameter, int32_t body) {
    return lane_at(parameter, mech->p_body + SARRUS_PB_N * body + SARRUS_PB_MINV);
}

LANE_FUNCTION real sarrus_body_iinv(const sarrus_mechanism *mech, const real *parameter, int32_t body) {
    return lane_at(parameter, mech->p_body + SARRUS_PB_N * body + SARRUS_PB_IINV);
}

/* push = turn / I of one side of a joint's rows: `at` is 0 for the parent, 1 for the child. */
LANE_FUNCTION void sarrus_push_side(const sarrus_mechanism *mech, const real *parameter, const sarrus_workspace *ws,
                                    const sarrus_mech_joint *joint, int32_t at) {
    int32_t body = at ? joint->child : joint->parent;
    if (body < 0)
        return;
    real *push = lane_from(ws->push, 2 * joint->row + at);
    const real *turn = lane_from(ws->turn, 2 * joint->row + at);
    real i_inverse = sarrus_body_iinv(mech, parameter, body);
    lane_at(push, 0) = lane_at(turn, 0) * i_inverse;
    if (joint->n_rows == 1)
        return;
    lane_at(push, 2) = lane_at(turn, 2) * i_inverse;
    for (int32_t k = 2; k < joint->n_rows; ++k)
        lane_at(push, 2 * k) = lane_at(turn, 2 * k) * i_inverse;
}

/* push = turn / I of both sides of every row. */
LANE_BODY void sarrus_push(const sarrus_mechanism *mech, const real *parameter, const sarrus_workspace *ws) {
    for (int32_t i_joint = 0; i_joint < mech->n_joints; ++i_joint) {
        sarrus_push_side(mech, parameter, ws, &mech->joint[i_joint], 0);
        sarrus_push_side(mech, parameter, ws, &mech->joint[i_joint], 1);
    }
}

/* One body's share of J_i M⁻¹ J_jᵀ added to `sum`; the kind is known where it is called. */
LANE_FUNCTION real sarrus_share(const real *parameter, const sarrus_workspace *ws, const sarrus_lane_share *share, int32_t kind,
                                real sum) {
    sum = real_fma(lane_place(ws->push, share->push), lane_place(ws->turn, share->turn), sum);
    if (kind == SARRUS_LANE_ROTATION)
        return sum;
    real m_inverse = lane_place(parameter, share->mass);
    if (kind == SARRUS_LANE_PLUS)
        return sum + m_inverse;
    if (kind == SARRUS_LANE_MINUS)
        return sum - m_inverse;
    const real *e_i = &lane_place(ws->direction, share->direction_i), *e_j = &lane_place(ws->direction, share->direction_j);
    real dot = real_fma(lane_at(e_i, 0), lane_at(e_j, 0), lane_at(e_i, 1) * lane_at(e_j, 1));
    return kind == SARRUS_LANE_GENERAL_PLUS ? real_fma(dot, m_inverse, sum) : real_fnma(dot, m_inverse, sum);
}

/* One segment of shares, of one kind. */
LANE_FUNCTION void sarrus_gram_segment(const sarrus_mechanism *mech, const real *parameter, const sarrus_workspace *ws,
                                       int32_t kind, int is_first) {
    int32_t segment = is_first ? kind : SARRUS_N_LANE_KINDS + kind;
    const sarrus_lane_share *share = mech->lane.share + mech->lane.segment[segment];
    const sarrus_lane_share *end = mech->lane.share + mech->lane.segment[segment + 1];
    for (; share != end; ++share) {
        real *destination = &lane_place(ws->factor, share->destination);
        lane_at(destination, 0) = sarrus_share(parameter, ws, share, kind, is_first ? real_set(0.0) : lane_at(destination, 0));
    }
}

/* One segment of block shares, of one kind. */
LANE_FUNCTION void sarrus_gram_blocks(const sarrus_mechanism *mech, const real *parameter, const sarrus_workspace *ws, int32_t kind,
                                      int is_first) {
    int32_t segment = is_first ? kind : SARRUS_N_LANE_BLOCK_KINDS + kind;
    const sarrus_lane_block_share *share = mech->lane.block_share + mech->lane.block_segment[segment];
    const sarrus_lane_block_share *end = mech->lane.block_share + mech->lane.block_segment[segment + 1];
    for (; share != end; ++share) {
        real *s = &lane_place(ws->factor, share->destination);
        const real *push = &lane_place(ws->push, share->push), *turn = &lane_place(ws->turn, share->turn);
        real m_inverse = lane_place(parameter, share->mass);
        real px = lane_at(push, 0), py = lane_at(push, 2), tx = lane_at(turn, 0), ty = lane_at(turn, 2);
        if (kind == SARRUS_LANE_DIAGONAL) {
            lane_at(s, 0) = real_fma(px, tx, is_first ? m_inverse : lane_at(s, 0) + m_inverse);
            lane_at(s, 1) = is_first ? py * tx : real_fma(py, tx, lane_at(s, 1));
            lane_at(s, 2) = real_fma(py, ty, is_first ? m_inverse : lane_at(s, 2) + m_inverse);
            continue;
        }
        if (kind == SARRUS_LANE_OPPOSITE)
            m_inverse = -m_inverse;
        lane_at(s, 0) = real_fma(px, tx, is_first ? m_inverse : lane_at(s, 0) + m_inverse);
        lane_at(s, 1) = is_first ? px * ty : real_fma(px, ty, lane_at(s, 1));
        lane_at(s, 2) = is_first ? py * tx : real_fma(py, tx, lane_at(s, 2));
        lane_at(s, 3) = real_fma(py, ty, is_first ? m_inverse : lane_at(s, 3) + m_inverse);
    }
}

/* ws->factor ← the lower triangle of S over the independent rows, in elimination order. */
LANE_BODY void sarrus_gram(const sarrus_mechanism *mech, const real *parameter, const sarrus_workspace *ws) {
    for (int32_t i = 0; i < mech->factor.n_fill; ++i)
        lane_place(ws->factor, mech->lane.fill[i]) = real_set(0.0);
    for (int32_t i = 0; i < mech->factor.n_pads; ++i)
        lane_place(ws->factor, mech->lane.pad[i]) = real_set(1.0);
    sarrus_gram_blocks(mech, parameter, ws, SARRUS_LANE_DIAGONAL, 1);
    sarrus_gram_blocks(mech, parameter, ws, SARRUS_LANE_SAME, 1);
    sarrus_gram_blocks(mech, parameter, ws, SARRUS_LANE_OPPOSITE, 1);
    sarrus_gram_blocks(mech, parameter, ws, SARRUS_LANE_DIAGONAL, 0);
    sarrus_gram_blocks(mech, parameter, ws, SARRUS_LANE_SAME, 0);
    sarrus_gram_blocks(mech, parameter, ws, SARRUS_LANE_OPPOSITE, 0);
    sarrus_gram_segment(mech, parameter, ws, SARRUS_LANE_ROTATION, 1);
    sarrus_gram_segment(mech, parameter, ws, SARRUS_LANE_PLUS, 1);
    sarrus_gram_segment(mech, parameter, ws, SARRUS_LANE_MINUS, 1);
    sarrus_gram_segment(mech, parameter, ws, SARRUS_LANE_GENERAL_PLUS, 1);
    sarrus_gram_segment(mech, parameter, ws, SARRUS_LANE_GENERAL_MINUS, 1);
    sarrus_gram_segment(mech, parameter, ws, SARRUS_LANE_ROTATION, 0);
    sarrus_gram_segment(mech, parameter, ws, SARRUS_LANE_PLUS, 0);
    sarrus_gram_segment(mech, parameter, ws, SARRUS_LANE_MINUS, 0);
    sarrus_gram_segment(mech, parameter, ws, SARRUS_LANE_GENERAL_PLUS, 0);
    sarrus_gram_segment(mech, parameter, ws, SARRUS_LANE_GENERAL_MINUS, 0);
}

/* c [2 n_blocks + 1] ← J_d M⁻¹ J_Iᵀ of dependent row d in elimination order, and J_d M⁻¹ J_dᵀ behind it. */
LANE_BODY void sarrus_coupling(const sarrus_mechanism *mech, const real *parameter, const sarrus_workspace *ws, int32_t d,
                               real *c) {
    for (int32_t k = 0; k <= 2 * mech->factor.n_blocks; ++k)
        lane_at(c, k) = real_set(0.0);
    for (int32_t s = mech->factor.coupling_begin[d]; s < mech->factor.coupling_begin[d + 1]; ++s) {
        const sarrus_lane_share *share = &mech->lane.coupling[s];
        real *destination = &lane_place(c, share->destination);
        lane_at(destination, 0) = sarrus_share(parameter, ws, share, mech->lane.coupling_kind[s], lane_at(destination, 0));
    }
}

/* Whether the joint's first two rows are those of a pin: e = (1, 0) and (0, 1). */
LANE_FUNCTION int sarrus_joint_has_pin(const sarrus_mech_joint *joint) {
    return joint->kind == SARRUS_KIND_REVOLUTE || joint->kind == SARRUS_KIND_FIXED;
}

/* J_i x of row i. */
LANE_FUNCTION real sarrus_row_times(const sarrus_mechanism *mech, const sarrus_workspace *ws, int32_t i, const real *x) {
    const sarrus_mech_row *row = &mech->row[i];
    real sum = real_set(0.0);
    for (int32_t side = 0; side < 2; ++side) {
        int32_t body = side ? row->child : row->parent;
        if (body < 0)
            continue;
        const real *xb = lane_from(x, 3 * body);
        sum = real_fma(lane_at(ws->turn, 2 * i + side), lane_at(xb, 2), sum);
        if (row->kind == SARRUS_ROW_ANGLE)
            continue;
        real along = row->kind == SARRUS_ROW_X ? lane_at(xb, 0) : lane_at(xb, 1);
        if (row->kind == SARRUS_ROW_GENERAL) {
            along = real_fma(lane_at(ws->direction, 2 * i), lane_at(xb, 0), lane_at(ws->direction, 2 * i + 1) * lane_at(xb, 1));
        }
        sum = side ? sum + along : sum - along;
    }
    return sum;
}

/* out ← out + M⁻¹ J_iᵀ x for one row with multiplier x. */
LANE_FUNCTION void sarrus_row_push(const sarrus_mechanism *mech, const real *parameter, const sarrus_workspace *ws, int32_t i,
                                   real x, real *out) {
    const sarrus_mech_row *row = &mech->row[i];
    for (int32_t side = 0; side < 2; ++side) {
        int32_t body = side ? row->child : row->parent;
        if (body < 0)
            continue;
        real *ob = lane_from(out, 3 * body);
        lane_at(ob, 2) = real_fma(lane_at(ws->push, 2 * i + side), x, lane_at(ob, 2));
        if (row->kind == SARRUS_ROW_ANGLE)
            continue;
        real share = sarrus_body_minv(mech, parameter, body) * x;
        if (!side)
            share = -share;
        if (row->kind == SARRUS_ROW_X) {
            lane_at(ob, 0) = lane_at(ob, 0) + share;
        } else if (row->kind == SARRUS_ROW_Y) {
            lane_at(ob, 1) = lane_at(ob, 1) + share;
        } else {
            lane_at(ob, 0) = real_fma(lane_at(ws->direction, 2 * i), share, lane_at(ob, 0));
            lane_at(ob, 1) = real_fma(lane_at(ws->direction, 2 * i + 1), share, lane_at(ob, 1));
        }
    }
}

/* out ← base − J x, row by row; the two rows of a pin together. */
LANE_BODY void sarrus_rows_subtract(const sarrus_mechanism *mech, const sarrus_workspace *ws, const real *base, const real *x,
                                    real *out) {
    for (int32_t i_joint = 0; i_joint < mech->n_joints; ++i_joint) {
        const sarrus_mech_joint *joint = &mech->joint[i_joint];
        int32_t i = joint->row, end = joint->row + joint->n_rows;
        if (sarrus_joint_has_pin(joint)) {
            const real *turn = lane_from(ws->turn, 2 * i);
            real sx = lane_at(base, i), sy = lane_at(base, i + 1);
            if (joint->parent >= 0) {
                const real *xp = lane_from(x, 3 * joint->parent);
                sx = real_fnma(lane_at(turn, 0), lane_at(xp, 2), sx + lane_at(xp, 0));
                sy = real_fnma(lane_at(turn, 2), lane_at(xp, 2), sy + lane_at(xp, 1));
            }
            if (joint->child >= 0) {
                const real *xc = lane_from(x, 3 * joint->child);
                sx = real_fnma(lane_at(turn, 1), lane_at(xc, 2), sx - lane_at(xc, 0));
                sy = real_fnma(lane_at(turn, 3), lane_at(xc, 2), sy - lane_at(xc, 1));
            }
            lane_at(out, i) = sx;
            lane_at(out, i + 1) = sy;
            i += 2;
        }
        for (; i < end; ++i)
            lane_at(out, i) = lane_at(base, i) - sarrus_row_times(mech, ws, i, x);
    }
}

/* out ← out + M⁻¹ Jᵀ μ; the two rows of a pin together. */
LANE_BODY void sarrus_rows_push(const sarrus_mechanism *mech, const real *parameter, const sarrus_workspace *ws, const real *mu,
                                real *out) {
    for (int32_t i_joint = 0; i_joint < mech->n_joints; ++i_joint) {
        const sarrus_mech_joint *joint = &mech->joint[i_joint];
        int32_t i = joint->row, end = joint->row + joint->n_rows;
        if (sarrus_joint_has_pin(joint)) {
            const real *push = lane_from(ws->push, 2 * i);
            real mx = lane_at(mu, i), my = lane_at(mu, i + 1);
            if (joint->parent >= 0) {
                real *op = lane_from(out, 3 * joint->parent);
                real m_inverse = sarrus_body_minv(mech, parameter, joint->parent);
                lane_at(op, 0) = real_fnma(m_inverse, mx, lane_at(op, 0));
                lane_at(op, 1) = real_fnma(m_inverse, my, lane_at(op, 1));
                lane_at(op, 2) = real_fma(lane_at(push, 0), mx, real_fma(lane_at(push, 2), my, lane_at(op, 2)));
            }
            if (joint->child >= 0) {
                real *oc = lane_from(out, 3 * joint->child);
                real m_inverse = sarrus_body_minv(mech, parameter, joint->child);
                lane_at(oc, 0) = real_fma(m_inverse, mx, lane_at(oc, 0));
                lane_at(oc, 1) = real_fma(m_inverse, my, lane_at(oc, 1));
                lane_at(oc, 2) = real_fma(lane_at(push, 1), mx, real_fma(lane_at(push, 3), my, lane_at(oc, 2)));
            }
            i += 2;
        }
        for (; i < end; ++i)
            sarrus_row_push(mech, parameter, ws, i, lane_at(mu, i), out);
    }
}

/* Which rows a dense problem is made of: all, or the independent ones. */
LANE_FUNCTION int32_t sarrus_rows_count(const sarrus_mechanism *mech, int is_independent) {
    return is_independent ? mech->factor.n_independent : mech->m;
}
LANE_FUNCTION int32_t sarrus_rows_at(const sarrus_mechanism *mech, int is_independent, int32_t k) {
    return is_independent ? mech->independent[k] : k;
}

/* d [n_rows][n] ← J M^{-1/2}, dense. */
LANE_BODY void sarrus_dense_rows(const sarrus_mechanism *mech, const real *parameter, const sarrus_workspace *ws,
                                 int is_independent, real *d) {
    const int32_t n = mech->n, n_rows = sarrus_rows_count(mech, is_independent);
    for (int32_t i = 0; i < n_rows * n; ++i)
        lane_at(d, i) = real_set(0.0);
    for (int32_t k = 0; k < n_rows; ++k) {
        const int32_t i = sarrus_rows_at(mech, is_independent, k);
        const sarrus_mech_row *row = &mech->row[i];
        for (int32_t side = 0; side < 2; ++side) {
            int32_t body = side ? row->child : row->parent;
            if (body < 0)
                continue;
            real *entry = lane_from(d, k * n + 3 * body);
            real root_m = real_sqrt(sarrus_body_minv(mech, parameter, body));
            real root_i = real_sqrt(sarrus_body_iinv(mech, parameter, body));
            if (!side)
                root_m = -root_m;
            if (row->kind != SARRUS_ROW_ANGLE) {
                lane_at(entry, 0) = lane_at(ws->direction, 2 * i) * root_m;
                lane_at(entry, 1) = lane_at(ws->direction, 2 * i + 1) * root_m;
            }
            lane_at(entry, 2) = lane_at(ws->turn, 2 * i + side) * root_i;
        }
    }
}

/* out ← M^{-1/2} z. */
LANE_BODY void sarrus_unweight(const sarrus_mechanism *mech, const real *parameter, const real *z, real *out) {
    for (int32_t b = 0; b < mech->n_bodies; ++b) {
        real root_m = real_sqrt(sarrus_body_minv(mech, parameter, b));
        real root_i = real_sqrt(sarrus_body_iinv(mech, parameter, b));
        lane_at(out, 3 * b) = root_m * lane_at(z, 3 * b);
        lane_at(out, 3 * b + 1) = root_m * lane_at(z, 3 * b + 1);
        lane_at(out, 3 * b + 2) = root_i * lane_at(z, 3 * b + 2);
    }
}

#endif

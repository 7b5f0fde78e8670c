/* S = J M⁻¹ Jᵀ (S1 eq 14; S5 eq 34) from the shares of the bodies, and products with J and M⁻¹Jᵀ: the sparse algebra of the
 * constraint rows of the plane. */
#ifndef SARRUS_FORMULATION_GRAM_PLANAR_H
#define SARRUS_FORMULATION_GRAM_PLANAR_H

#include "kernels/formulation/crank.h"

LANE_FUNCTION real sarrus_body_minv(const sarrus_mechanism *mech, const real *parameter, int32_t body) {
    return lane_at(parameter, mech->p_body + SARRUS_PB_N * body + SARRUS_PB_MINV);
}

LANE_FUNCTION real sarrus_body_iinv(const sarrus_mechanism *mech, const real *parameter, int32_t body) {
    return lane_at(parameter, mech->p_body + SARRUS_PB_N * body + SARRUS_PB_IINV);
}

/* push = turn / I of one side of a joint's rows, of which there are one to three: `at` is 0 for the parent, 1 for the child. On a
 * crank lever and push are made. */
LANE_FUNCTION void sarrus_push_side(const sarrus_mechanism *mech, const real *parameter, sarrus_workspace *ws,
                                    const sarrus_mech_joint *joint, int32_t at) {
    int32_t body = at ? joint->child : joint->parent;
    if (body < 0)
        return;
    if (sarrus_crank_at(mech, joint, at) >= 0) {
        sarrus_crank_push(mech, parameter, ws, joint, at);
        return;
    }
    const int32_t i = 2 * joint->row + at;
    real i_inverse = sarrus_body_iinv(mech, parameter, body);
    frame_at(ws->push, i) = frame_at(ws->turn, i) * i_inverse;
    if (sarrus_joint_has_row(mech, joint, 1))
        frame_at(ws->push, i + 2) = frame_at(ws->turn, i + 2) * i_inverse;
    if (sarrus_joint_has_row(mech, joint, 2))
        frame_at(ws->push, i + 4) = frame_at(ws->turn, i + 4) * i_inverse;
}

/* push = turn / I of both sides of every row. */
LANE_FUNCTION void sarrus_push_joint(const sarrus_mechanism *mech, const real *parameter, sarrus_workspace *ws, int32_t i_joint,
                                     int32_t lap) {
    sarrus_mech_joint now;
    const sarrus_mech_joint *joint = sarrus_joint_at(mech, i_joint, lap, &now);
    sarrus_push_side(mech, parameter, ws, joint, 0);
    sarrus_push_side(mech, parameter, ws, joint, 1);
}

/* The lines of a constraint's row, itself and its part where there is one. None of its bodies is a crank. */
LANE_FUNCTION int32_t sarrus_constraint_n_lines(const sarrus_mech_constraint *constraint) {
    return constraint->part < 0 ? 1 : 2;
}
LANE_FUNCTION int32_t sarrus_constraint_line(const sarrus_mech_constraint *constraint, int32_t part) {
    return part ? constraint->part : constraint->row;
}
LANE_FUNCTION void sarrus_push_constraint(const sarrus_mechanism *mech, const real *parameter, sarrus_workspace *ws,
                                          const sarrus_mech_constraint *constraint) {
    for (int32_t part = 0; part < sarrus_constraint_n_lines(constraint); ++part) {
        const int32_t i = sarrus_constraint_line(constraint, part);
        const sarrus_mech_row *row = &mech->row[i];
        if (row->parent >= 0)
            frame_at(ws->push, 2 * i) = frame_at(ws->turn, 2 * i) * sarrus_body_iinv(mech, parameter, row->parent);
        if (row->child >= 0)
            frame_at(ws->push, 2 * i + 1) = frame_at(ws->turn, 2 * i + 1) * sarrus_body_iinv(mech, parameter, row->child);
    }
}
PLAN_BODY void sarrus_push(const sarrus_mechanism *mech, const real *parameter, sarrus_workspace *ws) {
    PLAN_RUNS(JOINTS, i, lap, 0, mech->n_joints, sarrus_push_joint(mech, parameter, ws, i, lap))
    PLAN_EACH (i, 0, sarrus_constraints_count(mech))
        sarrus_push_constraint(mech, parameter, ws, &mech->constraint[i]);
}

/* One body's share of J_i M⁻¹ J_jᵀ added to `sum`; the kind is known where it is called. */
LANE_FUNCTION real sarrus_share(const real *parameter, sarrus_workspace *ws, const sarrus_lane_share *share, int32_t kind,
                                real sum) {
    if (kind == SARRUS_LANE_CRANK)
        return real_fma(frame_at_offset(ws->push, share->push, 0), frame_at_offset(ws->lever, share->turn, 0), sum);
    sum = real_fma(frame_at_offset(ws->push, share->push, 0), frame_at_offset(ws->turn, share->turn, 0), sum);
    if (kind == SARRUS_LANE_ROTATION)
        return sum;
    real m_inverse = parameter_at_offset(parameter, share->mass);
    if (kind == SARRUS_LANE_PLUS)
        return sum + m_inverse;
    if (kind == SARRUS_LANE_MINUS)
        return sum - m_inverse;
    real x = frame_at_offset(ws->direction, share->direction_i, 0), y = frame_at_offset(ws->direction, share->direction_i, 1);
    real dot = real_fma(x, frame_at_offset(ws->direction, share->direction_j, 0),
                        y * frame_at_offset(ws->direction, share->direction_j, 1));
    return kind == SARRUS_LANE_GENERAL_PLUS ? real_fma(dot, m_inverse, sum) : real_fnma(dot, m_inverse, sum);
}

/* A share of one kind, the first at its destination or not. */
LANE_FUNCTION void sarrus_gram_share(const real *parameter, sarrus_workspace *ws, const sarrus_lane_share *share, int32_t kind,
                                     int is_first) {
    real before = is_first ? real_set(0.0) : frame_at_offset(ws->factor, share->destination, 0);
    frame_at_offset(ws->factor, share->destination, 0) = sarrus_share(parameter, ws, share, kind, before);
}

/* One segment of shares, of one kind. */
LANE_FUNCTION void sarrus_gram_segment(const sarrus_mechanism *mech, const real *parameter, sarrus_workspace *ws, int32_t kind,
                                       int is_first) {
    const int32_t segment = is_first ? kind : SARRUS_N_LANE_KINDS + kind;
    sarrus_lane_share now;
    PLAN_RUNS(SHARES, i, lap, mech->lane.segment[segment], mech->lane.segment[segment + 1],
              sarrus_gram_share(parameter, ws, sarrus_share_at(mech, i, lap, &now), kind, is_first))
}

/* The block share of a crank, the first at its destination or not. */
LANE_FUNCTION void sarrus_gram_crank(sarrus_workspace *ws, const sarrus_lane_block_share *share, int32_t kind, int is_first) {
    const sarrus_lane_offset s = share->destination;
    real px = frame_at_offset(ws->push, share->push, 0), py = frame_at_offset(ws->push, share->push, 2);
    real lx = frame_at_offset(ws->lever, share->turn, 0), ly = frame_at_offset(ws->lever, share->turn, 2);
    frame_at_offset(ws->factor, s, 0) = is_first ? px * lx : real_fma(px, lx, frame_at_offset(ws->factor, s, 0));
    if (kind == SARRUS_LANE_CRANK_DIAGONAL) {
        frame_at_offset(ws->factor, s, 1) = is_first ? py * lx : real_fma(py, lx, frame_at_offset(ws->factor, s, 1));
        frame_at_offset(ws->factor, s, 2) = is_first ? py * ly : real_fma(py, ly, frame_at_offset(ws->factor, s, 2));
    } else {
        frame_at_offset(ws->factor, s, 1) = is_first ? px * ly : real_fma(px, ly, frame_at_offset(ws->factor, s, 1));
        frame_at_offset(ws->factor, s, 2) = is_first ? py * lx : real_fma(py, lx, frame_at_offset(ws->factor, s, 2));
        frame_at_offset(ws->factor, s, 3) = is_first ? py * ly : real_fma(py, ly, frame_at_offset(ws->factor, s, 3));
    }
}

/* A block share of one kind, the first at its destination or not. */
LANE_FUNCTION void sarrus_gram_block(const real *parameter, sarrus_workspace *ws, const sarrus_lane_block_share *share,
                                     int32_t kind, int is_first) {
    const sarrus_lane_offset s = share->destination;
    if (kind == SARRUS_LANE_CRANK_DIAGONAL || kind == SARRUS_LANE_CRANK_BLOCK) {
        sarrus_gram_crank(ws, share, kind, is_first);
        return;
    }
    real m_inverse = parameter_at_offset(parameter, share->mass);
    real px = frame_at_offset(ws->push, share->push, 0), py = frame_at_offset(ws->push, share->push, 2);
    real tx = frame_at_offset(ws->turn, share->turn, 0), ty = frame_at_offset(ws->turn, share->turn, 2);
    if (kind == SARRUS_LANE_OPPOSITE)
        m_inverse = -m_inverse;
    real xx = is_first ? m_inverse : frame_at_offset(ws->factor, s, 0) + m_inverse;
    if (kind == SARRUS_LANE_DIAGONAL) {
        real yy = is_first ? m_inverse : frame_at_offset(ws->factor, s, 2) + m_inverse;
        frame_at_offset(ws->factor, s, 0) = real_fma(px, tx, xx);
        frame_at_offset(ws->factor, s, 1) = is_first ? py * tx : real_fma(py, tx, frame_at_offset(ws->factor, s, 1));
        frame_at_offset(ws->factor, s, 2) = real_fma(py, ty, yy);
    } else {
        real yy = is_first ? m_inverse : frame_at_offset(ws->factor, s, 3) + m_inverse;
        frame_at_offset(ws->factor, s, 0) = real_fma(px, tx, xx);
        frame_at_offset(ws->factor, s, 1) = is_first ? px * ty : real_fma(px, ty, frame_at_offset(ws->factor, s, 1));
        frame_at_offset(ws->factor, s, 2) = is_first ? py * tx : real_fma(py, tx, frame_at_offset(ws->factor, s, 2));
        frame_at_offset(ws->factor, s, 3) = real_fma(py, ty, yy);
    }
}

/* One segment of block shares, of one kind. */
LANE_FUNCTION void sarrus_gram_blocks(const sarrus_mechanism *mech, const real *parameter, sarrus_workspace *ws, int32_t kind,
                                      int is_first) {
    const int32_t segment = is_first ? kind : SARRUS_N_LANE_BLOCK_KINDS + kind;
    sarrus_lane_block_share now;
    PLAN_RUNS(BLOCK_SHARES, i, lap, mech->lane.block_segment[segment], mech->lane.block_segment[segment + 1],
              sarrus_gram_block(parameter, ws, sarrus_block_share_at(mech, i, lap, &now), kind, is_first))
}

/* ws->factor ← the lower triangle of S over the rows of the factor, in elimination order. */
PLAN_BODY void sarrus_gram(const sarrus_mechanism *mech, const real *parameter, sarrus_workspace *ws) {
    PLAN_RUNS(FILL, i, lap, 0, mech->factor.n_fill, frame_at_offset(ws->factor, PLAN_AT(mech, fill, i, lap), 0) = real_set(0.0))
    PLAN_RUNS(PADS, i, lap, 0, mech->factor.n_pads, frame_at_offset(ws->factor, PLAN_AT(mech, pad, i, lap), 0) = real_set(1.0))
    sarrus_gram_blocks(mech, parameter, ws, SARRUS_LANE_DIAGONAL, 1);
    sarrus_gram_blocks(mech, parameter, ws, SARRUS_LANE_SAME, 1);
    sarrus_gram_blocks(mech, parameter, ws, SARRUS_LANE_OPPOSITE, 1);
    sarrus_gram_blocks(mech, parameter, ws, SARRUS_LANE_CRANK_DIAGONAL, 1);
    sarrus_gram_blocks(mech, parameter, ws, SARRUS_LANE_CRANK_BLOCK, 1);
    sarrus_gram_blocks(mech, parameter, ws, SARRUS_LANE_DIAGONAL, 0);
    sarrus_gram_blocks(mech, parameter, ws, SARRUS_LANE_SAME, 0);
    sarrus_gram_blocks(mech, parameter, ws, SARRUS_LANE_OPPOSITE, 0);
    sarrus_gram_blocks(mech, parameter, ws, SARRUS_LANE_CRANK_DIAGONAL, 0);
    sarrus_gram_blocks(mech, parameter, ws, SARRUS_LANE_CRANK_BLOCK, 0);
    sarrus_gram_segment(mech, parameter, ws, SARRUS_LANE_ROTATION, 1);
    sarrus_gram_segment(mech, parameter, ws, SARRUS_LANE_PLUS, 1);
    sarrus_gram_segment(mech, parameter, ws, SARRUS_LANE_MINUS, 1);
    sarrus_gram_segment(mech, parameter, ws, SARRUS_LANE_GENERAL_PLUS, 1);
    sarrus_gram_segment(mech, parameter, ws, SARRUS_LANE_GENERAL_MINUS, 1);
    sarrus_gram_segment(mech, parameter, ws, SARRUS_LANE_CRANK, 1);
    sarrus_gram_segment(mech, parameter, ws, SARRUS_LANE_ROTATION, 0);
    sarrus_gram_segment(mech, parameter, ws, SARRUS_LANE_PLUS, 0);
    sarrus_gram_segment(mech, parameter, ws, SARRUS_LANE_MINUS, 0);
    sarrus_gram_segment(mech, parameter, ws, SARRUS_LANE_GENERAL_PLUS, 0);
    sarrus_gram_segment(mech, parameter, ws, SARRUS_LANE_GENERAL_MINUS, 0);
    sarrus_gram_segment(mech, parameter, ws, SARRUS_LANE_CRANK, 0);
}

/* sum ± the part of J_i x of one side of row i: 0 the parent, 1 the child. */
LANE_FUNCTION real sarrus_row_times_side(const sarrus_mechanism *mech, sarrus_workspace *ws, int32_t i, int32_t side, const real *x,
                                         real sum) {
    const sarrus_mech_row *row = &mech->row[i];
    int32_t body = side ? row->child : row->parent;
    if (body < 0)
        return sum;
    sum = real_fma(frame_at(ws->turn, 2 * i + side), frame_at(x, space_v(body) + SPACE_TURN), sum);
    if (row->kind == SARRUS_ROW_ANGLE)
        return sum;
    real along = row->kind == SARRUS_ROW_X ? frame_at(x, space_v(body)) : frame_at(x, space_v(body) + 1);
    if (row->kind == SARRUS_ROW_GENERAL) {
        real across = frame_at(ws->direction, 2 * i + 1) * frame_at(x, space_v(body) + 1);
        along = real_fma(frame_at(ws->direction, 2 * i), frame_at(x, space_v(body)), across);
    }
    return side ? sum + along : sum - along;
}

/* J_i x of row i. */
LANE_FUNCTION real sarrus_row_times(const sarrus_mechanism *mech, sarrus_workspace *ws, int32_t i, const real *x) {
    return sarrus_row_times_side(mech, ws, i, 1, x, sarrus_row_times_side(mech, ws, i, 0, x, real_set(0.0)));
}

/* The body's part of out ← out + M⁻¹ J_iᵀ x, for one side of one row of a joint with multiplier x; of a crank its swing. */
LANE_FUNCTION void sarrus_row_push_side(const sarrus_mechanism *mech, const real *parameter, sarrus_workspace *ws,
                                        const sarrus_mech_joint *joint, int32_t i_side, real x, real *out) {
    const int32_t i = i_side / 2, side = i_side % 2, body = side ? joint->child : joint->parent;
    const sarrus_mech_row *row = &mech->row[i];
    if (body < 0)
        return;
    if (sarrus_crank_at(mech, joint, side) >= 0) {
        frame_at(ws->swing, body) = real_fma(frame_at(ws->push, i_side), x, frame_at(ws->swing, body));
        return;
    }
    frame_at(out, space_v(body) + SPACE_TURN) = real_fma(frame_at(ws->push, i_side), x, frame_at(out, space_v(body) + SPACE_TURN));
    if (row->kind == SARRUS_ROW_ANGLE)
        return;
    real share = sarrus_body_minv(mech, parameter, body) * x;
    if (!side)
        share = -share;
    if (row->kind == SARRUS_ROW_X) {
        frame_at(out, space_v(body)) = frame_at(out, space_v(body)) + share;
    } else if (row->kind == SARRUS_ROW_Y) {
        frame_at(out, space_v(body) + 1) = frame_at(out, space_v(body) + 1) + share;
    } else {
        frame_at(out, space_v(body)) = real_fma(frame_at(ws->direction, 2 * i), share, frame_at(out, space_v(body)));
        frame_at(out, space_v(body) + 1) = real_fma(frame_at(ws->direction, 2 * i + 1), share, frame_at(out, space_v(body) + 1));
    }
}

/* out ← out + M⁻¹ J_iᵀ x for one row of a joint, with its multiplier x. */
LANE_FUNCTION void sarrus_row_push(const sarrus_mechanism *mech, const real *parameter, sarrus_workspace *ws,
                                   const sarrus_mech_joint *joint, int32_t i, const real *mu, real *out) {
    sarrus_row_push_side(mech, parameter, ws, joint, 2 * i, frame_at(mu, i), out);
    sarrus_row_push_side(mech, parameter, ws, joint, 2 * i + 1, frame_at(mu, i), out);
}

/* The two rows of a pin of out ← base − J x. */
LANE_FUNCTION void sarrus_pin_subtract(sarrus_workspace *ws, const sarrus_mech_joint *joint, const real *base, const real *x,
                                       real *out) {
    const int32_t i = joint->row, p = space_v(joint->parent), c = space_v(joint->child);
    real sx = frame_at(base, i), sy = frame_at(base, i + 1);
    if (joint->parent >= 0) {
        sx = real_fnma(frame_at(ws->turn, 2 * i), frame_at(x, p + 2), sx + frame_at(x, p));
        sy = real_fnma(frame_at(ws->turn, 2 * i + 2), frame_at(x, p + 2), sy + frame_at(x, p + 1));
    }
    if (joint->child >= 0) {
        sx = real_fnma(frame_at(ws->turn, 2 * i + 1), frame_at(x, c + 2), sx - frame_at(x, c));
        sy = real_fnma(frame_at(ws->turn, 2 * i + 3), frame_at(x, c + 2), sy - frame_at(x, c + 1));
    }
    frame_at(out, i) = sx;
    frame_at(out, i + 1) = sy;
}

/* The rows of a joint of out ← base − J x, of which there are one to three. */
LANE_FUNCTION void sarrus_joint_subtract(const sarrus_mechanism *mech, sarrus_workspace *ws, const sarrus_mech_joint *joint,
                                         const real *base, const real *x, real *out) {
    const int32_t i = joint->row, has_pin = sarrus_joint_has_pin(mech, joint);
    if (has_pin)
        sarrus_pin_subtract(ws, joint, base, x, out);
    if (!has_pin)
        frame_at(out, i) = frame_at(base, i) - sarrus_row_times(mech, ws, i, x);
    if (!has_pin && sarrus_joint_has_row(mech, joint, 1))
        frame_at(out, i + 1) = frame_at(base, i + 1) - sarrus_row_times(mech, ws, i + 1, x);
    if (sarrus_joint_has_row(mech, joint, 2))
        frame_at(out, i + 2) = frame_at(base, i + 2) - sarrus_row_times(mech, ws, i + 2, x);
}

/* The rows of constraints of out ← base − J x. */
LANE_FUNCTION void sarrus_constraints_subtract(const sarrus_mechanism *mech, sarrus_workspace *ws, const real *base, const real *x,
                                               real *out) {
    PLAN_EACH (k, 0, sarrus_constraints_count(mech)) {
        const int32_t i = mech->constraint[k].row, part = mech->constraint[k].part;
        const real first = sarrus_row_times(mech, ws, i, x);
        frame_at(out, i) = frame_at(base, i) - (part < 0 ? first : first + sarrus_row_times(mech, ws, part, x));
    }
}

/* out ← base − J x, joint by joint; the two rows of a pin together. */
PLAN_BODY void sarrus_rows_subtract(const sarrus_mechanism *mech, sarrus_workspace *ws, const real *base, const real *x,
                                    real *out) {
    sarrus_mech_joint now;
    PLAN_RUNS(JOINTS, i, lap, 0, mech->n_joints, sarrus_joint_subtract(mech, ws, sarrus_joint_at(mech, i, lap, &now), base, x, out))
    sarrus_constraints_subtract(mech, ws, base, x, out);
}

/* ws->rhs ← γ − J a_f, each joint right after its rows, while they are at hand. */
LANE_FUNCTION void sarrus_joint_residual(const sarrus_mechanism *mech, const real *parameter, const sarrus_mech_joint *joint,
                                         const real *q, const real *v, sarrus_workspace *ws) {
    sarrus_joint_rows(mech, parameter, joint, q, v, ws, SARRUS_WANT_GAMMA);
    sarrus_joint_subtract(mech, ws, joint, ws->gamma, ws->force, ws->rhs);
}
PLAN_BODY void sarrus_rows_residual(const sarrus_mechanism *mech, const real *parameter, const real *q, const real *v,
                                    sarrus_workspace *ws, int wanted) {
    sarrus_mech_joint now;
    (void)wanted;
    PLAN_RUNS(JOINTS, i, lap, 0, mech->n_joints,
              sarrus_joint_residual(mech, parameter, sarrus_joint_at(mech, i, lap, &now), q, v, ws))
    sarrus_constraint_rows(mech, parameter, q, v, ws);
    sarrus_constraints_subtract(mech, ws, ws->gamma, ws->force, ws->rhs);
}

/* The two rows of a pin of out ← out + M⁻¹ Jᵀ μ, for the body on one side; of a crank its swing. */
LANE_FUNCTION void sarrus_pin_push_side(const sarrus_mechanism *mech, const real *parameter, sarrus_workspace *ws,
                                        const sarrus_mech_joint *joint, int32_t at, const real *mu, real *out) {
    const int32_t i = joint->row, body = at ? joint->child : joint->parent, b = space_v(body);
    if (body < 0)
        return;
    real mx = frame_at(mu, i), my = frame_at(mu, i + 1);
    real x_push = frame_at(ws->push, 2 * i + at), y_push = frame_at(ws->push, 2 * i + at + 2);
    if (sarrus_crank_at(mech, joint, at) >= 0) {
        frame_at(ws->swing, body) = real_fma(x_push, mx, real_fma(y_push, my, frame_at(ws->swing, body)));
        return;
    }
    real m_inverse = sarrus_body_minv(mech, parameter, body);
    if (at) {
        frame_at(out, b) = real_fma(m_inverse, mx, frame_at(out, b));
        frame_at(out, b + 1) = real_fma(m_inverse, my, frame_at(out, b + 1));
    } else {
        frame_at(out, b) = real_fnma(m_inverse, mx, frame_at(out, b));
        frame_at(out, b + 1) = real_fnma(m_inverse, my, frame_at(out, b + 1));
    }
    frame_at(out, b + 2) = real_fma(x_push, mx, real_fma(y_push, my, frame_at(out, b + 2)));
}

/* The rows of a joint of out ← out + M⁻¹ Jᵀ μ; those of a crank's pin are not among them. */
LANE_FUNCTION void sarrus_joint_push(const sarrus_mechanism *mech, const real *parameter, sarrus_workspace *ws,
                                     const sarrus_mech_joint *joint, const real *mu, real *out) {
    const int32_t i = joint->row, has_pin = sarrus_joint_has_pin(mech, joint);
    if (has_pin && !sarrus_joint_is_crank_pin(mech, joint)) {
        sarrus_pin_push_side(mech, parameter, ws, joint, 0, mu, out);
        sarrus_pin_push_side(mech, parameter, ws, joint, 1, mu, out);
    }
    if (!has_pin)
        sarrus_row_push(mech, parameter, ws, joint, i, mu, out);
    if (!has_pin && sarrus_joint_has_row(mech, joint, 1))
        sarrus_row_push(mech, parameter, ws, joint, i + 1, mu, out);
    if (sarrus_joint_has_row(mech, joint, 2))
        sarrus_row_push(mech, parameter, ws, joint, i + 2, mu, out);
}

/* The rows of constraints of out ← out + M⁻¹ Jᵀ μ. */
LANE_FUNCTION void sarrus_constraints_push(const sarrus_mechanism *mech, const real *parameter, sarrus_workspace *ws,
                                           const real *mu, real *out) {
    PLAN_EACH (k, 0, sarrus_constraints_count(mech)) {
        const sarrus_mech_constraint *constraint = &mech->constraint[k];
        const real x = frame_at(mu, constraint->row);
        for (int32_t part = 0; part < sarrus_constraint_n_lines(constraint); ++part) {
            const int32_t i = sarrus_constraint_line(constraint, part);
            sarrus_row_push_side(mech, parameter, ws, &constraint->of[part], 2 * i, x, out);
            sarrus_row_push_side(mech, parameter, ws, &constraint->of[part], 2 * i + 1, x, out);
        }
    }
}

/* out ← out + x, the correction for the right side b with multipliers μ: M⁻¹ Jᵀ μ joint by joint, the two rows of a pin together;
 * cranks after all others. The swings of the cranks are used up. */
PLAN_BODY void sarrus_rows_push(const sarrus_mechanism *mech, const real *parameter, sarrus_workspace *ws, const real *b,
                                const real *mu, real *out) {
    sarrus_mech_joint now;
    PLAN_RUNS(JOINTS, i, lap, 0, mech->n_joints,
              sarrus_joint_push(mech, parameter, ws, sarrus_joint_at(mech, i, lap, &now), mu, out))
    sarrus_constraints_push(mech, parameter, ws, mu, out);
    if (mech->n_cranks > 0)
        sarrus_cranks_end(mech, ws, b, out);
}

/* entry [SPACE_NV] ← the part of J_i M^{-1/2} of one side of a row. */
LANE_FUNCTION void sarrus_dense_side(const sarrus_mechanism *mech, const real *parameter, const sarrus_workspace *ws,
                                     int32_t i_side, real *entry) {
    const int32_t i = i_side / 2, side = i_side % 2, body = side ? mech->row[i].child : mech->row[i].parent;
    real root_m = real_sqrt(sarrus_body_minv(mech, parameter, body));
    real root_i = real_sqrt(sarrus_body_iinv(mech, parameter, body));
    if (!side)
        root_m = -root_m;
    if (mech->row[i].kind != SARRUS_ROW_ANGLE) {
        lane_at(entry, 0) = frame_at(ws->direction, 2 * i) * root_m;
        lane_at(entry, 1) = frame_at(ws->direction, 2 * i + 1) * root_m;
    }
    lane_at(entry, 2) = frame_at(ws->turn, i_side) * root_i;
}

/* x [n] ← M⁻¹ J_iᵀ, one side of it, where x is zero. */
LANE_FUNCTION void sarrus_row_weigh_side(const sarrus_mechanism *mech, const real *parameter, const sarrus_workspace *ws,
                                         int32_t i_side, real *x) {
    const int32_t i = i_side / 2, side = i_side % 2, body = side ? mech->row[i].child : mech->row[i].parent;
    frame_at(x, space_v(body) + SPACE_TURN) = frame_at(ws->turn, i_side) * sarrus_body_iinv(mech, parameter, body);
    if (mech->row[i].kind == SARRUS_ROW_ANGLE)
        return;
    const real m_inverse = sarrus_body_minv(mech, parameter, body);
    for (int32_t k = 0; k < 2; ++k) {
        const real along = frame_at(ws->direction, 2 * i + k) * m_inverse;
        frame_at(x, space_v(body) + k) = side ? along : -along;
    }
}

/* The right side `rhs` as the rows of the factor see it. */
LANE_FUNCTION const real *sarrus_rows_right(const sarrus_mechanism *mech, const real *parameter, sarrus_workspace *ws,
                                            const real *rhs) {
    if (mech->n_cranks == 0)
        return rhs;
    sarrus_cranks_begin(mech, parameter, ws, rhs, ws->multiplier);
    return ws->multiplier;
}

/* The multipliers of independent rows that are not in the factor, from those of the others; uses ws->z, which is zero. */
LANE_BODY void sarrus_rows_loads(const sarrus_mechanism *mech, const real *parameter, sarrus_workspace *ws, const real *b) {
    if (mech->n_cranks == 0)
        return;
    sarrus_rows_push(mech, parameter, ws, b, ws->multiplier, ws->z);
    sarrus_crank_loads(mech, parameter, ws, ws->z, ws->multiplier);
}

#endif

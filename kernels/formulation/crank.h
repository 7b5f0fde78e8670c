/* Cranks: bodies whose pin on ground is eliminated in closed form.
 *
 * The two rows of a pin that holds a body to ground are J_A x = σ (x₁, x₂) + t x₃, σ = 1 when the body is the pin's child, −1 when
 * it is its parent. They leave the body one way to move, (n, 1) with n = −σ t, and with I_A = I + m |t|² (a constant: |t| is the
 * distance of the pin from the mass centre)
 *
 *   M⁻¹ − M⁻¹J_Aᵀ (J_A M⁻¹ J_Aᵀ)⁻¹ J_A M⁻¹ = (n, 1)(n, 1)ᵀ / I_A,
 *
 * so that the rows of the pin need not stand in the factor. Any other row j sees the body as a lever l_j = J_j (n, 1):
 *
 *   S_ij = l_i l_j / I_A,   b_j ← b_j − J_j y,   y = (σ b_A + n s, s),   s = (m/I_A) t·b_A,
 *
 * where y is the smallest x in the metric of M with J_A x = b_A, and the correction is x = y + (n, 1) Σ_j l_j μ_j / I_A. It is the
 * block elimination of S with the pin's rows first, written so that nothing of them is left to compute. */
#ifndef SARRUS_FORMULATION_CRANK_H
#define SARRUS_FORMULATION_CRANK_H

#include "kernels/body/rows.h"

/* Of the body on one side of a joint (0 the parent, 1 the child): 2·(x row of its pin) + (side of it there), −1 when it is none. A
 * constant plan without cranks says so before a loop over the joints unrolls. */
LANE_FUNCTION int32_t sarrus_crank_at(const sarrus_mechanism *mech, const sarrus_mech_joint *joint, int32_t at) {
    if (mech->n_cranks == 0)
        return -1;
    return at ? joint->child_crank : joint->parent_crank;
}
LANE_FUNCTION int sarrus_joint_is_crank_pin(const sarrus_mechanism *mech, const sarrus_mech_joint *joint) {
    return mech->n_cranks > 0 && joint->is_crank_pin;
}

/* Whether the joint's first two rows are those of a pin: e = (1, 0) and (0, 1). */
LANE_FUNCTION int sarrus_joint_has_pin(const sarrus_mechanism *mech, const sarrus_mech_joint *joint) {
    int has_pin = 0;
#define SARRUS_JOINT(name, value, word, kernel, n_rows, row_0, row_1, row_2, label_0, label_1, label_2, free, needs, text)         \
    has_pin |= SARRUS_JOINT_AMONG(SARRUS_JOINTS_WITH_PIN, value) && sarrus_joint_is(mech, joint, SARRUS_JOINT_##name);
#include "sarrus/joint.def"
    return has_pin;
}

/* n_k and (σ b_A)_k of the crank, k = 0, 1. */
LANE_FUNCTION real sarrus_crank_way(const sarrus_workspace *ws, int32_t crank, int32_t k) {
    real t = frame_at(ws->turn, crank + 2 * k);
    return crank & 1 ? -t : t;
}
LANE_FUNCTION real sarrus_crank_shift(const real *b, int32_t crank, int32_t k) {
    real shift = frame_at(b, (crank >> 1) + k);
    return crank & 1 ? shift : -shift;
}

LANE_FUNCTION real sarrus_crank_iinv(const sarrus_mechanism *mech, const real *parameter, int32_t body) {
    return lane_at(parameter, mech->p_body + SARRUS_PB_N * body + SARRUS_PB_CRANK_IINV);
}

/* e·x of row i for a vector (x, y), of a row that is not that of an angle. */
LANE_FUNCTION real sarrus_row_along_vector(const sarrus_mechanism *mech, const sarrus_workspace *ws, int32_t i, real x, real y) {
    if (mech->row[i].kind == SARRUS_ROW_X)
        return x;
    if (mech->row[i].kind == SARRUS_ROW_Y)
        return y;
    return real_fma(frame_at(ws->direction, 2 * i), x, frame_at(ws->direction, 2 * i + 1) * y);
}

/* lever and push of one side of a row whose body moves by e·n = `along` where the row's point is not looked at. */
LANE_FUNCTION void sarrus_crank_side(sarrus_workspace *ws, int32_t i_side, real along, real i_inverse) {
    real turn = frame_at(ws->turn, i_side);
    real lever = i_side & 1 ? turn + along : turn - along;
    frame_at(ws->lever, i_side) = lever;
    frame_at(ws->push, i_side) = lever * i_inverse;
}

/* The same for a row of any kind. */
LANE_FUNCTION void sarrus_crank_row(const sarrus_mechanism *mech, sarrus_workspace *ws, int32_t i_side, int32_t crank,
                                    real i_inverse) {
    if (mech->row[i_side / 2].kind == SARRUS_ROW_ANGLE) {
        frame_at(ws->lever, i_side) = frame_at(ws->turn, i_side);
        frame_at(ws->push, i_side) = frame_at(ws->turn, i_side) * i_inverse;
        return;
    }
    real x = sarrus_crank_way(ws, crank, 0), y = sarrus_crank_way(ws, crank, 1);
    sarrus_crank_side(ws, i_side, sarrus_row_along_vector(mech, ws, i_side / 2, x, y), i_inverse);
}

/* lever = l and push = l / I_A of the joint's rows on a crank, of which there are one to three; not of the pin itself. */
LANE_FUNCTION void sarrus_crank_push(const sarrus_mechanism *mech, const real *parameter, sarrus_workspace *ws,
                                     const sarrus_mech_joint *joint, int32_t at) {
    const int32_t crank = sarrus_crank_at(mech, joint, at), i = 2 * joint->row + at;
    const int has_pin = sarrus_joint_has_pin(mech, joint);
    real i_inverse = sarrus_crank_iinv(mech, parameter, at ? joint->child : joint->parent);
    if (has_pin && !sarrus_joint_is_crank_pin(mech, joint)) {
        sarrus_crank_side(ws, i, sarrus_crank_way(ws, crank, 0), i_inverse);
        sarrus_crank_side(ws, i + 2, sarrus_crank_way(ws, crank, 1), i_inverse);
    }
    if (!has_pin)
        sarrus_crank_row(mech, ws, i, crank, i_inverse);
    if (!has_pin && sarrus_joint_has_row(mech, joint, 1))
        sarrus_crank_row(mech, ws, i + 2, crank, i_inverse);
    if (sarrus_joint_has_row(mech, joint, 2))
        sarrus_crank_row(mech, ws, i + 4, crank, i_inverse);
}

/* swing = s of the crank that the joint pins to ground, for the right side b. */
LANE_FUNCTION void sarrus_crank_begin(const sarrus_mechanism *mech, const real *parameter, sarrus_workspace *ws,
                                      const sarrus_mech_joint *joint, const real *b) {
    if (!sarrus_joint_is_crank_pin(mech, joint))
        return;
    const int32_t at = joint->child >= 0, body = at ? joint->child : joint->parent, i = joint->row;
    real ratio = lane_at(parameter, mech->p_body + SARRUS_PB_N * body + SARRUS_PB_MASS) * sarrus_crank_iinv(mech, parameter, body);
    real along = real_fma(frame_at(ws->turn, 2 * i + at), frame_at(b, i), frame_at(ws->turn, 2 * i + at + 2) * frame_at(b, i + 1));
    frame_at(ws->swing, body) = ratio * along;
}

/* right − J_i y of row i and one of its sides, whose body is shifted by σ b_A = `along` in the direction of the row. */
LANE_FUNCTION real sarrus_crank_subtract(const sarrus_workspace *ws, int32_t i_side, real along, real swing, real right) {
    right = i_side & 1 ? right - along : right + along;
    return real_fnma(frame_at(ws->lever, i_side), swing, right);
}
LANE_FUNCTION real sarrus_crank_subtract_row(const sarrus_mechanism *mech, const sarrus_workspace *ws, int32_t i_side,
                                             int32_t crank, real swing, const real *b, real right) {
    if (mech->row[i_side / 2].kind == SARRUS_ROW_ANGLE)
        return real_fnma(frame_at(ws->lever, i_side), swing, right);
    real x = sarrus_crank_shift(b, crank, 0), y = sarrus_crank_shift(b, crank, 1);
    return sarrus_crank_subtract(ws, i_side, sarrus_row_along_vector(mech, ws, i_side / 2, x, y), swing, right);
}

/* right ← b − J y of the joint's rows, for one of its sides: right stands for b where no side has been looked at. */
LANE_FUNCTION void sarrus_crank_right_side(const sarrus_mechanism *mech, const sarrus_workspace *ws, const sarrus_mech_joint *joint,
                                           int32_t at, const real *b, real *right) {
    const int32_t crank = sarrus_crank_at(mech, joint, at), i = joint->row, side = 2 * i + at;
    if (crank < 0)
        return;
    const int has_pin = sarrus_joint_has_pin(mech, joint);
    real swing = frame_at(ws->swing, at ? joint->child : joint->parent);
    if (has_pin && !sarrus_joint_is_crank_pin(mech, joint)) {
        right[0] = sarrus_crank_subtract(ws, side, sarrus_crank_shift(b, crank, 0), swing, right[0]);
        right[1] = sarrus_crank_subtract(ws, side + 2, sarrus_crank_shift(b, crank, 1), swing, right[1]);
    }
    if (!has_pin)
        right[0] = sarrus_crank_subtract_row(mech, ws, side, crank, swing, b, right[0]);
    if (!has_pin && sarrus_joint_has_row(mech, joint, 1))
        right[1] = sarrus_crank_subtract_row(mech, ws, side + 2, crank, swing, b, right[1]);
    if (sarrus_joint_has_row(mech, joint, 2))
        right[2] = sarrus_crank_subtract_row(mech, ws, side + 4, crank, swing, b, right[2]);
}

/* out ← b − J y of the joint's rows; those of a crank's pin are of no use. */
LANE_FUNCTION void sarrus_crank_right(const sarrus_mechanism *mech, sarrus_workspace *ws, const sarrus_mech_joint *joint,
                                      const real *b, real *out) {
    const int32_t i = joint->row;
    real right[3];
    right[0] = frame_at(b, i);
    right[1] = sarrus_joint_has_row(mech, joint, 1) ? frame_at(b, i + 1) : right[0];
    right[2] = sarrus_joint_has_row(mech, joint, 2) ? frame_at(b, i + 2) : right[0];
    sarrus_crank_right_side(mech, ws, joint, 0, b, right);
    sarrus_crank_right_side(mech, ws, joint, 1, b, right);
    frame_at(out, i) = right[0];
    if (sarrus_joint_has_row(mech, joint, 1))
        frame_at(out, i + 1) = right[1];
    if (sarrus_joint_has_row(mech, joint, 2))
        frame_at(out, i + 2) = right[2];
}

/* The crank's part of out ← out + x, once swing holds the whole of x₃: (σ b_A + n x₃, x₃). */
LANE_FUNCTION void sarrus_crank_end(const sarrus_mechanism *mech, sarrus_workspace *ws, const sarrus_mech_joint *joint,
                                    const real *b, real *out) {
    if (!sarrus_joint_is_crank_pin(mech, joint))
        return;
    const int32_t at = joint->child >= 0, body = at ? joint->child : joint->parent, crank = 2 * joint->row + at;
    real swing = frame_at(ws->swing, body);
    for (int32_t k = 0; k < 2; ++k) {
        real shifted = frame_at(out, space_v(body) + k) + sarrus_crank_shift(b, crank, k);
        frame_at(out, space_v(body) + k) = real_fma(sarrus_crank_way(ws, crank, k), swing, shifted);
    }
    frame_at(out, space_v(body) + SPACE_TURN) = frame_at(out, space_v(body) + SPACE_TURN) + swing;
}

/* swing = s of every crank, and out ← b − J y of all rows. */
PLAN_BODY void sarrus_cranks_begin(const sarrus_mechanism *mech, const real *parameter, sarrus_workspace *ws, const real *b,
                                   real *out) {
    sarrus_mech_joint now;
    PLAN_RUNS(JOINTS, i, lap, 0, mech->n_joints, sarrus_crank_begin(mech, parameter, ws, sarrus_joint_at(mech, i, lap, &now), b))
    PLAN_RUNS(JOINTS, i, lap, 0, mech->n_joints, sarrus_crank_right(mech, ws, sarrus_joint_at(mech, i, lap, &now), b, out))
    PLAN_EACH (i, 0, sarrus_constraints_count(mech)) /* none holds a crank */
        frame_at(out, mech->constraint[i].row) = frame_at(b, mech->constraint[i].row);
}

PLAN_BODY void sarrus_cranks_end(const sarrus_mechanism *mech, sarrus_workspace *ws, const real *b, real *out) {
    sarrus_mech_joint now;
    PLAN_RUNS(JOINTS, i, lap, 0, mech->n_joints, sarrus_crank_end(mech, ws, sarrus_joint_at(mech, i, lap, &now), b, out))
}

/* The multipliers of the pins of cranks from those of the other rows and the correction x: of the forces that move the crank's
 * mass centre, m (x₁, x₂), what no other row gives. */
LANE_BODY void sarrus_crank_loads(const sarrus_mechanism *mech, const real *parameter, sarrus_workspace *ws, const real *x,
                                  real *multiplier) {
    for (int32_t i = 0; i < mech->n_joints; ++i) {
        const sarrus_mech_joint *joint = &mech->joint[i];
        if (!sarrus_joint_is_crank_pin(mech, joint))
            continue;
        const int32_t at = joint->child >= 0, body = at ? joint->child : joint->parent;
        real mass = lane_at(parameter, mech->p_body + SARRUS_PB_N * body + SARRUS_PB_MASS);
        for (int32_t k = 0; k < 2; ++k) {
            real force = mass * frame_at(x, space_v(body) + k);
            frame_at(multiplier, joint->row + k) = at ? force : -force;
        }
    }
    for (int32_t i_side = 0; i_side < 2 * mech->m; ++i_side) {
        const int32_t i = i_side / 2;
        const sarrus_mech_joint *joint = &mech->joint[mech->row[i].joint];
        const int32_t crank = sarrus_crank_at(mech, joint, i_side & 1);
        const int is_own = sarrus_joint_is_crank_pin(mech, joint) && i < joint->row + 2;
        if (crank < 0 || is_own || mech->row[i].kind == SARRUS_ROW_ANGLE) /* angles do not move mass centres */
            continue;
        for (int32_t k = 0; k < 2; ++k) {
            real force = frame_at(ws->direction, 2 * i + k) * frame_at(multiplier, i);
            real left = frame_at(multiplier, crank / 2 + k);
            frame_at(multiplier, crank / 2 + k) = (crank ^ i_side) & 1 ? left + force : left - force;
        }
    }
}

#endif

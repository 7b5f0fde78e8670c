/* S = J M⁻¹ Jᵀ (S1 eq 14; S5 eq 34) from the shares of the bodies, and products with J and M⁻¹Jᵀ: the sparse algebra of the
 * constraint rows of space. A row is Φ̇ = e·(ṙ_child − ṙ_parent) + t_child·ω_child + t_parent·ω_parent; t and ω are in the
 * bodies' frames, where I is constant. */
#ifndef SARRUS_FORMULATION_GRAM_SPATIAL_H
#define SARRUS_FORMULATION_GRAM_SPATIAL_H

#include "kernels/body/mechanics.h"
#include "kernels/formulation/rows_in_factor.h"

LANE_FUNCTION real sarrus_body_minv(const sarrus_mechanism *mech, const real *parameter, int32_t body) {
    return lane_at(sarrus_body_parameters(mech, parameter, body), SARRUS_SB_MINV);
}

/* Side i_side = 2·row + (0 parent, 1 child): its body, and its turning part t and I⁻¹t. */
LANE_FUNCTION int32_t sarrus_side_body(const sarrus_mechanism *mech, int32_t i_side) {
    return i_side & 1 ? mech->row[i_side / 2].child : mech->row[i_side / 2].parent;
}
LANE_FUNCTION space_vector sarrus_side_turn(const sarrus_workspace *ws, int32_t i_side) {
    return sarrus_frame_vector(ws->turn, 3 * i_side);
}

/* push = I⁻¹ t of both sides of every row. */
PLAN_BODY void sarrus_push(const sarrus_mechanism *mech, const real *parameter, sarrus_workspace *ws) {
    PLAN_EACH (i_side, 0, 2 * mech->m) {
        const int32_t body = sarrus_side_body(mech, i_side);
        if (body < 0)
            continue;
        const real *p = sarrus_body_parameters(mech, parameter, body);
        sarrus_frame_vector_put(sarrus_inertia_solve(p, sarrus_side_turn(ws, i_side)), ws->push, 3 * i_side);
    }
}

LANE_FUNCTION space_vector sarrus_vector_at_offset(const real *array, sarrus_lane_offset place) {
    space_vector out;
    out.x = frame_at_offset(array, place, 0);
    out.y = frame_at_offset(array, place, 1);
    out.z = frame_at_offset(array, place, 2);
    return out;
}

/* One body's share of J_i M⁻¹ J_jᵀ added to `sum`; the kind is known where it is called. */
LANE_FUNCTION real sarrus_share(const real *parameter, const sarrus_workspace *ws, const sarrus_lane_share *share, int32_t kind,
                                real sum) {
    sum = sum + space_dot(sarrus_vector_at_offset(ws->push, share->push), sarrus_vector_at_offset(ws->turn, share->turn));
    if (kind == SARRUS_LANE_ROTATION)
        return sum;
    const real m_inverse = parameter_at_offset(parameter, share->mass);
    if (kind == SARRUS_LANE_PLUS)
        return sum + m_inverse;
    if (kind == SARRUS_LANE_MINUS)
        return sum - m_inverse;
    const real dot = space_dot(sarrus_vector_at_offset(ws->direction, share->direction_i),
                               sarrus_vector_at_offset(ws->direction, share->direction_j));
    return kind == SARRUS_LANE_GENERAL_PLUS ? real_fma(dot, m_inverse, sum) : real_fnma(dot, m_inverse, sum);
}

/* One segment of shares, of one kind, each the first at its destination or not. */
LANE_FUNCTION void sarrus_gram_segment(const sarrus_mechanism *mech, const real *parameter, sarrus_workspace *ws, int32_t kind,
                                       int is_first) {
    const int32_t segment = is_first ? kind : SARRUS_N_LANE_KINDS + kind;
    PLAN_EACH (i, mech->lane.segment[segment], mech->lane.segment[segment + 1]) {
        const sarrus_lane_share *share = &mech->lane.share[i];
        const real before = is_first ? real_set(0.0) : frame_at_offset(ws->factor, share->destination, 0);
        frame_at_offset(ws->factor, share->destination, 0) = sarrus_share(parameter, ws, share, kind, before);
    }
}

/* All segments of shares that begin their destinations, or that add to them. */
LANE_FUNCTION void sarrus_gram_segments(const sarrus_mechanism *mech, const real *parameter, sarrus_workspace *ws, int is_first) {
    sarrus_gram_segment(mech, parameter, ws, SARRUS_LANE_ROTATION, is_first);
    sarrus_gram_segment(mech, parameter, ws, SARRUS_LANE_PLUS, is_first);
    sarrus_gram_segment(mech, parameter, ws, SARRUS_LANE_MINUS, is_first);
    sarrus_gram_segment(mech, parameter, ws, SARRUS_LANE_GENERAL_PLUS, is_first);
    sarrus_gram_segment(mech, parameter, ws, SARRUS_LANE_GENERAL_MINUS, is_first);
}

/* ws->factor ← the lower triangle of S over the rows of the factor, in elimination order. */
PLAN_BODY void sarrus_gram(const sarrus_mechanism *mech, const real *parameter, sarrus_workspace *ws) {
    PLAN_EACH (i, 0, mech->factor.n_fill)
        frame_at_offset(ws->factor, mech->lane.fill[i], 0) = real_set(0.0);
    PLAN_EACH (i, 0, mech->factor.n_pads)
        frame_at_offset(ws->factor, mech->lane.pad[i], 0) = real_set(1.0);
    sarrus_gram_segments(mech, parameter, ws, 1);
    sarrus_gram_segments(mech, parameter, ws, 0);
}

/* e·s of row i, for a row that has a direction: of a constant one that is a component. */
LANE_FUNCTION real sarrus_row_along_of(const sarrus_mechanism *mech, const sarrus_workspace *ws, int32_t i, space_vector s) {
    const int32_t kind = mech->row[i].kind;
    if (kind == SARRUS_ROW_GENERAL)
        return space_dot(sarrus_frame_vector(ws->direction, 3 * i), s);
    return kind == SARRUS_ROW_X ? s.x : kind == SARRUS_ROW_Y ? s.y : s.z;
}

/* x [3] at `at` ← x + s e of row i, likewise. */
LANE_FUNCTION void sarrus_row_push_along(const sarrus_mechanism *mech, const sarrus_workspace *ws, int32_t i, real s, real *x,
                                         int32_t at) {
    const int32_t kind = mech->row[i].kind;
    if (kind == SARRUS_ROW_GENERAL) {
        sarrus_frame_vector_add(sarrus_vector_scale(s, sarrus_frame_vector(ws->direction, 3 * i)), x, at);
        return;
    }
    const int32_t k = at + (kind == SARRUS_ROW_X ? 0 : kind == SARRUS_ROW_Y ? 1 : 2);
    frame_at(x, k) = frame_at(x, k) + s;
}

/* J_i x of row i. */
LANE_FUNCTION real sarrus_row_times(const sarrus_mechanism *mech, const sarrus_workspace *ws, int32_t i, const real *x) {
    real sum = real_set(0.0);
    for (int32_t side = 0; side < 2; ++side) {
        const int32_t body = sarrus_side_body(mech, 2 * i + side);
        if (body < 0)
            continue;
        sum = sum + space_dot(sarrus_side_turn(ws, 2 * i + side), sarrus_frame_vector(x, space_v(body) + SPACE_TURN));
        if (mech->row[i].kind == SARRUS_ROW_ANGLE)
            continue;
        const real along = sarrus_row_along_of(mech, ws, i, sarrus_frame_vector(x, space_v(body)));
        sum = side ? sum + along : sum - along;
    }
    return sum;
}

/* out ← base − J x. */
PLAN_BODY void sarrus_rows_subtract(const sarrus_mechanism *mech, sarrus_workspace *ws, const real *base, const real *x,
                                    real *out) {
    PLAN_EACH (i, 0, mech->m)
        frame_at(out, i) = frame_at(base, i) - sarrus_row_times(mech, ws, i, x);
}

/* ws->rhs ← γ − J a_f, with the rows. */
PLAN_BODY void sarrus_rows_residual(const sarrus_mechanism *mech, const real *parameter, const real *q, const real *v,
                                    sarrus_workspace *ws, int wanted) {
    sarrus_rows(mech, parameter, q, v, ws, wanted);
    sarrus_rows_subtract(mech, ws, ws->gamma, ws->force, ws->rhs);
}

/* out ← out + M⁻¹ Jᵀ μ. All rows that have multipliers stand in the factor: b, the right side, says nothing more. */
PLAN_BODY void sarrus_rows_push(const sarrus_mechanism *mech, const real *parameter, sarrus_workspace *ws, const real *b,
                                const real *mu, real *out) {
    (void)b;
    PLAN_EACH (i_side, 0, 2 * mech->m) {
        const int32_t i = i_side / 2, body = sarrus_side_body(mech, i_side);
        if (body < 0)
            continue;
        const real x = frame_at(mu, i), share = sarrus_body_minv(mech, parameter, body) * x;
        sarrus_frame_vector_add(sarrus_vector_scale(x, sarrus_frame_vector(ws->push, 3 * i_side)), out, space_v(body) + SPACE_TURN);
        if (mech->row[i].kind != SARRUS_ROW_ANGLE)
            sarrus_row_push_along(mech, ws, i, i_side & 1 ? share : -share, out, space_v(body));
    }
}

/* entry [SPACE_NV] ← the part of J_i M^{-1/2} of one side of a row: t stands as L⁻¹t in it. */
LANE_FUNCTION void sarrus_dense_side(const sarrus_mechanism *mech, const real *parameter, const sarrus_workspace *ws,
                                     int32_t i_side, real *entry) {
    const real *p = sarrus_body_parameters(mech, parameter, sarrus_side_body(mech, i_side));
    const real root_m = real_sqrt(lane_at(p, SARRUS_SB_MINV));
    if (mech->row[i_side / 2].kind != SARRUS_ROW_ANGLE)
        space_vector_put(sarrus_vector_scale(i_side & 1 ? root_m : -root_m, sarrus_frame_vector(ws->direction, 3 * (i_side / 2))),
                         entry);
    space_vector_put(sarrus_root_solve(p, sarrus_side_turn(ws, i_side)), lane_from(entry, SPACE_TURN));
}

/* x [n] ← M⁻¹ J_iᵀ, one side of it, where x is zero. */
LANE_FUNCTION void sarrus_row_weigh_side(const sarrus_mechanism *mech, const real *parameter, const sarrus_workspace *ws,
                                         int32_t i_side, real *x) {
    const int32_t body = sarrus_side_body(mech, i_side), at = space_v(body);
    const real *p = sarrus_body_parameters(mech, parameter, body), m_inverse = lane_at(p, SARRUS_SB_MINV);
    sarrus_frame_vector_put(sarrus_inertia_solve(p, sarrus_side_turn(ws, i_side)), x, at + SPACE_TURN);
    if (mech->row[i_side / 2].kind != SARRUS_ROW_ANGLE)
        sarrus_frame_vector_put(
            sarrus_vector_scale(i_side & 1 ? m_inverse : -m_inverse, sarrus_frame_vector(ws->direction, 3 * (i_side / 2))), x, at);
}

#endif

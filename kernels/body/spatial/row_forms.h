/* The forms of constraint rows and of free coordinates in space (sarrus/spatial_row.def, sarrus/freedom.def): value, rate, what
 * multiplies accelerations, and what is left of the second derivative. */
#ifndef SARRUS_BODY_SPATIAL_ROW_FORMS_H
#define SARRUS_BODY_SPATIAL_ROW_FORMS_H

#include "kernels/body/spatial/kinematics.h"

/* Φ̇ = e·(ṙ_child − ṙ_parent) + t_child·ω_child + t_parent·ω_parent, t and ω in the bodies' frames; Φ̈ = J a − γ. */
typedef struct sarrus_row_value {
    space_vector e, turn_parent, turn_child;
    real phi, phi_dot, gamma;
} sarrus_row_value;

/* Turning parts that are known in the inertial frame. */
LANE_FUNCTION void sarrus_row_turns(const sarrus_joint_here *at, space_vector of_parent, space_vector of_child,
                                    sarrus_row_value *row) {
    row->turn_parent = sarrus_turn_stored(&at->parent, of_parent);
    row->turn_child = sarrus_turn_stored(&at->child, of_child);
}

/* ρ × e_k, e_k an axis of the inertial frame. */
LANE_FUNCTION space_vector sarrus_across_inertial(space_vector rho, int32_t k) {
    const real zero = real_set(0.0);
    const space_vector x = {zero, rho.z, -rho.y}, y = {-rho.z, zero, rho.x}, z = {rho.y, -rho.x, zero};
    return k == 0 ? x : k == 1 ? y : z;
}

/* Φ = d_k in the inertial frame:  t_child = ρ_c × e, t_parent = −ρ_p × e,  γ = −(centripetal of d)_k. */
LANE_FUNCTION sarrus_row_value sarrus_row_pin(const sarrus_joint_here *at, int32_t k) {
    sarrus_row_value row;
    row.e = sarrus_no_vector();
    row.e.x = real_set(k == 0 ? 1.0 : 0.0);
    row.e.y = real_set(k == 1 ? 1.0 : 0.0);
    row.e.z = real_set(k == 2 ? 1.0 : 0.0);
    row.turn_child = SARRUS_HAS_TREE ? sarrus_across_inertial(at->to.arm, k) : space_cross(at->to.of_body, at->child.a.row[k]);
    row.turn_parent = SARRUS_HAS_TREE ? sarrus_across_inertial(sarrus_vector_scale(real_set(-1.0), at->from.arm), k)
                                      : space_cross(at->parent.a.row[k], at->from.of_body);
    row.phi = sarrus_component(at->d, k);
    row.phi_dot = sarrus_component(at->d_dot, k);
    row.gamma = -sarrus_component(at->d_centripetal, k);
    return row;
}

/* Φ = w·d, w fixed in the parent:  e = w,  t_child = ρ_c × w,  t_parent = −(ρ_p + d) × w,
 *   γ = −w·(centripetal of d) − 2 (ω_p × w)·ḋ − (ω_p × (ω_p × w))·d. */
LANE_FUNCTION sarrus_row_value sarrus_row_along(const sarrus_joint_here *at, space_vector w) {
    sarrus_row_value row;
    const real one = real_set(1.0);
    const space_vector turning = space_cross(at->parent.omega, w), twice = space_cross(at->parent.omega, turning);
    row.e = w;
    sarrus_row_turns(at, space_cross(w, space_add(at->from.arm, one, at->d)), space_cross(at->to.arm, w), &row);
    row.phi = space_dot(w, at->d);
    row.phi_dot = space_dot(w, at->d_dot) + space_dot(turning, at->d);
    row.gamma = -real_fma(real_set(2.0), space_dot(turning, at->d_dot), space_dot(w, at->d_centripetal) + space_dot(twice, at->d));
    return row;
}

/* Φ = |d| − length:  e = w = d/|d|,  t_child = ρ_c × w,  t_parent = −ρ_p × w,  γ = −w·(centripetal of d) − (|ḋ|² − Φ̇²)/|d|. */
LANE_FUNCTION sarrus_row_value sarrus_row_length(const sarrus_joint_here *at) {
    sarrus_row_value row;
    const real distance = real_sqrt(space_dot(at->d, at->d)), inverse = real_inverse_or_zero(distance);
    const space_vector w = sarrus_vector_scale(inverse, at->d);
    row.e = w;
    sarrus_row_turns(at, space_cross(w, at->from.arm), space_cross(at->to.arm, w), &row);
    row.phi = distance - lane_at(at->p, SARRUS_SJ_LENGTH);
    row.phi_dot = space_dot(w, at->d_dot);
    const real sideways2 = real_fnma(row.phi_dot, row.phi_dot, space_dot(at->d_dot, at->d_dot));
    row.gamma = -real_fma(sideways2, inverse, space_dot(w, at->d_centripetal));
    return row;
}

/* f = u·w, u fixed in the parent and w in the child:  ḟ = x·(ω_p − ω_c), x = u × w;  f̈ = x·(ω̇_p − ω̇_c) + rest. */
typedef struct sarrus_cosine {
    space_vector cross;
    real value, rate, rest;
} sarrus_cosine;

LANE_FUNCTION sarrus_cosine sarrus_cosine_of(const sarrus_joint_here *at, int32_t i, int32_t j) {
    sarrus_cosine f;
    const space_vector u = sarrus_parent_axis(at, i), w = sarrus_child_axis(at, j);
    const space_vector u_dot = space_cross(at->parent.omega, u), w_dot = space_cross(at->child.omega, w);
    const space_vector u_twice = space_cross(at->parent.omega, u_dot), w_twice = space_cross(at->child.omega, w_dot);
    f.cross = space_cross(u, w);
    f.value = space_dot(u, w);
    f.rate = space_dot(u_dot, w) + space_dot(u, w_dot);
    f.rest = real_fma(real_set(2.0), space_dot(u_dot, w_dot), space_dot(u_twice, w) + space_dot(u, w_twice));
    return f;
}

/* Φ = p_i·c_j. */
LANE_FUNCTION sarrus_row_value sarrus_row_across(const sarrus_joint_here *at, int32_t i, int32_t j) {
    sarrus_row_value row;
    const sarrus_cosine f = sarrus_cosine_of(at, i, j);
    row.e = sarrus_no_vector();
    sarrus_row_turns(at, f.cross, sarrus_vector_scale(real_set(-1.0), f.cross), &row);
    row.phi = f.value;
    row.phi_dot = f.rate;
    row.gamma = -f.rest;
    return row;
}

/* Φ = atan2(y, x) of two cosines:  Φ̇ = (x ẏ − y ẋ)/r²,  Φ̈ = (x ÿ − y ẍ)/r² − 2 Φ̇ (x ẋ + y ẏ)/r². */
LANE_FUNCTION sarrus_row_value sarrus_row_angle_of(const sarrus_joint_here *at, const sarrus_cosine *y, const sarrus_cosine *x) {
    sarrus_row_value row;
    const real inverse = real_inverse_or_zero(real_fma(x->value, x->value, y->value * y->value));
    const real by_y = x->value * inverse, by_x = -(y->value * inverse);
    const space_vector turn = space_add(sarrus_vector_scale(by_y, y->cross), by_x, x->cross);
    row.e = sarrus_no_vector();
    sarrus_row_turns(at, turn, sarrus_vector_scale(real_set(-1.0), turn), &row);
    row.phi = real_atan2(y->value, x->value);
    row.phi_dot = real_fma(by_y, y->rate, by_x * x->rate);
    const real shrink = inverse * real_fma(x->value, x->rate, y->value * y->rate);
    row.gamma = real_fma(real_set(2.0) * row.phi_dot, shrink, -real_fma(by_y, y->rest, by_x * x->rest));
    return row;
}

/* Which cosines an angle is made of: y = p_(y_parent)·c_(y_child), x likewise. */
typedef struct sarrus_angle_axes {
    int32_t y_parent, y_child, x_parent, x_child;
} sarrus_angle_axes;

LANE_FUNCTION sarrus_angle_axes sarrus_angle_axes_of(int32_t form) {
    sarrus_angle_axes of;
    if (form >= SARRUS_FREEDOM_SECOND_1) { /* about c_j: y = p_i·c_k, x = p_i·c_i */
        const int32_t j = form - SARRUS_FREEDOM_SECOND_1 + 1, k = sarrus_axis_after(j), i = sarrus_axis_after(k);
        of.y_parent = of.x_parent = of.x_child = i;
        of.y_child = k;
    } else if (form >= SARRUS_FREEDOM_FIRST_1) { /* about p_i: y = p_k·c_j, x = p_j·c_j */
        const int32_t i = form - SARRUS_FREEDOM_FIRST_1 + 1, j = sarrus_axis_after(i), k = sarrus_axis_after(j);
        of.y_parent = k;
        of.x_parent = of.x_child = of.y_child = j;
    } else { /* about p_k: y = p_j·c_i, x = p_i·c_i */
        const int32_t k = form - SARRUS_FREEDOM_TURN_1 + 1, i = sarrus_axis_after(k), j = sarrus_axis_after(i);
        of.y_parent = j;
        of.x_parent = of.x_child = of.y_child = i;
    }
    return of;
}

LANE_FUNCTION int sarrus_freedom_is_shift(int32_t form) {
    return form >= SARRUS_FREEDOM_SHIFT_1 && form <= SARRUS_FREEDOM_SHIFT_3;
}
/* An angle that is found up to whole turns. */
LANE_FUNCTION int sarrus_freedom_is_turn(int32_t form) {
    return form >= SARRUS_FREEDOM_TURN_1 && form <= SARRUS_FREEDOM_SECOND_3;
}
/* A form with a row; those of rotation vectors have none. */
LANE_FUNCTION int sarrus_freedom_has_row(int32_t form) {
    return form >= SARRUS_FREEDOM_SHIFT_1 && form <= SARRUS_FREEDOM_SCREW;
}

/* The angle of a joint, −π … π. */
LANE_FUNCTION sarrus_row_value sarrus_row_turn(const sarrus_joint_here *at, int32_t form) {
    const sarrus_angle_axes of = sarrus_angle_axes_of(form);
    const sarrus_cosine y = sarrus_cosine_of(at, of.y_parent, of.y_child), x = sarrus_cosine_of(at, of.x_parent, of.x_child);
    return sarrus_row_angle_of(at, &y, &x);
}

LANE_FUNCTION void sarrus_row_scale(real s, sarrus_row_value *row) {
    row->e = sarrus_vector_scale(s, row->e);
    row->turn_parent = sarrus_vector_scale(s, row->turn_parent);
    row->turn_child = sarrus_vector_scale(s, row->turn_child);
    row->phi = s * row->phi;
    row->phi_dot = s * row->phi_dot;
    row->gamma = s * row->gamma;
}

/* The displacement of a screw as an angle: (p₃·d − zero)/pitch. */
LANE_FUNCTION sarrus_row_value sarrus_row_lead(const sarrus_joint_here *at) {
    sarrus_row_value row = sarrus_row_along(at, sarrus_parent_axis(at, 3));
    row.phi = row.phi - lane_at(at->p, SARRUS_SJ_LENGTH);
    sarrus_row_scale(real_set(1.0) / lane_at(at->p, SARRUS_SJ_PITCH), &row);
    return row;
}

/* Φ = p₃·d − zero − pitch·angle, the angle of the turn that is nearest. */
LANE_FUNCTION sarrus_row_value sarrus_row_helix(const sarrus_joint_here *at) {
    sarrus_row_value row = sarrus_row_lead(at);
    const sarrus_row_value turn = sarrus_row_turn(at, SARRUS_FREEDOM_TURN_3);
    const real minus = real_set(-1.0);
    row.phi = real_less_turns(row.phi - turn.phi);
    row.phi_dot = row.phi_dot - turn.phi_dot;
    row.gamma = row.gamma - turn.gamma;
    row.turn_parent = space_add(row.turn_parent, minus, turn.turn_parent);
    row.turn_child = space_add(row.turn_child, minus, turn.turn_child);
    sarrus_row_scale(lane_at(at->p, SARRUS_SJ_PITCH), &row);
    return row;
}

/* The angle of a screw, of the turn that its displacement tells. A load along it is a torque: what it does along the axis goes
 * through the thread. */
LANE_FUNCTION sarrus_row_value sarrus_row_screw(const sarrus_joint_here *at) {
    sarrus_row_value row = sarrus_row_turn(at, SARRUS_FREEDOM_TURN_3);
    const real by_lead = sarrus_row_lead(at).phi;
    row.phi = by_lead - real_less_turns(by_lead - row.phi);
    return row;
}

/* The row of a free coordinate that has one; `f` are its parameters. Angles are those between −π and π. */
LANE_FUNCTION sarrus_row_value sarrus_row_of_freedom(const sarrus_joint_here *at, int32_t form, const real *f) {
    if (form == SARRUS_FREEDOM_SCREW)
        return sarrus_row_screw(at);
    if (sarrus_freedom_is_turn(form))
        return sarrus_row_turn(at, form);
    sarrus_row_value row = sarrus_row_along(at, sarrus_parent_axis(at, form - SARRUS_FREEDOM_SHIFT_1 + 1));
    row.phi = row.phi - lane_at(f, SARRUS_SQ_ZERO);
    return row;
}

/* The rotation vector θ from the joint's axes in the parent to those in the child, in the parent's: |θ| ≤ π, of cos φ = ½(tr R − 1)
 * and sin φ u = ½(R₃₂ − R₂₃, R₁₃ − R₃₁, R₂₁ − R₁₂), R_ij = p_i·c_j. */
LANE_FUNCTION space_vector sarrus_rotation_vector(const sarrus_joint_here *at) {
    const space_vector p1 = sarrus_parent_axis(at, 1), p2 = sarrus_parent_axis(at, 2), p3 = sarrus_parent_axis(at, 3);
    const space_vector c1 = sarrus_child_axis(at, 1), c2 = sarrus_child_axis(at, 2), c3 = sarrus_child_axis(at, 3);
    const real half = real_set(0.5);
    space_vector u;
    u.x = half * (space_dot(p3, c2) - space_dot(p2, c3));
    u.y = half * (space_dot(p1, c3) - space_dot(p3, c1));
    u.z = half * (space_dot(p2, c1) - space_dot(p1, c2));
    const real cosine = half * (space_dot(p1, c1) + space_dot(p2, c2) + space_dot(p3, c3) - real_set(1.0));
    const real sine = real_sqrt(space_dot(u, u));
    const real scale =
        real_select(real_eq(sine, real_set(0.0)), real_set(1.0), real_atan2(sine, cosine) * real_inverse_or_zero(sine));
    return sarrus_vector_scale(scale, u);
}

/* What of Φ̇ in a row with these parts is ground's, which moves with the velocity `shift` and turns with `turn`: its part of J
 * times that. The axis that it turns about is the same in its frame as in the inertial one. */
LANE_FUNCTION real sarrus_row_of_ground(const sarrus_mech_row *row, const sarrus_row_value *parts, space_vector shift,
                                        space_vector turn) {
    const real along = row->kind == SARRUS_ROW_ANGLE ? real_set(0.0) : space_dot(parts->e, shift);
    real sum = real_set(0.0);
    if (row->parent < 0)
        sum = space_dot(parts->turn_parent, turn) - along;
    if (row->child < 0)
        sum = sum + space_dot(parts->turn_child, turn) + along;
    return sum;
}

/* e of a row whose parts stand in the workspace: of constant ones it need not stand there. */
LANE_FUNCTION space_vector sarrus_row_direction(const sarrus_mechanism *mech, const sarrus_workspace *ws, int32_t i) {
    const int32_t kind = mech->row[i].kind;
    space_vector e = sarrus_no_vector();
    if (kind == SARRUS_ROW_GENERAL)
        return sarrus_frame_vector(ws->direction, 3 * i);
    e.x = real_set(kind == SARRUS_ROW_X ? 1.0 : 0.0);
    e.y = real_set(kind == SARRUS_ROW_Y ? 1.0 : 0.0);
    e.z = real_set(kind == SARRUS_ROW_Z ? 1.0 : 0.0);
    return e;
}

/* γ less what the acceleration of ground has of Φ̈. */
LANE_FUNCTION void sarrus_row_drag(const sarrus_mechanism *mech, const sarrus_workspace *ws, int32_t i, sarrus_row_value *row) {
    const space_vector shift = sarrus_frame_vector(ws->ground, SARRUS_SPATIAL_GROUND_ACCELERATIONS);
    const space_vector turn = sarrus_frame_vector(ws->ground, SARRUS_SPATIAL_GROUND_ACCELERATIONS + 3);
    row->gamma = row->gamma - sarrus_row_of_ground(&mech->row[i], row, shift, turn);
}

/* Row i, which is of the kind of `like`. The sides on ground have no turning part, unless it moves, and constant directions stand
 * there for good. */
LANE_FUNCTION void sarrus_row_store(const sarrus_mech_row *like, sarrus_workspace *ws, int32_t i, const sarrus_row_value *row,
                                    int wanted) {
    if (!(wanted & SARRUS_HAVE_PARTS)) {
        if (like->parent >= 0 || sarrus_ground_moves(ws))
            sarrus_frame_vector_put(row->turn_parent, ws->turn, 6 * i);
        if (like->child >= 0 || sarrus_ground_moves(ws))
            sarrus_frame_vector_put(row->turn_child, ws->turn, 6 * i + 3);
        if (like->kind == SARRUS_ROW_GENERAL)
            sarrus_frame_vector_put(row->e, ws->direction, 3 * i);
    }
    frame_at(ws->phi, i) = row->phi;
    frame_at(ws->phi_dot, i) = row->phi_dot;
    frame_at(ws->gamma, i) = row->gamma;
}

#endif

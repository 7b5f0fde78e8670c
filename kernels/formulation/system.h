/* The equations of a state in absolute coordinates, written out in full:  M a + Jᵀλ = F,  J a = γ. M is that of the masses, without
 * what bodies may lack (semi_definite.h); F has the weights and the gyroscopic torques; γ has Baumgarte's terms. */
#ifndef SARRUS_FORMULATION_SYSTEM_H
#define SARRUS_FORMULATION_SYSTEM_H

#include "kernels/body/baumgarte.h"
#include "kernels/formulation/evaluation.h"
#include "kernels/formulation/gram.h"

typedef struct sarrus_system_arrays {
    real *mass;     /* [n][n] kg | kg m² */
    real *force;    /* [n]    N | N m */
    real *jacobian; /* [m][n] 1 | m */
    real *gamma;    /* [m]    m/s² | rad/s² */
    real *unit;     /* [n]    scratch */
} sarrus_system_arrays;

/* Lane arrays of all of them. */
LANE_FUNCTION size_t sarrus_system_size(const sarrus_mechanism *mech) {
    const size_t n = (size_t)mech->n_v, m = (size_t)mech->m;
    return n * n + n + m * n + m + n;
}
LANE_FUNCTION sarrus_system_arrays sarrus_system_cut(const sarrus_mechanism *mech, real *block) {
    const int32_t n = mech->n_v, m = mech->m;
    sarrus_system_arrays out;
    out.mass = block;
    out.force = lane_from(block, n * n);
    out.jacobian = lane_from(out.force, n);
    out.gamma = lane_from(out.jacobian, m * n);
    out.unit = lane_from(out.gamma, m);
    return out;
}

#if defined(SARRUS_KERNELS_SPATIAL)

/* The block of I in M, and F of one body: weight m g, torque less ω × (I ω + h). */
LANE_BODY void sarrus_system_body(const sarrus_mechanism *mech, const real *p, int32_t body, const real *parameter, const real *v,
                                  const sarrus_system_arrays *out) {
    static const int32_t place[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
    const int32_t n = mech->n_v, at = space_v(body), turn = at + SPACE_TURN;
    const space_vector omega = sarrus_frame_vector(v, turn), rotor = sarrus_parameter_vector(p, SARRUS_SB_ROTOR);
    const space_vector gyration = space_cross(omega, space_add(sarrus_inertia_times(p, omega), real_set(1.0), rotor));
    const real mass = lane_at(p, SARRUS_SB_MASS);
    for (int32_t k = 0; k < SPACE_TURN; ++k) {
        lane_at(out->mass, (at + k) * n + at + k) = mass;
        lane_at(out->force, at + k) = real_fma(mass, lane_at(parameter, mech->p_gravity + k), lane_at(out->force, at + k));
    }
    for (int32_t i = 0; i < 3; ++i) {
        for (int32_t k = 0; k < 3; ++k)
            lane_at(out->mass, (turn + i) * n + turn + k) = lane_at(p, SARRUS_SB_INERTIA + place[i][k]);
    }
    lane_at(out->force, turn) = lane_at(out->force, turn) - gyration.x;
    lane_at(out->force, turn + 1) = lane_at(out->force, turn + 1) - gyration.y;
    lane_at(out->force, turn + 2) = lane_at(out->force, turn + 2) - gyration.z;
}

#else

/* I in M, and F of one body: weight m g. */
LANE_BODY void sarrus_system_body(const sarrus_mechanism *mech, const real *p, int32_t body, const real *parameter, const real *v,
                                  const sarrus_system_arrays *out) {
    const int32_t n = mech->n_v, at = space_v(body), turn = at + SPACE_TURN;
    const real mass = lane_at(p, SARRUS_PB_MASS);
    (void)v;
    for (int32_t k = 0; k < SPACE_TURN; ++k) {
        lane_at(out->mass, (at + k) * n + at + k) = mass;
        lane_at(out->force, at + k) = real_fma(mass, lane_at(parameter, mech->p_gravity + k), lane_at(out->force, at + k));
    }
    lane_at(out->mass, turn * n + turn) = lane_at(p, SARRUS_PB_INERTIA);
}

#endif

/* The entries of row i over the speeds of `body`, which the row or a part of it may see. */
LANE_BODY void sarrus_system_side(const sarrus_evaluation *ev, int32_t i, int32_t body, const sarrus_system_arrays *out) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    if (body < 0)
        return;
    for (int32_t k = space_v(body); k < space_v(body) + SPACE_NV; ++k) {
        lane_at(out->unit, k) = real_set(1.0);
        lane_at(out->jacobian, i * mech->n_v + k) = sarrus_whole_row_times(mech, ev->ws, i, out->unit);
        lane_at(out->unit, k) = real_set(0.0);
    }
}

/* Everything at (q, v), whose rotations and signals are there. The forces of the workspace stay what they were, its rows become
 * those of the state. */
LANE_BODY void sarrus_system_fill(const sarrus_evaluation *ev, const real *q, const real *v, const sarrus_system_arrays *out) {
    const sarrus_mechanism *mech = sarrus_plan_of(ev);
    sarrus_workspace *ws = ev->ws;
    const int32_t n = mech->n_v;
    for (int32_t i = 0; i < n; ++i)
        lane_at(out->unit, i) = frame_at(ws->force, i);
    (void)sarrus_bodies_load(mech, ev->parameter, ev->input, q, v, ws);
    for (int32_t i = 0; i < n; ++i) {
        lane_at(out->force, i) = frame_at(ws->force, i);
        frame_at(ws->force, i) = lane_at(out->unit, i);
        lane_at(out->unit, i) = real_set(0.0);
    }
    for (int32_t i = 0; i < n * n; ++i)
        lane_at(out->mass, i) = real_set(0.0);
    for (int32_t b = 0; b < mech->n_bodies; ++b)
        sarrus_system_body(mech, sarrus_body_parameters(mech, ev->parameter, b), b, ev->parameter, v, out);
    sarrus_state_rows(mech, ev->parameter, q, v, ws, SARRUS_WANT_ERRORS | SARRUS_WANT_GAMMA);
    if (mech->has_baumgarte)
        sarrus_baumgarte(mech, ev->alpha, ev->beta, ev->held, ws);
    for (int32_t i = 0; i < mech->m * n; ++i)
        lane_at(out->jacobian, i) = real_set(0.0);
    for (int32_t i = 0; i < mech->m; ++i) {
        const int32_t part = sarrus_row_part(mech, i);
        lane_at(out->gamma, i) = frame_at(ws->gamma, i);
        sarrus_system_side(ev, i, mech->row[i].parent, out);
        sarrus_system_side(ev, i, mech->row[i].child, out);
        if (part >= 0) {
            sarrus_system_side(ev, i, mech->row[part].parent, out);
            sarrus_system_side(ev, i, mech->row[part].child, out);
        }
    }
}

#endif

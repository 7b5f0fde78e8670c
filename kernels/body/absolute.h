/* The state of a mechanism in absolute coordinates: those of every body, side by side. What steps and formulations ask of a state
 * (body/state.h) is asked of its bodies one by one. Shapes: q [n_q], v and a [n_v], of tiles or of evaluations as named. */
#ifndef SARRUS_BODY_ABSOLUTE_H
#define SARRUS_BODY_ABSOLUTE_H

#include "kernels/body/mechanics.h"

/* Poses of the bodies at q, for all that follows. */
PLAN_BODY void sarrus_state_pose(const sarrus_mechanism *mech, const real *parameter, const real *q, sarrus_workspace *ws) {
    (void)parameter;
    sarrus_rotations(mech, q, ws);
}

/* The part of it that an acceleration asks for: all. */
LANE_FUNCTION void sarrus_state_prepare(const sarrus_mechanism *mech, const real *parameter, const real *q, sarrus_workspace *ws) {
    sarrus_state_pose(mech, parameter, q, ws);
}

/* Rows at (q, v); the poses and signals are there already. */
PLAN_BODY void sarrus_state_rows(const sarrus_mechanism *mech, const real *parameter, const real *q, const real *v,
                                 sarrus_workspace *ws, int wanted) {
    sarrus_rows(mech, parameter, q, v, ws, wanted);
}

/* ‖Φ‖². */
LANE_FUNCTION real sarrus_state_violation_squared(const sarrus_mechanism *mech, const real *parameter, sarrus_workspace *ws,
                                                  const real *q, const real *v) {
    return sarrus_violation_squared(mech, parameter, ws, q, v);
}

/* ws->force ← a_f; returns the power of dampers and loads. Before the rows, which reuse what elastic joints write. */
PLAN_BODY real sarrus_state_free_acceleration(const sarrus_mechanism *mech, const real *parameter, const real *input, const real *q,
                                              const real *v, sarrus_workspace *ws) {
    return sarrus_free_acceleration(mech, parameter, input, q, v, ws);
}

/* T and V at the poses of the workspace. */
LANE_FUNCTION real sarrus_state_kinetic(const sarrus_mechanism *mech, const real *parameter, sarrus_workspace *ws, const real *q,
                                        const real *v) {
    (void)q;
    (void)ws;
    return sarrus_kinetic_energy(mech, parameter, v);
}
LANE_FUNCTION real sarrus_state_potential(const sarrus_mechanism *mech, const real *parameter, sarrus_workspace *ws, const real *q,
                                          const real *v) {
    return sarrus_potential_energy(mech, parameter, ws, q, v);
}

/* vᵀM(a − a_f), with a_f in ws->force. */
LANE_FUNCTION real sarrus_state_power_beyond(const sarrus_mechanism *mech, const real *parameter, sarrus_workspace *ws,
                                             const real *v, const real *a) {
    return sarrus_power_beyond(mech, parameter, v, a, ws->force);
}

/* (x − less)ᵀM(x − less) and vᵀM(v − before) of arrays of an evaluation. */
LANE_FUNCTION real sarrus_state_square_here(const sarrus_mechanism *mech, const real *parameter, sarrus_workspace *ws,
                                            const real *x, const real *less) {
    (void)ws;
    return sarrus_square_of_difference(mech, parameter, x, less);
}
LANE_FUNCTION real sarrus_state_gain_here(const sarrus_mechanism *mech, const real *parameter, sarrus_workspace *ws, const real *v,
                                          const real *before) {
    (void)ws;
    return sarrus_gain_of_energy(mech, parameter, v, before);
}

/* M_ii. */
LANE_FUNCTION real sarrus_state_inertia_at(const sarrus_mechanism *mech, const real *parameter, const sarrus_workspace *ws,
                                           int32_t i) {
    (void)ws;
    return sarrus_inertia_at(mech, parameter, i);
}

/* out [n_v] ← M^{1/2} x, x an array of an evaluation and `out` of lanes; and M^{-1/2} z, z of lanes and `out` of an evaluation. */
LANE_BODY void sarrus_state_weigh(const sarrus_mechanism *mech, const real *parameter, const sarrus_workspace *ws, const real *x,
                                  real *out) {
    (void)ws;
    for (int32_t b = 0; b < mech->n_bodies; ++b) {
        real y[SPACE_NV];
        sarrus_body_weight(mech, parameter, b, x, y);
        for (int32_t k = 0; k < SPACE_NV; ++k)
            lane_at(out, space_v(b) + k) = y[k];
    }
}
LANE_BODY void sarrus_state_unweigh(const sarrus_mechanism *mech, const real *parameter, const sarrus_workspace *ws, const real *z,
                                    real *out) {
    (void)ws;
    for (int32_t b = 0; b < mech->n_bodies; ++b) {
        real x[SPACE_NV];
        sarrus_body_unweight(mech, parameter, b, z, x);
        for (int32_t k = 0; k < SPACE_NV; ++k)
            frame_at(out, space_v(b) + k) = x[k];
    }
}

/* seen [n_free + n_curves] follows the angles of joints and the feet on curves at the state, in the lanes of `on`. */
LANE_BODY void sarrus_state_see_turns(const sarrus_mechanism *mech, const real *parameter, sarrus_workspace *ws, const real *q,
                                      const real *v, mask on, real *seen) {
#if FRAME_STRIDE != LANE_STRIDE
    real q_here[SARRUS_PLAN_N_COORDINATES], v_here[SARRUS_PLAN_N_SPEEDS]; /* joints look at arrays of an evaluation */
    sarrus_frame_take(q, mech->n_q, q_here);
    sarrus_frame_take(v, mech->n_v, v_here);
    sarrus_turns_see(mech, parameter, ws, q_here, v_here, on, seen);
#else
    sarrus_turns_see(mech, parameter, ws, q, v, on, seen);
#endif
}

/* sarrus_slips_squared at a state whose poses are in the workspace. */
LANE_FUNCTION real sarrus_state_slips_squared(const sarrus_mechanism *mech, const real *parameter, sarrus_workspace *ws,
                                              const real *q, const real *v) {
    return sarrus_slips_squared(mech, parameter, ws, q, v);
}

/* sarrus_feet_time at a state of the tile; nobody else's poses are left in the workspace. */
LANE_BODY real sarrus_state_feet_time(const sarrus_mechanism *mech, const real *parameter, sarrus_workspace *ws, const real *q,
                                      const real *v) {
#if FRAME_STRIDE == LANE_STRIDE
    sarrus_rotations(mech, q, ws);
    return sarrus_feet_time(mech, parameter, ws, q, v);
#else
    (void)mech, (void)parameter, (void)ws, (void)q, (void)v; /* there are no constraints on a device */
    return real_set(1e300);
#endif
}

/* q̇ [n_q] at (q, v), in `out` where speeds are not the rates; and the inverse, speeds [n_v] of rates dq. */
LANE_FUNCTION const real *sarrus_state_rates(const sarrus_mechanism *mech, const real *q, const real *v, real *out) {
    return space_rates(mech->n_bodies, q, v, out);
}
LANE_FUNCTION const real *sarrus_state_speeds(const sarrus_mechanism *mech, const real *q, const real *dq, real *out) {
    return space_speeds(mech->n_bodies, q, dq, out);
}

/* out [n_q] ← q̈ at (q, v) with the accelerations a. */
LANE_FUNCTION void sarrus_state_second_rates(const sarrus_mechanism *mech, const real *q, const real *v, const real *a, real *out) {
    for (int32_t b = 0; b < mech->n_bodies; ++b)
        space_second_rates(lane_from(q, space_q(b)), lane_from(v, space_v(b)), lane_from(a, space_v(b)),
                           lane_from(out, space_q(b)));
}

/* space_turn_spread2 of the fastest. */
LANE_FUNCTION real sarrus_state_turn_spread2(const sarrus_mechanism *mech, real h, const real *v) {
    return space_turn_spread2(mech->n_bodies, h, v);
}

/* Brings coordinates back to what they must be whatever the motion. */
LANE_FUNCTION void sarrus_state_settle(const sarrus_mechanism *mech, real *q) {
    space_settle(mech->n_bodies, q);
}

/* q ← q ⊞ scale·d in the lanes of `on`. */
PLAN_BODY void sarrus_state_move(const sarrus_mechanism *mech, real scale, const real *d, mask on, real *q) {
    PLAN_EACH (b, 0, mech->n_bodies)
        space_advance(scale, lane_from(d, space_v(b)), on, lane_from(q, space_q(b)));
}

/* Whether speed i turns something. */
LANE_FUNCTION int sarrus_state_is_turn(const sarrus_mechanism *mech, int32_t i) {
    (void)mech;
    return space_is_turn(i);
}

/* The largest length and angle, or number of an orientation, in q, if larger than what is there. */
LANE_FUNCTION void sarrus_state_extent(const sarrus_mechanism *mech, const real *parameter, const sarrus_workspace *ws,
                                       const real *q, real *length, real *angle) {
    (void)parameter;
    (void)ws;
    for (int32_t b = 0; b < mech->n_bodies; ++b) {
        for (int32_t k = 0; k < SPACE_TURN; ++k)
            *length = real_max(real_abs(lane_at(q, space_q(b) + k)), *length);
        for (int32_t k = SPACE_TURN; k < SPACE_NQ; ++k)
            *angle = real_max(real_abs(lane_at(q, space_q(b) + k)), *angle);
    }
}

/* What round-off of Φ is measured by: the largest coordinate, 1 at least, of an array whose numbers are `stride` apart; and the
 * rows that have it. */
LANE_FUNCTION real sarrus_state_scale(const sarrus_mechanism *mech, const real *parameter, const real *q, size_t stride) {
    real scale = real_set(1.0);
    (void)parameter;
    PLAN_EACH (i, 0, mech->n_q)
        scale = real_max(real_abs(q[(size_t)i * stride]), scale);
    return scale;
}
LANE_FUNCTION int32_t sarrus_state_n_rows(const sarrus_mechanism *mech) {
    return mech->m;
}

/* The fastest of what a joint does at the state (kinematics.h); of arrays of the tile. */
LANE_FUNCTION real sarrus_state_joint_speed(const sarrus_mechanism *mech, const sarrus_workspace *ws,
                                            const sarrus_mech_joint *joint, real_scalar unit, const real *q, const real *v) {
    (void)mech;
    return sarrus_joint_speed(ws, joint, unit, q, v);
}

#endif

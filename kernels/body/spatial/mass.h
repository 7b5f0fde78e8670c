/* What the mass of a body in space does to its six numbers: M = diag(m, m, m, I) with I = L Lᵀ in the body's frame. The metric is
 * M, or M + E where bodies may lack mass or inertia (kernels/formulation/semi_definite.h): 1/m, I⁻¹ and L are those of the
 * metric. */
#ifndef SARRUS_BODY_SPATIAL_MASS_H
#define SARRUS_BODY_SPATIAL_MASS_H

#include "kernels/body/spatial/kinematics.h"

LANE_FUNCTION const real *sarrus_body_parameters(const sarrus_mechanism *mech, const real *parameter, int32_t body) {
    return lane_from(parameter, mech->p_body + SARRUS_SB_N * body);
}

/* B s of a symmetric matrix that is given as xx, yy, zz, xy, xz, yz. */
LANE_FUNCTION space_vector sarrus_symmetric_times(const real *b, space_vector s) {
    const real xy = lane_at(b, 3), xz = lane_at(b, 4), yz = lane_at(b, 5);
    space_vector out;
    out.x = real_fma(lane_at(b, 0), s.x, real_fma(xy, s.y, xz * s.z));
    out.y = real_fma(xy, s.x, real_fma(lane_at(b, 1), s.y, yz * s.z));
    out.z = real_fma(xz, s.x, real_fma(yz, s.y, lane_at(b, 2) * s.z));
    return out;
}
/* I ω and I⁻¹ t, from the parameters of the body. */
LANE_FUNCTION space_vector sarrus_inertia_times(const real *p, space_vector s) {
    return sarrus_symmetric_times(lane_from(p, SARRUS_SB_INERTIA), s);
}
LANE_FUNCTION space_vector sarrus_inertia_solve(const real *p, space_vector s) {
    return sarrus_symmetric_times(lane_from(p, SARRUS_SB_IINV), s);
}

/* L⁻¹ s, L⁻ᵀ s and Lᵀ s. */
LANE_FUNCTION space_vector sarrus_root_solve(const real *p, space_vector s) {
    const real *l = lane_from(p, SARRUS_SB_ROOT);
    space_vector out;
    out.x = s.x / lane_at(l, 0);
    out.y = real_fnma(lane_at(l, 3), out.x, s.y) / lane_at(l, 1);
    out.z = real_fnma(lane_at(l, 5), out.y, real_fnma(lane_at(l, 4), out.x, s.z)) / lane_at(l, 2);
    return out;
}
LANE_FUNCTION space_vector sarrus_root_solve_back(const real *p, space_vector s) {
    const real *l = lane_from(p, SARRUS_SB_ROOT);
    space_vector out;
    out.z = s.z / lane_at(l, 2);
    out.y = real_fnma(lane_at(l, 5), out.z, s.y) / lane_at(l, 1);
    out.x = real_fnma(lane_at(l, 3), out.y, real_fnma(lane_at(l, 4), out.z, s.x)) / lane_at(l, 0);
    return out;
}
LANE_FUNCTION space_vector sarrus_root_times_back(const real *p, space_vector s) {
    const real *l = lane_from(p, SARRUS_SB_ROOT);
    space_vector out;
    out.x = real_fma(lane_at(l, 0), s.x, real_fma(lane_at(l, 3), s.y, lane_at(l, 4) * s.z));
    out.y = real_fma(lane_at(l, 1), s.y, lane_at(l, 5) * s.z);
    out.z = lane_at(l, 2) * s.z;
    return out;
}

/* m of the metric. */
LANE_FUNCTION real sarrus_metric_mass(const sarrus_mechanism *mech, const real *p) {
    return mech->n_lacking > 0 ? real_set(1.0) / lane_at(p, SARRUS_SB_MINV) : lane_at(p, SARRUS_SB_MASS);
}

/* out [SPACE_NV] ← x − (M + E)⁻¹ M x of a body, x [SPACE_NV]. */
LANE_FUNCTION void sarrus_body_lack(const real *p, const real *x, real *out) {
    const real shift = real_fnma(lane_at(p, SARRUS_SB_MINV), lane_at(p, SARRUS_SB_MASS), real_set(1.0));
    const space_vector turn = {x[3], x[4], x[5]};
    const space_vector kept = sarrus_inertia_solve(p, sarrus_inertia_times(p, turn));
    for (int32_t k = 0; k < SPACE_TURN; ++k)
        out[k] = shift * x[k];
    out[3] = turn.x - kept.x;
    out[4] = turn.y - kept.y;
    out[5] = turn.z - kept.z;
}

/* out [SPACE_NV] ← the root of the metric times x, and its inverse times z, of a body, with L for the root of I; x an array of an
 * evaluation, z of lanes. */
LANE_FUNCTION void sarrus_body_weight(const sarrus_mechanism *mech, const real *parameter, int32_t body, const real *x, real *out) {
    const real *p = sarrus_body_parameters(mech, parameter, body), root_m = real_sqrt(sarrus_metric_mass(mech, p));
    const space_vector turn = sarrus_root_times_back(p, sarrus_frame_vector(x, space_v(body) + SPACE_TURN));
    for (int32_t k = 0; k < SPACE_TURN; ++k)
        out[k] = root_m * frame_at(x, space_v(body) + k);
    out[3] = turn.x;
    out[4] = turn.y;
    out[5] = turn.z;
}
LANE_FUNCTION void sarrus_body_unweight(const sarrus_mechanism *mech, const real *parameter, int32_t body, const real *z,
                                        real *out) {
    const real *p = sarrus_body_parameters(mech, parameter, body), root_m = real_sqrt(lane_at(p, SARRUS_SB_MINV));
    const space_vector turn = sarrus_root_solve_back(p, space_vector_at(lane_from(z, space_v(body) + SPACE_TURN)));
    for (int32_t k = 0; k < SPACE_TURN; ++k)
        out[k] = root_m * lane_at(z, space_v(body) + k);
    out[3] = turn.x;
    out[4] = turn.y;
    out[5] = turn.z;
}

/* sum + xᵀ M y of one body, x and y [SPACE_NV]. */
LANE_FUNCTION real sarrus_body_inner(const real *p, const real *x, const real *y, real sum) {
    const space_vector x_turn = {x[3], x[4], x[5]}, y_turn = {y[3], y[4], y[5]};
    const real along = real_fma(x[0], y[0], real_fma(x[1], y[1], x[2] * y[2]));
    return real_fma(lane_at(p, SARRUS_SB_MASS), along, sum) + space_dot(x_turn, sarrus_inertia_times(p, y_turn));
}

/* The same in the metric. */
LANE_FUNCTION real sarrus_metric_inner(const sarrus_mechanism *mech, const real *p, const real *x, const real *y, real sum) {
    if (mech->n_lacking == 0)
        return sarrus_body_inner(p, x, y, sum);
    const space_vector x_turn = {x[3], x[4], x[5]}, y_turn = {y[3], y[4], y[5]};
    const real along = real_fma(x[0], y[0], real_fma(x[1], y[1], x[2] * y[2]));
    return real_fma(sarrus_metric_mass(mech, p), along, sum) +
           space_dot(sarrus_root_times_back(p, x_turn), sarrus_root_times_back(p, y_turn));
}

/* ½ vᵀMv. */
PLAN_BODY real sarrus_kinetic_energy(const sarrus_mechanism *mech, const real *parameter, const real *v) {
    real sum = real_set(0.0);
    PLAN_EACH (b, 0, mech->n_bodies) {
        real x[SPACE_NV];
        for (int32_t k = 0; k < SPACE_NV; ++k)
            x[k] = frame_at(v, space_v(b) + k);
        sum = sarrus_body_inner(sarrus_body_parameters(mech, parameter, b), x, x, sum);
    }
    return real_set(0.5) * sum;
}

/* vᵀM(a − a_f) in the metric, the power of the constraint forces. */
PLAN_BODY real sarrus_power_beyond(const sarrus_mechanism *mech, const real *parameter, const real *v, const real *a,
                                   const real *a_free) {
    real power = real_set(0.0);
    PLAN_EACH (b, 0, mech->n_bodies) {
        real x[SPACE_NV], y[SPACE_NV];
        for (int32_t k = 0; k < SPACE_NV; ++k) {
            x[k] = frame_at(v, space_v(b) + k);
            y[k] = frame_at(a, space_v(b) + k) - frame_at(a_free, space_v(b) + k);
        }
        power = sarrus_metric_inner(mech, sarrus_body_parameters(mech, parameter, b), x, y, power);
    }
    return power;
}

/* (x − less)ᵀ M (x − less) and vᵀ M (v − before) of arrays of the tile or the workspace. */
LANE_FUNCTION real sarrus_square_of_difference(const sarrus_mechanism *mech, const real *parameter, const real *x,
                                               const real *less) {
    real sum = real_set(0.0);
    PLAN_EACH (b, 0, mech->n_bodies) {
        real d[SPACE_NV];
        for (int32_t k = 0; k < SPACE_NV; ++k)
            d[k] = frame_at(x, space_v(b) + k) - frame_at(less, space_v(b) + k);
        sum = sarrus_body_inner(sarrus_body_parameters(mech, parameter, b), d, d, sum);
    }
    return sum;
}
LANE_FUNCTION real sarrus_gain_of_energy(const sarrus_mechanism *mech, const real *parameter, const real *v, const real *before) {
    real sum = real_set(0.0);
    PLAN_EACH (b, 0, mech->n_bodies) {
        real x[SPACE_NV], d[SPACE_NV];
        for (int32_t k = 0; k < SPACE_NV; ++k) {
            x[k] = frame_at(v, space_v(b) + k);
            d[k] = x[k] - frame_at(before, space_v(b) + k);
        }
        sum = sarrus_body_inner(sarrus_body_parameters(mech, parameter, b), x, d, sum);
    }
    return sum;
}

/* kg | kg m², what moves with speed i, in the metric. */
LANE_FUNCTION real sarrus_inertia_at(const sarrus_mechanism *mech, const real *parameter, int32_t i) {
    const real *p = sarrus_body_parameters(mech, parameter, space_body_of(i));
    const int32_t k = i % SPACE_NV - SPACE_TURN;
    if (mech->n_lacking == 0)
        return lane_at(p, space_is_turn(i) ? SARRUS_SB_INERTIA + k : SARRUS_SB_MASS);
    if (!space_is_turn(i))
        return sarrus_metric_mass(mech, p);
    const real zero = real_set(0.0), one = real_set(1.0);
    const space_vector axis = {k == 0 ? one : zero, k == 1 ? one : zero, k == 2 ? one : zero};
    const space_vector column = sarrus_root_times_back(p, axis);
    return space_dot(column, column);
}

#endif

/* What the mass of a body in the plane does to its three numbers: M = diag(m, m, I). The metric is M, or M + E where bodies may
 * lack mass or inertia (kernels/formulation/semi_definite.h). */
#ifndef SARRUS_BODY_MASS_H
#define SARRUS_BODY_MASS_H

#include "kernels/body/plan_runs.h"

LANE_FUNCTION const real *sarrus_body_parameters(const sarrus_mechanism *mech, const real *parameter, int32_t body) {
    return lane_from(parameter, mech->p_body + SARRUS_PB_N * body);
}

/* m and I of the metric. */
LANE_FUNCTION real sarrus_metric_mass(const sarrus_mechanism *mech, const real *p) {
    return mech->n_lacking > 0 ? real_set(1.0) / lane_at(p, SARRUS_PB_MINV) : lane_at(p, SARRUS_PB_MASS);
}
LANE_FUNCTION real sarrus_metric_inertia(const sarrus_mechanism *mech, const real *p) {
    return mech->n_lacking > 0 ? real_set(1.0) / lane_at(p, SARRUS_PB_IINV) : lane_at(p, SARRUS_PB_INERTIA);
}

/* out [SPACE_NV] ← x − (M + E)⁻¹ M x of a body, x [SPACE_NV]. */
LANE_FUNCTION void sarrus_body_lack(const real *p, const real *x, real *out) {
    const real shift = real_fnma(lane_at(p, SARRUS_PB_MINV), lane_at(p, SARRUS_PB_MASS), real_set(1.0));
    const real turn = real_fnma(lane_at(p, SARRUS_PB_IINV), lane_at(p, SARRUS_PB_INERTIA), real_set(1.0));
    for (int32_t k = 0; k < SPACE_NV; ++k)
        out[k] = (k < SPACE_TURN ? shift : turn) * x[k];
}

/* out [SPACE_NV] ← the root of the metric times x, and its inverse times z, of a body; x an array of an evaluation, z of lanes. */
LANE_FUNCTION void sarrus_body_weight(const sarrus_mechanism *mech, const real *parameter, int32_t body, const real *x, real *out) {
    const real *p = sarrus_body_parameters(mech, parameter, body);
    const real root_m = real_sqrt(sarrus_metric_mass(mech, p)), root_i = real_sqrt(sarrus_metric_inertia(mech, p));
    for (int32_t k = 0; k < SPACE_NV; ++k)
        out[k] = (k < SPACE_TURN ? root_m : root_i) * frame_at(x, space_v(body) + k);
}
LANE_FUNCTION void sarrus_body_unweight(const sarrus_mechanism *mech, const real *parameter, int32_t body, const real *z,
                                        real *out) {
    const real *p = sarrus_body_parameters(mech, parameter, body);
    const real root_m = real_sqrt(lane_at(p, SARRUS_PB_MINV)), root_i = real_sqrt(lane_at(p, SARRUS_PB_IINV));
    for (int32_t k = 0; k < SPACE_NV; ++k)
        out[k] = (k < SPACE_TURN ? root_m : root_i) * lane_at(z, space_v(body) + k);
}

/* vᵀM(a − a_f) in the metric, the power of the constraint forces. */
LANE_FUNCTION real sarrus_power_beyond(const sarrus_mechanism *mech, const real *parameter, const real *v, const real *a,
                                       const real *a_free) {
    real power = real_set(0.0);
    PLAN_EACH (b, 0, mech->n_bodies) {
        const real *p = sarrus_body_parameters(mech, parameter, b);
        const int32_t i = space_v(b);
        real x = frame_at(v, i) * (frame_at(a, i) - frame_at(a_free, i));
        x = real_fma(frame_at(v, i + 1), frame_at(a, i + 1) - frame_at(a_free, i + 1), x);
        power = real_fma(sarrus_metric_mass(mech, p), x, power);
        x = frame_at(v, i + SPACE_TURN) * (frame_at(a, i + SPACE_TURN) - frame_at(a_free, i + SPACE_TURN));
        power = real_fma(sarrus_metric_inertia(mech, p), x, power);
    }
    return power;
}

/* (x − less)ᵀ M (x − less) and vᵀ M (v − before) of arrays of an evaluation. */
LANE_FUNCTION real sarrus_square_of_difference(const sarrus_mechanism *mech, const real *parameter, const real *x,
                                               const real *less) {
    real sum = real_set(0.0);
    PLAN_EACH (b, 0, mech->n_bodies) {
        const real *p = sarrus_body_parameters(mech, parameter, b);
        const int32_t i = space_v(b);
        real dx = frame_at(x, i) - frame_at(less, i), dy = frame_at(x, i + 1) - frame_at(less, i + 1);
        real turn = frame_at(x, i + SPACE_TURN) - frame_at(less, i + SPACE_TURN);
        sum = real_fma(lane_at(p, SARRUS_PB_MASS), real_fma(dx, dx, dy * dy), sum);
        sum = real_fma(lane_at(p, SARRUS_PB_INERTIA) * turn, turn, sum);
    }
    return sum;
}
LANE_FUNCTION real sarrus_gain_of_energy(const sarrus_mechanism *mech, const real *parameter, const real *v, const real *before) {
    real gain = real_set(0.0);
    PLAN_EACH (b, 0, mech->n_bodies) {
        const real *p = sarrus_body_parameters(mech, parameter, b);
        const int32_t i = space_v(b);
        const real dx = frame_at(v, i) - frame_at(before, i), dy = frame_at(v, i + 1) - frame_at(before, i + 1);
        const real turn = frame_at(v, i + SPACE_TURN) - frame_at(before, i + SPACE_TURN);
        gain = real_fma(lane_at(p, SARRUS_PB_MASS), real_fma(frame_at(v, i), dx, frame_at(v, i + 1) * dy), gain);
        gain = real_fma(lane_at(p, SARRUS_PB_INERTIA) * frame_at(v, i + SPACE_TURN), turn, gain);
    }
    return gain;
}

/* kg | kg m², what moves with speed i, in the metric. */
LANE_FUNCTION real sarrus_inertia_at(const sarrus_mechanism *mech, const real *parameter, int32_t i) {
    const real *p = sarrus_body_parameters(mech, parameter, space_body_of(i));
    return space_is_turn(i) ? sarrus_metric_inertia(mech, p) : sarrus_metric_mass(mech, p);
}

#endif

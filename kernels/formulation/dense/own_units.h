/* The equations in units of their own, a length L and a mass μ of each lane, which are powers of two:
 *
 *   M' = S M S / (μ L²),   J' = R⁻¹ J S,   F' = S F / (μ L²),   γ' = R⁻¹ γ,     a = S a',   λ = μ L² R⁻¹ λ'
 *
 * with S = L of speeds that shift and R = L of rows that hold shifts, 1 of what turns. L is the longest lever of such a row, or the
 * radius of gyration where that is longer (the lever of a cam is its slope, which comes through 0), μ the largest mass, or inertia
 * over L². So neither the rank decisions on matrices in which masses stand beside rows, nor their
 * round-off, know of tonnes or of millimetres. Nothing is rounded; λ of least norm is that in these units. */
#ifndef SARRUS_FORMULATION_DENSE_OWN_UNITS_H
#define SARRUS_FORMULATION_DENSE_OWN_UNITS_H

#include "kernels/formulation/dense/problem.h"

typedef struct sarrus_dense_units {
    real length, mass; /* L, μ */
    real per_length, per_mass, per_force, per_inertia;
    real *m, *f, *j, *g; /* M' [n][n], F' [n], J' [m][n], γ' [m] */
    real *row;           /* [m] 1/R */
} sarrus_dense_units;

/* The power of two not above x > 0, else 1. */
LANE_FUNCTION real sarrus_dense_unit(real x) {
    return real_exponent_part(real_select(real_lt(real_set(0x1p-1000), x), x, real_set(1.0)));
}

/* The longest lever; row [m] ← 1 of rows that hold shifts, else 0. */
LANE_BODY real sarrus_dense_lever(const sarrus_dense_shape *shape, const real *jacobian, real *row) {
    const real zero = real_set(0.0);
    real longest = zero;
    for (int32_t i = 0; i < shape->m; ++i) {
        real shift = zero, lever = zero;
        for (int32_t l = 0; l < shape->n; ++l) {
            const real size = real_abs(lane_at(jacobian, i * shape->n + l));
            if (!sarrus_dense_is_turn(shape, l))
                shift = real_max(size, shift);
            else
                lever = real_max(size, lever);
        }
        const mask holds = real_lt(zero, shift);
        longest = real_select(holds, real_max(lever, longest), longest);
        lane_at(row, i) = real_select(holds, real_set(1.0), zero);
    }
    return longest;
}

LANE_BODY void sarrus_dense_units_find(const sarrus_dense_shape *shape, const sarrus_dense_lanes *lanes,
                                       sarrus_dense_units *units) {
    const real one = real_set(1.0);
    real mass = real_set(0.0), inertia = real_set(0.0);
    for (int32_t l = 0; l < shape->n; ++l) {
        const real own = lane_at(lanes->mass, l * (shape->n + 1));
        if (!sarrus_dense_is_turn(shape, l))
            mass = real_max(own, mass);
        else
            inertia = real_max(own, inertia);
    }
    const real gyration = real_sqrt(real_select(real_lt(real_set(0.0), mass), inertia / mass, real_set(0.0)));
    units->length = sarrus_dense_unit(real_max(sarrus_dense_lever(shape, lanes->jacobian, units->row), gyration));
    units->per_length = one / units->length;
    units->mass = sarrus_dense_unit(real_max(mass, inertia * units->per_length * units->per_length));
    units->per_mass = one / units->mass;
    units->per_force = units->per_mass * units->per_length;
    units->per_inertia = units->per_force * units->per_length;
    for (int32_t i = 0; i < shape->m; ++i)
        lane_at(units->row, i) = real_select(real_eq(lane_at(units->row, i), one), units->per_length, one);
}

/* M', F', J', γ' in the place of M, F, J, γ. */
LANE_BODY void sarrus_dense_units_enter(const sarrus_dense_shape *shape, sarrus_dense_lanes *lanes, sarrus_dense_units *units) {
    const int32_t m = shape->m, n = shape->n, n_turns = shape->block - shape->turn, n_bodies = n / shape->block;
    sarrus_dense_units_find(shape, lanes, units);
    for (int32_t i = 0; i < n * n; ++i)
        lane_at(units->m, i) = real_set(0.0);
    for (int32_t l = 0; l < n; ++l) {
        const int32_t is_shift = !sarrus_dense_is_turn(shape, l), first = l - l % shape->block + shape->turn;
        const real scale = is_shift ? units->per_force : units->per_inertia;
        lane_at(units->f, l) = scale * lane_at(lanes->force, l);
        if (is_shift)
            lane_at(units->m, l * (n + 1)) = units->per_mass * lane_at(lanes->mass, l * (n + 1));
        for (int32_t k = first; !is_shift && k < first + n_turns; ++k)
            lane_at(units->m, l * n + k) = units->per_inertia * lane_at(lanes->mass, l * n + k);
    }
    for (int32_t i = 0; i < m; ++i) {
        lane_at(units->g, i) = lane_at(units->row, i) * lane_at(lanes->gamma, i);
        for (int32_t l = 0; l < n; ++l) {
            const real entry = lane_at(lanes->jacobian, i * n + l);
            lane_at(units->j, i * n + l) = sarrus_dense_is_turn(shape, l) ? lane_at(units->row, i) * entry : entry;
        }
    }
    lanes->mass = units->m;
    lanes->force = units->f;
    lanes->jacobian = units->j;
    lanes->gamma = units->g;
    lanes->flops += 5 + n + m + n_bodies * (shape->turn * 2.0 + n_turns * (double)(n_turns + m)); /* plan */
}

/* Back from them. */
LANE_BODY void sarrus_dense_units_leave(const sarrus_dense_shape *shape, sarrus_dense_lanes *lanes,
                                        const sarrus_dense_units *units) {
    const real moment = units->mass * units->length * units->length;
    for (int32_t l = 0; l < shape->n; ++l) {
        if (!sarrus_dense_is_turn(shape, l))
            lane_at(lanes->a, l) = units->length * lane_at(lanes->a, l);
    }
    for (int32_t i = 0; lanes->lambda && i < shape->m; ++i)
        lane_at(lanes->lambda, i) = moment * lane_at(units->row, i) * lane_at(lanes->lambda, i);
    lanes->flops += 2 + (lanes->lambda ? 2 * shape->m : 0); /* plan */
}

#endif

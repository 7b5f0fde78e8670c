/* Shifts eliminated along a tree of pins (S2 28, 38, 51; S3 5.34, 5.61), masses semi-definite: a body hangs on another one by a
 * pin, so that its shift follows from the turns,
 *
 *   r̈ = B ẇ + c,   B and c added up from ground outwards, as the path matrix T does it,
 *
 * and what is left are the turns, with the augmented inertias of S2 and the barycentric ones of S3, and the other rows,
 *
 *   [K Gᵀ; G 0] [ẇ; λ] = [Fw + Bᵀ(Fr − m c); γ − Jr c],   K = I + Bᵀ m B,   G = Jw + Jr B
 *
 * solved by the pseudoinverse of the matrix. The forces of the pins then follow from the bodies' balance, from the leaves
 * inwards. */
#ifndef SARRUS_FORMULATION_DENSE_BARYCENTRIC_H
#define SARRUS_FORMULATION_DENSE_BARYCENTRIC_H

#include "kernels/formulation/dense/partial.h"
#include "kernels/formulation/pin_tree.h"

typedef struct sarrus_dense_bary {
    int32_t n_turns, n_rest; /* turning speeds; rows that are no pins of the tree */
    real *b;                 /* [n][n_turns] rows of shifts: B; those of turns are not used */
    real *c;                 /* [n] likewise */
    real *g;                 /* [n_rest][n_turns] G */
    real *x;                 /* [n] scratch */
    real *lambda;            /* [m] */
} sarrus_dense_bary;

/* Whether row i is one of a pin of the tree. */
LANE_FUNCTION int sarrus_dense_is_pin(const sarrus_dense_shape *shape, int32_t i) {
    for (int32_t k = 0; k < shape->n / shape->block; ++k) {
        const int32_t first = shape->pins[SARRUS_PIN_NUMBERS * k + SARRUS_PIN_ROW];
        if (i >= first && i < first + shape->turn)
            return 1;
    }
    return 0;
}

/* B and c, from ground outwards: with the row's ±1 on the body and ∓1 on what it hangs on,
 * r̈_body = r̈_on ± (γ_i − Jw_i ẇ). */
LANE_BODY void sarrus_dense_bary_hang(const sarrus_dense_shape *shape, sarrus_dense_lanes *lanes, const sarrus_dense_bary *at) {
    const int32_t n = shape->n, n_bodies = n / shape->block;
    for (int32_t k = 0; k < n_bodies; ++k) {
        const int32_t *pin = shape->pins + SARRUS_PIN_NUMBERS * k;
        for (int32_t axis = 0; axis < shape->turn; ++axis) {
            const int32_t i = pin[SARRUS_PIN_ROW] + axis, to = pin[SARRUS_PIN_BODY] * shape->block + axis;
            const int32_t from = pin[SARRUS_PIN_ON] < 0 ? -1 : pin[SARRUS_PIN_ON] * shape->block + axis;
            const real sign = lane_at(lanes->jacobian, i * n + to);
            for (int32_t l = 0; l < n; ++l) {
                if (!sarrus_dense_is_turn(shape, l))
                    continue;
                const int32_t turn = sarrus_dense_turn_of(shape, l);
                const real before = from < 0 ? real_set(0.0) : lane_at(at->b, from * at->n_turns + turn);
                lane_at(at->b, to * at->n_turns + turn) = real_fnma(sign, lane_at(lanes->jacobian, i * n + l), before);
            }
            lane_at(at->c, to) = real_fma(sign, lane_at(lanes->gamma, i), from < 0 ? real_set(0.0) : lane_at(at->c, from));
        }
    }
    lanes->flops += 2.0 * n_bodies * shape->turn * (at->n_turns + 1); /* plan */
}

/* The corner K of k [size][size], and Fw + Bᵀ(Fr − m c) of right [size]. */
LANE_BODY void sarrus_dense_bary_inertias(const sarrus_dense_shape *shape, sarrus_dense_lanes *lanes, const sarrus_dense_bary *at,
                                          real *k, real *right) {
    const int32_t n = shape->n, size = at->n_turns + at->n_rest;
    for (int32_t l = 0; l < n; ++l) {
        const real mass = lane_at(lanes->mass, l * (n + 1));
        if (sarrus_dense_is_turn(shape, l))
            continue;
        const real force = real_fnma(mass, lane_at(at->c, l), lane_at(lanes->force, l));
        for (int32_t i = 0; i < at->n_turns; ++i) {
            const real own = lane_at(at->b, l * at->n_turns + i), heavy = mass * own;
            lane_at(right, i) = real_fma(own, force, lane_at(right, i));
            for (int32_t j = 0; j <= i; ++j) {
                real *entry = lane_from(k, i * size + j);
                *entry = real_fma(heavy, lane_at(at->b, l * at->n_turns + j), *entry);
            }
        }
    }
    for (int32_t i = 0; i < at->n_turns; ++i) {
        for (int32_t j = 0; j < i; ++j)
            lane_at(k, j * size + i) = lane_at(k, i * size + j);
    }
    lanes->flops += (double)(n - at->n_turns) * at->n_turns * (at->n_turns + 4); /* plan */
}

/* The rows that are left: G with its transpose in k, γ − Jr c in right. */
LANE_BODY void sarrus_dense_bary_rows(const sarrus_dense_shape *shape, sarrus_dense_lanes *lanes, const sarrus_dense_bary *at,
                                      real *k, real *right) {
    const int32_t m = shape->m, n = shape->n, size = at->n_turns + at->n_rest;
    for (int32_t i = 0, row = 0; i < m; ++i) {
        if (sarrus_dense_is_pin(shape, i))
            continue;
        real sum = lane_at(lanes->gamma, i);
        for (int32_t l = 0; l < n; ++l) {
            const real entry = lane_at(lanes->jacobian, i * n + l);
            if (sarrus_dense_is_turn(shape, l)) {
                real *own = lane_from(at->g, row * at->n_turns + sarrus_dense_turn_of(shape, l));
                *own = *own + entry;
                continue;
            }
            sum = real_fnma(entry, lane_at(at->c, l), sum);
            for (int32_t j = 0; j < at->n_turns; ++j)
                lane_at(at->g, row * at->n_turns + j) =
                    real_fma(entry, lane_at(at->b, l * at->n_turns + j), lane_at(at->g, row * at->n_turns + j));
        }
        lane_at(right, at->n_turns + row) = sum;
        for (int32_t j = 0; j < at->n_turns; ++j)
            lane_at(k, (at->n_turns + row) * size + j) = lane_at(k, j * size + at->n_turns + row) =
                lane_at(at->g, row * at->n_turns + j);
        ++row;
    }
    lanes->flops += (double)at->n_rest * (2.0 * (n - at->n_turns) * (at->n_turns + 1) + at->n_turns); /* plan */
}

/* λ of all rows from those that were left, and r̈: of each body the pin takes what its balance leaves, from the leaves inwards. */
LANE_BODY void sarrus_dense_bary_pins(const sarrus_dense_shape *shape, sarrus_dense_lanes *lanes, const sarrus_dense_bary *at,
                                      const real *rest) {
    const int32_t m = shape->m, n = shape->n;
    for (int32_t i = 0, row = 0; i < m; ++i)
        lane_at(at->lambda, i) = sarrus_dense_is_pin(shape, i) ? real_set(0.0) : lane_at(rest, row++);
    sarrus_dense_times_transposed(lanes, lanes->jacobian, m, n, at->lambda, at->x);
    for (int32_t k = n / shape->block - 1; k >= 0; --k) {
        const int32_t *pin = shape->pins + SARRUS_PIN_NUMBERS * k;
        for (int32_t axis = 0; axis < shape->turn; ++axis) {
            const int32_t i = pin[SARRUS_PIN_ROW] + axis, to = pin[SARRUS_PIN_BODY] * shape->block + axis;
            const real left = real_fnma(lane_at(lanes->mass, to * (n + 1)), lane_at(lanes->a, to),
                                        lane_at(lanes->force, to) - lane_at(at->x, to));
            const real own = lane_at(lanes->jacobian, i * n + to) * left;
            lane_at(at->lambda, i) = own;
            if (pin[SARRUS_PIN_ON] >= 0) {
                const int32_t from = pin[SARRUS_PIN_ON] * shape->block + axis;
                lane_at(at->x, from) = real_fma(lane_at(lanes->jacobian, i * n + from), own, lane_at(at->x, from));
            }
        }
    }
    lanes->flops += 6.0 * (n - at->n_turns); /* plan */
    for (int32_t i = 0; lanes->lambda && i < m; ++i)
        lane_at(lanes->lambda, i) = lane_at(at->lambda, i);
}

LANE_BODY void sarrus_dense_barycentric(const sarrus_dense_shape *shape, sarrus_dense_lanes *lanes) {
    const int32_t m = shape->m, n = shape->n, n_turns = n / shape->block * (shape->block - shape->turn);
    const int32_t n_rest = m - (n - n_turns), size = n_turns + n_rest;
    sarrus_dense_bary at;
    sarrus_dense_pinv pinv;
    if (!shape->pins) {
        lanes->is_unsolvable = lanes->active;
        return;
    }
    at.n_turns = n_turns;
    at.n_rest = n_rest;
    at.b = sarrus_dense_take(lanes, n * n_turns);
    at.c = sarrus_dense_take(lanes, n);
    at.g = sarrus_dense_take(lanes, n_rest * n_turns);
    at.x = sarrus_dense_take(lanes, n);
    at.lambda = sarrus_dense_take(lanes, m);
    sarrus_dense_pinv_prepare(shape, size, size, 0, lanes, &pinv);
    pinv.shape.rule.is_squared = 1;
    if (!lanes->work)
        return;
    for (int32_t i = 0; i < size * size; ++i)
        lane_at(pinv.lanes.a, i) = real_set(0.0);
    for (int32_t i = 0; i < n_rest * n_turns; ++i)
        lane_at(at.g, i) = real_set(0.0);
    sarrus_dense_turns_fill(shape, lanes, size, pinv.lanes.a, pinv.lanes.b);
    sarrus_dense_bary_hang(shape, lanes, &at);
    sarrus_dense_bary_inertias(shape, lanes, &at, pinv.lanes.a, pinv.lanes.b);
    sarrus_dense_bary_rows(shape, lanes, &at, pinv.lanes.a, pinv.lanes.b);
    const real n_shifts = real_set((real_scalar)(n - n_turns)), n_left = real_set((real_scalar)n_turns) - n_shifts;
    sarrus_dense_pinv_run(lanes, n_left + lanes->limit.max_rank, &pinv);
    lanes->found = pinv.lanes.found;
    lanes->found.rank = lanes->found.rank - n_left;
    for (int32_t l = 0; l < n; ++l) {
        real sum = sarrus_dense_is_turn(shape, l) ? lane_at(pinv.lanes.x, sarrus_dense_turn_of(shape, l)) : lane_at(at.c, l);
        for (int32_t j = 0; !sarrus_dense_is_turn(shape, l) && j < n_turns; ++j)
            sum = real_fma(lane_at(at.b, l * n_turns + j), lane_at(pinv.lanes.x, j), sum);
        lane_at(lanes->a, l) = sum;
    }
    lanes->flops += 2.0 * (n - n_turns) * n_turns; /* plan */
    sarrus_dense_bary_pins(shape, lanes, &at, lane_from(pinv.lanes.x, n_turns));
}

#endif

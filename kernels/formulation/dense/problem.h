/* What every dense formulation is given: the equations of one state in each lane,
 *
 *   M a + Jᵀλ = F,   J a = γ          M [n][n] symmetric, J [m][n] of any rank
 *
 * with speeds in the order of the bodies: of each, `turn` that shift it, all with one mass, and behind them those that turn it,
 * with a symmetric block of M. A formulation is one file with
 *
 *   sarrus_dense_NAME(shape, lanes)    the arithmetic; with lanes->work = NULL it only counts the scratch that it takes
 *
 * It writes a and λ, counts its operations, and says which pseudoinverses it took and in which lanes it has no answer. What a
 * lane gets does not depend on its neighbours.
 *
 * Operations are additions and multiplications, an FMA being two; products with what is zero in every mechanism (M beyond its
 * blocks) are not made. M⁻¹ and M^{-1/2} of the bodies are numbers of an instance and are not counted. */
#ifndef SARRUS_FORMULATION_DENSE_PROBLEM_H
#define SARRUS_FORMULATION_DENSE_PROBLEM_H

#include "kernels/pinv/call.h"

/* The same for every lane. */
typedef struct sarrus_dense_shape {
    int32_t formulation; /* sarrus_formulation; one that has a dense form */
    int32_t m, n;        /* rows of J; speeds */
    int32_t block, turn; /* speeds of a body, and how many of them shift it: 3 and 2, or 6 and 3 */
    int32_t method;      /* sarrus_pinv_method of the lanes */
    sarrus_rank_rule rule;
    const int32_t
        *pins; /* [n / block][SARRUS_PIN_NUMBERS] a tree of pins (pin_tree.h) that all bodies hang on; NULL: there is none */
} sarrus_dense_shape;

/* Pseudoinverses that a formulation takes at most. */
enum { SARRUS_DENSE_MOST_PINV = 3 };

/* One that was taken. */
typedef struct sarrus_dense_taken {
    sarrus_pinv_shape shape;
    real rank, n_sweeps;
} sarrus_dense_taken;

typedef struct sarrus_dense_lanes {
    const real *mass;        /* [n][n] kg | kg m² */
    const real *force;       /* [n]    N | N m */
    const real *jacobian;    /* [m][n] 1 | m */
    const real *gamma;       /* [m]    m/s² | rad/s² */
    sarrus_rank_limit limit; /* of the rank of J */
    mask active;             /* lanes that count */
    const volatile int32_t *stop;
    real *work;                 /* [counted] scratch */
    real *a;                    /* [n] out, m/s² | rad/s² */
    real *lambda;               /* [m] out, N | N m; NULL: not wanted */
    mask is_unsolvable;         /* out: M is not definite where the formulation has to invert it; a and λ are NaN */
    sarrus_rank_decision found; /* out: the decision on J, or on the matrix that has its rank */
    sarrus_dense_taken taken[SARRUS_DENSE_MOST_PINV]; /* out */
    int32_t n_taken;
    /* Operations beside those of the pseudoinverses, the same in every lane. */
    double flops;  /* plan */
    size_t n_work; /* lane arrays taken of `work` */
} sarrus_dense_lanes;

/* n lane arrays of the scratch. */
LANE_FUNCTION real *sarrus_dense_take(sarrus_dense_lanes *lanes, int32_t n) {
    real *part = lanes->work ? lane_from(lanes->work, (int32_t)lanes->n_work) : (real *)0;
    lanes->n_work += (size_t)n;
    return part;
}

/* Whether speed k turns, and the place of one that does among those. */
LANE_FUNCTION int sarrus_dense_is_turn(const sarrus_dense_shape *shape, int32_t k) {
    return k % shape->block >= shape->turn;
}

/* --- Pseudoinverses ---------------------------------------------------------------------------------------------------------- */

/* One that will be taken: of `a` [m][n], applied to b [m], or explicit. */
typedef struct sarrus_dense_pinv {
    sarrus_pinv_shape shape;
    sarrus_pinv_lanes lanes;
} sarrus_dense_pinv;

LANE_BODY void sarrus_dense_pinv_prepare(const sarrus_dense_shape *shape, int32_t m, int32_t n, int32_t is_explicit,
                                         sarrus_dense_lanes *lanes, sarrus_dense_pinv *pinv) {
    pinv->shape.method = shape->method;
    pinv->shape.m = m;
    pinv->shape.n = n;
    pinv->shape.n_rhs = is_explicit ? 0 : 1;
    pinv->shape.is_explicit = is_explicit;
    pinv->shape.rule = shape->rule;
    pinv->lanes.a = sarrus_dense_take(lanes, m * n);
    pinv->lanes.b = sarrus_dense_take(lanes, is_explicit ? 0 : m);
    pinv->lanes.x = sarrus_dense_take(lanes, is_explicit ? n * m : n);
    pinv->lanes.work = sarrus_dense_take(lanes, (int32_t)sarrus_pinv_work(&pinv->shape));
}

/* Of a matrix whose rank is at most max_rank, the one that a decision before has found; it is destroyed. */
LANE_BODY void sarrus_dense_pinv_run(sarrus_dense_lanes *lanes, real max_rank, sarrus_dense_pinv *pinv) {
    sarrus_dense_taken *taken = &lanes->taken[lanes->n_taken++];
    pinv->lanes.active = lanes->active;
    pinv->lanes.limit = lanes->limit;
    pinv->lanes.limit.max_rank = pinv->lanes.limit.previous = max_rank;
    pinv->lanes.stop = lanes->stop;
    sarrus_pinv_run(&pinv->shape, &pinv->lanes);
    taken->shape = pinv->shape;
    taken->rank = pinv->lanes.found.rank;
    taken->n_sweeps = pinv->lanes.n_sweeps;
}

/* --- Products ---------------------------------------------------------------------------------------------------------------- */

/* out [m] ← A x, A [m][n]. */
LANE_BODY void sarrus_dense_times(sarrus_dense_lanes *lanes, const real *a, int32_t m, int32_t n, const real *x, real *out) {
    for (int32_t i = 0; i < m; ++i) {
        real sum = real_set(0.0);
        for (int32_t k = 0; k < n; ++k)
            sum = real_fma(lane_at(a, i * n + k), lane_at(x, k), sum);
        lane_at(out, i) = sum;
    }
    lanes->flops += 2.0 * m * n;
}

/* out [n] ← Aᵀ y, A [m][n]. */
LANE_BODY void sarrus_dense_times_transposed(sarrus_dense_lanes *lanes, const real *a, int32_t m, int32_t n, const real *y,
                                             real *out) {
    for (int32_t k = 0; k < n; ++k)
        lane_at(out, k) = real_set(0.0);
    for (int32_t i = 0; i < m; ++i) {
        for (int32_t k = 0; k < n; ++k)
            lane_at(out, k) = real_fma(lane_at(a, i * n + k), lane_at(y, i), lane_at(out, k));
    }
    lanes->flops += 2.0 * m * n;
}

/* out [n][n] ← I − A B, A [n][m], B [m][n]. */
LANE_BODY void sarrus_dense_complement(sarrus_dense_lanes *lanes, const real *a, const real *b, int32_t n, int32_t m, real *out) {
    for (int32_t i = 0; i < n; ++i) {
        for (int32_t k = 0; k < n; ++k) {
            real sum = real_set(i == k ? 1.0 : 0.0);
            for (int32_t l = 0; l < m; ++l)
                sum = real_fnma(lane_at(a, i * m + l), lane_at(b, l * n + k), sum);
            lane_at(out, i * n + k) = sum;
        }
    }
    lanes->flops += 2.0 * m * n * n;
}

/* out [n] ← x − y. */
LANE_BODY void sarrus_dense_subtract(sarrus_dense_lanes *lanes, const real *x, const real *y, int32_t n, real *out) {
    for (int32_t i = 0; i < n; ++i)
        lane_at(out, i) = lane_at(x, i) - lane_at(y, i);
    lanes->flops += n;
}

LANE_BODY void sarrus_dense_copy(const real *x, int32_t n, real *out) {
    for (int32_t i = 0; i < n; ++i)
        lane_at(out, i) = lane_at(x, i);
}

/* out [n][m] ← Aᵀ, A [m][n]. */
LANE_BODY void sarrus_dense_transpose(const real *a, int32_t m, int32_t n, real *out) {
    for (int32_t i = 0; i < m; ++i) {
        for (int32_t k = 0; k < n; ++k)
            lane_at(out, k * m + i) = lane_at(a, i * n + k);
    }
}

/* out [n] ← M x over the blocks of M. */
LANE_BODY void sarrus_dense_mass_times(const sarrus_dense_shape *shape, sarrus_dense_lanes *lanes, const real *x, real *out) {
    const int32_t n = shape->n, n_turns = shape->block - shape->turn;
    for (int32_t first = 0; first < n; first += shape->block) {
        for (int32_t k = first; k < first + shape->turn; ++k)
            lane_at(out, k) = lane_at(lanes->mass, k * n + k) * lane_at(x, k);
        for (int32_t i = first + shape->turn; i < first + shape->block; ++i) {
            real sum = real_set(0.0);
            for (int32_t k = first + shape->turn; k < first + shape->block; ++k)
                sum = real_fma(lane_at(lanes->mass, i * n + k), lane_at(x, k), sum);
            lane_at(out, i) = sum;
        }
    }
    lanes->flops += (double)(n / shape->block) * (shape->turn + 2 * n_turns * n_turns); /* plan */
}

/* --- What formulations end with ---------------------------------------------------------------------------------------------- */

/* NaN in the lanes without an answer. */
LANE_BODY void sarrus_dense_give_up(const sarrus_dense_shape *shape, sarrus_dense_lanes *lanes) {
    const real nothing = real_set(0.0) / real_set(0.0);
    if (!mask_any(lanes->is_unsolvable))
        return;
    for (int32_t i = 0; i < shape->n; ++i)
        lane_at(lanes->a, i) = real_select(lanes->is_unsolvable, nothing, lane_at(lanes->a, i));
    for (int32_t i = 0; lanes->lambda && i < shape->m; ++i)
        lane_at(lanes->lambda, i) = real_select(lanes->is_unsolvable, nothing, lane_at(lanes->lambda, i));
}

/* λ ← (Jᵀ)⁺ (F − M a), of least norm: for formulations that have no multipliers of their own. `pinv` was prepared for n×m. */
LANE_BODY void sarrus_dense_multipliers(const sarrus_dense_shape *shape, sarrus_dense_lanes *lanes, sarrus_dense_pinv *pinv) {
    if (!lanes->lambda)
        return;
    sarrus_dense_transpose(lanes->jacobian, shape->m, shape->n, pinv->lanes.a);
    sarrus_dense_mass_times(shape, lanes, lanes->a, pinv->lanes.b);
    sarrus_dense_subtract(lanes, lanes->force, pinv->lanes.b, shape->n, pinv->lanes.b);
    sarrus_dense_pinv_run(lanes, lanes->found.rank, pinv);
    sarrus_dense_copy(pinv->lanes.x, shape->m, lanes->lambda);
}

#endif

/* The whole system by a symmetric indefinite factorization (S2 10, 49, 63), where it is regular: J of full row rank, M definite on
 * the motions that J leaves:
 *
 *   P [M Jᵀ; J 0] Pᵀ = L T Lᵀ,   [a; λ] = Pᵀ L⁻ᵀ T⁻¹ L⁻¹ P [F; γ]
 *
 * L unit lower triangular with entries of at most 1, T tridiagonal (Parlett and Reid 1970), T by elimination with exchanges. Both
 * halves of the matrix are kept: 4/3 (n + m)³ operations. Where a pivot of T is round-off there is no answer. */
#ifndef SARRUS_FORMULATION_DENSE_SADDLE_FACTORED_H
#define SARRUS_FORMULATION_DENSE_SADDLE_FACTORED_H

#include "kernels/formulation/dense/saddle.h"

/* What is factored. */
typedef struct sarrus_saddle_factor {
    int32_t size;
    real *k;        /* [size][size] becomes T on its three diagonals, columns of L two below them */
    real *x;        /* [size] right side, becomes the solution */
    real *exchange; /* [size] the row that came to k + 1 in step k */
    real *upper;    /* [3][size] of T, eliminated: its diagonal and the two above */
} sarrus_saddle_factor;

LANE_FUNCTION void sarrus_saddle_swap(mask here, real *a, real *b) {
    const real before = *a;
    *a = real_select(here, *b, *a);
    *b = real_select(here, before, *b);
}

/* Exchanges rows and columns k + 1 and that of the largest entry of column k. */
LANE_BODY void sarrus_saddle_exchange(const sarrus_saddle_factor *f, int32_t k) {
    const int32_t size = f->size, to = k + 1;
    real largest = real_abs(lane_at(f->k, to * size + k)), from = real_set((real_scalar)to);
    for (int32_t i = to + 1; i < size; ++i) {
        const real entry = real_abs(lane_at(f->k, i * size + k));
        const mask is_larger = real_lt(largest, entry);
        largest = real_select(is_larger, entry, largest);
        from = real_select(is_larger, real_set((real_scalar)i), from);
    }
    lane_at(f->exchange, k) = from;
    for (int32_t i = to + 1; i < size; ++i) {
        const mask here = real_eq(from, real_set((real_scalar)i));
        if (!mask_any(here))
            continue;
        for (int32_t j = k; j < size; ++j)
            sarrus_saddle_swap(here, &lane_at(f->k, to * size + j), &lane_at(f->k, i * size + j));
        for (int32_t j = to; j < size; ++j)
            sarrus_saddle_swap(here, &lane_at(f->k, j * size + to), &lane_at(f->k, j * size + i));
        sarrus_saddle_swap(here, &lane_at(f->x, to), &lane_at(f->x, i));
    }
}

/* T, columns of L, and L⁻¹ P x. */
LANE_BODY void sarrus_saddle_reduce(const sarrus_saddle_factor *f, double *flops) { /* plan */
    const int32_t size = f->size;
    for (int32_t k = 0; k + 2 < size; ++k) {
        sarrus_saddle_exchange(f, k);
        const int32_t to = k + 1, n_left = size - k - 2;
        const real inverse = real_inverse_or_zero(lane_at(f->k, to * size + k));
        for (int32_t i = to + 1; i < size; ++i) {
            const real l = lane_at(f->k, i * size + k) * inverse;
            lane_at(f->k, i * size + k) = l;
            for (int32_t j = to; j < size; ++j)
                lane_at(f->k, i * size + j) = real_fnma(l, lane_at(f->k, to * size + j), lane_at(f->k, i * size + j));
            lane_at(f->x, i) = real_fnma(l, lane_at(f->x, to), lane_at(f->x, i));
        }
        for (int32_t j = to + 1; j < size; ++j) {
            for (int32_t i = to + 1; i < size; ++i)
                lane_at(f->k, j * size + i) =
                    real_fnma(lane_at(f->k, i * size + k), lane_at(f->k, j * size + to), lane_at(f->k, j * size + i));
        }
        *flops += n_left * (4.0 * n_left + 5.0);
    }
}

/* x ← T⁻¹ x; returns the lanes in which a pivot is round-off. */
LANE_BODY mask sarrus_saddle_tridiagonal(const sarrus_saddle_factor *f, double *flops) { /* plan */
    const int32_t size = f->size;
    const real zero = real_set(0.0);
    real *diagonal = f->upper, *above = lane_from(f->upper, size), *second = lane_from(f->upper, 2 * size);
    real here = lane_at(f->k, 0), right = size > 1 ? lane_at(f->k, size) : zero, further = zero, side = lane_at(f->x, 0);
    real largest = real_abs(here), least = real_set(1e300);
    for (int32_t i = 0; i + 1 < size; ++i) {
        const real below = lane_at(f->k, (i + 1) * size + i);
        real next = lane_at(f->k, (i + 1) * (size + 1)), next_side = lane_at(f->x, i + 1), from = below,
             beyond = i + 2 < size ? lane_at(f->k, (i + 2) * size + i + 1) : zero;
        largest = real_max(largest, real_max(real_abs(below), real_abs(next)));
        const mask swaps = real_lt(real_abs(here), real_abs(from));
        sarrus_saddle_swap(swaps, &here, &from);
        sarrus_saddle_swap(swaps, &right, &next);
        sarrus_saddle_swap(swaps, &further, &beyond);
        sarrus_saddle_swap(swaps, &side, &next_side);
        const real l = from * real_inverse_or_zero(here);
        least = real_min(least, real_abs(here));
        lane_at(diagonal, i) = here;
        lane_at(above, i) = right;
        lane_at(second, i) = further;
        lane_at(f->x, i) = side;
        here = real_fnma(l, right, next);
        right = real_fnma(l, further, beyond);
        further = zero;
        side = real_fnma(l, side, next_side);
    }
    least = real_min(least, real_abs(here));
    lane_at(diagonal, size - 1) = here;
    lane_at(above, size - 1) = lane_at(second, size - 1) = zero;
    lane_at(f->x, size - 1) = side;
    for (int32_t i = size - 1; i >= 0; --i) {
        real sum = lane_at(f->x, i);
        if (i + 1 < size)
            sum = real_fnma(lane_at(above, i), lane_at(f->x, i + 1), sum);
        if (i + 2 < size)
            sum = real_fnma(lane_at(second, i), lane_at(f->x, i + 2), sum);
        lane_at(f->x, i) = sum * real_inverse_or_zero(lane_at(diagonal, i));
    }
    *flops += 12.0 * (size - 1);
    /* The reduction leaves some size·ε of the largest entry where exact numbers leave nothing; dependent rows of the cube linkage
     * (60 rows) 10 of that. Pivots that count are far above: 1e-9 with masses of 1e-9 beside 2. */
    const real round_off = real_set((real_scalar)(100.0 * size * 2.2204460492503131e-16)) * largest;
    return mask_not(real_lt(round_off, least));
}

/* x ← Pᵀ L⁻ᵀ x, one step of the reduction after another, the last one first. */
LANE_BODY void sarrus_saddle_return(const sarrus_saddle_factor *f, double *flops) { /* plan */
    const int32_t size = f->size;
    for (int32_t k = size - 3; k >= 0; --k) {
        const int32_t to = k + 1;
        real sum = lane_at(f->x, to);
        for (int32_t i = to + 1; i < size; ++i)
            sum = real_fnma(lane_at(f->k, i * size + k), lane_at(f->x, i), sum);
        lane_at(f->x, to) = sum;
        for (int32_t i = to + 1; i < size; ++i)
            sarrus_saddle_swap(real_eq(lane_at(f->exchange, k), real_set((real_scalar)i)), &lane_at(f->x, to), &lane_at(f->x, i));
        *flops += 2.0 * (size - k - 2);
    }
}

LANE_BODY void sarrus_dense_saddle_factored(const sarrus_dense_shape *shape, sarrus_dense_lanes *lanes) {
    const int32_t m = shape->m, n = shape->n, size = n + m;
    sarrus_saddle_factor f;
    f.size = size;
    f.k = sarrus_dense_take(lanes, size * size);
    f.x = sarrus_dense_take(lanes, size);
    f.exchange = sarrus_dense_take(lanes, size);
    f.upper = sarrus_dense_take(lanes, 3 * size);
    if (!lanes->work)
        return;
    sarrus_dense_saddle_fill(shape, lanes, f.k);
    sarrus_dense_copy(lanes->force, n, f.x);
    sarrus_dense_copy(lanes->gamma, m, lane_from(f.x, n));
    sarrus_saddle_reduce(&f, &lanes->flops);
    lanes->is_unsolvable = mask_and(sarrus_saddle_tridiagonal(&f, &lanes->flops), lanes->active);
    sarrus_saddle_return(&f, &lanes->flops);
    lanes->found.rank = real_set((real_scalar)m);
    sarrus_dense_copy(f.x, n, lanes->a);
    if (lanes->lambda)
        sarrus_dense_copy(lane_from(f.x, n), m, lanes->lambda);
}

#endif

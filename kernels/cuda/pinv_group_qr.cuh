/* Pseudoinverses with some threads a matrix: what their methods share, the threads' places, loading, scaling, and QR.
 *
 *   T P = Q R           T = A, or the tall one of A, Aᵀ; Householder reflections, column pivoting, exact lengths of what remains
 *
 * A warp holds as many groups as fit, and a matrix lives in shared memory from its first number to its last. Rows and columns are
 * an odd number of doubles apart, so that the threads of a group, which read the same element of different rows, meet in no bank.
 * A matrix's bits depend on nothing but itself. */
#ifndef SARRUS_CUDA_PINV_GROUP_QR_H
#define SARRUS_CUDA_PINV_GROUP_QR_H

#define LANE_STRIDE 1 /* an array is one matrix's */

#include "kernels/cuda/pinv_group_layout.h"
#include "kernels/cuda/warp.cuh"
#include "kernels/pinv/rank.h"
#include "kernels/pinv/spectrum.h"

/* Remaining lengths below it are zero, as in kernels/pinv/qr.h; squared. */
static const double PINV_GROUP_TINY = 0x1p-900;

/* What a warp works on. */
struct pinv_group {
    const sarrus_cuda_pinv_call *call;
    const pinv_group_layout *lay;
    warp_phases warp;
    uint64_t first; /* matrix */
    int32_t n_here; /* groups that have one */
};

/* A thread's place. */
struct pinv_member {
    real *at; /* the group's part of the shared memory */
    int32_t t;
};

/* False for threads that have no group, and for groups that have nothing to do: `flag` is a scalar of the group. */
LANE_FUNCTION bool pinv_member_is(const pinv_group *group, int32_t i_thread, int32_t flag, pinv_member *member) {
    const pinv_group_layout *lay = group->lay;
    const int32_t i_group = i_thread / lay->n_threads;
    member->at = group->warp.shared + i_group * lay->size;
    member->t = i_thread % lay->n_threads;
    return i_group < group->n_here && member->at[lay->scalars + flag] != 0.0;
}

/* --- Loading ---------------------------------------------------------------------------------------------------------- */

/* Columns of T, and the flags. The threads read what lies side by side in global memory, whichever matrix it belongs to. */
LANE_FUNCTION void pinv_group_load(const pinv_group *group) {
    const pinv_group_layout *lay = group->lay;
    const int32_t n = group->call->n, n_a = group->call->m * n;
    const double *a = group->call->a + group->first * (uint64_t)n_a;
    group->warp.each([=](int32_t i_thread) {
        for (int32_t i = i_thread; i < group->n_here * n_a; i += WARP_THREADS) {
            const int32_t row = i % n_a / n, column = i % n_a % n;
            real *at = group->warp.shared + i / n_a * lay->size + lay->q;
            at[lay->is_turned ? row * lay->q_row + column : column * lay->q_row + row] = a[i];
        }
        for (int32_t i = i_thread; i < group->n_here; i += WARP_THREADS) {
            real *scalars = group->warp.shared + i * lay->size + lay->scalars;
            scalars[PINV_THERE] = scalars[PINV_ACTIVE] = scalars[PINV_RUNNING] = 1.0;
        }
    });
}

/* Largest entry of every column, and NaN for a column that is not finite. */
LANE_FUNCTION void pinv_group_judge(const pinv_group *group) {
    const pinv_group_layout *lay = group->lay;
    group->warp.each([=](int32_t i_thread) {
        pinv_member me;
        if (!pinv_member_is(group, i_thread, PINV_THERE, &me))
            return;
        for (int32_t j = me.t; j < lay->count; j += lay->n_threads) {
            const real *column = me.at + lay->q + j * lay->q_row;
            real largest = real_set(0.0), spoilt = real_set(0.0);
            for (int32_t i = 0; i < lay->length; ++i) {
                largest = real_max(real_abs(column[i]), largest);
                spoilt = spoilt + (column[i] - column[i]);
            }
            me.at[lay->norm2 + j] = largest;
            me.at[lay->head + j] = spoilt;
        }
    });
}

/* T ← s T with the power of two of sarrus_pinv_scale_find; squared lengths of the columns. */
LANE_FUNCTION void pinv_group_scale(const pinv_group *group) {
    const pinv_group_layout *lay = group->lay;
    group->warp.each([=](int32_t i_thread) {
        pinv_member me;
        if (!pinv_member_is(group, i_thread, PINV_THERE, &me))
            return;
        const real scale = sarrus_pinv_scale_find(me.at + lay->norm2, lay->count);
        real spoilt = real_set(0.0);
        for (int32_t j = 0; j < lay->count; ++j)
            spoilt = spoilt + me.at[lay->head + j];
        if (me.t == 0) {
            me.at[lay->scalars + PINV_SCALE] = scale;
            me.at[lay->scalars + PINV_ACTIVE] = me.at[lay->scalars + PINV_RUNNING] = spoilt == 0.0 ? 1.0 : 0.0;
        }
        for (int32_t j = me.t; j < lay->count; j += lay->n_threads) {
            real *column = me.at + lay->q + j * lay->q_row;
            for (int32_t i = 0; i < lay->length; ++i)
                column[i] = column[i] * scale;
            me.at[lay->next + j] = sarrus_row_product(column, column, lay->length);
            me.at[lay->place + j] = real_set((real_scalar)j);
        }
    });
}

/* --- Q and R ---------------------------------------------------------------------------------------------------------- */

/* Lengths that step k chooses by; those for the step after it go to the other place. */
LANE_FUNCTION real *pinv_group_lengths(const pinv_group_layout *lay, const pinv_member *me, int32_t k) {
    return me->at + (k % 2 == 0 ? lay->next : lay->norm2);
}

/* The longest remaining column comes to k. */
LANE_FUNCTION void pinv_group_exchange(const pinv_group *group, int32_t k) {
    const pinv_group_layout *lay = group->lay;
    group->warp.each([=](int32_t i_thread) {
        pinv_member me;
        if (!pinv_member_is(group, i_thread, PINV_ACTIVE, &me))
            return;
        const real *norm2 = pinv_group_lengths(lay, &me, k);
        int32_t pivot = k;
        for (int32_t j = k + 1; j < lay->count; ++j)
            pivot = norm2[pivot] < norm2[j] ? j : pivot;
        real *to = me.at + lay->q + k * lay->q_row, *from = me.at + lay->q + pivot * lay->q_row;
        for (int32_t i = me.t; pivot > k && i < lay->length; i += lay->n_threads) {
            const real x = to[i];
            to[i] = from[i];
            from[i] = x;
        }
        if (me.t == 0) {
            real *place = me.at + lay->place;
            const real x = place[k];
            place[k] = place[pivot];
            place[pivot] = x;
        }
    });
}

/* What a reflection is made of. */
struct pinv_reflection {
    const real *x; /* [length] v below row k */
    real diagonal, inverse, head, inverse_head;
};

LANE_FUNCTION pinv_reflection pinv_reflection_find(const real *x, int32_t k, int32_t length) {
    const real zero = real_set(0.0), one = real_set(1.0);
    pinv_reflection out = {x, zero, zero, zero, zero};
    const real square = sarrus_row_product(x + k, x + k, length - k);
    if (!real_lt(real_set(PINV_GROUP_TINY), square))
        return out;
    const real norm = real_sqrt(square);
    out.diagonal = real_select(real_lt(x[k], zero), norm, -norm);
    out.inverse = one / out.diagonal;
    out.head = x[k] - out.diagonal;
    out.inverse_head = one / out.head;
    return out;
}

/* R_kj = xᵀa_j / R_kk and a_j ← a_j − x (a_kj − R_kj) / v_k below row k; returns the squared length of that. */
LANE_FUNCTION real pinv_reflection_apply(const pinv_reflection *by, int32_t k, int32_t length, real *a) {
    const real r = sarrus_row_product(by->x + k, a + k, length - k) * by->inverse, f = (a[k] - r) * by->inverse_head;
    real square = real_set(0.0);
    a[k] = r;
    for (int32_t i = k + 1; i < length; ++i) {
        a[i] = real_fnma(f, by->x[i], a[i]);
        square = real_fma(a[i], a[i], square);
    }
    return square;
}

/* Step k of the columns of T and of the sides: column k is only read; R_kk, v_k and β = 2 / vᵀv have places of their own. */
LANE_FUNCTION void pinv_group_reflect(const pinv_group *group, int32_t k) {
    const pinv_group_layout *lay = group->lay;
    group->warp.each([=](int32_t i_thread) {
        pinv_member me;
        if (!pinv_member_is(group, i_thread, PINV_ACTIVE, &me))
            return;
        const pinv_reflection by = pinv_reflection_find(me.at + lay->q + k * lay->q_row, k, lay->length);
        if (me.t == 0) {
            me.at[lay->diagonal + k] = by.diagonal;
            me.at[lay->head + k] = by.head;
            me.at[lay->beta + k] = -by.inverse * by.inverse_head;
        }
        real *next = pinv_group_lengths(lay, &me, k + 1);
        for (int32_t j = k + 1 + me.t; j < lay->count; j += lay->n_threads)
            next[j] = pinv_reflection_apply(&by, k, lay->length, me.at + lay->q + j * lay->q_row);
        for (int32_t j = me.t; j < lay->n_sides; j += lay->n_threads)
            (void)pinv_reflection_apply(&by, k, lay->length, me.at + lay->sides + j * lay->side_row);
    });
}

/* The rank by the sizes x[0 … count − 1] of a group's matrix, which is matrix i: nothing of one that is not finite. */
LANE_FUNCTION sarrus_rank_decision pinv_group_rank(const pinv_group *group, const pinv_member *me, uint64_t i, const real *x,
                                                   int32_t count) {
    const sarrus_cuda_pinv_call *call = group->call;
    const sarrus_rank_rule rule = {call->rank_method, call->rank_tolerance, 0};
    const real max_rank = call->max_rank != nullptr ? call->max_rank[i] : count;
    const real violation = call->violation != nullptr ? call->violation[i] : 0.0;
    const sarrus_rank_limit limit = {max_rank, max_rank, violation, me->at[group->lay->scalars + PINV_SCALE], 1.0};
    const sarrus_rank_decision none = {0.0, (real)NAN, (real)NAN};
    const bool is_active = me->at[group->lay->scalars + PINV_ACTIVE] != 0.0;
    return is_active ? sarrus_rank_decide(&rule, &limit, call->m, call->n, x, 1, count) : none;
}

/* What the caller wants to know of matrix i. */
LANE_FUNCTION void pinv_group_write(const sarrus_cuda_pinv_call *call, uint64_t i, const sarrus_rank_decision *found,
                                    real n_sweeps) {
    if (call->rank != nullptr)
        call->rank[i] = (int32_t)found->rank;
    if (call->kept != nullptr)
        call->kept[i] = found->kept;
    if (call->dropped != nullptr)
        call->dropped[i] = found->dropped;
    if (call->n_sweeps != nullptr)
        call->n_sweeps[i] = n_sweeps;
}

/* The matrices of warp i_warp. */
LANE_FUNCTION pinv_group pinv_group_of(const sarrus_cuda_pinv_call *call, const pinv_group_layout *lay, uint64_t i_warp,
                                       double *shared) {
    const uint64_t first = i_warp * (uint64_t)lay->n_groups, left = call->n_matrices - first;
    const pinv_group out = {call, lay, {shared}, first, left < (uint64_t)lay->n_groups ? (int32_t)left : lay->n_groups};
    return out;
}

#endif

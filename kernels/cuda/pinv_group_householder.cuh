/* X = A⁺ B or A⁺ by least squares, with some threads a matrix: what `householder` of kernels/pinv/householder.h computes
 * (S5 eqs 12 to 17), in another order.
 *
 *   A P = Q R                       pinv_group_qr.cuh; B, or the unit matrix, goes along and becomes Qᵀ B
 *   R = [R11 R12; 0 0],  [R11 R12] = [T 0] Z,  X = P Zᵀ [T⁻¹ (Qᵀ B)_1; 0]
 *
 * with R11 of the rank r that is decided on |R_kk|, and Z = H_0 … H_{r−1} reflections from the right: the last row first, each
 * clears its part of R12. The threads of a group share out the columns of A and of B in the QR, the rows above the one that is
 * cleared, and then the columns of X, which need one another no more. */
#ifndef SARRUS_CUDA_PINV_GROUP_HOUSEHOLDER_H
#define SARRUS_CUDA_PINV_GROUP_HOUSEHOLDER_H

#include "kernels/cuda/pinv_group_qr.cuh"

/* Columns of B or of the unit matrix, and in `rotated` NaN for a side that is not finite. */
LANE_FUNCTION void pinv_sides_load(const pinv_group *group) {
    const pinv_group_layout *lay = group->lay;
    const sarrus_cuda_pinv_call *call = group->call;
    group->warp.each([=](int32_t i_thread) {
        pinv_member me;
        if (!pinv_member_is(group, i_thread, PINV_THERE, &me))
            return;
        const uint64_t i_matrix = group->first + (uint64_t)(i_thread / lay->n_threads);
        const double *b = call->is_explicit ? nullptr : call->b + i_matrix * (uint64_t)(call->m * call->n_rhs);
        real spoilt = real_set(0.0);
        for (int32_t j = me.t; j < lay->n_sides; j += lay->n_threads) {
            real *side = me.at + lay->sides + j * lay->side_row;
            for (int32_t i = 0; i < lay->length; ++i) {
                side[i] = call->is_explicit ? (i == j ? 1.0 : 0.0) : b[i * call->n_rhs + j];
                spoilt = spoilt + (side[i] - side[i]);
            }
        }
        me.at[lay->rotated + me.t] = spoilt;
    });
}

/* |R_kk| and 1/R_kk. */
LANE_FUNCTION void pinv_pivots_judge(const pinv_group *group, int32_t n_steps) {
    const pinv_group_layout *lay = group->lay;
    group->warp.each([=](int32_t i_thread) {
        pinv_member me;
        if (!pinv_member_is(group, i_thread, PINV_ACTIVE, &me))
            return;
        for (int32_t k = me.t; k < n_steps; k += lay->n_threads) {
            me.at[lay->sorted + k] = real_abs(me.at[lay->diagonal + k]);
            me.at[lay->beta + k] = real_inverse_or_zero(me.at[lay->diagonal + k]);
        }
    });
}

/* The rank; RUNNING where R12 is to be cleared. Thread 0's. */
LANE_FUNCTION void pinv_pivots_decide(const pinv_group *group, int32_t n_steps) {
    const pinv_group_layout *lay = group->lay;
    const sarrus_cuda_pinv_call *call = group->call;
    group->warp.each([=](int32_t i_thread) {
        pinv_member me;
        if (!pinv_member_is(group, i_thread, PINV_THERE, &me) || me.t > 0)
            return;
        const uint64_t i = group->first + (uint64_t)(i_thread / lay->n_threads);
        const sarrus_rank_decision found = pinv_group_rank(group, &me, i, me.at + lay->sorted, n_steps);
        me.at[lay->scalars + PINV_RANK] = found.rank;
        me.at[lay->scalars + PINV_RUNNING] = found.rank > 0.0 && found.rank < call->n ? 1.0 : 0.0;
        pinv_group_write(call, i, &found, real_set(0.0));
    });
}

/* What clears a row of R12: H = I − β v vᵀ, v = head at R_ii, the row itself beyond. */
struct pinv_turn {
    real head, beta, inverse; /* 1/R_ii after it */
};

LANE_FUNCTION pinv_turn pinv_turn_find(const pinv_group_layout *lay, const pinv_member *me, int32_t i, int32_t rank) {
    const real top = me->at[lay->diagonal + i];
    real square = top * top;
    for (int32_t j = rank; j < lay->count; ++j) {
        const real x = me->at[lay->q + j * lay->q_row + i];
        square = real_fma(x, x, square);
    }
    const real norm = real_sqrt(square), shift = real_select(real_lt(top, real_set(0.0)), -norm, norm);
    const pinv_turn out = {top + shift, real_set(1.0) / real_fma(real_abs(top), norm, square), real_set(-1.0) / shift};
    return out;
}

/* H_i on row l of R. */
LANE_FUNCTION void pinv_turn_row(const pinv_group_layout *lay, const pinv_member *me, const pinv_turn *by, int32_t i, int32_t rank,
                                 int32_t l) {
    real *own = me->at + lay->q + i * lay->q_row + l, f = by->head * *own;
    for (int32_t j = rank; j < lay->count; ++j) {
        const real *column = me->at + lay->q + j * lay->q_row;
        f = real_fma(column[i], column[l], f);
    }
    f = by->beta * f;
    *own = real_fnma(f, by->head, *own);
    for (int32_t j = rank; j < lay->count; ++j) {
        real *column = me->at + lay->q + j * lay->q_row;
        column[l] = real_fnma(f, column[i], column[l]);
    }
}

/* R ← R H_i; the head, β and 1/R_ii of it stand in norm2, next and beta. Row i and R_ii are only read. */
LANE_FUNCTION void pinv_row_clear(const pinv_group *group, int32_t i) {
    const pinv_group_layout *lay = group->lay;
    group->warp.each([=](int32_t i_thread) {
        pinv_member me;
        if (!pinv_member_is(group, i_thread, PINV_RUNNING, &me))
            return;
        const int32_t rank = (int32_t)me.at[lay->scalars + PINV_RANK];
        if (i >= rank)
            return;
        const pinv_turn by = pinv_turn_find(lay, &me, i, rank);
        if (me.t == 0) {
            me.at[lay->norm2 + i] = by.head;
            me.at[lay->next + i] = by.beta;
            me.at[lay->beta + i] = by.inverse;
        }
        for (int32_t l = me.t; l < i; l += lay->n_threads)
            pinv_turn_row(lay, &me, &by, i, rank, l);
    });
}

/* y ← [T⁻¹ y; 0]. */
LANE_FUNCTION void pinv_side_solve(const pinv_group_layout *lay, const pinv_member *me, int32_t rank, real *y) {
    for (int32_t i = rank - 1; i >= 0; --i) {
        real sum = y[i];
        for (int32_t j = rank - 1; j > i; --j)
            sum = real_fnma(me->at[lay->q + j * lay->q_row + i], y[j], sum);
        y[i] = sum * me->at[lay->beta + i];
    }
    for (int32_t i = rank; i < lay->count; ++i)
        y[i] = real_set(0.0);
}

/* y ← Zᵀ y. */
LANE_FUNCTION void pinv_side_turn(const pinv_group_layout *lay, const pinv_member *me, int32_t rank, real *y) {
    for (int32_t i = 0; i < rank; ++i) {
        const real head = me->at[lay->norm2 + i];
        real f = head * y[i];
        for (int32_t j = rank; j < lay->count; ++j)
            f = real_fma(me->at[lay->q + j * lay->q_row + i], y[j], f);
        f = me->at[lay->next + i] * f;
        y[i] = real_fnma(f, head, y[i]);
        for (int32_t j = rank; j < lay->count; ++j)
            y[j] = real_fnma(f, me->at[lay->q + j * lay->q_row + i], y[j]);
    }
}

LANE_FUNCTION void pinv_sides_finish(const pinv_group *group) {
    const pinv_group_layout *lay = group->lay;
    group->warp.each([=](int32_t i_thread) {
        pinv_member me;
        if (!pinv_member_is(group, i_thread, PINV_ACTIVE, &me))
            return;
        const int32_t rank = (int32_t)me.at[lay->scalars + PINV_RANK];
        for (int32_t j = me.t; j < lay->n_sides; j += lay->n_threads) {
            real *y = me.at + lay->sides + j * lay->side_row;
            pinv_side_solve(lay, &me, rank, y);
            if (me.at[lay->scalars + PINV_RUNNING] != 0.0)
                pinv_side_turn(lay, &me, rank, y);
        }
    });
}

/* X = s P y, row by row over all groups. */
LANE_FUNCTION void pinv_sides_store(const pinv_group *group) {
    const pinv_group_layout *lay = group->lay;
    const int32_t n_columns = lay->n_sides, n_x = lay->count * n_columns;
    double *x = group->call->x + group->first * (uint64_t)n_x;
    group->warp.each([=](int32_t i_thread) {
        for (int32_t i = i_thread; i < group->n_here * n_x; i += WARP_THREADS) {
            const int32_t i_group = i / n_x, k = i % n_x / n_columns, j = i % n_columns;
            const real *at = group->warp.shared + i_group * lay->size;
            real spoilt = real_set(0.0);
            for (int32_t t = 0; !group->call->is_explicit && t < lay->n_threads; ++t)
                spoilt = spoilt + at[lay->rotated + t];
            const bool is_good = at[lay->scalars + PINV_ACTIVE] != 0.0 && spoilt == 0.0;
            const int32_t row = is_good ? (int32_t)at[lay->place + k] : k;
            const real y = at[lay->sides + j * lay->side_row + k];
            x[i_group * n_x + row * n_columns + j] = is_good ? y * at[lay->scalars + PINV_SCALE] + 0.0 : (double)NAN;
        }
    });
}

/* All of it for the matrices of warp i_warp, with lay->n_groups · lay->size doubles of shared memory. */
LANE_FUNCTION void pinv_group_householder(const sarrus_cuda_pinv_call *call, const pinv_group_layout *lay, uint64_t i_warp,
                                          double *shared) {
    const int32_t n_steps = lay->count < lay->length ? lay->count : lay->length;
    const pinv_group whole = pinv_group_of(call, lay, i_warp, shared), *group = &whole;
    pinv_group_load(group);
    pinv_group_judge(group);
    pinv_group_scale(group);
    pinv_sides_load(group);
    for (int32_t k = 0; k < n_steps; ++k) {
        pinv_group_exchange(group, k);
        pinv_group_reflect(group, k);
    }
    pinv_pivots_judge(group, n_steps);
    pinv_pivots_decide(group, n_steps);
    const bool is_short = group->warp.any([=](int32_t i_thread) {
        pinv_member me;
        return pinv_member_is(group, i_thread, PINV_RUNNING, &me);
    });
    for (int32_t i = n_steps - 1; is_short && i >= 0; --i)
        pinv_row_clear(group, i);
    pinv_sides_finish(group);
    pinv_sides_store(group);
}

#endif

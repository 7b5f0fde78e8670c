/* X = A⁺ B or A⁺ by singular values, with some threads a matrix: what `svd` of kernels/pinv/svd.h computes, in another order.
 *
 *   T P = Q R           pinv_group_qr.cuh, T the tall one of A, Aᵀ
 *   Gᵀ R Pᵀ = Σ Wᵀ      one-sided Jacobi on the rows; every thread takes one of the count/2 disjoint pairs of a round
 *   tall   A⁺ = Σ_i w_i (Gᵀ Qᵀ)_i / σ_i,   wide   A⁺ = Σ_i (Gᵀ Qᵀ)_iᵀ w_iᵀ / σ_i
 *
 * A group is count/2 threads of one warp. A warp runs until its slowest group has converged; a group that has does nothing more. */
#ifndef SARRUS_CUDA_PINV_GROUP_SVD_H
#define SARRUS_CUDA_PINV_GROUP_SVD_H

#include "kernels/cuda/pinv_group_qr.cuh"

/* d ← R Pᵀ. */
LANE_FUNCTION void pinv_group_unpivot(const pinv_group *group) {
    const pinv_group_layout *lay = group->lay;
    group->warp.each([=](int32_t i_thread) {
        pinv_member me;
        if (!pinv_member_is(group, i_thread, PINV_ACTIVE, &me))
            return;
        for (int32_t i = me.t; i < lay->count; i += lay->n_threads) {
            real *row = me.at + lay->d + i * lay->d_row;
            for (int32_t j = 0; j < lay->count; ++j) {
                const real above = j == i ? me.at[lay->diagonal + i] : me.at[lay->q + j * lay->q_row + i];
                row[(int32_t)me.at[lay->place + j]] = j < i ? real_set(0.0) : above;
            }
        }
    });
}

/* Column k of Q, and the reflection k of those after it: q holds v below row k until then. */
LANE_FUNCTION void pinv_group_form(const pinv_group *group, int32_t k) {
    const pinv_group_layout *lay = group->lay;
    group->warp.each([=](int32_t i_thread) {
        pinv_member me;
        if (!pinv_member_is(group, i_thread, PINV_ACTIVE, &me))
            return;
        const real *x = me.at + lay->q + k * lay->q_row;
        const real head = me.at[lay->head + k], beta = me.at[lay->beta + k];
        for (int32_t j = k + 1 + me.t; j < lay->count; j += lay->n_threads) {
            real *a = me.at + lay->q + j * lay->q_row;
            const real f = beta * sarrus_row_product(x + k + 1, a + k + 1, lay->length - k - 1);
            a[k] = -f * head;
            for (int32_t i = k + 1; i < lay->length; ++i)
                a[i] = real_fnma(f, x[i], a[i]);
        }
    });
    group->warp.each([=](int32_t i_thread) {
        pinv_member me;
        if (!pinv_member_is(group, i_thread, PINV_ACTIVE, &me))
            return;
        real *x = me.at + lay->q + k * lay->q_row;
        const real head = me.at[lay->head + k], f = me.at[lay->beta + k] * head;
        for (int32_t i = k + me.t; i < lay->length; i += lay->n_threads)
            x[i] = i == k ? real_fnma(f, head, real_set(1.0)) : -f * x[i];
    });
}

/* --- Σ and W ---------------------------------------------------------------------------------------------------------- */

/* Squared lengths of the rows, then what they count as noise by. */
LANE_FUNCTION void pinv_group_norms(const pinv_group *group) {
    const pinv_group_layout *lay = group->lay;
    const real floor = sarrus_rank_floor(group->call->m, group->call->n);
    group->warp.each([=](int32_t i_thread) {
        pinv_member me;
        if (!pinv_member_is(group, i_thread, PINV_RUNNING, &me))
            return;
        for (int32_t i = me.t; i < lay->count; i += lay->n_threads) {
            const real *row = me.at + lay->d + i * lay->d_row;
            me.at[lay->norm2 + i] = sarrus_row_product(row, row, lay->count);
        }
        me.at[lay->rotated + me.t] = real_set(0.0);
    });
    group->warp.each([=](int32_t i_thread) {
        pinv_member me;
        if (!pinv_member_is(group, i_thread, PINV_RUNNING, &me) || me.t > 0)
            return;
        real largest = real_set(0.0);
        for (int32_t i = 0; i < lay->count; ++i)
            largest = real_max(me.at[lay->norm2 + i], largest);
        me.at[lay->scalars + PINV_NOISE] = largest * (floor * floor);
    });
}

/* Pair t of a round: i + j ≡ round modulo count. False when there are fewer. */
LANE_FUNCTION bool pinv_group_pair(int32_t count, int32_t round, int32_t t, int32_t *i, int32_t *j) {
    const int32_t is_between = count % 2 == 0 && round % 2 == 1; /* the rows of a pair lie about a place between two rows */
    const int32_t centre = round % 2 == 0 || is_between ? round / 2 : (round + count) / 2;
    int32_t low = centre - t - 1 + is_between, high = centre + t + 1;
    if (high - low >= count)
        return false;
    low += low < 0 ? count : 0;
    high -= high >= count ? count : 0;
    *i = low < high ? low : high;
    *j = low < high ? high : low;
    return true;
}

/* A row that stays in registers from its product to its rotation when its length is known. */
template <int32_t WIDTH> struct pinv_row {
    real x[WIDTH];
    __device__ __forceinline__ pinv_row(const real *from) {
#pragma unroll
        for (int32_t k = 0; k < WIDTH; ++k)
            x[k] = from[k];
    }
    __device__ __forceinline__ void put(real *to) const {
#pragma unroll
        for (int32_t k = 0; k < WIDTH; ++k)
            to[k] = x[k];
    }
    __device__ __forceinline__ real *at() {
        return x;
    }
};

/* A row of any length, where it lies. */
template <> struct pinv_row<0> {
    real *x;
    __device__ __forceinline__ pinv_row(real *from) : x(from) {
    }
    __device__ __forceinline__ void put(real *) const {
    }
    __device__ __forceinline__ real *at() {
        return x;
    }
};

/* Rows i and j of an array [count][width], `row` apart, rotated. */
template <int32_t WIDTH>
LANE_FUNCTION void pinv_rows_turn(real *rows, int32_t row, int32_t width, const sarrus_sweep_rotation *by) {
    pinv_row<WIDTH> x(rows + by->i * row), y(rows + by->j * row);
    sarrus_rows_rotate(x.at(), y.at(), width, by->c, by->g);
    x.put(rows + by->i * row);
    y.put(rows + by->j * row);
}

/* COUNT, LENGTH: of the layout when the compiler knows them, else 0. */
template <int32_t COUNT, int32_t LENGTH> LANE_FUNCTION void pinv_group_round(const pinv_group *group, int32_t round) {
    const pinv_group_layout *lay = group->lay;
    const real relative = real_set(2.220446049250313e-16 * lay->count);
    group->warp.each([=](int32_t i_thread) {
        pinv_member me;
        sarrus_sweep_pair pair;
        if (!pinv_member_is(group, i_thread, PINV_RUNNING, &me) || !pinv_group_pair(lay->count, round, me.t, &pair.i, &pair.j))
            return;
        const real noise = me.at[lay->scalars + PINV_NOISE];
        const real alpha = me.at[lay->norm2 + pair.i], beta = me.at[lay->norm2 + pair.j];
        if (!real_lt(noise, alpha) || !real_lt(noise, beta))
            return;
        real *first = me.at + lay->d + pair.i * lay->d_row, *second = me.at + lay->d + pair.j * lay->d_row;
        pinv_row<COUNT> x(first), y(second);
        pair.product = sarrus_row_product(x.at(), y.at(), lay->count);
        pair.on = real_lt(relative * relative * (alpha * beta), pair.product * pair.product);
        if (!pair.on)
            return;
        const sarrus_sweep_rows rows = {lay->count, lay->count,         1,      me.at + lay->d, me.at + lay->norm2,
                                        {0, 0},     {nullptr, nullptr}, nullptr};
        sarrus_sweep_rotation by;
        sarrus_sweep_angle(&rows, &pair, &by);
        sarrus_rows_rotate(x.at(), y.at(), lay->count, by.c, by.g);
        x.put(first);
        y.put(second);
        pinv_rows_turn<LENGTH>(me.at + lay->q, lay->q_row, lay->length, &by);
        me.at[lay->rotated + me.t] += 1.0;
        me.at[lay->turns + me.t] += 1.0;
    });
}

/* Sweeps until no group has rotated anything. */
template <int32_t COUNT, int32_t LENGTH> LANE_FUNCTION void pinv_group_sweep(const pinv_group *group) {
    const pinv_group_layout *lay = group->lay;
    bool is_running = true;
    for (int32_t sweep = 0; is_running && sweep < SARRUS_SWEEP_CAP; ++sweep) {
        pinv_group_norms(group);
        for (int32_t round = 1; round <= lay->count; ++round)
            pinv_group_round<COUNT, LENGTH>(group, round % lay->count);
        is_running = group->warp.any([=](int32_t i_thread) {
            pinv_member me;
            if (!pinv_member_is(group, i_thread, PINV_ACTIVE, &me))
                return false;
            real n_rotated = real_set(0.0);
            for (int32_t t = 0; t < lay->n_threads; ++t)
                n_rotated = n_rotated + me.at[lay->rotated + t];
            if (me.t == 0)
                me.at[lay->scalars + PINV_RUNNING] = n_rotated > 0.0 ? 1.0 : 0.0;
            return n_rotated > 0.0;
        });
    }
    if (is_running)
        pinv_group_norms(group);
}

/* --- The decision, and X ---------------------------------------------------------------------------------------------- */

/* σ, and where each stands among them. */
LANE_FUNCTION void pinv_group_sort(const pinv_group *group) {
    const pinv_group_layout *lay = group->lay;
    group->warp.each([=](int32_t i_thread) {
        pinv_member me;
        if (!pinv_member_is(group, i_thread, PINV_ACTIVE, &me))
            return;
        const real *norm2 = me.at + lay->norm2;
        for (int32_t i = me.t; i < lay->count; i += lay->n_threads) {
            int32_t place = 0;
            for (int32_t j = 0; j < lay->count; ++j)
                place += norm2[i] < norm2[j] || (norm2[i] == norm2[j] && j < i) ? 1 : 0;
            const real square = real_select(real_lt(norm2[i], real_set(SARRUS_SPECTRUM_TINY)), real_set(0.0), norm2[i]);
            me.at[lay->sorted + place] = me.at[lay->sigma + i] = real_sqrt(square);
        }
    });
}

/* The rank, and σ of the largest row that does not count: as sarrus_spectrum_keep. Thread 0's, but for the reports. */
LANE_FUNCTION void pinv_group_decide(const pinv_group *group) {
    const pinv_group_layout *lay = group->lay;
    const sarrus_cuda_pinv_call *call = group->call;
    group->warp.each([=](int32_t i_thread) {
        pinv_member me;
        if (!pinv_member_is(group, i_thread, PINV_THERE, &me) || me.t > 0)
            return;
        const uint64_t i = group->first + (uint64_t)(i_thread / lay->n_threads);
        sarrus_rank_decision found = pinv_group_rank(group, &me, i, me.at + lay->sorted, lay->count);
        real n_turns = real_set(0.0), edge = real_set(0.0);
        if (me.at[lay->scalars + PINV_ACTIVE] != 0.0) {
            for (int32_t k = 0; k < lay->count; ++k)
                edge = found.rank == k ? me.at[lay->sorted + k] : edge;
            found.rank = real_set(0.0);
            for (int32_t k = 0; k < lay->count; ++k)
                found.rank = found.rank + (edge < me.at[lay->sigma + k] ? 1.0 : 0.0);
            for (int32_t t = 0; t < lay->n_threads; ++t)
                n_turns = n_turns + me.at[lay->turns + t];
            me.at[lay->scalars + PINV_EDGE] = edge;
        }
        const int32_t n_pairs = lay->count * (lay->count - 1) / 2;
        pinv_group_write(call, i, &found, n_turns * real_set(1.0 / (n_pairs > 0 ? n_pairs : 1)));
    });
}

/* d_i ← d_i / σ_i² for what counts, 0 for what does not. */
LANE_FUNCTION void pinv_group_weigh(const pinv_group *group) {
    const pinv_group_layout *lay = group->lay;
    group->warp.each([=](int32_t i_thread) {
        pinv_member me;
        if (!pinv_member_is(group, i_thread, PINV_ACTIVE, &me))
            return;
        for (int32_t i = me.t; i < lay->count; i += lay->n_threads) {
            const bool is_kept = me.at[lay->scalars + PINV_EDGE] < me.at[lay->sigma + i];
            const real f = is_kept ? real_set(1.0) / me.at[lay->norm2 + i] : real_set(0.0);
            for (int32_t k = 0; k < lay->count; ++k)
                me.at[lay->d + i * lay->d_row + k] *= f;
        }
    });
}

/* sides ← P B with P the rows that B's own rows belong to: E of a tall matrix, D of a wide one. */
LANE_FUNCTION void pinv_group_project(const pinv_group *group) {
    const pinv_group_layout *lay = group->lay;
    const int32_t m = group->call->m, n_rhs = group->call->n_rhs, n_b = m * n_rhs;
    group->warp.each([=](int32_t i_thread) {
        pinv_member me;
        if (!pinv_member_is(group, i_thread, PINV_ACTIVE, &me))
            return;
        const double *b = group->call->b + (group->first + (uint64_t)(i_thread / lay->n_threads)) * (uint64_t)n_b;
        real spoilt = real_set(0.0);
        for (int32_t k = me.t; k < n_b; k += lay->n_threads)
            spoilt = spoilt + (b[k] - b[k]);
        me.at[lay->rotated + me.t] = spoilt;
        for (int32_t i = me.t; i < lay->count * n_rhs; i += lay->n_threads) {
            const int32_t row = i / n_rhs;
            const real *p = me.at + (lay->is_turned ? lay->d + row * lay->d_row : lay->q + row * lay->q_row);
            real sum = real_set(0.0);
            for (int32_t k = 0; k < m; ++k)
                sum = real_fma(p[k], b[k * n_rhs + i % n_rhs], sum);
            me.at[lay->sides + i] = sum;
        }
    });
}

/* X[k][j] = Σ_i left_i[k] right_i[j], written side by side over all groups. */
LANE_FUNCTION void pinv_group_combine(const pinv_group *group) {
    const pinv_group_layout *lay = group->lay;
    const sarrus_cuda_pinv_call *call = group->call;
    const int32_t n_columns = call->is_explicit ? call->m : call->n_rhs, n_x = call->n * n_columns;
    const int32_t left = lay->is_turned ? lay->q : lay->d, left_row = lay->is_turned ? lay->q_row : lay->d_row;
    const int32_t other = lay->is_turned ? lay->d : lay->q, other_row = lay->is_turned ? lay->d_row : lay->q_row;
    const int32_t right = call->is_explicit ? other : lay->sides, right_row = call->is_explicit ? other_row : n_columns;
    double *x = call->x + group->first * (uint64_t)n_x;
    group->warp.each([=](int32_t i_thread) {
        for (int32_t i = i_thread; i < group->n_here * n_x; i += WARP_THREADS) {
            const real *at = group->warp.shared + i / n_x * lay->size;
            const int32_t k = i % n_x / n_columns, j = i % n_x % n_columns;
            real sum = real_set(0.0), spoilt = real_set(0.0);
            for (int32_t c = 0; c < lay->count; ++c)
                sum = real_fma(at[left + c * left_row + k], at[right + c * right_row + j], sum);
            for (int32_t t = 0; !call->is_explicit && t < lay->n_threads; ++t)
                spoilt = spoilt + at[lay->rotated + t];
            const bool is_good = at[lay->scalars + PINV_ACTIVE] != 0.0 && spoilt == 0.0;
            x[i] = is_good ? sum * at[lay->scalars + PINV_SCALE] + 0.0 : (double)NAN;
        }
    });
}

/* All of it for the matrices of warp i_warp, with lay->n_groups · lay->size doubles of shared memory. */
template <int32_t COUNT, int32_t LENGTH>
LANE_FUNCTION void pinv_group_svd(const sarrus_cuda_pinv_call *call, const pinv_group_layout *lay, uint64_t i_warp,
                                  double *shared) {
    const pinv_group whole = pinv_group_of(call, lay, i_warp, shared), *group = &whole;
    pinv_group_load(group);
    pinv_group_judge(group);
    pinv_group_scale(group);
    for (int32_t k = 0; k < lay->count; ++k) {
        pinv_group_exchange(group, k);
        pinv_group_reflect(group, k);
    }
    pinv_group_unpivot(group);
    for (int32_t k = lay->count - 1; k >= 0; --k)
        pinv_group_form(group, k);
    group->warp.each([=](int32_t i_thread) {
        pinv_member me;
        if (pinv_member_is(group, i_thread, PINV_THERE, &me))
            me.at[lay->turns + me.t] = me.at[lay->rotated + me.t] = real_set(0.0);
    });
    pinv_group_sweep<COUNT, LENGTH>(group);
    pinv_group_sort(group);
    pinv_group_decide(group);
    pinv_group_weigh(group);
    if (!call->is_explicit)
        pinv_group_project(group);
    pinv_group_combine(group);
}

#endif

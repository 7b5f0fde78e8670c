/* Expands the pseudoinverse methods for CUDA: a warp is a tile of 32 matrices and a thread is a lane, as in fused.cuh. One kernel
 * for all methods: its registers are those of the greediest, held to what lets 16 warps be at work on a multiprocessor. */
#ifndef SARRUS_CUDA_PINV_THREAD_H
#define SARRUS_CUDA_PINV_THREAD_H

#include "kernels/cuda/pinv_call.h"
#include "kernels/pinv/methods.h"

static_assert(SARRUS_CUDA_PINV_WIDTH == LANE_WIDTH, "the host lays out the work space for this width");

/* Warps share nothing: small blocks spread small batches over all multiprocessors. */
static const int PINV_BLOCKS = 8, PINV_TILES_PER_BLOCK = SARRUS_CUDA_PINV_THREADS / LANE_WIDTH;

/* This thread's lane of a slot of the work space. */
struct pinv_slot {
    real *a, *b, *x, *work;
};

static __device__ pinv_slot slot_of(const sarrus_cuda_pinv_call *call, int32_t i_slot) {
    pinv_slot slot;
    slot.a = call->work + (size_t)i_slot * call->n_work_arrays * LANE_WIDTH + threadIdx.x % LANE_WIDTH;
    slot.b = lane_from(slot.a, call->m * call->n);
    slot.x = lane_from(slot.b, call->m * call->n_rhs);
    slot.work = lane_from(slot.x, call->n * (call->is_explicit ? call->m : call->n_rhs));
    return slot;
}

/* lane ← count numbers at `from`; returns whether all of them are finite. What is not is worked on as zeros. */
static __device__ bool numbers_take(const double *from, int32_t count, real *lane) {
    double spoilt = 0.0;
    for (int32_t i = 0; i < count; ++i) {
        const double number = from[i];
        spoilt += number - number; /* 0, or NaN of an infinity and of a NaN */
        lane_at(lane, i) = number;
    }
    for (int32_t i = 0; spoilt != 0.0 && i < count; ++i)
        lane_at(lane, i) = 0.0;
    return spoilt == 0.0;
}

static __device__ void decision_write(const sarrus_cuda_pinv_call *call, uint64_t i, bool is_finite,
                                      const sarrus_pinv_lanes *lanes) {
    if (call->rank != nullptr)
        call->rank[i] = is_finite ? (int32_t)lanes->found.rank : 0;
    if (call->kept != nullptr)
        call->kept[i] = is_finite ? lanes->found.kept : (double)NAN;
    if (call->dropped != nullptr)
        call->dropped[i] = is_finite ? lanes->found.dropped : (double)NAN;
    if (call->n_sweeps != nullptr)
        call->n_sweeps[i] = lanes->n_sweeps;
}

/* One matrix, in the thread's lane of its slot. */
static __device__ void matrix_run(const sarrus_cuda_pinv_call *call, const pinv_slot *slot, uint64_t i) {
    const int32_t n_a = call->m * call->n, n_b = call->m * call->n_rhs, n_x = call->n * (n_b > 0 ? call->n_rhs : call->m);
    const sarrus_pinv_shape shape = {call->method, call->m,           call->n,
                                     call->n_rhs,  call->is_explicit, {call->rank_method, call->rank_tolerance}};
    sarrus_pinv_lanes lanes = {};
    const bool is_finite = numbers_take(call->a + i * n_a, n_a, slot->a);
    const bool is_finite_b = numbers_take(n_b > 0 ? call->b + i * n_b : call->a, n_b, slot->b);
    const int32_t most = call->m < call->n ? call->m : call->n;
    const real max_rank = call->max_rank != nullptr ? call->max_rank[i] : most;
    lanes.a = slot->a;
    lanes.b = slot->b;
    lanes.x = slot->x;
    lanes.work = slot->work;
    lanes.active = true;
    lanes.limit = {max_rank, max_rank, call->violation != nullptr ? call->violation[i] : 0.0, 1.0, 1.0};
    sarrus_pinv_run(&shape, &lanes);
    for (int32_t k = 0; k < n_x; ++k)
        call->x[i * n_x + k] = is_finite && is_finite_b ? lane_at(slot->x, k) : (double)NAN;
    decision_write(call, i, is_finite, &lanes);
}

static __global__ void __launch_bounds__(SARRUS_CUDA_PINV_THREADS, PINV_BLOCKS)
    pinv_kernel(const __grid_constant__ sarrus_cuda_pinv_call call) {
    const int32_t i_slot = (int32_t)(blockIdx.x * PINV_TILES_PER_BLOCK + threadIdx.x / LANE_WIDTH);
    if (i_slot >= call.n_slots)
        return;
    const pinv_slot slot = slot_of(&call, i_slot);
    const uint64_t step = (uint64_t)call.n_slots * LANE_WIDTH;
    for (uint64_t i = (uint64_t)i_slot * LANE_WIDTH + threadIdx.x % LANE_WIDTH; i < call.n_matrices; i += step)
        matrix_run(&call, &slot, i);
}

#endif

/* What the kernels of the staged path (staged.h) share. A thread is a member in the kernels that evaluate
 * (staged_member.cuh), a slot in those that work on the batch (staged_slots.cuh). */
#ifndef SARRUS_CUDA_STAGED_LAUNCH_CUH
#define SARRUS_CUDA_STAGED_LAUNCH_CUH

#include "kernels/cuda/queue.cuh"
#include "kernels/cuda/staged.h"
#include "kernels/pinv/rank.h"

/* Two warps a block, as the fused kernels. */
static const int STAGED_THREADS = 2 * LANE_WIDTH;

/* A launch with everything by value, so that it lies in constant memory. */
struct staged_launch {
    sarrus_mechanism mech;
    sarrus_cuda_lanes lanes;
    sarrus_staged_arrays at;
    int32_t n_members, is_gram, has_all, may_ask, m, n_slots;
};

static staged_launch staged_launch_of(const sarrus_staged_call *call) {
    staged_launch work = {*call->base.mech, call->base.lanes, call->arrays, call->n_members, call->is_gram,
                          call->has_all,    call->may_ask,    call->m,      call->n_slots};
    return work;
}

static cuda_grid staged_grid(const sarrus_staged_call *call, int32_t n_threads) {
    return {(unsigned)((n_threads + STAGED_THREADS - 1) / STAGED_THREADS), (unsigned)STAGED_THREADS, 0, call->base.stream};
}

static_assert(sizeof(staged_launch) + sizeof(sarrus_clock) + 2 * sizeof(int32_t) <= SARRUS_CUDA_PARAMETERS, "of the step kernel");
static_assert(sizeof(staged_launch) + sizeof(double) + sizeof(sarrus_observe_request) + sizeof(double *) <= SARRUS_CUDA_PARAMETERS,
              "of the kernel that observes");

static __device__ int32_t staged_thread() {
    return (int32_t)(blockIdx.x * STAGED_THREADS + threadIdx.x);
}

/* Array i of answer `k`, at the member's place. */
static __device__ double *staged_answer(const staged_launch *work, int32_t k, int32_t i, int32_t member) {
    return work->at.answer + ((size_t)k * (size_t)(work->mech.n_v + 3) + (size_t)i) * (size_t)work->n_members + member;
}

#endif

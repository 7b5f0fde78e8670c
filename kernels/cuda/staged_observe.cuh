/* The kernel that observes. */
#ifndef SARRUS_CUDA_STAGED_OBSERVE_CUH
#define SARRUS_CUDA_STAGED_OBSERVE_CUH

#include "kernels/cuda/staged_member.cuh"
#include "kernels/step/observe.h"

static __global__ void staged_observe_kernel(const __grid_constant__ staged_launch work,
                                             const __grid_constant__ sarrus_observe_request want, double *out) {
    staged_member who;
    if (!staged_begin(&work, &who))
        return;
    const size_t i_tile = (size_t)(who.index / LANE_WIDTH), lane = (size_t)(who.index % LANE_WIDTH);
    sarrus_observe(&who.ev, who.tile, &want, out + i_tile * (size_t)want.n_arrays * LANE_WIDTH + lane);
    staged_end(&who);
}

#endif

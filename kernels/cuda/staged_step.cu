/* Launches the kernel of a stage. */
#include "kernels/cuda/staged_expansion.h"
#include "kernels/cuda/staged_step.cuh"

int sarrus_staged_planar_step(const sarrus_staged_call *call, const sarrus_clock *clock, int32_t stage) {
    staged_step_kernel<<<staged_blocks(call->n_members), STAGED_THREADS, 0, (cudaStream_t)call->base.stream>>>(
        staged_launch_of(call), *clock, stage);
    return cudaGetLastError();
}

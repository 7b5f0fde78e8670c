/* Launches the kernel of a stage. */
#include "kernels/cuda/staged_expansion.h"
#include "kernels/cuda/staged_step.cuh"

int sarrus_staged_planar_step(const sarrus_staged_call *call, const sarrus_clock *clock, int32_t stage) {
    return cuda_queue(staged_step_kernel, staged_grid(call, call->n_members), staged_launch_of(call), *clock, stage);
}

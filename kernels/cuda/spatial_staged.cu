/* The kernels of the staged path for mechanisms in space. */
#define SARRUS_KERNELS_SPATIAL
#include "kernels/cuda/staged_expansion.h"
#include "kernels/cuda/staged_observe.cuh"
#include "kernels/cuda/staged_resume.cuh"
#include "kernels/cuda/staged_step.cuh"

int sarrus_staged_spatial_step(const sarrus_staged_call *call, const sarrus_clock *clock, int32_t stage) {
    return cuda_queue(staged_step_kernel, staged_grid(call, call->n_members), staged_launch_of(call), *clock, stage);
}

int sarrus_staged_spatial_resume(const sarrus_staged_call *call) {
    return cuda_queue(staged_resume_kernel, staged_grid(call, call->n_members), staged_launch_of(call));
}

int sarrus_staged_spatial_observe(const sarrus_staged_call *call, const sarrus_observe_request *want, double *out) {
    return cuda_queue(staged_observe_kernel, staged_grid(call, call->n_members), staged_launch_of(call), *want, out);
}

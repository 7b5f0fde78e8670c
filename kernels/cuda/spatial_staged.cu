/* The kernels of the staged path for mechanisms in space. */
#define SARRUS_KERNELS_SPATIAL
#include "kernels/cuda/staged_expansion.h"
#include "kernels/cuda/staged_observe.cuh"
#include "kernels/cuda/staged_resume.cuh"
#include "kernels/cuda/staged_step.cuh"

int sarrus_staged_spatial_step(const sarrus_staged_call *call, const sarrus_clock *clock, int32_t stage) {
    staged_step_kernel<<<staged_blocks(call->n_members), STAGED_THREADS, 0, (cudaStream_t)call->base.stream>>>(
        staged_launch_of(call), *clock, stage);
    return cudaGetLastError();
}

int sarrus_staged_spatial_resume(const sarrus_staged_call *call) {
    staged_resume_kernel<<<staged_blocks(call->n_members), STAGED_THREADS, 0, (cudaStream_t)call->base.stream>>>(
        staged_launch_of(call));
    return cudaGetLastError();
}

int sarrus_staged_spatial_observe(const sarrus_staged_call *call, const sarrus_observe_request *want, double *out) {
    staged_observe_kernel<<<staged_blocks(call->n_members), STAGED_THREADS, 0, (cudaStream_t)call->base.stream>>>(
        staged_launch_of(call), *want, out);
    return cudaGetLastError();
}

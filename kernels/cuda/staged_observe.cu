/* Launches the kernel of the staged path that observes. */
#include "kernels/cuda/staged_expansion.h"
#include "kernels/cuda/staged_observe.cuh"

int sarrus_staged_planar_observe(const sarrus_staged_call *call, const sarrus_observe_request *want, double *out) {
    staged_observe_kernel<<<staged_blocks(call->n_members), STAGED_THREADS, 0, (cudaStream_t)call->base.stream>>>(
        staged_launch_of(call), *want, out);
    return cudaGetLastError();
}

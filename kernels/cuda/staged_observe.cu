/* Launches the kernel of the staged path that observes. */
#include "kernels/cuda/staged_expansion.h"
#include "kernels/cuda/staged_observe.cuh"

int sarrus_staged_planar_observe(const sarrus_staged_call *call, const sarrus_observe_request *want, double *out) {
    return cuda_queue(staged_observe_kernel, staged_grid(call, call->n_members), staged_launch_of(call), *want, out);
}

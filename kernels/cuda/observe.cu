/* Launches the kernel that looks. */
#include "kernels/cuda/expansion.h"
#include "kernels/cuda/observe.cuh"

int sarrus_cuda_planar_observe(const sarrus_cuda_call *call, const sarrus_cuda_observation *what, double *out) {
    return cuda_queue(observe_kernel, grid_of(call), launch_of(call), *what, out);
}

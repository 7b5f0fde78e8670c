/* Launches the kernel that goes many steps. */
#include "kernels/cuda/advance.cuh"
#include "kernels/cuda/expansion.h"

const void *sarrus_cuda_planar_advance_kernel(void) {
    return (const void *)advance_kernel;
}

int sarrus_cuda_planar_advance(const sarrus_cuda_call *call, const sarrus_clock *clock, uint64_t n_steps) {
    return cuda_queue(advance_kernel, grid_of(call), launch_of(call), *clock, n_steps);
}

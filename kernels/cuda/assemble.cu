/* Launches the kernel that assembles. */
#include "kernels/cuda/assemble.cuh"
#include "kernels/cuda/expansion.h"

int sarrus_cuda_planar_assemble(const sarrus_cuda_call *call) {
    return cuda_queue(assemble_kernel, grid_of(call), launch_of(call));
}

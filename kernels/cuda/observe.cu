/* Launches the kernel that looks. */
#include "kernels/cuda/expansion.h"
#include "kernels/cuda/observe.cuh"

int sarrus_cuda_planar_observe(const sarrus_cuda_call *call, const sarrus_cuda_observation *what, double *out) {
    observe_kernel<<<n_blocks_of(call, TILES_PER_BLOCK), TILES_PER_BLOCK * LANE_WIDTH, 0, (cudaStream_t)call->stream>>>(
        launch_of(call), *what, out);
    return cudaGetLastError();
}

/* Launches the kernel that observes. */
#include "kernels/cuda/observe.cuh"

int sarrus_cuda_observe(const sarrus_cuda_call *call, const sarrus_cuda_observation *what, double *out) {
    if (call->lanes.n_tiles <= 0)
        return cudaSuccess;
    observe_kernel<<<n_blocks_of(call, TILES_PER_BLOCK), TILES_PER_BLOCK * LANE_WIDTH, 0, (cudaStream_t)call->stream>>>(
        launch_of(call), *what, out);
    return cudaGetLastError();
}

/* Launches the kernel that assembles. */
#include "kernels/cuda/assemble.cuh"
#include "kernels/cuda/expansion.h"

int sarrus_cuda_planar_assemble(const sarrus_cuda_call *call) {
    assemble_kernel<<<n_blocks_of(call, TILES_PER_BLOCK), TILES_PER_BLOCK * LANE_WIDTH, 0, (cudaStream_t)call->stream>>>(
        launch_of(call));
    return cudaGetLastError();
}

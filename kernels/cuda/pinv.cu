/* Launches of the pseudoinverse methods that take a thread a matrix (pinv_thread.cuh), and the way to those that take a group. */
#include "kernels/cuda/pinv.h"
#include "kernels/cuda/pinv_thread.cuh"
#include "kernels/cuda/queue.cuh"

static int thread_launch(const sarrus_cuda_pinv_call *call) {
    const unsigned n_blocks = (unsigned)((call->n_slots + PINV_TILES_PER_BLOCK - 1) / PINV_TILES_PER_BLOCK);
    return cuda_queue(pinv_kernel, {n_blocks, SARRUS_CUDA_PINV_THREADS, 0, call->stream}, *call);
}

int sarrus_cuda_pinv_resources(int32_t *n_slots, size_t *n_shared) {
    int n_processors = 0, n_blocks = 0, n_bytes = 0;
    cudaError_t error = cuda_number(cudaDevAttrMultiProcessorCount, &n_processors);
    if (error == cudaSuccess)
        error = cuda_number(cudaDevAttrMaxSharedMemoryPerBlockOptin, &n_bytes);
    if (error == cudaSuccess)
        error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n_blocks, pinv_kernel, SARRUS_CUDA_PINV_THREADS, 0);
    *n_slots = n_processors * n_blocks * PINV_TILES_PER_BLOCK;
    *n_shared = (size_t)n_bytes;
    return cuda_told(error);
}

int sarrus_cuda_pinv(const sarrus_cuda_pinv_call *call) {
    if (call->n_matrices == 0)
        return cudaSuccess;
    return call->variant == SARRUS_CUDA_PINV_GROUP ? sarrus_cuda_pinv_group(call) : thread_launch(call);
}

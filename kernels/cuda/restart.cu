/* Instances that begin anew without the host: a thread is a lane. */
#include "kernels/cuda/kernels.h"
#include "kernels/cuda/queue.cuh"

enum { RESTART_THREADS = 128 };

static __global__ void restart_kernel(const __grid_constant__ sarrus_cuda_lanes lanes,
                                      const __grid_constant__ sarrus_cuda_restart what) {
    const uint64_t i = (uint64_t)blockIdx.x * RESTART_THREADS + threadIdx.x;
    if (i >= (uint64_t)lanes.n_tiles * SARRUS_CUDA_WIDTH)
        return;
    if (i == 0)
        ++lanes.step[(size_t)lanes.n_tiles * SARRUS_CUDA_WIDTH];
    if (what.mask[i < what.n_instances ? i : what.n_instances - 1] == 0)
        return;
    double *lane = lanes.tiles + i / SARRUS_CUDA_WIDTH * (size_t)what.n_arrays * SARRUS_CUDA_WIDTH + i % SARRUS_CUDA_WIDTH;
    for (int32_t k = 0; k < what.n_resets; ++k) {
        const sarrus_cuda_reset reset = what.reset[k];
        for (int32_t j = 0; j < reset.n; ++j)
            lane[(size_t)(reset.at + j) * SARRUS_CUDA_WIDTH] =
                reset.from >= 0 ? lane[(size_t)(reset.from + j) * SARRUS_CUDA_WIDTH] : reset.value;
    }
    lane[(size_t)what.begun * SARRUS_CUDA_WIDTH] = (double)lanes.step[i];
}

int sarrus_cuda_restart_some(const sarrus_cuda_call *call, const sarrus_cuda_restart *what) {
    const unsigned n_lanes = (unsigned)call->lanes.n_tiles * SARRUS_CUDA_WIDTH;
    const cuda_grid grid = {(n_lanes + RESTART_THREADS - 1) / RESTART_THREADS, RESTART_THREADS, 0, call->stream};
    return n_lanes == 0 ? cudaSuccess : cuda_queue(restart_kernel, grid, call->lanes, *what);
}

/* kernels/cuda/specialized.cu as code of the host. */
#include "tests/backend/cuda_shim.h"

#define SARRUS_BLOCK_THREADS 64
#define SARRUS_BLOCKS 4
#include "kernels/cuda/specialized.cu"

extern "C" void advance_on_host(const sarrus_cuda_lanes *lanes, const sarrus_clock *clock, uint64_t n_steps) {
    const int32_t n_warps = lanes->n_tiles < lanes->n_workspaces ? lanes->n_tiles : lanes->n_workspaces;
    const unsigned n_blocks = (unsigned)(n_warps * LANE_WIDTH + SARRUS_BLOCK_THREADS - 1) / SARRUS_BLOCK_THREADS;
    for (blockIdx.x = 0; blockIdx.x < n_blocks; ++blockIdx.x)
        for (threadIdx.x = 0; threadIdx.x < SARRUS_BLOCK_THREADS; ++threadIdx.x)
            sarrus_specialized_advance(*lanes, *clock, n_steps);
}

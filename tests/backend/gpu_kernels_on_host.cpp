/* The fused kernels as code of the host, launched as the .cu files launch them. */
#include "tests/backend/cuda_shim.h"

#include "kernels/cuda/advance.cuh"
#include "kernels/cuda/assemble.cuh"
#include "kernels/cuda/observe.cuh"
#include "tests/backend/gpu_kernels_on_host.h"

static int32_t n_lanes_on_host = LANE_WIDTH;

void lanes_on_host(int32_t n_lanes) {
    n_lanes_on_host = n_lanes;
}

template <typename kernel> static void launch_on_host(const sarrus_cuda_call *call, kernel run) {
    const unsigned n_blocks = n_blocks_of(call, TILES_PER_BLOCK);
    for (blockIdx.x = 0; blockIdx.x < n_blocks; ++blockIdx.x)
        for (threadIdx.x = 0; threadIdx.x < (unsigned)(TILES_PER_BLOCK * LANE_WIDTH); ++threadIdx.x)
            if (threadIdx.x % LANE_WIDTH < (unsigned)n_lanes_on_host)
                run();
}

void assemble_on_host(const sarrus_cuda_call *call) {
    const launch work = launch_of(call);
    launch_on_host(call, [&work] { assemble_kernel(work); });
}

void advance_on_host(const sarrus_cuda_call *call, const sarrus_clock *clock, uint64_t n_steps) {
    const launch work = launch_of(call);
    launch_on_host(call, [&work, clock, n_steps] { advance_kernel(work, *clock, n_steps); });
}

void observe_on_host(const sarrus_cuda_call *call, const sarrus_cuda_observation *what, double *out) {
    const launch work = launch_of(call);
    launch_on_host(call, [&work, what, out] { observe_kernel(work, *what, out); });
}

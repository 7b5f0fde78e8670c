/* One expansion of the fused kernels as code of the host, launched as the .cu files launch them. Whoever includes this has defined
 * what kernels/cuda/expand.cuh asks for, and EXPANSION_ON_HOST, the table's name. */
#include "tests/backend/cuda_shim.h"

#include "kernels/cuda/advance.cuh"
#if defined(SARRUS_KERNELS_RELATIVE)
#include "kernels/cuda/bodies.cuh"
#else
#include "kernels/cuda/assemble.cuh"
#include "kernels/cuda/observe.cuh"
#endif
#include "tests/backend/gpu_kernels_on_host.h"

template <typename kernel> static void launch_on_host(const sarrus_cuda_call *call, kernel run) {
    const unsigned n_blocks = n_blocks_of(call, TILES_PER_BLOCK), n_lanes = (unsigned)lanes_on_host();
    for (blockIdx.x = 0; blockIdx.x < n_blocks; ++blockIdx.x)
        for (threadIdx.x = 0; threadIdx.x < (unsigned)(TILES_PER_BLOCK * LANE_WIDTH); ++threadIdx.x)
            if (threadIdx.x % LANE_WIDTH < n_lanes)
                run();
}

static void advance_on_host(const sarrus_cuda_call *call, const sarrus_clock *clock, uint64_t n_steps) {
    const launch work = launch_of(call);
    launch_on_host(call, [&work, clock, n_steps] { advance_kernel(work, *clock, n_steps); });
}

#if defined(SARRUS_KERNELS_RELATIVE)

static void take_on_host(const sarrus_cuda_call *call, const sarrus_cuda_bodies *bodies) {
    const launch work = launch_of(call);
    launch_on_host(call, [&work, bodies] { bodies_take_kernel(work, *bodies); });
}

static void show_on_host(const sarrus_cuda_call *call, const sarrus_cuda_bodies *bodies) {
    const launch work = launch_of(call);
    launch_on_host(call, [&work, bodies] { bodies_show_kernel(work, *bodies); });
}

static void settle_on_host(const sarrus_cuda_call *call, const sarrus_cuda_bodies *bodies, const sarrus_cuda_observation *what,
                           double *out) {
    const launch work = launch_of(call);
    launch_on_host(call, [&work, bodies, what, out] { bodies_settle_kernel(work, *bodies, what->want, out); });
}

extern "C" const expansion_on_host EXPANSION_ON_HOST = {advance_on_host, nullptr,      nullptr,
                                                        take_on_host,    show_on_host, settle_on_host};

#else

static void assemble_on_host(const sarrus_cuda_call *call) {
    const launch work = launch_of(call);
    launch_on_host(call, [&work] { assemble_kernel(work); });
}

static void observe_on_host(const sarrus_cuda_call *call, const sarrus_cuda_observation *what, double *out) {
    const launch work = launch_of(call);
    launch_on_host(call, [&work, what, out] { observe_kernel(work, *what, out); });
}

extern "C" const expansion_on_host EXPANSION_ON_HOST = {advance_on_host, assemble_on_host, observe_on_host};

#endif

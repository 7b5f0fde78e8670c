/* One expansion of the fused kernels, as kernels/cpu/expand.h has those of the CPU: whoever includes this has defined
 * SARRUS_KERNELS_SPATIAL, SARRUS_KERNELS_RELATIVE or both, and SARRUS_CUDA_EXPANSION, the table's name. A unit is relocatable code
 * (docs/decisions/0032): a twelfth of the time of code that is compiled whole. */
#include "kernels/cuda/advance.cuh"
#include "kernels/cuda/expansion.h"
#if defined(SARRUS_KERNELS_RELATIVE)
#include "kernels/cuda/bodies.cuh"
#else
#include "kernels/cuda/assemble.cuh"
#include "kernels/cuda/observe.cuh"
#endif

/* How the kernel is launched on the call's tiles. */
#define LAUNCHED(kernel, call)                                                                                                     \
    kernel<<<n_blocks_of(call, TILES_PER_BLOCK), TILES_PER_BLOCK * LANE_WIDTH, 0, (cudaStream_t)(call)->stream>>>

static const void *the_advance_kernel() {
    return (const void *)advance_kernel;
}

static int advance(const sarrus_cuda_call *call, const sarrus_clock *clock, uint64_t n_steps) {
    LAUNCHED(advance_kernel, call)(launch_of(call), *clock, n_steps);
    return cudaGetLastError();
}

#if defined(SARRUS_KERNELS_RELATIVE)

static int bodies_take(const sarrus_cuda_call *call, const sarrus_cuda_bodies *bodies) {
    LAUNCHED(bodies_take_kernel, call)(launch_of(call), *bodies);
    return cudaGetLastError();
}

static int bodies_show(const sarrus_cuda_call *call, const sarrus_cuda_bodies *bodies) {
    LAUNCHED(bodies_show_kernel, call)(launch_of(call), *bodies);
    return cudaGetLastError();
}

static int bodies_settle(const sarrus_cuda_call *call, const sarrus_cuda_bodies *bodies, const sarrus_cuda_observation *what,
                         double *out) {
    LAUNCHED(bodies_settle_kernel, call)(launch_of(call), *bodies, what->want, out);
    return cudaGetLastError();
}

extern "C" const sarrus_cuda_expansion SARRUS_CUDA_EXPANSION = {
    the_advance_kernel, advance, nullptr, nullptr, bodies_take, bodies_show, bodies_settle,
};

#else

static int assemble(const sarrus_cuda_call *call) {
    LAUNCHED(assemble_kernel, call)(launch_of(call));
    return cudaGetLastError();
}

static int observe(const sarrus_cuda_call *call, const sarrus_cuda_observation *what, double *out) {
    LAUNCHED(observe_kernel, call)(launch_of(call), *what, out);
    return cudaGetLastError();
}

extern "C" const sarrus_cuda_expansion SARRUS_CUDA_EXPANSION = {the_advance_kernel, advance, assemble, observe};

#endif

/* One expansion of the fused kernels, as kernels/cpu/expand.h has those of the CPU: whoever includes this has defined
 * SARRUS_KERNELS_SPATIAL, SARRUS_KERNELS_RELATIVE or both, and SARRUS_CUDA_EXPANSION, the table's name. A unit is relocatable code
 * (docs/decisions/0032): a twelfth of the time of code that is compiled whole. */
#include "kernels/cuda/advance.cuh"
#include "kernels/cuda/expansion.h"
#if LANE_IS_SINGLE
#elif defined(SARRUS_KERNELS_RELATIVE)
#include "kernels/cuda/bodies.cuh"
#else
#include "kernels/cuda/assemble.cuh"
#include "kernels/cuda/observe.cuh"
#endif

static const void *the_advance_kernel() {
    return (const void *)advance_kernel;
}

static int advance(const sarrus_cuda_call *call, const sarrus_clock *clock, uint64_t n_steps) {
    return cuda_queue(advance_kernel, grid_of(call), launch_of(call), *clock, n_steps);
}

#if LANE_IS_SINGLE

/* All else is in double precision, by the expansion of the same coordinates. */
extern "C" const sarrus_cuda_expansion SARRUS_CUDA_EXPANSION = {the_advance_kernel, advance};

#elif defined(SARRUS_KERNELS_RELATIVE)

static int bodies_take(const sarrus_cuda_call *call, const sarrus_cuda_bodies *bodies) {
    return cuda_queue(bodies_take_kernel, grid_of(call), launch_of(call), *bodies);
}

static int bodies_show(const sarrus_cuda_call *call, const sarrus_cuda_bodies *bodies) {
    return cuda_queue(bodies_show_kernel, grid_of(call), launch_of(call), *bodies);
}

static int bodies_settle(const sarrus_cuda_call *call, const sarrus_cuda_bodies *bodies, const sarrus_cuda_observation *what,
                         double *out) {
    return cuda_queue(bodies_settle_kernel, grid_of(call), launch_of(call), *bodies, what->want, out);
}

extern "C" const sarrus_cuda_expansion SARRUS_CUDA_EXPANSION = {
    the_advance_kernel, advance, nullptr, nullptr, bodies_take, bodies_show, bodies_settle,
};

#else

static int assemble(const sarrus_cuda_call *call) {
    return cuda_queue(assemble_kernel, grid_of(call), launch_of(call));
}

static int observe(const sarrus_cuda_call *call, const sarrus_cuda_observation *what, double *out) {
    return cuda_queue(observe_kernel, grid_of(call), launch_of(call), *what, out);
}

extern "C" const sarrus_cuda_expansion SARRUS_CUDA_EXPANSION = {the_advance_kernel, advance, assemble, observe};

#endif

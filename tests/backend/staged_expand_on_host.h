/* The kernels of the staged path that evaluate as code of the host, launched as the .cu files launch them. Whoever includes this
 * has defined SARRUS_KERNELS_SPATIAL or not, and STAGED_ON_HOST, the table's name. */
#include "tests/backend/cuda_shim.h"

static inline int32_t atomicAdd(int32_t *number, int32_t amount) {
    const int32_t before = *number;
    *number += amount;
    return before;
}

#include "kernels/cuda/staged_observe.cuh"
#include "kernels/cuda/staged_resume.cuh"
#include "kernels/cuda/staged_step.cuh"

extern "C" {
#include "tests/backend/gpu_staged_on_host.h"
}

template <typename kernel> static void launch_on_host(int32_t n_threads, kernel run) {
    for (blockIdx.x = 0; blockIdx.x < staged_blocks(n_threads); ++blockIdx.x)
        for (threadIdx.x = 0; threadIdx.x < (unsigned)STAGED_THREADS; ++threadIdx.x)
            run();
}

static void step_on_host(const sarrus_staged_call *call, const sarrus_clock *clock, int32_t stage) {
    const staged_launch work = staged_launch_of(call);
    launch_on_host(work.n_members, [&work, clock, stage] { staged_step_kernel(work, *clock, stage); });
}

static void resume_on_host(const sarrus_staged_call *call) {
    const staged_launch work = staged_launch_of(call);
    launch_on_host(work.n_members, [&work] { staged_resume_kernel(work); });
}

static void observe_on_host(const sarrus_staged_call *call, const sarrus_observe_request *want, double *out) {
    const staged_launch work = staged_launch_of(call);
    launch_on_host(work.n_members, [&work, want, out] { staged_observe_kernel(work, *want, out); });
}

extern "C" const staged_on_host STAGED_ON_HOST = {step_on_host, resume_on_host, observe_on_host};

/* The kernels of the staged path as code of the host, launched as the .cu files launch them. */
#include "tests/backend/cuda_shim.h"

static inline int32_t atomicAdd(int32_t *number, int32_t amount) {
    const int32_t before = *number;
    *number += amount;
    return before;
}

#include "kernels/cuda/staged_observe.cuh"
#include "kernels/cuda/staged_resume.cuh"
#include "kernels/cuda/staged_slots.cuh"
#include "kernels/cuda/staged_step.cuh"

extern "C" {
#include "tests/backend/gpu_launch_on_host.h"
#include "tests/backend/gpu_staged_on_host.h"
}

/* What was queued, by value. */
struct staged_argument {
    staged_launch work;
    sarrus_clock clock;
    int32_t stage;
    sarrus_observe_request want;
    double *out;
};

static staged_argument argument_of(const sarrus_staged_call *call) {
    staged_argument argument = {};
    argument.work = staged_launch_of(call);
    return argument;
}

template <typename kernel> static void launch_on_host(int32_t n_threads, kernel run) {
    for (blockIdx.x = 0; blockIdx.x < staged_blocks(n_threads); ++blockIdx.x)
        for (threadIdx.x = 0; threadIdx.x < (unsigned)STAGED_THREADS; ++threadIdx.x)
            run();
}

static void step_run(const void *argument) {
    const staged_argument *a = (const staged_argument *)argument;
    launch_on_host(a->work.n_members, [a] { staged_step_kernel(a->work, a->clock, a->stage); });
}

static int step(const sarrus_staged_call *call, const sarrus_clock *clock, int32_t stage) {
    staged_argument argument = argument_of(call);
    argument.clock = *clock;
    argument.stage = stage;
    return gpu_on_host_launch(call->base.stream, step_run, &argument, sizeof argument);
}

static void resume_run(const void *argument) {
    const staged_argument *a = (const staged_argument *)argument;
    launch_on_host(a->work.n_members, [a] { staged_resume_kernel(a->work); });
}

static int resume(const sarrus_staged_call *call) {
    const staged_argument argument = argument_of(call);
    return gpu_on_host_launch(call->base.stream, resume_run, &argument, sizeof argument);
}

static void observe_run(const void *argument) {
    const staged_argument *a = (const staged_argument *)argument;
    launch_on_host(a->work.n_members, [a] { staged_observe_kernel(a->work, a->want, a->out); });
}

static int observe(const sarrus_staged_call *call, const sarrus_observe_request *want, double *out) {
    staged_argument argument = argument_of(call);
    argument.want = *want;
    argument.out = out;
    return gpu_on_host_launch(call->base.stream, observe_run, &argument, sizeof argument);
}

static void weigh_run(const void *argument) {
    const staged_argument *a = (const staged_argument *)argument;
    launch_on_host(a->work.n_slots, [a] { staged_weigh_kernel(a->work); });
}

static int weigh(const sarrus_staged_call *call) {
    const staged_argument argument = argument_of(call);
    return gpu_on_host_launch(call->base.stream, weigh_run, &argument, sizeof argument);
}

static void deliver_run(const void *argument) {
    const staged_argument *a = (const staged_argument *)argument;
    launch_on_host(a->work.n_slots, [a] { staged_deliver_kernel(a->work); });
}

static int deliver(const sarrus_staged_call *call) {
    const staged_argument argument = argument_of(call);
    return gpu_on_host_launch(call->base.stream, deliver_run, &argument, sizeof argument);
}

const sarrus_gpu_staged gpu_staged_on_host = {step, resume, observe, weigh, deliver};

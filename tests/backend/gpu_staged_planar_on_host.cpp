/* The kernels of the staged path in the table of the emulated GPU: those that evaluate, of the plane and of space, and those that
 * work on slots. */
#include "tests/backend/cuda_shim.h"

#include "kernels/cuda/staged_observe.cu"
#include "kernels/cuda/staged_resume.cu"
#include "kernels/cuda/staged_slots.cu"
#include "kernels/cuda/staged_step.cu"
#include "tests/backend/gpu_staged_on_host.h"

extern "C" {
#include "tests/backend/gpu_launch_on_host.h"
}

/* What was queued, by value. */
struct staged_argument {
    sarrus_staged_call call;
    sarrus_mechanism mech;
    sarrus_clock clock;
    int32_t stage;
    sarrus_observe_request want;
    double *out;
};

static staged_argument argument_of(const sarrus_staged_call *call) {
    staged_argument argument = {};
    argument.call = *call;
    argument.mech = *call->base.mech;
    return argument;
}

static sarrus_staged_call call_of(const staged_argument *argument) {
    sarrus_staged_call call = argument->call;
    call.base.mech = &argument->mech;
    return call;
}

static int queue(void (*run)(const void *argument), const staged_argument *argument) {
    return gpu_on_host_launch(argument->call.base.stream, run, argument, sizeof *argument);
}

static void step_run(const void *argument) {
    const staged_argument *a = (const staged_argument *)argument;
    const sarrus_staged_call call = call_of(a);
    gpu_on_host_ran(sarrus_staged_step(&call, &a->clock, a->stage));
}

static int step(const sarrus_staged_call *call, const sarrus_clock *clock, int32_t stage) {
    staged_argument argument = argument_of(call);
    argument.clock = *clock;
    argument.stage = stage;
    return queue(step_run, &argument);
}

static void resume_run(const void *argument) {
    const staged_argument *a = (const staged_argument *)argument;
    const sarrus_staged_call call = call_of(a);
    gpu_on_host_ran(sarrus_staged_resume(&call));
}

static int resume(const sarrus_staged_call *call) {
    const staged_argument argument = argument_of(call);
    return queue(resume_run, &argument);
}

static void observe_run(const void *argument) {
    const staged_argument *a = (const staged_argument *)argument;
    const sarrus_staged_call call = call_of(a);
    gpu_on_host_ran(sarrus_staged_observe(&call, &a->want, a->out));
}

static int observe(const sarrus_staged_call *call, const sarrus_observe_request *want, double *out) {
    staged_argument argument = argument_of(call);
    argument.want = *want;
    argument.out = out;
    return queue(observe_run, &argument);
}

static void weigh_run(const void *argument) {
    const staged_argument *a = (const staged_argument *)argument;
    const sarrus_staged_call call = call_of(a);
    gpu_on_host_ran(sarrus_staged_weigh(&call));
}

static int weigh(const sarrus_staged_call *call) {
    const staged_argument argument = argument_of(call);
    return queue(weigh_run, &argument);
}

static void deliver_run(const void *argument) {
    const staged_argument *a = (const staged_argument *)argument;
    const sarrus_staged_call call = call_of(a);
    gpu_on_host_ran(sarrus_staged_deliver(&call));
}

static int deliver(const sarrus_staged_call *call) {
    const staged_argument argument = argument_of(call);
    return queue(deliver_run, &argument);
}

const sarrus_gpu_staged gpu_staged_on_host = {step, resume, observe, weigh, deliver};

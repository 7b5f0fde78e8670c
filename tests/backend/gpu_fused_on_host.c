#include "tests/backend/gpu_fused_on_host.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/backend/gpu_kernels_on_host.h"
#include "tests/backend/gpu_launch_on_host.h"

static int32_t n_lanes = SARRUS_CUDA_WIDTH;

void lanes_set_on_host(int32_t n) {
    n_lanes = n;
}

int32_t lanes_on_host(void) {
    return n_lanes;
}

const char *gpu_on_host_error_text(int error) {
    switch (error) {
    case SARRUS_GPU_NO_MEMORY:
        return "out of memory";
    case GPU_ON_HOST_NO_DEVICE:
        return "no CUDA-capable device is detected";
    case GPU_ON_HOST_LOST:
        return "the device was lost";
    case GPU_ON_HOST_BAD_LAUNCH:
        return "the launch was refused";
    default:
        return "misuse";
    }
}

typedef struct kernel_argument {
    sarrus_mechanism mech;
    sarrus_cuda_call call;
    sarrus_cuda_bodies bodies;
    sarrus_clock clock;
    uint64_t n_steps;
    sarrus_cuda_observation what;
    sarrus_cuda_restart restart;
    double *out;
} kernel_argument;

static kernel_argument argument_of(const sarrus_cuda_call *call) {
    return (kernel_argument){.mech = *call->mech, .call = *call};
}

static sarrus_cuda_call call_of(const kernel_argument *argument) {
    sarrus_cuda_call call = argument->call;
    call.mech = &argument->mech;
    return call;
}

/* Something of this process is there: two small numbers side by side may look like an address. */
static int is_mapped(uintptr_t address) {
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    unsigned char is_resident;
    return mincore((void *)(address - address % page), 1, &is_resident) == 0;
}

/* Every table of the mechanism lies in device memory: whatever looks like an address of this process. */
static int tables_check(const sarrus_mechanism *mech) {
    const uintptr_t lowest = (uintptr_t)1 << 46, highest = (uintptr_t)1 << 47;
    for (size_t at = 0; at + sizeof(uintptr_t) <= sizeof *mech; at += sizeof(uintptr_t)) {
        uintptr_t word;
        memcpy(&word, (const unsigned char *)mech + at, sizeof word);
        if (word >= lowest && word < highest && word % 4 == 0 && is_mapped(word) && !gpu_on_host_check((const void *)word, 1))
            return GPU_ON_HOST_MISUSE;
    }
    return SARRUS_GPU_OK;
}

static int call_check(const sarrus_cuda_call *call) {
    const sarrus_cuda_lanes *lanes = &call->lanes;
    const sarrus_mechanism *mech = call->mech;
    const size_t tile = SARRUS_CUDA_WIDTH * sizeof(double), n_tiles = (size_t)lanes->n_tiles;
    const size_t n_workspaces = (size_t)(lanes->n_tiles < lanes->n_workspaces ? lanes->n_tiles : lanes->n_workspaces);
    int error = !gpu_on_host_check(lanes->tiles, n_tiles * (size_t)mech->layout.n_arrays * tile);
    error |= !gpu_on_host_check(lanes->workspace, n_workspaces * lanes->n_workspace_arrays * tile);
    error |= !gpu_on_host_check(lanes->counts, n_workspaces * 2 * tile);
    if (lanes->n_done) {
        error |= !gpu_on_host_check(lanes->n_done, n_tiles * tile);
        error |= !gpu_on_host_check(lanes->is_waiting, sizeof *lanes->is_waiting);
    }
    if (lanes->step)
        error |= !gpu_on_host_check(lanes->step, n_tiles * tile);
    error |= tables_check(mech);
    if (mech->n_joints > 0)
        error |= !gpu_on_host_check(mech->joint, (size_t)mech->n_joints * sizeof *mech->joint);
    if (mech->factor.n_entries > 0)
        error |= !gpu_on_host_check(mech->lane.entry_row, (size_t)mech->factor.n_entries * sizeof *mech->lane.entry_row);
    return error ? GPU_ON_HOST_MISUSE : SARRUS_GPU_OK;
}

static void assemble_run(const void *argument) {
    const sarrus_cuda_call call = call_of(argument);
    gpu_on_host_ran(sarrus_cuda_assemble(&call));
}

int gpu_on_host_assemble(const sarrus_cuda_call *call) {
    const kernel_argument argument = argument_of(call);
    const int error = call_check(call);
    return error ? GPU_ON_HOST_MISUSE : gpu_on_host_launch(call->stream, assemble_run, &argument, sizeof argument);
}

static void advance_run(const void *argument) {
    const kernel_argument *a = argument;
    sarrus_cuda_call call = call_of(a);
    call.specialized = NULL; /* the generic kernels stand for those of a cubin: both give the same bits */
    gpu_on_host_ran(sarrus_cuda_advance(&call, &a->clock, a->n_steps));
}

int gpu_on_host_advance(const sarrus_cuda_call *call, const sarrus_clock *clock, uint64_t n_steps) {
    kernel_argument argument = argument_of(call);
    argument.clock = *clock;
    argument.n_steps = n_steps;
    if (call->specialized && gpu_on_host_special_launch() != SARRUS_GPU_OK)
        return gpu_on_host_special_launch();
    const int error = call_check(call);
    return error ? GPU_ON_HOST_MISUSE : gpu_on_host_launch(call->stream, advance_run, &argument, sizeof argument);
}

static void observe_run(const void *argument) {
    const kernel_argument *a = argument;
    const sarrus_cuda_call call = call_of(a);
    gpu_on_host_ran(sarrus_cuda_observe(&call, &a->what, a->out));
}

int gpu_on_host_observe(const sarrus_cuda_call *call, const sarrus_cuda_observation *what, double *out) {
    kernel_argument argument = argument_of(call);
    argument.what = *what;
    argument.out = out;
    const size_t n_out = (size_t)call->lanes.n_tiles * (size_t)what->want.n_arrays * SARRUS_CUDA_WIDTH;
    const int error = call_check(call) | !gpu_on_host_check(out, n_out * sizeof *out);
    return error ? GPU_ON_HOST_MISUSE : gpu_on_host_launch(call->stream, observe_run, &argument, sizeof argument);
}

static void restart_run(const void *argument) {
    const kernel_argument *a = argument;
    const sarrus_cuda_call call = call_of(a);
    gpu_on_host_ran(sarrus_cuda_restart_some(&call, &a->restart));
}

int gpu_on_host_restart_some(const sarrus_cuda_call *call, const sarrus_cuda_restart *what) {
    kernel_argument argument = argument_of(call);
    argument.restart = *what;
    const int error =
        call_check(call) | !gpu_on_host_check(what->mask, what->n_instances) |
        !gpu_on_host_check(call->lanes.step, ((size_t)call->lanes.n_tiles * SARRUS_CUDA_WIDTH + 1) * sizeof(uint64_t)) |
        !gpu_on_host_check(what->reset, (size_t)what->n_resets * sizeof *what->reset);
    return error ? GPU_ON_HOST_MISUSE : gpu_on_host_launch(call->stream, restart_run, &argument, sizeof argument);
}

/* ---- tiles of bodies ---- */

static int bodies_check(const sarrus_cuda_call *call, const sarrus_cuda_bodies *bodies) {
    const size_t n_doubles = (size_t)call->lanes.n_tiles * (size_t)bodies->n_arrays * SARRUS_CUDA_WIDTH;
    int error = !gpu_on_host_check(bodies->tiles, n_doubles * sizeof *bodies->tiles);
    error |= !gpu_on_host_check(bodies->move, (size_t)bodies->n_moves * sizeof *bodies->move);
    return error | call_check(call);
}

static int bodies_queue(void (*run)(const void *argument), const kernel_argument *argument, const sarrus_cuda_bodies *bodies) {
    kernel_argument whole = *argument;
    const sarrus_cuda_call call = call_of(&whole);
    whole.bodies = *bodies;
    if (bodies_check(&call, bodies))
        return GPU_ON_HOST_MISUSE;
    return gpu_on_host_launch(call.stream, run, &whole, sizeof whole);
}

static void take_run(const void *argument) {
    const kernel_argument *a = argument;
    const sarrus_cuda_call call = call_of(a);
    gpu_on_host_ran(sarrus_cuda_bodies_take(&call, &a->bodies));
}

int gpu_on_host_bodies_take(const sarrus_cuda_call *call, const sarrus_cuda_bodies *bodies) {
    const kernel_argument argument = argument_of(call);
    return bodies_queue(take_run, &argument, bodies);
}

static void show_run(const void *argument) {
    const kernel_argument *a = argument;
    const sarrus_cuda_call call = call_of(a);
    gpu_on_host_ran(sarrus_cuda_bodies_show(&call, &a->bodies));
}

int gpu_on_host_bodies_show(const sarrus_cuda_call *call, const sarrus_cuda_bodies *bodies) {
    const kernel_argument argument = argument_of(call);
    return bodies_queue(show_run, &argument, bodies);
}

static void settle_run(const void *argument) {
    const kernel_argument *a = argument;
    const sarrus_cuda_call call = call_of(a);
    gpu_on_host_ran(sarrus_cuda_bodies_settle(&call, &a->bodies, &a->what, a->out));
}

int gpu_on_host_bodies_settle(const sarrus_cuda_call *call, const sarrus_cuda_bodies *bodies, const sarrus_cuda_observation *what,
                              double *out) {
    kernel_argument argument = argument_of(call);
    argument.what = *what;
    argument.out = out;
    const size_t n_out = (size_t)call->lanes.n_tiles * (size_t)what->want.n_arrays * SARRUS_CUDA_WIDTH;
    return gpu_on_host_check(out, n_out * sizeof *out) ? bodies_queue(settle_run, &argument, bodies) : GPU_ON_HOST_MISUSE;
}

#include "tests/backend/gpu_fused_on_host.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/backend/gpu_kernels_on_host.h"
#include "tests/backend/gpu_launch_on_host.h"

typedef struct kernel_argument {
    sarrus_mechanism mech;
    sarrus_cuda_call call;
    sarrus_clock clock;
    uint64_t n_steps;
    sarrus_cuda_observation what;
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
    error |= tables_check(mech);
    if (mech->n_joints > 0)
        error |= !gpu_on_host_check(mech->joint, (size_t)mech->n_joints * sizeof *mech->joint);
    if (mech->factor.n_entries > 0)
        error |= !gpu_on_host_check(mech->lane.entry_row, (size_t)mech->factor.n_entries * sizeof *mech->lane.entry_row);
    return error ? GPU_ON_HOST_MISUSE : SARRUS_GPU_OK;
}

static void assemble_run(const void *argument) {
    const sarrus_cuda_call call = call_of(argument);
    assemble_on_host(&call);
}

int gpu_on_host_assemble(const sarrus_cuda_call *call) {
    const kernel_argument argument = argument_of(call);
    const int error = call_check(call);
    return error ? GPU_ON_HOST_MISUSE : gpu_on_host_launch(call->stream, assemble_run, &argument, sizeof argument);
}

static void advance_run(const void *argument) {
    const kernel_argument *a = argument;
    const sarrus_cuda_call call = call_of(a);
    advance_on_host(&call, &a->clock, a->n_steps);
}

int gpu_on_host_advance(const sarrus_cuda_call *call, const sarrus_clock *clock, uint64_t n_steps) {
    kernel_argument argument = argument_of(call);
    argument.clock = *clock;
    argument.n_steps = n_steps;
    const int error = call_check(call);
    return error ? GPU_ON_HOST_MISUSE : gpu_on_host_launch(call->stream, advance_run, &argument, sizeof argument);
}

static void observe_run(const void *argument) {
    const kernel_argument *a = argument;
    const sarrus_cuda_call call = call_of(a);
    observe_on_host(&call, &a->what, a->out);
}

int gpu_on_host_observe(const sarrus_cuda_call *call, const sarrus_cuda_observation *what, double *out) {
    kernel_argument argument = argument_of(call);
    argument.what = *what;
    argument.out = out;
    const size_t n_out = (size_t)call->lanes.n_tiles * (size_t)what->want.n_arrays * SARRUS_CUDA_WIDTH;
    const int error = call_check(call) | !gpu_on_host_check(out, n_out * sizeof *out);
    return error ? GPU_ON_HOST_MISUSE : gpu_on_host_launch(call->stream, observe_run, &argument, sizeof argument);
}

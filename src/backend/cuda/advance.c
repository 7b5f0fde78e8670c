/* Assembly and steps of a worker's tiles. */
#include <string.h>

#include "backend/cuda/device.h"

/* Warps that take as many rounds over the tiles as `most` would, all of them alike: ⌈tiles / ⌈tiles / most⌉⌉. In a last round that
 * few had a tile for, the others would wait; fewer of them share a multiprocessor's caches all the way. */
static int32_t warps_for(uint64_t n_tiles, int32_t most) {
    const uint64_t n_rounds = (n_tiles + (uint64_t)most - 1) / (uint64_t)most;
    return n_rounds > 0 ? (int32_t)((n_tiles + n_rounds - 1) / n_rounds) : most;
}

sarrus_cuda_call sarrus_cuda_call_of(cuda_worker *worker) {
    const int32_t n_warps = worker->staged ? (int32_t)worker->n_held : warps_for(worker->n_held, worker->n_warps);
    return (sarrus_cuda_call){
        .mech = &worker->part->stepped.mech,
        .lanes = {.tiles = worker->tiles,
                  .workspace = worker->workspace,
                  .n_workspace_arrays = worker->owner->n_workspace_arrays,
                  .n_tiles = (int32_t)worker->n_held,
                  .n_workspaces = n_warps,
                  .counts = worker->counts},
        .stream = worker->stream,
    };
}

int sarrus_cuda_assemble_tiles(cuda_worker *worker, const void *how) {
    const sarrus_cuda_call call = sarrus_cuda_call_of(worker);
    (void)how;
    if (worker->owner->is_relative)
        return sarrus_cuda_relative_assemble(worker);
    return worker->owner->gpu->assemble(&call);
}

/* Takes the changes of rank out of the worker's tiles, so that there is room for others. */
static int events_fetch(cuda_worker *worker) {
    const cuda_device *device = worker->owner;
    const sarrus_mechanism *mech = &device->lowered.mech;
    const size_t n_arrays = (size_t)mech->layout.n_arrays;
    sarrus_rank_change_list *list = device->base.keeps_rank_changes ? &worker->events : NULL;
    uint8_t *marks = worker->marks;
    memset(marks, 0, n_arrays);
    marks[mech->layout.n_waiting_changes] = 1;
    memset(marks + mech->layout.waiting_change, list != NULL, 3 * (size_t)mech->rank_change_capacity);
    int error = sarrus_cuda_tiles_download(worker, marks);
    for (uint64_t i = worker->i_first; i < worker->i_first + worker->n_held && error == SARRUS_GPU_OK; ++i)
        sarrus_rank_change_list_fetch(list, mech, device->base.tiles + i * n_arrays * SARRUS_CUDA_WIDTH, i * SARRUS_CUDA_WIDTH,
                                      SARRUS_CUDA_WIDTH, device->base.n_instances);
    memset(marks + mech->layout.waiting_change, 0, 3 * (size_t)mech->rank_change_capacity);
    return error != SARRUS_GPU_OK ? error : sarrus_cuda_tiles_upload(worker, marks);
}

/* Whether some lane has stopped before its last step. What has been observed goes to the user meanwhile. */
static int waiting_read(cuda_worker *worker, bool *is_waiting) {
    const sarrus_gpu *gpu = worker->owner->gpu;
    const size_t n = sizeof *worker->is_waiting;
    const sarrus_gpu_copy copy = {worker->was_waiting, worker->is_waiting, n, n, n, 1, SARRUS_GPU_DOWNLOAD};
    int error = gpu->copy(&copy, worker->stream);
    if (error == SARRUS_GPU_OK)
        error = sarrus_cuda_packets_take(worker, 0);
    if (error == SARRUS_GPU_OK)
        error = gpu->synchronize(worker->stream);
    *is_waiting = *worker->was_waiting != 0;
    return error;
}

/* A device may refuse a launch of the kernels for this plan though it has loaded them (memory for their stacks, say): the generic
 * ones go on from here on. A device that is lost refuses them too. */
static int launch(cuda_worker *worker, sarrus_cuda_call *call, const sarrus_clock *clock, uint64_t n_steps) {
    const sarrus_gpu *gpu = worker->owner->gpu;
    const int error = gpu->advance(call, clock, n_steps);
    if (error == SARRUS_GPU_OK || !call->specialized)
        return error;
    sarrus_cuda_specializer_refuse(worker->owner->specializer, gpu->error_text(error));
    worker->is_specialized = false;
    call->specialized = NULL;
    call->lanes.n_workspaces = warps_for(worker->n_held, worker->n_warps);
    return gpu->advance(call, clock, n_steps);
}

/* Launches until every lane has made its steps. */
static int launch_until_done(cuda_worker *worker, sarrus_cuda_call *call, const sarrus_clock *clock, uint64_t n_steps) {
    const sarrus_gpu *gpu = worker->owner->gpu;
    if (!worker->n_done)
        return launch(worker, call, clock, n_steps);
    call->lanes.n_done = worker->n_done;
    call->lanes.is_waiting = worker->is_waiting;
    int error = gpu->fill(worker->n_done, 0, worker->n_held * SARRUS_CUDA_WIDTH * sizeof *worker->n_done, worker->stream);
    for (bool is_waiting = true; error == SARRUS_GPU_OK;) {
        error = gpu->fill(worker->is_waiting, 0, sizeof *worker->is_waiting, worker->stream);
        if (error == SARRUS_GPU_OK)
            error = launch(worker, call, clock, n_steps);
        if (error == SARRUS_GPU_OK)
            error = waiting_read(worker, &is_waiting);
        if (error != SARRUS_GPU_OK || !is_waiting)
            break;
        error = events_fetch(worker);
    }
    return error;
}

/* The kernels for this plan as soon as they are there; both kinds give the same bits, so that steps may go from one to the other.
 */
static void kernels_choose(cuda_worker *worker, sarrus_cuda_call *call, bool may_load) {
    const sarrus_gpu *gpu = worker->owner->gpu;
    sarrus_cuda_specializer *specializer = worker->owner->specializer;
    const sarrus_cuda_object *object = sarrus_cuda_specializer_object(specializer, worker->part->described.architecture);
    if (object && may_load && !worker->is_load_tried) {
        sarrus_cuda_specialized *loaded = &worker->specialized;
        worker->is_load_tried = true;
        int error = gpu->specialized_load(object->cubin.bytes, SARRUS_CUDA_KERNEL, object->bounds.n_threads, loaded);
        worker->is_specialized = error == SARRUS_GPU_OK;
        if (worker->is_specialized)
            error = gpu->resident_tiles(&worker->part->stepped.mech, loaded, &worker->n_special_warps);
        if (error != SARRUS_GPU_OK)
            sarrus_cuda_specializer_refuse(specializer, gpu->error_text(error));
        worker->is_specialized = error == SARRUS_GPU_OK && worker->n_special_warps > 0;
    }
    if (!worker->is_specialized)
        return;
    call->specialized = &worker->specialized;
    const int32_t most = worker->n_special_warps < worker->n_workspaces ? worker->n_special_warps : worker->n_workspaces;
    call->lanes.n_workspaces = warps_for(worker->n_held, most);
}

int sarrus_cuda_advance_queue(cuda_worker *worker, sarrus_cuda_call *call, const cuda_advance_order *order, bool may_load) {
    kernels_choose(worker, call, may_load);
    const int error = launch(worker, call, &order->clock, order->n_steps);
    if (error != SARRUS_GPU_OK)
        return error;
    worker->n_steps += order->n_steps * worker->n_held;
    worker->n_special_steps += call->specialized ? order->n_steps * worker->n_held : 0;
    return SARRUS_GPU_OK;
}

/* The staged path asks for tiles without changes of rank, and for no more steps than could fill one. */
static int staged_advance(cuda_worker *worker, sarrus_clock clock, uint64_t n_steps) {
    const uint64_t n_most = (uint64_t)worker->part->stepped.mech.rank_change_capacity;
    const sarrus_cuda_call call = sarrus_cuda_call_of(worker);
    worker->n_steps += n_steps * worker->n_held;
    for (uint64_t n_done = 0, n; n_done < n_steps; n_done += n) {
        n = n_most > 0 && n_steps - n_done > n_most ? n_most : n_steps - n_done;
        int error = n_most > 0 ? events_fetch(worker) : SARRUS_GPU_OK;
        if (error == SARRUS_GPU_OK)
            error = sarrus_cuda_staged_advance(worker->staged, &call.lanes, &clock, n);
        if (error != SARRUS_GPU_OK)
            return error;
        clock.step += n;
    }
    return SARRUS_GPU_OK;
}

int sarrus_cuda_advance_tiles(cuda_worker *worker, const void *how) {
    enum { PORTION = 256 };
    const cuda_advance_order *order = how;
    if (worker->staged)
        return staged_advance(worker, order->clock, order->n_steps);
    cuda_device *device = worker->owner;
    sarrus_clock clock = order->clock;
    /* A method that chooses its steps may end one where a call ends, and such an end must not depend on a compiler. */
    const bool may_cut = !device->lowered.mech.integrator.is_adaptive;
    for (uint64_t n_done = 0; n_done < order->n_steps;) {
        sarrus_cuda_call call = sarrus_cuda_call_of(worker);
        uint64_t n_steps = order->n_steps - n_done;
        kernels_choose(worker, &call, true);
        const bool is_busy = sarrus_cuda_specializer_is_busy(device->specializer);
        if (!call.specialized && is_busy && may_cut && n_steps > PORTION)
            n_steps = PORTION;
        int error = launch_until_done(worker, &call, &clock, n_steps);
        if (error == SARRUS_GPU_OK && is_busy)
            error = device->gpu->synchronize(worker->stream); /* so that the next portion asks anew when its time has come */
        if (error != SARRUS_GPU_OK)
            return error;
        n_done += n_steps;
        clock.step += n_steps;
        worker->n_steps += n_steps * worker->n_held;
        worker->n_special_steps += call.specialized ? n_steps * worker->n_held : 0;
    }
    return SARRUS_GPU_OK;
}

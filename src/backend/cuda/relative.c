/* Steps in relative coordinates: assembly and observation are those of the bodies, in tiles of their own. These exist for as many
 * tiles at once as an observation packs: what they hold is computed anew each time, from the tiles that steps are made in. */
#include <stdlib.h>
#include <string.h>

#include "backend/single_tile.h"
#include "backend/cuda/device.h"
#include "backend/isa.h"

static size_t bodies_doubles(const cuda_device *device) {
    return (size_t)device->bodies.mech.layout.n_arrays * SARRUS_CUDA_WIDTH;
}

const sarrus_mechanism *sarrus_cuda_shown(const cuda_device *device) {
    return device->is_relative ? &device->bodies.mech : &device->lowered.mech;
}

bool sarrus_cuda_relative_create(cuda_device *device) {
    const sarrus_plan *plan = device->base.plan;
    const int32_t space = plan->mech.space;
    if (!sarrus_plan_lower(plan, SARRUS_CUDA_WIDTH, &device->bodies))
        return false;
    const size_t of_tree = sarrus_isa_find_relative(space, "baseline")->workspace_arrays(&device->lowered.mech);
    const size_t of_bodies = sarrus_isa_find(space, "baseline")->workspace_arrays(&device->bodies.mech);
    device->n_workspace_arrays = of_tree > of_bodies ? of_tree : of_bodies;
    if (device->lowered.mech.is_single) { /* floats: a tile, and what its steps need */
        const size_t n_floats = sarrus_single_tile_arrays(&device->lowered.mech) +
                                sarrus_isa_find_single(space, "baseline")->workspace_arrays(&device->lowered.mech);
        device->n_workspace_arrays = n_floats / 2 + 1 > device->n_workspace_arrays ? n_floats / 2 + 1 : device->n_workspace_arrays;
    }
    device->n_moves = sarrus_relative_moves_make(&device->lowered.mech, &device->bodies.mech, device->move);
    device->filled = calloc(device->base.n_tiles, bodies_doubles(device) * sizeof *device->filled);
    device->shown = calloc(bodies_doubles(device), sizeof *device->shown);
    return device->filled && device->shown;
}

void sarrus_cuda_relative_destroy(cuda_device *device) {
    sarrus_lowered_free(&device->bodies);
    free(device->filled);
    free(device->shown);
}

sarrus_cuda_call sarrus_cuda_call_from(cuda_worker *worker, uint64_t i_tile, uint64_t n_tiles) {
    sarrus_cuda_call call = sarrus_cuda_call_of(worker);
    call.lanes.tiles += i_tile * (size_t)call.mech->layout.n_arrays * SARRUS_CUDA_WIDTH;
    call.lanes.n_tiles = (int32_t)n_tiles;
    return call;
}

sarrus_cuda_call sarrus_cuda_bodies_call(cuda_worker *worker, uint64_t n_tiles) {
    sarrus_cuda_call call = sarrus_cuda_call_of(worker);
    call.mech = &worker->part->bodies.mech;
    call.lanes.tiles = worker->bodies;
    call.lanes.n_tiles = (int32_t)n_tiles;
    return call;
}

sarrus_cuda_bodies sarrus_cuda_bodies_of(const cuda_worker *worker) {
    const sarrus_tile_layout *at = &worker->part->bodies.mech.layout;
    return (sarrus_cuda_bodies){
        .tiles = worker->bodies,
        .move = worker->part->move,
        .n_moves = worker->owner->n_moves,
        .n_arrays = at->n_arrays,
        .q = at->q,
        .v = at->v,
        .rank = at->rank,
        .rank_now = at->rank_now,
        .status = at->status,
        .failed_step = at->failed_step,
    };
}

/* What was filled of tiles i_tile … of the worker, to its tiles of bodies. */
static int bodies_upload(cuda_worker *worker, uint64_t i_tile, uint64_t n_tiles) {
    const cuda_device *device = worker->owner;
    const size_t n = bodies_doubles(device);
    const uint64_t n_fitting = worker->n_pinned / n;
    int error = SARRUS_GPU_OK;
    for (uint64_t i = 0; i < n_tiles && error == SARRUS_GPU_OK; i += n_fitting) {
        const uint64_t n_now = n_tiles - i < n_fitting ? n_tiles - i : n_fitting;
        const size_t n_bytes = n_now * n * sizeof(double);
        memcpy(worker->pinned[0], device->filled + (worker->i_first + i_tile + i) * n, n_bytes);
        const sarrus_gpu_copy copy = {worker->bodies + i * n, worker->pinned[0], n_bytes, n_bytes, n_bytes, 1, SARRUS_GPU_UPLOAD};
        error = device->gpu->copy(&copy, worker->stream);
        if (error == SARRUS_GPU_OK)
            error = device->gpu->synchronize(worker->stream);
    }
    return error;
}

static int filled_take(cuda_worker *worker, bool is_assembled) {
    const sarrus_gpu *gpu = worker->owner->gpu;
    const sarrus_cuda_bodies bodies = sarrus_cuda_bodies_of(worker);
    int error = SARRUS_GPU_OK;
    for (uint64_t i = 0; i < worker->n_held && error == SARRUS_GPU_OK; i += worker->n_bodies) {
        const uint64_t n = worker->n_held - i < worker->n_bodies ? worker->n_held - i : worker->n_bodies;
        const sarrus_cuda_call filled = sarrus_cuda_bodies_call(worker, n), stepped = sarrus_cuda_call_from(worker, i, n);
        error = bodies_upload(worker, i, n);
        if (error == SARRUS_GPU_OK && is_assembled)
            error = gpu->assemble(&filled);
        if (error == SARRUS_GPU_OK)
            error = gpu->bodies_take(&stepped, &bodies);
    }
    return error;
}

int sarrus_cuda_relative_assemble(cuda_worker *worker) {
    return filled_take(worker, true);
}

int sarrus_cuda_relative_take(cuda_worker *worker) {
    return filled_take(worker, false);
}

/* Coordinates and speeds of the bodies of the worker's tile i_tile, into device->shown. */
static int tile_show(cuda_worker *worker, uint64_t i_tile) {
    cuda_device *device = worker->owner;
    const sarrus_gpu *gpu = device->gpu;
    const size_t n_bytes = bodies_doubles(device) * sizeof(double);
    const sarrus_cuda_call stepped = sarrus_cuda_call_from(worker, i_tile, 1);
    const sarrus_cuda_bodies bodies = sarrus_cuda_bodies_of(worker);
    const sarrus_gpu_copy copy = {worker->pinned[0], worker->bodies, n_bytes, n_bytes, n_bytes, 1, SARRUS_GPU_DOWNLOAD};
    int error = gpu->bodies_show(&stepped, &bodies);
    if (error == SARRUS_GPU_OK)
        error = gpu->copy(&copy, worker->stream);
    if (error == SARRUS_GPU_OK)
        error = gpu->synchronize(worker->stream);
    if (error == SARRUS_GPU_OK)
        memcpy(device->shown, worker->pinned[0], n_bytes);
    return error;
}

/* Whoever holds the tile; out of core the first worker, for the moment. */
static cuda_worker *worker_with(cuda_device *device, uint64_t i_tile) {
    cuda_worker *workers = device->workers;
    if (!device->is_resident) {
        workers[0].i_first = i_tile;
        workers[0].n_held = 1;
        return &workers[0];
    }
    int i = 0;
    while (i_tile >= workers[i].i_first + workers[i].n_held)
        ++i;
    return &workers[i];
}

/* What the host has written since the last call goes to all devices first, once: many tiles are shown one after another. What the
 * user may write in place goes there every time. */
static sarrus_status devices_refresh(cuda_device *device) {
    const size_t n_arrays = (size_t)device->lowered.mech.layout.n_arrays;
    if (!device->is_resident || memcmp(device->device_is_old, device->is_shared, n_arrays) == 0)
        return device->base.failure[0] != '\0' ? SARRUS_DEVICE_FAILED : SARRUS_OK;
    const sarrus_status status = sarrus_cuda_move(device, sarrus_cuda_tiles_upload, device->device_is_old);
    if (status == SARRUS_OK)
        memcpy(device->device_is_old, device->is_shared, n_arrays);
    return status;
}

double *sarrus_cuda_relative_show(cuda_device *device, uint64_t i_tile) {
    if (devices_refresh(device) != SARRUS_OK)
        return NULL;
    cuda_worker *worker = worker_with(device, i_tile);
    int error = device->gpu->select(worker->part->device);
    if (error == SARRUS_GPU_OK)
        error = sarrus_cuda_tiles_upload(worker, device->device_is_old);
    if (error == SARRUS_GPU_OK)
        error = tile_show(worker, i_tile - worker->i_first);
    if (!device->is_resident)
        worker->n_held = 0;
    if (error == SARRUS_GPU_OK)
        return device->shown;
    (void)sarrus_cuda_fail(device, worker->part, error);
    return NULL;
}

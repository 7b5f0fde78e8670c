/* What a CUDA batch needs of its devices: as many as are wanted, memory for all tiles or for chunks of them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cuda/device.h"
#include "backend/isa.h"
#include "core/report.h"

/* The most warps of a multiprocessor that the launch bounds of specialized kernels allow (cuda_report.c). */
enum { SPECIAL_WARPS = 24 };
/* Of the memory that the stacks of the kernels leave free, the share that is left for others. */
static const size_t RESERVE = 8;
/* Of what is left, the share that the workspaces of one worker may take: a large mechanism has fewer warps at work then. */
static const size_t WORKSPACE_SHARE = 8;
static const size_t TILE = SARRUS_CUDA_WIDTH * sizeof(double);

/* Bytes on one device for a worker with room for n tiles. */
typedef struct worker_size {
    uint64_t n_capacity, n_workspaces, n_seen_tiles;
    size_t n_bytes;
} worker_size;

static uint64_t least(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

/* Bytes of a tile in the coordinates of bodies, where steps are made in others; else 0. */
static size_t bodies_tile(const cuda_device *device) {
    return device->is_relative ? (size_t)sarrus_cuda_shown(device)->layout.n_arrays * TILE : 0;
}

static worker_size size_of(const cuda_device *device, const cuda_part *part, uint64_t n_capacity) {
    const sarrus_mechanism *mech = &device->lowered.mech;
    const size_t workspace = (device->n_workspace_arrays + 2) * TILE;
    const uint64_t n_special = (uint64_t)part->described.n_processors * SPECIAL_WARPS;
    const uint64_t n_wanted = n_special > (uint64_t)part->n_resident ? n_special : (uint64_t)part->n_resident;
    const uint64_t n_affordable = part->n_usable / WORKSPACE_SHARE / workspace;
    const size_t seen = sarrus_cuda_most_observed(sarrus_cuda_shown(device)) * TILE, bodies = bodies_tile(device);
    worker_size s = {.n_capacity = n_capacity};
    s.n_workspaces = least(n_capacity, least(n_wanted, n_affordable > 0 ? n_affordable : 1));
    if (device->library) { /* every tile keeps its workspace from one launch to the next */
        s.n_workspaces = n_capacity;
        s.n_bytes = n_capacity * sarrus_cuda_staged_bytes(mech);
    }
    const size_t n_packed = device->gpu->n_most_packed / (seen > bodies ? seen : bodies);
    s.n_seen_tiles = least(n_capacity, n_packed > 0 ? n_packed : 1);
    s.n_bytes += n_capacity * ((size_t)mech->layout.n_arrays + (mech->rank_change_capacity > 0)) * TILE +
                 s.n_workspaces * workspace + s.n_seen_tiles * (2 * seen + bodies) + 4096;
    return s;
}

/* The largest number of tiles for which n_workers workers fit into n_bytes; 0: not even one tile does. */
static uint64_t capacity_fitting(const cuda_device *device, const cuda_part *part, size_t n_bytes, uint64_t most) {
    uint64_t fits = 0, too_many = most + 1;
    while (too_many - fits > 1) {
        const uint64_t middle = fits + (too_many - fits) / 2;
        if (size_of(device, part, middle).n_bytes <= n_bytes)
            fits = middle;
        else
            too_many = middle;
    }
    return fits;
}

static int pinned_allocate(cuda_worker *worker) {
    const sarrus_gpu *gpu = worker->owner->gpu;
    const size_t stepped = (size_t)worker->part->stepped.mech.layout.n_arrays * TILE, bodies = bodies_tile(worker->owner);
    const size_t tile = (stepped > bodies ? stepped : bodies) / sizeof(double);
    const size_t n_most = gpu->n_most_pinned / sizeof(double);
    worker->n_pinned = least(worker->n_capacity * tile, n_most > tile ? n_most : tile);
    int error = SARRUS_GPU_OK;
    for (int i = 0; i < 2 && error == SARRUS_GPU_OK; ++i) {
        error = gpu->host_allocate((void **)(void *)&worker->pinned[i], worker->n_pinned * sizeof(double));
        if (error == SARRUS_GPU_OK)
            error = gpu->host_allocate((void **)(void *)&worker->packet[i].fetched, worker->n_seen * sizeof(double));
    }
    if (error == SARRUS_GPU_OK)
        error = gpu->host_allocate((void **)(void *)&worker->was_waiting, sizeof *worker->was_waiting);
    return error;
}

static int memory_allocate(cuda_worker *worker, const worker_size *size) {
    const cuda_device *device = worker->owner;
    const sarrus_gpu *gpu = device->gpu;
    const sarrus_mechanism *mech = &device->lowered.mech;
    worker->n_capacity = size->n_capacity;
    worker->n_workspaces = (int32_t)size->n_workspaces;
    worker->n_warps = worker->part->n_resident < worker->n_workspaces ? worker->part->n_resident : worker->n_workspaces;
    worker->n_seen = size->n_seen_tiles * sarrus_cuda_most_observed(sarrus_cuda_shown(device)) * SARRUS_CUDA_WIDTH;
    worker->n_bodies = device->is_relative ? size->n_seen_tiles : 0;
    worker->marks = calloc((size_t)mech->layout.n_arrays, 1);
    int error = worker->marks ? SARRUS_GPU_OK : SARRUS_GPU_NO_MEMORY;
    const struct {
        void *to;
        size_t n_bytes;
    } blocks[] = {
        {&worker->tiles, size->n_capacity * (size_t)mech->layout.n_arrays * TILE},
        {&worker->workspace, size->n_workspaces * device->n_workspace_arrays * TILE},
        {&worker->bodies, worker->n_bodies * bodies_tile(device)},
        {&worker->counts, size->n_workspaces * 2 * TILE},
        {&worker->packet[0].seen, worker->n_seen * sizeof(double)},
        {&worker->packet[1].seen, worker->n_seen * sizeof(double)},
        {&worker->is_waiting, sizeof *worker->is_waiting},
        {&worker->n_done, mech->rank_change_capacity > 0 ? size->n_capacity * TILE : 0},
    };
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0] && error == SARRUS_GPU_OK; ++i)
        if (blocks[i].n_bytes > 0)
            error = gpu->allocate(blocks[i].to, blocks[i].n_bytes);
    if (error == SARRUS_GPU_OK)
        error = pinned_allocate(worker);
    return error;
}

static int queues_create(cuda_worker *worker) {
    const sarrus_gpu *gpu = worker->owner->gpu;
    int error = gpu->stream_create(&worker->stream);
    if (error == SARRUS_GPU_OK)
        error = gpu->stream_create(&worker->copy_stream);
    for (int i = 0; i < 2 && error == SARRUS_GPU_OK; ++i) {
        error = gpu->event_create(&worker->is_moved[i]);
        if (error == SARRUS_GPU_OK)
            error = gpu->event_create(&worker->packet[i].is_seen);
        if (error == SARRUS_GPU_OK)
            error = gpu->event_create(&worker->packet[i].is_fetched);
    }
    if (error == SARRUS_GPU_OK)
        error = gpu->fill(worker->counts, 0, (size_t)worker->n_workspaces * 2 * TILE, worker->stream);
    if (error == SARRUS_GPU_OK && worker->owner->library) {
        const sarrus_cuda_staged_setup setup = {gpu, worker->owner->library, &worker->part->stepped.mech,
                                                (int32_t)worker->n_capacity, worker->stream};
        error = sarrus_cuda_staged_create(&setup, &worker->staged);
    }
    return error != SARRUS_GPU_OK ? error : gpu->synchronize(worker->stream);
}

static void worker_free(cuda_worker *worker) {
    const sarrus_gpu *gpu = worker->owner->gpu;
    (void)gpu->select(worker->part->device);
    if (worker->specialized.library)
        (void)gpu->specialized_unload(&worker->specialized);
    if (worker->staged)
        sarrus_cuda_staged_destroy(worker->staged);
    (void)gpu->stream_destroy(worker->stream);
    (void)gpu->stream_destroy(worker->copy_stream);
    for (int i = 0; i < 2; ++i) {
        (void)gpu->event_destroy(worker->is_moved[i]);
        (void)gpu->event_destroy(worker->packet[i].is_seen);
        (void)gpu->event_destroy(worker->packet[i].is_fetched);
        (void)gpu->host_release(worker->pinned[i]);
        (void)gpu->host_release(worker->packet[i].fetched);
        (void)gpu->release(worker->packet[i].seen);
    }
    (void)gpu->host_release(worker->was_waiting);
    (void)gpu->release(worker->tiles);
    (void)gpu->release(worker->workspace);
    (void)gpu->release(worker->bodies);
    (void)gpu->release(worker->counts);
    (void)gpu->release(worker->is_waiting);
    (void)gpu->release(worker->n_done);
    free(worker->marks);
    sarrus_crew_destroy(worker->crew);
    sarrus_rank_change_list_free(&worker->events);
    memset(worker, 0, sizeof *worker);
}

static void workers_free(cuda_device *device) {
    for (int i = 0; device->workers && i < device->n_workers; ++i)
        if (device->workers[i].owner)
            worker_free(&device->workers[i]);
    free(device->workers);
    device->workers = NULL;
    device->n_workers = 0;
}

void sarrus_cuda_shares_give(cuda_device *device) {
    const uint64_t n_tiles = device->base.n_tiles, n_parts = (uint64_t)device->n_parts;
    for (uint64_t i = 0; i < n_parts; ++i) {
        device->workers[i].i_first = n_tiles * i / n_parts;
        device->workers[i].n_held = n_tiles * (i + 1) / n_parts - device->workers[i].i_first;
    }
}

/* n_each workers on every device, each with room for n_capacity tiles, or all of its share when resident. */
static int workers_create(cuda_device *device, int n_each, uint64_t n_capacity) {
    device->n_workers = device->n_parts * n_each;
    device->workers = calloc((size_t)device->n_workers, sizeof *device->workers);
    int error = device->workers ? SARRUS_GPU_OK : SARRUS_GPU_NO_MEMORY;
    if (device->workers && device->is_resident)
        sarrus_cuda_shares_give(device);
    for (int i = 0; i < device->n_workers && error == SARRUS_GPU_OK; ++i) {
        cuda_worker *worker = &device->workers[i];
        worker->owner = device;
        worker->part = &device->parts[i / n_each];
        worker->n_threads = device->base.n_threads / device->n_workers > 0 ? device->base.n_threads / device->n_workers : 1;
        if (sarrus_crew_create(NULL, worker->n_threads, 0, &worker->crew) != SARRUS_OK) {
            error = SARRUS_GPU_NO_MEMORY;
            break;
        }
        worker->n_threads = sarrus_crew_size(worker->crew);
        const worker_size size = size_of(device, worker->part, device->is_resident ? worker->n_held : n_capacity);
        error = device->gpu->select(worker->part->device);
        if (error == SARRUS_GPU_OK)
            error = memory_allocate(worker, &size);
        if (error == SARRUS_GPU_OK)
            error = queues_create(worker);
    }
    if (error != SARRUS_GPU_OK)
        workers_free(device);
    return error;
}

/* All tiles of a device at once when they fit; else chunks for two workers, so that one's copies go beside the other's steps, and
 * at least eight chunks a worker as long as that leaves enough to keep a device busy. Chunks are halved until they can be had. */
static int memory_plan(cuda_device *device) {
    const uint64_t n_tiles = device->base.n_tiles, n_parts = (uint64_t)device->n_parts, n_share = (n_tiles + n_parts - 1) / n_parts;
    uint64_t n_chunk = (n_share + 15) / 16;
    device->is_resident = true;
    for (int i = 0; i < device->n_parts; ++i) {
        const cuda_part *part = &device->parts[i];
        const uint64_t n_busy = 4 * (uint64_t)part->n_resident;
        device->is_resident = device->is_resident && size_of(device, part, n_share).n_bytes <= part->n_usable;
        n_chunk = n_chunk > n_busy ? n_chunk : n_busy;
    }
    for (int i = 0; i < device->n_parts; ++i)
        n_chunk = least(n_chunk, capacity_fitting(device, &device->parts[i], device->parts[i].n_usable / 2, n_chunk));
    int error = device->is_resident ? workers_create(device, 1, 0) : SARRUS_GPU_NO_MEMORY;
    if (error != SARRUS_GPU_NO_MEMORY)
        return error;
    device->is_resident = false;
    for (; n_chunk > 0 && error == SARRUS_GPU_NO_MEMORY; n_chunk /= 2)
        error = workers_create(device, 2, least(n_chunk, n_tiles));
    return error;
}

static int part_create(cuda_device *device, int i) {
    const sarrus_gpu *gpu = device->gpu;
    cuda_part *part = &device->parts[i];
    part->device = i;
    int error = gpu->select(i);
    if (error == SARRUS_GPU_OK)
        error = gpu->describe(i, &part->described);
    if (error == SARRUS_GPU_OK)
        error = gpu->resident_tiles(&device->lowered.mech, NULL, &part->n_resident);
    if (error == SARRUS_GPU_OK)
        error = sarrus_cuda_tables_upload(gpu, &device->lowered.mech, &part->stepped);
    if (error == SARRUS_GPU_OK && device->is_relative)
        error = sarrus_cuda_tables_upload(gpu, &device->bodies.mech, &part->bodies);
    if (error == SARRUS_GPU_OK && device->is_relative)
        error = sarrus_cuda_list_upload(gpu, device->move, (size_t)device->n_moves * sizeof *device->move, &part->move);
    size_t n_free = 0, n_total = 0, n_stack = 0;
    if (error == SARRUS_GPU_OK)
        error = gpu->memory(&n_free, &n_total);
    if (error == SARRUS_GPU_OK)
        error = gpu->stack(&device->lowered.mech, &n_stack);
    n_free = n_free > n_stack ? n_free - n_stack : 0;
    part->n_usable = n_free - n_free / RESERVE;
    if (part->n_resident < 1)
        part->n_resident = 1;
    return error;
}

static sarrus_status refuse(sarrus_context *context, const cuda_device *device, const char *what, int error) {
    const sarrus_mechanism *mech = &device->lowered.mech;
    char text[128];
    sarrus_cuda_staged_error_text(device->gpu, error, text, sizeof text);
    if (error != SARRUS_GPU_NO_MEMORY)
        return sarrus_report(context, SARRUS_NO_BACKEND, "the CUDA backend is not usable here: %s: %s", what, text);
    return sarrus_report(context, SARRUS_NO_BACKEND,
                         "not even %d instances fit into the memory of the CUDA device: they take %.1f MiB, workspace and "
                         "buffers included",
                         SARRUS_CUDA_WIDTH,
                         device->n_parts > 0 ? (double)size_of(device, &device->parts[0], 1).n_bytes / 0x1p20
                                             : (double)mech->layout.n_arrays * (double)TILE / 0x1p20);
}

sarrus_status sarrus_cuda_plan_create(sarrus_context *context, cuda_device *device, int n_wanted) {
    int n_devices = 0;
    int error = device->gpu->count(&n_devices);
    if (error != SARRUS_GPU_OK || n_devices < 1)
        return sarrus_report(context, SARRUS_NO_BACKEND, "no CUDA device is usable here%s%s; expected backend 'cpu' or 'auto'",
                             error != SARRUS_GPU_OK ? ": " : "", error != SARRUS_GPU_OK ? device->gpu->error_text(error) : "");
    if (n_wanted > n_devices)
        return sarrus_report(context, SARRUS_NO_BACKEND, "%d CUDA devices were asked for, but there %s %d", n_wanted,
                             n_devices == 1 ? "is" : "are", n_devices);
    n_devices = n_wanted > 0 ? n_wanted : n_devices;
    n_devices = (int)least((uint64_t)n_devices, device->base.n_tiles);
    device->parts = calloc((size_t)n_devices, sizeof *device->parts);
    if (!device->parts)
        return sarrus_report(context, SARRUS_NO_MEMORY, "out of memory for the batch");
    for (error = SARRUS_GPU_OK; device->n_parts < n_devices && error == SARRUS_GPU_OK;)
        error = part_create(device, device->n_parts++);
    if (error == SARRUS_GPU_OK)
        error = memory_plan(device);
    return error != SARRUS_GPU_OK ? refuse(context, device, "its memory could not be set up", error) : SARRUS_OK;
}

void sarrus_cuda_plan_destroy(cuda_device *device) {
    workers_free(device);
    for (int i = 0; device->parts && i < device->n_parts; ++i) {
        (void)device->gpu->select(device->parts[i].device);
        (void)device->gpu->release(device->parts[i].stepped.memory);
        (void)device->gpu->release(device->parts[i].bodies.memory);
        (void)device->gpu->release(device->parts[i].move);
    }
    free(device->parts);
    device->parts = NULL;
}

/* The CUDA backend. Host tiles are the batch's view of the instances; the devices hold the tiles too, and a mark for every array
 * says on which side it is old. When the batch does not fit, the host's tiles are the truth and go through the devices in chunks. A
 * tile's result depends on the tile alone: neither devices nor chunks can change a bit. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cuda/device.h"
#include "backend/isa.h"
#include "core/monotonic.h"
#include "core/report.h"
#include "plan/fields.h"

enum { MOST_THREADS = 1024 };

static cuda_device *cuda_of(sarrus_device *device) {
    return (cuda_device *)(void *)device;
}

static void cuda_destroy(sarrus_device *base) {
    cuda_device *device = cuda_of(base);
    sarrus_cuda_queued_destroy(device);
    sarrus_cuda_plan_destroy(device);
    sarrus_cuda_specializer_destroy(device->specializer);
    sarrus_lowered_free(&device->lowered);
    sarrus_cuda_relative_destroy(device);
    free(device->host_is_old);
    free(device->device_is_old);
    free(device->is_shared);
    free(device->changed);
    free(device->is_lent);
    sarrus_crew_destroy(base->crew);
    free(base->tiles);
    free(device);
}

/* Steps change all but what an instance is and where it began. */
static void changes_mark(const sarrus_mechanism *mech, uint8_t *marks) {
    sarrus_tile_field fields[SARRUS_N_FIELDS];
    sarrus_plan_fields(mech, fields);
    for (int k = 0; k < SARRUS_N_FIELDS; ++k)
        memset(marks + fields[k].at, fields[k].kind == SARRUS_FIELD_STEPPED, (size_t)fields[k].n);
}

static bool host_create(cuda_device *device) {
    const sarrus_plan *plan = sarrus_plan_stepped(device->base.plan);
    const size_t n_arrays = (size_t)plan->mech.layout.n_arrays;
    device->base.tiles = calloc(device->base.n_tiles, n_arrays * SARRUS_CUDA_WIDTH * sizeof(double));
    device->host_is_old = calloc(n_arrays, 1);
    device->device_is_old = malloc(n_arrays);
    device->is_shared = calloc(n_arrays, 1);
    device->changed = malloc(n_arrays);
    device->is_lent = calloc(n_arrays, 1);
    if (!device->base.tiles || !device->host_is_old || !device->device_is_old || !device->is_shared || !device->changed ||
        !device->is_lent)
        return false;
    memset(device->device_is_old, 1, n_arrays);
    if (!sarrus_plan_lower(plan, SARRUS_CUDA_WIDTH, &device->lowered))
        return false;
    changes_mark(&device->lowered.mech, device->changed);
    if (device->is_relative)
        return sarrus_cuda_relative_create(device);
    device->n_workspace_arrays = sarrus_isa_find(plan->mech.space, "baseline")->workspace_arrays(&device->lowered.mech);
    return true;
}

static void describe(cuda_device *device) {
    char many[16] = "";
    if (device->n_parts > 1)
        (void)snprintf(many, sizeof many, "%d x ", device->n_parts);
    (void)snprintf(device->base.description, sizeof device->base.description, "%s%s (sm_%d)%s", many,
                   device->parts[0].described.name, (int)device->parts[0].described.architecture,
                   device->is_resident ? "" : ", out of core");
}

static sarrus_status cuda_create(sarrus_context *context, const sarrus_plan *plan, const sarrus_batch_options *options,
                                 uint64_t n_instances, sarrus_device **out) {
    const sarrus_gpu *gpu = sarrus_gpu_find();
    if (!gpu)
        return sarrus_report(
            context, SARRUS_NO_BACKEND,
            "this build has no CUDA backend (it was made without a CUDA toolkit); expected backend 'cpu' or 'auto'");
    sarrus_status status = SARRUS_OK;
    const sarrus_cusolver *library = NULL;
    if (sarrus_cuda_staged_is_asked(plan)) {
        library = sarrus_cuda_staged_library(context, plan, options ? options->cuda_prefixes : NULL, &status);
        if (!library)
            return status;
    } else if (plan->mech.solve == SARRUS_SOLVE_EXTERNAL) {
        return sarrus_report(context, SARRUS_UNSUPPORTED,
                             "dynamics.pinv: lapack runs on the processor only; expected backend 'cpu', or another method");
    }
    cuda_device *device = calloc(1, sizeof *device);
    if (!device)
        return sarrus_report(context, SARRUS_NO_MEMORY, "out of memory for the batch");
    device->gpu = gpu;
    device->library = library;
    device->base.ops = &sarrus_backend_cuda;
    device->base.plan = plan;
    device->is_relative = plan->relative != NULL;
    device->base.width = SARRUS_CUDA_WIDTH;
    device->base.n_tiles = (n_instances + SARRUS_CUDA_WIDTH - 1) / SARRUS_CUDA_WIDTH;
    device->base.n_instances = n_instances;
    device->base.keeps_rank_changes = options && options->keep_rank_events;
    const int n_threads = options && options->n_threads > 0 ? options->n_threads : sarrus_processors();
    status =
        sarrus_crew_create(context, n_threads < MOST_THREADS ? n_threads : MOST_THREADS, SARRUS_CREW_WRITERS, &device->base.crew);
    device->base.n_threads = status == SARRUS_OK ? sarrus_crew_size(device->base.crew) : 0;
    if (status == SARRUS_OK && !host_create(device))
        status = sarrus_report(context, SARRUS_NO_MEMORY, "out of memory for a batch of %llu instances",
                               (unsigned long long)n_instances);
    if (status == SARRUS_OK)
        status = sarrus_cuda_plan_create(context, device, options ? options->n_devices : 0);
    if (status != SARRUS_OK) {
        cuda_destroy(&device->base);
        return status;
    }
    if (!library)
        device->specializer =
            sarrus_cuda_specializer_create(sarrus_plan_stepped(plan), options, device->parts[0].described.architecture);
    device->pace.step_seconds = (double)NAN;
    describe(device);
    *out = &device->base;
    return SARRUS_OK;
}

static double *cuda_tile_open(sarrus_device *base, int i_member, uint64_t i_tile) {
    const cuda_device *device = cuda_of(base);
    (void)i_member;
    double *tiles = device->is_relative ? device->filled : base->tiles;
    return tiles + i_tile * (size_t)base->plan->mech.layout.n_arrays * SARRUS_CUDA_WIDTH;
}

static double *cuda_tile_show(sarrus_device *base, int i_member, uint64_t i_tile) {
    cuda_device *device = cuda_of(base);
    (void)i_member;
    if (device->is_relative)
        return sarrus_cuda_meet(base) == SARRUS_OK ? sarrus_cuda_relative_show(device, i_tile) : NULL;
    return base->tiles + i_tile * (size_t)base->plan->mech.layout.n_arrays * SARRUS_CUDA_WIDTH;
}

static sarrus_status cuda_assemble(sarrus_device *base) {
    cuda_device *device = cuda_of(base);
    const size_t n_arrays = (size_t)device->lowered.mech.layout.n_arrays;
    uint8_t *all = malloc(n_arrays);
    if (!all)
        return SARRUS_NO_MEMORY;
    memset(all, 1, n_arrays);
    const sarrus_status status = sarrus_cuda_run(device, sarrus_cuda_assemble_tiles, NULL, all);
    free(all);
    free(device->filled);
    device->filled = NULL;
    return status;
}

/* As on the CPU: does it pay to have kernels compiled? */
static sarrus_status march(cuda_device *device, cuda_work *work, const void *how, const sarrus_clock *clock, uint64_t n_steps) {
    sarrus_cuda_specializer_consider(device->specializer, sarrus_pace_seconds_left(&device->pace, clock, n_steps));
    const double began = sarrus_monotonic_seconds();
    const sarrus_status status = sarrus_cuda_run(device, work, how, device->changed); /* an observation alone may end instances */
    sarrus_pace_note(&device->pace, n_steps, sarrus_monotonic_seconds() - began);
    return status;
}

static sarrus_status cuda_advance(sarrus_device *base, const sarrus_clock *clock, uint64_t n_steps) {
    const cuda_advance_order order = {*clock, n_steps};
    return march(cuda_of(base), sarrus_cuda_advance_tiles, &order, clock, n_steps);
}

static sarrus_status cuda_observe(sarrus_device *base, const sarrus_device_observation *observation) {
    return march(cuda_of(base), sarrus_cuda_observe_tiles, observation, &observation->clock,
                 sarrus_observation_steps(observation->request));
}

/* What the caller may write on the device counts as old, unless the host has written it and nobody took it there yet. */
static bool host_has_old(const cuda_device *device, int32_t i) {
    return (device->host_is_old[i] || device->is_lent[i]) && !device->device_is_old[i];
}

/* Of arrays i_first … that the host has old: from the devices. */
static sarrus_status cuda_host_read(sarrus_device *base, int32_t i_first, int32_t n) {
    cuda_device *device = cuda_of(base);
    bool is_old = false;
    const sarrus_status met = sarrus_cuda_meet(base);
    if (met != SARRUS_OK)
        return met;
    for (int32_t i = i_first; i < i_first + n; ++i)
        is_old = is_old || host_has_old(device, i);
    if (!is_old)
        return SARRUS_OK;
    uint8_t *marks = calloc((size_t)device->lowered.mech.layout.n_arrays, 1);
    if (!marks)
        return SARRUS_NO_MEMORY;
    for (int32_t i = i_first; i < i_first + n; ++i)
        marks[i] = host_has_old(device, i);
    const sarrus_status status = sarrus_cuda_move(device, sarrus_cuda_tiles_download, marks);
    if (status == SARRUS_OK)
        memset(device->host_is_old + i_first, 0, (size_t)n);
    free(marks);
    return status;
}

static void cuda_host_write(sarrus_device *base, int32_t i_first, int32_t n) {
    cuda_device *device = cuda_of(base);
    memset(device->host_is_old + i_first, 0, (size_t)n);
    memset(device->device_is_old + i_first, 1, (size_t)n);
}

static sarrus_status cuda_host_share(sarrus_device *base, int32_t i_first, int32_t n) {
    cuda_device *device = cuda_of(base);
    base->refusal = "the batch is seen on its device (sarrus_batch_device_view), or steps are queued there; expected "
                    "sarrus_batch_copy_out and sarrus_batch_copy_in";
    if (device->queued.is_ready)
        return SARRUS_UNSUPPORTED;
    const sarrus_status status = cuda_host_read(base, i_first, n);
    if (status != SARRUS_OK)
        return status;
    memset(device->device_is_old + i_first, 1, (size_t)n);
    memset(device->is_shared + i_first, 1, (size_t)n);
    return SARRUS_OK;
}

/* What was fetched when lanes were full, and what stands in the tiles. */
static sarrus_status cuda_rank_changes_take(sarrus_device *base, sarrus_rank_change_list *to) {
    cuda_device *device = cuda_of(base);
    const sarrus_mechanism *mech = &device->lowered.mech;
    const sarrus_tile_layout *layout = &mech->layout;
    if (mech->rank_change_capacity == 0 || !base->keeps_rank_changes)
        return SARRUS_OK;
    sarrus_status status = cuda_host_read(base, layout->n_waiting_changes, 1);
    if (status == SARRUS_OK)
        status = cuda_host_read(base, layout->waiting_change, 3 * mech->rank_change_capacity);
    for (int i = 0; i < device->n_workers; ++i)
        sarrus_rank_change_list_move(&device->workers[i].events, to);
    if (status != SARRUS_OK)
        return status;
    for (uint64_t i = 0; i < base->n_tiles; ++i)
        sarrus_rank_change_list_fetch(to, mech, base->tiles + i * (size_t)layout->n_arrays * SARRUS_CUDA_WIDTH,
                                      i * SARRUS_CUDA_WIDTH, SARRUS_CUDA_WIDTH, base->n_instances);
    cuda_host_write(base, layout->n_waiting_changes, 1);
    return SARRUS_OK;
}

/* Adds up the counters of a worker's warps. */
static int counts_add(cuda_worker *worker, uint64_t *n_evaluations, uint64_t *n_rank_revealing) {
    const sarrus_gpu *gpu = worker->owner->gpu;
    const size_t n = (size_t)worker->n_workspaces * 2 * SARRUS_CUDA_WIDTH, n_bytes = n * sizeof(uint64_t);
    void *pinned = NULL;
    int error = gpu->select(worker->part->device);
    if (error == SARRUS_GPU_OK)
        error = gpu->host_allocate(&pinned, n_bytes);
    const sarrus_gpu_copy copy = {pinned, worker->counts, n_bytes, n_bytes, n_bytes, 1, SARRUS_GPU_DOWNLOAD};
    if (error == SARRUS_GPU_OK)
        error = gpu->copy(&copy, worker->stream);
    if (error == SARRUS_GPU_OK)
        error = gpu->synchronize(worker->stream);
    const uint64_t *counts = pinned;
    for (size_t i = 0; i < n && error == SARRUS_GPU_OK; ++i)
        *(i / SARRUS_CUDA_WIDTH % 2 == 0 ? n_evaluations : n_rank_revealing) += counts[i];
    sarrus_cuda_staged_counts staged = {0};
    if (worker->staged)
        sarrus_cuda_staged_count(worker->staged, &staged);
    *n_evaluations += staged.n_evaluations;
    *n_rank_revealing += staged.n_rank_revealing;
    (void)gpu->host_release(pinned);
    return error;
}

static void cuda_path_counts(sarrus_device *base, uint64_t *n_evaluations, uint64_t *n_rank_revealing) {
    cuda_device *device = cuda_of(base);
    *n_evaluations = *n_rank_revealing = 0;
    (void)sarrus_cuda_meet(base);
    for (int i = 0; i < device->n_workers && base->failure[0] == '\0'; ++i) {
        const int error = counts_add(&device->workers[i], n_evaluations, n_rank_revealing);
        if (error != SARRUS_GPU_OK)
            (void)sarrus_cuda_fail(device, device->workers[i].part, error);
    }
}

static void cuda_library_counts(const sarrus_device *base, uint64_t *n_matrices, uint64_t *n_refused) {
    const cuda_device *device = (const cuda_device *)(const void *)base;
    *n_matrices = *n_refused = 0;
    for (int i = 0; i < device->n_workers; ++i) {
        sarrus_cuda_staged_counts counts = {0};
        if (device->workers[i].staged)
            sarrus_cuda_staged_count(device->workers[i].staged, &counts);
        *n_matrices += counts.n_matrices;
        *n_refused += counts.n_refused;
    }
}

static void cuda_specialization(const sarrus_device *base, sarrus_specialization *out) {
    const cuda_device *device = (const cuda_device *)(const void *)base;
    uint64_t n_steps = 0, n_special_steps = 0;
    sarrus_cuda_specializer_report(device->specializer, out);
    for (int i = 0; i < device->n_workers; ++i) {
        n_steps += device->workers[i].n_steps;
        n_special_steps += device->workers[i].n_special_steps;
    }
    out->step_share = n_steps > 0 ? (double)n_special_steps / (double)n_steps : 0.0;
}

const sarrus_backend_ops sarrus_backend_cuda = {
    .name = "cuda",
    .create = cuda_create,
    .destroy = cuda_destroy,
    .tile_open = cuda_tile_open,
    .tile_show = cuda_tile_show,
    .apart_assemble = sarrus_cuda_apart_assemble,
    .apart_take = sarrus_cuda_apart_take,
    .assemble = cuda_assemble,
    .advance = cuda_advance,
    .observe = cuda_observe,
    .rank_changes_take = cuda_rank_changes_take,
    .path_counts = cuda_path_counts,
    .library_counts = cuda_library_counts,
    .specialization = cuda_specialization,
    .host_read = cuda_host_read,
    .host_write = cuda_host_write,
    .host_share = cuda_host_share,
    .meet = sarrus_cuda_meet,
    .refresh = sarrus_cuda_refresh,
    .lend = sarrus_cuda_lend,
    .queue = sarrus_cuda_queue,
};

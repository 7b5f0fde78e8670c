/* The inside of a batch, for its parts. */
#ifndef SARRUS_BATCH_INSIDE_H
#define SARRUS_BATCH_INSIDE_H

#include <stdbool.h>

#include "backend/backend.h"
#include "core/stop.h"
#include "sarrus/batch.h"

struct sarrus_batch {
    const sarrus_plan *plan;
    sarrus_device *device;
    uint64_t n_instances;
    uint64_t i_first; /* number of the first instance in its study */
    uint64_t i_draw;  /* place of the first instance among the draws; while it is filled */
    const volatile int32_t *stop;
    bool is_interrupted; /* until it is reset */
    sarrus_rank_change_list events;
    double *sampled;   /* [n_instances][n_sampled] the numbers that parameters were drawn as, or given */
    uint64_t *episode; /* [n_instances] of the last redraw */
    double *given;     /* [n_instances][n_q + n_v] over a tree: what was written and not assembled yet; NULL: never any */
    uint8_t *is_given; /* [n_instances] whether its row is */
    bool has_given;    /* whether any is */
    struct sarrus_filler *fillers; /* [n_fillers] of fill.h; NULL: no parameters were written yet */
    int n_fillers;
    const char *refusal; /* static; NULL: no call was refused */
};

/* A double holds the number of a step up to here. */
#define SARRUS_MOST_STEPS (UINT64_C(1) << 53)

/* The mechanism by whose layout the device's tiles lie. */
static inline const sarrus_mechanism *sarrus_batch_stored(const sarrus_batch *batch) {
    return &sarrus_plan_stepped(batch->plan)->mech;
}

static inline size_t sarrus_batch_tile_doubles(const sarrus_batch *batch) {
    return (size_t)sarrus_batch_stored(batch)->layout.n_arrays * (size_t)batch->device->width;
}

static inline double *sarrus_batch_tile(const sarrus_batch *batch, uint64_t i_tile) {
    return batch->device->tiles + (size_t)i_tile * sarrus_batch_tile_doubles(batch);
}

/* Before the host looks: waits for what was queued on a device, after which device->step is that of the batch. */
static inline sarrus_status sarrus_batch_meet(const sarrus_batch *batch) {
    const sarrus_backend_ops *ops = batch->device->ops;
    return ops->meet ? ops->meet(batch->device) : SARRUS_OK;
}

/* Behind what has changed the batch, with its status: what the caller sees on a device follows. */
static inline sarrus_status sarrus_batch_refresh(const sarrus_batch *batch, sarrus_status status) {
    const sarrus_backend_ops *ops = batch->device->ops;
    const sarrus_status refreshed = ops->refresh ? ops->refresh(batch->device) : SARRUS_OK;
    return status != SARRUS_OK ? status : refreshed;
}

/* Lane arrays i_first … i_first + n − 1 of all tiles, which the host is about to read, or has written anew. */
static inline sarrus_status sarrus_batch_host_read(const sarrus_batch *batch, int32_t i_first, int32_t n) {
    const sarrus_backend_ops *ops = batch->device->ops;
    return ops->host_read ? ops->host_read(batch->device, i_first, n) : SARRUS_OK;
}

static inline void sarrus_batch_host_write(const sarrus_batch *batch, int32_t i_first, int32_t n) {
    const sarrus_backend_ops *ops = batch->device->ops;
    if (ops->host_write)
        ops->host_write(batch->device, i_first, n);
}

/* Threads for work on n instances: waking one is not worth its while for a few. */
static inline int sarrus_batch_members(const sarrus_batch *batch, uint64_t n) {
    return n * (uint64_t)sarrus_batch_stored(batch)->layout.n_arrays > 65536 ? batch->device->n_threads : 1;
}

/* Where the batch stands, as far as it was met. */
static inline sarrus_clock sarrus_batch_clock(const sarrus_batch *batch) {
    const sarrus_model *model = batch->plan->model;
    return (sarrus_clock){batch->device->step, batch->plan->n_steps, model->integrator.grid, model->integrator.t_end};
}

/* Whether no more steps are to be made. */
static inline bool sarrus_batch_is_ended(sarrus_batch *batch) {
    batch->is_interrupted = batch->is_interrupted || sarrus_stop_is_asked(batch->stop);
    return batch->is_interrupted;
}

/* Returns `status`, whose reason is `why`. */
static inline sarrus_status sarrus_batch_refuse(sarrus_batch *batch, sarrus_status status, const char *why) {
    batch->refusal = why;
    return status;
}

static inline sarrus_status sarrus_batch_refuse_memory(sarrus_batch *batch) {
    return sarrus_batch_refuse(batch, SARRUS_NO_MEMORY, "out of memory");
}

#endif

/* Instances of a batch that begin anew from what was written of them. The others of a tile are worked on too, as copies of one that
 * begins, and put back. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "batch/given.h"
#include "batch/lanes.h"
#include "batch/restart.h"
#include "core/stop.h"

/* What the threads that assemble share. */
typedef struct assembling {
    sarrus_batch *batch;
    const uint8_t *mask;
    double *before; /* [n_members][tile] */
    double *start;  /* [n_members][n_parameters + n_q + n_v + 1][width] parameters, coordinates, speeds, status */
    atomic_bool is_cut;
} assembling;

static size_t start_arrays(const sarrus_batch *batch) {
    const sarrus_mechanism *mech = &batch->plan->mech;
    return (size_t)(mech->n_parameters + mech->n_q + mech->n_v + 1);
}

/* The state of one instance into rows n_parameters … of the start, from what was given or from what is shown. */
static void state_gather(const sarrus_batch *batch, const double *shown, int32_t lane, uint64_t i, double *start) {
    const sarrus_mechanism *mech = &batch->plan->mech;
    const int32_t width = batch->device->width, at_q = mech->n_parameters, at_v = at_q + mech->n_q;
    const double *row = sarrus_batch_given_row(batch, i);
    if (row) {
        sarrus_lane_put(start, at_q, width, lane, row, mech->n_q + mech->n_v);
        return;
    }
    for (int32_t k = 0; k < mech->n_q; ++k)
        start[(at_q + k) * width + lane] = shown[(mech->layout.q + k) * width + lane];
    for (int32_t k = 0; k < mech->n_v; ++k)
        start[(at_v + k) * width + lane] = shown[(mech->layout.v + k) * width + lane];
}

/* What each lane of the tile begins with: masked ones what is theirs, the others what the first of these begins with. */
static void start_gather(const assembling *job, int i_member, uint64_t i_tile, double *start) {
    const sarrus_batch *batch = job->batch;
    sarrus_device *device = batch->device;
    const sarrus_mechanism *mech = &batch->plan->mech, *stored = sarrus_batch_stored(batch);
    const int32_t width = device->width, n = (int32_t)start_arrays(batch);
    const double *tile = sarrus_batch_tile(batch, i_tile), *shown = device->ops->tile_show(device, i_member, i_tile);
    int32_t first = width;
    for (int32_t lane = 0; lane < width; ++lane) {
        const uint64_t i = sarrus_lane_instance(i_tile, width, lane, batch->n_instances);
        if (!sarrus_mask_has(job->mask, i))
            continue;
        first = first < lane ? first : lane;
        for (int32_t k = 0; k < mech->n_parameters; ++k)
            start[k * width + lane] = tile[(stored->layout.parameter + k) * width + lane];
        state_gather(batch, shown, lane, i, start);
        const bool is_invalid = tile[stored->layout.status * width + lane] == (double)SARRUS_INSTANCE_INVALID_PARAMETER;
        start[(n - 1) * width + lane] = is_invalid ? (double)SARRUS_INSTANCE_INVALID_PARAMETER : (double)SARRUS_INSTANCE_OK;
    }
    for (int32_t lane = 0; lane < width; ++lane)
        for (int32_t k = 0; !sarrus_mask_has(job->mask, sarrus_lane_instance(i_tile, width, lane, batch->n_instances)) && k < n;
             ++k)
            start[k * width + lane] = start[k * width + first];
}

/* All lanes of the tile as in a fresh batch with this start. */
static void tile_assemble(const sarrus_batch *batch, int i_member, uint64_t i_tile, const double *start) {
    sarrus_device *device = batch->device;
    const sarrus_mechanism *mech = &batch->plan->mech;
    const size_t array = (size_t)device->width, n_q = (size_t)mech->n_q, n_v = (size_t)mech->n_v;
    const size_t at_q = (size_t)mech->n_parameters, at_v = at_q + n_q, at_status = at_v + n_v;
    memset(sarrus_batch_tile(batch, i_tile), 0, sarrus_batch_tile_doubles(batch) * sizeof(double));
    double *tile = device->ops->tile_open(device, i_member, i_tile);
    memcpy(tile + (size_t)mech->layout.parameter * array, start, at_q * array * sizeof *tile);
    memcpy(tile + (size_t)mech->layout.q * array, start + at_q * array, n_q * array * sizeof *tile);
    memcpy(tile + (size_t)mech->layout.v * array, start + at_v * array, n_v * array * sizeof *tile);
    memcpy(tile + (size_t)mech->layout.status * array, start + at_status * array, array * sizeof *tile);
    device->ops->tile_close(device, i_member);
    device->ops->tile_assemble(device, i_member);
}

/* False when a stop has come between: the tile is as before then. */
static bool tile_begin(const assembling *job, int i_member, uint64_t i_tile) {
    sarrus_batch *batch = job->batch;
    const int32_t width = batch->device->width;
    const size_t n_tile = sarrus_batch_tile_doubles(batch);
    double *before = job->before + (size_t)i_member * n_tile, *tile = sarrus_batch_tile(batch, i_tile);
    double *start = job->start + (size_t)i_member * start_arrays(batch) * (size_t)width;
    start_gather(job, i_member, i_tile, start);
    memcpy(before, tile, n_tile * sizeof *tile);
    tile_assemble(batch, i_member, i_tile, start);
    if (sarrus_stop_is_asked(batch->stop)) {
        memcpy(tile, before, n_tile * sizeof *tile);
        return false;
    }
    sarrus_lanes_restore(batch, job->mask, i_tile, before);
    for (int32_t lane = 0; lane < width; ++lane) {
        const uint64_t i = sarrus_lane_instance(i_tile, width, lane, batch->n_instances);
        if (!sarrus_mask_has(job->mask, i))
            continue;
        tile[sarrus_batch_stored(batch)->layout.begun * width + lane] = (double)batch->step;
        if (batch->has_given)
            batch->is_given[i] = 0;
    }
    return true;
}

static void tiles_begin(void *user, int i_member, int n_members) {
    assembling *job = user;
    const sarrus_batch *batch = job->batch;
    const int32_t width = batch->device->width;
    const sarrus_crew_share share = sarrus_crew_share_of(batch->device->n_tiles, i_member, n_members);
    for (uint64_t i = sarrus_tile_next(job->mask, share.i_first, width, batch->n_instances); i < share.i_end;
         i = sarrus_tile_next(job->mask, i + 1, width, batch->n_instances))
        if (sarrus_stop_is_asked(batch->stop) || !tile_begin(job, i_member, i)) {
            atomic_store_explicit(&job->is_cut, true, memory_order_relaxed);
            return;
        }
}

sarrus_status sarrus_batch_assemble(sarrus_batch *batch, const uint8_t *mask) {
    if (!batch)
        return SARRUS_BAD_ARGUMENT;
    if (!batch->device->ops->tile_assemble)
        return sarrus_batch_refuse(batch, SARRUS_UNSUPPORTED,
                                   "instances of a batch on a GPU cannot be assembled again; expected the backend cpu");
    if (batch->is_interrupted)
        return sarrus_batch_refuse(batch, SARRUS_INTERRUPTED, "the batch was interrupted; expected sarrus_batch_reset first");
    const uint64_t n_masked = sarrus_mask_count(mask, batch->n_instances);
    if (n_masked == 0)
        return SARRUS_OK;
    const int n_members = sarrus_batch_members(batch, n_masked);
    assembling job = {.batch = batch, .mask = mask};
    job.before = malloc((size_t)n_members * sarrus_batch_tile_doubles(batch) * sizeof *job.before);
    job.start = malloc((size_t)n_members * start_arrays(batch) * (size_t)batch->device->width * sizeof *job.start);
    const bool good = job.before && job.start;
    if (good) {
        sarrus_batch_events_forget(batch, mask);
        sarrus_crew_run(batch->device->crew, n_members, tiles_begin, &job);
    }
    free(job.before);
    free(job.start);
    if (!good)
        return SARRUS_NO_MEMORY;
    return atomic_load(&job.is_cut) ? SARRUS_INTERRUPTED : SARRUS_OK;
}

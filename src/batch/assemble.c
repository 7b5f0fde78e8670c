/* Instances of a batch that begin anew from what was written of them. The others of a tile are worked on too, as copies of one that
 * begins, and put back. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "batch/apart.h"
#include "batch/given.h"
#include "batch/lanes.h"
#include "batch/restart.h"
#include "batch/start.h"
#include "core/stop.h"

/* What the threads that assemble share. */
typedef struct assembling {
    sarrus_batch *batch;
    const uint8_t *mask;
    double *before; /* [n_members][tile] */
    double *start;  /* [n_members][start_doubles]: [sarrus_start_size][width] of all lanes, and a row of one instance */
    atomic_bool is_cut;
} assembling;

static size_t start_doubles(const sarrus_batch *batch) {
    return sarrus_start_size(batch) * ((size_t)batch->device->width + 1);
}

/* What each lane of the tile begins with: masked ones what is theirs, the others what the first of these begins with. */
static void start_gather(const assembling *job, int i_member, uint64_t i_tile, double *start) {
    const sarrus_batch *batch = job->batch;
    sarrus_device *device = batch->device;
    const int32_t width = device->width, n = (int32_t)sarrus_start_size(batch);
    const double *shown = device->ops->tile_show(device, i_member, i_tile);
    double *row = start + (size_t)n * (size_t)width;
    int32_t first = width;
    for (int32_t lane = 0; lane < width; ++lane) {
        const uint64_t i = sarrus_lane_instance(i_tile, width, lane, batch->n_instances);
        if (!sarrus_mask_has(job->mask, i))
            continue;
        first = first < lane ? first : lane;
        sarrus_start_row(batch, i, shown, row);
        sarrus_lane_put(start, 0, width, lane, row, n);
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
    double *start = job->start + (size_t)i_member * start_doubles(batch);
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
        tile[sarrus_batch_stored(batch)->layout.begun * width + lane] = (double)batch->device->step;
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

static sarrus_status apart_assemble(sarrus_batch *batch, const uint8_t *mask) {
    sarrus_apart apart;
    sarrus_status status = sarrus_apart_reserve(batch, mask, &apart) ? SARRUS_OK : sarrus_batch_refuse_memory(batch);
    if (status == SARRUS_OK && sarrus_stop_is_asked(batch->stop))
        status = SARRUS_INTERRUPTED;
    if (status == SARRUS_OK) {
        sarrus_batch_events_forget(batch, mask);
        status = sarrus_apart_assemble(&apart);
    }
    sarrus_apart_free(&apart);
    return sarrus_batch_refresh(batch, status);
}

sarrus_status sarrus_batch_assemble(sarrus_batch *batch, const uint8_t *mask) {
    if (!batch)
        return SARRUS_BAD_ARGUMENT;
    if (batch->is_interrupted)
        return sarrus_batch_refuse(batch, SARRUS_INTERRUPTED, "the batch was interrupted; expected sarrus_batch_reset first");
    const uint64_t n_masked = sarrus_mask_count(mask, batch->n_instances);
    if (n_masked == 0)
        return SARRUS_OK;
    if (!batch->device->ops->tile_assemble)
        return apart_assemble(batch, mask);
    const int n_members = sarrus_batch_members(batch, n_masked);
    assembling job = {.batch = batch, .mask = mask};
    job.before = malloc((size_t)n_members * sarrus_batch_tile_doubles(batch) * sizeof *job.before);
    job.start = malloc((size_t)n_members * start_doubles(batch) * sizeof *job.start);
    const bool good = job.before && job.start;
    if (good) {
        sarrus_batch_events_forget(batch, mask);
        sarrus_crew_run(batch->device->crew, n_members, tiles_begin, &job);
        sarrus_batch_given_settle(batch);
    }
    free(job.before);
    free(job.start);
    if (!good)
        return sarrus_batch_refuse_memory(batch);
    return atomic_load(&job.is_cut) ? SARRUS_INTERRUPTED : SARRUS_OK;
}

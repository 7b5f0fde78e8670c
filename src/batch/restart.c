#include "batch/restart.h"

#include <string.h>

#include "batch/given.h"
#include "batch/mask.h"
#include "plan/fields.h"

void sarrus_batch_events_forget(sarrus_batch *batch, const uint8_t *mask) {
    sarrus_rank_change_list *events = &batch->events;
    uint64_t n_kept = 0;
    if (!batch->device->keeps_rank_changes)
        return;
    (void)batch->device->ops->rank_changes_take(batch->device, events);
    for (uint64_t i = 0; i < events->n_items; ++i)
        if (!sarrus_mask_has(mask, events->items[i].instance))
            events->items[n_kept++] = events->items[i];
    events->n_items = n_kept;
    events->has_lost = events->has_lost && mask;
}

void sarrus_batch_forget(sarrus_batch *batch, const uint8_t *mask) {
    sarrus_batch_events_forget(batch, mask);
    for (uint64_t i = 0; batch->has_given && i < batch->n_instances; ++i)
        if (sarrus_mask_has(mask, i))
            batch->is_given[i] = 0;
    sarrus_batch_given_settle(batch);
}

/* Puts a field of a tile to what it is when an instance begins anew. */
static void field_restart(const sarrus_tile_field *field, double *tile, size_t width) {
    double *to = tile + (size_t)field->at * width;
    const size_t n = (size_t)field->n * width;
    if (field->reset == SARRUS_RESET_FROM)
        memcpy(to, tile + (size_t)field->from * width, n * sizeof *tile);
    for (size_t i = 0; field->reset == SARRUS_RESET_TO && i < n; ++i)
        to[i] = field->value;
}

/* The end of the fields from k on that lie side by side and are not kept: they are moved in as few pieces as there are. */
static int run_end(const sarrus_tile_field fields[SARRUS_N_FIELDS], int k) {
    while (k < SARRUS_N_FIELDS && fields[k].reset != SARRUS_RESET_KEPT)
        ++k;
    return k;
}

static void restarts_write(sarrus_batch *batch, const sarrus_tile_field fields[SARRUS_N_FIELDS]) {
    for (int k = 0, k_end; k < SARRUS_N_FIELDS; k = k_end + 1) {
        k_end = run_end(fields, k);
        if (k_end > k)
            sarrus_batch_host_write(batch, fields[k].at, fields[k_end - 1].at + fields[k_end - 1].n - fields[k].at);
    }
}

/* What instances begin with, to the host; and what they begin with is written over, when that is asked for too. */
static sarrus_status restarts_read(sarrus_batch *batch, const sarrus_tile_field fields[SARRUS_N_FIELDS], bool is_partial) {
    sarrus_status status = SARRUS_OK;
    for (int k = 0; k < SARRUS_N_FIELDS && status == SARRUS_OK; ++k)
        if (fields[k].reset == SARRUS_RESET_FROM)
            status = sarrus_batch_host_read(batch, fields[k].from, fields[k].n);
    for (int k = 0, k_end; is_partial && k < SARRUS_N_FIELDS && status == SARRUS_OK; k = k_end + 1) {
        k_end = run_end(fields, k);
        if (k_end > k)
            status = sarrus_batch_host_read(batch, fields[k].at, fields[k_end - 1].at + fields[k_end - 1].n - fields[k].at);
    }
    return status;
}

sarrus_status sarrus_batch_reset(sarrus_batch *batch) {
    if (!batch)
        return SARRUS_BAD_ARGUMENT;
    const size_t width = (size_t)batch->device->width;
    sarrus_tile_field fields[SARRUS_N_FIELDS];
    sarrus_plan_fields(sarrus_batch_stored(batch), fields);
    sarrus_status status = sarrus_batch_meet(batch);
    if (status == SARRUS_OK)
        status = restarts_read(batch, fields, false);
    if (status != SARRUS_OK)
        return status;
    for (uint64_t i = 0; i < batch->device->n_tiles; ++i)
        for (int k = 0; k < SARRUS_N_FIELDS; ++k)
            field_restart(&fields[k], sarrus_batch_tile(batch, i), width);
    restarts_write(batch, fields);
    batch->device->step = 0;
    batch->is_interrupted = false;
    sarrus_batch_forget(batch, NULL);
    return sarrus_batch_refresh(batch, SARRUS_OK);
}

/* What the threads that let instances begin anew share. */
typedef struct restarting {
    const sarrus_batch *batch;
    const sarrus_tile_field *fields; /* [SARRUS_N_FIELDS] */
    const uint8_t *mask;
} restarting;

static void lane_restart(const restarting *job, double *tile, size_t width, size_t lane) {
    for (int k = 0; k < SARRUS_N_FIELDS; ++k) {
        const sarrus_tile_field *field = &job->fields[k];
        for (int32_t j = 0; field->reset != SARRUS_RESET_KEPT && j < field->n; ++j) {
            double *to = tile + (size_t)(field->at + j) * width + lane;
            *to = field->reset == SARRUS_RESET_FROM ? tile[(size_t)(field->from + j) * width + lane] : field->value;
        }
    }
    tile[(size_t)job->fields[SARRUS_FIELD_OF_TILE_begun].at * width + lane] = (double)job->batch->device->step;
    for (int32_t j = 0; j < job->fields[SARRUS_FIELD_OF_TILE_input].n; ++j)
        tile[(size_t)(job->fields[SARRUS_FIELD_OF_TILE_input].at + j) * width + lane] = 0.0;
}

static void lanes_restart(void *user, int i_member, int n_members) {
    const restarting *job = user;
    const int32_t width = job->batch->device->width;
    const uint64_t n_instances = job->batch->n_instances;
    const sarrus_crew_share share = sarrus_crew_share_of(job->batch->device->n_tiles, i_member, n_members);
    for (uint64_t i = sarrus_tile_next(job->mask, share.i_first, width, n_instances); i < share.i_end;
         i = sarrus_tile_next(job->mask, i + 1, width, n_instances))
        for (int32_t lane = 0; lane < width; ++lane)
            if (sarrus_mask_has(job->mask, sarrus_lane_instance(i, width, lane, n_instances)))
                lane_restart(job, sarrus_batch_tile(job->batch, i), (size_t)width, (size_t)lane);
}

sarrus_status sarrus_batch_reset_some(sarrus_batch *batch, const uint8_t *mask) {
    if (!batch)
        return SARRUS_BAD_ARGUMENT;
    if (batch->is_interrupted)
        return sarrus_batch_refuse(batch, SARRUS_INTERRUPTED, "the batch was interrupted; expected sarrus_batch_reset first");
    const uint64_t n_masked = sarrus_mask_count(mask, batch->n_instances);
    if (n_masked == 0)
        return SARRUS_OK;
    sarrus_tile_field fields[SARRUS_N_FIELDS];
    sarrus_plan_fields(sarrus_batch_stored(batch), fields);
    sarrus_status status = restarts_read(batch, fields, true);
    if (status == SARRUS_OK)
        status = sarrus_batch_host_read(batch, sarrus_batch_stored(batch)->layout.input, sarrus_batch_stored(batch)->n_inputs);
    if (status != SARRUS_OK)
        return status;
    sarrus_batch_forget(batch, mask);
    restarting job = {batch, fields, mask};
    sarrus_crew_run(batch->device->crew, sarrus_batch_members(batch, n_masked), lanes_restart, &job);
    restarts_write(batch, fields);
    sarrus_batch_host_write(batch, sarrus_batch_stored(batch)->layout.input, sarrus_batch_stored(batch)->n_inputs);
    return sarrus_batch_refresh(batch, SARRUS_OK);
}

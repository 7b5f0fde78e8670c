#include "batch/copies.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "backend/pace.h"
#include "batch/apart.h"
#include "batch/fill.h"
#include "batch/given.h"
#include "batch/lanes.h"

sarrus_field_place sarrus_batch_field_place(const sarrus_batch *batch, sarrus_field field) {
    const sarrus_mechanism *mech = sarrus_batch_stored(batch);
    const bool is_tree = batch->plan->relative != NULL;
    switch (field) {
    case SARRUS_FIELD_Q:
        return (sarrus_field_place){mech->layout.q, is_tree ? 0 : mech->n_q};
    case SARRUS_FIELD_V:
        return (sarrus_field_place){mech->layout.v, is_tree ? 0 : mech->n_v};
    case SARRUS_FIELD_INPUT:
        return (sarrus_field_place){mech->layout.input, mech->n_inputs};
    case SARRUS_FIELD_STATUS:
        return (sarrus_field_place){mech->layout.status, 1};
    case SARRUS_FIELD_FAILED_STEP:
        return (sarrus_field_place){mech->layout.failed_step, 1};
    case SARRUS_FIELD_TIME:
        return (sarrus_field_place){mech->layout.begun, 1};
    case SARRUS_FIELD_PARAMETER:
    case SARRUS_FIELD_EPISODE:
        break;
    }
    return (sarrus_field_place){0, 0};
}

int sarrus_batch_field_width(const sarrus_batch *batch, sarrus_field field) {
    if (!batch)
        return 0;
    switch (field) {
    case SARRUS_FIELD_Q:
        return batch->plan->mech.n_q;
    case SARRUS_FIELD_V:
        return batch->plan->mech.n_v;
    case SARRUS_FIELD_INPUT:
        return batch->plan->mech.n_inputs;
    case SARRUS_FIELD_PARAMETER:
        return batch->plan->model->batch.n_sampled;
    case SARRUS_FIELD_TIME:
    case SARRUS_FIELD_STATUS:
    case SARRUS_FIELD_FAILED_STEP:
    case SARRUS_FIELD_EPISODE:
        return 1;
    }
    return 0;
}

const char *sarrus_batch_parameter_label(const sarrus_batch *batch, int i_parameter) {
    if (!batch || i_parameter < 0 || i_parameter >= batch->plan->model->batch.n_sampled)
        return NULL;
    return batch->plan->model->batch.sampled[i_parameter].label;
}

static bool is_field(sarrus_field field) {
    return (unsigned)field <= (unsigned)SARRUS_FIELD_EPISODE;
}

/* What the threads that copy share. */
typedef struct copying {
    const struct copying *also; /* of the same tiles; NULL: nothing */
    sarrus_batch *batch;
    sarrus_field field;
    sarrus_field_place place;
    int32_t n; /* numbers of an instance */
    double *out;
    const uint8_t *mask;
    const double *values;
    sarrus_filler *fillers; /* [n_members] of parameters */
    double *before;         /* [n_members][tile] of states over a tree */
    atomic_bool has_failed;
} copying;

/* Where the coordinates or speeds of bodies begin in a tile that is shown. */
static int32_t shown_array(const copying *job) {
    const sarrus_tile_layout *layout = &job->batch->plan->mech.layout;
    return job->field == SARRUS_FIELD_Q ? layout->q : layout->v;
}

/* And in a row of what was given. */
static double *given_part(const copying *job, double *row) {
    return row && job->field == SARRUS_FIELD_V ? row + job->batch->plan->mech.n_q : row;
}

static void lane_out(const copying *job, const double *tile, int32_t lane, uint64_t i) {
    const int32_t width = job->batch->device->width;
    double *row = job->out + (size_t)i * (size_t)job->n;
    if (job->place.n == 0) {
        const double *given = given_part(job, sarrus_batch_given_row(job->batch, i));
        if (given)
            memcpy(row, given, (size_t)job->n * sizeof *row);
        else
            sarrus_lane_get(tile, shown_array(job), width, lane, row, job->n);
        return;
    }
    sarrus_lane_get(tile, job->place.array, width, lane, row, job->n);
    if (job->field == SARRUS_FIELD_TIME) {
        const sarrus_model *model = job->batch->plan->model;
        const sarrus_clock clock = {job->batch->device->step - (uint64_t)row[0], job->batch->plan->n_steps, model->integrator.grid,
                                    model->integrator.t_end};
        row[0] = sarrus_pace_time(&clock);
    }
}

static void tiles_out(void *user, int i_member, int n_members) {
    copying *job = user;
    sarrus_device *device = job->batch->device;
    const sarrus_crew_share share = sarrus_crew_share_of(device->n_tiles, i_member, n_members);
    const uint64_t n = job->batch->n_instances;
    for (uint64_t i_tile = sarrus_tile_next(job->mask, share.i_first, device->width, n); i_tile < share.i_end;
         i_tile = sarrus_tile_next(job->mask, i_tile + 1, device->width, n)) {
        const double *tile = sarrus_batch_tile(job->batch, i_tile);
        if (job->place.n == 0)
            tile = device->ops->tile_show(device, i_member, i_tile);
        if (!tile) {
            atomic_store(&job->has_failed, true);
            return;
        }
        const uint64_t i_first = i_tile * (uint64_t)device->width;
        for (int32_t lane = 0; lane < device->width && i_first + (uint64_t)lane < n; ++lane) {
            if (!sarrus_mask_has(job->mask, i_first + (uint64_t)lane))
                continue;
            lane_out(job, tile, lane, i_first + (uint64_t)lane);
            if (job->also)
                lane_out(job->also, tile, lane, i_first + (uint64_t)lane);
        }
    }
}

/* What stands beside the tiles. */
static void plain_out(const copying *job) {
    const sarrus_batch *batch = job->batch;
    const size_t n_sampled = (size_t)batch->plan->model->batch.n_sampled;
    for (uint64_t i = sarrus_mask_next(job->mask, 0, batch->n_instances); i < batch->n_instances;
         i = sarrus_mask_next(job->mask, i + 1, batch->n_instances)) {
        double *row = job->out + (size_t)i * (size_t)job->n;
        if (job->field == SARRUS_FIELD_PARAMETER)
            memcpy(row, batch->sampled + (size_t)i * n_sampled, n_sampled * sizeof *row);
        else
            *row = batch->episode ? (double)batch->episode[i] : 0.0;
    }
}

/* By several threads where that pays. */
static sarrus_status run_out(copying *job) {
    const sarrus_device *device = job->batch->device;
    const bool is_shared = job->place.n > 0 || device->ops->tile_take;
    const uint64_t n_numbers = sarrus_mask_count(job->mask, job->batch->n_instances) * (uint64_t)job->n;
    sarrus_crew_run(device->crew, is_shared && n_numbers > 16384 ? device->n_threads : 1, tiles_out, job);
    return atomic_load(&job->has_failed) ? SARRUS_DEVICE_FAILED : SARRUS_OK;
}

sarrus_status sarrus_batch_copy_out(sarrus_batch *batch, sarrus_field field, double *out) {
    return sarrus_batch_copy_out_some(batch, field, NULL, out);
}

sarrus_status sarrus_batch_copy_out_some(sarrus_batch *batch, sarrus_field field, const uint8_t *mask, double *out) {
    if (!batch || !out)
        return SARRUS_BAD_ARGUMENT;
    if (!is_field(field))
        return sarrus_batch_refuse(batch, SARRUS_BAD_ARGUMENT, "there is no such field");
    copying job = {.batch = batch, .field = field, .n = sarrus_batch_field_width(batch, field), .out = out, .mask = mask};
    job.place = sarrus_batch_field_place(batch, field);
    if (job.n == 0)
        return SARRUS_OK;
    if (field == SARRUS_FIELD_PARAMETER || field == SARRUS_FIELD_EPISODE) {
        plain_out(&job);
        return SARRUS_OK;
    }
    const sarrus_status status = job.place.n > 0 ? sarrus_batch_host_read(batch, job.place.array, job.place.n) : SARRUS_OK;
    if (status != SARRUS_OK)
        return status;
    return run_out(&job);
}

sarrus_status sarrus_batch_copy_state(sarrus_batch *batch, const uint8_t *mask, double *q, double *v) {
    if (!batch || !q || !v)
        return SARRUS_BAD_ARGUMENT;
    if (!batch->plan->relative) {
        const sarrus_status status = sarrus_batch_copy_out_some(batch, SARRUS_FIELD_Q, mask, q);
        return status != SARRUS_OK ? status : sarrus_batch_copy_out_some(batch, SARRUS_FIELD_V, mask, v);
    }
    const copying speeds = {.batch = batch, .field = SARRUS_FIELD_V, .n = batch->plan->mech.n_v, .out = v};
    copying job = {.batch = batch, .field = SARRUS_FIELD_Q, .n = batch->plan->mech.n_q, .out = q, .mask = mask, .also = &speeds};
    return run_out(&job);
}

/* Numbers that stand in the device's tiles. */
static void stored_in(const copying *job, uint64_t i_tile) {
    const sarrus_batch *batch = job->batch;
    for (int32_t lane = 0; lane < batch->device->width; ++lane) {
        const uint64_t i = sarrus_lane_instance(i_tile, batch->device->width, lane, batch->n_instances);
        if (sarrus_mask_has(job->mask, i))
            sarrus_lane_put(sarrus_batch_tile(batch, i_tile), job->place.array, batch->device->width, lane,
                            job->values + (size_t)i * (size_t)job->n, job->n);
    }
}

/* Coordinates or speeds of bodies that are those of the tree already: bringing them onto it would cost their last digits, and the
 * history of the integrator. */
static bool is_there(const copying *job, const double *shown, int32_t lane, const double *values) {
    const int32_t width = job->batch->device->width, array = shown_array(job);
    bool is_same = true;
    for (int32_t k = 0; is_same && k < job->n; ++k)
        is_same = memcmp(&shown[(array + k) * width + lane], &values[k], sizeof *values) == 0;
    return is_same;
}

/* Coordinates or speeds of bodies over a tree: kept as they are for the assembly, and brought onto the tree for the steps. */
static void state_in(copying *job, int i_member, uint64_t i_tile) {
    sarrus_batch *batch = job->batch;
    sarrus_device *device = batch->device;
    const sarrus_mechanism *mech = &batch->plan->mech;
    const size_t n_row = (size_t)(mech->n_q + mech->n_v), n_tile = sarrus_batch_tile_doubles(batch);
    uint32_t stays = 0; /* a bit a lane, of 32 at most */
    double *before = job->before + (size_t)i_member * n_tile, *shown = device->ops->tile_show(device, i_member, i_tile);
    if (!shown) {
        atomic_store(&job->has_failed, true);
        return;
    }
    memcpy(before, sarrus_batch_tile(batch, i_tile), n_tile * sizeof *before);
    for (int32_t lane = 0; lane < device->width; ++lane) {
        const uint64_t i = sarrus_lane_instance(i_tile, device->width, lane, batch->n_instances);
        double *row = batch->given + (size_t)i * n_row;
        const double *values = job->values + (size_t)i * (size_t)job->n;
        if (!sarrus_mask_has(job->mask, i))
            continue;
        if (!batch->is_given[i] && is_there(job, shown, lane, values)) {
            stays |= UINT32_C(1) << lane;
            continue;
        }
        if (!batch->is_given[i]) {
            sarrus_lane_get(shown, mech->layout.q, device->width, lane, row, mech->n_q);
            sarrus_lane_get(shown, mech->layout.v, device->width, lane, row + mech->n_q, mech->n_v);
            batch->is_given[i] = SARRUS_GIVEN_STATE;
        }
        memcpy(given_part(job, row), values, (size_t)job->n * sizeof *row);
        sarrus_lane_put(shown, mech->layout.q, device->width, lane, row, mech->n_q);
        sarrus_lane_put(shown, mech->layout.v, device->width, lane, row + mech->n_q, mech->n_v);
    }
    if (device->ops->tile_take) {
        device->ops->tile_take(device, i_member);
        sarrus_lanes_restore(batch, job->mask, i_tile, before);
        for (int32_t lane = 0; lane < device->width; ++lane)
            if (stays >> lane & 1)
                sarrus_lane_restore(batch, i_tile, lane, before);
    }
}

/* What the scenario makes of the numbers of an instance, for the assembly to begin with. */
static void start_in(const copying *job, const sarrus_filler *f, bool is_good, uint64_t i_tile, int32_t lane) {
    sarrus_batch *batch = job->batch;
    const sarrus_mechanism *mech = sarrus_batch_stored(batch), *bodies = &batch->plan->mech;
    const int32_t width = batch->device->width;
    const uint64_t i = sarrus_lane_instance(i_tile, width, lane, batch->n_instances);
    const double status = is_good ? (double)SARRUS_INSTANCE_NOT_RUN : (double)SARRUS_INSTANCE_INVALID_PARAMETER;
    double *tile = sarrus_batch_tile(batch, i_tile);
    sarrus_lane_put(tile, mech->layout.parameter, width, lane, f->parameters, mech->n_parameters);
    sarrus_lane_put(tile, mech->layout.status, width, lane, &status, 1);
    sarrus_lane_put(tile, mech->layout.status0, width, lane, &status, 1);
    if (!batch->plan->relative) {
        sarrus_lane_put(tile, mech->layout.q, width, lane, f->q, bodies->n_q);
        sarrus_lane_put(tile, mech->layout.v, width, lane, f->v, bodies->n_v);
        return;
    }
    double *row = batch->given + (size_t)i * (size_t)(bodies->n_q + bodies->n_v);
    memcpy(row, f->q, (size_t)bodies->n_q * sizeof *row);
    memcpy(row + bodies->n_q, f->v, (size_t)bodies->n_v * sizeof *row);
    batch->is_given[i] = SARRUS_GIVEN_START;
}

static void parameters_in(const copying *job, int i_member, uint64_t i_tile) {
    sarrus_batch *batch = job->batch;
    sarrus_filler *f = &job->fillers[i_member];
    for (int32_t lane = 0; lane < batch->device->width; ++lane) {
        const uint64_t i = sarrus_lane_instance(i_tile, batch->device->width, lane, batch->n_instances);
        double *numbers = batch->sampled + (size_t)i * (size_t)job->n;
        if (!sarrus_mask_has(job->mask, i))
            continue;
        memcpy(numbers, job->values + (size_t)i * (size_t)job->n, (size_t)job->n * sizeof *numbers);
        const sarrus_draws draws = {.model = batch->plan->model, .n_instances = 1, .n_sampled = job->n, .values = numbers};
        const bool is_good = sarrus_filler_run(f, &draws, 0);
        start_in(job, f, is_good, i_tile, lane);
    }
}

static void tiles_in(void *user, int i_member, int n_members) {
    copying *job = user;
    const sarrus_batch *batch = job->batch;
    const int32_t width = batch->device->width;
    const sarrus_crew_share share = sarrus_crew_share_of(batch->device->n_tiles, i_member, n_members);
    for (uint64_t i = sarrus_tile_next(job->mask, share.i_first, width, batch->n_instances); i < share.i_end;
         i = sarrus_tile_next(job->mask, i + 1, width, batch->n_instances)) {
        if (job->field == SARRUS_FIELD_PARAMETER)
            parameters_in(job, i_member, i);
        else if (job->place.n == 0)
            state_in(job, i_member, i);
        else
            stored_in(job, i);
    }
}

static bool is_writable(sarrus_field field) {
    return field == SARRUS_FIELD_INPUT || field == SARRUS_FIELD_PARAMETER || field == SARRUS_FIELD_Q || field == SARRUS_FIELD_V;
}

/* Lane arrays of the tiles that are written one by one. */
typedef struct written_arrays {
    int32_t at, n;
} written_arrays;

enum { MOST_WRITTEN = 5 };

static int written_find(const copying *job, written_arrays out[MOST_WRITTEN]) {
    const sarrus_mechanism *mech = sarrus_batch_stored(job->batch);
    const written_arrays of_start[MOST_WRITTEN] = {{mech->layout.parameter, mech->n_parameters},
                                                   {mech->layout.status, 1},
                                                   {mech->layout.status0, 1},
                                                   {mech->layout.q, mech->n_q},
                                                   {mech->layout.v, mech->n_v}};
    if (job->field != SARRUS_FIELD_PARAMETER) {
        out[0] = (written_arrays){job->place.array, job->place.n};
        return 1;
    }
    memcpy(out, of_start, sizeof of_start);
    return job->batch->plan->relative ? MOST_WRITTEN - 2 : MOST_WRITTEN;
}

/* The scratch that a job needs; false: no memory. */
static bool scratch_take(copying *job, int n_members) {
    const bool is_tree = job->batch->plan->relative != NULL, is_parameter = job->field == SARRUS_FIELD_PARAMETER;
    if (is_parameter)
        job->fillers = sarrus_batch_fillers(job->batch, n_members);
    else if (job->place.n == 0)
        job->before = malloc((size_t)n_members * sarrus_batch_tile_doubles(job->batch) * sizeof *job->before);
    const bool needs_rows = is_tree && (is_parameter || job->place.n == 0);
    return (job->fillers || job->before || job->place.n > 0) && (!needs_rows || sarrus_batch_given_reserve(job->batch));
}

/* All of them, by the threads; arrays that lie elsewhere are read before and count as written then. */
static sarrus_status tiles_write(copying *job, int n_members) {
    sarrus_batch *batch = job->batch;
    written_arrays arrays[MOST_WRITTEN];
    const int n = written_find(job, arrays);
    sarrus_status status = SARRUS_OK;
    for (int k = 0; k < n && status == SARRUS_OK; ++k)
        status = sarrus_batch_host_read(batch, arrays[k].at, arrays[k].n);
    if (status != SARRUS_OK)
        return status;
    batch->has_given = batch->has_given || batch->given;
    sarrus_crew_run(batch->device->crew, n_members, tiles_in, job);
    sarrus_batch_given_settle(batch);
    for (int k = 0; k < n; ++k)
        sarrus_batch_host_write(batch, arrays[k].at, arrays[k].n);
    return atomic_load(&job->has_failed) ? SARRUS_DEVICE_FAILED : SARRUS_OK;
}

sarrus_status sarrus_batch_copy_in(sarrus_batch *batch, sarrus_field field, const uint8_t *mask, const double *values) {
    if (!batch || !values)
        return SARRUS_BAD_ARGUMENT;
    if (!is_field(field))
        return sarrus_batch_refuse(batch, SARRUS_BAD_ARGUMENT, "there is no such field");
    if (!is_writable(field))
        return sarrus_batch_refuse(batch, SARRUS_UNSUPPORTED,
                                   "the field cannot be written; expected coordinates, speeds, inputs or parameters");
    copying job = {.batch = batch, .field = field, .n = sarrus_batch_field_width(batch, field), .mask = mask, .values = values};
    const uint64_t n_masked = sarrus_mask_count(mask, batch->n_instances);
    job.place = sarrus_batch_field_place(batch, field);
    if (job.n == 0 || n_masked == 0)
        return SARRUS_OK;
    const bool is_plain = job.place.n > 0, is_state = !is_plain && field != SARRUS_FIELD_PARAMETER;
    const bool is_apart = is_state && !batch->device->ops->tile_take; /* and of tile_show one member makes use at a time */
    const bool is_small = is_plain && n_masked * (uint64_t)job.n <= 16384;
    const int n_members = is_small || is_apart ? 1 : sarrus_batch_members(batch, n_masked);
    sarrus_apart apart = {0};
    const bool has_scratch = scratch_take(&job, n_members) && (!is_apart || sarrus_apart_reserve(batch, mask, &apart));
    sarrus_status status = has_scratch ? SARRUS_OK : sarrus_batch_refuse_memory(batch);
    if (status == SARRUS_OK)
        status = tiles_write(&job, n_members);
    if (status == SARRUS_OK && is_apart)
        status = sarrus_apart_take(&apart);
    sarrus_apart_free(&apart);
    free(job.before);
    return sarrus_batch_refresh(batch, status);
}

sarrus_status sarrus_batch_copy_observable(sarrus_batch *batch, sarrus_observable observable, double *out) {
    if (!batch || !out || (unsigned)observable >= SARRUS_N_OBSERVABLES)
        return SARRUS_BAD_ARGUMENT;
    sarrus_observation now = {.n_times = 1, .every_steps = 1, .observe_first = 1, .n_times_stride = 1};
    now.destination[observable] = out;
    return sarrus_batch_observe(batch, &now);
}

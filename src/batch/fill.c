#include "batch/fill.h"

#include <stdlib.h>
#include <string.h>

#include "batch/lanes.h"
#include "core/report.h"
#include "core/stop.h"

static void filler_free(sarrus_filler *f) {
    sarrus_evaluator_destroy(f->evaluator);
    free(f->values);
    free(f->parameters);
    free(f->q);
    free(f->v);
    free(f->nominal);
}

static double *doubles(size_t n) {
    return calloc(n ? n : 1, sizeof(double));
}

static bool filler_make(const sarrus_plan *plan, sarrus_filler *f) {
    const size_t n_q = (size_t)plan->mech.n_q, n_v = (size_t)plan->mech.n_v, n_parameters = (size_t)plan->mech.n_parameters;
    f->plan = plan;
    f->values = doubles((size_t)plan->model->n_values);
    f->parameters = doubles(n_parameters);
    f->q = doubles(n_q);
    f->v = doubles(n_v);
    f->nominal = doubles(n_parameters + n_q + n_v);
    if (!f->values || !f->parameters || !f->q || !f->v || !f->nominal ||
        sarrus_evaluator_create(plan->model, &f->evaluator) != SARRUS_OK)
        return false;
    (void)sarrus_evaluator_run(f->evaluator, NULL, 0, f->values);
    (void)sarrus_plan_parameters(plan, f->values, f->nominal, f->nominal + n_parameters, f->nominal + n_parameters + n_q);
    return true;
}

sarrus_filler *sarrus_fillers_create(const sarrus_plan *plan, int n) {
    sarrus_filler *fillers = calloc((size_t)n, sizeof *fillers);
    bool good = fillers != NULL;
    for (int i = 0; good && i < n; ++i)
        good = filler_make(plan, &fillers[i]);
    if (good)
        return fillers;
    sarrus_fillers_destroy(fillers, n);
    return NULL;
}

void sarrus_fillers_destroy(sarrus_filler *fillers, int n) {
    for (int i = 0; fillers && i < n; ++i)
        filler_free(&fillers[i]);
    free(fillers);
}

sarrus_filler *sarrus_batch_fillers(sarrus_batch *batch, int n) {
    if (n > batch->n_fillers) {
        sarrus_filler *more = sarrus_fillers_create(batch->plan, n);
        if (!more)
            return NULL;
        sarrus_fillers_destroy(batch->fillers, batch->n_fillers);
        batch->fillers = more;
        batch->n_fillers = n;
    }
    return batch->fillers;
}

bool sarrus_filler_run(sarrus_filler *f, const sarrus_draws *draws, uint64_t i) {
    const bool is_finite = sarrus_evaluator_run(f->evaluator, draws, i, f->values);
    const bool good = sarrus_plan_parameters(f->plan, f->values, f->parameters, f->q, f->v) && is_finite;
    const sarrus_mechanism *mech = &f->plan->mech;
    if (!good) {
        memcpy(f->parameters, f->nominal, (size_t)mech->n_parameters * sizeof *f->nominal);
        memcpy(f->q, f->nominal + mech->n_parameters, (size_t)mech->n_q * sizeof *f->nominal);
        memcpy(f->v, f->nominal + mech->n_parameters + mech->n_q, (size_t)mech->n_v * sizeof *f->nominal);
    }
    return good;
}

void sarrus_filler_sampled(const sarrus_filler *f, double *numbers) {
    const sarrus_model *model = f->plan->model;
    for (int k = 0; k < model->batch.n_sampled; ++k)
        numbers[k] = f->values[model->batch.sampled[k].targets[0]];
}

void sarrus_filler_put(const sarrus_filler *f, bool is_good, int32_t width, int32_t lane, double *tile) {
    const sarrus_mechanism *mech = &f->plan->mech;
    const double status = is_good ? (double)SARRUS_INSTANCE_OK : (double)SARRUS_INSTANCE_INVALID_PARAMETER;
    sarrus_lane_put(tile, mech->layout.parameter, width, lane, f->parameters, mech->n_parameters);
    sarrus_lane_put(tile, mech->layout.q, width, lane, f->q, mech->n_q);
    sarrus_lane_put(tile, mech->layout.v, width, lane, f->v, mech->n_v);
    sarrus_lane_put(tile, mech->layout.status, width, lane, &status, 1);
}

/* Lanes past the last instance repeat it: they cost nothing extra and can do no harm. */
static void fill_tile(const sarrus_batch *batch, sarrus_filler *f, const sarrus_draws *draws, uint64_t i_tile, double *tile) {
    const int32_t width = batch->device->width;
    const size_t n_sampled = (size_t)batch->plan->model->batch.n_sampled;
    for (int32_t lane = 0; lane < width; ++lane) {
        const uint64_t i = sarrus_lane_instance(i_tile, width, lane, batch->n_instances);
        const bool is_good = sarrus_filler_run(f, draws, batch->i_draw + i);
        sarrus_filler_put(f, is_good, width, lane, tile);
        sarrus_filler_sampled(f, batch->sampled + i * n_sampled);
    }
}

/* What the threads that fill the tiles share. */
typedef struct filling {
    const sarrus_batch *batch;
    const sarrus_draws *draws;
    sarrus_filler *fillers; /* [n_threads] */
} filling;

static void tiles_fill(void *user, int i_member, int n_members) {
    const filling *job = user;
    const sarrus_crew_share share = sarrus_crew_share_of(job->batch->device->n_tiles, i_member, n_members);
    sarrus_device *device = job->batch->device;
    const sarrus_backend_ops *ops = device->ops;
    for (uint64_t i = share.i_first; i < share.i_end && !sarrus_stop_is_asked(job->batch->stop); ++i) {
        double *tile = ops->tile_open ? ops->tile_open(device, i_member, i) : sarrus_batch_tile(job->batch, i);
        fill_tile(job->batch, &job->fillers[i_member], job->draws, i, tile);
        if (ops->tile_close)
            ops->tile_close(device, i_member);
    }
}

sarrus_status sarrus_batch_fill(sarrus_context *context, sarrus_batch *batch, const sarrus_draws *draws) {
    const int n_threads = batch->device->n_threads;
    const size_t n_sampled = (size_t)batch->plan->model->batch.n_sampled;
    sarrus_filler *fillers = sarrus_fillers_create(batch->plan, n_threads);
    if (n_sampled < SIZE_MAX / sizeof(double) / batch->n_instances)
        batch->sampled = doubles(n_sampled * (size_t)batch->n_instances);
    filling job = {batch, draws, fillers};
    const bool good = fillers && batch->sampled;
    if (good)
        sarrus_crew_run(batch->device->crew, n_threads, tiles_fill, &job);
    sarrus_fillers_destroy(fillers, n_threads);
    if (!good)
        return sarrus_report(context, SARRUS_NO_MEMORY, "out of memory while the instances are filled");
    return sarrus_stop_is_asked(batch->stop) ? SARRUS_INTERRUPTED : SARRUS_OK;
}

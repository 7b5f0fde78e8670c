/* A batch: parameters and given states into the tiles of a device, and the public operations on it. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/backend.h"
#include "backend/pace.h"
#include "backend/scatter.h"
#include "batch/crew.h"
#include "batch/own_steps.h"
#include "core/report.h"
#include "core/stop.h"
#include "model/draws.h"
#include "model/evaluator.h"
#include "plan/fields.h"
#include "sarrus/batch.h"

struct sarrus_batch {
    const sarrus_plan *plan;
    sarrus_device *device;
    uint64_t n_instances;
    uint64_t i_draw; /* place of the first instance among the draws; while it is filled */
    uint64_t step;   /* done */
    const volatile int32_t *stop;
    bool is_interrupted; /* until it is reset */
    sarrus_rank_change_list events;
};

/* The mechanism by whose layout the device's tiles lie. */
static const sarrus_mechanism *stored(const sarrus_batch *batch) {
    return &sarrus_plan_stepped(batch->plan)->mech;
}

static double *stored_tile(const sarrus_batch *batch, uint64_t i_tile) {
    return batch->device->tiles + (size_t)i_tile * (size_t)stored(batch)->layout.n_arrays * (size_t)batch->device->width;
}

/* Scratch of one thread while instances are filled. */
typedef struct filler {
    sarrus_evaluator *evaluator;
    double *values;     /* [n_values] */
    double *parameters; /* [n_parameters] */
    double *q, *v;      /* [n] */
    double *nominal;    /* [n_parameters + 2n] stands in for an instance whose numbers are invalid */
} filler;

static void filler_free(filler *f) {
    sarrus_evaluator_destroy(f->evaluator);
    free(f->values);
    free(f->parameters);
    free(f->q);
    free(f->v);
    free(f->nominal);
    memset(f, 0, sizeof *f);
}

static double *doubles(size_t n) {
    return calloc(n ? n : 1, sizeof(double));
}

static bool filler_create(const sarrus_plan *plan, filler *f) {
    size_t n_q = (size_t)plan->mech.n_q, n_v = (size_t)plan->mech.n_v, n_parameters = (size_t)plan->mech.n_parameters;
    memset(f, 0, sizeof *f);
    f->values = doubles((size_t)plan->model->n_values);
    f->parameters = doubles(n_parameters);
    f->q = doubles(n_q);
    f->v = doubles(n_v);
    f->nominal = doubles(n_parameters + n_q + n_v);
    bool good = f->values && f->parameters && f->q && f->v && f->nominal;
    if (good)
        good = sarrus_evaluator_create(plan->model, &f->evaluator) == SARRUS_OK;
    if (good) {
        (void)sarrus_evaluator_run(f->evaluator, NULL, 0, f->values);
        (void)sarrus_plan_parameters(plan, f->values, f->nominal, f->nominal + n_parameters, f->nominal + n_parameters + n_q);
        return true;
    }
    filler_free(f);
    return false;
}

static void put(double *tile, int32_t array, int32_t width, int32_t lane, const double *from, int32_t n) {
    for (int32_t i = 0; i < n; ++i)
        tile[(array + i) * width + lane] = from[i];
}

/* One lane of a tile from the values of draw `i`. */
static void fill_lane(const sarrus_batch *batch, filler *f, const sarrus_draws *draws, uint64_t i, int32_t lane, double *tile) {
    const sarrus_plan *plan = batch->plan;
    const sarrus_mechanism *mech = &plan->mech;
    const int32_t width = batch->device->width;
    bool good = sarrus_evaluator_run(f->evaluator, draws, i, f->values);
    good = sarrus_plan_parameters(plan, f->values, f->parameters, f->q, f->v) && good;
    const double *parameters = good ? f->parameters : f->nominal;
    const double *q = good ? f->q : f->nominal + mech->n_parameters;
    const double *v = good ? f->v : f->nominal + mech->n_parameters + mech->n_q;
    double status = good ? (double)SARRUS_INSTANCE_OK : (double)SARRUS_INSTANCE_INVALID_PARAMETER;
    put(tile, mech->layout.parameter, width, lane, parameters, mech->n_parameters);
    put(tile, mech->layout.q, width, lane, q, mech->n_q);
    put(tile, mech->layout.v, width, lane, v, mech->n_v);
    put(tile, mech->layout.status, width, lane, &status, 1);
}

/* Lanes past the last instance repeat it: they cost nothing extra and can do no harm. */
static void fill_tile(const sarrus_batch *batch, filler *f, const sarrus_draws *draws, uint64_t i_tile, double *tile) {
    const int32_t width = batch->device->width;
    for (int32_t lane = 0; lane < width; ++lane) {
        uint64_t i = i_tile * (uint64_t)width + (uint64_t)lane;
        fill_lane(batch, f, draws, batch->i_draw + (i < batch->n_instances ? i : batch->n_instances - 1), lane, tile);
    }
}

/* What the threads that fill the tiles share. */
typedef struct filling {
    const sarrus_batch *batch;
    const sarrus_draws *draws;
    filler *fillers; /* [n_threads] */
} filling;

static void tiles_fill(void *user, int i_member, int n_members) {
    const filling *job = user;
    const sarrus_crew_share share = sarrus_crew_share_of(job->batch->device->n_tiles, i_member, n_members);
    sarrus_device *device = job->batch->device;
    const sarrus_backend_ops *ops = device->ops;
    for (uint64_t i = share.i_first; i < share.i_end && !sarrus_stop_is_asked(job->batch->stop); ++i) {
        double *tile = ops->tile_open ? ops->tile_open(device, i_member, i) : stored_tile(job->batch, i);
        fill_tile(job->batch, &job->fillers[i_member], job->draws, i, tile);
        if (ops->tile_close)
            ops->tile_close(device, i_member);
    }
}

static sarrus_status fill(sarrus_context *context, sarrus_batch *batch, const sarrus_draws *draws) {
    int n_threads = batch->device->n_threads;
    filler *fillers = calloc((size_t)n_threads, sizeof *fillers);
    bool good = fillers != NULL;
    for (int i = 0; good && i < n_threads; ++i)
        good = filler_create(batch->plan, &fillers[i]);
    filling job = {batch, draws, fillers};
    if (good)
        sarrus_crew_run(batch->device->crew, n_threads, tiles_fill, &job);
    for (int i = 0; fillers && i < n_threads; ++i)
        filler_free(&fillers[i]);
    free(fillers);
    if (!good)
        return sarrus_report(context, SARRUS_NO_MEMORY, "out of memory while the instances are filled");
    return sarrus_stop_is_asked(batch->stop) ? SARRUS_INTERRUPTED : SARRUS_OK;
}

static sarrus_status assemble(sarrus_context *context, sarrus_batch *batch) {
    const sarrus_status status = batch->device->ops->assemble(batch->device);
    if (status == SARRUS_OK || status == SARRUS_INTERRUPTED)
        return status;
    /* There is no batch yet that could be dead. */
    return sarrus_report(context, SARRUS_NO_BACKEND, "the batch could not be assembled: %s", batch->device->failure);
}

/* Whether the draws (NULL: none) are those of the instances from i_first on. */
static bool are_drawn(const sarrus_draws *draws, uint64_t i_first, uint64_t n_instances) {
    return !draws || (i_first >= draws->i_first && n_instances <= draws->n_instances &&
                      i_first - draws->i_first <= draws->n_instances - n_instances);
}

/* Whether tiles of any width, and counts of their bytes, can be numbered. */
static bool is_countable(const sarrus_plan *plan, uint64_t n_instances) {
    const uint64_t widest = 32, n_bytes = (uint64_t)sarrus_plan_stepped(plan)->mech.layout.n_arrays * sizeof(double);
    return n_instances <= (uint64_t)PTRDIFF_MAX / n_bytes - widest;
}

static sarrus_status check_arguments(sarrus_context *context, const sarrus_plan *plan, const sarrus_batch_options *options,
                                     uint64_t n_instances, const sarrus_draws *draws) {
    if (!plan)
        return sarrus_report(context, SARRUS_BAD_ARGUMENT, "sarrus_batch_create: the plan is NULL");
    if (n_instances == 0)
        return sarrus_report(context, SARRUS_BAD_ARGUMENT, "a batch of 0 instances; expected at least 1");
    if (!is_countable(plan, n_instances))
        return sarrus_report(context, SARRUS_NO_MEMORY, "a batch of %llu instances does not fit into any memory",
                             (unsigned long long)n_instances);
    if (options && (options->n_threads < 0 || options->n_devices < 0))
        return sarrus_report(context, SARRUS_BAD_ARGUMENT, "%d threads, %d devices; expected 0 (all) or more", options->n_threads,
                             options->n_devices);
    if (draws && draws->n_sampled != plan->model->batch.n_sampled)
        return sarrus_report(context, SARRUS_BAD_ARGUMENT, "draws of %d parameters given to a plan of %d", draws->n_sampled,
                             plan->model->batch.n_sampled);
    const uint64_t i_first = options ? options->first_instance : 0;
    if (!are_drawn(draws, i_first, n_instances))
        return sarrus_report(context, SARRUS_BAD_ARGUMENT,
                             "draws for %llu instances from %llu on given to a batch of %llu from %llu on",
                             (unsigned long long)draws->n_instances, (unsigned long long)draws->i_first,
                             (unsigned long long)n_instances, (unsigned long long)i_first);
    return SARRUS_OK;
}

sarrus_status sarrus_batch_create(sarrus_context *context, const sarrus_plan *plan, const sarrus_batch_options *options,
                                  uint64_t n_instances, const sarrus_draws *draws, sarrus_batch **out) {
    if (!out)
        return sarrus_report(context, SARRUS_BAD_ARGUMENT, "sarrus_batch_create: there is no place for the batch");
    const sarrus_status checked = check_arguments(context, plan, options, n_instances, draws);
    if (checked != SARRUS_OK)
        return checked;
    const uint64_t i_first = options ? options->first_instance : 0;
    sarrus_batch *batch = calloc(1, sizeof *batch);
    if (!batch)
        return sarrus_report(context, SARRUS_NO_MEMORY, "out of memory for the batch");
    batch->plan = plan;
    batch->n_instances = n_instances;
    batch->i_draw = draws ? i_first - draws->i_first : 0;
    batch->stop = options ? options->stop : NULL;
    sarrus_status status = sarrus_backend_create(context, plan, options, n_instances, &batch->device);
    if (status == SARRUS_OK)
        status = fill(context, batch, draws);
    if (status == SARRUS_OK)
        status = assemble(context, batch);
    if (status != SARRUS_OK) {
        sarrus_batch_destroy(batch);
        return status;
    }
    *out = batch;
    return SARRUS_OK;
}

sarrus_crew *sarrus_batch_crew(const sarrus_batch *batch) {
    return batch->device->crew;
}

void sarrus_batch_destroy(sarrus_batch *batch) {
    if (!batch)
        return;
    if (batch->device)
        batch->device->ops->destroy(batch->device);
    sarrus_rank_change_list_free(&batch->events);
    free(batch);
}

static sarrus_clock clock_of(const sarrus_batch *batch) {
    const sarrus_model *model = batch->plan->model;
    return (sarrus_clock){batch->step, batch->plan->n_steps, model->integrator.grid, model->integrator.t_end};
}

/* Whether no more steps are to be made. */
static bool is_ended(sarrus_batch *batch) {
    batch->is_interrupted = batch->is_interrupted || sarrus_stop_is_asked(batch->stop);
    return batch->is_interrupted;
}

/* What follows n_steps steps. */
static sarrus_status steps_end(sarrus_batch *batch, sarrus_status status, uint64_t n_steps) {
    if (status == SARRUS_OK)
        batch->step += n_steps;
    batch->is_interrupted = status == SARRUS_INTERRUPTED;
    return status;
}

/* A double holds the number of a step up to here. */
static const uint64_t MOST_STEPS = UINT64_C(1) << 53;

sarrus_status sarrus_batch_advance(sarrus_batch *batch, uint64_t n_steps) {
    if (!batch || n_steps > MOST_STEPS - batch->step)
        return SARRUS_BAD_ARGUMENT;
    if (is_ended(batch))
        return SARRUS_INTERRUPTED;
    sarrus_clock clock = clock_of(batch);
    return steps_end(batch, batch->device->ops->advance(batch->device, &clock, n_steps), n_steps);
}

/* Whether the rows lie within their arrays, whose bytes can be counted, and the steps can be. */
static bool observation_is_possible(const sarrus_batch *batch, const sarrus_observation *observation) {
    const uint64_t stride = observation->n_times_stride, n_left = MOST_STEPS - batch->step;
    if (observation->n_times > stride || observation->i_time_first > stride - observation->n_times)
        return false;
    for (int o = 0; stride > 0 && o < SARRUS_N_OBSERVABLES; ++o) {
        const uint64_t width = (uint64_t)sarrus_scatter_width(&batch->plan->mech, (sarrus_observable)o);
        if (observation->destination[o] && width > 0 &&
            batch->n_instances > (uint64_t)PTRDIFF_MAX / sizeof(double) / width / stride)
            return false;
    }
    if (observation->every_steps > n_left || observation->last_steps > n_left)
        return false;
    return observation->every_steps == 0 || observation->n_times <= n_left / observation->every_steps + 1;
}

sarrus_status sarrus_batch_observe(sarrus_batch *batch, const sarrus_observation *observation) {
    if (!batch || !observation || !observation_is_possible(batch, observation))
        return SARRUS_BAD_ARGUMENT;
    if (observation->n_times == 0)
        return SARRUS_OK;
    if (is_ended(batch))
        return SARRUS_INTERRUPTED;
    sarrus_device_observation all = {clock_of(batch), observation, batch->n_instances};
    return steps_end(batch, batch->device->ops->observe(batch->device, &all), sarrus_observation_steps(observation));
}

/* Lane arrays that the host is about to read, or has written anew in all tiles. */
static sarrus_status host_read(const sarrus_batch *batch, int32_t i_first, int32_t n) {
    const sarrus_backend_ops *ops = batch->device->ops;
    return ops->host_read ? ops->host_read(batch->device, i_first, n) : SARRUS_OK;
}

static void host_write(const sarrus_batch *batch, int32_t i_first, int32_t n) {
    const sarrus_backend_ops *ops = batch->device->ops;
    if (ops->host_write)
        ops->host_write(batch->device, i_first, n);
}

/* Of a device that is lost: what was read last. */
static double lane_value(const sarrus_batch *batch, uint64_t i_instance, int32_t array) {
    const uint64_t width = (uint64_t)batch->device->width;
    (void)host_read(batch, array, 1);
    return stored_tile(batch, i_instance / width)[(uint64_t)array * width + i_instance % width];
}

int sarrus_batch_has_own_steps(const sarrus_batch *batch) {
    return batch->n_instances == 1 && batch->plan->mech.integrator.is_adaptive && batch->plan->mech.n_inputs == 0;
}

int sarrus_batch_cuts_steps(const sarrus_batch *batch) {
    return batch->plan->mech.integrator.is_adaptive && batch->plan->mech.n_inputs > 0;
}

double sarrus_batch_own_time(const sarrus_batch *batch) {
    return lane_value(batch, 0, stored(batch)->layout.adaptive.t_now);
}

/* A clock whose first step ends at t, by which the kernels reach any time there is. They go on judging up to the t_end of theirs.
 */
static sarrus_clock clock_to(const sarrus_batch *batch, double t) {
    return (sarrus_clock){0, 2, t, batch->plan->model->integrator.t_end};
}

/* The first grid step behind time t: to the bit what kernels/step/clock.h finds. */
static uint64_t grid_step_after(const sarrus_batch *batch, double t) {
    const sarrus_clock clock = clock_of(batch);
    const double n_total = (double)clock.n_total;
    double step = rint(t / clock.dt) - 1.0;
    for (int k = 0; k < 3; ++k)
        step += (step == n_total ? clock.t_end : step * clock.dt) <= t ? 1.0 : 0.0;
    return (uint64_t)step;
}

/* An instance that failed was given its step by a clock that is not the grid's. */
static void failed_step_mend(const sarrus_batch *batch) {
    const int32_t array = stored(batch)->layout.failed_step, width = batch->device->width;
    (void)lane_value(batch, 0, array);
    for (int32_t lane = 0; lane < width; ++lane)
        batch->device->tiles[array * width + lane] = (double)grid_step_after(batch, sarrus_batch_own_time(batch));
    host_write(batch, array, 1);
}

static sarrus_status own_time_reach(sarrus_batch *batch, double t) {
    const sarrus_clock clock = clock_to(batch, t);
    if (is_ended(batch))
        return SARRUS_INTERRUPTED;
    const bool was_well = sarrus_batch_status(batch, 0) == SARRUS_INSTANCE_OK;
    const sarrus_status status = batch->device->ops->advance(batch->device, &clock, 1);
    if (status == SARRUS_OK && was_well && sarrus_batch_status(batch, 0) != SARRUS_INSTANCE_OK)
        failed_step_mend(batch);
    return steps_end(batch, status, 0);
}

/* What comes first behind the end of a step lies in the next one, however short that is. */
sarrus_status sarrus_batch_own_step(sarrus_batch *batch) {
    return own_time_reach(batch, fmax(nextafter(sarrus_batch_own_time(batch), HUGE_VAL), DBL_MIN));
}

sarrus_status sarrus_batch_own_observe(sarrus_batch *batch, double t, const sarrus_observation *observation) {
    sarrus_status status = own_time_reach(batch, t);
    if (status != SARRUS_OK)
        return status;
    sarrus_observation here = *observation;
    here.n_times = 1;
    here.observe_first = 1;
    sarrus_device_observation all = {clock_to(batch, t), &here, batch->n_instances};
    all.clock.step = 1;
    status = steps_end(batch, batch->device->ops->observe(batch->device, &all), 0);
    if (status == SARRUS_OK)
        batch->step = grid_step_after(batch, t) - 1;
    return status;
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

/* All has been written but what is kept: told in as few pieces as there are. */
static void restarts_write(sarrus_batch *batch, const sarrus_tile_field fields[SARRUS_N_FIELDS]) {
    for (int k = 0, k_end; k < SARRUS_N_FIELDS; k = k_end + 1) {
        for (k_end = k; k_end < SARRUS_N_FIELDS && fields[k_end].reset != SARRUS_RESET_KEPT;)
            ++k_end;
        if (k_end > k)
            host_write(batch, fields[k].at, fields[k_end - 1].at + fields[k_end - 1].n - fields[k].at);
    }
}

sarrus_status sarrus_batch_reset(sarrus_batch *batch) {
    if (!batch)
        return SARRUS_BAD_ARGUMENT;
    const size_t width = (size_t)batch->device->width;
    sarrus_tile_field fields[SARRUS_N_FIELDS];
    sarrus_plan_fields(stored(batch), fields);
    for (int k = 0; k < SARRUS_N_FIELDS; ++k) {
        const sarrus_tile_field *field = &fields[k];
        const sarrus_status status = field->reset == SARRUS_RESET_FROM ? host_read(batch, field->from, field->n) : SARRUS_OK;
        if (status != SARRUS_OK)
            return status;
    }
    for (uint64_t i = 0; i < batch->device->n_tiles; ++i)
        for (int k = 0; k < SARRUS_N_FIELDS; ++k)
            field_restart(&fields[k], stored_tile(batch, i), width);
    restarts_write(batch, fields);
    batch->step = 0;
    batch->is_interrupted = false;
    sarrus_batch_rank_events_clear(batch);
    return SARRUS_OK;
}

double sarrus_batch_time(const sarrus_batch *batch) {
    if (!batch)
        return (double)NAN;
    const sarrus_clock clock = clock_of(batch);
    return sarrus_pace_time(&clock);
}

uint64_t sarrus_batch_step(const sarrus_batch *batch) {
    return batch ? batch->step : 0;
}

uint64_t sarrus_batch_n_instances(const sarrus_batch *batch) {
    return batch ? batch->n_instances : 0;
}

const char *sarrus_batch_backend_name(const sarrus_batch *batch) {
    return batch ? batch->device->ops->name : NULL;
}

const char *sarrus_batch_device_name(const sarrus_batch *batch) {
    return batch ? batch->device->description : NULL;
}

const char *sarrus_batch_failure(const sarrus_batch *batch) {
    return batch && batch->device->failure[0] != '\0' ? batch->device->failure : NULL;
}

sarrus_status sarrus_batch_view(sarrus_batch *batch, sarrus_field field, sarrus_view *out) {
    if (!batch || !out)
        return SARRUS_BAD_ARGUMENT;
    const sarrus_mechanism *mech = stored(batch);
    int32_t array = 0, n = 0;
    if (batch->plan->relative && (field == SARRUS_FIELD_Q || field == SARRUS_FIELD_V))
        return SARRUS_UNSUPPORTED;
    switch (field) {
    case SARRUS_FIELD_Q:
        array = mech->layout.q, n = mech->n_q;
        break;
    case SARRUS_FIELD_V:
        array = mech->layout.v, n = mech->n_v;
        break;
    case SARRUS_FIELD_INPUT:
        array = mech->layout.input, n = mech->n_inputs;
        break;
    default:
        return SARRUS_BAD_ARGUMENT;
    }
    const sarrus_backend_ops *ops = batch->device->ops;
    const sarrus_status status = ops->host_share ? ops->host_share(batch->device, array, n) : SARRUS_OK;
    if (status != SARRUS_OK)
        return status;
    out->width = (size_t)batch->device->width;
    out->stride = (size_t)mech->layout.n_arrays * out->width;
    out->base = batch->device->tiles + (size_t)array * out->width;
    out->n_components = n;
    return SARRUS_OK;
}

sarrus_instance_status sarrus_batch_status(const sarrus_batch *batch, uint64_t i_instance) {
    if (!batch || i_instance >= batch->n_instances)
        return SARRUS_INSTANCE_NOT_RUN;
    return (sarrus_instance_status)(int)lane_value(batch, i_instance, stored(batch)->layout.status);
}

uint64_t sarrus_batch_failed_step(const sarrus_batch *batch, uint64_t i_instance) {
    if (!batch || i_instance >= batch->n_instances)
        return 0;
    return (uint64_t)lane_value(batch, i_instance, stored(batch)->layout.failed_step);
}

sarrus_status sarrus_batch_statistics(const sarrus_batch *batch, uint64_t i_instance, sarrus_instance_statistics *out) {
    if (!batch || !out || i_instance >= batch->n_instances)
        return SARRUS_BAD_ARGUMENT;
    const sarrus_tile_layout *layout = &stored(batch)->layout;
    out->n_steps = (uint64_t)lane_value(batch, i_instance, layout->n_steps);
    out->n_rejected = (uint64_t)lane_value(batch, i_instance, layout->n_rejected);
    out->n_evaluations = (uint64_t)lane_value(batch, i_instance, layout->n_evaluations);
    out->n_rank_changes = (uint64_t)lane_value(batch, i_instance, layout->n_changes);
    return SARRUS_OK;
}

sarrus_status sarrus_batch_verdict(const sarrus_batch *batch, uint64_t i_instance, sarrus_instance_verdict *out) {
    if (!batch || !out || i_instance >= batch->n_instances)
        return SARRUS_BAD_ARGUMENT;
    const sarrus_mechanism *mech = stored(batch);
    const sarrus_verdict_layout *at = &mech->layout.verdict;
    const double kinetic = lane_value(batch, i_instance, at->kinetic), low = lane_value(batch, i_instance, at->low);
    const double turned_over = kinetic + (lane_value(batch, i_instance, at->high) - low) + mech->energy_floor;
    const double mismatch = lane_value(batch, i_instance, at->mismatch), nearest = lane_value(batch, i_instance, at->nearest);
    out->violation = lane_value(batch, i_instance, at->violation) / mech->violation_unit;
    out->energy_mismatch = mismatch > 0.0 ? mismatch / turned_over : 0.0;
    out->error = mech->wants_error ? lane_value(batch, i_instance, at->error) : (double)NAN;
    out->work = lane_value(batch, i_instance, at->work);
    out->nearest_change_point = nearest > 0.0 ? 1.0 / sqrt(nearest) : (double)NAN;
    out->nearest_change_point_time = nearest > 0.0 ? lane_value(batch, i_instance, at->nearest_time) : (double)NAN;
    return SARRUS_OK;
}

sarrus_status sarrus_batch_rank_events(sarrus_batch *batch, const sarrus_rank_event **events, uint64_t *n_events) {
    if (!batch || !events || !n_events)
        return SARRUS_BAD_ARGUMENT;
    const sarrus_status status = batch->device->ops->rank_changes_take(batch->device, &batch->events);
    sarrus_rank_change_list_sort(&batch->events);
    *events = batch->events.items;
    *n_events = batch->events.n_items;
    return batch->events.has_lost ? SARRUS_NO_MEMORY : status;
}

void sarrus_batch_rank_events_clear(sarrus_batch *batch) {
    if (!batch)
        return;
    (void)batch->device->ops->rank_changes_take(batch->device, &batch->events);
    batch->events.n_items = 0;
    batch->events.has_lost = false;
}

void sarrus_batch_path_counts(const sarrus_batch *batch, uint64_t *n_evaluations, uint64_t *n_rank_revealing) {
    uint64_t n_all = 0, n_revealing = 0;
    if (batch)
        batch->device->ops->path_counts(batch->device, &n_all, &n_revealing);
    if (n_evaluations)
        *n_evaluations = n_all;
    if (n_rank_revealing)
        *n_rank_revealing = n_revealing;
}

void sarrus_batch_library_counts(const sarrus_batch *batch, uint64_t *n_matrices, uint64_t *n_refused) {
    uint64_t n_all = 0, n_bad = 0;
    if (batch && batch->device->ops->library_counts)
        batch->device->ops->library_counts(batch->device, &n_all, &n_bad);
    if (n_matrices)
        *n_matrices = n_all;
    if (n_refused)
        *n_refused = n_bad;
}

void sarrus_batch_specialization(const sarrus_batch *batch, sarrus_specialization *out) {
    if (!out)
        return;
    *out = (sarrus_specialization){.state = SARRUS_SPECIALIZATION_OFF};
    if (batch)
        batch->device->ops->specialization(batch->device, out);
}

const char *sarrus_specialization_state_word(sarrus_specialization_state state) {
    static const char *const words[] = {"off", "waiting", "compiling", "ready", "failed", "unsupported"};
    return (size_t)state < sizeof words / sizeof words[0] ? words[state] : "unknown";
}

int sarrus_batch_observable_width(const sarrus_batch *batch, sarrus_observable observable) {
    return batch ? sarrus_scatter_width(&batch->plan->mech, observable) : 0;
}

sarrus_status sarrus_batch_state(const sarrus_batch *batch, uint64_t i_instance, double *q, double *v) {
    if (!batch || i_instance >= batch->n_instances)
        return SARRUS_BAD_ARGUMENT;
    const sarrus_mechanism *mech = &batch->plan->mech;
    const bool is_stored = !batch->plan->relative; /* else the device shows what follows from what is stored */
    sarrus_status status = is_stored && q ? host_read(batch, mech->layout.q, mech->n_q) : SARRUS_OK;
    if (status == SARRUS_OK && is_stored && v)
        status = host_read(batch, mech->layout.v, mech->n_v);
    if (status != SARRUS_OK)
        return status;
    const sarrus_backend_ops *ops = batch->device->ops;
    const uint64_t width = (uint64_t)batch->device->width, i_tile = i_instance / width;
    const double *tile = ops->tile_show ? ops->tile_show(batch->device, i_tile) : stored_tile(batch, i_tile);
    if (!tile)
        return SARRUS_DEVICE_FAILED;
    const double *lane = tile + i_instance % width;
    for (int32_t i = 0; q && i < mech->n_q; ++i)
        q[i] = lane[(uint64_t)(mech->layout.q + i) * width];
    for (int32_t i = 0; v && i < mech->n_v; ++i)
        v[i] = lane[(uint64_t)(mech->layout.v + i) * width];
    return SARRUS_OK;
}

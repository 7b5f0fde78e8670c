/* A batch: parameters and given states into the tiles of a device, and the public operations on it. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/pace.h"
#include "backend/scatter.h"
#include "batch/copies.h"
#include "batch/crew.h"
#include "batch/fill.h"
#include "batch/given.h"
#include "batch/inside.h"
#include "batch/own_steps.h"
#include "batch/tree_accelerations.h"
#include "core/report.h"
#include "core/stop.h"
#include "sarrus/batch.h"

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
    if (options && (unsigned)options->specialize > SARRUS_SPECIALIZE_ON)
        return sarrus_report(context, SARRUS_BAD_ARGUMENT, "unknown choice %d of kernels; expected off, auto or on",
                             (int)options->specialize);
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
    batch->i_first = i_first;
    batch->i_draw = draws ? i_first - draws->i_first : 0;
    batch->stop = options ? options->stop : NULL;
    sarrus_status status = sarrus_backend_create(context, plan, options, n_instances, &batch->device);
    if (status == SARRUS_OK)
        status = sarrus_batch_fill(context, batch, draws);
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
    sarrus_fillers_destroy(batch->fillers, batch->n_fillers);
    free(batch->sampled);
    free(batch->episode);
    free(batch->given);
    free(batch->is_given);
    free(batch);
}

/* What follows n_steps steps. */
static sarrus_status steps_end(sarrus_batch *batch, sarrus_status status, uint64_t n_steps) {
    if (status == SARRUS_OK)
        batch->device->step += n_steps;
    batch->is_interrupted = status == SARRUS_INTERRUPTED;
    return sarrus_batch_refresh(batch, status);
}

sarrus_status sarrus_batch_advance(sarrus_batch *batch, uint64_t n_steps) {
    const sarrus_status met = batch ? sarrus_batch_meet(batch) : SARRUS_BAD_ARGUMENT;
    if (met != SARRUS_OK)
        return met;
    if (n_steps > SARRUS_MOST_STEPS - batch->device->step)
        return sarrus_batch_refuse(batch, SARRUS_BAD_ARGUMENT, "more steps than can be counted; expected 2^53 in all at most");
    if (sarrus_batch_is_ended(batch))
        return SARRUS_INTERRUPTED;
    if (n_steps == 0)
        return SARRUS_OK;
    sarrus_batch_given_pass(batch);
    sarrus_clock clock = sarrus_batch_clock(batch);
    return steps_end(batch, batch->device->ops->advance(batch->device, &clock, n_steps), n_steps);
}

/* Whether the rows lie within their arrays, whose bytes can be counted, and the steps can be. */
static bool observation_is_possible(const sarrus_batch *batch, const sarrus_observation *observation) {
    const uint64_t stride = observation->n_times_stride, n_left = SARRUS_MOST_STEPS - batch->device->step;
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
    if (!batch || !observation)
        return SARRUS_BAD_ARGUMENT;
    const sarrus_status met = sarrus_batch_meet(batch);
    if (met != SARRUS_OK)
        return met;
    if (!observation_is_possible(batch, observation))
        return sarrus_batch_refuse(batch, SARRUS_BAD_ARGUMENT,
                                   "the observation cannot be; expected rows within their arrays, and steps that can be counted");
    if (observation->n_times == 0)
        return SARRUS_OK;
    if (sarrus_batch_is_ended(batch))
        return SARRUS_INTERRUPTED;
    sarrus_device_observation all = {sarrus_batch_clock(batch), observation, batch->n_instances};
    if (sarrus_observation_steps(observation) > 0)
        sarrus_batch_given_pass(batch);
    return steps_end(batch, batch->device->ops->observe(batch->device, &all), sarrus_observation_steps(observation));
}

sarrus_status sarrus_batch_copy_systems(sarrus_batch *batch, const sarrus_systems *out) {
    if (!batch || !out || out->size < sizeof *out)
        return SARRUS_BAD_ARGUMENT;
    if (!batch->device->ops->systems)
        return sarrus_batch_refuse(batch, SARRUS_UNSUPPORTED, "a GPU shows no equations; expected the backend cpu");
    if (sarrus_batch_is_ended(batch))
        return SARRUS_INTERRUPTED;
    const sarrus_clock clock = sarrus_batch_clock(batch);
    return steps_end(batch, batch->device->ops->systems(batch->device, &clock, out), 0);
}

sarrus_status sarrus_batch_copy_tree_accelerations(sarrus_batch *batch, double *a) {
    if (!batch || !a || !batch->plan->relative)
        return SARRUS_BAD_ARGUMENT;
    if (!batch->device->ops->tree_accelerations)
        return sarrus_batch_refuse(batch, SARRUS_UNSUPPORTED,
                                   "a GPU shows no accelerations of its steps; expected the backend cpu");
    if (sarrus_batch_is_ended(batch))
        return SARRUS_INTERRUPTED;
    const sarrus_clock clock = sarrus_batch_clock(batch);
    return steps_end(batch, batch->device->ops->tree_accelerations(batch->device, &clock, a), 0);
}

/* Of a device that is lost: what was read last. */
static double lane_value(const sarrus_batch *batch, uint64_t i_instance, int32_t array) {
    const uint64_t width = (uint64_t)batch->device->width;
    (void)sarrus_batch_host_read(batch, array, 1);
    return sarrus_batch_tile(batch, i_instance / width)[(uint64_t)array * width + i_instance % width];
}

int sarrus_batch_has_own_steps(const sarrus_batch *batch) {
    return batch->n_instances == 1 && batch->plan->mech.integrator.is_adaptive && batch->plan->mech.n_inputs == 0;
}

int sarrus_batch_cuts_steps(const sarrus_batch *batch) {
    return batch->plan->mech.integrator.is_adaptive && batch->plan->mech.n_inputs > 0;
}

double sarrus_batch_own_time(const sarrus_batch *batch) {
    return lane_value(batch, 0, sarrus_batch_stored(batch)->layout.adaptive.t_now);
}

double sarrus_batch_failed_time(const sarrus_batch *batch, uint64_t i_instance) {
    const sarrus_mech_integrator *how = &batch->plan->mech.integrator;
    const uint64_t step = sarrus_batch_failed_step(batch, i_instance);
    if (how->is_adaptive && step > 0)
        return lane_value(batch, i_instance, sarrus_batch_stored(batch)->layout.adaptive.t_now);
    return (double)step * batch->plan->model->integrator.grid;
}

/* A clock whose first step ends at t, by which the kernels reach any time there is. They go on judging up to the t_end of theirs.
 */
static sarrus_clock clock_to(const sarrus_batch *batch, double t) {
    return (sarrus_clock){0, 2, t, batch->plan->model->integrator.t_end};
}

/* The first grid step behind time t: to the bit what kernels/step/clock.h finds. */
static uint64_t grid_step_after(const sarrus_batch *batch, double t) {
    const sarrus_clock clock = sarrus_batch_clock(batch);
    const double n_total = (double)clock.n_total;
    double step = rint(t / clock.dt) - 1.0;
    for (int k = 0; k < 3; ++k)
        step += (step == n_total ? clock.t_end : step * clock.dt) <= t ? 1.0 : 0.0;
    return (uint64_t)step;
}

/* An instance that failed was given its step by a clock that is not the grid's. */
static void failed_step_mend(const sarrus_batch *batch) {
    const int32_t array = sarrus_batch_stored(batch)->layout.failed_step, width = batch->device->width;
    (void)lane_value(batch, 0, array);
    for (int32_t lane = 0; lane < width; ++lane)
        batch->device->tiles[array * width + lane] = (double)grid_step_after(batch, sarrus_batch_own_time(batch));
    sarrus_batch_host_write(batch, array, 1);
}

static sarrus_status own_time_reach(sarrus_batch *batch, double t) {
    const sarrus_clock clock = clock_to(batch, t);
    if (sarrus_batch_is_ended(batch))
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
        batch->device->step = grid_step_after(batch, t) - 1;
    return status;
}

double sarrus_batch_time(const sarrus_batch *batch) {
    if (!batch)
        return (double)NAN;
    (void)sarrus_batch_meet(batch);
    const sarrus_clock clock = sarrus_batch_clock(batch);
    return sarrus_pace_time(&clock);
}

double sarrus_batch_interval(const sarrus_batch *batch) {
    return batch ? batch->plan->model->integrator.grid : (double)NAN;
}

uint64_t sarrus_batch_step(const sarrus_batch *batch) {
    if (!batch)
        return 0;
    (void)sarrus_batch_meet(batch);
    return batch->device->step;
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

const char *sarrus_batch_refusal(const sarrus_batch *batch) {
    return batch ? batch->refusal : NULL;
}

const char *sarrus_batch_failure(const sarrus_batch *batch) {
    return batch && batch->device->failure[0] != '\0' ? batch->device->failure : NULL;
}

sarrus_status sarrus_batch_viewed(sarrus_batch *batch, sarrus_field field, sarrus_field_place *out) {
    const bool is_state = field == SARRUS_FIELD_Q || field == SARRUS_FIELD_V;
    if ((unsigned)field > (unsigned)SARRUS_FIELD_EPISODE)
        return sarrus_batch_refuse(batch, SARRUS_BAD_ARGUMENT, "there is no such field");
    if (is_state && batch->plan->relative)
        return sarrus_batch_refuse(
            batch, SARRUS_UNSUPPORTED,
            "tiles hold the motion of joints; expected sarrus_batch_copy_out, or formulation: udwadia-kalaba");
    if (!is_state && field != SARRUS_FIELD_INPUT && field != SARRUS_FIELD_STATUS)
        return sarrus_batch_refuse(batch, SARRUS_UNSUPPORTED, "the field can be copied only; expected sarrus_batch_copy_out");
    *out = sarrus_batch_field_place(batch, field);
    return SARRUS_OK;
}

sarrus_status sarrus_batch_view(sarrus_batch *batch, sarrus_field field, sarrus_view *out) {
    if (!batch || !out)
        return SARRUS_BAD_ARGUMENT;
    const sarrus_mechanism *mech = sarrus_batch_stored(batch);
    sarrus_field_place place;
    sarrus_status status = sarrus_batch_viewed(batch, field, &place);
    if (status != SARRUS_OK)
        return status;
    const sarrus_backend_ops *ops = batch->device->ops;
    status = ops->host_share ? ops->host_share(batch->device, place.array, place.n) : SARRUS_OK;
    if (status == SARRUS_UNSUPPORTED)
        batch->refusal = batch->device->refusal;
    if (status != SARRUS_OK)
        return status;
    out->width = (size_t)batch->device->width;
    out->stride = (size_t)mech->layout.n_arrays * out->width;
    out->base = batch->device->tiles + (size_t)place.array * out->width;
    out->n_components = place.n;
    return SARRUS_OK;
}

sarrus_instance_status sarrus_batch_status(const sarrus_batch *batch, uint64_t i_instance) {
    if (!batch || i_instance >= batch->n_instances)
        return SARRUS_INSTANCE_NOT_RUN;
    return (sarrus_instance_status)(int)lane_value(batch, i_instance, sarrus_batch_stored(batch)->layout.status);
}

uint64_t sarrus_batch_failed_step(const sarrus_batch *batch, uint64_t i_instance) {
    if (!batch || i_instance >= batch->n_instances)
        return 0;
    return (uint64_t)lane_value(batch, i_instance, sarrus_batch_stored(batch)->layout.failed_step);
}

sarrus_status sarrus_batch_statistics(const sarrus_batch *batch, uint64_t i_instance, sarrus_instance_statistics *out) {
    if (!batch || !out || i_instance >= batch->n_instances)
        return SARRUS_BAD_ARGUMENT;
    const sarrus_tile_layout *layout = &sarrus_batch_stored(batch)->layout;
    out->n_steps = (uint64_t)lane_value(batch, i_instance, layout->n_steps);
    out->n_rejected = (uint64_t)lane_value(batch, i_instance, layout->n_rejected);
    out->n_evaluations = (uint64_t)lane_value(batch, i_instance, layout->n_evaluations);
    out->n_rank_changes = (uint64_t)lane_value(batch, i_instance, layout->n_changes);
    return SARRUS_OK;
}

sarrus_status sarrus_batch_verdict(const sarrus_batch *batch, uint64_t i_instance, sarrus_instance_verdict *out) {
    if (!batch || !out || i_instance >= batch->n_instances)
        return SARRUS_BAD_ARGUMENT;
    const sarrus_mechanism *mech = sarrus_batch_stored(batch);
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
    sarrus_status status = is_stored && q ? sarrus_batch_host_read(batch, mech->layout.q, mech->n_q) : SARRUS_OK;
    if (status == SARRUS_OK && is_stored && v)
        status = sarrus_batch_host_read(batch, mech->layout.v, mech->n_v);
    if (status != SARRUS_OK)
        return status;
    const sarrus_backend_ops *ops = batch->device->ops;
    const uint64_t width = (uint64_t)batch->device->width, i_tile = i_instance / width;
    const double *tile = ops->tile_show ? ops->tile_show(batch->device, 0, i_tile) : sarrus_batch_tile(batch, i_tile);
    if (!tile)
        return SARRUS_DEVICE_FAILED;
    const double *lane = tile + i_instance % width;
    for (int32_t i = 0; q && i < mech->n_q; ++i)
        q[i] = lane[(uint64_t)(mech->layout.q + i) * width];
    for (int32_t i = 0; v && i < mech->n_v; ++i)
        v[i] = lane[(uint64_t)(mech->layout.v + i) * width];
    return SARRUS_OK;
}

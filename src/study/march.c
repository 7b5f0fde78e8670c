#include "study/march.h"

#include <math.h>
#include <stdlib.h>

#include "batch/own_steps.h"
#include "core/monotonic.h"
#include "core/report.h"
#include "plan/body.h"

const double sarrus_march_slice_seconds = 0.2;

bool sarrus_march_is_over(const sarrus_march *march) {
    return march->replay != NULL ? march->replay->is_over : march->i_time == march->schedule->n_times;
}

double sarrus_march_time(const sarrus_march *march) {
    return march->replay != NULL ? march->replay->time : sarrus_schedule_time(march->schedule, march->i_time - 1);
}

/* Widths to be observed: what the file, the quantities and the statistics want, and the speeds when the energy needs them as its
 * scale. */
static void widths_get(const sarrus_march_wants *wants, uint64_t width[SARRUS_N_OBSERVABLES]) {
    for (int i = 0; i < SARRUS_N_OBSERVABLES; ++i) {
        const int of_each[] = {wants->channels->width[i], wants->quantities->width[i], wants->statistics->channels.width[i]};
        width[i] = 0;
        for (size_t k = 0; k < sizeof of_each / sizeof of_each[0]; ++k)
            width[i] = of_each[k] > 0 ? (uint64_t)of_each[k] : width[i];
    }
    if (width[SARRUS_OBSERVE_ENERGY] > 0)
        width[SARRUS_OBSERVE_V] = (uint64_t)(sarrus_body_sizes_of((int32_t)wants->model->space)->n_v * wants->model->n_bodies);
}

void sarrus_march_widths(const sarrus_march *march, uint64_t width[SARRUS_N_OBSERVABLES]) {
    widths_get(&(sarrus_march_wants){march->model, march->channels, march->quantities, march->statistics}, width);
}

/* Without a file only what the summary needs is observed, and what quantities do where they are asked for. */
static bool is_observed_without_file(const sarrus_march *march, int observable) {
    return (march->keeps_quantities && march->quantities->width[observable] > 0) || observable == SARRUS_OBSERVE_V ||
           observable == SARRUS_OBSERVE_ENERGY || observable == SARRUS_OBSERVE_POSITION_ERROR ||
           observable == SARRUS_OBSERVE_VELOCITY_ERROR || observable == SARRUS_OBSERVE_RANK;
}

uint64_t sarrus_march_scratch_width(const sarrus_march_wants *wants) {
    uint64_t width[SARRUS_N_OBSERVABLES], n_doubles = 0;
    widths_get(wants, width);
    for (int i = 0; i < SARRUS_N_OBSERVABLES; ++i)
        n_doubles += wants->channels->is_direct[i] ? 0 : width[i];
    return n_doubles;
}

sarrus_status sarrus_march_begin(sarrus_march *march, sarrus_context *context) {
    const uint64_t n_instances = sarrus_batch_n_instances(march->batch);
    const bool has_file = march->n_rows > 0;
    uint64_t width[SARRUS_N_OBSERVABLES], n_doubles = 1;
    sarrus_march_widths(march, width);
    for (int i = 0; i < SARRUS_N_OBSERVABLES; ++i) {
        if (has_file ? march->channels->is_direct[i] : !is_observed_without_file(march, i))
            width[i] = 0;
        n_doubles += width[i];
    }
    if (!has_file) {
        march->n_rows = march->scratch_bytes / sizeof(double) / n_doubles / n_instances;
        march->n_rows = march->n_rows > 0 ? march->n_rows : 1;
    }
    if (march->replay == NULL && march->n_rows > march->schedule->n_times)
        march->n_rows = march->schedule->n_times;
    for (int i = 0; i < SARRUS_N_OBSERVABLES; ++i) {
        if (width[i] == 0)
            continue;
        const uint64_t n_rows_max = SIZE_MAX / sizeof(double) / width[i] / n_instances;
        if (march->n_rows <= n_rows_max)
            march->scratch[i] = malloc(n_instances * march->n_rows * width[i] * sizeof(double));
        if (march->scratch[i] == NULL)
            return sarrus_report(context, SARRUS_NO_MEMORY, "out of memory for the observations of %llu instances",
                                 (unsigned long long)n_instances);
    }
    march->times = malloc(march->n_rows * sizeof *march->times);
    if (march->times == NULL)
        return sarrus_report(context, SARRUS_NO_MEMORY, "out of memory for the times of a block");
    march->n_slice_steps = 1;
    march->last_count = sarrus_monotonic_seconds();
    return SARRUS_OK;
}

void sarrus_march_end(sarrus_march *march) {
    for (int i = 0; i < SARRUS_N_OBSERVABLES; ++i) {
        free(march->scratch[i]);
        march->scratch[i] = NULL;
    }
    free(march->times);
    march->times = NULL;
}

/* Counting failures walks over all instances: it is done again only when that has cost under 1 % of the time since. */
static void failures_count(sarrus_march *march) {
    const double now = sarrus_monotonic_seconds();
    if (now - march->last_count < 100.0 * march->count_seconds)
        return;
    const uint64_t n_instances = sarrus_batch_n_instances(march->batch);
    march->n_failed = 0;
    for (uint64_t i = 0; i < n_instances; ++i)
        march->n_failed += sarrus_batch_status(march->batch, i) != SARRUS_INSTANCE_OK;
    march->last_count = sarrus_monotonic_seconds();
    march->count_seconds = march->last_count - now;
}

void sarrus_march_progress_add(sarrus_march *march, sarrus_progress *progress) {
    const uint64_t n_instances = sarrus_batch_n_instances(march->batch);
    failures_count(march);
    progress->time = fmin(progress->time, sarrus_batch_time(march->batch));
    progress->t_end = fmax(progress->t_end, march->model->integrator.t_end);
    progress->instance_steps += n_instances * march->n_steps_done;
    progress->n_resumed_steps += n_instances * march->n_steps_before;
    progress->n_instance_steps += n_instances * march->schedule->n_steps;
    progress->n_failed += march->n_failed;
    progress->is_adaptive = progress->is_adaptive || sarrus_integrator_is_adaptive(march->model->integrator.method);
}

/* The pointers that an observation fills: into the block where one field is the whole observable, else into scratch. */
static void destinations_get(sarrus_march *march) {
    double **destination = march->next.destination;
    for (int i = 0; i < SARRUS_N_OBSERVABLES; ++i)
        destination[i] = march->scratch[i];
    for (int i = 0; march->block.data != NULL && i < march->channels->n_fields; ++i)
        if (sarrus_channels_field_is_direct(march->channels, i))
            destination[march->channels->observable[i]] = march->block.data[i];
}

/* Next observation within the open block: fills the step counts of `next`; returns the number of steps that it takes. No rows
 * (n_times = 0): the next output is further off than a slice. */
static uint64_t slice_plan(sarrus_march *march) {
    const sarrus_schedule *schedule = march->schedule;
    sarrus_observation *next = &march->next;
    const uint64_t n_left = march->n_block_rows - march->i_row;
    next->observe_first = 0;
    next->last_steps = 0;
    next->i_time_first = march->i_row;
    if (march->i_time == 0) {
        next->n_times = 1;
        next->every_steps = schedule->every;
        next->observe_first = 1;
        return 0;
    }
    const uint64_t n_to_next = sarrus_schedule_step(schedule, march->i_time) - march->n_steps_done;
    /* Where calls end steps, these would end wherever the clock on the wall has us look at the progress. */
    if (n_to_next > march->n_slice_steps && !sarrus_batch_cuts_steps(march->batch)) {
        next->n_times = 0;
        return march->n_slice_steps;
    }
    next->n_times = 1;
    next->every_steps = n_to_next;
    if (n_to_next == schedule->every) {
        const uint64_t n_slice = march->n_slice_steps / schedule->every, n_fitting = n_slice > 0 ? n_slice : 1;
        next->n_times = n_fitting < n_left ? n_fitting : n_left;
    }
    const uint64_t i_time_last = march->i_time + next->n_times - 1;
    if (next->n_times > 1)
        next->last_steps = sarrus_schedule_step(schedule, i_time_last) - sarrus_schedule_step(schedule, i_time_last - 1);
    return sarrus_schedule_step(schedule, i_time_last) - march->n_steps_done;
}

static void slice_adapt(sarrus_march *march, uint64_t n_steps, double seconds) {
    if (n_steps == 0)
        return;
    const double wanted = seconds > 0.0 ? (double)n_steps * sarrus_march_slice_seconds / seconds : (double)n_steps * 8.0;
    const double grown = 8.0 * (double)march->n_slice_steps;
    const double n_slice_steps = wanted < grown ? wanted : grown;
    march->n_slice_steps = n_slice_steps < 1.0 ? 1 : n_slice_steps > 0x1p40 ? UINT64_C(1) << 40 : (uint64_t)n_slice_steps;
}

/* Takes the rows of the open block into the quantities. */
static void quantities_take(sarrus_march *march, const sarrus_channels_rows *gathered) {
    const uint64_t n_rows = march->i_row, i_first = march->i_time - n_rows;
    const bool is_replay = march->replay != NULL;
    if (march->quantities->n == 0 || (march->block.data == NULL && !march->keeps_quantities))
        return;
    for (uint64_t k = 0; k < n_rows; ++k)
        march->times[k] = is_replay ? march->block.times[k] : sarrus_schedule_time(march->schedule, i_first + k);
    const int i_is_output = march->channels->n_fields + SARRUS_REPLAY_IS_OUTPUT;
    const sarrus_quantity_rows rows = {.n_rows_stride = gathered->n_rows_stride,
                                       .n_rows = n_rows,
                                       .times = march->times,
                                       .is_counted = is_replay ? march->block.data[i_is_output] : NULL,
                                       .source = march->next.destination,
                                       .crew = gathered->crew,
                                       .n_threads = gathered->n_threads};
    sarrus_study_quantities_take(march->quantities, &rows);
}

/* Cuts the fields out of what was observed and tallies it: once per block, when whole trajectories lie side by side. */
uint64_t sarrus_march_close(sarrus_march *march) {
    double *const *source = march->next.destination;
    const uint64_t n_instances = sarrus_batch_n_instances(march->batch), n_rows = march->i_row;
    march->is_open = false;
    /* A thread is not worth waking for less than some thousand numbers. */
    const uint64_t n_useful = 1 + n_instances * n_rows / 4096;
    const int n_threads = (uint64_t)sarrus_crew_size(march->crew) < n_useful ? sarrus_crew_size(march->crew) : (int)n_useful;
    const sarrus_channels_rows gathered = {.n_instances = n_instances,
                                           .n_rows_stride = march->next.n_times_stride,
                                           .n_rows = n_rows,
                                           .crew = march->crew,
                                           .n_threads = n_threads};
    if (march->block.data != NULL) {
        sarrus_channels_gather(march->channels, &gathered, source, march->block.data);
        sarrus_study_statistics_take(march->statistics, &gathered, source, march->block.data + march->channels->n_fields);
    }
    quantities_take(march, &gathered);
    const sarrus_tally_rows rows = {
        .n_rows_stride = march->next.n_times_stride,
        .n_rows = n_rows,
        .crew = march->crew,
        .n_threads = n_threads,
        .position_error = source[SARRUS_OBSERVE_POSITION_ERROR],
        .velocity_error = source[SARRUS_OBSERVE_VELOCITY_ERROR],
        .rank = source[SARRUS_OBSERVE_RANK],
    };
    sarrus_tally_add(march->tally, &rows);
    return n_rows;
}

/* What the batch's last call has come to. */
static sarrus_status call_check(const sarrus_march *march, sarrus_context *context, sarrus_status status) {
    if (status == SARRUS_OK || status == SARRUS_INTERRUPTED)
        return status;
    const char *failure = sarrus_batch_failure(march->batch);
    return sarrus_report(context, status, "the batch stopped at t = %g s: %s", sarrus_batch_time(march->batch),
                         failure != NULL ? failure : sarrus_status_text(status));
}

/* The next row of the replay, when there is one. */
static sarrus_status replay_slice(sarrus_march *march, sarrus_context *context) {
    const double began = sarrus_monotonic_seconds();
    double said[SARRUS_REPLAY_FIELDS];
    bool has_row = false;
    march->next.i_time_first = march->i_row;
    const sarrus_status status = call_check(march, context, sarrus_replay_row(march->replay, &march->next, &has_row, said));
    march->integrate_seconds += sarrus_monotonic_seconds() - began;
    march->n_steps_done = sarrus_batch_step(march->batch);
    if (!has_row)
        return status;
    if (march->block.data != NULL) {
        march->block.times[march->i_row] = march->replay->time;
        for (int k = 0; k < SARRUS_REPLAY_FIELDS; ++k)
            march->block.data[march->channels->n_fields + k][march->i_row] = said[k];
    }
    ++march->i_time;
    ++march->i_row;
    return status;
}

void sarrus_march_open(sarrus_march *march, const sarrus_sink_block *block) {
    march->block = block != NULL ? *block : (sarrus_sink_block){0};
    march->n_block_rows = block != NULL ? block->n_times : march->n_rows;
    if (block == NULL && march->replay == NULL && march->n_rows > march->schedule->n_times - march->i_time)
        march->n_block_rows = march->schedule->n_times - march->i_time;
    march->next = (sarrus_observation){.n_times_stride = march->n_block_rows};
    march->i_row = 0;
    march->is_open = true;
    destinations_get(march);
}

bool sarrus_march_is_full(const sarrus_march *march) {
    return march->i_row == march->n_block_rows || sarrus_march_is_over(march);
}

sarrus_status sarrus_march_slice(sarrus_march *march, sarrus_context *context) {
    if (march->replay != NULL)
        return replay_slice(march, context);
    const double began = sarrus_monotonic_seconds();
    const uint64_t n_steps = slice_plan(march);
    const sarrus_observation *next = &march->next;
    const sarrus_status called =
        next->n_times > 0 ? sarrus_batch_observe(march->batch, next) : sarrus_batch_advance(march->batch, n_steps);
    const sarrus_status status = call_check(march, context, called);
    if (status != SARRUS_OK)
        return status;
    const double seconds = sarrus_monotonic_seconds() - began;
    march->integrate_seconds += seconds;
    slice_adapt(march, n_steps, seconds);
    march->n_steps_done += n_steps;
    march->i_time += next->n_times;
    march->i_row += next->n_times;
    return SARRUS_OK;
}

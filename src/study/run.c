/* The main job: draws → plan → batch → sink, then block after block of output times until t_end. Of a part of a study everything is
 * made for that part alone, but the numbers of its instances, their draws, and where it runs, are those of the study. */
#include "sarrus/run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "batch/crew.h"
#include "core/memory.h"
#include "core/report.h"
#include "core/stop.h"
#include "model/model.h"
#include "sink/result_place.h"
#include "sink/sink.h"
#include "study/channels.h"
#include "study/draws.h"
#include "study/march.h"
#include "study/outcome.h"
#include "study/schedule.h"
#include "study/tally.h"

/* Everything that one run holds; made by run_prepare, freed by run_release. */
typedef struct run_job {
    sarrus_context *context;
    const sarrus_model *model;
    const sarrus_run_options *options;
    uint64_t n_study, i_first, n_instances, seed; /* of the study; the first of the part that is run, and of how many it is */
    sarrus_draws *draws;
    const sarrus_plan *plan;
    sarrus_plan *own_plan; /* NULL: it is the caller's */
    sarrus_batch *batch;
    sarrus_sink *sink; /* NULL without an output file */
    sarrus_schedule schedule;
    sarrus_channels channels;
    sarrus_tally tally;
    sarrus_replay replay; /* when steps are shown */
    sarrus_march march;
    sarrus_outcome outcome;
} run_job;

/* The writer works while the batch integrates, but for the last block: with sixteen blocks or more a run waits little at
 * its end, and an accident loses little. Smaller blocks than 8 MiB would only cost; 64 MiB bound the memory,
 * and what a run that is stopped has to write before it ends. */
static uint64_t block_bytes(const run_job *run) {
    const double smallest = 0x1p23, largest = 0x1p26;
    double bytes = (double)run->n_instances * (double)run->schedule.n_times * sizeof(double) / 16.0;
    int n_components = 0;
    for (int i = 0; i < run->channels.n_fields; i++)
        n_components += run->channels.n_components[i];
    bytes *= n_components;
    return (uint64_t)fmin(fmax(bytes, smallest), largest);
}

/* Every drawn path with its values: a draw for several paths stands under each of them, a named parameter under its name.
 * `out` (NULL: only counts) has room for all. */
static int parameters_list(const run_job *run, sarrus_sink_parameter *out) {
    const sarrus_model *model = run->model;
    int n = 0;
    for (int i = 0; i < model->batch.n_sampled; i++) {
        const sarrus_sampled *sampled = &model->batch.sampled[i];
        for (int k = 0; k < sampled->n_targets; k++, n++) {
            const sarrus_value_index target = sampled->targets[k];
            const char *path = target < model->n_named ? sarrus_draws_label(run->draws, i) : model->values[target].path;
            if (out != NULL)
                out[n] = (sarrus_sink_parameter){path, sarrus_draws_values(run->draws, i)};
        }
    }
    return n;
}

static void times_fill(const void *user, uint64_t i_first, uint64_t n, double *out) {
    for (uint64_t i = 0; i < n; i++)
        out[i] = sarrus_schedule_time(user, i_first + i);
}

/* The datasets of the channels and, of a replay, those that tell of its rows. To be freed; NULL without memory. */
static sarrus_sink_field *fields_list(const run_job *run, int *n_fields) {
    const int n_channels = run->channels.n_fields;
    *n_fields = n_channels + (run->options->shows_steps ? SARRUS_REPLAY_FIELDS : 0);
    sarrus_sink_field *fields = calloc((size_t)*n_fields + 1, sizeof *fields);
    for (int i = 0; fields != NULL && i < *n_fields; i++)
        fields[i] = i < n_channels ? run->channels.fields[i] : sarrus_replay_fields[i - n_channels];
    return fields;
}

/* HDF5 crashes where it gets no memory, so it is not begun without this much, beside the blocks, for itself, for the stacks of the
 * threads that compress, and for what it keeps of each dataset (46 KB were found). */
static const double reserve = 0x1p25, reserve_per_thread = 0x1p23, reserve_per_dataset = 0x1p16;

static sarrus_status reserve_check(const run_job *run) {
    const char *limit;
    char text[2][16];
    const int n_threads = run->options->batch.n_threads > 0 ? run->options->batch.n_threads : sarrus_processors();
    const int n_datasets = run->channels.n_fields + parameters_list(run, NULL);
    const double need =
        reserve + reserve_per_thread * n_threads + reserve_per_dataset * n_datasets + 2.0 * (double)block_bytes(run);
    const double left = sarrus_memory_left(&limit);
    if (left >= need)
        return SARRUS_OK;
    sarrus_memory_text(need, text[0]);
    sarrus_memory_text(left, text[1]);
    return sarrus_report(run->context, SARRUS_NO_MEMORY, "writing the results needs about %s, and %s leaves %s", text[0], limit,
                         text[1]);
}

static sarrus_status sink_open(run_job *run) {
    const sarrus_status fits = reserve_check(run);
    if (fits != SARRUS_OK)
        return fits;
    const int n_parameters = parameters_list(run, NULL);
    const bool is_replay = run->options->shows_steps != 0;
    int n_fields = 0;
    sarrus_sink_field *fields = fields_list(run, &n_fields);
    sarrus_sink_parameter *parameters = calloc((size_t)n_parameters + 1, sizeof *parameters);
    if (parameters == NULL || fields == NULL) {
        free(parameters);
        free(fields);
        return sarrus_report(run->context, SARRUS_NO_MEMORY, "out of memory for the result file");
    }
    (void)parameters_list(run, parameters);
    const sarrus_sink_description description = {
        .n_instances = run->n_instances,
        .first_instance = run->i_first,
        .n_study = run->n_study,
        .n_times = is_replay ? sarrus_replay_most_rows(&run->replay, run->model->integrator.max_steps) : run->schedule.n_times,
        .times = times_fill,
        .times_user = &run->schedule,
        .is_open_ended = is_replay,
        .n_fields = n_fields,
        .fields = fields,
        .n_parameters = n_parameters,
        .parameters = parameters,
        .n_measures = SARRUS_OUTCOME_MEASURES,
        .measures = sarrus_outcome_measures,
        .n_columns = run->outcome.has_events ? SARRUS_OUTCOME_COLUMNS : 0,
        .columns = sarrus_outcome_columns,
        .columns_scale = sarrus_outcome_columns_scale,
        .scenario = sarrus_model_resolved(run->model),
        .backend = sarrus_batch_backend_name(run->batch),
        .device = sarrus_batch_device_name(run->batch),
        .seed = run->seed,
        .plan_hash = sarrus_plan_hash(run->plan),
        .block_bytes = block_bytes(run),
        .stop = run->options->batch.stop,
        .keeps_complete = run->options->no_clobber != 0,
    };
    const sarrus_status status = sarrus_sink_create(run->context, run->options->output_path, &description, &run->sink);
    free(parameters);
    free(fields);
    return status;
}

/* Changes of rank go to the file, beside the channel that shows the rank. */
static bool wants_events(const run_job *run) {
    return run->options->output_path != NULL && (run->model->output.channels & SARRUS_CHANNEL_RANK) != 0;
}

static sarrus_status plan_take(run_job *run) {
    sarrus_status status = SARRUS_OK;
    if (run->options->plan == NULL)
        status = sarrus_plan_create(run->context, run->model, &run->own_plan);
    run->plan = run->options->plan != NULL ? run->options->plan : run->own_plan;
    return status;
}

static sarrus_status part_check(const run_job *run) {
    if (run->i_first >= run->n_study || run->n_instances > run->n_study - run->i_first)
        return sarrus_report(
            run->context, SARRUS_BAD_ARGUMENT, "%llu instances from number %llu on; the study has those from 0 to %llu",
            (unsigned long long)run->n_instances, (unsigned long long)run->i_first, (unsigned long long)run->n_study - 1);
    if (run->options->shows_steps && run->n_instances != 1)
        return sarrus_report(run->context, SARRUS_BAD_ARGUMENT,
                             "the steps of %llu instances cannot be shown; expected a part of one",
                             (unsigned long long)run->n_instances);
    return SARRUS_OK;
}

static sarrus_status run_prepare(run_job *run) {
    sarrus_context *context = run->context;
    sarrus_batch_options batch_options = run->options->batch;
    batch_options.keep_rank_events = wants_events(run);
    batch_options.needs_all_rows = (run->model->output.channels & SARRUS_CHANNEL_SINGULAR_VALUES) != 0;
    batch_options.first_instance = run->i_first;
    batch_options.n_study = run->n_study;
    sarrus_status status = part_check(run);
    if (status == SARRUS_OK)
        status = plan_take(run);
    if (status == SARRUS_OK)
        status = sarrus_schedule_create(context, run->model, &run->schedule);
    if (status == SARRUS_OK)
        status = sarrus_draws_make(context, run->model, run->seed, run->i_first, run->n_instances, batch_options.stop, &run->draws);
    if (status == SARRUS_OK)
        status = sarrus_batch_create(context, run->plan, &batch_options, run->n_instances, run->draws, &run->batch);
    if (status == SARRUS_OK)
        status = sarrus_channels_create(context, run->model, run->plan, &run->channels);
    if (status == SARRUS_OK)
        status = sarrus_tally_create(context, run->n_instances, &run->tally);
    if (status == SARRUS_OK)
        status = sarrus_outcome_create(context, run->model, run->i_first, run->n_instances, wants_events(run), &run->outcome);
    run->replay = (sarrus_replay){.batch = run->batch, .schedule = &run->schedule};
    /* Up to here a stop leaves what was at the path before. */
    if (status == SARRUS_OK && sarrus_stop_is_asked(batch_options.stop))
        status = SARRUS_INTERRUPTED;
    if (status == SARRUS_OK && run->options->output_path != NULL)
        status = sink_open(run);
    if (status == SARRUS_OK) {
        run->march = (sarrus_march){
            .batch = run->batch,
            .model = run->model,
            .schedule = &run->schedule,
            .channels = &run->channels,
            .tally = &run->tally,
            .replay = run->options->shows_steps ? &run->replay : NULL,
            .crew = sarrus_batch_crew(run->batch),
            .n_rows = run->sink != NULL ? sarrus_sink_block_times(run->sink) : 0,
            .progress = run->options->progress,
            .progress_user = run->options->progress_user,
        };
        status = sarrus_march_begin(&run->march, context);
    }
    return status;
}

static void run_release(run_job *run) {
    sarrus_march_end(&run->march);
    sarrus_sink_destroy(run->sink);
    sarrus_tally_free(&run->tally);
    sarrus_channels_free(&run->channels);
    sarrus_batch_destroy(run->batch);
    sarrus_draws_destroy(run->draws);
    sarrus_plan_destroy(run->own_plan);
    sarrus_outcome_free(&run->outcome);
}

/* Hands a block over, with how every instance stands. What happened after the last output of a stopped run is not in the file. */
static sarrus_status block_submit(run_job *run, uint64_t n_rows, bool is_stopped) {
    const double t_limit = is_stopped ? sarrus_march_time(&run->march) : HUGE_VAL;
    const sarrus_status status = sarrus_outcome_rank_changes_take(&run->outcome, run->context, run->batch, t_limit);
    if (status != SARRUS_OK)
        return status;
    sarrus_outcome_update(&run->outcome, run->batch);
    const sarrus_sink_outcome outcome = sarrus_outcome_view(&run->outcome, false);
    const sarrus_status submitted = sarrus_sink_submit(run->sink, n_rows, &outcome);
    return submitted != SARRUS_NO_MEMORY ? submitted
                                         : sarrus_report(run->context, submitted, "out of memory for the changes of rank");
}

/* One block of output times, from acquiring it to handing it over. INTERRUPTED still hands over the rows that are there. */
static sarrus_status block_run(run_job *run) {
    if (run->sink == NULL)
        return sarrus_march_block(&run->march, run->context, NULL);
    sarrus_sink_block block;
    sarrus_status status = sarrus_sink_acquire(run->sink, &block);
    if (status != SARRUS_OK)
        return status;
    const uint64_t i_time_before = run->march.i_time;
    status = sarrus_march_block(&run->march, run->context, &block);
    const uint64_t n_rows = run->march.i_time - i_time_before;
    if ((status == SARRUS_OK || status == SARRUS_INTERRUPTED) && n_rows > 0) {
        const sarrus_status submitted = block_submit(run, n_rows, status == SARRUS_INTERRUPTED);
        if (submitted != SARRUS_OK)
            return submitted;
    }
    return status;
}

static sarrus_status sink_finish(run_job *run, sarrus_status status) {
    sarrus_outcome_update(&run->outcome, run->batch);
    run->outcome.n_rows = 0; /* they went with their block */
    if (run->sink == NULL)
        return status;
    const bool is_over = status == SARRUS_OK || status == SARRUS_INTERRUPTED;
    const sarrus_sink_outcome outcome = sarrus_outcome_view(&run->outcome, status == SARRUS_OK);
    const sarrus_status closed = sarrus_sink_close(run->sink, run->context, is_over ? &outcome : NULL);
    const uint64_t n_written = sarrus_sink_times_written(run->sink);
    if (closed != SARRUS_OK)
        return closed;
    if (sarrus_sink_left(run->sink) != NULL)
        (void)sarrus_report_at(run->context, SARRUS_NOTE, status, NULL, "what was committed before is in %s",
                               sarrus_sink_left(run->sink));
    if (is_over && n_written < run->march.i_time) {
        run->march.i_time = n_written; /* a stop left no time for the rest */
        return SARRUS_INTERRUPTED;
    }
    return status;
}

static void summary_fill(const run_job *run, sarrus_run_summary *summary) {
    const sarrus_march *march = &run->march;
    sarrus_outcome_summarise(&run->outcome, summary);
    summary->n_steps = march->n_steps_done;
    summary->n_output_times = march->i_time;
    summary->t_end = sarrus_batch_time(run->batch);
    summary->wall_seconds = sarrus_march_seconds(march);
    summary->integrate_seconds = march->integrate_seconds;
    if (summary->wall_seconds > 0.0)
        summary->instance_steps_per_second = (double)summary->steps.total / summary->wall_seconds;
    sarrus_tally_finish(&run->tally, run->outcome.status, summary);
    snprintf(summary->backend, sizeof summary->backend, "%s", sarrus_batch_backend_name(run->batch));
    snprintf(summary->device, sizeof summary->device, "%s", sarrus_batch_device_name(run->batch));
    sarrus_batch_specialization(run->batch, &summary->specialization);
    sarrus_batch_library_counts(run->batch, &summary->n_library_matrices, &summary->n_library_refused);
}

sarrus_status sarrus_result_path_check(sarrus_context *context, const char *path, int no_clobber) {
    char message[SARRUS_PLACE_MESSAGE_BYTES];
    if (path == NULL)
        return sarrus_report(context, SARRUS_BAD_ARGUMENT, "a result needs a path");
    const sarrus_status status = sarrus_result_place_check(path, no_clobber != 0, message);
    return status == SARRUS_OK ? status : sarrus_report(context, status, "%s: %s", path, message);
}

sarrus_status sarrus_run(sarrus_context *context, const sarrus_model *model, const sarrus_run_options *options,
                         sarrus_run_summary *summary) {
    static const sarrus_run_options defaults = {.output_path = NULL};
    if (model == NULL || summary == NULL)
        return sarrus_report(context, SARRUS_BAD_ARGUMENT, "sarrus_run needs a model and a place for the summary");
    if (options != NULL && options->plan != NULL && options->plan->model != model)
        return sarrus_report(context, SARRUS_BAD_ARGUMENT, "the plan given to sarrus_run is of another model");
    options = options != NULL ? options : &defaults;
    const uint64_t n_study = options->n_instances > 0 ? options->n_instances : sarrus_model_n_instances(model);
    const uint64_t i_first = options->first_instance, n_rest = n_study > i_first ? n_study - i_first : 0;
    run_job run = {
        .context = context,
        .model = model,
        .options = options,
        .n_study = n_study,
        .i_first = i_first,
        .n_instances = options->n_part > 0 ? options->n_part : n_rest,
        .seed = options->seed != NULL ? *options->seed : sarrus_model_seed(model),
    };
    *summary = (sarrus_run_summary){.n_instances = run.n_instances,
                                    .first_instance = i_first,
                                    .n_study = n_study,
                                    .max_position_error = (double)NAN,
                                    .max_velocity_error = (double)NAN,
                                    .max_violation = (double)NAN,
                                    .max_energy_error = (double)NAN,
                                    .nearest_change_point = (double)NAN,
                                    .nearest_change_point_time = (double)NAN,
                                    .is_adaptive = sarrus_integrator_is_adaptive(model->integrator.method)};
    sarrus_status status = SARRUS_OK;
    if (options->output_path != NULL)
        status = sarrus_result_path_check(context, options->output_path, options->no_clobber);
    if (status == SARRUS_OK)
        status = run_prepare(&run);
    if (status == SARRUS_OK) {
        while (status == SARRUS_OK && !sarrus_march_is_over(&run.march))
            status = block_run(&run);
        status = sink_finish(&run, status);
        summary_fill(&run, summary);
        const bool is_over = status == SARRUS_OK || status == SARRUS_INTERRUPTED;
        if (run.sink != NULL && is_over && sarrus_sink_times_written(run.sink) > 0)
            summary->output_bytes = sarrus_sink_bytes(run.sink);
    }
    run_release(&run);
    return status;
}

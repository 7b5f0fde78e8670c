/* The main job: draws → plan → batch → sink, then block after block of output times until t_end. */
#include "sarrus/run.h"

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/report.h"
#include "model/model.h"
#include "sink/sink.h"
#include "study/channels.h"
#include "study/march.h"
#include "study/schedule.h"
#include "study/tally.h"

/* Everything that one run holds; made by run_prepare, freed by run_release. */
typedef struct run_job {
    sarrus_context *context;
    const sarrus_model *model;
    const sarrus_run_options *options;
    uint64_t n_instances, seed;
    sarrus_draws *draws;
    sarrus_plan *plan;
    sarrus_batch *batch;
    sarrus_sink *sink; /* NULL without an output file */
    sarrus_schedule schedule;
    sarrus_channels channels;
    sarrus_tally tally;
    sarrus_march march;
    uint8_t *status;     /* [n_instances] */
    double *failed_time; /* [n_instances] s */
} run_job;

/* The writer works while the batch integrates, but for the last block: with sixteen blocks or more a run waits little at
 * its end, and an accident loses little. Smaller blocks than 8 MiB would only cost; 256 MiB bound the memory. */
static uint64_t block_bytes(const run_job *run) {
    const double smallest = 0x1p23, largest = 0x1p28;
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

static sarrus_status sink_open(run_job *run) {
    const int n_parameters = parameters_list(run, NULL);
    sarrus_sink_parameter *parameters = calloc((size_t)n_parameters + 1, sizeof *parameters);
    if (parameters == NULL)
        return sarrus_report(run->context, SARRUS_NO_MEMORY, "out of memory for the result file");
    (void)parameters_list(run, parameters);
    const sarrus_sink_description description = {
        .n_instances = run->n_instances,
        .n_times = run->schedule.n_times,
        .times = run->schedule.times,
        .n_fields = run->channels.n_fields,
        .fields = run->channels.fields,
        .n_parameters = n_parameters,
        .parameters = parameters,
        .scenario = sarrus_model_resolved(run->model),
        .backend = sarrus_batch_backend_name(run->batch),
        .device = sarrus_batch_device_name(run->batch),
        .seed = run->seed,
        .plan_hash = sarrus_plan_hash(run->plan),
        .block_bytes = block_bytes(run),
    };
    const sarrus_status status = sarrus_sink_create(run->context, run->options->output_path, &description, &run->sink);
    free(parameters);
    return status;
}

static sarrus_status outcome_allocate(run_job *run) {
    run->status = calloc(run->n_instances, sizeof *run->status);
    run->failed_time = calloc(run->n_instances, sizeof *run->failed_time);
    if (run->status == NULL || run->failed_time == NULL)
        return sarrus_report(run->context, SARRUS_NO_MEMORY, "out of memory for the status of %llu instances",
                             (unsigned long long)run->n_instances);
    return SARRUS_OK;
}

static sarrus_status run_prepare(run_job *run) {
    sarrus_context *context = run->context;
    sarrus_status status = sarrus_plan_create(context, run->model, &run->plan);
    if (status == SARRUS_OK)
        status = sarrus_schedule_create(context, run->model, &run->schedule);
    if (status == SARRUS_OK)
        status = sarrus_draws_create(context, run->model, run->seed, run->n_instances, &run->draws);
    if (status == SARRUS_OK)
        status = sarrus_batch_create(context, run->plan, &run->options->batch, run->n_instances, run->draws, &run->batch);
    if (status == SARRUS_OK)
        status = sarrus_channels_create(context, run->model, run->plan, &run->channels);
    if (status == SARRUS_OK)
        status = sarrus_tally_create(context, run->model, run->n_instances, &run->tally);
    if (status == SARRUS_OK)
        status = outcome_allocate(run);
    if (status == SARRUS_OK && run->options->output_path != NULL)
        status = sink_open(run);
    if (status == SARRUS_OK) {
        run->march = (sarrus_march){
            .batch = run->batch,
            .model = run->model,
            .schedule = &run->schedule,
            .channels = &run->channels,
            .tally = &run->tally,
            .n_threads = run->options->batch.n_threads > 0 ? run->options->batch.n_threads : omp_get_num_procs(),
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
    sarrus_schedule_free(&run->schedule);
    sarrus_plan_destroy(run->plan);
    free(run->status);
    free(run->failed_time);
}

/* How every instance stands now. */
static sarrus_sink_outcome outcome_update(run_job *run, bool is_complete) {
    for (uint64_t i = 0; i < run->n_instances; i++) {
        run->status[i] = (uint8_t)sarrus_batch_status(run->batch, i);
        const double time = (double)sarrus_batch_failed_step(run->batch, i) * run->model->integrator.grid;
        run->failed_time[i] = run->status[i] == SARRUS_INSTANCE_OK ? (double)NAN : fmin(time, run->model->integrator.t_end);
    }
    return (sarrus_sink_outcome){.status = run->status, .failed_time = run->failed_time, .complete = is_complete};
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
        const sarrus_sink_outcome outcome = outcome_update(run, false);
        const sarrus_status submitted = sarrus_sink_submit(run->sink, n_rows, &outcome);
        if (submitted != SARRUS_OK)
            return submitted;
    }
    return status;
}

static sarrus_status sink_finish(run_job *run, sarrus_status status) {
    const sarrus_sink_outcome outcome = outcome_update(run, status == SARRUS_OK);
    if (run->sink == NULL)
        return status;
    const sarrus_status closed = sarrus_sink_close(run->sink, run->context, &outcome);
    return closed != SARRUS_OK ? closed : status;
}

/* Steps that were really made: a failed instance stops counting where it froze. */
static double instance_steps(const run_job *run) {
    double sum = 0.0;
    for (uint64_t i = 0; i < run->n_instances; i++)
        sum += (double)(run->status[i] == SARRUS_INSTANCE_OK ? run->march.n_steps_done : sarrus_batch_failed_step(run->batch, i));
    return sum;
}

static void summary_fill(const run_job *run, sarrus_run_summary *summary) {
    const sarrus_march *march = &run->march;
    for (uint64_t i = 0; i < run->n_instances; i++) {
        summary->n_failed += run->status[i] != SARRUS_INSTANCE_OK;
        summary->n_failed_by_status[run->status[i] < SARRUS_N_INSTANCE_STATUS ? run->status[i] : 0]++;
    }
    summary->n_failed_by_status[SARRUS_INSTANCE_OK] = 0;
    summary->n_steps = march->n_steps_done;
    summary->n_output_times = march->i_time;
    summary->t_end = sarrus_batch_time(run->batch);
    summary->wall_seconds = sarrus_march_seconds(march);
    summary->integrate_seconds = march->integrate_seconds;
    if (summary->wall_seconds > 0.0)
        summary->instance_steps_per_second = instance_steps(run) / summary->wall_seconds;
    sarrus_tally_finish(&run->tally, run->status, summary);
    struct stat file;
    if (run->sink != NULL && stat(run->options->output_path, &file) == 0)
        summary->output_bytes = (uint64_t)file.st_size;
    snprintf(summary->backend, sizeof summary->backend, "%s", sarrus_batch_backend_name(run->batch));
    snprintf(summary->device, sizeof summary->device, "%s", sarrus_batch_device_name(run->batch));
}

sarrus_status sarrus_run(sarrus_context *context, const sarrus_model *model, const sarrus_run_options *options,
                         sarrus_run_summary *summary) {
    run_job run = {
        .context = context,
        .model = model,
        .options = options,
        .n_instances = options->n_instances > 0 ? options->n_instances : sarrus_model_n_instances(model),
        .seed = options->seed != NULL ? *options->seed : sarrus_model_seed(model),
    };
    *summary = (sarrus_run_summary){.n_instances = run.n_instances,
                                    .max_position_error = (double)NAN,
                                    .max_velocity_error = (double)NAN,
                                    .max_energy_error = (double)NAN,
                                    .energy_is_conserved = sarrus_energy_is_conserved(model)};
    sarrus_status status = run_prepare(&run);
    if (status == SARRUS_OK) {
        while (status == SARRUS_OK && run.march.i_time < run.schedule.n_times)
            status = block_run(&run);
        status = sink_finish(&run, status);
        summary_fill(&run, summary);
    }
    run_release(&run);
    return status;
}

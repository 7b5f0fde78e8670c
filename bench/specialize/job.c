/* The main job with and without specialised kernels: does `auto` ever cost more than the better of `on` and `off`? */
#include "bench/specialize/specialize.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "bench/measure/measure.h"

enum { MAX_PATH_BYTES = 1024 };
enum { OFF, ON_EMPTY, AUTO_EMPTY, ON_CACHED, AUTO_CACHED };

static const sarrus_bench_job jobs[SARRUS_BENCH_N_JOBS] = {
    [OFF] = {.name = "off", .specialize = SARRUS_SPECIALIZE_OFF},
    [ON_EMPTY] = {.name = "on, empty cache", .specialize = SARRUS_SPECIALIZE_ON},
    [AUTO_EMPTY] = {.name = "auto, empty cache", .specialize = SARRUS_SPECIALIZE_AUTO},
    [ON_CACHED] = {.name = "on, from the cache", .specialize = SARRUS_SPECIALIZE_ON, .is_cached = true},
    [AUTO_CACHED] = {.name = "auto, from the cache", .specialize = SARRUS_SPECIALIZE_AUTO, .is_cached = true},
};

/* One run into a file that is removed again. An empty cache is a new folder; the last one filled is kept in `cached`. */
static sarrus_status run_job(sarrus_context *context, sarrus_bench_specialize_report *report, const sarrus_model *model,
                             sarrus_bench_job *job, char cached[SARRUS_BENCH_MAX_FOLDER], double *seconds) {
    char folder[SARRUS_BENCH_MAX_FOLDER], file[SARRUS_BENCH_MAX_FOLDER + 16];
    snprintf(folder, sizeof folder, "%s", cached);
    if (!job->is_cached && !sarrus_bench_folder_make(report, folder))
        return SARRUS_IO;
    snprintf(file, sizeof file, "%s/job.h5", report->folder);
    const sarrus_run_options options = {
        .output_path = file,
        .n_instances = report->options->n_instances,
        .batch = {.backend = SARRUS_BACKEND_CPU,
                  .n_threads = report->options->n_threads,
                  .specialize = job->specialize,
                  .cache_dir = folder,
                  .compiler = report->options->compiler},
    };
    const double t_start = sarrus_bench_now();
    const sarrus_status status = sarrus_run(context, model, &options, &job->summary);
    *seconds = sarrus_bench_now() - t_start;
    unlink(file);
    if (job->specialize == SARRUS_SPECIALIZE_ON)
        snprintf(cached, SARRUS_BENCH_MAX_FOLDER, "%s", folder);
    return status;
}

/* Every way of running gives the same bits, which the summary's extremes show. */
static void judge(sarrus_bench_job *job, const sarrus_run_summary *generic) {
    const sarrus_run_summary *found = &job->summary;
    job->step_share = found->specialization.step_share;
    if (found->n_failed > 0) {
        job->failure = "instances failed";
    } else if (memcmp(&found->max_position_error, &generic->max_position_error, sizeof(double)) != 0 ||
               memcmp(&found->max_energy_error, &generic->max_energy_error, sizeof(double)) != 0) {
        job->failure = "other bits than the generic kernels";
    } else if (job->specialize == SARRUS_SPECIALIZE_ON && found->specialization.state != SARRUS_SPECIALIZATION_READY) {
        job->failure = "not specialised";
    }
}

static void reduce(sarrus_bench_specialize_report *report) {
    const int n = report->n_job_repetitions;
    for (int i = 0; i < SARRUS_BENCH_N_JOBS; ++i) {
        sarrus_bench_job *job = &report->jobs[i];
        const sarrus_bench_job *on = &report->jobs[job->is_cached ? ON_CACHED : ON_EMPTY];
        double sorted[SARRUS_BENCH_MAX_REPETITIONS], ratios[SARRUS_BENCH_MAX_REPETITIONS];
        for (int k = 0; k < n; ++k) {
            sorted[k] = job->seconds[k];
            ratios[k] = job->seconds[k] / fmin(report->jobs[OFF].seconds[k], on->seconds[k]);
        }
        job->median = sarrus_bench_median(sorted, n);
        job->to_best = sarrus_bench_median(ratios, n);
        judge(job, &report->jobs[OFF].summary);
    }
}

sarrus_status sarrus_bench_jobs_measure(sarrus_context *context, sarrus_bench_specialize_report *report) {
    char path[MAX_PATH_BYTES], cached[SARRUS_BENCH_MAX_FOLDER] = "";
    snprintf(path, sizeof path, "%s/five_bar_monte_carlo.yaml", sarrus_bench_scenarios_folder(report->options->scenarios_folder));
    memcpy(report->jobs, jobs, sizeof jobs);
    sarrus_model *model = NULL;
    sarrus_status status = sarrus_scenario_read_file(context, path, NULL, 0, &model);
    report->n_job_repetitions = report->options->is_quick ? 1 : 5;
    for (int k = 0; k < report->n_job_repetitions; ++k) {
        for (int i = 0; status == SARRUS_OK && i < SARRUS_BENCH_N_JOBS; ++i)
            status = run_job(context, report, model, &report->jobs[i], cached, &report->jobs[i].seconds[k]);
    }
    sarrus_model_destroy(model);
    if (status == SARRUS_OK) {
        reduce(report);
    } else {
        report->n_job_repetitions = 0;
    }
    return status;
}

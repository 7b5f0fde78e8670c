/* `sarrus bench step`: instance-steps a second, per pseudoinverse, instruction set and thread count, against the measured
 * peak of the machine; and the cost of an instance over batch sizes. Every row passes a correctness gate or fails the run. */
#include "bench/step/step.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/benches.h"
#include "bench/measure/measure.h"
#include "bench/measure/options.h"
#include "bench/step/cuda.h"

/* The first two on the CPU; on a device those that there are. */
static const char *const default_scenarios[] = {"five_bar.yaml", "andrews.yaml", "four_bar.yaml", "six_revolute_cube.yaml"};
enum { N_DEFAULT_SCENARIOS = sizeof default_scenarios / sizeof default_scenarios[0], N_ON_CPU = 2, MAX_PATH_BYTES = 1024 };

static void add_thread_count(sarrus_bench_step_options *options, int n_threads) {
    const int n = options->n_thread_counts;
    if (n < SARRUS_BENCH_MAX_THREAD_COUNTS && (n == 0 || n_threads > options->thread_counts[n - 1]))
        options->thread_counts[options->n_thread_counts++] = n_threads;
}

/* What is not asked for. */
static void complete(sarrus_bench_step_options *options, uint64_t n_threads) {
    const int n_processors = sarrus_bench_n_processors();
    options->n_repetitions = options->quick ? 3 : 5;
    options->seconds = options->quick ? 0.03 : 0.2;
    if (options->largest == 0)
        options->largest = options->quick ? 10000 : 1000000;
    add_thread_count(options, 1);
    add_thread_count(options, n_threads > 0 ? (int)n_threads : n_processors < 2 ? n_processors : 2);
    add_thread_count(options, n_threads > 0 ? (int)n_threads : n_processors);
}

static void list_peaks(sarrus_bench_step_report *report) {
    for (int i_isa = 0; i_isa < SARRUS_BENCH_N_ISAS; ++i_isa) {
        for (int i = 0; i < report->options->n_thread_counts && sarrus_bench_isas[i_isa].is_usable(); ++i) {
            report->peaks[report->n_peaks++] =
                (sarrus_bench_peak){.isa = &sarrus_bench_isas[i_isa], .n_threads = report->options->thread_counts[i]};
        }
    }
}

static sarrus_status measure(sarrus_context *context, sarrus_bench_step_report *report) {
    list_peaks(report);
    for (int i = 0; i < report->options->n_files; ++i) {
        sarrus_bench_mechanism *mechanism = &report->mechanisms[report->n_mechanisms++];
        sarrus_bench_announce("measuring %s\n", report->options->files[i]);
        const sarrus_bench_source source = {.file = report->options->files[i]};
        sarrus_status status = sarrus_bench_mechanism_open(context, &source, mechanism);
        if (status == SARRUS_OK) {
            /* The table over batch sizes is about memory and tiles, not about the mechanism: one scenario shows it. */
            status = sarrus_bench_mechanism_measure(context, report, mechanism, i == 0);
        }
        if (status != SARRUS_OK)
            return status;
    }
    for (int i = 0; i < report->n_peaks; ++i)
        report->peaks[i].rate = sarrus_bench_median(report->peaks[i].samples, report->peaks[i].n_samples);
    return SARRUS_OK;
}

static int count_failures(const sarrus_bench_step_report *report) {
    int n_failures = 0;
    for (int i_mechanism = 0; i_mechanism < report->n_mechanisms; ++i_mechanism) {
        const sarrus_bench_mechanism *mechanism = &report->mechanisms[i_mechanism];
        for (int i = 0; i < mechanism->n_rows; ++i)
            n_failures += mechanism->rows[i].failure != NULL;
        for (int i = 0; i < mechanism->n_sizes; ++i)
            n_failures += mechanism->size_rows[i].failure != NULL;
    }
    return n_failures;
}

static sarrus_status work_on_cpu(sarrus_context *context, const sarrus_bench_step_options *options, int *n_failures) {
    sarrus_bench_step_report *report = calloc(1, sizeof *report);
    if (report == NULL)
        return SARRUS_NO_MEMORY;
    report->options = options;
    const sarrus_status status = measure(context, report);
    if (status == SARRUS_OK) {
        sarrus_bench_step_show(report);
        *n_failures = count_failures(report);
    }
    for (int i = 0; i < report->n_mechanisms; ++i)
        sarrus_bench_mechanism_close(&report->mechanisms[i]);
    free(report);
    return status;
}

static sarrus_status work(sarrus_context *context, void *user, int *n_failures) {
    sarrus_bench_step_options *options = user;
    char paths[N_DEFAULT_SCENARIOS][MAX_PATH_BYTES];
    const int n_wanted = options->n_files > 0 ? 0 : options->on_device ? N_DEFAULT_SCENARIOS : N_ON_CPU;
    for (int i = 0; i < n_wanted; ++i) {
        snprintf(paths[i], sizeof paths[i], "%s/%s", sarrus_bench_scenarios_folder(options->scenarios_folder),
                 default_scenarios[i]);
        if (i < N_ON_CPU || access(paths[i], R_OK) == 0)
            options->files[options->n_files++] = paths[i];
    }
    return (options->on_device ? sarrus_bench_step_cuda : work_on_cpu)(context, options, n_failures);
}

int sarrus_bench_step(int argc, char **argv) {
    sarrus_bench_step_options o = {.json = false};
    const char *backend = "cpu";
    uint64_t n_threads = 0;
    const sarrus_bench_option known[] = {
        {"json", NULL, "machine-readable output", .flag = &o.json},
        {"quick", NULL, "fewer and shorter repetitions, batches up to 10,000", .flag = &o.quick},
        {"scenario", "FILE", "measure this scenario (repeatable); without it five_bar and andrews", .text = o.files,
         .n_texts = &o.n_files, .max_texts = SARRUS_BENCH_MAX_MECHANISMS},
        {"scenarios", "DIR", "where five_bar.yaml and andrews.yaml are", .text = &o.scenarios_folder},
        {"threads", "N", "measure 1 and N threads (default: 1, 2 and all processors)", .count = &n_threads, .max_count = 256},
        {"largest", "N", "largest batch of the table over batch sizes (default 1000000)", .count = &o.largest},
        {"backend", "NAME", "cpu (default) or cuda: batches on a CUDA device, its paths beside one another", .text = &backend},
    };
    const int code = sarrus_bench_options_read(argc, argv, known, sizeof known / sizeof known[0]);
    if (code >= 0)
        return code;
    o.on_device = strcmp(backend, "cuda") == 0;
    if (!o.on_device && strcmp(backend, "cpu") != 0)
        return sarrus_bench_value_refuse("step", "backend", backend, "cpu or cuda");
    complete(&o, n_threads);
    return sarrus_bench_carry_out("step", NULL, work, &o);
}

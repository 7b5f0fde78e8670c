/* `sarrus bench step`: instance-steps a second, per pseudoinverse, instruction set and thread count, against the measured
 * peak of the machine; and the cost of an instance over batch sizes. Every row passes a correctness gate or fails the run. */
#include "bench/step/step.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "edge/exit_code.h"
#include "edge/diagnostics.h"

#include "bench/benches.h"
#include "bench/measure/measure.h"
#include "bench/step/cuda.h"

/* The first two on the CPU; on a device those that there are. */
static const char *const default_scenarios[] = {"five_bar.yaml", "andrews.yaml", "four_bar.yaml", "six_revolute_cube.yaml"};
enum { N_DEFAULT_SCENARIOS = sizeof default_scenarios / sizeof default_scenarios[0], N_ON_CPU = 2, MAX_PATH_BYTES = 1024 };

static const char usage[] =
    "usage: sarrus bench step [--json] [--quick] [--scenario FILE]... [--scenarios DIR] [--threads N] [--largest N]\n"
    "                         [--backend NAME]\n"
    "  --json            machine-readable output\n"
    "  --quick           fewer and shorter repetitions, batches up to 10,000\n"
    "  --scenario FILE   measure this scenario (repeatable); without it five_bar and andrews\n"
    "  --scenarios DIR   where five_bar.yaml and andrews.yaml are\n"
    "  --threads N       measure 1 and N threads (default: 1, 2 and all processors)\n"
    "  --largest N       largest batch of the table over batch sizes (default 1000000)\n"
    "  --backend NAME    cpu (default) or cuda: batches on a CUDA device, its paths beside one another\n";

/* A positive whole number, 0 when `text` is none. */
static uint64_t parse_count(const char *text) {
    char *end = NULL;
    const unsigned long long value = strtoull(text, &end, 10);
    return *text >= '0' && *text <= '9' && *end == '\0' ? (uint64_t)value : 0;
}

static void add_thread_count(sarrus_bench_step_options *options, int n_threads) {
    const int n = options->n_thread_counts;
    if (n < SARRUS_BENCH_MAX_THREAD_COUNTS && (n == 0 || n_threads > options->thread_counts[n - 1])) {
        options->thread_counts[options->n_thread_counts++] = n_threads;
    }
}

/* Takes the option at argv[*i_argument] and its value; false when it is not understood. */
static bool parse_option(int argc, char **argv, int *i_argument, sarrus_bench_step_options *options) {
    const char *option = argv[*i_argument];
    if (strcmp(option, "--json") == 0) {
        options->json = true;
        return true;
    }
    if (strcmp(option, "--quick") == 0) {
        options->quick = true;
        return true;
    }
    if (*i_argument + 1 >= argc) {
        return false;
    }
    const char *value = argv[++*i_argument];
    if (strcmp(option, "--scenario") == 0 && options->n_files < SARRUS_BENCH_MAX_MECHANISMS) {
        options->files[options->n_files++] = value;
        return true;
    }
    if (strcmp(option, "--scenarios") == 0) {
        options->scenarios_folder = value;
        return true;
    }
    if (strcmp(option, "--backend") == 0 && (strcmp(value, "cpu") == 0 || strcmp(value, "cuda") == 0)) {
        options->on_device = strcmp(value, "cuda") == 0;
        return true;
    }
    const uint64_t count = parse_count(value);
    if (strcmp(option, "--threads") == 0 && count >= 1 && count <= 256) {
        add_thread_count(options, 1);
        add_thread_count(options, (int)count);
        return true;
    }
    if (strcmp(option, "--largest") == 0 && count >= 1) {
        options->largest = count;
        return true;
    }
    return false;
}

static bool parse_options(int argc, char **argv, sarrus_bench_step_options *options) {
    *options = (sarrus_bench_step_options){.largest = 0};
    for (int i = 1; i < argc; i++) {
        if (!parse_option(argc, argv, &i, options)) {
            fprintf(stderr, "sarrus bench step: '%s' is not understood\n%s", argv[i < argc ? i : argc - 1], usage);
            return false;
        }
    }
    options->n_repetitions = options->quick ? 3 : 5;
    options->seconds = options->quick ? 0.03 : 0.2;
    if (options->largest == 0) {
        options->largest = options->quick ? 10000 : 1000000;
    }
    if (options->n_thread_counts == 0) {
        const int n_processors = sarrus_bench_n_processors();
        add_thread_count(options, 1);
        add_thread_count(options, n_processors < 2 ? n_processors : 2);
        add_thread_count(options, n_processors);
    }
    return true;
}

static void list_peaks(sarrus_bench_step_report *report) {
    for (int i_isa = 0; i_isa < SARRUS_BENCH_N_ISAS; i_isa++) {
        for (int i = 0; i < report->options->n_thread_counts && sarrus_bench_isas[i_isa].is_usable(); i++) {
            report->peaks[report->n_peaks++] =
                (sarrus_bench_peak){.isa = &sarrus_bench_isas[i_isa], .n_threads = report->options->thread_counts[i]};
        }
    }
}

static sarrus_status measure(sarrus_context *context, sarrus_bench_step_report *report) {
    list_peaks(report);
    for (int i = 0; i < report->options->n_files; i++) {
        sarrus_bench_mechanism *mechanism = &report->mechanisms[report->n_mechanisms++];
        if (isatty(STDERR_FILENO)) {
            fprintf(stderr, "measuring %s\n", report->options->files[i]);
        }
        const sarrus_bench_source source = {.file = report->options->files[i]};
        sarrus_status status = sarrus_bench_mechanism_open(context, &source, mechanism);
        if (status == SARRUS_OK) {
            /* The table over batch sizes is about memory and tiles, not about the mechanism: one scenario shows it. */
            status = sarrus_bench_mechanism_measure(context, report, mechanism, i == 0);
        }
        if (status != SARRUS_OK) {
            return status;
        }
    }
    for (int i = 0; i < report->n_peaks; i++) {
        report->peaks[i].rate = sarrus_bench_median(report->peaks[i].samples, report->peaks[i].n_samples);
    }
    return SARRUS_OK;
}

static int count_failures(const sarrus_bench_step_report *report) {
    int n_failures = 0;
    for (int i_mechanism = 0; i_mechanism < report->n_mechanisms; i_mechanism++) {
        const sarrus_bench_mechanism *mechanism = &report->mechanisms[i_mechanism];
        for (int i = 0; i < mechanism->n_rows; i++) {
            n_failures += mechanism->rows[i].failure != NULL;
        }
        for (int i = 0; i < mechanism->n_sizes; i++) {
            n_failures += mechanism->size_rows[i].failure != NULL;
        }
    }
    return n_failures;
}

static int run(sarrus_context *context, sarrus_bench_step_report *report) {
    const sarrus_status status = measure(context, report);
    if (status != SARRUS_OK) {
        sarrus_diagnostics_print(context, stderr);
        fprintf(stderr, "sarrus bench step: error: %s\n", sarrus_status_text(status));
        return sarrus_exit_code(status);
    }
    if (report->options->json) {
        sarrus_bench_step_print_json(stdout, report);
    } else {
        sarrus_bench_step_print_table(stdout, report);
    }
    return sarrus_bench_finish("step", count_failures(report), NULL);
}

int sarrus_bench_step(int argc, char **argv) {
    sarrus_bench_step_options options;
    char paths[N_DEFAULT_SCENARIOS][MAX_PATH_BYTES];
    if (sarrus_bench_help_is_asked(argc, argv, usage))
        return SARRUS_EXIT_DONE;
    if (!parse_options(argc, argv, &options)) {
        return SARRUS_EXIT_BAD_INPUT;
    }
    const int n_wanted = options.n_files > 0 ? 0 : options.on_device ? N_DEFAULT_SCENARIOS : N_ON_CPU;
    for (int i = 0; i < n_wanted; i++) {
        snprintf(paths[i], sizeof paths[i], "%s/%s", sarrus_bench_scenarios_folder(options.scenarios_folder), default_scenarios[i]);
        if (i < N_ON_CPU || access(paths[i], R_OK) == 0) {
            options.files[options.n_files++] = paths[i];
        }
    }
    sarrus_context *context = NULL;
    sarrus_bench_step_report *report = calloc(1, sizeof *report);
    if (report == NULL || sarrus_context_create(&context) != SARRUS_OK) {
        free(report);
        fprintf(stderr, "sarrus bench step: error: %s\n", sarrus_status_text(SARRUS_NO_MEMORY));
        return sarrus_exit_code(SARRUS_NO_MEMORY);
    }
    report->options = &options;
    const int exit_code = options.on_device ? sarrus_bench_step_cuda(context, &options) : run(context, report);
    for (int i = 0; i < report->n_mechanisms; i++) {
        sarrus_bench_mechanism_close(&report->mechanisms[i]);
    }
    sarrus_context_destroy(context);
    free(report);
    return exit_code;
}

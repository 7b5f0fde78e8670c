/* `sarrus bench output`: what the result file costs the main job. The same job is run in turn with its file, observed without a
 * file, and with nothing observed; what counts is processor time of all threads, so that neighbours on the machine matter less
 * than by the clock. The cost of output is the share of the first that the last does without. */
#include "bench/benches.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/measure/measure.h"
#include "bench/measure/options.h"
#include "bench/report/sheet.h"
#include "core/report.h"
#include "sarrus/sarrus.h"

enum { MAX_PATH_BYTES = 1024, MAX_REPEATS = 64, N_WARM_INSTANCES = 64 };

/* One way of running the job. */
typedef struct output_way {
    const char *name;
    bool has_file;
    const char *key, *value; /* set in the scenario; NULL: it is as it stands */
} output_way;

static const output_way ways[] = {
    {.name = "states and diagnostics into the file", .has_file = true},
    {.name = "the same, output.precision 1e-9", .has_file = true, .key = "output.precision", .value = "1e-9"},
    {.name = "observed, no file"},
    {.name = "nothing observed", .key = "output.interval", .value = "2.0"},
};
enum { N_WAYS = sizeof ways / sizeof ways[0], WITH_FILE = 0, WITH_NOTHING = N_WAYS - 1 };

typedef struct output_options {
    bool json, is_generic;
    uint64_t n_repeats, n_threads, n_instances;
    const char *scenarios_folder, *folder;
} output_options;

typedef struct output_report {
    const output_options *options;
    int n_repeats;
    sarrus_model *models[N_WAYS];
    double core_seconds[N_WAYS][MAX_REPEATS], seconds[N_WAYS][MAX_REPEATS];
    double file_bytes[N_WAYS];
    char folder[MAX_PATH_BYTES];
    const char *failure;
} output_report;

/* One run; the file, if it has one, is removed again. */
static sarrus_status run_once(sarrus_context *context, output_report *report, int i_way, uint64_t n_instances,
                              sarrus_run_summary *summary) {
    char file[MAX_PATH_BYTES + 16];
    snprintf(file, sizeof file, "%s/job.h5", report->folder);
    const output_options *asked = report->options;
    const sarrus_run_options options = {
        .output_path = ways[i_way].has_file ? file : NULL,
        .n_instances = n_instances,
        .batch = {.backend = SARRUS_BACKEND_CPU,
                  .n_threads = (int)asked->n_threads,
                  .specialize = asked->is_generic ? SARRUS_SPECIALIZE_OFF : SARRUS_SPECIALIZE_ON,
                  .cache_dir = report->folder},
    };
    const sarrus_status status = sarrus_run(context, report->models[i_way], &options, summary);
    if (ways[i_way].has_file)
        unlink(file);
    return status;
}

static sarrus_status models_read(sarrus_context *context, output_report *report) {
    char path[MAX_PATH_BYTES];
    const char *folder = sarrus_bench_scenarios_folder(report->options->scenarios_folder);
    snprintf(path, sizeof path, "%s/five_bar_monte_carlo.yaml", folder);
    sarrus_status status = SARRUS_OK;
    for (int i = 0; status == SARRUS_OK && i < N_WAYS; ++i) {
        const sarrus_override changed = {ways[i].key, ways[i].value};
        status = sarrus_scenario_read_file(context, path, &changed, changed.path != NULL, &report->models[i]);
    }
    return status;
}

static sarrus_status measure(sarrus_context *context, output_report *report) {
    sarrus_run_summary summary;
    sarrus_status status = models_read(context, report);
    for (int i = 0; status == SARRUS_OK && i < N_WAYS; ++i) /* what is compiled is compiled now */
        status = run_once(context, report, i, N_WARM_INSTANCES, &summary);
    for (int k = 0; k < report->n_repeats; ++k) {
        for (int i = 0; status == SARRUS_OK && i < N_WAYS; ++i) {
            sarrus_bench_announce("repetition %d of %d: %s\n", k + 1, report->n_repeats, ways[i].name);
            const double since = sarrus_bench_now(), core_since = sarrus_bench_core_now();
            status = run_once(context, report, i, report->options->n_instances, &summary);
            report->core_seconds[i][k] = sarrus_bench_core_now() - core_since;
            report->seconds[i][k] = sarrus_bench_now() - since;
            report->file_bytes[i] = (double)summary.output_bytes;
            if (summary.n_failed > 0)
                report->failure = "instances failed";
        }
    }
    return status;
}

/* Median over the repetitions of the share of the run with its file that way `i_way` does without. */
static double share_saved(const output_report *report, int i_way) {
    double shares[MAX_REPEATS];
    for (int k = 0; k < report->n_repeats; ++k)
        shares[k] = 1.0 - report->core_seconds[i_way][k] / report->core_seconds[WITH_FILE][k];
    return sarrus_bench_median(shares, report->n_repeats);
}

static double fastest(const double *seconds, int n) {
    double least = seconds[0];
    for (int k = 1; k < n; ++k)
        least = seconds[k] < least ? seconds[k] : least;
    return least;
}

static void show(const output_report *report) {
    const int n = report->n_repeats;
    sarrus_sheet sheet;
    sarrus_sheet_begin(&sheet, report->options->json ? NULL : stdout, report->options->json ? stdout : NULL, "output");
    char name[SARRUS_SHEET_PROCESSOR];
    sarrus_sheet_processor(&sheet, name);
    sarrus_sheet_note(&sheet, "%s; %s kernels, medians of %d in turn\n", name,
                      report->options->is_generic ? "generic" : "specialised", n);
    sarrus_sheet_table(&sheet, "ways");
    for (int i = 0; i < N_WAYS; ++i) {
        double core[MAX_REPEATS], wall[MAX_REPEATS];
        memcpy(core, report->core_seconds[i], sizeof core);
        memcpy(wall, report->seconds[i], sizeof wall);
        sarrus_sheet_row(&sheet);
        sarrus_sheet_text(&sheet, "", -40, "name", ways[i].name);
        sarrus_sheet_number(&sheet, "core s", 10, "%.3f", "core_seconds", sarrus_bench_median(core, n));
        sarrus_sheet_number(&sheet, "fastest", 10, "%.3f", "fastest_core_seconds", fastest(report->core_seconds[i], n));
        sarrus_sheet_number(&sheet, "wall s", 10, "%.3f", "seconds", sarrus_bench_median(wall, n));
        sarrus_sheet_number(&sheet, "MB", 8, "%.0f", "megabytes", 1e-6 * report->file_bytes[i]);
        sarrus_sheet_number(&sheet, "does without", 14, "%.1f%%", "share_saved", share_saved(report, i));
        sarrus_sheet_row_end(&sheet);
    }
    sarrus_sheet_table_end(&sheet);
    const double by_fastest = 1.0 - fastest(report->core_seconds[WITH_NOTHING], n) / fastest(report->core_seconds[WITH_FILE], n);
    sarrus_sheet_note(&sheet, "output costs %.1f %% of the job's processor time by medians, %.1f %% by the fastest\n",
                      1e2 * share_saved(report, WITH_NOTHING), 1e2 * by_fastest);
    sarrus_sheet_end(&sheet);
}

static sarrus_status work(sarrus_context *context, void *user, int *n_failures) {
    output_report *report = calloc(1, sizeof *report);
    if (report == NULL)
        return SARRUS_NO_MEMORY;
    const output_options *options = user;
    report->options = options;
    report->n_repeats = options->n_repeats == 0 ? 5 : (int)options->n_repeats;
    snprintf(report->folder, sizeof report->folder, "%s/sarrus-bench-XXXXXX", options->folder == NULL ? "/tmp" : options->folder);
    sarrus_status status = SARRUS_OK;
    if (mkdtemp(report->folder) == NULL) {
        status = sarrus_report(context, SARRUS_IO, "no private folder '%s' can be made", report->folder);
    } else {
        status = measure(context, report);
        sarrus_bench_folder_remove(report->folder);
    }
    if (status == SARRUS_OK) {
        show(report);
        *n_failures = report->failure != NULL;
    }
    for (int i = 0; i < N_WAYS; ++i)
        sarrus_model_destroy(report->models[i]);
    free(report);
    return status;
}

int sarrus_bench_output(int argc, char **argv) {
    output_options o = {.json = false};
    const sarrus_bench_option known[] = {
        {"json", NULL, "machine-readable output", .flag = &o.json},
        {"repeats", "N", "of each way, in turn (default 5)", .count = &o.n_repeats, .max_count = MAX_REPEATS},
        {"threads", "N", "of the job (default: all processors)", .count = &o.n_threads, .max_count = 256},
        {"instances", "N", "of the job (default: the scenario's 10,000)", .count = &o.n_instances},
        {"generic", NULL, "with generic kernels instead of specialised ones", .flag = &o.is_generic},
        {"scenarios", "DIR", "where five_bar_monte_carlo.yaml is", .text = &o.scenarios_folder},
        {"folder", "DIR", "where the file is written (default /tmp)", .text = &o.folder},
    };
    const int code = sarrus_bench_options_read(argc, argv, known, sizeof known / sizeof known[0]);
    return code >= 0 ? code : sarrus_bench_carry_out("output", NULL, work, &o);
}

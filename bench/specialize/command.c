/* `sarrus bench specialize`: kernels with the plan as constants against the generic ones and LAPACK; how the cost grows with the
 * size of a mechanism; and what it takes until the kernels are there. One run, rows in turn. */
#include "bench/specialize/specialize.h"

#include <stdlib.h>
#include <string.h>

#include "bench/benches.h"
#include "bench/measure/measure.h"
#include "bench/measure/options.h"
#include "core/report.h"

enum { MAX_PATH_BYTES = 1024, N_QUICK_INSTANCES = 1000, N_COMPILATIONS = 3 };

static const int loop_counts[] = {2, 5, 10, 20, 40};
enum { N_LOOP_COUNTS = sizeof loop_counts / sizeof loop_counts[0], N_QUICK_LOOP_COUNTS = 2 };

/* The mechanisms that come from files. */
static const struct listed {
    const char *label, *file, *projection;
} listed[] = {
    {"five-bar, no projection", "five_bar.yaml", "none"},
    {"five-bar, projection every step", "five_bar.yaml", "every_step"},
    {"Andrews", "andrews.yaml", NULL},
    {"slider-crank", "slider_crank.yaml", NULL},
};
enum { N_LISTED = sizeof listed / sizeof listed[0] };

/* --- N-four-bars in memory, as scenarios/make_n_four_bar.py writes them ------------------------------------------------------ */

/* The text for n loops, to be freed; NULL without memory. */
static char *n_four_bar_text(int n) {
    char *text = NULL;
    size_t n_bytes = 0;
    FILE *stream = open_memstream(&text, &n_bytes);
    if (stream == NULL)
        return NULL;
    const double inertia = 1.0 / 12.0;
    fprintf(stream, "sarrus: 1\nname: %d-four-bar\nspace: planar\ngravity: [0, -9.81]\nbodies:\n", n);
    for (int i = 0; i <= n; ++i) {
        fprintf(stream, "  - {name: link_%d, mass: 1.0, inertia: %.17g, position: [%d, 0.5], velocity: [0.5, 0], ", i, inertia, i);
        fprintf(stream, "angular_velocity: -1.0}\n");
    }
    for (int i = 1; i <= n; ++i) {
        fprintf(stream, "  - {name: coupler_%d, mass: 1.0, inertia: %.17g, position: [%.1f, 1.0], velocity: [1, 0]}\n", i, inertia,
                i - 0.5);
    }
    fprintf(stream, "joints:\n");
    for (int i = 0; i <= n; ++i)
        fprintf(stream, "  - {name: A%d, type: revolute, bodies: [ground, link_%d], at: [%d, 0]}\n", i, i, i);
    for (int i = 1; i <= n; ++i) {
        fprintf(stream, "  - {name: L%d, type: revolute, bodies: [link_%d, coupler_%d], at: [%d, 1]}\n", i, i - 1, i, i - 1);
        fprintf(stream, "  - {name: R%d, type: revolute, bodies: [link_%d, coupler_%d], at: [%d, 1]}\n", i, i, i, i);
    }
    fprintf(stream, "dynamics: {formulation: udwadia-kalaba, pinv: auto, projection: every_step}\n"
                    "integrator: {method: rk4, dt: 1.0e-3, t_end: 20.0}\n");
    if (fclose(stream) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

/* --- Measuring ---------------------------------------------------------------------------------------------------------------- */

static sarrus_status measure_listed(sarrus_context *context, sarrus_bench_specialize_report *report) {
    sarrus_status status = SARRUS_OK;
    for (int i = 0; status == SARRUS_OK && i < N_LISTED; ++i) {
        char path[MAX_PATH_BYTES];
        const char *folder = sarrus_bench_scenarios_folder(report->options->scenarios_folder);
        snprintf(path, sizeof path, "%s/%s", folder, listed[i].file);
        sarrus_bench_subject *subject = &report->subjects[report->n_subjects++];
        snprintf(subject->label, sizeof subject->label, "%s", listed[i].label);
        subject->is_in_table = true;
        sarrus_bench_announce("measuring %s\n", subject->label);
        const sarrus_bench_source source = {.file = path, .projection = listed[i].projection};
        status = sarrus_bench_subject_measure(context, report, &source, subject);
        subject->mechanism.file = listed[i].file; /* the path ends here */
    }
    return status;
}

static sarrus_status measure_growth(sarrus_context *context, sarrus_bench_specialize_report *report) {
    const int n_counts = report->options->is_quick ? N_QUICK_LOOP_COUNTS : N_LOOP_COUNTS;
    sarrus_status status = SARRUS_OK;
    for (int i = 0; status == SARRUS_OK && i < n_counts; ++i) {
        sarrus_bench_subject *subject = &report->subjects[report->n_subjects++];
        snprintf(subject->label, sizeof subject->label, "N-four-bar, N = %d", loop_counts[i]);
        subject->n_loops = loop_counts[i];
        subject->is_in_table = i + 1 == n_counts;
        sarrus_bench_announce("measuring %s\n", subject->label);
        char *text = n_four_bar_text(loop_counts[i]);
        if (text == NULL)
            return SARRUS_NO_MEMORY;
        const sarrus_bench_source source = {.file = "n_four_bar", .text = text};
        status = sarrus_bench_subject_measure(context, report, &source, subject);
        free(text);
    }
    return status;
}

static sarrus_status measure(sarrus_context *context, sarrus_bench_specialize_report *report) {
    sarrus_status status = measure_listed(context, report);
    status = status == SARRUS_OK ? measure_growth(context, report) : status;
    sarrus_bench_peak *peak = &report->step.peaks[0];
    peak->rate = sarrus_bench_median(peak->samples, peak->n_samples);
    if (status == SARRUS_OK && !report->options->no_job) {
        sarrus_bench_announce("measuring the main job\n");
        status = sarrus_bench_jobs_measure(context, report);
    }
    return status;
}

static int count_failures(const sarrus_bench_specialize_report *report) {
    int n_failures = 0;
    for (int i = 0; i < report->n_subjects; ++i) {
        const sarrus_bench_subject *subject = &report->subjects[i];
        n_failures += subject->start.failure != NULL && !subject->start.is_unsupported;
        for (int k = 0; k < subject->mechanism.n_rows; ++k)
            n_failures += subject->mechanism.rows[k].failure != NULL;
    }
    for (int i = 0; i < SARRUS_BENCH_N_JOBS; ++i)
        n_failures += report->jobs[i].failure != NULL;
    return n_failures;
}

static void prepare_report(const sarrus_bench_specialize_options *options, sarrus_bench_specialize_report *report) {
    const int n_threads = options->n_threads == 0 ? 1 : options->n_threads;
    report->options = options;
    report->step_options = (sarrus_bench_step_options){.n_repetitions = options->is_quick ? 3 : 7,
                                                       .seconds = options->is_quick ? 0.03 : 0.2,
                                                       .thread_counts = {n_threads},
                                                       .n_thread_counts = 1};
    report->step.options = &report->step_options;
    report->step.n_peaks = 1;
    report->step.peaks[0] = (sarrus_bench_peak){.isa = sarrus_bench_isa_find(NULL), .n_threads = n_threads};
}

static sarrus_status work(sarrus_context *context, void *user, int *n_failures) {
    sarrus_bench_specialize_report *report = calloc(1, sizeof *report);
    const char *temporary = getenv("TMPDIR");
    if (report == NULL)
        return SARRUS_NO_MEMORY;
    prepare_report(user, report);
    snprintf(report->folder, sizeof report->folder, "%s/sarrus-bench-XXXXXX", temporary == NULL ? "/tmp" : temporary);
    sarrus_status status = SARRUS_OK;
    if (mkdtemp(report->folder) == NULL) {
        status = sarrus_report(context, SARRUS_IO, "no private folder '%s' can be made", report->folder);
    } else {
        status = measure(context, report);
        sarrus_bench_folder_remove(report->folder);
    }
    if (status == SARRUS_OK) {
        sarrus_bench_specialize_show(report);
        *n_failures = count_failures(report);
    }
    for (int i = 0; i < report->n_subjects; ++i)
        sarrus_bench_mechanism_close(&report->subjects[i].mechanism);
    free(report);
    return status;
}

int sarrus_bench_specialize(int argc, char **argv) {
    sarrus_bench_specialize_options o = {.json = false};
    uint64_t n_threads = 0;
    const sarrus_bench_option known[] = {
        {"json", NULL, "machine-readable output", .flag = &o.json},
        {"quick", NULL, "fewer and shorter repetitions, N-four-bars up to 5, a tenth of the main job", .flag = &o.is_quick},
        {"threads", "N", "of every row (default 1), the main job's as well (default there: all processors)", .count = &n_threads,
         .max_count = 256},
        {"instances", "N", "of the main job (default: the scenario's 10,000)", .count = &o.n_instances},
        {"compiler", "CC", "that makes the kernels (default: cc)", .text = &o.compiler},
        {"scenarios", "DIR", "where five_bar, andrews, slider_crank and five_bar_monte_carlo.yaml are",
         .text = &o.scenarios_folder},
        {"no-job", NULL, "leave out the main job", .flag = &o.no_job},
    };
    const int code = sarrus_bench_options_read(argc, argv, known, sizeof known / sizeof known[0]);
    if (code >= 0)
        return code;
    o.n_threads = (int)n_threads;
    o.n_compilations = o.is_quick ? 1 : N_COMPILATIONS;
    o.n_instances = o.n_instances == 0 && o.is_quick ? N_QUICK_INSTANCES : o.n_instances;
    return sarrus_bench_carry_out("specialize", NULL, work, &o);
}

/* The measuring half of the benchmark of specialised kernels: compiling, and rates of the variants. */
#include "bench/specialize/specialize.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

#include "bench/measure/measure.h"

const char *const sarrus_bench_variants[SARRUS_BENCH_N_VARIANTS] = {"generic", "specialised", "lapack"};

enum { N_STARTS = 5, MAX_COMPILATIONS = 5 };

const sarrus_bench_row *sarrus_bench_variant_row(const sarrus_bench_subject *subject, sarrus_bench_variant variant) {
    const int i_row = subject->i_rows[variant];
    return i_row < 0 || i_row >= subject->mechanism.n_rows ? NULL : &subject->mechanism.rows[i_row];
}

double sarrus_bench_variant_flops(const sarrus_bench_subject *subject, sarrus_bench_variant variant) {
    return variant == SARRUS_BENCH_LAPACK ? (double)NAN : subject->mechanism.sizes.flops_per_step;
}

double sarrus_bench_variant_peak_fraction(const sarrus_bench_subject *subject, sarrus_bench_variant variant) {
    const sarrus_bench_row *row = sarrus_bench_variant_row(subject, variant);
    double fractions[SARRUS_BENCH_MAX_REPETITIONS];
    int n = 0;
    for (; row != NULL && n < row->n_repetitions; ++n)
        fractions[n] = row->rates[n] * sarrus_bench_variant_flops(subject, variant) / subject->peaks[n];
    return sarrus_bench_median(fractions, n);
}

double sarrus_bench_growth(const sarrus_bench_specialize_report *report, sarrus_bench_variant variant, bool only_largest) {
    double x[SARRUS_BENCH_MAX_SUBJECTS], y[SARRUS_BENCH_MAX_SUBJECTS];
    int n = 0;
    for (int i = 0; i < report->n_subjects; ++i) {
        const sarrus_bench_row *row = sarrus_bench_variant_row(&report->subjects[i], variant);
        if (report->subjects[i].n_loops > 0 && row != NULL) {
            x[n] = log(report->subjects[i].n_loops);
            y[n++] = -log(row->rate);
        }
    }
    double mean_x = 0.0, mean_y = 0.0, covariance = 0.0, variance = 0.0;
    const int i_first = only_largest && n > 2 ? n - 2 : 0;
    for (int i = i_first; i < n; ++i) {
        mean_x += x[i] / (n - i_first);
        mean_y += y[i] / (n - i_first);
    }
    for (int i = i_first; i < n; ++i) {
        covariance += (x[i] - mean_x) * (y[i] - mean_y);
        variance += (x[i] - mean_x) * (x[i] - mean_x);
    }
    return variance > 0.0 ? covariance / variance : (double)NAN;
}

bool sarrus_bench_folder_make(sarrus_bench_specialize_report *report, char out[SARRUS_BENCH_MAX_FOLDER]) {
    const int n = snprintf(out, SARRUS_BENCH_MAX_FOLDER, "%s/%d", report->folder, report->n_folders++);
    return n > 0 && n < SARRUS_BENCH_MAX_FOLDER && mkdir(out, 0700) == 0;
}

/* --- Until the kernels are there ------------------------------------------------------------------------------------------- */

/* Creates the row's batch and destroys it again. Returns its wall time, s; NaN with `status` set when it cannot be made. */
static double time_start(sarrus_context *context, const sarrus_bench_subject *subject, const sarrus_bench_row *row,
                         sarrus_specialization *found, sarrus_status *status) {
    sarrus_batch *batch = NULL;
    const double t_start = sarrus_bench_now();
    *status = sarrus_bench_batch_create(context, &subject->mechanism, row, &batch);
    const double seconds = sarrus_bench_now() - t_start;
    if (*status == SARRUS_OK)
        sarrus_batch_specialization(batch, found);
    sarrus_batch_destroy(batch);
    return *status == SARRUS_OK ? seconds : (double)NAN;
}

static void judge_start(sarrus_bench_start *start, const sarrus_specialization *found, bool is_from_cache) {
    if (found->state != SARRUS_SPECIALIZATION_READY) {
        start->failure = "the kernels could not be had";
        start->is_unsupported = found->state == SARRUS_SPECIALIZATION_UNSUPPORTED;
        memcpy(start->note, found->note, sizeof start->note);
    } else if (is_from_cache && !found->is_from_cache) {
        start->failure = "compiled again, although the cache had it";
    }
}

/* Compiles into empty caches, then starts from the last of them, whose folder is left in `row`. A tile alone: what
 * creating a batch costs besides is the same for all three. */
static sarrus_status measure_start(sarrus_context *context, sarrus_bench_specialize_report *report, sarrus_bench_subject *subject,
                                   char folder[SARRUS_BENCH_MAX_FOLDER]) {
    double compile[MAX_COMPILATIONS], first[MAX_COMPILATIONS], cached[N_STARTS], generic[N_STARTS];
    sarrus_bench_row row = {.isa = sarrus_bench_isa_find(NULL), .n_threads = 1};
    sarrus_specialization found;
    sarrus_status status = SARRUS_OK;
    row.n_instances = (uint64_t)row.isa->n_lanes;
    row.batch_options.cache_dir = folder;
    row.batch_options.compiler = report->options->compiler;
    int n_compilations = 0;
    for (; n_compilations < report->options->n_compilations; ++n_compilations) {
        if (status != SARRUS_OK || subject->start.failure != NULL)
            break;
        if (!sarrus_bench_folder_make(report, folder))
            return SARRUS_IO;
        row.batch_options.specialize = SARRUS_SPECIALIZE_ON;
        first[n_compilations] = time_start(context, subject, &row, &found, &status);
        compile[n_compilations] = found.compile_seconds;
        judge_start(&subject->start, &found, false);
    }
    for (int i = 0; status == SARRUS_OK && i < N_STARTS; ++i) {
        row.batch_options.specialize = SARRUS_SPECIALIZE_ON;
        cached[i] = subject->start.failure == NULL ? time_start(context, subject, &row, &found, &status) : (double)NAN;
        if (subject->start.failure == NULL)
            judge_start(&subject->start, &found, true);
        row.batch_options.specialize = SARRUS_SPECIALIZE_OFF;
        generic[i] = status == SARRUS_OK ? time_start(context, subject, &row, &found, &status) : (double)NAN;
    }
    subject->start.compile = sarrus_bench_median(compile, n_compilations);
    subject->start.first = sarrus_bench_median(first, n_compilations);
    subject->start.from_cache = sarrus_bench_median(cached, N_STARTS);
    subject->start.generic = sarrus_bench_median(generic, N_STARTS);
    return status;
}

/* --- Rates ------------------------------------------------------------------------------------------------------------------- */

static sarrus_bench_row *add_row(sarrus_bench_subject *subject, sarrus_bench_variant variant, const sarrus_bench_row *like) {
    const int i_row = subject->mechanism.n_rows++;
    subject->i_rows[variant] = i_row;
    subject->mechanism.rows[i_row] = *like;
    return &subject->mechanism.rows[i_row];
}

/* The rows of all variants; every one but lapack's gets the same batch. */
static sarrus_status list_rows(sarrus_context *context, const sarrus_bench_specialize_report *report, sarrus_bench_subject *subject,
                               const char *cache_folder) {
    sarrus_bench_mechanism *mechanism = &subject->mechanism;
    sarrus_bench_row row = {.isa = sarrus_bench_isa_find(NULL), .n_threads = report->step_options.thread_counts[0]};
    sarrus_status status = sarrus_bench_row_size(context, &report->step_options, mechanism, &row);
    if (status != SARRUS_OK)
        return status;
    add_row(subject, SARRUS_BENCH_GENERIC, &row);
    if (subject->start.failure == NULL) {
        sarrus_bench_row *specialised = add_row(subject, SARRUS_BENCH_SPECIALIZED, &row);
        specialised->batch_options.specialize = SARRUS_SPECIALIZE_ON;
        specialised->batch_options.cache_dir = cache_folder;
        specialised->batch_options.compiler = report->options->compiler;
    }
    row.i_pinv = SARRUS_BENCH_N_PINVS - 1;
    status = sarrus_bench_row_size(context, &report->step_options, mechanism, &row);
    add_row(subject, SARRUS_BENCH_LAPACK, &row);
    return status;
}

/* Generic and specialised kernels promise the same bits; the gate's two figures show most differences. */
static void compare_bits(sarrus_bench_subject *subject) {
    const int i_generic = subject->i_rows[SARRUS_BENCH_GENERIC], i_specialised = subject->i_rows[SARRUS_BENCH_SPECIALIZED];
    if (i_specialised < 0)
        return;
    const sarrus_bench_row *generic = &subject->mechanism.rows[i_generic];
    sarrus_bench_row *specialised = &subject->mechanism.rows[i_specialised];
    const bool is_same = !(generic->deviation < specialised->deviation) && !(generic->deviation > specialised->deviation) &&
                         !(generic->violation < specialised->violation) && !(generic->violation > specialised->violation);
    if (specialised->failure == NULL && !is_same)
        specialised->failure = "other bits than the generic kernels";
}

/* A row that is to be specialised and runs on the generic kernels would be a lie. */
static void check_specialised(sarrus_bench_row *row) {
    sarrus_specialization found;
    if (row->batch_options.specialize != SARRUS_SPECIALIZE_OFF) {
        sarrus_batch_specialization(row->batch, &found);
        row->failure = found.state == SARRUS_SPECIALIZATION_READY ? NULL : "not specialised";
    }
}

sarrus_status sarrus_bench_subject_measure(sarrus_context *context, sarrus_bench_specialize_report *report,
                                           const sarrus_bench_source *source, sarrus_bench_subject *subject) {
    char folder[SARRUS_BENCH_MAX_FOLDER] = "";
    sarrus_bench_mechanism *mechanism = &subject->mechanism;
    for (int i = 0; i < SARRUS_BENCH_N_VARIANTS; ++i)
        subject->i_rows[i] = -1;
    sarrus_status status = sarrus_bench_mechanism_open(context, source, mechanism);
    status = status == SARRUS_OK ? measure_start(context, report, subject, folder) : status;
    status = status == SARRUS_OK ? sarrus_bench_mechanism_refer(context, mechanism) : status;
    status = status == SARRUS_OK ? list_rows(context, report, subject, folder) : status;
    for (int i = 0; status == SARRUS_OK && i < mechanism->n_rows; ++i) {
        status = sarrus_bench_row_prepare(context, &report->step_options, mechanism, &mechanism->rows[i]);
        if (status == SARRUS_OK)
            check_specialised(&mechanism->rows[i]);
    }
    const sarrus_bench_peak *peak = &report->step.peaks[0];
    const int i_first = peak->n_samples;
    if (status == SARRUS_OK)
        status = sarrus_bench_rows_measure(&report->step, mechanism, mechanism->rows, mechanism->n_rows);
    for (int i = i_first; i < peak->n_samples; ++i)
        subject->peaks[i - i_first] = peak->samples[i];
    compare_bits(subject);
    for (int i = 0; i < mechanism->n_rows; ++i) {
        mechanism->rows[i].batch_options.cache_dir = NULL; /* the folder's name ends here */
    }
    return status;
}

/* `sarrus bench step --backend cuda`: instance-steps a second of batches on one device. Every row has a gate: no instance fails,
 * the first ones are where the CPU's svd takes them, and the constraints hold. */
#include "bench/step/cuda.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/measure/measure.h"

const char *const sarrus_bench_path_names[SARRUS_BENCH_N_PATHS] = {"fused", "generic", "gesvdj", "syev"};
static const char *const path_pinvs[SARRUS_BENCH_N_PATHS] = {"auto", "auto", "cusolver-svd", "cusolver-syev"};

enum {
    N_GATE_STEPS = 100, /* as in measure.c, whose bounds hold for so many */
    MOST_STEPS = 10000, /* of a timed call */
    SMALLEST_BATCH = 1000,
    COMPARED_BATCH = 100000, /* at which the paths are compared */
    STAGED_BATCH = 10000,    /* cuSOLVER's arrays for more than that say nothing new */
};

/* One scenario as one path plans it. */
typedef struct subject {
    sarrus_model *model;
    sarrus_plan *plan;
    sarrus_plan_sizes sizes;
} subject;

static sarrus_status subject_open(sarrus_context *context, const char *file, const char *pinv, subject *out) {
    const sarrus_override override = {"dynamics.pinv", pinv};
    *out = (subject){.model = NULL};
    sarrus_status status = sarrus_scenario_read_file(context, file, &override, 1, &out->model);
    if (status == SARRUS_OK)
        status = sarrus_plan_create(context, out->model, &out->plan);
    if (status == SARRUS_OK)
        sarrus_plan_sizes_get(out->plan, &out->sizes);
    return status;
}

static void subject_close(subject *s) {
    sarrus_plan_destroy(s->plan);
    sarrus_model_destroy(s->model);
}

static sarrus_status batch_create(sarrus_context *context, const subject *s, const sarrus_batch_options *options, uint64_t n,
                                  sarrus_batch **out) {
    sarrus_draws *draws = NULL;
    sarrus_status status = sarrus_draws_create(context, s->model, sarrus_model_seed(s->model), n, &draws);
    if (status == SARRUS_OK)
        status = sarrus_batch_create(context, s->plan, options, n, draws, out);
    sarrus_draws_destroy(draws);
    return status;
}

/* --- One row ---------------------------------------------------------------------------------------------------------- */

/* The status of an instance is on the device: reading it waits for the steps. */
static sarrus_status run_steps(sarrus_batch *batch, uint64_t n_steps, double *seconds) {
    const double start = sarrus_bench_now();
    const sarrus_status status = sarrus_batch_advance(batch, n_steps);
    (void)sarrus_batch_status(batch, 0);
    *seconds = sarrus_bench_now() - start;
    return status;
}

/* Back to the assembled states, which one step brings to the device. */
static sarrus_status run_block(sarrus_batch *batch, uint64_t n_steps, double *seconds) {
    double untimed = 0.0;
    sarrus_status status = sarrus_batch_reset(batch);
    status = status == SARRUS_OK ? run_steps(batch, 1, &untimed) : status;
    return status == SARRUS_OK ? run_steps(batch, n_steps, seconds) : status;
}

/* So many steps that a call lasts about `wanted` seconds. */
static sarrus_status choose_steps(sarrus_batch *batch, double wanted, sarrus_bench_step_cuda_row *row) {
    double seconds = 0.0;
    sarrus_status status = SARRUS_OK;
    row->n_steps = N_GATE_STEPS / 10;
    for (;;) {
        status = run_block(batch, row->n_steps, &seconds);
        if (status != SARRUS_OK || seconds >= 0.5 * wanted || row->n_steps >= MOST_STEPS)
            return status;
        row->n_steps = (uint64_t)fmin(MOST_STEPS, (double)row->n_steps * fmin(10.0, fmax(2.0, wanted / fmax(seconds, 1e-9))));
    }
}

/* One observable of width 1 for all instances, as the batch stands. */
static sarrus_status look(sarrus_batch *batch, sarrus_observable what, double *out) {
    sarrus_observation observation = {.n_times = 1, .every_steps = 1, .observe_first = 1, .n_times_stride = 1};
    observation.destination[what] = out;
    return sarrus_batch_observe(batch, &observation);
}

/* Comparisons are written so that a NaN is the worst of all. */
static double larger(double value, double than) {
    return value <= than ? than : value;
}

static sarrus_status measure_energy(sarrus_batch *batch, sarrus_bench_step_cuda_row *row) {
    const size_t n = (size_t)row->n_instances;
    double *energy = malloc(2 * n * sizeof *energy), seconds = 0.0;
    sarrus_status status = energy == NULL ? SARRUS_NO_MEMORY : sarrus_batch_reset(batch);
    status = status == SARRUS_OK ? look(batch, SARRUS_OBSERVE_ENERGY, energy) : status;
    status = status == SARRUS_OK ? run_steps(batch, row->n_steps, &seconds) : status;
    status = status == SARRUS_OK ? look(batch, SARRUS_OBSERVE_ENERGY, energy + n) : status;
    for (size_t i = 0; status == SARRUS_OK && i < n; ++i)
        row->energy_change = larger(fabs(energy[n + i] - energy[i]), row->energy_change);
    free(energy);
    return status;
}

/* After the gate's steps: against the reference [SARRUS_BENCH_N_REFERENCE][n]. */
static sarrus_status gate(sarrus_batch *batch, const double *reference, size_t n, sarrus_bench_step_cuda_row *row) {
    double *errors = malloc((size_t)row->n_instances * sizeof *errors + 2 * n * sizeof *errors), seconds = 0.0;
    sarrus_status status = errors == NULL ? SARRUS_NO_MEMORY : sarrus_batch_reset(batch);
    status = status == SARRUS_OK ? run_steps(batch, N_GATE_STEPS, &seconds) : status;
    status = status == SARRUS_OK ? look(batch, SARRUS_OBSERVE_POSITION_ERROR, errors) : status;
    for (uint64_t i = 0; status == SARRUS_OK && i < row->n_instances; ++i) {
        row->violation = larger(errors[i], row->violation);
        row->n_failed += sarrus_batch_status(batch, i) != SARRUS_INSTANCE_OK;
    }
    double *q = errors + row->n_instances;
    for (uint64_t i = 0; status == SARRUS_OK && i < SARRUS_BENCH_N_REFERENCE && i < row->n_instances; ++i) {
        status = sarrus_batch_state(batch, i, q, q + n);
        for (size_t k = 0; k < n; ++k)
            row->deviation = larger(fabs(q[k] - reference[i * n + k]), row->deviation);
    }
    free(errors);
    row->failure = row->n_failed > 0                                   ? "instances failed"
                   : !(row->deviation <= sarrus_bench_deviation_bound) ? "the states differ from the CPU's"
                   : !(row->violation <= sarrus_bench_violation_bound) ? "the constraints are violated"
                                                                       : NULL;
    return status;
}

static void finish(const sarrus_bench_step_cuda_report *report, const subject *s, const sarrus_batch *batch,
                   sarrus_bench_step_cuda_row *row) {
    double sorted[SARRUS_BENCH_MAX_REPETITIONS];
    sarrus_specialization kernels;
    memcpy(sorted, row->samples, sizeof sorted);
    row->rate = sarrus_bench_median(sorted, row->n_samples);
    const bool is_fused = row->path == SARRUS_BENCH_FUSED || row->path == SARRUS_BENCH_GENERIC;
    row->flops_per_step = is_fused ? s->sizes.flops_per_step : (double)NAN;
    row->peak_share = row->rate * row->flops_per_step / report->cuda.flops;
    row->memory_share = row->rate * 4.0 * s->sizes.n * sizeof(double) / report->cuda.bytes_per_second;
    sarrus_batch_specialization(batch, &kernels);
    snprintf(row->kernels, sizeof row->kernels, "%s%s%s", sarrus_specialization_state_word(kernels.state),
             kernels.note[0] != '\0' ? ": " : "", kernels.note);
}

static sarrus_status measure_row(sarrus_context *context, sarrus_bench_step_cuda_report *report, const subject *s,
                                 const double *reference, sarrus_bench_step_cuda_row *row) {
    const bool is_special = row->path == SARRUS_BENCH_FUSED;
    const sarrus_batch_options options = {.backend = SARRUS_BACKEND_CUDA,
                                          .n_devices = 1,
                                          .specialize = is_special ? SARRUS_SPECIALIZE_ON : SARRUS_SPECIALIZE_OFF,
                                          .cache_dir = report->places.cache,
                                          .cuda_prefixes = report->places.cuda};
    sarrus_batch *batch = NULL;
    sarrus_status status = batch_create(context, s, &options, row->n_instances, &batch);
    status = status == SARRUS_OK ? choose_steps(batch, report->options->seconds, row) : status;
    while (status == SARRUS_OK && row->n_samples < report->options->n_repetitions) {
        double seconds = 0.0;
        status = run_block(batch, row->n_steps, &seconds);
        row->samples[row->n_samples++] = (double)row->n_instances * (double)row->n_steps / seconds;
    }
    status = status == SARRUS_OK ? measure_energy(batch, row) : status;
    status = status == SARRUS_OK ? gate(batch, reference, (size_t)s->sizes.n, row) : status;
    if (status == SARRUS_OK)
        finish(report, s, batch, row);
    sarrus_batch_destroy(batch);
    return status;
}

/* --- All rows --------------------------------------------------------------------------------------------------------- */

/* q of the first instances after the gate's steps, by svd on the CPU. */
static sarrus_status refer(sarrus_context *context, const char *file, double **out) {
    const sarrus_batch_options options = {.backend = SARRUS_BACKEND_CPU};
    subject s;
    sarrus_batch *batch = NULL;
    double seconds = 0.0;
    sarrus_status status = subject_open(context, file, "svd", &s);
    const size_t n = (size_t)s.sizes.n;
    status = status == SARRUS_OK ? batch_create(context, &s, &options, SARRUS_BENCH_N_REFERENCE, &batch) : status;
    status = status == SARRUS_OK ? run_steps(batch, N_GATE_STEPS, &seconds) : status;
    *out = calloc((SARRUS_BENCH_N_REFERENCE + 1) * n + 1, sizeof **out);
    status = *out == NULL ? SARRUS_NO_MEMORY : status;
    for (uint64_t i = 0; status == SARRUS_OK && i < SARRUS_BENCH_N_REFERENCE; ++i)
        status = sarrus_batch_state(batch, i, *out + i * n, *out + SARRUS_BENCH_N_REFERENCE * n);
    sarrus_batch_destroy(batch);
    subject_close(&s);
    return status;
}

static sarrus_status measure_path(sarrus_context *context, sarrus_bench_step_cuda_report *report, const char *file,
                                  sarrus_bench_path path, const double *reference) {
    const char *slash = strrchr(file, '/');
    subject s;
    sarrus_status status = subject_open(context, file, path_pinvs[path], &s);
    const uint64_t largest = report->options->largest, compared = path == SARRUS_BENCH_GENERIC ? COMPARED_BATCH : STAGED_BATCH;
    uint64_t n = path == SARRUS_BENCH_FUSED ? SMALLEST_BATCH : compared < largest ? compared : largest;
    while (status == SARRUS_OK && n <= largest && report->n_rows < SARRUS_BENCH_MAX_STEP_CUDA_ROWS) {
        sarrus_bench_step_cuda_row *row = &report->rows[report->n_rows++];
        *row = (sarrus_bench_step_cuda_row){.path = path, .n_instances = n};
        snprintf(row->mechanism, sizeof row->mechanism, "%s", slash == NULL ? file : slash + 1);
        sarrus_bench_announce("measuring %s, %s, %llu instances\n", row->mechanism, sarrus_bench_path_names[path],
                              (unsigned long long)n);
        status = measure_row(context, report, &s, reference, row);
        n = path == SARRUS_BENCH_FUSED ? 10 * n : largest + 1;
    }
    subject_close(&s);
    return status;
}

/* What a path cannot do (no cuSOLVER, too many rows) is said in its row, and the others go on. */
static sarrus_status measure_file(sarrus_context *context, sarrus_bench_step_cuda_report *report, const char *file) {
    double *reference = NULL;
    sarrus_status status = refer(context, file, &reference);
    for (int path = 0; path < SARRUS_BENCH_N_PATHS && status == SARRUS_OK; ++path) {
        const bool is_staged = path == SARRUS_BENCH_GESVDJ_STAGED || path == SARRUS_BENCH_SYEV_STAGED;
        status = measure_path(context, report, file, (sarrus_bench_path)path, reference);
        if (is_staged && (status == SARRUS_UNSUPPORTED || status == SARRUS_NO_BACKEND) && report->n_rows > 0) {
            sarrus_bench_step_cuda_row *row = &report->rows[report->n_rows - 1];
            const size_t n_told = sarrus_context_n_diagnostics(context);
            snprintf(row->kernels, sizeof row->kernels, "left out: %.250s",
                     n_told > 0 ? sarrus_context_diagnostic(context, n_told - 1)->message : sarrus_status_text(status));
            status = SARRUS_OK;
        }
    }
    free(reference);
    return status;
}

static sarrus_status measure(sarrus_context *context, sarrus_bench_step_cuda_report *report) {
    sarrus_status status = SARRUS_OK;
    sarrus_bench_cuda_measure_peaks(&report->cuda, report->options->quick ? 0.1 : 1.0);
    sarrus_kernel_places_find(&report->places);
    for (int i = 0; i < report->options->n_files && status == SARRUS_OK; ++i)
        status = measure_file(context, report, report->options->files[i]);
    return status == SARRUS_OK ? sarrus_bench_cuda_status(context, &report->cuda) : status;
}

sarrus_status sarrus_bench_step_cuda(sarrus_context *context, const sarrus_bench_step_options *options, int *n_failures) {
    sarrus_bench_step_cuda_report *report = calloc(1, sizeof *report);
    sarrus_status status = report == NULL ? SARRUS_NO_MEMORY : sarrus_bench_cuda_open(context, &report->cuda);
    if (status == SARRUS_OK) {
        report->options = options;
        status = measure(context, report);
        sarrus_bench_cuda_close(&report->cuda);
    }
    if (status == SARRUS_OK) {
        sarrus_bench_step_cuda_show(report);
        for (int i = 0; i < report->n_rows; ++i)
            *n_failures += report->rows[i].failure != NULL;
    }
    free(report);
    return status;
}

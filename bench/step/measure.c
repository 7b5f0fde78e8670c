/* The measuring half of the step benchmark: batches, references, gates, timings. */
#include "bench/step/step.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/measure/measure.h"

const char *const sarrus_bench_pinvs[SARRUS_BENCH_N_PINVS] = {"auto", "svd", "lapack"};
enum { PINV_AUTO = 0, PINV_SVD = 1, PINV_LAPACK = 2 };

/* Every choice of pseudoinverse, instruction set and thread count solves the same equations to round-off: accelerations
 * agree to about eps·cond, cond up to 1e4 here, so 1e-12 relative. Over the 0.1 s (five-bar, 30 rad/s²) or 1 ms (Andrews, 1e6
 * rad/s²) between resets that grows to ½·1e-12·a·t², below 1e-12; three orders are left for growth of differences. */
const double sarrus_bench_deviation_bound = 1e-9;

/* RK4's own drift off the constraints is of the order of its error, below 1e-9 over these few steps; an acceleration wrong
 * by 1e-5 rad/s² would pass the bound within 0.1 s. */
const double sarrus_bench_violation_bound = 1e-8;

enum {
    SMALL_N = 64,             /* up to here a dense method is quick enough for many steps */
    N_STEPS_SMALL = 100,      /* between resets: a tenth of a second of the five-bar */
    N_STEPS_LARGE = 20,       /* of the sparse method for larger mechanisms, */
    N_STEPS_LARGE_DENSE = 1,  /* and of the dense ones, which take a second for one step of one tile */
    N_STEPS_SIZES = 10,       /* flatness: the stretch between two outputs of the main job */
    MIN_INSTANCES_SMALL = 32, /* whole tiles of every width for each of a few threads */
    MIN_INSTANCES_LARGE = 16,
    MAX_INSTANCES = 4096, /* with 100 steps a block, more shows nothing new */
    SMALLEST_BATCH = 1000,
    MAX_BLOCKS = 10000,
};

/* A row whose first block takes this many repetitions' worth of time is measured by that block alone. */
static const double tedious = 5.0;

/* Time for one sample of a peak, s. */
static const double peak_seconds = 0.02;

static void name_from_path(const char *path, char *name, size_t n_bytes) {
    const char *slash = strrchr(path, '/');
    snprintf(name, n_bytes, "%s", slash == NULL ? path : slash + 1);
    char *dot = strrchr(name, '.');
    if (dot != NULL && dot != name)
        *dot = '\0';
}

sarrus_status sarrus_bench_mechanism_open(sarrus_context *context, const sarrus_bench_source *source,
                                          sarrus_bench_mechanism *mechanism) {
    *mechanism = (sarrus_bench_mechanism){.file = source->file};
    name_from_path(source->file, mechanism->name, sizeof mechanism->name);
    for (int i = 0; i < SARRUS_BENCH_N_PINVS; ++i) {
        const sarrus_override overrides[] = {{"dynamics.pinv", sarrus_bench_pinvs[i]}, {"dynamics.projection", source->projection}};
        const size_t n_overrides = source->projection == NULL ? 1 : 2;
        sarrus_model **model = &mechanism->models[i];
        sarrus_status status = SARRUS_OK;
        if (source->text == NULL) {
            status = sarrus_scenario_read_file(context, source->file, overrides, n_overrides, model);
        } else {
            status =
                sarrus_scenario_read_text(context, source->file, source->text, strlen(source->text), overrides, n_overrides, model);
        }
        if (status == SARRUS_OK)
            status = sarrus_plan_create(context, *model, &mechanism->plans[i]);
        if (status != SARRUS_OK)
            return status;
    }
    sarrus_plan_sizes_get(mechanism->plans[PINV_AUTO], &mechanism->sizes);
    return SARRUS_OK;
}

static void close_batches(sarrus_bench_row *rows, int n_rows) {
    for (int i = 0; i < n_rows; ++i) {
        sarrus_batch_destroy(rows[i].batch);
        rows[i].batch = NULL;
    }
}

void sarrus_bench_mechanism_close(sarrus_bench_mechanism *mechanism) {
    close_batches(mechanism->rows, mechanism->n_rows);
    close_batches(mechanism->size_rows, mechanism->n_sizes);
    for (int i = 0; i < SARRUS_BENCH_N_PINVS; ++i) {
        sarrus_plan_destroy(mechanism->plans[i]);
        sarrus_model_destroy(mechanism->models[i]);
    }
    free(mechanism->reference);
    free(mechanism->size_reference);
    *mechanism = (sarrus_bench_mechanism){.file = NULL};
}

sarrus_status sarrus_bench_batch_create(sarrus_context *context, const sarrus_bench_mechanism *mechanism,
                                        const sarrus_bench_row *row, sarrus_batch **out) {
    const sarrus_model *model = mechanism->models[row->i_pinv];
    sarrus_draws *draws = NULL;
    sarrus_status status = sarrus_draws_create(context, model, sarrus_model_seed(model), row->n_instances, &draws);
    if (status == SARRUS_OK) {
        sarrus_batch_options options = row->batch_options;
        options.backend = SARRUS_BACKEND_CPU;
        options.isa = row->isa->name;
        options.n_threads = row->n_threads;
        status = sarrus_batch_create(context, mechanism->plans[row->i_pinv], &options, row->n_instances, draws, out);
    }
    sarrus_draws_destroy(draws);
    return status;
}

/* One block: back to the assembled state, then n_steps steps, of which only the steps are timed. */
static sarrus_status run_block(sarrus_bench_row *row, double *seconds) {
    sarrus_status status = sarrus_batch_reset(row->batch);
    if (status != SARRUS_OK)
        return status;
    const double t_start = sarrus_bench_now();
    status = sarrus_batch_advance(row->batch, row->n_steps);
    *seconds = sarrus_bench_now() - t_start;
    return status;
}

/* q of the first instances after row->n_steps steps by the singular value decomposition, one thread. */
static sarrus_status make_reference(sarrus_context *context, const sarrus_bench_mechanism *mechanism, const sarrus_bench_isa *isa,
                                    uint64_t n_steps, double **out) {
    const size_t n = (size_t)mechanism->sizes.n;
    double *q = calloc((SARRUS_BENCH_N_REFERENCE + 1) * n, sizeof *q);
    if (q == NULL)
        return SARRUS_NO_MEMORY;
    double *v = q + SARRUS_BENCH_N_REFERENCE * n;
    sarrus_bench_row row = {.isa = isa, .i_pinv = PINV_SVD, .n_threads = 1, .n_instances = SARRUS_BENCH_N_REFERENCE};
    row.n_steps = n_steps;
    double seconds = 0.0;
    sarrus_status status = sarrus_bench_batch_create(context, mechanism, &row, &row.batch);
    if (status == SARRUS_OK)
        status = run_block(&row, &seconds);
    for (uint64_t i = 0; status == SARRUS_OK && i < SARRUS_BENCH_N_REFERENCE; ++i)
        status = sarrus_batch_state(row.batch, i, q + i * n, v);
    sarrus_batch_destroy(row.batch);
    *out = q;
    return status;
}

/* Largest ‖Φ‖₂ over the instances as they stand. Comparisons are written so that a NaN is the worst of all. */
static sarrus_status worst_violation(sarrus_bench_row *row, double *out) {
    double *errors = malloc((size_t)row->n_instances * sizeof *errors);
    if (errors == NULL)
        return SARRUS_NO_MEMORY;
    sarrus_observation observation = {.n_times = 1, .every_steps = 1, .observe_first = 1, .n_times_stride = 1};
    observation.destination[SARRUS_OBSERVE_POSITION_ERROR] = errors;
    const sarrus_status status = sarrus_batch_observe(row->batch, &observation);
    double worst = 0.0;
    for (uint64_t i = 0; status == SARRUS_OK && i < row->n_instances; ++i)
        worst = errors[i] <= worst ? worst : errors[i];
    free(errors);
    *out = worst;
    return status;
}

/* Largest |q − reference| over the instances that have a reference. */
static sarrus_status worst_deviation(const sarrus_bench_mechanism *mechanism, const sarrus_bench_row *row, double *out) {
    const size_t n = (size_t)mechanism->sizes.n;
    double *q = malloc(2 * n * sizeof *q);
    if (q == NULL)
        return SARRUS_NO_MEMORY;
    double worst = 0.0;
    sarrus_status status = SARRUS_OK;
    for (uint64_t i = 0; status == SARRUS_OK && i < SARRUS_BENCH_N_REFERENCE && i < row->n_instances; ++i) {
        status = sarrus_batch_state(row->batch, i, q, q + n);
        for (size_t k = 0; k < n; ++k) {
            const double difference = fabs(q[k] - row->reference[i * n + k]);
            worst = difference <= worst ? worst : difference;
        }
    }
    free(q);
    *out = worst;
    return status;
}

/* The correctness gate, on the state that the last timed block left behind, or after fewer steps where the reference is slow. */
static sarrus_status gate(const sarrus_bench_mechanism *mechanism, sarrus_bench_row *row) {
    sarrus_status status = SARRUS_OK;
    if (row->n_gate_steps != row->n_steps) {
        status = sarrus_batch_reset(row->batch);
        status = status == SARRUS_OK ? sarrus_batch_advance(row->batch, row->n_gate_steps) : status;
    }
    for (uint64_t i = 0; i < row->n_instances; ++i)
        row->n_failed += sarrus_batch_status(row->batch, i) != SARRUS_INSTANCE_OK;
    status = status == SARRUS_OK ? worst_deviation(mechanism, row, &row->deviation) : status;
    status = status == SARRUS_OK ? worst_violation(row, &row->violation) : status;
    if (row->n_failed > 0) {
        row->failure = "instances failed";
    } else if (!(row->deviation <= sarrus_bench_deviation_bound)) {
        row->failure = "the states differ from the svd reference";
    } else if (!(row->violation <= sarrus_bench_violation_bound)) {
        row->failure = "the constraints are violated";
    }
    uint64_t n_evaluations = 0;
    uint64_t n_rank_revealing = 0;
    sarrus_batch_path_counts(row->batch, &n_evaluations, &n_rank_revealing);
    row->rank_revealing_share = n_evaluations == 0 ? 0.0 : (double)n_rank_revealing / (double)n_evaluations;
    return status;
}

/* One untimed block, from which the number of blocks of a repetition follows. */
sarrus_status sarrus_bench_row_prepare(sarrus_context *context, const sarrus_bench_step_options *options,
                                       const sarrus_bench_mechanism *mechanism, sarrus_bench_row *row) {
    sarrus_status status = sarrus_bench_batch_create(context, mechanism, row, &row->batch);
    double seconds = 0.0;
    if (status == SARRUS_OK)
        status = run_block(row, &seconds);
    const double wanted = ceil(options->seconds / fmax(seconds, 1e-9));
    row->n_blocks = (uint64_t)fmin(fmax(wanted, 1.0), (double)MAX_BLOCKS);
    row->n_repetitions = options->n_repetitions;
    if (seconds > tedious * options->seconds) {
        row->n_repetitions = 1;
        row->rates[0] = (double)row->n_steps * (double)row->n_instances / seconds;
    }
    return status;
}

static sarrus_status time_row(sarrus_bench_row *row, int i_repetition) {
    double total = 0.0;
    for (uint64_t i = 0; i < row->n_blocks; ++i) {
        double seconds = 0.0;
        const sarrus_status status = run_block(row, &seconds);
        if (status != SARRUS_OK)
            return status;
        total += seconds;
    }
    row->rates[i_repetition] = (double)row->n_blocks * (double)row->n_steps * (double)row->n_instances / total;
    return SARRUS_OK;
}

static void sample_peaks(sarrus_bench_step_report *report) {
    const int n_max = (int)(sizeof report->peaks[0].samples / sizeof report->peaks[0].samples[0]);
    for (int i = 0; i < report->n_peaks; ++i) {
        sarrus_bench_peak *peak = &report->peaks[i];
        if (peak->n_samples < n_max)
            peak->samples[peak->n_samples++] = sarrus_bench_fma_peak(peak->isa, peak->n_threads, peak_seconds);
    }
}

/* Times the rows, repetition by repetition, then gates each of them and frees its batch. */
sarrus_status sarrus_bench_rows_measure(sarrus_bench_step_report *report, const sarrus_bench_mechanism *mechanism,
                                        sarrus_bench_row *rows, int n_rows) {
    for (int i_repetition = 0; i_repetition < report->options->n_repetitions; ++i_repetition) {
        sample_peaks(report);
        for (int i = 0; i < n_rows; ++i) {
            const bool is_done = rows[i].n_repetitions == 1 || i_repetition >= rows[i].n_repetitions;
            const sarrus_status status = is_done ? SARRUS_OK : time_row(&rows[i], i_repetition);
            if (status != SARRUS_OK)
                return status;
        }
    }
    for (int i = 0; i < n_rows; ++i) {
        double sorted[SARRUS_BENCH_MAX_REPETITIONS];
        memcpy(sorted, rows[i].rates, sizeof sorted);
        rows[i].rate = sarrus_bench_median(sorted, rows[i].n_repetitions);
        const sarrus_status status = gate(mechanism, &rows[i]);
        if (status != SARRUS_OK)
            return status;
    }
    close_batches(rows, n_rows);
    return SARRUS_OK;
}

/* How many instances make one block of a pseudoinverse choice last about one repetition: the same number for every
 * instruction set and thread count, so that rows compare. */
static sarrus_status choose_n_instances(sarrus_context *context, const sarrus_bench_step_options *options,
                                        const sarrus_bench_mechanism *mechanism, sarrus_bench_row *row) {
    const uint64_t n_least = mechanism->sizes.n <= SMALL_N ? MIN_INSTANCES_SMALL : MIN_INSTANCES_LARGE;
    sarrus_bench_row probe = *row;
    probe.n_instances = n_least;
    probe.n_threads = 1;
    double seconds = 0.0;
    sarrus_status status = sarrus_bench_batch_create(context, mechanism, &probe, &probe.batch);
    if (status == SARRUS_OK)
        status = run_block(&probe, &seconds);
    sarrus_batch_destroy(probe.batch);
    row->n_instances = n_least;
    while (row->n_instances < MAX_INSTANCES && seconds * 2.0 <= options->seconds) {
        row->n_instances *= 2;
        seconds *= 2.0;
    }
    return status;
}

/* Steps of one block of a row, and of its gate. */
static void choose_n_steps(const sarrus_bench_mechanism *mechanism, sarrus_bench_row *row) {
    const bool is_small = mechanism->sizes.n <= SMALL_N;
    row->n_gate_steps = is_small ? N_STEPS_SMALL : N_STEPS_LARGE_DENSE;
    row->n_steps = is_small || row->i_pinv != PINV_AUTO ? row->n_gate_steps : N_STEPS_LARGE;
}

sarrus_status sarrus_bench_row_size(sarrus_context *context, const sarrus_bench_step_options *options,
                                    const sarrus_bench_mechanism *mechanism, sarrus_bench_row *row) {
    choose_n_steps(mechanism, row);
    row->reference = mechanism->reference;
    return choose_n_instances(context, options, mechanism, row);
}

sarrus_status sarrus_bench_mechanism_refer(sarrus_context *context, sarrus_bench_mechanism *mechanism) {
    const uint64_t n_gate_steps = mechanism->sizes.n <= SMALL_N ? N_STEPS_SMALL : N_STEPS_LARGE_DENSE;
    return make_reference(context, mechanism, sarrus_bench_isa_find(NULL), n_gate_steps, &mechanism->reference);
}

/* Lists the rows: every usable instruction set × pseudoinverse × thread count. LAPACK's own kernels ignore ours: once will do;
 * so it will for the SVD of a large mechanism, whose rows take minutes. */
static sarrus_status list_rows(sarrus_context *context, const sarrus_bench_step_options *options, sarrus_bench_mechanism *mechanism,
                               const sarrus_bench_isa *widest) {
    uint64_t n_instances[SARRUS_BENCH_N_PINVS];
    sarrus_bench_row row = {.isa = widest, .reference = mechanism->reference};
    for (int i_pinv = 0; i_pinv < SARRUS_BENCH_N_PINVS; ++i_pinv) {
        row.i_pinv = i_pinv;
        const sarrus_status status = sarrus_bench_row_size(context, options, mechanism, &row);
        if (status != SARRUS_OK)
            return status;
        n_instances[i_pinv] = row.n_instances;
    }
    for (const sarrus_bench_isa *isa = widest; isa < sarrus_bench_isas + SARRUS_BENCH_N_ISAS; ++isa) {
        const int n_narrow_pinvs = mechanism->sizes.n <= SMALL_N ? PINV_LAPACK : PINV_SVD;
        const int n_pinvs = isa == widest ? SARRUS_BENCH_N_PINVS : n_narrow_pinvs;
        for (int i_pinv = 0; i_pinv < n_pinvs; ++i_pinv) {
            for (int i = 0; i < options->n_thread_counts && mechanism->n_rows < SARRUS_BENCH_MAX_ROWS; ++i) {
                row.isa = isa;
                row.i_pinv = i_pinv;
                choose_n_steps(mechanism, &row);
                row.n_threads = options->thread_counts[i];
                row.n_instances = n_instances[i_pinv];
                mechanism->rows[mechanism->n_rows++] = row;
            }
        }
    }
    return SARRUS_OK;
}

/* Cost per instance over batch sizes: pinv auto, widest instruction set, all threads. */
static sarrus_status measure_sizes(sarrus_context *context, sarrus_bench_step_report *report, sarrus_bench_mechanism *mechanism,
                                   const sarrus_bench_isa *widest) {
    const sarrus_bench_step_options *options = report->options;
    sarrus_status status = make_reference(context, mechanism, widest, N_STEPS_SIZES, &mechanism->size_reference);
    uint64_t n_instances = SMALLEST_BATCH;
    while (status == SARRUS_OK && n_instances <= options->largest && mechanism->n_sizes < SARRUS_BENCH_MAX_SIZES) {
        sarrus_bench_row *row = &mechanism->size_rows[mechanism->n_sizes++];
        *row = (sarrus_bench_row){.isa = widest, .i_pinv = PINV_AUTO, .n_instances = n_instances};
        row->n_steps = row->n_gate_steps = N_STEPS_SIZES;
        row->n_threads = options->thread_counts[options->n_thread_counts - 1];
        row->reference = mechanism->size_reference;
        status = sarrus_bench_row_prepare(context, options, mechanism, row);
        /* Of a large batch the first block is not like the others: it touches its pages for the first time. */
        row->n_repetitions = options->n_repetitions;
        n_instances *= 10;
    }
    return status == SARRUS_OK ? sarrus_bench_rows_measure(report, mechanism, mechanism->size_rows, mechanism->n_sizes) : status;
}

sarrus_status sarrus_bench_mechanism_measure(sarrus_context *context, sarrus_bench_step_report *report,
                                             sarrus_bench_mechanism *mechanism, bool with_sizes) {
    const sarrus_bench_step_options *options = report->options;
    const sarrus_bench_isa *widest = sarrus_bench_isa_find(NULL);
    sarrus_status status = sarrus_bench_mechanism_refer(context, mechanism);
    if (status == SARRUS_OK)
        status = list_rows(context, options, mechanism, widest);
    for (int i = 0; status == SARRUS_OK && i < mechanism->n_rows; ++i)
        status = sarrus_bench_row_prepare(context, options, mechanism, &mechanism->rows[i]);
    if (status == SARRUS_OK)
        status = sarrus_bench_rows_measure(report, mechanism, mechanism->rows, mechanism->n_rows);
    if (status == SARRUS_OK && with_sizes)
        status = measure_sizes(context, report, mechanism, widest);
    return status;
}

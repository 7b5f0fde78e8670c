/* The speed half of the pseudoinverse benchmark: methods and peers on the same matrices, sample by sample in turn so that both
 * sides of a ratio are neighbours in time. */
#include "bench/pinv/pinv.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/measure/measure.h"
#include "bench/pinv/peers.h"

const double sarrus_bench_speed_tolerance = 1e-10;

/* Singular values lie between 1/100 and 1. Forming A Aᵀ squares that: 1e4 ε, and three orders are left for dimension and for the
 * rank-deficient formulas; a wrong rank would show as 1. */
static const double matrix_condition = 100.0;
const double sarrus_bench_pinv_deviation_bound = 1e-8;

/* Tikhonov's σ/(σ² + t²) takes (t/σ)² from what counts and multiplies what is round-off by 1/t²: no t spares a deficient matrix
 * both. With the one here, relative to σ₁, the first is 1e-6 at σ = 1/100 and the second 1e-16 · 1e10 / 100; two orders are left.
 */
static const double tikhonov_tolerance = 1e-5, tikhonov_deviation_bound = 1e-4;

enum {
    N_SHAPES = SARRUS_BENCH_N_SPEED_SHAPES,
    N_COMPARED = 8,    /* matrices compared with LAPACK */
    N_DISTINCT = 4096, /* matrices that differ; larger batches repeat them */
    FEWEST = 16,       /* matrices of a call and thread: a tile of the widest lanes, twice */
    PLENTY = 10000,    /* matrices of a call, fewer of large ones */
};

static const struct {
    int side, rank;
    bool is_quick;
} shapes[N_SHAPES] = {{4, 3, false},   {6, 5, true},    {8, 7, false},   {12, 11, true},  {12, 12, false},
                      {16, 15, false}, {24, 23, false}, {32, 31, false}, {48, 47, false}, {64, 63, false}};

static const double peak_seconds = 0.02;

/* What is measured together: one batch of matrices and the rows that work on it. */
typedef struct group {
    sarrus_bench_matrices matrices;
    int32_t *max_rank; /* [count] the rank, for the method that asks for it */
    int n_threads;
    bool is_batch_size;
    double peak;                            /* flop/s, median of samples taken in between */
    int i_first, n_rows;                    /* of the report's rows */
    double *expected[SARRUS_BENCH_N_FORMS]; /* [N_COMPARED][side][side], [N_COMPARED][side] */
    sarrus_bench_numpy *numpy;
    uint64_t n_numpy; /* matrices that NumPy was given */
} group;

static void group_free(group *g) {
    free(g->matrices.a);
    free(g->matrices.b);
    free(g->matrices.x);
    free(g->max_rank);
    for (int form = 0; form < SARRUS_BENCH_N_FORMS; ++form)
        free(g->expected[form]);
}

static uint64_t smaller(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

static size_t x_size(const group *g, sarrus_bench_form form) {
    const size_t n = (size_t)g->matrices.side;
    return form == SARRUS_BENCH_EXPLICIT ? n * n : n;
}

/* Fills the batch; what the gate expects is dgesdd's A⁺ and that times b. */
static bool group_create(int side, int rank, uint64_t count, group *out) {
    const size_t n = (size_t)side, size = n * n;
    sarrus_bench_matrices *all = &out->matrices;
    *out = (group){.matrices = {.side = side, .rank = rank, .count = count}};
    all->a = malloc(count * size * sizeof *all->a);
    all->b = malloc(count * n * sizeof *all->b);
    all->x = malloc(count * size * sizeof *all->x);
    out->max_rank = malloc(count * sizeof *out->max_rank);
    out->expected[0] = malloc(N_COMPARED * size * sizeof(double));
    out->expected[1] = calloc(N_COMPARED * n, sizeof(double));
    if (!all->a || !all->b || !all->x || !out->max_rank || !out->expected[0] || !out->expected[1])
        return false;
    for (uint64_t i = 0; i < count; ++i) {
        out->max_rank[i] = rank;
        if (i < N_DISTINCT) {
            sarrus_bench_matrix_random(side, side, rank, matrix_condition, 7000 + i, all->a + i * size);
        } else {
            memcpy(all->a + i * size, all->a + (i - N_DISTINCT) * size, size * sizeof *all->a);
        }
        for (size_t k = 0; k < n; ++k)
            all->b[i * n + k] = sarrus_bench_normal(8, i % N_DISTINCT * n + k);
    }
    if (!sarrus_bench_lapack_run(SARRUS_BENCH_PEER_DGESDD, all, N_COMPARED, 1))
        return false;
    memcpy(out->expected[0], all->x, N_COMPARED * size * sizeof *all->x);
    for (size_t k = 0; k < N_COMPARED * size; ++k)
        out->expected[1][k / n] += all->x[k] * all->b[k / size * n + k % n];
    return true;
}

/* A pivot of A Aᵀ knows σ² to ε σ₁², so that σ below √(12 ε) σ₁ = 5e-8 σ₁ cannot be told from 0. */
static const double gram_tolerance = 1e-6;

static bool is_tikhonov(const sarrus_bench_speed_row *row) {
    return !row->is_peer && row->method == SARRUS_PINV_TIKHONOV;
}

double sarrus_bench_speed_tolerance_of(sarrus_pinv_method method) {
    const bool is_gram = method == SARRUS_PINV_CHOLESKY || method == SARRUS_PINV_NORMAL;
    return method == SARRUS_PINV_TIKHONOV ? tikhonov_tolerance : is_gram ? gram_tolerance : sarrus_bench_speed_tolerance;
}

/* One call on the first n_matrices. `n_sweeps` may be NULL. */
static sarrus_status call(sarrus_context *context, const group *g, const sarrus_bench_speed_row *row, uint64_t n_matrices,
                          double *n_sweeps) {
    if (row->is_peer)
        return sarrus_bench_lapack_run(row->peer, &g->matrices, n_matrices, row->n_threads) ? SARRUS_OK : SARRUS_NO_MEMORY;
    const sarrus_pinv_options options = {.method = row->method,
                                         .rank_method = SARRUS_RANK_RELATIVE,
                                         .rank_tolerance = sarrus_bench_speed_tolerance_of(row->method),
                                         .n_threads = row->n_threads};
    const bool is_apply = row->form == SARRUS_BENCH_APPLY;
    const sarrus_pinv_batch batch = {.n_matrices = n_matrices,
                                     .m = g->matrices.side,
                                     .n = g->matrices.side,
                                     .n_rhs = is_apply ? 1 : 0,
                                     .a = g->matrices.a,
                                     .b = is_apply ? g->matrices.b : NULL,
                                     .x = g->matrices.x,
                                     .max_rank = row->method == SARRUS_PINV_TRUNCATED ? g->max_rank : NULL,
                                     .n_sweeps = n_sweeps};
    return sarrus_pinv_compute(context, &options, &batch);
}

static bool is_numpy(const sarrus_bench_speed_row *row) {
    return row->is_peer && (row->peer == SARRUS_BENCH_PEER_NUMPY || row->peer == SARRUS_BENCH_PEER_NUMPY_SPLIT);
}

/* The first results in x against what is expected. */
static void judge(const group *g, const double *x, sarrus_bench_speed_row *row) {
    const size_t size = x_size(g, row->form);
    for (size_t i = 0; i < N_COMPARED; ++i) {
        double difference = 0.0, norm = 0.0;
        for (size_t k = 0; k < size; ++k) {
            const double expected = g->expected[row->form][i * size + k];
            difference += (x[i * size + k] - expected) * (x[i * size + k] - expected);
            norm += expected * expected;
        }
        const double deviation = sqrt(difference / norm);
        row->deviation = deviation <= row->deviation || isnan(row->deviation) ? row->deviation : deviation;
    }
    row->fails = !(row->deviation <= (is_tikhonov(row) ? tikhonov_deviation_bound : sarrus_bench_pinv_deviation_bound));
}

/* Seconds of the quickest of three calls: one alone may have waited for a thread that was not running. */
static sarrus_status time_quickest(sarrus_context *context, const group *g, const sarrus_bench_speed_row *row, uint64_t count,
                                   double *n_sweeps, double *seconds) {
    sarrus_status status = SARRUS_OK;
    *seconds = (double)INFINITY;
    for (int i = 0; i < 3 && status == SARRUS_OK; ++i) {
        const double start = sarrus_bench_now();
        status = call(context, g, row, count, n_sweeps);
        *seconds = fmin(*seconds, sarrus_bench_now() - start);
    }
    return status;
}

/* Warm calls on more and more matrices: how many the row gets a call, its sweeps, and its gate. */
static sarrus_status prepare(sarrus_context *context, const group *g, double seconds, sarrus_bench_speed_row *row) {
    /* Where a start of threads is slow it takes this share of the batch to see anything else. */
    const uint64_t least = (uint64_t)((double)g->matrices.count * fmin(1.0, 2.5 * seconds));
    const uint64_t few = FEWEST * (uint64_t)row->n_threads;
    uint64_t count = smaller(few > least ? few : least, g->matrices.count);
    double *n_sweeps = calloc((size_t)g->matrices.count, sizeof *n_sweeps), taken = 0.0;
    sarrus_status status = n_sweeps == NULL ? SARRUS_NO_MEMORY : time_quickest(context, g, row, count, n_sweeps, &taken);
    while (status == SARRUS_OK && !g->is_batch_size && taken < 0.2 * seconds && count < g->matrices.count) {
        count = smaller(2 * count, g->matrices.count);
        status = time_quickest(context, g, row, count, n_sweeps, &taken);
    }
    const double wanted = (double)count * seconds / taken;
    row->n_matrices = wanted < (double)count ? count : smaller((uint64_t)wanted, g->matrices.count);
    if (g->is_batch_size)
        row->n_matrices = g->matrices.count;
    for (uint64_t i = 0; status == SARRUS_OK && i < count; ++i)
        row->n_sweeps += n_sweeps[i] / (double)count;
    if (status == SARRUS_OK)
        judge(g, g->matrices.x, row);
    free(n_sweeps);
    return status;
}

/* One sample, matrices/s. */
static sarrus_status sample(sarrus_context *context, const group *g, double seconds, sarrus_bench_speed_row *row) {
    sarrus_status status = SARRUS_OK;
    double rate = (double)NAN;
    if (is_numpy(row)) {
        rate = sarrus_bench_numpy_time(g->numpy, seconds, row->peer == SARRUS_BENCH_PEER_NUMPY ? 1 : row->n_threads);
    } else {
        const double start = sarrus_bench_now();
        double now = start;
        uint64_t n_done = 0;
        while (status == SARRUS_OK && (n_done == 0 || now - start < seconds)) {
            status = call(context, g, row, row->n_matrices, NULL);
            n_done += row->n_matrices;
            now = sarrus_bench_now();
        }
        rate = (double)n_done / (now - start);
    }
    row->samples[row->n_samples++] = rate;
    return status;
}

static sarrus_bench_speed_row *add_row(sarrus_bench_pinv_report *report, group *g, sarrus_bench_form form) {
    if (report->n_rows == SARRUS_BENCH_MAX_SPEED_ROWS)
        return NULL;
    sarrus_bench_speed_row *row = &report->rows[report->n_rows++];
    *row = (sarrus_bench_speed_row){.form = form,
                                    .side = g->matrices.side,
                                    .rank = g->matrices.rank,
                                    .n_threads = g->n_threads,
                                    .is_batch_size = g->is_batch_size,
                                    .n_matrices = g->matrices.count};
    g->n_rows++;
    return row;
}

/* Methods and peers; where batch sizes are compared the slow reference path is not run on a million matrices. */
static void add_rows(sarrus_bench_pinv_report *report, group *g) {
    g->i_first = report->n_rows;
    g->n_rows = 0;
    for (int form = 0; form < SARRUS_BENCH_N_FORMS; ++form) {
        for (int peer = 0; peer < SARRUS_BENCH_N_PEERS && !g->is_batch_size; ++peer) {
            const bool is_explicit = peer <= SARRUS_BENCH_PEER_NUMPY_SPLIT;
            const bool is_there = (peer != SARRUS_BENCH_PEER_NUMPY || g->n_numpy > 0) &&
                                  (peer != SARRUS_BENCH_PEER_NUMPY_SPLIT || (g->n_numpy > 0 && g->n_threads > 1));
            sarrus_bench_speed_row *row =
                is_explicit == (form == SARRUS_BENCH_EXPLICIT) && is_there ? add_row(report, g, (sarrus_bench_form)form) : NULL;
            if (row != NULL) {
                row->is_peer = true;
                row->peer = (sarrus_bench_peer)peer;
            }
        }
        for (int i = 0; i < SARRUS_BENCH_N_SHOWN; ++i) {
            const bool is_there = !g->is_batch_size || sarrus_bench_methods[i] != SARRUS_PINV_LAPACK;
            sarrus_bench_speed_row *row = is_there ? add_row(report, g, (sarrus_bench_form)form) : NULL;
            if (row != NULL)
                row->method = sarrus_bench_methods[i];
        }
    }
}

/* Median of the ratios to the peer's samples, NaN when it has none. */
static double ratio_to(const sarrus_bench_pinv_report *report, const group *g, const sarrus_bench_speed_row *row,
                       sarrus_bench_peer peer) {
    double ratios[SARRUS_BENCH_PINV_REPETITIONS];
    for (int i = g->i_first; i < g->i_first + g->n_rows; ++i) {
        const sarrus_bench_speed_row *other = &report->rows[i];
        if (other->is_peer && other->peer == peer && !row->is_peer) {
            for (int r = 0; r < row->n_samples; ++r)
                ratios[r] = row->samples[r] / other->samples[r];
            return sarrus_bench_median(ratios, row->n_samples);
        }
    }
    return (double)NAN;
}

static void finish_row(const sarrus_bench_pinv_report *report, const group *g, sarrus_bench_speed_row *row) {
    double sorted[SARRUS_BENCH_PINV_REPETITIONS];
    memcpy(sorted, row->samples, sizeof sorted);
    row->rate = sarrus_bench_median(sorted, row->n_samples);
    const bool is_explicit = row->form == SARRUS_BENCH_EXPLICIT;
    row->to_numpy = is_explicit ? ratio_to(report, g, row, SARRUS_BENCH_PEER_NUMPY) : (double)NAN;
    row->to_dgesdd = is_explicit ? ratio_to(report, g, row, SARRUS_BENCH_PEER_DGESDD) : (double)NAN;
    row->to_dgelsd = is_explicit ? (double)NAN : ratio_to(report, g, row, SARRUS_BENCH_PEER_DGELSD);
    row->to_dgelsy = is_explicit ? (double)NAN : ratio_to(report, g, row, SARRUS_BENCH_PEER_DGELSY);
    row->flops = (double)NAN;
    if (!row->is_peer) {
        const sarrus_pinv_options options = {.method = row->method,
                                             .rank_method = SARRUS_RANK_RELATIVE,
                                             .rank_tolerance = sarrus_bench_speed_tolerance_of(row->method)};
        row->flops = sarrus_pinv_count_flops(&options, row->side, row->side, is_explicit ? 0 : 1, row->rank, row->n_sweeps);
    }
    row->peak_share = row->rate * row->flops / g->peak;
}

static sarrus_status measure_group(sarrus_context *context, sarrus_bench_pinv_report *report, group *g) {
    double peak_samples[SARRUS_BENCH_PINV_REPETITIONS];
    const double seconds = report->options->seconds;
    sarrus_status status = SARRUS_OK;
    add_rows(report, g);
    sarrus_bench_speed_row *rows = report->rows + g->i_first;
    for (int i = 0; i < g->n_rows && status == SARRUS_OK; ++i) {
        if (!is_numpy(&rows[i]))
            status = prepare(context, g, seconds, &rows[i]);
    }
    const int n_repetitions = g->is_batch_size && !report->options->quick ? 3 : report->options->n_repetitions;
    for (int r = 0; r < n_repetitions; ++r) {
        peak_samples[r] = sarrus_bench_fma_peak(report->isa, g->n_threads, peak_seconds);
        for (int i = 0; i < g->n_rows && status == SARRUS_OK; ++i)
            status = sample(context, g, seconds, &rows[i]);
    }
    g->peak = sarrus_bench_median(peak_samples, n_repetitions);
    for (int i = 0; i < g->n_rows && status == SARRUS_OK; ++i) {
        if (is_numpy(&rows[i])) {
            rows[i].n_matrices = g->n_numpy;
            double *x = malloc(N_COMPARED * x_size(g, SARRUS_BENCH_EXPLICIT) * sizeof *x);
            if (x != NULL && sarrus_bench_numpy_result(g->numpy, N_COMPARED * x_size(g, SARRUS_BENCH_EXPLICIT), x)) {
                judge(g, x, &rows[i]);
            } else {
                rows[i].fails = true;
            }
            free(x);
        }
        finish_row(report, g, &rows[i]);
    }
    return status;
}

/* One shape with one thread count. The peak of the machine is sampled in between; the largest median stands for it. */
static sarrus_status measure_shape(sarrus_context *context, sarrus_bench_pinv_report *report, group *g, int i_threads,
                                   sarrus_bench_numpy *numpy) {
    g->n_threads = report->options->thread_counts[i_threads];
    g->numpy = numpy;
    /* NumPy gets as many as take it about one sample, at a flop each nanosecond and 20 n³ flops. */
    const double cube = 20.0 * g->matrices.side * g->matrices.side * g->matrices.side;
    const double wanted = report->options->seconds / (cube * 1e-9 + 1e-5);
    g->n_numpy = smaller(wanted < N_COMPARED ? N_COMPARED : (uint64_t)wanted, g->matrices.count);
    if (g->is_batch_size || !sarrus_bench_numpy_load(numpy, &g->matrices, g->n_numpy))
        g->n_numpy = 0;
    const sarrus_status status = measure_group(context, report, g);
    report->peaks[i_threads] = fmax(report->peaks[i_threads], g->peak);
    return status;
}

static sarrus_status measure_shapes(sarrus_context *context, sarrus_bench_pinv_report *report, sarrus_bench_numpy *numpy) {
    sarrus_status status = SARRUS_OK;
    for (int i = 0; i < N_SHAPES && status == SARRUS_OK; ++i) {
        if (report->options->quick && !shapes[i].is_quick)
            continue;
        const uint64_t area = (uint64_t)(shapes[i].side * shapes[i].side);
        group g;
        status = group_create(shapes[i].side, shapes[i].rank, area <= 256 ? PLENTY : PLENTY * 256 / area, &g) ? SARRUS_OK
                                                                                                              : SARRUS_NO_MEMORY;
        for (int i_threads = 0; i_threads < report->options->n_thread_counts && status == SARRUS_OK; ++i_threads)
            status = measure_shape(context, report, &g, i_threads, &numpy[i_threads]);
        group_free(&g);
    }
    return status;
}

static sarrus_status measure_batch_sizes(sarrus_context *context, sarrus_bench_pinv_report *report) {
    sarrus_status status = SARRUS_OK;
    for (uint64_t count = 1000; count <= report->options->largest && status == SARRUS_OK; count *= 10) {
        group g;
        status = group_create(12, 11, count, &g) ? SARRUS_OK : SARRUS_NO_MEMORY;
        g.is_batch_size = true;
        if (status == SARRUS_OK)
            status = measure_shape(context, report, &g, 0, NULL);
        group_free(&g);
    }
    return status;
}

const sarrus_bench_speed_row *sarrus_bench_speed_find(const sarrus_bench_pinv_report *report, const sarrus_bench_speed_row *like) {
    for (int i = 0; i < report->n_rows; ++i) {
        const sarrus_bench_speed_row *row = &report->rows[i];
        const bool is_same_maker =
            row->is_peer == like->is_peer && (row->is_peer ? row->peer == like->peer : row->method == like->method);
        if (is_same_maker && row->form == like->form && row->side == like->side && row->rank == like->rank &&
            row->n_threads == like->n_threads && row->is_batch_size == like->is_batch_size &&
            (!row->is_batch_size || row->n_matrices == like->n_matrices)) {
            return row;
        }
    }
    return NULL;
}

sarrus_status sarrus_bench_pinv_speed(sarrus_context *context, sarrus_bench_pinv_report *report) {
    sarrus_bench_numpy numpy[SARRUS_BENCH_PINV_THREAD_COUNTS];
    for (int i = 0; i < report->options->n_thread_counts; ++i)
        sarrus_bench_numpy_start(report->options->thread_counts[i], &numpy[i]);
    snprintf(report->numpy, sizeof report->numpy, "%s", numpy[0].version);
    sarrus_status status = measure_shapes(context, report, numpy);
    for (int i = 0; i < report->options->n_thread_counts; ++i)
        sarrus_bench_numpy_stop(&numpy[i]);
    if (status == SARRUS_OK)
        status = sarrus_bench_pinv_tiles(report);
    if (status == SARRUS_OK)
        status = measure_batch_sizes(context, report);
    return status;
}

/* `sarrus bench pinv --backend cuda`: our kernels on matrices in the device's memory; cuSOLVER and Python's libraries beside them.
 */
#include "bench/pinv/cuda.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pinv/cuda_pinv.h"
#include "backend/isa.h"
#include "bench/measure/measure.h"
#include "bench/pinv/peers.h"

/* As in pinv_speed.c: singular values between 1/100 and 1. */
static const double matrix_condition = 100.0;

static const struct {
    int side, rank;
    bool is_quick;
} shapes[] = {{4, 3, true}, {6, 5, false}, {8, 7, false}, {12, 11, true}, {16, 15, false}, {24, 23, false}, {32, 31, false}};
enum { N_SHAPES = sizeof shapes / sizeof shapes[0] };

/* --- Batches ---------------------------------------------------------------------------------------------------------- */

static uint64_t smaller(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

static void batch_free(sarrus_bench_cuda_batch *batch) {
    sarrus_bench_cuda *cuda = batch->cuda;
    sarrus_bench_cuda_free(cuda, batch->a);
    sarrus_bench_cuda_free(cuda, batch->b);
    sarrus_bench_cuda_free(cuda, batch->x);
    sarrus_bench_cuda_free(cuda, batch->max_rank);
    sarrus_bench_cuda_free(cuda, batch->n_sweeps);
    free(batch->host_a);
    free(batch->host_b);
    free(batch->expected[0]);
    free(batch->expected[1]);
}

/* What LAPACK makes of the first matrices. */
static bool expect(sarrus_bench_cuda_batch *batch) {
    const size_t n = (size_t)batch->side, size = n * n, judged = SARRUS_BENCH_CUDA_JUDGED;
    double *x = malloc(judged * size * sizeof *x), *z = calloc(judged * n, sizeof *z);
    sarrus_bench_matrices matrices = {batch->side, batch->rank, judged, batch->host_a, batch->host_b, x};
    batch->expected[0] = x;
    batch->expected[1] = z;
    if (x == NULL || z == NULL || !sarrus_bench_lapack_run(SARRUS_BENCH_PEER_DGESDD, &matrices, judged, 1))
        return false;
    for (size_t k = 0; k < judged * size; ++k)
        z[k / n] += x[k] * batch->host_b[k / size * n + k % n];
    return true;
}

/* The distinct matrices one after another as often as they fit: every copy doubles what is there. */
static double *repeated(sarrus_bench_cuda *cuda, const double *host, size_t n_given, size_t n_wanted) {
    double *array = sarrus_bench_cuda_array(cuda, n_wanted * sizeof *array, NULL);
    double *given = sarrus_bench_cuda_array(cuda, n_given * sizeof *given, host);
    for (size_t at = 0; at < n_wanted && cuda->error == SARRUS_GPU_OK; at += n_given) {
        const size_t n_bytes = (n_wanted - at < n_given ? n_wanted - at : n_given) * sizeof *array;
        const sarrus_gpu_copy copy = {array + at, given, n_bytes, n_bytes, n_bytes, 1, SARRUS_GPU_ON_DEVICE};
        cuda->error = cuda->gpu->copy(&copy, cuda->stream);
    }
    if (cuda->error == SARRUS_GPU_OK)
        cuda->error = cuda->gpu->synchronize(cuda->stream);
    sarrus_bench_cuda_free(cuda, given);
    return array;
}

static bool batch_create(sarrus_bench_cuda *cuda, int side, int rank, uint64_t n_matrices, sarrus_bench_cuda_batch *out) {
    const size_t n = (size_t)side, size = n * n;
    *out = (sarrus_bench_cuda_batch){.cuda = cuda, .side = side, .rank = rank, .n_matrices = n_matrices};
    out->n_distinct = smaller(SARRUS_BENCH_CUDA_DISTINCT, n_matrices);
    const size_t n_made = out->n_distinct < SARRUS_BENCH_CUDA_JUDGED ? SARRUS_BENCH_CUDA_JUDGED : (size_t)out->n_distinct;
    out->host_a = malloc(n_made * size * sizeof(double));
    out->host_b = malloc(n_made * n * sizeof(double));
    if (out->host_a == NULL || out->host_b == NULL)
        return false;
    for (uint64_t i = 0; i < n_made; ++i)
        sarrus_bench_matrix_random(side, side, rank, matrix_condition, 7000 + i, out->host_a + i * size);
    for (uint64_t i = 0; i < n_made * n; ++i)
        out->host_b[i] = sarrus_bench_normal(8, i);
    out->a = repeated(cuda, out->host_a, out->n_distinct * size, n_matrices * size);
    out->b = repeated(cuda, out->host_b, out->n_distinct * n, n_matrices * n);
    out->x = sarrus_bench_cuda_array(cuda, n_matrices * size * sizeof(double), NULL);
    out->n_sweeps = sarrus_bench_cuda_array(cuda, n_matrices * sizeof(double), NULL);
    int32_t *ranks = malloc(n_matrices * sizeof *ranks);
    for (uint64_t i = 0; ranks != NULL && i < n_matrices; ++i)
        ranks[i] = rank;
    out->max_rank = ranks == NULL ? NULL : sarrus_bench_cuda_array(cuda, n_matrices * sizeof *ranks, ranks);
    free(ranks);
    return out->max_rank != NULL && expect(out);
}

/* --- Judgement -------------------------------------------------------------------------------------------------------- */

/* ‖a − b‖ of two products, or of a product and a matrix. */
static double distance(const double *a, const double *b, int count) {
    double sum = 0.0;
    for (int i = 0; i < count; ++i)
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sqrt(sum);
}

static double norm_of(const double *a, int count) {
    double sum = 0.0;
    for (int i = 0; i < count; ++i)
        sum += a[i] * a[i];
    return sqrt(sum);
}

static void product(const double *a, const double *b, int n, double *out) {
    for (int i = 0; i < n * n; ++i) {
        long double sum = 0.0L;
        for (int k = 0; k < n; ++k)
            sum += (long double)a[i / n * n + k] * (long double)b[k * n + i % n];
        out[i] = (double)sum;
    }
}

static double asymmetry(const double *a, int n) {
    double sum = 0.0;
    for (int i = 0; i < n * n; ++i) {
        const double difference = a[i] - a[i % n * n + i / n];
        sum += difference * difference;
    }
    return sqrt(sum);
}

/* The largest of the four residuals of multiprecision.h, in n ε. Products are rounded once from 64 bits: far below n ε. */
static double penrose_residual(const double *a, const double *x, int n) {
    double ax[32 * 32], xa[32 * 32], triple[32 * 32];
    const double norm_a = norm_of(a, n * n), norm_x = norm_of(x, n * n), unit = n * DBL_EPSILON;
    product(a, x, n, ax);
    product(x, a, n, xa);
    double worst = fmax(asymmetry(ax, n), asymmetry(xa, n)) / (norm_a * norm_x);
    product(ax, a, n, triple);
    worst = fmax(worst, distance(triple, a, n * n) / (norm_a * norm_a * norm_x));
    product(xa, x, n, triple);
    worst = fmax(worst, distance(triple, x, n * n) / (norm_a * norm_x * norm_x));
    return isfinite(norm_x) ? worst / unit : (double)NAN;
}

/* Comparisons are written so that a NaN is the worst of all. */
void sarrus_bench_cuda_judge(const sarrus_bench_cuda_batch *batch, const double *x, sarrus_bench_cuda_row *row) {
    const int n = batch->side, size = row->form == SARRUS_BENCH_EXPLICIT ? n * n : n;
    row->residual = row->form == SARRUS_BENCH_EXPLICIT ? 0.0 : (double)NAN;
    row->deviation = 0.0;
    for (uint64_t i = 0; i < smaller(SARRUS_BENCH_CUDA_JUDGED, row->n_matrices); ++i) {
        const double *expected = batch->expected[row->form] + i * (size_t)size;
        const double deviation = distance(x + i * (size_t)size, expected, size) / norm_of(expected, size);
        row->deviation = deviation <= row->deviation ? row->deviation : deviation;
        if (row->form == SARRUS_BENCH_EXPLICIT) {
            const double residual = penrose_residual(batch->host_a + i * (size_t)size, x + i * (size_t)size, n);
            row->residual = residual <= row->residual ? row->residual : residual;
        }
    }
    const bool is_accurate = row->form == SARRUS_BENCH_APPLY || !row->is_gated || row->residual <= sarrus_bench_residual_bound;
    row->fails = !(row->deviation <= sarrus_bench_pinv_deviation_bound) || !is_accurate;
}

/* --- Our own rows ----------------------------------------------------------------------------------------------------- */

sarrus_bench_cuda_row *sarrus_bench_cuda_row_add(sarrus_bench_cuda_report *report, const sarrus_bench_cuda_batch *batch,
                                                 sarrus_bench_maker maker, const char *name, sarrus_bench_form form) {
    if (report->n_rows == SARRUS_BENCH_CUDA_ROWS)
        return NULL;
    sarrus_bench_cuda_row *row = &report->rows[report->n_rows++];
    *row = (sarrus_bench_cuda_row){.maker = maker,
                                   .form = form,
                                   .side = batch->side,
                                   .rank = batch->rank,
                                   .i_batch = batch->i_batch,
                                   .n_matrices = batch->n_matrices,
                                   .variant = "",
                                   .flops = (double)NAN,
                                   .peak_share = (double)NAN,
                                   .memory_share = (double)NAN};
    snprintf(row->name, sizeof row->name, "%s", name);
    return row;
}

/* A launch, again and again. */
typedef struct native {
    sarrus_bench_cuda *cuda;
    sarrus_cuda_pinv_call call;
} native;

static int native_run(void *user) {
    const native *work = user;
    return work->cuda->gpu->pinv->run(&work->call);
}

/* The launch of a row; its work space is to be freed. */
static native native_create(const sarrus_bench_cuda_batch *batch, const sarrus_bench_cuda_row *row) {
    const bool is_explicit = row->form == SARRUS_BENCH_EXPLICIT;
    const sarrus_pinv_call shape = {.method = (int32_t)row->method,
                                    .m = batch->side,
                                    .n = batch->side,
                                    .n_rhs = is_explicit ? 0 : 1,
                                    .is_explicit = is_explicit,
                                    .rank_method = SARRUS_RANK_RELATIVE,
                                    .rank_tolerance = sarrus_bench_speed_tolerance_of(row->method)};
    size_t n_shared = 0;
    native out = {.cuda = batch->cuda,
                  .call = {.method = shape.method,
                           .m = shape.m,
                           .n = shape.n,
                           .n_rhs = shape.n_rhs,
                           .is_explicit = shape.is_explicit,
                           .rank_method = shape.rank_method,
                           .rank_tolerance = shape.rank_tolerance,
                           .n_matrices = batch->n_matrices,
                           .a = batch->a,
                           .b = is_explicit ? NULL : batch->b,
                           .x = batch->x,
                           .max_rank = row->method == SARRUS_PINV_TRUNCATED ? batch->max_rank : NULL,
                           .n_sweeps = batch->n_sweeps,
                           .stream = batch->cuda->stream}};
    if (batch->cuda->error == SARRUS_GPU_OK)
        batch->cuda->error = batch->cuda->gpu->pinv->resources(&out.call.n_slots, &n_shared);
    out.call.variant =
        row->maker == SARRUS_BENCH_THREADS ? SARRUS_CUDA_PINV_THREAD : (int32_t)sarrus_cuda_pinv_choose(&shape, n_shared);
    out.call.n_work_arrays = sarrus_cuda_pinv_work_arrays(&out.call, sarrus_isa_find_pinv(NULL)->work(&shape));
    const uint64_t n_tiles = (batch->n_matrices + SARRUS_CUDA_PINV_WIDTH - 1) / SARRUS_CUDA_PINV_WIDTH;
    out.call.n_slots = (int32_t)smaller((uint64_t)out.call.n_slots, n_tiles);
    if (out.call.variant == SARRUS_CUDA_PINV_THREAD) {
        const size_t n_work = (size_t)out.call.n_slots * (size_t)out.call.n_work_arrays * SARRUS_CUDA_PINV_WIDTH;
        out.call.work = sarrus_bench_cuda_array(batch->cuda, n_work * sizeof(double), NULL);
    }
    return out;
}

static void row_finish(const sarrus_bench_cuda_batch *batch, sarrus_bench_cuda_row *row) {
    double sorted[SARRUS_BENCH_CUDA_SAMPLES];
    const double n = batch->side, n_bytes = sizeof(double) * (row->form == SARRUS_BENCH_EXPLICIT ? 2.0 * n * n : n * n + 2.0 * n);
    memcpy(sorted, row->samples, sizeof sorted);
    row->rate = sarrus_bench_median(sorted, row->n_samples);
    row->peak_share = row->rate * row->flops / batch->cuda->flops;
    row->memory_share = row->rate * n_bytes / batch->cuda->bytes_per_second;
}

static double mean_sweeps(const sarrus_bench_cuda_batch *batch) {
    const size_t count = (size_t)batch->n_distinct;
    double *n_sweeps = calloc(count, sizeof *n_sweeps), sum = 0.0;
    if (n_sweeps != NULL)
        sarrus_bench_cuda_download(batch->cuda, batch->n_sweeps, count * sizeof *n_sweeps, n_sweeps);
    for (size_t i = 0; n_sweeps != NULL && i < count; ++i)
        sum += n_sweeps[i];
    free(n_sweeps);
    return sum / (double)count;
}

static void judge_device(const sarrus_bench_cuda_batch *batch, sarrus_bench_cuda_row *row) {
    const size_t n = (size_t)batch->side, size = row->form == SARRUS_BENCH_EXPLICIT ? n * n : n;
    const size_t count = (size_t)smaller(SARRUS_BENCH_CUDA_JUDGED, batch->n_matrices) * size;
    double *x = calloc(SARRUS_BENCH_CUDA_JUDGED * size, sizeof *x);
    if (x != NULL) {
        sarrus_bench_cuda_download(batch->cuda, batch->x, count * sizeof *x, x);
        sarrus_bench_cuda_judge(batch, x, row);
    } else {
        row->fails = true;
    }
    free(x);
}

static void native_measure(sarrus_bench_cuda_report *report, const sarrus_bench_cuda_batch *batch, sarrus_bench_maker maker,
                           sarrus_pinv_method method, sarrus_bench_form form) {
    sarrus_bench_cuda *cuda = batch->cuda;
    sarrus_bench_cuda_row *row = sarrus_bench_cuda_row_add(report, batch, maker, sarrus_pinv_method_word(method), form);
    if (row == NULL || cuda->error != SARRUS_GPU_OK)
        return;
    row->method = method;
    for (int i = 0; i < SARRUS_BENCH_N_GATED; ++i)
        row->is_gated = row->is_gated || sarrus_bench_methods[i] == method;
    native work = native_create(batch, row);
    row->variant = work.call.variant == SARRUS_CUDA_PINV_GROUP ? "group" : "thread";
    while (row->n_samples < report->options->n_repetitions && row->n_samples < SARRUS_BENCH_CUDA_SAMPLES &&
           cuda->error == SARRUS_GPU_OK) {
        row->samples[row->n_samples++] =
            (double)batch->n_matrices / sarrus_bench_cuda_time(cuda, report->options->seconds, native_run, &work);
    }
    row->n_sweeps = mean_sweeps(batch);
    const sarrus_pinv_options options = {
        .method = method, .rank_method = SARRUS_RANK_RELATIVE, .rank_tolerance = work.call.rank_tolerance};
    row->flops = sarrus_pinv_count_flops(&options, batch->side, batch->side, work.call.n_rhs, batch->rank, row->n_sweeps);
    judge_device(batch, row);
    row_finish(batch, row);
    sarrus_bench_cuda_free(cuda, work.call.work);
}

/* --- The whole -------------------------------------------------------------------------------------------------------- */

/* The methods whose results are A⁺ itself; Tikhonov's is not. */
static void measure_methods(sarrus_bench_cuda_report *report, const sarrus_bench_cuda_batch *batch, bool with_all) {
    for (int form = 0; form < SARRUS_BENCH_N_FORMS; ++form) {
        for (int i = 0; i < SARRUS_BENCH_N_SHOWN; ++i) {
            const sarrus_pinv_method method = sarrus_bench_methods[i];
            const bool is_main = method == SARRUS_PINV_SVD || method == SARRUS_PINV_JACOBI || method == SARRUS_PINV_HOUSEHOLDER;
            if (method == SARRUS_PINV_LAPACK || method == SARRUS_PINV_TIKHONOV || (!with_all && !is_main))
                continue;
            native_measure(report, batch, SARRUS_BENCH_SARRUS, method, (sarrus_bench_form)form);
            if (strcmp(report->rows[report->n_rows - 1].variant, "group") == 0)
                native_measure(report, batch, SARRUS_BENCH_THREADS, method, (sarrus_bench_form)form);
        }
    }
}

static bool measure_batch(sarrus_bench_cuda_report *report, int i_shape, uint64_t n_matrices, bool is_shape_row) {
    sarrus_bench_cuda_batch batch;
    const bool is_made = batch_create(&report->cuda, shapes[i_shape].side, shapes[i_shape].rank, n_matrices, &batch);
    batch.i_batch = report->n_batches++;
    if (is_made) {
        measure_methods(report, &batch, is_shape_row);
        sarrus_bench_cuda_library(report, &batch);
        if (!is_shape_row)
            sarrus_bench_cuda_peers(report, &batch);
    }
    batch_free(&batch);
    return is_made && report->cuda.error == SARRUS_GPU_OK;
}

static sarrus_status measure(sarrus_context *context, sarrus_bench_cuda_report *report) {
    bool good = true;
    sarrus_bench_cuda_measure_peaks(&report->cuda, report->options->quick ? 0.1 : 1.0);
    const uint64_t n_shape = report->options->quick ? 1000 : 100000;
    for (int i = 0; i < N_SHAPES && good; ++i) {
        if (shapes[i].is_quick || !report->options->quick)
            good = measure_batch(report, i, smaller(n_shape, report->options->largest), true);
    }
    for (uint64_t n = 1000; n <= report->options->largest && good; n *= 10)
        good = measure_batch(report, 3, n, false);
    const sarrus_status status = sarrus_bench_cuda_status(context, &report->cuda);
    return status == SARRUS_OK && !good ? SARRUS_NO_MEMORY : status;
}

sarrus_status sarrus_bench_pinv_cuda(sarrus_context *context, const sarrus_bench_pinv_options *options, FILE *file,
                                     int *n_failures) {
    sarrus_bench_cuda_report *report = calloc(1, sizeof *report);
    sarrus_status status = report == NULL ? SARRUS_NO_MEMORY : sarrus_bench_cuda_open(context, &report->cuda);
    if (status == SARRUS_OK) {
        report->options = options;
        status = report->cuda.gpu->pinv == NULL ? SARRUS_NO_BACKEND : measure(context, report);
        sarrus_bench_cuda_close(&report->cuda);
    }
    if (status == SARRUS_OK) {
        sarrus_bench_cuda_report_show(options->json ? NULL : stdout, options->json ? stdout : file, report);
        if (options->json && file != NULL)
            sarrus_bench_cuda_report_show(NULL, file, report);
        for (int i = 0; i < report->n_rows; ++i) {
            const sarrus_bench_cuda_row *row = &report->rows[i];
            *n_failures += row->fails && (row->maker == SARRUS_BENCH_SARRUS || row->maker == SARRUS_BENCH_THREADS);
        }
    }
    free(report);
    return status;
}

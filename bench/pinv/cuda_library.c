/* cuSOLVER's ways to the same pseudoinverses, and what they need besides:
 *
 *   gesvdjBatched   A = U Σ Vᵀ;  A⁺ = (V Σ⁺) Uᵀ                     weights, one product
 *   XsyevBatched    A Aᵀ = V Λ Vᵀ;  A⁺ = Aᵀ ((V Λ⁺) Vᵀ)             a product, weights, two products
 *
 * Both decompositions destroy their matrix; the copy that restores it is timed apart and taken off. Our row-major A is the
 * library's Aᵀ, and what it writes as (Aᵀ)⁺ is our A⁺. */
#include "bench/pinv/cuda.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cuda/cusolver.h"
#include "backend/cuda/gpu_yardstick.h"
#include "edge/kernel_places.h"
#include "bench/measure/measure.h"

/* σ that counts is above this share of the largest; λ = σ² of the Gram matrix knows no digits of σ below 1e-8. */
static const double gram_tolerance = 1e-6;

typedef struct library {
    const sarrus_bench_cuda_batch *batch;
    const sarrus_cusolver *table;
    sarrus_bench_library kind;
    void *solver, *params, *blas;
    int n, n_batch;
    long long stride; /* of a matrix */
    double *a, *s, *u, *v, *work;
    void *bytes, *host_bytes; /* of syev */
    size_t n_bytes, n_host_bytes;
    int n_work;
    int *info; /* device */
    int error; /* of the libraries: it ends these rows, and not the benchmark */
} library;

static int multiply(const library *lib, int op_a, int op_b, const double *a, const double *b, double *c) {
    const double one = 1.0, zero = 0.0;
    return lib->table->gemm(lib->blas, op_a, op_b, lib->n, lib->n, lib->n, &one, a, lib->n, lib->stride, b, lib->n, lib->stride,
                            &zero, c, lib->n, lib->stride, lib->n_batch);
}

static int weigh(const library *lib, double *v, double tolerance) {
    const sarrus_weigh_call call = {v, lib->s, lib->n, (uint64_t)lib->n_batch, tolerance, lib->batch->cuda->stream};
    return lib->batch->cuda->gpu->yardstick->weigh_columns(&call);
}

static int copy_matrices(const library *lib, const double *from, double *to) {
    const size_t n_bytes = (size_t)lib->n_batch * (size_t)lib->stride * sizeof *to;
    const sarrus_gpu_copy copy = {to, from, n_bytes, n_bytes, n_bytes, 1, SARRUS_GPU_ON_DEVICE};
    return lib->batch->cuda->gpu->copy(&copy, lib->batch->cuda->stream);
}

static int restore(void *user) {
    const library *lib = user;
    return lib->kind == SARRUS_BENCH_GESVDJ ? copy_matrices(lib, lib->batch->a, lib->a) : SARRUS_GPU_OK;
}

static int run_gesvdj(const library *lib) {
    const int n = lib->n;
    int error = lib->table->gesvdj(lib->solver, SARRUS_CUSOLVER_VECTORS, n, n, lib->a, n, lib->s, lib->u, n, lib->v, n, lib->work,
                                   lib->n_work, lib->info, lib->params, lib->n_batch);
    error = error != 0 ? error : weigh(lib, lib->v, sarrus_bench_speed_tolerance);
    return error != 0 ? error : multiply(lib, SARRUS_CUBLAS_PLAIN, SARRUS_CUBLAS_TURNED, lib->v, lib->u, lib->batch->x);
}

/* a holds the Gram matrix, then V; u the weighed V; v the inverse. */
static int run_syev(const library *lib) {
    int error = multiply(lib, SARRUS_CUBLAS_PLAIN, SARRUS_CUBLAS_TURNED, lib->batch->a, lib->batch->a, lib->a);
    if (error == 0) {
        error = lib->table->syev(lib->solver, lib->params, SARRUS_CUSOLVER_VECTORS, SARRUS_CUBLAS_LOWER, lib->n, SARRUS_CUDA_DOUBLE,
                                 lib->a, lib->n, SARRUS_CUDA_DOUBLE, lib->s, SARRUS_CUDA_DOUBLE, lib->bytes, lib->n_bytes,
                                 lib->host_bytes, lib->n_host_bytes, lib->info, lib->n_batch);
    }
    error = error != 0 ? error : copy_matrices(lib, lib->a, lib->u);
    error = error != 0 ? error : weigh(lib, lib->u, gram_tolerance * gram_tolerance);
    error = error != 0 ? error : multiply(lib, SARRUS_CUBLAS_PLAIN, SARRUS_CUBLAS_TURNED, lib->u, lib->a, lib->v);
    return error != 0 ? error : multiply(lib, SARRUS_CUBLAS_TURNED, SARRUS_CUBLAS_PLAIN, lib->batch->a, lib->v, lib->batch->x);
}

static int run(void *user) {
    library *lib = user;
    const int error = restore(user);
    if (error == SARRUS_GPU_OK && lib->error == 0)
        lib->error = lib->kind == SARRUS_BENCH_GESVDJ ? run_gesvdj(lib) : run_syev(lib);
    return error;
}

static int open_gesvdj(library *lib) {
    const sarrus_cusolver *t = lib->table;
    int error = t->gesvdj_params_create(&lib->params);
    error = error != 0 ? error : t->gesvdj_set_sort(lib->params, 1);
    error = error != 0 ? error
                       : t->gesvdj_size(lib->solver, SARRUS_CUSOLVER_VECTORS, lib->n, lib->n, lib->a, lib->n, lib->s, lib->u,
                                        lib->n, lib->v, lib->n, &lib->n_work, lib->params, lib->n_batch);
    lib->work = error != 0 ? NULL : sarrus_bench_cuda_array(lib->batch->cuda, (size_t)lib->n_work * sizeof(double), NULL);
    return error;
}

static int open_syev(library *lib) {
    const sarrus_cusolver *t = lib->table;
    int error = t->syev_params_create(&lib->params);
    error = error != 0 ? error
                       : t->syev_size(lib->solver, lib->params, SARRUS_CUSOLVER_VECTORS, SARRUS_CUBLAS_LOWER, lib->n,
                                      SARRUS_CUDA_DOUBLE, lib->a, lib->n, SARRUS_CUDA_DOUBLE, lib->s, SARRUS_CUDA_DOUBLE,
                                      &lib->n_bytes, &lib->n_host_bytes, lib->n_batch);
    lib->bytes = error != 0 ? NULL : sarrus_bench_cuda_array(lib->batch->cuda, lib->n_bytes, NULL);
    lib->host_bytes = malloc(lib->n_host_bytes + 1);
    return error;
}

/* Handles and arrays; the library's error, 0 when all is there (the device's own is in the batch's). */
static int library_open(const sarrus_bench_cuda_batch *batch, const sarrus_cusolver *table, sarrus_bench_library kind,
                        library *out) {
    sarrus_bench_cuda *cuda = batch->cuda;
    const size_t n = (size_t)batch->side, n_numbers = (size_t)batch->n_matrices * n * n;
    *out = (library){.batch = batch,
                     .table = table,
                     .kind = kind,
                     .n = batch->side,
                     .n_batch = (int)batch->n_matrices,
                     .stride = (long long)(n * n)};
    out->a = sarrus_bench_cuda_array(cuda, n_numbers * sizeof(double), NULL);
    out->u = sarrus_bench_cuda_array(cuda, n_numbers * sizeof(double), NULL);
    out->v = sarrus_bench_cuda_array(cuda, n_numbers * sizeof(double), NULL);
    out->s = sarrus_bench_cuda_array(cuda, (size_t)batch->n_matrices * n * sizeof(double), NULL);
    out->info = sarrus_bench_cuda_array(cuda, (size_t)batch->n_matrices * sizeof(int), NULL);
    int error = table->create(&out->solver);
    error = error != 0 ? error : table->set_stream(out->solver, cuda->stream);
    error = error != 0 ? error : table->blas_create(&out->blas);
    error = error != 0 ? error : table->blas_set_stream(out->blas, cuda->stream);
    error = error != 0 ? error : table->blas_set_math_mode(out->blas, SARRUS_CUBLAS_PEDANTIC);
    return error != 0 ? error : kind == SARRUS_BENCH_GESVDJ ? open_gesvdj(out) : open_syev(out);
}

static void library_close(library *lib) {
    sarrus_bench_cuda *cuda = lib->batch->cuda;
    void *const arrays[] = {lib->a, lib->u, lib->v, lib->s, lib->info, lib->work, lib->bytes};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; ++i)
        sarrus_bench_cuda_free(cuda, arrays[i]);
    free(lib->host_bytes);
    if (lib->params != NULL)
        (void)(lib->kind == SARRUS_BENCH_GESVDJ ? lib->table->gesvdj_params_destroy : lib->table->syev_params_destroy)(lib->params);
    if (lib->solver != NULL)
        (void)lib->table->destroy(lib->solver);
    if (lib->blas != NULL)
        (void)lib->table->blas_destroy(lib->blas);
}

/* What the library says of its convergence, and what came out. */
static void look(const library *lib, sarrus_bench_cuda_row *row) {
    const size_t count = (size_t)lib->n_batch, n_judged = count < SARRUS_BENCH_CUDA_JUDGED ? count : SARRUS_BENCH_CUDA_JUDGED;
    int *info = calloc(count, sizeof *info);
    double *x = calloc(SARRUS_BENCH_CUDA_JUDGED * (size_t)lib->stride, sizeof *x);
    if (info != NULL && x != NULL) {
        sarrus_bench_cuda_download(lib->batch->cuda, lib->info, count * sizeof *info, info);
        sarrus_bench_cuda_download(lib->batch->cuda, lib->batch->x, n_judged * (size_t)lib->stride * sizeof *x, x);
        sarrus_bench_cuda_judge(lib->batch, x, row);
    }
    for (size_t i = 0; info != NULL && i < count; ++i)
        row->n_not_converged += info[i] != 0;
    free(info);
    free(x);
}

static void measure(sarrus_bench_cuda_report *report, library *lib, const char *name) {
    sarrus_bench_cuda *cuda = lib->batch->cuda;
    sarrus_bench_cuda_row *row = sarrus_bench_cuda_row_add(report, lib->batch, SARRUS_BENCH_CUSOLVER, name, SARRUS_BENCH_EXPLICIT);
    double sorted[SARRUS_BENCH_CUDA_SAMPLES];
    while (row != NULL && row->n_samples < report->options->n_repetitions && row->n_samples < SARRUS_BENCH_CUDA_SAMPLES &&
           cuda->error == SARRUS_GPU_OK && lib->error == 0) {
        const double copied =
            lib->kind == SARRUS_BENCH_GESVDJ ? sarrus_bench_cuda_time(cuda, 0.2 * report->options->seconds, restore, lib) : 0.0;
        const double whole = sarrus_bench_cuda_time(cuda, report->options->seconds, run, lib);
        row->samples[row->n_samples++] = lib->n_batch / (whole - copied);
    }
    if (row != NULL && lib->error != 0) {
        report->n_rows--;
        snprintf(report->library, sizeof report->library, "%s of %d matrices: the library returned %d", name, lib->n_batch,
                 lib->error);
    } else if (row != NULL && cuda->error == SARRUS_GPU_OK) {
        look(lib, row);
        memcpy(sorted, row->samples, sizeof sorted);
        row->rate = sarrus_bench_median(sorted, row->n_samples);
    }
}

void sarrus_bench_cuda_library(sarrus_bench_cuda_report *report, const sarrus_bench_cuda_batch *batch) {
    static const char *const names[SARRUS_BENCH_N_LIBRARY] = {"gesvdjBatched", "XsyevBatched"};
    sarrus_fallback_reason note = {{0}};
    sarrus_kernel_places places;
    sarrus_kernel_places_find(&places);
    const sarrus_cusolver *table = sarrus_cusolver_find(places.cuda, &note);
    if (table == NULL || batch->cuda->gpu->yardstick == NULL) {
        snprintf(report->library, sizeof report->library, "%s", table == NULL ? note.text : "this build has no kernels for it");
        return;
    }
    for (int kind = 0; kind < SARRUS_BENCH_N_LIBRARY && batch->cuda->error == SARRUS_GPU_OK; ++kind) {
        library lib;
        if (kind == SARRUS_BENCH_SYEV && table->syev == NULL) {
            snprintf(report->library, sizeof report->library, "this release of cuSOLVER has no XsyevBatched");
            continue;
        }
        const int error = library_open(batch, table, (sarrus_bench_library)kind, &lib);
        if (batch->cuda->error == SARRUS_GPU_NO_MEMORY) { /* of its arrays, beside ours: the others go on */
            batch->cuda->error = SARRUS_GPU_OK;
            snprintf(report->library, sizeof report->library, "%s of %d matrices: out of memory", names[kind], lib.n_batch);
        } else if (error != 0) {
            snprintf(report->library, sizeof report->library, "%s: the library returned %d", names[kind], error);
        } else {
            measure(report, &lib, names[kind]);
        }
        library_close(&lib);
    }
}

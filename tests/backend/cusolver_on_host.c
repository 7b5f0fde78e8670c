#include "tests/backend/cusolver_on_host.h"

#include <lapacke.h>
#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/backend/gpu_on_host.h"

enum { ALLOC_FAILED = 2, INVALID_VALUE = 3, LARGEST = 32 };

typedef enum handle_kind { SOLVER = 11, PRODUCTS, GESVDJ_PARAMS, SYEV_PARAMS } handle_kind;

typedef struct handle {
    handle_kind kind;
    void *stream;
    int is_sorted;
} handle;

static cusolver_on_host_settings settings;
static cusolver_on_host_tally tally; /* several threads call, each with handles of its own */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void cusolver_on_host_reset(const cusolver_on_host_settings *wanted) {
    settings = *wanted;
    (void)pthread_mutex_lock(&lock);
    tally = (cusolver_on_host_tally){0};
    (void)pthread_mutex_unlock(&lock);
}

cusolver_on_host_tally cusolver_on_host_seen(void) {
    (void)pthread_mutex_lock(&lock);
    const cusolver_on_host_tally seen = tally;
    (void)pthread_mutex_unlock(&lock);
    return seen;
}

static void tally_add(int *what, int n) {
    (void)pthread_mutex_lock(&lock);
    *what += n;
    (void)pthread_mutex_unlock(&lock);
}

static int misuse(const char *what) {
    (void)fprintf(stderr, "cuSOLVER on host: %s\n", what);
    tally_add(&tally.n_misuses, 1);
    return INVALID_VALUE;
}

/* --- Handles ------------------------------------------------------------------------------------------------------------------ */

static int handle_create(handle_kind kind, void **out) {
    *out = NULL;
    if (settings.is_without_memory)
        return kind == PRODUCTS ? 3 : ALLOC_FAILED;
    handle *h = calloc(1, sizeof *h);
    if (!h)
        abort();
    h->kind = kind;
    *out = h;
    tally_add(&tally.n_handles, 1);
    return 0;
}

static int handle_destroy(handle_kind kind, void *which) {
    handle *h = which;
    if (!h || h->kind != kind)
        return misuse("a handle of another kind given back");
    tally_add(&tally.n_handles, -1);
    free(h);
    return 0;
}

static int stream_set(handle_kind kind, void *which, void *stream) {
    handle *h = which;
    if (!h || h->kind != kind)
        return misuse("the stream of a handle of another kind");
    h->stream = stream;
    return 0;
}

static int create(void **out) {
    return handle_create(SOLVER, out);
}
static int destroy(void *h) {
    return handle_destroy(SOLVER, h);
}
static int set_stream(void *h, void *stream) {
    return stream_set(SOLVER, h, stream);
}
static int blas_create(void **out) {
    return handle_create(PRODUCTS, out);
}
static int blas_destroy(void *h) {
    return handle_destroy(PRODUCTS, h);
}
static int blas_set_stream(void *h, void *stream) {
    return stream_set(PRODUCTS, h, stream);
}
static int gesvdj_params_create(void **out) {
    return handle_create(GESVDJ_PARAMS, out);
}
static int gesvdj_params_destroy(void *params) {
    return handle_destroy(GESVDJ_PARAMS, params);
}
static int syev_params_create(void **out) {
    return handle_create(SYEV_PARAMS, out);
}
static int syev_params_destroy(void *params) {
    return handle_destroy(SYEV_PARAMS, params);
}
static int gesvdj_set_sort(void *params, int is_sorted) {
    ((handle *)params)->is_sorted = is_sorted;
    return 0;
}
static int blas_set_math_mode(void *h, int mode) {
    return ((handle *)h)->kind == PRODUCTS && mode == 2 ? 0 : misuse("a mode other than pedantic");
}

static void *stream_of(handle_kind kind, void *which) {
    const handle *h = which;
    if (!h || h->kind != kind || !h->stream) {
        (void)misuse("no handle, or one without a stream");
        return NULL;
    }
    return h->stream;
}

/* --- Factorizations ----------------------------------------------------------------------------------------------------------- */

typedef struct factor_argument {
    int m, n, n_batch;
    double *a, *s, *u, *v;
    int *info;
    long first; /* of these members, counted from the reset */
} factor_argument;

static bool is_every(int every, long i) {
    return every > 0 && i % every == every - 1;
}

static void spoil(double *x, int n) {
    for (int i = 0; i < n; ++i)
        x[i] = (double)NAN;
}

static void gesvdj_one(const factor_argument *f, int i, double *vt, double *rest) {
    const int m = f->m, n = f->n, count = m < n ? m : n;
    double *a = f->a + (size_t)i * (size_t)(m * n), *s = f->s + (size_t)i * (size_t)count;
    double *u = f->u + (size_t)i * (size_t)(m * m), *v = f->v + (size_t)i * (size_t)(n * n);
    f->info[i] = 0;
    if (is_every(settings.every_unconverged, f->first + i)) {
        f->info[i] = count + 1;
        spoil(s, count);
        spoil(u, m * m);
        spoil(v, n * n);
        tally_add(&tally.n_unconverged, 1);
    } else if (LAPACKE_dgesvd(LAPACK_COL_MAJOR, 'A', 'A', m, n, a, m, s, u, m, vt, n, rest) != 0) {
        f->info[i] = count + 1;
    }
    for (int k = 0; k < n && f->info[i] == 0; ++k)
        for (int j = 0; j < n; ++j)
            v[j + k * n] = vt[k + j * n];
    if (f->info[i] == 0 && is_every(settings.every_wrong, f->first + i)) {
        u[0] += 1e-3;
        tally_add(&tally.n_wrong, 1);
    }
    spoil(a, m * n);
}

static void gesvdj_run(const void *argument) {
    const factor_argument *f = argument;
    double vt[LARGEST * LARGEST], rest[LARGEST];
    for (int i = 0; i < f->n_batch; ++i)
        gesvdj_one(f, i, vt, rest);
}

static int queue(void *stream, void (*run)(const void *), factor_argument *f) {
    (void)pthread_mutex_lock(&lock);
    ++tally.n_calls;
    f->first = tally.n_members;
    tally.n_members += f->n_batch;
    (void)pthread_mutex_unlock(&lock);
    const int error = gpu_on_host_launch(stream, run, f, sizeof *f);
    return error == 0 ? settings.status : 7; /* CUSOLVER_STATUS_INTERNAL_ERROR */
}

static int gesvdj_size(void *h, int jobz, int m, int n, const double *a, int lda, const double *s, const double *u, int ldu,
                       const double *v, int ldv, int *n_work, void *params, int n_batch) {
    (void)a, (void)s, (void)u, (void)v;
    if (((handle *)h)->kind != SOLVER || ((handle *)params)->kind != GESVDJ_PARAMS)
        return misuse("handles of gesvdjBatched_bufferSize");
    if (jobz != 1 || m < 1 || n < 1 || m > LARGEST || n > LARGEST || lda < m || ldu < m || ldv < n || n_batch < 1)
        return misuse("arguments of gesvdjBatched_bufferSize");
    *n_work = n_batch * (m + n);
    return 0;
}

static int gesvdj(void *h, int jobz, int m, int n, double *a, int lda, double *s, double *u, int ldu, double *v, int ldv,
                  double *work, int n_work, int *info, void *params, int n_batch) {
    void *stream = stream_of(SOLVER, h);
    const size_t batch = (size_t)n_batch * sizeof(double);
    const int count = m < n ? m : n;
    if (!stream || ((handle *)params)->kind != GESVDJ_PARAMS || !((handle *)params)->is_sorted)
        return misuse("handles of gesvdjBatched");
    if (jobz != 1 || m < 1 || n < 1 || m > LARGEST || n > LARGEST || lda != m || ldu != m || ldv != n || n_batch < 1)
        return misuse("arguments of gesvdjBatched");
    if (n_work < n_batch * (m + n) || !gpu_on_host_check(work, (size_t)n_work * sizeof *work))
        return misuse("work space of gesvdjBatched");
    if (!gpu_on_host_check(a, batch * (size_t)(m * n)) || !gpu_on_host_check(s, batch * (size_t)count) ||
        !gpu_on_host_check(u, batch * (size_t)(m * m)) || !gpu_on_host_check(v, batch * (size_t)(n * n)) ||
        !gpu_on_host_check(info, (size_t)n_batch * sizeof *info))
        return misuse("memory of gesvdjBatched");
    factor_argument f = {m, n, n_batch, a, s, u, v, info, 0};
    return queue(stream, gesvdj_run, &f);
}

static void syev_run(const void *argument) {
    const factor_argument *f = argument;
    const int n = f->n;
    for (int i = 0; i < f->n_batch; ++i) {
        double *a = f->a + (size_t)i * (size_t)(n * n), *w = f->s + (size_t)i * (size_t)n;
        f->info[i] = 0;
        if (is_every(settings.every_unconverged, f->first + i)) {
            f->info[i] = 1;
            spoil(a, n * n);
            tally_add(&tally.n_unconverged, 1);
            continue;
        }
        f->info[i] = LAPACKE_dsyev(LAPACK_COL_MAJOR, 'V', 'L', n, a, n, w);
        if (is_every(settings.every_wrong, f->first + i)) {
            w[n - 1] *= 1.001;
            tally_add(&tally.n_wrong, 1);
        }
    }
}

static int syev_size(void *h, void *params, int jobz, int uplo, int64_t n, int type_a, const void *a, int64_t lda, int type_w,
                     const void *w, int type, size_t *n_device, size_t *n_host, int64_t n_batch) {
    (void)a, (void)w;
    if (((handle *)h)->kind != SOLVER || ((handle *)params)->kind != SYEV_PARAMS)
        return misuse("handles of XsyevBatched_bufferSize");
    if (jobz != 1 || uplo != 0 || n < 1 || type_a != 1 || lda < n || type_w != 1 || type != 1 || n_batch < 1)
        return misuse("arguments of XsyevBatched_bufferSize");
    *n_device = (size_t)(n_batch * n) * sizeof(double);
    *n_host = 64;
    return 0;
}

static int syev(void *h, void *params, int jobz, int uplo, int64_t n, int type_a, void *a, int64_t lda, int type_w, void *w,
                int type, void *device, size_t n_device, void *host, size_t n_host, int *info, int64_t n_batch) {
    void *stream = stream_of(SOLVER, h);
    const size_t batch = (size_t)n_batch * (size_t)n * sizeof(double);
    if (!stream || ((handle *)params)->kind != SYEV_PARAMS)
        return misuse("handles of XsyevBatched");
    if (jobz != 1 || uplo != 0 || n < 1 || type_a != 1 || lda != n || type_w != 1 || type != 1 || n_batch < 1)
        return misuse("arguments of XsyevBatched");
    if (n_device < batch || !gpu_on_host_check(device, n_device) || !host || n_host < 64)
        return misuse("work space of XsyevBatched");
    if (!gpu_on_host_check(a, batch * (size_t)n) || !gpu_on_host_check(w, batch) ||
        !gpu_on_host_check(info, (size_t)n_batch * sizeof *info))
        return misuse("memory of XsyevBatched");
    factor_argument f = {(int)n, (int)n, (int)n_batch, a, w, NULL, NULL, info, 0};
    return queue(stream, syev_run, &f);
}

/* --- Products ----------------------------------------------------------------------------------------------------------------- */

/* C = op(A) op(B), α = 1 and β = 0: what is asked for here. */
typedef struct product_argument {
    int is_turned_a, is_turned_b, m, n, k, lda, ldb, ldc, n_batch;
    long long stride_a, stride_b, stride_c;
    const double *a, *b;
    double *c;
} product_argument;

static void product_run(const void *argument) {
    const product_argument *p = argument;
    for (long long i = 0; i < p->n_batch; ++i) {
        const double *a = p->a + i * p->stride_a, *b = p->b + i * p->stride_b;
        double *c = p->c + i * p->stride_c;
        for (int column = 0; column < p->n; ++column) {
            for (int row = 0; row < p->m; ++row) {
                double sum = 0.0;
                for (int k = 0; k < p->k; ++k)
                    sum += (p->is_turned_a ? a[k + row * p->lda] : a[row + k * p->lda]) *
                           (p->is_turned_b ? b[column + k * p->ldb] : b[k + column * p->ldb]);
                c[row + column * p->ldc] = sum;
            }
        }
    }
}

static int queue_product(void *h, const product_argument *p, const double *alpha, const double *beta) {
    void *stream = stream_of(PRODUCTS, h);
    const size_t last = (size_t)p->n_batch - 1;
    if (!stream || *alpha != 1.0 || *beta != 0.0 || p->n_batch < 1)
        return misuse("arguments of a product");
    const size_t n_a = last * (size_t)p->stride_a + (size_t)(p->is_turned_a ? p->m * p->lda : p->k * p->lda);
    const size_t n_b = last * (size_t)p->stride_b + (size_t)(p->is_turned_b ? p->k * p->ldb : p->n * p->ldb);
    const size_t n_c = last * (size_t)p->stride_c + (size_t)(p->n * p->ldc);
    if (!gpu_on_host_check(p->a, n_a * sizeof *p->a) || !gpu_on_host_check(p->b, n_b * sizeof *p->b) ||
        !gpu_on_host_check(p->c, n_c * sizeof *p->c))
        return misuse("memory of a product");
    return gpu_on_host_launch(stream, product_run, p, sizeof *p) == 0 ? 0 : 14; /* CUBLAS_STATUS_INTERNAL_ERROR */
}

static int gemm(void *h, int op_a, int op_b, int m, int n, int k, const double *alpha, const double *a, int lda, long long stride_a,
                const double *b, int ldb, long long stride_b, const double *beta, double *c, int ldc, long long stride_c,
                int n_batch) {
    const product_argument p = {op_a, op_b, m, n, k, lda, ldb, ldc, n_batch, stride_a, stride_b, stride_c, a, b, c};
    if (ldc < m || lda < (op_a ? k : m) || ldb < (op_b ? n : k))
        return misuse("leading dimensions of a product");
    return queue_product(h, &p, alpha, beta);
}

static int gemv(void *h, int op, int m, int n, const double *alpha, const double *a, int lda, long long stride_a, const double *x,
                int inc_x, long long stride_x, const double *beta, double *y, int inc_y, long long stride_y, int n_batch) {
    const int n_out = op ? n : m, n_in = op ? m : n;
    const product_argument p = {op, 0, n_out, 1, n_in, lda, n_in, n_out, n_batch, stride_a, stride_x, stride_y, a, x, y};
    if (lda < m || inc_x != 1 || inc_y != 1)
        return misuse("steps of a product");
    return queue_product(h, &p, alpha, beta);
}

const sarrus_cusolver cusolver_on_host = {
    .create = create,
    .destroy = destroy,
    .set_stream = set_stream,
    .gesvdj_params_create = gesvdj_params_create,
    .gesvdj_params_destroy = gesvdj_params_destroy,
    .gesvdj_set_sort = gesvdj_set_sort,
    .gesvdj_size = gesvdj_size,
    .gesvdj = gesvdj,
    .syev_params_create = syev_params_create,
    .syev_params_destroy = syev_params_destroy,
    .syev_size = syev_size,
    .syev = syev,
    .blas_create = blas_create,
    .blas_destroy = blas_destroy,
    .blas_set_stream = blas_set_stream,
    .blas_set_math_mode = blas_set_math_mode,
    .gemm = gemm,
    .gemv = gemv,
};

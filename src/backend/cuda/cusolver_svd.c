#include "backend/cuda/cusolver_svd.h"

#include <limits.h>
#include <stdlib.h>

/* Part of a batch. The libraries count elements in an int, and releases of cuBLAS have had a grid of 65535 members at most; as many
 * fill any device. */
enum { LARGEST_PART = 65535 };
typedef struct batch_part {
    const sarrus_staged_arrays *at;
    size_t first; /* slot */
    int m, n, n_slots;
} batch_part;

static int smaller(int a, int b) {
    return a < b ? a : b;
}

/* Memory that ran out inside of a library is memory that ran out. */
static int solver_error(int status) {
    const int alloc_failed = 2; /* CUSOLVER_STATUS_ALLOC_FAILED */
    return status == 0 ? 0 : status == alloc_failed ? SARRUS_GPU_NO_MEMORY : SARRUS_STAGED_CUSOLVER_ERROR + status;
}
static int product_error(int status) {
    const int alloc_failed = 3; /* CUBLAS_STATUS_ALLOC_FAILED */
    return status == 0 ? 0 : status == alloc_failed ? SARRUS_GPU_NO_MEMORY : SARRUS_STAGED_CUBLAS_ERROR + status;
}

int sarrus_cusolver_svd_open(sarrus_cusolver_svd *svd, void *stream) {
    const sarrus_cusolver *f = svd->table;
    int error = solver_error(f->create(&svd->solver));
    if (error == 0)
        error = product_error(f->blas_create(&svd->products));
    if (error == 0)
        error = solver_error(svd->is_gram ? f->syev_params_create(&svd->params) : f->gesvdj_params_create(&svd->params));
    if (error == 0 && !svd->is_gram)
        error = solver_error(f->gesvdj_set_sort(svd->params, 1));
    if (error == 0)
        error = product_error(f->blas_set_math_mode(svd->products, SARRUS_CUBLAS_PEDANTIC));
    if (error == 0)
        error = solver_error(f->set_stream(svd->solver, stream));
    if (error == 0)
        error = product_error(f->blas_set_stream(svd->products, stream));
    return error;
}

void sarrus_cusolver_svd_close(sarrus_cusolver_svd *svd) {
    const sarrus_cusolver *f = svd->table;
    if (svd->work)
        (void)svd->gpu->release(svd->work);
    if (svd->params)
        (void)(svd->is_gram ? f->syev_params_destroy(svd->params) : f->gesvdj_params_destroy(svd->params));
    if (svd->products)
        (void)f->blas_destroy(svd->products);
    if (svd->solver)
        (void)f->destroy(svd->solver);
    free(svd->host_work);
    svd->work = svd->host_work = svd->params = svd->products = svd->solver = NULL;
    svd->n_work = svd->n_host_work = 0;
}

/* The part of the call's batch that begins at slot `first`. */
static batch_part part_of(const sarrus_staged_call *call, int first) {
    const int m = call->m, n = call->base.mech->n_v, larger = m > n ? m : n;
    const int n_most = smaller(LARGEST_PART, INT_MAX / (larger * larger));
    return (batch_part){&call->arrays, (size_t)first, m, n, smaller(call->n_slots - first, n_most)};
}

static size_t elements(const batch_part *part, int n_each) {
    return part->first * (size_t)n_each;
}

static int work_sizes(const sarrus_cusolver_svd *svd, const batch_part *part, size_t *n_device, size_t *n_host) {
    const sarrus_cusolver *f = svd->table;
    const sarrus_staged_arrays *at = part->at;
    const int m = part->m, n = part->n;
    int n_work = 0, error;
    *n_device = *n_host = 0;
    if (svd->is_gram) {
        error = f->syev_size(svd->solver, svd->params, SARRUS_CUSOLVER_VECTORS, SARRUS_CUBLAS_LOWER, m, SARRUS_CUDA_DOUBLE,
                             at->scratch, m, SARRUS_CUDA_DOUBLE, at->sigma, SARRUS_CUDA_DOUBLE, n_device, n_host, part->n_slots);
    } else {
        error = f->gesvdj_size(svd->solver, SARRUS_CUSOLVER_VECTORS, m, n, at->scratch, m, at->sigma, at->u, m, at->v, n, &n_work,
                               svd->params, part->n_slots);
        *n_device = (size_t)(n_work > 0 ? n_work : 0) * sizeof(double);
    }
    return solver_error(error);
}

int sarrus_cusolver_svd_reserve(sarrus_cusolver_svd *svd, const sarrus_staged_call *call) {
    const batch_part part = part_of(call, 0);
    size_t n_device, n_host;
    int error = work_sizes(svd, &part, &n_device, &n_host);
    if (error == 0 && n_host > svd->n_host_work) {
        free(svd->host_work);
        svd->host_work = malloc(n_host);
        svd->n_host_work = svd->host_work ? n_host : 0;
        error = svd->host_work ? 0 : SARRUS_GPU_NO_MEMORY;
    }
    if (error != 0 || n_device <= svd->n_work)
        return error;
    error = svd->gpu->synchronize(call->base.stream);
    if (error == 0 && svd->work)
        error = svd->gpu->release(svd->work);
    svd->work = NULL;
    svd->n_work = 0;
    if (error == 0)
        error = svd->gpu->allocate(&svd->work, n_device);
    svd->n_work = error == 0 ? n_device : 0;
    return error;
}

/* y = op(A) x for every slot of a part; A m×n. */
typedef struct vector_product {
    const double *a;
    int m, n, op;
    int n_a; /* from one A to the next */
    const double *x;
    int n_x; /* from one x to the next */
    double *y;
    int n_y;
} vector_product;

static int multiply(const sarrus_cusolver_svd *svd, const batch_part *part, const vector_product *p) {
    const double one = 1.0, zero = 0.0;
    return product_error(svd->table->gemv(svd->products, p->op, p->m, p->n, &one, p->a, p->m, p->n_a, p->x, 1, p->n_x, &zero, p->y,
                                          1, p->n_y, part->n_slots));
}

static int factor_gram(const sarrus_cusolver_svd *svd, const batch_part *part) {
    const sarrus_staged_arrays *at = part->at;
    const sarrus_cusolver *f = svd->table;
    const double one = 1.0, zero = 0.0;
    const int m = part->m, n = part->n;
    double *gram = at->scratch + elements(part, m * m);
    const double *d = at->d + elements(part, m * n);
    int error = product_error(f->gemm(svd->products, SARRUS_CUBLAS_PLAIN, SARRUS_CUBLAS_TURNED, m, m, n, &one, d, m,
                                      (long long)m * n, d, m, (long long)m * n, &zero, gram, m, (long long)m * m, part->n_slots));
    if (error == 0) {
        error = solver_error(f->syev(svd->solver, svd->params, SARRUS_CUSOLVER_VECTORS, SARRUS_CUBLAS_LOWER, m, SARRUS_CUDA_DOUBLE,
                                     gram, m, SARRUS_CUDA_DOUBLE, at->sigma + elements(part, m), SARRUS_CUDA_DOUBLE, svd->work,
                                     svd->n_work, svd->host_work, svd->n_host_work, at->info + part->first, part->n_slots));
    }
    return error;
}

static int factor_svd(const sarrus_cusolver_svd *svd, const batch_part *part) {
    const sarrus_staged_arrays *at = part->at;
    const int m = part->m, n = part->n;
    const size_t n_work = svd->n_work / sizeof(double);
    return solver_error(svd->table->gesvdj(svd->solver, SARRUS_CUSOLVER_VECTORS, m, n, at->scratch + elements(part, m * n), m,
                                           at->sigma + elements(part, smaller(m, n)), at->u + elements(part, m * m), m,
                                           at->v + elements(part, n * n), n, svd->work, n_work > INT_MAX ? INT_MAX : (int)n_work,
                                           at->info + part->first, svd->params, part->n_slots));
}

int sarrus_cusolver_svd_factor(const sarrus_cusolver_svd *svd, const sarrus_staged_call *call) {
    const sarrus_staged_arrays *at = &call->arrays;
    int error = 0;
    for (int first = 0; error == 0 && first < call->n_slots;) {
        const batch_part part = part_of(call, first);
        const int m = part.m;
        const double *u = (svd->is_gram ? at->scratch : at->u) + elements(&part, m * m);
        const vector_product turn = {
            u, m, m, SARRUS_CUBLAS_TURNED, m * m, at->b + elements(&part, m), m, at->c + elements(&part, m), m};
        error = svd->is_gram ? factor_gram(svd, &part) : factor_svd(svd, &part);
        if (error == 0)
            error = multiply(svd, &part, &turn);
        first += part.n_slots;
    }
    return error;
}

int sarrus_cusolver_svd_combine(const sarrus_cusolver_svd *svd, const sarrus_staged_call *call) {
    const sarrus_staged_arrays *at = &call->arrays;
    int error = 0;
    for (int first = 0; error == 0 && first < call->n_slots;) {
        const batch_part part = part_of(call, first);
        const int m = part.m, n = part.n;
        double *c = at->c + elements(&part, m), *z = at->z + elements(&part, n);
        if (svd->is_gram) {
            double *y = at->y + elements(&part, m);
            const vector_product turn_back = {at->scratch + elements(&part, m * m), m, m, SARRUS_CUBLAS_PLAIN, m * m, c, m, y, m};
            const vector_product spread = {at->d + elements(&part, m * n), m, n, SARRUS_CUBLAS_TURNED, m * n, y, m, z, n};
            error = multiply(svd, &part, &turn_back);
            if (error == 0)
                error = multiply(svd, &part, &spread);
        } else {
            const vector_product spread = {
                at->v + elements(&part, n * n), n, smaller(m, n), SARRUS_CUBLAS_PLAIN, n * n, c, m, z, n};
            error = multiply(svd, &part, &spread);
        }
        first += part.n_slots;
    }
    return error;
}

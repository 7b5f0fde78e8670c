/* cuSOLVER's batched factorizations and cuBLAS's batched products as a table of functions. The libraries are loaded when they are
 * asked for: neither a build nor a start of the program needs them, and tests put a table of their own in their place.
 *
 * Types are plain: handles are void *, enumerations int, as they are passed anyway; tests/backend/cusolver_prototypes.cpp holds
 * every member against the prototype in the toolkit's headers. All return 0 when done. Matrices are column-major. */
#ifndef SARRUS_BACKEND_CUDA_CUSOLVER_H
#define SARRUS_BACKEND_CUDA_CUSOLVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/fallback_reason.h"

/* The values of the libraries' enumerations that are used. */
enum {
    SARRUS_CUSOLVER_VECTORS = 1, /* CUSOLVER_EIG_MODE_VECTOR */
    SARRUS_CUBLAS_PLAIN = 0,     /* CUBLAS_OP_N */
    SARRUS_CUBLAS_TURNED = 1,    /* CUBLAS_OP_T */
    SARRUS_CUBLAS_LOWER = 0,     /* CUBLAS_FILL_MODE_LOWER */
    SARRUS_CUBLAS_PEDANTIC = 2,  /* CUBLAS_PEDANTIC_MATH: FP64 by FP64, whatever a later release may emulate it with */
    SARRUS_CUDA_DOUBLE = 1       /* CUDA_R_64F */
};

/* cusolverDnDgesvdjBatched takes no more rows or columns. */
enum { SARRUS_GESVDJ_LARGEST = 32 };

/* Sizes of the work space of gesvdj_batched, in doubles. */
typedef int sarrus_gesvdj_size(void *handle, int jobz, int m, int n, const double *a, int lda, const double *s, const double *u,
                               int ldu, const double *v, int ldv, int *n_work, void *params, int n_batch);

/* A = U Σ Vᵀ: a [n_batch][n][lda] destroyed, s [n_batch][min(m, n)], u [n_batch][m][ldu], v [n_batch][n][ldv] (V, not Vᵀ; there is
 * no economy size). info [n_batch]: 0, or min(m, n) + 1 where it has not converged. */
typedef int sarrus_gesvdj(void *handle, int jobz, int m, int n, double *a, int lda, double *s, double *u, int ldu, double *v,
                          int ldv, double *work, int n_work, int *info, void *params, int n_batch);

/* Bytes on the device and on the host. */
typedef int sarrus_syev_size(void *handle, void *params, int jobz, int uplo, int64_t n, int type_a, const void *a, int64_t lda,
                             int type_w, const void *w, int type, size_t *n_device, size_t *n_host, int64_t n_batch);

/* A = V Λ Vᵀ: a [n_batch][n][lda] becomes V, w [n_batch][n] rising; info [n_batch]: 0, or > 0 where it has not converged. */
typedef int sarrus_syev(void *handle, void *params, int jobz, int uplo, int64_t n, int type_a, void *a, int64_t lda, int type_w,
                        void *w, int type, void *device, size_t n_device, void *host, size_t n_host, int *info, int64_t n_batch);

/* C = α op(A) op(B) + β C and y = α op(A) x + β y for every member of a batch; α and β in host memory. */
typedef int sarrus_gemm(void *handle, int op_a, int op_b, int m, int n, int k, const double *alpha, const double *a, int lda,
                        long long stride_a, const double *b, int ldb, long long stride_b, const double *beta, double *c, int ldc,
                        long long stride_c, int n_batch);
typedef int sarrus_gemv(void *handle, int op, int m, int n, const double *alpha, const double *a, int lda, long long stride_a,
                        const double *x, int inc_x, long long stride_x, const double *beta, double *y, int inc_y,
                        long long stride_y, int n_batch);

/* cusolver.def says which function of the libraries each member is. */
typedef struct sarrus_cusolver {
    int (*create)(void **handle);
    int (*destroy)(void *handle);
    int (*set_stream)(void *handle, void *stream);
    int (*gesvdj_params_create)(void **params);
    int (*gesvdj_params_destroy)(void *params);
    int (*gesvdj_set_sort)(void *params, int is_sorted);
    sarrus_gesvdj_size *gesvdj_size;
    sarrus_gesvdj *gesvdj;
    int (*syev_params_create)(void **params);
    int (*syev_params_destroy)(void *params);
    sarrus_syev_size *syev_size; /* NULL, as the next: this release has none (they came with CUDA 12.6) */
    sarrus_syev *syev;
    int (*blas_create)(void **handle);
    int (*blas_destroy)(void *handle);
    int (*blas_set_stream)(void *handle, void *stream);
    int (*blas_set_math_mode)(void *handle, int mode);
    sarrus_gemm *gemm;
    sarrus_gemv *gemv;
} sarrus_cusolver;

/* The libraries, loaded once and for good from where sarrus_cuda_library_open looks, `prefixes` included; or the table that a test
 * has put in their place. NULL, with a reason that says what could not be had, when they are missing or too old. */
const sarrus_cusolver *sarrus_cusolver_find(const char *prefixes, sarrus_fallback_reason *reason);

/* For tests: takes their place from now on; NULL gives it back. Not while a batch exists. */
void sarrus_cusolver_replace(const sarrus_cusolver *table);

/* From libraries of these paths or names (NULL: those that are known to do, as above), into *out. False with a reason when they are
 * missing or too old. */
bool sarrus_cusolver_load(const char *cusolver, const char *cublas, const char *prefixes, sarrus_cusolver *out,
                          sarrus_fallback_reason *reason);

#endif

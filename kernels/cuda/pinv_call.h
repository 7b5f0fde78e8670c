/* A call of the pseudoinverse methods on a CUDA device. Matrices lie in device memory as they lie on the host, one
 * after another and row-major; a warp takes 32 of them at a time into its own piece of the work space. */
#ifndef SARRUS_CUDA_PINV_CALL_H
#define SARRUS_CUDA_PINV_CALL_H

#include <stddef.h>
#include <stdint.h>

enum { SARRUS_CUDA_PINV_WIDTH = 32, SARRUS_CUDA_PINV_THREADS = 64 };

/* How the matrices of a launch are shared out. */
typedef enum sarrus_cuda_pinv_variant {
    SARRUS_CUDA_PINV_THREAD = 0, /* a thread a matrix: the bodies of kernels/pinv */
    SARRUS_CUDA_PINV_GROUP = 1,  /* some threads a matrix, in shared memory (pinv_group_qr.cuh) */
} sarrus_cuda_pinv_variant;

/* All arrays are device memory; none may overlap another. */
typedef struct sarrus_cuda_pinv_call {
    int32_t method; /* sarrus_pinv_method; a method of the lanes */
    int32_t m, n, n_rhs, is_explicit;
    int32_t rank_method; /* sarrus_rank_method */
    double rank_tolerance;
    uint64_t n_matrices;
    const double *a;         /* [n_matrices][m][n] */
    const double *b;         /* [n_matrices][m][n_rhs]; NULL with the explicit form */
    double *x;               /* [n_matrices][n][n_rhs] | [n_matrices][n][m] out */
    const int32_t *max_rank; /* [n_matrices] 0 … min(m, n); NULL: min(m, n) */
    const double *violation; /* [n_matrices]; NULL: 0 */
    int32_t *rank;           /* [n_matrices] out; NULL: not wanted, as the three that follow */
    double *kept, *dropped;  /* [n_matrices] out */
    double *n_sweeps;        /* [n_matrices] out */
    double *work;            /* [n_slots][n_work_arrays][32]; not used by the group variant */
    uint64_t n_work_arrays;  /* sarrus_cuda_pinv_work_arrays */
    int32_t n_slots;         /* warps at work at once */
    int32_t variant;         /* sarrus_cuda_pinv_variant */
    void *stream;            /* cudaStream_t; NULL: the default one */
} sarrus_cuda_pinv_call;

/* Lane arrays of a slot: a, b, x, and n_scratch of the method (sarrus_pinv_kernels.work of any CPU table). */
static inline uint64_t sarrus_cuda_pinv_work_arrays(const sarrus_cuda_pinv_call *call, uint64_t n_scratch) {
    const int32_t n_columns = call->is_explicit ? call->m : call->n_rhs;
    return (uint64_t)call->m * (uint64_t)(call->n + call->n_rhs) + (uint64_t)call->n * (uint64_t)n_columns + n_scratch;
}

#endif

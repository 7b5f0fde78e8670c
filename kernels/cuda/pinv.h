/* The pseudoinverse methods on a CUDA device, as the host calls them. Matrices lie in device memory as they lie on the host, one
 * after another and row-major; a warp takes 32 of them at a time into its own piece of the work space. Callable from C. */
#ifndef SARRUS_CUDA_PINV_H
#define SARRUS_CUDA_PINV_H

#include <stddef.h>
#include <stdint.h>

enum { SARRUS_CUDA_PINV_WIDTH = 32, SARRUS_CUDA_PINV_THREADS = 64 };

/* How the matrices of a launch are shared out. */
typedef enum sarrus_cuda_pinv_variant {
    SARRUS_CUDA_PINV_THREAD = 0, /* a thread a matrix: the bodies of kernels/pinv */
    SARRUS_CUDA_PINV_GROUP = 1,  /* some threads a matrix, in shared memory (pinv_group.cuh) */
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

#ifdef __cplusplus
extern "C" {
#endif

/* As in gpu_pinv.h; returns a cudaError_t. */
int sarrus_cuda_pinv_resources(int32_t *n_slots, size_t *n_shared);

/* The group variant: `svd`, of at most 64 rows and columns and as many right sides as fit into a multiprocessor
 * (pinv_group_layout.h says what they take). */
int sarrus_cuda_pinv_group(const sarrus_cuda_pinv_call *call);

/* Queues the kernel and returns its launch error as a cudaError_t (0: queued); does not wait for it. A matrix with a NaN or an
 * infinity gives NaN and rank 0, a B with one gives NaN. */
int sarrus_cuda_pinv(const sarrus_cuda_pinv_call *call);

#ifdef __cplusplus
}
#endif

#endif

/* What a device is measured by, and the one product that a library's decomposition still needs before it is a pseudoinverse:
 * kernels of benchmarks alone. All are queued and return the launch's error as a cudaError_t. Callable from C. */
#ifndef SARRUS_CUDA_YARDSTICK_H
#define SARRUS_CUDA_YARDSTICK_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Threads of a multiply-add launch for each multiprocessor, and multiply-adds of a thread in a round: independent chains, each as
 * long as what the latency of one hides. */
enum { SARRUS_YARDSTICK_THREADS = 256, SARRUS_YARDSTICK_CHAINS = 8, SARRUS_YARDSTICK_LINKS = 16 };

/* n_blocks · 256 threads take n_rounds · 8 · 16 fused multiply-adds each; out [n_blocks][256]. */
int sarrus_cuda_multiply_adds(double *out, int32_t n_blocks, uint64_t n_rounds, void *stream);

/* to[i] ← from[i], `count` numbers. */
int sarrus_cuda_copy_numbers(const double *from, double *to, uint64_t count, void *stream);

/* Column k of each v [n_batch][n][n] (column-major), times 1/s_k where s_k > tolerance · largest of s, else 0; s [n_batch][n]. */
typedef struct sarrus_weigh_call {
    double *v;
    const double *s;
    int32_t n;
    uint64_t n_batch;
    double tolerance;
    void *stream;
} sarrus_weigh_call;
int sarrus_cuda_weigh_columns(const sarrus_weigh_call *call);

#ifdef __cplusplus
}
#endif

#endif

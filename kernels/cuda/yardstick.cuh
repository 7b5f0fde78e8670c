/* The kernels of yardstick.h, as a device and the host both take them. */
#ifndef SARRUS_CUDA_YARDSTICK_CUH
#define SARRUS_CUDA_YARDSTICK_CUH

#include "kernels/cuda/yardstick.h"

static const int32_t YARDSTICK_COPY_BLOCKS = 4096; /* waves of blocks on any device, so that the last one does not show */

/* x ← 0.999 x + 0.001 stays where it is and no compiler can know it. */
static __global__ void __launch_bounds__(SARRUS_YARDSTICK_THREADS, 1)
    multiply_adds_kernel(double *out, uint64_t n_rounds, double factor, double term) {
    double x[SARRUS_YARDSTICK_CHAINS];
    for (int32_t c = 0; c < SARRUS_YARDSTICK_CHAINS; ++c)
        x[c] = 1.0 + c * factor;
    for (uint64_t round = 0; round < n_rounds; ++round) {
#pragma unroll
        for (int32_t link = 0; link < SARRUS_YARDSTICK_LINKS; ++link) {
#pragma unroll
            for (int32_t c = 0; c < SARRUS_YARDSTICK_CHAINS; ++c)
                x[c] = fma(x[c], factor, term);
        }
    }
    double sum = 0.0;
    for (int32_t c = 0; c < SARRUS_YARDSTICK_CHAINS; ++c)
        sum += x[c];
    out[blockIdx.x * SARRUS_YARDSTICK_THREADS + threadIdx.x] = sum;
}

static __global__ void __launch_bounds__(SARRUS_YARDSTICK_THREADS, 1)
    copy_kernel(const double *from, double *to, uint64_t count, uint64_t n_threads) {
    for (uint64_t i = (uint64_t)blockIdx.x * SARRUS_YARDSTICK_THREADS + threadIdx.x; i < count; i += n_threads)
        to[i] = from[i];
}

/* A thread a column. */
static __global__ void __launch_bounds__(SARRUS_YARDSTICK_THREADS, 1) weigh_kernel(const __grid_constant__ sarrus_weigh_call call) {
    const uint64_t i = (uint64_t)blockIdx.x * SARRUS_YARDSTICK_THREADS + threadIdx.x, n = (uint64_t)call.n;
    if (i >= call.n_batch * n)
        return;
    const double *s = call.s + i / n * n;
    double largest = 0.0;
    for (int32_t k = 0; k < call.n; ++k)
        largest = largest < s[k] ? s[k] : largest;
    const double own = s[i % n], factor = call.tolerance * largest < own ? 1.0 / own : 0.0;
    for (int32_t k = 0; k < call.n; ++k)
        call.v[i * n + (uint64_t)k] *= factor;
}

#endif

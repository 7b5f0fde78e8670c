/* CUDA's words for the host's C++ compiler: kernels/cuda as code of the host, its threads one after another. The arithmetic and the
 * layout of the arrays are those of a device, so that what a device would compute can be looked at without one. */
#ifndef TESTS_BACKEND_CUDA_SHIM_H
#define TESTS_BACKEND_CUDA_SHIM_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define __device__
#define __global__
#define __grid_constant__
#define __launch_bounds__(n_threads, n_blocks)
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))

struct place_in_launch {
    unsigned x;
};
static thread_local place_in_launch blockIdx, threadIdx;

/* A device rounds it in its own way; here it is that of the instruction set avx2. */
static inline double rsqrt(double x) {
    return 1.0 / sqrt(x);
}
static inline long long __double_as_longlong(double x) {
    long long bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}
static inline double __longlong_as_double(long long bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

#define SARRUS_LANE_HEADER "kernels/lane/lane_cuda.h"

#endif

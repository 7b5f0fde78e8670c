/* CUDA's words for the host's C++ compiler: kernels/cuda as code of the host, its threads one after another. The arithmetic and the
 * layout of the arrays are those of a device, so that what a device would compute can be looked at without one. */
#ifndef TESTS_BACKEND_CUDA_SHIM_H
#define TESTS_BACKEND_CUDA_SHIM_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define __device__
#define __host__
#define __shared__
#define __global__
#define __grid_constant__
#define __launch_bounds__(...)
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))

struct place_in_launch {
    unsigned x;
};
static thread_local place_in_launch blockIdx, threadIdx;

static inline int32_t atomicAdd(int32_t *number, int32_t amount) {
    const int32_t before = *number;
    *number += amount;
    return before;
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
static inline int __float_as_int(float x) {
    int bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}
static inline float __int_as_float(int bits) {
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

#define SARRUS_LANE_HEADER "kernels/lane/lane_cuda.h"

#endif

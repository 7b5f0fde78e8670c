/* kernels/cuda/specialized.cu as code of the host, its threads one after another: the arithmetic and the layout of the arrays are
 * those of a device, so that what a device would compute can be looked at without one. */
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
static place_in_launch blockIdx, threadIdx;

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
#define SARRUS_BLOCK_THREADS 64
#define SARRUS_BLOCKS 4
#include "kernels/cuda/specialized.cu"

extern "C" void advance_on_host(double *tiles, double *workspace, uint64_t n_workspace_arrays, int32_t n_tiles,
                                const sarrus_clock *clock, uint64_t n_steps) {
    const unsigned n_blocks = (unsigned)(n_tiles * LANE_WIDTH + SARRUS_BLOCK_THREADS - 1) / SARRUS_BLOCK_THREADS;
    for (blockIdx.x = 0; blockIdx.x < n_blocks; ++blockIdx.x)
        for (threadIdx.x = 0; threadIdx.x < SARRUS_BLOCK_THREADS; ++threadIdx.x)
            sarrus_specialized_advance(tiles, workspace, n_workspace_arrays, n_tiles, *clock, n_steps);
}

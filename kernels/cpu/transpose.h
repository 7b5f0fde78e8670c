/* Dense matrices one after another ↔ lanes: element k of matrix l is first[l·count + k] outside and tile[k·W + l] inside. W×W
 * blocks are transposed in registers, so both sides are read and written by whole vectors. */
#ifndef SARRUS_CPU_TRANSPOSE_H
#define SARRUS_CPU_TRANSPOSE_H

#include "kernels/lane/lane.h"

/* A vector at any address of a double. */
typedef real real_anywhere __attribute__((aligned(8), may_alias));

/* Exchanges what stands in the places of `a` whose bit d is set with what stands in those of `b` whose bit d is not: done for
 * every bit and all pairs of vectors that differ in it, that is the transposition. */
#if SARRUS_LANE_WIDTH == 8
LANE_FUNCTION void exchange_4(real *a, real *b) {
    real x = *a, y = *b;
    *a = __builtin_shufflevector(x, y, 0, 1, 2, 3, 8, 9, 10, 11);
    *b = __builtin_shufflevector(x, y, 4, 5, 6, 7, 12, 13, 14, 15);
}
LANE_FUNCTION void exchange_2(real *a, real *b) {
    real x = *a, y = *b;
    *a = __builtin_shufflevector(x, y, 0, 1, 8, 9, 4, 5, 12, 13);
    *b = __builtin_shufflevector(x, y, 2, 3, 10, 11, 6, 7, 14, 15);
}
LANE_FUNCTION void exchange_1(real *a, real *b) {
    real x = *a, y = *b;
    *a = __builtin_shufflevector(x, y, 0, 8, 2, 10, 4, 12, 6, 14);
    *b = __builtin_shufflevector(x, y, 1, 9, 3, 11, 5, 13, 7, 15);
}
#elif SARRUS_LANE_WIDTH == 4
LANE_FUNCTION void exchange_2(real *a, real *b) {
    real x = *a, y = *b;
    *a = __builtin_shufflevector(x, y, 0, 1, 4, 5);
    *b = __builtin_shufflevector(x, y, 2, 3, 6, 7);
}
LANE_FUNCTION void exchange_1(real *a, real *b) {
    real x = *a, y = *b;
    *a = __builtin_shufflevector(x, y, 0, 4, 2, 6);
    *b = __builtin_shufflevector(x, y, 1, 5, 3, 7);
}
#else
LANE_FUNCTION void exchange_1(real *a, real *b) {
    real x = *a, y = *b;
    *a = __builtin_shufflevector(x, y, 0, 2);
    *b = __builtin_shufflevector(x, y, 1, 3);
}
#endif

/* x[l] ↔ element l of all. */
LANE_FUNCTION void block_transpose(real x[SARRUS_LANE_WIDTH]) {
#if SARRUS_LANE_WIDTH == 8
    for (int i = 0; i < 4; ++i)
        exchange_4(&x[i], &x[i + 4]);
#endif
#if SARRUS_LANE_WIDTH >= 4
    for (int i = 0; i < SARRUS_LANE_WIDTH; i += 4) {
        exchange_2(&x[i], &x[i + 2]);
        exchange_2(&x[i + 1], &x[i + 3]);
    }
#endif
    for (int i = 0; i < SARRUS_LANE_WIDTH; i += 2)
        exchange_1(&x[i], &x[i + 1]);
}

/* Fills a tile from n_lanes matrices; further lanes repeat the last one. spoilt [W]: NaN for a lane with a NaN or an infinity, 0
 * for the others. */
static void kernel_pinv_pack(const double *first, size_t count, int32_t n_lanes, double *tile, double *spoilt) {
    enum { W = SARRUS_LANE_WIDTH };
    const double *source[W];
    real x[W], bad[W];
    for (int l = 0; l < W; ++l) {
        source[l] = first + (size_t)(l < n_lanes ? l : n_lanes - 1) * count;
        bad[l] = real_set(0.0);
    }
    size_t k = 0;
    for (; k + W <= count; k += W) {
        for (int l = 0; l < W; ++l)
            x[l] = *(const real_anywhere *)(const void *)(source[l] + k);
        block_transpose(x);
        for (int l = 0; l < W; ++l) {
            ((real *)(void *)tile)[k + (size_t)l] = x[l];
            bad[l] = real_fma(x[l], real_set(0.0), bad[l]);
        }
    }
    for (; k < count; ++k) {
        for (int l = 0; l < W; ++l)
            tile[k * W + (size_t)l] = source[l][k];
        bad[0] = real_fma(((real *)(void *)tile)[k], real_set(0.0), bad[0]);
    }
    for (int l = 1; l < W; ++l)
        bad[0] = bad[0] + bad[l];
    *(real_anywhere *)(void *)spoilt = bad[0];
}

/* The first n_lanes of a tile back to matrices. */
static void kernel_pinv_unpack(const double *tile, size_t count, int32_t n_lanes, double *first) {
    enum { W = SARRUS_LANE_WIDTH };
    real x[W];
    size_t k = 0;
    for (; n_lanes == W && k + W <= count; k += W) {
        for (int l = 0; l < W; ++l)
            x[l] = ((const real *)(const void *)tile)[k + (size_t)l];
        block_transpose(x);
        for (int l = 0; l < W; ++l)
            *(real_anywhere *)(void *)(first + (size_t)l * count + k) = x[l];
    }
    for (; k < count; ++k) {
        for (int l = 0; l < n_lanes; ++l)
            first[(size_t)l * count + k] = tile[k * W + (size_t)l];
    }
}

#endif

#include "backend/single_tile.h"

size_t sarrus_single_tile_arrays(const sarrus_mechanism *mech) {
    return (size_t)mech->layout.n_arrays + (size_t)mech->n_q + (size_t)mech->n_v;
}

/* One half of the lanes of n arrays: what is left of the doubles beside their floats. */
static void carry_take(const double *from, const float *rounded, int32_t n, int32_t width, float *to) {
    for (int32_t i = 0; i < n; ++i) {
        for (int32_t lane = 0; lane < width; ++lane)
            to[i * 2 * width + lane] = (float)(from[i * width + lane] - (double)rounded[i * 2 * width + lane]);
    }
}
static void carry_give(const float *from, int32_t n, int32_t width, double *to) {
    for (int32_t i = 0; i < n; ++i) {
        for (int32_t lane = 0; lane < width; ++lane)
            to[i * width + lane] += (double)from[i * 2 * width + lane];
    }
}

void sarrus_single_tile_take(const sarrus_single_tiles *how, const double *tiles, int32_t n, uint64_t step, float *to) {
    const sarrus_mechanism *mech = how->mech;
    const sarrus_tile_layout *at = &mech->layout;
    const int32_t width = how->width, wide = 2 * width;
    for (int32_t half = 0; half < 2; ++half) {
        const double *from = tiles + (size_t)(half < n ? half : 0) * (size_t)at->n_arrays * (size_t)width;
        float *begin = to + half * width, *carry = begin + (ptrdiff_t)at->n_arrays * wide;
        for (int32_t i = 0; i < at->n_arrays; ++i) {
            for (int32_t lane = 0; lane < width; ++lane)
                begin[i * wide + lane] = (float)from[i * width + lane];
        }
        for (int32_t lane = 0; lane < width; ++lane)
            begin[at->begun * wide + lane] = (float)(from[at->begun * width + lane] - (double)step);
        carry_take(from + at->q * width, begin + at->q * wide, mech->n_q, width, carry);
        carry_take(from + at->v * width, begin + at->v * wide, mech->n_v, width, carry + mech->n_q * wide);
    }
}

void sarrus_single_tile_give(const sarrus_single_tiles *how, const float *from, int32_t n, double *tiles) {
    const sarrus_mechanism *mech = how->mech;
    const sarrus_tile_layout *at = &mech->layout;
    const int32_t range[][2] = SARRUS_STEPPED_RANGES(at);
    const int32_t width = how->width, wide = 2 * width;
    for (int32_t half = 0; half < n; ++half) {
        double *to = tiles + (size_t)half * (size_t)at->n_arrays * (size_t)width;
        const float *begin = from + half * width, *carry = begin + (ptrdiff_t)at->n_arrays * wide;
        for (int32_t k = 0; k < SARRUS_N_STEPPED_RANGES; ++k) {
            for (int32_t i = range[k][0]; i < range[k][1]; ++i) {
                for (int32_t lane = 0; lane < width; ++lane)
                    to[i * width + lane] = (double)begin[i * wide + lane];
            }
        }
        carry_give(carry, mech->n_q, width, to + at->q * width);
        carry_give(carry + mech->n_q * wide, mech->n_v, width, to + at->v * width);
    }
}

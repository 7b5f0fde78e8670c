#include "backend/single_tile.h"

void sarrus_single_tiles_make(const sarrus_mechanism *mech, int32_t width, sarrus_single_tiles *out) {
    *out = (sarrus_single_tiles){
        .width = width,
        .n_q = mech->n_q,
        .n_v = mech->n_v,
        .q = mech->layout.q,
        .v = mech->layout.v,
        .n_arrays = mech->layout.n_arrays,
    };
    sarrus_plan_fields(mech, out->field);
}

size_t sarrus_single_tile_arrays(const sarrus_mechanism *mech) {
    return (size_t)mech->layout.n_arrays + (size_t)mech->n_q + (size_t)mech->n_v;
}

/* One half of the lanes of `n` arrays: what is left of the doubles beside their floats. */
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

void sarrus_single_tile_take(const sarrus_single_tiles *how, const double *tiles, int32_t n, float *to) {
    const int32_t width = how->width, wide = 2 * width;
    for (int32_t half = 0; half < 2; ++half) {
        const double *from = tiles + (size_t)(half < n ? half : 0) * (size_t)how->n_arrays * (size_t)width;
        float *begin = to + half * width, *carry = begin + (ptrdiff_t)how->n_arrays * wide;
        for (int32_t i = 0; i < how->n_arrays; ++i) {
            for (int32_t lane = 0; lane < width; ++lane)
                begin[i * wide + lane] = (float)from[i * width + lane];
        }
        carry_take(from + how->q * width, begin + how->q * wide, how->n_q, width, carry);
        carry_take(from + how->v * width, begin + how->v * wide, how->n_v, width, carry + how->n_q * wide);
    }
}

void sarrus_single_tile_give(const sarrus_single_tiles *how, const float *from, int32_t n, double *tiles) {
    const int32_t width = how->width, wide = 2 * width;
    for (int32_t half = 0; half < n; ++half) {
        double *to = tiles + (size_t)half * (size_t)how->n_arrays * (size_t)width;
        const float *begin = from + half * width, *carry = begin + (ptrdiff_t)how->n_arrays * wide;
        for (int32_t k = 0; k < SARRUS_N_FIELDS; ++k) {
            const sarrus_tile_field *field = &how->field[k];
            for (int32_t i = field->at; field->kind == SARRUS_FIELD_STEPPED && i < field->at + field->n; ++i) {
                for (int32_t lane = 0; lane < width; ++lane)
                    to[i * width + lane] = (double)begin[i * wide + lane];
            }
        }
        carry_give(carry, how->n_q, width, to + how->q * width);
        carry_give(carry + how->n_q * wide, how->n_v, width, to + how->v * width);
    }
}

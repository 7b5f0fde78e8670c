/* Some lanes of a tile, while all of it is worked on. */
#ifndef SARRUS_BATCH_LANES_H
#define SARRUS_BATCH_LANES_H

#include <stddef.h>
#include <string.h>

#include "batch/inside.h"
#include "batch/mask.h"

/* Puts a lane of a tile back to what it was. */
static inline void sarrus_lane_restore(const sarrus_batch *batch, uint64_t i_tile, int32_t lane, const double *before) {
    const size_t width = (size_t)batch->device->width, n = sarrus_batch_tile_doubles(batch);
    double *tile = sarrus_batch_tile(batch, i_tile);
    for (size_t k = (size_t)lane; k < n; k += width)
        tile[k] = before[k];
}

/* Puts a tile back to what it was, but for the lanes of masked instances. */
static inline void sarrus_lanes_restore(const sarrus_batch *batch, const uint8_t *mask, uint64_t i_tile, const double *before) {
    const int32_t width = batch->device->width;
    for (int32_t lane = 0; lane < width; ++lane)
        if (!sarrus_mask_has(mask, sarrus_lane_instance(i_tile, width, lane, batch->n_instances)))
            sarrus_lane_restore(batch, i_tile, lane, before);
}

/* What lane arrays `array` … of a tile hold for a lane, and the other way. */
static inline void sarrus_lane_get(const double *tile, int32_t array, int32_t width, int32_t lane, double *to, int32_t n) {
    for (int32_t i = 0; i < n; ++i)
        to[i] = tile[(array + i) * width + lane];
}

static inline void sarrus_lane_put(double *tile, int32_t array, int32_t width, int32_t lane, const double *from, int32_t n) {
    for (int32_t i = 0; i < n; ++i)
        tile[(array + i) * width + lane] = from[i];
}

#endif

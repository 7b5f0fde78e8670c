/* Masks of instances: bytes, those that are not 0; NULL: all. */
#ifndef SARRUS_BATCH_MASK_H
#define SARRUS_BATCH_MASK_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline bool sarrus_mask_has(const uint8_t *mask, uint64_t i) {
    return !mask || mask[i] != 0;
}

/* The first of i … n − 1 in the mask; n: none. Eight at once: a mask of thousands is looked through in less than a microsecond. */
static inline uint64_t sarrus_mask_next(const uint8_t *mask, uint64_t i, uint64_t n) {
    uint64_t eight = 0;
    while (mask && i + sizeof eight <= n) {
        memcpy(&eight, mask + i, sizeof eight);
        if (eight != 0)
            break;
        i += sizeof eight;
    }
    while (i < n && !sarrus_mask_has(mask, i))
        ++i;
    return i;
}

static inline uint64_t sarrus_mask_count(const uint8_t *mask, uint64_t n) {
    uint64_t n_masked = 0;
    for (uint64_t i = sarrus_mask_next(mask, 0, n); mask && i < n; i = sarrus_mask_next(mask, i + 1, n))
        ++n_masked;
    return mask ? n_masked : n;
}

/* The first tile from i_tile on with an instance in the mask; UINT64_MAX: none. */
static inline uint64_t sarrus_tile_next(const uint8_t *mask, uint64_t i_tile, int32_t width, uint64_t n_instances) {
    const uint64_t i_first = i_tile * (uint64_t)width;
    const uint64_t i = i_first < n_instances ? sarrus_mask_next(mask, i_first, n_instances) : n_instances;
    return i < n_instances ? i / (uint64_t)width : UINT64_MAX;
}

/* The instance that lane `lane` of a tile shows: lanes past the last instance repeat it. */
static inline uint64_t sarrus_lane_instance(uint64_t i_tile, int32_t width, int32_t lane, uint64_t n_instances) {
    const uint64_t i = i_tile * (uint64_t)width + (uint64_t)lane;
    return i < n_instances ? i : n_instances - 1;
}

#endif

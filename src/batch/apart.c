#include "batch/apart.h"

#include <stdlib.h>
#include <string.h>

#include "batch/given.h"
#include "batch/lanes.h"
#include "batch/start.h"

/* Doubles of a tile of bodies. */
static size_t bodies_doubles(const sarrus_batch *batch) {
    return (size_t)batch->plan->mech.layout.n_arrays * (size_t)batch->device->width;
}

bool sarrus_apart_reserve(sarrus_batch *batch, const uint8_t *mask, sarrus_apart *out) {
    const uint64_t width = (uint64_t)batch->device->width;
    *out = (sarrus_apart){.batch = batch, .n = sarrus_mask_count(mask, batch->n_instances)};
    sarrus_tiles_apart *tiles = &out->tiles;
    tiles->n_tiles = (out->n + width - 1) / width;
    tiles->tiles = calloc(tiles->n_tiles, sarrus_batch_tile_doubles(batch) * sizeof *tiles->tiles);
    tiles->bodies = tiles->tiles;
    if (batch->plan->relative)
        tiles->bodies = calloc(tiles->n_tiles, bodies_doubles(batch) * sizeof *tiles->bodies);
    out->row = malloc(sarrus_start_size(batch) * sizeof *out->row);
    out->instance = malloc((size_t)out->n * sizeof *out->instance);
    if (!tiles->tiles || !tiles->bodies || !out->row || !out->instance)
        return false;
    uint64_t i = sarrus_mask_next(mask, 0, batch->n_instances);
    for (uint64_t k = 0; k < out->n; ++k, i = sarrus_mask_next(mask, i + 1, batch->n_instances))
        out->instance[k] = i;
    return true;
}

void sarrus_apart_free(sarrus_apart *apart) {
    if (apart->tiles.bodies != apart->tiles.tiles)
        free(apart->tiles.bodies);
    free(apart->tiles.tiles);
    free(apart->row);
    free(apart->instance);
    *apart = (sarrus_apart){0};
}

/* Whose number lies at place k: lanes behind the last repeat it. */
static uint64_t instance_at(const sarrus_apart *apart, uint64_t k) {
    return apart->instance[k < apart->n ? k : apart->n - 1];
}

static double *tile_at(const sarrus_apart *apart, uint64_t k) {
    return apart->tiles.tiles + (size_t)(k / (uint64_t)apart->batch->device->width) * sarrus_batch_tile_doubles(apart->batch);
}

/* What each lane begins with. A tile of the device is shown once for all of its instances; where all was given, never. */
static sarrus_status starts_gather(const sarrus_apart *apart) {
    const sarrus_batch *batch = apart->batch;
    sarrus_device *device = batch->device;
    const uint64_t width = (uint64_t)device->width;
    const double *shown = NULL;
    uint64_t i_shown = UINT64_MAX;
    for (uint64_t k = 0; k < apart->tiles.n_tiles * width; ++k) {
        const uint64_t i = instance_at(apart, k);
        if (!sarrus_batch_given_row(batch, i) && i_shown != i / width) {
            i_shown = i / width;
            shown = device->ops->tile_show(device, 0, i_shown);
            if (!shown)
                return SARRUS_DEVICE_FAILED;
        }
        sarrus_start_row(batch, i, shown, apart->row);
        sarrus_start_put(batch, apart->row, (int32_t)(k % width),
                         apart->tiles.bodies + (size_t)(k / width) * bodies_doubles(batch));
    }
    return SARRUS_OK;
}

/* Lane arrays of one lane to another. */
typedef struct lane_place {
    double *tile;
    int32_t lane;
} lane_place;

static void lane_move(const sarrus_batch *batch, lane_place from, lane_place to, int32_t i_first, int32_t n) {
    const size_t width = (size_t)batch->device->width;
    for (size_t i = (size_t)i_first; i < (size_t)(i_first + n); ++i)
        to.tile[i * width + (size_t)to.lane] = from.tile[i * width + (size_t)from.lane];
}

/* Lane arrays of the instances back to where they stand; those of the last one to the lanes that repeat it, too. */
static void lanes_return(const sarrus_apart *apart, int32_t i_first, int32_t n) {
    const sarrus_batch *batch = apart->batch;
    const int32_t width = batch->device->width;
    for (uint64_t k = 0; k < apart->n; ++k) {
        const uint64_t i = apart->instance[k];
        const lane_place from = {tile_at(apart, k), (int32_t)(k % (uint64_t)width)};
        const int32_t lane = (int32_t)(i % (uint64_t)width), end = i + 1 == batch->n_instances ? width : lane + 1;
        for (int32_t l = lane; l < end; ++l)
            lane_move(batch, from, (lane_place){sarrus_batch_tile(batch, i / (uint64_t)width), l}, i_first, n);
    }
}

sarrus_status sarrus_apart_assemble(sarrus_apart *apart) {
    sarrus_batch *batch = apart->batch;
    const sarrus_tile_layout *layout = &sarrus_batch_stored(batch)->layout;
    const int32_t width = batch->device->width;
    sarrus_status status = sarrus_batch_host_read(batch, 0, layout->n_arrays);
    if (status == SARRUS_OK)
        status = starts_gather(apart);
    if (status == SARRUS_OK)
        status = batch->device->ops->apart_assemble(batch->device, &apart->tiles);
    if (status != SARRUS_OK)
        return status;
    for (uint64_t k = 0; k < apart->n; ++k) {
        tile_at(apart, k)[layout->begun * width + (int32_t)(k % (uint64_t)width)] = (double)batch->device->step;
        if (batch->has_given)
            batch->is_given[apart->instance[k]] = 0;
    }
    sarrus_batch_given_settle(batch);
    lanes_return(apart, 0, layout->n_arrays);
    sarrus_batch_host_write(batch, 0, layout->n_arrays);
    return SARRUS_OK;
}

/* Only those of which something was given stay. */
static void given_keep(sarrus_apart *apart) {
    const uint64_t n = apart->n, width = (uint64_t)apart->batch->device->width;
    apart->n = 0;
    for (uint64_t k = 0; k < n; ++k)
        if (sarrus_batch_given_row(apart->batch, apart->instance[k]))
            apart->instance[apart->n++] = apart->instance[k];
    apart->tiles.n_tiles = (apart->n + width - 1) / width;
}

sarrus_status sarrus_apart_take(sarrus_apart *apart) {
    sarrus_batch *batch = apart->batch;
    const sarrus_mechanism *mech = &batch->plan->mech, *stored = sarrus_batch_stored(batch);
    const int32_t width = batch->device->width;
    given_keep(apart);
    if (apart->n == 0)
        return SARRUS_OK;
    sarrus_status status = sarrus_batch_host_read(batch, 0, stored->layout.n_arrays);
    if (status != SARRUS_OK)
        return status;
    for (uint64_t k = 0; k < apart->tiles.n_tiles * (uint64_t)width; ++k) {
        const uint64_t i = instance_at(apart, k);
        const lane_place from = {sarrus_batch_tile(batch, i / (uint64_t)width), (int32_t)(i % (uint64_t)width)};
        const lane_place to = {tile_at(apart, k), (int32_t)(k % (uint64_t)width)};
        double *bodies = apart->tiles.bodies + (size_t)(k / (uint64_t)width) * bodies_doubles(batch);
        const double *row = sarrus_batch_given_row(batch, i);
        lane_move(batch, from, to, 0, stored->layout.n_arrays);
        sarrus_lane_put(bodies, mech->layout.q, width, to.lane, row, mech->n_q);
        sarrus_lane_put(bodies, mech->layout.v, width, to.lane, row + mech->n_q, mech->n_v);
    }
    status = batch->device->ops->apart_take(batch->device, &apart->tiles);
    if (status != SARRUS_OK)
        return status;
    lanes_return(apart, stored->layout.q, stored->n_q);
    lanes_return(apart, stored->layout.v, stored->n_v);
    sarrus_batch_host_write(batch, 0, stored->layout.n_arrays);
    return SARRUS_OK;
}

/* Other tiles than the batch's: they go through the devices' memory in chunks, as those of a batch that does not fit, and the
 * batch's own go there again afterwards. So nothing is allocated on a device, and no other kernels are needed. */
#include <stdlib.h>
#include <string.h>

#include "backend/cuda/device.h"

static int take_tiles(cuda_worker *worker, const void *how) {
    (void)how;
    return sarrus_cuda_relative_take(worker);
}

/* What both kinds of tiles have in common, from the tiles to those of bodies. */
static void bodies_complete(const cuda_device *device, const sarrus_tiles_apart *apart) {
    const sarrus_mechanism *stepped = &device->lowered.mech, *bodies = &device->bodies.mech;
    const size_t array = SARRUS_CUDA_WIDTH;
    for (uint64_t i = 0; i < apart->n_tiles; ++i) {
        const double *from = apart->tiles + i * (size_t)stepped->layout.n_arrays * array;
        double *to = apart->bodies + i * (size_t)bodies->layout.n_arrays * array;
        for (int k = 0; k < device->n_moves; ++k)
            memcpy(to + (size_t)device->move[k].bodies * array, from + (size_t)device->move[k].relative * array,
                   (size_t)device->move[k].n * array * sizeof *to);
    }
}

static sarrus_status apart_run(cuda_device *device, const sarrus_tiles_apart *apart, cuda_work *work) {
    const size_t n_arrays = (size_t)device->lowered.mech.layout.n_arrays;
    double *const own_tiles = device->base.tiles;
    const uint64_t n_own = device->base.n_tiles;
    const bool is_resident = device->is_resident;
    uint8_t *all = malloc(n_arrays);
    if (!all)
        return SARRUS_NO_MEMORY;
    memset(all, 1, n_arrays);
    memset(device->device_is_old, 1, n_arrays);
    device->base.tiles = apart->tiles;
    device->base.n_tiles = apart->n_tiles;
    device->filled = device->is_relative ? apart->bodies : NULL;
    device->is_resident = false;
    const sarrus_status status = sarrus_cuda_run(device, work, NULL, all);
    device->base.tiles = own_tiles;
    device->base.n_tiles = n_own;
    device->filled = NULL;
    device->is_resident = is_resident;
    if (is_resident)
        sarrus_cuda_shares_give(device);
    free(all);
    return status;
}

sarrus_status sarrus_cuda_apart_assemble(sarrus_device *base, const sarrus_tiles_apart *apart) {
    return apart_run((cuda_device *)(void *)base, apart, sarrus_cuda_assemble_tiles);
}

/* The kernel moves all that both kinds have in common: with what stands there already it moves nothing but q and v. */
sarrus_status sarrus_cuda_apart_take(sarrus_device *base, const sarrus_tiles_apart *apart) {
    cuda_device *device = (cuda_device *)(void *)base;
    bodies_complete(device, apart);
    return apart_run(device, apart, take_tiles);
}

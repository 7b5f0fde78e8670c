#include "sink/time_axis.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sink/hdf5_object.h"

enum { PIECE = 131072 }; /* 1 MiB of numbers */

bool sarrus_time_axis_create(sarrus_time_axis *axis, hid_t file, const sarrus_sink_description *description,
                             const sarrus_layout *layout) {
    const double unknown = NAN;
    const bool is_open = layout->is_open_ended;
    *axis = (sarrus_time_axis){.times = description->times, .user = description->times_user, .n_times = description->n_times};
    axis->n_chunk = is_open ? layout->block_times : axis->n_times < PIECE ? axis->n_times : PIECE;
    axis->staging = calloc(axis->n_chunk, sizeof *axis->staging);
    axis->packed = malloc(sarrus_packer_bound(axis->n_chunk * sizeof *axis->staging));
    const hsize_t dims = is_open ? 1 : axis->n_times, dims_max = H5S_UNLIMITED, chunk = axis->n_chunk;
    const sarrus_hdf5_shape shape = {
        .n_dims = 1, .dims = &dims, .dims_max = is_open ? &dims_max : NULL, .chunk = &chunk, .fill = &unknown};
    axis->dataset = sarrus_hdf5_create_dataset(file, "time", H5T_NATIVE_DOUBLE, &shape);
    return axis->staging != NULL && axis->packed != NULL &&
           sarrus_packer_create(axis->n_chunk * sizeof *axis->staging, &axis->packer) == SARRUS_OK && axis->dataset >= 0 &&
           (is_open || sarrus_time_axis_reach(axis, 1));
}

/* The first n numbers of the staging array as the next piece. What it has room for beyond them is zero; nobody can read it. */
static bool piece_write(sarrus_time_axis *axis, uint64_t n) {
    uint32_t mask = 0;
    memset(axis->staging + n, 0, (axis->n_chunk - n) * sizeof *axis->staging);
    const sarrus_chunk_numbers numbers = {axis->staging, axis->n_chunk, sizeof *axis->staging, 1};
    const size_t n_packed = sarrus_packer_pack(axis->packer, &numbers, SARRUS_PACK_WELL, axis->packed, &mask);
    const hsize_t offset = axis->n_written;
    axis->n_written += n;
    return H5Dwrite_chunk(axis->dataset, H5P_DEFAULT, mask, &offset, n_packed, axis->packed) >= 0;
}

bool sarrus_time_axis_reach(sarrus_time_axis *axis, uint64_t n_times) {
    bool ok = true;
    while (ok && axis->n_written < n_times && axis->n_written < axis->n_times) {
        const uint64_t n_left = axis->n_times - axis->n_written, n = n_left < axis->n_chunk ? n_left : axis->n_chunk;
        axis->times(axis->user, axis->n_written, n, axis->staging);
        ok = piece_write(axis, n);
    }
    return ok;
}

bool sarrus_time_axis_append(sarrus_time_axis *axis, const double *times, uint64_t n_times) {
    const hsize_t extent = axis->n_written + n_times;
    memcpy(axis->staging, times, n_times * sizeof *times);
    return H5Dset_extent(axis->dataset, &extent) >= 0 && piece_write(axis, n_times);
}

void sarrus_time_axis_close(sarrus_time_axis *axis) {
    if (axis->dataset >= 0) {
        H5Dclose(axis->dataset);
    }
    sarrus_packer_destroy(axis->packer);
    free(axis->packed);
    free(axis->staging);
    *axis = (sarrus_time_axis){.dataset = -1};
}

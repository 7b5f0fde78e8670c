#include "sink/time_axis.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sink/hdf5_object.h"

enum { PIECE = 131072 }; /* 1 MiB of numbers */

bool sarrus_time_axis_create(sarrus_time_axis *axis, hid_t file, const sarrus_sink_description *description) {
    const double unknown = NAN;
    *axis = (sarrus_time_axis){.times = description->times, .user = description->times_user, .n_times = description->n_times};
    axis->n_chunk = axis->n_times < PIECE ? axis->n_times : PIECE;
    axis->staging = calloc(axis->n_chunk, sizeof *axis->staging);
    axis->packed = malloc(sarrus_packer_bound(axis->n_chunk * sizeof *axis->staging));
    const hsize_t dims = axis->n_times, chunk = axis->n_chunk;
    axis->dataset = sarrus_hdf5_create_dataset(file, "time", H5T_NATIVE_DOUBLE,
                                               &(sarrus_hdf5_shape){.n_dims = 1, .dims = &dims, .chunk = &chunk, .fill = &unknown});
    return axis->staging != NULL && axis->packed != NULL &&
           sarrus_packer_create(axis->n_chunk * sizeof *axis->staging, &axis->packer) == SARRUS_OK && axis->dataset >= 0 &&
           sarrus_time_axis_reach(axis, 1);
}

/* What the last piece has room for beyond the last time is zero; nobody can read it. */
bool sarrus_time_axis_reach(sarrus_time_axis *axis, uint64_t n_times) {
    bool ok = true;
    while (ok && axis->n_written < n_times && axis->n_written < axis->n_times) {
        const uint64_t n_left = axis->n_times - axis->n_written, n = n_left < axis->n_chunk ? n_left : axis->n_chunk;
        memset(axis->staging + n, 0, (axis->n_chunk - n) * sizeof *axis->staging);
        axis->times(axis->user, axis->n_written, n, axis->staging);
        uint32_t mask = 0;
        const size_t n_packed = sarrus_packer_pack(axis->packer, axis->staging, axis->n_chunk, sizeof *axis->staging,
                                                   SARRUS_PACK_WELL, axis->packed, &mask);
        const hsize_t offset = axis->n_written;
        ok = H5Dwrite_chunk(axis->dataset, H5P_DEFAULT, mask, &offset, n_packed, axis->packed) >= 0;
        axis->n_written += n;
    }
    return ok;
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

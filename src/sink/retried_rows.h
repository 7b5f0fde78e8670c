/* Rows of a dataset in the place of rows of another. */
#ifndef SARRUS_SINK_RETRIED_ROWS_H
#define SARRUS_SINK_RETRIED_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include <hdf5.h>

/* Row from[i] goes to row to[i], i < n. */
typedef struct sarrus_row_map {
    uint64_t n;
    const uint64_t *to, *from; /* [n] ascending */
} sarrus_row_map;

/* Writes rows i_first … i_first + n − 1 of the first axis of an open dataset, `values` of `type`, which is the dataset's own
 * where its chunks are packed: there they are whole chunks (packed_chunks.h). False when HDF5 refused or memory is out. */
bool sarrus_rows_write(hid_t dataset, hid_t type, hsize_t i_first, hsize_t n, const void *values);

/* Whether two datasets `path` have the same axes but for the first, and types of the same kind. */
bool sarrus_rows_fit(hid_t to_root, hid_t from_root, const char *path);

/* Puts rows of the dataset `path` below one root in the place of those below another. False when HDF5 refused or memory is out. */
bool sarrus_rows_put(hid_t to_root, hid_t from_root, const char *path, const sarrus_row_map *map);

#endif

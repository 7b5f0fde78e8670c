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

/* Whether two datasets `path` have the same axes but for the first, and types of the same kind. */
bool sarrus_rows_fit(hid_t to_root, hid_t from_root, const char *path);

/* Puts rows of the dataset `path` below one root in the place of those below another. False when HDF5 refused or memory is out. */
bool sarrus_rows_put(hid_t to_root, hid_t from_root, const char *path, const sarrus_row_map *map);

#endif

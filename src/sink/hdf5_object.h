/* Datasets and attributes as this project writes and reads them. Every function returns false, or a negative id, when HDF5
 * refused. */
#ifndef SARRUS_SINK_HDF5_OBJECT_H
#define SARRUS_SINK_HDF5_OBJECT_H

#include <stdbool.h>
#include <stdint.h>

#include <hdf5.h>

#include "sink/chunk.h"

/* The type of variable-length UTF-8 strings; to be closed. */
hid_t sarrus_hdf5_string_type(void);

bool sarrus_hdf5_put_text(hid_t object, const char *name, const char *text);
/* The attribute `created`: now, in UTC. */
bool sarrus_hdf5_put_created(hid_t object);
bool sarrus_hdf5_put_texts(hid_t object, const char *name, const char *const *texts, hsize_t n);
bool sarrus_hdf5_put_number(hid_t object, const char *name, hid_t type, const void *value);
bool sarrus_hdf5_put_numbers(hid_t object, const char *name, hid_t type, const void *values, hsize_t n);

/* An attribute with `n` values; n = 0 makes a scalar. The id stays open. */
hid_t sarrus_hdf5_open_attribute(hid_t object, const char *name, hid_t type, hsize_t n);

/* long_name, and units unless they are NULL. */
bool sarrus_hdf5_describe(hid_t dataset, const char *units, const char *long_name);

/* How a dataset lies in the file. */
typedef struct sarrus_hdf5_shape {
    int n_dims;              /* 0: scalar */
    const hsize_t *dims;     /* [n_dims] */
    const hsize_t *dims_max; /* [n_dims] how far it can grow; NULL: not at all */
    const hsize_t *chunk;    /* [n_dims]; NULL: contiguous, not compressed */
    bool is_plain;           /* chunks without filters */
    const void *fill;        /* of the dataset's type; NULL: zero, or the empty string */
} sarrus_hdf5_shape;

/* Creates a dataset, and the groups on the way; chunked ones get shuffle, deflate and fletcher32
 * unless they are plain. */
hid_t sarrus_hdf5_create_dataset(hid_t file, const char *path, hid_t type, const sarrus_hdf5_shape *shape);

/* Creates and writes a dataset [n] of numbers of 8 bytes; `type` is H5T_NATIVE_DOUBLE or H5T_NATIVE_UINT64. */
hid_t sarrus_hdf5_create_column(hid_t file, const char *path, hid_t type, const void *values, uint64_t n);

/* Creates and writes a dataset [n] of strings. */
hid_t sarrus_hdf5_create_strings(hid_t file, const char *path, const char *const *texts, uint64_t n);

/* Reads rows i_first … i_first + n − 1 of a dataset with one axis as numbers of `type`. */
bool sarrus_hdf5_read_rows(hid_t root, const char *path, hid_t type, uint64_t i_first, uint64_t n, void *out);

/* Where the table of changes of rank below `root` has their times: files of earlier versions call the column otherwise. */
const char *sarrus_hdf5_rank_change_times(hid_t root);

/* The text of a dataset of one, or of an attribute, below `root`; to be given to H5free_memory. NULL where there is none. */
char *sarrus_hdf5_read_text(hid_t root, const char *name, bool is_attribute);

/* Whether there is something of this path below `root`. */
bool sarrus_hdf5_has(hid_t root, const char *path);

/* Which object of the file the first dimension scale of an axis is (sarrus_hdf5_place_of); UINT64_MAX: there is none. */
uint64_t sarrus_hdf5_scale_of(hid_t dataset, unsigned axis);

#endif

/* Chunks of a dataset that is there already, written anew as they are packed.
 *
 * HDF5 1.10 keeps the mask of skipped filters of a chunk that is replaced by one of the same size: a chunk that was stored without
 * deflate, and whose new bytes are deflated to the very same number, would be read as if they were not. A chunk of one byte is
 * written before, so that sizes always differ. */
#ifndef SARRUS_SINK_PACKED_CHUNKS_H
#define SARRUS_SINK_PACKED_CHUNKS_H

#include <stdbool.h>
#include <stdint.h>

#include <hdf5.h>

#include "sink/chunk.h"

enum { SARRUS_PACKED_DIMS = 4 };

typedef struct sarrus_packed_chunks {
    hid_t dataset;  /* not owned */
    bool is_packed; /* false: it has no chunks, or none with filters, and is written as usual */
    int n_dims;
    hsize_t dims[SARRUS_PACKED_DIMS], chunk[SARRUS_PACKED_DIMS];
    size_t element_size, n_elements; /* of a chunk */
    sarrus_packer *packer;
    uint8_t *packed, *elements; /* [chunk] what is to be packed: the caller fills it */
} sarrus_packed_chunks;

/* Of an open dataset. False without memory, or when HDF5 refused; to be given to sarrus_packed_chunks_close, then too. */
bool sarrus_packed_chunks_open(sarrus_packed_chunks *chunks, hid_t dataset);
void sarrus_packed_chunks_close(sarrus_packed_chunks *chunks);

/* Writes `elements` as the chunk that begins at `offset` [n_dims]. It is not to be read again before the dataset was closed. */
bool sarrus_packed_chunks_put(sarrus_packed_chunks *chunks, const hsize_t *offset);

/* Writes rows of the first axis, a whole number of chunks from i_first on, or up to the last row: `values` of the dataset's
 * type. */
bool sarrus_packed_chunks_rows_put(sarrus_packed_chunks *chunks, hsize_t i_first, hsize_t n, const void *values);

#endif

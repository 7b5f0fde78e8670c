/* How the arrays of a run are cut into blocks (in time) and chunks (in instances), and how one chunk is gathered. */
#ifndef SARRUS_SINK_LAYOUT_H
#define SARRUS_SINK_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sink/compress_pool.h"
#include "sink/description.h"

typedef struct sarrus_layout_field {
    sarrus_sink_type type;
    bool is_common;           /* one row, whose axis the dataset does not have */
    int n_dims;               /* axes of the dataset, at most 3 */
    int n_kept_bits;          /* 0: numbers are exact */
    uint64_t n_rows;          /* one for each trajectory */
    uint64_t n_levels;        /* of the last axis; 0: it is none of levels */
    uint64_t width;           /* numbers of one row at one time, at least 1 */
    uint64_t chunk_instances; /* a chunk is [chunk_instances][block_times][width] */
    uint64_t n_chunks;        /* of one block */
    uint64_t i_job_first;     /* chunk c of this field is job i_job_first + c of a block */
} sarrus_layout_field;

typedef struct sarrus_layout {
    uint64_t n_instances, n_trajectories, n_times;
    bool is_open_ended; /* n_times is the most there may be */
    uint64_t block_times;
    uint64_t n_jobs; /* chunks of one block, all fields */
    uint64_t block_doubles;
    size_t chunk_bytes_max;
    int n_fields;
    sarrus_layout_field *fields; /* [n_fields] */
} sarrus_layout;

/* Fills `out` from the description. BAD_ARGUMENT when sizes are zero or overflow, NO_MEMORY. Freed with sarrus_layout_clear. */
SARRUS_MUST_USE sarrus_status sarrus_layout_make(const sarrus_sink_description *description, sarrus_layout *out);
void sarrus_layout_clear(sarrus_layout *layout);

/* A filled block on its way to the file. */
typedef struct sarrus_layout_block {
    const sarrus_layout *layout;
    double *const *data; /* [n_fields] of [n_rows][n_times_stride][width] */
    uint64_t n_times_stride;
    uint64_t n_times;             /* rows that are filled */
    const volatile int32_t *stop; /* once it is set, packing has to be done with soon */
} sarrus_layout_block;

/* The field and the chunk of a job. */
void sarrus_layout_job(const sarrus_layout *layout, uint64_t i_job, int *i_field, uint64_t *i_chunk);

/* A sarrus_compress_function whose `user` is a sarrus_layout_block: gathers, pads with the fill value and packs one chunk. */
void sarrus_layout_pack(const void *user, uint64_t i_job, sarrus_compress_slot *slot);

#endif

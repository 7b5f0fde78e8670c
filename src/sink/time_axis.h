/* The dataset /time. Mostly all times are known beforehand, and there may be more of them than memory or patience: they are written
 * in pieces, as far as the results have come. Those of an open-ended file come with the blocks, a piece each. */
#ifndef SARRUS_SINK_TIME_AXIS_H
#define SARRUS_SINK_TIME_AXIS_H

#include <stdbool.h>
#include <stdint.h>

#include <hdf5.h>

#include "sink/chunk.h"
#include "sink/description.h"
#include "sink/layout.h"

typedef struct sarrus_time_axis {
    hid_t dataset;
    sarrus_sink_times times;
    const void *user;
    uint64_t n_times, n_chunk, n_written;
    double *staging; /* [n_chunk] */
    uint8_t *packed;
    sarrus_packer *packer;
} sarrus_time_axis;

/* Creates the dataset and writes its first piece, if that is known. False when HDF5 refused or memory is out. */
bool sarrus_time_axis_create(sarrus_time_axis *axis, hid_t file, const sarrus_sink_description *description,
                             const sarrus_layout *layout);

/* Writes pieces until the first n_times times are there; each piece is written once. */
bool sarrus_time_axis_reach(sarrus_time_axis *axis, uint64_t n_times);

/* Of an open-ended file: the times [n_times] of the block that follows those written, which no other does unless it is a whole one.
 */
bool sarrus_time_axis_append(sarrus_time_axis *axis, const double *times, uint64_t n_times);

/* Every state is allowed, one of zeros with a negative dataset too. */
void sarrus_time_axis_close(sarrus_time_axis *axis);

#endif

/* Instances of a device that cannot work on single tiles: they are gathered side by side into tiles apart, worked on there, and put
 * back. What this costs follows the number of masked instances, wherever they stand. */
#ifndef SARRUS_BATCH_APART_H
#define SARRUS_BATCH_APART_H

#include "batch/inside.h"

typedef struct sarrus_apart {
    sarrus_batch *batch;
    uint64_t *instance; /* [n] numbers of the masked instances; by their order lies lane k % width of tile k / width */
    uint64_t n;
    sarrus_tiles_apart tiles;
    double *row; /* [sarrus_start_size] */
} sarrus_apart;

/* Room for the masked instances, of which there is one at least; false: no memory. Give it back in either case. */
bool sarrus_apart_reserve(sarrus_batch *batch, const uint8_t *mask, sarrus_apart *out);
void sarrus_apart_free(sarrus_apart *apart);

/* Assembles the instances from what they begin with (batch/start.h). DEVICE_FAILED, NO_MEMORY: nothing is done. */
SARRUS_MUST_USE sarrus_status sarrus_apart_assemble(sarrus_apart *apart);

/* Over a tree: brings what was given of the instances (batch/given.h) onto the tree; those of which nothing was stay as they are,
 * and leave `apart`. Errors as above. */
SARRUS_MUST_USE sarrus_status sarrus_apart_take(sarrus_apart *apart);

#endif

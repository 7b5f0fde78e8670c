#include "batch/episode.h"

#include <stdlib.h>

bool sarrus_batch_episodes_reserve(sarrus_batch *batch) {
    if (!batch->episode && batch->n_instances <= SIZE_MAX / sizeof *batch->episode)
        batch->episode = calloc((size_t)batch->n_instances, sizeof *batch->episode);
    return batch->episode != NULL;
}

#include "batch/episode.h"

#include <stdlib.h>

bool sarrus_batch_episodes_reserve(sarrus_batch *batch) {
    if (!batch->episode && batch->n_instances <= SIZE_MAX / sizeof *batch->episode)
        batch->episode = calloc((size_t)batch->n_instances, sizeof *batch->episode);
    return batch->episode != NULL;
}

sarrus_status sarrus_batch_copy_episodes(const sarrus_batch *batch, uint64_t *out) {
    if (!batch || !out)
        return SARRUS_BAD_ARGUMENT;
    for (uint64_t i = 0; i < batch->n_instances; ++i)
        out[i] = batch->episode ? batch->episode[i] : 0;
    return SARRUS_OK;
}

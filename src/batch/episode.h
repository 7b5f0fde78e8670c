/* Which draws the instances of a batch have. */
#ifndef SARRUS_BATCH_EPISODE_H
#define SARRUS_BATCH_EPISODE_H

#include "batch/inside.h"

/* Reserves batch->episode, 0 of every instance at first; false: no memory. */
bool sarrus_batch_episodes_reserve(sarrus_batch *batch);

#endif

/* Instances that begin anew. */
#ifndef SARRUS_BATCH_RESTART_H
#define SARRUS_BATCH_RESTART_H

#include "batch/inside.h"

/* Forgets changes of rank of the masked instances. */
void sarrus_batch_events_forget(sarrus_batch *batch, const uint8_t *mask);

/* Forgets what of the masked instances was kept beside their tiles: changes of rank, states that were written. */
void sarrus_batch_forget(sarrus_batch *batch, const uint8_t *mask);

#endif

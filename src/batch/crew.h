/* The threads of a batch, for work beside its steps: what is observed is gathered and tallied by them between two calls. */
#ifndef SARRUS_BATCH_CREW_H
#define SARRUS_BATCH_CREW_H

#include "core/crew.h"
#include "sarrus/batch.h"

/* Owned by the batch. */
sarrus_crew *sarrus_batch_crew(const sarrus_batch *batch);

#endif

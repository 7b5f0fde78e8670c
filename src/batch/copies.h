/* Fields of all instances between the tiles and arrays [n_instances][width]. */
#ifndef SARRUS_BATCH_COPIES_H
#define SARRUS_BATCH_COPIES_H

#include "batch/inside.h"

/* Where a field stands in the device's tiles, as numbers of the caller's kind; n = 0: it does not. */
typedef struct sarrus_field_place {
    int32_t array, n;
} sarrus_field_place;
sarrus_field_place sarrus_batch_field_place(const sarrus_batch *batch, sarrus_field field);

/* The place of a field that can be seen in place; else its refusal. */
sarrus_status sarrus_batch_viewed(sarrus_batch *batch, sarrus_field field, sarrus_field_place *out);

#endif

#include "batch/given.h"

#include <stdlib.h>

static size_t row_size(const sarrus_batch *batch) {
    return (size_t)(batch->plan->mech.n_q + batch->plan->mech.n_v);
}

bool sarrus_batch_given_reserve(sarrus_batch *batch) {
    const size_t n = row_size(batch) ? row_size(batch) : 1;
    if (!batch->given && batch->n_instances <= SIZE_MAX / sizeof(double) / n) {
        batch->given = calloc((size_t)batch->n_instances * n, sizeof *batch->given);
        batch->is_given = batch->given ? calloc((size_t)batch->n_instances, 1) : NULL;
    }
    if (batch->is_given)
        return true;
    free(batch->given);
    batch->given = NULL;
    return false;
}

double *sarrus_batch_given_row(const sarrus_batch *batch, uint64_t i) {
    return batch->has_given && batch->is_given[i] ? batch->given + (size_t)i * row_size(batch) : NULL;
}

void sarrus_batch_given_settle(sarrus_batch *batch) {
    bool has_any = false;
    for (uint64_t i = 0; batch->has_given && i < batch->n_instances && !has_any; ++i)
        has_any = batch->is_given[i] != 0;
    batch->has_given = has_any;
}

void sarrus_batch_given_pass(sarrus_batch *batch) {
    for (uint64_t i = 0; batch->has_given && i < batch->n_instances; ++i)
        batch->is_given[i] = batch->is_given[i] == SARRUS_GIVEN_START ? SARRUS_GIVEN_START : 0;
    sarrus_batch_given_settle(batch);
}

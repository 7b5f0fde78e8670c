/* Numbers of the model that outputs need, of every instance: where points are on their bodies, named parameters in quantities. */
#ifndef SARRUS_STUDY_INSTANCE_NUMBERS_H
#define SARRUS_STUDY_INSTANCE_NUMBERS_H

#include "model/draws.h"
#include "model/model.h"
#include "sarrus/context.h"

typedef struct sarrus_instance_numbers {
    int n;
    size_t stride;  /* n, or 0 when they are the same for all */
    double *values; /* [n_instances, or 1][n]; NULL: there are none */
} sarrus_instance_numbers;

/* The values `indices` [n] of the model for the first n_instances instances that are drawn (NULL: nominal ones). NO_MEMORY.
 * `*out` is to be given to sarrus_instance_numbers_free, after an error too. */
SARRUS_MUST_USE sarrus_status sarrus_instance_numbers_create(sarrus_context *context, const sarrus_model *model,
                                                             const sarrus_draws *draws, uint64_t n_instances,
                                                             const sarrus_value_index *indices, int n,
                                                             sarrus_instance_numbers *out);
void sarrus_instance_numbers_free(sarrus_instance_numbers *numbers);

/* [n] of one instance. */
const double *sarrus_instance_numbers_of(const sarrus_instance_numbers *numbers, uint64_t i_instance);

#endif

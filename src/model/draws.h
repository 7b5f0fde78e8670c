/* The sampled parameters of all instances, as drawn by the study. */
#ifndef SARRUS_MODEL_DRAWS_H
#define SARRUS_MODEL_DRAWS_H

#include "model/model.h"

typedef struct sarrus_draws {
    const sarrus_model *model;
    uint64_t i_first; /* number of the first instance in its study */
    uint64_t n_instances;
    int n_sampled;  /* = model->batch.n_sampled */
    double *values; /* [n_sampled][n_instances], units of the targets */
    double *units;  /* [n_sampled][n_instances] in [0, 1], whose quantiles the values are; NULL: an own sample */
} sarrus_draws;

#endif

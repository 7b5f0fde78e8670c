/* Covariances and correlations of the quantities and the random parameters of a study with one another, over the instances that are
 * good and have a finite number of each. */
#ifndef SARRUS_STUDY_COVARIANCE_H
#define SARRUS_STUDY_COVARIANCE_H

#include "core/crew.h"
#include "model/model.h"
#include "sarrus/context.h"
#include "sink/description.h"

typedef struct sarrus_covariance {
    uint64_t n_instances;
    int n_variables, n_quantities; /* quantities come first */
    int n_totals;
    sarrus_sink_total *totals; /* [n_totals] */
    double **values;           /* [n_totals] of [1] or [n_variables][n_variables] */
    const char **names;        /* [n_variables] */
    sarrus_sink_labels *labels;
    const double **columns; /* [n_variables] of [n_instances], while it is being made */
    uint8_t *is_in;         /* [n_instances] */
    double *means;          /* [n_variables] */
} sarrus_covariance;

/* NO_MEMORY. `*out` is to be given to sarrus_covariance_free, after an error too; it is empty unless the model asks for it. */
SARRUS_MUST_USE sarrus_status sarrus_covariance_create(sarrus_context *context, const sarrus_model *model, uint64_t n_instances,
                                                       sarrus_covariance *out);
void sarrus_covariance_free(sarrus_covariance *covariance);

/* Fills the values from results [n_quantities] and parameters, of [n_instances] each, of instances whose status is 0. Moments with
 * n − 1, as numpy.cov. With a pairwise sum: the error of a covariance is at most (40 + 2 log2 n) 2^-53 sd sd'. */
void sarrus_covariance_finish(sarrus_covariance *covariance, const double *const *results, const double *const *parameters,
                              const uint8_t *status, sarrus_crew *crew);

#endif

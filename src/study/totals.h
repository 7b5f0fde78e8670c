/* What is of all instances of a study together and of no time, made once its quantities are known: statistics of these, their
 * covariances, and their sensitivity. */
#ifndef SARRUS_STUDY_TOTALS_H
#define SARRUS_STUDY_TOTALS_H

#include "study/covariance.h"
#include "study/parameter_statistics.h"
#include "study/quantity_statistics.h"
#include "study/sensitivity.h"

typedef struct sarrus_totals {
    sarrus_quantity_statistics statistics;
    sarrus_parameter_statistics parameters;
    sarrus_covariance covariance;
    sarrus_sensitivity sensitivity;
    int n;
    sarrus_sink_total *totals; /* [n] of all */
    const double **values;     /* [n] */
} sarrus_totals;

/* Of which instances. */
typedef struct sarrus_totals_choice {
    uint64_t n_instances;
    bool is_study;      /* they are all of the study, as sensitivity wants */
    bool is_own_sample; /* they are no rows of a design */
    int n_members;      /* threads that share the work */
} sarrus_totals_choice;

/* NO_MEMORY. `*out` is to be given to sarrus_totals_free, after an error too. */
SARRUS_MUST_USE sarrus_status sarrus_totals_create(sarrus_context *context, const sarrus_model *model,
                                                   const sarrus_totals_choice *choice, sarrus_totals *out);
void sarrus_totals_free(sarrus_totals *totals);

/* Fills the values. Of a run that was stopped there are statistics of what its quantities have come to, but no sensitivity, which
 * is of whole motions: it stays NaN. */
void sarrus_totals_finish(sarrus_totals *totals, const sarrus_sensitivity_sample *sample, bool is_complete);

/* The same where neither covariances nor sensitivity are asked for, from a stream of the quantities and then the parameters. */
void sarrus_totals_finish_streamed(sarrus_totals *totals, const sarrus_number_stream *stream);

#endif

/* Statistics of the quantities of a run over its instances, made once the quantities are known. */
#ifndef SARRUS_STUDY_QUANTITY_STATISTICS_H
#define SARRUS_STUDY_QUANTITY_STATISTICS_H

#include "model/model.h"
#include "model/unit_rules.h"
#include "sarrus/context.h"
#include "sink/description.h"

typedef struct sarrus_quantity_statistics {
    const sarrus_model *model;
    uint64_t n_instances;
    sarrus_sink_levels levels;
    int n_totals;
    sarrus_sink_total *totals; /* [n_totals] of each quantity how many instances they are over, then the statistics */
    double **values;           /* [n_totals] of [1 or levels] */
    char **texts;              /* [n_texts] owned: paths and long names */
    int n_texts;
    char (*units)[SARRUS_UNIT_BYTES]; /* [n_quantities] */
    double *scratch;                  /* [2][n_instances] */
} sarrus_quantity_statistics;

/* Of what the model asks for. NO_MEMORY. `*out` is to be given to sarrus_quantity_statistics_free, after an error too. */
SARRUS_MUST_USE sarrus_status sarrus_quantity_statistics_create(sarrus_context *context, const sarrus_model *model,
                                                                uint64_t n_instances, sarrus_quantity_statistics *out);
void sarrus_quantity_statistics_free(sarrus_quantity_statistics *statistics);

/* Fills the values from results [n_quantities] of [n_instances], of the instances whose status is 0. */
void sarrus_quantity_statistics_finish(sarrus_quantity_statistics *statistics, const double *const *results, const uint8_t *status);

#endif

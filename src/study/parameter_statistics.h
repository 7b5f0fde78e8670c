/* Statistics of the random parameters of a study, of its instances that ended well and of the others apart: whether those that
 * failed are of a kind. */
#ifndef SARRUS_STUDY_PARAMETER_STATISTICS_H
#define SARRUS_STUDY_PARAMETER_STATISTICS_H

#include "model/model.h"
#include "model/unit_rules.h"
#include "sarrus/context.h"
#include "sink/description.h"
#include "study/number_stream.h"

typedef struct sarrus_parameter_statistics {
    const sarrus_model *model;
    uint64_t n_instances;
    int n_totals;
    sarrus_sink_total *totals; /* [n_totals] of each parameter, those of the good instances first */
    double **values;           /* [n_totals] of [1] */
    char **texts;              /* [n_texts] owned: paths and long names */
    int n_texts;
    char (*units)[SARRUS_UNIT_BYTES]; /* [n_sampled] */
    sarrus_stream_room room;
} sarrus_parameter_statistics;

/* Where the model asks for statistics of quantities. NO_MEMORY. `*out` is to be given to sarrus_parameter_statistics_free, after an
 * error too. */
SARRUS_MUST_USE sarrus_status sarrus_parameter_statistics_create(sarrus_context *context, const sarrus_model *model,
                                                                 uint64_t n_instances, sarrus_parameter_statistics *out);
void sarrus_parameter_statistics_free(sarrus_parameter_statistics *statistics);

/* Fills the values from a stream whose columns from i_column on are the parameters. */
void sarrus_parameter_statistics_finish(sarrus_parameter_statistics *statistics, const sarrus_number_stream *stream, int i_column);

#endif

/* Statistics of the quantities of a run over its instances, and how these ended, made once the quantities are known. */
#ifndef SARRUS_STUDY_QUANTITY_STATISTICS_H
#define SARRUS_STUDY_QUANTITY_STATISTICS_H

#include "model/model.h"
#include "model/unit_rules.h"
#include "sarrus/context.h"
#include "sink/description.h"
#include "study/number_stream.h"

typedef struct sarrus_quantity_statistics {
    const sarrus_model *model;
    uint64_t n_instances;
    sarrus_sink_levels levels;
    int n_totals;
    sarrus_sink_total *totals; /* [n_totals] how many instances ended how, then of each quantity what there is of it */
    double **values;           /* [n_totals] of [1, levels, or places of their own axis] */
    double **of_quantity;      /* [n_quantities][kinds] of these, NULL: not wanted; not owned */
    char **texts;              /* [n_texts] owned: paths and long names */
    int n_texts;
    char (*units)[SARRUS_UNIT_BYTES]; /* [n_quantities] */
    sarrus_sink_labels *axes;         /* words of status, bins of histograms, their edges */
    sarrus_stream_room room;
} sarrus_quantity_statistics;

/* Of what the model asks for. NO_MEMORY. `*out` is to be given to sarrus_quantity_statistics_free, after an error too. */
SARRUS_MUST_USE sarrus_status sarrus_quantity_statistics_create(sarrus_context *context, const sarrus_model *model,
                                                                uint64_t n_instances, sarrus_quantity_statistics *out);
void sarrus_quantity_statistics_free(sarrus_quantity_statistics *statistics);

/* Fills the values from a stream whose columns are the quantities, whatever follows. */
void sarrus_quantity_statistics_finish(sarrus_quantity_statistics *statistics, const sarrus_number_stream *stream);

#endif

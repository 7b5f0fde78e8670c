/* An outcome that was handed over, copied: the caller goes on while the writer writes. */
#ifndef SARRUS_SINK_OUTCOME_COPY_H
#define SARRUS_SINK_OUTCOME_COPY_H

#include <stdbool.h>
#include <stdint.h>

#include "sink/description.h"

typedef struct sarrus_outcome_copy {
    uint64_t n_instances;
    int n_measures, n_columns;
    uint8_t *status;         /* [n_instances] */
    double *failed_time;     /* [n_instances] s */
    double *measure_numbers; /* [n_measures][n_instances] */
    double *row_numbers;     /* [n_columns][n_rows] */
    uint64_t n_rows, n_reserved;
    const double **measures; /* [n_measures] into measure_numbers */
    const double **rows;     /* [n_columns] into row_numbers */
    bool has_measures;
} sarrus_outcome_copy;

/* Room for outcomes of this description; the rows get theirs when they come. False without memory. */
bool sarrus_outcome_copy_make(const sarrus_sink_description *description, sarrus_outcome_copy *out);
void sarrus_outcome_copy_free(sarrus_outcome_copy *copy);

/* Copies an outcome with status and failure times. False without memory for its rows; the copy is then not to be viewed. */
bool sarrus_outcome_copy_take(sarrus_outcome_copy *copy, const sarrus_sink_outcome *outcome);

/* The outcome as it was, valid until the next is taken. */
sarrus_sink_outcome sarrus_outcome_copy_view(const sarrus_outcome_copy *copy);

#endif

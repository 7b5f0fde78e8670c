/* What a result file holds beside the arrays over instances and times: measures that change in place, and a table that grows. */
#ifndef SARRUS_SINK_RESULT_TABLE_H
#define SARRUS_SINK_RESULT_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include <hdf5.h>

#include "sink/description.h"

typedef struct sarrus_result_table {
    int n_measures, n_columns;
    hid_t *measures; /* [n_measures] datasets [n_instances] */
    hid_t *columns;  /* [n_columns] datasets [n_rows], of which the first is the dimension scale */
    uint64_t n_rows;
} sarrus_result_table;

/* Creates the datasets, empty; measures are described but without scale. False when HDF5 refused or memory is out. */
bool sarrus_result_table_create(sarrus_result_table *table, hid_t file, const sarrus_sink_description *description);

/* Writes the measures and appends the rows of an outcome. A row is part of the file once it is flushed. */
bool sarrus_result_table_write(sarrus_result_table *table, const sarrus_sink_outcome *outcome);

/* Every state is allowed, one of zeros too. */
void sarrus_result_table_close(sarrus_result_table *table);

#endif

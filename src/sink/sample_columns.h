/* An own sample from an HDF5 file: of a result of this program, or with a dataset for each parameter. */
#ifndef SARRUS_SINK_SAMPLE_COLUMNS_H
#define SARRUS_SINK_SAMPLE_COLUMNS_H

#include "core/sample_table.h"

/* Reads the datasets [n_rows] of numbers in /instance/parameters or, where there is no such group, at the top of the file; each is
 * a column with its name. `*out` is to be given to sarrus_sample_table_free in any case. IO, BAD_INPUT, NO_MEMORY. */
SARRUS_MUST_USE sarrus_status sarrus_sample_columns_read(sarrus_context *context, const char *path, sarrus_sample_table *out);

#endif

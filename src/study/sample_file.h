/* An own sample of a run: `--samples FILE`. */
#ifndef SARRUS_STUDY_SAMPLE_FILE_H
#define SARRUS_STUDY_SAMPLE_FILE_H

#include "core/sample_table.h"
#include "sarrus/study.h"

/* Reads a table of numbers with a line of names (.csv), an array of two dimensions without names (.npy) or a dataset for each
 * parameter (HDF5); the file's first bytes say which it is. `*out` is to be given to sarrus_sample_table_free in any case.
 * BAD_INPUT, IO, NO_MEMORY. */
SARRUS_MUST_USE sarrus_status sarrus_sample_file_read(sarrus_context *context, const char *path, sarrus_sample_table *out);

/* The numbers as draws of the model, each column for the sampled parameter of its name; without names in the order of the scenario.
 * Columns of further paths of a draw go, where they are those of the first once more.
 * BAD_INPUT: a column that is of none, a parameter without a column; NO_MEMORY. */
SARRUS_MUST_USE sarrus_status sarrus_sample_draws(sarrus_context *context, const char *path, sarrus_sample_table *table,
                                                  const sarrus_model *model, sarrus_draws **out);

/* "batch.parameters=[…]", by which a scenario that draws nothing draws the columns of the table, between the least and the largest
 * number of each; to be freed. NULL: they have no names, or no memory. */
char *sarrus_sample_setting(const sarrus_sample_table *table);

#endif

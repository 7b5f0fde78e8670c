/* An own sample as a file has it: a row for each instance, a column for each parameter. */
#ifndef SARRUS_CORE_SAMPLE_TABLE_H
#define SARRUS_CORE_SAMPLE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sarrus/context.h"

enum { SARRUS_SAMPLE_MOST_COLUMNS = 100000 };

typedef struct sarrus_sample_table {
    int n_columns;
    uint64_t n_rows;
    char **labels;  /* [n_columns]; NULL: the columns have no names */
    int line;       /* where the names stand in a text, from 1; 0: in no text */
    int *places;    /* [n_columns] columns there, from 1; NULL: in no text */
    double *values; /* [n_rows][n_columns] */
} sarrus_sample_table;

/* Reads a table of numbers between commas (or semicolons, or tabs, if the first line has these and no comma): the first line that
 * is not empty and no comment (#) has the names, the others a number each, in the notation of C. Quotes may stand about a name or a
 * number. `file` is the name for messages, text [n_bytes + 1] ends with a 0 byte. `*out` is to be given to
 * sarrus_sample_table_free in any case. BAD_INPUT with FILE:LINE:COL; NO_MEMORY. */
SARRUS_MUST_USE sarrus_status sarrus_sample_csv_read(sarrus_context *context, const char *file, const char *text, size_t n_bytes,
                                                     sarrus_sample_table *out);

/* Adds a column with this name, copied; false without memory. */
bool sarrus_sample_label_add(sarrus_sample_table *table, const char *text, size_t n_bytes);

void sarrus_sample_table_free(sarrus_sample_table *table);

#endif

#include "core/sample_table.h"

#include <stdlib.h>
#include <string.h>

bool sarrus_sample_label_add(sarrus_sample_table *table, const char *text, size_t n_bytes) {
    char **labels = realloc((void *)table->labels, ((size_t)table->n_columns + 1) * sizeof *labels);
    if (labels != NULL)
        table->labels = labels;
    char *label = labels != NULL ? strndup(text, n_bytes) : NULL;
    if (label == NULL)
        return false;
    labels[table->n_columns++] = label;
    return true;
}

void sarrus_sample_table_free(sarrus_sample_table *table) {
    for (int i = 0; table->labels != NULL && i < table->n_columns; ++i)
        free(table->labels[i]);
    free((void *)table->labels);
    free(table->places);
    free(table->values);
    *table = (sarrus_sample_table){0};
}

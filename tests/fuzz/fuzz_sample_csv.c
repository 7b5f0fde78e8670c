/* Any text as a table of an own sample: no crash, no byte outside of it; what is refused has a message, and what is taken has a
 * finite number for each name in each row, and a name for each column. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/sample_table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int condition) {
    if (!condition) {
        abort();
    }
}

static void table_look(const sarrus_sample_table *table) {
    must(table->n_columns > 0 && table->n_rows > 0 && table->line > 0);
    for (int i = 0; i < table->n_columns; ++i) {
        must(table->labels[i][0] != '\0' && table->places[i] > 0);
    }
    for (uint64_t i = 0; i < table->n_rows * (uint64_t)table->n_columns; ++i) {
        must(isfinite(table->values[i]));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *text = malloc(size + 1);
    sarrus_context *context = NULL;
    sarrus_sample_table table;
    must(text != NULL && sarrus_context_create(&context) == SARRUS_OK);
    if (size > 0) {
        memcpy(text, data, size);
    }
    text[size] = '\0';
    const sarrus_status status = sarrus_sample_csv_read(context, "a.csv", text, size, &table);
    if (status == SARRUS_OK) {
        table_look(&table);
    } else {
        must(status == SARRUS_BAD_INPUT && sarrus_context_n_diagnostics(context) == 1);
    }
    sarrus_sample_table_free(&table);
    sarrus_context_destroy(context);
    free(text);
    return 0;
}

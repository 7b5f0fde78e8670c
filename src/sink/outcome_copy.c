#include "sink/outcome_copy.h"

#include <stdlib.h>
#include <string.h>

bool sarrus_outcome_copy_make(const sarrus_sink_description *description, sarrus_outcome_copy *out) {
    const size_t n = description->n_instances, n_measures = (size_t)description->n_measures;
    const size_t n_columns = (size_t)description->n_columns;
    *out = (sarrus_outcome_copy){.n_instances = n, .n_measures = description->n_measures, .n_columns = description->n_columns};
    out->status = malloc(n);
    out->failed_time = malloc(n * sizeof *out->failed_time);
    out->measure_numbers = calloc(n_measures * n + 1, sizeof *out->measure_numbers);
    out->measures = calloc(n_measures + 1, sizeof *out->measures);
    out->rows = calloc(n_columns + 1, sizeof *out->rows);
    if (out->status == NULL || out->failed_time == NULL || out->measure_numbers == NULL || out->measures == NULL ||
        out->rows == NULL) {
        return false;
    }
    for (size_t c = 0; c < n_measures; ++c) {
        out->measures[c] = out->measure_numbers + c * n;
    }
    return true;
}

void sarrus_outcome_copy_free(sarrus_outcome_copy *copy) {
    free(copy->status);
    free(copy->failed_time);
    free(copy->measure_numbers);
    free(copy->row_numbers);
    free(copy->measures);
    free(copy->rows);
    *copy = (sarrus_outcome_copy){0};
}

static bool rows_take(sarrus_outcome_copy *copy, const sarrus_sink_outcome *outcome) {
    const size_t n_columns = (size_t)copy->n_columns, n_rows = outcome->rows != NULL ? outcome->n_rows : 0;
    if (n_rows > copy->n_reserved) {
        const bool fits = n_rows <= SIZE_MAX / sizeof *copy->row_numbers / (n_columns + 1);
        free(copy->row_numbers);
        copy->row_numbers = fits ? malloc(n_columns * n_rows * sizeof *copy->row_numbers + 1) : NULL;
        copy->n_reserved = copy->row_numbers != NULL ? n_rows : 0;
    }
    if (n_rows > copy->n_reserved) {
        return false;
    }
    copy->n_rows = n_columns > 0 ? n_rows : 0;
    for (size_t c = 0; c < n_columns && n_rows > 0; ++c) {
        memcpy(copy->row_numbers + c * n_rows, outcome->rows[c], n_rows * sizeof *copy->row_numbers);
        copy->rows[c] = copy->row_numbers + c * n_rows;
    }
    return true;
}

bool sarrus_outcome_copy_take(sarrus_outcome_copy *copy, const sarrus_sink_outcome *outcome) {
    if (!rows_take(copy, outcome)) {
        return false;
    }
    memcpy(copy->status, outcome->status, copy->n_instances);
    memcpy(copy->failed_time, outcome->failed_time, copy->n_instances * sizeof *copy->failed_time);
    copy->has_measures = outcome->measures != NULL;
    for (int c = 0; copy->has_measures && c < copy->n_measures; ++c) {
        memcpy(copy->measure_numbers + (size_t)c * copy->n_instances, outcome->measures[c],
               copy->n_instances * sizeof *copy->measure_numbers);
    }
    return true;
}

sarrus_sink_outcome sarrus_outcome_copy_view(const sarrus_outcome_copy *copy) {
    return (sarrus_sink_outcome){.status = copy->status,
                                 .failed_time = copy->failed_time,
                                 .measures = copy->has_measures ? copy->measures : NULL,
                                 .n_rows = copy->n_rows,
                                 .rows = copy->n_rows > 0 ? copy->rows : NULL};
}

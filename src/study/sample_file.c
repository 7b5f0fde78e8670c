#include "study/sample_file.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/hdf5_signature.h"
#include "core/npy_input.h"
#include "core/report.h"
#include "model/model.h"
#include "scenario/suggest.h"
#include "sink/sample_columns.h"

enum { PIECE_BYTES = 1 << 16 };

static sarrus_status report(sarrus_context *context, sarrus_status status, const char *path, const char *message) {
    const sarrus_location location = {.file = path};
    return sarrus_report_at(context, SARRUS_ERROR, status, &location, "%s", message);
}

/* The head [n_head] and all of a stream behind it, and a 0 byte; NULL: errno says why. */
static char *text_read(FILE *stream, const unsigned char *head, size_t n_head, size_t *n_bytes) {
    char *text = NULL;
    size_t n = 0, n_room = 0;
    do {
        if (n_room - n < PIECE_BYTES + 1) {
            n_room = 2 * n_room + PIECE_BYTES + 1;
            char *more = realloc(text, n_room);
            if (more == NULL) {
                free(text);
                errno = ENOMEM;
                return NULL;
            }
            text = more;
        }
        if (n == 0) {
            memcpy(text, head, n_head);
            n = n_head;
        }
        n += fread(text + n, 1, n_room - n - 1, stream);
    } while (!feof(stream) && !ferror(stream));
    if (ferror(stream)) {
        const int error = errno;
        free(text);
        errno = error;
        return NULL;
    }
    text[n] = '\0';
    *n_bytes = n;
    return text;
}

/* Devices have no end. */
static bool is_device(FILE *stream) {
    struct stat about;
    return fstat(fileno(stream), &about) == 0 && (S_ISCHR(about.st_mode) || S_ISBLK(about.st_mode));
}

static sarrus_status npy_read(sarrus_context *context, const char *path, sarrus_sample_table *out) {
    sarrus_npy_input input;
    sarrus_status status = sarrus_npy_input_open(context, path, &input);
    if (status == SARRUS_OK && input.header.n_dims != 2)
        status =
            report(context, SARRUS_BAD_INPUT, path, "the array has more than two dimensions; expected [instances, parameters]");
    if (status == SARRUS_OK && input.n_columns > SARRUS_SAMPLE_MOST_COLUMNS)
        status = report(context, SARRUS_BAD_INPUT, path, "the array has too many columns; expected one for each parameter");
    if (status == SARRUS_OK) {
        const uint64_t most = SIZE_MAX / sizeof(double) / input.n_columns;
        out->n_columns = (int)input.n_columns;
        out->n_rows = input.n_rows;
        out->values = input.n_rows <= most ? malloc((size_t)(input.n_rows * input.n_columns) * sizeof *out->values) : NULL;
        status = out->values == NULL ? report(context, SARRUS_NO_MEMORY, path, "out of memory for the numbers of the sample")
                                     : sarrus_npy_input_read(context, &input, 0, 1, out->values);
    }
    sarrus_npy_input_close(&input);
    return status;
}

sarrus_status sarrus_sample_file_read(sarrus_context *context, const char *path, sarrus_sample_table *out) {
    const sarrus_location location = {.file = path};
    *out = (sarrus_sample_table){0};
    FILE *stream = fopen(path, "rbe");
    unsigned char head[SARRUS_HDF5_SIGNATURE_BYTES];
    if (stream != NULL && is_device(stream)) {
        fclose(stream);
        return report(context, SARRUS_IO, path, "is a device; expected a file, or a pipe");
    }
    const size_t n_head = stream != NULL ? fread(head, 1, sizeof head, stream) : 0;
    const bool is_npy = sarrus_npy_is(head, n_head);
    const bool is_hdf5 = sarrus_is_hdf5(head, n_head);
    size_t n_bytes = 0;
    /* A result may be larger than the memory: only texts are read as a whole. */
    char *text = stream != NULL && !is_npy && !is_hdf5 ? text_read(stream, head, n_head, &n_bytes) : NULL;
    const int error = errno;
    if (stream != NULL)
        fclose(stream);
    sarrus_status status;
    if (is_npy)
        status = npy_read(context, path, out);
    else if (is_hdf5)
        status = sarrus_sample_columns_read(context, path, out);
    else if (text == NULL)
        status = sarrus_report_at(context, SARRUS_ERROR, error == ENOMEM ? SARRUS_NO_MEMORY : SARRUS_IO, &location,
                                  "cannot be read: %s", strerrordesc_np(error));
    else
        status = sarrus_sample_csv_read(context, path, text, n_bytes, out);
    free(text);
    return status;
}

static bool is_drawn(const sarrus_model *model, const char *label) {
    for (int i = 0; i < model->batch.n_sampled; ++i)
        if (strcmp(model->batch.sampled[i].label, label) == 0)
            return true;
    return false;
}

/* Of the first n columns. */
static int n_columns_of(const sarrus_sample_table *table, int n_first, const char *label) {
    int n = 0;
    for (int i = 0; i < n_first; ++i)
        n += strcmp(table->labels[i], label) == 0;
    return n;
}

/* A column that is of no drawn parameter, or the second of one. */
static sarrus_status column_refuse(sarrus_context *context, const char *path, const sarrus_sample_table *table, int i_column,
                                   const sarrus_model *model) {
    const char *label = table->labels[i_column];
    const int column = table->places != NULL ? table->places[i_column] : 0;
    const sarrus_location location = {.file = path, .line = table->line, .column = column};
    sarrus_suggestion suggestion = sarrus_suggestion_for(label);
    if (n_columns_of(table, i_column, label) > 0)
        return sarrus_report_at(context, SARRUS_ERROR, SARRUS_BAD_INPUT, &location,
                                "'%s' has more than one column; expected each parameter once", label);
    const sarrus_sampled *sampled = sarrus_model_draw_find(model, sarrus_model_value_find(model, label));
    if (sampled != NULL)
        return sarrus_report_at(context, SARRUS_ERROR, SARRUS_BAD_INPUT, &location,
                                "'%s' has other numbers than '%s', which is one draw; expected each parameter once", label,
                                sampled->label);
    for (int i = 0; i < model->batch.n_sampled; ++i)
        sarrus_suggestion_offer(&suggestion, model->batch.sampled[i].label);
    if (sarrus_suggestion_close(&suggestion) != NULL)
        return sarrus_report_at(context, SARRUS_ERROR, SARRUS_BAD_INPUT, &location,
                                "the scenario does not draw '%s'; did you mean '%s'?", label, sarrus_suggestion_close(&suggestion));
    return sarrus_report_at(context, SARRUS_ERROR, SARRUS_BAD_INPUT, &location,
                            "the scenario does not draw '%s'; expected a column for each of its batch.parameters and no other, "
                            "or a scenario that draws nothing",
                            label);
}

/* The column of the draw that `label` is a further path of; −1: it is none. */
static int column_of_draw(const sarrus_sample_table *table, const sarrus_model *model, const char *label) {
    const sarrus_sampled *sampled = sarrus_model_draw_find(model, sarrus_model_value_find(model, label));
    for (int i = 0; sampled != NULL && strcmp(sampled->label, label) != 0 && i < table->n_columns; ++i)
        if (strcmp(table->labels[i], sampled->label) == 0)
            return i;
    return -1;
}

/* A column of any path of a draw is its column, where it has none by its name. False: out of memory. */
static bool paths_rename(const sarrus_model *model, sarrus_sample_table *table) {
    bool ok = true;
    for (int i = 0; ok && i < table->n_columns; ++i) {
        const char *label = table->labels[i];
        const sarrus_sampled *sampled = sarrus_model_draw_find(model, sarrus_model_value_find(model, label));
        if (sampled == NULL || is_drawn(model, label) || n_columns_of(table, table->n_columns, sampled->label) > 0)
            continue;
        char *name = strdup(sampled->label);
        ok = name != NULL;
        if (ok) {
            free(table->labels[i]);
            table->labels[i] = name;
        }
    }
    return ok;
}

/* A result has the numbers of a draw for several paths under each of them: columns that are the same as the first's are dropped. */
static void further_paths_drop(const sarrus_model *model, sarrus_sample_table *table) {
    for (int i = table->n_columns - 1; i >= 0; --i) {
        const size_t n = (size_t)table->n_columns;
        const int first = column_of_draw(table, model, table->labels[i]);
        uint64_t row = 0;
        while (first >= 0 && row < table->n_rows && table->values[row * n + (size_t)i] == table->values[row * n + (size_t)first])
            ++row;
        if (first < 0 || row < table->n_rows)
            continue;
        double *to = table->values;
        for (size_t k = 0; k < (size_t)table->n_rows * n; ++k)
            if (k % n != (size_t)i)
                *to++ = table->values[k];
        free(table->labels[i]);
        table->n_columns -= 1;
        for (int k = i; k < table->n_columns; ++k) {
            table->labels[k] = table->labels[k + 1];
            if (table->places != NULL)
                table->places[k] = table->places[k + 1];
        }
    }
}

static sarrus_status labels_check(sarrus_context *context, const char *path, const sarrus_sample_table *table,
                                  const sarrus_model *model) {
    const sarrus_location location = {.file = path, .line = table->line, .column = table->line > 0};
    for (int i = 0; i < table->n_columns; ++i)
        if (!is_drawn(model, table->labels[i]) || n_columns_of(table, i, table->labels[i]) > 0)
            return column_refuse(context, path, table, i, model);
    for (int i = 0; i < model->batch.n_sampled; ++i)
        if (n_columns_of(table, table->n_columns, model->batch.sampled[i].label) == 0)
            return sarrus_report_at(context, SARRUS_ERROR, SARRUS_BAD_INPUT, &location,
                                    "no column is '%s', which the scenario draws; expected one for each of its batch.parameters",
                                    model->batch.sampled[i].label);
    return SARRUS_OK;
}

sarrus_status sarrus_sample_draws(sarrus_context *context, const char *path, sarrus_sample_table *table, const sarrus_model *model,
                                  sarrus_draws **out) {
    const sarrus_location location = {.file = path};
    *out = NULL;
    if (table->labels != NULL && !paths_rename(model, table))
        return sarrus_report(context, SARRUS_NO_MEMORY, "out of memory for the sample");
    if (table->labels != NULL)
        further_paths_drop(model, table);
    if (table->labels == NULL && table->n_columns != model->batch.n_sampled)
        return sarrus_report_at(context, SARRUS_ERROR, SARRUS_BAD_INPUT, &location,
                                "the array has %d column%s; expected %d, one for each of the scenario's batch.parameters",
                                table->n_columns, table->n_columns == 1 ? "" : "s", model->batch.n_sampled);
    const sarrus_status status = table->labels != NULL ? labels_check(context, path, table, model) : SARRUS_OK;
    return status != SARRUS_OK ? status
                               : sarrus_draws_from_values(context, model, (const char *const *)table->labels, table->n_columns,
                                                          table->n_rows, table->values, out);
}

/* One entry of batch.parameters; a column of one number is a normal distribution without a width. */
static void entry_print(const sarrus_sample_table *table, int i_column, FILE *stream) {
    double low = table->values[i_column], high = low;
    for (uint64_t i = 1; i < table->n_rows; ++i) {
        const double x = table->values[i * (uint64_t)table->n_columns + (uint64_t)i_column];
        low = x < low ? x : low;
        high = x > high ? x : high;
    }
    fputs(i_column > 0 ? ", {path: '" : "{path: '", stream);
    for (const char *c = table->labels[i_column]; *c != '\0'; ++c)
        fputs(*c == '\'' ? "''" : (char[]){*c, '\0'}, stream);
    if (low < high)
        fprintf(stream, "', distribution: uniform, low: %.17g, high: %.17g}", low, high);
    else
        fprintf(stream, "', distribution: normal, mean: %.17g, sd: 0}", low);
}

char *sarrus_sample_setting(const sarrus_sample_table *table) {
    char *text = NULL;
    size_t n = 0;
    FILE *stream = table->labels != NULL ? open_memstream(&text, &n) : NULL;
    if (stream == NULL)
        return NULL;
    fputs("batch.parameters=[", stream);
    for (int i = 0; i < table->n_columns; ++i)
        entry_print(table, i, stream);
    fputs("]", stream);
    if (fclose(stream) == 0)
        return text;
    free(text);
    return NULL;
}

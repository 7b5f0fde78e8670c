#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/report.h"
#include "core/sample_table.h"

enum { CELL_SHOWN = 60 };

/* Where we are in the text. */
typedef struct csv_reading {
    sarrus_context *context;
    const char *file, *text;
    const char *at;         /* what is next */
    const char *line_start; /* of the line that `at` is in */
    int line;
    char separator;
    uint64_t n_room; /* rows that there is room for */
} csv_reading;

/* One entry of a line, without what surrounds it. */
typedef struct csv_cell {
    const char *text;
    size_t n;
    bool is_last; /* of its line */
} csv_cell;

static sarrus_location location_of(const csv_reading *reading, const char *at) {
    return (sarrus_location){
        .file = reading->file, .text = reading->text, .line = reading->line, .column = (int)(at - reading->line_start) + 1};
}

static bool is_blank(char c) {
    return c == ' ' || (c == '\t');
}

static bool ends_line(char c) {
    return c == '\0' || c == '\n' || c == '\r';
}

/* Behind the end of this line. */
static void line_end(csv_reading *reading) {
    while (!ends_line(*reading->at))
        ++reading->at;
    if (*reading->at == '\r')
        ++reading->at;
    if (*reading->at == '\n')
        ++reading->at;
    reading->line_start = reading->at;
    ++reading->line;
}

/* To the first entry of the next line that has any; false: there is none. */
static bool line_find(csv_reading *reading) {
    while (*reading->at != '\0') {
        const char *c = reading->at;
        while (is_blank(*c))
            ++c;
        if (!ends_line(*c) && *c != '#')
            return true;
        line_end(reading);
    }
    return false;
}

/* The next entry; false when a quote does not end, which is reported. */
static bool cell_next(csv_reading *reading, csv_cell *out) {
    const char separator = reading->separator;
    const char *c = reading->at;
    while (is_blank(*c) && *c != separator)
        ++c;
    const bool is_quoted = *c == '"';
    const char *begin = is_quoted ? c + 1 : c, *end = begin;
    if (is_quoted) {
        while (!ends_line(*end) && *end != '"')
            ++end;
        const char *behind = end + (*end == '"');
        while (is_blank(*behind) && *behind != separator)
            ++behind;
        if (*end != '"' || (!ends_line(*behind) && *behind != separator)) {
            const sarrus_location location = location_of(reading, c);
            (void)sarrus_report_at(reading->context, SARRUS_ERROR, SARRUS_BAD_INPUT, &location,
                                   "a quote that does not enclose the entry; expected '\"' at both of its ends");
            return false;
        }
        c = behind;
    } else {
        while (!ends_line(*c) && *c != separator)
            ++c;
        end = c;
        while (end > begin && is_blank(end[-1]))
            --end;
    }
    out->text = begin;
    out->n = (size_t)(end - begin);
    out->is_last = ends_line(*c);
    reading->at = c + !out->is_last;
    return true;
}

/* A number that is all of the entry. */
static bool number_of(const csv_cell *cell, double *out) {
    char own[400];
    char *end = own;
    if (cell->n == 0 || cell->n >= sizeof own || is_blank(cell->text[0]))
        return false;
    memcpy(own, cell->text, cell->n);
    own[cell->n] = '\0';
    *out = strtod(own, &end);
    return *end == '\0' && end != own;
}

static void separator_choose(csv_reading *reading) {
    static const char separators[] = ",;\t";
    reading->separator = ',';
    for (const char *s = separators; *s != '\0'; ++s) {
        const char *found = strpbrk(reading->at, (char[]){*s, '\n', '\r', '\0'});
        if (found != NULL && *found == *s) {
            reading->separator = *s;
            return;
        }
    }
}

static bool label_add(csv_reading *reading, const csv_cell *cell, sarrus_sample_table *out) {
    int *places = realloc(out->places, ((size_t)out->n_columns + 1) * sizeof *places);
    if (places == NULL)
        return false;
    out->places = places;
    places[out->n_columns] = location_of(reading, cell->text).column;
    return sarrus_sample_label_add(out, cell->text, cell->n);
}

static sarrus_status labels_read(csv_reading *reading, sarrus_sample_table *out) {
    csv_cell cell;
    out->line = reading->line;
    do {
        double number;
        if (!cell_next(reading, &cell))
            return SARRUS_BAD_INPUT;
        const sarrus_location location = location_of(reading, cell.text);
        if (cell.n == 0)
            return sarrus_report_at(reading->context, SARRUS_ERROR, SARRUS_BAD_INPUT, &location,
                                    "a column without a name; expected names or paths of parameters in this line");
        if (number_of(&cell, &number))
            return sarrus_report_at(reading->context, SARRUS_ERROR, SARRUS_BAD_INPUT, &location,
                                    "the first line has numbers; expected names or paths of parameters, and numbers below");
        if (out->n_columns >= SARRUS_SAMPLE_MOST_COLUMNS)
            return sarrus_report_at(reading->context, SARRUS_ERROR, SARRUS_BAD_INPUT, &location, "more than %d columns",
                                    SARRUS_SAMPLE_MOST_COLUMNS);
        if (!label_add(reading, &cell, out))
            return sarrus_report(reading->context, SARRUS_NO_MEMORY, "out of memory");
    } while (!cell.is_last);
    return SARRUS_OK;
}

/* Room for another row. */
static sarrus_status row_reserve(csv_reading *reading, sarrus_sample_table *out) {
    if (out->n_rows < reading->n_room)
        return SARRUS_OK;
    const uint64_t n_room = reading->n_room == 0 ? 64 : 2 * reading->n_room;
    const size_t n_row = (size_t)out->n_columns * sizeof(double);
    double *values = n_room > SIZE_MAX / n_row ? NULL : realloc(out->values, (size_t)n_room * n_row);
    if (values == NULL)
        return sarrus_report(reading->context, SARRUS_NO_MEMORY, "out of memory for more than %llu rows of %s",
                             (unsigned long long)out->n_rows, reading->file);
    reading->n_room = n_room;
    out->values = values;
    return SARRUS_OK;
}

static sarrus_status number_refuse(const csv_reading *reading, const csv_cell *cell) {
    const sarrus_location location = location_of(reading, cell->text);
    const int n_shown = cell->n < CELL_SHOWN ? (int)cell->n : CELL_SHOWN;
    if (cell->n == 0)
        return sarrus_report_at(reading->context, SARRUS_ERROR, SARRUS_BAD_INPUT, &location, "nothing here; expected a number");
    return sarrus_report_at(reading->context, SARRUS_ERROR, SARRUS_BAD_INPUT, &location,
                            "'%.*s' is no finite number; expected one, as 0.25 or 1e-3", n_shown, cell->text);
}

static sarrus_status row_read(csv_reading *reading, sarrus_sample_table *out) {
    sarrus_status status = row_reserve(reading, out);
    if (status != SARRUS_OK)
        return status;
    double *row = out->values + out->n_rows * (uint64_t)out->n_columns;
    csv_cell cell = {.is_last = false};
    int n = 0;
    while (!cell.is_last) {
        double number;
        if (!cell_next(reading, &cell))
            return SARRUS_BAD_INPUT;
        const sarrus_location location = location_of(reading, cell.text);
        if (n == out->n_columns)
            return sarrus_report_at(reading->context, SARRUS_ERROR, SARRUS_BAD_INPUT, &location,
                                    "more numbers than the %d names in line %d; expected one for each", n, out->line);
        if (!number_of(&cell, &number) || !isfinite(number))
            return number_refuse(reading, &cell);
        row[n++] = number;
        if (cell.is_last && n < out->n_columns)
            return sarrus_report_at(reading->context, SARRUS_ERROR, SARRUS_BAD_INPUT, &location,
                                    "the line ends after %d number%s; expected %d, one for each name in line %d", n,
                                    n == 1 ? "" : "s", out->n_columns, out->line);
    }
    ++out->n_rows;
    return SARRUS_OK;
}

sarrus_status sarrus_sample_csv_read(sarrus_context *context, const char *file, const char *text, size_t n_bytes,
                                     sarrus_sample_table *out) {
    static const char mark[] = "\xef\xbb\xbf"; /* of UTF-8, as spreadsheets write it */
    const char *begin = strncmp(text, mark, 3) == 0 ? text + 3 : text;
    csv_reading reading = {.context = context, .file = file, .text = text, .at = begin, .line_start = begin, .line = 1};
    const sarrus_location whole = {.file = file}, begins = {.file = file, .line = 1, .column = 1};
    *out = (sarrus_sample_table){0};
    if (strlen(text) != n_bytes)
        return sarrus_report_at(context, SARRUS_ERROR, SARRUS_BAD_INPUT, &whole,
                                "neither a text nor a .npy nor an HDF5 file; expected one of them");
    if (!line_find(&reading))
        return sarrus_report_at(context, SARRUS_ERROR, SARRUS_BAD_INPUT, &begins,
                                "the file has no line; expected names of parameters, and a line of numbers for each instance");
    separator_choose(&reading);
    sarrus_status status = labels_read(&reading, out);
    if (status == SARRUS_OK)
        line_end(&reading);
    while (status == SARRUS_OK && line_find(&reading)) {
        status = row_read(&reading, out);
        line_end(&reading);
    }
    const sarrus_location names = {.file = file, .line = out->line, .column = 1};
    if (status == SARRUS_OK && out->n_rows == 0)
        status = sarrus_report_at(context, SARRUS_ERROR, SARRUS_BAD_INPUT, &names,
                                  "names of parameters and no numbers; expected a line of them for each instance");
    return status;
}

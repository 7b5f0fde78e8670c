/* Measures and a growing table of known numbers for a fixture's file, and reading them back. */
#ifndef TESTS_SINK_TABLE_FIXTURE_H
#define TESTS_SINK_TABLE_FIXTURE_H

#include "sink_fixture.h"

enum { TABLE_MEASURES = 2, TABLE_COLUMNS = 3, TABLE_ROWS_MAX = 24, TABLE_CHUNK = 8 };

typedef struct table_fixture {
    uint64_t n_instances, n_rows; /* rows handed over so far */
    double *measures[TABLE_MEASURES];
    double *rows[TABLE_COLUMNS]; /* [TABLE_ROWS_MAX] */
} table_fixture;

static const sarrus_sink_measure table_measures[TABLE_MEASURES] = {{"instance/steps", "steps", "1", SARRUS_SINK_U64},
                                                                   {"instance/nearest", "distance", "m", SARRUS_SINK_F64}};
static const sarrus_sink_column table_columns[TABLE_COLUMNS] = {
    {"events/rank/event_time", "time of the event", "s", SARRUS_SINK_F64},
    {"events/rank/instance", "instance", "1", SARRUS_SINK_U64},
    {"events/rank/after", "rank", "1", SARRUS_SINK_U16},
};

static inline table_fixture table_create(const fixture *f) {
    table_fixture table = {.n_instances = f->n_instances};
    for (int c = 0; c < TABLE_MEASURES; ++c) {
        table.measures[c] = calloc(f->n_instances, sizeof(double));
    }
    for (int c = 0; c < TABLE_COLUMNS; ++c) {
        table.rows[c] = calloc(TABLE_ROWS_MAX, sizeof(double));
    }
    return table;
}

static inline void table_destroy(table_fixture *table) {
    for (int c = 0; c < TABLE_MEASURES; ++c) {
        free(table->measures[c]);
    }
    for (int c = 0; c < TABLE_COLUMNS; ++c) {
        free(table->rows[c]);
    }
}

static inline sarrus_sink_description table_description(const fixture *f) {
    sarrus_sink_description description = fixture_description(f);
    description.n_measures = TABLE_MEASURES;
    description.measures = table_measures;
    description.n_columns = TABLE_COLUMNS;
    description.columns = table_columns;
    description.columns_scale = "event_time";
    description.rows_of_chunk = TABLE_CHUNK;
    return description;
}

/* Rows that come with commit k, and with all commits before it. Some bring none, some more than a chunk. */
static inline uint64_t table_n_rows(uint64_t k) {
    return (7 * k + 5) % TABLE_ROWS_MAX;
}

static inline uint64_t table_n_rows_before(uint64_t k) {
    uint64_t n = 0;
    for (uint64_t i = 0; i < k; ++i) {
        n += table_n_rows(i);
    }
    return n;
}

/* Number of column c in row r: any bits but NaNs, 53 bits, 16 bits. */
static inline double table_value(int c, uint64_t r) {
    const uint64_t noise = fixture_noise(77 + r * TABLE_COLUMNS + (uint64_t)c);
    return c == 0 ? 1e-3 * (double)(r / 3) : (double)(noise >> (c == 1 ? 11 : 48));
}

static inline double table_measure(int c, uint64_t i, uint64_t k) {
    return (double)((k + 1) * 1000 + i * 10) + 0.25 * c;
}

/* What is handed over with commit k, added to `outcome`. */
static inline sarrus_sink_outcome table_outcome(table_fixture *table, uint64_t k, sarrus_sink_outcome outcome) {
    outcome.n_rows = table_n_rows(k);
    for (int c = 0; c < TABLE_COLUMNS; ++c) {
        for (uint64_t r = 0; r < outcome.n_rows; ++r) {
            table->rows[c][r] = table_value(c, table->n_rows + r);
        }
    }
    for (int c = 0; c < TABLE_MEASURES; ++c) {
        for (uint64_t i = 0; i < table->n_instances; ++i) {
            table->measures[c][i] = table_measure(c, i, k);
        }
    }
    table->n_rows += outcome.n_rows;
    outcome.measures = (const double *const *)table->measures;
    outcome.rows = (const double *const *)table->rows;
    return outcome;
}

static inline uint64_t table_length(hid_t dataset) {
    hsize_t n = 0;
    hid_t space = H5Dget_space(dataset);
    H5Sget_simple_extent_dims(space, &n, NULL);
    H5Sclose(space);
    return n;
}

/* Length of a column, all of whose rows are the numbers written; −1 when one is not, or cannot be read. */
static inline int64_t table_check_column(hid_t file, int c) {
    hid_t dataset = H5Dopen2(file, table_columns[c].path, H5P_DEFAULT);
    if (dataset < 0) {
        return -1;
    }
    const uint64_t n = table_length(dataset);
    double *values = malloc((n + 1) * sizeof *values);
    bool ok = values != NULL && H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0;
    for (uint64_t r = 0; ok && r < n; ++r) {
        ok = values[r] == table_value(c, r);
    }
    free(values);
    H5Dclose(dataset);
    return ok ? (int64_t)n : -1;
}

#endif

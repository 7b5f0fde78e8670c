#include "sink/result_table.h"

#include <math.h>
#include <stdlib.h>

#include <hdf5_hl.h>

#include "sink/hdf5_object.h"

enum { ROWS_OF_CHUNK = 4096 };

/* Negative ids, so that closing needs no count of what was opened. */
static hid_t *make_ids(int n) {
    hid_t *ids = malloc(((size_t)n + 1) * sizeof *ids);
    for (int i = 0; ids != NULL && i < n; ++i) {
        ids[i] = -1;
    }
    return ids;
}

static hid_t column_type(sarrus_sink_type type) {
    return type == SARRUS_SINK_F64 ? H5T_NATIVE_DOUBLE : type == SARRUS_SINK_U16 ? H5T_NATIVE_UINT16 : H5T_NATIVE_UINT64;
}

/* The last chunk of a column is written again whenever rows are added. Without filters it keeps its place and its first rows
 * their bytes, so that whatever was committed reads back however far such a write has come; a compressed chunk would move, and a
 * checksum would fail in between. */
static bool create_column(sarrus_result_table *table, hid_t file, const sarrus_sink_description *description, int i) {
    const sarrus_sink_column *given = &description->columns[i];
    const hsize_t none = 0, unlimited = H5S_UNLIMITED;
    const hsize_t chunk = description->rows_of_chunk > 0 ? description->rows_of_chunk : ROWS_OF_CHUNK;
    table->columns[i] = sarrus_hdf5_create_dataset(
        file, given->path, column_type(given->type),
        &(sarrus_hdf5_shape){.n_dims = 1, .dims = &none, .dims_max = &unlimited, .chunk = &chunk, .is_plain = true});
    return sarrus_hdf5_describe(table->columns[i], given->units, given->long_name);
}

bool sarrus_result_table_create(sarrus_result_table *table, hid_t file, const sarrus_sink_description *description) {
    const hsize_t n_instances = description->n_instances;
    const double unknown = NAN;
    *table = (sarrus_result_table){.n_measures = description->n_measures, .n_columns = description->n_columns};
    table->measures = make_ids(description->n_measures);
    table->columns = make_ids(description->n_columns);
    bool ok = table->measures != NULL && table->columns != NULL;
    for (int c = 0; ok && c < table->n_measures; ++c) {
        const sarrus_sink_measure *given = &description->measures[c];
        const sarrus_hdf5_shape shape = {
            .n_dims = 1, .dims = &n_instances, .fill = given->type == SARRUS_SINK_F64 ? &unknown : NULL};
        table->measures[c] = sarrus_hdf5_create_dataset(file, given->path, column_type(given->type), &shape);
        ok = sarrus_hdf5_describe(table->measures[c], given->units, given->long_name);
    }
    for (int c = 0; ok && c < table->n_columns; ++c) {
        ok = create_column(table, file, description, c);
    }
    if (ok && table->n_columns > 0) {
        ok = H5DSset_scale(table->columns[0], description->columns_scale) >= 0;
    }
    for (int c = 1; ok && c < table->n_columns; ++c) {
        ok = H5DSattach_scale(table->columns[c], table->columns[0], 0) >= 0;
    }
    return ok;
}

static bool append(hid_t dataset, uint64_t n_before, uint64_t n_rows, const double *values) {
    const hsize_t start = n_before, count = n_rows, n_after = n_before + n_rows;
    if (H5Dset_extent(dataset, &n_after) < 0) {
        return false;
    }
    hid_t space = H5Dget_space(dataset), memory_space = H5Screate_simple(1, &count, NULL);
    bool ok = space >= 0 && memory_space >= 0 && H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, NULL, &count, NULL) >= 0 &&
              H5Dwrite(dataset, H5T_NATIVE_DOUBLE, memory_space, space, H5P_DEFAULT, values) >= 0;
    if (memory_space >= 0) {
        H5Sclose(memory_space);
    }
    if (space >= 0) {
        H5Sclose(space);
    }
    return ok;
}

bool sarrus_result_table_write(sarrus_result_table *table, const sarrus_sink_outcome *outcome) {
    bool ok = true;
    for (int c = 0; ok && outcome->measures != NULL && c < table->n_measures; ++c) {
        ok = H5Dwrite(table->measures[c], H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, outcome->measures[c]) >= 0;
    }
    for (int c = 0; ok && outcome->n_rows > 0 && c < table->n_columns; ++c) {
        ok = append(table->columns[c], table->n_rows, outcome->n_rows, outcome->rows[c]);
    }
    table->n_rows += outcome->n_rows;
    return ok;
}

static void close_all(hid_t *ids, int n) {
    for (int i = 0; ids != NULL && i < n; ++i) {
        if (ids[i] >= 0) {
            H5Dclose(ids[i]);
        }
    }
    free(ids);
}

void sarrus_result_table_close(sarrus_result_table *table) {
    close_all(table->measures, table->n_measures);
    close_all(table->columns, table->n_columns);
    *table = (sarrus_result_table){0};
}

#include "sink/sample_columns.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <hdf5.h>

#include "core/report.h"
#include "sink/hdf5_error.h"

enum { NAME_BYTES = 512 };
static const char GROUP[] = "instance/parameters";

static sarrus_status refuse(sarrus_context *context, sarrus_status status, const char *path, const char *message) {
    const sarrus_location location = {.file = path};
    return sarrus_report_at(context, SARRUS_ERROR, status, &location, "%s", message);
}

/* The numbers of a dataset of one dimension; 0: it is none. */
static uint64_t length_of(hid_t dataset) {
    hsize_t n = 0;
    const hid_t space = H5Dget_space(dataset), type = H5Dget_type(dataset);
    const H5T_class_t kind = H5Tget_class(type);
    if ((kind == H5T_FLOAT || kind == H5T_INTEGER) && H5Sget_simple_extent_ndims(space) == 1)
        (void)H5Sget_simple_extent_dims(space, &n, NULL);
    H5Tclose(type);
    H5Sclose(space);
    return n;
}

/* Names of the columns, in the order of the alphabet, and how long they are. */
static sarrus_status labels_read(sarrus_context *context, const char *path, hid_t group, sarrus_sample_table *out) {
    H5G_info_t info;
    const sarrus_location location = {.file = path};
    if (H5Gget_info(group, &info) < 0)
        return refuse(context, SARRUS_IO, path, "the file is damaged: its datasets cannot be listed");
    for (hsize_t i = 0; i < info.nlinks; ++i) {
        char name[NAME_BYTES];
        const ssize_t n = H5Lget_name_by_idx(group, ".", H5_INDEX_NAME, H5_ITER_INC, i, name, sizeof name, H5P_DEFAULT);
        const hid_t object = n > 0 && n < (ssize_t)sizeof name ? H5Oopen(group, name, H5P_DEFAULT) : -1;
        const uint64_t n_rows = object >= 0 && H5Iget_type(object) == H5I_DATASET ? length_of(object) : 0;
        if (object >= 0)
            H5Oclose(object);
        if (n_rows == 0)
            continue;
        if (out->n_columns > 0 && n_rows != out->n_rows)
            return sarrus_report_at(context, SARRUS_ERROR, SARRUS_BAD_INPUT, &location,
                                    "'%s' has %llu numbers and '%s' %llu; expected one for each instance in both", out->labels[0],
                                    (unsigned long long)out->n_rows, name, (unsigned long long)n_rows);
        if (out->n_columns >= SARRUS_SAMPLE_MOST_COLUMNS || !sarrus_sample_label_add(out, name, (size_t)n))
            return refuse(context, SARRUS_NO_MEMORY, path, "out of memory for the names of the columns");
        out->n_rows = n_rows;
    }
    if (out->n_columns == 0)
        return refuse(context, SARRUS_BAD_INPUT, path,
                      "no columns; expected a dataset of one dimension for each parameter, in /instance/parameters or at the top");
    return SARRUS_OK;
}

static sarrus_status values_read(sarrus_context *context, const char *path, hid_t group, sarrus_sample_table *out) {
    const size_t n_columns = (size_t)out->n_columns;
    const bool fits = out->n_rows <= SIZE_MAX / sizeof(double) / n_columns;
    double *column = fits ? malloc((size_t)out->n_rows * sizeof *column) : NULL;
    out->values = fits ? malloc((size_t)out->n_rows * n_columns * sizeof *out->values) : NULL;
    sarrus_status status = column != NULL && out->values != NULL
                               ? SARRUS_OK
                               : refuse(context, SARRUS_NO_MEMORY, path, "out of memory for the numbers of the sample");
    for (size_t k = 0; k < n_columns && status == SARRUS_OK; ++k) {
        const hid_t dataset = H5Dopen2(group, out->labels[k], H5P_DEFAULT);
        if (dataset < 0 || length_of(dataset) != out->n_rows ||
            H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, column) < 0)
            status = refuse(context, SARRUS_IO, path, "the file is damaged: a column cannot be read");
        for (uint64_t i = 0; i < out->n_rows && status == SARRUS_OK; ++i)
            out->values[i * n_columns + k] = column[i];
        if (dataset >= 0)
            H5Dclose(dataset);
    }
    free(column);
    return status;
}

sarrus_status sarrus_sample_columns_read(sarrus_context *context, const char *path, sarrus_sample_table *out) {
    *out = (sarrus_sample_table){0};
    const sarrus_hdf5_silence silence = sarrus_hdf5_silence_begin();
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    const bool is_settled = access >= 0 && H5Pset_file_locking(access, false, true) >= 0;
    const hid_t file = is_settled ? H5Fopen(path, H5F_ACC_RDONLY, access) : -1;
    sarrus_status status = SARRUS_OK;
    if (file < 0) {
        status = refuse(context, SARRUS_IO, path, "the HDF5 file cannot be opened: it is damaged, or is being written");
    } else {
        const bool is_result = H5Lexists(file, "instance", H5P_DEFAULT) > 0 && H5Lexists(file, GROUP, H5P_DEFAULT) > 0;
        const hid_t group = H5Gopen2(file, is_result ? GROUP : "/", H5P_DEFAULT);
        status = group >= 0 ? labels_read(context, path, group, out)
                            : refuse(context, SARRUS_IO, path, "the file is damaged: its groups cannot be opened");
        if (status == SARRUS_OK)
            status = values_read(context, path, group, out);
        if (group >= 0)
            H5Gclose(group);
        H5Fclose(file);
    }
    if (access >= 0)
        H5Pclose(access);
    sarrus_hdf5_silence_end(silence);
    return status;
}

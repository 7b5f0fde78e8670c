#include "sink/result_totals.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <hdf5_hl.h>

#include "sink/hdf5_object.h"

static const char *last_part(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

hid_t sarrus_result_levels_create(hid_t root, const sarrus_sink_levels *levels) {
    if (sarrus_hdf5_has(root, levels->path)) {
        return H5Dopen2(root, levels->path, H5P_DEFAULT);
    }
    hid_t scale = sarrus_hdf5_create_column(root, levels->path, H5T_NATIVE_DOUBLE, levels->values, (uint64_t)levels->n);
    if (sarrus_hdf5_describe(scale, levels->units, levels->long_name) && H5DSset_scale(scale, last_part(levels->path)) >= 0) {
        return scale;
    }
    if (scale >= 0) {
        H5Dclose(scale);
    }
    return -1;
}

static hid_t numbers_create(hid_t root, const char *path, uint64_t n) {
    uint64_t *numbers = malloc((size_t)n * sizeof *numbers);
    for (uint64_t i = 0; numbers != NULL && i < n; ++i) {
        numbers[i] = i;
    }
    hid_t scale = numbers != NULL ? sarrus_hdf5_create_column(root, path, H5T_NATIVE_UINT64, numbers, n) : -1;
    free(numbers);
    return scale;
}

/* A scale of each of the two axes: readers of netCDF want those of a dataset to have different names. */
static hid_t labels_create(hid_t root, const char *path, const sarrus_sink_labels *labels) {
    if (sarrus_hdf5_has(root, path)) {
        return H5Dopen2(root, path, H5P_DEFAULT);
    }
    hid_t scale = labels->texts != NULL ? sarrus_hdf5_create_strings(root, path, labels->texts, (uint64_t)labels->n)
                                        : numbers_create(root, path, (uint64_t)labels->n);
    if (sarrus_hdf5_describe(scale, "1", labels->long_name) && H5DSset_scale(scale, last_part(path)) >= 0) {
        return scale;
    }
    if (scale >= 0) {
        H5Dclose(scale);
    }
    return -1;
}

static hid_t total_create(hid_t root, const sarrus_sink_total *given, const sarrus_sink_description *description,
                          const hid_t scales[2]) {
    if (sarrus_hdf5_has(root, given->path)) {
        return H5Dopen2(root, given->path, H5P_DEFAULT);
    }
    const sarrus_sink_labels *labels = given->labels != NULL ? given->labels : description->total_labels;
    const double unknown = NAN;
    const hsize_t n = given->has_levels ? (hsize_t)description->levels->n : given->n_label_axes > 0 ? (hsize_t)labels->n : 0;
    const hsize_t dims[2] = {n, n};
    const int n_dims = given->has_levels ? 1 : given->n_label_axes;
    const bool is_real = given->type == SARRUS_SINK_F64;
    const sarrus_hdf5_shape shape = {.n_dims = n_dims, .dims = dims, .fill = is_real ? &unknown : NULL};
    hid_t dataset = sarrus_hdf5_create_dataset(root, given->path, is_real ? H5T_NATIVE_DOUBLE : H5T_NATIVE_UINT64, &shape);
    bool ok = sarrus_hdf5_describe(dataset, given->units, given->long_name);
    for (int axis = 0; ok && axis < n_dims; ++axis) {
        ok = H5DSattach_scale(dataset, scales[axis], (unsigned)axis) >= 0;
    }
    if (!ok && dataset >= 0) {
        H5Dclose(dataset);
        dataset = -1;
    }
    return dataset;
}

/* The same with the scales of its labels, which it makes where they are not there. */
static hid_t labelled_create(hid_t root, const sarrus_sink_total *given, const sarrus_sink_description *description) {
    const sarrus_sink_labels *labels = given->labels != NULL ? given->labels : description->total_labels;
    hid_t scales[2] = {-1, -1}, dataset = -1;
    scales[0] = labels_create(root, labels->path, labels);
    scales[1] = labels->path_again != NULL ? labels_create(root, labels->path_again, labels) : -1;
    if (scales[0] >= 0 && (labels->path_again == NULL || scales[1] >= 0)) {
        dataset = total_create(root, given, description, scales);
    }
    for (int k = 0; k < 2; ++k) {
        if (scales[k] >= 0) {
            H5Dclose(scales[k]);
        }
    }
    return dataset;
}

bool sarrus_result_totals_create(sarrus_result_totals *totals, hid_t root, const sarrus_sink_description *description,
                                 hid_t levels) {
    *totals = (sarrus_result_totals){.datasets = malloc(((size_t)description->n_totals + 1) * sizeof *totals->datasets)};
    bool ok = totals->datasets != NULL;
    for (int i = 0; ok && i < description->n_totals; ++i) {
        const sarrus_sink_total *given = &description->totals[i];
        const hid_t of_levels[2] = {levels, -1};
        totals->datasets[i] =
            given->n_label_axes > 0 ? labelled_create(root, given, description) : total_create(root, given, description, of_levels);
        ok = totals->datasets[i] >= 0;
        totals->n += ok ? 1 : 0;
    }
    return ok;
}

bool sarrus_result_totals_write(const sarrus_result_totals *totals, const double *const *values) {
    bool ok = true;
    for (int i = 0; ok && i < totals->n; ++i) {
        ok = H5Dwrite(totals->datasets[i], H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values[i]) >= 0;
    }
    return ok;
}

void sarrus_result_totals_close(sarrus_result_totals *totals) {
    for (int i = 0; i < totals->n; ++i) {
        H5Dclose(totals->datasets[i]);
    }
    free(totals->datasets);
    *totals = (sarrus_result_totals){0};
}

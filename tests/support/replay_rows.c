#include "tests/support/replay_rows.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <hdf5.h>

/* A dataset of numbers, as doubles. */
typedef struct table {
    hsize_t dims[3]; /* those that it has not are 1 */
    double *values;
} table;

static table table_read(const char *path, const char *dataset) {
    table t = {.dims = {1, 1, 1}};
    const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    const hid_t data = H5Dopen2(file, dataset, H5P_DEFAULT), space = H5Dget_space(data);
    const int n_dims = H5Sget_simple_extent_ndims(space);
    assert_true(data >= 0 && n_dims >= 1 && n_dims <= 3);
    H5Sget_simple_extent_dims(space, t.dims, NULL);
    t.values = malloc(t.dims[0] * t.dims[1] * t.dims[2] * sizeof *t.values);
    assert_non_null(t.values);
    assert_true(H5Dread(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, t.values) >= 0);
    H5Sclose(space);
    H5Dclose(data);
    H5Fclose(file);
    return t;
}

static double number_read(const char *path, const char *dataset, uint64_t i) {
    const table t = table_read(path, dataset);
    assert_true(i < t.dims[0]);
    const double value = t.values[i];
    free(t.values);
    return value;
}

static void numbers_compare(const char *what, const double *a, const double *b, size_t n) {
    for (size_t k = 0; k < n; ++k)
        if (memcmp(&a[k], &b[k], sizeof *a) != 0)
            fail_msg("%s [%zu]: %.17g in the study, %.17g in the replay", what, k, a[k], b[k]);
}

/* Rows 0 … n − 1 of the study's instance against those rows of the replay that is_output marks. */
static void rows_compare(const char *study, const char *replay, const char *dataset, uint64_t i, size_t n, const table *is_output) {
    const table all = table_read(study, dataset), one = table_read(replay, dataset);
    const size_t width = all.dims[2];
    assert_true(one.dims[0] == 1 && one.dims[2] == width && one.dims[1] == is_output->dims[1]);
    size_t n_seen = 0;
    for (size_t row = 0; row < one.dims[1]; ++row) {
        if (is_output->values[row] == 0.0)
            continue;
        assert_true(n_seen < n);
        numbers_compare(dataset, all.values + (i * all.dims[1] + n_seen) * width, one.values + row * width, width);
        ++n_seen;
    }
    assert_int_equal(n_seen, n);
    free(all.values);
    free(one.values);
}

/* Output times that the instance has reached, one at least. */
static size_t outputs_reached(const char *study, uint64_t i) {
    const table energy = table_read(study, "diagnostics/energy");
    size_t n = 0;
    while (n < energy.dims[1] && !isnan(energy.values[i * energy.dims[1] + n]))
        ++n;
    free(energy.values);
    return n > 0 ? n : 1;
}

static void times_compare(const char *study, const table *times, const table *is_output, size_t n) {
    const table all = table_read(study, "time");
    size_t n_seen = 0;
    assert_true(all.dims[0] >= n && times->dims[0] == is_output->dims[1]);
    for (size_t row = 0; row < times->dims[0]; ++row) {
        assert_true(row == 0 || times->values[row] > times->values[row - 1]);
        if (is_output->values[row] != 0.0)
            numbers_compare("time", all.values + n_seen++, times->values + row, 1);
    }
    assert_int_equal(n_seen, n);
    free(all.values);
}

replay_rows replay_rows_compare(const char *study, const char *replay, uint64_t i_instance) {
    static const char *const whole[] = {"instance/status",
                                        "instance/failed_time",
                                        "instance/steps",
                                        "instance/rejections",
                                        "instance/evaluations",
                                        "instance/rank_changes",
                                        "instance/max_violation",
                                        "instance/step_error",
                                        "instance/energy_mismatch",
                                        "instance/nearest_change_point",
                                        "instance/id"};
    static const char *const channels[] = {"state/q", "state/v", "diagnostics/energy", "diagnostics/position_error",
                                           "diagnostics/velocity_error"};
    for (size_t k = 0; k < sizeof whole / sizeof whole[0]; ++k) {
        const double all = number_read(study, whole[k], i_instance), one = number_read(replay, whole[k], 0);
        numbers_compare(whole[k], &all, &one, 1);
    }
    const table times = table_read(replay, "time"), is_output = table_read(replay, "replay/is_output");
    const size_t n = outputs_reached(study, i_instance);
    times_compare(study, &times, &is_output, n);
    for (size_t k = 0; k < sizeof channels / sizeof channels[0]; ++k)
        rows_compare(study, replay, channels[k], i_instance, n, &is_output);
    const replay_rows found = {.n_rows = times.dims[0],
                               .n_outputs = n,
                               .status = (int)number_read(replay, "instance/status", 0),
                               .failed_time = number_read(replay, "instance/failed_time", 0),
                               .last_time = times.values[times.dims[0] - 1]};
    free(times.values);
    free(is_output.values);
    return found;
}

/* Fields of all instances together, rows of some of them, and totals: they are read back as written; what cannot be is refused. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <hdf5_hl.h>

#include "sarrus/run.h"
#include "sink_fixture.h"

enum { N_INSTANCES = 9, N_TIMES = 23, N_KEPT = 2, WIDTH = 3, N_LEVELS = 2, COUNT = 0, SPREAD = 1, ROWS = 2, N_FIELDS = 3 };

static const char *const labels[WIDTH] = {"x", "y", "z"};
static const double level[N_LEVELS] = {0.05, 0.95};
static const uint64_t kept[N_KEPT] = {13, 17};
static const sarrus_sink_levels levels = {
    .path = "statistics/quantile", .long_name = "share", .units = "1", .n = N_LEVELS, .values = level};
static const sarrus_sink_total totals[2] = {{"statistics/n", "number", "1", SARRUS_SINK_U64, false, 0, NULL},
                                            {"statistics/of", "quantiles", "SI", SARRUS_SINK_F64, true, 0, NULL}};
static const sarrus_sink_field fields[N_FIELDS] = {
    [COUNT] = {.path = "common/n", .long_name = "number", .units = "1", .type = SARRUS_SINK_U64, .is_common = true},
    [SPREAD] = {.path = "common/q",
                .long_name = "quantiles",
                .units = "m",
                .width = WIDTH,
                .labels = labels,
                .labels_path = "component",
                .is_common = true,
                .has_levels = true},
    [ROWS] = {.path = "state/q", .long_name = "rows", .units = "m", .width = WIDTH, .labels = labels, .labels_path = "component"},
};

static sarrus_sink_description description_of(const fixture *f) {
    sarrus_sink_description out = fixture_description(f);
    out.first_instance = 10;
    out.n_study = 100;
    out.n_fields = N_FIELDS;
    out.fields = fields;
    out.has_trajectories = true;
    out.n_trajectories = N_KEPT;
    out.trajectories = kept;
    out.levels = &levels;
    out.n_totals = 2;
    out.totals = totals;
    out.block_bytes = 5 * 1000;
    out.beside_bytes = 1000 - 8 * (1 + WIDTH * N_LEVELS + N_KEPT * WIDTH); /* five times a block */
    return out;
}

static double value_of(int field, uint64_t row, uint64_t time, uint64_t k) {
    return field == COUNT ? (double)(1 + (time << 40)) : 1000.0 * (double)row + 10.0 * (double)time + (double)k / 8.0;
}

static void block_fill(const sarrus_sink_block *block, uint64_t n) {
    for (int d = 0; d < N_FIELDS; ++d) {
        const uint64_t n_rows = d == ROWS ? N_KEPT : 1, width = d == COUNT ? 1 : d == SPREAD ? WIDTH * N_LEVELS : WIDTH;
        for (uint64_t i = 0; i < n_rows * n * width; ++i) {
            const uint64_t row = i / (n * width), t = i / width % n;
            block->data[d][(row * block->n_times + t) * width + i % width] = value_of(d, row, block->i_time_first + t, i % width);
        }
    }
}

static void numbers_check(hid_t file, const char *path, int n_dims, const hsize_t *wanted, const char *const *scales) {
    hsize_t dims[3] = {0};
    const hid_t dataset = H5Dopen2(file, path, H5P_DEFAULT), space = H5Dget_space(dataset);
    assert_int_equal(H5Sget_simple_extent_ndims(space), n_dims);
    H5Sget_simple_extent_dims(space, dims, NULL);
    for (int i = 0; i < n_dims; ++i) {
        assert_int_equal(dims[i], wanted[i]);
        const hid_t scale = H5Dopen2(file, scales[i], H5P_DEFAULT);
        assert_true(H5DSis_attached(dataset, scale, (unsigned)i) > 0);
        H5Dclose(scale);
    }
    H5Sclose(space);
    H5Dclose(dataset);
}

static double *numbers_read(hid_t file, const char *path) {
    static double out[N_KEPT * N_TIMES * WIDTH * N_LEVELS];
    const hid_t dataset = H5Dopen2(file, path, H5P_DEFAULT);
    assert_true(dataset >= 0 && H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, out) >= 0);
    H5Dclose(dataset);
    return out;
}

/* n_written of the times are there; the others are NaN, or 0 of the number. */
static void file_check(const fixture *f, uint64_t n_written) {
    static const char *const paths[N_FIELDS] = {"common/n", "common/q", "state/q"};
    const hid_t file = H5Fopen(f->path, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(file >= 0);
    numbers_check(file, paths[COUNT], 1, (hsize_t[]){N_TIMES}, (const char *const[]){"time"});
    numbers_check(file, paths[SPREAD], 3, (hsize_t[]){N_TIMES, WIDTH, N_LEVELS},
                  (const char *const[]){"time", "component", "statistics/quantile"});
    numbers_check(file, paths[ROWS], 3, (hsize_t[]){N_KEPT, N_TIMES, WIDTH},
                  (const char *const[]){"trajectory", "time", "component"});
    for (int d = 0; d < N_FIELDS; ++d) {
        const uint64_t n_rows = d == ROWS ? N_KEPT : 1, width = d == COUNT ? 1 : d == SPREAD ? WIDTH * N_LEVELS : WIDTH;
        const double *found = numbers_read(file, paths[d]);
        for (uint64_t i = 0; i < n_rows * N_TIMES * width; ++i) {
            const uint64_t t = i / width % N_TIMES;
            if (t < n_written)
                assert_true(found[i] == value_of(d, i / (N_TIMES * width), t, i % width));
            else
                assert_true(d == COUNT ? found[i] == 0.0 : isnan(found[i]));
        }
    }
    assert_true(numbers_read(file, "statistics/n")[0] == 5.0);
    assert_true(numbers_read(file, "statistics/of")[1] == 0.75);
    const double *numbers = numbers_read(file, "trajectory");
    assert_true(numbers[0] == 13.0 && numbers[1] == 17.0);
    H5Fclose(file);
}

static void write_and_check(uint64_t n_written) {
    fixture *f = fixture_create("common", N_INSTANCES, N_TIMES, WIDTH, KIND_SMOOTH);
    sarrus_context *context = NULL;
    sarrus_sink *sink = NULL;
    sarrus_result_info info;
    const sarrus_sink_description description = description_of(f);
    assert_int_equal(sarrus_context_create(&context), SARRUS_OK);
    assert_int_equal(sarrus_sink_create(context, f->path, &description, &sink), SARRUS_OK);
    assert_int_equal(sarrus_sink_block_times(sink, 0), 5);
    sarrus_sink_outcome outcome = fixture_outcome(f, n_written == N_TIMES);
    for (uint64_t t = 0; t < n_written;) {
        sarrus_sink_block block;
        assert_int_equal(sarrus_sink_acquire(sink, 0, &block), SARRUS_OK);
        const uint64_t n = n_written - t < block.n_times ? n_written - t : block.n_times;
        block_fill(&block, n);
        assert_int_equal(sarrus_sink_submit(sink, 0, n, &outcome), SARRUS_OK);
        t += n;
    }
    const double n_good = 5.0, quantiles[N_LEVELS] = {0.25, 0.75};
    outcome.totals = (const double *const[]){&n_good, quantiles};
    assert_int_equal(sarrus_sink_close(sink, context, &outcome), SARRUS_OK);
    sarrus_sink_destroy(sink);
    file_check(f, n_written);
    assert_int_equal(sarrus_result_info_read(context, f->path, &info), SARRUS_OK);
    assert_true(info.n_trajectories == N_KEPT && info.n_instances == N_INSTANCES && info.n_times == n_written);
    sarrus_context_destroy(context);
    fixture_destroy(f);
}

static void what_is_written_is_read(void **state) {
    (void)state;
    write_and_check(N_TIMES);
    write_and_check(12);
}

static void refused(const fixture *f, const sarrus_sink_description *description) {
    sarrus_context *context = NULL;
    sarrus_sink *sink = NULL;
    assert_int_equal(sarrus_context_create(&context), SARRUS_OK);
    assert_int_equal(sarrus_sink_create(context, f->path, description, &sink), SARRUS_BAD_ARGUMENT);
    assert_null(sink);
    sarrus_context_destroy(context);
}

static void what_cannot_be_is_refused(void **state) {
    (void)state;
    fixture *f = fixture_create("refused", N_INSTANCES, N_TIMES, WIDTH, KIND_SMOOTH);
    sarrus_sink_description description = description_of(f);
    description.n_trajectories = 0; /* and yet a field that has rows */
    refused(f, &description);
    description = description_of(f);
    description.trajectories = NULL;
    refused(f, &description);
    description = description_of(f);
    description.levels = NULL; /* and yet a field that has them */
    refused(f, &description);
    description = description_of(f);
    description.totals = NULL;
    refused(f, &description);
    description = description_of(f);
    description.beside_bytes = UINT64_MAX;
    refused(f, &description);
    fixture_destroy(f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(what_cannot_be_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

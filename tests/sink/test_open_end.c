/* Files whose number of times is not known beforehand: they are as long as what was written, whatever moment they end at. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "sarrus/run.h"
#include "sink_fixture.h"

/* Of n_most times that there may be, n_written are written in blocks of a few; complete as the caller says. */
static void write_open(const fixture *f, uint64_t n_most, uint64_t n_written, bool is_complete) {
    sarrus_context *context = NULL;
    sarrus_sink *sink = NULL;
    assert_int_equal(sarrus_context_create(&context), SARRUS_OK);
    sarrus_sink_description description = fixture_description(f);
    description.n_times = n_most;
    description.times = NULL;
    description.is_open_ended = true;
    description.first_instance = 17;
    description.n_study = 100;
    description.study_group = 3;
    description.study_group_file = is_complete ? "parts/é.yaml" : NULL;
    assert_int_equal(sarrus_sink_create(context, f->path, &description, &sink), SARRUS_OK);
    const sarrus_sink_outcome outcome = fixture_outcome(f, is_complete);
    assert_int_equal(fixture_write(f, sink, n_written), SARRUS_OK);
    assert_int_equal(sarrus_sink_close(sink, context, &outcome), SARRUS_OK);
    assert_int_equal(sarrus_sink_times_written(sink, 0), n_written);
    sarrus_sink_destroy(sink);
    sarrus_context_destroy(context);
}

static void length_check(hid_t file, const char *path, int i_axis, uint64_t n) {
    hsize_t dims[3] = {0};
    const hid_t dataset = H5Dopen2(file, path, H5P_DEFAULT), space = H5Dget_space(dataset);
    assert_true(H5Sget_simple_extent_dims(space, dims, NULL) > i_axis);
    assert_int_equal(dims[i_axis], n);
    H5Sclose(space);
    H5Dclose(dataset);
}

/* All numbers, and none beside them. */
static void file_check(fixture *f, uint64_t n_written, bool is_complete) {
    const hid_t file = H5Fopen(f->path, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(file >= 0);
    double *times = malloc(n_written * sizeof *times);
    assert_non_null(times);
    length_check(file, "time", 0, n_written);
    const hid_t time = H5Dopen2(file, "time", H5P_DEFAULT);
    assert_true(H5Dread(time, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, times) >= 0);
    assert_memory_equal(times, f->times, n_written * sizeof *times);
    H5Dclose(time);
    free(times);
    const uint64_t n_times = f->n_times;
    f->n_times = n_written;
    for (int d = 0; d < FIXTURE_FIELDS; ++d)
        length_check(file, f->fields[d].path, 1, n_written);
    assert_int_equal(fixture_check(f, file, n_written, true), 0);
    f->n_times = n_times;
    assert_int_equal(fixture_n_times_written(file), n_written);
    uint64_t id = 0;
    const hid_t ids = H5Dopen2(file, "instance/id", H5P_DEFAULT);
    assert_true(H5Dread(ids, H5T_NATIVE_UINT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, &id) >= 0);
    assert_int_equal(id, 17);
    H5Dclose(ids);
    H5Fclose(file);
    sarrus_result_info info;
    assert_int_equal(sarrus_result_info_read(NULL, f->path, &info), SARRUS_OK);
    assert_int_equal(info.complete, is_complete);
    assert_int_equal(info.n_times, n_written);
    assert_int_equal(info.n_study, 100);
    assert_int_equal(info.first_instance, 17);
    assert_int_equal(info.is_of_group, is_complete);
    assert_int_equal(info.study_group, is_complete ? 3 : 0);
    assert_string_equal(info.scenario_file, is_complete ? "parts/é.yaml" : "");
}

/* Blocks of 3 times and more: parts of a block, whole ones, and as many as there may be. */
static void a_file_is_as_long_as_what_was_written(void **state) {
    (void)state;
    static const uint64_t written[] = {1, 2, 3, 6, 7, 100, 201};
    for (size_t k = 0; k < sizeof written / sizeof written[0]; ++k) {
        fixture *f = fixture_create("open", 1, 201, 6, KIND_RANDOM);
        f->block_bytes = 3 * (6 + 6 + 1 + 1) * sizeof(double);
        write_open(f, 201, written[k], true);
        file_check(f, written[k], true);
        write_open(f, UINT64_C(1) << 50, written[k], written[k] % 2 == 0); /* more than anyone waits for */
        file_check(f, written[k], written[k] % 2 == 0);
        fixture_destroy(f);
    }
}

/* Nothing came to it: nothing is left of it. */
static void a_file_without_rows_is_removed(void **state) {
    (void)state;
    fixture *f = fixture_create("none", 1, 5, 2, KIND_SMOOTH);
    write_open(f, 5, 0, false);
    assert_int_not_equal(access(f->path, F_OK), 0);
    assert_int_not_equal(access(f->partial, F_OK), 0);
    fixture_destroy(f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_is_as_long_as_what_was_written),
        cmocka_unit_test(a_file_without_rows_is_removed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

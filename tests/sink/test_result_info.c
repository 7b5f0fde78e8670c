/* Asking a result file what it holds. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <sys/stat.h>

#include "sarrus/run.h"
#include "sarrus/version.h"
#include "sink_fixture.h"

static sarrus_context *context;

static int set_up(void **state) {
    (void)state;
    return sarrus_context_create(&context) == SARRUS_OK ? 0 : -1;
}

static int tear_down(void **state) {
    (void)state;
    sarrus_context_destroy(context);
    return 0;
}

static void write_file(const fixture *f, uint64_t n_stop) {
    sarrus_sink_description description = fixture_description(f);
    sarrus_sink *sink = NULL;
    assert_int_equal(sarrus_sink_create(context, f->path, &description, &sink), SARRUS_OK);
    assert_int_equal(fixture_write(f, sink, n_stop), SARRUS_OK);
    const sarrus_sink_outcome outcome = fixture_outcome(f, n_stop == f->n_times);
    assert_int_equal(sarrus_sink_close(sink, context, &outcome), SARRUS_OK);
    sarrus_sink_destroy(sink);
}

static void test_complete(void **state) {
    (void)state;
    fixture *f = fixture_create("info", 1000, 21, 3, KIND_SMOOTH);
    f->status[7] = f->status[8] = SARRUS_INSTANCE_DIVERGED;
    f->status[999] = SARRUS_INSTANCE_ASSEMBLY_FAILED;
    write_file(f, f->n_times);
    sarrus_result_info info;
    assert_int_equal(sarrus_result_info_read(context, f->path, &info), SARRUS_OK);
    assert_int_equal(info.format, SARRUS_FORMAT);
    assert_int_equal(info.complete, 1);
    assert_string_equal(info.version, SARRUS_VERSION);
    assert_string_equal(info.backend, "cpu");
    assert_string_equal(info.device, "avx2, 2 threads");
    assert_int_equal(strlen(info.created), strlen("2026-01-01T00:00:00Z"));
    assert_true(info.seed == UINT64_MAX);
    assert_int_equal(info.n_instances, 1000);
    assert_int_equal(info.n_times, 21);
    assert_int_equal(info.n_failed, 3);
    assert_int_equal(info.n_failed_by_status[SARRUS_INSTANCE_OK], 997);
    assert_int_equal(info.n_failed_by_status[SARRUS_INSTANCE_DIVERGED], 2);
    assert_int_equal(info.n_failed_by_status[SARRUS_INSTANCE_ASSEMBLY_FAILED], 1);
    assert_true(info.t_first == f->times[0] && info.t_last == f->times[20]);
    assert_int_equal(info.n_coordinates, 3);
    assert_int_equal(info.n_datasets, FIXTURE_FIELDS + 8);
    assert_true(info.file_bytes > 1000);
    fixture_destroy(f);
}

/* An interrupted file says what it has, not what was planned. */
static void test_interrupted(void **state) {
    (void)state;
    fixture *f = fixture_create("info_interrupted", 10, 21, 3, KIND_SMOOTH);
    f->block_bytes = 1;
    sarrus_result_info info;
    write_file(f, 5);
    assert_int_equal(sarrus_result_info_read(context, f->path, &info), SARRUS_OK);
    assert_int_equal(info.complete, 0);
    assert_int_equal(info.n_times, 5);
    assert_true(info.t_last == f->times[4]);
    sarrus_sink_description description = fixture_description(f);
    sarrus_sink *sink = NULL;
    assert_int_equal(sarrus_sink_create(context, f->path, &description, &sink), SARRUS_OK);
    assert_int_equal(sarrus_result_info_read(context, f->partial, &info), SARRUS_OK);
    assert_int_equal(info.n_times, 0);
    assert_true(isnan(info.t_first) && isnan(info.t_last));
    sarrus_sink_destroy(sink);
    fixture_destroy(f);
}

typedef struct seen {
    int n;
    bool q, rank, scenario, status, id;
} seen;

static void look(const char *path, int n_dims, const uint64_t *dims, const char *type, uint64_t stored_bytes, const char *units,
                 void *user) {
    seen *all = user;
    ++all->n;
    if (strcmp(path, "state/q") == 0) {
        all->q = n_dims == 3 && dims[0] == 1000 && dims[1] == 21 && dims[2] == 3 && strcmp(type, "f64") == 0 &&
                 stored_bytes > 1000 && strcmp(units, "m, rad") == 0;
    }
    all->rank = all->rank || (strcmp(path, "diagnostics/rank") == 0 && n_dims == 2 && strcmp(type, "u16") == 0);
    all->scenario = all->scenario || (strcmp(path, "scenario") == 0 && n_dims == 0 && strcmp(type, "string") == 0);
    all->id = all->id || (strcmp(path, "instance/id") == 0 && n_dims == 1 && strcmp(type, "u64") == 0);
    all->status = all->status || (strcmp(path, "instance/status") == 0 && strcmp(type, "enum u8") == 0);
}

static void test_visit(void **state) {
    (void)state;
    fixture *f = fixture_create("visit", 1000, 21, 3, KIND_SMOOTH);
    write_file(f, f->n_times);
    seen all = {0};
    assert_int_equal(sarrus_result_visit(context, f->path, look, &all), SARRUS_OK);
    assert_int_equal(all.n, FIXTURE_FIELDS + 8);
    assert_true(all.q && all.rank && all.scenario && all.status && all.id);
    fixture_destroy(f);
}

static void assert_refused(const char *path, sarrus_status wanted, const char *words) {
    sarrus_result_info info = {.format = 77};
    sarrus_context_clear(context);
    assert_int_equal(sarrus_result_info_read(context, path, &info), wanted);
    assert_int_equal(sarrus_context_n_diagnostics(context), 1);
    assert_non_null(strstr(sarrus_context_diagnostic(context, 0)->message, words));
    assert_int_equal(info.format, 77);
}

static void test_refused(void **state) {
    (void)state;
    assert_refused("/nonexistent/out.h5", SARRUS_IO, "No such file or directory");
    assert_refused("/tmp", SARRUS_IO, "Is a directory");
    fixture *f = fixture_create("refused", 7, 5, 3, KIND_SMOOTH);
    assert_int_equal(mkfifo(f->path, 0600), 0);
    assert_refused(f->path, SARRUS_BAD_INPUT, "a pipe"); /* nobody writes to it: must not wait */
    assert_int_equal(unlink(f->path), 0);
    FILE *stream = fopen(f->path, "w");
    assert_non_null(stream);
    fputs("sarrus: 1\n", stream);
    fclose(stream);
    assert_refused(f->path, SARRUS_BAD_INPUT, "not an HDF5 file");
    hid_t file = H5Fcreate(f->path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    H5Fclose(file);
    assert_refused(f->path, SARRUS_BAD_INPUT, "not a Sarrus result file");
    assert_int_equal(truncate(f->path, 100), 0);
    assert_refused(f->path, SARRUS_IO, "damaged: truncated file");
    assert_int_equal(truncate(f->path, 0), 0);
    assert_refused(f->path, SARRUS_IO, "empty");
    write_file(f, f->n_times);
    char present[sizeof f->path];
    memcpy(present, f->path, sizeof present);
    assert_int_equal(rename(f->path, f->partial), 0);
    assert_refused(present, SARRUS_IO, ".h5.partial, of a run that goes on or did not end");
    assert_int_equal(rename(f->partial, f->path), 0);
    file = H5Fopen(f->path, H5F_ACC_RDWR, H5P_DEFAULT);
    hid_t attribute = H5Aopen(file, "sarrus_format", H5P_DEFAULT);
    const int other = 2;
    assert_true(H5Awrite(attribute, H5T_NATIVE_INT, &other) >= 0);
    H5Aclose(attribute);
    H5Fclose(file);
    assert_refused(f->path, SARRUS_UNSUPPORTED, "format 2");
    sarrus_context_clear(context);
    seen all = {0};
    assert_int_equal(sarrus_result_visit(context, "/nonexistent/out.h5", look, &all), SARRUS_IO);
    assert_int_equal(all.n, 0);
    fixture_destroy(f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_complete, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_interrupted, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_visit, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_refused, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

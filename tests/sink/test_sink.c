/* Files written by the sink, read back through HDF5 (which verifies every checksum on the way). */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <hdf5_hl.h>

#include "sarrus/version.h"
#include "sink_fixture.h"

static sarrus_context *make_context(void) {
    sarrus_context *context = NULL;
    assert_int_equal(sarrus_context_create(&context), SARRUS_OK);
    return context;
}

static sarrus_sink *make_sink(sarrus_context *context, const fixture *f) {
    sarrus_sink_description description = fixture_description(f);
    sarrus_sink *sink = NULL;
    assert_int_equal(sarrus_sink_create(context, f->path, &description, &sink), SARRUS_OK);
    return sink;
}

/* Writes the first `n_stop` times and closes. */
static void write_file(const fixture *f, uint64_t n_stop, bool complete) {
    sarrus_context *context = make_context();
    sarrus_sink *sink = make_sink(context, f);
    assert_int_equal(fixture_write(f, sink, n_stop), SARRUS_OK);
    const sarrus_sink_outcome outcome = fixture_outcome(f, complete);
    assert_int_equal(sarrus_sink_close(sink, context, &outcome), SARRUS_OK);
    assert_int_equal(sarrus_context_n_diagnostics(context), 0);
    assert_true(sarrus_sink_bytes(sink) > 0);
    sarrus_sink_destroy(sink);
    sarrus_context_destroy(context);
}

static int attribute_int(hid_t file, const char *name) {
    int value = -1;
    hid_t attribute = H5Aopen(file, name, H5P_DEFAULT);
    assert_true(attribute >= 0 && H5Aread(attribute, H5T_NATIVE_INT, &value) >= 0);
    H5Aclose(attribute);
    return value;
}

static void assert_exact(const fixture *f, uint64_t n_exact) {
    hid_t file = H5Fopen(f->path, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(file >= 0);
    assert_int_equal(fixture_check(f, file, n_exact, true), 0);
    assert_int_equal(fixture_n_times_written(file), n_exact);
    H5Fclose(file);
}

static void test_roundtrip(void **state) {
    (void)state;
    static const uint64_t instances[] = {1, 7, 1000}, times[] = {1, 5, 201};
    static const int widths[] = {1, 3, 33};
    static const uint64_t block_bytes[] = {0, 1, 300000};
    int n_run = 0;
    for (int i = 0; i < 3; ++i) {
        for (int t = 0; t < 3; ++t) {
            for (int w = 0; w < 3; ++w) {
                fixture *f = fixture_create("roundtrip", instances[i], times[t], widths[w], (fixture_kind)(n_run % 4));
                f->block_bytes = block_bytes[n_run % 3];
                f->n_threads = n_run % 4;
                if (instances[i] * times[t] * (uint64_t)widths[w] < 1000000) { /* the largest adds time and no case */
                    write_file(f, f->n_times, true);
                    assert_exact(f, f->n_times);
                }
                fixture_destroy(f);
                ++n_run;
            }
        }
    }
}

/* More than one chunk in instances, the last ones partial, and a last block that is shorter. */
static void test_many_chunks(void **state) {
    (void)state;
    fixture *f = fixture_create("chunks", 5003, 47, 9, KIND_RANDOM);
    f->block_bytes = 6u << 20;
    write_file(f, f->n_times, true);
    assert_exact(f, f->n_times);
    fixture_destroy(f);
}

/* That nothing is left of a run without any time is what sink.result_place says. */
static void test_interrupted(void **state) {
    (void)state;
    static const uint64_t stops[] = {1, 13, 46};
    for (int s = 0; s < 3; ++s) {
        fixture *f = fixture_create("interrupted", 100, 47, 3, KIND_SMOOTH);
        f->block_bytes = 100 * 8 * 8 * 10; /* 8 numbers a time: blocks of ten times at most */
        write_file(f, stops[s], true);     /* claims to be complete, but is not */
        assert_exact(f, stops[s]);
        hid_t file = H5Fopen(f->path, H5F_ACC_RDONLY, H5P_DEFAULT);
        assert_int_equal(attribute_int(file, "complete"), 0);
        H5Fclose(file);
        fixture_destroy(f);
    }
}

/* Without close: what was submitted is written, the file is valid, not complete, and its name says so. */
static void test_destroy_without_close(void **state) {
    (void)state;
    fixture *f = fixture_create("destroyed", 100, 47, 3, KIND_SMOOTH);
    f->block_bytes = 100 * 8 * 8 * 10;
    sarrus_context *context = make_context();
    sarrus_sink *sink = make_sink(context, f);
    assert_int_equal(sarrus_sink_block_times(sink, 0), 10);
    assert_int_equal(fixture_write(f, sink, 20), SARRUS_OK);
    sarrus_sink_block block;
    assert_int_equal(sarrus_sink_acquire(sink, 0, &block), SARRUS_OK);
    assert_int_equal(block.i_time_first, 20);
    sarrus_sink_destroy(sink);
    sarrus_context_destroy(context);
    assert_int_not_equal(access(f->path, F_OK), 0);
    assert_int_equal(rename(f->partial, f->path), 0);
    assert_exact(f, 20);
    fixture_destroy(f);
}

static void read_all(hid_t file, const char *path, hid_t type, void *out) {
    hid_t dataset = H5Dopen2(file, path, H5P_DEFAULT);
    assert_true(dataset >= 0);
    assert_true(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, out) >= 0);
    H5Dclose(dataset);
}

static void assert_text(hid_t object, const char *name, const char *wanted) {
    char *text = NULL;
    hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
    assert_true(attribute >= 0);
    hid_t type = H5Aget_type(attribute);
    assert_true(H5Tis_variable_str(type) > 0);
    assert_int_equal(H5Tget_cset(type), H5T_CSET_UTF8);
    assert_true(H5Aread(attribute, type, &text) >= 0);
    assert_string_equal(text, wanted);
    H5free_memory(text);
    H5Tclose(type);
    H5Aclose(attribute);
}

static void test_metadata(void **state) {
    (void)state;
    fixture *f = fixture_create("metadata", 7, 5, 3, KIND_NAN);
    write_file(f, f->n_times, true);
    hid_t file = H5Fopen(f->path, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(file >= 0);
    assert_int_equal(attribute_int(file, "sarrus_format"), SARRUS_FORMAT);
    assert_int_equal(attribute_int(file, "complete"), 1);
    assert_text(file, "sarrus_version", SARRUS_VERSION);
    assert_text(file, "backend", "cpu");
    assert_text(file, "device", "avx2, 2 threads");
    assert_text(file, "plan_hash", "0123456789abcdef");
    uint64_t seed = 0, ids[7];
    hid_t attribute = H5Aopen(file, "seed", H5P_DEFAULT);
    assert_true(H5Aread(attribute, H5T_NATIVE_UINT64, &seed) >= 0);
    H5Aclose(attribute);
    assert_true(seed == UINT64_MAX);
    double times[5], parameter[7];
    read_all(file, "time", H5T_NATIVE_DOUBLE, times);
    assert_memory_equal(times, f->times, sizeof times);
    read_all(file, "instance/parameters/bodies.crank_a.mass", H5T_NATIVE_DOUBLE, parameter);
    assert_memory_equal(parameter, f->parameter, sizeof parameter);
    read_all(file, "instance/id", H5T_NATIVE_UINT64, ids);
    assert_int_equal(ids[6], 6);
    hid_t reaction = H5Dopen2(file, "reactions/A", H5P_DEFAULT);
    assert_int_equal(attribute_int(reaction, "unique"), 1);
    assert_text(reaction, "units", "m, rad");
    assert_text(reaction, "long_name", "coordinates");
    H5Dclose(reaction);
    H5Fclose(file);
    fixture_destroy(f);
}

/* Every axis of every field has its scale, fields of the same labels share one, every dataset says its units. */
static void test_scales(void **state) {
    (void)state;
    fixture *f = fixture_create("scales", 7, 5, 3, KIND_SMOOTH);
    write_file(f, f->n_times, true);
    hid_t file = H5Fopen(f->path, H5F_ACC_RDONLY, H5P_DEFAULT);
    static const char *const scales[] = {"instance/id", "time", "coordinate"};
    for (int d = 0; d < FIXTURE_FIELDS; ++d) {
        hid_t dataset = H5Dopen2(file, f->fields[d].path, H5P_DEFAULT);
        for (unsigned axis = 0; axis < (f->fields[d].width > 0 ? 3u : 2u); ++axis) {
            hid_t scale = H5Dopen2(file, scales[axis], H5P_DEFAULT);
            assert_int_equal(H5DSis_scale(scale), 1);
            assert_int_equal(H5DSis_attached(dataset, scale, axis), 1);
            H5Dclose(scale);
        }
        H5Dclose(dataset);
    }
    static const char *const others[] = {"scenario",
                                         "time",
                                         "coordinate",
                                         "instance/id",
                                         "instance/status",
                                         "instance/reason",
                                         "instance/failed_time",
                                         "instance/parameters/bodies.crank_a.mass"};
    for (size_t o = 0; o < sizeof others / sizeof others[0]; ++o) {
        hid_t dataset = H5Dopen2(file, others[o], H5P_DEFAULT);
        assert_true(H5Aexists(dataset, "units") > 0 && H5Aexists(dataset, "long_name") > 0);
        H5Dclose(dataset);
    }
    H5Fclose(file);
    fixture_destroy(f);
}

static void test_outcome(void **state) {
    (void)state;
    char meanings[1000] = "ok";
    for (int i = 1; i < SARRUS_N_INSTANCE_STATUS; ++i) {
        const size_t n = strlen(meanings);
        snprintf(meanings + n, sizeof meanings - n, " %s", sarrus_instance_status_word((sarrus_instance_status)i));
    }
    fixture *f = fixture_create("outcome", 70000, 2, 1, KIND_CONSTANT); /* reasons come in pieces of 65536 rows */
    f->status[3] = SARRUS_INSTANCE_ASSEMBLY_FAILED;
    f->failed_time[3] = 0.0;
    f->status[69999] = SARRUS_INSTANCE_DIVERGED;
    f->failed_time[69999] = 0.25;
    write_file(f, f->n_times, true);
    hid_t file = H5Fopen(f->path, H5F_ACC_RDONLY, H5P_DEFAULT);
    hid_t dataset = H5Dopen2(file, "instance/status", H5P_DEFAULT);
    hid_t type = H5Dget_type(dataset);
    assert_int_equal(H5Tget_class(type), H5T_ENUM);
    assert_int_equal(H5Tget_nmembers(type), SARRUS_N_INSTANCE_STATUS);
    char *name = H5Tget_member_name(type, SARRUS_INSTANCE_DIVERGED);
    assert_string_equal(name, "diverged");
    H5free_memory(name);
    assert_text(dataset, "flag_meanings", meanings);
    uint8_t *status = malloc(f->n_instances);
    double *failed_time = malloc(f->n_instances * sizeof *failed_time);
    char **reason = malloc(f->n_instances * sizeof *reason);
    assert_true(status != NULL && failed_time != NULL && reason != NULL);
    read_all(file, "instance/status", type, status);
    read_all(file, "instance/failed_time", H5T_NATIVE_DOUBLE, failed_time);
    assert_memory_equal(status, f->status, f->n_instances);
    assert_memory_equal(failed_time, f->failed_time, f->n_instances * sizeof *failed_time);
    hid_t texts = H5Dopen2(file, "instance/reason", H5P_DEFAULT);
    hid_t text_type = H5Dget_type(texts), space = H5Dget_space(texts);
    assert_true(H5Dread(texts, text_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, reason) >= 0);
    assert_string_equal(reason[3], sarrus_instance_status_text(SARRUS_INSTANCE_ASSEMBLY_FAILED));
    assert_string_equal(reason[69999], sarrus_instance_status_text(SARRUS_INSTANCE_DIVERGED));
    assert_true(reason[4] == NULL || reason[4][0] == '\0');
    assert_true(H5Dvlen_reclaim(text_type, space, H5P_DEFAULT, reason) >= 0);
    H5Fclose(file);
    free(reason);
    free(failed_time);
    free(status);
    fixture_destroy(f);
}

static char *read_file(const char *path, size_t *n_bytes) {
    FILE *stream = fopen(path, "rb");
    assert_non_null(stream);
    fseek(stream, 0, SEEK_END);
    *n_bytes = (size_t)ftell(stream);
    rewind(stream);
    char *content = malloc(*n_bytes);
    assert_non_null(content);
    assert_int_equal(fread(content, 1, *n_bytes, stream), *n_bytes);
    fclose(stream);
    return content;
}

/* The same run gives the same bytes, however many threads compress. Only the date of creation may differ: 14 digits. */
static void test_same_bytes(void **state) {
    (void)state;
    char *content[2];
    size_t n_bytes[2];
    for (int r = 0; r < 2; ++r) {
        fixture *f = fixture_create("same", 3001, 40, 9, KIND_SMOOTH);
        f->n_threads = 1 + 3 * r;
        f->block_bytes = 3u << 20;
        write_file(f, f->n_times, true);
        content[r] = read_file(f->path, &n_bytes[r]);
        fixture_destroy(f);
    }
    assert_int_equal(n_bytes[0], n_bytes[1]);
    size_t n_different = 0;
    for (size_t i = 0; i < n_bytes[0]; ++i) {
        n_different += content[0][i] != content[1][i];
    }
    assert_true(n_different <= 14);
    free(content[0]);
    free(content[1]);
}

static void test_misuse(void **state) {
    (void)state;
    fixture *f = fixture_create("misuse", 7, 5, 3, KIND_SMOOTH);
    sarrus_context *context = make_context();
    sarrus_sink *sink = NULL;
    sarrus_sink_description description = fixture_description(f);
    description.n_instances = 0;
    assert_int_equal(sarrus_sink_create(context, f->path, &description, &sink), SARRUS_BAD_ARGUMENT);
    description = fixture_description(f);
    description.n_instances = UINT64_MAX / 2;
    assert_int_equal(sarrus_sink_create(context, f->path, &description, &sink), SARRUS_BAD_ARGUMENT);
    f->fields[1].path = f->fields[0].path;
    description = fixture_description(f);
    assert_int_equal(sarrus_sink_create(context, f->path, &description, &sink), SARRUS_BAD_ARGUMENT);
    assert_null(sink);
    assert_int_not_equal(access(f->path, F_OK), 0);
    f->fields[1].path = "reactions/A";
    sink = make_sink(context, f);
    sarrus_sink_block block;
    assert_int_equal(sarrus_sink_submit(sink, 0, 1, NULL), SARRUS_BAD_ARGUMENT);
    assert_int_equal(sarrus_sink_acquire(sink, 0, &block), SARRUS_OK);
    assert_int_equal(sarrus_sink_acquire(sink, 0, &block), SARRUS_BAD_ARGUMENT);
    assert_int_equal(sarrus_sink_submit(sink, 0, block.n_times + 1, NULL), SARRUS_BAD_ARGUMENT);
    fixture_fill(f, &block);
    assert_int_equal(sarrus_sink_submit(sink, 0, block.n_times, NULL), SARRUS_OK);
    assert_int_equal(sarrus_sink_acquire(sink, 0, &block), SARRUS_BAD_ARGUMENT);
    assert_int_equal(sarrus_sink_close(sink, context, NULL), SARRUS_OK);
    assert_int_equal(sarrus_sink_close(sink, context, NULL), SARRUS_BAD_ARGUMENT);
    sarrus_sink_destroy(sink);
    sarrus_sink_destroy(NULL);
    sarrus_context_destroy(context);
    fixture_destroy(f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_roundtrip),   cmocka_unit_test(test_many_chunks),
        cmocka_unit_test(test_interrupted), cmocka_unit_test(test_destroy_without_close),
        cmocka_unit_test(test_metadata),    cmocka_unit_test(test_scales),
        cmocka_unit_test(test_outcome),     cmocka_unit_test(test_same_bytes),
        cmocka_unit_test(test_misuse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

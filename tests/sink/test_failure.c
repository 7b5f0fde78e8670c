/* Paths that cannot be written, and disks that fill up. The latter run in a child that leaves through exit(), so that HDF5's own
 * exit handler is part of the test; the child's exit code says how far it got. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "sink_fixture.h"

static sarrus_status create(const fixture *f, const char *path, char *message, size_t n_bytes) {
    sarrus_context *context = NULL;
    sarrus_sink *sink = NULL;
    assert_int_equal(sarrus_context_create(&context), SARRUS_OK);
    sarrus_sink_description description = fixture_description(f);
    sarrus_status status = sarrus_sink_create(context, path, &description, &sink);
    assert_int_equal(sarrus_context_n_diagnostics(context), status == SARRUS_OK ? 0 : 1);
    const sarrus_diagnostic *first = sarrus_context_diagnostic(context, 0);
    snprintf(message, n_bytes, "%s", first != NULL ? first->message : "");
    sarrus_sink_destroy(sink);
    sarrus_context_destroy(context);
    return status;
}

static void test_paths(void **state) {
    (void)state;
    fixture *f = fixture_create("paths", 7, 5, 3, KIND_SMOOTH);
    char message[600];
    assert_int_equal(create(f, "/nonexistent/folder/out.h5", message, sizeof message), SARRUS_IO);
    assert_non_null(strstr(message, "/nonexistent/folder/out.h5"));
    assert_non_null(strstr(message, "No such file or directory"));
    assert_int_equal(create(f, "/tmp", message, sizeof message), SARRUS_IO);
    assert_non_null(strstr(message, "Is a directory"));
    assert_int_equal(create(f, "/dev/null", message, sizeof message), SARRUS_IO);
    assert_non_null(strstr(message, "not a regular file"));
    assert_int_equal(create(f, "/dev/null/out.h5", message, sizeof message), SARRUS_IO);
    assert_non_null(strstr(message, "Not a directory"));
    fixture_destroy(f);
}

/* An existing file that may not be written keeps its content. */
static void test_permission(void **state) {
    (void)state;
    if (geteuid() == 0) {
        skip(); /* root may write everything */
    }
    fixture *f = fixture_create("permission", 7, 5, 3, KIND_SMOOTH);
    FILE *stream = fopen(f->path, "w");
    assert_non_null(stream);
    fputs("precious", stream);
    fclose(stream);
    assert_int_equal(chmod(f->path, 0444), 0);
    char message[600];
    assert_int_equal(create(f, f->path, message, sizeof message), SARRUS_IO);
    assert_non_null(strstr(message, "Permission denied"));
    struct stat about;
    assert_int_equal(stat(f->path, &about), 0);
    assert_int_equal(about.st_size, 8);
    fixture_destroy(f);
}

enum { CHILD_OK = 0, CHILD_CREATE_FAILED = 10, CHILD_NO_ERROR = 11, CHILD_WRONG_STATUS = 12, CHILD_NO_REASON = 13 };

/* Writes until the disk is full and expects to be told so, with the system's reason. */
static int write_until_full(const fixture *f, const char *reason) {
    sarrus_context *context = NULL;
    sarrus_sink *sink = NULL;
    if (sarrus_context_create(&context) != SARRUS_OK) {
        return CHILD_CREATE_FAILED;
    }
    sarrus_sink_description description = fixture_description(f);
    if (sarrus_sink_create(context, f->path, &description, &sink) != SARRUS_OK) {
        bool told =
            sarrus_context_n_diagnostics(context) == 1 && strstr(sarrus_context_diagnostic(context, 0)->message, reason) != NULL;
        sarrus_context_destroy(context);
        return told ? CHILD_CREATE_FAILED : CHILD_NO_REASON;
    }
    sarrus_status status = fixture_write(f, sink, f->n_times);
    const sarrus_sink_outcome outcome = fixture_outcome(f, true);
    sarrus_status closing = sarrus_sink_close(sink, context, &outcome);
    bool told =
        sarrus_context_n_diagnostics(context) == 1 && strstr(sarrus_context_diagnostic(context, 0)->message, reason) != NULL;
    sarrus_sink_destroy(sink);
    sarrus_context_destroy(context);
    if (closing == SARRUS_OK) {
        return CHILD_NO_ERROR;
    }
    bool right = closing == SARRUS_SINK_FAILED && (status == SARRUS_OK || status == SARRUS_SINK_FAILED);
    return !right ? CHILD_WRONG_STATUS : told ? CHILD_OK : CHILD_NO_REASON;
}

static int run_child(const fixture *f, rlim_t file_limit, const char *reason) {
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        const struct rlimit limit = {.rlim_cur = file_limit, .rlim_max = file_limit};
        if (file_limit != RLIM_INFINITY && setrlimit(RLIMIT_FSIZE, &limit) != 0) {
            exit(99);
        }
        exit(write_until_full(f, reason));
    }
    int how = 0;
    assert_int_equal(waitpid(child, &how, 0), child);
    assert_true(WIFEXITED(how)); /* no crash, no SIGXFSZ */
    return WEXITSTATUS(how);
}

/* What was committed reads back; what was not is the fill value, or the numbers. A file without any time is not left. */
static uint64_t assert_readable(const fixture *f) {
    assert_int_not_equal(access(f->path, F_OK), 0);
    if (access(f->partial, F_OK) != 0) {
        return 0;
    }
    hid_t file = H5Fopen(f->partial, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(file >= 0);
    uint64_t n = fixture_n_times_written(file);
    assert_true(n > 0 && n < f->n_times);
    assert_int_equal(fixture_check(f, file, n, false), 0);
    H5Fclose(file);
    return n;
}

/* 16 numbers a time of 200 instances: 25.6 kB of noise a time, 1.3 MB in all; the limits cut it off anywhere. */
static void test_file_limit(void **state) {
    (void)state;
    uint64_t n_most = 0;
    for (rlim_t limit = 40000; limit < 1000000; limit += limit / 3) {
        fixture *f = fixture_create("limit", 200, 50, 7, KIND_RANDOM);
        f->block_bytes = 60000;
        int code = run_child(f, limit, "File too large");
        assert_int_equal(code, CHILD_OK);
        uint64_t n = assert_readable(f);
        assert_true(n >= n_most);
        n_most = n;
        fixture_destroy(f);
    }
    assert_true(n_most > 10);
}

/* So small that the file cannot even be created. */
static void test_tiny_limit(void **state) {
    (void)state;
    fixture *f = fixture_create("tiny", 200, 50, 7, KIND_RANDOM);
    assert_int_equal(run_child(f, 100, "File too large"), CHILD_CREATE_FAILED);
    assert_int_equal(run_child(f, 3000, "File too large"), CHILD_CREATE_FAILED);
    assert_int_equal(assert_readable(f), 0);
    fixture_destroy(f);
}

static void test_full_disk(void **state) {
    (void)state;
    char folder[] = "/tmp/sarrus_full_XXXXXX";
    assert_non_null(mkdtemp(folder));
    if (mount("tmpfs", folder, "tmpfs", 0, "size=2m") != 0) {
        rmdir(folder);
        skip();
    }
    fixture *f = fixture_create("full", 200, 500, 7, KIND_RANDOM);
    f->block_bytes = 300000;
    snprintf(f->path, sizeof f->path, "%s/out.h5", folder);
    snprintf(f->partial, sizeof f->partial, "%s/out.h5.partial", folder);
    int code = run_child(f, RLIM_INFINITY, "No space left on device");
    uint64_t n = code == CHILD_OK ? assert_readable(f) : 0;
    unlink(f->partial);
    umount(folder);
    rmdir(folder);
    assert_int_equal(code, CHILD_OK);
    assert_true(n > 10);
    fixture_destroy(f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_paths),      cmocka_unit_test(test_permission), cmocka_unit_test(test_file_limit),
        cmocka_unit_test(test_tiny_limit), cmocka_unit_test(test_full_disk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

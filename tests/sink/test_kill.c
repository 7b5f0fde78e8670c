/* A process that dies while it writes. Once by SIGKILL at random times; once at every n-th single write that it makes, which
 * covers the moments inside a commit that a random kill all but never meets. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <signal.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#include "table_fixture.h"

/* Like _exit, past the sanitizers, which would wait a second each time for other threads to report. */
static _Noreturn void leave(int code) {
    syscall(SYS_exit_group, code);
    abort();
}

static atomic_long n_writes_left = -1; /* the process ends instead of write number n; −1: never */

/* Takes the place of the C library's function in this program. */
ssize_t pwrite(int descriptor, const void *bytes, size_t n_bytes, off_t offset);
ssize_t pwrite(int descriptor, const void *bytes, size_t n_bytes, off_t offset) {
    if (atomic_load(&n_writes_left) >= 0 && atomic_fetch_sub(&n_writes_left, 1) == 0) {
        leave(1);
    }
    return syscall(SYS_pwrite64, descriptor, bytes, n_bytes, offset);
}

/* Writes the whole file; `pipe_end` (−1: none) is told of every time that is certain to be committed. */
static void write_all(const fixture *f, int pipe_end) {
    sarrus_context *context = NULL;
    sarrus_sink *sink = NULL;
    sarrus_sink_description description = table_description(f);
    table_fixture table = table_create(f);
    const sarrus_sink_outcome outcome = fixture_outcome(f, true);
    if (sarrus_context_create(&context) != SARRUS_OK || sarrus_sink_create(context, f->path, &description, &sink) != SARRUS_OK) {
        leave(20);
    }
    uint64_t step = sarrus_sink_block_times(sink, 0);
    for (uint64_t t = 0; t < f->n_times;) {
        sarrus_sink_block block;
        if (sarrus_sink_acquire(sink, 0, &block) != SARRUS_OK) {
            leave(21);
        }
        uint64_t n_certain = t >= 2 * step ? t - step : 0; /* this buffer is free: all but the last block are on file */
        if (pipe_end >= 0 && write(pipe_end, &n_certain, sizeof n_certain) != sizeof n_certain) {
            leave(22);
        }
        fixture_fill(f, &block);
        const sarrus_sink_outcome now = table_outcome(&table, t, outcome); /* one time a block */
        t += block.n_times;
        if (sarrus_sink_submit(sink, 0, block.n_times, &now) != SARRUS_OK) {
            leave(23);
        }
    }
    if (sarrus_sink_close(sink, context, &outcome) != SARRUS_OK) {
        leave(24);
    }
    leave(0);
}

/* Opens and verifies everything; −1 when there is no file yet. One that can be seen can be opened. */
static int64_t committed_times(const fixture *f) {
    const char *path = access(f->path, F_OK) == 0 ? f->path : f->partial;
    if (access(path, F_OK) != 0) {
        return -1;
    }
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(file >= 0);
    uint64_t n = fixture_n_times_written(file);
    assert_true(n <= f->n_times);
    assert_int_equal(fixture_check(f, file, n, false), 0);
    for (int c = 0; c < TABLE_COLUMNS; ++c) { /* what was not committed may be there, but must be right */
        assert_true(table_check_column(file, c) >= (int64_t)table_n_rows_before(n));
    }
    H5Fclose(file);
    return (int64_t)n;
}

/* 80 blocks of one chunk: the chunk index of every field grows from nothing through its first split (64 entries), that of the
 * table through two more chunks a block. */
static void test_every_write(void **state) {
    (void)state;
    int64_t n_before = -1, n_last = 0;
    const long stride = getenv("SARRUS_FEW_CASES") ? 35 : 7; /* a process with a sanitizer takes long to begin */
    for (long n_writes = 0; n_last < 80; n_writes += stride) {
        fixture *f = fixture_create("every_write", 3, 80, 2, KIND_RANDOM);
        f->block_bytes = 1;
        fflush(NULL);
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            atomic_store(&n_writes_left, n_writes);
            write_all(f, -1);
        }
        int how = 0;
        assert_int_equal(waitpid(child, &how, 0), child);
        assert_true(WIFEXITED(how) && WEXITSTATUS(how) <= 1);
        n_last = committed_times(f);
        assert_true(n_last >= n_before); /* dying later never loses anything */
        n_before = n_last;
        fixture_destroy(f);
    }
    assert_int_equal(n_last, 80);
}

/* Many chunks a block, so that index nodes split in the middle; killed at any time. */
static void kill_once(uint64_t microseconds) {
    fixture *f = fixture_create("killed", 40000, 30, 9, KIND_CONSTANT);
    f->block_bytes = 1;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        close(ends[0]);
        write_all(f, ends[1]);
    }
    close(ends[1]);
    uint64_t n_certain = 0, n_read = 0;
    bool begun = read(ends[0], &n_certain, sizeof n_certain) == (ssize_t)sizeof n_certain; /* the file exists */
    const struct timespec wait = {.tv_sec = 0, .tv_nsec = (long)microseconds * 1000};
    nanosleep(&wait, NULL);
    kill(child, SIGKILL);
    int how = 0;
    assert_int_equal(waitpid(child, &how, 0), child);
    while (read(ends[0], &n_read, sizeof n_read) == (ssize_t)sizeof n_read) {
        n_certain = n_read;
    }
    close(ends[0]);
    assert_true(begun);
    int64_t n = committed_times(f);
    assert_true(n >= (int64_t)n_certain);
    fixture_destroy(f);
}

static void test_random_kills(void **state) {
    (void)state;
    uint64_t seed = (uint64_t)time(NULL);
    print_message("random kills: seed %llu\n", (unsigned long long)seed);
    for (uint64_t k = 0; k < 5; ++k) {
        kill_once(fixture_noise(seed + k) % 200000);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_write),
        cmocka_unit_test(test_random_kills),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Claim: once a stop is asked for, the file is closed soon; what it holds is what n_times_written says, to the bit, and whatever
 * there was no time for is not to be seen in it. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <time.h>

#include "core/monotonic.h"
#include "sink_fixture.h"

static volatile int32_t stop;

static sarrus_sink *sink_make(const fixture *f, double stop_seconds) {
    sarrus_sink_description description = fixture_description(f);
    description.stop = &stop;
    description.stop_seconds = stop_seconds;
    sarrus_sink *sink = NULL;
    __atomic_store_n(&stop, 0, __ATOMIC_RELAXED);
    assert_int_equal(sarrus_sink_create(NULL, f->path, &description, &sink), SARRUS_OK);
    return sink;
}

static void pause_for(double seconds) {
    const struct timespec pause = {(time_t)seconds, (long)(1e9 * fmod(seconds, 1.0))};
    (void)nanosleep(&pause, NULL);
}

static void block_submit(const fixture *f, sarrus_sink *sink, double seconds_before) {
    sarrus_sink_block block;
    assert_int_equal(sarrus_sink_acquire(sink, 0, &block), SARRUS_OK);
    fixture_fill(f, &block);
    pause_for(seconds_before);
    const sarrus_sink_outcome outcome = fixture_outcome(f, false);
    assert_int_equal(sarrus_sink_submit(sink, 0, block.n_times, &outcome), SARRUS_OK);
}

/* Closes; returns how many times are in the file, which holds nothing of the others. */
static uint64_t file_check(const fixture *f, sarrus_sink *sink) {
    const sarrus_sink_outcome outcome = fixture_outcome(f, true);
    assert_int_equal(sarrus_sink_close(sink, NULL, &outcome), SARRUS_OK);
    const uint64_t n_times = sarrus_sink_times_written(sink, 0);
    sarrus_sink_destroy(sink);
    assert_true(n_times > 0 || access(f->path, F_OK) != 0); /* a file without any time is nobody's result */
    if (n_times == 0)
        return 0;
    hid_t file = H5Fopen(f->path, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(file >= 0);
    assert_int_equal(fixture_n_times_written(file), n_times);
    assert_int_equal(fixture_check(f, file, n_times, true), 0);
    H5Fclose(file);
    return n_times;
}

/* Blocks of ten times; the second comes after the stop, in time. */
static void what_is_in_time_is_written(void **state) {
    (void)state;
    for (fixture_kind kind = KIND_SMOOTH; kind <= KIND_NAN; ++kind) {
        fixture *f = fixture_create("in_time", 500, 47, 3, kind);
        f->block_bytes = 500 * 8 * 8 * 10;
        sarrus_sink *sink = sink_make(f, 0.0);
        block_submit(f, sink, 0.0);
        __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
        block_submit(f, sink, 0.0);
        assert_int_equal(file_check(f, sink), 20);
        fixture_destroy(f);
    }
}

static void what_is_late_is_dropped(void **state) {
    (void)state;
    fixture *f = fixture_create("late", 500, 47, 3, KIND_SMOOTH);
    f->block_bytes = 500 * 8 * 8 * 10;
    sarrus_sink *sink = sink_make(f, 0.0);
    block_submit(f, sink, 0.0);
    __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
    block_submit(f, sink, 0.3);
    block_submit(f, sink, 0.0); /* without the one before it, this one has no place */
    assert_int_equal(file_check(f, sink), 10);
    fixture_destroy(f);
}

/* The time runs out in the midst of the second block, whose chunks are then partly written: all of it or nothing is to be seen. */
static void a_block_that_was_begun_is_there_or_not(void **state) {
    (void)state;
    int n_dropped = 0;
    for (int k = 0; k < 12; ++k) {
        fixture *f = fixture_create("begun", 40000, 18, 3, KIND_RANDOM);
        f->block_bytes = 40000 * 8 * 8 * 9; /* 23 MB: some ten milliseconds, and 18 chunks */
        f->n_threads = 1;
        sarrus_sink *sink = sink_make(f, 0.003 * (k + 1));
        block_submit(f, sink, 0.0);
        sarrus_sink_block block;
        assert_int_equal(sarrus_sink_acquire(sink, 0, &block), SARRUS_OK);
        assert_int_equal(block.n_times, 9);
        fixture_fill(f, &block);
        const sarrus_sink_outcome outcome = fixture_outcome(f, false);
        __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
        assert_int_equal(sarrus_sink_submit(sink, 0, 9, &outcome), SARRUS_OK);
        const uint64_t n_times = file_check(f, sink);
        assert_true(n_times == 0 || n_times == 9 || n_times == 18);
        n_dropped += n_times < 18;
        fixture_destroy(f);
    }
    print_message("%d of 12 not written\n", n_dropped);
    assert_true(n_dropped > 0);
}

/* --- Times ------------------------------------------------------------------------------------------------------------------ */

typedef struct times_asked {
    uint64_t n;
} times_asked;

static void times_fill(const void *user, uint64_t i_first, uint64_t n, double *out) {
    ((times_asked *)(uintptr_t)user)->n += n;
    for (uint64_t i = 0; i < n; ++i)
        out[i] = 0.5 * (double)(i_first + i);
}

/* Writes n_rows of n_times times and checks /time in the file; returns for how many times it was asked. */
static uint64_t times_write(uint64_t n_times, uint64_t n_rows) {
    fixture *f = fixture_create("times", 1, 1, 1, KIND_SMOOTH);
    times_asked asked = {0};
    sarrus_sink_description description = fixture_description(f);
    description.n_times = n_times;
    description.times = times_fill;
    description.times_user = &asked;
    description.block_bytes = 10000 * 4 * sizeof(double);
    sarrus_sink *sink = NULL;
    assert_int_equal(sarrus_sink_create(NULL, f->path, &description, &sink), SARRUS_OK);
    for (uint64_t t = 0; t < n_rows;) {
        sarrus_sink_block block;
        assert_int_equal(sarrus_sink_acquire(sink, 0, &block), SARRUS_OK);
        fixture_fill(f, &block);
        const uint64_t n = n_rows - t < block.n_times ? n_rows - t : block.n_times;
        assert_int_equal(sarrus_sink_submit(sink, 0, n, NULL), SARRUS_OK);
        t += n;
    }
    assert_int_equal(sarrus_sink_close(sink, NULL, &(sarrus_sink_outcome){.complete = false}), SARRUS_OK);
    sarrus_sink_destroy(sink);
    hid_t file = H5Fopen(f->path, H5F_ACC_RDONLY, H5P_DEFAULT), time = H5Dopen2(file, "time", H5P_DEFAULT);
    hid_t space = H5Dget_space(time);
    assert_int_equal(H5Sget_simple_extent_npoints(space), n_times);
    const hsize_t begin = 0, n_read = n_times < 500000 ? n_times : 500000;
    hid_t part = H5Screate_simple(1, &n_read, NULL);
    double *times = malloc(n_read * sizeof *times);
    assert_non_null(times);
    assert_true(H5Sselect_hyperslab(space, H5S_SELECT_SET, &begin, NULL, &n_read, NULL) >= 0);
    assert_true(H5Dread(time, H5T_NATIVE_DOUBLE, part, space, H5P_DEFAULT, times) >= 0);
    for (uint64_t i = 0; i < n_read; ++i)
        assert_true(i < asked.n ? times[i] == 0.5 * (double)i : isnan(times[i]));
    free(times);
    H5Sclose(part);
    H5Sclose(space);
    H5Dclose(time);
    H5Fclose(file);
    fixture_destroy(f);
    return asked.n;
}

/* A thousand million times are 8 GB: neither made nor written before results come as far. */
static void times_are_written_as_far_as_needed(void **state) {
    (void)state;
    const double began = sarrus_monotonic_seconds();
    assert_int_equal(times_write(1000000001, 1), 131072);
    assert_int_equal(times_write(1000000001, 131072), 131072);
    assert_int_equal(times_write(1000000001, 131073), 2 * 131072);
    assert_int_equal(times_write(300000, 300000), 300000);
    assert_int_equal(times_write(7, 1), 7);
    assert_true(sarrus_monotonic_seconds() - began < 5.0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_in_time_is_written),
        cmocka_unit_test(what_is_late_is_dropped),
        cmocka_unit_test(a_block_that_was_begun_is_there_or_not),
        cmocka_unit_test(times_are_written_as_far_as_needed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The benchmarks for a CUDA device run through on an emulated GPU, with LAPACK in cuSOLVER's place: what they compute
 * passes its gates, and what they write can be read. Their figures mean nothing here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bench/pinv/cuda.h"
#include "bench/step/cuda.h"
#include "tests/backend/cusolver_on_host.h"
#include "tests/backend/gpu_on_host.h"
#include "tests/backend/gpu_pinv_on_host.h"
#include "tests/backend/gpu_staged_on_host.h"
#include "tests/backend/gpu_yardstick_on_host.h"
#include "tests/support/place.h"

static sarrus_gpu table;

static void device_begin(const gpu_on_host_settings *settings) {
    gpu_on_host_reset(settings);
    cusolver_on_host_reset(&(cusolver_on_host_settings){0});
    table = gpu_on_host;
    table.pinv = &gpu_pinv_on_host;
    table.staged = &gpu_staged_on_host;
    table.yardstick = &gpu_yardstick_on_host;
    sarrus_gpu_replace(&table);
    sarrus_cusolver_replace(&cusolver_on_host);
}

static void device_end(void) {
    const gpu_on_host_tally seen = gpu_on_host_seen();
    assert_int_equal(seen.n_misuses, 0);
    assert_int_equal(seen.n_bytes_allocated, 0);
    assert_int_equal(seen.n_pinned_allocated, 0);
    assert_int_equal(seen.n_objects, 0);
    assert_int_equal(cusolver_on_host_seen().n_misuses, 0);
    assert_int_equal(cusolver_on_host_seen().n_handles, 0);
    sarrus_cusolver_replace(NULL);
    sarrus_gpu_replace(NULL);
}

/* The text that `file` holds, to be freed. */
static char *text_of(FILE *file) {
    char *text = calloc(1, 1 << 20);
    assert_non_null(text);
    rewind(file);
    (void)fread(text, 1, (1 << 20) - 1, file);
    return text;
}

static int count(const char *text, const char *word) {
    int n = 0;
    for (const char *at = strstr(text, word); at != NULL; at = strstr(at + 1, word))
        ++n;
    return n;
}

/* Rows of 10 methods in two forms, the threads of two of them, and two of cuSOLVER, for each of two shapes; and of the batch of
 * 1000. */
static void test_pinv(void **state) {
    (void)state;
    sarrus_context *context = NULL;
    const sarrus_bench_pinv_options options = {
        .quick = true, .json = true, .on_device = true, .python = "true", .largest = 100, .n_repetitions = 1, .seconds = 0.0};
    FILE *file = tmpfile();
    assert_non_null(file);
    assert_int_equal(sarrus_context_create(&context), SARRUS_OK);
    device_begin(&(gpu_on_host_settings){.n_devices = 1, .n_bytes = (size_t)64 << 20});
    int n_failures = 0;
    assert_int_equal(sarrus_bench_pinv_cuda(context, &options, file, &n_failures), SARRUS_OK);
    assert_int_equal(n_failures, 0);
    device_end();
    char *text = text_of(file);
    assert_int_equal(count(text, "\"gate\": \"failed\""), 0);
    assert_int_equal(count(text, "\"by\": \"sarrus\""), 2 * 10 * 2 + 4);
    assert_int_equal(count(text, "\"variant\": \"group\""), 4);
    assert_int_equal(count(text, "\"name\": \"gesvdjBatched\""), 2);
    assert_int_equal(count(text, "\"name\": \"XsyevBatched\""), 2);
    assert_int_equal(count(text, "\"gate\": \"ok\""), 2 * 10 * 2 + 4 + 4);
    free(text);
    sarrus_context_destroy(context);
    (void)fclose(file);
}

/* The paths that this build of the table has; what it lacks is left out and said so. */
static void test_step(void **state) {
    (void)state;
    sarrus_context *context = NULL;
    const sarrus_bench_step_options options = {.quick = true,
                                               .on_device = true,
                                               .largest = 1000,
                                               .files = {place_of_source("/scenarios/pendulum.yaml")},
                                               .n_files = 1,
                                               .n_repetitions = 1};
    assert_int_equal(sarrus_context_create(&context), SARRUS_OK);
    device_begin(&(gpu_on_host_settings){.n_devices = 1, .n_bytes = (size_t)64 << 20});
    int n_failures = 0;
    assert_int_equal(sarrus_bench_step_cuda(context, &options, &n_failures), SARRUS_OK);
    assert_int_equal(n_failures, 0);
    assert_true(cusolver_on_host_seen().n_calls > 0);
    device_end();
    sarrus_context_destroy(context);
}

static void test_no_device(void **state) {
    (void)state;
    sarrus_context *context = NULL;
    const sarrus_bench_pinv_options options = {.on_device = true, .largest = 100, .n_repetitions = 1};
    assert_int_equal(sarrus_context_create(&context), SARRUS_OK);
    device_begin(&(gpu_on_host_settings){.n_devices = 0});
    int n_failures = 0;
    assert_int_equal(sarrus_bench_pinv_cuda(context, &options, NULL, &n_failures), SARRUS_NO_BACKEND);
    assert_int_equal(sarrus_context_n_diagnostics(context), 1);
    device_end();
    sarrus_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pinv),
        cmocka_unit_test(test_step),
        cmocka_unit_test(test_no_device),
    };
    return cmocka_run_group_tests_name("bench.cuda", tests, NULL, NULL);
}

/* The staged path as a backend, on the emulated GPU, cuSOLVER and cuBLAS emulated by LAPACK and plain loops: all that a
 * user sees of a batch against `pinv: lapack` of the CPU, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "backend/cuda/staged.h"
#include "tests/backend/cusolver_on_host.h"
#include "tests/backend/gpu_on_host.h"
#include "tests/backend/gpu_trial.h"
#include "tests/backend/staged_subject.h"

/* What test_cuda_staged.c allows for steps. */
#define TOLERANCE_RUN 1e-10

/* All that a user sees of 70 instances by LAPACK on the CPU and by cuSOLVER on devices, whose memory holds all or a part of them.
 */
static void check_backend(const subject *s, uint64_t n_steps, const gpu_on_host_settings *settings) {
    enum { N = 70, N_TIMES = 3, R = SARRUS_OBSERVE_REACTIONS };
    const bool is_singular = strcmp(s->file, "five_bar_singular.yaml") == 0;
    const cusolver_on_host_settings library = {0};
    gpu_record records[2];
    cusolver_on_host_reset(&library);
    gpu_on_host_reset(settings);
    for (int k = 0; k < 2; ++k) {
        mechanism m = open_with(s, k == 0 ? "lapack" : "cusolver-svd");
        sarrus_batch *batch = gpu_batch(&m, k == 0 ? SARRUS_BACKEND_CPU : SARRUS_BACKEND_CUDA, N, NULL);
        uint64_t n_evaluations = 0, n_rank_revealing = 0;
        gpu_speeds_spread(batch);
        records[k] = gpu_record_make(batch, N_TIMES, n_steps);
        sarrus_batch_path_counts(batch, &n_evaluations, &n_rank_revealing);
        assert_true(n_rank_revealing > 0 && n_evaluations >= n_rank_revealing);
        sarrus_batch_destroy(batch);
        mechanism_close(&m);
    }
    /* So near to where the links align, 0.1 mrad after 6 steps, the round-off of reactions is ε/σ²: not compared. */
    for (int k = 0; k < 2 && is_singular; ++k)
        memset(records[k].seen[R], 0, N * N_TIMES * records[k].width[R] * sizeof(double));
    gpu_records_compare(s->file, &records[0], 0, &records[1], TOLERANCE_RUN);
    assert_int_equal(records[0].n_events, records[1].n_events);
    for (uint64_t i = 0; i < records[0].n_events; ++i)
        assert_memory_equal(&records[0].events[i], &records[1].events[i], sizeof records[0].events[i]);
    assert_int_equal(memcmp(records[0].statistics, records[1].statistics, N * sizeof *records[0].statistics), 0);
    gpu_record_free(&records[0]);
    gpu_record_free(&records[1]);
    assert_int_equal(gpu_on_host_seen().n_misuses, 0);
    assert_int_equal(gpu_on_host_seen().n_objects, 0);
    assert_int_equal((int)gpu_on_host_seen().n_bytes_allocated, 0);
    assert_int_equal(cusolver_on_host_seen().n_misuses, 0);
    assert_int_equal(cusolver_on_host_seen().n_handles, 0);
    assert_true(cusolver_on_host_seen().n_members > 0);
}

static void test_backend(void **state) {
    (void)state;
    static const subject regular = {"four_bar.yaml", {"output.channels", "[state, rank]", NULL}};
    static const subject singular = {"five_bar_singular.yaml", {NULL}};
    /* A rule that changes its mind more often than regular motions do. */
    static const subject fickle = {"four_bar.yaml",
                                   {"dynamics.rank", "{method: relative, tol: 0.3}", "output.channels", "[state, rank]",
                                    "integrator.dt", "0.01", "integrator.substeps", "off", "limits",
                                    "{violation: off, energy: off, error: off}", NULL}};
    const gpu_on_host_settings one = {.n_devices = 1}, two = {.n_devices = 2}, small = {.n_devices = 1, .n_bytes = 1100000};
    sarrus_gpu_replace(&gpu_on_host);
    sarrus_cusolver_replace(&cusolver_on_host);
    check_backend(&regular, 6, &one);
    check_backend(&regular, 6, &two);
    check_backend(&singular, 6, &one);
    check_backend(&singular, 6, &small);
    check_backend(&fickle, 40, &one);
    sarrus_cusolver_replace(NULL);
    sarrus_gpu_replace(NULL);
}

/* What the library has left to others is told of the batch, whatever was stepped or only looked at, on however many devices. */
static void test_refusals_are_told(void **state) {
    (void)state;
    static const subject s = {"five_bar_singular.yaml", {NULL}};
    static const gpu_on_host_settings devices[] = {{.n_devices = 1}, {.n_devices = 2}, {.n_devices = 1, .n_bytes = 1100000}};
    const cusolver_on_host_settings library = {.every_unconverged = 5};
    sarrus_gpu_replace(&gpu_on_host);
    sarrus_cusolver_replace(&cusolver_on_host);
    mechanism m = open_with(&s, "cusolver-svd"), other = open_with(&s, "auto");
    uint64_t n_matrices = 1, n_refused = 1;
    for (size_t i = 0; i < sizeof devices / sizeof devices[0]; ++i) {
        cusolver_on_host_reset(&library);
        gpu_on_host_reset(&devices[i]);
        sarrus_batch *batch = gpu_batch(&m, SARRUS_BACKEND_CUDA, 70, NULL);
        assert_int_equal(sarrus_batch_advance(batch, 3), SARRUS_OK);
        double rank[70];
        mechanism_observe(batch, SARRUS_OBSERVE_RANK, rank);
        sarrus_batch_library_counts(batch, &n_matrices, &n_refused);
        const cusolver_on_host_tally seen = cusolver_on_host_seen();
        assert_int_equal(n_matrices, seen.n_members);
        assert_int_equal(n_refused, seen.n_unconverged);
        assert_true(n_refused >= n_matrices / 6);
        sarrus_batch_destroy(batch);
    }
    sarrus_batch *batch = gpu_batch(&other, SARRUS_BACKEND_CUDA, 70, NULL);
    assert_int_equal(sarrus_batch_advance(batch, 3), SARRUS_OK);
    sarrus_batch_library_counts(batch, &n_matrices, &n_refused);
    assert_int_equal(n_matrices + n_refused, 0);
    sarrus_batch_destroy(batch);
    mechanism_close(&m);
    mechanism_close(&other);
    sarrus_cusolver_replace(NULL);
    sarrus_gpu_replace(NULL);
}

/* What an instance gets does not depend on how many there are, on its place, or on which of them go through a device together: some
 * ask twice in some steps, so that slots are given out differently. */
static void test_invariance(void **state) {
    (void)state;
    static const subject s = {"five_bar_singular.yaml", {NULL}};
    static const struct {
        gpu_on_host_settings settings;
        uint64_t n_instances;
    } cases[] = {{{.n_devices = 1}, 70},
                 {{.n_devices = 3}, 70},
                 {{.n_devices = 1, .n_bytes = 1100000}, 70},
                 {{.n_devices = 1}, 7},
                 {{.n_devices = 1}, 33}};
    enum { N_CASES = sizeof cases / sizeof cases[0] };
    const cusolver_on_host_settings library = {0};
    gpu_record records[N_CASES];
    sarrus_gpu_replace(&gpu_on_host);
    sarrus_cusolver_replace(&cusolver_on_host);
    mechanism m = open_with(&s, "cusolver-syev");
    for (int i = 0; i < N_CASES; ++i) {
        double q[12], v[12];
        cusolver_on_host_reset(&library);
        gpu_on_host_reset(&cases[i].settings);
        sarrus_batch *batch = gpu_batch(&m, SARRUS_BACKEND_CUDA, cases[i].n_instances, NULL);
        assert_int_equal(sarrus_batch_advance(batch, 25), SARRUS_OK);
        assert_int_equal(sarrus_batch_state(batch, 0, q, v), SARRUS_OK);
        assert_int_equal(sarrus_batch_reset(batch), SARRUS_OK);
        for (uint64_t k = 0; k < cases[i].n_instances; k += 3)
            mechanism_set_state(batch, k, q, v);
        records[i] = gpu_record_make(batch, 2, 4);
        sarrus_batch_destroy(batch);
        gpu_records_compare("invariance", &records[0], 0, &records[i], 0.0);
        assert_int_equal(gpu_on_host_seen().n_misuses + cusolver_on_host_seen().n_misuses, 0);
    }
    for (int i = 0; i < N_CASES; ++i)
        gpu_record_free(&records[i]);
    mechanism_close(&m);
    sarrus_cusolver_replace(NULL);
    sarrus_gpu_replace(NULL);
}

/* A library that fails in the middle ends the batch, and says so. */
static void test_backend_fails(void **state) {
    (void)state;
    static const subject s = {"four_bar.yaml", {NULL}};
    const gpu_on_host_settings one = {.n_devices = 1};
    const cusolver_on_host_settings good = {0}, bad = {.status = 6}, poor = {.is_without_memory = 1};
    sarrus_gpu_replace(&gpu_on_host);
    sarrus_cusolver_replace(&cusolver_on_host);
    gpu_on_host_reset(&one);
    cusolver_on_host_reset(&good);
    mechanism m = open_with(&s, "cusolver-svd");
    sarrus_batch *batch = gpu_batch(&m, SARRUS_BACKEND_AUTO, 40, NULL);
    assert_string_equal(sarrus_batch_backend_name(batch), "cuda");
    assert_int_equal(sarrus_batch_advance(batch, 2), SARRUS_OK);
    cusolver_on_host_reset(&bad);
    assert_int_equal(sarrus_batch_advance(batch, 2), SARRUS_DEVICE_FAILED);
    sarrus_batch_destroy(batch);
    cusolver_on_host_reset(&poor);
    batch = NULL;
    assert_int_equal(
        sarrus_batch_create(m.context, m.plan, &(sarrus_batch_options){.backend = SARRUS_BACKEND_CUDA}, 40, NULL, &batch),
        SARRUS_NO_BACKEND);
    assert_null(batch);
    sarrus_cusolver_replace(NULL);
    sarrus_gpu_replace(NULL);
    mechanism_close(&m);
}

/* --- What is refused ---------------------------------------------------------------------------------------------------------- */

static void assert_refused(const subject *s, const char *pinv, sarrus_status expected, const char *words) {
    const mechanism m = open_with(s, pinv);
    sarrus_status status = SARRUS_OK;
    sarrus_context_clear(m.context);
    assert_true(sarrus_cuda_staged_is_asked(m.plan));
    assert_null(sarrus_cuda_staged_library(m.context, m.plan, NULL, &status));
    assert_int_equal(status, expected);
    if (!strstr(sarrus_context_diagnostic(m.context, 0)->message, words))
        fail_msg("'%s' has no '%s'", sarrus_context_diagnostic(m.context, 0)->message, words);
    mechanism mine = m;
    mechanism_close(&mine);
}

static void test_refused(void **state) {
    (void)state;
    static const subject adaptive = {"four_bar.yaml", {"integrator.method", "dopri5", NULL}},
                         large = {"n_four_bar_40.yaml", {NULL}};
    static const subject plain = {"four_bar.yaml", {NULL}};
    sarrus_gpu_replace(NULL);
    if (!sarrus_gpu_find())
        assert_refused(&plain, "cusolver-svd", SARRUS_NO_BACKEND, "not part of this build");
    sarrus_gpu_replace(&gpu_on_host);
    assert_refused(&adaptive, "cusolver-svd", SARRUS_UNSUPPORTED, "fixed step");
    assert_refused(&large, "cusolver-svd", SARRUS_UNSUPPORTED, "at most 32 rows and columns");
    sarrus_cusolver old = cusolver_on_host;
    old.syev = NULL;
    sarrus_cusolver_replace(&old);
    assert_refused(&plain, "cusolver-syev", SARRUS_NO_BACKEND, "CUDA 12.6");
    sarrus_cusolver_replace(&cusolver_on_host);
    const mechanism m = open_with(&large, "cusolver-syev");
    sarrus_status status = SARRUS_OK;
    assert_ptr_equal(sarrus_cuda_staged_library(m.context, m.plan, NULL, &status), &cusolver_on_host);
    sarrus_cusolver_replace(NULL);
    sarrus_gpu_replace(NULL);
    mechanism mine = m;
    mechanism_close(&mine);
}

/* A device whose table has no kernels for this path. */
static void test_device_without_kernels(void **state) {
    (void)state;
    static const subject s = {"four_bar.yaml", {NULL}};
    static const sarrus_backend backends[] = {SARRUS_BACKEND_CUDA, SARRUS_BACKEND_AUTO};
    sarrus_gpu bare = gpu_on_host;
    bare.staged = NULL;
    gpu_on_host_reset(&(gpu_on_host_settings){.n_devices = 1});
    sarrus_gpu_replace(&bare);
    sarrus_cusolver_replace(&cusolver_on_host);
    assert_refused(&s, "cusolver-svd", SARRUS_NO_BACKEND, "'pinv: cusolver-svd' is not part of this build's CUDA backend");
    mechanism m = open_with(&s, "cusolver-syev");
    for (int i = 0; i < 2; ++i) {
        sarrus_batch *batch = NULL;
        sarrus_context_clear(m.context);
        assert_int_equal(sarrus_batch_create(m.context, m.plan, &(sarrus_batch_options){.backend = backends[i]}, 8, NULL, &batch),
                         SARRUS_NO_BACKEND);
        assert_null(batch);
        assert_non_null(strstr(sarrus_context_diagnostic(m.context, 0)->message, "is not part of this build's CUDA backend"));
    }
    mechanism_close(&m);
    sarrus_cusolver_replace(NULL);
    sarrus_gpu_replace(NULL);
}

/* The CPU has no such library. */
static void test_refused_on_cpu(void **state) {
    (void)state;
    static const subject s = {"four_bar.yaml", {NULL}};
    const sarrus_batch_options options = {.backend = SARRUS_BACKEND_CPU};
    mechanism m = open_with(&s, "cusolver-syev");
    sarrus_batch *batch = NULL;
    sarrus_context_clear(m.context);
    assert_int_equal(sarrus_batch_create(m.context, m.plan, &options, 8, NULL, &batch), SARRUS_NO_BACKEND);
    assert_non_null(strstr(sarrus_context_diagnostic(m.context, 0)->message, "'pinv: cusolver-syev' is a library on a GPU"));
    mechanism_close(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_backend),        cmocka_unit_test(test_invariance), cmocka_unit_test(test_refusals_are_told),
        cmocka_unit_test(test_backend_fails),  cmocka_unit_test(test_refused),    cmocka_unit_test(test_device_without_kernels),
        cmocka_unit_test(test_refused_on_cpu),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

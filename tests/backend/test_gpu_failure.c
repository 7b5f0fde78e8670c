/* What goes wrong with a device becomes a status and a sentence: never a crash, never a wrong number, nothing left behind. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/backend/gpu_on_host.h"
#include "tests/backend/gpu_trial.h"

static int setup(void **state) {
    (void)state;
    sarrus_gpu_replace(&gpu_on_host);
    return 0;
}

static sarrus_status create(mechanism *m, sarrus_backend backend, uint64_t n_instances, int n_devices, sarrus_batch **out) {
    const sarrus_batch_options options = {.backend = backend, .n_devices = n_devices, .n_threads = 2};
    *out = NULL;
    sarrus_context_clear(m->context);
    return sarrus_batch_create(m->context, m->plan, &options, n_instances, NULL, out);
}

/* The CUDA backend is refused with a sentence that has `words` in it. */
static void refused(mechanism *m, int n_devices, const char *words) {
    sarrus_batch *batch;
    assert_int_equal(create(m, SARRUS_BACKEND_CUDA, 100, n_devices, &batch), SARRUS_NO_BACKEND);
    assert_null(batch);
    assert_true(sarrus_context_n_diagnostics(m->context) > 0);
    const char *message = sarrus_context_diagnostic(m->context, 0)->message;
    if (!strstr(message, words))
        fail_msg("'%s' says nothing of '%s'", message, words);
    gpu_assert_clean();
}

static void backends_that_cannot_be_had(void **state) {
    (void)state;
    mechanism m = mechanism_open_file("pendulum.yaml", NULL);
    gpu_on_host_reset(&(gpu_on_host_settings){0});
    refused(&m, 0, "no CUDA device is usable here: no CUDA-capable device is detected");
    gpu_on_host_reset(&(gpu_on_host_settings){.n_devices = 2});
    refused(&m, 3, "3 CUDA devices were asked for, but there are 2");
    gpu_on_host_reset(&(gpu_on_host_settings){.n_devices = 1, .n_bytes = 40000});
    refused(&m, 0, "not even 32 instances fit");
    gpu_on_host_reset(&(gpu_on_host_settings){.n_devices = 1, .n_bytes = 40000, .n_told_bytes = (size_t)1 << 30});
    refused(&m, 0, "not even 32 instances fit");
    sarrus_gpu_replace(NULL);
    if (!sarrus_gpu_find())
        refused(&m, 0, "made without a CUDA toolkit");
    mechanism_close(&m);
}

/* AUTO takes a device that is usable for a batch that is worth it, and else says nothing. */
static void auto_finds_another_way(void **state) {
    (void)state;
    const struct {
        gpu_on_host_settings settings;
        uint64_t n_instances;
        const char *backend;
    } cases[] = {
        {{.n_devices = 1}, 2000, "cuda"},
        {{.n_devices = 1}, 10, "cpu"},
        {{.n_devices = 0}, 2000, "cpu"},
        {{.n_devices = 1, .n_bytes = 40000}, 2000, "cpu"},
    };
    mechanism m = mechanism_open_file("pendulum.yaml", NULL);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        sarrus_batch *batch;
        gpu_on_host_reset(&cases[i].settings);
        assert_int_equal(create(&m, SARRUS_BACKEND_AUTO, cases[i].n_instances, 0, &batch), SARRUS_OK);
        assert_string_equal(sarrus_batch_backend_name(batch), cases[i].backend);
        assert_int_equal(sarrus_context_n_diagnostics(m.context), 0);
        sarrus_batch_destroy(batch);
        gpu_assert_clean();
    }
    mechanism_close(&m);
}

/* Every allocation of pinned memory may fail: chunks become smaller, or the backend is refused. */
static void pinned_memory_that_is_short(void **state) {
    (void)state;
    mechanism m = mechanism_open_file("pendulum.yaml", NULL);
    for (int i = 1; i <= 8; ++i) {
        sarrus_batch *batch;
        gpu_on_host_reset(&(gpu_on_host_settings){.n_devices = 1, .i_allocation_failed = i});
        const sarrus_status status = create(&m, SARRUS_BACKEND_CUDA, 300, 0, &batch);
        assert_true(status == SARRUS_OK || status == SARRUS_NO_BACKEND);
        assert_true(status == SARRUS_OK || i == 1); /* the first one is for the plan's tables, which cannot be smaller */
        if (batch)
            assert_int_equal(sarrus_batch_advance(batch, 3), SARRUS_OK);
        sarrus_batch_destroy(batch);
        gpu_assert_clean();
    }
    mechanism_close(&m);
}

/* Some begin anew from what they have; over a tree what is written takes kernels, too. */
static sarrus_status begin_anew(sarrus_batch *batch) {
    enum { N_Q = 3 };
    double q[100 * N_Q];
    uint8_t mask[100] = {0};
    mask[7] = mask[70] = mask[99] = 1;
    sarrus_status status = sarrus_batch_copy_out(batch, SARRUS_FIELD_Q, q);
    if (status == SARRUS_OK)
        status = sarrus_batch_copy_in(batch, SARRUS_FIELD_Q, mask, q);
    return status != SARRUS_OK ? status : sarrus_batch_assemble(batch, mask);
}

/* A batch through its life on a device with a fault, until something fails. Returns the status that told it. */
static sarrus_status live(mechanism *m, const char **failure, sarrus_batch **out) {
    sarrus_status status = create(m, SARRUS_BACKEND_CUDA, 100, 0, out);
    *failure = NULL;
    if (status != SARRUS_OK)
        return status;
    double energy[100 * 3];
    sarrus_observation o = {.n_times = 3, .every_steps = 2, .n_times_stride = 3};
    o.destination[SARRUS_OBSERVE_ENERGY] = energy;
    for (int i = 0; i < 3 && status == SARRUS_OK; ++i) {
        status = sarrus_batch_advance(*out, 2);
        if (status == SARRUS_OK)
            status = sarrus_batch_observe(*out, &o);
        if (status == SARRUS_OK)
            status = begin_anew(*out);
        if (status == SARRUS_OK && sarrus_batch_failed_step(*out, 99) != 0)
            status = SARRUS_FAILED;
    }
    *failure = sarrus_batch_failure(*out);
    return status;
}

/* After that the batch can be asked and destroyed, and fails again when it is to compute. */
static void dead(sarrus_batch *batch) {
    double q[3];
    sarrus_view view;
    const uint64_t step = sarrus_batch_step(batch);
    assert_int_equal(sarrus_batch_advance(batch, 1), SARRUS_DEVICE_FAILED);
    assert_int_equal(sarrus_batch_step(batch), step);
    assert_int_equal(sarrus_batch_status(batch, 3), SARRUS_INSTANCE_OK);
    /* The host's own tiles, when the batch is out of core, can still be looked at. */
    const sarrus_status looks[] = {sarrus_batch_state(batch, 3, q, NULL), sarrus_batch_view(batch, SARRUS_FIELD_STATUS, &view),
                                   sarrus_batch_reset(batch)};
    for (size_t i = 0; i < 3; ++i)
        assert_true(looks[i] == SARRUS_DEVICE_FAILED || looks[i] == SARRUS_OK);
    assert_int_equal(sarrus_batch_advance(batch, 1), SARRUS_DEVICE_FAILED);
    uint64_t n[2];
    sarrus_batch_path_counts(batch, &n[0], &n[1]);
    assert_non_null(sarrus_batch_failure(batch));
}

static void launches_fail_by(const char *formulation) {
    mechanism m =
        mechanism_open_file("pendulum.yaml", (const sarrus_override[]){{"dynamics.formulation", formulation}, {NULL, NULL}});
    for (int k = 0; k < 4; ++k) {
        int n_failed = 0;
        for (int i = 1; i <= 30; ++i) {
            const char *failure;
            sarrus_batch *batch;
            gpu_on_host_settings settings = {.n_devices = k == 3 ? 2 : 1, .n_bytes = k >= 2 ? 500000 : 0};
            *(k % 2 ? &settings.i_launch_lost : &settings.i_launch_refused) = i;
            gpu_on_host_reset(&settings);
            const sarrus_status status = live(&m, &failure, &batch);
            if (status == SARRUS_NO_BACKEND) { /* no batch yet */
                assert_null(batch);
                assert_non_null(strstr(sarrus_context_diagnostic(m.context, 0)->message, "CUDA device"));
            } else if (status != SARRUS_OK) {
                assert_int_equal(status, SARRUS_DEVICE_FAILED);
                assert_non_null(failure);
                assert_non_null(strstr(failure, k % 2 ? "the device was lost" : "the launch was refused"));
                dead(batch);
            }
            n_failed += status != SARRUS_OK;
            sarrus_batch_destroy(batch);
            gpu_assert_clean();
        }
        assert_true(n_failed >= 10);
    }
    mechanism_close(&m);
}

static void launches_that_fail(void **state) {
    (void)state;
    launches_fail_by("udwadia-kalaba");
    launches_fail_by("relative");
}

/* A run whose device fails stops and says so; what was committed is kept under the name of an unfinished file. */
static void a_run_stops_with_a_valid_file(void **state) {
    (void)state;
    char path[] = "/tmp/sarrus_gpu_failure_XXXXXX", partial[64];
    const int file = mkstemp(path);
    assert_true(file >= 0);
    mechanism m = mechanism_open_file("pendulum.yaml", NULL);
    gpu_on_host_reset(&(gpu_on_host_settings){.n_devices = 1, .i_launch_lost = 400});
    const sarrus_run_options options = {.output_path = path, .n_instances = 4000, .batch = {.backend = SARRUS_BACKEND_CUDA}};
    sarrus_run_summary summary;
    assert_int_equal(sarrus_run(m.context, m.model, &options, &summary), SARRUS_DEVICE_FAILED);
    const size_t n = sarrus_context_n_diagnostics(m.context);
    assert_true(n > 1);
    assert_non_null(strstr(sarrus_context_diagnostic(m.context, n - 2)->message, "the device was lost"));
    (void)snprintf(partial, sizeof partial, "%s.partial", path);
    assert_non_null(strstr(sarrus_context_diagnostic(m.context, n - 1)->message, partial));
    assert_int_equal(lseek(file, 0, SEEK_END), 0); /* what had the name before */
    sarrus_result_info info;
    assert_int_equal(sarrus_result_info_read(m.context, partial, &info), SARRUS_OK);
    assert_int_equal(info.complete, 0);
    assert_true(info.n_times > 0);
    assert_string_equal(info.backend, "cuda");
    assert_string_equal(info.device, "host (sm_90)");
    (void)close(file);
    (void)remove(path);
    (void)remove(partial);
    mechanism_close(&m);
    gpu_assert_clean();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(backends_that_cannot_be_had, setup, gpu_ended),
        cmocka_unit_test_setup_teardown(auto_finds_another_way, setup, gpu_ended),
        cmocka_unit_test_setup_teardown(pinned_memory_that_is_short, setup, gpu_ended),
        cmocka_unit_test_setup_teardown(launches_that_fail, setup, gpu_ended),
        cmocka_unit_test_setup_teardown(a_run_stops_with_a_valid_file, setup, gpu_ended),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

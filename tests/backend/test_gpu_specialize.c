/* Kernels for one plan on the CUDA backend: compiled by NVRTC when it is there, handed to an emulated GPU, where the
 * generic kernels stand for them. What is looked at is who makes the steps, and what is said about it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "jit/nvrtc.h"
#include "tests/jit/cache_folder.h"
#include "tests/backend/gpu_on_host.h"
#include "tests/backend/gpu_trial.h"

static bool has_nvrtc(void) {
    sarrus_fallback_reason reason;
    sarrus_nvrtc *nvrtc = sarrus_nvrtc_open(NULL, NULL, &reason);
    sarrus_nvrtc_close(nvrtc);
    return nvrtc != NULL;
}

static int setup(void **state) {
    gpu_on_host_reset(&(gpu_on_host_settings){.n_devices = 2});
    sarrus_gpu_replace(&gpu_on_host);
    return folder_make(state);
}

static int teardown(void **state) {
    sarrus_gpu_replace(NULL);
    return folder_remove(state);
}

static void assert_clean(void) {
    const gpu_on_host_tally seen = gpu_on_host_seen();
    assert_int_equal(seen.n_misuses, 0);
    assert_int_equal(seen.n_bytes_allocated, 0);
    assert_int_equal(seen.n_objects, 0);
}

/* Steps of 70 pendulums; how it stood in the end. */
static sarrus_specialization swing(const char *scenario, sarrus_specialize mode, const char *cache, gpu_record *out) {
    mechanism m = mechanism_open_file(scenario, NULL);
    const sarrus_batch_options options = {.n_threads = 2, .specialize = mode, .cache_dir = cache};
    sarrus_batch *batch = gpu_batch(&m, SARRUS_BACKEND_CUDA, 70, &options);
    gpu_speeds_spread(batch);
    *out = gpu_record_make(batch, 3, 10);
    sarrus_specialization told;
    sarrus_batch_specialization(batch, &told);
    sarrus_batch_destroy(batch);
    mechanism_close(&m);
    assert_clean();
    return told;
}

static void kernels_for_the_plan_make_the_steps(void **state) {
    const char *cache = *state;
    gpu_record generic, special, again, refused;
    if (!has_nvrtc())
        skip();
    assert_int_equal(swing("pendulum.yaml", SARRUS_SPECIALIZE_OFF, cache, &generic).state, SARRUS_SPECIALIZATION_OFF);
    sarrus_specialization told = swing("pendulum.yaml", SARRUS_SPECIALIZE_ON, cache, &special);
    assert_int_equal(told.state, SARRUS_SPECIALIZATION_READY);
    assert_false(told.is_from_cache);
    assert_true(told.compile_seconds > 0.0 && told.step_share == 1.0);
    told = swing("pendulum.yaml", SARRUS_SPECIALIZE_AUTO, cache, &again);
    assert_int_equal(told.state, SARRUS_SPECIALIZATION_READY);
    assert_true(told.is_from_cache && told.step_share == 1.0);
    gpu_records_compare("special", &generic, 0, &special, 0.0);
    gpu_records_compare("from the cache", &generic, 0, &again, 0.0);
    /* A device that does not load the kernels, and one that loads but does not launch them: the generic ones go on. */
    for (int what = 1; what <= 2; ++what) {
        gpu_on_host_reset(&(gpu_on_host_settings){.n_devices = 1, .no_specialized = what});
        told = swing("pendulum.yaml", SARRUS_SPECIALIZE_ON, cache, &refused);
        assert_int_equal(told.state, SARRUS_SPECIALIZATION_FAILED);
        assert_non_null(strstr(told.note, "the launch was refused"));
        assert_true(told.step_share == 0.0);
        gpu_records_compare("refused", &generic, 0, &refused, 0.0);
        gpu_record_free(&refused);
    }
    gpu_record_free(&generic);
    gpu_record_free(&special);
    gpu_record_free(&again);
}

static void what_is_in_the_way_is_said(void **state) {
    const char *cache = *state;
    gpu_record record;
    /* Too short to pay: nothing is compiled, or there is no compiler. */
    sarrus_specialization told = swing("double_pendulum.yaml", SARRUS_SPECIALIZE_AUTO, cache, &record);
    assert_int_equal(told.state, has_nvrtc() ? SARRUS_SPECIALIZATION_WAITING : SARRUS_SPECIALIZATION_FAILED);
    assert_true(told.step_share == 0.0);
    gpu_record_free(&record);
    if (has_nvrtc()) {
        told = swing("pendulum.yaml", SARRUS_SPECIALIZE_ON, "/proc/no/such/folder", &record);
        assert_int_equal(told.state, SARRUS_SPECIALIZATION_FAILED);
        assert_true(told.note[0] != '\0' && told.step_share == 0.0);
        gpu_record_free(&record);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(kernels_for_the_plan_make_the_steps, setup, teardown),
        cmocka_unit_test_setup_teardown(what_is_in_the_way_is_said, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The table of checks that test_gpu_device.c makes on a device, on an emulated GPU: the fused kernels have the bits of the
 * CPU's for AVX2 along the whole motion of every scenario, and LAPACK in cuSOLVER's place moves through the most singular position
 * of each as the CPU does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/backend/cusolver_on_host.h"
#include "tests/backend/gpu_agreement.h"
#include "tests/backend/gpu_kernels_on_host.h"
#include "tests/backend/gpu_on_host.h"
#include "tests/support/mechanism.h"

static void devices_begin(void) {
    gpu_on_host_reset(&(gpu_on_host_settings){.n_devices = 1});
    cusolver_on_host_reset(&(cusolver_on_host_settings){0});
    sarrus_gpu_replace(&gpu_on_host);
    sarrus_cusolver_replace(&cusolver_on_host);
}

static void devices_end(void) {
    assert_int_equal(gpu_on_host_seen().n_misuses + cusolver_on_host_seen().n_misuses, 0);
    assert_int_equal(gpu_on_host_seen().n_bytes_allocated, 0);
    assert_int_equal(gpu_on_host_seen().n_objects, 0);
    sarrus_cusolver_replace(NULL);
    sarrus_gpu_replace(NULL);
}

static bool is_large(size_t i) {
    return strcmp(gpu_agreements[i].file, "n_four_bar_40.yaml") == 0;
}

static void fused(void **state) {
    (void)state;
    const bool is_slow = getenv("SARRUS_FEW_CASES") != NULL;
    const gpu_agreement_wish wish = {.is_bitwise = 1,
                                     .n_instances = 2,
                                     .n_steps = is_slow ? 200 : 0,
                                     .n_large_steps = is_slow ? 10 : 100,
                                     .lanes_set = lanes_set_on_host};
    for (size_t i = 0; i < gpu_n_agreements; ++i) {
        devices_begin();
        gpu_agreement_fused(&gpu_agreements[i], &wish);
        devices_end();
    }
}

/* The check that a device must pass, which has no promise of bits: through a singular position. */
static void fused_within_bounds(void **state) {
    (void)state;
    const gpu_agreement_wish wish = {.n_instances = 2, .n_steps = 200, .lanes_set = lanes_set_on_host};
    for (size_t i = 0; i < gpu_n_agreements; ++i) {
        if (is_large(i))
            continue;
        devices_begin();
        gpu_agreement_fused(&gpu_agreements[i], &wish);
        devices_end();
    }
}

static void staged(void **state) {
    (void)state;
    const bool is_slow = getenv("SARRUS_FEW_CASES") != NULL;
    const gpu_agreement_wish wish = {
        .n_instances = 2, .n_steps = is_slow ? 100 : 0, .n_large_steps = 10, .n_staged_steps = is_slow ? 4 : 40};
    for (size_t i = 0; i < gpu_n_agreements; ++i) {
        if (is_slow && is_large(i))
            continue; /* one of its matrices takes LAPACK as long as all those of another scenario */
        devices_begin();
        gpu_agreement_staged(&gpu_agreements[i], &wish);
        devices_end();
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fused),
        cmocka_unit_test(fused_within_bounds),
        cmocka_unit_test(staged),
    };
    return mechanism_has_isa("avx2") ? cmocka_run_group_tests(tests, NULL, NULL) : 77;
}

/* The host code of the CUDA backend over an emulated runtime: launches, errors that the runtime keeps, a device's limits. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backend/cuda/gpu.h"
#include "backend/cuda/gpu_pinv.h"
#include "kernels/cuda/pinv_group_layout.h"
#include "plan/lower.h"
#include "sarrus/sarrus.h"
#include "tests/backend/cuda_runtime_on_host.h"
#include "tests/backend/gpu_trial.h"

static int setup(void **state) {
    (void)state;
    cuda_runtime_reset(&(cuda_runtime_settings){.n_devices = 2});
    sarrus_gpu_replace(cuda_runtime_table());
    return 0;
}

static int teardown(void **state) {
    (void)state;
    sarrus_gpu_replace(NULL);
    return 0;
}

static void assert_nothing_is_left(void) {
    const cuda_runtime_tally seen = cuda_runtime_seen();
    assert_int_equal(seen.n_allocated, 0);
    assert_int_equal(seen.n_objects, 0);
    assert_int_equal(cuda_runtime_last_error(), 0);
}

static gpu_record motion_of(const char *scenario, const sarrus_override *settings, sarrus_backend backend) {
    mechanism m = mechanism_open_file(scenario, settings);
    const sarrus_batch_options options = {.n_threads = 2, .isa = backend == SARRUS_BACKEND_CPU ? "avx2" : NULL};
    sarrus_batch *batch = gpu_batch(&m, backend, 70, &options);
    const gpu_record record = gpu_record_make(batch, 3, 5);
    sarrus_batch_destroy(batch);
    mechanism_close(&m);
    return record;
}

/* Every expansion, through the launches that a device would get. */
static void motions_are_those_of_the_processor(void **state) {
    (void)state;
    const sarrus_override relative[] = {{"dynamics.formulation", "relative"}, {NULL, NULL}};
    const struct {
        const char *scenario;
        const sarrus_override *settings;
    } motions[] = {
        {"five_bar.yaml", NULL}, {"spatial_four_bar.yaml", NULL}, {"five_bar.yaml", relative}, {"bennett.yaml", relative}};
    for (size_t i = 0; i < sizeof motions / sizeof motions[0]; ++i) {
        gpu_record expected = motion_of(motions[i].scenario, motions[i].settings, SARRUS_BACKEND_CPU);
        gpu_record got = motion_of(motions[i].scenario, motions[i].settings, SARRUS_BACKEND_CUDA);
        gpu_records_compare(motions[i].scenario, &expected, 0, &got, 0.0);
        gpu_record_free(&expected);
        gpu_record_free(&got);
        assert_nothing_is_left();
    }
    assert_true(cuda_runtime_seen().n_launches > 0);
}

/* Steps that are queued, restarts and copies on the device, by the runtime's own calls. */
static void queued_steps_are_those_that_wait(void **state) {
    (void)state;
    enum { N = 70 };
    mechanism m = mechanism_open_file("five_bar.yaml", NULL);
    const sarrus_batch_options options = {.backend = SARRUS_BACKEND_CUDA, .n_devices = 1, .n_threads = 2};
    double q[2][N * 12] = {{0}};
    uint8_t mask[N] = {1, 0, 1};
    void *there;
    for (int is_queued = 0; is_queued <= 1; ++is_queued) {
        sarrus_batch *batch = NULL;
        assert_int_equal(sarrus_batch_create(m.context, m.plan, &options, N, NULL, &batch), SARRUS_OK);
        assert_true(sarrus_batch_field_width(batch, SARRUS_FIELD_Q) <= 12);
        assert_int_equal(cuda_runtime_table()->allocate(&there, N), 0);
        memcpy(there, mask, N);
        assert_int_equal(is_queued ? sarrus_batch_advance_async(batch, 9, NULL) : sarrus_batch_advance(batch, 9), SARRUS_OK);
        assert_int_equal(is_queued ? sarrus_batch_reset_some_async(batch, (const uint8_t *)there, NULL)
                                   : sarrus_batch_reset_some(batch, mask),
                         SARRUS_OK);
        assert_int_equal(is_queued ? sarrus_batch_advance_async(batch, 4, NULL) : sarrus_batch_advance(batch, 4), SARRUS_OK);
        assert_int_equal(sarrus_batch_copy_out(batch, SARRUS_FIELD_Q, q[is_queued]), SARRUS_OK);
        assert_int_equal(sarrus_batch_step(batch), 13);
        assert_int_equal(cuda_runtime_table()->release(there), 0);
        sarrus_batch_destroy(batch);
        assert_nothing_is_left();
    }
    assert_memory_equal(q[0], q[1], sizeof q[0]);
    mechanism_close(&m);
}

/* What the application or a library has left behind is not ours. */
static void an_error_of_before_is_not_blamed_on_a_launch(void **state) {
    (void)state;
    assert_int_equal(cudaSetDevice(99), cudaErrorInvalidDevice);
    gpu_record record = motion_of("pendulum.yaml", NULL, SARRUS_BACKEND_CUDA);
    for (uint64_t i = 0; i < record.n_instances; ++i)
        assert_int_equal(record.status[i], SARRUS_INSTANCE_OK);
    gpu_record_free(&record);
}

/* A call on one tile of a mechanism, enough for a launch to be judged. */
static sarrus_cuda_call call_of(const sarrus_mechanism *mech, const sarrus_cuda_specialized *specialized) {
    return (sarrus_cuda_call){.mech = mech, .lanes = {.n_tiles = 1, .n_workspaces = 1}, .specialized = specialized};
}

/* A cubin that does not load, has no kernel, or whose kernel the device refuses: told once, and nothing is kept for the launch of
 * the generic kernels that follows. */
static void what_is_wrong_with_a_cubin_is_told_once(void **state) {
    (void)state;
    const sarrus_gpu *gpu = cuda_runtime_table();
    const sarrus_clock clock = {.dt = 1e-3};
    const int errors[] = {0, cudaErrorInvalidKernelImage, cudaErrorSymbolNotFound, cudaErrorLaunchOutOfResources};
    const sarrus_mechanism mech = {0};
    for (int wrong = 0; wrong <= 3; ++wrong) {
        cuda_runtime_reset(&(cuda_runtime_settings){.n_devices = 1, .no_cubin = wrong});
        sarrus_cuda_specialized kernels;
        int error = gpu->specialized_load("a cubin", "advance", 64, &kernels);
        assert_int_equal(error, wrong < 3 ? errors[wrong] : 0);
        assert_int_equal(cuda_runtime_last_error(), 0);
        if (error == 0) {
            const sarrus_cuda_call call = call_of(&mech, &kernels);
            assert_int_equal(gpu->advance(&call, &clock, 1), errors[wrong]);
            assert_int_equal(cuda_runtime_last_error(), 0);
            assert_int_equal(cuda_runtime_seen().n_library_launches, wrong == 0);
        }
        assert_int_equal(gpu->specialized_unload(&kernels), 0);
        assert_nothing_is_left();
    }
}

static int pinv_run(int32_t size, double *a, double *x) {
    const sarrus_cuda_pinv_call call = {.method = SARRUS_PINV_SVD,
                                        .m = size,
                                        .n = size,
                                        .is_explicit = 1,
                                        .rank_tolerance = 1e-10,
                                        .n_matrices = 1,
                                        .a = a,
                                        .x = x,
                                        .variant = SARRUS_CUDA_PINV_GROUP};
    return cuda_runtime_table()->pinv->run(&call);
}

/* A block of a 64×64 matrix takes more shared memory than one has without asking. */
static void shared_memory_is_asked_for(void **state) {
    (void)state;
    enum { SIZE = 64 };
    const pinv_group_layout lay = pinv_group_svd_layout(SIZE, SIZE, 0);
    assert_true((size_t)lay.size * (size_t)lay.n_groups * sizeof(double) > 48 * 1024);
    double *a = calloc(SIZE * SIZE, sizeof *a), *x = calloc(SIZE * SIZE, sizeof *x);
    assert_true(a && x);
    for (int i = 0; i < SIZE; ++i)
        a[i * SIZE + i] = 1.0 + i;
    assert_int_equal(pinv_run(SIZE, a, x), 0);
    for (int i = 0; i < SIZE; ++i) /* σ, σ², u/σ² and its scale round once each */
        assert_true(fabs(x[i * SIZE + i] * (1.0 + i) - 1.0) < 4.0 * DBL_EPSILON);
    int32_t n_slots = 0;
    size_t n_shared = 0;
    cuda_runtime_reset(&(cuda_runtime_settings){.n_devices = 1, .no_shared_optin = 1});
    assert_int_equal(cuda_runtime_table()->pinv->resources(&n_slots, &n_shared), 0);
    assert_int_equal(n_shared, 48 * 1024);
    assert_int_equal(pinv_run(SIZE, a, x), cudaErrorInvalidValue);
    assert_int_equal(cuda_runtime_last_error(), 0);
    assert_int_equal(pinv_run(2, a, x), 0);
    free(a);
    free(x);
}

/* The stacks of a device's threads come out of its memory when the first kernel runs: what is planned leaves room for them, or is
 * refused before it begins. */
static void stacks_find_room(void **state) {
    (void)state;
    enum { LOCAL = 4672, STACKS = LOCAL * 4096 };
    const struct {
        size_t n_bytes;
        bool fits;
    } devices[] = {{STACKS + (4 << 20), true}, {STACKS + (1 << 20), true}, {STACKS / 2, false}};
    mechanism m = mechanism_open_file("five_bar.yaml", NULL);
    for (size_t i = 0; i < sizeof devices / sizeof devices[0]; ++i) {
        cuda_runtime_reset(&(cuda_runtime_settings){.n_devices = 1, .n_bytes = devices[i].n_bytes, .n_local_bytes = LOCAL});
        const sarrus_batch_options options = {.backend = SARRUS_BACKEND_CUDA, .n_threads = 1};
        sarrus_batch *batch = NULL;
        const sarrus_status status = sarrus_batch_create(m.context, m.plan, &options, 6000, NULL, &batch);
        assert_int_equal(status, devices[i].fits ? SARRUS_OK : SARRUS_NO_BACKEND);
        if (status == SARRUS_OK)
            assert_int_equal(sarrus_batch_advance(batch, 1), SARRUS_OK);
        sarrus_batch_destroy(batch);
        assert_nothing_is_left();
    }
    mechanism_close(&m);
}

/* The emulated device holds 16 warps: 20 tiles are two rounds of 10 warps, not one of 16 and one of 4. Two warps a block. */
static void rounds_over_the_tiles_are_even(void **state) {
    (void)state;
    const struct {
        uint64_t n_tiles;
        unsigned n_blocks;
    } cases[] = {{1, 1}, {16, 8}, {17, 5}, {20, 5}, {32, 8}, {33, 6}};
    mechanism m = mechanism_open_file("pendulum.yaml", NULL);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const sarrus_batch_options options = {.n_threads = 1, .n_devices = 1};
        sarrus_batch *batch = gpu_batch(&m, SARRUS_BACKEND_CUDA, 32 * cases[i].n_tiles, &options);
        assert_int_equal(sarrus_batch_advance(batch, 1), SARRUS_OK);
        assert_int_equal(cuda_runtime_seen().n_blocks, cases[i].n_blocks);
        sarrus_batch_destroy(batch);
    }
    mechanism_close(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(motions_are_those_of_the_processor, setup, teardown),
        cmocka_unit_test_setup_teardown(queued_steps_are_those_that_wait, setup, teardown),
        cmocka_unit_test_setup_teardown(an_error_of_before_is_not_blamed_on_a_launch, setup, teardown),
        cmocka_unit_test_setup_teardown(what_is_wrong_with_a_cubin_is_told_once, setup, teardown),
        cmocka_unit_test_setup_teardown(shared_memory_is_asked_for, setup, teardown),
        cmocka_unit_test_setup_teardown(stacks_find_room, setup, teardown),
        cmocka_unit_test_setup_teardown(rounds_over_the_tiles_are_even, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

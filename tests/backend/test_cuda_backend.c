/* The CUDA backend on an emulated GPU: all that a user sees of a batch has the bits of the CPU backend's
 * kernels for AVX2, whatever the size of the batch, the memory and the number of the devices. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/backend/cusolver_on_host.h"
#include "tests/backend/gpu_on_host.h"
#include "tests/backend/gpu_trial.h"

static void trials_give_the_bits_of_the_cpu(void **state) {
    (void)state;
    for (size_t i = 0; i < gpu_n_trials; ++i) {
        gpu_trial_run(&gpu_trials[i], 35, 3);
        gpu_assert_clean();
    }
}

static void sizes_around_the_tile(void **state) {
    (void)state;
    const uint64_t sizes[] = {1, 31, 32, 33, 64, 65, 200};
    const gpu_trial trial = {.file = "five_bar.yaml", .n_steps = 7};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i)
        gpu_trial_run(&trial, sizes[i], 3);
    gpu_assert_clean();
}

/* More changes of rank than a tile holds: lanes stop, and go on when these are fetched. A threshold far above round-off, which the
 * smallest singular value passes several times a turn. */
static void changes_of_rank(void **state) {
    (void)state;
    const struct {
        const char *method;
        size_t n_bytes;
        uint64_t n_instances;
    } ways[] = {{"rk4", 0, 34}, {"dopri5", 0, 34}, {"semi-implicit", 600000, 200}};
    for (size_t k = 0; k < 3; ++k) {
        const sarrus_override settings[] = {{"dynamics.pinv", "svd"},
                                            {"dynamics.rank", "{method: relative, tol: 0.3}"},
                                            {"integrator", "{method: rk4, dt: 0.01, t_end: 6}"},
                                            {"integrator.method", ways[k].method},
                                            {"integrator.substeps", "off"},
                                            {"limits", "{violation: off, energy: off, error: off}"},
                                            {NULL, NULL}};
        mechanism m = mechanism_open_file("four_bar.yaml", settings);
        gpu_on_host_reset(&(gpu_on_host_settings){.n_devices = 1, .n_bytes = ways[k].n_bytes});
        sarrus_batch *cpu = gpu_batch(&m, SARRUS_BACKEND_CPU, ways[k].n_instances, NULL),
                     *cuda = gpu_batch(&m, SARRUS_BACKEND_CUDA, ways[k].n_instances, NULL);
        assert_true((strstr(sarrus_batch_device_name(cuda), "out of core") != NULL) == (ways[k].n_bytes > 0));
        gpu_speeds_spread(cpu);
        gpu_speeds_spread(cuda);
        gpu_record of_cpu = gpu_record_make(cpu, 2, 500), of_cuda = gpu_record_make(cuda, 2, 500);
        assert_true(of_cpu.n_events > 8 * ways[k].n_instances);
        /* More launches than one for the assembly, two to look and one to step: the steps were made in portions. */
        assert_true(gpu_on_host_seen().n_launches > 4);
        gpu_records_compare("changes of rank", &of_cpu, 0, &of_cuda, 0.0);
        gpu_record_free(&of_cpu);
        gpu_record_free(&of_cuda);
        sarrus_batch_destroy(cpu);
        sarrus_batch_destroy(cuda);
        mechanism_close(&m);
        gpu_assert_clean();
    }
}

/* A batch of 600 on devices of all kinds, against that of one that holds all of it. */
static void memory_and_devices_change_no_bit(void **state) {
    (void)state;
    enum { N = 600 };
    const gpu_on_host_settings kinds[] = {
        {.n_devices = 1},
        {.n_devices = 3},
        {.n_devices = 1, .n_bytes = 800000}, /* out of core */
        {.n_devices = 2, .n_bytes = 800000},
        {.n_devices = 1, .n_bytes = 800000, .n_told_bytes = (size_t)1 << 30}, /* less than it says */
        {.n_devices = 1, .n_resident = 1},
    };
    gpu_record expected = {0};
    mechanism m = mechanism_open_file("five_bar.yaml", NULL);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; ++i) {
        gpu_on_host_reset(&kinds[i]);
        sarrus_batch *batch = gpu_batch(&m, SARRUS_BACKEND_CUDA, N, NULL);
        const int is_out_of_core = strstr(sarrus_batch_device_name(batch), "out of core") != NULL;
        assert_int_equal(is_out_of_core, kinds[i].n_bytes > 0);
        gpu_speeds_spread(batch);
        gpu_record record = gpu_record_make(batch, 3, 5);
        assert_int_equal(gpu_on_host_seen().n_devices_used, kinds[i].n_devices);
        if (i == 0) {
            expected = record;
        } else {
            gpu_records_compare("devices", &expected, 0, &record, 0.0);
            gpu_record_free(&record);
        }
        sarrus_batch_destroy(batch);
        gpu_assert_clean();
    }
    gpu_record_free(&expected);
    mechanism_close(&m);
}

/* Buffers that hold a tile or two, so that all is moved in many pieces and looked at in many packets, by turns in two buffers;
 * nobody waits in between, for changes of rank are not looked for. Against buffers that hold everything. */
static void small_buffers_change_no_bit(void **state) {
    (void)state;
    enum { N = 200 };
    static const char *const pinvs[] = {"auto", "cusolver-svd"};
    static const gpu_on_host_settings kinds[] = {
        {.n_devices = 1}, {.n_devices = 2}, {.n_devices = 1, .n_bytes = 1600000}, {.n_devices = 2, .n_bytes = 1600000}};
    sarrus_gpu small = gpu_on_host;
    sarrus_cusolver_replace(&cusolver_on_host);
    for (int p = 0; p < 2; ++p) {
        const sarrus_override settings[] = {
            {"dynamics.pinv", pinvs[p]}, {"output.channels", "[state, energy, reactions]"}, {NULL, NULL}};
        mechanism m = mechanism_open_file("five_bar_monte_carlo.yaml", settings);
        sarrus_draws *draws = NULL;
        gpu_record expected = {0};
        assert_int_equal(sarrus_draws_create(m.context, m.model, 7, N, &draws), SARRUS_OK);
        for (size_t i = 0; i < 1 + 2 * sizeof kinds / sizeof kinds[0]; ++i) {
            sarrus_batch *batch = NULL;
            small.n_most_packed = i % 2 ? 1 : 40000;
            small.n_most_pinned = i % 2 ? 1 : 100000;
            sarrus_gpu_replace(i == 0 ? &gpu_on_host : &small);
            gpu_on_host_reset(&kinds[i / 2 % (sizeof kinds / sizeof kinds[0])]);
            cusolver_on_host_reset(&(cusolver_on_host_settings){0});
            const sarrus_batch_options options = {.backend = SARRUS_BACKEND_CUDA, .n_threads = 2};
            assert_int_equal(sarrus_batch_create(m.context, m.plan, &options, N, draws, &batch), SARRUS_OK);
            gpu_record record = gpu_record_make(batch, 6, 1);
            sarrus_batch_destroy(batch);
            gpu_assert_clean();
            if (i == 0) {
                expected = record;
                continue;
            }
            gpu_records_compare("small buffers", &expected, 0, &record, 0.0);
            gpu_record_free(&record);
        }
        gpu_record_free(&expected);
        sarrus_draws_destroy(draws);
        mechanism_close(&m);
    }
    sarrus_cusolver_replace(NULL);
}

/* However many devices there are, all of them work. */
static void many_devices(void **state) {
    (void)state;
    enum { N_DEVICES = 300, N = 32 * N_DEVICES };
    gpu_record records[2];
    mechanism m = mechanism_open_file("pendulum.yaml", NULL);
    for (int k = 0; k < 2; ++k) {
        gpu_on_host_reset(&(gpu_on_host_settings){.n_devices = k ? N_DEVICES : 1});
        sarrus_batch *batch = gpu_batch(&m, SARRUS_BACKEND_CUDA, N, NULL);
        gpu_speeds_spread(batch);
        records[k] = gpu_record_make(batch, 2, 2);
        assert_int_equal(gpu_on_host_seen().n_devices_used, k ? N_DEVICES : 1);
        sarrus_batch_destroy(batch);
        gpu_assert_clean();
    }
    gpu_records_compare("many devices", &records[0], 0, &records[1], 0.0);
    gpu_record_free(&records[0]);
    gpu_record_free(&records[1]);
    mechanism_close(&m);
}

static void torques_set(sarrus_batch *batch, const sarrus_view *input, double torque) {
    for (uint64_t i = 0; i < sarrus_batch_n_instances(batch); ++i)
        input->base[(i / input->width) * input->stride + i % input->width] = torque * (double)(i % 7);
}

/* What is done to a batch between calls arrives on the device, and what is looked at comes back: torques on the arm, a state that
 * is moved, a reset, and each of them without a view in between. */
static void drive(sarrus_batch *batch, const char *what, gpu_record *out) {
    sarrus_view input;
    if (strchr(what, 'i')) {
        assert_int_equal(sarrus_batch_view(batch, SARRUS_FIELD_INPUT, &input), SARRUS_OK);
        torques_set(batch, &input, 0.1);
    }
    assert_int_equal(sarrus_batch_advance(batch, 30), SARRUS_OK);
    if (strchr(what, 'i')) /* through the view that is there already */
        torques_set(batch, &input, -0.3);
    if (strchr(what, 'v'))
        gpu_speeds_spread(batch);
    assert_int_equal(sarrus_batch_advance(batch, 10), SARRUS_OK);
    if (strchr(what, 'r'))
        assert_int_equal(sarrus_batch_reset(batch), SARRUS_OK);
    *out = gpu_record_make(batch, 4, 5);
}

static const char *const DRIVEN = "sarrus: 1\nname: driven\nspace: planar\n"
                                  "bodies:\n"
                                  "  - {name: arm, mass: 1.0, inertia: 0.1, position: [0.5, 0], angular_velocity: 1}\n"
                                  "  - {name: bob, mass: 0.5, inertia: 0.1, position: [1.5, 0]}\n"
                                  "joints:\n"
                                  "  - {name: A, type: revolute, bodies: [ground, arm], at: [0, 0]}\n"
                                  "  - {name: B, type: revolute, bodies: [arm, bob], at: [1, 0]}\n"
                                  "forces:\n"
                                  "  - {name: motor, type: torque, body: arm, value: {input: 0}}\n"
                                  "dynamics: {formulation: udwadia-kalaba}\n" /* its speeds are viewed */
                                  "integrator: {method: rk4, dt: 1.0e-3, t_end: 1.0}\n"
                                  "output: {every: 10, channels: [state, energy, rank]}\n";

static void inputs_views_and_resets(void **state) {
    (void)state;
    const char *const ways[] = {"", "i", "v", "r", "iv", "ir", "vr", "ivr"};
    const char *const methods[] = {"rk4", "dopri5", "adams-moulton"};
    for (size_t k = 0; k < 3; ++k) {
        const sarrus_override settings[] = {{"integrator.method", methods[k]}, {NULL, NULL}};
        mechanism m = mechanism_open_text(DRIVEN, settings);
        for (size_t i = 0; i < 2 * sizeof ways / sizeof ways[0]; ++i) {
            gpu_record records[2];
            gpu_on_host_reset(&(gpu_on_host_settings){.n_devices = 1, .n_bytes = i % 2 ? 900000 : 0});
            for (int b = 0; b < 2; ++b) {
                sarrus_batch *batch = gpu_batch(&m, b ? SARRUS_BACKEND_CUDA : SARRUS_BACKEND_CPU, 101, NULL);
                drive(batch, ways[i / 2], &records[b]);
                sarrus_batch_destroy(batch);
            }
            gpu_records_compare(ways[i / 2], &records[0], 0, &records[1], 0.0);
            gpu_record_free(&records[0]);
            gpu_record_free(&records[1]);
            gpu_assert_clean();
        }
        mechanism_close(&m);
    }
}

/* What is seen of a batch over a tree that goes on, is asked for states, and begins anew. */
static void wander(sarrus_batch *batch, gpu_record *out) {
    enum { N_NUMBERS = 12 };
    double q[N_NUMBERS], v[N_NUMBERS];
    const uint64_t last = sarrus_batch_n_instances(batch) - 1;
    assert_int_equal(sarrus_batch_advance(batch, 20), SARRUS_OK);
    *out = gpu_record_make(batch, 3, 7);
    const size_t n = out->width[SARRUS_OBSERVE_Q], at = (last * 3 + 2) * n;
    assert_int_equal(n, N_NUMBERS);
    assert_int_equal(sarrus_batch_state(batch, last, q, v), SARRUS_OK);
    assert_memory_equal(q, out->seen[SARRUS_OBSERVE_Q] + at, sizeof q);
    assert_memory_equal(v, out->seen[SARRUS_OBSERVE_V] + at, sizeof v);
    gpu_record_free(out);
    assert_int_equal(sarrus_batch_reset(batch), SARRUS_OK);
    assert_int_equal(sarrus_batch_state(batch, last, q, v), SARRUS_OK);
    *out = gpu_record_make(batch, 4, 5);
    assert_memory_equal(q, out->seen[SARRUS_OBSERVE_Q] + last * 4 * n, sizeof q);
    assert_memory_equal(v, out->seen[SARRUS_OBSERVE_V] + last * 4 * n, sizeof v);
}

static void over_trees_too(void **state) {
    (void)state;
    enum { N = 600 };
    static const gpu_on_host_settings kinds[] = {{.n_devices = 1},
                                                 {.n_devices = 3},
                                                 {.n_devices = 1, .n_bytes = 800000},
                                                 {.n_devices = 2, .n_bytes = 800000},
                                                 {.n_devices = 1}};
    const sarrus_override settings[] = {{"dynamics.formulation", "relative"}, {NULL, NULL}};
    mechanism m = mechanism_open_file("five_bar_monte_carlo.yaml", settings);
    sarrus_gpu small = gpu_on_host;
    sarrus_draws *draws = NULL;
    gpu_record expected = {0};
    assert_int_equal(sarrus_draws_create(m.context, m.model, 7, N, &draws), SARRUS_OK);
    for (size_t i = 0; i <= sizeof kinds / sizeof kinds[0]; ++i) {
        const sarrus_batch_options options = {.backend = i ? SARRUS_BACKEND_CUDA : SARRUS_BACKEND_CPU,
                                              .isa = i ? NULL : "avx2",
                                              .n_threads = 2,
                                              .keep_rank_events = 1};
        sarrus_batch *batch = NULL;
        gpu_record record;
        gpu_on_host_reset(&kinds[i ? i - 1 : 0]);
        small.n_most_packed = small.n_most_pinned = 1; /* tile by tile */
        sarrus_gpu_replace(i == sizeof kinds / sizeof kinds[0] ? &small : &gpu_on_host);
        assert_int_equal(sarrus_batch_create(m.context, m.plan, &options, N, draws, &batch), SARRUS_OK);
        if (i > 0)
            assert_int_equal(strstr(sarrus_batch_device_name(batch), "out of core") != NULL, kinds[i - 1].n_bytes > 0);
        wander(batch, &record);
        sarrus_batch_destroy(batch);
        gpu_assert_clean();
        if (i == 0) {
            expected = record;
            continue;
        }
        gpu_records_compare("over trees", &expected, 0, &record, 0.0);
        gpu_record_free(&record);
    }
    gpu_record_free(&expected);
    sarrus_draws_destroy(draws);
    mechanism_close(&m);
}

/* A field that nobody views stays on the device. */
static void what_nobody_looks_at_is_not_copied(void **state) {
    (void)state;
    mechanism m = mechanism_open_file("five_bar.yaml", NULL);
    sarrus_batch *batch = gpu_batch(&m, SARRUS_BACKEND_CUDA, 320, NULL);
    const gpu_on_host_tally before = gpu_on_host_seen();
    for (int i = 0; i < 5; ++i)
        assert_int_equal(sarrus_batch_advance(batch, 1), SARRUS_OK);
    const gpu_on_host_tally after = gpu_on_host_seen();
    assert_int_equal(after.n_uploaded, before.n_uploaded);
    assert_true(after.n_downloaded - before.n_downloaded <= 5 * sizeof(int32_t)); /* does some lane wait? */
    assert_int_equal(sarrus_batch_status(batch, 319), SARRUS_INSTANCE_OK);
    assert_int_equal(gpu_on_host_seen().n_downloaded - after.n_downloaded, 320 * sizeof(double));
    assert_int_equal(sarrus_batch_status(batch, 5), SARRUS_INSTANCE_OK);
    assert_int_equal(gpu_on_host_seen().n_downloaded - after.n_downloaded, 320 * sizeof(double));
    sarrus_batch_destroy(batch);
    mechanism_close(&m);
    gpu_assert_clean();
}

/* The bits of an instance depend on nothing but itself. */
static void an_instance_is_the_same_anywhere(void **state) {
    (void)state;
    mechanism m = mechanism_open_file("five_bar_monte_carlo.yaml", NULL);
    sarrus_draws *draws = NULL;
    gpu_record records[2];
    const uint64_t sizes[] = {257, 40};
    assert_int_equal(sarrus_draws_create(m.context, m.model, 7, 257, &draws), SARRUS_OK);
    for (int k = 0; k < 2; ++k) {
        const sarrus_batch_options options = {.backend = SARRUS_BACKEND_CUDA, .keep_rank_events = 1};
        sarrus_batch *batch = NULL;
        assert_int_equal(sarrus_batch_create(m.context, m.plan, &options, sizes[k], draws, &batch), SARRUS_OK);
        records[k] = gpu_record_make(batch, 3, 10);
        sarrus_batch_destroy(batch);
    }
    gpu_records_compare("instances", &records[0], 0, &records[1], 0.0);
    gpu_record_free(&records[0]);
    gpu_record_free(&records[1]);
    sarrus_draws_destroy(draws);
    mechanism_close(&m);
    gpu_assert_clean();
}

/* cuSOLVER between kernels, emulated by LAPACK: another way to the pseudoinverse, so that only the motion is the same. The distance
 * of a short run: rounding of 1e-16 in each of some hundred evaluations, times a condition below 1e3. */
static void the_staged_path(void **state) {
    (void)state;
    const double tolerance = 1e-10;
    sarrus_cusolver_replace(&cusolver_on_host);
    for (int i = 0; i < 3; ++i) {
        const sarrus_override on_cpu[] = {{"dynamics.pinv", "svd"}, {NULL, NULL}},
                              on_gpu[] = {{"dynamics.pinv", i == 2 ? "cusolver-syev" : "cusolver-svd"}, {NULL, NULL}};
        gpu_record records[2];
        gpu_on_host_reset(&(gpu_on_host_settings){.n_devices = 1, .n_bytes = i == 1 ? 1000000 : 0});
        cusolver_on_host_reset(&(cusolver_on_host_settings){0});
        for (int b = 0; b < 2; ++b) {
            mechanism m = mechanism_open_file("four_bar.yaml", b ? on_gpu : on_cpu);
            sarrus_batch *batch = gpu_batch(&m, b ? SARRUS_BACKEND_CUDA : SARRUS_BACKEND_CPU, 200, NULL);
            gpu_speeds_spread(batch);
            records[b] = gpu_record_make(batch, 3, 5);
            uint64_t n_evaluations, n_rank_revealing;
            sarrus_batch_path_counts(batch, &n_evaluations, &n_rank_revealing);
            assert_true(n_rank_revealing > 0);
            assert_true(!b || (strstr(sarrus_batch_device_name(batch), "out of core") != NULL) == (i == 1));
            sarrus_batch_destroy(batch);
            mechanism_close(&m);
        }
        gpu_records_compare("staged", &records[0], 0, &records[1], tolerance);
        gpu_record_free(&records[0]);
        gpu_record_free(&records[1]);
        gpu_assert_clean();
        assert_true(cusolver_on_host_seen().n_members > 0);
        assert_int_equal(cusolver_on_host_seen().n_handles, 0);
        assert_int_equal(cusolver_on_host_seen().n_misuses, 0);
    }
    sarrus_cusolver_replace(NULL);
}

static void path_counts_are_counted(void **state) {
    (void)state;
    mechanism m = mechanism_open_file("five_bar_singular.yaml", NULL);
    sarrus_batch *batch = gpu_batch(&m, SARRUS_BACKEND_CUDA, 33, NULL);
    uint64_t before[2], after[2];
    sarrus_batch_path_counts(batch, &before[0], &before[1]);
    assert_int_equal(sarrus_batch_advance(batch, 10), SARRUS_OK);
    sarrus_batch_path_counts(batch, &after[0], &after[1]);
    assert_true(after[0] - before[0] >= UINT64_C(40) * 64); /* four stages a step, and what the projection takes */
    assert_true(after[1] > before[1]);
    sarrus_batch_destroy(batch);
    mechanism_close(&m);
    gpu_assert_clean();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(trials_give_the_bits_of_the_cpu, gpu_played, gpu_ended),
        cmocka_unit_test_setup_teardown(sizes_around_the_tile, gpu_played, gpu_ended),
        cmocka_unit_test_setup_teardown(changes_of_rank, gpu_played, gpu_ended),
        cmocka_unit_test_setup_teardown(memory_and_devices_change_no_bit, gpu_played, gpu_ended),
        cmocka_unit_test_setup_teardown(small_buffers_change_no_bit, gpu_played, gpu_ended),
        cmocka_unit_test_setup_teardown(many_devices, gpu_played, gpu_ended),
        cmocka_unit_test_setup_teardown(inputs_views_and_resets, gpu_played, gpu_ended),
        cmocka_unit_test_setup_teardown(over_trees_too, gpu_played, gpu_ended),
        cmocka_unit_test_setup_teardown(what_nobody_looks_at_is_not_copied, gpu_played, gpu_ended),
        cmocka_unit_test_setup_teardown(an_instance_is_the_same_anywhere, gpu_played, gpu_ended),
        cmocka_unit_test_setup_teardown(the_staged_path, gpu_played, gpu_ended),
        cmocka_unit_test_setup_teardown(path_counts_are_counted, gpu_played, gpu_ended),
    };
    return mechanism_has_isa("avx2") ? cmocka_run_group_tests(tests, NULL, NULL) : 77;
}

/* The table of checks that test_gpu_device.c makes on a device, on an emulated GPU: the fused kernels have the bits of the
 * CPU's for AVX2 along the whole motion of every scenario, and LAPACK in cuSOLVER's place moves through the most singular position
 * of each as the CPU does. */
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "plan/plan.h"
#include "tests/backend/cusolver_on_host.h"
#include "tests/backend/gpu_agreement.h"
#include "tests/backend/gpu_kernels_on_host.h"
#include "tests/backend/gpu_on_host.h"
#include "tests/backend/gpu_trial.h"
#include "tests/support/mechanism.h"
#include "tests/support/place.h"

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

/* --- Space, and relative coordinates ------------------------------------------------------------------------------------------ */

/* The motion of a scenario up to so many steps (0: all) on both backends: everything that can be seen of it, to the last bit.
 * Speeds differ from instance to instance, of relative coordinates where the scenario draws. */
static void motions_compare(const char *file, const sarrus_override *settings, uint64_t n_most) {
    enum { N_INSTANCES = 2, N_TIMES = 11 };
    mechanism m = mechanism_open_file(file, settings);
    const uint64_t n_all = m.plan->n_steps, n_steps = n_most > 0 && n_most < n_all ? n_most : n_all;
    const uint64_t every = n_steps > N_TIMES - 1 ? n_steps / (N_TIMES - 1) : 1;
    sarrus_draws *draws = NULL;
    gpu_record records[2];
    devices_begin();
    lanes_set_on_host(N_INSTANCES);
    if (m.model->batch.n_sampled > 0)
        assert_int_equal(sarrus_draws_create(m.context, m.model, 7, N_INSTANCES, &draws), SARRUS_OK);
    for (int k = 0; k < 2; ++k) {
        const sarrus_batch_options options = {.backend = k == 0 ? SARRUS_BACKEND_CPU : SARRUS_BACKEND_CUDA,
                                              .n_threads = 2,
                                              .isa = k == 0 ? "avx2" : NULL,
                                              .keep_rank_events = 1};
        sarrus_batch *batch = NULL;
        assert_int_equal(sarrus_batch_create(m.context, m.plan, &options, N_INSTANCES, draws, &batch), SARRUS_OK);
        assert_string_equal(sarrus_batch_backend_name(batch), k == 0 ? "cpu" : "cuda");
        if (!m.plan->relative)
            gpu_speeds_spread(batch);
        records[k] = gpu_record_make(batch, N_TIMES, every);
        sarrus_batch_destroy(batch);
    }
    gpu_records_compare(file, &records[0], 0, &records[1], 0.0);
    gpu_record_free(&records[0]);
    gpu_record_free(&records[1]);
    sarrus_draws_destroy(draws);
    lanes_set_on_host(SARRUS_CUDA_WIDTH);
    devices_end();
    mechanism_close(&m);
}

static bool is_spatial(const char *path) {
    char text[8192];
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    assert_int_equal(fclose(file), 0);
    return strstr(text, "\nspace: spatial\n") != NULL;
}

/* Points on curves run on the processor alone. */
static bool has_constraints(const char *name) {
    mechanism m = mechanism_open_file(name, NULL);
    const bool has = m.plan->mech.n_constraints > 0;
    mechanism_close(&m);
    return has;
}

static void fused_in_space(void **state) {
    (void)state;
    const uint64_t n_most = getenv("SARRUS_FEW_CASES") != NULL ? 20 : 500;
    int n_seen = 0;
    glob_t found;
    assert_int_equal(glob(place_of_source("/scenarios/*.yaml"), 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; ++i) {
        const char *name = strrchr(found.gl_pathv[i], '/') + 1;
        if (!is_spatial(found.gl_pathv[i]) || has_constraints(name))
            continue;
        motions_compare(name, NULL, n_most);
        ++n_seen;
    }
    assert_true(n_seen >= 17);
    globfree(&found);
}

/* Rows that close loops and none, in the plane and in space, drawn and driven, through singular positions, of every integrator. */
static void fused_over_trees(void **state) {
    (void)state;
    static const struct {
        const char *file, *path, *value;
        uint64_t n_steps;
    } cases[] = {
        {"pendulum.yaml", NULL, NULL, 2000},
        {"driven_crank.yaml", NULL, NULL, 1000},
        {"five_bar.yaml", NULL, NULL, 2000},
        {"five_bar_monte_carlo.yaml", NULL, NULL, 0},
        {"five_bar_singular.yaml", NULL, NULL, 2000},
        {"slider_crank.yaml", NULL, NULL, 3000},
        {"n_four_bar_40.yaml", NULL, NULL, 20},
        {"four_bar.yaml", "integrator.method", "semi-implicit", 1000},
        {"four_bar.yaml", "integrator.method", "adams-moulton", 1000},
        {"four_bar.yaml", "dynamics.pinv", "householder", 200},
        {"spatial_four_bar.yaml", NULL, NULL, 1000},
        {"stewart_platform.yaml", NULL, NULL, 200},
        {"arm_7r.yaml", NULL, NULL, 0},
        {"heavy_top.yaml", NULL, NULL, 300},
        {"delta_robot.yaml", NULL, NULL, 100},
    };
    const bool is_slow = getenv("SARRUS_FEW_CASES") != NULL;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const sarrus_override settings[] = {{"dynamics.formulation", "relative"}, {cases[i].path, cases[i].value}, {NULL, NULL}};
        motions_compare(cases[i].file, settings, is_slow ? 10 : cases[i].n_steps);
    }
}

/* Shares of redundant joints by the weights of the plan, which go to the device as its other tables: by the sparse factor,
 * and where the rank falls. */
static void weighted_multipliers(void **state) {
    (void)state;
    static const char *const cases[][2] = {{"five_bar.yaml", "masses"},
                                           {"five_bar_singular.yaml", "{A: 3, F: [0.1, 10]}"},
                                           {"spatial_four_bar.yaml", "units"},
                                           {"cube_linkage.yaml", "masses"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const sarrus_override settings[] = {{"dynamics.multipliers", cases[i][1]}, {NULL, NULL}};
        motions_compare(cases[i][0], settings, 40);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fused),          cmocka_unit_test(fused_within_bounds), cmocka_unit_test(staged),
        cmocka_unit_test(fused_in_space), cmocka_unit_test(fused_over_trees),    cmocka_unit_test(weighted_multipliers),
    };
    return mechanism_has_isa("avx2") ? cmocka_run_group_tests(tests, NULL, NULL) : 77;
}

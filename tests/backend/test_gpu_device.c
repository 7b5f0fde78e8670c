/* The CUDA backend on the devices of this machine, against the CPU backend; skipped where there are none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backend/cuda/cusolver.h"
#include "edge/kernel_places.h"
#include "plan/plan.h"
#include "tests/backend/gpu_agreement.h"
#include "tests/backend/gpu_trial.h"

static void trials_move_as_on_the_cpu(void **state) {
    (void)state;
    for (size_t i = 0; i < gpu_n_trials; ++i)
        gpu_trial_run(&gpu_trials[i], 35, 3);
}

/* Every scenario from its start to its end, and every evaluation on the way. Under a sanitizer a part of each. */
static void every_scenario_agrees_with_the_cpu(void **state) {
    (void)state;
    const bool is_slow = getenv("SARRUS_FEW_CASES") != NULL, is_quick = getenv("SARRUS_QUICK") != NULL;
    const gpu_agreement_wish wish = {.n_instances = 4,
                                     .n_steps = is_slow ? 20 : 0,
                                     .n_large_steps = is_slow    ? 2
                                                      : is_quick ? 50
                                                                 : 500};
    for (size_t i = 0; i < gpu_n_agreements; ++i)
        gpu_agreement_fused(&gpu_agreements[i], &wish);
}

/* The same through cuSOLVER. A launch sequence for each evaluation of 20,000 steps takes minutes a scenario: $SARRUS_QUICK leaves
 * it at the way through the most singular position. */
static void every_scenario_agrees_through_cusolver(void **state) {
    (void)state;
    const bool is_slow = getenv("SARRUS_FEW_CASES") != NULL, is_quick = is_slow || getenv("SARRUS_QUICK") != NULL;
    sarrus_fallback_reason reason = {""};
    sarrus_kernel_places places;
    sarrus_kernel_places_find(&places);
    if (!sarrus_cusolver_find(places.cuda, &reason)) {
        print_message("left out: %s\n", reason.text);
        skip();
    }
    const gpu_agreement_wish wish = {.n_instances = 4,
                                     .n_steps = is_slow ? 20 : 0,
                                     .n_large_steps = is_slow ? 2 : 100,
                                     .n_staged_steps = is_slow    ? 4
                                                       : is_quick ? 200
                                                                  : 0};
    for (size_t i = 0; i < gpu_n_agreements; ++i)
        gpu_agreement_staged(&gpu_agreements[i], &wish);
}

static void sizes_around_the_tile(void **state) {
    (void)state;
    const uint64_t sizes[] = {1, 31, 32, 33, 64, 65, 5000};
    const gpu_trial trial = {.file = "five_bar.yaml", .n_steps = 7};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i)
        gpu_trial_run(&trial, sizes[i], 3);
}

static gpu_record record_of(mechanism *m, uint64_t n_instances, int n_devices, const sarrus_draws *draws) {
    const sarrus_batch_options options = {.backend = SARRUS_BACKEND_CUDA, .n_devices = n_devices, .keep_rank_events = 1};
    sarrus_batch *batch = NULL;
    assert_int_equal(sarrus_batch_create(m->context, m->plan, &options, n_instances, draws, &batch), SARRUS_OK);
    const gpu_record record = gpu_record_make(batch, 3, 50);
    sarrus_batch_destroy(batch);
    return record;
}

/* All bits of an instance, in batches of two sizes, again, and on one device or all of them. */
static void bits_depend_on_the_instance_alone(void **state) {
    (void)state;
    enum { N = 3000 };
    const struct {
        uint64_t n_instances;
        int n_devices;
    } ways[] = {{N, 1}, {N, 1}, {77, 1}, {N, 0}};
    mechanism m = mechanism_open_file("five_bar_monte_carlo.yaml", NULL);
    sarrus_draws *draws = NULL;
    assert_int_equal(sarrus_draws_create(m.context, m.model, 7, N, &draws), SARRUS_OK);
    gpu_record first = {0};
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; ++i) {
        gpu_record record = record_of(&m, ways[i].n_instances, ways[i].n_devices, draws);
        if (i == 0) {
            first = record;
            continue;
        }
        gpu_records_compare("the same instances", &first, 0, &record, 0.0);
        gpu_record_free(&record);
    }
    gpu_record_free(&first);
    sarrus_draws_destroy(draws);
    mechanism_close(&m);
}

/* 300 steps by the generic kernels, or by those for the plan; whether these were there. */
static bool record_by(const mechanism *m, const char *file, sarrus_specialize kernels, gpu_record *out) {
    sarrus_kernel_places places;
    sarrus_kernel_places_find(&places);
    const sarrus_batch_options options = {
        .specialize = kernels, .cache_dir = getenv("SARRUS_CACHE_DIR"), .cuda_prefixes = places.cuda};
    sarrus_batch *batch = gpu_batch(m, SARRUS_BACKEND_CUDA, 200, &options);
    sarrus_specialization told;
    if (!m->plan->relative) /* tiles of a tree show no speeds */
        gpu_speeds_spread(batch);
    *out = gpu_record_make(batch, 3, 100);
    sarrus_batch_specialization(batch, &told);
    sarrus_batch_destroy(batch);
    if (kernels == SARRUS_SPECIALIZE_ON && told.state != SARRUS_SPECIALIZATION_READY)
        print_message("%s: %s: %s\n", file, sarrus_specialization_state_word(told.state), told.note);
    assert_true(told.step_share == (told.state == SARRUS_SPECIALIZATION_READY ? 1.0 : 0.0));
    return told.state == SARRUS_SPECIALIZATION_READY;
}

/* Kernels for the plan, when NVRTC is there, give the bits of the generic ones: over bodies and over a tree, with projections and
 * without. */
static void specialized_kernels_give_the_same_bits(void **state) {
    (void)state;
    static const char *const files[] = {"pendulum.yaml", "five_bar.yaml", "slider_crank.yaml", "five_bar_monte_carlo.yaml"};
    static const char *const formulations[] = {"udwadia-kalaba", "relative"};
    const size_t n_formulations = sizeof formulations / sizeof formulations[0];
    for (size_t i = 0; i < n_formulations * (sizeof files / sizeof files[0]); ++i) {
        const char *file = files[i / n_formulations];
        const sarrus_override overrides[] = {{"dynamics.formulation", formulations[i % n_formulations]}, {NULL, NULL}};
        mechanism m = mechanism_open_file(file, overrides);
        gpu_record generic, special;
        assert_false(record_by(&m, file, SARRUS_SPECIALIZE_OFF, &generic));
        (void)record_by(&m, file, SARRUS_SPECIALIZE_ON, &special);
        gpu_records_compare(file, &generic, 0, &special, 0.0);
        gpu_record_free(&generic);
        gpu_record_free(&special);
        mechanism_close(&m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trials_move_as_on_the_cpu),
        cmocka_unit_test(every_scenario_agrees_with_the_cpu),
        cmocka_unit_test(every_scenario_agrees_through_cusolver),
        cmocka_unit_test(sizes_around_the_tile),
        cmocka_unit_test(bits_depend_on_the_instance_alone),
        cmocka_unit_test(specialized_kernels_give_the_same_bits),
    };
    return sarrus_backend_n_devices(SARRUS_BACKEND_CUDA) > 0 ? cmocka_run_group_tests(tests, NULL, NULL) : 77;
}

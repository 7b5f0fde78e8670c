/* The same motion by generic kernels and by kernels for one plan. */
#include "tests/support/kernels_compared.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "plan/plan.h"

/* Long enough for an output grid of 10 steps to be passed and for a singular position to be met. */
enum { N_STEPS = 70, N_ROWS = 7 };

typedef struct motion {
    double *seen[SARRUS_N_OBSERVABLES]; /* [n_instances][N_ROWS][width] */
    double *state;                      /* [n_instances][n_q + n_v] */
    sarrus_instance_statistics statistics[KERNELS_MAX_INSTANCES];
    uint64_t n_revealing;
    sarrus_specialization told;
} motion;

static void motion_free(motion *m) {
    for (int o = 0; o < SARRUS_N_OBSERVABLES; ++o)
        free(m->seen[o]);
    free(m->state);
}

/* N_STEPS steps in two calls, the first of which observes. */
static motion motion_make(const mechanism *of, const char *isa, uint64_t n_instances, sarrus_specialize specialize) {
    const sarrus_batch_options options = {
        .isa = isa, .n_threads = 2, .specialize = specialize, .cache_dir = getenv("SARRUS_CACHE_DIR")};
    motion m = {0};
    sarrus_batch *batch;
    uint64_t n_evaluations;
    const size_t n_q = (size_t)of->plan->mech.n_q, n = (size_t)of->n, n_y = n_q + n;
    assert_int_equal(sarrus_batch_create(of->context, of->plan, &options, n_instances, NULL, &batch), SARRUS_OK);
    sarrus_observation observation = {.n_times = N_ROWS, .every_steps = 5, .observe_first = 1, .n_times_stride = N_ROWS};
    for (int o = 0; o < SARRUS_N_OBSERVABLES; ++o) {
        const int width = sarrus_batch_observable_width(batch, (sarrus_observable)o);
        m.seen[o] = calloc(n_instances * N_ROWS * (size_t)(width > 0 ? width : 1), sizeof(double));
        assert_non_null(m.seen[o]);
        observation.destination[o] = width > 0 ? m.seen[o] : NULL;
    }
    /* Each instance its own state, so that lanes of a tile differ; in space what rests moves as well. */
    const double nudge = of->plan->mech.space == SARRUS_SPACE_SPATIAL ? 0.02 : 0.0;
    uint64_t random = 7;
    for (uint64_t i = 1; i < n_instances && !of->plan->relative; ++i) { /* over a tree there is no view to set them by */
        double v[256];
        assert_true(n <= 256);
        assert_int_equal(sarrus_batch_state(batch, i, NULL, v), SARRUS_OK);
        for (size_t k = 0; k < n; ++k)
            v[k] += (0.1 * v[k] + nudge) * mechanism_random(&random);
        mechanism_set_state(batch, i, NULL, v);
    }
    assert_int_equal(sarrus_batch_observe(batch, &observation), SARRUS_OK);
    assert_int_equal(sarrus_batch_advance(batch, N_STEPS - (N_ROWS - 1) * 5), SARRUS_OK);
    m.state = calloc(n_instances * n_y, sizeof(double));
    assert_non_null(m.state);
    for (uint64_t i = 0; i < n_instances; ++i) {
        assert_int_equal(sarrus_batch_state(batch, i, m.state + n_y * i, m.state + n_y * i + n_q), SARRUS_OK);
        assert_int_equal(sarrus_batch_statistics(batch, i, &m.statistics[i]), SARRUS_OK);
    }
    sarrus_batch_path_counts(batch, &n_evaluations, &m.n_revealing);
    sarrus_batch_specialization(batch, &m.told);
    sarrus_batch_destroy(batch);
    return m;
}

static void compare(const mechanism *of, const kernels_subject *what, const motion *a, const motion *b) {
    sarrus_batch *batch = mechanism_batch(of, what->isa, 1, 1, NULL);
    for (int o = 0; o < SARRUS_N_OBSERVABLES; ++o) {
        const int width = sarrus_batch_observable_width(batch, (sarrus_observable)o);
        if (width > 0 && memcmp(a->seen[o], b->seen[o], what->n_instances * N_ROWS * (size_t)width * sizeof(double)) != 0)
            fail_msg("%s: %s differs", what->name, sarrus_observable_text((sarrus_observable)o));
    }
    sarrus_batch_destroy(batch);
    const size_t n_y = (size_t)of->plan->mech.n_q + (size_t)of->plan->mech.n_v;
    if (memcmp(a->state, b->state, what->n_instances * n_y * sizeof(double)) != 0)
        fail_msg("%s: the state differs", what->name);
    assert_memory_equal(a->statistics, b->statistics, sizeof a->statistics);
}

void kernels_compare(const mechanism *of, const kernels_subject *what) {
    const char *why_not;
    double n_flops;
    assert_true(what->n_instances <= KERNELS_MAX_INSTANCES);
    if (sarrus_plan_text_form_of(sarrus_plan_stepped(of->plan), &n_flops, &why_not) != what->form)
        fail_msg("%s is specialized otherwise: %s", what->name, why_not ? why_not : "");
    motion generic = motion_make(of, what->isa, what->n_instances, SARRUS_SPECIALIZE_OFF);
    motion specialized = motion_make(of, what->isa, what->n_instances, SARRUS_SPECIALIZE_ON);
    if (specialized.told.state != SARRUS_SPECIALIZATION_READY)
        fail_msg("%s: %s", what->name, specialized.told.note);
    assert_true(specialized.told.step_share == 1.0);
    compare(of, what, &generic, &specialized);
    if (what->must_take_rank_path)
        assert_true(specialized.n_revealing > 0);
    motion_free(&generic);
    motion_free(&specialized);
}

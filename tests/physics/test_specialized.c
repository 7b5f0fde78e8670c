/* Specialized kernels give the bits of the generic ones: every scenario, every instruction set, every integrator, with projections,
 * gains, refused pivots and changes of rank. Kernels are compiled by the system's compiler; without one there is nothing to test.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "jit/plan_text.h"
#include "tests/support/mechanism.h"

/* Three full tiles and a rest, or where there are many bodies or a sanitizer looks on, one and a rest; long enough for an output
 * grid of 10 steps to be passed and for a singular position to be met. */
enum { N_INSTANCES = 27, N_FEW_INSTANCES = 11, N_STEPS = 70, N_ROWS = 7 };
static uint64_t n_instances; /* of the variant at hand */

typedef struct variant {
    const char *file; /* NULL: a row of slider-cranks */
    const char *isa;  /* NULL: the widest */
    sarrus_override overrides[4];
    bool must_take_rank_path; /* some lane has to take the rank-revealing path */
    sarrus_plan_text_form form;
} variant;

static const variant variants[] = {
    {"five_bar.yaml", NULL, {{"integrator.dt", "0.005"}}, false, SARRUS_PLAN_TEXT_STRAIGHT},
    {"five_bar_monte_carlo.yaml", NULL, {{0}}, false, SARRUS_PLAN_TEXT_STRAIGHT},
    {"five_bar_singular.yaml", NULL, {{0}}, true, SARRUS_PLAN_TEXT_STRAIGHT},
    {"slider_crank.yaml", NULL, {{0}}, false, SARRUS_PLAN_TEXT_STRAIGHT},
    {"andrews.yaml", NULL, {{0}}, false, SARRUS_PLAN_TEXT_STRAIGHT},
    {"driven_crank.yaml", NULL, {{0}}, false, SARRUS_PLAN_TEXT_STRAIGHT},
    {"four_bar.yaml", NULL, {{0}}, false, SARRUS_PLAN_TEXT_STRAIGHT},
    {"n_four_bar_2.yaml", NULL, {{"integrator.dt", "0.005"}}, false, SARRUS_PLAN_TEXT_STRAIGHT},
    {"double_pendulum.yaml", NULL, {{0}}, false, SARRUS_PLAN_TEXT_STRAIGHT},
    {"pendulum.yaml", NULL, {{0}}, false, SARRUS_PLAN_TEXT_STRAIGHT},
    {"five_bar_singular.yaml", "avx2", {{0}}, true, SARRUS_PLAN_TEXT_STRAIGHT},
    {"five_bar_singular.yaml", "baseline", {{0}}, true, SARRUS_PLAN_TEXT_STRAIGHT},
    {"slider_crank.yaml", "avx2", {{0}}, false, SARRUS_PLAN_TEXT_STRAIGHT},
    {"slider_crank.yaml", "baseline", {{0}}, false, SARRUS_PLAN_TEXT_STRAIGHT},
    {"five_bar.yaml", NULL, {{"dynamics.projection", "{tolerance: 1e-9}"}}, false, SARRUS_PLAN_TEXT_STRAIGHT},
    {"five_bar.yaml",
     NULL,
     {{"dynamics.projection", "none"}, {"dynamics.baumgarte", "{alpha: 5, beta: 5}"}},
     false,
     SARRUS_PLAN_TEXT_STRAIGHT},
    {"slider_crank.yaml",
     NULL,
     {{"dynamics.projection", "none"}, {"dynamics.baumgarte", "{rule: step}"}},
     false,
     SARRUS_PLAN_TEXT_STRAIGHT},
    {"five_bar_singular.yaml", NULL, {{"dynamics.rank", "{method: violation, tol: 10}"}}, true, SARRUS_PLAN_TEXT_STRAIGHT},
    {"five_bar.yaml", NULL, {{"integrator.method", "semi-implicit"}}, false, SARRUS_PLAN_TEXT_STRAIGHT},
    {"five_bar.yaml", NULL, {{"integrator.method", "dopri5"}}, false, SARRUS_PLAN_TEXT_STRAIGHT},
    {"slider_crank.yaml", NULL, {{"integrator.method", "adams-moulton"}}, false, SARRUS_PLAN_TEXT_STRAIGHT},
    {"slider_crank.yaml",
     NULL,
     {{"integrator.method", "dopri5"}, {"dynamics.projection", "none"}, {"dynamics.baumgarte", "{rule: step}"}},
     false,
     SARRUS_PLAN_TEXT_STRAIGHT},
    {"../tests/support/cranks.yaml", NULL, {{"dynamics.projection", "none"}}, false, SARRUS_PLAN_TEXT_STRAIGHT},
    {"../tests/support/cranks.yaml",
     "avx2",
     {{"integrator.method", "dopri5"}, {"dynamics.projection", "none"}},
     false,
     SARRUS_PLAN_TEXT_STRAIGHT},
    /* Without the rank and the reactions, which cost a full decomposition of 242 rows at every output. */
    {"n_four_bar_40.yaml", NULL, {{"output.channels", "[state, energy, constraint]"}}, false, SARRUS_PLAN_TEXT_IN_RUNS},
    {NULL, NULL, {{0}}, false, SARRUS_PLAN_TEXT_IN_RUNS},
    {NULL, "avx2", {{"dynamics.projection", "none"}, {"dynamics.baumgarte", "{rule: step}"}}, false, SARRUS_PLAN_TEXT_IN_RUNS},
    {NULL, "baseline", {{"integrator.method", "dopri5"}}, false, SARRUS_PLAN_TEXT_IN_RUNS},
};

/* A mechanism that repeats itself and has every kind of joint, redundant ones, elastic ones, drives and loads: slider-cranks one
 * above the other, each guided twice, with a driven arm on its slider and a bob that hangs from the arm. */
enum { N_MODULES = 8, MODULE_TEXT = 2000 };

static int module_bodies(char *text, int i) {
    const int y = 3 * i;
    return sprintf(text,
                   "  - {name: crank_%d, mass: 1, inertia: 0.1, position: [0.4, %d.3], orientation: 0.6435}\n"
                   "  - {name: rod_%d, mass: 1, inertia: 0.1, position: [1.2, %d.3], orientation: -0.6435}\n"
                   "  - {name: slider_%d, mass: 1, inertia: 0.1, position: [1.6, %d]}\n"
                   "  - {name: weight_%d, mass: 1, inertia: 0.1, position: [1.8, %d]}\n"
                   "  - {name: arm_%d, mass: 1, inertia: 0.1, position: [2.0, %d]}\n"
                   "  - {name: bob_%d, mass: 1, inertia: 0.1, position: [2.2, %d]}\n",
                   i, y, i, y, i, y, i, y, i, y, i, y);
}

static int module_joints(char *text, int i) {
    const int y = 3 * i;
    int at = sprintf(text,
                     "  - {name: A%d, type: revolute, bodies: [ground, crank_%d], at: [0, %d], stiffness: 2, damping: 0.1}\n"
                     "  - {name: B%d, type: revolute, bodies: [rod_%d, crank_%d], at: [0.8, %d.6]}\n"
                     "  - {name: C%d, type: revolute, bodies: [rod_%d, slider_%d], at: [1.6, %d]}\n",
                     i, i, y, i, i, i, y, i, i, i, y);
    at += sprintf(text + at,
                  "  - {name: G%d, type: prismatic, bodies: [ground, slider_%d], at: [1.6, %d], axis: [1, 0], stiffness: 3}\n"
                  "  - {name: H%d, type: prismatic, bodies: [ground, weight_%d], at: [1.8, %d], axis: [1, 0]}\n"
                  "  - {name: F%d, type: fixed, bodies: [slider_%d, weight_%d], at: [1.7, %d]}\n",
                  i, i, y, i, i, y, i, i, i, y);
    at += sprintf(text + at,
                  "  - {name: D%d, type: revolute, bodies: [weight_%d, arm_%d], at: [1.9, %d],\n"
                  "     drive: {signal: {sine: {amplitude: 0.3, frequency: 2}}}}\n"
                  "  - {name: L%d, type: distance, bodies: [arm_%d, bob_%d], points: [[0.1, 0], [0, -0.3]]}\n"
                  "  - {name: S%d, type: slot, bodies: [ground, bob_%d], at: [2.2, %d], axis: [1, 0.5]}\n",
                  i, i, i, y, i, i, i, i, i, y);
    return at;
}

static char *row_of_slider_cranks(void) {
    char *text = malloc((size_t)MODULE_TEXT * (N_MODULES + 1));
    assert_non_null(text);
    int at = sprintf(text, "sarrus: 1\nname: row\nspace: planar\ngravity: [0, -9.81]\nbodies:\n");
    for (int i = 0; i < N_MODULES; ++i)
        at += module_bodies(text + at, i);
    at += sprintf(text + at, "joints:\n");
    for (int i = 0; i < N_MODULES; ++i)
        at += module_joints(text + at, i);
    at += sprintf(text + at, "forces:\n");
    for (int i = 0; i < N_MODULES; ++i)
        at += sprintf(text + at, "  - {name: t%d, type: torque, body: crank_%d, value: 0.%d}\n", i, i, i + 1);
    (void)sprintf(text + at, "dynamics: {projection: every_step}\nintegrator: {method: rk4, dt: 1.0e-3, t_end: 1}\n"
                             "output: {every: 10, channels: [state, energy, constraint]}\n");
    return text;
}

static mechanism variant_open(const variant *one) {
    if (one->file)
        return mechanism_open_file(one->file, one->overrides);
    char *text = row_of_slider_cranks();
    const mechanism opened = mechanism_open_text(text, one->overrides);
    int n_of[SARRUS_N_PLANAR_JOINT_TYPES] = {0};
    for (int i = 0; i < opened.model->n_joints; ++i)
        ++n_of[opened.model->joints[i].type];
    for (int type = 0; type < SARRUS_N_PLANAR_JOINT_TYPES; ++type) {
        if (n_of[type] == 0)
            fail_msg("a row of slider-cranks has no %s", sarrus_joint_word((sarrus_joint_type)type));
    }
    free(text);
    return opened;
}

static const char *variant_name(const variant *one) {
    return one->file ? one->file : "row of slider-cranks";
}

typedef struct motion {
    double *seen[SARRUS_N_OBSERVABLES]; /* [n_instances][N_ROWS][width] */
    double *state;                      /* [n_instances][2n] */
    sarrus_instance_statistics statistics[N_INSTANCES];
    uint64_t n_revealing;
    sarrus_specialization told;
} motion;

static void motion_free(motion *m) {
    for (int o = 0; o < SARRUS_N_OBSERVABLES; ++o)
        free(m->seen[o]);
    free(m->state);
}

/* N_STEPS steps in two calls, the first of which observes. */
static motion motion_make(const mechanism *of, const char *isa, sarrus_specialize specialize) {
    const sarrus_batch_options options = {
        .isa = isa, .n_threads = 2, .specialize = specialize, .cache_dir = getenv("SARRUS_CACHE_DIR")};
    motion m = {0};
    sarrus_batch *batch;
    uint64_t n_evaluations;
    const size_t n = (size_t)of->n;
    assert_int_equal(sarrus_batch_create(of->context, of->plan, &options, n_instances, NULL, &batch), SARRUS_OK);
    sarrus_observation observation = {.n_times = N_ROWS, .every_steps = 5, .observe_first = 1, .n_times_stride = N_ROWS};
    for (int o = 0; o < SARRUS_N_OBSERVABLES; ++o) {
        const int width = sarrus_batch_observable_width(batch, (sarrus_observable)o);
        m.seen[o] = calloc(n_instances * N_ROWS * (size_t)(width > 0 ? width : 1), sizeof(double));
        assert_non_null(m.seen[o]);
        observation.destination[o] = width > 0 ? m.seen[o] : NULL;
    }
    /* Each instance its own state, so that lanes of a tile differ. */
    uint64_t random = 7;
    for (uint64_t i = 1; i < n_instances; ++i) {
        double v[256];
        assert_true(n <= 256);
        assert_int_equal(sarrus_batch_state(batch, i, NULL, v), SARRUS_OK);
        for (size_t k = 0; k < n; ++k)
            v[k] *= 1.0 + 0.1 * mechanism_random(&random);
        mechanism_set_state(batch, i, NULL, v);
    }
    assert_int_equal(sarrus_batch_observe(batch, &observation), SARRUS_OK);
    assert_int_equal(sarrus_batch_advance(batch, N_STEPS - (N_ROWS - 1) * 5), SARRUS_OK);
    m.state = calloc(n_instances * 2 * n, sizeof(double));
    assert_non_null(m.state);
    for (uint64_t i = 0; i < n_instances; ++i) {
        assert_int_equal(sarrus_batch_state(batch, i, m.state + 2 * n * i, m.state + 2 * n * i + n), SARRUS_OK);
        assert_int_equal(sarrus_batch_statistics(batch, i, &m.statistics[i]), SARRUS_OK);
    }
    sarrus_batch_path_counts(batch, &n_evaluations, &m.n_revealing);
    sarrus_batch_specialization(batch, &m.told);
    sarrus_batch_destroy(batch);
    return m;
}

static void compare(const mechanism *of, const variant *one, const motion *a, const motion *b) {
    sarrus_batch *batch = mechanism_batch(of, one->isa, 1, 1, NULL);
    for (int o = 0; o < SARRUS_N_OBSERVABLES; ++o) {
        const int width = sarrus_batch_observable_width(batch, (sarrus_observable)o);
        if (width > 0 && memcmp(a->seen[o], b->seen[o], n_instances * N_ROWS * (size_t)width * sizeof(double)) != 0)
            fail_msg("%s: %s differs", variant_name(one), sarrus_observable_text((sarrus_observable)o));
    }
    sarrus_batch_destroy(batch);
    assert_memory_equal(a->state, b->state, n_instances * 2 * (size_t)of->n * sizeof(double));
    assert_memory_equal(a->statistics, b->statistics, sizeof a->statistics);
}

static void variant_hold(const variant *one) {
    if (one->isa && !mechanism_has_isa(one->isa))
        return;
    mechanism opened = variant_open(one);
    const char *why_not;
    n_instances = one->form == SARRUS_PLAN_TEXT_IN_RUNS || getenv("SARRUS_FEW_CASES") ? N_FEW_INSTANCES : N_INSTANCES;
    if (sarrus_plan_text_form_of(opened.plan, &why_not) != one->form)
        fail_msg("%s is specialized otherwise: %s", variant_name(one), why_not ? why_not : "");
    motion generic = motion_make(&opened, one->isa, SARRUS_SPECIALIZE_OFF);
    motion specialized = motion_make(&opened, one->isa, SARRUS_SPECIALIZE_ON);
    if (specialized.told.state != SARRUS_SPECIALIZATION_READY)
        fail_msg("%s: %s", variant_name(one), specialized.told.note);
    assert_true(specialized.told.step_share == 1.0);
    compare(&opened, one, &generic, &specialized);
    if (one->must_take_rank_path)
        assert_true(specialized.n_revealing > 0);
    motion_free(&generic);
    motion_free(&specialized);
    mechanism_close(&opened);
}

static void specialized_kernels_give_the_same_bits(void **state) {
    (void)state;
    if (system("cc --version >/dev/null 2>&1") != 0)
        skip();
    for (size_t i = 0; i < sizeof variants / sizeof variants[0]; ++i)
        variant_hold(&variants[i]);
}

/* What cannot be specialized runs on the generic kernels and says why. */
static void what_cannot_be_specialized_says_why(void **state) {
    (void)state;
    static const variant others[] = {
        {"five_bar.yaml", NULL, {{"dynamics.pinv", "svd"}}, false, SARRUS_PLAN_TEXT_NONE},
        {"five_bar.yaml", NULL, {{"dynamics.pinv", "householder"}}, false, SARRUS_PLAN_TEXT_NONE},
    };
    for (size_t i = 0; i < sizeof others / sizeof others[0]; ++i) {
        mechanism opened = mechanism_open_file(others[i].file, others[i].overrides);
        sarrus_batch_options options = {
            .n_threads = 1, .specialize = SARRUS_SPECIALIZE_ON, .cache_dir = getenv("SARRUS_CACHE_DIR")};
        sarrus_batch *batch;
        sarrus_specialization told;
        assert_int_equal(sarrus_batch_create(opened.context, opened.plan, &options, 1, NULL, &batch), SARRUS_OK);
        assert_int_equal(sarrus_batch_advance(batch, 2), SARRUS_OK);
        sarrus_batch_specialization(batch, &told);
        assert_int_equal(told.state, SARRUS_SPECIALIZATION_UNSUPPORTED);
        assert_true(strlen(told.note) > 10);
        sarrus_batch_destroy(batch);
        mechanism_close(&opened);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(specialized_kernels_give_the_same_bits),
        cmocka_unit_test(what_cannot_be_specialized_says_why),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

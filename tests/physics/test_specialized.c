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

#include "tests/support/case_choice.h"
#include "tests/support/kernels_compared.h"

/* Three full tiles and a rest, or where there are many bodies or a sanitizer looks on, one and a rest. */
enum { N_INSTANCES = 27, N_FEW_INSTANCES = 11 };

typedef struct variant {
    const char *file; /* NULL: a row of slider-cranks */
    const char *isa;  /* NULL: the widest */
    sarrus_override overrides[4];
    bool must_take_rank_path; /* some lane has to take the rank-revealing path */
    sarrus_plan_text_form form;
    bool is_more; /* others stand for it (case_choice.h) */
} variant;

/* Ground that moves. */
#define SHAKEN                                                                                                                     \
    "{motion: {x: {signal: {sine: {amplitude: 0.02, frequency: 3}}}, angle: {signal: {sine: {amplitude: 0.1, frequency: 2}}}, "    \
    "about: [0.3, 0.1]}}"

static const variant variants[] = {
    {"five_bar.yaml", NULL, {{"integrator.dt", "0.005"}}, false, SARRUS_PLAN_TEXT_STRAIGHT, false},
    {"five_bar_monte_carlo.yaml", NULL, {{0}}, false, SARRUS_PLAN_TEXT_STRAIGHT, false},
    {"five_bar_singular.yaml", NULL, {{0}}, true, SARRUS_PLAN_TEXT_STRAIGHT, false},
    {"slider_crank.yaml", NULL, {{0}}, false, SARRUS_PLAN_TEXT_STRAIGHT, false},
    {"andrews.yaml", NULL, {{0}}, false, SARRUS_PLAN_TEXT_STRAIGHT, false},
    {"driven_crank.yaml", NULL, {{0}}, false, SARRUS_PLAN_TEXT_STRAIGHT, false},
    {"four_bar.yaml", NULL, {{0}}, false, SARRUS_PLAN_TEXT_STRAIGHT, true},
    {"n_four_bar_2.yaml", NULL, {{"integrator.dt", "0.005"}}, false, SARRUS_PLAN_TEXT_STRAIGHT, true},
    {"double_pendulum.yaml", NULL, {{0}}, false, SARRUS_PLAN_TEXT_STRAIGHT, true},
    {"pendulum.yaml", NULL, {{0}}, false, SARRUS_PLAN_TEXT_STRAIGHT, false},
    {"five_bar_singular.yaml", "avx2", {{0}}, true, SARRUS_PLAN_TEXT_STRAIGHT, false},
    {"five_bar_singular.yaml", "baseline", {{0}}, true, SARRUS_PLAN_TEXT_STRAIGHT, false},
    {"slider_crank.yaml", "avx2", {{0}}, false, SARRUS_PLAN_TEXT_STRAIGHT, true},
    {"slider_crank.yaml", "baseline", {{0}}, false, SARRUS_PLAN_TEXT_STRAIGHT, true},
    {"five_bar.yaml", NULL, {{"dynamics.projection", "{tolerance: 1e-9}"}}, false, SARRUS_PLAN_TEXT_STRAIGHT, false},
    {"five_bar.yaml",
     NULL,
     {{"dynamics.projection", "none"}, {"dynamics.baumgarte", "{alpha: 5, beta: 5}"}},
     false,
     SARRUS_PLAN_TEXT_STRAIGHT,
     false},
    {"slider_crank.yaml",
     NULL,
     {{"dynamics.projection", "none"}, {"dynamics.baumgarte", "{rule: step}"}},
     false,
     SARRUS_PLAN_TEXT_STRAIGHT,
     false},
    {"five_bar_singular.yaml", NULL, {{"dynamics.rank", "{method: violation, tol: 10}"}}, true, SARRUS_PLAN_TEXT_STRAIGHT, false},
    {"five_bar.yaml", NULL, {{"integrator.method", "semi-implicit"}}, false, SARRUS_PLAN_TEXT_STRAIGHT, false},
    {"five_bar.yaml", NULL, {{"integrator.method", "dopri5"}}, false, SARRUS_PLAN_TEXT_STRAIGHT, false},
    {"slider_crank.yaml", NULL, {{"integrator.method", "adams-moulton"}}, false, SARRUS_PLAN_TEXT_STRAIGHT, false},
    {"slider_crank.yaml",
     NULL,
     {{"integrator.method", "dopri5"}, {"dynamics.projection", "none"}, {"dynamics.baumgarte", "{rule: step}"}},
     false,
     SARRUS_PLAN_TEXT_STRAIGHT,
     true},
    {"../tests/support/cranks.yaml", NULL, {{"dynamics.projection", "none"}}, false, SARRUS_PLAN_TEXT_STRAIGHT, false},
    {"../tests/support/cranks.yaml",
     "avx2",
     {{"integrator.method", "dopri5"}, {"dynamics.projection", "none"}},
     false,
     SARRUS_PLAN_TEXT_STRAIGHT,
     true},
    /* Without the rank and the reactions, which cost a full decomposition of 242 rows at every output. */
    {"n_four_bar_40.yaml", NULL, {{"output.channels", "[state, energy, constraint]"}}, false, SARRUS_PLAN_TEXT_IN_RUNS, false},
    {NULL, NULL, {{0}}, false, SARRUS_PLAN_TEXT_IN_RUNS, false},
    {NULL,
     "avx2",
     {{"dynamics.projection", "none"}, {"dynamics.baumgarte", "{rule: step}"}},
     false,
     SARRUS_PLAN_TEXT_IN_RUNS,
     true},
    {NULL, "baseline", {{"integrator.method", "dopri5"}}, false, SARRUS_PLAN_TEXT_IN_RUNS, false},
    {"kapitza_pendulum.yaml", NULL, {{0}}, false, SARRUS_PLAN_TEXT_STRAIGHT, false},
    {"five_bar.yaml", "avx2", {{"ground", SHAKEN}, {"integrator.method", "dopri5"}}, false, SARRUS_PLAN_TEXT_STRAIGHT, false},
    {"n_four_bar_40.yaml",
     NULL,
     {{"ground", SHAKEN}, {"output.channels", "[state, energy, constraint]"}},
     false,
     SARRUS_PLAN_TEXT_IN_RUNS,
     true},
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

static void variant_hold(const variant *one) {
    if (one->isa && !mechanism_has_isa(one->isa))
        return;
    mechanism opened = variant_open(one);
    const bool is_short = one->form == SARRUS_PLAN_TEXT_IN_RUNS || cases_are_few();
    const kernels_subject what = {.name = one->file ? one->file : "row of slider-cranks",
                                  .isa = one->isa,
                                  .n_instances = is_short ? N_FEW_INSTANCES : N_INSTANCES,
                                  .must_take_rank_path = one->must_take_rank_path,
                                  .form = one->form};
    kernels_compare(&opened, &what);
    mechanism_close(&opened);
}

static void specialized_kernels_give_the_same_bits(void **state) {
    (void)state;
    if (system("cc --version >/dev/null 2>&1") != 0)
        skip();
    const size_t n_apart = cases_are_few() ? 5 : 1;
    for (size_t i = 0; i < sizeof variants / sizeof variants[0]; i += n_apart) {
        if (cases_take(variants[i].is_more))
            variant_hold(&variants[i]);
    }
}

/* What cannot be specialized runs on the generic kernels and says why. */
static void what_cannot_be_specialized_says_why(void **state) {
    (void)state;
    static const variant others[] = {
        {"five_bar.yaml", NULL, {{"dynamics.pinv", "svd"}}, false, SARRUS_PLAN_TEXT_NONE, false},
        {"five_bar.yaml", NULL, {{"dynamics.pinv", "householder"}}, false, SARRUS_PLAN_TEXT_NONE, false},
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

/* Specialized kernels give the bits of the generic ones in relative coordinates: trees and loops, drives, rows in doubt, fixed
 * steps
 * and others, with projections and gains, in the plane and in space. Kernels are compiled by the system's compiler; without one
 * there is nothing to test. */
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

/* One full tile of the widest lanes and a rest. */
enum { N_INSTANCES = 11 };

#define RELATIVE                                                                                                                   \
    { "dynamics.formulation", "relative" }

#define RECURSIVE                                                                                                                  \
    { "dynamics.formulation", "recursive" }

typedef struct variant {
    const char *file, *isa; /* isa NULL: the widest */
    sarrus_override overrides[4];
    bool must_take_rank_path;
    bool is_more; /* others stand for it (case_choice.h) */
} variant;

static const variant variants[] = {
    {"five_bar.yaml", NULL, {RELATIVE, {"integrator.dt", "0.005"}}, false, false},
    {"five_bar_singular.yaml", NULL, {RELATIVE}, true, false},
    {"driven_crank.yaml", NULL, {RELATIVE}, false, false},
    {"double_pendulum.yaml", NULL, {RELATIVE, {"integrator.method", "semi-implicit"}}, false, false},
    {"slider_crank.yaml", NULL, {RELATIVE, {"integrator.method", "adams-moulton"}}, false, true},
    {"slider_crank.yaml",
     NULL,
     {RELATIVE, {"dynamics.projection", "none"}, {"dynamics.baumgarte", "{alpha: 5, beta: 5}"}},
     false,
     false},
    {"slider_crank.yaml", "avx2", {RELATIVE, {"integrator.method", "dopri5"}}, false, false},
    {"five_bar_singular.yaml", "baseline", {RELATIVE}, true, false},
    {"five_bar_singular.yaml", NULL, {RECURSIVE}, true, false},
    {"slider_crank.yaml", NULL, {RECURSIVE, {"integrator.method", "dopri5"}}, false, true},
    {"n_four_bar_2.yaml", "avx2", {RECURSIVE, {"dynamics.projection", "every_step"}}, false, false},
    {"bennett.yaml", NULL, {RECURSIVE}, false, false},
    {"heavy_top.yaml", NULL, {RELATIVE}, false, false},
    {"gyrostat.yaml", NULL, {RELATIVE}, false, false},
};

static void variant_compare(const variant *one, sarrus_plan_text_form form) {
    if (!cases_take(one->is_more) || (one->isa && !mechanism_has_isa(one->isa)))
        return;
    mechanism opened = mechanism_open_file(one->file, one->overrides);
    const kernels_subject what = {.name = one->file,
                                  .isa = one->isa,
                                  .n_instances = N_INSTANCES,
                                  .must_take_rank_path = one->must_take_rank_path,
                                  .form = form};
    kernels_compare(&opened, &what);
    mechanism_close(&opened);
}

static void kernels_over_trees_have_the_same_bits(void **state) {
    (void)state;
    if (system("cc --version >/dev/null 2>&1") != 0)
        skip();
    for (size_t i = 0; i < sizeof variants / sizeof variants[0]; i += cases_are_few() ? 4 : 1)
        variant_compare(&variants[i], SARRUS_PLAN_TEXT_STRAIGHT);
}

/* Mechanisms that repeat themselves: code of one lap in loops. */
static const variant in_runs[] = {
    {"stewart_platform.yaml", NULL, {RELATIVE}, false, false},
    {"n_four_bar_40.yaml", "avx2", {RELATIVE, {"dynamics.projection", "every_step"}}, false, false},
    {"cantilever.yaml", NULL, {RELATIVE, {"integrator.method", "dopri5"}}, false, false},
    {"n_four_bar_40.yaml", NULL, {RECURSIVE, {"dynamics.projection", "none"}}, false, true},
    {"cantilever.yaml", "baseline", {RELATIVE, {"integrator.method", "adams-moulton"}}, false, true},
    {"delta_robot.yaml", NULL, {RELATIVE}, false, true},
};

static void kernels_in_runs_have_the_same_bits(void **state) {
    (void)state;
    if (system("cc --version >/dev/null 2>&1") != 0)
        skip();
    for (size_t i = 0; i < sizeof in_runs / sizeof in_runs[0]; i += cases_are_few() ? 2 : 1)
        variant_compare(&in_runs[i], SARRUS_PLAN_TEXT_IN_RUNS);
}

/* A chain of n revolutes whose axes turn by a right angle from one to the next, or not in the plane: articulated bodies. */
static void chain_compare(int n, bool is_spatial) {
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    assert_non_null(out);
    fprintf(out, "sarrus: 1\nname: chain\nspace: %s\ngravity: %s\nbodies:\n", is_spatial ? "spatial" : "planar",
            is_spatial ? "[0, 0, -9.81]" : "[0, -9.81]");
    for (int i = 0; i < n; ++i)
        fprintf(out, "  - {name: b%d, mass: %g, inertia: %s, position: [%g, 0%s]}\n", i, 1.0 + 0.01 * i,
                is_spatial ? "[0.02, 0.1, 0.12]" : "0.1", i + 0.5, is_spatial ? ", 0" : "");
    fprintf(out, "joints:\n");
    for (int i = 0; i < n; ++i) {
        char inboard[16] = "ground";
        if (i > 0)
            (void)snprintf(inboard, sizeof inboard, "b%d", i - 1);
        fprintf(out, "  - {name: j%d, type: revolute, bodies: [%s, b%d], at: [%d, 0%s]%s}\n", i, inboard, i, i,
                is_spatial ? ", 0" : "",
                !is_spatial ? ""
                : i % 2     ? ", axis: [0, 0.6, 0.8]"
                            : ", axis: [0, 1, 0]");
    }
    fprintf(out, "dynamics: {formulation: relative}\nintegrator: {method: rk4, dt: 1.0e-4, t_end: 1.0}\n"
                 "output: {interval: 0.1, channels: [state]}\n");
    assert_int_equal(fclose(out), 0);
    mechanism opened = mechanism_open_text(text, NULL);
    const kernels_subject what = {
        .name = is_spatial ? "chain in space" : "chain in the plane", .n_instances = N_INSTANCES, .form = SARRUS_PLAN_TEXT_IN_RUNS};
    kernels_compare(&opened, &what);
    mechanism_close(&opened);
    free(text);
}

static void chains_have_the_same_bits(void **state) {
    (void)state;
    if (system("cc --version >/dev/null 2>&1") != 0)
        skip();
    chain_compare(24, true);
    chain_compare(64, false);
}

/* A pendulum beside a rod between two places of ground: the only row holds nothing, and the smallest singular value that counts is
 * that of no matrix. */
static const char idle_row[] = "sarrus: 1\n"
                               "name: a row that holds nothing\n"
                               "space: planar\n"
                               "gravity: [0, -9.81]\n"
                               "bodies:\n"
                               "  - {name: post, mass: 1, inertia: 0.1, position: [0, 1]}\n"
                               "  - {name: bob, mass: 1, inertia: 0.1, position: [0.5, 0], orientation: 0.3}\n"
                               "joints:\n"
                               "  - {name: foot, type: fixed, bodies: [ground, post], at: [0, 0]}\n"
                               "  - {name: rod, type: distance, bodies: [ground, post], at: [[1, 0], [0, 1]]}\n"
                               "  - {name: pin, type: revolute, bodies: [ground, bob], at: [0, 0]}\n"
                               "dynamics: {formulation: relative}\n"
                               "integrator: {method: rk4, dt: 1.0e-3, t_end: 1.0}\n"
                               "output: {interval: 0.1, channels: [state]}\n";

static void a_row_that_holds_nothing_is_no_hindrance(void **state) {
    (void)state;
    if (system("cc --version >/dev/null 2>&1") != 0)
        skip();
    mechanism opened = mechanism_open_text(idle_row, NULL);
    const kernels_subject what = {.name = "idle row", .n_instances = N_INSTANCES, .form = SARRUS_PLAN_TEXT_STRAIGHT};
    kernels_compare(&opened, &what);
    mechanism_close(&opened);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_over_trees_have_the_same_bits),
        cmocka_unit_test(kernels_in_runs_have_the_same_bits),
        cmocka_unit_test(chains_have_the_same_bits),
        cmocka_unit_test(a_row_that_holds_nothing_is_no_hindrance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

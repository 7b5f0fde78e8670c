/* Specialized kernels give the bits of the generic ones in space too: every scenario that is small enough, every instruction set,
 * integrators, projections and gains, and joints of every type, elastic and driven. Kernels are compiled by the system's compiler;
 * without one there is nothing to test. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/case_choice.h"
#include "tests/support/kernels_compared.h"
#include "tests/support/spatial_cases.h"

/* One full tile of the widest lanes and a rest. */
enum { N_INSTANCES = 11, TEXT_SIZE = 8192 };

typedef struct variant {
    const char *file, *isa; /* isa NULL: the widest */
    sarrus_override overrides[4];
    bool is_more; /* others stand for it (case_choice.h) */
} variant;

/* Ground that moves. */
#define SHAKEN                                                                                                                     \
    "{motion: {y: {signal: {sine: {amplitude: 0.02, frequency: 3}}}, angle: {signal: {sine: {amplitude: 0.1, frequency: 2}}}, "    \
    "axis: [1, 2, 0.5], about: [0.3, 0.1, 0]}}"

static const variant variants[] = {
    {"spatial_four_bar.yaml", NULL, {{0}}, false},
    {"spatial_slider_crank.yaml", NULL, {{0}}, false},
    {"bennett.yaml", NULL, {{0}}, true},
    {"cardan_suspension.yaml", NULL, {{0}}, true},
    {"heavy_top.yaml", NULL, {{0}}, false},
    {"gyrostat.yaml", NULL, {{0}}, false},
    {"torque_free_body.yaml", NULL, {{0}}, true},
    {"heavy_top.yaml", "avx2", {{0}}, true},
    {"heavy_top.yaml", NULL, {{"ground", SHAKEN}, {"integrator.method", "dopri5"}}, false},
    {"heavy_top.yaml", "baseline", {{0}}, false},
    {"spatial_slider_crank.yaml", NULL, {{"integrator.method", "adams-moulton"}}, true},
    {"heavy_top.yaml", NULL, {{"integrator", "{method: semi-implicit, dt: 1.0e-4, t_end: 1}"}}, false},
    {"heavy_top.yaml", NULL, {{"dynamics.projection", "none"}, {"dynamics.baumgarte", "{rule: step}"}}, false},
    {"heavy_top.yaml", NULL, {{"dynamics.projection", "none"}, {"dynamics.baumgarte", "{alpha: 5, beta: 5}"}}, false},
};

static bool has_compiler(void) {
    return system("cc --version >/dev/null 2>&1") == 0;
}

static void scenarios_have_the_same_bits(void **state) {
    (void)state;
    if (!has_compiler())
        skip();
    const size_t n_apart = cases_are_few() ? 3 : 1;
    for (size_t i = 0; i < sizeof variants / sizeof variants[0]; i += n_apart) {
        const variant *one = &variants[i];
        if (!cases_take(one->is_more) || (one->isa && !mechanism_has_isa(one->isa)))
            continue;
        mechanism opened = mechanism_open_file(one->file, one->overrides);
        const kernels_subject what = {
            .name = one->file, .isa = one->isa, .n_instances = N_INSTANCES, .form = SARRUS_PLAN_TEXT_STRAIGHT};
        kernels_compare(&opened, &what);
        mechanism_close(&opened);
    }
}

/* Of every type the last case, which has a drive where one can be; of general joints some. */
static bool is_taken(const spatial_case *list, int n, int i) {
    if (list[i].type == SARRUS_JOINT_GENERAL)
        return i % 61 == 0;
    return i + 1 == n || list[i + 1].type != list[i].type;
}

static void joints_of_every_type_have_the_same_bits(void **state) {
    (void)state;
    static spatial_case list[SPATIAL_MAX_CASES];
    static char text[TEXT_SIZE];
    if (!has_compiler())
        skip();
    const int n = spatial_case_list(list);
    int n_taken = 0;
    uint64_t seed = 4711;
    for (int i = 0; i < n; ++i) {
        if (!is_taken(list, n, i) || (cases_are_few() && n_taken++ % 5 != 0))
            continue;
        spatial_reference ref;
        spatial_case one = list[i];
        one.grounding = (joint_grounding)(i % N_JOINT_GROUNDINGS);
        one.is_elastic = one.is_elastic || one.driven >= 0;
        spatial_case_write(&one, &seed, "", "integrator: {method: rk4, dt: 1.0e-3, t_end: 1}", sizeof text, text, &ref);
        mechanism opened = mechanism_open_text(text, NULL);
        const kernels_subject what = {
            .name = spatial_case_name(&one), .n_instances = N_INSTANCES, .form = SARRUS_PLAN_TEXT_STRAIGHT};
        kernels_compare(&opened, &what);
        mechanism_close(&opened);
    }
}

/* A parallelogram that begins folded flat, redundant in space as planar loops are: rows in doubt go to the generic kernels. */
static const char FLAT[] = "sarrus: 1\nname: flat\nspace: spatial\ngravity: [0, -9.81, 0]\nbodies:\n"
                           "  - {name: left, mass: 1, inertia: [0.1, 0.1, 0.1], position: [-0.5, 0, 0], velocity: [0, -2, 0], "
                           "angular_velocity: [0, 0, 4]}\n"
                           "  - {name: coupler, mass: 1, inertia: [0.1, 0.1, 0.1], position: [0, 0, 0], velocity: [0, -4, 0]}\n"
                           "  - {name: right, mass: 1, inertia: [0.1, 0.1, 0.1], position: [1.5, 0, 0], velocity: [0, -2, 0], "
                           "angular_velocity: [0, 0, 4]}\n"
                           "joints:\n"
                           "  - {name: A, type: revolute, bodies: [ground, left], at: [0, 0, 0], axis: [0, 0, 1]}\n"
                           "  - {name: B, type: revolute, bodies: [left, coupler], at: [-1, 0, 0], axis: [0, 0, 1]}\n"
                           "  - {name: C, type: revolute, bodies: [coupler, right], at: [1, 0, 0], axis: [0, 0, 1]}\n"
                           "  - {name: D, type: revolute, bodies: [ground, right], at: [2, 0, 0], axis: [0, 0, 1]}\n"
                           "dynamics: {projection: every_step}\nintegrator: {method: rk4, dt: 1.0e-3, t_end: 10.0}\n";

static void rows_in_doubt_have_the_same_bits(void **state) {
    (void)state;
    if (!has_compiler())
        skip();
    mechanism opened = mechanism_open_text(FLAT, NULL);
    const kernels_subject what = {
        .name = "flat", .n_instances = N_INSTANCES, .must_take_rank_path = true, .form = SARRUS_PLAN_TEXT_STRAIGHT};
    kernels_compare(&opened, &what);
    mechanism_close(&opened);
}

/* What is too large for a straight piece of code runs on the generic kernels and says so. */
static void a_large_mechanism_says_why_it_is_not_specialized(void **state) {
    (void)state;
    mechanism opened = mechanism_open_file("stewart_platform.yaml", NULL);
    const char *why_not = NULL;
    double n_flops;
    assert_int_equal(sarrus_plan_text_form_of(opened.plan, &n_flops, &why_not), SARRUS_PLAN_TEXT_NONE);
    assert_non_null(why_not);
    assert_non_null(strstr(why_not, "too large"));
    mechanism_close(&opened);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scenarios_have_the_same_bits),
        cmocka_unit_test(joints_of_every_type_have_the_same_bits),
        cmocka_unit_test(rows_in_doubt_have_the_same_bits),
        cmocka_unit_test(a_large_mechanism_says_why_it_is_not_specialized),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

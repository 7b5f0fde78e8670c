/* Claim: when a scenario leaves the formulation open the plan takes the faster one that can do the mechanism, without a word
 * about the other one, and is then the plan of a scenario that names it. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "plan/plan.h"
#include "tests/support/mechanism.h"
#include "tests/support/place.h"

#define SETTING(path, value)                                                                                                       \
    { path, value }

/* A body that floats; a ground that moves. */
static const char floating[] = "sarrus: 1\nspace: spatial\ngravity: [0, 0, -9.81]\nintegrator: {method: rk4, dt: 0.01, t_end: 1}\n"
                               "bodies:\n  - {name: a, mass: 1, inertia: [0.1, 0.2, 0.3], position: [0, 0, 0]}\njoints: []\n";
static const char carried[] = "sarrus: 1\nspace: spatial\ngravity: [0, 0, -9.81]\nintegrator: {method: rk4, dt: 0.01, t_end: 1}\n"
                              "ground: {motion: {z: {signal: {sine: {amplitude: 0.1, frequency: 1}}}}}\n"
                              "bodies:\n  - {name: a, mass: 1, inertia: [0.1, 0.2, 0.3], position: [0, 1, 0]}\n"
                              "  - {name: b, mass: 1, inertia: [0.1, 0.2, 0.3], position: [0, 2, 0]}\n"
                              "joints:\n  - {name: A, type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: [1, 0, 0]}\n"
                              "  - {name: B, type: revolute, bodies: [a, b], at: [0, 1.5, 0], axis: [1, 0, 0]}\n";

/* Bodies of the plane that hang on nothing by joints of a tree. */
static const char loose[] = "sarrus: 1\nspace: planar\ngravity: [0, -9.81]\nintegrator: {method: rk4, dt: 0.01, t_end: 1}\n"
                            "bodies:\n  - {name: a, mass: 1, inertia: 0.1, position: [1, 0]}\n"
                            "  - {name: b, mass: 1, inertia: 0.1, position: [2, 0]}\n"
                            "joints:\n  - {name: A, type: distance, bodies: [ground, a], points: [[0, 0], [0, 0]]}\n"
                            "  - {name: B, type: distance, bodies: [a, b], points: [[0, 0], [0, 0]]}\n";

/* A pendulum that a spring pulls. */
static const char pulled[] = "sarrus: 1\nspace: planar\ngravity: [0, -9.81]\nintegrator: {method: rk4, dt: 0.02, t_end: 1}\n"
                             "bodies:\n  - {name: a, mass: 1, inertia: 0.1, position: [0.5, 0]}\n"
                             "joints:\n  - {name: A, type: revolute, bodies: [ground, a], at: [0, 0]}\n"
                             "forces:\n  - {name: s, type: spring, between: [[ground, [1, 1]], [a, [0.5, 0]]], stiffness: 1000, "
                             "rest_length: 0.5}\n";

static const char pulled_in_space[] =
    "sarrus: 1\nspace: spatial\ngravity: [0, -9.81, 0]\nintegrator: {method: rk4, dt: 0.02, t_end: 1}\n"
    "bodies:\n  - {name: a, mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.5, 0, 0]}\n"
    "joints:\n  - {name: A, type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: [0, 0, 1]}\n"
    "forces:\n  - {name: s, type: spring, between: [[ground, [1, 1, 0]], [a, [0.5, 0, 0]]], stiffness: 1000, rest_length: 0.5}\n";

static void the_cheaper_one_that_can_do_it(void **state) {
    (void)state;
    static const struct {
        const char *file, *text;
        sarrus_override also;
        bool is_relative;
    } cases[] = {
        {"arm_7r.yaml", NULL, SETTING(NULL, NULL), true},
        {"cantilever.yaml", NULL, SETTING(NULL, NULL), true},
        {"spatial_slider_crank.yaml", NULL, SETTING(NULL, NULL), true},
        {"arm_7r.yaml", NULL, SETTING("dynamics.pinv", "svd"), false},        /* of the J of bodies */
        {"arm_7r.yaml", NULL, SETTING("dynamics.rank.method", "gap"), false}, /* the same */
        {"spatial_four_bar.yaml", NULL, SETTING(NULL, NULL), true},           /* redundant rows over the tree */
        {"bennett.yaml", NULL, SETTING(NULL, NULL), true},                    /* the same */
        {"stewart_platform.yaml", NULL, SETTING(NULL, NULL), false},          /* no gain */
        {"point_mass_chain.yaml", NULL, SETTING(NULL, NULL), false},          /* bodies without inertia */
        {"double_pendulum.yaml", NULL, SETTING("dynamics.pinv", "householder"), false},
        {"n_four_bar_2.yaml", NULL, SETTING("dynamics.rank.method", "tracked"), false},
        {"five_bar.yaml", NULL, SETTING("ground", "{motion: {x: {signal: {ramp: {slope: 1}}}}}"), false},
        {"five_bar.yaml", NULL, SETTING("bodies.coupler.mass", "0"), false},
        {"four_bar.yaml", NULL, SETTING("joints.A.drive", "{signal: {polynomial: [0, 7]}}"), false}, /* a crank that is driven */
        {NULL, floating, SETTING(NULL, NULL), false},
        {NULL, carried, SETTING(NULL, NULL), false},
        {NULL, loose, SETTING(NULL, NULL), false},
        {NULL, pulled, SETTING(NULL, NULL), false},
        {NULL, pulled, SETTING("integrator.method", "dopri5"), true},
        {NULL, pulled_in_space, SETTING(NULL, NULL), false},
        {NULL, pulled_in_space, SETTING("integrator.method", "dopri5"), true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const sarrus_override open[] = {SETTING("dynamics.formulation", "auto"), cases[i].also, SETTING(NULL, NULL)};
        mechanism m = cases[i].file ? mechanism_open_file(cases[i].file, open) : mechanism_open_text(cases[i].text, open + 1);
        if ((m.plan->relative != NULL) != cases[i].is_relative)
            fail_msg("%s: %s", cases[i].file ? cases[i].file : cases[i].text, sarrus_plan_report(m.plan));
        assert_int_equal(sarrus_context_n_diagnostics(m.context), 0);
        assert_non_null(strstr(sarrus_plan_report(m.plan),
                               cases[i].is_relative ? "relative, chosen by the plan" : "udwadia-kalaba, chosen by the plan"));
        mechanism_close(&m);
    }
}

/* Every scenario of ours, whatever it names; measured: docs/decisions/0033, 0060 and 0065. */
static const struct {
    const char *file;
    bool is_relative;
} choices[] = {
    {"andrews.yaml", true},
    {"arm_6r.yaml", true},
    {"arm_7r.yaml", true},
    {"arm_prosthesis.yaml", false},
    {"bead_on_curve.yaml", false},
    {"bennett.yaml", true},
    {"bricard.yaml", true},
    {"cam_follower.yaml", true},
    {"cantilever.yaml", true},
    {"cardan_suspension.yaml", true},
    {"change_point.yaml", true},
    {"chaplygin_sleigh.yaml", false},
    {"cube_linkage.yaml", true},
    {"delta_robot.yaml", false},
    {"double_pendulum.yaml", true},
    {"driven_crank.yaml", false}, /* 0.8 to 1.1 times as fast */
    {"five_bar.yaml", true},
    {"five_bar_monte_carlo.yaml", true},
    {"five_bar_singular.yaml", true},
    {"four_bar.yaml", true},
    {"groove_cam.yaml", false}, /* 1.03 times as fast */
    {"gyrostat.yaml", false},
    {"heavy_top.yaml", true},
    {"hoop_on_cylinder.yaml", true},
    {"kapitza_pendulum.yaml", false}, /* a ground that moves */
    {"massless_coupler.yaml", false},
    {"n_four_bar_2.yaml", true},
    {"n_four_bar_40.yaml", false}, /* kernels in runs are for bodies alone */
    {"pendulum.yaml", true},
    {"planetary_train.yaml", true},
    {"point_mass_chain.yaml", false},
    {"rolling_disc.yaml", false},
    {"sarrus_linkage.yaml", true},
    {"scotch_yoke.yaml", true},
    {"slider_crank.yaml", true},
    {"spatial_four_bar.yaml", true},
    {"spatial_slider_crank.yaml", true},
    {"stewart_platform.yaml", false},
    {"torque_free_body.yaml", false},
    {"walking_figure.yaml", true},
};
enum { N_CHOICES = sizeof choices / sizeof choices[0] };

static void every_scenario_runs_as_intended(void **state) {
    (void)state;
    for (int i = 0; i < N_CHOICES; ++i) {
        const sarrus_override open[] = {SETTING("dynamics.formulation", "auto"), SETTING(NULL, NULL)};
        mechanism m = mechanism_open_file(choices[i].file, open);
        if ((m.plan->relative != NULL) != choices[i].is_relative)
            fail_msg("%s: %s", choices[i].file, m.plan->relative ? "relative" : "udwadia-kalaba");
        mechanism_close(&m);
    }
}

static void every_scenario_is_in_the_table(void **state) {
    (void)state;
    DIR *folder = opendir(place_of_source("/scenarios"));
    assert_non_null(folder);
    for (const struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
        const char *suffix = strrchr(entry->d_name, '.');
        bool is_there = suffix == NULL || strcmp(suffix, ".yaml") != 0 || strcmp(entry->d_name, "mixed.yaml") == 0;
        for (int i = 0; i < N_CHOICES; ++i)
            is_there |= strcmp(choices[i].file, entry->d_name) == 0;
        if (!is_there)
            fail_msg("%s is not in the table", entry->d_name);
    }
    closedir(folder);
}

/* A chain whose links are closed to loops of four: over the tree while kernels can be made for it, with projections fewer. */
static const char *chain_of_loops(int n) {
    static char text[16384];
    int at = snprintf(text, sizeof text, "sarrus: 1\nspace: planar\ngravity: [0, -9.81]\nbodies:\n");
    for (int i = 0; i <= n; ++i)
        at += snprintf(text + at, sizeof text - (size_t)at, "  - {name: l%d, mass: 1, inertia: 0.1, position: [%d, 0.5]}\n", i, i);
    for (int i = 1; i <= n; ++i)
        at += snprintf(text + at, sizeof text - (size_t)at, "  - {name: c%d, mass: 1, inertia: 0.1, position: [%d.5, 1]}\n", i,
                       i - 1);
    at += snprintf(text + at, sizeof text - (size_t)at, "joints:\n");
    for (int i = 0; i <= n; ++i)
        at += snprintf(text + at, sizeof text - (size_t)at, "  - {name: A%d, type: revolute, bodies: [ground, l%d], at: [%d, 0]}\n",
                       i, i, i);
    for (int i = 1; i <= n; ++i)
        at += snprintf(text + at, sizeof text - (size_t)at,
                       "  - {name: L%d, type: revolute, bodies: [l%d, c%d], at: [%d, 1]}\n"
                       "  - {name: R%d, type: revolute, bodies: [l%d, c%d], at: [%d, 1]}\n",
                       i, i - 1, i, i - 1, i, i, i, i);
    at += snprintf(text + at, sizeof text - (size_t)at, "integrator: {method: rk4, dt: 0.001, t_end: 1}\n");
    assert_true(at > 0 && (size_t)at < sizeof text);
    return text;
}

static void long_mechanisms_stay_in_bodies(void **state) {
    (void)state;
    static const struct {
        int n;
        const char *projection;
        bool is_relative;
    } cases[] = {{8, "every_step", true}, {11, "every_step", false}, {11, "none", true}, {24, "none", false}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const sarrus_override open[] = {SETTING("dynamics.projection", cases[i].projection), SETTING(NULL, NULL)};
        mechanism m = mechanism_open_text(chain_of_loops(cases[i].n), open);
        if ((m.plan->relative != NULL) != cases[i].is_relative)
            fail_msg("%d loops, projection %s", cases[i].n, cases[i].projection);
        mechanism_close(&m);
    }
}

/* A file says what ran: the plan is the one of a scenario that names its formulation, hash and all. */
static void chosen_is_as_named(void **state) {
    (void)state;
    static const char *const cases[][2] = {{"arm_7r.yaml", "relative"},
                                           {"stewart_platform.yaml", "udwadia-kalaba"},
                                           {"five_bar.yaml", "relative"},
                                           {"driven_crank.yaml", "udwadia-kalaba"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const sarrus_override named[] = {SETTING("dynamics.formulation", cases[i][1]), SETTING(NULL, NULL)};
        const sarrus_override open[] = {SETTING("dynamics.formulation", "auto"), SETTING(NULL, NULL)};
        mechanism a = mechanism_open_file(cases[i][0], named), b = mechanism_open_file(cases[i][0], open);
        assert_int_equal(sarrus_plan_hash(a.plan), sarrus_plan_hash(b.plan));
        mechanism_close(&a);
        mechanism_close(&b);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_cheaper_one_that_can_do_it),
        cmocka_unit_test(every_scenario_runs_as_intended),
        cmocka_unit_test(every_scenario_is_in_the_table),
        cmocka_unit_test(long_mechanisms_stay_in_bodies),
        cmocka_unit_test(chosen_is_as_named),
    };
    return cmocka_run_group_tests_name("plan.formulation", tests, NULL, NULL);
}

/* Claim: when a scenario leaves the formulation open the plan takes the cheaper one that can do the mechanism, without a word
 * about the other one, and is then the plan of a scenario that names it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "plan/plan.h"
#include "tests/support/mechanism.h"

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
        {"double_pendulum.yaml", NULL, SETTING(NULL, NULL), false},           /* in the plane */
        {NULL, floating, SETTING(NULL, NULL), false},
        {NULL, carried, SETTING(NULL, NULL), false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const sarrus_override open[] = {SETTING("dynamics.formulation", "auto"), cases[i].also, SETTING(NULL, NULL)};
        mechanism m = cases[i].file ? mechanism_open_file(cases[i].file, open) : mechanism_open_text(cases[i].text, NULL);
        if ((m.plan->relative != NULL) != cases[i].is_relative)
            fail_msg("%s: %s", cases[i].file ? cases[i].file : cases[i].text, sarrus_plan_report(m.plan));
        assert_int_equal(sarrus_context_n_diagnostics(m.context), 0);
        assert_non_null(strstr(sarrus_plan_report(m.plan),
                               cases[i].is_relative ? "relative, chosen by the plan" : "udwadia-kalaba, chosen by the plan"));
        mechanism_close(&m);
    }
}

/* A file says what ran: the plan is the one of a scenario that names its formulation, hash and all. */
static void chosen_is_as_named(void **state) {
    (void)state;
    static const char *const cases[][2] = {{"arm_7r.yaml", "relative"}, {"stewart_platform.yaml", "udwadia-kalaba"}};
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
        cmocka_unit_test(chosen_is_as_named),
    };
    return cmocka_run_group_tests_name("plan.formulation", tests, NULL, NULL);
}

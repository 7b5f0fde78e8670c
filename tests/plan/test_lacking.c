/* Claim: masses and inertias that leave a motion without inertia are refused at planning, each such motion once, at the number of
 * the body that it moves most and with its direction; others of 0 are taken. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "sarrus/sarrus.h"

#define HEAD "sarrus: 1\nspace: planar\nintegrator: {dt: 1e-3, t_end: 1}\nbodies:\n"
#define SPACE_HEAD "sarrus: 1\nspace: spatial\nintegrator: {dt: 1e-3, t_end: 1}\nbodies:\n"

typedef struct found {
    int line, column;
    const char *direction;
} found;

/* The plan's findings, in order; none: it is made. */
static void assert_findings(const char *text, const found *expected, size_t n) {
    sarrus_context *context = NULL;
    sarrus_model *model = NULL;
    sarrus_plan *plan = NULL;
    assert_int_equal(sarrus_context_create(&context), SARRUS_OK);
    assert_int_equal(sarrus_scenario_read_text(context, "text", text, strlen(text), NULL, 0, &model), SARRUS_OK);
    const sarrus_status status = sarrus_plan_create(context, model, &plan);
    assert_int_equal(status, n > 0 ? SARRUS_BAD_INPUT : SARRUS_OK);
    size_t n_errors = 0;
    for (size_t i = 0; i < sarrus_context_n_diagnostics(context); ++i) {
        const sarrus_diagnostic *d = sarrus_context_diagnostic(context, i);
        if (d->severity != SARRUS_ERROR)
            continue;
        assert_true(n_errors < n);
        if (d->line != expected[n_errors].line || d->column != expected[n_errors].column ||
            !strstr(d->message, expected[n_errors].direction))
            fail_msg("%d:%d: %s", d->line, d->column, d->message);
        ++n_errors;
    }
    assert_int_equal(n_errors, n);
    sarrus_plan_destroy(plan);
    sarrus_model_destroy(model);
    sarrus_context_destroy(context);
}

static void a_free_body_without_mass_is_refused(void **state) {
    (void)state;
    static const found all[] = {{5, 21, "body 'a' leaves an unconstrained direction without inertia: x;"},
                                {5, 21, "without inertia: y;"},
                                {5, 33, "body 'a' leaves an unconstrained direction without inertia: its angle;"}};
    assert_findings(HEAD "  - {name: a, mass: 0, inertia: 0, position: [0, 0]}\njoints: []\n", all, 3);
    assert_findings(HEAD "  - {name: a, mass: 1, inertia: 0, position: [0, 0]}\njoints: []\n", all + 2, 1);
}

/* A block on an inclined guide; a point mass that its pin holds at the mass centre; a chain of two rods that hang on one another.
 * */
static void directions_that_joints_leave_open_are_named(void **state) {
    (void)state;
    static const found along[] = {{5, 21, "body 'a' leaves an unconstrained direction without inertia: along (0.6, 0.8);"}};
    static const found angle[] = {{5, 33, "body 'a' leaves an unconstrained direction without inertia: its angle;"}};
    assert_findings(HEAD "  - {name: a, mass: 0, inertia: 0, position: [0, 0]}\n"
                         "joints: [{name: A, type: prismatic, bodies: [ground, a], at: [0, 0], axis: [3, 4]}]\n",
                    along, 1);
    assert_findings(HEAD "  - {name: a, mass: 1, inertia: 0, position: [0, 0]}\n"
                         "joints: [{name: A, type: revolute, bodies: [ground, a], at: [0, 0]}]\n",
                    angle, 1);
    assert_findings(HEAD "  - {name: a, mass: 1, inertia: 0, position: [0, -1]}\n"
                         "joints: [{name: A, type: revolute, bodies: [ground, a], at: [0, 0]}]\n",
                    NULL, 0);
}

/* A wheel without inertia that is geared to one with it turns with it, whichever joint the gear names first; two such wheels do not
 * hold one another. */
static void a_gear_holds_the_wheels_of_both_its_joints(void **state) {
    (void)state;
    static const char wheels[] = HEAD "  - {name: a, mass: 1, inertia: %s, position: [0, 0]}\n"
                                      "  - {name: b, mass: 0, inertia: 0, position: [1, 0]}\njoints:\n"
                                      "  - {name: A, type: revolute, bodies: [ground, a], at: [0, 0]}\n"
                                      "  - {name: B, type: revolute, bodies: [ground, b], at: [1, 0]}\n"
                                      "constraints: [{name: teeth, type: gear, joints: %s, ratio: 2}]\n";
    static const found one[2][1] = {{{5, 33, "leaves an unconstrained direction without inertia: its angle;"}},
                                    {{6, 33, "leaves an unconstrained direction without inertia: its angle;"}}}; /* it turns more */
    char text[1000];
    static const char *const orders[] = {"[A, B]", "[B, A]"};
    for (int i = 0; i < 2; ++i) {
        (void)snprintf(text, sizeof text, wheels, "0.1", orders[i]);
        assert_findings(text, NULL, 0);
        (void)snprintf(text, sizeof text, wheels, "0", orders[i]);
        assert_findings(text, one[i], 1);
    }
}

/* Two links without mass between pins: one point less than three can be held, and the rod's turn about itself. */
static void open_motions_of_several_bodies_are_counted_once(void **state) {
    (void)state;
    static const found knee[] = {{6, 21, "body 'b' leaves an unconstrained direction without inertia: x;"}};
    static const found turn[] = {
        {5, 36, "body 'rod' leaves an unconstrained direction without inertia: its turn about its axis (0, 0, 1);"}};
    assert_findings(HEAD "  - {name: a, mass: 0, inertia: 0, position: [1, 1]}\n"
                         "  - {name: b, mass: 0, inertia: 0, position: [3, 1]}\n"
                         "  - {name: c, mass: 1, inertia: 1, position: [4, 0]}\n"
                         "joints:\n"
                         "  - {name: A, type: revolute, bodies: [ground, a], at: [0, 0]}\n"
                         "  - {name: B, type: revolute, bodies: [a, b], at: [2, 2]}\n"
                         "  - {name: C, type: revolute, bodies: [b, c], at: [4, 0]}\n"
                         "  - {name: D, type: fixed, bodies: [ground, c], at: [4, 0]}\n"
                         "  - {name: E, type: distance, bodies: [ground, a], points: [[-1, 5], [0, 0]]}\n",
                    NULL, 0);
    assert_findings(SPACE_HEAD "  - {name: rod, mass: 1, inertia: [1, 1, 0], position: [0, 0, -1]}\n"
                               "joints: [{name: A, type: spherical, bodies: [ground, rod], at: [0, 0, 0]}]\n",
                    turn, 1);
    assert_findings(SPACE_HEAD
                    "  - {name: rod, mass: 1, inertia: [1, 1, 0], position: [0, 0, -1]}\n"
                    "joints: [{name: A, type: universal, bodies: [ground, rod], at: [0, 0, 0], axes: [[1, 0, 0], [0, 1, 0]]}]\n",
                    NULL, 0);
    /* The four-bar of links without mass: one motion, of the coupler above all. */
    assert_findings(HEAD "  - {name: a, mass: 0, inertia: 0, position: [0, 0.5]}\n"
                         "  - {name: b, mass: 0, inertia: 0, position: [0.5, 1]}\n"
                         "joints:\n"
                         "  - {name: A, type: revolute, bodies: [ground, a], at: [0, 0]}\n"
                         "  - {name: B, type: revolute, bodies: [a, b], at: [0, 1]}\n"
                         "  - {name: C, type: slot, bodies: [ground, b], at: [1, 1], axis: [1, 0]}\n",
                    knee, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_free_body_without_mass_is_refused),
        cmocka_unit_test(directions_that_joints_leave_open_are_named),
        cmocka_unit_test(a_gear_holds_the_wheels_of_both_its_joints),
        cmocka_unit_test(open_motions_of_several_bodies_are_counted_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

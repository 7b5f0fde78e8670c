/* Claim: a table whose spline overflows is refused at planning where it stands, a cam's and a signal's, by large numbers and by
 * points that are too close to one another; an ordinary one is taken. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "sarrus/sarrus.h"

static const char cam[] =
    "sarrus: 1\nspace: planar\nintegrator: {dt: 1e-3, t_end: 1}\nbodies:\n"
    "  - {name: a, mass: 1, inertia: 1, position: [0, 0]}\n  - {name: b, mass: 1, inertia: 1, position: [1, 0]}\njoints:\n"
    "  - {name: A, type: revolute, bodies: [ground, a], at: [0, 0]}\n"
    "  - {name: B, type: prismatic, bodies: [ground, b], at: [1, 0], axis: [1, 0]}\n"
    "constraints:\n  - {name: c, type: cam, joints: [B, A], table: {angle: [%s], y: [%s]}}\n";

static const char torque[] = "sarrus: 1\nspace: planar\nintegrator: {dt: 1e-3, t_end: 1}\nbodies:\n"
                             "  - {name: a, mass: 1, inertia: 1, position: [0, 0]}\njoints: []\nforces:\n"
                             "  - {name: T, type: torque, body: a, value: {signal: {table: {t: [%s], y: [%s]}}}}\n";

/* The plan of `format` with this table; line 0: it is made, else it is refused there. */
static void assert_told(const char *format, const char *x, const char *y, int line, int column) {
    char text[1024];
    sarrus_context *context = NULL;
    sarrus_model *model = NULL;
    sarrus_plan *plan = NULL;
    (void)snprintf(text, sizeof text, format, x, y);
    assert_int_equal(sarrus_context_create(&context), SARRUS_OK);
    assert_int_equal(sarrus_scenario_read_text(context, "text", text, strlen(text), NULL, 0, &model), SARRUS_OK);
    assert_int_equal(sarrus_plan_create(context, model, &plan), line > 0 ? SARRUS_BAD_INPUT : SARRUS_OK);
    assert_int_equal(sarrus_context_n_diagnostics(context), line > 0);
    if (line > 0) {
        const sarrus_diagnostic *said = sarrus_context_diagnostic(context, 0);
        if (said->line != line || said->column != column || !strstr(said->message, "the 4 points of the table"))
            fail_msg("%d:%d: %s", said->line, said->column, said->message);
    }
    sarrus_plan_destroy(plan);
    sarrus_model_destroy(model);
    sarrus_context_destroy(context);
}

static void a_table_that_overflows_is_refused_where_it_stands(void **state) {
    (void)state;
    static const struct {
        const char *x, *y;
    } bad[] = {
        {"0, 1, 2, 3", "0, 1e308, -1e308, 0"},  {"0, 1, 2, 3", "0, 1e308, -1e308, 1"}, /* the first goes round */
        {"0, 1e-200, 2e-200, 3", "0, 1, 2, 0"}, {"0, 1e-310, 1, 2", "0, 1, 2, 3"},     {"0, 1, 1e300, 1.7e308", "0, 1, 2, 3"},
    };
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; ++k) {
        assert_told(cam, bad[k].x, bad[k].y, 11, 49);
        assert_told(torque, bad[k].x, bad[k].y, 8, 54);
    }
    assert_told(cam, "0, 1, 2, 3", "0, 0.2, 0.1, 0", 0, 0);
    assert_told(torque, "0, 1, 2, 3", "0, 1, 2, 0", 0, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_table_that_overflows_is_refused_where_it_stands)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

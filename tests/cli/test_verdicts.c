/* Claims: a scenario that passes near change points is run to the right end with whatever `sarrus run` does by itself, or it ends
 * with exit code 1 and says which instances, and why; what each was judged by is in the summary for programs. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "cli/program.h"

/* A slider-crank whose rod is longer than its crank by d, without gravity. With d = 0.001 the two of them have turned from 1 rad to
 * the vertical within 0.4 s, where the motion bends. */
static const char slider_crank[] =
    "sarrus: 1\n"
    "name: slider-crank\n"
    "space: planar\n"
    "parameters:\n"
    "  d: 1.0e-3\n"
    "  l: '=1+d'\n"
    "  s: '=-asin(sin(1)/l)'\n"
    "bodies:\n"
    "  - {name: crank, mass: 1, inertia: '=1/12', position: ['=cos(1)/2', '=sin(1)/2'], orientation: 1, angular_velocity: -7,\n"
    "     velocity: ['=3.5*sin(1)', '=-3.5*cos(1)']}\n"
    "  - {name: rod, mass: 1, inertia: '=l^2/12', position: ['=cos(1)+l/2*cos(s)', '=sin(1)/2'], orientation: '=s'}\n"
    "  - {name: slider, mass: 0.5, inertia: 0.01, position: ['=cos(1)+l*cos(s)', 0]}\n"
    "joints:\n"
    "  - {name: A, type: revolute, bodies: [ground, crank], points: [[0, 0], [-0.5, 0]]}\n"
    "  - {name: B, type: revolute, bodies: [crank, rod], points: [[0.5, 0], ['=-l/2', 0]]}\n"
    "  - {name: C, type: revolute, bodies: [rod, slider], points: [['=l/2', 0], [0, 0]]}\n"
    "  - {name: guide, type: prismatic, bodies: [ground, slider], points: [[0, 0], [0, 0]], axis: [1, 0]}\n"
    "integrator: {t_end: 2}\n";

static int enter(void **state) {
    if (folder_enter(state) != 0)
        return -1;
    file_write("slider_crank.yaml", slider_crank);
    return 0;
}

/* The number at `key` of the summary; NaN where it is null. */
static double number_of(const said *s, const char *key) {
    char quoted[80];
    snprintf(quoted, sizeof quoted, "\"%s\": ", key);
    const char *at = strstr(s->out, quoted);
    if (at == NULL)
        fail_msg("no %s in: %s", quoted, s->out);
    at += strlen(quoted);
    return strncmp(at, "null", 4) == 0 ? (double)NAN : strtod(at, NULL);
}

static void contains(const char *text, const char *part) {
    if (strstr(text, part) == NULL)
        fail_msg("expected '%s' in: %s", part, text);
}

static void is_all_well(const said *s) {
    if (s->code != 0)
        fail_msg("exit code %d: %s%s", s->code, s->out, s->err);
    assert_true(number_of(s, "n_failed") == 0.0);
    assert_true(number_of(s, "max_energy_error") <= 1e-3); /* the limit of both methods */
    assert_true(number_of(s, "max_violation") <= 1e-10);   /* projected: round-off, over the singular values of the bends */
}

/* The shipped scenario, as it is and with the default method: its 24 instances had gained half of their energy, or diverged. */
static void the_shipped_scenario_is_balanced(void **state) {
    (void)state;
    const char *const file = place_of_source("/scenarios/change_point.yaml");
    const said *s = RUN("run", file, "-o", "c.h5", "--json");
    is_all_well(s);
    contains(s->out, "\"is_adaptive\": false");
    assert_true(number_of(s, "nearest_change_point") > 0.0 && number_of(s, "nearest_change_point") < 0.1);
    assert_true(number_of(s, "nearest_change_point_time") > 0.0 && number_of(s, "nearest_change_point_time") <= 2.0);
    assert_true(number_of(s, "nearest_change_point_instance") < 24.0);
    s = RUN("run", file, "-o", "c.h5", "--json", "--set", "integrator={t_end: 2}");
    is_all_well(s);
    contains(s->out, "\"is_adaptive\": true");
}

/* No method named is dopri5 named, step by step. */
static void the_default_method_is_dopri5(void **state) {
    (void)state;
    double counts[2][2];
    const char *const methods[] = {"integrator.t_end=2", "integrator.method=dopri5"};
    for (int i = 0; i < 2; ++i) {
        const said *s = RUN("run", "slider_crank.yaml", "-o", "d.h5", "--json", "--set", methods[i]);
        is_all_well(s);
        contains(s->out, "\"is_adaptive\": true, \"steps\": {");
        const char *at = strstr(s->out, "\"evaluations\": {\"total\": ");
        assert_non_null(at);
        counts[i][0] = strtod(at + strlen("\"evaluations\": {\"total\": "), NULL);
        counts[i][1] = number_of(s, "max_energy_error");
    }
    assert_true(counts[0][0] > 100.0);
    assert_memory_equal(counts[0], counts[1], sizeof counts[0]);
}

/* The bare method jumps the bends: the instance says so, and the run with its exit code. */
static void a_marked_instance_makes_the_exit_code_1(void **state) {
    (void)state;
    const char *const bare = "integrator={method: rk4, dt: 1e-3, t_end: 2, substeps: off}";
    const said *s = RUN("run", "slider_crank.yaml", "-o", "m.h5", "--set", bare, "--set", "parameters.d=1e-6");
    assert_int_equal(s->code, 1);
    contains(s->out, "  failed       1\n"
                     "               1 unresolved: the steps do not tell where the motion goes\n");
    contains(s->err, "sarrus: warning: 1 of 1 instances failed; their rows are NaN from the failure on\n");
    contains(s->err, "'substeps: auto', would help\n");
    s = RUN("run", "slider_crank.yaml", "-o", "m.h5", "--set", bare, "--set", "parameters.d=1e-6", "--json");
    assert_int_equal(s->code, 1);
    assert_true(number_of(s, "n_failed") == 1.0 && number_of(s, "unresolved") == 1.0);
}

/* A pendulum at 25 rad/s: nothing is wrong but the errors of its steps, of which 7e-4 are too many here, and nobody speaks of
 * change points. */
static void errors_of_steps_are_told_apart(void **state) {
    (void)state;
    const said *s = RUN("run", place_of_source("/scenarios/pendulum.yaml"), "-o", "e.h5", "--set",
                        "integrator={method: rk4, dt: 4e-3, t_end: 5}", "--set", "bodies.rod.angular_velocity=100", "--set",
                        "output={every: 100}", "--set", "limits={error: 1e-4}");
    assert_int_equal(s->code, 1);
    contains(s->out, " unresolved: ");
    contains(s->err, "the estimated errors of steps added up to more than limits.error; a dt below 0.004 s or an adaptive\n");
    assert_null(strstr(s->err, "change point"));
}

/* Each limit can be met, and be switched off, from the command line. */
static void limits_are_set_by_hand(void **state) {
    (void)state;
    static const struct {
        const char *limits, *word; /* NULL: it passes */
    } cases[] = {
        {"limits={violation: 1e-9, energy: off}", "constraint_violated"},
        {"limits={violation: off, energy: 1e-9}", "energy_mismatch"},
        {"limits={violation: off, energy: off}", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const said *s =
            RUN("run", "slider_crank.yaml", "-o", "l.h5", "--json", "--set", cases[i].limits, "--set", "dynamics.projection=none",
                "--set", "integrator={t_end: 0.5, rtol: 1e-4, atol: 1e-12}", "--set", "parameters.d=0.5");
        assert_int_equal(s->code, cases[i].word != NULL ? 1 : 0);
        assert_true(number_of(s, "n_failed") == (cases[i].word != NULL ? 1.0 : 0.0));
        if (cases[i].word != NULL) {
            assert_true(number_of(s, cases[i].word) == 1.0);
            assert_true(isnan(number_of(s, "max_energy_error"))); /* nobody is left who is ok */
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_shipped_scenario_is_balanced),
        cmocka_unit_test(the_default_method_is_dopri5),
        cmocka_unit_test(a_marked_instance_makes_the_exit_code_1),
        cmocka_unit_test(errors_of_steps_are_told_apart),
        cmocka_unit_test(limits_are_set_by_hand),
    };
    return cmocka_run_group_tests(tests, enter, folder_leave);
}

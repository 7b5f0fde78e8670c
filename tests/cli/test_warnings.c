/* Claims: `sarrus check` begins with the warnings, and lists them for programs; `sarrus run` repeats those that matter, quiet or
 * not; what cannot work is refused by both with exit code 2, and nothing is written. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "cli/program.h"

/* A slider 0.05 m beside its guide, a body without a joint, and a mass that may be negative in 2.3 % of 400 instances. */
static const char beside[] = "sarrus: 1\nname: beside\nspace: planar\nparameters: {spare: 3}\n"
                             "bodies:\n"
                             "  - {name: slider, mass: 1, inertia: 0.1, position: [1, 0.05]}\n"
                             "  - {name: puck, mass: 1, inertia: 0.1, position: [2, 0]}\n"
                             "joints:\n"
                             "  - {name: G, type: prismatic, bodies: [ground, slider], points: [[0, 0], [0, 0]], axis: [1, 0]}\n"
                             "integrator: {dt: 1.0e-3, t_end: 0.01}\n"
                             "batch:\n"
                             "  instances: 400\n"
                             "  parameters: [{path: bodies.slider.mass, distribution: normal, mean: 1, sd: 0.5}]\n";

/* Both cranks of a parallelogram, by different amounts. */
static const char against[] =
    "sarrus: 1\nspace: planar\n"
    "bodies:\n"
    "  - {name: crank, mass: 1, inertia: 0.1, position: [0, 0.5], orientation: 1.5707963267948966}\n"
    "  - {name: coupler, mass: 1, inertia: 0.1, position: [1, 1]}\n"
    "  - {name: rocker, mass: 1, inertia: 0.1, position: [2, 0.5], orientation: 1.5707963267948966}\n"
    "joints:\n"
    "  - {name: A, type: revolute, bodies: [ground, crank], at: [0, 0], drive: {signal: {sine: {amplitude: 0.5, frequency: 1}}}}\n"
    "  - {name: B, type: revolute, bodies: [crank, coupler], at: [0, 1]}\n"
    "  - {name: C, type: revolute, bodies: [coupler, rocker], at: [2, 1]}\n"
    "  - {name: D, type: revolute, bodies: [ground, rocker], at: [2, 0], drive: {signal: {sine: {amplitude: 0.3, frequency: 1}}}}\n"
    "integrator: {dt: 1.0e-3, t_end: 1}\n";

static int enter(void **state) {
    if (folder_enter(state) != 0)
        return -1;
    file_write("beside.yaml", beside);
    file_write("against.yaml", against);
    return 0;
}

static void check_begins_with_them(void **state) {
    (void)state;
    static const char expected[] =
        "Warnings\n"
        "  body without joint      body 'puck' has no joint: it moves freely\n"
        "  moved by assembly       assembly moved body 'slider' by 0.05 m and turned it by 0 rad\n"
        "  unused parameter        nothing depends on parameters.spare\n"
        "  unphysical draws        bodies.slider.mass: 2.3 % of the draws are not positive (about 9.1 of\n"
        "                          400 instances); such instances end as invalid_parameter\n"
        "\n"
        "beside\n";
    const said *s = RUN("check", "beside.yaml");
    assert_int_equal(s->code, 0);
    assert_string_equal(s->err, "");
    if (strncmp(s->out, expected, strlen(expected)) != 0)
        fail_msg("expected\n%s\nfound\n%s", expected, s->out);
    s = RUN("check", place_of_source("/scenarios/five_bar.yaml"));
    assert_int_equal(strncmp(s->out, "five-bar parallelogram\n", 23), 0); /* nothing to say, nothing said */
    s = RUN("check", place_of_source("/scenarios/five_bar_singular.yaml"));
    assert_int_equal(strncmp(s->out, "Warnings\n  singular start          the mechanism starts in a singular", 69), 0);
}

static void programs_get_a_list(void **state) {
    (void)state;
    const said *s = RUN("check", "beside.yaml", "--json");
    assert_int_equal(s->code, 0);
    assert_non_null(strstr(s->out,
                           "\"warnings\": [{\"kind\": \"body_without_joint\", \"matters\": false, \"name\": \"puck\", \"text\": "
                           "\"body 'puck' has no joint: it moves freely\", \"values\": []}, {\"kind\": \"displaced\", "
                           "\"matters\": true, \"name\": \"slider\""));
    assert_non_null(strstr(s->out, "\"kind\": \"unphysical_draws\", \"matters\": true, \"name\": \"bodies.slider.mass\""));
    s = RUN("check", place_of_source("/scenarios/five_bar.yaml"), "--json");
    assert_non_null(strstr(s->out, "\"warnings\": [], "));
}

static void a_run_repeats_what_matters(void **state) {
    (void)state;
    const said *s = RUN("run", "beside.yaml", "--quiet", "--instances", "40");
    assert_int_equal(strncmp(s->err, "sarrus: warning: assembly moved body 'slider' by 0.05 m", 55), 0);
    assert_non_null(
        strstr(s->err, "sarrus: warning: bodies.slider.mass: 2.3 % of the draws are not positive (about 0.91 of 40 instances)"));
    assert_null(strstr(s->err, "puck"));
    assert_null(strstr(s->err, "spare"));
    assert_string_equal(s->out, "");
    s = RUN("run", place_of_source("/scenarios/pendulum.yaml"), "--set", "integrator.t_end=0.01", "-o", "p.h5", "--quiet");
    assert_int_equal(s->code, 0);
    assert_string_equal(s->err, "");
}

static void what_cannot_work_is_refused(void **state) {
    (void)state;
    static const char *const commands[] = {"check", "run"};
    for (int i = 0; i < 2; ++i) {
        const said *s = RUN(commands[i], "against.yaml");
        assert_int_equal(s->code, 2);
        assert_string_equal(s->out, "");
        assert_int_equal(
            strncmp(s->err, "against.yaml:8:84: error: the drives of joints 'A' and 'D' contradict one another beyond t = 0 s", 94),
            0);
        assert_false(file_exists("against.h5"));
    }
    const said *s =
        RUN("run", "against.yaml", "--set", "joints.D.drive={signal: {sine: {amplitude: 0.5, frequency: 1}}}", "--quiet");
    assert_int_equal(s->code, 0); /* redundant, but consistent */
    /* A drive that an override has brought is shown in it. */
    s = RUN("check", "against.yaml", "--set", "joints.A.drive={signal: {sine: {amplitude: 0.1, frequency: 1}}}");
    assert_int_equal(s->code, 2);
    assert_int_equal(strncmp(s->err, "--set:1:25: error: the drives of joints 'A' and 'D'", 51), 0);
    /* What begins far away and cannot be assembled is likely to be in degrees. */
    s = RUN("check", place_of_source("/scenarios/four_bar.yaml"), "--set", "joints.D.drive={signal: 90}");
    assert_int_equal(s->code, 2);
    assert_non_null(strstr(s->err, "the mechanism cannot be assembled"));
    assert_non_null(strstr(s->err, "note: the drive of joint 'D' begins at 90 rad"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(check_begins_with_them),
        cmocka_unit_test(programs_get_a_list),
        cmocka_unit_test(a_run_repeats_what_matters),
        cmocka_unit_test(what_cannot_work_is_refused),
    };
    return cmocka_run_group_tests(tests, enter, folder_leave);
}

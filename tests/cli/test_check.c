/* Claims: `sarrus check` says the same of a mechanism, down to the hash of its plan, whatever code the C library has chosen for the
 * processor: rank and redundant rows are those of the mechanism, not of the last bits of a decomposition. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "cli/program.h"
#include "tests/support/place.h"

/* What of the processor glibc is not to use for its mathematical functions. */
static const char *const withheld[] = {"glibc.cpu.hwcaps=", "glibc.cpu.hwcaps=-FMA,-FMA4", "glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4,-AVX",
                                       "glibc.cpu.hwcaps=-SSE4_1,-AVX2,-FMA,-FMA4,-AVX"};
enum { N_WITHHELD = sizeof withheld / sizeof withheld[0] };

/* The lines that speak of the structure; σ themselves may differ in their last digits. */
static void structure_keep(char *text) {
    char *to = text;
    for (char *line = text; *line != '\0';) {
        char *end = strchr(line, '\n');
        end = end ? end + 1 : line + strlen(line);
        char *next = end;
        if (strstr(line, "singular values") == NULL || strstr(line, "singular values") >= end) {
            memmove(to, line, (size_t)(end - line));
            to += end - line;
        }
        line = next;
    }
    *to = '\0';
}

static void a_plan_is_the_same_on_all_processors(void **state) {
    (void)state;
    static const char *const files[] = {"/scenarios/five_bar_singular.yaml", "/scenarios/five_bar.yaml",
                                        "/scenarios/slider_crank.yaml", "/scenarios/andrews.yaml"};
    const char *before = getenv("GLIBC_TUNABLES");
    char *kept = before ? strdup(before) : NULL;
    for (size_t f = 0; f < sizeof files / sizeof files[0]; ++f) {
        char first[MAX_SAID] = "";
        for (size_t i = 0; i < N_WITHHELD; ++i) {
            assert_int_equal(setenv("GLIBC_TUNABLES", withheld[i], 1), 0);
            said *s = RUN("check", place_of_source(files[f]));
            assert_int_equal(s->code, 0);
            structure_keep(s->out);
            if (i == 0)
                strcpy(first, s->out);
            assert_string_equal(s->out, first);
        }
        assert_true(strlen(first) > 500);
    }
    if (kept)
        assert_int_equal(setenv("GLIBC_TUNABLES", kept, 1), 0);
    else
        assert_int_equal(unsetenv("GLIBC_TUNABLES"), 0);
    free(kept);
}

/* Positive, but 1/m is infinite: the body is named, with its line. */
static void a_mass_that_cannot_be_divided_by_is_named(void **state) {
    (void)state;
    const char *pendulum = place_of_source("/scenarios/pendulum.yaml");
    const said *s = RUN("check", pendulum, "--set", "bodies.rod.mass=1e-320");
    assert_int_equal(s->code, 2);
    assert_non_null(strstr(s->err, "--set:1:17: error: the mass of body 'rod' is 9.99989e-321"));
    s = RUN("check", pendulum, "--set", "bodies.rod.inertia=1e-320");
    assert_int_equal(s->code, 2);
    assert_non_null(strstr(s->err, "error: the inertia of body 'rod' is"));
}

/* What hangs on what, for programs: all that the matrices C and T say. */
static void the_graph_is_in_the_json(void **state) {
    (void)state;
    const said *s = RUN("check", place_of_source("/scenarios/five_bar.yaml"), "--set", "dynamics={cut: [A, F]}", "--json");
    assert_int_equal(s->code, 0);
    assert_non_null(strstr(s->out, "\"graph\": {\"n_parts\": 1, \"n_floating_parts\": 0, \"n_loops\": 2, \"bodies\": ["));
    assert_non_null(strstr(s->out, "{\"name\": \"crank_a\", \"label\": 3, \"inboard\": 2, \"joint\": \"D\", \"is_reversed\": true, "
                                   "\"depth\": 3, \"n_branch\": 1}"));
    assert_non_null(strstr(s->out, "{\"joint\": \"A\", \"parent\": 0, \"child\": 3, \"n_rows\": 2, \"reason\": \"asked\"}"));
    s = RUN("check", place_of_source("/scenarios/five_bar.yaml"), "--set", "dynamics={cut: [A]}");
    assert_int_equal(s->code, 2);
    assert_non_null(strstr(s->err, "'dynamics.cut' leaves a loop: joints 'C', 'B', 'E', 'F'"));
    s = RUN("check", place_of_source("/scenarios/pendulum.yaml"), "--json");
    assert_non_null(strstr(s->out, "\"cuts\": []"));
}

/* What planning refuses has the place of the override that asks for it, not that of what it has replaced. */
static void overrides_are_named_where_planning_refuses_them(void **state) {
    (void)state;
    const char *const pendulum = place_of_source("/scenarios/pendulum.yaml");
    static const struct {
        const char *set[2], *expected;
    } cases[] = {
        {{"dynamics.cut=[A]", NULL}, "--set:1:15: error: with joint 'A' cut"},
        {{"bodies.rod.inertia=0", "joints=[]"}, "--set:1:20: error: the inertia of body 'rod' leaves"},
        {{"name=other", "bodies.rod.mass=1e-320"}, "--set:1:17: error: the mass of body 'rod' is"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        said *s = cases[i].set[1] ? RUN("check", pendulum, "--set", cases[i].set[0], "--set", cases[i].set[1])
                                  : RUN("check", pendulum, "--set", cases[i].set[0]);
        assert_int_equal(s->code, 2);
        if (strncmp(s->err, cases[i].expected, strlen(cases[i].expected)) != 0)
            fail_msg("expected %s, said %s", cases[i].expected, s->err);
    }
}

/* Numbers that are finite each and make others that are not, or points that are one to all digits: whose they are. */
static void who_has_numbers_without_a_meaning_is_named(void **state) {
    (void)state;
    static const struct {
        const char *file, *setting, *place, *words;
    } cases[] = {
        {"/scenarios/groove_cam.yaml", "parameters.R=1e300", "groove_cam.yaml:15:5: error: ", "the numbers of constraint 'groove'"},
        {"/scenarios/bead_on_curve.yaml", "constraints.wire.points.15.2=1e18",
         "bead_on_curve.yaml:16:5: error: ", "the numbers of constraint 'wire'"},
        {"/scenarios/heavy_top.yaml", "bodies.top.inertia.2=5e-324",
         "--set:1:22: error: ", "the inertia of body 'top' is 4.94066e-324"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const said *s = RUN("check", place_of_source(cases[i].file), "--set", cases[i].setting);
        assert_int_equal(s->code, 2);
        if (strstr(s->err, cases[i].place) == NULL || strstr(s->err, cases[i].words) == NULL)
            fail_msg("%s: %s", cases[i].setting, s->err);
    }
}

/* One body with such a number hides no other one's. */
static void every_body_that_cannot_be_divided_by_is_named(void **state) {
    (void)state;
    const said *s = RUN("check", place_of_source("/scenarios/five_bar.yaml"), "--set", "bodies.crank_a.inertia=1e-320", "--set",
                        "bodies.crank_b.inertia=1e-320", "--set", "bodies.coupler.mass=1e-320");
    assert_int_equal(s->code, 2);
    assert_non_null(strstr(s->err, "the inertia of body 'crank_a' is"));
    assert_non_null(strstr(s->err, "the inertia of body 'crank_b' is"));
    assert_non_null(strstr(s->err, "the mass of body 'coupler' is"));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_plan_is_the_same_on_all_processors),
                                       cmocka_unit_test(the_graph_is_in_the_json),
                                       cmocka_unit_test(a_mass_that_cannot_be_divided_by_is_named),
                                       cmocka_unit_test(every_body_that_cannot_be_divided_by_is_named),
                                       cmocka_unit_test(who_has_numbers_without_a_meaning_is_named),
                                       cmocka_unit_test(overrides_are_named_where_planning_refuses_them)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

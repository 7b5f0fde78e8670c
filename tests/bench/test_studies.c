/* The studies of S5's question run, pass their own gates and print the paper's figures beside theirs. */
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "cli/program.h"
#include "sarrus/compare.h"
#include "tests/support/case_choice.h"
#include "tests/support/place.h"

static void says(const said *s, const char *text) {
    if (strstr(s->out, text) == NULL)
        fail_msg("expected '%s' in: %s", text, s->out);
}

/* Table 6 and the sums of Tables 2 to 5 as printed, what executing (31) really takes, and the one table that does not add up. */
static void operations_are_counted_beside_the_paper(void **state) {
    (void)state;
    const said *s = RUN("bench", "s5-study", "--tables", "1-6", "--scenarios", place_of_source("/scenarios"));
    assert_int_equal(s->code, 0);
    /* (31): 2n² for J a_f, n for γ − J a_f and 2n² for the last product are 2mn, m and 2mn */
    says(s, "(31) Udwadia, Kalaba 1996          2     3        573        573        573        560 ");
    says(s, "(31) Udwadia, Kalaba 1996         19    28     421568     421568     421568     420551 ");
    says(s, "(35) of the paper                 15    18     119853     119853     119853 ");
    says(s, "(41) of the paper                 19    28     968772     968772     968772 ");
    /* (43): Table 5 holds 9n³ more than Tables 1 and 6 */
    says(s, "(43) Udwadia, Phohomsiri 2006      2     3       1218       1218       1461 ");
    says(s, "8 m2n + 26 mn2 + 23 n3 + 2 mn + 2 n2 + 1 n     8 m2n + 26 mn2 + 32 n3 + 2 mn + 2 n2 + 1 n");
    assert_null(strstr(s->out, "FAILED"));
}

static void short_runs_pass_their_gates(void **state) {
    (void)state;
    if (cases_are_few()) /* the same runs as below */
        skip();
    const said *s = RUN("bench", "s5-study", "--tables", "7-12", "--quick", "--scenarios", place_of_source("/scenarios"));
    if (s->code != 0)
        fail_msg("exit code %d: %s%s", s->code, s->out, s->err);
    says(s, "Table 8: TOL 1e-08, no stabilisation; rank auto");
    says(s, "(1) After 12.07 s of correct simulation");
    says(s, "80197458"); /* the paper's evaluations, Table 11 */
    assert_null(strstr(s->out, "FAILED"));
}

static void runs_are_read_by_programs(void **state) {
    (void)state;
    const said *s = RUN("bench", "s5-study", "--tables", "7-12", "--quick", "--json", "--scenarios", place_of_source("/scenarios"));
    assert_int_equal(s->code, 0);
    assert_int_equal(s->out[0], '{');
    says(s, "\"benchmark\": \"s5-study\"");
    says(s, "\"gate\": \"ok\"");
}

static void stabilisations_pass_their_gates(void **state) {
    (void)state;
    const said *s = RUN("bench", "stabilisation", "--quick", "--scenarios", place_of_source("/scenarios"));
    if (s->code != 0)
        fail_msg("exit code %d: %s%s", s->code, s->out, s->err);
    says(s, "Baumgarte by the step");
    says(s, "slider-crank, 2 s");
}

/* The verdict on the run of the JSON report that begins with `row`. */
static void verdict_is(const said *s, const char *row, const char *verdict) {
    const char *begin = strstr(s->out, row);
    if (begin == NULL)
        fail_msg("no %s in: %s", row, s->out);
    const char *key = "\"verdict\": \"";
    const char *found = strstr(begin, key);
    assert_non_null(found);
    found += strlen(key);
    if (strncmp(found, verdict, strlen(verdict)) != 0)
        fail_msg("%s: expected '%s', found '%.16s'", row, verdict, found);
}

/* Straight on without an asymmetry, round the bend with one that everybody sees; a locked mechanism is not run. The table's lengths
 * are those that are drawn, and a program learns from the exit code whether anything is silently wrong. */
static void change_points_are_judged(void **state) {
    (void)state;
    static const char *const mechanisms[] = {"four-bar", "four-bar-coupler", "chain", "slider-crank", "kite"};
    const said *s = RUN("bench", "change-points", "--quick", "--json", "--scenarios", place_of_source("/scenarios"));
    char row[160];
    assert_int_equal(s->code, 0); /* nothing wrong without a word */
    says(s, "\"foreign_draws\": 0");
    for (int i = 0; i < 5; ++i) {
        for (int has_asymmetry = 0; has_asymmetry < 2; ++has_asymmetry) {
            snprintf(row, sizeof row, "{\"mechanism\": \"%s\", \"delta\": \"%s\", \"integrator\": \"verner65\", \"pinv\": \"auto\"",
                     mechanisms[i], has_asymmetry ? "1e-3" : "0");
            verdict_is(s, row, "right");
        }
    }
    verdict_is(s, "{\"mechanism\": \"five-bar\", \"delta\": \"0\", \"integrator\": \"rk4\", \"pinv\": \"auto\"", "right");
    verdict_is(s, "{\"mechanism\": \"five-bar\", \"delta\": \"1e-3\", \"integrator\": \"rk4\", \"pinv\": \"auto\"", "refused");
    const char *key = "\"silently wrong\": ";
    const char *count = strstr(s->out, key); /* the first summary is that of all runs */
    assert_non_null(count);
    assert_int_equal(s->code, count[strlen(key)] == '0' ? 0 : 1);
}

static void bad_usage_is_refused(void **state) {
    (void)state;
    assert_int_equal(RUN("bench", "s5-study", "--tables", "1-12")->code, 2);
    assert_int_equal(RUN("bench", "s5-study", "--angle")->code, 2);
    assert_int_equal(RUN("bench", "s5-study", "--angle", "nan")->code, 2);
    assert_int_equal(RUN("bench", "defalco", "--angle", "nan")->code, 2); /* its former name */
    assert_int_equal(RUN("bench", "stabilisation", "--slow")->code, 2);
    assert_int_equal(RUN("bench", "change-points", "--slow")->code, 2);
    assert_int_equal(RUN("bench", "change-points", "--scenarios", "/nowhere")->code, 3);
    assert_int_equal(RUN("bench", "s5-study", "--scenarios", "/nowhere")->code, 3);
}

/* `sarrus compare` has the formulas of Table 1 as they are printed: Table 6 at its m and n, and the study's sums on the
 * five-bar. */
static void the_comparison_counts_as_the_paper(void **state) {
    (void)state;
    static const int shapes[3][2] = {{2, 3}, {15, 18}, {19, 28}};
    static const struct {
        sarrus_formulation formulation;
        const char *equation;
        double table_6[3], lines; /* lines: m = n = 12 */
    } printed[] = {{SARRUS_FORMULATION_UDWADIA_KALABA, "(31)", {573, 129024, 421568}, 44112},
                   {SARRUS_FORMULATION_UDWADIA_PHOHOMSIRI, "(43)", {1218, 294102, 975716}, 114636},
                   {SARRUS_FORMULATION_PSEUDO_RANGE, "(35)", {399, 119853, 288211}, 54468},
                   {SARRUS_FORMULATION_NULL_SPACE, "(41)", {1227, 274158, 968772}, 87012}};
    for (size_t i = 0; i < sizeof printed / sizeof printed[0]; ++i) {
        for (int k = 0; k < 3; ++k) {
            const sarrus_compare_paper paper = sarrus_compare_paper_of(printed[i].formulation, shapes[k][0], shapes[k][1]);
            assert_true(paper.table_1 == printed[i].table_6[k]);
            assert_string_equal(paper.equation, printed[i].equation);
        }
        assert_true(sarrus_compare_paper_of(printed[i].formulation, 12, 12).lines == printed[i].lines);
    }
    assert_string_equal(sarrus_compare_paper_of(SARRUS_FORMULATION_SADDLE, 12, 12).equation, "");
    assert_true(isnan(sarrus_compare_paper_of(SARRUS_FORMULATION_SADDLE, 12, 12).table_1));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operations_are_counted_beside_the_paper),
        cmocka_unit_test(the_comparison_counts_as_the_paper),
        cmocka_unit_test(short_runs_pass_their_gates),
        cmocka_unit_test(runs_are_read_by_programs),
        cmocka_unit_test(stabilisations_pass_their_gates),
        cmocka_unit_test(change_points_are_judged),
        cmocka_unit_test(bad_usage_is_refused),
    };
    return cmocka_run_group_tests(tests, folder_enter, folder_leave);
}

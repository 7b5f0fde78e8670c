/* What the closing summary says about the work that was done. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "edge/json.h"
#include "cli/size_text.c" /* the program's own sources are in no library */
#include "cli/summary.c"
#include "sarrus/sarrus.h"

static const char scenario[] = "sarrus: 1\nname: two\nspace: planar\nbodies: [{name: a, mass: 1, inertia: 1, position: [0, 0]}]\n"
                               "joints: []\nintegrator: {method: rk4, dt: 1e-3, t_end: 1}\n";

typedef void print_function(const sarrus_summary_text *text, const sarrus_run_summary *summary, FILE *stream);

/* What is printed; to be freed. */
static char *printed_of(print_function *print, const sarrus_run_summary *summary, const sarrus_override *overrides,
                        size_t n_overrides) {
    sarrus_context *context = NULL;
    sarrus_model *model = NULL;
    char *said = NULL;
    size_t n_said = 0;
    assert_int_equal(sarrus_context_create(&context), SARRUS_OK);
    assert_int_equal(sarrus_scenario_read_text(context, "s", scenario, strlen(scenario), overrides, n_overrides, &model),
                     SARRUS_OK);
    FILE *stream = open_memstream(&said, &n_said);
    assert_non_null(stream);
    const sarrus_summary_text text = {.scenario = "s", .output = "o.h5", .model = model, .is_complete = true};
    print(&text, summary, stream);
    assert_int_equal(fclose(stream), 0);
    sarrus_model_destroy(model);
    sarrus_context_destroy(context);
    return said;
}

static char *printed(print_function *print, const sarrus_run_summary *summary) {
    return printed_of(print, summary, NULL, 0);
}

static const sarrus_run_summary adaptive = {
    .n_instances = 2,
    .n_study = 2,
    .n_steps = 100,
    .t_end = 1.0,
    .is_adaptive = 1,
    .steps = {.total = 2469, .most = 1300, .mean = 1234.5},
    .rejections = {.total = 3, .most = 2, .mean = 1.5},
    .evaluations = {.total = 17283, .most = 9100, .mean = 8641.5},
    .rank_changes = {.total = 1, .most = 1, .mean = 0.5},
};

static void adaptive_steps_are_told(void **state) {
    (void)state;
    char *said = printed(sarrus_summary_print, &adaptive);
    assert_non_null(strstr(said, "two: 2 instances, t = 1 s\n")); /* the 100 intervals of its grid are no steps */
    assert_non_null(strstr(said, "  steps        1,235 an instance, at most 1,300\n"));
    assert_non_null(strstr(said, "  rejections   2 an instance, at most 2\n"));
    assert_non_null(strstr(said, "  evaluations  8,642 an instance, at most 9,100\n"));
    assert_non_null(strstr(said, "  rank         1 change\n"));
    free(said);
    said = printed(sarrus_summary_print_json, &adaptive);
    assert_non_null(strstr(said, "\"is_adaptive\": true, \"steps\": {\"total\": 2469, \"mean\": 1234.5, \"max\": 1300}, "
                                 "\"rejections\": {\"total\": 3, \"mean\": 1.5, \"max\": 2}"));
    free(said);
    said = printed(sarrus_summary_warn, &adaptive);
    assert_string_equal(said, "sarrus: warning: the rank of the constraints changed 1 time (singular configurations)\n");
    free(said);
}

static void fixed_steps_need_one_word(void **state) {
    (void)state;
    sarrus_run_summary fixed = adaptive;
    fixed.is_adaptive = 0;
    fixed.rank_changes = (sarrus_run_count){0};
    char *said = printed(sarrus_summary_print, &fixed);
    assert_non_null(strstr(said, "two: 2 instances, 100 steps, t = 1 s\n"));
    assert_null(strstr(said, "evaluations"));
    assert_null(strstr(said, "rank"));
    free(said);
}

static void the_kernels_are_told(void **state) {
    (void)state;
    static const struct {
        sarrus_specialization kernels;
        const char *line;
    } cases[] = {
        {{.state = SARRUS_SPECIALIZATION_READY, .compile_seconds = 1.42, .ready_seconds = 1.51, .step_share = 0.963},
         "  kernels      specialized, compiled in 1.4 s, used after 1.5 s for 96.3 % of the steps\n"},
        {{.state = SARRUS_SPECIALIZATION_READY, .is_from_cache = 1, .step_share = 1.0},
         "  kernels      specialized, from the cache\n"},
        {{.state = SARRUS_SPECIALIZATION_READY, .is_from_cache = 1, .note = "why"},
         "  kernels      specialized, from the cache; why\n"},
        {{.state = SARRUS_SPECIALIZATION_COMPILING}, "  kernels      generic: the run ended before they were compiled\n"},
        {{.state = SARRUS_SPECIALIZATION_UNSUPPORTED, .note = "too large"}, "  kernels      generic: too large\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        sarrus_run_summary summary = adaptive;
        summary.specialization = cases[i].kernels;
        char *said = printed(sarrus_summary_print, &summary);
        if (strstr(said, cases[i].line) == NULL)
            fail_msg("no line '%s' in\n%s", cases[i].line, said);
        free(said);
    }
    char *said = printed(sarrus_summary_print, &adaptive);
    assert_null(strstr(said, "kernels"));
    free(said);
}

static void what_the_library_did_is_told(void **state) {
    (void)state;
    sarrus_run_summary summary = adaptive;
    summary.n_library_matrices = 1234567;
    char *said = printed(sarrus_summary_print, &summary);
    assert_non_null(strstr(said, "\n  library      1,234,567 matrices by cuSOLVER, none of them again by the native SVD\n"));
    free(said);
    summary.n_library_refused = 4321;
    said = printed(sarrus_summary_print, &summary);
    assert_non_null(strstr(said, "\n  library      1,234,567 matrices by cuSOLVER, 4,321 of them again by the native SVD\n"));
    free(said);
    said = printed(sarrus_summary_print_json, &summary);
    assert_non_null(strstr(said, "\"library\": {\"n_matrices\": 1234567, \"n_refused\": 4321}"));
    free(said);
    said = printed(sarrus_summary_print, &adaptive);
    assert_null(strstr(said, "library"));
    free(said);
}

/* Advice depends on the model: none is given that it follows already. */
static void advice_is_what_can_help(void **state) {
    (void)state;
    const sarrus_run_summary open = {.n_instances = 1, .max_position_error = 0.5, .max_violation = 0.5};
    static const struct {
        const char *integrator, *dynamics, *said, *not_said;
    } cases[] = {
        {"{method: rk4, dt: 1e-3, t_end: 1}", "{projection: every_step}", "where a dt below 0.001 s would help\n", "every_step"},
        {"{method: rk4, dt: 1e-3, t_end: 1}", "{projection: none}",
         "a dt below 0.001 s, baumgarte's gains or 'projection: every_step' would help\n", "larger"},
        {"{method: rk4, dt: 1e-3, t_end: 1}", "{baumgarte: {alpha: 5, beta: 5}}",
         "larger gains or 'projection: every_step' would help\n", "baumgarte's"},
        {"{method: rk4, dt: 1e-3, t_end: 1}", "{projection: {tolerance: 0.6}}", "the projection tolerance allows 0.6\n", "dt"},
        {"{method: rk4, dt: 1e-3, t_end: 1}", "{projection: {tolerance: 0.1}}", "projection could not close the loops", "allows"},
        {"{method: dopri5, dt: 1e-3, t_end: 1, rtol: 1e-7, atol: 1e-9}", "{projection: none}",
         "; rtol and atol below 1e-07 and 1e-09, ", "dt"},
        {"{method: semi-implicit, dt: 1e-3, t_end: 1}", "{projection: none}", "; the method rk4 or a dt below 0.001 s, ", "rtol"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const sarrus_override overrides[] = {{"integrator", cases[i].integrator}, {"dynamics", cases[i].dynamics}};
        char *said = printed_of(sarrus_summary_warn, &open, overrides, 2);
        if (strstr(said, "by up to 0.5") == NULL || strstr(said, cases[i].said) == NULL || strstr(said, cases[i].not_said) != NULL)
            fail_msg("'%s', not '%s', was expected in\n%s", cases[i].said, cases[i].not_said, said);
        free(said);
    }
    sarrus_run_summary diverged = {.n_instances = 1, .n_failed = 1};
    diverged.n_failed_by_status[SARRUS_INSTANCE_DIVERGED] = 1;
    char *said = printed(sarrus_summary_warn, &diverged); /* projected at every step by default */
    assert_non_null(strstr(said, "instances diverged; a dt below 0.001 s would help\n"));
    assert_null(strstr(said, "every_step"));
    free(said);
    const sarrus_override none = {"dynamics", "{projection: none}"};
    said = printed_of(sarrus_summary_warn, &diverged, &none, 1);
    assert_non_null(strstr(said, "'projection: every_step' does\n"));
    free(said);
}

/* Each limit that was broken has its own advice. */
static void broken_limits_are_told(void **state) {
    (void)state;
    static const struct {
        sarrus_instance_status status;
        const char *integrator, *said;
    } cases[] = {
        {SARRUS_INSTANCE_CONSTRAINT_VIOLATED, "{method: rk4, dt: 1e-3, t_end: 1}",
         "loops came open; projection could not close the loops: drives that cannot be followed"},
        {SARRUS_INSTANCE_ENERGY_MISMATCH, "{method: rk4, dt: 1e-3, t_end: 1}",
         "the energy of instances came out of balance; a dt below 0.001 s would help\n"},
        {SARRUS_INSTANCE_UNRESOLVED, "{method: rk4, dt: 1e-3, t_end: 1}",
         "motions could not be followed, most likely near change points; an adaptive method such as dopri5 would help\n"},
        {SARRUS_INSTANCE_UNRESOLVED, "{method: rk4, dt: 1e-3, t_end: 1, substeps: off}",
         "motions bent within less than a step, or could not be followed near change points; an adaptive method such as dopri5, or "
         "'substeps: auto', would help\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const sarrus_override override = {"integrator", cases[i].integrator};
        sarrus_run_summary failed = {
            .n_instances = 1, .n_failed = 1, .max_violation = (double)NAN, .max_energy_error = (double)NAN};
        failed.n_failed_by_status[cases[i].status] = 1;
        char *said = printed_of(sarrus_summary_warn, &failed, &override, 1);
        if (strstr(said, cases[i].said) == NULL)
            fail_msg("'%s' was expected in\n%s", cases[i].said, said);
        free(said);
    }
    sarrus_run_summary errors = {.n_instances = 2, .n_failed = 2, .n_over_error_limit = 2, .max_violation = (double)NAN};
    errors.n_failed_by_status[SARRUS_INSTANCE_UNRESOLVED] = 2;
    const sarrus_override whole = {"integrator", "{method: rk4, dt: 1e-3, t_end: 1, substeps: off}"};
    char *said = printed_of(sarrus_summary_warn, &errors, &whole, 1); /* of change points nobody knows anything */
    assert_non_null(
        strstr(said, "the estimated errors of steps added up to more than limits.error; a dt below 0.001 s, 'substeps: auto' or"));
    assert_null(strstr(said, "change point"));
    free(said);
    sarrus_run_summary off = {.n_instances = 1, .max_energy_error = 0.02};
    said = printed(sarrus_summary_warn, &off); /* a limit that is off hides nothing */
    assert_string_equal(said, "sarrus: warning: the energy is out of balance by up to 0.02; a dt below 0.001 s would help\n");
    free(said);
}

/* The verdict of a run is told whatever is observed. */
static void the_verdict_is_told(void **state) {
    (void)state;
    sarrus_run_summary summary = adaptive;
    summary.max_violation = 2.5e-16;
    summary.max_energy_error = 3e-9;
    summary.nearest_change_point = 0.031;
    summary.nearest_change_point_time = 1.25;
    summary.nearest_change_point_instance = 1;
    summary.max_position_error = summary.max_velocity_error = (double)NAN;
    char *said = printed(sarrus_summary_print, &summary);
    assert_non_null(strstr(said, "  constraints  open by at most 2.5e-16 of the size\n  energy       balanced to 3e-09\n"
                                 "  change point as near as 0.031 of an ordinary distance at t = 1.25 s, instance 1\n"));
    free(said);
    summary.max_position_error = 1e-15;
    summary.max_velocity_error = 2e-15;
    said = printed(sarrus_summary_print, &summary);
    assert_non_null(strstr(said, "of the size; at outputs position error 1e-15, velocity error 2e-15\n"));
    free(said);
    said = printed(sarrus_summary_print_json, &summary);
    assert_non_null(strstr(said, "\"max_energy_error\": 3"));
    assert_non_null(strstr(said, "\"nearest_change_point_time\": 1.25, \"nearest_change_point_instance\": 1"));
    free(said);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(adaptive_steps_are_told), cmocka_unit_test(fixed_steps_need_one_word),
                                       cmocka_unit_test(the_kernels_are_told),    cmocka_unit_test(what_the_library_did_is_told),
                                       cmocka_unit_test(advice_is_what_can_help), cmocka_unit_test(broken_limits_are_told),
                                       cmocka_unit_test(the_verdict_is_told)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

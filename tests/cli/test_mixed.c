/* Documents of several scenarios on the command line: what run, check and info say of them, and which options do not fit. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <sys/resource.h>

#include "bench/plan/scenarios.h"
#include "cli/program.h"
#include "tests/support/sanitized.h"

#define ROD(name)                                                                                                                  \
    "sarrus: 1\nname: " name "\nspace: planar\nparameters: {k: 0.0}\n"                                                             \
    "bodies: [{name: rod, mass: 1, inertia: 0.1, position: [0.5, 0]}]\n"                                                           \
    "joints: [{name: A, type: revolute, bodies: [ground, rod], at: [0, 0], stiffness: \"=k\"}]\n"                                  \
    "dynamics: {formulation: udwadia-kalaba}\nintegrator: {dt: 1, t_end: 1}\n"

/* The springs of the first push, so that some of its instances diverge; those of the second do not. */
static int enter(void **state) {
    if (folder_enter(state) != 0 || mkdir("parts", 0700) != 0)
        return -1;
    file_write("parts/pushed.yaml",
               ROD("pushed") "batch: {instances: 12, seed: 2, parameters: [{name: k, distribution: uniform, low: -2.0e+4, "
                             "high: 1.0e+4}]}\n");
    file_write("parts/calm.yaml", ROD("calm") "batch: {instances: 3}\n");
    file_write("parts/locked.yaml", "sarrus: 1\nspace: planar\nbodies: [{name: rod, mass: 1, inertia: 0.1, position: [1, 0]}]\n"
                                    "joints:\n  - {name: A, type: fixed, bodies: [ground, rod], at: [0, 0]}\n"
                                    "  - {name: D, type: distance, bodies: [ground, rod], at: [[0, 0], [1, 0]], length: 3}\n"
                                    "integrator: {t_end: 1}\n");
    file_write("both.yaml", "sarrus: 1\nname: both\nscenarios:\n  - {file: parts/calm.yaml}\n  - {file: parts/pushed.yaml}\n"
                            "integrator: {method: rk4, dt: 1.0e-3, t_end: 0.3}\noutput: {every: 7}\n");
    file_write("locked.yaml", "sarrus: 1\nscenarios:\n  - {file: parts/calm.yaml}\n  - {file: parts/locked.yaml}\n"
                              "integrator: {method: rk4, dt: 1.0e-3, t_end: 0.3}\n");
    return 0;
}

static void says(const char *text, const char *words) {
    if (strstr(text, words) == NULL)
        fail_msg("no '%s' in: %s", words, text);
}

static void refused(const said *s, const char *words) {
    assert_int_equal(s->code, 2);
    assert_string_equal(s->out, "");
    says(s->err, words);
    assert_false(file_exists("both.h5") || file_exists("locked.h5"));
}

static void options_that_do_not_fit_are_refused(void **state) {
    (void)state;
    refused(RUN("run", "both.yaml", "--instances", "3"),
            "--instances: the document has 2 scenarios, each with a number of its own; expected --set scenarios.0.instances=3");
    refused(RUN("run", "both.yaml", "--instance", "3"), "expected the number of one and of its instance, as 0/3");
    refused(RUN("run", "both.yaml", "--instance", "2/0"), "--instance 2/0: the document has 2 scenarios; a number from 0 to 1");
    refused(RUN("run", "both.yaml", "--instance", "1/12"), "--instance 1/12: the study has 12 instances; a number from 0 to 11");
    refused(RUN("run", "parts/calm.yaml", "--instance", "0/1"), "the file is one scenario; expected --instance 1");
    static const char *const bad[] = {"/1", "1/", "/", "1/2/3", "a/1", "1/a", "-1/1", "1/ 1", "99999999999999999999999999/1"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i)
        refused(RUN("run", "both.yaml", "--instance", bad[i]), "--instance needs a whole number");
    refused(RUN("run", "both.yaml", "--set", "batch.seed=3"), "--set:1:1: error: 'batch' beside 'scenarios'");
    refused(RUN("run", "both.yaml", "--set", "0.output.every=3"), "--set:1:3: error: '0.output.every' is common to all");
    refused(RUN("run", "both.yaml", "--set", "scenarios.1.file=parts/none.yaml"),
            "--set:1:18: error: cannot read 'parts/none.yaml': No such file or directory");
    refused(RUN("run", "locked.yaml"), "group 1, parts/locked.yaml:");
}

static void what_cannot_work_is_told_with_its_group(void **state) {
    (void)state;
    const said *s = RUN("check", "locked.yaml");
    assert_int_equal(s->code, 2);
    assert_string_equal(s->out, "");
    says(s->err, "group 1, parts/locked.yaml:");
}

/* What is short of memory is the run: its sum is told, and which group is to be made smaller. */
static void what_needs_most_of_the_memory_is_told(void **state) {
    (void)state;
    const said *s =
        RUN("run", "both.yaml", "--set", "scenarios.0.instances=10000000000", "--set", "scenarios.1.instances=10000000");
    assert_int_equal(s->code, 3);
    says(s->err, "error: the state of all groups needs about ");
    says(s->err, " TB, most of it (");
    says(s->err, " TB) group 0, 'parts/calm.yaml', and ");
    s = RUN("run", "both.yaml", "--set", "scenarios.1.instances=10000000000");
    says(s->err, " TB) group 1, 'parts/pushed.yaml', and ");
    assert_false(file_exists("both.h5"));
}

/* The datasets of the reactions of 150 pins do, and the others' do not. */
static void which_results_need_most_is_told(void **state) {
    (void)state;
    struct rlimit before;
    int n_told = 0;
    if (IS_SANITIZED)
        skip();
    FILE *file = fopen("parts/row.yaml", "w");
    assert_non_null(file);
    sarrus_bench_ladder_write(file, 150);
    assert_int_equal(fclose(file), 0);
    file_write("wide.yaml", "sarrus: 1\nscenarios:\n  - {file: parts/calm.yaml}\n  - {file: parts/row.yaml}\n"
                            "integrator: {method: rk4, dt: 1.0e-3, t_end: 2.0e-3}\n"
                            "output: {interval: 1.0e-3, channels: [state, reactions]}\n");
    assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
    for (rlim_t megabytes = 120; megabytes <= 320 && n_told == 0; megabytes += 8) {
        assert_int_equal(setrlimit(RLIMIT_AS, &(struct rlimit){megabytes << 20, before.rlim_max}), 0);
        const said *s = RUN("run", "wide.yaml", "--quiet", "--specialize", "off", "--threads", "2");
        assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
        if (strstr(s->err, "error: writing the results of all groups needs about ") == NULL)
            continue;
        ++n_told;
        assert_int_equal(s->code, 3);
        says(s->err, " MB) group 1, 'parts/row.yaml', and the limit on address space (ulimit -v) leaves ");
    }
    assert_int_equal(n_told, 1);
}

static void the_summary_is_of_all_and_of_each(void **state) {
    (void)state;
    const said *s = RUN("run", "both.yaml", "-o", "r.h5", "--threads", "1");
    assert_int_equal(s->code, 1);
    says(s->out, "both: 15 instances, 2 groups, 300 steps, t = 0.3 s\n");
    says(s->out, "first instance 1/1, t = ");
    says(s->out, "  group /0     parts/calm.yaml: 3 instances, none failed\n");
    says(s->out, "  group /1     parts/pushed.yaml: 12 instances, 9 failed\n");
    says(s->err, "9 of 15 instances failed");
    says(s->err, "instance 1/1 step by step: sarrus run both.yaml --instance 1/1\n");
    says(s->err, "sarrus: warning: group 1: ");
    assert_null(strstr(s->err, "group 0: "));
    s = RUN("info", "r.h5");
    assert_int_equal(s->code, 0);
    says(s->out, "  groups     2, with 15 instances, failed 9\n");
    says(s->out, "group /1: parts/pushed.yaml\n");
    s = RUN("run", "both.yaml", "-o", "r.h5", "--no-clobber");
    assert_int_equal(s->code, 2);
    says(s->err, "this file is a complete result, and is not to be replaced");
}

static void a_replay_is_of_one_instance_of_one_group(void **state) {
    (void)state;
    const said *s = RUN("run", "both.yaml", "--instance", "1/2");
    assert_int_equal(s->code, 1);
    says(s->out, "pushed: instance 1/2 of 12 again");
    says(s->err, "warning: instance 1/2 failed at t = ");
    s = RUN("info", "both.instance_1_2.h5");
    assert_int_equal(s->code, 0);
    says(s->out, "  group      1 of the study: parts/pushed.yaml\n");
    says(RUN("info", "both.instance_1_2.h5", "--json")->out, "\"study_group\": 1, \"study_group_file\": \"parts/pushed.yaml\", ");
    s = RUN("run", "both.yaml", "--instance", "0/2", "--quiet");
    assert_int_equal(s->code, 0);
    says(RUN("info", "both.instance_0_2.h5")->out, "  group      0 of the study: parts/calm.yaml\n");
    assert_int_equal(RUN("run", "parts/calm.yaml", "--instance", "2", "--quiet")->code, 0);
    assert_null(strstr(RUN("info", "calm.instance_2.h5")->out, "  group "));
    says(RUN("info", "calm.instance_2.h5", "--json")->out, "\"study_group\": null, \"study_group_file\": null, ");
}

static void every_scenario_is_checked(void **state) {
    (void)state;
    const said *s = RUN("check", "both.yaml");
    assert_int_equal(s->code, 0);
    says(s->out, "Group 0: parts/calm.yaml, 3 instances\n");
    says(s->out, "\nGroup 1: parts/pushed.yaml, 12 instances\n");
    s = RUN("check", "both.yaml", "--json", "--set", "scenarios.0.instances=4");
    says(s->out, "{\"scenario\": \"both.yaml\", \"name\": \"both\", \"groups\": [{\"scenario\": \"parts/calm.yaml\"");
    says(s->out, "\"n_instances\": 4,");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_that_do_not_fit_are_refused),
        cmocka_unit_test(what_cannot_work_is_told_with_its_group),
        cmocka_unit_test(what_needs_most_of_the_memory_is_told),
        cmocka_unit_test(which_results_need_most_is_told),
        cmocka_unit_test(the_summary_is_of_all_and_of_each),
        cmocka_unit_test(a_replay_is_of_one_instance_of_one_group),
        cmocka_unit_test(every_scenario_is_checked),
    };
    return cmocka_run_group_tests(tests, enter, folder_leave);
}

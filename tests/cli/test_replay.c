/* `run --instance`: what it is called, what it says, what it refuses; and that a failed run says how to see why. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "cli/program.h"
#include "tests/support/replay_rows.h"

/* Springs that push go faster than steps can follow, each from its own time on; positive ones do not. */
static const char scenario[] =
    "sarrus: 1\n"
    "name: pushed\n"
    "space: planar\n"
    "gravity: [0, -9.81]\n"
    "parameters: {k: 0.0}\n"
    "bodies: [{name: rod, mass: 1, inertia: 0.1, position: [0.5, 0]}]\n"
    "joints: [{name: A, type: revolute, bodies: [ground, rod], at: [0, 0], stiffness: \"=k\"}]\n"
    "dynamics: {formulation: udwadia-kalaba}\n" /* what spins too fast for its steps ends there as unresolved */
    "integrator: {method: rk4, dt: 1.0e-3, t_end: 0.3}\n"
    "batch: {instances: 12, seed: 2, parameters: [{name: k, distribution: uniform, low: -2.0e+4, high: 1.0e+4}]}\n"
    "output: {every: 7, channels: [state, energy, constraint, rank]}\n";

static int group_enter(void **state) {
    if (folder_enter(state) != 0)
        return -1;
    file_write("pushed.yaml", scenario);
    file_write("it's mine.yaml", scenario);
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
}

static void numbers_of_no_instance_are_refused(void **state) {
    (void)state;
    static const char *const bad[] = {"", "-1", "+1", "1.0", "1e1", "one", "0x1", "18446744073709551616"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i)
        refused(RUN("run", "pushed.yaml", "--instance", bad[i]), "--instance needs a whole number from 0");
    refused(RUN("run", "pushed.yaml", "--instance", "12"),
            "--instance 12: the study has 12 instances; a number from 0 to 11 was expected");
    refused(RUN("run", "pushed.yaml", "--instances", "3", "--instance", "3"), "the study has 3 instances");
    refused(RUN("run", "pushed.yaml", "--instances", "1", "--instance", "1"), "the study has 1 instance; a number from 0 to 0");
    refused(RUN("run", "pushed.yaml", "--instance", "1", "--devices", "2"), "one instance runs on one device");
    refused(RUN("run", "pushed.yaml", "--instance"), "option '--instance' needs a value");
    assert_false(file_exists("pushed.h5") || file_exists("pushed.instance_12.h5") || file_exists("pushed.instance_3.h5"));
    assert_int_equal(RUN("run", "pushed.yaml", "--instances", "20", "--instance", "19", "--quiet")->code & ~1, 0);
    assert_true(file_exists("pushed.instance_19.h5"));
}

/* The instance behind "instance " in a summary's line of a failure. */
static uint64_t instance_of(const char *text) {
    const char *at = strstr(text, "instance ");
    assert_non_null(at);
    return strtoull(at + strlen("instance "), NULL, 10);
}

/* The command stands on standard error in words that a shell takes; it is done as it stands, but for the program's place. */
static void the_command_that_is_told_works(void **state) {
    (void)state;
    char command[4096], path[512], study[] = "it's mine.h5";
    const said *s = RUN("run", "it's mine.yaml", "--set", "name=it's $HOME", "--set", "integrator.t_end=0.2", "--seed", "5",
                        "--instances", "9", "--threads", "1");
    assert_int_equal(s->code, 1);
    says(s->out, " unresolved: ");
    says(s->out, " (first instance ");
    const char *told = strstr(s->err, "step by step: sarrus ");
    assert_non_null(told);
    told += strlen("step by step: sarrus ");
    says(told,
         "run 'it'\\''s mine.yaml' --set 'name=it'\\''s $HOME' --set integrator.t_end=0.2 --instances 9 --seed 5 --instance ");
    const uint64_t i = instance_of(strstr(s->out, "(first instance "));
    snprintf(command, sizeof command, "'%s' %.*s > stdout.txt 2> stderr.txt", place_of_program(), (int)strcspn(told, "\n"), told);
    assert_int_equal(WEXITSTATUS(system(command)), 1);
    snprintf(path, sizeof path, "it's mine.instance_%llu.h5", (unsigned long long)i);
    const replay_rows found = replay_rows_compare(study, path, i);
    assert_true(found.status == 10 && found.n_rows > found.n_outputs);
    char out[MAX_SAID], err[MAX_SAID];
    text_read("stdout.txt", out);
    text_read("stderr.txt", err);
    snprintf(command, sizeof command, "it's $HOME: instance %llu of 9 again, ", (unsigned long long)i);
    says(out, command);
    snprintf(command, sizeof command, "  status       unresolved at t = %g s: ", found.failed_time);
    says(out, command);
    snprintf(command, sizeof command, "instance %llu failed at t = %g s (unresolved: ", (unsigned long long)i, found.failed_time);
    says(err, command);
    says(err, "the file has its steps up to there");
    assert_null(strstr(err, "step by step"));
}

static void programs_are_told_too(void **state) {
    (void)state;
    const said *s = RUN("run", "pushed.yaml", "--json", "--backend", "cpu");
    assert_int_equal(s->code, 1);
    says(s->out,
         "\"first_instance\": 0, \"n_study_instances\": 12, \"first_failures\": [{\"status\": \"unresolved\", \"reason\": ");
    const char *replay = strstr(s->out, "\"replay\": \"sarrus run pushed.yaml --backend cpu --instance ");
    assert_non_null(replay);
    const uint64_t i = strtoull(replay + strlen("\"replay\": \"sarrus run pushed.yaml --backend cpu --instance "), NULL, 10);
    char number[24];
    snprintf(number, sizeof number, "%llu", (unsigned long long)i);
    s = RUN("run", "pushed.yaml", "--json", "--instance", number, "-o", "other.h5");
    assert_int_equal(s->code, 1);
    says(s->out, "\"n_study_instances\": 12");
    says(s->out, "\"output\": \"other.h5\"");
    const replay_rows found = replay_rows_compare("pushed.h5", "other.h5", i);
    assert_int_equal(found.status, 10);
    s = RUN("info", "other.h5");
    assert_int_equal(s->code, 0);
    snprintf(number, sizeof number, "of 12: from %llu on", (unsigned long long)i);
    says(s->out, number);
    says(s->out, "replay/is_output");
}

/* An instance that is well, of a study that is not: exit code 0, and nothing to be told. Which are well the study says. */
static void a_good_instance_ends_well(void **state) {
    (void)state;
    int n_good = 0, n_failed = 0;
    assert_int_equal(RUN("run", "pushed.yaml", "--quiet")->code, 1);
    for (int i = 0; i < 12; ++i) {
        char number[8], path[40];
        snprintf(number, sizeof number, "%d", i);
        snprintf(path, sizeof path, "pushed.instance_%d.h5", i);
        const int code = RUN("run", "pushed.yaml", "--instance", number)->code;
        const replay_rows found = replay_rows_compare("pushed.h5", path, (uint64_t)i);
        assert_int_equal(code, found.status != 0);
        n_failed += code;
        n_good += code == 0;
        assert_true(code == 1 || found.n_rows == 301);
    }
    assert_true(n_good > 0 && n_failed > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_of_no_instance_are_refused),
        cmocka_unit_test(the_command_that_is_told_works),
        cmocka_unit_test(programs_are_told_too),
        cmocka_unit_test(a_good_instance_ends_well),
    };
    return cmocka_run_group_tests(tests, group_enter, folder_leave);
}

/* Bad usage is refused with exit code 2, a message that helps, and nothing written. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <cmocka.h>

#include "cli/program.h"
#include "sarrus/version.h"
#include "tests/support/case_choice.h"

static void refused(const said *s, const char *message) {
    assert_int_equal(s->code, 2);
    assert_string_equal(s->out, "");
    if (strstr(s->err, message) == NULL)
        fail_msg("expected '%s' in: %s", message, s->err);
}

static void helps(const char *command) {
    char usage[64];
    const said *s = RUN(command, "--help");
    snprintf(usage, sizeof usage, "Usage: sarrus %s", command);
    assert_int_equal(s->code, 0);
    assert_ptr_equal(strstr(s->out, usage), s->out);
    assert_string_equal(s->err, "");
}

static void commands_are_suggested(void **state) {
    (void)state;
    refused(RUN("rnu"), "unknown command 'rnu'; did you mean 'run'?");
    refused(RUN("--bogus"), "unknown option '--bogus'");
    refused(RUN("compare", "--rank", "none", "x.yaml"), "--rank none: expected auto or all");
    refused(program_run((const char *const[]){NULL}), "Usage: sarrus COMMAND");
}

static void options_are_suggested(void **state) {
    (void)state;
    refused(RUN("run", "a.yaml", "--backnd", "cpu"), "unknown option '--backnd'; did you mean '--backend'?");
    refused(RUN("run", "a.yaml", "--sed=3"), "did you mean '--seed'?");
    refused(RUN("run", "a.yaml", "--zzzzzzzzzz"), "unknown option '--zzzzzzzzzz'\n");
    refused(RUN("run", "a.yaml", "-z"), "unknown option '-z'");
    refused(RUN("run", "a.yaml", "-o"), "option '-o' needs a value");
    refused(RUN("run", "a.yaml", "--seed"), "option '--seed' needs a value");
    refused(RUN("run", "a.yaml", "--quiet=1"), "option '--quiet' takes no value");
    refused(RUN("list", "joint"), "did you mean joints");
    refused(RUN("list"), "was expected");
    refused(RUN("bench", "no-such-benchmark-at-all"), "unknown benchmark");
    refused(RUN("bench"), "no benchmark named");
}

static void numbers_are_strict(void **state) {
    (void)state;
    static const char *const bad[] = {"", " 1", "1 ", "+1", "-1", "0x10", "1e3", "1.0", "one", "18446744073709551616"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        refused(RUN("run", "a.yaml", "--seed", bad[i]), "--seed needs a whole number");
        refused(RUN("run", "a.yaml", "--instances", bad[i]), "--instances needs a whole number");
        refused(RUN("run", "a.yaml", "--threads", bad[i]), "--threads needs a whole number");
    }
    refused(RUN("run", "a.yaml", "--threads", "0"), "--threads needs a whole number from 1");
    refused(RUN("run", "a.yaml", "--instances", "0"), "--instances needs a whole number from 1");
    refused(RUN("run", "a.yaml", "--backend", "gpu"), "--backend is auto, cpu or cuda; got 'gpu'");
    refused(RUN("run", "a.yaml", "--set", "mass"), "--set needs PATH=VALUE");
    refused(RUN("run", "a.yaml", "--set", "=1"), "--set needs PATH=VALUE");
    refused(RUN("run", "a.yaml", "--output", ""), "--output needs the name of a file");
    refused(RUN("run", "a.yaml", "--resume", "--instance", "0"), "--resume together with --instance");
    refused(RUN("run", "a.yaml", "--checkpoint", "often"), "--checkpoint needs seconds, 0 or more, or off");
}

static void exactly_one_file_is_expected(void **state) {
    (void)state;
    refused(RUN("run"), "no file named");
    refused(RUN("run", "a.yaml", "b.yaml"), "too many files ('a.yaml', 'b.yaml')");
    refused(RUN("check"), "no file named");
    refused(RUN("info"), "no file named");
    refused(RUN("pinv", "-o", "x.npy"), "no file named");
}

/* Without Python, or the package, which this machine may have: the package's tests have the rest. */
static void pictures_are_the_package_s(void **state) {
    (void)state;
    char *path = strdup(getenv("PATH"));
    assert_non_null(path);
    assert_int_equal(setenv("PATH", "/nowhere", 1), 0);
    refused(RUN("animate", "a.h5", "-o", "a.html"), "python3 -m sarrus animate");
    refused(RUN("report", "a.h5", "-o", "a.html"), "python3 -m sarrus report");
    static const char *const commands[] = {"animate", "report"};
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; ++i) {
        helps(commands[i]);
    }
    assert_int_equal(setenv("PATH", path, 1), 0);
    free(path);
}

static void help_and_version_go_to_stdout(void **state) {
    (void)state;
    static const char *const commands[] = {"run", "check", "list", "info", "bench", "pinv"};
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; ++i) {
        helps(commands[i]);
    }
    assert_non_null(strstr(RUN("--help")->out, "\n  animate     OUT.h5 -o M "));
    assert_non_null(strstr(RUN("--help")->out, "\n  report      OUT.h5 -o R "));
    assert_int_equal(RUN("--help")->code, 0);
    assert_string_equal(RUN("--version")->out, "sarrus " SARRUS_VERSION "\n");
}

static void lists_name_what_this_build_has(void **state) {
    (void)state;
    static const char *const wanted[][2] = {{"formulations", "udwadia-kalaba"},
                                            {"pinv", "svd"},
                                            {"pinv", "greville"},
                                            {"rank", "tracked"},
                                            {"rank", "(tol: 1e-10 unless given)"},
                                            {"integrators", "adams-moulton"},
                                            {"integrators", "rk4"},
                                            {"joints", "prismatic"},
                                            {"constraints", "gear"},
                                            {"constraints", "\ncam "},
                                            {"constraints", "\ncurve "},
                                            {"forces", "torque"},
                                            {"signals", "offset + slope max(0, t - start) (offset, slope, start)"},
                                            {"distributions", "lognormal"},
                                            {"channels", "singular_values"},
                                            {"orientations", "bryant"},
                                            {"fields", "passage.pitch"},
                                            {"joints", "\nrevolute         spatial; "},
                                            {"joints", "\nbushing          spatial; "},
                                            {"backends", "cpu"}};
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; ++i) {
        const said *s = RUN("list", wanted[i][0]);
        assert_int_equal(s->code, 0);
        assert_non_null(strstr(s->out, wanted[i][1]));
    }
}

static void a_full_standard_output_is_an_io_failure(void **state) {
    (void)state;
    const char *const arguments[] = {"list", "joints", NULL};
    assert_int_equal(program_wait(program_start(arguments, "/dev/full", "stderr.txt")), 3);
}

/* The write that fails comes before other calls, whose errno must not be taken for its reason. */
static void a_reason_that_is_not_known_is_not_made_up(void **state) {
    (void)state;
    char said_then[MAX_SAID];
    const char *const arguments[] = {"run", place_of_source("/scenarios/pendulum.yaml"), "--json", "--specialize", "off", NULL};
    assert_int_equal(program_wait(program_start(arguments, "/dev/full", "stderr.txt")), 3);
    text_read("stderr.txt", said_then);
    assert_non_null(strstr(said_then, "standard output failed"));
    assert_null(strstr(said_then, "ioctl"));
}

/* Not the file is blamed on which a library crashes. */
static void a_stack_that_is_too_small_is_told(void **state) {
    (void)state;
    struct rlimit before;
    if (cases_are_few()) /* a sanitizer takes more of it before we can look */
        skip();
    assert_int_equal(getrlimit(RLIMIT_STACK, &before), 0);
    assert_int_equal(setrlimit(RLIMIT_STACK, &(struct rlimit){64 << 10, before.rlim_max}), 0);
    const said *s = RUN("list", "joints");
    assert_int_equal(setrlimit(RLIMIT_STACK, &before), 0);
    assert_int_equal(s->code, 3);
    assert_non_null(strstr(s->err, "the stack is limited to 64 KiB (ulimit -s); expected 192 at least"));
}

/* Instructions of a step are those of two steps less those of one: of a method that chooses its steps they came to 2^64. */
static void steps_that_are_not_alike_are_not_counted(void **state) {
    (void)state;
    char file[500];
    snprintf(file, sizeof file, "%s/stewart_platform.yaml", place_of_source("/scenarios"));
    const said *s = RUN("bench", "instructions", "--scenario", file);
    assert_int_equal(s->code, 2);
    assert_string_equal(s->out, "");
    assert_non_null(strstr(s->err, "expected a method of fixed steps"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commands_are_suggested),
        cmocka_unit_test(options_are_suggested),
        cmocka_unit_test(numbers_are_strict),
        cmocka_unit_test(exactly_one_file_is_expected),
        cmocka_unit_test(pictures_are_the_package_s),
        cmocka_unit_test(help_and_version_go_to_stdout),
        cmocka_unit_test(lists_name_what_this_build_has),
        cmocka_unit_test(a_full_standard_output_is_an_io_failure),
        cmocka_unit_test(a_reason_that_is_not_known_is_not_made_up),
        cmocka_unit_test(a_stack_that_is_too_small_is_told),
        cmocka_unit_test(steps_that_are_not_alike_are_not_counted),
    };
    return cmocka_run_group_tests(tests, folder_enter, folder_leave);
}

/* `sarrus run --specialize`: the option, the places that the environment names, what the summary says, and that no compiler
 * outlives a program that is killed. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <limits.h>

#include "cli/program.h"

static int enter(void **state) {
    if (folder_enter(state) != 0)
        return -1;
    file_write("p.yaml", "sarrus: 1\nspace: planar\ngravity: [0, -9.81]\n"
                         "bodies: [{name: rod, mass: 1, inertia: 0.1, position: [0.5, 0]}]\n"
                         "joints: [{name: pin, type: revolute, bodies: [ground, rod], at: [0, 0]}]\n"
                         "integrator: {method: rk4, dt: 1.0e-3, t_end: 0.01}\n");
    return 0;
}

/* NULL: the variable is not set. The value is a path in the present folder. */
static void place_set(const char *variable, const char *name) {
    char path[PATH_MAX], here[PATH_MAX - 64];
    assert_non_null(getcwd(here, sizeof here));
    snprintf(path, sizeof path, "%s/%s", here, name != NULL ? name : "");
    assert_int_equal(name != NULL ? setenv(variable, path, 1) : unsetenv(variable), 0);
}

static void other_words_are_refused(void **state) {
    (void)state;
    const said *s = RUN("run", "p.yaml", "--specialize", "always");
    assert_int_equal(s->code, 2);
    assert_non_null(strstr(s->err, "--specialize is auto, on or off; got 'always'"));
}

static void off_says_nothing(void **state) {
    (void)state;
    place_set("SARRUS_CACHE_DIR", "never");
    const said *s = RUN("run", "p.yaml", "--specialize", "off");
    assert_int_equal(s->code, 0);
    assert_null(strstr(s->out, "kernels"));
    assert_false(file_exists("never"));
}

static void a_short_run_is_not_compiled_for(void **state) {
    (void)state;
    place_set("SARRUS_CACHE_DIR", "cache");
    const said *s = RUN("run", "p.yaml"); /* auto without a word */
    assert_int_equal(s->code, 0);
    assert_non_null(strstr(s->out, "  kernels      generic: the run is too short to pay for a compilation\n"));
    s = RUN("run", "p.yaml", "--json", "--specialize=auto");
    assert_non_null(strstr(s->out, "\"specialization\": {\"state\": \"waiting\", \"from_cache\": false"));
}

static void a_run_goes_on_without_a_compiler(void **state) {
    (void)state;
    place_set("SARRUS_CACHE_DIR", "cache");
    assert_int_equal(setenv("SARRUS_CC", "no_such_compiler", 1), 0);
    const said *s = RUN("run", "p.yaml", "--specialize", "on");
    assert_int_equal(s->code, 0);
    assert_string_equal(s->err, "");
    assert_non_null(strstr(s->out, "  kernels      generic: no C compiler (no_such_compiler) was found\n"));
    file_write("failing", "#!/bin/sh\necho it is of no use >&2\nexit 1\n");
    assert_int_equal(chmod("failing", 0700), 0);
    assert_int_equal(setenv("SARRUS_CC", "./failing", 1), 0);
    s = RUN("run", "p.yaml", "--specialize", "on", "--json");
    assert_int_equal(s->code, 0);
    assert_string_equal(s->err, "");
    assert_non_null(strstr(s->out, "\"state\": \"failed\""));
    assert_non_null(strstr(s->out, "it is of no use"));
    assert_int_equal(unsetenv("SARRUS_CC"), 0);
}

static void the_cache_is_where_the_environment_says(void **state) {
    (void)state;
    char *const home = strdup(getenv("HOME") != NULL ? getenv("HOME") : "/");
    place_set("SARRUS_CACHE_DIR", "a");
    place_set("XDG_CACHE_HOME", "b");
    place_set("HOME", "c");
    assert_int_equal(RUN("run", "p.yaml")->code, 0);
    assert_true(file_exists("a") && !file_exists("b") && !file_exists("c"));
    /* a name that is too long stands for no other folder */
    char name[2 * PATH_MAX] = "/";
    memset(name + 1, 'x', sizeof name - 2);
    assert_int_equal(setenv("SARRUS_CACHE_DIR", name, 1), 0);
    const said *told = RUN("run", "p.yaml");
    assert_int_equal(told->code, 0);
    assert_non_null(strstr(told->out, "the name of the cache folder is too long"));
    assert_true(!file_exists("b") && !file_exists("c"));
    place_set("SARRUS_CACHE_DIR", NULL);
    assert_int_equal(RUN("run", "p.yaml")->code, 0);
    assert_true(file_exists("b/sarrus") && !file_exists("c"));
    assert_int_equal(setenv("XDG_CACHE_HOME", "relative", 1), 0);
    assert_int_equal(RUN("run", "p.yaml")->code, 0);
    assert_true(file_exists("c/.cache/sarrus") && !file_exists("relative"));
    place_set("XDG_CACHE_HOME", NULL);
    place_set("HOME", NULL);
    const said *s = RUN("run", "p.yaml");
    assert_int_equal(s->code, 0);
    assert_non_null(strstr(s->out, "  kernels      generic: no cache folder was given\n"));
    assert_int_equal(setenv("HOME", home, 1), 0);
    free(home);
}

/* Whether the process whose number the file holds is there; a zombie has ended. */
static bool process_lives(const char *file) {
    char text[MAX_SAID], path[64], state = 'X';
    text_read(file, text);
    snprintf(path, sizeof path, "/proc/%ld/stat", strtol(text, NULL, 10));
    FILE *about = fopen(path, "r");
    if (about == NULL)
        return false;
    if (fscanf(about, "%*d (%*[^)]) %c", &state) != 1)
        state = 'X';
    fclose(about);
    return state != 'Z' && state != 'X';
}

static bool all_said(void) {
    return file_exists("driver") && file_exists("pass");
}

static bool all_ended(void) {
    return !process_lives("driver") && !process_lives("pass");
}

/* Waits until it holds, for 20 s at most. */
static bool comes_true(bool (*holds)(void)) {
    const struct timespec pause = {0, 20000000};
    for (int i = 0; i < 1000 && !holds(); ++i)
        nanosleep(&pause, NULL);
    return holds();
}

/* Neither the driver, nor what it has started and waits for. */
static void no_compiler_outlives_a_killed_program(void **state) {
    (void)state;
    char here[PATH_MAX - 512], script[PATH_MAX];
    place_set("SARRUS_CACHE_DIR", "cache");
    assert_non_null(getcwd(here, sizeof here));
    snprintf(script, sizeof script,
             "#!/bin/sh\ncd '%s' || exit 1\nsleep 60 &\necho $! > .pass && echo $$ > .driver && mv .pass pass && mv .driver "
             "driver\nwait\n",
             here);
    file_write("hanging", script);
    assert_int_equal(chmod("hanging", 0700), 0);
    assert_int_equal(setenv("SARRUS_CC", "./hanging", 1), 0);
    const char *const arguments[] = {"run", "p.yaml", "--specialize", "on", NULL};
    const pid_t program = program_start(arguments, "stdout.txt", "stderr.txt");
    assert_true(comes_true(all_said));
    assert_true(process_lives("driver") && process_lives("pass"));
    assert_int_equal(kill(program, SIGKILL), 0);
    assert_int_equal(program_wait(program), 128 + SIGKILL);
    assert_true(comes_true(all_ended));
    assert_int_equal(unsetenv("SARRUS_CC"), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(other_words_are_refused),
        cmocka_unit_test(off_says_nothing),
        cmocka_unit_test(a_short_run_is_not_compiled_for),
        cmocka_unit_test(a_run_goes_on_without_a_compiler),
        cmocka_unit_test(the_cache_is_where_the_environment_says),
        cmocka_unit_test(no_compiler_outlives_a_killed_program),
    };
    return cmocka_run_group_tests(tests, enter, folder_leave);
}

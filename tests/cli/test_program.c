/* The program end to end: exit codes, files, JSON, signals. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "cli/program.h"
#include "sarrus/sarrus.h"

static const char pendulum[] = "sarrus: 1\n"
                               "name: \"a \\\"quoted\\\" pendulum\"\n"
                               "space: planar\n"
                               "gravity: [0, -9.81]\n"
                               "bodies:\n"
                               "  - {name: rod, mass: 1, inertia: 0.1, position: [0.5, 0]}\n"
                               "joints:\n"
                               "  - {name: pin, type: revolute, bodies: [ground, rod], at: [0, 0]}\n"
                               "integrator: {method: rk4, dt: 1.0e-3, t_end: 0.1}\n"
                               "batch:\n"
                               "  instances: 5\n"
                               "  parameters:\n"
                               "    - {path: bodies.rod.mass, distribution: uniform, low: 0.9, high: 1.1}\n"
                               "output: {every: 10, channels: [state, energy, constraint, rank, reactions]}\n";

static int enter(void **state) {
    if (folder_enter(state) != 0)
        return -1;
    file_write("pendulum.yaml", pendulum);
    file_write("bad.yaml", "sarrus: 1\nspace: planar\nbodies: []\njoints: []\nintegratr: {}\n");
    return 0;
}

/* Skips one JSON value; NULL when it is none. Enough of RFC 8259 for what a program writes. */
static const char *json_skip(const char *c, int depth);

static const char *json_string_skip(const char *c) {
    if (c == NULL || *c != '"')
        return NULL;
    for (c++; *c != '"'; ++c) {
        if ((unsigned char)*c < 0x20)
            return NULL;
        if (*c == '\\' && (*++c == '\0' || strchr("\"\\/bfnrtu", *c) == NULL))
            return NULL;
    }
    return c + 1;
}

static const char *json_members_skip(const char *c, char end, int depth) {
    c += strspn(c + 1, " ") + 1;
    if (*c == end)
        return c + 1;
    for (;;) {
        if (end == '}') {
            c = json_string_skip(c);
            if (c == NULL || *c != ':')
                return NULL;
            c += strspn(c + 1, " ") + 1;
        }
        c = json_skip(c, depth + 1);
        if (c == NULL || *c == end)
            return c == NULL ? NULL : c + 1;
        if (*c != ',')
            return NULL;
        c += strspn(c + 1, " ") + 1;
    }
}

static const char *json_skip(const char *c, int depth) {
    static const char *const words[] = {"true", "false", "null"};
    if (depth > 16)
        return NULL;
    if (*c == '{' || *c == '[')
        return json_members_skip(c, *c == '{' ? '}' : ']', depth);
    if (*c == '"')
        return json_string_skip(c);
    for (int i = 0; i < 3; ++i)
        if (strncmp(c, words[i], strlen(words[i])) == 0)
            return c + strlen(words[i]);
    char *end = NULL;
    if (*c != '-' && (*c < '0' || *c > '9'))
        return NULL;
    (void)strtod(c, &end);
    return end;
}

static void is_one_json_object(const char *text) {
    const char *end = *text == '{' ? json_skip(text, 0) : NULL;
    if (end == NULL || strcmp(end, "\n") != 0)
        fail_msg("not one JSON object: %s", text);
}

static sarrus_result_info info_of(const char *path) {
    sarrus_context *context = NULL;
    sarrus_result_info info;
    assert_int_equal(sarrus_context_create(&context), SARRUS_OK);
    assert_int_equal(sarrus_result_info_read(context, path, &info), SARRUS_OK);
    sarrus_context_destroy(context);
    return info;
}

static void a_run_writes_its_default_file(void **state) {
    (void)state;
    const said *s = RUN("run", "pendulum.yaml");
    assert_int_equal(s->code, 0);
    assert_non_null(strstr(s->out, "5 instances, 100 steps"));
    assert_non_null(strstr(s->out, "balanced to"));
    assert_non_null(strstr(s->out, "pendulum.h5"));
    assert_string_equal(s->err, ""); /* no progress bar without a terminal */
    const sarrus_result_info info = info_of("pendulum.h5");
    assert_int_equal(info.complete, 1);
    assert_int_equal(info.n_instances, 5);
    assert_int_equal(info.n_times, 11);
}

static void options_change_the_run(void **state) {
    (void)state;
    const said *s = RUN("run", "pendulum.yaml", "-o", "o.h5", "--instances", "9", "--seed", "77", "--threads", "1", "--set",
                        "integrator.t_end=0.05", "--backend", "cpu", "--quiet");
    assert_int_equal(s->code, 0);
    assert_string_equal(s->out, "");
    const sarrus_result_info info = info_of("o.h5");
    assert_int_equal(info.n_instances, 9);
    assert_int_equal(info.seed, 77);
    assert_int_equal(info.n_times, 6);
    assert_true(info.t_last == 0.05);
}

static void json_is_json(void **state) {
    (void)state;
    const said *s = RUN("run", "pendulum.yaml", "-o", "j.h5", "--json");
    assert_int_equal(s->code, 0);
    is_one_json_object(s->out);
    assert_non_null(strstr(s->out, "\"a \\\"quoted\\\" pendulum\""));
    assert_non_null(strstr(s->out, "\"complete\": true"));
    assert_non_null(strstr(s->out, "\"is_adaptive\": false, \"steps\": {\"total\": 500, \"mean\": 100, \"max\": 100}"));
    assert_non_null(strstr(s->out, "\"evaluations\": {\"total\": 2000, \"mean\": 400, \"max\": 400}"));
    assert_non_null(strstr(s->out, "\"rank_changes\": {\"total\": 0, \"mean\": 0, \"max\": 0}"));
    is_one_json_object(RUN("info", "j.h5", "--json")->out);
    is_one_json_object(RUN("check", "pendulum.yaml", "--json")->out);
    is_one_json_object(RUN("list", "pinv", "--json")->out);
    is_one_json_object(RUN("list", "rank", "--json")->out);
}

static void info_and_check_speak(void **state) {
    (void)state;
    assert_int_equal(RUN("run", "pendulum.yaml", "-o", "i.h5", "--quiet")->code, 0);
    const said *s = RUN("info", "i.h5");
    assert_int_equal(s->code, 0);
    assert_non_null(strstr(s->out, "i.h5: complete"));
    assert_non_null(strstr(s->out, "state/q"));
    assert_non_null(strstr(s->out, "5 x 11 x 3"));
    assert_non_null(strstr(s->out, "reactions/pin"));
    assert_non_null(strstr(s->out, "events     0 changes of rank"));
    assert_non_null(strstr(s->out, "instance/evaluations"));
    assert_int_equal(RUN("run", "pendulum.yaml", "-o", "s.h5", "--quiet", "--set", "output.channels=[state]")->code, 0);
    assert_null(strstr(RUN("info", "s.h5")->out, "events"));
    s = RUN("check", "pendulum.yaml");
    assert_int_equal(s->code, 0);
    assert_non_null(strstr(s->out, "pin"));
}

static void bad_input_writes_nothing(void **state) {
    (void)state;
    const said *s = RUN("run", "bad.yaml");
    assert_int_equal(s->code, 2);
    assert_string_equal(s->out, "");
    assert_non_null(strstr(s->err, "bad.yaml:5:1: error: "));
    assert_non_null(strstr(s->err, "\n    integratr: {}\n    ^\n"));
    assert_false(file_exists("bad.h5"));
    s = RUN("run", "pendulum.yaml", "-o", "never.h5", "--set", "bodies.rod.mas=2");
    assert_int_equal(s->code, 2);
    assert_false(file_exists("never.h5"));
    assert_int_equal(RUN("check", "bad.yaml")->code, 2);
    assert_int_equal(RUN("info", "bad.yaml")->code, 2);
}

static void files_that_cannot_be_used_give_3(void **state) {
    (void)state;
    assert_int_equal(RUN("run", "absent.yaml")->code, 2);
    assert_false(file_exists("absent.h5"));
    assert_int_equal(RUN("info", "absent.h5")->code, 3);
    const said *s = RUN("run", "pendulum.yaml", "-o", "absent/out.h5");
    assert_int_equal(s->code, 3);
    assert_non_null(strstr(s->err, "absent/out.h5"));
    assert_int_equal(RUN("run", "pendulum.yaml", "-o", "/dev/full")->code, 3);
}

static void a_backend_is_never_replaced(void **state) {
    (void)state;
    if (sarrus_backend_n_devices(SARRUS_BACKEND_CUDA) > 0)
        skip();
    const said *s = RUN("run", "pendulum.yaml", "-o", "cuda.h5", "--backend", "cuda");
    assert_int_equal(s->code, 4);
    assert_non_null(strstr(s->err, "error: "));
    assert_non_null(strstr(s->err, "CUDA"));
    assert_false(file_exists("cuda.h5"));
    s = RUN("run", "pendulum.yaml", "-o", "cuda.h5", "--backend", "cpu", "--set", "dynamics.pinv=cusolver-svd");
    assert_int_equal(s->code, 4);
    assert_non_null(strstr(s->err, "'pinv: cusolver-svd' is a library on a GPU"));
    assert_false(file_exists("cuda.h5"));
    assert_int_equal(RUN("run", "pendulum.yaml", "-o", "cuda.h5", "--backend", "cuda", "--devices", "2")->code, 4);
    /* Without being asked for, a device that is not there is not spoken of. */
    s = RUN("run", "pendulum.yaml", "-o", "auto.h5", "--instances", "2000", "--set", "integrator.t_end=0.02");
    assert_int_equal(s->code, 0);
    assert_null(strstr(s->err, "CUDA"));
}

static void a_forced_instruction_set_is_obeyed_or_refused(void **state) {
    (void)state;
    assert_int_equal(setenv("SARRUS_FORCE_ISA", "mmx", 1), 0);
    const int code = RUN("run", "pendulum.yaml", "-o", "isa.h5")->code;
    assert_int_equal(setenv("SARRUS_FORCE_ISA", "baseline", 1), 0);
    const said *s = RUN("run", "pendulum.yaml", "-o", "isa.h5", "--json");
    assert_int_equal(unsetenv("SARRUS_FORCE_ISA"), 0);
    assert_int_equal(s->code, 0);
    assert_non_null(strstr(s->out, "baseline"));
    assert_true(code == 2 || code == 4);
}

/* A run of hours, stopped after a moment: it has to be over within seconds, and its file valid. */
static void stop_with(int signal_number, int code) {
    remove("long.h5");
    const char *const arguments[] = {"run",   "pendulum.yaml",      "-o", "long.h5", "--set", "integrator.t_end=1.0e6",
                                     "--set", "output.every=10000", NULL};
    const pid_t child = program_start(arguments, "stdout.txt", "stderr.txt");
    const struct timespec moment = {.tv_nsec = 700 * 1000 * 1000};
    for (int i = 0; i < 30 && (i == 0 || !file_exists("long.h5.partial")); ++i) /* on a busy machine the first output comes late */
        nanosleep(&moment, NULL);
    const time_t began = time(NULL);
    assert_int_equal(kill(child, signal_number), 0);
    assert_int_equal(program_wait(child), code);
    assert_true(time(NULL) - began <= 10);
    const sarrus_result_info info = info_of("long.h5");
    assert_int_equal(info.complete, 0);
    assert_int_equal(info.n_instances, 5);
    char err[MAX_SAID];
    text_read("stderr.txt", err);
    assert_non_null(strstr(err, "long.h5 is valid up to there"));
}

static void signals_leave_a_valid_file(void **state) {
    (void)state;
    stop_with(SIGINT, 130);
    stop_with(SIGTERM, 143);
    stop_with(SIGHUP, 129);
    assert_non_null(strstr(RUN("info", "long.h5")->out, "NOT complete"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_writes_its_default_file),
        cmocka_unit_test(options_change_the_run),
        cmocka_unit_test(json_is_json),
        cmocka_unit_test(info_and_check_speak),
        cmocka_unit_test(bad_input_writes_nothing),
        cmocka_unit_test(files_that_cannot_be_used_give_3),
        cmocka_unit_test(a_backend_is_never_replaced),
        cmocka_unit_test(a_forced_instruction_set_is_obeyed_or_refused),
        cmocka_unit_test(signals_leave_a_valid_file),
    };
    return cmocka_run_group_tests(tests, enter, folder_leave);
}

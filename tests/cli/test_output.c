/* Claim: the program writes over nothing that is no result, two runs never share a name, an older result outlives a run that fails,
 * and a closed terminal stops a run in order. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <sys/resource.h>

#include "cli/program.h"
#include "core/monotonic.h"
#include "sarrus/sarrus.h"

static char pendulum[512], study[512];

static int enter(void **state) {
    (void)snprintf(pendulum, sizeof pendulum, "%s", place_of_source("/scenarios/pendulum.yaml"));
    (void)snprintf(study, sizeof study, "%s", place_of_source("/scenarios/five_bar_monte_carlo.yaml"));
    return folder_enter(state);
}

/* A result that is made in no time, and one that takes for ever. */
#define SHORT(...) RUN("run", pendulum, "--quiet", "--specialize", "off", "--set", "integrator.t_end=0.01", __VA_ARGS__)
#define LONG(...)                                                                                                                  \
    program_start((const char *const[]){"run", study, "--quiet", "--specialize", "off", "--instances", "200", "--set",             \
                                        "integrator={method: rk4, dt: 1e-3, t_end: 1e5}", "--set",                                 \
                                        "output={every: 1, channels: [state]}", __VA_ARGS__, NULL},                                \
                  "long_out.txt", "long_err.txt")

static void pause_for(double seconds) {
    const struct timespec pause = {.tv_nsec = (long)(1e9 * seconds)};
    (void)nanosleep(&pause, NULL);
}

static sarrus_result_info info_of(const char *path) {
    sarrus_result_info info;
    assert_int_equal(sarrus_result_info_read(NULL, path, &info), SARRUS_OK);
    return info;
}

/* Waits until a running program has committed output times. */
static void wait_for_times(const char *path) {
    const double deadline = sarrus_monotonic_seconds() + 60.0;
    sarrus_result_info info = {.n_times = 0};
    while (!file_exists(path) || sarrus_result_info_read(NULL, path, &info) != SARRUS_OK || info.n_times == 0) {
        assert_true(sarrus_monotonic_seconds() < deadline);
        pause_for(0.01);
    }
}

static void what_is_no_result_is_not_written_over(void **state) {
    (void)state;
    char before[MAX_SAID], after[MAX_SAID];
    text_read(pendulum, before);
    file_write("own.yaml", before);
    const said *s = RUN("run", "own.yaml", "-o", "own.yaml");
    assert_int_equal(s->code, 2);
    assert_non_null(strstr(s->err, "own.yaml: this file is a scenario"));
    text_read("own.yaml", after);
    assert_string_equal(after, before);
    file_write("notes.txt", "remember the milk\n");
    assert_int_equal(SHORT("-o", "notes.txt")->code, 2);
    text_read("notes.txt", after);
    assert_string_equal(after, "remember the milk\n");
    assert_int_equal(SHORT("-o", "name_without_ending")->code, 0);
    assert_int_equal(info_of("name_without_ending").complete, 1);
}

/* Before it is planned, which can take minutes: a mechanism that the plan refuses is not spoken of. */
static void a_name_is_refused_at_once(void **state) {
    (void)state;
    static const char massless[] = "bodies.rod.mass=0", weightless[] = "bodies.rod.inertia=0";
    file_write("notes.txt", "remember the milk\n");
    assert_int_equal(RUN("run", pendulum, "-o", "free.h5", "--set", massless, "--set", weightless)->code, 2);
    const said *s = RUN("run", pendulum, "-o", "notes.txt", "--set", massless, "--set", weightless);
    assert_int_equal(s->code, 2);
    assert_non_null(strstr(s->err, "notes.txt: this file is not a result"));
    assert_int_equal(RUN("run", pendulum, "-o", "absent/out.h5", "--set", massless, "--set", weightless)->code, 3);
}

static void a_complete_result_can_be_kept(void **state) {
    (void)state;
    assert_int_equal(SHORT("-o", "kept.h5", "--seed", "1")->code, 0);
    const said *s = SHORT("-o", "kept.h5", "--seed", "2", "--no-clobber");
    assert_int_equal(s->code, 2);
    assert_non_null(strstr(s->err, "kept.h5: this file is a complete result"));
    assert_int_equal(info_of("kept.h5").seed, 1);
    assert_int_equal(SHORT("-o", "kept.h5", "--seed", "2")->code, 0);
    assert_int_equal(info_of("kept.h5").seed, 2);
    assert_int_equal(SHORT("-o", "fresh.h5", "--no-clobber")->code, 0);
}

static void two_runs_never_share_a_name(void **state) {
    (void)state;
    char owner[60];
    const pid_t child = LONG("-o", "shared.h5");
    wait_for_times("shared.h5.partial");
    const said *s = SHORT("-o", "shared.h5");
    (void)snprintf(owner, sizeof owner, "process %ld is writing to it now", (long)child);
    assert_int_equal(s->code, 2);
    assert_non_null(strstr(s->err, owner));
    /* killed, it blocks nobody, and its work is put aside */
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(program_wait(child), 128 + SIGKILL);
    assert_true(info_of("shared.h5.partial").n_times > 0);
    s = SHORT("-o", "shared.h5");
    assert_int_equal(s->code, 0);
    assert_non_null(strstr(s->err, "note: shared.h5: what an earlier run had left unfinished is now shared.h5.partial~"));
    assert_int_equal(info_of("shared.h5").complete, 1);
    assert_true(info_of("shared.h5.partial~").n_times > 0);
    assert_false(file_exists("shared.h5.partial"));
    assert_false(file_exists(".shared.h5.lock"));
}

static void a_file_that_is_removed_is_no_success(void **state) {
    (void)state;
    assert_int_equal(SHORT("-o", "gone.h5", "--seed", "3")->code, 0);
    const pid_t child = LONG("-o", "gone.h5");
    wait_for_times("gone.h5.partial");
    assert_int_equal(remove("gone.h5.partial"), 0);
    assert_int_equal(kill(child, SIGTERM), 0);
    assert_int_equal(program_wait(child), 3);
    char err[MAX_SAID];
    text_read("long_err.txt", err);
    assert_non_null(strstr(err, "gone.h5.partial was removed"));
    assert_int_equal(info_of("gone.h5").seed, 3);
}

static void a_closed_terminal_stops_in_order(void **state) {
    (void)state;
    assert_int_equal(SHORT("-o", "hang.h5", "--seed", "4")->code, 0);
    const pid_t child = LONG("-o", "hang.h5");
    wait_for_times("hang.h5.partial");
    assert_int_equal(kill(child, SIGHUP), 0);
    (void)kill(child, SIGHUP); /* the shell sends another */
    assert_int_equal(program_wait(child), 128 + SIGHUP);
    const sarrus_result_info info = info_of("hang.h5");
    assert_true(info.n_times > 0 && !info.complete && info.n_instances == 200);
    assert_false(file_exists("hang.h5.partial"));
}

static void nohup_is_obeyed(void **state) {
    (void)state;
    (void)signal(SIGHUP, SIG_IGN);
    const pid_t child = LONG("-o", "nohup.h5");
    (void)signal(SIGHUP, SIG_DFL);
    wait_for_times("nohup.h5.partial");
    assert_int_equal(kill(child, SIGHUP), 0);
    pause_for(0.3);
    assert_int_equal(waitpid(child, NULL, WNOHANG), 0);
    assert_int_equal(kill(child, SIGTERM), 0);
    assert_int_equal(program_wait(child), 143);
}

/* The limit is that of the child only. LLVM's OpenMP, which builds with sanitizers have, dies of limits below its own file in
 * /dev/shm. */
static void a_limit_of_file_sizes_leaves_the_old_result(void **state) {
    (void)state;
    static const rlim_t limits[] = {3000, 200000, 0, 1};
    const int n_limits = getenv("SARRUS_FEW_CASES") != NULL ? 2 : 4;
    assert_int_equal(SHORT("-o", "limit.h5", "--seed", "5")->code, 0);
    struct rlimit before, limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    for (int i = 0; i < n_limits; ++i) {
        limit = (struct rlimit){.rlim_cur = limits[i], .rlim_max = before.rlim_max};
        (void)signal(SIGXFSZ, SIG_DFL);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
        const pid_t child = LONG("-o", "limit.h5");
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
        assert_int_equal(program_wait(child), 3);
        assert_int_equal(info_of("limit.h5").seed, 5);
        assert_false(file_exists(".limit.h5.new"));
        assert_false(file_exists(".limit.h5.lock"));
        if (file_exists("limit.h5.partial"))
            assert_true(info_of("limit.h5.partial").n_times > 0);
    }
}

static void files_are_called_what_they_are(void **state) {
    (void)state;
    assert_int_equal(SHORT("-o", "result.h5")->code, 0);
    const said *s = RUN("check", "result.h5");
    assert_int_equal(s->code, 2);
    assert_string_equal(s->err,
                        "result.h5:1:1: error: this is an HDF5 file, such as a result; expected a scenario ('sarrus info' shows "
                        "results)\n");
    assert_int_equal(RUN("run", "result.h5")->code, 2);
    s = RUN("info", pendulum);
    assert_int_equal(s->code, 2);
    assert_non_null(strstr(s->err, "not an HDF5 file; is it a scenario? try 'sarrus check'\n"));
    assert_int_equal(truncate("result.h5", 3000), 0);
    s = RUN("info", "result.h5");
    assert_int_equal(s->code, 3);
    assert_non_null(strstr(s->err, "result.h5: the file is damaged: truncated file"));
    assert_string_equal(s->out, "");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_no_result_is_not_written_over),
        cmocka_unit_test(a_name_is_refused_at_once),
        cmocka_unit_test(a_complete_result_can_be_kept),
        cmocka_unit_test(two_runs_never_share_a_name),
        cmocka_unit_test(a_file_that_is_removed_is_no_success),
        cmocka_unit_test(a_closed_terminal_stops_in_order),
        cmocka_unit_test(nohup_is_obeyed),
        cmocka_unit_test(a_limit_of_file_sizes_leaves_the_old_result),
        cmocka_unit_test(files_are_called_what_they_are),
    };
    return cmocka_run_group_tests(tests, enter, folder_leave);
}

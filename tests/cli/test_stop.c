/* Claim: SIGINT and SIGTERM end the program soon in whatever it is doing, with the exit code that says so; the result file, where
 * there is one, is valid and holds complete rows only, and no compiler is left behind. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <sys/resource.h>

#include <hdf5.h>

#include "bench/plan/scenarios.h"
#include "cli/program.h"
#include "core/monotonic.h"
#include "sarrus/sarrus.h"

/* s. Milliseconds on an idle machine, this one may be busy. What would be waited for otherwise takes 30 s and more. */
static const double SOON = 1.0;

static char here[PATH_MAX - 128];

/* A compiler that takes its time, and has a process of its own at work; both leave their numbers. */
static const char slow_compiler[] = "#!/bin/sh\n"
                                    "sleep 40 &\n"
                                    "echo $! > '%s/second'\n"
                                    "echo $$ > '%s/first.new'\n"
                                    "mv '%s/first.new' '%s/first'\n"
                                    "wait\n";

static int enter(void **state) {
    char script[sizeof slow_compiler + 4 * sizeof here];
    if (folder_enter(state) != 0 || getcwd(here, sizeof here) == NULL)
        return -1;
    (void)snprintf(script, sizeof script, slow_compiler, here, here, here, here);
    file_write("slow_cc", script);
    return chmod("slow_cc", 0700);
}

/* The path of a file in the present folder. */
static const char *path_here(const char *leaf) {
    static char path[PATH_MAX];
    (void)snprintf(path, sizeof path, "%s/%s", here, leaf);
    return path;
}

static void pause_for(double seconds) {
    const struct timespec pause = {(time_t)seconds, (long)(1e9 * fmod(seconds, 1.0))};
    (void)nanosleep(&pause, NULL);
}

/* Waits until there is a file of that name. */
static void wait_for_file(const char *leaf) {
    const double deadline = sarrus_monotonic_seconds() + 60.0;
    while (!file_exists(leaf)) {
        assert_true(sarrus_monotonic_seconds() < deadline);
        pause_for(0.01);
    }
}

/* Sends the signal, and sees that the program ends soon and says why. */
static void end_with(pid_t child, int number) {
    const double began = sarrus_monotonic_seconds();
    assert_int_equal(kill(child, number), 0);
    const int code = program_wait(child);
    const double took = sarrus_monotonic_seconds() - began;
    print_message("ended within %.0f ms\n", 1e3 * took);
    assert_int_equal(code, 128 + number);
    assert_true(took < SOON);
}

/* The state q of all instances at the first n_times times, or as many as there is room for in the file; its shape in dims. */
static double *rows_read(const char *path, hsize_t n_times, hsize_t dims[3]) {
    const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(file >= 0);
    const hid_t data = H5Dopen2(file, "state/q", H5P_DEFAULT), space = H5Dget_space(data);
    assert_int_equal(H5Sget_simple_extent_dims(space, dims, NULL), 3);
    const hsize_t begin[3] = {0, 0, 0};
    dims[1] = n_times < dims[1] ? n_times : dims[1];
    const hid_t part = H5Screate_simple(3, dims, NULL);
    double *q = malloc((size_t)(dims[0] * dims[1] * dims[2] + 1) * sizeof *q);
    assert_non_null(q);
    assert_true(H5Sselect_hyperslab(space, H5S_SELECT_SET, begin, NULL, dims, NULL) >= 0);
    assert_true(H5Dread(data, H5T_NATIVE_DOUBLE, part, space, H5P_DEFAULT, q) >= 0);
    H5Sclose(part);
    H5Sclose(space);
    H5Dclose(data);
    assert_true(H5Fclose(file) >= 0);
    return q;
}

/* The file of a stopped run: not complete, every instance well, no number missing up to the last time that it says it holds, and
 * none there after that. Returns how many times these are; 0 when there was no time to write any, and so there is no file. */
static uint64_t check_stopped_file(const char *path) {
    sarrus_context *context = NULL;
    sarrus_result_info info;
    hsize_t dims[3];
    if (!file_exists(path))
        return 0;
    assert_int_equal(sarrus_context_create(&context), SARRUS_OK);
    assert_int_equal(sarrus_result_info_read(context, path, &info), SARRUS_OK);
    sarrus_context_destroy(context);
    assert_int_equal(info.complete, 0);
    assert_int_equal(info.n_failed, 0);
    double *q = rows_read(path, info.n_times + 1, dims);
    assert_int_equal(dims[0], info.n_instances);
    assert_int_equal(dims[1], info.n_times + 1);
    for (hsize_t i = 0; i < dims[0]; ++i)
        for (hsize_t k = 0; k < dims[1] * dims[2]; ++k)
            assert_true(k < info.n_times * dims[2] ? isfinite(q[i * dims[1] * dims[2] + k]) : isnan(q[i * dims[1] * dims[2] + k]));
    free(q);
    return info.n_times;
}

/* The rows of a stopped run are the first ones of a run that went on. */
static void check_first_rows(const char *stopped, uint64_t n_times, const char *whole) {
    hsize_t dims[3], all[3];
    double *q_all = rows_read(whole, n_times, all), *q = rows_read(stopped, all[1], dims);
    for (int k = 0; k < 3; ++k)
        assert_int_equal(dims[k], all[k]);
    assert_memory_equal(q, q_all, (size_t)(dims[0] * dims[1] * dims[2]) * sizeof *q);
    free(q);
    free(q_all);
}

#define START(...) program_start((const char *const[]){__VA_ARGS__, NULL}, "stdout.txt", "stderr.txt")

static const char *scenario(const char *leaf) {
    static char path[PATH_MAX];
    (void)snprintf(path, sizeof path, "%s/%s", place_of_source("/scenarios"), leaf);
    return path;
}

/* An older result, of a run of its own, whose seed tells it from others. */
static void old_result_put(const char *path) {
    assert_int_equal(program_wait(START("run", scenario("pendulum.yaml"), "-o", path, "--seed", "4711", "--quiet", "--specialize",
                                        "off", "--set", "integrator.t_end=0.01")),
                     0);
}

static bool is_old_result(const char *path) {
    sarrus_result_info info;
    assert_int_equal(sarrus_result_info_read(NULL, path, &info), SARRUS_OK);
    return info.seed == 4711 && info.complete;
}

/* --- Before the first step ---------------------------------------------------------------------------------------------- */

static void planning_is_left_at_once(void **state) {
    (void)state;
    const double moments[] = {0.0, 0.03, 0.06, 0.12};
    FILE *file = fopen("wheel.yaml", "w");
    assert_non_null(file);
    sarrus_bench_wheel_write(file, 1000); /* planned for ten seconds */
    assert_int_equal(fclose(file), 0);
    for (int k = 0; k < 4; ++k) {
        const pid_t child = START("run", "wheel.yaml", "-o", "plan.h5");
        pause_for(moments[k]);
        end_with(child, k % 2 ? SIGTERM : SIGINT);
    }
    for (int k = 0; k < 2; ++k) {
        const pid_t child = START("check", "wheel.yaml");
        pause_for(moments[k + 1]);
        end_with(child, k % 2 ? SIGTERM : SIGINT);
    }
}

/* A batch of 50,000 instances is drawn, filled and assembled for some tenths of a second; a result that was there stays. */
static void preparing_leaves_no_file(void **state) {
    (void)state;
    for (int k = 0; k < 5; ++k) {
        old_result_put("batch.h5");
        const pid_t child = START("run", scenario("five_bar_monte_carlo.yaml"), "-o", "batch.h5", "--instances", "50000",
                                  "--threads", "1", "--specialize", "off", "--set", "output={interval: 1, channels: [state]}");
        pause_for(0.05 + 0.05 * k);
        end_with(child, SIGTERM);
        if (!is_old_result("batch.h5"))
            (void)check_stopped_file("batch.h5"); /* it had come as far as the steps */
        assert_false(file_exists("batch.h5.partial"));
    }
}

/* --- Steps ------------------------------------------------------------------------------------------------------------------ */

/* Steps of an adaptive method at a tolerance that takes more than a minute for a slice, of a mechanism whose singular passages ask
 * for decompositions of a second and more. */
static void slow_steps_are_stopped(void **state) {
    (void)state;
    for (int k = 0; k < 3; ++k) {
        (void)remove("slow.h5");
        const pid_t child = START("run", scenario("n_four_bar_40.yaml"), "-o", "slow.h5", "--set", "integrator.method=verner65",
                                  "--set", "integrator.rtol=1e-12", "--set", "integrator.atol=1e-12", "--set",
                                  "integrator.t_end=1e4", "--specialize", "off");
        wait_for_file("slow.h5.partial");
        pause_for(0.3 + 0.7 * k);
        end_with(child, k % 2 ? SIGINT : SIGTERM);
        assert_true(check_stopped_file("slow.h5") < 1000001);
    }
}

/* Rows that are in the file are those of a run that is not stopped, of all instances, whenever it comes. */
static void rows_are_complete_or_not_there(void **state) {
    (void)state;
    static const char *const methods[] = {"integrator.method=rk4", "integrator.method=verner65"};
    for (int i = 0; i < 2; ++i) {
        assert_int_equal(program_wait(START("run", scenario("five_bar_monte_carlo.yaml"), "-o", "whole.h5", "--set", methods[i],
                                            "--set", "integrator.t_end=3", "--specialize", "off", "--instances", "500", "--quiet")),
                         0);
        for (int k = 0; k < 4; ++k) {
            (void)remove("part.h5");
            const pid_t child = START("run", scenario("five_bar_monte_carlo.yaml"), "-o", "part.h5", "--set", methods[i], "--set",
                                      "integrator.t_end=100", "--specialize", "off", "--instances", "500");
            wait_for_file("part.h5.partial");
            pause_for(0.05 + 0.11 * k);
            end_with(child, SIGTERM);
            const uint64_t n_times = check_stopped_file("part.h5");
            print_message("%llu times\n", (unsigned long long)n_times);
            if (n_times > 0)
                check_first_rows("part.h5", n_times, "whole.h5");
            assert_false(file_exists("part.h5.partial"));
        }
    }
}

/* --- Writing ---------------------------------------------------------------------------------------------------------------- */

/* What the program and its threads have computed, s; hundredths. */
static double work_of(pid_t child) {
    char path[64], text[512] = "";
    unsigned long user = 0, system = 0;
    (void)snprintf(path, sizeof path, "/proc/%ld/stat", (long)child);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    (void)fclose(file);
    const char *after_name = strrchr(text, ')');
    assert_non_null(after_name);
    assert_int_equal(sscanf(after_name, ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user, &system), 2);
    return (double)(user + system) / (double)sysconf(_SC_CLK_TCK);
}

/* The same of all that have ended. */
static double work_of_ended(void) {
    struct rusage usage;
    assert_int_equal(getrusage(RUSAGE_CHILDREN, &usage), 0);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

/* More numbers than can be compressed in a while: blocks are full, or nearly so, whenever it comes. What is left to do is told in
 * the time of a processor, which depends less on what else the machine does: 60 to 130 ms were seen, and 212 ms of a core whose
 * other thread was busy. */
static void writing_is_stopped(void **state) {
    (void)state;
    double work = 0.0;
    for (int k = 0; k < 4; ++k) {
        (void)remove("writing.h5");
        const pid_t child =
            START("run", scenario("five_bar_monte_carlo.yaml"), "-o", "writing.h5", "--instances", "20000", "--threads", "1",
                  "--specialize", "off", "--set", "integrator={method: rk4, dt: 1e-3, t_end: 10}", "--set",
                  "output={every: 1, channels: [state,energy,constraint,rank,reactions,work,singular_values]}");
        wait_for_file("writing.h5.partial");
        pause_for(0.8 + 0.5 * k);
        const double before = work_of(child) + work_of_ended();
        end_with(child, k % 2 ? SIGINT : SIGTERM);
        work += work_of_ended() - before;
        print_message("%llu times\n", (unsigned long long)check_stopped_file("writing.h5"));
    }
    print_message("%.0f ms of a processor in the mean\n", 1e3 * work / 4.0);
    assert_true(getenv("SARRUS_FEW_CASES") != NULL || work / 4.0 < 0.5);
}

/* A thousand million output times. */
static void many_output_times_are_no_matter(void **state) {
    (void)state;
    for (int k = 0; k < 4; ++k) {
        (void)remove("many.h5");
        const pid_t child = START("run", scenario("double_pendulum.yaml"), "-o", "many.h5", "--specialize", "off", "--set",
                                  "integrator={method: dopri5, dt: 1e-2, t_end: 1e7}", "--set", "output={interval: 0.01}");
        pause_for(0.2 + 0.4 * k);
        end_with(child, k % 2 ? SIGINT : SIGTERM);
        if (file_exists("many.h5"))
            print_message("%llu times\n", (unsigned long long)check_stopped_file("many.h5"));
    }
}

/* --- Compilers -------------------------------------------------------------------------------------------------------------- */

/* Whether the process whose number stands in the file is at work: not gone, and not a dead one that nobody has asked for. */
static bool is_at_work(const char *leaf) {
    char text[MAX_SAID], path[64], stat_text[512] = "";
    text_read(leaf, text);
    (void)snprintf(path, sizeof path, "/proc/%ld/stat", strtol(text, NULL, 10));
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return false;
    const size_t n = fread(stat_text, 1, sizeof stat_text - 1, file);
    (void)fclose(file);
    stat_text[n] = '\0';
    const char *after_name = strrchr(stat_text, ')');
    return after_name != NULL && strlen(after_name) > 2 && after_name[2] != 'Z' && after_name[2] != 'X';
}

static void compile_slowly(void) {
    (void)remove("first");
    (void)remove("second");
    assert_int_equal(setenv("SARRUS_CACHE_DIR", path_here("cache"), 1), 0);
    assert_int_equal(setenv("SARRUS_CC", path_here("slow_cc"), 1), 0);
}

static void compilers_are_gone(void) {
    const double deadline = sarrus_monotonic_seconds() + 5.0;
    while ((is_at_work("first") || is_at_work("second")) && sarrus_monotonic_seconds() < deadline)
        pause_for(0.01); /* killed, and on their way */
    assert_false(is_at_work("first"));
    assert_false(is_at_work("second"));
    assert_int_equal(rmdir("cache"), 0); /* nothing was left in it */
}

static void a_compiler_that_is_waited_for_is_killed(void **state) {
    (void)state;
    for (int k = 0; k < 2; ++k) {
        old_result_put("compiled.h5");
        compile_slowly();
        const pid_t child = START("run", scenario("five_bar.yaml"), "-o", "compiled.h5", "--specialize", "on");
        wait_for_file("first");
        pause_for(0.2 * k);
        end_with(child, k ? SIGINT : SIGTERM);
        compilers_are_gone();
        char text[MAX_SAID];
        assert_true(is_old_result("compiled.h5"));
        text_read("stderr.txt", text);
        assert_non_null(strstr(text, "stopped before the first output; nothing was written"));
        text_read("stdout.txt", text);
        assert_string_equal(text, "");
    }
}

static void a_compiler_beside_the_steps_is_killed(void **state) {
    (void)state;
    (void)remove("beside.h5");
    compile_slowly();
    const pid_t child = START("run", scenario("five_bar_monte_carlo.yaml"), "-o", "beside.h5", "--set", "integrator.t_end=1e4",
                              "--set", "output.interval=1", "--instances", "2000", "--specialize", "auto");
    wait_for_file("first");
    pause_for(0.3);
    end_with(child, SIGTERM);
    compilers_are_gone();
    (void)check_stopped_file("beside.h5");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(planning_is_left_at_once),
        cmocka_unit_test(preparing_leaves_no_file),
        cmocka_unit_test(slow_steps_are_stopped),
        cmocka_unit_test(rows_are_complete_or_not_there),
        cmocka_unit_test(writing_is_stopped),
        cmocka_unit_test(many_output_times_are_no_matter),
        cmocka_unit_test(a_compiler_that_is_waited_for_is_killed),
        cmocka_unit_test(a_compiler_beside_the_steps_is_killed),
    };
    return cmocka_run_group_tests(tests, enter, folder_leave);
}

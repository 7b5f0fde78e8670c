/* Claims: mechanisms of thousands of bodies are checked in seconds; what is too large, in itself or for the memory, is refused with
 * one message and the documented exit code; SIGINT and SIGTERM end planning and what follows it soon. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <time.h>

#include "bench/plan_scenarios.h"
#include "cli/program.h"
#include "core/monotonic.h"

/* s. A fifth of a second on an idle machine, this one may be busy. */
static const double SOON = 1.0;

static void scenario_write(const char *path, void (*write)(FILE *out, int n), int n) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    write(file, n);
    assert_int_equal(fclose(file), 0);
}

static int count_lines(const char *text) {
    int n = 0;
    for (; *text; ++text)
        n += *text == '\n';
    return n;
}

static void ten_thousand_bodies_are_checked(void **state) {
    (void)state;
    scenario_write("chain.yaml", sarrus_bench_chain_write, 10000);
    const double begun = sarrus_monotonic_seconds();
    said *s = RUN("check", "chain.yaml");
    print_message("10,000 bodies in %.1f s\n", sarrus_monotonic_seconds() - begun);
    assert_int_equal(s->code, 0);
    assert_true(sarrus_monotonic_seconds() - begun < 150.0);
    assert_non_null(strstr(s->out, "constraints m           20000"));
    assert_non_null(strstr(s->out, "20000, the largest in"));
    assert_non_null(strstr(s->out, "10000 = n - r"));
    assert_non_null(strstr(s->out, "unique in 10000 of 10000 joints"));
    assert_true(count_lines(s->out) < 200);
}

static void what_is_too_large_is_refused(void **state) {
    (void)state;
    scenario_write("too_many.yaml", sarrus_bench_chain_write, 16001);
    said *s = RUN("check", "too_many.yaml");
    assert_int_equal(s->code, 2);
    assert_non_null(strstr(s->err, "too_many.yaml:6:3: error: the mechanism has 16001 bodies; expected at most 16000"));
    assert_int_equal(count_lines(s->err), 3);
    scenario_write("pins.yaml", sarrus_bench_pins_write, 22001);
    s = RUN("check", "pins.yaml");
    assert_int_equal(s->code, 2);
    assert_non_null(strstr(s->err, "the joints have 44002 constraints, drives included; expected at most 44000"));
    /* More tiles than any machine holds. */
    scenario_write("small.yaml", sarrus_bench_chain_write, 100);
    s = RUN("run", "small.yaml", "-o", "small.h5", "--instances", "1000000000");
    assert_int_equal(s->code, 3);
    assert_non_null(strstr(s->err, "error: the batch needs about"));
    assert_false(file_exists("small.h5"));
}

static void end_after(const char *const *arguments, double seconds, int number) {
    const struct timespec pause = {(time_t)seconds, (long)(1e9 * (seconds - (double)(time_t)seconds))};
    const pid_t child = program_start(arguments, "out.txt", "err.txt");
    (void)nanosleep(&pause, NULL);
    const double began = sarrus_monotonic_seconds();
    assert_int_equal(kill(child, number), 0);
    assert_int_equal(program_wait(child), 128 + number);
    print_message("ended within %.0f ms\n", 1e3 * (sarrus_monotonic_seconds() - began));
    assert_true(sarrus_monotonic_seconds() - began < SOON);
}

static void signals_end_it_in_every_phase(void **state) {
    (void)state;
    scenario_write("wheel.yaml", sarrus_bench_wheel_write, 1100);
    scenario_write("ladder.yaml", sarrus_bench_ladder_write, 400);
    const char *const check[] = {"check", "wheel.yaml", NULL};
    const char *const run[] = {"run", "ladder.yaml", "-o", "ladder.h5", "--quiet", "--set", "integrator.t_end=1000", NULL};
    const double moments[] = {0.05, 0.3, 1.0, 2.5};
    for (size_t i = 0; i < sizeof moments / sizeof moments[0]; ++i) {
        end_after(check, moments[i], i % 2 ? SIGTERM : SIGINT);
        end_after(run, moments[i], i % 2 ? SIGINT : SIGTERM);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ten_thousand_bodies_are_checked),
        cmocka_unit_test(what_is_too_large_is_refused),
        cmocka_unit_test(signals_end_it_in_every_phase),
    };
    return cmocka_run_group_tests(tests, folder_enter, folder_leave);
}

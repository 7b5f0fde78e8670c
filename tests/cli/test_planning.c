/* Claims: mechanisms of thousands of bodies are checked in seconds; what is too large, in itself or for the memory, is refused with
 * one message and the documented exit code; a run is not refused for work space that hardly any run touches; SIGINT and SIGTERM end
 * planning and what follows it soon. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <sys/resource.h>
#include <time.h>

#include <hdf5.h>

#include "bench/plan/scenarios.h"
#include "cli/program.h"
#include "core/monotonic.h"
#include "sarrus/sarrus.h"
#include "tests/support/sanitized.h"

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

/* The state at the end of a run of `arguments`, behind its own name. */
static void final_state_read(const char *path, double *q, int n) {
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT), dataset = H5Dopen2(file, "state/q", H5P_DEFAULT);
    hid_t space = H5Dget_space(dataset);
    assert_true(space >= 0);
    hsize_t dims[3], first[3] = {0, 0, 0}, count[3] = {1, 1, (hsize_t)n};
    assert_int_equal(H5Sget_simple_extent_dims(space, dims, NULL), 3);
    assert_int_equal(dims[2], n);
    first[1] = dims[1] - 1;
    hid_t memory = H5Screate_simple(3, count, NULL);
    assert_true(H5Sselect_hyperslab(space, H5S_SELECT_SET, first, NULL, count, NULL) >= 0);
    assert_true(H5Dread(dataset, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, q) >= 0);
    H5Sclose(memory);
    H5Sclose(space);
    H5Dclose(dataset);
    H5Fclose(file);
}

/* Rank-revealing work space for all rows would be 5 GB here; memory for some is enough, and gives the same bits. */
static void a_run_needs_no_memory_for_what_it_hardly_ever_does(void **state) {
    (void)state;
    enum { N_BODIES = 3000, GIGABYTE = 1 << 30 };
    static double q[2][3 * N_BODIES];
    struct rlimit before;
    if (IS_SANITIZED)
        skip();
    scenario_write("long.yaml", sarrus_bench_chain_write, N_BODIES);
    const char *const settings = "integrator={method: rk4, dt: 1.0e-5, t_end: 1.0e-4}";
    said *s = RUN("run", "long.yaml", "-o", "long.h5", "--quiet", "--set", settings, "--set", "output={interval: 1.0e-4}");
    assert_int_equal(s->code, 0);
    assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
    assert_int_equal(setrlimit(RLIMIT_AS, &(struct rlimit){GIGABYTE, before.rlim_max}), 0);
    s = RUN("run", "long.yaml", "-o", "short.h5", "--quiet", "--set", settings, "--set", "output={interval: 1.0e-4}");
    assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
    assert_int_equal(s->code, 0);
    assert_non_null(strstr(s->err, "warning: there is memory for "));
    assert_non_null(strstr(s->err, " of the 6000 constraints to be in doubt at a time"));
    final_state_read("long.h5", q[0], 3 * N_BODIES);
    final_state_read("short.h5", q[1], 3 * N_BODIES);
    assert_memory_equal(q[0], q[1], sizeof q[0]);
}

/* HDF5 crashes where it gets no memory; 450 datasets of reactions want some. */
static void a_limit_of_memory_is_refused_before_hdf5_meets_it(void **state) {
    (void)state;
    struct rlimit before;
    int n_refused = 0, n_done = 0;
    if (IS_SANITIZED)
        skip();
    scenario_write("row.yaml", sarrus_bench_ladder_write, 150);
    assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
    for (rlim_t megabytes = 130; megabytes <= 400; megabytes += megabytes < 240 ? 10 : 40) {
        assert_int_equal(setrlimit(RLIMIT_AS, &(struct rlimit){megabytes << 20, before.rlim_max}), 0);
        const said *s = RUN("run", "row.yaml", "-o", "row.h5", "--quiet", "--specialize", "off", "--set",
                            "integrator={method: rk4, dt: 1.0e-3, t_end: 2.0e-3}", "--set",
                            "output={interval: 1.0e-3, channels: [state, reactions]}");
        assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
        assert_true(s->code == 0 || s->code == 3);
        assert_null(strstr(s->err, "internal failure"));
        assert_null(strstr(s->err, "a library"));
        n_done += s->code == 0;
        n_refused += s->code == 3;
        if (s->code == 3)
            assert_non_null(strstr(s->err, " needs about "));
    }
    assert_true(n_done > 0 && n_refused > 0);
}

/* Singular values at the cut are those of all rows: what memory for some would say of them is no failure of an instance. A lane
 * needs 52 MB: 16 instances by 8 threads 840 MB, whatever the width of a tile. */
static void singular_values_need_memory_for_all_rows(void **state) {
    (void)state;
    enum { LIMIT = 400 << 20 };
    struct rlimit before;
    if (IS_SANITIZED)
        skip();
    scenario_write("rows.yaml", sarrus_bench_ladder_write, 300);
    assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
    assert_int_equal(setrlimit(RLIMIT_AS, &(struct rlimit){LIMIT, before.rlim_max}), 0);
    const said *s = RUN("run", "rows.yaml", "-o", "rows.h5", "--quiet", "--specialize", "off", "--instances", "16", "--threads",
                        "8", "--set", "integrator.t_end=0", "--set", "output={interval: 1, channels: [state, singular_values]}");
    sarrus_model *model = NULL;
    sarrus_plan *plan = NULL;
    sarrus_batch *batch = NULL;
    double kept[8] = {0.0};
    const sarrus_batch_options options = {.backend = SARRUS_BACKEND_CPU, .isa = "baseline", .n_threads = 4};
    sarrus_observation o = {.n_times = 1, .n_times_stride = 1, .observe_first = 1};
    assert_int_equal(sarrus_scenario_read_file(NULL, "rows.yaml", NULL, 0, &model), SARRUS_OK);
    assert_int_equal(sarrus_plan_create(NULL, model, &plan), SARRUS_OK);
    const sarrus_status made = sarrus_batch_create(NULL, plan, &options, 8, NULL, &batch);
    assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
    assert_int_equal(s->code, 3);
    assert_non_null(strstr(s->err, "error: the batch needs about "));
    assert_int_equal(made, SARRUS_OK);
    o.destination[SARRUS_OBSERVE_KEPT] = kept;
    assert_int_equal(sarrus_batch_observe(batch, &o), SARRUS_NO_MEMORY);
    sarrus_batch_destroy(batch);
    sarrus_plan_destroy(plan);
    sarrus_model_destroy(model);
}

/* More datasets than a dimension scale can list: reactions of so many joints. */
static void a_result_has_room_for_thousands_of_joints(void **state) {
    (void)state;
    scenario_write("joints.yaml", sarrus_bench_chain_write, 4200);
    const said *s =
        RUN("run", "joints.yaml", "-o", "joints.h5", "--quiet", "--set", "integrator={method: rk4, dt: 1.0e-5, t_end: 1.0e-5}",
            "--set", "output={interval: 1.0e-5, channels: [reactions]}");
    assert_null(strstr(s->err, "error"));
    assert_int_equal(s->code, 0);
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
        cmocka_unit_test(a_run_needs_no_memory_for_what_it_hardly_ever_does),
        cmocka_unit_test(a_limit_of_memory_is_refused_before_hdf5_meets_it),
        cmocka_unit_test(singular_values_need_memory_for_all_rows),
        cmocka_unit_test(a_result_has_room_for_thousands_of_joints),
        cmocka_unit_test(signals_end_it_in_every_phase),
    };
    return cmocka_run_group_tests(tests, folder_enter, folder_leave);
}

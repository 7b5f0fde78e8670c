/* `sarrus run --backend cuda` on a real GPU against `--backend cpu`: result files as a user would compare them. Skipped where there
 * is no GPU, which the program itself says by its exit code. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <hdf5.h>

#include "edge/exit_code.h"
#include "cli/program.h"

/* 100 steps. An evaluation is good to 1e-12 of its largest number, a step adds dt times that; what is left of it after 100 steps is
 * below 1e-12 again, and neighboring motions of these mechanisms part by less than a thousandfold in so short a time. */
static const double TOLERANCE = 1e-9;

typedef struct numbers {
    double *value;
    size_t n;
} numbers;

static numbers dataset_read(const char *path, const char *name) {
    numbers got = {NULL, 0};
    const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(file >= 0);
    const hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT), space = H5Dget_space(dataset);
    assert_true(dataset >= 0);
    got.n = (size_t)H5Sget_simple_extent_npoints(space);
    got.value = malloc((got.n + 1) * sizeof *got.value);
    assert_non_null(got.value);
    assert_true(H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, got.value) >= 0);
    H5Sclose(space);
    H5Dclose(dataset);
    H5Fclose(file);
    return got;
}

/* Every number of the dataset, relative to the largest in it; tolerance 0: the same bits. */
static void datasets_compare(const char *what, const char *expected_file, const char *actual_file, const char *name,
                             double tolerance) {
    numbers expected = dataset_read(expected_file, name), actual = dataset_read(actual_file, name);
    double largest = 0.0, apart = 0.0;
    assert_int_equal(expected.n, actual.n);
    for (size_t i = 0; i < expected.n; ++i) {
        largest = fmax(largest, fabs(expected.value[i]));
        apart = fmax(apart, fabs(actual.value[i] - expected.value[i]));
        assert_int_equal(isnan(expected.value[i]), isnan(actual.value[i]));
    }
    print_message("%s, %s: apart by %.3g of %.3g\n", what, name, apart, largest);
    assert_true(apart <= tolerance * largest);
    free(expected.value);
    free(actual.value);
}

/* Runs the scenario with one more setting, or NULL, into `out`. */
static void run_into(const char *out, const char *backend, const char *scenario, const char *instances, const char *t_end,
                     const char *setting) {
    char path[4096];
    (void)snprintf(path, sizeof path, "%s/%s.yaml", place_of_source("/scenarios"), scenario);
    const said *s = RUN("run", path, "--backend", backend, "--instances", instances, "-o", out, "--quiet", "--set", t_end, "--set",
                        setting != NULL ? setting : "dynamics.formulation=udwadia-kalaba");
    if (s->code != SARRUS_EXIT_DONE)
        fail_msg("%s with %s on %s: exit code %d: %s", scenario, setting != NULL ? setting : "nothing", backend, s->code, s->err);
}

static void test_scenarios(void **state) {
    (void)state;
    const char *const scenarios[][2] = {{"five_bar_monte_carlo", "integrator.t_end=0.1"},
                                        {"five_bar_singular", "integrator.t_end=0.1"},
                                        {"four_bar", "integrator.t_end=0.1"},
                                        {"slider_crank", "integrator.t_end=0.1"},
                                        {"driven_crank", "integrator.t_end=0.1"},
                                        {"double_pendulum", "integrator.t_end=0.1"},
                                        {"n_four_bar_2", "integrator.t_end=0.1"},
                                        {"andrews", "integrator.t_end=4e-4"}};
    for (size_t i = 0; i < sizeof scenarios / sizeof scenarios[0]; ++i) {
        run_into("cpu.h5", "cpu", scenarios[i][0], "70", scenarios[i][1], NULL);
        run_into("cuda.h5", "cuda", scenarios[i][0], "70", scenarios[i][1], NULL);
        datasets_compare(scenarios[i][0], "cpu.h5", "cuda.h5", "state/q", TOLERANCE);
        datasets_compare(scenarios[i][0], "cpu.h5", "cuda.h5", "state/v", TOLERANCE);
        datasets_compare(scenarios[i][0], "cpu.h5", "cuda.h5", "instance/status", 0.0);
    }
}

static void test_settings(void **state) {
    (void)state;
    const char *const settings[] = {
        "integrator.method=dopri5",        "integrator.method=verner65", "integrator.method=adams-moulton",
        "integrator.method=semi-implicit", "dynamics.pinv=svd",          "dynamics.pinv=householder",
        "dynamics.projection=every_step"};
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; ++i) {
        run_into("cpu.h5", "cpu", "four_bar", "70", "integrator.t_end=0.1", settings[i]);
        run_into("cuda.h5", "cuda", "four_bar", "70", "integrator.t_end=0.1", settings[i]);
        datasets_compare(settings[i], "cpu.h5", "cuda.h5", "state/q", TOLERANCE);
        datasets_compare(settings[i], "cpu.h5", "cuda.h5", "state/v", TOLERANCE);
    }
}

/* An instance's bits depend neither on the size of the batch nor on the run. */
static void test_bits(void **state) {
    (void)state;
    run_into("many.h5", "cuda", "five_bar_monte_carlo", "1000", "integrator.t_end=0.1", NULL);
    run_into("again.h5", "cuda", "five_bar_monte_carlo", "1000", "integrator.t_end=0.1", NULL);
    run_into("few.h5", "cuda", "five_bar_monte_carlo", "37", "integrator.t_end=0.1", NULL);
    datasets_compare("again", "many.h5", "again.h5", "state/q", 0.0);
    numbers many = dataset_read("many.h5", "state/q"), few = dataset_read("few.h5", "state/q");
    assert_memory_equal(many.value, few.value, few.n * sizeof *few.value);
    free(many.value);
    free(few.value);
}

/* Through cuSOLVER, where it is within reach. */
static void test_staged(void **state) {
    (void)state;
    const char *const methods[] = {"dynamics.pinv=cusolver-svd", "dynamics.pinv=cusolver-syev"};
    run_into("cpu.h5", "cpu", "four_bar", "70", "integrator.t_end=0.1", "dynamics.pinv=svd");
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; ++i) {
        const said *s = RUN("run", place_of_source("/scenarios/four_bar.yaml"), "--backend", "cuda", "--instances", "70", "-o",
                            "cuda.h5", "--quiet", "--set", "integrator.t_end=0.1", "--set", methods[i]);
        if (s->code == SARRUS_EXIT_NO_BACKEND) {
            print_message("%s left out: %s", methods[i], s->err);
            continue;
        }
        assert_int_equal(s->code, SARRUS_EXIT_DONE);
        /* The Gram matrix squares the condition, which is below 1e3 here. */
        datasets_compare(methods[i], "cpu.h5", "cuda.h5", "state/q", i == 0 ? TOLERANCE : 1e3 * TOLERANCE);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scenarios),
        cmocka_unit_test(test_settings),
        cmocka_unit_test(test_bits),
        cmocka_unit_test(test_staged),
    };
    void *folder = NULL;
    if (folder_enter(&folder) != 0)
        return 1;
    const int code = RUN("run", place_of_source("/scenarios/pendulum.yaml"), "--backend", "cuda", "--quiet", "-o", "probe.h5",
                         "--set", "integrator.t_end=0.01")
                         ->code;
    const int failed = code == SARRUS_EXIT_NO_BACKEND ? 77 : cmocka_run_group_tests(tests, NULL, NULL);
    return folder_leave(&folder) == 0 ? failed : 1;
}

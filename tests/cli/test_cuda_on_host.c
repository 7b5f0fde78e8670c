/* The program on an emulated GPU and beside emulated libraries: what it says and how it ends. The test is the program, too: with
 * arguments it emulates what PLAYED_… say and is `sarrus`. */
#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "edge/exit_code.h"
#include "cli/program.h"
#include "tests/backend/cusolver_on_host.h"
#include "tests/backend/gpu_on_host.h"
#include "tests/backend/gpu_pinv_on_host.h"
#include "tests/backend/gpu_staged_on_host.h"
#include "tests/backend/gpu_yardstick_on_host.h"
#include "tests/support/replay_rows.h"

static int program_main(int argc, char **argv);
#define main program_main
#include "cli/main.c" /* the program's own sources are in no library */
#undef main

/* --- What is emulated ----------------------------------------------------------------------------------------------------- */

static int number_of(const char *name, int otherwise) {
    const char *text = getenv(name);
    return text != NULL ? atoi(text) : otherwise;
}

static void device_play(void) {
    static sarrus_gpu table;
    gpu_on_host_reset(&(gpu_on_host_settings){.n_devices = number_of("PLAYED_DEVICES", 1),
                                              .n_bytes = (size_t)number_of("PLAYED_BYTES", 0),
                                              .i_launch_lost = number_of("PLAYED_LOST", 0)});
    cusolver_on_host_reset(&(cusolver_on_host_settings){.every_unconverged = number_of("PLAYED_UNCONVERGED", 0)});
    table = gpu_on_host;
    table.pinv = &gpu_pinv_on_host;
    table.staged = &gpu_staged_on_host;
    table.yardstick = &gpu_yardstick_on_host;
    sarrus_gpu_replace(&table);
    if (getenv("PLAYED_MISSING") == NULL)
        sarrus_cusolver_replace(&cusolver_on_host);
}

static _Thread_local char loader_error[256];

/* In the place of the system's: libraries whose name has $PLAYED_MISSING in it are nowhere, but for those of release 11, which need
 * another one that is not there; others of CUDA are there, and empty. */
void *dlopen(const char *file, int mode) {
    void *(*original)(const char *, int) = NULL;
    void *symbol = dlsym(RTLD_NEXT, "dlopen");
    const char *missing = getenv("PLAYED_MISSING");
    memcpy(&original, &symbol, sizeof original);
    loader_error[0] = '\0';
    if (missing == NULL || file == NULL)
        return original(file, mode);
    if (strstr(file, missing) != NULL) {
        (void)snprintf(loader_error, sizeof loader_error, "%s: cannot open shared object file: No such file or directory",
                       strstr(file, ".so.11") != NULL ? "libcublasLt.so.11" : file);
        return NULL;
    }
    return strstr(file, "libcusolver") != NULL || strstr(file, "libcublas") != NULL ? original(NULL, mode) : original(file, mode);
}

char *dlerror(void) {
    static _Thread_local char told[sizeof loader_error];
    char *(*original)(void) = NULL;
    void *symbol = dlsym(RTLD_NEXT, "dlerror");
    memcpy(&original, &symbol, sizeof original);
    if (loader_error[0] == '\0')
        return original();
    memcpy(told, loader_error, sizeof told);
    loader_error[0] = '\0';
    return told;
}

/* --- What it says --------------------------------------------------------------------------------------------------------- */

static void play(const char *name, const char *value) {
    static const char *const names[] = {"PLAYED_DEVICES", "PLAYED_BYTES", "PLAYED_LOST", "PLAYED_UNCONVERGED", "PLAYED_MISSING"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i)
        assert_int_equal(unsetenv(names[i]), 0);
    if (name != NULL)
        assert_int_equal(setenv(name, value, 1), 0);
}

static const said *run_with(const char *backend, const char *setting) {
    (void)remove("out.h5");
    return RUN("run", place_of_source("/scenarios/four_bar.yaml"), "--backend", backend, "--instances", "40", "-o", "out.h5",
               "--specialize", "off", "--set", "integrator.t_end=0.02", "--set", setting);
}

static void says(const char *text, const char *words) {
    if (strstr(text, words) == NULL)
        fail_msg("no '%s' in: %s", words, text);
}

/* A backend that cannot be had: exit code 4, a sentence on standard error, no summary, no file. */
static void is_refused(const said *s, const char *const *words) {
    assert_int_equal(s->code, SARRUS_EXIT_NO_BACKEND);
    assert_string_equal(s->out, "");
    assert_false(file_exists("out.h5"));
    for (; *words != NULL; ++words)
        says(s->err, *words);
}

static void a_run_on_the_device(void **state) {
    (void)state;
    play(NULL, NULL);
    const said *s = run_with("cuda", "dynamics.pinv=auto");
    assert_int_equal(s->code, SARRUS_EXIT_DONE);
    says(s->out, "instance-steps/s on cuda (host (sm_90))");
    assert_null(strstr(s->out, "library"));
    s = RUN("info", "out.h5");
    assert_int_equal(s->code, SARRUS_EXIT_DONE);
    says(s->out, "cuda");
    play("PLAYED_BYTES", "800000");
    s = RUN("run", place_of_source("/scenarios/four_bar.yaml"), "--backend", "cuda", "--instances", "400", "-o", "out.h5", "--set",
            "integrator.t_end=0.02");
    says(s->out, "on cuda (host (sm_90), out of core)");
    play(NULL, NULL);
    s = RUN("list", "backends");
    assert_int_equal(s->code, SARRUS_EXIT_DONE);
    says(s->out, "cuda ");
}

/* Constraints beside joints have no kernels for a device: who asks for one is told, and nobody else is given one. */
static void a_gear_on_the_device(void **state) {
    (void)state;
    play(NULL, NULL);
    (void)remove("out.h5");
    const char *train = place_of_source("/scenarios/planetary_train.yaml");
    is_refused(
        RUN("run", train, "--backend", "cuda", "-o", "out.h5", "--set", "integrator.t_end=0.02"),
        (const char *const[]){"constraints beside joints run on the processor only; expected backend 'cpu' or 'auto'", NULL});
    const said *s = RUN("run", train, "--backend", "auto", "-o", "out.h5", "--instances", "40", "--set", "integrator.t_end=0.02");
    assert_int_equal(s->code, SARRUS_EXIT_DONE);
    says(s->out, "on cpu");
}

/* Mechanisms in space and steps in relative coordinates, and both: of two devices, and one instance of them alone. */
static void space_and_trees_on_the_device(void **state) {
    (void)state;
    static const struct {
        const char *file, *setting;
    } cases[] = {{"/scenarios/spatial_four_bar.yaml", "dynamics.formulation=udwadia-kalaba"},
                 {"/scenarios/five_bar_monte_carlo.yaml", "dynamics.formulation=relative"},
                 {"/scenarios/spatial_four_bar.yaml", "dynamics.formulation=relative"},
                 {"/scenarios/heavy_top.yaml", "dynamics.formulation=relative"}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
        play("PLAYED_DEVICES", "2");
        const said *s = RUN("run", place_of_source(cases[k].file), "--backend", "cuda", "--instances", "70", "-o", "out.h5",
                            "--specialize", "off", "--set", "integrator.t_end=0.02", "--set", cases[k].setting);
        assert_int_equal(s->code, SARRUS_EXIT_DONE);
        says(s->out, "on cuda (2 x host (sm_90))");
        play(NULL, NULL);
        s = RUN("run", place_of_source(cases[k].file), "--backend", "cuda", "--instances", "70", "--instance", "37", "-o", "one.h5",
                "--specialize", "off", "--set", "integrator.t_end=0.02", "--set", cases[k].setting);
        assert_int_equal(s->code, SARRUS_EXIT_DONE);
        assert_true(replay_rows_compare("out.h5", "one.h5", 37).n_rows > 6);
    }
}

/* cuSOLVER is given the rows of the bodies, in space too; over a tree there are others. */
static void cusolver_in_space_and_over_trees(void **state) {
    (void)state;
    play(NULL, NULL);
    (void)remove("out.h5");
    const said *s = RUN("run", place_of_source("/scenarios/spatial_four_bar.yaml"), "--backend", "cuda", "--instances", "40", "-o",
                        "out.h5", "--set", "integrator.t_end=0.02", "--set", "dynamics.pinv=cusolver-svd");
    assert_int_equal(s->code, SARRUS_EXIT_DONE);
    says(s->out, " matrices by cuSOLVER, none of them again by the native SVD\n");
    (void)remove("out.h5");
    s = RUN("run", place_of_source("/scenarios/five_bar.yaml"), "--backend", "cuda", "-o", "out.h5", "--set",
            "dynamics.formulation=relative", "--set", "dynamics.pinv=cusolver-svd");
    assert_int_equal(s->code, SARRUS_EXIT_BAD_INPUT);
    says(s->err, "solves for all rows of the bodies, and relative coordinates leave few of them");
    assert_false(file_exists("out.h5"));
}

/* One instance alone has the bits that it has on two devices among others. */
static void a_replay_on_the_device(void **state) {
    (void)state;
    static const char *const methods[] = {"integrator.method=rk4", "integrator.method=semi-implicit", "integrator.method=dopri5",
                                          "integrator.method=adams-moulton"};
    static const char *const numbers[] = {"0", "37", "69"};
    for (size_t k = 0; k < 4; ++k) {
        play("PLAYED_DEVICES", "2");
        const said *s = RUN("run", place_of_source("/scenarios/change_point.yaml"), "--backend", "cuda", "--instances", "70", "-o",
                            "out.h5", "--specialize", "off", "--set", "integrator.t_end=0.05", "--set", methods[k]);
        assert_int_equal(s->code, SARRUS_EXIT_DONE);
        play(NULL, NULL);
        for (size_t i = 0; i < 3; ++i) {
            s = RUN("run", place_of_source("/scenarios/change_point.yaml"), "--backend", "cuda", "--instances", "70", "--instance",
                    numbers[i], "-o", "one.h5", "--specialize", "off", "--set", "integrator.t_end=0.05", "--set", methods[k]);
            assert_int_equal(s->code, SARRUS_EXIT_DONE);
            says(s->out, "on cuda (host (sm_90))");
            assert_true(replay_rows_compare("out.h5", "one.h5", strtoull(numbers[i], NULL, 10)).n_rows > 6);
        }
    }
}

/* The backend of the whole study is that of its instances: where it would run on a device, so does one of them. */
static void a_replay_runs_where_its_study_would(void **state) {
    (void)state;
    static const char *const study[] = {"1023", "1024"}, *const backends[] = {"on cpu (", "on cuda ("};
    play(NULL, NULL);
    for (int i = 0; i < 2; ++i) {
        const said *s = RUN("run", place_of_source("/scenarios/change_point.yaml"), "--instances", study[i], "--instance", "5",
                            "-o", "one.h5", "--specialize", "off", "--set", "integrator.t_end=0.01");
        assert_int_equal(s->code, SARRUS_EXIT_DONE);
        says(s->out, backends[i]);
    }
}

/* A method that fails in its own time: the step of its failure is the grid's, not the replay's. */
static void a_failure_on_the_device(void **state) {
    (void)state;
    play(NULL, NULL);
    const said *s = RUN("run", place_of_source("/scenarios/change_point.yaml"), "--backend", "cuda", "--instances", "40", "-o",
                        "out.h5", "--specialize", "off", "--set", "integrator={method: dopri5, t_end: 1, max_steps: 20}");
    assert_int_equal(s->code, SARRUS_EXIT_SOME_FAILED);
    s = RUN("run", place_of_source("/scenarios/change_point.yaml"), "--backend", "cuda", "--instances", "40", "--instance", "33",
            "-o", "one.h5", "--specialize", "off", "--set", "integrator={method: dopri5, t_end: 1, max_steps: 20}");
    assert_int_equal(s->code, SARRUS_EXIT_SOME_FAILED);
    const replay_rows found = replay_rows_compare("out.h5", "one.h5", 33);
    assert_true(found.status != 0 && found.failed_time > 0.0 && found.last_time <= found.failed_time);
}

static void no_device(void **state) {
    (void)state;
    play("PLAYED_DEVICES", "0");
    is_refused(run_with("cuda", "dynamics.pinv=auto"),
               (const char *const[]){"no CUDA device is usable here", "expected backend 'cpu' or 'auto'", NULL});
    is_refused(run_with("cuda", "dynamics.pinv=cusolver-svd"), (const char *const[]){"no CUDA device is usable here", NULL});
    is_refused(run_with("auto", "dynamics.pinv=cusolver-svd"), (const char *const[]){"'pinv: cusolver-svd'", NULL});
    assert_int_equal(run_with("auto", "dynamics.pinv=auto")->code, SARRUS_EXIT_DONE);
    play("PLAYED_DEVICES", "2");
    (void)remove("out.h5");
    is_refused(RUN("run", place_of_source("/scenarios/four_bar.yaml"), "--backend", "cuda", "-o", "out.h5", "--devices", "3"),
               (const char *const[]){"3 CUDA devices were asked for, but there are 2", NULL});
}

/* Which library, and where it was looked for. */
static void libraries_that_are_missing(void **state) {
    (void)state;
    static const char *const backends[] = {"cuda", "auto"}, *const methods[] = {"dynamics.pinv=cusolver-svd",
                                                                                "dynamics.pinv=cusolver-syev"};
    for (int i = 0; i < 4; ++i) {
        play("PLAYED_MISSING", "libcusolver");
        is_refused(run_with(backends[i / 2], methods[i % 2]),
                   (const char *const[]){"needs NVIDIA's cuSOLVER and cuBLAS",
                                         "libcusolver.so.11 does not load: libcublasLt.so.11: cannot open shared object", NULL});
        play("PLAYED_MISSING", "libcublas");
        is_refused(run_with(backends[i / 2], methods[i % 2]),
                   (const char *const[]){"no libcublas.so.13, libcublas.so.12, libcublas.so by the system's loader",
                                         "LD_LIBRARY_PATH", "nor in lib64", "/usr/local/cuda*", NULL});
    }
    /* Found, but something else. */
    play("PLAYED_MISSING", "nothing of that name");
    is_refused(run_with("cuda", methods[0]), (const char *const[]){"the library has no cusolverDnCreate", NULL});
}

/* The number behind `key` in a JSON text. */
static long count_of(const char *json, const char *key) {
    const char *at = strstr(json, key);
    assert_non_null(at);
    return strtol(at + strlen(key), NULL, 10);
}

static void refused_matrices_are_told(void **state) {
    (void)state;
    play(NULL, NULL);
    says(run_with("cuda", "dynamics.pinv=cusolver-svd")->out, " matrices by cuSOLVER, none of them again by the native SVD\n");
    play("PLAYED_UNCONVERGED", "8");
    const said *s = run_with("cuda", "dynamics.pinv=cusolver-svd");
    assert_int_equal(s->code, SARRUS_EXIT_DONE);
    says(s->out, " of them again by the native SVD\n");
    assert_null(strstr(s->out, "none of them"));
    s = RUN("run", place_of_source("/scenarios/four_bar.yaml"), "--backend", "cuda", "--instances", "64", "-o", "out.h5", "--json",
            "--set", "dynamics.pinv=cusolver-svd", "--set", "integrator.t_end=0.02", "--set", "output.channels=[state]");
    assert_int_equal(s->code, SARRUS_EXIT_DONE);
    const long n_matrices = count_of(s->out, "\"library\": {\"n_matrices\": "), n_refused = count_of(s->out, "\"n_refused\": ");
    assert_int_equal(n_matrices,
                     64L * 4 * count_of(s->out, "\"n_steps\": ")); /* RK4, one question each: no member of a batch of 64 */
    assert_int_equal(n_refused, n_matrices / 8);                   /* is at a singular position */
}

static void a_device_that_is_lost(void **state) {
    (void)state;
    play("PLAYED_LOST", "4");
    const said *s = run_with("cuda", "dynamics.pinv=auto");
    assert_int_equal(s->code, SARRUS_EXIT_NO_BACKEND);
    says(s->err, "the device was lost");
    assert_false(file_exists("out.h5"));
    assert_false(file_exists("out.h5.partial")); /* nothing had been committed */
    play(NULL, NULL);
    s = run_with("cuda", "dynamics.pinv=auto");
    assert_int_equal(s->code, SARRUS_EXIT_DONE);
    play("PLAYED_LOST", "4");
    s = RUN("run", place_of_source("/scenarios/four_bar.yaml"), "--backend", "cuda", "-o", "out.h5", "--specialize", "off");
    assert_int_equal(s->code, SARRUS_EXIT_NO_BACKEND);
    play(NULL, NULL);
    s = RUN("info", "out.h5");
    assert_int_equal(s->code, SARRUS_EXIT_DONE);
    says(s->out, "out.h5: complete"); /* the one before */
}

static void without_a_device_to_bench(void **state) {
    (void)state;
    play("PLAYED_DEVICES", "0");
    const char *const names[] = {"pinv", "step"};
    file_write("kept.json", "figures of another day\n");
    for (int i = 0; i < 2; ++i) {
        const said *s = i == 0 ? RUN("bench", names[i], "--backend", "cuda", "--quick", "-o", "kept.json")
                               : RUN("bench", names[i], "--backend", "cuda", "--quick");
        assert_int_equal(s->code, SARRUS_EXIT_NO_BACKEND);
        says(s->err, "no usable device: no CUDA-capable device is detected");
    }
    char kept[MAX_SAID];
    text_read("kept.json", kept);
    assert_string_equal(kept, "figures of another day\n");
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_on_the_device),           cmocka_unit_test(a_gear_on_the_device),
        cmocka_unit_test(space_and_trees_on_the_device), cmocka_unit_test(cusolver_in_space_and_over_trees),
        cmocka_unit_test(a_replay_on_the_device),        cmocka_unit_test(a_replay_runs_where_its_study_would),
        cmocka_unit_test(a_failure_on_the_device),       cmocka_unit_test(no_device),
        cmocka_unit_test(libraries_that_are_missing),    cmocka_unit_test(refused_matrices_are_told),
        cmocka_unit_test(a_device_that_is_lost),         cmocka_unit_test(without_a_device_to_bench),
    };
    if (argc > 1) {
        device_play();
        return program_main(argc, argv);
    }
    return setenv("SARRUS_PROGRAM", "/proc/self/exe", 1) == 0 ? cmocka_run_group_tests(tests, folder_enter, folder_leave) : 1;
}

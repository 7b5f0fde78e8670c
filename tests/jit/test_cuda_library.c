/* Where NVIDIA's libraries are looked for, with others in their places: small ones that a C compiler makes here, in folders as
 * toolkits and Python's packages have them. Skipped where there is no compiler. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dlfcn.h>

#include "edge/kernel_places.h"
#include "jit/cuda_library.h"
#include "jit/nvrtc.h"
#include "tests/jit/cache_folder.h"

/* Names that no machine has. */
static const char *const NAMES[] = {"libsarrus_trial.so.13", "libsarrus_trial.so.12"};
static const sarrus_cuda_library TRIAL = {NAMES, 2, NULL}, WITH_PARTS = {NAMES, 2, "libsarrus_trial_part.so.*"};

static void compiler_require(void) {
    if (system("command -v cc >/dev/null") != 0)
        skip();
}

/* The library folder/path, of a C text and further words for the compiler. Its folders are made. */
static void library_make(const char *folder, const char *path, const char *text, const char *words) {
    char command[4 * PATH_MAX];
    const char *source = path_in(folder, "text.c");
    text_write(source, text, 0600);
    (void)snprintf(command, sizeof command, "cd '%s' && mkdir -p \"$(dirname '%s')\" && cc -shared -fPIC -o '%s' text.c %s", folder,
                   path, path, words);
    assert_int_equal(system(command), 0);
}

/* A library whose function trial() returns a number. */
static void trial_make(const char *folder, const char *path, int number) {
    char text[64];
    (void)snprintf(text, sizeof text, "int trial(void) { return %d; }\n", number);
    library_make(folder, path, text, "");
}

/* What trial() of the library returns that is found; −1 when none is. */
static int found(const sarrus_cuda_library *library, const char *prefixes, sarrus_fallback_reason *reason) {
    int (*trial)(void) = NULL;
    reason->text[0] = '\0';
    void *handle = sarrus_cuda_library_open(library, prefixes, reason);
    if (handle == NULL)
        return -1;
    void *symbol = dlsym(handle, "trial");
    memcpy(&trial, &symbol, sizeof symbol);
    assert_non_null(trial);
    const int number = trial();
    assert_int_equal(dlclose(handle), 0);
    assert_string_equal(reason->text, "");
    return number;
}

static void test_nowhere(void **state) {
    sarrus_fallback_reason reason;
    assert_int_equal(found(&TRIAL, NULL, &reason), -1);
    assert_string_equal(reason.text,
                        "no libsarrus_trial.so.13, libsarrus_trial.so.12 by the system's loader (LD_LIBRARY_PATH), nor in "
                        "lib64 or Python's packages of /usr/local/cuda*, /opt/cuda, /usr/lib/cuda, /usr/local, /usr");
    assert_int_equal(found(&TRIAL, *state, &reason), -1);
    assert_non_null(strstr(reason.text, *state));
    assert_int_equal(found(&TRIAL, "", &reason), -1);
    assert_int_equal(found(&TRIAL, ":relative::/nowhere:", &reason), -1);
}

/* Layouts of toolkits, of the wheels of CUDA 12 and 13 and of PyTorch, each by its prefix among others. A prefix is no pattern. */
static void test_layouts(void **state) {
    static const char *const places[] = {"toolkit/lib64", "cu12/lib/python3.11/site-packages/nvidia/cuda_nvrtc/lib",
                                         "cu13/lib/python3.9/site-packages/nvidia/cu13/lib",
                                         "debian/lib/python3/dist-packages/nvidia/cusolver/lib",
                                         "[x]* y/lib/python3.13/site-packages/torch/lib"};
    sarrus_fallback_reason reason;
    char path[PATH_MAX], prefixes[2 * PATH_MAX];
    compiler_require();
    for (int i = 0; i < 5; ++i) {
        (void)snprintf(path, sizeof path, "%s/libsarrus_trial.so.1%d", places[i], i % 2 == 0 ? 3 : 2);
        trial_make(*state, path, 10 + i);
        (void)snprintf(prefixes, sizeof prefixes, "/nowhere:%s/none:%s/%.*s", (const char *)*state, (const char *)*state,
                       (int)strcspn(places[i], "/"), places[i]);
        assert_int_equal(found(&TRIAL, prefixes, &reason), 10 + i);
    }
}

/* Toolkits come before packages, prefixes one after another, the newer of two releases and of two Pythons first. */
static void test_order(void **state) {
    static const char *const paths[] = {
        "a/lib/python3.11/site-packages/nvidia/cuda_nvrtc/lib/libsarrus_trial.so.12",
        "a/lib/python3.12/site-packages/nvidia/cuda_nvrtc/lib/libsarrus_trial.so.12",
        "a/lib/python3.12/site-packages/nvidia/cuda_nvrtc/lib/libsarrus_trial.so.13",
        "b/lib64/libsarrus_trial.so.12",
    };
    sarrus_fallback_reason reason;
    char prefixes[2 * PATH_MAX];
    compiler_require();
    (void)snprintf(prefixes, sizeof prefixes, "%s/a:%s/b", (const char *)*state, (const char *)*state);
    for (int i = 0; i < 4; ++i) {
        trial_make(*state, paths[i], 20 + i);
        assert_int_equal(found(&TRIAL, prefixes, &reason), 20 + i);
    }
    (void)snprintf(prefixes, sizeof prefixes, "%s/a", (const char *)*state);
    assert_int_equal(found(&TRIAL, prefixes, &reason), 22);
}

/* One that is there and lacks what it needs is told by what it lacks; a later one that loads is taken in its place. */
static void test_dependency(void **state) {
    sarrus_fallback_reason reason;
    char prefixes[2 * PATH_MAX];
    compiler_require();
    library_make(*state, "libsarrus_needed.so.7", "int needed(void) { return 7; }\n", "-Wl,-soname,libsarrus_needed.so.7");
    library_make(*state, "a/lib64/libsarrus_trial.so.13", "int needed(void);\nint trial(void) { return needed(); }\n",
                 "libsarrus_needed.so.7");
    (void)snprintf(prefixes, sizeof prefixes, "%s/a:%s/b", (const char *)*state, (const char *)*state);
    assert_int_equal(found(&TRIAL, prefixes, &reason), -1);
    assert_non_null(strstr(reason.text, "/a/lib64/libsarrus_trial.so.13 does not load: libsarrus_needed.so.7: cannot open"));
    trial_make(*state, "b/lib64/libsarrus_trial.so.12", 30);
    assert_int_equal(found(&TRIAL, prefixes, &reason), 30);
}

/* What the library asks for by name later is there: dlopen without a path finds nothing beside a library that was opened by one. */
static void test_companions(void **state) {
    static const char text[] = "#include <dlfcn.h>\n"
                               "int trial(void) { return dlopen(\"libsarrus_trial_part.so.13\", RTLD_NOW) != 0; }\n";
    sarrus_fallback_reason reason;
    compiler_require();
    library_make(*state, "lib64/libsarrus_trial_part.so.13", "int part;\n", "-Wl,-soname,libsarrus_trial_part.so.13");
    library_make(*state, "lib64/libsarrus_trial.so.13", text, "");
    assert_int_equal(found(&TRIAL, *state, &reason), 0);
    assert_int_equal(found(&WITH_PARTS, *state, &reason), 1);
}

/* The program's places, with and without the variables that name them. */
static void test_environment(void **state) {
    static const char *const names[] = {"CUDA_HOME", "CUDA_PATH", "VIRTUAL_ENV", "CONDA_PREFIX", "HOME"};
    char *before[5];
    sarrus_kernel_places places;
    sarrus_fallback_reason reason;
    for (int i = 0; i < 5; ++i) {
        before[i] = getenv(names[i]) != NULL ? strdup(getenv(names[i])) : NULL;
        assert_int_equal(unsetenv(names[i]), 0);
    }
    sarrus_kernel_places_find(&places);
    assert_null(places.cuda);
    (void)setenv("CUDA_HOME", "/opt/one", 1);
    (void)setenv("CUDA_PATH", "relative", 1);
    (void)setenv("VIRTUAL_ENV", *state, 1);
    (void)setenv("CONDA_PREFIX", "/with:colon", 1);
    (void)setenv("HOME", "/home/me", 1);
    sarrus_kernel_places_find(&places);
    assert_true(strncmp(places.cuda, "/opt/one:", 9) == 0);
    assert_string_equal(places.cuda + 9 + strlen(*state), ":/home/me/.local");
    if (system("command -v cc >/dev/null") == 0) {
        trial_make(*state, "lib/python3.11/site-packages/nvidia/cuda_nvrtc/lib/libsarrus_trial.so.12", 40);
        assert_int_equal(found(&TRIAL, places.cuda, &reason), 40);
    }
    for (int i = 0; i < 5; ++i) {
        (void)(before[i] != NULL ? setenv(names[i], before[i], 1) : unsetenv(names[i]));
        free(before[i]);
    }
}

/* NVRTC among Python's packages, where the system's loader knows none. */
static void test_nvrtc(void **state) {
    static const char text[] = "int nvrtcVersion(int *major, int *minor) { *major = 12; *minor = 34; return 0; }\n"
                               "int nvrtcGetErrorString, nvrtcCreateProgram, nvrtcDestroyProgram, nvrtcCompileProgram;\n"
                               "int nvrtcGetProgramLogSize, nvrtcGetProgramLog, nvrtcGetCUBINSize, nvrtcGetCUBIN;\n";
    sarrus_fallback_reason reason = {""};
    compiler_require();
    sarrus_nvrtc *nvrtc = sarrus_nvrtc_open(NULL, NULL, &reason);
    if (nvrtc != NULL) {
        sarrus_nvrtc_close(nvrtc);
        skip();
    }
    assert_non_null(strstr(reason.text, "cannot be loaded: no libnvrtc.so.13, libnvrtc.so.12, libnvrtc.so by the system's loader"));
    library_make(*state, "lib/python3.11/site-packages/nvidia/cuda_nvrtc/lib/libnvrtc.so.12", text, "");
    nvrtc = sarrus_nvrtc_open(NULL, *state, &reason);
    if (nvrtc == NULL)
        fail_msg("%s", reason.text);
    assert_int_equal(sarrus_nvrtc_version(nvrtc), 12340);
    sarrus_nvrtc_close(nvrtc);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_nowhere, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(test_layouts, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(test_order, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(test_dependency, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(test_companions, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(test_environment, folder_make, folder_remove),
        cmocka_unit_test_setup_teardown(test_nvrtc, folder_make, folder_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

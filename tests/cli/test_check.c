/* Claims: `sarrus check` says the same of a mechanism, down to the hash of its plan, whatever code the linear algebra library has
 * chosen for the processor: rank and redundant rows are those of the mechanism, not of the last bits of a decomposition. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "cli/program.h"
#include "tests/support/place.h"

/* OpenBLAS's names, of processors that this one can stand for. */
static size_t core_types(const char *names[6]) {
    size_t n = 0;
    names[n++] = "";
#if defined(__x86_64__)
    names[n++] = "Prescott";
    names[n++] = "Nehalem";
    if (__builtin_cpu_supports("avx"))
        names[n++] = "Sandybridge";
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        names[n++] = "Haswell";
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq"))
        names[n++] = "SkylakeX";
#endif
    return n;
}

/* The lines that speak of the structure; σ themselves may differ in their last digits. */
static void structure_keep(char *text) {
    char *to = text;
    for (char *line = text; *line != '\0';) {
        char *end = strchr(line, '\n');
        end = end ? end + 1 : line + strlen(line);
        char *next = end;
        if (strstr(line, "singular values") == NULL || strstr(line, "singular values") >= end) {
            memmove(to, line, (size_t)(end - line));
            to += end - line;
        }
        line = next;
    }
    *to = '\0';
}

static void a_plan_is_the_same_on_all_processors(void **state) {
    (void)state;
    static const char *const files[] = {"/scenarios/five_bar_singular.yaml", "/scenarios/five_bar.yaml",
                                        "/scenarios/slider_crank.yaml", "/scenarios/andrews.yaml"};
    const char *names[6], *before = getenv("OPENBLAS_CORETYPE");
    char *kept = before ? strdup(before) : NULL;
    const size_t n = core_types(names);
    for (size_t f = 0; f < sizeof files / sizeof files[0]; ++f) {
        char first[MAX_SAID] = "";
        for (size_t i = 0; i < n; ++i) {
            if (names[i][0] != '\0')
                assert_int_equal(setenv("OPENBLAS_CORETYPE", names[i], 1), 0);
            else
                assert_int_equal(unsetenv("OPENBLAS_CORETYPE"), 0);
            said *s = RUN("check", place_of_source(files[f]));
            assert_int_equal(s->code, 0);
            structure_keep(s->out);
            if (i == 0)
                strcpy(first, s->out);
            assert_string_equal(s->out, first);
        }
        assert_true(strlen(first) > 500);
    }
    if (kept)
        assert_int_equal(setenv("OPENBLAS_CORETYPE", kept, 1), 0);
    else
        assert_int_equal(unsetenv("OPENBLAS_CORETYPE"), 0);
    free(kept);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_plan_is_the_same_on_all_processors)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

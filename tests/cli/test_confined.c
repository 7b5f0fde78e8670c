/* Claim: work in a process of its own may crash, run away or want all memory, and the program goes on and says so; what it prints
 * arrives when it ended well, and not otherwise. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <sys/resource.h>

#include "cli/confined.c" /* the program's own sources are in no library */
#include "cli/crash.c"
#include "cli/program.h"

typedef enum deed { DEED_PRINT, DEED_CRASH, DEED_ABORT, DEED_RUN_AWAY, DEED_SLEEP, DEED_ALL_MEMORY, DEED_ODD_CODE } deed;

/* What a library does with a damaged file. It has printed something before. */
static int deed_do(const void *user) {
    for (int i = 0; i < 20000; ++i)
        printf("line %d\n", i);
    (void)fflush(stdout);
    switch (*(const deed *)user) {
    case DEED_PRINT:
        return 0;
    case DEED_CRASH:
        (void)signal(SIGSEGV, SIG_DFL); /* a sanitizer would take a second to tell of it */
        (void)raise(SIGSEGV);
        return 0;
    case DEED_ABORT:
        (void)signal(SIGABRT, SIG_DFL);
        abort();
    case DEED_RUN_AWAY: { /* as the limit of 10 s, in less time */
        struct rlimit limit;
        assert_int_equal(getrlimit(RLIMIT_CPU, &limit), 0);
        assert_int_equal(limit.rlim_cur, 10);
        limit.rlim_cur = 1;
        assert_int_equal(setrlimit(RLIMIT_CPU, &limit), 0);
        for (volatile unsigned n = 0;; ++n)
            continue;
    }
    case DEED_SLEEP:
        assert_true(alarm(1) > 20); /* one is set, of half a minute */
        for (;;)
            (void)pause();
    case DEED_ALL_MEMORY: {
        size_t n_bytes = 0;
        const size_t piece = (size_t)1 << 24;
        for (char *bytes; n_bytes < (size_t)1 << 33 && (bytes = malloc(piece)) != NULL; n_bytes += piece)
            memset(bytes, 1, piece);
        return n_bytes < (size_t)1 << 31 ? 3 : 0;
    }
    case DEED_ODD_CODE:
        return 77;
    }
    return 0;
}

/* Does it in a child of this test, whose streams go to files. */
static said *told(deed what) {
    static said s;
    (void)fflush(NULL);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (freopen("stdout.txt", "w", stdout) == NULL || freopen("stderr.txt", "w", stderr) == NULL)
            _exit(99);
        const int code = sarrus_confined_run(deed_do, &what, "damaged.h5");
        (void)fflush(NULL);
        _exit(code);
    }
    s.code = program_wait(child);
    text_read("stdout.txt", s.out);
    text_read("stderr.txt", s.err);
    return &s;
}

static void what_ends_by_itself_is_passed_on(void **state) {
    (void)state;
    const said *s = told(DEED_PRINT);
    assert_int_equal(s->code, 0);
    assert_int_equal(strncmp(s->out, "line 0\nline 1\n", 14), 0);
    assert_string_equal(s->err, "");
}

static void what_crashes_is_told(void **state) {
    (void)state;
    static const deed deeds[] = {DEED_CRASH, DEED_ABORT, DEED_RUN_AWAY, DEED_SLEEP};
    static const char *const words[] = {"the HDF5 library crashed on it", "the HDF5 library crashed on it", "too slow to read",
                                        "too slow to read"};
    for (int i = 0; i < 4; ++i) {
        const said *s = told(deeds[i]);
        assert_int_equal(s->code, 3);
        assert_string_equal(s->out, "");
        assert_non_null(strstr(s->err, "sarrus: error: damaged.h5: the file is damaged"));
        assert_non_null(strstr(s->err, words[i]));
    }
}

static void memory_is_limited(void **state) {
    (void)state;
    if (getenv("SARRUS_FEW_CASES") != NULL)
        skip(); /* a sanitizer ends the program when memory is out */
    const said *s = told(DEED_ALL_MEMORY);
    assert_int_equal(s->code, 3);
    assert_string_equal(s->err, "");
}

static void no_other_code_comes_out(void **state) {
    (void)state;
    const said *s = told(DEED_ODD_CODE);
    assert_int_equal(s->code, 3);
    assert_string_equal(s->out, "");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_ends_by_itself_is_passed_on),
        cmocka_unit_test(what_crashes_is_told),
        cmocka_unit_test(memory_is_limited),
        cmocka_unit_test(no_other_code_comes_out),
    };
    return cmocka_run_group_tests(tests, folder_enter, folder_leave);
}

/* Claims: what is left of memory is the least that any control group around the process leaves, of groups within groups; page cache
 * counts as free; what cannot be read limits nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/memory.h"
#include "tests/support/folder.h"

static void put(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

/* What is left where the process is in `own`. */
static double left_in(const char *own) {
    put("own", own);
    return sarrus_memory_left_of_group("root", "own");
}

static void group_make(const char *folder, const char *most, const char *now, const char *cache) {
    char path[200], text[200];
    assert_int_equal(mkdir(folder, 0700), 0);
    snprintf(path, sizeof path, "%s/memory.max", folder);
    put(path, most);
    snprintf(path, sizeof path, "%s/memory.current", folder);
    put(path, now);
    snprintf(path, sizeof path, "%s/memory.stat", folder);
    snprintf(text, sizeof text, "anon 12345\nfile %s\nkernel 77\n", cache);
    put(path, text);
}

static void the_least_group_counts(void **state) {
    (void)state;
    assert_int_equal(mkdir("root", 0700), 0);
    group_make("root/unit", "1000000\n", "400000\n", "100000");
    group_make("root/unit/job", "900000\n", "100000\n", "0");
    group_make("root/unit/job/step", "max\n", "100000\n", "0");
    assert_true(left_in("0::/unit\n") == 700000.0);
    assert_true(left_in("0::/unit/job\n") == 700000.0);
    assert_true(left_in("4:memory:/other\n0::/unit/job/step\n") == 700000.0);
    put("root/unit/job/memory.current", "850000\n");
    assert_true(left_in("0::/unit/job/step\n") == 50000.0);
    assert_true(left_in("0::/unit\n") == 700000.0);
    put("root/unit/job/memory.current", "950000\n"); /* more than it may */
    assert_true(left_in("0::/unit/job\n") == 0.0);
}

/* Without a namespace of its own the root has no files; in one it has those of the process. */
static void the_root_may_have_a_limit(void **state) {
    (void)state;
    assert_true(isinf(left_in("0::/\n")));
    put("root/memory.max", "5000\n");
    put("root/memory.current", "2000\n");
    assert_true(left_in("0::/\n") == 3000.0);
    assert_true(left_in("0::/../elsewhere\n") == 3000.0);
    assert_true(left_in("") == 3000.0);
    assert_true(sarrus_memory_left_of_group("root", "nowhere") == 3000.0);
    assert_true(isinf(sarrus_memory_left_of_group("nowhere", "own")));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_least_group_counts),
        cmocka_unit_test(the_root_may_have_a_limit),
    };
    return cmocka_run_group_tests(tests, folder_enter, folder_leave);
}

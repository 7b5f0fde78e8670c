/* The table of cuSOLVER's and cuBLAS's functions: what is said when they are missing, and, where a toolkit is, that they all are
 * there. None is called: that takes a device. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "backend/cuda/cusolver.h"

static void test_missing(void **state) {
    (void)state;
    sarrus_cusolver table;
    sarrus_fallback_reason reason = {""};
    assert_false(sarrus_cusolver_load("/no/such/library.so", "libm.so.6", NULL, &table, &reason));
    assert_non_null(strstr(reason.text, "/no/such/library.so cannot be loaded"));
    assert_null(table.create);
}

/* A library of that name with something else in it. */
static void test_other_library(void **state) {
    (void)state;
    sarrus_cusolver table;
    sarrus_fallback_reason reason = {""};
    assert_false(sarrus_cusolver_load("libm.so.6", "libm.so.6", NULL, &table, &reason));
    assert_string_equal(reason.text, "the library has no cusolverDnCreate");
}

static void test_replaced(void **state) {
    (void)state;
    const sarrus_cusolver mine = {0};
    sarrus_fallback_reason reason = {""};
    sarrus_cusolver_replace(&mine);
    assert_ptr_equal(sarrus_cusolver_find(NULL, &reason), &mine);
    sarrus_cusolver_replace(NULL);
    assert_string_equal(reason.text, "");
}

static void test_real(void **state) {
    (void)state;
    sarrus_fallback_reason reason = {""};
    const sarrus_cusolver *found = sarrus_cusolver_find(NULL, &reason);
    if (!found) {
        assert_true(strncmp(reason.text, "no libcusolver.so.12, ", 22) == 0 || strstr(reason.text, " does not load: "));
        skip();
    }
    void *members[sizeof *found / sizeof(void *)];
    memcpy(members, found, sizeof members);
    for (size_t i = 0; i < sizeof members / sizeof members[0]; ++i)
        if (members[i] == NULL && found->syev && found->syev_size)
            fail_msg("member %d of the table is missing", (int)i);
    assert_ptr_equal(sarrus_cusolver_find(NULL, &reason), found);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_missing),
        cmocka_unit_test(test_other_library),
        cmocka_unit_test(test_replaced),
        cmocka_unit_test(test_real),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

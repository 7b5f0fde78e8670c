/* The set of names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>

#include "model/names.h"

enum { n_many = 5000 };

static void an_empty_set_finds_nothing(void **state) {
    (void)state;
    sarrus_names names = {0};
    assert_int_equal(sarrus_names_find(&names, "a"), -1);
    assert_int_equal(sarrus_names_find(&names, ""), -1);
    sarrus_names_clear(&names);
}

static void many_names_keep_their_numbers(void **state) {
    (void)state;
    static char texts[n_many][24];
    sarrus_names names = {0};
    for (int i = 0; i < n_many; ++i) {
        (void)snprintf(texts[i], sizeof texts[i], "name_%d", i);
        assert_int_equal(sarrus_names_add(&names, texts[i], i), SARRUS_OK);
    }
    for (int i = 0; i < n_many; ++i) {
        assert_int_equal(sarrus_names_find(&names, texts[i]), i);
    }
    assert_int_equal(sarrus_names_find(&names, "name_5000"), -1);
    assert_int_equal(names.n, n_many);
    sarrus_names_clear(&names);
    assert_int_equal(sarrus_names_find(&names, "name_0"), -1);
}

static void a_second_one_is_refused(void **state) {
    (void)state;
    sarrus_names names = {0};
    assert_int_equal(sarrus_names_add(&names, "a", 3), SARRUS_OK);
    assert_int_equal(sarrus_names_add(&names, "a", 4), SARRUS_BAD_ARGUMENT);
    assert_int_equal(sarrus_names_find(&names, "a"), 3);
    sarrus_names_clear(&names);
}

static void parts_of_a_text_are_found(void **state) {
    (void)state;
    sarrus_names names = {0};
    assert_int_equal(sarrus_names_add(&names, "abc", 1), SARRUS_OK);
    assert_int_equal(sarrus_names_add(&names, "ab", 2), SARRUS_OK);
    assert_int_equal(sarrus_names_find_part(&names, "abcd", 3), 1);
    assert_int_equal(sarrus_names_find_part(&names, "abcd", 2), 2);
    assert_int_equal(sarrus_names_find_part(&names, "abcd", 4), -1);
    sarrus_names_clear(&names);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_set_finds_nothing),
        cmocka_unit_test(many_names_keep_their_numbers),
        cmocka_unit_test(a_second_one_is_refused),
        cmocka_unit_test(parts_of_a_text_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

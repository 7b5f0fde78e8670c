/* Every status code has its own text, and the instance words are the ones that result files promise. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdbool.h>
#include <string.h>

#include "sarrus/status.h"
#include "sarrus/version.h"

static const sarrus_status statuses[] = {
#define SARRUS_STATUS(name, value, text) SARRUS_##name,
#include "sarrus/status.def"
};

static void every_status_has_its_own_text(void **state) {
    (void)state;
    const size_t n = sizeof statuses / sizeof statuses[0];
    for (size_t i = 0; i < n; ++i) {
        const char *text = sarrus_status_text(statuses[i]);
        assert_true(strlen(text) > 3);
        assert_string_not_equal(text, "unknown status code");
        for (size_t j = 0; j < i; ++j) {
            assert_string_not_equal(text, sarrus_status_text(statuses[j]));
        }
    }
}

static void known_texts_are_returned(void **state) {
    (void)state;
    assert_string_equal(sarrus_status_text(SARRUS_OK), "done");
    assert_string_equal(sarrus_status_text(SARRUS_NO_MEMORY), "out of memory");
    assert_string_equal(sarrus_instance_status_text(SARRUS_INSTANCE_DIVERGED), "the state left the finite range");
}

static void sign_tells_whether_the_object_lives(void **state) {
    (void)state;
    assert_int_equal(SARRUS_OK, 0);
    assert_true(SARRUS_BAD_INPUT > 0);
    assert_true(SARRUS_NO_BACKEND > 0);
    assert_true(SARRUS_FAILED < 0);
    assert_true(SARRUS_SINK_FAILED < 0);
}

static void instance_words_are_those_of_the_result_file(void **state) {
    (void)state;
    static const char *const words[SARRUS_N_INSTANCE_STATUS] = {
        "ok",      "assembly_failed", "invalid_parameter",   "nonfinite_force", "diverged",   "step_underflow",
        "not_run", "step_limit",      "constraint_violated", "energy_mismatch", "unresolved", "indeterminate"};
    for (int i = 0; i < SARRUS_N_INSTANCE_STATUS; ++i) {
        assert_string_equal(sarrus_instance_status_word((sarrus_instance_status)i), words[i]);
        assert_true(strlen(sarrus_instance_status_text((sarrus_instance_status)i)) > 3);
    }
}

/* flag_meanings is a list separated by blanks, so a word with a blank in it would shift all that follow. */
static void instance_words_hold_no_blank(void **state) {
    (void)state;
    for (int i = 0; i < SARRUS_N_INSTANCE_STATUS; ++i) {
        const char *word = sarrus_instance_status_word((sarrus_instance_status)i);
        assert_int_equal(strspn(word, "abcdefghijklmnopqrstuvwxyz_"), strlen(word));
    }
}

static void unknown_codes_give_a_text(void **state) {
    (void)state;
    assert_string_equal(sarrus_status_text((sarrus_status)99), "unknown status code");
    assert_string_equal(sarrus_instance_status_word((sarrus_instance_status)SARRUS_N_INSTANCE_STATUS), "unknown");
    assert_string_equal(sarrus_instance_status_text((sarrus_instance_status)SARRUS_N_INSTANCE_STATUS), "unknown instance status");
}

static void library_and_headers_are_of_one_version(void **state) {
    (void)state;
    assert_string_equal(sarrus_version(), SARRUS_VERSION);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_status_has_its_own_text),          cmocka_unit_test(known_texts_are_returned),
        cmocka_unit_test(sign_tells_whether_the_object_lives),    cmocka_unit_test(instance_words_are_those_of_the_result_file),
        cmocka_unit_test(instance_words_hold_no_blank),           cmocka_unit_test(unknown_codes_give_a_text),
        cmocka_unit_test(library_and_headers_are_of_one_version),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

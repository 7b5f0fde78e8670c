/* The closest word. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "scenario/suggest.h"

static int distance(const char *a, const char *b) {
    sarrus_suggestion suggestion = sarrus_suggestion_for(a);
    sarrus_suggestion_offer(&suggestion, b);
    return suggestion.distance;
}

static void distances(void **state) {
    (void)state;
    assert_int_equal(distance("mass", "mass"), 0);
    assert_int_equal(distance("mass", "Mass"), 0); /* case aside */
    assert_int_equal(distance("mass", "mas"), 1);  /* deletion */
    assert_int_equal(distance("mass", "masss"), 1);
    assert_int_equal(distance("mass", "muss"), 1);
    assert_int_equal(distance("mass", "msas"), 1); /* neighbors swapped */
    assert_int_equal(distance("", "abc"), 3);
    assert_int_equal(distance("kitten", "sitting"), 3);
    assert_int_equal(distance("ca", "abc"), 3); /* no insertion between swapped letters */
}

static void the_closest_wins_and_the_first_of_equals(void **state) {
    (void)state;
    sarrus_suggestion suggestion = sarrus_suggestion_for("stifness");
    assert_null(sarrus_suggestion_close(&suggestion));
    sarrus_suggestion_offer(&suggestion, "damping");
    assert_null(sarrus_suggestion_close(&suggestion));
    sarrus_suggestion_offer(&suggestion, "stiffness");
    sarrus_suggestion_offer(&suggestion, "stiffnes");
    sarrus_suggestion_offer(&suggestion, "rest");
    assert_string_equal(sarrus_suggestion_close(&suggestion), "stiffness");
    sarrus_suggestion tie = sarrus_suggestion_for("ab");
    sarrus_suggestion_offer(&tie, "ac");
    sarrus_suggestion_offer(&tie, "ad");
    assert_string_equal(tie.best, "ac");
    sarrus_suggestion letter = sarrus_suggestion_for("e"); /* every other letter is as close */
    sarrus_suggestion_offer(&letter, "L");
    assert_null(sarrus_suggestion_close(&letter));
}

static void long_words_are_compared_by_their_beginning(void **state) {
    (void)state;
    char a[1000];
    char b[1000];
    memset(a, 'x', sizeof a);
    memset(b, 'x', sizeof b);
    a[999] = '\0';
    b[500] = '\0';
    assert_int_equal(distance(a, b), 0);
    a[3] = 'y';
    assert_int_equal(distance(a, b), 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distances),
        cmocka_unit_test(the_closest_wins_and_the_first_of_equals),
        cmocka_unit_test(long_words_are_compared_by_their_beginning),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

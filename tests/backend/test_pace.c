/* How fast a batch goes, told from calls of any length. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "backend/pace.h"

static const sarrus_clock clock_of_thousand = {.dt = 1.0, .t_end = 1000.0, .n_total = 1000};

static void nothing_is_known_of_a_moment(void **state) {
    (void)state;
    sarrus_pace pace = {.step_seconds = NAN};
    assert_true(isnan(sarrus_pace_seconds_left(&pace, &clock_of_thousand, 10)));
    sarrus_pace_note(&pace, 10, 0.01);
    assert_true(isnan(sarrus_pace_seconds_left(&pace, &clock_of_thousand, 10)));
    sarrus_pace_note(&pace, 0, 1.0);
    assert_true(pace.step_seconds > 0.0);
}

/* A host that asks for a little at a time has as long a run before it as one that asks for all of it. */
static void short_calls_are_added_up(void **state) {
    (void)state;
    sarrus_pace pace = {.step_seconds = NAN};
    for (int i = 0; i < 100; ++i)
        sarrus_pace_note(&pace, 8, 1.0 / 128.0); /* exact: 1/1024 s a step */
    assert_true(pace.step_seconds == 1.0 / 1024.0);
    assert_true(sarrus_pace_seconds_left(&pace, &clock_of_thousand, 10) == 1000.0 / 1024.0);
}

/* The rate is that of late: a batch whose instances have ended is faster. */
static void the_rate_is_of_late(void **state) {
    (void)state;
    sarrus_pace pace = {.step_seconds = NAN};
    sarrus_pace_note(&pace, 10, 10.0);
    assert_true(pace.step_seconds == 1.0);
    sarrus_pace_note(&pace, 1000, 0.0078125);
    assert_true(pace.step_seconds == 1.0);
    sarrus_pace_note(&pace, 1000, 0.0546875);
    assert_true(pace.step_seconds == 0.0625 / 2000.0);
}

/* Steps without time, or time without steps, are no rate. */
static void a_call_without_steps_is_no_rate(void **state) {
    (void)state;
    sarrus_pace pace = {.step_seconds = NAN};
    sarrus_pace_note(&pace, 0, 1.0);
    sarrus_pace_note(&pace, 1000, 0.0);
    assert_true(isfinite(pace.step_seconds));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_known_of_a_moment),
        cmocka_unit_test(short_calls_are_added_up),
        cmocka_unit_test(the_rate_is_of_late),
        cmocka_unit_test(a_call_without_steps_is_no_rate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

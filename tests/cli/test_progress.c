/* The progress bar fits its terminal and tells the truth. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "cli/progress.c" /* the program's own sources are in no library */
#include "cli/signals.c"

static const sarrus_progress half = {
    .time = 1.0, .t_end = 2.0, .instance_steps = 5000000, .n_instance_steps = 10000000, .wall_seconds = 65.0};

static void it_says_share_rate_and_time_left(void **state) {
    (void)state;
    char line[MAX_LINE];
    sarrus_progress_format(&half, 100, line, sizeof line);
    assert_string_equal(line, "[====================>                   ]  50 %  7.69e+04 instance-steps/s  ETA 1:05");
    sarrus_progress failing = half;
    failing.n_failed = 12;
    sarrus_progress_format(&failing, 100, line, sizeof line);
    assert_non_null(strstr(line, "12 failed"));
}

/* Nobody knows how many steps an adaptive method will take: the bar goes by time. */
static void adaptive_steps_are_shown_by_time(void **state) {
    (void)state;
    char line[MAX_LINE];
    sarrus_progress adaptive = half;
    adaptive.is_adaptive = 1;
    sarrus_progress_format(&adaptive, 100, line, sizeof line);
    assert_string_equal(line, "[====================>                   ]  50 %  t = 1 of 2 s  ETA 1:05");
}

static void it_never_reaches_the_last_column(void **state) {
    (void)state;
    sarrus_progress progress = half;
    progress.n_failed = 123456;
    for (int width = 1; width < 200; ++width) {
        char line[MAX_LINE];
        for (progress.instance_steps = 0; progress.instance_steps <= progress.n_instance_steps;
             progress.instance_steps += 2500000) {
            sarrus_progress_format(&progress, width, line, sizeof line);
            assert_true(strlen(line) < (size_t)width);
        }
    }
}

static void counted_work_is_shown(void **state) {
    (void)state;
    char line[MAX_LINE];
    sarrus_counted_work work = {"matrices", 750, 1000, 3, 2.0};
    sarrus_progress_format_count(&work, 80, line, sizeof line);
    assert_string_equal(line, "[==========================>        ]  75 %  375 matrices/s  ETA 0:01  3 failed");
    work = (sarrus_counted_work){"matrices", 0, 0, 0, 0.0};
    for (int width = 1; width < 120; ++width) {
        sarrus_progress_format_count(&work, width, line, sizeof line);
        assert_true(strlen(line) < (size_t)width);
    }
}

static void a_plan_says_what_it_is_at(void **state) {
    (void)state;
    char line[MAX_LINE];
    sarrus_plan_progress plan = {"looking around", 0.4, 65.0};
    sarrus_progress_format_plan(&plan, 100, line, sizeof line);
    assert_string_equal(line, "planning: looking around 40 %  1:05");
    plan.share = -1.0;
    sarrus_progress_format_plan(&plan, 100, line, sizeof line);
    assert_string_equal(line, "planning: looking around  1:05");
    sarrus_progress_format_plan(&plan, 20, line, sizeof line);
    assert_string_equal(line, "planning: looking a");
}

static void the_ends_are_sound(void **state) {
    (void)state;
    char line[MAX_LINE];
    sarrus_progress progress = half;
    progress.instance_steps = 0;
    progress.wall_seconds = 0.0;
    sarrus_progress_format(&progress, 80, line, sizeof line);
    assert_non_null(strstr(line, "  0 %"));
    assert_non_null(strstr(line, "ETA -:--"));
    progress.instance_steps = progress.n_instance_steps;
    progress.wall_seconds = 10.0;
    sarrus_progress_format(&progress, 80, line, sizeof line);
    assert_non_null(strstr(line, "100 %"));
    assert_non_null(strstr(line, "ETA 0:00"));
    assert_null(strchr(line, '>'));
    progress.instance_steps = progress.n_instance_steps = 0; /* t_end = 0 */
    sarrus_progress_format(&progress, 80, line, sizeof line);
    assert_non_null(strstr(line, "100 %"));
}

static void durations_are_readable(void **state) {
    (void)state;
    static const struct {
        double seconds;
        const char *text;
    } cases[] = {{0.4, "0:00"}, {59.6, "1:00"}, {725.0, "12:05"}, {10931.0, "3:02:11"}, {1.1e6, "12 days"}, {INFINITY, "-:--"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        char text[32];
        duration_format(cases[i].seconds, text, sizeof text);
        assert_string_equal(text, cases[i].text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_says_share_rate_and_time_left),
        cmocka_unit_test(adaptive_steps_are_shown_by_time),
        cmocka_unit_test(it_never_reaches_the_last_column),
        cmocka_unit_test(a_plan_says_what_it_is_at),
        cmocka_unit_test(counted_work_is_shown),
        cmocka_unit_test(the_ends_are_sound),
        cmocka_unit_test(durations_are_readable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

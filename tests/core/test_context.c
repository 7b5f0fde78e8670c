/* The context keeps what it is told, owns it, and stays bounded. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "core/report.h"

enum { n_kept = 200, n_source_line_bytes = 4096 };

static int setup(void **state) {
    sarrus_context *context = NULL;
    const sarrus_status status = sarrus_context_create(&context);
    *state = context;
    return status == SARRUS_OK ? 0 : -1;
}

static int teardown(void **state) {
    sarrus_context_destroy(*state);
    return 0;
}

static const char *source_line_of(sarrus_context *context, const char *text, int line) {
    const sarrus_location location = {.file = "a.yaml", .text = text, .line = line, .column = 1};
    sarrus_context_clear(context);
    (void)sarrus_report_at(context, SARRUS_ERROR, SARRUS_BAD_INPUT, &location, "wrong");
    assert_int_equal(sarrus_context_n_diagnostics(context), 1);
    return sarrus_context_diagnostic(context, 0)->source_line;
}

static void a_new_context_is_empty(void **state) {
    sarrus_context *context = *state;
    assert_int_equal(sarrus_context_n_diagnostics(context), 0);
    assert_int_equal(sarrus_context_n_errors(context), 0);
    assert_null(sarrus_context_diagnostic(context, 0));
    assert_int_equal(sarrus_context_create(NULL), SARRUS_BAD_ARGUMENT);
}

static void report_formats_and_returns_its_status(void **state) {
    sarrus_context *context = *state;
    assert_int_equal(sarrus_report(context, SARRUS_IO, "cannot open '%s': %d", "x.h5", 7), SARRUS_IO);
    const sarrus_diagnostic *diagnostic = sarrus_context_diagnostic(context, 0);
    assert_non_null(diagnostic);
    assert_string_equal(diagnostic->message, "cannot open 'x.h5': 7");
    assert_int_equal(diagnostic->severity, SARRUS_ERROR);
    assert_int_equal(diagnostic->status, SARRUS_IO);
    assert_null(diagnostic->file);
    assert_null(diagnostic->source_line);
    assert_int_equal(diagnostic->line, 0);
    assert_int_equal(diagnostic->column, 0);
    assert_null(sarrus_context_diagnostic(context, 1));
}

static void report_at_keeps_the_place(void **state) {
    sarrus_context *context = *state;
    const sarrus_location location = {.file = "a.yaml", .text = "one\n  two: x\nthree\n", .line = 2, .column = 8};
    assert_int_equal(sarrus_report_at(context, SARRUS_WARNING, SARRUS_BAD_INPUT, &location, "odd %s", "value"), SARRUS_BAD_INPUT);
    const sarrus_diagnostic *diagnostic = sarrus_context_diagnostic(context, 0);
    assert_int_equal(diagnostic->severity, SARRUS_WARNING);
    assert_string_equal(diagnostic->file, "a.yaml");
    assert_int_equal(diagnostic->line, 2);
    assert_int_equal(diagnostic->column, 8);
    assert_string_equal(diagnostic->message, "odd value");
    assert_string_equal(diagnostic->source_line, "  two: x");
}

static void strings_are_copies(void **state) {
    sarrus_context *context = *state;
    char file[] = "a.yaml";
    char text[] = "first\nsecond";
    const sarrus_location location = {.file = file, .text = text, .line = 1, .column = 1};
    (void)sarrus_report_at(context, SARRUS_ERROR, SARRUS_BAD_INPUT, &location, "%s", text);
    memset(file, '#', sizeof file - 1);
    memset(text, '#', sizeof text - 1);
    const sarrus_diagnostic *diagnostic = sarrus_context_diagnostic(context, 0);
    assert_string_equal(diagnostic->file, "a.yaml");
    assert_string_equal(diagnostic->message, "first\nsecond");
    assert_string_equal(diagnostic->source_line, "first");
}

static void the_offending_line_is_cut_out(void **state) {
    sarrus_context *context = *state;
    assert_string_equal(source_line_of(context, "only", 1), "only");
    assert_string_equal(source_line_of(context, "a\r\nb\r\n", 1), "a");
    assert_string_equal(source_line_of(context, "a\n\nc", 2), "");
    assert_string_equal(source_line_of(context, "a\n\nc", 3), "c");
    assert_string_equal(source_line_of(context, "a\n", 2), "");
    assert_null(source_line_of(context, "a\n", 3));
    assert_null(source_line_of(context, "a", 0));
    assert_null(source_line_of(context, NULL, 1));
}

/* 4095 letters, then a two-byte letter across the limit: the cut must not leave half of it. */
static void a_long_line_is_cut_between_characters(void **state) {
    sarrus_context *context = *state;
    char text[n_source_line_bytes + 64];
    memset(text, 'a', sizeof text);
    memcpy(text + n_source_line_bytes - 1, "\xCE\xA6", 2);
    text[sizeof text - 1] = '\0';
    assert_int_equal(strlen(source_line_of(context, text, 1)), n_source_line_bytes - 1);
    text[n_source_line_bytes - 1] = 'a';
    text[n_source_line_bytes] = 'a';
    assert_int_equal(strlen(source_line_of(context, text, 1)), n_source_line_bytes);
}

static void order_is_that_of_reporting_and_only_errors_count(void **state) {
    sarrus_context *context = *state;
    (void)sarrus_report(context, SARRUS_BAD_INPUT, "0");
    (void)sarrus_report_at(context, SARRUS_WARNING, SARRUS_BAD_INPUT, NULL, "1");
    (void)sarrus_report_at(context, SARRUS_NOTE, SARRUS_OK, NULL, "2");
    for (int i = 3; i < 40; ++i) {
        (void)sarrus_report_at(context, SARRUS_ERROR, SARRUS_BAD_INPUT, NULL, "%d", i);
    }
    assert_int_equal(sarrus_context_n_diagnostics(context), 40);
    assert_int_equal(sarrus_context_n_errors(context), 38);
    for (size_t i = 0; i < 40; ++i) {
        assert_int_equal(strtol(sarrus_context_diagnostic(context, i)->message, NULL, 10), i);
    }
}

static void the_number_is_bounded_with_one_closing_note(void **state) {
    sarrus_context *context = *state;
    for (int i = 0; i < 3 * n_kept; ++i) {
        assert_int_equal(sarrus_report(context, SARRUS_BAD_INPUT, "%d", i), SARRUS_BAD_INPUT);
    }
    assert_int_equal(sarrus_context_n_diagnostics(context), n_kept + 1);
    assert_int_equal(sarrus_context_n_errors(context), 3 * n_kept);
    assert_string_equal(sarrus_context_diagnostic(context, n_kept - 1)->message, "199");
    const sarrus_diagnostic *last = sarrus_context_diagnostic(context, n_kept);
    assert_int_equal(last->severity, SARRUS_NOTE);
    assert_non_null(strstr(last->message, "too many errors"));
}

static void clear_forgets_everything(void **state) {
    sarrus_context *context = *state;
    for (int i = 0; i < 2 * n_kept; ++i) {
        (void)sarrus_report(context, SARRUS_BAD_INPUT, "%d", i);
    }
    sarrus_context_clear(context);
    assert_int_equal(sarrus_context_n_diagnostics(context), 0);
    assert_int_equal(sarrus_context_n_errors(context), 0);
    (void)sarrus_report(context, SARRUS_IO, "again");
    assert_string_equal(sarrus_context_diagnostic(context, 0)->message, "again");
}

static void no_context_is_allowed_everywhere(void **state) {
    (void)state;
    assert_int_equal(sarrus_report(NULL, SARRUS_IO, "lost"), SARRUS_IO);
    assert_int_equal(sarrus_report_at(NULL, SARRUS_ERROR, SARRUS_NO_MEMORY, NULL, "lost"), SARRUS_NO_MEMORY);
    assert_int_equal(sarrus_context_n_diagnostics(NULL), 0);
    assert_int_equal(sarrus_context_n_errors(NULL), 0);
    assert_null(sarrus_context_diagnostic(NULL, 0));
    sarrus_context_clear(NULL);
    sarrus_context_destroy(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_new_context_is_empty, setup, teardown),
        cmocka_unit_test_setup_teardown(report_formats_and_returns_its_status, setup, teardown),
        cmocka_unit_test_setup_teardown(report_at_keeps_the_place, setup, teardown),
        cmocka_unit_test_setup_teardown(strings_are_copies, setup, teardown),
        cmocka_unit_test_setup_teardown(the_offending_line_is_cut_out, setup, teardown),
        cmocka_unit_test_setup_teardown(a_long_line_is_cut_between_characters, setup, teardown),
        cmocka_unit_test_setup_teardown(order_is_that_of_reporting_and_only_errors_count, setup, teardown),
        cmocka_unit_test_setup_teardown(the_number_is_bounded_with_one_closing_note, setup, teardown),
        cmocka_unit_test_setup_teardown(clear_forgets_everything, setup, teardown),
        cmocka_unit_test(no_context_is_allowed_everywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

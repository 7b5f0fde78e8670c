/* Inputs that the YAML parser must not see, or must not choke on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <time.h>

#include "scenario/guard.h"
#include "scenario/scenario_fixture.h"

/* `text` is refused first at line:column with a message that holds `part`. */
static void check_refused(const char *text, size_t n_bytes, int line, int column, const char *part) {
    struct reading reading = read_bytes(text, n_bytes, NULL, 0);
    assert_int_equal(reading.status, SARRUS_BAD_INPUT);
    assert_null(reading.model);
    const sarrus_diagnostic *found = diagnostic_of(&reading, 0);
    assert_non_null(found);
    if (strstr(found->message, part) == NULL || found->line != line || found->column != column) {
        print_diagnostics(&reading);
        fail_msg("expected %d:%d: %s", line, column, part);
    }
    reading_end(&reading);
}

static void bytes_that_are_no_text(void **state) {
    (void)state;
    static const struct {
        const char *text;
        size_t n_bytes;
        int line, column;
        const char *part;
    } cases[] = {
        {"%\"\xa6", 3, 1, 1, "a line begins with '%'"}, /* libfyaml 0.7.12 never returns from this one */
        {"a: \"\xa6\"", 6, 1, 5, "not UTF-8"},
        {"a: 1\nb: \xc3", 9, 2, 4, "not UTF-8"},                /* cut short */
        {"a: \xc0\x80", 5, 1, 4, "not UTF-8"},                  /* overlong zero */
        {"a: \xed\xa0\x80", 6, 1, 4, "not UTF-8"},              /* surrogate */
        {"a: \xf4\x90\x80\x80", 7, 1, 4, "not UTF-8"},          /* beyond U+10FFFF */
        {"a: \0b", 5, 1, 4, "a control character"},             /* zero byte */
        {"a: \x1b[31m", 8, 1, 4, "a control character"},        /* terminal escape */
        {"a: \x7f", 4, 1, 4, "a control character"},            /* delete */
        {"\xc3\xa9: \xc2\x85", 6, 1, 4, "a control character"}, /* next line; columns count characters */
        {"a: \xef\xbb\xbf", 6, 1, 4, "a byte order mark"},      /* which at the begin is passed over */
        {"a: 1\rb: 2\r\n", 11, 1, 5, "a carriage return"},      /* which before a line feed is passed over */
        {"a: 1\n\tb: 2", 11, 2, 1, "a tab"},
        {"a: \xe2\x80\xa8", 6, 1, 4, "a Unicode line end"},
        {"a: \xef\xbf\xbf", 6, 1, 4, "noncharacter"},
        {"a: 1\n%TAG ! x\n", 14, 2, 1, "a line begins with '%'"},
        {"a: ''''''''''''", 15, 1, 7, "four single quotes in a row"}, /* libfyaml 0.7.12 leaks */
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        check_refused(cases[i].text, cases[i].n_bytes, cases[i].line, cases[i].column, cases[i].part);
    }
}

static void the_shown_line_is_safe_for_a_terminal(void **state) {
    (void)state;
    struct reading reading = read_text("name: \x1b[31mred\n");
    assert_string_equal(diagnostic_of(&reading, 0)->source_line, "name: ?[31mred");
    reading_end(&reading);
}

static void nothing_at_all(void **state) {
    (void)state;
    check_refused("", 0, 1, 1, "there is nothing here");
    check_refused("# only a comment\n", 17, 1, 1, "there is nothing here");
    check_refused(NULL, 0, 1, 1, "there is nothing here");
}

static void a_file_over_the_limit(void **state) {
    (void)state;
    const size_t n_bytes = SARRUS_SCENARIO_MAX_BYTES + 10U;
    char *text = malloc(n_bytes);
    assert_non_null(text);
    memset(text, ' ', n_bytes);
    check_refused(text, n_bytes, 1, 1, "the file is too large; expected at most 4194304 bytes");
    /* Also one that would be short enough without its carriage returns: it would be read as far as it was looked at. */
    for (size_t i = 0; i < n_bytes; i += 2) {
        memcpy(text + i, "\r\n", 2);
    }
    memcpy(text, "\xef\xbb\xbf", 3);
    check_refused(text, n_bytes, 1, 1, "the file is too large; expected at most 4194304 bytes");
    free(text);
}

/* Repeats `unit` into a text of about n_bytes. */
static char *repeated(const char *unit, size_t n_bytes) {
    const size_t n_unit = strlen(unit);
    const size_t n_units = n_bytes / n_unit;
    char *text = malloc(n_units * n_unit + 1);
    assert_non_null(text);
    for (size_t i = 0; i < n_units; ++i) {
        memcpy(text + i * n_unit, unit, n_unit);
    }
    text[n_units * n_unit] = '\0';
    return text;
}

/* Shapes that cost a careless reader quadratic time or the whole stack: each is refused, and soon. */
static void large_hostile_files_end_soon(void **state) {
    (void)state;
    static const char *const units[] = {"[",         "{",      "- ",      "? ",    "a: [", "&a [*a,", "!!x ", "\"",
                                        "'",         "a: 1\n", "[1,",     "- a\n", "x",    ": ",      "-\n",  "|\n",
                                        "a:\n a:\n", "# c\n",  "[\"]\",", "[#]\n", "'' ",  "a: '\n"};
    enum { n_bytes = 1 << 20, max_seconds = 30 }; /* a second each would do; sanitizers and valgrind slow this down */
    for (size_t i = 0; i < sizeof units / sizeof units[0]; ++i) {
        char *text = repeated(units[i], n_bytes);
        const clock_t begin = clock();
        struct reading reading = read_text(text);
        const double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
        assert_int_equal(reading.status, SARRUS_BAD_INPUT);
        assert_true(sarrus_context_n_diagnostics(reading.context) >= 1);
        if (seconds > max_seconds) {
            fail_msg("1 MiB of '%s' took %.1f s", units[i], seconds);
        }
        reading_end(&reading);
        free(text);
    }
}

/* Forty thousand names that nothing is called by, among as many that might be meant: a search for each would take a minute. */
static void many_unknown_names_end_soon(void **state) {
    (void)state;
    enum { n_names = 40000, max_seconds = 10 };
    char *text = malloc(64 * n_names);
    assert_non_null(text);
    size_t n = (size_t)sprintf(text, "%s", SCENARIO "parameters:\n");
    for (int i = 0; i < n_names; ++i) {
        n += (size_t)sprintf(text + n, "  p%d: \"=unknown%d + 1\"\n", i, i);
    }
    const clock_t begin = clock();
    struct reading reading = read_text(text);
    const double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    assert_int_equal(reading.status, SARRUS_BAD_INPUT);
    assert_non_null(strstr(diagnostic_of(&reading, 0)->message, "unknown name 'unknown0'"));
    if (seconds > max_seconds) {
        fail_msg("%d unknown names took %.1f s", n_names, seconds);
    }
    reading_end(&reading);
    free(text);
}

static void many_errors_are_cut_off(void **state) {
    (void)state;
    char *text = repeated("- {mass: x}\n", 12 * 5000);
    char *whole = NULL;
    assert_true(asprintf(&whole, "sarrus: 1\nspace: planar\njoints: []\nintegrator: {dt: 1, t_end: 1}\nbodies:\n%s", text) > 0);
    struct reading reading = read_text(whole);
    assert_int_equal(reading.status, SARRUS_BAD_INPUT);
    const size_t n = sarrus_context_n_diagnostics(reading.context);
    assert_int_equal(n, 101);
    assert_int_equal(diagnostic_of(&reading, n - 1)->severity, SARRUS_NOTE);
    assert_non_null(strstr(diagnostic_of(&reading, n - 1)->message, "further errors are not shown"));
    reading_end(&reading);
    free(whole);
    free(text);
}

static void what_is_read_is_not_changed(void **state) {
    (void)state;
    char text[] = "a: \x01\x02";
    const char copy[] = "a: \x01\x02";
    check_refused(text, strlen(text), 1, 4, "a control character");
    assert_string_equal(text, copy);
}

static void files_that_cannot_be_read(void **state) {
    (void)state;
    struct reading reading = reading_begin();
    assert_int_equal(sarrus_scenario_read_file(reading.context, "/no/such/file.yaml", NULL, 0, &reading.model), SARRUS_IO);
    assert_int_equal(sarrus_scenario_read_file(reading.context, "/", NULL, 0, &reading.model), SARRUS_IO);
    assert_null(reading.model);
    assert_non_null(strstr(diagnostic_of(&reading, 0)->message, "/no/such/file.yaml"));
    assert_non_null(strstr(diagnostic_of(&reading, 0)->message, "No such file"));
    reading_end(&reading);
}

static void bad_arguments(void **state) {
    (void)state;
    struct reading reading = read_text(SCENARIO);
    sarrus_model *model = NULL;
    assert_int_equal(sarrus_scenario_read_text(reading.context, NULL, "a", 1, NULL, 0, &model), SARRUS_BAD_ARGUMENT);
    assert_int_equal(sarrus_scenario_read_text(reading.context, "n", "a", 1, NULL, 1, &model), SARRUS_BAD_ARGUMENT);
    assert_int_equal(sarrus_scenario_read_text(reading.context, "n", "a", 1, NULL, 0, NULL), SARRUS_BAD_ARGUMENT);
    assert_int_equal(sarrus_scenario_read_file(reading.context, NULL, NULL, 0, &model), SARRUS_BAD_ARGUMENT);
    assert_int_equal(sarrus_scenario_read_text(NULL, "n", "a", 1, NULL, 0, &model),
                     SARRUS_BAD_INPUT); /* no context: the code alone */
    assert_null(model);
    reading_end(&reading);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_that_are_no_text),
        cmocka_unit_test(the_shown_line_is_safe_for_a_terminal),
        cmocka_unit_test(nothing_at_all),
        cmocka_unit_test(a_file_over_the_limit),
        cmocka_unit_test(large_hostile_files_end_soon),
        cmocka_unit_test(many_unknown_names_end_soon),
        cmocka_unit_test(many_errors_are_cut_off),
        cmocka_unit_test(what_is_read_is_not_changed),
        cmocka_unit_test(files_that_cannot_be_read),
        cmocka_unit_test(bad_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Every file in tests/scenario/bad is refused with exactly the findings that its head announces, one comment line each:
 *     # expect: LINE:COLUMN: part of the message
 * in the order of the text. The status is UNSUPPORTED when all of them are about later versions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>

#include "scenario/scenario_fixture.h"
#include "tests/support/place.h"

enum { max_files = 500, n_files_promised = 220, max_line_bytes = 1000 };

static const char folder[] = "/tests/scenario/bad";

static int is_yaml(const struct dirent *entry) {
    const size_t n = strlen(entry->d_name);
    return n > 5 && strcmp(entry->d_name + n - 5, ".yaml") == 0;
}

/* Line `i_line` (from 1) of a file, without its end, in `line`; false past the last. */
static bool line_of_file(const char *path, int i_line, char line[max_line_bytes]) {
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    bool found = true;
    for (int i = 0; i < i_line && found; ++i) {
        found = fgets(line, max_line_bytes, file) != NULL;
    }
    (void)fclose(file);
    if (found) {
        line[strcspn(line, "\n")] = '\0';
    }
    return found;
}

/* Checks finding `i` against the head of the file; false when the head has no such line. */
static bool check_finding(const struct reading *reading, const char *path, size_t i, bool *is_later) {
    char line[max_line_bytes];
    int expected_line = 0;
    int expected_column = 0;
    int n_used = 0;
    if (!line_of_file(path, (int)i + 1, line) ||
        sscanf(line, "# expect: %d:%d: %n", &expected_line, &expected_column, &n_used) != 2) {
        return false;
    }
    *is_later = strstr(line + n_used, "of a later version") != NULL;
    const sarrus_diagnostic *found = diagnostic_of(reading, i);
    if (found == NULL) {
        fail_msg("%s: expected '%s', found nothing", path, line + n_used);
        return false;
    }
    if (strstr(found->message, line + n_used) == NULL || found->line != expected_line || found->column != expected_column) {
        fail_msg("%s: expected %d:%d: '%s', found %d:%d: '%s'", path, expected_line, expected_column, line + n_used, found->line,
                 found->column, found->message);
    }
    assert_string_equal(found->file, path);
    assert_int_equal(found->severity, SARRUS_ERROR);
    assert_non_null(strchr(found->message, *is_later || strstr(found->message, "did you mean") == NULL ? ';' : '?'));
    char source[max_line_bytes];
    assert_true(line_of_file(path, found->line, source));
    assert_non_null(found->source_line);
    if (strchr(source, '\t') == NULL) { /* what a terminal should not get is replaced */
        assert_string_equal(found->source_line, source);
    }
    return true;
}

static void check_file(const char *name) {
    char path[max_line_bytes];
    (void)snprintf(path, sizeof path, "%s/%s", place_of_source(folder), name);
    struct reading reading = reading_begin();
    reading.status = sarrus_scenario_read_file(reading.context, path, NULL, 0, &reading.model);
    assert_null(reading.model);
    size_t n_expected = 0;
    bool all_later = true;
    bool is_later = false;
    while (check_finding(&reading, path, n_expected, &is_later)) {
        all_later = all_later && is_later;
        n_expected += 1;
    }
    if (n_expected == 0 || n_expected != sarrus_context_n_diagnostics(reading.context)) {
        print_diagnostics(&reading);
        fail_msg("%s: %zu findings, %zu expected", path, sarrus_context_n_diagnostics(reading.context), n_expected);
    }
    assert_int_equal(reading.status, all_later ? SARRUS_UNSUPPORTED : SARRUS_BAD_INPUT);
    reading_end(&reading);
}

static void every_bad_file_is_refused_as_announced(void **state) {
    (void)state;
    struct dirent **entries = NULL;
    const int n_entries = scandir(place_of_source(folder), &entries, is_yaml, alphasort);
    assert_in_range(n_entries, n_files_promised, max_files);
    for (int i = 0; i < n_entries; ++i) {
        check_file(entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_bad_file_is_refused_as_announced)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

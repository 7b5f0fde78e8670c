/* What is written is JSON, whatever the text holds. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "edge/json.c" /* a function of its own is tested as well */

static char *text;
static size_t n_text;

static FILE *stream_open(void) {
    FILE *stream = open_memstream(&text, &n_text);
    assert_non_null(stream);
    return stream;
}

static void text_is(FILE *stream, const char *wanted) {
    assert_int_equal(fclose(stream), 0);
    assert_string_equal(text, wanted);
    free(text);
}

static void members_are_separated_at_every_depth(void **state) {
    (void)state;
    sarrus_json json;
    FILE *stream = stream_open();
    sarrus_json_begin(&json, stream);
    sarrus_json_count(&json, "a", UINT64_MAX);
    sarrus_json_open(&json, "b", '[');
    sarrus_json_open(&json, NULL, '{');
    sarrus_json_close(&json, '}');
    sarrus_json_flag(&json, NULL, true);
    sarrus_json_null(&json, NULL);
    sarrus_json_close(&json, ']');
    sarrus_json_open(&json, "c", '[');
    sarrus_json_close(&json, ']');
    sarrus_json_close(&json, '}');
    text_is(stream, "{\"a\": 18446744073709551615, \"b\": [{}, true, null], \"c\": []}\n");
}

static void string_is(const char *value, const char *wanted) {
    FILE *stream = stream_open();
    string_write(stream, value);
    text_is(stream, wanted);
}

static void strings_are_escaped(void **state) {
    (void)state;
    string_is("a \"b\" \\ /", "\"a \\\"b\\\" \\\\ /\"");
    string_is("x\ny\tz\033\177", "\"x\\ny\\u0009z\\u001b\\u007f\"");
    string_is("θ̇ €\xf0\x9f\x98\x80", "\"θ̇ €\xf0\x9f\x98\x80\"");
}

/* Overlong forms, surrogates, lone and cut-off bytes, codes past U+10FFFF: one replacement for each bad byte. */
static void bytes_that_are_not_utf8_are_replaced(void **state) {
    (void)state;
    string_is("\xc0\x80", "\"\\ufffd\\ufffd\"");
    string_is("\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\"");
    string_is("a\xff z\x80", "\"a\\ufffd z\\ufffd\"");
    string_is("\xe2\x82", "\"\\ufffd\\ufffd\"");
    string_is("\xf4\x90\x80\x80", "\"\\ufffd\\ufffd\\ufffd\\ufffd\"");
}

static void numbers_read_back_and_nonfinite_ones_are_null(void **state) {
    (void)state;
    static const double values[] = {0.1, -0.0, 1e-310, 1.7976931348623157e308, 3.0};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; ++i) {
        sarrus_json json = {.stream = stream_open()};
        sarrus_json_number(&json, NULL, values[i]);
        assert_int_equal(fclose(json.stream), 0);
        assert_true(strtod(text, NULL) == values[i]);
        free(text);
    }
    sarrus_json json = {.stream = stream_open()};
    sarrus_json_number(&json, NULL, (double)NAN);
    sarrus_json_number(&json, NULL, -INFINITY);
    text_is(json.stream, "null, null");
}

static void lists_of_numbers(void **state) {
    (void)state;
    sarrus_json json = {0};
    FILE *stream = stream_open();
    sarrus_json_begin(&json, stream);
    sarrus_json_numbers(&json, "a", (const double[]){1.5, (double)NAN, -2.0}, 3);
    sarrus_json_numbers(&json, "b", NULL, 0);
    sarrus_json_close(&json, '}');
    text_is(stream, "{\"a\": [1.5, null, -2], \"b\": []}\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_are_separated_at_every_depth),
        cmocka_unit_test(strings_are_escaped),
        cmocka_unit_test(bytes_that_are_not_utf8_are_replaced),
        cmocka_unit_test(numbers_read_back_and_nonfinite_ones_are_null),
        cmocka_unit_test(lists_of_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

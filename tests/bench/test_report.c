/* What the benchmarks share: a table and its JSON follow from the same cells, and options from their table. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <math.h>

#include "bench/measure/options.c" /* the benchmarks are in no library */
#include "bench/report/sheet.c"

static void fill(FILE *printed, FILE *written) {
    static const char *const failures[] = {NULL, "too slow"};
    sarrus_sheet sheet;
    sarrus_sheet_begin(&sheet, printed, written, "trial");
    sarrus_sheet_note(&sheet, "a remark\n");
    sarrus_sheet_table(&sheet, "rows");
    for (int i = 0; i < 2; ++i) {
        sarrus_sheet_row(&sheet);
        sarrus_sheet_text(&sheet, "who", -5, "name", i == 0 ? "a" : "b\"");
        sarrus_sheet_count(&sheet, "n", 4, "count", (uint64_t)(10 + i));
        sarrus_sheet_number(&sheet, "share", 7, "%.1f%%", "fraction", i == 0 ? 0.25 : (double)NAN);
        sarrus_sheet_number(&sheet, "ms", 6, "%.1f", NULL, 1.5);
        sarrus_sheet_number(&sheet, NULL, 0, NULL, "seconds", 0.0015);
        sarrus_sheet_gate(&sheet, failures[i]);
        sarrus_sheet_row_end(&sheet);
    }
    sarrus_sheet_table_end(&sheet);
    sarrus_sheet_table(&sheet, NULL); /* printed alone, with headings of its own */
    sarrus_sheet_row(&sheet);
    sarrus_sheet_text(&sheet, "left", -6, "never", "x");
    sarrus_sheet_row_end(&sheet);
    sarrus_sheet_table_end(&sheet);
    sarrus_json_flag(&sheet.json, "good", true);
    sarrus_sheet_end(&sheet);
}

static void text_is(bool is_printed, const char *expected) {
    char *text = NULL;
    size_t n_text = 0;
    FILE *stream = open_memstream(&text, &n_text);
    assert_non_null(stream);
    fill(is_printed ? stream : NULL, is_printed ? NULL : stream);
    assert_int_equal(fclose(stream), 0);
    assert_string_equal(text, expected);
    free(text);
}

static void a_table_and_its_json_come_from_one_text(void **state) {
    (void)state;
    char json[512];
    text_is(true, "a remark\n"
                  "who      n   share     ms  gate\n"
                  "a       10   25.0%    1.5  ok\n"
                  "b\"      11       -    1.5  FAILED: too slow\n"
                  "left\n"
                  "x\n");
    snprintf(json, sizeof json, "{\"benchmark\": \"trial\", \"version\": \"%s\", \"rows\": [%s, %s], \"good\": true}\n",
             sarrus_version(), "{\"name\": \"a\", \"count\": 10, \"fraction\": 0.25, \"seconds\": 0.0015, \"gate\": \"ok\"}",
             "{\"name\": \"b\\\"\", \"count\": 11, \"fraction\": null, \"seconds\": 0.0015, \"gate\": \"too slow\"}");
    text_is(false, json);
}

typedef struct found {
    bool flag;
    const char *text, *list[2];
    int n_list;
    uint64_t count;
} found;

/* What is read from up to four words; the code that the reading returns. */
static int read_words(found *out, const char *a, const char *b, const char *c, const char *d) {
    union {
        const char *given;
        char *taken;
    } words[] = {{"trial"}, {a}, {b}, {c}, {d}};
    char *argv[6] = {NULL};
    int argc = 0;
    for (; argc < 5 && words[argc].given != NULL; ++argc)
        argv[argc] = words[argc].taken;
    *out = (found){.text = "before"};
    const sarrus_bench_option known[] = {
        {"flag", NULL, "", .flag = &out->flag},
        {"text", "WORD", "", .text = &out->text, .letter = 't'},
        {"list", "WORD", "", .text = out->list, .n_texts = &out->n_list, .max_texts = 2},
        {"count", "N", "", .count = &out->count, .max_count = 8},
    };
    return sarrus_bench_options_read(argc, argv, known, 4);
}

static void options_are_read(void **state) {
    (void)state;
    found f;
    assert_int_equal(read_words(&f, "--flag", "--count=8", "-t", "--flag"), -1);
    assert_true(f.flag);
    assert_int_equal(f.count, 8);
    assert_string_equal(f.text, "--flag");
    assert_int_equal(read_words(&f, "--list", "a", "--list=b", NULL), -1);
    assert_int_equal(f.n_list, 2);
    assert_string_equal(f.list[1], "b");
    assert_false(f.flag);
    assert_string_equal(f.text, "before");
}

static void what_is_not_understood_is_refused(void **state) {
    (void)state;
    found f;
    assert_int_equal(read_words(&f, "--flagg", NULL, NULL, NULL), 2);
    assert_int_equal(read_words(&f, "--fla", NULL, NULL, NULL), 2);
    assert_int_equal(read_words(&f, "--flag=1", NULL, NULL, NULL), 2);
    assert_int_equal(read_words(&f, "word", NULL, NULL, NULL), 2);
    assert_int_equal(read_words(&f, "-x", NULL, NULL, NULL), 2);
    assert_int_equal(read_words(&f, "--text", NULL, NULL, NULL), 2);
    assert_int_equal(read_words(&f, "--count", "0", NULL, NULL), 2);
    assert_int_equal(read_words(&f, "--count", "9", NULL, NULL), 2);
    assert_int_equal(read_words(&f, "--count", "-1", NULL, NULL), 2);
    assert_int_equal(read_words(&f, "--list=a", "--list=b", "--list=c", NULL), 2);
    assert_int_equal(read_words(&f, "--help", NULL, NULL, NULL), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_table_and_its_json_come_from_one_text),
        cmocka_unit_test(options_are_read),
        cmocka_unit_test(what_is_not_understood_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

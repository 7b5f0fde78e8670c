#include "bench/report/sheet.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "bench/measure/measure.h"
#include "sarrus/version.h"

void sarrus_sheet_begin(sarrus_sheet *sheet, FILE *printed, FILE *written, const char *benchmark) {
    *sheet = (sarrus_sheet){.printed = printed};
    sarrus_json_begin(&sheet->json, written);
    sarrus_json_text(&sheet->json, "benchmark", benchmark);
    sarrus_json_text(&sheet->json, "version", sarrus_version());
}

void sarrus_sheet_end(sarrus_sheet *sheet) {
    sarrus_json_close(&sheet->json, '}');
}

void sarrus_sheet_note(const sarrus_sheet *sheet, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    if (sheet->printed != NULL)
        vfprintf(sheet->printed, format, arguments);
    va_end(arguments);
}

void sarrus_sheet_processor(sarrus_sheet *sheet, char name[SARRUS_SHEET_PROCESSOR]) {
    sarrus_bench_processor_name(name, SARRUS_SHEET_PROCESSOR);
    sarrus_json_text(&sheet->json, "processor", name);
    sarrus_json_count(&sheet->json, "processors", (uint64_t)sarrus_bench_n_processors());
}

void sarrus_sheet_table(sarrus_sheet *sheet, const char *key) {
    sheet->has_key = key != NULL;
    sheet->has_headings = false;
    if (key != NULL)
        sarrus_json_open(&sheet->json, key, '[');
}

void sarrus_sheet_table_end(sarrus_sheet *sheet) {
    if (sheet->has_key)
        sarrus_json_close(&sheet->json, ']');
}

void sarrus_sheet_row(sarrus_sheet *sheet) {
    sheet->headings[0] = sheet->line[0] = '\0';
    if (sheet->has_key)
        sarrus_json_open(&sheet->json, NULL, '{');
}

static void line_print(FILE *stream, const char *line) {
    size_t n = strlen(line);
    while (n > 0 && line[n - 1] == ' ')
        --n;
    fprintf(stream, "%.*s\n", (int)n, line);
}

void sarrus_sheet_row_end(sarrus_sheet *sheet) {
    if (sheet->has_key)
        sarrus_json_close(&sheet->json, '}');
    if (sheet->printed == NULL || sheet->headings[0] == '\0')
        return;
    if (!sheet->has_headings)
        line_print(sheet->printed, sheet->headings);
    sheet->has_headings = true;
    line_print(sheet->printed, sheet->line);
    fflush(sheet->printed); /* rows may be minutes apart */
}

static void cell_append(char line[SARRUS_SHEET_LINE], int width, const char *text) {
    const size_t n = strlen(line);
    snprintf(line + n, SARRUS_SHEET_LINE - n, "%s%*s", n > 0 ? " " : "", width, text);
}

static void cell_print(sarrus_sheet *sheet, const char *heading, int width, const char *text) {
    if (heading == NULL)
        return;
    cell_append(sheet->headings, width, heading);
    cell_append(sheet->line, width, text);
}

/* Whether the member is wanted. */
static bool is_written(const sarrus_sheet *sheet, const char *key) {
    return sheet->has_key && key != NULL;
}

void sarrus_sheet_text(sarrus_sheet *sheet, const char *heading, int width, const char *key, const char *text) {
    cell_print(sheet, heading, width, text);
    if (is_written(sheet, key))
        sarrus_json_text(&sheet->json, key, text);
}

void sarrus_sheet_count(sarrus_sheet *sheet, const char *heading, int width, const char *key, uint64_t count) {
    char text[32];
    snprintf(text, sizeof text, "%" PRIu64, count);
    cell_print(sheet, heading, width, text);
    if (is_written(sheet, key))
        sarrus_json_count(&sheet->json, key, count);
}

void sarrus_sheet_number(sarrus_sheet *sheet, const char *heading, int width, const char *format, const char *key, double number) {
    char text[64] = "-";
    if (heading != NULL && isfinite(number))
        snprintf(text, sizeof text, format, format[strlen(format) - 1] == '%' ? 100.0 * number : number);
    cell_print(sheet, heading, width, text);
    if (is_written(sheet, key))
        sarrus_json_number(&sheet->json, key, number);
}

void sarrus_sheet_flag(sarrus_sheet *sheet, const char *key, bool flag) {
    if (sheet->has_key)
        sarrus_json_flag(&sheet->json, key, flag);
}

void sarrus_sheet_numbers(sarrus_sheet *sheet, const char *key, const double *numbers, int n) {
    if (sheet->has_key)
        sarrus_json_numbers(&sheet->json, key, numbers, n);
}

void sarrus_sheet_gate(sarrus_sheet *sheet, const char *failure) {
    char text[SARRUS_SHEET_LINE] = " ok";
    if (failure != NULL)
        snprintf(text, sizeof text, " FAILED: %s", failure);
    cell_print(sheet, " gate", 0, text);
    if (sheet->has_key)
        sarrus_json_text(&sheet->json, "gate", failure == NULL ? "ok" : failure);
}

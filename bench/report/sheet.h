/* What a benchmark reports: tables for people and JSON for programs, from one description. A cell of a row is one call, with the
 * heading, the width and the format of what is printed, and the key of what is written. */
#ifndef SARRUS_BENCH_REPORT_SHEET_H
#define SARRUS_BENCH_REPORT_SHEET_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "edge/json.h"
#include "sarrus/status.h"

enum { SARRUS_SHEET_LINE = 512 };

typedef struct sarrus_sheet {
    FILE *printed;    /* NULL: nobody reads the tables */
    sarrus_json json; /* its stream is NULL: nobody reads the JSON. What is not in tables is written into it directly */
    bool has_key, has_headings;
    char headings[SARRUS_SHEET_LINE], line[SARRUS_SHEET_LINE];
} sarrus_sheet;

/* The JSON begins with the benchmark's name and the program's version. Either stream may be NULL. */
void sarrus_sheet_begin(sarrus_sheet *sheet, FILE *printed, FILE *written, const char *benchmark);
void sarrus_sheet_end(sarrus_sheet *sheet);

/* A remark between tables, printed alone. */
SARRUS_PRINTF(2, 3) void sarrus_sheet_note(const sarrus_sheet *sheet, const char *format, ...);

/* The processor and how many there are: into the JSON, and the name into `name` for who prints it. */
enum { SARRUS_SHEET_PROCESSOR = 128 };
void sarrus_sheet_processor(sarrus_sheet *sheet, char name[SARRUS_SHEET_PROCESSOR]);

/* A table, which is the list `key` of the open object; NULL: it is printed alone. Its headings are those of its first row. */
void sarrus_sheet_table(sarrus_sheet *sheet, const char *key);
void sarrus_sheet_table_end(sarrus_sheet *sheet);
void sarrus_sheet_row(sarrus_sheet *sheet);
void sarrus_sheet_row_end(sarrus_sheet *sheet);

/* Cells. `heading` NULL: not printed; `key` NULL: not written. Widths are of right-aligned columns, negative of left-aligned ones.
 * A number that is not finite is a dash; a format that ends in a percent sign shows a fraction. */
void sarrus_sheet_text(sarrus_sheet *sheet, const char *heading, int width, const char *key, const char *text);
void sarrus_sheet_count(sarrus_sheet *sheet, const char *heading, int width, const char *key, uint64_t count);
void sarrus_sheet_number(sarrus_sheet *sheet, const char *heading, int width, const char *format, const char *key, double number);

/* Cells for programs alone. */
void sarrus_sheet_flag(sarrus_sheet *sheet, const char *key, bool flag);
void sarrus_sheet_numbers(sarrus_sheet *sheet, const char *key, const double *numbers, int n);

/* The last cell: "ok", or what failed. */
void sarrus_sheet_gate(sarrus_sheet *sheet, const char *failure);

#endif

/* Lines of the model card: a label, then words, in at most 99 columns. */
#ifndef SARRUS_PLAN_REPORT_TEXT_H
#define SARRUS_PLAN_REPORT_TEXT_H

#include <stdbool.h>
#include <stdio.h>

#include "plan/plan.h"

enum {
    SARRUS_CARD_COLUMNS = 98,
    SARRUS_CARD_LABEL_WIDTH = 24,
    SARRUS_CARD_NAME_WIDTH = 20, /* of a name in a table; longer ones are cut */
    SARRUS_CARD_MAX_LINES = 24,  /* of a table */
};

/* Characters of a UTF-8 text. */
int sarrus_report_width(const char *text);

/* The text in exactly `width` columns: filled up or cut. */
void sarrus_report_column(FILE *out, const char *text, int width);

void sarrus_report_title(FILE *out, const char *title);
void sarrus_report_label(FILE *out, const char *label);
SARRUS_PRINTF(3, 4) void sarrus_report_line(FILE *out, const char *label, const char *format, ...);

/* A sentence behind a label, broken between words into lines. */
SARRUS_PRINTF(3, 4) void sarrus_report_sentence(FILE *out, const char *label, const char *format, ...);

/* "1.2 MB", then `note`. */
void sarrus_report_bytes(FILE *out, const char *label, double bytes, const char *note);

/* A list of words behind a label, broken into lines. */
typedef struct sarrus_report_list {
    FILE *out;
    int column, n_lines, n_put, n_all;
    bool is_full;
} sarrus_report_list;

sarrus_report_list sarrus_report_list_begin(FILE *out, const char *label, int n_all);
void sarrus_report_list_put(sarrus_report_list *list, const char *word);
void sarrus_report_list_end(const sarrus_report_list *list);

/* The section on the graph (report_graph.c). False: no memory. */
bool sarrus_report_graph(FILE *out, const sarrus_plan *plan);

/* The section on relative coordinates, of plans that have them (report_relative.c). */
void sarrus_report_relative(FILE *out, const sarrus_plan *plan);

/* The sections on dynamics, batch and output (report_settings.c). */
void sarrus_report_settings(FILE *out, const sarrus_plan *plan);

#endif

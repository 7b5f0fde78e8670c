#include "plan/report_text.h"

#include <stdarg.h>
#include <string.h>

enum { MAX_LIST_LINES = 6, MAX_SENTENCE = 400 };

int sarrus_report_width(const char *text) {
    int width = 0;
    for (; *text; ++text)
        width += ((unsigned char)*text & 0xC0) != 0x80;
    return width;
}

void sarrus_report_column(FILE *out, const char *text, int width) {
    int full = sarrus_report_width(text);
    int shown = 0, n_shown = full <= width ? full : width - 1;
    for (; *text; ++text) {
        shown += ((unsigned char)*text & 0xC0) != 0x80;
        if (shown > n_shown)
            break;
        fputc(*text, out);
    }
    if (full > width)
        fputs("…", out);
    fprintf(out, "%*s", full < width ? width - full : 0, "");
}

void sarrus_report_title(FILE *out, const char *title) {
    fprintf(out, "\n%s\n", title);
}

void sarrus_report_label(FILE *out, const char *label) {
    fputs("  ", out);
    sarrus_report_column(out, label, SARRUS_CARD_LABEL_WIDTH);
}

void sarrus_report_line(FILE *out, const char *label, const char *format, ...) {
    va_list arguments;
    sarrus_report_label(out, label);
    va_start(arguments, format);
    vfprintf(out, format, arguments);
    va_end(arguments);
    fputc('\n', out);
}

void sarrus_report_sentence(FILE *out, const char *label, const char *format, ...) {
    char text[MAX_SENTENCE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    sarrus_report_label(out, label);
    int column = 2 + SARRUS_CARD_LABEL_WIDTH;
    char *rest = NULL;
    for (const char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        const int width = sarrus_report_width(word);
        const bool begins = column == 2 + SARRUS_CARD_LABEL_WIDTH, breaks = !begins && column + 1 + width > SARRUS_CARD_COLUMNS;
        if (breaks)
            fprintf(out, "\n%*s", 2 + SARRUS_CARD_LABEL_WIDTH, "");
        else if (!begins)
            fputc(' ', out);
        fputs(word, out);
        column = (breaks ? 2 + SARRUS_CARD_LABEL_WIDTH : column + !begins) + width;
    }
    fputc('\n', out);
}

sarrus_report_list sarrus_report_list_begin(FILE *out, const char *label, int n_all) {
    sarrus_report_label(out, label);
    return (sarrus_report_list){.out = out, .column = 2 + SARRUS_CARD_LABEL_WIDTH, .n_lines = 1, .n_all = n_all};
}

void sarrus_report_list_put(sarrus_report_list *list, const char *word) {
    FILE *out = list->out;
    int width = sarrus_report_width(word);
    width = width < 2 * SARRUS_CARD_NAME_WIDTH ? width : 2 * SARRUS_CARD_NAME_WIDTH;
    bool breaks = list->n_put > 0 && list->column + 2 + width >= SARRUS_CARD_COLUMNS;
    list->is_full = list->is_full || (breaks && list->n_lines == MAX_LIST_LINES);
    if (list->is_full)
        return;
    if (breaks) {
        fprintf(out, ",\n%*s", 2 + SARRUS_CARD_LABEL_WIDTH, "");
        list->column = 2 + SARRUS_CARD_LABEL_WIDTH;
        ++list->n_lines;
    } else if (list->n_put > 0) {
        fputs(", ", out);
        list->column += 2;
    }
    sarrus_report_column(out, word, width);
    list->column += width;
    ++list->n_put;
}

void sarrus_report_list_end(const sarrus_report_list *list) {
    FILE *out = list->out;
    if (list->n_put < list->n_all)
        fprintf(out, ",\n%*s… and %d more", 2 + SARRUS_CARD_LABEL_WIDTH, "", list->n_all - list->n_put);
    fputs(list->n_all == 0 ? "none\n" : "\n", out);
}

void sarrus_report_bytes(FILE *out, const char *label, double bytes, const char *note) {
    static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB"};
    int unit = 0;
    for (; bytes >= 1000 && unit < 4; ++unit)
        bytes /= 1000;
    sarrus_report_line(out, label, "%.*f %s%s", unit ? 1 : 0, bytes, units[unit], note);
}

#include "edge/diagnostics.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LINE_WINDOW = 160, LINE_BEFORE_CARET = 100 };

static const char *const severity_word[3] = {"error", "warning", "note"};
static const char *const severity_color[3] = {"\033[1;31m", "\033[1;35m", "\033[1;36m"};

bool sarrus_terminal_has_color(FILE *stream) {
    const char *terminal = getenv("TERM");
    return isatty(fileno(stream)) && getenv("NO_COLOR") == NULL && terminal != NULL && strcmp(terminal, "dumb") != 0;
}

static bool is_continuation(char c) {
    return ((unsigned char)c & 0xC0u) == 0x80u;
}

static bool is_control(char c) {
    return ((unsigned char)c < 0x20 && c != '\t') || c == 0x7F;
}

/* Text without control characters, except line breaks when they are wanted. */
static void text_print(FILE *stream, const char *text, size_t length, bool keep_lines) {
    for (size_t i = 0; i < length; ++i)
        fputc(is_control(text[i]) && !(keep_lines && text[i] == '\n') ? '?' : text[i], stream);
}

/* The part of the source line around the column (which counts characters), and the caret under it. */
static void source_print(FILE *stream, const sarrus_diagnostic *d, bool has_color) {
    const char *line = d->source_line;
    const size_t length = strlen(line);
    size_t i_caret = 0;
    for (int column = 1; column < d->column && i_caret < length; ++column) {
        ++i_caret;
        while (i_caret < length && is_continuation(line[i_caret]))
            ++i_caret;
    }
    size_t i_first = i_caret > LINE_BEFORE_CARET ? i_caret - LINE_BEFORE_CARET : 0;
    while (i_first < length && is_continuation(line[i_first]))
        ++i_first;
    size_t i_end = length - i_first > LINE_WINDOW ? i_first + LINE_WINDOW : length;
    while (i_end < length && is_continuation(line[i_end]))
        ++i_end;
    fprintf(stream, "    ");
    text_print(stream, line + i_first, i_end - i_first, false);
    fprintf(stream, "\n");
    if (d->column <= 0)
        return;
    fprintf(stream, "    ");
    for (size_t i = i_first; i < i_caret; ++i)
        if (!is_continuation(line[i]))
            fputc(line[i] == '\t' ? '\t' : ' ', stream);
    fprintf(stream, "%s^%s\n", has_color ? "\033[1;32m" : "", has_color ? "\033[0m" : "");
}

static void diagnostic_print(FILE *stream, const sarrus_diagnostic *d, bool has_color) {
    const int severity = d->severity >= SARRUS_ERROR && d->severity <= SARRUS_NOTE ? (int)d->severity : (int)SARRUS_ERROR;
    if (has_color)
        fprintf(stream, "\033[1m");
    if (d->file != NULL) {
        text_print(stream, d->file, strlen(d->file), false);
        if (d->line > 0)
            fprintf(stream, ":%d:%d", d->line, d->column > 0 ? d->column : 1);
    } else {
        fprintf(stream, "sarrus");
    }
    fprintf(stream, ": %s%s:%s ", has_color ? severity_color[severity] : "", severity_word[severity], has_color ? "\033[0m" : "");
    text_print(stream, d->message, strlen(d->message), true);
    fprintf(stream, "\n");
    if (d->source_line != NULL)
        source_print(stream, d, has_color);
}

void sarrus_diagnostics_print(const sarrus_context *context, FILE *stream) {
    const bool has_color = sarrus_terminal_has_color(stream);
    const size_t n = sarrus_context_n_diagnostics(context);
    for (size_t i = 0; i < n; ++i)
        diagnostic_print(stream, sarrus_context_diagnostic(context, i), has_color);
}

void sarrus_failure_print(const sarrus_context *context, sarrus_status status, FILE *stream) {
    bool is_told = status == SARRUS_OK;
    for (size_t i = 0; i < sarrus_context_n_diagnostics(context); ++i)
        is_told = is_told || sarrus_context_diagnostic(context, i)->severity == SARRUS_ERROR;
    sarrus_diagnostics_print(context, stream);
    /* What is wrong with an input is always told where there is memory for it. */
    if (!is_told)
        fprintf(stream, "sarrus: error: %s\n", sarrus_status_text(status == SARRUS_BAD_INPUT ? SARRUS_NO_MEMORY : status));
}

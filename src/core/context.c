/* The context: a bounded list of diagnostics that owns every string in it. */
#include "core/report.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    /* Beyond this many findings a reader learns nothing new, and a hostile file could fill the memory. */
    max_diagnostics = 200,
    /* A longer source line is cut: it would not fit any screen, and 200 copies of a huge one must stay small. */
    max_source_line_bytes = 4096,
};

/* A diagnostic together with the one block that its strings live in. */
struct entry {
    sarrus_diagnostic diagnostic;
    char *strings;
};

struct sarrus_context {
    struct entry *entries; /* [capacity], n in use */
    size_t n, capacity;
    size_t n_errors; /* errors reported, those not kept included */
};

/* A piece of text that is not ended by a zero byte. */
struct span {
    const char *start; /* NULL: absent */
    size_t n_bytes;
};

sarrus_status sarrus_context_create(sarrus_context **out) {
    if (out == NULL) {
        return SARRUS_BAD_ARGUMENT;
    }
    *out = calloc(1, sizeof **out);
    return *out == NULL ? SARRUS_NO_MEMORY : SARRUS_OK;
}

void sarrus_context_clear(sarrus_context *context) {
    if (context == NULL) {
        return;
    }
    for (size_t i = 0; i < context->n; ++i) {
        free(context->entries[i].strings);
    }
    context->n = 0;
    context->n_errors = 0;
}

void sarrus_context_destroy(sarrus_context *context) {
    if (context == NULL) {
        return;
    }
    sarrus_context_clear(context);
    free(context->entries);
    free(context);
}

size_t sarrus_context_n_diagnostics(const sarrus_context *context) {
    return context == NULL ? 0 : context->n;
}

const sarrus_diagnostic *sarrus_context_diagnostic(const sarrus_context *context, size_t i) {
    return context == NULL || i >= context->n ? NULL : &context->entries[i].diagnostic;
}

size_t sarrus_context_n_errors(const sarrus_context *context) {
    return context == NULL ? 0 : context->n_errors;
}

static struct span span_of_string(const char *string) {
    return (struct span){string, string == NULL ? 0 : strlen(string)};
}

/* Largest length <= n_bytes at which UTF-8 `start` can be cut without splitting a character. */
static size_t utf8_cut(const char *start, size_t n_bytes) {
    while (n_bytes > 0 && ((unsigned char)start[n_bytes] & 0xC0U) == 0x80U) {
        --n_bytes;
    }
    return n_bytes;
}

/* Line `line` (from 1) of `text` without its end; absent when the text has fewer lines. */
static struct span line_of_text(const char *text, int line) {
    const struct span absent = {NULL, 0};
    if (text == NULL || line < 1) {
        return absent;
    }
    for (int i = 1; i < line; ++i) {
        text = strchr(text, '\n');
        if (text == NULL) {
            return absent;
        }
        ++text;
    }
    size_t n_bytes = strcspn(text, "\n");
    if (n_bytes > 0 && text[n_bytes - 1] == '\r') {
        --n_bytes;
    }
    if (n_bytes > max_source_line_bytes) {
        n_bytes = utf8_cut(text, max_source_line_bytes);
    }
    return (struct span){text, n_bytes};
}

/* Copies `span` to `*cursor` with a zero byte behind it and moves the cursor on; NULL for an absent span. */
static const char *place_string(char **cursor, struct span span) {
    if (span.start == NULL) {
        return NULL;
    }
    char *copy = *cursor;
    memcpy(copy, span.start, span.n_bytes);
    copy[span.n_bytes] = '\0';
    *cursor += span.n_bytes + 1;
    return copy;
}

static bool entry_room(sarrus_context *context) {
    if (context->n < context->capacity) {
        return true;
    }
    const size_t capacity = context->capacity == 0 ? 8 : 2 * context->capacity;
    struct entry *entries = realloc(context->entries, capacity * sizeof *entries);
    if (entries == NULL) {
        return false;
    }
    context->entries = entries;
    context->capacity = capacity;
    return true;
}

/* Appends a diagnostic with copies of its strings. Without memory the finding is lost; its status still reaches the caller. */
static void append(sarrus_context *context, sarrus_diagnostic diagnostic, struct span message, struct span source_line) {
    const struct span file = span_of_string(diagnostic.file);
    if (!entry_room(context)) {
        return;
    }
    char *strings = malloc(file.n_bytes + message.n_bytes + source_line.n_bytes + 3);
    if (strings == NULL) {
        return;
    }
    char *cursor = strings;
    diagnostic.file = place_string(&cursor, file);
    diagnostic.message = place_string(&cursor, message);
    diagnostic.source_line = place_string(&cursor, source_line);
    context->entries[context->n++] = (struct entry){diagnostic, strings};
}

/* Formats and appends; the last place of a full list is taken by a note that says so. */
SARRUS_PRINTF(4, 0)
static void add(sarrus_context *context, sarrus_diagnostic diagnostic, struct span source_line, const char *format,
                va_list arguments) {
    if (context->n > max_diagnostics) {
        return;
    }
    if (context->n == max_diagnostics) {
        const sarrus_diagnostic note = {.severity = SARRUS_NOTE, .status = SARRUS_OK, .file = diagnostic.file};
        append(context, note, span_of_string("too many errors; the rest is not shown"), (struct span){NULL, 0});
        return;
    }
    va_list again;
    va_copy(again, arguments);
    const int n_bytes = vsnprintf(NULL, 0, format, arguments);
    char *message = n_bytes < 0 ? NULL : malloc((size_t)n_bytes + 1);
    if (message != NULL) {
        (void)vsnprintf(message, (size_t)n_bytes + 1, format, again);
        append(context, diagnostic, (struct span){message, (size_t)n_bytes}, source_line);
    }
    va_end(again);
    free(message);
}

sarrus_status sarrus_report(sarrus_context *context, sarrus_status status, const char *format, ...) {
    if (context != NULL) {
        ++context->n_errors;
        va_list arguments;
        va_start(arguments, format);
        add(context, (sarrus_diagnostic){.severity = SARRUS_ERROR, .status = status}, (struct span){NULL, 0}, format, arguments);
        va_end(arguments);
    }
    return status;
}

sarrus_status sarrus_report_at(sarrus_context *context, sarrus_severity severity, sarrus_status status,
                               const sarrus_location *location, const char *format, ...) {
    if (context != NULL) {
        context->n_errors += severity == SARRUS_ERROR ? 1 : 0;
        sarrus_diagnostic diagnostic = {.severity = severity, .status = status};
        struct span source_line = {NULL, 0};
        if (location != NULL) {
            diagnostic.file = location->file;
            diagnostic.line = location->line;
            diagnostic.column = location->column;
            if (context->n < max_diagnostics) { /* a scan of the text for every finding that is not kept would be quadratic */
                source_line = line_of_text(location->text, location->line);
            }
        }
        va_list arguments;
        va_start(arguments, format);
        add(context, diagnostic, source_line, format, arguments);
        va_end(arguments);
    }
    return status;
}

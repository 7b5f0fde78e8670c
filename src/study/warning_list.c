#include "study/warning_list.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N_LISTED = 4 }; /* of a kind */

struct sarrus_warning_entry {
    sarrus_warning warning;
    char *name, *text; /* those of the warning, owned */
};

static int matters(sarrus_warning_kind kind) {
    static const int words[] = {
#define SARRUS_WARNING_KIND(name, value, word, matters, title, values) [value] = (matters),
#include "sarrus/warnings.def"
    };
    return words[kind];
}

static struct sarrus_warning_entry *entry_new(sarrus_warnings *warnings) {
    if (warnings->n == warnings->capacity) {
        const int capacity = warnings->capacity == 0 ? 8 : 2 * warnings->capacity;
        struct sarrus_warning_entry *list = realloc(warnings->list, (size_t)capacity * sizeof *list);
        if (list == NULL)
            return NULL;
        warnings->list = list;
        warnings->capacity = capacity;
    }
    return &warnings->list[warnings->n];
}

/* Takes `text` over, which is NULL when memory was out for it. */
static void entry_add(sarrus_warnings *warnings, const sarrus_warning *warning, char *text) {
    struct sarrus_warning_entry *entry = text != NULL ? entry_new(warnings) : NULL;
    char *name = entry != NULL ? strdup(warning->name) : NULL;
    if (name == NULL) {
        warnings->is_out_of_memory = true;
        free(text);
        return;
    }
    *entry = (struct sarrus_warning_entry){*warning, name, text};
    entry->warning.matters = matters(warning->kind);
    entry->warning.name = name;
    entry->warning.text = text;
    ++warnings->n;
}

void sarrus_warnings_add(sarrus_warnings *warnings, sarrus_warning_kind kind, const char *name, const double *values, int n_values,
                         const char *format, ...) {
    if (warnings->n_listed[kind] == N_LISTED) {
        ++warnings->n_left_out[kind];
        return;
    }
    sarrus_warning warning = {.kind = kind, .name = name, .n_values = n_values};
    if (n_values > 0)
        memcpy(warning.values, values, (size_t)n_values * sizeof *values);
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(&text, format, arguments) < 0)
        text = NULL;
    va_end(arguments);
    ++warnings->n_listed[kind];
    entry_add(warnings, &warning, text);
}

void sarrus_warnings_add_rest(sarrus_warnings *warnings, sarrus_warning_kind kind, const char *what) {
    char *text = NULL;
    if (warnings->n_left_out[kind] == 0)
        return;
    if (asprintf(&text, "… and %d more %s", warnings->n_left_out[kind], what) < 0)
        text = NULL;
    entry_add(warnings, &(sarrus_warning){.kind = kind, .name = ""}, text);
}

int sarrus_warnings_count(const sarrus_warnings *warnings) {
    return warnings != NULL ? warnings->n : 0;
}

void sarrus_warnings_get(const sarrus_warnings *warnings, int i, sarrus_warning *out) {
    if (out == NULL)
        return;
    *out = (sarrus_warning){.name = "", .text = ""};
    if (i >= 0 && i < sarrus_warnings_count(warnings))
        *out = warnings->list[i].warning;
}

void sarrus_warnings_destroy(sarrus_warnings *warnings) {
    if (warnings == NULL)
        return;
    for (int i = 0; i < warnings->n; ++i) {
        free(warnings->list[i].name);
        free(warnings->list[i].text);
    }
    free(warnings->list);
    free(warnings);
}

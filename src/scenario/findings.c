#include "scenario/findings.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct sarrus_finding {
    sarrus_status status;
    int i_source;
    sarrus_place place;
    size_t i_order; /* keeps the sort stable */
    char *message;
};

void sarrus_findings_add(sarrus_findings *findings, sarrus_status status, int i_source, sarrus_place place, const char *format,
                         ...) {
    if (status == SARRUS_UNSUPPORTED) {
        findings->has_unsupported = true;
    } else {
        findings->has_bad_input = true;
    }
    if (findings->n_kept == SARRUS_FINDINGS_MAX) {
        findings->is_full = true;
        return;
    }
    if (findings->list == NULL) {
        findings->list = calloc(SARRUS_FINDINGS_MAX, sizeof *findings->list);
    }
    char *message = NULL;
    va_list arguments;
    va_start(arguments, format);
    const int n_bytes = vasprintf(&message, format, arguments);
    va_end(arguments);
    if (findings->list == NULL || n_bytes < 0) {
        if (n_bytes >= 0) {
            free(message);
        }
        findings->is_out_of_memory = true;
        return;
    }
    findings->list[findings->n_kept] = (struct sarrus_finding){status, i_source, place, findings->n_kept, message};
    findings->n_kept += 1;
}

bool sarrus_findings_any(const sarrus_findings *findings) {
    return findings->has_bad_input || findings->has_unsupported || findings->is_out_of_memory;
}

static int order_of(long long a, long long b) {
    return (a > b) - (a < b);
}

static int compare(const void *left, const void *right) {
    const struct sarrus_finding *a = left;
    const struct sarrus_finding *b = right;
    int order = order_of(a->i_source, b->i_source);
    order = order != 0 ? order : order_of(a->place.line, b->place.line);
    order = order != 0 ? order : order_of(a->place.column, b->place.column);
    return order != 0 ? order : order_of((long long)a->i_order, (long long)b->i_order);
}

/* What is wrong with a document is found with each scenario that it names. */
static bool is_told(const sarrus_context *context, const sarrus_location *location, const char *message) {
    for (size_t i = 0; i < sarrus_context_n_diagnostics(context); ++i) {
        const sarrus_diagnostic *told = sarrus_context_diagnostic(context, i);
        if (told->line == location->line && told->column == location->column && told->file != NULL &&
            strcmp(told->file, location->file) == 0 && strcmp(told->message, message) == 0) {
            return true;
        }
    }
    return false;
}

sarrus_status sarrus_findings_report(sarrus_findings *findings, sarrus_context *context, const sarrus_finding_source *sources) {
    const bool has_document = sources[SARRUS_SOURCE_DOCUMENT].file != NULL;
    if (findings->n_kept > 1) {
        qsort(findings->list, findings->n_kept, sizeof *findings->list, compare);
    }
    for (size_t i = 0; i < findings->n_kept; ++i) {
        const struct sarrus_finding *finding = &findings->list[i];
        const sarrus_finding_source *source = &sources[finding->i_source];
        const sarrus_location location = {source->file, source->text, finding->place.line, finding->place.column};
        if (!has_document || !is_told(context, &location, finding->message)) {
            (void)sarrus_report_at(context, SARRUS_ERROR, finding->status, &location, "%s", finding->message);
        }
        free(finding->message);
    }
    if (findings->is_full) {
        const sarrus_location location = {sources[0].file, NULL, 0, 0};
        (void)sarrus_report_at(context, SARRUS_NOTE, SARRUS_BAD_INPUT, &location,
                               "further errors are not shown; expected fewer than %d", SARRUS_FINDINGS_MAX);
    }
    const bool has_bad_input = findings->has_bad_input;
    const bool has_unsupported = findings->has_unsupported;
    const bool is_out_of_memory = findings->is_out_of_memory;
    free(findings->list);
    *findings = (sarrus_findings){0};
    if (is_out_of_memory) {
        return sarrus_report(context, SARRUS_NO_MEMORY, "out of memory while reading the scenario");
    }
    if (has_bad_input) {
        return SARRUS_BAD_INPUT;
    }
    return has_unsupported ? SARRUS_UNSUPPORTED : SARRUS_OK;
}

/* A context collects diagnostics. Every fallible call that can say more than a code takes one.
 * Thread safety: one thread at a time per context; different contexts are independent. No global state. */
#ifndef SARRUS_CONTEXT_H
#define SARRUS_CONTEXT_H

#include <stddef.h>

#include "sarrus/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sarrus_context sarrus_context;

typedef enum sarrus_severity {
    SARRUS_ERROR = 0,
    SARRUS_WARNING = 1,
    SARRUS_NOTE = 2,
} sarrus_severity;

/* One finding. `file` is NULL when it is not about a file; `line` and `column` count from 1, 0 when unknown;
 * `source_line` is the offending line without its end, NULL when unknown. The strings belong to the context. */
typedef struct sarrus_diagnostic {
    sarrus_severity severity;
    sarrus_status status;
    const char *file;
    int line;
    int column;
    const char *message; /* "what is wrong; what was expected" */
    const char *source_line;
} sarrus_diagnostic;

/* Makes an empty context. `*out` is the caller's, to be given to sarrus_context_destroy. NO_MEMORY. */
SARRUS_MUST_USE sarrus_status sarrus_context_create(sarrus_context **out);

/* Frees the context and all diagnostics; NULL is allowed. */
void sarrus_context_destroy(sarrus_context *context);

/* Number of diagnostics gathered, oldest first. */
size_t sarrus_context_n_diagnostics(const sarrus_context *context);

/* Diagnostic `i`, valid until the next call that takes the context mutably; NULL when `i` is out of range. */
const sarrus_diagnostic *sarrus_context_diagnostic(const sarrus_context *context, size_t i);

/* Forgets all diagnostics. */
void sarrus_context_clear(sarrus_context *context);

#ifdef __cplusplus
}
#endif

#endif

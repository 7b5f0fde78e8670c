/* What one scenario is read from: its text, the document that names it, the overrides. */
#ifndef SARRUS_SCENARIO_READING_H
#define SARRUS_SCENARIO_READING_H

#include <stddef.h>

#include "sarrus/scenario.h"
#include "scenario/findings.h"
#include "scenario/member.h"

/* Bytes that stand for a file; no end mark is needed. */
typedef struct sarrus_text {
    const char *name;  /* in diagnostics */
    const char *bytes; /* [n_bytes] */
    size_t n_bytes;
} sarrus_text;

/* The bytes of a file, one more than a scenario may have at most, to be given to sarrus_text_free. 0, or the system's reason; `out`
 * is empty then. */
int sarrus_text_load(const char *path, sarrus_text *out);

/* The same with a report. IO, NO_MEMORY. */
SARRUS_MUST_USE sarrus_status sarrus_text_read(sarrus_context *context, const char *path, sarrus_text *out);
void sarrus_text_free(sarrus_text *text);

typedef struct sarrus_reading {
    const char *name;
    char *text; /* [n_bytes + 1] a copy; the model takes it, or sarrus_reading_end frees it */
    size_t n_bytes;
    const sarrus_override *overrides; /* [n_overrides] */
    char **shown;                     /* [n_overrides] "path=value" */
    size_t n_overrides;
    /* Of a scenario that a document names: */
    sarrus_finding_source document;
    const sarrus_member *member; /* NULL: it is read alone */
} sarrus_reading;

/* Copies of a text and of overrides, to be given to sarrus_reading_end, after an error too. BAD_ARGUMENT (something is missing, or
 * there are more overrides than anybody means), BAD_INPUT (an HDF5 file), NO_MEMORY. */
SARRUS_MUST_USE sarrus_status sarrus_reading_begin(sarrus_reading *reading, sarrus_context *context, const sarrus_text *text,
                                                   const sarrus_override *overrides, size_t n_overrides);
void sarrus_reading_end(sarrus_reading *reading);

/* The model, or what is wrong with it. Errors as of sarrus_scenario_read_text. */
SARRUS_MUST_USE sarrus_status sarrus_reading_run(sarrus_context *context, sarrus_reading *reading, sarrus_model **out);

#endif

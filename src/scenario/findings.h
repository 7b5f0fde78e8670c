/* What is wrong with a scenario, gathered while reading it and reported in the order of the text. */
#ifndef SARRUS_SCENARIO_FINDINGS_H
#define SARRUS_SCENARIO_FINDINGS_H

#include <stdbool.h>
#include <stddef.h>

#include "core/report.h"
#include "model/model.h"

enum { SARRUS_FINDINGS_MAX = 100 }; /* more are counted, not kept */

/* A text that findings can point into: source 0 is the file, 1 the document that names it, if there is one, and k + 2 override k,
 * shown as "path=value". */
typedef struct sarrus_finding_source {
    const char *file;
    const char *text; /* 0-terminated */
} sarrus_finding_source;

typedef struct sarrus_findings {
    struct sarrus_finding *list; /* [n_kept] */
    size_t n_kept;
    size_t n_candidates; /* for what was meant by misspelt words, compared so far */
    bool has_bad_input;
    bool has_unsupported;
    bool is_out_of_memory; /* sticky; the reader gives up with NO_MEMORY */
    bool is_full;          /* some were not kept */
} sarrus_findings;

/* Adds an error; `status` is BAD_INPUT or UNSUPPORTED. Running out of memory is remembered, not returned. */
SARRUS_PRINTF(5, 6)
void sarrus_findings_add(sarrus_findings *findings, sarrus_status status, int i_source, sarrus_place place, const char *format,
                         ...);

/* True when anything was added. */
bool sarrus_findings_any(const sarrus_findings *findings);

enum { SARRUS_SOURCE_FILE = 0, SARRUS_SOURCE_DOCUMENT = 1, SARRUS_SOURCE_OVERRIDES = 2 };

/* Reports all of them to `context`, less those that stand in it already, ordered by source, line and column, and forgets them.
 * Returns OK when there are none, UNSUPPORTED when all are, BAD_INPUT otherwise, NO_MEMORY when memory ran out on the way. */
SARRUS_MUST_USE sarrus_status sarrus_findings_report(sarrus_findings *findings, sarrus_context *context,
                                                     const sarrus_finding_source *sources);

#endif

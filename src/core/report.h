/* Putting diagnostics into a context. */
#ifndef SARRUS_CORE_REPORT_H
#define SARRUS_CORE_REPORT_H

#include "sarrus/context.h"

/* Adds an error, formats the message, returns `status`; a NULL context only returns `status`. All strings are copied.
 * The first 200 findings are kept, then one note says that there were more. */
SARRUS_PRINTF(3, 4) sarrus_status sarrus_report(sarrus_context *context, sarrus_status status, const char *format, ...);

/* Where in a text something stands. `text` (may be NULL) is the whole source, from which the offending line is cut. */
typedef struct sarrus_location {
    const char *file;
    const char *text;
    int line;   /* from 1 */
    int column; /* from 1 */
} sarrus_location;

/* The same with a place in a file and a severity; a NULL location means no place. A source line is cut after 4096 bytes. */
SARRUS_PRINTF(5, 6)
sarrus_status sarrus_report_at(sarrus_context *context, sarrus_severity severity, sarrus_status status,
                               const sarrus_location *location, const char *format, ...);

/* Number of errors (not warnings or notes) reported since the last clear, those not kept included. */
size_t sarrus_context_n_errors(const sarrus_context *context);

#endif

/* Showing a context's diagnostics to a person. */
#ifndef SARRUS_EDGE_DIAGNOSTICS_H
#define SARRUS_EDGE_DIAGNOSTICS_H

#include <stdbool.h>
#include <stdio.h>

#include "sarrus/context.h"

/* Whether `stream` is a terminal that takes color (NO_COLOR is not set, TERM is not "dumb"). */
bool sarrus_terminal_has_color(FILE *stream);

/* Prints every diagnostic as `FILE:LINE:COL: error: message`, with the source line and a caret below. Control characters
 * of the file are not passed on to the terminal. */
void sarrus_diagnostics_print(const sarrus_context *context, FILE *stream);

/* The same, and of a failure that left no error there, for want of memory most likely, what its status says. */
void sarrus_failure_print(const sarrus_context *context, sarrus_status status, FILE *stream);

#endif

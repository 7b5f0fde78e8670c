/* muParser behind functions that C may call: its exceptions, those of a failed allocation among them, end here as a code.
 *
 * muParser's own C interface lets std::bad_alloc through where it makes a parser, and an exception that unwinds into C ends the
 * program. */
#ifndef SARRUS_MODEL_MUPARSER_H
#define SARRUS_MODEL_MUPARSER_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sarrus_muparser sarrus_muparser;

/* What a call came to. */
typedef enum sarrus_muparser_outcome {
    SARRUS_MUPARSER_DONE = 0,
    SARRUS_MUPARSER_REFUSED = 1, /* muParser does not take it; the fault says why */
    SARRUS_MUPARSER_NO_MEMORY = 2,
} sarrus_muparser_outcome;

/* muParser's error code, and the place in the text; −1: unknown. */
typedef struct sarrus_muparser_fault {
    int code;
    int position;
} sarrus_muparser_fault;

/* A parser with muParser's functions and no constants; NULL without memory. Destroying NULL is allowed. */
sarrus_muparser *sarrus_muparser_create(void);
void sarrus_muparser_destroy(sarrus_muparser *parser);

sarrus_muparser_outcome sarrus_muparser_constant(sarrus_muparser *parser, const char *name, double value);

/* The variable is read at *address, which must outlive the parser. */
sarrus_muparser_outcome sarrus_muparser_variable(sarrus_muparser *parser, const char *name, double *address);

/* Takes `text` in and evaluates it: n_values values, of which the last goes to *value. */
sarrus_muparser_outcome sarrus_muparser_compile(sarrus_muparser *parser, const char *text, double *value, int *n_values,
                                                sarrus_muparser_fault *fault);

/* The text that was compiled last, again; NaN when muParser does not take it any more. */
double sarrus_muparser_evaluate(sarrus_muparser *parser);

#ifdef __cplusplus
}
#endif

#endif

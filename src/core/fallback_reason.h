/* A sentence that says why something went another way. It does not make a call fail, so it is no diagnostic. */
#ifndef SARRUS_CORE_FALLBACK_REASON_H
#define SARRUS_CORE_FALLBACK_REASON_H

#include <stdbool.h>

#include "sarrus/batch.h"

typedef struct sarrus_fallback_reason {
    char text[SARRUS_SPECIALIZATION_NOTE]; /* one line of printable characters; "" when there is nothing to say */
} sarrus_fallback_reason;

/* Replaces the text. What does not fit is cut off; control characters, of a compiler for example, become blanks. Returns false, so
 * that a function which fails may end with it. */
SARRUS_PRINTF(2, 3) bool sarrus_fallback_reason_set(sarrus_fallback_reason *reason, const char *format, ...);

#endif

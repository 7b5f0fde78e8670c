/* Whether two scenarios are the same mechanism with the same output, whatever integrates it. */
#ifndef SARRUS_SCENARIO_SAME_MECHANISM_H
#define SARRUS_SCENARIO_SAME_MECHANISM_H

#include <stddef.h>

#include "sarrus/status.h"

/* Compares the texts of two scenarios as they were run, but for their name, `integrator`, `dynamics`, `limits`, of `batch` all
 * but the parameters, and how often there is output. `key` [n_bytes] ← "" when they are the same, or the key under which they
 * differ, as "bodies". BAD_INPUT: a text is no scenario; NO_MEMORY. */
SARRUS_MUST_USE sarrus_status sarrus_texts_compare(const char *a, const char *b, char *key, size_t n_bytes);

/* *out ← the first scenario with what the second has of `integrator`, `dynamics`, `limits`, and of how often there is output; to
 * be freed. Errors as above. */
SARRUS_MUST_USE sarrus_status sarrus_texts_graft(const char *a, const char *b, char **out);

#endif

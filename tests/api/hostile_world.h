/* What hostile calls are made with: nonsense, and an object of every kind beside it. */
#ifndef SARRUS_TESTS_API_HOSTILE_WORLD_H
#define SARRUS_TESTS_API_HOSTILE_WORLD_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "sarrus/sarrus.h"

enum { N = 3, SECONDS = 20, TEXT = 1 << 20 }; /* instances; of one function; bytes of a header */

static const uint64_t huge_counts[] = {UINT64_MAX,        UINT64_MAX - 7,    UINT64_C(1) << 63, UINT64_C(1) << 61,
                                       UINT64_C(1) << 60, UINT64_C(1) << 57, UINT64_C(1) << 56};
enum { N_HUGE = sizeof huge_counts / sizeof huge_counts[0] };
static const int bad_indices[] = {-1, INT_MIN, 1000, INT_MAX};
enum { N_BAD = sizeof bad_indices / sizeof bad_indices[0] };

/* What the good arguments are; made once, before the processes part. */
static struct world {
    sarrus_context *context;
    sarrus_model *model, *other;
    sarrus_plan *plan;
    sarrus_draws *draws;
    sarrus_warnings *warnings;
    sarrus_batch *batch;
} w;

static bool bad(sarrus_status status) {
    return status == SARRUS_BAD_ARGUMENT;
}

/* Refused, with a text in the context. */
static bool bad_and_told(sarrus_status status) {
    const bool is_told = sarrus_context_n_diagnostics(w.context) == 1;
    sarrus_context_clear(w.context);
    return status == SARRUS_BAD_ARGUMENT && is_told;
}

#endif

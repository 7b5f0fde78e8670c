/* Hostile calls about draws of one's own, and about probabilities that are made of them. */
#ifndef SARRUS_TESTS_API_HOSTILE_DRAWS_H
#define SARRUS_TESTS_API_HOSTILE_DRAWS_H

#include <math.h>

#include "tests/api/hostile_world.h"

static bool draws_given(void) {
    sarrus_draws *out = NULL;
    const char *const unknown[] = {"nothing.of.the.kind"}, *const nothing[] = {NULL};
    const double values[N] = {1.0}, unlimited[N] = {INFINITY};
    bool good = bad_and_told(sarrus_draws_from_values(w.context, NULL, NULL, 1, N, values, &out)) &&
                bad_and_told(sarrus_draws_from_values(w.context, w.model, NULL, 1, N, NULL, &out)) &&
                bad_and_told(sarrus_draws_from_values(w.context, w.model, NULL, 1, N, values, NULL)) &&
                bad_and_told(sarrus_draws_from_values(w.context, w.model, NULL, 1, 0, values, &out)) &&
                bad_and_told(sarrus_draws_from_values(w.context, w.model, unknown, 1, N, values, &out)) &&
                bad_and_told(sarrus_draws_from_values(w.context, w.model, nothing, 1, N, values, &out)) &&
                bad_and_told(sarrus_draws_from_values(w.context, w.model, NULL, 1, N, unlimited, &out)) && out == NULL;
    for (int i = 0; i < N_BAD && good; ++i)
        good = bad_and_told(sarrus_draws_from_values(w.context, w.model, NULL, bad_indices[i], N, values, &out)) && out == NULL;
    for (int i = 0; i < N_HUGE && good; ++i)
        good = sarrus_draws_from_values(NULL, w.model, NULL, 1, huge_counts[i], values, &out) == SARRUS_NO_MEMORY && out == NULL;
    return good;
}

static bool draws_of_units(void) {
    sarrus_draws *out = NULL;
    static const double wrong[] = {0.0, 1.0, -0.5, 2.0, NAN, INFINITY};
    const double units[N] = {0.5, 0.5, 0.5};
    bool good = bad_and_told(sarrus_draws_from_units(w.context, NULL, N, units, &out)) &&
                bad_and_told(sarrus_draws_from_units(w.context, w.model, N, NULL, &out)) &&
                bad_and_told(sarrus_draws_from_units(w.context, w.model, N, units, NULL)) &&
                bad_and_told(sarrus_draws_from_units(w.context, w.model, 0, units, &out)) && out == NULL;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0] && good; ++i) {
        const double odd[N] = {0.5, wrong[i], 0.5};
        good = bad_and_told(sarrus_draws_from_units(w.context, w.model, N, odd, &out)) && out == NULL;
    }
    for (int i = 0; i < N_HUGE && good; ++i)
        good = sarrus_draws_from_units(NULL, w.model, huge_counts[i], units, &out) == SARRUS_NO_MEMORY && out == NULL;
    return good;
}

/* The scenarios have no quantity. */
static bool reliability(void) {
    sarrus_reliability out;
    sarrus_reliability_options options = {.quantity = "x", .limit = 1.0};
    const sarrus_reliability_options nameless = {.limit = 1.0};
    return bad_and_told(sarrus_reliability_find(w.context, NULL, &options, &out)) &&
           bad_and_told(sarrus_reliability_find(w.context, w.model, NULL, &out)) &&
           bad_and_told(sarrus_reliability_find(w.context, w.model, &nameless, &out)) &&
           bad_and_told(sarrus_reliability_find(w.context, w.model, &options, &out)) &&
           bad_and_told(sarrus_reliability_find(w.context, w.model, &options, NULL));
}

#endif

/* Subset simulation of a number whose large values are rare, in standard normal coordinates.
 * Sources as of sarrus_reliability_find. */
#ifndef SARRUS_STUDY_SUBSET_H
#define SARRUS_STUDY_SUBSET_H

#include <stdint.h>

#include "sarrus/reliability.h"

/* A tenth of a level goes on, so that chains are ten states long. */
enum { SARRUS_SUBSET_STATES = 10 };

/* Evaluates n points: units [n_parameters][n] in (0, 1) → g [n], −∞ where there is none. */
typedef sarrus_status sarrus_subset_evaluate(void *user, uint64_t n, const double *units, double *g);

typedef struct sarrus_subset {
    int n_parameters;
    uint64_t n;   /* of a level, a multiple of SARRUS_SUBSET_STATES */
    double limit; /* of g */
    uint64_t seed;
    sarrus_subset_evaluate *evaluate;
    /* After each level, its limit in terms of g. Not 0: stop. */
    int (*told)(void *user, int level, double limit, double share);
    void *user;
} sarrus_subset;

/* Fills probability, low, high, variation, n_levels, is_reached. Errors of `evaluate`; NO_MEMORY; INTERRUPTED. */
SARRUS_MUST_USE sarrus_status sarrus_subset_run(const sarrus_subset *subset, sarrus_reliability *out);

#endif

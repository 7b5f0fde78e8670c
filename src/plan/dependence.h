/* Which rows are left out as dependent, and which rows take no part in any dependence. */
#ifndef SARRUS_PLAN_DEPENDENCE_H
#define SARRUS_PLAN_DEPENDENCE_H

#include "plan/configuration.h"

/* The configurations that are asked: all of the generic rank. */
typedef struct sarrus_plan_asked {
    int n;
    const double **q;      /* [n] each [n_q] */
    const double *kept;    /* [n] the smallest singular value that counts, relative to the largest */
    const double *largest; /* [n] the largest */
} sarrus_plan_asked;

/* is_dependent, is_unique [m]. `configuration` is moved to those that are asked. NO_MEMORY, INTERRUPTED. */
SARRUS_MUST_USE sarrus_status sarrus_plan_dependence_find(sarrus_configuration *configuration, const sarrus_plan_asked *asked,
                                                          bool *is_dependent, bool *is_unique);

#endif

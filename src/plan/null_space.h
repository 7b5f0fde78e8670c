/* The left null space of a few rows, by orthogonal elimination with full matrices. */
#ifndef SARRUS_PLAN_NULL_SPACE_H
#define SARRUS_PLAN_NULL_SPACE_H

#include "plan/fronts.h"

/* *out ← an orthonormal basis [n_rows][*n_null], column-major, of the vectors w with wᵀA = 0; columns of A that keep no more than
 * `tolerance` beside others do not count. *out is the caller's, NULL when the space is empty. False: no memory. */
SARRUS_MUST_USE bool sarrus_null_space_find(const sarrus_plan_rows *rows, double tolerance, double **out, int *n_null);

#endif

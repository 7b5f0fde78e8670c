/* The singular values of sparse rows that a plan asks for: the largest, and the smallest of those that count. */
#ifndef SARRUS_PLAN_SPECTRUM_H
#define SARRUS_PLAN_SPECTRUM_H

#include "plan/fronts.h"

/* A singular value is compared with the largest one. Below `rank` it does not count; below `clear` it counts, but not firmly. */
#define SARRUS_RANK_TOLERANCE 1e-9
#define SARRUS_CLEAR_TOLERANCE 1e-6

/* The smallest singular values that count, ascending, with their vectors: as many as are less than ten times the first, as far as
 * they could be told from one another. */
typedef struct sarrus_spectrum {
    int n_rows, n; /* of A; n columns */
    double largest;
    int rank, firm_rank;  /* singular values above the one tolerance and the other */
    double kept, dropped; /* the smallest that counts, and the largest that does not, relative to the largest */
    int n_small;
    double *sigma; /* [n_small] */
    double *left;  /* [n_small][n_rows] */
    double *right; /* [n_small][n] */
} sarrus_spectrum;

/* What is to be found beside rank, firm_rank, largest, kept and dropped. */
typedef enum sarrus_spectrum_wish { SARRUS_SPECTRUM_VALUES, SARRUS_SPECTRUM_VECTORS } sarrus_spectrum_wish;

/* NO_MEMORY, INTERRUPTED. The factor of `fronts` is another one then. */
SARRUS_MUST_USE sarrus_status sarrus_spectrum_find(sarrus_fronts *fronts, const sarrus_plan_rows *rows, sarrus_spectrum_wish wish,
                                                   sarrus_spectrum *out);
void sarrus_spectrum_free(sarrus_spectrum *spectrum);

#endif

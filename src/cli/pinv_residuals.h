/* How well results of the pseudoinverse call satisfy the equations that define them, in doubles.
 *
 * Of X = A⁺ Penrose's four conditions, in norms of all entries:
 *   ‖A X A − A‖ / (‖A‖²‖X‖)   ‖X A X − X‖ / (‖A‖‖X‖²)   ‖(A X)ᵀ − A X‖ / (‖A‖‖X‖)   ‖(X A)ᵀ − X A‖ / (‖A‖‖X‖)
 * and of X = A⁺B the one that says least squares: ‖Aᵀ(A X − B)‖ / (‖A‖ (‖A‖‖X‖ + ‖B‖)).
 *
 * What they are compared to. The stable methods promise 10 max(m, n) ε of the four (docs/pinv.md). They are evaluated by two
 * products with sums of m and of n terms, which rounding moves by (m + n) ε/2 ≤ max(m, n) ε of the divisor: 11 together. A
 * solution of a problem whose matrix is off by 10 max(m, n) ε ‖A‖ leaves that times ‖A X − B‖ + ‖A‖‖X‖, at most twice its share of
 * the divisor: 21 with the evaluation. A part E of A that the rank rule drops is missing in A X A, and turns A X when pivots chose
 * it: ‖E X A‖ + ‖A X E‖ + ‖E X E‖ + ‖E‖ ≤ 4 ‖E‖, to which the divisor ‖A‖²‖X‖ ≥ ‖A‖ has the share 4 ‖E‖/‖A‖; no more in the other
 * conditions. ‖E‖ ≤ √max(m, n) times the largest size that was dropped, be it a singular value or a pivot, whose column is the
 * longest of what is left. */
#ifndef SARRUS_CLI_PINV_RESIDUALS_H
#define SARRUS_CLI_PINV_RESIDUALS_H

#include "sarrus/pinv.h"

enum { SARRUS_N_PENROSE = 4 };

typedef struct sarrus_pinv_residuals {
    int n;                              /* SARRUS_N_PENROSE, or 1 of least squares */
    double bound;                       /* of a matrix of which nothing was dropped; NaN: the method promises none */
    double worst[SARRUS_N_PENROSE];     /* [n] */
    uint64_t i_worst[SARRUS_N_PENROSE]; /* [n] the matrix that has it */
    uint64_t n_looked;                  /* matrices that were finite */
    uint64_t n_beyond;                  /* matrices with more than their bound in any of them */
} sarrus_pinv_residuals;

/* None yet, of a method (not auto) and a shape. */
sarrus_pinv_residuals sarrus_pinv_residuals_begin(sarrus_pinv_method method, int m, int n, int n_rhs);

/* Takes in the results of a call, with `dropped` of every matrix; those that are not finite are left out. `i_first` is the number
 * of the first matrix. NO_MEMORY. */
SARRUS_MUST_USE sarrus_status sarrus_pinv_residuals_add(sarrus_context *context, const sarrus_pinv_batch *batch, uint64_t i_first,
                                                        int n_threads, sarrus_pinv_residuals *into);

#endif

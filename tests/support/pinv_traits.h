/* What each row of pinv_methods.def is held to. A row without an entry does not compile. */
#ifndef TESTS_SUPPORT_PINV_TRAITS_H
#define TESTS_SUPPORT_PINV_TRAITS_H

#include <stdbool.h>

#include "sarrus/method.h"

typedef enum pinv_claim {
    PINV_IS_PSEUDOINVERSE, /* A⁺ at the rank that was decided */
    PINV_IS_TRUNCATED,     /* A⁺ at the rank that was asked for */
    PINV_IS_REGULARISED,   /* (AᵀA + t²)⁻¹ Aᵀ, t the threshold of the rank */
    PINV_NEEDS_A_DEVICE    /* refused without one */
} pinv_claim;

/* Residuals of a pseudoinverse are bounded by 10 max(m, n) eps condition^power. 0: backward stable. 1: the computed basis loses its
 * orthogonality with the condition. 2: the condition is squared (a product A Aᵀ is formed, or a projected row is divided by the
 * square of what cancellation has left of it). The factor 10 is what is promised for the stable ones; a method adds up some m n
 * products of n terms each, and the norms in the divisor are of all entries. */
typedef struct pinv_trait {
    pinv_claim claim;
    int power;
    bool has_sigma;               /* what it calls sizes are singular values; else pivots */
    bool takes_rows_as_they_come; /* the condition of the first rows counts, which grading makes far worse than that of all */
    double least;                 /* singular values below this share of the largest one are beyond it */
} pinv_trait;

static inline pinv_trait pinv_trait_of(sarrus_pinv_method method) {
    switch (method) {
    case SARRUS_PINV_SVD:
    case SARRUS_PINV_LAPACK:
    case SARRUS_PINV_JACOBI:
        return (pinv_trait){PINV_IS_PSEUDOINVERSE, 0, true, false, 0.0};
    case SARRUS_PINV_AUTO: /* householder */
    case SARRUS_PINV_VARGA:
    case SARRUS_PINV_HOUSEHOLDER:
    case SARRUS_PINV_MGS2:
        return (pinv_trait){PINV_IS_PSEUDOINVERSE, 0, false, false, 0.0};
    case SARRUS_PINV_MGS:
        return (pinv_trait){PINV_IS_PSEUDOINVERSE, 1, false, false, 0.0};
    case SARRUS_PINV_GREVILLE:
        return (pinv_trait){PINV_IS_PSEUDOINVERSE, 2, false, true, 1e-6};
    case SARRUS_PINV_NORMAL:
    case SARRUS_PINV_CHOLESKY:
        return (pinv_trait){PINV_IS_PSEUDOINVERSE, 2, false, false, 1e-6};
    case SARRUS_PINV_TIKHONOV:
        return (pinv_trait){PINV_IS_REGULARISED, 0, true, false, 0.0};
    case SARRUS_PINV_TRUNCATED:
        return (pinv_trait){PINV_IS_TRUNCATED, 0, true, false, 0.0};
    case SARRUS_PINV_CUSOLVER_SVD:
    case SARRUS_PINV_CUSOLVER_SYEV:
        break;
    }
    return (pinv_trait){PINV_NEEDS_A_DEVICE, 0, false, false, 0.0};
}

#endif

/* Dense formulations on many systems (kernels/formulation/dense/): packed into tiles of lanes, one thread. */
#ifndef SARRUS_PINV_DENSE_H
#define SARRUS_PINV_DENSE_H

#include <stdint.h>

#include "sarrus/context.h"
#include "sarrus/method.h"

/* The systems  M a + Jᵀλ = F,  J a = γ,  row-major, one after another. */
typedef struct sarrus_dense_systems {
    uint64_t n_systems;
    int m, n;
    int block, turn;         /* speeds of a body, and how many of them shift it */
    const int32_t *pins;     /* [n / block][3] the tree of pins (plan/pin_tree.h); NULL: not all bodies hang on one */
    const double *mass;      /* [n_systems][n][n] */
    const double *force;     /* [n_systems][n] */
    const double *jacobian;  /* [n_systems][m][n] */
    const double *gamma;     /* [n_systems][m] */
    const double *max_rank;  /* [n_systems] of J */
    const double *violation; /* [n_systems] ‖Φ‖ */
} sarrus_dense_systems;

/* How they are solved. */
typedef struct sarrus_dense_choice {
    sarrus_formulation formulation; /* one that sarrus_formulation_has_dense */
    sarrus_pinv_method method;      /* of the lanes; AUTO: householder */
    sarrus_rank_method rank_method;
    const char *isa;
    double seconds; /* for which it is repeated to be timed; 0: once */
    const volatile int32_t *stop;
} sarrus_dense_choice;

/* Arrays of the caller, and what was found. */
typedef struct sarrus_dense_result {
    double *a;          /* [n_systems][n] out; NaN: no answer */
    double *lambda;     /* [n_systems][m] out */
    double *rank;       /* [n_systems] out */
    double *unsolvable; /* [n_systems] out: 1 where M is not definite where the formulation has to invert it, else 0 */
    double flops;       /* operations of one system, the mean */
    double nanoseconds; /* of one system, without the packing */
} sarrus_dense_result;

/* Errors: NO_BACKEND (isa), NO_MEMORY, INTERRUPTED; the first two it reports. */
SARRUS_MUST_USE sarrus_status sarrus_dense_solve(sarrus_context *context, const sarrus_dense_systems *systems,
                                                 const sarrus_dense_choice *choice, sarrus_dense_result *out);

#endif

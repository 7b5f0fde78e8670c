/* The solution of  M a + Jᵀλ = F,  J a = γ  that others are held against: elimination with extended precision on a set of
 * independent rows, and what the singular values of J say of it. One system after another, for n + m up to some hundreds. */
#ifndef SARRUS_PINV_SYSTEM_REFERENCE_H
#define SARRUS_PINV_SYSTEM_REFERENCE_H

#include <stdbool.h>

typedef struct sarrus_system_reference sarrus_system_reference;

/* One system, row-major: M [n][n], F [n], J [m][n], γ [m]; rank of J. */
typedef struct sarrus_system_view {
    const double *mass, *force, *jacobian, *gamma;
    int rank;
    double least; /* m/s²: accelerations, and what rows ask for, are round-off of this where they are small; 0: of nothing */
} sarrus_system_view;

/* Arrays of the caller. */
typedef struct sarrus_system_solution {
    double *a;        /* [n] out */
    double *load;     /* [n] Jᵀλ = F − M a, out */
    double *lambda;   /* [m] of least norm, out */
    bool *unique;     /* [m] out: the same in every solution */
    double condition; /* σ₁/σ_rank of J M^{-1/2}, of J where M is not definite; 1 without rows */
    bool is_doubtful; /* the rank of J is: a singular value that counts is small, or one that does not is not */
    bool is_unique;   /* a is determined: M is definite on the motions that J leaves (S1, result 3) */
} sarrus_system_solution;

/* NULL when memory runs out. */
sarrus_system_reference *sarrus_system_reference_create(int m, int n);
void sarrus_system_reference_destroy(sarrus_system_reference *reference);

/* False when LAPACK does not converge, or something is no number: nothing is known then. */
bool sarrus_system_reference_solve(sarrus_system_reference *reference, const sarrus_system_view *system,
                                   sarrus_system_solution *out);

/* λ [m] of least norm with Jᵀλ = F − M a, of the system that was solved last. `a` [n] need not be its solution. */
void sarrus_system_reference_multipliers(sarrus_system_reference *reference, const sarrus_system_view *system, const double *a,
                                         double *lambda);

#endif

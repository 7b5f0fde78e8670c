/* The factor of S by numbers, as the kernels make it, and what its pivots say. */
#ifndef SARRUS_PLAN_PIVOTS_H
#define SARRUS_PLAN_PIVOTS_H

#include "plan/plan.h"

typedef struct sarrus_pivots {
    const sarrus_mech_factor *factor;
    int (*of_block)[2];  /* [n_blocks] rows of the mechanism, −1: a pad */
    double *block, *own; /* [n_blocks + n_entries][2][2] as the kernels have them; [2 n_blocks] what each pivot is judged by */
    double *now, *most;  /* [2 n_blocks] pivots relative to that: here, and the largest so far; 0: none */
    double *solved;      /* [n_blocks][2][2] of one column, for sarrus_pivots_find */
} sarrus_pivots;

/* False: no memory; it is to be freed all the same. */
bool sarrus_pivots_create(sarrus_pivots *pivots, const sarrus_mech_factor *factor);
void sarrus_pivots_free(sarrus_pivots *pivots);

/* Fills the blocks with S and `own` with its diagonal. entry: that of S between two rows of the mechanism. */
typedef double (*sarrus_pivots_entry)(const void *of, int i, int j);
void sarrus_pivots_fill(sarrus_pivots *pivots, sarrus_pivots_entry entry, const void *of);

/* Factors what the blocks hold; `now` ← its pivots. False when one is not positive. */
bool sarrus_pivots_find(sarrus_pivots *pivots);

/* x [2 n_blocks] ← S⁻¹ x in elimination order, after that; pads are 0 in both. */
void sarrus_pivots_solve(const sarrus_pivots *pivots, double *x);

/* most ← the larger of `now` and what it was. */
void sarrus_pivots_keep(sarrus_pivots *pivots);

/* What follows from the largest pivots: plan->guard [2 n_blocks], mech->ordinary and mech->guard. */
void sarrus_pivots_settle(const sarrus_pivots *pivots, sarrus_plan *plan);

#endif

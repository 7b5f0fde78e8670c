/* How far open the loops of a configuration are, and how far two configurations are apart, in numbers without a unit: lengths
 * relative to the mechanism's size, angles in rad. And the configuration that leaves the loops least open, whether they can be
 * closed or not. */
#ifndef SARRUS_PLAN_GAP_H
#define SARRUS_PLAN_GAP_H

#include "plan/configuration.h"

typedef struct sarrus_gap {
    sarrus_configuration *c;
    double size;           /* m, of the mechanism in its given configuration; 1 when it has no extent */
    double *row;           /* [m] by which a row is multiplied: 1/size, or 1 */
    sarrus_plan_rows rows; /* [m] the rows without units */
    double *right, *best;  /* [m] or [n], [n_q] of the search for the least gap */
} sarrus_gap;

/* For the present configuration of `c`, which gives the size. NO_MEMORY. */
SARRUS_MUST_USE sarrus_status sarrus_gap_create(sarrus_configuration *c, sarrus_gap *out);
void sarrus_gap_free(sarrus_gap *gap);

/* ‖Φ‖ of the rows that were evaluated last. */
double sarrus_gap_now(const sarrus_gap *gap);

/* The same after an evaluation at (c->q, t). */
double sarrus_gap_at(sarrus_gap *gap, double t);

/* The largest move of a body by d [n], as speeds; and from configuration a to b [n_q]. */
double sarrus_gap_of_move(const sarrus_gap *gap, const double *d);
double sarrus_gap_between(const sarrus_gap *gap, const double *a, const double *b);

/* The largest number of d [n] without its unit. */
double sarrus_gap_largest(const sarrus_gap *gap, const double *d);

/* Brings c->q to a least gap nearby (Levenberg and Marquardt's method, n_steps at most) and returns it; the rows are those of it.
 */
double sarrus_gap_least(sarrus_gap *gap, double t, int n_steps);

#endif

/* Interpolation of a table by cubics that share two derivatives, or by straight lines. */
#ifndef SARRUS_PLAN_SPLINE_H
#define SARRUS_PLAN_SPLINE_H

#include <stdbool.h>

/* Coefficients c[n − 1][4] of Σ_j c_j (t − t_k)^j on each interval of n ≥ 2 points, t increasing. Cubic: the not-a-knot spline
 * (C. de Boor, A Practical Guide to Splines, ch. IV), a parabola for 3 points, a line for 2. Returns false when memory runs
 * out or the system cannot be solved. */
bool sarrus_spline(int n, const double *t, const double *y, bool is_linear, double *c);

/* The same of points that go round: cubics whose first two derivatives agree at both ends, n ≥ 4; y[0] counts for y[n − 1]. Returns
 * false when memory runs out. */
bool sarrus_spline_periodic(int n, const double *t, const double *y, double *c);

/* The same, n ≥ 2, with ends that do not bend: a straight line goes on from there with two derivatives. Returns false when memory
 * runs out. */
bool sarrus_spline_natural(int n, const double *t, const double *y, double *c);

#endif

/* Curves of constraints: splines through points, which may be other ones in every instance. */
#ifndef SARRUS_PLAN_CURVE_H
#define SARRUS_PLAN_CURVE_H

#include <stdbool.h>

#include "model/model.h"

/* How many pieces a curve has: one from each point to the next, round to the first one if it is closed. */
int sarrus_plan_curve_pieces(const sarrus_constraint *from);

/* p ← the parameters of a curve from SARRUS_PC_POINT_X on, of the instance with these values; false: no memory, or two points that
 * follow one another are one. */
bool sarrus_plan_curve_fill(const sarrus_constraint *from, const double *values, double *p);

#endif

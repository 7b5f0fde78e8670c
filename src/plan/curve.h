/* Curves of constraints: splines through points, which may be other ones in every instance. */
#ifndef SARRUS_PLAN_CURVE_H
#define SARRUS_PLAN_CURVE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/model.h"

/* How many pieces a curve has: one from each point to the next, round to the first one if it is closed. */
int sarrus_plan_curve_pieces(const sarrus_constraint *from);

/* The parameters of a curve with so many pieces. */
int32_t sarrus_plan_curve_size(sarrus_space space, int32_t n_pieces);

/* p ← the parameters of a curve from SARRUS_PC_POINT_X or SARRUS_SC_POINT on, of the instance with these values; false: no memory,
 * or two points that follow one another are one. */
bool sarrus_plan_curve_fill(sarrus_space space, const sarrus_constraint *from, const double *values, double *p);

#endif

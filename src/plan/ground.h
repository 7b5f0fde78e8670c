/* Ground where signals move it. */
#ifndef SARRUS_PLAN_GROUND_H
#define SARRUS_PLAN_GROUND_H

#include "plan/plan.h"

/* Its place among the parameters, and which signals move it; behind the joints, whose cranks it forbids. */
void sarrus_plan_ground_take(sarrus_plan *plan, int32_t *p);

/* The numbers of its motion among the parameters; its signals' are there. False: its axis has no length. */
SARRUS_MUST_USE bool sarrus_plan_ground_fill(const sarrus_plan *plan, const double *values, double *parameters);

/* q ← its pose at t = 0 as the coordinates of a body; of a ground at rest the inertial frame. */
enum { SARRUS_GROUND_COORDINATES = 7 };
void sarrus_plan_ground_begin(const sarrus_plan *plan, const double *parameters, double q[SARRUS_GROUND_COORDINATES]);

#endif

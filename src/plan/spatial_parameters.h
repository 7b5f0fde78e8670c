/* The numbers of one instance in space. */
#ifndef SARRUS_PLAN_SPATIAL_PARAMETERS_H
#define SARRUS_PLAN_SPATIAL_PARAMETERS_H

#include "plan/plan.h"

/* The parameters of bodies, joints, their free coordinates and forces, and the given state q [n_q], v [n_v], from the values of the
 * model. False when a number is not physical. */
bool sarrus_spatial_parameters_fill(const sarrus_plan *plan, const double *values, double *parameters, double *q, double *v);

#endif

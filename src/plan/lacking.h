/* Bodies that may lack mass or inertia: which they are, what the kernels give them instead (kernels/formulation/semi_definite.h),
 * and whether the accelerations are determinate where the mechanism is assembled. */
#ifndef SARRUS_PLAN_LACKING_H
#define SARRUS_PLAN_LACKING_H

#include "plan/configuration.h"

/* Fills plan->lack and mech.n_lacking; nothing where mass and inertia are there in every instance. BAD_INPUT, with the body and the
 * direction, when a motion of the assembled nominal instance has no inertia. */
SARRUS_MUST_USE sarrus_status sarrus_plan_lacking_find(sarrus_context *context, sarrus_plan *plan);

/* x [n] in weighted coordinates, the smallest of all that meet the rows with the same right side ← the smallest in the metric of
 * the masses that are there, of the nominal instance. Nothing where none is lacking. False: no memory, or stopped. */
SARRUS_MUST_USE bool sarrus_plan_lacking_take_out(sarrus_configuration *configuration, double *x);

#endif

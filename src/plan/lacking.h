/* Bodies that may lack mass or inertia: which they are, what the kernels give them instead (kernels/formulation/semi_definite.h), and
 * whether the accelerations are determinate where the mechanism is assembled. */
#ifndef SARRUS_PLAN_LACKING_H
#define SARRUS_PLAN_LACKING_H

#include "plan/plan.h"

/* Fills plan->lack and mech.n_lacking; nothing where mass and inertia are there in every instance. BAD_INPUT, with the body and the
 * direction, when a motion of the assembled nominal instance has no inertia. */
SARRUS_MUST_USE sarrus_status sarrus_plan_lacking_find(sarrus_context *context, sarrus_plan *plan);

#endif

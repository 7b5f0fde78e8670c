/* The assembled start of the nominal instance, beside the given one. */
#ifndef SARRUS_PLAN_START_H
#define SARRUS_PLAN_START_H

#include "plan/gap.h"

/* Keeps what the scenario gives, before assembly. NO_MEMORY. */
SARRUS_MUST_USE sarrus_status sarrus_plan_start_give(sarrus_plan *plan, const sarrus_configuration *configuration);

/* Keeps the assembled positions, which are the present ones, and the velocities that assembly makes of those that are given: the
 * nearest in the metric of M. NO_MEMORY, INTERRUPTED; BAD_INPUT with its place when nonholonomic constraints ask for speeds that do
 * not go together. */
SARRUS_MUST_USE sarrus_status sarrus_plan_start_take(sarrus_context *context, sarrus_plan *plan,
                                                     sarrus_configuration *configuration);

/* After the rank is known, on the constraints: how near the rank is to one less. BAD_INPUT when a velocity is given and nothing can
 * move. */
SARRUS_MUST_USE sarrus_status sarrus_plan_start_judge(sarrus_context *context, sarrus_plan *plan, sarrus_gap *gap);

#endif

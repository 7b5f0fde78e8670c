/* Whether the drives of the nominal instance can be followed. */
#ifndef SARRUS_PLAN_DRIVES_H
#define SARRUS_PLAN_DRIVES_H

#include "plan/gap.h"

/* From the assembled configuration at t = 0, to which `configuration` comes back. BAD_INPUT when it is certain that the loops
 * cannot be closed, reported with the drives, the time and how far they stay open; what is not certain goes to plan->start.doubt.
 * NO_MEMORY. */
SARRUS_MUST_USE sarrus_status sarrus_plan_drives_check(sarrus_context *context, sarrus_plan *plan, sarrus_gap *gap);

#endif

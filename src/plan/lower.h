/* The factor's tables as places for tiles of one width: what a device hands to its kernels. */
#ifndef SARRUS_PLAN_LOWER_H
#define SARRUS_PLAN_LOWER_H

#include "plan/plan.h"

/* A copy of the plan's mechanism whose lane tables are filled; they live in `block`. */
typedef struct sarrus_lowered {
    sarrus_mechanism mech;
    void *block;
} sarrus_lowered;

/* For tiles of `width` lanes. The plan must outlive the copy. False when memory runs out. */
bool sarrus_plan_lower(const sarrus_plan *plan, int32_t width, sarrus_lowered *out);
void sarrus_lowered_free(sarrus_lowered *lowered);

#endif

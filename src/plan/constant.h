/* The plan as the text of a C constant: what the specialised kernels are compiled with, and nothing of their arithmetic. */
#ifndef SARRUS_PLAN_CONSTANT_H
#define SARRUS_PLAN_CONSTANT_H

#include "plan/plan.h"

/* The text of sarrus_constant_plan.h: sizes, and `sarrus_mechanism sarrus_constant_plan`. It depends on the structure
 * alone: parameters lie in the tiles. The same for all targets and tile widths. Valid C11 and C++20; it includes the lane
 * vocabulary. NULL when memory runs out; to be freed by the caller. */
char *sarrus_plan_constant_text(const sarrus_plan *plan);

/* Whether kernels for this plan alone are worth making; if not, *why_not says why (a constant text). */
bool sarrus_plan_is_constant(const sarrus_plan *plan, const char **why_not);

#endif

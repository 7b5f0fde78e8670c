/* The plan as the text of a C constant: what the specialised kernels are compiled with, and nothing of their arithmetic. */
#ifndef SARRUS_PLAN_CONSTANT_H
#define SARRUS_PLAN_CONSTANT_H

#include "plan/plan.h"

/* The definition of `static const sarrus_mechanism sarrus_constant_plan` and of the tables that it points to, for tiles of
 * `width` lanes. The text depends on the structure alone: parameters lie in the tiles. Valid C11 and C++20. NULL when memory runs
 * out; to be freed by the caller. */
char *sarrus_plan_constant_text(const sarrus_plan *plan, int32_t width);

#endif

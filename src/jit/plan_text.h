/* The plan as the text of a C constant: what the specialized kernels are compiled with, and nothing of their arithmetic. */
#ifndef SARRUS_JIT_PLAN_TEXT_H
#define SARRUS_JIT_PLAN_TEXT_H

#include "plan/plan.h"

/* How kernels are made for one plan alone. */
typedef enum sarrus_plan_text_form {
    SARRUS_PLAN_TEXT_NONE = 0,     /* not at all: it would not pay */
    SARRUS_PLAN_TEXT_STRAIGHT = 1, /* loops over the plan unrolled, the arrays of an evaluation in registers */
    SARRUS_PLAN_TEXT_IN_RUNS = 2, /* loops around the repetitions in the plan's tables, the arrays in memory: for long mechanisms */
} sarrus_plan_text_form;

/* Whether a constant plan makes anything faster; if not, *why_not says why (a constant text). */
bool sarrus_plan_text_gains(const sarrus_plan *plan, const char **why_not);

/* What the straight code of a step comes to, in flops: with projections, and in space, it is in several pieces. */
double sarrus_plan_text_flops(const sarrus_plan *plan);

/* What pays for this plan on a processor, and the flops of that code (n_flops); if nothing does, *why_not says why (a constant
 * text). */
sarrus_plan_text_form sarrus_plan_text_form_of(const sarrus_plan *plan, double *n_flops, const char **why_not);

/* The text of sarrus_constant_plan.h: sizes, and `sarrus_mechanism sarrus_constant_plan`; in runs also these, and the steps
 * between their laps. It depends on the structure alone: parameters lie in the tiles. The same for all targets and tile widths.
 * Valid C11 and C++20; it includes the lane vocabulary. NULL when memory runs out; to be freed by the caller. */
char *sarrus_plan_text(const sarrus_plan *plan, sarrus_plan_text_form form);

#endif

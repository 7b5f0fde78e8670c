/* Operations and bytes of the kernels for a plan. */
#ifndef SARRUS_PLAN_COST_H
#define SARRUS_PLAN_COST_H

#include "plan/plan.h"

/* Fills plan->cost, once everything else of the plan is there. */
void sarrus_plan_cost_count(sarrus_plan *plan);

/* Flops of LDLᵀ with this many blocks, blocks of L below the diagonal and updates, and of one solution with it. */
double sarrus_plan_factor_flops(int n_blocks, int n_entries, int n_updates);

/* Operations in the code of an evaluation, roughly: in space over bodies, and over a tree. */
double sarrus_plan_spatial_flops(const sarrus_mechanism *mech);
double sarrus_plan_tree_flops(const sarrus_mechanism *mech);

#endif

/* Operations and bytes of the kernels for a plan. */
#ifndef SARRUS_PLAN_COST_H
#define SARRUS_PLAN_COST_H

#include "plan/plan.h"

/* Fills plan->cost, once everything else of the plan is there. */
void sarrus_plan_cost_count(sarrus_plan *plan);

/* Flops of LDLᵀ with this many blocks, blocks of L below the diagonal and updates, and of one solution with it. */
double sarrus_plan_factor_flops(int n_blocks, int n_entries, int n_updates);

/* The most flops that straight code over a tree may hold (src/jit/plan_text.c), and how many evaluations' worth of code a step has
 * with projections: it goes through rows, corrections and accelerations that are pieces of code of their own (measured: 2.2 to
 * 2.4). */
#define SARRUS_PLAN_MOST_TREE_FLOPS 9000.0
#define SARRUS_PLAN_PROJECTED_SHARE 2.3

/* Operations in the code of an evaluation: over bodies in the plane, and roughly in space and over a tree. */
double sarrus_plan_planar_flops(const sarrus_mechanism *mech);
double sarrus_plan_spatial_flops(const sarrus_mechanism *mech);
double sarrus_plan_tree_flops(const sarrus_mechanism *mech);

/* How many items of a tree's tables there are, or code is written for; of the factor of S the share. The same with them. */
typedef struct sarrus_tree_items {
    double bodies, speeds, rows, chain, entries, steps, carries, shares, factor;
} sarrus_tree_items;
double sarrus_plan_tree_flops_of(const sarrus_mechanism *mech, const sarrus_tree_items *n);

#endif

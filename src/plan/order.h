/* Orders in which the blocks of constraint rows can be eliminated, and what the elimination costs in each of them: symbolic LDLᵀ on
 * the graph whose vertices are the blocks and whose edges are the blocks of S = J M⁻¹ Jᵀ that are not zero. */
#ifndef SARRUS_PLAN_ORDER_H
#define SARRUS_PLAN_ORDER_H

#include "plan/block_graph.h"
#include "plan/plan.h"

/* One candidate: order [n] and the pattern of L + Lᵀ in it, by block. A candidate whose factor would have more than
 * SARRUS_MOST_ENTRIES blocks or SARRUS_MOST_UPDATES updates is given up: its flops are INFINITY, its pattern is empty. */
typedef struct sarrus_order_trial {
    sarrus_block_graph filled;
    int *order; /* [n] */
    sarrus_plan_order facts;
} sarrus_order_trial;

enum { SARRUS_MOST_ENTRIES = 1 << 25, SARRUS_MOST_UPDATES = 1 << 28 };

/* Orders the blocks by one kind of candidate (not SARRUS_ORDER_BEST), brings the tree of that order to the least height that its
 * fill allows, and counts. False: no memory (nothing is to be freed then). */
bool sarrus_order_try(const sarrus_block_graph *graph, sarrus_order_kind kind, sarrus_order_trial *trial);
void sarrus_order_trial_free(sarrus_order_trial *trial);

/* Of n candidates: the fewest flops; within 1 % of those the lowest tree; of those the first. */
int sarrus_order_choose(const sarrus_plan_order *orders, int n);

#endif

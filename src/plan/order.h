/* Orders in which the blocks of constraint rows can be eliminated, and what the elimination costs in each of them: symbolic LDLᵀ on
 * the graph whose vertices are the blocks and whose edges are the blocks of S = J M⁻¹ Jᵀ that are not zero. */
#ifndef SARRUS_PLAN_ORDER_H
#define SARRUS_PLAN_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "plan/plan.h"

/* Blocks, ascending. */
typedef struct sarrus_block_set {
    int32_t *block; /* [n] of [capacity] */
    int32_t n, capacity;
} sarrus_block_set;

/* The neighbours of every block; no block is its own. */
typedef struct sarrus_block_graph {
    int n;
    sarrus_block_set *near; /* [n] */
} sarrus_block_graph;

/* False: no memory (nothing is to be freed then). */
bool sarrus_block_graph_create(sarrus_block_graph *graph, int n);
void sarrus_block_graph_free(sarrus_block_graph *graph);
bool sarrus_block_graph_has(const sarrus_block_graph *graph, int i, int j);

/* Lets blocks i and j meet. Cheap when the blocks of a graph are joined in ascending order. False: no memory; the graph is then
 * only to be freed. */
bool sarrus_block_graph_join(sarrus_block_graph *graph, int i, int j);

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

/* Orders by the shape of the graph (dissection.c): order [n]. False: no memory. */
bool sarrus_order_dissect(const sarrus_block_graph *graph, int *order);
bool sarrus_order_cuthill_mckee(const sarrus_block_graph *graph, int *order);

/* Of n candidates: the fewest flops; within 1 % of those the lowest tree; of those the first. */
int sarrus_order_choose(const sarrus_plan_order *orders, int n);

#endif

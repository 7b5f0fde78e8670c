/* Orders in which the blocks of constraint rows can be eliminated, and what the elimination costs in each of them: symbolic LDLᵀ on
 * the graph whose vertices are the blocks and whose edges are the blocks of S = J M⁻¹ Jᵀ that are not zero. */
#ifndef SARRUS_PLAN_ORDER_H
#define SARRUS_PLAN_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "plan/plan.h"

/* Rows of bits: a few hundred blocks make a few words a row. No bit of a row is its own. */
typedef struct sarrus_block_graph {
    int n, n_words;  /* blocks; words of a row */
    uint64_t *meets; /* [n][n_words] bit j of row i: blocks i and j meet */
} sarrus_block_graph;

/* False: no memory (nothing is to be freed then). */
bool sarrus_block_graph_create(sarrus_block_graph *graph, int n);
void sarrus_block_graph_free(sarrus_block_graph *graph);
void sarrus_block_graph_join(sarrus_block_graph *graph, int i, int j);
bool sarrus_block_graph_has(const sarrus_block_graph *graph, int i, int j);

/* Members of a set of `n_words` words; the first member ≥ `from`, −1 when there is none. */
int sarrus_block_set_count(const uint64_t *set, int n_words);
int sarrus_block_set_next(const uint64_t *set, int n_words, int from);

/* One candidate: order [n] and the pattern of L + Lᵀ in it, by block. */
typedef struct sarrus_order_trial {
    sarrus_block_graph filled;
    int *order; /* [n] */
    sarrus_plan_order facts;
} sarrus_order_trial;

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

/* Orders that look at every step which block is the best to eliminate next. */
#ifndef SARRUS_PLAN_GREEDY_H
#define SARRUS_PLAN_GREEDY_H

#include "plan/block_graph.h"

/* At every step the block with the least fill, then the least degree, or the other way round; of equal ones the first. order [n].
 * False: no memory. */
bool sarrus_order_greedily(const sarrus_block_graph *graph, bool fill_first, int *order);

/* Reorders a filled graph without adding to it: in rounds, each taking away as many blocks as it can whose neighbors are a clique
 * and that do not meet one another. A block of a round waits for one of the round before, so rounds are the heights over the leaves
 * of the elimination tree, the least that the fill allows (Jess and Kees, 1982); and the columns of L keep their lengths, only
 * permuted, so the flops stay. The divisions of a round's pivots, the longest latency there is, can run at the same time. order
 * [n]. False: no memory. */
bool sarrus_order_by_rounds(const sarrus_block_graph *filled, int *order);

#endif

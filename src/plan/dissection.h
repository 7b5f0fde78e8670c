/* Orders by the shape of the graph. */
#ifndef SARRUS_PLAN_DISSECTION_H
#define SARRUS_PLAN_DISSECTION_H

#include "plan/block_graph.h"

/* Nested dissection: order [n]. False: no memory. */
bool sarrus_order_dissect(const sarrus_block_graph *graph, int *order);

/* The reverse order of Cuthill and McKee: order [n]. False: no memory. */
bool sarrus_order_cuthill_mckee(const sarrus_block_graph *graph, int *order);

#endif

/* Graphs of blocks as lists of neighbors. */
#ifndef SARRUS_PLAN_BLOCK_GRAPH_H
#define SARRUS_PLAN_BLOCK_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

/* Blocks, ascending. */
typedef struct sarrus_block_set {
    int32_t *block; /* [n] of [capacity] */
    int32_t n, capacity;
} sarrus_block_set;

/* The neighbors of every block; no block is its own. */
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

#endif

/* Nodes that a file has given a name ('&name') to stand elsewhere too ('*name'): an alias is a copy, with the places of what it
 * copies. */
#ifndef SARRUS_SCENARIO_ANCHORS_H
#define SARRUS_SCENARIO_ANCHORS_H

#include "model/names.h"
#include "scenario/tree.h"

typedef struct sarrus_anchors {
    sarrus_names names;  /* → index of `node` */
    sarrus_node **nodes; /* [capacity] */
    size_t capacity;
} sarrus_anchors;

/* Names `node`; a name that there was names it from now on. False: no memory. `name` is copied into the tree. */
bool sarrus_anchors_put(sarrus_anchors *anchors, sarrus_tree *tree, const char *name, size_t n_name, sarrus_node *node);

/* The node of that name, NULL: there is none. */
sarrus_node *sarrus_anchors_find(const sarrus_anchors *anchors, const char *name, size_t n_name);

void sarrus_anchors_clear(sarrus_anchors *anchors);

/* Levels of lists and mappings in a node: 0 of a scalar. */
int sarrus_node_depth(const sarrus_node *node);

/* A copy of `node` without its key, entries of the tree; NULL: no memory, or the tree has more than SARRUS_SCENARIO_MAX_ENTRIES.
 * The recursion is as deep as the node, which the reader bounds. */
sarrus_node *sarrus_node_copy(sarrus_tree *tree, const sarrus_node *node);

#endif

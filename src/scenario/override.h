/* --set PATH=VALUE: edits of the tree before it is read. */
#ifndef SARRUS_SCENARIO_OVERRIDE_H
#define SARRUS_SCENARIO_OVERRIDE_H

#include "scenario/tree.h"

/* Puts YAML text at a path: `shown` is "path=value", a copy that may be changed, the text of findings about source `i_source`;
 * `n_path` the bytes of the path in it. Keys that the mapping on the way does not have yet are added (the reader then says if they
 * mean nothing); items of lists must exist. False when there are findings. */
bool sarrus_override_apply(sarrus_tree *tree, sarrus_findings *findings, int i_source, char *shown, size_t n_path);

/* The same as a node of `tree`, its value under the path as key, less the first n_prefix bytes, which stand before the key in
 * memory, for messages; NULL when there are findings. */
sarrus_node *sarrus_override_node(sarrus_tree *tree, sarrus_findings *findings, int i_source, char *shown, size_t n_path,
                                  size_t n_prefix);

/* The same with a path and a value that are nodes of another tree, which has to outlive this one. */
bool sarrus_override_put(sarrus_tree *tree, sarrus_findings *findings, const sarrus_node *path, const sarrus_node *value);

/* The node at `path` (keys joined by dots, items by name or index), or NULL. */
const sarrus_node *sarrus_tree_find(const sarrus_tree *tree, const char *path);

#endif

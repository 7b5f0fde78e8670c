/* A YAML document as a tree of our own: scalars, sequences and mappings, each with its place.
 *
 * The tree is built from libfyaml's events, so libfyaml never resolves aliases or tags (anchors.h does), and overrides can edit it
 * without touching libfyaml's documents. All memory of a tree is freed at once. */
#ifndef SARRUS_SCENARIO_TREE_H
#define SARRUS_SCENARIO_TREE_H

#include <stdbool.h>
#include <stddef.h>

#include "scenario/findings.h"

typedef enum sarrus_node_kind {
    SARRUS_NODE_SCALAR = 0,
    SARRUS_NODE_SEQUENCE = 1,
    SARRUS_NODE_MAPPING = 2,
} sarrus_node_kind;

/* A node is an item of a sequence, a value of a mapping (then `key` is set), a key, or the root. */
typedef struct sarrus_node {
    sarrus_node_kind kind;
    bool is_plain;      /* scalar without quotes */
    int i_source;       /* of findings */
    sarrus_place place; /* of the first character, an opening quote included */
    const char *text;   /* scalar: [n_text], unescaped, 0-terminated, holds no zero byte; else NULL */
    size_t n_text;
    const char *called;      /* path under which it was written, where that is another than its own here; else NULL */
    struct sarrus_node *key; /* a scalar */
    struct sarrus_node *first, *last, *next;
    int n_children;
} sarrus_node;

typedef struct sarrus_tree {
    struct sarrus_tree_chunk *chunks;
    sarrus_node *root;
    int n_entries;
} sarrus_tree;

/* Zeroed memory that lives as long as the tree; NULL when there is none. */
void *sarrus_tree_allocate(sarrus_tree *tree, size_t n_bytes);

/* A node of source `i_source` at `place`, with `text` copied if not NULL. NULL: out of memory. */
sarrus_node *sarrus_tree_node(sarrus_tree *tree, sarrus_node_kind kind, int i_source, sarrus_place place, const char *text,
                              size_t n_text);

/* Appends `child` to a sequence or mapping. */
void sarrus_node_append(sarrus_node *parent, sarrus_node *child);

/* Takes `child` out of a sequence or mapping that has it. */
void sarrus_node_remove(sarrus_node *parent, sarrus_node *child);

/* The value of `key` in a mapping, or NULL (also when `node` is NULL or no mapping). */
sarrus_node *sarrus_node_child(const sarrus_node *node, const char *key);

/* Gives `mapping` the value `value`, a node of this tree or of one that outlives it, under its own key; what stood under that key
 * goes, and only goes when `value` is NULL (then `key` names it). False without memory. */
bool sarrus_node_put(sarrus_tree *tree, sarrus_node *mapping, const char *key, const sarrus_node *value);

/* Item `i` of a sequence, NULL past its end. */
sarrus_node *sarrus_node_item(const sarrus_node *node, int i);

/* "a number", "a list", … as the reader would call what is there. */
const char *sarrus_node_kind_text(const sarrus_node *node);

/* Where the node stands in the file; 0, 0 when an override brought it. */
sarrus_place sarrus_node_place(const sarrus_node *node);

/* True for a scalar that YAML takes for null: nothing, ~, null. */
bool sarrus_node_is_null(const sarrus_node *node);

void sarrus_tree_clear(sarrus_tree *tree);

/* Parses text[n_bytes], which has passed the guard, into tree->root. Findings are about source `i_source`; places on the first
 * line are moved right by `column_offset`. False when there are findings. */
bool sarrus_tree_parse(sarrus_tree *tree, sarrus_findings *findings, int i_source, int column_offset, const char *text,
                       size_t n_bytes);

#endif

#include "scenario/anchors.h"

#include <stdlib.h>
#include <string.h>

#include "scenario/guard.h"

bool sarrus_anchors_put(sarrus_anchors *anchors, sarrus_tree *tree, const char *name, size_t n_name, sarrus_node *node) {
    const int32_t known = sarrus_names_find_part(&anchors->names, name, n_name);
    if (known >= 0) {
        anchors->nodes[known] = node;
        return true;
    }
    const size_t n = anchors->names.n;
    if (n == anchors->capacity) {
        const size_t capacity = n > 0 ? 2 * n : 16;
        sarrus_node **nodes = realloc(anchors->nodes, capacity * sizeof(sarrus_node *));
        if (nodes == NULL) {
            return false;
        }
        anchors->nodes = nodes;
        anchors->capacity = capacity;
    }
    char *copy = sarrus_tree_allocate(tree, n_name + 1);
    if (copy == NULL) {
        return false;
    }
    memcpy(copy, name, n_name);
    anchors->nodes[n] = node;
    return sarrus_names_add(&anchors->names, copy, (int32_t)n) == SARRUS_OK;
}

sarrus_node *sarrus_anchors_find(const sarrus_anchors *anchors, const char *name, size_t n_name) {
    const int32_t i = sarrus_names_find_part(&anchors->names, name, n_name);
    return i < 0 ? NULL : anchors->nodes[i];
}

void sarrus_anchors_clear(sarrus_anchors *anchors) {
    sarrus_names_clear(&anchors->names);
    free(anchors->nodes);
    *anchors = (sarrus_anchors){.capacity = 0};
}

int sarrus_node_depth(const sarrus_node *node) {
    int deepest = 0;
    for (const sarrus_node *child = node->first; child != NULL; child = child->next) {
        const int depth = sarrus_node_depth(child);
        deepest = depth > deepest ? depth : deepest;
    }
    return node->kind == SARRUS_NODE_SCALAR ? 0 : deepest + 1;
}

sarrus_node *sarrus_node_copy(sarrus_tree *tree, const sarrus_node *node) {
    sarrus_node *copy = tree->n_entries > SARRUS_SCENARIO_MAX_ENTRIES ? NULL : sarrus_tree_allocate(tree, sizeof *copy);
    if (copy == NULL) {
        return NULL;
    }
    *copy = *node;
    copy->key = copy->first = copy->last = copy->next = NULL;
    copy->n_children = 0;
    tree->n_entries += 1;
    for (const sarrus_node *child = node->first; child != NULL; child = child->next) {
        sarrus_node *below = sarrus_node_copy(tree, child);
        if (below == NULL) {
            return NULL;
        }
        below->key = child->key != NULL ? sarrus_node_copy(tree, child->key) : NULL;
        if (child->key != NULL && below->key == NULL) {
            return NULL;
        }
        sarrus_node_append(copy, below);
    }
    return copy;
}

#include "scenario/tree.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { chunk_bytes = 64 * 1024 };

struct sarrus_tree_chunk {
    struct sarrus_tree_chunk *next;
    size_t n_used, capacity;
    max_align_t bytes[];
};

void *sarrus_tree_allocate(sarrus_tree *tree, size_t n_bytes) {
    const size_t alignment = sizeof(max_align_t);
    if (n_bytes > SIZE_MAX / 2) {
        return NULL;
    }
    const size_t rounded = (n_bytes + alignment - 1) / alignment * alignment;
    struct sarrus_tree_chunk *chunk = tree->chunks;
    if (chunk == NULL || chunk->capacity - chunk->n_used < rounded) {
        const size_t capacity = rounded > chunk_bytes ? rounded : (size_t)chunk_bytes;
        chunk = calloc(1, sizeof *chunk + capacity);
        if (chunk == NULL) {
            return NULL;
        }
        chunk->capacity = capacity;
        chunk->next = tree->chunks;
        tree->chunks = chunk;
    }
    void *memory = (char *)chunk->bytes + chunk->n_used;
    chunk->n_used += rounded;
    return memory;
}

void sarrus_tree_clear(sarrus_tree *tree) {
    while (tree->chunks != NULL) {
        struct sarrus_tree_chunk *chunk = tree->chunks;
        tree->chunks = chunk->next;
        free(chunk);
    }
    *tree = (sarrus_tree){0};
}

sarrus_node *sarrus_tree_node(sarrus_tree *tree, sarrus_node_kind kind, int i_source, sarrus_place place, const char *text,
                              size_t n_text) {
    sarrus_node *node = sarrus_tree_allocate(tree, sizeof *node);
    if (node == NULL) {
        return NULL;
    }
    node->kind = kind;
    node->i_source = i_source;
    node->place = place;
    if (text != NULL) {
        char *copy = sarrus_tree_allocate(tree, n_text + 1);
        if (copy == NULL) {
            return NULL;
        }
        memcpy(copy, text, n_text);
        copy[n_text] = '\0';
        node->text = copy;
        node->n_text = n_text;
    }
    tree->n_entries += 1;
    return node;
}

void sarrus_node_append(sarrus_node *parent, sarrus_node *child) {
    if (parent->last == NULL) {
        parent->first = child;
    } else {
        parent->last->next = child;
    }
    parent->last = child;
    parent->n_children += 1;
}

void sarrus_node_remove(sarrus_node *parent, sarrus_node *child) {
    sarrus_node *before = NULL;
    for (sarrus_node *each = parent->first; each != child; each = each->next)
        before = each;
    *(before != NULL ? &before->next : &parent->first) = child->next;
    if (parent->last == child)
        parent->last = before;
    child->next = NULL;
    parent->n_children -= 1;
}

sarrus_node *sarrus_node_child(const sarrus_node *node, const char *key) {
    if (node == NULL || node->kind != SARRUS_NODE_MAPPING) {
        return NULL;
    }
    for (sarrus_node *child = node->first; child != NULL; child = child->next) {
        if (strcmp(child->key->text, key) == 0) {
            return child;
        }
    }
    return NULL;
}

static void drop(sarrus_node *mapping, const char *key) {
    sarrus_node *before = NULL;
    for (sarrus_node *child = mapping->first; child != NULL; before = child, child = child->next) {
        if (strcmp(child->key->text, key) != 0) {
            continue;
        }
        *(before == NULL ? &mapping->first : &before->next) = child->next;
        mapping->last = mapping->last == child ? before : mapping->last;
        mapping->n_children -= 1;
        return;
    }
}

bool sarrus_node_put(sarrus_tree *tree, sarrus_node *mapping, const char *key, const sarrus_node *value) {
    drop(mapping, key);
    if (value == NULL) {
        return true;
    }
    sarrus_node *copy = sarrus_tree_allocate(tree, sizeof *copy);
    if (copy == NULL) {
        return false;
    }
    *copy = *value;
    copy->next = NULL;
    sarrus_node_append(mapping, copy);
    return true;
}

sarrus_node *sarrus_node_item(const sarrus_node *node, int i) {
    sarrus_node *item = node->first;
    while (item != NULL && i > 0) {
        item = item->next;
        --i;
    }
    return item;
}

sarrus_place sarrus_node_place(const sarrus_node *node) {
    if (node->i_source == SARRUS_SOURCE_FILE)
        return node->place;
    if (node->i_source < SARRUS_SOURCE_OVERRIDES)
        return (sarrus_place){0};
    return (sarrus_place){node->place.line, node->place.column, node->i_source - SARRUS_SOURCE_OVERRIDES + 1};
}

bool sarrus_node_is_null(const sarrus_node *node) {
    static const char *const words[] = {"", "~", "null", "Null", "NULL"};
    if (node->kind != SARRUS_NODE_SCALAR || !node->is_plain) {
        return false;
    }
    for (size_t i = 0; i < sizeof words / sizeof words[0]; ++i) {
        if (strcmp(node->text, words[i]) == 0) {
            return true;
        }
    }
    return false;
}

const char *sarrus_node_kind_text(const sarrus_node *node) {
    switch (node->kind) {
    case SARRUS_NODE_SEQUENCE:
        return "a list";
    case SARRUS_NODE_MAPPING:
        return "a mapping";
    case SARRUS_NODE_SCALAR:
        break;
    }
    if (sarrus_node_is_null(node)) {
        return "nothing";
    }
    return node->is_plain ? "a word or number" : "quoted text";
}

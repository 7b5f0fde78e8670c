#include "scenario/member.h"

#include <stdlib.h>
#include <string.h>

#include "scenario/override.h"

int sarrus_override_group(const char *path, size_t *n_prefix) {
    const size_t n_digits = strspn(path, "0123456789");
    *n_prefix = 0;
    if (n_digits == 0 || n_digits > 8 || path[n_digits] != '.') {
        return -1;
    }
    *n_prefix = n_digits + 1;
    return atoi(path);
}

bool sarrus_path_is_common(const char *path) {
    static const char *const words[] = {"integrator", "output"};
    const size_t n_part = strcspn(path, ".");
    for (size_t i = 0; i < sizeof words / sizeof words[0]; ++i) {
        if (n_part == strlen(words[i]) && strncmp(path, words[i], n_part) == 0) {
            return true;
        }
    }
    return false;
}

/* The mapping `batch`, made when there is none; NULL when it is something else, of which the reader will tell. */
static sarrus_node *batch_of(sarrus_reader *reader, const sarrus_node *from) {
    sarrus_node *root = reader->tree.root;
    sarrus_node *batch = sarrus_node_child(root, "batch");
    if (batch != NULL && sarrus_node_is_null(batch)) {
        batch->kind = SARRUS_NODE_MAPPING;
    }
    if (batch != NULL) {
        return batch->kind == SARRUS_NODE_MAPPING ? batch : NULL;
    }
    batch = sarrus_tree_node(&reader->tree, SARRUS_NODE_MAPPING, from->i_source, from->place, NULL, 0);
    sarrus_node *key = sarrus_tree_node(&reader->tree, SARRUS_NODE_SCALAR, from->i_source, from->place, "batch", strlen("batch"));
    if (batch == NULL || key == NULL) {
        reader->findings.is_out_of_memory = true;
        return NULL;
    }
    key->is_plain = true;
    batch->key = key;
    sarrus_node_append(root, batch);
    return batch;
}

static void put(sarrus_reader *reader, sarrus_node *mapping, const char *key, const sarrus_node *value) {
    if (!sarrus_node_put(&reader->tree, mapping, key, value)) {
        reader->findings.is_out_of_memory = true;
    }
}

void sarrus_member_put(sarrus_reader *reader, const sarrus_member *member) {
    static const char *const of_batch[] = {"instances", "seed"};
    sarrus_node *root = reader->tree.root;
    if (root->kind != SARRUS_NODE_MAPPING) {
        return;
    }
    put(reader, root, "integrator", member->integrator);
    put(reader, root, "output", member->output);
    const sarrus_node *set = sarrus_node_child(member->entry, "set");
    for (const sarrus_node *value = set != NULL ? set->first : NULL; value != NULL; value = value->next) {
        (void)sarrus_override_put(&reader->tree, &reader->findings, value->key, value);
    }
    for (size_t i = 0; i < sizeof of_batch / sizeof of_batch[0]; ++i) {
        const sarrus_node *value = sarrus_node_child(member->entry, of_batch[i]);
        sarrus_node *batch = value != NULL && !reader->findings.is_out_of_memory ? batch_of(reader, value) : NULL;
        if (batch != NULL) {
            put(reader, batch, of_batch[i], value);
        }
    }
}

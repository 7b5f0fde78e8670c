#include "scenario/member.h"

#include <stdio.h>
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

sarrus_node *sarrus_mapping_of(sarrus_reader *reader, sarrus_node *parent, const char *name, const sarrus_node *from) {
    sarrus_node *mapping = sarrus_node_child(parent, name);
    if (mapping != NULL && sarrus_node_is_null(mapping)) {
        mapping->kind = SARRUS_NODE_MAPPING;
    }
    if (mapping != NULL) {
        return mapping->kind == SARRUS_NODE_MAPPING ? mapping : NULL;
    }
    mapping = sarrus_tree_node(&reader->tree, SARRUS_NODE_MAPPING, from->i_source, from->place, NULL, 0);
    sarrus_node *key = sarrus_tree_node(&reader->tree, SARRUS_NODE_SCALAR, from->i_source, from->place, name, strlen(name));
    if (mapping == NULL || key == NULL) {
        reader->findings.is_out_of_memory = true;
        return NULL;
    }
    key->is_plain = true;
    mapping->key = key;
    sarrus_node_append(parent, mapping);
    return mapping;
}

static void put(sarrus_reader *reader, sarrus_node *mapping, const char *key, const sarrus_node *value) {
    if (!sarrus_node_put(&reader->tree, mapping, key, value)) {
        reader->findings.is_out_of_memory = true;
    }
}

/* Keys of `batch` that an entry has itself. */
static const char *const of_batch[] = {"instances", "seed"};
enum { N_OF_BATCH = sizeof of_batch / sizeof of_batch[0] };

const char *sarrus_entry_key(const char *path) {
    static const char prefix[] = "batch.";
    const size_t n_prefix = sizeof prefix - 1;
    for (size_t i = 0; i < N_OF_BATCH; ++i) {
        if (strncmp(path, prefix, n_prefix) == 0 && strcmp(path + n_prefix, of_batch[i]) == 0) {
            return of_batch[i];
        }
    }
    return NULL;
}

void sarrus_entry_override(sarrus_reader *reader, sarrus_node *entry, sarrus_node *value) {
    const char *key = sarrus_entry_key(value->key->text);
    if (entry->kind != SARRUS_NODE_MAPPING) {
        return; /* the reader will tell */
    }
    if (key != NULL) {
        const size_t n_before = strlen(value->key->text) - strlen(key);
        value->called = value->key->text - (value->key->place.column - 1); /* with the number of the scenario */
        value->key->text += n_before;
        value->key->n_text -= n_before;
        put(reader, entry, key, value);
        return;
    }
    for (size_t i = 0; strcmp(value->key->text, "batch") == 0 && i < N_OF_BATCH; ++i) {
        put(reader, entry, of_batch[i], NULL);
    }
    sarrus_node *set = sarrus_mapping_of(reader, entry, "set", value);
    if (set != NULL) {
        put(reader, set, value->key->text, value);
    }
}

/* Puts a number of the entry into the batch, where messages call it as it is called in the document. */
static void batch_put(sarrus_reader *reader, const sarrus_member *member, sarrus_node *batch, const char *key,
                      const sarrus_node *value) {
    enum { CALLED_BYTES = 48 };
    char *called = sarrus_tree_allocate(&reader->tree, CALLED_BYTES);
    sarrus_node named = *value;
    if (called == NULL) {
        reader->findings.is_out_of_memory = true;
        return;
    }
    (void)snprintf(called, CALLED_BYTES, "scenarios.%d.%s", member->i_entry, key);
    named.called = value->called != NULL ? value->called : called;
    put(reader, batch, key, &named);
}

void sarrus_member_put(sarrus_reader *reader, const sarrus_member *member) {
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
    for (size_t i = 0; i < N_OF_BATCH; ++i) {
        const sarrus_node *value = sarrus_node_child(member->entry, of_batch[i]);
        sarrus_node *batch =
            value != NULL && !reader->findings.is_out_of_memory ? sarrus_mapping_of(reader, root, "batch", value) : NULL;
        if (batch != NULL) {
            batch_put(reader, member, batch, of_batch[i], value);
        }
    }
}

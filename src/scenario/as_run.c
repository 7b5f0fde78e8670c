#include "scenario/as_run.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "scenario/emit.h"
#include "scenario/member.h"
#include "scenario/reader.h"

/* Puts a count under a key of `mapping`, in the place of what stood there. */
static void count_put(sarrus_reader *reader, sarrus_node *mapping, const char *key, const uint64_t *count) {
    char digits[24];
    if (count == NULL || mapping == NULL) {
        return;
    }
    const int n = snprintf(digits, sizeof digits, "%" PRIu64, *count);
    sarrus_node *value = sarrus_tree_node(&reader->tree, SARRUS_NODE_SCALAR, 0, (sarrus_place){0, 0, 0}, digits, (size_t)n);
    sarrus_node *name = sarrus_tree_node(&reader->tree, SARRUS_NODE_SCALAR, 0, (sarrus_place){0, 0, 0}, key, strlen(key));
    if (value == NULL || name == NULL) {
        reader->findings.is_out_of_memory = true;
        return;
    }
    value->is_plain = name->is_plain = true;
    value->key = name;
    if (!sarrus_node_put(&reader->tree, mapping, key, value)) {
        reader->findings.is_out_of_memory = true;
    }
}

static void group_put(sarrus_reader *reader, sarrus_node *mapping, const sarrus_as_run *group) {
    count_put(reader, mapping, "instances", group->n_instances);
    count_put(reader, mapping, "seed", group->seed);
    for (int i = 0; group->has_own_sample && mapping != NULL && i < 3; ++i) {
        static const char *const keys[] = {"sampling", "design", "correlation"};
        (void)sarrus_node_put(&reader->tree, mapping, keys[i], NULL); /* taking away needs no memory */
    }
}

char *sarrus_text_as_run(const char *text, const sarrus_as_run *groups, int n_groups) {
    sarrus_reader reader;
    char *out = NULL;
    if (sarrus_reader_create(&reader) == SARRUS_OK && sarrus_tree_parse(&reader.tree, &reader.findings, 0, 0, text, strlen(text))) {
        sarrus_node *root = reader.tree.root, *entries = sarrus_node_child(root, "scenarios");
        if (entries == NULL && (groups[0].n_instances != NULL || groups[0].seed != NULL || groups[0].has_own_sample)) {
            group_put(&reader, sarrus_mapping_of(&reader, root, "batch", root), &groups[0]);
        }
        sarrus_node *entry = entries != NULL ? entries->first : NULL;
        for (int g = 0; g < n_groups && entry != NULL; ++g, entry = entry->next) {
            group_put(&reader, entry, &groups[g]);
        }
        out = reader.findings.is_out_of_memory ? NULL : sarrus_tree_emit(&reader.tree);
    }
    sarrus_reader_destroy(&reader);
    return out;
}

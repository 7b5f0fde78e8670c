#include "scenario/same_mechanism.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scenario/emit.h"
#include "scenario/guard.h"
#include "scenario/reader.h"

static bool is_same(const sarrus_node *a, const sarrus_node *b);

static bool has_word(const char *const *words, int n, const char *word) {
    for (int i = 0; i < n; ++i)
        if (strcmp(words[i], word) == 0)
            return true;
    return false;
}

/* The first key of `a` that `b` lacks or has otherwise, but for n words; NULL: there is none. */
static const char *key_of_difference(const sarrus_node *a, const sarrus_node *b, const char *const *words, int n) {
    for (const sarrus_node *child = a != NULL ? a->first : NULL; child != NULL; child = child->next)
        if (!has_word(words, n, child->key->text) && !is_same(child, sarrus_node_child(b, child->key->text)))
            return child->key->text;
    return NULL;
}

static bool is_same(const sarrus_node *a, const sarrus_node *b) {
    if (a == NULL || b == NULL || a->kind != b->kind || a->n_children != b->n_children)
        return a == b;
    if (a->kind == SARRUS_NODE_SCALAR)
        return strcmp(a->text, b->text) == 0;
    if (a->kind == SARRUS_NODE_MAPPING)
        return key_of_difference(a, b, NULL, 0) == NULL;
    const sarrus_node *other = b->first;
    for (const sarrus_node *item = a->first; item != NULL; item = item->next, other = other->next)
        if (!is_same(item, other))
            return false;
    return true;
}

static const char *difference(const sarrus_node *a, const sarrus_node *b) {
    static const char *const free_keys[] = {"name", "integrator", "dynamics", "limits", "batch", "output"};
    static const char *const free_output[] = {"every", "interval"};
    const sarrus_node *drawn_a = sarrus_node_child(sarrus_node_child(a, "batch"), "parameters");
    const sarrus_node *drawn_b = sarrus_node_child(sarrus_node_child(b, "batch"), "parameters");
    const int n_free = sizeof free_keys / sizeof free_keys[0], n_output = sizeof free_output / sizeof free_output[0];
    const sarrus_node *output_a = sarrus_node_child(a, "output"), *output_b = sarrus_node_child(b, "output");
    const char *key = key_of_difference(a, b, free_keys, n_free);
    key = key != NULL ? key : key_of_difference(b, a, free_keys, n_free);
    key = key != NULL ? key : key_of_difference(output_a, output_b, free_output, n_output);
    key = key != NULL ? key : key_of_difference(output_b, output_a, free_output, n_output);
    return key == NULL && drawn_a != NULL && drawn_b != NULL && !is_same(drawn_a, drawn_b) ? "batch.parameters" : key;
}

/* The tree of a text, in a reader that was made. */
static sarrus_status tree_read(sarrus_reader *reader, const char *text) {
    const size_t n = strlen(text);
    char *copy = strdup(text); /* the guard may cut it */
    const bool is_read = copy != NULL && sarrus_guard_check(&reader->findings, 0, copy, n) &&
                         sarrus_tree_parse(&reader->tree, &reader->findings, 0, 0, copy, n);
    const bool has_memory = copy != NULL && !reader->findings.is_out_of_memory;
    free(copy);
    return !has_memory ? SARRUS_NO_MEMORY : is_read && reader->tree.root != NULL ? SARRUS_OK : SARRUS_BAD_INPUT;
}

sarrus_status sarrus_texts_compare(const char *a, const char *b, char *key, size_t n_bytes) {
    sarrus_reader one, other;
    sarrus_status status = sarrus_reader_create(&one);
    const sarrus_status second = sarrus_reader_create(&other);
    status = status == SARRUS_OK ? second : status;
    if (status == SARRUS_OK)
        status = tree_read(&one, a);
    if (status == SARRUS_OK)
        status = tree_read(&other, b);
    const char *found = status == SARRUS_OK ? difference(one.tree.root, other.tree.root) : NULL;
    snprintf(key, n_bytes, "%s", found != NULL ? found : "");
    sarrus_reader_destroy(&one);
    sarrus_reader_destroy(&other);
    return status;
}

/* Gives mapping `to` what `from` has under a key, or nothing. */
static bool key_take(sarrus_tree *tree, sarrus_node *to, const sarrus_node *from, const char *key) {
    const sarrus_node *value = sarrus_node_child(from, key);
    return value != NULL ? sarrus_node_put(tree, to, key, value)
                         : sarrus_node_child(to, key) == NULL || sarrus_node_put(tree, to, key, NULL);
}

static bool graft(sarrus_reader *to, const sarrus_reader *from) {
    sarrus_node *root = to->tree.root, *output = sarrus_node_child(root, "output");
    const sarrus_node *other = from->tree.root, *other_output = sarrus_node_child(other, "output");
    bool ok = key_take(&to->tree, root, other, "integrator") && key_take(&to->tree, root, other, "dynamics") &&
              key_take(&to->tree, root, other, "limits");
    if (output == NULL || sarrus_node_is_null(output)) /* null is as nothing */
        return ok && key_take(&to->tree, root, other, "output");
    return ok && key_take(&to->tree, output, other_output, "every") && key_take(&to->tree, output, other_output, "interval");
}

sarrus_status sarrus_texts_graft(const char *a, const char *b, char **out) {
    sarrus_reader one, other;
    sarrus_status status = sarrus_reader_create(&one);
    const sarrus_status second = sarrus_reader_create(&other);
    *out = NULL;
    status = status == SARRUS_OK ? second : status;
    if (status == SARRUS_OK)
        status = tree_read(&one, a);
    if (status == SARRUS_OK)
        status = tree_read(&other, b);
    if (status == SARRUS_OK)
        *out = graft(&one, &other) ? sarrus_tree_emit(&one.tree) : NULL;
    if (status == SARRUS_OK && *out == NULL)
        status = SARRUS_NO_MEMORY;
    sarrus_reader_destroy(&one);
    sarrus_reader_destroy(&other);
    return status;
}

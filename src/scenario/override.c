#include "scenario/override.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scenario/guard.h"
#include "scenario/suggest.h"

/* One part of a path between dots. */
struct part {
    const char *text; /* 0-terminated copy in the tree */
    sarrus_place place;
    int n_before;     /* bytes of the path before it */
    const char *rest; /* of the path, behind this part: "" or ".mass" */
};

struct edit {
    sarrus_tree *tree;
    sarrus_findings *findings;
    int i_source;
    sarrus_place begin; /* of the path in its source */
    const char *path;
    size_t n_prefix; /* bytes of it that say which tree is meant */
};

static bool item_index(const char *text, int *out) {
    const size_t n_text = strlen(text);
    if (n_text == 0 || n_text > 8 || strspn(text, "0123456789") != n_text) {
        return false;
    }
    *out = atoi(text);
    return true;
}

static const char *item_name(const sarrus_node *item) {
    const sarrus_node *name = sarrus_node_child(item, "name");
    return name != NULL && name->kind == SARRUS_NODE_SCALAR ? name->text : NULL;
}

/* The child that `text` names: a key, an item's name or an item's index. */
static sarrus_node *child_named(const sarrus_node *node, const char *text) {
    if (node->kind == SARRUS_NODE_MAPPING) {
        return sarrus_node_child(node, text);
    }
    for (sarrus_node *item = node->first; item != NULL; item = item->next) {
        const char *name = item_name(item);
        if (name != NULL && strcmp(name, text) == 0) {
            return item;
        }
    }
    int i_item = 0;
    return node->kind == SARRUS_NODE_SEQUENCE && item_index(text, &i_item) ? sarrus_node_item(node, i_item) : NULL;
}

const sarrus_node *sarrus_tree_find(const sarrus_tree *tree, const char *path) {
    const sarrus_node *node = tree->root;
    char part[SARRUS_SUGGEST_MAX_LENGTH + 1];
    while (node != NULL && *path != '\0') {
        const size_t n_part = strcspn(path, ".");
        if (n_part == 0 || n_part >= sizeof part) {
            return NULL;
        }
        memcpy(part, path, n_part);
        part[n_part] = '\0';
        node = child_named(node, part);
        path += n_part + (path[n_part] == '.');
    }
    return node;
}

static bool fail_memory(const struct edit *edit) {
    edit->findings->is_out_of_memory = true;
    return false;
}

static bool fail_item(const struct edit *edit, const sarrus_node *list, const struct part *part) {
    sarrus_suggestion suggestion = sarrus_suggestion_for(part->text);
    for (const sarrus_node *item = list->first; item != NULL; item = item->next) {
        const char *name = item_name(item);
        if (name != NULL) {
            sarrus_suggestion_offer(&suggestion, name);
        }
    }
    if (suggestion.best != NULL) {
        sarrus_findings_add(edit->findings, SARRUS_BAD_INPUT, edit->i_source, part->place,
                            "no item is called '%s' in the path '%s'; did you mean '%.*s%s%s'?", part->text, edit->path,
                            part->n_before, edit->path, suggestion.best, part->rest);
    } else {
        sarrus_findings_add(edit->findings, SARRUS_BAD_INPUT, edit->i_source, part->place,
                            "no item '%s' in the path '%s'; expected an index from 0 to %d", part->text, edit->path,
                            list->n_children - 1);
    }
    return false;
}

/* Whether the path goes on with an entry of a list. */
static bool next_is_index(const struct part *part) {
    const char *next = part->rest + (*part->rest == '.');
    const size_t n_digits = strspn(next, "0123456789");
    return n_digits > 0 && n_digits == strcspn(next, ".");
}

/* Steps from `node` into `part`, adding a key where a mapping lacks it. */
static sarrus_node *step(const struct edit *edit, sarrus_node *node, const struct part *part) {
    if (sarrus_node_is_null(node)) {
        node->kind = SARRUS_NODE_MAPPING;
    }
    if (node->kind == SARRUS_NODE_SCALAR) {
        sarrus_findings_add(edit->findings, SARRUS_BAD_INPUT, edit->i_source, part->place,
                            "'%.*s' is %s and has no '%s'; expected a path to something in the file", part->n_before - 1,
                            edit->path, sarrus_node_kind_text(node), part->text);
        return NULL;
    }
    sarrus_node *child = child_named(node, part->text);
    if (child != NULL) {
        return child;
    }
    if (node->kind == SARRUS_NODE_SEQUENCE) {
        (void)fail_item(edit, node, part);
        return NULL;
    }
    if (next_is_index(part)) {
        const int n_text = (int)strlen(part->text), n_list = part->n_before + n_text;
        sarrus_findings_add(edit->findings, SARRUS_BAD_INPUT, edit->i_source,
                            (sarrus_place){part->place.line, part->place.column + n_text + 1, 0},
                            "the file has no list '%.*s' to change an entry of; expected the whole list, as %.*s=[...]", n_list,
                            edit->path, n_list, edit->path);
        return NULL;
    }
    child = sarrus_tree_node(edit->tree, SARRUS_NODE_MAPPING, edit->i_source, part->place, NULL, 0);
    sarrus_node *key =
        sarrus_tree_node(edit->tree, SARRUS_NODE_SCALAR, edit->i_source, part->place, part->text, strlen(part->text));
    if (child == NULL || key == NULL) {
        (void)fail_memory(edit);
        return NULL;
    }
    key->is_plain = true;
    child->key = key;
    sarrus_node_append(node, child);
    return child;
}

/* The node at the path, made if need be, and whose child it is; NULL when there are findings. */
static sarrus_node *walk(const struct edit *edit, sarrus_node **parent) {
    sarrus_node *node = edit->tree->root;
    const char *cursor = edit->path + edit->n_prefix;
    for (int depth = 0;; ++depth) {
        const size_t n_part = strcspn(cursor, ".");
        const int n_before = (int)(cursor - edit->path);
        const sarrus_place place = {edit->begin.line, edit->begin.column + n_before, 0};
        if (n_part == 0 || depth >= SARRUS_SCENARIO_MAX_DEPTH) {
            sarrus_findings_add(edit->findings, SARRUS_BAD_INPUT, edit->i_source, place,
                                "'%s' is not a path; expected keys joined by single dots, as bodies.crank.mass", edit->path);
            return NULL;
        }
        char *text = sarrus_tree_allocate(edit->tree, n_part + 1);
        if (text == NULL) {
            (void)fail_memory(edit);
            return NULL;
        }
        memcpy(text, cursor, n_part);
        const struct part part = {text, place, n_before, cursor + n_part};
        *parent = node;
        node = step(edit, node, &part);
        if (node == NULL || cursor[n_part] == '\0') {
            return node;
        }
        cursor += n_part + 1;
    }
}

static int height_of(const sarrus_node *node) {
    int height = 0;
    for (const sarrus_node *child = node->first; child != NULL; child = child->next) {
        const int below = 1 + height_of(child);
        height = below > height ? below : height;
    }
    return height;
}

static bool replace(const struct edit *edit, sarrus_node *target, const sarrus_node *value) {
    sarrus_node *key = target->key;
    sarrus_node *next = target->next;
    *target = *value;
    target->key = key;
    target->next = next;
    if (height_of(edit->tree->root) > SARRUS_SCENARIO_MAX_DEPTH) {
        sarrus_findings_add(edit->findings, SARRUS_BAD_INPUT, edit->i_source, value->place,
                            "lists and mappings are nested too deeply; expected at most 32 levels");
        return false;
    }
    return true;
}

/* Puts the value where the path leads; null takes away what a mapping has there. Where nothing is, null is put: so the reader sees
 * a key that is misspelt. */
static bool put(const struct edit *edit, const sarrus_node *value) {
    const bool is_taken_away = sarrus_node_is_null(value) && sarrus_tree_find(edit->tree, edit->path + edit->n_prefix) != NULL;
    sarrus_node *parent = NULL, *target = walk(edit, &parent);
    if (target == NULL || !is_taken_away)
        return target != NULL && replace(edit, target, value);
    if (parent->kind != SARRUS_NODE_MAPPING) {
        sarrus_findings_add(edit->findings, SARRUS_BAD_INPUT, edit->i_source, edit->begin,
                            "'%s' stands in a list, of which nothing is taken away; expected the whole list, as it is to be",
                            edit->path);
        return false;
    }
    sarrus_node_remove(parent, target);
    return true;
}

bool sarrus_override_put(sarrus_tree *tree, sarrus_findings *findings, const sarrus_node *path, const sarrus_node *value) {
    const bool is_override = path->i_source >= SARRUS_SOURCE_OVERRIDES; /* whose whole path begins in column 1 */
    const size_t n_prefix = is_override ? (size_t)path->place.column - 1 : 0;
    const sarrus_place begin = {path->place.line, path->place.column - (int)n_prefix + !path->is_plain, 0};
    const struct edit edit = {tree, findings, path->i_source, begin, path->text - n_prefix, n_prefix};
    return put(&edit, value);
}

/* The value behind the path in "path=value", a tree of its own; NULL when there are findings. */
static sarrus_node *value_parse(sarrus_tree *tree, sarrus_findings *findings, int i_source, char *shown, size_t n_path) {
    const size_t n_shown = strlen(shown);
    if (!sarrus_guard_check(findings, i_source, shown, n_shown)) {
        return NULL;
    }
    const char *value_text = shown + n_path + 1;
    if (*value_text == '%') {
        sarrus_findings_add(findings, SARRUS_BAD_INPUT, i_source, (sarrus_place){1, (int)n_path + 2, 0},
                            "the value begins with '%%'; expected no YAML directives");
        return NULL;
    }
    sarrus_node *root = tree->root;
    const bool is_parsed = sarrus_tree_parse(tree, findings, i_source, (int)n_path + 1, value_text, n_shown - n_path - 1);
    sarrus_node *value = tree->root;
    tree->root = root;
    return is_parsed ? value : NULL;
}

bool sarrus_override_apply(sarrus_tree *tree, sarrus_findings *findings, int i_source, char *shown, size_t n_path) {
    const sarrus_node *value = value_parse(tree, findings, i_source, shown, n_path);
    char *path = value != NULL ? sarrus_tree_allocate(tree, n_path + 1) : NULL;
    if (path == NULL) {
        findings->is_out_of_memory = findings->is_out_of_memory || value != NULL;
        return false;
    }
    memcpy(path, shown, n_path);
    const struct edit edit = {tree, findings, i_source, {1, 1, 0}, path, 0};
    return put(&edit, value);
}

sarrus_node *sarrus_override_node(sarrus_tree *tree, sarrus_findings *findings, int i_source, char *shown, size_t n_path,
                                  size_t n_prefix) {
    sarrus_node *value = value_parse(tree, findings, i_source, shown, n_path);
    if (value == NULL) {
        return NULL;
    }
    const sarrus_place place = {1, (int)n_prefix + 1, 0};
    value->key = sarrus_tree_node(tree, SARRUS_NODE_SCALAR, i_source, place, shown, n_path);
    if (value->key == NULL) {
        findings->is_out_of_memory = true;
        return NULL;
    }
    value->key->text += n_prefix;
    value->key->n_text -= n_prefix;
    value->key->is_plain = true;
    return value;
}

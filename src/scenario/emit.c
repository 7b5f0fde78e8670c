#include "scenario/emit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scenario/guard.h"

/* Plain text that YAML reads back as itself in every context. Whatever else was plain is quoted; that changes no meaning, since
 * numbers and null, the only plain texts that a quote would change, consist of these characters ('~' is refused as null before). */
static bool is_safe_plain(const char *text) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.+=/()^*-";
    const size_t n_text = strlen(text);
    if (n_text == 0 || strspn(text, letters) != n_text || text[0] == '*') {
        return false;
    }
    return strcmp(text, "-") != 0 && strncmp(text, "---", 3) != 0 && strncmp(text, "...", 3) != 0;
}

static void emit_scalar(FILE *out, const sarrus_node *node) {
    if (node->is_plain && is_safe_plain(node->text)) {
        fputs(node->text, out);
        return;
    }
    if (sarrus_node_is_null(node)) {
        fputs("null", out);
        return;
    }
    fputc('"', out);
    int n_quotes = 0; /* single ones in a row, of which the reader takes no more than three */
    for (const char *c = node->text, *end = c + node->n_text; c < end;) {
        size_t n_used = 0;
        const long character = sarrus_guard_character(c, (size_t)(end - c), &n_used);
        n_quotes = character == '\'' ? n_quotes + 1 : 0;
        if (character == '"' || character == '\\') {
            fprintf(out, "\\%c", *c);
        } else if (character == '\n') {
            fputs("\\n", out);
        } else if (sarrus_guard_refuses(character) || n_quotes > 3) {
            fprintf(out, character > 0xffff ? "\\U%08lx" : "\\u%04lx", (unsigned long)character);
        } else {
            fwrite(c, 1, n_used, out);
        }
        c += n_used;
    }
    fputc('"', out);
}

static bool holds_mapping(const sarrus_node *node) {
    if (node->kind == SARRUS_NODE_MAPPING) {
        return true;
    }
    for (const sarrus_node *child = node->first; child != NULL; child = child->next) {
        if (holds_mapping(child)) {
            return true;
        }
    }
    return false;
}

static bool is_inline(const sarrus_node *node) {
    return node->kind == SARRUS_NODE_SCALAR || node->n_children == 0 || !holds_mapping(node);
}

static void emit_inline(FILE *out, const sarrus_node *node) {
    if (node->kind == SARRUS_NODE_SCALAR) {
        emit_scalar(out, node);
        return;
    }
    fputc(node->kind == SARRUS_NODE_SEQUENCE ? '[' : '{', out);
    for (const sarrus_node *child = node->first; child != NULL; child = child->next) {
        emit_inline(out, child);
        if (child->next != NULL) {
            fputs(", ", out);
        }
    }
    fputc(node->kind == SARRUS_NODE_SEQUENCE ? ']' : '}', out);
}

/* Emits the children of `node`; the first follows what is on the line already when `continues_line`. The recursion is as deep as
 * the tree, which the reader bounds. */
static void emit_block(FILE *out, const sarrus_node *node, int indent, bool continues_line) {
    for (const sarrus_node *child = node->first; child != NULL; child = child->next) {
        fprintf(out, "%*s", continues_line ? 0 : indent, "");
        continues_line = false;
        if (node->kind == SARRUS_NODE_SEQUENCE) {
            fputc('-', out);
        } else {
            emit_scalar(out, child->key);
            fputc(':', out);
        }
        if (is_inline(child)) {
            fputc(' ', out);
            emit_inline(out, child);
            fputc('\n', out);
        } else if (node->kind == SARRUS_NODE_SEQUENCE) {
            fputc(' ', out);
            emit_block(out, child, indent + 2, true);
        } else {
            fputc('\n', out);
            emit_block(out, child, indent + 2, false);
        }
    }
}

char *sarrus_tree_emit(const sarrus_tree *tree) {
    char *text = NULL;
    size_t n_text = 0;
    FILE *out = open_memstream(&text, &n_text);
    if (out == NULL) {
        return NULL;
    }
    if (is_inline(tree->root)) {
        emit_inline(out, tree->root);
        fputc('\n', out);
    } else {
        emit_block(out, tree->root, 0, false);
    }
    const bool failed = ferror(out) != 0;
    if (fclose(out) != 0 || failed) {
        free(text);
        return NULL;
    }
    return text;
}

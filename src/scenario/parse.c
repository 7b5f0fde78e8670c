/* From text to tree, by libfyaml's event parser. */
#include "scenario/tree.h"

#include <libfyaml.h>
#include <stdlib.h>
#include <string.h>

#include "model/names.h"
#include "scenario/anchors.h"
#include "scenario/guard.h"

/* An open sequence or mapping, and the key that waits for its value. */
struct level {
    sarrus_node *node;
    sarrus_node *key;
    sarrus_names keys; /* of a mapping: key → 0 */
    bool is_key;       /* a list that is a key: its text becomes that */
};

struct build {
    sarrus_tree *tree;
    sarrus_findings *findings;
    int i_source;
    int column_offset;
    const char *text; /* [n_bytes] */
    size_t n_bytes;
    sarrus_place last; /* where the last node with a place was */
    sarrus_anchors anchors;
    int n_documents;
    int depth;
    struct level levels[SARRUS_SCENARIO_MAX_DEPTH];
};

/* Diagnostics of libfyaml are collected; what it would print besides goes nowhere. */
static void discard(struct fy_diag *diag, void *user, const char *text, size_t n_bytes) {
    (void)diag;
    (void)user;
    (void)text;
    (void)n_bytes;
}

static struct fy_diag *diag_create(void) {
    struct fy_diag_cfg configuration;
    fy_diag_cfg_default(&configuration);
    configuration.fp = NULL;
    configuration.output_fn = discard;
    configuration.colorize = false;
    struct fy_diag *diag = fy_diag_create(&configuration);
    if (diag != NULL) {
        fy_diag_set_collect_errors(diag, true);
    }
    return diag;
}

static sarrus_place place_moved(const struct build *build, int line, int column) {
    return (sarrus_place){line, line == 1 ? column + build->column_offset : column, 0};
}

static bool fail(struct build *build, sarrus_place place, const char *message) {
    sarrus_findings_add(build->findings, SARRUS_BAD_INPUT, build->i_source, place, "%s", message);
    return false;
}

static bool fail_memory(struct build *build) {
    build->findings->is_out_of_memory = true;
    return false;
}

/* The place of an event; an empty scalar has none and takes the place of what stands before it. */
static sarrus_place event_place(struct build *build, struct fy_event *event, struct fy_token *token) {
    const struct fy_mark *mark = token != NULL ? fy_token_start_mark(token) : fy_event_start_mark(event);
    if (mark == NULL) {
        return build->last;
    }
    int column = mark->column + 1;
    if (event->type == FYET_SCALAR && token != NULL) {
        const enum fy_scalar_style style = fy_token_scalar_style(token);
        column -= (style == FYSS_SINGLE_QUOTED || style == FYSS_DOUBLE_QUOTED) && column > 1; /* the mark is behind the quote */
    }
    build->last = place_moved(build, mark->line + 1, column);
    return build->last;
}

static bool text_is_clean(const char *text, size_t n_text) {
    for (size_t i = 0; i < n_text;) {
        size_t n_used = 0;
        if (sarrus_guard_character(text + i, n_text - i, &n_used) <= 0) {
            return false;
        }
        i += n_used;
    }
    return true;
}

/* Puts a finished key, value or item where it belongs. */
static bool place_node(struct build *build, sarrus_node *node) {
    if (build->depth == 0) {
        build->tree->root = node;
        return true;
    }
    struct level *level = &build->levels[build->depth - 1];
    if (level->is_key && node->kind != SARRUS_NODE_SCALAR) {
        return fail(build, node->place, "a list or mapping within a key; expected a word");
    }
    if (level->node->kind == SARRUS_NODE_SEQUENCE) {
        sarrus_node_append(level->node, node);
        return true;
    }
    if (level->key != NULL) {
        node->key = level->key;
        level->key = NULL;
        sarrus_node_append(level->node, node);
        return true;
    }
    if (node->kind != SARRUS_NODE_SCALAR) {
        return fail(build, node->place, "a mapping as a key; expected a word");
    }
    level->key = node;
    const sarrus_status status = sarrus_names_add(&level->keys, node->text, 0);
    if (status == SARRUS_BAD_ARGUMENT) {
        sarrus_findings_add(build->findings, SARRUS_BAD_INPUT, build->i_source, node->place,
                            "the key '%s' stands twice in this mapping; expected each key once", node->text);
    }
    return status == SARRUS_NO_MEMORY ? fail_memory(build) : true;
}

/* The name that an event gives its node, NULL: none; and its tag. */
static struct fy_token *anchor_of(const struct fy_event *event) {
    return event->type == FYET_SCALAR           ? event->scalar.anchor
           : event->type == FYET_SEQUENCE_START ? event->sequence_start.anchor
           : event->type == FYET_MAPPING_START  ? event->mapping_start.anchor
                                                : NULL;
}

static struct fy_token *tag_of(const struct fy_event *event) {
    return event->type == FYET_SCALAR           ? event->scalar.tag
           : event->type == FYET_SEQUENCE_START ? event->sequence_start.tag
           : event->type == FYET_MAPPING_START  ? event->mapping_start.tag
                                                : NULL;
}

static bool name_node(struct build *build, const struct fy_event *event, sarrus_node *node) {
    struct fy_token *anchor = anchor_of(event);
    size_t n_name = 0;
    const char *name = anchor != NULL ? fy_token_get_text(anchor, &n_name) : NULL;
    if (anchor == NULL) {
        return true;
    }
    return (name != NULL && sarrus_anchors_put(&build->anchors, build->tree, name, n_name, node)) || fail_memory(build);
}

static bool fail_entries(struct build *build, sarrus_place place) {
    return fail(build, place, "the file holds too many entries; expected at most 1000000");
}

/* Whether the node is still being read: an alias within would hold itself. */
static bool is_open(const struct build *build, const sarrus_node *node) {
    int i = 0;
    while (i < build->depth && build->levels[i].node != node) {
        ++i;
    }
    return i < build->depth;
}

/* What an alias names, once more. */
static bool add_alias(struct build *build, struct fy_event *event) {
    size_t n_name = 0;
    const char *name = fy_token_get_text(event->alias.anchor, &n_name);
    sarrus_place place = event_place(build, event, event->alias.anchor); /* the mark is behind the '*' */
    place.column -= place.column > 1;
    if (name == NULL) {
        return fail_memory(build);
    }
    sarrus_node *named = sarrus_anchors_find(&build->anchors, name, n_name);
    if (named == NULL) {
        return fail(build, place,
                    "an alias ('*') of what no anchor before it names ('&'); expected an anchor (quote it if it is not meant as an "
                    "alias)");
    }
    if (is_open(build, named)) {
        return fail(build, place, "an alias ('*') within what it names; expected an anchor that ends before it");
    }
    if (build->depth + sarrus_node_depth(named) > SARRUS_SCENARIO_MAX_DEPTH) {
        return fail(build, place, "lists and mappings are nested too deeply by this alias ('*'); expected at most 32 levels");
    }
    sarrus_node *copy = sarrus_node_copy(build->tree, named);
    if (copy == NULL) {
        return build->tree->n_entries > SARRUS_SCENARIO_MAX_ENTRIES ? fail_entries(build, place) : fail_memory(build);
    }
    copy->place = place;
    return place_node(build, copy);
}

/* Whether something stands in the text where a plain scalar is. What is quoted may come to nothing all the same. */
static bool scalar_has_letters(struct fy_token *token) {
    const struct fy_mark *begin = token != NULL ? fy_token_start_mark(token) : NULL;
    const struct fy_mark *end = token != NULL ? fy_token_end_mark(token) : NULL;
    return begin != NULL && end != NULL && end->input_pos > begin->input_pos && fy_token_scalar_style(token) == FYSS_PLAIN;
}

static bool add_scalar(struct build *build, struct fy_event *event) {
    struct fy_token *token = event->scalar.value;
    const sarrus_place place = event_place(build, event, token);
    size_t n_text = 0;
    const char *text = token != NULL ? fy_token_get_text(token, &n_text) : "";
    const bool is_missing = text == NULL && fy_token_get_text_length(token) > 0;
    if (is_missing || (n_text == 0 && scalar_has_letters(token))) {
        return fail_memory(build); /* libfyaml could not put it together */
    }
    if (text == NULL) {
        text = "";
        n_text = 0;
    }
    if (!text_is_clean(text, n_text)) {
        return fail(build, place, "an escape in this text gives a zero byte or no Unicode character; expected text");
    }
    sarrus_node *node = sarrus_tree_node(build->tree, SARRUS_NODE_SCALAR, build->i_source, place, text, n_text);
    if (node == NULL) {
        return fail_memory(build);
    }
    node->is_plain = token == NULL || fy_token_scalar_style(token) == FYSS_PLAIN;
    return name_node(build, event, node) && place_node(build, node);
}

static bool open_node(struct build *build, struct fy_event *event, sarrus_node_kind kind) {
    const sarrus_place place = event_place(build, event, NULL);
    if (build->depth == SARRUS_SCENARIO_MAX_DEPTH) {
        return fail(build, place, "lists and mappings are nested too deeply; expected at most 32 levels");
    }
    sarrus_node *node = sarrus_tree_node(build->tree, kind, build->i_source, place, NULL, 0);
    if (node == NULL || !name_node(build, event, node)) {
        return fail_memory(build);
    }
    const struct level *above = build->depth > 0 ? &build->levels[build->depth - 1] : NULL;
    const bool is_key =
        kind == SARRUS_NODE_SEQUENCE && above != NULL && above->node->kind == SARRUS_NODE_MAPPING && above->key == NULL;
    if (!is_key && !place_node(build, node)) {
        return false;
    }
    build->levels[build->depth++] = (struct level){.node = node, .is_key = is_key};
    return true;
}

/* A list of words as the key that it is: the text "[a, b]", which means the same when it is read again. */
static bool place_key(struct build *build, const sarrus_node *list) {
    size_t n = sizeof "[]";
    for (const sarrus_node *item = list->first; item != NULL; item = item->next) {
        n += item->n_text + sizeof ", ";
    }
    char *text = sarrus_tree_allocate(build->tree, n);
    if (text == NULL) {
        return fail_memory(build);
    }
    char *end = stpcpy(text, "[");
    for (const sarrus_node *item = list->first; item != NULL; item = item->next) {
        end = stpcpy(stpcpy(end, item->text), item->next != NULL ? ", " : "");
    }
    end = stpcpy(end, "]");
    sarrus_node *key = sarrus_tree_node(build->tree, SARRUS_NODE_SCALAR, build->i_source, list->place, text, (size_t)(end - text));
    return key != NULL ? place_node(build, key) : fail_memory(build);
}

static bool close_node(struct build *build) {
    struct level *level = &build->levels[--build->depth];
    sarrus_names_clear(&level->keys);
    return !level->is_key || place_key(build, level->node);
}

static bool second_refuse(struct build *build, struct fy_event *event) {
    return fail(build, event_place(build, event, NULL), "a second document begins here; expected one document in the file");
}

static bool take_event(struct build *build, struct fy_event *event) {
    if (build->n_documents > 1)
        return second_refuse(build, event);
    if (tag_of(event) != NULL) {
        return fail(build, event_place(build, event, tag_of(event)), "a tag ('!'); expected none, types follow from the keys");
    }
    if (build->tree->n_entries > SARRUS_SCENARIO_MAX_ENTRIES) {
        return fail_entries(build, event_place(build, event, NULL));
    }
    switch (event->type) {
    case FYET_DOCUMENT_START:
        build->n_documents += 1;
        /* One that begins behind "..." without a "---" begins where its first text is. */
        return build->n_documents == 1 || fy_event_start_mark(event) == NULL || second_refuse(build, event);
    case FYET_SCALAR:
        return add_scalar(build, event);
    case FYET_ALIAS:
        return add_alias(build, event);
    case FYET_SEQUENCE_START:
        return open_node(build, event, SARRUS_NODE_SEQUENCE);
    case FYET_MAPPING_START:
        return open_node(build, event, SARRUS_NODE_MAPPING);
    case FYET_SEQUENCE_END:
    case FYET_MAPPING_END:
        return close_node(build);
    default:
        return true;
    }
}

/* An error found at the end of the text may be placed on a line that is not there: then the end of the last line with text. */
static sarrus_place place_within(const struct build *build, int line, int column) {
    sarrus_place here = {1, 1, 0};
    sarrus_place last = {1, 1, 0};
    for (size_t i = 0; i < build->n_bytes && here.line <= line; ++i) {
        const char c = build->text[i];
        here.column += ((unsigned char)c & 0xc0U) != 0x80U;
        if (c == '\n') {
            here = (sarrus_place){here.line + 1, 1, 0};
        } else if (c != ' ') {
            last = here;
        }
    }
    if (line > last.line) {
        return place_moved(build, last.line, last.column);
    }
    return place_moved(build, line, column);
}

static const struct fy_parse_cfg quiet = {.search_path = "", .flags = FYPCF_QUIET | FYPCF_DEFAULT_VERSION_1_2 | FYPCF_JSON_NONE};

/* Whether libfyaml takes the text after all: an error that it says nothing about may have been that of an allocation. */
static bool is_taken_again(const struct build *build) {
    struct fy_parser *parser = fy_parser_create(&quiet);
    bool is_taken = false;
    if (parser != NULL && fy_parser_set_string(parser, build->text, build->n_bytes) == 0) {
        for (struct fy_event *event; (event = fy_parser_parse(parser)) != NULL;) {
            fy_parser_event_free(parser, event);
        }
        is_taken = !fy_parser_get_stream_error(parser);
    }
    fy_parser_destroy(parser);
    return is_taken;
}

/* libfyaml's own errors, in its words. */
static void report_syntax(struct build *build, struct fy_diag *diag) {
    void *iterator = NULL;
    int n_found = 0;
    for (struct fy_diag_error *error = fy_diag_errors_iterate(diag, &iterator); error != NULL;
         error = fy_diag_errors_iterate(diag, &iterator)) {
        const int line = error->line > 0 ? error->line : 1;
        const int column = error->column > 0 ? error->column : 1;
        sarrus_findings_add(build->findings, SARRUS_BAD_INPUT, build->i_source, place_within(build, line, column),
                            "not YAML: %s; expected a YAML 1.2 document", error->msg != NULL ? error->msg : "syntax error");
        n_found += 1;
    }
    if (n_found == 0 && is_taken_again(build)) {
        (void)fail_memory(build);
    } else if (n_found == 0) {
        (void)fail(build, build->last, "not YAML; expected a YAML 1.2 document");
    }
}

static bool run_events(struct build *build, struct fy_parser *parser, struct fy_diag *diag) {
    bool goes_on = true;
    while (goes_on) {
        struct fy_event *event = fy_parser_parse(parser);
        if (event == NULL) {
            break;
        }
        goes_on = take_event(build, event);
        fy_parser_event_free(parser, event);
    }
    if (goes_on && fy_parser_get_stream_error(parser)) {
        report_syntax(build, diag);
        goes_on = false;
    }
    while (build->depth > 0) {
        sarrus_names_clear(&build->levels[--build->depth].keys);
    }
    sarrus_anchors_clear(&build->anchors);
    return goes_on;
}

bool sarrus_tree_parse(sarrus_tree *tree, sarrus_findings *findings, int i_source, int column_offset, const char *text,
                       size_t n_bytes) {
    struct build build = {
        .tree = tree, .findings = findings, .i_source = i_source, .column_offset = column_offset, .text = text, .n_bytes = n_bytes};
    build.last = place_moved(&build, 1, 1);
    struct fy_diag *diag = diag_create();
    struct fy_parse_cfg configuration = quiet;
    configuration.diag = diag;
    struct fy_parser *parser = diag != NULL ? fy_parser_create(&configuration) : NULL;
    bool is_good = false;
    tree->root = NULL;
    if (parser == NULL || fy_parser_set_string(parser, text, n_bytes) != 0) {
        findings->is_out_of_memory = true;
    } else {
        is_good = run_events(&build, parser, diag);
        if (is_good && tree->root == NULL) {
            is_good = fail(&build, build.last, "there is nothing here; expected a YAML document");
        }
    }
    fy_parser_destroy(parser);
    fy_diag_destroy(diag);
    return is_good && !findings->is_out_of_memory;
}

/* Mappings, lists, names and words. */
#include "scenario/reader.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scenario/suggest.h"

enum { max_name_bytes = 64 };

const char *sarrus_node_shown(const sarrus_node *node, char buffer[SARRUS_SHOWN_BYTES]) {
    static const char ellipsis[] = "...";
    const size_t room = SARRUS_SHOWN_BYTES - sizeof ellipsis;
    size_t n = node->n_text;
    if (n > room) {
        n = room;
        while (n > 0 && ((unsigned char)node->text[n] & 0xc0U) == 0x80U) {
            --n;
        }
    }
    for (size_t i = 0; i < n; ++i) {
        const unsigned char c = (unsigned char)node->text[i];
        buffer[i] = c < ' ' || c == 0x7f ? ' ' : (char)c;
    }
    strcpy(buffer + n, n < node->n_text ? ellipsis : "");
    return buffer;
}

static bool path_append(sarrus_reader *reader, const char *text) {
    const size_t n_text = strlen(text);
    const size_t n_needed = reader->n_path + n_text + 2;
    if (n_needed > reader->capacity_path) {
        char *path = realloc(reader->path, 2 * n_needed);
        if (path == NULL) {
            reader->findings.is_out_of_memory = true;
            return false;
        }
        reader->path = path;
        reader->capacity_path = 2 * n_needed;
    }
    if (reader->n_path > 0) {
        reader->path[reader->n_path++] = '.';
    }
    memcpy(reader->path + reader->n_path, text, n_text + 1);
    reader->n_path += n_text;
    return true;
}

size_t sarrus_path_push(sarrus_reader *reader, const char *text) {
    const size_t n_path = reader->n_path;
    (void)path_append(reader, text);
    return n_path;
}

size_t sarrus_path_push_index(sarrus_reader *reader, int i) {
    char text[16];
    (void)snprintf(text, sizeof text, "%d", i);
    return sarrus_path_push(reader, text);
}

void sarrus_path_pop(sarrus_reader *reader, size_t n_path) {
    reader->n_path = n_path;
    if (reader->path != NULL) {
        reader->path[n_path] = '\0';
    }
}

/* Formats before adding, since the list of findings takes its own format. */
SARRUS_PRINTF(4, 0)
static void add_formatted(sarrus_reader *reader, sarrus_status status, const sarrus_node *node, const char *format,
                          va_list arguments) {
    char *message = NULL;
    if (vasprintf(&message, format, arguments) < 0) {
        reader->findings.is_out_of_memory = true;
        return;
    }
    sarrus_findings_add(&reader->findings, status, node->i_source, node->place, "%s", message);
    free(message);
}

void sarrus_reader_refuse(sarrus_reader *reader, const sarrus_node *node, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    add_formatted(reader, SARRUS_BAD_INPUT, node, format, arguments);
    va_end(arguments);
}

int sarrus_reader_candidates(sarrus_reader *reader, int n_candidates) {
    enum { MAX_COMPARED = 400000 }; /* a tenth of a second or two */
    sarrus_findings *findings = &reader->findings;
    const size_t n_left = findings->n_kept < SARRUS_FINDINGS_MAX ? MAX_COMPARED - findings->n_candidates : 0;
    const int n = n_candidates < 0 || (size_t)n_candidates < n_left ? n_candidates : (int)n_left;
    findings->n_candidates += n > 0 ? (size_t)n : 0;
    return n;
}

void sarrus_reader_defer(sarrus_reader *reader, const sarrus_node *node, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    add_formatted(reader, SARRUS_UNSUPPORTED, node, format, arguments);
    va_end(arguments);
}

char *sarrus_reader_copy(sarrus_reader *reader, const char *text) {
    char *copy = strdup(text);
    if (copy == NULL) {
        reader->findings.is_out_of_memory = true;
    }
    return copy;
}

void *sarrus_reader_allocate(sarrus_reader *reader, int n, size_t n_bytes) {
    void *memory = calloc(n > 0 ? (size_t)n : 1, n_bytes);
    if (memory == NULL) {
        reader->findings.is_out_of_memory = true;
    }
    return memory;
}

static bool is_of_other_space(const sarrus_reader *reader, const sarrus_key *key) {
    return (key->flags & SARRUS_KEY_SPATIAL) != 0 && reader->model->space != SARRUS_SPACE_SPATIAL;
}

static void report_unknown_key(sarrus_reader *reader, const sarrus_node *key, const char *title, const sarrus_key *keys,
                               int n_keys) {
    char shown[SARRUS_SHOWN_BYTES];
    sarrus_suggestion suggestion = sarrus_suggestion_for(key->text);
    for (int i_key = 0; i_key < n_keys; ++i_key) {
        if ((keys[i_key].flags & SARRUS_KEY_FOREIGN) == 0 && !is_of_other_space(reader, &keys[i_key])) {
            sarrus_suggestion_offer(&suggestion, keys[i_key].name);
        }
    }
    const char *close = sarrus_suggestion_close(&suggestion);
    if (close != NULL) {
        sarrus_reader_refuse(reader, key, "unknown key '%s' in %s; did you mean '%s'?", sarrus_node_shown(key, shown), title,
                             close);
        return;
    }
    char expected[400] = "";
    size_t n = 0;
    for (int i_key = 0; i_key < n_keys && n < sizeof expected - 40; ++i_key) {
        if ((keys[i_key].flags & (SARRUS_KEY_LATER | SARRUS_KEY_FOREIGN)) == 0 && !is_of_other_space(reader, &keys[i_key])) {
            n += (size_t)snprintf(expected + n, sizeof expected - n, "%s%s", n > 0 ? ", " : "", keys[i_key].name);
        }
    }
    sarrus_reader_refuse(reader, key, "unknown key '%s' in %s; expected one of %s", sarrus_node_shown(key, shown), title, expected);
}

static const sarrus_key *key_named(const sarrus_key *keys, int n_keys, const char *name) {
    for (int i_key = 0; i_key < n_keys; ++i_key) {
        if (strcmp(keys[i_key].name, name) == 0) {
            return &keys[i_key];
        }
    }
    return NULL;
}

static void read_key(sarrus_reader *reader, sarrus_node *node, const sarrus_key *key, void *object) {
    sarrus_value_index *numbers = (sarrus_value_index *)(void *)((char *)object + key->offset);
    const size_t n_path = sarrus_path_push(reader, key->name);
    if ((key->flags & SARRUS_KEY_SCALAR) != 0) {
        *numbers = sarrus_value_read(reader, node, key->fallback, key->rule);
    } else if ((key->flags & SARRUS_KEY_VECTOR) != 0) {
        sarrus_vector_read(reader, node, NULL, numbers);
    } else {
        key->read(reader, node, object);
    }
    sarrus_path_pop(reader, n_path);
}

bool sarrus_mapping_read(sarrus_reader *reader, sarrus_node *node, const char *title, const sarrus_key *keys, int n_keys,
                         void *object) {
    if (node->kind != SARRUS_NODE_MAPPING) {
        sarrus_reader_refuse(reader, node, "%s is %s; expected a mapping with the key '%s'", title, sarrus_node_kind_text(node),
                             keys[0].name);
        return false;
    }
    for (const sarrus_node *child = node->first; child != NULL; child = child->next) {
        const sarrus_key *key = key_named(keys, n_keys, child->key->text);
        if (key == NULL) {
            report_unknown_key(reader, child->key, title, keys, n_keys);
        } else if ((key->flags & SARRUS_KEY_LATER) != 0) {
            sarrus_reader_defer(reader, child->key, "'%s' in %s is of a later version; expected no such key", key->name, title);
        } else if (is_of_other_space(reader, key)) {
            sarrus_reader_refuse(reader, child->key, "'%s' in %s exists only in space; expected no such key in the plane",
                                 key->name, title);
        }
    }
    /* What was read without memory has holes: nothing more is read then. */
    for (int i_key = 0; i_key < n_keys && !reader->findings.is_out_of_memory; ++i_key) {
        const sarrus_key *key = &keys[i_key];
        sarrus_node *child = sarrus_node_child(node, key->name);
        if ((key->flags & (SARRUS_KEY_LATER | SARRUS_KEY_IGNORED)) != 0 || is_of_other_space(reader, key)) {
            continue;
        }
        if (child == NULL && (key->flags & SARRUS_KEY_REQUIRED) != 0) {
            sarrus_reader_refuse(reader, node, "%s lacks the key '%s'; expected it", title, key->name);
        }
        read_key(reader, child, key, object);
    }
    return !reader->findings.is_out_of_memory;
}

bool sarrus_list_check(sarrus_reader *reader, const sarrus_node *node, int n_items, const char *expected) {
    if (node->kind != SARRUS_NODE_SEQUENCE) {
        sarrus_reader_refuse(reader, node, "'%s' is %s; expected %s", reader->path, sarrus_node_kind_text(node), expected);
        return false;
    }
    if (n_items >= 0 && node->n_children != n_items) {
        sarrus_reader_refuse(reader, node, "'%s' has %d entries; expected %s", reader->path, node->n_children, expected);
        return false;
    }
    return true;
}

static const char *name_fault(const sarrus_node *name) {
    if (name->kind != SARRUS_NODE_SCALAR || sarrus_node_is_null(name) || name->n_text == 0) {
        return "the name is not a word; expected letters, digits, '_' and '-'";
    }
    if (name->n_text > max_name_bytes) {
        return "the name is too long; expected at most 64 characters";
    }
    for (const char *c = name->text; *c != '\0'; ++c) {
        const bool is_letter = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || *c == '_';
        const bool is_other = (*c >= '0' && *c <= '9') || *c == '-';
        if (!is_letter && (c == name->text || !is_other)) {
            return "the name cannot stand in a path; expected a letter or '_', then letters, digits, '_' and '-'";
        }
    }
    if (strcmp(name->text, "ground") == 0) {
        return "the name 'ground' is taken by the fixed body; expected another name";
    }
    return NULL;
}

size_t sarrus_item_name_read(sarrus_reader *reader, const sarrus_node *item, const char *title, sarrus_names *names, int i_item,
                             char **out) {
    const sarrus_node *name = sarrus_node_child(item, "name");
    const char *fault = name == NULL ? NULL : name_fault(name);
    if (fault != NULL) {
        sarrus_reader_refuse(reader, name, "%s", fault);
    } else if (name == NULL && item->kind == SARRUS_NODE_MAPPING) {
        sarrus_reader_refuse(reader, item, "%s lacks the key 'name'; expected it", title);
    }
    if (name == NULL || fault != NULL) {
        *out = sarrus_reader_copy(reader, "");
        return sarrus_path_push_index(reader, i_item);
    }
    const sarrus_status status = sarrus_names_add(names, name->text, i_item);
    if (status == SARRUS_BAD_ARGUMENT) {
        sarrus_reader_refuse(reader, name, "the name '%s' stands twice in '%s'; expected each name once", name->text, reader->path);
    } else if (status != SARRUS_OK) {
        reader->findings.is_out_of_memory = true;
    }
    *out = sarrus_reader_copy(reader, name->text);
    return sarrus_path_push(reader, name->text);
}

const char *sarrus_words_list(const sarrus_word *words, int n_words, char out[SARRUS_WORDS_BYTES]) {
    size_t n = 0;
    out[0] = '\0';
    for (int i_word = 0; i_word < n_words; ++i_word) {
        if (words[i_word].code >= 0 && n < SARRUS_WORDS_BYTES - 40) {
            n += (size_t)snprintf(out + n, SARRUS_WORDS_BYTES - n, "%s%s", n > 0 ? ", " : "", words[i_word].text);
        }
    }
    return out;
}

bool sarrus_word_read(sarrus_reader *reader, const sarrus_node *node, const char *what, const sarrus_word *words, int n_words,
                      int *out) {
    char shown[SARRUS_SHOWN_BYTES];
    if (node->kind != SARRUS_NODE_SCALAR || sarrus_node_is_null(node)) {
        sarrus_reader_refuse(reader, node, "'%s' is %s; expected %s, as %s", reader->path, sarrus_node_kind_text(node), what,
                             words[0].text);
        return false;
    }
    sarrus_suggestion suggestion = sarrus_suggestion_for(node->text);
    char expected[SARRUS_WORDS_BYTES];
    for (int i_word = 0; i_word < n_words; ++i_word) {
        if (strcmp(words[i_word].text, node->text) == 0) {
            if (words[i_word].code == SARRUS_WORD_ELSEWHERE) {
                sarrus_reader_refuse(reader, node, "%s '%s' exists only in %s; expected one of %s", what, node->text,
                                     reader->model->space == SARRUS_SPACE_SPATIAL ? "the plane" : "space",
                                     sarrus_words_list(words, n_words, expected));
                return false;
            }
            if (words[i_word].code < 0) {
                sarrus_reader_defer(reader, node, "%s '%s' is of a later version; expected one of %s", what, node->text,
                                    sarrus_words_list(words, n_words, expected));
                return false;
            }
            *out = words[i_word].code;
            return true;
        }
        sarrus_suggestion_offer(&suggestion, words[i_word].text);
    }
    const char *close = sarrus_suggestion_close(&suggestion);
    if (close != NULL) {
        sarrus_reader_refuse(reader, node, "unknown %s '%s'; did you mean '%s'?", what, sarrus_node_shown(node, shown), close);
    } else {
        sarrus_reader_refuse(reader, node, "unknown %s '%s'; expected one of %s", what, sarrus_node_shown(node, shown),
                             sarrus_words_list(words, n_words, expected));
    }
    return false;
}

bool sarrus_body_reference_read(sarrus_reader *reader, const sarrus_node *node, int *out) {
    char shown[SARRUS_SHOWN_BYTES];
    if (node->kind != SARRUS_NODE_SCALAR || sarrus_node_is_null(node)) {
        sarrus_reader_refuse(reader, node, "'%s' is %s; expected the name of a body or ground", reader->path,
                             sarrus_node_kind_text(node));
        return false;
    }
    *out = strcmp(node->text, "ground") == 0 ? SARRUS_GROUND : sarrus_names_find(&reader->body_names, node->text);
    if (*out >= 0 || strcmp(node->text, "ground") == 0) {
        return true;
    }
    sarrus_suggestion suggestion = sarrus_suggestion_for(node->text);
    sarrus_suggestion_offer(&suggestion, "ground");
    const int n_candidates = sarrus_reader_candidates(reader, reader->model->n_bodies);
    for (int i_body = 0; i_body < n_candidates; ++i_body) {
        sarrus_suggestion_offer(&suggestion, reader->model->bodies[i_body].name);
    }
    const char *close = sarrus_suggestion_close(&suggestion);
    (void)sarrus_node_shown(node, shown);
    if (close != NULL) {
        sarrus_reader_refuse(reader, node, "no body is called '%s'; did you mean '%s'?", shown, close);
    } else {
        sarrus_reader_refuse(reader, node, "no body is called '%s'; expected the name of one of the bodies, or ground", shown);
    }
    return false;
}

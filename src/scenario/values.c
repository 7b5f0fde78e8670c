/* Numbers, expressions and the table of values. */
#include "scenario/reader.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scenario/number.h"
#include "scenario/suggest.h"

static const char *const rule_texts[] = {"a number", "a number >= 0", "a number > 0"};

static bool rule_holds(sarrus_rule rule, double number) {
    switch (rule) {
    case SARRUS_RULE_NOT_NEGATIVE:
        return number >= 0;
    case SARRUS_RULE_POSITIVE:
        return number > 0;
    case SARRUS_RULE_ANY:
        break;
    }
    return true;
}

/* A node of the same source at `position` bytes behind the '=' of an expression, for findings. */
static sarrus_node expression_place(const sarrus_node *node, size_t position) {
    sarrus_node place = *node;
    place.place.column += (node->is_plain ? 0 : 1) + 1 + (int)position;
    return place;
}

static void report_unknown_name(sarrus_reader *reader, const sarrus_node *place, const char *word, size_t n_word) {
    char name[SARRUS_SHOWN_BYTES];
    n_word = n_word < sizeof name - 1 ? n_word : sizeof name - 1;
    memcpy(name, word, n_word);
    name[n_word] = '\0';
    sarrus_suggestion suggestion = sarrus_suggestion_for(name);
    const int n_candidates = sarrus_reader_candidates(reader, reader->model->n_named);
    for (int i_named = 0; i_named < n_candidates; ++i_named) {
        sarrus_suggestion_offer(&suggestion, reader->model->values[i_named].path + sizeof "parameters." - 1);
    }
    for (size_t i_word = 0; sarrus_expression_known_word(i_word) != NULL; ++i_word) {
        sarrus_suggestion_offer(&suggestion, sarrus_expression_known_word(i_word));
    }
    const char *close = sarrus_suggestion_close(&suggestion);
    if (close != NULL && strcmp(close, name) == 0) {
        sarrus_reader_refuse(reader, place, "the function '%s' lacks its arguments; expected %s(...)", name, name);
    } else if (close != NULL) {
        sarrus_reader_refuse(reader, place, "unknown name '%s' in the expression; did you mean '%s'?", name, close);
    } else {
        sarrus_reader_refuse(reader, place,
                             "unknown name '%s' in the expression; expected a named parameter (given before its use) or a function",
                             name);
    }
}

static void mark_used(sarrus_reader *reader, const char *text) {
    size_t length = 0;
    for (const char *word = sarrus_expression_next_word(text, &length); word != NULL;
         word = sarrus_expression_next_word(word + length, &length)) {
        const int32_t i_named = sarrus_names_find_part(&reader->parameter_names, word, length);
        if (i_named >= 0) {
            reader->model->values[i_named].is_used = true;
        }
    }
}

static bool read_expression(sarrus_reader *reader, const sarrus_node *node, double *out) {
    const char *text = node->text + 1;
    sarrus_expression_fault fault;
    const sarrus_status status = sarrus_expression_compile(reader->expression, text, out, &fault);
    if (status == SARRUS_OK) {
        if (!reader->is_in_parameters) {
            mark_used(reader, text);
        }
        return true;
    }
    if (status == SARRUS_NO_MEMORY) {
        reader->findings.is_out_of_memory = true;
        return false;
    }
    const sarrus_node place = expression_place(node, fault.position);
    if (fault.is_unknown_name) {
        report_unknown_name(reader, &place, text + fault.position, fault.n_token);
    } else {
        sarrus_reader_refuse(reader, &place, "in the expression: %s", fault.message);
    }
    return false;
}

/* What the user calls it. */
static const char *path_of(const sarrus_reader *reader, const sarrus_node *node) {
    return node->called != NULL ? node->called : reader->path;
}

static bool read_literal(sarrus_reader *reader, const sarrus_node *node, double *out) {
    char shown[SARRUS_SHOWN_BYTES];
    switch (sarrus_number_parse(node->text, reader->c_locale, out)) {
    case SARRUS_NUMBER_FINITE:
        break;
    case SARRUS_NUMBER_INFINITE:
        sarrus_reader_refuse(reader, node, "'%s' is not finite; expected a finite number for '%s'", sarrus_node_shown(node, shown),
                             path_of(reader, node));
        return false;
    case SARRUS_NUMBER_NONE:
        sarrus_reader_refuse(reader, node, "'%s' is not a number; expected a number, or an expression as \"=2*L\", for '%s'",
                             sarrus_node_shown(node, shown), path_of(reader, node));
        return false;
    }
    if (!node->is_plain) {
        sarrus_reader_refuse(reader, node, "a number in quotes; expected '%s' without quotes", path_of(reader, node));
        return false;
    }
    return true;
}

bool sarrus_number_read(sarrus_reader *reader, const sarrus_node *node, sarrus_rule rule, double *out, const char **expression) {
    if (expression != NULL) {
        *expression = NULL;
    }
    if (node->kind != SARRUS_NODE_SCALAR || sarrus_node_is_null(node)) {
        sarrus_reader_refuse(reader, node, "'%s' is %s; expected %s", path_of(reader, node), sarrus_node_kind_text(node),
                             rule_texts[rule]);
        return false;
    }
    const bool is_expression = node->text[0] == '=';
    if (is_expression ? !read_expression(reader, node, out) : !read_literal(reader, node, out)) {
        return false;
    }
    if (!isfinite(*out)) {
        sarrus_reader_refuse(reader, node, "the expression gives a number that is not finite; expected a finite number for '%s'",
                             path_of(reader, node));
        return false;
    }
    if (!rule_holds(rule, *out)) {
        sarrus_reader_refuse(reader, node, "'%s' is %.10g; expected %s", path_of(reader, node), *out, rule_texts[rule]);
        return false;
    }
    if (is_expression && expression != NULL) {
        *expression = node->text + 1;
    }
    return true;
}

bool sarrus_count_read(sarrus_reader *reader, const sarrus_node *node, uint64_t least, uint64_t most, uint64_t *out) {
    double number = 0;
    bool is_count = false;
    if (node->kind == SARRUS_NODE_SCALAR && node->text[0] == '=') {
        if (!sarrus_number_read(reader, node, SARRUS_RULE_ANY, &number, NULL)) {
            return false;
        }
        is_count = number >= 0 && number <= 0x1p53 && number == floor(number);
        *out = is_count ? (uint64_t)number : 0;
    } else if (node->kind == SARRUS_NODE_SCALAR && node->is_plain) {
        is_count = sarrus_count_parse(node->text, reader->c_locale, out) != 0;
    }
    if (!is_count || *out < least || *out > most) {
        char shown[SARRUS_SHOWN_BYTES];
        const char *found = node->kind == SARRUS_NODE_SCALAR && !sarrus_node_is_null(node) ? sarrus_node_shown(node, shown)
                                                                                           : sarrus_node_kind_text(node);
        const char *as_text = node->kind == SARRUS_NODE_SCALAR && !node->is_plain ? " in quotes" : "";
        sarrus_reader_refuse(reader, node, "'%s' is %s%s; expected a whole number from %llu to %llu", path_of(reader, node), found,
                             as_text, (unsigned long long)least, (unsigned long long)most);
        return false;
    }
    return true;
}

void sarrus_values_clear(sarrus_value_index *out, int n) {
    for (int i = 0; i < n; ++i) {
        out[i] = SARRUS_NO_VALUE;
    }
}

/* Makes room for one more value. */
static bool values_reserve(sarrus_reader *reader) {
    sarrus_model *model = reader->model;
    if (model->n_values < reader->capacity_values) {
        return true;
    }
    const int capacity = reader->capacity_values == 0 ? 64 : 2 * reader->capacity_values;
    sarrus_value *values = realloc(model->values, (size_t)capacity * sizeof *values);
    if (values != NULL) {
        model->values = values;
    }
    sarrus_value_note *notes = realloc(reader->notes, (size_t)capacity * sizeof *notes);
    if (notes != NULL) {
        reader->notes = notes;
    }
    if (values == NULL || notes == NULL) {
        reader->findings.is_out_of_memory = true;
        return false;
    }
    reader->capacity_values = capacity;
    return true;
}

sarrus_value_index sarrus_value_read(sarrus_reader *reader, const sarrus_node *node, double fallback, sarrus_rule rule) {
    double nominal = fallback;
    const char *expression = NULL;
    if (node != NULL && !sarrus_number_read(reader, node, rule, &nominal, &expression)) {
        nominal = fallback;
    }
    if (!values_reserve(reader)) {
        return SARRUS_NO_VALUE;
    }
    sarrus_model *model = reader->model;
    sarrus_value *value = &model->values[model->n_values];
    *value = (sarrus_value){.path = sarrus_reader_copy(reader, reader->path != NULL ? reader->path : ""), .nominal = nominal};
    if (expression != NULL) {
        value->expression = sarrus_reader_copy(reader, expression);
    }
    if (node != NULL) {
        value->place = sarrus_node_place(node);
    }
    reader->notes[model->n_values] = (sarrus_value_note){rule, NULL};
    return model->n_values++;
}

void sarrus_numbers_read(sarrus_reader *reader, const sarrus_node *node, int n, const char *expected, const double *fallback,
                         sarrus_value_index *out) {
    const bool is_good = node != NULL && sarrus_list_check(reader, node, n, expected);
    const sarrus_node *item = is_good ? node->first : NULL;
    for (int i = 0; i < n; ++i) {
        const size_t n_path = sarrus_path_push_index(reader, i);
        out[i] = sarrus_value_read(reader, item, fallback != NULL ? fallback[i] : 0, SARRUS_RULE_ANY);
        sarrus_path_pop(reader, n_path);
        item = item != NULL ? item->next : NULL;
    }
}

void sarrus_vector_read(sarrus_reader *reader, const sarrus_node *node, const double *fallback, sarrus_value_index *out) {
    if (reader->model->space == SARRUS_SPACE_SPATIAL) {
        sarrus_numbers_read(reader, node, 3, "a list of three numbers [x, y, z]", fallback, out);
    } else {
        sarrus_numbers_read(reader, node, 2, "a list of two numbers [x, y]", fallback, out);
    }
}

bool sarrus_reader_is_good_since(const sarrus_reader *reader, size_t n_findings) {
    return reader->findings.n_kept == n_findings && n_findings < SARRUS_FINDINGS_MAX && !reader->findings.is_out_of_memory;
}

void sarrus_direction_read(sarrus_reader *reader, const sarrus_node *node, sarrus_value_index *out) {
    const size_t n_before = reader->findings.n_kept;
    const bool is_spatial = reader->model->space == SARRUS_SPACE_SPATIAL;
    sarrus_vector_read(reader, node, NULL, out);
    bool is_zero = sarrus_reader_is_good_since(reader, n_before);
    for (int i = 0; is_zero && i < 2 + is_spatial; ++i) {
        is_zero = reader->model->values[out[i]].nominal == 0;
    }
    if (is_zero) {
        sarrus_reader_refuse(reader, node, "the direction is zero; expected a vector %s that is not",
                             is_spatial ? "[x, y, z]" : "[x, y]");
    }
}

/* Room for the nominal named parameters, and those of them that are there bound to the reader's expression. */
static void bind_parameter(sarrus_reader *reader, const sarrus_node *node, sarrus_value_index i_value) {
    if (i_value == SARRUS_NO_VALUE) {
        return;
    }
    reader->named[i_value] = reader->model->values[i_value].nominal;
    if (sarrus_names_add(&reader->parameter_names, node->key->text, i_value) == SARRUS_NO_MEMORY) {
        reader->findings.is_out_of_memory = true;
    }
    const sarrus_status status = sarrus_expression_bind(reader->expression, node->key->text, &reader->named[i_value]);
    reader->findings.is_out_of_memory = reader->findings.is_out_of_memory || status == SARRUS_NO_MEMORY;
    if (status == SARRUS_BAD_ARGUMENT) {
        sarrus_reader_refuse(reader, node->key, "'%s' cannot name a parameter; expected another name", node->key->text);
    }
}

void sarrus_parameters_read(sarrus_reader *reader, sarrus_node *node, void *object) {
    (void)object;
    if (node == NULL || sarrus_node_is_null(node)) {
        return;
    }
    if (node->kind != SARRUS_NODE_MAPPING) {
        sarrus_reader_refuse(reader, node, "'parameters' is %s; expected a mapping of names to numbers",
                             sarrus_node_kind_text(node));
        return;
    }
    reader->named = sarrus_reader_allocate(reader, node->n_children, sizeof *reader->named);
    if (reader->named == NULL) {
        return;
    }
    reader->is_in_parameters = true;
    for (const sarrus_node *child = node->first; child != NULL; child = child->next) {
        const char *fault = sarrus_expression_name_fault(child->key->text);
        if (fault == NULL && child->key->n_text > SARRUS_SHOWN_BYTES) {
            fault = "the name is too long; expected at most 64 characters";
        }
        if (fault != NULL) {
            sarrus_reader_refuse(reader, child->key, "%s", fault);
            continue;
        }
        const size_t n_path = sarrus_path_push(reader, child->key->text);
        bind_parameter(reader, child, sarrus_value_read(reader, child, 1.0, SARRUS_RULE_ANY));
        sarrus_path_pop(reader, n_path);
        reader->model->n_named = reader->model->n_values;
    }
    reader->is_in_parameters = false;
}

void sarrus_parameters_use_spread(sarrus_reader *reader) {
    const sarrus_model *model = reader->model;
    for (int i_named = model->n_named - 1; i_named >= 0; --i_named) { /* each depends on those before it only */
        if (model->values[i_named].is_used && model->values[i_named].expression != NULL) {
            mark_used(reader, model->values[i_named].expression);
        }
    }
}

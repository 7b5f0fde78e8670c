/* The list `forces`. */
#include "scenario/reader.h"

#include <stdlib.h>

static const sarrus_word force_types[] = {
#define SARRUS_FORCE(name, value, word, kernel, text) {word, value},
#include "sarrus/force.def"
};

static const sarrus_word frames[] = {{"inertial", SARRUS_FRAME_INERTIAL}, {"body", SARRUS_FRAME_BODY}};

enum { max_inputs = 1024 };

static const sarrus_key input_keys[] = {{.name = "input", .flags = SARRUS_KEY_IGNORED},
                                        {.name = "signal", .flags = SARRUS_KEY_IGNORED}};

static void read_input(sarrus_reader *reader, const sarrus_node *node, sarrus_source *out) {
    uint64_t k = 0;
    if (sarrus_count_read(reader, node, 0, max_inputs - 1, &k)) {
        *out = (sarrus_source){SARRUS_SOURCE_INPUT, (int32_t)k};
        if ((int)k >= reader->model->n_inputs) {
            reader->model->n_inputs = (int)k + 1;
        }
    }
}

/* A number, {signal: …} or {input: k}. */
static void read_source(sarrus_reader *reader, sarrus_node *node, sarrus_source *out) {
    if (node->kind != SARRUS_NODE_MAPPING) {
        *out = (sarrus_source){SARRUS_SOURCE_VALUE, sarrus_value_read(reader, node, 0, SARRUS_RULE_ANY)};
        return;
    }
    if (!sarrus_mapping_read(reader, node, "a value", input_keys, 2, NULL)) {
        return;
    }
    sarrus_node *signal = sarrus_node_child(node, "signal");
    const sarrus_node *input = sarrus_node_child(node, "input");
    if ((signal != NULL) == (input != NULL)) {
        sarrus_reader_refuse(
            reader, node, "a value that is neither a signal nor an input, or both; expected a number, {signal: ...} or {input: k}");
        return;
    }
    const size_t n_path = sarrus_path_push(reader, signal != NULL ? "signal" : "input");
    if (signal != NULL) {
        *out = (sarrus_source){SARRUS_SOURCE_SIGNAL, sarrus_signal_read(reader, signal, NULL)};
    } else {
        read_input(reader, input, out);
    }
    sarrus_path_pop(reader, n_path);
}

static void read_body(sarrus_reader *reader, sarrus_node *node, void *object) {
    sarrus_force *force = object;
    if (node != NULL && sarrus_body_reference_read(reader, node, &force->body[0]) && force->body[0] == SARRUS_GROUND) {
        sarrus_reader_refuse(reader, node, "a load on the ground moves nothing; expected the name of a body");
    }
}

/* As many sources as a vector has numbers. */
static void read_vector_value(sarrus_reader *reader, sarrus_node *node, void *object) {
    sarrus_force *force = object;
    const bool is_spatial = reader->model->space == SARRUS_SPACE_SPATIAL;
    if (node == NULL || !sarrus_list_check(reader, node, 2 + is_spatial,
                                           is_spatial ? "a list of three numbers, signals or inputs [x, y, z]"
                                                      : "a list of two numbers, signals or inputs [x, y]")) {
        return;
    }
    int i = 0;
    for (sarrus_node *item = node->first; item != NULL; item = item->next) {
        const size_t n_path = sarrus_path_push_index(reader, i);
        read_source(reader, item, &force->value[i]);
        sarrus_path_pop(reader, n_path);
        ++i;
    }
}

/* In the plane a torque is about its normal. */
static void read_torque_value(sarrus_reader *reader, sarrus_node *node, void *object) {
    sarrus_force *force = object;
    if (reader->model->space == SARRUS_SPACE_SPATIAL) {
        read_vector_value(reader, node, object);
    } else if (node != NULL) {
        read_source(reader, node, &force->value[0]);
    }
}

static void read_frame(sarrus_reader *reader, sarrus_node *node, void *object) {
    sarrus_force *force = object;
    int code = 0;
    if (node != NULL && sarrus_word_read(reader, node, "frame", frames, 2, &code)) {
        force->frame = (sarrus_frame)code;
    }
}

/* One end of a spring, [body, [x, y]]. */
static bool read_end(sarrus_reader *reader, sarrus_node *node, sarrus_force *force, int i_end) {
    const bool is_spatial = reader->model->space == SARRUS_SPACE_SPATIAL;
    if (!sarrus_list_check(reader, node, 2,
                           is_spatial ? "a body and a point in its frame [body, [x, y, z]]"
                                      : "a body and a point in its frame [body, [x, y]]")) {
        return false;
    }
    const size_t n_path = sarrus_path_push(reader, "1");
    sarrus_vector_read(reader, node->first->next, NULL, force->point[i_end]);
    sarrus_path_pop(reader, n_path);
    return sarrus_body_reference_read(reader, node->first, &force->body[i_end]);
}

static void read_between(sarrus_reader *reader, sarrus_node *node, void *object) {
    sarrus_force *force = object;
    const bool is_spatial = reader->model->space == SARRUS_SPACE_SPATIAL;
    if (node == NULL || !sarrus_list_check(reader, node, 2,
                                           is_spatial ? "two ends [[body, [x, y, z]], [body, [x, y, z]]]"
                                                      : "two ends [[body, [x, y]], [body, [x, y]]]")) {
        return;
    }
    bool is_good = true;
    sarrus_node *end = node->first;
    for (int i_end = 0; i_end < 2; ++i_end) {
        const size_t n_path = sarrus_path_push_index(reader, i_end);
        is_good = read_end(reader, end, force, i_end) && is_good;
        sarrus_path_pop(reader, n_path);
        end = end->next;
    }
    if (is_good && force->body[0] == force->body[1]) {
        sarrus_reader_refuse(reader, node, "a spring between a body and itself; expected two different bodies");
    }
}

static const sarrus_key spring_keys[] = {
    {.name = "name", .flags = SARRUS_KEY_IGNORED},
    {.name = "type", .flags = SARRUS_KEY_IGNORED},
    {.name = "between", .flags = SARRUS_KEY_REQUIRED, .read = read_between},
    {"stiffness", SARRUS_KEY_SCALAR, NULL, offsetof(sarrus_force, stiffness), 0, SARRUS_RULE_NOT_NEGATIVE},
    {"rest_length", SARRUS_KEY_SCALAR, NULL, offsetof(sarrus_force, rest_length), 0, SARRUS_RULE_NOT_NEGATIVE},
    {"damping", SARRUS_KEY_SCALAR, NULL, offsetof(sarrus_force, damping), 0, SARRUS_RULE_NOT_NEGATIVE},
};

static const sarrus_key torque_keys[] = {
    {.name = "name", .flags = SARRUS_KEY_IGNORED},
    {.name = "type", .flags = SARRUS_KEY_IGNORED},
    {.name = "body", .flags = SARRUS_KEY_REQUIRED, .read = read_body},
    {.name = "value", .flags = SARRUS_KEY_REQUIRED, .read = read_torque_value},
    {.name = "frame", .flags = SARRUS_KEY_SPATIAL, .read = read_frame},
};

static const sarrus_key point_keys[] = {
    {.name = "name", .flags = SARRUS_KEY_IGNORED},
    {.name = "type", .flags = SARRUS_KEY_IGNORED},
    {.name = "body", .flags = SARRUS_KEY_REQUIRED, .read = read_body},
    {"at", SARRUS_KEY_VECTOR, NULL, offsetof(sarrus_force, point), 0, SARRUS_RULE_ANY},
    {.name = "value", .flags = SARRUS_KEY_REQUIRED, .read = read_vector_value},
    {.name = "frame", .read = read_frame},
};

/* A force of the table that lacks its keys does not compile. */
static const struct {
    const char *title;
    const sarrus_key *keys;
    int n_keys;
} force_tables[] = {
#define SARRUS_FORCE(name, value, word, kernel, text)                                                                              \
    [value] = {"a " word, kernel##_keys, sizeof kernel##_keys / sizeof kernel##_keys[0]},
#include "sarrus/force.def"
};

/* A spring whose rest length was forgotten would pull its ends together; better to ask. */
static void check_spring(sarrus_reader *reader, const sarrus_node *node) {
    if (sarrus_node_child(node, "stiffness") != NULL && sarrus_node_child(node, "rest_length") == NULL) {
        sarrus_reader_refuse(reader, node, "a spring lacks the key 'rest_length'; expected it beside 'stiffness'");
    }
    if (sarrus_node_child(node, "stiffness") == NULL && sarrus_node_child(node, "damping") == NULL) {
        sarrus_reader_refuse(reader, node, "a spring with neither 'stiffness' nor 'damping'; expected at least one of them");
    }
}

static void read_force_by_type(sarrus_reader *reader, sarrus_node *node, sarrus_force *force) {
    const sarrus_node *type = sarrus_node_child(node, "type");
    int code = 0;
    if (node->kind != SARRUS_NODE_MAPPING) {
        sarrus_reader_refuse(reader, node, "a force is %s; expected a mapping with the keys 'name' and 'type'",
                             sarrus_node_kind_text(node));
        return;
    }
    if (type == NULL) {
        char words[SARRUS_WORDS_BYTES];
        sarrus_reader_refuse(reader, node, "a force lacks the key 'type'; expected one of %s",
                             sarrus_words_list(force_types, sizeof force_types / sizeof force_types[0], words));
        return;
    }
    const size_t n_path = sarrus_path_push(reader, "type");
    const bool has_type =
        sarrus_word_read(reader, type, "force type", force_types, sizeof force_types / sizeof force_types[0], &code);
    sarrus_path_pop(reader, n_path);
    if (!has_type) {
        return;
    }
    force->type = (sarrus_force_type)code;
    (void)sarrus_mapping_read(reader, node, force_tables[code].title, force_tables[code].keys, force_tables[code].n_keys, force);
    if (force->type == SARRUS_FORCE_SPRING) {
        check_spring(reader, node);
    }
}

static void read_force(sarrus_reader *reader, sarrus_node *node, int i_force) {
    sarrus_force *force = &reader->model->forces[i_force];
    force->place = sarrus_node_place(node);
    force->stiffness = SARRUS_NO_VALUE;
    force->rest_length = SARRUS_NO_VALUE;
    force->damping = SARRUS_NO_VALUE;
    for (int i = 0; i < 2; ++i) {
        force->body[i] = SARRUS_GROUND;
        sarrus_values_clear(force->point[i], 3);
    }
    for (int i = 0; i < 3; ++i) {
        force->value[i] = (sarrus_source){SARRUS_SOURCE_VALUE, SARRUS_NO_VALUE};
    }
    const size_t n_path = sarrus_item_name_read(reader, node, "a force", &reader->force_names, i_force, &force->name);
    read_force_by_type(reader, node, force);
    sarrus_path_pop(reader, n_path);
}

void sarrus_forces_read(sarrus_reader *reader, sarrus_node *node, void *object) {
    sarrus_model *model = object;
    if (node == NULL || sarrus_node_is_null(node) || !sarrus_list_check(reader, node, -1, "a list of forces")) {
        return;
    }
    model->forces = sarrus_reader_allocate(reader, node->n_children, sizeof *model->forces);
    for (sarrus_node *item = node->first; item != NULL && !reader->findings.is_out_of_memory; item = item->next) {
        model->n_forces += 1;
        read_force(reader, item, model->n_forces - 1);
    }
}

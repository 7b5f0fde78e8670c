/* The points and quantities of the mapping `output`. */
#include "scenario/output.h"

#include <string.h>

#include "model/quantity.h"
#include "scenario/suggest.h"

enum { most_quantities = 256 };

static const sarrus_word orders[] = {{"position", 0}, {"velocity", 1}, {"acceleration", 2}};

static void read_body(sarrus_reader *reader, sarrus_node *node, void *object) {
    sarrus_output_point *point = object;
    if (node != NULL && sarrus_body_reference_read(reader, node, &point->body) && point->body == SARRUS_GROUND) {
        sarrus_reader_refuse(reader, node, "a point of the ground is known already; expected the name of a body");
    }
}

static void read_orders(sarrus_reader *reader, sarrus_node *node, void *object) {
    sarrus_output_point *point = object;
    point->orders = 1U;
    if (node == NULL || !sarrus_list_check(reader, node, -1, "a list of position, velocity, acceleration")) {
        return;
    }
    point->orders = 0;
    for (const sarrus_node *item = node->first; item != NULL; item = item->next) {
        int code = 0;
        if (!sarrus_word_read(reader, item, "channel of a point", orders, sizeof orders / sizeof orders[0], &code)) {
            continue;
        }
        if ((point->orders & 1U << code) != 0) {
            sarrus_reader_refuse(reader, item, "the channel '%s' stands twice; expected each channel once", item->text);
        }
        point->orders |= 1U << code;
    }
}

static const sarrus_key point_keys[] = {
    {.name = "name", .flags = SARRUS_KEY_IGNORED},
    {.name = "body", .flags = SARRUS_KEY_REQUIRED, .read = read_body},
    {"at", SARRUS_KEY_VECTOR, NULL, offsetof(sarrus_output_point, at), 0, SARRUS_RULE_ANY},
    {.name = "channels", .read = read_orders},
};

static void read_point(sarrus_reader *reader, sarrus_node *node, int i_point) {
    sarrus_output_point *point = &reader->model->output.points[i_point];
    point->place = sarrus_node_place(node);
    point->body = 0;
    sarrus_values_clear(point->at, 3);
    const size_t n_path = sarrus_item_name_read(reader, node, "a point", &reader->point_names, i_point, &point->name);
    (void)sarrus_mapping_read(reader, node, "a point", point_keys, sizeof point_keys / sizeof point_keys[0], point);
    if (point->name != NULL && sarrus_names_find(&reader->body_names, point->name) >= 0) {
        sarrus_reader_refuse(reader, sarrus_node_child(node, "name"), "the name '%s' is that of a body; expected another name",
                             point->name);
    }
    sarrus_path_pop(reader, n_path);
}

void sarrus_points_read(sarrus_reader *reader, sarrus_node *node, void *object) {
    sarrus_model *model = object;
    if (node == NULL || sarrus_node_is_null(node) || !sarrus_list_check(reader, node, -1, "a list of points")) {
        return;
    }
    model->output.points = sarrus_reader_allocate(reader, node->n_children, sizeof *model->output.points);
    for (sarrus_node *item = node->first; item != NULL && !reader->findings.is_out_of_memory; item = item->next) {
        model->output.n_points += 1;
        read_point(reader, item, model->output.n_points - 1);
    }
}

/* A node of the same source at `position` bytes of a text. */
static sarrus_node text_place(const sarrus_node *node, size_t position) {
    sarrus_node place = *node;
    place.place.column += (node->is_plain ? 0 : 1) + (int)position;
    return place;
}

/* What may have been meant by the first part of a name. */
static void offer_names(sarrus_reader *reader, sarrus_suggestion *suggestion) {
    const sarrus_model *model = reader->model;
    const char *const words[] = {"t", "energy", "work", "joint", "drive"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; ++i) {
        sarrus_suggestion_offer(suggestion, words[i]);
    }
    for (int i = 0; sarrus_reduction_word(i) != NULL; ++i) {
        sarrus_suggestion_offer(suggestion, sarrus_reduction_word(i));
    }
    for (int i = sarrus_reader_candidates(reader, model->output.n_points) - 1; i >= 0; --i) {
        sarrus_suggestion_offer(suggestion, model->output.points[i].name);
    }
    for (int i = sarrus_reader_candidates(reader, model->n_bodies) - 1; i >= 0; --i) {
        sarrus_suggestion_offer(suggestion, model->bodies[i].name);
    }
    for (int i = sarrus_reader_candidates(reader, model->n_named) - 1; i >= 0; --i) {
        sarrus_suggestion_offer(suggestion, model->values[i].path + sizeof "parameters." - 1);
    }
}

static void report_unknown(sarrus_reader *reader, const sarrus_node *node, const sarrus_quantity_fault *fault) {
    const sarrus_node place = text_place(node, fault->position + fault->i_part);
    const char *part = node->text + fault->position + fault->i_part;
    size_t n = strcspn(part, ".");
    n = n < fault->n_token - fault->i_part ? n : fault->n_token - fault->i_part;
    char name[SARRUS_SHOWN_BYTES];
    n = n < sizeof name - 1 ? n : sizeof name - 1;
    memcpy(name, part, n);
    name[n] = '\0';
    if (fault->is_ambiguous) {
        sarrus_reader_refuse(reader, &place,
                             "'%s' in the quantity is that of the mechanism, and a named parameter; expected another name of the "
                             "parameter",
                             name);
        return;
    }
    if (fault->expected[0] != '\0') {
        sarrus_reader_refuse(reader, &place, "unknown part '%s' of '%.*s'; expected %s", name, (int)fault->n_token,
                             node->text + fault->position, fault->expected);
        return;
    }
    sarrus_suggestion suggestion = sarrus_suggestion_for(name);
    offer_names(reader, &suggestion);
    const char *close = sarrus_suggestion_close(&suggestion);
    if (close != NULL && strcmp(close, name) != 0) {
        sarrus_reader_refuse(reader, &place, "unknown name '%s' in the quantity; did you mean '%s'?", name, close);
    } else {
        sarrus_reader_refuse(reader, &place,
                             "unknown name '%s' in the quantity; expected t, energy, work, a named parameter, or with a part "
                             "behind a dot a body, a point, joint.NAME or drive.NAME",
                             name);
    }
}

static void read_quantity(sarrus_reader *reader, sarrus_quantities *quantities, sarrus_node *node, sarrus_quantity *out) {
    sarrus_quantity_fault fault;
    size_t n_name = 0;
    const char *name = sarrus_expression_next_word(node->key->text, &n_name);
    if (name != node->key->text || n_name != node->key->n_text) {
        sarrus_reader_refuse(reader, node->key,
                             "the name of a quantity is no word; expected a letter or '_', then letters, digits, '_'");
    }
    if (strcmp(node->key->text, "time") == 0) {
        sarrus_reader_refuse(reader, node->key,
                             "a quantity is called 'time', as the times of a result are; expected another name: readers of files "
                             "refuse one that stands twice");
    }
    if (node->kind != SARRUS_NODE_SCALAR || sarrus_node_is_null(node)) {
        sarrus_reader_refuse(reader, node, "the quantity '%s' is %s; expected an expression, as \"max(tip.x) - min(tip.x)\"",
                             node->key->text, sarrus_node_kind_text(node));
        return;
    }
    out->name = sarrus_reader_copy(reader, node->key->text);
    out->text = sarrus_reader_copy(reader, node->text);
    const sarrus_status status = sarrus_quantities_add(quantities, node->text, &fault);
    if (status == SARRUS_NO_MEMORY) {
        reader->findings.is_out_of_memory = true;
    } else if (status != SARRUS_OK && fault.is_unknown_name) {
        report_unknown(reader, node, &fault);
    } else if (status != SARRUS_OK) {
        const sarrus_node place = text_place(node, fault.position);
        sarrus_reader_refuse(reader, &place, "in the quantity '%s': %s", node->key->text, fault.message);
    }
}

/* A named parameter that a quantity uses is used. */
static void mark_used(sarrus_model *model, const sarrus_quantities *quantities) {
    for (int i = 0; i < sarrus_quantities_n_terms(quantities); ++i) {
        const sarrus_term *term = sarrus_quantities_term(quantities, i);
        if (term->kind == SARRUS_TERM_VALUE) {
            model->values[term->value].is_used = true;
        }
    }
}

void sarrus_quantities_read(sarrus_reader *reader, sarrus_node *node, void *object) {
    sarrus_model *model = object;
    if (node == NULL || sarrus_node_is_null(node)) {
        return;
    }
    if (node->kind != SARRUS_NODE_MAPPING) {
        sarrus_reader_refuse(reader, node, "'%s' is %s; expected a mapping of names and expressions", reader->path,
                             sarrus_node_kind_text(node));
        return;
    }
    if (node->n_children > most_quantities) {
        sarrus_reader_refuse(reader, node, "%d quantities; expected at most %d", node->n_children, most_quantities);
        return;
    }
    model->output.quantities = sarrus_reader_allocate(reader, node->n_children, sizeof *model->output.quantities);
    sarrus_quantities *quantities = sarrus_quantities_create(model);
    if (quantities == NULL) {
        reader->findings.is_out_of_memory = true;
    }
    for (sarrus_node *item = node->first; item != NULL && !reader->findings.is_out_of_memory; item = item->next) {
        model->output.n_quantities += 1;
        read_quantity(reader, quantities, item, &model->output.quantities[model->output.n_quantities - 1]);
    }
    if (quantities != NULL) {
        mark_used(model, quantities);
    }
    sarrus_quantities_destroy(quantities);
}

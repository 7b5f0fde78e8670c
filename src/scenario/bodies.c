/* The list `bodies`. */
#include "scenario/reader.h"

static const sarrus_key planar_keys[] = {
    {.name = "name", .flags = SARRUS_KEY_IGNORED},
    {"mass", SARRUS_KEY_REQUIRED | SARRUS_KEY_SCALAR, NULL, offsetof(sarrus_body, mass), 0, SARRUS_RULE_NOT_NEGATIVE},
    {"inertia", SARRUS_KEY_REQUIRED | SARRUS_KEY_SCALAR, NULL, offsetof(sarrus_body, inertia), 0, SARRUS_RULE_NOT_NEGATIVE},
    {"position", SARRUS_KEY_REQUIRED | SARRUS_KEY_VECTOR, NULL, offsetof(sarrus_body, position), 0, SARRUS_RULE_ANY},
    {"orientation", SARRUS_KEY_SCALAR, NULL, offsetof(sarrus_body, orientation), 0, SARRUS_RULE_ANY},
    {"velocity", SARRUS_KEY_VECTOR, NULL, offsetof(sarrus_body, velocity), 0, SARRUS_RULE_ANY},
    {"angular_velocity", SARRUS_KEY_SCALAR, NULL, offsetof(sarrus_body, angular_velocity), 0, SARRUS_RULE_ANY},
    {.name = "rotor", .flags = SARRUS_KEY_SPATIAL},
};

static void read_inertia(sarrus_reader *reader, sarrus_node *node, void *object) {
    sarrus_body *body = object;
    sarrus_inertia_read(reader, node, body->inertia);
}

static void read_orientation(sarrus_reader *reader, sarrus_node *node, void *object) {
    sarrus_body *body = object;
    sarrus_orientation_read(reader, node, &body->orientation_form, body->orientation);
}

static const sarrus_key spatial_keys[] = {
    {.name = "name", .flags = SARRUS_KEY_IGNORED},
    {"mass", SARRUS_KEY_REQUIRED | SARRUS_KEY_SCALAR, NULL, offsetof(sarrus_body, mass), 0, SARRUS_RULE_NOT_NEGATIVE},
    {.name = "inertia", .flags = SARRUS_KEY_REQUIRED, .read = read_inertia},
    {"position", SARRUS_KEY_REQUIRED | SARRUS_KEY_VECTOR, NULL, offsetof(sarrus_body, position), 0, SARRUS_RULE_ANY},
    {.name = "orientation", .read = read_orientation},
    {"velocity", SARRUS_KEY_VECTOR, NULL, offsetof(sarrus_body, velocity), 0, SARRUS_RULE_ANY},
    {"angular_velocity", SARRUS_KEY_VECTOR, NULL, offsetof(sarrus_body, angular_velocity), 0, SARRUS_RULE_ANY},
    {"rotor", SARRUS_KEY_VECTOR, NULL, offsetof(sarrus_body, rotor), 0, SARRUS_RULE_ANY},
};

static void read_body(sarrus_reader *reader, sarrus_node *node, int i_body) {
    sarrus_body *body = &reader->model->bodies[i_body];
    body->place = sarrus_node_place(node);
    body->mass = SARRUS_NO_VALUE;
    sarrus_values_clear(body->inertia, 6);
    sarrus_values_clear(body->position, 3);
    sarrus_values_clear(body->orientation, SARRUS_MAX_ORIENTATION);
    sarrus_values_clear(body->rotor, 3);
    sarrus_values_clear(body->velocity, 3);
    sarrus_values_clear(body->angular_velocity, 3);
    const size_t n_path = sarrus_item_name_read(reader, node, "a body", &reader->body_names, i_body, &body->name);
    if (reader->model->space == SARRUS_SPACE_SPATIAL) {
        (void)sarrus_mapping_read(reader, node, "a body", spatial_keys, sizeof spatial_keys / sizeof spatial_keys[0], body);
    } else {
        (void)sarrus_mapping_read(reader, node, "a body", planar_keys, sizeof planar_keys / sizeof planar_keys[0], body);
    }
    sarrus_path_pop(reader, n_path);
}

void sarrus_bodies_read(sarrus_reader *reader, sarrus_node *node, void *object) {
    sarrus_model *model = object;
    if (node == NULL || !sarrus_list_check(reader, node, -1, "a list of bodies")) {
        return;
    }
    if (node->n_children == 0) {
        sarrus_reader_refuse(reader, node, "there is no body in 'bodies'; expected at least one");
        return;
    }
    model->bodies = sarrus_reader_allocate(reader, node->n_children, sizeof *model->bodies);
    for (sarrus_node *item = node->first; item != NULL && !reader->findings.is_out_of_memory; item = item->next) {
        model->n_bodies += 1;
        read_body(reader, item, model->n_bodies - 1);
    }
}

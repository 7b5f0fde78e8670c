#include "scenario/nonholonomic.h"

static const sarrus_word kinds[] = {
    {"knife_edge", SARRUS_SLIP_KNIFE_EDGE},
    {"rolling", SARRUS_SLIP_ROLLING},
    {"linear", SARRUS_SLIP_LINEAR},
};
enum { N_KINDS = sizeof kinds / sizeof kinds[0] };

/* The keys that some kinds have, by which: must be there, or may. */
static const struct {
    const char *name;
    unsigned needed, allowed; /* bits of kinds */
} keys[] = {
    {"across", 1U << SARRUS_SLIP_KNIFE_EDGE, 1U << SARRUS_SLIP_KNIFE_EDGE},
    {"along", 0, 1U << SARRUS_SLIP_LINEAR},
    {"about", 0, 1U << SARRUS_SLIP_LINEAR},
    {"speed", 0, 1U << SARRUS_SLIP_KNIFE_EDGE | 1U << SARRUS_SLIP_LINEAR},
    {"plane", 1U << SARRUS_SLIP_ROLLING, 1U << SARRUS_SLIP_ROLLING},
    {"radius", 1U << SARRUS_SLIP_ROLLING, 1U << SARRUS_SLIP_ROLLING},
    {"axis", 0, 1U << SARRUS_SLIP_ROLLING},
};

void sarrus_slip_begin(sarrus_slip_numbers *slip) {
    sarrus_values_clear(slip->along, 3);
    sarrus_values_clear(slip->about, 3);
    sarrus_values_clear(slip->plane, 3);
    sarrus_values_clear(slip->normal, 3);
    sarrus_values_clear(slip->axis, 3);
    slip->radius = SARRUS_NO_VALUE;
    slip->speed = -1;
}

static sarrus_slip_numbers *numbers_of(void *object) {
    return &((sarrus_constraint *)object)->slip;
}

void sarrus_slip_kind_read(sarrus_reader *reader, sarrus_node *node, void *object) {
    int code = 0;
    if (node == NULL || !sarrus_word_read(reader, node, "kind of a nonholonomic constraint", kinds, N_KINDS, &code)) {
        return;
    }
    ((sarrus_constraint *)object)->slip_kind = (sarrus_slip)code;
    if (code == SARRUS_SLIP_ROLLING && reader->model->space != SARRUS_SPACE_SPATIAL) {
        sarrus_reader_refuse(reader, node,
                             "what rolls in the plane turns by its way, which is a rack; expected a constraint of type 'gear' "
                             "between its two joints, or kind 'knife_edge' or 'linear'");
    }
}

void sarrus_slip_across_read(sarrus_reader *reader, sarrus_node *node, void *object) {
    if (node != NULL) {
        sarrus_direction_read(reader, node, numbers_of(object)->along);
    }
}

void sarrus_slip_along_read(sarrus_reader *reader, sarrus_node *node, void *object) {
    if (node != NULL) {
        sarrus_vector_read(reader, node, NULL, numbers_of(object)->along);
    }
}

void sarrus_slip_about_read(sarrus_reader *reader, sarrus_node *node, void *object) {
    if (node == NULL) {
        return;
    }
    if (reader->model->space == SARRUS_SPACE_SPATIAL) {
        sarrus_vector_read(reader, node, NULL, numbers_of(object)->about);
    } else {
        numbers_of(object)->about[0] = sarrus_value_read(reader, node, 0, SARRUS_RULE_ANY);
    }
}

void sarrus_slip_speed_read(sarrus_reader *reader, sarrus_node *node, void *object) {
    static const sarrus_key signal_keys[] = {{.name = "signal", .flags = SARRUS_KEY_REQUIRED | SARRUS_KEY_IGNORED}};
    static const char what[] = "the speed of a nonholonomic constraint";
    if (node == NULL) {
        return;
    }
    if (node->kind != SARRUS_NODE_MAPPING) {
        numbers_of(object)->speed = sarrus_signal_read(reader, node, what);
        return;
    }
    sarrus_node *signal = sarrus_node_child(node, "signal");
    if (signal == NULL) {
        sarrus_reader_refuse(reader, node, "%s lacks the key 'signal'; expected a number in m/s or {signal: …}", what);
        return;
    }
    if (sarrus_mapping_read(reader, node, what, signal_keys, 1, NULL)) {
        const size_t n_path = sarrus_path_push(reader, "signal");
        numbers_of(object)->speed = sarrus_signal_read(reader, signal, what);
        sarrus_path_pop(reader, n_path);
    }
}

static void read_normal(sarrus_reader *reader, sarrus_node *node, void *object) {
    if (node != NULL) {
        sarrus_direction_read(reader, node, ((sarrus_slip_numbers *)object)->normal);
    }
}

void sarrus_slip_plane_read(sarrus_reader *reader, sarrus_node *node, void *object) {
    static const sarrus_key plane_keys[] = {
        {.name = "point", .flags = SARRUS_KEY_VECTOR, .offset = offsetof(sarrus_slip_numbers, plane)},
        {.name = "normal", .flags = SARRUS_KEY_REQUIRED, .read = read_normal},
    };
    if (node != NULL) {
        (void)sarrus_mapping_read(reader, node, "the plane that a body rolls on", plane_keys, 2, numbers_of(object));
    }
}

void sarrus_slip_radius_read(sarrus_reader *reader, sarrus_node *node, void *object) {
    if (node != NULL) {
        numbers_of(object)->radius = sarrus_value_read(reader, node, 1, SARRUS_RULE_POSITIVE);
    }
}

void sarrus_slip_axis_read(sarrus_reader *reader, sarrus_node *node, void *object) {
    if (node != NULL) {
        sarrus_direction_read(reader, node, numbers_of(object)->axis);
    }
}

/* Whether a linear relation has a coefficient that is not 0. */
static bool says_something(const sarrus_reader *reader, const sarrus_slip_numbers *slip) {
    bool says = false;
    for (int k = 0; k < 6; ++k) {
        const sarrus_value_index i = k < 3 ? slip->along[k] : slip->about[k - 3];
        says = says || (i != SARRUS_NO_VALUE && reader->model->values[i].nominal != 0.0);
    }
    return says;
}

void sarrus_slip_check(sarrus_reader *reader, const sarrus_node *node, const sarrus_constraint *constraint) {
    const unsigned kind = 1U << constraint->slip_kind;
    if (constraint->slip_kind == SARRUS_SLIP_NONE ||
        (constraint->slip_kind == SARRUS_SLIP_ROLLING && reader->model->space != SARRUS_SPACE_SPATIAL)) {
        return; /* that is said already */
    }
    const char *word = kinds[constraint->slip_kind - SARRUS_SLIP_KNIFE_EDGE].text;
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; ++i) {
        const sarrus_node *value = sarrus_node_child(node, keys[i].name);
        if (value != NULL && (keys[i].allowed & kind) == 0) {
            sarrus_reader_refuse(reader, value, "'%s' in a nonholonomic constraint of kind '%s'; expected no such key",
                                 keys[i].name, word);
        }
        if (value == NULL && (keys[i].needed & kind) != 0) {
            sarrus_reader_refuse(reader, node, "a nonholonomic constraint of kind '%s' lacks the key '%s'; expected it", word,
                                 keys[i].name);
        }
    }
    if (constraint->slip_kind == SARRUS_SLIP_LINEAR && !says_something(reader, &constraint->slip)) {
        sarrus_reader_refuse(reader, node,
                             "a nonholonomic constraint of kind 'linear' holds nothing; expected 'along' or 'about' that is not 0");
    }
}

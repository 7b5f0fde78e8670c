/* The motion of ground. */
#include "scenario/reader.h"

static const sarrus_key signal_keys[] = {{.name = "signal", .flags = SARRUS_KEY_REQUIRED | SARRUS_KEY_IGNORED}};

/* Of the component whose place among the signals is `k`. */
static void read_component(sarrus_reader *reader, sarrus_node *node, int k) {
    if (node == NULL) {
        return;
    }
    sarrus_node *signal = node->kind == SARRUS_NODE_MAPPING ? sarrus_node_child(node, "signal") : NULL;
    if (node->kind == SARRUS_NODE_MAPPING && signal == NULL) {
        sarrus_reader_refuse(reader, node,
                             "a component of the motion of ground lacks the key 'signal'; expected the coordinate over time, as "
                             "{signal: {sine: {amplitude: 0.1, frequency: 2}}}");
        return;
    }
    if (!sarrus_mapping_read(reader, node, "a component of the motion of ground", signal_keys, 1, NULL)) {
        return;
    }
    const size_t n_path = sarrus_path_push(reader, "signal");
    reader->model->ground.signal[k] = sarrus_signal_read(reader, signal, "the motion of ground");
    sarrus_path_pop(reader, n_path);
}

static void read_x(sarrus_reader *reader, sarrus_node *node, void *object) {
    (void)object;
    read_component(reader, node, 0);
}

static void read_y(sarrus_reader *reader, sarrus_node *node, void *object) {
    (void)object;
    read_component(reader, node, 1);
}

static void read_z(sarrus_reader *reader, sarrus_node *node, void *object) {
    (void)object;
    read_component(reader, node, 2);
}

static void read_angle(sarrus_reader *reader, sarrus_node *node, void *object) {
    (void)object;
    read_component(reader, node, reader->model->space == SARRUS_SPACE_SPATIAL ? 3 : 2);
}

static void read_about(sarrus_reader *reader, sarrus_node *node, void *object) {
    static const double origin[3] = {0, 0, 0};
    sarrus_ground_motion *ground = object;
    sarrus_vector_read(reader, node, origin, ground->about);
}

static void read_axis(sarrus_reader *reader, sarrus_node *node, void *object) {
    sarrus_ground_motion *ground = object;
    if (node != NULL) {
        sarrus_direction_read(reader, node, ground->axis);
    }
}

static const sarrus_key motion_keys[] = {
    {.name = "x", .read = read_x},
    {.name = "y", .read = read_y},
    {.name = "z", .flags = SARRUS_KEY_SPATIAL, .read = read_z},
    {.name = "angle", .read = read_angle},
    {.name = "axis", .flags = SARRUS_KEY_SPATIAL, .read = read_axis},
    {.name = "about", .read = read_about},
};

/* What depends on several keys. */
static void check_motion(sarrus_reader *reader, const sarrus_node *node) {
    static const char *const components[] = {"x", "y", "z", "angle"};
    const bool is_spatial = reader->model->space == SARRUS_SPACE_SPATIAL;
    const sarrus_node *angle = sarrus_node_child(node, "angle"), *axis = sarrus_node_child(node, "axis");
    const sarrus_node *about = sarrus_node_child(node, "about");
    int n_components = 0;
    for (int k = 0; k < 4; ++k) {
        n_components += sarrus_node_child(node, components[k]) != NULL;
    }
    if (n_components == 0) {
        sarrus_reader_refuse(reader, node, "the motion of ground says nothing; expected one or more of %s",
                             is_spatial ? "x, y, z, angle" : "x, y, angle");
    } else if (is_spatial && angle != NULL && axis == NULL) {
        sarrus_reader_refuse(reader, angle->key, "ground turns about no axis; expected the key 'axis' beside 'angle'");
    } else if (angle == NULL && (about != NULL || (is_spatial && axis != NULL))) {
        const sarrus_node *idle = about != NULL ? about : axis;
        sarrus_reader_refuse(reader, idle->key,
                             "'%s' in the motion of a ground that does not turn; expected it beside 'angle' only", idle->key->text);
    }
}

static void read_motion(sarrus_reader *reader, sarrus_node *node, void *object) {
    sarrus_ground_motion *ground = object;
    if (node == NULL) {
        return;
    }
    const int n_keys = sizeof motion_keys / sizeof motion_keys[0];
    ground->is_given = true;
    ground->place = sarrus_node_place(node);
    if (sarrus_mapping_read(reader, node, "the motion of ground", motion_keys, n_keys, ground)) {
        check_motion(reader, node);
    }
}

static const sarrus_key ground_keys[] = {{.name = "motion", .flags = SARRUS_KEY_REQUIRED, .read = read_motion}};

void sarrus_ground_read(sarrus_reader *reader, sarrus_node *node, void *object) {
    sarrus_model *model = object;
    if (node != NULL && !sarrus_node_is_null(node)) {
        (void)sarrus_mapping_read(reader, node, "ground", ground_keys, 1, &model->ground);
    }
}

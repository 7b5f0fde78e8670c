/* The list `joints`, and the joints of the plane. */
#include <stdio.h>

#include "scenario/joint_reading.h"
#include "scenario/reader.h"
#include "scenario/spatial_joints.h"

static const sarrus_word joint_types[] = {
#define SARRUS_JOINT(name, value, word, kernel, n_rows, row_0, row_1, row_2, label_0, label_1, label_2, free, needs, text)         \
    {word, value},
#include "sarrus/joint.def"
#define SARRUS_JOINT_TYPE(name, value, word, place) {word, SARRUS_WORD_ELSEWHERE},
#include "sarrus/joint.def"
};

/* Keys that only some types have. */
static const struct {
    const char *key;
    unsigned types;      /* those that have it */
    unsigned types_else; /* those that it says nothing new of */
} type_rules[] = {
    {"axis", SARRUS_JOINTS_WITH_AXIS, SARRUS_JOINTS_THAT_TURN},
    {"length", SARRUS_JOINTS_WITH_LENGTH, 0},
    {"stiffness", SARRUS_JOINTS_THAT_TURN | SARRUS_JOINTS_THAT_SLIDE, 0},
    {"damping", SARRUS_JOINTS_THAT_TURN | SARRUS_JOINTS_THAT_SLIDE, 0},
    {"rest", SARRUS_JOINTS_THAT_TURN | SARRUS_JOINTS_THAT_SLIDE, 0},
    {"rest_at", SARRUS_JOINTS_THAT_TURN | SARRUS_JOINTS_THAT_SLIDE, 0},
    {"drive", SARRUS_JOINTS_THAT_TURN | SARRUS_JOINTS_THAT_SLIDE, 0},
};

static bool is_among(const sarrus_joint_reading *reading, int types) {
    return reading->has_type && SARRUS_JOINT_AMONG(types, reading->joint.type);
}

/* "revolute and prismatic", the names of the types of a set. */
static const char *types_text(unsigned types, char text[128]) {
    size_t n = 0;
    unsigned left = types;
    for (int type = 0; type < SARRUS_N_PLANAR_JOINT_TYPES; ++type) {
        if (!SARRUS_JOINT_AMONG(types, type))
            continue;
        left &= ~(1U << type);
        const char *between = n == 0 ? "" : left == 0 ? " and " : ", ";
        n += (size_t)snprintf(text + n, 128 - n, "%s%s", between, joint_types[type].text);
        n = n < 127 ? n : 127;
    }
    return text;
}

static void read_type(sarrus_reader *reader, sarrus_node *node, void *object) {
    sarrus_joint_reading *reading = object;
    int code = 0;
    if (node != NULL &&
        sarrus_word_read(reader, node, "joint type", joint_types, sizeof joint_types / sizeof joint_types[0], &code)) {
        reading->joint.type = (sarrus_joint_type)code;
        reading->has_type = true;
    }
}

static void read_at(sarrus_reader *reader, sarrus_node *node, void *object) {
    sarrus_joint_reading *reading = object;
    if (node != NULL && reading->has_type) {
        sarrus_joint_at_read(reader, node, is_among(reading, SARRUS_JOINTS_WITH_LENGTH), &reading->joint);
    }
}

/* A revolute joint may name the axis that it has in the plane anyway. */
static void read_plane_normal(sarrus_reader *reader, const sarrus_node *node) {
    static const double expected[3] = {0, 0, 1};
    if (!sarrus_list_check(reader, node, 3, "[0, 0, 1]")) {
        return;
    }
    const sarrus_node *item = node->first;
    for (int i = 0; i < 3; ++i) {
        double number = 0;
        if (sarrus_number_read(reader, item, SARRUS_RULE_ANY, &number, NULL) && number != expected[i]) {
            sarrus_reader_refuse(reader, item, "the axis of a revolute joint is not along the plane's normal; expected [0, 0, 1]");
            return;
        }
        item = item->next;
    }
}

static void read_axis(sarrus_reader *reader, sarrus_node *node, void *object) {
    sarrus_joint_reading *reading = object;
    sarrus_value_index *axis = reading->joint.axis[0];
    if (node != NULL && is_among(reading, SARRUS_JOINTS_THAT_TURN)) {
        read_plane_normal(reader, node);
    }
    if (node == NULL || !is_among(reading, SARRUS_JOINTS_WITH_AXIS)) {
        return;
    }
    sarrus_direction_read(reader, node, axis);
}

static void read_length(sarrus_reader *reader, sarrus_node *node, void *object) {
    sarrus_joint_reading *reading = object;
    if (node != NULL && is_among(reading, SARRUS_JOINTS_WITH_LENGTH)) {
        reading->joint.length = sarrus_value_read(reader, node, 1, SARRUS_RULE_POSITIVE);
    }
}

static void read_drive(sarrus_reader *reader, sarrus_node *node, void *object) {
    sarrus_joint_reading *reading = object;
    if (node != NULL) {
        reading->joint.drive[0] = sarrus_joint_drive_read(reader, node);
    }
}

static const sarrus_key joint_keys[] = {
    {.name = "name", .flags = SARRUS_KEY_IGNORED},
    {.name = "type", .flags = SARRUS_KEY_REQUIRED, .read = read_type},
    {.name = "bodies", .flags = SARRUS_KEY_REQUIRED, .read = sarrus_joint_bodies_read},
    {.name = "at", .read = read_at},
    {.name = "points", .read = sarrus_joint_points_read},
    {.name = "axis", .read = read_axis},
    {.name = "axes", .flags = SARRUS_KEY_SPATIAL},
    {.name = "pitch", .flags = SARRUS_KEY_SPATIAL},
    {.name = "constrain", .flags = SARRUS_KEY_SPATIAL},
    {.name = "frame", .flags = SARRUS_KEY_SPATIAL},
    {.name = "length", .read = read_length},
    {"stiffness", SARRUS_KEY_SCALAR, NULL, offsetof(sarrus_joint_reading, joint.stiffness), 0, SARRUS_RULE_NOT_NEGATIVE},
    {"damping", SARRUS_KEY_SCALAR, NULL, offsetof(sarrus_joint_reading, joint.damping), 0, SARRUS_RULE_NOT_NEGATIVE},
    {"rest", SARRUS_KEY_SCALAR, NULL, offsetof(sarrus_joint_reading, joint.rest), 0, SARRUS_RULE_ANY},
    {.name = "rest_at", .read = sarrus_joint_rest_at_read},
    {.name = "drive", .read = read_drive},
};

/* What depends on several keys. */
static void check_joint(sarrus_reader *reader, const sarrus_joint_reading *reading) {
    const sarrus_node *node = reading->node;
    sarrus_joint_place_check(reader, node);
    if (!reading->has_type) {
        return;
    }
    for (size_t i = 0; i < sizeof type_rules / sizeof type_rules[0]; ++i) {
        const sarrus_node *child = sarrus_node_child(node, type_rules[i].key);
        const unsigned types = type_rules[i].types;
        char names[128] = "";
        if (child != NULL && !SARRUS_JOINT_AMONG(types | type_rules[i].types_else, reading->joint.type)) {
            sarrus_reader_refuse(reader, child->key, "'%s' in a %s joint; expected it in %s joints only", type_rules[i].key,
                                 joint_types[reading->joint.type].text, types_text(types, names));
        }
    }
    if (is_among(reading, SARRUS_JOINTS_WITH_AXIS) && sarrus_node_child(node, "axis") == NULL) {
        sarrus_reader_refuse(reader, node, "a %s joint lacks the key 'axis'; expected a direction [x, y]",
                             joint_types[reading->joint.type].text);
    }
    sarrus_joint_rest_at_check(reader, reading, is_among(reading, SARRUS_JOINTS_THAT_SLIDE));
}

/* Springs, dampers and drives act along a free coordinate; joints without one keep the zeros of the table, unsampled. */
static void fix_unused(sarrus_reader *reader, const sarrus_joint *joint) {
    if (sarrus_joint_freedom(joint->type) != SARRUS_FREE_NONE) {
        return;
    }
    const sarrus_value_index unused[] = {joint->stiffness[0], joint->damping[0], joint->rest[0]};
    for (size_t i = 0; i < sizeof unused / sizeof unused[0]; ++i) {
        if (unused[i] != SARRUS_NO_VALUE) {
            reader->notes[unused[i]].fixed_because = "this joint has no free coordinate";
        }
    }
}

static void read_joint(sarrus_reader *reader, sarrus_node *node, int i_joint) {
    sarrus_joint_reading reading = sarrus_joint_reading_begin(node);
    sarrus_joint *joint = &reading.joint;
    const size_t n_path = sarrus_item_name_read(reader, node, "a joint", &reader->joint_names, i_joint, &joint->name);
    if (reader->model->space == SARRUS_SPACE_SPATIAL) {
        sarrus_spatial_joint_read(reader, &reading);
    } else if (sarrus_mapping_read(reader, node, "a joint", joint_keys, sizeof joint_keys / sizeof joint_keys[0], &reading)) {
        check_joint(reader, &reading);
        fix_unused(reader, joint);
    }
    sarrus_path_pop(reader, n_path);
    reader->model->joints[i_joint] = *joint;
}

void sarrus_joints_read(sarrus_reader *reader, sarrus_node *node, void *object) {
    sarrus_model *model = object;
    int n_rows = 0;
    if (node == NULL || sarrus_node_is_null(node) || !sarrus_list_check(reader, node, -1, "a list of joints")) {
        return;
    }
    model->joints = sarrus_reader_allocate(reader, node->n_children, sizeof *model->joints);
    for (sarrus_node *item = node->first; item != NULL && !reader->findings.is_out_of_memory; item = item->next) {
        model->n_joints += 1;
        read_joint(reader, item, model->n_joints - 1);
        n_rows += sarrus_joint_n_rows(model->space, &model->joints[model->n_joints - 1]);
    }
    if (n_rows > SARRUS_MAX_ROWS) {
        sarrus_reader_refuse(reader, node, "the joints have %d constraints, drives included; expected at most %d", n_rows,
                             SARRUS_MAX_ROWS);
    }
}

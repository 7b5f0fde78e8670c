#include "scenario/spatial_joints.h"

#include <math.h>
#include <stdio.h>

/* The axes of a universal joint may be off a right angle by so much. */
static const double right_angle_tolerance = 1e-6;

static const char directions_text[] = "two directions [[x, y, z], [x, y, z]]";
static const char held_text[] = "a list of what is held, of x, y, z, rx, ry, rz";

static const sarrus_word joint_types[] = {
#define SARRUS_SPATIAL_JOINT(name, value, word, ...) {word, value},
#include "sarrus/joint.def"
#define SARRUS_JOINT_TYPE(name, value, word, place) {word, SARRUS_WORD_ELSEWHERE},
#include "sarrus/joint.def"
};

/* What joint.def says of a type. */
static const struct {
    sarrus_joint_need needs;
    sarrus_freedom first, fourth; /* of its free coordinates */
} traits[SARRUS_N_JOINT_TYPES] = {
#define SARRUS_SPATIAL_JOINT(name, value, word, row_0, row_1, row_2, row_3, row_4, row_5, free_0, free_1, free_2, free_3, free_4,  \
                             free_5, needs, text)                                                                                  \
    [value] = {SARRUS_NEEDS_##needs, SARRUS_FREEDOM_##free_0, SARRUS_FREEDOM_##free_3},
#include "sarrus/joint.def"
};

static bool has_axis(sarrus_joint_type type) {
    return traits[type].needs == SARRUS_NEEDS_AXIS || traits[type].needs == SARRUS_NEEDS_PITCH;
}

static bool has_axes(sarrus_joint_type type) {
    return traits[type].needs == SARRUS_NEEDS_AXES;
}

static bool has_pitch(sarrus_joint_type type) {
    return traits[type].needs == SARRUS_NEEDS_PITCH;
}

static bool has_list(sarrus_joint_type type) {
    return traits[type].needs == SARRUS_NEEDS_LIST;
}

static bool has_frame(sarrus_joint_type type) {
    return traits[type].needs == SARRUS_NEEDS_LIST || traits[type].needs == SARRUS_NEEDS_FRAME;
}

static bool has_length(sarrus_joint_type type) {
    return traits[type].needs == SARRUS_NEEDS_LENGTH;
}

/* Nothing but springs and dampers. */
static bool is_elastic(sarrus_joint_type type) {
    return traits[type].fourth == SARRUS_FREEDOM_VECTOR_1;
}

static bool has_springs(sarrus_joint_type type) {
    return has_list(type) || traits[type].first != SARRUS_FREEDOM_NONE;
}

static bool has_drives(sarrus_joint_type type) {
    return has_springs(type) && !is_elastic(type) && traits[type].first != SARRUS_FREEDOM_BALL;
}

/* Keys that only some types have, and what those expect that cannot do without. */
static const struct {
    const char *key;
    bool (*is_of)(sarrus_joint_type type);
    bool (*is_needed_by)(sarrus_joint_type type); /* NULL: by none */
    const char *expected;
} type_rules[] = {
    {"axis", has_axis, has_axis, "a direction [x, y, z]"},
    {"axes", has_axes, has_axes, directions_text},
    {"pitch", has_pitch, has_pitch, "a number in m/rad"},
    {"constrain", has_list, has_list, held_text},
    {"frame", has_frame, NULL, ""},
    {"length", has_length, NULL, ""},
    {"stiffness", has_springs, is_elastic, "a list of six numbers"},
    {"damping", has_springs, NULL, ""},
    {"rest", has_drives, NULL, ""},
    {"rest_at", has_drives, NULL, ""},
    {"drive", has_drives, NULL, ""},
};

enum { TYPES_BYTES = 200 };

/* "revolute and prismatic", the names of the types that have a key. */
static const char *types_text(bool (*is_of)(sarrus_joint_type type), char text[TYPES_BYTES]) {
    int last = -1;
    size_t n = 0;
    for (int type = 0; type < SARRUS_N_JOINT_TYPES; ++type) {
        last = is_of((sarrus_joint_type)type) ? type : last;
    }
    text[0] = '\0';
    for (int type = 0; type <= last && n < TYPES_BYTES; ++type) {
        if (is_of((sarrus_joint_type)type)) {
            n += (size_t)snprintf(text + n, TYPES_BYTES - n, "%s%s",
                                  n == 0         ? ""
                                  : type == last ? " and "
                                                 : ", ",
                                  sarrus_joint_word((sarrus_joint_type)type));
        }
    }
    return text;
}

static bool has(const sarrus_joint_reading *reading, bool (*is_of)(sarrus_joint_type type)) {
    return reading->has_type && is_of(reading->joint.type);
}

static void read_type(sarrus_reader *reader, sarrus_node *node, void *object) {
    sarrus_joint_reading *reading = object;
    int code = 0;
    if (node != NULL &&
        sarrus_word_read(reader, node, "joint type", joint_types, sizeof joint_types / sizeof joint_types[0], &code)) {
        reading->joint.type = (sarrus_joint_type)code;
        reading->has_type = true;
        reading->has_freedoms = !has_list(reading->joint.type);
    }
}

static void read_at(sarrus_reader *reader, sarrus_node *node, void *object) {
    sarrus_joint_reading *reading = object;
    if (node != NULL && reading->has_type) {
        sarrus_joint_at_read(reader, node, has_length(reading->joint.type), &reading->joint);
    }
}

static void read_axis(sarrus_reader *reader, sarrus_node *node, void *object) {
    sarrus_joint_reading *reading = object;
    if (node != NULL && has(reading, has_axis)) {
        sarrus_direction_read(reader, node, reading->joint.axis[0]);
    }
}

static double cosine_between(const sarrus_value *values, const sarrus_value_index a[3], const sarrus_value_index b[3]) {
    double largest_a = 0, largest_b = 0, aa = 0, bb = 0, ab = 0;
    for (int i = 0; i < 3; ++i) {
        largest_a = fmax(largest_a, fabs(values[a[i]].nominal));
        largest_b = fmax(largest_b, fabs(values[b[i]].nominal));
    }
    for (int i = 0; i < 3; ++i) {
        const double x = values[a[i]].nominal / largest_a, y = values[b[i]].nominal / largest_b;
        aa += x * x;
        bb += y * y;
        ab += x * y;
    }
    return ab / sqrt(aa * bb);
}

static void read_axes(sarrus_reader *reader, sarrus_node *node, void *object) {
    sarrus_joint_reading *reading = object;
    const size_t n_before = reader->findings.n_kept;
    if (node == NULL || !has(reading, has_axes) || !sarrus_list_check(reader, node, 2, directions_text)) {
        return;
    }
    const sarrus_node *item = node->first;
    for (int i = 0; i < 2; ++i) {
        const size_t n_path = sarrus_path_push_index(reader, i);
        sarrus_direction_read(reader, item, reading->joint.axis[i]);
        sarrus_path_pop(reader, n_path);
        item = item->next;
    }
    if (!sarrus_reader_is_good_since(reader, n_before)) {
        return;
    }
    const double cosine = cosine_between(reader->model->values, reading->joint.axis[0], reading->joint.axis[1]);
    if (fabs(cosine) > right_angle_tolerance) {
        sarrus_reader_refuse(reader, node, "the cosine of the angle between the two axes is %.6g; expected a right angle (to 1e-6)",
                             cosine);
    }
}

static void read_pitch(sarrus_reader *reader, sarrus_node *node, void *object) {
    sarrus_joint_reading *reading = object;
    const size_t n_before = reader->findings.n_kept;
    if (node == NULL || !has(reading, has_pitch)) {
        return;
    }
    reading->joint.pitch = sarrus_value_read(reader, node, 1, SARRUS_RULE_ANY);
    if (sarrus_reader_is_good_since(reader, n_before) && reader->model->values[reading->joint.pitch].nominal == 0) {
        sarrus_reader_refuse(reader, node, "the pitch is 0; expected another number in m/rad (a revolute joint has none)");
    }
}

static void read_held(sarrus_reader *reader, sarrus_node *node, void *object) {
    static const sarrus_word directions[] = {{"x", 0}, {"y", 1}, {"z", 2}, {"rx", 3}, {"ry", 4}, {"rz", 5}};
    sarrus_joint_reading *reading = object;
    if (node == NULL || !has(reading, has_list) || !sarrus_list_check(reader, node, -1, held_text)) {
        return;
    }
    const size_t n_before = reader->findings.n_kept;
    for (const sarrus_node *item = node->first; item != NULL; item = item->next) {
        int code = 0;
        if (!sarrus_word_read(reader, item, "direction", directions, 6, &code)) {
            continue;
        }
        if (((reading->joint.held >> code) & 1U) != 0) {
            sarrus_reader_refuse(reader, item, "'%s' stands twice in '%s'; expected each direction once", item->text, reader->path);
        }
        reading->joint.held |= 1U << code;
    }
    reading->has_freedoms = sarrus_reader_is_good_since(reader, n_before);
}

static void read_frame(sarrus_reader *reader, sarrus_node *node, void *object) {
    sarrus_joint_reading *reading = object;
    if (node != NULL && has(reading, has_frame)) {
        sarrus_orientation_take(reader, node, &reading->joint.frame_form, reading->joint.frame);
    }
}

static void read_length(sarrus_reader *reader, sarrus_node *node, void *object) {
    sarrus_joint_reading *reading = object;
    if (node != NULL && has(reading, has_length)) {
        reading->joint.length = sarrus_value_read(reader, node, 1, SARRUS_RULE_POSITIVE);
    }
}

enum { FREEDOMS_BYTES = 300 };

/* How the numbers of the free coordinates of a joint are given. */
typedef struct entries {
    int n_all;                     /* free coordinates, the rotation vector as one */
    int n;                         /* those that have such a number */
    char expected[FREEDOMS_BYTES]; /* "a list of 2: displacement along axis 3, angle about axis 3" */
} entries;

/* Of springs and dampers, or of drives and where springs are relaxed, which a rotation vector has not. */
static entries entries_of(const sarrus_joint_reading *reading, bool is_for_drives) {
    sarrus_freedom freedoms[SARRUS_MAX_FREEDOMS];
    entries e = {.n_all = reading->has_freedoms ? sarrus_joint_freedoms(&reading->joint, freedoms) : 0};
    e.n = e.n_all;
    if (is_for_drives && e.n > 0) {
        e.n = is_elastic(reading->joint.type) ? 0 : e.n - (freedoms[e.n - 1] == SARRUS_FREEDOM_BALL);
    }
    size_t n_text = (size_t)snprintf(e.expected, sizeof e.expected, "a list of %d", e.n);
    for (int k = 0; k < e.n && n_text < sizeof e.expected; ++k) {
        n_text += (size_t)snprintf(e.expected + n_text, sizeof e.expected - n_text, "%s%s", k == 0 ? ": " : ", ",
                                   sarrus_freedom_text(freedoms[k]));
    }
    return e;
}

/* Numbers of free coordinates: one, or a list; zeros where nothing is said. */
static void read_entries(sarrus_reader *reader, const sarrus_node *node, const entries *e, sarrus_rule rule,
                         sarrus_value_index out[SARRUS_MAX_FREEDOMS]) {
    const bool is_single = e->n_all == 1 && (node == NULL || e->n == 0 || node->kind != SARRUS_NODE_SEQUENCE);
    const bool is_list = !is_single && e->n > 0 && node != NULL && sarrus_list_check(reader, node, e->n, e->expected);
    const sarrus_node *item = is_list ? node->first : NULL;
    for (int k = 0; k < e->n_all; ++k) {
        const size_t n_path = is_single ? reader->n_path : sarrus_path_push_index(reader, k);
        out[k] = sarrus_value_read(reader, is_single && e->n > 0 ? node : item, 0, rule);
        sarrus_path_pop(reader, n_path);
        item = item != NULL ? item->next : NULL;
        if (k >= e->n && out[k] != SARRUS_NO_VALUE) {
            reader->notes[out[k]].fixed_because = "this free coordinate is relaxed where it is 0";
        }
    }
}

static void read_stiffness(sarrus_reader *reader, sarrus_node *node, void *object) {
    sarrus_joint_reading *reading = object;
    const entries e = entries_of(reading, false);
    read_entries(reader, node, &e, SARRUS_RULE_NOT_NEGATIVE, reading->joint.stiffness);
}

static void read_damping(sarrus_reader *reader, sarrus_node *node, void *object) {
    sarrus_joint_reading *reading = object;
    const entries e = entries_of(reading, false);
    read_entries(reader, node, &e, SARRUS_RULE_NOT_NEGATIVE, reading->joint.damping);
}

static void read_rest(sarrus_reader *reader, sarrus_node *node, void *object) {
    sarrus_joint_reading *reading = object;
    const entries e = entries_of(reading, true);
    read_entries(reader, node, &e, SARRUS_RULE_ANY, reading->joint.rest);
}

static void read_drive(sarrus_reader *reader, sarrus_node *node, void *object) {
    sarrus_joint_reading *reading = object;
    const entries e = entries_of(reading, true);
    if (node == NULL || e.n == 0) {
        return;
    }
    if (e.n_all == 1 && node->kind != SARRUS_NODE_SEQUENCE) {
        reading->joint.drive[0] = sarrus_joint_drive_read(reader, node);
        return;
    }
    char expected[FREEDOMS_BYTES + 40];
    (void)snprintf(expected, sizeof expected, "%s; null for those that are free", e.expected);
    if (!sarrus_list_check(reader, node, e.n, expected)) {
        return;
    }
    sarrus_node *item = node->first;
    for (int k = 0; k < e.n; ++k) {
        const size_t n_path = sarrus_path_push_index(reader, k);
        reading->joint.drive[k] = sarrus_node_is_null(item) ? -1 : sarrus_joint_drive_read(reader, item);
        sarrus_path_pop(reader, n_path);
        item = item->next;
    }
}

/* In the order of decoding: the free coordinates follow from the type and from what is held. */
static const sarrus_key joint_keys[] = {
    {.name = "name", .flags = SARRUS_KEY_IGNORED},
    {.name = "type", .flags = SARRUS_KEY_REQUIRED, .read = read_type},
    {.name = "bodies", .flags = SARRUS_KEY_REQUIRED, .read = sarrus_joint_bodies_read},
    {.name = "at", .read = read_at},
    {.name = "points", .read = sarrus_joint_points_read},
    {.name = "axis", .read = read_axis},
    {.name = "axes", .read = read_axes},
    {.name = "pitch", .read = read_pitch},
    {.name = "constrain", .read = read_held},
    {.name = "frame", .read = read_frame},
    {.name = "length", .read = read_length},
    {.name = "stiffness", .read = read_stiffness},
    {.name = "damping", .read = read_damping},
    {.name = "rest", .read = read_rest},
    {.name = "rest_at", .read = sarrus_joint_rest_at_read},
    {.name = "drive", .read = read_drive},
};

/* A key of springs, dampers or drives in a general joint whose list leaves nothing that could have it. */
static void check_list(sarrus_reader *reader, const sarrus_joint_reading *reading) {
    static const char *const keys[] = {"stiffness", "damping", "rest", "rest_at", "drive"};
    for (int i = 0; reading->has_freedoms && i < 5; ++i) {
        const entries e = entries_of(reading, i >= 2);
        const sarrus_node *child = sarrus_node_child(reading->node, keys[i]);
        if (child != NULL && e.n == 0) {
            sarrus_reader_refuse(reader, child->key, "'%s' in a joint that leaves %s; expected no such key", keys[i],
                                 e.n_all == 0 ? "nothing free" : "a rotation vector free only");
        }
    }
}

/* What stays put of a coordinate whatever the given configuration is: nothing of an angle that two frames alone do not tell. */
static void check_rest_at(sarrus_reader *reader, const sarrus_joint_reading *reading) {
    const sarrus_node *child = sarrus_node_child(reading->node, "rest_at");
    sarrus_freedom freedoms[SARRUS_MAX_FREEDOMS];
    if (child == NULL || !reading->joint.rest_is_absolute || !reading->has_freedoms || !has_drives(reading->joint.type)) {
        return;
    }
    const int n = sarrus_joint_freedoms(&reading->joint, freedoms);
    bool slides = false;
    for (int k = 0; k < n; ++k) {
        slides = slides || !sarrus_freedom_turns(freedoms[k]);
        if (freedoms[k] >= SARRUS_FREEDOM_FIRST_1 && freedoms[k] <= SARRUS_FREEDOM_SCREW) {
            sarrus_reader_refuse(reader, child, "'absolute' in a joint with %s; expected it of %s, or 'given'",
                                 freedoms[k] == SARRUS_FREEDOM_SCREW ? "a thread, whose angle its displacement tells too"
                                                                     : "two angles, which the two frames do not tell apart",
                                 "displacements and of an angle about one axis");
            return;
        }
    }
    sarrus_joint_rest_at_check(reader, reading, slides);
}

/* What depends on several keys. */
static void check_joint(sarrus_reader *reader, const sarrus_joint_reading *reading) {
    const sarrus_joint_type type = reading->joint.type;
    sarrus_joint_place_check(reader, reading->node);
    if (!reading->has_type) {
        return;
    }
    for (size_t i = 0; i < sizeof type_rules / sizeof type_rules[0]; ++i) {
        const sarrus_node *child = sarrus_node_child(reading->node, type_rules[i].key);
        char names[TYPES_BYTES];
        if (child != NULL && !type_rules[i].is_of(type)) {
            sarrus_reader_refuse(reader, child->key, "'%s' in a %s joint; expected it in %s joints only", type_rules[i].key,
                                 sarrus_joint_word(type), types_text(type_rules[i].is_of, names));
        } else if (child == NULL && type_rules[i].is_needed_by != NULL && type_rules[i].is_needed_by(type)) {
            sarrus_reader_refuse(reader, reading->node, "a %s joint lacks the key '%s'; expected %s", sarrus_joint_word(type),
                                 type_rules[i].key, type_rules[i].expected);
        }
    }
    if (has_list(type)) {
        check_list(reader, reading);
    }
    check_rest_at(reader, reading);
}

void sarrus_spatial_joint_read(sarrus_reader *reader, sarrus_joint_reading *reading) {
    const int n_keys = sizeof joint_keys / sizeof joint_keys[0];
    if (sarrus_mapping_read(reader, reading->node, "a joint", joint_keys, n_keys, reading)) {
        check_joint(reader, reading);
    }
}

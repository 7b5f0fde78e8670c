#include "scenario/joint_reading.h"

#include <string.h>

#include "scenario/suggest.h"

sarrus_joint_reading sarrus_joint_reading_begin(sarrus_node *node) {
    sarrus_joint_reading reading = {
        .node = node, .joint = {.place = sarrus_node_place(node), .length = SARRUS_NO_VALUE, .pitch = SARRUS_NO_VALUE}};
    sarrus_joint *joint = &reading.joint;
    for (int i = 0; i < 2; ++i) {
        joint->body[i] = SARRUS_GROUND;
        sarrus_values_clear(joint->at[i], 3);
        sarrus_values_clear(joint->point[i], 3);
    }
    sarrus_values_clear(joint->axis[0], 3);
    sarrus_values_clear(joint->axis[1], 3);
    sarrus_values_clear(joint->frame, SARRUS_MAX_ORIENTATION);
    sarrus_values_clear(joint->stiffness, SARRUS_MAX_FREEDOMS);
    sarrus_values_clear(joint->damping, SARRUS_MAX_FREEDOMS);
    sarrus_values_clear(joint->rest, SARRUS_MAX_FREEDOMS);
    for (int k = 0; k < SARRUS_MAX_FREEDOMS; ++k) {
        joint->drive[k] = -1;
    }
    return reading;
}

void sarrus_joint_bodies_read(sarrus_reader *reader, sarrus_node *node, void *object) {
    sarrus_joint_reading *reading = object;
    int *body = reading->joint.body;
    if (node == NULL || !sarrus_list_check(reader, node, 2, "a list of two bodies [parent, child]")) {
        return;
    }
    const bool has_parent = sarrus_body_reference_read(reader, node->first, &body[0]);
    const bool has_child = sarrus_body_reference_read(reader, node->first->next, &body[1]);
    if (has_parent && has_child && body[0] == body[1]) {
        sarrus_reader_refuse(reader, node, "a joint between '%s' and itself; expected two different bodies", node->first->text);
    }
}

/* A list of two points. */
static void read_points(sarrus_reader *reader, sarrus_node *node, sarrus_value_index (*point)[3]) {
    if (!sarrus_list_check(reader, node, 2,
                           reader->model->space == SARRUS_SPACE_SPATIAL ? "two points [[x, y, z], [x, y, z]]"
                                                                        : "two points [[x, y], [x, y]]")) {
        return;
    }
    const sarrus_node *item = node->first;
    for (int i = 0; i < 2; ++i) {
        const size_t n_path = sarrus_path_push_index(reader, i);
        sarrus_vector_read(reader, item, NULL, point[i]);
        sarrus_path_pop(reader, n_path);
        item = item->next;
    }
}

void sarrus_joint_points_read(sarrus_reader *reader, sarrus_node *node, void *object) {
    sarrus_joint_reading *reading = object;
    if (node != NULL) {
        read_points(reader, node, reading->joint.point);
    }
}

void sarrus_joint_at_read(sarrus_reader *reader, sarrus_node *node, bool has_length, sarrus_joint *joint) {
    joint->has_at = true;
    if (has_length) {
        read_points(reader, node, joint->at);
        return;
    }
    sarrus_vector_read(reader, node, NULL, joint->at[0]);
    memcpy(joint->at[1], joint->at[0], sizeof joint->at[1]);
}

void sarrus_joint_place_check(sarrus_reader *reader, const sarrus_node *node) {
    const sarrus_node *at = sarrus_node_child(node, "at");
    const sarrus_node *points = sarrus_node_child(node, "points");
    if (at != NULL && points != NULL) {
        sarrus_reader_refuse(reader, at->place.line > points->place.line ? at->key : points->key,
                             "a joint with both 'at' and 'points'; expected exactly one of them");
    } else if (at == NULL && points == NULL) {
        sarrus_reader_refuse(reader, node, "a joint lacks its point; expected either 'at' or 'points'");
    }
}

void sarrus_joint_rest_at_read(sarrus_reader *reader, sarrus_node *node, void *object) {
    static const sarrus_word words[] = {{"given", 0}, {"absolute", 1}};
    sarrus_joint_reading *reading = object;
    int code = 0;
    if (node != NULL && sarrus_word_read(reader, node, "place that 'rest' counts from", words, 2, &code)) {
        reading->joint.rest_is_absolute = code == 1;
    }
}

void sarrus_joint_rest_at_check(sarrus_reader *reader, const sarrus_joint_reading *reading, bool slides) {
    const sarrus_node *child = sarrus_node_child(reading->node, "rest_at");
    if (child != NULL && slides && reading->joint.rest_is_absolute && reading->joint.has_at) {
        sarrus_reader_refuse(reader, child,
                             "'absolute' in a joint with 'at', whose two points are one at t = 0 in every instance; expected the "
                             "key 'points' in place of 'at', or 'given'");
    }
}

static const sarrus_key drive_keys[] = {{.name = "signal", .flags = SARRUS_KEY_REQUIRED | SARRUS_KEY_IGNORED}};

static bool is_misspelt_signal(const sarrus_node *node) {
    sarrus_suggestion suggestion = sarrus_suggestion_for(node->first != NULL ? node->first->key->text : "");
    sarrus_suggestion_offer(&suggestion, "signal");
    return sarrus_suggestion_close(&suggestion) != NULL;
}

/* A drive that says something else than a signal: whoever writes `speed` is told how a speed is said. */
static void refuse_drive(sarrus_reader *reader, const sarrus_node *node) {
    char shown[SARRUS_SHOWN_BYTES], number[SARRUS_SHOWN_BYTES];
    const sarrus_node *first = node->first;
    if (first == NULL) {
        sarrus_reader_refuse(
            reader, node, "a drive lacks the key 'signal'; expected the coordinate over time, as {signal: {polynomial: [0, 2]}}");
        return;
    }
    const bool is_number = first->kind == SARRUS_NODE_SCALAR && !sarrus_node_is_null(first);
    sarrus_reader_refuse(reader, first->key,
                         "unknown key '%s' in a drive; expected the key 'signal', the coordinate over time, as "
                         "{signal: {polynomial: [0, %s]}} for a constant speed of %s",
                         sarrus_node_shown(first->key, shown), is_number ? sarrus_node_shown(first, number) : "2",
                         is_number ? sarrus_node_shown(first, number) : "2");
}

int sarrus_joint_drive_read(sarrus_reader *reader, sarrus_node *node) {
    sarrus_node *signal = node->kind == SARRUS_NODE_MAPPING ? sarrus_node_child(node, "signal") : NULL;
    if (node->kind == SARRUS_NODE_MAPPING && signal == NULL && !is_misspelt_signal(node)) {
        refuse_drive(reader, node);
        return -1;
    }
    if (!sarrus_mapping_read(reader, node, "a drive", drive_keys, 1, NULL)) {
        return -1;
    }
    if (signal == NULL) {
        sarrus_reader_refuse(reader, node, "a drive lacks the key 'signal'; expected it");
        return -1;
    }
    const size_t n_path = sarrus_path_push(reader, "signal");
    const int i_signal = sarrus_signal_read(reader, signal, "the drive");
    sarrus_path_pop(reader, n_path);
    return i_signal;
}

/* The list `constraints`: what holds beside joints. */
#include "scenario/nonholonomic.h"
#include "scenario/reader.h"
#include "scenario/suggest.h"

static const sarrus_word constraint_types[] = {
#define SARRUS_CONSTRAINT(name, value, word, kernel, label, text) {word, value},
#include "sarrus/constraint.def"
};
enum { N_WORDS = sizeof constraint_types / sizeof constraint_types[0] };

/* A constraint while it is being read; numbers are put into `constraint`, which comes first. */
typedef struct constraint_reading {
    sarrus_constraint constraint;
    bool has_joints[2]; /* the joint of coordinate A, B is known and has one coordinate */
} constraint_reading;

static const char *joint_closest(sarrus_reader *reader, const sarrus_node *node) {
    sarrus_suggestion suggestion = sarrus_suggestion_for(node->text);
    const int n_candidates = sarrus_reader_candidates(reader, reader->model->n_joints);
    for (int i = 0; i < n_candidates; ++i) {
        sarrus_suggestion_offer(&suggestion, reader->model->joints[i].name);
    }
    return sarrus_suggestion_close(&suggestion);
}

/* The joint that `node` names, as coordinate k of the constraint. */
static void read_coordinate(sarrus_reader *reader, const sarrus_node *node, constraint_reading *reading, int k) {
    const sarrus_model *model = reader->model;
    char shown[SARRUS_SHOWN_BYTES];
    if (node->kind != SARRUS_NODE_SCALAR || sarrus_node_is_null(node)) {
        sarrus_reader_refuse(reader, node, "'%s' is %s; expected the name of a joint", reader->path, sarrus_node_kind_text(node));
        return;
    }
    const int i_joint = sarrus_names_find(&reader->joint_names, node->text);
    if (i_joint < 0) {
        const char *close = joint_closest(reader, node);
        sarrus_reader_refuse(reader, node, "no joint is called '%s'; %s%s%s", sarrus_node_shown(node, shown),
                             close != NULL ? "did you mean '" : "expected the name of one of the joints",
                             close != NULL ? close : "", close != NULL ? "'?" : "");
        return;
    }
    reading->constraint.of[k].joint = i_joint;
    reading->has_joints[k] = sarrus_joint_freedom(model->joints[i_joint].type) != SARRUS_FREE_NONE;
    if (!reading->has_joints[k]) {
        sarrus_reader_refuse(reader, node, "the %s joint '%s' has no free coordinate; expected a revolute, prismatic or slot joint",
                             sarrus_joint_word(model->joints[i_joint].type), sarrus_node_shown(node, shown));
    }
}

static void read_joints(sarrus_reader *reader, sarrus_node *node, void *object) {
    constraint_reading *reading = object;
    if (node == NULL || !sarrus_list_check(reader, node, 2, "a list of two joints [A, B], A following B")) {
        return;
    }
    read_coordinate(reader, node->first, reading, 0);
    read_coordinate(reader, node->first->next, reading, 1);
    const sarrus_coupled *of = reading->constraint.of;
    if (reading->has_joints[0] && reading->has_joints[1] && of[0].joint == of[1].joint) {
        sarrus_reader_refuse(reader, node, "a constraint between joint '%s' and itself; expected two different joints",
                             node->first->text);
    }
}

static void read_leader(sarrus_reader *reader, sarrus_node *node, void *object) {
    if (node != NULL) {
        read_coordinate(reader, node, object, 1);
    }
}

/* One point, [body, [x, y]]. */
static bool read_point(sarrus_reader *reader, sarrus_node *node, sarrus_coupled *out, int k) {
    if (!sarrus_list_check(reader, node, 2, "a body and a point in its frame [body, [x, y]]")) {
        return false;
    }
    const size_t n_path = sarrus_path_push(reader, "1");
    sarrus_vector_read(reader, node->first->next, NULL, out->point[k]);
    sarrus_path_pop(reader, n_path);
    return sarrus_body_reference_read(reader, node->first, &out->body[k]);
}

static void read_between(sarrus_reader *reader, sarrus_node *node, void *object) {
    constraint_reading *reading = object;
    sarrus_coupled *follower = &reading->constraint.of[0];
    if (node == NULL || !sarrus_list_check(reader, node, 2, "two points [[body, [x, y]], [body, [x, y]]]")) {
        return;
    }
    bool is_good = true;
    sarrus_node *item = node->first;
    for (int k = 0; k < 2; ++k) {
        const size_t n_path = sarrus_path_push_index(reader, k);
        is_good = read_point(reader, item, follower, k) && is_good;
        sarrus_path_pop(reader, n_path);
        item = item->next;
    }
    if (is_good && follower->body[0] == follower->body[1]) {
        sarrus_reader_refuse(reader, node, "a distance between two points of one body; expected two different bodies");
    }
}

/* The table of a cam. One whose ends agree goes round, and its last value is the first. */
static void read_table(sarrus_reader *reader, sarrus_node *node, void *object) {
    sarrus_constraint *constraint = object;
    sarrus_signal *table = &constraint->table;
    if (node == NULL || !sarrus_cam_table_read(reader, node, table)) {
        return;
    }
    const sarrus_value_index first = table->values[0], last = table->values[table->n_values - 1];
    const sarrus_value *values = reader->model->values;
    if (first == SARRUS_NO_VALUE || last == SARRUS_NO_VALUE) {
        return;
    }
    constraint->is_periodic = values[first].nominal == values[last].nominal;
    if (constraint->is_periodic) {
        reader->notes[last].fixed_because = "the table goes round: its last value is the first one";
    }
}

/* The two bodies of a curve, its own and that of the point, or of a constraint that does not slip. */
static void read_bodies(sarrus_reader *reader, sarrus_node *node, void *object) {
    sarrus_coupled *of = ((sarrus_constraint *)object)->of;
    if (node == NULL || !sarrus_list_check(reader, node, 2, "a list of two bodies [A, B], the second one that of the point")) {
        return;
    }
    const bool is_good = sarrus_body_reference_read(reader, node->first, &of->body[0]);
    if (sarrus_body_reference_read(reader, node->first->next, &of->body[1]) && is_good && of->body[0] == of->body[1]) {
        sarrus_reader_refuse(reader, node, "a constraint between a body and itself; expected two different bodies");
    }
}

/* The points that a curve goes through. */
static void read_points(sarrus_reader *reader, sarrus_node *node, void *object) {
    sarrus_constraint *constraint = object;
    if (node == NULL || !sarrus_list_check(reader, node, -1,
                                           reader->model->space == SARRUS_SPACE_SPATIAL ? "a list of points [[x, y, z], …]"
                                                                                        : "a list of points [[x, y], …]")) {
        return;
    }
    constraint->points = sarrus_reader_allocate(reader, node->n_children, sizeof *constraint->points);
    for (sarrus_node *item = node->first; constraint->points != NULL && item != NULL; item = item->next) {
        const size_t n_path = sarrus_path_push_index(reader, constraint->n_points);
        sarrus_value_index *const point = constraint->points[constraint->n_points++];
        const size_t n_before = reader->findings.n_kept;
        sarrus_values_clear(point, 3);
        sarrus_vector_read(reader, item, NULL, point);
        if (!sarrus_reader_is_good_since(reader, n_before))
            sarrus_values_clear(point, 3); /* nothing more is said of a point that was refused */
        sarrus_path_pop(reader, n_path);
    }
}

static void read_closed(sarrus_reader *reader, sarrus_node *node, void *object) {
    static const sarrus_word words[] = {{"true", 1}, {"false", 0}};
    int is_closed = 0;
    if (node != NULL && sarrus_word_read(reader, node, "value of 'closed'", words, 2, &is_closed)) {
        ((sarrus_constraint *)object)->is_periodic = is_closed;
    }
}

static const sarrus_key gear_keys[] = {
    {.name = "name", .flags = SARRUS_KEY_IGNORED},
    {.name = "type", .flags = SARRUS_KEY_IGNORED},
    {.name = "joints", .flags = SARRUS_KEY_REQUIRED, .read = read_joints},
    {"ratio", SARRUS_KEY_REQUIRED | SARRUS_KEY_SCALAR, NULL, offsetof(sarrus_constraint, ratio), 0, SARRUS_RULE_ANY},
    {"offset", SARRUS_KEY_SCALAR, NULL, offsetof(sarrus_constraint, offset), 0, SARRUS_RULE_ANY},
};

static const sarrus_key cam_keys[] = {
    {.name = "name", .flags = SARRUS_KEY_IGNORED}, {.name = "type", .flags = SARRUS_KEY_IGNORED},
    {.name = "joints", .read = read_joints},       {.name = "between", .read = read_between},
    {.name = "joint", .read = read_leader},        {.name = "table", .flags = SARRUS_KEY_REQUIRED, .read = read_table},
};

static const sarrus_key curve_keys[] = {
    {.name = "name", .flags = SARRUS_KEY_IGNORED},
    {.name = "type", .flags = SARRUS_KEY_IGNORED},
    {.name = "bodies", .flags = SARRUS_KEY_REQUIRED, .read = read_bodies},
    {.name = "points", .flags = SARRUS_KEY_REQUIRED, .read = read_points},
    {.name = "point", .flags = SARRUS_KEY_VECTOR, .offset = offsetof(sarrus_constraint, of[0].point[1])},
    {.name = "closed", .read = read_closed},
};

static const sarrus_key nonholonomic_keys[] = {
    {.name = "name", .flags = SARRUS_KEY_IGNORED},
    {.name = "type", .flags = SARRUS_KEY_IGNORED},
    {.name = "kind", .flags = SARRUS_KEY_REQUIRED, .read = sarrus_slip_kind_read},
    {.name = "bodies", .flags = SARRUS_KEY_REQUIRED, .read = read_bodies},
    {.name = "point", .flags = SARRUS_KEY_VECTOR, .offset = offsetof(sarrus_constraint, of[0].point[1])},
    {.name = "across", .read = sarrus_slip_across_read},
    {.name = "along", .read = sarrus_slip_along_read},
    {.name = "about", .read = sarrus_slip_about_read},
    {.name = "speed", .read = sarrus_slip_speed_read},
    {.name = "plane", .flags = SARRUS_KEY_SPATIAL, .read = sarrus_slip_plane_read},
    {.name = "radius", .flags = SARRUS_KEY_SPATIAL, .read = sarrus_slip_radius_read},
    {.name = "axis", .flags = SARRUS_KEY_SPATIAL, .read = sarrus_slip_axis_read},
};

/* A constraint of the table that lacks its keys does not compile. */
static const struct {
    const char *title;
    const sarrus_key *keys;
    int n_keys;
} constraint_tables[] = {
#define SARRUS_CONSTRAINT(name, value, word, kernel, label, text)                                                                  \
    [value] = {"a " word " constraint", kernel##_keys, sizeof kernel##_keys / sizeof kernel##_keys[0]},
#include "sarrus/constraint.def"
};

static bool slides(const sarrus_reader *reader, const sarrus_coupled *of) {
    return sarrus_joint_freedom(reader->model->joints[of->joint].type) == SARRUS_FREE_SHIFT;
}

/* A cam turns; what follows it slides, or is a distance. */
static void check_cam(sarrus_reader *reader, const sarrus_node *node, const constraint_reading *reading) {
    const sarrus_node *joints = sarrus_node_child(node, "joints"), *between = sarrus_node_child(node, "between");
    const sarrus_node *leader = sarrus_node_child(node, "joint");
    const sarrus_coupled *of = reading->constraint.of;
    if ((joints != NULL) == (between != NULL) || (leader != NULL) != (between != NULL)) {
        sarrus_reader_refuse(reader, node,
                             "a cam lacks its follower, or has two; expected either 'joints', or 'between' and 'joint'");
        return;
    }
    if (reading->has_joints[1] && slides(reader, &of[1])) {
        sarrus_reader_refuse(reader, joints != NULL ? joints : leader, "the cam does not turn; expected a revolute joint as %s",
                             joints != NULL ? "the second one" : "'joint'");
    }
    if (reading->has_joints[0] && !slides(reader, &of[0])) {
        sarrus_reader_refuse(reader, joints,
                             "the cam's follower does not slide; expected a prismatic or slot joint as the first one");
    }
}

/* Whether nominal points i and j of a curve are one; a number that could not be read has been refused. */
static bool points_are_one(const sarrus_reader *reader, const sarrus_constraint *constraint, int i, int j) {
    bool are_one = true;
    for (int k = 0; k < 2 + (reader->model->space == SARRUS_SPACE_SPATIAL); ++k) {
        const sarrus_value_index a = constraint->points[i][k], b = constraint->points[j][k];
        are_one = are_one && a != SARRUS_NO_VALUE && b != SARRUS_NO_VALUE &&
                  reader->model->values[a].nominal == reader->model->values[b].nominal;
    }
    return are_one;
}

static void check_curve(sarrus_reader *reader, const sarrus_node *node, const constraint_reading *reading) {
    const sarrus_constraint *constraint = &reading->constraint;
    const sarrus_node *points = sarrus_node_child(node, "points");
    const int n = constraint->n_points, n_least = constraint->is_periodic ? 3 : 2;
    if (constraint->points == NULL) {
        return;
    }
    if (n < n_least) {
        sarrus_reader_refuse(reader, points, "a curve through %d %s; expected at least %d of %s one", n,
                             n == 1 ? "point" : "points", n_least, constraint->is_periodic ? "a closed" : "an open");
        return;
    }
    const sarrus_node *item = points->first;
    for (int i = 0; i < n; ++i, item = item->next) {
        const bool is_last = i == n - 1;
        if ((!is_last || constraint->is_periodic) && points_are_one(reader, constraint, i, is_last ? 0 : i + 1)) {
            sarrus_reader_refuse(reader, item,
                                 is_last ? "the last point is the first one; expected each point of a closed curve once"
                                         : "this point is the next one too; expected points that differ");
        }
    }
}

static void read_by_type(sarrus_reader *reader, sarrus_node *node, constraint_reading *reading) {
    const sarrus_node *type = sarrus_node_child(node, "type");
    int code = 0;
    if (node->kind != SARRUS_NODE_MAPPING) {
        sarrus_reader_refuse(reader, node, "a constraint is %s; expected a mapping with the keys 'name' and 'type'",
                             sarrus_node_kind_text(node));
        return;
    }
    if (type == NULL) {
        char words[SARRUS_WORDS_BYTES];
        sarrus_reader_refuse(reader, node, "a constraint lacks the key 'type'; expected one of %s",
                             sarrus_words_list(constraint_types, N_WORDS, words));
        return;
    }
    const size_t n_path = sarrus_path_push(reader, "type");
    const bool has_type = sarrus_word_read(reader, type, "constraint type", constraint_types, N_WORDS, &code);
    sarrus_path_pop(reader, n_path);
    if (!has_type) {
        return;
    }
    reading->constraint.type = (sarrus_constraint_type)code;
    if (sarrus_constraint_couples((sarrus_constraint_type)code) && reader->model->space == SARRUS_SPACE_SPATIAL) {
        sarrus_reader_defer(reader, type,
                            "a constraint of type '%s' in space is of a later version; expected 'curve' or 'nonholonomic'",
                            sarrus_constraint_word((sarrus_constraint_type)code));
        return;
    }
    if (!sarrus_mapping_read(reader, node, constraint_tables[code].title, constraint_tables[code].keys,
                             constraint_tables[code].n_keys, reading)) {
        return;
    }
    if (code == SARRUS_CONSTRAINT_CAM) {
        check_cam(reader, node, reading);
    }
    if (code == SARRUS_CONSTRAINT_CURVE) {
        check_curve(reader, node, reading);
    }
    if (code == SARRUS_CONSTRAINT_NONHOLONOMIC) {
        sarrus_slip_check(reader, node, &reading->constraint);
    }
}

static void read_constraint(sarrus_reader *reader, sarrus_node *node, int i_constraint) {
    constraint_reading reading = {
        .constraint = {.place = sarrus_node_place(node), .ratio = SARRUS_NO_VALUE, .offset = SARRUS_NO_VALUE}};
    sarrus_constraint *constraint = &reading.constraint;
    sarrus_slip_begin(&constraint->slip);
    for (int k = 0; k < 2; ++k) {
        constraint->of[k] = (sarrus_coupled){.joint = -1, .body = {SARRUS_GROUND, SARRUS_GROUND}};
        sarrus_values_clear(constraint->of[k].point[0], 3);
        sarrus_values_clear(constraint->of[k].point[1], 3);
    }
    const size_t n_path =
        sarrus_item_name_read(reader, node, "a constraint", &reader->constraint_names, i_constraint, &constraint->name);
    read_by_type(reader, node, &reading);
    sarrus_path_pop(reader, n_path);
    reader->model->constraints[i_constraint] = *constraint;
}

void sarrus_constraints_read(sarrus_reader *reader, sarrus_node *node, void *object) {
    sarrus_model *model = object;
    if (node == NULL || sarrus_node_is_null(node) || !sarrus_list_check(reader, node, -1, "a list of constraints")) {
        return;
    }
    model->constraints = sarrus_reader_allocate(reader, node->n_children, sizeof *model->constraints);
    for (sarrus_node *item = node->first; item != NULL && !reader->findings.is_out_of_memory; item = item->next) {
        model->n_constraints += 1;
        read_constraint(reader, item, model->n_constraints - 1);
    }
    int n_rows = 0;
    for (int i = 0; i < model->n_joints; ++i) {
        n_rows += sarrus_joint_n_rows(model->space, &model->joints[i]);
    }
    for (int i = 0; i < model->n_constraints; ++i) {
        n_rows += sarrus_constraint_n_rows(model->space, &model->constraints[i]);
    }
    if (n_rows > SARRUS_MAX_ROWS) {
        sarrus_reader_refuse(reader, node, "joints and constraints have %d rows, drives included; expected at most %d", n_rows,
                             SARRUS_MAX_ROWS);
    }
}

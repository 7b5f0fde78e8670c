#include "model/quantity_term.h"

#include <stdio.h>
#include <string.h>

/* A word, not terminated. */
typedef struct word {
    const char *text;
    size_t n;
} word;

/* A component of something: its name, what it is cut from, and which number it is there. */
typedef struct part {
    const char *name;
    sarrus_observable observable; /* of a point: Q, V, ACCELERATION stand for position, velocity, acceleration */
    int component;
} part;

enum { MOST_PARTS = 12 };
/* Those that are no turns are a point's too. */
static const part body_parts[2][MOST_PARTS] = {
    [SARRUS_SPACE_PLANAR] = {{"x", SARRUS_OBSERVE_Q, 0},
                             {"y", SARRUS_OBSERVE_Q, 1},
                             {"angle", SARRUS_OBSERVE_Q, 2},
                             {"vx", SARRUS_OBSERVE_V, 0},
                             {"vy", SARRUS_OBSERVE_V, 1},
                             {"rate", SARRUS_OBSERVE_V, 2},
                             {"ax", SARRUS_OBSERVE_ACCELERATION, 0},
                             {"ay", SARRUS_OBSERVE_ACCELERATION, 1},
                             {"alpha", SARRUS_OBSERVE_ACCELERATION, 2}},
    [SARRUS_SPACE_SPATIAL] = {{"x", SARRUS_OBSERVE_Q, 0},
                              {"y", SARRUS_OBSERVE_Q, 1},
                              {"z", SARRUS_OBSERVE_Q, 2},
                              {"vx", SARRUS_OBSERVE_V, 0},
                              {"vy", SARRUS_OBSERVE_V, 1},
                              {"vz", SARRUS_OBSERVE_V, 2},
                              {"wx", SARRUS_OBSERVE_V, 3},
                              {"wy", SARRUS_OBSERVE_V, 4},
                              {"wz", SARRUS_OBSERVE_V, 5},
                              {"ax", SARRUS_OBSERVE_ACCELERATION, 0},
                              {"ay", SARRUS_OBSERVE_ACCELERATION, 1},
                              {"az", SARRUS_OBSERVE_ACCELERATION, 2}},
};
static const part joint_parts[2][MOST_PARTS] = {
    [SARRUS_SPACE_PLANAR] = {{"fx", SARRUS_OBSERVE_REACTIONS, 0},
                             {"fy", SARRUS_OBSERVE_REACTIONS, 1},
                             {"mz", SARRUS_OBSERVE_REACTIONS, 2},
                             {"coordinate", SARRUS_OBSERVE_JOINT_COORDINATES, 0},
                             {"speed", SARRUS_OBSERVE_JOINT_SPEEDS, 0}},
    [SARRUS_SPACE_SPATIAL] = {{"fx", SARRUS_OBSERVE_REACTIONS, 0},
                              {"fy", SARRUS_OBSERVE_REACTIONS, 1},
                              {"fz", SARRUS_OBSERVE_REACTIONS, 2},
                              {"mx", SARRUS_OBSERVE_REACTIONS, 3},
                              {"my", SARRUS_OBSERVE_REACTIONS, 4},
                              {"mz", SARRUS_OBSERVE_REACTIONS, 5},
                              {"coordinate", SARRUS_OBSERVE_JOINT_COORDINATES, 0},
                              {"speed", SARRUS_OBSERVE_JOINT_SPEEDS, 0}},
};

static bool is_word(word w, const char *text) {
    return strlen(text) == w.n && memcmp(w.text, text, w.n) == 0;
}

/* Cuts `w` at its first dot; without one the rest is empty. */
static word head_cut(word *w) {
    const char *dot = memchr(w->text, '.', w->n);
    const word head = {w->text, dot != NULL ? (size_t)(dot - w->text) : w->n};
    const size_t n_gone = head.n + (dot != NULL);
    *w = (word){w->text + n_gone, w->n - n_gone};
    return head;
}

static bool is_unknown(sarrus_quantity_fault *fault, word whole, word what, const char *expected) {
    fault->i_part = (size_t)(what.text - whole.text);
    (void)snprintf(fault->expected, sizeof fault->expected, "%s", expected);
    return false;
}

/* The part `w` of those parts whose component is below n_components; else all of these are expected. */
static const part *part_find(const part *parts, int n_components, word whole, word w, sarrus_quantity_fault *fault) {
    char all[SARRUS_QUANTITY_TEXT] = "";
    size_t n = 0;
    for (int i = 0; i < MOST_PARTS && parts[i].name != NULL; ++i) {
        if (parts[i].component >= n_components)
            continue;
        if (is_word(w, parts[i].name))
            return &parts[i];
        n += (size_t)snprintf(all + n, sizeof all - n, "%s%s", n > 0 ? ", " : "", parts[i].name);
    }
    (void)is_unknown(fault, whole, w, all);
    return NULL;
}

static int components_of(sarrus_space space, sarrus_observable observable) {
    const bool is_spatial = space == SARRUS_SPACE_SPATIAL;
    return observable == SARRUS_OBSERVE_Q ? (is_spatial ? 7 : 3) : (is_spatial ? 6 : 3);
}

static int body_find(const sarrus_model *model, word name) {
    for (int i = 0; i < model->n_bodies; ++i)
        if (is_word(name, model->bodies[i].name))
            return i;
    return -1;
}

static int point_find(const sarrus_model *model, word name) {
    for (int i = 0; i < model->output.n_points; ++i)
        if (is_word(name, model->output.points[i].name))
            return i;
    return -1;
}

static int joint_find(const sarrus_model *model, word name) {
    for (int i = 0; i < model->n_joints; ++i)
        if (is_word(name, model->joints[i].name))
            return i;
    return -1;
}

/* "fx", "coordinate" or, of a joint whose free coordinates are several numbers, "coordinate.k", behind "joint.NAME.". */
static bool joint_part(const sarrus_model *model, int i_joint, word whole, word rest, sarrus_term *out,
                       sarrus_quantity_fault *fault) {
    const word all = rest, name = head_cut(&rest);
    const bool has_more = name.n < all.n;
    const part *found = part_find(joint_parts[model->space], MOST_PARTS, whole, name, fault);
    if (found == NULL)
        return false;
    const bool is_reaction = found->observable == SARRUS_OBSERVE_REACTIONS;
    const int n = is_reaction ? 1 : sarrus_joint_n_numbers(model->space, &model->joints[i_joint]);
    const int k = !has_more ? 0 : rest.n == 1 ? rest.text[0] - '0' : -1;
    if (n == 0)
        return is_unknown(fault, whole, name,
                          model->space == SARRUS_SPACE_PLANAR ? "fx, fy, mz: it has no free coordinate"
                                                              : "fx, fy, fz, mx, my, mz: it has no free coordinate");
    if (has_more != (n > 1) || k < 0 || k >= n)
        return is_unknown(fault, whole, has_more ? rest : name,
                          n > 1 ? "the number of a free coordinate, from 0, behind a dot" : "nothing behind it");
    const int first = is_reaction ? components_of(model->space, found->observable) * i_joint + found->component
                                  : sarrus_model_n_joint_numbers(model, i_joint);
    *out = (sarrus_term){.kind = SARRUS_TERM_OBSERVED, .observable = found->observable, .component = first + k};
    return true;
}

/* "NAME.fx" behind "joint.". */
static bool joint_term(const sarrus_model *model, word whole, word rest, sarrus_term *out, sarrus_quantity_fault *fault) {
    const word name = head_cut(&rest);
    const int i_joint = joint_find(model, name);
    if (i_joint < 0)
        return is_unknown(fault, whole, name, "the name of a joint");
    return joint_part(model, i_joint, whole, rest, out, fault);
}

/* "NAME", or "NAME.k" of a joint with several driven coordinates, behind "drive.": motor loads come in the order of the
 * scenario. */
static bool drive_term(const sarrus_model *model, word whole, word rest, sarrus_term *out, sarrus_quantity_fault *fault) {
    const word name = head_cut(&rest);
    int component = 0;
    for (int i = 0; i < model->n_joints; ++i) {
        const sarrus_joint *joint = &model->joints[i];
        int n_drives = 0;
        for (int k = 0; k < SARRUS_MAX_FREEDOMS; ++k)
            n_drives += joint->drive[k] >= 0;
        if (!is_word(name, joint->name) || n_drives == 0) {
            component += n_drives;
            continue;
        }
        const int k = rest.n == 1 ? rest.text[0] - '0' : rest.n == 0 ? 0 : -1;
        if ((rest.n == 0 && n_drives > 1) || k < 0 || k >= n_drives)
            return is_unknown(fault, whole, rest.n == 0 ? name : rest,
                              n_drives > 1 ? "the number of a driven coordinate, from 0, behind a dot"
                                           : "nothing behind the joint");
        *out = (sarrus_term){.kind = SARRUS_TERM_OBSERVED, .observable = SARRUS_OBSERVE_DRIVES, .component = component + k};
        return true;
    }
    return is_unknown(fault, whole, name, "the name of a driven joint");
}

/* "tip.vx". */
static bool point_term(const sarrus_model *model, int i_point, word whole, word rest, sarrus_term *out,
                       sarrus_quantity_fault *fault) {
    const int n_dimensions = model->space == SARRUS_SPACE_SPATIAL ? 3 : 2;
    const part *found = part_find(body_parts[model->space], n_dimensions, whole, rest, fault);
    if (found == NULL)
        return false;
    const int order = found->observable == SARRUS_OBSERVE_Q ? 0 : found->observable == SARRUS_OBSERVE_V ? 1 : 2;
    *out = (sarrus_term){.kind = SARRUS_TERM_POINT, .point = i_point, .order = order, .component = found->component};
    return true;
}

static bool body_term(const sarrus_model *model, int i_body, word whole, word rest, sarrus_term *out,
                      sarrus_quantity_fault *fault) {
    const part *found = part_find(body_parts[model->space], MOST_PARTS, whole, rest, fault);
    if (found == NULL)
        return false;
    const int n_each = components_of(model->space, found->observable);
    *out = (sarrus_term){
        .kind = SARRUS_TERM_OBSERVED, .observable = found->observable, .component = n_each * i_body + found->component};
    return true;
}

/* A word without a dot: of the whole mechanism, or a named parameter. */
static bool plain_term(const sarrus_model *model, word whole, sarrus_term *out, sarrus_quantity_fault *fault) {
    static const struct {
        const char *name;
        sarrus_term term;
    } known[] = {
        {"t", {.kind = SARRUS_TERM_TIME}},
        {"energy", {.kind = SARRUS_TERM_OBSERVED, .observable = SARRUS_OBSERVE_ENERGY}},
        {"work", {.kind = SARRUS_TERM_OBSERVED, .observable = SARRUS_OBSERVE_WORK}},
    };
    int i_named = 0;
    while (i_named < model->n_named && !is_word(whole, model->values[i_named].path + sizeof "parameters." - 1))
        ++i_named;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; ++i) {
        *out = known[i].term;
        if (!is_word(whole, known[i].name))
            continue;
        fault->is_ambiguous = i_named < model->n_named;
        return fault->is_ambiguous ? is_unknown(fault, whole, whole, "") : true;
    }
    *out = (sarrus_term){.kind = SARRUS_TERM_VALUE, .value = i_named};
    return i_named < model->n_named ? true : is_unknown(fault, whole, whole, "");
}

bool sarrus_term_find(const sarrus_model *model, const char *text, size_t n, sarrus_term *out, sarrus_quantity_fault *fault) {
    const word whole = {text, n};
    word rest = whole;
    const word head = head_cut(&rest);
    if (head.n == n)
        return plain_term(model, whole, out, fault);
    const int i_point = point_find(model, head), i_body = body_find(model, head);
    /* A body may be called `joint`: it has no second dot. */
    const bool has_two_dots = memchr(rest.text, '.', rest.n) != NULL;
    if (i_point >= 0 && !has_two_dots)
        return point_term(model, i_point, whole, rest, out, fault);
    if (i_body >= 0 && !has_two_dots)
        return body_term(model, i_body, whole, rest, out, fault);
    if (is_word(head, "joint"))
        return joint_term(model, whole, rest, out, fault);
    if (is_word(head, "drive"))
        return drive_term(model, whole, rest, out, fault);
    return is_unknown(fault, whole, head, "");
}

/* Orientations in space: of bodies, and of the frames of joints. */
#include <float.h>
#include <math.h>

#include "scenario/reader.h"

/* Cosines are given by so many digits at least. */
static const double cosine_tolerance = 1e-6;

static const char three_angles[] = "a list of three angles [a, b, c]";
static const char three_rows[] = "three rows of three numbers [[...], [...], [...]]";
static const char forms[] = "[w, x, y, z], {euler: [a, b, c]}, {bryant: [a, b, c]}, {axis: [x, y, z], angle: a} or {cosines: ...}";

static double nominal_of(const sarrus_reader *reader, sarrus_value_index i) {
    return reader->model->values[i].nominal;
}

static void read_parameters(sarrus_reader *reader, const sarrus_node *node, sarrus_value_index *out) {
    static const double identity[4] = {1, 0, 0, 0};
    const size_t n_before = reader->findings.n_kept;
    sarrus_numbers_read(reader, node, 4, "four Euler parameters [w, x, y, z]", identity, out);
    bool is_zero = node != NULL && sarrus_reader_is_good_since(reader, n_before);
    for (int i = 0; is_zero && i < 4; ++i) {
        is_zero = nominal_of(reader, out[i]) == 0;
    }
    if (is_zero) {
        sarrus_reader_refuse(reader, node, "the Euler parameters are zero; expected [w, x, y, z] of any length but 0");
    }
}

static void check_cosines(sarrus_reader *reader, const sarrus_node *node, const sarrus_value_index *index) {
    double a[3][3], determinant = 0;
    for (int i = 0; i < 9; ++i) {
        a[i / 3][i % 3] = nominal_of(reader, index[i]);
    }
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j <= i; ++j) {
            const double product = a[i][0] * a[j][0] + a[i][1] * a[j][1] + a[i][2] * a[j][2];
            if (!(fabs(product - (i == j)) <= cosine_tolerance)) {
                sarrus_reader_refuse(reader, node,
                                     "the cosines are no rotation: the product of rows %d and %d is %.9g; expected %d (to 1e-6)", j,
                                     i, product, i == j);
                return;
            }
        }
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        determinant += a[0][i] * (a[1][j] * a[2][k] - a[1][k] * a[2][j]);
    }
    if (determinant < 0) {
        sarrus_reader_refuse(reader, node,
                             "the cosines are no rotation but a reflection: their determinant is -1; expected a determinant of 1");
    }
}

static void read_cosines(sarrus_reader *reader, const sarrus_node *node, sarrus_value_index *out) {
    static const double identity[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const size_t n_before = reader->findings.n_kept;
    const sarrus_node *row = sarrus_list_check(reader, node, 3, three_rows) ? node->first : NULL;
    for (int i = 0; i < 3; ++i) {
        const size_t n_path = sarrus_path_push_index(reader, i);
        sarrus_numbers_read(reader, row, 3, "a row of three numbers", identity[i], out + (ptrdiff_t)3 * i);
        sarrus_path_pop(reader, n_path);
        row = row != NULL ? row->next : NULL;
    }
    if (sarrus_reader_is_good_since(reader, n_before)) {
        check_cosines(reader, node, out);
    }
}

/* An axis and an angle, one of which may be missing. */
static void read_axis(sarrus_reader *reader, const sarrus_node *node, sarrus_value_index *out) {
    static const char *const keys[2] = {"axis", "angle"};
    for (int i = 0; i < 2; ++i) {
        const sarrus_node *child = sarrus_node_child(node, keys[i]);
        const size_t n_path = sarrus_path_push(reader, keys[i]);
        if (child == NULL) {
            sarrus_reader_refuse(reader, node, "an orientation lacks the key '%s'; expected {axis: [x, y, z], angle: a}", keys[i]);
        } else if (i == 0) {
            sarrus_direction_read(reader, child, out);
        } else {
            out[3] = sarrus_value_read(reader, child, 0, SARRUS_RULE_ANY);
        }
        sarrus_path_pop(reader, n_path);
    }
}

/* `angle` belongs to `axis`; either stands for the form. */
static const sarrus_key form_keys[] = {
    {.name = "euler", .flags = SARRUS_KEY_IGNORED},   {.name = "bryant", .flags = SARRUS_KEY_IGNORED},
    {.name = "axis", .flags = SARRUS_KEY_IGNORED},    {.name = "angle", .flags = SARRUS_KEY_IGNORED},
    {.name = "cosines", .flags = SARRUS_KEY_IGNORED},
};

static const sarrus_orientation form_of_key[] = {
    SARRUS_ORIENTATION_EULER, SARRUS_ORIENTATION_BRYANT,  SARRUS_ORIENTATION_AXIS,
    SARRUS_ORIENTATION_AXIS,  SARRUS_ORIENTATION_COSINES,
};

/* The number of the key whose form is given; −1 with a finding when there is not just one. */
static int form_find(sarrus_reader *reader, sarrus_node *node) {
    enum { N_KEYS = sizeof form_keys / sizeof form_keys[0] };
    int found = -1, n_forms = 0;
    const size_t n_before = reader->findings.n_kept;
    if (!sarrus_mapping_read(reader, node, "an orientation", form_keys, N_KEYS, NULL)) {
        return -1;
    }
    for (int i = 0; i < N_KEYS; ++i) {
        const bool is_new = found < 0 || form_of_key[i] != form_of_key[found];
        if (sarrus_node_child(node, form_keys[i].name) != NULL && is_new) {
            found = i;
            ++n_forms;
        }
    }
    if (n_forms == 0 && !sarrus_reader_is_good_since(reader, n_before)) {
        return -1; /* an unknown key, reported */
    }
    if (n_forms != 1) {
        sarrus_reader_refuse(reader, node, "an orientation of %d forms; expected one of %s", n_forms, forms);
        return -1;
    }
    return found;
}

void sarrus_orientation_read(sarrus_reader *reader, sarrus_node *node, sarrus_orientation *form,
                             sarrus_value_index out[SARRUS_MAX_ORIENTATION]) {
    *form = SARRUS_ORIENTATION_PARAMETERS;
    if (node == NULL || node->kind == SARRUS_NODE_SEQUENCE) {
        read_parameters(reader, node, out);
        return;
    }
    if (node->kind != SARRUS_NODE_MAPPING) {
        sarrus_reader_refuse(reader, node, "'%s' is %s; expected %s", reader->path, sarrus_node_kind_text(node), forms);
        return;
    }
    const int i_key = form_find(reader, node);
    if (i_key < 0) {
        return;
    }
    *form = form_of_key[i_key];
    if (*form == SARRUS_ORIENTATION_AXIS) {
        read_axis(reader, node, out);
        return;
    }
    const char *key = form_keys[i_key].name;
    const sarrus_node *child = sarrus_node_child(node, key);
    const size_t n_path = sarrus_path_push(reader, key);
    if (*form == SARRUS_ORIENTATION_COSINES) {
        read_cosines(reader, child, out);
    } else {
        sarrus_numbers_read(reader, child, 3, three_angles, NULL, out);
    }
    sarrus_path_pop(reader, n_path);
}

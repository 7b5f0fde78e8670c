#include "study/joint_names.h"

#include <stdio.h>
#include <string.h>

static void label_add(sarrus_joint_names *names, const char *label, bool is_angle) {
    const size_t n = strlen(names->scale);
    names->units[0][names->n] = is_angle ? "rad" : "m";
    names->units[1][names->n] = is_angle ? "rad s-1" : "m s-1";
    names->labels[names->n++] = label;
    (void)snprintf(names->scale + n, sizeof names->scale - n, "_%s", label);
}

/* By the axis that it is along or about; of a rotation vector all three. */
static void freedom_add(sarrus_joint_names *names, sarrus_freedom freedom) {
    static const char *const shifts[] = {"x", "y", "z"}, *const turns[] = {"rx", "ry", "rz"};
    switch (freedom) {
    case SARRUS_FREEDOM_NONE:
        break;
    case SARRUS_FREEDOM_SHIFT_1:
    case SARRUS_FREEDOM_SHIFT_2:
    case SARRUS_FREEDOM_SHIFT_3:
        label_add(names, shifts[freedom - SARRUS_FREEDOM_SHIFT_1], false);
        break;
    case SARRUS_FREEDOM_TURN_1:
    case SARRUS_FREEDOM_TURN_2:
    case SARRUS_FREEDOM_TURN_3:
    case SARRUS_FREEDOM_FIRST_1:
    case SARRUS_FREEDOM_FIRST_2:
    case SARRUS_FREEDOM_FIRST_3:
    case SARRUS_FREEDOM_SECOND_1:
    case SARRUS_FREEDOM_SECOND_2:
    case SARRUS_FREEDOM_SECOND_3:
        label_add(names, turns[(freedom - SARRUS_FREEDOM_TURN_1) % 3], true);
        break;
    case SARRUS_FREEDOM_SCREW:
        label_add(names, turns[2], true);
        break;
    case SARRUS_FREEDOM_BALL:
        for (int k = 0; k < 3; ++k)
            label_add(names, turns[k], true);
        break;
    case SARRUS_FREEDOM_VECTOR_1:
    case SARRUS_FREEDOM_VECTOR_2:
    case SARRUS_FREEDOM_VECTOR_3:
        label_add(names, turns[freedom - SARRUS_FREEDOM_VECTOR_1], true);
        break;
    }
}

void sarrus_joint_names_find(sarrus_space space, const sarrus_joint *joint, sarrus_joint_names *out) {
    bool is_angle[SARRUS_MAX_FREEDOMS];
    const int n = sarrus_joint_coordinates(space, joint, is_angle);
    *out = (sarrus_joint_names){.scale = "free"};
    if (sarrus_joint_n_numbers(space, joint) <= 1) {
        if (n > 0)
            label_add(out, is_angle[0] ? "angle" : "shift", is_angle[0]);
        return;
    }
    sarrus_freedom freedoms[SARRUS_MAX_FREEDOMS];
    (void)sarrus_joint_freedoms(joint, freedoms);
    for (int k = 0; k < n; ++k) {
        freedom_add(out, freedoms[k]);
        out->is_mixed = out->is_mixed || is_angle[k] != is_angle[0];
    }
}

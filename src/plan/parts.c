/* What falls apart when ground is taken away, and what does not hang on ground: for warnings, and to know whether there are loops.
 * What a constraint beside joints couples belongs together.
 * Joints that hold nothing, bushings and free ones, connect nothing in this sense. */
#include <stdlib.h>

#include "core/report.h"
#include "plan/build.h"

/* The root of a body's set, with the way to it halved. */
static int set_root(int *set, int body) {
    while (set[body] != body) {
        set[body] = set[set[body]];
        body = set[body];
    }
    return body;
}

void sarrus_plan_parts_free(sarrus_plan_parts *parts) {
    free(parts->of_body);
    free(parts->is_floating);
    *parts = (sarrus_plan_parts){0};
}

static void sets_join(int *set, int a, int b) {
    const int x = set_root(set, a), y = set_root(set, b);
    set[x > y ? x : y] = x > y ? y : x;
}

/* What a constraint beside joints couples. */
static void constraints_join(const sarrus_model *model, int *set) {
    for (int i = 0; i < model->n_constraints; ++i) {
        int first = SARRUS_GROUND;
        for (int k = 0; k < 4; ++k) {
            const sarrus_coupled *of = &model->constraints[i].of[k / 2];
            const int body = of->joint < 0 ? of->body[k % 2] : model->joints[of->joint].body[k % 2];
            if (body != SARRUS_GROUND && first != SARRUS_GROUND)
                sets_join(set, first, body);
            first = first == SARRUS_GROUND ? body : first;
        }
    }
}

/* Numbered by their first bodies. `set` holds n_bodies. */
static void parts_number(const sarrus_model *model, sarrus_plan_parts *parts, int *set) {
    for (int b = 0; b < model->n_bodies; ++b)
        set[b] = b;
    for (int i = 0; i < model->n_joints; ++i) {
        const int *end = model->joints[i].body;
        if (end[0] == SARRUS_GROUND || end[1] == SARRUS_GROUND || sarrus_joint_n_rows(model->space, &model->joints[i]) == 0)
            continue;
        sets_join(set, end[0], end[1]);
    }
    constraints_join(model, set);
    for (int b = 0; b < model->n_bodies; ++b) {
        const int root = set_root(set, b); /* the smallest body of the set, so its number is there already */
        parts->of_body[b] = root == b ? parts->n++ : parts->of_body[root];
        parts->is_floating[parts->of_body[b]] = true;
    }
}

/* Joints between bodies that hang together without them; what is held by constraints alone does not. `set` holds n_bodies + 1, the
 * last for ground. */
static int loops_count(const sarrus_model *model, int *set) {
    int n_loops = 0;
    for (int b = 0; b <= model->n_bodies; ++b)
        set[b] = b;
    for (int i = 0; i < model->n_joints; ++i) {
        int end[2];
        for (int k = 0; k < 2; ++k)
            end[k] = model->joints[i].body[k] == SARRUS_GROUND ? model->n_bodies : model->joints[i].body[k];
        if (sarrus_joint_n_rows(model->space, &model->joints[i]) == 0)
            continue;
        n_loops += set_root(set, end[0]) == set_root(set, end[1]);
        sets_join(set, end[0], end[1]);
    }
    return n_loops;
}

sarrus_status sarrus_plan_parts_find(sarrus_context *context, sarrus_plan *plan) {
    const sarrus_model *model = plan->model;
    sarrus_plan_parts *parts = &plan->parts;
    const size_t n = (size_t)model->n_bodies + 1;
    int *set = calloc(n, sizeof *set);
    parts->of_body = calloc(n, sizeof *parts->of_body);
    parts->is_floating = calloc(n, sizeof *parts->is_floating);
    if (!set || !parts->of_body || !parts->is_floating) {
        free(set);
        sarrus_plan_parts_free(parts);
        return sarrus_report(context, SARRUS_NO_MEMORY, "no memory for the parts of %d bodies", model->n_bodies);
    }
    parts_number(model, parts, set);
    parts->n_loops = loops_count(model, set);
    free(set);
    for (int i = 0; i < model->n_joints; ++i) {
        const int *end = model->joints[i].body;
        if (sarrus_joint_n_rows(model->space, &model->joints[i]) == 0)
            continue;
        for (int k = 0; k < 2; ++k)
            if (end[k] == SARRUS_GROUND && end[1 - k] != SARRUS_GROUND)
                parts->is_floating[parts->of_body[end[1 - k]]] = false;
    }
    for (int i = 0; i < parts->n; ++i)
        parts->n_floating += parts->is_floating[i];
    return SARRUS_OK;
}

/* The interconnection of the bodies as a directed graph (S2 eqs 22-25 and 62): vertices are the bodies and ground, arcs are the
 * joints. A column of the incidence matrix names the two vertices of an arc, so a joint's body[] is that column and the matrix
 * itself is never formed. The tree comes out regularly labeled: parents before children, roots first. The joints that are
 * not in the tree are the hinges to cut, C* of eq 62. Joints that hold nothing, bushings and free ones, are no arcs. */
#include <stdlib.h>

#include "core/report.h"
#include "plan/build.h"

/* What is not decided yet. */
enum { NOT_REACHED = -3, ROOT_OF_FLOATING = -2 };

static bool joint_is_arc(const sarrus_model *model, int i) {
    return sarrus_joint_n_rows(model->space, &model->joints[i]) > 0;
}

static sarrus_status graph_allocate(sarrus_context *context, const sarrus_model *model, sarrus_plan_graph *graph) {
    size_t n_bodies = (size_t)model->n_bodies, n_joints = (size_t)model->n_joints;
    *graph = (sarrus_plan_graph){0};
    graph->parent_joint = calloc(n_bodies + 1, sizeof *graph->parent_joint);
    graph->parent_body = calloc(n_bodies + 1, sizeof *graph->parent_body);
    graph->depth = calloc(n_bodies + 1, sizeof *graph->depth);
    graph->component = calloc(n_bodies + 1, sizeof *graph->component);
    graph->is_cut = calloc(n_joints + 1, sizeof *graph->is_cut);
    if (!graph->parent_joint || !graph->parent_body || !graph->depth || !graph->component || !graph->is_cut) {
        sarrus_plan_graph_free(graph);
        return sarrus_report(context, SARRUS_NO_MEMORY, "no memory for the graph of %d bodies", model->n_bodies);
    }
    for (int b = 0; b < model->n_bodies; ++b)
        graph->parent_joint[b] = -1, graph->parent_body[b] = NOT_REACHED;
    for (int i = 0; i < model->n_joints; ++i)
        graph->is_cut[i] = joint_is_arc(model, i);
    return SARRUS_OK;
}

/* Takes into the tree what joint i reaches from `body`: returns that body, or -1 when it reaches nothing new. */
static int tree_grow(const sarrus_model *model, sarrus_plan_graph *graph, int i, int body) {
    const int *end = model->joints[i].body;
    if (end[0] != body && end[1] != body)
        return -1;
    int other = end[0] == body ? end[1] : end[0];
    if (other == SARRUS_GROUND || graph->parent_body[other] != NOT_REACHED)
        return -1;
    graph->parent_body[other] = body;
    graph->parent_joint[other] = i;
    graph->depth[other] = body == SARRUS_GROUND ? 1 : graph->depth[body] + 1;
    graph->is_cut[i] = false;
    return other;
}

/* The joints at every place: a body, or ground as the last. Those of place p are joint[begin[p]] … joint[begin[p + 1] − 1], in the
 * scenario's order. */
typedef struct incidence {
    int *begin; /* [n_bodies + 3] */
    int *joint; /* [2 n_joints] */
    int *queue; /* [n_bodies + 1] scratch of the search */
} incidence;

static bool incidence_make(const sarrus_model *model, incidence *at) {
    const int n = model->n_bodies;
    at->begin = calloc(2 * (size_t)n + 5 + 2 * (size_t)model->n_joints, sizeof *at->begin);
    if (!at->begin)
        return false;
    at->queue = at->begin + n + 3;
    at->joint = at->queue + n + 1;
    for (int k = 0; k < 2 * model->n_joints; ++k) {
        const int body = model->joints[k / 2].body[k % 2];
        at->begin[(body < 0 ? n : body) + 2] += joint_is_arc(model, k / 2);
    }
    for (int p = 0; p <= n; ++p)
        at->begin[p + 1] += at->begin[p];
    for (int k = 0; k < 2 * model->n_joints; ++k) {
        const int body = model->joints[k / 2].body[k % 2];
        if (joint_is_arc(model, k / 2))
            at->joint[at->begin[(body < 0 ? n : body) + 1]++] = k / 2;
    }
    return true;
}

/* Breadth first from `root` (a body or ground), joints in the scenario's order. */
static void tree_span(const sarrus_model *model, sarrus_plan_graph *graph, int root, const incidence *near) {
    int n_queued = 0, *queue = near->queue;
    queue[n_queued++] = root;
    for (int at = 0; at < n_queued; ++at) {
        const int place = queue[at] < 0 ? model->n_bodies : queue[at];
        for (int k = near->begin[place]; k < near->begin[place + 1]; ++k) {
            int reached = tree_grow(model, graph, near->joint[k], queue[at]);
            if (reached >= 0)
                queue[n_queued++] = reached;
        }
    }
}

/* The root of a body's set, with the way to it halved. */
static int set_root(int *set, int body) {
    while (set[body] != body) {
        set[body] = set[set[body]];
        body = set[body];
    }
    return body;
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

/* Parts that neither an arc nor a constraint connects when ground is taken away: ground does not move, so they do not feel each
 * other. Numbered by their first body. `set` holds n_bodies. */
static void components_number(const sarrus_model *model, sarrus_plan_graph *graph, int *set) {
    for (int b = 0; b < model->n_bodies; ++b)
        set[b] = b;
    for (int i = 0; i < model->n_joints; ++i) {
        const int *end = model->joints[i].body;
        if (end[0] == SARRUS_GROUND || end[1] == SARRUS_GROUND || !joint_is_arc(model, i))
            continue;
        sets_join(set, end[0], end[1]);
    }
    constraints_join(model, set);
    for (int b = 0; b < model->n_bodies; ++b) {
        int root = set_root(set, b); /* the smallest body of the set, so its number is there already */
        graph->component[b] = root == b ? graph->n_components++ : graph->component[root];
    }
}

sarrus_status sarrus_plan_graph_make(sarrus_context *context, sarrus_plan *plan) {
    const sarrus_model *model = plan->model;
    sarrus_plan_graph *graph = &plan->graph;
    sarrus_status status = graph_allocate(context, model, graph);
    if (status != SARRUS_OK)
        return status;
    incidence near;
    if (!incidence_make(model, &near)) {
        sarrus_plan_graph_free(graph);
        return sarrus_report(context, SARRUS_NO_MEMORY, "no memory for the graph of %d bodies", model->n_bodies);
    }
    tree_span(model, graph, SARRUS_GROUND, &near);
    for (int b = 0; b < model->n_bodies; ++b) {
        if (graph->parent_body[b] != NOT_REACHED)
            continue;
        graph->parent_body[b] = ROOT_OF_FLOATING;
        graph->depth[b] = 1; /* as though three free coordinates joined it to ground */
        ++graph->n_floating;
        tree_span(model, graph, b, &near);
    }
    for (int i = 0; i < model->n_joints; ++i)
        graph->n_cuts += graph->is_cut[i];
    components_number(model, graph, near.queue);
    free(near.begin);
    return SARRUS_OK;
}

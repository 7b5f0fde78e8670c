#include "plan/graph.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NOT_REACHED = -2, MAX_NAMED = 8, NAMES_BYTES = 640 };

/* A joint that may be in the tree. */
typedef struct arc {
    int32_t end[2]; /* the bodies, the smaller index (or ground) first */
    int32_t joint, n_rows;
} arc;

/* A way from the tree to a body. */
typedef struct way {
    int32_t n_rows, depth; /* of the joint; of the body inboard */
    int32_t from, to, joint;
} way;

/* The tree while it is made. Places are ground, 0, and body b, b + 1. */
typedef struct growth {
    const sarrus_model *model;
    sarrus_graph *graph;
    int32_t types;    /* of joints that may be in the tree, a bit each */
    int32_t *n_rows;  /* [n_joints] */
    bool *is_asked;   /* [n_joints] the scenario cuts it */
    bool *is_in_tree; /* [n_joints] */
    arc *arcs;        /* [n_arcs] by their ends, then joints */
    int32_t n_arcs;
    int32_t *begin; /* [n_bodies + 2] the arcs at place p: near[begin[p]] … near[begin[p + 1] − 1] */
    int32_t *near;  /* [2 n_arcs] */
    way *ways;      /* a heap, the best first */
    int32_t n_ways;
    int32_t *child;   /* [n_bodies + 1] of each place the first body outboard, −1 none */
    int32_t *sibling; /* [n_bodies] the next body with the same inboard one, −1 none */
    int64_t *below;   /* [n_bodies] sum of the lengths of the paths from a body to those of its branch */
    int32_t *set;     /* [n_bodies] scratch */
} growth;

static void growth_free(growth *g) {
    free(g->n_rows);
    free(g->is_asked);
    free(g->is_in_tree);
    free(g->arcs);
    free(g->begin);
    free(g->near);
    free(g->ways);
    free(g->child);
    free(g->sibling);
    free(g->below);
    free(g->set);
}

static bool growth_allocate(growth *g, const sarrus_model *model, int32_t types, sarrus_graph *graph) {
    const size_t n = (size_t)model->n_bodies + 2, n_joints = (size_t)model->n_joints + 1;
    *g = (growth){.model = model, .graph = graph, .types = types};
    g->n_rows = calloc(n_joints, sizeof *g->n_rows);
    g->is_asked = calloc(n_joints, sizeof *g->is_asked);
    g->is_in_tree = calloc(n_joints, sizeof *g->is_in_tree);
    g->arcs = calloc(n_joints, sizeof *g->arcs);
    g->begin = calloc(n + 1, sizeof *g->begin);
    g->near = calloc(2 * n_joints, sizeof *g->near);
    g->ways = calloc(2 * n_joints, sizeof *g->ways);
    g->child = calloc(n, sizeof *g->child);
    g->sibling = calloc(n, sizeof *g->sibling);
    g->below = calloc(n, sizeof *g->below);
    g->set = calloc(n, sizeof *g->set);
    return g->n_rows && g->is_asked && g->is_in_tree && g->arcs && g->begin && g->near && g->ways && g->child && g->sibling &&
           g->below && g->set;
}

static bool graph_allocate(sarrus_graph *graph, const sarrus_model *model) {
    const size_t n = (size_t)model->n_bodies + 1, n_joints = (size_t)model->n_joints + 1;
    *graph = (sarrus_graph){.n_bodies = model->n_bodies, .n_joints = model->n_joints};
    graph->order = calloc(n, sizeof *graph->order);
    graph->label = calloc(n, sizeof *graph->label);
    graph->inboard = calloc(n, sizeof *graph->inboard);
    graph->joint = calloc(n, sizeof *graph->joint);
    graph->depth = calloc(n, sizeof *graph->depth);
    graph->n_branch = calloc(n, sizeof *graph->n_branch);
    graph->is_reversed = calloc(n, sizeof *graph->is_reversed);
    graph->cut = calloc(n_joints, sizeof *graph->cut);
    return graph->order && graph->label && graph->inboard && graph->joint && graph->depth && graph->n_branch &&
           graph->is_reversed && graph->cut;
}

void sarrus_graph_free(sarrus_graph *graph) {
    free(graph->order);
    free(graph->label);
    free(graph->inboard);
    free(graph->joint);
    free(graph->depth);
    free(graph->n_branch);
    free(graph->is_reversed);
    free(graph->cut);
    *graph = (sarrus_graph){0};
}

static int arcs_compare(const void *a, const void *b) {
    const arc *x = a, *y = b;
    if (x->end[0] != y->end[0])
        return x->end[0] < y->end[0] ? -1 : 1;
    if (x->end[1] != y->end[1])
        return x->end[1] < y->end[1] ? -1 : 1;
    return x->joint < y->joint ? -1 : 1;
}

/* The joints that may be in the tree, by their ends, so that nothing after this depends on the order of the joints. */
static void arcs_collect(growth *g) {
    const sarrus_model *model = g->model;
    for (int i = 0; i < model->dynamics.cut.n; ++i)
        g->is_asked[model->dynamics.cut.joint[i]] = true;
    for (int32_t i = 0; i < model->n_joints; ++i) {
        const sarrus_joint *joint = &model->joints[i];
        const int32_t a = joint->body[0], b = joint->body[1];
        g->n_rows[i] = sarrus_joint_n_rows(model->space, joint);
        if (a != b && !g->is_asked[i] && SARRUS_JOINT_AMONG(g->types, joint->type))
            g->arcs[g->n_arcs++] = (arc){{a < b ? a : b, a < b ? b : a}, i, g->n_rows[i]};
    }
    if (g->n_arcs > 0)
        qsort(g->arcs, (size_t)g->n_arcs, sizeof *g->arcs, arcs_compare);
    for (int32_t k = 0; k < 2 * g->n_arcs; ++k)
        ++g->begin[g->arcs[k / 2].end[k % 2] + 2];
    for (int32_t p = 0; p <= model->n_bodies; ++p)
        g->begin[p + 1] += g->begin[p];
    int32_t *next = g->child; /* not yet used */
    memcpy(next, g->begin, (size_t)(model->n_bodies + 1) * sizeof *next);
    for (int32_t k = 0; k < 2 * g->n_arcs; ++k)
        g->near[next[g->arcs[k / 2].end[k % 2] + 1]++] = k / 2;
}

static bool way_is_better(const way *x, const way *y) {
    if (x->n_rows != y->n_rows)
        return x->n_rows > y->n_rows;
    if (x->depth != y->depth)
        return x->depth < y->depth;
    if (x->from != y->from)
        return x->from < y->from;
    return x->to != y->to ? x->to < y->to : x->joint < y->joint;
}

static void ways_put(growth *g, way added) {
    int32_t i = g->n_ways++;
    for (; i > 0 && way_is_better(&added, &g->ways[(i - 1) / 2]); i = (i - 1) / 2)
        g->ways[i] = g->ways[(i - 1) / 2];
    g->ways[i] = added;
}

static way ways_take(growth *g) {
    const way best = g->ways[0], last = g->ways[--g->n_ways];
    int32_t i = 0;
    for (int32_t k = 1; k < g->n_ways; k = 2 * i + 1) {
        k += k + 1 < g->n_ways && way_is_better(&g->ways[k + 1], &g->ways[k]);
        if (!way_is_better(&g->ways[k], &last))
            break;
        g->ways[i] = g->ways[k];
        i = k;
    }
    g->ways[i] = last;
    return best;
}

/* Takes in all that can be reached from `body`, a body of the tree or ground. */
static void tree_grow(growth *g, int32_t body) {
    sarrus_graph *graph = g->graph;
    for (int32_t from = body;;) {
        const int32_t depth = from < 0 ? 0 : graph->depth[from];
        for (int32_t k = g->begin[from + 1]; k < g->begin[from + 2]; ++k) {
            const arc *at = &g->arcs[g->near[k]];
            const int32_t to = at->end[at->end[0] == from];
            if (to >= 0 && graph->inboard[to] == NOT_REACHED)
                ways_put(g, (way){at->n_rows, depth, from, to, at->joint});
        }
        way best = {.to = SARRUS_GROUND};
        do {
            if (g->n_ways == 0)
                return;
            best = ways_take(g);
        } while (graph->inboard[best.to] != NOT_REACHED);
        graph->inboard[best.to] = best.from;
        graph->joint[best.to] = best.joint;
        graph->depth[best.to] = best.depth + 1;
        g->is_in_tree[best.joint] = true;
        from = best.to;
    }
}

/* Labels, depths, branches and paths below of the tree that inboard[] is. Bodies with the same inboard one go by their index. */
static void tree_measure(growth *g) {
    sarrus_graph *graph = g->graph;
    int32_t n = graph->n_bodies, body = SARRUS_GROUND;
    for (int32_t p = 0; p <= n; ++p)
        g->child[p] = -1;
    for (int32_t b = n - 1; b >= 0; --b) {
        g->sibling[b] = g->child[graph->inboard[b] + 1];
        g->child[graph->inboard[b] + 1] = b;
    }
    for (int32_t k = 0; k < n; ++k) { /* a body, then its first branch, then the branches beside it */
        int32_t next = g->child[body + 1];
        while (next < 0) {
            next = g->sibling[body];
            body = graph->inboard[body];
        }
        body = next;
        graph->order[k] = body;
        graph->label[body] = k;
        graph->depth[body] = graph->inboard[body] < 0 ? 1 : graph->depth[graph->inboard[body]] + 1;
        graph->n_branch[body] = 1;
        g->below[body] = 0;
    }
    for (int32_t k = n - 1; k >= 0; --k) {
        const int32_t b = graph->order[k], in = graph->inboard[b];
        if (in < 0)
            continue;
        graph->n_branch[in] += graph->n_branch[b];
        g->below[in] += g->below[b] + graph->n_branch[b];
    }
}

static int32_t depth_of(const sarrus_graph *graph, int32_t body) {
    return body < 0 ? 0 : graph->depth[body];
}

/* The last body that the paths from ground to two bodies have in common, or ground. */
static int32_t paths_meet(const sarrus_graph *graph, int32_t a, int32_t b) {
    while (a != b) {
        if (depth_of(graph, a) >= depth_of(graph, b))
            a = graph->inboard[a];
        else
            b = graph->inboard[b];
    }
    return a;
}

/* Of the bodies on the path from `end` down to `meet`: by how much all paths together grow, at best, when the tree joint of one
 * gives way to `added`, which hangs its branch on `other` by `end`. Only joints with as many rows are looked at. */
static int64_t exchange_best(const growth *g, int32_t end, int32_t other, const arc *added, int32_t *i_body) {
    const sarrus_graph *graph = g->graph;
    const int32_t meet = paths_meet(graph, end, other);
    const int64_t depth = depth_of(graph, other) + 1;
    int64_t best = 0, n_steps = 0, from_end = end == meet ? 0 : g->below[end];
    for (int32_t b = end; b != meet;) {
        const int64_t n = graph->n_branch[b];
        const int64_t change = n * (depth - graph->depth[b]) + from_end - g->below[b];
        if (graph->joint[b] >= 0 && g->n_rows[graph->joint[b]] == added->n_rows && change < best) {
            best = change;
            *i_body = b;
        }
        const int32_t in = graph->inboard[b];
        if (in == meet)
            break;
        ++n_steps; /* paths from `end` to what hangs on the next body, but not on this one, lead through that body */
        from_end += g->below[in] - (g->below[b] + n) + (graph->n_branch[in] - n) * n_steps;
        b = in;
    }
    return best;
}

/* Cuts the tree joint of `body`, whose branch then hangs on `other` by `end`, a body of it. */
static void branch_move(growth *g, int32_t body, int32_t end, int32_t other, int32_t joint) {
    sarrus_graph *graph = g->graph;
    g->is_in_tree[graph->joint[body]] = false;
    g->is_in_tree[joint] = true;
    for (int32_t at = end, in = other, by = joint;;) {
        const int32_t old_in = graph->inboard[at], old_by = graph->joint[at];
        graph->inboard[at] = in;
        graph->joint[at] = by;
        if (at == body)
            return;
        in = at;
        by = old_by;
        at = old_in;
    }
}

/* Exchanges tree joints for others with as many rows until no exchange makes the sum of all paths shorter. Each makes it shorter by
 * one at least, so that comes to an end. A tree of joints that all have as many rows is the shortest as it has grown. */
static void tree_shorten(growth *g) {
    bool is_mixed = false, is_changed = true;
    for (int32_t k = 1; k < g->n_arcs; ++k)
        is_mixed = is_mixed || g->arcs[k].n_rows != g->arcs[0].n_rows;
    while (is_mixed && is_changed) {
        is_changed = false;
        for (int32_t k = 0; k < g->n_arcs; ++k) {
            const arc *at = &g->arcs[k];
            int32_t body[2] = {-1, -1};
            if (g->is_in_tree[at->joint])
                continue;
            const int64_t first = exchange_best(g, at->end[0], at->end[1], at, &body[0]);
            const int64_t second = exchange_best(g, at->end[1], at->end[0], at, &body[1]);
            const int side = second < first;
            if (body[side] < 0)
                continue;
            branch_move(g, body[side], at->end[side], at->end[!side], at->joint);
            tree_measure(g);
            is_changed = true;
        }
    }
}

static void tree_make(growth *g) {
    sarrus_graph *graph = g->graph;
    arcs_collect(g);
    for (int32_t b = 0; b < graph->n_bodies; ++b) {
        graph->inboard[b] = NOT_REACHED;
        graph->joint[b] = -1;
    }
    tree_grow(g, SARRUS_GROUND);
    for (int32_t b = 0; b < graph->n_bodies; ++b) {
        if (graph->inboard[b] != NOT_REACHED)
            continue;
        graph->inboard[b] = SARRUS_GROUND;
        graph->depth[b] = 1;
        ++graph->n_floating;
        tree_grow(g, b);
    }
    tree_measure(g);
}

static void graph_finish(growth *g) {
    sarrus_graph *graph = g->graph;
    for (int32_t b = 0; b < graph->n_bodies; ++b)
        graph->is_reversed[b] = graph->joint[b] >= 0 && g->model->joints[graph->joint[b]].body[0] == b;
    for (int32_t i = 0; i < graph->n_joints; ++i)
        if (g->n_rows[i] > 0 && !g->is_in_tree[i])
            graph->cut[graph->n_cuts++] = i;
}

/* "'A', 'B', 'C'", of many joints the first ones and how many more. */
static void joints_name(const sarrus_model *model, const int32_t *joints, int n, char text[NAMES_BYTES]) {
    size_t n_text = 0;
    text[0] = '\0';
    for (int i = 0; i < n && i < MAX_NAMED; ++i)
        n_text +=
            (size_t)snprintf(text + n_text, NAMES_BYTES - n_text, "%s'%.64s'", i > 0 ? ", " : "", model->joints[joints[i]].name);
    if (n > MAX_NAMED)
        (void)snprintf(text + n_text, NAMES_BYTES - n_text, " and %d more", n - MAX_NAMED);
}

/* A loop that the given cuts leave: joint i and the path between its ends. */
static sarrus_status refuse_loop(sarrus_context *context, const growth *g, int i) {
    const sarrus_model *model = g->model;
    const sarrus_cut_list *given = &model->dynamics.cut;
    const sarrus_location where = sarrus_model_location(model, &given->place);
    char names[NAMES_BYTES];
    int32_t *loop = g->set;
    const int n = sarrus_graph_path(g->graph, model->joints[i].body[0], model->joints[i].body[1], loop);
    loop[n] = i; /* a path has one joint less than bodies, or ground is on it */
    joints_name(model, loop, n + 1, names);
    return sarrus_report_at(context, SARRUS_ERROR, SARRUS_BAD_INPUT, &where,
                            "'dynamics.cut' leaves a loop: joints %s; expected one of them to be cut too", names);
}

/* Cut number i of the list leaves a branch without a way to ground, or a part of what floats without the rest of it. */
static sarrus_status refuse_cut(sarrus_context *context, const growth *g, int i, int32_t root) {
    const sarrus_model *model = g->model;
    const sarrus_cut_list *given = &model->dynamics.cut;
    const sarrus_location where = sarrus_model_location(model, &given->place_of[i]);
    const int n_more = g->graph->n_branch[root] - 1;
    char more[40] = "";
    if (n_more > 0)
        (void)snprintf(more, sizeof more, " with the %d that hang%s on it", n_more, n_more == 1 ? "s" : "");
    return sarrus_report_at(context, SARRUS_ERROR, SARRUS_BAD_INPUT, &where,
                            "with joint '%s' cut, body '%s'%s would float, since no other joint attaches it; expected joints that "
                            "close loops",
                            model->joints[given->joint[i]].name, model->bodies[root].name, more);
}

static int32_t set_root(int32_t *set, int32_t i) {
    while (set[i] != i)
        i = set[i] = set[set[i]];
    return i;
}

/* Whether the given cuts leave a spanning tree. */
static sarrus_status cuts_check(sarrus_context *context, growth *g) {
    const sarrus_model *model = g->model;
    const sarrus_graph *graph = g->graph;
    sarrus_status status = SARRUS_OK;
    for (int32_t k = 0; k < g->n_arcs; ++k) {
        if (!g->is_in_tree[g->arcs[k].joint])
            status = refuse_loop(context, g, g->arcs[k].joint);
    }
    int32_t *set = g->set; /* of places: those that hang on ground without a gap are ground's, others those of a body that floats */
    set[0] = 0;
    for (int32_t k = 0; k < graph->n_bodies; ++k) {
        const int32_t b = graph->order[k];
        set[b + 1] = graph->inboard[b] >= 0 ? set[graph->inboard[b] + 1] : graph->joint[b] >= 0 ? 0 : b + 1;
    }
    for (int i = model->dynamics.cut.n - 1; i >= 0; --i) { /* of two of which one could be cut the later is one too many */
        const sarrus_joint *joint = &model->joints[model->dynamics.cut.joint[i]];
        const int32_t x = set_root(set, joint->body[0] + 1), y = set_root(set, joint->body[1] + 1);
        if (x == y || !SARRUS_JOINT_AMONG(SARRUS_JOINTS_IN_TREES, joint->type))
            continue;
        status = refuse_cut(context, g, i, (x > y ? x : y) - 1);
        set[x > y ? x : y] = x > y ? y : x;
    }
    return status;
}

/* The graph with a tree of these types; given cuts are held against what they must leave when the scenario is to hear of it. */
static sarrus_status graph_make(sarrus_context *context, const sarrus_model *model, int32_t types, bool is_checked,
                                sarrus_graph *out) {
    growth g;
    sarrus_graph graph;
    sarrus_status status = SARRUS_OK;
    const bool has_memory = graph_allocate(&graph, model);
    if (!growth_allocate(&g, model, types, &graph) || !has_memory) {
        growth_free(&g);
        sarrus_graph_free(&graph);
        return sarrus_report(context, SARRUS_NO_MEMORY, "no memory for the graph of %d bodies", model->n_bodies);
    }
    tree_make(&g);
    if (!model->dynamics.cut.is_given)
        tree_shorten(&g);
    else if (is_checked)
        status = cuts_check(context, &g);
    graph_finish(&g);
    growth_free(&g);
    if (status != SARRUS_OK) {
        sarrus_graph_free(&graph);
        return status;
    }
    *out = graph;
    return SARRUS_OK;
}

sarrus_status sarrus_graph_make(sarrus_context *context, const sarrus_model *model, sarrus_graph *out) {
    return graph_make(context, model, SARRUS_JOINTS_IN_TREES, true, out);
}

sarrus_status sarrus_graph_make_of(sarrus_context *context, const sarrus_model *model, int32_t types, sarrus_graph *out) {
    return graph_make(context, model, types, false, out);
}

sarrus_cut_reason sarrus_graph_cut_reason(const sarrus_model *model, int i_joint) {
    if (!SARRUS_JOINT_AMONG(SARRUS_JOINTS_IN_TREES, model->joints[i_joint].type))
        return SARRUS_CUT_TYPE;
    return model->dynamics.cut.is_given ? SARRUS_CUT_ASKED : SARRUS_CUT_CHOSEN;
}

int sarrus_graph_path(const sarrus_graph *graph, int from, int to, int32_t *joints) {
    const int32_t meet = paths_meet(graph, from, to);
    int n = 0;
    for (int32_t b = from; b != meet; b = graph->inboard[b])
        if (graph->joint[b] >= 0)
            joints[n++] = graph->joint[b];
    const int n_up = n;
    for (int32_t b = to; b != meet; b = graph->inboard[b])
        if (graph->joint[b] >= 0)
            joints[n++] = graph->joint[b];
    for (int i = n_up, k = n - 1; i < k; ++i, --k) {
        const int32_t joint = joints[i];
        joints[i] = joints[k];
        joints[k] = joint;
    }
    return n;
}

void sarrus_graph_incidence(const sarrus_graph *graph, const sarrus_model *model, int8_t *c) {
    const size_t n = (size_t)graph->n_bodies, n_columns = n + (size_t)graph->n_cuts;
    memset(c, 0, (n + 1) * n_columns);
    for (size_t k = 0; k < n; ++k) {
        const int32_t b = graph->order[k], in = graph->inboard[b];
        const int8_t sign = graph->is_reversed[b] ? 1 : -1;
        c[(k + 1) * n_columns + k] = sign;
        c[(in < 0 ? 0 : (size_t)graph->label[in] + 1) * n_columns + k] = (int8_t)-sign;
    }
    for (size_t i = 0; i < (size_t)graph->n_cuts; ++i) {
        for (int k = 0; k < 2; ++k) {
            const int32_t b = model->joints[graph->cut[i]].body[k];
            int8_t *entry = &c[(b < 0 ? 0 : (size_t)graph->label[b] + 1) * n_columns + n + i];
            *entry = (int8_t)(*entry + (k == 0 ? 1 : -1));
        }
    }
}

void sarrus_graph_paths(const sarrus_graph *graph, int8_t *t) {
    const size_t n = (size_t)graph->n_bodies;
    memset(t, 0, n * n);
    for (size_t k = 0; k < n; ++k) {
        const int32_t b = graph->order[k];
        memset(t + k * n + k, graph->is_reversed[b] ? 1 : -1, (size_t)graph->n_branch[b]);
    }
}

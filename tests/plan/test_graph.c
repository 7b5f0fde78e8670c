/* Tree, labels and cuts of mechanisms made by hand and at random, against a search through all trees: the graph needs the model's
 * joints only. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "plan/graph.h"
#include "sarrus/plan.h"

enum { MAX_JOINTS = 16, MAX_BODIES = 16, N_RANDOM = 1500 };

typedef struct drawing {
    sarrus_model model;
    sarrus_joint joints[MAX_JOINTS];
    sarrus_body bodies[MAX_BODIES];
    char joint_names[MAX_JOINTS][4], body_names[MAX_BODIES][4];
    int cut[MAX_JOINTS];
    sarrus_place place_of[MAX_JOINTS];
    sarrus_graph graph;
} drawing;

/* A joint of a drawing. */
typedef struct line {
    int parent, child; /* −1 is ground */
    sarrus_joint_type type;
    bool is_driven;
} line;

static void model_draw(drawing *on, int n_bodies, int n_joints, const line *lines) {
    *on = (drawing){0};
    for (int i = 0; i < n_joints; ++i) {
        sarrus_joint *joint = &on->joints[i];
        joint->body[0] = lines[i].parent;
        joint->body[1] = lines[i].child;
        joint->type = lines[i].type;
        joint->name = on->joint_names[i];
        on->joint_names[i][0] = (char)('A' + i);
        for (int k = 0; k < SARRUS_MAX_FREEDOMS; ++k)
            joint->drive[k] = k == 0 && lines[i].is_driven ? 0 : -1;
    }
    for (int b = 0; b < n_bodies; ++b) {
        on->bodies[b].name = on->body_names[b];
        on->body_names[b][0] = (char)('a' + b);
    }
    on->model.n_bodies = n_bodies;
    on->model.n_joints = n_joints;
    on->model.joints = on->joints;
    on->model.bodies = on->bodies;
}

static const sarrus_graph *graph_draw(drawing *on, int n_bodies, int n_joints, const line *lines) {
    model_draw(on, n_bodies, n_joints, lines);
    assert_int_equal(sarrus_graph_make(NULL, &on->model, &on->graph), SARRUS_OK);
    return &on->graph;
}

static void assert_body(const sarrus_graph *graph, int body, int inboard, int joint, int depth) {
    assert_int_equal(graph->inboard[body], inboard);
    assert_int_equal(graph->joint[body], joint);
    assert_int_equal(graph->depth[body], depth);
}

static void test_chain(void **state) {
    drawing paper;
    const line lines[] = {{.parent = -1, .child = 0}, {.parent = 1, .child = 0}, {.parent = 1, .child = 2}};
    int8_t c[4 * 3], t[3 * 3];
    const int8_t c_known[] = {1, 0, 0, -1, -1, 0, 0, 1, 1, 0, 0, -1}, t_known[] = {-1, -1, -1, 0, 1, 1, 0, 0, -1};
    (void)state;
    const sarrus_graph *graph = graph_draw(&paper, 3, 3, lines);
    assert_body(graph, 0, SARRUS_GROUND, 0, 1);
    assert_body(graph, 1, 0, 1, 2);
    assert_body(graph, 2, 1, 2, 3);
    assert_int_equal(graph->n_cuts, 0);
    assert_int_equal(graph->n_floating, 0);
    assert_false(graph->is_reversed[0] || !graph->is_reversed[1] || graph->is_reversed[2]);
    sarrus_graph_incidence(graph, &paper.model, c);
    sarrus_graph_paths(graph, t);
    assert_memory_equal(c, c_known, sizeof c);
    assert_memory_equal(t, t_known, sizeof t);
    sarrus_graph_free(&paper.graph);
    assert_null(paper.graph.cut);
}

/* The tree of S2, Fig. 3a, its first body on ground: C of eq 1, with the arc from ground in front of it, and T of eq 25. */
static void test_tree_of_s2(void **state) {
    drawing paper;
    const int ends[6][2] = {{-1, 0}, {0, 1}, {0, 2}, {1, 3}, {1, 4}, {1, 5}};
    const int8_t c_known[7][6] = {{1, 0, 0, 0, 0, 0},  {-1, 1, 1, 0, 0, 0}, {0, -1, 0, 1, 1, 1}, {0, 0, -1, 0, 0, 0},
                                  {0, 0, 0, -1, 0, 0}, {0, 0, 0, 0, -1, 0}, {0, 0, 0, 0, 0, -1}};
    const int8_t t_known[6][6] = {{-1, -1, -1, -1, -1, -1}, {0, -1, 0, -1, -1, -1}, {0, 0, -1, 0, 0, 0},
                                  {0, 0, 0, -1, 0, 0},      {0, 0, 0, 0, -1, 0},    {0, 0, 0, 0, 0, -1}};
    line lines[6] = {{0}};
    int8_t c[7 * 6], t[6 * 6];
    (void)state;
    for (int i = 0; i < 6; ++i)
        lines[i] = (line){.parent = ends[i][0], .child = ends[i][1]};
    const sarrus_graph *graph = graph_draw(&paper, 6, 6, lines);
    sarrus_graph_incidence(graph, &paper.model, c);
    sarrus_graph_paths(graph, t);
    for (int i = 0; i < 6; ++i) { /* labels here go branch by branch, those of S2 level by level */
        for (int k = 0; k < 6; ++k) {
            assert_int_equal(c[(graph->label[i] + 1) * 6 + graph->label[k]], c_known[i + 1][k]);
            assert_int_equal(t[graph->label[i] * 6 + graph->label[k]], t_known[i][k]);
        }
        assert_int_equal(c[graph->label[i]], c_known[0][i]);
    }
    sarrus_graph_free(&paper.graph);
}

/* The five-bar: cranks on ground, the coupler by the first of them, the other two joints cut. */
static void test_parallelogram(void **state) {
    drawing paper;
    const line lines[] = {{.parent = -1, .child = 0}, {.parent = -1, .child = 1}, {.parent = -1, .child = 2},
                          {.parent = 0, .child = 3},  {.parent = 1, .child = 3},  {.parent = 2, .child = 3}};
    int32_t path[4];
    (void)state;
    const sarrus_graph *graph = graph_draw(&paper, 4, 6, lines);
    for (int b = 0; b < 3; ++b)
        assert_body(graph, b, SARRUS_GROUND, b, 1);
    assert_body(graph, 3, 0, 3, 2);
    assert_int_equal(graph->n_cuts, 2);
    assert_int_equal(graph->cut[0], 4);
    assert_int_equal(graph->cut[1], 5);
    assert_int_equal(sarrus_graph_cut_reason(&paper.model, 4), SARRUS_CUT_CHOSEN);
    assert_int_equal(graph->label[3], 1); /* a branch has labels one after the other */
    assert_int_equal(graph->n_branch[0], 2);
    assert_int_equal(sarrus_graph_path(graph, 1, 3, path), 3);
    assert_true(path[0] == 1 && path[1] == 0 && path[2] == 3);
    sarrus_graph_free(&paper.graph);
}

/* A slot has one row, a driven pin three: the one is cut, the other never when there is a choice. */
static void test_fewest_rows_are_cut(void **state) {
    drawing paper;
    line lines[] = {{.parent = -1, .child = 0},
                    {.parent = 0, .child = 1},
                    {.parent = 1, .child = 2, .is_driven = true},
                    {.parent = 2, .child = -1}};
    (void)state;
    lines[0].type = SARRUS_JOINT_SLOT;
    const sarrus_graph *graph = graph_draw(&paper, 3, 4, lines);
    assert_int_equal(graph->n_cuts, 1);
    assert_int_equal(graph->cut[0], 0);
    assert_body(graph, 0, 1, 1, 3);
    sarrus_graph_free(&paper.graph);
    lines[0].type = SARRUS_JOINT_REVOLUTE;
    graph = graph_draw(&paper, 3, 4, lines);
    assert_int_equal(graph->cut[0], 1); /* the far end of the ring is the driven joint */
    sarrus_graph_free(&paper.graph);
}

/* A chain of joints with three rows that two joints with two attach to ground: by its middle its paths are shorter. */
static void test_exchanges_shorten_paths(void **state) {
    drawing paper;
    const line lines[] = {{.parent = -1, .child = 0},
                          {.parent = -1, .child = 2},
                          {.parent = 0, .child = 1, .type = SARRUS_JOINT_FIXED},
                          {.parent = 1, .child = 2, .type = SARRUS_JOINT_FIXED},
                          {.parent = 2, .child = 3, .type = SARRUS_JOINT_FIXED},
                          {.parent = 3, .child = 4, .type = SARRUS_JOINT_FIXED}};
    (void)state;
    const sarrus_graph *graph = graph_draw(&paper, 5, 6, lines);
    assert_int_equal(graph->cut[0], 0);
    assert_body(graph, 2, SARRUS_GROUND, 1, 1);
    assert_body(graph, 0, 1, 2, 3);
    sarrus_graph_free(&paper.graph);
}

/* A massless rod holds, but is no place to hang a body on; what hangs on nothing else floats. */
static void test_types_that_are_cut(void **state) {
    drawing paper;
    const line lines[] = {{.parent = -1, .child = 0, .type = SARRUS_JOINT_DISTANCE}, {.parent = 0, .child = 1}};
    (void)state;
    const sarrus_graph *graph = graph_draw(&paper, 2, 2, lines);
    assert_int_equal(graph->n_cuts, 1);
    assert_int_equal(graph->cut[0], 0);
    assert_int_equal(sarrus_graph_cut_reason(&paper.model, 0), SARRUS_CUT_TYPE);
    assert_int_equal(graph->n_floating, 1);
    assert_body(graph, 0, SARRUS_GROUND, -1, 1);
    assert_body(graph, 1, 0, 1, 2);
    sarrus_graph_free(&paper.graph);
}

/* Free joints and bushings hold nothing: a free one may be in the tree, where nothing else is, and neither is a cut. */
static void test_joints_that_hold_nothing(void **state) {
    drawing paper;
    const line lines[] = {{.parent = -1, .child = 1, .type = SARRUS_JOINT_FREE},
                          {.parent = 0, .child = 1, .type = SARRUS_JOINT_REVOLUTE},
                          {.parent = -1, .child = 0, .type = SARRUS_JOINT_FREE},
                          {.parent = -1, .child = 2, .type = SARRUS_JOINT_BUSHING}};
    (void)state;
    model_draw(&paper, 3, 4, lines);
    paper.model.space = SARRUS_SPACE_SPATIAL;
    assert_int_equal(sarrus_graph_make(NULL, &paper.model, &paper.graph), SARRUS_OK);
    assert_int_equal(paper.graph.n_cuts, 0);
    assert_int_equal(paper.graph.n_floating, 1);
    assert_body(&paper.graph, 0, SARRUS_GROUND, 2, 1);
    assert_body(&paper.graph, 1, 0, 1, 2);
    assert_body(&paper.graph, 2, SARRUS_GROUND, -1, 1);
    sarrus_graph_free(&paper.graph);
}

static void test_nothing(void **state) {
    drawing paper;
    const line lines[] = {{.parent = -1, .child = -1}};
    (void)state;
    const sarrus_graph *graph = graph_draw(&paper, 0, 1, lines);
    assert_int_equal(graph->n_cuts, 1);
    sarrus_graph_free(&paper.graph);
}

/* --- Random graphs ------------------------------------------------------------------------------------------------------- */

static int random_below(uint64_t *random, int n) {
    *random = *random * 6364136223846793005u + 1442695040888963407u;
    return (int)((*random >> 33) % (uint64_t)n);
}

/* Of the plane, with one to three rows; `is_mixed` or all with two. */
static int lines_scatter(uint64_t *random, int n_bodies, bool is_mixed, line *lines) {
    static const sarrus_joint_type types[] = {SARRUS_JOINT_REVOLUTE, SARRUS_JOINT_REVOLUTE, SARRUS_JOINT_PRISMATIC,
                                              SARRUS_JOINT_SLOT,     SARRUS_JOINT_FIXED,    SARRUS_JOINT_DISTANCE};
    const int n_joints = random_below(random, 10);
    for (int i = 0; i < n_joints; ++i) {
        const sarrus_joint_type type = types[random_below(random, is_mixed ? 6 : 3)];
        const int parent = random_below(random, n_bodies + 1) - 1, child = random_below(random, n_bodies + 1) - 1;
        const bool is_driven =
            is_mixed && type != SARRUS_JOINT_FIXED && type != SARRUS_JOINT_DISTANCE && random_below(random, 4) == 0;
        lines[i] = (line){parent, child, type, is_driven};
    }
    return n_joints;
}

/* What a set of joints is as a tree: whether it is one without loops, how many joints it has, and the length of all paths, with
 * those roots of floating parts that are the first bodies. */
typedef struct trial {
    bool is_forest;
    int n_joints, n_rows, n_paths;
} trial;

static trial set_try(const drawing *on, unsigned set) {
    const int n = on->model.n_bodies;
    int depth[MAX_BODIES];
    bool is_used[MAX_JOINTS] = {false};
    trial tried = {true, 0, 0, 0};
    for (int b = 0; b < n; ++b)
        depth[b] = -1;
    for (int root = -1; root < n; ++root) {
        if (root >= 0 && depth[root] >= 0)
            continue;
        if (root >= 0)
            depth[root] = 1;
        for (bool is_growing = true; is_growing;) { /* joint after joint at a body that is reached */
            is_growing = false;
            for (int i = 0; i < on->model.n_joints; ++i) {
                const int *end = on->joints[i].body;
                const int d0 = end[0] < 0 ? 0 : depth[end[0]], d1 = end[1] < 0 ? 0 : depth[end[1]];
                if (!((set >> i) & 1u) || is_used[i] || (d0 < 0 && d1 < 0))
                    continue;
                is_used[i] = is_growing = true;
                if (d0 >= 0 && d1 >= 0) {
                    tried.is_forest = false;
                    continue;
                }
                depth[d0 < 0 ? end[0] : end[1]] = (d0 < 0 ? d1 : d0) + 1;
                ++tried.n_joints;
                tried.n_rows += sarrus_joint_n_rows(SARRUS_SPACE_PLANAR, &on->joints[i]);
            }
        }
    }
    for (int b = 0; b < n; ++b)
        tried.n_paths += depth[b];
    return tried;
}

static unsigned tree_of(const sarrus_graph *graph) {
    unsigned set = 0;
    for (int b = 0; b < graph->n_bodies; ++b)
        set |= graph->joint[b] >= 0 ? 1u << graph->joint[b] : 0;
    return set;
}

static bool set_may_be_tree(const drawing *on, unsigned set) {
    for (int i = 0; i < on->model.n_joints; ++i)
        if (((set >> i) & 1u) && on->joints[i].type == SARRUS_JOINT_DISTANCE)
            return false;
    return true;
}

/* Against all trees: as many joints and rows as any has; of those with one joint exchanged, and of all when rows are all alike,
 * none has shorter paths. */
static void assert_best(const drawing *on, bool is_mixed) {
    const unsigned chosen = tree_of(&on->graph);
    const trial own = set_try(on, chosen);
    assert_true(own.is_forest);
    for (unsigned set = 0; set < 1u << on->model.n_joints; ++set) {
        const trial other = set_may_be_tree(on, set) ? set_try(on, set) : (trial){0};
        if (!other.is_forest)
            continue;
        assert_true(other.n_joints <= own.n_joints && other.n_rows <= own.n_rows);
        const unsigned changed = set ^ chosen, rest = changed & (changed - 1);
        const bool is_near = rest != 0 && (rest & (rest - 1)) == 0;
        if (other.n_joints == own.n_joints && other.n_rows == own.n_rows && (is_near || !is_mixed))
            assert_true(other.n_paths >= own.n_paths);
    }
}

/* Labels are those of a walk in which every branch is one run; the matrices are inverse to one another (S2 eq 25, S3 eq 5.182). */
static void assert_regular(const drawing *on) {
    const sarrus_graph *graph = &on->graph;
    const int n = graph->n_bodies, n_columns = n + graph->n_cuts;
    int8_t c[(MAX_BODIES + 1) * (MAX_BODIES + MAX_JOINTS)], t[MAX_BODIES * MAX_BODIES];
    sarrus_graph_incidence(graph, &on->model, c);
    sarrus_graph_paths(graph, t);
    for (int k = 0; k < n; ++k) {
        const int b = graph->order[k], in = graph->inboard[b];
        assert_int_equal(graph->label[b], k);
        assert_true(in < 0 || graph->label[in] < k);
        assert_int_equal(graph->depth[b], in < 0 ? 1 : graph->depth[in] + 1);
        assert_true(in < 0 || k + graph->n_branch[b] <= graph->label[in] + graph->n_branch[in]);
        assert_int_equal(c[(k + 1) * n_columns + k], graph->is_reversed[b] ? 1 : -1);
        if (graph->joint[b] >= 0)
            assert_int_equal(on->joints[graph->joint[b]].body[graph->is_reversed[b]], in);
    }
    for (int k = 0; k < n_columns; ++k) {
        int sum = 0;
        for (int i = 0; i <= n; ++i)
            sum += c[i * n_columns + k];
        assert_int_equal(sum, 0);
    }
    for (int i = 0; i < n; ++i) {
        int to_ground = 0, n_on_path = 0;
        for (int k = 0; k < n; ++k) {
            int product = 0;
            for (int l = 0; l < n; ++l)
                product += t[i * n + l] * c[(l + 1) * n_columns + k];
            assert_int_equal(product, i == k);
            to_ground += t[k * n + i] * c[k];
            n_on_path += t[k * n + i] != 0;
        }
        assert_int_equal(to_ground, -1);
        assert_int_equal(n_on_path, graph->depth[graph->order[i]]);
    }
}

static void test_random_graphs(void **state) {
    uint64_t random = 1;
    (void)state;
    for (int repeat = 0; repeat < N_RANDOM; ++repeat) {
        const bool is_mixed = repeat % 2 == 0;
        const int n_bodies = 1 + random_below(&random, 7);
        line lines[MAX_JOINTS];
        const int n_joints = lines_scatter(&random, n_bodies, is_mixed, lines);
        drawing paper;
        const sarrus_graph *graph = graph_draw(&paper, n_bodies, n_joints, lines);
        assert_int_equal(graph->n_cuts, n_joints - (n_bodies - graph->n_floating));
        assert_best(&paper, is_mixed);
        assert_regular(&paper);
        sarrus_graph_free(&paper.graph);
    }
}

/* Whatever the order of the joints, bodies hang on the same bodies. */
static void test_order_of_joints(void **state) {
    uint64_t random = 2;
    (void)state;
    for (int repeat = 0; repeat < N_RANDOM; ++repeat) {
        const int n_bodies = 1 + random_below(&random, 9);
        line lines[MAX_JOINTS], mixed[MAX_JOINTS];
        const int n_joints = lines_scatter(&random, n_bodies, true, lines);
        memcpy(mixed, lines, sizeof mixed);
        for (int i = n_joints - 1; i > 0; --i) {
            const int k = random_below(&random, i + 1);
            const line other = mixed[i];
            mixed[i] = mixed[k];
            mixed[k] = other;
        }
        drawing paper, again;
        graph_draw(&paper, n_bodies, n_joints, lines);
        graph_draw(&again, n_bodies, n_joints, mixed);
        for (int b = 0; b < n_bodies; ++b) {
            assert_int_equal(paper.graph.inboard[b], again.graph.inboard[b]);
            assert_int_equal(paper.graph.label[b], again.graph.label[b]);
            if (paper.graph.joint[b] >= 0)
                assert_int_equal(sarrus_joint_n_rows(SARRUS_SPACE_PLANAR, &paper.joints[paper.graph.joint[b]]),
                                 sarrus_joint_n_rows(SARRUS_SPACE_PLANAR, &again.joints[again.graph.joint[b]]));
        }
        sarrus_graph_free(&paper.graph);
        sarrus_graph_free(&again.graph);
    }
}

/* --- Cuts by the scenario ------------------------------------------------------------------------------------------------ */

static sarrus_status cuts_give(drawing *on, unsigned set) {
    sarrus_cut_list *cut = &on->model.dynamics.cut;
    *cut = (sarrus_cut_list){.is_given = true, .joint = on->cut, .place_of = on->place_of};
    for (int i = 0; i < on->model.n_joints; ++i)
        if ((set >> i) & 1u)
            cut->joint[cut->n++] = i;
    return sarrus_graph_make(NULL, &on->model, &on->graph);
}

/* Any spanning tree can be asked for, and nothing else. */
static void test_every_tree_can_be_asked_for(void **state) {
    uint64_t random = 3;
    int n_accepted = 0, n_refused = 0;
    (void)state;
    for (int repeat = 0; repeat < N_RANDOM / 5; ++repeat) {
        const int n_bodies = 1 + random_below(&random, 5);
        line lines[MAX_JOINTS];
        const int n_joints = lines_scatter(&random, n_bodies, true, lines);
        drawing paper;
        graph_draw(&paper, n_bodies, n_joints, lines);
        const int n_tree = set_try(&paper, tree_of(&paper.graph)).n_joints;
        sarrus_graph_free(&paper.graph);
        for (unsigned cut = 0; cut < 1u << n_joints; ++cut) {
            unsigned tree = 0; /* what is left, without what is never in a tree and what joins a body to itself */
            for (int i = 0; i < n_joints; ++i)
                tree |= (cut >> i) & 1u || !set_may_be_tree(&paper, 1u << i) || lines[i].parent == lines[i].child ? 0 : 1u << i;
            const trial left = set_try(&paper, tree);
            const bool is_good = left.is_forest && left.n_joints == n_tree;
            assert_int_equal(cuts_give(&paper, cut), is_good ? SARRUS_OK : SARRUS_BAD_INPUT);
            if (is_good) {
                assert_int_equal(tree_of(&paper.graph), tree);
                sarrus_graph_free(&paper.graph);
            }
            n_accepted += is_good;
            n_refused += !is_good;
        }
    }
    assert_true(n_accepted > 1000 && n_refused > 1000);
}

#define FIVE_BAR                                                                                                                   \
    "sarrus: 1\nspace: planar\nbodies:\n"                                                                                          \
    "  - {name: a, mass: 1, inertia: 0.1, position: [0, -0.5]}\n"                                                                  \
    "  - {name: b, mass: 1, inertia: 0.1, position: [1, -0.5]}\n"                                                                  \
    "  - {name: c, mass: 1, inertia: 0.1, position: [0.5, -1]}\n"                                                                  \
    "joints:\n"                                                                                                                    \
    "  - {name: A, type: revolute, bodies: [ground, a], at: [0, 0]}\n"                                                             \
    "  - {name: B, type: revolute, bodies: [ground, b], at: [1, 0]}\n"                                                             \
    "  - {name: C, type: revolute, bodies: [a, c], at: [0, -1]}\n"                                                                 \
    "  - {name: D, type: revolute, bodies: [b, c], at: [1, -1]}\n"                                                                 \
    "integrator: {t_end: 1}\n"

/* Plans FIVE_BAR with a line more, line 13; returns the plan, or what was found. */
static sarrus_plan *text_plan(sarrus_context *context, const char *text, sarrus_model **model) {
    sarrus_plan *plan = NULL;
    assert_int_equal(sarrus_scenario_read_text(context, "cut.yaml", text, strlen(text), NULL, 0, model), SARRUS_OK);
    const sarrus_status status = sarrus_plan_create(context, *model, &plan);
    assert_int_equal(status, plan ? SARRUS_OK : SARRUS_BAD_INPUT);
    return plan;
}

static void assert_refused(const char *text, int column, const char *message) {
    sarrus_context *context = NULL;
    sarrus_model *model = NULL;
    assert_int_equal(sarrus_context_create(&context), SARRUS_OK);
    assert_null(text_plan(context, text, &model));
    assert_int_equal(sarrus_context_n_diagnostics(context), 1);
    const sarrus_diagnostic *found = sarrus_context_diagnostic(context, 0);
    assert_string_equal(found->message, message);
    assert_int_equal(found->line, 13);
    assert_int_equal(found->column, column);
    assert_string_equal(found->file, "cut.yaml");
    sarrus_model_destroy(model);
    sarrus_context_destroy(context);
}

static void test_messages(void **state) {
    (void)state;
    assert_refused(FIVE_BAR "dynamics: {cut: []}\n", 17,
                   "'dynamics.cut' leaves a loop: joints 'B', 'A', 'C', 'D'; expected one of them to be cut too");
    assert_refused(FIVE_BAR "dynamics: {cut: [B, D]}\n", 21,
                   "with joint 'D' cut, body 'b' would float, since no other joint attaches it; expected joints that close loops");
    assert_refused(FIVE_BAR "dynamics: {cut: [D, A]}\n", 21,
                   "with joint 'A' cut, body 'a' with the 1 that hangs on it would float, since no other joint attaches it; "
                   "expected joints that close loops");
}

static void test_cut_of_a_scenario(void **state) {
    sarrus_context *context = NULL;
    sarrus_model *model = NULL, *plain_model = NULL;
    (void)state;
    assert_int_equal(sarrus_context_create(&context), SARRUS_OK);
    sarrus_plan *plan = text_plan(context, FIVE_BAR "dynamics: {formulation: udwadia-kalaba, cut: [A]}\n", &model);
    sarrus_plan *plain = text_plan(context, FIVE_BAR "dynamics: {formulation: udwadia-kalaba}\n", &plain_model);
    assert_non_null(plan);
    assert_non_null(plain);
    assert_non_null(strstr(sarrus_plan_report(plan), "cut joints              A (ground - a)\n"));
    assert_non_null(strstr(sarrus_plan_report(plan), "1 because the scenario says so (dynamics.cut)\n"));
    assert_non_null(strstr(sarrus_plan_report(plan), "3 a by C (revolute), as its parent\n"));
    assert_non_null(strstr(sarrus_plan_report(plain), "cut joints              D (b - c)\n"));
    assert_true(sarrus_plan_hash(plan) == sarrus_plan_hash(plain));
    sarrus_plan_destroy(plan);
    sarrus_plan_destroy(plain);
    sarrus_model_destroy(model);
    sarrus_model_destroy(plain_model);
    sarrus_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chain),
        cmocka_unit_test(test_tree_of_s2),
        cmocka_unit_test(test_parallelogram),
        cmocka_unit_test(test_fewest_rows_are_cut),
        cmocka_unit_test(test_exchanges_shorten_paths),
        cmocka_unit_test(test_types_that_are_cut),
        cmocka_unit_test(test_joints_that_hold_nothing),
        cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_random_graphs),
        cmocka_unit_test(test_order_of_joints),
        cmocka_unit_test(test_every_tree_can_be_asked_for),
        cmocka_unit_test(test_messages),
        cmocka_unit_test(test_cut_of_a_scenario),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

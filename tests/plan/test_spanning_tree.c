/* Spanning tree, cut joints and parts of mechanisms made by hand: the graph needs the model's joints only. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "plan/build.h"

enum { MAX_JOINTS = 16, MAX_BODIES = 16, ROOT = -2 };

typedef struct drawing {
    sarrus_model model;
    sarrus_joint joints[MAX_JOINTS];
    sarrus_plan plan;
} drawing;

/* Pairs parent, child; -1 is ground. */
static sarrus_plan_graph *graph_draw(drawing *on, int n_bodies, int n_joints, const int (*ends)[2]) {
    *on = (drawing){0};
    for (int i = 0; i < n_joints; ++i) {
        on->joints[i].body[0] = ends[i][0];
        on->joints[i].body[1] = ends[i][1];
    }
    on->model.n_bodies = n_bodies;
    on->model.n_joints = n_joints;
    on->model.joints = on->joints;
    on->plan.model = &on->model;
    assert_int_equal(sarrus_plan_graph_make(NULL, &on->plan), SARRUS_OK);
    return &on->plan.graph;
}

static void assert_body(const sarrus_plan_graph *graph, int body, int parent_body, int parent_joint, int depth) {
    assert_int_equal(graph->parent_body[body], parent_body);
    assert_int_equal(graph->parent_joint[body], parent_joint);
    assert_int_equal(graph->depth[body], depth);
}

static void test_chain(void **state) {
    drawing paper;
    const int ends[][2] = {{-1, 0}, {1, 0}, {1, 2}}; /* the direction of an arc does not matter */
    (void)state;
    sarrus_plan_graph *graph = graph_draw(&paper, 3, 3, ends);
    assert_body(graph, 0, SARRUS_GROUND, 0, 1);
    assert_body(graph, 1, 0, 1, 2);
    assert_body(graph, 2, 1, 2, 3);
    assert_int_equal(graph->n_cuts, 0);
    assert_int_equal(graph->n_components, 1);
    assert_int_equal(graph->n_floating, 0);
    sarrus_plan_graph_free(graph);
    assert_null(graph->is_cut);
}

/* The five-bar: cranks on ground, the coupler by the first of them, the other two joints cut. */
static void test_parallelogram(void **state) {
    drawing paper;
    const int ends[][2] = {{-1, 0}, {-1, 1}, {-1, 2}, {0, 3}, {1, 3}, {2, 3}};
    const bool cut[] = {false, false, false, false, true, true};
    (void)state;
    sarrus_plan_graph *graph = graph_draw(&paper, 4, 6, ends);
    for (int b = 0; b < 3; ++b)
        assert_body(graph, b, SARRUS_GROUND, b, 1);
    assert_body(graph, 3, 0, 3, 2);
    for (int i = 0; i < 6; ++i)
        assert_int_equal(graph->is_cut[i], cut[i]);
    assert_int_equal(graph->n_cuts, 2);
    assert_int_equal(graph->n_components, 1);
    sarrus_plan_graph_free(graph);
}

/* Breadth first: the cut of a ring lies opposite to its root, wherever the scenario lists the joints. */
static void test_ring_is_cut_at_the_far_end(void **state) {
    drawing paper;
    const int ends[][2] = {{2, 3}, {3, 4}, {0, 1}, {1, 2}, {-1, 0}, {4, 0}};
    (void)state;
    sarrus_plan_graph *graph = graph_draw(&paper, 5, 6, ends);
    assert_body(graph, 0, SARRUS_GROUND, 4, 1);
    assert_body(graph, 1, 0, 2, 2);
    assert_body(graph, 4, 0, 5, 2);
    assert_body(graph, 2, 1, 3, 3);
    assert_body(graph, 3, 4, 1, 3);
    assert_true(graph->is_cut[0]);
    assert_int_equal(graph->n_cuts, 1);
    sarrus_plan_graph_free(graph);
}

/* Ground does not move, so what hangs on it side by side are separate parts; a second joint between the same bodies is a cut. */
static void test_parts(void **state) {
    drawing paper;
    const int ends[][2] = {{-1, 3}, {-1, 0}, {3, 1}, {5, 4}, {0, -1}, {4, 5}};
    (void)state;
    sarrus_plan_graph *graph = graph_draw(&paper, 7, 6, ends);
    const int component[] = {0, 1, 2, 1, 3, 3, 4};
    for (int b = 0; b < 7; ++b)
        assert_int_equal(graph->component[b], component[b]);
    assert_int_equal(graph->n_components, 5);
    assert_int_equal(graph->n_floating, 3);
    assert_body(graph, 2, ROOT, -1, 1);
    assert_body(graph, 4, ROOT, -1, 1);
    assert_body(graph, 5, 4, 3, 2);
    assert_body(graph, 6, ROOT, -1, 1);
    assert_true(graph->is_cut[4]);
    assert_true(graph->is_cut[5]);
    assert_int_equal(graph->n_cuts, 2);
    sarrus_plan_graph_free(graph);
}

static void test_joint_from_ground_to_ground_is_a_cut(void **state) {
    drawing paper;
    const int ends[][2] = {{-1, -1}};
    (void)state;
    sarrus_plan_graph *graph = graph_draw(&paper, 0, 1, ends);
    assert_int_equal(graph->n_cuts, 1);
    assert_int_equal(graph->n_components, 0);
    sarrus_plan_graph_free(graph);
}

/* On random graphs: every body has a way to its root, trees and cuts count up (S2 eq 62), levels of joined bodies differ by one
 * at most (breadth first), and joined bodies are of one part. */
static void test_random_graphs(void **state) {
    uint64_t random = 1;
    (void)state;
    for (int repeat = 0; repeat < 2000; ++repeat) {
        int ends[MAX_JOINTS][2], numbers[2 * MAX_JOINTS + 2];
        for (int i = 0; i < 2 * MAX_JOINTS + 2; ++i) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            numbers[i] = (int)(random >> 40);
        }
        int n_bodies = 1 + numbers[0] % MAX_BODIES, n_joints = numbers[1] % MAX_JOINTS;
        for (int i = 0; i < 2 * n_joints; ++i)
            ends[i / 2][i % 2] = numbers[2 + i] % (n_bodies + 1) - 1;
        drawing paper;
        sarrus_plan_graph *graph = graph_draw(&paper, n_bodies, n_joints, (const int(*)[2])ends);
        assert_int_equal(graph->n_cuts, n_joints - (n_bodies - graph->n_floating));
        for (int b = 0; b < n_bodies; ++b) {
            int at = b, n_levels = 1;
            for (; graph->parent_body[at] >= 0; at = graph->parent_body[at], ++n_levels)
                assert_int_equal(graph->component[at], graph->component[b]);
            assert_int_equal(n_levels, graph->depth[b]);
        }
        for (int i = 0; i < n_joints; ++i) {
            if (ends[i][0] < 0 || ends[i][1] < 0)
                continue;
            assert_int_equal(graph->component[ends[i][0]], graph->component[ends[i][1]]);
            assert_true(abs(graph->depth[ends[i][0]] - graph->depth[ends[i][1]]) <= 1);
        }
        sarrus_plan_graph_free(graph);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chain),
        cmocka_unit_test(test_parallelogram),
        cmocka_unit_test(test_ring_is_cut_at_the_far_end),
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_joint_from_ground_to_ground_is_a_cut),
        cmocka_unit_test(test_random_graphs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

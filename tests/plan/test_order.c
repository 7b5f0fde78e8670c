/* Claims: the candidates for the elimination order are counted right (against a symbolic elimination on a full matrix of bits), the
 * one that is taken costs least, costs grow linearly with a chain of loops, and results do not depend on the order. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "plan/build.h"
#include "plan/order.h"
#include "tests/support/mechanism.h"
#include "tests/tolerances.h"

enum { MAX_BLOCKS = 128 };

/* S by blocks as a full matrix: what meets what, and what the elimination makes of it. */
typedef struct full_matrix {
    int n;
    bool meets[MAX_BLOCKS][MAX_BLOCKS];
    int level[MAX_BLOCKS]; /* found by the elimination: 0 for a block that waits for none */
} full_matrix;

static full_matrix matrix;

/* Eliminates row by row in the order of the indices, marking every entry that is touched, and counts: blocks of L, blocks they are
 * subtracted from, and levels as the longest chain of blocks each of which changes the next. */
static sarrus_plan_order eliminate_fully(full_matrix *s) {
    int *level = s->level;
    sarrus_plan_order found = {0};
    memset(level, 0, sizeof s->level);
    for (int k = 0; k < s->n; ++k) {
        found.n_levels = level[k] + 1 > found.n_levels ? level[k] + 1 : found.n_levels;
        for (int i = k + 1; i < s->n; ++i) {
            if (!s->meets[i][k])
                continue;
            ++found.n_entries;
            level[i] = level[i] > level[k] + 1 ? level[i] : level[k] + 1;
            for (int j = k + 1; j <= i; ++j) {
                if (s->meets[j][k]) {
                    ++found.n_updates;
                    s->meets[i][j] = s->meets[j][i] = true;
                }
            }
        }
    }
    return found;
}

/* Flops of the kernels, block by block: guards, pivots and right side of a block 13; a block of L 4 + 4 for its columns, 8 for the
 * right side, 12 on the diagonal; any other update 16; backwards 4 a block and 8 a block of L. */
static double flops_of(int n, const sarrus_plan_order *found) {
    return (13 + 4) * n + (4 + 4 + 8 + 12 + 8) * found->n_entries + 16 * (found->n_updates - found->n_entries);
}

static void assert_counts(const sarrus_plan_order *said, const sarrus_plan_order *found, int n) {
    assert_int_equal(said->n_entries, found->n_entries);
    assert_int_equal(said->n_updates, found->n_updates);
    assert_int_equal(said->n_levels, found->n_levels);
    assert_true(said->flops == flops_of(n, found));
}

/* Row i of the mechanism is held by these bodies; two rows meet in S when a body holds both. */
static bool rows_meet(const sarrus_mech_row *a, const sarrus_mech_row *b) {
    const int of_a[2] = {a->parent, a->child}, of_b[2] = {b->parent, b->child};
    for (int i = 0; i < 4; ++i) {
        if (of_a[i / 2] >= 0 && of_a[i / 2] == of_b[i % 2])
            return true;
    }
    return false;
}

/* The plan's tables against the full matrix, in the plan's own order. */
static void assert_plan_is_counted(const sarrus_plan *plan, const sarrus_plan_order *said) {
    const sarrus_mech_factor *f = &plan->mech.factor;
    int n_pads = 0;
    memset(&matrix, 0, sizeof matrix);
    matrix.n = f->n_blocks;
    assert_in_range(matrix.n, 0, MAX_BLOCKS);
    for (int a = 0; a < f->n_rows; ++a) {
        for (int b = 0; b < f->n_rows; ++b) {
            if (f->at[a] / 2 != f->at[b] / 2 && rows_meet(&plan->row[f->row_of[a]], &plan->row[f->row_of[b]]))
                matrix.meets[f->at[a] / 2][f->at[b] / 2] = true;
        }
    }
    sarrus_plan_order found = eliminate_fully(&matrix);
    assert_counts(said, &found, matrix.n);
    for (int k = 0, at = 0; k < f->n_blocks; ++k) {
        assert_int_equal(f->column[k], at);
        for (int i = k + 1; i < f->n_blocks; ++i) {
            if (matrix.meets[i][k])
                assert_int_equal(f->entry_row[at++], i);
        }
        assert_int_equal(f->column[k + 1], at);
    }
    for (int i = 0; i < f->n_pads; ++i)
        n_pads += f->pad[i] % 4 == 2;
    assert_int_equal(f->n_rows + n_pads, 2 * f->n_blocks);
}

static sarrus_plan *plan_in_order(const mechanism *m, sarrus_order_kind kind) {
    sarrus_plan *plan = NULL;
    assert_int_equal(sarrus_plan_create_in_order(m->context, m->model, kind, NULL, &plan), SARRUS_OK);
    return plan;
}

static int chosen_of(const sarrus_plan *plan) {
    int chosen = -1, n_chosen = 0;
    for (int i = 0; i < sarrus_plan_n_orders(plan); ++i) {
        sarrus_plan_order order;
        sarrus_plan_order_get(plan, i, &order);
        chosen = order.is_chosen ? i : chosen;
        n_chosen += order.is_chosen;
    }
    assert_int_equal(n_chosen, 1);
    return chosen;
}

/* One per cent is a tie, which the lower tree wins. */
static void assert_best_is_taken(const sarrus_plan *plan) {
    const sarrus_plan_order *chosen = &plan->order[chosen_of(plan)];
    for (int i = 0; i < SARRUS_N_ORDERS; ++i) {
        const sarrus_plan_order *other = &plan->order[i];
        assert_true(chosen->flops <= 1.01 * other->flops);
        if (other->flops <= chosen->flops / 1.01)
            assert_true(chosen->n_levels <= other->n_levels);
    }
}

static const char *const FILES[] = {"five_bar.yaml",     "four_bar.yaml", "slider_crank.yaml",    "andrews.yaml",
                                    "n_four_bar_2.yaml", "pendulum.yaml", "double_pendulum.yaml", "driven_crank.yaml"};

static void candidates_are_counted(void **state) {
    (void)state;
    for (size_t f = 0; f < sizeof FILES / sizeof FILES[0]; ++f) {
        mechanism m = mechanism_open_file(FILES[f], NULL);
        assert_best_is_taken(m.plan);
        int chosen = chosen_of(m.plan);
        double rest = m.plan->cost.flops_per_evaluation - m.plan->order[chosen].flops;
        for (int kind = 0; kind < SARRUS_N_ORDERS; ++kind) {
            sarrus_plan *plan = plan_in_order(&m, (sarrus_order_kind)kind);
            assert_int_equal(chosen_of(plan), kind);
            assert_plan_is_counted(plan, &m.plan->order[kind]);
            /* nothing else in an evaluation knows of the order */
            assert_true(plan->cost.flops_per_evaluation == rest + plan->order[kind].flops);
            if (kind == chosen)
                assert_int_equal(sarrus_plan_hash(plan), sarrus_plan_hash(m.plan));
            sarrus_plan_destroy(plan);
        }
        mechanism_close(&m);
    }
}

/* --- Graphs ----------------------------------------------------------------------------------------------------------- */

/* Tries one candidate on the graph, and holds its order and pattern against the full matrix. */
static sarrus_plan_order try_one(const sarrus_block_graph *graph, sarrus_order_kind kind) {
    sarrus_order_trial trial;
    bool seen[MAX_BLOCKS] = {false};
    assert_true(sarrus_order_try(graph, kind, &trial));
    memset(&matrix, 0, sizeof matrix);
    matrix.n = graph->n;
    for (int i = 0; i < graph->n; ++i) {
        assert_in_range(trial.order[i], 0, graph->n - 1);
        assert_false(seen[trial.order[i]]);
        seen[trial.order[i]] = true;
        for (int j = 0; j < graph->n; ++j)
            matrix.meets[i][j] = i != j && sarrus_block_graph_has(graph, trial.order[i], trial.order[j]);
    }
    sarrus_plan_order found = eliminate_fully(&matrix);
    assert_counts(&trial.facts, &found, graph->n);
    for (int i = 0; i < graph->n; ++i) {
        for (int j = 0; j < i; ++j)
            assert_int_equal(matrix.meets[i][j], sarrus_block_graph_has(&trial.filled, trial.order[i], trial.order[j]));
    }
    sarrus_order_trial_free(&trial);
    return found;
}

/* Blocks that do not wait for one another are side by side, in an order without fill. */
static void assert_by_level(const full_matrix *s) {
    for (int k = 0; k + 1 < s->n; ++k)
        assert_true(s->level[k] <= s->level[k + 1]);
}

static sarrus_block_graph path_graph(int n) {
    sarrus_block_graph graph;
    assert_true(sarrus_block_graph_create(&graph, n));
    for (int i = 0; i + 1 < n; ++i)
        sarrus_block_graph_join(&graph, i, i + 1);
    return graph;
}

static void random_graphs_are_counted(void **state) {
    (void)state;
    uint64_t seed = 20260211;
    for (int repeat = 0; repeat < 300; ++repeat) {
        int n = (int)(0.5 * (mechanism_random(&seed) + 1.0) * 100.0);
        double density = 3.0 * (mechanism_random(&seed) + 1.0) / (n + 1);
        sarrus_block_graph graph;
        assert_true(sarrus_block_graph_create(&graph, n));
        for (int i = 0; i < n; ++i) {
            for (int j = 0; j < i; ++j) {
                if (0.5 * (mechanism_random(&seed) + 1.0) < density)
                    sarrus_block_graph_join(&graph, i, j);
            }
        }
        for (int kind = 0; kind < SARRUS_N_ORDERS; ++kind)
            (void)try_one(&graph, (sarrus_order_kind)kind);
        sarrus_block_graph_free(&graph);
    }
}

/* A path without fill is eliminated from both ends and no faster, half of it at a time; dissection pays fill for a height that is
 * the number of halvings. */
static void paths_are_eliminated_from_both_ends(void **state) {
    (void)state;
    for (int n = 1; n <= MAX_BLOCKS - 1; n = 2 * n + 1) {
        sarrus_block_graph graph = path_graph(n);
        int n_halvings = 0;
        while (n >> n_halvings)
            ++n_halvings;
        for (int kind = 0; kind < SARRUS_N_ORDERS; ++kind) {
            sarrus_plan_order found = try_one(&graph, (sarrus_order_kind)kind);
            if (kind == SARRUS_ORDER_DISSECTION) {
                assert_true(found.n_entries >= n - 1);
                assert_int_equal(found.n_levels, n_halvings);
            } else {
                assert_int_equal(found.n_entries, n - 1);
                assert_int_equal(found.n_levels, n / 2 + 1);
                assert_by_level(&matrix);
            }
        }
        sarrus_block_graph_free(&graph);
    }
}

/* A tree's joints: those of one body meet one another. Such a graph has orders without fill, leaves first, and least fill is one;
 * and all of them have columns of the same lengths, so nothing that works from the leaves to the root has fewer flops. */
static void trees_are_eliminated_without_fill(void **state) {
    (void)state;
    uint64_t seed = 7;
    for (int repeat = 0; repeat < 200; ++repeat) {
        int n = 2 + repeat % 60, parent[64], n_edges = 0;
        sarrus_block_graph graph;
        assert_true(sarrus_block_graph_create(&graph, n));
        for (int i = 0; i < n; ++i) { /* joint i leads from body parent[i] (−1: ground) to body i */
            parent[i] = (int)(0.5 * (mechanism_random(&seed) + 1.0) * (i + 1)) - 1;
            for (int j = 0; j < i; ++j) {
                if (parent[i] == j || (parent[i] >= 0 && parent[i] == parent[j])) {
                    sarrus_block_graph_join(&graph, i, j);
                    ++n_edges;
                }
            }
        }
        sarrus_plan_order fill = try_one(&graph, SARRUS_ORDER_FILL);
        assert_int_equal(fill.n_entries, n_edges);
        assert_by_level(&matrix);
        sarrus_block_graph backwards; /* numbered from the leaves, so that the order as given is the recursion's */
        assert_true(sarrus_block_graph_create(&backwards, n));
        for (int i = 0; i < n; ++i) {
            for (int j = 0; j < i; ++j) {
                if (sarrus_block_graph_has(&graph, i, j))
                    sarrus_block_graph_join(&backwards, n - 1 - i, n - 1 - j);
            }
        }
        sarrus_plan_order recursion = try_one(&backwards, SARRUS_ORDER_GIVEN);
        assert_int_equal(recursion.n_entries, fill.n_entries);
        assert_int_equal(recursion.n_updates, fill.n_updates);
        sarrus_block_graph_free(&backwards);
        sarrus_block_graph_free(&graph);
    }
}

static void ties_are_broken_in_sequence(void **state) {
    (void)state;
    const sarrus_plan_order lower_in_the_tie[] = {{.flops = 100, .n_levels = 9}, {.flops = 100.5, .n_levels = 3}};
    const sarrus_plan_order lower_but_dearer[] = {{.flops = 100, .n_levels = 9}, {.flops = 102, .n_levels = 3}};
    const sarrus_plan_order alike[] = {
        {.flops = 101, .n_levels = 3}, {.flops = 100.5, .n_levels = 3}, {.flops = 100, .n_levels = 3}};
    /* each within one per cent of the next, but the first not of the least */
    const sarrus_plan_order ladder[] = {
        {.flops = 101.5, .n_levels = 1}, {.flops = 100.8, .n_levels = 2}, {.flops = 100, .n_levels = 3}};
    const sarrus_plan_order none[] = {{.flops = 0}, {.flops = 0}};
    assert_int_equal(sarrus_order_choose(lower_in_the_tie, 2), 1);
    assert_int_equal(sarrus_order_choose(lower_but_dearer, 2), 0);
    assert_int_equal(sarrus_order_choose(alike, 3), 0);
    assert_int_equal(sarrus_order_choose(ladder, 3), 1);
    assert_int_equal(sarrus_order_choose(none, 2), 0);
}

/* 400 blocks take some tens of milliseconds; ten times as many would show here, with a sanitizer as well. */
static void large_graphs_are_ordered_in_time(void **state) {
    (void)state;
    enum { N = 400 };
    sarrus_block_graph graph = path_graph(N);
    for (int i = 0; i + 2 < N; i += 3)
        sarrus_block_graph_join(&graph, i, i + 2);
    clock_t begin = clock();
    for (int kind = 0; kind < SARRUS_N_ORDERS; ++kind) {
        sarrus_order_trial trial;
        assert_true(sarrus_order_try(&graph, (sarrus_order_kind)kind, &trial));
        sarrus_order_trial_free(&trial);
    }
    double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    print_message("%d blocks: %.3f s for all orders\n", N, seconds);
    assert_true(seconds < 1.0);
    sarrus_block_graph_free(&graph);
}

/* --- A chain of loops ------------------------------------------------------------------------------------------------- */

/* The joints of the N-four-bar: link i stands on A_i, coupler i hangs between L_i and R_i. */
static sarrus_block_graph four_bars_graph(int n_loops) {
    sarrus_block_graph graph;
    assert_true(sarrus_block_graph_create(&graph, 3 * n_loops + 1));
    for (int i = 1; i <= n_loops; ++i) {
        int left = n_loops + 2 * i - 1, right = left + 1;
        sarrus_block_graph_join(&graph, left, right);
        sarrus_block_graph_join(&graph, left, i - 1);
        sarrus_block_graph_join(&graph, right, i);
        if (i > 1)
            sarrus_block_graph_join(&graph, left, left - 1);
    }
    return graph;
}

/* Every loop adds the same cell to the graph, which has an order without fill, and all such orders have columns of the same
 * lengths: the count is a straight line exactly. Dissection adds fill near its separators, less than a second copy of each column.
 */
static void flops_grow_linearly_with_the_loops(void **state) {
    (void)state;
    double first = 0.0, slope = 0.0;
    for (int n_loops = 2; n_loops <= 40; ++n_loops) {
        sarrus_block_graph graph = four_bars_graph(n_loops);
        double best = try_one(&graph, SARRUS_ORDER_FILL).n_entries;
        assert_true(best == 4 * n_loops - 1);
        assert_by_level(&matrix);
        sarrus_plan_order orders[SARRUS_N_ORDERS];
        for (int kind = 0; kind < SARRUS_N_ORDERS; ++kind) {
            orders[kind] = try_one(&graph, (sarrus_order_kind)kind);
            orders[kind].flops = flops_of(graph.n, &orders[kind]);
        }
        double flops = orders[sarrus_order_choose(orders, SARRUS_N_ORDERS)].flops;
        first = n_loops == 2 ? flops : first;
        slope = n_loops == 3 ? flops - first : slope;
        assert_true(flops == first + slope * (n_loops - 2));
        assert_true(orders[SARRUS_ORDER_DISSECTION].n_levels <= 1.0 + log(graph.n) / log(4.0 / 3.0));
        assert_true(orders[SARRUS_ORDER_FILL].n_levels <= n_loops + 2);
        sarrus_block_graph_free(&graph);
    }
}

/* Text of the scenario: links 1 m apart, couplers between the tips. */
static char *four_bars_text(int n_loops) {
    char *text = NULL;
    size_t n_text = 0;
    FILE *out = open_memstream(&text, &n_text);
    assert_non_null(out);
    fputs("sarrus: 1\nspace: planar\nbodies:\n", out);
    for (int i = 0; i <= n_loops; ++i)
        fprintf(out, "  - {name: link_%d, mass: 1, inertia: 0.08, position: [%d, 0.5], velocity: [0.5, 0], angular_velocity: -1}\n",
                i, i);
    for (int i = 1; i <= n_loops; ++i)
        fprintf(out, "  - {name: coupler_%d, mass: 1, inertia: 0.08, position: [%d.5, 1], velocity: [1, 0]}\n", i, i - 1);
    fputs("joints:\n", out);
    for (int i = 0; i <= n_loops; ++i)
        fprintf(out, "  - {name: A%d, type: revolute, bodies: [ground, link_%d], at: [%d, 0]}\n", i, i, i);
    for (int i = 1; i <= n_loops; ++i) {
        fprintf(out, "  - {name: L%d, type: revolute, bodies: [link_%d, coupler_%d], at: [%d, 1]}\n", i, i - 1, i, i - 1);
        fprintf(out, "  - {name: R%d, type: revolute, bodies: [link_%d, coupler_%d], at: [%d, 1]}\n", i, i, i, i);
    }
    fputs("integrator: {method: rk4, dt: 1.0e-3, t_end: 1.0}\n", out);
    fclose(out);
    return text;
}

/* A whole evaluation of the plan; with full matrices n = 6N + 3 and m = 6N + 2 make n m² + m³/3 the leading term, 288 N³. */
static void evaluations_grow_linearly_and_full_matrices_cubically(void **state) {
    (void)state;
    static const int loops[] = {2, 3, 4, 5, 8, 12, 16};
    double first = 0.0, slope = 0.0;
    for (size_t i = 0; i < sizeof loops / sizeof loops[0]; ++i) {
        sarrus_plan_sizes sizes;
        char *text = four_bars_text(loops[i]);
        mechanism m = mechanism_open_text(text, NULL);
        sarrus_plan_sizes_get(m.plan, &sizes);
        assert_best_is_taken(m.plan);
        double flops = sizes.flops_per_evaluation, n = loops[i];
        first = i == 0 ? flops : first;
        slope = i == 1 ? flops - first : slope;
        assert_true(flops == first + slope * (loops[i] - 2));
        /* all other terms of the count are positive: the next is 216 N² + 72 N² + 36 N² + 36 N² + 180 N² at most, 2/N of it */
        double share = sizes.dense_algebra_flops_per_evaluation / (288.0 * n * n * n);
        assert_true(share > 1.0 && share < 1.0 + 3.0 / n);
        mechanism_close(&m);
        free(text);
    }
}

/* --- Results ---------------------------------------------------------------------------------------------------------- */

enum { N_STEPS = 100 };

/* q, v and the accelerations there after N_STEPS. */
static void run_in_order(const mechanism *m, const sarrus_plan *plan, double *q, double *v, double *a) {
    sarrus_batch_options options = {.backend = SARRUS_BACKEND_CPU, .n_threads = 1};
    sarrus_batch *batch = NULL;
    assert_int_equal(sarrus_batch_create(m->context, plan, &options, 1, NULL, &batch), SARRUS_OK);
    assert_int_equal(sarrus_batch_advance(batch, N_STEPS), SARRUS_OK);
    mechanism_observe(batch, SARRUS_OBSERVE_ACCELERATION, a);
    assert_int_equal(sarrus_batch_state(batch, 0, q, v), SARRUS_OK);
    sarrus_batch_destroy(batch);
}

/* Two orders differ by the round-off of their solutions, eps times the squared condition of J M^{-1/2}. A step leaves that share of
 * what it moves in the state; the times are short against the motions' own growth, so the steps' shares add up. */
static void results_do_not_depend_on_the_order(void **state) {
    (void)state;
    static double q[2][64], v[2][64], a[2][64];
    int n_different = 0;
    for (size_t f = 0; f < sizeof FILES / sizeof FILES[0]; ++f) {
        mechanism m = mechanism_open_file(FILES[f], NULL);
        size_t n = (size_t)m.n;
        run_in_order(&m, m.plan, q[0], v[0], a[0]);
        double condition = reference_condition(m.ref, 0.0, q[0], 1e-10), share = TOLERANCE_SOLVE(m.n + m.m, condition * condition);
        double dt = m.model->integrator.grid, speed = mechanism_size(v[0], n);
        double moved = mechanism_size(a[0], n) + speed * speed;
        for (int kind = 0; kind < SARRUS_N_ORDERS; ++kind) {
            sarrus_plan *plan = plan_in_order(&m, (sarrus_order_kind)kind);
            n_different += memcmp(plan->row_of, m.plan->row_of, (size_t)m.plan->mech.factor.n_rows * sizeof(int32_t)) != 0;
            run_in_order(&m, plan, q[1], v[1], a[1]);
            assert_true(mechanism_distance(v[0], v[1], n) <= N_STEPS * share * (speed + dt * moved));
            assert_true(mechanism_distance(q[0], q[1], n) <= N_STEPS * share * (mechanism_size(q[0], n) + dt * speed));
            assert_true(mechanism_distance(a[0], a[1], n) <= N_STEPS * share * moved);
            sarrus_plan_destroy(plan);
        }
        mechanism_close(&m);
    }
    assert_true(n_different > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(candidates_are_counted),
        cmocka_unit_test(random_graphs_are_counted),
        cmocka_unit_test(paths_are_eliminated_from_both_ends),
        cmocka_unit_test(trees_are_eliminated_without_fill),
        cmocka_unit_test(ties_are_broken_in_sequence),
        cmocka_unit_test(large_graphs_are_ordered_in_time),
        cmocka_unit_test(flops_grow_linearly_with_the_loops),
        cmocka_unit_test(evaluations_grow_linearly_and_full_matrices_cubically),
        cmocka_unit_test(results_do_not_depend_on_the_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Claims: the runs of a table cover it in order and reproduce every item from the first lap and the steps, whatever the table; what
 * repeats itself is found, with the period that saves the most; a change of a key, or of a step, ends a run. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "jit/plan_text.h"
#include "jit/plan_text_runs.h"
#include "plan/lower.h"
#include "tests/support/mechanism.h"

/* Every item from its run, against the table. */
static void runs_hold(const sarrus_plan_items *items, const sarrus_plan_runs *runs) {
    int32_t next = 0, n_written = 0;
    for (int32_t r = 0; r < runs->n; ++r) {
        const sarrus_plan_run *run = &runs->run[r];
        assert_int_equal(run->first, next);
        for (int32_t lap = 0; lap < run->n_laps; ++lap) {
            for (int32_t i = run->first; i < run->first + run->period; ++i) {
                const int32_t *begin = sarrus_plan_item(items, i), *here = sarrus_plan_item(items, i + lap * run->period);
                for (int32_t j = 0; j < items->n_keys; ++j)
                    assert_int_equal(here[j], begin[j]);
                for (int32_t j = items->n_keys; j < items->n_keys + items->n_numbers; ++j)
                    assert_int_equal(here[j], begin[j] + lap * sarrus_plan_run_step(items, run, i, j));
            }
        }
        next += run->period * run->n_laps;
        n_written += run->period;
    }
    assert_int_equal(next, items->n);
    assert_int_equal(n_written, runs->n_written);
}

/* A table of one key and one number an item. */
static sarrus_plan_runs table_runs(const int32_t (*table)[2], int32_t n) {
    sarrus_plan_items items;
    sarrus_plan_runs runs;
    assert_true(sarrus_plan_items_create(&items, n, 1, 1));
    memcpy(items.values, table, (size_t)n * sizeof *table);
    assert_true(sarrus_plan_runs_find(&items, &runs));
    runs_hold(&items, &runs);
    sarrus_plan_items_free(&items);
    return runs;
}

static void repetitions_are_found(void **state) {
    (void)state;
    static const int32_t steady[6][2] = {{0, 3}, {0, 5}, {0, 7}, {0, 9}, {0, 11}, {0, 13}};
    static const int32_t pairs[8][2] = {{0, 1}, {1, 40}, {0, 3}, {1, 30}, {0, 5}, {1, 20}, {0, 7}, {1, 10}};
    sarrus_plan_runs runs = table_runs(steady, 6);
    assert_int_equal(runs.n, 1);
    assert_int_equal(runs.run[0].period, 1);
    sarrus_plan_runs_free(&runs);
    runs = table_runs(pairs, 8);
    assert_int_equal(runs.n, 1);
    assert_int_equal(runs.run[0].period, 2);
    assert_int_equal(runs.run[0].n_laps, 4);
    sarrus_plan_runs_free(&runs);
    runs = table_runs(steady, 0);
    assert_int_equal(runs.n, 0);
    sarrus_plan_runs_free(&runs);
}

static void what_differs_ends_a_run(void **state) {
    (void)state;
    static const int32_t key[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 4}, {1, 5}, {1, 6}};
    static const int32_t step[7][2] = {{0, 1}, {0, 2}, {0, 3}, {0, 4}, {0, 6}, {0, 8}, {0, 10}};
    static const int32_t noise[5][2] = {{0, 1}, {0, 7}, {0, 3}, {0, 19}, {0, 2}};
    sarrus_plan_runs runs = table_runs(key, 6);
    assert_int_equal(runs.n, 2);
    assert_int_equal(runs.run[1].first, 3);
    sarrus_plan_runs_free(&runs);
    runs = table_runs(step, 7);
    assert_int_equal(runs.n, 2);
    assert_int_equal(runs.run[0].n_laps, 4);
    assert_int_equal(runs.run[1].n_laps, 3);
    sarrus_plan_runs_free(&runs);
    runs = table_runs(noise, 5);
    assert_int_equal(runs.n, 5);
    sarrus_plan_runs_free(&runs);
}

/* 40 loops in a row: little is left to write, and the form follows; a short or a shapeless mechanism goes straight through. */
static void mechanisms_have_runs(void **state) {
    (void)state;
    static const struct {
        const char *file;
        double most_written, least_written;
        sarrus_plan_text_form form;
    } cases[] = {
        {"n_four_bar_40.yaml", 0.2, 0.0, SARRUS_PLAN_TEXT_IN_RUNS},
        {"andrews.yaml", 1.0, 0.6, SARRUS_PLAN_TEXT_STRAIGHT},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        mechanism m = mechanism_open_file(cases[i].file, NULL);
        sarrus_lowered lowered;
        sarrus_plan_text_runs all;
        const char *why_not;
        double n_flops;
        assert_true(sarrus_plan_lower(m.plan, 1, &lowered));
        assert_true(sarrus_plan_text_runs_create(&all, &lowered.mech));
        for (int table = 0; table < SARRUS_N_RUN_TABLES; ++table)
            runs_hold(&all.items[table], &all.runs[table]);
        const double written = sarrus_plan_text_runs_written(&all);
        assert_true(written <= cases[i].most_written && written >= cases[i].least_written);
        assert_int_equal(sarrus_plan_text_form_of(m.plan, &n_flops, &why_not), cases[i].form);
        sarrus_plan_text_runs_free(&all);
        sarrus_lowered_free(&lowered);
        mechanism_close(&m);
    }
}

/* Legs that are alike are laps over a tree, wherever they stand: behind the first leg, with the platform, five of two links, of
 * three rows each, and of what those carry. Which components of joint points happen to be 0 in one leg alone counts in none. */
static void legs_are_laps(void **state) {
    (void)state;
    static const sarrus_override relative[] = {{"dynamics.formulation", "relative"}, {NULL, NULL}};
    mechanism m = mechanism_open_file("stewart_platform.yaml", relative);
    const sarrus_plan *plan = sarrus_plan_stepped(m.plan);
    sarrus_lowered lowered;
    sarrus_plan_text_runs all;
    const char *why_not;
    double n_flops;
    assert_true(sarrus_plan_lower(plan, 1, &lowered));
    assert_true(sarrus_plan_text_runs_create(&all, &lowered.mech));
    for (int table = 0; table < SARRUS_N_RUN_TABLES; ++table)
        runs_hold(&all.items[table], &all.runs[table]);
    const sarrus_plan_runs *tree = all.runs + SARRUS_RUNS_TREE;
    const sarrus_plan_run *legs = &tree[SARRUS_TREE_RUNS_LINKS].run[3];
    assert_int_equal(tree[SARRUS_TREE_RUNS_LINKS].n, 4);
    assert_true(legs->period == 2 && legs->n_laps == 5);
    assert_true(all.items[SARRUS_RUNS_TREE + SARRUS_TREE_RUNS_ENTRIES].n > 3 * tree[SARRUS_TREE_RUNS_ENTRIES].n_written);
    assert_true(all.items[SARRUS_RUNS_TREE + SARRUS_TREE_RUNS_CARRIES].n > 3 * tree[SARRUS_TREE_RUNS_CARRIES].n_written);
    assert_int_equal(sarrus_plan_text_form_of(plan, &n_flops, &why_not), SARRUS_PLAN_TEXT_IN_RUNS);
    assert_true(n_flops == sarrus_plan_text_tree_runs_flops(&all, &lowered.mech) && n_flops < 0.6 * plan->cost.code_flops);
    sarrus_plan_text_runs_free(&all);
    sarrus_lowered_free(&lowered);
    mechanism_close(&m);
}

/* An arm whose axes lie along those of its bodies is moved in frames of the bodies' own, whose loops are not in runs: it is
 * straight code as long as that fits, and none beyond. */
static void arms_in_own_frames_are_straight(void **state) {
    (void)state;
    for (int n_arms = 1; n_arms <= 3; n_arms += 2) {
        char *text = NULL;
        size_t length = 0;
        FILE *out = open_memstream(&text, &length);
        assert_non_null(out);
        fprintf(out,
                "sarrus: 1\nspace: spatial\ndynamics: {formulation: relative}\nintegrator: {method: rk4, dt: 1.0e-3, t_end: 1}\n"
                "bodies:\n");
        for (int i = 0; i < 12 * n_arms; ++i)
            fprintf(out, "  - {name: b%d, mass: 1, inertia: [0.1, 0.12, 0.13], position: [%g, %d, 0]}\n", i, i % 12 + 0.5, i / 12);
        fprintf(out, "joints:\n");
        for (int i = 0; i < 12 * n_arms; ++i) {
            char inboard[16] = "ground";
            if (i % 12 > 0)
                (void)snprintf(inboard, sizeof inboard, "b%d", i - 1);
            fprintf(out, "  - {name: j%d, type: revolute, bodies: [%s, b%d], at: [%d, %d, 0], axis: [0, %d, %d]}\n", i, inboard, i,
                    i % 12, i / 12, i % 2, 1 - i % 2);
        }
        assert_int_equal(fclose(out), 0);
        mechanism m = mechanism_open_text(text, NULL);
        const char *why_not;
        double n_flops;
        assert_true(sarrus_plan_stepped(m.plan)->mech.tree.in_own_frames);
        assert_int_equal(sarrus_plan_text_form_of(sarrus_plan_stepped(m.plan), &n_flops, &why_not),
                         n_arms == 1 ? SARRUS_PLAN_TEXT_STRAIGHT : SARRUS_PLAN_TEXT_NONE);
        mechanism_close(&m);
        free(text);
    }
}

/* In the plane straight code has stretches and stays where it fits, however much repeats itself: eight loops took 1.9 times as
 * long in runs. */
static void loops_of_the_plane_stay_straight(void **state) {
    (void)state;
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    assert_non_null(out);
    fprintf(
        out,
        "sarrus: 1\nspace: planar\ndynamics: {formulation: relative}\nintegrator: {method: rk4, dt: 1.0e-3, t_end: 1}\nbodies:\n");
    for (int i = 0; i < 22; ++i)
        fprintf(out, "  - {name: b%d, mass: 1, inertia: 0.1, position: [%g, 0]}\n", i, i + 0.5);
    fprintf(out, "joints:\n  - {name: j0, type: revolute, bodies: [ground, b0], at: [0, 0]}\n");
    for (int i = 1; i < 22; ++i)
        fprintf(out, "  - {name: j%d, type: revolute, bodies: [b%d, b%d], at: [%d, 0]}\n", i, i - 1, i, i);
    assert_int_equal(fclose(out), 0);
    mechanism m = mechanism_open_text(text, NULL);
    const char *why_not;
    double n_flops;
    assert_int_equal(sarrus_plan_text_form_of(sarrus_plan_stepped(m.plan), &n_flops, &why_not), SARRUS_PLAN_TEXT_STRAIGHT);
    assert_true(n_flops > 4000.0); /* long enough for runs, in space */
    mechanism_close(&m);
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(repetitions_are_found),
        cmocka_unit_test(what_differs_ends_a_run),
        cmocka_unit_test(mechanisms_have_runs),
        cmocka_unit_test(legs_are_laps),
        cmocka_unit_test(arms_in_own_frames_are_straight),
        cmocka_unit_test(loops_of_the_plane_stay_straight),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

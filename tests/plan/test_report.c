/* The model card says what the plan holds, in lines that a terminal shows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "plan/plan.h"
#include "tests/support/mechanism.h"

static void assert_says(const char *card, const char *words) {
    if (!strstr(card, words))
        fail_msg("the card does not say '%s':\n%s", words, card);
}

static void assert_silent(const char *card, const char *words) {
    if (strstr(card, words))
        fail_msg("the card says '%s':\n%s", words, card);
}

/* Every line ends, none is longer than 99 characters or ends in a blank, and there are at most `n_lines`. */
static void assert_readable(const char *card, int n_lines) {
    int width = 0, n = 0;
    char before = 0;
    for (const char *at = card; *at; before = *at++) {
        if (*at == '\n') {
            assert_true(before != ' ');
            width = 0;
            ++n;
        } else {
            width += ((unsigned char)*at & 0xC0) != 0x80;
            if (width > 99)
                fail_msg("line %d is too long:\n%s", n + 1, card);
        }
    }
    assert_int_equal(before, '\n');
    assert_true(n <= n_lines);
}

static void test_five_bar(void **state) {
    (void)state;
    mechanism m = mechanism_open_file("five_bar.yaml", NULL);
    const char *card = sarrus_plan_report(m.plan);
    char row[64], line[128];
    assert_readable(card, 100);
    assert_says(card, "five-bar parallelogram\n");
    assert_says(card, "coordinates n           12\n");
    assert_says(card, "constraints m           12\n");
    assert_says(card, "rank r                  11,");
    assert_says(card, "degrees of freedom      1 = n - r\n");
    assert_says(card, "redundant constraints   1 = m - r\n");
    assert_says(card, "loops                   2\n");
    assert_says(card, "coupler by D (revolute)\n");
    assert_says(card, "cut joints              E (crank_b - coupler), F (crank_c - coupler)\n");
    assert_says(card, "leaves open           A, B, C, D, E, F\n");
    assert_says(card, "accelerations a         unique");
    assert_says(card, "multipliers             not unique");
    assert_silent(card, "WARNING");
    sarrus_plan_row_name(m.plan, m.plan->independence.dependent[0], row, sizeof row);
    snprintf(line, sizeof line, "redundant               %s\n", row);
    assert_says(card, line);
    assert_says(card, "20000 steps\n");
    assert_says(card, "times                   2001, every 10 steps (0.01 s)\n");
    /* 2001 outputs of q and v (24 numbers), energy, two errors and six reactions of three, and a rank of two bytes. */
    assert_says(card, "result file             724.4 kB before compression\n");
    snprintf(line, sizeof line, "one evaluation          %.0f flops", m.plan->cost.flops_per_evaluation);
    assert_says(card, line);
    snprintf(line, sizeof line, "  with full matrices    %.0f flops, of which linear algebra %.0f\n",
             m.plan->cost.flops_per_evaluation - m.plan->cost.algebra_flops_per_evaluation +
                 m.plan->cost.dense_algebra_flops_per_evaluation,
             m.plan->cost.dense_algebra_flops_per_evaluation);
    assert_says(card, line);
    mechanism_close(&m);
}

/* A line for every order, and one of them marked. */
static void test_orders(void **state) {
    (void)state;
    mechanism m = mechanism_open_file("andrews.yaml", NULL);
    const char *card = sarrus_plan_report(m.plan);
    char line[128];
    for (int i = 0; i < sarrus_plan_n_orders(m.plan); ++i) {
        sarrus_plan_order order;
        sarrus_plan_order_get(m.plan, i, &order);
        snprintf(line, sizeof line, "  %-24s%-22s %8.0f flops %12d %8d\n", order.is_chosen ? "  taken" : "", order.name,
                 order.flops, order.n_entries, order.n_levels);
        assert_says(card, line);
    }
    assert_says(card, "    taken                 least fill ");
    assert_silent(strstr(card, "  taken ") + 1, "  taken ");
    mechanism_close(&m);
}

static void test_large_mechanism(void **state) {
    (void)state;
    mechanism m = mechanism_open_file("n_four_bar_40.yaml", NULL);
    const char *card = sarrus_plan_report(m.plan);
    assert_readable(card, 160);
    assert_says(card, "constraints m           242\n");
    assert_says(card, "loops                   40\n");
    assert_says(card, "… and 57 more bodies\n");
    assert_says(card, "… and 97 more joints\n");
    assert_says(card, "unique in 121 of 121 joints\n");
    assert_says(card, "multipliers             unique");
    mechanism_close(&m);
}

static void test_singular_start_is_told(void **state) {
    (void)state;
    mechanism m = mechanism_open_file("five_bar_singular.yaml", NULL);
    assert_true(m.plan->independence.rank_at_t0 < m.plan->independence.n_independent);
    assert_says(sarrus_plan_report(m.plan), "rank r                  11, the largest in 11 configurations; 10 at t = 0\n");
    assert_silent(sarrus_plan_report(m.plan), "WARNING"); /* sarrus_warnings_create has it */
    mechanism_close(&m);
}

/* One pendulum, and beside it a body held by two joints where one would do, and a body that no joint holds. The names are longer
 * than any column. */
static const char *const parts =
    "sarrus: 1\n"
    "space: planar\n"
    "bodies:\n"
    "  - {name: pendulum, mass: 1, inertia: 0.1, position: [0, -1]}\n"
    "  - {name: a_body_with_a_name_that_no_table_has_room_for, mass: 1, inertia: 0.1, position: [5, 0]}\n"
    "  - {name: free, mass: 1, inertia: 0.1, position: [9, 0]}\n"
    "joints:\n"
    "  - {name: P, type: revolute, bodies: [ground, pendulum], at: [0, 0], drive: {signal: {constant: 0}}}\n"
    "  - {name: Q, type: fixed, bodies: [ground, a_body_with_a_name_that_no_table_has_room_for], at: [5, 0]}\n"
    "  - {name: a_joint_with_a_name_that_no_table_has_room_for_at_all, type: revolute, at: [6, 0],\n"
    "     bodies: [ground, a_body_with_a_name_that_no_table_has_room_for]}\n"
    "integrator: {method: rk4, dt: 1.0e-3, t_end: 1.0}\n"
    "batch:\n"
    "  instances: 10\n"
    "  parameters: [{path: bodies.free.mass, distribution: normal, mean: 1, sd: 0.1}]\n";

static void test_parts_and_groups(void **state) {
    (void)state;
    mechanism m = mechanism_open_text(parts, NULL);
    const char *card = sarrus_plan_report(m.plan);
    assert_readable(card, 100);
    assert_says(card, "planar linkage\n");
    assert_says(card, "parts                   3 (without ground), of which floating 1\n");
    assert_says(card, "free, floating\n");
    assert_says(card, "redundant constraints   2 = m - r\n");
    assert_says(card, "leave open            Q, a_joint");
    assert_says(card, "unique in 1 of 3 joints\n");
    assert_says(card, "normal, mean 1, sd 0.1\n");
    assert_true(sarrus_plan_reaction_is_unique(m.plan, 0));
    assert_false(sarrus_plan_reaction_is_unique(m.plan, 1));
    mechanism_close(&m);
}

static void test_row_names(void **state) {
    static const char *const expected[] = {"joint P, x", "joint P, y", "joint P, drive",
                                           "joint Q, x", "joint Q, y", "joint Q, angle"};
    char name[80], cut[6];
    (void)state;
    mechanism m = mechanism_open_text(parts, NULL);
    for (int i = 0; i < 6; ++i) {
        sarrus_plan_row_name(m.plan, i, name, sizeof name);
        assert_string_equal(name, expected[i]);
    }
    sarrus_plan_row_name(m.plan, 0, cut, sizeof cut);
    assert_string_equal(cut, "joint");
    mechanism_close(&m);
}

/* No joint and no constraint. */
static void test_free_body(void **state) {
    (void)state;
    mechanism m = mechanism_open_text("sarrus: 1\nspace: planar\nbodies: [{name: a, mass: 1, inertia: 0.1, position: [0, 0]}]\n"
                                      "joints: []\nintegrator: {method: rk4, dt: 1.0e-3, t_end: 1.0}\n",
                                      NULL);
    const char *card = sarrus_plan_report(m.plan);
    assert_readable(card, 100);
    assert_says(card, "degrees of freedom      3 = n - r\n");
    assert_says(card, "a, floating\n");
    assert_says(card, "cut joints              none\n");
    mechanism_close(&m);
}

/* Settings by name, whatever they are, in lines that fit. */
static void test_settings_in_words(void **state) {
    (void)state;
    for (int i = 0; i < SARRUS_N_PINV_METHODS * SARRUS_N_RANK_METHODS; ++i) {
        const sarrus_pinv_method pinv = (sarrus_pinv_method)(i / SARRUS_N_RANK_METHODS);
        const sarrus_rank_method method = (sarrus_rank_method)(i % SARRUS_N_RANK_METHODS);
        char rank[64], said[128];
        snprintf(rank, sizeof rank, "{method: %s}", sarrus_rank_method_word(method));
        const sarrus_override overrides[] = {
            {"dynamics.pinv", sarrus_pinv_method_word(pinv)}, {"dynamics.rank", rank}, {NULL, NULL}};
        mechanism m = mechanism_open_file("pendulum.yaml", overrides);
        const char *card = sarrus_plan_report(m.plan);
        assert_readable(card, 100);
        snprintf(said, sizeof said, "  pinv                    %s: ", sarrus_pinv_method_word(pinv));
        assert_says(card, said);
        if (method == SARRUS_RANK_AUTO)
            snprintf(said, sizeof said, "  rank decision           auto: ");
        else
            snprintf(said, sizeof said, "  rank decision           %s, tol %g: ", sarrus_rank_method_word(method),
                     sarrus_rank_method_tolerance(method));
        assert_says(card, said);
        mechanism_close(&m);
    }
}

static void test_adaptive_integrators(void **state) {
    (void)state;
    const sarrus_override overrides[] = {
        {"integrator", "{method: adams-moulton, dt: 1e-4, t_end: 2, rtol: 1e-9, atol: 1e-11, max_order: 7, max_steps: 500}"},
        {"output", "{interval: 0.03, channels: [singular_values, work]}"},
        {"dynamics.baumgarte", "{rule: step}"},
        {NULL, NULL}};
    mechanism m = mechanism_open_file("pendulum.yaml", overrides);
    const char *card = sarrus_plan_report(m.plan);
    assert_readable(card, 100);
    assert_says(card, "  integrator              adams-moulton, orders 1 to 7, rtol 1e-09, atol 1e-11\n");
    assert_says(card, "  steps                   the first 0.0001 s, at most 500, to t_end 2 s\n");
    assert_says(card, "  baumgarte               alpha = beta, from the step\n");
    assert_says(card, "  times                   68, every 0.03 s\n"); /* t = 0, 66 intervals, and t_end */
    assert_says(card, "  channels                work, singular_values\n");
    mechanism_close(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_five_bar),
        cmocka_unit_test(test_large_mechanism),
        cmocka_unit_test(test_parts_and_groups),
        cmocka_unit_test(test_singular_start_is_told),
        cmocka_unit_test(test_row_names),
        cmocka_unit_test(test_free_body),
        cmocka_unit_test(test_orders),
        cmocka_unit_test(test_settings_in_words),
        cmocka_unit_test(test_adaptive_integrators),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Claims: planning grows with the mechanism as it should. Counted, not timed: numbers of the factors, operations of one
 * factorization, blocks of L. What is redundant in large mechanisms is found, and what is unique. Whoever watches is told and can
 * stop it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bench/plan/scenarios.h"
#include "core/monotonic.h"
#include "plan/configuration.h"
#include "plan/plan.h"

typedef struct made {
    sarrus_context *context;
    sarrus_model *model;
    sarrus_plan *plan;
} made;

static void made_free(made *m) {
    sarrus_plan_destroy(m->plan);
    sarrus_model_destroy(m->model);
    sarrus_context_destroy(m->context);
}

static sarrus_status make(made *m, void (*write)(FILE *out, int n), int n, const sarrus_plan_options *options) {
    char *text = NULL;
    size_t n_text = 0;
    FILE *out = open_memstream(&text, &n_text);
    assert_non_null(out);
    write(out, n);
    assert_int_equal(fclose(out), 0);
    *m = (made){0};
    assert_int_equal(sarrus_context_create(&m->context), SARRUS_OK);
    assert_int_equal(sarrus_scenario_read_text(m->context, "large", text, n_text, NULL, 0, &m->model), SARRUS_OK);
    free(text);
    return sarrus_plan_create_watched(m->context, m->model, options, &m->plan);
}

/* Operations of one factorization of all rows, and numbers of the plan's tables. */
static void count(void (*write)(FILE *out, int n), int n, double *flops, double *numbers) {
    made m;
    sarrus_configuration c;
    assert_int_equal(make(&m, write, n, NULL), SARRUS_OK);
    assert_int_equal(sarrus_configuration_create(m.plan, &c), SARRUS_OK);
    (void)sarrus_configuration_rows(&c, 0.0);
    assert_true(sarrus_fronts_factor(&c.fronts, &c.rows, 1e-6, c.phi));
    *flops = c.fronts.flops;
    *numbers = m.plan->mech.factor.n_entries + m.plan->mech.factor.n_updates + m.plan->mech.factor.n_block_shares;
    sarrus_configuration_free(&c);
    made_free(&m);
}

static void chains_and_ladders_grow_linearly(void **state) {
    (void)state;
    void (*const families[])(FILE *, int) = {sarrus_bench_chain_write, sarrus_bench_ladder_write};
    for (size_t i = 0; i < sizeof families / sizeof families[0]; ++i) {
        double few[2], many[2];
        count(families[i], 100, &few[0], &few[1]);
        count(families[i], 400, &many[0], &many[1]);
        printf("family %zu: 4 times the mechanism, %.2f times the operations, %.2f times the tables\n", i, many[0] / few[0],
               many[1] / few[1]);
        assert_true(many[0] < 4.5 * few[0]);
        assert_true(many[1] < 4.5 * few[1]);
    }
}

/* An open chain of 2,000 bodies took longer than anybody would wait. */
static void a_long_chain_is_planned_soon(void **state) {
    (void)state;
    made m;
    const double begun = sarrus_monotonic_seconds();
    assert_int_equal(make(&m, sarrus_bench_chain_write, 2000, NULL), SARRUS_OK);
    const double seconds = sarrus_monotonic_seconds() - begun;
    printf("2,000 bodies: %.2f s\n", seconds);
    assert_true(seconds < 60.0);
    sarrus_plan_sizes sizes;
    sarrus_plan_sizes_get(m.plan, &sizes);
    assert_int_equal(sizes.rank, 4000);
    assert_int_equal(sizes.n_dof, 2000);
    int n_lines = 0;
    for (const char *at = sarrus_plan_report(m.plan); *at; ++at)
        n_lines += *at == '\n';
    assert_true(n_lines < 200);
    for (int i = 0; i < sizes.n_joints; ++i)
        assert_true(sarrus_plan_reaction_is_unique(m.plan, i));
    made_free(&m);
}

/* Hundreds of rows that depend on one another: chosen by null vectors, and thousands: by elimination. */
static void what_is_redundant_is_found_in_large_sets(void **state) {
    (void)state;
    const int n_pins[] = {20, 700};
    for (int k = 0; k < 2; ++k) {
        made m;
        assert_int_equal(make(&m, sarrus_bench_pins_write, n_pins[k], NULL), SARRUS_OK);
        sarrus_plan_sizes sizes;
        sarrus_plan_sizes_get(m.plan, &sizes);
        assert_int_equal(sizes.rank, 3);
        assert_int_equal(sizes.n_redundant, 2 * n_pins[k] - 3);
        for (int i = 0; i < m.plan->mech.m; ++i)
            assert_false(m.plan->independence.row_is_unique[i]);
        made_free(&m);
    }
    made m;
    assert_int_equal(make(&m, sarrus_bench_lattice_write, 14, NULL), SARRUS_OK);
    sarrus_plan_sizes sizes;
    sarrus_plan_sizes_get(m.plan, &sizes);
    assert_int_equal(sizes.n_dof, 2);
    /* The pin to ground is on no loop; the pins in the corners hold nothing. */
    assert_true(sarrus_plan_reaction_is_unique(m.plan, sizes.n_joints - 1));
    assert_false(sarrus_plan_reaction_is_unique(m.plan, 14 * 7 + 7));
    made_free(&m);
}

typedef struct audience {
    int n_calls, stop_at;
    double last;
} audience;

static int listen(const sarrus_plan_progress *progress, void *user) {
    audience *a = user;
    assert_non_null(progress->phase);
    assert_true(progress->wall_seconds >= 1.0 && progress->wall_seconds >= a->last);
    assert_true(progress->share <= 1.0);
    a->last = progress->wall_seconds;
    return ++a->n_calls == a->stop_at;
}

static void planning_is_told_of_and_stopped(void **state) {
    (void)state;
    made m;
    int32_t stop = 1;
    const sarrus_plan_options stopped = {.stop = &stop};
    assert_int_equal(make(&m, sarrus_bench_chain_write, 50, &stopped), SARRUS_INTERRUPTED);
    assert_null(m.plan);
    made_free(&m);
    /* Large enough for more than a second on any machine of today. */
    audience a = {.stop_at = 3};
    const sarrus_plan_options heard = {.progress = listen, .user = &a};
    assert_int_equal(make(&m, sarrus_bench_chain_write, 16000, &heard), SARRUS_INTERRUPTED);
    assert_int_equal(a.n_calls, 3);
    made_free(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chains_and_ladders_grow_linearly),
        cmocka_unit_test(a_long_chain_is_planned_soon),
        cmocka_unit_test(what_is_redundant_is_found_in_large_sets),
        cmocka_unit_test(planning_is_told_of_and_stopped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

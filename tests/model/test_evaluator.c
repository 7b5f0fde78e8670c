/* Values of instances: draws, then named parameters, then everything that depends on them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/evaluator.h"

static const char scenario[] = "sarrus: 1\nspace: planar\n"
                               "parameters: {L: 2, half: \"=L/2\", m: 3, quarter: \"=half/2\"}\n"
                               "bodies:\n"
                               "  - {name: a, mass: \"=m\", inertia: \"=m*L^2/12\", position: [\"=half\", \"=-L/2\"]}\n"
                               "  - {name: b, mass: \"=m\", inertia: 0.5, position: [\"=quarter\", \"=-L/2\"]}\n"
                               "joints: []\n"
                               "integrator: {dt: 1.0e-3, t_end: 1}\n";

/* A model, an evaluator of it and room for the values. */
struct fixture {
    sarrus_context *context;
    sarrus_model *model;
    sarrus_evaluator *evaluator;
    double *values;
};

static void fixture_create(struct fixture *fixture, const char *batch) {
    char text[4000];
    strcpy(text, scenario);
    strcat(text, batch);
    assert_int_equal(sarrus_context_create(&fixture->context), SARRUS_OK);
    assert_int_equal(sarrus_scenario_read_text(fixture->context, "test.yaml", text, strlen(text), NULL, 0, &fixture->model),
                     SARRUS_OK);
    assert_int_equal(sarrus_evaluator_create(fixture->model, &fixture->evaluator), SARRUS_OK);
    fixture->values = calloc((size_t)fixture->model->n_values, sizeof *fixture->values);
    assert_non_null(fixture->values);
}

static void fixture_destroy(struct fixture *fixture) {
    free(fixture->values);
    sarrus_evaluator_destroy(fixture->evaluator);
    sarrus_model_destroy(fixture->model);
    sarrus_context_destroy(fixture->context);
}

static double at(const struct fixture *fixture, const char *path) {
    const sarrus_value_index i_value = sarrus_model_value_find(fixture->model, path);
    assert_in_range(i_value, 0, fixture->model->n_values - 1);
    return fixture->values[i_value];
}

static void the_nominal_instance(void **state) {
    (void)state;
    struct fixture fixture;
    fixture_create(&fixture, "");
    assert_true(sarrus_evaluator_run(fixture.evaluator, NULL, 0, fixture.values));
    for (int i_value = 0; i_value < fixture.model->n_values; ++i_value) {
        assert_true(fixture.values[i_value] == fixture.model->values[i_value].nominal);
    }
    assert_true(at(&fixture, "bodies.a.inertia") == 1);
    fixture_destroy(&fixture);
}

static void a_drawn_parameter_reaches_all_that_depends_on_it(void **state) {
    (void)state;
    struct fixture fixture;
    fixture_create(&fixture, "batch: {parameters: [{name: L, distribution: uniform, low: 1, high: 9}]}\n");
    double drawn[] = {4, 8};
    const sarrus_draws draws = {.model = fixture.model, .n_instances = 2, .n_sampled = 1, .values = drawn};
    assert_true(sarrus_evaluator_run(fixture.evaluator, &draws, 1, fixture.values));
    assert_true(at(&fixture, "L") == 8 && at(&fixture, "half") == 4 && at(&fixture, "quarter") == 2);
    assert_true(at(&fixture, "bodies.a.inertia") == 16);
    assert_true(at(&fixture, "bodies.a.position.0") == 4 && at(&fixture, "bodies.a.position.1") == -4);
    assert_true(at(&fixture, "bodies.b.position.0") == 2 && at(&fixture, "bodies.b.position.1") == -4);
    assert_true(at(&fixture, "bodies.a.mass") == 3 && at(&fixture, "bodies.b.inertia") == 0.5);
    /* No trace of one instance in the next, nor in the nominal one. */
    assert_true(sarrus_evaluator_run(fixture.evaluator, &draws, 0, fixture.values));
    assert_true(at(&fixture, "quarter") == 1 && at(&fixture, "bodies.a.inertia") == 4);
    assert_true(sarrus_evaluator_run(fixture.evaluator, NULL, 0, fixture.values));
    assert_true(at(&fixture, "quarter") == 0.5 && at(&fixture, "bodies.a.inertia") == 1);
    fixture_destroy(&fixture);
}

static void a_draw_replaces_an_expression(void **state) {
    (void)state;
    struct fixture fixture;
    fixture_create(&fixture, "batch:\n  parameters:\n"
                             "    - {name: L, distribution: uniform, low: 1, high: 9}\n"
                             "    - {path: [bodies.a.position.0, half], distribution: uniform, low: 1, high: 9}\n");
    double drawn[] = {4, 100}; /* [2][1] */
    const sarrus_draws draws = {.model = fixture.model, .n_instances = 1, .n_sampled = 2, .values = drawn};
    assert_true(sarrus_evaluator_run(fixture.evaluator, &draws, 0, fixture.values));
    assert_true(at(&fixture, "half") == 100);
    assert_true(at(&fixture, "quarter") == 50);              /* from the drawn half, not from L */
    assert_true(at(&fixture, "bodies.a.position.0") == 100); /* drawn itself */
    assert_true(at(&fixture, "bodies.b.position.0") == 50);
    assert_true(at(&fixture, "bodies.a.position.1") == -2); /* L */
    fixture_destroy(&fixture);
}

static void draws_are_laid_out_by_parameter(void **state) {
    (void)state;
    struct fixture fixture;
    fixture_create(&fixture, "batch:\n  parameters:\n"
                             "    - {path: bodies.a.mass, distribution: uniform, low: 1, high: 9}\n"
                             "    - {path: [bodies.b.mass, bodies.b.inertia], distribution: uniform, low: 1, high: 9}\n");
    double drawn[2][3] = {{1, 2, 3}, {4, 5, 6}};
    const sarrus_draws draws = {.model = fixture.model, .n_instances = 3, .n_sampled = 2, .values = &drawn[0][0]};
    for (uint64_t i_instance = 0; i_instance < 3; ++i_instance) {
        assert_true(sarrus_evaluator_run(fixture.evaluator, &draws, i_instance, fixture.values));
        assert_true(at(&fixture, "bodies.a.mass") == drawn[0][i_instance]);
        assert_true(at(&fixture, "bodies.b.mass") == drawn[1][i_instance]);
        assert_true(at(&fixture, "bodies.b.inertia") == drawn[1][i_instance]);
    }
    fixture_destroy(&fixture);
}

static void numbers_that_are_not_finite_are_told(void **state) {
    (void)state;
    struct fixture fixture;
    fixture_create(&fixture, "batch: {parameters: [{name: L, distribution: uniform, low: 1, high: 9}]}\n");
    double drawn[] = {(double)NAN, 1e200, 2, (double)INFINITY};
    const sarrus_draws draws = {.model = fixture.model, .n_instances = 4, .n_sampled = 1, .values = drawn};
    assert_false(sarrus_evaluator_run(fixture.evaluator, &draws, 0, fixture.values));
    assert_true(isnan(at(&fixture, "bodies.a.inertia")));
    assert_false(sarrus_evaluator_run(fixture.evaluator, &draws, 1, fixture.values)); /* L^2 overflows */
    assert_true(isinf(at(&fixture, "bodies.a.inertia")));
    assert_true(sarrus_evaluator_run(fixture.evaluator, &draws, 2, fixture.values)); /* and is forgotten */
    assert_true(at(&fixture, "bodies.a.inertia") == 1);
    assert_false(sarrus_evaluator_run(fixture.evaluator, &draws, 3, fixture.values));
    fixture_destroy(&fixture);
}

static void two_evaluators_are_independent(void **state) {
    (void)state;
    struct fixture fixture;
    fixture_create(&fixture, "batch: {parameters: [{name: L, distribution: uniform, low: 1, high: 9}]}\n");
    sarrus_evaluator *other = NULL;
    assert_int_equal(sarrus_evaluator_create(fixture.model, &other), SARRUS_OK);
    double drawn[] = {4, 8};
    const sarrus_draws draws = {.model = fixture.model, .n_instances = 2, .n_sampled = 1, .values = drawn};
    double *values = calloc((size_t)fixture.model->n_values, sizeof *values);
    assert_non_null(values);
    assert_true(sarrus_evaluator_run(fixture.evaluator, &draws, 0, fixture.values));
    assert_true(sarrus_evaluator_run(other, &draws, 1, values));
    assert_true(sarrus_evaluator_run(fixture.evaluator, &draws, 0, fixture.values));
    assert_true(at(&fixture, "bodies.a.inertia") == 4);
    assert_true(values[sarrus_model_value_find(fixture.model, "bodies.a.inertia")] == 16);
    free(values);
    sarrus_evaluator_destroy(other);
    fixture_destroy(&fixture);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_nominal_instance),
        cmocka_unit_test(a_drawn_parameter_reaches_all_that_depends_on_it),
        cmocka_unit_test(a_draw_replaces_an_expression),
        cmocka_unit_test(draws_are_laid_out_by_parameter),
        cmocka_unit_test(numbers_that_are_not_finite_are_told),
        cmocka_unit_test(two_evaluators_are_independent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

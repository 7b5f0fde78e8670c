/* Several threads, each with its own context, read and evaluate at once and get what one alone gets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>

#include "model/evaluator.h"
#include "scenario/scenario_fixture.h"

enum { n_threads = 4, n_rounds = 40 };

static const char good[] = SCENARIO "parameters: {L: 1, half: \"=L/2\"}\n"
                                    "forces: [{name: f, type: force, body: b, at: [\"=half\", \"=sin(L)\"], value: [\"=-L\", 1]}]\n"
                                    "batch: {parameters: [{name: L, distribution: normal, mean: 1, sd: 0.1}]}\n";
static const char bad[] = SCENARIO "forces: [{name: f, type: torque, body: b, value: \"=2*(Q\"}]\n";

/* One thread's outcome; cmocka's assertions belong to the main thread. */
struct work {
    double sum;
    bool has_failed;
};

static bool evaluate(const sarrus_model *model, double *sum) {
    sarrus_evaluator *evaluator = NULL;
    double drawn[] = {2, 3, 4};
    const sarrus_draws draws = {.model = model, .n_instances = 3, .n_sampled = 1, .values = drawn};
    double *values = calloc((size_t)model->n_values, sizeof *values);
    bool is_good = values != NULL && sarrus_evaluator_create(model, &evaluator) == SARRUS_OK;
    for (uint64_t i_instance = 0; is_good && i_instance < 3; ++i_instance) {
        is_good = sarrus_evaluator_run(evaluator, &draws, i_instance, values);
        for (int i_value = 0; i_value < model->n_values; ++i_value) {
            *sum += values[i_value];
        }
    }
    free(values);
    sarrus_evaluator_destroy(evaluator);
    return is_good;
}

static void *run(void *argument) {
    struct work *work = argument;
    for (int i_round = 0; i_round < n_rounds; ++i_round) {
        struct reading reading = read_text(good);
        double sum = 0;
        work->has_failed = work->has_failed || reading.status != SARRUS_OK || !evaluate(reading.model, &sum);
        work->has_failed = work->has_failed || (i_round > 0 && sum != work->sum);
        work->sum = sum;
        reading_end(&reading);
        reading = read_text(bad);
        work->has_failed = work->has_failed || reading.status != SARRUS_BAD_INPUT ||
                           strstr(diagnostic_of(&reading, 0)->message, "unknown name 'Q'") == NULL;
        reading_end(&reading);
    }
    return NULL;
}

static void threads_do_not_meet(void **state) {
    (void)state;
    pthread_t threads[n_threads];
    struct work works[n_threads] = {{0, false}};
    struct work alone = {0, false};
    for (int i = 0; i < n_threads; ++i) {
        assert_int_equal(pthread_create(&threads[i], NULL, run, &works[i]), 0);
    }
    for (int i = 0; i < n_threads; ++i) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    }
    (void)run(&alone);
    assert_false(alone.has_failed);
    for (int i = 0; i < n_threads; ++i) {
        assert_false(works[i].has_failed);
        assert_true(works[i].sum == alone.sum);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(threads_do_not_meet)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Changes of rank, work done and singular values in the file of a run: what the batch says, and what the outputs show. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "result_fixture.h"
#include "tests/support/place.h"

enum { N_INSTANCES = 3, N_STEPS = 120, N_TIMES = N_STEPS + 1, MAX_EVENTS = 4096 };

/* A threshold far above round-off, so that the smallest singular value passes it several times a turn; every step is observed. The
 * crank's mass moves the passages apart. */
static const sarrus_override overrides[] = {
    {"dynamics.pinv", "lapack"},
    {"dynamics.rank", "{method: relative, tol: 0.3}"},
    {"integrator", "{method: rk4, dt: 0.01, t_end: 1.2}"},
    {"batch", "{instances: 3, seed: 4, parameters: [{path: bodies.crank.mass, distribution: uniform, low: 2.0, high: 4.0}]}"},
    {"output", "{every: 1, channels: [rank, singular_values]}"},
    {"limits", "{violation: off, energy: off, error: off}"}, /* the rule takes directions for lost that are not */
    {"integrator.substeps", "off"},
};

static int setup(void **state) {
    fixture *f = fixture_create(state, "events");
    if (f == NULL)
        return -1;
    return sarrus_scenario_read_file(f->context, place_of_source("/scenarios/four_bar.yaml"), overrides,
                                     sizeof overrides / sizeof overrides[0], &f->model) == SARRUS_OK
               ? 0
               : -1;
}

typedef struct events {
    size_t n;
    double time[MAX_EVENTS], instance[MAX_EVENTS], before[MAX_EVENTS], after[MAX_EVENTS];
} events;

static events events_read(const char *path) {
    static events e;
    e.n = doubles_read(path, "events/rank/event_time", MAX_EVENTS, e.time);
    assert_int_equal(doubles_read(path, "events/rank/instance", MAX_EVENTS, e.instance), e.n);
    assert_int_equal(doubles_read(path, "events/rank/before", MAX_EVENTS, e.before), e.n);
    assert_int_equal(doubles_read(path, "events/rank/after", MAX_EVENTS, e.after), e.n);
    return e;
}

static void the_table_is_what_the_batch_tells(void **state) {
    fixture *f = *state;
    sarrus_run_summary summary;
    assert_int_equal(sarrus_run(f->context, f->model, &(sarrus_run_options){.output_path = f->path}, &summary), SARRUS_OK);
    const events e = events_read(f->path);
    sarrus_plan *plan = NULL;
    sarrus_draws *draws = NULL;
    sarrus_batch *batch = NULL;
    const sarrus_batch_options options = {.keep_rank_events = 1};
    assert_int_equal(sarrus_plan_create(f->context, f->model, &plan), SARRUS_OK);
    assert_int_equal(sarrus_draws_create(f->context, f->model, 4, N_INSTANCES, &draws), SARRUS_OK);
    assert_int_equal(sarrus_batch_create(f->context, plan, &options, N_INSTANCES, draws, &batch), SARRUS_OK);
    assert_int_equal(sarrus_batch_advance(batch, N_STEPS), SARRUS_OK);
    const sarrus_rank_event *told = NULL;
    uint64_t n_told = 0;
    assert_int_equal(sarrus_batch_rank_events(batch, &told, &n_told), SARRUS_OK);
    assert_true(n_told >= 2 * N_INSTANCES);
    assert_int_equal(e.n, n_told);
    for (size_t i = 0; i < e.n; ++i) {
        assert_true(e.time[i] == told[i].time && e.instance[i] == (double)told[i].instance);
        assert_true(e.before[i] == told[i].rank_before && e.after[i] == told[i].rank_after && e.before[i] != e.after[i]);
        assert_true(i == 0 || e.time[i - 1] < e.time[i] || (e.time[i - 1] == e.time[i] && e.instance[i - 1] < e.instance[i]));
    }
    sarrus_batch_destroy(batch);
    sarrus_draws_destroy(draws);
    sarrus_plan_destroy(plan);
    sarrus_result_info info;
    assert_int_equal(sarrus_result_info_read(f->context, f->path, &info), SARRUS_OK);
    assert_int_equal(info.has_rank_events, 1);
    assert_int_equal(info.n_rank_events, n_told);
    assert_int_equal(summary.rank_changes.total, n_told);
}

/* Every step is observed: where the rank of two outputs differs, and nowhere else, stands an event. */
static void the_events_are_the_jumps_of_the_rank(void **state) {
    fixture *f = *state;
    sarrus_run_summary summary;
    static double rank[N_INSTANCES][N_TIMES], kept[N_INSTANCES][N_TIMES], dropped[N_INSTANCES][N_TIMES], time[N_TIMES];
    double changes[N_INSTANCES], steps[N_INSTANCES], evaluations[N_INSTANCES], rejections[N_INSTANCES];
    assert_int_equal(sarrus_run(f->context, f->model, &(sarrus_run_options){.output_path = f->path}, &summary), SARRUS_OK);
    const events e = events_read(f->path);
    doubles_read(f->path, "diagnostics/rank", N_INSTANCES * N_TIMES, &rank[0][0]);
    doubles_read(f->path, "diagnostics/smallest_kept", N_INSTANCES * N_TIMES, &kept[0][0]);
    doubles_read(f->path, "diagnostics/largest_dropped", N_INSTANCES * N_TIMES, &dropped[0][0]);
    doubles_read(f->path, "time", N_TIMES, time);
    doubles_read(f->path, "instance/rank_changes", N_INSTANCES, changes);
    doubles_read(f->path, "instance/steps", N_INSTANCES, steps);
    doubles_read(f->path, "instance/evaluations", N_INSTANCES, evaluations);
    doubles_read(f->path, "instance/rejections", N_INSTANCES, rejections);
    size_t n_jumps = 0;
    for (int i = 0; i < N_INSTANCES; ++i) {
        size_t n_of_instance = 0;
        for (int k = 0; k < N_TIMES; ++k) {
            assert_true(kept[i][k] > dropped[i][k] && dropped[i][k] >= 0.0);
            if (k == 0 || k == N_TIMES - 1 || rank[i][k] == rank[i][k - 1]) /* no step begins at t_end */
                continue;
            size_t found = 0;
            for (size_t j = 0; j < e.n; ++j)
                found += e.time[j] == time[k] && e.instance[j] == i && e.before[j] == rank[i][k - 1] && e.after[j] == rank[i][k];
            assert_int_equal(found, 1);
            ++n_of_instance;
        }
        assert_true(changes[i] == (double)n_of_instance);
        assert_true(steps[i] == N_STEPS && evaluations[i] == 4 * N_STEPS && rejections[i] == 0.0);
        n_jumps += n_of_instance;
    }
    assert_int_equal(e.n, n_jumps);
    assert_int_equal(summary.steps.total, N_INSTANCES * N_STEPS);
    assert_int_equal(summary.steps.most, N_STEPS);
    assert_true(summary.evaluations.mean == 4.0 * N_STEPS);
    assert_int_equal(summary.is_adaptive, 0);
}

static void without_the_channel_there_is_no_table(void **state) {
    fixture *f = *state;
    sarrus_override other[sizeof overrides / sizeof overrides[0]];
    memcpy(other, overrides, sizeof overrides);
    other[4].value = "{every: 100, channels: [state]}";
    sarrus_model *model = NULL;
    sarrus_run_summary summary;
    assert_int_equal(sarrus_scenario_read_file(f->context, place_of_source("/scenarios/four_bar.yaml"), other,
                                               sizeof other / sizeof other[0], &model),
                     SARRUS_OK);
    assert_int_equal(sarrus_run(f->context, model, &(sarrus_run_options){.output_path = f->path}, &summary), SARRUS_OK);
    sarrus_result_info info;
    assert_int_equal(sarrus_result_info_read(f->context, f->path, &info), SARRUS_OK);
    assert_int_equal(info.has_rank_events, 0);
    assert_int_equal(info.n_rank_events, 0);
    double changes[N_INSTANCES];
    doubles_read(f->path, "instance/rank_changes", N_INSTANCES, changes);
    assert_true(changes[0] >= 2.0); /* counted all the same */
    sarrus_model_destroy(model);
}

static int stop_after_a_few(const sarrus_progress *progress, void *user) {
    int *n_calls = user;
    assert_int_equal(progress->is_adaptive, 0);
    return ++*n_calls > 2;
}

/* A stopped run tells of no change that comes after its last output. */
static void a_stopped_run_tells_what_its_outputs_show(void **state) {
    fixture *f = *state;
    int n_calls = 0;
    sarrus_override other[sizeof overrides / sizeof overrides[0]];
    memcpy(other, overrides, sizeof overrides);
    other[2].value = "{method: rk4, dt: 0.01, t_end: 3000}"; /* minutes of work */
    sarrus_model *model = NULL;
    sarrus_run_summary summary;
    const sarrus_run_options options = {.output_path = f->path, .progress = stop_after_a_few, .progress_user = &n_calls};
    assert_int_equal(sarrus_scenario_read_file(f->context, place_of_source("/scenarios/four_bar.yaml"), other,
                                               sizeof other / sizeof other[0], &model),
                     SARRUS_OK);
    assert_int_equal(sarrus_run(f->context, model, &options, &summary), SARRUS_INTERRUPTED);
    sarrus_model_destroy(model);
    const events e = events_read(f->path);
    sarrus_result_info info;
    assert_int_equal(sarrus_result_info_read(f->context, f->path, &info), SARRUS_OK);
    assert_int_equal(info.n_times, summary.n_output_times);
    assert_true(info.n_times >= 1 && info.complete == 0);
    for (size_t i = 0; i < e.n; ++i)
        assert_true(e.time[i] < info.t_last);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_table_is_what_the_batch_tells, setup, teardown),
        cmocka_unit_test_setup_teardown(the_events_are_the_jumps_of_the_rank, setup, teardown),
        cmocka_unit_test_setup_teardown(without_the_channel_there_is_no_table, setup, teardown),
        cmocka_unit_test_setup_teardown(a_stopped_run_tells_what_its_outputs_show, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

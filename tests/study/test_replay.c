/* A part of a study has the bits that it has in the whole; a replay of one instance has them too, beside all that lies between. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "result_fixture.h"
#include "tests/support/replay_rows.h"

enum { N_INSTANCES = 11, N_STATES = 9 };

/* A four-bar with springs in its pins that are stiff in most instances and not in the nominal one. */
static const char stiff[] =
    "sarrus: 1\n"
    "space: planar\n"
    "gravity: [0, -9.81]\n"
    "bodies:\n"
    "  - {name: crank, mass: 1, inertia: 0.1, position: [0, 0.25], orientation: 1.5707963267948966}\n"
    "  - {name: coupler, mass: 1, inertia: 0.1, position: [0.5, 0.5]}\n"
    "  - {name: rocker, mass: 1, inertia: 0.1, position: [1, 0.25], orientation: 1.5707963267948966, velocity: [0.5, 0],\n"
    "     angular_velocity: -2}\n"
    "joints:\n"
    "  - {name: A, type: revolute, bodies: [ground, crank], at: [0, 0], stiffness: 0}\n"
    "  - {name: B, type: revolute, bodies: [crank, coupler], at: [0, 0.5], damping: 1}\n"
    "  - {name: C, type: revolute, bodies: [coupler, rocker], at: [1, 0.5]}\n"
    "  - {name: D, type: revolute, bodies: [rocker, ground], at: [1, 0]}\n"
    "integrator: {method: rk4, dt: 1.0e-4, t_end: 0.0103}\n"
    "batch: {instances: 11, seed: 7, parameters: [{path: joints.A.stiffness, distribution: uniform, low: 0, high: 1.0e+6}]}\n"
    "output: {every: 10, channels: [state, energy, constraint, rank]}\n";

/* Springs that push: instances break their limit of energy, each at its time; the second draw makes inertias that are none. */
static const char failing[] = "sarrus: 1\n"
                              "space: planar\n"
                              "gravity: [0, -9.81]\n"
                              "parameters: {k: 0.0, i: 0.1}\n"
                              "bodies: [{name: rod, mass: 1, inertia: \"=i\", position: [0.5, 0]}]\n"
                              "joints: [{name: A, type: revolute, bodies: [ground, rod], at: [0, 0], stiffness: \"=k\"}]\n"
                              "integrator: {method: rk4, dt: 1.0e-3, t_end: 0.3}\n"
                              "batch:\n"
                              "  instances: 11\n"
                              "  seed: 2\n"
                              "  parameters:\n"
                              "    - {name: k, distribution: uniform, low: -2.0e+4, high: 500}\n"
                              "    - {name: i, distribution: uniform, low: -0.02, high: 0.2}\n"
                              "output: {every: 7, channels: [state, energy, constraint]}\n"
                              "limits: {energy: 1.0e-5}\n";

/* A method that chooses its steps ends them where the study looks when there are inputs. */
static const char with_inputs[] =
    "sarrus: 1\n"
    "space: planar\n"
    "gravity: [0, -9.81]\n"
    "bodies: [{name: rod, mass: 1, inertia: 0.1, position: [0.5, 0]}]\n"
    "joints: [{name: A, type: revolute, bodies: [ground, rod], at: [0, 0]}]\n"
    "forces: [{name: motor, type: torque, body: rod, value: {input: 0}}]\n"
    "integrator: {method: dopri5, dt: 1.0e-3, t_end: 0.9}\n"
    "batch: {instances: 11, seed: 3, parameters: [{path: bodies.rod.mass, distribution: uniform, low: 0.9, high: 1.1}]}\n"
    "output: {every: 300, channels: [state, energy, constraint]}\n";

static int setup(void **state) {
    return fixture_create(state, "replay") != NULL ? 0 : -1;
}

/* Puts another model into the fixture, in the coordinates of a formulation. */
static void read_model_in(fixture *f, const char *formulation, const char *text, const char *path, const char *value) {
    const sarrus_override settings[] = {{"dynamics.formulation", formulation}, {.path = path, .value = value}};
    sarrus_model_destroy(f->model);
    f->model = NULL;
    assert_int_equal(sarrus_scenario_read_text(f->context, "s", text, strlen(text), settings, path ? 2 : 1, &f->model), SARRUS_OK);
}

static void read_model(fixture *f, const char *text, const char *path, const char *value) {
    read_model_in(f, "udwadia-kalaba", text, path, value);
}

/* Runs the study and a replay of each instance; returns how many rows there were beside those of the study. */
static size_t replays_compare(fixture *f, const char *isa, uint64_t n_failed) {
    char replay[80];
    size_t n_between = 0;
    sarrus_run_summary summary;
    sarrus_run_options options = {.output_path = f->path, .batch = {.isa = isa, .n_threads = 2}};
    snprintf(replay, sizeof replay, "%s.replay", f->path);
    assert_int_equal(sarrus_run(f->context, f->model, &options, &summary), SARRUS_OK);
    assert_int_equal(summary.n_failed, n_failed);
    options.output_path = replay;
    options.n_part = 1;
    options.shows_steps = 1;
    for (uint64_t i = 0; i < N_INSTANCES; ++i) {
        options.first_instance = i;
        assert_int_equal(sarrus_run(f->context, f->model, &options, &summary), SARRUS_OK);
        const replay_rows found = replay_rows_compare(f->path, replay, i);
        assert_int_equal(found.n_rows, summary.n_output_times);
        assert_int_equal(found.status != 0, summary.n_failed);
        if (found.status != 0) {
            assert_int_equal(summary.first_failure[found.status].instance, i);
            assert_true(summary.first_failure[found.status].time == found.failed_time);
            assert_true(found.last_time <= found.failed_time);
        }
        sarrus_result_info info;
        assert_int_equal(sarrus_result_info_read(f->context, replay, &info), SARRUS_OK);
        assert_true(info.complete && info.n_times == found.n_rows && info.t_last == found.last_time);
        n_between += found.n_rows - found.n_outputs;
    }
    remove(replay);
    return n_between;
}

/* 103 steps and 12 outputs. */
static void every_fixed_step_is_there(void **state) {
    fixture *f = *state;
    read_model(f, stiff, NULL, NULL);
    assert_int_equal(replays_compare(f, NULL, 0), N_INSTANCES * (104 - 12));
    assert_int_equal(replays_compare(f, "baseline", 0), N_INSTANCES * (104 - 12));
    read_model(f, stiff, "dynamics.projection", "none");
    assert_int_equal(replays_compare(f, NULL, 0), N_INSTANCES * (104 - 12));
    read_model(f, stiff, "dynamics.pinv", "svd");
    assert_int_equal(replays_compare(f, NULL, 0), N_INSTANCES * (104 - 12));
    read_model_in(f, "relative", stiff, NULL, NULL);
    assert_int_equal(replays_compare(f, NULL, 0), N_INSTANCES * (104 - 12));
}

/* The steps of these methods end between outputs, several of an instance at least. */
static void every_chosen_step_is_there(void **state) {
    fixture *f = *state;
    static const char *const methods[] = {"dopri5", "verner65", "adams-moulton"};
    for (size_t k = 0; k < 3; ++k) {
        read_model(f, stiff, "integrator.method", methods[k]);
        assert_true(replays_compare(f, NULL, 0) > 3 * N_INSTANCES);
        read_model_in(f, "relative", stiff, "integrator.method", methods[k]);
        assert_true(replays_compare(f, NULL, 0) > 3 * N_INSTANCES);
    }
}

/* Nothing is shown behind a failure; a first row that cannot be is NaN in both. */
static void a_replay_ends_with_its_instance(void **state) {
    fixture *f = *state;
    read_model(f, failing, NULL, NULL);
    assert_true(replays_compare(f, NULL, N_INSTANCES) > N_INSTANCES);
    read_model(f, failing, "integrator", "{method: dopri5, rtol: 1e-4, t_end: 0.3, max_steps: 60}");
    assert_true(replays_compare(f, NULL, N_INSTANCES) > N_INSTANCES);
    read_model_in(f, "relative", failing, "integrator", "{method: dopri5, rtol: 1e-4, t_end: 0.3, max_steps: 60}");
    assert_true(replays_compare(f, NULL, N_INSTANCES) > N_INSTANCES);
}

/* Outputs are 300 intervals apart, and a run looks at the clock more often than that: its bits must not tell. */
static void inputs_are_looked_at_with_the_outputs(void **state) {
    fixture *f = *state;
    enum { N_TIMES = 4 };
    double seen[N_INSTANCES][N_TIMES][3], q[N_INSTANCES][N_TIMES][3];
    sarrus_plan *plan = NULL;
    sarrus_draws *draws = NULL;
    sarrus_batch *batch = NULL;
    read_model(f, with_inputs, NULL, NULL);
    assert_int_equal(replays_compare(f, NULL, 0), 0);
    doubles_read(f->path, "state/q", sizeof q / sizeof(double), &q[0][0][0]);
    assert_int_equal(sarrus_plan_create(f->context, f->model, &plan), SARRUS_OK);
    assert_int_equal(sarrus_draws_create(f->context, f->model, 3, N_INSTANCES, &draws), SARRUS_OK);
    assert_int_equal(sarrus_batch_create(f->context, plan, NULL, N_INSTANCES, draws, &batch), SARRUS_OK);
    const sarrus_observation all = {.n_times = N_TIMES,
                                    .every_steps = 300,
                                    .observe_first = 1,
                                    .n_times_stride = N_TIMES,
                                    .destination = {[SARRUS_OBSERVE_Q] = &seen[0][0][0]}};
    assert_int_equal(sarrus_batch_observe(batch, &all), SARRUS_OK);
    assert_memory_equal(seen, q, sizeof q);
    sarrus_batch_destroy(batch);
    sarrus_draws_destroy(draws);
    sarrus_plan_destroy(plan);
}

static void a_part_is_that_of_the_whole(void **state) {
    fixture *f = *state;
    enum { N_TIMES = 12, I_FIRST = 5, N_PART = 3 };
    static double whole[N_INSTANCES][N_TIMES][N_STATES], part[N_PART][N_TIMES][N_STATES];
    double drawn[N_INSTANCES], drawn_part[N_PART], ids[N_PART];
    sarrus_run_summary summary;
    sarrus_run_options options = {.output_path = f->path};
    read_model(f, stiff, NULL, NULL);
    assert_int_equal(sarrus_run(f->context, f->model, &options, &summary), SARRUS_OK);
    doubles_read(f->path, "state/q", sizeof whole / sizeof(double), &whole[0][0][0]);
    doubles_read(f->path, "instance/parameters/joints.A.stiffness", N_INSTANCES, drawn);
    options.first_instance = I_FIRST;
    options.n_part = N_PART;
    assert_int_equal(sarrus_run(f->context, f->model, &options, &summary), SARRUS_OK);
    assert_true(summary.n_instances == N_PART && summary.first_instance == I_FIRST && summary.n_study == N_INSTANCES);
    assert_true(summary.nearest_change_point_instance >= I_FIRST && summary.nearest_change_point_instance < I_FIRST + N_PART);
    doubles_read(f->path, "state/q", sizeof part / sizeof(double), &part[0][0][0]);
    doubles_read(f->path, "instance/parameters/joints.A.stiffness", N_PART, drawn_part);
    doubles_read(f->path, "instance/id", N_PART, ids);
    assert_memory_equal(part, whole[I_FIRST], sizeof part);
    assert_memory_equal(drawn_part, drawn + I_FIRST, sizeof drawn_part);
    assert_true(ids[0] == I_FIRST && ids[2] == I_FIRST + 2);
    options.n_part = 0; /* all the others */
    assert_int_equal(sarrus_run(f->context, f->model, &options, &summary), SARRUS_OK);
    assert_int_equal(summary.n_instances, N_INSTANCES - I_FIRST);
}

/* Draws of a part, and a part of the draws of all, make the same batch; others are refused. */
static void a_batch_finds_its_draws(void **state) {
    fixture *f = *state;
    sarrus_plan *plan = NULL;
    sarrus_draws *all = NULL, *some = NULL;
    sarrus_batch *batch = NULL;
    double v[2][N_STATES];
    read_model(f, failing, NULL, NULL);
    assert_int_equal(sarrus_plan_create(f->context, f->model, &plan), SARRUS_OK);
    assert_int_equal(sarrus_draws_create(f->context, f->model, 2, N_INSTANCES, &all), SARRUS_OK);
    assert_int_equal(sarrus_draws_create_part(f->context, f->model, 2, 6, 3, &some), SARRUS_OK);
    assert_memory_equal(sarrus_draws_values(all, 1) + 6, sarrus_draws_values(some, 1), 3 * sizeof(double));
    const sarrus_draws *const given[2] = {all, some};
    const sarrus_batch_options options = {.first_instance = 7};
    for (int k = 0; k < 2; ++k) {
        assert_int_equal(sarrus_batch_create(f->context, plan, &options, 2, given[k], &batch), SARRUS_OK);
        assert_int_equal(sarrus_batch_advance(batch, 20), SARRUS_OK);
        assert_int_equal(sarrus_batch_state(batch, 1, NULL, v[k]), SARRUS_OK);
        sarrus_batch_destroy(batch);
    }
    assert_memory_equal(v[0], v[1], 3 * sizeof(double));
    assert_int_equal(sarrus_batch_create(f->context, plan, &options, 3, some, &batch), SARRUS_BAD_ARGUMENT);
    assert_int_equal(sarrus_batch_create(f->context, plan, NULL, 1, some, &batch), SARRUS_BAD_ARGUMENT);
    sarrus_draws_destroy(some);
    assert_int_equal(sarrus_draws_create_part(f->context, f->model, 2, UINT64_MAX, 3, &some), SARRUS_BAD_ARGUMENT);
    assert_null(some);
    sarrus_draws_destroy(all);
    sarrus_plan_destroy(plan);
}

static void parts_that_are_none_are_refused(void **state) {
    fixture *f = *state;
    sarrus_run_summary summary;
    read_model(f, stiff, NULL, NULL);
    const sarrus_run_options wrong[] = {
        {.first_instance = N_INSTANCES, .n_part = 1},         {.first_instance = N_INSTANCES},
        {.first_instance = 1, .n_part = N_INSTANCES},         {.first_instance = 1, .n_part = UINT64_MAX},
        {.first_instance = 1, .n_part = 2, .shows_steps = 1}, {.shows_steps = 1},
    };
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; ++k)
        assert_int_equal(sarrus_run(f->context, f->model, &wrong[k], &summary), SARRUS_BAD_ARGUMENT);
    const sarrus_run_options without_file = {.first_instance = 2, .n_part = 1, .shows_steps = 1};
    assert_int_equal(sarrus_run(f->context, f->model, &without_file, &summary), SARRUS_OK);
    assert_int_equal(summary.n_output_times, 104);
}

/* A replay that is stopped leaves the rows that it has come to, and no others. */
static int stop_soon(const sarrus_progress *progress, void *user) {
    (void)user;
    return progress->time >= 0.0;
}

static void a_replay_can_be_stopped(void **state) {
    fixture *f = *state;
    sarrus_run_summary summary;
    sarrus_result_info info;
    const sarrus_run_options options = {
        .output_path = f->path, .first_instance = 3, .n_part = 1, .shows_steps = 1, .progress = stop_soon};
    read_model(f, stiff, NULL, NULL);
    assert_int_equal(sarrus_run(f->context, f->model, &options, &summary), SARRUS_INTERRUPTED);
    assert_int_equal(sarrus_result_info_read(f->context, f->path, &info), SARRUS_OK);
    assert_true(!info.complete && info.n_times == 1 && info.t_last == 0.0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_fixed_step_is_there, setup, teardown),
        cmocka_unit_test_setup_teardown(every_chosen_step_is_there, setup, teardown),
        cmocka_unit_test_setup_teardown(a_replay_ends_with_its_instance, setup, teardown),
        cmocka_unit_test_setup_teardown(inputs_are_looked_at_with_the_outputs, setup, teardown),
        cmocka_unit_test_setup_teardown(a_part_is_that_of_the_whole, setup, teardown),
        cmocka_unit_test_setup_teardown(a_batch_finds_its_draws, setup, teardown),
        cmocka_unit_test_setup_teardown(parts_that_are_none_are_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(a_replay_can_be_stopped, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

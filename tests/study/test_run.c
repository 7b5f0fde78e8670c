/* The main job: what is in the file is what the batch computes; progress, stopping and the summary. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "result_fixture.h"

enum { N_INSTANCES = 13, N_STEPS = 106, N_TIMES = 12, N_COORDINATES = 6 };

/* A double pendulum; t_end is neither a multiple of dt nor of the output interval. */
static const char scenario[] =
    "sarrus: 1\n"
    "name: double pendulum\n"
    "space: planar\n"
    "gravity: [0, -9.81]\n"
    "bodies:\n"
    "  - {name: upper, mass: 1, inertia: 0.1, position: [0.5, 0]}\n"
    "  - {name: lower, mass: 1, inertia: 0.1, position: [1.5, 0]}\n"
    "joints:\n"
    "  - {name: A, type: revolute, bodies: [ground, upper], at: [0, 0]}\n"
    "  - {name: B, type: revolute, bodies: [upper, lower], at: [1, 0]}\n"
    "dynamics: {formulation: udwadia-kalaba}\n" /* over a tree a chain has no rows to be violated */
    "integrator: {method: rk4, dt: 1.0e-3, t_end: 0.1055}\n"
    "batch:\n"
    "  instances: 13\n"
    "  seed: 5\n"
    "  parameters:\n"
    "    - {path: bodies.lower.mass, distribution: normal, mean: 1.0, sd: 0.1, min: 0.5}\n"
    "    - {path: [bodies.upper.inertia, bodies.lower.inertia], distribution: uniform, low: 0.09, high: 0.11}\n"
    "output: {every: 10, channels: [state, energy, constraint, rank, reactions]}\n";

static int setup(void **state) {
    fixture *f = fixture_create(state, "run");
    if (f == NULL)
        return -1;
    return sarrus_scenario_read_text(f->context, "scenario", scenario, strlen(scenario), NULL, 0, &f->model) == SARRUS_OK ? 0 : -1;
}

static sarrus_run_summary run_done(fixture *f, const sarrus_run_options *options) {
    sarrus_run_summary summary;
    assert_int_equal(sarrus_run(f->context, f->model, options, &summary), SARRUS_OK);
    assert_int_equal(summary.n_instances, N_INSTANCES);
    assert_int_equal(summary.n_failed, 0);
    assert_int_equal(summary.n_steps, N_STEPS);
    assert_int_equal(summary.n_output_times, N_TIMES);
    assert_true(fabs(summary.t_end - 0.1055) < 1e-15);
    return summary;
}

/* RK4 over 0.1 s at dt 1e-3 with motions of a few rad/s: the local error (ω dt)^5 is about 1e-13, a hundred of them 1e-11. */
static void the_summary_needs_no_file(void **state) {
    fixture *f = *state;
    const sarrus_run_options options = {0};
    const sarrus_run_summary summary = run_done(f, &options);
    assert_true(summary.max_position_error > 0.0 && summary.max_position_error < 1e-10);
    assert_true(summary.max_velocity_error < 1e-9);
    assert_true(summary.max_energy_error < 1e-10);
    assert_true(summary.max_violation > 0.0 && summary.max_violation < 1e-10);
    assert_true(summary.nearest_change_point > 0.1 && summary.nearest_change_point <= 1.5);
    assert_true(summary.nearest_change_point_time >= 0.0 && summary.nearest_change_point_time <= summary.t_end);
    assert_true(summary.nearest_change_point_instance < N_INSTANCES);
    assert_int_equal(summary.n_rank_changes, 0);
    assert_int_equal(summary.output_bytes, 0);
    assert_string_equal(summary.backend, "cpu");
    assert_true(summary.instance_steps_per_second > 0.0 && summary.integrate_seconds <= summary.wall_seconds);
}

/* The last row of the file holds the bits of a batch that was advanced in one go: slices and blocks leave no trace. */
static void the_file_holds_what_the_batch_computes(void **state) {
    fixture *f = *state;
    const sarrus_run_options options = {.output_path = f->path};
    const sarrus_run_summary summary = run_done(f, &options), without_file = run_done(f, &(sarrus_run_options){0});
    assert_true(summary.output_bytes > 0);
    assert_true(summary.max_position_error == without_file.max_position_error);
    assert_true(summary.max_energy_error == without_file.max_energy_error);
    static double time[N_TIMES], q[N_INSTANCES][N_TIMES][N_COORDINATES], v[N_INSTANCES][N_TIMES][N_COORDINATES];
    doubles_read(f->path, "time", sizeof time / sizeof(double), time);
    doubles_read(f->path, "state/q", sizeof q / sizeof(double), &q[0][0][0]);
    doubles_read(f->path, "state/v", sizeof v / sizeof(double), &v[0][0][0]);
    assert_true(time[0] == 0.0 && time[3] == 30 * 1e-3 && time[N_TIMES - 1] == 0.1055);
    sarrus_plan *plan = NULL;
    sarrus_draws *draws = NULL;
    sarrus_batch *batch = NULL;
    assert_int_equal(sarrus_plan_create(f->context, f->model, &plan), SARRUS_OK);
    assert_int_equal(sarrus_draws_create(f->context, f->model, 5, N_INSTANCES, &draws), SARRUS_OK);
    assert_int_equal(sarrus_batch_create(f->context, plan, &options.batch, N_INSTANCES, draws, &batch), SARRUS_OK);
    assert_int_equal(sarrus_batch_advance(batch, N_STEPS), SARRUS_OK);
    for (uint64_t i = 0; i < N_INSTANCES; ++i) {
        double q_last[N_COORDINATES], v_last[N_COORDINATES];
        assert_int_equal(sarrus_batch_state(batch, i, q_last, v_last), SARRUS_OK);
        assert_memory_equal(q[i][N_TIMES - 1], q_last, sizeof q_last);
        assert_memory_equal(v[i][N_TIMES - 1], v_last, sizeof v_last);
    }
    sarrus_batch_destroy(batch);
    sarrus_draws_destroy(draws);
    sarrus_plan_destroy(plan);
}

/* At t = 0 both rods lie horizontally at rest: the pin forces follow from Newton's law for the bodies' accelerations,
 * checked on B alone, whose reaction on the lower rod is m (a − g). */
static void reactions_go_to_their_joint(void **state) {
    fixture *f = *state;
    const uint64_t seed = 9;
    const sarrus_run_options options = {.output_path = f->path, .n_instances = 1, .seed = &seed};
    sarrus_run_summary summary;
    assert_int_equal(sarrus_run(f->context, f->model, &options, &summary), SARRUS_OK);
    static double v[N_TIMES][N_COORDINATES], reaction[N_TIMES][3], mass, time[N_TIMES];
    doubles_read(f->path, "state/v", sizeof v / sizeof(double), &v[0][0]);
    doubles_read(f->path, "reactions/B", sizeof reaction / sizeof(double), &reaction[0][0]);
    doubles_read(f->path, "instance/parameters/bodies.lower.mass", sizeof mass / sizeof(double), &mass);
    doubles_read(f->path, "time", sizeof time / sizeof(double), time);
    /* Acceleration at output 4 by central differences over ±10 ms; the third derivative (about ω³ a, 100 m/s³ … 1000)
     * leaves h²/6 of it: below 0.05 m/s². */
    const double ax = (v[5][3] - v[3][3]) / (time[5] - time[3]), ay = (v[5][4] - v[3][4]) / (time[5] - time[3]);
    assert_true(fabs(reaction[4][0] - mass * ax) < 0.05);
    assert_true(fabs(reaction[4][1] - mass * (ay + 9.81)) < 0.05);
    assert_true(fabs(reaction[4][2]) < 1e-9); /* a pin transmits no moment */
}

/* One draw for two paths stands in the file under both. */
static void every_drawn_path_is_in_the_file(void **state) {
    fixture *f = *state;
    const sarrus_run_options options = {.output_path = f->path};
    double upper[N_INSTANCES], lower[N_INSTANCES];
    (void)run_done(f, &options);
    doubles_read(f->path, "instance/parameters/bodies.upper.inertia", sizeof upper / sizeof(double), upper);
    doubles_read(f->path, "instance/parameters/bodies.lower.inertia", sizeof lower / sizeof(double), lower);
    assert_memory_equal(upper, lower, sizeof upper);
    assert_true(upper[0] > 0.09 && upper[0] < 0.11 && upper[0] != upper[1]);
}

typedef struct watch {
    int n_calls;
    int n_allowed; /* stops after that many */
    sarrus_progress last;
} watch;

static int on_progress(const sarrus_progress *progress, void *user) {
    watch *w = user;
    assert_true(progress->instance_steps >= w->last.instance_steps);
    assert_true(progress->time <= progress->t_end);
    w->last = *progress;
    return ++w->n_calls > w->n_allowed;
}

static void progress_ends_at_the_end(void **state) {
    fixture *f = *state;
    watch w = {.n_allowed = 1 << 30};
    run_done(f, &(sarrus_run_options){.progress = on_progress, .progress_user = &w});
    assert_true(w.n_calls >= 2);
    assert_int_equal(w.last.instance_steps, N_STEPS * N_INSTANCES);
    assert_int_equal(w.last.n_instance_steps, N_STEPS * N_INSTANCES);
    assert_true(w.last.time == w.last.t_end);
}

static void a_stopped_run_leaves_a_valid_file(void **state) {
    fixture *f = *state;
    watch w = {.n_allowed = 1};
    sarrus_run_summary summary;
    const sarrus_run_options options = {.output_path = f->path, .progress = on_progress, .progress_user = &w};
    assert_int_equal(sarrus_run(f->context, f->model, &options, &summary), SARRUS_INTERRUPTED);
    assert_true(summary.n_output_times < N_TIMES && summary.n_steps < N_STEPS);
    sarrus_result_info info;
    assert_int_equal(sarrus_result_info_read(f->context, f->path, &info), SARRUS_OK);
    assert_int_equal(info.complete, 0);
    assert_int_equal(info.n_instances, N_INSTANCES);
    assert_int_equal(info.seed, 5);
}

static void a_file_that_cannot_be_made_is_an_error(void **state) {
    fixture *f = *state;
    sarrus_run_summary summary;
    const sarrus_run_options options = {.output_path = "no/such/folder/out.h5"};
    assert_int_equal(sarrus_run(f->context, f->model, &options, &summary), SARRUS_IO);
    assert_true(sarrus_context_n_diagnostics(f->context) > 0);
}

enum { N_OWN = 5, N_OWN_PARAMETERS = 2 };
static const char *const own_labels[N_OWN_PARAMETERS] = {"bodies.upper.inertia", "bodies.lower.mass"}; /* not as drawn */

/* The state at all times of the first N_OWN instances of the file, and one parameter. */
typedef struct shown {
    double q[N_INSTANCES * N_TIMES * N_COORDINATES], mass[N_INSTANCES];
    size_t n_q, n_mass;
} shown;

static shown run_shown(fixture *f, const sarrus_run_options *options) {
    shown out;
    sarrus_run_summary summary;
    assert_int_equal(sarrus_run(f->context, f->model, options, &summary), SARRUS_OK);
    out.n_q = doubles_read(f->path, "/state/q", sizeof out.q / sizeof out.q[0], out.q);
    out.n_mass = doubles_read(f->path, "/instance/parameters/bodies.lower.mass", N_INSTANCES, out.mass);
    return out;
}

/* What is drawn and given back as a sample, its columns in another order, moves to the same bits; so does a part of it. */
static void an_own_sample_takes_the_place_of_draws(void **state) {
    fixture *f = *state;
    sarrus_draws *drawn = NULL, *given = NULL;
    double values[N_OWN][N_OWN_PARAMETERS];
    assert_int_equal(sarrus_draws_create(f->context, f->model, 5, N_OWN, &drawn), SARRUS_OK);
    for (int i = 0; i < N_OWN; ++i) {
        values[i][0] = sarrus_draws_values(drawn, 1)[i];
        values[i][1] = sarrus_draws_values(drawn, 0)[i];
    }
    sarrus_draws_destroy(drawn);
    assert_int_equal(sarrus_draws_from_values(f->context, f->model, own_labels, N_OWN_PARAMETERS, N_OWN, &values[0][0], &given),
                     SARRUS_OK);
    const sarrus_run_options by_draws = {.output_path = f->path}, by_sample = {.output_path = f->path, .draws = given};
    const sarrus_run_options part = {.output_path = f->path, .draws = given, .first_instance = 3, .n_part = 2};
    const shown all = run_shown(f, &by_draws), own = run_shown(f, &by_sample), two = run_shown(f, &part);
    enum { N_EACH = N_TIMES * N_COORDINATES };
    assert_true(own.n_q == (size_t)N_OWN * N_EACH && own.n_mass == N_OWN && two.n_q == 2 * (size_t)N_EACH);
    assert_memory_equal(own.q, all.q, own.n_q * sizeof(double));
    assert_memory_equal(own.mass, all.mass, own.n_mass * sizeof(double));
    assert_memory_equal(two.q, all.q + 3 * N_EACH, two.n_q * sizeof(double));
    assert_true(two.mass[1] == values[4][1]);
    const sarrus_run_options too_many = {.output_path = f->path, .draws = given, .n_instances = N_OWN + 1};
    sarrus_run_summary summary;
    assert_int_equal(sarrus_run(f->context, f->model, &too_many, &summary), SARRUS_BAD_ARGUMENT);
    sarrus_draws_destroy(given);
}

static void a_sample_that_is_none_is_refused(void **state) {
    fixture *f = *state;
    static const char *const twice[N_OWN_PARAMETERS] = {"bodies.lower.mass", "bodies.lower.mass"};
    static const char *const unknown[N_OWN_PARAMETERS] = {"bodies.lower.mass", "bodies.lower.inertia"}; /* of the other's draw */
    double values[1][N_OWN_PARAMETERS] = {{1.0, 0.1}};
    sarrus_draws *given = NULL;
    assert_int_equal(sarrus_draws_from_values(f->context, f->model, twice, 2, 1, &values[0][0], &given), SARRUS_BAD_ARGUMENT);
    assert_int_equal(sarrus_draws_from_values(f->context, f->model, unknown, 2, 1, &values[0][0], &given), SARRUS_BAD_ARGUMENT);
    assert_int_equal(sarrus_draws_from_values(f->context, f->model, own_labels, 1, 1, &values[0][0], &given), SARRUS_BAD_ARGUMENT);
    assert_int_equal(sarrus_draws_from_values(f->context, f->model, own_labels, 2, 0, &values[0][0], &given), SARRUS_BAD_ARGUMENT);
    values[0][1] = (double)NAN;
    assert_int_equal(sarrus_draws_from_values(f->context, f->model, own_labels, 2, 1, &values[0][0], &given), SARRUS_BAD_ARGUMENT);
    assert_null(given);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_summary_needs_no_file, setup, teardown),
        cmocka_unit_test_setup_teardown(the_file_holds_what_the_batch_computes, setup, teardown),
        cmocka_unit_test_setup_teardown(reactions_go_to_their_joint, setup, teardown),
        cmocka_unit_test_setup_teardown(every_drawn_path_is_in_the_file, setup, teardown),
        cmocka_unit_test_setup_teardown(progress_ends_at_the_end, setup, teardown),
        cmocka_unit_test_setup_teardown(a_stopped_run_leaves_a_valid_file, setup, teardown),
        cmocka_unit_test_setup_teardown(a_file_that_cannot_be_made_is_an_error, setup, teardown),
        cmocka_unit_test_setup_teardown(an_own_sample_takes_the_place_of_draws, setup, teardown),
        cmocka_unit_test_setup_teardown(a_sample_that_is_none_is_refused, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

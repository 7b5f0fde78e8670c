/* Claim: an instance that breaks a limit ends at the very step where it does, with the limit's own status, frozen at its last good
 * state; `off` switches each limit off; its neighbors keep every bit; a reset forgets it all. What is judged by is recomputed here
 * from what is observed. The nearest change point is where and as near as the closed form says. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bench/change_points/change_points.h"
#include "plan/plan.h"
#include "tests/support/mechanism.h"
#include "tests/support/place.h"

enum { N = 9, N_STEPS = 100, N_INSTANCES = 19, PLACE_FAST = 6 };

/* A crank-rocker that turns at w, the faster the worse. Its box is 1 m by 0.8 m. */
static const char *const crank_rocker =
    "sarrus: 1\n"
    "space: planar\n"
    "gravity: [0, -9.81]\n"
    "parameters: {w: 9}\n"
    "bodies:\n"
    "  - {name: crank, mass: 1, inertia: 0.0075, position: [0.15, 0], angular_velocity: \"=w\"}\n"
    "  - {name: rod, mass: 2, inertia: 0.2, position: [0.6, 0.4]}\n"
    "  - {name: rocker, mass: 1.5, inertia: 0.1, position: [0.95, 0.4]}\n"
    "joints:\n"
    "  - {name: A, type: revolute, bodies: [ground, crank], at: [0, 0], damping: 0.02}\n"
    "  - {name: B, type: revolute, bodies: [crank, rod], at: [0.3, 0]}\n"
    "  - {name: C, type: revolute, bodies: [rod, rocker], at: [0.9, 0.8]}\n"
    "  - {name: D, type: revolute, bodies: [ground, rocker], at: [1, 0]}\n"
    "integrator: {method: rk4, dt: 0.02, t_end: 2, substeps: off}\n"
    "output: {interval: 0.02}\n"
    "batch: {parameters: [{name: w, distribution: uniform, low: 1, high: 10}]}\n";
static const double mass[N] = {1, 1, 0.0075, 2, 2, 0.2, 1.5, 1.5, 0.1};
static const double size = 1.2806248474865698; /* m, the diagonal of the box */

enum { VIOLATION, MISMATCH, ERROR, N_MEASURES };
static const char *const keys[N_MEASURES] = {"violation", "energy", "error"};
static const sarrus_instance_status words[N_MEASURES] = {SARRUS_INSTANCE_CONSTRAINT_VIOLATED, SARRUS_INSTANCE_ENERGY_MISMATCH,
                                                         SARRUS_INSTANCE_UNRESOLVED};

/* Where limits are broken: how the motion is made, and what of it is judged. */
static const struct limit_case {
    int measure;
    const char *integrator, *projection;
} cases[] = {
    {VIOLATION, "{method: rk4, dt: 0.02, t_end: 2, substeps: off}", "none"},
    {VIOLATION, "{method: rk4, dt: 0.02, t_end: 2}", "none"},
    {VIOLATION, "{method: semi-implicit, dt: 0.02, t_end: 2, substeps: off}", "none"},
    {VIOLATION, "{method: dopri5, dt: 0.02, t_end: 2, rtol: 1e-4, atol: 1e-12}", "none"},
    {VIOLATION, "{method: adams-moulton, dt: 0.02, t_end: 2, rtol: 1e-4, atol: 1e-12}", "none"},
    {MISMATCH, "{method: rk4, dt: 0.02, t_end: 2, substeps: off}", "every_step"},
    {MISMATCH, "{method: rk4, dt: 0.02, t_end: 2}", "every_step"},
    {MISMATCH, "{method: dopri5, dt: 0.02, t_end: 2, rtol: 1e-4, atol: 1e-12}", "every_step"},
    {MISMATCH, "{method: adams-moulton, dt: 0.02, t_end: 2, rtol: 1e-4, atol: 1e-12}", "every_step"},
    {ERROR, "{method: rk4, dt: 0.02, t_end: 2, substeps: off}", "every_step"},
    {ERROR, "{method: rk4, dt: 0.02, t_end: 2}", "none"},
};
enum { N_CASES = sizeof cases / sizeof cases[0] };

static const char earth[] = "[0, -9.81]", nowhere[] = "[0, 0]";

/* The mechanism of a case; `limit` of what it judges (0: off), the other limits off. */
static mechanism open_case(const struct limit_case *how, double limit, const char *gravity) {
    char limits[128], number[40] = "off";
    if (limit > 0.0) {
        snprintf(number, sizeof number, "%.17g", limit);
    }
    const int n = snprintf(limits, sizeof limits, "{");
    int at = n;
    for (int k = 0; k < N_MEASURES; ++k) {
        at += snprintf(limits + at, sizeof limits - (size_t)at, "%s: %s%s", keys[k], k == how->measure ? number : "off",
                       k + 1 < N_MEASURES ? ", " : "}");
    }
    const sarrus_override overrides[] = {{"integrator", how->integrator},
                                         {"dynamics.projection", how->projection},
                                         {"limits", limits},
                                         {"gravity", gravity},
                                         {NULL, NULL}};
    return mechanism_open_text(crank_rocker, overrides);
}

/* A motion without limits, step by step of the clock: its states, what it would be judged by there, and what the program says of
 * it. */
typedef struct motion {
    double q[N_STEPS + 1][N], v[N_STEPS + 1][N], found[N_STEPS + 1], told[N_STEPS + 1];
} motion;

static double kinetic_of(const double *v) {
    double sum = 0.0;
    for (int i = 0; i < N; ++i) {
        sum += 0.5 * mass[i] * v[i] * v[i];
    }
    return sum;
}

static double told_of(const sarrus_batch *batch, int measure) {
    sarrus_instance_verdict verdict;
    assert_int_equal(sarrus_batch_verdict(batch, 0, &verdict), SARRUS_OK);
    return measure == VIOLATION ? verdict.violation : measure == MISMATCH ? verdict.energy_mismatch : verdict.error;
}

/* Energies seen so far. */
typedef struct energies {
    double start, kinetic, low, high, mismatch;
} energies;

static void energies_take(energies *seen, bool is_first, const double *v, double energy, double work) {
    const double t = kinetic_of(v), potential = energy - t;
    if (is_first) {
        *seen = (energies){.start = energy, .low = potential, .high = potential};
    }
    seen->kinetic = fmax(seen->kinetic, t);
    seen->low = fmin(seen->low, potential);
    seen->high = fmax(seen->high, potential);
    seen->mismatch = fmax(seen->mismatch, fabs(energy - work - seen->start));
}

/* Steps of fixed size that are not made in parts end on the clock: what is observed there is judged. */
static bool ends_on_the_clock(const mechanism *m) {
    return !m->plan->mech.integrator.is_adaptive && !m->plan->mech.has_parts;
}

/* Of steps that end somewhere it is taken as it is told. */
static void record(const struct limit_case *how, motion *out) {
    mechanism m = open_case(how, how->measure == ERROR ? 1e300 : 0.0, earth); /* nobody adds up errors that nobody asks for */
    sarrus_batch *batch = mechanism_batch(&m, NULL, 1, 1, NULL);
    energies seen;
    double violation = 0.0;
    for (int k = 0; k <= N_STEPS; ++k) {
        double energy, work, open;
        sarrus_observation o = {.n_times = 1, .every_steps = 1, .observe_first = k == 0, .n_times_stride = 1};
        o.destination[SARRUS_OBSERVE_Q] = out->q[k];
        o.destination[SARRUS_OBSERVE_V] = out->v[k];
        o.destination[SARRUS_OBSERVE_ENERGY] = &energy;
        o.destination[SARRUS_OBSERVE_WORK] = &work;
        o.destination[SARRUS_OBSERVE_POSITION_ERROR] = &open;
        assert_int_equal(sarrus_batch_observe(batch, &o), SARRUS_OK);
        energies_take(&seen, k == 0, out->v[k], energy, work);
        violation = k > 0 ? fmax(violation, open / size) : 0.0;
        out->told[k] = out->found[k] = told_of(batch, how->measure);
        if (how->measure == VIOLATION && ends_on_the_clock(&m)) {
            out->found[k] = violation;
        } else if (how->measure == MISMATCH && ends_on_the_clock(&m)) {
            out->found[k] = seen.mismatch / (seen.kinetic + seen.high - seen.low);
        }
    }
    assert_int_equal(sarrus_batch_status(batch, 0), SARRUS_INSTANCE_OK); /* all limits are off */
    sarrus_batch_destroy(batch);
    mechanism_close(&m);
}

/* A limit that is broken some steps from the start: between the largest up to there and the next larger one. Returns the step that
 * breaks it. */
static int limit_choose(const motion *all, double *limit) {
    double largest = 0.0;
    for (int k = 1; k <= N_STEPS; ++k) {
        if (k > 5 && all->found[k] > 1.05 * largest) {
            *limit = 0.5 * (largest + all->found[k]);
            return k;
        }
        largest = fmax(largest, all->found[k]);
    }
    fail_msg("nothing grows");
    return 0;
}

/* The instance ended with `word` in the step to clock step k and stays there. */
static void check_end(const mechanism *m, sarrus_batch *batch, const motion *all, int measure, int k) {
    double q[2][N], v[2][N], row[N];
    assert_int_equal(sarrus_batch_status(batch, 0), words[measure]);
    assert_int_equal(sarrus_batch_failed_step(batch, 0), k);
    assert_int_equal(sarrus_batch_state(batch, 0, q[0], v[0]), SARRUS_OK);
    if (!m->plan->mech.integrator
             .is_adaptive) { /* errors add up to the end of the step, which is a good state for all that is known */
        const int i_last = measure == ERROR ? k : k - 1;
        assert_memory_equal(q[0], all->q[i_last], sizeof q[0]);
        assert_memory_equal(v[0], all->v[i_last], sizeof v[0]);
    }
    assert_int_equal(sarrus_batch_advance(batch, 3), SARRUS_OK);
    assert_int_equal(sarrus_batch_state(batch, 0, q[1], v[1]), SARRUS_OK);
    assert_memory_equal(q[0], q[1], sizeof q[0]);
    assert_memory_equal(v[0], v[1], sizeof v[0]);
    assert_int_equal(sarrus_batch_status(batch, 0), words[measure]);
    assert_int_equal(sarrus_batch_failed_step(batch, 0), k);
    mechanism_observe(batch, SARRUS_OBSERVE_Q, row);
    assert_true(isnan(row[0]));
}

static void an_instance_ends_where_it_breaks_the_limit(void **state) {
    (void)state;
    static motion all;
    for (int i = 0; i < N_CASES; ++i) {
        double limit = 0.0;
        record(&cases[i], &all);
        for (int k = 1; k <= N_STEPS;
             k++) { /* the size is rounded to six bits; what is a difference of some units keeps ten digits */
            if (!(fabs(all.told[k] - all.found[k]) <= (cases[i].measure == VIOLATION ? 1.0 / 64.0 : 1e-6) * all.found[k] + 1e-13)) {
                fail_msg("%s of %g, told as %g in step %d", keys[cases[i].measure], all.found[k], all.told[k], k);
            }
        }
        const int k = limit_choose(&all, &limit);
        mechanism m = open_case(&cases[i], limit, earth);
        sarrus_batch *batch = mechanism_batch(&m, NULL, 1, 1, NULL);
        assert_int_equal(sarrus_batch_advance(batch, N_STEPS), SARRUS_OK);
        print_message("%s, %s: %s beyond %.2e in step %d\n", cases[i].integrator, cases[i].projection, keys[cases[i].measure],
                      limit, k);
        check_end(&m, batch, &all, cases[i].measure, k);
        sarrus_batch_destroy(batch);
        mechanism_close(&m);
    }
}

/* rad/s of the crank before the others are brought to move with it, which leaves a tenth. Nothing else drives them here. */
static const double fast_speed = 120.0;

/* All that can be asked of an instance. */
typedef struct seen {
    double q[N], v[N];
    sarrus_instance_verdict verdict;
    sarrus_instance_statistics statistics;
    uint64_t failed_step;
    int64_t status;
} seen;

static void look(sarrus_batch *batch, seen *out) {
    for (uint64_t i = 0; i < N_INSTANCES; ++i) {
        out[i].status = sarrus_batch_status(batch, i);
        out[i].failed_step = sarrus_batch_failed_step(batch, i);
        assert_int_equal(sarrus_batch_state(batch, i, out[i].q, out[i].v), SARRUS_OK);
        assert_int_equal(sarrus_batch_verdict(batch, i, &out[i].verdict), SARRUS_OK);
        assert_int_equal(sarrus_batch_statistics(batch, i, &out[i].statistics), SARRUS_OK);
    }
}

static sarrus_batch *batch_open(const mechanism *m, const char *isa, int n_threads, double fast) {
    sarrus_draws *draws = mechanism_draws_by_hand(m, N_INSTANCES);
    for (int i = 0; i < N_INSTANCES; ++i) {
        draws->values[i] = i == PLACE_FAST ? fast : 1.0 + 0.05 * i;
    }
    sarrus_batch *batch = mechanism_batch(m, isa, n_threads, N_INSTANCES, draws);
    mechanism_draws_free(draws);
    return batch;
}

/* A limit that the instance at PLACE_FAST breaks at the end of its worst, and few others do. */
static double limit_of_fast(const struct limit_case *how) {
    static seen all[N_INSTANCES];
    mechanism m = open_case(how, how->measure == ERROR ? 1e300 : 0.0, nowhere);
    sarrus_batch *batch = batch_open(&m, NULL, 1, fast_speed);
    assert_int_equal(sarrus_batch_advance(batch, N_STEPS), SARRUS_OK);
    look(batch, all);
    const sarrus_instance_verdict *found = &all[PLACE_FAST].verdict;
    sarrus_batch_destroy(batch);
    mechanism_close(&m);
    return 0.9 * (how->measure == VIOLATION ? found->violation : how->measure == MISMATCH ? found->energy_mismatch : found->error);
}

static void check_neighbors(const struct limit_case *how, double limit, const char *isa, int n_threads) {
    static seen clean[N_INSTANCES], mixed[N_INSTANCES], again[N_INSTANCES];
    mechanism m = open_case(how, limit, nowhere);
    sarrus_batch *batch = batch_open(&m, isa, n_threads, 1.3);
    assert_int_equal(sarrus_batch_advance(batch, N_STEPS), SARRUS_OK);
    look(batch, clean);
    sarrus_batch_destroy(batch);
    batch = batch_open(&m, isa, n_threads, fast_speed);
    assert_int_equal(sarrus_batch_advance(batch, N_STEPS), SARRUS_OK);
    look(batch, mixed);
    int n_good = 0;
    for (int i = 0; i < N_INSTANCES; ++i) {
        n_good += mixed[i].status == SARRUS_INSTANCE_OK;
        if (i != PLACE_FAST && memcmp(&clean[i], &mixed[i], sizeof clean[i]) != 0) {
            fail_msg("%s, %d threads, %s: instance %d differs", isa, n_threads, how->integrator, i);
        }
    }
    assert_int_equal(n_good, N_INSTANCES - 1);
    assert_int_equal(mixed[PLACE_FAST].status, words[how->measure]);
    assert_true(mixed[PLACE_FAST].failed_step > 0 && mixed[PLACE_FAST].failed_step < N_STEPS);
    assert_int_equal(sarrus_batch_reset(batch), SARRUS_OK);
    look(batch, again);
    for (int i = 0; i < N_INSTANCES; ++i) {
        const sarrus_instance_verdict *found = &again[i].verdict;
        assert_true(again[i].status == SARRUS_INSTANCE_OK && again[i].failed_step == 0);
        assert_true(found->violation == 0.0 && found->energy_mismatch == 0.0 && found->work == 0.0 && !(found->error > 0.0));
        assert_true(isnan(found->nearest_change_point) && isnan(found->nearest_change_point_time));
    }
    assert_int_equal(sarrus_batch_advance(batch, N_STEPS), SARRUS_OK);
    look(batch, again);
    assert_memory_equal(again, mixed, sizeof mixed);
    sarrus_batch_destroy(batch);
    mechanism_close(&m);
}

static void neighbors_keep_every_bit_and_a_reset_forgets(void **state) {
    (void)state;
    static const char *const isas[] = {"avx512", "avx2", "baseline"};
    for (int i = 0; i < N_CASES; ++i) {
        const double limit = limit_of_fast(&cases[i]);
        for (int k = 0; k < 3; ++k) {
            for (int n_threads = 1; n_threads <= 2 && mechanism_has_isa(isas[k]); ++n_threads) {
                check_neighbors(&cases[i], limit, isas[k], n_threads);
            }
        }
    }
}

/* Without a word in the scenario there are limits, and steps that are far too long break them; `off` lets them. */
static void limits_are_there_unless_they_are_off(void **state) {
    (void)state;
    static const struct {
        const char *projection, *limits, *integrator;
        sarrus_instance_status status;
    } runs[] = {
        {"none", "{energy: off, error: off}", "{method: rk4, dt: 0.1, t_end: 2, substeps: off}",
         SARRUS_INSTANCE_CONSTRAINT_VIOLATED},
        {"every_step", "{violation: off, error: off}", "{method: rk4, dt: 0.1, t_end: 2, substeps: off}",
         SARRUS_INSTANCE_ENERGY_MISMATCH},
        {"every_step", "{violation: off, energy: off}", "{method: rk4, dt: 0.1, t_end: 2, substeps: off}",
         SARRUS_INSTANCE_UNRESOLVED},
        {"every_step", "{violation: off, energy: off, error: off}", "{method: rk4, dt: 0.1, t_end: 2, substeps: off}",
         SARRUS_INSTANCE_OK},
        {"none", "{violation: off, energy: off, error: off}", "{method: rk4, dt: 0.05, t_end: 2, substeps: off}",
         SARRUS_INSTANCE_OK},
        {"every_step", "{}", "{method: rk4, dt: 0.1, t_end: 2}", SARRUS_INSTANCE_OK}, /* made in parts */
        {"none", "{}", "{method: rk4, dt: 0.1, t_end: 2}", SARRUS_INSTANCE_OK},
        {"every_step", "{}", "{t_end: 2}", SARRUS_INSTANCE_OK},
        {"none", "{}", "{t_end: 2}", SARRUS_INSTANCE_OK},
    };
    for (size_t i = 0; i < sizeof runs / sizeof runs[0]; ++i) {
        const sarrus_override overrides[] = {{"integrator", runs[i].integrator},
                                             {"dynamics.projection", runs[i].projection},
                                             {"limits", runs[i].limits},
                                             {"output.interval", "0.1"},
                                             {NULL, NULL}};
        mechanism m = mechanism_open_text(crank_rocker, overrides);
        sarrus_batch *batch = mechanism_batch(&m, NULL, 1, 1, NULL);
        assert_int_equal(sarrus_batch_advance(batch, m.plan->n_steps), SARRUS_OK);
        if (sarrus_batch_status(batch, 0) != runs[i].status) {
            fail_msg("%s, %s, limits %s: %s", runs[i].integrator, runs[i].projection, runs[i].limits,
                     sarrus_instance_status_word(sarrus_batch_status(batch, 0)));
        }
        sarrus_batch_destroy(batch);
        mechanism_close(&m);
    }
}

/* The slider-crank of unit crank whose rod is longer by delta, to t_end; its crank's angle there. */
static sarrus_instance_verdict slider_crank(const char *delta, const char *integrator, double *angle) {
    const sarrus_change_point_mechanism *subject = &sarrus_change_point_mechanisms[3];
    const sarrus_override overrides[] = {{"integrator", integrator}, {"output", "{every: 1}"}};
    const sarrus_batch_options options = {.backend = SARRUS_BACKEND_CPU, .n_threads = 1};
    sarrus_context *context = NULL;
    sarrus_model *model = NULL;
    sarrus_plan *plan = NULL;
    sarrus_batch *batch = NULL;
    sarrus_instance_verdict out;
    double q[N], v[N];
    assert_string_equal(subject->name, "slider-crank");
    assert_int_equal(sarrus_context_create(&context), SARRUS_OK);
    assert_int_equal(sarrus_change_point_read(context, place_of_source("/scenarios"), subject, delta, overrides, 2, &model),
                     SARRUS_OK);
    assert_int_equal(sarrus_plan_create(context, model, &plan), SARRUS_OK);
    assert_int_equal(sarrus_batch_create(context, plan, &options, 1, NULL, &batch), SARRUS_OK);
    assert_int_equal(sarrus_batch_advance(batch, plan->n_steps), SARRUS_OK);
    assert_int_equal(sarrus_batch_status(batch, 0), SARRUS_INSTANCE_OK);
    assert_int_equal(sarrus_batch_verdict(batch, 0, &out), SARRUS_OK);
    assert_int_equal(sarrus_batch_state(batch, 0, q, v), SARRUS_OK);
    *angle = q[2];
    sarrus_batch_destroy(batch);
    sarrus_plan_destroy(plan);
    sarrus_model_destroy(model);
    sarrus_context_destroy(context);
    return out;
}

/* Crank and rod come to lie on the vertical. With the crank at -pi/2 + x, X = sin x, the rod l long is off it by an angle of sine
 * Y = sqrt(W^2 + X^2/l^2), W = sqrt(1 - 1/l^2), and the loop's gradient in (crank, rod) is (X, l Y). In the metric of the masses,
 * A = [11/6, -1; -1, 5/6] there (a third and a half of 1 kg, the slider's 0.5 kg at the ends), the singular value that vanishes has
 * the square (5/6 X^2 + 2 X Y + 11/6 Y^2)/det A times a constant. With X = W sinh u that is 4/3 cosh 2u + sinh 2u + 1/2 times W^2:
 * it is smallest at tanh 2u = -3/4, at X = -0.506 W, and goes with W = sqrt(2 delta) itself. Other terms are delta's own part.
 *
 * It is told where steps end. They are a quarter of the distance over its rate at most, W/4, so that half of one misses the
 * smallest by W/8 and by 1/128 of it; of wider bends a step of 1e-3 s at 13 rad/s goes 0.013. */
static void the_nearest_change_point_is_that_of_the_closed_form(void **state) {
    (void)state;
    static const char *const deltas[] = {"1e-3", "1e-4", "1e-5", "1e-6", "1e-8", "1e-10", "1e-12"};
    static const char *const integrators[] = {"{method: rk4, dt: 1e-3, t_end: 0.4}", "{t_end: 0.4, rtol: 1e-10, atol: 1e-10}",
                                              "{method: adams-moulton, t_end: 0.4, rtol: 1e-10, atol: 1e-10}"};
    double factor = 0.0;
    for (int w = 0; w < 3; ++w) {
        for (size_t i = 0; i < sizeof deltas / sizeof deltas[0]; ++i) {
            char to_there[96];
            double angle = 0.0;
            const double delta = atof(deltas[i]), width = sqrt(delta * (2.0 + delta)) / (1.0 + delta);
            const double place = -width * sinh(0.5 * atanh(0.75));
            const sarrus_instance_verdict found = slider_crank(deltas[i], integrators[w], &angle);
            snprintf(to_there, sizeof to_there, "{t_end: %.17g, rtol: 1e-11, atol: 1e-11}", found.nearest_change_point_time);
            (void)slider_crank(deltas[i], to_there, &angle);
            const double part = found.nearest_change_point / width, miss = angle + M_PI / 2.0 - place;
            factor = factor > 0.0 ? factor : part;
            print_message("%.14s, %s: %.4f of the width, %+.4f of it off\n", integrators[w], deltas[i], part, miss / width);
            assert_true(fabs(part / factor - 1.0) <= 1.0 / 64.0);
            assert_true(fabs(miss) <= 0.125 * width + delta);
        }
    }
}

/* What cannot come near one has none, and says so. */
static void a_pendulum_has_no_change_point(void **state) {
    (void)state;
    mechanism m = mechanism_open_file("pendulum.yaml", NULL);
    sarrus_batch *batch = mechanism_batch(&m, NULL, 1, 1, NULL);
    sarrus_instance_verdict found;
    assert_int_equal(sarrus_batch_advance(batch, 500), SARRUS_OK);
    assert_int_equal(sarrus_batch_verdict(batch, 0, &found), SARRUS_OK);
    assert_true(isnan(found.nearest_change_point) && isnan(found.nearest_change_point_time));
    sarrus_batch_destroy(batch);
    mechanism_close(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_instance_ends_where_it_breaks_the_limit),
        cmocka_unit_test(neighbors_keep_every_bit_and_a_reset_forgets),
        cmocka_unit_test(limits_are_there_unless_they_are_off),
        cmocka_unit_test(the_nearest_change_point_is_that_of_the_closed_form),
        cmocka_unit_test(a_pendulum_has_no_change_point),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

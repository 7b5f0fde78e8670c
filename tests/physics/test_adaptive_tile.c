/* Claims about lanes that choose their own steps: an instance's bits and its statistics depend on nothing but the instance, a state
 * or an input that is changed from outside is taken up where it was changed, and an instance that cannot go on ends alone, with its
 * word. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "plan/plan.h"
#include "tests/support/mechanism.h"
#include "tests/tolerances.h"

enum { N = 12, N_INSTANCES = 50, N_STEPS = 300 };

static const char *const METHODS[] = {"dopri5", "verner65", "adams-moulton", "semi-implicit"};
enum { N_METHODS = 4, N_ADAPTIVE = 3, N_END_INSTANCES = 9 };
static const char *const HOLDS[] = {"{projection: none}", "{projection: every_step}", "{baumgarte: {alpha: 40, beta: 30}}",
                                    "{baumgarte: {rule: step}, projection: none}"};
enum { N_HOLDS = 4 };

/* --- Bits ------------------------------------------------------------------------------------------------------------- */

typedef struct outcome {
    double q[N_INSTANCES][N], v[N_INSTANCES][N], energy[N_INSTANCES];
    sarrus_instance_statistics statistics[N_INSTANCES];
} outcome;

static void finish(sarrus_batch *batch, outcome *out) {
    sarrus_observation o = {.n_times = 1, .every_steps = 1, .observe_first = 1, .n_times_stride = 1};
    o.destination[SARRUS_OBSERVE_Q] = &out->q[0][0];
    o.destination[SARRUS_OBSERVE_V] = &out->v[0][0];
    o.destination[SARRUS_OBSERVE_ENERGY] = out->energy;
    assert_int_equal(sarrus_batch_observe(batch, &o), SARRUS_OK);
    for (uint64_t i = 0; i < sarrus_batch_n_instances(batch); ++i) {
        assert_int_equal(sarrus_batch_status(batch, i), SARRUS_INSTANCE_OK);
        assert_int_equal(sarrus_batch_statistics(batch, i, &out->statistics[i]), SARRUS_OK);
    }
    sarrus_batch_destroy(batch);
}

static void assert_same(const outcome *a, size_t i, const outcome *b, size_t j, const char *what) {
    if (memcmp(a->q[i], b->q[j], sizeof a->q[i]) != 0 || memcmp(a->v[i], b->v[j], sizeof a->v[i]) != 0 ||
        memcmp(&a->energy[i], &b->energy[j], sizeof(double)) != 0 ||
        memcmp(&a->statistics[i], &b->statistics[j], sizeof a->statistics[i]) != 0) {
        fail_msg("%s: instance %zu differs", what, i);
    }
}

/* As many steps in pieces of 1, 2, 3, … with looks at everything in between. */
static void advance_in_pieces(sarrus_batch *batch, uint64_t n_steps) {
    double reactions[N_INSTANCES][18];
    for (uint64_t piece = 1; n_steps > 0; ++piece) {
        const uint64_t n = piece < n_steps ? piece : n_steps;
        if (piece % 2 == 0) {
            assert_int_equal(sarrus_batch_advance(batch, n), SARRUS_OK);
        } else {
            sarrus_observation o = {.n_times = 1, .every_steps = n, .n_times_stride = 1};
            o.destination[SARRUS_OBSERVE_REACTIONS] = &reactions[0][0];
            assert_int_equal(sarrus_batch_observe(batch, &o), SARRUS_OK);
        }
        n_steps -= n;
    }
}

/* Instances order[0 … n − 1] of `from`, alone in a batch, against the same ones of `whole`. */
static void check_part(const mechanism *m, const char *isa, const sarrus_draws *from, const uint64_t *order, uint64_t n,
                       const outcome *whole) {
    static outcome part;
    sarrus_draws *draws = mechanism_draws_by_hand(m, n);
    for (int k = 0; k < draws->n_sampled; ++k) {
        for (uint64_t i = 0; i < n; ++i) {
            draws->values[(uint64_t)k * n + i] = sarrus_draws_values(from, k)[order[i]];
        }
    }
    sarrus_batch *batch = mechanism_batch(m, isa, 2, n, draws);
    advance_in_pieces(batch, N_STEPS);
    finish(batch, &part);
    for (size_t i = 0; i < n; ++i) {
        assert_same(whole, order[i], &part, i, isa);
    }
    mechanism_draws_free(draws);
}

static void check_bits(const char *method, const char *isa, const char *hold) {
    static outcome whole;
    const sarrus_override overrides[] = {
        {"integrator.method", method}, {"integrator.rtol", "1e-7"}, {"integrator.atol", "1e-7"}, {"dynamics", hold}, {NULL, NULL}};
    uint64_t order[N_INSTANCES];
    mechanism m = mechanism_open_file("five_bar_monte_carlo.yaml", overrides);
    sarrus_draws *draws = NULL;
    assert_int_equal(sarrus_draws_create(m.context, m.model, 3, N_INSTANCES, &draws), SARRUS_OK);
    sarrus_batch *batch = mechanism_batch(&m, isa, 1, N_INSTANCES, draws);
    assert_int_equal(sarrus_batch_advance(batch, N_STEPS), SARRUS_OK);
    finish(batch, &whole);
    for (uint64_t i = 0; i < N_INSTANCES; ++i) {
        order[i] = (i * 17 + 5) % N_INSTANCES;
    }
    check_part(&m, isa, draws, order, N_INSTANCES, &whole);
    for (uint64_t i = 0; i < 9; i += 4) { /* 1, 5 and 9 instances */
        check_part(&m, isa, draws, order + i, i + 1, &whole);
    }
    sarrus_draws_destroy(draws);
    mechanism_close(&m);
}

static void bits_depend_on_the_instance_alone(void **state) {
    (void)state;
    const char *const isas[] = {"avx512", "avx2", "baseline"};
    for (int i = 0; i < N_METHODS; ++i) {
        for (int h = 0; h < N_HOLDS; ++h) {
            for (int k = 0; k < 3; ++k) {
                if (mechanism_has_isa(isas[k]) && (k == 0 || h == 1)) {
                    check_bits(METHODS[i], isas[k], HOLDS[h]);
                }
            }
        }
    }
}

/* Times at which the output looks do not move the steps either: a coarse grid and one ten times finer agree in its points. */
static void output_times_do_not_move_the_steps(void **state) {
    (void)state;
    for (int i = 0; i < N_ADAPTIVE; ++i) {
        double q[2][N], v[N];
        sarrus_instance_statistics statistics[2];
        for (int k = 0; k < 2; ++k) {
            const sarrus_override overrides[] = {
                {"integrator.method", METHODS[i]}, {"output", k == 0 ? "{interval: 0.5}" : "{interval: 0.0625}"}, {NULL, NULL}};
            mechanism m = mechanism_open_file("five_bar.yaml", overrides);
            sarrus_batch *batch = mechanism_batch(&m, NULL, 1, 1, NULL);
            for (int s = 0; s < (k == 0 ? 3 : 24); ++s) {
                assert_int_equal(sarrus_batch_advance(batch, 1), SARRUS_OK);
            }
            assert_true(sarrus_batch_time(batch) == 1.5);
            assert_int_equal(sarrus_batch_state(batch, 0, q[k], v), SARRUS_OK);
            assert_int_equal(sarrus_batch_statistics(batch, 0, &statistics[k]), SARRUS_OK);
            sarrus_batch_destroy(batch);
            mechanism_close(&m);
        }
        assert_memory_equal(q[0], q[1], sizeof q[0]);
        assert_memory_equal(&statistics[0], &statistics[1], sizeof statistics[0]);
    }
}

/* Changes of rank come in the order of time and are the same however the run is cut, though the tile holds only a few. */
static void changes_of_rank_do_not_depend_on_the_cuts(void **state) {
    (void)state;
    enum { MAX_EVENTS = 512 };
    /* All twelve rows in view and a threshold among their round-off: the rank goes up and down for nothing. */
    const char *const rule = "{pinv: svd, rank: {method: relative, tol: 1.0e-16}, projection: every_step}";
    static sarrus_rank_event seen[2][MAX_EVENTS];
    for (int i = 0; i < N_ADAPTIVE; ++i) {
        uint64_t n_seen[2];
        for (int k = 0; k < 2; ++k) {
            const sarrus_override overrides[] = {{"integrator.method", METHODS[i]},
                                                 {"integrator.dt", "1e-3"},
                                                 {"dynamics", rule},
                                                 {"output", "{every: 1, channels: [state, rank]}"},
                                                 {NULL, NULL}};
            mechanism m = mechanism_open_file("five_bar.yaml", overrides);
            const sarrus_batch_options options = {.backend = SARRUS_BACKEND_CPU, .n_threads = 1, .keep_rank_events = 1};
            const sarrus_rank_event *events;
            sarrus_batch *batch = NULL;
            assert_int_equal(sarrus_batch_create(m.context, m.plan, &options, 1, NULL, &batch), SARRUS_OK);
            for (int s = 0; s < (k == 0 ? 1 : 50); ++s) {
                assert_int_equal(sarrus_batch_advance(batch, k == 0 ? 10000 : 200), SARRUS_OK);
            }
            assert_int_equal(sarrus_batch_rank_events(batch, &events, &n_seen[k]), SARRUS_OK);
            assert_true(n_seen[k] <= MAX_EVENTS);
            memcpy(seen[k], events, n_seen[k] * sizeof *events);
            for (uint64_t e = 1; e < n_seen[k]; ++e) {
                assert_true(events[e].time > events[e - 1].time && events[e].rank_before == events[e - 1].rank_after);
            }
            sarrus_batch_destroy(batch);
            mechanism_close(&m);
        }
        print_message("%s: %llu changes of rank in 10 s of the five-bar\n", METHODS[i], (unsigned long long)n_seen[0]);
        assert_true(n_seen[0] > 8); /* more than the tile holds */
        assert_int_equal(n_seen[0], n_seen[1]);
        assert_memory_equal(seen[0], seen[1], n_seen[0] * sizeof seen[0][0]);
    }
}

/* --- Changes from outside --------------------------------------------------------------------------------------------- */

static void a_state_put_in_is_where_it_goes_on(void **state) {
    (void)state;
    for (int i = 0; i < N_ADAPTIVE; ++i) {
        const sarrus_override overrides[] = {
            {"integrator.method", METHODS[i]}, {"integrator.rtol", "1e-9"}, {"integrator.atol", "1e-9"}, {NULL, NULL}};
        mechanism m = mechanism_open_file("five_bar.yaml", overrides);
        sarrus_batch *batch = mechanism_batch(&m, NULL, 1, 3, NULL), *fresh = mechanism_batch(&m, NULL, 1, 1, NULL);
        double q0[N], v0[N], q[N], v[N], q_fresh[N], v_fresh[N], q_left[2][N];
        sarrus_instance_statistics statistics;
        assert_int_equal(sarrus_batch_state(batch, 1, q0, v0), SARRUS_OK);
        assert_int_equal(sarrus_batch_advance(batch, 77), SARRUS_OK);
        assert_int_equal(sarrus_batch_state(batch, 2, q, v), SARRUS_OK);
        mechanism_set_state(batch, 1, q0, v0);
        mechanism_set_state(batch, 2, q, v); /* what is there already changes nothing */
        assert_int_equal(sarrus_batch_advance(batch, 100), SARRUS_OK);
        assert_int_equal(sarrus_batch_advance(fresh, 100), SARRUS_OK);
        assert_int_equal(sarrus_batch_state(batch, 1, q, v), SARRUS_OK);
        assert_int_equal(sarrus_batch_state(fresh, 0, q_fresh, v_fresh), SARRUS_OK);
        /* The same motion from another time on: steps differ by round-off of the time, states by that of the steps. */
        assert_true(mechanism_distance(q, q_fresh, N) <= TOLERANCE_OF_TOLERANCE * 1e-9);
        assert_true(mechanism_distance(q, q0, N) > 1e-2);
        assert_int_equal(sarrus_batch_state(batch, 0, q_left[0], NULL), SARRUS_OK);
        assert_int_equal(sarrus_batch_state(batch, 2, q_left[1], NULL), SARRUS_OK);
        assert_memory_equal(q_left[0], q_left[1], sizeof q_left[0]);
        assert_int_equal(sarrus_batch_statistics(batch, 1, &statistics), SARRUS_OK);
        if (i < 2) { /* six or eight accelerations a trial, and one for each of the two beginnings */
            assert_int_equal(statistics.n_evaluations, 2 + (i == 0 ? 6 : 8) * (statistics.n_steps + statistics.n_rejected));
        } else {
            assert_int_equal(statistics.n_evaluations, 2 + 2 * statistics.n_steps + statistics.n_rejected);
        }
        sarrus_batch_destroy(fresh);
        sarrus_batch_destroy(batch);
        mechanism_close(&m);
    }
}

static void reset_repeats_the_run(void **state) {
    (void)state;
    for (int i = 0; i < N_ADAPTIVE; ++i) {
        const sarrus_override overrides[] = {{"integrator.method", METHODS[i]}, {NULL, NULL}};
        mechanism m = mechanism_open_file("five_bar.yaml", overrides);
        sarrus_batch *batch = mechanism_batch(&m, NULL, 1, 2, NULL);
        double q[2][N], v[2][N];
        sarrus_instance_statistics statistics[2];
        for (int k = 0; k < 2; ++k) {
            assert_int_equal(sarrus_batch_advance(batch, 123), SARRUS_OK);
            assert_int_equal(sarrus_batch_state(batch, 1, q[k], v[k]), SARRUS_OK);
            assert_int_equal(sarrus_batch_statistics(batch, 1, &statistics[k]), SARRUS_OK);
            assert_int_equal(sarrus_batch_reset(batch), SARRUS_OK);
        }
        assert_memory_equal(q[0], q[1], sizeof q[0]);
        assert_memory_equal(v[0], v[1], sizeof v[0]);
        assert_memory_equal(&statistics[0], &statistics[1], sizeof statistics[0]);
        sarrus_batch_destroy(batch);
        mechanism_close(&m);
    }
}

/* A wheel under a torque from outside turns by ½ u t² / I from call to call, exactly: every step ends where the input may jump. */
static void inputs_act_from_call_to_call(void **state) {
    (void)state;
    const char *const text = "sarrus: 1\n"
                             "space: planar\n"
                             "gravity: [0, 0]\n"
                             "bodies: [{name: wheel, mass: 1, inertia: 0.5, position: [0, 0]}]\n"
                             "joints: [{name: A, type: revolute, bodies: [ground, wheel], at: [0, 0]}]\n"
                             "forces: [{name: motor, type: torque, body: wheel, value: {input: 0}}]\n"
                             "integrator: {method: rk4, dt: 1.0e-2, t_end: 1.0, rtol: 1e-9, atol: 1e-9}\n";
    for (int i = 0; i < N_ADAPTIVE; ++i) {
        const sarrus_override overrides[] = {{"integrator.method", METHODS[i]}, {"output", "{every: 1}"}, {NULL, NULL}};
        mechanism m = mechanism_open_text(text, overrides);
        sarrus_batch *batch = mechanism_batch(&m, NULL, 1, 2, NULL);
        double angle = 0.0, speed = 0.0, q[3], v[3];
        for (int k = 0; k < 20; ++k) {
            const double torque = k % 3 - 1.0, seconds = 0.01 * (k + 1);
            mechanism_set_inputs(batch, 1, &torque);
            assert_int_equal(sarrus_batch_advance(batch, (uint64_t)k + 1), SARRUS_OK);
            angle += seconds * (speed + torque * seconds);
            speed += 2.0 * torque * seconds;
            assert_int_equal(sarrus_batch_state(batch, 1, q, v), SARRUS_OK);
            assert_true(fabs(q[2] - angle) <= 1e-9 && fabs(v[2] - speed) <= 1e-9);
            assert_int_equal(sarrus_batch_state(batch, 0, q, v), SARRUS_OK);
            assert_true(q[2] == 0.0 && v[2] == 0.0);
        }
        sarrus_batch_destroy(batch);
        mechanism_close(&m);
    }
}

/* --- Ends ------------------------------------------------------------------------------------------------------------- */

/* A mass on a spring whose stiffness is drawn. */
static const char *const TEXT = "sarrus: 1\n"
                                "parameters: {c: 10.0}\n"
                                "space: planar\n"
                                "gravity: [0, -9.81]\n"
                                "bodies:\n"
                                "  - {name: loose, mass: 1.0, inertia: 0.1, position: [3.0, 0.0]}\n"
                                "  - {name: arm, mass: 1.0, inertia: 0.1, position: [0.5, 0.0]}\n"
                                "joints: [{name: A, type: revolute, bodies: [ground, arm], at: [0, 0]}]\n"
                                "forces:\n"
                                "  - {name: pull, type: spring, between: [[loose, [0, 0]], [ground, [3, -1]]], stiffness: \"=c\", "
                                "rest_length: 1.0}\n"
                                "integrator: {method: rk4, dt: 1.0e-2, t_end: 2.0, rtol: 1e-6, atol: 1e-6, max_steps: 2000}\n"
                                "output: {every: 1}\n"
                                "batch: {instances: 12, parameters: [{name: c, distribution: uniform, low: 1, high: 9}]}\n";

enum { N_END = 12, N_TIMES = 21, PLACE_BLOW_UP = 4, PLACE_STIFF = 9 };

static void run_ends(const mechanism *m, bool spoil, double q[N_END][N_TIMES][6], sarrus_instance_status *status, uint64_t *step) {
    sarrus_draws *draws = mechanism_draws_by_hand(m, N_END);
    for (uint64_t i = 0; i < N_END; ++i) {
        draws->values[i] = 5.0 + (double)i;
    }
    if (spoil) {
        draws->values[PLACE_BLOW_UP] = -1e4; /* pushes ever harder: e-fold in 10 ms, 1e12 m after 0.3 s */
        draws->values[PLACE_STIFF] = 1e9;    /* 5000 turns a second */
    }
    sarrus_batch *batch = mechanism_batch(m, NULL, 2, N_END, draws);
    sarrus_observation o = {.n_times = N_TIMES, .every_steps = 5, .observe_first = 1, .n_times_stride = N_TIMES};
    o.destination[SARRUS_OBSERVE_Q] = &q[0][0][0];
    assert_int_equal(sarrus_batch_observe(batch, &o), SARRUS_OK);
    for (uint64_t i = 0; i < N_END; ++i) {
        status[i] = sarrus_batch_status(batch, i);
        step[i] = sarrus_batch_failed_step(batch, i);
    }
    sarrus_batch_destroy(batch);
    mechanism_draws_free(draws);
}

static void an_instance_that_cannot_go_on_ends_alone(void **state) {
    (void)state;
    static double clean[N_END][N_TIMES][6], mixed[N_END][N_TIMES][6];
    sarrus_instance_status status[N_END];
    uint64_t step[N_END];
    for (int i = 0; i < N_ADAPTIVE; ++i) {
        const sarrus_override overrides[] = {{"integrator.method", METHODS[i]}, {NULL, NULL}};
        mechanism m = mechanism_open_text(TEXT, overrides);
        run_ends(&m, false, clean, status, step);
        run_ends(&m, true, mixed, status, step);
        for (int k = 0; k < N_END; ++k) {
            if (k == PLACE_BLOW_UP || k == PLACE_STIFF) {
                /* NaN from the first row behind the last good time on, and not before. */
                const uint64_t first = (step[k] + 4) / 5;
                assert_true(step[k] > 0 && first < N_TIMES);
                assert_true(isnan(mixed[k][first][0]) && isnan(mixed[k][N_TIMES - 1][0]));
                assert_true(isfinite(mixed[k][first - 1][0]));
            } else {
                assert_int_equal(status[k], SARRUS_INSTANCE_OK);
                assert_memory_equal(clean[k], mixed[k], sizeof clean[k]);
            }
        }
        assert_int_equal(status[PLACE_BLOW_UP], SARRUS_INSTANCE_DIVERGED);
        assert_int_equal(status[PLACE_STIFF], SARRUS_INSTANCE_STEP_LIMIT);
        assert_true(step[PLACE_BLOW_UP] > 20 && step[PLACE_BLOW_UP] < 40);
        mechanism_close(&m);
    }
}

/* A lane that hardly moves, by gains whose limit of stability is 0.2 ns, or by a tolerance that no step of its size meets, has used
 * up its tries at some time within the one call that is made, and at none too many. */
static void tries_are_used_up_within_one_call(void **state) {
    (void)state;
    static const char *const dynamics[] = {"{baumgarte: {alpha: 1e10, beta: 1e9}, projection: none}", "{projection: none}"};
    static const char *const tolerances[] = {"1e-6", "1e-15"};
    for (int i = 0; i < N_ADAPTIVE; ++i) {
        for (int k = 0; k < 2; ++k) {
            const sarrus_override overrides[] = {{"integrator.method", METHODS[i]},  {"integrator.rtol", tolerances[k]},
                                                 {"integrator.atol", tolerances[k]}, {"integrator.max_steps", "300"},
                                                 {"dynamics", dynamics[k]},          {NULL, NULL}};
            mechanism m = mechanism_open_file("five_bar.yaml", overrides);
            sarrus_batch *batch = mechanism_batch(&m, NULL, 1, 3, NULL);
            assert_int_equal(sarrus_batch_advance(batch, m.plan->n_steps), SARRUS_OK);
            for (uint64_t instance = 0; instance < 3; ++instance) {
                sarrus_instance_statistics statistics;
                assert_int_equal(sarrus_batch_status(batch, instance), SARRUS_INSTANCE_STEP_LIMIT);
                assert_int_equal(sarrus_batch_statistics(batch, instance, &statistics), SARRUS_OK);
                assert_int_equal(statistics.n_steps + statistics.n_rejected, 300);
            }
            sarrus_batch_destroy(batch);
            mechanism_close(&m);
        }
    }
}

static void a_tolerance_below_round_off_ends_the_instance(void **state) {
    (void)state;
    for (int i = 0; i < N_ADAPTIVE; ++i) {
        const sarrus_override overrides[] = {
            {"integrator.method", METHODS[i]}, {"integrator.rtol", "1e-18"}, {"integrator.atol", "1e-18"}, {NULL, NULL}};
        mechanism m = mechanism_open_file("five_bar.yaml", overrides);
        sarrus_batch *batch = mechanism_batch(&m, NULL, 1, 1, NULL);
        assert_int_equal(sarrus_batch_advance(batch, 10), SARRUS_OK);
        assert_int_equal(sarrus_batch_status(batch, 0), SARRUS_INSTANCE_STEP_UNDERFLOW);
        assert_int_equal(sarrus_batch_failed_step(batch, 0), 1);
        sarrus_batch_destroy(batch);
        mechanism_close(&m);
    }
}

static void a_force_or_a_state_that_is_no_number_ends_the_instance(void **state) {
    (void)state;
    const char *const text = "sarrus: 1\n"
                             "space: planar\n"
                             "bodies: [{name: a, mass: 1, inertia: 0.5, position: [0, 0]}]\n"
                             "joints: []\n"
                             "forces: [{name: motor, type: torque, body: a, value: {input: 0}}]\n"
                             "integrator: {method: rk4, dt: 1.0e-2, t_end: 1.0}\n"
                             "output: {every: 1}\n";
    for (int i = 0; i < N_ADAPTIVE; ++i) {
        const sarrus_override overrides[] = {{"integrator.method", METHODS[i]}, {NULL, NULL}};
        const double nan_input = NAN;
        mechanism m = mechanism_open_text(text, overrides);
        sarrus_batch *batch = mechanism_batch(&m, NULL, 1, 2, NULL);
        assert_int_equal(sarrus_batch_advance(batch, 7), SARRUS_OK);
        mechanism_set_inputs(batch, 0, &nan_input);
        assert_int_equal(sarrus_batch_advance(batch, 7), SARRUS_OK);
        assert_int_equal(sarrus_batch_status(batch, 0), SARRUS_INSTANCE_NONFINITE_FORCE);
        assert_int_equal(sarrus_batch_failed_step(batch, 0), 8);
        assert_int_equal(sarrus_batch_status(batch, 1), SARRUS_INSTANCE_OK);
        const double astray[3] = {0.0, NAN, 0.0};
        mechanism_set_state(batch, 1, astray, NULL);
        assert_int_equal(sarrus_batch_advance(batch, 1), SARRUS_OK);
        assert_int_equal(sarrus_batch_status(batch, 1), SARRUS_INSTANCE_DIVERGED);
        assert_int_equal(sarrus_batch_failed_step(batch, 1), 15);
        sarrus_batch_destroy(batch);
        mechanism_close(&m);
    }
}

/* Where an instance that has failed stands, and what is said of it. */
typedef struct ending {
    double q[N_END_INSTANCES][N], v[N_END_INSTANCES][N], status[N_END_INSTANCES], failed_step[N_END_INSTANCES];
    double work[N_END_INSTANCES];
} ending;

static void run_to_its_end(const mechanism *m, const sarrus_draws *draws, uint64_t n_calls, uint64_t n_steps, ending *out) {
    sarrus_batch *batch = mechanism_batch(m, NULL, 1, N_END_INSTANCES, draws);
    for (uint64_t i = 0; i < n_calls; ++i)
        assert_int_equal(sarrus_batch_advance(batch, n_steps), SARRUS_OK);
    assert_int_equal(sarrus_batch_copy_out(batch, SARRUS_FIELD_Q, &out->q[0][0]), SARRUS_OK);
    assert_int_equal(sarrus_batch_copy_out(batch, SARRUS_FIELD_V, &out->v[0][0]), SARRUS_OK);
    assert_int_equal(sarrus_batch_copy_out(batch, SARRUS_FIELD_STATUS, out->status), SARRUS_OK);
    assert_int_equal(sarrus_batch_copy_out(batch, SARRUS_FIELD_FAILED_STEP, out->failed_step), SARRUS_OK);
    for (uint64_t i = 0; i < N_END_INSTANCES; ++i) {
        sarrus_instance_verdict verdict;
        assert_int_equal(sarrus_batch_verdict(batch, i, &verdict), SARRUS_OK);
        out->work[i] = verdict.work;
    }
    sarrus_batch_destroy(batch);
}

/* An instance that fails stands where its last good step led, whether it fails in one long call or in one of many short ones. */
static void a_failed_instance_stands_at_its_last_step(void **state) {
    (void)state;
    static ending start, whole, cut;
    static const char *const formulations[] = {"udwadia-kalaba", "relative"};
    for (int i = 0; i < 2 * N_ADAPTIVE; ++i) {
        const sarrus_override overrides[] = {{"integrator.method", METHODS[i / 2]},
                                             {"integrator.dt", "0.01"},
                                             {"integrator.t_end", "2"},
                                             {"integrator.max_steps", "25"},
                                             {"dynamics.formulation", formulations[i % 2]},
                                             {"output", "{interval: 0.01}"},
                                             {"joints.A.damping", "0.1"},
                                             {NULL, NULL}};
        mechanism m = mechanism_open_file("five_bar_monte_carlo.yaml", overrides);
        sarrus_draws *draws = NULL;
        assert_int_equal(sarrus_draws_create(m.context, m.model, 3, N_END_INSTANCES, &draws), SARRUS_OK);
        run_to_its_end(&m, draws, 0, 0, &start);
        run_to_its_end(&m, draws, 1, 200, &whole);
        for (uint64_t n_steps = 1; n_steps <= 25; n_steps += 12) {
            run_to_its_end(&m, draws, 200 / n_steps, n_steps, &cut);
            assert_memory_equal(&cut, &whole, sizeof whole);
        }
        for (int k = 0; k < N_END_INSTANCES; ++k) {
            assert_int_equal((int)whole.status[k], SARRUS_INSTANCE_STEP_LIMIT);
            assert_true(whole.failed_step[k] > 5.0 && whole.work[k] < 0.0);
            assert_true(whole.q[k][2] != start.q[k][2] && whole.v[k][2] != start.v[k][2]);
        }
        sarrus_draws_destroy(draws);
        mechanism_close(&m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bits_depend_on_the_instance_alone),
        cmocka_unit_test(output_times_do_not_move_the_steps),
        cmocka_unit_test(changes_of_rank_do_not_depend_on_the_cuts),
        cmocka_unit_test(a_state_put_in_is_where_it_goes_on),
        cmocka_unit_test(reset_repeats_the_run),
        cmocka_unit_test(inputs_act_from_call_to_call),
        cmocka_unit_test(an_instance_that_cannot_go_on_ends_alone),
        cmocka_unit_test(tries_are_used_up_within_one_call),
        cmocka_unit_test(a_tolerance_below_round_off_ends_the_instance),
        cmocka_unit_test(a_force_or_a_state_that_is_no_number_ends_the_instance),
        cmocka_unit_test(a_failed_instance_stands_at_its_last_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Claim: what dopri5 and verner65 show between the ends of a step is of their own order and about as good as what they reach at its
 * end, in q, in v and in the work, and with every stabilization; and a look into a step has no consequences.
 *
 * A tolerance that is never met in vain makes the first step as long as `dt` says, and a grid of an eighth of it shows the state
 * inside. The truth is the same motion by adams-moulton with a tolerance of 1e-14, on the same grid. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "plan/plan.h"
#include "tests/support/mechanism.h"
#include "tests/tolerances.h"

enum { MAX_N = 9, N_PARTS = 8, N_SIZES = 3 };

/* A crank-rocker that turns at 8 rad/s, and a double pendulum that falls. */
static const char *const crank_rocker =
    "sarrus: 1\n"
    "space: planar\n"
    "gravity: [0, -9.81]\n"
    "bodies:\n"
    "  - {name: crank, mass: 1, inertia: 0.0075, position: [0.15, 0], angular_velocity: 8, velocity: [0, 1.2]}\n"
    "  - {name: rod, mass: 2, inertia: 0.2, position: [0.6, 0.4]}\n"
    "  - {name: rocker, mass: 1.5, inertia: 0.1, position: [0.95, 0.4]}\n"
    "joints:\n"
    "  - {name: A, type: revolute, bodies: [ground, crank], at: [0, 0], damping: 0.02}\n"
    "  - {name: B, type: revolute, bodies: [crank, rod], at: [0.3, 0]}\n"
    "  - {name: C, type: revolute, bodies: [rod, rocker], at: [0.9, 0.8]}\n"
    "  - {name: D, type: revolute, bodies: [ground, rocker], at: [1, 0]}\n"
    "integrator: {method: rk4, dt: 0.1, t_end: 1}\n"
    "output: {interval: 0.1}\n";
static const char *const double_pendulum = "sarrus: 1\n"
                                           "space: planar\n"
                                           "gravity: [0, -9.81]\n"
                                           "bodies:\n"
                                           "  - {name: a, mass: 1, inertia: 0.1, position: [0.5, 0]}\n"
                                           "  - {name: b, mass: 1, inertia: 0.1, position: [1, 0.5]}\n"
                                           "joints:\n"
                                           "  - {name: A, type: revolute, bodies: [ground, a], at: [0, 0], damping: 0.3}\n"
                                           "  - {name: B, type: revolute, bodies: [a, b], at: [1, 0]}\n"
                                           "integrator: {method: rk4, dt: 0.1, t_end: 1}\n"
                                           "output: {interval: 0.1}\n";

#define BODIES "formulation: udwadia-kalaba, " /* their tiles are looked into, and states put in that joints do not let them have */
static const char *const HOLDS[] = {"{" BODIES "projection: none}", "{" BODIES "projection: every_step}",
                                    "{" BODIES "baumgarte: {alpha: 4, beta: 3}}",
                                    "{" BODIES "baumgarte: {rule: step}, projection: none}"};
enum { N_HOLDS = 4 };

/* States at the eighths of a first step of size h; of the method, or, with a tolerance, of whatever steps that needs: the work is
 * then what the energy has changed by. */
typedef struct shown {
    double q[N_PARTS][MAX_N], v[N_PARTS][MAX_N], work[N_PARTS];
    sarrus_instance_statistics statistics;
} shown;

static int first_step(const char *scenario, const char *method, const char *hold, double h, const char *tolerance, shown *out) {
    char dt[40], interval[40];
    snprintf(dt, sizeof dt, "%.17g", tolerance ? h / 64.0 : h);
    snprintf(interval, sizeof interval, "%.17g", h / N_PARTS);
    const sarrus_override overrides[] = {{"integrator.method", method},
                                         {"dynamics", hold},
                                         {"integrator.dt", dt},
                                         {"output.interval", interval},
                                         {"integrator.rtol", tolerance ? tolerance : "0.5"},
                                         {"integrator.atol", tolerance ? tolerance : "1e3"},
                                         {NULL, NULL}};
    mechanism m = mechanism_open_text(scenario, overrides);
    sarrus_batch *batch = mechanism_batch(&m, NULL, 1, 1, NULL);
    double start = 0.0;
    mechanism_observe(batch, tolerance ? SARRUS_OBSERVE_ENERGY : SARRUS_OBSERVE_WORK, &start);
    for (int k = 0; k < N_PARTS; ++k) {
        assert_int_equal(sarrus_batch_advance(batch, 1), SARRUS_OK);
        assert_int_equal(sarrus_batch_state(batch, 0, out->q[k], out->v[k]), SARRUS_OK);
        mechanism_observe(batch, tolerance ? SARRUS_OBSERVE_ENERGY : SARRUS_OBSERVE_WORK, &out->work[k]);
        out->work[k] -= start;
    }
    assert_int_equal(sarrus_batch_statistics(batch, 0, &out->statistics), SARRUS_OK);
    sarrus_batch_destroy(batch);
    const int n = m.n;
    mechanism_close(&m);
    return n;
}

enum { N_KINDS = 3 };

/* Errors in q, v and the work: largest inside the step, and at its end. */
typedef struct step_error {
    double inside[N_KINDS], end[N_KINDS];
} step_error;

static step_error errors_of(const char *scenario, const char *method, const char *hold, double h) {
    static shown seen, truth;
    step_error e = {{0.0}, {0.0}};
    const int n = first_step(scenario, method, hold, h, NULL, &seen);
    assert_int_equal(seen.statistics.n_steps, 1); /* the eighths are those of one step */
    (void)first_step(scenario, "adams-moulton", HOLDS[1], h, "1e-14", &truth);
    for (int k = 0; k < N_PARTS; ++k) {
        double *to = k + 1 < N_PARTS ? e.inside : e.end;
        to[0] = fmax(to[0], mechanism_distance(seen.q[k], truth.q[k], (size_t)n));
        to[1] = fmax(to[1], mechanism_distance(seen.v[k], truth.v[k], (size_t)n));
        to[2] = fmax(to[2], fabs(seen.work[k] - truth.work[k]));
    }
    return e;
}

/* The order of a local error is one above that of the method: the mean over two halvings of the step, as the sign of an error may
 * change with the step. A projection takes most of the error at the end away; what is left of it between is 3.5 times as much at
 * worst (dopri5, v of the pendulum), and 1000 times as much where the quintic of both ends has to do. The work is one number, whose
 * error passes through zero: it is asked for an order less, and for the mean of the sizes; what a cubic would show goes with h^4.
 */
static void check_order(const char *scenario, const char *method, double order, double largest_step) {
    static const char *const what[N_KINDS] = {"q", "v", "work"};
    for (int i = 0; i < N_HOLDS; ++i) {
        step_error e[N_SIZES];
        for (int k = 0; k < N_SIZES; ++k) {
            e[k] = errors_of(scenario, method, HOLDS[i], largest_step / (1 << k));
        }
        for (int x = 0; x < N_KINDS; ++x) {
            const double found = log2(e[0].inside[x] / e[2].inside[x]) / 2.0;
            print_message("%s %s: %s inside %.1e %.1e %.1e, at the end %.1e %.1e %.1e: h^%.2f\n", method, HOLDS[i], what[x],
                          e[0].inside[x], e[1].inside[x], e[2].inside[x], e[0].end[x], e[1].end[x], e[2].end[x], found);
            assert_true(found >= order + (x == N_KINDS - 1 ? 0.0 : 1.0) - 4.0 * TOLERANCE_ORDER);
            double worse = 1.0;
            for (int k = 0; k < N_SIZES; ++k) {
                assert_true(x == N_KINDS - 1 || e[k].inside[x] <= 5.0 * e[k].end[x]);
                worse *= e[k].inside[x] / e[k].end[x];
            }
            assert_true(worse <= 5.0 * 5.0 * 5.0);
        }
    }
}

static void the_order_is_that_of_the_method(void **state) {
    (void)state;
    check_order(crank_rocker, "dopri5", 5.0, 0.05);
    check_order(double_pendulum, "dopri5", 5.0, 0.16);
    check_order(crank_rocker, "verner65", 6.0, 0.1);
    check_order(double_pendulum, "verner65", 6.0, 0.2);
}

/* The number at `array` of the only instance, wherever its field stands. */
static double *field_of(const mechanism *m, sarrus_batch *batch, int32_t array) {
    sarrus_view view;
    assert_int_equal(sarrus_batch_view(batch, SARRUS_FIELD_Q, &view), SARRUS_OK);
    return view.base + (array - m->plan->mech.layout.q) * (int32_t)view.width;
}

/* The accelerations inside a step are computed when it is first looked into, and once. */
static void a_step_is_opened_once(void **state) {
    (void)state;
    static const char *const methods[] = {"dopri5", "verner65"};
    static const uint64_t per_step[] = {2, 4}; /* accelerations; nothing else is corrected without a projection */
    for (int i = 0; i < 2; ++i) {
        const sarrus_override overrides[] = {{"integrator.method", methods[i]},
                                             {"integrator.dt", "0.1"},
                                             {"integrator.rtol", "0.5"},
                                             {"integrator.atol", "1e3"},
                                             {"dynamics", HOLDS[0]},
                                             {"limits", "{violation: off, energy: off, error: off}"},
                                             {"output.interval", "0.0125"},
                                             {NULL, NULL}};
        mechanism m = mechanism_open_text(double_pendulum, overrides);
        sarrus_batch *batch = mechanism_batch(&m, NULL, 1, 1, NULL);
        const sarrus_adaptive_layout *at = &m.plan->mech.layout.adaptive;
        uint64_t n_assembly = 0, n_slow = 0, n_first = 0, n_later = 0;
        sarrus_batch_path_counts(batch, &n_assembly, &n_slow);
        assert_int_equal(sarrus_batch_advance(batch, 1), SARRUS_OK);
        sarrus_batch_path_counts(batch, &n_first, &n_slow);
        assert_true(*field_of(&m, batch, at->is_dense) == SARRUS_DENSE_READY);
        for (int k = 2; k < N_PARTS; ++k) {
            assert_int_equal(sarrus_batch_advance(batch, 1), SARRUS_OK);
        }
        sarrus_batch_path_counts(batch, &n_later, &n_slow);
        assert_int_equal(n_later, n_first);
        /* 0.1 s, the end of the step, is shown as it is; the step after it is another one. */
        assert_int_equal(sarrus_batch_advance(batch, 1), SARRUS_OK);
        sarrus_batch_path_counts(batch, &n_later, &n_slow);
        assert_int_equal(n_later, n_first);
        assert_int_equal(sarrus_batch_advance(batch, 1), SARRUS_OK);
        sarrus_batch_path_counts(batch, &n_later, &n_slow);
        sarrus_instance_statistics statistics;
        assert_int_equal(sarrus_batch_statistics(batch, 0, &statistics), SARRUS_OK);
        assert_int_equal(statistics.n_steps, 2);
        assert_int_equal(n_later, n_assembly + statistics.n_evaluations + 2 * per_step[i]);
        sarrus_batch_destroy(batch);
        mechanism_close(&m);
    }
}

/* Where an acceleration inside a step is no number, the quintic of both ends is shown: to see it, the mark of such a lane is set.
 */
static void without_accelerations_the_quintic_is_shown(void **state) {
    (void)state;
    const sarrus_override overrides[] = {{"integrator.method", "verner65"},
                                         {"integrator.dt", "0.1"},
                                         {"integrator.rtol", "0.5"},
                                         {"integrator.atol", "1e3"},
                                         {"dynamics", HOLDS[0]},
                                         {"output.interval", "0.0125"},
                                         {NULL, NULL}};
    mechanism m = mechanism_open_text(double_pendulum, overrides);
    sarrus_batch *batch[2] = {mechanism_batch(&m, NULL, 1, 1, NULL), mechanism_batch(&m, NULL, 1, 1, NULL)};
    double q[2][MAX_N], v[2][MAX_N];
    for (int k = 0; k < 2; ++k) {
        assert_int_equal(sarrus_batch_advance(batch[k], 3), SARRUS_OK);
        if (k == 1) {
            *field_of(&m, batch[k], m.plan->mech.layout.adaptive.is_dense) = SARRUS_DENSE_FAILED;
        }
        assert_int_equal(sarrus_batch_advance(batch[k], 1), SARRUS_OK); /* the middle of the step */
        assert_int_equal(sarrus_batch_state(batch[k], 0, q[k], v[k]), SARRUS_OK);
    }
    const double *state_of[2][3];
    const sarrus_adaptive_layout *at = &m.plan->mech.layout.adaptive;
    const int32_t width = (int32_t)(field_of(&m, batch[1], 1) - field_of(&m, batch[1], 0));
    state_of[0][0] = field_of(&m, batch[1], at->before);
    state_of[0][2] = field_of(&m, batch[1], at->a_before);
    state_of[1][0] = field_of(&m, batch[1], at->now);
    state_of[1][2] = field_of(&m, batch[1], at->a_now);
    for (int i = 0; i < m.n; ++i) {
        double q_end[2], v_end[2], a_end[2];
        for (int e = 0; e < 2; ++e) {
            q_end[e] = state_of[e][0][i * width];
            v_end[e] = state_of[e][0][(m.n + i) * width];
            a_end[e] = state_of[e][2][i * width];
        }
        /* Hermite's formula at the middle: (q0 + q1)/2 + 5h/32 (v0 - v1) + h^2/64 (a0 + a1), and its derivative. */
        const double middle =
            0.5 * (q_end[0] + q_end[1]) + 0.5 / 32.0 * (v_end[0] - v_end[1]) + 0.01 / 64.0 * (a_end[0] + a_end[1]);
        const double rate = 18.75 * (q_end[1] - q_end[0]) - 0.4375 * (v_end[0] + v_end[1]) - 0.1 / 32.0 * (a_end[0] - a_end[1]);
        assert_true(fabs(q[1][i] - middle) <= 1e-13 && fabs(v[1][i] - rate) <= 1e-12); /* hundreds of ulps; 18.75 times as many */
        assert_true(fabs(q[0][i] - q[1][i]) < 1e-6 && fabs(v[0][i] - v[1][i]) < 1e-4);
    }
    assert_true(mechanism_distance(v[0], v[1], (size_t)m.n) > 1e-9); /* this was not what is shown otherwise */
    sarrus_batch_destroy(batch[0]);
    sarrus_batch_destroy(batch[1]);
    mechanism_close(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_order_is_that_of_the_method),
        cmocka_unit_test(a_step_is_opened_once),
        cmocka_unit_test(without_accelerations_the_quintic_is_shown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Claim: every signal gives, at every time, its value and its first two derivatives from the right, in each lane by itself: at
 * starts and knots, just before them, and beyond both ends of a table. Judged by differences on either side, and against the
 * reference, which is written in another way. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "plan/plan.h"
#include "tests/support/mechanism.h"

#define SARRUS_LANE_WIDTH 2
#define SARRUS_PINV_NONE
#include "kernels/body/signals.h"

enum { WIDTH = SARRUS_LANE_WIDTH, MAX_SIGNALS = 16, MAX_PARAMETERS = 256 };

/* Signal i is the torque i. Starts and knots on both sides of 0 and at it, in the run and at its end. */
static const char *const scenario =
    "sarrus: 1\n"
    "space: planar\n"
    "gravity: [0, 0]\n"
    "bodies:\n"
    "  - {name: a, mass: 1, inertia: 1, position: [0, 0]}\n"
    "joints:\n"
    "  - {name: j, type: revolute, bodies: [ground, a], at: [0, 0]}\n"
    "forces:\n"
    "  - {name: f0, type: torque, body: a, value: {signal: {constant: 1.25}}}\n"
    "  - {name: f1, type: torque, body: a, value: {signal: {ramp: {slope: 1.5}}}}\n"
    "  - {name: f2, type: torque, body: a, value: {signal: {ramp: {slope: -2, offset: 0.5, start: 0.75}}}}\n"
    "  - {name: f3, type: torque, body: a, value: {signal: {ramp: {slope: 3, start: -0.5}}}}\n"
    "  - {name: f4, type: torque, body: a, value: {signal: {sine: {amplitude: 0.8, frequency: 0.7, phase: 0.3, offset: 0.1}}}}\n"
    "  - {name: f5, type: torque, body: a, value: {signal: {polynomial: [0.5, -1, 2, 0.75, -0.25]}}}\n"
    "  - {name: f6, type: torque, body: a, value: {signal: {table: {t: [-0.5, 0, 0.75, 1.0, 2.0], "
    "y: [1, 0, 0.6, -0.3, 1.4]}}}}\n"
    "  - {name: f7, type: torque, body: a, value: {signal: {table: {t: [0, 0.3, 0.75, 1.1, 2.0], "
    "y: [0.2, 0.9, 0.1, 0.4, 0.7], interpolation: linear}}}}\n"
    "  - {name: f8, type: torque, body: a, value: {signal: {table: {t: [-1, 3], y: [0.3, 1.3], "
    "interpolation: linear}}}}\n"
    "integrator: {dt: 0.01, t_end: 2}\n";

/* Every start and knot of the scenario, and times between and beyond. */
static const double places[] = {-0.75, -0.5, -0.1, 0.0, 0.2, 0.3, 0.5, 0.75, 0.9, 1.0, 1.1, 1.7, 2.0, 2.3};
enum { N_PLACES = sizeof places / sizeof places[0] };

/* s, of the differences: six of them do not reach from one place to the next. */
static const double step = 1.0 / 512.0;

typedef struct subject {
    mechanism m;
    real parameter[MAX_PARAMETERS];
    real signal[3 * MAX_SIGNALS];
} subject;

static void subject_open(subject *s) {
    double parameters[MAX_PARAMETERS], q[3], v[3];
    s->m = mechanism_open_text(scenario, NULL);
    const sarrus_mechanism *mech = &s->m.plan->mech;
    assert_true(mech->n_parameters <= MAX_PARAMETERS && mech->n_signals <= MAX_SIGNALS && mech->n_v == 3);
    assert_true(sarrus_plan_parameters(s->m.plan, s->m.ref->values, parameters, q, v));
    for (int32_t i = 0; i < mech->n_parameters; ++i)
        s->parameter[i] = real_set(parameters[i]);
}

/* Value and derivatives [3] of a signal at time t in `lane`, the other lane being at `other`. */
static void signal_at(subject *s, int i_signal, double t, int lane, double other, double out[3]) {
    sarrus_workspace ws = {.signal = s->signal};
    real times = real_set(other);
    times[lane] = t;
    sarrus_signals(&s->m.plan->mech, s->parameter, times, &ws);
    for (int k = 0; k < 3; ++k)
        out[k] = s->signal[3 * i_signal + k][lane];
}

static double value_at(subject *s, int i_signal, double t) {
    double out[3];
    signal_at(s, i_signal, t, 0, t, out);
    return out[0];
}

/* First and second derivative at t from values at t, t + h, ... t + 6h, of orders 6 and 5; with h < 0 those from the left. */
static void differences(subject *s, int i_signal, double t, double h, double out[2]) {
    static const double first[7] = {-147.0, 360.0, -450.0, 400.0, -225.0, 72.0, -10.0};
    static const double second[7] = {812.0, -3132.0, 5265.0, -5080.0, 2970.0, -972.0, 137.0};
    out[0] = out[1] = 0.0;
    for (int k = 0; k < 7; ++k) {
        const double y = value_at(s, i_signal, t + k * h);
        out[0] += first[k] / (60.0 * h) * y;
        out[1] += second[k] / (180.0 * h * h) * y;
    }
}

/* Polynomials of the fifth degree are differentiated exactly; of the sine, with w = 4.4 and a = 0.8, h^6 a w^7/7 = 2e-13 and
 * 0.7 h^5 a w^7 = 5e-10 are left. Round-off: values of a size of 4, of which the sine is off by 4 ulp, with weights that add up to
 * 1664/60h = 1.4e4 and 18368/180h^2 = 2.7e7: 5e-11 and 1e-7. */
static void assert_derivatives(const double got[3], const double by_differences[2], int i_signal, double t, const char *side) {
    if (!(fabs(got[1] - by_differences[0]) <= 2e-10 && fabs(got[2] - by_differences[1]) <= 4e-7))
        fail_msg("signal %d at t = %g, %s: derivatives %.12g, %.12g; differences say %.12g, %.12g", i_signal, t, side, got[1],
                 got[2], by_differences[0], by_differences[1]);
}

/* The other tests walk the scenario's signals: a row of signal.def that none of them is of would go untested. */
static void every_row_of_the_table_is_here(void **state) {
    (void)state;
    static const struct {
        sarrus_signal_kind kind;
        const char *word;
    } rows[] = {
#define SARRUS_SIGNAL(name, value, word, values, text) {SARRUS_SIGNAL_##name, #word},
#include "sarrus/signal.def"
    };
    subject s;
    subject_open(&s);
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; ++k) {
        int n_seen = 0;
        for (int i = 0; i < s.m.model->n_signals; ++i)
            n_seen += s.m.model->signals[i].kind == rows[k].kind;
        if (n_seen == 0)
            fail_msg("no signal of the scenario is a %s", rows[k].word);
    }
    mechanism_close(&s.m);
}

static void derivatives_are_those_from_the_right(void **state) {
    (void)state;
    subject s;
    subject_open(&s);
    const int n_signals = s.m.plan->mech.n_signals;
    assert_int_equal(n_signals, 9);
    for (int i = 0; i < n_signals; ++i) {
        for (int k = 0; k < N_PLACES; ++k) {
            const double t = places[k], before = nextafter(t, -INFINITY);
            double got[3], expected[2];
            signal_at(&s, i, t, k % WIDTH, 0.4, got);
            differences(&s, i, t, step, expected);
            assert_derivatives(got, expected, i, t, "from the right");
            /* The last number before it still belongs to what lies on the left. */
            signal_at(&s, i, before, k % WIDTH, 0.4, got);
            differences(&s, i, before, -step, expected);
            assert_derivatives(got, expected, i, t, "from the left");
        }
    }
    mechanism_close(&s.m);
}

/* A kink is where it should be, and nowhere else: the jumps of the first derivative, which are not to be seen by differences alone
 * should all of them be wrong in the same way. */
static void kinks_are_where_they_should_be(void **state) {
    (void)state;
    static const struct {
        int i_signal;
        double t, left, right;
    } kinks[] = {{1, 0.0, 0.0, 1.5},
                 {2, 0.75, 0.0, -2.0},
                 {3, -0.5, 0.0, 3.0},
                 {7, 0.3, 0.7 / 0.3, -0.8 / 0.45},
                 {7, 0.0, 0.7 / 0.3, 0.7 / 0.3},
                 {8, 0.75, 0.25, 0.25}};
    subject s;
    subject_open(&s);
    for (size_t k = 0; k < sizeof kinks / sizeof kinks[0]; ++k) {
        double before[3], at[3];
        signal_at(&s, kinks[k].i_signal, nextafter(kinks[k].t, -INFINITY), 0, 1.5, before);
        signal_at(&s, kinks[k].i_signal, kinks[k].t, 1, -1.5, at);
        assert_true(fabs(before[1] - kinks[k].left) <= 8.0 * DBL_EPSILON);
        assert_true(fabs(at[1] - kinks[k].right) <= 8.0 * DBL_EPSILON);
        assert_true(fabs(at[0] - before[0]) <= 8.0 * DBL_EPSILON); /* no signal jumps */
        assert_true(before[2] == 0.0 && at[2] == 0.0);             /* straight on both sides */
    }
    mechanism_close(&s.m);
}

/* The reference solves for the curvatures, the plan for the slopes, of the same spline: both systems have a condition below 100. */
static void the_reference_means_the_same(void **state) {
    (void)state;
    subject s;
    subject_open(&s);
    for (int i = 0; i < s.m.plan->mech.n_signals; ++i) {
        for (int k = 0; k < 2 * N_PLACES; ++k) {
            const double t = k % 2 ? nextafter(places[k / 2], -INFINITY) : places[k / 2];
            double got[3], expected[3];
            signal_at(&s, i, t, 0, 0.9, got);
            reference_signal(s.m.ref, i, t, expected);
            for (int d = 0; d < 3; ++d) /* d differences of values of a size of 4, 0.25 apart and more */
                if (!(fabs(got[d] - expected[d]) <= 400.0 * DBL_EPSILON * 4.0 * pow(4.0, d)))
                    fail_msg("signal %d at t = %.17g: derivative %d is %.17g, the reference says %.17g", i, t, d, got[d],
                             expected[d]);
        }
    }
    mechanism_close(&s.m);
}

/* The other lane's time is nothing to a lane, wherever it is. */
static void lanes_have_their_own_times(void **state) {
    (void)state;
    subject s;
    subject_open(&s);
    for (int i = 0; i < s.m.plan->mech.n_signals; ++i)
        for (int k = 0; k < N_PLACES * N_PLACES; ++k) {
            double alone[3], beside[3];
            signal_at(&s, i, places[k / N_PLACES], 1, places[k / N_PLACES], alone);
            signal_at(&s, i, places[k / N_PLACES], 1, places[k % N_PLACES], beside);
            assert_memory_equal(alone, beside, sizeof alone);
        }
    mechanism_close(&s.m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_of_the_table_is_here), cmocka_unit_test(derivatives_are_those_from_the_right),
        cmocka_unit_test(kinks_are_where_they_should_be), cmocka_unit_test(the_reference_means_the_same),
        cmocka_unit_test(lanes_have_their_own_times),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

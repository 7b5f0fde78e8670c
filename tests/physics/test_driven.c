/* Claim: driven joints follow their signals exactly, carry the mechanism along its kinematics, and report the motor's load: the
 * closed form of a driven slider-crank, and the balance of power of a motor with a sine and of one with a table. A ramp from t = 0
 * turns from t = 0 on, with whatever projection, and the method keeps its order. A drive may begin turns away from the given
 * configuration. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "plan/plan.h"
#include "tests/support/closed_form.h"
#include "tests/support/mechanism.h"
#include "tests/tolerances.h"

enum { N = 9, N_TIMES = 101 };

/* Positions, velocities and accelerations of crank, rod and slider of scenarios/driven_crank.yaml. */
typedef struct kinematics {
    double q[N], v[N], a[N];
} kinematics;

static kinematics slider_crank_at(double r, double l, double w, double t) {
    double theta[3] = {w * t, w, 0.0}, slider[3], rod[3];
    closed_form_slider_crank(r, l, theta, slider, rod);
    double c = cos(theta[0]), s = sin(theta[0]), cr = cos(rod[0]), sr = sin(rod[0]), w2 = rod[1] * rod[1];
    kinematics k = {
        .q = {0.5 * r * c, 0.5 * r * s, theta[0], r * c + 0.5 * l * cr, r * s + 0.5 * l * sr, rod[0], slider[0], 0.0, 0.0},
        .v = {-0.5 * r * s * w, 0.5 * r * c * w, w, -r * s * w - 0.5 * l * sr * rod[1], r * c * w + 0.5 * l * cr * rod[1], rod[1],
              slider[1], 0.0, 0.0},
        .a = {-0.5 * r * c * w * w, -0.5 * r * s * w * w, 0.0, -r * c * w * w - 0.5 * l * (sr * rod[2] + cr * w2),
              -r * s * w * w + 0.5 * l * (cr * rod[2] - sr * w2), rod[2], slider[2], 0.0, 0.0},
    };
    return k;
}

/* Torque on the crank from the balance of power: kinetic, weight, the guide's spring (50 N/m, relaxed at -0.3) and damper (2). */
static double motor_torque(const kinematics *k, double r, double l, double w) {
    const double mass[N] = {1.0, 1.0, r * r / 12.0, 2.0, 2.0, 2.0 * l * l / 12.0, 1.5, 1.5, 0.01};
    double power = 0.0;
    for (int i = 0; i < N; ++i) {
        power += mass[i] * (k->a[i] + (i % 3 == 1 ? 9.81 : 0.0)) * k->v[i];
    }
    double shift = k->q[6] - (r + l);
    power += 50.0 * (shift + 0.3) * k->v[6] + 2.0 * k->v[6] * k->v[6];
    return power / w;
}

static void crank_follows_its_kinematics(void **state) {
    (void)state;
    const double r = 0.3, l = 1.0, w = 6.283185307179586;
    static double q[N_TIMES][N], v[N_TIMES][N], a[N_TIMES][N], load[N_TIMES], rank[N_TIMES];
    mechanism m = mechanism_open_file("driven_crank.yaml", NULL);
    sarrus_plan_sizes sizes;
    sarrus_plan_sizes_get(m.plan, &sizes);
    assert_int_equal(sizes.m, 9);
    assert_int_equal(sizes.n_dof, 0);
    sarrus_batch *batch = mechanism_batch(&m, NULL, 1, 1, NULL);
    assert_int_equal(sarrus_batch_observable_width(batch, SARRUS_OBSERVE_DRIVES), 1);
    sarrus_observation o = {.n_times = N_TIMES, .every_steps = 20, .observe_first = 1, .n_times_stride = N_TIMES};
    o.destination[SARRUS_OBSERVE_Q] = &q[0][0];
    o.destination[SARRUS_OBSERVE_V] = &v[0][0];
    o.destination[SARRUS_OBSERVE_ACCELERATION] = &a[0][0];
    o.destination[SARRUS_OBSERVE_DRIVES] = load;
    o.destination[SARRUS_OBSERVE_RANK] = rank;
    assert_int_equal(sarrus_batch_observe(batch, &o), SARRUS_OK);
    double worst[4] = {0.0, 0.0, 0.0, 0.0};
    for (int i = 0; i < N_TIMES; ++i) {
        kinematics k = slider_crank_at(r, l, w, 0.02 * i);
        worst[0] = fmax(worst[0], mechanism_distance(q[i], k.q, N));
        worst[1] = fmax(worst[1], mechanism_distance(v[i], k.v, N));
        worst[2] = fmax(worst[2], mechanism_distance(a[i], k.a, N));
        worst[3] = fmax(worst[3], fabs(load[i] - motor_torque(&k, r, l, w)));
        assert_true(isfinite(load[i]) && rank[i] == 9.0);
    }
    print_message("driven_crank 2 s: q off by %.2e, v %.2e, a %.2e, motor torque %.2e N m\n", worst[0], worst[1], worst[2],
                  worst[3]);
    assert_true(worst[0] <= TOLERANCE_SMALL_MECHANISM);
    assert_true(worst[1] <= 10.0 * TOLERANCE_SMALL_MECHANISM);  /* a rate of w = 2 pi more */
    assert_true(worst[2] <= 100.0 * TOLERANCE_SMALL_MECHANISM); /* and another */
    assert_true(worst[3] <= 200.0 * TOLERANCE_SMALL_MECHANISM); /* m a r with m = 4.5 kg */
    sarrus_batch_destroy(batch);
    mechanism_close(&m);
}

/* A conservative four-bar with a driven crank: E(T) - E(0) = integral of load * s_dot, by Simpson's rule over all steps. */
static void check_energy_balance(const char *signal) {
    enum { N_STEPS = 1000 };
    static double v[N_STEPS + 1][N], load[N_STEPS + 1], energy[N_STEPS + 1], q[N_STEPS + 1][N];
    sarrus_override overrides[] = {{"joints.A.drive", signal}, {"integrator.t_end", "1.5"}, {NULL, NULL}};
    mechanism m = mechanism_open_file("four_bar.yaml", overrides);
    sarrus_batch *batch = mechanism_batch(&m, NULL, 1, 1, NULL);
    sarrus_observation o = {.n_times = N_STEPS + 1, .every_steps = 1, .observe_first = 1, .n_times_stride = N_STEPS + 1};
    o.destination[SARRUS_OBSERVE_Q] = &q[0][0];
    o.destination[SARRUS_OBSERVE_V] = &v[0][0];
    o.destination[SARRUS_OBSERVE_DRIVES] = load;
    o.destination[SARRUS_OBSERVE_ENERGY] = energy;
    assert_int_equal(sarrus_batch_observe(batch, &o), SARRUS_OK);
    double work = 0.0, largest = 0.0, follow = 0.0;
    for (int i = 0; i <= N_STEPS; ++i) {
        double s[3];
        reference_signal(m.ref, m.ref->joints[0].drive, 1e-3 * i, s);
        follow = fmax(follow, fmax(fabs(q[i][2] - s[0]), fabs(v[i][2] - s[1])));
        double weight = i == 0 || i == N_STEPS ? 1.0 : i % 2 ? 4.0 : 2.0;
        work += weight / 3.0 * 1e-3 * load[i] * v[i][2];
        largest = fmax(largest, fabs(load[i] * v[i][2]));
    }
    double gain = energy[N_STEPS] - energy[0];
    print_message("driven four_bar: signal followed to %.2e, work %.9f J, energy gained off by %.2e J, peak power %.1f W\n", follow,
                  work, gain - work, largest);
    /* the balance closes to Simpson's error h^4 T/180 P'''' with P'''' = peak (2 w)^4, w = 2 pi, times ten for harmonics */
    assert_true(largest > 1.0);
    assert_true(fabs(gain - work) <= 10.0 * 1e-12 / 180.0 * largest * pow(4.0 * M_PI, 4.0) + TOLERANCE_SMALL_MECHANISM);
    assert_true(follow <= TOLERANCE_SMALL_MECHANISM);
    sarrus_batch_destroy(batch);
    mechanism_close(&m);
}

static void motor_balances_the_energy(void **state) {
    (void)state;
    check_energy_balance("{signal: {sine: {amplitude: 0.8, frequency: 1.0, phase: 0.0, offset: 0.0}}}");
    check_energy_balance("{signal: {polynomial: [0, 1.0, 2.0, -0.5]}}");
}

/* RK4 sees the table's curvature, which a cubic spline bends at its knots; knots fall on steps, so the order is kept. */
static void table_is_followed(void **state) {
    (void)state;
    check_energy_balance(
        "{signal: {table: {t: [0, 0.25, 0.5, 0.75, 1.0, 1.5], y: [0, 0.5, 0.3, 0.9, 1.4, 1.0], interpolation: cubic}}}");
}

static const char *const crank_and_pendulum =
    "sarrus: 1\n"
    "space: planar\n"
    "gravity: [0, -9.81]\n"
    "bodies:\n"
    "  - {name: crank, mass: 1, inertia: 0.1, position: [0.25, 0]}\n"
    "  - {name: bob, mass: 0.5, inertia: 0.02, position: [0.5, -0.3]}\n"
    "joints:\n"
    "  - {name: motor, type: revolute, bodies: [ground, crank], at: [0, 0], drive: {signal: 0}}\n"
    "  - {name: pin, type: revolute, bodies: [crank, bob], at: [0.5, 0]}\n"
    "integrator: {method: rk4, dt: 0.01, t_end: 0.4}\n"
    "output: {interval: 0.4}\n";

/* The state 0.4 s after steps of dt, with the motor turning by a ramp from 0; `scenario` NULL: scenarios/driven_crank.yaml. */
static void ramp_run(const char *scenario, const char *slope, const char *projection, const char *dt, double *q, double *v) {
    char drive[64];
    snprintf(drive, sizeof drive, "{signal: {ramp: {slope: %s}}}", slope);
    const sarrus_override overrides[] = {{"joints.motor.drive", drive}, {"dynamics.projection", projection}, {"integrator.dt", dt},
                                         {"integrator.t_end", "0.4"},   {"output.interval", "0.4"},          {NULL, NULL}};
    mechanism m = scenario ? mechanism_open_text(scenario, overrides) : mechanism_open_file("driven_crank.yaml", overrides);
    sarrus_batch *batch = mechanism_batch(&m, NULL, 1, 1, NULL);
    assert_int_equal(sarrus_batch_advance(batch, m.plan->n_steps), SARRUS_OK);
    assert_true(fabs(sarrus_batch_time(batch) - 0.4) < 1e-15);
    assert_int_equal(sarrus_batch_status(batch, 0), SARRUS_INSTANCE_OK);
    assert_int_equal(sarrus_batch_state(batch, 0, q, v), SARRUS_OK);
    sarrus_batch_destroy(batch);
    mechanism_close(&m);
}

/* The driven slider-crank with `ramp` in place of the polynomial, against its closed form: with a projection it is on the
 * constraints, which leave nothing free, so only round-off is left; without one RK4's own error goes with h^4. */
static void a_ramp_from_zero_turns_the_crank(void **state) {
    (void)state;
    static const char *const dt[3] = {"0.02", "0.01", "0.005"};
    const kinematics end = slider_crank_at(0.3, 1.0, 6.283185307179586, 0.4);
    double q[N], v[N], error[3];
    ramp_run(NULL, "\"=w\"", "every_step", dt[0], q, v);
    assert_true(mechanism_distance(q, end.q, N) <= TOLERANCE_SMALL_MECHANISM);
    assert_true(mechanism_distance(v, end.v, N) <= 10.0 * TOLERANCE_SMALL_MECHANISM);
    for (int k = 0; k < 3; ++k) {
        ramp_run(NULL, "\"=w\"", "none", dt[k], q, v);
        error[k] = fmax(mechanism_distance(q, end.q, N), mechanism_distance(v, end.v, N));
    }
    print_message("driven_crank with a ramp from 0: errors %.2e %.2e %.2e at 0.02, 0.01, 0.005 s, orders %.2f %.2f\n", error[0],
                  error[1], error[2], log2(error[0] / error[1]), log2(error[1] / error[2]));
    assert_true(error[0] <= 1e-3); /* (w h)^4/120 of w t and its consequences; a crank that stands still is off by 2.5 */
    assert_true(fabs(log2(error[1] / error[2]) - 4.0) <= 2.0 * TOLERANCE_ORDER);
}

/* A driven crank that carries a pendulum, which is free: here the projection does not hide what the steps do. Order from three step
 * sizes, each half of the one before. */
static void a_ramp_from_zero_keeps_the_order(void **state) {
    (void)state;
    static const char *const dt[4] = {"0.02", "0.01", "0.005", "0.0025"}, *const projections[2] = {"none", "every_step"};
    for (int p = 0; p < 2; ++p) {
        double q[4][6], v[4][6], change[3];
        for (int k = 0; k < 4; ++k) {
            ramp_run(crank_and_pendulum, "3", projections[p], dt[k], q[k], v[k]);
            assert_true(fabs(q[k][2] - 1.2) <= 1e-12 && fabs(v[k][2] - 3.0) <= 1e-12); /* the crank's turn is linear in t */
        }
        for (int k = 0; k < 3; ++k)
            change[k] = fmax(mechanism_distance(q[k], q[k + 1], 6), mechanism_distance(v[k], v[k + 1], 6));
        print_message("ramp from 0 with a pendulum, projection %s: orders %.2f %.2f\n", projections[p], log2(change[0] / change[1]),
                      log2(change[1] / change[2]));
        assert_true(fabs(log2(change[1] / change[2]) - 4.0) <= 2.0 * TOLERANCE_ORDER);
    }
}

/* A four-bar linkage whose crank has a plate welded to it, and a nut on a screw with an arm that swings on it. */
static const char four_bar[] =
    "sarrus: 1\nspace: planar\ngravity: [0, -9.81]\nintegrator: {method: rk4, dt: 1e-3, t_end: 0.2}\nbodies:\n"
    "  - {name: plate, mass: 2, inertia: 0.05, position: [-0.1, 0.3], orientation: 0.3}\n"
    "  - {name: crank, mass: 1, inertia: 0.01, position: [0, 0.15]}\n"
    "  - {name: coupler, mass: 1, inertia: 0.1, position: [0.5, 0.5]}\n"
    "  - {name: rocker, mass: 1, inertia: 0.05, position: [1, 0.35]}\njoints:\n"
    "  - {name: W, type: fixed, bodies: [plate, crank], at: [-0.05, 0.2]}\n"
    "  - {name: A, type: revolute, bodies: %s, at: [0, 0], stiffness: 0.5, drive: {signal: %s}}\n"
    "  - {name: B, type: revolute, bodies: [crank, coupler], at: [0, 0.3]}\n"
    "  - {name: C, type: revolute, bodies: [coupler, rocker], at: [1, 0.7], stiffness: 2}\n"
    "  - {name: D, type: revolute, bodies: [ground, rocker], at: [1, 0]}\n";
static const char screw[] =
    "sarrus: 1\nspace: spatial\ngravity: [0, 0, -9.81]\nintegrator: {method: rk4, dt: 1e-3, t_end: 0.2}\nbodies:\n"
    "  - {name: arm, mass: 1, inertia: [0.02, 0.02, 0.01], position: [0.6, 0, 0.15]}\n"
    "  - {name: nut, mass: 1, inertia: [0.01, 0.02, 0.03], position: [0.1, 0, 0.15]}\njoints:\n"
    "  - {name: A, type: screw, bodies: %s, at: [0, 0, 0], axis: [0, 0, 1], pitch: 0.05, stiffness: 0.5, drive: {signal: %s}}\n"
    "  - {name: B, type: revolute, bodies: [nut, arm], at: [0.2, 0, 0.15], axis: [0, 1, 0]}\n";

enum { BEGIN_TIMES = 5, BEGIN_NUMBERS = 14 };

typedef struct beginning {
    double q[BEGIN_TIMES][BEGIN_NUMBERS], load[BEGIN_TIMES];
} beginning;

static beginning begin_at(const char *text, const char *bodies, const char *signal, double first) {
    char drive[256], whole[2048];
    beginning out = {0};
    (void)snprintf(drive, sizeof drive, signal, first, first, first, first);
    (void)snprintf(whole, sizeof whole, text, bodies, drive);
    mechanism m = mechanism_open_text(whole, NULL);
    sarrus_batch *batch = mechanism_batch(&m, NULL, 1, 1, NULL);
    const int width = sarrus_batch_observable_width(batch, SARRUS_OBSERVE_Q);
    static double q[BEGIN_TIMES * BEGIN_NUMBERS];
    assert_true(width <= BEGIN_NUMBERS);
    sarrus_observation o = {.n_times = BEGIN_TIMES, .every_steps = 40, .observe_first = 1, .n_times_stride = BEGIN_TIMES};
    o.destination[SARRUS_OBSERVE_Q] = q;
    o.destination[SARRUS_OBSERVE_DRIVES] = out.load;
    assert_int_equal(sarrus_batch_observe(batch, &o), SARRUS_OK);
    assert_int_equal(sarrus_batch_status(batch, 0), SARRUS_INSTANCE_OK);
    for (int i = 0; i < BEGIN_TIMES; ++i) {
        for (int k = 0; k < width; ++k)
            out.q[i][k] = q[i * width + k];
    }
    sarrus_batch_destroy(batch);
    mechanism_close(&m);
    return out;
}

/* Three turns further on a motion is the same but for the turns of what is welded to the crank, the way of what hangs on the nut,
 * and the torque of the spring beside the drive: 0.5 N m/rad. */
static void a_drive_begins_turns_away(void **state) {
    (void)state;
    static const char *const signals[] = {"{polynomial: [%.17g, 2]}", "{ramp: {offset: %.17g, slope: 2}}",
                                          "{sine: {amplitude: 1, frequency: 1, offset: %.17g}}",
                                          "{table: {t: [-1, 0, 1, 2], y: ['=%.17g-3', '=%.17g', '=%.17g+1', '=%.17g+5']}}"};
    const double near = 1.2, turns = 6.0 * M_PI;
    double worst = 0.0;
    for (int k = 0; k < 16; ++k) {
        const bool is_screw = k % 2 == 1, is_from_ground = k / 2 % 2 == 0;
        const double way = k / 4 % 2 == 0 ? turns : -turns, side = is_from_ground ? 1.0 : -1.0;
        const char *const bodies = is_from_ground ? is_screw ? "[ground, nut]" : "[ground, crank]"
                                   : is_screw     ? "[nut, ground]"
                                                  : "[crank, ground]";
        const char *const text = is_screw ? screw : four_bar;
        const beginning from = begin_at(text, bodies, signals[k / 4], near),
                        to = begin_at(text, bodies, signals[k / 4], near + way);
        for (int i = 0; i < BEGIN_TIMES; ++i) {
            double apart = fabs(to.load[i] - from.load[i] - 0.5 * way);
            for (int x = 0; x < BEGIN_NUMBERS; ++x) {
                const double shift =
                    is_screw ? (x == 2 || x == 9 ? 0.05 * side * way : 0.0) : (x == 2 || x == 5 ? side * way : 0.0);
                apart = fmax(apart, fabs(to.q[i][x] - from.q[i][x] - shift));
            }
            if (!(apart <= TOLERANCE_SMALL_MECHANISM))
                fail_msg("case %d, output %d: off by %.3e", k, i, apart);
            worst = fmax(worst, apart);
        }
    }
    print_message("drives that begin three turns away: off by %.2e\n", worst);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(crank_follows_its_kinematics),
        cmocka_unit_test(motor_balances_the_energy),
        cmocka_unit_test(table_is_followed),
        cmocka_unit_test(a_ramp_from_zero_turns_the_crank),
        cmocka_unit_test(a_ramp_from_zero_keeps_the_order),
        cmocka_unit_test(a_drive_begins_turns_away),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

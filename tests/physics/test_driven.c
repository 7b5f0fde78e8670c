/* Claim: driven joints follow their signals exactly, carry the mechanism along its kinematics, and report the motor's load: the
 * closed form of a driven slider-crank, and the balance of power of a motor with a sine and of one with a table. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

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
    for (int i = 0; i < N; i++) {
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
    for (int i = 0; i < N_TIMES; i++) {
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
    for (int i = 0; i <= N_STEPS; i++) {
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(crank_follows_its_kinematics),
        cmocka_unit_test(motor_balances_the_energy),
        cmocka_unit_test(table_is_followed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Claim: each kind of joint, spring, damper, force and torque does what its closed form says. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/support/closed_form.h"
#include "tests/support/mechanism.h"
#include "tests/tolerances.h"

enum { MAX_N = 6, MAX_JOINTS = 3, N_TIMES = 201 };

/* q and v of one instance every 10 ms for 2 s. */
typedef struct motion {
    int n;
    double q[N_TIMES][MAX_N], v[N_TIMES][MAX_N], reactions[N_TIMES][3 * MAX_JOINTS];
} motion;

static motion *run(const char *body_and_joints) {
    static motion out;
    static double q[N_TIMES * MAX_N], v[N_TIMES * MAX_N], reactions[N_TIMES * 3 * MAX_JOINTS];
    char text[4096];
    int length = snprintf(text, sizeof text, "sarrus: 1\nspace: planar\n%sintegrator: {method: rk4, dt: 1.0e-3, t_end: 2.0}\n",
                          body_and_joints);
    assert_true(length > 0 && (size_t)length < sizeof text);
    mechanism m = mechanism_open_text(text, NULL);
    assert_true(m.n <= MAX_N && m.n_joints <= MAX_JOINTS);
    sarrus_batch *batch = mechanism_batch(&m, NULL, 1, 1, NULL);
    sarrus_observation o = {.n_times = N_TIMES, .every_steps = 10, .observe_first = 1, .n_times_stride = N_TIMES};
    o.destination[SARRUS_OBSERVE_Q] = q;
    o.destination[SARRUS_OBSERVE_V] = v;
    o.destination[SARRUS_OBSERVE_REACTIONS] = m.n_joints > 0 ? reactions : NULL;
    assert_int_equal(sarrus_batch_observe(batch, &o), SARRUS_OK);
    assert_int_equal(sarrus_batch_status(batch, 0), SARRUS_INSTANCE_OK);
    for (int k = 0; k < N_TIMES; ++k) {
        for (int i = 0; i < m.n; ++i) {
            out.q[k][i] = q[k * m.n + i];
            out.v[k][i] = v[k * m.n + i];
        }
        for (int i = 0; i < 3 * m.n_joints; ++i) {
            out.reactions[k][i] = reactions[3 * m.n_joints * k + i];
        }
    }
    out.n = m.n;
    sarrus_batch_destroy(batch);
    mechanism_close(&m);
    return &out;
}

static void assert_close(double value, double expected, double tolerance, const char *what, int k) {
    if (!(fabs(value - expected) <= tolerance)) {
        fail_msg("%s at t = %.2f: %.15g instead of %.15g, off by %.2e > %.1e", what, 0.01 * k, value, expected,
                 fabs(value - expected), tolerance);
    }
}

static void free_body_falls(void **state) {
    (void)state;
    motion *at =
        run("gravity: [0.5, -9.81]\n"
            "bodies:\n"
            "  - {name: b, mass: 2.0, inertia: 0.1, position: [1, 2], orientation: 0.3, velocity: [1, 3], angular_velocity: 2}\n"
            "joints: []\n");
    for (int k = 0; k < N_TIMES; ++k) { /* RK4 is exact for a parabola; 2000 additions round */
        double t = 0.01 * k;
        assert_close(at->q[k][0], 1.0 + t + 0.25 * t * t, 1e-12, "x", k);
        assert_close(at->q[k][1], 2.0 + 3.0 * t - 4.905 * t * t, 1e-12, "y", k);
        assert_close(at->q[k][2], 0.3 + 2.0 * t, 1e-12, "theta", k);
    }
}

static void revolute_is_a_compound_pendulum(void **state) {
    (void)state;
    motion *at = run("gravity: [0, -9.81]\n"
                     "bodies:\n"
                     "  - {name: b, mass: 2.0, inertia: 0.1, position: [0.4, -0.3], orientation: 1.0}\n"
                     "joints:\n"
                     "  - {name: pin, type: revolute, bodies: [ground, b], at: [0, 0]}\n");
    closed_form_pendulum p = closed_form_pendulum_create(2.0L * 9.81L * 0.5L / (0.1L + 2.0L * 0.25L), atan2l(0.4L, 0.3L), 0.0L);
    for (int k = 0; k < N_TIMES; ++k) {
        long double phi, speed;
        closed_form_pendulum_state(&p, 0.01L * k, &phi, &speed);
        assert_close(at->q[k][2] - 1.0, (double)(phi - atan2l(0.4L, 0.3L)), TOLERANCE_SMALL_MECHANISM, "angle", k);
        assert_close(at->v[k][2], (double)speed, 10.0 * TOLERANCE_SMALL_MECHANISM, "speed", k);
        /* the pin carries m (a - g): along the rod m (g cos + l w^2) towards the pin */
        double along = at->reactions[k][0] * -sin((double)phi) + at->reactions[k][1] * cos((double)phi);
        assert_close(along, (double)(2.0L * (9.81L * cosl(phi) + 0.5L * speed * speed)), 1e3 * TOLERANCE_SMALL_MECHANISM, "pull",
                     k);
        assert_close(at->reactions[k][2], 0.0, 1e-12, "moment of a pin", k);
    }
}

/* A body hung by a rod through its mass center does not turn: a pendulum of a point. */
static void distance_is_a_point_pendulum(void **state) {
    (void)state;
    motion *at = run("gravity: [0, -9.81]\n"
                     "bodies:\n"
                     "  - {name: b, mass: 0.7, inertia: 0.1, position: [0.9, -1.2], orientation: 0.2}\n"
                     "joints:\n"
                     "  - {name: rod, type: distance, bodies: [ground, b], points: [[0, 0], [0, 0]]}\n");
    closed_form_pendulum p = closed_form_pendulum_create(9.81L / 1.5L, atan2l(0.9L, 1.2L), 0.0L);
    for (int k = 0; k < N_TIMES; ++k) {
        long double phi, speed;
        closed_form_pendulum_state(&p, 0.01L * k, &phi, &speed);
        assert_close(at->q[k][0], (double)(1.5L * sinl(phi)), TOLERANCE_SMALL_MECHANISM, "x", k);
        assert_close(at->q[k][1], (double)(-1.5L * cosl(phi)), TOLERANCE_SMALL_MECHANISM, "y", k);
        assert_close(at->q[k][2], 0.2, 1e-14, "theta", k);
        double pull = hypot(at->reactions[k][0], at->reactions[k][1]);
        assert_close(pull, (double)(0.7L * (9.81L * cosl(phi) + 1.5L * speed * speed)), 1e3 * TOLERANCE_SMALL_MECHANISM, "pull", k);
    }
}

/* 2 kg from (0.1, 0.2) m up a slope of (4, 3)/5 at 1 m/s, with the joint's own spring, 50 N/m and relaxed at 0.2 m, and its
 * damper of 3 N s/m: x'' = -g 3/5 - (k (x - rest) + c x')/m. The way carries the weight's part across it. */
static void check_on_slope(const motion *at, int k) {
    const double m = 2.0, k_spring = 50.0, c = 3.0, rest = 0.2 - m * 9.81 * 0.6 / k_spring, decay = c / (2.0 * m);
    const double w = sqrt(k_spring / m - decay * decay), t = 0.01 * k;
    const double x = rest + exp(-decay * t) * (-rest * cos(w * t) + (1.0 - decay * rest) / w * sin(w * t));
    assert_close(at->q[k][0], 0.1 + 0.8 * x, TOLERANCE_SMALL_MECHANISM, "x", k);
    assert_close(at->q[k][1], 0.2 + 0.6 * x, TOLERANCE_SMALL_MECHANISM, "y", k);
    assert_close(at->reactions[k][0], -0.6 * m * 9.81 * 0.8, 1e-11, "fx", k);
    assert_close(at->reactions[k][1], 0.8 * m * 9.81 * 0.8, 1e-11, "fy", k);
}

static void prismatic_is_a_damped_oscillator(void **state) {
    (void)state;
    motion *at = run("gravity: [0, -9.81]\n"
                     "bodies:\n"
                     "  - {name: b, mass: 2.0, inertia: 0.1, position: [0.1, 0.2], orientation: 0.4, velocity: [0.8, 0.6]}\n"
                     "joints:\n"
                     "  - {name: way, type: prismatic, bodies: [ground, b], at: [0.3, 0.0], axis: [8, 6], stiffness: 50, damping: "
                     "3, rest: 0.2}\n");
    for (int k = 0; k < N_TIMES; ++k) {
        check_on_slope(at, k);
        assert_close(at->q[k][2], 0.4, 1e-13, "theta", k);
    }
}

/* A pin at the mass center in the same slope's slot: the same oscillator, and nothing turns the body. */
static void a_slot_lets_turn_what_slides(void **state) {
    (void)state;
    motion *at = run("gravity: [0, -9.81]\n"
                     "bodies:\n"
                     "  - {name: b, mass: 2.0, inertia: 0.1, position: [0.1, 0.2], velocity: [0.8, 0.6], angular_velocity: 3}\n"
                     "joints:\n"
                     "  - {name: way, type: slot, bodies: [ground, b], at: [0.1, 0.2], axis: [8, 6], stiffness: 50, damping: 3, "
                     "rest: 0.2}\n");
    for (int k = 0; k < N_TIMES; ++k) {
        check_on_slope(at, k);
        assert_close(at->q[k][2], 3.0 * 0.01 * k, 1e-12, "theta", k);
        assert_close(at->reactions[k][2], 0.0, 1e-12, "moment", k);
    }
}

/* A Scotch yoke: a pin on a driven crank in the yoke's slot, x = r cos(ωt); the motor carries the yoke, r sin(ωt) m ẍ. */
static void a_scotch_yoke_makes_a_cosine(void **state) {
    (void)state;
    motion *at = run("gravity: [0, 0]\n"
                     "bodies:\n"
                     "  - {name: crank, mass: 1, inertia: 0.1, position: [0, 0]}\n"
                     "  - {name: yoke, mass: 2, inertia: 0.1, position: [0.5, 0], velocity: [0, 0]}\n"
                     "joints:\n"
                     "  - {name: A, type: revolute, bodies: [ground, crank], at: [0, 0], drive: {signal: {ramp: {slope: 4}}}}\n"
                     "  - {name: B, type: slot, bodies: [yoke, crank], at: [0.5, 0], axis: [0, 1]}\n"
                     "  - {name: C, type: prismatic, bodies: [ground, yoke], at: [0.5, 0], axis: [1, 0]}\n");
    for (int k = 0; k < N_TIMES; ++k) {
        double phi = 4.0 * 0.01 * k;
        assert_close(at->q[k][3], 0.5 * cos(phi), 1e-13, "x", k);
        assert_close(at->v[k][3], -2.0 * sin(phi), 1e-12, "speed", k);
        assert_close(at->reactions[k][3], 2.0 * 8.0 * cos(phi), 1e-10, "force on the crank", k);
    }
}

/* The same oscillator by a spring element between two points on a level way. */
static void spring_element_is_an_oscillator(void **state) {
    (void)state;
    motion *at = run(
        "gravity: [0, 0]\n"
        "bodies:\n"
        "  - {name: b, mass: 2.0, inertia: 0.1, position: [1.5, 0.0]}\n"
        "joints:\n"
        "  - {name: way, type: prismatic, bodies: [ground, b], at: [1.5, 0.0], axis: [1, 0]}\n"
        "forces:\n"
        "  - {name: s, type: spring, between: [[b, [-0.25, 0]], [ground, [0, 0]]], stiffness: 50, rest_length: 1.0, damping: 3}\n");
    double decay = 3.0 / 4.0, w = sqrt(25.0 - decay * decay);
    for (int k = 0; k < N_TIMES; ++k) {
        double t = 0.01 * k;
        double x = 0.25 * exp(-decay * t) * (cos(w * t) + decay / w * sin(w * t));
        assert_close(at->q[k][0], 1.25 + x, TOLERANCE_SMALL_MECHANISM, "x", k);
    }
}

static void damper_decays(void **state) {
    (void)state;
    motion *at = run("gravity: [0, 0]\n"
                     "bodies:\n"
                     "  - {name: b, mass: 2.0, inertia: 0.5, position: [0, 0], angular_velocity: 3.0}\n"
                     "joints:\n"
                     "  - {name: pin, type: revolute, bodies: [ground, b], at: [0, 0], damping: 0.8}\n");
    for (int k = 0; k < N_TIMES; ++k) {
        double rate = 0.8 / 0.5, e = exp(-rate * 0.01 * k);
        assert_close(at->v[k][2], 3.0 * e, TOLERANCE_SMALL_MECHANISM, "speed", k);
        assert_close(at->q[k][2], 3.0 / rate * (1.0 - e), TOLERANCE_SMALL_MECHANISM, "angle", k);
    }
}

/* Two bodies welded together are one: steel on the pin's far side, mass center and inertia by Steiner's theorem. */
static void fixed_makes_one_body(void **state) {
    (void)state;
    motion *at = run("gravity: [0, -9.81]\n"
                     "bodies:\n"
                     "  - {name: a, mass: 1.0, inertia: 0.1, position: [0.5, 0.0]}\n"
                     "  - {name: b, mass: 3.0, inertia: 0.2, position: [1.0, 0.0], orientation: 0.7}\n"
                     "joints:\n"
                     "  - {name: pin, type: revolute, bodies: [ground, a], at: [0, 0]}\n"
                     "  - {name: weld, type: fixed, bodies: [a, b], at: [0.8, 0.1]}\n");
    closed_form_pendulum p =
        closed_form_pendulum_create(9.81L * 3.5L / (0.1L + 0.25L + 0.2L + 3.0L), 1.57079632679489661923L, 0.0L);
    for (int k = 0; k < N_TIMES; ++k) {
        long double phi, speed;
        closed_form_pendulum_state(&p, 0.01L * k, &phi, &speed);
        double turned = (double)(phi - 1.57079632679489661923L);
        assert_close(at->q[k][2], turned, TOLERANCE_SMALL_MECHANISM, "angle a", k);
        assert_close(at->q[k][5], 0.7 + turned, TOLERANCE_SMALL_MECHANISM, "angle b", k);
        assert_close(at->q[k][3], (double)sinl(phi), TOLERANCE_SMALL_MECHANISM, "x b", k);
    }
}

/* A torque that grows linearly turns a wheel by t^3/6; a force fixed in a body off its center gives F r of torque. */
static void torque_and_force_accelerate(void **state) {
    (void)state;
    motion *at = run("gravity: [0, 0]\n"
                     "bodies:\n"
                     "  - {name: a, mass: 1.0, inertia: 0.5, position: [0, 0]}\n"
                     "  - {name: b, mass: 2.0, inertia: 0.25, position: [5, 0]}\n"
                     "joints:\n"
                     "  - {name: pa, type: revolute, bodies: [ground, a], at: [0, 0]}\n"
                     "  - {name: pb, type: revolute, bodies: [ground, b], at: [5, 0]}\n"
                     "forces:\n"
                     "  - {name: t, type: torque, body: a, value: {signal: {ramp: {offset: 0.5, slope: 1.5, start: 0}}}}\n"
                     "  - {name: f, type: force, body: b, at: [0.2, 0.1], value: [-1.0, 3.0], frame: body}\n");
    for (int k = 0; k < N_TIMES; ++k) { /* polynomials of degree 3: RK4 is exact */
        double t = 0.01 * k;
        assert_close(at->q[k][2], (0.25 * t * t + 0.25 * t * t * t) / 0.5, 1e-11, "angle a", k);
        assert_close(at->q[k][5], 0.5 * (0.2 * 3.0 + 0.1 * 1.0) / 0.25 * t * t, 1e-11, "angle b", k);
    }
}

/* Baumgarte: a violation set by hand dies as the critically damped oscillator, Phi'' + 2 alpha Phi' + beta^2 Phi = 0, and the
 * energy is balanced all the way. With the usual limit the instance would not be ok from the first step on. */
static void baumgarte_pulls_a_violation_in(void **state) {
    (void)state;
    const sarrus_override limits[] = {{"limits", "{violation: off}"}, {NULL, NULL}};
    mechanism m = mechanism_open_text("sarrus: 1\n"
                                      "space: planar\n"
                                      "gravity: [0, -9.81]\n"
                                      "bodies:\n"
                                      "  - {name: b, mass: 0.7, inertia: 0.1, position: [0.9, -1.2]}\n"
                                      "joints:\n"
                                      "  - {name: rod, type: distance, bodies: [ground, b], points: [[0, 0], [0, 0]]}\n"
                                      "dynamics: {baumgarte: {alpha: 5, beta: 5}}\n"
                                      "integrator: {method: rk4, dt: 1.0e-3, t_end: 2.0}\n",
                                      limits);
    double q[3], v[3], error;
    sarrus_batch *batch = mechanism_batch(&m, NULL, 1, 1, NULL);
    assert_int_equal(sarrus_batch_state(batch, 0, q, v), SARRUS_OK);
    q[0] += 0.01 * 0.6; /* 1 cm along the rod */
    q[1] -= 0.01 * 0.8;
    mechanism_set_state(batch, 0, q, NULL);
    for (int k = 0; k < 20; ++k) {
        double t = 0.1 * k;
        mechanism_observe(batch, SARRUS_OBSERVE_POSITION_ERROR, &error);
        assert_close(error, 0.01 * (1.0 + 5.0 * t) * exp(-5.0 * t), TOLERANCE_SMALL_MECHANISM, "violation", 10 * k);
        assert_int_equal(sarrus_batch_advance(batch, 100), SARRUS_OK);
    }
    sarrus_instance_verdict found;
    assert_int_equal(sarrus_batch_verdict(batch, 0, &found), SARRUS_OK);
    assert_int_equal(sarrus_batch_status(batch, 0), SARRUS_INSTANCE_OK);
    assert_true(found.energy_mismatch < 1e-9); /* RK4's own error */
    sarrus_batch_destroy(batch);
    mechanism_close(&m);
}

/* {input: k}: what the host writes between calls acts as a torque from then on. */
static void input_is_a_torque(void **state) {
    (void)state;
    mechanism m = mechanism_open_text("sarrus: 1\n"
                                      "space: planar\n"
                                      "gravity: [0, 0]\n"
                                      "bodies:\n"
                                      "  - {name: b, mass: 1.0, inertia: 0.5, position: [0, 0]}\n"
                                      "joints:\n"
                                      "  - {name: pin, type: revolute, bodies: [ground, b], at: [0, 0]}\n"
                                      "forces:\n"
                                      "  - {name: motor, type: torque, body: b, value: {input: 0}}\n"
                                      "integrator: {method: rk4, dt: 1.0e-3, t_end: 2.0}\n",
                                      NULL);
    double torque[2] = {0.25, -0.5}, v[2][3];
    sarrus_batch *batch = mechanism_batch(&m, NULL, 1, 2, NULL);
    mechanism_set_inputs(batch, 0, &torque[0]);
    mechanism_set_inputs(batch, 1, &torque[1]);
    assert_int_equal(sarrus_batch_advance(batch, 1000), SARRUS_OK);
    mechanism_observe(batch, SARRUS_OBSERVE_V, &v[0][0]);
    assert_close(v[0][2], 0.5, 1e-12, "instance 0", 100);
    assert_close(v[1][2], -1.0, 1e-12, "instance 1", 100);
    sarrus_batch_destroy(batch);
    mechanism_close(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(free_body_falls),
        cmocka_unit_test(revolute_is_a_compound_pendulum),
        cmocka_unit_test(distance_is_a_point_pendulum),
        cmocka_unit_test(prismatic_is_a_damped_oscillator),
        cmocka_unit_test(a_slot_lets_turn_what_slides),
        cmocka_unit_test(a_scotch_yoke_makes_a_cosine),
        cmocka_unit_test(spring_element_is_an_oscillator),
        cmocka_unit_test(damper_decays),
        cmocka_unit_test(fixed_makes_one_body),
        cmocka_unit_test(torque_and_force_accelerate),
        cmocka_unit_test(baumgarte_pulls_a_violation_in),
        cmocka_unit_test(input_is_a_torque),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

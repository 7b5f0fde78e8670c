/* Claim: constraints beside joints move mechanisms as their closed forms say: a planetary train as one inertia (Willis), a rack and
 * its pinion as one mass, a cam's follower along the table, with the loads that go with it, at every draw of their numbers; what
 * repeats another gear is found redundant by name; and energy is kept. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/course.h"
#include "tests/support/mechanism.h"
#include "tests/tolerances.h"

static course *follow(mechanism m, int n_times, uint64_t every) {
    static course out;
    course_follow(m, n_times, every, &out);
    return &out;
}

/* With k = 1 + r_r/r_s of the sun and k_p = 1 − r_r/r_p of the planet, per turn of the carrier, the train has one inertia. What
 * holds the sun back is the inner mesh, what turns the planet both of them. The mass center of the planet goes round at up to
 * 11 rad/s: 1/120 (ω h)⁵ a step in the direction, 2e-9 in all. */
static void planetary_train_is_one_inertia(void **state) {
    (void)state;
    const double rs = 0.02, rp = 0.03, rr = rs + 2.0 * rp, mass = 0.4, torque = 0.005;
    const double sun = 1.0 + rr / rs, planet = 1.0 - rr / rp, i_sun = 1e-4, i_planet = 0.5 * mass * rp * rp;
    const double inertia = i_sun * sun * sun + 4e-4 + mass * (rs + rp) * (rs + rp) + i_planet * planet * planet;
    const double rate = torque * sun / inertia, inner = (i_sun * sun * rate - torque) / (rs / rp);
    const course *c = follow(mechanism_open_file("planetary_train.yaml", NULL), 201, 10);
    for (int k = 0; k < c->n_times; ++k) {
        const double t = 0.01 * k, carrier = 0.5 * rate * t * t, *q = c->q + k * c->n;
        course_check("carrier", k, q[5], carrier, 1e-8);
        course_check("sun", k, q[2], sun * carrier, 1e-8);
        course_check("planet", k, q[8], planet * carrier, 1e-8);
        course_check("inner mesh", k, c->load[2 * k], inner, 1e-9);
        course_check("outer mesh", k, c->load[2 * k + 1], i_planet * planet * rate - inner, 1e-9);
    }
    course_check_balance(c, 1e-10);
}

/* A rack falls and turns its pinion, either way round: r dθ = dy, m a = m g − I a/r². */
static void rack_and_pinion_are_one_mass(void **state) {
    (void)state;
    const double g = 9.81, m = 2.0, inertia = 0.03, r = 0.1, a = -g * m / (m + inertia / (r * r));
    const struct {
        const char *shaft, *mesh;
        double load; /* on the rack, N; on the pinion, N m */
    } cases[] = {
        {"[pinion, ground]", "joints: [guide, shaft], ratio: -0.1", m * (a + g)},
        {"[ground, pinion]", "joints: [shaft, guide], ratio: 10", inertia * a / r},
    };
    for (size_t way = 0; way < sizeof cases / sizeof cases[0]; ++way) {
        char text[1024];
        (void)snprintf(text, sizeof text,
                       "sarrus: 1\nspace: planar\n"
                       "bodies:\n"
                       "  - {name: rack, mass: 2, inertia: 0.1, position: [0.1, 0]}\n"
                       "  - {name: pinion, mass: 1, inertia: 0.03, position: [0, 0]}\n"
                       "joints:\n"
                       "  - {name: guide, type: prismatic, bodies: [ground, rack], at: [0.1, 0], axis: [0, 1]}\n"
                       "  - {name: shaft, type: revolute, bodies: %s, at: [0, 0]}\n"
                       "constraints:\n"
                       "  - {name: mesh, type: gear, %s}\n"
                       "integrator: {method: rk4, dt: 1.0e-3, t_end: 1}\n",
                       cases[way].shaft, cases[way].mesh);
        const course *c = follow(mechanism_open_text(text, NULL), 101, 10);
        for (int k = 0; k < c->n_times; ++k) {
            const double t = 0.01 * k;
            course_check("rack", k, c->q[k * 6 + 1], 0.5 * a * t * t, 1e-11);
            course_check("pinion", k, c->q[k * 6 + 5], 0.5 * a * t * t / r, 1e-10);
            course_check("mesh", k, c->load[k], cases[way].load, 1e-10);
        }
        course_check_balance(c, 1e-9);
    }
}

/* The spline of a cosine at points δ apart is off by δ⁴/384, its second derivative by δ²/12, of the amplitude. Turns of 2π come
 * round: eight of them. */
static void cam_moves_its_follower(void **state) {
    (void)state;
    const double w = 4.0 * M_PI, h = 0.01, delta = M_PI / 6.0;
    const course *c = follow(mechanism_open_file("cam_follower.yaml", NULL), 401, 10);
    const double off = 1.1 * h * pow(delta, 4.0) / 384.0, bend = 1.1 * h * w * w * delta * delta / 12.0;
    for (int k = 0; k < c->n_times; ++k) {
        const double angle = w * 0.005 * k, lift = h * (1.0 - cos(angle)), *q = c->q + k * c->n;
        const double force = 0.2 * h * w * w * cos(angle) + 2.0 * h * w * sin(angle) + 800.0 * (lift + 0.02);
        course_check("lift", k, q[4] - 0.05, lift, off);
        course_check("cam's load", k, c->load[k], force, 0.2 * bend + 800.0 * off + 2.0 * off * w * 24.0 / delta);
        if (k % 100 == 0) { /* whole turns */
            course_check("lift after whole turns", k, q[4] - 0.05, 0.0, 1e-12);
        }
    }
    course_check_balance(c, 1e-9);
}

/* Ratio and offset of a draw are those of the run; assembly brings the coordinates to the offset. */
static void numbers_of_constraints_are_drawn(void **state) {
    (void)state;
    mechanism m = mechanism_open_text("sarrus: 1\nspace: planar\n"
                                      "bodies:\n"
                                      "  - {name: a, mass: 1, inertia: 0.1, position: [0, 0], angular_velocity: 2}\n"
                                      "  - {name: b, mass: 1, inertia: 0.1, position: [1, 0]}\n"
                                      "joints:\n"
                                      "  - {name: A, type: revolute, bodies: [ground, a], at: [0, 0]}\n"
                                      "  - {name: B, type: revolute, bodies: [ground, b], at: [1, 0]}\n"
                                      "constraints:\n"
                                      "  - {name: g, type: gear, joints: [B, A], ratio: -1, offset: 0}\n"
                                      "integrator: {method: rk4, dt: 1.0e-2, t_end: 1}\n"
                                      "batch:\n"
                                      "  instances: 2\n"
                                      "  parameters:\n"
                                      "    - {path: constraints.g.ratio, distribution: uniform, low: -3, high: 3}\n"
                                      "    - {path: constraints.g.offset, distribution: uniform, low: -1, high: 1}\n",
                                      NULL);
    sarrus_draws *draws = mechanism_draws_by_hand(&m, 2);
    const double ratio[2] = {-2.0, 0.5}, offset[2] = {0.25, -0.125};
    for (int i = 0; i < 2; ++i) {
        draws->values[i] = ratio[i];
        draws->values[2 + i] = offset[i];
    }
    double q[2 * 6], v[2 * 6];
    sarrus_batch *batch = mechanism_batch(&m, NULL, 1, 2, draws);
    assert_int_equal(sarrus_batch_advance(batch, 100), SARRUS_OK);
    mechanism_observe(batch, SARRUS_OBSERVE_Q, q);
    mechanism_observe(batch, SARRUS_OBSERVE_V, v);
    for (int i = 0; i < 2; ++i) {
        course_check("angle", i, q[6 * i + 5], ratio[i] * q[6 * i + 2] + offset[i], 1e-12);
        course_check("rate", i, v[6 * i + 5], ratio[i] * v[6 * i + 2], 1e-12);
    }
    sarrus_batch_destroy(batch);
    mechanism_draws_free(draws);
    mechanism_close(&m);
}

/* Three gears in a ring whose ratios close it: one says nothing new, and its rank, rows and names tell. */
static void a_ring_of_gears_is_redundant(void **state) {
    (void)state;
    mechanism m = mechanism_open_text("sarrus: 1\nspace: planar\ngravity: [0, 0]\n"
                                      "bodies:\n"
                                      "  - {name: a, mass: 1, inertia: 0.1, position: [0, 0], angular_velocity: 1}\n"
                                      "  - {name: b, mass: 1, inertia: 0.2, position: [1, 0]}\n"
                                      "  - {name: c, mass: 1, inertia: 0.3, position: [2, 0]}\n"
                                      "joints:\n"
                                      "  - {name: A, type: revolute, bodies: [ground, a], at: [0, 0]}\n"
                                      "  - {name: B, type: revolute, bodies: [ground, b], at: [1, 0]}\n"
                                      "  - {name: C, type: revolute, bodies: [ground, c], at: [2, 0]}\n"
                                      "constraints:\n"
                                      "  - {name: ab, type: gear, joints: [A, B], ratio: 2}\n"
                                      "  - {name: bc, type: gear, joints: [B, C], ratio: -1.5}\n"
                                      "  - {name: ca, type: gear, joints: [C, A], ratio: \"=-1/3\"}\n"
                                      "integrator: {method: rk4, dt: 1.0e-2, t_end: 1}\n",
                                      NULL);
    sarrus_plan_sizes sizes;
    sarrus_plan_sizes_get(m.plan, &sizes);
    assert_int_equal(sizes.m, 9);
    assert_int_equal(sizes.rank, 8);
    assert_non_null(strstr(sarrus_plan_report(m.plan), "constraint ca, ratio"));
    sarrus_batch *batch = mechanism_batch(&m, NULL, 1, 1, NULL);
    double rank, v[9];
    assert_int_equal(sarrus_batch_advance(batch, 100), SARRUS_OK);
    mechanism_observe(batch, SARRUS_OBSERVE_RANK, &rank);
    mechanism_observe(batch, SARRUS_OBSERVE_V, v);
    assert_true(rank == 8.0);
    course_check("b", 0, 2.0 * v[5], v[2], 1e-12);
    course_check("c", 0, -3.0 * v[8], v[2], 1e-12);
    sarrus_batch_destroy(batch);
    mechanism_close(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(planetary_train_is_one_inertia), cmocka_unit_test(rack_and_pinion_are_one_mass),
        cmocka_unit_test(cam_moves_its_follower),         cmocka_unit_test(numbers_of_constraints_are_drawn),
        cmocka_unit_test(a_ring_of_gears_is_redundant),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

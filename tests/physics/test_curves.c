/* Claim: a point on a curve moves as on the curve that its points are taken from, to the fourth power of their distance: a bead on
 * a circle as a pendulum, to and fro and round, on a parabola as its equation says, on a straight line exactly and on beyond its
 * end; the groove of a disc moves a lever as a four-bar linkage does. Momenta and energy are kept where the curve moves too. The
 * first of the points, their direction and the frame change nothing but round-off, neighbours not a bit; where
 * a curve crosses itself the point goes straight on. Outputs between steps are on the part of the curve that the point is on, and
 * assembly finds the nearest point, however sharp the bends are and however close another part runs. */
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
#include "tests/support/ode.h"
#include "tests/tolerances.h"

enum { MAX_POINTS = 128, TEXT_SIZE = 16384 };

/* A scenario with one curve, whose points stand in the text as %s. */
static mechanism open_text(const char *form, int n_points, double (*const points)[2]) {
    static char text[TEXT_SIZE], list[TEXT_SIZE];
    int n = 0;
    for (int i = 0; i < n_points; ++i) {
        n += snprintf(list + n, sizeof list - (size_t)n, "%s[%.17g, %.17g]", i > 0 ? ", " : "", points[i][0], points[i][1]);
        assert_true((size_t)n < sizeof list);
    }
    assert_true((size_t)snprintf(text, sizeof text, form, list) < sizeof text);
    return mechanism_open_text(text, NULL);
}

static void take_circle(int n, double radius, double (*points)[2]) {
    for (int i = 0; i < n; ++i) {
        points[i][0] = radius * cos(2.0 * M_PI * i / n);
        points[i][1] = radius * sin(2.0 * M_PI * i / n);
    }
}

/* θ from the lowest point: θ̈ = −(g/R) sin θ. */
static void pendulum_rates(const long double *y, const void *of, long double *dy) {
    dy[0] = y[1];
    dy[1] = -*(const long double *)of * sinl(y[0]);
}

/* A bead of 2 kg on a circle of 0.5 m, from the rightmost point with `speed` downwards: the largest error of its place, and of its
 * load in the middle of pieces and elsewhere, over 2 s. */
static double circle_error(int n_points, double speed, double *load_error) {
    static course c;
    double points[MAX_POINTS][2], largest = 0.0;
    char form[TEXT_SIZE];
    const double radius = 0.5, g = 9.81, mass = 2.0;
    const long double stiffness = (long double)g / radius;
    long double y[2] = {M_PI / 2.0, -(long double)speed / radius};
    take_circle(n_points, radius, points);
    (void)snprintf(form, sizeof form,
                   "sarrus: 1\nspace: planar\n"
                   "bodies: [{name: bead, mass: 2, inertia: 0.1, position: [0.5, 0], velocity: [0, %.17g]}]\n"
                   "joints: []\n"
                   "constraints: [{name: ring, type: curve, bodies: [ground, bead], closed: true, points: [%%s]}]\n"
                   "integrator: {method: rk4, dt: 5.0e-4, t_end: 2}\n",
                   -speed);
    course_follow(open_text(form, n_points, points), 101, 40, &c);
    *load_error = 0.0;
    for (int k = 0; k < c.n_times; ++k) {
        const double theta = (double)y[0], rate = (double)y[1], *q = c.q + 3 * k;
        largest = fmax(largest, hypot(q[0] - radius * sin(theta), q[1] + radius * cos(theta)));
        *load_error = fmax(*load_error, fabs(c.load[k] - mass * (radius * rate * rate + g * cos(theta))));
        ode_advance(pendulum_rates, &stiffness, 2, 1e-4L, 200, y);
    }
    course_check_balance(&c, 1e-8 * mass * (g * radius + speed * speed));
    return largest;
}

/* The spline through points δ apart is off the circle by R δ⁴/384 at most, by 8/15 of that in the mean, and its arcs are by as much
 * of their length: so is the time, of which 2 s are up to 2 ω R of way, ω ≤ 11/s; and the heights change what is left of the speed
 * at a turning point. Curvature is off by δ²/12. Half as far from point to point, a sixteenth of the error. */
static void bead_on_a_circle_is_a_pendulum(void **state) {
    (void)state;
    static const double speeds[] = {0.0, 4.5}; /* to and fro; round and round, 4.43 m/s would do */
    for (int s = 0; s < 2; ++s) {
        double load[2];
        const double coarse = circle_error(32, speeds[s], &load[0]), fine = circle_error(64, speeds[s], &load[1]);
        const double delta = 2.0 * M_PI / 64.0, bound = 4.0 * (1.0 + 2.0 * 11.0) * 0.5 * pow(delta, 4.0) / 384.0;
        const double centripetal = 2.0 * (pow(speeds[s], 2.0) + 2.0 * 9.81 * 0.5) / 0.5;
        course_check("place", 64, fine, 0.0, bound);
        course_check("load", 64, load[1], 0.0, 1.1 * centripetal * delta * delta / 12.0 + 100.0 * bound);
        if (!(coarse > 12.0 * fine && coarse < 20.0 * fine)) {
            fail_msg("errors of %.3e and %.3e with 32 and 64 points: not the fourth power", coarse, fine);
        }
    }
}

/* y = x²/2: (1 + x²) ẍ + x ẋ² + g x = 0. */
static void parabola_rates(const long double *y, const void *of, long double *dy) {
    dy[0] = y[1];
    dy[1] = -(y[0] * y[1] * y[1] + *(const long double *)of * y[0]) / (1.0L + y[0] * y[0]);
}

/* Points h = 1/16 m apart in x, up to 2.5 m; the bead stays within 1 m, 24 points from ends whose missing bend falls off by 2 − √3
 * from point to point. The spline is off by (h s)⁴/384 times the fourth derivative by arc length, which is 15 κ³ at most. */
static void bead_on_a_parabola(void **state) {
    (void)state;
    static course c;
    double points[81][2];
    const long double g = 9.81L;
    long double y[2] = {1.0L, 0.0L};
    for (int i = 0; i < 81; ++i) {
        points[i][0] = (i - 40) / 16.0;
        points[i][1] = 0.5 * points[i][0] * points[i][0];
    }
    const double bound = (1.0 + 2.0 * 3.2) * 15.0 * pow(1.0 / 16.0, 4.0) / 384.0;
    course_follow(open_text("sarrus: 1\nspace: planar\n"
                            "bodies: [{name: bead, mass: 1, inertia: 0.1, position: [1.1, 0.3], orientation: 1}]\n"
                            "joints: []\n"
                            "constraints: [{name: wire, type: curve, bodies: [ground, bead], point: [-0.1, 0.2], points: [%s]}]\n"
                            "integrator: {method: rk4, dt: 1.0e-3, t_end: 1}\n",
                            81, points),
                  2, 1, &c);
    const double x = c.q[0] - 0.1 * cos(c.q[2]) - 0.2 * sin(c.q[2]), y_start = c.q[1] - 0.1 * sin(c.q[2]) + 0.2 * cos(c.q[2]);
    course_check("start", 0, y_start, 0.5 * x * x, bound); /* it was put 0.2 m away */
    course_check("start", 0, x, 0.9, 0.2);
    course_follow(open_text("sarrus: 1\nspace: planar\n"
                            "bodies: [{name: bead, mass: 1, inertia: 0.1, position: [1, 0.5]}]\n"
                            "joints: []\n"
                            "constraints: [{name: wire, type: curve, bodies: [ground, bead], points: [%s]}]\n"
                            "integrator: {method: dopri5, rtol: 1.0e-11, atol: 1.0e-12, dt: 0.02, t_end: 2}\n",
                            81, points),
                  101, 1, &c);
    for (int k = 0; k < c.n_times; ++k) {
        course_check("x", k, c.q[3 * k], (double)y[0], bound);
        course_check("y", k, c.q[3 * k + 1], (double)(y[0] * y[0] / 2.0L), 2.0 * bound);
        ode_advance(parabola_rates, &g, 2, 1e-4L, 200, y);
    }
    course_check_balance(&c, TOLERANCE_OF_TOLERANCE * 1e-11 * 10.0);
}

/* Through two points there is a line, without an error, and behind its end it goes on: x = −½ g t² sin α along it. */
static void bead_on_a_line_slides_on(void **state) {
    (void)state;
    static course c;
    const double alpha = 0.4, g = 9.81;
    double points[2][2] = {{0.3, 0.1}, {0.3 - cos(alpha), 0.1 - sin(alpha)}};
    course_follow(open_text("sarrus: 1\nspace: planar\n"
                            "bodies: [{name: bead, mass: 3, inertia: 0.1, position: [0.3, 0.1]}]\n"
                            "joints: []\n"
                            "constraints: [{name: line, type: curve, bodies: [ground, bead], points: [%s]}]\n"
                            "integrator: {method: rk4, dt: 1.0e-2, t_end: 2}\n",
                            2, points),
                  101, 2, &c);
    for (int k = 0; k < c.n_times; ++k) {
        const double t = 0.02 * k, way = 0.5 * g * t * t * sin(alpha);
        course_check("x", k, c.q[3 * k], 0.3 - way * cos(alpha), 1e-12 * (1.0 + way));
        course_check("y", k, c.q[3 * k + 1], 0.1 - way * sin(alpha), 1e-12 * (1.0 + way));
        course_check("load", k, c.load[k], -3.0 * g * cos(alpha), 1e-11);
    }
    assert_true(c.q[3 * 100] < points[1][0] - 1.0);
}

/* Without gravity a bead keeps its speed along any wire; behind the end of an open one, which does not bend, its direction too. */
static void bead_runs_off_along_the_tangent(void **state) {
    (void)state;
    static course c;
    double points[9][2];
    for (int i = 0; i < 9; ++i) {
        points[i][0] = 0.1 * i;
        points[i][1] = 0.05 * sin(6.0 * points[i][0]);
    }
    course_follow(open_text("sarrus: 1\nspace: planar\ngravity: [0, 0]\n"
                            "bodies: [{name: bead, mass: 1, inertia: 0.1, position: [0, 0], velocity: [1, 0.3]}]\n"
                            "joints: []\n"
                            "constraints: [{name: wire, type: curve, bodies: [ground, bead], points: [%s]}]\n"
                            "integrator: {method: rk4, dt: 1.0e-3, t_end: 2}\n",
                            9, points),
                  201, 10, &c);
    const double speed = hypot(c.v[0], c.v[1]), *last = c.v + 3 * 200;
    int n_off = 0;
    for (int k = 0; k < c.n_times; ++k) {
        const double *v = c.v + 3 * k;
        course_check("speed", k, hypot(v[0], v[1]), speed, 1e-9);
        if (c.q[3 * k] > 0.8 + 0.01) {
            course_check("direction", k, v[0] * last[1] - v[1] * last[0], 0.0, 1e-12);
            course_check("load", k, c.load[k], 0.0, 1e-11);
            ++n_off;
        }
    }
    assert_true(n_off > 50 && n_off < 150);
}

/* A ring that is free to move, and a bead on it: what they have of momentum and moment of momentum stays. The third derivative of
 * the curve jumps at its points, so steps of rk4 that hold one are of the third order: 1.3e-7 J at this step, an eighth at half. */
static void momenta_of_bead_and_ring_are_kept(void **state) {
    (void)state;
    static course c;
    double points[40][2], sum[3] = {0.0};
    for (int i = 0; i < 40; ++i) {
        points[i][0] = 0.4 * cos(2.0 * M_PI * i / 40) + 0.05;
        points[i][1] = 0.25 * sin(2.0 * M_PI * i / 40);
    }
    course_follow(
        open_text("sarrus: 1\nspace: planar\ngravity: [0, 0]\n"
                  "bodies:\n"
                  "  - {name: bead, mass: 0.7, inertia: 0.02, position: [0.45, 0.1], velocity: [0, 3], angular_velocity: 4}\n"
                  "  - {name: ring, mass: 1.5, inertia: 0.15, position: [0, 0], orientation: 0.1, angular_velocity: -1}\n"
                  "joints: []\n"
                  "constraints:\n"
                  "  - {name: on, type: curve, bodies: [ring, bead], point: [0.01, -0.08], closed: true, points: [%s]}\n"
                  "integrator: {method: rk4, dt: 5.0e-4, t_end: 4}\n",
                  40, points),
        201, 40, &c);
    for (int k = 0; k < c.n_times; ++k) {
        const double *q = c.q + 6 * k, *v = c.v + 6 * k;
        double now[3] = {0.7 * v[0] + 1.5 * v[3], 0.7 * v[1] + 1.5 * v[4], 0.02 * v[2] + 0.15 * v[5]};
        now[2] += 0.7 * (q[0] * v[1] - q[1] * v[0]) + 1.5 * (q[3] * v[4] - q[4] * v[3]);
        for (int i = 0; i < 3; ++i) {
            sum[i] = k == 0 ? now[i] : sum[i];
            /* rk4's own error of turns at 10 rad/s, and round-off of 8000 steps */
            course_check(i < 2 ? "momentum" : "moment of momentum", k, now[i], sum[i], i < 2 ? 1e-11 : 1e-8);
        }
    }
    course_check_balance(&c, 4e-7);
}

/* The lever of groove_cam.yaml as one side of a four-bar linkage: its pin is R from the groove's centre. The groove's points are
 * π/8 apart. */
static void groove_moves_its_lever(void **state) {
    (void)state;
    static course c;
    const double e = 0.015, radius = 0.05, w = 10.0, pivot[2] = {0.08, -0.05}, arm = 0.065;
    const double off = 4.0 * radius * pow(M_PI / 8.0, 4.0) / 384.0;
    course_follow(mechanism_open_file("groove_cam.yaml", NULL), 201, 20, &c);
    for (int k = 0; k < c.n_times; ++k) {
        const double turn = w * 0.01 * k, *q = c.q + 6 * k;
        const double to[2] = {e * cos(turn) - pivot[0], e * sin(turn) - pivot[1]}, distance = hypot(to[0], to[1]);
        const double inner = acos((arm * arm + distance * distance - radius * radius) / (2.0 * arm * distance));
        const double angle = atan2(to[1], to[0]) + inner - M_PI; /* of the lever's −x, where its pin is */
        course_check("lever", k, remainder(q[5] - angle, 2.0 * M_PI), 0.0, off / arm);
    }
    course_check_balance(&c, 1e-7); /* points as above: of the third order */
}

/* A body of its own, a curve that does not look the same from anywhere, in gravity that pulls along `down`. */
static void follow_bean(double angle, int first, int is_backward, course *out) {
    double points[12][2];
    char form[TEXT_SIZE];
    const double c = cos(angle), s = sin(angle);
    for (int i = 0; i < 12; ++i) {
        const double phi = 2.0 * M_PI * ((is_backward ? 12 - i : i) + first) / 12.0;
        const double r = 0.5 + 0.1 * cos(2.0 * phi) + 0.05 * sin(phi);
        const double x = r * cos(phi), y = r * sin(phi);
        points[i][0] = c * x - s * y;
        points[i][1] = s * x + c * y;
    }
    (void)snprintf(form, sizeof form,
                   "sarrus: 1\nspace: planar\ngravity: [%.17g, %.17g]\n"
                   "bodies: [{name: bead, mass: 1, inertia: 0.1, position: [%.17g, %.17g]}]\n"
                   "joints: []\n"
                   "constraints: [{name: ring, type: curve, bodies: [ground, bead], closed: true, points: [%%s]}]\n"
                   "integrator: {method: rk4, dt: 1.0e-3, t_end: 2}\n",
                   9.81 * s, -9.81 * c, 0.6 * c, 0.6 * s);
    course_follow(open_text(form, 12, points), 201, 10, out);
}

static void numbering_direction_and_frame_do_not_matter(void **state) {
    (void)state;
    static course plain, other;
    follow_bean(0.0, 0, 0, &plain);
    static const struct {
        double angle;
        int first, is_backward;
    } ways[] = {{0.0, 5, 0}, {0.0, 0, 1}, {2.1, 0, 0}};
    for (int w = 0; w < 3; ++w) {
        const double c = cos(ways[w].angle), s = sin(ways[w].angle), sign = ways[w].is_backward ? -1.0 : 1.0;
        follow_bean(ways[w].angle, ways[w].first, ways[w].is_backward, &other);
        for (int k = 0; k < plain.n_times; ++k) { /* round-off of 2000 steps, which a pendulum does not amplify */
            const double *a = plain.q + 3 * k, *b = other.q + 3 * k;
            course_check("x", k, c * b[0] + s * b[1], a[0], 1e-10);
            course_check("y", k, c * b[1] - s * b[0], a[1], 1e-10);
            course_check("load", k, sign * other.load[k], plain.load[k], 1e-8);
        }
    }
}

/* Where a curve crosses itself both branches are as near: the foot is looked for from where it was. */
static void bead_goes_straight_on_where_the_curve_crosses(void **state) {
    (void)state;
    static course c;
    double points[48][2];
    int n_crossings = 0;
    for (int i = 0; i < 48; ++i) {
        const double t = 2.0 * M_PI * (i + 0.5) / 48.0;
        points[i][0] = sin(t);
        points[i][1] = 0.5 * sin(2.0 * t);
    }
    course_follow(open_text("sarrus: 1\nspace: planar\ngravity: [0, 0]\n"
                            "bodies: [{name: bead, mass: 1, inertia: 0.1, position: [1, 0], velocity: [0, 4]}]\n"
                            "joints: []\n"
                            "constraints: [{name: eight, type: curve, bodies: [ground, bead], closed: true, points: [%s]}]\n"
                            "integrator: {method: dopri5, rtol: 1.0e-10, atol: 1.0e-10, dt: 0.02, t_end: 4}\n",
                            48, points),
                  201, 1, &c);
    for (int k = 0; k < c.n_times; ++k) {
        const double *q = c.q + 3 * k, *v = c.v + 3 * k;
        course_check("speed", k, hypot(v[0], v[1]), 4.0, 10.0 * TOLERANCE_OF_TOLERANCE * 1e-10 * 4.0);
        if (k > 0 && q[0] * q[-3] < 0.0) { /* 45° within the 0.08 m of an output, whatever the branch; and the lobe changes */
            assert_true(v[0] * v[-3] > 0.0 && v[1] * v[-2] > 0.0);
            ++n_crossings;
        }
    }
    assert_true(n_crossings >= 4);
}

/* Steps one by one are those of one call, to the bit, by every kind of method: a foot that is looked for again is the same one. */
static void steps_one_by_one_have_the_same_bits(void **state) {
    (void)state;
    static const char *const integrators[] = {
        "{method: rk4, dt: 1.0e-3, t_end: 1}", "{method: semi-implicit, dt: 1.0e-3, t_end: 1}",
        "{method: dopri5, dt: 1.0e-3, t_end: 1}", "{method: adams-moulton, dt: 1.0e-3, t_end: 1}"};
    for (int k = 0; k < 4; ++k) {
        double at_once[6], one_by_one[6];
        const sarrus_override overrides[] = {{"integrator", integrators[k]}, {NULL, NULL}};
        mechanism m = mechanism_open_file("groove_cam.yaml", overrides);
        sarrus_batch *batch = mechanism_batch(&m, NULL, 1, 1, NULL);
        assert_int_equal(sarrus_batch_advance(batch, 300), SARRUS_OK);
        mechanism_observe(batch, SARRUS_OBSERVE_Q, at_once);
        assert_int_equal(sarrus_batch_reset(batch), SARRUS_OK);
        for (int i = 0; i < 300; ++i) {
            assert_int_equal(sarrus_batch_advance(batch, 1), SARRUS_OK);
            mechanism_observe(batch, SARRUS_OBSERVE_Q, one_by_one);
        }
        assert_memory_equal(one_by_one, at_once, sizeof at_once);
        sarrus_batch_destroy(batch);
        mechanism_close(&m);
    }
}

/* Points of one's own: on every instruction set the same bits again after a reset and alone as beside others, and the circle that
 * was drawn. */
static void drawn_points_have_the_bits_of_a_single_instance(void **state) {
    (void)state;
    static const char *const isas[] = {"avx512", "avx2", "baseline"};
    enum { N = 5, N_Q = 3 };
    static const double radius[N] = {0.5, 0.55, 0.45, 0.61, 0.4};
    double first[N * N_Q];
    mechanism m =
        mechanism_open_text("sarrus: 1\nspace: planar\nparameters: {R: 0.5, d: \"=sqrt(0.5)\"}\n"
                            "bodies: [{name: bead, mass: 1, inertia: 0.1, position: [0.5, 0]}]\n"
                            "joints: []\n"
                            "constraints:\n"
                            "  - {name: ring, type: curve, bodies: [ground, bead], closed: true, points: [[\"=R\", 0], [\"=R*d\", "
                            "\"=R*d\"], [0, \"=R\"], [\"=-R*d\", \"=R*d\"], [\"=-R\", 0], [\"=-R*d\", \"=-R*d\"], [0, \"=-R\"], "
                            "[\"=R*d\", \"=-R*d\"]]}\n"
                            "integrator: {method: dopri5, dt: 1.0e-2, t_end: 2}\n"
                            "batch:\n"
                            "  instances: 5\n"
                            "  parameters: [{name: R, distribution: uniform, low: 0.3, high: 0.7}]\n",
                            NULL);
    sarrus_draws *draws = mechanism_draws_by_hand(&m, N);
    memcpy(draws->values, radius, sizeof radius);
    for (int isa = 0; isa < 3; ++isa) {
        double q[N * N_Q], alone[N_Q];
        if (!mechanism_has_isa(isas[isa])) {
            continue;
        }
        sarrus_batch *batch = mechanism_batch(&m, isas[isa], 2, N, draws);
        assert_int_equal(sarrus_batch_advance(batch, 200), SARRUS_OK);
        mechanism_observe(batch, SARRUS_OBSERVE_Q, q);
        memcpy(first, q, sizeof first);
        assert_int_equal(sarrus_batch_reset(batch), SARRUS_OK);
        assert_int_equal(sarrus_batch_advance(batch, 200), SARRUS_OK);
        mechanism_observe(batch, SARRUS_OBSERVE_Q, q);
        assert_memory_equal(q, first, sizeof first);
        sarrus_batch_destroy(batch);
        batch = mechanism_batch(&m, isas[isa], 1, 1, draws); /* instance 0 alone */
        assert_int_equal(sarrus_batch_advance(batch, 200), SARRUS_OK);
        mechanism_observe(batch, SARRUS_OBSERVE_Q, alone);
        assert_memory_equal(alone, first, sizeof alone);
        sarrus_batch_destroy(batch);
    }
    for (int i = 0; i < N; ++i) { /* δ = π/4 */
        course_check("radius", i, hypot(first[N_Q * i], first[N_Q * i + 1]), radius[i], radius[i] * pow(M_PI / 4.0, 4.0) / 300.0);
    }
    mechanism_draws_free(draws);
    mechanism_close(&m);
}

/* A star of 12 tips of radius 1, and as many hollows. */
static void take_star(double hollow, double (*points)[2]) {
    for (int i = 0; i < 24; ++i) {
        const double radius = i % 2 == 0 ? 1.0 : hollow;
        points[i][0] = radius * cos(2.0 * M_PI * i / 24);
        points[i][1] = radius * sin(2.0 * M_PI * i / 24);
    }
}

/* Steps reach over a tip or more; between two rows the bead goes no farther than at its largest speed, from the lowest tip: of
 * 1 + 1 m of height in all, and a tenth for the spline beyond its points. */
static void rows_between_long_steps_stay_where_the_bead_is(void **state) {
    (void)state;
    static const char *const methods[] = {"dopri5", "verner65", "adams-moulton"};
    static course c;
    const double dt = 0.005, hollow[] = {0.47, 0.5}, speed = sqrt(3.0 * 3.0 + 2.0 * 9.81 * 2.2);
    double points[24][2];
    for (int i = 0; i < 2; ++i) {
        for (int k = 0; k < 3; ++k) {
            char form[512];
            take_star(hollow[i], points);
            (void)snprintf(form, sizeof form,
                           "sarrus: 1\nspace: planar\n"
                           "bodies: [{name: bead, mass: 1, inertia: 0.01, position: [%.17g, %.17g], velocity: [-2.6, -1.5]}]\n"
                           "joints: []\n"
                           "constraints: [{name: star, type: curve, bodies: [ground, bead], closed: true, points: [%%s]}]\n"
                           "integrator: {method: %s, rtol: 1.0e-6, dt: %g, t_end: 2}\n",
                           points[2][0], points[2][1], methods[k], dt);
            course_follow(open_text(form, 24, points), 401, 1, &c);
            for (int row = 1; row < c.n_times; ++row) {
                const double *q = c.q + 3 * row;
                course_check(methods[k], row, hypot(q[0] - q[-3], q[1] - q[-2]), 0.0, speed * dt);
            }
        }
    }
}

/* Two strands as far apart as `gap`, which are straight but for their ends. */
static void take_strands(double gap, double (*points)[2]) {
    for (int i = 0; i < 18; ++i) {
        points[i][0] = i < 9 ? -1.0 + 0.25 * i : 1.0 - 0.25 * (i - 9);
        points[i][1] = i < 9 ? 0.0 : gap;
    }
}

/* What assembly makes of (x, y) is (x, y) to the tolerance. */
static void check_assembled(int n_points, double (*const points)[2], const double at[2], double tolerance) {
    static course c;
    char form[512];
    (void)snprintf(form, sizeof form,
                   "sarrus: 1\nspace: planar\n"
                   "bodies: [{name: bead, mass: 1, inertia: 0.01, position: [%.17g, %.17g]}]\n"
                   "joints: []\n"
                   "constraints: [{name: wire, type: curve, bodies: [ground, bead], closed: true, points: [%%s]}]\n"
                   "integrator: {method: rk4, dt: 1.0e-3, t_end: 1.0e-3}\n",
                   at[0], at[1]);
    course_follow(open_text(form, n_points, points), 1, 1, &c);
    course_check("place", 0, hypot(c.q[0] - at[0], c.q[1] - at[1]), 0.0, tolerance);
}

/* Places that were computed from the splines, in double; the last one is a millimeter off. */
static void assembly_finds_the_nearest_point(void **state) {
    (void)state;
    static double triangle[3][2] = {{0.0, 0.0}, {1.0, 0.0}, {0.5, 0.1}};
    static const double of_triangle[2] = {0.3441681329981013, -0.05596201270864682};
    static const double of_strands[2] = {-0.2384253725273023, 0.00018474379801054658};
    static const double off_strands[2] = {0.5, -0.001};
    double points[18][2];
    check_assembled(3, triangle, of_triangle, 1e-12);
    take_strands(1e-4, points);
    check_assembled(18, points, of_strands, 1e-12);
    check_assembled(18, points, off_strands, 0.0011);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bead_on_a_circle_is_a_pendulum),
        cmocka_unit_test(bead_on_a_parabola),
        cmocka_unit_test(bead_on_a_line_slides_on),
        cmocka_unit_test(bead_runs_off_along_the_tangent),
        cmocka_unit_test(momenta_of_bead_and_ring_are_kept),
        cmocka_unit_test(groove_moves_its_lever),
        cmocka_unit_test(numbering_direction_and_frame_do_not_matter),
        cmocka_unit_test(bead_goes_straight_on_where_the_curve_crosses),
        cmocka_unit_test(steps_one_by_one_have_the_same_bits),
        cmocka_unit_test(rows_between_long_steps_stay_where_the_bead_is),
        cmocka_unit_test(assembly_finds_the_nearest_point),
        cmocka_unit_test(drawn_points_have_the_bits_of_a_single_instance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

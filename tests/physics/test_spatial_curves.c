/* Claim: a point on a curve in space moves as the equation of its own spline says, which is integrated apart in long double; on
 * a helix on a body that turns freely as the helix does, to the fourth power of the distance of the points; on a straight line
 * exactly, and on beyond its end; on a curve of the plane as in the plane. The force of the curve is what the point lacks, and is
 * across the curve. Over a tree everything is the same. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "plan/spline.h"
#include "tests/support/mechanism.h"
#include "tests/support/ode.h"

enum { MAX_POINTS = 256, TEXT_SIZE = 32768, MAX_TIMES = 64, MAX_Q = 14, MAX_V = 12 };
#define GRAVITY 9.81

static const char *const formulations[] = {"udwadia-kalaba", "relative"};

/* What a mechanism with one curve does. */
typedef struct course {
    int n_times, n_q, n_v;
    double q[MAX_TIMES * MAX_Q], v[MAX_TIMES * MAX_V], a[MAX_TIMES * MAX_V], load[MAX_TIMES * 3], energy[MAX_TIMES];
} course;

/* `form` has two %s: the points, and the formulation. */
static void course_follow(const char *form, int n_points, const double (*points)[3], const char *formulation, int n_times,
                          uint64_t every, course *out) {
    static char text[TEXT_SIZE], list[TEXT_SIZE / 2];
    int n = 0;
    for (int i = 0; i < n_points; ++i) {
        n += snprintf(list + n, sizeof list - (size_t)n, "%s[%.17g, %.17g, %.17g]", i > 0 ? ", " : "", points[i][0], points[i][1],
                      points[i][2]);
        assert_true((size_t)n < sizeof list);
    }
    assert_true((size_t)snprintf(text, sizeof text, form, list, formulation) < sizeof text);
    mechanism m = mechanism_open_text(text, NULL);
    sarrus_plan_sizes sizes;
    sarrus_plan_sizes_get(m.plan, &sizes);
    *out = (course){.n_times = n_times, .n_q = sizes.n_coordinates, .n_v = sizes.n};
    assert_true(n_times <= MAX_TIMES && out->n_q <= MAX_Q && out->n_v <= MAX_V && sizes.n_constraints == 1);
    sarrus_batch *batch = mechanism_batch(&m, NULL, 1, 1, NULL);
    sarrus_observation o = {
        .n_times = (uint64_t)n_times, .every_steps = every, .observe_first = 1, .n_times_stride = (uint64_t)n_times};
    o.destination[SARRUS_OBSERVE_Q] = out->q;
    o.destination[SARRUS_OBSERVE_V] = out->v;
    o.destination[SARRUS_OBSERVE_ACCELERATION] = out->a;
    o.destination[SARRUS_OBSERVE_CONSTRAINTS] = out->load;
    o.destination[SARRUS_OBSERVE_ENERGY] = out->energy;
    assert_int_equal(sarrus_batch_observe(batch, &o), SARRUS_OK);
    assert_int_equal(sarrus_batch_status(batch, 0), SARRUS_INSTANCE_OK);
    sarrus_batch_destroy(batch);
    mechanism_close(&m);
}

static void check_close(const char *what, int k, double value, double expected, double bound) {
    if (!(fabs(value - expected) <= bound))
        fail_msg("%s at output %d: %.15g instead of %.15g, off by %.2e > %.1e", what, k, value, expected, fabs(value - expected),
                 bound);
}

/* --- A bead on a closed spline on ground ---------------------------------------------------------------------------------- */

/* The pieces of a closed curve through n points. */
typedef struct closed_curve {
    int n;
    double s[MAX_POINTS + 1], c[3][4 * MAX_POINTS];
} closed_curve;

static void curve_at(const closed_curve *of, long double s, long double x[3][3]) {
    const long double length = of->s[of->n];
    s -= length * floorl(s / length);
    int i = 0;
    while (i < of->n - 1 && s >= of->s[i + 1])
        ++i;
    const long double r = s - of->s[i];
    for (int k = 0; k < 3; ++k) {
        const double *c = of->c[k] + 4 * (ptrdiff_t)i;
        x[0][k] = c[0] + r * (c[1] + r * (c[2] + r * c[3]));
        x[1][k] = c[1] + r * (2.0L * c[2] + r * 3.0L * c[3]);
        x[2][k] = 2.0L * c[2] + r * 6.0L * c[3];
    }
}

/* |c'|² s'' + c'·c'' s'² = −g c'_z. */
static void bead_rates(const long double *y, const void *of, long double *dy) {
    long double x[3][3], size2 = 0.0L, across = 0.0L;
    curve_at(of, y[0], x);
    for (int k = 0; k < 3; ++k) {
        size2 += x[1][k] * x[1][k];
        across += x[1][k] * x[2][k];
    }
    dy[0] = y[1];
    dy[1] = -((long double)GRAVITY * x[1][2] + across * y[1] * y[1]) / size2;
}

/* A knot in space, through which the bead runs round and round. */
static void take_knot(int n, double (*points)[3]) {
    for (int i = 0; i < n; ++i) {
        const double t = 2.0 * M_PI * i / n;
        points[i][0] = 0.1 * (sin(t) + 2.0 * sin(2.0 * t));
        points[i][1] = 0.1 * (cos(t) - 2.0 * cos(2.0 * t));
        points[i][2] = -0.1 * sin(3.0 * t);
    }
}

static closed_curve curve_make(int n, const double (*points)[3]) {
    closed_curve out = {.n = n};
    double at[MAX_POINTS + 1];
    for (int i = 1; i <= n; ++i) {
        const double *a = points[i - 1], *b = points[i % n];
        out.s[i] = out.s[i - 1] + hypot(hypot(b[0] - a[0], b[1] - a[1]), b[2] - a[2]);
    }
    for (int k = 0; k < 3; ++k) {
        for (int i = 0; i <= n; ++i)
            at[i] = points[i % n][k];
        assert_true(sarrus_spline_periodic(n + 1, out.s, at, out.c[k]));
    }
    return out;
}

/* The force is what the bead lacks, m (a − g), and no part of it is along the velocity: of 0.3 kg at some 3 m/s, 10/m of bend. */
static void loads_check(const course *c, int body, double mass) {
    for (int k = 0; k < c->n_times; ++k) {
        const double *f = c->load + 3 * (ptrdiff_t)k, *a = c->a + (ptrdiff_t)c->n_v * k + 6 * body;
        const double *v = c->v + (ptrdiff_t)c->n_v * k + 6 * body;
        for (int x = 0; x < 3; ++x)
            check_close("load", k, f[x], mass * (a[x] + (x == 2 ? GRAVITY : 0.0)), 1e-10 * (1.0 + fabs(f[x])));
        if (c->n_v == 6) /* the curve is on ground */
            check_close("power", k, f[0] * v[0] + f[1] * v[1] + f[2] * v[2], 0.0, 1e-10 * (1.0 + mechanism_size(f, 3)));
    }
}

/* dopri5 at 1e-12: some hundred steps, each with an error of that; 2 s at up to 4 m/s. The bead turns as it likes. */
static void bead_follows_its_spline(void **state) {
    (void)state;
    enum { N_POINTS = 40, N_TIMES = 41 };
    static course c[2];
    double points[N_POINTS][3];
    take_knot(N_POINTS, points);
    const closed_curve curve = curve_make(N_POINTS, (const double(*)[3])points);
    for (int i = 0; i < 2; ++i) {
        long double y[2] = {0.0L, 2.5L}, x[3][3];
        curve_at(&curve, 0.0L, x);
        char form[1024];
        (void)snprintf(form, sizeof form,
                       "sarrus: 1\nspace: spatial\ngravity: [0, 0, -9.81]\n"
                       "bodies: [{name: bead, mass: 0.3, inertia: [0.01, 0.02, 0.015], position: [%.17g, %.17g, %.17g], "
                       "velocity: [%.17g, %.17g, %.17g], angular_velocity: [1, 2, 3]}]\njoints: []\n"
                       "constraints: [{name: wire, type: curve, bodies: [ground, bead], closed: true, points: [%%s]}]\n"
                       "dynamics: {formulation: %%s}\n"
                       "integrator: {method: dopri5, dt: 0.05, t_end: 2, rtol: 1e-12, atol: 1e-13}\n",
                       points[0][0], points[0][1], points[0][2], (double)(2.5L * x[1][0]), (double)(2.5L * x[1][1]),
                       (double)(2.5L * x[1][2]));
        course_follow(form, N_POINTS, (const double(*)[3])points, formulations[i], N_TIMES, 1, &c[i]);
        for (int k = 0; k < N_TIMES; ++k) {
            curve_at(&curve, y[0], x);
            for (int at = 0; at < 3; ++at)
                check_close("place", k, c[i].q[7 * k + at], (double)x[0][at], 1e-8);
            check_close("energy", k, c[i].energy[k], c[i].energy[0], 1e-9);
            ode_advance(bead_rates, &curve, 2, 1e-5L, 5000, y);
        }
        assert_true(fabsl(y[0]) > 1.5L * curve.s[N_POINTS]); /* round more than once */
        loads_check(&c[i], 0, 0.3);
    }
    check_close("place of both", N_TIMES, mechanism_distance(c[0].q, c[1].q, (size_t)(7 * N_TIMES)), 0.0, 1e-8);
}

/* --- A helix on a post that turns ------------------------------------------------------------------------------------------- */

/* The largest error of the bead's height with n points a turn, over 1.2 s: half the descent is half a k² α t², with α of the
 * scenario bead_on_curve. The wire begins a turn above, far from where its end does not bend. */
static double helix_error(int n, const char *formulation) {
    enum { N_TIMES = 31, N_TURNS = 4 };
    static course c;
    static double points[MAX_POINTS][3];
    const double radius = 0.2, k = 0.03, inertia = 0.03, mass = 0.5;
    double largest = 0.0;
    for (int i = 0; i <= N_TURNS * n; ++i) {
        const double angle = 2.0 * M_PI * (i - n) / n;
        points[i][0] = radius * cos(angle);
        points[i][1] = radius * sin(angle);
        points[i][2] = -k * angle;
    }
    course_follow("sarrus: 1\nspace: spatial\ngravity: [0, 0, -9.81]\nbodies:\n"
                  "  - {name: post, mass: 4, inertia: [0.1, 0.1, 0.03], position: [0, 0, 0]}\n"
                  "  - {name: bead, mass: 0.5, inertia: [1e-4, 1e-4, 1e-4], position: [0.2, 0, 0]}\n"
                  "joints: [{name: J, type: revolute, bodies: [ground, post], at: [0, 0, 0], axis: [0, 0, 1]}]\n"
                  "constraints: [{name: wire, type: curve, bodies: [post, bead], points: [%s]}]\n"
                  "dynamics: {formulation: %s}\nintegrator: {method: dopri5, dt: 0.04, t_end: 1.2, rtol: 1e-12, atol: 1e-14}\n",
                  N_TURNS * n + 1, (const double(*)[3])points, formulation, N_TIMES, 1, &c);
    const double alpha = GRAVITY * k / (k * k + radius * radius * inertia / (inertia + mass * radius * radius));
    for (int i = 0; i < N_TIMES; ++i) {
        const double t = 0.04 * i, *v = c.v + (ptrdiff_t)c.n_v * i, *q = c.q + (ptrdiff_t)c.n_q * i + 7;
        largest = fmax(largest, fabs(q[2] + 0.5 * k * alpha * t * t));
        /* the spin of both about the vertical stays 0; of energy more is lost, where third derivatives jump */
        check_close("spin", i, inertia * v[5] + mass * (q[0] * v[7] - q[1] * v[6]), 0.0, 1e-9);
        check_close("energy", i, c.energy[i], c.energy[0], 1e-8);
    }
    loads_check(&c, 1, mass);
    return largest;
}

/* The spline is off by R δ⁴/384 and what follows of it, as in the plane (physics.curves). */
static void bead_on_a_helix_falls_as_the_helix_does(void **state) {
    (void)state;
    for (int i = 0; i < 2; ++i) {
        const double coarse = helix_error(16, formulations[i]), fine = helix_error(32, formulations[i]);
        const double delta = 2.0 * M_PI / 32.0;
        check_close("height", 32, fine, 0.0, 20.0 * 0.2 * pow(delta, 4.0) / 384.0);
        if (!(coarse > 12.0 * fine && coarse < 20.0 * fine))
            fail_msg("errors of %.3e and %.3e with 16 and 32 points a turn: not the fourth power", coarse, fine);
    }
}

/* --- A straight line, and beyond its end ------------------------------------------------------------------------------------- */

/* s = s₀ + ½ g (2/3) t² along (1, 2, −2)/3, which two points hold 0.6 m of. */
static void bead_runs_off_a_straight_line(void **state) {
    (void)state;
    enum { N_TIMES = 21 };
    static course c;
    static const double points[2][3] = {{0.0, 0.0, 0.0}, {0.2, 0.4, -0.4}};
    course_follow("sarrus: 1\nspace: spatial\ngravity: [0, 0, -9.81]\n"
                  "bodies: [{name: bead, mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.1, 0.2, -0.2]}]\njoints: []\n"
                  "constraints: [{name: rail, type: curve, bodies: [ground, bead], points: [%s]}]\n"
                  "dynamics: {formulation: %s}\nintegrator: {method: rk4, dt: 1e-3, t_end: 1}\n",
                  2, points, "udwadia-kalaba", N_TIMES, 50, &c);
    for (int k = 0; k < N_TIMES; ++k) {
        const double t = 0.05 * k, way = 0.5 * GRAVITY * (2.0 / 3.0) * t * t;
        check_close("x", k, c.q[7 * k], 0.1 + way / 3.0, 1e-12);
        check_close("y", k, c.q[7 * k + 1], 0.2 + 2.0 * way / 3.0, 1e-12);
        check_close("z", k, c.q[7 * k + 2], -0.2 - 2.0 * way / 3.0, 1e-12);
    }
    assert_true(c.q[7 * (N_TIMES - 1)] > 1.0); /* far beyond 0.2 */
}

/* --- A curve of the plane ------------------------------------------------------------------------------------------------- */

static const char plane_text[] =
    "sarrus: 1\nspace: planar\ngravity: [0, -9.81]\nbodies:\n"
    "  - {name: disc, mass: 2, inertia: 0.05, position: [0.02, 0], angular_velocity: 1}\n"
    "  - {name: bead, mass: 0.3, inertia: 0.01, position: [0.3, 0.05]}\n"
    "joints: [{name: J, type: revolute, bodies: [ground, disc], at: [0, 0]}]\n"
    "constraints: [{name: groove, type: curve, bodies: [disc, bead], point: [0.01, 0.02], closed: true, "
    "points: [[0.28, 0], [0.2, 0.2], [0, 0.25], [-0.2, 0.22], [-0.3, 0], [0, -0.3]]}]\n"
    "integrator: {method: rk4, dt: 2e-4, t_end: 0.4}\n";
static const char space_text[] =
    "sarrus: 1\nspace: spatial\ngravity: [0, -9.81, 0]\nbodies:\n"
    "  - {name: disc, mass: 2, inertia: [0.03, 0.03, 0.05], position: [0.02, 0, 0], angular_velocity: [0, 0, 1]}\n"
    "  - {name: bead, mass: 0.3, inertia: [0.01, 0.01, 0.01], position: [0.3, 0.05, 0]}\n"
    "joints: [{name: J, type: revolute, bodies: [ground, disc], at: [0, 0, 0], axis: [0, 0, 1]}]\n"
    "constraints: [{name: groove, type: curve, bodies: [disc, bead], point: [0.01, 0.02, 0], closed: true, "
    "points: [[0.28, 0, 0], [0.2, 0.2, 0], [0, 0.25, 0], [-0.2, 0.22, 0], [-0.3, 0, 0], [0, -0.3, 0]]}]\n"
    "integrator: {method: rk4, dt: 2e-4, t_end: 0.4}\n";

static void follow_text(const char *text, double *q, double *load) {
    mechanism m = mechanism_open_text(text, NULL);
    sarrus_batch *batch = mechanism_batch(&m, NULL, 1, 1, NULL);
    assert_int_equal(sarrus_batch_advance(batch, 2000), SARRUS_OK);
    assert_int_equal(sarrus_batch_status(batch, 0), SARRUS_INSTANCE_OK);
    mechanism_observe(batch, SARRUS_OBSERVE_Q, q);
    mechanism_observe(batch, SARRUS_OBSERVE_CONSTRAINTS, load);
    sarrus_batch_destroy(batch);
    mechanism_close(&m);
}

/* rk4's own errors, which are other ones of angles and of Euler parameters: (w h)⁴ with w some 5/s. */
static void curve_of_the_plane_is_that_of_the_plane(void **state) {
    (void)state;
    double plane[6], space[14], load[3], loads[3];
    follow_text(plane_text, plane, load);
    follow_text(space_text, space, loads);
    for (int b = 0; b < 2; ++b) {
        check_close("x", b, space[7 * b], plane[3 * b], 1e-12);
        check_close("y", b, space[7 * b + 1], plane[3 * b + 1], 1e-12);
        check_close("z", b, space[7 * b + 2], 0.0, 1e-12);
        check_close("angle", b, remainder(2.0 * atan2(space[7 * b + 6], space[7 * b + 3]) - plane[3 * b + 2], 2.0 * M_PI), 0.0,
                    1e-12);
    }
    check_close("load", 0, hypot(loads[0], loads[1]), fabs(load[0]), 1e-10 * fabs(load[0]));
    check_close("load across the plane", 0, loads[2], 0.0, 1e-12);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bead_follows_its_spline),
        cmocka_unit_test(bead_on_a_helix_falls_as_the_helix_does),
        cmocka_unit_test(bead_runs_off_a_straight_line),
        cmocka_unit_test(curve_of_the_plane_is_that_of_the_plane),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

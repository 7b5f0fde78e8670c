/* Claim, of rows that hold speeds and say nothing of positions, in the plane and in space, between bodies and with ground on
 * either side, at random states: Φ̇ is the slip as docs/scenario.md defines it, in long double; J is what it is per unit speed;
 * γ is less its rate while all bodies go on at constant speeds; Φ is 0, but for the height of what rolls over its plane. Knife
 * edges, linear relations, balls and discs, at rest and at a speed that is a signal. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/kernel_rows.h"
#include "tests/support/spatial_rows.h"
#include "tests/support/steady_motion.h"

enum { N_STATES = 12, N_STENCIL = 4, TEXT_SIZE = 4096, MAX_ROWS = 3, MAX_V = 12, MAX_Q = 14 };
#define BALL 0.3L
#define SPEED_AMPLITUDE 0.7L
#define SPEED_FREQUENCY 0.4L

/* What a row is made of, in space; a planar one lies in x, y and turns about z. A and B are body[0] and body[1], −1 ground. */
typedef struct subject {
    const char *text;
    int body[2], rolls; /* 1 a ball, 2 a disc */
    bool has_speed;
    long double point[3], along[3], about[3], plane[3], normal[3], axis[3];
} subject;

#define SPEED ", speed: {signal: {sine: {amplitude: 0.7, frequency: 0.4}}}"

static const subject planar[] = {
    {"kind: knife_edge, bodies: [ground, a], point: [0.3, -0.1], across: [0, 2]",
     {-1, 0},
     0,
     false,
     {0.3L, -0.1L, 0},
     {0, 1, 0},
     {0},
     {0},
     {0},
     {0}},
    {"kind: knife_edge, bodies: [b, a], across: [0.6, 0.8]" SPEED, {1, 0}, 0, true, {0}, {0.6L, 0.8L, 0}, {0}, {0}, {0}, {0}},
    {"kind: knife_edge, bodies: [a, ground], point: [0.4, 1.1], across: [1, 0]",
     {0, -1},
     0,
     false,
     {0.4L, 1.1L, 0},
     {1, 0, 0},
     {0},
     {0},
     {0},
     {0}},
    {"kind: linear, bodies: [a, b], point: [0.2, 0.5], along: [0.3, -1.7], about: 0.45" SPEED,
     {0, 1},
     0,
     true,
     {0.2L, 0.5L, 0},
     {0.3L, -1.7L, 0},
     {0, 0, 0.45L},
     {0},
     {0},
     {0}},
    {"kind: linear, bodies: [ground, b], about: -1.5", {-1, 1}, 0, false, {0}, {0}, {0, 0, -1.5L}, {0}, {0}, {0}},
};

static const subject spatial[] = {
    {"kind: knife_edge, bodies: [ground, a], point: [0.3, -0.1, 0.2], across: [0, 2, 0]",
     {-1, 0},
     0,
     false,
     {0.3L, -0.1L, 0.2L},
     {0, 1, 0},
     {0},
     {0},
     {0},
     {0}},
    {"kind: knife_edge, bodies: [b, a], point: [0.1, 0, -0.6], across: [0.6, 0, 0.8]" SPEED,
     {1, 0},
     0,
     true,
     {0.1L, 0, -0.6L},
     {0.6L, 0, 0.8L},
     {0},
     {0},
     {0},
     {0}},
    {"kind: linear, bodies: [a, ground], point: [0.4, 0.2, 0.1], along: [1, -0.4, 0.2], about: [0.3, 0, -1.1]",
     {0, -1},
     0,
     false,
     {0.4L, 0.2L, 0.1L},
     {1, -0.4L, 0.2L},
     {0.3L, 0, -1.1L},
     {0},
     {0},
     {0}},
    {"kind: linear, bodies: [a, b], point: [0.2, 0.5, 0], along: [0.3, -1.7, 0.5], about: [0.2, 0.6, -0.3]" SPEED,
     {0, 1},
     0,
     true,
     {0.2L, 0.5L, 0},
     {0.3L, -1.7L, 0.5L},
     {0.2L, 0.6L, -0.3L},
     {0},
     {0},
     {0}},
    {"kind: rolling, bodies: [ground, a], point: [0.1, 0.05, 0], radius: 0.3, plane: {point: [0.2, 0, -0.5], normal: [0, 0, 3]}",
     {-1, 0},
     1,
     false,
     {0.1L, 0.05L, 0},
     {0},
     {0},
     {0.2L, 0, -0.5L},
     {0, 0, 1},
     {0}},
    {"kind: rolling, bodies: [b, a], radius: 0.3, plane: {point: [0, 0.4, 0], normal: [0, 0.6, 0.8]}",
     {1, 0},
     1,
     false,
     {0},
     {0},
     {0},
     {0, 0.4L, 0},
     {0, 0.6L, 0.8L},
     {0}},
    {"kind: rolling, bodies: [ground, a], radius: 0.3, axis: [0, 1, 0], plane: {normal: [0, 0, 1]}",
     {-1, 0},
     2,
     false,
     {0},
     {0},
     {0},
     {0},
     {0, 0, 1},
     {0, 1, 0}},
    {"kind: rolling, bodies: [b, a], point: [0.1, -0.2, 0], radius: 0.3, axis: [0.8, 0, 0.6], plane: {point: [0.1, 0, 0], normal: "
     "[0.6, 0.8, 0]}",
     {1, 0},
     2,
     false,
     {0.1L, -0.2L, 0},
     {0},
     {0},
     {0.1L, 0, 0},
     {0.6L, 0.8L, 0},
     {0.8L, 0, 0.6L}},
    {"kind: rolling, bodies: [a, ground], point: [0.1, 0.4, 0.2], radius: 0.3, axis: [0, 0, 1], plane: {normal: [1, 0, 0]}",
     {0, -1},
     2,
     false,
     {0.1L, 0.4L, 0.2L},
     {0},
     {0},
     {0},
     {1, 0, 0},
     {0, 0, 1}},
};

/* A body after a time. */
typedef struct pose {
    long double r[3], a[3][3], v[3], omega[3];
} pose;

/* A vector of a body's frame in the inertial one. */
static void rotate(const pose *body, const long double s[3], long double out[3]) {
    for (int k = 0; k < 3; ++k)
        out[k] = steady_dot(body->a[k], s);
}

static pose pose_of(const double *q, const double *v, int body, long double t) {
    pose out = {{0}, {{0}}, {0}, {0}};
    long double own[3] = {0};
    steady_pose(q, v, body, t, out.r, out.a);
    for (int k = 0; k < 3 && body >= 0; ++k) {
        out.v[k] = v[6 * body + k];
        own[k] = v[6 * body + 3 + k];
    }
    rotate(&out, own, out.omega);
    return out;
}

/* The velocity of a body's own point at x. */
static void velocity_at(const pose *of, const long double x[3], long double out[3]) {
    long double arm[3];
    for (int k = 0; k < 3; ++k)
        arm[k] = x[k] - of->r[k];
    steady_cross(of->omega, arm, out);
    for (int k = 0; k < 3; ++k)
        out[k] += of->v[k];
}

/* Where a ball or a disc touches: the lowest point over the plane, of a disc that of its rim. */
static void touch(const subject *of, const pose *a, const pose *b, const long double centre[3], long double x[3]) {
    long double n[3], d[3], across[3], other[3];
    rotate(a, of->normal, n);
    if (of->rolls == 1) {
        for (int k = 0; k < 3; ++k)
            x[k] = centre[k] - BALL * n[k];
        return;
    }
    rotate(b, of->axis, d);
    steady_cross(d, n, across); /* level */
    const long double size = sqrtl(steady_dot(across, across));
    steady_cross(d, across, other); /* d × (d × n) = −(n − (n·d) d): down */
    for (int k = 0; k < 3; ++k)
        x[k] = centre[k] + BALL * other[k] / size;
}

/* Slip of every row, with the directions e [n_rows] of what rolls in A's frame; *height: of the point of contact. */
static void slips_at(const subject *of, const double *q, const double *v, long double t, int n_rows, long double (*e)[3],
                     long double slip[MAX_ROWS], long double *height) {
    const pose a = pose_of(q, v, of->body[0], t), b = pose_of(q, v, of->body[1], t);
    long double x[3], va[3], vb[3], u[3], turning[3], centre[3];
    rotate(&b, of->point, centre);
    for (int k = 0; k < 3; ++k)
        x[k] = centre[k] = b.r[k] + centre[k];
    if (of->rolls > 0)
        touch(of, &a, &b, centre, x);
    velocity_at(&a, x, va);
    velocity_at(&b, x, vb);
    for (int k = 0; k < 3; ++k) {
        u[k] = vb[k] - va[k];
        turning[k] = b.omega[k] - a.omega[k];
    }
    *height = 0.0L;
    for (int i = 0; i < n_rows; ++i) {
        long double direction[3], about[3];
        rotate(of->rolls > 0 ? &a : &b, of->rolls > 0 ? e[i] : of->along, direction);
        rotate(&b, of->about, about);
        slip[i] = steady_dot(direction, u) + (of->rolls > 0 ? 0.0L : steady_dot(about, turning));
    }
    if (of->has_speed)
        slip[0] -= SPEED_AMPLITUDE * sinl(2.0L * 3.14159265358979323846264338327950288L * SPEED_FREQUENCY * t);
    if (of->rolls > 0) {
        long double n[3], plane[3];
        rotate(&a, of->normal, n);
        rotate(&a, of->plane, plane);
        for (int k = 0; k < 3; ++k)
            *height += n[k] * (x[k] - a.r[k] - plane[k]);
    }
}

/* The rate of the slips, by differences of the fourth order with h = 1e-4: round-off 1e-19/h = 1e-15, truncation h⁴. */
static void rates_at(const subject *of, const double *q, const double *v, int n_rows, long double (*e)[3],
                     long double rate[MAX_ROWS]) {
    static const long double weight[] = {1.0L, -8.0L, 8.0L, -1.0L};
    static const int steps[] = {-2, -1, 1, 2};
    const long double h = 1e-4L;
    memset(rate, 0, MAX_ROWS * sizeof *rate);
    for (int i = 0; i < N_STENCIL; ++i) {
        long double slip[MAX_ROWS], height;
        slips_at(of, q, v, steps[i] * h, n_rows, e, slip, &height);
        for (int k = 0; k < n_rows; ++k)
            rate[k] += weight[i] * slip[k] / (12.0L * h);
    }
}

static void assert_close(const subject *of, const char *what, int i, long double found, long double expected, double bound) {
    if (!(fabsl(found - expected) <= bound))
        fail_msg("%.60s: %s %d: %.17Lg instead of %.17Lg, off by %.2Le > %.1e", of->text, what, i, found, expected,
                 fabsl(found - expected), bound);
}

/* Numbers of the kernels at t = 0. */
typedef struct numbers {
    double phi[MAX_ROWS], phi_dot[MAX_ROWS], gamma[MAX_ROWS], jacobian[MAX_ROWS * MAX_V];
} numbers;

/* Sums of products of lengths of up to 3 with speeds of up to 5, directions of up to 2; in differences h⁴ of rates to the fifth
 * power. */
static void check(const subject *of, const double *q, const double *v, int n_rows, int n_v, const int *speed, const numbers *at) {
    const double rows = 512.0 * DBL_EPSILON * 30.0, rates = rows * 30.0 + 1e-10;
    long double e[MAX_ROWS][3] = {{0}}, slip[MAX_ROWS], rate[MAX_ROWS], height;
    if (of->rolls > 0) { /* e from J, into A's frame */
        const int side = of->body[1] >= 0 ? 1 : 0;
        const pose a = pose_of(q, v, of->body[0], 0.0L);
        for (int i = 0; i < n_rows; ++i)
            for (int k = 0; k < 3; ++k)
                for (int j = 0; j < 3; ++j)
                    e[i][k] += (side ? 1.0L : -1.0L) * a.a[j][k] * at->jacobian[n_v * i + 6 * of->body[side] + j];
        for (int k = 0; k < 3; ++k)
            assert_close(of, "normal", k, e[0][k], of->normal[k], rows);
        for (int i = 0; i < n_rows; ++i)
            for (int j = 0; j < n_rows; ++j)
                assert_close(of, "product of directions", 3 * i + j, steady_dot(e[i], e[j]), i == j ? 1.0L : 0.0L, rows);
    }
    slips_at(of, q, v, 0.0L, n_rows, e, slip, &height);
    rates_at(of, q, v, n_rows, e, rate);
    for (int i = 0; i < n_rows; ++i) {
        assert_close(of, "Phi", i, at->phi[i], i == 0 ? height : 0.0L, rows);
        assert_close(of, "slip", i, at->phi_dot[i], slip[i], rows);
        assert_close(of, "gamma", i, -at->gamma[i], rate[i], rates);
    }
    for (int j = 0; j < n_v; ++j) {
        double unit[MAX_V] = {0.0};
        long double none[MAX_ROWS], one[MAX_ROWS];
        slips_at(of, q, unit, 0.0L, n_rows, e, none, &height);
        unit[speed[j]] = 1.0;
        slips_at(of, q, unit, 0.0L, n_rows, e, one, &height);
        for (int i = 0; i < n_rows; ++i)
            assert_close(of, "J", n_v * i + j, at->jacobian[n_v * i + j], one[i] - none[i], rows);
    }
}

static mechanism subject_open(const subject *of, bool is_spatial) {
    static const char *const heads[] = {
        "space: planar\nbodies:\n  - {name: a, mass: 1.3, inertia: 0.4, position: [0.3, 0.5]}\n"
        "  - {name: b, mass: 0.7, inertia: 0.2, position: [-0.2, 0.1]}\n",
        "space: spatial\nbodies:\n  - {name: a, mass: 1.3, inertia: [0.4, 0.5, 0.3, 0.02, 0, 0.01], position: [0.3, 0.5, 1.2]}\n"
        "  - {name: b, mass: 0.7, inertia: [0.2, 0.3, 0.25], position: [-0.2, 0.1, 0.3]}\n"};
    char text[TEXT_SIZE];
    assert_true((size_t)snprintf(text, sizeof text,
                                 "sarrus: 1\n%sjoints: []\nconstraints: [{name: c, type: nonholonomic, %s}]\n"
                                 "dynamics: {formulation: udwadia-kalaba}\nintegrator: {method: rk4, dt: 1e-3, t_end: 1}\n",
                                 heads[is_spatial], of->text) < sizeof text);
    mechanism m = mechanism_open_text(text, NULL);
    assert_int_equal(m.m, of->rolls > 0 ? 3 : 1);
    return m;
}

static void rows_in_the_plane(void **state) {
    (void)state;
    static const int speed[] = {0, 1, 5, 6, 7, 11};
    uint64_t seed = 3;
    for (size_t i = 0; i < sizeof planar / sizeof planar[0]; ++i) {
        mechanism m = subject_open(&planar[i], false);
        kernel_rows *rows = kernel_rows_create(&m, NULL);
        for (int s = 0; s < N_STATES; ++s) {
            double q[6], v[6], q_in_space[MAX_Q] = {0.0}, v_in_space[MAX_V] = {0.0};
            numbers at;
            for (int k = 0; k < 6; ++k) {
                q[k] = mechanism_random(&seed);
                v[k] = 2.0 * mechanism_random(&seed);
                v_in_space[speed[k]] = v[k];
            }
            for (int b = 0; b < 2; ++b) {
                q_in_space[7 * b] = q[3 * b];
                q_in_space[7 * b + 1] = q[3 * b + 1];
                q_in_space[7 * b + 3] = cos(0.5 * q[3 * b + 2]);
                q_in_space[7 * b + 6] = sin(0.5 * q[3 * b + 2]);
            }
            kernel_rows_at(rows, 0.0, q, v, at.phi, at.phi_dot, at.gamma, at.jacobian);
            check(&planar[i], q_in_space, v_in_space, 1, 6, speed, &at);
            assert_true(kernel_rows_violation_squared(rows, 0.0, q, v) == 0.0);
        }
        kernel_rows_destroy(rows);
        mechanism_close(&m);
    }
}

static void rows_in_space(void **state) {
    (void)state;
    static const int speed[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    uint64_t seed = 5;
    for (size_t i = 0; i < sizeof spatial / sizeof spatial[0]; ++i) {
        mechanism m = subject_open(&spatial[i], true);
        spatial_rows *rows = spatial_rows_create(&m);
        const int n_rows = m.m;
        for (int s = 0; s < N_STATES; ++s) {
            double q[MAX_Q], v[MAX_V];
            spatial_numbers found;
            numbers at;
            for (int k = 0; k < MAX_Q; ++k)
                q[k] = mechanism_random(&seed);
            for (int k = 0; k < MAX_V; ++k)
                v[k] = 2.0 * mechanism_random(&seed);
            for (int b = 0; b < 2; ++b) {
                double *p = q + 7 * b + 3;
                const double size = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]);
                for (int k = 0; k < 4; ++k)
                    p[k] /= size;
            }
            spatial_rows_find(rows, 0.0, q, v, &found);
            memcpy(at.phi, found.phi, sizeof at.phi);
            memcpy(at.phi_dot, found.phi_dot, sizeof at.phi_dot);
            memcpy(at.gamma, found.gamma, sizeof at.gamma);
            memcpy(at.jacobian, found.jacobian, sizeof at.jacobian);
            check(&spatial[i], q, v, n_rows, MAX_V, speed, &at);
            assert_close(&spatial[i], "|Phi|^2", 0, found.open2, (long double)at.phi[0] * at.phi[0], 1e-13);
        }
        spatial_rows_destroy(rows);
        mechanism_close(&m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_in_the_plane),
        cmocka_unit_test(rows_in_space),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

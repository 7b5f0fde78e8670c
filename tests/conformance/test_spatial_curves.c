/* Claim, of a point on a curve in space, open and closed, on ground and on a moving body, at random states on the curve and off it:
 * the kernels' rows are those of the definition in long double, with the normals carried along the curve without a turn about its
 * tangent; J, rates and gamma are its derivatives; products with J, the sparse and the dense, agree with it. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "plan/plan.h"
#include "tests/support/spatial_rows.h"
#include "tests/support/steady_motion.h"

enum { N_V = 12, N_Q = 14, N_STATES = 12, MAX_POINTS = 12, TEXT_SIZE = 4096, N_STENCIL = 4 };

typedef struct subject {
    const char *text; /* of the constraint */
    int body[2];      /* the curve's and the point's */
    bool is_closed;
    int n;
    long double point[3], points[MAX_POINTS][3];
} subject;

static const subject subjects[] = {
    {"bodies: [ground, a], point: [0.1, 0, -0.05], points: [[-1, 0, 0.2], [0, 0.4, 0], [0.8, 0.1, -0.3], [1.9, 0.3, 0.4]]",
     {SARRUS_GROUND, 0},
     false,
     4,
     {0.1L, 0.0L, -0.05L},
     {{-1.0L, 0.0L, 0.2L}, {0.0L, 0.4L, 0.0L}, {0.8L, 0.1L, -0.3L}, {1.9L, 0.3L, 0.4L}}},
    {"bodies: [b, a], point: [0, 0.2, 0.1], closed: true, "
     "points: [[0.8, 0, 0.1], [0.3, 0.7, -0.2], [-0.6, 0.6, 0.3], [-0.7, -0.4, 0], [0.2, -0.9, 0.2]]",
     {1, 0},
     true,
     5,
     {0.0L, 0.2L, 0.1L},
     {{0.8L, 0.0L, 0.1L}, {0.3L, 0.7L, -0.2L}, {-0.6L, 0.6L, 0.3L}, {-0.7L, -0.4L, 0.0L}, {0.2L, -0.9L, 0.2L}}},
    {"bodies: [a, ground], point: [1.2, 0.1, -0.1], closed: true, points: [[0.5, 0, 0], [0, 0.5, 0.2], [-0.5, 0, 0.1]]",
     {0, SARRUS_GROUND},
     true,
     3,
     {1.2L, 0.1L, -0.1L},
     {{0.5L, 0.0L, 0.0L}, {0.0L, 0.5L, 0.2L}, {-0.5L, 0.0L, 0.1L}}},
    {"bodies: [a, b], points: [[0.2, -0.9, 0.1], [1.3, 0.4, -0.6]]",
     {0, 1},
     false,
     2,
     {0.0L, 0.0L, 0.0L},
     {{0.2L, -0.9L, 0.1L}, {1.3L, 0.4L, -0.6L}}},
};
enum { N_SUBJECTS = sizeof subjects / sizeof subjects[0] };

/* The spline: parameters of its points, and second derivatives there. */
typedef struct spline {
    int n;
    bool is_closed;
    long double s[MAX_POINTS + 1], at[3][MAX_POINTS + 1], bend[3][MAX_POINTS + 1];
} spline;

static spline spline_make(const subject *of) {
    spline out = {.n = of->is_closed ? of->n + 1 : of->n, .is_closed = of->is_closed};
    for (int i = 0; i < out.n; ++i) {
        long double chord2 = 0.0L;
        for (int k = 0; k < 3; ++k) {
            out.at[k][i] = of->points[i % of->n][k];
            chord2 += i > 0 ? (out.at[k][i] - out.at[k][i - 1]) * (out.at[k][i] - out.at[k][i - 1]) : 0.0L;
        }
        out.s[i] = i > 0 ? out.s[i - 1] + sqrtl(chord2) : 0.0L;
    }
    const int m = of->is_closed ? of->n : out.n;
    for (int k = 0; k < 3; ++k) {
        long double a[MAX_POINTS * MAX_POINTS] = {0.0L};
        for (int i = 0; i < m; ++i) {
            if (!of->is_closed && (i == 0 || i == m - 1)) {
                a[i * m + i] = 1.0L;
                out.bend[k][i] = 0.0L;
                continue;
            }
            const int before = (i + m - 1) % m, after = (i + 1) % m;
            const long double left = out.s[before + 1] - out.s[before], right = out.s[i + 1] - out.s[i];
            a[i * m + before] += left / 6.0L;
            a[i * m + i] += (left + right) / 3.0L;
            a[i * m + after] += right / 6.0L;
            out.bend[k][i] = (out.at[k][after] - out.at[k][i]) / right - (out.at[k][i] - out.at[k][before]) / left;
        }
        assert_true(spatial_reference_eliminate(m, a, out.bend[k]));
        if (of->is_closed)
            out.bend[k][m] = out.bend[k][0];
    }
    return out;
}

/* The piece that holds s; −1 and n − 1 are what goes on beyond the ends of an open curve. */
static int piece_of(const spline *c, long double s) {
    if (!c->is_closed && s < 0.0L)
        return -1;
    if (!c->is_closed && s > c->s[c->n - 1])
        return c->n - 1;
    int i = 0;
    while (i < c->n - 2 && s >= c->s[i + 1])
        ++i;
    return i;
}

/* c and two derivatives by the polynomial of a piece, wherever s is. */
static void spline_at(const spline *c, int piece, long double s, long double out[3][3]) {
    const bool is_beyond = piece < 0 || piece == c->n - 1;
    const int i = piece < 0 ? 0 : piece == c->n - 1 ? c->n - 2 : piece;
    const long double on = !is_beyond ? s : piece < 0 ? 0.0L : c->s[c->n - 1];
    const long double h = c->s[i + 1] - c->s[i], b = (on - c->s[i]) / h, a = 1.0L - b;
    for (int k = 0; k < 3; ++k) {
        const long double *y = c->at[k] + i, left = c->bend[k][i], right = c->bend[k][i + 1];
        out[0][k] = a * y[0] + b * y[1] + ((a * a * a - a) * left + (b * b * b - b) * right) * h * h / 6.0L;
        out[1][k] = (y[1] - y[0]) / h + ((1.0L - 3.0L * a * a) * left + (3.0L * b * b - 1.0L) * right) * h / 6.0L;
        out[2][k] = is_beyond ? 0.0L : a * left + b * right;
        out[0][k] += is_beyond ? out[1][k] * (s - on) : 0.0L;
    }
}

/* The point in the frame of the curve's body. */
static void point_at(const subject *of, const double *q, const double *v, long double t, long double u[3]) {
    long double r[2][3], a[2][3][3], d[3];
    for (int side = 0; side < 2; ++side)
        steady_pose(q, v, of->body[side], t, r[side], a[side]);
    for (int k = 0; k < 3; ++k)
        d[k] = r[1][k] + steady_dot(a[1][k], of->point) - r[0][k];
    for (int k = 0; k < 3; ++k)
        u[k] = a[0][0][k] * d[0] + a[0][1][k] * d[1] + a[0][2][k] * d[2];
}

/* Newton's method from s on one piece. */
static long double foot_near(const spline *c, int piece, const long double u[3], long double s) {
    for (int i = 0; i < 60; ++i) {
        long double x[3][3], d[3];
        spline_at(c, piece, s, x);
        for (int k = 0; k < 3; ++k)
            d[k] = u[k] - x[0][k];
        s += steady_dot(x[1], d) / (steady_dot(x[1], x[1]) - steady_dot(x[2], d));
    }
    return s;
}

/* The nearest foot, with the piece that it is on. */
static long double foot_of(const spline *c, const long double u[3], int *piece) {
    enum { PLACES = 400 };
    const long double length = c->s[c->n - 1], margin = c->is_closed ? 0.0L : length;
    long double best = 0.0L, least = INFINITY;
    for (int i = 0; i <= 3 * PLACES; ++i) {
        const long double s = -margin + (length + 2.0L * margin) * i / (3 * PLACES);
        long double x[3][3], d[3];
        spline_at(c, piece_of(c, s), s, x);
        for (int k = 0; k < 3; ++k)
            d[k] = u[k] - x[0][k];
        best = steady_dot(d, d) < least ? s : best;
        least = fminl(steady_dot(d, d), least);
    }
    for (int i = 0; i < 8; ++i) { /* onto its piece, round a closed curve */
        *piece = piece_of(c, best);
        best = foot_near(c, *piece, u, best);
        best = c->is_closed ? best - length * floorl(best / length) : best;
    }
    return best;
}

/* Φ_k after a time: the normals at t = 0 are turned with the tangent by the least turn, which differs from one without a turn about
 * the tangent in the third order only. */
static void errors_at(const subject *of, const spline *c, const double *q, const double *v, long double t, int piece,
                      long double s0, long double (*const normal)[3], long double phi[2]) {
    long double u[3], start[3][3], x[3][3], axis[3], once[3], twice[3];
    spline_at(c, piece, s0, start);
    point_at(of, q, v, t, u);
    spline_at(c, piece, foot_near(c, piece, u, s0), x);
    const long double size = sqrtl(steady_dot(start[1], start[1]) * steady_dot(x[1], x[1])),
                      cosine = steady_dot(start[1], x[1]) / size;
    steady_cross(start[1], x[1], axis);
    for (int k = 0; k < 3; ++k)
        axis[k] /= size;
    for (int i = 0; i < 2; ++i) {
        steady_cross(axis, normal[i], once);
        steady_cross(axis, once, twice);
        phi[i] = 0.0L;
        for (int k = 0; k < 3; ++k)
            phi[i] += (normal[i][k] + once[k] + twice[k] / (1.0L + cosine)) * (u[k] - x[0][k]);
    }
}

/* First and second derivative of Φ by the time, by differences of the fourth order with h = 1e-4: of round-off 1e-19/h² = 1e-11. */
static void derivatives_at(const subject *of, const spline *c, const double *q, const double *v, int piece, long double s0,
                           long double (*const normal)[3], long double out[3][2]) {
    static const long double first[] = {1.0L, -8.0L, 8.0L, -1.0L}, second[] = {-1.0L, 16.0L, 16.0L, -1.0L};
    static const int steps[] = {-2, -1, 1, 2};
    const long double h = 1e-4L;
    errors_at(of, c, q, v, 0.0L, piece, s0, normal, out[0]);
    for (int k = 0; k < 2; ++k) {
        out[1][k] = 0.0L;
        out[2][k] = -30.0L * out[0][k] / (12.0L * h * h);
    }
    for (int i = 0; i < N_STENCIL; ++i) {
        long double phi[2];
        errors_at(of, c, q, v, steps[i] * h, piece, s0, normal, phi);
        for (int k = 0; k < 2; ++k) {
            out[1][k] += first[i] * phi[k] / (12.0L * h);
            out[2][k] += second[i] * phi[k] / (12.0L * h * h);
        }
    }
}

static void assert_close(const subject *of, const char *what, int i, long double found, long double expected, double bound) {
    if (!(fabsl(found - expected) <= bound))
        fail_msg("%.60s: %s %d: %.17Lg instead of %.17Lg, off by %.2Le > %.1e", of->text, what, i, found, expected,
                 fabsl(found - expected), bound);
}

static mechanism subject_open(const subject *of, const char *formulation) {
    char text[TEXT_SIZE];
    assert_true((size_t)snprintf(text, sizeof text,
                                 "sarrus: 1\nspace: spatial\nbodies:\n"
                                 "  - {name: a, mass: 1.3, inertia: [0.4, 0.5, 0.3, 0.02, 0, 0.01], position: [0.3, 0.5, -0.2], "
                                 "orientation: {bryant: [0.2, 0.4, 1]}}\n"
                                 "  - {name: b, mass: 0.7, inertia: [0.2, 0.3, 0.25], position: [-0.2, 0.1, 0.3]}\njoints: []\n"
                                 "constraints: [{name: c, type: curve, %s}]\ndynamics: {formulation: %s}\n"
                                 "integrator: {method: rk4, dt: 1e-3, t_end: 1}\n",
                                 of->text, formulation) < sizeof text);
    mechanism m = mechanism_open_text(text, NULL);
    assert_int_equal(m.n, N_V);
    assert_int_equal(m.m, 2);
    assert_int_equal(m.plan->parts.n_loops, 0); /* of joints, of which there are none */
    return m;
}

/* Near the curve, by a tenth of its bends, or on it. */
static void draw_state(const subject *of, const spline *c, bool is_on, uint64_t *seed, double q[N_Q], double v[N_V]) {
    long double u[3], x[3][3], shift[3], r[3], a[3][3];
    int piece;
    for (int i = 0; i < N_Q; ++i)
        q[i] = mechanism_random(seed);
    for (int i = 0; i < N_V; ++i)
        v[i] = 2.0 * mechanism_random(seed);
    for (int b = 0; b < 2; ++b) {
        double *p = q + 7 * b + 3, size = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]);
        for (int k = 0; k < 4; ++k)
            p[k] /= size;
    }
    point_at(of, q, v, 0.0L, u);
    spline_at(c, (foot_of(c, u, &piece), piece), foot_of(c, u, &piece), x);
    steady_pose(q, v, of->body[0], 0.0L, r, a);
    for (int k = 0; k < 3; ++k)
        shift[k] = x[0][k] - u[k] + (is_on ? 0.0 : 0.02 * mechanism_random(seed));
    for (int k = 0; k < 3; ++k) { /* the other body follows */
        const double way = (double)steady_dot(a[k], shift);
        if (of->body[1] >= 0)
            q[7 * of->body[1] + k] += way;
        else
            q[7 * of->body[0] + k] -= way;
    }
}

/* The numbers of one state against the definition, with the kernels' normals. */
static void state_check(const subject *of, const spline *c, const double *q, const double *v, const spatial_numbers *at) {
    long double normal[2][3], r[3], a[3][3], x[3][3], u[3], at_state[3][2];
    int piece;
    const int side = of->body[1] >= 0 ? 1 : 0;
    point_at(of, q, v, 0.0L, u);
    const long double s = foot_of(c, u, &piece);
    spline_at(c, piece, s, x);
    steady_pose(q, v, of->body[0], 0.0L, r, a);
    for (int i = 0; i < 2; ++i) {
        const double *e = at->jacobian + i * N_V + 6 * of->body[side];
        for (int k = 0; k < 3; ++k)
            normal[i][k] = (side ? 1.0L : -1.0L) * (a[0][k] * e[0] + a[1][k] * e[1] + a[2][k] * e[2]);
    }
    const double unit = 64.0 * DBL_EPSILON, rate = 1.0 + 4.0 * mechanism_size(v, N_V);
    for (int i = 0; i < 2; ++i) {
        assert_close(of, "normal along the tangent", i, steady_dot(normal[i], x[1]) / sqrtl(steady_dot(x[1], x[1])), 0.0L, unit);
        assert_close(of, "length of normal", i, steady_dot(normal[i], normal[i]), 1.0L, unit);
    }
    assert_close(of, "product of normals", 0, steady_dot(normal[0], normal[1]), 0.0L, unit);
    /* The spline's bends reach some 10/m: what an error of the foot by round-off does to them. */
    const double size = 3.0, of_rows = 256.0 * DBL_EPSILON * size * 10.0, of_differences = 1e-9;
    derivatives_at(of, c, q, v, piece, s, normal, at_state);
    for (int i = 0; i < 2; ++i) {
        assert_close(of, "Phi", i, at->phi[i], at_state[0][i], of_rows);
        assert_close(of, "rate", i, at->phi_dot[i], at_state[1][i], of_rows * rate + of_differences);
        assert_close(of, "gamma", i, -at->gamma[i], at_state[2][i], rate * rate * (10.0 * of_rows + of_differences));
    }
    for (int j = 0; j < N_V; ++j) {
        double unit_speed[N_V] = {0.0};
        unit_speed[j] = 1.0;
        derivatives_at(of, c, q, unit_speed, piece, s, normal, at_state);
        for (int i = 0; i < 2; ++i) {
            assert_close(of, "J", N_V * i + j, at->jacobian[N_V * i + j], at_state[1][i], of_rows + of_differences);
            assert_close(of, "M^-1 J^T", N_V * i + j, at->push[N_V * i + j], at->weighed[N_V * i + j], 100.0 * of_rows);
        }
    }
    for (int k = 0; k < 4; ++k) {
        double sum = 0.0;
        for (int j = 0; j < N_V; ++j)
            sum += at->dense[N_V * (k / 2) + j] * at->dense[N_V * (k % 2) + j];
        assert_close(of, "S", k, at->gram[2 * (k / 2) + k % 2], sum, 100.0 * of_rows);
    }
    assert_close(of, "|Phi|^2", 0, at->open2, at->phi[0] * at->phi[0] + at->phi[1] * at->phi[1], of_rows);
}

static void rows_are_those_of_the_definition(void **state) {
    (void)state;
    static spatial_numbers at;
    uint64_t seed = 2026;
    for (int i = 0; i < N_SUBJECTS; ++i) {
        const spline c = spline_make(&subjects[i]);
        mechanism m = subject_open(&subjects[i], "udwadia-kalaba");
        spatial_rows *rows = spatial_rows_create(&m);
        for (int n = 0; n < N_STATES; ++n) {
            double q[N_Q], v[N_V];
            draw_state(&subjects[i], &c, n % 2 == 0, &seed, q, v);
            spatial_rows_find(rows, 0.0, q, v, &at);
            state_check(&subjects[i], &c, q, v, &at);
        }
        spatial_rows_destroy(rows);
        mechanism_close(&m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(rows_are_those_of_the_definition)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

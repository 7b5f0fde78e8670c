/* Claim: heavy top, cardan suspension and gyrostat (S3 chapter 4) are where integrals say, without any equation being followed: of
 * motions with one unknown x and dx/dt = sqrt(F(x)) between two roots of F, the period and what the other angles gain in it are
 * integrals over x. Turning points, directions and speeds agree at every half period, for ten of them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/motion.h"

/* What is promised; the integrators run at 1e-13. */
static const double BOUND = 1e-9;
static const char *const TIGHT[] = {"method: verner65, rtol: 1e-13, atol: 1e-15", "method: dopri5, rtol: 1e-13, atol: 1e-15"};
enum { N_TIGHT = sizeof TIGHT / sizeof TIGHT[0], PER_PERIOD = 40, N_PERIODS = 10, N_ROWS = PER_PERIOD * N_PERIODS + 1 };

static void worse(double *worst, long double off) {
    *worst = fabsl(off) <= *worst ? *worst : (double)fabsl(off); /* NaN comes through */
}

static void within(const char *what, double found, double bound) {
    print_message("  %s: %.1e\n", what, found);
    if (!(found <= bound))
        fail_msg("%s: %.3e, not within %.1e", what, found, bound);
}

/* --- Integrals between two roots ----------------------------------------------------------------------------------------- */

typedef long double (*function_of)(const void *of, long double x);

/* The root of f that comes next from x, where f > 0, in steps of `step`. */
static long double root_from(function_of f, const void *of, long double x, long double step) {
    long double inside = x, outside = x + step;
    for (int i = 0; i < 100000 && f(of, outside) > 0.0L; ++i) {
        inside = outside;
        outside += step;
    }
    assert_true(f(of, outside) <= 0.0L);
    for (int i = 0; i < 200; ++i) {
        const long double middle = 0.5L * (inside + outside);
        if (f(of, middle) > 0.0L)
            inside = middle;
        else
            outside = middle;
    }
    return 0.5L * (inside + outside);
}

/* The integral of g dx/sqrt(F) between the roots a < b of F, simple ones: x = (a + b)/2 - (b - a)/2 cos s makes it one of a smooth
 * periodic function, for which the rule of middles converges as fast as any. */
static long double integral_between(function_of f, function_of g, const void *of, long double a, long double b) {
    enum { N = 400 };
    const long double pi = acosl(-1.0L);
    long double sum = 0.0L;
    for (int i = 0; i < N; ++i) {
        const long double s = pi * ((long double)i + 0.5L) / N, x = 0.5L * (a + b) - 0.5L * (b - a) * cosl(s);
        sum += g(of, x) * 0.5L * (b - a) * sinl(s) / sqrtl(f(of, x));
    }
    return sum * pi / N;
}

static long double one(const void *of, long double x) {
    (void)of;
    (void)x;
    return 1.0L;
}

/* An integral that is known: of dx/sqrt((x - 1)(3 - x)(x + 2)) is 2/sqrt(5) K(sqrt(2/5)). */
static long double cubic(const void *of, long double x) {
    (void)of;
    return (x - 1.0L) * (3.0L - x) * (x + 2.0L);
}

static long double elliptic_k(long double k) {
    long double a = 1.0L, b = sqrtl(1.0L - k * k);
    for (int i = 0; i < 10; ++i) {
        const long double mean = 0.5L * (a + b);
        b = sqrtl(a * b);
        a = mean;
    }
    return acosl(-1.0L) / (2.0L * a);
}

static void the_rule_finds_an_elliptic_integral(void **state) {
    (void)state;
    const long double a = root_from(cubic, NULL, 2.0L, -0.01L), b = root_from(cubic, NULL, 2.0L, 0.01L);
    const long double found = integral_between(cubic, one, NULL, a, b), wanted = 2.0L / sqrtl(5.0L) * elliptic_k(sqrtl(0.4L));
    within("against K", (double)fabsl(found - wanted), 1e-15);
}

/* --- The heavy top and the cardan suspension ----------------------------------------------------------------------------- */

/* x = cos(theta) of the tilt from the vertical: with Euler's angles psi, theta, phi, p_psi and p_phi stay, and
 * theta'^2 inertia/2 = energy - (p_psi - p_phi x)^2/2D - weight x, D = d0 + d1 (1 - x^2). */
typedef struct top {
    long double d0, d1, inertia, axial; /* kg m² */
    long double p_psi, p_phi, weight;   /* kg m²/s, J */
    long double energy;                 /* J */
} top;

static long double psi_rate(const void *of, long double x) {
    const top *b = of;
    return (b->p_psi - b->p_phi * x) / (b->d0 + b->d1 * (1.0L - x * x));
}

static long double phi_rate(const void *of, long double x) {
    const top *b = of;
    return b->p_phi / b->axial - psi_rate(of, x) * x;
}

static long double top_square(const void *of, long double x) {
    const top *b = of;
    const long double left = b->energy - 0.5L * (b->p_psi - b->p_phi * x) * psi_rate(of, x) - b->weight * x;
    return 2.0L / b->inertia * left * (1.0L - x * x);
}

/* Rz(psi) Rx(theta) Rz(phi) */
static void euler_matrix(long double psi, long double theta, long double phi, long double out[3][3]) {
    const long double cs = cosl(psi), ss = sinl(psi), ct = cosl(theta), st = sinl(theta), cf = cosl(phi), sf = sinl(phi);
    const long double matrix[3][3] = {{cs * cf - ss * ct * sf, -cs * sf - ss * ct * cf, ss * st},
                                      {ss * cf + cs * ct * sf, -ss * sf + cs * ct * cf, -cs * st},
                                      {st * sf, st * cf, ct}};
    memcpy(out, matrix, sizeof matrix);
}

static void matrix_compare(const double p[4], long double expected[3][3], double *worst) {
    double found[3][3];
    motion_matrix(p, found);
    for (int i = 0; i < 9; ++i)
        worse(worst, (long double)found[i / 3][i % 3] - expected[i / 3][i % 3]);
}

/* From rest of the tilt at `theta`; bodies that turn by psi, by psi and theta, by all three (−1: there is none). */
static void check_top(const char *file, top b, long double theta, const int i_bodies[3]) {
    const long double x0 = cosl(theta);
    b.energy = 0.0L;
    b.energy = -top_square(&b, x0) * b.inertia / 2.0L / (1.0L - x0 * x0);
    const long double step = top_square(&b, x0 - 1e-6L) > 0.0L ? -1e-4L : 1e-4L;
    const long double x1 = root_from(top_square, &b, x0 + 0.01L * step, step), a = fminl(x0, x1), c = fmaxl(x0, x1);
    const long double half = integral_between(top_square, one, &b, a, c), psi = integral_between(top_square, psi_rate, &b, a, c),
                      phi = integral_between(top_square, phi_rate, &b, a, c);
    for (int i = 0; i < N_TIGHT; ++i) {
        const motion_times times = {TIGHT[i], (double)(2.0L * half / PER_PERIOD), N_ROWS, 1, 0};
        motion m = motion_of_file(file, NULL, &times);
        double worst = 0.0;
        print_message("%s, %s: a period is %.6Lf s, the tilt goes from %.4Lf to %.4Lf\n", file, TIGHT[i], 2.0L * half, theta,
                      acosl(x1));
        assert_true(fabsl(acosl(x1) - theta) > 0.02L); /* or nothing was tried */
        for (int k = 0; k <= 2 * N_PERIODS; ++k)
            for (int turns = 0; turns < 3; ++turns) {
                long double matrix[3][3];
                euler_matrix(psi * k, turns < 1 ? 0.0L : acosl(k % 2 ? x1 : x0), turns < 2 ? 0.0L : phi * k, matrix);
                if (i_bodies[turns] >= 0)
                    matrix_compare(motion_body(&m, (size_t)(k * PER_PERIOD / 2), i_bodies[turns]) + 3, matrix, &worst);
            }
        within("direction cosines", worst, BOUND);
        motion_free(&m);
    }
}

static void heavy_top_is_where_its_integrals_say(void **state) {
    (void)state;
    const long double inertia = 1.0e-3L + 0.5L * 0.1L * 0.1L, p_phi = 8.0e-4L * 150.0L;
    const top b = {.d1 = inertia,
                   .inertia = inertia,
                   .axial = 8.0e-4L,
                   .p_psi = p_phi * cosl(0.6L),
                   .p_phi = p_phi,
                   .weight = 0.5L * 9.81L * 0.1L};
    check_top("heavy_top.yaml", b, 0.6L, (const int[]){-1, -1, 0});
}

static void cardan_suspension_is_where_its_integrals_say(void **state) {
    (void)state;
    const long double theta = 0.5L, turn = 0.8L, rotor = 1.1e-3L + 0.6L * 0.05L * 0.05L;
    top b = {.d0 = 1.2e-3L + 0.9e-3L, .d1 = 0.8e-3L + rotor - 0.9e-3L, .inertia = 1.0e-3L + rotor, .axial = 2.0e-3L};
    b.p_phi = b.axial * (60.0L + turn * cosl(theta));
    b.p_psi = (b.d0 + b.d1 * sinl(theta) * sinl(theta)) * turn + b.p_phi * cosl(theta);
    b.weight = 0.6L * 9.81L * 0.05L;
    check_top("cardan_suspension.yaml", b, theta, (const int[]){0, 1, 2});
}

/* --- The gyrostat -------------------------------------------------------------------------------------------------------- */

/* With the flywheel along axis 2, x is the carrier's speed about it: energy and angular momentum give the squares of the other two,
 * and x'^2 = ((C - A)/B)^2 w1^2 w3^2. */
typedef struct gyrostat {
    long double a, b, c, rotor;      /* kg m², kg m²/s */
    long double twice, square, spin; /* 2 T, L^2, L */
} gyrostat;

static long double square_1(const void *of, long double x) {
    const gyrostat *g = of;
    const long double l = g->b * x + g->rotor;
    return (g->square - l * l - g->c * (g->twice - g->b * x * x)) / (g->a * (g->a - g->c));
}

static long double square_3(const void *of, long double x) {
    const gyrostat *g = of;
    const long double l = g->b * x + g->rotor;
    return (g->square - l * l - g->a * (g->twice - g->b * x * x)) / (g->c * (g->c - g->a));
}

static long double gyrostat_square(const void *of, long double x) {
    const gyrostat *g = of;
    return (g->c - g->a) * (g->c - g->a) / (g->b * g->b) * square_1(of, x) * square_3(of, x);
}

/* Of axis 2 about the angular momentum. */
static long double precession(const void *of, long double x) {
    const gyrostat *g = of;
    const long double s1 = square_1(of, x), s3 = square_3(of, x);
    return g->spin * (g->a * s1 + g->c * s3) / (g->a * g->a * s1 + g->c * g->c * s3);
}

/* The body's axes at row k: what they were at t = 0, turned by `angle` about the angular momentum. */
static void compare_turned(const motion *m, size_t k, const gyrostat *g, long double angle, double *worst) {
    double a0[3][3], a[3][3], axis[3];
    const double *w = m->v + 3, l[3] = {(double)g->a * w[0], (double)(g->b * w[1] + g->rotor), (double)g->c * w[2]};
    const double c = (double)cosl(angle), s = (double)sinl(angle);
    motion_matrix(motion_body(m, 0, 0) + 3, a0);
    motion_matrix(motion_body(m, k, 0) + 3, a);
    for (int i = 0; i < 3; ++i)
        axis[i] = (a0[i][0] * l[0] + a0[i][1] * l[1] + a0[i][2] * l[2]) / (double)g->spin;
    for (int j = 0; j < 3; ++j) {
        const double along = axis[0] * a0[0][j] + axis[1] * a0[1][j] + axis[2] * a0[2][j];
        for (int i = 0; i < 3; ++i) {
            const int x = (i + 1) % 3, y = (i + 2) % 3;
            worse(worst, c * a0[i][j] + (1.0 - c) * along * axis[i] + s * (axis[x] * a0[y][j] - axis[y] * a0[x][j]) - a[i][j]);
        }
    }
}

/* Speeds 1 and 3 change their signs once each while x goes there and back: a period is two of x. */
static void gyrostat_is_where_its_integrals_say(void **state) {
    (void)state;
    static const long double w[3] = {0.4L, 3.0L, 0.2L};
    gyrostat g = {.a = 0.3L, .b = 0.5L, .c = 0.7L, .rotor = 1.5L};
    const long double l[3] = {g.a * w[0], g.b * w[1] + g.rotor, g.c * w[2]};
    g.twice = g.a * w[0] * w[0] + g.b * w[1] * w[1] + g.c * w[2] * w[2];
    g.square = l[0] * l[0] + l[1] * l[1] + l[2] * l[2];
    g.spin = sqrtl(g.square);
    const long double low = root_from(gyrostat_square, &g, w[1], -1e-4L), high = root_from(gyrostat_square, &g, w[1], 1e-4L);
    const long double there_and_back = 2.0L * integral_between(gyrostat_square, one, &g, low, high),
                      angle = 2.0L * integral_between(gyrostat_square, precession, &g, low, high);
    assert_true((fabsl(square_1(&g, low)) < 1e-9L) != (fabsl(square_1(&g, high)) < 1e-9L));
    for (int i = 0; i < N_TIGHT; ++i) {
        const sarrus_override overrides[] = {{"bodies.carrier.orientation", "{euler: [0.4, 0.8, -0.5]}"}, {NULL, NULL}};
        const motion_times times = {TIGHT[i], (double)(2.0L * there_and_back / PER_PERIOD), N_ROWS, 1, 0};
        motion m = motion_of_file("gyrostat.yaml", overrides, &times);
        double speed = 0.0, turn = 0.0, least = 9.0, most = 0.0;
        for (size_t k = 0; k < N_ROWS; ++k) {
            least = fmin(least, m.v[6 * k + 4]);
            most = fmax(most, m.v[6 * k + 4]);
        }
        for (int k = 0; k <= 2 * N_PERIODS; ++k) {
            const size_t row = (size_t)(k * PER_PERIOD / 2);
            for (int c = 0; c < 3; ++c)
                worse(&speed, m.v[6 * row + 3 + (size_t)c] - (k % 2 && c != 1 ? -w[c] : w[c]));
            if (k % 2 == 0)
                compare_turned(&m, row, &g, angle * k, &turn);
        }
        print_message("gyrostat, %s: a period is %.6Lf s, x from %.5Lf to %.5Lf\n", TIGHT[i], 2.0L * there_and_back, low, high);
        assert_true(least >= (double)low - BOUND && most <= (double)high + BOUND && most - least > 0.9 * (double)(high - low));
        within("angular velocity, rad/s", speed, BOUND);
        within("direction cosines", turn, BOUND);
        motion_free(&m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_rule_finds_an_elliptic_integral),
        cmocka_unit_test(heavy_top_is_where_its_integrals_say),
        cmocka_unit_test(cardan_suspension_is_where_its_integrals_say),
        cmocka_unit_test(gyrostat_is_where_its_integrals_say),
    };
    return cmocka_run_group_tests_name("physics.spatial_quadratures", tests, NULL, NULL);
}

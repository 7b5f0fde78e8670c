/* Claim: the oracles are right. Closed forms against known values and against each other; the dense reference against the
 * closed forms, against published numbers, and against its own invariants. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/closed_form.h"
#include "tests/support/mechanism.h"
#include "tests/tolerances.h"

static void assert_near(long double value, long double expected, long double tolerance, const char *what) {
    if (!(fabsl(value - expected) <= tolerance)) {
        fail_msg("%s: %.18Lg instead of %.18Lg, off by %.3Lg > %.3Lg", what, value, expected, fabsl(value - expected), tolerance);
    }
}

static void elliptic_functions_have_their_known_values(void **state) {
    (void)state;
    const long double half_pi = acosl(0.0L), k = sqrtl(0.5L);
    /* K(1/sqrt 2) = Gamma(1/4)^2 / (4 sqrt pi); Abramowitz and Stegun 17.3: F(pi/6, sin 30 deg) = 0.5294286270519 */
    assert_near(closed_form_elliptic_k(k), 1.854074677301371918433850347L, TOLERANCE_ELLIPTIC, "K");
    assert_near(closed_form_elliptic_k(0.0L), half_pi, TOLERANCE_ELLIPTIC, "K(0)");
    assert_near(closed_form_elliptic_f(half_pi, k), closed_form_elliptic_k(k), TOLERANCE_ELLIPTIC, "F(pi/2)");
    assert_near(closed_form_elliptic_f(half_pi / 3.0L, 0.5L), 0.529428627051906L, 1e-14L, "F(pi/6)");
    assert_near(closed_form_elliptic_f(0.7L, 0.0L), 0.7L, TOLERANCE_ELLIPTIC, "F(k = 0)");
    for (int i = 1; i < 20; ++i) {
        long double modulus = 0.05L * (long double)i;
        long double complement = sqrtl(1.0L - modulus * modulus), quarter = closed_form_elliptic_k(modulus);
        /* sn(K/2) = 1/sqrt(1 + k'), am(K) = pi/2, am(F(phi)) = phi, am(u + 2K) = am(u) + pi */
        assert_near(sinl(closed_form_amplitude(0.5L * quarter, modulus)), 1.0L / sqrtl(1.0L + complement), TOLERANCE_ELLIPTIC,
                    "sn(K/2)");
        assert_near(closed_form_amplitude(quarter, modulus), half_pi, TOLERANCE_ELLIPTIC, "am(K)");
        long double phi = -1.5L + 0.15L * (long double)i;
        assert_near(closed_form_amplitude(closed_form_elliptic_f(phi, modulus), modulus), phi, TOLERANCE_ELLIPTIC, "am(F)");
        assert_near(closed_form_amplitude(0.3L + 20.0L * quarter, modulus), closed_form_amplitude(0.3L, modulus) + 20.0L * half_pi,
                    100.0L * TOLERANCE_ELLIPTIC, "am(u + 20 K)");
    }
}

/* Start angle, speed: small, 45 degrees, 90 degrees, moving up and down, turning over both ways, from the top. */
static const long double STARTS[][2] = {{0.01L, 0.0L},
                                        {0.7853981633974483L, 0.0L},
                                        {1.5707963267948966L, 0.0L},
                                        {-1.0L, 2.0L},
                                        {1.0L, -3.0L},
                                        {0.5L, 9.0L},
                                        {0.5L, -9.0L},
                                        {3.1415926535897932385L, -1.0L},
                                        {6.5L, 0.5L}};

static void pendulum_satisfies_its_equation(void **state) {
    (void)state;
    const long double omega_squared = 11.25L;
    for (size_t i = 0; i < sizeof STARTS / sizeof STARTS[0]; ++i) {
        closed_form_pendulum p = closed_form_pendulum_create(omega_squared, STARTS[i][0], STARTS[i][1]);
        long double phi, speed, energy0 = 0.5L * STARTS[i][1] * STARTS[i][1] - omega_squared * cosl(STARTS[i][0]);
        closed_form_pendulum_state(&p, 0.0L, &phi, &speed);
        assert_near(phi, STARTS[i][0], TOLERANCE_ELLIPTIC, "phi(0)");
        assert_near(speed, STARTS[i][1], 10.0L * TOLERANCE_ELLIPTIC, "speed(0)");
        for (int k = 0; k <= 40; ++k) {
            long double t = 0.5L * (long double)k, h = 1e-3L, before, after, unused;
            closed_form_pendulum_state(&p, t, &phi, &speed);
            assert_near(0.5L * speed * speed - omega_squared * cosl(phi), energy0, 1000.0L * TOLERANCE_ELLIPTIC, "energy");
            /* central differences of step h: truncation h^2/12 phi'''' with phi'''' below 2 omega^4 + omega^2 speed^2 */
            closed_form_pendulum_state(&p, t - h, &before, &unused);
            closed_form_pendulum_state(&p, t + h, &after, &unused);
            long double fourth = 2.0L * omega_squared * omega_squared + omega_squared * speed * speed;
            assert_near((after - 2.0L * phi + before) / (h * h), -omega_squared * sinl(phi), h * h * fourth, "phi''");
            assert_near((after - before) / (2.0L * h), speed, h * h * fourth, "phi'");
        }
    }
}

static void pendulum_has_its_period(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof STARTS / sizeof STARTS[0]; ++i) {
        closed_form_pendulum p = closed_form_pendulum_create(11.25L, STARTS[i][0], STARTS[i][1]);
        long double phi, speed, period = closed_form_pendulum_period(&p);
        long double turned = p.is_turning ? 4.0L * acosl(0.0L) * (long double)p.direction : 0.0L;
        closed_form_pendulum_state(&p, period, &phi, &speed);
        assert_near(phi, STARTS[i][0] + turned, 100.0L * TOLERANCE_ELLIPTIC, "phi(T)");
        assert_near(speed, STARTS[i][1], 1000.0L * TOLERANCE_ELLIPTIC, "speed(T)");
    }
    /* small swings: T = 2 pi/omega (1 + phi0^2/16 + 11 phi0^4/3072) */
    closed_form_pendulum small = closed_form_pendulum_create(4.0L, 0.01L, 0.0L);
    long double expected = 2.0L * acosl(0.0L) * (1.0L + 1e-4L / 16.0L + 11.0L * 1e-8L / 3072.0L);
    assert_near(closed_form_pendulum_period(&small), expected, 1e-14L, "small period");
}

static void slider_crank_rates_are_derivatives(void **state) {
    (void)state;
    const double h = 1e-4, rate = 3.0, acceleration = -2.0;
    for (int k = 0; k < 12; ++k) {
        double x[3][3], rod[3][3];
        for (int side = -1; side <= 1; ++side) {
            double t = h * side,
                   theta[3] = {0.5 * k + rate * t + 0.5 * acceleration * t * t, rate + acceleration * t, acceleration};
            closed_form_slider_crank(0.3, 1.0, theta, x[side + 1], rod[side + 1]);
        }
        /* h^2/6 of a third derivative below 0.3 * 3^3 * 4 = 32 -> 6e-8; round-off of second differences 1e-16/h^2 = 1e-8 */
        assert_near((x[2][0] - x[0][0]) / (2.0 * h), x[1][1], 1e-6, "slider speed");
        assert_near((x[2][1] - x[0][1]) / (2.0 * h), x[1][2], 1e-6, "slider acceleration");
        assert_near((rod[2][0] - rod[0][0]) / (2.0 * h), rod[1][1], 1e-6, "rod speed");
        assert_near((rod[2][1] - rod[0][1]) / (2.0 * h), rod[1][2], 1e-6, "rod acceleration");
        assert_near(0.3 * sin(0.5 * k) + sin(rod[1][0]), 0.0, 1e-15, "loop closes");
    }
}

/* Runs the reference with projection after every step and returns the largest angle error of body 0. */
static double five_bar_error(const char *file, double dt, double t_end, double rank_tolerance, double phi0, double *parting) {
    mechanism m = mechanism_open_file(file, NULL);
    double q[12], v[12], worst = 0.0;
    memcpy(q, m.ref->q0, sizeof q);
    memcpy(v, m.ref->v0, sizeof v);
    closed_form_pendulum p = closed_form_pendulum_create(3.5L * 9.81L / 3.05L, phi0, 0.0L);
    *parting = 0.0;
    int n_steps = (int)lround(t_end / dt);
    for (int i = 0; i < n_steps; ++i) {
        long double phi, speed;
        assert_true(reference_rk4(m.ref, i * dt, dt, 1, rank_tolerance, q, v));
        assert_true(reference_project(m.ref, (i + 1) * dt, rank_tolerance, q, v) < 1e-12);
        closed_form_pendulum_state(&p, (long double)(i + 1) * (long double)dt, &phi, &speed);
        worst = fmax(worst, fabs((double)(q[2] - phi)));
        *parting = fmax(*parting, fmax(fabs(q[5] - q[2]), fmax(fabs(q[8] - q[2]), fabs(q[11]))));
    }
    mechanism_close(&m);
    return worst;
}

/* The stages of RK4 leave the manifold by h^2 w^2/8 = 1e-5 at h = 4e-3, and the redundant singular value with it: the cut
 * must lie above. RK4's error is 5e-11 at h = 1e-3 in 20 s; 256 times that for 4 times the step, a tenth for the time. */
static void reference_follows_the_five_bar(void **state) {
    (void)state;
    double parting;
    assert_near(five_bar_error("five_bar.yaml", 4e-3, 2.0, 1e-3, 0.7853981633974483, &parting), 0.0, 4e-9, "45 degrees");
    assert_true(parting <= TOLERANCE_PARALLEL);
    assert_near(five_bar_error("five_bar_singular.yaml", 4e-3, 2.0, 1e-4, 1.5707963267948966, &parting), 0.0, 2e-8, "90 degrees");
    assert_true(parting <= TOLERANCE_PARALLEL);
}

static void reference_follows_andrews(void **state) {
    (void)state;
    mechanism m = mechanism_open_file("andrews.yaml", NULL);
    double q[21], v[21], dt = 1e-5, torque = 0.033, rank_tolerance = 1e-12;
    memcpy(q, m.ref->q0, sizeof q);
    memcpy(v, m.ref->v0, sizeof v);
    assert_int_equal(reference_rank(m.ref, 0.0, q, 1e-9), 20);
    assert_near(reference_energy(m.ref, 0.0, q, v) - torque * q[2], 1.437832957532140, 1e-14, "invariant at 0");
    assert_true(reference_rk4(m.ref, 0.0, dt, 3000, rank_tolerance, q, v));
    /* at dt = 1e-5 RK4 is off by 6e-9 rad; the invariant by 5e-6 rad/s of 1e3 rad/s in the crank's share, 3e-9 J */
    const double bound = 1e-8;
    assert_near(q[2], 15.810771195153, bound, "beta");
    assert_near(q[5] - q[2], -15.756371058411, 2.0 * bound, "Theta");
    assert_near(q[8], 0.0408222401196, bound, "gamma");
    assert_near(q[14], 0.52440996587995, bound, "delta");
    assert_near(q[20], 1.04808074104194, bound, "epsilon");
    assert_near(reference_energy(m.ref, 0.03, q, v) - torque * q[2], 1.437832957532140, 1e-7, "invariant");
    mechanism_close(&m);
}

/* M a + J^T lambda = F, J a = gamma, and lambda has no part in the null space of J^T. */
static void reference_solves_its_equations(void **state) {
    (void)state;
    mechanism m = mechanism_open_file("five_bar.yaml", NULL);
    double v[12], a[12], lambda[12], phi_dot[12], gamma[12], jacobian[144], force[12];
    for (int i = 0; i < 4; ++i) { /* the one free motion at 2 rad/s */
        double *w = v + 3 * i, arm = i < 3 ? 0.5 : 1.0;
        w[0] = 2.0 * arm * cos(0.7853981633974483);
        w[1] = 2.0 * arm * sin(0.7853981633974483);
        w[2] = i < 3 ? 2.0 : 0.0;
    }
    reference_spectrum spectrum;
    assert_true(reference_accelerations(m.ref, 0.0, m.ref->q0, v, 1e-10, a, lambda, &spectrum));
    assert_int_equal(spectrum.rank, 23);
    assert_int_equal(reference_rank(m.ref, 0.0, m.ref->q0, 1e-10), 11);
    reference_constraints(m.ref, 0.0, m.ref->q0, v, NULL, phi_dot, gamma, jacobian);
    reference_forces(m.ref, 0.0, m.ref->q0, v, force);
    for (int i = 0; i < 12; ++i) {
        double row = -gamma[i], column = m.ref->mass[i] * a[i] - force[i];
        for (int j = 0; j < 12; ++j) {
            row += jacobian[12 * i + j] * a[j];
            column += jacobian[12 * j + i] * lambda[j];
        }
        assert_near(phi_dot[i], 0.0, 1e-14, "J v");
        assert_near(row, 0.0, 1e-12, "J a - gamma");
        assert_near(column, 0.0, 1e-12, "M a + J^T lambda - F");
    }
    /* the exact acceleration of every crank */
    assert_near(a[2], -3.5 * 9.81 / 3.05 * sin(0.7853981633974483), 1e-12, "phi''");
    /* the redundancy: lengthening the coupler between D, E, F along its line (y rows of A, B, C carry the couple) */
    double weight[12] = {0};
    double c = cos(0.7853981633974483), s = sin(0.7853981633974483);
    const double share[3] = {1.0, -2.0, 1.0};
    for (int k = 0; k < 3; ++k) { /* opposite loads (s, -c) at both ends of each crank, in the balance 1 : -2 : 1 on the coupler */
        weight[2 * k] = share[k] * s;
        weight[2 * k + 1] = -share[k] * c;
        weight[6 + 2 * k] = share[k] * s;
        weight[6 + 2 * k + 1] = -share[k] * c;
    }
    double along = 0.0;
    for (int j = 0; j < 12; ++j) {
        double null = 0.0;
        for (int i = 0; i < 12; ++i) {
            null += weight[i] * jacobian[12 * i + j];
        }
        assert_near(null, 0.0, 1e-14, "w^T J");
        along += weight[j] * lambda[j];
    }
    assert_near(along, 0.0, 1e-12, "w . lambda");
    mechanism_close(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elliptic_functions_have_their_known_values),
        cmocka_unit_test(pendulum_satisfies_its_equation),
        cmocka_unit_test(pendulum_has_its_period),
        cmocka_unit_test(slider_crank_rates_are_derivatives),
        cmocka_unit_test(reference_follows_the_five_bar),
        cmocka_unit_test(reference_follows_andrews),
        cmocka_unit_test(reference_solves_its_equations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

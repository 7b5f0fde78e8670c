/* Claim: the cantilever chain (S3 5.1) moves by S3's equation (5.38) in absolute angles, from an arc in which equations of beams
 * have long been wrong; and linearized, that equation has the lowest frequency of the continuous beam, for which its springs were
 * chosen. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/motion.h"
#include "tests/support/ode.h"
#include "tests/support/spatial_reference.h"

enum { N = 10 };

static const long double LENGTH = 0.1L, MASS = 0.05L, BENDING = 0.05L; /* m, kg, EI in N m² */

static void worse(double *worst, long double off) {
    *worst = fabsl(off) <= *worst ? *worst : (double)fabsl(off); /* NaN comes through */
}

static void within(const char *what, double found, double bound) {
    print_message("  %s: %.1e\n", what, found);
    if (!(found <= bound))
        fail_msg("%s: %.3e, not within %.1e", what, found, bound);
}

static long double stiffness(void) {
    return 1.210454L * BENDING / LENGTH;
}

/* a_ij of (5.38): element b stands at the sum of l u(φ_j) over j < b and l/2 u(φ_b). */
static long double shared(int i, int j) {
    const int later = i > j ? i : j;
    const long double half = i == j ? 0.25L : 0.5L;
    return MASS * LENGTH * LENGTH * (half + (long double)(N - 1 - later)) + (i == j ? MASS * LENGTH * LENGTH / 12.0L : 0.0L);
}

static long double torque(const long double *angle, int i) {
    const long double before = angle[i] - (i ? angle[i - 1] : 0.0L), after = i + 1 < N ? angle[i + 1] - angle[i] : 0.0L;
    return stiffness() * (after - before);
}

static void chain_rates(const long double *y, const void *of, long double *dy) {
    long double a[N * N];
    (void)of;
    for (int i = 0; i < N; ++i) {
        dy[i] = y[N + i];
        dy[N + i] = torque(y, i);
        for (int j = 0; j < N; ++j) {
            a[N * i + j] = shared(i, j) * cosl(y[i] - y[j]);
            dy[N + i] -= shared(i, j) * sinl(y[i] - y[j]) * y[N + j] * y[N + j];
        }
    }
    assert_true(spatial_reference_eliminate(N, a, dy + N));
}

static void the_chain_follows_the_books_equation(void **state) {
    (void)state;
    const motion_times times = {"method: verner65, rtol: 1e-13, atol: 1e-15", 0.01, 101, 1, 0};
    motion m = motion_of_file("cantilever.yaml", NULL, &times);
    long double y[2 * N] = {0};
    double angle = 0.0, center = 0.0, moved = 0.0;
    for (int i = 0; i < N; ++i)
        y[i] = (long double)(i + 1) * 2.0L * acosl(-1.0L) / 30.0L;
    for (size_t k = 0; k < m.n_times; ++k) {
        long double at[2] = {0.0L, 0.0L};
        if (k)
            ode_advance(chain_rates, NULL, 2 * N, 5e-5L, 200, y);
        for (int i = 0; i < N; ++i) {
            const double *q = motion_body(&m, k, i);
            worse(&center, q[0] - at[0] - 0.5L * LENGTH * cosl(y[i]));
            worse(&center, q[1] - at[1] - 0.5L * LENGTH * sinl(y[i]));
            worse(&angle, remainderl(2.0L * atan2l(q[6], q[3]) - y[i], 2.0L * acosl(-1.0L)));
            at[0] += LENGTH * cosl(y[i]);
            at[1] += LENGTH * sinl(y[i]);
        }
        worse(&moved, y[N - 1] - 2.0L * acosl(-1.0L) / 3.0L);
    }
    print_message("cantilever chain, %llu steps\n", (unsigned long long)m.n_steps);
    assert_true(moved > 0.5); /* or nothing was tried */
    assert_int_equal(m.sizes.n_dof, N);
    within("angles, rad", angle, 1e-9);
    within("centers of mass, m", center, 1e-9);
    within("energy, J", motion_imbalance(&m, 1.0), 1e-9);
    assert_true(motion_spread(m.work, m.n_times, 0.0) == 0.0);
    motion_free(&m);
}

/* By x := K⁻¹ A x, K⁻¹ the sums of the chain's springs. 1.8751… is the first root of cos x cosh x = −1. */
static void its_lowest_frequency_is_that_of_the_beam(void **state) {
    (void)state;
    long double x[N], square = 0.0L;
    for (int i = 0; i < N; ++i)
        x[i] = (long double)(i + 1);
    for (int iteration = 0; iteration < 60; ++iteration) {
        long double load[N], turn = 0.0L;
        for (int i = 0; i < N; ++i) {
            load[i] = 0.0L;
            for (int j = 0; j < N; ++j)
                load[i] += shared(i, j) * x[j];
        }
        const long double last = x[N - 1];
        for (int i = 0; i < N; ++i) { /* spring i carries the loads from i on */
            for (int j = i; j < N; ++j)
                turn += load[j] / stiffness();
            x[i] = turn;
        }
        square = last / x[N - 1];
        for (int i = 0; i < N; ++i)
            x[i] /= turn;
    }
    const long double root = 1.87510406871196116645L, whole = N * LENGTH;
    const long double beam = root * root * sqrtl(BENDING / (MASS / LENGTH * whole * whole * whole * whole));
    print_message("lowest frequency %.7Lf rad/s, of the beam %.7Lf rad/s\n", sqrtl(square), beam);
    within("relative", (double)fabsl(sqrtl(square) / beam - 1.0L), 1e-6);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_chain_follows_the_books_equation),
        cmocka_unit_test(its_lowest_frequency_is_that_of_the_beam),
    };
    return cmocka_run_group_tests_name("physics.spatial_chain", tests, NULL, NULL);
}

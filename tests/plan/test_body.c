/* Claims: coordinates moved by speeds for a while are those of a motion with these speeds, in the plane and in space, where the
 * angular velocity stands in the body's frame; a difference takes back what a move has made; weights are roots of M. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "kernels/body/mechanism.h"
#include "plan/body.h"
#include "plan/rotation.h"

/* Some operations on numbers of order 1. */
static const double round_off = 1e-14;

static void check_near(const double *a, const double *b, int n, double tolerance) {
    for (int k = 0; k < n; ++k) {
        if (!(fabs(a[k] - b[k]) <= tolerance))
            fail_msg("number %d is %.17g, not %.17g", k, a[k], b[k]);
    }
}

static void planar_speeds_add_to_the_coordinates(void **state) {
    (void)state;
    const double d[3] = {1.0, -2.0, 7.0}, expected[3] = {1.5, -1.0, 4.5}, back[3] = {0.5, -1.0, 3.5};
    double q[3] = {1.0, 0.0, 1.0}, from[3] = {1.0, 0.0, 1.0}, by[3];
    sarrus_body_advance(SARRUS_SPACE_PLANAR, 0.5, d, q);
    check_near(q, expected, 3, 0.0);
    sarrus_body_difference(SARRUS_SPACE_PLANAR, from, q, by);
    check_near(by, back, 3, 0.0);
}

/* A quarter turn about z, then one about the body's own x, which is the inertial y: x of the body points along y, its y along z. */
static void a_body_in_space_turns_about_its_own_axes(void **state) {
    (void)state;
    const double z[6] = {1.0, 2.0, 3.0, 0.0, 0.0, M_PI}, x[6] = {0.0, 0.0, 0.0, M_PI, 0.0, 0.0};
    const double along_x[3] = {1.0, 0.0, 0.0}, along_y[3] = {0.0, 1.0, 0.0};
    double q[7] = {0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0}, at[3];
    sarrus_body_advance(SARRUS_SPACE_SPATIAL, 0.5, z, q);
    sarrus_body_advance(SARRUS_SPACE_SPATIAL, 0.5, x, q);
    sarrus_body_point(SARRUS_SPACE_SPATIAL, q, along_x, at);
    check_near(at, (const double[]){0.5, 2.0, 1.5}, 3, round_off);
    sarrus_body_point(SARRUS_SPACE_SPATIAL, q, along_y, at);
    check_near(at, (const double[]){0.5, 1.0, 2.5}, 3, round_off);
    check_near(q + 3, (const double[]){0.5, 0.5, 0.5, 0.5}, 4, round_off);
}

/* A step of the kinematic equations ė0 = −½ ω·e, ė = ½ (e0 ω + e × ω), ω in the body's frame: they agree to the second order. */
static void a_short_move_is_that_of_the_kinematic_equations(void **state) {
    (void)state;
    const double d[6] = {0.0, 0.0, 0.0, 0.3, -0.5, 0.8}, h = 1e-5;
    double q[7] = {0.0, 0.0, 0.0, 0.1, -0.7, 0.5, 0.5}, rate[4];
    sarrus_body_normalize(SARRUS_SPACE_SPATIAL, q);
    const double p[4] = {q[3], q[4], q[5], q[6]}, omega[4] = {0.0, d[3], d[4], d[5]};
    rate[0] = -0.5 * sarrus_vector_dot(omega + 1, p + 1);
    sarrus_vector_cross(p + 1, omega + 1, rate + 1);
    for (int k = 1; k < 4; ++k)
        rate[k] = 0.5 * (p[0] * omega[k] + rate[k]);
    sarrus_body_advance(SARRUS_SPACE_SPATIAL, h, d, q);
    for (int k = 0; k < 4; ++k)
        assert_true(fabs((q[3 + k] - p[k]) / h - rate[k]) < h);
}

static void a_difference_takes_a_move_back(void **state) {
    (void)state;
    double from[7] = {0.1, 0.2, 0.3, 0.4, 0.5, -0.6, 0.2}, q[7], by[6];
    sarrus_body_normalize(SARRUS_SPACE_SPATIAL, from);
    for (int i = 0; i < 40; ++i) {
        const double share = pow(10.0, -0.5 * i), d[6] = {share, -share, 2.0 * share, 1.7 * share, -2.0 * share, 0.9 * share};
        memcpy(q, from, sizeof q);
        sarrus_body_advance(SARRUS_SPACE_SPATIAL, 1.0, d, q);
        for (int k = 3; i % 2 && k < 7; ++k)
            q[k] = -q[k]; /* the same rotation */
        sarrus_body_difference(SARRUS_SPACE_SPATIAL, from, q, by);
        check_near(by, d, 6, round_off);
    }
}

/* M = W⁻ᵀ W⁻¹ for W = M^{-1/2}: with d = W x, dᵀ M d = xᵀ x; and a row times W, brought back, is that row. */
static void weights_are_roots_of_the_mass_matrix(void **state) {
    (void)state;
    const double l[3][3] = {{2.0, 0.0, 0.0}, {0.3, 1.5, 0.0}, {-0.4, 0.2, 1.1}}, m = 4.0;
    const double x[6] = {0.3, -1.0, 0.7, 0.2, 0.5, -0.9}, row[6] = {1.0, -0.5, 0.25, 0.6, 0.1, -0.3};
    double inertia[3][3] = {{0.0}}, parameters[SARRUS_SB_N] = {0.0}, d[6], along = 0.0, energy = 0.0, weighted[6] = {0.0};
    for (int i = 0; i < 9; ++i) {
        for (int k = 0; k < 3; ++k)
            inertia[i / 3][i % 3] += l[i / 3][k] * l[i % 3][k];
    }
    const double root[6] = {l[0][0], l[1][1], l[2][2], l[1][0], l[2][0], l[2][1]};
    parameters[SARRUS_SB_MASS] = m;
    parameters[SARRUS_SB_MINV] = 1.0 / m;
    memcpy(parameters + SARRUS_SB_ROOT, root, sizeof root);
    const sarrus_body_weight weight = sarrus_body_weight_of(SARRUS_SPACE_SPATIAL, parameters);
    sarrus_body_weigh(SARRUS_SPACE_SPATIAL, &weight, 1.0, x, d);
    for (int i = 0; i < 3; ++i) {
        energy += m * d[i] * d[i] + d[3 + i] * sarrus_vector_dot(inertia[i], d + 3);
        along += x[i] * x[i] + x[3 + i] * x[3 + i];
    }
    assert_true(fabs(energy - along) < round_off);
    sarrus_body_unweigh_speed(SARRUS_SPACE_SPATIAL, &weight, d);
    check_near(d, x, 6, round_off);
    for (int k = 0; k < 6; ++k) {
        double unit[6] = {0.0}, column[6];
        unit[k] = 1.0;
        sarrus_body_weigh(SARRUS_SPACE_SPATIAL, &weight, 1.0, unit, column);
        for (int i = 0; i < 6; ++i)
            weighted[k] += row[i] * column[i];
    }
    sarrus_body_unweigh_row(SARRUS_SPACE_SPATIAL, &weight, weighted);
    check_near(weighted, row, 6, round_off);
}

static void speeds_have_words(void **state) {
    (void)state;
    const double v[6] = {1.0, 0.0, -2.5, 0.0, 3.0, 1e-3};
    char text[SARRUS_SPEEDS_TEXT];
    sarrus_body_speeds_text(SARRUS_SPACE_PLANAR, v, " and ", text);
    assert_string_equal(text, "(1, 0) m/s and -2.5 rad/s");
    sarrus_body_speeds_text(SARRUS_SPACE_SPATIAL, v, ", ", text);
    assert_string_equal(text, "(1, 0, -2.5) m/s, (0, 3, 0.001) rad/s");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(planar_speeds_add_to_the_coordinates),
        cmocka_unit_test(a_body_in_space_turns_about_its_own_axes),
        cmocka_unit_test(a_short_move_is_that_of_the_kinematic_equations),
        cmocka_unit_test(a_difference_takes_a_move_back),
        cmocka_unit_test(weights_are_roots_of_the_mass_matrix),
        cmocka_unit_test(speeds_have_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

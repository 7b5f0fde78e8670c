/* Claim: linkages in space move as their geometry demands, the overconstrained ones with one degree of freedom and the rank that
 * theory gives them at every row: the cube of S3 5.3 keeps its relation between angles, Bennett's linkage that of its half turns,
 * Bricard's its symmetry, Sarrus' its straight line and the motion of its equation in one unknown; energy and work agree in every
 * scenario. */
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

static const char tight[] = "method: verner65, rtol: 1e-12, atol: 1e-14";

static void worse(double *worst, double off) {
    *worst = fabs(off) <= *worst ? *worst : fabs(off); /* NaN comes through */
}

static void within(const char *what, double found, double bound) {
    print_message("  %s: %.1e\n", what, found);
    if (!(found <= bound))
        fail_msg("%s: %.3e, not within %.1e", what, found, bound);
}

static const double ground[4] = {1.0, 0.0, 0.0, 0.0};

/* Row k of the Euler parameters of a body, −1: of ground. */
static const double *turn_of(const motion *m, size_t k, int i_body) {
    return i_body < 0 ? ground : motion_body(m, k, i_body) + 3;
}

/* The angle of body `to` relative to `from` about `axis`, of length 1 and fixed in both, less `start`; in (−π, π]. */
static double angle_between(const motion *m, size_t k, int from, int to, const double axis[3]) {
    double p[4], p0[4], turned[4];
    motion_relative(turn_of(m, 0, from), turn_of(m, 0, to), p0);
    motion_relative(turn_of(m, k, from), turn_of(m, k, to), p);
    motion_relative(p0, p, turned);
    return remainder(2.0 * atan2(turned[1] * axis[0] + turned[2] * axis[1] + turned[3] * axis[2], turned[0]), 2.0 * M_PI);
}

/* What all motions of a single loop keep: one degree of freedom, the rank, closed loops, the balance of energy. */
static void leave(motion *m, int n_redundant, double rank) {
    assert_int_equal(m->sizes.n_dof, 1);
    assert_int_equal(m->sizes.n_redundant, n_redundant);
    assert_true(motion_spread(m->rank, m->n_times, rank) == 0.0);
    within("loops, m", motion_spread(m->position_error, m->n_times, 0.0), 1e-12);
    within("E - E0 - W, J", motion_imbalance(m, 1.0), 1e-9);
    motion_free(m);
}

/* --- The cube ------------------------------------------------------------------------------------------------------------ */

/* All bodies are parallel to the inertial frame at t = 0. */
static void hinge_angles(const motion *m, size_t k, double q[6]) {
    static const double e[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int i = 0; i < 6; ++i)
        q[i] = angle_between(m, k, i - 1, i < 5 ? i : -1, e[i % 3]);
}

static void check_cube(const motion *m, double bound) {
    double relation = 0.0, equal = 0.0, widest = 0.0;
    for (size_t k = 0; k < m->n_times; ++k) {
        double q[6];
        hinge_angles(m, k, q);
        worse(&relation, sin(q[0]) + sin(q[0]) * sin(q[1]) - sin(q[1]));
        worse(&equal, q[2] - q[0]);
        worse(&equal, q[3] + q[1]);
        worse(&equal, q[4] + q[0]);
        worse(&equal, q[5] + q[1]);
        worse(&widest, q[1]);
    }
    assert_int_equal(m->sizes.n, 30);
    assert_int_equal(m->sizes.m, 30);
    assert_true(motion_spread(m->rank, m->n_times, 29.0) == 0.0);
    assert_true(widest > 0.5); /* or nothing was tried */
    within("sin q1 + sin q1 sin q2 - sin q2", relation, bound);
    within("q3 - q1, q4 + q2, q5 + q1, q6 + q2", equal, bound);
}

static void the_cube_keeps_its_relation(void **state) {
    (void)state;
    const motion_times times = {tight, 0.01, 1001, 1, 0};
    for (int damped = 0; damped < 2; ++damped) {
        const sarrus_override overrides[] = {{"parameters.d", damped ? "0.02" : "0"}, {NULL, NULL}};
        motion m = motion_of_file("cube_linkage.yaml", overrides, &times);
        print_message("cube, %s, %llu steps, %.2f J\n", damped ? "damped" : "not damped", (unsigned long long)m.n_steps,
                      m.energy[0]);
        check_cube(&m, 1e-9);
        within("E - E0 - W, relative", motion_imbalance(&m, m.energy[0]), 1e-9);
        if (damped)
            assert_true(m.work[1000] < -0.1 * m.energy[0]);
        else
            assert_true(motion_spread(m.work, m.n_times, 0.0) == 0.0);
        motion_free(&m);
    }
}

/* --- Bennett, Bricard ---------------------------------------------------------------------------------------------------- */

static void point_of(const motion *m, size_t k, int i_body, const double at_start[3], double out[3]) {
    double a0[3][3], a[3][3], s[3] = {0};
    const double *q0 = motion_body(m, 0, i_body), *q = motion_body(m, k, i_body);
    motion_matrix(q0 + 3, a0);
    motion_matrix(q + 3, a);
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            s[i] += a0[j][i] * (at_start[j] - q0[j]);
    for (int i = 0; i < 3; ++i)
        out[i] = q[i] + a[i][0] * s[0] + a[i][1] * s[1] + a[i][2] * s[2];
}

static double length_between(const double a[3], const double b[3]) {
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
}

/* Corners A, B, C, D at a row. D and A stand on ground. */
static void bennett_corners(const motion *m, size_t k, double p[4][3]) {
    const double r = 0.5, s = 0.4, c = 0.15, f = 1.3;
    const double at[4][3] = {{r, 0, c}, {s * cos(f), s * sin(f), -c}, {-r, 0, c}, {-s * cos(f), -s * sin(f), -c}};
    memcpy(p, at, sizeof at);
    point_of(m, k, 0, at[1], p[1]);
    point_of(m, k, 2, at[2], p[2]);
}

/* The angle at corner i between its two links, of cosine law; in (0, π). */
static double corner_angle(double p[4][3], int i) {
    const double a = length_between(p[i], p[(i + 1) % 4]), b = length_between(p[i], p[(i + 3) % 4]),
                 c = length_between(p[(i + 1) % 4], p[(i + 3) % 4]);
    return 2.0 * asin(sqrt((c - a + b) * (c + a - b) / (4.0 * a * b)));
}

/* Opposite angles are equal, and tan(½α) tan(½β) of neighbors stays what its twists make it. Angles are good to 1e-12 and become
 * as small as 1e-3. */
static void bennetts_linkage_keeps_its_relation(void **state) {
    (void)state;
    const motion_times times = {tight, 0.01, 1001, 1, 0};
    motion m = motion_of_file("bennett.yaml", NULL, &times);
    double opposite = 0.0, product = 0.0, first = 0.0, least = 4.0, most = 0.0;
    print_message("Bennett, %llu steps\n", (unsigned long long)m.n_steps);
    for (size_t k = 0; k < m.n_times; ++k) {
        double p[4][3], angle[4];
        bennett_corners(&m, k, p);
        for (int i = 0; i < 4; ++i)
            angle[i] = corner_angle(p, i);
        worse(&opposite, angle[0] - angle[2]);
        worse(&opposite, angle[1] - angle[3]);
        const double now = tan(0.5 * angle[0]) * tan(0.5 * angle[1]);
        first = k ? first : now;
        worse(&product, now / first - 1.0);
        least = fmin(least, angle[0]);
        most = fmax(most, angle[0]);
    }
    print_message("  angle at A from %.1e to %.3f rad\n", least, most);
    assert_true(most - least > 0.5);
    within("opposite angles, rad", opposite, 1e-9);
    within("product of tangents, relative", product, 1e-8);
    leave(&m, 3, 17.0);
}

static void bricards_linkage_keeps_its_symmetry(void **state) {
    (void)state;
    static const double axes[3][3] = {{0.3, 1.0, 0.4}, {1.0, -0.2, 0.5}, {0.2, 0.4, -1.0}};
    const motion_times times = {tight, 0.01, 1001, 1, 0};
    motion m = motion_of_file("bricard.yaml", NULL, &times);
    double apart = 0.0, most = 0.0;
    print_message("Bricard, %llu steps\n", (unsigned long long)m.n_steps);
    for (size_t k = 0; k < m.n_times; ++k)
        for (int i = 0; i < 3; ++i) {
            const double size = sqrt(axes[i][0] * axes[i][0] + axes[i][1] * axes[i][1] + axes[i][2] * axes[i][2]);
            const double axis[3] = {axes[i][0] / size, axes[i][1] / size, axes[i][2] / size};
            const double image[3] = {-axis[0], -axis[1], axis[2]};
            const double one = angle_between(&m, k, i - 1, i, axis), other = angle_between(&m, k, i + 2, i < 2 ? i + 3 : -1, image);
            worse(&apart, remainder(one - other, 2.0 * M_PI));
            worse(&most, one);
        }
    assert_true(most > 0.5);
    within("angles and their images, rad", apart, 1e-9);
    leave(&m, 1, 29.0);
}

/* --- Sarrus' linkage ----------------------------------------------------------------------------------------------------- */

/* Elevation τ of the lower halves, length l, table at 2 l sin τ. Of each arm: the lower half m l²/3; the upper half's center
 * (l/2 cos τ, 3/2 l sin τ) and its turn. T = ½ (a + b cos² τ) τ̇², V = w sin τ + k (τ − τ₀)², a damper d in both lower pins. */
static const long double L = 0.4L, M = 0.5L, TABLE = 2.0L, K = 30.0L, D = 0.4L, START = 1.1L, G = 9.81L;

static void sarrus_rates(const long double *y, const void *of, long double *dy) {
    const long double s = sinl(y[0]), c = cosl(y[0]);
    const long double a = 2.0L * M * L * L * (1.0L / 3.0L + 1.0L / 4.0L + 1.0L / 12.0L), b = L * L * (4.0L * M + 4.0L * TABLE);
    const long double weight = G * L * (4.0L * M + 2.0L * TABLE);
    (void)of;
    dy[0] = y[1];
    dy[1] = (b * s * c * y[1] * y[1] - weight * c - 2.0L * K * (y[0] - START) - 2.0L * D * y[1]) / (a + b * c * c);
}

static void sarrus_linkage_makes_a_straight_line(void **state) {
    (void)state;
    const motion_times times = {tight, 0.01, 501, 1, 0};
    motion m = motion_of_file("sarrus_linkage.yaml", NULL, &times);
    long double y[2] = {START, 0.0L};
    double line = 0.0, height = 0.0, fall = 0.0;
    print_message("Sarrus, %llu steps\n", (unsigned long long)m.n_steps);
    for (size_t k = 0; k < m.n_times; ++k) {
        const double *table = motion_body(&m, k, 4);
        if (k)
            ode_advance(sarrus_rates, NULL, 2, 1e-4L, 100, y);
        for (int i = 0; i < 6; ++i)
            worse(&line, i == 2 ? 0.0 : table[i < 2 ? i : i + 1]);
        worse(&height, (double)((long double)table[2] - 2.0L * L * sinl(y[0])));
        worse(&fall, table[2] - motion_body(&m, 0, 4)[2]);
    }
    assert_true(fall > 0.05);
    within("x, y and turn of the table", line, 1e-12);
    within("height against its equation, m", height, 1e-10);
    leave(&m, 1, 29.0);
}

/* --- S1's hoop ----------------------------------------------------------------------------------------------------------- */

static void hoop_rates(const long double *y, const void *of, long double *dy) {
    (void)of;
    dy[0] = y[1];
    dy[1] = 9.8L / (2.0L * 1.2L) * sinl(y[0]); /* S1: 4.0833 sin θ */
}

/* S1's equations (29), (30) of theta and phi: M = diag(m (R + r)^2, m r^2), weight m g (R + r) sin theta; of its two
 * constraints the first, rho = R + r, says nothing about theta and phi, so that the saddle matrix of 4 rows has rank 3. By
 * the pseudoinverse of least norm and by A+ Y + (I - A+ A) mu with any mu: accelerations 4.0833 sin theta and 24.5 sin
 * theta, multipliers 0 or any number, and 9.8 sin theta. */
static void the_hoop_has_s1s_numbers(void **state) {
    (void)state;
    const double p = 1.2, r = 0.2, mass = 2.0, g = 9.8;
    const double a[16] = {mass * p * p, 0, 0, -p, 0, mass * r * r, 0, r, 0, 0, 0, 0, -p, r, 0, 0};
    const double mu[4] = {0.3, -1.7, 2.9, 0.4};
    double inverse[16], alone = 0.0, general = 0.0;
    int32_t rank = 0;
    sarrus_context *context = NULL;
    assert_int_equal(sarrus_context_create(&context), SARRUS_OK);
    const sarrus_pinv_batch batch = {.n_matrices = 1, .m = 4, .n = 4, .a = a, .x = inverse, .rank = &rank};
    assert_int_equal(sarrus_pinv_compute(context, NULL, &batch), SARRUS_OK);
    sarrus_context_destroy(context);
    assert_int_equal(rank, 3);
    for (int k = 0; k < 20; ++k) {
        const double s = sin(0.05 * k), y[4] = {mass * g * p * s, 0, 0, 0};
        const double wanted[4] = {g / (2.0 * p) * s, g / (2.0 * r) * s, 0.0, -mass * g / 2.0 * s};
        for (int i = 0; i < 4; ++i) {
            double least = 0.0, any = mu[i];
            for (int j = 0; j < 4; ++j) {
                double product = 0.0; /* of A, with mu */
                for (int l = 0; l < 4; ++l)
                    product += a[4 * j + l] * mu[l];
                least += inverse[4 * i + j] * y[j];
                any += inverse[4 * i + j] * (y[j] - product);
            }
            worse(&alone, least - wanted[i]);
            worse(&general, i == 2 ? any - mu[2] : any - wanted[i]);
        }
    }
    print_message("S1's hoop: %.10f sin, %.10f sin, %.10f sin\n", g / (2.0 * p), g / (2.0 * r), mass * g / 2.0);
    within("of least norm, rad/s2 and N", alone, 1e-13);
    within("with any mu", general, 1e-13);
}

/* It turns by R/r + 1 = 6 times the angle of its center. Arm, collar and nut have 1e-9 of its mass. */
static void the_hoop_rolls(void **state) {
    (void)state;
    const motion_times times = {tight, 0.01, 111, 1, 0};
    motion m = motion_of_file("hoop_on_cylinder.yaml", NULL, &times);
    long double y[2] = {0.1L, 0.0L};
    double angle = 0.0, rolling = 0.0, theta = 0.0, arm = 0.0, spin = 0.0, friction = 0.0;
    print_message("hoop, %llu steps\n", (unsigned long long)m.n_steps);
    for (size_t k = 0; k < m.n_times; ++k) {
        const double *hoop = motion_body(&m, k, 1);
        if (k)
            ode_advance(hoop_rates, NULL, 2, 1e-4L, 100, y);
        theta = atan2(hoop[0], hoop[1]);
        worse(&angle, (double)((long double)theta - y[0]));
        const double *arm_a = m.a + k * (size_t)m.sizes.n, *hoop_a = arm_a + 6;
        worse(&arm, fabs(arm_a[5]) - 9.8 / 2.4 * sin(theta));
        worse(&spin, fabs(hoop_a[5]) - 24.5 * sin(theta));
        worse(&friction, 0.04 * 2.0 * fabs(hoop_a[5]) / 0.2 - 9.8 * sin(theta)); /* its moment m r² φ̈ comes from λ₂ r */
        worse(&rolling, remainder(2.0 * atan2(hoop[6], hoop[3]) + 6.0 * (theta - 0.1), 2.0 * M_PI));
    }
    assert_true(theta > 0.4);
    assert_int_equal(m.sizes.n_dof, 1);
    assert_int_equal(m.sizes.n_redundant, 8);
    assert_true(motion_spread(m.rank, m.n_times, 23.0) == 0.0);
    within("angle against its equation, rad", angle, 1e-8);
    within("turning of the arm, 4.0833 sin, rad/s2", arm, 1e-7);
    within("of the hoop, 24.5 sin, rad/s2", spin, 1e-7);
    within("force of rolling, 9.8 sin, N", friction, 1e-7);
    within("rolling, rad", rolling, 1e-9);
    motion_free(&m);
}

/* --- Every scenario ------------------------------------------------------------------------------------------------------ */

static const struct scenario_case {
    const char *file;
    int n_dof, n_redundant;
    double scale; /* J, of its energies */
} scenarios[] = {
    {"arm_6r.yaml", 6, 0, 50},
    {"arm_7r.yaml", 7, 0, 30},
    {"arm_prosthesis.yaml", 6, 0, 30},
    {"bennett.yaml", 1, 3, 5},
    {"bricard.yaml", 1, 1, 5},
    {"cantilever.yaml", 10, 0, 0.2},
    {"cardan_suspension.yaml", 3, 0, 4},
    {"cube_linkage.yaml", 1, 1, 7},
    {"delta_robot.yaml", 0, 0, 2},
    {"heavy_top.yaml", 3, 0, 9},
    {"sarrus_linkage.yaml", 1, 1, 10},
    {"spatial_four_bar.yaml", 1, 3, 30},
    {"spatial_slider_crank.yaml", 1, 0, 20},
    {"stewart_platform.yaml", 0, 0, 10},
    {"walking_figure.yaml", 8, 3, 600},
};

/* At TOL = 1e-10 for 1 s: 1000 TOL (TOLERANCE_OF_TOLERANCE in tests/tolerances.h). */
static void scenarios_close_their_loops_and_balance(void **state) {
    (void)state;
    const motion_times times = {"method: dopri5, rtol: 1e-10, atol: 1e-12", 0.02, 51, 1, 0};
    for (size_t i = 0; i < sizeof scenarios / sizeof scenarios[0]; ++i) {
        motion m = motion_of_file(scenarios[i].file, NULL, &times);
        print_message("%s, %llu steps\n", scenarios[i].file, (unsigned long long)m.n_steps);
        assert_int_equal(m.sizes.n_dof, scenarios[i].n_dof);
        assert_int_equal(m.sizes.n_redundant, scenarios[i].n_redundant);
        assert_true(motion_spread(m.rank, m.n_times, m.sizes.rank) == 0.0);
        within("loops, m", motion_spread(m.position_error, m.n_times, 0.0), 1e-12);
        within("E - E0 - W, relative", motion_imbalance(&m, scenarios[i].scale), 1e-7);
        motion_free(&m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_cube_keeps_its_relation),
        cmocka_unit_test(bennetts_linkage_keeps_its_relation),
        cmocka_unit_test(bricards_linkage_keeps_its_symmetry),
        cmocka_unit_test(sarrus_linkage_makes_a_straight_line),
        cmocka_unit_test(the_hoop_has_s1s_numbers),
        cmocka_unit_test(the_hoop_rolls),
        cmocka_unit_test(scenarios_close_their_loops_and_balance),
    };
    return cmocka_run_group_tests_name("physics.spatial_linkages", tests, NULL, NULL);
}

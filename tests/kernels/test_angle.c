/* atan2 of the lanes against long double: all octants and the borders of its intervals, axes, signed zeros, ratios up to the range
 * of numbers, denormals; and whole turns taken off an angle. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define SARRUS_LANE_WIDTH 2
#include "kernels/lane/angle.h"
#include "tests/support/mechanism.h"

enum { N_RANDOM = 200000, N_STEPS = 2000 };

/* The next number's distance at x. */
static double ulp(double x) {
    return nextafter(fabs(x), INFINITY) - fabs(x);
}

/* In both lanes, with another angle beside it. */
static double angle_of(double y, double x) {
    const real first = real_atan2((real){y, 0.3}, (real){x, -0.7}), second = real_atan2((real){0.3, y}, (real){-0.7, x});
    if (!(first[0] == second[1] && first[1] == second[0])) {
        fail_msg("atan2(%.17g, %.17g) is %.17g in one lane and %.17g in the other", y, x, first[0], second[1]);
    }
    return first[0];
}

/* What is allowed: the quotient is rounded three times (numerator, inverse, product), half an ulp each; where it is not added to an
 * angle, with what its polynomial leaves, that is 2 ulp of the result; where it is, the sum rounds twice more. */
static void check(double y, double x) {
    const double found = angle_of(y, x);
    const long double exact = atan2l(y == 0.0 ? 0.0 : y, x);
    if (!(fabsl(found - exact) <= 3.0L * ulp((double)exact))) {
        fail_msg("atan2(%.17g, %.17g) is %.17g instead of %.17Lg, off by %.2Lf ulp", y, x, found, exact,
                 fabsl(found - exact) / ulp((double)exact));
    }
}

static void check_octants(double a, double b) {
    for (int k = 0; k < 8; ++k) {
        const double x = k & 1 ? -a : a, y = k & 2 ? -b : b;
        check(k & 4 ? x : y, k & 4 ? y : x);
    }
}

static void angles_are_right_in_all_octants(void **state) {
    (void)state;
    uint64_t seed = 12;
    for (int i = 0; i < N_RANDOM; ++i) {
        check(mechanism_random(&seed), mechanism_random(&seed));
    }
    for (int i = 0; i <= N_STEPS; ++i) { /* evenly, the axes and diagonals among them */
        check_octants(cos(i * M_PI_4 / N_STEPS), sin(i * M_PI_4 / N_STEPS));
        check_octants(1.0, (double)i / N_STEPS);
    }
}

/* Where one interval ends and the next begins: 7/16, 11/16, 19/16, 39/16. */
static void angles_are_right_where_intervals_meet(void **state) {
    (void)state;
    static const double borders[] = {0.4375, 0.6875, 1.1875, 2.4375};
    for (int i = 0; i < 4; ++i) {
        for (int k = -40; k <= 40; ++k) {
            check_octants(1.0, borders[i] * (1.0 + k * DBL_EPSILON));
            check_octants(0.37, 0.37 * borders[i] * (1.0 + k * DBL_EPSILON));
        }
    }
}

static void axes_are_exact(void **state) {
    (void)state;
    static const double sizes[] = {1.0, 0.3, 1e-300, 1e300, DBL_MIN};
    for (int i = 0; i < 5; ++i) {
        const double s = sizes[i];
        assert_true(angle_of(0.0, s) == 0.0);
        assert_true(angle_of(s, 0.0) == M_PI_2);
        assert_true(angle_of(-s, 0.0) == -M_PI_2);
        assert_true(angle_of(0.0, -s) == M_PI);
        assert_true(angle_of(s, s) == M_PI_4);
        assert_true(angle_of(-s, -s) == -(M_PI - M_PI_4));
    }
}

/* A zero has no sign here: an angle of half a turn is +pi. */
static void zeros_have_no_sign(void **state) {
    (void)state;
    assert_true(angle_of(-0.0, 1.0) == 0.0);
    assert_true(angle_of(-0.0, -1.0) == M_PI);
    assert_true(angle_of(1.0, -0.0) == M_PI_2);
    assert_true(angle_of(-1.0, -0.0) == -M_PI_2);
    for (int k = 0; k < 4; ++k) {
        assert_true(angle_of(k & 1 ? -0.0 : 0.0, k & 2 ? -0.0 : 0.0) == 0.0);
    }
}

static void ratios_may_be_as_large_as_numbers(void **state) {
    (void)state;
    uint64_t seed = 21;
    for (int i = 0; i < N_RANDOM / 10; ++i) {
        const double far = exp2(300.0 * mechanism_random(&seed)), near = exp2(300.0 * mechanism_random(&seed));
        check_octants(far * (1.0 + 0.5 * mechanism_random(&seed)), near * (1.0 + 0.5 * mechanism_random(&seed)));
    }
    check_octants(1e307, 0.8e307);
    check_octants(1e-307, 0.3e-307);
    check_octants(1e-300, 1e300); /* the one angle is below all numbers: 0, and rounded to half an ulp of them */
    check_octants(1.0, 5e-324);
    check_octants(1.0, 3e-310);
    check_octants(0.7, 1.7e-308);
}

/* An angle less whole turns is right to an ulp of the angle, and within half a turn and that. */
static void turns_are_taken_off(void **state) {
    (void)state;
    uint64_t seed = 34;
    for (int i = 0; i < N_RANDOM / 10; ++i) {
        const double most = i % 3 == 0 ? 10.0 : i % 3 == 1 ? 1e3 : 1e6, x = most * mechanism_random(&seed);
        const double found = real_less_turns((real){x, 1.0})[0], again = real_less_turns((real){2.0, x})[1];
        const long double pi = acosl(-1.0L), turns = ((long double)x - found) / (2.0L * pi);
        /* pi in long double is off by 3e-20, which counts once for every half turn. */
        const double bound = 2.0 * ulp(x) + 1e-19 * fabs(x);
        assert_true(found == again);
        if (!(fabs(found) <= M_PI + bound) || !(fabsl(turns - roundl(turns)) * 6.3L <= bound)) {
            fail_msg("%.17g less turns is %.17g: %.17Lg of them", x, found, turns);
        }
    }
    for (int k = -50; k <= 50; ++k) { /* around whole turns and around where one more is taken off */
        const double whole = 2.0 * M_PI * k, x = whole + 1e-9;
        assert_true(fabs(real_less_turns(real_set(x))[1] - 1e-9) <= 2.0 * ulp(whole));
        assert_true(fabs(fabs(real_less_turns(real_set(whole + M_PI))[0]) - M_PI) <= 2.0 * ulp(whole) + ulp(M_PI));
        assert_true(fabs(real_less_turns(real_set(whole - 3.0))[0] + 3.0) <= 2.0 * ulp(whole));
    }
}

static void the_nearest_whole_number_is_found(void **state) {
    (void)state;
    static const double pairs[][2] = {{0.49, 0.0}, {0.51, 1.0}, {-0.49, 0.0}, {-0.51, -1.0}, {1e9 + 0.4, 1e9}, {-3.7, -4.0}};
    for (int i = 0; i < 6; ++i) {
        assert_true(real_nearest(real_set(pairs[i][0]))[1] == pairs[i][1]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(angles_are_right_in_all_octants),
        cmocka_unit_test(angles_are_right_where_intervals_meet),
        cmocka_unit_test(axes_are_exact),
        cmocka_unit_test(zeros_have_no_sign),
        cmocka_unit_test(ratios_may_be_as_large_as_numbers),
        cmocka_unit_test(turns_are_taken_off),
        cmocka_unit_test(the_nearest_whole_number_is_found),
    };
    return cmocka_run_group_tests_name("kernels.angle", tests, NULL, NULL);
}

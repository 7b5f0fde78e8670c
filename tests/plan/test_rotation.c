/* Claims: the orientations that a scenario can give are those of their conventions: intrinsic 3-1-3 and 1-2-3 angles, an axis and
 * an angle, Euler parameters of any length, a matrix; what is no orientation is refused; matrix and parameters are one rotation.
 * The numbers are those of SciPy 1.17, Rotation.from_euler("ZXZ", ...) and ("XYZ", ...), rounded to 17 digits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "plan/rotation.h"

/* Some operations on numbers of order 1. */
static const double round_off = 4e-16;

static void check_orientation(sarrus_orientation form, const double *x, const double expected[4]) {
    double p[4];
    assert_true(sarrus_orientation_read(form, x, p));
    const double sign = p[0] * expected[0] < 0.0 ? -1.0 : 1.0;
    for (int k = 0; k < 4; ++k) {
        if (!(fabs(sign * p[k] - expected[k]) <= round_off))
            fail_msg("parameter %d is %.17g, not %.17g", k, sign * p[k], expected[k]);
    }
}

static void every_form_is_that_of_its_convention(void **state) {
    (void)state;
    const double angles[3] = {0.7, -1.1, 2.3}, turn[4] = {1.0, -2.0, 2.0, 0.9}, long_one[4] = {1.0, 2.0, -4.0, 2.0};
    const double cosines[9] = {-0.30222021905139351, -0.33824899197019742,  -0.89120736006143519,
                               0.95287688661010317,  -0.081463124355503874, -0.29221464428477223,
                               0.026240772869028983, -0.9375240683851187,   0.3469294496548988};
    const double euler[4] = {0.060305199043585389, -0.36415969928606812, 0.37495286730880156, 0.8503889367113745};
    const double bryant[4] = {0.49072551040474788, -0.32875273977915809, -0.46739374328316341, 0.65776378607023434};
    const double about[4] = {0.90044710235267689, 0.14498851137041008, -0.28997702274082016, 0.28997702274082016};
    const double unit[4] = {0.2, 0.4, -0.8, 0.4};
    check_orientation(SARRUS_ORIENTATION_EULER, angles, euler);
    check_orientation(SARRUS_ORIENTATION_BRYANT, angles, bryant);
    check_orientation(SARRUS_ORIENTATION_AXIS, turn, about);
    check_orientation(SARRUS_ORIENTATION_PARAMETERS, long_one, unit);
    check_orientation(SARRUS_ORIENTATION_COSINES, cosines, bryant);
}

/* A body turned by a quarter about z, and then by 30 degrees about its own x: its z leans towards −(its first y) = x. */
static void turns_follow_the_body(void **state) {
    (void)state;
    const double angles[3] = {0.5 * M_PI, M_PI / 6.0, 0.0}, z[3] = {0.0, 0.0, 1.0};
    double p[4], a[3][3], at[3];
    assert_true(sarrus_orientation_read(SARRUS_ORIENTATION_EULER, angles, p));
    sarrus_rotation_of(p, a);
    sarrus_rotate((const double(*)[3])a, z, at);
    assert_true(fabs(at[0] - 0.5) < round_off && fabs(at[1]) < round_off && fabs(at[2] - 0.5 * sqrt(3.0)) < round_off);
    sarrus_rotate_back((const double(*)[3])a, at, at);
    assert_true(fabs(at[0]) < 2.0 * round_off && fabs(at[1]) < 2.0 * round_off && fabs(at[2] - 1.0) < 2.0 * round_off);
}

static void what_is_no_orientation_is_refused(void **state) {
    (void)state;
    const double none[4] = {0.0, 0.0, 0.0, 0.0}, endless[4] = {INFINITY, 0.0, 0.0, 0.0}, along_nothing[4] = {0.0, 0.0, 0.0, 1.0};
    const double skew[9] = {1.0, 1e-5, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
    const double mirror[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, -1.0};
    double p[4];
    assert_false(sarrus_orientation_read(SARRUS_ORIENTATION_PARAMETERS, none, p));
    assert_false(sarrus_orientation_read(SARRUS_ORIENTATION_PARAMETERS, endless, p));
    assert_false(sarrus_orientation_read(SARRUS_ORIENTATION_AXIS, along_nothing, p));
    assert_false(sarrus_orientation_read(SARRUS_ORIENTATION_COSINES, skew, p));
    assert_false(sarrus_orientation_read(SARRUS_ORIENTATION_COSINES, mirror, p));
}

/* A matrix with six digits is taken for the rotation next to it: half of what it misses on either side of the diagonal. */
static void rounded_cosines_are_brought_back(void **state) {
    (void)state;
    const double x[9] = {1.0, 4e-7, 0.0, 2e-7, 1.0, 0.0, 0.0, 0.0, 1.0 - 4e-7}, expected[4] = {1.0, 0.0, 0.0, -0.5e-7};
    double p[4];
    assert_true(sarrus_orientation_read(SARRUS_ORIENTATION_COSINES, x, p));
    for (int k = 0; k < 4; ++k)
        assert_true(fabs(p[k] - expected[k]) < 1e-13);
}

/* All rotations by quarter turns about the axes: every one of the four parameters is the largest of some. */
static void matrix_and_parameters_are_one_rotation(void **state) {
    (void)state;
    for (int i = 0; i < 64; ++i) {
        const double angles[3] = {0.5 * M_PI * (i % 4) + 0.1, 0.5 * M_PI * (i / 4 % 4) + 0.2, 0.5 * M_PI * (i / 16) - 0.3};
        double p[4], q[4], a[3][3];
        assert_true(sarrus_orientation_read(SARRUS_ORIENTATION_BRYANT, angles, p));
        sarrus_rotation_of(p, a);
        sarrus_rotation_parameters((const double(*)[3])a, q);
        assert_true(q[0] >= 0.0);
        for (int k = 0; k < 4; ++k)
            assert_true(fabs((p[0] < 0.0 ? -p[k] : p[k]) - q[k]) < 4.0 * round_off);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form_is_that_of_its_convention),   cmocka_unit_test(turns_follow_the_body),
        cmocka_unit_test(what_is_no_orientation_is_refused),      cmocka_unit_test(rounded_cosines_are_brought_back),
        cmocka_unit_test(matrix_and_parameters_are_one_rotation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

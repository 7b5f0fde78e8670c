/* Claims: the orientations that a scenario can give are those of their conventions: intrinsic 3-1-3 and 1-2-3 angles, an axis and
 * an angle, Euler parameters of any length, a matrix; what is no orientation is refused; matrix and parameters are one rotation; a
 * rotation written in any form and read again is the same, singular ones included.
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

static const sarrus_orientation every_form[] = {SARRUS_ORIENTATION_PARAMETERS, SARRUS_ORIENTATION_EULER, SARRUS_ORIENTATION_BRYANT,
                                                SARRUS_ORIENTATION_AXIS, SARRUS_ORIENTATION_COSINES};
enum { N_FORMS = sizeof every_form / sizeof every_form[0] };

/* The numbers of SciPy above, backwards: its angles, or of Euler's, whose second was negative, those of the same rotation. */
static void forms_are_written_by_their_conventions(void **state) {
    (void)state;
    const double angles[3] = {0.7, -1.1, 2.3}, euler[3] = {0.7 - M_PI, 1.1, 2.3 - M_PI};
    const double turn[4] = {1.0 / 3.0, -2.0 / 3.0, 2.0 / 3.0, 0.9};
    const double cosines[9] = {-0.30222021905139351, -0.33824899197019742,  -0.89120736006143519,
                               0.95287688661010317,  -0.081463124355503874, -0.29221464428477223,
                               0.026240772869028983, -0.9375240683851187,   0.3469294496548988};
    const struct {
        sarrus_orientation from, to;
        const double *given, *wanted;
    } cases[] = {{SARRUS_ORIENTATION_EULER, SARRUS_ORIENTATION_EULER, angles, euler},
                 {SARRUS_ORIENTATION_BRYANT, SARRUS_ORIENTATION_BRYANT, angles, angles},
                 {SARRUS_ORIENTATION_AXIS, SARRUS_ORIENTATION_AXIS, turn, turn},
                 {SARRUS_ORIENTATION_BRYANT, SARRUS_ORIENTATION_COSINES, angles, cosines}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
        for (int sign = -1; sign <= 1; sign += 2) { /* p and −p */
            double p[4], x[SARRUS_MAX_ORIENTATION];
            assert_true(sarrus_orientation_read(cases[i].from, cases[i].given, p));
            for (int k = 0; k < 4; ++k)
                p[k] *= sign;
            sarrus_orientation_write(cases[i].to, p, x);
            for (int k = 0; k < sarrus_orientation_count(cases[i].to); ++k) {
                if (!(fabs(x[k] - cases[i].wanted[k]) <= 3.0 * round_off))
                    fail_msg("case %zu: number %d is %.17g, not %.17g", i, k, x[k], cases[i].wanted[k]);
            }
        }
}

/* Round trips of all forms, through rotations all over, those at which angles are not determined and their neighborhoods. What is
 * taken for such a place may be off by twice what it is taken by, 1e-14. */
static void what_is_written_reads_as_the_same_rotation(void **state) {
    (void)state;
    static const double near[] = {0.0, 1e-16, 3e-15, 1e-13, 1e-9, 1e-4};
    enum { N_NEAR = sizeof near / sizeof near[0], N_TURNS = 9 };
    for (int i = 0; i < N_TURNS * N_TURNS * N_TURNS * N_NEAR * N_FORMS; ++i) {
        const int is_euler = i % 2, i_turn = i / (N_FORMS * N_NEAR);
        const sarrus_orientation form = every_form[i % N_FORMS];
        const double given[3] = {0.25 * M_PI * (i_turn % N_TURNS - 4),
                                 0.25 * M_PI * (i_turn / N_TURNS % N_TURNS - 4) + near[i / N_FORMS % N_NEAR],
                                 0.25 * M_PI * (i_turn / N_TURNS / N_TURNS - 4) + 0.3};
        double p[4], back[4], x[SARRUS_MAX_ORIENTATION], product = 0.0;
        assert_true(sarrus_orientation_read(is_euler ? SARRUS_ORIENTATION_EULER : SARRUS_ORIENTATION_BRYANT, given, p));
        sarrus_orientation_write(form, p, x);
        assert_true(sarrus_orientation_read(form, x, back));
        for (int k = 0; k < 4; ++k)
            product += p[k] * back[k];
        for (int k = 0; k < 4; ++k) {
            if (!(fabs(copysign(1.0, product) * back[k] - p[k]) <= 2e-14 + 4.0 * round_off))
                fail_msg("form %d of (%.17g, %.17g, %.17g): parameter %d is %.17g, not %.17g", (int)form, given[0], given[1],
                         given[2], k, back[k], p[k]);
        }
        const int has_three = form == SARRUS_ORIENTATION_EULER || form == SARRUS_ORIENTATION_BRYANT;
        for (int k = 0; has_three && k < 3; k += 2)
            assert_true(x[k] > -M_PI && x[k] <= M_PI);
        if (form == SARRUS_ORIENTATION_EULER)
            assert_true(x[1] >= 0.0 && x[1] <= M_PI);
        if (form == SARRUS_ORIENTATION_BRYANT)
            assert_true(fabs(x[1]) <= 0.5 * M_PI);
        if (form == SARRUS_ORIENTATION_AXIS)
            assert_true(x[3] >= 0.0 && x[3] <= M_PI);
    }
}

/* Where the middle angle is at an end of its range the third angle is 0 and the first has it all; no rotation is about axis 3. */
static void what_is_not_determined_is_chosen(void **state) {
    (void)state;
    static const struct {
        sarrus_orientation form;
        double given[3], wanted[4];
    } cases[] = {{SARRUS_ORIENTATION_EULER, {0.4, 0.0, 0.5}, {0.9, 0.0, 0.0, 0.0}},
                 {SARRUS_ORIENTATION_EULER, {0.4, M_PI, 0.5}, {-0.1, M_PI, 0.0, 0.0}},
                 {SARRUS_ORIENTATION_BRYANT, {0.4, 0.5 * M_PI, 0.5}, {0.9, 0.5 * M_PI, 0.0, 0.0}},
                 {SARRUS_ORIENTATION_BRYANT, {0.4, -0.5 * M_PI, 0.5}, {-0.1, -0.5 * M_PI, 0.0, 0.0}},
                 {SARRUS_ORIENTATION_AXIS, {0.0, 0.0, 0.0}, {0.0, 0.0, 1.0, 0.0}}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const int is_axis = cases[i].form == SARRUS_ORIENTATION_AXIS;
        double p[4], x[SARRUS_MAX_ORIENTATION];
        assert_true(sarrus_orientation_read(is_axis ? SARRUS_ORIENTATION_EULER : cases[i].form, cases[i].given, p));
        sarrus_orientation_write(cases[i].form, p, x);
        for (int k = 0; k < sarrus_orientation_count(cases[i].form); ++k)
            assert_true(fabs(x[k] - cases[i].wanted[k]) <= 2e-15);
        assert_true(is_axis || x[2] == 0.0);
    }
}

/* An instance that has failed. */
static void what_is_no_number_stays_none(void **state) {
    (void)state;
    const double none[4] = {NAN, NAN, NAN, NAN};
    for (int i = 0; i < N_FORMS; ++i) {
        double x[SARRUS_MAX_ORIENTATION] = {0.0};
        sarrus_orientation_write(every_form[i], none, x);
        for (int k = 0; k < sarrus_orientation_count(every_form[i]); ++k)
            assert_true(isnan(x[k]));
    }
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
        cmocka_unit_test(every_form_is_that_of_its_convention),
        cmocka_unit_test(turns_follow_the_body),
        cmocka_unit_test(what_is_no_orientation_is_refused),
        cmocka_unit_test(rounded_cosines_are_brought_back),
        cmocka_unit_test(matrix_and_parameters_are_one_rotation),
        cmocka_unit_test(forms_are_written_by_their_conventions),
        cmocka_unit_test(what_is_written_reads_as_the_same_rotation),
        cmocka_unit_test(what_is_not_determined_is_chosen),
        cmocka_unit_test(what_is_no_number_stays_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

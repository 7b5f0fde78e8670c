/* Claims: of an inertia tensor that masses can have the root and the inverse are its own, rods as thin as a number says included; a
 * tensor that no masses have, and one that some turn has no energy in, are told apart. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "plan/inertia.h"

/* a [3][3] of (xx, yy, zz, xy, xz, yz). */
static void fill(const double t[6], double a[3][3]) {
    const double full[9] = {t[0], t[3], t[4], t[3], t[1], t[5], t[4], t[5], t[2]};
    for (int k = 0; k < 9; ++k)
        a[k / 3][k % 3] = full[k];
}

static void root_and_inverse_are_the_tensors_own(void **state) {
    (void)state;
    const double tensor[6] = {3.0, 4.0, 5.0, 0.5, -0.7, 0.9};
    double l[6], inverse[6], a[3][3], b[3][3];
    assert_int_equal(sarrus_inertia_judge(tensor, l, inverse), SARRUS_INERTIA_GOOD);
    const double lower[3][3] = {{l[0], 0.0, 0.0}, {l[3], l[1], 0.0}, {l[4], l[5], l[2]}};
    fill(tensor, a);
    fill(inverse, b);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            double product = 0.0, unit = 0.0;
            for (int k = 0; k < 3; ++k) {
                product += lower[i][k] * lower[j][k];
                unit += a[i][k] * b[k][j];
            }
            assert_true(fabs(product - a[i][j]) < 1e-14);
            assert_true(fabs(unit - (i == j)) < 1e-14);
        }
    }
}

static void tensors_of_no_body_are_told(void **state) {
    (void)state;
    const double heavy[6] = {1.0, 1.0, 2.1, 0.0, 0.0, 0.0}, plate[6] = {1.0, 1.0, 2.0, 0.0, 0.0, 0.0};
    const double rod[6] = {1e-9, 1.0, 1.0, 0.0, 0.0, 0.0}, line[6] = {0.0, 1.0, 1.0, 0.0, 0.0, 0.0};
    const double saddle[6] = {1.0, 1.0, 1.0, 1.5, 0.0, 0.0}, negative[6] = {-1.0, 1.0, 1.0, 0.0, 0.0, 0.0};
    const double nothing[6] = {(double)NAN, 1.0, 1.0, 0.0, 0.0, 0.0};
    double l[6], inverse[6];
    assert_int_equal(sarrus_inertia_judge(heavy, l, inverse), SARRUS_INERTIA_OF_NO_BODY);
    assert_int_equal(sarrus_inertia_judge(plate, l, inverse), SARRUS_INERTIA_GOOD);
    assert_int_equal(sarrus_inertia_judge(rod, l, inverse), SARRUS_INERTIA_GOOD);
    assert_int_equal(sarrus_inertia_judge(line, l, inverse), SARRUS_INERTIA_NOT_DEFINITE);
    assert_int_equal(sarrus_inertia_judge(saddle, l, inverse), SARRUS_INERTIA_NOT_DEFINITE);
    assert_int_equal(sarrus_inertia_judge(negative, l, inverse), SARRUS_INERTIA_NOT_DEFINITE);
    assert_int_equal(sarrus_inertia_judge(nothing, l, inverse), SARRUS_INERTIA_NOT_DEFINITE);
}

/* Rods and plates of point masses, which stand on the border of the triangle inequality, in all directions. */
static void rods_and_plates_pass_in_every_direction(void **state) {
    (void)state;
    for (int i = 0; i < 500; ++i) {
        const double x = sin(1.7 * i), y = cos(2.3 * i), z = sin(0.9 * i + 0.4), thick = 1e-6;
        double along[3] = {x, y, z}, tensor[6], l[6], inverse[6];
        const double length2 = x * x + y * y + z * z;
        /* |s|² 1 − s sᵀ, and a little about the rod itself */
        for (int k = 0; k < 3; ++k) {
            tensor[k] = length2 - (1.0 - thick) * along[k] * along[k];
            tensor[3 + k] = -(1.0 - thick) * along[k == 2] * along[k == 0 ? 1 : 2];
        }
        assert_int_equal(sarrus_inertia_judge(tensor, l, inverse), SARRUS_INERTIA_GOOD);
        for (int k = 0; k < 6; ++k)
            tensor[k] = (k < 3 ? length2 : 0.0) + along[k < 3 ? k : k == 5] * along[k < 3 ? k : k == 3 ? 1 : 2];
        assert_int_equal(sarrus_inertia_judge(tensor, l, inverse), SARRUS_INERTIA_GOOD); /* a plate across `along` */
    }
}

/* A rod along any direction has no inertia about itself: that axis is filled up to what is asked for, and the others keep theirs.
 * Eight digits of round-off are left to the products. */
static void what_rods_lack_is_filled_up(void **state) {
    (void)state;
    const double least = 0.125, none[6] = {0};
    double moment[3], axis[3][3], root[6], inverse[6];
    for (int i = 0; i < 200; ++i) {
        const double u[3] = {sin(1.7 * i) + 0.1, cos(2.3 * i), sin(0.9 * i + 0.4)};
        const double length2 = u[0] * u[0] + u[1] * u[1] + u[2] * u[2];
        double tensor[6], sum = 0.0;
        for (int k = 0; k < 3; ++k) {
            tensor[k] = length2 - u[k] * u[k];
            tensor[3 + k] = -u[k == 2] * u[k == 0 ? 1 : 2];
        }
        sarrus_inertia_axes(tensor, moment, axis);
        int least_axis = 0;
        for (int k = 1; k < 3; ++k)
            least_axis = moment[k] < moment[least_axis] ? k : least_axis;
        for (int k = 0; k < 3; ++k)
            sum += axis[least_axis][k] * u[k];
        assert_true(fabs(moment[least_axis]) <= 1e-14 * length2);
        assert_true(fabs(sum * sum - length2) <= 1e-8 * length2);
        assert_int_equal(sarrus_inertia_fill(tensor, least, root, inverse), SARRUS_INERTIA_GOOD);
        /* uᵀ I⁻¹ u of the unit vector along the rod */
        double along = inverse[0] * u[0] * u[0] + inverse[1] * u[1] * u[1] + inverse[2] * u[2] * u[2];
        along += 2.0 * (inverse[3] * u[0] * u[1] + inverse[4] * u[0] * u[2] + inverse[5] * u[1] * u[2]);
        assert_true(fabs(along / length2 - 1.0 / least) <= 1e-8 / least);
    }
    assert_int_equal(sarrus_inertia_fill(none, least, root, inverse), SARRUS_INERTIA_GOOD);
    assert_true(fabs(inverse[0] - 1.0 / least) <= 1e-15 / least && root[3] == 0.0);
    assert_int_equal(sarrus_inertia_fill((const double[]){1.0, 1.0, -0.5, 0.0, 0.0, 0.0}, least, root, inverse),
                     SARRUS_INERTIA_NOT_DEFINITE);
    assert_int_equal(sarrus_inertia_fill((const double[]){0.0, 0.0, 1.0, 0.0, 0.0, 0.0}, least, root, inverse),
                     SARRUS_INERTIA_OF_NO_BODY);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(root_and_inverse_are_the_tensors_own),
        cmocka_unit_test(tensors_of_no_body_are_told),
        cmocka_unit_test(rods_and_plates_pass_in_every_direction),
        cmocka_unit_test(what_rods_lack_is_filled_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

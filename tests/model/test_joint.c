/* Rows and free coordinates of joints in space: together they are the six ways in which one body can move against another. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "model/model.h"

static int numbers_of(sarrus_freedom freedom) {
    static const int numbers[] = {
        [SARRUS_FREEDOM_NONE] = 0,
#define SARRUS_FREEDOM(name, value, n, unit, text) [value] = n,
#include "sarrus/freedom.def"
    };
    return numbers[freedom];
}

static sarrus_joint joint_of(sarrus_joint_type type, unsigned held) {
    sarrus_joint joint = {.type = type, .held = held};
    for (int k = 0; k < SARRUS_MAX_FREEDOMS; ++k) {
        joint.drive[k] = -1;
    }
    return joint;
}

static void check_count(const sarrus_joint *joint) {
    sarrus_spatial_row rows[SARRUS_MAX_SPATIAL_ROWS];
    sarrus_freedom freedoms[SARRUS_MAX_FREEDOMS];
    const int n_rows = sarrus_joint_row_forms(joint, rows), n_freedoms = sarrus_joint_freedoms(joint, freedoms);
    int n_numbers = 0;
    assert_in_range(n_rows, 0, SARRUS_MAX_SPATIAL_ROWS);
    assert_in_range(n_freedoms, 0, SARRUS_MAX_FREEDOMS);
    for (int k = 0; k < n_freedoms; ++k) {
        assert_int_not_equal(freedoms[k], SARRUS_FREEDOM_NONE);
        n_numbers += numbers_of(freedoms[k]);
    }
    for (int i = 0; i < n_rows; ++i) {
        assert_int_not_equal(rows[i], SARRUS_SPATIAL_ROW_NONE);
    }
    if (n_rows + n_numbers != 6) {
        fail_msg("%s, held %#x: %d rows and %d free", sarrus_joint_word(joint->type), joint->held, n_rows, n_numbers);
    }
}

static void rows_and_free_coordinates_make_six(void **state) {
    (void)state;
    for (int type = 0; type < SARRUS_N_JOINT_TYPES; ++type) {
        const sarrus_joint joint = joint_of((sarrus_joint_type)type, 0);
        /* A distance names none of the five that it leaves; a slot is of the plane. */
        if (type != SARRUS_JOINT_DISTANCE && type != SARRUS_JOINT_SLOT) {
            check_count(&joint);
        }
    }
    for (unsigned held = 0; held < 64; ++held) {
        const sarrus_joint joint = joint_of(SARRUS_JOINT_GENERAL, held);
        sarrus_spatial_row rows[SARRUS_MAX_SPATIAL_ROWS];
        check_count(&joint);
        assert_int_equal(sarrus_joint_row_forms(&joint, rows), __builtin_popcount(held));
    }
}

/* What a general joint leaves free is about the axes that are not held. */
static void a_general_joint_names_what_it_leaves(void **state) {
    (void)state;
    static const struct {
        unsigned held;
        int n;
        sarrus_freedom freedoms[4];
    } cases[] = {
        {63, 0, {0}},
        {62, 1, {SARRUS_FREEDOM_SHIFT_1}},
        {31, 1, {SARRUS_FREEDOM_TURN_3}},
        {1 | 8, 4, {SARRUS_FREEDOM_SHIFT_2, SARRUS_FREEDOM_SHIFT_3, SARRUS_FREEDOM_FIRST_2, SARRUS_FREEDOM_SECOND_3}},
        {7, 1, {SARRUS_FREEDOM_BALL}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        sarrus_freedom freedoms[SARRUS_MAX_FREEDOMS];
        const sarrus_joint joint = joint_of(SARRUS_JOINT_GENERAL, cases[i].held);
        assert_int_equal(sarrus_joint_freedoms(&joint, freedoms), cases[i].n);
        for (int k = 0; k < cases[i].n; ++k) {
            assert_int_equal(freedoms[k], cases[i].freedoms[k]);
        }
    }
}

static void drives_are_rows_too(void **state) {
    (void)state;
    sarrus_joint joint = joint_of(SARRUS_JOINT_CYLINDRICAL, 0);
    assert_int_equal(sarrus_joint_n_rows(SARRUS_SPACE_SPATIAL, &joint), 4);
    joint.drive[1] = 0;
    assert_int_equal(sarrus_joint_n_rows(SARRUS_SPACE_SPATIAL, &joint), 5);
    joint = joint_of(SARRUS_JOINT_REVOLUTE, 0);
    assert_int_equal(sarrus_joint_n_rows(SARRUS_SPACE_PLANAR, &joint), 2);
    assert_int_equal(sarrus_joint_n_rows(SARRUS_SPACE_SPATIAL, &joint), 5);
}

static void free_coordinates_have_texts_and_units(void **state) {
    (void)state;
    assert_string_equal(sarrus_freedom_text(SARRUS_FREEDOM_SHIFT_2), "displacement along axis 2");
    assert_false(sarrus_freedom_turns(SARRUS_FREEDOM_SHIFT_2));
    assert_true(sarrus_freedom_turns(SARRUS_FREEDOM_SCREW));
    assert_true(sarrus_freedom_turns(SARRUS_FREEDOM_SECOND_3));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_and_free_coordinates_make_six),
        cmocka_unit_test(a_general_joint_names_what_it_leaves),
        cmocka_unit_test(drives_are_rows_too),
        cmocka_unit_test(free_coordinates_have_texts_and_units),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

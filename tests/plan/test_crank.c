/* Claim: a body is a crank when a pin on ground holds it whose two rows are independent, by the first such pin; the rows of that
 * pin are not in the factor, and all others are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "plan/plan.h"
#include "tests/support/mechanism.h"

/* The parallelogram of three cranks, with its pins on ground behind the others: the redundant row is then one of a pin on ground.
 */
static const char *const GROUND_LAST = "sarrus: 1\n"
                                       "space: planar\n"
                                       "bodies:\n"
                                       "  - {name: crank_a, mass: 1, inertia: 0.1, position: [0.3, -0.4], orientation: 0.6}\n"
                                       "  - {name: crank_b, mass: 1, inertia: 0.1, position: [1.3, -0.4], orientation: 0.6}\n"
                                       "  - {name: crank_c, mass: 1, inertia: 0.1, position: [2.3, -0.4], orientation: 0.6}\n"
                                       "  - {name: coupler, mass: 2, inertia: 0.2, position: [1.6, -0.8]}\n"
                                       "joints:\n"
                                       "  - {name: D, type: revolute, bodies: [crank_a, coupler], at: [0.6, -0.8]}\n"
                                       "  - {name: E, type: revolute, bodies: [crank_b, coupler], at: [1.6, -0.8]}\n"
                                       "  - {name: F, type: revolute, bodies: [crank_c, coupler], at: [2.6, -0.8]}\n"
                                       "  - {name: A, type: revolute, bodies: [ground, crank_a], at: [0, 0]}\n"
                                       "  - {name: C, type: revolute, bodies: [ground, crank_c], at: [2, 0]}\n"
                                       "  - {name: B, type: revolute, bodies: [ground, crank_b], at: [1, 0]}\n"
                                       "integrator: {method: rk4, dt: 1.0e-3, t_end: 1.0}\n";

/* The pins that make cranks, by name and in the scenario's order, one after another. */
typedef struct expected {
    const char *file; /* NULL: GROUND_LAST */
    const char *pins;
} expected;

static const expected EXPECTED[] = {
    {"five_bar.yaml", "A B C"},
    {"four_bar.yaml", "A D"},
    {"slider_crank.yaml", "A"},
    {"pendulum.yaml", "A"},
    {"double_pendulum.yaml", "A"},
    {"../tests/support/cranks.yaml", "A D E H J L M O"},
    {NULL, "A C"},
};

static void put_name(char *names, size_t size, const char *name) {
    if (names[0] != '\0')
        (void)strncat(names, " ", size - strlen(names) - 1);
    (void)strncat(names, name, size - strlen(names) - 1);
}

static bool is_in_factor(const sarrus_plan *plan, int row) {
    for (int k = 0; k < plan->mech.factor.n_rows; ++k) {
        if (plan->row_of[k] == row)
            return true;
    }
    return false;
}

/* Independent rows are in the factor or belong to a crank's pin, and never both. */
static void assert_rows_are_somewhere(const sarrus_plan *plan) {
    const sarrus_plan_independence *found = &plan->independence;
    for (int k = 0; k < found->n_independent; ++k) {
        const int row = found->independent[k];
        const sarrus_mech_joint *joint = &plan->joint[plan->row[row].joint];
        const bool is_of_pin = joint->is_crank_pin && row < joint->row + 2;
        assert_true(is_of_pin != is_in_factor(plan, row));
    }
    assert_int_equal(plan->mech.factor.n_rows + 2 * plan->mech.n_cranks, found->n_independent);
}

/* Every joint that holds a crank knows the crank's pin, and on which side the pin has it. */
static void assert_joints_know(const sarrus_plan *plan) {
    for (int i = 0; i < plan->mech.n_joints; ++i) {
        const sarrus_mech_joint *joint = &plan->joint[i];
        const int bodies[2] = {joint->parent, joint->child}, cranks[2] = {joint->parent_crank, joint->child_crank};
        for (int side = 0; side < 2; ++side) {
            int pin = -1;
            for (int k = 0; k < plan->mech.n_joints; ++k) {
                const sarrus_mech_joint *other = &plan->joint[k];
                if (other->is_crank_pin && bodies[side] >= 0 && (other->child == bodies[side] || other->parent == bodies[side]))
                    pin = 2 * other->row + (other->child >= 0);
            }
            assert_int_equal(cranks[side], pin);
        }
    }
}

static void cranks_are_found(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof EXPECTED / sizeof EXPECTED[0]; ++i) {
        char names[256] = "";
        mechanism m = EXPECTED[i].file ? mechanism_open_file(EXPECTED[i].file, NULL) : mechanism_open_text(GROUND_LAST, NULL);
        for (int j = 0; j < m.n_joints; ++j) {
            if (m.plan->joint[j].is_crank_pin)
                put_name(names, sizeof names, m.model->joints[j].name);
        }
        assert_string_equal(names, EXPECTED[i].pins);
        assert_rows_are_somewhere(m.plan);
        assert_joints_know(m.plan);
        mechanism_close(&m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cranks_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

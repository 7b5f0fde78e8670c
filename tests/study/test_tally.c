/* The summary's numbers are those of the healthy instances' rows. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "study/tally.h"

/* A model of one body of mass 2 kg and inertia 0.5 kg m², one revolute joint, and room for one force. */
typedef struct fixture {
    sarrus_model model;
    sarrus_value values[4];
    sarrus_body body;
    sarrus_joint joint;
    sarrus_force force;
} fixture;

static void fixture_fill(fixture *f) {
    *f = (fixture){.values = {{.nominal = 2.0}, {.nominal = 0.5}, {.nominal = 0.0}, {.nominal = 3.0}}};
    f->body.mass = 0;
    f->body.inertia[0] = 1;
    f->joint = (sarrus_joint){.damping = 2, .drive = -1};
    f->force = (sarrus_force){.type = SARRUS_FORCE_SPRING, .stiffness = 3, .damping = 2};
    f->model.values = f->values;
    f->model.n_values = 4;
    f->model.bodies = &f->body;
    f->model.n_bodies = 1;
    f->model.joints = &f->joint;
    f->model.n_joints = 1;
    f->model.forces = &f->force;
    f->model.n_forces = 1;
}

static void the_maxima_are_over_healthy_instances(void **state) {
    (void)state;
    fixture f;
    sarrus_tally tally;
    fixture_fill(&f);
    assert_int_equal(sarrus_tally_create(NULL, &f.model, 3, &tally), SARRUS_OK);
    /* Three instances, rows 1 and 2 of a stride of 4; instance 1 fails after its first row, and was far off by then. */
    double v[3][4][3] = {{{0}, {1.0, 2.0, 4.0}, {0}, {0}}, {{0}, {9.0, 9.0, 9.0}, {NAN, NAN, NAN}, {0}}, {{0}}};
    const double energy[3][4] = {{0, 1.0, 1.3, 0}, {0, 5.0, NAN, 0}, {0, -20.0, -20.1, 0}};
    const double position[3][4] = {{9, 1e-6, 2e-6, 9}, {9, 0.5, NAN, 9}, {9, 3e-6, 1e-6, 9}};
    const double velocity[3][4] = {{9, 1e-5, 2e-5, 9}, {9, 0.5, NAN, 9}, {9, 3e-5, 1e-5, 9}};
    const double rank[3][4] = {{0, 3, 3, 0}, {0, 3, NAN, 0}, {0, 3, 2, 0}};
    const sarrus_tally_rows rows = {.n_rows_stride = 4,
                                    .i_row = 1,
                                    .n_rows = 2,
                                    .n_threads = 2,
                                    .v = &v[0][0][0],
                                    .energy = &energy[0][0],
                                    .position_error = &position[0][0],
                                    .velocity_error = &velocity[0][0],
                                    .rank = &rank[0][0]};
    sarrus_tally_add(&tally, &rows);
    const uint8_t status[3] = {SARRUS_INSTANCE_OK, SARRUS_INSTANCE_DIVERGED, SARRUS_INSTANCE_OK};
    sarrus_run_summary summary = {0};
    sarrus_tally_finish(&tally, status, &summary);
    assert_true(summary.max_position_error == 3e-6);
    assert_true(summary.max_velocity_error == 3e-5);
    /* Instance 0: |1.3 − 1| over its kinetic energy ½(2·5 + 0.5·16) = 9; instance 2: 0.1 over |E(0)| = 20. */
    assert_true(fabs(summary.max_energy_error - 0.3 / 9.0) < 1e-15);
    assert_int_equal(summary.n_rank_changes, 1);
    sarrus_tally_free(&tally);
}

/* Changes are counted across calls, and what is not observed stays NaN. */
static void slices_join(void **state) {
    (void)state;
    fixture f;
    sarrus_tally tally;
    fixture_fill(&f);
    assert_int_equal(sarrus_tally_create(NULL, &f.model, 1, &tally), SARRUS_OK);
    const double rank[4] = {3, 3, 2, 3};
    for (uint64_t i = 0; i < 4; i++) {
        const sarrus_tally_rows rows = {.n_rows_stride = 4, .i_row = i, .n_rows = 1, .n_threads = 1, .rank = rank};
        sarrus_tally_add(&tally, &rows);
    }
    const uint8_t status[1] = {SARRUS_INSTANCE_OK};
    sarrus_run_summary summary = {0};
    sarrus_tally_finish(&tally, status, &summary);
    assert_int_equal(summary.n_rank_changes, 2);
    assert_true(isnan(summary.max_energy_error) && isnan(summary.max_position_error) && isnan(summary.max_velocity_error));
    sarrus_tally_free(&tally);
}

static void energy_is_conserved_unless_something_acts(void **state) {
    (void)state;
    fixture f;
    fixture_fill(&f);
    assert_true(sarrus_energy_is_conserved(&f.model));
    f.joint.damping = 3;
    assert_false(sarrus_energy_is_conserved(&f.model));
    f.joint.damping = SARRUS_NO_VALUE;
    f.joint.drive = 0;
    assert_false(sarrus_energy_is_conserved(&f.model));
    f.joint.drive = -1;
    f.force.damping = 3;
    assert_false(sarrus_energy_is_conserved(&f.model));
    f.force = (sarrus_force){.type = SARRUS_FORCE_TORQUE, .value = {{SARRUS_SOURCE_VALUE, 3}}};
    assert_false(sarrus_energy_is_conserved(&f.model));
    f.force.value[0].index = 2; /* a torque of zero */
    assert_true(sarrus_energy_is_conserved(&f.model));
    sarrus_value_index target = 2; /* … unless it is drawn */
    sarrus_sampled sampled = {.n_targets = 1, .targets = &target};
    f.model.batch.n_sampled = 1;
    f.model.batch.sampled = &sampled;
    assert_false(sarrus_energy_is_conserved(&f.model));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_maxima_are_over_healthy_instances),
        cmocka_unit_test(slices_join),
        cmocka_unit_test(energy_is_conserved_unless_something_acts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

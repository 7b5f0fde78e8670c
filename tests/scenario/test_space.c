/* What spatial scenarios mean. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "model/evaluator.h"
#include "sarrus/document.h"
#include "sarrus/study.h"
#include "scenario/scenario_fixture.h"
#include "tests/support/place.h"

/* Two bodies in space; what a test adds goes between the braces of the first, or behind. */
#define SPACE_WITH(body, joint, rest)                                                                                              \
    "sarrus: 1\nspace: spatial\nbodies:\n"                                                                                         \
    "  - {name: a, mass: 1, inertia: [1, 1, 1], position: [0, 0, 0]" body "}\n"                                                    \
    "  - {name: b, mass: 1, inertia: [1, 1, 1], position: [0, 0, 0]}\n"                                                            \
    "joints: [{name: j, bodies: [a, b], at: [0, 0, 0], " joint "}]\n"                                                              \
    "integrator: {t_end: 1}\n" rest
#define SPACE SPACE_WITH("", "type: spherical", "")

static struct reading read_space(void) {
    struct reading reading = reading_begin();
    reading.status =
        sarrus_scenario_read_file(reading.context, place_of_source("/tests/scenario/good/space.yaml"), NULL, 0, &reading.model);
    print_diagnostics(&reading);
    assert_int_equal(reading.status, SARRUS_OK);
    return reading;
}

static struct reading read_fine(const char *text) {
    struct reading reading = read_text(text);
    print_diagnostics(&reading);
    assert_int_equal(reading.status, SARRUS_OK);
    return reading;
}

/* n numbers in a row have the paths `path`.0, `path`.1 … */
static void check_numbers(const sarrus_model *model, const sarrus_value_index *index, int n, const double *expected,
                          const char *path) {
    for (int i = 0; i < n; ++i) {
        char full[120];
        (void)snprintf(full, sizeof full, "%s.%d", path, i);
        assert_in_range(index[i], 0, model->n_values - 1);
        assert_string_equal(model->values[index[i]].path, full);
        assert_true(model->values[index[i]].nominal == expected[i]);
    }
}

static void check_number(const sarrus_model *model, sarrus_value_index index, double expected, const char *path) {
    assert_in_range(index, 0, model->n_values - 1);
    assert_string_equal(model->values[index].path, path);
    assert_true(model->values[index].nominal == expected);
}

static void bodies(void **state) {
    (void)state;
    struct reading reading = read_space();
    const sarrus_model *model = reading.model;
    const sarrus_body *disk = &model->bodies[0], *block = &model->bodies[1], *plain = &model->bodies[2];
    assert_int_equal(model->space, SARRUS_SPACE_SPATIAL);
    check_number(model, disk->mass, 3, "bodies.disk.mass");
    check_numbers(model, disk->inertia, 6, (double[]){1, 1, 2, 0, 0, 0}, "bodies.disk.inertia");
    check_numbers(model, block->inertia, 6, (double[]){2, 3, 4, 0.5, -0.25, 0.125}, "bodies.block.inertia");
    check_numbers(model, disk->position, 3, (double[]){1, 2, 3}, "bodies.disk.position");
    assert_string_equal(model->values[disk->position[2]].expression, "r+1");
    check_numbers(model, disk->velocity, 3, (double[]){1, 2, 3}, "bodies.disk.velocity");
    check_numbers(model, disk->angular_velocity, 3, (double[]){4, 5, 6}, "bodies.disk.angular_velocity");
    check_numbers(model, disk->rotor, 3, (double[]){0, 0, 7}, "bodies.disk.rotor");
    const double zeros[3] = {0, 0, 0};
    check_numbers(model, plain->velocity, 3, zeros, "bodies.plain.velocity"); /* a default has a path too */
    check_numbers(model, plain->angular_velocity, 3, zeros, "bodies.plain.angular_velocity");
    check_numbers(model, plain->rotor, 3, zeros, "bodies.plain.rotor");
    check_numbers(model, model->gravity, 3, (double[]){0, -9.81, 0}, "gravity");
    reading_end(&reading);
}

static void orientations(void **state) {
    (void)state;
    struct reading reading = read_space();
    const sarrus_model *model = reading.model;
    const sarrus_body *body = model->bodies;
    assert_int_equal(body[0].orientation_form, SARRUS_ORIENTATION_EULER);
    check_numbers(model, body[0].orientation, 3, (double[]){acos(-1.0) / 2, 0.25, 0}, "bodies.disk.orientation.euler");
    assert_int_equal(body[1].orientation_form, SARRUS_ORIENTATION_PARAMETERS);
    check_numbers(model, body[1].orientation, 4, (double[]){3, 0, 4, 0}, "bodies.block.orientation");
    assert_int_equal(body[2].orientation_form, SARRUS_ORIENTATION_PARAMETERS);
    check_numbers(model, body[2].orientation, 4, (double[]){1, 0, 0, 0}, "bodies.plain.orientation");
    assert_int_equal(body[2].orientation[4], SARRUS_NO_VALUE);
    assert_int_equal(body[3].orientation_form, SARRUS_ORIENTATION_BRYANT);
    check_numbers(model, body[3].orientation, 3, (double[]){0, 1, 2}, "bodies.bryant.orientation.bryant");
    assert_int_equal(body[4].orientation_form, SARRUS_ORIENTATION_AXIS);
    check_numbers(model, body[4].orientation, 3, (double[]){0, 0, 2}, "bodies.turned.orientation.axis");
    check_number(model, body[4].orientation[3], 0.5, "bodies.turned.orientation.angle");
    assert_int_equal(body[5].orientation_form, SARRUS_ORIENTATION_COSINES);
    const sarrus_value_index *cosine = body[5].orientation;
    check_numbers(model, cosine, 3, (double[]){0, -1, 0}, "bodies.cosines.orientation.cosines.0");
    check_numbers(model, cosine + 3, 3, (double[]){1, 0, 0}, "bodies.cosines.orientation.cosines.1");
    check_numbers(model, cosine + 6, 3, (double[]){0, 0, 1}, "bodies.cosines.orientation.cosines.2");
    reading_end(&reading);
}

static void geometry_of_joints(void **state) {
    (void)state;
    struct reading reading = read_space();
    const sarrus_model *model = reading.model;
    const sarrus_joint *joint = model->joints;
    assert_int_equal(model->n_joints, 13);
    check_numbers(model, joint[0].at[0], 3, (double[]){1, 2, 3}, "joints.hinge.at");
    assert_int_equal(joint[0].at[1][2], joint[0].at[0][2]);
    check_numbers(model, joint[0].axis[0], 3, (double[]){0, 0, 2}, "joints.hinge.axis");
    assert_int_equal(joint[0].axis[1][0], SARRUS_NO_VALUE);
    assert_false(joint[2].has_at);
    check_numbers(model, joint[2].point[1], 3, (double[]){4, 5, 6}, "joints.weld.points.1");
    assert_int_equal(joint[2].stiffness[0], SARRUS_NO_VALUE);
    check_numbers(model, joint[3].at[1], 3, (double[]){4, 5, 6}, "joints.rope.at.1");
    check_number(model, joint[3].length, 7, "joints.rope.length");
    check_numbers(model, joint[5].axis[0], 3, (double[]){1, 1, 0}, "joints.cross.axes.0");
    check_numbers(model, joint[5].axis[1], 3, (double[]){1, -1, 0}, "joints.cross.axes.1");
    check_number(model, joint[8].pitch, -0.25, "joints.bolt.pitch");
    assert_int_equal(joint[9].frame_form, SARRUS_ORIENTATION_EULER);
    check_numbers(model, joint[9].frame, 3, (double[]){0, 0, 1}, "joints.loose.frame.euler");
    assert_int_equal(joint[10].held, 1 | 8 | 32); /* x, rx, rz */
    check_numbers(model, joint[10].frame, 4, (double[]){1, 0, 0, 0}, "joints.two.frame");
    assert_int_equal(joint[11].held, 0);
    assert_int_equal(joint[11].frame[0], SARRUS_NO_VALUE);
    reading_end(&reading);
}

static void free_coordinates_of_joints(void **state) {
    (void)state;
    struct reading reading = read_space();
    const sarrus_model *model = reading.model;
    const sarrus_joint *joint = model->joints;
    check_number(model, joint[0].stiffness[0], 3, "joints.hinge.stiffness");
    check_number(model, joint[0].damping[0], 4, "joints.hinge.damping.0"); /* as it is written */
    check_number(model, joint[0].rest[0], 0.5, "joints.hinge.rest");
    assert_int_equal(joint[0].stiffness[1], SARRUS_NO_VALUE);
    assert_int_equal(model->signals[joint[1].drive[0]].kind, SARRUS_SIGNAL_RAMP);
    check_number(model, model->signals[joint[1].drive[0]].values[1], 2, "joints.rail.drive.signal.ramp.slope");
    check_number(model, joint[4].stiffness[0], 8, "joints.ball.stiffness"); /* of the whole rotation vector */
    assert_int_equal(joint[4].stiffness[1], SARRUS_NO_VALUE);
    check_numbers(model, joint[5].stiffness, 2, (double[]){0, 0}, "joints.cross.stiffness");
    check_numbers(model, joint[5].rest, 2, (double[]){0.1, 0.2}, "joints.cross.rest");
    check_numbers(model, joint[6].stiffness, 2, (double[]){1, 2}, "joints.sleeve.stiffness");
    assert_int_equal(joint[6].drive[0], -1);
    check_number(model, model->signals[joint[6].drive[1]].values[0], 1, "joints.sleeve.drive.1.signal.sine.amplitude");
    assert_int_equal(joint[6].drive[2], -1);
    check_numbers(model, joint[7].damping, 3, (double[]){1, 2, 3}, "joints.table.damping");
    check_numbers(model, joint[9].stiffness, 4, (double[]){1, 2, 3, 4}, "joints.loose.stiffness");
    check_numbers(model, joint[9].rest, 4, (double[]){5, 6, 7, 0}, "joints.loose.rest"); /* the rotation vector is relaxed at 0 */
    check_numbers(model, joint[10].rest, 3, (double[]){1, 2, 3}, "joints.two.rest");     /* y, z, about y */
    check_numbers(model, joint[11].stiffness, 4, (double[]){0, 0, 0, 0}, "joints.none.stiffness");
    check_numbers(model, joint[12].stiffness, 6, (double[]){1, 2, 3, 4, 5, 6}, "joints.rubber.stiffness");
    check_numbers(model, joint[12].damping, 6, (double[]){0, 0, 0, 0, 0, 0}, "joints.rubber.damping");
    reading_end(&reading);
}

static void forces(void **state) {
    (void)state;
    struct reading reading = read_space();
    const sarrus_model *model = reading.model;
    const sarrus_force *force = model->forces;
    check_numbers(model, force[0].point[0], 3, (double[]){1, 2, 3}, "forces.wire.between.0.1");
    check_numbers(model, force[0].point[1], 3, (double[]){4, 5, 6}, "forces.wire.between.1.1");
    assert_int_equal(force[1].frame, SARRUS_FRAME_BODY);
    check_number(model, force[1].value[0].index, 1, "forces.twist.value.0");
    assert_int_equal(force[1].value[1].kind, SARRUS_SOURCE_INPUT);
    assert_int_equal(force[1].value[2].kind, SARRUS_SOURCE_SIGNAL);
    assert_int_equal(force[2].frame, SARRUS_FRAME_INERTIAL);
    check_numbers(model, force[2].point[0], 3, (double[]){1, 2, 3}, "forces.push.at");
    check_number(model, force[2].value[2].index, 6, "forces.push.value.2");
    assert_int_equal(model->n_inputs, 5);
    reading_end(&reading);
}

/* The text in a result file gives the same model, and itself. */
static void the_resolved_text_reads_as_the_same_model(void **state) {
    (void)state;
    struct reading first = read_space();
    struct reading again = read_fine(sarrus_model_resolved(first.model));
    assert_string_equal(sarrus_model_resolved(again.model), sarrus_model_resolved(first.model));
    assert_int_equal(again.model->n_values, first.model->n_values);
    for (int i = 0; i < first.model->n_values; ++i) {
        assert_string_equal(again.model->values[i].path, first.model->values[i].path);
        assert_true(again.model->values[i].nominal == first.model->values[i].nominal);
    }
    reading_end(&again);
    reading_end(&first);
}

static void overrides_reach_every_number(void **state) {
    (void)state;
    const sarrus_override overrides[] = {
        {"bodies.a.orientation.axis.1", "2"}, {"bodies.a.orientation.angle", "=1/4"}, {"bodies.b.orientation", "[0, 1, 0, 0]"},
        {"bodies.b.inertia.2", "1.5"},        {"joints.j.stiffness", "[3, 4]"},       {"joints.j.drive", "[{signal: 2}, null]"},
    };
    const char *text =
        SPACE_WITH(", orientation: {axis: [1, 0, 0], angle: 0}", "type: cylindrical, axis: [1, 0, 0]", "gravity: [0, 0, -9.81]\n");
    struct reading reading = read_bytes(text, strlen(text), overrides, sizeof overrides / sizeof overrides[0]);
    print_diagnostics(&reading);
    assert_int_equal(reading.status, SARRUS_OK);
    assert_true(nominal_at(reading.model, "bodies.a.orientation.axis.1") == 2);
    assert_true(nominal_at(reading.model, "bodies.a.orientation.angle") == 0.25);
    assert_true(nominal_at(reading.model, "bodies.b.orientation.1") == 1);
    assert_true(nominal_at(reading.model, "bodies.b.inertia.2") == 1.5);
    assert_true(nominal_at(reading.model, "joints.j.stiffness.1") == 4);
    assert_true(nominal_at(reading.model, "joints.j.drive.0.signal") == 2);
    assert_true(nominal_at(reading.model, "gravity.1") == 0 && nominal_at(reading.model, "gravity.2") == -9.81);
    reading_end(&reading);
}

/* Draws and expressions know nothing of spaces: numbers of an instance follow from them as in the plane. */
static void draws_reach_numbers_and_expressions(void **state) {
    (void)state;
    struct reading reading = read_space();
    const sarrus_model *model = reading.model;
    sarrus_draws *draws = NULL;
    sarrus_evaluator *evaluator = NULL;
    double *values = calloc((size_t)model->n_values, sizeof *values);
    assert_non_null(values);
    assert_int_equal(sarrus_draws_create(reading.context, model, 7, 3, &draws), SARRUS_OK);
    assert_int_equal(sarrus_evaluator_create(model, &evaluator), SARRUS_OK);
    for (uint64_t i = 0; i < 3; ++i) {
        assert_true(sarrus_evaluator_run(evaluator, draws, i, values));
        const double r = values[value_at(model, "r")];
        assert_true(r > 1.9 && r < 2);
        assert_true(values[value_at(model, "bodies.disk.inertia.2")] == r);
        assert_true(values[value_at(model, "bodies.disk.position.2")] == r + 1);
        assert_true(values[value_at(model, "joints.sleeve.stiffness.1")] == r);
        assert_true(values[value_at(model, "joints.rail.drive.signal.ramp.slope")] == r);
        assert_true(values[value_at(model, "bodies.cosines.inertia.3")] ==
                    values[value_at(model, "bodies.disk.orientation.euler.1")]); /* one draw for both */
        assert_true(values[value_at(model, "joints.sleeve.damping.1")] > 1);
    }
    sarrus_evaluator_destroy(evaluator);
    sarrus_draws_destroy(draws);
    free(values);
    reading_end(&reading);
}

/* Bodies at the edge of what there can be: a rod, a plate, and a tensor that only its products make wrong. */
static void inertia_that_a_body_can_have(void **state) {
    (void)state;
    static const struct {
        const char *inertia;
        const char *fault; /* NULL: none */
    } cases[] = {
        {"[1, 2, 3]", NULL},
        {"[1, 2, 3.0000000000001]", NULL}, /* within the tolerance for a plate */
        {"[1, 2, 3.00001]", "principal moments are 1, 2 and 3.00001 kg m2"},
        {"[1e-12, 1, 1]", NULL},
        {"[1e-200, 1e-200, 1e-200]", NULL},
        {"[1e200, 1e200, 1e200]", NULL},
        {"[0, 1, 1]", NULL}, /* a thin rod along x */
        {"[0, 0, 0]", NULL}, /* a point mass */
        {"[0, 0, 1]", "principal moments are 0, 0 and 1 kg m2; expected none above the sum"},
        {"[2, 2, 2, 1, 0, 0]", NULL}, /* 1, 2, 3 */
        {"[2, 2, 2, 1.2, 0, 0]", "principal moments are 0.8, 2 and 3.2 kg m2"},
        {"[2, 2, 2, 0, -2, 0]", "expected none above the sum"},
        {"[2, 2, 2, 0, -2.1, 0]", "negative about some axis"},
        {"[1, 1, 1, 0.2, 0.2, 0.2]", NULL}, /* 0.8, 0.8, 1.4 */
        {"[1, 1, 1, 0.3, 0.3, 0.3]", "principal moments are 0.7, 0.7 and 1.6 kg m2; expected none above the sum"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const sarrus_override override = {"bodies.a.inertia", cases[i].inertia};
        struct reading reading = read_bytes(SPACE, strlen(SPACE), &override, 1);
        const bool is_refused = reading.status == SARRUS_BAD_INPUT;
        if (is_refused != (cases[i].fault != NULL) ||
            (is_refused && strstr(diagnostic_of(&reading, 0)->message, cases[i].fault) == NULL)) {
            print_diagnostics(&reading);
            fail_msg("%s", cases[i].inertia);
        }
        reading_end(&reading);
    }
}

/* Without a word on the space the first position tells: one finding, not one for each vector. */
static void a_missing_space_is_one_finding(void **state) {
    (void)state;
    struct reading reading = read_text("sarrus: 1\nbodies: [{name: a, mass: 1, inertia: [1, 1, 1], position: [0, 0, 0]}]\n"
                                       "joints: [{name: j, type: spherical, bodies: [ground, a], at: [0, 0, 0]}]\n"
                                       "integrator: {t_end: 1}\n");
    assert_int_equal(sarrus_context_n_diagnostics(reading.context), 1);
    assert_non_null(strstr(diagnostic_of(&reading, 0)->message, "lacks the key 'space'"));
    reading_end(&reading);
}

static void a_document_has_members_of_both_spaces(void **state) {
    (void)state;
    char *text = NULL;
    const char *planar = place_of_source("/scenarios/four_bar.yaml"), *spatial = place_of_source("/tests/scenario/good/space.yaml");
    assert_true(asprintf(&text, "sarrus: 1\nscenarios: [{file: %s}, {file: %s}]\nintegrator: {t_end: 4}\n", planar, spatial) > 0);
    sarrus_context *context = NULL;
    sarrus_document *document = NULL;
    assert_int_equal(sarrus_context_create(&context), SARRUS_OK);
    assert_int_equal(sarrus_document_read_text(context, "all.yaml", text, strlen(text), NULL, 0, &document), SARRUS_OK);
    assert_int_equal(sarrus_document_model(document, 0)->space, SARRUS_SPACE_PLANAR);
    assert_int_equal(sarrus_document_model(document, 1)->space, SARRUS_SPACE_SPATIAL);
    sarrus_document_destroy(document);
    sarrus_context_destroy(context);
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies),
        cmocka_unit_test(orientations),
        cmocka_unit_test(geometry_of_joints),
        cmocka_unit_test(free_coordinates_of_joints),
        cmocka_unit_test(forces),
        cmocka_unit_test(the_resolved_text_reads_as_the_same_model),
        cmocka_unit_test(overrides_reach_every_number),
        cmocka_unit_test(draws_reach_numbers_and_expressions),
        cmocka_unit_test(inertia_that_a_body_can_have),
        cmocka_unit_test(a_missing_space_is_one_finding),
        cmocka_unit_test(a_document_has_members_of_both_spaces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Claims: what a run in space writes is named and sized as in space: seven coordinates and six speeds a body, six numbers of a
 * reaction, a dataset a body for each form of orientations, and of a joint's drives one number, or a vector where there are
 * several, in units of what is driven. Free coordinates
 * of a joint are named by their axes, a rotation vector is three of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "sarrus/sarrus.h"
#include "study/channels.h"

static const char text[] =
    "sarrus: 1\nspace: spatial\nintegrator: {method: rk4, dt: 1.0e-3, t_end: 1}\noutput: {points: [{name: tip, body: b, at: [0, 0, "
    "1], channels: [velocity, acceleration]}], channels: [state, constraint, "
    "reactions, joints], orientations: [cosines, euler, axis]}\n"
    "bodies:\n"
    "  - {name: a, mass: 1, inertia: [1, 1, 1], position: [0, 0, 0]}\n"
    "  - {name: b, mass: 1, inertia: [1, 1, 1], position: [0, 0, 1]}\n"
    "  - {name: c, mass: 1, inertia: [1, 1, 1], position: [0, 0, 2]}\n"
    "  - {name: d, mass: 1, inertia: [1, 1, 1], position: [0, 0, 3]}\n"
    "joints:\n"
    "  - {name: hinge, type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: [0, 0, 1], drive: {signal: 0}}\n"
    "  - {name: sleeve, type: cylindrical, bodies: [a, b], at: [0, 0, 1], axis: [0, 0, 1],\n"
    "     drive: [{signal: {ramp: {slope: 1}}}, {signal: {ramp: {slope: 2}}}]}\n"
    "  - {name: thread, type: screw, bodies: [b, c], at: [0, 0, 2], axis: [0, 0, 1], pitch: 0.01}\n"
    "  - {name: ball, type: spherical, bodies: [c, d], at: [0, 0, 3]}\n"
    "constraints:\n"
    "  - {name: rail, type: curve, bodies: [ground, a], points: [[-1, 0, 0], [1, 0, 0]]}\n"
    "  - {name: wire, type: curve, bodies: [a, b], point: [0, 0, -1], points: [[0, 0, -1], [0, 0, 1]]}\n";

static int field_find(const sarrus_channels *made, const char *path) {
    for (int i = 0; i < made->n_fields; ++i) {
        if (strcmp(made->fields[i].path, path) == 0)
            return i;
    }
    fail_msg("no field %s", path);
    return -1;
}

static void assert_field(const sarrus_channels *made, const char *path, int width, int offset, const char *units) {
    const int i = field_find(made, path);
    assert_int_equal(made->fields[i].width, width);
    assert_int_equal(made->offset[i], offset);
    if (units)
        assert_string_equal(made->fields[i].units, units);
}

static void assert_units(const sarrus_channels *made, const char *path, const char *const *units, int n) {
    const sarrus_sink_field *field = &made->fields[field_find(made, path)];
    assert_null(field->units);
    assert_int_equal(field->n_component_units, n);
    for (int k = 0; k < n; ++k)
        assert_string_equal(field->component_units[k], units[k]);
}

static void joints_are_named_by_axes(const sarrus_channels *made) {
    assert_field(made, "joints/hinge/coordinate", 1, 0, "rad");
    assert_field(made, "joints/sleeve/coordinate", 2, 1, NULL);
    assert_units(made, "joints/sleeve/coordinate", (const char *const[]){"m", "rad"}, 2);
    assert_units(made, "joints/sleeve/speed", (const char *const[]){"m s-1", "rad s-1"}, 2);
    assert_field(made, "joints/thread/coordinate", 1, 3, "rad");
    assert_field(made, "joints/ball/speed", 3, 4, "rad s-1");
    const sarrus_sink_field *sleeve = &made->fields[field_find(made, "joints/sleeve/speed")];
    assert_string_equal(sleeve->labels_path, "free_z_rz");
    assert_string_equal(sleeve->labels[1], "rz");
    assert_string_equal(made->fields[field_find(made, "joints/thread/coordinate")].labels_path, "free_angle");
    assert_string_equal(made->fields[field_find(made, "joints/ball/coordinate")].labels_path, "free_rx_ry_rz");
}

static void fields_are_those_of_space(void **state) {
    (void)state;
    static const char *const labels[6] = {"fx", "fy", "fz", "mx", "my", "mz"};
    sarrus_context *context = NULL;
    sarrus_model *model = NULL;
    sarrus_plan *plan = NULL;
    sarrus_channels made;
    assert_int_equal(sarrus_context_create(&context), SARRUS_OK);
    assert_int_equal(sarrus_scenario_read_text(context, "test", text, strlen(text), NULL, 0, &model), SARRUS_OK);
    assert_int_equal(sarrus_plan_create(context, model, &plan), SARRUS_OK);
    const sarrus_channel_choice choice = sarrus_channel_choice_of(model);
    assert_int_equal(sarrus_channels_create(context, plan, &choice, &made), SARRUS_OK);
    assert_field(&made, "state/q", 28, 0, NULL);
    assert_field(&made, "state/v", 24, 0, NULL);
    assert_field(&made, "orientations/euler/a", 3, 3, "rad");
    assert_field(&made, "orientations/euler/b", 3, 10, "rad");
    assert_field(&made, "orientations/axis/b", 4, 10, NULL);
    assert_units(&made, "orientations/axis/b", (const char *const[]){"1", "1", "1", "rad"}, 4);
    assert_units(&made, "state/q", (const char *const[]){"m", "m", "m", "1", "1", "1", "1"}, 7);
    assert_field(&made, "orientations/cosines/b", 9, 10, "1");
    assert_string_equal(made.fields[field_find(&made, "orientations/cosines/a")].labels[5], "yz");
    for (int i = 0; i < made.n_fields; ++i)
        assert_null(strstr(made.fields[i].path, "bryant"));
    assert_true(sarrus_channels_field_is_direct(&made, field_find(&made, "state/q")));
    assert_false(sarrus_channels_field_is_direct(&made, field_find(&made, "orientations/euler/a")));
    assert_field(&made, "points/tip/velocity", 3, 0, "m s-1");
    assert_field(&made, "points/tip/acceleration", 3, 0, "m s-2");
    assert_false(sarrus_channels_field_is_direct(&made, field_find(&made, "points/tip/velocity")));
    assert_true(made.width[SARRUS_OBSERVE_ACCELERATION] == 24);
    assert_field(&made, "reactions/hinge", 6, 0, NULL);
    assert_field(&made, "reactions/sleeve", 6, 6, NULL);
    assert_field(&made, "constraints/rail", 3, 0, "N");
    assert_field(&made, "constraints/wire", 3, 3, "N");
    assert_string_equal(made.fields[field_find(&made, "constraints/wire")].labels[2], "fz");
    assert_field(&made, "drives/hinge", 0, 0, "N m");
    assert_field(&made, "drives/sleeve", 2, 1, NULL);
    assert_units(&made, "drives/sleeve", (const char *const[]){"N", "N m"}, 2);
    joints_are_named_by_axes(&made);
    assert_field(&made, "diagnostics/position_error", 0, 0, "m");
    assert_non_null(made.fields[field_find(&made, "diagnostics/position_error")].comment);
    assert_non_null(strstr(made.fields[field_find(&made, "reactions/sleeve")].comment, "inertial frame"));
    for (int k = 0; k < 6; ++k)
        assert_string_equal(made.fields[field_find(&made, "reactions/hinge")].labels[k], labels[k]);
    assert_int_equal(made.width[SARRUS_OBSERVE_REACTIONS], 24);
    assert_int_equal(made.width[SARRUS_OBSERVE_DRIVES], 3);
    sarrus_batch *batch = NULL;
    assert_int_equal(sarrus_batch_create(context, plan, NULL, 1, NULL, &batch), SARRUS_OK);
    for (int o = 0; o < SARRUS_N_OBSERVABLES; ++o)
        assert_true(made.width[o] == 0 || made.width[o] == sarrus_batch_observable_width(batch, (sarrus_observable)o));
    sarrus_batch_destroy(batch);
    sarrus_channels_free(&made);
    sarrus_plan_destroy(plan);
    sarrus_model_destroy(model);
    sarrus_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(fields_are_those_of_space)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* What correct scenarios mean. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "scenario/scenario_fixture.h"
#include "tests/support/place.h"

static struct reading read_good(const char *name) {
    char path[500];
    (void)snprintf(path, sizeof path, "%s/%s", place_of_source("/tests/scenario/good"), name);
    struct reading reading = reading_begin();
    reading.status = sarrus_scenario_read_file(reading.context, path, NULL, 0, &reading.model);
    print_diagnostics(&reading);
    assert_int_equal(reading.status, SARRUS_OK);
    assert_int_equal(sarrus_context_n_diagnostics(reading.context), 0);
    return reading;
}

static void check_nominal(const sarrus_model *model, sarrus_value_index i_value, double expected, const char *path) {
    assert_in_range(i_value, 0, model->n_values - 1);
    assert_string_equal(model->values[i_value].path, path);
    assert_true(model->values[i_value].nominal == expected);
}

static void bodies_of_the_five_bar(void **state) {
    (void)state;
    struct reading reading = read_good("five_bar.yaml");
    const sarrus_model *model = reading.model;
    assert_string_equal(sarrus_model_name(model), "five-bar parallelogram");
    assert_int_equal(model->n_bodies, 3);
    assert_int_equal(sarrus_model_body_find(model, "coupler"), 2);
    assert_int_equal(sarrus_model_body_find(model, "couple"), -1);
    const sarrus_body *crank = &model->bodies[0];
    assert_string_equal(crank->name, "crank_a");
    assert_int_equal(crank->place.line, 8);
    assert_int_equal(crank->place.column, 5);
    check_nominal(model, crank->mass, 1, "bodies.crank_a.mass");
    check_nominal(model, crank->inertia[0], 1.0 / 12, "bodies.crank_a.inertia");
    check_nominal(model, crank->position[1], -0.5, "bodies.crank_a.position.1");
    assert_string_equal(model->values[crank->position[1]].expression, "-half");
    assert_int_equal(model->values[crank->position[1]].place.line, 11);
    assert_int_equal(model->values[crank->position[1]].place.column, 21);
    assert_int_equal(crank->position[2], SARRUS_NO_VALUE);
    assert_int_equal(crank->inertia[1], SARRUS_NO_VALUE);
    const sarrus_body *coupler = &model->bodies[2];
    check_nominal(model, coupler->orientation[0], 0.25, "bodies.coupler.orientation");
    check_nominal(model, coupler->velocity[1], -2, "bodies.coupler.velocity.1");
    check_nominal(model, coupler->angular_velocity[0], 3, "bodies.coupler.angular_velocity");
    check_nominal(model, crank->angular_velocity[0], 0, "bodies.crank_a.angular_velocity"); /* a default has a path too */
    assert_int_equal(model->values[crank->angular_velocity[0]].place.line, 0);
    reading_end(&reading);
}

/* As PyYAML writes what holds the same list twice, and editors of other systems: the same scenario. */
static void aliases_are_what_they_name(void **state) {
    (void)state;
    static const char written[] =
        "sarrus: 1\nspace: planar\nbodies:\n"
        "  - {name: a, mass: 2, inertia: 0.5, position: [0.5, 0]}\n"
        "  - {name: b, mass: 2, inertia: 2, position: [0.5, 0]}\n"
        "joints:\n"
        "  - {name: A, type: revolute, bodies: [ground, a], at: [0, 0], drive: {signal: {sine: {amplitude: 0.5, frequency: 2}}}}\n"
        "  - {name: B, type: revolute, bodies: [ground, b], at: [0.5, 0], drive: {signal: {sine: {amplitude: 0.5, frequency: "
        "2}}}}\n"
        "integrator: {dt: 0.5, t_end: 2}\n";
    static const char named[] = "\xef\xbb\xbfsarrus: 1\r\nspace: planar\r\nbodies:\r\n"
                                "- inertia: 0.5\r\n  mass: &id001 2\r\n  name: a\r\n  position: &id002\r\n  - &x 0.5\r\n  - 0\r\n"
                                "- {name: b, mass: *id001, inertia: *id001, position: *id002}\r\n"
                                "joints:\r\n"
                                "  - {name: A, type: revolute, bodies: [ground, a], at: [0, 0], drive: &id001 {signal: {sine: "
                                "{amplitude: *x, frequency: &f 2}}}}\r\n"
                                "  - {name: B, type: revolute, bodies: [ground, b], at: *id002, drive: *id001}\r\n"
                                "integrator: {dt: *x, t_end: *f}";
    struct reading plain = read_text(written), aliased = read_text(named);
    print_diagnostics(&aliased);
    assert_int_equal(plain.status, SARRUS_OK);
    assert_int_equal(aliased.status, SARRUS_OK);
    assert_int_equal(plain.model->n_values, aliased.model->n_values);
    for (int i = 0; i < plain.model->n_values; ++i) {
        check_nominal(aliased.model, (sarrus_value_index)i, plain.model->values[i].nominal, plain.model->values[i].path);
    }
    assert_string_not_equal(sarrus_model_resolved(aliased.model), "");
    assert_null(strpbrk(sarrus_model_resolved(aliased.model), "&*\r"));
    reading_end(&plain);
    reading_end(&aliased);
}

static void joints_and_forces_of_the_five_bar(void **state) {
    (void)state;
    struct reading reading = read_good("five_bar.yaml");
    const sarrus_model *model = reading.model;
    assert_int_equal(model->n_joints, 4);
    const sarrus_joint *b = &model->joints[1];
    assert_int_equal(b->type, SARRUS_JOINT_REVOLUTE);
    assert_int_equal(b->body[0], SARRUS_GROUND);
    assert_int_equal(b->body[1], 1);
    assert_true(b->has_at);
    check_nominal(model, b->at[0][0], 1, "joints.B.at.0");
    assert_int_equal(b->at[1][0], b->at[0][0]); /* the same point seen from both bodies */
    assert_int_equal(b->point[0][0], SARRUS_NO_VALUE);
    check_nominal(model, b->stiffness[0], 3, "joints.B.stiffness");
    check_nominal(model, b->damping[0], 0.5, "joints.B.damping");
    check_nominal(model, b->rest[0], 0.1, "joints.B.rest");
    assert_int_equal(b->drive[0], -1);
    const sarrus_joint *c = &model->joints[2];
    assert_false(c->has_at);
    check_nominal(model, c->point[0][1], -0.5, "joints.C.points.0.1");
    check_nominal(model, c->point[1][0], -0.5, "joints.C.points.1.0");
    assert_int_equal(model->n_forces, 4);
    const sarrus_force *spring = &model->forces[0];
    assert_int_equal(spring->body[0], 2);
    assert_int_equal(spring->body[1], SARRUS_GROUND);
    check_nominal(model, spring->point[0][1], -0.018, "forces.s1.between.0.1.1");
    check_nominal(model, spring->rest_length, 0.07785, "forces.s1.rest_length");
    const sarrus_force *motor = &model->forces[1];
    assert_int_equal(motor->value[0].kind, SARRUS_SOURCE_VALUE);
    check_nominal(model, motor->value[0].index, 0.033, "forces.motor.value");
    const sarrus_force *push = &model->forces[2];
    assert_int_equal(push->frame, SARRUS_FRAME_BODY);
    check_nominal(model, push->value[0].index, 1, "forces.push.value.0");
    assert_int_equal(push->value[1].kind, SARRUS_SOURCE_INPUT);
    assert_int_equal(push->value[1].index, 2);
    assert_int_equal(model->n_inputs, 3);
    reading_end(&reading);
}

static void settings_of_the_five_bar(void **state) {
    (void)state;
    struct reading reading = read_good("five_bar.yaml");
    const sarrus_model *model = reading.model;
    assert_int_equal(model->dynamics.pinv, SARRUS_PINV_SVD);
    assert_int_equal(model->dynamics.rank_method, SARRUS_RANK_RELATIVE);
    assert_true(model->dynamics.rank_tolerance == 1e-9);
    check_nominal(model, model->dynamics.beta, 20, "dynamics.baumgarte.beta");
    assert_int_equal(model->dynamics.projection, SARRUS_PROJECTION_TOLERANCE);
    assert_true(model->dynamics.projection_tolerance == 1e-10);
    assert_true(model->integrator.dt == 1e-3 && model->integrator.t_end == 20);
    assert_int_equal(sarrus_model_n_instances(model), 10000);
    assert_true(sarrus_model_seed(model) == UINT64_MAX);
    assert_int_equal(model->output.every, 10); /* 0.01 s of 1 ms steps */
    assert_int_equal(model->output.channels, SARRUS_CHANNEL_STATE | SARRUS_CHANNEL_ENERGY | SARRUS_CHANNEL_REACTIONS);
    const sarrus_sampled *sampled = model->batch.sampled;
    assert_int_equal(model->batch.n_sampled, 4);
    assert_string_equal(sampled[0].label, "bodies.crank_b.mass");
    assert_true(sampled[0].a == 1 && sampled[0].b == 0.05 && sampled[0].min == 0.5 && isinf(sampled[0].max));
    assert_int_equal(sampled[1].n_targets, 2);
    assert_int_equal(sampled[1].targets[1], value_at(model, "forces.s1.stiffness"));
    assert_string_equal(sampled[2].label, "L");
    assert_int_equal(sampled[2].targets[0], 0);
    assert_int_equal(sampled[3].kind, SARRUS_DISTRIBUTION_NORMAL);
    /* Mean 1 and standard deviation 0.01 of the variable itself. The moments of a lognormal distribution: exp(mu + sigma²/2) and
     * (exp(sigma²) − 1) exp(2 mu + sigma²); a few roundings of numbers near 1 and 1e-4. */
    const double variance = sampled[2].b * sampled[2].b;
    assert_true(fabs(exp(sampled[2].a + variance / 2) - 1.0) <= 1e-15);
    assert_true(fabs(expm1(variance) * exp(2 * sampled[2].a + variance) - 1e-4) <= 1e-18);
    reading_end(&reading);
}

static void defaults(void **state) {
    (void)state;
    struct reading reading = read_text(SCENARIO);
    const sarrus_model *model = reading.model;
    assert_int_equal(reading.status, SARRUS_OK);
    assert_string_equal(sarrus_model_name(model), "");
    assert_true(nominal_at(model, "gravity.0") == 0 && nominal_at(model, "gravity.1") == -9.81);
    assert_int_equal(model->gravity[2], SARRUS_NO_VALUE);
    assert_int_equal(sarrus_model_n_instances(model), 1);
    assert_int_equal(sarrus_model_seed(model), 0);
    assert_int_equal(model->batch.n_sampled, 0);
    assert_int_equal(model->dynamics.formulation, SARRUS_FORMULATION_AUTO);
    assert_int_equal(model->dynamics.pinv, SARRUS_PINV_AUTO);
    assert_int_equal(model->dynamics.rank_method, SARRUS_RANK_AUTO);
    assert_true(model->dynamics.rank_tolerance == 0);
    assert_false(model->dynamics.has_step_gains);
    assert_int_equal(model->dynamics.projection, SARRUS_PROJECTION_EVERY_STEP);
    assert_true(nominal_at(model, "dynamics.baumgarte.alpha") == 0 && nominal_at(model, "dynamics.baumgarte.beta") == 0);
    assert_int_equal(model->integrator.method, SARRUS_INTEGRATOR_DOPRI5);
    assert_true(model->integrator.grid == 1e-3);
    assert_true(model->integrator.rtol == 1e-8 && model->integrator.atol == 1e-10);
    assert_int_equal(model->integrator.max_steps, 10000000);
    assert_int_equal(model->integrator.max_order, 12);
    assert_true(model->integrator.has_substeps);
    assert_true(isnan(model->limits.violation) && isnan(model->limits.energy) && isnan(model->limits.error)); /* automatic */
    assert_int_equal(model->output.every, 1);
    assert_int_equal(model->output.channels,
                     SARRUS_CHANNEL_STATE | SARRUS_CHANNEL_ENERGY | SARRUS_CHANNEL_CONSTRAINT | SARRUS_CHANNEL_RANK);
    assert_int_equal(model->n_inputs, 0);
    assert_int_equal(model->n_named, 0);
    reading_end(&reading);
}

static void limits_that_are_off(void **state) {
    (void)state;
    struct reading reading = read_good("limits_off.yaml");
    const sarrus_model *model = reading.model;
    assert_true(isinf(model->limits.violation) && isinf(model->limits.energy) && isinf(model->limits.error));
    reading_end(&reading);
}

static void values_of_everything(void **state) {
    (void)state;
    struct reading reading = read_good("everything.yaml");
    const sarrus_model *model = reading.model;
    const double pi = acos(-1.0);
    assert_string_equal(sarrus_model_name(model), "\xc3\xbc: \"quoted\" # no comment");
    assert_int_equal(model->n_named, 3);
    assert_int_equal(sarrus_model_value_find(model, "area"), 1);
    assert_int_equal(sarrus_model_value_find(model, "parameters.area"), 1);
    assert_int_equal(sarrus_model_value_find(model, "volume"), SARRUS_NO_VALUE);
    assert_true(fabs(nominal_at(model, "bodies.disk.mass") - 4 * pi) <= 4 * pi * 1e-15); /* three roundings */
    assert_true(nominal_at(model, "bodies.disk.inertia") == 16);
    assert_true(nominal_at(model, "bodies.disk.position.0") == 1 && nominal_at(model, "bodies.disk.position.1") == -0.5);
    assert_true(fabs(nominal_at(model, "bodies.disk.orientation") - pi / 4) <= 1e-15);
    assert_true(nominal_at(model, "bodies.slider.position.1") == 3);
    assert_true(nominal_at(model, "bodies.rod_2-b.mass") == 0);
    assert_int_equal(sarrus_model_n_instances(model), 100);
    assert_int_equal(model->output.every, 64);
    assert_false(model->integrator.has_substeps);
    assert_true(isinf(model->limits.violation) && model->limits.energy == 1e-4 && isnan(model->limits.error));
    assert_string_equal(model->batch.sampled[0].label, "parameters.r");
    assert_int_equal(model->batch.sampled[0].targets[0], 0);
    assert_true(model->batch.sampled[1].b == 0);
    reading_end(&reading);
}

static void joints_of_everything(void **state) {
    (void)state;
    struct reading reading = read_good("everything.yaml");
    const sarrus_model *model = reading.model;
    const sarrus_joint *rail = &model->joints[1];
    assert_int_equal(rail->type, SARRUS_JOINT_PRISMATIC);
    check_nominal(model, rail->axis[0][1], 1, "joints.rail.axis.1");
    const sarrus_joint *weld = &model->joints[2];
    assert_int_equal(weld->type, SARRUS_JOINT_FIXED);
    assert_int_equal(weld->body[0], 1);
    assert_int_equal(weld->body[1], 2);
    check_nominal(model, weld->stiffness[0], 0, "joints.weld.stiffness"); /* there, so that nobody has to ask; never sampled */
    const sarrus_joint *rope = &model->joints[3];
    assert_int_equal(rope->type, SARRUS_JOINT_DISTANCE);
    assert_int_equal(rope->length, SARRUS_NO_VALUE); /* as the configuration has it */
    check_nominal(model, rope->at[0][1], 0, "joints.rope.at.0.1");
    check_nominal(model, rope->at[1][1], 4, "joints.rope.at.1.1");
    const sarrus_joint *bar = &model->joints[4];
    assert_int_equal(bar->body[1], SARRUS_GROUND);
    check_nominal(model, bar->length, 2, "joints.bar.length");
    check_nominal(model, bar->point[1][0], 3, "joints.bar.points.1.0");
    reading_end(&reading);
}

static void check_signal(const sarrus_model *model, int i_signal, sarrus_signal_kind kind, int n_values, const char *const *paths,
                         const double *expected) {
    assert_in_range(i_signal, 0, model->n_signals - 1);
    const sarrus_signal *signal = &model->signals[i_signal];
    assert_int_equal(signal->kind, kind);
    assert_int_equal(signal->n_values, n_values);
    for (int i = 0; i < n_values; ++i) {
        check_nominal(model, signal->values[i], expected[i], paths[i]);
    }
}

static void signals_of_everything(void **state) {
    (void)state;
    struct reading reading = read_good("everything.yaml");
    const sarrus_model *model = reading.model;
    const sarrus_joint *joints = model->joints;
    check_signal(model, joints[0].drive[0], SARRUS_SIGNAL_CONSTANT, 1, (const char *[]){"joints.hinge.drive.signal"},
                 (double[]){0.25});
    check_signal(model, joints[1].drive[0], SARRUS_SIGNAL_SINE, 4,
                 (const char *[]){"joints.rail.drive.signal.sine.amplitude", "joints.rail.drive.signal.sine.frequency",
                                  "joints.rail.drive.signal.sine.phase", "joints.rail.drive.signal.sine.offset"},
                 (double[]){1, 2, 0, 0});
    check_signal(model, joints[5].drive[0], SARRUS_SIGNAL_POLYNOMIAL, 3,
                 (const char *[]){"joints.poly.drive.signal.polynomial.0", "joints.poly.drive.signal.polynomial.1",
                                  "joints.poly.drive.signal.polynomial.2"},
                 (double[]){1, 2, 2});
    check_signal(model, joints[6].drive[0], SARRUS_SIGNAL_TABLE, 4,
                 (const char *[]){"joints.table.drive.signal.table.y.0", "joints.table.drive.signal.table.y.1",
                                  "joints.table.drive.signal.table.y.2", "joints.table.drive.signal.table.y.3"},
                 (double[]){0, 1, 2, 3});
    assert_true(model->signals[joints[6].drive[0]].knots[3] == 4);
    assert_false(model->signals[joints[6].drive[0]].is_linear);
    const sarrus_force *load = &model->forces[1];
    assert_int_equal(load->frame, SARRUS_FRAME_INERTIAL);
    assert_int_equal(load->value[0].kind, SARRUS_SOURCE_SIGNAL);
    check_signal(model, load->value[0].index, SARRUS_SIGNAL_RAMP, 3,
                 (const char *[]){"forces.load.value.0.signal.ramp.offset", "forces.load.value.0.signal.ramp.slope",
                                  "forces.load.value.0.signal.ramp.start"},
                 (double[]){1, 3, 0.5});
    assert_int_equal(model->n_inputs, 4);
    assert_true(model->signals[model->forces[2].value[0].index].is_linear);
    assert_true(model->signals[model->forces[2].value[0].index].knots[0] == -1);
    reading_end(&reading);
}

/* The text in a result file must give the same model, and itself. */
static void the_resolved_text_reads_as_the_same_model(void **state) {
    (void)state;
    static const char *const names[] = {"five_bar.yaml", "everything.yaml"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
        struct reading first = read_good(names[i]);
        struct reading again = read_text(sarrus_model_resolved(first.model));
        print_diagnostics(&again);
        assert_int_equal(again.status, SARRUS_OK);
        assert_string_equal(sarrus_model_resolved(again.model), sarrus_model_resolved(first.model));
        assert_string_equal(sarrus_model_name(again.model), sarrus_model_name(first.model));
        assert_int_equal(again.model->n_values, first.model->n_values);
        for (int i_value = 0; i_value < first.model->n_values; ++i_value) {
            assert_string_equal(again.model->values[i_value].path, first.model->values[i_value].path);
            assert_true(again.model->values[i_value].nominal == first.model->values[i_value].nominal);
        }
        reading_end(&again);
        reading_end(&first);
    }
}

/* A name with what a text may not hold as it is: escapes bring it, and stand in the text of the result. */
static void names_with_escapes_are_read_again(void **state) {
    (void)state;
    static const char *const escaped[] = {
        "\\N",        "\\L\\P",     "\\uFEFF", "a\\uFFFEb", "\\x27\\x27\\x27\\x27\\x27", "\\U0001F600 \\xe9", "'''\\x27 \\\\N",
        "\\x85\\xa0", "\\U0010FFFF"};
    for (size_t i = 0; i < sizeof escaped / sizeof escaped[0]; ++i) {
        char text[600];
        (void)snprintf(text, sizeof text, "%sname: \"%s\"\n", SCENARIO, escaped[i]);
        struct reading first = read_text(text);
        print_diagnostics(&first);
        assert_int_equal(first.status, SARRUS_OK);
        struct reading again = read_text(sarrus_model_resolved(first.model));
        print_diagnostics(&again);
        assert_int_equal(again.status, SARRUS_OK);
        assert_string_equal(sarrus_model_name(again.model), sarrus_model_name(first.model));
        reading_end(&again);
        reading_end(&first);
    }
}

static void numbers_as_yaml_writes_them(void **state) {
    (void)state;
    static const struct {
        const char *text;
        double expected;
    } cases[] = {{"1", 1},
                 {"+1", 1},
                 {"-0", 0},
                 {"1.", 1},
                 {".5", 0.5},
                 {"-.5e1", -5},
                 {"1E+3", 1e3},
                 {"0o17", 15},
                 {"0xfF", 255},
                 {"007", 7},
                 {"1e-320", 1e-320},
                 {"1e-999", 0},
                 {"\"=1\"", 1},
                 {"'=2^3'", 8},
                 {"=1<2", 1},
                 {"=-1", -1},
                 {"\"=1 > 2 ? 3 : 4\"", 4}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        char *text = NULL;
        assert_true(asprintf(&text, SCENARIO "gravity: [%s, 0]\n", cases[i].text) > 0);
        struct reading reading = read_text(text);
        if (reading.status != SARRUS_OK) {
            print_diagnostics(&reading);
            fail_msg("%s was refused", cases[i].text);
        }
        assert_true(nominal_at(reading.model, "gravity.0") == cases[i].expected);
        reading_end(&reading);
        free(text);
    }
}

static void text_that_is_no_number(void **state) {
    (void)state;
    static const char *const cases[] = {"1_000", "1,5 ", "0b1",   "1e",  ".",   "+",   "--1", "0x", "0o8",
                                        "1 2",   "true", "1.2.3", "nan", "inf", "1d3", "~",   "''"};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        char *text = NULL;
        assert_true(asprintf(&text, SCENARIO "dynamics:\n  baumgarte:\n    alpha: %s\n", cases[i]) > 0);
        struct reading reading = read_text(text);
        assert_int_equal(reading.status, SARRUS_BAD_INPUT);
        assert_int_equal(sarrus_context_n_diagnostics(reading.context), 1);
        assert_int_equal(diagnostic_of(&reading, 0)->line, 11);
        assert_int_equal(diagnostic_of(&reading, 0)->column, strcmp(cases[i], "") == 0 ? 5 : 12);
        reading_end(&reading);
        free(text);
    }
}

/* A good scenario with `integrator` and the rest of its text in place of the usual ones. */
static struct reading read_with(const char *integrator, const char *rest) {
    char *text = NULL;
    assert_true(asprintf(&text,
                         "sarrus: 1\nspace: planar\nbodies: [{name: a, mass: 1, inertia: 0.1, position: [0, 0]}]\njoints: []\n"
                         "integrator: {%s}\n%s\n",
                         integrator, rest) > 0);
    struct reading reading = read_text(text);
    print_diagnostics(&reading);
    assert_int_equal(reading.status, SARRUS_OK);
    free(text);
    return reading;
}

static void every_method_can_be_named(void **state) {
    (void)state;
    char text[100];
    for (int i = 0; i < SARRUS_N_PINV_METHODS; ++i) {
        (void)snprintf(text, sizeof text, "dynamics: {pinv: %s}", sarrus_pinv_method_word((sarrus_pinv_method)i));
        struct reading reading = read_with("dt: 1e-3, t_end: 1", text);
        assert_int_equal(reading.model->dynamics.pinv, i);
        reading_end(&reading);
    }
    for (int i = 0; i < SARRUS_N_RANK_METHODS; ++i) {
        const sarrus_rank_method method = (sarrus_rank_method)i;
        (void)snprintf(text, sizeof text, "dynamics: {rank: {method: %s}}", sarrus_rank_method_word(method));
        struct reading reading = read_with("dt: 1e-3, t_end: 1", text);
        assert_int_equal(reading.model->dynamics.rank_method, i);
        assert_true(reading.model->dynamics.rank_tolerance == sarrus_rank_method_tolerance(method));
        reading_end(&reading);
        if (method == SARRUS_RANK_AUTO) {
            continue;
        }
        (void)snprintf(text, sizeof text, "dynamics: {rank: {tol: 0.25, method: %s}}", sarrus_rank_method_word(method));
        reading = read_with("dt: 1e-3, t_end: 1", text);
        assert_int_equal(reading.model->dynamics.rank_method, i);
        assert_true(reading.model->dynamics.rank_tolerance == 0.25);
        reading_end(&reading);
    }
    for (int i = 0; i < SARRUS_N_INTEGRATORS; ++i) {
        (void)snprintf(text, sizeof text, "dt: 1e-3, t_end: 1, method: %s", sarrus_integrator_word((sarrus_integrator)i));
        struct reading reading = read_with(text, "");
        assert_int_equal(reading.model->integrator.method, i);
        reading_end(&reading);
    }
}

static void settings_of_adaptive_methods(void **state) {
    (void)state;
    struct reading reading =
        read_with("max_order: 5, max_steps: 1000, rtol: 1e-6, atol: 1e-9, dt: 1e-3, t_end: 1, method: adams-moulton",
                  "output: {every: 10, channels: [rank, singular_values]}");
    assert_int_equal(reading.model->integrator.max_order, 5);
    assert_int_equal(reading.model->integrator.max_steps, 1000);
    assert_true(reading.model->integrator.rtol == 1e-6 && reading.model->integrator.atol == 1e-9);
    assert_true(reading.model->integrator.grid == 1e-3);
    assert_int_equal(reading.model->output.every, 10);
    assert_int_equal(reading.model->output.channels, SARRUS_CHANNEL_RANK | SARRUS_CHANNEL_SINGULAR_VALUES);
    reading_end(&reading);
}

/* Numbers come into their order; statistics may be a list alone. */
static void what_is_kept_of_instances(void **state) {
    (void)state;
    struct reading reading = read_with("dt: 1e-3, t_end: 1", "output: {instances: [17, \"=3\", 5], statistics: {channels: [joints, "
                                                             "energy], quantiles: [0.95, \"=1/4\"]}}\nbatch: {instances: 18}");
    const sarrus_model *model = reading.model;
    assert_true(model->output.has_kept && model->output.n_kept == 3);
    assert_true(model->output.kept[0] == 3 && model->output.kept[1] == 5 && model->output.kept[2] == 17);
    assert_int_equal(model->output.statistics, SARRUS_CHANNEL_JOINTS | SARRUS_CHANNEL_ENERGY);
    assert_true(model->output.n_levels == 2 && model->output.levels[0] == 0.95 && model->output.levels[1] == 0.25);
    reading_end(&reading);
    reading = read_with("dt: 1e-3, t_end: 1", "output: {instances: none, statistics: [state]}");
    assert_true(reading.model->output.has_kept && reading.model->output.n_kept == 0 && reading.model->output.n_levels == 0);
    assert_int_equal(reading.model->output.statistics, SARRUS_CHANNEL_STATE);
    reading_end(&reading);
    reading = read_with("dt: 1e-3, t_end: 1", "output: {instances: all}");
    assert_true(!reading.model->output.has_kept && reading.model->output.statistics == 0);
    reading_end(&reading);
    reading = read_with("dt: 1e-3, t_end: 1", "output: {instances: [40]}"); /* a caller may have as many instances */
    assert_true(reading.model->output.n_kept == 1 && reading.model->batch.n_instances == 1);
    reading_end(&reading);
}

/* Outputs of an adaptive method lie on a grid of their own, which need not know its first step. */
static void an_adaptive_method_looks_at_any_interval(void **state) {
    (void)state;
    struct reading reading = read_with("method: dopri5, dt: 1e-3, t_end: 1", "output: {interval: 0.0123}");
    assert_true(reading.model->integrator.grid == 0.0123 && reading.model->integrator.dt == 1e-3);
    assert_int_equal(reading.model->output.every, 1);
    reading_end(&reading);
    /* A first step that would be too many steps to t_end is none. */
    reading = read_with("method: dopri5, dt: 1e-14, t_end: 1", "output: {interval: 0.5}");
    assert_true(reading.model->integrator.grid == 0.5 && reading.model->integrator.dt == 1e-14);
    reading_end(&reading);
    reading = read_with("method: dopri5, dt: 1e-3, t_end: 1", "output: {interval: 1e12}");
    assert_true(reading.model->integrator.grid == 1);
    reading_end(&reading);
    reading = read_with("method: semi-implicit, dt: 1e-3, t_end: 1", "output: {interval: 0.02}");
    assert_true(reading.model->integrator.grid == 1e-3);
    assert_int_equal(reading.model->output.every, 20);
    reading_end(&reading);
}

static void gains_by_a_rule(void **state) {
    (void)state;
    struct reading reading = read_with("dt: 1e-3, t_end: 1", "dynamics: {baumgarte: {rule: step}}");
    assert_true(reading.model->dynamics.has_step_gains);
    assert_int_equal(reading.model->dynamics.projection, SARRUS_PROJECTION_NONE);
    assert_true(nominal_at(reading.model, "dynamics.baumgarte.alpha") == 0);
    reading_end(&reading);
    reading = read_with("dt: 1e-3, t_end: 1", "dynamics: {baumgarte: {rule: step}, projection: every_step}");
    assert_int_equal(reading.model->dynamics.projection, SARRUS_PROJECTION_EVERY_STEP);
    reading_end(&reading);
}

static void settings_are_read_back_the_same(void **state) {
    (void)state;
    struct reading first =
        read_with("method: adams-moulton, dt: 1e-3, t_end: 1, rtol: 1e-7, atol: 1e-11, max_steps: 77, max_order: 3",
                  "dynamics: {pinv: greville, rank: {method: tracked, tol: 1e-6}, baumgarte: {rule: step}}\n"
                  "output: {interval: 0.3, channels: [singular_values]}");
    struct reading again = read_text(sarrus_model_resolved(first.model));
    print_diagnostics(&again);
    assert_int_equal(again.status, SARRUS_OK);
    const sarrus_model *model = again.model;
    assert_int_equal(model->dynamics.pinv, SARRUS_PINV_GREVILLE);
    assert_int_equal(model->dynamics.rank_method, SARRUS_RANK_TRACKED);
    assert_true(model->dynamics.rank_tolerance == 1e-6);
    assert_true(model->dynamics.has_step_gains);
    assert_int_equal(model->integrator.method, SARRUS_INTEGRATOR_ADAMS_MOULTON);
    assert_true(model->integrator.rtol == 1e-7 && model->integrator.atol == 1e-11 && model->integrator.grid == 0.3);
    assert_int_equal(model->integrator.max_steps, 77);
    assert_int_equal(model->integrator.max_order, 3);
    assert_int_equal(model->output.channels, SARRUS_CHANNEL_SINGULAR_VALUES);
    reading_end(&again);
    reading_end(&first);
}

/* A named parameter is used by what the model or a setting depends on, through others if need be; being drawn is no use. What an
 * override brought has its place in the override. */
static void use_and_places(void **state) {
    (void)state;
    static const char text[] =
        "parameters: {m: 1, a: 2, b: \"=a\", c: 3, d: \"=c\", e: 0.5, f: 1, dt: 1}\n" SCENARIO_HEAD
        "joints:\n  - {name: j, type: revolute, bodies: [ground, a], at: [\"=max(m,0)\", \"=b\"], drive: {signal: 0}}\n"
        "batch: {parameters: [{name: f, distribution: normal, mean: 0, sd: \"=e\"}]}\n";
    static const bool is_used[] = {true, true, true, false, false, true, false, false};
    const sarrus_override overrides[] = {{"joints.j.drive", "{signal: {ramp: {slope: 2}}}"}};
    struct reading reading = read_bytes(text, strlen(text), overrides, 1);
    print_diagnostics(&reading);
    assert_int_equal(reading.status, SARRUS_OK);
    for (int i = 0; i < 8; ++i) {
        assert_int_equal(reading.model->values[i].is_used, is_used[i]);
    }
    assert_int_equal(reading.model->joints[0].place.line, 9);
    assert_int_equal(reading.model->joints[0].place.i_override, 0);
    assert_int_equal(reading.model->signals[0].place.line, 1);
    assert_int_equal(reading.model->signals[0].place.i_override, 1);
    reading_end(&reading);
    reading = read_text(text);
    assert_int_equal(reading.model->signals[0].place.line, 9);
    reading_end(&reading);
}

static void empty_sections_are_absent_ones(void **state) {
    (void)state;
    struct reading reading =
        read_text(SCENARIO_HEAD "joints:\nforces:\nconstraints:\nground:\nbatch:\noutput:\ndynamics:\nparameters:\nname:\n");
    print_diagnostics(&reading);
    assert_int_equal(reading.status, SARRUS_OK);
    assert_int_equal(reading.model->n_joints, 0);
    assert_string_equal(sarrus_model_name(reading.model), "");
    reading_end(&reading);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_of_the_five_bar),
        cmocka_unit_test(aliases_are_what_they_name),
        cmocka_unit_test(joints_and_forces_of_the_five_bar),
        cmocka_unit_test(settings_of_the_five_bar),
        cmocka_unit_test(defaults),
        cmocka_unit_test(limits_that_are_off),
        cmocka_unit_test(values_of_everything),
        cmocka_unit_test(joints_of_everything),
        cmocka_unit_test(signals_of_everything),
        cmocka_unit_test(the_resolved_text_reads_as_the_same_model),
        cmocka_unit_test(names_with_escapes_are_read_again),
        cmocka_unit_test(numbers_as_yaml_writes_them),
        cmocka_unit_test(text_that_is_no_number),
        cmocka_unit_test(use_and_places),
        cmocka_unit_test(empty_sections_are_absent_ones),
        cmocka_unit_test(every_method_can_be_named),
        cmocka_unit_test(settings_of_adaptive_methods),
        cmocka_unit_test(what_is_kept_of_instances),
        cmocka_unit_test(an_adaptive_method_looks_at_any_interval),
        cmocka_unit_test(gains_by_a_rule),
        cmocka_unit_test(settings_are_read_back_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Claims: what a plan makes of a model in space before it looks at numbers, rows, free coordinates, drives and offsets, and what it
 * makes of one instance's numbers, points, axes, zeros, weights and the state, is what the tables say and what was reckoned by hand
 * for two bodies of which the first has been turned. The models are made here, without a scenario. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/report.h"
#include "plan/build.h"

enum { MAX_VALUES = 200, N_BODIES = 2, MAX_JOINTS = 8, N_SIGNALS = 2 };

/* Some operations on numbers of order 1. */
static const double round_off = 1e-15;

typedef struct sketch {
    sarrus_model model;
    sarrus_value values[MAX_VALUES];
    double numbers[MAX_VALUES];
    sarrus_body bodies[N_BODIES];
    sarrus_joint joints[MAX_JOINTS];
    sarrus_force forces[2];
    sarrus_signal signals[N_SIGNALS];
    sarrus_value_index signal_value;
    sarrus_context *context;
    sarrus_plan *plan;
    double *parameters;
    double q[7 * N_BODIES], v[6 * N_BODIES];
} sketch;

static sarrus_value_index number(sketch *s, double x) {
    assert_true(s->model.n_values < MAX_VALUES);
    s->values[s->model.n_values].nominal = s->numbers[s->model.n_values] = x;
    return s->model.n_values++;
}

static void numbers(sketch *s, int n, const double *x, sarrus_value_index *out) {
    for (int k = 0; k < n; ++k)
        out[k] = number(s, x[k]);
}

static void nothing(int n, sarrus_value_index *out) {
    for (int k = 0; k < n; ++k)
        out[k] = SARRUS_NO_VALUE;
}

/* The first body stands at (1, 2, 3), turned by a quarter about z: its x is the inertial y, its y the inertial −x. */
static void bodies_make(sketch *s) {
    static const double turn[2][4] = {{0.0, 0.0, 2.0, 0.5 * M_PI}, {1.0, 0.0, 0.0, 0.0}};
    static const double inertia[2][6] = {{2.0, 3.0, 4.0, 0.0, 0.0, 0.0}, {3.0, 4.0, 5.0, 0.5, -0.7, 0.9}};
    for (int b = 0; b < N_BODIES; ++b) {
        sarrus_body *body = &s->bodies[b];
        body->mass = number(s, 2.0 + 2.0 * b);
        numbers(s, b == 0 ? 3 : 6, inertia[b], body->inertia);
        if (b == 0)
            nothing(3, body->inertia + 3);
        numbers(s, 3, b == 0 ? (const double[]){1.0, 2.0, 3.0} : (const double[]){2.0, 2.0, 3.0}, body->position);
        body->orientation_form = b == 0 ? SARRUS_ORIENTATION_AXIS : SARRUS_ORIENTATION_PARAMETERS;
        numbers(s, 4, turn[b], body->orientation);
        numbers(s, 3, (const double[]){0.1, 0.2, 0.3}, body->velocity);
        numbers(s, 3, (const double[]){-1.0, -2.0, -3.0}, body->angular_velocity);
        numbers(s, 3, (const double[]){0.0, 0.0, 7.0}, body->rotor);
    }
}

static void sketch_begin(sketch *s) {
    memset(s, 0, sizeof *s);
    sarrus_model *model = &s->model;
    *model = (sarrus_model){.space = SARRUS_SPACE_SPATIAL,
                            .values = s->values,
                            .bodies = s->bodies,
                            .joints = s->joints,
                            .forces = s->forces,
                            .signals = s->signals,
                            .n_bodies = N_BODIES,
                            .n_signals = N_SIGNALS};
    model->dynamics.alpha = model->dynamics.beta = SARRUS_NO_VALUE;
    model->integrator.method = SARRUS_INTEGRATOR_RK4;
    model->integrator.dt = model->integrator.grid = 1e-3;
    numbers(s, 3, (const double[]){0.0, 0.0, -9.81}, model->gravity);
    bodies_make(s);
    s->signal_value = number(s, 0.25);
    for (int i = 0; i < N_SIGNALS; ++i)
        s->signals[i] = (sarrus_signal){.kind = SARRUS_SIGNAL_CONSTANT, .n_values = 1, .values = &s->signal_value};
    assert_int_equal(sarrus_context_create(&s->context), SARRUS_OK);
}

/* A joint between both bodies at the first one's centre of mass, with nothing else. */
static sarrus_joint *joint_put(sketch *s, sarrus_joint_type type) {
    sarrus_joint *joint = &s->joints[s->model.n_joints++];
    *joint = (sarrus_joint){.type = type, .body = {0, 1}, .has_at = true, .length = SARRUS_NO_VALUE, .pitch = SARRUS_NO_VALUE};
    for (int side = 0; side < 2; ++side)
        numbers(s, 3, (const double[]){1.0, 2.0, 3.0}, joint->at[side]);
    nothing(6, &joint->point[0][0]);
    nothing(6, &joint->axis[0][0]);
    nothing(SARRUS_MAX_ORIENTATION, joint->frame);
    nothing(SARRUS_MAX_FREEDOMS, joint->stiffness);
    nothing(SARRUS_MAX_FREEDOMS, joint->damping);
    nothing(SARRUS_MAX_FREEDOMS, joint->rest);
    for (int k = 0; k < SARRUS_MAX_FREEDOMS; ++k)
        joint->drive[k] = -1;
    return joint;
}

/* Plans the structure and fills the parameters; returns whether they are physical. */
static bool sketch_fill(sketch *s) {
    s->plan = calloc(1, sizeof *s->plan);
    s->plan->model = &s->model;
    assert_int_equal(sarrus_plan_structure(s->context, s->plan), SARRUS_OK);
    s->parameters = calloc((size_t)s->plan->mech.n_parameters, sizeof *s->parameters);
    for (int i = 0; i < s->plan->mech.n_parameters; ++i)
        s->parameters[i] = (double)NAN;
    return sarrus_plan_parameters(s->plan, s->numbers, s->parameters, s->q, s->v);
}

static void sketch_end(sketch *s) {
    sarrus_plan_destroy(s->plan);
    free(s->parameters);
    sarrus_context_destroy(s->context);
}

static void check(const double *found, int n, const double *expected) {
    for (int k = 0; k < n; ++k) {
        if (!(fabs(found[k] - expected[k]) <= round_off * fmax(1.0, fabs(expected[k]))))
            fail_msg("number %d is %.17g, not %.17g", k, found[k], expected[k]);
    }
}

static void bodies_have_their_numbers(void **state) {
    (void)state;
    static sketch s;
    sketch_begin(&s);
    assert_true(sketch_fill(&s));
    const double *p = s.parameters + s.plan->mech.p_body;
    check(s.parameters + s.plan->mech.p_gravity, 3, (const double[]){0.0, 0.0, -9.81});
    check(p + SARRUS_SB_MASS, 2, (const double[]){2.0, 0.5});
    check(p + SARRUS_SB_INERTIA, 6, (const double[]){2.0, 3.0, 4.0, 0.0, 0.0, 0.0});
    check(p + SARRUS_SB_IINV, 6, (const double[]){0.5, 1.0 / 3.0, 0.25, 0.0, 0.0, 0.0});
    check(p + SARRUS_SB_ROOT, 6, (const double[]){sqrt(2.0), sqrt(3.0), 2.0, 0.0, 0.0, 0.0});
    check(p + SARRUS_SB_ROTOR, 3, (const double[]){0.0, 0.0, 7.0});
    check(p + SARRUS_SB_N + SARRUS_SB_INERTIA, 6, (const double[]){3.0, 4.0, 5.0, 0.5, -0.7, 0.9});
    check(s.q, 7, (const double[]){1.0, 2.0, 3.0, sqrt(0.5), 0.0, 0.0, sqrt(0.5)});
    check(s.q + 7, 7, (const double[]){2.0, 2.0, 3.0, 1.0, 0.0, 0.0, 0.0});
    check(s.v, 6, (const double[]){0.1, 0.2, 0.3, -1.0, -2.0, -3.0});
    sketch_end(&s);
}

static void unphysical_bodies_are_refused(void **state) {
    (void)state;
    static sketch s;
    for (int i = 0; i < 4; ++i) {
        sketch_begin(&s);
        if (i == 0)
            s.numbers[s.bodies[0].inertia[0]] = 7.5;
        else if (i == 1)
            s.numbers[s.bodies[1].mass] = 0.0;
        else if (i == 2)
            s.numbers[s.bodies[1].orientation[0]] = 0.0;
        assert_int_equal(sketch_fill(&s), i == 3);
        sketch_end(&s);
    }
}

/* A cylindrical joint along the inertial x, two of whose points are 0.5 apart along it. */
static void joints_have_points_axes_and_zeros(void **state) {
    (void)state;
    static sketch s;
    sketch_begin(&s);
    sarrus_joint *joint = joint_put(&s, SARRUS_JOINT_CYLINDRICAL);
    numbers(&s, 3, (const double[]){3.0, 0.0, 0.0}, joint->axis[0]);
    joint->has_at = false;
    numbers(&s, 3, (const double[]){0.0, -1.0, 0.0}, joint->point[0]); /* (2, 2, 3) in the inertial frame */
    numbers(&s, 3, (const double[]){0.5, 0.0, 0.0}, joint->point[1]);
    joint->stiffness[0] = number(&s, 10.0);
    joint->damping[1] = number(&s, 20.0);
    joint->rest[1] = number(&s, 30.0);
    assert_true(sketch_fill(&s));
    const double *p = s.parameters + s.plan->joint[0].p;
    check(p + SARRUS_SJ_PARENT, 3, (const double[]){0.0, -1.0, 0.0});
    check(p + SARRUS_SJ_CHILD, 3, (const double[]){0.5, 0.0, 0.0});
    /* Axis 3 is x, and axis 1 y, of which it has least, and which comes before z; axis 2 = 3 × 1 is z. */
    check(p + SARRUS_SJ_CHILD_AXES, 9, (const double[]){0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0});
    check(p + SARRUS_SJ_PARENT_AXES, 9, (const double[]){1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, -1.0, 0.0});
    const double *shift = s.parameters + s.plan->freedom[0].p, *turn = s.parameters + s.plan->freedom[1].p;
    check(shift, SARRUS_SQ_N, (const double[]){10.0, 0.0, 0.0, 0.5});
    check(turn, SARRUS_SQ_N, (const double[]){0.0, 20.0, 30.0, 0.0});
    assert_int_equal(s.plan->freedom[0].elastic, 1);
    assert_int_equal(s.plan->freedom[1].elastic, 1);
    assert_int_equal(s.plan->mech.n_elastic, 1);
    sketch_end(&s);
}

/* Joint by joint: rows and free coordinates are those of the tables, and stand where the plan says. */
static void rows_and_free_coordinates_are_those_of_the_tables(void **state) {
    (void)state;
    static sketch s;
    sketch_begin(&s);
    (void)joint_put(&s, SARRUS_JOINT_SPHERICAL);
    sarrus_joint *free_one = joint_put(&s, SARRUS_JOINT_FREE);
    free_one->drive[1] = 0;
    sarrus_joint *general = joint_put(&s, SARRUS_JOINT_GENERAL);
    general->held = 1u | 8u; /* x, rx */
    general->drive[0] = 1;
    (void)joint_put(&s, SARRUS_JOINT_BUSHING);
    assert_true(sketch_fill(&s));
    const sarrus_mechanism *mech = &s.plan->mech;
    assert_int_equal(mech->n_q, 14);
    assert_int_equal(mech->n_v, 12);
    assert_int_equal(mech->m, 3 + 1 + 3);
    assert_int_equal(mech->n_drives, 2);
    assert_int_equal(mech->max_joint_rows, 3);
    assert_int_equal(mech->n_general_rows, 1 + 1 + 1);
    assert_int_equal(mech->n_freedoms, 1 + 4 + 4 + 6);
    assert_int_equal(mech->n_free, 3 + 6 + 4 + 6);
    assert_int_equal(mech->n_of_kind[SARRUS_JOINT_BUSHING], 1);
    static const struct {
        int32_t kind, joint, form, freedom;
    } rows[] = {
        {SARRUS_ROW_X, 0, SARRUS_SPATIAL_ROW_PIN_X, -1},         {SARRUS_ROW_Y, 0, SARRUS_SPATIAL_ROW_PIN_Y, -1},
        {SARRUS_ROW_Z, 0, SARRUS_SPATIAL_ROW_PIN_Z, -1},         {SARRUS_ROW_GENERAL, 1, SARRUS_SPATIAL_ROW_DRIVE, 2},
        {SARRUS_ROW_GENERAL, 2, SARRUS_SPATIAL_ROW_ALONG_1, -1}, {SARRUS_ROW_ANGLE, 2, SARRUS_SPATIAL_ROW_ACROSS_23, -1},
        {SARRUS_ROW_GENERAL, 2, SARRUS_SPATIAL_ROW_DRIVE, 5},
    };
    for (int i = 0; i < mech->m; ++i) {
        const sarrus_mech_row *row = &mech->row[i];
        assert_true(row->kind == rows[i].kind && row->joint == rows[i].joint && row->form == rows[i].form);
        assert_true(row->freedom == rows[i].freedom && row->parent == 0 && row->child == 1);
        assert_int_equal(sarrus_plan_row_signal(s.plan, i), i == 3 ? 0 : i == 6 ? 1 : -1);
        assert_int_equal(sarrus_plan_row_is_angle(s.plan, i), i == 5);
    }
    assert_int_equal(mech->freedom[2].row, 3);
    assert_int_equal(mech->freedom[5].row, 6);
    assert_int_equal(mech->freedom[5].signal, 1);
    assert_int_equal(mech->freedom[8].at, 3 + 6 + 3);
    for (int k = 1; k < mech->n_freedoms; ++k)
        assert_int_equal(mech->freedom[k].p >= mech->freedom[k - 1].p + SARRUS_SQ_N, 1);
    sketch_end(&s);
}

/* A screw of 2 mm a turn stands 0.5 along its axis, a universal joint has its own axes, a distance its length. */
static void needs_of_joints_are_met(void **state) {
    (void)state;
    static sketch s;
    sketch_begin(&s);
    sarrus_joint *screw = joint_put(&s, SARRUS_JOINT_SCREW), *universal = joint_put(&s, SARRUS_JOINT_UNIVERSAL),
                 *distance = joint_put(&s, SARRUS_JOINT_DISTANCE), *general = joint_put(&s, SARRUS_JOINT_GENERAL);
    numbers(&s, 3, (const double[]){0.0, 0.0, 2.0}, screw->axis[0]);
    screw->pitch = number(&s, 2e-3);
    numbers(&s, 3, (const double[]){1.0, 2.0, 3.5}, screw->at[1]);
    numbers(&s, 3, (const double[]){0.0, 2.0, 0.0}, universal->axis[0]);
    numbers(&s, 3, (const double[]){0.0, 5e-7, 1.0}, universal->axis[1]);
    numbers(&s, 3, (const double[]){4.0, 6.0, 3.0}, distance->at[1]);
    general->frame_form = SARRUS_ORIENTATION_BRYANT;
    numbers(&s, 3, (const double[]){0.5 * M_PI, 0.0, 0.0}, general->frame);
    assert_true(sketch_fill(&s));
    const double *p[4];
    for (int i = 0; i < 4; ++i)
        p[i] = s.parameters + s.plan->joint[i].p;
    check(p[0] + SARRUS_SJ_LENGTH, 2, (const double[]){0.5, 2e-3});
    check(p[0] + SARRUS_SJ_CHILD_AXES, 9, (const double[]){1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0});
    check(p[1] + SARRUS_SJ_CHILD_AXES, 9, (const double[]){0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0});
    check(p[2] + SARRUS_SJ_LENGTH, 2, (const double[]){5.0, 0.0});
    /* A quarter about x: axis 2 is z, axis 3 is −y. */
    check(p[3] + SARRUS_SJ_CHILD_AXES, 9, (const double[]){1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, -1.0, 0.0});
    sketch_end(&s);
}

static void what_joints_need_and_do_not_get_is_refused(void **state) {
    (void)state;
    static sketch s;
    for (int i = 0; i < 4; ++i) {
        sketch_begin(&s);
        sarrus_joint *joint = joint_put(&s, i == 0   ? SARRUS_JOINT_SCREW
                                            : i == 1 ? SARRUS_JOINT_UNIVERSAL
                                            : i == 2 ? SARRUS_JOINT_DISTANCE
                                                     : SARRUS_JOINT_REVOLUTE);
        numbers(&s, 3, i == 3 ? (const double[]){0.0, 0.0, 0.0} : (const double[]){1.0, 0.0, 0.0}, joint->axis[0]);
        numbers(&s, 3, (const double[]){2e-6, 1.0, 0.0}, joint->axis[1]);
        joint->pitch = number(&s, 0.0);
        assert_false(sketch_fill(&s));
        sketch_end(&s);
    }
}

static void forces_have_their_numbers(void **state) {
    (void)state;
    static sketch s;
    sketch_begin(&s);
    s.model.n_forces = 2;
    s.forces[0] = (sarrus_force){.type = SARRUS_FORCE_SPRING, .body = {0, SARRUS_GROUND}};
    s.forces[1] = (sarrus_force){.type = SARRUS_FORCE_TORQUE, .body = {1, SARRUS_GROUND}, .frame = SARRUS_FRAME_BODY};
    for (int i = 0; i < 2; ++i) {
        numbers(&s, 3, (const double[]){1.0, 2.0, 3.0}, s.forces[i].point[0]);
        numbers(&s, 3, (const double[]){4.0, 5.0, 6.0}, s.forces[i].point[1]);
    }
    s.forces[0].stiffness = number(&s, 100.0);
    s.forces[0].rest_length = number(&s, 0.3);
    s.forces[0].damping = number(&s, 7.0);
    s.forces[1].value[0] = (sarrus_source){SARRUS_SOURCE_VALUE, number(&s, 11.0)};
    s.forces[1].value[1] = (sarrus_source){SARRUS_SOURCE_SIGNAL, 1};
    s.forces[1].value[2] = (sarrus_source){SARRUS_SOURCE_VALUE, number(&s, 13.0)};
    assert_true(sketch_fill(&s));
    check(s.parameters + s.plan->force[0].p, SARRUS_SF_N, (const double[]){1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 100.0, 0.3, 7.0});
    check(s.parameters + s.plan->force[1].p + SARRUS_SF_LOAD, 3, (const double[]){11.0, 0.0, 13.0});
    assert_int_equal(s.plan->force[1].source[1], SARRUS_SOURCE_SIGNAL);
    assert_int_equal(s.plan->force[1].index[1], 1);
    assert_int_equal(s.plan->force[1].in_body_frame, 1);
    sketch_end(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_have_their_numbers),         cmocka_unit_test(unphysical_bodies_are_refused),
        cmocka_unit_test(joints_have_points_axes_and_zeros), cmocka_unit_test(rows_and_free_coordinates_are_those_of_the_tables),
        cmocka_unit_test(needs_of_joints_are_met),           cmocka_unit_test(what_joints_need_and_do_not_get_is_refused),
        cmocka_unit_test(forces_have_their_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

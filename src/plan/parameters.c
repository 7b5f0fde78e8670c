/* One instance's numbers: from the values of the model to the parameters of the kernels and the given configuration. */
#include <math.h>
#include <stdlib.h>

#include "plan/body.h"
#include "plan/constraints.h"
#include "plan/ground.h"
#include "plan/plan.h"
#include "plan/spatial_parameters.h"
#include "plan/spline.h"
#include "plan/turns.h"

typedef struct vector2 {
    double x, y;
} vector2;

static vector2 rotate(double angle, vector2 s) {
    double c = cos(angle), n = sin(angle);
    return (vector2){c * s.x - n * s.y, n * s.x + c * s.y};
}

static double value_or(const double *values, sarrus_value_index i, double otherwise) {
    return i == SARRUS_NO_VALUE ? otherwise : values[i];
}

/* The given configuration: bodies, and ground, NULL where it is at rest. */
typedef struct beginning {
    const double *q, *ground;
} beginning;

/* The coordinates of a body, NULL where they are those of the inertial frame. */
static const double *pose_of(const beginning *at, int body) {
    return body < 0 ? at->ground : at->q + SARRUS_PLANAR_NQ * body;
}

/* Where a point given in the inertial frame lies in the frame of `body`, and back. */
static vector2 into_body(const beginning *at, int body, vector2 point) {
    const double *b = pose_of(at, body);
    if (!b)
        return point;
    return rotate(-b[2], (vector2){point.x - b[0], point.y - b[1]});
}

static vector2 out_of_body(const beginning *at, int body, vector2 point) {
    const double *b = pose_of(at, body);
    if (!b)
        return point;
    vector2 arm = rotate(b[2], point);
    return (vector2){b[0] + arm.x, b[1] + arm.y};
}

static double angle_of(const beginning *at, int body) {
    const double *b = pose_of(at, body);
    return b ? b[SARRUS_PLANAR_TURN] : 0.0;
}

bool sarrus_plan_is_inertia(double x, double lack) {
    return x > 0.0 || (lack > 0.0 && x == 0.0);
}

static bool fill_bodies(const sarrus_plan *plan, const double *values, double *parameters, double *q, double *v) {
    const sarrus_model *model = plan->model;
    bool good = true;
    for (int b = 0; b < model->n_bodies; ++b) {
        const sarrus_body *body = &model->bodies[b];
        double *p = parameters + plan->mech.p_body + SARRUS_PB_N * b;
        p[SARRUS_PB_MASS] = values[body->mass];
        p[SARRUS_PB_INERTIA] = values[body->inertia[0]];
        const sarrus_plan_lack lack = plan->lack ? plan->lack[b] : (sarrus_plan_lack){0.0, 0.0};
        good = sarrus_plan_is_inertia(p[SARRUS_PB_MASS], lack.mass) && good;
        good = sarrus_plan_is_inertia(p[SARRUS_PB_INERTIA], lack.inertia) && good;
        p[SARRUS_PB_MINV] = 1.0 / fmax(p[SARRUS_PB_MASS], lack.mass);
        p[SARRUS_PB_IINV] = 1.0 / fmax(p[SARRUS_PB_INERTIA], lack.inertia);
        p[SARRUS_PB_CRANK_IINV] = 0.0;
        for (int k = 0; k < 2; ++k) {
            q[SARRUS_PLANAR_NQ * b + k] = values[body->position[k]];
            v[SARRUS_PLANAR_NV * b + k] = values[body->velocity[k]];
        }
        q[SARRUS_PLANAR_NQ * b + SARRUS_PLANAR_TURN] = values[body->orientation[0]];
        v[SARRUS_PLANAR_NV * b + SARRUS_PLANAR_TURN] = values[body->angular_velocity[0]];
    }
    return good;
}

static bool fill_axis(const sarrus_joint *joint, const double *values, const beginning *start, vector2 gap, double *p) {
    vector2 axis = {values[joint->axis[0][0]], values[joint->axis[0][1]]};
    double length = hypot(axis.x, axis.y);
    if (!(length > 0.0))
        return false;
    axis.x /= length;
    axis.y /= length;
    p[SARRUS_PJ_SHIFT0] = axis.x * gap.x + axis.y * gap.y;
    if (pose_of(start, joint->body[0]))
        axis = rotate(-angle_of(start, joint->body[0]), axis);
    p[SARRUS_PJ_AXIS_X] = axis.x;
    p[SARRUS_PJ_AXIS_Y] = axis.y;
    return true;
}

static bool fill_joint(const sarrus_joint *joint, const double *values, const beginning *start, double *p) {
    vector2 local[2], gap = {0.0, 0.0};
    for (int side = 0; side < 2; ++side) {
        const sarrus_value_index *given = joint->has_at ? joint->at[side] : joint->point[side];
        vector2 point = {values[given[0]], values[given[1]]};
        local[side] = joint->has_at ? into_body(start, joint->body[side], point) : point;
        vector2 at = joint->has_at ? point : out_of_body(start, joint->body[side], point);
        gap.x += side ? at.x : -at.x;
        gap.y += side ? at.y : -at.y;
    }
    p[SARRUS_PJ_PARENT_X] = local[0].x;
    p[SARRUS_PJ_PARENT_Y] = local[0].y;
    p[SARRUS_PJ_CHILD_X] = local[1].x;
    p[SARRUS_PJ_CHILD_Y] = local[1].y;
    p[SARRUS_PJ_ANGLE0] = angle_of(start, joint->body[1]) - angle_of(start, joint->body[0]);
    p[SARRUS_PJ_AXIS_X] = p[SARRUS_PJ_AXIS_Y] = p[SARRUS_PJ_SHIFT0] = 0.0;
    p[SARRUS_PJ_STIFFNESS] = value_or(values, joint->stiffness[0], 0.0);
    p[SARRUS_PJ_DAMPING] = value_or(values, joint->damping[0], 0.0);
    p[SARRUS_PJ_REST] = value_or(values, joint->rest[0], 0.0);
    if (joint->rest_is_absolute && SARRUS_JOINT_AMONG(SARRUS_JOINTS_THAT_TURN, joint->type))
        p[SARRUS_PJ_REST] -= p[SARRUS_PJ_ANGLE0];
    if (SARRUS_JOINT_AMONG(SARRUS_JOINTS_WITH_AXIS, joint->type)) {
        const bool good = fill_axis(joint, values, start, gap, p);
        p[SARRUS_PJ_REST] -= joint->rest_is_absolute ? p[SARRUS_PJ_SHIFT0] : 0.0;
        return good;
    }
    if (SARRUS_JOINT_AMONG(SARRUS_JOINTS_WITH_LENGTH, joint->type)) {
        p[SARRUS_PJ_SHIFT0] = value_or(values, joint->length, hypot(gap.x, gap.y));
        return p[SARRUS_PJ_SHIFT0] > 0.0;
    }
    return true;
}

/* The moment of inertia of a crank about its pin: its two rows there, J_A, have |t|² = |s|² in every configuration, s the pin's
 * point in the crank. */
static void fill_crank(const sarrus_mechanism *mech, const sarrus_mech_joint *joint, double *parameters) {
    const int at = joint->child >= 0;
    const double *p = parameters + joint->p + (at ? SARRUS_PJ_CHILD_X : SARRUS_PJ_PARENT_X);
    double *body = parameters + mech->p_body + SARRUS_PB_N * (at ? joint->child : joint->parent);
    body[SARRUS_PB_CRANK_IINV] = 1.0 / (body[SARRUS_PB_INERTIA] + body[SARRUS_PB_MASS] * (p[0] * p[0] + p[1] * p[1]));
}

static double source_value(const sarrus_source *source, const double *values) {
    return source->kind == SARRUS_SOURCE_VALUE && source->index >= 0 ? values[source->index] : 0.0;
}

static void fill_force(const sarrus_force *force, const double *values, double *p) {
    for (int k = 0; k < 2; ++k) {
        p[SARRUS_PF_A_X + k] = value_or(values, force->point[0][k], 0.0);
        p[SARRUS_PF_B_X + k] = value_or(values, force->point[1][k], 0.0);
    }
    if (force->type == SARRUS_FORCE_SPRING) {
        p[SARRUS_PF_STIFFNESS] = value_or(values, force->stiffness, 0.0);
        p[SARRUS_PF_REST] = value_or(values, force->rest_length, 0.0);
        p[SARRUS_PF_DAMPING] = value_or(values, force->damping, 0.0);
    } else {
        p[SARRUS_PF_STIFFNESS] = source_value(&force->value[0], values);
        p[SARRUS_PF_REST] = force->type == SARRUS_FORCE_POINT ? source_value(&force->value[1], values) : 0.0;
        p[SARRUS_PF_DAMPING] = 0.0;
    }
}

static bool fill_signal(const sarrus_signal *signal, const double *values, double *p) {
    if (signal->kind != SARRUS_SIGNAL_TABLE) {
        for (int k = 0; k < signal->n_values; ++k)
            p[k] = values[signal->values[k]];
        return true;
    }
    double *y = malloc((size_t)signal->n_values * sizeof *y);
    if (!y)
        return false;
    for (int k = 0; k < signal->n_values; ++k)
        y[k] = values[signal->values[k]];
    bool good = sarrus_spline(signal->n_values, signal->knots, y, signal->is_linear, p);
    free(y);
    return good;
}

/* Bodies, joints and forces in the plane. */
static bool fill_planar(const sarrus_plan *plan, const double *values, double *parameters, double *q, double *v) {
    const sarrus_model *model = plan->model;
    const sarrus_mechanism *mech = &plan->mech;
    bool good = fill_bodies(plan, values, parameters, q, v);
    double ground[SARRUS_GROUND_COORDINATES];
    sarrus_plan_ground_begin(plan, parameters, ground);
    const beginning start = {q, mech->moves_ground ? ground : NULL};
    for (int i = 0; i < model->n_joints; ++i) {
        good = fill_joint(&model->joints[i], values, &start, parameters + mech->joint[i].p) && good;
        if (mech->joint[i].is_crank_pin)
            fill_crank(mech, &mech->joint[i], parameters);
    }
    for (int i = 0; i < model->n_forces; ++i)
        fill_force(&model->forces[i], values, parameters + mech->force[i].p);
    return good;
}

bool sarrus_plan_parameters(const sarrus_plan *plan, const double *values, double *parameters, double *q, double *v) {
    const sarrus_model *model = plan->model;
    const sarrus_mechanism *mech = &plan->mech;
    for (int k = 0; k < sarrus_body_sizes_of(mech->space)->dimension; ++k)
        parameters[mech->p_gravity + k] = values[model->gravity[k]];
    parameters[mech->p_baumgarte] = value_or(values, model->dynamics.alpha, 0.0);
    parameters[mech->p_baumgarte + 1] = value_or(values, model->dynamics.beta, 0.0);
    bool good = true;
    for (int i = 0; i < model->n_signals; ++i)
        good = fill_signal(&model->signals[i], values, parameters + mech->signal[i].p) && good;
    good = sarrus_plan_ground_fill(plan, values, parameters) && good;
    good = (mech->space == SARRUS_SPACE_SPATIAL ? sarrus_spatial_parameters_fill(plan, values, parameters, q, v)
                                                : fill_planar(plan, values, parameters, q, v)) &&
           good;
    good = sarrus_plan_constraints_parameters(plan, values, parameters) && good;
    good = good && sarrus_plan_turns_take(plan, parameters, q);
    for (int i = 0; i < mech->n_parameters; ++i)
        good = good && isfinite(parameters[i]);
    for (int i = 0; i < mech->n_q; ++i)
        good = good && isfinite(q[i]);
    for (int i = 0; i < mech->n_v; ++i)
        good = good && isfinite(v[i]);
    return good;
}

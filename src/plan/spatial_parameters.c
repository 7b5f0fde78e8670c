#include "plan/spatial_parameters.h"

#include <math.h>
#include <string.h>

#include "plan/ground.h"
#include "plan/inertia.h"
#include "plan/rotation.h"

/* How far from a right angle the axes of a universal joint may be, rad. */
static const double right_angle_tolerance = 1e-6;

static double value_or(const double *values, sarrus_value_index i, double otherwise) {
    return i == SARRUS_NO_VALUE ? otherwise : values[i];
}

static void vector_of(const sarrus_value_index index[3], const double *values, double out[3]) {
    for (int k = 0; k < 3; ++k)
        out[k] = value_or(values, index[k], 0.0);
}

/* Where a body stands at t = 0. */
typedef struct placement {
    double r[3], a[3][3];
} placement;

/* The coordinates of ground, NULL: at rest at the origin. */
static placement place_of(const double *q, const double *ground, int body) {
    static const placement inertial = {{0.0, 0.0, 0.0}, {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}};
    placement out = inertial;
    const double *of = body < 0 ? ground : q + SARRUS_SPATIAL_NQ * body;
    if (!of)
        return out;
    memcpy(out.r, of, sizeof out.r);
    sarrus_rotation_of(of + SARRUS_SPATIAL_TURN, out.a);
    return out;
}

/* p ← an orientation; that of the inertial frame when none is given. */
static bool orientation_of(sarrus_orientation form, const sarrus_value_index *index, const double *values, double p[4]) {
    static const double none[4] = {1.0, 0.0, 0.0, 0.0};
    double x[SARRUS_MAX_ORIENTATION];
    memcpy(p, none, sizeof none);
    if (index[0] == SARRUS_NO_VALUE)
        return true;
    for (int k = 0; k < sarrus_orientation_count(form); ++k)
        x[k] = values[index[k]];
    return sarrus_orientation_read(form, x, p);
}

static bool fill_inertia(const sarrus_plan_lack *lack, double *p) {
    const double *tensor = p + SARRUS_SB_INERTIA;
    double *root = p + SARRUS_SB_ROOT, *inverse = p + SARRUS_SB_IINV;
    return (lack->inertia > 0.0 ? sarrus_inertia_fill(tensor, lack->inertia, root, inverse)
                                : sarrus_inertia_judge(tensor, root, inverse)) == SARRUS_INERTIA_GOOD;
}

static bool fill_body(const sarrus_body *body, const sarrus_plan_lack *lack, const double *values, double *p, double *q,
                      double *v) {
    p[SARRUS_SB_MASS] = values[body->mass];
    p[SARRUS_SB_MINV] = 1.0 / fmax(p[SARRUS_SB_MASS], lack->mass);
    for (int k = 0; k < 6; ++k)
        p[SARRUS_SB_INERTIA + k] = value_or(values, body->inertia[k], 0.0);
    vector_of(body->rotor, values, p + SARRUS_SB_ROTOR);
    vector_of(body->position, values, q);
    vector_of(body->velocity, values, v);
    vector_of(body->angular_velocity, values, v + SARRUS_SPATIAL_TURN);
    const bool is_placed = orientation_of(body->orientation_form, body->orientation, values, q + SARRUS_SPATIAL_TURN);
    return fill_inertia(lack, p) && is_placed && sarrus_plan_is_inertia(p[SARRUS_SB_MASS], lack->mass);
}

/* x ← x/|x| */
static bool make_unit(double x[3]) {
    const double length = sarrus_vector_length(x);
    for (int k = 0; k < 3; ++k)
        x[k] /= length;
    return length > 0.0 && isfinite(length);
}

/* x ← its part across the unit vector `axis`, of length 1. */
static bool make_across(const double axis[3], double x[3]) {
    const double along = sarrus_vector_dot(axis, x);
    for (int k = 0; k < 3; ++k)
        x[k] -= along * axis[k];
    return make_unit(x);
}

/* axis[0], axis[1] ← two directions across axis[2], all at right angles: from the inertial axis that the nominal one, of which its
 * values are, has least of. So instances whose axes are drawn have axes 1 and 2 that are alike. */
static bool complete_axes(const sarrus_model *model, const sarrus_value_index nominal[3], double axis[3][3]) {
    int least = 0;
    if (!make_unit(axis[2]))
        return false;
    for (int k = 1; k < 3; ++k) {
        const double here = fabs(model->values[nominal[k]].nominal), before = fabs(model->values[nominal[least]].nominal);
        least = here < before ? k : least;
    }
    memset(axis[0], 0, sizeof axis[0]);
    axis[0][least] = 1.0;
    const bool good = make_across(axis[2], axis[0]);
    sarrus_vector_cross(axis[2], axis[0], axis[1]);
    return good;
}

/* The axes 1 and 2 of a universal joint, and the third at right angles to both. */
static bool cross_axes(double axis[3][3]) {
    if (!make_unit(axis[0]) || !make_unit(axis[1]) || !(fabs(sarrus_vector_dot(axis[0], axis[1])) <= right_angle_tolerance))
        return false;
    const bool good = make_across(axis[0], axis[1]);
    sarrus_vector_cross(axis[0], axis[1], axis[2]);
    return good;
}

static sarrus_joint_need need_of(sarrus_joint_type type) {
    static const sarrus_joint_need needs[SARRUS_N_JOINT_TYPES] = {
#define SARRUS_SPATIAL_JOINT(name, value, word, row_0, row_1, row_2, row_3, row_4, row_5, free_0, free_1, free_2, free_3, free_4,  \
                             free_5, needs, text)                                                                                  \
    [value] = SARRUS_NEEDS_##needs,
#include "sarrus/joint.def"
    };
    return needs[type];
}

/* axis[k] ← axis k + 1 of the joint at t = 0, in the inertial frame. */
static bool find_axes(const sarrus_model *model, const sarrus_joint *joint, const double *values, double axis[3][3]) {
    double p[4], a[3][3];
    switch (need_of(joint->type)) {
    case SARRUS_NEEDS_AXIS:
    case SARRUS_NEEDS_PITCH:
        vector_of(joint->axis[0], values, axis[2]);
        return complete_axes(model, joint->axis[0], axis);
    case SARRUS_NEEDS_AXES:
        vector_of(joint->axis[0], values, axis[0]);
        vector_of(joint->axis[1], values, axis[1]);
        return cross_axes(axis);
    case SARRUS_NEEDS_NOTHING:
    case SARRUS_NEEDS_LENGTH:
    case SARRUS_NEEDS_LIST:
    case SARRUS_NEEDS_FRAME:
        break;
    }
    const bool good = orientation_of(joint->frame_form, joint->frame, values, p);
    sarrus_rotation_of(p, a);
    for (int k = 0; k < 9; ++k)
        axis[k % 3][k / 3] = a[k / 3][k % 3];
    return good;
}

/* The points in the bodies' frames; d ← from the parent's to the child's at t = 0, in the inertial frame. */
static void fill_points(const sarrus_joint *joint, const double *values, const placement body[2], double *p, double d[3]) {
    double at[2][3], given[3];
    for (int side = 0; side < 2; ++side) {
        double *local = p + (side ? SARRUS_SJ_CHILD : SARRUS_SJ_PARENT);
        vector_of(joint->has_at ? joint->at[side] : joint->point[side], values, given);
        if (joint->has_at) {
            memcpy(at[side], given, sizeof given);
            for (int k = 0; k < 3; ++k)
                given[k] -= body[side].r[k];
            sarrus_rotate_back(body[side].a, given, local);
        } else {
            memcpy(local, given, sizeof given);
            sarrus_rotate(body[side].a, given, at[side]);
            for (int k = 0; k < 3; ++k)
                at[side][k] += body[side].r[k];
        }
    }
    for (int k = 0; k < 3; ++k)
        d[k] = at[1][k] - at[0][k];
}

/* The free coordinates of joint i, from number `first` on. */
static void fill_freedoms(const sarrus_plan *plan, const sarrus_joint *joint, const double *values, int first, const double zero[3],
                          double *parameters) {
    sarrus_freedom forms[SARRUS_MAX_FREEDOMS];
    const int n = sarrus_joint_freedoms(joint, forms);
    for (int k = 0; k < n; ++k) {
        double *p = parameters + plan->freedom[first + k].p;
        p[SARRUS_SQ_STIFFNESS] = value_or(values, joint->stiffness[k], 0.0);
        p[SARRUS_SQ_DAMPING] = value_or(values, joint->damping[k], 0.0);
        p[SARRUS_SQ_REST] = value_or(values, joint->rest[k], 0.0);
        const bool is_shift = forms[k] >= SARRUS_FREEDOM_SHIFT_1 && forms[k] <= SARRUS_FREEDOM_SHIFT_3;
        const int axis = is_shift ? (int)forms[k] - SARRUS_FREEDOM_SHIFT_1 : 2;
        p[SARRUS_SQ_ZERO] = is_shift || forms[k] == SARRUS_FREEDOM_SCREW ? zero[axis] : 0.0;
    }
}

/* The angle about the unit vector `axis` of the parent's frame by which the child's frame is turned against it: of the relative
 * rotation (w, v) that about the axis, 2 atan2(v·axis, w), to which whatever turns the child about the axis is added. Of the turns
 * that it may be, the one nearest to `nearest`. NaN where the frames are half a turn apart about an axis across. */
static double angle_about(const placement body[2], const double axis[3], double nearest) {
    const double half_a_turn_across = 1e-7;
    placement between = {{0.0}, {{0.0}}};
    const placement *child_in_parent = &between;
    double p[4];
    for (int i = 0; i < 9; ++i)
        for (int k = 0; k < 3; ++k)
            between.a[i / 3][i % 3] += body[0].a[k][i / 3] * body[1].a[k][i % 3];
    sarrus_rotation_parameters(child_in_parent->a, p);
    const double along = sarrus_vector_dot(axis, p + 1), angle = 2.0 * atan2(along, p[0]);
    return hypot(along, p[0]) > half_a_turn_across ? angle + 2.0 * M_PI * rint((nearest - angle) / (2.0 * M_PI)) : (double)NAN;
}

/* Free coordinates are 0 in the given configuration: rests that count from the bodies' own frames are made to count from there. */
static void rests_shift(const sarrus_plan *plan, int i, int first, const placement body[2], double *parameters) {
    sarrus_freedom forms[SARRUS_MAX_FREEDOMS];
    const int n = sarrus_joint_freedoms(&plan->model->joints[i], forms);
    const double *axes = parameters + plan->joint[i].p + SARRUS_SJ_PARENT_AXES;
    for (int k = 0; k < n; ++k) {
        double *p = parameters + plan->freedom[first + k].p;
        const int axis = (int)forms[k] - SARRUS_FREEDOM_TURN_1;
        if (forms[k] >= SARRUS_FREEDOM_TURN_1 && forms[k] <= SARRUS_FREEDOM_TURN_3)
            p[SARRUS_SQ_REST] -= angle_about(body, axes + (ptrdiff_t)3 * axis, p[SARRUS_SQ_REST]);
        else
            p[SARRUS_SQ_REST] -= p[SARRUS_SQ_ZERO];
    }
}

static bool fill_joint(const sarrus_plan *plan, int i, int first_freedom, const double *values, const double *q,
                       double *parameters) {
    const sarrus_joint *joint = &plan->model->joints[i];
    double pose[SARRUS_GROUND_COORDINATES];
    sarrus_plan_ground_begin(plan, parameters, pose);
    const double *ground = plan->mech.moves_ground ? pose : NULL;
    const placement body[2] = {place_of(q, ground, joint->body[0]), place_of(q, ground, joint->body[1])};
    double *p = parameters + plan->joint[i].p, axis[3][3], d[3], zero[3];
    bool good = find_axes(plan->model, joint, values, axis);
    fill_points(joint, values, body, p, d);
    for (int k = 0; k < 3; ++k) {
        sarrus_rotate_back(body[0].a, axis[k], p + SARRUS_SJ_PARENT_AXES + 3 * k);
        sarrus_rotate_back(body[1].a, axis[k], p + SARRUS_SJ_CHILD_AXES + 3 * k);
        zero[k] = sarrus_vector_dot(axis[k], d);
    }
    p[SARRUS_SJ_LENGTH] = p[SARRUS_SJ_PITCH] = 0.0;
    if (joint->type == SARRUS_JOINT_DISTANCE) {
        p[SARRUS_SJ_LENGTH] = value_or(values, joint->length, sarrus_vector_length(d));
        good = good && p[SARRUS_SJ_LENGTH] > 0.0;
    } else if (joint->type == SARRUS_JOINT_SCREW) {
        p[SARRUS_SJ_LENGTH] = zero[2];
        p[SARRUS_SJ_PITCH] = value_or(values, joint->pitch, 0.0);
        good = good && p[SARRUS_SJ_PITCH] != 0.0;
    }
    fill_freedoms(plan, joint, values, first_freedom, zero, parameters);
    if (joint->rest_is_absolute)
        rests_shift(plan, i, first_freedom, body, parameters);
    return good;
}

static void fill_force(const sarrus_force *force, const double *values, double *p) {
    vector_of(force->point[0], values, p + SARRUS_SF_A);
    vector_of(force->point[1], values, p + SARRUS_SF_B);
    if (force->type == SARRUS_FORCE_SPRING) {
        p[SARRUS_SF_STIFFNESS] = value_or(values, force->stiffness, 0.0);
        p[SARRUS_SF_REST] = value_or(values, force->rest_length, 0.0);
        p[SARRUS_SF_DAMPING] = value_or(values, force->damping, 0.0);
        return;
    }
    for (int k = 0; k < 3; ++k) {
        const sarrus_source *source = &force->value[k];
        p[SARRUS_SF_LOAD + k] = source->kind == SARRUS_SOURCE_VALUE ? value_or(values, source->index, 0.0) : 0.0;
    }
}

bool sarrus_spatial_parameters_fill(const sarrus_plan *plan, const double *values, double *parameters, double *q, double *v) {
    const sarrus_model *model = plan->model;
    bool good = true;
    for (int b = 0; b < model->n_bodies; ++b) {
        static const sarrus_plan_lack none = {0.0, 0.0};
        const sarrus_plan_lack *lack = plan->lack ? &plan->lack[b] : &none;
        double *p = parameters + plan->mech.p_body + SARRUS_SB_N * b;
        good = fill_body(&model->bodies[b], lack, values, p, q + SARRUS_SPATIAL_NQ * b, v + SARRUS_SPATIAL_NV * b) && good;
    }
    for (int i = 0, first_freedom = 0; i < model->n_joints; ++i) {
        sarrus_freedom forms[SARRUS_MAX_FREEDOMS];
        good = fill_joint(plan, i, first_freedom, values, q, parameters) && good;
        first_freedom += sarrus_joint_freedoms(&model->joints[i], forms);
    }
    for (int i = 0; i < model->n_forces; ++i)
        fill_force(&model->forces[i], values, parameters + plan->force[i].p);
    return good;
}

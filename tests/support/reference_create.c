/* The reference's numbers from the model. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/reference.h"

static double value_or(const reference *ref, sarrus_value_index index, double fallback) {
    return index == SARRUS_NO_VALUE ? fallback : ref->values[index];
}

/* Pose of a body in the given configuration; the ground stands at the origin. */
static void given_pose(const reference *ref, int i_body, double pose[3]) {
    for (int k = 0; k < 3; ++k) {
        pose[k] = i_body == SARRUS_GROUND ? 0.0 : ref->q0[3 * i_body + k];
    }
}

static void to_frame(const double pose[3], double x, double y, double out[2]) {
    double c = cos(pose[2]), s = sin(pose[2]), dx = x - pose[0], dy = y - pose[1];
    out[0] = c * dx + s * dy;
    out[1] = -s * dx + c * dy;
}

static void from_frame(const double pose[3], const double point[2], double out[2]) {
    double c = cos(pose[2]), s = sin(pose[2]);
    out[0] = pose[0] + c * point[0] - s * point[1];
    out[1] = pose[1] + s * point[0] + c * point[1];
}

static int joint_rows(const sarrus_joint *joint) {
    const int n_drives = joint->drive[0] >= 0;
    switch ((sarrus_planar_joint_type)joint->type) {
    case SARRUS_PLANAR_JOINT_REVOLUTE:
    case SARRUS_PLANAR_JOINT_PRISMATIC:
        return 2 + n_drives;
    case SARRUS_PLANAR_JOINT_FIXED:
        return 3 + n_drives;
    case SARRUS_PLANAR_JOINT_DISTANCE:
    case SARRUS_PLANAR_JOINT_SLOT:
        return 1 + n_drives;
    }
    abort(); /* no joint of the table */
}

static void resolve_joint(const reference *ref, const sarrus_joint *joint, reference_joint *out) {
    double pose[2][3], world[2][2];
    out->type = joint->type;
    for (int side = 0; side < 2; ++side) {
        out->body[side] = joint->body[side];
        given_pose(ref, joint->body[side], pose[side]);
        if (joint->has_at) {
            to_frame(pose[side], ref->values[joint->at[side][0]], ref->values[joint->at[side][1]], out->point[side]);
        } else {
            out->point[side][0] = ref->values[joint->point[side][0]];
            out->point[side][1] = ref->values[joint->point[side][1]];
        }
        from_frame(pose[side], out->point[side], world[side]);
    }
    double d[2] = {world[1][0] - world[0][0], world[1][1] - world[0][1]};
    out->angle0 = pose[1][2] - pose[0][2];
    out->length = value_or(ref, joint->length, hypot(d[0], d[1]));
    if (SARRUS_JOINT_AMONG(SARRUS_JOINTS_WITH_AXIS, joint->type)) {
        double ax = ref->values[joint->axis[0][0]], ay = ref->values[joint->axis[0][1]], size = hypot(ax, ay);
        double turn[3] = {0.0, 0.0, pose[0][2]};
        to_frame(turn, ax / size, ay / size, out->axis);
        out->displacement0 = (ax * d[0] + ay * d[1]) / size;
    }
    out->stiffness = value_or(ref, joint->stiffness[0], 0.0);
    out->damping = value_or(ref, joint->damping[0], 0.0);
    out->rest = value_or(ref, joint->rest[0], 0.0);
    out->drive = joint->drive[0];
}

static void resolve_constraint(const reference *ref, const sarrus_constraint *constraint, reference_constraint *out) {
    out->from = constraint;
    for (int k = 0; k < 2; ++k) {
        const sarrus_coupled *of = &constraint->of[k];
        if (of->joint >= 0) {
            out->of[k] = ref->joints[of->joint];
            out->of[k].drive = -1;
            continue;
        }
        out->of[k] = (reference_joint){.type = SARRUS_JOINT_DISTANCE, .drive = -1};
        for (int side = 0; side < 2; ++side) {
            out->of[k].body[side] = of->body[side];
            out->of[k].point[side][0] = value_or(ref, of->point[side][0], 0.0);
            out->of[k].point[side][1] = value_or(ref, of->point[side][1], 0.0);
        }
    }
}

static bool allocate(reference *ref) {
    const sarrus_model *model = ref->model;
    ref->n_bodies = model->n_bodies;
    ref->n_joints = model->n_joints;
    ref->n = 3 * model->n_bodies;
    ref->values = calloc((size_t)model->n_values + 1, sizeof *ref->values);
    ref->inputs = calloc((size_t)model->n_inputs + 1, sizeof *ref->inputs);
    ref->mass = calloc((size_t)ref->n + 1, sizeof *ref->mass);
    ref->q0 = calloc((size_t)ref->n + 1, sizeof *ref->q0);
    ref->v0 = calloc((size_t)ref->n + 1, sizeof *ref->v0);
    ref->joints = calloc((size_t)model->n_joints + 1, sizeof *ref->joints);
    ref->constraints = calloc((size_t)model->n_constraints + 1, sizeof *ref->constraints);
    return ref->constraints && ref->values && ref->inputs && ref->mass && ref->q0 && ref->v0 && ref->joints;
}

reference *reference_create(const sarrus_model *model, const double *values) {
    reference *ref = calloc(1, sizeof *ref);
    if (!ref) {
        return NULL;
    }
    ref->model = model;
    if (!allocate(ref)) {
        reference_destroy(ref);
        return NULL;
    }
    memcpy(ref->values, values, (size_t)model->n_values * sizeof *values);
    for (int i = 0; i < model->n_bodies; ++i) {
        const sarrus_body *body = &model->bodies[i];
        for (int k = 0; k < 2; ++k) {
            ref->q0[3 * i + k] = value_or(ref, body->position[k], 0.0);
            ref->v0[3 * i + k] = value_or(ref, body->velocity[k], 0.0);
            ref->mass[3 * i + k] = value_or(ref, body->mass, 0.0);
        }
        ref->q0[3 * i + 2] = value_or(ref, body->orientation[0], 0.0);
        ref->v0[3 * i + 2] = value_or(ref, body->angular_velocity[0], 0.0);
        ref->mass[3 * i + 2] = value_or(ref, body->inertia[0], 0.0);
    }
    for (int i = 0; i < model->n_joints; ++i) {
        resolve_joint(ref, &model->joints[i], &ref->joints[i]);
        ref->joints[i].row = ref->m;
        ref->joints[i].n_rows = joint_rows(&model->joints[i]);
        ref->m += ref->joints[i].n_rows;
    }
    for (int i = 0; i < model->n_constraints; ++i) {
        resolve_constraint(ref, &model->constraints[i], &ref->constraints[i]);
        ref->constraints[i].row = ref->m++;
    }
    ref->gravity[0] = value_or(ref, model->gravity[0], 0.0);
    ref->gravity[1] = value_or(ref, model->gravity[1], 0.0);
    ref->alpha = value_or(ref, model->dynamics.alpha, 0.0);
    ref->beta = value_or(ref, model->dynamics.beta, 0.0);
    return ref;
}

void reference_destroy(reference *ref) {
    if (ref) {
        free(ref->values);
        free(ref->inputs);
        free(ref->mass);
        free(ref->q0);
        free(ref->v0);
        free(ref->joints);
        free(ref->constraints);
        free(ref);
    }
}

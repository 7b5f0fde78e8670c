/* The scalar functions of the poses that a mechanism is made of. */
#include "tests/support/reference_features.h"

reference_pose reference_pose_moving(int i_body, const double *q, const double *v) {
    reference_pose pose = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    if (i_body != SARRUS_GROUND) {
        const double *p = q + 3 * i_body;
        const double still[3] = {0.0, 0.0, 0.0}, *w = v ? v + 3 * i_body : still;
        pose.x = (jet){p[0], w[0], 0.0};
        pose.y = (jet){p[1], w[1], 0.0};
        pose.theta = (jet){p[2], w[2], 0.0};
    }
    return pose;
}

void reference_point(const reference_pose *pose, const double point[2], jet out[2]) {
    jet c = jet_cos(pose->theta), s = jet_sin(pose->theta);
    out[0] = jet_add(pose->x, jet_subtract(jet_scale(point[0], c), jet_scale(point[1], s)));
    out[1] = jet_add(pose->y, jet_add(jet_scale(point[0], s), jet_scale(point[1], c)));
}

/* The child's joint point seen from the parent's. */
static void joint_gap(const reference_joint *joint, const reference_pose pose[2], jet out[2]) {
    jet parent[2], child[2];
    reference_point(&pose[0], joint->point[0], parent);
    reference_point(&pose[1], joint->point[1], child);
    out[0] = jet_subtract(child[0], parent[0]);
    out[1] = jet_subtract(child[1], parent[1]);
}

/* Unit vector along the axis (turned by a right angle for the normal) in the inertial frame. */
static void joint_axis(const reference_joint *joint, const reference_pose *parent, bool is_normal, jet out[2]) {
    double along[2] = {is_normal ? -joint->axis[1] : joint->axis[0], is_normal ? joint->axis[0] : joint->axis[1]};
    reference_pose turn = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, parent->theta};
    reference_point(&turn, along, out);
}

static jet dot(const jet a[2], const jet b[2]) {
    return jet_add(jet_multiply(a[0], b[0]), jet_multiply(a[1], b[1]));
}

static jet relative_angle(const reference_joint *joint, const reference_pose pose[2]) {
    return jet_subtract(jet_subtract(pose[1].theta, pose[0].theta), jet_constant(joint->angle0));
}

/* Of a row of joint.def that is not treated here, as in the other switches below, the compiler says so. */
jet reference_joint_free(const reference_joint *joint, const reference_pose pose[2]) {
    jet gap[2], axis[2];
    switch ((sarrus_planar_joint_type)joint->type) {
    case SARRUS_PLANAR_JOINT_REVOLUTE:
        return relative_angle(joint, pose);
    case SARRUS_PLANAR_JOINT_PRISMATIC:
    case SARRUS_PLANAR_JOINT_SLOT:
        joint_gap(joint, pose, gap);
        joint_axis(joint, &pose[0], false, axis);
        return jet_subtract(dot(axis, gap), jet_constant(joint->displacement0));
    case SARRUS_PLANAR_JOINT_FIXED:
    case SARRUS_PLANAR_JOINT_DISTANCE:
        break;
    }
    return jet_constant(0.0);
}

void reference_joint_rows(const reference_joint *joint, const reference_pose pose[2], jet drive, jet *out) {
    jet gap[2], normal[2];
    int n = 0;
    joint_gap(joint, pose, gap);
    switch ((sarrus_planar_joint_type)joint->type) {
    case SARRUS_PLANAR_JOINT_PRISMATIC:
        joint_axis(joint, &pose[0], true, normal);
        out[n++] = dot(normal, gap);
        out[n++] = relative_angle(joint, pose);
        break;
    case SARRUS_PLANAR_JOINT_SLOT:
        joint_axis(joint, &pose[0], true, normal);
        out[n++] = dot(normal, gap);
        break;
    case SARRUS_PLANAR_JOINT_DISTANCE:
        out[n++] = jet_subtract(jet_sqrt(dot(gap, gap)), jet_constant(joint->length));
        break;
    case SARRUS_PLANAR_JOINT_REVOLUTE:
    case SARRUS_PLANAR_JOINT_FIXED:
        out[n++] = gap[0];
        out[n++] = gap[1];
        if (joint->type == SARRUS_JOINT_FIXED) {
            out[n++] = relative_angle(joint, pose);
        }
        break;
    }
    if (joint->drive >= 0) {
        out[n] = jet_subtract(reference_joint_free(joint, pose), drive);
    }
}

jet reference_spring_length(const reference *ref, const sarrus_force *force, const reference_pose pose[2]) {
    jet end[2][2];
    for (int side = 0; side < 2; ++side) {
        double point[2] = {ref->values[force->point[side][0]], ref->values[force->point[side][1]]};
        reference_point(&pose[side], point, end[side]);
    }
    jet d[2] = {jet_subtract(end[1][0], end[0][0]), jet_subtract(end[1][1], end[0][1])};
    return jet_sqrt(dot(d, d));
}

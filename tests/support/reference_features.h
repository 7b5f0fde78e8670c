/* The scalar functions of the poses that a mechanism is made of, in jets: constraints, free coordinates, spring lengths. */
#ifndef TESTS_SUPPORT_REFERENCE_FEATURES_H
#define TESTS_SUPPORT_REFERENCE_FEATURES_H

#include "tests/support/jet.h"
#include "tests/support/reference.h"

enum { REFERENCE_MAX_ROWS = 4 };

/* x, y, theta of a body along one direction of motion. */
typedef struct reference_pose {
    jet x, y, theta;
} reference_pose;

/* Pose of a body that moves with v (NULL: stands still); the ground never moves. */
reference_pose reference_pose_moving(int i_body, const double *q, const double *v);

/* Inertial position of a point given in the body's frame. */
void reference_point(const reference_pose *pose, const double point[2], jet out[2]);

/* Rows of a joint (out[n_rows]); `drive` is the signal along the direction. */
void reference_joint_rows(const reference_joint *joint, const reference_pose pose[2], jet drive, jet *out);

/* Free coordinate of a revolute or prismatic joint (0 otherwise). */
jet reference_joint_free(const reference_joint *joint, const reference_pose pose[2]);

/* How far the point of a curve is to the left of it, at the foot that is nearest. */
jet reference_curve_row(const reference *ref, const reference_constraint *constraint, const reference_pose pose[2]);

/* Distance of the two points of a spring. */
jet reference_spring_length(const reference *ref, const sarrus_force *force, const reference_pose pose[2]);

#endif

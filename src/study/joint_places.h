/* Where the points of joints are, from the coordinates of the bodies that carry them. Ground rests. */
#ifndef SARRUS_STUDY_JOINT_PLACES_H
#define SARRUS_STUDY_JOINT_PLACES_H

#include "model/draws.h"
#include "plan/plan.h"
#include "sarrus/context.h"

/* A joint's two points, in the frames of its parent and its child. */
typedef struct sarrus_joint_places {
    size_t stride;  /* numbers of an instance, or 0 when they are the same for all */
    double *values; /* [n_instances, or 1][n_joints][2][dimension] m; NULL: there are none */
} sarrus_joint_places;

/* Of all joints of a plan, for the first n_instances instances that are drawn (NULL: nominal ones). NO_MEMORY. `*out` is to be
 * given to sarrus_joint_places_free, after an error too. */
SARRUS_MUST_USE sarrus_status sarrus_joint_places_create(sarrus_context *context, const sarrus_plan *plan,
                                                         const sarrus_draws *draws, uint64_t n_instances, sarrus_joint_places *out);
void sarrus_joint_places_free(sarrus_joint_places *places);

/* out [2 or 3] m, inertial frame: the point of joint i_joint as its parent (side 0) or its child (1) carries it; q [n_q] of all
 * bodies. */
void sarrus_joint_place(const sarrus_joint_places *places, const sarrus_model *model, uint64_t i_instance, int i_joint, int side,
                        const double *q, double *out);

#endif

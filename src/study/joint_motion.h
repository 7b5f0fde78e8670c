/* Free coordinates of joints in the plane and their rates, from the coordinates and speeds of the bodies: those that springs and
 * drives act along, 0 in the configuration that the scenario gives. Ground rests. */
#ifndef SARRUS_STUDY_JOINT_MOTION_H
#define SARRUS_STUDY_JOINT_MOTION_H

#include "model/draws.h"
#include "plan/plan.h"
#include "sarrus/context.h"

/* What of each instance tells where its joints are. */
typedef struct sarrus_joint_numbers {
    int *first;     /* [n_joints] of a joint's among the numbers of an instance; −1: it has no free coordinate */
    size_t stride;  /* numbers of an instance, or 0 when they are the same for all */
    double *values; /* [n_instances, or 1][n] */
} sarrus_joint_numbers;

/* Of all joints of a plan in the plane, for the first n_instances instances that are drawn (NULL: nominal ones). NO_MEMORY. `*out`
 * is to be given to sarrus_joint_numbers_free, after an error too. */
SARRUS_MUST_USE sarrus_status sarrus_joint_numbers_create(sarrus_context *context, const sarrus_plan *plan,
                                                          const sarrus_draws *draws, uint64_t n_instances,
                                                          sarrus_joint_numbers *out);
void sarrus_joint_numbers_free(sarrus_joint_numbers *numbers);

/* A joint of an instance at one time. */
typedef struct sarrus_joint_on {
    const sarrus_model *model;
    const sarrus_joint_numbers *numbers;
    uint64_t i_instance;
    int joint;
    const double *q, *v; /* [n_q], [n] of all bodies; v is needed for the rate alone */
} sarrus_joint_on;

/* Its free coordinate (order 0), rad or m, or the rate of it (1). */
double sarrus_joint_motion(const sarrus_joint_on *at, int order);

#endif

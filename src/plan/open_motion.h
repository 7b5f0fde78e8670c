/* Motions without inertia: M ẋ = 0 and J ẋ = 0 (S1, result 3). Such a motion moves bodies only along what they lack, so it is one
 * of a set of bodies without mass or inertia that joints connect: a small matrix, set by set. */
#ifndef SARRUS_PLAN_OPEN_MOTION_H
#define SARRUS_PLAN_OPEN_MOTION_H

#include "plan/configuration.h"

/* A direction in which a body has neither mass nor inertia. */
typedef struct sarrus_lacking_axis {
    int body;
    bool is_turn;
    double axis[3];                    /* unit vector, in the inertial frame; of a turn in the body's */
    double weighted[SARRUS_MOST_EACH]; /* the same among the weighted coordinates of the body, of length 1 */
} sarrus_lacking_axis;

/* One error for each independent motion without inertia of the configuration, whose rows are the present ones, at the body that it
 * moves most. OK, BAD_INPUT, NO_MEMORY. */
SARRUS_MUST_USE sarrus_status sarrus_open_motions_report(sarrus_context *context, const sarrus_configuration *configuration,
                                                         const sarrus_lacking_axis *axis, int n_axes);

#endif

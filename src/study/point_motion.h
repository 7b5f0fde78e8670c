/* How a point of a body moves, from the coordinates, speeds and accelerations of its body. */
#ifndef SARRUS_STUDY_POINT_MOTION_H
#define SARRUS_STUDY_POINT_MOTION_H

#include "sarrus/space.h"

/* A point, and the body's part of each observable; v and a may be NULL where the order does not ask for them. */
typedef struct sarrus_point_on {
    sarrus_space space;
    const double *s;         /* m, in the body's frame */
    const double *q, *v, *a; /* as in /state/q, v, a */
} sarrus_point_on;

/* out [2 or 3] in the inertial frame: position (order 0, m), velocity (1, m/s) or acceleration (2, m/s²). */
void sarrus_point_motion(const sarrus_point_on *point, int order, double *out);

#endif

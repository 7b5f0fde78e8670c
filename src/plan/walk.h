/* Walks along the constraint manifold from configuration to configuration. */
#ifndef SARRUS_PLAN_WALK_H
#define SARRUS_PLAN_WALK_H

#include "plan/configuration.h"

typedef struct sarrus_walk {
    uint64_t random;  /* a plan is the same every time */
    double share;     /* of the ordinary length of a move that the last one came back with */
    double *q_before; /* [n_q] */
    double *onward;   /* [n] the last direction, for a walk that does not turn round; NULL: it may */
} sarrus_walk;

/* False: no memory (nothing is to be ended then). A walk that goes on keeps to the side of its last direction: where one motion is
 * free, it goes all the way. */
bool sarrus_walk_begin(sarrus_walk *walk, const sarrus_configuration *c, bool goes_on);
void sarrus_walk_end(sarrus_walk *walk);

/* A move along the manifold at time t, as long as can be: about 0.4 rad or m of what moves most. `rank`: of the present rows. False
 * when none comes back; c is where it was then. */
bool sarrus_walk_on(sarrus_walk *walk, sarrus_configuration *c, int rank, double t);

#endif

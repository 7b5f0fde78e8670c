/* The loops of a mechanism that hang together: sets of joints of which any two lie on a common loop. A joint on no loop is a set by
 * itself. A constraint beside joints is a way along all its bodies, whose sets are one. What rows depend on one another never
 * reaches beyond a set: where two sets meet in a body or in ground, the forces that one set exerts there balance by themselves
 * (docs/plan.md). */
#ifndef SARRUS_PLAN_LOOP_SETS_H
#define SARRUS_PLAN_LOOP_SETS_H

#include "plan/plan.h"

/* loop [n_joints + n_constraints] ← the number of the set of each joint and each constraint, from 0, in the order of their first
 * joints. Returns how many sets there are;
 * −1: no memory. */
int sarrus_plan_loop_sets_find(const sarrus_plan *plan, int *loop);

#endif

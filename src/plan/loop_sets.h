/* The loops of a mechanism that hang together: sets of joints of which any two lie on a common loop. A joint on no loop is a set by
 * itself. What rows depend on one another never reaches beyond a set: where two sets meet in a body or in ground, the forces that
 * one set exerts there balance by themselves (docs/plan.md). */
#ifndef SARRUS_PLAN_LOOP_SETS_H
#define SARRUS_PLAN_LOOP_SETS_H

#include "plan/plan.h"

/* loop [n_joints] ← the number of each joint's set, from 0, in the order of their first joints. Returns how many sets there are;
 * −1: no memory. */
int sarrus_plan_loop_sets_find(const sarrus_plan *plan, int *loop);

#endif

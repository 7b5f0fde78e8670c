/* The turns in which driven angles begin. */
#ifndef SARRUS_PLAN_TURNS_H
#define SARRUS_PLAN_TURNS_H

#include "plan/plan.h"

/* Brings bodies of the given configuration q [n_q] by whole turns to where the drives' signals begin, from what the parameters
 * [n_parameters] say of joints and signals: assembly has half a turn at most left to go. In the plane angles count turns, and a
 * screw goes along its axis; other angles in space know of none (kernels/body/spatial/reaction.h, sarrus_turns_begin). Where all
 * drives begin within half a turn nothing changes. False: no memory. */
SARRUS_MUST_USE bool sarrus_plan_turns_take(const sarrus_plan *plan, const double *parameters, double *q);

/* What a signal is at t = 0. */
double sarrus_plan_signal_begin(const sarrus_plan *plan, int i_signal, const double *parameters);

#endif

/* The assembled start of the nominal instance, beside the given one. */
#ifndef SARRUS_PLAN_START_H
#define SARRUS_PLAN_START_H

#include "plan/gap.h"
#include "plan/spectrum.h"

/* A mechanism is within rounding of another rank when lengths that differ by this share of its size would have it: what coordinates
 * with three digits leave. */
#define SARRUS_NEAR_CHANGE 3e-3

/* Keeps what the scenario gives, before assembly. NO_MEMORY. */
SARRUS_MUST_USE sarrus_status sarrus_plan_start_give(sarrus_plan *plan, const sarrus_configuration *configuration);

/* Keeps the assembled positions, which are the present ones, and the velocities that assembly makes of those that are given: the
 * nearest in the metric of M. NO_MEMORY, INTERRUPTED. */
SARRUS_MUST_USE sarrus_status sarrus_plan_start_take(sarrus_plan *plan, sarrus_configuration *configuration);

/* After the rank is known, on the constraints: how near the rank is to one less. BAD_INPUT when a velocity is given and nothing can
 * move. */
SARRUS_MUST_USE sarrus_status sarrus_plan_start_judge(sarrus_context *context, sarrus_plan *plan, sarrus_gap *gap);
void sarrus_plan_start_free(sarrus_plan_start *start);

/* About by how much lengths (m) differ from those with which the smallest singular value that counts would stay zero along the
 * motion that it then allows. `spectrum` is that of the present rows, with vectors. NAN when memory is out or the plan is to stop.
 */
double sarrus_plan_start_change(sarrus_gap *gap, const sarrus_spectrum *spectrum, double t);

/* " (lengths that differ by about 3e-05 m would let it move)" when the change is small, else nothing. */
void sarrus_plan_change_text(double change, double size, char text[100]);

#endif

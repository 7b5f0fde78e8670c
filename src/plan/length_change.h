/* How near a rank is to one less: by how much lengths would have to differ. */
#ifndef SARRUS_PLAN_LENGTH_CHANGE_H
#define SARRUS_PLAN_LENGTH_CHANGE_H

#include "plan/gap.h"
#include "plan/spectrum.h"

/* A mechanism is within rounding of another rank when lengths that differ by this share of its size would have it: what coordinates
 * with three digits leave. */
#define SARRUS_NEAR_CHANGE 3e-3

/* About by how much lengths (m) differ from those with which the smallest singular value that counts would stay zero along the
 * motion that it then allows. `spectrum` is that of the present rows, with vectors. NAN when memory is out or the plan is to stop.
 */
double sarrus_length_change(sarrus_gap *gap, const sarrus_spectrum *spectrum, double t);

/* " (lengths that differ by about 3e-05 m would let it move)" when the change is small, else nothing. */
void sarrus_length_change_text(double change, double size, char text[100]);

/* The rank of the rows without those of drives, here and at time t, and (NULL: not wanted) how near it is to one less, as
 * sarrus_length_change. −1 when memory is out. */
int sarrus_plan_undriven_rank(sarrus_gap *gap, double t, double *change);

#endif

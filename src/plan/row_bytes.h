/* How many bytes one output time of one instance takes, in the file and while it is made. */
#ifndef SARRUS_PLAN_ROW_BYTES_H
#define SARRUS_PLAN_ROW_BYTES_H

#include "plan/plan.h"

/* Numbers of these channels for one instance and time, bytes of each; `width` 0: as the file has them. */
double sarrus_channel_bytes(const sarrus_plan *plan, unsigned channels, double width);

/* Numbers of the points that the file shows, for one instance and time. */
double sarrus_point_numbers(const sarrus_plan *plan);

/* Bytes that one output of one instance takes in the file, before compression. */
double sarrus_output_bytes(const sarrus_plan *plan);

/* Bytes that a run holds in memory for one output time of one instance. */
double sarrus_held_bytes(const sarrus_plan *plan);

#endif

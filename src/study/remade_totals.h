/* What is of all instances together, made anew from a file that has their rows: of parts that are merged, and of a result some of
 * whose instances were run again. */
#ifndef SARRUS_STUDY_REMADE_TOTALS_H
#define SARRUS_STUDY_REMADE_TOTALS_H

#include "sink/merged_group.h"

/* A sarrus_merged_group_finish: statistics, those over time where all trajectories are there, and sensitivity, as the scenario
 * of the group asks for them. BAD_INPUT (something that they are made of cannot be read), IO, NO_MEMORY. */
SARRUS_MUST_USE sarrus_status sarrus_totals_remake(sarrus_context *context, const sarrus_merged_group *group);

#endif

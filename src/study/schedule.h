/* When a run looks: steps and times of its outputs. */
#ifndef SARRUS_STUDY_SCHEDULE_H
#define SARRUS_STUDY_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/model.h"

typedef struct sarrus_schedule {
    uint64_t n_steps;   /* intervals of the grid (fixed steps: steps) in all; the last is shorter when t_end is no multiple of it */
    uint64_t every;     /* steps between outputs; the last interval may be shorter */
    uint64_t n_times;   /* t = 0, every `every` steps, and t_end */
    double grid, t_end; /* s */
} sarrus_schedule;

/* BAD_INPUT when there are more steps than can be counted. A schedule takes no memory, however many times it has. */
SARRUS_MUST_USE sarrus_status sarrus_schedule_create(sarrus_context *context, const sarrus_model *model, sarrus_schedule *out);

/* Time of output `i_time`, s. */
double sarrus_schedule_time(const sarrus_schedule *schedule, uint64_t i_time);

/* Steps done at output `i_time`. */
uint64_t sarrus_schedule_step(const sarrus_schedule *schedule, uint64_t i_time);

#endif

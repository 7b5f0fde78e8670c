/* `sarrus run` in parts: of a study that is too large for the memory it may take, or that several processes share. */
#ifndef SARRUS_CLI_RUN_PARTS_H
#define SARRUS_CLI_RUN_PARTS_H

#include "cli/planned_run.h"
#include "cli/ranks.h"

/* How many parts the run is made in; 1: it is run as one. 0 with a message: the memory that was given is too little. */
uint64_t sarrus_run_parts_choose(const sarrus_planned_run *planned, const sarrus_ranks *ranks);

/* Runs parts that nobody else has claimed until all are complete; the first rank then makes one result of them. Returns an exit
 * code. */
int sarrus_run_parts(const sarrus_planned_run *planned, const sarrus_ranks *ranks, uint64_t n_parts);

#endif

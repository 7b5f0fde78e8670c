/* Reading the scenario of a run, with the number of instances and the own sample that the command line gives. */
#ifndef SARRUS_CLI_RUN_SCENARIO_H
#define SARRUS_CLI_RUN_SCENARIO_H

#include "cli/run_arguments.h"
#include "cli/scenario_argument.h"
#include "sarrus/study.h"

/* An exit code, with the message printed. `*setting` is to be freed behind the arguments, `*draws` (those of the sample; NULL
 * without one) is the caller's. */
int sarrus_run_scenario_read(const char *path, sarrus_run_arguments *arguments, sarrus_scenario_argument *scenario, char **setting,
                             sarrus_draws **draws);

#endif

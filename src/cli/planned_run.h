/* A run whose scenario has been read and planned. */
#ifndef SARRUS_CLI_PLANNED_RUN_H
#define SARRUS_CLI_PLANNED_RUN_H

#include "cli/progress.h"
#include "cli/run_arguments.h"
#include "edge/kernel_places.h"
#include "sarrus/study.h"

typedef struct sarrus_planned_run {
    const char *path, *output;
    const sarrus_run_arguments *arguments;
    const sarrus_scenario_argument *scenario;
    const sarrus_draws *draws;             /* NULL: the run draws */
    sarrus_plan *plans[SARRUS_MAX_GROUPS]; /* of the groups that are run; NULL for others */
} sarrus_planned_run;

/* Whether it is run as a list of groups: a mixed document is; a scenario, and one instance of whatever, alone. */
bool sarrus_planned_run_has_groups(const sarrus_planned_run *planned);

/* Instances of group `g` of a document in the whole study. */
uint64_t sarrus_study_size_asked(const sarrus_run_arguments *arguments, const sarrus_document *document, int g);

/* The options that its arguments come to; `places` and `bar` must outlive them. */
sarrus_run_options sarrus_planned_run_options(const sarrus_planned_run *planned, const sarrus_kernel_places *places,
                                              sarrus_progress_bar *bar);

/* Runs the part of the study that the arguments name, or all of it. Errors of sarrus_run; summaries [groups] of several
 * scenarios. */
SARRUS_MUST_USE sarrus_status sarrus_planned_run_go(const sarrus_planned_run *planned, sarrus_run_options *options,
                                                    sarrus_run_summary *summary, sarrus_run_summary *summaries);

#endif

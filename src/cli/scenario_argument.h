/* The FILE argument of a command, read into a document with the --set overrides. */
#ifndef SARRUS_CLI_SCENARIO_ARGUMENT_H
#define SARRUS_CLI_SCENARIO_ARGUMENT_H

#include "edge/options.h"
#include "sarrus/context.h"
#include "sarrus/document.h"
#include "sarrus/plan.h"

typedef struct sarrus_scenario_argument {
    sarrus_context *context;
    sarrus_document *document;
} sarrus_scenario_argument;

/* The one file among the arguments that getopt has left at the end of argv; NULL, with a message that names `what` was
 * expected, when there is none or more than one. */
const char *sarrus_file_argument(int argc, char **argv, const char *what);

/* Reads `path`; prints warnings and errors. Returns an exit code; `*out` is to be given to
 * sarrus_scenario_argument_free in any case. */
int sarrus_scenario_argument_read(const char *path, const sarrus_settings *settings, sarrus_scenario_argument *out);

/* Its two halves: reading without a word, and what there is to say of it, with the exit code. */
sarrus_status sarrus_scenario_argument_try(const char *path, const sarrus_settings *settings, sarrus_scenario_argument *out);
int sarrus_scenario_argument_told(const sarrus_scenario_argument *argument, sarrus_status status);

/* Plans a group, which shows on a terminal what it is at when it takes long, and prints what is wrong. `*out` is the caller's. */
SARRUS_MUST_USE sarrus_status sarrus_scenario_argument_plan(const sarrus_scenario_argument *argument, int i_group, bool is_quiet,
                                                            sarrus_plan **out);
void sarrus_scenario_argument_free(sarrus_scenario_argument *argument);

#endif

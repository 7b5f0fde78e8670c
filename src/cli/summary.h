/* The closing summary of a run. */
#ifndef SARRUS_CLI_SUMMARY_H
#define SARRUS_CLI_SUMMARY_H

#include <stdbool.h>
#include <stdio.h>

#include "sarrus/run.h"

/* What the summary says beside the run's own numbers. */
typedef struct sarrus_summary_text {
    const char *scenario; /* path */
    const char *output;   /* path */
    const char *replay;   /* the command that replays an instance, its number to follow; NULL: not known */
    const sarrus_model *model;
    uint64_t seed;
    bool is_complete;
    bool is_replay; /* of one instance of a study */
} sarrus_summary_text;

void sarrus_summary_print(const sarrus_summary_text *text, const sarrus_run_summary *summary, FILE *stream);
void sarrus_summary_print_json(const sarrus_summary_text *text, const sarrus_run_summary *summary, FILE *stream);

/* One line "sarrus: warning: …" for each thing that a reader of the results should know. */
void sarrus_summary_warn(const sarrus_summary_text *text, const sarrus_run_summary *summary, FILE *stream);

#endif

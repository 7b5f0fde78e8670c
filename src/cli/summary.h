/* The closing summary of a run. */
#ifndef SARRUS_CLI_SUMMARY_H
#define SARRUS_CLI_SUMMARY_H

#include <stdbool.h>
#include <stdio.h>

#include "sarrus/run.h"

/* One of the scenarios that were run together. */
typedef struct sarrus_summary_group {
    const char *file; /* as the document names it */
    const sarrus_model *model;
    const sarrus_run_summary *summary;
    uint64_t seed;
} sarrus_summary_group;

/* What the summary says beside the run's own numbers. */
typedef struct sarrus_summary_text {
    const char *scenario; /* path */
    const char *output;   /* path */
    const char *replay;   /* the command that replays an instance, its number to follow; NULL: not known */
    const sarrus_model *model;
    uint64_t seed;
    int n_groups;                       /* 0: one scenario, `model` with `seed` */
    const sarrus_summary_group *groups; /* [n_groups]; the summary is that of all, and `name` stands for the model's */
    const char *name;
    bool is_complete;
    bool is_replay;   /* of one instance of a study */
    bool is_of_group; /* it is one of several scenarios, of this number: */
    int group;
} sarrus_summary_text;

void sarrus_summary_print(const sarrus_summary_text *text, const sarrus_run_summary *summary, FILE *stream);
void sarrus_summary_print_json(const sarrus_summary_text *text, const sarrus_run_summary *summary, FILE *stream);

/* One line "sarrus: warning: …" for each thing that a reader of the results should know. */
void sarrus_summary_warn(const sarrus_summary_text *text, const sarrus_run_summary *summary, FILE *stream);

#endif

/* One group of a run: instances of one model, from their draws to what they leave in the file. A run is a list of groups, mostly of
 * one. Of a part of a study everything is made for that part alone, but the numbers of its instances, their draws, and where it
 * runs, are those of the study. */
#ifndef SARRUS_STUDY_GROUP_H
#define SARRUS_STUDY_GROUP_H

#include "model/unit_rules.h"
#include "sarrus/run.h"
#include "scenario/as_run.h"
#include "sink/sink.h"
#include "study/channels.h"
#include "study/march.h"
#include "study/outcome.h"
#include "study/quantities.h"
#include "study/replay.h"
#include "study/schedule.h"
#include "study/statistics.h"
#include "study/tally.h"
#include "study/totals.h"

typedef struct sarrus_group {
    int index, n_groups; /* which of how many */
    int least_blocks;    /* that its output is written in; 0: any number */
    const sarrus_model *model;
    const sarrus_run_options *options;            /* of the run */
    uint64_t n_study, i_first, n_instances, seed; /* of the study; the first of the part that is run, and of how many it is */
    uint64_t n_counted;                           /* of the study as scenarios count: with a design its points */
    char *scenario;                               /* as run; NULL: as the model has it */
    sarrus_draws *draws;
    const sarrus_plan *plan;
    sarrus_plan *own_plan; /* NULL: it is the caller's */
    sarrus_batch *batch;
    sarrus_schedule schedule;
    sarrus_channels channels;
    sarrus_tally tally;
    sarrus_study_quantities quantities;
    sarrus_study_statistics statistics;
    sarrus_totals totals;
    const double **draw_arrays; /* [2][n_sampled] of [n_instances] parameters, and their draws in the unit interval */
    bool has_kept;              /* the file has trajectories of n_kept instances alone */
    uint64_t n_kept;
    uint64_t *trajectories, *kept; /* [n_kept] their numbers in the study, and among the instances of the group */
    sarrus_replay replay;          /* when steps are shown */
    sarrus_march march;
    sarrus_outcome outcome;
    sarrus_sink_field *fields; /* of its description */
    sarrus_sink_parameter *parameters;
    sarrus_sink_measure *measures;
    char **paths;                              /* [n_quantities] of their datasets */
    sarrus_unit *units;                        /* [n_values] of the numbers of the model */
    char (*unit_texts)[SARRUS_UNIT_BYTES];     /* [n_parameters] */
    char (*quantity_units)[SARRUS_UNIT_BYTES]; /* [n_quantities] */
    int n_fields, n_parameters;
    uint64_t n_rows_done; /* changes of rank that were handed over */
    /* Of a run that goes on where an earlier one has stood (group_state.h): output times, steps of the schedule, and steps of all
     * instances together that are not its own. */
    uint64_t i_time_resumed, n_steps_resumed, n_counted_resumed;
    bool is_resumed;
    double resumed_time; /* s of motion */
} sarrus_group;

/* Group `index` of n_groups as it was asked for; nothing is made yet. `options` must outlive it. */
sarrus_group sarrus_group_of(const sarrus_run_group *asked, const sarrus_run_options *options, int index, int n_groups);

/* Its plan, unless the caller gave one. */
SARRUS_MUST_USE sarrus_status sarrus_group_plan(sarrus_group *group, sarrus_context *context);

/* Bytes of the instances of a planned group, in memory all the time. */
double sarrus_group_bytes(const sarrus_group *group);

/* Draws, batch and all that marches it, of a planned group. INTERRUPTED when a stop was asked for meanwhile. To be given to
 * sarrus_group_free, after an error too. */
SARRUS_MUST_USE sarrus_status sarrus_group_make(sarrus_group *group, sarrus_context *context);
void sarrus_group_free(sarrus_group *group);

/* Has every group write as many blocks as the largest does, up to a few: else the only block of a light group would wait for its
 * last output time, and be lost when the program is killed before. */
void sarrus_groups_keep_pace(sarrus_group *groups, int n_groups);

/* What a caller has given instead of the model's own number of instances and seed; points into the group. */
sarrus_as_run sarrus_group_as_run(const sarrus_group *group);

/* Bytes that HDF5 and the sink need for the group, beside those for the file. */
double sarrus_group_reserve(const sarrus_group *group);

/* What it writes; the description points into the group. NO_MEMORY. */
SARRUS_MUST_USE sarrus_status sarrus_group_describe(sarrus_group *group, sarrus_context *context, sarrus_sink_description *out);

/* Readies the march; sink NULL: no file. NO_MEMORY. */
SARRUS_MUST_USE sarrus_status sarrus_group_begin(sarrus_group *group, sarrus_context *context, const sarrus_sink *sink);

/* Begins the next block. Errors of sarrus_sink_acquire. */
SARRUS_MUST_USE sarrus_status sarrus_group_open(sarrus_group *group, sarrus_sink *sink);

/* Ends the open block and hands its rows over, with how every instance stands. What happened after the last output of a stopped run
 * is not in the file. */
SARRUS_MUST_USE sarrus_status sarrus_group_close(sarrus_group *group, sarrus_context *context, sarrus_sink *sink, bool is_stopped);

/* The last outcome, for the end of the file. */
sarrus_sink_outcome sarrus_group_end(sarrus_group *group);

/* Before the run, and after it: `seconds` it took. */
void sarrus_group_summary_begin(const sarrus_group *group, sarrus_run_summary *summary);
void sarrus_group_summary_fill(const sarrus_group *group, double seconds, sarrus_run_summary *summary);

#endif

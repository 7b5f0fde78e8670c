/* Statistics over the instances of a run at each output time. Those of a time are made of its row
 * alone, each by one thread in the order of the instances, so that nothing is carried on and no bit depends on tiles, blocks
 * or threads. */
#ifndef SARRUS_STUDY_STATISTICS_H
#define SARRUS_STUDY_STATISTICS_H

#include "study/channels.h"
#include "study/column_statistics.h"

typedef struct sarrus_study_statistics {
    const sarrus_model *model;
    uint64_t i_first, n_instances;
    sarrus_channels channels; /* what they are of; its widths are what has to be observed */
    int n_fields;
    sarrus_sink_field
        *fields; /* [n_fields] the number of instances, then for each field of the channels its statistics, and its sums and numbers
                                or counts where these are handed on */
    sarrus_column_shape shape; /* which statistics */
    bool hands_on;             /* the file has the sums that a merge needs, since it lacks the rows */
    bool keeps_numbers;        /* and, for quantiles, the numbers themselves; else counts of them */
    sarrus_moment_part part;   /* of these sums */
    char **texts;              /* [n_texts] owned: paths and long names */
    int n_texts;
    int n_members, n_columns; /* threads that share the work; components that one of them takes at once */
    int n_pieces;
    struct sarrus_statistics_piece *pieces; /* [n_pieces] the work of one time, in parts */
    double **scratch;                       /* [n_members] of [n_columns + 1][n_instances] */
} sarrus_study_statistics;

/* Over which instances of the study, and threads that share the work. */
typedef struct sarrus_statistics_choice {
    uint64_t i_first, n_instances, n_study;
    const sarrus_channels *written; /* of a part of a study: whose rows the file gets; else NULL */
    bool lacks_rows;                /* of some instances */
    int n_members;
} sarrus_statistics_choice;

/* Of what the scenario asks for, in no replay. NO_MEMORY. `*out` is to be given to sarrus_study_statistics_free, after an error
 * too. */
SARRUS_MUST_USE sarrus_status sarrus_study_statistics_create(sarrus_context *context, const sarrus_plan *plan,
                                                             const sarrus_draws *draws, const sarrus_statistics_choice *choice,
                                                             sarrus_study_statistics *out);
void sarrus_study_statistics_free(sarrus_study_statistics *statistics);

/* The levels for a sink; NULL: there are none. */
const sarrus_sink_levels *sarrus_study_statistics_levels(const sarrus_study_statistics *statistics);

/* Numbers of all its fields at one time. */
uint64_t sarrus_study_statistics_numbers(const sarrus_study_statistics *statistics);

/* The first rows.n_rows rows of source[observable] [n_instances][n_rows_stride][width] into the fields, data[field] of
 * [n_rows][width][levels]. */
void sarrus_study_statistics_take(const sarrus_study_statistics *statistics, const sarrus_channels_rows *rows,
                                  double *const source[SARRUS_N_OBSERVABLES], double **data);

#endif

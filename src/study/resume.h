/* Going on where an earlier run of the same has stood: what it has left is found, held against this run, and taken over. */
#ifndef SARRUS_STUDY_RESUME_H
#define SARRUS_STUDY_RESUME_H

#include "study/checkpoint.h"

typedef struct sarrus_resume {
    bool is_complete;          /* there is nothing left to do: the result is complete */
    char *target, *partial;    /* names that an earlier run may have left its file under */
    sarrus_sink_source source; /* for the first description; path NULL: the file begins empty */
    uint64_t *n_times, *n_rows;
    sarrus_sink_outcome *outcomes; /* [n_groups] each, of the source */
} sarrus_resume;

/* The run that is to go on: groups that were made, and their descriptions. */
typedef struct sarrus_resumed_run {
    const char *path;
    const sarrus_sink_index *index; /* as for the sink */
    const sarrus_sink_description *descriptions;
    sarrus_group *groups;
    int n_groups; /* of these */
    sarrus_checkpoints *checkpoints;
} sarrus_resumed_run;

/* Takes the groups to where the last checkpoint was, if there is one and a file that goes with it; a note says which.
 * BAD_ARGUMENT when what stands at the path is of another run; INTERRUPTED, NO_MEMORY. To be given to sarrus_resume_free, after an
 * error too. */
SARRUS_MUST_USE sarrus_status sarrus_resume_find(sarrus_resume *resume, sarrus_context *context, const sarrus_resumed_run *run);
void sarrus_resume_free(sarrus_resume *resume);

/* Once a group has begun: the rows of its open block. Errors of sarrus_group_rows_load. */
SARRUS_MUST_USE sarrus_status sarrus_resume_rows(const sarrus_checkpoints *checkpoints, sarrus_context *context,
                                                 sarrus_group *group, sarrus_sink *sink);

/* Of a complete result: fills the summaries [n_groups] with what it says of itself. Errors of sarrus_result_info_read. */
SARRUS_MUST_USE sarrus_status sarrus_resume_summarize(const sarrus_resume *resume, sarrus_context *context, int n_groups,
                                                      sarrus_run_summary *summaries);

#endif

/* A result whose failed instances were run again: a copy of it with their new rows. HDF5 is called on the caller's thread. */
#ifndef SARRUS_SINK_RETRIED_H
#define SARRUS_SINK_RETRIED_H

#include "sarrus/run.h"
#include "sink/merged_group.h"

/* A complete result of a whole study, and who has failed in it. */
typedef struct sarrus_retried {
    const char *path;
    sarrus_result_info info;
    char *scenario; /* as it was run */
    uint64_t n_failed;
    uint64_t *failed;      /* [n_failed] ascending numbers of the instances */
    bool has_trajectories; /* of some instances alone: */
    uint64_t n_trajectories;
    uint64_t *trajectories; /* [n_trajectories] ascending */
} sarrus_retried;

/* BAD_INPUT (no result, or none of such a run), IO, NO_MEMORY; `path` must outlive it. To be given to sarrus_retried_close,
 * after an error too. */
SARRUS_MUST_USE sarrus_status sarrus_retried_open(sarrus_retried *retried, sarrus_context *context, const char *path);
void sarrus_retried_close(sarrus_retried *retried);

/* Numbers of the failed instances from a dataset over instances, out [n_failed]. BAD_INPUT when there is none. */
SARRUS_MUST_USE sarrus_status sarrus_retried_numbers(const sarrus_retried *retried, sarrus_context *context, const char *dataset,
                                                     double *out);

/* Where the new rows are, and what becomes of them. */
typedef struct sarrus_retried_writing {
    const char *rows; /* a result that has the failed instances alone, in their order; where none has failed it is not looked at */
    const char *scenario; /* with which they were run */
    const char *path;     /* of the new result */
    int no_clobber;
    sarrus_merged_group_finish *finish; /* makes what is of all instances together */
} sarrus_retried_writing;

/* Writes the new result. BAD_INPUT when the rows do not fit, as those of other output times; IO, NO_MEMORY, errors of `finish`. */
SARRUS_MUST_USE sarrus_status sarrus_retried_write(const sarrus_retried *retried, sarrus_context *context,
                                                   const sarrus_retried_writing *writing);

#endif

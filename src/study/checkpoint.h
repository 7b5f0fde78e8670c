/* Checkpoints of a run: where every group stood between two of its slices, in a file beside the result, from which the run can be
 * resumed. A checkpoint has the output times of the block that was open then. It is written once the sink has committed the blocks
 * before, so that these are in the result whenever the run is killed. */
#ifndef SARRUS_STUDY_CHECKPOINT_H
#define SARRUS_STUDY_CHECKPOINT_H

#include "study/group_state.h"

/* How one group stood. */
typedef struct sarrus_checkpoint_section {
    unsigned char *bytes; /* [n_bytes] as sarrus_group_state_save gives them; NULL: at its beginning */
    size_t n_bytes;
    sarrus_group_state state; /* what the bytes begin with */
    double taken, cost;       /* s of the monotonic clock, when it was; s that it took, with its part of the writing */
} sarrus_checkpoint_section;

typedef struct sarrus_checkpoints {
    int n_groups;
    sarrus_checkpoint_section *sections; /* [n_groups] */
    char *name, *fresh;                  /* of the file, and where it is written before it takes its name; NULL: there is none */
    uint64_t run;                        /* of which run they are: sarrus_checkpoint_run */
    double interval;                     /* s */
    bool is_pending;                     /* some section is not in the file */
    bool has_file;                       /* there is a file of this run */
} sarrus_checkpoints;

/* A number of a run, of its descriptions and draws; those of other runs, and other versions, are other ones. */
uint64_t sarrus_checkpoint_run(const sarrus_group *groups, int n_groups);

/* Readies them for a run to `path` that has these groups; seconds as in the options of a run. NO_MEMORY. To be given to
 * sarrus_checkpoints_free, after an error too. */
SARRUS_MUST_USE sarrus_status sarrus_checkpoints_begin(sarrus_checkpoints *all, const char *path, const sarrus_group *groups,
                                                       int n_groups, double seconds);
void sarrus_checkpoints_free(sarrus_checkpoints *all);

/* Reads the file; has_file is false when there is none, or it is not whole, or of another run, and the sections are empty then.
 * NO_MEMORY when there is one that does not fit. */
SARRUS_MUST_USE sarrus_status sarrus_checkpoints_read(sarrus_checkpoints *all);

/* Forgets what was read: the run begins anew. */
void sarrus_checkpoints_forget(sarrus_checkpoints *all);

/* After a slice of a group: takes a checkpoint of it when it is time, and writes those that can be. Without memory or room for them
 * a note says so, and there are no more. */
void sarrus_checkpoints_take(sarrus_checkpoints *all, sarrus_context *context, sarrus_group *group, const sarrus_sink *sink);

/* At the end: writes those that wait and can be, or removes the file of a run that is complete, which needs no sink. */
void sarrus_checkpoints_settle(sarrus_checkpoints *all, const sarrus_sink *sink, bool is_complete);

#endif

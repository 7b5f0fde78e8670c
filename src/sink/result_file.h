/* Every HDF5 call of the sink. All functions on one thread. */
#ifndef SARRUS_SINK_RESULT_FILE_H
#define SARRUS_SINK_RESULT_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include <hdf5.h>

#include "sink/description.h"
#include "sink/file_driver.h"
#include "sink/hdf5_error.h"
#include "sink/layout.h"
#include "sink/result_group.h"
#include "sink/result_place.h"

enum { SARRUS_RESULT_MESSAGE_BYTES = 512 };

/* An open result file. */
typedef struct sarrus_result_file {
    int n_groups;
    const sarrus_sink_index *index; /* NULL: one group, at the root; not looked at once the file was created */
    sarrus_result_group *groups;    /* [n_groups] */
    hid_t driver, access, file;
    hid_t complete; /* attribute of an indexed file; else negative */
    sarrus_result_place place;
    sarrus_file_state state;
    sarrus_hdf5_silence silence;
    bool failed;
    char message[SARRUS_RESULT_MESSAGE_BYTES]; /* why it failed */
} sarrus_result_file;

/* Takes the name `path` (result_place.h), creates the file with the metadata and datasets of all groups, empty or with what it
 * takes over from the source of the first description, commits it, and lets it be seen. On failure the message says why and only
 * sarrus_result_file_close is allowed: BAD_ARGUMENT (the name may not be had), IO, NO_MEMORY. `file` is zero-initialized but for
 * n_groups and index; the layouts [n_groups] must outlive it. */
SARRUS_MUST_USE sarrus_status sarrus_result_file_create(sarrus_result_file *file, const char *path,
                                                        const sarrus_layout *const *layouts,
                                                        const sarrus_sink_description *descriptions);

/* Sees to it that the first n_times output times of a group, at least, are in the file. */
SARRUS_MUST_USE sarrus_status sarrus_result_file_reach(sarrus_result_file *file, int i_group, uint64_t n_times);

/* Of an open-ended group: lengthens everything by a block of output times, and writes these. */
SARRUS_MUST_USE sarrus_status sarrus_result_file_extend(sarrus_result_file *file, int i_group, const double *times,
                                                        uint64_t n_times);

/* Which chunk of a group: its field, and the instance and the time of its first element. */
typedef struct sarrus_result_chunk {
    int i_group, i_field;
    uint64_t i_instance, i_time;
} sarrus_result_chunk;

/* Writes a packed chunk. */
SARRUS_MUST_USE sarrus_status sarrus_result_file_put(sarrus_result_file *file, sarrus_result_chunk chunk,
                                                     const sarrus_compress_slot *slot);

/* Writes the outcome of a group (NULL, or NULL in it: as before) and its number of times, flushes, and sees whether the file is
 * still there. */
SARRUS_MUST_USE sarrus_status sarrus_result_file_commit(sarrus_result_file *file, int i_group, uint64_t n_times,
                                                        const sarrus_sink_outcome *outcome);

/* Writes the reasons of a group's failed instances and its mark `complete`, and commits. */
SARRUS_MUST_USE sarrus_status sarrus_result_file_finish(sarrus_result_file *file, int i_group, uint64_t n_times,
                                                        const sarrus_sink_outcome *outcome, bool complete);

/* Every group is finished and complete: the mark of the file. */
SARRUS_MUST_USE sarrus_status sarrus_result_file_complete(sarrus_result_file *file);

/* Leaves the file as it was last committed, whatever is written to it from now on. */
void sarrus_result_file_abandon(sarrus_result_file *file);

/* What becomes of a file that is closed. */
typedef enum sarrus_result_end {
    SARRUS_RESULT_REMOVED = 0, /* nothing in it is worth anything */
    SARRUS_RESULT_LEFT = 1,    /* it keeps its name of an unfinished file */
    SARRUS_RESULT_NAMED = 2,   /* it takes its name, if nothing fails now; else it is left */
} sarrus_result_end;

/* Closes what is open; every state is allowed. IO or BAD_ARGUMENT when something fails only now. The names in `place` stay until
 * sarrus_result_place_free. */
sarrus_status sarrus_result_file_close(sarrus_result_file *file, sarrus_result_end end);

/* Marks the file as failed, with the system's reason or HDF5's; returns IO. */
sarrus_status sarrus_result_file_fail(sarrus_result_file *file, const char *doing);

#endif

/* Every HDF5 call of the sink. All functions on one thread. */
#ifndef SARRUS_SINK_RESULT_FILE_H
#define SARRUS_SINK_RESULT_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include <hdf5.h>

#include "sink/chunk.h"
#include "sink/description.h"
#include "sink/file_driver.h"
#include "sink/hdf5_error.h"
#include "sink/layout.h"
#include "sink/result_place.h"
#include "sink/result_table.h"
#include "sink/time_axis.h"

enum { SARRUS_RESULT_MESSAGE_BYTES = 512 };

/* An open result file. */
typedef struct sarrus_result_file {
    const sarrus_layout *layout;
    hid_t driver, access, file;
    hid_t n_times_written, complete; /* attributes */
    hid_t status, status_type, failed_time, reason;
    hid_t *fields; /* [n_fields] datasets */
    sarrus_result_table table;
    sarrus_time_axis time;
    uint8_t *status_on_file; /* [n_instances], to write only what changed */
    sarrus_result_place place;
    sarrus_file_state state;
    sarrus_hdf5_silence silence;
    bool failed;
    char message[SARRUS_RESULT_MESSAGE_BYTES]; /* why it failed */
} sarrus_result_file;

/* Takes the name `path` (result_place.h), creates the file with its metadata and empty datasets, commits it, and lets it be seen.
 * On failure the message says why and only sarrus_result_file_close is allowed: BAD_ARGUMENT (the name may not be had), IO,
 * NO_MEMORY. `file` is zero-initialised; `layout` must outlive it. */
SARRUS_MUST_USE sarrus_status sarrus_result_file_create(sarrus_result_file *file, const char *path, const sarrus_layout *layout,
                                                        const sarrus_sink_description *description);

/* Sees to it that the first n_times output times, at least, are in the file. */
SARRUS_MUST_USE sarrus_status sarrus_result_file_reach(sarrus_result_file *file, uint64_t n_times);

/* Of an open-ended file: lengthens everything by a block of output times, and writes these. */
SARRUS_MUST_USE sarrus_status sarrus_result_file_extend(sarrus_result_file *file, const double *times, uint64_t n_times);

/* Writes a packed chunk of field `i_field` whose first element is instance `i_instance`, time `i_time`. */
SARRUS_MUST_USE sarrus_status sarrus_result_file_put(sarrus_result_file *file, int i_field, uint64_t i_instance, uint64_t i_time,
                                                     const sarrus_compress_slot *slot);

/* Writes the outcome (NULL, or NULL in it: as before) and the number of times, flushes, and sees whether the file is still there.
 */
SARRUS_MUST_USE sarrus_status sarrus_result_file_commit(sarrus_result_file *file, uint64_t n_times,
                                                        const sarrus_sink_outcome *outcome);

/* Writes the reasons of failed instances and the mark `complete`, and commits. */
SARRUS_MUST_USE sarrus_status sarrus_result_file_finish(sarrus_result_file *file, uint64_t n_times,
                                                        const sarrus_sink_outcome *outcome, bool complete);

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

/* Everything that a fresh file holds: attributes, scales, datasets (result_schema.c). */
SARRUS_MUST_USE sarrus_status sarrus_result_schema_write(sarrus_result_file *file, const sarrus_sink_description *description);

#endif

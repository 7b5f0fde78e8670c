/* The result file: one writer thread owns HDF5, whole chunks, compression by workers, commits by flush.
 * The sink knows arrays, names and units; nothing about mechanisms. */
#ifndef SARRUS_SINK_SINK_H
#define SARRUS_SINK_SINK_H

#include <stdint.h>

#include "sarrus/context.h"
#include "sink/description.h"

typedef struct sarrus_sink sarrus_sink;

/* Creates the file beside `path` (`path`.partial, links followed) with all metadata, scales and empty datasets, commits it, and
 * starts the writer. What stands at `path` stays until sarrus_sink_close. Errors: BAD_ARGUMENT (the description; `path` is not a
 * result, or one that is to be kept, or is being written), IO (with the system's reason), NO_MEMORY. The description is copied. A
 * note in `context` tells of an unfinished file of an earlier run that was put aside. */
SARRUS_MUST_USE sarrus_status sarrus_sink_create(sarrus_context *context, const char *path,
                                                 const sarrus_sink_description *description, sarrus_sink **out);

/* The same with groups: descriptions [n_groups], and what stands beside them. Without an index there is one, at the root. */
SARRUS_MUST_USE sarrus_status sarrus_sink_create_groups(sarrus_context *context, const char *path, const sarrus_sink_index *index,
                                                        const sarrus_sink_description *descriptions, int n_groups,
                                                        sarrus_sink **out);

/* Number of times in a full block of group `i_group` (the last may be shorter). */
uint64_t sarrus_sink_block_times(const sarrus_sink *sink, int i_group);

/* The next block of a group, in order of time; waits while both its buffers are being written. Each group may have a block lent.
 * SINK_FAILED after a write error. */
SARRUS_MUST_USE sarrus_status sarrus_sink_acquire(sarrus_sink *sink, int i_group, sarrus_sink_block *out);

/* Hands the acquired block of a group to the writer; n_times may be smaller than acquired only for the last block.
 * The writer takes blocks in the order in which they were handed over. It commits (flush) each block and writes instance/status,
 * the measures and the new rows as of then. NO_MEMORY when the rows cannot be kept; the block is then still the caller's. */
SARRUS_MUST_USE sarrus_status sarrus_sink_submit(sarrus_sink *sink, int i_group, uint64_t n_times,
                                                 const sarrus_sink_outcome *outcome);

/* Waits for the writer, writes the outcomes [n_groups], sets `complete` of a group when its outcome says so and every time was
 * written (of an open-ended one: every one that was submitted), and that of the file when all are, closes the file and gives it its
 * name, on the disk. With outcomes = NULL, of a run that has failed, it keeps the name of an unfinished one. A file without any
 * time in any group is removed. After a write error nothing more reaches the file, which stays as last committed and keeps its
 * unfinished name; the same when somebody has removed, replaced or shortened it: SINK_FAILED, with the cause in `context`. The sink
 * is still to be destroyed. */
SARRUS_MUST_USE sarrus_status sarrus_sink_close(sarrus_sink *sink, sarrus_context *context, const sarrus_sink_outcome *outcomes);

/* Output times of a group in the file, once it is closed: all that were submitted, unless a stop left no time to write them. */
uint64_t sarrus_sink_times_written(const sarrus_sink *sink, int i_group);

/* The same while the file is being written: what a kill would leave. */
uint64_t sarrus_sink_times_committed(const sarrus_sink *sink, int i_group);

/* The name of an unfinished file that was left by a close; NULL: there is none. The sink's. */
const char *sarrus_sink_left(const sarrus_sink *sink);

/* Every state is allowed, NULL too. Without a close before, as after one without an outcome. */
void sarrus_sink_destroy(sarrus_sink *sink);

/* Size of the file so far in bytes. */
uint64_t sarrus_sink_bytes(const sarrus_sink *sink);

#endif

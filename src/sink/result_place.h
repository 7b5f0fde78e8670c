/* Where a result lies until it has its name. Beside NAME stand, while it is written,
 *
 *   .NAME.lock     locked by the writer and gone with it; it holds the writer's process id
 *   .NAME.new      the file until it can be opened
 *   NAME.partial   the file from then on; renamed to NAME at the end, and left by a run that is killed or fails
 *   NAME.partial~  what an earlier run has left as NAME.partial
 *
 * and what a run can be resumed from, which is not of this room: NAME.checkpoint, for a moment .NAME.checkpoint.
 *
 * All functions that fail leave the reason in `message`. They are called on a thread that no signal is delivered to, so that a
 * limit of file sizes is an error and not a deadly signal. */
#ifndef SARRUS_SINK_RESULT_PLACE_H
#define SARRUS_SINK_RESULT_PLACE_H

#include <stdbool.h>
#include <stdint.h>

#include "sarrus/status.h"

enum { SARRUS_PLACE_MESSAGE_BYTES = 512 };

typedef struct sarrus_result_place {
    char *target; /* NAME, links followed */
    char *lock_name, *fresh, *partial, *before;
    int lock, descriptor; /* −1: not open */
    bool keeps_complete;  /* a complete result is not to be replaced */
    bool is_spoiled;      /* somebody else has done something to the file */
    bool takes_partial;   /* set by the owner: what stands as NAME.partial is in the new file, which takes its place */
    const char *name;     /* that the file has now: `fresh`, `partial` or `target`; NULL: there is none */
    char message[SARRUS_PLACE_MESSAGE_BYTES];
    char notice[SARRUS_PLACE_MESSAGE_BYTES]; /* what a person should be told although all is well; "": nothing */
} sarrus_result_place;

/* NAME with something before and behind its last part, as NAME.partial, where `path` leads to NAME; to be freed. NULL with errno.
 */
char *sarrus_result_place_name(const char *path, const char *before, const char *after);

/* Whether a run may write to `path`, as far as can be seen without writing anything: sarrus_result_name_check, and nobody writes to
 * it now. The reason is in message[SARRUS_PLACE_MESSAGE_BYTES]. */
SARRUS_MUST_USE sarrus_status sarrus_result_place_check(const char *path, bool keeps_complete, char *message);

/* Locks the name and opens `descriptor`, an empty file of the hidden name. BAD_ARGUMENT, IO, NO_MEMORY. Ended by
 * sarrus_result_place_leave in any case. */
SARRUS_MUST_USE sarrus_status sarrus_result_place_take(sarrus_result_place *place, const char *path, bool keeps_complete);

/* The file can be opened: it becomes NAME.partial. What was there goes to NAME.partial~ when it holds output times, unless
 * takes_partial is set. IO, BAD_ARGUMENT. */
SARRUS_MUST_USE sarrus_status sarrus_result_place_reveal(sarrus_result_place *place);

/* Whether the file is still there, the same one, and of n_bytes. IO. */
SARRUS_MUST_USE sarrus_status sarrus_result_place_verify(sarrus_result_place *place, uint64_t n_bytes);

/* Lets the system begin to write what it holds of the file to the disk, so that little is left to wait for at the end. */
void sarrus_result_place_settle(const sarrus_result_place *place);

/* The file, of n_bytes, is on the disk and has its name when this returns OK; else it keeps the one it has. IO, BAD_ARGUMENT. */
SARRUS_MUST_USE sarrus_status sarrus_result_place_publish(sarrus_result_place *place, uint64_t n_bytes);

/* Closes and unlocks; removes the file unless it is published or `keeps_partial`. `target`, `partial`, `name`, the messages stay
 * until sarrus_result_place_free. Every state is allowed. */
void sarrus_result_place_leave(sarrus_result_place *place, bool keeps_partial);
void sarrus_result_place_free(sarrus_result_place *place);

#endif

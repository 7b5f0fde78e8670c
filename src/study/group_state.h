/* Where a group of a run stands between two slices, as bytes: its batch, what was gathered from the rows of its blocks, and the
 * rows of the open one. */
#ifndef SARRUS_STUDY_GROUP_STATE_H
#define SARRUS_STUDY_GROUP_STATE_H

#include <stddef.h>

#include "study/group.h"

/* What a state begins with. */
typedef struct sarrus_group_state {
    uint64_t n_batch, n_tally, n_reductions, n_open; /* bytes of the parts that follow */
    uint64_t i_time, n_rows; /* output times that were handed over in whole blocks, and rows of the table with them */
    uint64_t i_row, n_steps; /* output times of the open block; steps of the schedule */
    uint64_t n_rank_changes; /* of the tally */
} sarrus_group_state;

/* How many bytes it takes. */
size_t sarrus_group_state_size(sarrus_group *group);

/* Fills `bytes` [sarrus_group_state_size]. Errors of sarrus_batch_save. */
SARRUS_MUST_USE sarrus_status sarrus_group_state_save(sarrus_group *group, void *bytes, size_t n_bytes);

/* What a state begins with. False when the bytes are not those of one. */
bool sarrus_group_state_look(const void *bytes, size_t n_bytes, sarrus_group_state *out);

/* Takes a group that was made, and has not begun, to where the state was saved, but for the rows. BAD_INPUT when the bytes are not
 * of such a group, which is then where it was; NO_MEMORY. */
SARRUS_MUST_USE sarrus_status sarrus_group_state_load(sarrus_group *group, const void *bytes, size_t n_bytes);

/* The rows, once the group has begun: opens its block. Errors of sarrus_group_open; BAD_INPUT when the rows are not those of the
 * block. */
SARRUS_MUST_USE sarrus_status sarrus_group_rows_load(sarrus_group *group, sarrus_sink *sink, const void *bytes);

#endif

/* The table of changes of rank of a file that is made of others: those of all its parts, or of runs before and after, by time, then
 * by instance, as one run would have it. */
#ifndef SARRUS_SINK_MERGE_RANK_CHANGES_H
#define SARRUS_SINK_MERGE_RANK_CHANGES_H

#include "sink/merge.h"

/* Writes `/events/rank` of a group below `to`; nothing where the parts have none. False when HDF5 refused or memory is out. */
bool sarrus_merge_rank_changes_write(const sarrus_merge *merge, int i_group, hid_t to);

/* Replaces the rows of instances numbers[n], ascending, in the table below `to` by those of instances 0 … n − 1 of the one below
 * `from`. Nothing where `to` has no table. False when HDF5 refused, `from` has none, or memory is out. */
bool sarrus_rank_changes_replace(hid_t to, hid_t from, const uint64_t *numbers, uint64_t n);

#endif

/* The table of changes of rank of a merged file: those of all parts, by time, then by instance, as one run would have it. */
#ifndef SARRUS_SINK_MERGE_RANK_CHANGES_H
#define SARRUS_SINK_MERGE_RANK_CHANGES_H

#include "sink/merge.h"

/* Writes `/events/rank` of a group below `to`; nothing where the parts have none. False when HDF5 refused or memory is out. */
bool sarrus_merge_rank_changes_write(const sarrus_merge *merge, int i_group, hid_t to);

#endif

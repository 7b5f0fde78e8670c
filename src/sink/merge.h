/* The parts of a study, each a result of its own, as one file. HDF5 is called on the caller's thread. */
#ifndef SARRUS_SINK_MERGE_H
#define SARRUS_SINK_MERGE_H

#include <stdbool.h>
#include <stdint.h>

#include <hdf5.h>

#include "sarrus/run.h"

/* One part. */
typedef struct sarrus_merge_part {
    const char *path;
    char *shown; /* how the merged file names it: relative to its own folder where it lies there or below, else in full */
    hid_t file;
    sarrus_result_info whole;
    sarrus_result_info *groups; /* [n_groups] of a result of several scenarios; else [1], the file */
} sarrus_merge_part;

typedef struct sarrus_merge {
    int n_parts;
    sarrus_merge_part *parts; /* [n_parts] in the order of their instances */
    int n_groups;             /* 0: the parts are results of one scenario */
} sarrus_merge;

/* What merged_group.h shows of a group. */
struct sarrus_merged_group {
    const sarrus_merge *merge;
    int i_group;
    hid_t root; /* of the merged file */
};

/* Opens the parts, puts them in order, and sees that they are the whole of one study: the same version, scenario, seed, plan and
 * times, complete, no instance missing or there twice. `folder` is where the merged file is to lie. BAD_INPUT, IO, NO_MEMORY; to be
 * given to sarrus_merge_close, after an error too. */
SARRUS_MUST_USE sarrus_status sarrus_merge_open(sarrus_merge *merge, sarrus_context *context, const char *const *paths, int n_parts,
                                                const char *folder);
void sarrus_merge_close(sarrus_merge *merge);

/* Group `i_group` of a part, to be given to H5Gclose; of a result of one scenario (i_group 0) its root. Negative when HDF5
 * refused. */
hid_t sarrus_merge_root(const sarrus_merge *merge, hid_t file, int i_group);

/* The part that has every dataset of a group: the first that keeps trajectories, if any does. */
int sarrus_merge_first(const sarrus_merge *merge, int i_group);

/* Whether all parts have the datasets of a group, with the rows and types that they should have (merge_check.c). BAD_INPUT, IO,
 * NO_MEMORY. */
SARRUS_MUST_USE sarrus_status sarrus_merge_check(const sarrus_merge *merge, sarrus_context *context, int i_group);

/* Of a result of several scenarios: what stands at its top beside the groups (merge_group.c). False as below. */
bool sarrus_merge_index_write(const sarrus_merge *merge, hid_t file);

/* Writes what the parts hold of group `i_group` below `root` of the merged file (merge_group.c). False when HDF5 refused or memory
 * is out. */
bool sarrus_merge_group_write(const sarrus_merge *merge, int i_group, hid_t root);

#endif

/* What an earlier run of the same has left, as a new file takes it over. HDF5 is called: on the thread that owns it. */
#ifndef SARRUS_SINK_RESULT_SOURCE_H
#define SARRUS_SINK_RESULT_SOURCE_H

#include <stdbool.h>

#include <hdf5.h>

#include "sarrus/context.h"
#include "sink/description.h"
#include "sink/result_group.h"

/* What marks a file of this name; false: there is none. */
bool sarrus_result_source_mark(const char *path, sarrus_source_mark *out);

/* Opens a result for reading, without locks; negative when HDF5 refused. To be given to H5Fclose. */
hid_t sarrus_result_source_open(const char *path);

/* Copies the first output times and rows of a group from the file `from`: chunks as they are packed. i_group −1: it is the root.
 * The new group has the datasets of `description`, which are empty. False when HDF5 refused, the datasets are cut in another way, a
 * chunk is damaged, or a stop (of the description) was asked for. */
bool sarrus_result_source_take(sarrus_result_group *group, hid_t from, int i_group, const sarrus_sink_description *description,
                               const sarrus_sink_source *source);

enum { SARRUS_SOURCE_DETAIL_BYTES = 192 };

/* What a file says about itself, to be held against a run. */
typedef struct sarrus_source_look {
    bool is_there;  /* a file of that name that can be opened as a result */
    bool is_of_run; /* of the same version, scenario, seed, sample and plan */
    bool is_complete;
    const char *difference;                  /* where it is of another run: what is not the same; a constant */
    char detail[SARRUS_SOURCE_DETAIL_BYTES]; /* of another scenario: " (…)", the first lines that differ; else "" */
    bool is_of_another_plan;                 /* nothing but the plan is not the same */
    sarrus_source_mark mark;
} sarrus_source_look;

/* Looks at the file `path`: whether it holds what descriptions [n_groups] describe, index as for the sink. n_times [n_groups] ←
 * output times that it has of each group. NO_MEMORY. */
SARRUS_MUST_USE sarrus_status sarrus_result_source_look(const char *path, const sarrus_sink_index *index,
                                                        const sarrus_sink_description *descriptions, int n_groups,
                                                        uint64_t *n_times, sarrus_source_look *out);

/* Whether a group of a result (i_group −1: the file as a whole) says that it is of the plan with this hash. */
bool sarrus_result_source_has_plan(const char *path, int i_group, uint64_t plan_hash);

/* Whether the first n_times [n_groups] of a file that was looked at can be read: every chunk has its checksum. False
 * too when a stop was asked for. */
bool sarrus_result_source_is_sound(const char *path, const sarrus_sink_index *index, const sarrus_sink_description *descriptions,
                                   int n_groups, const uint64_t *n_times);

#endif

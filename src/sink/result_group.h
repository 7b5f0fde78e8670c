/* One group of a result file: everything that one batch writes, at the root of the file or below it. All functions on one thread;
 * those that return bool are false when HDF5 refused. */
#ifndef SARRUS_SINK_RESULT_GROUP_H
#define SARRUS_SINK_RESULT_GROUP_H

#include <stdbool.h>
#include <stdint.h>

#include <hdf5.h>

#include "sink/chunk.h"
#include "sink/compress_pool.h"
#include "sink/description.h"
#include "sink/layout.h"
#include "sink/result_table.h"
#include "sink/result_totals.h"
#include "sink/time_axis.h"

typedef struct sarrus_result_group {
    const sarrus_layout *layout;
    hid_t root; /* the group below which everything stands: the file, or one of its groups */
    bool owns_root;
    hid_t n_times_written, complete; /* attributes */
    hid_t status, status_type, failed_time, reason;
    hid_t *fields; /* [n_fields] datasets */
    sarrus_result_table table;
    sarrus_result_totals totals;
    sarrus_time_axis time;
    uint8_t *status_on_file; /* [n_instances], to write only what changed */
} sarrus_result_group;

/* Room for its ids; nothing is open yet. `layout` must outlive it. False without memory; to be given to sarrus_result_group_close
 * in any case. */
bool sarrus_result_group_make(sarrus_result_group *group, const sarrus_layout *layout);

/* Everything that a fresh group holds below its root: attributes, scales, datasets (result_schema.c). */
bool sarrus_result_schema_write(sarrus_result_group *group, const sarrus_sink_description *description);

/* Format, version and date, which every root of a result has (result_schema.c). */
bool sarrus_result_origin_write(hid_t root);

/* At the root above `n` groups: backend, device and n_ranks, which are as at a root of one scenario ("several" and the most where
 * groups differ), and seed and plan_hash of the groups, [n] (result_schema.c). */
bool sarrus_result_origins_write(hid_t root, const sarrus_sink_description *descriptions, int n);

/* The lengths of the n_dims axes of a field's dataset that has n_rows rows and n_times times. */
void sarrus_result_dims(const sarrus_layout_field *field, uint64_t n_rows, uint64_t n_times, hsize_t dims[3]);

/* The dataset `scenario` below `root` (result_schema.c). */
bool sarrus_result_scenario_write(hid_t root, const char *text);

/* The attribute `complete`, which stays open: 0. Negative when HDF5 refused. */
hid_t sarrus_result_complete_open(hid_t root);

/* Of an open-ended group: lengthens everything by a block of output times, and writes these. */
bool sarrus_result_group_extend(sarrus_result_group *group, const double *times, uint64_t n_times);

/* Writes a packed chunk of field `i_field` whose first element is instance `i_instance`, time `i_time`. */
bool sarrus_result_group_put(sarrus_result_group *group, int i_field, uint64_t i_instance, uint64_t i_time,
                             const sarrus_compress_slot *slot);

/* Writes how the instances stand: status and failure times when a status has changed, measures, new rows. */
bool sarrus_result_group_outcome_write(sarrus_result_group *group, const sarrus_sink_outcome *outcome);

/* Writes the reasons of failed instances; `status` [n_instances]. */
bool sarrus_result_group_reasons_write(const sarrus_result_group *group, const uint8_t *status);

/* Every state is allowed, one of zeros not. */
void sarrus_result_group_close(sarrus_result_group *group);

#endif

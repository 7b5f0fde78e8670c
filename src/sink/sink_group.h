/* One group of a sink: how its arrays are cut, its two blocks, and where its caller stands. */
#ifndef SARRUS_SINK_SINK_GROUP_H
#define SARRUS_SINK_SINK_GROUP_H

#include <stdbool.h>
#include <stdint.h>

#include "sink/description.h"
#include "sink/layout.h"
#include "sink/outcome_copy.h"

enum { SARRUS_GROUP_BUFFERS = 2 };

/* One block: lent to the caller, then queued for the writer, then free again. */
typedef struct sarrus_block_buffer {
    int i_group;
    bool is_free;   /* guarded by the sink's mutex: nobody is to write it */
    double *memory; /* [layout.block_doubles]; NULL for a second buffer that is never needed */
    double **data;  /* [n_fields] into `memory` */
    double *times;  /* [layout.block_times] into `memory`; NULL when they are known beforehand */
    uint64_t i_time_first, n_times_stride, n_times;
    bool has_outcome;
    sarrus_outcome_copy outcome;
} sarrus_block_buffer;

typedef struct sarrus_sink_group {
    sarrus_layout layout;
    sarrus_block_buffer buffers[SARRUS_GROUP_BUFFERS];
    uint64_t n_times_written; /* the writer's, until it has ended */
    /* The caller's: */
    uint64_t i_time_next; /* first time of the next block to be lent */
    int i_lent;           /* buffer that is lent or lent next */
    bool lent, ended;
} sarrus_sink_group;

/* NULL, or what is wrong with the description. */
const char *sarrus_sink_description_error(const sarrus_sink_description *description);

/* Layout and buffers of a good description. BAD_ARGUMENT when sizes are zero or overflow, NO_MEMORY. To be given to
 * sarrus_sink_group_free, after an error too. */
SARRUS_MUST_USE sarrus_status sarrus_sink_group_make(sarrus_sink_group *group, int i_group,
                                                     const sarrus_sink_description *description);
void sarrus_sink_group_free(sarrus_sink_group *group);

/* Whether the caller may ask for a block. */
bool sarrus_sink_group_has_more(const sarrus_sink_group *group);

/* Lends the next buffer, which is free. */
void sarrus_sink_group_lend(sarrus_sink_group *group, sarrus_sink_block *out);

/* The lent buffer comes back with n_times rows. */
void sarrus_sink_group_take_back(sarrus_sink_group *group, uint64_t n_times);

#endif

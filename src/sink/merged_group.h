/* A group of a merged file that is being written, for what is made of the rows of all parts together. */
#ifndef SARRUS_SINK_MERGED_GROUP_H
#define SARRUS_SINK_MERGED_GROUP_H

#include <stdbool.h>
#include <stdint.h>

#include "sarrus/context.h"
#include "sink/description.h"

typedef struct sarrus_merged_group sarrus_merged_group;

/* Instances of the study, and its seed. */
uint64_t sarrus_merged_group_size(const sarrus_merged_group *group);
uint64_t sarrus_merged_group_seed(const sarrus_merged_group *group);

/* Parts, and of one of them, in their order, the first instance and how many there are. */
int sarrus_merged_group_n_parts(const sarrus_merged_group *group);
void sarrus_merged_group_part(const sarrus_merged_group *group, int i_part, uint64_t *i_first, uint64_t *n);

/* The scenario as it was run; to be freed. NULL without memory, or when it cannot be read. */
char *sarrus_merged_group_scenario(const sarrus_merged_group *group);

/* Reads a dataset over instances, out [size], and their status. False when a part has none that can be read. */
bool sarrus_merged_group_numbers(const sarrus_merged_group *group, const char *path, double *out);
bool sarrus_merged_group_status(const sarrus_merged_group *group, uint8_t *out);

/* The same of instances i_first … i_first + n − 1. */
typedef struct sarrus_merged_rows {
    uint64_t i_first, n;
} sarrus_merged_rows;
bool sarrus_merged_group_numbers_of(const sarrus_merged_group *group, const char *path, sarrus_merged_rows rows, double *out);
bool sarrus_merged_group_status_of(const sarrus_merged_group *group, sarrus_merged_rows rows, uint8_t *out);

/* Writes the totals of a description that has nothing else, values [n_totals], in the place of what there is of them. False when
 * HDF5 refused or memory is out. */
bool sarrus_merged_group_totals_write(const sarrus_merged_group *group, const sarrus_sink_description *description,
                                      const double *const *values);

/* Makes what is of all instances of the group together. */
typedef sarrus_status sarrus_merged_group_finish(sarrus_context *context, const sarrus_merged_group *group);

#endif

/* Datasets over instances and times in the parts of a study, of which there are statistics: their rows, and where the statistics of
 * all parts together go. */
#ifndef SARRUS_SINK_MERGED_SERIES_H
#define SARRUS_SINK_MERGED_SERIES_H

#include <stdbool.h>
#include <stdint.h>

#include "sink/merged_group.h"

enum { SARRUS_SERIES_PATH = 512 };

/* A dataset [size][n_times] or [size][n_times][width]. */
typedef struct sarrus_merged_series {
    char path[SARRUS_SERIES_PATH]; /* "state/q" */
    uint64_t n_times, width;
    uint64_t block_times; /* times that are best read together */
} sarrus_merged_series;

typedef struct sarrus_merged_series_list {
    int n;
    sarrus_merged_series *series; /* [n] */
    sarrus_merged_series speeds;  /* that tell which instances are good at a time */
    bool is_whole;                /* every part has the rows of all of its instances, of all of them */
    bool is_handed_on;            /* every part has sums of all of them, for want of rows */
} sarrus_merged_series_list;

/* Which times of a dataset, and numbers of each. */
typedef struct sarrus_merged_times {
    uint64_t i_first, n, n_each;
} sarrus_merged_times;

/* Those of which the parts have statistics over time; n = 0 without any. False when HDF5 refused or memory is out; to be given to
 * sarrus_merged_series_free, then too. */
bool sarrus_merged_series_find(const sarrus_merged_group *group, sarrus_merged_series_list *out);
void sarrus_merged_series_free(sarrus_merged_series_list *list);

/* Rows i_time … i_time + n − 1 of all instances, out [size][n][width]; NaN where an integer says that there is no number. */
bool sarrus_merged_series_read(const sarrus_merged_group *group, const sarrus_merged_series *series, uint64_t i_time, uint64_t n,
                               double *out);

/* Of part i_part, times i_time … i_time + n − 1 of a dataset that has the times along its first axis, out [n][n_each]. False also
 * where it has another size. */
bool sarrus_merged_times_read(const sarrus_merged_group *group, int i_part, const char *path, sarrus_merged_times times,
                              double *out);

/* Writes values [n][…] to times i_time … of a dataset of the merged file that has all times along its first axis. */
bool sarrus_merged_series_write(const sarrus_merged_group *group, const char *path, uint64_t i_time, uint64_t n,
                                const double *values);

/* Says of a dataset of the merged file how it was made. */
bool sarrus_merged_series_method_put(const sarrus_merged_group *group, const char *path, const char *method);

#endif

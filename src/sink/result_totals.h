/* What is of all instances together and of no time: datasets that are written once, at the end. */
#ifndef SARRUS_SINK_RESULT_TOTALS_H
#define SARRUS_SINK_RESULT_TOTALS_H

#include <stdbool.h>

#include <hdf5.h>

#include "sink/description.h"

typedef struct sarrus_result_totals {
    int n;
    hid_t *datasets; /* [n] */
} sarrus_result_totals;

/* The dimension scale of levels below `root`, one that is there or a new one; to be closed. Negative when HDF5 refused. */
hid_t sarrus_result_levels_create(hid_t root, const sarrus_sink_levels *levels);

/* Creates the totals of a description below `root`, empty, and the scales of their labels, or opens those that are there;
 * `levels` is the scale of its levels, where a total has these. False when HDF5 refused or memory is out. */
bool sarrus_result_totals_create(sarrus_result_totals *totals, hid_t root, const sarrus_sink_description *description,
                                 hid_t levels);

/* Writes values[n] of [1, levels, labels, or labels × labels]. */
bool sarrus_result_totals_write(const sarrus_result_totals *totals, const double *const *values);

/* Every state is allowed, one of zeros too. */
void sarrus_result_totals_close(sarrus_result_totals *totals);

#endif

/* What the first axis of a dataset of a result is. */
#ifndef SARRUS_SINK_ROW_KIND_H
#define SARRUS_SINK_ROW_KIND_H

#include <hdf5.h>

typedef enum sarrus_row_kind {
    SARRUS_ROWS_NONE = 0,         /* something else, as times or names */
    SARRUS_ROWS_INSTANCES = 1,    /* all instances */
    SARRUS_ROWS_TRAJECTORIES = 2, /* those of which there are trajectories, which may be all */
} sarrus_row_kind;

/* Of the dataset `path` below `root`, the group of a result that it is open from. Its scale tells, or its place where it has none
 * because the scale had too many users. */
sarrus_row_kind sarrus_row_kind_of(hid_t root, const char *path, hid_t dataset);

#endif

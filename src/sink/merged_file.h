/* The parts of a study as one file. */
#ifndef SARRUS_SINK_MERGED_FILE_H
#define SARRUS_SINK_MERGED_FILE_H

#include "sink/merged_group.h"

/* Makes one result of the parts of a study, as sarrus_results_merge does; `finish` is called for every group once its rows are
 * written. */
SARRUS_MUST_USE sarrus_status sarrus_parts_merge(sarrus_context *context, const char *const *parts, int n_parts, const char *path,
                                                 int no_clobber, sarrus_merged_group_finish *finish);

#endif

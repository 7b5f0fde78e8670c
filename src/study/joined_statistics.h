/* Statistics over time of a study in parts, from the sums that its parts hand on for want of rows. They have the bits of one run,
 * but for quantiles of a study whose parts hand on counts (column_statistics.h), unless one run makes those of sketches too. */
#ifndef SARRUS_STUDY_JOINED_STATISTICS_H
#define SARRUS_STUDY_JOINED_STATISTICS_H

#include "sink/merged_series.h"
#include "study/column_statistics.h"

/* Of each series of a list that is handed on; `shape`: of one run. IO, NO_MEMORY. */
SARRUS_MUST_USE sarrus_status sarrus_joined_statistics_write(sarrus_context *context, const sarrus_merged_group *group,
                                                             const sarrus_merged_series_list *list,
                                                             const sarrus_column_shape *shape);

#endif

/* The statistics of one column of numbers, as the result file has them: a dataset each. */
#ifndef SARRUS_STUDY_COLUMN_STATISTICS_H
#define SARRUS_STUDY_COLUMN_STATISTICS_H

#include <stdint.h>

#include "model/model.h"
#include "sink/description.h"

/* What there is of each column. Quantiles come last, and only when there are levels. */
enum { SARRUS_COLUMN_QUANTILES = 4, SARRUS_COLUMN_STATISTICS };

typedef struct sarrus_column_statistic {
    const char *word, *text;
} sarrus_column_statistic;
extern const sarrus_column_statistic sarrus_column_statistics[SARRUS_COLUMN_STATISTICS];

/* The levels of the quantiles that a model asks for; there may be none. */
sarrus_sink_levels sarrus_column_levels(const sarrus_model *model);

/* How many of the statistics there are with these levels. */
int sarrus_column_statistics_n(const sarrus_sink_levels *levels);

/* A column x[n], which is overwritten, NaN left out, into place `at` of the datasets data[statistic] of [places] or
 * [places][levels]. `scratch` [n] is overwritten. Returns how many numbers there are. */
uint64_t sarrus_column_statistics_take(double *x, uint64_t n, const sarrus_sink_levels *levels, double *scratch,
                                       double *const *data, uint64_t at);

#endif

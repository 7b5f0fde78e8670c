/* The statistics of one column of numbers, as the result file has them: a dataset each. */
#ifndef SARRUS_STUDY_COLUMN_STATISTICS_H
#define SARRUS_STUDY_COLUMN_STATISTICS_H

#include <stdint.h>

#include "model/model.h"
#include "sink/description.h"
#include "study/moments.h"
#include "study/spread.h"

/* What there is of each column. Quantiles come last, and only when there are levels. */
enum { SARRUS_COLUMN_QUANTILES = 5, SARRUS_COLUMN_STATISTICS };

typedef struct sarrus_column_statistic {
    const char *word, *text;
    const char *units; /* NULL: those of the numbers */
} sarrus_column_statistic;
extern const sarrus_column_statistic sarrus_column_statistics[SARRUS_COLUMN_STATISTICS];

/* The levels of the quantiles that a model asks for; there may be none. */
sarrus_sink_levels sarrus_column_levels(const sarrus_model *model);

/* How many of the statistics there are with these levels. */
int sarrus_column_statistics_n(const sarrus_sink_levels *levels);

/* A column: the numbers of instances i_first … i_first + n − 1 of a study, NaN where one has none. */
typedef struct sarrus_column {
    uint64_t i_first, n;
    double *x;                      /* [n], overwritten */
    double *scratch;                /* [n], overwritten */
    const sarrus_moment_part *part; /* of these instances, when it hands its sums on; else NULL */
    double *sums;                   /* [size] what it hands on */
} sarrus_column;

/* Into place `at` of the datasets data[statistic] of [places] or [places][levels]. Returns how many numbers there are. */
uint64_t sarrus_column_statistics_take(const sarrus_column *column, const sarrus_sink_levels *levels, double *const *data,
                                       uint64_t at);

/* The same but quantiles, of numbers with these sums and these extremes. */
void sarrus_column_moments_put(const sarrus_moments *total, sarrus_extremes extremes, double *const *data, uint64_t at);

#endif

/* The statistics of one column of numbers, as the result file has them: a dataset each. */
#ifndef SARRUS_STUDY_COLUMN_STATISTICS_H
#define SARRUS_STUDY_COLUMN_STATISTICS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/model.h"
#include "sink/description.h"
#include "study/moments.h"
#include "study/sketch.h"
#include "study/spread.h"

/* What there is of each column. Quantiles come last, and only when there are levels; behind them how far they may be off, where
 * this is asked for. */
enum { SARRUS_COLUMN_QUANTILES = 5, SARRUS_COLUMN_ERRORS, SARRUS_COLUMN_STATISTICS };

typedef struct sarrus_column_statistic {
    const char *word, *text;
    const char *units; /* NULL: those of the numbers */
} sarrus_column_statistic;
extern const sarrus_column_statistic sarrus_column_statistics[SARRUS_COLUMN_STATISTICS];

/* The levels of the quantiles that a model asks for; there may be none. */
sarrus_sink_levels sarrus_column_levels(const sarrus_model *model);

/* Which statistics there are, and how quantiles are made: of the numbers, or of a sketch of them. */
typedef struct sarrus_column_shape {
    sarrus_sink_levels levels;
    bool is_sketched, has_errors;
} sarrus_column_shape;

/* Those over time that a model asks for, in one run: errors only with sketches. */
sarrus_column_shape sarrus_column_shape_of(const sarrus_model *model);

/* Whether parts of a study of so many instances that keep no trajectories hand on their numbers for quantiles, which are exact
 * then. That is where all of them are no more than the counts by intervals that they hand on else, so that it depends on the study
 * and not on how it is cut. */
bool sarrus_column_keeps_numbers(const sarrus_column_shape *shape, uint64_t n_study);

/* The word of what is handed on for quantiles: "numbers" or "counts". */
const char *sarrus_column_handed_on(bool keeps_numbers);

/* How many of the statistics there are. */
int sarrus_column_statistics_n(const sarrus_column_shape *shape);

/* The attribute "method" of quantiles. */
const char *sarrus_column_method(bool is_sketched);

/* A column: the numbers of instances i_first … i_first + n − 1 of a study, NaN where one has none. */
typedef struct sarrus_column {
    uint64_t i_first, n;
    double *x;                      /* [n], overwritten */
    double *scratch;                /* [n], overwritten */
    const sarrus_moment_part *part; /* of these instances, when it hands its sums on; else NULL */
    double *sums;                   /* [size] what it hands on */
    double *counts;                 /* [SARRUS_SKETCH_NUMBERS] what it hands on for quantiles; NULL: nothing */
    double *numbers;                /* [n] the same where it hands on its numbers, NaN behind them; NULL: nothing */
} sarrus_column;

/* Into place `at` of the datasets data[statistic] of [places] or [places][levels]. Returns how many numbers there are. */
uint64_t sarrus_column_statistics_take(const sarrus_column *column, const sarrus_column_shape *shape, double *const *data,
                                       uint64_t at);

/* What there is without levels, into place `at`. */
void sarrus_column_spread_put(const sarrus_spread *spread, double *const *data, uint64_t at);

/* The same of numbers with these sums and extremes. Quantiles are, where the shape is sketched, of counts by the intervals that go
 * with the extremes, else of the numbers; without levels these are NULL. */
typedef struct sarrus_column_totals {
    sarrus_moments moments;
    sarrus_extremes extremes;
    const sarrus_sketch_grid *grid;
    const double *counts; /* [SARRUS_SKETCH_BINS] */
    const double *x;      /* [n_numbers] */
    uint64_t n_numbers;
    double *scratch; /* [n_numbers], overwritten */
} sarrus_column_totals;
void sarrus_column_totals_put(const sarrus_column_totals *totals, const sarrus_column_shape *shape, double *const *data,
                              uint64_t at);

#endif

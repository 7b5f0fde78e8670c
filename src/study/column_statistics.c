#include "study/column_statistics.h"

#include <math.h>

enum { OF_MEAN, OF_SD, OF_SKEWNESS, OF_MIN, OF_MAX, OF_QUANTILES = SARRUS_COLUMN_QUANTILES, OF_ERRORS };

const sarrus_column_statistic sarrus_column_statistics[SARRUS_COLUMN_STATISTICS] = {
    [OF_MEAN] = {"mean", "mean over instances", NULL},
    [OF_SD] = {"sd", "standard deviation over instances, of n - 1", NULL},
    [OF_SKEWNESS] = {"skewness", "skewness over instances, m3 / m2^1.5", "1"},
    [OF_MIN] = {"min", "smallest of the instances", NULL},
    [OF_MAX] = {"max", "largest of the instances", NULL},
    [OF_QUANTILES] = {"quantiles", "quantiles over instances", NULL},
    [OF_ERRORS] = {"quantiles_error", "how far the quantiles may be off", NULL},
};

sarrus_sink_levels sarrus_column_levels(const sarrus_model *model) {
    return (sarrus_sink_levels){.path = "statistics/quantile",
                                .long_name = "share of the instances that are below",
                                .units = "1",
                                .n = model->output.n_levels,
                                .values = model->output.levels};
}

sarrus_column_shape sarrus_column_shape_of(const sarrus_model *model) {
    const bool is_sketched = model->output.has_sketches;
    return (sarrus_column_shape){.levels = sarrus_column_levels(model), .is_sketched = is_sketched, .has_errors = is_sketched};
}

int sarrus_column_statistics_n(const sarrus_column_shape *shape) {
    return shape->levels.n == 0 ? OF_QUANTILES : shape->has_errors ? SARRUS_COLUMN_STATISTICS : OF_ERRORS;
}

bool sarrus_column_keeps_numbers(const sarrus_column_shape *shape, uint64_t n_study) {
    return shape->levels.n > 0 && !shape->is_sketched && n_study <= SARRUS_SKETCH_BINS;
}

const char *sarrus_column_handed_on(bool keeps_numbers) {
    return keeps_numbers ? "numbers" : "counts";
}

const char *sarrus_column_method(bool is_sketched) {
    return is_sketched ? "sketch" : "exact";
}

void sarrus_column_spread_put(const sarrus_spread *spread, double *const *data, uint64_t at) {
    data[OF_MEAN][at] = spread->mean;
    data[OF_SD][at] = spread->sd;
    data[OF_SKEWNESS][at] = spread->skewness;
    data[OF_MIN][at] = spread->min;
    data[OF_MAX][at] = spread->max;
}

/* Of numbers that are at hand: no error, where there is a quantile. */
static void exact_put(const sarrus_column_totals *totals, const sarrus_column_shape *shape, const sarrus_spread *spread,
                      double *const *data, uint64_t at) {
    const sarrus_sink_levels *levels = &shape->levels;
    double *quantiles = data[OF_QUANTILES] + at * (uint64_t)levels->n;
    sarrus_spread_quantiles(totals->x, totals->n_numbers, spread, levels->values, levels->n, totals->scratch, quantiles);
    for (int i = 0; i < levels->n && shape->has_errors; ++i)
        data[OF_ERRORS][at * (uint64_t)levels->n + (uint64_t)i] = isnan(quantiles[i]) ? (double)NAN : 0.0;
}

void sarrus_column_totals_put(const sarrus_column_totals *totals, const sarrus_column_shape *shape, double *const *data,
                              uint64_t at) {
    const sarrus_spread spread = sarrus_spread_with(&totals->moments, totals->extremes);
    const uint64_t n = (uint64_t)shape->levels.n;
    sarrus_column_spread_put(&spread, data, at);
    if (n > 0 && shape->is_sketched)
        sarrus_sketch_quantiles(totals->grid, totals->counts, totals->extremes,
                                (sarrus_sketch_levels){shape->levels.n, shape->levels.values}, data[OF_QUANTILES] + at * n,
                                data[OF_ERRORS] + at * n);
    else if (n > 0)
        exact_put(totals, shape, &spread, data, at);
}

/* The numbers go to the front. */
static uint64_t sums_take(const sarrus_column *column, sarrus_moments *total) {
    if (column->part != NULL)
        return sarrus_moment_part_take(column->part, column->x, column->sums, total);
    sarrus_moment_tree tree;
    sarrus_moment_tree_begin(&tree, column->i_first);
    const uint64_t n_numbers = sarrus_moment_tree_column(&tree, column->x, column->n);
    *total = sarrus_moment_tree_total(&tree);
    return n_numbers;
}

uint64_t sarrus_column_statistics_take(const sarrus_column *column, const sarrus_column_shape *shape, double *const *data,
                                       uint64_t at) {
    sarrus_column_totals totals = {.x = column->x, .scratch = column->scratch};
    const uint64_t n_numbers = totals.n_numbers = sums_take(column, &totals.moments);
    totals.extremes = sarrus_extremes_of(column->x, n_numbers);
    const sarrus_sketch_grid grid = sarrus_sketch_grid_of(totals.extremes);
    double own[SARRUS_SKETCH_NUMBERS], *counts = column->counts != NULL ? column->counts : own;
    totals.grid = &grid;
    totals.counts = counts + SARRUS_SKETCH_HEAD;
    if (column->counts != NULL || (shape->levels.n > 0 && shape->is_sketched))
        sarrus_sketch_put(&grid, column->x, n_numbers, counts);
    for (uint64_t i = 0; column->numbers != NULL && i < column->n; ++i)
        column->numbers[i] = i < n_numbers ? column->x[i] : (double)NAN;
    sarrus_column_totals_put(&totals, shape, data, at);
    return n_numbers;
}

#include "study/column_statistics.h"

enum { OF_MEAN, OF_SD, OF_SKEWNESS, OF_MIN, OF_MAX, OF_QUANTILES = SARRUS_COLUMN_QUANTILES };

const sarrus_column_statistic sarrus_column_statistics[SARRUS_COLUMN_STATISTICS] = {
    [OF_MEAN] = {"mean", "mean over instances", NULL},
    [OF_SD] = {"sd", "standard deviation over instances, of n - 1", NULL},
    [OF_SKEWNESS] = {"skewness", "skewness over instances, m3 / m2^1.5", "1"},
    [OF_MIN] = {"min", "smallest of the instances", NULL},
    [OF_MAX] = {"max", "largest of the instances", NULL},
    [OF_QUANTILES] = {"quantiles", "quantiles over instances", NULL},
};

sarrus_sink_levels sarrus_column_levels(const sarrus_model *model) {
    return (sarrus_sink_levels){.path = "statistics/quantile",
                                .long_name = "share of the instances that are below",
                                .units = "1",
                                .n = model->output.n_levels,
                                .values = model->output.levels};
}

int sarrus_column_statistics_n(const sarrus_sink_levels *levels) {
    return levels->n > 0 ? SARRUS_COLUMN_STATISTICS : OF_QUANTILES;
}

static void spread_put(const sarrus_spread *spread, double *const *data, uint64_t at) {
    data[OF_MEAN][at] = spread->mean;
    data[OF_SD][at] = spread->sd;
    data[OF_SKEWNESS][at] = spread->skewness;
    data[OF_MIN][at] = spread->min;
    data[OF_MAX][at] = spread->max;
}

void sarrus_column_moments_put(const sarrus_moments *total, sarrus_extremes extremes, double *const *data, uint64_t at) {
    const sarrus_spread spread = sarrus_spread_with(total, extremes);
    spread_put(&spread, data, at);
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

uint64_t sarrus_column_statistics_take(const sarrus_column *column, const sarrus_sink_levels *levels, double *const *data,
                                       uint64_t at) {
    sarrus_moments total;
    const uint64_t n_numbers = sums_take(column, &total);
    const sarrus_spread spread = sarrus_spread_with(&total, sarrus_extremes_of(column->x, n_numbers));
    spread_put(&spread, data, at);
    if (levels->n > 0)
        sarrus_spread_quantiles(column->x, n_numbers, &spread, levels->values, levels->n, column->scratch,
                                data[OF_QUANTILES] + at * (uint64_t)levels->n);
    return n_numbers;
}

#include "study/column_statistics.h"

#include "study/spread.h"

enum { OF_MEAN, OF_SD, OF_MIN, OF_MAX, OF_QUANTILES = SARRUS_COLUMN_QUANTILES };

const sarrus_column_statistic sarrus_column_statistics[SARRUS_COLUMN_STATISTICS] = {
    [OF_MEAN] = {"mean", "mean over instances"},
    [OF_SD] = {"sd", "standard deviation over instances, of n - 1"},
    [OF_MIN] = {"min", "smallest of the instances"},
    [OF_MAX] = {"max", "largest of the instances"},
    [OF_QUANTILES] = {"quantiles", "quantiles over instances"},
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

uint64_t sarrus_column_statistics_take(double *x, uint64_t n, const sarrus_sink_levels *levels, double *scratch,
                                       double *const *data, uint64_t at) {
    const uint64_t n_numbers = sarrus_spread_numbers(x, n);
    const sarrus_spread spread = sarrus_spread_of(x, n_numbers);
    data[OF_MEAN][at] = spread.mean;
    data[OF_SD][at] = spread.sd;
    data[OF_MIN][at] = spread.min;
    data[OF_MAX][at] = spread.max;
    if (levels->n > 0)
        sarrus_spread_quantiles(x, n_numbers, &spread, levels->values, levels->n, scratch,
                                data[OF_QUANTILES] + at * (uint64_t)levels->n);
    return n_numbers;
}

#include "study/quantity_statistics.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/report.h"
#include "sarrus/status.h"
#include "study/column_statistics.h"
#include "study/confidence.h"
#include "study/histogram.h"

/* Of a quantity. What sarrus_column_statistics_take fills stands in its order, from a mean on. */
enum {
    OF_N,
    OF_MEAN,
    OF_QUANTILES = OF_MEAN + SARRUS_COLUMN_QUANTILES,
    OF_CONFIDENCE,
    OF_LOW,
    OF_HIGH,
    OF_HISTOGRAM,
    OF_EDGES,
    N_KINDS
};

enum { AXIS_STATUS, AXIS_BIN, AXIS_EDGE, N_AXES };

/* NULL units: those of the quantity. */
typedef struct kind {
    const char *word, *text, *units;
    bool has_levels;
    int axis; /* its own, −1: none */
} kind;

static const kind own_kinds[N_KINDS] = {
    [OF_N] = {"n", "good instances that have it", "1", false, -1},
    [OF_CONFIDENCE] = {"mean_confidence", "half the width of the 95 % interval of the mean", NULL, false, -1},
    [OF_LOW] = {"quantiles_low", "lower ends of the 95 % intervals of the quantiles", NULL, true, -1},
    [OF_HIGH] = {"quantiles_high", "upper ends of the 95 % intervals of the quantiles", NULL, true, -1},
    [OF_HISTOGRAM] = {"histogram", "good instances between two edges", "1", false, AXIS_BIN},
    [OF_EDGES] = {"edges", "edges of the histogram", NULL, false, AXIS_EDGE},
};

static bool is_wanted(const sarrus_quantity_statistics *statistics, int i) {
    if (i == OF_QUANTILES || i == OF_LOW || i == OF_HIGH)
        return statistics->levels.n > 0;
    return (i != OF_HISTOGRAM && i != OF_EDGES) || statistics->model->output.n_bins > 0;
}

static bool is_count(int i) {
    return i == OF_N || i == OF_HISTOGRAM;
}

/* "first second third", kept in texts; NULL without memory. */
static const char *text_make(sarrus_quantity_statistics *statistics, const char *first, const char *second, const char *third) {
    char *text = NULL;
    if (asprintf(&text, "%s%s%s", first, second, third) < 0)
        return NULL;
    statistics->texts[statistics->n_texts++] = text;
    return text;
}

static kind kind_of(int i) {
    const int i_column = i - OF_MEAN;
    if (i_column < 0 || i_column > SARRUS_COLUMN_QUANTILES)
        return own_kinds[i];
    const sarrus_column_statistic *column = &sarrus_column_statistics[i_column];
    return (kind){column->word, column->text, column->units, i == OF_QUANTILES, -1};
}

static size_t size_of(const sarrus_quantity_statistics *statistics, const kind *what) {
    return what->has_levels ? (size_t)statistics->levels.n : what->axis >= 0 ? (size_t)statistics->axes[what->axis].n : 1;
}

static bool total_make(sarrus_quantity_statistics *statistics, int i_quantity, int i) {
    const sarrus_quantity *quantity = &statistics->model->output.quantities[i_quantity];
    const char *units = statistics->units[i_quantity][0] != '\0' ? statistics->units[i_quantity] : NULL;
    const int i_total = statistics->n_totals++;
    char end[32];
    const kind what = kind_of(i);
    (void)snprintf(end, sizeof end, "/%s", what.word);
    const char *path = text_make(statistics, "statistics/quantities/", quantity->name, end);
    const char *head = path != NULL ? text_make(statistics, what.text, ": ", quantity->text) : NULL;
    statistics->values[i_total] = calloc(size_of(statistics, &what), sizeof **statistics->values);
    statistics->of_quantity[i_quantity * N_KINDS + i] = statistics->values[i_total];
    statistics->totals[i_total] = (sarrus_sink_total){.path = path,
                                                      .long_name = head,
                                                      .units = what.units != NULL ? what.units : units,
                                                      .type = is_count(i) ? SARRUS_SINK_U64 : SARRUS_SINK_F64,
                                                      .has_levels = what.has_levels,
                                                      .n_label_axes = what.axis >= 0 ? 1 : 0,
                                                      .labels = what.axis >= 0 ? &statistics->axes[what.axis] : NULL};
    return head != NULL && statistics->values[i_total] != NULL;
}

static const char *const status_words[] = {
#define SARRUS_INSTANCE_STATUS(name, value, word, text) [value] = (word),
#include "sarrus/status.def"
};
enum { N_STATUS = sizeof status_words / sizeof status_words[0] };

static bool axes_make(sarrus_quantity_statistics *statistics) {
    const int n_bins = statistics->model->output.n_bins;
    statistics->axes = calloc(N_AXES, sizeof *statistics->axes);
    if (statistics->axes == NULL)
        return false;
    statistics->axes[AXIS_STATUS] = (sarrus_sink_labels){
        .path = "statistics/status", .long_name = "how an instance ended", .n = N_STATUS, .texts = status_words};
    statistics->axes[AXIS_BIN] = (sarrus_sink_labels){.path = "statistics/bin", .long_name = "bin of a histogram", .n = n_bins};
    statistics->axes[AXIS_EDGE] =
        (sarrus_sink_labels){.path = "statistics/edge", .long_name = "edge of a histogram", .n = n_bins + 1};
    return true;
}

static bool status_make(sarrus_quantity_statistics *statistics) {
    statistics->values[statistics->n_totals] = calloc(N_STATUS, sizeof **statistics->values);
    statistics->totals[statistics->n_totals++] = (sarrus_sink_total){.path = "statistics/status_count",
                                                                     .long_name = "instances that ended so",
                                                                     .units = "1",
                                                                     .type = SARRUS_SINK_U64,
                                                                     .n_label_axes = 1,
                                                                     .labels = &statistics->axes[AXIS_STATUS]};
    return statistics->values[statistics->n_totals - 1] != NULL;
}

static bool totals_make(sarrus_quantity_statistics *statistics) {
    const sarrus_model *model = statistics->model;
    const bool has_quantities = (model->output.statistics & SARRUS_STATISTICS_QUANTITIES) != 0;
    const int n_quantities = has_quantities ? model->output.n_quantities : 0;
    const size_t n_most = (size_t)n_quantities * N_KINDS + 1;
    statistics->totals = calloc(n_most, sizeof *statistics->totals);
    statistics->values = calloc(n_most, sizeof *statistics->values);
    statistics->of_quantity = calloc(n_most, sizeof *statistics->of_quantity);
    statistics->texts = calloc(2 * n_most, sizeof *statistics->texts);
    statistics->units = sarrus_quantity_units_create(model);
    bool is_done = sarrus_stream_room_make(&statistics->room, statistics->n_instances);
    is_done = is_done && statistics->totals != NULL && statistics->values != NULL && statistics->of_quantity != NULL &&
              statistics->texts != NULL && statistics->units != NULL;
    is_done = is_done && axes_make(statistics) && status_make(statistics);
    for (int i = 0; is_done && i < n_quantities; ++i)
        for (int k = 0; is_done && k < N_KINDS; ++k)
            is_done = !is_wanted(statistics, k) || total_make(statistics, i, k);
    return is_done;
}

sarrus_status sarrus_quantity_statistics_create(sarrus_context *context, const sarrus_model *model, uint64_t n_instances,
                                                sarrus_quantity_statistics *out) {
    *out = (sarrus_quantity_statistics){.model = model, .n_instances = n_instances, .levels = sarrus_column_levels(model)};
    if (model->output.statistics == 0 || totals_make(out))
        return SARRUS_OK;
    return sarrus_report(context, SARRUS_NO_MEMORY, "out of memory for the statistics over %llu instances",
                         (unsigned long long)n_instances);
}

void sarrus_quantity_statistics_free(sarrus_quantity_statistics *statistics) {
    for (int i = 0; i < statistics->n_texts; ++i)
        free(statistics->texts[i]);
    for (int i = 0; i < statistics->n_totals; ++i)
        free(statistics->values[i]);
    free(statistics->texts);
    free(statistics->units);
    free(statistics->values);
    free(statistics->of_quantity);
    free(statistics->totals);
    free(statistics->axes);
    sarrus_stream_room_free(&statistics->room);
    *statistics = (sarrus_quantity_statistics){0};
}

static int ranks_compare(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* The value of a rank among those that were found. */
static double value_of(const uint64_t *ranks, const double *found, uint64_t rank) {
    int i = 0;
    while (ranks[i] != rank)
        ++i;
    return found[i];
}

/* Intervals of quantiles; NaN for an end that no rank has. */
static void intervals_put(sarrus_quantity_statistics *statistics, const sarrus_number_stream *stream, int i_quantity,
                          const sarrus_streamed_spread *of, double *const *values) {
    sarrus_confidence_ranks each[SARRUS_SPREAD_LEVELS];
    uint64_t ranks[2 * SARRUS_SPREAD_LEVELS];
    double found[2 * SARRUS_SPREAD_LEVELS];
    const int n_levels = statistics->levels.n;
    int n_ranks = 0;
    for (int i = 0; i < n_levels; ++i) {
        each[i] = sarrus_confidence_of_quantile(of->n, statistics->levels.values[i]);
        if (each[i].has_low)
            ranks[n_ranks++] = each[i].low;
        if (each[i].has_high)
            ranks[n_ranks++] = each[i].high;
    }
    qsort(ranks, (size_t)n_ranks, sizeof *ranks, ranks_compare);
    if (n_ranks > 0)
        sarrus_stream_ranks(stream, i_quantity, of, ranks, n_ranks, &statistics->room, found);
    for (int i = 0; i < n_levels; ++i) {
        values[OF_LOW][i] = each[i].has_low ? value_of(ranks, found, each[i].low) : (double)NAN;
        values[OF_HIGH][i] = each[i].has_high ? value_of(ranks, found, each[i].high) : (double)NAN;
    }
}

static void histogram_put(sarrus_quantity_statistics *statistics, const sarrus_number_stream *stream, int i_quantity,
                          const sarrus_streamed_spread *of, double *const *values) {
    const sarrus_extremes extremes = {of->spread.min, of->spread.max};
    const int n_bins = statistics->model->output.n_bins;
    sarrus_histogram_begin(extremes, n_bins, values[OF_EDGES], values[OF_HISTOGRAM]);
    for (uint64_t i = 0; i < stream->n_instances; i += SARRUS_STREAM_BLOCK) {
        const uint64_t n = sarrus_stream_block(stream, i_quantity, true, i, &statistics->room);
        sarrus_histogram_add(statistics->room.x, n, extremes, n_bins, values[OF_EDGES], values[OF_HISTOGRAM]);
    }
}

/* Exact: the numbers are at hand. */
static void quantity_finish(sarrus_quantity_statistics *statistics, const sarrus_number_stream *stream, int i_quantity) {
    double **values = statistics->of_quantity + i_quantity * N_KINDS;
    const sarrus_sink_levels *levels = &statistics->levels;
    sarrus_streamed_spread both[2];
    sarrus_stream_spreads(stream, i_quantity, &statistics->room, both);
    const sarrus_streamed_spread *of = &both[0];
    sarrus_column_spread_put(&of->spread, values + OF_MEAN, 0);
    values[OF_N][0] = (double)of->n;
    values[OF_CONFIDENCE][0] = of->spread.sd * sarrus_confidence_of_mean(of->n);
    if (levels->n > 0) {
        sarrus_stream_quantiles(stream, i_quantity, of, levels->values, levels->n, &statistics->room, values[OF_QUANTILES]);
        intervals_put(statistics, stream, i_quantity, of, values);
    }
    if (statistics->model->output.n_bins > 0)
        histogram_put(statistics, stream, i_quantity, of, values);
}

void sarrus_quantity_statistics_finish(sarrus_quantity_statistics *statistics, const sarrus_number_stream *stream) {
    double *count = statistics->values[0];
    const uint8_t *status = statistics->room.status;
    for (int i = 0; i < N_STATUS; ++i)
        count[i] = 0.0;
    for (uint64_t i = 0; i < stream->n_instances; i += SARRUS_STREAM_BLOCK) {
        const uint64_t n_left = stream->n_instances - i, n = n_left < SARRUS_STREAM_BLOCK ? n_left : SARRUS_STREAM_BLOCK;
        stream->read(stream->user, 0, i, n, NULL, statistics->room.status);
        for (uint64_t k = 0; k < n; ++k)
            if (status[k] < N_STATUS) /* that of a part that is missing, or of a later version, is none that is counted */
                count[status[k]] += 1.0;
    }
    for (int i = 0; i < statistics->model->output.n_quantities && statistics->n_totals > 1; ++i)
        quantity_finish(statistics, stream, i);
}

#include "study/parameter_statistics.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/report.h"
#include "study/column_statistics.h"

/* Of a parameter: for either kind of instances how many there are, then what there is of a column without levels. */
enum { OF_N, OF_COLUMN, N_EACH = OF_COLUMN + SARRUS_COLUMN_QUANTILES, N_KINDS = 2 * N_EACH };

static bool total_make(sarrus_parameter_statistics *statistics, int i_parameter, int i) {
    const char *label = statistics->model->batch.sampled[i_parameter].label;
    const bool is_failed = i >= N_EACH, is_count = i % N_EACH == OF_N;
    const sarrus_column_statistic *column = is_count ? NULL : &sarrus_column_statistics[i % N_EACH - OF_COLUMN];
    const char *word = is_count ? "n" : column->word, *text = is_count ? "number" : column->text;
    const char *own_units = statistics->units[i_parameter][0] != '\0' ? statistics->units[i_parameter] : NULL;
    const int i_total = statistics->n_totals++;
    char *path = NULL, *long_name = NULL;
    if (asprintf(&path, "statistics/parameters/%s/%s%s", label, is_failed ? "failed_" : "", word) < 0)
        return false;
    statistics->texts[statistics->n_texts++] = path;
    if (asprintf(&long_name, "%s: %s, of instances that %s", label, text, is_failed ? "failed" : "ended well") < 0)
        return false;
    statistics->texts[statistics->n_texts++] = long_name;
    statistics->values[i_total] = calloc(1, sizeof **statistics->values);
    statistics->totals[i_total] = (sarrus_sink_total){.path = path,
                                                      .long_name = long_name,
                                                      .units = is_count                ? "1"
                                                               : column->units != NULL ? column->units
                                                                                       : own_units,
                                                      .type = is_count ? SARRUS_SINK_U64 : SARRUS_SINK_F64};
    return statistics->values[i_total] != NULL;
}

/* False without memory. */
static bool units_make(sarrus_parameter_statistics *statistics) {
    const sarrus_model *model = statistics->model;
    sarrus_unit *units = calloc((size_t)model->n_values + 1, sizeof *units);
    statistics->units = calloc((size_t)model->batch.n_sampled, sizeof *statistics->units);
    const bool is_done = units != NULL && statistics->units != NULL;
    if (is_done)
        sarrus_model_units_find(model, units);
    for (int j = 0; is_done && j < model->batch.n_sampled; ++j)
        (void)sarrus_unit_write(&units[model->batch.sampled[j].targets[0]], statistics->units[j]);
    free(units);
    return is_done;
}

static bool totals_make(sarrus_parameter_statistics *statistics) {
    const size_t n_most = (size_t)statistics->model->batch.n_sampled * N_KINDS + 1;
    statistics->totals = calloc(n_most, sizeof *statistics->totals);
    statistics->values = calloc(n_most, sizeof *statistics->values);
    statistics->texts = calloc(2 * n_most, sizeof *statistics->texts);
    bool is_done = sarrus_stream_room_make(&statistics->room, statistics->n_instances);
    is_done = is_done && statistics->totals != NULL && statistics->values != NULL && statistics->texts != NULL;
    is_done = is_done && units_make(statistics);
    for (int j = 0; is_done && j < statistics->model->batch.n_sampled; ++j)
        for (int i = 0; is_done && i < N_KINDS; ++i)
            is_done = total_make(statistics, j, i);
    return is_done;
}

sarrus_status sarrus_parameter_statistics_create(sarrus_context *context, const sarrus_model *model, uint64_t n_instances,
                                                 sarrus_parameter_statistics *out) {
    *out = (sarrus_parameter_statistics){.model = model, .n_instances = n_instances};
    if ((model->output.statistics & SARRUS_STATISTICS_QUANTITIES) == 0 || model->batch.n_sampled == 0 || totals_make(out))
        return SARRUS_OK;
    return sarrus_report(context, SARRUS_NO_MEMORY, "out of memory for the statistics over %llu instances",
                         (unsigned long long)n_instances);
}

void sarrus_parameter_statistics_free(sarrus_parameter_statistics *statistics) {
    for (int i = 0; i < statistics->n_texts; ++i)
        free(statistics->texts[i]);
    for (int i = 0; i < statistics->n_totals; ++i)
        free(statistics->values[i]);
    free(statistics->texts);
    free(statistics->values);
    free(statistics->totals);
    free(statistics->units);
    sarrus_stream_room_free(&statistics->room);
    *statistics = (sarrus_parameter_statistics){0};
}

void sarrus_parameter_statistics_finish(sarrus_parameter_statistics *statistics, const sarrus_number_stream *stream, int i_column) {
    for (int j = 0; j < statistics->model->batch.n_sampled; ++j) {
        sarrus_streamed_spread both[2];
        sarrus_stream_spreads(stream, i_column + j, &statistics->room, both);
        for (int k = 0; k < 2; ++k) {
            double **values = statistics->values + (2 * j + k) * N_EACH;
            values[OF_N][0] = (double)both[k].n;
            sarrus_column_spread_put(&both[k].spread, values + OF_COLUMN, 0);
        }
    }
}

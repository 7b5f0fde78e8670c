#include "study/quantity_statistics.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/report.h"
#include "study/column_statistics.h"

/* "first second third", kept in texts; NULL without memory. */
static const char *text_make(sarrus_quantity_statistics *statistics, const char *first, const char *second, const char *third) {
    char *text = NULL;
    if (asprintf(&text, "%s%s%s", first, second, third) < 0)
        return NULL;
    statistics->texts[statistics->n_texts++] = text;
    return text;
}

/* Statistic `i` of a quantity; −1: how many instances have it. */
static bool total_make(sarrus_quantity_statistics *statistics, int i_quantity, int i) {
    const sarrus_quantity *quantity = &statistics->model->output.quantities[i_quantity];
    const char *units = statistics->units[i_quantity][0] != '\0' ? statistics->units[i_quantity] : NULL;
    const int i_total = statistics->n_totals++;
    char end[24];
    (void)snprintf(end, sizeof end, "/%s", i < 0 ? "n" : sarrus_column_statistics[i].word);
    const char *path = text_make(statistics, "statistics/quantities/", quantity->name, end);
    const char *text = i < 0 ? "good instances that have it" : sarrus_column_statistics[i].text;
    const char *long_name = path != NULL ? text_make(statistics, text, ": ", quantity->text) : NULL;
    const size_t n_values = i == SARRUS_COLUMN_QUANTILES ? (size_t)statistics->levels.n : 1;
    statistics->values[i_total] = calloc(n_values, sizeof **statistics->values);
    statistics->totals[i_total] =
        (sarrus_sink_total){.path = path,
                            .long_name = long_name,
                            .units = i < 0                                       ? "1"
                                     : sarrus_column_statistics[i].units != NULL ? sarrus_column_statistics[i].units
                                                                                 : units,
                            .type = i < 0 ? SARRUS_SINK_U64 : SARRUS_SINK_F64,
                            .has_levels = i == SARRUS_COLUMN_QUANTILES};
    return long_name != NULL && statistics->values[i_total] != NULL;
}

static bool totals_make(sarrus_quantity_statistics *statistics) {
    const sarrus_model *model = statistics->model;
    const sarrus_column_shape shape = {.levels = statistics->levels}; /* exact: the numbers are in the file */
    const size_t n_most = (size_t)model->output.n_quantities * (1 + SARRUS_COLUMN_STATISTICS) + 1;
    statistics->totals = calloc(n_most, sizeof *statistics->totals);
    statistics->values = calloc(n_most, sizeof *statistics->values);
    statistics->texts = calloc(2 * n_most, sizeof *statistics->texts);
    statistics->units = sarrus_quantity_units_create(model);
    if (statistics->n_instances <= SIZE_MAX / sizeof(double) / 2)
        statistics->scratch = malloc(2 * (size_t)statistics->n_instances * sizeof(double));
    bool is_done = statistics->totals != NULL && statistics->values != NULL && statistics->texts != NULL &&
                   statistics->units != NULL && statistics->scratch != NULL;
    for (int i = 0; is_done && i < model->output.n_quantities; ++i)
        for (int k = -1; is_done && k < sarrus_column_statistics_n(&shape); ++k)
            is_done = total_make(statistics, i, k);
    return is_done;
}

sarrus_status sarrus_quantity_statistics_create(sarrus_context *context, const sarrus_model *model, uint64_t n_instances,
                                                sarrus_quantity_statistics *out) {
    *out = (sarrus_quantity_statistics){.model = model, .n_instances = n_instances, .levels = sarrus_column_levels(model)};
    if ((model->output.statistics & SARRUS_STATISTICS_QUANTITIES) == 0 || totals_make(out))
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
    free(statistics->totals);
    free(statistics->scratch);
    *statistics = (sarrus_quantity_statistics){0};
}

void sarrus_quantity_statistics_finish(sarrus_quantity_statistics *statistics, const double *const *results,
                                       const uint8_t *status) {
    const sarrus_column_shape shape = {.levels = statistics->levels};
    const int n_each = 1 + sarrus_column_statistics_n(&shape);
    const uint64_t n = statistics->n_instances;
    for (int i = 0; i * n_each < statistics->n_totals; ++i) {
        double **values = statistics->values + i * n_each, *x = statistics->scratch;
        for (uint64_t k = 0; k < n; ++k)
            x[k] = status[k] == 0 ? results[i][k] : (double)NAN;
        const sarrus_column column = {.n = n, .x = x, .scratch = x + n};
        values[0][0] = (double)sarrus_column_statistics_take(&column, &shape, values + 1, 0);
    }
}

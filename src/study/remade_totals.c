#include "study/remade_totals.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/crew.h"
#include "core/report.h"
#include "model/model.h"
#include "sarrus/scenario.h"
#include "sink/merged_series.h"
#include "study/column_statistics.h"
#include "study/joined_statistics.h"
#include "study/totals.h"

/* What the totals are made of: columns [n_instances], quantities first, then parameters and their draws. */
typedef struct merged_columns {
    int n;
    double **columns; /* [n] */
    uint8_t *status;  /* [n_instances] */
} merged_columns;

static void columns_free(merged_columns *all) {
    for (int i = 0; all->columns != NULL && i < all->n; ++i)
        free(all->columns[i]);
    free(all->columns);
    free(all->status);
}

/* Adds the column of the dataset folder/name. */
static sarrus_status column_add(sarrus_context *context, const sarrus_merged_group *group, const char *folder, const char *name,
                                merged_columns *all) {
    char *path = NULL;
    double *column = calloc(sarrus_merged_group_size(group), sizeof *column);
    sarrus_status status = SARRUS_OK;
    all->columns[all->n++] = column;
    if (column == NULL || asprintf(&path, "%s/%s", folder, name) < 0)
        return sarrus_report(context, SARRUS_NO_MEMORY, "out of memory for the quantities of all instances");
    if (!sarrus_merged_group_numbers(group, path, column))
        status = sarrus_report(context, SARRUS_BAD_INPUT, "there is no /%s that can be read; expected the numbers of all instances",
                               path);
    free(path);
    return status;
}

static sarrus_status columns_read(sarrus_context *context, const sarrus_merged_group *group, const sarrus_model *model,
                                  merged_columns *out) {
    const int n_quantities = model->output.n_quantities;
    const bool has_parameters = model->output.n_sensitivity > 0 || (model->output.statistics & SARRUS_STATISTICS_QUANTITIES) != 0;
    const int d = has_parameters ? model->batch.n_sampled : 0;
    const int n_units = model->batch.design == SARRUS_DESIGN_MORRIS && model->output.n_sensitivity > 0 ? d : 0;
    *out = (merged_columns){.columns = calloc((size_t)(n_quantities + 2 * d) + 1, sizeof *out->columns),
                            .status = calloc(sarrus_merged_group_size(group), 1)};
    if (out->columns == NULL || out->status == NULL)
        return sarrus_report(context, SARRUS_NO_MEMORY, "out of memory for the quantities of all instances");
    sarrus_status status = SARRUS_OK;
    for (int i = 0; status == SARRUS_OK && i < n_quantities; ++i)
        status = column_add(context, group, "quantities", model->output.quantities[i].name, out);
    for (int j = 0; status == SARRUS_OK && j < d; ++j)
        status = column_add(context, group, "instance/parameters", sarrus_sampled_path(model, &model->batch.sampled[j]), out);
    for (int j = 0; status == SARRUS_OK && j < n_units; ++j)
        status = column_add(context, group, "instance/unit", model->batch.sampled[j].label, out);
    if (status == SARRUS_OK && !sarrus_merged_group_status(group, out->status))
        status = sarrus_report(context, SARRUS_BAD_INPUT, "there is no /instance/status that can be read");
    return status;
}

/* The same columns as a stream. */
typedef struct merged_stream {
    const sarrus_merged_group *group;
    const sarrus_model *model;
    char *failed; /* path of what could not be read; NULL: nothing, or no memory for it */
    bool is_failed;
} merged_stream;

static void merged_stream_read(void *user, int i_column, uint64_t i_first, uint64_t n, double *x, uint8_t *status) {
    merged_stream *from = user;
    const sarrus_merged_rows rows = {i_first, n};
    const sarrus_model *model = from->model;
    const int i_parameter = i_column - model->output.n_quantities;
    char *path = NULL;
    bool ok = !from->is_failed && sarrus_merged_group_status_of(from->group, rows, status);
    if (x != NULL && ok) {
        const int length = i_parameter < 0 ? asprintf(&path, "quantities/%s", model->output.quantities[i_column].name)
                                           : asprintf(&path, "instance/parameters/%s",
                                                      sarrus_sampled_path(model, &model->batch.sampled[i_parameter]));
        path = length < 0 ? NULL : path;
        ok = path != NULL && sarrus_merged_group_numbers_of(from->group, path, rows, x);
    }
    for (uint64_t i = 0; !ok && i < n; ++i) {
        status[i] = 0;
        if (x != NULL)
            x[i] = (double)NAN;
    }
    if (!ok && !from->is_failed) {
        from->failed = path;
        path = NULL;
        from->is_failed = true;
    }
    free(path);
}

static sarrus_status totals_stream(sarrus_context *context, const sarrus_merged_group *group, const sarrus_model *model,
                                   sarrus_totals *totals) {
    merged_stream from = {.group = group, .model = model};
    sarrus_status status = SARRUS_OK;
    sarrus_totals_finish_streamed(totals, &(sarrus_number_stream){sarrus_merged_group_size(group), merged_stream_read, &from});
    if (from.is_failed)
        status = sarrus_report(context, SARRUS_BAD_INPUT, "there is no /%s that can be read; expected the numbers of all instances",
                               from.failed != NULL ? from.failed : "instance/status");
    free(from.failed);
    return status;
}

/* Of all numbers at once, which covariances and sensitivity take. */
static sarrus_status totals_take(sarrus_context *context, const sarrus_merged_group *group, const sarrus_model *model,
                                 sarrus_totals *totals, sarrus_crew *crew) {
    merged_columns all = {.n = 0};
    const sarrus_status status = columns_read(context, group, model, &all);
    if (status == SARRUS_OK) {
        const double *const *columns = (const double *const *)all.columns;
        const sarrus_sensitivity_sample sample = {.seed = sarrus_merged_group_seed(group),
                                                  .values = columns + model->output.n_quantities,
                                                  .units = columns + model->output.n_quantities + model->batch.n_sampled,
                                                  .results = columns,
                                                  .status = all.status,
                                                  .crew = crew};
        sarrus_totals_finish(totals, &sample, true);
    }
    columns_free(&all);
    return status;
}

static sarrus_status totals_write(sarrus_context *context, const sarrus_merged_group *group, const sarrus_model *model,
                                  sarrus_crew *crew) {
    const sarrus_totals_choice choice = {
        .n_instances = sarrus_merged_group_size(group), .is_study = true, .n_members = sarrus_crew_size(crew)};
    sarrus_totals totals;
    sarrus_status status = sarrus_totals_create(context, model, &choice, &totals);
    if (status == SARRUS_OK)
        status = model->output.n_sensitivity > 0 || model->output.has_covariance ? totals_take(context, group, model, &totals, crew)
                                                                                 : totals_stream(context, group, model, &totals);
    const sarrus_sink_description description = {.n_totals = totals.n,
                                                 .totals = totals.totals,
                                                 .total_labels = sarrus_sensitivity_labels(&totals.sensitivity),
                                                 .levels = &totals.statistics.levels};
    if (status == SARRUS_OK && !sarrus_merged_group_totals_write(group, &description, totals.values))
        status = sarrus_report(context, SARRUS_IO, "statistics and sensitivity of all instances cannot be written");
    sarrus_totals_free(&totals);
    return status;
}

/* What the threads that share the columns of a block of times have. */
typedef struct series_block {
    const sarrus_merged_series *series;
    const sarrus_column_shape *shape;
    uint64_t n_instances, n_times;            /* of the block */
    const double *rows;                       /* [n_instances][n_times][width] */
    double *values[SARRUS_COLUMN_STATISTICS]; /* [n_times][width] or [n_times][width][levels] */
    double **scratch;                         /* [members] of [2][n_instances] */
} series_block;

static void columns_take(void *user, int i_member, int n_members) {
    series_block *block = user;
    const uint64_t n_columns = block->n_times * block->series->width, n = block->n_instances;
    const sarrus_crew_share share = sarrus_crew_share_of(n_columns, i_member, n_members);
    double *x = block->scratch[i_member];
    for (uint64_t c = share.i_first; c < share.i_end; ++c) {
        for (uint64_t i = 0; i < n; ++i)
            x[i] = block->rows[i * n_columns + c];
        const sarrus_column column = {.n = n, .x = x, .scratch = x + n};
        (void)sarrus_column_statistics_take(&column, block->shape, block->values, c);
    }
}

static bool block_write(const sarrus_merged_group *group, const series_block *block, uint64_t i_time) {
    char path[SARRUS_SERIES_PATH + 32];
    bool ok = true;
    for (int k = 0; ok && k < sarrus_column_statistics_n(block->shape); ++k) {
        snprintf(path, sizeof path, "statistics/%s/%s", block->series->path, sarrus_column_statistics[k].word);
        ok = sarrus_merged_series_write(group, path, i_time, block->n_times, block->values[k]);
    }
    return ok;
}

/* How many instances have speeds at each time. */
static bool good_write(const sarrus_merged_group *group, const series_block *block, uint64_t i_time) {
    const uint64_t n_columns = block->n_times * block->series->width;
    for (uint64_t t = 0; t < block->n_times; ++t) {
        uint64_t n_good = 0;
        for (uint64_t i = 0; i < block->n_instances; ++i)
            n_good += isnan(block->rows[i * n_columns + t * block->series->width]) ? 0 : 1;
        block->values[0][t] = (double)n_good;
    }
    return sarrus_merged_series_write(group, "statistics/n", i_time, block->n_times, block->values[0]);
}

/* Statistics over time of one dataset; of the speeds instead the number of good instances. */
static sarrus_status series_write(sarrus_context *context, const sarrus_merged_group *group, const sarrus_merged_series *series,
                                  const sarrus_column_shape *shape, sarrus_crew *crew, bool counts) {
    const uint64_t n = sarrus_merged_group_size(group), n_most = series->block_times;
    const int n_members = sarrus_crew_size(crew);
    double *rows = NULL;
    sarrus_status status = SARRUS_OK;
    series_block block = {.series = series, .shape = shape, .n_instances = n};
    block.scratch = calloc((size_t)n_members, sizeof *block.scratch);
    bool has_room = block.scratch != NULL && (rows = calloc(n * n_most * series->width + 1, sizeof *rows)) != NULL;
    for (int i = 0; has_room && i < n_members; ++i)
        has_room = (block.scratch[i] = calloc(2 * n + 1, sizeof(double))) != NULL;
    for (int k = 0; has_room && k < SARRUS_COLUMN_STATISTICS; ++k)
        has_room = (block.values[k] = calloc(n_most * series->width * (uint64_t)(shape->levels.n + 1), sizeof(double))) != NULL;
    if (!has_room)
        status = sarrus_report(context, SARRUS_NO_MEMORY, "out of memory for the statistics of all instances");
    block.rows = rows;
    for (uint64_t i = 0; status == SARRUS_OK && i < series->n_times; i += n_most) {
        const uint64_t n_left = series->n_times - i;
        block.n_times = n_left < n_most ? n_left : n_most;
        bool ok = sarrus_merged_series_read(group, series, i, block.n_times, rows);
        if (ok && !counts)
            sarrus_crew_run(crew, n_members, columns_take, &block);
        ok = ok && (counts ? good_write(group, &block, i) : block_write(group, &block, i));
        if (!ok)
            status = sarrus_report(context, SARRUS_IO, "/%s cannot be read, or its statistics not be written", series->path);
    }
    for (int k = 0; k < SARRUS_COLUMN_STATISTICS; ++k)
        free(block.values[k]);
    for (int i = 0; block.scratch != NULL && i < n_members; ++i)
        free(block.scratch[i]);
    free(block.scratch);
    free(rows);
    return status;
}

static sarrus_status all_series_write(sarrus_context *context, const sarrus_merged_group *group, const sarrus_model *model,
                                      sarrus_crew *crew) {
    sarrus_merged_series_list list;
    const sarrus_column_shape shape = sarrus_column_shape_of(model);
    sarrus_status status = SARRUS_OK;
    if (!sarrus_merged_series_find(group, &list))
        status = sarrus_report(context, SARRUS_IO, "statistics cannot be read");
    const bool is_joined = list.is_handed_on, is_remade = list.is_whole && !is_joined;
    for (int i = 0; status == SARRUS_OK && is_remade && i < list.n; ++i)
        status = series_write(context, group, &list.series[i], &shape, crew, false);
    if (status == SARRUS_OK && is_remade)
        status = series_write(context, group, &list.speeds, &shape, crew, true);
    if (status == SARRUS_OK && is_joined)
        status = sarrus_joined_statistics_write(context, group, &list, &shape);
    sarrus_merged_series_free(&list);
    return status;
}

sarrus_status sarrus_totals_remake(sarrus_context *context, const sarrus_merged_group *group) {
    sarrus_model *model = NULL;
    sarrus_crew *crew = NULL;
    char *text = sarrus_merged_group_scenario(group);
    if (text == NULL)
        return sarrus_report(context, SARRUS_BAD_INPUT, "there is no /scenario that can be read");
    sarrus_status status = sarrus_scenario_read_text(context, "/scenario", text, strlen(text), NULL, 0, &model);
    if (status == SARRUS_OK && sarrus_model_n_instances(model) != sarrus_merged_group_size(group))
        status =
            sarrus_report(context, SARRUS_BAD_INPUT, "/scenario is of %llu instances; there are %llu",
                          (unsigned long long)sarrus_model_n_instances(model), (unsigned long long)sarrus_merged_group_size(group));
    const bool has_totals = status == SARRUS_OK && (model->output.n_sensitivity > 0 || model->output.statistics != 0);
    if (has_totals)
        status = sarrus_crew_create(context, sarrus_processors(), 0, &crew);
    if (status == SARRUS_OK && has_totals)
        status = all_series_write(context, group, model, crew);
    if (status == SARRUS_OK && has_totals)
        status = totals_write(context, group, model, crew);
    sarrus_crew_destroy(crew);
    sarrus_model_destroy(model);
    free(text);
    return status;
}

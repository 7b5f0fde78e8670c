#include "study/joined_statistics.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/report.h"
#include "study/moments.h"

static const double block_bytes = 0x1p26; /* of what is read of all parts at once, but for a single time */

/* What a part hands on of a block of times. */
typedef struct part_block {
    sarrus_moment_part part;
    double *sums; /* [n_times][width][size] */
    uint64_t n_for_quantiles;
    double *for_quantiles; /* [n_times][width][n_for_quantiles], where there are levels: numbers, or counts of them */
    double *min, *max;     /* [n_times][width] */
} part_block;

/* A series of all parts, a block of times at once. */
typedef struct joining {
    const sarrus_merged_group *group;
    const sarrus_merged_series *series;
    sarrus_column_shape shape;
    bool has_numbers; /* parts have handed on numbers; else counts */
    double *x;        /* [2][size of the study] of a column, and scratch */
    int n_parts;
    part_block *parts;                        /* [n_parts] */
    uint64_t n_most;                          /* times of a block */
    double *values[SARRUS_COLUMN_STATISTICS]; /* [n_times][width] of each statistic, or [n_times][width][levels] */
} joining;

static bool blocks_allocate(joining *work) {
    const uint64_t width = work->series->width;
    double n_numbers = 0.0;
    work->parts = calloc((size_t)work->n_parts, sizeof *work->parts);
    work->x = calloc(work->has_numbers ? 2 * (size_t)sarrus_merged_group_size(work->group) + 1 : 1, sizeof *work->x);
    if (work->parts == NULL || work->x == NULL)
        return false;
    for (int i = 0; i < work->n_parts; ++i) {
        uint64_t i_first = 0, n = 0;
        sarrus_merged_group_part(work->group, i, &i_first, &n);
        work->parts[i].part = sarrus_moment_part_of(i_first, n);
        work->parts[i].n_for_quantiles = work->shape.levels.n == 0 ? 0 : work->has_numbers ? n : SARRUS_SKETCH_NUMBERS;
        n_numbers += (double)width * (2.0 + (double)work->parts[i].n_for_quantiles + sarrus_moment_part_size(&work->parts[i].part));
    }
    const double fitting = block_bytes / (n_numbers * sizeof(double));
    work->n_most = fitting < 1.0 ? 1 : fitting > (double)work->series->n_times ? work->series->n_times : (uint64_t)fitting;
    bool ok = true;
    for (int i = 0; ok && i < work->n_parts; ++i) {
        part_block *own = &work->parts[i];
        const size_t n = (size_t)(work->n_most * width), size = (size_t)sarrus_moment_part_size(&own->part);
        own->sums = calloc(n * size + 1, sizeof *own->sums);
        own->min = calloc(n, sizeof *own->min);
        own->max = calloc(n, sizeof *own->max);
        own->for_quantiles = calloc(n * (size_t)own->n_for_quantiles + 1, sizeof *own->for_quantiles);
        ok = own->sums != NULL && own->for_quantiles != NULL && own->min != NULL && own->max != NULL;
    }
    for (int k = 0; ok && k < SARRUS_COLUMN_STATISTICS; ++k)
        ok =
            (work->values[k] = calloc((size_t)(work->n_most * width) * (size_t)(work->shape.levels.n + 1), sizeof(double))) != NULL;
    return ok;
}

static void blocks_free(joining *work) {
    for (int i = 0; work->parts != NULL && i < work->n_parts; ++i) {
        free(work->parts[i].sums);
        free(work->parts[i].for_quantiles);
        free(work->parts[i].min);
        free(work->parts[i].max);
    }
    for (int k = 0; k < SARRUS_COLUMN_STATISTICS; ++k)
        free(work->values[k]);
    free(work->parts);
    free(work->x);
}

/* Reads folder/<path of the series>/word of a part. */
static bool part_read(const joining *work, int i_part, const char *folder, const char *word, sarrus_merged_times times,
                      double *out) {
    char path[SARRUS_SERIES_PATH + 32];
    snprintf(path, sizeof path, "%s/%s/%s", folder, work->series->path, word);
    return sarrus_merged_times_read(work->group, i_part, path, times, out);
}

static bool block_read(const joining *work, uint64_t i_first, uint64_t n) {
    bool ok = true;
    for (int i = 0; ok && i < work->n_parts; ++i) {
        const part_block *own = &work->parts[i];
        const uint64_t width = work->series->width, n_sums = width * (uint64_t)sarrus_moment_part_size(&own->part);
        const sarrus_merged_times of_sums = {i_first, n, n_sums}, of_numbers = {i_first, n, width};
        const sarrus_merged_times of_quantiles = {i_first, n, width * own->n_for_quantiles};
        const char *handed_on = sarrus_column_handed_on(work->has_numbers);
        ok = part_read(work, i, "partial", "sums", of_sums, own->sums) &&
             (work->shape.levels.n == 0 || part_read(work, i, "partial", handed_on, of_quantiles, own->for_quantiles)) &&
             part_read(work, i, "statistics", "min", of_numbers, own->min) &&
             part_read(work, i, "statistics", "max", of_numbers, own->max);
    }
    return ok;
}

/* fmin and fmax take the number where the other is NaN, as in a part whose instances have all failed. */
static void column_join(joining *work, uint64_t at) {
    sarrus_moment_tree tree;
    sarrus_extremes extremes = {(double)NAN, (double)NAN};
    sarrus_moment_tree_begin(&tree, 0);
    for (int i = 0; i < work->n_parts; ++i) {
        const part_block *own = &work->parts[i];
        sarrus_moment_part_add(&own->part, own->sums + at * (uint64_t)sarrus_moment_part_size(&own->part), &tree);
        extremes.min = fmin(extremes.min, own->min[at]);
        extremes.max = fmax(extremes.max, own->max[at]);
    }
    double counts[SARRUS_SKETCH_BINS] = {0.0};
    const sarrus_sketch_grid grid = sarrus_sketch_grid_of(extremes);
    uint64_t n_numbers = 0;
    for (int i = 0; i < work->n_parts && work->shape.levels.n > 0; ++i) {
        const part_block *own = &work->parts[i];
        const double *of_part = own->for_quantiles + at * own->n_for_quantiles;
        if (!work->has_numbers)
            sarrus_sketch_add(&grid, of_part, counts);
        for (uint64_t k = 0; work->has_numbers && k < own->n_for_quantiles; ++k)
            if (!isnan(of_part[k]))
                work->x[n_numbers++] = of_part[k];
    }
    const sarrus_column_totals totals = {.moments = sarrus_moment_tree_total(&tree),
                                         .extremes = extremes,
                                         .grid = &grid,
                                         .counts = counts,
                                         .x = work->x,
                                         .n_numbers = n_numbers,
                                         .scratch = work->x + n_numbers};
    sarrus_column_totals_put(&totals, &work->shape, work->values, at);
}

static bool block_write(const joining *work, uint64_t i_first, uint64_t n) {
    char path[SARRUS_SERIES_PATH + 32];
    bool ok = true;
    for (int k = 0; ok && k < sarrus_column_statistics_n(&work->shape); ++k) {
        snprintf(path, sizeof path, "statistics/%s/%s", work->series->path, sarrus_column_statistics[k].word);
        ok = sarrus_merged_series_write(work->group, path, i_first, n, work->values[k]) &&
             (k != SARRUS_COLUMN_QUANTILES ||
              sarrus_merged_series_method_put(work->group, path, sarrus_column_method(work->shape.is_sketched)));
    }
    return ok;
}

static sarrus_status series_join(sarrus_context *context, const sarrus_merged_group *group, const sarrus_merged_series *series,
                                 const sarrus_column_shape *shape) {
    const bool has_numbers = sarrus_column_keeps_numbers(shape, sarrus_merged_group_size(group));
    joining work = {.group = group,
                    .series = series,
                    .shape = {.levels = shape->levels, .is_sketched = !has_numbers, .has_errors = !has_numbers},
                    .has_numbers = has_numbers,
                    .n_parts = sarrus_merged_group_n_parts(group)};
    sarrus_status status = SARRUS_OK;
    if (!blocks_allocate(&work))
        status = sarrus_report(context, SARRUS_NO_MEMORY, "out of memory for the statistics of all instances");
    for (uint64_t i = 0; status == SARRUS_OK && i < series->n_times; i += work.n_most) {
        const uint64_t n_left = series->n_times - i, n = n_left < work.n_most ? n_left : work.n_most;
        bool ok = block_read(&work, i, n);
        for (uint64_t at = 0; ok && at < n * series->width; ++at)
            column_join(&work, at);
        if (!ok || !block_write(&work, i, n))
            status = sarrus_report(context, SARRUS_IO, "/partial/%s cannot be read, or statistics not be written", series->path);
    }
    blocks_free(&work);
    return status;
}

/* How many instances are good at each time. */
static sarrus_status counts_join(sarrus_context *context, const sarrus_merged_group *group, uint64_t n_times) {
    double *total = calloc((size_t)n_times, sizeof *total), *own = calloc((size_t)n_times, sizeof *own);
    const bool has_room = total != NULL && own != NULL;
    bool ok = has_room;
    for (int i = 0; ok && i < sarrus_merged_group_n_parts(group); ++i) {
        ok = sarrus_merged_times_read(group, i, "statistics/n", (sarrus_merged_times){0, n_times, 1}, own);
        for (uint64_t k = 0; ok && k < n_times; ++k)
            total[k] += own[k];
    }
    ok = ok && sarrus_merged_series_write(group, "statistics/n", 0, n_times, total);
    free(total);
    free(own);
    if (!has_room)
        return sarrus_report(context, SARRUS_NO_MEMORY, "out of memory for the statistics of all instances");
    return ok ? SARRUS_OK : sarrus_report(context, SARRUS_IO, "/statistics/n cannot be read or written");
}

sarrus_status sarrus_joined_statistics_write(sarrus_context *context, const sarrus_merged_group *group,
                                             const sarrus_merged_series_list *list, const sarrus_column_shape *shape) {
    sarrus_status status = SARRUS_OK;
    for (int i = 0; status == SARRUS_OK && i < list->n; ++i)
        status = series_join(context, group, &list->series[i], shape);
    return status == SARRUS_OK ? counts_join(context, group, list->series[0].n_times) : status;
}

#include "study/statistics.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/report.h"
#include "plan/body.h"
#include "study/column_statistics.h"

/* Components k_first … k_first + n − 1 of a field of the channels; field −1: how many instances there are. */
typedef struct sarrus_statistics_piece {
    int i_field, k_first, n;
} piece;

/* Components that a thread takes side by side: a cache line of a row, where memory allows it. */
enum { MOST_COLUMNS = 8 };
static const double scratch_bytes = 0x1p26;

const sarrus_sink_levels *sarrus_study_statistics_levels(const sarrus_study_statistics *statistics) {
    return statistics->shape.levels.n > 0 ? &statistics->shape.levels : NULL;
}

uint64_t sarrus_study_statistics_numbers(const sarrus_study_statistics *statistics) {
    uint64_t n = 0;
    for (int i = 0; i < statistics->n_fields; ++i) {
        const sarrus_sink_field *field = &statistics->fields[i];
        n += (uint64_t)(field->width > 0 ? field->width : 1) * (uint64_t)(field->has_levels ? statistics->shape.levels.n : 1);
    }
    return n;
}

/* "first second third", kept in texts; NULL without memory. */
static const char *text_make(sarrus_study_statistics *statistics, const char *first, const char *second, const char *third) {
    char *text = NULL;
    if (asprintf(&text, "%s%s%s", first, second, third) < 0)
        return NULL;
    statistics->texts[statistics->n_texts++] = text;
    return text;
}

/* Sums, and numbers or counts for quantiles. */
static int n_handed_on(const sarrus_study_statistics *statistics) {
    return !statistics->hands_on ? 0 : statistics->shape.levels.n > 0 ? 2 : 1;
}

/* Of what is handed on for the quantiles of a column. */
static int n_for_quantiles(const sarrus_study_statistics *statistics) {
    return statistics->keeps_numbers ? (int)statistics->n_instances : SARRUS_SKETCH_NUMBERS;
}

/* Datasets of each field of the channels. */
static int n_each_of(const sarrus_study_statistics *statistics) {
    return sarrus_column_statistics_n(&statistics->shape) + n_handed_on(statistics);
}

static bool statistic_make(sarrus_study_statistics *statistics, const sarrus_sink_field *of, int kind) {
    const sarrus_column_statistic *what = &sarrus_column_statistics[kind];
    char end[24];
    (void)snprintf(end, sizeof end, "/%s", what->word);
    const char *path = text_make(statistics, "statistics/", of->path, end);
    const char *long_name = path != NULL ? text_make(statistics, what->text, ": ", of->long_name) : NULL;
    if (long_name == NULL)
        return false;
    sarrus_sink_field *field = &statistics->fields[statistics->n_fields++];
    *field = *of;
    field->path = path;
    field->long_name = long_name;
    field->type = SARRUS_SINK_F64;
    field->is_common = true;
    field->has_levels = kind >= SARRUS_COLUMN_QUANTILES;
    field->method = kind == SARRUS_COLUMN_QUANTILES ? sarrus_column_method(statistics->shape.is_sketched) : NULL;
    if (what->units != NULL) {
        field->units = what->units;
        field->component_units = NULL;
        field->n_component_units = 0;
    }
    return true;
}

/* What is handed on of each component, `size` numbers, one after the other. */
static bool handed_on_make(sarrus_study_statistics *statistics, const sarrus_sink_field *of, const char *word, int size) {
    char end[16], place[24];
    (void)snprintf(end, sizeof end, "/%s", word);
    (void)snprintf(place, sizeof place, "/%s_place", word);
    const char *path = text_make(statistics, "partial/", of->path, end);
    const char *long_name = path != NULL ? text_make(statistics, word, " for sarrus merge: ", of->long_name) : NULL;
    const char *places = long_name != NULL ? text_make(statistics, "partial/", of->path, place) : NULL;
    const int n_components = of->width > 0 ? of->width : 1;
    if (places == NULL || size > INT_MAX / n_components)
        return false;
    statistics->fields[statistics->n_fields++] = (sarrus_sink_field){.path = path,
                                                                     .long_name = long_name,
                                                                     .type = SARRUS_SINK_F64,
                                                                     .width = n_components * size,
                                                                     .labels_path = places,
                                                                     .is_common = true};
    return true;
}

static bool fields_make(sarrus_study_statistics *statistics) {
    if (statistics->channels.n_fields == 0)
        return true;
    statistics->fields[statistics->n_fields++] = (sarrus_sink_field){.path = "statistics/n",
                                                                     .long_name = "instances that are good at the time",
                                                                     .units = "1",
                                                                     .type = SARRUS_SINK_U64,
                                                                     .is_common = true};
    bool ok = true;
    for (int i = 0; ok && i < statistics->channels.n_fields; ++i) {
        const sarrus_sink_field *of = &statistics->channels.fields[i];
        for (int kind = 0; ok && kind < sarrus_column_statistics_n(&statistics->shape); ++kind)
            ok = statistic_make(statistics, of, kind);
        const int n_handed = n_handed_on(statistics);
        ok = ok && (n_handed < 1 || handed_on_make(statistics, of, "sums", sarrus_moment_part_size(&statistics->part)));
        ok = ok && (n_handed < 2 || handed_on_make(statistics, of, sarrus_column_handed_on(statistics->keeps_numbers),
                                                   n_for_quantiles(statistics)));
    }
    return ok;
}

static void pieces_make(sarrus_study_statistics *statistics) {
    if (statistics->channels.n_fields == 0)
        return;
    statistics->pieces[statistics->n_pieces++] = (piece){-1, 0, 0};
    for (int i = 0; i < statistics->channels.n_fields; ++i) {
        const int n = statistics->channels.n_components[i];
        for (int k = 0; k < n; k += statistics->n_columns) {
            const int n_left = n - k;
            const int n_here = n_left < statistics->n_columns ? n_left : statistics->n_columns;
            statistics->pieces[statistics->n_pieces++] = (piece){i, k, n_here};
        }
    }
}

static bool arrays_allocate(sarrus_study_statistics *statistics) {
    const size_t n_fields = (size_t)statistics->channels.n_fields, n_each = SARRUS_COLUMN_STATISTICS + 2;
    size_t n_pieces = 1;
    for (size_t i = 0; i < n_fields; ++i)
        n_pieces += (size_t)statistics->channels.n_components[i];
    statistics->fields = calloc(1 + n_fields * n_each, sizeof *statistics->fields);
    statistics->texts = calloc(1 + 3 * n_fields * n_each, sizeof *statistics->texts);
    statistics->pieces = calloc(n_pieces, sizeof *statistics->pieces);
    statistics->scratch = calloc((size_t)statistics->n_members, sizeof *statistics->scratch);
    bool is_done =
        statistics->fields != NULL && statistics->texts != NULL && statistics->pieces != NULL && statistics->scratch != NULL;
    for (int i = 0; is_done && i < statistics->n_members; ++i) {
        const size_t n = (size_t)statistics->n_columns + 1;
        if (statistics->n_instances <= SIZE_MAX / sizeof(double) / n)
            statistics->scratch[i] = malloc(n * (size_t)statistics->n_instances * sizeof(double));
        is_done = statistics->scratch[i] != NULL;
    }
    return is_done;
}

static bool has_field(const sarrus_channels *channels, const char *path) {
    bool has = false;
    for (int i = 0; i < channels->n_fields && !has; ++i)
        has = strcmp(channels->fields[i].path, path) == 0;
    return has;
}

/* Whether the rows that are written are all that statistics can be made of: their own, and the speeds that tell who is good. */
static bool has_rows_of(const sarrus_study_statistics *statistics, const sarrus_channels *written) {
    bool has = has_field(written, "state/v");
    for (int i = 0; i < statistics->channels.n_fields && has; ++i)
        has = has_field(written, statistics->channels.fields[i].path);
    return has;
}

sarrus_status sarrus_study_statistics_create(sarrus_context *context, const sarrus_plan *plan, const sarrus_draws *draws,
                                             const sarrus_statistics_choice *asked_for, sarrus_study_statistics *out) {
    const sarrus_model *model = plan->model;
    const unsigned asked = model->output.statistics;
    const uint64_t n_instances = asked_for->n_instances;
    const int n_members = asked_for->n_members;
    *out = (sarrus_study_statistics){.model = model,
                                     .i_first = asked_for->i_first,
                                     .n_instances = n_instances,
                                     .part = sarrus_moment_part_of(asked_for->i_first, n_instances),
                                     .n_members = n_members};
    if (asked == 0)
        return SARRUS_OK;
    out->shape = sarrus_column_shape_of(model);
    const sarrus_channel_choice choice = {.channels = asked,
                                          .has_drives = (asked & SARRUS_STATISTICS_DRIVES) != 0,
                                          .has_points = (asked & SARRUS_STATISTICS_POINTS) != 0};
    const double fitting = scratch_bytes / ((double)n_members * (double)n_instances * sizeof(double)) - 1.0;
    out->n_columns = fitting < 1.0 ? 1 : fitting > MOST_COLUMNS ? MOST_COLUMNS : (int)fitting;
    sarrus_status status = sarrus_channels_create(context, plan, &choice, &out->channels);
    if (status == SARRUS_OK)
        status = sarrus_channels_points_place(&out->channels, context, draws, n_instances);
    if (status != SARRUS_OK)
        return status;
    out->hands_on = asked_for->written != NULL && (asked_for->lacks_rows || !has_rows_of(out, asked_for->written));
    out->keeps_numbers = out->hands_on && sarrus_column_keeps_numbers(&out->shape, asked_for->n_study);
    /* Quantiles that are merged from counts will have some. */
    out->shape.has_errors = out->shape.has_errors || (out->hands_on && !out->keeps_numbers);
    /* The speeds tell who is good: they are numbers for as long. */
    if (out->channels.n_fields > 0)
        out->channels.width[SARRUS_OBSERVE_V] = plan->mech.n_v;
    if (!arrays_allocate(out) || !fields_make(out))
        return sarrus_report(context, SARRUS_NO_MEMORY, "out of memory for the statistics over %llu instances",
                             (unsigned long long)n_instances);
    pieces_make(out);
    return SARRUS_OK;
}

void sarrus_study_statistics_free(sarrus_study_statistics *statistics) {
    for (int i = 0; i < statistics->n_texts; ++i)
        free(statistics->texts[i]);
    for (int i = 0; statistics->scratch != NULL && i < statistics->n_members; ++i)
        free(statistics->scratch[i]);
    free(statistics->texts);
    free(statistics->scratch);
    free(statistics->fields);
    free(statistics->pieces);
    sarrus_channels_free(&statistics->channels);
    *statistics = (sarrus_study_statistics){0};
}

/* What the threads that take rows share. */
typedef struct taking {
    const sarrus_study_statistics *statistics;
    const sarrus_channels_rows *rows;
    double *const *source;
    double **data;
} taking;

/* The components of a piece in row i_row of all instances, a column each. */
static void columns_gather(const taking *job, const piece *part, uint64_t i_row, double *columns) {
    const sarrus_channels *channels = &job->statistics->channels;
    const uint64_t n = job->statistics->n_instances, stride = job->rows->n_rows_stride;
    const sarrus_observable observable = channels->observable[part->i_field];
    const uint64_t width = (uint64_t)channels->width[observable];
    if (!sarrus_channels_field_is_plain(channels, part->i_field)) {
        double all[9]; /* the most that is not plain: a matrix of cosines */
        for (uint64_t i = 0; i < n; ++i) {
            sarrus_channels_row(channels, part->i_field, i, i * stride + i_row, job->source, all);
            for (int k = 0; k < part->n; ++k)
                columns[(uint64_t)k * n + i] = all[part->k_first + k];
        }
        return;
    }
    const double *from = job->source[observable] + i_row * width + (uint64_t)(channels->offset[part->i_field] + part->k_first);
    for (uint64_t i = 0; i < n; ++i, from += stride * width)
        for (int k = 0; k < part->n; ++k)
            columns[(uint64_t)k * n + i] = from[k];
}

static double count_good(const taking *job, uint64_t i_row) {
    const uint64_t stride = job->rows->n_rows_stride, width = (uint64_t)job->statistics->channels.width[SARRUS_OBSERVE_V];
    const double *v = job->source[SARRUS_OBSERVE_V] + i_row * width;
    uint64_t n_good = 0;
    for (uint64_t i = 0; i < job->statistics->n_instances; ++i, v += stride * width)
        n_good += isnan(*v) ? 0 : 1;
    return (double)n_good;
}

static void piece_take(const taking *job, uint64_t i_row, const piece *part, double *columns) {
    const sarrus_study_statistics *statistics = job->statistics;
    if (part->i_field < 0) {
        job->data[0][i_row] = count_good(job, i_row);
        return;
    }
    const uint64_t n = statistics->n_instances, n_components = (uint64_t)statistics->channels.n_components[part->i_field];
    const uint64_t n_sums = (uint64_t)sarrus_moment_part_size(&statistics->part);
    double **data = job->data + 1 + part->i_field * n_each_of(statistics);
    double *const *handed_on = data + sarrus_column_statistics_n(&statistics->shape);
    columns_gather(job, part, i_row, columns);
    for (int k = 0; k < part->n; ++k) {
        const uint64_t at = i_row * n_components + (uint64_t)(part->k_first + k);
        sarrus_column column = {.i_first = statistics->i_first,
                                .n = n,
                                .x = columns + (uint64_t)k * n,
                                .scratch = columns + (uint64_t)statistics->n_columns * n};
        if (statistics->hands_on) {
            column.part = &statistics->part;
            column.sums = handed_on[0] + at * n_sums;
            double *for_quantiles = n_handed_on(statistics) > 1 ? handed_on[1] + at * (uint64_t)n_for_quantiles(statistics) : NULL;
            column.numbers = statistics->keeps_numbers ? for_quantiles : NULL;
            column.counts = statistics->keeps_numbers ? NULL : for_quantiles;
        }
        (void)sarrus_column_statistics_take(&column, &statistics->shape, data, at);
    }
}

static void pieces_take(void *user, int i_member, int n_members) {
    const taking *job = user;
    const sarrus_study_statistics *statistics = job->statistics;
    const uint64_t n_pieces = (uint64_t)statistics->n_pieces;
    const sarrus_crew_share share = sarrus_crew_share_of(job->rows->n_rows * n_pieces, i_member, n_members);
    for (uint64_t i = share.i_first; i < share.i_end; ++i)
        piece_take(job, i / n_pieces, &statistics->pieces[i % n_pieces], statistics->scratch[i_member]);
}

static uint64_t n_columns_of(const sarrus_study_statistics *statistics) {
    uint64_t n = 1;
    for (int i = 0; i < statistics->channels.n_fields; ++i)
        n += (uint64_t)statistics->channels.n_components[i];
    return n;
}

void sarrus_study_statistics_take(const sarrus_study_statistics *statistics, const sarrus_channels_rows *rows,
                                  double *const source[SARRUS_N_OBSERVABLES], double **data) {
    if (statistics->n_fields == 0 || rows->n_rows == 0)
        return;
    taking job = {statistics, rows, source, data};
    /* Each number costs some nanoseconds, more than a look at a row: a thread is worth waking for fewer rows than elsewhere. */
    const uint64_t n_columns = n_columns_of(statistics);
    const uint64_t n_useful = 1 + statistics->n_instances * rows->n_rows * n_columns / 4096;
    const int n_threads = n_useful < (uint64_t)statistics->n_members ? (int)n_useful : statistics->n_members;
    sarrus_crew_run(rows->crew, n_threads, pieces_take, &job);
}

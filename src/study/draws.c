/* Draws of the sampled parameters: points of the unit cube (points.c), correlated where that is asked for, then the quantile of
 * each distribution. */
#include "study/draws.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/report.h"
#include "core/stop.h"
#include "model/draws.h"
#include "study/copula.h"
#include "study/distribution.h"
#include "study/label_hash.h"
#include "study/points.h"

uint64_t sarrus_label_hash(const char *label) {
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (const unsigned char *c = (const unsigned char *)label; *c != '\0'; ++c)
        hash = (hash ^ *c) * UINT64_C(0x100000001b3);
    return hash;
}

void sarrus_sampled_draw(const sarrus_model *model, const uint64_t *label_hashes, uint64_t seed, uint64_t number, double *scores,
                         double *values) {
    const int n = model->batch.n_sampled;
    for (int k = 0; k < n; ++k)
        values[k] = sarrus_point_random(label_hashes[k], seed, number);
    if (model->batch.correlation != NULL)
        sarrus_copula_apply(model->batch.correlation, n, scores, values, 1);
    for (int k = 0; k < n; ++k)
        values[k] = sarrus_sampled_quantile(&model->batch.sampled[k], values[k]);
}

/* One parameter of the instances of `draws`, from its units. */
static void parameter_draw(const sarrus_draws *draws, int i_sampled, const volatile int32_t *stop) {
    const sarrus_sampled *sampled = &draws->model->batch.sampled[i_sampled];
    const double *units = draws->units + (uint64_t)i_sampled * draws->n_instances;
    double *values = draws->values + (uint64_t)i_sampled * draws->n_instances;
    for (uint64_t i = 0; i < draws->n_instances && !sarrus_stop_is_asked(stop); ++i)
        values[i] = sarrus_sampled_quantile(sampled, units[i]);
}

static sarrus_status units_correlate(sarrus_context *context, const sarrus_draws *draws, const volatile int32_t *stop) {
    const double *factor = draws->model->batch.correlation;
    if (factor == NULL)
        return SARRUS_OK;
    double *scores = malloc((size_t)draws->n_sampled * sizeof *scores);
    if (scores == NULL)
        return sarrus_report(context, SARRUS_NO_MEMORY, "out of memory for correlated draws");
    for (uint64_t i = 0; i < draws->n_instances && !sarrus_stop_is_asked(stop); ++i)
        sarrus_copula_apply(factor, draws->n_sampled, scores, draws->units + i, draws->n_instances);
    free(scores);
    return SARRUS_OK;
}

sarrus_status sarrus_draws_create(sarrus_context *context, const sarrus_model *model, uint64_t seed, uint64_t n_instances,
                                  sarrus_draws **out) {
    const sarrus_draw_request request = {.seed = seed, .n_study = n_instances, .n_instances = n_instances};
    return sarrus_draws_make(context, model, &request, out);
}

sarrus_status sarrus_draws_create_part(sarrus_context *context, const sarrus_model *model, uint64_t seed, uint64_t i_first,
                                       uint64_t n_instances, sarrus_draws **out) {
    const sarrus_draw_request request = {
        .seed = seed, .n_study = sarrus_model_n_instances(model), .i_first = i_first, .n_instances = n_instances};
    return sarrus_draws_make(context, model, &request, out);
}

/* Room for the draws of these instances, with that of the points they come from or without it. */
static sarrus_status draws_allocate(sarrus_context *context, const sarrus_model *model, const sarrus_draw_request *request,
                                    bool has_units, sarrus_draws **out) {
    const uint64_t i_first = request->i_first, n_instances = request->n_instances;
    const size_t n_sampled = (size_t)model->batch.n_sampled;
    *out = NULL;
    if (n_instances == 0)
        return sarrus_report(context, SARRUS_BAD_ARGUMENT, "no instances to draw for; at least 1 was expected");
    if (n_instances > UINT64_MAX - i_first)
        return sarrus_report(context, SARRUS_BAD_ARGUMENT, "%llu instances from number %llu on cannot be counted",
                             (unsigned long long)n_instances, (unsigned long long)i_first);
    if (n_sampled > 0 && n_instances > SIZE_MAX / sizeof(double) / n_sampled)
        return sarrus_report(context, SARRUS_NO_MEMORY, "%llu instances of %zu sampled parameters do not fit into memory",
                             (unsigned long long)n_instances, n_sampled);
    sarrus_draws *draws = calloc(1, sizeof *draws);
    double *values = n_sampled > 0 ? malloc(n_sampled * n_instances * sizeof(double)) : NULL;
    double *units = n_sampled > 0 && has_units ? malloc(n_sampled * n_instances * sizeof(double)) : NULL;
    if (draws == NULL || (n_sampled > 0 && (values == NULL || (has_units && units == NULL)))) {
        free(units);
        free(values);
        free(draws);
        return sarrus_report(context, SARRUS_NO_MEMORY, "out of memory for the draws of %llu instances",
                             (unsigned long long)n_instances);
    }
    *draws = (sarrus_draws){.model = model,
                            .i_first = i_first,
                            .n_instances = n_instances,
                            .n_sampled = (int)n_sampled,
                            .values = values,
                            .units = units};
    *out = draws;
    return SARRUS_OK;
}

sarrus_status sarrus_draws_make(sarrus_context *context, const sarrus_model *model, const sarrus_draw_request *request,
                                sarrus_draws **out) {
    if (model == NULL || out == NULL)
        return sarrus_report(context, SARRUS_BAD_ARGUMENT, "sarrus_draws_create needs a model and a place for the draws");
    *out = NULL;
    const sarrus_points points = {
        .model = model, .seed = request->seed, .n_study = request->n_study, .is_plain = request->is_plain};
    const bool depends_on_size = model->batch.sampling == SARRUS_SAMPLING_LHS || model->batch.sampling == SARRUS_SAMPLING_GRID;
    sarrus_status status = draws_allocate(context, model, request, true, out);
    if (status != SARRUS_OK)
        return status;
    status = sarrus_points_check(context, &points);
    if (status == SARRUS_OK && !request->is_plain && depends_on_size && request->i_first + request->n_instances > request->n_study)
        status =
            sarrus_report(context, SARRUS_BAD_ARGUMENT, "points of instances from %llu to %llu; the study has %llu",
                          (unsigned long long)request->i_first, (unsigned long long)(request->i_first + request->n_instances - 1),
                          (unsigned long long)request->n_study);
    for (int i = 0; i < (*out)->n_sampled && status == SARRUS_OK; ++i)
        sarrus_points_fill(&points, i, request->i_first, request->n_instances, request->stop,
                           (*out)->units + (uint64_t)i * request->n_instances);
    if (status == SARRUS_OK)
        status = units_correlate(context, *out, request->stop);
    for (int i = 0; i < (*out)->n_sampled && status == SARRUS_OK; ++i)
        parameter_draw(*out, i, request->stop);
    if (status == SARRUS_OK && sarrus_stop_is_asked(request->stop))
        status = SARRUS_INTERRUPTED;
    if (status != SARRUS_OK) {
        sarrus_draws_destroy(*out);
        *out = NULL;
    }
    return status;
}

/* The column that gives the sampled parameter `label`; −1: none, or more than one. */
static int column_find(const char *const *labels, int n, const char *label) {
    int found = -1;
    for (int i = 0; i < n; ++i) {
        if (labels[i] == NULL || strcmp(labels[i], label) != 0)
            continue;
        if (found >= 0)
            return -1;
        found = i;
    }
    return found;
}

/* One parameter of all instances from its column. */
static sarrus_status column_take(sarrus_context *context, const double *values, int i_column, int i_parameter,
                                 sarrus_draws *draws) {
    double *to = draws->values + (uint64_t)i_parameter * draws->n_instances;
    for (uint64_t i = 0; i < draws->n_instances; ++i) {
        to[i] = values[i * (uint64_t)draws->n_sampled + (uint64_t)i_column];
        if (!isfinite(to[i]))
            return sarrus_report(context, SARRUS_BAD_ARGUMENT, "the sample of '%s' has no finite number for instance %llu",
                                 sarrus_draws_label(draws, i_parameter), (unsigned long long)i);
    }
    return SARRUS_OK;
}

sarrus_status sarrus_draws_from_values(sarrus_context *context, const sarrus_model *model, const char *const *labels,
                                       int n_parameters, uint64_t n_instances, const double *values, sarrus_draws **out) {
    if (model == NULL || values == NULL || out == NULL)
        return sarrus_report(context, SARRUS_BAD_ARGUMENT,
                             "sarrus_draws_from_values needs a model, values and a place for the draws");
    *out = NULL;
    if (n_parameters != model->batch.n_sampled)
        return sarrus_report(context, SARRUS_BAD_ARGUMENT, "a sample of %d parameters; expected the %d that the scenario draws",
                             n_parameters, model->batch.n_sampled);
    sarrus_draws *draws = NULL;
    const sarrus_draw_request request = {.n_instances = n_instances};
    sarrus_status status = draws_allocate(context, model, &request, false, &draws);
    for (int i = 0; i < n_parameters && status == SARRUS_OK; ++i) {
        const char *label = model->batch.sampled[i].label;
        const int i_column = labels != NULL ? column_find(labels, n_parameters, label) : i;
        status = i_column >= 0
                     ? column_take(context, values, i_column, i, draws)
                     : sarrus_report(context, SARRUS_BAD_ARGUMENT, "no column of the sample, or more than one, is '%s'", label);
    }
    if (status == SARRUS_OK)
        *out = draws;
    else
        sarrus_draws_destroy(draws);
    return status;
}

sarrus_status sarrus_draws_from_units(sarrus_context *context, const sarrus_model *model, uint64_t n_instances, const double *units,
                                      sarrus_draws **out) {
    if (model == NULL || units == NULL || out == NULL)
        return sarrus_report(context, SARRUS_BAD_ARGUMENT,
                             "sarrus_draws_from_units needs a model, units and a place for the draws");
    const sarrus_draw_request request = {.n_instances = n_instances};
    sarrus_status status = draws_allocate(context, model, &request, true, out);
    const uint64_t n = status == SARRUS_OK ? (uint64_t)model->batch.n_sampled * n_instances : 0;
    for (uint64_t i = 0; i < n && status == SARRUS_OK; ++i) {
        (*out)->units[i] = units[i];
        if (!(units[i] > 0.0 && units[i] < 1.0))
            status = sarrus_report(context, SARRUS_BAD_ARGUMENT, "the point %.17g of '%s'; expected one between 0 and 1", units[i],
                                   sarrus_draws_label(*out, (int)(i / n_instances)));
    }
    if (status == SARRUS_OK)
        status = units_correlate(context, *out, NULL);
    for (int j = 0; status == SARRUS_OK && j < model->batch.n_sampled; ++j)
        parameter_draw(*out, j, NULL);
    if (status != SARRUS_OK) {
        sarrus_draws_destroy(*out);
        *out = NULL;
    }
    return status;
}

sarrus_status sarrus_draws_part_copy(sarrus_context *context, const sarrus_draws *draws, uint64_t i_first, uint64_t n_instances,
                                     sarrus_draws **out) {
    *out = NULL;
    if (i_first < draws->i_first || n_instances > draws->n_instances || i_first - draws->i_first > draws->n_instances - n_instances)
        return sarrus_report(context, SARRUS_BAD_ARGUMENT,
                             "draws for %llu instances from %llu on given to a run of %llu from %llu on",
                             (unsigned long long)draws->n_instances, (unsigned long long)draws->i_first,
                             (unsigned long long)n_instances, (unsigned long long)i_first);
    const sarrus_draw_request request = {.i_first = i_first, .n_instances = n_instances};
    const sarrus_status status = draws_allocate(context, draws->model, &request, draws->units != NULL, out);
    for (int i = 0; status == SARRUS_OK && i < draws->n_sampled; ++i) {
        const uint64_t to = (uint64_t)i * n_instances, from = (uint64_t)i * draws->n_instances + (i_first - draws->i_first);
        memcpy((*out)->values + to, draws->values + from, n_instances * sizeof(double));
        if (draws->units != NULL)
            memcpy((*out)->units + to, draws->units + from, n_instances * sizeof(double));
    }
    return status;
}

void sarrus_draws_destroy(sarrus_draws *draws) {
    if (draws == NULL)
        return;
    free(draws->units);
    free(draws->values);
    free(draws);
}

int sarrus_draws_n_parameters(const sarrus_draws *draws) {
    return draws != NULL ? draws->n_sampled : 0;
}

/* Whether there is such a parameter. */
static bool is_drawn(const sarrus_draws *draws, int i_parameter) {
    return draws != NULL && i_parameter >= 0 && i_parameter < draws->n_sampled;
}

const char *sarrus_draws_label(const sarrus_draws *draws, int i_parameter) {
    if (!is_drawn(draws, i_parameter))
        return NULL;
    return draws->model->batch.sampled[i_parameter].label;
}

const double *sarrus_draws_values(const sarrus_draws *draws, int i_parameter) {
    if (!is_drawn(draws, i_parameter))
        return NULL;
    return draws->values + (uint64_t)i_parameter * draws->n_instances;
}

const double *sarrus_draws_units(const sarrus_draws *draws, int i_parameter) {
    if (!is_drawn(draws, i_parameter) || draws->units == NULL)
        return NULL;
    return draws->units + (uint64_t)i_parameter * draws->n_instances;
}

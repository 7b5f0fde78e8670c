/* Draws of the sampled parameters. Word layout of the generator:
 *   counter = { instance (low 32 bits), instance (high), hash of the label (low), hash (high) },  key = { seed (low), seed (high)
 * }, uniform from words 0 (low half) and 1 (high half) of the result. A draw is a function of (seed, instance, label) alone:
 * neither the batch size, nor the order of the parameters in the file, nor other parameters change it. */
#include "study/draws.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/report.h"
#include "core/stop.h"
#include "model/draws.h"
#include "study/distribution.h"
#include "study/label_hash.h"
#include "study/philox.h"

uint64_t sarrus_label_hash(const char *label) {
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (const unsigned char *c = (const unsigned char *)label; *c != '\0'; ++c)
        hash = (hash ^ *c) * UINT64_C(0x100000001b3);
    return hash;
}

double sarrus_sampled_draw(const sarrus_sampled *sampled, uint64_t label_hash, uint64_t seed, uint64_t number) {
    const uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    const uint32_t counter[4] = {(uint32_t)number, (uint32_t)(number >> 32), (uint32_t)label_hash, (uint32_t)(label_hash >> 32)};
    uint32_t words[4];
    sarrus_philox4x32_run(counter, key, words);
    return sarrus_sampled_quantile(sampled, sarrus_uniform_from_bits((uint64_t)words[1] << 32 | words[0]));
}

/* One parameter of the instances of `draws`. */
static void parameter_draw(const sarrus_draws *draws, const sarrus_sampled *sampled, uint64_t seed, const volatile int32_t *stop,
                           double *values) {
    const uint64_t hash = sarrus_label_hash(sampled->label);
    for (uint64_t i = 0; i < draws->n_instances && !sarrus_stop_is_asked(stop); ++i)
        values[i] = sarrus_sampled_draw(sampled, hash, seed, draws->i_first + i);
}

sarrus_status sarrus_draws_create(sarrus_context *context, const sarrus_model *model, uint64_t seed, uint64_t n_instances,
                                  sarrus_draws **out) {
    return sarrus_draws_make(context, model, seed, 0, n_instances, NULL, out);
}

sarrus_status sarrus_draws_create_part(sarrus_context *context, const sarrus_model *model, uint64_t seed, uint64_t i_first,
                                       uint64_t n_instances, sarrus_draws **out) {
    return sarrus_draws_make(context, model, seed, i_first, n_instances, NULL, out);
}

/* Room for the draws of these instances. */
static sarrus_status draws_allocate(sarrus_context *context, const sarrus_model *model, uint64_t i_first, uint64_t n_instances,
                                    sarrus_draws **out) {
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
    if (draws == NULL || (n_sampled > 0 && values == NULL)) {
        free(values);
        free(draws);
        return sarrus_report(context, SARRUS_NO_MEMORY, "out of memory for the draws of %llu instances",
                             (unsigned long long)n_instances);
    }
    *draws = (sarrus_draws){
        .model = model, .i_first = i_first, .n_instances = n_instances, .n_sampled = (int)n_sampled, .values = values};
    *out = draws;
    return SARRUS_OK;
}

sarrus_status sarrus_draws_make(sarrus_context *context, const sarrus_model *model, uint64_t seed, uint64_t i_first,
                                uint64_t n_instances, const volatile int32_t *stop, sarrus_draws **out) {
    if (model == NULL || out == NULL)
        return sarrus_report(context, SARRUS_BAD_ARGUMENT, "sarrus_draws_create needs a model and a place for the draws");
    const sarrus_status status = draws_allocate(context, model, i_first, n_instances, out);
    if (status != SARRUS_OK)
        return status;
    for (int i = 0; i < (*out)->n_sampled; ++i)
        parameter_draw(*out, &model->batch.sampled[i], seed, stop, (*out)->values + (uint64_t)i * n_instances);
    if (!sarrus_stop_is_asked(stop))
        return SARRUS_OK;
    sarrus_draws_destroy(*out);
    *out = NULL;
    return SARRUS_INTERRUPTED;
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
    sarrus_status status = draws_allocate(context, model, 0, n_instances, &draws);
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

sarrus_status sarrus_draws_part_copy(sarrus_context *context, const sarrus_draws *draws, uint64_t i_first, uint64_t n_instances,
                                     sarrus_draws **out) {
    *out = NULL;
    if (i_first < draws->i_first || n_instances > draws->n_instances || i_first - draws->i_first > draws->n_instances - n_instances)
        return sarrus_report(context, SARRUS_BAD_ARGUMENT,
                             "draws for %llu instances from %llu on given to a run of %llu from %llu on",
                             (unsigned long long)draws->n_instances, (unsigned long long)draws->i_first,
                             (unsigned long long)n_instances, (unsigned long long)i_first);
    const sarrus_status status = draws_allocate(context, draws->model, i_first, n_instances, out);
    for (int i = 0; status == SARRUS_OK && i < draws->n_sampled; ++i)
        memcpy((*out)->values + (uint64_t)i * n_instances, sarrus_draws_values(draws, i) + (i_first - draws->i_first),
               n_instances * sizeof(double));
    return status;
}

void sarrus_draws_destroy(sarrus_draws *draws) {
    if (draws == NULL)
        return;
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

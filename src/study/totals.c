#include "study/totals.h"

#include <stdlib.h>
#include <string.h>

#include "core/report.h"

static void totals_add(sarrus_totals *out, int n, const sarrus_sink_total *totals, double *const *values) {
    for (int i = 0; i < n; ++i) {
        out->totals[out->n] = totals[i];
        out->values[out->n++] = values[i];
    }
}

sarrus_status sarrus_totals_create(sarrus_context *context, const sarrus_model *model, const sarrus_totals_choice *choice,
                                   sarrus_totals *out) {
    *out = (sarrus_totals){.n = 0};
    sarrus_status status = sarrus_quantity_statistics_create(context, model, choice->n_instances, &out->statistics);
    if (status == SARRUS_OK)
        status = sarrus_parameter_statistics_create(context, model, choice->n_instances, &out->parameters);
    if (status == SARRUS_OK)
        status = sarrus_covariance_create(context, model, choice->n_instances, &out->covariance);
    if (status == SARRUS_OK && choice->is_study)
        status = sarrus_sensitivity_create(context, model, choice->is_own_sample, choice->n_instances, choice->n_members,
                                           &out->sensitivity);
    if (status != SARRUS_OK)
        return status;
    const size_t n =
        (size_t)(out->statistics.n_totals + out->parameters.n_totals + out->covariance.n_totals + out->sensitivity.n_totals);
    out->totals = calloc(n + 1, sizeof *out->totals);
    out->values = calloc(n + 1, sizeof *out->values);
    if (out->totals == NULL || out->values == NULL)
        return sarrus_report(context, SARRUS_NO_MEMORY, "out of memory for the result file");
    totals_add(out, out->statistics.n_totals, out->statistics.totals, out->statistics.values);
    totals_add(out, out->parameters.n_totals, out->parameters.totals, out->parameters.values);
    totals_add(out, out->covariance.n_totals, out->covariance.totals, out->covariance.values);
    totals_add(out, out->sensitivity.n_totals, out->sensitivity.totals, out->sensitivity.values);
    return SARRUS_OK;
}

void sarrus_totals_free(sarrus_totals *totals) {
    sarrus_quantity_statistics_free(&totals->statistics);
    sarrus_parameter_statistics_free(&totals->parameters);
    sarrus_covariance_free(&totals->covariance);
    sarrus_sensitivity_free(&totals->sensitivity);
    free(totals->totals);
    free(totals->values);
    *totals = (sarrus_totals){.n = 0};
}

/* A sample as a stream. */
typedef struct sample_view {
    const sarrus_sensitivity_sample *sample;
    int n_quantities;
} sample_view;

static void sample_read(void *user, int i_column, uint64_t i_first, uint64_t n, double *x, uint8_t *status) {
    const sample_view *view = user;
    const int i_parameter = i_column - view->n_quantities;
    memcpy(status, view->sample->status + i_first, (size_t)n);
    if (x != NULL)
        memcpy(x, (i_parameter < 0 ? view->sample->results[i_column] : view->sample->values[i_parameter]) + i_first,
               (size_t)n * sizeof *x);
}

void sarrus_totals_finish_streamed(sarrus_totals *totals, const sarrus_number_stream *stream) {
    if (totals->statistics.n_totals > 0)
        sarrus_quantity_statistics_finish(&totals->statistics, stream);
    if (totals->parameters.n_totals > 0)
        sarrus_parameter_statistics_finish(&totals->parameters, stream, totals->statistics.model->output.n_quantities);
}

void sarrus_totals_finish(sarrus_totals *totals, const sarrus_sensitivity_sample *sample, bool is_complete) {
    sample_view view = {sample, totals->statistics.model != NULL ? totals->statistics.model->output.n_quantities : 0};
    sarrus_totals_finish_streamed(totals, &(sarrus_number_stream){totals->statistics.n_instances, sample_read, &view});
    if (totals->covariance.n_totals > 0)
        sarrus_covariance_finish(&totals->covariance, sample->results, sample->values, sample->status, sample->crew);
    if (totals->sensitivity.n_totals > 0 && is_complete)
        sarrus_sensitivity_finish(&totals->sensitivity, sample);
}

#include "study/totals.h"

#include <stdlib.h>

#include "core/report.h"

sarrus_status sarrus_totals_create(sarrus_context *context, const sarrus_model *model, const sarrus_totals_choice *choice,
                                   sarrus_totals *out) {
    *out = (sarrus_totals){.n = 0};
    sarrus_status status = sarrus_quantity_statistics_create(context, model, choice->n_instances, &out->statistics);
    if (status == SARRUS_OK && choice->is_study)
        status = sarrus_sensitivity_create(context, model, choice->is_own_sample, choice->n_instances, choice->n_members,
                                           &out->sensitivity);
    if (status != SARRUS_OK)
        return status;
    const int n_first = out->statistics.n_totals, n = n_first + out->sensitivity.n_totals;
    out->totals = calloc((size_t)n + 1, sizeof *out->totals);
    out->values = calloc((size_t)n + 1, sizeof *out->values);
    if (out->totals == NULL || out->values == NULL)
        return sarrus_report(context, SARRUS_NO_MEMORY, "out of memory for the result file");
    for (; out->n < n; ++out->n) {
        const int i = out->n - n_first;
        out->totals[out->n] = i < 0 ? out->statistics.totals[out->n] : out->sensitivity.totals[i];
        out->values[out->n] = i < 0 ? out->statistics.values[out->n] : out->sensitivity.values[i];
    }
    return SARRUS_OK;
}

void sarrus_totals_free(sarrus_totals *totals) {
    sarrus_quantity_statistics_free(&totals->statistics);
    sarrus_sensitivity_free(&totals->sensitivity);
    free(totals->totals);
    free(totals->values);
    *totals = (sarrus_totals){.n = 0};
}

void sarrus_totals_finish(sarrus_totals *totals, const sarrus_sensitivity_sample *sample, bool is_complete) {
    if (totals->statistics.n_totals > 0)
        sarrus_quantity_statistics_finish(&totals->statistics, sample->results, sample->status);
    if (totals->sensitivity.n_totals > 0 && is_complete)
        sarrus_sensitivity_finish(&totals->sensitivity, sample);
}

#include "study/instance_numbers.h"

#include <stdlib.h>

#include "core/report.h"
#include "model/evaluator.h"

sarrus_status sarrus_instance_numbers_create(sarrus_context *context, const sarrus_model *model, const sarrus_draws *draws,
                                             uint64_t n_instances, const sarrus_value_index *indices, int n,
                                             sarrus_instance_numbers *out) {
    *out = (sarrus_instance_numbers){0};
    if (n == 0)
        return SARRUS_OK;
    const bool is_drawn = draws != NULL && model->batch.n_sampled > 0;
    const uint64_t n_rows = is_drawn ? n_instances : 1;
    sarrus_evaluator *evaluator = NULL;
    double *all = malloc(((size_t)model->n_values + 1) * sizeof *all);
    out->values = n_rows <= SIZE_MAX / sizeof(double) / (size_t)n ? malloc((size_t)n_rows * (size_t)n * sizeof(double)) : NULL;
    sarrus_status status = SARRUS_NO_MEMORY;
    if (all != NULL && out->values != NULL)
        status = sarrus_evaluator_create(model, &evaluator);
    for (uint64_t i = 0; status == SARRUS_OK && i < n_rows; ++i) {
        (void)sarrus_evaluator_run(evaluator, is_drawn ? draws : NULL, i, all);
        for (int k = 0; k < n; ++k)
            out->values[i * (size_t)n + (size_t)k] = all[indices[k]];
    }
    out->n = n;
    out->stride = is_drawn ? (size_t)n : 0;
    sarrus_evaluator_destroy(evaluator);
    free(all);
    return status == SARRUS_OK ? status
                               : sarrus_report(context, SARRUS_NO_MEMORY, "out of memory for the outputs of %llu instances",
                                               (unsigned long long)n_instances);
}

void sarrus_instance_numbers_free(sarrus_instance_numbers *numbers) {
    free(numbers->values);
    *numbers = (sarrus_instance_numbers){0};
}

const double *sarrus_instance_numbers_of(const sarrus_instance_numbers *numbers, uint64_t i_instance) {
    return numbers->values != NULL ? numbers->values + i_instance * numbers->stride : NULL;
}

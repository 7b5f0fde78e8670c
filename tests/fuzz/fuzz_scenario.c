/* Any bytes to the scenario reader: no crash, no leak, no hang; and what it accepts, it must accept again in the form that it
 * writes into result files, as the same model. A first line "#set PATH=VALUE" becomes an override. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "model/evaluator.h"
#include "sarrus/scenario.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool condition) {
    if (!condition) {
        abort();
    }
}

/* Every named and sampled parameter gets a few numbers, hostile ones among them. */
static void run_evaluator(const sarrus_model *model) {
    static const double numbers[] = {1.0, -2.5, 0.0, 1e308, INFINITY};
    enum { n_instances = sizeof numbers / sizeof numbers[0] };
    sarrus_evaluator *evaluator = NULL;
    must(sarrus_evaluator_create(model, &evaluator) == SARRUS_OK);
    double *values = calloc((size_t)model->n_values + 1, sizeof *values);
    double *drawn = calloc((size_t)model->batch.n_sampled * n_instances + 1, sizeof *drawn);
    must(values != NULL && drawn != NULL);
    for (int i = 0; i < model->batch.n_sampled * n_instances; ++i) {
        drawn[i] = numbers[i % n_instances];
    }
    const sarrus_draws draws = {.model = model, .n_instances = n_instances, .n_sampled = model->batch.n_sampled, .values = drawn};
    must(sarrus_evaluator_run(evaluator, NULL, 0, values));
    for (uint64_t i_instance = 0; i_instance < n_instances; ++i_instance) {
        const bool is_finite = sarrus_evaluator_run(evaluator, &draws, i_instance, values);
        bool all_finite = true;
        for (int i_value = 0; i_value < model->n_values; ++i_value) {
            all_finite = all_finite && isfinite(values[i_value]);
        }
        must(is_finite == all_finite || model->batch.n_sampled > 0);
    }
    free(values);
    free(drawn);
    sarrus_evaluator_destroy(evaluator);
}

static void read_again(sarrus_context *context, const sarrus_model *model) {
    sarrus_model *again = NULL;
    const char *text = sarrus_model_resolved(model);
    sarrus_context_clear(context);
    must(sarrus_scenario_read_text(context, "resolved", text, strlen(text), NULL, 0, &again) == SARRUS_OK);
    must(strcmp(text, sarrus_model_resolved(again)) == 0);
    must(again->n_values == model->n_values);
    for (int i_value = 0; i_value < model->n_values; ++i_value) {
        must(again->values[i_value].nominal == model->values[i_value].nominal);
    }
    sarrus_model_destroy(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const char *text = (const char *)data;
    char *line = NULL;
    sarrus_override override = {NULL, NULL};
    if (size > 5 && memcmp(text, "#set ", 5) == 0) {
        const char *end = memchr(text, '\n', size);
        line = strndup(text + 5, end != NULL ? (size_t)(end - text) - 5 : size - 5);
        must(line != NULL);
        char *equals = strchr(line, '=');
        if (equals != NULL) {
            *equals = '\0';
            override = (sarrus_override){line, equals + 1};
        }
    }
    sarrus_context *context = NULL;
    sarrus_model *model = NULL;
    must(sarrus_context_create(&context) == SARRUS_OK);
    const sarrus_status status = sarrus_scenario_read_text(context, "fuzz", text, size, override.path != NULL ? &override : NULL,
                                                           override.path != NULL, &model);
    must((status == SARRUS_OK) == (model != NULL));
    must((status == SARRUS_OK) == (sarrus_context_n_diagnostics(context) == 0));
    if (model != NULL) {
        run_evaluator(model);
        read_again(context, model);
    }
    sarrus_model_destroy(model);
    sarrus_context_destroy(context);
    free(line);
    return 0;
}

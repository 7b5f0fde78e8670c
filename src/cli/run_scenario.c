#include "cli/run_scenario.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "edge/diagnostics.h"
#include "edge/exit_code.h"
#include "model/model.h"
#include "study/sample_file.h"

/* --- An own sample ---------------------------------------------------------------------------------------------------------- */

/* The column of the sample that place `column` of the setting speaks of: entries begin with "{path". */
static int column_at(const char *setting, int column) {
    int i = -1;
    for (const char *c = strstr(setting, "{path"); c != NULL && c - setting < column; c = strstr(c + 1, "{path"))
        ++i;
    return i;
}

/* Of a scenario that draws the columns: what is wrong with one is said of the file, not of a setting that nobody gave. */
static int sampled_read(const char *path, const sarrus_run_arguments *arguments, const sarrus_sample_table *table,
                        const char *setting, sarrus_scenario_argument *scenario) {
    if (setting == NULL)
        return sarrus_scenario_argument_read(path, &arguments->settings, scenario);
    const sarrus_status status = sarrus_scenario_argument_try(path, &arguments->settings, scenario);
    bool is_told = false;
    for (size_t i = 0; status == SARRUS_BAD_INPUT && i < sarrus_context_n_diagnostics(scenario->context); ++i) {
        const sarrus_diagnostic *found = sarrus_context_diagnostic(scenario->context, i);
        const bool is_ours = found->source_line != NULL && strcmp(found->source_line, setting) == 0;
        const int column = is_ours ? column_at(setting, found->column) : -1;
        if (column < 0 || column >= table->n_columns)
            continue;
        fprintf(stderr, "%s: error: column '%s': %s\n", arguments->samples, table->labels[column], found->message);
        is_told = true;
    }
    return is_told ? sarrus_exit_code(status) : sarrus_scenario_argument_told(scenario, status);
}

/* Reads a scenario that a sample is for: without its sensitivity, which is refused where nothing is drawn. */
static int unsampled_read(const char *path, sarrus_run_arguments *arguments, sarrus_scenario_argument *scenario) {
    *scenario = (sarrus_scenario_argument){NULL, NULL};
    if (!sarrus_settings_add(&arguments->settings, "run", "output.sensitivity=[]"))
        return SARRUS_EXIT_IO;
    const int code = sarrus_scenario_argument_read(path, &arguments->settings, scenario);
    sarrus_settings_take_back(&arguments->settings);
    return code;
}

/* Reads the sample, and the scenario again as it is run: one that draws nothing as one that draws the columns. `*setting` is to be
 * freed after the arguments. */
static int sample_take(const char *path, sarrus_run_arguments *arguments, sarrus_scenario_argument *scenario, char **setting,
                       sarrus_draws **out) {
    sarrus_sample_table table;
    const sarrus_model *model = sarrus_document_model(scenario->document, 0);
    if (sarrus_document_is_mixed(scenario->document))
        return sarrus_option_refuse("run", "--samples: the document has several scenarios; expected one");
    sarrus_status status = sarrus_sample_file_read(scenario->context, arguments->samples, &table);
    int code = SARRUS_EXIT_DONE;
    if (status == SARRUS_OK && arguments->n_instances != 0 && arguments->n_instances != table.n_rows)
        code = sarrus_option_refuse("run", "--instances %llu: the sample has %llu rows, one for each instance",
                                    (unsigned long long)arguments->n_instances, (unsigned long long)table.n_rows);
    arguments->n_instances = table.n_rows;
    if (status == SARRUS_OK && code == SARRUS_EXIT_DONE && model->batch.n_sampled == 0 && table.labels != NULL) {
        *setting = sarrus_sample_setting(&table);
        if (*setting == NULL || !sarrus_settings_add(&arguments->settings, "run", *setting))
            status = SARRUS_NO_MEMORY;
    }
    if (code == SARRUS_EXIT_DONE && status == SARRUS_OK) {
        sarrus_scenario_argument_free(scenario);
        code = sampled_read(path, arguments, &table, *setting, scenario);
    }
    if (status == SARRUS_OK && code == SARRUS_EXIT_DONE)
        status =
            sarrus_sample_draws(scenario->context, arguments->samples, &table, sarrus_document_model(scenario->document, 0), out);
    if (status != SARRUS_OK)
        sarrus_failure_print(scenario->context, status, stderr);
    sarrus_sample_table_free(&table);
    return status != SARRUS_OK ? sarrus_exit_code(status) : code;
}

/* --- A number of instances -------------------------------------------------------------------------------------------------- */

/* A file whose own number a grid or a design does not have is read with the one that is asked for. */
static int counted_read(const char *path, sarrus_run_arguments *arguments, sarrus_scenario_argument *scenario, char **setting) {
    sarrus_scenario_argument first;
    const sarrus_status status = sarrus_scenario_argument_try(path, &arguments->settings, &first);
    if (status == SARRUS_BAD_INPUT && asprintf(setting, "batch.instances=%" PRIu64, arguments->n_instances) < 0)
        *setting = NULL;
    if (status == SARRUS_BAD_INPUT && *setting != NULL && sarrus_settings_add(&arguments->settings, "run", *setting)) {
        const sarrus_status again = sarrus_scenario_argument_try(path, &arguments->settings, scenario);
        if (again == SARRUS_OK) {
            sarrus_scenario_argument_free(&first);
            return sarrus_scenario_argument_told(scenario, again);
        }
        sarrus_scenario_argument_free(scenario);
    }
    *scenario = first; /* what the file says by itself is what the user knows */
    return sarrus_scenario_argument_told(scenario, status);
}

int sarrus_run_scenario_read(const char *path, sarrus_run_arguments *arguments, sarrus_scenario_argument *scenario, char **setting,
                             sarrus_draws **draws) {
    if (arguments->samples != NULL) {
        const int code = unsampled_read(path, arguments, scenario);
        return code == SARRUS_EXIT_DONE ? sample_take(path, arguments, scenario, setting, draws) : code;
    }
    if (arguments->n_instances > 0)
        return counted_read(path, arguments, scenario, setting);
    return sarrus_scenario_argument_read(path, &arguments->settings, scenario);
}

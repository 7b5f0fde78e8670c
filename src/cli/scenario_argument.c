#include "cli/scenario_argument.h"

#include <stdio.h>

#include "edge/exit_code.h"
#include "edge/diagnostics.h"
#include "cli/progress.h"

const char *sarrus_file_argument(int argc, char **argv, const char *what) {
    if (optind == argc - 1)
        return argv[optind];
    if (optind >= argc)
        sarrus_option_refuse(argv[0], "no file named; %s was expected", what);
    else
        sarrus_option_refuse(argv[0], "too many files ('%s', '%s'); one was expected", argv[optind], argv[optind + 1]);
    return NULL;
}

sarrus_status sarrus_scenario_argument_try(const char *path, const sarrus_settings *settings, sarrus_scenario_argument *out) {
    *out = (sarrus_scenario_argument){NULL, NULL};
    const sarrus_status status = sarrus_context_create(&out->context);
    return status != SARRUS_OK
               ? status
               : sarrus_document_read_file(out->context, path, settings->overrides, settings->n_overrides, &out->document);
}

int sarrus_scenario_argument_told(const sarrus_scenario_argument *argument, sarrus_status status) {
    if (argument->context == NULL) {
        fprintf(stderr, "sarrus: error: out of memory\n");
        return SARRUS_EXIT_IO;
    }
    sarrus_failure_print(argument->context, status, stderr);
    sarrus_context_clear(argument->context);
    /* A scenario that is not there is bad usage; I/O failure is about results. */
    return status == SARRUS_IO ? SARRUS_EXIT_BAD_INPUT : sarrus_exit_code(status);
}

int sarrus_scenario_argument_read(const char *path, const sarrus_settings *settings, sarrus_scenario_argument *out) {
    return sarrus_scenario_argument_told(out, sarrus_scenario_argument_try(path, settings, out));
}

sarrus_status sarrus_scenario_argument_plan(const sarrus_scenario_argument *argument, int i_group, bool is_quiet,
                                            sarrus_plan **out) {
    sarrus_progress_bar bar = {.is_shown = !is_quiet && sarrus_progress_is_wanted()};
    const sarrus_plan_options watched = {.progress = sarrus_progress_draw_plan, .user = &bar};
    const sarrus_model *model = sarrus_document_model(argument->document, i_group);
    const sarrus_status status = sarrus_plan_create_watched(argument->context, model, &watched, out);
    sarrus_progress_erase(&bar);
    if (status != SARRUS_OK && sarrus_document_is_mixed(argument->document))
        fprintf(stderr, "sarrus: group %d, %s:\n", i_group, sarrus_document_file(argument->document, i_group));
    if (status != SARRUS_OK)
        sarrus_failure_print(argument->context, status, stderr);
    return status;
}

void sarrus_scenario_argument_free(sarrus_scenario_argument *argument) {
    sarrus_document_destroy(argument->document);
    sarrus_context_destroy(argument->context);
    *argument = (sarrus_scenario_argument){NULL, NULL};
}

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "edge/exit_code.h"
#include "edge/diagnostics.h"
#include "edge/kernel_places.h"
#include "cli/planned_run.h"
#include "cli/progress.h"
#include "cli/result_look.h"
#include "cli/run_arguments.h"
#include "cli/run_parts.h"
#include "cli/run_scenario.h"
#include "cli/scenario_argument.h"
#include "cli/shell_word.h"
#include "cli/signals.h"
#include "cli/summary.h"
#include "model/model.h"
#include "sarrus/run.h"
#include "sarrus/warning.h"
#include "sink/hdf5_error.h"
#include "sink/result_place.h"
#include "study/points.h"

/* "scenarios/five_bar.yaml" → "five_bar.h5", or "five_bar.instance_17.h5": a replay, or a part, never takes the place of its study.
 * To be freed by the caller, NULL without memory. */
static char *output_name_make(const char *path, const sarrus_run_arguments *arguments) {
    const char *slash = strrchr(path, '/');
    const char *base = slash != NULL ? slash + 1 : path;
    const char *dot = strrchr(base, '.');
    const bool is_yaml = dot != NULL && dot != base && (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".yml") == 0);
    const int n_stem = (int)(is_yaml ? (size_t)(dot - base) : strlen(base));
    const unsigned long long group = arguments->group, instance = arguments->instance;
    const unsigned long long shard = arguments->shard, n_shards = arguments->n_shards;
    char *name = NULL;
    const int n = arguments->before != NULL ? asprintf(&name, "%.*s.retried.h5", n_stem, base)
                  : n_shards > 0            ? asprintf(&name, "%.*s.shard_%llu_of_%llu.h5", n_stem, base, shard, n_shards)
                  : arguments->has_group    ? asprintf(&name, "%.*s.instance_%llu_%llu.h5", n_stem, base, group, instance)
                  : arguments->has_instance ? asprintf(&name, "%.*s.instance_%llu.h5", n_stem, base, instance)
                                            : asprintf(&name, "%.*s.h5", n_stem, base);
    return n < 0 ? NULL : name;
}

/* What may not be meant, before the run: some runs take hours. Those who have no memory for it will hear of that from the run. */
static void warnings_print(const char *where, const sarrus_plan *plan, const sarrus_run_arguments *arguments) {
    sarrus_warnings *warnings = NULL;
    if (sarrus_warnings_create(NULL, plan, arguments->n_instances, &warnings) != SARRUS_OK)
        return;
    for (int i = 0; i < sarrus_warnings_count(warnings); ++i) {
        sarrus_warning warning;
        sarrus_warnings_get(warnings, i, &warning);
        const bool is_of_draws = warning.kind == SARRUS_WARNING_UNPHYSICAL_DRAWS || warning.kind == SARRUS_WARNING_LOCKED_DRAWS;
        if (warning.matters && (arguments->samples == NULL || !is_of_draws))
            fprintf(stderr, "sarrus: warning: %s%s\n", where, warning.text);
    }
    sarrus_warnings_destroy(warnings);
}

/* The command that replays an instance of this run, up to the instance's number: what chooses the study's numbers, and where they
 * are computed. To be freed by the caller; NULL without memory. */
static char *replay_command_make(const char *path, const sarrus_run_arguments *arguments) {
    static const char *const backends[] = {"auto", "cpu", "cuda"};
    char *text = NULL;
    size_t n = 0;
    FILE *stream = open_memstream(&text, &n);
    if (stream == NULL)
        return NULL;
    fputs("sarrus run ", stream);
    if (path[0] == '-')
        fputs("./", stream);
    sarrus_shell_word_print(path, stream);
    for (size_t i = 0; i < arguments->n_settings; ++i) {
        fputs(" --set ", stream);
        sarrus_shell_word_print(arguments->settings.texts[i], stream);
    }
    if (arguments->samples != NULL) {
        fputs(" --samples ", stream);
        sarrus_shell_word_print(arguments->samples, stream);
    } else if (arguments->n_instances > 0)
        fprintf(stream, " --instances %llu", (unsigned long long)arguments->n_instances);
    if (arguments->has_seed)
        fprintf(stream, " --seed %llu", (unsigned long long)arguments->seed);
    if (arguments->backend != SARRUS_BACKEND_AUTO)
        fprintf(stream, " --backend %s", backends[arguments->backend]);
    fputs(" --instance ", stream);
    if (fclose(stream) == 0)
        return text;
    free(text);
    return NULL;
}

static uint64_t seed_of(const sarrus_run_arguments *arguments, const sarrus_model *model) {
    return arguments->has_seed ? arguments->seed : sarrus_model_seed(model);
}

/* What came of it, to standard output, and what is to be known of it, to standard error. */
static void end_print(const sarrus_planned_run *planned, sarrus_status status, const sarrus_run_summary *summary,
                      const sarrus_run_summary *summaries) {
    const sarrus_run_arguments *arguments = planned->arguments;
    const sarrus_document *document = planned->scenario->document;
    const sarrus_model *model = sarrus_document_model(document, (int)arguments->group);
    sarrus_summary_group groups[SARRUS_MAX_GROUPS];
    char *replay = replay_command_make(planned->path, arguments);
    for (int g = 0; g < sarrus_document_n_groups(document); ++g) {
        const sarrus_model *own = sarrus_document_model(document, g);
        groups[g] = (sarrus_summary_group){sarrus_document_file(document, g), own, &summaries[g], seed_of(arguments, own)};
    }
    const sarrus_summary_text text = {
        .scenario = planned->path,
        .output = planned->output,
        .replay = replay,
        .model = model,
        .seed = seed_of(arguments, model),
        .n_groups = sarrus_planned_run_has_groups(planned) ? sarrus_document_n_groups(document) : 0,
        .groups = groups,
        .name = sarrus_document_name(document),
        .is_complete = status == SARRUS_OK,
        .is_replay = arguments->has_instance,
        .is_of_group = arguments->has_group,
        .group = (int)arguments->group,
    };
    if (arguments->is_json)
        sarrus_summary_print_json(&text, summary, stdout);
    else if (!arguments->is_quiet)
        sarrus_summary_print(&text, summary, stdout);
    fflush(stdout);                                               /* the warnings follow the summary where both go to one file */
    sarrus_diagnostics_print(planned->scenario->context, stderr); /* warnings of the run: it did with fewer threads */
    sarrus_summary_warn(&text, summary, stderr);
    free(replay);
}

/* What came of the instances that were run again. */
static void retry_print(const sarrus_planned_run *planned, const sarrus_run_summary *summary) {
    const sarrus_run_arguments *arguments = planned->arguments;
    const unsigned long long n = summary->n_instances, n_study = summary->n_study, n_failed = summary->n_failed;
    if (arguments->is_json)
        printf("{\"retried\": %llu, \"failed\": %llu, \"n_instances\": %llu, \"output_bytes\": %llu}\n", n, n_failed, n_study,
               (unsigned long long)summary->output_bytes);
    else if (!arguments->is_quiet && n == 0)
        printf("%s: no instance had failed, so none is run again; %s has what was there\n", planned->path, planned->output);
    else if (!arguments->is_quiet)
        printf("%s: %llu of %llu instances run again, %llu failed again; %s\n", planned->path, n, n_study, n_failed,
               planned->output);
    fflush(stdout);
    sarrus_diagnostics_print(planned->scenario->context, stderr);
}

/* Runs what has been read and planned, and prints the summary. */
static int plan_run(const sarrus_planned_run *planned) {
    const sarrus_run_arguments *arguments = planned->arguments;
    sarrus_progress_bar bar = {.is_shown = !arguments->is_quiet && sarrus_progress_is_wanted()};
    sarrus_run_summary summary, summaries[SARRUS_MAX_GROUPS];
    sarrus_kernel_places places;
    sarrus_kernel_places_find(&places);
    sarrus_run_options options = sarrus_planned_run_options(planned, &places, &bar);
    sarrus_signals_catch();
    const sarrus_status status = arguments->before != NULL ? sarrus_run_retry(planned->scenario->context,
                                                                              sarrus_document_model(planned->scenario->document, 0),
                                                                              arguments->before, &options, &summary)
                                                           : sarrus_planned_run_go(planned, &options, &summary, summaries);
    sarrus_progress_erase(&bar);
    const bool is_over = status == SARRUS_OK || (status == SARRUS_INTERRUPTED && summary.output_bytes > 0);
    if (!is_over && status != SARRUS_INTERRUPTED)
        sarrus_failure_print(planned->scenario->context, status, stderr);
    if (!is_over && status == SARRUS_INTERRUPTED)
        fprintf(stderr, "sarrus: warning: stopped before the first output; nothing was written\n");
    if (is_over && arguments->before != NULL)
        retry_print(planned, &summary);
    else if (is_over)
        end_print(planned, status, &summary, summaries);
    if (status == SARRUS_INTERRUPTED)
        return SARRUS_EXIT_SIGNAL + sarrus_signal_caught();
    return status == SARRUS_OK && summary.n_failed > 0 ? SARRUS_EXIT_SOME_FAILED : sarrus_exit_code(status);
}

/* A number of instances that the sampling or the design of the scenario has no points for. */
static int instances_check(const sarrus_run_arguments *arguments, const sarrus_scenario_argument *scenario) {
    const sarrus_model *model = sarrus_document_model(scenario->document, 0);
    if (arguments->n_instances == 0 || arguments->samples != NULL || sarrus_document_is_mixed(scenario->document))
        return SARRUS_EXIT_DONE;
    const sarrus_points points = {.model = model, .n_study = sarrus_study_size_asked(arguments, scenario->document, 0)};
    const size_t n_before = sarrus_context_n_diagnostics(scenario->context);
    if (sarrus_points_check(scenario->context, &points) == SARRUS_OK)
        return SARRUS_EXIT_DONE;
    const sarrus_diagnostic *found = sarrus_context_diagnostic(scenario->context, n_before);
    return sarrus_option_refuse("run", "--instances: %s", found != NULL ? found->message : "another number was expected");
}

/* Options that do not fit the document: of several scenarios each has its own instances. */
static int arguments_check(const sarrus_run_arguments *arguments, const sarrus_document *document) {
    const int n_groups = sarrus_document_n_groups(document);
    const unsigned long long instance = arguments->instance;
    const bool is_mixed = sarrus_document_is_mixed(document);
    if (is_mixed && arguments->before != NULL)
        return sarrus_option_refuse("run", "--retry-failed: the document has several scenarios; expected one");
    if (is_mixed && arguments->n_instances > 0)
        return sarrus_option_refuse("run",
                                    "--instances: the document has %d scenario%s, each with a number of its own; "
                                    "expected --set scenarios.0.instances=%llu",
                                    n_groups, n_groups == 1 ? "" : "s", (unsigned long long)arguments->n_instances);
    for (int g = 0; g < n_groups; ++g)
        if (sarrus_study_size_asked(arguments, document, g) < arguments->n_shards)
            return sarrus_option_refuse("run", "--shard: %llu parts of %llu instance%s; expected at most as many parts",
                                        (unsigned long long)arguments->n_shards,
                                        (unsigned long long)sarrus_study_size_asked(arguments, document, g),
                                        sarrus_study_size_asked(arguments, document, g) == 1 ? "" : "s");
    if (!arguments->has_instance)
        return SARRUS_EXIT_DONE;
    if (arguments->has_group != is_mixed)
        return sarrus_option_refuse("run",
                                    is_mixed ? "--instance %llu: the document has several scenarios; expected the number of one "
                                               "and of its instance, as 0/%llu"
                                             : "--instance: the file is one scenario; expected --instance %llu",
                                    instance, instance);
    if (arguments->group >= (uint64_t)n_groups)
        return sarrus_option_refuse(
            "run", "--instance %llu/%llu: the document has %d scenario%s; a number from 0 to %d was expected",
            (unsigned long long)arguments->group, instance, n_groups, n_groups == 1 ? "" : "s", n_groups - 1);
    char group[24] = "";
    if (arguments->has_group)
        snprintf(group, sizeof group, "%llu/", (unsigned long long)arguments->group);
    const uint64_t n_study = sarrus_study_size_asked(arguments, document, (int)arguments->group);
    if (arguments->instance >= n_study)
        return sarrus_option_refuse("run", "--instance %s%llu: the study has %llu instance%s; a number from 0 to %llu was expected",
                                    group, instance, (unsigned long long)n_study, n_study == 1 ? "" : "s",
                                    (unsigned long long)n_study - 1);
    return SARRUS_EXIT_DONE;
}

/* Plans the groups that are to be run, and repeats what matters of their warnings. */
static sarrus_status plans_make(sarrus_planned_run *planned) {
    const sarrus_run_arguments *arguments = planned->arguments;
    const sarrus_document *document = planned->scenario->document;
    sarrus_status status = SARRUS_OK;
    for (int g = 0; g < sarrus_document_n_groups(document) && status == SARRUS_OK; ++g) {
        char where[24] = "";
        if (arguments->has_group && g != (int)arguments->group)
            continue;
        status = sarrus_scenario_argument_plan(planned->scenario, g, arguments->is_quiet, &planned->plans[g]);
        if (sarrus_document_is_mixed(document))
            snprintf(where, sizeof where, "group %d: ", g);
        if (status == SARRUS_OK)
            warnings_print(where, planned->plans[g], arguments);
    }
    return status;
}

/* As one run, or in parts where its memory or several processes ask for it. */
static int study_run(const sarrus_planned_run *planned) {
    const sarrus_run_arguments *arguments = planned->arguments;
    const sarrus_ranks ranks = sarrus_ranks_of_environment();
    if (arguments->has_instance || arguments->n_shards > 0 || arguments->before != NULL) {
        if (ranks.n > 1)
            return sarrus_option_refuse("run", "%s by %llu processes together; expected one",
                                        arguments->has_instance   ? "--instance"
                                        : arguments->n_shards > 0 ? "--shard"
                                                                  : "--retry-failed",
                                        (unsigned long long)ranks.n);
        return plan_run(planned);
    }
    const uint64_t n_parts = sarrus_run_parts_choose(planned, &ranks);
    if (n_parts == 0)
        return SARRUS_EXIT_BAD_INPUT;
    return n_parts == 1 && ranks.n == 1 && arguments->n_parts == 0 ? plan_run(planned) : sarrus_run_parts(planned, &ranks, n_parts);
}

/* What an earlier run has left, which this one is to go on with or to take its failed instances from. */
static int earlier_look(const char *output, const sarrus_run_arguments *arguments) {
    const int code = arguments->before != NULL ? sarrus_result_look_past(arguments->before) : SARRUS_EXIT_DONE;
    return arguments->resumes && code == SARRUS_EXIT_DONE ? sarrus_result_look_left(output) : code;
}

/* Until there is a plan, nothing needs to be tidied up when a signal comes. */
static int scenario_run(const char *path, const char *output, const sarrus_run_arguments *arguments,
                        const sarrus_scenario_argument *scenario, const sarrus_draws *draws) {
    sarrus_planned_run planned = {.path = path, .output = output, .arguments = arguments, .scenario = scenario, .draws = draws};
    int code = arguments_check(arguments, scenario->document);
    if (code == SARRUS_EXIT_DONE)
        code = instances_check(arguments, scenario);
    if (code != SARRUS_EXIT_DONE)
        return code;
    sarrus_status status = sarrus_result_path_check(scenario->context, output, arguments->no_clobber && !arguments->resumes);
    if (status == SARRUS_OK) /* and nobody writes there now */
        code = earlier_look(output, arguments);
    if (code != SARRUS_EXIT_DONE)
        return code;
    if (status != SARRUS_OK)
        sarrus_failure_print(scenario->context, status, stderr);
    else if (arguments->before == NULL)
        status = plans_make(&planned);
    code = status == SARRUS_OK ? study_run(&planned) : sarrus_exit_code(status);
    for (int g = 0; g < SARRUS_MAX_GROUPS; ++g)
        sarrus_plan_destroy(planned.plans[g]);
    return code;
}

static int file_run(const char *path, sarrus_run_arguments *arguments) {
    sarrus_scenario_argument scenario;
    sarrus_signals_leave();
    if (!sarrus_hdf5_start()) {
        fprintf(stderr, "sarrus: error: HDF5 cannot be started: out of memory\n");
        return SARRUS_EXIT_IO;
    }
    char *made = arguments->output == NULL ? output_name_make(path, arguments) : NULL;
    const char *output = arguments->output != NULL ? arguments->output : made;
    int code = SARRUS_EXIT_IO;
    if (output == NULL) {
        fprintf(stderr, "sarrus: error: out of memory\n");
        return code;
    }
    char *setting = NULL;
    sarrus_draws *draws = NULL;
    arguments->n_settings = arguments->settings.n_overrides;
    code = sarrus_run_scenario_read(path, arguments, &scenario, &setting, &draws);
    if (code == SARRUS_EXIT_DONE)
        code = scenario_run(path, output, arguments, &scenario, draws);
    sarrus_draws_destroy(draws);
    sarrus_scenario_argument_free(&scenario);
    free(setting);
    free(made);
    return code;
}

int sarrus_command_run(int argc, char **argv) {
    sarrus_run_arguments arguments;
    int code = SARRUS_EXIT_BAD_INPUT;
    if (sarrus_run_arguments_read(argc, argv, &arguments)) {
        const char *path = arguments.is_help ? NULL : sarrus_file_argument(argc, argv, "a scenario");
        if (arguments.is_help) {
            sarrus_run_help_print();
            code = SARRUS_EXIT_DONE;
        } else if (path != NULL) {
            code = file_run(path, &arguments);
        }
    }
    sarrus_settings_free(&arguments.settings);
    return code;
}

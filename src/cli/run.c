#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "edge/exit_code.h"
#include "edge/diagnostics.h"
#include "edge/kernel_places.h"
#include "cli/progress.h"
#include "cli/sample_file.h"
#include "cli/scenario_argument.h"
#include "cli/shell_word.h"
#include "cli/signals.h"
#include "cli/summary.h"
#include "model/model.h"
#include "sarrus/run.h"
#include "sarrus/warning.h"
#include "sink/hdf5_error.h"

typedef struct run_arguments {
    sarrus_settings settings;
    size_t n_settings;   /* of them the user's */
    const char *output;  /* NULL: made from the scenario's name */
    const char *samples; /* NULL: the run draws */
    sarrus_backend backend;
    sarrus_specialize specialize;
    uint64_t n_threads, n_devices, n_instances, seed, instance, group;
    bool has_seed, has_instance, has_group, is_quiet, is_json, is_help, no_clobber, resumes;
    double checkpoint_seconds; /* as in sarrus_run_options */
} run_arguments;

static void help_print(void) {
    printf("Usage: sarrus run FILE [options]\n\n"
           "Draws the parameters, assembles every instance, integrates to t_end and streams the results\n"
           "to an HDF5 file.\n\n"
           "  -o, --output OUT.h5         result file (default: the scenario's base name, in this folder); it is\n"
           "                              written as OUT.h5.partial, and replaces an older result at the end\n"
           "      --no-clobber            do not replace a complete result\n"
           "      --backend auto|cpu|cuda where to compute (default auto; cuda is never replaced silently)\n"
           "      --specialize auto|on|off compile kernels for this mechanism (default auto: when it pays)\n"
           "      --threads N             processor threads (default: all)\n"
           "      --devices N             GPUs to split the instances between (default: all that are visible)\n"
           "      --instances N           number of instances, instead of the scenario's\n"
           "      --instance I            replay instance I (from 0) of the study alone: the same bits, a row for\n"
           "                              every step, into NAME.instance_I.h5; G/I of several scenarios\n"
           "      --samples FILE          an own sample instead of draws, a row for each instance: a .csv with a line of\n"
           "                              names, a .npy array, or HDF5, as a result of another run\n"
           "      --seed S                seed of the draws, instead of the scenario's\n"
           "      --set PATH=VALUE        replace a number or a key of the scenario (may be repeated)\n"
           "      --resume                go on where an earlier run of the same has stood when it was stopped, killed\n"
           "                              or failed; without one begin anew, of a complete result do nothing\n"
           "      --checkpoint S|off      seconds between the checkpoints that --resume goes on from (default 5)\n"
           "      --quiet                 no progress bar, no summary\n"
           "      --json                  the summary as one JSON object on standard output\n"
           "  -h, --help                  this text\n\n"
           "Exit codes: 0 done, 1 done but some instances failed, 2 bad usage or input, 3 I/O failure,\n"
           "4 backend not usable, 129, 130, 138 or 143 stopped by SIGHUP, SIGINT, SIGUSR1 or SIGTERM (the file is valid,\n"
           "and --resume goes on with it).\n");
}

enum {
    OPTION_BACKEND = 256,
    OPTION_SPECIALIZE,
    OPTION_THREADS,
    OPTION_DEVICES,
    OPTION_INSTANCES,
    OPTION_INSTANCE,
    OPTION_SAMPLES,
    OPTION_SEED,
    OPTION_SET,
    OPTION_NO_CLOBBER,
    OPTION_RESUME,
    OPTION_CHECKPOINT,
    OPTION_QUIET,
    OPTION_JSON
};

static bool specialize_read(const char *command, const char *text, sarrus_specialize *out) {
    static const char *const names[] = {"off", "auto", "on"};
    for (int i = 0; i < 3; ++i) {
        if (strcmp(text, names[i]) == 0) {
            *out = (sarrus_specialize)i;
            return true;
        }
    }
    sarrus_option_refuse(command, "--specialize is auto, on or off; got '%s'", text);
    return false;
}

/* Seconds, or off. None between them: as often as there are slices. */
static bool checkpoint_read(const char *command, double *out) {
    char *end = NULL;
    const double seconds = strtod(optarg, &end);
    const bool is_off = strcmp(optarg, "off") == 0;
    const bool is_good = is_off || (end != optarg && *end == '\0' && seconds >= 0.0 && seconds <= 1e9);
    *out = is_off ? -1.0 : seconds > 0.0 ? seconds : DBL_MIN;
    if (!is_good)
        sarrus_option_refuse(command, "--checkpoint needs seconds, 0 or more, or off; got '%s'", optarg);
    return is_good;
}

/* I, or G/I of a document of several scenarios. */
static bool instance_read(const char *command, run_arguments *out) {
    const uint64_t most = (UINT64_C(1) << 40) - 1;
    char group[24];
    const char *slash = strchr(optarg, '/'), *number = slash != NULL ? slash + 1 : optarg;
    const size_t n_group = slash != NULL ? (size_t)(slash - optarg) : 0;
    bool is_good = sarrus_option_number(number, most, &out->instance) && n_group < sizeof group;
    if (is_good && slash != NULL) {
        snprintf(group, sizeof group, "%.*s", (int)n_group, optarg);
        is_good = sarrus_option_number(group, most, &out->group);
    }
    out->has_instance = true;
    out->has_group = slash != NULL;
    if (!is_good)
        sarrus_option_refuse(command,
                             "--instance needs a whole number from 0 to %llu, or two, as 0/17, of several scenarios; got '%s'",
                             (unsigned long long)most, optarg);
    return is_good;
}

/* Takes one option in; false when it was refused (the message is out). */
static bool option_take(const char *command, int option, run_arguments *out) {
    switch (option) {
    case 'h':
        out->is_help = true;
        return true;
    case 'o':
        out->output = optarg;
        if (*optarg == '\0')
            sarrus_option_refuse(command, "--output needs the name of a file");
        return *optarg != '\0';
    case OPTION_BACKEND:
        return sarrus_option_backend(command, optarg, &out->backend);
    case OPTION_SPECIALIZE:
        return specialize_read(command, optarg, &out->specialize);
    case OPTION_THREADS:
        return sarrus_option_count(command, "threads", 1, 4096, &out->n_threads);
    case OPTION_DEVICES:
        return sarrus_option_count(command, "devices", 1, 64, &out->n_devices);
    case OPTION_INSTANCES:
        return sarrus_option_count(command, "instances", 1, UINT64_C(1) << 40, &out->n_instances);
    case OPTION_INSTANCE:
        return instance_read(command, out);
    case OPTION_SAMPLES:
        out->samples = optarg;
        if (*optarg == '\0')
            sarrus_option_refuse(command, "--samples needs the name of a file");
        return *optarg != '\0';
    case OPTION_SEED:
        out->has_seed = true;
        return sarrus_option_count(command, "seed", 0, UINT64_MAX, &out->seed);
    case OPTION_SET:
        return sarrus_settings_add(&out->settings, command, optarg);
    case OPTION_NO_CLOBBER:
        out->no_clobber = true;
        return true;
    case OPTION_QUIET:
        out->is_quiet = true;
        return true;
    case OPTION_JSON:
        out->is_json = true;
        return true;
    case OPTION_RESUME:
        out->resumes = true;
        return true;
    case OPTION_CHECKPOINT:
        return checkpoint_read(command, &out->checkpoint_seconds);
    default:
        return false;
    }
}

static bool arguments_read(int argc, char **argv, run_arguments *out) {
    static const struct option table[] = {
        {"output", required_argument, NULL, 'o'},
        {"backend", required_argument, NULL, OPTION_BACKEND},
        {"specialize", required_argument, NULL, OPTION_SPECIALIZE},
        {"threads", required_argument, NULL, OPTION_THREADS},
        {"devices", required_argument, NULL, OPTION_DEVICES},
        {"instances", required_argument, NULL, OPTION_INSTANCES},
        {"instance", required_argument, NULL, OPTION_INSTANCE},
        {"samples", required_argument, NULL, OPTION_SAMPLES},
        {"seed", required_argument, NULL, OPTION_SEED},
        {"set", required_argument, NULL, OPTION_SET},
        {"no-clobber", no_argument, NULL, OPTION_NO_CLOBBER},
        {"resume", no_argument, NULL, OPTION_RESUME},
        {"checkpoint", required_argument, NULL, OPTION_CHECKPOINT},
        {"quiet", no_argument, NULL, OPTION_QUIET},
        {"json", no_argument, NULL, OPTION_JSON},
        {"help", no_argument, NULL, 'h'},
        {0},
    };
    *out = (run_arguments){.specialize = SARRUS_SPECIALIZE_AUTO};
    for (int option; (option = sarrus_option_next(argc, argv, ":o:h", table)) != -1;)
        if (!option_take(argv[0], option, out))
            return false;
    if (out->has_instance && out->resumes) {
        sarrus_option_refuse(argv[0], "--resume together with --instance; a replay is run again as a whole");
        return false;
    }
    if (out->has_instance && out->n_devices > 1) {
        sarrus_option_refuse(argv[0], "--devices %llu together with --instance; one instance runs on one device",
                             (unsigned long long)out->n_devices);
        return false;
    }
    return true;
}

/* "scenarios/five_bar.yaml" → "five_bar.h5", or "five_bar.instance_17.h5": a replay never takes the place of its study. To be freed
 * by the caller, NULL without memory. */
static char *output_name_make(const char *path, const run_arguments *arguments) {
    const char *slash = strrchr(path, '/');
    const char *base = slash != NULL ? slash + 1 : path;
    const char *dot = strrchr(base, '.');
    const bool is_yaml = dot != NULL && dot != base && (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".yml") == 0);
    const int n_stem = (int)(is_yaml ? (size_t)(dot - base) : strlen(base));
    const unsigned long long group = arguments->group, instance = arguments->instance;
    char *name = NULL;
    const int n = arguments->has_group      ? asprintf(&name, "%.*s.instance_%llu_%llu.h5", n_stem, base, group, instance)
                  : arguments->has_instance ? asprintf(&name, "%.*s.instance_%llu.h5", n_stem, base, instance)
                                            : asprintf(&name, "%.*s.h5", n_stem, base);
    return n < 0 ? NULL : name;
}

/* What may not be meant, before the run: some runs take hours. Those who have no memory for it will hear of that from the run. */
static void warnings_print(const char *where, const sarrus_plan *plan, const run_arguments *arguments) {
    sarrus_warnings *warnings = NULL;
    if (sarrus_warnings_create(NULL, plan, arguments->n_instances, &warnings) != SARRUS_OK)
        return;
    for (int i = 0; i < sarrus_warnings_count(warnings); ++i) {
        sarrus_warning warning;
        sarrus_warnings_get(warnings, i, &warning);
        if (warning.matters && (arguments->samples == NULL || warning.kind != SARRUS_WARNING_UNPHYSICAL_DRAWS))
            fprintf(stderr, "sarrus: warning: %s%s\n", where, warning.text);
    }
    sarrus_warnings_destroy(warnings);
}

/* The command that replays an instance of this run, up to the instance's number: what chooses the study's numbers, and where they
 * are computed. To be freed by the caller; NULL without memory. */
static char *replay_command_make(const char *path, const run_arguments *arguments) {
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

/* What has been read and planned. */
typedef struct planned_run {
    const char *path, *output;
    const run_arguments *arguments;
    const sarrus_scenario_argument *scenario;
    const sarrus_draws *draws;             /* NULL: the run draws */
    sarrus_plan *plans[SARRUS_MAX_GROUPS]; /* of the groups that are run; NULL for others */
} planned_run;

/* A mixed document is run as a list of groups; a scenario, and one instance of whatever, alone. */
static bool runs_groups(const planned_run *planned) {
    return sarrus_document_is_mixed(planned->scenario->document) && !planned->arguments->has_instance;
}

static sarrus_status groups_run(const planned_run *planned, sarrus_run_options *options, sarrus_run_summary *summary,
                                sarrus_run_summary *summaries) {
    const sarrus_document *document = planned->scenario->document;
    const int n_groups = sarrus_document_n_groups(document);
    sarrus_run_group groups[SARRUS_MAX_GROUPS] = {{.model = NULL}};
    if (!runs_groups(planned)) {
        const int g = (int)planned->arguments->group;
        options->plan = planned->plans[g];
        options->draws = planned->draws;
        options->study_group = g;
        options->study_group_file = sarrus_document_is_mixed(document) ? sarrus_document_file(document, g) : NULL;
        return sarrus_run(planned->scenario->context, sarrus_document_model(document, g), options, summary);
    }
    for (int g = 0; g < n_groups; ++g)
        groups[g] = (sarrus_run_group){
            .model = sarrus_document_model(document, g), .plan = planned->plans[g], .file = sarrus_document_file(document, g)};
    return sarrus_run_groups(planned->scenario->context, groups, n_groups, sarrus_document_resolved(document), options, summary,
                             summaries);
}

static uint64_t seed_of(const run_arguments *arguments, const sarrus_model *model) {
    return arguments->has_seed ? arguments->seed : sarrus_model_seed(model);
}

/* What came of it, to standard output, and what is to be known of it, to standard error. */
static void end_print(const planned_run *planned, sarrus_status status, const sarrus_run_summary *summary,
                      const sarrus_run_summary *summaries) {
    const run_arguments *arguments = planned->arguments;
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
        .n_groups = runs_groups(planned) ? sarrus_document_n_groups(document) : 0,
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

/* Runs what has been read and planned, and prints the summary. */
static int plan_run(const planned_run *planned) {
    const run_arguments *arguments = planned->arguments;
    sarrus_progress_bar bar = {.is_shown = !arguments->is_quiet && sarrus_progress_is_wanted()};
    sarrus_run_summary summary, summaries[SARRUS_MAX_GROUPS];
    sarrus_kernel_places places;
    sarrus_kernel_places_find(&places);
    sarrus_run_options options = {
        .output_path = planned->output,
        .batch = {.backend = arguments->backend,
                  .isa = getenv("SARRUS_FORCE_ISA"),
                  .n_threads = (int)arguments->n_threads,
                  .n_devices = (int)arguments->n_devices,
                  .specialize = arguments->specialize,
                  .cache_dir = places.cache,
                  .compiler = places.compiler,
                  .stop = sarrus_signals_flag()},
        .n_instances = arguments->n_instances,
        .first_instance = arguments->instance,
        .n_part = arguments->has_instance ? 1 : 0,
        .shows_steps = arguments->has_instance,
        .seed = arguments->has_seed ? &arguments->seed : NULL,
        .progress = sarrus_progress_draw,
        .progress_user = &bar,
        .no_clobber = arguments->no_clobber,
        .resumes = arguments->resumes,
        .checkpoint_seconds = arguments->checkpoint_seconds,
    };
    sarrus_signals_catch();
    const sarrus_status status = groups_run(planned, &options, &summary, summaries);
    sarrus_progress_erase(&bar);
    const bool is_over = status == SARRUS_OK || (status == SARRUS_INTERRUPTED && summary.output_bytes > 0);
    if (!is_over && status != SARRUS_INTERRUPTED)
        sarrus_failure_print(planned->scenario->context, status, stderr);
    if (!is_over && status == SARRUS_INTERRUPTED)
        fprintf(stderr, "sarrus: warning: stopped before the first output; nothing was written\n");
    if (is_over)
        end_print(planned, status, &summary, summaries);
    if (status == SARRUS_INTERRUPTED)
        return SARRUS_EXIT_SIGNAL + sarrus_signal_caught();
    return status == SARRUS_OK && summary.n_failed > 0 ? SARRUS_EXIT_SOME_FAILED : sarrus_exit_code(status);
}

/* Options that do not fit the document: of several scenarios each has its own instances. */
static int arguments_check(const run_arguments *arguments, const sarrus_document *document) {
    const int n_groups = sarrus_document_n_groups(document);
    const unsigned long long instance = arguments->instance;
    const bool is_mixed = sarrus_document_is_mixed(document);
    if (is_mixed && arguments->n_instances > 0)
        return sarrus_option_refuse("run",
                                    "--instances: the document has %d scenario%s, each with a number of its own; "
                                    "expected --set scenarios.0.instances=%llu",
                                    n_groups, n_groups == 1 ? "" : "s", (unsigned long long)arguments->n_instances);
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
    const sarrus_model *model = sarrus_document_model(document, (int)arguments->group);
    const uint64_t n_points = arguments->n_instances > 0 ? arguments->n_instances : model->batch.n_instances;
    const uint64_t n_study = arguments->samples != NULL ? n_points : sarrus_model_study_size(model, n_points);
    if (arguments->instance >= n_study)
        return sarrus_option_refuse("run", "--instance %s%llu: the study has %llu instance%s; a number from 0 to %llu was expected",
                                    group, instance, (unsigned long long)n_study, n_study == 1 ? "" : "s",
                                    (unsigned long long)n_study - 1);
    return SARRUS_EXIT_DONE;
}

/* Plans the groups that are to be run, and repeats what matters of their warnings. */
static sarrus_status plans_make(planned_run *planned) {
    const run_arguments *arguments = planned->arguments;
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

/* Until there is a plan, nothing needs to be tidied up when a signal comes. */
static int scenario_run(const char *path, const char *output, const run_arguments *arguments,
                        const sarrus_scenario_argument *scenario, const sarrus_draws *draws) {
    planned_run planned = {.path = path, .output = output, .arguments = arguments, .scenario = scenario, .draws = draws};
    int code = arguments_check(arguments, scenario->document);
    if (code != SARRUS_EXIT_DONE)
        return code;
    sarrus_status status = sarrus_result_path_check(scenario->context, output, arguments->no_clobber && !arguments->resumes);
    if (status != SARRUS_OK)
        sarrus_failure_print(scenario->context, status, stderr);
    else
        status = plans_make(&planned);
    code = status == SARRUS_OK ? plan_run(&planned) : sarrus_exit_code(status);
    for (int g = 0; g < SARRUS_MAX_GROUPS; ++g)
        sarrus_plan_destroy(planned.plans[g]);
    return code;
}

/* Reads the sample; a scenario that draws nothing is read again as one that draws its columns. `*setting` is to be freed after the
 * arguments. */
static int sample_take(const char *path, run_arguments *arguments, sarrus_scenario_argument *scenario, char **setting,
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
        sarrus_scenario_argument_free(scenario);
        code = sarrus_scenario_argument_read(path, &arguments->settings, scenario);
    }
    if (status == SARRUS_OK && code == SARRUS_EXIT_DONE)
        status =
            sarrus_sample_draws(scenario->context, arguments->samples, &table, sarrus_document_model(scenario->document, 0), out);
    if (status != SARRUS_OK)
        sarrus_failure_print(scenario->context, status, stderr);
    sarrus_sample_table_free(&table);
    return status != SARRUS_OK ? sarrus_exit_code(status) : code;
}

static int file_run(const char *path, run_arguments *arguments) {
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
    code = sarrus_scenario_argument_read(path, &arguments->settings, &scenario);
    if (code == SARRUS_EXIT_DONE && arguments->samples != NULL)
        code = sample_take(path, arguments, &scenario, &setting, &draws);
    if (code == SARRUS_EXIT_DONE)
        code = scenario_run(path, output, arguments, &scenario, draws);
    sarrus_draws_destroy(draws);
    sarrus_scenario_argument_free(&scenario);
    free(setting);
    free(made);
    return code;
}

int sarrus_command_run(int argc, char **argv) {
    run_arguments arguments;
    int code = SARRUS_EXIT_BAD_INPUT;
    if (arguments_read(argc, argv, &arguments)) {
        const char *path = arguments.is_help ? NULL : sarrus_file_argument(argc, argv, "a scenario");
        if (arguments.is_help) {
            help_print();
            code = SARRUS_EXIT_DONE;
        } else if (path != NULL) {
            code = file_run(path, &arguments);
        }
    }
    sarrus_settings_free(&arguments.settings);
    return code;
}

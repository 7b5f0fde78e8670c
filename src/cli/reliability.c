/* sarrus reliability: how likely a quantity is beyond a limit. */
#include "sarrus/reliability.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/progress.h"
#include "cli/scenario_argument.h"
#include "cli/signals.h"
#include "edge/diagnostics.h"
#include "edge/exit_code.h"
#include "edge/json.h"
#include "model/model.h"

typedef struct reliability_arguments {
    sarrus_settings settings;
    const char *quantity;
    double limit;
    uint64_t n_instances, n_threads, seed;
    bool has_limit, is_below, has_seed, is_json, is_quiet, is_help;
} reliability_arguments;

static void help_print(void) {
    printf("Usage: sarrus reliability FILE --quantity NAME --above X | --below X [options]\n\n"
           "The probability that a quantity of the scenario is beyond a limit, when its parameters are drawn,\n"
           "with its 95 %% interval: small ones too, to 1e-9 and less, by subset simulation. Nothing is written.\n\n"
           "      --quantity NAME   one of output.quantities\n"
           "      --above X         failure is a quantity above X\n"
           "      --below X         or below X\n"
           "      --instances N     instances of a level, instead of the scenario's; rounded up to tens: a tenth\n"
           "                        of them goes on (1000 or more)\n"
           "      --seed S          seed of the draws, instead of the scenario's\n"
           "      --threads N       processor threads (default: all)\n"
           "      --set PATH=VALUE  replace a number or a key of the scenario (may be repeated)\n"
           "      --quiet           the probability and its interval alone, three numbers\n"
           "      --json            one JSON object on standard output\n"
           "  -h, --help            this text\n\n"
           "Exit codes: 0 done, 1 done but some instances failed, 2 bad usage or input, 3 I/O failure,\n"
           "129, 130, 138 or 143 stopped by a signal.\n");
}

enum {
    OPTION_QUANTITY = 256,
    OPTION_ABOVE,
    OPTION_BELOW,
    OPTION_INSTANCES,
    OPTION_SEED,
    OPTION_THREADS,
    OPTION_SET,
    OPTION_QUIET,
    OPTION_JSON
};

static bool limit_read(const char *command, reliability_arguments *out, bool is_below) {
    char *end = NULL;
    const bool is_second = out->has_limit;
    out->limit = strtod(optarg, &end);
    out->is_below = is_below;
    out->has_limit = true;
    if (is_second)
        sarrus_option_refuse(command, "two limits; expected --above or --below, once");
    else if (end == optarg || *end != '\0' || !isfinite(out->limit))
        sarrus_option_refuse(command, "--%s needs a number; got '%s'", is_below ? "below" : "above", optarg);
    else
        return true;
    return false;
}

static bool option_take(const char *command, int option, reliability_arguments *out) {
    switch (option) {
    case 'h':
        out->is_help = true;
        return true;
    case OPTION_QUANTITY:
        out->quantity = optarg;
        return true;
    case OPTION_ABOVE:
    case OPTION_BELOW:
        return limit_read(command, out, option == OPTION_BELOW);
    case OPTION_INSTANCES:
        return sarrus_option_count(command, "instances", 10, UINT64_C(1) << 32, &out->n_instances);
    case OPTION_SEED:
        out->has_seed = true;
        return sarrus_option_count(command, "seed", 0, UINT64_MAX, &out->seed);
    case OPTION_THREADS:
        return sarrus_option_count(command, "threads", 1, 4096, &out->n_threads);
    case OPTION_SET:
        return sarrus_settings_add(&out->settings, command, optarg);
    case OPTION_QUIET:
        out->is_quiet = true;
        return true;
    case OPTION_JSON:
        out->is_json = true;
        return true;
    default:
        return false;
    }
}

static bool arguments_read(int argc, char **argv, reliability_arguments *out) {
    static const struct option table[] = {{"quantity", required_argument, NULL, OPTION_QUANTITY},
                                          {"above", required_argument, NULL, OPTION_ABOVE},
                                          {"below", required_argument, NULL, OPTION_BELOW},
                                          {"instances", required_argument, NULL, OPTION_INSTANCES},
                                          {"seed", required_argument, NULL, OPTION_SEED},
                                          {"threads", required_argument, NULL, OPTION_THREADS},
                                          {"set", required_argument, NULL, OPTION_SET},
                                          {"quiet", no_argument, NULL, OPTION_QUIET},
                                          {"json", no_argument, NULL, OPTION_JSON},
                                          {"help", no_argument, NULL, 'h'},
                                          {0}};
    *out = (reliability_arguments){.quantity = NULL};
    for (int option; (option = sarrus_option_next(argc, argv, ":h", table)) != -1;)
        if (!option_take(argv[0], option, out))
            return false;
    if (!out->is_help && (out->quantity == NULL || !out->has_limit)) {
        sarrus_option_refuse(argv[0], "expected --quantity NAME, and --above X or --below X");
        return false;
    }
    return true;
}

/* A line a level; the first with what the columns are. */
static int level_print(const sarrus_reliability_level *level, void *user) {
    const reliability_arguments *arguments = user;
    if (!arguments->is_json && !arguments->is_quiet) {
        if (level->level == 0)
            printf("  level  %s       share  instances\n", arguments->is_below ? "below" : "above");
        printf("  %5d  %-10.6g  %.4f  %" PRIu64 "\n", level->level, level->limit, level->share, level->n_instances);
        fflush(stdout);
    }
    return *sarrus_signals_flag() != 0;
}

static void result_print_json(const reliability_arguments *arguments, const sarrus_reliability *found) {
    sarrus_json json;
    sarrus_json_begin(&json, stdout);
    sarrus_json_text(&json, "quantity", arguments->quantity);
    sarrus_json_number(&json, arguments->is_below ? "below" : "above", arguments->limit);
    sarrus_json_number(&json, "probability", found->probability);
    sarrus_json_number(&json, "low", found->low);
    sarrus_json_number(&json, "high", found->high);
    sarrus_json_number(&json, "variation", found->variation);
    sarrus_json_count(&json, "n_levels", (uint64_t)found->n_levels);
    sarrus_json_count(&json, "n_level", found->n_level);
    sarrus_json_count(&json, "n_instances", found->n_instances);
    sarrus_json_count(&json, "n_failed", found->n_failed);
    sarrus_json_close(&json, '}');
}

static void result_print(const reliability_arguments *arguments, const sarrus_reliability *found) {
    const char *side = arguments->is_below ? "below" : "above";
    if (arguments->is_json)
        result_print_json(arguments, found);
    else if (arguments->is_quiet)
        printf("%.6g %.6g %.6g\n", found->probability, found->low, found->high);
    else if (found->is_reached)
        printf("probability of %s %s %g: %.3g, 95 %% between %.3g and %.3g; %" PRIu64 " instances\n", arguments->quantity, side,
               arguments->limit, found->probability, found->low, found->high, found->n_instances);
    else
        printf("%s %s %g was not reached: its probability is below %.3g; %" PRIu64 " instances\n", arguments->quantity, side,
               arguments->limit, found->high, found->n_instances);
    fflush(stdout);
    if (found->n_failed > 0)
        fprintf(stderr,
                "sarrus: warning: %" PRIu64 " of %" PRIu64 " instances failed or lack the quantity, and count as not beyond\n",
                found->n_failed, found->n_instances);
}

static int document_judge(const reliability_arguments *arguments, const sarrus_scenario_argument *scenario) {
    reliability_arguments told = *arguments;
    sarrus_reliability found;
    const sarrus_reliability_options options = {.batch = {.backend = SARRUS_BACKEND_CPU,
                                                          .isa = getenv("SARRUS_FORCE_ISA"),
                                                          .n_threads = (int)arguments->n_threads,
                                                          .stop = sarrus_signals_flag()},
                                                .quantity = arguments->quantity,
                                                .limit = arguments->limit,
                                                .is_below = arguments->is_below,
                                                .n_instances = arguments->n_instances,
                                                .seed = arguments->has_seed ? &arguments->seed : NULL,
                                                .told = level_print,
                                                .told_user = &told};
    sarrus_signals_catch();
    const sarrus_status status =
        sarrus_reliability_find(scenario->context, sarrus_document_model(scenario->document, 0), &options, &found);
    if (status == SARRUS_INTERRUPTED)
        return SARRUS_EXIT_SIGNAL + sarrus_signal_caught();
    if (status != SARRUS_OK) {
        sarrus_failure_print(scenario->context, status, stderr);
        return sarrus_exit_code(status);
    }
    const uint64_t asked =
        arguments->n_instances > 0 ? arguments->n_instances : sarrus_document_model(scenario->document, 0)->batch.n_instances;
    if (found.n_level != asked && !arguments->is_quiet)
        fprintf(stderr, "sarrus: note: a level had %" PRIu64 " instances, not %" PRIu64 ": each that goes on makes ten\n",
                found.n_level, asked);
    result_print(arguments, &found);
    return found.n_failed > 0 ? SARRUS_EXIT_SOME_FAILED : SARRUS_EXIT_DONE;
}

static int file_judge(const char *path, const reliability_arguments *arguments) {
    sarrus_scenario_argument scenario;
    sarrus_signals_leave();
    int code = sarrus_scenario_argument_read(path, &arguments->settings, &scenario);
    if (code == SARRUS_EXIT_DONE && sarrus_document_is_mixed(scenario.document))
        code = sarrus_option_refuse("reliability", "the document has several scenarios; expected one");
    if (code == SARRUS_EXIT_DONE)
        code = document_judge(arguments, &scenario);
    sarrus_scenario_argument_free(&scenario);
    return code;
}

int sarrus_command_reliability(int argc, char **argv) {
    reliability_arguments arguments;
    int code = SARRUS_EXIT_BAD_INPUT;
    if (arguments_read(argc, argv, &arguments)) {
        const char *path = arguments.is_help ? NULL : sarrus_file_argument(argc, argv, "a scenario");
        if (arguments.is_help) {
            help_print();
            code = SARRUS_EXIT_DONE;
        } else if (path != NULL) {
            code = file_judge(path, &arguments);
        }
    }
    sarrus_settings_free(&arguments.settings);
    return code;
}

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "edge/exit_code.h"
#include "edge/diagnostics.h"
#include "edge/json.h"
#include "cli/progress.h"
#include "cli/scenario_argument.h"
#include "cli/signals.h"
#include "plan/report_text.h"
#include "sarrus/warning.h"

typedef struct check_arguments {
    sarrus_settings settings;
    bool is_json, is_help;
} check_arguments;

static void help_print(void) {
    printf("Usage: sarrus check FILE [--set PATH=VALUE]... [--json]\n\n"
           "Reads a scenario, assembles its nominal instance, follows its drives, and prints warnings of\n"
           "what may not be meant (if there are any) and the model card: graph, tree,\n"
           "cut joints, coordinates, constraints, rank, degrees of freedom, redundant constraints by\n"
           "name, uniqueness of accelerations and reactions, bytes per instance, elimination order.\n\n"
           "      --set PATH=VALUE  replace a number or a key of the scenario (may be repeated)\n"
           "      --json            one JSON object instead of the card\n"
           "  -h, --help            this text\n");
}

static bool arguments_read(int argc, char **argv, check_arguments *out) {
    static const struct option table[] = {
        {"set", required_argument, NULL, 's'}, {"json", no_argument, NULL, 'j'}, {"help", no_argument, NULL, 'h'}, {0}};
    *out = (check_arguments){0};
    for (int option; (option = sarrus_option_next(argc, argv, ":h", table)) != -1;) {
        if (option == 'h')
            out->is_help = true;
        else if (option == 'j')
            out->is_json = true;
        else if (option != 's' || !sarrus_settings_add(&out->settings, argv[0], optarg))
            return false;
    }
    return true;
}

static void json_put_warnings(sarrus_json *json, const sarrus_warnings *warnings) {
    sarrus_json_open(json, "warnings", '[');
    for (int i = 0; i < sarrus_warnings_count(warnings); i++) {
        sarrus_warning warning;
        sarrus_warnings_get(warnings, i, &warning);
        sarrus_json_open(json, NULL, '{');
        sarrus_json_text(json, "kind", sarrus_warning_kind_word(warning.kind));
        sarrus_json_flag(json, "matters", warning.matters != 0);
        sarrus_json_text(json, "name", warning.name);
        sarrus_json_text(json, "text", warning.text);
        sarrus_json_numbers(json, "values", warning.values, warning.n_values);
        sarrus_json_close(json, '}');
    }
    sarrus_json_close(json, ']');
}

/* The block that the output begins with when there is something to say. */
static void warnings_print(const sarrus_warnings *warnings) {
    const char *title = "";
    if (sarrus_warnings_count(warnings) == 0)
        return;
    printf("Warnings\n");
    for (int i = 0; i < sarrus_warnings_count(warnings); i++) {
        sarrus_warning warning;
        sarrus_warnings_get(warnings, i, &warning);
        const char *own = sarrus_warning_kind_title(warning.kind);
        sarrus_report_sentence(stdout, strcmp(own, title) != 0 ? own : "", "%s", warning.text);
        title = own;
    }
    printf("\n");
}

static void json_put_orders(sarrus_json *json, const sarrus_plan *plan) {
    sarrus_json_open(json, "orders", '[');
    for (int i = 0; i < sarrus_plan_n_orders(plan); i++) {
        sarrus_plan_order order;
        sarrus_plan_order_get(plan, i, &order);
        sarrus_json_open(json, NULL, '{');
        sarrus_json_text(json, "name", order.name);
        sarrus_json_number(json, "flops", order.flops);
        sarrus_json_count(json, "n_entries", (uint64_t)order.n_entries);
        sarrus_json_count(json, "n_levels", (uint64_t)order.n_levels);
        sarrus_json_flag(json, "is_chosen", order.is_chosen != 0);
        sarrus_json_close(json, '}');
    }
    sarrus_json_close(json, ']');
}

static void json_print(const char *path, const sarrus_model *model, const sarrus_plan *plan, const sarrus_warnings *warnings) {
    sarrus_plan_sizes sizes;
    sarrus_json json;
    char hash[20];
    sarrus_plan_sizes_get(plan, &sizes);
    snprintf(hash, sizeof hash, "%016" PRIx64, sarrus_plan_hash(plan));
    sarrus_json_begin(&json, stdout);
    sarrus_json_text(&json, "scenario", path);
    sarrus_json_text(&json, "name", sarrus_model_name(model));
    json_put_warnings(&json, warnings);
    sarrus_json_count(&json, "n_bodies", (uint64_t)sizes.n_bodies);
    sarrus_json_count(&json, "n_joints", (uint64_t)sizes.n_joints);
    sarrus_json_count(&json, "n", (uint64_t)sizes.n);
    sarrus_json_count(&json, "m", (uint64_t)sizes.m);
    sarrus_json_count(&json, "rank", (uint64_t)sizes.rank);
    sarrus_json_count(&json, "rank_at_t0", (uint64_t)sizes.rank_at_t0);
    sarrus_json_number(&json, "n_dof", sizes.n_dof);
    sarrus_json_number(&json, "n_redundant", sizes.n_redundant);
    sarrus_json_count(&json, "n_inputs", (uint64_t)sizes.n_inputs);
    sarrus_json_count(&json, "n_instances", sarrus_model_n_instances(model));
    sarrus_json_count(&json, "bytes_per_instance", sizes.bytes_per_instance);
    sarrus_json_number(&json, "flops_per_evaluation", sizes.flops_per_evaluation);
    sarrus_json_number(&json, "divisions_per_evaluation", sizes.divisions_per_evaluation);
    sarrus_json_number(&json, "flops_per_step", sizes.flops_per_step);
    sarrus_json_number(&json, "dense_flops_per_evaluation",
                       sizes.flops_per_evaluation - sizes.algebra_flops_per_evaluation + sizes.dense_algebra_flops_per_evaluation);
    sarrus_json_number(&json, "algebra_flops_per_evaluation", sizes.algebra_flops_per_evaluation);
    sarrus_json_number(&json, "dense_algebra_flops_per_evaluation", sizes.dense_algebra_flops_per_evaluation);
    json_put_orders(&json, plan);
    sarrus_json_text(&json, "plan_hash", hash);
    sarrus_json_open(&json, "coordinates", '[');
    for (int i = 0; i < sizes.n; i++)
        sarrus_json_text(&json, NULL, sarrus_plan_coordinate_name(plan, i));
    sarrus_json_close(&json, ']');
    sarrus_json_text(&json, "card", sarrus_plan_report(plan));
    sarrus_json_close(&json, '}');
}

static int file_check(const char *path, const check_arguments *arguments) {
    sarrus_scenario_argument scenario;
    sarrus_plan *plan = NULL;
    sarrus_warnings *warnings = NULL;
    sarrus_signals_leave();
    int code = sarrus_scenario_argument_read(path, &arguments->settings, &scenario);
    if (code == SARRUS_EXIT_DONE) {
        sarrus_progress_bar bar = {.is_shown = sarrus_progress_is_wanted()};
        const sarrus_plan_options watched = {.progress = sarrus_progress_draw_plan, .user = &bar};
        sarrus_status status = sarrus_plan_create_watched(scenario.context, scenario.model, &watched, &plan);
        sarrus_progress_erase(&bar);
        if (status == SARRUS_OK)
            status = sarrus_warnings_create(scenario.context, plan, 0, &warnings);
        code = sarrus_exit_code(status);
        sarrus_failure_print(scenario.context, status, stderr);
    }
    if (code == SARRUS_EXIT_DONE && arguments->is_json) {
        json_print(path, scenario.model, plan, warnings);
    } else if (code == SARRUS_EXIT_DONE) {
        warnings_print(warnings);
        fputs(sarrus_plan_report(plan), stdout);
    }
    sarrus_warnings_destroy(warnings);
    sarrus_plan_destroy(plan);
    sarrus_scenario_argument_free(&scenario);
    return code;
}

int sarrus_command_check(int argc, char **argv) {
    check_arguments arguments;
    int code = SARRUS_EXIT_BAD_INPUT;
    if (arguments_read(argc, argv, &arguments)) {
        const char *path = arguments.is_help ? NULL : sarrus_file_argument(argc, argv, "a scenario");
        if (arguments.is_help) {
            help_print();
            code = SARRUS_EXIT_DONE;
        } else if (path != NULL) {
            code = file_check(path, &arguments);
        }
    }
    sarrus_settings_free(&arguments.settings);
    return code;
}

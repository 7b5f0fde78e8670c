#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/check_graph.h"
#include "cli/command.h"
#include "edge/exit_code.h"
#include "edge/diagnostics.h"
#include "edge/json.h"
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
           "cut joints with their loops, coordinates, constraints, rank, degrees of freedom, redundant constraints by\n"
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
    for (int i = 0; i < sarrus_warnings_count(warnings); ++i) {
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
    for (int i = 0; i < sarrus_warnings_count(warnings); ++i) {
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
    for (int i = 0; i < sarrus_plan_n_orders(plan); ++i) {
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

/* The coordinates in which steps are made, when they are not those of the bodies. */
static void json_put_relative(sarrus_json *json, const sarrus_plan *plan) {
    const sarrus_plan *stepped = sarrus_plan_stepped(plan);
    sarrus_plan_sizes sizes;
    if (stepped == plan)
        return;
    sarrus_plan_sizes_get(stepped, &sizes);
    sarrus_json_open(json, "relative", '{');
    sarrus_json_count(json, "n_coordinates", (uint64_t)sizes.n_coordinates);
    sarrus_json_count(json, "n", (uint64_t)sizes.n);
    sarrus_json_count(json, "m", (uint64_t)sizes.m);
    sarrus_json_count(json, "rank", (uint64_t)sizes.rank);
    sarrus_json_count(json, "n_redundant", (uint64_t)sizes.n_redundant);
    sarrus_json_close(json, '}');
}

/* What signals move ground by; nothing where it rests. */
static void json_put_ground(sarrus_json *json, const sarrus_model *model) {
    const char *word = sarrus_model_ground_motion(model, 0);
    if (!word)
        return;
    sarrus_json_open(json, "ground_moves", '[');
    for (int i = 1; word; word = sarrus_model_ground_motion(model, i++))
        sarrus_json_text(json, NULL, word);
    sarrus_json_close(json, ']');
}

/* What has been found out about one scenario. */
typedef struct checked {
    sarrus_plan *plan;
    sarrus_warnings *warnings;
} checked;

/* What is said of a scenario, into an object that is open. */
static void json_put_scenario(sarrus_json *json, const char *path, const sarrus_model *model, const checked *found) {
    const sarrus_plan *plan = found->plan;
    sarrus_plan_sizes sizes;
    char hash[20];
    sarrus_plan_sizes_get(plan, &sizes);
    snprintf(hash, sizeof hash, "%016" PRIx64, sarrus_plan_hash(plan));
    sarrus_json_text(json, "scenario", path);
    sarrus_json_text(json, "name", sarrus_model_name(model));
    json_put_warnings(json, found->warnings);
    sarrus_json_count(json, "n_bodies", (uint64_t)sizes.n_bodies);
    sarrus_json_count(json, "n_joints", (uint64_t)sizes.n_joints);
    sarrus_json_count(json, "n_constraints", (uint64_t)sizes.n_constraints);
    json_put_ground(json, model);
    sarrus_json_count(json, "n", (uint64_t)sizes.n);
    sarrus_json_count(json, "m", (uint64_t)sizes.m);
    sarrus_json_count(json, "rank", (uint64_t)sizes.rank);
    sarrus_json_count(json, "rank_at_t0", (uint64_t)sizes.rank_at_t0);
    sarrus_json_number(json, "n_dof", sizes.n_dof);
    sarrus_json_number(json, "n_redundant", sizes.n_redundant);
    sarrus_json_number(json, "size", sizes.size);
    sarrus_json_count(json, "n_inputs", (uint64_t)sizes.n_inputs);
    sarrus_json_count(json, "n_instances", sarrus_model_n_instances(model));
    sarrus_json_count(json, "bytes_per_instance", sizes.bytes_per_instance);
    sarrus_json_number(json, "flops_per_evaluation", sizes.flops_per_evaluation);
    sarrus_json_number(json, "divisions_per_evaluation", sizes.divisions_per_evaluation);
    sarrus_json_number(json, "flops_per_step", sizes.flops_per_step);
    sarrus_json_number(json, "dense_flops_per_evaluation",
                       sizes.flops_per_evaluation - sizes.algebra_flops_per_evaluation + sizes.dense_algebra_flops_per_evaluation);
    sarrus_json_number(json, "algebra_flops_per_evaluation", sizes.algebra_flops_per_evaluation);
    sarrus_json_number(json, "dense_algebra_flops_per_evaluation", sizes.dense_algebra_flops_per_evaluation);
    sarrus_check_graph_put(json, plan);
    json_put_orders(json, plan);
    json_put_relative(json, plan);
    sarrus_json_text(json, "plan_hash", hash);
    sarrus_json_open(json, "coordinates", '[');
    for (int i = 0; i < sizes.n_coordinates; ++i)
        sarrus_json_text(json, NULL, sarrus_plan_coordinate_name(plan, i));
    sarrus_json_close(json, ']');
    sarrus_json_text(json, "card", sarrus_plan_report(plan));
}

static void json_print(const char *path, const sarrus_document *document, const checked *found) {
    sarrus_json json;
    sarrus_json_begin(&json, stdout);
    if (!sarrus_document_is_mixed(document)) {
        json_put_scenario(&json, path, sarrus_document_model(document, 0), found);
        sarrus_json_close(&json, '}');
        return;
    }
    sarrus_json_text(&json, "scenario", path);
    sarrus_json_text(&json, "name", sarrus_document_name(document));
    sarrus_json_open(&json, "groups", '[');
    for (int g = 0; g < sarrus_document_n_groups(document); ++g) {
        sarrus_json_open(&json, NULL, '{');
        json_put_scenario(&json, sarrus_document_file(document, g), sarrus_document_model(document, g), &found[g]);
        sarrus_json_close(&json, '}');
    }
    sarrus_json_close(&json, ']');
    sarrus_json_close(&json, '}');
}

static void cards_print(const sarrus_document *document, const checked *found) {
    for (int g = 0; g < sarrus_document_n_groups(document); ++g) {
        const uint64_t n_instances = sarrus_model_n_instances(sarrus_document_model(document, g));
        if (sarrus_document_is_mixed(document))
            printf("%sGroup %d: %s, %" PRIu64 " instance%s\n\n", g > 0 ? "\n" : "", g, sarrus_document_file(document, g),
                   n_instances, n_instances == 1 ? "" : "s");
        warnings_print(found[g].warnings);
        fputs(sarrus_plan_report(found[g].plan), stdout);
    }
}

/* Each group is checked, whatever is wrong with those before it; the exit code is that of the first that cannot work. */
static int groups_check(const sarrus_scenario_argument *scenario, checked *found) {
    int code = SARRUS_EXIT_DONE;
    for (int g = 0; g < sarrus_document_n_groups(scenario->document); ++g) {
        sarrus_context_clear(scenario->context);
        sarrus_status status = sarrus_scenario_argument_plan(scenario, g, false, &found[g].plan);
        if (status == SARRUS_OK) {
            status = sarrus_warnings_create(scenario->context, found[g].plan, 0, &found[g].warnings);
            sarrus_failure_print(scenario->context, status, stderr);
        }
        code = code == SARRUS_EXIT_DONE ? sarrus_exit_code(status) : code;
    }
    return code;
}

static int file_check(const char *path, const check_arguments *arguments) {
    sarrus_scenario_argument scenario;
    checked found[SARRUS_MAX_GROUPS] = {{NULL, NULL}};
    sarrus_signals_leave();
    int code = sarrus_scenario_argument_read(path, &arguments->settings, &scenario);
    if (code == SARRUS_EXIT_DONE)
        code = groups_check(&scenario, found);
    if (code == SARRUS_EXIT_DONE && arguments->is_json)
        json_print(path, scenario.document, found);
    else if (code == SARRUS_EXIT_DONE)
        cards_print(scenario.document, found);
    for (int g = 0; g < SARRUS_MAX_GROUPS; ++g) {
        sarrus_warnings_destroy(found[g].warnings);
        sarrus_plan_destroy(found[g].plan);
    }
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

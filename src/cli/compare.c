/* `sarrus compare`: every formulation with every pseudoinverse on the same states. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/progress.h"
#include "cli/scenario_argument.h"
#include "cli/signals.h"
#include "edge/diagnostics.h"
#include "edge/exit_code.h"
#include "edge/json.h"
#include "sarrus/compare.h"

enum {
    N_FORMULATIONS = 0
#define SARRUS_FORMULATION(name, value, word, kernel, dense, text) +1
#include "sarrus/formulation.def"
};

typedef struct compare_arguments {
    sarrus_settings settings;
    sarrus_compare_options options;
    bool is_json, is_help, is_wide;
} compare_arguments;

static void help_print(void) {
    printf("Usage: sarrus compare FILE [--states N] [--seed S] [--rank auto|all] [--all] [--set PATH=VALUE]... [--json]\n\n"
           "Solves M a + J'l = F, J a = g by every formulation with every pseudoinverse and rank rule, on states of\n"
           "the nominal motion, on random assembled ones, and on these moved off the constraints: who agrees, who\n"
           "fails and why, operations, time. Differences are relative, from the most accurate row; a row is right\n"
           "that differs by no more than 1e-10 times the condition of J M^-1/2 from a solution with extended\n"
           "precision.\n\n"
           "      --states N        states of each of the three kinds (default: 64)\n"
           "      --seed S          of the random states (default: that of the scenario)\n"
           "      --rank auto       leave the other rank rules out\n"
           "      --all             print the rows of all rank rules, and those that have no meaning\n"
           "      --set PATH=VALUE  replace a number or a key of the scenario (may be repeated)\n"
           "      --json            one JSON object instead of tables\n"
           "  -h, --help            this text\n");
}

static bool rank_read(const char *command, compare_arguments *out) {
    if (strcmp(optarg, "auto") == 0 || strcmp(optarg, "all") == 0) {
        out->options.rank_methods = strcmp(optarg, "all") == 0;
        return true;
    }
    sarrus_option_refuse(command, "--rank %s: expected auto or all", optarg);
    return false;
}

static bool arguments_read(int argc, char **argv, bool *has_seed, compare_arguments *out) {
    static const struct option table[] = {{"states", required_argument, NULL, 'n'}, {"seed", required_argument, NULL, 'S'},
                                          {"rank", required_argument, NULL, 'r'},   {"all", no_argument, NULL, 'a'},
                                          {"set", required_argument, NULL, 's'},    {"json", no_argument, NULL, 'j'},
                                          {"help", no_argument, NULL, 'h'},         {0}};
    *out = (compare_arguments){.options = {.size = sizeof out->options, .rank_methods = 1}};
    for (int option; (option = sarrus_option_next(argc, argv, ":h", table)) != -1;) {
        uint64_t count = 0;
        if (option == 'h')
            out->is_help = true;
        else if (option == 'j')
            out->is_json = true;
        else if (option == 'a')
            out->is_wide = true;
        else if (option == 'n' && sarrus_option_count(argv[0], "states", 1, 100000, &count))
            out->options.n_states = (int)count;
        else if (option == 'S' && sarrus_option_count(argv[0], "seed", 0, UINT64_MAX, &out->options.seed))
            *has_seed = true;
        else if (option == 'r' && rank_read(argv[0], out))
            continue;
        else if (option != 's' || !sarrus_settings_add(&out->settings, argv[0], optarg))
            return false;
    }
    return true;
}

/* --- JSON ------------------------------------------------------------------------------------------------------------------- */

static void json_put_states(sarrus_json *json, const sarrus_compare_states *states) {
    sarrus_json_open(json, "states", '{');
    sarrus_json_count(json, "n_trajectory", (uint64_t)states->n_trajectory);
    sarrus_json_count(json, "n_random", (uint64_t)states->n_random);
    sarrus_json_count(json, "n_inconsistent", (uint64_t)states->n_inconsistent);
    sarrus_json_close(json, '}');
    sarrus_json_count(json, "n", (uint64_t)states->n);
    sarrus_json_count(json, "m", (uint64_t)states->m);
    sarrus_json_open(json, "certificate", '{');
    sarrus_json_count(json, "rank_least", (uint64_t)states->rank_least);
    sarrus_json_count(json, "rank_most", (uint64_t)states->rank_most);
    sarrus_json_count(json, "n_doubtful", (uint64_t)states->n_doubtful);
    sarrus_json_count(json, "n_unique_a", (uint64_t)states->n_unique_a);
    sarrus_json_count(json, "n_unique_lambda", (uint64_t)states->n_unique_lambda);
    sarrus_json_count(json, "n_unique_multipliers", (uint64_t)states->n_unique_multipliers);
    sarrus_json_close(json, '}');
    sarrus_json_number(json, "condition_least", states->condition_least);
    sarrus_json_number(json, "condition_most", states->condition_most);
    sarrus_json_number(json, "tolerance", states->tolerance);
}

static void json_put_row(sarrus_json *json, const sarrus_compare_row *row) {
    sarrus_json_open(json, NULL, '{');
    sarrus_json_text(json, "formulation", sarrus_formulation_word(row->formulation));
    sarrus_json_text(json, "pinv", sarrus_pinv_method_word(row->pinv));
    sarrus_json_text(json, "rank", sarrus_rank_method_word(row->rank));
    sarrus_json_text(json, "verdict", sarrus_compare_verdict_word(row->verdict));
    sarrus_json_text(json, "reason", row->reason);
    sarrus_json_number(json, "acceleration", row->acceleration);
    sarrus_json_number(json, "force", row->force);
    sarrus_json_number(json, "reaction", row->reaction);
    sarrus_json_number(json, "inconsistent", row->inconsistent);
    sarrus_json_number(json, "flops", row->flops);
    sarrus_json_number(json, "nanoseconds", row->nanoseconds);
    sarrus_json_count(json, "n_states", (uint64_t)row->n_states);
    sarrus_json_count(json, "n_wrong", (uint64_t)row->n_wrong);
    sarrus_json_close(json, '}');
}

/* What S5 counts at this m and n. */
static void json_put_paper(sarrus_json *json, const sarrus_compare_states *states) {
    sarrus_json_open(json, "s5", '[');
    for (int f = 0; f < N_FORMULATIONS; ++f) {
        const sarrus_compare_paper paper = sarrus_compare_paper_of((sarrus_formulation)f, states->m, states->n);
        if (*paper.equation == '\0')
            continue;
        sarrus_json_open(json, NULL, '{');
        sarrus_json_text(json, "formulation", sarrus_formulation_word((sarrus_formulation)f));
        sarrus_json_text(json, "equation", paper.equation);
        sarrus_json_number(json, "table_1", paper.table_1);
        sarrus_json_number(json, "tables_2_to_5", paper.lines);
        sarrus_json_close(json, '}');
    }
    sarrus_json_close(json, ']');
}

/* The members of one comparison, into an object that is open. */
static void json_put_comparison(sarrus_json *json, const sarrus_comparison *comparison) {
    sarrus_compare_states states;
    sarrus_comparison_states(comparison, &states);
    json_put_states(json, &states);
    json_put_paper(json, &states);
    if (sarrus_comparison_reference(comparison) >= 0)
        sarrus_json_count(json, "reference_row", (uint64_t)sarrus_comparison_reference(comparison));
    else
        sarrus_json_null(json, "reference_row");
    sarrus_json_open(json, "rows", '[');
    for (int i = 0; i < sarrus_comparison_n_rows(comparison); ++i) {
        sarrus_compare_row row;
        if (sarrus_comparison_row(comparison, i, &row) == SARRUS_OK)
            json_put_row(json, &row);
    }
    sarrus_json_close(json, ']');
}

/* --- Tables ----------------------------------------------------------------------------------------------------------------- */

static void head_print(const sarrus_comparison *comparison) {
    sarrus_compare_states s;
    sarrus_comparison_states(comparison, &s);
    printf("States   %d along the nominal motion, %d random and assembled, %d of these off the constraints by 1e-6\n",
           s.n_trajectory, s.n_random, s.n_inconsistent);
    printf("J        %d rows, %d speeds, rank %d", s.m, s.n, s.rank_least);
    if (s.rank_most > s.rank_least)
        printf(" to %d", s.rank_most);
    printf("; condition %.2g to %.2g\n", s.condition_least, s.condition_most);
    if (s.n_doubtful > 0)
        printf("Doubt    in %d of %d states the rank is: nobody is judged by them\n", s.n_doubtful, s.n_trajectory + s.n_random);
    printf("Unique   a in %d, all of lambda in %d of %d states; %d of %d multipliers\n", s.n_unique_a, s.n_unique_lambda,
           s.n_trajectory + s.n_random, s.n_unique_multipliers, s.m);
    sarrus_compare_row row;
    if (sarrus_comparison_row(comparison, sarrus_comparison_reference(comparison), &row) == SARRUS_OK)
        printf("From     %s, %s, the most accurate row\n", sarrus_formulation_word(row.formulation),
               sarrus_pinv_method_word(row.pinv));
    else
        printf("From     no row is right everywhere\n");
}

static void number_print(double x, const char *format, int width) {
    char text[32];
    snprintf(text, sizeof text, format, x);
    printf(" %*s", width, isfinite(x) ? text : "-");
}

/* `n_states` of most rows: one that was tried on fewer says so. */
static void row_print(const sarrus_compare_row *row, bool is_first, bool has_rank, int n_states) {
    printf("%-19s %-11s", is_first ? sarrus_formulation_word(row->formulation) : "", sarrus_pinv_method_word(row->pinv));
    if (has_rank)
        printf(" %-9s", sarrus_rank_method_word(row->rank));
    printf(" %-7s", sarrus_compare_verdict_word(row->verdict));
    if (row->verdict == SARRUS_COMPARE_REFUSED) {
        printf(" %s\n", row->reason);
        return;
    }
    number_print(row->acceleration, "%.0e", 7);
    number_print(row->force, "%.0e", 7);
    number_print(row->reaction, "%.0e", 8);
    number_print(row->inconsistent, "%.0e", 7);
    number_print(row->flops, "%.0f", 10);
    number_print(row->nanoseconds, "%.0f", 10);
    if (row->n_states < n_states)
        printf("  on %d of %d states", row->n_states, n_states);
    printf("%s%s\n", row->reason[0] != '\0' ? "  " : "", row->reason);
}

/* Of each other rank rule how many rows are right. */
static void ranks_print(const sarrus_comparison *comparison) {
    int n_rows[SARRUS_N_RANK_METHODS] = {0}, n_right[SARRUS_N_RANK_METHODS] = {0};
    for (int i = 0; i < sarrus_comparison_n_rows(comparison); ++i) {
        sarrus_compare_row row;
        if (sarrus_comparison_row(comparison, i, &row) != SARRUS_OK || row.verdict == SARRUS_COMPARE_REFUSED)
            continue;
        ++n_rows[row.rank];
        n_right[row.rank] += row.verdict == SARRUS_COMPARE_OK;
    }
    for (int r = 1; r < SARRUS_N_RANK_METHODS; ++r) {
        if (n_rows[r] > 0)
            printf("%s%s %d of %d", r == 1 ? "\nOther rank rules, rows that are right: " : ", ",
                   sarrus_rank_method_word((sarrus_rank_method)r), n_right[r], n_rows[r]);
    }
    if (n_rows[1] > 0)
        printf(" (--all shows them)\n");
}

static void table_print(const sarrus_comparison *comparison, bool is_wide) {
    int before = -1, n_states = 0;
    for (int i = 0; i < sarrus_comparison_n_rows(comparison); ++i) {
        sarrus_compare_row row;
        if (sarrus_comparison_row(comparison, i, &row) == SARRUS_OK && row.n_states > n_states)
            n_states = row.n_states;
    }
    head_print(comparison);
    printf("\n%-19s %-11s%s %-7s %7s %7s %8s %7s %10s %10s\n", "formulation", "pinv", is_wide ? " rank     " : "", "verdict", "a",
           "J'l", "reaction", "off", "flops", "ns");
    for (int i = 0; i < sarrus_comparison_n_rows(comparison); ++i) {
        sarrus_compare_row row;
        if (sarrus_comparison_row(comparison, i, &row) != SARRUS_OK)
            continue;
        const bool is_bare = row.verdict == SARRUS_COMPARE_REFUSED && row.pinv != SARRUS_PINV_AUTO;
        if (!is_wide && (row.rank != SARRUS_RANK_AUTO || is_bare))
            continue;
        row_print(&row, (int)row.formulation != before, is_wide, n_states);
        before = (int)row.formulation;
    }
    if (!is_wide)
        ranks_print(comparison);
}

static void count_print(const sarrus_comparison *comparison, sarrus_formulation formulation, sarrus_pinv_method pinv) {
    for (int i = 0; i < sarrus_comparison_n_rows(comparison); ++i) {
        sarrus_compare_row row;
        if (sarrus_comparison_row(comparison, i, &row) == SARRUS_OK && row.formulation == formulation && row.pinv == pinv &&
            row.rank == SARRUS_RANK_AUTO && isfinite(row.flops)) {
            printf(" %11.0f", row.flops);
            return;
        }
    }
    printf(" %11s", "-");
}

/* The paper's operations beside those that were counted. */
static void paper_print(const sarrus_comparison *comparison) {
    static const sarrus_pinv_method shown[] = {SARRUS_PINV_SVD, SARRUS_PINV_VARGA, SARRUS_PINV_GREVILLE, SARRUS_PINV_HOUSEHOLDER,
                                               SARRUS_PINV_MGS};
    enum { N_SHOWN = sizeof shown / sizeof shown[0] };
    sarrus_compare_states states;
    sarrus_comparison_states(comparison, &states);
    printf(
        "\nS5's operations of one acceleration at m = %d, n = %d, and those counted here, with the multipliers, by S5's methods\n"
        "%-24s %11s %11s",
        states.m, states.n, "equation", "Table 1", "Tables 2-5");
    for (int k = 0; k < N_SHOWN; ++k)
        printf(" %11s", sarrus_pinv_method_word(shown[k]));
    printf("\n");
    for (int f = 0; f < N_FORMULATIONS; ++f) {
        const sarrus_compare_paper paper = sarrus_compare_paper_of((sarrus_formulation)f, states.m, states.n);
        if (*paper.equation == '\0')
            continue;
        printf("%-4s %-19s %11.0f %11.0f", paper.equation, sarrus_formulation_word((sarrus_formulation)f), paper.table_1,
               paper.lines);
        for (int k = 0; k < N_SHOWN; ++k)
            count_print(comparison, (sarrus_formulation)f, shown[k]);
        printf("\n");
    }
    printf("(line by line, and Table 6: sarrus bench s5-study --tables 1-6)\n");
}

/* --- The command ------------------------------------------------------------------------------------------------------------ */

/* A line of progress, on a terminal. */
static void progress_print(void *user, int n_done, int n_rows) {
    (void)user;
    if (n_done % 16 == 0)
        fprintf(stderr, "\r%d of %d rows\033[K", n_done, n_rows);
}

/* With the first comparison: one that cannot be made leaves nothing behind. */
static void json_begin(sarrus_json *json, bool is_json, bool is_mixed) {
    sarrus_json_begin(json, is_json ? stdout : NULL);
    if (is_mixed)
        sarrus_json_open(json, "groups", '[');
}

static int group_compare(const char *path, const sarrus_scenario_argument *scenario, int g, const compare_arguments *arguments,
                         sarrus_json *json) {
    sarrus_comparison *comparison = NULL;
    sarrus_compare_options options = arguments->options;
    const sarrus_model *model = sarrus_document_model(scenario->document, g);
    const bool is_mixed = sarrus_document_is_mixed(scenario->document) != 0, is_shown = sarrus_progress_is_wanted();
    sarrus_context_clear(scenario->context);
    options.progress = is_shown ? progress_print : NULL;
    const sarrus_status status = sarrus_compare(scenario->context, model, &options, &comparison);
    if (is_shown)
        fprintf(stderr, "\r\033[K");
    sarrus_failure_print(scenario->context, status, stderr);
    if (status != SARRUS_OK)
        return sarrus_exit_code(status);
    if (g == 0)
        json_begin(json, arguments->is_json, is_mixed);
    if (is_mixed && arguments->is_json)
        sarrus_json_open(json, NULL, '{');
    else if (is_mixed)
        printf("%sGroup %d: %s\n\n", g > 0 ? "\n" : "", g, sarrus_document_file(scenario->document, g));
    if (arguments->is_json) {
        sarrus_json_text(json, "scenario", is_mixed ? sarrus_document_file(scenario->document, g) : path);
        sarrus_json_text(json, "name", sarrus_model_name(model));
        json_put_comparison(json, comparison);
    } else {
        table_print(comparison, arguments->is_wide);
        paper_print(comparison);
    }
    if (is_mixed && arguments->is_json)
        sarrus_json_close(json, '}');
    sarrus_comparison_destroy(comparison);
    return SARRUS_EXIT_DONE;
}

static int file_compare(const char *path, const compare_arguments *arguments, bool has_seed) {
    sarrus_scenario_argument scenario;
    compare_arguments own = *arguments;
    sarrus_json json;
    sarrus_signals_leave();
    int code = sarrus_scenario_argument_read(path, &arguments->settings, &scenario);
    if (code == SARRUS_EXIT_DONE) {
        const bool is_mixed = sarrus_document_is_mixed(scenario.document) != 0;
        int n_made = 0;
        for (int g = 0; code == SARRUS_EXIT_DONE && g < sarrus_document_n_groups(scenario.document); ++g) {
            if (!has_seed)
                own.options.seed = sarrus_model_seed(sarrus_document_model(scenario.document, g));
            code = group_compare(path, &scenario, g, &own, &json);
            n_made += code == SARRUS_EXIT_DONE;
        }
        if (is_mixed && n_made > 0)
            sarrus_json_close(&json, ']');
        if (n_made > 0)
            sarrus_json_close(&json, '}');
    }
    sarrus_scenario_argument_free(&scenario);
    return code;
}

int sarrus_command_compare(int argc, char **argv) {
    compare_arguments arguments;
    bool has_seed = false;
    int code = SARRUS_EXIT_BAD_INPUT;
    if (arguments_read(argc, argv, &has_seed, &arguments)) {
        const char *path = arguments.is_help ? NULL : sarrus_file_argument(argc, argv, "a scenario");
        if (arguments.is_help) {
            help_print();
            code = SARRUS_EXIT_DONE;
        } else if (path != NULL) {
            code = file_compare(path, &arguments, has_seed);
        }
    }
    sarrus_settings_free(&arguments.settings);
    return code;
}

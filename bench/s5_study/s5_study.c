/* `sarrus bench s5-study`: S5's Tables 1 to 12. Operations of its four equations, counted beside its formulas; then its thirty runs
 * with both of its integrators, judged against the closed-form pendulum, with the default rank decision (which must hold in all
 * of them) and with others. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "edge/exit_code.h"
#include "edge/diagnostics.h"

#include "bench/benches.h"
#include "bench/s5_study/print.h"
#include "bench/measure/measure.h"

enum { MAX_PATH_BYTES = 1024, N_INTEGRATORS = 2 };

static const char usage[] =
    "usage: sarrus bench s5-study [--json] [--quick] [--tables 1-6|7-12] [--traces] [--angle RAD] [--scenarios DIR]\n"
    "  --json            machine-readable output\n"
    "  --quick           two methods, TOL 1e-6 and 1e-8, 2 s of motion\n"
    "  --tables WHICH    1-6 (counted operations) or 7-12 (runs); without it both\n"
    "  --traces          of svd under the paper's rank rule: singular values and violation over time into the JSON\n"
    "  --angle RAD       initial angle of the cranks (default 0.7853981633974483)\n"
    "  --scenarios DIR   where five_bar.yaml is\n";

static const char *const integrators[N_INTEGRATORS] = {"adams-moulton", "verner65"};

typedef struct options {
    bool json, quick, has_flops, has_runs, has_traces;
    double angle;
    const char *scenarios_folder;
} options;

/* Takes the option at argv[*i_argument] and its value; false when it is not understood. */
static bool parse_option(int argc, char **argv, int *i_argument, options *o) {
    const char *option = argv[*i_argument];
    bool *flags[] = {&o->json, &o->quick, &o->has_traces};
    static const char *const names[] = {"--json", "--quick", "--traces"};
    for (int i = 0; i < 3; i++) {
        if (strcmp(option, names[i]) == 0) {
            *flags[i] = true;
            return true;
        }
    }
    if (*i_argument + 1 >= argc)
        return false;
    const char *value = argv[++*i_argument];
    if (strcmp(option, "--scenarios") == 0) {
        o->scenarios_folder = value;
        return true;
    }
    if (strcmp(option, "--tables") == 0) {
        o->has_flops = strcmp(value, "1-6") == 0;
        o->has_runs = strcmp(value, "7-12") == 0;
        return o->has_flops || o->has_runs;
    }
    if (strcmp(option, "--angle") == 0) {
        char *end = NULL;
        o->angle = strtod(value, &end);
        return end != value && *end == '\0' && fabs(o->angle) < 3.1;
    }
    return false;
}

static bool parse_options(int argc, char **argv, options *o) {
    *o = (options){.has_flops = true, .has_runs = true, .angle = 0.7853981633974483};
    for (int i = 1; i < argc; i++) {
        if (!parse_option(argc, argv, &i, o)) {
            fprintf(stderr, "sarrus bench s5-study: '%s' is not understood\n%s", argv[i < argc ? i : argc - 1], usage);
            return false;
        }
    }
    return true;
}

static void add_run(sarrus_s5_report *report, int i_table, int i_method, const char *rank, const char *integrator) {
    if (report->n_runs == SARRUS_S5_MAX_RUNS)
        return;
    sarrus_s5_run *run = &report->runs[report->n_runs++];
    *run = (sarrus_s5_run){.pinv = sarrus_s5_methods[i_method], .rank = rank, .integrator = integrator};
    run->i_table = i_table;
    run->i_method = i_method;
    run->is_gated = strcmp(rank, "auto") == 0;
}

/* With Baumgarte's terms nothing grows, so that from a start on the constraints every rule holds. Off them by 300 TOL the redundant
 * singular value begins above the paper's threshold and falls through it when the terms have brought the violation down. */
static void list_displaced(sarrus_s5_report *report, const options *o) {
    static const char *const rules[] = {"auto", "relative"};
    for (int i_rule = 0; i_rule < 2; i_rule++) {
        for (int i_table = 0; i_table < SARRUS_S5_N_PAPER_TABLES; i_table++) {
            const sarrus_s5_paper_table *table = &sarrus_s5_paper_tables[i_table];
            if (!table->has_baumgarte || (o->quick && table->tolerance < 1e-7))
                continue;
            for (int i = 0; i < 2 * N_INTEGRATORS; i++) {
                add_run(report, i_table, i < N_INTEGRATORS ? 0 : 3, rules[i_rule], integrators[i % N_INTEGRATORS]);
                report->runs[report->n_runs - 1].offset = 300.0 * table->tolerance;
            }
        }
    }
}

/* The paper's thirty runs with two integrators by the default rank decision and by its own rule; the other rules without
 * stabilisation, by the method that sees singular values and the one that sees pivots. */
static void list_runs(sarrus_s5_report *report, const options *o) {
    static const char *const rules[] = {"auto", "relative", "gap", "tracked", "violation"};
    for (int i_rule = 0; i_rule < 5; i_rule++) {
        for (int i_table = 0; i_table < SARRUS_S5_N_PAPER_TABLES; i_table++) {
            const sarrus_s5_paper_table *table = &sarrus_s5_paper_tables[i_table];
            if ((i_rule >= 2 && table->has_baumgarte) || (o->quick && (table->tolerance < 1e-9 || i_rule >= 2)))
                continue;
            for (int i_method = 0; i_method < SARRUS_S5_N_METHODS; i_method++) {
                const bool is_main = i_method == 0 || i_method == 3;
                for (int i = 0; i < N_INTEGRATORS && (is_main || (!o->quick && i_rule < 2)); i++)
                    add_run(report, i_table, i_method, rules[i_rule], integrators[i]);
            }
        }
    }
    list_displaced(report, o);
    for (int i = 0; i < report->n_runs; i++)
        report->runs[i].seconds = o->quick ? 2.0 : 20.0;
}

/* The place for the trace of a run; NULL when it is not wanted: svd by the paper's rule, no stabilisation, Adams-Moulton. */
static sarrus_s5_trace *trace_of(sarrus_s5_report *report, int i_run) {
    const sarrus_s5_run *run = &report->runs[i_run];
    const bool is_wanted = strcmp(run->rank, "relative") == 0 && run->i_method == 0 && run->offset == 0.0 &&
                           !sarrus_s5_paper_tables[run->i_table].has_baumgarte && strcmp(run->integrator, integrators[0]) == 0;
    if (!report->has_traces || !is_wanted || report->n_traces == SARRUS_S5_MAX_TRACES)
        return NULL;
    report->i_traced[report->n_traces] = i_run;
    return &report->traces[report->n_traces++];
}

static sarrus_status measure(sarrus_context *context, sarrus_s5_report *report) {
    sarrus_status status = SARRUS_OK;
    if (report->has_flops)
        status = sarrus_s5_flops_measure(context, report->study.scenario, &report->flops);
    for (int i = 0; i < report->n_runs && status == SARRUS_OK; i++) {
        if (isatty(STDERR_FILENO))
            fprintf(stderr, "\rrun %d of %d", i + 1, report->n_runs);
        status = sarrus_s5_run_measure(context, &report->study, &report->runs[i], trace_of(report, i));
    }
    if (isatty(STDERR_FILENO))
        fputc('\n', stderr);
    return status;
}

static int run(sarrus_context *context, sarrus_s5_report *report, bool json) {
    const sarrus_status status = measure(context, report);
    if (status != SARRUS_OK) {
        sarrus_diagnostics_print(context, stderr);
        fprintf(stderr, "sarrus bench s5-study: error: %s\n", sarrus_status_text(status));
        return sarrus_exit_code(status);
    }
    int n_failures = report->has_flops ? sarrus_s5_flops_failures(&report->flops) : 0;
    for (int i = 0; i < report->n_runs; i++)
        n_failures += report->runs[i].failure != NULL;
    if (json) {
        sarrus_s5_print_json(stdout, report);
    } else {
        if (report->has_flops)
            sarrus_s5_print_flops(stdout, &report->flops);
        if (report->has_runs)
            sarrus_s5_print_runs(stdout, report);
    }
    return sarrus_bench_finish("s5-study", n_failures, NULL);
}

int sarrus_bench_s5_study(int argc, char **argv) {
    options o;
    char path[MAX_PATH_BYTES];
    if (sarrus_bench_help_is_asked(argc, argv, usage))
        return SARRUS_EXIT_DONE;
    if (!parse_options(argc, argv, &o))
        return SARRUS_EXIT_BAD_INPUT;
    sarrus_context *context = NULL;
    sarrus_s5_report *report = calloc(1, sizeof *report);
    if (report == NULL || sarrus_context_create(&context) != SARRUS_OK) {
        free(report);
        fprintf(stderr, "sarrus bench s5-study: error: %s\n", sarrus_status_text(SARRUS_NO_MEMORY));
        return sarrus_exit_code(SARRUS_NO_MEMORY);
    }
    snprintf(path, sizeof path, "%s/five_bar.yaml", sarrus_bench_scenarios_folder(o.scenarios_folder));
    report->study = (sarrus_s5_study){.scenario = path, .angle = o.angle, .max_steps = 100000};
    report->has_flops = o.has_flops;
    report->has_runs = o.has_runs;
    report->has_traces = o.has_traces;
    if (o.has_runs)
        list_runs(report, &o);
    const int code = run(context, report, o.json);
    sarrus_context_destroy(context);
    free(report);
    return code;
}

/* `sarrus bench s5-study`: S5's Tables 1 to 12. Operations of its four equations, counted beside its formulas; then its thirty runs
 * with both of its integrators, judged against the closed-form pendulum, with the default rank decision (which must hold in all
 * of them) and with others. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/benches.h"
#include "bench/s5_study/print.h"
#include "bench/measure/measure.h"
#include "bench/measure/options.h"

enum { MAX_PATH_BYTES = 1024, N_INTEGRATORS = 2 };

static const char *const integrators[N_INTEGRATORS] = {"adams-moulton", "verner65"};

typedef struct options {
    bool json, quick, has_flops, has_runs, has_traces;
    double angle;
    const char *scenarios_folder;
} options;

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
    for (int i_rule = 0; i_rule < 2; ++i_rule) {
        for (int i_table = 0; i_table < SARRUS_S5_N_PAPER_TABLES; ++i_table) {
            const sarrus_s5_paper_table *table = &sarrus_s5_paper_tables[i_table];
            if (!table->has_baumgarte || (o->quick && table->tolerance < 1e-7))
                continue;
            for (int i = 0; i < 2 * N_INTEGRATORS; ++i) {
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
    for (int i_rule = 0; i_rule < 5; ++i_rule) {
        for (int i_table = 0; i_table < SARRUS_S5_N_PAPER_TABLES; ++i_table) {
            const sarrus_s5_paper_table *table = &sarrus_s5_paper_tables[i_table];
            if ((i_rule >= 2 && table->has_baumgarte) || (o->quick && (table->tolerance < 1e-9 || i_rule >= 2)))
                continue;
            for (int i_method = 0; i_method < SARRUS_S5_N_METHODS; ++i_method) {
                const bool is_main = i_method == 0 || i_method == 3;
                for (int i = 0; i < N_INTEGRATORS && (is_main || (!o->quick && i_rule < 2)); ++i)
                    add_run(report, i_table, i_method, rules[i_rule], integrators[i]);
            }
        }
    }
    list_displaced(report, o);
    for (int i = 0; i < report->n_runs; ++i)
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
    for (int i = 0; i < report->n_runs && status == SARRUS_OK; ++i) {
        sarrus_bench_announce("\rrun %d of %d", i + 1, report->n_runs);
        status = sarrus_s5_run_measure(context, &report->study, &report->runs[i], trace_of(report, i));
    }
    sarrus_bench_announce("\n");
    return status;
}

static sarrus_status work(sarrus_context *context, void *user, int *n_failures) {
    const options *o = user;
    char path[MAX_PATH_BYTES];
    sarrus_s5_report *report = calloc(1, sizeof *report);
    if (report == NULL)
        return SARRUS_NO_MEMORY;
    snprintf(path, sizeof path, "%s/five_bar.yaml", sarrus_bench_scenarios_folder(o->scenarios_folder));
    report->study = (sarrus_s5_study){.scenario = path, .angle = o->angle, .max_steps = 100000};
    report->has_flops = o->has_flops;
    report->has_runs = o->has_runs;
    report->has_traces = o->has_traces;
    if (o->has_runs)
        list_runs(report, o);
    const sarrus_status status = measure(context, report);
    if (status == SARRUS_OK) {
        sarrus_s5_show(report, o->json);
        *n_failures = o->has_flops ? sarrus_s5_flops_failures(&report->flops) : 0;
        for (int i = 0; i < report->n_runs; ++i)
            *n_failures += report->runs[i].failure != NULL;
    }
    free(report);
    return status;
}

int sarrus_bench_s5_study(int argc, char **argv) {
    options o = {.has_flops = true, .has_runs = true, .angle = 0.7853981633974483};
    const char *tables = NULL, *angle = NULL;
    const sarrus_bench_option known[] = {
        {"json", NULL, "machine-readable output", .flag = &o.json},
        {"quick", NULL, "two methods, TOL 1e-6 and 1e-8, 2 s of motion", .flag = &o.quick},
        {"tables", "WHICH", "1-6 (counted operations) or 7-12 (runs); without it both", .text = &tables},
        {"traces", NULL, "of svd under the paper's rank rule: singular values and violation over time into the JSON",
         .flag = &o.has_traces},
        {"angle", "RAD", "initial angle of the cranks (default 0.7853981633974483)", .text = &angle},
        {"scenarios", "DIR", "where five_bar.yaml is", .text = &o.scenarios_folder},
    };
    const int code = sarrus_bench_options_read(argc, argv, known, sizeof known / sizeof known[0]);
    if (code >= 0)
        return code;
    o.has_flops = tables == NULL || strcmp(tables, "1-6") == 0;
    o.has_runs = tables == NULL || strcmp(tables, "7-12") == 0;
    if (!o.has_flops && !o.has_runs)
        return sarrus_bench_value_refuse("s5-study", "tables", tables, "1-6 or 7-12");
    if (angle != NULL) {
        char *end = NULL;
        o.angle = strtod(angle, &end);
        if (end == angle || *end != '\0' || !(fabs(o.angle) < 3.1))
            return sarrus_bench_value_refuse("s5-study", "angle", angle, "an angle below 3.1 rad");
    }
    return sarrus_bench_carry_out("s5-study", NULL, work, &o);
}

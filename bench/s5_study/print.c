#include "bench/s5_study/print.h"

#include <math.h>
#include <string.h>

#include "bench/report/sheet.h"

/* --- Tables 1 to 6 -------------------------------------------------------------------------------------------------------- */

static void line_show(sarrus_sheet *sheet, const char *name, double paper, double full, double sarrus) {
    sarrus_sheet_row(sheet);
    sarrus_sheet_text(sheet, "operation", -44, NULL, name);
    sarrus_sheet_number(sheet, "paper", 10, "%.0f", NULL, paper);
    sarrus_sheet_number(sheet, "executed", 10, "%.0f", NULL, full);
    sarrus_sheet_number(sheet, "sarrus", 10, "%.0f", NULL, sarrus);
    sarrus_sheet_row_end(sheet);
}

static void count_show(sarrus_sheet *sheet, const sarrus_s5_system *s, int i_equation) {
    const sarrus_s5_count *count = &s->counts[i_equation];
    const sarrus_s5_printed *printed = &sarrus_s5_printed_equations[i_equation];
    sarrus_sheet_note(sheet, "\nTable %d, equation %s, %s (m = %d, n = %d, r = %d)\n", printed->i_table, printed->name, s->name,
                      s->m, s->n, s->rank);
    sarrus_sheet_table(sheet, NULL);
    for (int i = 0; i < count->n_lines; ++i)
        line_show(sheet, count->lines[i].name, count->lines[i].paper, count->lines[i].full, count->lines[i].sarrus);
    line_show(sheet, "sum", count->paper, count->full, count->sarrus);
    sarrus_sheet_table_end(sheet);
}

static void count_write(sarrus_json *json, const sarrus_s5_system *s, int i_equation) {
    const sarrus_s5_printed *printed = &sarrus_s5_printed_equations[i_equation];
    const sarrus_s5_count *count = &s->counts[i_equation];
    sarrus_json_open(json, NULL, '{');
    sarrus_json_text(json, "equation", printed->name);
    sarrus_json_number(json, "paper_table_1", sarrus_s5_formula_value(&printed->total, s->m, s->n));
    sarrus_json_number(json, "paper_lines", count->paper);
    sarrus_json_number(json, "executed", count->full);
    sarrus_json_number(json, "sarrus", count->sarrus);
    sarrus_json_number(json, "error_executed", s->errors[i_equation][0]);
    sarrus_json_number(json, "error_sarrus", s->errors[i_equation][1]);
    sarrus_json_open(json, "lines", '[');
    for (int i = 0; i < count->n_lines; ++i) {
        const sarrus_s5_line *line = &count->lines[i];
        sarrus_json_open(json, NULL, '{');
        sarrus_json_text(json, "operation", line->name);
        sarrus_json_number(json, "paper", line->paper);
        sarrus_json_number(json, "executed", line->full);
        sarrus_json_number(json, "sarrus", line->sarrus);
        sarrus_json_close(json, '}');
    }
    sarrus_json_close(json, ']');
    sarrus_json_close(json, '}');
}

/* What the paper prints, and whether it adds up. */
static void formulas_show(sarrus_sheet *sheet) {
    sarrus_sheet_note(sheet, "\nTables 1 and 6: what the paper prints, and whether it adds up\n");
    sarrus_sheet_table(sheet, "formulas");
    for (int i = 0; i < SARRUS_S5_N_EQUATIONS; ++i) {
        const sarrus_s5_printed *printed = &sarrus_s5_printed_equations[i];
        const sarrus_s5_formula sum = sarrus_s5_formula_sum(printed);
        const bool adds_up = memcmp(&sum, &printed->total, sizeof sum) == 0;
        char total_text[96], sum_text[96];
        sarrus_s5_formula_text(&sum, sum_text, sizeof sum_text);
        sarrus_sheet_row(sheet);
        sarrus_sheet_text(sheet, "equation", -30, "equation", printed->name);
        sarrus_sheet_text(sheet, "Table 1", -46, "table_1", sarrus_s5_formula_text(&printed->total, total_text, sizeof total_text));
        sarrus_sheet_text(sheet, "sum of the equation's own table (2 to 5)", 0, NULL, adds_up ? "the same" : sum_text);
        sarrus_sheet_text(sheet, NULL, 0, "sum_of_lines", sum_text);
        sarrus_sheet_flag(sheet, "adds_up", adds_up);
        sarrus_sheet_row_end(sheet);
    }
    sarrus_sheet_table_end(sheet);
}

static void total_show(sarrus_sheet *sheet, const sarrus_s5_system *s, int i_equation) {
    const sarrus_s5_printed *printed = &sarrus_s5_printed_equations[i_equation];
    const sarrus_s5_count *count = &s->counts[i_equation];
    double table_6 = (double)NAN;
    for (int k = 0; k < SARRUS_S5_N_SHAPES; ++k) {
        if (sarrus_s5_shapes[k][0] == s->m && sarrus_s5_shapes[k][1] == s->n)
            table_6 = printed->totals[k];
    }
    sarrus_sheet_row(sheet);
    sarrus_sheet_text(sheet, "equation", -30, NULL, printed->name);
    sarrus_sheet_count(sheet, "m", 5, NULL, (uint64_t)s->m);
    sarrus_sheet_count(sheet, "n", 5, NULL, (uint64_t)s->n);
    sarrus_sheet_number(sheet, "Table 6", 10, "%.0f", NULL, table_6);
    sarrus_sheet_number(sheet, "Table 1", 10, "%.0f", NULL, sarrus_s5_formula_value(&printed->total, s->m, s->n));
    sarrus_sheet_number(sheet, "lines", 10, "%.0f", NULL, count->paper);
    sarrus_sheet_number(sheet, "executed", 10, "%.0f", NULL, count->full);
    sarrus_sheet_number(sheet, "sarrus", 10, "%.0f", NULL, count->sarrus);
    sarrus_sheet_row_end(sheet);
}

/* The systems with the errors of the equations; in JSON with all counts. */
static void systems_show(sarrus_sheet *sheet, const sarrus_s5_flops *flops) {
    static const char *const headings[SARRUS_S5_N_EQUATIONS][2] = {
        {"(31) full", "sarrus"}, {"(43) full", "sarrus"}, {"(35) full", "sarrus"}, {"(41) full", "sarrus"}};
    sarrus_sheet_note(sheet, "\nlargest |a - a of the saddle system|, full products and as Sarrus does it\n");
    sarrus_sheet_table(sheet, "systems");
    for (int i = 0; i < flops->n_systems; ++i) {
        const sarrus_s5_system *s = &flops->systems[i];
        sarrus_sheet_row(sheet);
        sarrus_sheet_text(sheet, "system", -46, "name", s->name);
        sarrus_sheet_count(sheet, NULL, 0, "m", (uint64_t)s->m);
        sarrus_sheet_count(sheet, NULL, 0, "n", (uint64_t)s->n);
        sarrus_sheet_count(sheet, NULL, 0, "rank", (uint64_t)s->rank);
        for (int k = 0; k < 2 * SARRUS_S5_N_EQUATIONS; ++k)
            sarrus_sheet_number(sheet, headings[k / 2][k % 2], 9, "%.1e", NULL, s->errors[k / 2][k % 2]);
        sarrus_sheet_number(sheet, "bound", 9, "%.1e", "error_bound", s->bound);
        sarrus_sheet_text(sheet, " gate", 0, NULL, s->has_failed ? " FAILED" : " ok");
        sarrus_sheet_text(sheet, NULL, 0, "gate", s->has_failed ? "failed" : "ok");
        sarrus_json_open(&sheet->json, "equations", '[');
        for (int k = 0; k < SARRUS_S5_N_EQUATIONS; ++k)
            count_write(&sheet->json, s, k);
        sarrus_json_close(&sheet->json, ']');
        sarrus_sheet_row_end(sheet);
    }
    sarrus_sheet_table_end(sheet);
}

static void methods_show(sarrus_sheet *sheet, const sarrus_s5_flops *flops) {
    sarrus_sheet_note(sheet, "\nflops of D+ of the five-bar (12x12, rank 11), the paper's formula: %.0f\n",
                      sarrus_golub_reinsch_flops(12, 12));
    sarrus_sheet_table(sheet, "methods");
    for (int i = 0; i < SARRUS_S5_N_METHODS; ++i) {
        sarrus_sheet_row(sheet);
        sarrus_sheet_text(sheet, "method", -14, "pinv", flops->methods[i].name);
        sarrus_sheet_number(sheet, "D+ formed", 10, "%.0f", "flops_formed", flops->methods[i].explicit_flops);
        sarrus_sheet_number(sheet, "D+ y only", 10, "%.0f", "flops_applied", flops->methods[i].apply_flops);
        sarrus_sheet_row_end(sheet);
    }
    sarrus_sheet_table_end(sheet);
    sarrus_json_number(&sheet->json, "auto_flops_per_evaluation", flops->plan.flops_per_evaluation);
    sarrus_sheet_note(
        sheet,
        "one acceleration of the five-bar by pinv auto, everything included (rotations, forces, rows, sparse factor): %.0f "
        "flops, %.0f divisions\n",
        flops->plan.flops_per_evaluation, flops->plan.divisions_per_evaluation);
}

static void flops_show(sarrus_sheet *sheet, const sarrus_s5_flops *flops) {
    for (int i = 0; i < SARRUS_S5_N_EQUATIONS; ++i)
        count_show(sheet, &flops->systems[0], i);
    formulas_show(sheet);
    sarrus_sheet_note(sheet, "\n");
    sarrus_sheet_table(sheet, NULL);
    for (int i = 0; i < SARRUS_S5_N_EQUATIONS * flops->n_systems; ++i) {
        const sarrus_s5_system *s = &flops->systems[i % flops->n_systems];
        if (s->is_counted)
            total_show(sheet, s, i / flops->n_systems);
    }
    sarrus_sheet_table_end(sheet);
    methods_show(sheet, flops);
    systems_show(sheet, flops);
    sarrus_sheet_note(
        sheet,
        "\npaper: its formula. executed: counted while the line is done with full products, pseudoinverses by the paper's "
        "formula.\nsarrus: counted with M as a diagonal and right sides carried through householder; its own lines where it does "
        "not do the\npaper's. An addition, multiplication, division or square root is one, an FMA two.\n");
}

/* --- Tables 7 to 12 ------------------------------------------------------------------------------------------------------- */

/* A line of one of the paper's tables, as the paper has it. */
static void paper_row_show(sarrus_sheet *sheet, const char *method, const sarrus_s5_paper_row *row) {
    sarrus_sheet_row(sheet);
    sarrus_sheet_text(sheet, "method", -12, NULL, method);
    sarrus_sheet_text(sheet, "integrator", -14, NULL, "paper");
    sarrus_sheet_text(sheet, "result", -42, NULL, row->result);
    sarrus_sheet_text(sheet, "angle end", 9, NULL, "");
    sarrus_sheet_text(sheet, "largest", 9, NULL, "");
    sarrus_sheet_number(sheet, "sum psi^2", 9, "%.1e", NULL, row->sum_psi2);
    sarrus_sheet_number(sheet, "NFUNC", 10, "%.0f", NULL, row->n_evaluations);
    sarrus_sheet_number(sheet, "NSTEPS", 10, "%.0f", NULL, row->n_steps);
    sarrus_sheet_number(sheet, "CPU s", 8, "%.2f", NULL, row->cpu);
    sarrus_sheet_text(sheet, "ratio", 8, NULL, "");
    sarrus_sheet_text(sheet, " gate", 0, NULL, "");
    sarrus_sheet_row_end(sheet);
}

/* What a run was asked, and what came of it; printed under one of the paper's tables, or among the runs by other rules. */
static void run_cells(sarrus_sheet *sheet, const sarrus_s5_run *run, bool is_rule) {
    char text[SARRUS_S5_TEXT];
    const sarrus_s5_paper_table *table = &sarrus_s5_paper_tables[run->i_table];
    sarrus_sheet_text(sheet, is_rule ? "rule" : NULL, -9, "rank", run->rank);
    sarrus_sheet_count(sheet, is_rule ? "table" : NULL, 5, "table", (uint64_t)table->number);
    sarrus_sheet_number(sheet, is_rule ? "TOL" : NULL, 7, "%.0e", "tolerance", table->tolerance);
    sarrus_sheet_text(sheet, is_rule ? "Bg." : NULL, -4, NULL, table->has_baumgarte ? "yes" : "no");
    sarrus_sheet_flag(sheet, "baumgarte", table->has_baumgarte);
    sarrus_sheet_number(sheet, NULL, 0, NULL, "start_offset", run->offset);
    sarrus_sheet_text(sheet, "method", -12, "pinv", run->pinv);
    sarrus_sheet_text(sheet, "integrator", -14, "integrator", run->integrator);
    sarrus_sheet_text(sheet, "result", -42, "result", sarrus_s5_run_result(run, text));
    sarrus_sheet_text(sheet, NULL, 0, "status", sarrus_instance_status_word(run->status));
    sarrus_sheet_number(sheet, NULL, 0, NULL, "error_bound", run->bound);
    sarrus_sheet_number(sheet, NULL, 0, NULL, "correct_until", run->correct_until);
    sarrus_sheet_number(sheet, NULL, 0, NULL, "t_reached", run->t_reached);
    sarrus_sheet_number(sheet, is_rule ? "1e-2" : NULL, 6, "%.2f", "t_visible", run->t_visible);
    sarrus_sheet_number(sheet, is_rule ? "sigma s" : NULL, 7, "%.2f", "t_threshold", run->t_threshold);
    sarrus_sheet_number(sheet, is_rule ? "rank s" : NULL, 7, "%.3f", "t_rank_change", run->t_rank);
    sarrus_sheet_count(sheet, is_rule ? "changes" : NULL, 7, "rank_changes", run->work.n_rank_changes);
    sarrus_sheet_number(sheet, is_rule ? NULL : "angle end", 9, "%.1e", "error_end", run->error_end);
    sarrus_sheet_number(sheet, is_rule ? "angle" : "largest", 9, "%.1e", "error_largest", run->error_largest);
    sarrus_sheet_number(sheet, "sum psi^2", 9, "%.1e", "sum_psi2", run->sum_psi2);
    sarrus_sheet_number(sheet, is_rule ? "s/xi" : NULL, 6, "%.3f", "sigma_per_across", run->sigma_per_across);
    sarrus_sheet_number(sheet, is_rule ? "s/Phi" : NULL, 6, "%.3f", "sigma_per_violation", run->sigma_per_violation);
    sarrus_sheet_count(sheet, "NFUNC", 10, "evaluations", run->work.n_evaluations);
    sarrus_sheet_count(sheet, is_rule ? NULL : "NSTEPS", 10, "steps", run->work.n_steps);
    sarrus_sheet_count(sheet, NULL, 0, "rejected", run->work.n_rejected);
    sarrus_sheet_number(sheet, "CPU s", 8, "%.3f", "cpu_seconds", run->cpu);
    sarrus_sheet_number(sheet, is_rule ? NULL : "ratio", 8, "%.5f", "ratio_to_paper", run->ratio);
    sarrus_sheet_text(sheet, is_rule ? " paper (adams-moulton)" : NULL, 0, NULL, table->rows[run->i_method].result);
    if (run->failure != NULL || run->is_gated)
        sarrus_sheet_gate(sheet, run->failure);
    else
        sarrus_sheet_text(sheet, " gate", 0, "gate", "none");
}

static void run_show(sarrus_sheet *sheet, const sarrus_s5_run *run, bool is_rule) {
    sarrus_sheet_row(sheet);
    run_cells(sheet, run, is_rule);
    sarrus_sheet_row_end(sheet);
}

static bool is_of(const sarrus_s5_run *run, int i_table, const char *rank) {
    return run->i_table == i_table && strcmp(run->rank, rank) == 0 && run->offset == 0.0;
}

static void table_show(sarrus_sheet *sheet, const sarrus_s5_report *report, int i_table) {
    const sarrus_s5_paper_table *table = &sarrus_s5_paper_tables[i_table];
    int n_runs = 0;
    for (int i = 0; i < report->n_runs; ++i)
        n_runs += is_of(&report->runs[i], i_table, "auto");
    if (n_runs == 0)
        return;
    sarrus_sheet_note(sheet, "\nTable %d: TOL %.0e, %s; rank auto\n", table->number, table->tolerance,
                      table->has_baumgarte ? "Baumgarte alpha 1000, beta 100" : "no stabilisation");
    sarrus_sheet_table(sheet, NULL);
    for (int i_method = 0; i_method < SARRUS_S5_N_METHODS; ++i_method) {
        bool is_new = true;
        for (int i = 0; i < report->n_runs; ++i) {
            const sarrus_s5_run *run = &report->runs[i];
            if (!is_of(run, i_table, "auto") || run->i_method != i_method)
                continue;
            if (is_new)
                paper_row_show(sheet, sarrus_s5_methods[i_method], &table->rows[i_method]);
            is_new = false;
            run_show(sheet, run, false);
        }
    }
    sarrus_sheet_table_end(sheet);
    for (int i = 0; i < 2; ++i) {
        if (table->footnotes[i] != NULL)
            sarrus_sheet_note(sheet, "  %s\n", table->footnotes[i]);
    }
}

/* The runs by other rules than the default from a start on the constraints, or all that start off them. */
static void rules_show(sarrus_sheet *sheet, const sarrus_s5_report *report, bool is_displaced) {
    bool is_new = true;
    sarrus_sheet_table(sheet, NULL);
    for (int i = 0; i < report->n_runs; ++i) {
        const sarrus_s5_run *run = &report->runs[i];
        if (is_displaced != (run->offset != 0.0) || (!is_displaced && strcmp(run->rank, "auto") == 0))
            continue;
        if (is_new)
            sarrus_sheet_note(sheet, "\n%s\n",
                              is_displaced ? "Started off the constraints: crank b turned by 300 TOL"
                                           : "Other rank rules, all 12 rows in view (relative: the paper's own, threshold TOL)");
        is_new = false;
        run_show(sheet, run, true);
    }
    sarrus_sheet_table_end(sheet);
    if (!is_new)
        sarrus_sheet_note(
            sheet,
            "1e-2: when the angle was first off by more than that, s. sigma s: when the redundant singular value of J M^-1/2 "
            "was first seen above TOL\ntimes the largest. rank s, changes: first change of the rank decision and their number. "
            "s/xi, s/Phi: median of that singular value over |xi|, largest over ||Phi|| (docs/rank.md).\n");
}

static void runs_show(sarrus_sheet *sheet, const sarrus_s5_report *report) {
    for (int i = 0; i < SARRUS_S5_N_PAPER_TABLES; ++i)
        table_show(sheet, report, i);
    rules_show(sheet, report, false);
    rules_show(sheet, report, true);
    sarrus_sheet_note(
        sheet,
        "\nangle: distance of the cranks from the closed-form pendulum, rad; a run is correct when it never passes "
        "1e-3, 1e-5, 1e-7 at\nTOL 1e-6, 1e-8, 1e-10. ratio: evaluations over the paper's (at most 0.01). Sum psi^2 at the end, "
        "or where the run stopped.\n");
}

static void paper_row_write(sarrus_json *json, const sarrus_s5_run *run) {
    const sarrus_s5_paper_row *row = &sarrus_s5_paper_tables[run->i_table].rows[run->i_method];
    sarrus_json_open(json, "paper", '{');
    sarrus_json_text(json, "result", row->result);
    sarrus_json_number(json, "correct_until", row->correct_until);
    sarrus_json_number(json, "sum_psi2", row->sum_psi2);
    sarrus_json_number(json, "evaluations", row->n_evaluations);
    sarrus_json_number(json, "steps", row->n_steps);
    sarrus_json_number(json, "cpu_seconds", row->cpu);
    sarrus_json_close(json, '}');
}

static void traces_write(sarrus_sheet *sheet, const sarrus_s5_report *report) {
    static const char *const names[SARRUS_S5_N_TRACED] = {"t", "violation", "across", "largest", "kept", "redundant", "error"};
    sarrus_sheet_table(sheet, "traces");
    for (int i = 0; i < report->n_traces; ++i) {
        sarrus_sheet_row(sheet);
        run_cells(sheet, &report->runs[report->i_traced[i]], false);
        for (int k = 0; k < SARRUS_S5_N_TRACED; ++k)
            sarrus_sheet_numbers(sheet, names[k], report->traces[i].at[k], report->traces[i].n);
        sarrus_sheet_row_end(sheet);
    }
    sarrus_sheet_table_end(sheet);
}

void sarrus_s5_show(const sarrus_s5_report *report, bool json) {
    sarrus_sheet sheet;
    sarrus_sheet_begin(&sheet, json ? NULL : stdout, json ? stdout : NULL, "s5-study");
    sarrus_json_number(&sheet.json, "initial_angle", report->study.angle);
    if (report->has_flops)
        flops_show(&sheet, &report->flops);
    if (report->has_runs)
        runs_show(&sheet, report);
    sheet.printed = NULL; /* all runs, for programs */
    sarrus_sheet_table(&sheet, "runs");
    for (int i = 0; i < report->n_runs; ++i) {
        sarrus_sheet_row(&sheet);
        run_cells(&sheet, &report->runs[i], false);
        paper_row_write(&sheet.json, &report->runs[i]);
        sarrus_sheet_row_end(&sheet);
    }
    sarrus_sheet_table_end(&sheet);
    if (report->has_traces)
        traces_write(&sheet, report);
    sarrus_sheet_end(&sheet);
}
